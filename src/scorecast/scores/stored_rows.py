"""Rows of a matrix that lies elsewhere: in a file, or in chunks of an array.

Nobody holds all of them. Who needs some reads those, a worker of a cluster, too: what
is sent are the place and the numbers of the rows.
"""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix
from scorecast._core.types import IntArray
from scorecast.exceptions import (
    InvalidInputError,
    Location,
    MissingExtraError,
    printable,
)

Matrix: TypeAlias = NDArray[np.floating[Any]]

_BLOCK_VALUES = 1 << 22  # looked at, or read, at a time
_SMALL_VALUES = 1 << 22  # of a stored array that is simply loaded
_MOST_BYTES = 1 << 28  # that have to be unpacked at once
# What has these is an array in memory, however it calls itself.
_IN_MEMORY = ("__array_interface__", "__dlpack__", "__cuda_array_interface__")


_FEWER = "it has not as many rows as it says"


class Source(ABC):
    """A matrix that is read by rows."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    columns: Sequence[str] = ()
    name: str = ""  # as it was given, for messages

    @abstractmethod
    def read(self, rows: IntArray) -> Matrix:
        """Return some rows, in the order asked for."""


@dataclass(frozen=True)
class MappedSource(Source):
    """A ``.npy`` file, or a part of one, that is mapped into memory."""

    path: str
    kind: str
    offset: int
    shape: tuple[int, int]

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """Of the numbers."""
        return np.dtype(self.kind)

    def read(self, rows: IntArray) -> Matrix:
        """Return some rows, in the order asked for."""
        kept = np.memmap(
            self.path, self.dtype, "r", offset=self.offset, shape=self.shape
        )
        return np.asarray(kept[rows])


class ArraySource(Source):
    """Anything with a shape, a dtype and slices of rows, such as an array of Zarr.

    Parameters
    ----------
    array : array-like
        Pickled when it is sent to a worker, so it should know where it lies.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = tuple(int(n) for n in array.shape)  # type: ignore[assignment]
        self.dtype = _kept_dtype(np.dtype(array.dtype))
        chunks = getattr(array, "chunks", None)
        most = max(1, _BLOCK_VALUES // max(self.shape[1], 1))
        whole = chunks[0] if chunks and isinstance(chunks[0], int) else most
        self._n_rows = max(whole, most // whole * whole)

    def read(self, rows: IntArray) -> Matrix:
        """Return some rows, in the order asked for; a chunk is read once."""
        order = np.argsort(rows, kind="stable")
        wanted = rows[order]
        found = np.empty((rows.size, self.shape[1]), dtype=self.dtype)
        at = 0
        while at < rows.size:
            first = int(wanted[at])
            end = (first // self._n_rows + 1) * self._n_rows
            stop = int(np.searchsorted(wanted, end))
            block = np.asarray(self.array[first : int(wanted[stop - 1]) + 1])
            found[order[at:stop]] = block[wanted[at:stop] - first]
            at = stop
        return found


class ZarrSource(ArraySource):
    """An array of Zarr in a folder.

    Parameters
    ----------
    path : str or path-like
        The folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            import zarr
        except ImportError as error:
            raise MissingExtraError("reading .zarr", "zarr") from error
        self.name, self.path = os.fspath(path), os.path.abspath(path)
        with self._blamed():
            # A folder, never an address, which Zarr would look for in the network.
            store = zarr.storage.LocalStore(self.path, read_only=True)
            array = zarr.open_array(store, mode="r")
        _check_numbers(array, at=self.name)
        needed = array.chunks[0] * array.shape[1] * array.dtype.itemsize
        if needed > _MOST_BYTES:
            raise InvalidInputError(
                f"its chunks take {needed >> 20:,} MB for the rows of one, more than "
                f"{_MOST_BYTES >> 20} at once",
                location=Location(file=self.name),
                remedy="save it with fewer rows in a chunk",
            )
        super().__init__(array)

    def read(self, rows: IntArray) -> Matrix:
        """Return some rows, in the order asked for; a chunk is read once."""
        with self._blamed():
            return super().read(rows)

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        """Turn whatever Zarr and its codecs find wrong into a line."""
        try:
            yield
        except Exception as error:
            # Chunks that are still being read would complain when the process ends.
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)
            raise _damaged(self.name, "an array of Zarr", error) from error


class ParquetSource(Source):
    """A file of Parquet: a column per feature, or one column of lists.

    Parameters
    ----------
    path : str or path-like
        The file.
    columns : sequence of str, optional
        The columns to read; all by default.
    """

    def __init__(
        self, path: str | os.PathLike[str], columns: Sequence[str] | None = None
    ) -> None:
        self.name, self.path = os.fspath(path), os.path.abspath(path)
        with self._opened() as file:
            meta, schema = file.metadata, file.schema_arrow
            sizes = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
            self.ends = np.cumsum(np.array(sizes, dtype=np.int64))
            if not sum(sizes):
                raise self._refusal("it has no rows")
            self.columns = [*schema.names] if columns is None else [*columns]
            fields = [schema.field(name) for name in self.columns]
            kinds = [self._numbers_of(field.type) for field in fields]
            self.shape = int(self.ends[-1]), len(kinds)
            if len(kinds) == 1 and _is_list(fields[0].type):
                of_first = self._batches(file, int(np.flatnonzero(sizes)[0]), 1)
                one = next(of_first, None)
                if one is None:
                    raise self._refusal(_FEWER)
                self.shape = self.shape[0], self._matrix(one).shape[1]
        self.dtype = _kept_dtype(np.result_type(*kinds))

    def read(self, rows: IntArray) -> Matrix:
        """Return some rows, in the order asked for, from the groups they are in."""
        order = np.argsort(rows, kind="stable")
        wanted = rows[order]
        found = np.empty((rows.size, self.shape[1]), dtype=self.dtype)
        groups = np.unique(np.searchsorted(self.ends, wanted, side="right"))
        n_rows = max(1, _BLOCK_VALUES // self.shape[1])
        with self._opened() as file:
            for group in groups.tolist():
                start = int(self.ends[group - 1]) if group else 0
                for batch in self._batches(file, group, n_rows):
                    stop = start + batch.num_rows
                    low, high = np.searchsorted(wanted, [start, stop]).tolist()
                    if high > low:
                        block = self._matrix(batch)
                        self._check_width(block)
                        found[order[low:high]] = block[wanted[low:high] - start]
                    start = stop
                if start != self.ends[group]:
                    raise self._refusal(_FEWER)
        return found

    def _batches(self, file: Any, group: int, n_rows: int) -> Iterator[Any]:
        for batch in file.iter_batches(
            n_rows, row_groups=[group], columns=self.columns
        ):
            batch.validate(full=True)
            yield batch

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """Open the file; whatever the library finds wrong, then or later, is a line."""
        try:
            from pyarrow import ArrowException, parquet
        except ImportError as error:
            raise MissingExtraError("reading .parquet files", "io") from error
        try:
            with parquet.ParquetFile(
                self.path, page_checksum_verification=True
            ) as file:
                yield file
        except InvalidInputError:
            raise
        except (ArrowException, LookupError, OSError, TypeError, ValueError) as error:
            raise _damaged(self.name, "Parquet", error) from error

    def _refusal(self, problem: str) -> InvalidInputError:
        return InvalidInputError(problem, location=Location(file=self.name))

    def _check_width(self, block: Matrix) -> None:
        if block.shape[1] != self.shape[1]:
            raise self._refusal(
                f"it has vectors of {self.shape[1]:,} and {block.shape[1]:,} features"
            )

    def _matrix(self, batch: Any) -> Matrix:
        """Return the vectors of a batch."""
        if batch.num_columns == 1 and _is_list(batch.schema[0].type):
            column = batch.column(0)
            values = column.flatten().to_numpy(zero_copy_only=False)
            n_rows = batch.num_rows
            is_whole = not column.null_count and n_rows and values.size % n_rows == 0
            if not _is_fixed(column.type):
                is_whole = is_whole and np.ptp(np.diff(column.offsets)) == 0
            if not is_whole:
                raise self._refusal("it has vectors of different lengths")
            matrix: Matrix = values.reshape(n_rows, -1)
            return matrix
        columns = [c.to_numpy(zero_copy_only=False) for c in batch.columns]
        return np.column_stack(columns)

    def _numbers_of(self, kind: Any) -> np.dtype[Any]:
        """Return the dtype of a column; refuse one without numbers."""
        try:
            dtype: np.dtype[Any] = np.dtype(
                (kind.value_type if _is_list(kind) else kind).to_pandas_dtype()
            )
        except (NotImplementedError, TypeError):
            dtype = np.dtype(object)
        if dtype.kind not in "fiub":
            raise self._refusal(f"it has a column of {printable(kind)}, no numbers")
        return np.dtype(dtype)


def _is_list(kind: Any) -> bool:
    return hasattr(kind, "value_type") and hasattr(kind, "value_field")


def _is_fixed(kind: Any) -> bool:
    return hasattr(kind, "list_size")


class StoredRows:
    """Some rows, or all, of a matrix that is not in memory.

    Parameters
    ----------
    source : Source
        Where it lies.
    rows : ndarray of int64, optional
        The rows; all by default.
    """

    ndim = 2

    def __init__(self, source: Source, rows: IntArray | None = None) -> None:
        self.source = source
        self.rows = rows

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the rows as they are read: float32 or float64."""
        return self.source.dtype

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of features."""
        n_rows = self.source.shape[0] if self.rows is None else self.rows.size
        return n_rows, self.source.shape[1]

    @property
    def size(self) -> int:
        """Number of values."""
        return self.shape[0] * self.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Matrix:
        """Read everything."""
        del copy
        return np.asarray(self.read(), dtype=dtype)

    def take(self, rows: IntArray) -> StoredRows:
        """Return some of them, not read yet."""
        return StoredRows(self.source, rows if self.rows is None else self.rows[rows])

    def read(self) -> Matrix:
        """Read them."""
        rows = np.arange(self.shape[0]) if self.rows is None else self.rows
        return self.source.read(rows)


AnyRows: TypeAlias = Matrix | StoredRows


def check_rows(values: ArrayLike | StoredRows, *, parameter: str) -> AnyRows:
    """Return a clean matrix, or the place of a large one that is stored.

    Parameters
    ----------
    values : array-like, path-like, or StoredRows
        What the caller passed: numbers, something stored that has a shape, a dtype and
        slices of rows, or the path of a ``.npy``, ``.parquet`` or ``.zarr``.
    parameter : str
        The argument it was.

    Returns
    -------
    ndarray or StoredRows
        Of shape (n, m), finite, float32 or float64.

    Raises
    ------
    InvalidInputError
        If it is no matrix of finite numbers.
    """
    if isinstance(values, str | os.PathLike):
        values = _opened(os.fspath(values), parameter)
    if not isinstance(values, StoredRows):
        if not _is_elsewhere(values):
            return check_matrix(values, parameter=parameter)
        _check_numbers(values, parameter=parameter)
        values = StoredRows(ArraySource(values))
    for start, block in row_blocks(values):
        is_finite = np.isfinite(block)
        if not is_finite.all():
            row, column = (int(place) for place in np.argwhere(~is_finite)[0])
            names = values.source.columns
            if len(names) != values.shape[1]:  # none, or one of lists
                names = [str(number + 1) for number in range(values.shape[1])]
            raise InvalidInputError(
                "has values that are not finite",
                parameter=parameter,
                location=Location(
                    file=values.source.name or None,
                    row=start + row + 1,
                    column=names[column],
                ),
                remedy="remove or repair those rows",
            )
    return values.read() if values.size <= _SMALL_VALUES else values


def _opened(path: str, parameter: str) -> Any:
    """Open a matrix by the ending of its name."""
    ending = os.path.splitext(path.rstrip("/"))[1].lower()
    if ending == ".parquet":
        return StoredRows(ParquetSource(path))
    if ending == ".zarr":
        return StoredRows(ZarrSource(path))
    if ending == ".npy":
        try:
            return np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise _damaged(path, ".npy", error) from error
    problem = f"must be vectors, or a .npy, .parquet or .zarr; got {path!r}"
    raise InvalidInputError(problem, parameter=parameter)


def _damaged(path: str, what: str, error: Exception) -> InvalidInputError:
    """Return what a library says of a file, in a line."""
    reason = printable(str(error).split("\n", maxsplit=1)[0], 120)
    problem = f"it cannot be read as {what}: {reason or type(error).__name__}"
    return InvalidInputError(
        problem, location=Location(file=path), remedy="save it again"
    )


def _is_elsewhere(values: Any) -> bool:
    """Tell whether something is an array that is not in memory."""
    if isinstance(values, np.ndarray) or any(hasattr(values, a) for a in _IN_MEMORY):
        return False
    is_array = isinstance(getattr(values, "dtype", None), np.dtype)
    needed = ("shape", "__getitem__")
    # Sparse matrices have no values to slice, frames slice columns.
    is_other = hasattr(values, "nnz") or hasattr(values, "columns")
    return is_array and all(hasattr(values, a) for a in needed) and not is_other


def _check_numbers(
    values: Any, *, parameter: str | None = None, at: str | None = None
) -> None:
    """Refuse what is stored if it is no matrix of numbers."""
    problem = ""
    if np.dtype(values.dtype).kind not in "fiub":
        problem = f"must hold numbers; got dtype {values.dtype}"
    elif len(values.shape) != 2:
        problem = f"must have two dimensions (rows x columns); got {values.shape}"
    elif 0 in values.shape:
        problem = f"is empty: shape {values.shape}"
    if problem:
        location = None if at is None else Location(file=at)
        raise InvalidInputError(problem, parameter=parameter, location=location)


def _kept_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Keep float32; all else becomes float64 (see `check_matrix`)."""
    is_single = dtype.kind == "f" and dtype.itemsize == 4
    return np.dtype(np.float32 if is_single else np.float64)


def row_blocks(
    matrix: AnyRows, n_values: int | None = None
) -> Iterator[tuple[int, Matrix]]:
    """Go through stored rows by blocks, each with the number of its first row.

    What is in memory is one block, unless `n_values` says how large they may be.
    """
    if n_values is None and not isinstance(matrix, StoredRows):
        yield 0, matrix
        return
    n_rows = max(1, (n_values or _BLOCK_VALUES) // matrix.shape[1])
    for start in range(0, matrix.shape[0], n_rows):
        yield start, load_rows(matrix, slice(start, start + n_rows))


def load_rows(matrix: AnyRows, rows: IntArray | slice) -> Matrix:
    """Return rows of a matrix, read if it is stored."""
    if not isinstance(matrix, StoredRows):
        return matrix[rows]
    if isinstance(rows, slice):
        rows = np.arange(*rows.indices(len(matrix)))
    return matrix.take(rows).read()


def take_rows(matrix: AnyRows, rows: IntArray) -> AnyRows:
    """Return rows of a matrix; of one that is stored, where they lie."""
    stored = matrix if isinstance(matrix, StoredRows) else mapped_rows(matrix)
    return matrix[rows] if stored is None else stored.take(rows)  # type: ignore[index]


def read_rows(rows: AnyRows) -> Matrix:
    """Read rows that are stored; others are there."""
    return rows.read() if isinstance(rows, StoredRows) else rows


def mapped_rows(matrix: Any) -> StoredRows | None:
    """Return where an array lies that is a file mapped into memory; else None."""
    base, root = matrix, None
    while isinstance(base, np.ndarray):
        # Parts of a mapped array say that they begin where the whole does.
        root = base if isinstance(base, np.memmap) else root
        base = base.base
    if root is None or root.filename is None or not matrix.flags.c_contiguous:
        return None
    place = os.path.abspath(str(root.filename))
    offset = int(root.offset) + matrix.ctypes.data - root.ctypes.data
    return StoredRows(MappedSource(place, matrix.dtype.str, offset, matrix.shape))
