"""Areas under ROC curves with their errors, by DeLong's structural components.

How often a positive case outranks the negatives, case by case, and the reverse: the
spread of those shares is the error of the area, and their products that of two areas on
the same cases. By ranks, in n log n (DeLong et al. 1988; Sun and Xu 2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from scorecast._core.types import BoolArray, FloatArray

__all__ = [
    "Areas",
    "area_influence",
    "areas_under_curves",
    "delong_interval",
    "placements",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class Areas:
    """Areas of several scores of the same cases.

    Attributes
    ----------
    values : ndarray of shape (k,)
        The areas.
    covariance : ndarray of shape (k, k)
        Their covariance.
    """

    values: FloatArray
    covariance: FloatArray

    def error_of_difference(self, first: int = 0, second: int = 1) -> float:
        """Return the standard error of the difference of two areas."""
        c = self.covariance
        spread = c[first, first] + c[second, second] - 2 * c[first, second]
        # Equal scores leave a rounding error that would pass for a spread.
        largest = max(c[first, first], c[second, second])
        return math.sqrt(spread) if spread > 1e-12 * largest else 0.0


def placements(positive: BoolArray, score: FloatArray) -> FloatArray:
    """Return the share of the other class that each case is rightly ordered with.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Whether a case is positive.
    score : ndarray of shape (n,)
        Greater for likelier positives; ties count half.

    Returns
    -------
    ndarray of shape (n,)
        Its mean over either class is the area under the curve.

    Examples
    --------
    >>> placements(np.array([False, False, True]), np.array([1.0, 3.0, 2.0]))
    array([1. , 0. , 0.5])
    """
    m, n = int(positive.sum()), int((~positive).sum())
    from scipy.stats import rankdata  # slow to load, and not always needed

    together = rankdata(score)
    share = np.empty(score.size)
    share[positive] = (together[positive] - rankdata(score[positive])) / n
    share[~positive] = 1 - (together[~positive] - rankdata(score[~positive])) / m
    return share


def area_influence(positive: BoolArray, score: FloatArray) -> tuple[float, FloatArray]:
    """Return an area and what every case adds to its error.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Whether a case is positive; at least two are, and two are not.
    score : ndarray of shape (n,)
        Greater for likelier positives; ties count half.

    Returns
    -------
    tuple of float and ndarray of shape (n,)
        The squares of the second sum to DeLong's variance of the first.

    Examples
    --------
    >>> area, parts = area_influence(np.arange(6) > 2, np.array([1, 2, 5, 3, 4, 6.0]))
    >>> round(area, 4), round(float((parts**2).sum()), 4)
    (0.7778, 0.0617)
    """
    m, n = int(positive.sum()), int((~positive).sum())
    share = placements(positive, score)
    area = float(share[positive].mean())
    weight = np.where(positive, math.sqrt(m * (m - 1)), math.sqrt(n * (n - 1)))
    parts: FloatArray = (share - area) / weight
    return area, parts


def areas_under_curves(positive: BoolArray, scores: FloatArray) -> Areas:
    """Return areas and their covariance.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Whether a case is positive; at least two are, and two are not.
    scores : ndarray of shape (n, k)
        One column per model.

    Returns
    -------
    Areas
        As pROC's `roc.test` and `var` have them.
    """
    found = [area_influence(positive, column) for column in scores.T]
    parts = np.column_stack([part for _, part in found])
    areas = np.array([area for area, _ in found])
    return Areas(values=areas, covariance=parts.T @ parts)


def delong_interval(
    positive: BoolArray, score: FloatArray, level: float
) -> tuple[float, float]:
    """Return DeLong's normal interval of one area, cut at 0 and 1.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Whether a case is positive.
    score : ndarray of shape (n,)
        Greater for likelier positives.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; NaN with fewer than two cases of a kind. Without width where all
        positives outrank all negatives.
    """
    if min(int(positive.sum()), int((~positive).sum())) < 2:
        return math.nan, math.nan
    area, parts = area_influence(positive, score)
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(float((parts**2).sum()))
    return max(area - half, 0.0), min(area + half, 1.0)
