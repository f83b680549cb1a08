"""A matrix of numbers from any file that holds one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.arrays import SCORE_NAMES, array_contents, choose_key, read_array
from scorecast.io.columns import Table, TableOptions, find_column
from scorecast.io.finite import find_flaws, real_matrix
from scorecast.io.formats import Kind, kind_of
from scorecast.io.paths import (
    DEFAULT_MAX_BYTES,
    FilePath,
    Location,
    locate,
    unchanged,
)
from scorecast.io.tables import open_table
from scorecast.io.wording import one_line, quoted

__all__ = ["Matrix", "check_names", "read_matrix", "refuse_flaws"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix:
    """Numbers read from a file.

    Attributes
    ----------
    values : ndarray of shape (n, m)
        Finite float32 or float64; perhaps mapped from the file and read-only.
    columns : tuple of str or None
        Names of the columns, if the file has names.
    source : str
        The file, with ``::key`` if it holds several arrays.
    stored : dtype
        Type of the numbers in the file, which `values` may be wider than.
    """

    values: NDArray[Any]
    columns: tuple[str, ...] | None
    source: str
    stored: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.float64))

    def as_stored(self) -> NDArray[Any]:
        """Return the numbers as rounded as the file has them, and no more."""
        return self.values.astype(self.stored, copy=False)


def read_matrix(
    path: FilePath,
    *,
    key: str | None = None,
    decimal: str = ".",
    delimiter: str | None = None,
    header: bool = True,
    drop: Sequence[str] = (),
    allow_negative_infinity: bool = False,
    allow_missing: bool = False,
    allow_nonfinite: bool = False,
    max_bytes: int = DEFAULT_MAX_BYTES,
    unwanted: str = TableOptions.unwanted,
) -> Matrix:
    r"""Read a matrix of finite numbers.

    The ending of the name decides: ``.npy``, ``.npz``, ``.safetensors``, ``.csv``,
    ``.csv.gz``, ``.tsv``, ``.parquet``, ``.arrow``, ``.feather``. Nothing in a file is
    ever executed, and no more memory is taken than `max_bytes`.

    Parameters
    ----------
    path : str or path-like
        The file; ``file.npz::key`` picks one array, ``file.csv::name`` one column.
    key : str, optional
        The same, given apart.
    decimal : {".", ","}, default="."
        Decimal mark of a text table.
    delimiter : str, optional
        Delimiter of a text table; found out if not given.
    header : bool, default=True
        Whether the first line of a text table names the columns.
    drop : sequence of str, default=()
        Columns to leave out.
    allow_negative_infinity : bool, default=False
        Whether minus infinity (the logarithm of zero) may occur.
    allow_missing : bool, default=False
        Whether NaN may occur.
    allow_nonfinite : bool, default=False
        Whether anything may, for callers who look for it themselves.
    max_bytes : int, default=8 GiB
        Largest size of the data, in the file and in memory.
    unwanted : str, optional
        What to do with a column without numbers, for the message.

    Returns
    -------
    Matrix
        Values, names and source.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged, of another kind, or holds anything but
        finite numbers.
    UsageError
        If `delimiter` or `decimal` is not one that can be.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("a;b\n1;2,5\n")
    >>> read_matrix(path, decimal=",").values.tolist()
    [[1.0, 2.5]]
    """
    location = locate(path, key)
    kind = kind_of(location.path)
    options = TableOptions(
        decimal=decimal,
        delimiter=delimiter,
        header=header,
        max_bytes=max_bytes,
        unwanted=unwanted,
    )
    with unchanged(location.path):
        if kind is Kind.ARRAYS:
            matrix, place = _from_arrays(location, drop, max_bytes)
        elif kind is Kind.TABLE:
            matrix, place = _from_table(location, drop, options)
        else:
            msg = f"{location.name}: a .txt file is read as labels; name a table .csv"
            raise InvalidInputError(msg)
        if not allow_nonfinite:
            refuse_flaws(matrix, place, allow_negative_infinity, allow_missing)
    return matrix


def _from_arrays(
    location: Location, drop: Sequence[str], max_bytes: int
) -> tuple[Matrix, Callable[[int], str]]:
    if drop:
        msg = f"{location.name} has no column names, so none can be dropped"
        raise InvalidInputError(msg)
    contents = array_contents(location, max_bytes)
    key = choose_key(location, contents, SCORE_NAMES, "a matrix")
    array = read_array(location, key, max_bytes)
    values = real_matrix(array, location.at(key), max_bytes)
    matrix = Matrix(
        values=values, columns=None, source=location.source(key), stored=array.dtype
    )
    return matrix, "row {}".format


def _from_table(
    location: Location, drop: Sequence[str], options: TableOptions
) -> tuple[Matrix, Callable[[int], str]]:
    table = open_table(location, options)
    if location.key is not None:
        chosen = [find_column(table, location.key, f"{location.name}::NAME, --key")]
    else:
        dropped = {find_column(table, name, "--drop") for name in drop}
        chosen = [i for i in range(table.n_columns) if i not in dropped]
    if not chosen:
        msg = f"{location.name}: every column is dropped; leave some"
        raise InvalidInputError(msg)
    check_names(table, chosen)
    content = table.read(chosen, [])
    names = table.columns
    columns = None if names is None else tuple(names[i] for i in chosen)
    matrix = Matrix(
        values=content.values, columns=columns, source=location.source(None)
    )
    return matrix, lambda number: content.place(number - 1)


def check_names(table: Table, chosen: Sequence[int]) -> None:
    """Refuse a column without name among those wanted.

    Parameters
    ----------
    table : Table
        The table.
    chosen : sequence of int
        Positions of the columns.

    Raises
    ------
    InvalidInputError
        If a name is empty: the row numbers that pandas writes, most likely.
    """
    for index in chosen:
        if table.columns is not None and not table.columns[index].strip():
            msg = (
                f"{table.name}, line 1: column {index + 1} has no name; if it holds "
                "row numbers or names, leave it out with --drop '', or write the file "
                "without them (pandas: index=False, R: row.names=FALSE)"
            )
            raise InvalidInputError(msg)


def refuse_flaws(
    matrix: Matrix,
    place: Callable[[int], str],
    allow_negative_infinity: bool,
    allow_missing: bool = False,
) -> None:
    """Refuse numbers that are not finite.

    Parameters
    ----------
    matrix : Matrix
        The numbers.
    place : callable
        Says where a row, counted from one, stands in the file.
    allow_negative_infinity : bool
        Whether minus infinity may occur.
    allow_missing : bool, default=False
        Whether NaN may.

    Raises
    ------
    InvalidInputError
        If one is not finite, with its place.
    """
    flaws = find_flaws(
        matrix.values,
        allow_negative_infinity=allow_negative_infinity,
        allow_missing=allow_missing,
    )
    if flaws is None or flaws.first is None:
        return
    row, column = flaws.first
    name = column + 1 if matrix.columns is None else quoted(matrix.columns[column])
    msg = (
        f"{one_line(matrix.source, 300)}, {place(row + 1)}, column {name}: "
        f"{matrix.values[row, column]} is not finite ({flaws.n_cells} such values); "
        "repair or remove those rows"
    )
    raise InvalidInputError(msg)
