"""A set of biclusters of one matrix, made of whatever found them.

Understood are fitted objects with ``rows_`` and ``columns_`` (as scikit-learn's), pairs
of index lists, pairs of indicator matrices, and the JSON of G-Bic or of scorecast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import warn
from scorecast._core.types import BoolArray, IntArray
from scorecast.exceptions import DataWarning, InvalidInputError

Shape = tuple[int, int]
Pair = tuple[Any, Any]
_ROW_KEYS = ("rows", "X", "row_indices", "I")
_COLUMN_KEYS = ("columns", "Y", "column_indices", "J", "cols")


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
    def shape(self) -> Shape:
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
        is_left = np.asarray(kept.any(axis=1))
        if not is_left.any():
            return BiclusterSet(rows=kept[:0], columns=self.columns[:0])
        names = tuple(n for n, there in zip(self.names, is_left, strict=True) if there)
        columns = self.columns[is_left]
        return BiclusterSet(rows=kept[is_left], columns=columns, names=names)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON that `as_bicluster_set` reads, in the form of G-Bic.

        Returns
        -------
        dict
            ``X`` are rows and ``Y`` columns, counted from zero.
        """
        return {
            "#DatasetRows": self.shape[0],
            "#DatasetColumns": self.shape[1],
            "biclusters": {
                name: {"X": rows.tolist(), "Y": columns.tolist()}
                for name, (rows, columns) in zip(self.names, self.pairs(), strict=True)
            },
        }


def as_bicluster_set(found: Any, *, shape: Shape | None = None) -> BiclusterSet:
    """Make a set of biclusters of whatever holds them.

    Parameters
    ----------
    found : object, mapping or sequence
        A fitted object with ``rows_`` and ``columns_``; a list of pairs of row and
        column numbers, counted from zero, or of mappings or objects with ``rows`` and
        ``columns`` (or ``X`` and ``Y``); the truth of simulated data; a pair of boolean
        matrices, biclusters x rows and biclusters x columns; a mapping with
        ``biclusters``, as G-Bic writes it.
    shape : tuple of int, optional
        Rows and columns of the matrix. Without, the largest numbers that occur.

    Returns
    -------
    BiclusterSet
        The biclusters.

    Raises
    ------
    InvalidInputError
        If it holds no biclusters, or those of another matrix; if one is empty, or
        names a row or column that is not there, or twice.

    Examples
    --------
    >>> as_bicluster_set([([0, 1], [0, 2]), ([2], [1])]).areas.tolist()
    [4, 1]
    >>> as_bicluster_set({"biclusters": {"0": {"X": [0, 3], "Y": [1]}}}).shape
    (4, 2)
    """
    if isinstance(found, BiclusterSet):
        return _check_shape(found, shape)
    if hasattr(found, "rows_") and hasattr(found, "columns_"):
        return _check_shape(_from_flags(found.rows_, found.columns_), shape)
    if _is_flag_pair(found):
        return _check_shape(_from_flags(*found), shape)
    names, pairs, stated = _read_pairs(getattr(found, "biclusters", found))
    made = set_from_pairs(pairs, stated or shape or _extent(pairs), names)
    return _check_shape(made, shape)


def sets_of_one_matrix(
    found: Any, truth: Any, shape: Shape | None = None
) -> tuple[BiclusterSet, BiclusterSet]:
    """Make two sets of one matrix; of one that holds both where nothing fixes it."""
    own = as_bicluster_set(found, shape=shape)
    with blaming("truth"):
        hidden = as_bicluster_set(truth, shape=shape)
    if shape is not None or own.shape == hidden.shape:
        return own, hidden
    fixed = [
        made.shape
        for made, given in ((own, found), (hidden, truth))
        if _states_shape(given)
    ]
    larger = max(own.shape[0], hidden.shape[0]), max(own.shape[1], hidden.shape[1])
    both = fixed[0] if fixed else larger
    own = (
        _check_shape(own, both)
        if _states_shape(found)
        else as_bicluster_set(found, shape=both)
    )
    with blaming("truth"):
        if _states_shape(truth):
            return own, _check_shape(hidden, both)
        return own, as_bicluster_set(truth, shape=both)


