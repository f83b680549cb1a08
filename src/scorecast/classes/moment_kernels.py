"""Compiled kernel for the moments of the authors' quantile rule."""

from __future__ import annotations

import numpy as np
from numba import njit

from scorecast._core.types import FloatArray

__all__ = ["mean_powers"]


def mean_powers(values: FloatArray, ks: FloatArray) -> FloatArray:
    """Average ``values ** (k - 1)`` for many k.

    Parameters
    ----------
    values : ndarray
        Numbers in [0, 1], ascending.
    ks : ndarray of shape (n,)
        Numbers of classes, ascending.

    Returns
    -------
    ndarray of shape (n,)
        Means.
    """
    out = np.empty(ks.size)
    _mean_powers(values, ks, out)
    return out


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc", "nsz"})
def _mean_powers(
    values: FloatArray, ks: FloatArray, out: FloatArray
) -> None:  # pragma: no cover - compiled
    power = np.ones(values.size)
    reached = 1.0
    first = 0
    for i in range(ks.size):
        gap = ks[i] - reached
        # One more class is one more product; a longer way is one power.
        if gap == 1.0:
            for j in range(first, values.size):
                power[j] *= values[j]
        elif gap != 0.0:
            for j in range(first, values.size):
                power[j] *= values[j] ** gap
        reached = ks[i]
        # Ascending values: what has vanished is a prefix, and stays vanished.
        while first < values.size and power[first] < 1e-22:
            first += 1
        total = 0.0
        for j in range(first, values.size):
            total += power[j]
        out[i] = total / values.size
