"""The answer as a block of plain text, for terminals and logs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from scorecast.report import terminal
from scorecast.report.formats import display_width, one_line, printable
from scorecast.report.views import ViewFunction, document, has_document

__all__ = [
    "entry_lines",
    "joined_lines",
    "paragraph_lines",
    "render_text",
    "table_lines",
    "text_lines",
]

_WIDTH = 88
_INDENT = 10
_LONGEST = 400
_GLUE = "\N{NO-BREAK SPACE}"


@ViewFunction
def render_text(result: Any, *, ascii_only: bool = False) -> str:
    """Write any result as text.

    Register a function for every kind of result; others get their summary.

    Parameters
    ----------
    result : Result
        Any result.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    if has_document(result):
        return terminal.write(document(result), ascii_only=ascii_only)
    lines = _wrapped("", result.summary(), 0)
    lines += _warnings(getattr(result, "warnings", ()))
    return joined_lines(lines, ascii_only=ascii_only)


def table_lines(
    heading: Sequence[str], rows: Iterable[Sequence[str]], left: Iterable[int] = ()
) -> list[str]:
    """Set a table in columns, numbers to the right, those named in `left` not."""
    table = [heading, *rows]
    widths = [max(display_width(row[i]) for row in table) for i in range(len(heading))]
    return [
        "".join(
            "  " + _filled(cell, width, is_left=i in left)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def _filled(cell: str, width: int, *, is_left: bool) -> str:
    room = " " * (width - display_width(cell))
    return cell + room if is_left else room + cell


def _warnings(warnings: Iterable[str]) -> list[str]:
    return [line for text in warnings if text for line in entry_lines("Warning", text)]


def text_lines(text: str) -> list[str]:
    """Set a paragraph, wrapped."""
    return _wrapped("", text, 0)


def entry_lines(label: str, text: str) -> list[str]:
    """Set a labelled line, wrapped and indented."""
    return _wrapped(f"{label:<{_INDENT}}", text, _INDENT)


def _wrapped(start: str, text: str, indent: int) -> list[str]:
    lines = _broken(one_line(text, _LONGEST), start, indent)
    return lines or [start.rstrip()]


def _broken(text: str, start: str, indent: int) -> list[str]:
    """Break a text into lines that are no wider than a terminal shows them."""
    # A letter of two columns counts as two; nothing that is shown holds a NUL.
    wide = text if text.isascii() else "".join(map(_doubled, text))
    lines = textwrap.wrap(
        wide,
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )
    return [line.replace("\0", "") for line in lines]


def _doubled(char: str) -> str:
    return f"{char}\0" if display_width(char) == 2 else char


def paragraph_lines(text: str) -> list[str]:
    """Set a paragraph of any length; a number and its sign stay on one line."""
    whole = printable(text).replace(" %", _GLUE + "%")
    return [line.replace(_GLUE, " ") for line in _broken(whole, "", 0)]


def joined_lines(lines: Iterable[str], *, ascii_only: bool) -> str:
    """Join lines, escaping what is not ASCII where it cannot be shown."""
    text = "\n".join(lines)
    return text.encode("ascii", "backslashreplace").decode() if ascii_only else text
