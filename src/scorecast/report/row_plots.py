"""Figures made of rows of dots: how methods agree, and how far off they were."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorecast.classes import BacktestRow, Extrapolation
from scorecast.report.dot_rows import Group, Row, draw_groups, rows_drawing
from scorecast.report.drawing import (
    Drawing,
    axes_size,
    thinned,
)
from scorecast.report.formats import count, is_known, one_line, percent, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["agreement_drawing", "backtest_drawing"]

_LONGEST_NAME = 14
_MOST_GROUPS = 4
_MOST_ROWS = 9


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
        Group(heading=f"{count(p.classes)} classes", rows=_opinions(result, i))
        for i, p in thinned(beyond, _MOST_GROUPS)
    ]

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel="expected accuracy", zero=False)
        axes.set_xlim(0, 1)
        ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
        names = [f"{100 * tick:.0f}" for tick in ticks]
        axes.set_xticks(ticks, labels=[*names[:-1], "100 %"])

    return rows_drawing(
        groups,
        draw,
        title="What each method expects",
        description="; ".join(
            f"{group.heading}: "
            + ", ".join(f"{row.name} {row.text}" for row in group.rows)
            for group in groups
        ),
    )


def _opinions(result: Extrapolation, i: int) -> tuple[Row, ...]:
    """Return the forecast for one target, then what each method says of it."""
    target = result.predictions[i]
    forecast = Row(
        name="forecast",
        dot=target.accuracy,
        low=target.low,
        high=target.high,
        text=percent(target.accuracy),
        strong=True,
    )
    ordered = sorted(result.methods, key=lambda m: -m.weight)
    members = [
        Row(
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
        groups.append(Group(heading=heading, rows=members))
    # Bias plus spread is at most the square root of two times the typical error.
    reach = max((1.42 * r.rmse for r in known), default=0.01)

    def draw(axes: Axes) -> None:
        label = "prediction minus truth, in points"
        draw_groups(axes, groups, xlabel=label, zero=True)
        _centred_axis(axes, reach)

    return rows_drawing(
        groups,
        draw,
        title="How far off each method was when classes were hidden",
        description="; ".join(
            f"{group.heading}: "
            + ", ".join(f"{row.name} off by {row.text} points" for row in group.rows)
            for group in groups
        ),
    )


def _error_row(row: BacktestRow, chosen: Collection[str]) -> Row:
    spread = math.sqrt(max(row.rmse**2 - row.bias**2, 0.0))
    return Row(
        name=one_line(row.method, _LONGEST_NAME),
        dot=row.bias,
        low=row.bias - spread,
        high=row.bias + spread,
        text=points(row.rmse),
        strong=row.method in chosen,
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
