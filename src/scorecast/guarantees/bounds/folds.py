"""Intervals from the values of folds: plain, corrected for overlap, percentiles."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri, stdtrit

from scorecast._core.types import FloatArray

__all__ = ["nadeau_bengio", "normal", "percentiles", "student"]


def normal(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the normal interval of a mean, as if its error were known."""
    half = float(ndtri(0.5 + level / 2)) * _spread(values) / math.sqrt(values.size)
    return _around(values, half)


def student(values: FloatArray, level: float) -> tuple[float, float]:
    """Return Student's interval of a mean.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Values of folds, as if independent.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; NaN for fewer than two values.

    Examples
    --------
    >>> e = np.array([.2, .25, .1, .3, .15, .22, .18, .27, .21, .12])
    >>> [round(x, 6) for x in student(e, 0.95)]
    [0.154009, 0.245991]
    """
    return nadeau_bengio(values, level, 0.0)


def nadeau_bengio(
    values: FloatArray, level: float, test_ratio: float
) -> tuple[float, float]:
    """Return Student's interval, widened because folds share training cases.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Values of folds.
    level : float
        Confidence level.
    test_ratio : float
        Cases tested per case learned from.

    Returns
    -------
    tuple of float
        Low and high; NaN for fewer than two values.
    """
    if values.size < 2:
        return math.nan, math.nan
    quantile = float(stdtrit(values.size - 1, 0.5 + level / 2))
    half = quantile * _spread(values) * math.sqrt(1 / values.size + test_ratio)
    return _around(values, half)


def percentiles(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the middle part of the values themselves: how folds vary, not a mean."""
    if values.size < 2:
        return math.nan, math.nan
    low, high = np.quantile(values, [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)


def _spread(values: FloatArray) -> float:
    # Equal values leave a rounding error that would pass for a spread.
    if values.size < 2 or np.ptp(values) == 0:
        return 0.0 if values.size >= 2 else math.nan
    return float(np.std(values, ddof=1))


def _around(values: FloatArray, half: float) -> tuple[float, float]:
    middle = float(values.mean())
    return middle - half, middle + half
