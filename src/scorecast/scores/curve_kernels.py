"""Compiled kernel for accuracy curves with very many classes and sizes."""

from __future__ import annotations

import numpy as np
from numba import njit

from scorecast._core.types import FloatArray, IntArray

__all__ = ["mean_chances_first"]

_LANES = 8  # subset sizes worked on side by side, one vector register
_CHUNK = 32  # competitors between two looks at whether the rest matters


def mean_chances_first(
    histogram: FloatArray, n_classes: int, ks: IntArray
) -> FloatArray:
    """Average the chance of being first, for many subset sizes at once.

    Parameters
    ----------
    histogram : ndarray of shape (n_classes,)
        Weight of the examples beaten by 0, 1, ... competitors.
    n_classes : int
        Number of classes observed.
    ks : ndarray of int64
        Sizes of the subsets.

    Returns
    -------
    ndarray of shape (len(ks),)
        Average accuracy in subsets of each size.
    """
    filled = np.flatnonzero(histogram)
    last = int(filled[-1]) + 1 if filled.size else 1
    out = np.empty(ks.size)
    draws = (ks - 1).astype(np.float64)
    _accumulate(np.ascontiguousarray(histogram[:last]), n_classes, draws, out)
    return out


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc", "nsz"})
def _accumulate(
    histogram: FloatArray, n_classes: int, draws: FloatArray, out: FloatArray
) -> None:  # pragma: no cover - compiled
    n_sizes = draws.size
    total = histogram.sum()
    chance = np.empty(_LANES)
    mean = np.empty(_LANES)
    drawn = np.empty(_LANES)
    for first in range(0, n_sizes, _LANES):
        for lane in range(_LANES):
            chance[lane] = 1.0
            mean[lane] = 0.0
            drawn[lane] = draws[min(first + lane, n_sizes - 1)]
        start = 0
        while start < histogram.size:
            stop = min(start + _CHUNK, histogram.size)
            for a in range(start, stop):
                left = n_classes - 1 - a
                inverse = 1.0 / left if left > 0 else 0.0
                for lane in range(_LANES):
                    mean[lane] += histogram[a] * chance[lane]
                    chance[lane] *= max((left - drawn[lane]) * inverse, 0.0)
            start = stop
            negligible = True
            for lane in range(_LANES):
                if chance[lane] * total > 1e-17 * mean[lane]:
                    negligible = False
            if negligible:
                break
        for lane in range(_LANES):
            if first + lane < n_sizes:
                out[first + lane] = mean[lane]
