"""A set of biclusters of one matrix: which rows, and which columns, belong to each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import BoolArray, IntArray
from scorecast.exceptions import InvalidInputError

__all__ = ["BiclusterSet", "set_from_pairs"]

Pair = tuple[Any, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class BiclusterSet:
    """Biclusters of a matrix; they may overlap and need not cover it.

    Attributes
    ----------
    rows : ndarray of bool of shape (k, n_rows)
        Rows of every bicluster.
    columns : ndarray of bool of shape (k, n_columns)
        Columns of every bicluster.
    names : tuple of str
        What each is called; counted from one by default.
    """

    rows: BoolArray
    columns: BoolArray
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.names:
            names = tuple(str(i + 1) for i in range(self.rows.shape[0]))
            object.__setattr__(self, "names", names)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return int(self.rows.shape[1]), int(self.columns.shape[1])

    @cached_property
    def row_sizes(self) -> IntArray:
        """Number of rows of every bicluster."""
        return np.asarray(self.rows.sum(axis=1), dtype=np.int64)

    @cached_property
    def column_sizes(self) -> IntArray:
        """Number of columns of every bicluster."""
        return np.asarray(self.columns.sum(axis=1), dtype=np.int64)

    @property
    def areas(self) -> IntArray:
        """Number of cells of every bicluster."""
        areas: IntArray = self.row_sizes * self.column_sizes
        return areas

    @property
    def n_repeated(self) -> int:
        """How many repeat an earlier one, row by row and column by column."""
        both = np.packbits(np.hstack([self.rows, self.columns]), axis=1)
        return len(self) - len({line.tobytes() for line in both})

    def pairs(self) -> list[tuple[IntArray, IntArray]]:
        """Return the numbers of rows and columns of every bicluster."""
        return [
            (np.flatnonzero(r), np.flatnonzero(c))
            for r, c in zip(self.rows, self.columns, strict=True)
        ]

    def restricted(self, rows: IntArray) -> BiclusterSet:
        """Return what is left where only some rows are kept, in the order given.

        Biclusters that lose all rows are left out.
        """
        kept = self.rows[:, rows]
        left = np.asarray(kept.any(axis=1))
        names = tuple(n for n, there in zip(self.names, left, strict=True) if there)
        if not left.any():
            return BiclusterSet(rows=kept[:0], columns=self.columns[:0])
        return BiclusterSet(rows=kept[left], columns=self.columns[left], names=names)


def set_from_pairs(
    pairs: Sequence[Pair], shape: tuple[int, int], names: Iterable[str] = ()
) -> BiclusterSet:
    """Make a set of pairs of row and column numbers.

    Parameters
    ----------
    pairs : sequence of pairs
        Rows and columns of each bicluster, counted from zero.
    shape : tuple of int
        Rows and columns of the matrix.
    names : iterable of str, optional
        What each is called.

    Returns
    -------
    BiclusterSet
        Checked: no bicluster is empty, no number repeated or out of range.
    """
    called = tuple(names) or tuple(str(i + 1) for i in range(len(pairs)))
    rows = np.zeros((len(pairs), shape[0]), dtype=bool)
    columns = np.zeros((len(pairs), shape[1]), dtype=bool)
    for i, (own_rows, own_columns) in enumerate(pairs):
        rows[i, _numbers(own_rows, shape[0], called[i], "row")] = True
        columns[i, _numbers(own_columns, shape[1], called[i], "column")] = True
    return BiclusterSet(rows=rows, columns=columns, names=called)


def _numbers(values: Any, limit: int, name: str, what: str) -> IntArray:
    """Return the numbers of rows (or columns) of one bicluster, or say what is off."""
    where = f"Bicluster {name}"
    given = np.asarray(values if isinstance(values, np.ndarray) else _listed(values))
    if given.ndim != 1 or given.dtype.kind not in "iufb":
        msg = f"{where}: its {what}s must be a list of numbers; got {values!r:.80}."
        raise InvalidInputError(msg)
    if given.dtype == bool and given.size == limit:
        given = np.flatnonzero(given)
    if given.size == 0:
        msg = f"{where} has no {what}s: remove it."
        raise InvalidInputError(msg)
    _refuse_numbers(given, limit, where, what)
    return given.astype(np.int64)


def _refuse_numbers(given: NDArray[Any], limit: int, where: str, what: str) -> None:
    if given.dtype == bool:
        msg = f"{where}: {given.size} flags for {limit} {what}s."
        raise InvalidInputError(msg)
    with np.errstate(invalid="ignore"):
        broken = ~(given == np.floor(given))
    if broken.any():
        msg = f"{where}: {what} {given[broken][0]} is not a whole number."
        raise InvalidInputError(msg)
    off = (given < 0) | (given >= limit)
    if off.any():
        msg = (
            f"{where}: {what} {given[off][0]:g} is out of range; the matrix has "
            f"{limit} {what}s, counted from 0 to {limit - 1}."
        )
        raise InvalidInputError(msg)
    values, counts = np.unique(given, return_counts=True)
    if counts.max() > 1:
        twice = values[np.argmax(counts > 1)]
        msg = f"{where} names {what} {twice:g} twice: remove one."
        raise InvalidInputError(msg)


def _listed(values: Any) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        return [str(values)]  # refused as no list of numbers
    return list(values)
