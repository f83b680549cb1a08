"""Figures about predicted times: densities, survival curves, calibration, rivals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast._core.types import FloatArray
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
from scorecast.report.number_axis import number_axis
from scorecast.report.recurrence_words import median_said, time_label, time_said
from scorecast.report.wording import level_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "MOST_CASES",
    "calibration_drawing",
    "densities_drawing",
    "is_wide",
    "rivals_drawing",
    "survival_drawing",
    "together_drawing",
]

_DASHED: Any = (0, (4, 2))
_STYLES: tuple[tuple[str, Any], ...] = ((ACCENT, "-"), (INK, "-"), (MUTED, _DASHED),
           (ACCENT, _DASHED), (INK, _DASHED), (MUTED, "-"))  # fmt: skip
MOST_CASES = len(_STYLES)
_MOST_BANDS = 3  # more of them hide one another
_BANDS = ((ACCENT_SOFT, 0.8), (INK_SOFT, 0.8), (MUTED, 0.16))
_WIDE = 100.0  # ends of intervals so far apart need a logarithmic scale


def is_wide(result: Recurrence) -> bool:
    """Return whether the predicted times spread over decades.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    bool
        Whether time is drawn on a logarithmic scale.
    """
    shown = _shown(result)
    low = min(min(one.low, one.time) for one in shown)
    return max(max(one.high, one.time) for one in shown) > _WIDE * low


def _shown(result: Recurrence) -> tuple[CaseCurves, ...]:
    return result.curves[:MOST_CASES]


def _time_axis(axes: Axes, result: Recurrence) -> None:
    """Let time run from near zero, or over decades, as far as something happens."""
    shown = _shown(result)
    high = max(max(1.2 * one.high, 1.05 * one.time) for one in shown)
    if not is_wide(result):
        number_axis(axes, 0.0, high)
        return
    low = min(min(one.low / 2, one.time / 1.2) for one in shown)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    step = max(1, math.ceil((last - first + 1) / 6))
    places = [10.0**k for k in range(first, last + 1, step)]
    axes.set_xticks(places, labels=[_tick(place) for place in places])
    axes.minorticks_off()


def _tick(place: float) -> str:
    return f"{place:,.0f}" if 1 <= place < 1e7 else f"{place:.6g}"


def _mark_end(axes: Axes, result: Recurrence) -> None:
    """Mark how long anybody was followed: beyond it, curves rest on the model."""
    end = result.follow_up.longest
    low, high = axes.get_xlim()
    if not low < end < high:
        return
    axes.axvline(end, color=MUTED, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1)
    top = axes.get_ylim()[1]
    left = axes.transData.transform((end, 0.0))[0] - axes.bbox.x0
    side = "left" if left < 0.5 * axes.bbox.width else "right"
    axes.annotate(
        "longest follow-up", (end, top), (4 if side == "left" else -4, 4),
        textcoords="offset points", ha=side, color=MUTED, fontsize=FONT_SIZE,
        annotation_clip=False,
    )  # fmt: skip


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
        Where the times spread over decades, densities of the log time.
    """
    shown, wide = _shown(result), is_wide(result)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=time_label(result))
        axes.set_yticks([])
        _time_axis(axes, result)
        heights = [np.array(one.density) * (one.times if wide else 1) for one in shown]
        axes.set_ylim(0, 1.15 * max(float(y.max()) for y in heights))
        for one, y, (colour, line) in zip(shown, heights, _STYLES, strict=False):
            axes.plot(one.times, y, color=colour, linestyle=line, linewidth=1.6)
            _mark(axes, one, np.array(one.times), y, colour)
        _mark_end(axes, result)
        _name_curves(axes, shown)

    return Drawing(
        title="Predicted densities of the time",
        description="; ".join(
            f"{one.name}: median {median_said(one, result)}, {level_name(one.level)} "
            f"from {time_said(one.low)} to {time_said(one.high)}; "
            f"{'event' if one.event else 'still waiting'} at {time_said(one.time)}"
            for one in shown
        ),
        draw=draw,
        height=220.0,
        left=14.0,
    )


