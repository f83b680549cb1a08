"""Forecasts that are densities: of numbers, around what was predicted, or of times."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
)
from scorecast.information.columns import check_column, check_same_length
from scorecast.information.reliability import CalibrationEvents, CalibrationPairs

_QUANTILES = np.linspace(0.05, 0.95, 10)
Fit = Callable[[FloatArray, float], tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Density(Method):
    """A density of location and scale; `df` is of Student's alone.

    Attributes
    ----------
    log_density, cdf : callable
        Of a number in units of the scale, and `df`.
    unit_sd : callable
        Standard deviation at scale one, of `df`.
    fit : callable
        Location and scale of greatest likelihood.
    """

    log_density: Callable[[FloatArray, float], FloatArray]
    cdf: Callable[[FloatArray, float], FloatArray]
    unit_sd: Callable[[float], float]
    fit: Fit


def _laplace_cdf(z: FloatArray, _df: float) -> FloatArray:
    half = 0.5 * np.exp(-np.abs(z))
    return np.where(z < 0, half, 1 - half)


def _student_log_density(z: FloatArray, df: float) -> FloatArray:
    gammaln = scipy.special.gammaln
    constant = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi)
    return np.asarray(constant - (df + 1) / 2 * np.log1p(z * z / df))


def _fit_laplace(values: FloatArray, _df: float) -> tuple[float, float]:
    middle = float(np.median(values))
    return middle, float(np.abs(values - middle).mean())


def _fit_student(values: FloatArray, df: float) -> tuple[float, float]:
    """Fit location and scale by iterated weights (EM), which always improves."""
    middle, square = float(np.median(values)), float(values.var())
    for _ in range(500):
        weight = (df + 1) / (df + (values - middle) ** 2 / square)
        new = float((weight * values).sum() / weight.sum())
        square_new = float((weight * (values - new) ** 2).mean())
        is_settled = abs(square_new - square) < 1e-12 * square
        middle, square = new, square_new
        if is_settled:
            break
    return middle, float(np.sqrt(square))


DENSITIES: Registry[Density] = Registry()
DENSITIES.add(
    Density(
        name="normal",
        title="normal density",
        summary="errors of one size; the usual choice",
        log_density=lambda z, _: -0.5 * z * z - 0.5 * np.log(2 * np.pi),
        cdf=lambda z, _: scipy.special.ndtr(z),
        unit_sd=lambda _: 1.0,
        fit=lambda y, _: (float(y.mean()), float(y.std())),
    )
)
DENSITIES.add(
    Density(
        name="student",
        title="Student's density",
        summary="errors of which some are far larger than most",
        log_density=_student_log_density,
        cdf=lambda z, df: scipy.special.stdtr(df, z),
        unit_sd=lambda df: float(np.sqrt(df / (df - 2))),
        fit=_fit_student,
    )
)
DENSITIES.add(
    Density(
        name="laplace",
        title="Laplace density",
        summary="predictions that minimise absolute errors",
        log_density=lambda z, _: -np.abs(z) - np.log(2),
        cdf=_laplace_cdf,
        unit_sd=lambda _: float(np.sqrt(2)),
        fit=_fit_laplace,
    )
)


def density_logs(
    y_true: ArrayLike,
    mean: ArrayLike,
    sigma: ArrayLike | float,
    *,
    y_train: ArrayLike,
    density: str,
    df: float,
) -> tuple[FloatArray, FloatArray, CalibrationPairs]:
    """Return log densities of what came out: as predicted, and before that.

    The density before is fitted to the training values. Beside them, for ten stated
    quantiles, whether each case fell below.
    """
    y, centre = check_column(y_true, "y_true"), check_column(mean, "mean")
    spread = check_column(np.broadcast_to(np.asarray(sigma), y.shape), "sigma")
    check_same_length(y_true=y, mean=centre, sigma=spread)
    if (spread <= 0).any():
        row = int(np.argmax(spread <= 0))
        raise InvalidInputError(
            f"must be positive; it is {spread[row]:g}",
            parameter="sigma",
            location=Location(row=row + 1),
        )
    shape = DENSITIES.choose(density, parameter="density")
    if shape.name == "student" and not df > 2:
        problem = f"must be more than 2, so that the spread exists; got {df!r}"
        raise UsageError(problem, parameter="df")
    before = check_column(y_train, "y_train")
    if np.ptp(before) == 0:
        problem = "all training values are equal: no density can be fitted to them"
        raise InsufficientDataError(problem, parameter="y_train")
    middle, width = shape.fit(before, df)
    scale = spread / shape.unit_sd(df)
    z = (y - centre) / scale
    log_q = shape.log_density(z, df) - np.log(scale)
    log_p = shape.log_density((y - middle) / width, df) - np.log(width)
    below = shape.cdf(z, df)
    pairs = CalibrationPairs(
        predicted=np.repeat(_QUANTILES, below.size),
        happened=np.concatenate([below <= level for level in _QUANTILES]),
        events=CalibrationEvents.QUANTILES,
    )
    return log_q, log_p, pairs


def predicted_densities(
    model: Any, X: ArrayLike, sigma: ArrayLike | float | None
) -> tuple[ArrayLike, ArrayLike]:
    """Return means and standard deviations that a fitted regressor states."""
    if sigma is not None:
        return model.predict(X), sigma
    if "return_std" not in inspect.signature(model.predict).parameters:
        raise UsageError(
            f"{type(model).__name__} states no standard deviation: its predict has no "
            "return_std",
            parameter="sigma",
            remedy="give one, estimated on cases apart from these",
        )
    mean, spread = model.predict(X, return_std=True)
    return mean, spread


# Times -------------------------------------------------------------------------------


def seen_events(event: ArrayLike) -> BoolArray:
    """Return whether each event was seen."""
    column = check_column(event, "event")
    is_odd = ~np.isin(column, (0, 1))
    if is_odd.any():
        row = int(np.argmax(is_odd))
        raise InvalidInputError(
            f"must be 0 (censored) or 1 (seen); got {column[row]:g}",
            parameter="event",
            location=Location(row=row + 1),
        )
    is_seen: BoolArray = column == 1
    return is_seen


def where_known(
    is_seen: BoolArray, density: ArrayLike, survival: ArrayLike, of: str
) -> FloatArray:
    """Return log densities of events that were seen, and log survival of others."""
    columns = []
    for values, is_used, name in (
        (density, is_seen, f"{of}log_density"),
        (survival, ~is_seen, f"{of}log_survival"),
    ):
        array = np.asarray(values)
        # Only one of the two is used in a case; the other may be anything.
        if array.shape == is_seen.shape and array.dtype.kind == "f":
            array = np.where(is_used, array, 0.0)
        column = check_column(array, name, allow_negative_infinity=True)
        check_same_length(event=is_seen.astype(np.float64), **{name: column})
        columns.append(column)
    if (columns[1] > 0).any():
        raise InvalidInputError(
            "is above 0, and no survival exceeds one",
            parameter=f"{of}log_survival",
            location=Location(row=int(np.argmax(columns[1] > 0)) + 1),
        )
    known: FloatArray = np.where(is_seen, columns[0], columns[1])
    return known
