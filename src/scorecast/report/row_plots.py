"""Figures made of rows of dots: how methods agree, and how far off they were."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scorecast.classes import BacktestRow, Extrapolation
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
    thinned,
)
from scorecast.report.phrases import expectation
from scorecast.report.wording import count, is_known, one_line, percent, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["agreement_drawing", "backtest_drawing"]

_ROW = 15.0
_HEADER = 26.0
_LONGEST_NAME = 14
_MOST_GROUPS = 4
_MOST_ROWS = 9


@dataclass(frozen=True, kw_only=True)
class _Row:
    """A dot with a bar, its name on the left and a number on the right."""

    name: str
    dot: float
    low: float
    high: float
    text: str
    strong: bool = False
    hollow: bool = False


@dataclass(frozen=True, kw_only=True)
class _Group:
    """Rows under one heading."""

    heading: str
    rows: tuple[_Row, ...]


def agreement_drawing(result: Extrapolation) -> Drawing:
    """Draw what each method says at each target.

    Parameters
    ----------
    result : Extrapolation
        The forecast.

    Returns
    -------
    Drawing
        One row per method, grouped by number of classes.
    """
    beyond = [
        (i, p) for i, p in enumerate(result.predictions) if p.classes > result.n_classes
    ]
    beyond.sort(key=lambda pair: pair[1].classes)
    groups = [
        _Group(heading=f"{count(p.classes)} classes", rows=_opinions(result, i))
        for i, p in thinned(beyond, _MOST_GROUPS)
    ]

    def draw(axes: Axes) -> None:
        _draw_groups(axes, groups, xlabel="expected accuracy", zero=False)
        axes.set_xlim(0, 1)
        ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
        names = [f"{100 * tick:.0f}" for tick in ticks]
        axes.set_xticks(ticks, labels=[*names[:-1], "100 %"])

    return _rows_drawing(
        groups,
        draw,
        title="What each method expects",
        description="; ".join(
            f"{group.heading}: "
            + ", ".join(f"{row.name} {row.text}" for row in group.rows)
            for group in groups
        ),
    )


def _opinions(result: Extrapolation, i: int) -> tuple[_Row, ...]:
    """Return the forecast for one target, then what each method says of it."""
    target = result.predictions[i]
    said = expectation(result, target)
    forecast = _Row(
        name="forecast",
        dot=target.accuracy,
        low=target.low,
        high=target.high,
        text=said.replace(">= ", "\N{GREATER-THAN OR EQUAL TO}"),
        strong=True,
    )
    ordered = sorted(result.methods, key=lambda m: -m.weight)
    members = [
        _Row(
            name=one_line(m.name, _LONGEST_NAME),
            dot=float(m.targets[i]),
            low=np.nan,
            high=np.nan,
            text=percent(float(m.targets[i])),
            hollow=m.weight <= 0,
        )
        for m in ordered[:_MOST_ROWS]
        if i < m.targets.size
    ]
    return (forecast, *members)


def backtest_drawing(
    rows: Sequence[BacktestRow], chosen: Collection[str] = ()
) -> Drawing:
    """Draw the errors made when classes were hidden.

    Parameters
    ----------
    rows : sequence of BacktestRow
        One per method and number of classes shown.
    chosen : collection of str, optional
        Methods to stress.

    Returns
    -------
    Drawing
        One row per method, grouped by the number of classes shown.
    """
    known = [row for row in rows if is_known(row.bias) and is_known(row.rmse)]
    tasks = sorted({(row.from_classes, row.to_classes) for row in known})
    mean = {
        name: float(np.mean([row.rmse for row in known if row.method == name]))
        for name in {row.method for row in known}
    }
    groups = []
    for shown, predicted in thinned(tasks, _MOST_GROUPS):
        task = [
            r for r in known if (r.from_classes, r.to_classes) == (shown, predicted)
        ]
        task.sort(key=lambda row: (mean[row.method], row.method))
        heading = f"{count(shown)} classes shown, {count(predicted)} predicted"
        members = tuple(_error_row(row, chosen) for row in task[:_MOST_ROWS])
        groups.append(_Group(heading=heading, rows=members))
    # Bias plus spread is at most the square root of two times the typical error.
    reach = max((1.42 * r.rmse for r in known), default=0.01)

    def draw(axes: Axes) -> None:
        label = "prediction minus truth, in points"
        _draw_groups(axes, groups, xlabel=label, zero=True)
        _centred_axis(axes, reach)

    return _rows_drawing(
        groups,
        draw,
        title="How far off each method was when classes were hidden",
        description="; ".join(
            f"{group.heading}: "
            + ", ".join(f"{row.name} off by {row.text} points" for row in group.rows)
            for group in groups
        ),
    )


def _error_row(row: BacktestRow, chosen: Collection[str]) -> _Row:
    spread = math.sqrt(max(row.rmse**2 - row.bias**2, 0.0))
    return _Row(
        name=one_line(row.method, _LONGEST_NAME),
        dot=row.bias,
        low=row.bias - spread,
        high=row.bias + spread,
        text=points(row.rmse),
        strong=row.method in chosen,
    )


def _rows_drawing(
    groups: Sequence[_Group],
    draw: Callable[[Axes], None],
    *,
    title: str,
    description: str,
) -> Drawing:
    rows = [row for group in groups for row in group.rows]
    longest = max((text_width(row.name, bold=row.strong) for row in rows), default=40.0)
    bottom = 36.0
    return Drawing(
        title=title,
        description=description,
        draw=draw,
        height=len(rows) * _ROW + len(groups) * _HEADER + bottom,
        left=longest + 12,
        right=_number_width(groups) + 10,
        top=0.0,
        bottom=bottom,
    )


def _number_width(groups: Sequence[_Group]) -> float:
    widths = [text_width(row.text, bold=True) for g in groups for row in g.rows]
    return max(widths, default=20.0)


def _draw_groups(
    axes: Axes, groups: Sequence[_Group], *, xlabel: str, zero: bool
) -> None:
    """Draw rows from the top down; y counts points from the top."""
    plain_axes(axes, xlabel=xlabel)
    axes.set_yticks([])
    y = 0.0
    for group in groups:
        y += _HEADER
        _margin_text(axes, 0.0, y - _ROW / 2 - 3, group.heading, INK, bold=True)
        top = y - 2
        for row in group.rows:
            y += _ROW
            _draw_row(axes, row, y - _ROW / 2, zero=zero)
            _name_row(axes, row, y - _ROW / 2, _number_width(groups))
        if not zero:
            continue
        axes.vlines(0, top, y, color=MUTED, linewidth=0.6, zorder=2)
    axes.set_ylim(y + 4, 0)


def _draw_row(axes: Axes, row: _Row, y: float, *, zero: bool) -> None:
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


def _name_row(axes: Axes, row: _Row, y: float, width: float) -> None:
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


def _centred_axis(axes: Axes, reach: float) -> None:
    """Let x run as far to the left of zero as to the right, ticks in points."""
    limit = 1.1 * max(reach, 0.001)
    width, _ = axes_size(axes)
    steps = [lead * 10.0**k for k in range(-4, 1) for lead in (1, 2, 5)]
    most = max(1.0, width / 60)
    step = next((s for s in steps if limit / s <= most), 1.0)
    ticks = step * np.arange(-np.floor(limit / step), np.floor(limit / step) + 1)
    axes.set_xlim(-limit, limit)
    names = [f"{100 * t:+g}".replace("-", "\N{MINUS SIGN}") for t in ticks.round(6)]
    axes.set_xticks(ticks, labels=["0" if name == "+0" else name for name in names])
