"""Rows of dots with bars, under headings: names on the left, numbers on the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorecast.report.drawing import (
    ACCENT,
    ACCENT_SOFT,
    FONT_SIZE,
    INK,
    INK_SOFT,
    MUTED,
    PAPER,
    RULE,
    Drawing,
    axes_size,
    plain_axes,
    text_width,
)
from scorecast.report.wording import clipped, is_known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Group", "Row", "draw_groups", "rows_drawing"]

_ROW = 15.0
_HEADER = 26.0
_SHORTEST = 8  # characters of a heading that was cut


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
    bottom = 36.0
    return Drawing(
        title=title,
        description=description,
        draw=draw,
        height=len(rows) * _ROW + len(groups) * _HEADER + bottom,
        left=_name_width(groups) + 12,
        right=_number_width(groups) + 10,
        top=0.0,
        bottom=bottom,
    )


def _name_width(groups: Sequence[Group]) -> float:
    rows = [row for group in groups for row in group.rows]
    return max((text_width(row.name, bold=row.strong) for row in rows), default=40.0)


def _number_width(groups: Sequence[Group]) -> float:
    widths = [text_width(row.text, bold=True) for g in groups for row in g.rows]
    return max(widths, default=20.0)


def draw_groups(
    axes: Axes, groups: Sequence[Group], *, xlabel: str, zero: bool
) -> None:
    """Draw rows from the top down; y counts points from the top."""
    plain_axes(axes, xlabel=xlabel)
    axes.set_yticks([])
    y = 0.0
    for group in groups:
        y += _HEADER
        _heading(axes, y - _ROW / 2 - 3, group.heading, groups)
        top = y - 2
        for row in group.rows:
            y += _ROW
            _draw_row(axes, row, y - _ROW / 2, zero=zero)
            _name_row(axes, row, y - _ROW / 2, _number_width(groups))
        if not zero:
            continue
        axes.vlines(0, top, y, color=MUTED, linewidth=0.6, zorder=2)
    axes.set_ylim(y + 4, 0)


def _heading(axes: Axes, y: float, text: str, groups: Sequence[Group]) -> None:
    """Write a heading over the bars; on narrow pages from the left edge, cut to fit."""
    room = axes_size(axes)[0] + _number_width(groups) + 10
    left = _name_width(groups)
    shift = max(0.0, min(text_width(text, bold=True) - room, left))
    while text_width(text, bold=True) > room + shift and len(text) > _SHORTEST:
        text = clipped(text, len(text) - 1)
    _margin_text(axes, 0.0, y, text, INK, bold=True, shift=-shift)


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


def _name_row(axes: Axes, row: Row, y: float, width: float) -> None:
    colour, bold = ACCENT if row.strong else MUTED, row.strong
    for x, text, shift in ((0.0, row.name, -8.0), (1.0, row.text, 8.0 + width)):
        _margin_text(axes, x, y, text, colour, bold=bold, shift=shift, side="right")


def _margin_text(
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
