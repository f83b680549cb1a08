"""Identification accuracy where scores are Gaussian, and the fit to an observed curve.

As the dimension of the response grows while its information stays, the accuracy of the
best decoder among k stimuli tends to

    pibar_k(c) = E[Phi(Z + c)^(k-1)],    c = sqrt(2 I),

whatever the distributions were. It is the curve that implied information is read from:
a single number, c, is fitted by weighted least squares over the whole curve. c may come
out negative where the curve lies below chance; information is then zero, but intervals
are made on the scale of c, on which the fit is nearly linear.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.checks import check_units
from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import UsageError
from scorecast.identification.capacity import check_accuracy
from scorecast.scores import probit_grid, probit_moments

_ONE = np.ones(1)
_FARTHEST = 40.0  # of c: 800 nats, beyond which no double tells an accuracy from one
_RANGE = (-8.0, 20.0)  # of a fitted c: from never right to 200 nats
_COARSE = 0.25
# Of covariances toward their diagonal: they are all but singular. With 0.1 instead of
# 0.5 the fit was twice as biased and its intervals held less often.
_SHRINKAGE = 0.5


# --- the curve -----------------------------------------------------------------------


def ideal_accuracy(
    information: float, *, n_classes: ArrayLike, units: str = "bits"
) -> FloatArray:
    r"""Return the accuracy of the best decoder in high dimension.

    .. math:: \bar\pi_k(c) = E[\Phi(Z + c)^{k-1}], \quad c = \sqrt{2 I}

    with Z standard normal and I in nats.

    Parameters
    ----------
    information : float
        Mutual information, from 0.
    n_classes : array-like of int
        Numbers of classes k.
    units : {"bits", "nats"}, default="bits"
        Units of the information.

    Returns
    -------
    ndarray of float64
        Accuracies, in the shape given.

    Raises
    ------
    UsageError
        If the information is negative or NaN.

    References
    ----------
    C. Zheng and Y. Benjamini (2016). Estimating mutual information in high dimensions
    via classification error.

    Examples
    --------
    >>> ideal_accuracy(5.0, n_classes=[2, 10, 1000], units="nats").round(6).tolist()
    [0.987326, 0.923877, 0.47213]
    """
    unit = check_units(units)
    if not information >= 0:
        problem = f"must be an amount from 0 up; got {information!r}"
        raise UsageError(problem, parameter="information")
    ks = np.asarray(n_classes, dtype=np.float64)
    if math.isinf(information):
        return np.ones(ks.shape)
    separation = math.sqrt(2 * information * unit)
    return ideal_curve(ks.ravel(), separation).reshape(ks.shape)


def ideal_information(
    accuracy: float, *, n_classes: float, units: str = "bits"
) -> float:
    """Return the information with which the ideal curve passes through one accuracy.

    The inverse of `ideal_accuracy`.

    Parameters
    ----------
    accuracy : float
        Accuracy among k classes.
    n_classes : float
        Number of classes k; parts of one are allowed.
    units : {"bits", "nats"}, default="bits"
        Units of the answer.

    Returns
    -------
    float
        The amount; 0 where the accuracy is no better than 1/k, infinity where it is 1.

    Raises
    ------
    UsageError
        If the accuracy lies outside [0, 1].

    References
    ----------
    C. Zheng and Y. Benjamini (2016). Estimating mutual information in high dimensions
    via classification error.

    Examples
    --------
    >>> round(ideal_information(0.8, n_classes=10, units="nats"), 8)
    3.02764191
    """
    unit = check_units(units)
    check_accuracy(accuracy)
    if accuracy <= 1 / n_classes:
        return 0.0
    if accuracy == 1:
        return math.inf
    median_of_best = float(scipy.special.ndtri(0.5 ** (1 / (n_classes - 1))))

    # Errors, not accuracies: near one they keep their digits.
    def off(separation: float) -> float:
        return (1 - accuracy) - _error(separation, n_classes)

    # Where the best of the others has its median, accuracy is near half.
    middle = median_of_best + 1.1 * float(scipy.special.ndtri(accuracy))
    low, high = max(middle - 1, 0.0), max(middle, 0.0) + 1
    while low > 0 and off(low) > 0:
        low = max(low - 1, 0.0)
    while off(high) < 0 and high < _FARTHEST:
        high += 1
    found = float(scipy.optimize.brentq(off, low, high, xtol=1e-14, rtol=1e-14))
    return found**2 / 2 / unit


def ideal_curve(ks: FloatArray, separation: float) -> FloatArray:
    """Return pibar_k(c) for numbers of classes."""
    return probit_moments(ks, np.array([separation]), _ONE)[:, 0]


def curve_slopes(ks: FloatArray, separation: float) -> FloatArray:
    """Return the derivative of pibar_k(c) with respect to c; all are positive.

    It is E[(V - c) Phi(V)^(k-1)] with V normal around c.
    """
    middle = np.array([separation])
    nodes, masses = probit_grid(middle, _ONE)
    powers: FloatArray = np.exp((ks[:, None] - 1) * scipy.special.log_ndtr(nodes))
    slopes: FloatArray = powers @ (masses[:, 0] * (nodes - separation))
    return slopes


def nats_of(separation: float) -> float:
    """Return the information of c, none where it is negative."""
    return max(separation, 0.0) ** 2 / 2


def _error(separation: float, n_classes: float) -> float:
    nodes, masses = probit_grid(np.array([separation]), _ONE)
    powers = (n_classes - 1) * scipy.special.log_ndtr(nodes)
    return float(-np.expm1(powers) @ masses[:, 0])


# --- its fit -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Weighting(Method):
    """How numbers of candidates are weighed in the fit.

    Attributes
    ----------
    matrix : callable
        Takes how many sizes each one stands for, the covariance of the accuracies, and
        its diagonal with nothing near zero; returns the weights as a matrix.
    needs_covariance : bool
        Whether errors of the curve have a say; sizes without one take no part then.
    """

    matrix: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    needs_covariance: bool = True


def _equal_weights(
    gaps: FloatArray, _covariance: FloatArray, _variances: FloatArray
) -> FloatArray:
    return np.diag(gaps)


def _variance_weights(
    gaps: FloatArray, _covariance: FloatArray, variances: FloatArray
) -> FloatArray:
    return np.diag(gaps / variances)


def _covariance_weights(
    _gaps: FloatArray, covariance: FloatArray, variances: FloatArray
) -> FloatArray:
    shrunk = (1 - _SHRINKAGE) * covariance + _SHRINKAGE * np.diag(variances)
    return np.asarray(np.linalg.inv(shrunk), dtype=np.float64)


WEIGHTS: Registry[Weighting] = Registry()
WEIGHTS.add(
    Weighting(
        name="equal",
        title="equal weights",
        summary="every number of candidates counts the same, as in the paper",
        reference="C. Zheng and Y. Benjamini (2016). Estimating mutual information in "
        "high dimensions via classification error.",
        matrix=_equal_weights,
        needs_covariance=False,
    )
)
WEIGHTS.add(
    Weighting(
        name="variance",
        title="weights by variance",
        summary="every number of candidates counts as its error says",
        matrix=_variance_weights,
    )
)
WEIGHTS.add(
    Weighting(
        name="covariance",
        title="weights by covariance",
        summary="as the covariance of all numbers of candidates says",
        matrix=_covariance_weights,
    )
)


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
    weights : str, default="equal"
        Name of an entry of `WEIGHTS`.
    covariance : ndarray of shape (n, n), optional
        Covariance of the accuracies; NaN where it is not known.
    replicates : ndarray of shape (n_groups, n), optional
        The curve without each stimulus; NaN at sizes that need all.

    Returns
    -------
    SeparationFit
        The fit.
    """
    errors = _CurveErrors(ks, WEIGHTS[weights], covariance)
    # Where weights come from errors, sizes without an error cannot take part.
    used = np.ones(ks.size, dtype=np.bool_)
    if errors.weighting.needs_covariance:
        used = errors.known
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


