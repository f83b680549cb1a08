"""The answer as a block of plain text, for terminals and logs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from scorecast.classes import Backtest, Extrapolation
from scorecast.report import terminal
from scorecast.report.formats import (
    count,
    display_width,
    is_known,
    level_name,
    one_line,
    percent,
    points,
    printable,
)
from scorecast.report.phrases import (
    assumptions_said,
    backtest_said,
    chance_said,
    methods_said,
    observed_said,
    span,
)
from scorecast.report.views import ViewFunction, document, has_document

__all__ = [
    "backtest_text",
    "entry_lines",
    "extrapolation_text",
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
_MOST_ASSUMPTIONS = 2  # these are the short ones


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


@render_text.register
def extrapolation_text(result: Extrapolation, *, ascii_only: bool = False) -> str:
    """Write a forecast as text: what was seen, what to expect, what it rests on.

    Parameters
    ----------
    result : Extrapolation
        The forecast.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*entry_lines("Observed", observed_said(result)), ""]
    lines += _prediction_lines(result)
    # A caveat that stands beside its number need not stand below it again.
    noted = any("rough guide" in p.note for p in result.predictions)
    said = [w for w in result.warnings if not (noted and "rough guide" in w)]
    lines += ["", *_warnings(said)]
    if lines[-1]:
        lines.append("")
    method = f"{methods_said(result)}; {backtest_said(result)}"
    lines += entry_lines("Method", method)
    if result.assumptions:
        lines += entry_lines(
            "Assumes", assumptions_said(result.assumptions[:_MOST_ASSUMPTIONS])
        )
    return joined_lines(lines, ascii_only=ascii_only)


def _prediction_lines(result: Extrapolation) -> list[str]:
    names = [count(p.classes) for p in result.predictions]
    expected = [percent(p.accuracy) for p in result.predictions]
    spans = [span(p) for p in result.predictions]
    chances = [chance_said(p) for p in result.predictions]
    widest = max(map(len, names))
    first = widest + 9 + max(10, 2 + max(map(len, expected)))
    second = first + max(14, 2 + max(map(len, spans)))
    heading = f"{level_name(result.level)} interval"
    third = second + max(12, 6 + max(map(len, chances)))
    lines = [
        f"{'expect':>{first + 1}}{heading:>{second - first + 3}}"
        f"{'chance':>{third - second - 4}}"
    ]
    for p, name, share, ends, guessed in zip(
        result.predictions, names, expected, spans, chances, strict=True
    ):
        start = f" {name:>{widest}} classes"
        start = f"{start}{share:>{first - len(start)}}"
        start = f"{start}{ends:>{second - first}}"
        start = f"{start}{guessed:>{third - second}}"
        lines += _wrapped(f"{start:<{third + 3}}", p.note, third + 3)
    return lines


@render_text.register
def backtest_text(result: Backtest, *, ascii_only: bool = False) -> str:
    """Write a back-test as text: one line per method and task.

    Parameters
    ----------
    result : Backtest
        The back-test.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    held = f"in {level_name(result.level)} interval"
    heading = ("shown -> predicted", "method", "truth", "predicted", "off by", "bias")
    rows = [
        (
            f"{count(row.from_classes)} -> {count(row.to_classes)}",
            one_line(row.method, 16),
            percent(row.truth, 1),
            percent(row.prediction, 1),
            points(row.rmse),
            _bias(row),
            percent(row.coverage) if is_known(row.coverage) else "",
        )
        for row in result.rows
    ]
    lines = _wrapped("", result.summary(), 0)
    lines += ["", *table_lines((*heading, held), rows, left={1}), ""]
    seen = f"{count(result.n_classes)} classes, {count(result.n_examples)} examples"
    rules = f"{one_line(result.average)} average, ties {one_line(result.ties)}"
    lines += entry_lines(
        "Data",
        f"{seen}; {rules}; errors in percentage points, that of the bias in brackets",
    )
    return joined_lines(lines, ascii_only=ascii_only)


def _bias(row: Any) -> str:
    bias = points(row.bias, signed=True)
    return f"{bias} ({points(row.stderr)})" if is_known(row.stderr) else bias


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
