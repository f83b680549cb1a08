"""Covariates that give the answer or one another away, and intervals too wide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorecast._core.result import Note
from scorecast._core.types import BoolArray, FloatArray
from scorecast.survival.data import SurvivalData
from scorecast.survival.notes import SurvivalNote

_N_NAMED = 5  # rows that are named
_WIDE = 1000.0  # high end over low end of an interval that says nothing
_RARE_ROWS, _RARE_SHARE = 10, 0.1
_DETERMINED = 0.98  # share of a column's variance that the others explain
_FEW_ROWS = 10
_BY_CHANCE = 0.05
_EQUAL, _ALIKE = 0.05, 0.5  # share of equal rows, and rank correlation, of a later time


@dataclass(frozen=True, kw_only=True)
class WideIntervals:
    """Predictions that leave everything open, and why.

    Attributes
    ----------
    n_wide : int
        Samples whose interval of the time spans more than 1,000-fold.
    rows : tuple of int
        The first of them, from 1.
    n_rare : int
        Those with a value that few samples have.
    rare_covariates : tuple of str
        The covariates of these values.
    n_unseen : int
        Of the others, those whose interval ends beyond the longest follow-up.
    """

    n_wide: int
    rows: tuple[int, ...]
    n_rare: int
    rare_covariates: tuple[str, ...]
    n_unseen: int


def covariate_notes(data: SurvivalData, *, look_for_leaks: bool) -> tuple[Note, ...]:
    """Note covariates that say the same, and those nobody could have known."""
    found = _determined(data.X, data.names)
    return (*found, *_leaks(data)) if look_for_leaks else found


def _determined(X: FloatArray, names: Sequence[str]) -> tuple[Note, ...]:
    """Find covariates that the others together all but give away."""
    known = X[~np.isnan(X).any(axis=1)]
    if X.shape[1] < 2 or len(known) < max(_FEW_ROWS, 2 * X.shape[1]):
        return ()
    with np.errstate(divide="ignore", invalid="ignore"):
        known = known / np.abs(known).max(axis=0)  # squares of the huge overflow
        spread = known.std(axis=0)
        scaled = (known - known.mean(axis=0)) / spread
    use = [i for i in range(X.shape[1]) if np.isfinite(scaled[:, i]).all()]
    alike = []
    for i in use:
        others = scaled[:, [k for k in use if k != i]]
        rest = scaled[:, i] - others @ np.linalg.lstsq(others, scaled[:, i])[0]
        if rest @ rest <= (1.0 - _DETERMINED) * len(known):
            alike.append(names[i])
    if not alike:
        return ()
    return (Note(code=SurvivalNote.DETERMINED, names=tuple(alike)),)


def _leaks(data: SurvivalData) -> tuple[Note, ...]:
    """Find columns that nobody could have known at time zero, or that mean nothing."""
    found = []
    for name, column in zip(data.names, data.X.T, strict=True):
        known = ~np.isnan(column)
        if known.sum() < _FEW_ROWS:
            continue
        why = _leak(column[known], data.time[known], data.event[known])
        if why:
            found.append(Note(code=SurvivalNote.LEAK, names=(name, why)))
    return tuple(found)


def _leak(column: FloatArray, time: FloatArray, event: BoolArray) -> str:
    values = np.unique(column)
    # Ages in years are above times in years, too: a later time also goes along.
    if (column >= time).all() and (
        (column == time).mean() >= _EQUAL or _rank_correlation(column, time) >= _ALIKE
    ):
        return "later-time"
    if len(values) == len(column) and (column == np.round(column)).all():
        return "row-number"
    if set(values.tolist()) == {0.0, 1.0} and (column[event] == 1.0).all():
        n_zero, n_events = int((column == 0.0).sum()), int(event.sum())
        steps = np.arange(n_zero)
        chance = np.prod((len(column) - n_events - steps) / (len(column) - steps))
        if n_events and chance < _BY_CHANCE:
            return "outcome"
    return ""


def _rank_correlation(a: FloatArray, b: FloatArray) -> float:
    ranks = [np.argsort(np.argsort(x, kind="stable")) for x in (a, b)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def wide_intervals(
    low: FloatArray, high: FloatArray, data: SurvivalData
) -> WideIntervals | None:
    """Find predictions that leave everything open, and say of each sample why."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        is_wide = ~(high / low <= _WIDE)
    if not is_wide.any():
        return None
    rare = _rare(data.X)
    has_rare = rare.any(axis=1) & is_wide
    is_unseen = is_wide & ~has_rare & (high > float(data.time.max()))
    return WideIntervals(
        n_wide=int(is_wide.sum()),
        rows=tuple(int(i) + 1 for i in np.flatnonzero(is_wide)[:_N_NAMED]),
        n_rare=int(has_rare.sum()),
        rare_covariates=tuple(
            name for i, name in enumerate(data.names) if rare[is_wide, i].any()
        ),
        n_unseen=int(is_unseen.sum()),
    )


def _rare(X: FloatArray) -> BoolArray:
    """Tell which cells hold the rarer of two values of a column, where it is rare."""
    out = np.zeros(X.shape, dtype=bool)
    for i, column in enumerate(X.T):
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        limit = max(_RARE_ROWS, math.ceil(_RARE_SHARE * counts.sum()))
        if len(values) == 2 and counts.min() < limit:
            out[:, i] = column == values[np.argmin(counts)]
    return out
