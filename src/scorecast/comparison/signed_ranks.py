"""Tests of differences that ask only for their signs and ranks."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom, rankdata

from scorecast._core.types import FloatArray, IntArray
from scorecast.comparison.pair_test import PairTest, sign_of
from scorecast.comparison.walsh_averages import pseudo_median

__all__ = ["ZEROS", "sign_test", "wilcoxon", "wilcoxon_p"]

ZEROS = ("pratt", "split", "drop")
_MOST_EXACT = 50  # differences; beyond, the normal approximation is good to 1e-3


def wilcoxon(
    differences: FloatArray, *, zeros: str = "pratt", level: float
) -> PairTest:
    """Return Wilcoxon's signed-rank test.

    Parameters
    ----------
    differences : ndarray of shape (n,)
        First less second, of every data set.
    zeros : {"pratt", "split", "drop"}, default="pratt"
        What becomes of differences of nought: ranked, then left out (Pratt 1959);
        ranked, and half of their ranks given to each side (Demsar 2006); left out
        before ranking (Wilcoxon 1945).
    level : float
        Level of the interval of the pseudo-median.

    Returns
    -------
    PairTest
        The statistic is the smaller sum of ranks.
    """
    p, statistic, direction = wilcoxon_p(differences[:, None], zeros=zeros)
    middle, low, high = pseudo_median(differences, level)
    return PairTest(
        test=f"wilcoxon-{zeros}",
        statistic=float(statistic[0]),
        p=float(p[0]),
        difference=middle,
        low=low,
        high=high,
        direction=int(direction[0]),
        of="pseudo-median",
    )


def wilcoxon_p(
    differences: FloatArray, *, zeros: str = "pratt"
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the p-values and statistics of many signed-rank tests.

    Parameters
    ----------
    differences : ndarray of shape (n, m)
        One column per test.
    zeros : {"pratt", "split", "drop"}, default="pratt"
        As for `wilcoxon`.

    Returns
    -------
    tuple of ndarray of shape (m,)
        Two-sided p-values, for up to 50 differences exact given the ranks, ties
        included, and zeros too unless they are split: their halved ranks stay in the
        middle, while the count of signs has them move, so that p is approximate, and
        too small far out. The smaller sums of ranks; and 1 where the sum of positive
        differences is the larger one, -1 where the other is, 0 where neither.
    """
    size = np.abs(differences)
    ranks = rankdata(size, axis=0)
    if zeros == "drop":
        ranks = ranks - (size == 0).sum(axis=0)
    moving = np.where(size == 0, ranks if zeros == "split" else 0.0, ranks)
    above = np.where(differences > 0, moving, 0.0).sum(axis=0)
    below = np.where(differences < 0, moving, 0.0).sum(axis=0)
    half = np.where(size == 0, moving, 0.0).sum(axis=0) / 2
    smaller = np.minimum(above, below) + half
    direction = np.sign(above - below).astype(np.int64)
    if differences.shape[0] <= _MOST_EXACT:
        p = np.array([_exact(x, w) for x, w in zip(moving.T, smaller, strict=True)])
        return p, smaller, direction
    spread = np.sqrt((moving**2).sum(axis=0)) / 2
    away = moving.sum(axis=0) / 2 - smaller
    z = np.divide(away, spread, out=np.zeros_like(away), where=spread > 0)
    return np.minimum(2 * ndtr(-z), 1.0), smaller, direction


def _exact(ranks: FloatArray, smaller: float) -> float:
    """Count the signs of the ranks that give as small a sum, or as large a one."""
    # Shared ranks are halves, so that twice the ranks are whole.
    doubled: IntArray = np.rint(2 * ranks[ranks > 0]).astype(np.int64)
    return min(2 * float(_sum_chances(doubled)[: math.floor(2 * smaller) + 1].sum()), 1)


def _sum_chances(weights: IntArray) -> FloatArray:
    """Return the chances of the sum of weights, each in or out by a coin."""
    chances = np.zeros(int(weights.sum()) + 1)
    chances[0] = 1.0
    reached = 0
    for weight in weights:
        reached += int(weight)
        moved = chances[: reached + 1].copy()
        moved[weight:] += chances[: reached + 1 - weight]
        chances[: reached + 1] = moved / 2
    return chances


def sign_test(differences: FloatArray, *, level: float) -> PairTest:
    """Return the sign test: whether one model wins more often than a coin.

    Parameters
    ----------
    differences : ndarray of shape (n,)
        First less second, of every data set; those of nought are left out.
    level : float
        Level of the interval of the median.

    Returns
    -------
    PairTest
        The statistic is the smaller number of wins.
    """
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    p = 2 * float(binom.cdf(min(wins, losses), wins + losses, 0.5))
    ordered = np.sort(differences)
    n = ordered.size
    left_out = int(binom.ppf((1 - level) / 2, n, 0.5)) - 1
    known = left_out >= 0
    return PairTest(
        test="sign",
        statistic=float(min(wins, losses)),
        p=min(p, 1.0),
        difference=float(np.median(ordered)),
        low=float(ordered[left_out]) if known else math.nan,
        high=float(ordered[n - 1 - left_out]) if known else math.nan,
        direction=sign_of(wins - losses),
        of="median",
    )
