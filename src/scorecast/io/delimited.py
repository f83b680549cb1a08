"""Tables as text: ``.csv``, ``.tsv``, plain or gzipped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np

from scorecast.exceptions import InvalidInputError
from scorecast.io.columns import LABEL_COLUMNS, Columns, TableOptions
from scorecast.io.formats import suffix_of
from scorecast.io.label_values import text_array
from scorecast.io.paths import Location
from scorecast.io.rows import Rows, is_number, split_record
from scorecast.io.text_lines import Lines, opened_lines
from scorecast.io.wording import listed, quoted

__all__ = ["DelimitedTable"]

_QUOTED = re.compile(r'"[^"]*"?')
# In this order: a semicolon or tab in every line is no accident, whereas commas may
# be decimal.
_DELIMITERS = ("\t", ";", ",")
_LINES_TO_LOOK_AT = 10


class DelimitedTable:
    """A text table whose header and delimiter are known.

    Parameters
    ----------
    location : Location
        The file.
    options : TableOptions
        How to read it.
    """

    def __init__(self, location: Location, options: TableOptions) -> None:
        self._location = location
        self._options = options
        self.name = location.name
        with opened_lines(location, options.max_bytes) as lines:
            head = list(islice(lines, _LINES_TO_LOOK_AT))
        self._delimiter = options.delimiter or _detect(head, suffix_of(location.path))
        with opened_lines(location, options.max_bytes) as lines:
            cells = self._first_record(lines)
        self._check_delimiter(head, len(cells))
        self.n_columns = len(cells)
        self.columns: tuple[str, ...] | None = None
        self.notes: tuple[str, ...] = ()
        if options.header:
            self.columns = tuple(cells)
            if options.checks_header:
                self._check_header(self.columns)

    def read(self, numbers: Sequence[int], texts: Sequence[int]) -> Columns:
        """Read columns by position.

        Parameters
        ----------
        numbers : sequence of int
            Columns of numbers.
        texts : sequence of int
            Columns of labels, kept as the text they are.

        Returns
        -------
        Columns
            What they hold.
        """
        names = self.columns or tuple(str(i + 1) for i in range(self.n_columns))
        mark = quoted if self.columns else str
        with opened_lines(self._location, self._options.max_bytes) as lines:
            if self.columns is not None:
                self._first_record(lines)
            rows = Rows(
                lines=lines,
                delimiter=self._delimiter,
                decimal=self._options.decimal,
                names=[f"column {mark(name)}" for name in names],
                numbers=numbers,
                texts=texts,
                max_bytes=self._options.max_bytes,
                unwanted=self._options.unwanted,
                allows_missing=self._options.allows_missing,
            )
            values = rows.load()
        labels = [text_array(column) for column in rows.labels]
        return Columns(
            values=values,
            texts=labels,
            lines=rows.line_numbers,
            missing=[rows.missing.get(index) for index in numbers],
        )

    def _check_delimiter(self, head: Sequence[str], n_columns: int) -> None:
        """Refuse a delimiter that is in no line where another is in all of them."""
        given = self._options.delimiter
        if given is None or n_columns > 1 or any(given in line for line in head):
            return
        other = _detect(head, suffix_of(self._location.path))
        if all(other in line for line in head if line.strip()):
            msg = (
                f"{self.name}: no {quoted(given)} in it, but {quoted(other)} in every "
                f"line; leave out --delimiter, or pass --delimiter {quoted(other)}"
            )
            raise InvalidInputError(msg)

    def _first_record(self, lines: Lines) -> list[str]:
        line = next(lines, "")
        if not line:  # a packed file of some bytes may hold none
            msg = f"{self.name} is empty: there is no line in it; save the table again"
            raise InvalidInputError(msg)
        if not line.strip():
            msg = f"{self.name}, line 1 is empty; the first line must be the header"
            raise InvalidInputError(msg)
        return split_record(line, lines, self._delimiter)

    def _check_header(self, columns: tuple[str, ...]) -> None:
        counts = Counter(columns)
        # First, since a repeated number means data rather than names.
        self._refuse_data(columns)
        repeated = [quoted(name) for name, count in counts.items() if count > 1]
        if repeated:
            msg = (
                f"{self.name}, line 1: repeated column names {listed(repeated)}; "
                "rename them"
            )
            raise InvalidInputError(msg)

    def _refuse_data(self, columns: tuple[str, ...]) -> None:
        if _is_count(columns):
            self.notes = (f"{self.name}: the first line was taken as column names",)
            return
        if _looks_like_data(columns):
            msg = (
                f"{self.name}, line 1 holds numbers ({listed(columns, 3)}) where the "
                "column names are expected; pass --no-header if it is data, or "
                f"{self._options.naming}"
            )
            raise InvalidInputError(msg)


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


def _detect(head: Sequence[str], suffix: str) -> str:
    """Guess the delimiter from the first lines."""
    if suffix.startswith(".tsv"):
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
