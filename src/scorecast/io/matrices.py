"""A matrix of numbers from any file that holds one; what mistakes cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError, listed, quoted
from scorecast.io.arrays import (
    SCORE_NAMES,
    ArrayFile,
    Nonfinite,
    real_matrix,
    refuse_nonfinite,
)
from scorecast.io.arrow import ArrowTable
from scorecast.io.delimited import is_number
from scorecast.io.files import FileData, FileLayout, FilePath, Holds, find_file
from scorecast.io.tables import (
    Table,
    check_names,
    dropped_columns,
    find_column,
    opened_source,
    table_only,
)

_AXES = "a row for every answer, a column for every true class"


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix(FileData):
    """Numbers read from a file.

    Attributes
    ----------
    values : ndarray of shape (n, m)
        Finite float32 or float64; perhaps mapped from the file and read-only.
    columns : tuple of str or None
        Names of the columns, if the file has names.
    stored : dtype
        Type of the numbers in the file, which `values` may be wider than.
    """

    values: NDArray[Any]
    columns: tuple[str, ...] | None
    stored: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.float64))

    def as_stored(self) -> NDArray[Any]:
        """Return the numbers as rounded as the file has them, and no more."""
        return self.values.astype(self.stored, copy=False)


def read_matrix(
    path: FilePath,
    *,
    nonfinite: Nonfinite = "refuse",
    by_rows: bool = False,
    may_be_vector: bool = False,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> Matrix:
    r"""Read a matrix of numbers.

    The ending of the name decides: ``.npy``, ``.npz``, ``.safetensors``, ``.csv``,
    ``.csv.gz``, ``.tsv``, ``.parquet``, ``.arrow``, ``.feather``. Nothing in a file is
    ever executed, and no more memory is taken than ``layout.max_bytes``.

    Parameters
    ----------
    path : str or path-like
        The file; ``file.npz::key`` picks one array, ``file.csv::name`` one column.
    nonfinite : {"refuse", "allow", "missing", "negative-infinity"}, default="refuse"
        What may occur besides finite numbers: nothing, anything (for callers who look
        for it themselves), NaN, minus infinity (the logarithm of zero).
    by_rows : bool, default=False
        Whether it is only looked at by rows, so that a ``.npy`` may be larger than
        memory.
    may_be_vector : bool, default=False
        Whether an array of one dimension will do, as a matrix of one column.
    layout : FileLayout, optional
        How the file is laid out.

    Returns
    -------
    Matrix
        Values, names and source.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged, of another kind, or holds anything but
        numbers that are allowed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("a;b\n1;2,5\n")
    >>> read_matrix(path, layout=FileLayout(decimal=",")).values.tolist()
    [[1.0, 2.5]]
    """
    with opened_source(path, layout) as source:
        if isinstance(source, ArrayFile):
            matrix = _from_arrays(
                source, layout, by_rows=by_rows, may_be_vector=may_be_vector
            )
        else:
            matrix = _from_table(source, layout)
        refuse_nonfinite(
            matrix.values, matrix.place, matrix.columns, nonfinite=nonfinite
        )
    return matrix


def _from_arrays(
    source: ArrayFile, layout: FileLayout, *, by_rows: bool, may_be_vector: bool
) -> Matrix:
    dropped_columns(source, layout.drop)
    key = source.choose(SCORE_NAMES, "a matrix")
    array = source.read(key, by_rows=by_rows)
    if may_be_vector and array.ndim == 1:
        array = array[:, None]
    return Matrix(
        values=real_matrix(array, source.file, key, layout.max_bytes),
        columns=None,
        source=source.file.source(key),
        stored=array.dtype,
    )


def read_vector_columns(
    path: FilePath,
    *,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> tuple[str, ...]:
    """Return the columns that hold vectors in a file of Parquet, which is left unread.

    Parameters
    ----------
    path : str or path-like
        The file.
    layout : FileLayout, optional
        Which columns to leave out, and how much memory rows may take.

    Returns
    -------
    tuple of str
        A column for every feature, or one of lists.

    Raises
    ------
    InvalidInputError
        If it is no such file, or another column holds no numbers.
    """
    with opened_source(path, layout) as source:
        table = table_only(source)
        chosen = _chosen(table, layout)
        if isinstance(table, ArrowTable):
            table.check_vectors(chosen)
        return tuple((table.columns or ())[i] for i in chosen)


def _chosen(table: Table, layout: FileLayout) -> list[int]:
    """Return the columns of a matrix."""
    if table.file.key is not None:
        return [find_column(table, table.file.key, "key")]
    dropped = dropped_columns(table, layout.drop)
    chosen = [i for i in range(table.n_columns) if i not in dropped]
    if not chosen:
        problem = "every column is dropped"
        raise table.file.refusal(problem, remedy="leave some", option="drop")
    check_names(table, chosen)
    return chosen


def _from_table(table: Table, layout: FileLayout) -> Matrix:
    chosen = _chosen(table, layout)
    content = table.read(chosen, [])
    names = table.columns
    return Matrix(
        values=content.values,
        columns=None if names is None else tuple(names[i] for i in chosen),
        source=table.file.source(),
        lines=content.lines,
    )


# Costs -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class CostTable(FileData):
    """Costs in the order of the classes.

    Attributes
    ----------
    values : ndarray of shape (K, K)
        Cost of deciding for the class of the row where that of the column is true.
    is_by_name : bool
        Whether names in the file were matched to the classes; if not, rows and
        columns were taken in their order.
    """

    values: NDArray[Any]
    is_by_name: bool


def read_costs(
    path: FilePath,
    classes: Sequence[Hashable],
    *,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> CostTable:
    r"""Read what mistakes cost.

    A table may name the classes in its header, and in its first column as well; they
    are then put in the order of `classes`. A bare matrix is taken as it stands.

    Parameters
    ----------
    path : str or path-like
        The file, as for `read_matrix`.
    classes : sequence of hashable
        The classes in their order, compared as text.
    layout : FileLayout, optional
        How the file is laid out; whether it has a header is found out.

    Returns
    -------
    CostTable
        One row per answer, one column per true class.

    Raises
    ------
    InvalidInputError
        If the file holds no such table, or names other classes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "cost.csv"
    >>> _ = path.write_text("said,dog,cat\ndog,0,5\ncat,1,0\n")
    >>> read_costs(path, ["cat", "dog"]).values.tolist()
    [[0.0, 1.0], [5.0, 0.0]]
    """
    file = find_file(path, layout.key)
    if file.format().holds is Holds.TABLE and file.key is None:
        headed = replace(layout, header=True)
        with opened_source(path, headed, checks_header=False) as source:
            table, names = table_only(source), [str(c) for c in classes]
            costs = _from_named(table, names, layout)
    else:
        costs = _in_order(read_matrix(path, layout=layout))
    n = len(classes)
    if costs.values.shape != (n, n):
        n_rows, n_columns = costs.values.shape
        raise InvalidInputError(
            f"it holds {n_rows} x {n_columns} costs but there are {n} classes",
            location=costs.location,
            remedy=f"give {n} x {n}: {_AXES}",
        )
    return costs


def _in_order(matrix: Matrix) -> CostTable:
    return CostTable(values=matrix.values, is_by_name=False, source=matrix.source)


def _from_named(table: Table, classes: list[str], layout: FileLayout) -> CostTable:
    names = list(table.columns or ())
    n_rows = len(table.read([], [0]).texts[0])
    # A square of numbers has no line to spare for names.
    if all(map(is_number, names)) and n_rows != len(names):
        bare = replace(layout, header=False)
        return _in_order(read_matrix(table.file.path, layout=bare))
    has_row_names = n_rows + 1 == len(names)
    first = 1 if has_row_names else 0
    chosen = range(first, len(names))
    content = table.read(chosen, list(range(first)), unwanted="write costs as numbers")
    refuse_nonfinite(content.values, content.place, names[first:])
    bare_costs = CostTable(
        values=content.values, is_by_name=False, source=table.file.source()
    )
    if n_rows != len(chosen):
        return bare_costs  # and refused for its shape
    columns = _places(names[first:], classes, table, line=1)
    rows = None
    if has_row_names:
        said = [str(name) for name in content.texts[0].tolist()]
        rows = _places(said, classes, table, column=names[0] or "1")
    # Where one side has names, they hold for the other.
    rows, columns = rows or columns, columns or rows
    if rows is None or columns is None:
        return bare_costs
    values = content.values[np.ix_(rows, columns)]
    return replace(bare_costs, values=values, is_by_name=True)


def _places(
    names: list[str], classes: list[str], table: Table, **place: Any
) -> list[int] | None:
    """Return where each class stands; None if the names are mere row numbers."""
    names = [name.strip() for name in names]
    missing = [quoted(c) for c in classes if c not in set(names)]
    if missing and names == [str(i) for i in range(len(names))]:
        return None
    extra = [quoted(name) for name in names if name not in set(classes)]
    if missing or extra:
        parts = [f"there is no class {listed(missing)}"] if missing else []
        parts += [f"there is {listed(extra)}, which is no class"] if extra else []
        raise table.file.refusal(
            " but ".join(parts),
            remedy="name costs as the classes are named, or leave all names out",
            option="classes",
            **place,
        )
    repeated = [quoted(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        problem = f"repeated class names {listed(repeated)}"
        raise table.file.refusal(problem, remedy="give each one once", **place)
    return [names.index(c) for c in classes]
