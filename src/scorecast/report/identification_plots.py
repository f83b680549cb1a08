"""Figures of identification: the curve beside its ideal, and amounts on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scorecast.information import (
    DecoderComparison,
    Identification,
    ImpliedInformation,
    InformationBound,
    amount,
    amount_span,
)
from scorecast.report.curves import Mark, Trace, draw_marks, draw_trace, envelope_of
from scorecast.report.extrapolation_figures import observed_band
from scorecast.report.figures import (
    ACCENT,
    ACCENT_SOFT,
    FONT_SIZE,
    INK,
    INK_SOFT,
    MUTED,
    PAPER,
    Drawing,
    axes_size,
    count_axis,
    number_axis,
    percent_axis,
    plain_axes,
    text_width,
    thinned,
)
from scorecast.report.formats import count, is_known, percent
from scorecast.report.names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "amounts_drawing",
    "bound_drawing",
    "decoders_drawing",
    "identification_drawing",
    "implied_drawing",
]

_ROW = 18.0
_LONGEST_NAME = 20
_MOST_ROWS = 40
_POINTS = 80  # of the ideal curve beyond the data


@dataclass(frozen=True, kw_only=True)
class _Row:
    """An amount: a dot with its interval, or the least it can be."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    proved: float = math.nan
    strong: bool = True


def identification_drawing(result: Identification) -> Drawing:
    """Draw the observed curve, the ideal one, and chance.

    Parameters
    ----------
    result : Identification
        The answer.

    Returns
    -------
    Drawing
        Ready to be drawn at any width.
    """
    curve = result.curve
    low, high = observed_band(curve, result.level)
    observed = Trace(
        x=curve.classes.astype(np.float64), y=curve.accuracy, low=low, high=high
    )
    farthest = max([result.n, *(f.classes for f in result.forecasts)])
    return _curve_drawing(
        observed,
        _ideal(result.implied, farthest),
        marks=_marks(result, observed),
        description=result.sentence(),
    )


def implied_drawing(result: ImpliedInformation) -> Drawing:
    """Draw an observed curve without errors, and the ideal one.

    Parameters
    ----------
    result : ImpliedInformation
        The answer.

    Returns
    -------
    Drawing
        Ready to be drawn at any width.
    """
    none = np.full(result.accuracy.size, np.nan)
    observed = Trace(
        x=result.classes.astype(np.float64), y=result.accuracy, low=none, high=none
    )
    return _curve_drawing(
        observed,
        _ideal(result, result.n_classes),
        marks=[_mark(observed, -1)],
        description=result.summary(),
    )


def _curve_drawing(
    observed: Trace, ideal: Trace, *, marks: Sequence[Mark], description: str
) -> Drawing:
    chance = Trace(x=ideal.x, y=1 / ideal.x, low=1 / ideal.x, high=1 / ideal.x)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="number of candidates")
        percent_axis(axes)
        room = max(ideal.x[-1] / 2, 2) ** 0.02
        count_axis(axes, 2 / room, float(ideal.x[-1]) * room)
        axes.plot(chance.x, chance.y, color=MUTED, lw=0.8, dashes=(3, 3), zorder=3)
        axes.annotate(
            "chance", (4.0, 0.25), (6, 3),
            textcoords="offset points", color=MUTED, fontsize=FONT_SIZE,
        )  # fmt: skip
        axes.fill_between(
            ideal.x, ideal.low, ideal.high, color=ACCENT_SOFT, linewidth=0, zorder=1
        )
        draw_trace(axes, observed, INK, INK_SOFT)
        axes.plot(ideal.x, ideal.y, color=ACCENT, lw=1.4, dashes=(4, 2), zorder=6)
        draw_marks(axes, marks, envelope_of(axes, [observed, ideal, chance], marks))
        axes.annotate(
            "observed", (0, 1), (0, 9), xycoords="axes fraction",
            textcoords="offset points", color=INK, fontsize=FONT_SIZE,
            fontweight="bold", annotation_clip=False,
        )  # fmt: skip
        start = text_width("observed", bold=True) + 10
        whole = "ideal curve of the implied information"
        fits = start + text_width(whole) < axes_size(axes)[0]
        axes.annotate(
            whole if fits else "ideal curve", (0, 1), (start, 9),
            xycoords="axes fraction",
            textcoords="offset points", color=ACCENT, fontsize=FONT_SIZE,
            annotation_clip=False,
        )  # fmt: skip

    return Drawing(
        title="Identification accuracy against the number of candidates",
        description=description,
        draw=draw,
        right=max(24.0, text_width(marks[-1].text, bold=True) / 2 if marks else 0.0),
        top=26.0,
    )


def _ideal(implied: ImpliedInformation, farthest: int) -> Trace:
    ks = np.unique(np.geomspace(2, max(farthest, 3), _POINTS).round().astype(int))
    rows = implied.forecast(ks.tolist())
    y, low, high = (
        np.array([getattr(row, name) for row in rows])
        for name in ("accuracy", "low", "high")
    )
    return Trace(x=ks.astype(np.float64), y=y, low=low, high=high)


