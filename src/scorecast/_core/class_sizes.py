"""How many cases each class has, equal or not."""

from __future__ import annotations

import numpy as np

from scorecast._core.types import FloatArray, IntArray

__all__ = ["class_shares", "class_sizes"]


def class_shares(n_classes: int, imbalance: float) -> FloatArray:
    """Return the share of every class, the largest first.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    imbalance : float
        By how much the smallest class falls short of the largest: 0.8 leaves it a
        fifth. Those between are evenly spaced.

    Returns
    -------
    ndarray of float64
        Shares that sum to one.

    Examples
    --------
    >>> class_shares(3, 0.8).round(3).tolist()
    [0.556, 0.333, 0.111]
    """
    weights = 1 - imbalance * np.linspace(0, 1, n_classes)
    shares: FloatArray = weights / weights.sum()
    return shares


def class_sizes(n: int, shares: FloatArray) -> IntArray:
    """Divide cases by shares, to the nearest whole case and at least one each.

    Parameters
    ----------
    n : int
        Number of cases, at least one per class.
    shares : ndarray of float64
        Share of every class.

    Returns
    -------
    ndarray of int64
        Cases of every class, which sum to `n`.
    """
    exact = n * shares
    sizes = np.maximum(np.floor(exact).astype(np.int64), 1)
    # The largest remainders get what is left; the largest class pays for the ones.
    while sizes.sum() < n:
        sizes[np.argmax(exact - sizes)] += 1
    while sizes.sum() > n:
        sizes[np.argmax(sizes)] -= 1
    return sizes
