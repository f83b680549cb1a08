"""Ranks, areas under ROC curves, and their errors by DeLong's structural components.

How often a positive sample outranks the negatives, sample by sample, and the reverse:
the spread of those shares is the error of the area, and their products that of two
areas on the same samples. By ranks, in n log n (DeLong et al. 1988; Sun and Xu 2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scorecast._core.types import BoolArray, FloatArray


def midranks(values: FloatArray, axis: int = -1) -> FloatArray:
    """Rank values from 1; those that tie share the mean of their ranks.

    Parameters
    ----------
    values : ndarray
        Values; where one is NaN, all ranks along the axis are.
    axis : int, default=-1
        Along which to rank.

    Returns
    -------
    ndarray of the same shape
        Ranks, exact: whole numbers and halves.

    Examples
    --------
    >>> midranks(np.array([0.3, 0.1, 0.3, 0.2]))
    array([3.5, 1. , 3.5, 2. ])
    """
    rows = np.moveaxis(np.asarray(values, dtype=np.float64), axis, -1)
    order = np.argsort(rows, axis=-1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=-1)
    place = np.broadcast_to(np.arange(rows.shape[-1]), rows.shape)
    is_new = np.ones(rows.shape, dtype=bool)
    is_new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    is_last = np.ones(rows.shape, dtype=bool)
    is_last[..., :-1] = is_new[..., 1:]
    first = np.maximum.accumulate(np.where(is_new, place, 0), axis=-1)
    backwards = np.where(is_last, place, rows.shape[-1])[..., ::-1]
    last = np.minimum.accumulate(backwards, axis=-1)[..., ::-1]
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    ranks[np.isnan(rows).any(axis=-1)] = np.nan
    found: FloatArray = np.moveaxis(ranks, -1, axis)
    return found


def area_under_curve(positive: BoolArray, score: FloatArray) -> float:
    """Return the area under the ROC curve, ties counted half.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Whether a sample is positive.
    score : ndarray of shape (n,)
        Greater for likelier positives.

    Returns
    -------
    float
        NaN where there is no positive, or nothing else.

    Examples
    --------
    >>> area_under_curve(np.array([False, False, True]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    n_own = int(positive.sum())
    pairs = n_own * (positive.size - n_own)
    if pairs == 0:
        return math.nan
    above = float(midranks(score)[positive].sum()) - n_own * (n_own + 1) / 2
    return above / pairs


@dataclass(frozen=True, kw_only=True, eq=False)
class Areas:
    """Areas of several scores of the same samples.

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
    """Return the share of the other class that each sample is rightly ordered with.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Whether a sample is positive.
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
    together = midranks(score)
    share = np.empty(score.size)
    share[positive] = (together[positive] - midranks(score[positive])) / n
    share[~positive] = 1 - (together[~positive] - midranks(score[~positive])) / m
    return share


def area_influence(positive: BoolArray, score: FloatArray) -> tuple[float, FloatArray]:
    """Return an area and what every sample adds to its error.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Whether a sample is positive; at least two are, and two are not.
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
        Whether a sample is positive; at least two are, and two are not.
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