@contextmanager
def blaming(parameter: str) -> Iterator[None]:
    """Blame another parameter for biclusters that are refused."""
    try:
        yield
    except InvalidInputError as error:
        raise InvalidInputError(
            error.problem,
            parameter=parameter,
            location=error.location,
            remedy=error.remedy,
        ) from error


def set_from_pairs(
    pairs: Sequence[Pair], shape: Shape, names: Iterable[str] = ()
) -> BiclusterSet:
    """Make a set of pairs of row and column numbers, counted from zero.

    No bicluster may be empty, no number repeated or out of range.
    """
    called = tuple(names) or tuple(str(i + 1) for i in range(len(pairs)))
    rows = np.zeros((len(pairs), shape[0]), dtype=bool)
    columns = np.zeros((len(pairs), shape[1]), dtype=bool)
    for i, (own_rows, own_columns) in enumerate(pairs):
        rows[i, _check_numbers(own_rows, shape[0], called[i], "row")] = True
        columns[i, _check_numbers(own_columns, shape[1], called[i], "column")] = True
    return BiclusterSet(rows=rows, columns=columns, names=called)


def _check_numbers(values: Any, limit: int, name: str, what: str) -> IntArray:
    """Return the numbers of rows (or columns) of one bicluster, or say what is off."""
    is_list = isinstance(values, Iterable) and not isinstance(values, str | bytes)
    if is_list and not isinstance(values, np.ndarray):
        values = list(values)
    try:
        given = np.asarray(values)
    except ValueError:  # lists of several lengths
        is_list, given = False, np.empty(0)
    problem, remedy = "", None
    if not is_list or given.ndim != 1 or given.dtype.kind not in "iufb":
        problem = f"its {what}s must be a list of numbers; got {values!r:.80}"
    elif given.size == 0:
        problem, remedy = f"has no {what}s", "remove it"
    elif given.dtype == bool and given.size == limit:
        given = np.flatnonzero(given)
        if not given.size:
            problem, remedy = f"has no {what}s", "remove it"
    else:
        problem, remedy = _fault_of_numbers(given, limit, what)
    if problem:
        problem = f"bicluster {name}: {problem}"
        raise InvalidInputError(problem, parameter="found", remedy=remedy)
    return given.astype(np.int64)


def _fault_of_numbers(
    given: NDArray[Any], limit: int, what: str
) -> tuple[str, str | None]:
    """Say what is off with numbers, and what to do; nothing if they are right."""
    if given.dtype == bool:
        return f"{given.size} flags for {limit} {what}s", None
    with np.errstate(invalid="ignore"):
        is_broken = ~(given == np.floor(given))
    if is_broken.any():
        return f"{what} {given[is_broken][0]} is not a whole number", None
    is_off = (given < 0) | (given >= limit)
    if is_off.any():
        return (
            f"{what} {given[is_off][0]:g} is out of range; the matrix has {limit} "
            f"{what}s, counted from 0 to {limit - 1}"
        ), None
    values, counts = np.unique(given, return_counts=True)
    if counts.max() > 1:
        twice = values[np.argmax(counts > 1)]
        return f"names {what} {twice:g} twice", "remove one"
    return "", None


def _states_shape(found: Any) -> bool:
    """Tell whether an input says of which matrix it is."""
    if isinstance(found, Mapping):
        return _stated_shape(found) is not None
    is_set = isinstance(found, BiclusterSet) or hasattr(found, "rows_")
    return is_set or _is_flag_pair(found)


def _is_flag_pair(found: Any) -> bool:
    return (
        isinstance(found, tuple)
        and len(found) == 2
        and all(isinstance(x, np.ndarray) and x.ndim == 2 for x in found)
    )


