"""Adjusted p-values: what a p-value is worth among many.

Every function takes p-values in any order and returns the smallest family-wise level at
which each would be rejected, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scorecast._core.types import FloatArray

__all__ = ["ADJUSTMENTS", "bonferroni", "finner", "hochberg", "holm", "hommel"]


def bonferroni(p: FloatArray) -> FloatArray:
    """Multiply by their number (Bonferroni; Dunn 1961)."""
    adjusted: FloatArray = np.minimum(p.size * p, 1.0)
    return adjusted


def holm(p: FloatArray) -> FloatArray:
    """Step down from the smallest (Holm 1979); valid whatever depends on what.

    Parameters
    ----------
    p : ndarray of shape (m,)
        p-values.

    Returns
    -------
    ndarray of shape (m,)
        Adjusted ones.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    return stepped_down(p, np.arange(p.size, 0, -1.0))


def hochberg(p: FloatArray) -> FloatArray:
    """Step up from the largest (Hochberg 1988); needs what Simes' inequality needs."""
    order = np.argsort(p)[::-1]
    steps = np.minimum.accumulate(np.arange(1.0, p.size + 1) * p[order])
    return _put_back(np.minimum(steps, 1.0), order)


def hommel(p: FloatArray) -> FloatArray:
    """Close Simes' test (Hommel 1988): the most powerful of the simple ones.

    Parameters
    ----------
    p : ndarray of shape (m,)
        p-values.

    Returns
    -------
    ndarray of shape (m,)
        For every hypothesis, the largest Simes p-value of any set that holds it.

    Notes
    -----
    Of all sets of s hypotheses with a given one, that with the largest others has the
    largest p-value; so m sets per hypothesis suffice instead of 2^(m - 1).
    """
    m = p.size
    order = np.argsort(p)
    ordered = p[order]
    worst = ordered.copy()
    for size in range(2, m + 1):
        last = ordered[m - size :]
        whole = float((size * last / np.arange(1, size + 1)).min())
        others = float((size * last[1:] / np.arange(2, size + 1)).min())
        inside = np.arange(m) >= m - size
        alone = np.minimum(size * ordered, others)
        worst = np.maximum(worst, np.where(inside, whole, alone))
    return _put_back(np.minimum(worst, 1.0), order)


def finner(p: FloatArray) -> FloatArray:
    """Step down with Sidak's exponents (Finner 1993); for independent comparisons."""
    m = p.size
    order = np.argsort(p)
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(p[order], 1.0))
    steps = -np.expm1(m / np.arange(1.0, m + 1) * logs)
    return _put_back(np.minimum(np.maximum.accumulate(steps), 1.0), order)


def stepped_down(p: FloatArray, factors: FloatArray) -> FloatArray:
    """Multiply ordered p-values by factors, never going down.

    Parameters
    ----------
    p : ndarray of shape (m,)
        p-values.
    factors : ndarray of shape (m,)
        Factor of the smallest p-value first.

    Returns
    -------
    ndarray of shape (m,)
        Adjusted ones, at most 1.
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(factors * p[order])
    return _put_back(np.minimum(steps, 1.0), order)


def _put_back(
    ordered: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> FloatArray:
    adjusted = np.empty_like(ordered)
    adjusted[order] = ordered
    return adjusted


ADJUSTMENTS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "bonferroni": bonferroni,
    "holm": holm,
    "hochberg": hochberg,
    "hommel": hommel,
    "finner": finner,
}
