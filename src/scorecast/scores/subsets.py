"""The chance of being right in a random subset of the classes.

An example whose true class is beaten by `a` of its ``K - 1`` competitors is right in a
random task of `k` classes (its own and ``k - 1`` others) if none of the `a` is drawn.
Averages over all subsets therefore need only the weighted histogram of `a`.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from scorecast._core.types import FloatArray, IntArray

__all__ = [
    "beating_histogram",
    "chances_right",
    "mean_chances",
    "snap_to_certainty",
]

_MOST_CELLS = 4_000_000  # cells of a table built at once


def beating_histogram(
    above: IntArray, tied: IntArray, weights: FloatArray, n_classes: int, ties: str
) -> FloatArray:
    """Weigh how many competitors beat the truth, ties resolved by rule.

    Breaking `t` ties at random puts 0, 1, ... or `t` of them in front with equal
    chance, so such an example spreads its weight evenly over ``above .. above + t``.

    Parameters
    ----------
    above, tied : ndarray of int64
        Competitors that beat and tie the truth, per example.
    weights : ndarray of float64
        Weight of each example.
    n_classes : int
        Number of classes, the true one included.
    ties : {"random", "optimistic", "pessimistic"}
        Whether ties count as their expectation, as won, or as lost.

    Returns
    -------
    ndarray of shape (n_classes,)
        Weight of the examples beaten by 0, 1, ..., n_classes - 1 competitors.
    """
    if ties == "optimistic":
        return _weigh(above, weights, n_classes)
    if ties == "pessimistic":
        return _weigh(above + tied, weights, n_classes)
    clear = tied == 0
    histogram = _weigh(above[clear], weights[clear], n_classes)
    if clear.all():
        return histogram
    low, spread = above[~clear], tied[~clear]
    share = weights[~clear] / (spread + 1)
    steps = _weigh(low, share, n_classes + 1)
    steps -= _weigh(low + spread + 1, share, n_classes + 1)
    return histogram + np.maximum(np.cumsum(steps)[:-1], 0)


def chances_right(n_classes: int, ks: IntArray, top: int = 1) -> FloatArray:
    """Tabulate the chance of being among the best `top` in a random subset.

    Parameters
    ----------
    n_classes : int
        Number of classes observed, K.
    ks : ndarray of int64
        Sizes of the subsets, between 1 and K.
    top : int, default=1
        How many guesses are allowed.

    Returns
    -------
    ndarray of shape (len(ks), n_classes)
        Entry ``[i, a]`` for subsets of ``ks[i]`` and `a` beating competitors.
    """
    if top == 1:
        return _chances_first(n_classes, ks)
    return _chances_top(n_classes, ks, top)


def mean_chances(
    histogram: FloatArray, n_classes: int, ks: IntArray, top: int = 1
) -> FloatArray:
    """Average the chances over a histogram, for any number of subset sizes.

    Parameters
    ----------
    histogram : ndarray of shape (n_classes,)
        Weight of the examples beaten by 0, 1, ... competitors.
    n_classes : int
        Number of classes observed.
    ks : ndarray of int64
        Sizes of the subsets.
    top : int, default=1
        How many guesses are allowed.

    Returns
    -------
    ndarray of shape (len(ks),)
        Average accuracy in subsets of each size.
    """
    if top == 1 and ks.size * n_classes > 50 * _MOST_CELLS:
        from scorecast.scores.curve_kernels import mean_chances_first

        return snap_to_certainty(mean_chances_first(histogram, n_classes, ks))
    step = max(1, _MOST_CELLS // n_classes)
    parts = [
        chances_right(n_classes, ks[i : i + step], top) @ histogram
        for i in range(0, ks.size, step)
    ]
    return snap_to_certainty(np.concatenate(parts))


def snap_to_certainty(accuracy: FloatArray) -> FloatArray:
    """Make one of what is one but for rounding: weights add up to one only nearly.

    Parameters
    ----------
    accuracy : ndarray of float64
        Weighted means of chances.

    Returns
    -------
    ndarray of float64
        The same; what is within 1e-13 of one, or above, is one.
    """
    return np.where(accuracy > 1 - 1e-13, 1.0, accuracy)


def _weigh(counts: IntArray, weights: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(counts, weights, size), dtype=np.float64)


def _chances_first(n_classes: int, ks: IntArray) -> FloatArray:
    # prod_{i < a} (1 - (k - 1) / (K - 1 - i)): no binomials, so nothing overflows and
    # the relative error stays near 1e-13 for a hundred thousand classes.
    left = np.arange(n_classes - 1, 0, -1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        steps = np.log1p(np.maximum(-(ks[:, None] - 1) / left, -1.0))
    table = np.ones((ks.size, n_classes))
    np.exp(np.cumsum(steps, axis=1), out=table[:, 1:])
    return table


def _chances_top(n_classes: int, ks: IntArray, top: int) -> FloatArray:
    # Hypergeometric: at most `top` - 1 of the `a` better ones among k - 1 drawn.
    beating = np.arange(n_classes)
    draws = ks[:, None] - 1
    total = np.zeros((ks.size, n_classes))
    for hits in range(min(top, n_classes)):
        log_chance = (
            _log_choose(beating, hits)
            + _log_choose(n_classes - 1 - beating, draws - hits)
            - _log_choose(np.array(n_classes - 1), draws)
        )
        total += np.exp(log_chance)
    return np.minimum(total, 1.0)


def _log_choose(n: IntArray, k: IntArray | int) -> FloatArray:
    k = np.asarray(k)
    legal = (k >= 0) & (k <= n)
    n, k = np.broadcast_arrays(np.where(legal, n, 0), np.where(legal, k, 0))
    value = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.where(legal, value, -np.inf)
