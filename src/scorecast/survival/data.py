"""The samples that a model of times learns from, checked.

A covariate that says something of all samples may say nothing of those left when a fold
is held out: a rare value is then gone, or two columns are no longer different. It is
left out there, so that one rare value does not cost the whole run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import warn
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    Location,
    quoted,
)
from scorecast.io import EVENT_WORDS

if TYPE_CHECKING:
    from scorecast.survival.model import SurvivalModel

FEW_EVENTS = 10  # fewer than these, and predictions lean on the prior
_SAME = 1e-10  # one minus the correlation of columns that say the same
_ENOUGH = 10  # samples known in both of two columns, to call one a copy
_SHORTEST, _LONGEST = 1e-304, 1e304  # times that leave room for others around them
_TINY = float(np.finfo(np.float64).tiny)
_SHOWN_VALUES = 4


class LeftOut(StrEnum):
    """Why a covariate cannot be learned from."""

    CONSTANT = "constant"
    COPY = "copy"


@dataclass(frozen=True, eq=False)
class SurvivalData:
    """Covariates, times and whether the event was seen.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Covariates; NaN where one is missing.
    time : ndarray of shape (n,)
        Time of the event or, if it was not seen, how long it did not happen.
    event : ndarray of bool of shape (n,)
        Whether it was seen.
    names : tuple of str
        Names of the covariates; numbers from 1 where they have none.
    """

    X: FloatArray
    time: FloatArray
    event: BoolArray
    names: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.time)

    @property
    def n_events(self) -> int:
        """Number of events."""
        return int(self.event.sum())

    def rows(self, which: Any) -> SurvivalData:
        """Return some of the samples."""
        return SurvivalData(
            self.X[which], self.time[which], self.event[which], self.names
        )

    def columns(self, which: Any) -> SurvivalData:
        """Return all samples with some of the covariates."""
        names = tuple(self.names[i] for i in which)
        return SurvivalData(self.X[:, which], self.time, self.event, names)


def check_survival(
    X: ArrayLike | None,
    time: ArrayLike,
    event: ArrayLike,
    names: Sequence[str] | None = None,
) -> SurvivalData:
    """Return clean training data, or say what is wrong with them.

    Parameters
    ----------
    X : array-like of shape (n, p) or None
        Covariates; NaN where missing. None: no covariates.
    time, event : array-like of shape (n,)
        Times above zero, and 1 (or yes, true) where the event was seen, 0 (no, false)
        where not yet.
    names : sequence of str, optional
        Names of the covariates; by default those of a frame.

    Returns
    -------
    SurvivalData
        The samples.

    Raises
    ------
    InvalidInputError
        If lengths or the indexes of pandas differ, a time is not positive, an event is
        not 0 or 1, a covariate is a category, constant, infinite, wholly missing or a
        copy of another.
    InsufficientDataError
        If there are fewer than two samples.
    """
    check_pairing(X=X, time=time, event=event)
    when, seen = check_times(time, event)
    if len(when) < 2:
        problem = f"at least two samples are needed to learn from; got {len(when)}"
        raise InsufficientDataError(problem, parameter="time")
    given = getattr(X, "columns", ()) if names is None else names
    covariates = np.empty((len(when), 0)) if X is None else check_covariates(X, given)
    known = tuple(_shown_names(given, covariates.shape[1]))
    if len(covariates) != len(when):
        problem = f"{len(covariates)} rows, but there are {len(when)} times"
        raise InvalidInputError(problem, parameter="X")
    _refuse_constant(covariates, known)
    _refuse_copies(covariates, known)
    if covariates.shape[1] >= len(when):
        warn(
            DataWarning(
                f"{covariates.shape[1]} covariates but {len(when)} samples: the prior "
                "decides how they hang together",
                parameter="X",
                remedy="name fewer covariates",
            )
        )
    return SurvivalData(covariates, when, seen, known)


def check_learnable(data: SurvivalData) -> None:
    """Refuse samples from which nothing could be learned of when events come."""
    if not data.event.any():
        raise InsufficientDataError(
            f"0 events in {data.n:,} samples, so nothing can be learned of when they "
            "come, nor any prediction be judged",
            parameter="event",
            remedy="is it the right column?",
        )
    if data.time.min() == data.time.max():
        raise equal_times(data.time[0])


def equal_times(time: float) -> InsufficientDataError:
    """Return the refusal of times that are all one."""
    return InsufficientDataError(
        f"all times are {time:g}, so nothing shows how they spread",
        parameter="time",
        remedy="is it the right column?",
    )


def check_pairing(**given: Any) -> None:
    """Refuse tables of pandas whose rows have different names.

    They are read row by row: in another order, samples would get times of others.
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
        raise InvalidInputError(
            f"its index has {how} that of {first}, so rows would pair samples with "
            "what belongs to others",
            parameter=name,
            remedy=f"{fix}, or give arrays if rows do match",
        )


