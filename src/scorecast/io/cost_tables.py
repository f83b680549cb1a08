"""What each answer costs where each class is true, from any file that holds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.columns import Table, TableOptions
from scorecast.io.formats import Kind, kind_of
from scorecast.io.matrices import Matrix, read_matrix, refuse_flaws
from scorecast.io.paths import (
    DEFAULT_MAX_BYTES,
    FilePath,
    Location,
    locate,
    unchanged,
)
from scorecast.io.rows import is_number
from scorecast.io.tables import open_table
from scorecast.io.wording import listed, one_line, quoted

__all__ = ["CostTable", "read_costs"]

_AXES = "a row for every answer, a column for every true class"


@dataclass(frozen=True, kw_only=True, eq=False)
class CostTable:
    """Costs in the order of the classes.

    Attributes
    ----------
    values : ndarray of shape (K, K)
        Cost of deciding for the class of the row where that of the column is true.
    is_by_name : bool
        Whether names in the file were matched to the classes; if not, rows and
        columns were taken in their order.
    source : str
        The file, with ``::key`` if it holds several arrays.
    """

    values: NDArray[Any]
    is_by_name: bool
    source: str


def read_costs(
    path: FilePath,
    classes: Sequence[Hashable],
    *,
    whose: str = "the scores",
    naming: str = " (--classes FILE names those)",
    max_bytes: int = DEFAULT_MAX_BYTES,
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
    whose, naming : str
        What has these classes and how they are named, for messages.
    max_bytes : int, default=8 GiB
        Largest size of the data, in the file and in memory.

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
    location = locate(path)
    if kind_of(location.path) is Kind.TABLE and location.key is None:
        options = TableOptions(
            max_bytes=max_bytes, checks_header=False, unwanted="write costs as numbers"
        )
        with unchanged(location.path):
            said = f"{whose}{naming}"
            costs = _from_table(location, [str(c) for c in classes], options, said)
    else:
        matrix = read_matrix(path, max_bytes=max_bytes)
        costs = _in_order(matrix)
    n_classes = len(classes)
    if costs.values.shape != (n_classes, n_classes):
        n_rows, n_columns = costs.values.shape
        msg = (
            f"{one_line(costs.source, 300)} holds {n_rows} x {n_columns} costs but "
            f"there are {n_classes} classes; give {n_classes} x {n_classes}: {_AXES}"
        )
        raise InvalidInputError(msg)
    return costs


def _in_order(matrix: Matrix) -> CostTable:
    return CostTable(values=matrix.values, is_by_name=False, source=matrix.source)


def _from_table(
    location: Location, classes: list[str], options: TableOptions, whose: str
) -> CostTable:
    table = open_table(location, options)
    names = list(table.columns or ())
    n_rows = _count_rows(table)
    # A square of numbers has no line to spare for names.
    if all(map(is_number, names)) and n_rows != len(names):
        max_bytes = options.max_bytes
        return _in_order(read_matrix(location.path, header=False, max_bytes=max_bytes))
    has_row_names = n_rows + 1 == len(names)
    first = 1 if has_row_names else 0
    chosen = range(first, len(names))
    content = table.read(chosen, list(range(first)))
    matrix = Matrix(
        values=content.values,
        columns=tuple(names[first:]),
        source=location.source(None),
    )
    refuse_flaws(matrix, lambda number: content.place(number - 1), False)
    if n_rows != len(chosen):
        return _in_order(matrix)  # and refused for its shape
    columns = _places(names[first:], classes, f"{table.name}, header", whose)
    rows = None
    if has_row_names:
        said = [str(name) for name in content.texts[0].tolist()]
        rows = _places(said, classes, f"{table.name}, first column", whose)
    # Where one side has names, they hold for the other.
    rows, columns = rows or columns, columns or rows
    if rows is None or columns is None:
        return _in_order(matrix)
    values = matrix.values[np.ix_(rows, columns)]
    return CostTable(values=values, is_by_name=True, source=matrix.source)


def _count_rows(table: Table) -> int:
    return len(table.read([], [0]).texts[0])


def _places(
    names: list[str], classes: list[str], where: str, whose: str
) -> list[int] | None:
    """Return where each class stands; None if the names are mere row numbers."""
    names = [name.strip() for name in names]
    missing = [quoted(c) for c in classes if c not in set(names)]
    if missing and names == [str(i) for i in range(len(names))]:
        return None
    extra = [quoted(name) for name in names if name not in set(classes)]
    if missing or extra:
        parts = [f"no class {listed(missing)}"] if missing else []
        parts += [f"{listed(extra)}, of which there is no case"] if extra else []
        msg = (
            f"{where}: {' but '.join(parts)}; name costs as the classes of {whose}, or "
            "leave all names out"
        )
        raise InvalidInputError(msg)
    repeated = [quoted(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        msg = f"{where}: repeated class names {listed(repeated)}; give each one once"
        raise InvalidInputError(msg)
    return [names.index(c) for c in classes]
