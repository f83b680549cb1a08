"""Log times of one shape, shifted and stretched: Weibull, lognormal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr

from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import FitFailedError, InsufficientDataError

__all__ = [
    "SHAPES",
    "AcceleratedTimes",
    "LocationScale",
    "fit_accelerated",
    "fit_location_scale",
    "log_parts",
]

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


@dataclass(frozen=True, eq=False)
class AcceleratedTimes:
    """Log time is linear in the covariates, plus noise of one shape.

    Attributes
    ----------
    shape : {"weibull", "lognormal"}
        Smallest extreme value, or normal.
    means : array of shape (p,)
        Of the training cases; they take the place of missing covariates.
    centre, scale : float
        Of the log time of a case whose covariates are these means.
    slopes : array of shape (p,)
        Per unit of each covariate.
    """

    shape: str
    means: FloatArray
    centre: float
    slopes: FloatArray
    scale: float

    def predict_log(
        self, X: FloatArray, times: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival of cases x times."""
        away = np.where(np.isnan(X), 0.0, X - self.means)
        middle = self.centre + away @ self.slopes
        z = (np.log(times) - middle[:, None]) / self.scale
        density, tail = log_parts(z, self.shape)
        return density - np.log(self.scale) - np.log(times), tail


def fit_accelerated(
    time: FloatArray,
    event: BoolArray,
    X: FloatArray,
    shape: str,
    *,
    penalty: float = 0.01,
) -> AcceleratedTimes:
    """Regress log times on covariates, censored times included.

    Parameters
    ----------
    time, event : array of shape (n,)
        Times, and whether the event was seen.
    X : array of shape (n, p)
        Covariates, none of them constant; NaN where one is missing.
    shape : {"weibull", "lognormal"}
        Which.
    penalty : float, default=0.01
        Per case: half of it times every squared slope, per deviation of its covariate,
        is added to the mean loss. As in lifelines.

    Returns
    -------
    AcceleratedTimes
        The fit.

    Raises
    ------
    FitFailedError
        If it leads to no numbers.
    """
    centre, spread = float(np.log(time).mean()), float(np.log(time).std()) or 1.0
    size = np.maximum(np.abs(np.nan_to_num(X)).max(axis=0, initial=0.0), 1e-300)
    middle = np.nanmean(X / size, axis=0)  # covariates of any size
    unit = np.where(np.isnan(X), middle, X / size) - middle
    deviation = unit.std(axis=0, ddof=1)
    unit = unit / deviation
    y = (np.log(time) - centre) / spread
    weight = penalty * spread**2

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        slopes, narrow = at[1:-1], math.exp(min(max(-at[-1], -700.0), 700.0))
        z = (y - at[0] - unit @ slopes) * narrow
        density, tail = log_parts(z, shape)
        total = density[event].sum() - event.sum() * at[-1] + tail[~event].sum()
        pull = np.where(event, *_derivatives(z, density, tail, shape))
        slope = np.concatenate(
            [[narrow * pull.sum()], narrow * (pull @ unit), [pull @ z + event.sum()]]
        )
        slope = slope / y.size
        slope[1:-1] += weight * slopes
        value = -total / y.size + 0.5 * weight * slopes @ slopes
        return (float(value), slope) if np.isfinite(value) else (1e300, slope)

    with np.errstate(all="ignore"):
        found = minimize(
            loss, np.zeros(X.shape[1] + 2), jac=True, method="L-BFGS-B",
            options={"maxiter": 2000, "ftol": 1e-13, "gtol": 1e-8},
        )  # fmt: skip
        slopes = spread * found.x[1:-1] / deviation / size
        scale = spread * math.exp(min(float(found.x[-1]), 700.0))
        means = middle * size
    numbers = np.concatenate([found.x, slopes, means, [scale]])
    if not (np.isfinite(numbers).all() and found.fun < 1e300 and scale > 0):
        msg = f"The {shape} regression leads to no numbers."
        raise FitFailedError(msg)
    return AcceleratedTimes(
        shape=shape,
        means=means,
        centre=centre + spread * float(found.x[0]),
        slopes=slopes,
        scale=scale,
    )


def _derivatives(
    z: FloatArray, density: FloatArray, tail: FloatArray, shape: str
) -> tuple[FloatArray, FloatArray]:
    """Return the slopes of log density and log upper tail of the standard one."""
    if shape == "weibull":
        return 1.0 + tail, tail
    return -z, -np.exp(density - tail)
