"""Scores of every sample for every class, with the truth; labels matched to columns."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix, warn
from scorecast._core.types import IntArray
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    Location,
    listed,
    quoted,
)

ClassLabels: TypeAlias = tuple[Hashable, ...]
CountArray: TypeAlias = NDArray[np.unsignedinteger[Any]]

_BLOCK = 1_000_000  # cells compared at a time: 8 MB in double precision
_ROWS = 64  # taken at a time
_ENOUGH_TO_TELL = 20  # samples before a direction can look wrong
_LONGEST_NUMBER = 18  # digits; longer labels of digits are names
_WAY_OUT = {
    "columns": "name the columns in their order",
    "probability columns": "give every class a column that is named as its label is",
    "gallery": "name the gallery vectors",
}


class Scores:
    """Scores of samples (rows) for classes (columns), and the true classes.

    A class may have any number of samples, also none: it then only competes.

    Parameters
    ----------
    values : array-like of shape (n_samples, n_classes)
        Scores, of any scale: only their order within a row matters to ranks. Minus
        infinity is legal where greater is better (a probability of zero).
    y_true : iterable of hashable
        True label of each sample.
    classes : sequence of hashable, optional
        Label of each column. Without it the column names of a data frame are used if
        they are what the labels say; else whole numbers are column numbers, and
        other labels are taken in sorted order.
    greater_is_better : bool, default=True
        False for distances and costs.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_classes)
        Scores turned so that greater is better; float32 or float64.
    own : ndarray of int64
        Column of each sample's true class.
    classes : tuple
        Label of each column.
    greater_is_better : bool
        As given.
    is_marginal : bool or None
        Whether each class is scored on its own; None where that is not known.
    is_order_assumed : bool
        Whether columns without names were given those of the labels, in sorted order.
    looks_reversed : bool
        Whether the true class has the worst score more often than chance, and the best
        less often: then the direction is probably wrong.

    Raises
    ------
    InvalidInputError
        If the scores are no matrix of numbers, or a label belongs to no column.
    InsufficientDataError
        If there is one class only.

    Examples
    --------
    >>> scores = Scores([[0.9, 0.1], [0.4, 0.6]], ["cat", "dog"])
    >>> scores.n_classes, scores.classes
    (2, ('cat', 'dog'))
    """

    values: NDArray[np.floating[Any]]
    own: IntArray
    classes: ClassLabels

    def __init__(
        self,
        values: ArrayLike,
        y_true: Iterable[Hashable],
        *,
        classes: Sequence[Hashable] | None = None,
        greater_is_better: bool = True,
    ) -> None:
        labels = label_list(y_true)
        if classes is None:
            classes = _column_names(values, labels)
        raw = np.asarray(values)
        is_float = raw.dtype.kind == "f"
        turned = raw if greater_is_better or not is_float else -raw
        matrix = check_matrix(turned, parameter="scores", allow_negative_infinity=True)
        if not greater_is_better and not is_float:
            matrix = -matrix  # after whole numbers became floats: -(-128) is no int8
        self.values = matrix
        self.own, self.classes = match_labels(labels, matrix.shape[1], classes)
        self.greater_is_better = greater_is_better
        # Only text that came without names for the columns has to be sorted.
        self.is_order_assumed = classes is None and isinstance(self.classes[0], str)
        self.is_marginal: bool | None = None
        self._check_shape()
        best = matrix.max(axis=1)
        if np.isneginf(best).any():
            row = int(np.argmax(np.isneginf(best))) + 1
            raise InvalidInputError(
                "there is no finite score at all",
                parameter="scores",
                location=Location(row=row),
            )
        self.looks_reversed = self._looks_reversed(best)
        if self.looks_reversed:
            warn(reversed_warning(greater_is_better))

    def __repr__(self) -> str:
        return f"<Scores: {self.n_samples:,} samples x {self.n_classes:,} classes>"

    @classmethod
    def unchecked(
        cls, values: NDArray[np.floating[Any]], own: IntArray, classes: ClassLabels
    ) -> Scores:
        """Make scores of parts that were checked, and warned of, before.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_classes)
            Scores, greater is better.
        own : ndarray of int64
            Column of each sample's true class.
        classes : tuple
            Label of each column.

        Returns
        -------
        Scores
            With these very arrays.
        """
        made = object.__new__(cls)
        made.values, made.own, made.classes = values, own, classes
        made.greater_is_better = True
        made.is_order_assumed = made.looks_reversed = False
        made.is_marginal = None
        return made

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.values.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes, those without samples included."""
        return int(self.values.shape[1])

    def rows(
        self,
        start: int,
        stop: int,
        *,
        exact: bool = False,  # noqa: ARG002 - given scores are what they are
    ) -> NDArray[np.floating[Any]]:
        """Return the scores of some samples, greater is better."""
        return self.values[start:stop]

    def subset(self, chosen: IntArray) -> Scores:
        """Keep some classes, and the samples that belong to them.

        Parameters
        ----------
        chosen : ndarray of int64
            Columns to keep.

        Returns
        -------
        Scores
            The smaller problem.
        """
        position = np.full(self.n_classes, -1, dtype=np.int64)
        position[chosen] = np.arange(chosen.size)
        kept = position[self.own] >= 0
        smaller = copy.copy(self)
        smaller.values = cells(self.values, np.flatnonzero(kept), chosen)
        smaller.own = position[self.own[kept]]
        smaller.classes = tuple(self.classes[i] for i in chosen)
        return smaller

    def some(self, rows: IntArray) -> Scores:
        """Keep some samples, and all classes.

        Parameters
        ----------
        rows : ndarray of int64
            Samples to keep.

        Returns
        -------
        Scores
            The same classes, fewer samples.
        """
        fewer = copy.copy(self)
        fewer.values, fewer.own = self.values[rows], self.own[rows]
        return fewer

    def competitor_counts(
        self,
        group: IntArray,
        n_groups: int,
        n_jobs: int | None = None,  # noqa: ARG002 - reading memory is the limit here
    ) -> tuple[CountArray, CountArray]:
        """Count, per sample and group of classes, who beats and who ties the truth.

        Parameters
        ----------
        group : ndarray of int64
            Group of each class.
        n_groups : int
            Number of groups.
        n_jobs : int, optional
            Number of threads.

        Returns
        -------
        above, tied : ndarray of shape (n_samples, n_groups)
            Numbers of other classes with a greater, and with an equal, score.
        """
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(n_groups))
        is_single = n_groups == self.n_classes
        dtype = np.min_scalar_type(int(np.bincount(group, minlength=n_groups).max()))
        above = np.empty((self.n_samples, n_groups), dtype)
        tied = np.empty((self.n_samples, n_groups), dtype)
        step = max(1, _BLOCK // self.n_classes)
        for start in range(0, self.n_samples, step):
            block = slice(start, min(start + step, self.n_samples))
            own = self.own[block]
            truth = self.values[block][np.arange(own.size), own]
            better = self.values[block] > truth[:, None]
            equal = self.values[block] == truth[:, None]
            equal[np.arange(own.size), own] = False
            for mask, out in ((better, above), (equal, tied)):
                grouped = mask[:, order]
                out[block] = (
                    grouped
                    if is_single
                    else np.add.reduceat(grouped, starts, axis=1, dtype=dtype)
                )
        return above, tied

    def _check_shape(self) -> None:
        if self.own.size != self.n_samples:
            is_transposed = self.own.size == self.n_classes
            raise InvalidInputError(
                f"{self.own.size:,} labels for {self.n_samples:,} rows of scores",
                parameter="y_true",
                remedy="transpose the scores: samples belong in rows"
                if is_transposed
                else None,
            )
        if self.n_classes < 2:
            raise one_class_only()

    def _looks_reversed(self, best: NDArray[np.floating[Any]]) -> bool:
        """Tell whether the true class tends to have the worst score."""
        truth = self.values[np.arange(self.own.size), self.own]
        chance = 1 / self.n_classes
        margin = 4 * np.sqrt(chance * (1 - chance) / self.n_samples)
        lowest = (truth <= self.values.min(axis=1)).mean()
        highest = (truth >= best).mean()
        is_enough = self.n_samples >= _ENOUGH_TO_TELL
        return bool(is_enough and highest < chance < lowest - margin)


def reversed_warning(greater_is_better: bool) -> DataWarning:
    """Return what to say of scores whose direction looks wrong."""
    if greater_is_better:
        problem = (
            "the true class has the lowest score more often than chance and the "
            "highest less often: are these distances?"
        )
        remedy = "say that lower is better if they are"
    else:
        problem = (
            "the true class has the highest value more often than chance and the "
            "lowest less often, though lower was called better"
        )
        remedy = "say that greater is better if these are scores"
    return DataWarning(problem, parameter="greater_is_better", remedy=remedy)


def one_class_only() -> InsufficientDataError:
    """Return the refusal of a single class."""
    problem = "one class only: with nothing to confuse it with there is no answer"
    return InsufficientDataError(problem, parameter="scores")


# Labels ---------------------------------------------------------------------------


def match_labels(
    y_true: Iterable[Hashable],
    n_classes: int,
    classes: Sequence[Hashable] | None = None,
    *,
    what: str = "columns",
) -> tuple[IntArray, ClassLabels]:
    """Turn labels of any hashable kind into column numbers.

    With `classes`, labels are looked up there. Without, whole numbers from 0 are
    column numbers, and other labels are taken in sorted order, as scikit-learn's
    ``classes_`` has them, provided each column has a sample.

    Parameters
    ----------
    y_true : iterable of hashable
        True label of each sample.
    n_classes : int
        Number of columns.
    classes : sequence of hashable, optional
        Label of each column.
    what : {"columns", "probability columns", "gallery"}, default="columns"
        What the classes are called in messages.

    Returns
    -------
    own : ndarray of int64
        Column of the true class of each sample.
    classes : tuple
        Label of each column.

    Raises
    ------
    InvalidInputError
        If a label belongs to no column.

    Examples
    --------
    >>> own, classes = match_labels(["b", "a", "b"], 2)
    >>> own.tolist(), classes
    ([1, 0, 1], ('a', 'b'))
    """
    labels = label_list(y_true)
    if not labels:
        raise InvalidInputError("there are no labels", parameter="y_true")
    if not all(isinstance(label, Hashable) for label in labels):
        problem = "labels must be one value for each sample, not lists of values"
        raise InvalidInputError(problem, parameter="y_true")
    if classes is not None:
        return _look_up(labels, _check_classes(classes, n_classes, what), what)
    whole = _as_column_numbers(labels)
    if whole is not None:
        return _check_range(whole, n_classes, what), tuple(range(n_classes))
    return _in_sorted_order(labels, n_classes, what)


def label_list(y_true: Iterable[Hashable]) -> list[Any]:
    """Return labels as a list of plain Python values.

    Parameters
    ----------
    y_true : iterable of hashable
        Labels, also as an array of one dimension or one column.

    Returns
    -------
    list
        The labels.

    Raises
    ------
    InvalidInputError
        If they are not one for each sample.
    """
    if not hasattr(y_true, "__array__"):
        return list(y_true)
    array = np.asarray(y_true)
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.ndim != 1:
        problem = f"labels must be one for each sample; got shape {array.shape}"
        raise InvalidInputError(problem, parameter="y_true")
    return list(array.tolist())


def _column_names(
    values: ArrayLike, labels: Iterable[Hashable]
) -> Sequence[Hashable] | None:
    """Return the column names of a data frame, if the labels are among them."""
    names = getattr(values, "columns", None)
    if names is None or not set(labels) <= set(names):
        return None
    return list(names)


def _check_classes(
    classes: Sequence[Hashable], n_classes: int, what: str
) -> ClassLabels:
    known = tuple(label_list(classes))
    if len(known) != n_classes:
        problem = f"{len(known):,} class labels were given for {n_classes:,} {what}"
        raise InvalidInputError(problem, parameter="classes")
    if len(set(known)) != len(known):
        seen: set[Hashable] = set()
        twice = next(c for c in known if c in seen or seen.add(c))  # type: ignore[func-returns-value]
        problem = f"class labels must differ; {quoted(twice)} stands more than once"
        raise InvalidInputError(problem, parameter="classes")
    return known


def _look_up(
    labels: list[Any], classes: ClassLabels, what: str
) -> tuple[IntArray, ClassLabels]:
    column = {label: i for i, label in enumerate(classes)}
    unknown = sorted({str(label) for label in labels if label not in column})
    if not unknown:
        return np.array([column[label] for label in labels], np.int64), classes
    # A header is text even where labels are numbers: 3 means the column "3".
    by_text = {_as_text(label): i for i, label in enumerate(classes)}
    texts = [_as_text(label) for label in labels]
    if len(by_text) == len(classes):
        unknown = sorted({text for text in texts if text not in by_text})
    if not unknown:
        return np.array([by_text[text] for text in texts], np.int64), classes
    remedy = _WAY_OUT[what]
    # Who named them is not told to name them, but what is wrong with the names.
    if what != "probability columns" and classes != tuple(range(len(classes))):
        remedy = f"use the same names for the labels and for the {what}"
    strange = set(unknown)
    first = next(i for i, x in enumerate(labels) if {str(x), _as_text(x)} & strange)
    raise InvalidInputError(
        f"labels that name no class of the {what}: {_some(unknown)}; "
        f"known are {_some(classes)}",
        parameter="y_true",
        location=Location(row=first + 1),
        remedy=remedy,
    )


def _as_text(label: Any) -> str:
    is_whole = isinstance(label, numbers.Real) and float(label).is_integer()
    return str(int(label)) if is_whole else str(label)


def _as_column_numbers(labels: list[Any]) -> list[int] | None:
    """Return labels as whole numbers, or None if they are names."""
    if all(isinstance(label, str) for label in labels):
        # "7" may be a column number, "007" is a name, and so is a very long one.
        if all(_is_plain_number(label) for label in labels):
            return [int(label) for label in labels]
        return None
    if not all(isinstance(label, numbers.Real) for label in labels):
        return None
    strange = [label for label in labels if not float(label).is_integer()]
    if strange:
        problem = f"labels must be whole numbers or text; got {_some(strange)}"
        raise InvalidInputError(problem, parameter="y_true")
    return [int(label) for label in labels]


def _is_plain_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= _LONGEST_NUMBER and str(int(text)) == text


def _check_range(whole: list[int], n_classes: int, what: str) -> IntArray:
    outside = [label for label in whole if not 0 <= label < n_classes]
    if outside:
        is_one_based = min(whole) == 1 and max(whole) == n_classes
        hint = "subtract 1: they seem to start at 1; or " if is_one_based else ""
        raise InvalidInputError(
            f"{len(outside):,} of {len(whole):,} labels lie outside 0 to "
            f"{n_classes - 1}: {_some(sorted(set(outside)))}",
            parameter="y_true",
            remedy=f"{hint}{_WAY_OUT[what]} if the labels are names",
        )
    return np.array(whole, dtype=np.int64)


def _in_sorted_order(
    labels: list[Any], n_classes: int, what: str
) -> tuple[IntArray, ClassLabels]:
    try:
        present = sorted(set(labels))
    except TypeError:
        present = []
    if len(present) != n_classes:
        raise InvalidInputError(
            f"the labels have {len(set(labels)):,} distinct values for {n_classes:,} "
            f"{what}",
            parameter="y_true",
            remedy=_WAY_OUT[what],
        )
    return _look_up(labels, tuple(present), what)


def _some(names: Iterable[object]) -> str:
    return listed([quoted(name, 40) for name in names], most=5)


def cells(matrix: NDArray[Any], rows: IntArray, columns: IntArray) -> NDArray[Any]:
    """Return some rows and columns: a few rows at a time, several times as fast."""
    found = np.empty((rows.size, columns.size), dtype=matrix.dtype)
    for start in range(0, rows.size, _ROWS):
        some = rows[start : start + _ROWS]
        part = found[start : start + _ROWS]
        # Places are known to be within; raising would need a copy.
        np.take(matrix[some], columns, axis=1, out=part, mode="clip")
    return found
