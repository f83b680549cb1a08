"""Tables as text, plain or gzipped: lines, quotes, delimiters, numbers.

Numbers are parsed by `numpy.loadtxt`, whose C code is as fast as any table library;
labels are cut out of the same lines on their way there. Everything odd is refused with
its line. What the columns mean is `io.tables`'.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    Location,
    listed,
    printable,
    quoted,
)
from scorecast.io.arrays import text_array
from scorecast.io.files import FileLayout, InputFile, check_size, opened, sniff

LABEL_COLUMNS = frozenset({"label", "y", "y_true", "target", "class", "true", "truth"})
# Not "none", which may well be a class: no disease.
MISSING = ("", "na", "n/a", "nan", "null")

_LONGEST_LINE = 64 * 2**20
_LONGEST_CELL = 10_000  # characters of a cell that is read
_BINARY = ("gzip data", "a zip archive", "text in UTF-16", "a .npy array", "an HDF5")
# What numpy.loadtxt takes for a number; float() would also take 1_000 and Arabic
# digits. Nothing is tried twice (++), so that the time grows as the length of a cell.
_NUMBER = re.compile(
    r"\s*+[+-]?((\d++(\.\d*+)?|\.\d++)(e[+-]?\d++)?|inf|infinity|nan)\s*+",
    re.IGNORECASE | re.ASCII,
)
_DECIMAL_COMMA = re.compile(
    r"\s*+[+-]?\d++,\d++(e[+-]?\d++)?\s*+", re.IGNORECASE | re.ASCII
)
# One point in 1.000 may part thousands or be the decimal mark.
_GROUPED = re.compile(r"\s*+[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d++)?\s*+", re.ASCII)
_BLANK = ("\n", "\r\n", "\r")
_LINE_END = re.compile(r"[\r\n]")
_QUOTED = re.compile(r'"[^"]*"?')
# In this order: a semicolon or tab in every line is no accident, whereas commas may
# be decimal.
_DELIMITERS = ("\t", ";", ",")
_LINES_TO_LOOK_AT = 10


@dataclass(frozen=True, kw_only=True)
class TableContent:
    """Some columns of a table, read."""

    file: InputFile
    values: NDArray[Any]  # one column per number column asked for
    texts: list[NDArray[Any]]  # one vector per text column asked for
    lines: Sequence[int] | None  # line of each row, if the file has lines

    def place(self, row: int, column: str | None = None) -> Location:
        """Return where a row, counted from zero, stands in the file."""
        name = str(self.file.path)
        if self.lines is None:
            return Location(file=name, row=row + 1, column=column)
        return Location(file=name, line=self.lines[row], column=column)


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number, NaN and infinity included."""
    return _NUMBER.fullmatch(cell) is not None


def decimal_hint(cell: str, decimal: str) -> str:
    """Say what to do about a cell whose decimal mark is another than was said.

    Parameters
    ----------
    cell : str
        No number as it is.
    decimal : str
        The mark that was said, "." or ",".

    Returns
    -------
    str
        A remedy that the argument `decimal` is for; nothing where that is no reason.
    """
    if decimal == "," and _GROUPED.fullmatch(cell):
        return (
            "leave out the points if they part thousands; else leave the decimal mark "
            "a point, as it is here"
        )
    if decimal == "," and is_number(cell) and "." in cell:
        return "leave the decimal mark a point, as it is here"
    if decimal == "." and _DECIMAL_COMMA.fullmatch(cell):
        return "say that the decimal mark is a comma, as it seems to be"
    if decimal == "." and _GROUPED.fullmatch(cell):
        return (
            "say that the decimal mark is a comma, as it seems to be, and leave out "
            "the points between thousands"
        )
    return ""


# Lines -------------------------------------------------------------------------------


class Lines(Iterator[str]):
    """Lines with their ends, counted from one as they are read."""

    def __init__(self, stream: io.TextIOBase, file: InputFile, longest: int) -> None:
        self.number = 0
        self.file = file
        self._stream = stream
        self._longest = longest

    def __next__(self) -> str:
        line = self._stream.readline(self._longest)
        if not line:
            raise StopIteration
        self.number += 1
        if "\0" in line:
            problem = "there is a null byte, so this is not plain text"
            remedy = "save it as text in UTF-8"
            raise self.file.refusal(problem, line=self.number, remedy=remedy)
        if len(line) >= self._longest:
            problem = "it is too long for a table"
            raise self.file.refusal(problem, line=self.number)
        return line


class _Limited(io.RawIOBase):
    """Unpacked bytes, up to a limit: a small file may unpack to terabytes."""

    def __init__(self, source: gzip.GzipFile, file: InputFile, max_bytes: int) -> None:
        self._source = source
        self._file = file
        self._max_bytes = max_bytes
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        data = self._source.read(len(view))
        self._count += len(data)
        check_size(self._file, self._count, self._max_bytes)
        view[: len(data)] = data
        return len(data)


