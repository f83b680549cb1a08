"""The true class of every example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.arrays import LABEL_NAMES, array_contents, choose_key, read_array
from scorecast.io.columns import (
    LABEL_COLUMNS,
    Table,
    TableOptions,
    find_column,
    row_place,
)
from scorecast.io.formats import Kind, kind_of
from scorecast.io.label_values import label_array, text_array
from scorecast.io.paths import (
    DEFAULT_MAX_BYTES,
    FilePath,
    Location,
    locate,
    unchanged,
)
from scorecast.io.rows import is_number
from scorecast.io.tables import open_table
from scorecast.io.text_lines import opened_lines
from scorecast.io.wording import listed, one_line, quoted

__all__ = ["Labels", "label_candidates", "read_labels"]

_NAMING = "name the column of labels (label)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels:
    """Labels read from a file.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Whole numbers (int64) or text. Text is exactly what the file holds: ``NA``,
        the empty text, ``7`` and ``007`` are four classes.
    source : str
        The file, with ``::key`` or ``::column`` if one was picked.
    notes : tuple of str
        What was assumed about the file, in sentences.
    place : callable
        Says where a label, counted from zero, stands in the file.
    """

    values: NDArray[Any]
    source: str
    notes: tuple[str, ...] = ()
    place: Callable[[int], str] = row_place


def read_labels(
    path: FilePath,
    *,
    column: str | None = None,
    key: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Labels:
    r"""Read one label per example.

    Text tables and ``.txt`` files (one label per line, no header) give text, always;
    arrays and binary tables give whole numbers where they hold them.

    Parameters
    ----------
    path : str or path-like
        The file; ``file.npz::key`` picks an array, ``file.csv::name`` a column.
    column : str, optional
        Column of a table; not needed if there is one, or one is named label, y,
        y_true, target, class or true. Without header, the position from 1.
    key : str, optional
        Array of an ``.npz`` or ``.safetensors`` file.
    delimiter : str, optional
        Delimiter of a text table; found out if not given.
    header : bool, default=True
        Whether the first line of a text table names the columns. In a table of one
        column it is still a label if it looks like one: a number among numbers, or a
        text that comes again. A note then says so.
    max_bytes : int, default=8 GiB
        Largest size of the data, in the file and in memory.

    Returns
    -------
    Labels
        Values and source.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged, of another kind, or holds no labels.
    UsageError
        If `delimiter` is not one that can be.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.txt"
    >>> _ = path.write_text("NA\n7\n007\n")
    >>> read_labels(path).values.tolist()
    ['NA', '7', '007']
    """
    location = locate(path, key)
    kind = kind_of(location.path)
    options = TableOptions(
        delimiter=delimiter, header=header, max_bytes=max_bytes, naming=_NAMING
    )
    with unchanged(location.path):
        if kind is Kind.ARRAYS:
            return _from_arrays(location, max_bytes)
        if kind is Kind.TABLE:
            return _from_table(location, column, options)
        return _from_lines(location, max_bytes)


def _from_arrays(location: Location, max_bytes: int) -> Labels:
    contents = array_contents(location, max_bytes)
    key = choose_key(location, contents, LABEL_NAMES, "labels")
    values = label_array(read_array(location, key, max_bytes), location.at(key))
    return Labels(values=values, source=location.source(key))


def _from_lines(location: Location, max_bytes: int) -> Labels:
    with opened_lines(location, max_bytes) as lines:
        labels = [line.rstrip("\r\n") for line in lines]
    while labels and not labels[-1]:
        labels.pop()
    if not labels:
        msg = f"{location.name} holds no labels, only empty lines"
        raise InvalidInputError(msg)
    return Labels(
        values=text_array(labels),
        source=location.source(None),
        place=lambda row: f"line {row + 1}",
    )


def _from_table(
    location: Location, column: str | None, options: TableOptions
) -> Labels:
    if None not in (column, location.key) and column != location.key:
        msg = (
            f"{location.name}::{one_line(location.key)} and --label-column name two "
            "columns; give one of them"
        )
        raise InvalidInputError(msg)
    wanted = location.key if column is None else column
    if options.header:
        plain = _plain_list(location, wanted, options)
        if plain is not None:
            return plain
    table = open_table(location, options)
    index = _choose(table, wanted)
    content = table.read([], [index])
    picked = table.columns[index] if table.columns and table.n_columns > 1 else None
    return Labels(
        values=content.texts[0], source=location.source(picked), place=content.place
    )


def _plain_list(
    location: Location, wanted: str | None, options: TableOptions
) -> Labels | None:
    """Read a list of labels; None if the file is a table with a common header."""
    table = open_table(location, replace(options, header=False))
    if table.columns is not None or table.n_columns > 1:
        return None
    content = table.read([], [0])
    values = content.texts[0]
    if wanted is not None:
        # pandas heads a column without name by 0: so called, it is a name.
        is_name = wanted == values[0] and len(values) > 1
        source = location.source(None)
        if not is_name:
            return None
        return Labels(
            values=values[1:],
            source=source,
            place=lambda row: content.place(row + 1),
        )
    first, others = values[0], set(values[1:].tolist())
    comes_again = first in others
    if comes_again and first.strip().lower() in LABEL_COLUMNS:
        msg = (
            f"{location.name}, line 1: {quoted(first)} may be the column name but is "
            "also a label; pass --no-header if it is data, or --label-column "
            f"{one_line(first)} if it is the name"
        )
        raise InvalidInputError(msg)
    is_among_numbers = bool(others) and all(map(is_number, {first, *others}))
    if not (comes_again or is_among_numbers):
        return None
    note = (
        f"{location.name}: the first line, {quoted(first)}, was taken as a label, not "
        "as a column name"
    )
    return Labels(
        values=values,
        source=location.source(None),
        notes=(note,),
        place=content.place,
    )


def _choose(table: Table, wanted: str | None) -> int:
    if wanted is not None:
        return find_column(table, wanted, "--label-column")
    if table.n_columns == 1:
        return 0
    found = label_candidates(table)
    if len(found) == 1:
        return found[0]
    names = table.columns or tuple(str(i + 1) for i in range(table.n_columns))
    msg = (
        f"{table.name} has several columns ({listed(names)}); say which one holds the "
        f"labels: --label-column NAME or {table.name}::NAME"
    )
    raise InvalidInputError(msg)


def label_candidates(table: Table) -> list[int]:
    """Return the positions of columns that are named as labels usually are."""
    names = table.columns or ()
    return [i for i, name in enumerate(names) if name.strip().lower() in LABEL_COLUMNS]
