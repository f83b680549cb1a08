"""The highest average accuracy that an amount of information allows, and back.

Whatever the distribution of stimuli and responses, an identification among k random
stimuli cannot be right more often than C_k(iota), where iota is the mutual information
in nats; and for every k some distribution reaches it. With a = 1/(k-1),

    Z(c) = integral of exp(c t^(k-1)) over the unit interval,
    C = d log Z / dc,    iota = c C - log Z,

so the curve has one parameter, c. Small c are summed by a series of positive terms,
large ones by an asymptotic series; both keep all digits from k = 2 to a million and
from 1e-8 to 100 nats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from scorecast._core.types import FloatArray
from scorecast.exceptions import UsageError

__all__ = ["best_accuracy", "least_information"]

_SERIES_UP_TO = 100.0  # of c; the asymptotic series is exact to rounding beyond
_TERMS = 420  # of the series: at c = 100 the last is below 1e-80 of the sum
_MOST_STEPS = 200  # of the asymptotic series, which stops at its smallest term


@dataclass(frozen=True, kw_only=True)
class _Point:
    """One point of the curve: its information, C and 1 - C, each without cancelling."""

    information: float
    accuracy: float
    error: float


def best_accuracy(information: ArrayLike, classes: int) -> FloatArray:
    """Return the highest average Bayes accuracy that information allows.

    Parameters
    ----------
    information : array-like
        Mutual information of stimulus and response, in nats, from 0.
    classes : int
        Number of classes (candidates) k, from 2.

    Returns
    -------
    ndarray of float64
        C_k of each amount, in the shape given; 1/k at zero, 1 at infinity.

    Raises
    ------
    UsageError
        If an amount is negative or NaN, or `classes` is below 2.

    Examples
    --------
    >>> best_accuracy([0.5, 2.0], classes=10).round(10).tolist()
    [0.3735769872, 0.7169839317]
    """
    _check_classes(classes)
    given = np.asarray(information, dtype=np.float64)
    if not (given >= 0).all():
        msg = "Information must be a number of nats from 0 up."
        raise UsageError(msg)
    found = [_best_accuracy(float(iota), classes) for iota in given.ravel()]
    return np.array(found).reshape(given.shape)


def least_information(accuracy: ArrayLike, classes: int) -> FloatArray:
    """Return the least mutual information with which an accuracy is possible.

    The inverse of `best_accuracy`.

    Parameters
    ----------
    accuracy : array-like
        Average Bayes accuracy among k classes, between 0 and 1.
    classes : int
        Number of classes k, from 2.

    Returns
    -------
    ndarray of float64
        Nats, in the shape given; 0 where the accuracy is no better than 1/k, infinity
        where it is 1.

    Raises
    ------
    UsageError
        If an accuracy lies outside [0, 1] or is NaN, or `classes` is below 2.

    Examples
    --------
    >>> least_information([0.05, 0.5], classes=10).round(10).tolist()
    [0.0, 0.94716869]
    """
    _check_classes(classes)
    given = np.asarray(accuracy, dtype=np.float64)
    if not ((given >= 0) & (given <= 1)).all():
        msg = "An accuracy must lie between 0 and 1."
        raise UsageError(msg)
    found = [_least_information(float(share), classes) for share in given.ravel()]
    return np.array(found).reshape(given.shape)


def _check_classes(classes: int) -> None:
    if classes < 2 or int(classes) != classes:
        msg = f"`classes` must be a whole number from 2; got {classes!r}."
        raise UsageError(msg)


def _best_accuracy(iota: float, k: int) -> float:
    if iota == 0:
        return 1 / k
    if math.isinf(iota):
        return 1.0
    # The two ends of the curve, as a place to start from.
    near_zero = math.log(iota / _variance(k)) / 2
    near_one = iota + 1 - math.log(k - 1)
    log_c = _root(lambda t: _point(t, k).information - iota, min(near_zero, near_one))
    return _point(log_c, k).accuracy


def _least_information(accuracy: float, k: int) -> float:
    excess, error = accuracy - 1 / k, 1 - accuracy
    if excess <= 0:
        return 0.0
    if error == 0:
        return math.inf
    start = math.log(excess / _variance(k))

    # The smaller of C - 1/k and 1 - C, so that neither end loses its digits.
    def off(log_c: float) -> float:
        point = _point(log_c, k)
        return error - point.error if accuracy > 0.5 else point.accuracy - accuracy

    return max(_point(_root(off, start), k).information, 0.0)


def _root(function: Callable[[float], float], start: float) -> float:
    """Solve an increasing function of log c, from a place to the left or right."""
    from scipy.optimize import brentq

    low, high, step = start, start, 1.0
    while function(low) > 0:
        low -= step
        step *= 2
    step = 1.0
    while function(high) < 0:
        high += step
        step *= 2
    return float(brentq(function, low, high, xtol=1e-14, rtol=1e-14, maxiter=300))


def _variance(k: int) -> float:
    """Return the variance of T^(k-1) for uniform T."""
    return (k - 1) ** 2 / (k**2 * (2.0 * k - 1))


def _point(log_c: float, k: int) -> _Point:
    c, a = math.exp(log_c), 1 / (k - 1)
    return _summed(c, a) if c <= _SERIES_UP_TO else _asymptotic(c, log_c, a)


def _summed(c: float, a: float) -> _Point:
    n = np.arange(_TERMS)
    # c^n / n!, and from it Z - 1, Z' and Z - Z'.
    powers = np.exp(n * math.log(c) - gammaln(n + 1))
    above_one = a * float((powers[1:] / (n[1:] + a)).sum())
    slope = a * float((powers / (n + 1 + a)).sum())
    rest = a * float((powers / ((n + a) * (n + 1 + a))).sum())
    z = 1 + above_one
    # c Z' - Z log Z term by term: c Z' = a sum n c^n / (n! (n + a)).
    lift = a * float((powers[1:] * n[1:] / (n[1:] + a)).sum())
    information = (lift - above_one + _log_excess(above_one)) / z
    return _Point(information=information, accuracy=slope / z, error=rest / z)


def _log_excess(x: float) -> float:
    """Return x - (1 + x) log(1 + x), by its series where that cancels."""
    if x > 0.05:
        return x - (1 + x) * math.log1p(x)
    n = np.arange(2, 20)
    return -float(((-1.0) ** n * x**n / (n * (n - 1))).sum())


def _asymptotic(c: float, log_c: float, a: float) -> _Point:
    total, weighted, term = 0.0, 0.0, 1.0
    for n in range(_MOST_STEPS):
        total += term
        weighted += term * (n + 1)
        following = term * (n + 1 - a) / c
        if following > term or following < 1e-18 * total:
            break
        term = following
    error = weighted / c / total
    information = log_c - math.log(a) - math.log(total) - weighted / total
    return _Point(information=information, accuracy=1 - error, error=error)