@contextmanager
def opened_lines(file: InputFile, max_bytes: int) -> Iterator[Lines]:
    r"""Open a text file in UTF-8, with or without byte order mark.

    Parameters
    ----------
    file : InputFile
        The file; a name ending in ``.gz`` is unpacked.
    max_bytes : int
        Largest text accepted, unpacked.

    Yields
    ------
    Lines
        The lines, ends kept (``\n``, ``\r\n`` or ``\r``).

    Raises
    ------
    InvalidInputError
        If the file is empty, no text, not UTF-8, or damaged.
    """
    is_packed = file.ending.endswith(".gz")
    with opened(file) as stream:
        _check_head(stream, file, is_packed)
        check_size(file, stream.seek(0, 2), max_bytes)
        stream.seek(0)
        source = _unpacked(stream, file, max_bytes) if is_packed else stream
        text = io.TextIOWrapper(source, encoding="utf-8-sig", newline="")
        try:
            yield Lines(text, file, min(_LONGEST_LINE, max_bytes))
        except UnicodeDecodeError as error:
            raise _not_utf8(file, max_bytes) from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            problem = "it is damaged: the gzip data end early or are wrong"
            raise file.refusal(problem, remedy="pack it again") from error
        finally:
            text.detach()


def _unpacked(stream: BinaryIO, file: InputFile, max_bytes: int) -> BinaryIO:
    limited = _Limited(gzip.GzipFile(fileobj=stream), file, max_bytes)
    return cast(BinaryIO, io.BufferedReader(limited))


def _check_head(stream: BinaryIO, file: InputFile, is_packed: bool) -> None:
    head = stream.read(64)
    if not head:
        raise file.refusal("it is empty (0 bytes)")
    found = sniff(head)
    if is_packed and found != "gzip data":
        problem = f"this is not gzip data but {found}"
        raise file.refusal(problem, remedy="give it its true ending")
    if not is_packed and found.startswith(_BINARY):
        problem = f"this is not plain text but {found}"
        raise file.refusal(problem, remedy="save it as text in UTF-8")


def _not_utf8(file: InputFile, max_bytes: int) -> InvalidInputError:
    """Find the first line that is not UTF-8; the decoder only knows its block."""
    number = 1
    with opened(file) as stream:
        is_packed = file.ending.endswith(".gz")
        source = _unpacked(stream, file, max_bytes) if is_packed else stream
        for line in source:
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                break
            number += 1
    name = printable(file.path, 200)
    remedy = f"save it as UTF-8: iconv -f LATIN1 -t UTF-8 {name} > new.csv"
    return file.refusal("this is not UTF-8", line=number, remedy=remedy)


def split_record(line: str, lines: Lines, delimiter: str) -> list[str]:
    """Cut a record into cells; quoted cells may go on in the following lines."""
    if '"' not in line:
        return line.rstrip("\r\n").split(delimiter)
    start = lines.number
    try:
        reader = csv.reader(chain([line], lines), delimiter=delimiter, strict=True)
        return next(reader)
    except csv.Error as error:
        raise lines.file.refusal(
            f"a quoted cell is broken ({printable(error)})",
            line=start,
            remedy="close the quote and double quotes inside it",
        ) from error


# Rows --------------------------------------------------------------------------------


