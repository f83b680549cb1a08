"""Rows of intervals on an axis that fits them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorecast.report.dot_rows import Group, draw_groups, rows_drawing
from scorecast.report.drawing import Drawing, axes_size, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["interval_drawing"]


def interval_drawing(
    groups: Sequence[Group], xlabel: str, title: str, *, zero: bool = False
) -> Drawing:
    """Draw rows of dots with intervals on an axis with round ticks.

    Parameters
    ----------
    groups : sequence of Group
        The rows.
    xlabel : str
        What the axis is.
    title : str
        What the figure shows.
    zero : bool, default=False
        Whether to draw a line at nought.

    Returns
    -------
    Drawing
        As high as its rows need.
    """
    rows = [row for group in groups for row in group.rows]
    ends = [x for r in rows for x in (r.dot, r.low, r.high) if math.isfinite(x)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.04 * ((high - low) or 1.0)

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel=xlabel, zero=zero)
        axes.set_xlim(low - room, high + room)
        _round_ticks(axes, low, high)

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


def _round_ticks(axes: Axes, low: float, high: float) -> None:
    width, _ = axes_size(axes)
    most = max(2.0, width / max(60.0, text_width("0.000") + 12))
    span = (high - low) or 1.0
    steps = [
        lead * 10.0**k
        for k in range(int(np.floor(np.log10(span))) - 2, 13)
        for lead in (1, 2, 5)
    ]
    step = next((s for s in steps if span / s <= most), span)
    first = np.ceil((low - 1e-9 * span) / step)
    last = np.floor((high + 1e-9 * span) / step)
    ticks = step * np.arange(first, last + 1)
    # Adding nought turns minus nought into nought.
    names = [f"{t:g}".replace("-", "\N{MINUS SIGN}") for t in ticks.round(9) + 0.0]
    axes.set_xticks(ticks, labels=names)
