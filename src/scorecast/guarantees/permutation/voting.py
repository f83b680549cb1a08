"""Votes of the nearest training cases, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["vote"]


@njit(nogil=True, cache=True)
def vote(
    ranked: Any, distances: Any, orders: Any, times: Any, codes: Any, test: Any,
    wanted: int, n_classes: int, band: float,
) -> Any:  # fmt: skip
    """Return classes (b, n_test) and whether a distance decided too narrowly (b)."""
    n = codes.size
    classes = np.zeros((orders.shape[0], test.size), dtype=np.int64)
    doubtful = np.zeros(orders.shape[0], dtype=np.bool_)
    known, label = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    votes = np.zeros(n_classes, dtype=np.int64)
    for b in range(orders.shape[0]):
        for i in range(n):
            known[orders[b, i]] = times[i]
            label[orders[b, i]] = codes[i]
        for t in range(test.size):
            case = orders[b, test[t]]
            votes[:] = 0
            left, last = wanted, 0.0
            for k in range(n):
                near = ranked[case, k]
                if known[near] == 0:
                    continue
                if left == 0:
                    # The next one is as far as the last that voted: order decides.
                    if not distances[case, k] - last > band:
                        doubtful[b] = True
                    break
                count = min(left, known[near])
                votes[label[near]] += count
                left -= count
                last = distances[case, k]
            classes[b, t] = np.argmax(votes)
    return classes, doubtful
