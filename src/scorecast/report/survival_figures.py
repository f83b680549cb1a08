"""Figures about predicted times: densities, survival curves, calibration, baselines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.report import formats
from scorecast.report.curves import (
    TITLE,
    Entry,
    draw_key,
    is_first,
    key_height,
    name_panel,
    panels,
    panels_height,
)
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
    axes_size,
    number_axis,
    percent_axis,
    plain_axes,
    text_width,
)
from scorecast.report.forest import Group, Row, draw_groups, rows_drawing
from scorecast.report.information import decimals
from scorecast.survival import BASELINES, CURVE, SampleCurves, SurvivalEvaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHED: Any = (0, (4, 2))
_STYLES: tuple[tuple[str, Any], ...] = ((ACCENT, "-"), (INK, "-"), (MUTED, _DASHED),
           (ACCENT, _DASHED), (INK, _DASHED), (MUTED, "-"))  # fmt: skip
MOST_SAMPLES = len(_STYLES)
_TICK_ROOM = 16.0
_END_NAME = 18.0  # height of the name of the end of follow-up, above the axes
_RISK_ROOM = 32.0  # for the numbers at risk, below the axis
_WIDE = 100.0  # ends of intervals so far apart need a logarithmic scale


def is_wide(result: SurvivalEvaluation) -> bool:
    """Return whether the predicted times spread over decades."""
    shown = _shown(result)
    low = min(min(one.low, one.time) for one in shown)
    return max(max(one.high, one.time) for one in shown) > _WIDE * low


def _shown(result: SurvivalEvaluation) -> tuple[SampleCurves, ...]:
    return result.curves[:MOST_SAMPLES]


def _time_axis(axes: Axes, result: SurvivalEvaluation) -> None:
    """Let time run from near zero, or over decades, as far as something happens."""
    shown = _shown(result)
    high = max(max(1.2 * one.high, 1.05 * one.time) for one in shown)
    if not is_wide(result):
        number_axis(axes, 0.0, high)
        return
    low = min(min(one.low / 2, one.time / 1.2) for one in shown)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    places = _decades(low, high, axes_size(axes)[0])
    axes.set_xticks(places, labels=[_tick(place) for place in places])
    axes.minorticks_off()


def _decades(low: float, high: float, room: float) -> list[float]:
    """Return powers of ten between two times, as many as there is room for."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    for step in range(1, max(2, last - first + 2)):
        places = [10.0**k for k in range(first, last + 1, step)]
        if sum(text_width(_tick(place)) + _TICK_ROOM for place in places) <= room:
            break
    return places


def _tick(place: float) -> str:
    return f"{place:,.0f}" if 1 <= place < 1e7 else f"{place:.6g}"


def _mark_end(axes: Axes, result: SurvivalEvaluation) -> None:
    """Mark how long anybody was followed: beyond it, curves rest on the model."""
    end = result.follow_up.longest
    if not _end_line(axes, result):
        return
    top = axes.get_ylim()[1]
    left = axes.transData.transform((end, 0.0))[0] - axes.bbox.x0
    side = "left" if left < 0.5 * axes.bbox.width else "right"
    axes.annotate(
        "longest follow-up", (end, top), (4 if side == "left" else -4, 6),
        textcoords="offset points", ha=side, color=MUTED, fontsize=FONT_SIZE,
        annotation_clip=False,
    )  # fmt: skip


def _end_line(axes: Axes, result: SurvivalEvaluation) -> bool:
    """Draw the end of follow-up, if it is in sight."""
    end = result.follow_up.longest
    low, high = axes.get_xlim()
    if not low < end < high:
        return False
    axes.axvline(end, color=MUTED, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1)
    return True


