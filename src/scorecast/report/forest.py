"""Rows of dots with bars, under headings: names on the left, numbers on the right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorecast.report.figures import (
    ACCENT,
    ACCENT_SOFT,
    FONT_SIZE,
    INK,
    INK_SOFT,
    MUTED,
    PAPER,
    RULE,
    Drawing,
    figure_width,
    margin_left,
    mark_numbers,
    plain_axes,
    side_margins,
    text_width,
)
from scorecast.report.formats import is_known
from scorecast.report.names import short_by_name, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 15.0
_HEADER = 26.0
_LONGEST_NAME = 34
_SHORTEST_NAME = 6
_NAME_GAP = 12.0  # beside names and numbers
_NUMBER_GAP = 10.0
_NOTHING = 0.1  # end of an axis on which all is zero


@dataclass(frozen=True, kw_only=True)
class Row:
    """A dot with a bar, its name on the left and a number on the right."""

    name: str
    dot: float
    low: float
    high: float
    text: str
    strong: bool = False
    hollow: bool = False


@dataclass(frozen=True, kw_only=True)
class Group:
    """Rows under one heading."""

    heading: str
    rows: tuple[Row, ...]


def rows_drawing(
    groups: Sequence[Group],
    draw: Callable[[Axes], None],
    *,
    title: str,
    description: str,
) -> Drawing:
    """Make a drawing as high as its rows need.

    Parameters
    ----------
    groups : sequence of Group
        The rows.
    draw : callable
        Draws them, with `draw_groups` and an axis.
    title, description : str
        What it shows.

    Returns
    -------
    Drawing
        With room for the longest name and number.
    """
    rows = [row for group in groups for row in group.rows]
    left, right = _margins(groups)
    bottom = 36.0
    return Drawing(
        title=title,
        description=description,
        draw=draw,
        height=len(rows) * _ROW + len(groups) * _HEADER + bottom,
        left=left,
        right=right,
        top=0.0,
        bottom=bottom,
    )


def _margins(groups: Sequence[Group]) -> tuple[float, float]:
    """Return the room that names and numbers need."""
    names = _short(groups, _LONGEST_NAME)
    rows = [row for group in groups for row in group.rows]
    widths = [text_width(names[row.name], bold=row.strong) for row in rows]
    return max(widths, default=40.0) + _NAME_GAP, _number_width(groups) + _NUMBER_GAP


def _number_width(groups: Sequence[Group]) -> float:
    widths = [text_width(row.text, bold=True) for g in groups for row in g.rows]
    return max(widths, default=20.0)


def _short(groups: Sequence[Group], limit: int) -> dict[str, str]:
    """Shorten the names of a figure together: one name is cut the same everywhere."""
    names = list(dict.fromkeys(row.name for group in groups for row in group.rows))
    return short_by_name(names, limit)


def _fitting(axes: Axes, groups: Sequence[Group]) -> tuple[dict[str, str], float]:
    """Return the names as they fit beside the axes, and the room for numbers."""
    asked_left, asked_right = _margins(groups)
    width = figure_width(axes)
    left, right = side_margins(asked_left, asked_right, width)
    names = _short(groups, _LONGEST_NAME)
    rows = [row for group in groups for row in group.rows]
    for limit in range(_LONGEST_NAME, _SHORTEST_NAME, -1):
        widths = (text_width(names[row.name], bold=row.strong) for row in rows)
        # Rounding must not cost the longest name, which the room was made for, any.
        if max(widths, default=0.0) <= left - _NAME_GAP + 0.01:
            break
        names = _short(groups, limit - 1)
    # A number cut short is another number: without room there is none.
    return names, right - _NUMBER_GAP if right == asked_right else 0.0


def draw_groups(
    axes: Axes, groups: Sequence[Group], *, xlabel: str, zero: bool
) -> None:
    """Draw rows from the top down; y counts points from the top."""
    plain_axes(axes, xlabel=xlabel)
    axes.set_yticks([])
    names, room = _fitting(axes, groups)
    headings = _headings(axes, groups)
    y = 0.0
    for group, (heading, shift) in zip(groups, headings, strict=True):
        y += _HEADER
        margin_text(axes, 0.0, y - _ROW / 2 - 3, heading, INK, bold=True, shift=shift)
        top = y - 2
        for row in group.rows:
            y += _ROW
            _draw_row(axes, row, y - _ROW / 2, zero=zero)
            _name_row(axes, row, y - _ROW / 2, names[row.name], room)
        if not zero:
            continue
        axes.vlines(0, top, y, color=MUTED, linewidth=0.6, zorder=2)
    axes.set_ylim(y + 4, 0)


def _draw_row(axes: Axes, row: Row, y: float, *, zero: bool) -> None:
    colour = ACCENT if row.strong else INK if zero else MUTED
    soft = ACCENT_SOFT if row.strong else INK_SOFT
    axes.axhline(y, color=RULE, linewidth=0.5, zorder=1)
    if is_known(row.low) and is_known(row.high):
        axes.barh(y, row.high - row.low, 7.0, row.low, color=soft, zorder=2)
    if is_known(row.dot):
        axes.plot(
            [row.dot],
            [y],
            marker="o",
            markersize=5.5,
            color=PAPER if row.hollow else colour,
            markeredgecolor=colour if row.hollow else PAPER,
            markeredgewidth=1.0,
            clip_on=False,
            zorder=5,
        )


def _headings(axes: Axes, groups: Sequence[Group]) -> list[tuple[str, float]]:
    """Cut headings to the figure; what is too long for the axes begins further left."""
    width, left = figure_width(axes), margin_left(axes)
    most = int(width / text_width("x", bold=True))
    texts = short_names([group.heading for group in groups], most)
    return [
        (text, -min(left, max(0.0, text_width(text, bold=True) - (width - left))))
        for text in texts
    ]


def _name_row(axes: Axes, row: Row, y: float, name: str, width: float) -> None:
    colour, bold = ACCENT if row.strong else MUTED, row.strong
    number = row.text if width else ""
    for x, text, shift in ((0.0, name, -8.0), (1.0, number, 8.0 + width)):
        margin_text(axes, x, y, text, colour, bold=bold, shift=shift, side="right")


def margin_text(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    colour: str,
    *,
    bold: bool = False,
    shift: float = 0.0,
    side: str = "left",
) -> None:
    """Write beside the axes: x as a part of their width, y in data, shift in points."""
    axes.annotate(
        text,
        (x, y),
        (shift, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha=side,
        va="center_baseline",
        color=colour,
        fontsize=FONT_SIZE,
        fontweight="bold" if bold else "normal",
        parse_math=False,
        annotation_clip=False,
    )


def groups_drawing(
    groups: Sequence[Group],
    xlabel: str,
    title: str,
    *,
    zero: bool = False,
    in_percent: bool = False,
) -> Drawing:
    """Draw rows of dots with bars on a plain axis.

    Parameters
    ----------
    groups : sequence of Group
        The rows.
    xlabel, title : str
        What they show.
    zero : bool, default=False
        Whether to show zero, and mark it.
    in_percent : bool, default=False
        Whether the axis counts in percent, as the numbers beside it.

    Returns
    -------
    Drawing
        As high as its rows need.
    """
    rows = [row for group in groups for row in group.rows]
    ends = [x for r in rows for x in (r.dot, r.low, r.high) if math.isfinite(x)]
    if zero:
        ends.append(0.0)  # how far from nothing can only be seen beside it
        if max(ends) == min(ends):
            ends.append(_NOTHING)
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.04 * ((high - low) or 1.0)
    label = f"{xlabel}, %" if in_percent else xlabel

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel=label, zero=zero)
        axes.set_xlim(low - room, high + room)
        mark_numbers(axes, low, high, in_percent=in_percent)

    return rows_drawing(
        groups,
        draw,
        title=title,
        description="; ".join(
            f"{group.heading}: "
            + ", ".join(f"{row.name} {row.text}" for row in group.rows)
            for group in groups
        ),
    )
