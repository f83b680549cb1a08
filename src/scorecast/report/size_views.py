"""How many test cases are enough: text, figure, page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from scorecast.guarantees import RequiredTestSize
from scorecast.report.drawing import (
    ACCENT,
    INK,
    MUTED,
    RULE,
    Drawing,
    axes_size,
    count_axis,
    plain_axes,
    round_ticks,
)
from scorecast.report.formats import count, dashed, percent, points
from scorecast.report.marks import Mark, Trace, draw_marks, envelope_of
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["size_drawing", "size_table"]

_LEAST_WIDTH = 0.005  # below, a tenth of a point hides the difference
_STEPS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
_REFERENCES = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems.",
    "C. Beleites and others (2013). Sample size planning for classification models. "
    "Analytica Chimica Acta 760.",
)


def size_table(result: RequiredTestSize) -> Table:
    """Set out what fewer and more test cases would reach.

    Parameters
    ----------
    result : RequiredTestSize
        The answer.

    Returns
    -------
    Table
        One row per number of cases, the answer among them.
    """
    # The answer itself is always among them, be it one case.
    sizes = sorted({_whole(result, step * result.n) for step in _STEPS} | {result.n})
    is_width = result.goal == "width"
    rows: tuple[tuple[str, ...], ...] = tuple(
        (
            count(n),
            _width_said(result.reached_with(n))
            if is_width
            else percent(result.reached_with(n)),
        )
        for n in sizes
    )
    what = "width of the interval" if is_width else "chance to find the difference"
    if result.group_size is not None:
        rows = tuple(
            (count(max(2, round(n / result.group_size))), *row)
            for n, row in zip(sizes, rows, strict=True)
        )
        return Table(caption="", columns=("groups", "test cases", what), rows=rows)
    return Table(caption="", columns=("test cases", what), rows=rows)


def _whole(result: RequiredTestSize, n: float) -> int:
    """Round to cases, or to whole groups of them."""
    if result.group_size is None:
        return max(2, round(n))
    groups = max(2, round(n / result.group_size))
    return math.ceil(groups * result.group_size - 1e-9)


def _width_said(width: float) -> str:
    """Write a width in points; one too small for a digit after the point, to two."""
    said = points(width) if width >= _LEAST_WIDTH else f"{100 * width:.2g}"
    return f"{said} points"


def size_drawing(result: RequiredTestSize) -> Drawing:
    """Draw what is reached against the number of test cases, with the answer marked.

    Parameters
    ----------
    result : RequiredTestSize
        The answer.

    Returns
    -------
    Drawing
        Ready to be drawn at any width.
    """
    is_width = result.goal == "width"
    first, last = max(2.0, result.n / 5), 5.0 * result.n
    sizes = np.unique(np.geomspace(first, last, 60).round())
    y = np.array([result.reached_with(int(n)) for n in sizes])
    goal = result.width if is_width else result.power
    low, high = (0.0, float(y.max())) if is_width else (0.0, 1.0)
    trace = Trace(
        x=sizes, y=y, low=np.full(y.size, np.nan), high=np.full(y.size, np.nan)
    )

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="test cases")
        axes.set_ylim(low, 1.05 * high)
        _, height = axes_size(axes)
        ticks = round_ticks(low, high, max(2.0, height / 32))
        names = [f"{100 * tick:g}" for tick in ticks]
        unit = "points" if is_width else "%"
        axes.set_yticks(ticks, labels=[*names[:-1], f"{names[-1]} {unit}"])
        axes.grid(axis="y", color=RULE, linewidth=0.6)
        count_axis(axes, first, last, also=[result.n])
        axes.axhline(goal, color=MUTED, linewidth=0.6, dashes=(3, 3), zorder=3)
        axes.plot(trace.x, trace.y, color=INK, linewidth=1.8, zorder=5)
        text = f"{count(result.n)} cases"
        mark = Mark(x=result.n, y=result.reached, low=result.reached,
                    high=result.reached, text=text, colour=ACCENT)  # fmt: skip
        draw_marks(axes, [mark], envelope_of(axes, [trace]))

    return Drawing(
        title="What so many test cases reach",
        description=result.summary(),
        draw=draw,
        left=54.0,
        height=220.0,
        top=14.0,
    )


@render_text.register
def _(result: RequiredTestSize, *, ascii_only: bool = False) -> str:
    table = size_table(result)
    lines = [*text_lines(result.summary()), "", *table_lines(table.columns, table.rows)]
    lines += ["", *entry_lines("Assumes", result.assumed())]
    return joined_lines(lines, ascii_only=ascii_only)


@main_drawing.register
def _(result: RequiredTestSize) -> Drawing:
    return size_drawing(result)


@report_sections.register
def _(result: RequiredTestSize) -> tuple[Section, ...]:
    lead = (
        "The curve says what is reached with fewer or more cases; the dashed line is "
        "what was asked for."
    )
    head = Section(
        heading=dashed(result.summary()),
        lead=(lead,),
        figure=size_drawing(result),
        facts=(("Assumes", result.assumed()),),
    )
    table = Section(heading="With fewer or more", tables=(size_table(result),))
    return head, table, Section(heading="References", items=_REFERENCES)
