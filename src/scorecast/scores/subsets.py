"""The chance of being right in a random subset of the classes.

A sample whose true class is beaten by `a` of its ``K - 1`` competitors is right in a
random task of `k` classes (its own and ``k - 1`` others) if none of the `a` is drawn.
Averages over all subsets therefore need only the weighted histogram of `a`.

Beyond the observed classes, write U for the chance that a random wrong class scores
below the true one; accuracy at k classes is E[U^(k-1)]. Forecasts of more classes and
implied information both take Phi^-1(U) to be normal, so that integral is here too.
"""

from __future__ import annotations

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray

_MOST_CELLS = 4_000_000  # cells of a table built at once
_REACH = 9.0  # standard deviations integrated over: what is left out is below 1e-18
_STEP = 0.04  # the step of Phi(v)^(k-1) is never narrower than about 0.15


def beating_histogram(
    above: IntArray, tied: IntArray, weights: FloatArray, n_classes: int, ties: str
) -> FloatArray:
    """Weigh how many competitors beat the truth, ties resolved by rule.

    Breaking `t` ties at random puts 0, 1, ... or `t` of them in front with equal
    chance, so such a sample spreads its weight evenly over ``above .. above + t``.

    Parameters
    ----------
    above, tied : ndarray of int64
        Competitors that beat and tie the truth, per sample.
    weights : ndarray of float64
        Weight of each sample.
    n_classes : int
        Number of classes, the true one included.
    ties : {"random", "optimistic", "pessimistic"}
        Whether ties count as their expectation, as won, or as lost.

    Returns
    -------
    ndarray of shape (n_classes,)
        Weight of the samples beaten by 0, 1, ..., n_classes - 1 competitors.
    """
    if ties == "optimistic":
        return _weigh(above, weights, n_classes)
    if ties == "pessimistic":
        return _weigh(above + tied, weights, n_classes)
    is_clear = tied == 0
    histogram = _weigh(above[is_clear], weights[is_clear], n_classes)
    if is_clear.all():
        return histogram
    low, spread = above[~is_clear], tied[~is_clear]
    share = weights[~is_clear] / (spread + 1)
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

    Examples
    --------
    >>> chances_right(4, np.array([2])).round(3).tolist()
    [[1.0, 0.667, 0.333, 0.0]]
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
        Weight of the samples beaten by 0, 1, ... competitors.
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
        from scorecast.scores.kernels import mean_chances_first

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


def probit_grid(means: FloatArray, sds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Integrate normal densities on a common grid of v = Phi^-1(u).

    The trapezoid rule converges geometrically for these integrands; the step is a
    quarter of the narrowest density.

    Parameters
    ----------
    means, sds : ndarray of shape (m,)
        Means and standard deviations of Phi^-1(U).

    Returns
    -------
    nodes : ndarray of shape (g,)
        Grid of v.
    masses : ndarray of shape (g, m)
        Integration weights; each column adds up to one.
    """
    step = min(_STEP, float(sds.min()) / 4)
    low = float((means - _REACH * sds).min())
    high = float((means + _REACH * sds).max())
    nodes = np.arange(low, high + step, step)
    masses = np.exp(-0.5 * ((nodes[:, None] - means) / sds) ** 2)
    masses /= masses.sum(axis=0)
    return nodes, masses


def probit_moments(ks: FloatArray, means: FloatArray, sds: FloatArray) -> FloatArray:
    """Compute E[Phi(V)^(k-1)] for normal V, the accuracy of the radial basis.

    Parameters
    ----------
    ks : ndarray of shape (n,)
        Numbers of classes.
    means, sds : ndarray of shape (m,)
        Means and standard deviations of V = Phi^-1(U).

    Returns
    -------
    ndarray of shape (n, m)
        Accuracy at each k for each element.

    Examples
    --------
    >>> probit_moments(np.array([2.0]), np.array([1.3]), np.array([0.5])).round(6)
    array([[0.877536]])
    """
    nodes, masses = probit_grid(means, sds)
    powers: FloatArray = np.exp((ks[:, None] - 1) * scipy.special.log_ndtr(nodes))
    return powers @ masses


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
    is_legal = (k >= 0) & (k <= n)
    n, k = np.broadcast_arrays(np.where(is_legal, n, 0), np.where(is_legal, k, 0))
    log_factorial = scipy.special.gammaln
    value = log_factorial(n + 1.0) - log_factorial(k + 1.0) - log_factorial(n - k + 1.0)
    return np.where(is_legal, value, -np.inf)
