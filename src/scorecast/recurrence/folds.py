"""Cases held out in turn, again and again."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import BoolArray, IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.recurrence.cohort import Cohort

__all__ = ["check_parts", "make_folds", "read_folds"]

LEAST = 10  # cases; fewer say nothing of how well they are predicted


def make_folds(
    event: BoolArray, cv: int, repeats: int, rng: np.random.Generator
) -> IntArray:
    """Deal the cases into folds, events and others evenly.

    Parameters
    ----------
    event : array of bool of shape (n,)
        Whether the event was seen.
    cv, repeats : int
        Folds, and how often.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    array of shape (repeats, n)
        Fold of every case, from 0.

    Raises
    ------
    UsageError
        If there are fewer than two folds, or no repeat.
    InsufficientDataError
        If there are fewer than two events in all, or than two cases per fold. Two
        events are dealt to different folds, so that one is always left to learn from.
    """
    for name, value, least in (("cv", cv, 2), ("repeats", repeats, 1)):
        if not isinstance(value, numbers.Integral) or value < least:
            msg = f"`{name}` must be a whole number from {least}; got {value!r}."
            raise UsageError(msg)
    n, n_events = len(event), int(event.sum())
    plural = "" if n_events == 1 else "s"
    if n_events < 2 or n < 2 * cv:
        msg = (
            f"{n} cases with {n_events} event{plural} are too few "
            f"to hold out {cv} folds: at least two events in all, and two cases per "
            "fold, are needed"
        )
        most = n // 2
        msg += f"; give `cv` at most {most}." if n_events >= 2 <= most else "."
        raise InsufficientDataError(msg)
    out = np.empty((repeats, n), dtype=np.int64)
    for row in out:
        order = np.concatenate(
            [rng.permutation(np.flatnonzero(part)) for part in (event, ~event)]
        )
        row[order] = np.arange(n) % cv
    return out


def read_folds(folds: ArrayLike, n: int) -> IntArray:
    """Return folds that the caller named.

    Parameters
    ----------
    folds : array-like of shape (n,) or (repeats, n)
        Any labels.
    n : int
        Number of cases.

    Returns
    -------
    array of shape (repeats, n)
        Fold of every case, from 0.

    Raises
    ------
    InvalidInputError
        If there is not one label per case, only one label, or fewer than two cases
        per label.
    """
    given = np.atleast_2d(np.asarray(folds))
    if given.ndim != 2 or given.shape[1] != n:
        msg = f"`folds` must have one label for each of {n} cases; got {given.shape}."
        raise InvalidInputError(msg)
    rows = [np.unique(row, return_inverse=True)[1] for row in given]
    if min(int(row.max()) for row in rows) < 1:
        msg = "`folds` must hold at least two different labels."
        raise InvalidInputError(msg)
    most = max(int(row.max()) for row in rows) + 1
    if 2 * most > n:
        msg = (
            f"`folds` holds {most:,} different labels for {n:,} cases: at least two "
            "cases per fold are needed. Is it a measurement rather than a fold?"
        )
        raise InvalidInputError(msg)
    return np.array(rows, dtype=np.int64)


def check_parts(cohort: Cohort, parts: Sequence[BoolArray]) -> None:
    """Refuse folds that cannot be learned without, before the first is.

    Parameters
    ----------
    cohort : Cohort
        All cases.
    parts : sequence of arrays of bool of shape (n,)
        The cases held out together.

    Raises
    ------
    InsufficientDataError
        If there are too few cases, or a fold leaves no event or only one time to learn
        from.
    """
    if cohort.n < LEAST:
        msg = (
            f"{cohort.n} cases are too few to judge predictions by; at least {LEAST} "
            "are needed."
        )
        raise InsufficientDataError(msg)
    for held_out in parts:
        time, event = cohort.time[~held_out], cohort.event[~held_out]
        if not event.any():
            msg = "A fold leaves no event to learn from; use fewer folds."
            raise InsufficientDataError(msg)
        if time.min() == time.max():
            msg = "A fold leaves cases of one and the same time; use other folds."
            raise InsufficientDataError(msg)
