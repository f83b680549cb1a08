"""Where biclusters lie in a matrix, apart or overlapping."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import IntArray
from scorecast.exceptions import UsageError

__all__ = ["place_biclusters"]

_TRIES = 300

Place = tuple[IntArray, IntArray]
Mask = NDArray[np.bool_]


def place_biclusters(
    shape: tuple[int, int],
    sizes: list[tuple[int, int]],
    overlap: float,
    rng: np.random.Generator,
) -> list[Place]:
    """Choose rows and columns of biclusters.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the matrix.
    sizes : list of tuple of int
        Rows and columns of every bicluster.
    overlap : float
        About which share of the cells of a bicluster lies in the one before as well;
        of earlier ones it shares only what that one shares. 0 keeps all apart.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    list of tuple of ndarray
        Sorted rows and columns.

    Raises
    ------
    UsageError
        If there is no room.
    """
    places: list[Place] = []
    taken = np.zeros(shape, dtype=bool)
    for size in sizes:
        before = places[-1] if places and overlap else None
        closed = taken.copy()
        if before is not None:
            closed[np.ix_(*before)] = False
        place = _one(closed, size, overlap, before, rng)
        taken[np.ix_(*place)] = True
        places.append(place)
    return places


def _one(
    closed: Mask,
    size: tuple[int, int],
    overlap: float,
    before: Place | None,
    rng: np.random.Generator,
) -> Place:
    n_rows, n_columns = closed.shape
    every = np.ones(n_columns, dtype=bool)
    old_rows, old_columns = (None, None) if before is None else before
    for attempt in range(_TRIES):
        # Early tries let biclusters share rows; late ones look for open rows only.
        late = attempt > _TRIES // 2
        free: Mask = np.ones(n_rows, dtype=bool)
        if late:
            free = np.logical_not(closed.any(axis=1))
        rows = _chosen(free, size[0], old_rows, overlap, rng)
        columns = _chosen(every, size[1], old_columns, overlap, rng)
        if rows is None or columns is None:
            continue
        if not closed[np.ix_(rows, columns)].any():
            return rows, columns
    msg = (
        f"No room in {n_rows} x {n_columns} for one more bicluster of {size[0]} x "
        f"{size[1]}; plant fewer or smaller ones, or take a larger matrix."
    )
    raise UsageError(msg)


def _chosen(
    free: Mask,
    size: int,
    before: IntArray | None,
    overlap: float,
    rng: np.random.Generator,
) -> IntArray | None:
    """Choose places, a part of them among those of the bicluster before."""
    shared = np.empty(0, dtype=np.int64)
    free = free.copy()
    if before is not None:
        n_shared = min(before.size, size, round(np.sqrt(overlap) * size))
        known = before[free[before]]
        if known.size < n_shared:
            return None
        shared = rng.choice(known, n_shared, replace=False)
        free[before] = False
    others = np.flatnonzero(free)
    if others.size < size - shared.size:
        return None
    rest = rng.choice(others, size - shared.size, replace=False)
    return np.sort(np.concatenate([shared, rest]))
