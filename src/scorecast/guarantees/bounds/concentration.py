"""Intervals that hold for any distribution on a bounded range."""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray

__all__ = ["empirical_bernstein", "hoeffding"]


def hoeffding(mean: float, n: float, level: float, span: float) -> tuple[float, float]:
    """Return Hoeffding's two-sided interval.

    Parameters
    ----------
    mean : float
        Mean of independent values.
    n : float
        How many.
    level : float
        Confidence level.
    span : float
        Greatest value less least one.

    Returns
    -------
    tuple of float
        Low and high, not cut at the range.
    """
    half = span * math.sqrt(math.log(2 / (1 - level)) / (2 * n))
    return mean - half, mean + half


def empirical_bernstein(
    values: FloatArray, level: float, span: float
) -> tuple[float, float]:
    """Return the interval of Maurer and Pontil, short where values hardly vary.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Independent values.
    level : float
        Confidence level.
    span : float
        Greatest value less least one.

    Returns
    -------
    tuple of float
        Low and high, not cut at the range; NaN for fewer than two values.
    """
    n = values.size
    if n < 2:
        return math.nan, math.nan
    # Theorem 4 holds for one side; each side gets half of what may go wrong.
    log_term = math.log(4 / (1 - level))
    variance = float(np.var(values, ddof=1))
    half = math.sqrt(2 * variance * log_term / n) + 7 * span * log_term / (3 * (n - 1))
    return float(values.mean()) - half, float(values.mean()) + half