@dataclass(kw_only=True)
class _Rows:
    """Rows of a delimited file and which of their cells are wanted."""

    lines: Lines
    delimiter: str
    layout: FileLayout
    names: Sequence[str]  # columns as messages call them
    numbers: Sequence[int]
    texts: Sequence[int]
    allow_missing: bool  # whether an empty number is NaN
    unwanted: str  # what to do with a column without numbers
    leaving_out: str  # the argument that leaves out rows without a number
    line_numbers: array[int] = field(default_factory=lambda: array("q"))
    labels: list[list[str]] = field(init=False)
    _record: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.labels = [[] for _ in self.texts]

    def load(self) -> FloatArray:
        """Read all rows; the labels stay in `labels`."""
        rows = self._rows()
        first = next(rows, None)
        if first is None:
            raise self.lines.file.refusal("it has a header but no rows")
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
        max_rows = self.layout.max_bytes // n_bytes
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
                file, limit = self.lines.file, self.layout.max_bytes
                check_size(file, n_bytes * n_rows, limit)
            row = self._row(line)
            # NumPy would pass over it, and rows would no longer be those of the file.
            if self.numbers and not row.strip():
                raise self._no_number(self.numbers[0], "")
            yield row

    def _fill(self, first_blank: int) -> None:
        """Take empty lines between others as empty labels, in a column of labels.

        Empty lines at the end of a file are mere habit and were never counted.
        """
        if self.numbers or len(self.names) > 1:
            remedy = "remove it"
            raise self._refusal("the line is empty", line=first_blank, remedy=remedy)
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
        if len(text) > _LONGEST_CELL and self._may_be_long(text):
            self._check_lengths(text.split(self.delimiter))
        if self.numbers and (self.layout.decimal == "," or self._may_lack(text)):
            text = self._joined(text.split(self.delimiter))
        self._record = text
        return text

    def _keep(self, cells: Sequence[str]) -> None:
        for labels, index in zip(self.labels, self.texts, strict=True):
            labels.append(cells[index])

    def _may_be_long(self, text: str) -> bool:
        """Tell whether a cell may be too long, without cutting the line."""
        half = _LONGEST_CELL // 2
        starts = range(0, len(text) - half + 1, half)
        return any(text.find(self.delimiter, i, i + half) < 0 for i in starts)

    def _check_lengths(self, cells: Sequence[str]) -> None:
        for index in (*self.texts, *self.numbers):
            if len(cells[index]) > _LONGEST_CELL:
                raise self._refusal(
                    f"the cell has {len(cells[index]):,} characters, of which at most "
                    f"{_LONGEST_CELL:,} are read",
                    column=self.names[index],
                    remedy="repair it",
                )

    def _may_lack(self, text: str) -> bool:
        """Tell whether a cell may be missing, without cutting the line."""
        if not self.allow_missing:
            return False
        edged = f"{self.delimiter}{text.lower()}{self.delimiter}".replace(" ", "")
        marks = (f"{self.delimiter}{word}{self.delimiter}" for word in MISSING)
        return any(mark in edged for mark in marks)

    def _joined(self, cells: list[str]) -> str:
        """Write a line that holds the wanted numbers and nothing else."""
        plain = [""] * len(cells)
        for index in self.numbers:
            cell = cells[index].strip()
            if self.allow_missing and cell.lower() in MISSING:
                plain[index] = "nan"
                continue
            if self.layout.decimal == ",":
                # A point would group thousands here: 1.234 is not 1.234.
                if "." in cell:
                    raise self._no_number(index, cell)
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
        remedy, option = "repair the line or say what separates cells", "delimiter"
        if found == 2 * expected and self.delimiter == ",":
            remedy = "separate by ; and say so if the decimal marks are commas"
            option = "decimal"
        raise self._refusal(
            f"{found:,} cells where {expected:,} are expected (separated by "
            f"{quoted(self.delimiter)})",
            line=line,
            remedy=remedy,
            option=option,
        )

    def _first_bad(self, cells: Sequence[str]) -> InvalidInputError:
        for index in self.numbers:
            if not is_number(cells[index]):
                return self._no_number(index, cells[index])
        return self._refusal("the numbers cannot be read", remedy="repair them")

    def _no_number(self, index: int, cell: str) -> InvalidInputError:
        name, option = self.names[index], None
        is_lacking = cell.strip().lower() in MISSING
        if is_lacking and (self.leaving_out or not cell.strip()):
            remedy, option = "fill it or remove the row", self.leaving_out or None
            if option:
                remedy = "fill it, or leave such rows out"
            shown = f"{quoted(cell)} is not a number"
            problem = shown if cell.strip() else "the cell is empty"
            return self._refusal(problem, column=name, remedy=remedy, option=option)
        if all(is_number(part) for part in cell.split()) and " " in cell.strip():
            remedy = "say that cells are separated by blanks, as they seem to be"
            option = "delimiter"
        elif hint := decimal_hint(cell, self.layout.decimal):
            remedy, option = hint, "decimal"
        elif cell.strip().endswith("%"):
            remedy = "divide by 100 and leave out the sign"
        elif self.line_numbers[-1] == 1:
            remedy = "say that the first line is a header if it holds column names"
            option = "header"
        elif self.unwanted:
            remedy = f"repair it, or {self.unwanted}"
        else:
            remedy, option = "repair it, or leave the column out", "drop"
        problem = f"{quoted(cell)} is not a number"
        return self._refusal(problem, column=name, remedy=remedy, option=option)

    def _refusal(self, problem: str, **parts: Any) -> InvalidInputError:
        """Return an error at the line that was read last, or at another."""
        last = self.line_numbers[-1] if self.line_numbers else self.lines.number
        return self.lines.file.refusal(problem, **{"line": last, **parts})


# Tables ------------------------------------------------------------------------------