class _CurveErrors:
    """What is known of the errors of a curve, and the weights that follow."""

    def __init__(
        self, ks: FloatArray, weighting: Weighting, covariance: FloatArray | None
    ) -> None:
        self.ks, self.weighting = ks, weighting
        self.known = np.ones(ks.size, dtype=np.bool_)
        self.covariance: FloatArray | None = None
        if covariance is None or covariance.size == 0:
            return
        is_known = np.isfinite(np.diag(covariance))
        if is_known.any():
            self.known, self.covariance = is_known, covariance

    def matrix(self, used: BoolArray) -> FloatArray:
        """Return the weights of some sizes."""
        gaps = _gaps(self.ks[used])
        if self.covariance is None or not self.weighting.needs_covariance:
            return np.diag(gaps)
        covariance = self.covariance[np.ix_(used, used)]
        variances = np.diag(covariance)
        if not variances.max() > 0:
            return np.diag(gaps)
        # A size at which nothing varies would outweigh all others.
        floored = np.maximum(variances, float(variances.max()) * 1e-6)
        return self.weighting.matrix(gaps, covariance, floored)

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


def _gaps(ks: FloatArray) -> FloatArray:
    """Return how many sizes each one stands for: one, where none is left out."""
    edges = np.concatenate([[ks[0] - 0.5], (ks[1:] + ks[:-1]) / 2, [ks[-1] + 0.5]])
    return np.diff(edges)


def _minimise(ks: FloatArray, accuracy: FloatArray, matrix: FloatArray) -> float:
    grid, ideal = _coarse_table(ks.tobytes())
    off = accuracy[:, None] - ideal
    best = int(np.argmin((off * (matrix @ off)).sum(axis=0)))

    def loss(separation: float) -> float:
        rest = accuracy - ideal_curve(ks, separation)
        return float(rest @ matrix @ rest)

    ends = (grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)])
    found = scipy.optimize.minimize_scalar(
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
