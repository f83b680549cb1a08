"""Columns of a table by their names, or arrays of one length by their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.arrays import array_contents, describe_contents, read_array
from scorecast.io.columns import TableOptions, find_column, row_place
from scorecast.io.formats import Kind, kind_of
from scorecast.io.label_values import label_array
from scorecast.io.paths import (
    DEFAULT_MAX_BYTES,
    FilePath,
    Location,
    locate,
    unchanged,
)
from scorecast.io.tables import open_table
from scorecast.io.wording import listed, one_line, quoted

__all__ = ["NamedColumns", "read_columns"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NamedColumns:
    """Columns read from a file.

    Attributes
    ----------
    numbers : mapping of str to ndarray
        Columns of numbers; without NaN and plus infinity.
    texts : mapping of str to ndarray
        Columns of labels: whole numbers or text.
    source : str
        The file.
    notes : tuple of str
        What was assumed about it.
    place : callable
        Says where a row, counted from zero, stands in the file.
    """

    numbers: Mapping[str, NDArray[Any]]
    texts: Mapping[str, NDArray[Any]]
    source: str
    notes: tuple[str, ...] = ()
    place: Callable[[int], str] = row_place


def read_columns(
    path: FilePath,
    numbers: Mapping[str, str],
    texts: Mapping[str, str] | None = None,
    *,
    decimal: str = ".",
    delimiter: str | None = None,
    header: bool = True,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> NamedColumns:
    r"""Read some columns of a table, or some arrays of an ``.npz`` file.

    Parameters
    ----------
    path : str or path-like
        The file.
    numbers : mapping of str to str
        Columns of numbers, each with the option that names it, for messages. Minus
        infinity is a number here: the logarithm of zero.
    texts : mapping of str to str, optional
        Columns of labels.
    decimal : {".", ","}, default="."
        Decimal mark of a text table.
    delimiter : str, optional
        Delimiter of a text table; found out if not given.
    header : bool, default=True
        Whether the first line of a text table names the columns; without, columns are
        named by their position from 1.
    max_bytes : int, default=8 GiB
        Largest size of the data, in the file and in memory.

    Returns
    -------
    NamedColumns
        The columns, by the names given.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged or of another kind, a column is missing, or a
        number is NaN or plus infinity.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("game,q,p\nA,0.7,0.5\nB,0.2,0.5\n")
    >>> read_columns(path, {"q": "--q"}, {"game": "--id"}).numbers["q"].tolist()
    [0.7, 0.2]
    """
    location = locate(path)
    kind = kind_of(location.path)
    labels = texts or {}
    with unchanged(location.path):
        if kind is Kind.ARRAYS:
            return _from_arrays(location, numbers, labels, max_bytes)
        if kind is Kind.TABLE:
            options = TableOptions(
                decimal=decimal,
                delimiter=delimiter,
                header=header,
                max_bytes=max_bytes,
                unwanted="name another column",
            )
            return _from_table(location, numbers, labels, options)
    msg = f"{location.name}: a .txt file has no columns; name a table .csv"
    raise InvalidInputError(msg)


def _from_table(
    location: Location,
    numbers: Mapping[str, str],
    texts: Mapping[str, str],
    options: TableOptions,
) -> NamedColumns:
    table = open_table(location, options)
    wanted = [find_column(table, name, option) for name, option in numbers.items()]
    labels = [find_column(table, name, option) for name, option in texts.items()]
    content = table.read(wanted, labels)
    found = {name: content.values[:, i] for i, name in enumerate(numbers)}
    for name, column in found.items():
        _refuse_nonfinite(column, name, location.name, content.place)
    return NamedColumns(
        numbers=found,
        texts=dict(zip(texts, content.texts, strict=True)),
        source=location.source(None),
        notes=table.notes,
        place=content.place,
    )


def _from_arrays(
    location: Location,
    numbers: Mapping[str, str],
    texts: Mapping[str, str],
    max_bytes: int,
) -> NamedColumns:
    contents = array_contents(location, max_bytes)
    for name, option in {**numbers, **texts}.items():
        if name not in contents:
            known = describe_contents(contents) if contents else "one without a name"
            msg = (
                f"{location.name} has no array {quoted(name)} but {known}; pick one "
                f"with {option} NAME"
            )
            raise InvalidInputError(msg)
    found = {}
    for name in numbers:
        column = read_array(location, name, max_bytes)
        found[name] = _vector(column, location.at(name))
        _refuse_nonfinite(found[name], name, location.name, row_place)
    labels = {
        name: label_array(read_array(location, name, max_bytes), location.at(name))
        for name in texts
    }
    sizes = {name: len(column) for name, column in (found | labels).items()}
    if len(set(sizes.values())) > 1:
        said = listed(f"{one_line(name)}: {size}" for name, size in sizes.items())
        msg = f"{location.name}: the arrays differ in length ({said})"
        raise InvalidInputError(msg)
    return NamedColumns(numbers=found, texts=labels, source=location.source(None))


def _vector(values: NDArray[Any], name: str) -> NDArray[Any]:
    if values.dtype.kind not in "fiub":
        msg = f"{name} holds {values.dtype} values where numbers are expected"
        raise InvalidInputError(msg)
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    if values.ndim != 1:
        msg = f"{name} must hold one number per case, but its shape is {values.shape}"
        raise InvalidInputError(msg)
    return values


def _refuse_nonfinite(
    column: NDArray[Any], name: str, file: str, place: Callable[[int], str]
) -> None:
    if column.dtype.kind != "f":
        return
    bad = np.isnan(column) | (column == np.inf)
    if bad.any():
        first = int(np.argmax(bad))
        msg = (
            f"{file}, {place(first)}, column {quoted(name)}: {column[first]} is not a "
            f"number to work with ({int(bad.sum())} such); repair or remove those rows"
        )
        raise InvalidInputError(msg)