def check_times(time: ArrayLike, event: ArrayLike) -> tuple[FloatArray, BoolArray]:
    """Return positive times, and True where the event was seen."""
    when = _numbers(time, "time")
    column = _numbers(_without_words(event), "event")
    if when.shape != column.shape:
        problem = f"{column.size} events, but there are {when.size} times"
        raise InvalidInputError(problem, parameter="event")

    def refuse(bad: BoolArray, problem: str, remedy: str) -> None:
        if bad.any():
            row = int(np.argmax(bad))
            more = f" ({int(bad.sum())} such rows)" if bad.sum() > 1 else ""
            raise InvalidInputError(
                f"{problem.format(when[row])}{more}",
                parameter="time",
                location=Location(row=row + 1),
                remedy=remedy,
            )

    refuse(
        np.isnan(when),
        "the time is missing",
        "give how long the sample was followed, with event 0 where the event was not "
        "seen, or remove those rows",
    )
    refuse(
        ~(when > 0) | np.isinf(when),
        "times must be above zero and finite; got {:g}",
        "measure from an earlier moment, or remove those rows",
    )
    refuse(
        (when < _SHORTEST) | (when > _LONGEST),
        "the time is {:g}: predicted times around it would be more than a number can "
        "hold",
        "give times in another unit",
    )
    odd = ~np.isin(column, (0.0, 1.0))
    if odd.any():
        row = int(np.argmax(odd))
        raise _no_event(row, f"{column[row]:g}")
    return when, column == 1.0


def _no_event(row: int, shown: str) -> InvalidInputError:
    problem = (
        "must be 1 (seen) or 0 (not yet seen when last looked at), or yes and no; got "
        f"{shown}"
    )
    return InvalidInputError(problem, parameter="event", location=Location(row=row + 1))


def _without_words(event: ArrayLike) -> ArrayLike:
    """Return 1 and 0 for yes and no, as files may have them."""
    column = np.asarray(event)
    cells = column.tolist() if column.ndim == 1 else []
    if not any(isinstance(cell, str) for cell in cells):
        return event
    words = [str(cell).strip().lower() for cell in cells]
    for row, word in enumerate(words):
        if word not in EVENT_WORDS:
            raise _no_event(row, quoted(cells[row]))
    return np.array([EVENT_WORDS[word] for word in words])


def _numbers(values: ArrayLike, parameter: str) -> FloatArray:
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0:
        problem = f"must hold one number per sample; got shape {array.shape}"
        raise InvalidInputError(problem, parameter=parameter)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        problem = f"must hold numbers; got {array.dtype}"
        raise InvalidInputError(problem, parameter=parameter) from error


# --- covariates ----------------------------------------------------------------------


def check_covariates(X: ArrayLike, names: Sequence[str] = ()) -> FloatArray:
    """Return a matrix of numbers, NaN where one is missing; a frame is welcome."""
    table: Any = X if hasattr(X, "iloc") else None
    array = np.asarray(X)
    if array.ndim != 2:
        problem = f"must have two dimensions (samples x covariates); got {array.shape}"
        raise InvalidInputError(problem, parameter="X")
    named = names if len(names) else getattr(X, "columns", ())
    shown = _shown_names(named, array.shape[1])
    columns = [
        _as_numbers(table.iloc[:, i] if table is not None else array[:, i], name)
        for i, name in enumerate(shown)
    ]
    if not columns:
        return np.empty(array.shape)
    return np.ascontiguousarray(np.column_stack(columns))


def _shown_names(names: Sequence[str], n: int) -> list[str]:
    """Return how messages call the covariates: by name, or by number from 1."""
    return [str(name) for name in names] or [f"{i + 1}" for i in range(n)]


def covariate_fault(
    problem: str, name: str, remedy: str | None = None
) -> InvalidInputError:
    """Return an error about one covariate."""
    place = Location(column=name)
    return InvalidInputError(problem, parameter="X", location=place, remedy=remedy)