def _marks(result: Identification, observed: Trace) -> list[Mark]:
    marks = [_mark(observed, -1)]
    for row in sorted(result.forecasts, key=lambda f: f.classes):
        if row.classes <= result.n:
            continue
        known = is_known(row.low) and is_known(row.high)
        marks.append(
            Mark(
                x=row.classes,
                y=row.accuracy,
                low=row.low if known else row.accuracy,
                high=row.high if known else row.accuracy,
                text=f"{count(row.classes)}: {percent(row.accuracy)}",
                colour=ACCENT,
            )
        )
    return marks


def _mark(trace: Trace, index: int) -> Mark:
    x, y = float(trace.x[index]), float(trace.y[index])
    low, high = float(trace.low[index]), float(trace.high[index])
    known = is_known(low) and is_known(high)
    return Mark(
        x=x,
        y=y,
        low=low if known else y,
        high=high if known else y,
        text=f"{count(x)}: {percent(y)}",
        colour=INK,
    )


def amounts_drawing(result: Identification) -> Drawing:
    """Draw implied and proved information, and what others would say, on one scale.

    Parameters
    ----------
    result : Identification
        The answer.

    Returns
    -------
    Drawing
        One row per amount.
    """
    implied, bound = result.implied, result.bound
    last = int(np.argmax(bound.classes))
    rows = [
        _Row(name="implied", value=implied.value, low=implied.low, high=implied.high),
        _Row(name="proved", value=math.nan, proved=bound.value),
        _Row(name="Fano", value=float(bound.fano[last]), strong=False),
    ]
    if is_known(bound.confusion):
        rows.append(_Row(name="confusion", value=bound.confusion, strong=False))
    return _rows_drawing(
        rows, result.units, title="Amounts of information, on one scale"
    )


def bound_drawing(result: InformationBound) -> Drawing:
    """Draw what each number of classes proves.

    Parameters
    ----------
    result : InformationBound
        The bound.

    Returns
    -------
    Drawing
        One row per number of classes.
    """
    rows = [
        _Row(name=f"{count(k)} classes", value=math.nan, proved=float(v))
        for k, v in zip(result.classes, result.information, strict=True)
    ]
    return _rows_drawing(rows, result.units, title="Information proved, by size")


def decoders_drawing(result: DecoderComparison) -> Drawing:
    """Draw the implied information of every decoder as a row.

    Parameters
    ----------
    result : DecoderComparison
        The table.

    Returns
    -------
    Drawing
        One row per decoder, in the order given; of many, an even choice.
    """
    names = short_names([row.name for row in result.rows], _LONGEST_NAME)
    rows = [
        _Row(
            name=name,
            value=row.implied,
            low=row.low,
            high=row.high,
            proved=row.bound,
        )
        for row, name in thinned(list(zip(result.rows, names, strict=True)), _MOST_ROWS)
    ]
    return _rows_drawing(
        rows, result.units, title="Implied information of every decoder"
    )


def _rows_drawing(rows: Sequence[_Row], units: str, *, title: str) -> Drawing:
    names = [row.name for row in rows]

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=f"information, {units}")
        ends = [x for r in rows for x in (r.value, r.low, r.high, r.proved)]
        top = max([x for x in ends if is_known(x)], default=1.0) or 1.0
        number_axis(axes, 0, 1.08 * top)
        axes.set_ylim(len(rows) - 0.4, -0.7)
        for y, row in enumerate(rows):
            _draw_row(axes, y, row, 1.08 * top)
        axes.set_yticks(range(len(rows)), labels=names)
        for label in axes.get_yticklabels():
            label.set_parse_math(False)

    return Drawing(
        title=title,
        description="; ".join(f"{row.name}: {_said(row)}" for row in rows),
        draw=draw,
        height=_ROW * len(rows) + 56,
        left=max(map(text_width, names)) + 18,
        right=18.0,
        top=8.0,
    )


def _draw_row(axes: Axes, y: int, row: _Row, end: float) -> None:
    colour = ACCENT if row.strong else MUTED
    if is_known(row.low):
        high = row.high if is_known(row.high) else end
        axes.hlines(y, row.low, high, color=colour, linewidth=1.6)
    if is_known(row.value):
        axes.plot([row.value], [y], "o", color=colour, markersize=5.5,
                  markeredgecolor=PAPER, clip_on=False)  # fmt: skip
    if is_known(row.proved):
        # An open end: the amount is at least this.
        axes.plot([row.proved], [y], ">", color=INK, markersize=7.5,
                  markeredgecolor=PAPER, clip_on=False, zorder=6)  # fmt: skip


def _said(row: _Row) -> str:
    parts = []
    if is_known(row.value):
        parts.append(amount(row.value))
    elif math.isinf(row.value):
        parts.append("beyond what can be shown")
    if is_known(row.low) and is_known(row.high):
        parts.append(f"({amount_span(row.low, row.high)})")
    if is_known(row.proved):
        parts.append(f"at least {amount(row.proved)}")
    return " ".join(parts) or "not known"
