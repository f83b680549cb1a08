"""Tables as CSV that a spreadsheet will not run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["csv_text"]

# Spreadsheets take cells that begin so for formulas (OWASP, CVE-2021-41270).
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NEED_QUOTES = (",", '"', "\r", "\n")


def csv_text(columns: Mapping[str, Sequence[Any]], *, raw: bool = False) -> str:
    r"""Return a table as CSV.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns by name, all of one length. None becomes an empty cell.
    raw : bool, default=False
        Leave texts that look like formulas as they are; for programs only.

    Returns
    -------
    str
        A header and one line per row, each ended by a newline.

    Raises
    ------
    ValueError
        If the columns differ in length.

    Examples
    --------
    >>> csv_text({"class": ["cat", "=1+1"], "score": [0.5, -2]})
    "class,score\ncat,0.5\n'=1+1,-2\n"
    """
    rows = [columns.keys(), *zip(*columns.values(), strict=True)]
    return "".join(_line(row, raw) for row in rows)


def _line(row: Iterable[Any], raw: bool) -> str:
    cells = [_cell(value, raw) for value in row]
    # A lone empty cell would make an empty line, which readers skip.
    return (",".join(cells) if cells != [""] else '""') + "\n"


def _cell(value: Any, raw: bool) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        # A NumPy scalar would print its type.
        return str(value.item() if hasattr(value, "item") else value)
    guard = "'" if not raw and value.startswith(_FORMULA_STARTS) else ""
    text = guard + value
    # The csv module leaves a lone carriage return unquoted (Python 3.11 does).
    if any(char in text for char in _NEED_QUOTES):
        return '"' + text.replace('"', '""') + '"'
    return text
