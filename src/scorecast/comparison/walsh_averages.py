"""The pseudo-median: the median of the means of all pairs of values, in n log n."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from scorecast._core.types import FloatArray, IntArray

__all__ = ["pseudo_median", "walsh_order_statistic"]

_FEW = 4  # candidates per value that are cheaper to list than to divide again
_SOME = 40
_ROWS, _COLUMNS = np.triu_indices(_SOME)
_MOST_EXACT = 50


def pseudo_median(values: FloatArray, level: float) -> tuple[float, float, float]:
    """Return the estimate of Hodges and Lehmann with the interval of the signed ranks.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Differences.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Pseudo-median, low and high; the ends are NaN where so few values cannot reach
        the level.

    Examples
    --------
    >>> pseudo_median(np.array([1.0, 2, 3, 4, 5, 6, 10]), 0.95)
    (4.0, 2.0, 7.5)
    """
    ordered = np.sort(values)
    n = ordered.size
    pairs = n * (n + 1) // 2
    middle = walsh_order_statistic(ordered, pairs // 2)
    if pairs % 2 == 0:
        middle = (walsh_order_statistic(ordered, pairs // 2 - 1) + middle) / 2
    dropped = _dropped(n, level)
    if dropped < 0:
        return middle, math.nan, math.nan
    return (
        middle,
        walsh_order_statistic(ordered, dropped),
        walsh_order_statistic(ordered, pairs - 1 - dropped),
    )


def _dropped(n: int, level: float) -> int:
    """Return how many averages lie outside the interval on each side; -1 for none."""
    tail = (1 - level) / 2
    if n > _MOST_EXACT:
        error = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(math.floor(n * (n + 1) / 4 + float(ndtri(tail)) * error), 0)
    chances = np.ones(1)
    for rank in range(1, n + 1):
        longer = np.zeros(chances.size + rank)
        longer[: chances.size] += chances / 2
        longer[rank:] += chances / 2
        chances = longer
    # Leaving out c on a side misses there with the chance of a sum of ranks up to c.
    return int((np.cumsum(chances) <= tail).sum()) - 1


def walsh_order_statistic(ordered: FloatArray, rank: int) -> float:
    """Return one of the sorted means of all pairs of values, each with itself too.

    Parameters
    ----------
    ordered : ndarray of shape (n,)
        Values in rising order.
    rank : int
        Which one, from 0.

    Returns
    -------
    float
        The mean that stands there; no list of all n (n + 1) / 2 is made, but of the
        few that are left when guesses have closed in on it.
    """
    n = ordered.size
    if ordered[0] == ordered[-1]:
        return float(ordered[0])
    first = np.arange(n)
    low, high = first, np.full(n, n)  # candidates j of every i: low <= j < high
    n_low, n_high = 0, n * (n + 1) // 2
    ends = [float(ordered[0]), float(ordered[-1])]
    guess = _first_guess(ordered, (rank + 0.5) / n_high)
    side = 1.0
    while n_high - n_low > _FEW * n and ends[0] < guess < ends[1]:
        cut = np.searchsorted(ordered, 2 * guess - ordered, side="right")
        cut = np.maximum(cut, first)
        n_cut = int((cut - first).sum())
        if n_cut > rank:
            high, n_high, ends[1], side = cut, n_cut, guess, -1.0
        else:
            low, n_low, ends[0], side = cut, n_cut, guess, 1.0
        # A little beyond the likely place, so that the other end moves next.
        share = (rank + 0.5 - n_low + side * n) / max(n_high - n_low, 1)
        guess = ends[0] + min(max(share, 0.05), 0.95) * (ends[1] - ends[0])
    return _among(ordered, low, high, rank - n_low)


def _first_guess(ordered: FloatArray, share: float) -> float:
    """Guess from the means of pairs of a few values."""
    few = ordered[np.linspace(0, ordered.size - 1, _SOME).round().astype(int)]
    means = few[_ROWS] + few[_COLUMNS]
    place = min(int(share * means.size), means.size - 1)
    return float(np.partition(means, place)[place]) / 2


def _among(ordered: FloatArray, low: IntArray, high: IntArray, rank: int) -> float:
    """List the candidates and take the one that stands at the place."""
    sizes = high - low
    rows = np.repeat(np.arange(ordered.size), sizes)
    starts = np.cumsum(sizes) - sizes
    columns = np.arange(rows.size) - np.repeat(starts - low, sizes)
    means = (ordered[rows] + ordered[columns]) / 2
    return float(np.partition(means, rank)[rank])
