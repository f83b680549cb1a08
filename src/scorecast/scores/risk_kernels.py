"""Compiled kernel for the cost of decisions; importing this module loads numba.

The risk at k classes is a weighted sum of the chances q_k(x) that a class with x others
below it is first in a random subset. The weights do not depend on k: one pass over the
scores finds them for all sizes, and for every group of classes left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray

__all__ = ["add_costs"]

Matrix = NDArray[np.floating[Any]]


@njit(nogil=True, cache=True)
def add_costs(
    rows: Matrix,
    own: IntArray,
    paid: FloatArray,
    group: IntArray,
    rule: int,
    at: FloatArray,
    since: FloatArray,
) -> None:  # pragma: no cover - compiled
    """Add what some examples cost to the weights of the chances of being first.

    Parameters
    ----------
    rows : ndarray of shape (n, n_classes)
        Scores.
    own : ndarray of shape (n,)
        True classes.
    paid : ndarray of shape (n, n_classes)
        Cost of deciding for each class, times the weight of the example.
    group : ndarray of shape (n_classes,)
        Group of each class.
    rule : int
        Of ties with the truth: 0 at random, 1 for it, -1 against it.
    at : ndarray of shape (n_groups + 1, n_classes + 1)
        Weight of the chance at each number below, without each group of classes; the
        last row has them all.
    since : ndarray of shape (n_groups + 1, n_classes + 1)
        What is added to that weight from each number below on.
    """
    n_all = at.shape[0] - 1
    n_classes = group.size
    better = np.empty(n_classes, np.int64)
    n_below = np.empty(max(n_all, 1), np.int64)
    for i in range(own.size):
        truth = own[i]
        score = rows[i, truth]
        n_below[:] = 0
        n_better = 0
        below_all = 0
        for c in range(n_classes):
            if rows[i, c] < score:
                n_below[group[c]] += 1
                below_all += 1
            elif c != truth:
                better[n_better] = c
                n_better += 1
        found = better[:n_better]
        found = found[np.argsort(rows[i][found])]
        for g in range(n_all + 1):
            if g < n_all and group[truth] == g:
                continue
            below, left_out = below_all, -1
            if g < n_all:
                below, left_out = below_all - n_below[g], g
            _add_example(
                found, rows[i], truth, paid[i], group, left_out, below, rule, at[g],
                since[g],
            )  # fmt: skip


@njit(nogil=True, cache=True)
def _add_example(
    found: IntArray,
    scores: Matrix,
    truth: int,
    paid: FloatArray,
    group: IntArray,
    left_out: int,
    below: int,
    rule: int,
    at: FloatArray,
    since: FloatArray,
) -> None:  # pragma: no cover - compiled
    """Go up from the truth, one set of equal scores after the other."""
    start = 0
    ties = 0
    tied_cost = 0.0
    while start < found.size and scores[found[start]] == scores[truth]:
        if group[found[start]] != left_out:
            ties += 1
            tied_cost += paid[found[start]]
        start += 1
    _add_truth(paid[truth], tied_cost, ties, below, rule, at, since)
    below += ties + 1
    while start < found.size:
        stop = start
        n_equal = 0
        cost = 0.0
        while stop < found.size and scores[found[stop]] == scores[found[start]]:
            if group[found[stop]] != left_out:
                n_equal += 1
                cost += paid[found[stop]]
            stop += 1
        if n_equal > 0:
            at[below + n_equal - 1] += cost / n_equal
            at[below - 1] -= cost / n_equal
            below += n_equal
        start = stop


@njit(nogil=True, cache=True)
def _add_truth(
    own_cost: float,
    tied_cost: float,
    ties: int,
    below: int,
    rule: int,
    at: FloatArray,
    since: FloatArray,
) -> None:  # pragma: no cover - compiled
    """Add the truth and the classes that tie with it."""
    if rule == 1:
        since[below + ties] += own_cost
        since[below + ties + 1] -= own_cost
    elif rule == -1:
        since[below] += own_cost
        since[below + 1] -= own_cost
        if ties > 0:
            at[below + ties] += tied_cost / ties
            at[below] -= tied_cost / ties
    else:
        share = own_cost / (ties + 1)
        since[below] += share
        since[below + ties + 1] -= share
        if ties > 0:
            # They share what the whole tie wins.
            share = tied_cost / (ties + 1)
            at[below + ties] += share
            since[below] -= share / ties
            since[below + ties] += share / ties
