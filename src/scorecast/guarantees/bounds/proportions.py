"""Intervals of a share of cases."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri, stdtrit

__all__ = ["clopper_pearson", "clustered_wilson", "jeffreys", "wilson"]


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
    return _score_interval(count, n, float(ndtri(0.5 + level / 2)))


def _score_interval(count: float, n: float, z: float) -> tuple[float, float]:
    share = count / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    inside = share * (1 - share) / n + z**2 / (4 * n**2)
    half = z / (1 + z**2 / n) * math.sqrt(max(inside, 0.0))
    low = 0.0 if count <= 0 else max(middle - half, 0.0)
    high = 1.0 if count >= n else min(middle + half, 1.0)
    return low, high


def clustered_wilson(
    counts: NDArray[np.floating], sizes: NDArray[np.integer], level: float
) -> tuple[float, float, float]:
    """Return Wilson's interval of cases in groups.

    Cases are counted as many as they are worth: n over the design effect, which is the
    mean over cases of 1 + (size of the group - 1) r. The correlation r within groups is
    that of the analysis of variance, from 0 to 1; where all cases are right, or all
    wrong, none can be seen and it is taken as 1. The quantile is that of t with C - 1
    degrees of freedom for C groups.

    Parameters
    ----------
    counts : ndarray of shape (C,)
        Cases with the property, of every group.
    sizes : ndarray of int of shape (C,)
        Cases of every group.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low, high and the design effect.
    """
    n, c = float(sizes.sum()), sizes.size
    share = float(counts.sum()) / n
    correlation = 1.0
    if 0 < share < 1:
        own = counts / sizes
        between = float((sizes * (own - share) ** 2).sum()) / (c - 1)
        within = float((sizes * own * (1 - own)).sum()) / max(n - c, 1.0)
        usual = (n - float((sizes**2).sum()) / n) / (c - 1)
        total = between + (usual - 1) * within
        correlation = min(max((between - within) / total, 0.0), 1.0) if total else 0.0
    effect = float((sizes * (1 + (sizes - 1) * correlation)).sum()) / n
    worth = n / effect
    quantile = float(stdtrit(c - 1, 0.5 + level / 2))
    low, high = _score_interval(share * worth, worth, quantile)
    return low, high if share < 1 else 1.0, effect


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
