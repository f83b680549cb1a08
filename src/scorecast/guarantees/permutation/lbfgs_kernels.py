"""Logistic regression by L-BFGS, step for step as SciPy does it, in fewer dimensions.

From zero on, L-BFGS never leaves the span of the training cases, and all it looks at
are inner products. So it takes the same steps in coordinates of that span, of which
there are at most as many as cases. Only the rule by which it stops, the largest entry
of the gradient, needs the features themselves; one entry is usually enough to see that
it does not stop yet.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from scorecast.guarantees.permutation.line_search import next_step, start_search

__all__ = ["logistic_decisions"]

_MEMORY = 10  # pairs that SciPy keeps
_MOST_TRIALS = 50  # of a line search, as scikit-learn asks
_EPS = float(np.finfo(np.float64).eps)
_LITTLE = 64 * _EPS  # relative decrease at which scikit-learn stops
_REORDER = {"reassoc", "contract"}  # sums may be vectorised; NaN stays NaN
_CLOSE = 1e-4  # stops decided by less than this share are doubtful


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _loss(rows: Any, y: Any, penalty: float, has_free: bool, w: Any, slope: Any) -> Any:
    """Return the mean loss with its penalty; the gradient goes to `slope`."""
    n, r = rows.shape
    slope[:r] = penalty * w[:r]
    slope[r] = 0.0
    total = 0.0
    for i in range(n):
        f = w[r]
        for k in range(r):
            f += rows[i, k] * w[k]
        small = math.exp(-abs(f))
        total += math.log1p(small) + max(f, 0.0) - y[i] * f
        chance = 1 / (1 + small) if f >= 0 else small / (1 + small)
        residual = (chance - y[i]) / n
        for k in range(r):
            slope[k] += residual * rows[i, k]
        if has_free:
            slope[r] += residual
    square = 0.0
    for k in range(r):
        square += w[k] * w[k]
    return total / n + 0.5 * penalty * square


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _steepness(slope: Any, basis: Any, enough: float, place: int) -> Any:
    """Return the largest entry of the gradient, or one that is more than enough."""
    r = slope.size - 1
    largest = abs(slope[r])
    if largest > enough:
        return largest, place
    once = 0.0
    for k in range(r):
        once += basis[place, k] * slope[k]
    if abs(once) > enough:
        return abs(once), place
    for j in range(basis.shape[0]):
        entry = 0.0
        for k in range(r):
            entry += basis[j, k] * slope[k]
        if abs(entry) > largest:
            largest, place = abs(entry), j
            if largest > enough:
                return largest, place
    return largest, place


@njit(nogil=True, cache=True)
def _direction(slope: Any, steps: Any, bends: Any, kept: int, newest: int) -> Any:
    """Multiply the gradient by the inverse of the Hessian as far as it is known."""
    d = -slope
    if kept == 0:
        return d
    share = np.empty(kept)
    for back in range(kept):
        i = (newest - back) % _MEMORY
        share[back] = np.dot(steps[i], d) / np.dot(steps[i], bends[i])
        d -= share[back] * bends[i]
    d *= np.dot(steps[newest], bends[newest]) / np.dot(bends[newest], bends[newest])
    for back in range(kept - 1, -1, -1):
        i = (newest - back) % _MEMORY
        other = np.dot(bends[i], d) / np.dot(steps[i], bends[i])
        d += (share[back] - other) * steps[i]
    return d


@njit(nogil=True, cache=True)
def _search(
    rows: Any, y: Any, penalty: float, has_free: bool,
    w: Any, value: float, slope: Any, d: Any, first: bool,
) -> Any:  # fmt: skip
    """Go along a direction; `slope` and `w` are moved. Returns step and value."""
    start = w.copy()
    descent = np.dot(slope, d)
    if descent >= 0:
        return -1.0, value
    step = min(1 / math.sqrt(np.dot(d, d)), 1e10) if first else 1.0
    state = start_search(step, value, descent)
    for _ in range(_MOST_TRIALS):
        w[:] = start + step * d
        found = _loss(rows, y, penalty, has_free, w, slope)
        accepted, following = next_step(state, step, found, np.dot(slope, d))
        if accepted:
            return step, found
        step = following
    return -1.0, value


@njit(nogil=True, cache=True)
def _minimise(
    rows: Any, basis: Any, y: Any, penalty: float, has_free: bool,
    tolerance: float, most: int, w: Any,
) -> bool:  # fmt: skip
    """Find the weights `w`; tell whether another rounding might have stopped later."""
    size = w.size
    slope = np.empty(size)
    steps, bends = np.zeros((_MEMORY, size)), np.zeros((_MEMORY, size))
    kept, newest, place = 0, -1, 0
    value = _loss(rows, y, penalty, has_free, w, slope)
    enough = tolerance * (1 + _CLOSE)
    largest, place = _steepness(slope, basis, enough, place)
    if largest <= tolerance:
        return True
    for count in range(most):
        d = _direction(slope, steps, bends, kept, newest)
        before, old = value, slope.copy()
        down = np.dot(old, d)
        step, value = _search(
            rows, y, penalty, has_free, w, value, slope, d, count == 0
        )
        if step <= 0:
            return True
        largest, place = _steepness(slope, basis, enough, place)
        if largest <= enough:
            # So close to the tolerance that rounding decides whether it stops.
            return largest > tolerance * (1 - _CLOSE)
        if before - value <= _LITTLE * max(abs(before), abs(value), 1.0):
            return True
        bend = slope - old
        if np.dot(bend, d) * step <= _EPS * -down * step:
            return True
        newest = (newest + 1) % _MEMORY
        kept = min(kept + 1, _MEMORY)
        steps[newest] = step * d
        bends[newest] = bend
    return False


@njit(nogil=True, cache=True)
def logistic_decisions(
    coordinates: Any, known: Any, asked: Any, basis: Any, y: Any, penalty: float,
    has_free: bool, tolerance: float, most: int,
) -> Any:  # fmt: skip
    """Return decisions (b, n_test) and whether each fit is doubtful (b)."""
    r = coordinates.shape[1]
    decisions = np.empty(asked.shape)
    doubtful = np.zeros(known.shape[0], dtype=np.bool_)
    rows = np.empty((known.shape[1], r))
    for b in range(known.shape[0]):
        for i in range(known.shape[1]):
            rows[i] = coordinates[known[b, i]]
        w = np.zeros(r + 1)
        doubtful[b] = _minimise(rows, basis, y, penalty, has_free, tolerance, most, w)
        for i in range(asked.shape[1]):
            f = w[r]
            for k in range(r):
                f += coordinates[asked[b, i], k] * w[k]
            decisions[b, i] = f
    return decisions, doubtful