def _mark(
    axes: Axes, one: CaseCurves, x: FloatArray, y: FloatArray, colour: str
) -> None:
    """Mark on a curve when the event came, or the last look."""
    then = float(np.interp(one.time, x, y))
    face = colour if one.event else PAPER
    axes.plot([one.time], [then], "o", color=colour, markerfacecolor=face,
              markersize=6, zorder=4)  # fmt: skip


def _name_curves(axes: Axes, shown: Sequence[CaseCurves]) -> None:
    """Write the names in the corner, each behind a piece of its line."""
    from matplotlib.lines import Line2D

    pairs = list(zip(shown, _STYLES, strict=False))
    axes.legend(
        [Line2D([], [], color=colour, linestyle=line, linewidth=1.6)
         for _, (colour, line) in pairs],
        [one.name for one, _ in pairs],
        loc="upper right", frameon=True, framealpha=1.0, facecolor=PAPER,
        edgecolor=PAPER, fontsize=FONT_SIZE, borderpad=0.2,
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
        Curves, with the bands of the first three.
    """
    shown = _shown(result)
    start = [] if is_wide(result) else [0.0]  # a logarithmic scale has no zero
    certain = [1.0] * len(start)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=time_label(result))
        percent_axis(axes)
        _time_axis(axes, result)
        for i, (one, (colour, line)) in enumerate(zip(shown, _STYLES, strict=False)):
            x = np.array([*start, *one.times])
            if i < _MOST_BANDS:
                low = [*certain, *one.survival_low]
                high = [*certain, *one.survival_high]
                soft, share = _BANDS[i]
                axes.fill_between(x, low, high, color=soft, alpha=share, linewidth=0)
            y = np.array([*certain, *one.survival])
            axes.plot(x, y, color=colour, linestyle=line, linewidth=1.6)
            _mark(axes, one, x, y, colour)
        _mark_end(axes, result)
        _name_curves(axes, shown)

    return Drawing(
        title="Predicted survival",
        description="; ".join(
            f"{one.name}: median {median_said(one, result)}" for one in shown
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
        top = 1.08 * max(0.1, float(shares.max()))
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


def together_drawing(result: Recurrence) -> Drawing:
    """Draw the share that still waits against the mean of predicted survival.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    Drawing
        Kaplan and Meier's steps, and a curve.
    """
    seen = result.follow_up
    x = np.array([0.0, *seen.times])
    observed = np.array([1.0, *seen.observed])
    predicted = np.array([1.0, *seen.predicted])

    def draw(axes: Axes) -> None:
        from matplotlib.lines import Line2D

        plain_axes(axes, xlabel=time_label(result))
        percent_axis(axes)
        number_axis(axes, 0.0, 1.02 * float(x[-1]))
        axes.step(x, observed, where="post", color=INK, linewidth=1.4)
        axes.plot(x, predicted, color=ACCENT, linewidth=1.6, linestyle=_DASHED)
        axes.legend(
            [Line2D([], [], color=INK, linewidth=1.4),
             Line2D([], [], color=ACCENT, linewidth=1.6, linestyle=_DASHED)],
            ["seen (Kaplan-Meier)", "mean predicted"],
            loc="lower left", frameon=False, fontsize=FONT_SIZE, borderpad=0.2,
        )  # fmt: skip

    return Drawing(
        title="Seen and predicted, all cases together",
        description=f"At {time_said(x[-1])}: seen {observed[-1]:.2f}, predicted "
        f"{predicted[-1]:.2f}.",
        draw=draw,
        height=210.0,
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
            text=amount(row.beyond, 2),
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
        description="; ".join(
            f"{row.name}: {row.text} ({amount_span(row.low, row.high, 2)})"
            for row in rows
        ),
    )