def _from_flags(rows: Any, columns: Any) -> BiclusterSet:
    """Check indicator matrices; leave out what an algorithm left empty."""
    given = [np.asarray(rows), np.asarray(columns)]
    for name, flags in zip(("rows", "columns"), given, strict=True):
        if flags.ndim != 2 or flags.dtype.kind not in "biuf":
            problem = f"the {name} of biclusters must be a matrix of flags"
            raise InvalidInputError(problem, parameter="found")
        if not np.isin(flags, (0, 1)).all():
            problem = f"the {name} of biclusters must be flags, 0 or 1"
            raise InvalidInputError(problem, parameter="found")
    if given[0].shape[0] != given[1].shape[0]:
        raise InvalidInputError(
            f"rows of {given[0].shape[0]} biclusters but columns of "
            f"{given[1].shape[0]}",
            parameter="found",
            remedy="give as many of both",
        )
    own_rows, own_columns = (flags.astype(bool) for flags in given)
    is_full = own_rows.any(axis=1) & own_columns.any(axis=1)
    if not is_full.all():
        n_empty = int((~is_full).sum())
        problem = f"{n_empty} biclusters without rows or columns are left out"
        warn(DataWarning(problem, parameter="found"))
    names = tuple(str(i + 1) for i in np.flatnonzero(is_full))
    return BiclusterSet(
        rows=own_rows[is_full], columns=own_columns[is_full], names=names
    )


def _check_shape(found: BiclusterSet, shape: Shape | None) -> BiclusterSet:
    if shape is None or found.shape == tuple(shape):
        return found
    is_transposed = found.shape == tuple(shape)[::-1]
    raise InvalidInputError(
        f"the biclusters are of a {found.shape[0]} x {found.shape[1]} matrix, but it "
        f"is {shape[0]} x {shape[1]}",
        parameter="found",
        remedy="transpose one of both" if is_transposed else None,
    )


def _read_pairs(found: Any) -> tuple[list[str], list[Pair], Shape | None]:
    """Return names, pairs and, where it is stated, the shape."""
    stated = None
    if isinstance(found, Mapping):
        # Simulated data keep what is hidden under their truth.
        for key in ("result", "truth"):
            if isinstance(found.get(key), Mapping):
                found = found[key]
        if "biclusters" not in found:
            keys = ", ".join(map(repr, list(found)[:5]))
            problem = f"a mapping of biclusters needs the key 'biclusters'; got {keys}"
            raise InvalidInputError(problem, parameter="found")
        stated = _stated_shape(found)
        found = found["biclusters"]
    if isinstance(found, Mapping):
        items = [(str(name), item) for name, item in found.items()]
    elif isinstance(found, Iterable) and not isinstance(found, str | bytes):
        items = [(str(i + 1), item) for i, item in enumerate(found)]
    else:
        raise InvalidInputError(
            "biclusters must be a list of pairs of rows and columns, JSON as G-Bic's, "
            f"or an object with rows_ and columns_; got {type(found).__name__}",
            parameter="found",
        )
    return [name for name, _ in items], [_read_pair(*item) for item in items], stated


def _stated_shape(found: Mapping[str, Any]) -> Shape | None:
    sizes = [found.get(key) for key in ("#DatasetRows", "#DatasetColumns")]
    if not all(isinstance(x, int) and not isinstance(x, bool) for x in sizes):
        return None
    return int(sizes[0] or 0), int(sizes[1] or 0)


def _read_pair(name: str, item: Any) -> Pair:
    if isinstance(item, Mapping):
        rows = next((item[key] for key in _ROW_KEYS if key in item), None)
        columns = next((item[key] for key in _COLUMN_KEYS if key in item), None)
        if rows is None or columns is None:
            problem = f"bicluster {name} needs 'rows' and 'columns' (or 'X' and 'Y')"
            raise InvalidInputError(problem, parameter="found")
        return rows, columns
    if hasattr(item, "rows") and hasattr(item, "columns"):
        return item.rows, item.columns
    is_sized = isinstance(item, Sequence) and not isinstance(item, str | bytes)
    if not (is_sized or isinstance(item, np.ndarray)) or len(item) != 2:
        problem = f"bicluster {name} must be a pair of rows and columns; got "
        raise InvalidInputError(f"{problem}{item!r:.80}", parameter="found")
    return item[0], item[1]


def _extent(pairs: Sequence[Pair]) -> Shape:
    """Return the smallest matrix that holds all numbers; faults are found later."""
    sizes = [1, 1]
    for pair in pairs:
        for side, values in enumerate(pair):
            try:
                numbers = np.asarray(list(values), dtype=np.float64)
            except (TypeError, ValueError):
                continue
            known = numbers[np.isfinite(numbers)] if numbers.ndim == 1 else numbers[:0]
            if known.size:
                sizes[side] = max(sizes[side], int(known.max()) + 1)
    return sizes[0], sizes[1]
