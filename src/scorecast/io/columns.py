"""What every table offers, whatever the format of its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from scorecast._core.near_names import near_name
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.io.paths import DEFAULT_MAX_BYTES
from scorecast.io.wording import listed, one_line, quoted

__all__ = [
    "LABEL_COLUMNS",
    "Columns",
    "Table",
    "TableOptions",
    "find_column",
]

LABEL_COLUMNS = frozenset({"label", "y", "y_true", "target", "class", "true", "truth"})


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How to read a table."""

    decimal: str = "."
    delimiter: str | None = None
    header: bool = True
    checks_header: bool = True  # whether names must differ and be no numbers
    max_bytes: int = DEFAULT_MAX_BYTES
    unwanted: str = "leave the column out with --drop"  # of one without numbers
    allows_missing: bool = False  # whether an empty number is NaN
    naming: str = "name the columns (logit_0, logit_1, ...)"  # where names are missing

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            msg = f"`decimal` must be '.' or ','; got {self.decimal!r}."
            raise UsageError(msg)
        delimiter = self.delimiter
        if delimiter is not None and (
            len(delimiter) != 1 or delimiter.isalnum() or delimiter in "\"'\r\n.+-\0"
        ):
            msg = f"`delimiter` must be one character such as ';'; got {delimiter!r}."
            raise UsageError(msg)
        if delimiter == self.decimal:
            msg = "`delimiter` and `decimal` cannot both be ','."
            raise UsageError(msg)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Some columns of a table, read."""

    values: NDArray[Any]  # one column per number column asked for
    texts: list[NDArray[Any]]  # one vector per text column asked for
    lines: Sequence[int] | None  # line of each row in the file, if it has lines
    # How the first missing number of every column is written, if the file has text.
    missing: Sequence[str | None] | None = None

    def place(self, row: int) -> str:
        """Say where a row stands in the file, counted from one."""
        if self.lines is None:
            return row_place(row)
        return f"line {self.lines[row]}"


def row_place(row: int) -> str:
    """Say where a row stands in a file without lines, counted from one."""
    return f"row {row + 1}"


class Table(Protocol):
    """A file with columns, of which the header has been read."""

    @property
    def name(self) -> str:
        """The file, for messages."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names, all different; None without header."""

    @property
    def n_columns(self) -> int:
        """Number of columns."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed about the file and deserves to be said."""

    def read(self, numbers: Sequence[int], texts: Sequence[int]) -> Columns:
        """Read columns by position: some as numbers, some as labels."""


def find_column(table: Table, wanted: str, option: str) -> int:
    """Return the position of a column.

    Parameters
    ----------
    table : Table
        The table.
    wanted : str
        The name; without header, the position counted from one.
    option : str
        The option that takes it, for the message.

    Returns
    -------
    int
        Counted from zero.

    Raises
    ------
    InvalidInputError
        If there is no such column.
    """
    if table.columns is None:
        if wanted.isascii() and wanted.isdigit() and len(wanted) < 10:
            index = int(wanted) - 1
            if 0 <= index < table.n_columns:
                return index
        msg = (
            f"{table.name} is read without header: name a column by its position "
            f"from 1 to {table.n_columns} ({option} 1), not {quoted(wanted)}"
        )
        raise InvalidInputError(msg)
    if wanted in table.columns:
        return table.columns.index(wanted)
    near = near_name(wanted, table.columns)
    fix = f"pick one with {option} NAME"
    if near:
        fix = f"did you mean {quoted(near)}?"
    elif option == "--drop":
        fix = f"leave out --drop {one_line(wanted)}, or name one of these"
    msg = (
        f"{table.name} has no column {quoted(wanted)} but {listed(table.columns)}; "
        f"{fix}"
    )
    raise InvalidInputError(msg)
