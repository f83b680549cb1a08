"""The cases that a model of times learns from, checked."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import BoolArray, FloatArray
from scorecast._core.words import EVENT_WORDS
from scorecast.exceptions import DataWarning, InsufficientDataError, InvalidInputError

__all__ = [
    "EQUAL_TIMES",
    "FEW_EVENTS",
    "Cohort",
    "check_cohort",
    "check_covariates",
    "check_learnable",
    "check_pairing",
    "check_times",
    "covariate_names",
    "few_events_said",
    "is_copy",
    "is_idle",
]

EQUAL_TIMES = "All times are equal: nothing shows how they spread."
FEW_EVENTS = 10  # fewer than these, and predictions lean on the prior
_SAME = 1e-10  # one minus the correlation of columns that say the same
_ENOUGH = 10  # cases known in both of two columns, to call one a copy
_SHORTEST, _LONGEST = 1e-304, 1e304  # times that leave room for others around them
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Cohort:
    """Covariates, times and whether the event was seen.

    Attributes
    ----------
    X : array of shape (n, p)
        Covariates; NaN where one is missing.
    time : array of shape (n,)
        Time of the event or, if it was not seen, how long it did not happen.
    event : array of bool of shape (n,)
        Whether it was seen.
    """

    X: FloatArray
    time: FloatArray
    event: BoolArray

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.time)

    def rows(self, which: Any) -> Cohort:
        """Return some of the cases."""
        return Cohort(self.X[which], self.time[which], self.event[which])

    def columns(self, which: Any) -> Cohort:
        """Return all cases with some of the covariates."""
        return Cohort(self.X[:, which], self.time, self.event)


def check_cohort(X: ArrayLike | None, time: ArrayLike, event: ArrayLike) -> Cohort:
    """Return clean training data, or say what is wrong with them.

    Parameters
    ----------
    X : array-like of shape (n, p) or None
        Covariates; NaN where missing. None: no covariates.
    time, event : array-like of shape (n,)
        Times above zero, and 1 (or yes, true) where the event was seen, 0 (no, false)
        where not yet.

    Returns
    -------
    Cohort
        The cases.

    Raises
    ------
    InvalidInputError
        If lengths or the indexes of pandas differ, a time is not positive, an event is
        not 0 or 1, a covariate is a category, constant, infinite, wholly missing or a
        copy of another.
    InsufficientDataError
        If there are fewer than two cases.
    """
    check_pairing(X=X, time=time, event=event)
    when, seen = check_times(time, event)
    if len(when) < 2:
        msg = f"At least two cases are needed to learn from; got {len(when)}."
        raise InsufficientDataError(msg)
    covariates = np.empty((len(when), 0)) if X is None else check_covariates(X)
    if len(covariates) != len(when):
        msg = f"X has {len(covariates)} rows but there are {len(when)} times."
        raise InvalidInputError(msg)
    names = covariate_names(X, covariates.shape[1])
    _refuse_idle(covariates, names)
    _refuse_copies(covariates, names)
    if covariates.shape[1] >= len(when):
        msg = (
            f"{covariates.shape[1]} covariates but {len(when)} cases: the prior "
            "decides how they hang together; name fewer covariates."
        )
        warnings.warn(msg, DataWarning, stacklevel=3)
    return Cohort(covariates, when, seen)


def check_pairing(**given: Any) -> None:
    """Refuse tables of pandas whose rows have different names.

    They are read row by row: in another order, cases would get times of others.

    Parameters
    ----------
    **given : object
        By name, what must belong together; all but tables of pandas are let pass.

    Raises
    ------
    InvalidInputError
        If two of them have the same length but different indexes.
    """
    named = {k: v.index for k, v in given.items() if hasattr(v, "iloc")}
    if not named:
        return
    (first, index), *others = named.items()
    for name, other in others:
        # Other lengths get their own message.
        if len(other) != len(index) or index.equals(other):
            continue
        how, fix = "other labels than", "give both one index"
        if not len(index.symmetric_difference(other)):
            how, fix = "its labels in another order than", "sort both alike"
        msg = (
            f"The index of {name} has {how} that of {first}, so rows would pair cases "
            f"with what belongs to others: {fix}, or give arrays if rows do match."
        )
        raise InvalidInputError(msg)


def check_times(time: ArrayLike, event: ArrayLike) -> tuple[FloatArray, BoolArray]:
    """Return times and events, checked.

    Parameters
    ----------
    time, event : array-like of shape (n,)
        What the caller gave.

    Returns
    -------
    tuple of arrays
        Positive times; True where the event was seen.

    Raises
    ------
    InvalidInputError
        If they are not what they should be.
    """
    when = _numbers(time, "time")
    column = _numbers(_without_words(event), "event")
    if when.shape != column.shape:
        msg = f"There are {when.size} times but {column.size} events."
        raise InvalidInputError(msg)
    unknown = np.isnan(when)
    if unknown.any():
        row = int(np.argmax(unknown))
        msg = (
            f"time is missing in row {row + 1} ({int(unknown.sum())} such rows). Give "
            "how long the case was followed, with event 0 where the event was not "
            "seen, or remove those rows."
        )
        raise InvalidInputError(msg)
    bad = ~(when > 0) | np.isinf(when)
    if bad.any():
        row = int(np.argmax(bad))
        msg = (
            f"time must be above zero and finite; row {row + 1} holds {when[row]:g} "
            f"({int(bad.sum())} such rows). Measure from an earlier moment, or remove "
            "those rows."
        )
        raise InvalidInputError(msg)
    far = (when < _SHORTEST) | (when > _LONGEST)
    if far.any():
        row = int(np.argmax(far))
        msg = (
            f"time is {when[row]:g} in row {row + 1}: predicted times around it would "
            "be more than a number can hold; give times in another unit."
        )
        raise InvalidInputError(msg)
    odd = ~np.isin(column, (0.0, 1.0))
    if odd.any():
        row = int(np.argmax(odd))
        msg = (
            "event must be 1 (seen) or 0 (not yet seen when last looked at); row "
            f"{row + 1} holds {column[row]:g}."
        )
        raise InvalidInputError(msg)
    return when, column == 1.0


def check_learnable(cohort: Cohort) -> None:
    """Refuse cases from which nothing could be learned of when events come.

    Parameters
    ----------
    cohort : Cohort
        The cases.

    Raises
    ------
    InsufficientDataError
        If there is no event, or only one time.
    """
    if not cohort.event.any():
        msg = (
            f"0 events in {cohort.n:,} cases, so nothing can be learned of when they "
            "come, nor any prediction be judged."
        )
        raise InsufficientDataError(msg)
    if cohort.time.min() == cohort.time.max():
        raise InsufficientDataError(EQUAL_TIMES)


def few_events_said(n_events: int) -> list[str]:
    """Warn of few events, in the same words everywhere.

    Parameters
    ----------
    n_events : int
        Events among the cases.

    Returns
    -------
    list of str
        One sentence, or none.
    """
    if n_events >= FEW_EVENTS:
        return []
    seen = "event was" if n_events == 1 else "events were"
    return [f"Only {n_events} {seen} seen: predictions lean on the prior of the model."]


def _without_words(event: ArrayLike) -> ArrayLike:
    """Return 1 and 0 for yes and no, as files may have them."""
    column = np.asarray(event)
    cells = column.tolist() if column.ndim == 1 else []
    if not any(isinstance(cell, str) for cell in cells):
        return event
    words = [str(cell).strip().lower() for cell in cells]
    for row, word in enumerate(words):
        if word not in EVENT_WORDS:
            msg = (
                "event must be 1 (seen) or 0 (not yet seen when last looked at), or "
                f"yes and no; row {row + 1} holds {cells[row]!r}."
            )
            raise InvalidInputError(msg)
    return np.array([EVENT_WORDS[word] for word in words])


def _numbers(values: ArrayLike, name: str) -> FloatArray:
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0:
        msg = f"{name} must hold one number per case; got shape {array.shape}."
        raise InvalidInputError(msg)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{name} must hold numbers; got {array.dtype}."
        raise InvalidInputError(msg) from error


def check_covariates(X: ArrayLike) -> FloatArray:
    """Return a matrix of numbers, NaN where one is missing.

    Parameters
    ----------
    X : array-like of shape (n, p)
        What the caller gave; a DataFrame is welcome.

    Returns
    -------
    array of shape (n, p)
        The covariates.

    Raises
    ------
    InvalidInputError
        If it is no matrix, holds words, or infinities.
    """
    table: Any = X if hasattr(X, "iloc") else None
    array = np.asarray(X)
    if array.ndim != 2:
        msg = f"X must have two dimensions (cases x covariates); got {array.shape}."
        raise InvalidInputError(msg)
    names = covariate_names(X, array.shape[1])
    columns = [
        _as_numbers(table.iloc[:, i] if table is not None else array[:, i], name)
        for i, name in enumerate(names)
    ]
    if not columns:
        return np.empty(array.shape)
    return np.ascontiguousarray(np.column_stack(columns))


def covariate_names(X: Any, n: int) -> list[str]:
    """Return how messages call the covariates."""
    if hasattr(X, "columns"):
        return [f"'{name}'" for name in X.columns]
    return [f"{i + 1}" for i in range(n)]


def _as_numbers(column: Any, name: str) -> FloatArray:
    kind = str(getattr(column, "dtype", ""))
    if kind == "category":
        # Its codes are numbers, but their distances mean nothing.
        raise InvalidInputError(_encode(column, name, "is a category"))
    values = np.asarray(column)
    if values.dtype.kind in "mM":
        msg = (
            f"Covariate {name} holds dates or durations; give a number, such as days "
            "since a moment that means the same for every case."
        )
        raise InvalidInputError(msg)
    if values.dtype.kind == "c":
        msg = f"Covariate {name} holds complex numbers; give their parts that matter."
        raise InvalidInputError(msg)
    if values.dtype.kind not in "biuf" and any(
        isinstance(v, str | bytes) for v in values.tolist()
    ):
        raise InvalidInputError(_encode(column, name, "holds words"))
    try:
        numbers = _floats(column)
    except (TypeError, ValueError) as error:
        msg = f"Covariate {name} holds what is no number; got {values.dtype}."
        raise InvalidInputError(msg) from error
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        msg = f"Covariate {name} is infinite in row {row + 1}; NaN means missing."
        raise InvalidInputError(msg)
    return numbers


def _floats(column: Any) -> FloatArray:
    if hasattr(column, "to_numpy"):  # pandas has a missing value of its own
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column).astype(np.float64)


def _encode(column: Any, name: str, what: str) -> str:
    """Say how a category becomes numbers."""
    values = np.asarray(column).tolist()
    known = list(dict.fromkeys(str(v) for v in values if v is not None and v == v))
    listed = ", ".join(known[:4]) + (", ..." if len(known) > 4 else "")
    return (
        f"Covariate {name} {what} ({listed}), and has no distances: give one column of "
        f"0 and 1 for each of its values but one, as ({name} == '{known[-1]}') or "
        "pandas.get_dummies(..., drop_first=True), or numbers if its values have an "
        "order."
    )


def _refuse_idle(X: FloatArray, names: list[str]) -> None:
    """Refuse covariates that are wholly missing or constant."""
    for i, name in enumerate(names):
        known = X[~np.isnan(X[:, i]), i]
        if not known.size:
            msg = f"Covariate {name} is missing in every case; leave it out."
            raise InvalidInputError(msg)
        if is_idle(known):
            msg = f"Covariate {name} is {known[0]:g} in every case; leave it out."
            raise InvalidInputError(msg)


def _refuse_copies(X: FloatArray, names: list[str]) -> None:
    """Refuse covariates that are another one, shifted or scaled perhaps."""
    for i in range(X.shape[1]):
        for j in range(i):
            if is_copy(X[:, j], X[:, i]):
                msg = f"Covariates {names[j]} and {names[i]} say the same; drop one."
                raise InvalidInputError(msg)


def is_idle(column: FloatArray) -> bool:
    """Return whether a covariate is missing in every case, or never varies."""
    known = column[~np.isnan(column)]
    return not known.size or bool(known.min() == known.max())


def is_copy(a: FloatArray, b: FloatArray) -> bool:
    """Return whether two covariates are one, shifted or scaled perhaps.

    A few cases in which both are known prove nothing: columns of 0 and 1 soon agree
    there by chance. Nor is one a copy that is known where the other is not, and the
    other way round.
    """
    known = ~np.isnan(a), ~np.isnan(b)
    both = known[0] & known[1]
    if both.sum() < max(3, min(_ENOUGH, len(a)), min(k.sum() for k in known)):
        return False
    # Squares of huge numbers would overflow.
    return _same(*(x[both] / max(np.abs(x[both]).max(), _TINY) for x in (a, b)))


def _same(a: FloatArray, b: FloatArray) -> bool:
    a, b = a - a.mean(), b - b.mean()
    top = float(a @ a) * float(b @ b)
    return top > 0.0 and float(a @ b) ** 2 >= (1.0 - _SAME) * top
