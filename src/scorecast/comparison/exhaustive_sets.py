"""All pairs of models: which hypotheses can be true together.

If A equals B and B equals C, then A equals C: of all sets of equalities only those that
a division of the models into groups makes can be true and complete. Shaffer (1986)
counts them, Bergmann and Hommel (1988) go through them one by one.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray
from scorecast.comparison.adjustments import stepped_down

__all__ = [
    "MOST_MODELS",
    "bergmann_hommel",
    "possible_true_counts",
    "set_partitions",
    "shaffer",
]

MOST_MODELS = 11  # 678,570 divisions; one more model and there are four million


@cache
def possible_true_counts(n_models: int) -> tuple[int, ...]:
    """Return how many of all pairwise equalities can be true at once.

    Parameters
    ----------
    n_models : int
        Number of models.

    Returns
    -------
    tuple of int
        In rising order.

    Examples
    --------
    >>> possible_true_counts(4), possible_true_counts(5)
    ((0, 1, 2, 3, 6), (0, 1, 2, 3, 4, 6, 10))
    """
    if n_models < 2:
        return (0,)
    found = {
        size * (size - 1) // 2 + rest
        for size in range(1, n_models + 1)
        for rest in possible_true_counts(n_models - size)
    }
    return tuple(sorted(found))


def shaffer(p: FloatArray, n_models: int) -> FloatArray:
    """Adjust the p-values of all pairs by Shaffer's static procedure.

    Parameters
    ----------
    p : ndarray of shape (k (k - 1) / 2,)
        p-values in the order of ``numpy.triu_indices(k, 1)``.
    n_models : int
        k.

    Returns
    -------
    ndarray of shape (k (k - 1) / 2,)
        Adjusted ones.
    """
    counts = np.array(possible_true_counts(n_models))
    left = np.arange(p.size, 0, -1)
    most = counts[np.searchsorted(counts, left, side="right") - 1]
    return stepped_down(p, most.astype(np.float64))


def set_partitions(n_models: int) -> NDArray[np.int8]:
    """Return every division of models into groups.

    Parameters
    ----------
    n_models : int
        Number of models, at most `MOST_MODELS`.

    Returns
    -------
    ndarray of int8 of shape (n_divisions, n_models)
        Number of the group of each model; groups are numbered as they appear.
    """
    rows = np.zeros((1, 1), dtype=np.int8)
    for _ in range(n_models - 1):
        # A further model joins one of the groups there are, or begins a new one.
        choices = rows.max(axis=1).astype(np.int64) + 2
        starts = np.cumsum(choices) - choices
        group = np.arange(choices.sum()) - np.repeat(starts, choices)
        rows = np.column_stack(
            [np.repeat(rows, choices, axis=0), group.astype(np.int8)]
        )
    return rows


def bergmann_hommel(p: FloatArray, n_models: int) -> FloatArray:
    """Adjust the p-values of all pairs by the procedure of Bergmann and Hommel.

    Parameters
    ----------
    p : ndarray of shape (k (k - 1) / 2,)
        p-values in the order of ``numpy.triu_indices(k, 1)``.
    n_models : int
        k, at most `MOST_MODELS`.

    Returns
    -------
    ndarray of shape (k (k - 1) / 2,)
        For every pair, the largest ``|I| min p`` of the exhaustive sets I with it; a
        larger p-value never gets a smaller one, which single sets could do.
    """
    groups = set_partitions(n_models)
    firsts, seconds = np.triu_indices(n_models, 1)
    size = np.zeros(groups.shape[0], dtype=np.int64)
    least = np.ones(groups.shape[0])
    for i, j, value in zip(firsts, seconds, p, strict=True):
        together = groups[:, i] == groups[:, j]
        size += together
        np.minimum(least, value, out=least, where=together)
    bounds = size * least
    adjusted = [
        bounds[groups[:, i] == groups[:, j]].max()
        for i, j in zip(firsts, seconds, strict=True)
    ]
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.array(adjusted)[order])
    kept = np.empty_like(steps)
    kept[order] = np.minimum(steps, 1.0)
    return kept
