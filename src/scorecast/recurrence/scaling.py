"""From times and covariates to coordinates of unit spread, and the prior there.

The prior of appendix B.8 is made of the training data's mean and covariance, so that it
does not mind shifts and scales: working in units of the data changes nothing but the
arithmetic, which then holds for any scale.
"""

from __future__ import annotations

import dataclasses
import difflib
import numbers
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import FloatArray
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    ScorecastError,
    UsageError,
)
from scorecast.mixtures import Noise, Observations, Prior, Sampling
from scorecast.recurrence.cohort import EQUAL_TIMES, Cohort
from scorecast.recurrence.location_scale import fit_location_scale

__all__ = [
    "Scaling",
    "check_sampling",
    "hyperparameter_names",
    "make_prior",
    "scale_cohort",
    "unknown_said",
]

RIDGE = 0.05  # added to a correlation matrix that is singular, diagonal one
_SINGULAR = 1e-4  # smallest eigenvalue of a correlation matrix that is not


@dataclass(frozen=True, eq=False)
class Scaling:
    """How coordinates are measured: log time first, then the covariates.

    Attributes
    ----------
    centre, spread : array of shape (N,)
        Means and standard deviations in the training data.
    correlation : array of shape (N, N)
        Correlations, ridge included.
    ridge : float
        What was added to the diagonal; 0 where nothing was needed.
    """

    centre: FloatArray
    spread: FloatArray
    correlation: FloatArray
    ridge: float

    def others(self, X: FloatArray) -> FloatArray:
        """Return covariates in units of their spread."""
        return np.asarray(X / self.spread[1:] - self.centre[1:] / self.spread[1:])

    def log_times(self, time: FloatArray) -> FloatArray:
        """Return log times in units of their spread."""
        return np.asarray((np.log(time) - self.centre[0]) / self.spread[0])

    def noise(self, noise_sd: ArrayLike, shape: float) -> Noise:
        """Return the noise in these units.

        Parameters
        ----------
        noise_sd : float or array of shape (N,)
            Of log time, and of covariates in units of their spread.
        shape : float
            Its shape.

        Returns
        -------
        Noise
            The noise.

        Raises
        ------
        UsageError
            If there is not one positive number per coordinate.
        """
        n_dims = len(self.centre)
        if not isinstance(shape, numbers.Real):
            msg = f"`noise_shape` must be a positive number; got {shape!r}."
            raise UsageError(msg)
        try:
            given = np.asarray(noise_sd, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.array(np.nan)
        if given.ndim > 1 or given.size not in (1, n_dims) or not (given > 0).all():
            msg = (
                "`noise_sd` must be one positive number, or one for the log time and "
                f"one for each of {n_dims - 1} covariates; got {noise_sd!r}."
            )
            raise UsageError(msg)
        spread = np.broadcast_to(given, (n_dims,)).copy()
        spread[0] /= self.spread[0]
        return Noise(spread**-2.0, shape)

    def observations(self, cohort: Cohort, noise: Noise) -> Observations:
        """Return the training data in these units."""
        values = np.column_stack([self.log_times(cohort.time), self.others(cohort.X)])
        return Observations(values, ~cohort.event, noise)


def scale_cohort(cohort: Cohort, moments: str) -> Scaling:
    """Measure the training data.

    Parameters
    ----------
    cohort : Cohort
        The data.
    moments : {"censored", "recorded"}
        Mean and spread of log times: of a normal fitted to what is known of them, or of
        the times as they were recorded.

    Returns
    -------
    Scaling
        The coordinates.
    """
    largest = np.ones(cohort.X.shape[1])
    if cohort.X.size:
        largest = np.nanmax(np.abs(cohort.X), axis=0)
    small = cohort.X / largest  # squares of huge numbers would overflow
    middle, spread = _of_log_times(cohort, moments)
    centre = np.concatenate([[middle], np.nanmean(small, axis=0) * largest])
    spreads = np.concatenate([[spread], np.nanstd(small, axis=0) * largest])
    log_time = np.log(cohort.time)
    unit = (small - np.nanmean(small, axis=0)) / np.nanstd(small, axis=0)
    time_unit = log_time - log_time.mean()
    if time_unit.any():
        time_unit /= time_unit.std()
    values = np.column_stack([time_unit, np.nan_to_num(unit)])
    correlation = values.T @ values / cohort.n
    np.fill_diagonal(correlation, 1.0)
    return Scaling(centre, spreads, *_regular(correlation))


def _of_log_times(cohort: Cohort, moments: str) -> tuple[float, float]:
    log_time = np.log(cohort.time)
    middle, spread = float(log_time.mean()), float(log_time.std())
    if cohort.time.min() == cohort.time.max():  # rounding may leave a spread
        raise InvalidInputError(EQUAL_TIMES)
    # With few events the fit runs away; what was recorded is then all there is.
    if moments == "recorded" or cohort.event.all() or cohort.event.sum() < 5:
        return middle, spread
    found = fit_location_scale(cohort.time, cohort.event, "lognormal")
    return found.location, found.scale


def _regular(correlation: FloatArray) -> tuple[FloatArray, float]:
    if np.linalg.eigvalsh(correlation)[0] >= _SINGULAR:
        return correlation, 0.0
    msg = (
        f"The covariance of the covariates is singular: {RIDGE:g} was added to the "
        "diagonal of their correlations for the prior."
    )
    warnings.warn(msg, DataWarning, stacklevel=4)
    return correlation + RIDGE * np.eye(len(correlation)), RIDGE


def make_prior(scaling: Scaling, changes: Mapping[str, Any] | None) -> Prior:
    """Return the prior of appendix B.8 in the units of the data.

    Parameters
    ----------
    scaling : Scaling
        The units.
    changes : mapping, optional
        Hyperparameters to set otherwise.

    Returns
    -------
    Prior
        The prior.

    Raises
    ------
    UsageError
        If a name is unknown, or a value is not what it should be.
    """
    for name in changes or {}:
        if name not in hyperparameter_names():
            msg = f"`hyperparameters`: {unknown_said(name)}"
            raise UsageError(msg)
    try:
        return Prior.survival(
            scaling.correlation, np.zeros(len(scaling.centre)), **(changes or {})
        )
    except ScorecastError:
        raise
    except (TypeError, ValueError) as error:
        msg = f"`hyperparameters` must hold numbers: {error}."
        raise UsageError(msg) from error


def hyperparameter_names() -> tuple[str, ...]:
    """Return what may be set otherwise than B.8."""
    return tuple(x.name for x in dataclasses.fields(Prior) if x.name != "name")


def unknown_said(name: object) -> str:
    """Say that there is no such hyperparameter, and which there are.

    Parameters
    ----------
    name : object
        What the caller gave.

    Returns
    -------
    str
        A sentence.
    """
    known = hyperparameter_names()
    near = difflib.get_close_matches(str(name), known, n=1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    return f"there is no {name!r}.{meant} There are {', '.join(known)}."


def check_sampling(given: Sampling | None, default: Sampling) -> Sampling:
    """Return how to sample.

    Parameters
    ----------
    given : Sampling, optional
        What the caller gave.
    default : Sampling
        What holds otherwise.

    Returns
    -------
    Sampling
        The one that holds.

    Raises
    ------
    UsageError
        If it is something else.
    """
    if given is None:
        return default
    if not isinstance(given, Sampling):
        msg = f"`sampling` must be a `Sampling`; got {type(given).__name__}."
        raise UsageError(msg)
    return given
