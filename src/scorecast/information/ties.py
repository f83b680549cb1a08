"""Cases that share their j: a density has no room for many in one place.

Forecasts that take few values give j that takes few values, and a mixture of densities
would narrow a component on each without end. For the simulation, and only there, cases
that share a value are spread around it as normal quantiles are, by a hundredth of the
spread of all cases. Their mean stays where it is. Quartiles measure the spread, so that
a lone far case does not change what counts as one value.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from scorecast._core.types import FloatArray

__all__ = ["count_shared", "merge_ties", "spread_ties"]

_WIDTH = 0.01  # of the spread of all cases
_SAME = 1e-6  # of it, within which values count as one, in few cases
_CHANCE = 1e-3  # of the usual step between neighbours: more cases lie closer
_MANY = 3  # cases that must share a value


def spread_ties(ordered: FloatArray) -> FloatArray:
    """Move cases that share a value apart, without moving their mean.

    Parameters
    ----------
    ordered : ndarray of float64
        Finite values in increasing order.

    Returns
    -------
    ndarray of float64
        The same, with ties spread. Where all values are one, a single one of them:
        copies of one number say nothing of a spread.

    Examples
    --------
    >>> spread_ties(np.array([0.0, 1.0, 1.0, 1.0])).round(4).tolist()
    [0.0, 0.9982, 1.0, 1.0018]
    >>> spread_ties(np.full(9, 0.3)).tolist()
    [0.3]
    """
    scale = _spread(ordered)
    if ordered[-1] - ordered[0] <= 1e-9 * max(1.0, abs(float(ordered[0]))):
        return ordered[:1]
    spread = ordered.copy()
    for start, end in _runs(ordered, scale):
        n = end - start
        shift = ndtri((np.arange(n) + 0.5) / n)
        spread[start:end] += _WIDTH * scale * shift
    return np.sort(spread)


def merge_ties(ordered: FloatArray) -> FloatArray:
    """Give cases that share a value but for rounding the very same value.

    Parameters
    ----------
    ordered : ndarray of float64
        Finite values in increasing order.

    Returns
    -------
    ndarray of float64
        The same, each run of one value at its smallest.

    Examples
    --------
    >>> merge_ties(np.array([0.0, 1.0, 1.0 + 1e-15, 2.0])).tolist()
    [0.0, 1.0, 1.0, 2.0]
    """
    new = np.diff(ordered, prepend=-np.inf) > _step(ordered, _spread(ordered))
    return np.asarray(ordered[np.flatnonzero(new)[np.cumsum(new) - 1]])


def count_shared(values: FloatArray) -> int:
    """Return how many cases share their value with at least two others.

    Parameters
    ----------
    values : ndarray of float64
        Finite values.

    Returns
    -------
    int
        Number of cases.
    """
    ordered = np.sort(values)
    return sum(end - start for start, end in _runs(ordered, _spread(ordered)))


def _spread(ordered: FloatArray) -> float:
    """Return a standard deviation from quartiles: of all, else of distinct values."""
    for values in (ordered, np.unique(ordered)):
        low, high = np.quantile(values, [0.25, 0.75])
        if high > low:
            return float(high - low) / 1.349
    return float(ordered.std())


def _step(ordered: FloatArray, sd: float) -> float:
    """Return the largest step between values that are one but for rounding."""
    return min(_SAME, _CHANCE / ordered.size) * sd


def _runs(ordered: FloatArray, sd: float) -> list[tuple[int, int]]:
    """Return where runs of one value begin and end."""
    new = np.flatnonzero(np.diff(ordered) > _step(ordered, sd)) + 1
    edges = np.concatenate([[0], new, [ordered.size]])
    long = np.flatnonzero(np.diff(edges) >= _MANY)
    return [(int(edges[i]), int(edges[i + 1])) for i in long]
