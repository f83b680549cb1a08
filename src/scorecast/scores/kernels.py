"""Compiled loops of this room; importing this module loads numba.

First those behind `embedding_ranks`: products, comparisons, exact rechecks. Scores are
"greater is better" throughout. A tile is a block of gallery columns, one vector per
column, with features along the rows, so that the innermost loops run over columns and
vectorise. Then accuracy curves with very many classes and sizes. Then the cost of
decisions: the risk at k classes is a weighted sum of the chances q_k(x) that a class
with x others below it is first in a random subset, and as the weights do not depend on
k, one pass over the scores finds them for all sizes, and for every group of classes
that is left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray

Matrix = NDArray[np.floating[Any]]
SingleArray = NDArray[np.float32]
CountArray = NDArray[np.unsignedinteger[Any]]
StateArray = NDArray[np.uint8]
ColumnArray = NDArray[np.uint64]

# States of a column next to the true class; worse is 0, and OPEN is for the reference.
_EQUAL, _BETTER, _OPEN = 1, 2, 3

# A run is redone as a whole once one in so many of its columns is open.
_DENSE = 4

_LANES = 8  # subset sizes worked on side by side, one vector register
_CHUNK = 32  # competitors between two looks at whether the rest matters


# Vectors in tiles -----------------------------------------------------------------


class Probes(NamedTuple):
    """A block of probes and what is known about them so far.

    Parameters
    ----------
    exact : ndarray of float64, shape (n_rows, n_features)
        The vectors.
    own : ndarray of int64, shape (n_rows,)
        True class.
    own_exact : ndarray of float64, shape (n_rows,)
        Reference score of the true class.
    open_class, open_state : ndarray of int64, shape (n_rows,)
        Class met last and not counted yet, and the best seen of its vectors: 1 for a
        tie, 2 for a better score; -1 at first. A class may span several tiles.
    """

    exact: FloatArray
    own: IntArray
    own_exact: FloatArray
    open_class: IntArray
    open_state: IntArray


class Tile(NamedTuple):
    """A block of gallery columns.

    Parameters
    ----------
    exact : ndarray of float64, shape (n_features, width)
        The vectors.
    column_class : ndarray of int64, shape (width,)
        Class of each column.
    runs : ndarray of int64, shape (n_runs, 3)
        First column, last column (excluded) and group of each run of columns; the
        group is -1 if several groups, or a class with several vectors, are in it.
    """

    exact: FloatArray
    column_class: IntArray
    runs: IntArray


class Counts(NamedTuple):
    """What is counted, for a block of probes.

    Parameters
    ----------
    above, tied : ndarray of unsigned int, shape (n_rows, n_groups)
        Numbers of other classes with a better, and with an equal, score.
    group : ndarray of int64, shape (n_classes,)
        Group of each class.
    """

    above: CountArray
    tied: CountArray
    group: IntArray


# "contract" and "reassoc" permit fused multiply-adds in any order, which the rounding
# band covers; "nnan" and "ninf" stay off because overflow must remain visible.
@njit(nogil=True, cache=True, fastmath={"contract", "reassoc", "nsz"})
def multiply(rows: SingleArray, tile: SingleArray, scores: SingleArray) -> None:
    """Multiply matrices with few features: ``scores = rows @ tile``.

    Four probes by four features at a time is about what the registers hold.

    Parameters
    ----------
    rows : ndarray of float32, shape (n_rows, depth)
        Probes; both sizes are multiples of four.
    tile : ndarray of float32, shape (depth, width)
        Gallery columns.
    scores : ndarray of float32, shape (n_rows, width)
        Receives the product.
    """
    n_rows, depth = rows.shape
    width = tile.shape[1]
    for r in range(0, n_rows, 4):
        s0, s1, s2, s3 = scores[r], scores[r + 1], scores[r + 2], scores[r + 3]
        y0, y1, y2, y3 = rows[r], rows[r + 1], rows[r + 2], rows[r + 3]
        for j in range(width):
            s0[j] = s1[j] = s2[j] = s3[j] = 0
        for p in range(0, depth, 4):
            x0, x1, x2, x3 = tile[p], tile[p + 1], tile[p + 2], tile[p + 3]
            a0, a1, a2, a3 = y0[p], y0[p + 1], y0[p + 2], y0[p + 3]
            b0, b1, b2, b3 = y1[p], y1[p + 1], y1[p + 2], y1[p + 3]
            c0, c1, c2, c3 = y2[p], y2[p + 1], y2[p + 2], y2[p + 3]
            d0, d1, d2, d3 = y3[p], y3[p + 1], y3[p + 2], y3[p + 3]
            for j in range(width):
                u0, u1, u2, u3 = x0[j], x1[j], x2[j], x3[j]
                s0[j] += a0 * u0 + a1 * u1 + a2 * u2 + a3 * u3
                s1[j] += b0 * u0 + b1 * u1 + b2 * u2 + b3 * u3
                s2[j] += c0 * u0 + c1 * u1 + c2 * u2 + c3 * u3
                s3[j] += d0 * u0 + d1 * u1 + d2 * u2 + d3 * u3


@njit(nogil=True, cache=True)
def own_scores(
    probes: Probes, tiles: FloatArray, first: IntArray, last: IntArray, near: bool
) -> IntArray:
    """Find the best vector of each probe's own class by the reference score.

    Parameters
    ----------
    probes : Probes
        Block of probes; its `own_exact` receives the score.
    tiles : ndarray of float64, shape (n_tiles, n_features, width)
        Gallery.
    first, last : ndarray of int64, shape (n_classes,)
        Columns of each class, the last one excluded.
    near : bool
        Whether the score is minus the squared distance, else the dot product.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Column of that vector.
    """
    width = tiles.shape[2]
    column = np.empty(probes.own.size, dtype=np.int64)
    for r in range(probes.own.size):
        start, stop = first[probes.own[r]], last[probes.own[r]]
        probes.own_exact[r] = -np.inf
        for t in range(start // width, (stop - 1) // width + 1):
            left, right = max(start - t * width, 0), min(stop - t * width, width)
            exact = _exact_run(tiles[t], left, right, probes.exact[r], near)
            best = np.argmax(exact)
            if exact[best] > probes.own_exact[r]:
                probes.own_exact[r] = exact[best]
                column[r] = t * width + left + best
    return column


@njit(nogil=True, cache=True)
def settle(
    scores: SingleArray,
    limits: SingleArray,
    probes: Probes,
    tile: Tile,
    counts: Counts,
    near: bool,
) -> None:
    """Compare one tile with the true classes; `finish` follows the last tile.

    Parameters
    ----------
    scores : ndarray of float32, shape (n_rows or more, width)
        Rounded scores.
    limits : ndarray of float32, shape (2, n_rows)
        Below the first a column is surely worse than the true class, above the
        second surely better; in between, or NaN, the reference decides.
    probes : Probes
        Block of probes.
    tile : Tile
        Block of columns.
    counts : Counts
        Added to.
    near : bool
        Whether the score is minus the squared distance, else the dot product.
    """
    above, tied, group = counts
    states = np.empty(scores.shape[1], dtype=np.uint8)
    for r in range(probes.own.size):
        low, high = limits[0, r], limits[1, r]
        for k in range(tile.runs.shape[0]):
            start, stop, run_group = tile.runs[k]
            run, state = scores[r, start:stop], states[start:stop]
            n_worse, n_better = _count_sure(run, low, high)
            n_open = run.size - n_worse - n_better
            if n_open == 0 and run_group >= 0:
                above[r, run_group] += n_better
            elif n_worse < run.size:
                _judge(run, low, high, state)
                if n_open > 0:
                    row, truth = probes.exact[r], probes.own_exact[r]
                    _recheck(state, start, n_open, tile.exact, row, truth, near)
                last = probes.own[r], probes.open_class[r], probes.open_state[r]
                probes.open_class[r], probes.open_state[r] = _tally(
                    state, tile.column_class[start:stop], last, above[r], tied[r], group
                )


@njit(nogil=True, cache=True)
def finish(probes: Probes, counts: Counts) -> None:
    """Count the class each probe met last.

    Parameters
    ----------
    probes : Probes
        Block of probes.
    counts : Counts
        Added to.
    """
    above, tied, group = counts
    for r in range(probes.own.size):
        if probes.open_state[r] == _BETTER:
            above[r, group[probes.open_class[r]]] += 1
        elif probes.open_state[r] == _EQUAL:
            tied[r, group[probes.open_class[r]]] += 1


@njit(nogil=True, cache=True)
def _count_sure(row: SingleArray, low: float, high: float) -> tuple[int, int]:
    # Kept narrow by hand: numba adds as int64, which costs three quarters of the speed.
    n_worse = np.int32(0)
    n_better = np.int32(0)
    for j in range(row.size):
        n_worse = np.int32(n_worse + np.int32(row[j] < low))
        n_better = np.int32(n_better + np.int32(row[j] > high))
    return int(n_worse), int(n_better)


@njit(nogil=True, cache=True)
def _judge(row: SingleArray, low: float, high: float, state: StateArray) -> None:
    for j in range(row.size):
        is_open = not (row[j] < low or row[j] > high)
        state[j] = _BETTER * (row[j] > high) + _OPEN * is_open


@njit(nogil=True, cache=True)
def _recheck(
    state: StateArray,
    start: int,
    n_open: int,
    vectors: FloatArray,
    row: FloatArray,
    truth: float,
    near: bool,
) -> None:
    if n_open * _DENSE > state.size:
        exact = _exact_run(vectors, start, start + state.size, row, near)
        for j in range(state.size):
            state[j] = _BETTER * (exact[j] > truth) + _EQUAL * (exact[j] == truth)
        return
    # Unsigned, so that no index can be negative and the loads vectorise.
    columns = np.empty(n_open, dtype=np.uint64)
    n_open = 0
    for j in range(state.size):
        if state[j] == _OPEN:
            columns[n_open] = start + j
            n_open += 1
    exact = _exact_columns(vectors, columns, row, near)
    for j in range(columns.size):
        is_better, is_equal = exact[j] > truth, exact[j] == truth
        state[columns[j] - start] = _BETTER * is_better + _EQUAL * is_equal


@njit(nogil=True, cache=True)
def _exact_run(
    vectors: FloatArray, start: int, stop: int, row: FloatArray, near: bool
) -> FloatArray:
    # The reference: features in order, each operation rounded on its own.
    total = np.zeros(stop - start)
    for p in range(row.size):
        x, y = vectors[p, start:stop], row[p]
        if near:
            for j in range(total.size):
                difference = x[j] - y
                total[j] -= difference * difference
        else:
            for j in range(total.size):
                total[j] += x[j] * y
    return total


@njit(nogil=True, cache=True)
def _exact_columns(
    vectors: FloatArray, columns: ColumnArray, row: FloatArray, near: bool
) -> FloatArray:
    # The same sums for columns here and there.
    total = np.zeros(columns.size)
    for p in range(row.size):
        x, y = vectors[p], row[p]
        if near:
            for j in range(total.size):
                difference = x[columns[j]] - y
                total[j] -= difference * difference
        else:
            for j in range(total.size):
                total[j] += x[columns[j]] * y
    return total


@njit(nogil=True, cache=True)
def _tally(
    state: StateArray,
    column_class: IntArray,
    last: tuple[int, int, int],
    above: CountArray,
    tied: CountArray,
    group: IntArray,
) -> tuple[int, int]:
    # Listed first, without a branch: which columns count is hard to predict.
    hits = np.empty(state.size, dtype=np.uint64)
    n_hits = 0
    for j in range(state.size):
        hits[n_hits] = j
        n_hits += state[j] > 0
    own, open_class, open_state = last
    for j in hits[:n_hits]:
        c, new = column_class[j], int(state[j])
        if c == own:
            continue
        # Vectors of a class are neighbours, so it is complete when another one is met.
        if c == open_class:
            open_state = max(open_state, new)
            continue
        if open_state == _BETTER:
            above[group[open_class]] += 1
        elif open_state == _EQUAL:
            tied[group[open_class]] += 1
        open_class, open_state = c, new
    return open_class, open_state


# Accuracy curves ------------------------------------------------------------------


def mean_chances_first(
    histogram: FloatArray, n_classes: int, ks: IntArray
) -> FloatArray:
    """Average the chance of being first, for many subset sizes at once.

    Parameters
    ----------
    histogram : ndarray of shape (n_classes,)
        Weight of the samples beaten by 0, 1, ... competitors.
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


# Costs of decisions ---------------------------------------------------------------


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
    """Add what some samples cost to the weights of the chances of being first.

    Parameters
    ----------
    rows : ndarray of shape (n, n_classes)
        Scores.
    own : ndarray of shape (n,)
        True classes.
    paid : ndarray of shape (n, n_classes)
        Cost of deciding for each class, times the weight of the sample.
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
            _add_sample(
                found,
                rows[i],
                truth,
                paid[i],
                group,
                left_out,
                below,
                rule,
                at[g],
                since[g],
            )


@njit(nogil=True, cache=True)
def _add_sample(
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
