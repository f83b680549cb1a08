"""How much cases count that come in groups: a group, however large, is one draw."""

from __future__ import annotations

import numpy as np

from scorecast._core.types import FloatArray, IntArray

__all__ = ["group_shares", "n_independent"]


def n_independent(groups: IntArray | None, n: int) -> float:
    """Count independent units among cases.

    Parameters
    ----------
    groups : ndarray of int of shape (n,) or None
        Group of every case; None means that each stands alone.
    n : int
        Number of cases.

    Returns
    -------
    float
        Cases; or groups, counted by their weight in the mean of cases: as many as
        there are if all have the same size, fewer otherwise. So counted, Hoeffding's
        inequality holds for the mean.

    Examples
    --------
    >>> n_independent(np.array([0, 0, 1, 1]), 4), n_independent(np.array([0, 1, 1]), 3)
    (2.0, 1.8)
    """
    if groups is None or n == 0:
        return float(n)
    sizes = np.bincount(groups).astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def group_shares(
    values: FloatArray, groups: IntArray, low: float, span: float
) -> tuple[FloatArray, float]:
    """Turn values of cases into one value per group, with the same mean.

    Parameters
    ----------
    values : ndarray of shape (n,)
        From `low` to `low` + `span`.
    groups : ndarray of int of shape (n,)
        Group of every case.
    low, span : float
        Range of a value.

    Returns
    -------
    tuple of ndarray and float
        Values of groups, less `low`, and the range of these: larger where some
        groups weigh more than others.
    """
    number = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(number)
    scale = float(sizes.size) / values.size
    totals = np.bincount(number, weights=values - low).astype(np.float64) * scale
    return totals, span * scale * float(sizes.max())
