"""Write any document as lines for a terminal or a log.

Tables are set by rich, which knows how wide characters are; an interval gets a small
bar beside it, so that the eye compares before it reads. Where a terminal has no Unicode
the same is said in ASCII; colour is used only where there is a terminal that shows it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from scorecast.exceptions import printable
from scorecast.report.document import Document, Section, Table

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 88
_LONGEST = 2_000  # characters of a paragraph
_BAR = 18  # columns of a bar
_LEAST_WORDS, _FEWEST_WORDS = 14, 8  # columns that a name keeps where a table is wide
_LEAST_NOTE = 12  # columns of notes beside a table; where there are fewer, below it
_GAP = 2  # columns between two of a table
_GLUE = "\ue000"  # keeps a number and its percent sign on one line
# Where a page may, or may not, break a line.
_UNSEEN = dict.fromkeys(map(ord, "\N{WORD JOINER}\N{ZERO WIDTH SPACE}"))
_NARROWEST_WITH_BARS = 60
_DASH, _DOT, _ENDS, _RULE = "─", "●", ("├", "┤"), "┊"
_ASCII = str.maketrans({"─": "-", "●": "o", "├": "|", "┤": "|", "┊": ":", "–": "-",
                        "−": "-", "\u00a0": " ", "…": "...", "→": "->"})  # fmt: skip


def write(
    document: Document,
    *,
    width: int = WIDTH,
    ascii_only: bool = False,
    color: bool = False,
) -> str:
    """Write what a terminal shows of a document.

    Parameters
    ----------
    document : Document
        Any answer, laid out.
    width : int, default=88
        Columns of the widest line.
    ascii_only : bool, default=False
        Whether to write nothing but ASCII.
    color : bool, default=False
        Whether to use colour and weight.

    Returns
    -------
    str
        Lines without a line break at the end.
    """
    from rich.console import Console  # 55 ms, only paid to print an answer
    from rich.text import Text

    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(Text(_clean(document.headline), style="bold"))
    for part in document.sections:
        if part.is_terminal:
            console.print()
            _print_section(console, part, width)
    if document.notes or document.facts:
        console.print()
    _print_entries(console, [("Note", note) for note in document.notes], "yellow")
    _print_entries(console, document.facts)
    shown = out.getvalue().replace(_GLUE, " ")
    lines = [line.rstrip() for line in shown.splitlines()]
    text = "\n".join(lines).strip("\n")
    if ascii_only:
        plain = text.translate(_ASCII)
        text = plain.encode("ascii", "backslashreplace").decode()
    return text


def _print_section(console: Console, part: Section, width: int) -> None:
    for number, table in enumerate(t for t in part.tables if not t.is_folded):
        if number:
            console.print()
        _print_table(console, table, width)


def _print_table(console: Console, table: Table, width: int) -> None:
    """Set a table; columns of numbers that find no room follow below, never cut."""
    from rich.padding import Padding
    from rich.text import Text

    bars = draw_bars(table.bars, table.mark) if any(table.bars) else []
    room = width - (len(bars[0]) + _GAP if bars else 0)
    is_narrow = width < _NARROWEST_WITH_BARS
    if bars and (is_narrow or len(_blocks(table, room, _FEWEST_WORDS)) > 1):
        bars, room = [], width
    for least in (_LEAST_WORDS, _FEWEST_WORDS):
        blocks = _blocks(table, room, least)
        if len(blocks) == 1:
            break
    needed = min(_LEAST_NOTE, max((len(_clean(x)) for x in table.notes), default=0))
    are_beside = (
        any(table.notes)
        and not table.has_long_notes
        and len(blocks) == 1
        and room - _least_width(table, least) >= needed
    )
    for place, columns in enumerate(blocks):
        if place:
            console.print()
        # Numbers without words beside them are known by their first column.
        key = [0] if place and not table.n_words else []
        beside = needed if are_beside else None
        _print_block(console, table, [*key, *columns], least, bars, beside)
    if any(table.notes) and not are_beside:
        below = zip(table.rows, table.notes, strict=False)
        for said in (f"{row[0]}: {note}" for row, note in below if note):
            console.print(Padding(Text(_clean(said), style="dim"), (0, 0, 0, 2)))


def _widths(table: Table) -> list[int]:
    """Return how wide columns are, with the gap behind each."""
    from rich.cells import cell_len

    return [
        max(cell_len(_clean(text)) for text in (name, *(row[at] for row in table.rows)))
        + _GAP
        for at, name in enumerate(table.columns)
    ]


def _least_width(table: Table, least: int) -> int:
    """Return what all columns take where names are folded as far as they may be."""
    widths = _widths(table)
    words = (min(w, least + _GAP) for w in widths[: table.n_words])
    return sum(words) + sum(widths[table.n_words :])


def _blocks(table: Table, width: int, least: int) -> list[list[int]]:
    """Divide the columns of numbers so that each part fits beside the names."""
    widths = _widths(table)
    room = width - sum(min(w, least + _GAP) for w in widths[: table.n_words]) + _GAP
    blocks: list[list[int]] = [[]]
    taken = 0
    for at in range(table.n_words, len(widths)):
        taken += widths[at]
        if taken > room and blocks[-1]:
            blocks.append([])
            taken = widths[at] + (0 if table.n_words else widths[0])
        blocks[-1].append(at)
    return blocks


def _print_block(
    console: Console,
    table: Table,
    columns: list[int],
    least: int,
    bars: list[str],
    beside: int | None,
) -> None:
    """Set the names with some of the columns of numbers; notes so wide at least."""
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(
        box=None,
        pad_edge=False,
        padding=(0, _GAP, 0, 0),
        header_style="dim",
        show_edge=False,
    )
    shown = [*range(table.n_words), *columns]
    for at in shown:
        is_word = at < table.n_words
        column = [table.columns[at], *(row[at] for row in table.rows)]
        grid.add_column(
            Text(_clean(table.columns[at])),
            justify="left" if is_word else "right",
            no_wrap=not is_word,
            overflow="fold",
            min_width=min(max(map(len, column)), least) if is_word else None,
        )
    if bars:
        grid.add_column("", no_wrap=True)
    if beside is not None:
        grid.add_column(
            "", justify="left", overflow="fold", style="dim", min_width=beside
        )
    for number, row in enumerate(table.rows):
        cells = [Text(_clean(row[at])) for at in shown]
        if bars:
            cells.append(Text(bars[number], style="blue"))
        if beside is not None:
            cells.append(Text(_clean(table.notes[number])))
        grid.add_row(*cells)
    console.print(grid)


def draw_bars(
    intervals: Sequence[tuple[float, float, float] | None],
    mark: float | None = None,
    columns: int = _BAR,
) -> list[str]:
    """Draw intervals to one scale, a line of text for each.

    Parameters
    ----------
    intervals : sequence of (low, value, high) or None
        What is not known or not finite gets no bar.
    mark : float, optional
        Where every bar has a rule, if it lies on the scale.
    columns : int, default=18
        Width of the scale.

    Returns
    -------
    list of str
        All of the same width.

    Examples
    --------
    >>> draw_bars([(0.0, 0.5, 1.0), (0.5, 0.75, 1.0), None], columns=9)
    ['├───●───┤', '    ├─●─┤', '         ']
    """
    known = [x for x in intervals if x is not None and all(map(math.isfinite, x))]
    ends = [*(x[0] for x in known), *(x[2] for x in known)]
    if mark is not None:
        ends.append(mark)
    if not known or max(ends) <= min(ends):
        return ["" for _ in intervals]
    least, most = min(ends), max(ends)

    def place(value: float) -> int:
        share = (value - least) / (most - least)
        return round(min(max(share, 0.0), 1.0) * (columns - 1))

    lines = []
    for one in intervals:
        line = [" "] * columns
        if mark is not None:
            line[place(mark)] = _RULE
        if one is not None and all(map(math.isfinite, one)):
            low, value, high = map(place, one)
            line[low : high + 1] = _DASH * (high + 1 - low)
            line[low], line[high] = _ENDS
            line[value] = _DOT
        lines.append("".join(line))
    return lines


def _print_entries(
    console: Console, entries: Iterable[tuple[str, str]], style: str = ""
) -> None:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = [(name, text) for name, text in entries if text]
    if not shown:
        return
    grid = RichTable.grid(padding=(0, 2, 0, 0))
    grid.add_column(min_width=8, no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, text in shown:
        grid.add_row(Text(_clean(name), style=style), Text(_clean(text)))
    console.print(grid)


def _clean(text: str) -> str:
    whole = printable(text, _LONGEST).translate(_UNSEEN)
    return whole.replace(" %", f"{_GLUE}%")
