"""Scores of every example for every class, with the truth."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix
from scorecast._core.types import IntArray
from scorecast.exceptions import DataWarning, InsufficientDataError, InvalidInputError
from scorecast.scores.labels import ClassLabels, label_list, match_labels

__all__ = ["Scores"]

_BLOCK = 4_000_000  # cells compared at a time: 32 MB in double precision
_ENOUGH_TO_TELL = 20  # examples before a direction can look wrong
_REVERSED = {
    True: (
        "The true class has the lowest score more often than chance and the highest "
        "less often: are these distances? Then pass greater_is_better=False "
        "(--smaller-is-better)."
    ),
    False: (
        "The true class has the highest value more often than chance and the lowest "
        "less often, though smaller was called better: if these are scores, leave out "
        "greater_is_better=False (--smaller-is-better)."
    ),
}


class Scores:
    """Scores of examples (rows) for classes (columns), and the true classes.

    A class may have any number of examples, also none: it then only competes.

    Parameters
    ----------
    values : array-like of shape (n_examples, n_classes)
        Scores, of any scale: only their order within a row matters to ranks. Minus
        infinity is legal where greater is better (a probability of zero).
    y_true : iterable of hashable
        True label of each example.
    classes : sequence of hashable, optional
        Label of each column. Without it the column names of a data frame are used if
        they are what the labels say; else whole numbers are column numbers, and
        other labels are taken in sorted order.
    greater_is_better : bool, default=True
        False for distances and costs.

    Attributes
    ----------
    values : ndarray of shape (n_examples, n_classes)
        Scores turned so that greater is better; float32 or float64.
    own : ndarray of int64
        Column of each example's true class.
    classes : tuple
        Label of each column.
    marginal : bool or None
        Whether each class is scored on its own; None where that is not known.
    looks_reversed : str
        What speaks for scores that are distances, in words; empty where nothing does.

    Examples
    --------
    >>> scores = Scores([[0.9, 0.1], [0.4, 0.6]], ["cat", "dog"])
    >>> scores.n_classes, scores.classes
    (2, ('cat', 'dog'))
    """

    def __init__(
        self,
        values: ArrayLike,
        y_true: Iterable[Hashable],
        *,
        classes: Sequence[Hashable] | None = None,
        greater_is_better: bool = True,
    ) -> None:
        y_true = label_list(y_true)
        if classes is None:
            classes = _column_names(values, y_true)
        raw = np.asarray(values)
        oriented = raw if greater_is_better or raw.dtype.kind != "f" else -raw
        matrix = check_matrix(oriented, "The scores", allow_negative_infinity=True)
        if not greater_is_better and raw.dtype.kind != "f":
            matrix = -matrix
        self.values: NDArray[np.floating[Any]] = matrix
        n_examples, n_classes = matrix.shape
        self.own: IntArray
        self.classes: ClassLabels
        self.own, self.classes = match_labels(y_true, n_classes, classes)
        self.greater_is_better = greater_is_better
        # Only text that came without names for the columns has to be sorted.
        self.order_assumed = classes is None and isinstance(self.classes[0], str)
        self.marginal: bool | None = None
        self._check_shape(n_examples, n_classes)
        top = matrix.max(axis=1)
        _refuse_empty_rows(top)
        self.looks_reversed = self._describe_direction(top)
        if self.looks_reversed:
            warnings.warn(self.looks_reversed, DataWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f"<Scores: {self.n_examples:,} examples x {self.n_classes:,} classes>"

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self.values.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes, those without examples included."""
        return int(self.values.shape[1])

    def rows(
        self,
        start: int,
        stop: int,
        *,
        exact: bool = False,  # noqa: ARG002 - given scores are what they are
    ) -> NDArray[np.floating[Any]]:
        """Return the scores of some examples, greater is better."""
        return self.values[start:stop]

    def subset(self, chosen: IntArray) -> Scores:
        """Keep some classes, and the examples that belong to them.

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
        smaller = object.__new__(Scores)
        smaller.values = self.values[np.ix_(kept, chosen)]
        smaller.own = position[self.own[kept]]
        smaller.classes = tuple(self.classes[i] for i in chosen)
        smaller.greater_is_better = self.greater_is_better
        smaller.order_assumed = self.order_assumed
        smaller.marginal = self.marginal
        smaller.looks_reversed = self.looks_reversed
        return smaller

    def competitor_counts(
        self,
        group: IntArray,
        n_groups: int,
        n_jobs: int | None = None,  # noqa: ARG002 - reading memory is the limit here
    ) -> tuple[NDArray[np.unsignedinteger[Any]], NDArray[np.unsignedinteger[Any]]]:
        """Count, per example and group of classes, who beats and who ties the truth.

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
        above, tied : ndarray of shape (n_examples, n_groups)
            Numbers of other classes with a greater, and with an equal, score.
        """
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(n_groups))
        singletons = n_groups == self.n_classes
        largest = int(np.bincount(group, minlength=n_groups).max())
        dtype = np.min_scalar_type(largest)
        above = np.empty((self.n_examples, n_groups), dtype)
        tied = np.empty((self.n_examples, n_groups), dtype)
        step = max(1, _BLOCK // self.n_classes)
        for start in range(0, self.n_examples, step):
            block = slice(start, min(start + step, self.n_examples))
            own = self.own[block]
            truth = self.values[block][np.arange(own.size), own]
            better = self.values[block] > truth[:, None]
            equal = self.values[block] == truth[:, None]
            equal[np.arange(own.size), own] = False
            for mask, out in ((better, above), (equal, tied)):
                grouped = mask[:, order]
                out[block] = (
                    grouped
                    if singletons
                    else np.add.reduceat(grouped, starts, axis=1, dtype=dtype)
                )
        return above, tied

    def _check_shape(self, n_examples: int, n_classes: int) -> None:
        if self.own.size != n_examples:
            hint = (
                " The matrix looks transposed: examples belong in rows."
                if self.own.size == n_classes
                else ""
            )
            msg = f"{self.own.size} labels for {n_examples} rows of scores.{hint}"
            raise InvalidInputError(msg)
        if n_classes < 2:
            msg = "One class only: with nothing to confuse it with there is no answer."
            raise InsufficientDataError(msg)

    def _describe_direction(self, top: NDArray[np.floating[Any]]) -> str:
        """Say so where the true class tends to have the lowest score."""
        truth = self.values[np.arange(self.own.size), self.own]
        chance = 1 / self.n_classes
        margin = 4 * np.sqrt(chance * (1 - chance) / self.n_examples)
        lowest = (truth <= self.values.min(axis=1)).mean()
        highest = (truth >= top).mean()
        enough = self.n_examples >= _ENOUGH_TO_TELL
        is_odd = enough and highest < chance < lowest - margin
        return _REVERSED[self.greater_is_better] if is_odd else ""


def _refuse_empty_rows(top: NDArray[np.floating[Any]]) -> None:
    nothing = np.isneginf(top)
    if nothing.any():
        row = int(np.argmax(nothing))
        msg = f"Row {row + 1} of the scores has no finite value at all."
        raise InvalidInputError(msg)


def _column_names(
    values: ArrayLike, y_true: list[Hashable]
) -> Sequence[Hashable] | None:
    """Return the column names of a data frame, if the labels are among them."""
    names = getattr(values, "columns", None)
    if names is None or not set(y_true) <= set(names):
        return None
    return list(names)
