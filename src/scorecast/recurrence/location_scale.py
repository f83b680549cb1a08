"""Log times of one shape, shifted and stretched: Weibull, lognormal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr

from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import InsufficientDataError

__all__ = ["SHAPES", "LocationScale", "fit_location_scale", "log_parts"]

SHAPES = ("weibull", "lognormal")
_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class LocationScale:
    """Distribution of times whose logarithm is location + scale * standard.

    Attributes
    ----------
    shape : {"weibull", "lognormal"}
        Smallest extreme value, or normal.
    location, scale : float
        Of the log time.
    """

    shape: str
    location: float
    scale: float

    def log_density(self, time: FloatArray) -> FloatArray:
        """Return log densities of times."""
        z = (np.log(time) - self.location) / self.scale
        density, _ = log_parts(z, self.shape)
        return np.asarray(density - math.log(self.scale) - np.log(time))

    def log_survival(self, time: FloatArray) -> FloatArray:
        """Return log probabilities of more than these times."""
        z = (np.log(time) - self.location) / self.scale
        return log_parts(z, self.shape)[1]


def log_parts(z: FloatArray, shape: str) -> tuple[FloatArray, FloatArray]:
    """Return log density and log upper tail of the standard distribution.

    Parameters
    ----------
    z : array
        Places.
    shape : {"weibull", "lognormal"}
        Which.

    Returns
    -------
    tuple of arrays
        Both logarithms.
    """
    if shape == "weibull":
        with np.errstate(over="ignore"):
            tail = -np.exp(z)
        return np.asarray(z + tail), np.asarray(tail)
    return np.asarray(-0.5 * z * z - _LOG_ROOT_2PI), np.asarray(log_ndtr(-z))


def fit_location_scale(time: FloatArray, event: BoolArray, shape: str) -> LocationScale:
    """Fit by maximum likelihood, censored times included.

    Parameters
    ----------
    time, event : array of shape (n,)
        Times, and whether the event was seen.
    shape : {"weibull", "lognormal"}
        Which.

    Returns
    -------
    LocationScale
        The fit.

    Raises
    ------
    InsufficientDataError
        If no event was seen, or all at the same time.
    """
    if not event.any():
        msg = "No event was seen, so no distribution of times can be fitted."
        raise InsufficientDataError(msg)
    y = np.log(time)
    middle, spread = float(y.mean()), float(y.std())
    if np.ptp(y[event]) == 0.0 and y.max() <= y[event][0]:
        msg = "All events were seen at the same time: their spread cannot be fitted."
        raise InsufficientDataError(msg)
    unit = (y - middle) / spread

    def loss(at: FloatArray) -> float:
        z = (unit - at[0]) * np.exp(-at[1])
        density, tail = log_parts(z, shape)
        total = density[event].sum() - event.sum() * at[1] + tail[~event].sum()
        return -float(total) if np.isfinite(total) else 1e300

    start = np.array([0.0, 0.0])
    limits = {"xatol": 1e-9, "fatol": 1e-10, "maxiter": 4000}
    found = minimize(loss, start, method="Nelder-Mead", options=limits)
    location, log_scale = (float(v) for v in found.x)
    return LocationScale(
        shape, middle + spread * location, spread * math.exp(log_scale)
    )
