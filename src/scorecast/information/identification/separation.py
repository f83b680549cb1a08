"""Fit the ideal curve to an observed one: a single number, c = sqrt(2 I).

Weighted least squares over the whole curve. c may come out negative where the curve
lies below chance; information is then zero, but intervals are made on the scale of c,
on which the fit is nearly linear.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from scorecast._core.types import BoolArray, FloatArray
from scorecast.information.identification.ideal_curve import curve_slopes, ideal_curve
from scorecast.scores import probit_moments

__all__ = ["WEIGHTS", "SeparationFit", "fit_separation"]

WEIGHTS = ("equal", "variance", "covariance")
_RANGE = (-8.0, 20.0)  # of c: from never right to 200 nats
_COARSE = 0.25
# Of covariances toward their diagonal: they are all but singular. With 0.1 instead of
# 0.5 the fit was twice as biased and its intervals held less often.
_SHRINKAGE = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class SeparationFit:
    """The fitted c, and what it would be without each stimulus.

    Attributes
    ----------
    value : float
        c.
    fitted : ndarray of float64
        The ideal curve at the sizes that were fitted.
    replicates : ndarray of float64
        c without each stimulus, by linearisation; empty where there are none.
    linear_stderr : float
        Standard error of c by linearisation from a covariance of the curve; NaN
        without one.
    """

    value: float
    fitted: FloatArray
    replicates: FloatArray
    linear_stderr: float


def fit_separation(
    ks: FloatArray,
    accuracy: FloatArray,
    *,
    weights: str = "equal",
    covariance: FloatArray | None = None,
    replicates: FloatArray | None = None,
) -> SeparationFit:
    """Fit c by weighted least squares.

    Parameters
    ----------
    ks : ndarray of float64
        Numbers of candidates, ascending.
    accuracy : ndarray of float64
        Observed accuracies.
    weights : {"equal", "variance", "covariance"}, default="equal"
        Every size counts the same; or as its variance says; or as the covariance of
        all sizes says.
    covariance : ndarray of shape (n, n), optional
        Covariance of the accuracies; NaN where it is not known.
    replicates : ndarray of shape (n_groups, n), optional
        The curve without each stimulus; NaN at sizes that need all.

    Returns
    -------
    SeparationFit
        The fit.
    """
    errors = _Errors(ks, weights, covariance)
    # Where weights come from errors, sizes without an error cannot take part.
    used = errors.known if weights != "equal" else np.ones(ks.size, dtype=np.bool_)
    value = _minimise(ks[used], accuracy[used], errors.matrix(used))
    moved = np.empty(0)
    if replicates is not None and replicates.shape[0]:
        moved = errors.moved(value, accuracy, replicates)
    return SeparationFit(
        value=value,
        fitted=ideal_curve(ks, value),
        replicates=moved,
        linear_stderr=errors.stderr_of(value),
    )


class _Errors:
    """What is known of the errors of a curve, and the weights that follow."""

    def __init__(
        self, ks: FloatArray, weights: str, covariance: FloatArray | None
    ) -> None:
        self.ks, self.weights = ks, weights
        self.known = np.ones(ks.size, dtype=np.bool_)
        self.covariance: FloatArray | None = None
        if covariance is None or covariance.size == 0:
            return
        finite = np.isfinite(np.diag(covariance))
        if finite.any():
            self.known, self.covariance = finite, covariance

    def matrix(self, used: BoolArray) -> FloatArray:
        """Return the weights of some sizes."""
        part = None
        if self.covariance is not None and self.weights != "equal":
            part = self.covariance[np.ix_(used, used)]
        return _weight_matrix(self.ks[used], self.weights, part)

    def stderr_of(self, value: float) -> float:
        """Return the standard error of a fitted c, by linearisation."""
        if self.covariance is None:
            return math.nan
        known = self.known
        pull = _pull(self.ks[known], self.matrix(known), value)
        inside = self.covariance[np.ix_(known, known)]
        return math.sqrt(max(float(pull @ inside @ pull), 0.0))

    def moved(
        self, value: float, accuracy: FloatArray, replicates: FloatArray
    ) -> FloatArray:
        """Return c as every replicate moves it, by linearisation.

        Without the only stimulus that was ever mistaken a curve has no error, and
        implies infinitely much: fitted anew it would say nothing of the others.
        """
        there = np.isfinite(replicates).all(axis=0) & self.known
        if not there.any():
            return np.empty(0)
        pull = _pull(self.ks[there], self.matrix(there), value)
        steps: FloatArray = (replicates[:, there] - accuracy[there]) @ pull
        return value + steps


def _weight_matrix(
    ks: FloatArray, weights: str, covariance: FloatArray | None
) -> FloatArray:
    gaps = _gaps(ks)
    if covariance is None:
        return np.diag(gaps)
    variances = np.diag(covariance)
    if not variances.max() > 0:
        return np.diag(gaps)
    # A size at which nothing varies would outweigh all others.
    floor = float(variances.max()) * 1e-6
    if weights == "variance":
        return np.diag(gaps / np.maximum(variances, floor))
    diagonal = np.diag(np.maximum(variances, floor))
    shrunk = (1 - _SHRINKAGE) * covariance + _SHRINKAGE * diagonal
    return np.asarray(np.linalg.inv(shrunk), dtype=np.float64)


def _gaps(ks: FloatArray) -> FloatArray:
    """Return how many sizes each one stands for: one, where none is left out."""
    edges = np.concatenate([[ks[0] - 0.5], (ks[1:] + ks[:-1]) / 2, [ks[-1] + 0.5]])
    return np.diff(edges)


def _minimise(ks: FloatArray, accuracy: FloatArray, matrix: FloatArray) -> float:
    from scipy.optimize import minimize_scalar

    grid, ideal = _coarse_table(ks.tobytes())
    off = accuracy[:, None] - ideal
    best = int(np.argmin((off * (matrix @ off)).sum(axis=0)))

    def loss(separation: float) -> float:
        rest = accuracy - ideal_curve(ks, separation)
        return float(rest @ matrix @ rest)

    ends = (grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)])
    found = minimize_scalar(
        loss, bounds=ends, method="bounded", options={"xatol": 1e-9}
    )
    # A few steps of Gauss and Newton: a loss is flat at its least value.
    value = float(found.x)
    for _ in range(3):
        slopes = curve_slopes(ks, value)
        pull = slopes @ matrix
        steep = float(pull @ slopes)
        if steep < 1e-30:
            break
        value += float(pull @ (accuracy - ideal_curve(ks, value))) / steep
        value = min(max(value, ends[0]), ends[1])
    return value


@functools.lru_cache(maxsize=8)
def _coarse_table(ks_bytes: bytes) -> tuple[FloatArray, FloatArray]:
    """Tabulate the ideal curve once: random halves ask for the same sizes again."""
    ks = np.frombuffer(ks_bytes)
    grid = np.arange(_RANGE[0], _RANGE[1] + _COARSE, _COARSE)
    return grid, probit_moments(ks, grid, np.ones(grid.size))


def _pull(ks: FloatArray, matrix: FloatArray, value: float) -> FloatArray:
    """Return how much c moves with each accuracy; NaN where the curve is flat."""
    slopes = curve_slopes(ks, value)
    pull = slopes @ matrix
    steep = float(pull @ slopes)
    weights: FloatArray = pull / steep if steep >= 1e-30 else np.full(ks.size, np.nan)
    return weights