class DelimitedTable:
    """A text table whose header and delimiter are known.

    Parameters
    ----------
    file : InputFile
        The file.
    layout : FileLayout
        How it is laid out.
    checks_header : bool, default=True
        Whether names must differ and be no numbers.
    """

    def __init__(
        self, file: InputFile, layout: FileLayout, *, checks_header: bool = True
    ) -> None:
        self.file = file
        self._layout = layout
        with opened_lines(file, layout.max_bytes) as lines:
            head = list(islice(lines, _LINES_TO_LOOK_AT))
        self._delimiter = layout.delimiter or detect_delimiter(head, file.ending)
        with opened_lines(file, layout.max_bytes) as lines:
            cells = self._first_record(lines)
        self._check_delimiter(head, len(cells))
        self.n_columns = len(cells)
        self.columns: tuple[str, ...] | None = None
        self.notes: tuple[DataWarning, ...] = ()
        if layout.header:
            self.columns = tuple(cells)
            if checks_header:
                self._check_header(self.columns)

    def read(
        self,
        numbers: Sequence[int],
        texts: Sequence[int],
        *,
        allow_missing: bool = False,
        unwanted: str = "",
        leaving_out: str = "",
    ) -> TableContent:
        """Read columns by position: some as numbers, some as the text they are."""
        names = self.columns or tuple(str(i + 1) for i in range(self.n_columns))
        with opened_lines(self.file, self._layout.max_bytes) as lines:
            if self.columns is not None:
                self._first_record(lines)
            rows = _Rows(
                lines=lines,
                delimiter=self._delimiter,
                layout=self._layout,
                names=names,
                numbers=numbers,
                texts=texts,
                allow_missing=allow_missing,
                unwanted=unwanted,
                leaving_out=leaving_out,
            )
            values = rows.load()
        return TableContent(
            file=self.file,
            values=values,
            texts=[text_array(column) for column in rows.labels],
            lines=rows.line_numbers,
        )

    def _check_delimiter(self, head: Sequence[str], n_columns: int) -> None:
        """Refuse a delimiter that is in no line where another is in all of them."""
        given = self._layout.delimiter
        if given is None or n_columns > 1 or any(given in line for line in head):
            return
        other = detect_delimiter(head, self.file.ending)
        if all(other in line for line in head if line.strip()):
            raise self.file.refusal(
                f"there is no {quoted(given)} in it, but {quoted(other)} in every line",
                remedy="leave the delimiter to be found out, or give this one",
                option="delimiter",
            )

    def _first_record(self, lines: Lines) -> list[str]:
        line = next(lines, "")
        if not line:  # a packed file of some bytes may hold none
            problem = "it is empty: there is no line in it"
            raise self.file.refusal(problem, remedy="save the table again")
        if not line.strip():
            remedy = "let the first line be the header"
            raise self.file.refusal("the line is empty", line=1, remedy=remedy)
        return split_record(line, lines, self._delimiter)

    def _check_header(self, columns: tuple[str, ...]) -> None:
        # First, since a repeated number means data rather than names.
        if _is_count(columns):
            said = "the first line was taken as column names"
            self.notes = (self.file.note(said),)
        elif _looks_like_data(columns):
            raise self.file.refusal(
                f"there are numbers ({listed(columns, 3)}) where column names are "
                "expected",
                line=1,
                remedy="name the columns, or say that the first line is data",
                option="header",
            )
        refuse_repeated(self.file, columns, line=1)


def refuse_repeated(
    file: InputFile, columns: Sequence[str], line: int | None = None
) -> None:
    """Refuse two columns of one name."""
    repeated = [quoted(name) for name, k in Counter(columns).items() if k > 1]
    if repeated:
        problem = f"repeated column names {listed(repeated)}"
        raise file.refusal(problem, line=line, remedy="rename them")


def _is_count(columns: Sequence[str]) -> bool:
    """Tell whether names are 0, 1, 2, ...: three such are hardly a row of scores."""
    return len(columns) >= 3 and list(columns) == [str(i) for i in range(len(columns))]


def _looks_like_data(columns: Sequence[str]) -> bool:
    """Tell whether a first line is a row of numbers, with at most one label in it.

    Class ids make names such as 17, 007 and 1e5, but hardly 0.25 or -3.
    """
    numbers = [cell for cell in columns if is_number(cell)]
    if len(numbers) == len(columns):
        return True
    words = {cell.strip().lower() for cell in columns if not is_number(cell)}
    if len(numbers) < len(columns) - 1 or words & LABEL_COLUMNS:
        return False
    return any(char in cell for cell in numbers for char in ".+-")


def detect_delimiter(head: Sequence[str], ending: str) -> str:
    """Guess the delimiter from the first lines."""
    if ending.startswith(".tsv"):
        return "\t"
    bare = [_QUOTED.sub("", line.rstrip("\r\n")) for line in head]
    bare = [line for line in bare if line]
    counts = {d: [line.count(d) for line in bare] for d in _DELIMITERS}
    for delimiter, found in counts.items():
        if found and found[0] > 0 and len(set(found)) == 1:
            return delimiter
    if not bare or not any(found[0] for found in counts.values()):
        return ","
    best = int(np.argmax([counts[d][0] for d in _DELIMITERS]))
    return _DELIMITERS[best]