def _as_numbers(column: Any, name: str) -> FloatArray:
    if str(getattr(column, "dtype", "")) == "category":
        # Its codes are numbers, but their distances mean nothing.
        raise _no_distances(column, name, "is a category")
    values = np.asarray(column)
    if values.dtype.kind in "mM":
        raise covariate_fault(
            "it holds dates or durations",
            name,
            "give a number, such as days since a moment that means the same for every "
            "sample",
        )
    if values.dtype.kind == "c":
        problem = "it holds complex numbers"
        raise covariate_fault(problem, name, "give their parts that matter")
    if values.dtype.kind not in "biuf" and any(
        isinstance(v, str | bytes) for v in values.tolist()
    ):
        raise _no_distances(column, name, "holds words")
    try:
        numbers = _floats(column)
    except (TypeError, ValueError) as error:
        problem = f"it holds what is no number; got {values.dtype}"
        raise covariate_fault(problem, name) from error
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        raise InvalidInputError(
            "it is infinite",
            parameter="X",
            location=Location(column=name, row=row + 1),
            remedy="NaN means missing",
        )
    return numbers


def _floats(column: Any) -> FloatArray:
    if hasattr(column, "to_numpy"):  # pandas has a missing value of its own
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column).astype(np.float64)


def _no_distances(column: Any, name: str, what: str) -> InvalidInputError:
    """Say how a category becomes numbers."""
    values = np.asarray(column).tolist()
    known = list(dict.fromkeys(str(v) for v in values if v is not None and v == v))
    listed = ", ".join(known[:_SHOWN_VALUES])
    listed += ", ..." if len(known) > _SHOWN_VALUES else ""
    return covariate_fault(
        f"it {what} ({listed}), and has no distances",
        name,
        f"give one column of 0 and 1 for each of its values but one, as ({name} == "
        f"'{known[-1]}') or pandas.get_dummies(..., drop_first=True), or numbers if "
        "its values have an order",
    )


def _refuse_constant(X: FloatArray, names: Sequence[str]) -> None:
    """Refuse covariates that are wholly missing or constant."""
    for i, name in enumerate(names):
        known = X[~np.isnan(X[:, i]), i]
        if not known.size:
            raise covariate_fault("it is missing in every row", name, "leave it out")
        if _is_constant(known):
            problem = f"it is {known[0]:g} in every row"
            raise covariate_fault(problem, name, "leave it out")


def _refuse_copies(X: FloatArray, names: Sequence[str]) -> None:
    """Refuse covariates that are another one, shifted or scaled perhaps."""
    for i in range(X.shape[1]):
        for j in range(i):
            if _is_copy(X[:, j], X[:, i]):
                problem = f"it says the same as {quoted(names[j])}"
                raise covariate_fault(problem, names[i], "leave one of them out")


def _is_constant(column: FloatArray) -> bool:
    """Tell whether a covariate is missing in every sample, or never varies."""
    known = column[~np.isnan(column)]
    return not known.size or bool(known.min() == known.max())


def _is_copy(a: FloatArray, b: FloatArray) -> bool:
    """Tell whether two covariates are one, shifted or scaled perhaps.

    A few samples in which both are known prove nothing: columns of 0 and 1 soon agree
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


# --- covariates that some of the samples can be learned from -------------------------


@dataclass(frozen=True, eq=False)
class UsableColumns:
    """Covariates that can be learned from, and why the others cannot.

    Attributes
    ----------
    kept : ndarray of int64
        Places of the covariates that can.
    left_out : mapping of int to LeftOut
        Places of the others.
    """

    kept: IntArray
    left_out: Mapping[int, LeftOut]


def usable_columns(X: FloatArray) -> UsableColumns:
    """Find the covariates that vary and differ from those before them."""
    kept: list[int] = []
    left_out: dict[int, LeftOut] = {}
    for i, column in enumerate(X.T):
        if _is_constant(column):
            left_out[i] = LeftOut.CONSTANT
        elif any(_is_copy(X[:, j], column) for j in kept):
            left_out[i] = LeftOut.COPY
        else:
            kept.append(i)
    return UsableColumns(np.array(kept, dtype=np.int64), left_out)


def narrowed(model: SurvivalModel, kept: ArrayLike, n_columns: int) -> Any:
    """Return an unfitted copy of a model with the settings of some covariates.

    Noise and matrices of hyperparameters are those of the log time and the covariates
    that are kept, of `n_columns` in all.
    """
    from sklearn.base import clone

    places = np.concatenate([[0], np.asarray(kept, dtype=np.int64) + 1])
    size = n_columns + 1

    def part(value: Any) -> Any:
        shape = np.shape(value)
        if not shape or set(shape) != {size}:
            return value
        return np.asarray(value)[np.ix_(*[places] * len(shape))]

    given = model.hyperparameters
    if isinstance(given, Mapping):
        given = {name: part(value) for name, value in given.items()}
    return clone(model).set_params(noise_sd=part(model.noise_sd), hyperparameters=given)
