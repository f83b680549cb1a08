"""The body of a delimited file: text lines in, numbers and labels out.

Numbers are parsed by `numpy.loadtxt`, whose C code is as fast as any table library;
labels are cut out of the same lines on their way there.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError
from scorecast.io.paths import check_size
from scorecast.io.text_lines import Lines
from scorecast.io.wording import one_line, quoted

__all__ = ["MISSING", "Rows", "is_number", "split_record"]

# What numpy.loadtxt takes for a number; float() would also take 1_000 and Arabic
# digits. Nothing is tried twice (++), so that the time grows as the length of a cell.
_NUMBER = re.compile(
    r"\s*+[+-]?((\d++(\.\d*+)?|\.\d++)(e[+-]?\d++)?|inf|infinity|nan)\s*+",
    re.IGNORECASE | re.ASCII,
)
_DECIMAL_COMMA = re.compile(
    r"\s*+[+-]?\d++,\d++(e[+-]?\d++)?\s*+", re.IGNORECASE | re.ASCII
)
_LONGEST = 10_000  # characters of a cell that is read
# Not "none", which may well be a class: no disease.
MISSING = ("", "na", "n/a", "nan", "null")
_BLANK = ("\n", "\r\n", "\r")
_LINE_END = re.compile(r"[\r\n]")


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number, NaN and infinity included."""
    return _NUMBER.fullmatch(cell) is not None


def split_record(line: str, lines: Lines, delimiter: str) -> list[str]:
    """Cut a record into cells; quoted cells may go on in the following lines.

    Parameters
    ----------
    line : str
        The first line of the record, taken from `lines`.
    lines : Lines
        Where to find the others.
    delimiter : str
        What separates cells.

    Returns
    -------
    list of str
        The cells, without quotes.

    Raises
    ------
    InvalidInputError
        If quotes are not balanced.
    """
    if '"' not in line:
        return line.rstrip("\r\n").split(delimiter)
    start = lines.number
    try:
        reader = csv.reader(chain([line], lines), delimiter=delimiter, strict=True)
        return next(reader)
    except csv.Error as error:
        msg = (
            f"{lines.name}, line {start}: a quoted cell is broken "
            f"({one_line(error)}); close the quote and double quotes inside it"
        )
        raise InvalidInputError(msg) from error


