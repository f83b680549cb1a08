"""Intervals of a share of cases."""

from __future__ import annotations

import math

from scipy.special import betaincinv, ndtri

__all__ = ["clopper_pearson", "jeffreys", "wilson"]


def wilson(count: float, n: float, level: float) -> tuple[float, float]:
    """Return Wilson's score interval.

    Parameters
    ----------
    count : float
        Cases with the property; a fraction where cases were tested repeatedly.
    n : float
        Cases.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; never of width zero.

    Examples
    --------
    >>> [round(x, 6) for x in wilson(18, 20, 0.95)]
    [0.698966, 0.972134]
    """
    z = float(ndtri(0.5 + level / 2))
    share = count / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    inside = share * (1 - share) / n + z**2 / (4 * n**2)
    half = z / (1 + z**2 / n) * math.sqrt(max(inside, 0.0))
    low = 0.0 if count <= 0 else max(middle - half, 0.0)
    high = 1.0 if count >= n else min(middle + half, 1.0)
    return low, high


def clopper_pearson(count: float, n: float, level: float) -> tuple[float, float]:
    """Return the exact interval of Clopper and Pearson.

    Parameters
    ----------
    count : float
        Cases with the property.
    n : float
        Cases.
    level : float
        Confidence level; never undershot.

    Returns
    -------
    tuple of float
        Low and high.
    """
    tail = 0.5 - level / 2
    low = 0.0 if count <= 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if count >= n else float(betaincinv(count + 1, n - count, 1 - tail))
    return low, high


def jeffreys(count: float, n: float, level: float) -> tuple[float, float]:
    """Return the interval of equal tails under Jeffreys' prior."""
    tail = 0.5 - level / 2
    a, b = count + 0.5, n - count + 0.5
    return float(betaincinv(a, b, tail)), float(betaincinv(a, b, 1 - tail))
