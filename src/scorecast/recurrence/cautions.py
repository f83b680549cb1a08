"""What the reader of predictions must be warned of, from the cases themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scorecast._core.types import BoolArray, FloatArray

__all__ = ["cohort_cautions", "wide_intervals"]

_NAMED = 5  # rows that a warning names
_WIDE = 1000.0  # high end over low end of an interval that says nothing
_RARE_CASES, _RARE_SHARE = 10, 0.1
_DETERMINED = 0.98  # share of a column's variance that the others explain
_FEW_ROWS = 10
_BY_CHANCE = 0.05
_EQUAL, _ALIKE = 0.05, 0.5  # share of equal rows, and rank correlation, of a later time


def cohort_cautions(
    X: FloatArray,
    time: FloatArray,
    event: BoolArray,
    names: Sequence[str],
    *,
    chosen: bool = True,
) -> tuple[str, ...]:
    """Warn of covariates that say the same, and of leaks.

    Parameters
    ----------
    X, time, event : array
        The cases.
    names : sequence of str
        Names of the covariates.
    chosen : bool, default=True
        Whether somebody named the covariates. Leaks are looked for where not.

    Returns
    -------
    tuple of str
        Sentences.
    """
    found = _determined(X, names)
    if not chosen:
        found += _leaks(X, time, event, names)
    return tuple(found)


def _determined(X: FloatArray, names: Sequence[str]) -> list[str]:
    """Find covariates that the others together all but give away."""
    known = X[~np.isnan(X).any(axis=1)]
    if X.shape[1] < 2 or len(known) < max(_FEW_ROWS, 2 * X.shape[1]):
        return []
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
        return []
    return [
        f"{_listed(alike)} all but determine one another: one of them adds nothing; "
        "leave one out."
    ]


def _leaks(
    X: FloatArray, time: FloatArray, event: BoolArray, names: Sequence[str]
) -> list[str]:
    """Find columns that nobody could have known at time zero, or that mean nothing."""
    found = []
    for name, column in zip(names, X.T, strict=True):
        known = ~np.isnan(column)
        if known.sum() < _FEW_ROWS:
            continue
        why = _leak(column[known], time[known], event[known])
        if why:
            found.append(
                f"Column '{name}' was taken as a covariate, but {why}. If it was not "
                f"known at time zero, leave it out with --drop '{name}', or name the "
                "columns to predict from with --covariates."
            )
    return found


def _leak(column: FloatArray, time: FloatArray, event: BoolArray) -> str:
    values = np.unique(column)
    # Ages in years are above times in years, too: a later time also goes along.
    if (column >= time).all() and (
        (column == time).mean() >= _EQUAL or _rank_correlation(column, time) >= _ALIKE
    ):
        return "it is never below the time, as a later time would be"
    if len(values) == len(column) and (column == np.round(column)).all():
        return "it holds another whole number in every row, as a case number would"
    if set(values.tolist()) == {0.0, 1.0} and (column[event] == 1.0).all():
        n_zero, n_events = int((column == 0.0).sum()), int(event.sum())
        steps = np.arange(n_zero)
        chance = np.prod((len(column) - n_events - steps) / (len(column) - steps))
        if n_events and chance < _BY_CHANCE:
            return "it is 1 wherever the event was seen, as another outcome would be"
    return ""


def _rank_correlation(a: FloatArray, b: FloatArray) -> float:
    ranks = [np.argsort(np.argsort(x, kind="stable")) for x in (a, b)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def wide_intervals(
    low: FloatArray,
    high: FloatArray,
    X: FloatArray,
    names: Sequence[str],
    *,
    longest: float = math.inf,
    level: float = 0.9,
) -> tuple[str, ...]:
    """Warn of predictions that leave everything open, and say of each case why.

    Parameters
    ----------
    low, high : array of shape (n,)
        Ends of the intervals of the times.
    X : array of shape (n, p)
        Covariates of the cases.
    names : sequence of str
        Their names.
    longest : float, optional
        Longest time that a case was followed.
    level : float, default=0.9
        Level of the intervals.

    Returns
    -------
    tuple of str
        A sentence, or none; it names the first of the rows, from 1.

    Examples
    --------
    >>> X = np.array([[1.0]] + [[0.0]] * 29)
    >>> wide_intervals(np.full(30, 0.1), np.r_[400.0, np.ones(29)], X, ["eet"])[0][:60]
    '1 of 30 cases (row 1) gets a 90 % interval of the time that '
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        wide = ~(high / low <= _WIDE)
    if not wide.any():
        return ()
    rare = _rare(X)
    verb = "gets" if wide.sum() == 1 else "get"
    said = (
        f"{int(wide.sum()):,} of {len(wide):,} cases ({_rows_said(wide)}) {verb} a "
        f"{100 * level:g} % interval of the time that spans more than 1,000-fold, "
        "which says next to nothing"
    )
    held = [name for i, name in enumerate(names) if rare[wide, i].any()]
    with_rare = rare.any(axis=1) & wide
    unseen = wide & ~with_rare & (high > longest)
    n, n_rare, n_unseen = (int(x.sum()) for x in (wide, with_rare, unseen))
    return (f"{said}: {'; '.join(_whys(n, n_rare, n_unseen, held))}.",)


def _rows_said(which: BoolArray) -> str:
    """Name the first of some rows, from 1."""
    rows = np.flatnonzero(which) + 1
    named = ", ".join(map(str, rows[:_NAMED].tolist()))
    more = ", ..." if len(rows) > _NAMED else ""
    return f"row{'' if len(rows) == 1 else 's'} {named}{more}"


def _whys(n: int, n_rare: int, n_unseen: int, held: Sequence[str]) -> list[str]:
    """Say why intervals are wide, until every case is accounted for."""
    parts = []
    if n_rare:
        parts.append(
            f"{_of_them(n_rare, n)} a value that few cases have, of {_listed(held)} "
            "(leave such columns out, or read no time off those cases)"
        )
    if n_unseen:
        ends = "ends" if n_unseen == 1 else "end"
        other = " of the others" if n_rare and n_unseen < n - n_rare else ""
        who = "the others" if n_rare and not other else f"{n_unseen:,}{other}"
        if n_unseen == n:
            who, ends = ("it", "ends") if n == 1 else ("all of them", "end")
        parts.append(
            f"{who} {ends} beyond the longest follow-up, where nothing was seen and "
            "the tail of the model decides"
        )
    rest = n - n_rare - n_unseen
    if rest:
        who = "these" if rest == n else f"the other {rest:,}"
        parts.append(f"too little is known of cases like {who}")
    return parts


def _of_them(n: int, total: int) -> str:
    if n == total:
        return "it has" if n == 1 else "all of them have"
    return f"{n:,} of them {'has' if n == 1 else 'have'}"


def _rare(X: FloatArray) -> BoolArray:
    """Tell which cells hold the rarer of two values of a column, where it is rare."""
    out = np.zeros(X.shape, dtype=bool)
    for i, column in enumerate(X.T):
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        limit = max(_RARE_CASES, math.ceil(_RARE_SHARE * counts.sum()))
        if len(values) == 2 and counts.min() < limit:
            out[:, i] = column == values[np.argmin(counts)]
    return out
