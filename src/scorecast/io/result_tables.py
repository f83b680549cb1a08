"""A table of results, some of which may be missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorecast.exceptions import InvalidInputError
from scorecast.io.arrow_tables import ArrowTable
from scorecast.io.columns import Columns, Table, TableOptions, find_column
from scorecast.io.formats import Kind, kind_of
from scorecast.io.paths import DEFAULT_MAX_BYTES, FilePath, locate, unchanged
from scorecast.io.rows import is_number
from scorecast.io.tables import open_table
from scorecast.io.wording import quoted

__all__ = ["ResultColumns", "read_results"]

_NOTHING = {"", "na", "n/a", "nan", "null", "none", "-", "?"}


@dataclass(frozen=True, kw_only=True, eq=False)
class ResultColumns:
    """Columns of a table of results.

    Attributes
    ----------
    columns : mapping of str to list
        Numbers, NaN where one is missing; or texts.
    source : str
        The file.
    notes : tuple of str
        What was assumed about it.
    """

    columns: Mapping[str, list[Any]]
    source: str
    notes: tuple[str, ...] = ()


def read_results(
    path: FilePath,
    *,
    texts: Sequence[str] = (),
    drop: Sequence[str] = (),
    decimal: str = ".",
    delimiter: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> ResultColumns:
    r"""Read a table of results; empty cells, NA and the like are missing results.

    Parameters
    ----------
    path : str or path-like
        A text table, or one of Arrow's formats.
    texts : sequence of str, default=()
        Columns that hold names, even if these look like numbers. Otherwise a column is
        one of names if its first result is no number.
    drop : sequence of str, default=()
        Columns to leave out.
    decimal, delimiter, max_bytes : optional
        As for `read_matrix`.

    Returns
    -------
    ResultColumns
        All columns that were not dropped.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged or of another kind, a column is missing, or a
        cell among numbers is none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("data,svm,tree\niris,0.9,0.8\nwine,,0.7\n")
    >>> read_results(path).columns["svm"]
    [0.9, nan]
    """
    location = locate(path)
    if kind_of(location.path) is not Kind.TABLE:
        msg = f"{location.name}: results are read from tables (.csv, .tsv, .parquet)"
        raise InvalidInputError(msg)
    options = TableOptions(
        decimal=decimal,
        delimiter=delimiter,
        max_bytes=max_bytes,
        allows_missing=True,
        naming="name the columns after the models",
    )
    with unchanged(location.path):
        table = open_table(location, options)
        left_out = {find_column(table, name, "--drop") for name in drop}
        named = {
            find_column(table, name, "--long, --row-names or --groups")
            for name in texts
        }
        kept = [i for i in range(table.n_columns) if i not in left_out]
        names = table.columns or ()
        read = _from_arrow if isinstance(table, ArrowTable) else _from_text
        columns = {names[i]: read(table, i, i in named, decimal) for i in kept}
    return ResultColumns(
        columns=columns, source=location.source(None), notes=table.notes
    )


def _from_arrow(table: Table, index: int, is_text: bool, decimal: str) -> list[Any]:
    del decimal
    if not is_text:
        try:
            values: list[Any] = table.read([index], []).values[:, 0].tolist()
        except InvalidInputError:
            return _labels(table.read([], [index]))
        return values
    return _labels(table.read([], [index]))


def _labels(content: Columns) -> list[Any]:
    return [str(x) for x in content.texts[0]]


def _from_text(table: Table, index: int, is_text: bool, decimal: str) -> list[Any]:
    content = table.read([], [index])
    cells = [str(cell).strip() for cell in content.texts[0]]
    known = [cell for cell in cells if cell.lower() not in _NOTHING]
    if is_text or (known and _number(known[0], decimal) is None):
        return cells
    found = []
    for row, cell in enumerate(cells):
        value = math.nan if cell.lower() in _NOTHING else _number(cell, decimal)
        if value is None:
            name = quoted((table.columns or ())[index])
            is_percent = cell.endswith("%") and _number(cell[:-1], decimal) is not None
            way = "leave out the % sign" if is_percent else "repair it"
            msg = (
                f"{table.name}, {content.place(row)}, column {name}: {quoted(cell)} is "
                f"no number; {way}, or leave the cell empty"
            )
            raise InvalidInputError(msg)
        found.append(value)
    return found


def _number(cell: str, decimal: str) -> float | None:
    text = cell.replace(",", ".") if decimal == "," else cell
    return float(text) if is_number(text) else None