@dataclass(kw_only=True)
class Rows:
    """Rows of a delimited file and which of their cells are wanted."""

    lines: Lines
    delimiter: str
    decimal: str
    names: Sequence[str]  # columns as messages call them
    numbers: Sequence[int]
    texts: Sequence[int]
    max_bytes: int
    unwanted: str  # what to do with a column without numbers
    allows_missing: bool = False  # whether an empty number is NaN
    line_numbers: array[int] = field(default_factory=lambda: array("q"))
    labels: list[list[str]] = field(init=False)
    missing: dict[int, str] = field(default_factory=dict)  # the first of each column
    _record: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.labels = [[] for _ in self.texts]

    def load(self) -> FloatArray:
        """Read all rows; the labels stay in `labels`.

        Returns
        -------
        ndarray of shape (n_rows, n_numbers)
            The number columns.

        Raises
        ------
        InvalidInputError
            If a row is ragged, a cell is no number, or there is no row.
        """
        rows = self._rows()
        first = next(rows, None)
        if first is None:
            msg = f"{self.lines.name} has a header but no rows"
            raise InvalidInputError(msg)
        if not self.numbers:
            n_rows = 1 + sum(1 for _ in rows)
            return np.empty((n_rows, 0))
        try:
            values: FloatArray = np.loadtxt(
                chain([first], rows),
                delimiter=self.delimiter,
                comments=None,
                usecols=list(self.numbers),
                ndmin=2,
            )
        except InvalidInputError:
            raise
        except ValueError as error:
            # It reads line by line, so the fault is in the last one handed over.
            raise self._first_bad(self._record.split(self.delimiter)) from error
        return values

    def _rows(self) -> Iterator[str]:
        n_bytes = 8 * max(1, len(self.numbers)) + 64 * len(self.texts)
        max_rows = self.max_bytes // n_bytes
        blank: int | None = None
        for line in self.lines:
            if line in _BLANK:
                blank = self.lines.number if blank is None else blank
                continue
            if blank is not None:
                self._fill(blank)
                blank = None
            self.line_numbers.append(self.lines.number)
            n_rows = len(self.line_numbers)
            if n_rows > max_rows:
                check_size(self.lines.name, n_bytes * n_rows, self.max_bytes)
            yield self._row(line)

    def _fill(self, first_blank: int) -> None:
        """Take empty lines between others as empty labels, in a column of labels.

        Empty lines at the end of a file are mere habit and were never counted.
        """
        if self.numbers or len(self.names) > 1:
            msg = f"{self.lines.name}, line {first_blank} is empty; remove it"
            raise InvalidInputError(msg)
        for number in range(first_blank, self.lines.number):
            self.line_numbers.append(number)
            for labels in self.labels:
                labels.append("")

    def _row(self, line: str) -> str:
        """Cut labels out of a line and make the rest fit for `numpy.loadtxt`."""
        if '"' in line:
            start = self.lines.number
            cells = split_record(line, self.lines, self.delimiter)
            self._check_count(start, len(cells))
            self._keep(cells)
            self._check_lengths(cells)
            self._record = self._joined(cells)
            return self._record
        text = line.rstrip("\r\n")
        self._check_count(self.lines.number, text.count(self.delimiter) + 1)
        if self.texts:
            cells = text.split(self.delimiter, max(self.texts) + 1)
            self._keep(cells)
        if len(text) > _LONGEST and self._may_be_long(text):
            self._check_lengths(text.split(self.delimiter))
        if self.numbers and (self.decimal == "," or self._may_lack(text)):
            text = self._joined(text.split(self.delimiter))
        self._record = text
        return text

    def _keep(self, cells: Sequence[str]) -> None:
        for labels, index in zip(self.labels, self.texts, strict=True):
            labels.append(cells[index])

    def _may_be_long(self, text: str) -> bool:
        """Tell whether a cell may be too long, without cutting the line."""
        half = _LONGEST // 2
        starts = range(0, len(text) - half + 1, half)
        return any(text.find(self.delimiter, i, i + half) < 0 for i in starts)

    def _check_lengths(self, cells: Sequence[str]) -> None:
        for index in (*self.texts, *self.numbers):
            if len(cells[index]) > _LONGEST:
                place = f"line {self.line_numbers[-1]}, {self.names[index]}"
                msg = (
                    f"{self.lines.name}, {place}: a cell of {len(cells[index]):,} "
                    f"characters, of which at most {_LONGEST:,} are read; repair it"
                )
                raise InvalidInputError(msg)

    def _may_lack(self, text: str) -> bool:
        """Tell whether a cell may be missing, without cutting the line."""
        if not self.allows_missing:
            return False
        edged = f"{self.delimiter}{text.lower()}{self.delimiter}".replace(" ", "")
        marks = (f"{self.delimiter}{word}{self.delimiter}" for word in MISSING)
        return any(mark in edged for mark in marks)

    def _joined(self, cells: list[str]) -> str:
        """Write a line that holds the wanted numbers and nothing else."""
        plain = [""] * len(cells)
        for index in self.numbers:
            cell = cells[index].strip()
            if self.allows_missing and cell.lower() in MISSING:
                plain[index] = "nan"
                self.missing.setdefault(index, cell)
                continue
            if self.decimal == ",":
                # A point would group thousands here: 1.234 is not 1.234.
                if "." in cell:
                    raise self._complaint(index, cell)
                cell = cell.replace(",", ".")
            plain[index] = cell
        joined = self.delimiter.join(plain)
        # A quoted cell may hold what would end it once the quotes are gone.
        if joined.count(self.delimiter) >= len(cells) or _LINE_END.search(joined):
            self._record = joined
            raise self._first_bad(cells)
        return joined

    def _check_count(self, line: int, found: int) -> None:
        expected = len(self.names)
        if found == expected:
            return
        fix = "repair the line or pass --delimiter"
        if found == 2 * expected and self.delimiter == ",":
            fix = "if the decimals are commas, separate by ; and pass --decimal ,"
        msg = (
            f"{self.lines.name}, line {line} has {found} field(s) where {expected} "
            f"are expected (separated by {quoted(self.delimiter)}); {fix}"
        )
        raise InvalidInputError(msg)

    def _first_bad(self, cells: Sequence[str]) -> InvalidInputError:
        for index in self.numbers:
            if not is_number(cells[index]):
                return self._complaint(index, cells[index])
        place = f"{self.lines.name}, near line {self.line_numbers[-1]}"
        return InvalidInputError(f"{place}: the numbers cannot be read; repair them")

    def _complaint(self, index: int, cell: str) -> InvalidInputError:
        name = self.names[index]
        place = f"{self.lines.name}, line {self.line_numbers[-1]}, {name}"
        if not cell.strip():
            return InvalidInputError(
                f"{place}: the field is empty; fill it or remove the row"
            )
        if all(is_number(part) for part in cell.split()) and " " in cell.strip():
            fix = "cells seem to be separated by blanks: pass --delimiter ' '"
        elif self.decimal == "." and _DECIMAL_COMMA.fullmatch(cell):
            fix = "it looks like a decimal comma: pass --decimal ,"
        elif self.decimal == "," and "." in cell:
            fix = "it has a decimal point: leave out --decimal"
        elif cell.strip().endswith("%"):
            fix = "it is a percentage: divide by 100 and leave out the sign"
        elif self.line_numbers[-1] == 1:
            fix = "if line 1 holds the column names, leave out --no-header"
        else:
            fix = f"repair it or {self.unwanted}"
        return InvalidInputError(f"{place}: {quoted(cell)} is not a number; {fix}")