def densities_drawing(result: SurvivalEvaluation) -> Drawing:
    """Draw the predicted density of the time of some cases."""
    shown, wide = _shown(result), is_wide(result)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=_time_label(result))
        axes.set_yticks([])
        _time_axis(axes, result)
        heights = [np.array(one.density) * (one.times if wide else 1) for one in shown]
        axes.set_ylim(0, 1.15 * max(float(y.max()) for y in heights))
        for one, y, (colour, line) in zip(shown, heights, _STYLES, strict=False):
            axes.plot(one.times, y, color=colour, linestyle=line, linewidth=1.6)
            _mark(axes, one, np.array(one.times), y, colour)
        _mark_end(axes, result)
        draw_key(axes, _names(shown), above=_END_NAME)

    return Drawing(
        title="Predicted densities of the time",
        description="; ".join(
            f"{_name(one)}: median {median_text(one, result)}, "
            f"{formats.level(result.confidence_level)} from "
            f"{formats.span(formats.time, one.low, one.high)}; "
            f"{'event' if one.event else 'still waiting'} at {formats.time(one.time)}"
            for one in shown
        ),
        draw=draw,
        height=198.0 + 22.0 + key_height(_names(shown)),
        left=14.0,
        top=22.0 + key_height(_names(shown)),
    )


def _mark(
    axes: Axes, one: SampleCurves, x: FloatArray, y: FloatArray, colour: str
) -> None:
    """Mark on a curve when the event came, or the last look."""
    then = float(np.interp(one.time, x, y))
    face = colour if one.event else PAPER
    axes.plot([one.time], [then], "o", color=colour, markerfacecolor=face,
              markersize=6, zorder=4, clip_on=False)  # fmt: skip


def _names(shown: Sequence[SampleCurves]) -> list[Entry]:
    return [
        (_name(one), colour, line)
        for one, (colour, line) in zip(shown, _STYLES, strict=False)
    ]


def survival_drawing(result: SurvivalEvaluation) -> Drawing:
    """Draw survival curves with their bands, each case in a panel of its own."""
    shown = _shown(result)

    def draw(axes: Axes) -> None:
        for i, panel in enumerate(panels(axes, len(shown))):
            plain_axes(panel, xlabel=_time_label(result))
            percent_axis(panel)
            panel.tick_params(axis="y", labelleft=is_first(axes, i))
            _time_axis(panel, result)
            _draw_survival(panel, result, i)
            if i == 0:
                _mark_end(panel, result)
            else:
                _end_line(panel, result)

    return Drawing(
        title="Predicted survival",
        description="; ".join(
            f"{_name(one)}: median {median_text(one, result)}" for one in shown
        ),
        draw=draw,
        top=TITLE,
        height_at=lambda width: panels_height(len(shown), width) + TITLE + 36.0,
    )


def _draw_survival(panel: Axes, result: SurvivalEvaluation, which: int) -> None:
    """Draw one case with its band, and the others thin behind it."""
    shown = _shown(result)
    start = [] if is_wide(result) else [0.0]  # a logarithmic scale has no zero
    certain = [1.0] * len(start)
    for k, one in enumerate(shown):
        x, y = np.array([*start, *one.times]), np.array([*certain, *one.survival])
        if k != which:
            panel.plot(x, y, color=MUTED, linewidth=0.6, zorder=2)
            continue
        low, high = [*certain, *one.survival_low], [*certain, *one.survival_high]
        panel.fill_between(x, low, high, color=ACCENT_SOFT, linewidth=0)
        panel.plot(x, y, color=ACCENT, linewidth=1.6, zorder=3)
        _mark(panel, one, x, y, ACCENT)
    name_panel(panel, _name(shown[which]))


def calibration_drawing(result: SurvivalEvaluation) -> Drawing:
    """Draw in which tenth of its predicted survival each event fell."""
    shares = np.array(result.calibration.shares)
    edges = np.arange(10) / 10

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="predicted survival when the event came")
        top = 1.08 * max(0.1, float(shares.max()))
        axes.set_ylim(0, top)
        ticks = _share_ticks(top)
        names = [f"{100 * tick:.0f} %" if tick else "0" for tick in ticks]
        axes.set_yticks(ticks, labels=names)
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


def _share_ticks(top: float) -> list[float]:
    """Return round shares up to a height; a tenth, where bars should end, is one."""
    step = next((s for s in (0.05, 0.1) if top <= 5 * s), 0.2)
    ticks = {round(i * step, 2) for i in range(1 + int(top / step))}
    return sorted(ticks | {0.1})


