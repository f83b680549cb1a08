"""Compiled search for the questions of a tree; loaded when a tree first grows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def best_thresholds(
    sorted_values: Any,
    order: Any,
    codes: Any,
    is_member: Any,
    totals: Any,
    least: int,
    logs: Any,
) -> Any:
    """Find the threshold of the least entropy of every feature.

    Features are rows, samples in the order of their values; `logs` has k log2(k) for
    every count k. Returns, feature by feature, n times the entropy that is left
    (infinite where nothing can be asked), the values on both sides of the threshold,
    the samples below it, and how many thresholds there were.
    """
    n_features, n = sorted_values.shape
    n_classes = totals.size
    total = 0
    for c in range(n_classes):
        total += totals[c]
    left = np.full(n_features, np.inf)
    low, high = np.empty(n_features), np.empty(n_features)
    below = np.zeros(n_features, dtype=np.int64)
    tried = np.zeros(n_features, dtype=np.int64)
    counts = np.empty(n_classes, dtype=np.int64)
    for f in range(n_features):
        counts[:] = 0
        seen, last = 0, 0.0
        for i in range(n):
            sample = order[f, i]
            if not is_member[sample]:
                continue
            value = sorted_values[f, i]
            is_new = seen > 0 and value > last
            if is_new and seen >= least and total - seen >= least:
                tried[f] += 1
                entropy = logs[seen] + logs[total - seen]
                for c in range(n_classes):
                    entropy -= logs[counts[c]] + logs[totals[c] - counts[c]]
                if entropy < left[f]:
                    left[f], below[f] = entropy, seen
                    low[f], high[f] = last, value
            counts[codes[sample]] += 1
            seen += 1
            last = value
    return left, low, high, below, tried
