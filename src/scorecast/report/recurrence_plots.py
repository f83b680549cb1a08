"""Figures about predicted times: densities, survival curves, calibration, rivals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorecast.information import amount, amount_span
from scorecast.recurrence import FORECASTERS, CaseCurves, Recurrence
from scorecast.report.dot_rows import Group, Row, draw_groups, rows_drawing
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
    percent_axis,
    plain_axes,
)
from scorecast.report.information_plots import number_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "calibration_drawing",
    "densities_drawing",
    "rivals_drawing",
    "survival_drawing",
]

_STYLES = ((ACCENT, "-"), (INK, "-"), (MUTED, (0, (4, 2))))
_MOST_CASES = 3


def _shown(result: Recurrence) -> tuple[CaseCurves, ...]:
    return result.curves[:_MOST_CASES]


def densities_drawing(result: Recurrence) -> Drawing:
    """Draw the predicted density of the time of some cases.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    Drawing
        One curve per case; a dot where its event came, a ring where it still waited.
    """
    shown = _shown(result)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="time")
        axes.set_yticks([])
        number_axis(axes, 0.0, max(one.times[-1] for one in shown))
        top = max(max(one.density) for one in shown)
        axes.set_ylim(0, 1.15 * top)
        for one, (colour, line) in zip(shown, _STYLES, strict=False):
            x, y = np.array(one.times), np.array(one.density)
            axes.plot(x, y, color=colour, linestyle=line, linewidth=1.6)
            then = float(np.interp(one.time, x, y))
            face = colour if one.event else PAPER
            axes.plot([one.time], [then], "o", color=colour, markerfacecolor=face,
                      markersize=6, zorder=4)  # fmt: skip
        _name_curves(axes, shown)

    return Drawing(
        title="Predicted densities of the time",
        description="; ".join(
            f"{one.name}: median {one.median:.3g}, 90 % from {one.low:.3g} to "
            f"{one.high:.3g}; {'event' if one.event else 'still waiting'} at "
            f"{one.time:.3g}"
            for one in shown
        ),
        draw=draw,
        height=220.0,
        left=14.0,
    )


def _name_curves(axes: Axes, shown: Sequence[CaseCurves]) -> None:
    """Write the names in the corner, in the colours of their curves."""
    for i, one in enumerate(shown):
        colour = _STYLES[i][0]
        axes.annotate(
            one.name, (1.0, 1.0), (-4, -12.0 * i), xycoords="axes fraction",
            textcoords="offset points", ha="right", va="top", color=colour,
            fontsize=FONT_SIZE,
        )  # fmt: skip


def survival_drawing(result: Recurrence) -> Drawing:
    """Draw survival curves with their bands, of the same cases.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    Drawing
        Curves with the band of the first.
    """
    shown = _shown(result)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="time")
        percent_axis(axes)
        number_axis(axes, 0.0, max(one.times[-1] for one in shown))
        for i, (one, (colour, line)) in enumerate(zip(shown, _STYLES, strict=False)):
            x = np.concatenate([[0.0], one.times])
            soft = ACCENT_SOFT if i == 0 else INK_SOFT
            low = np.concatenate([[1.0], one.survival_low])
            high = np.concatenate([[1.0], one.survival_high])
            axes.fill_between(x, low, high, color=soft, alpha=0.7, linewidth=0)
            y = np.concatenate([[1.0], one.survival])
            axes.plot(x, y, color=colour, linestyle=line, linewidth=1.6)
            then = float(np.interp(one.time, x, y))
            face = colour if one.event else PAPER
            axes.plot([one.time], [then], "o", color=colour, markerfacecolor=face,
                      markersize=6, zorder=4)  # fmt: skip
        _name_curves(axes, shown)

    return Drawing(
        title="Predicted survival",
        description="; ".join(
            f"{one.name}: half wait beyond {one.median:.3g}" for one in shown
        ),
        draw=draw,
        height=230.0,
    )


def calibration_drawing(result: Recurrence) -> Drawing:
    """Draw in which tenth of its predicted survival each event fell.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    Drawing
        Ten bars, even where the predictions are calibrated.
    """
    shares = np.array(result.calibration.shares)
    edges = np.arange(10) / 10

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="predicted survival when the event came")
        top = max(0.2, 1.2 * float(shares.max()))
        axes.set_ylim(0, top)
        axes.set_yticks([0.1], labels=["10 %"])
        axes.axhline(0.1, color=MUTED, linewidth=0.8, linestyle=(0, (3, 2)), zorder=3)
        axes.bar(edges, shares, 0.1, align="edge", color=INK_SOFT, edgecolor=RULE,
                 linewidth=0.6)  # fmt: skip
        number_axis(axes, 0.0, 1.0)

    return Drawing(
        title="Calibration of predicted survival",
        description=", ".join(f"{share:.3f}" for share in shares),
        draw=draw,
        height=170.0,
    )


def rivals_drawing(result: Recurrence) -> Drawing:
    """Draw what the model knows beyond each rival.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    Drawing
        One row per rival; right of zero the model knows more.
    """
    rows = tuple(
        Row(
            name=FORECASTERS[row.name],
            dot=row.beyond,
            low=row.low,
            high=row.high,
            text=f"{amount(row.beyond, 2)} ({amount_span(row.low, row.high, 2)})",
        )
        for row in result.comparison
        if np.isfinite(row.beyond)
    )
    groups = (Group(heading="the model knows beyond", rows=rows),)
    ends = [x for row in rows for x in (row.low, row.high)] or [0.0]
    low, high = min([*ends, 0.0]), max([*ends, 0.0])
    room = 0.06 * ((high - low) or 1.0)

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel=f"{result.units} per case", zero=True)
        number_axis(axes, low - room, high + room)

    return rows_drawing(
        groups,
        draw,
        title="The model against others",
        description="; ".join(f"{row.name}: {row.text}" for row in rows),
    )