def together_drawing(result: SurvivalEvaluation) -> Drawing:
    """Draw the share that still waits against the mean of predicted survival."""
    seen = result.follow_up
    x = np.array([0.0, *seen.times])
    observed = np.array([1.0, *seen.observed])
    predicted = np.array([1.0, *seen.predicted])

    key: list[Entry] = [
        ("seen (Kaplan-Meier)", INK, "-"), ("mean predicted", ACCENT, _DASHED),
    ]  # fmt: skip

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=_time_label(result))
        percent_axis(axes)
        number_axis(axes, 0.0, 1.02 * float(x[-1]))
        axes.step(x, observed, where="post", color=INK, linewidth=1.4)
        axes.plot(x, predicted, color=ACCENT, linewidth=1.6, linestyle=_DASHED)
        draw_key(axes, key, above=9.0)
        _number_at_risk(axes, result)

    below = _RISK_ROOM
    return Drawing(
        title="Seen and predicted, all cases together",
        description=f"At {formats.time(x[-1])}: seen {observed[-1]:.2f}, predicted "
        f"{predicted[-1]:.2f}.",
        draw=draw,
        height=200.0 + key_height(key) + below,
        top=14.0 + key_height(key),
        bottom=36.0 + below,
    )


def _number_at_risk(axes: Axes, result: SurvivalEvaluation) -> None:
    """Write below every tick how many cases still wait and are looked at."""
    time = result.samples.time
    words = "cases still waiting and followed (at risk)"
    written = [(0.0, words, "axes fraction", "left", -48.0)]
    for tick in axes.get_xticks():
        count = f"{int((time >= tick).sum()):,}"
        written.append((float(tick), count, "data", "center", -62.0))
    for x, text, scale, side, shift in written:
        axes.annotate(
            text, (x, 0.0), (0, shift), xycoords=(scale, "axes fraction"),
            textcoords="offset points", ha=side, color=MUTED, fontsize=FONT_SIZE,
            annotation_clip=False,
        )  # fmt: skip


def baselines_drawing(result: SurvivalEvaluation) -> Drawing:
    """Draw what the model knows beyond each baseline."""
    digits = decimals(result.information)  # as in the table
    rows = tuple(
        Row(
            name=forecaster_name(row.name),
            dot=row.beyond.median,
            low=row.beyond.low,
            high=row.beyond.high,
            # A row without a dot: who looks for it finds it, and that it is n/a.
            text=formats.fixed(row.beyond.median, digits).replace(
                "-", "\N{MINUS SIGN}"
            ),
        )
        for row in result.baselines
    )
    groups = (Group(heading="the model knows beyond", rows=rows),)
    ends = [x for row in rows for x in (row.low, row.high) if formats.is_known(x)]
    low, high = min([*ends, 0.0]), max([*ends, 0.0])
    room = 0.06 * ((high - low) or 1.0)

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel=f"{result.units} per case", zero=True)
        number_axis(axes, low - room, high + room)

    def described(row: Row) -> str:
        if not formats.is_known(row.low):
            return f"{row.name}: {row.text}"
        ends = formats.span(lambda x: formats.fixed_end(x, digits), row.low, row.high)
        return f"{row.name}: {row.text} ({ends})"

    return rows_drawing(
        groups,
        draw,
        title="The model against others",
        description="; ".join(map(described, rows)),
    )


def forecaster_name(name: str) -> str:
    """Return how readers call a forecaster."""
    if name in BASELINES:
        return BASELINES[name].title
    return {CURVE: "curve of all cases", "model": "this model"}.get(name, name)


def median_text(one: SampleCurves, result: SurvivalEvaluation) -> str:
    """Write a median, unless nobody was followed for so long."""
    longest = result.follow_up.longest
    if one.median <= longest:
        return formats.time(one.median)
    return f"beyond the longest follow-up ({formats.time(longest)})"


def _name(one: SampleCurves) -> str:
    return f"case {one.row}"


def _time_label(result: SurvivalEvaluation) -> str:
    return f"time ({result.time_unit})" if result.time_unit else "time"
