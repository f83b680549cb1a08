"""Figures of accuracy against the number of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from scorecast._core.types import FloatArray
from scorecast.classes import Extrapolation
from scorecast.report.drawing import (
    ACCENT,
    ACCENT_SOFT,
    FONT_SIZE,
    INK,
    INK_SOFT,
    MUTED,
    Drawing,
    axes_size,
    count_axis,
    in_points,
    percent_axis,
    plain_axes,
    text_width,
    thinned,
)
from scorecast.report.formats import count, is_known, one_line, percent
from scorecast.report.labels import Box, spread
from scorecast.report.marks import (
    LINE,
    Mark,
    Trace,
    draw_marks,
    draw_trace,
    envelope_of,
)
from scorecast.scores import AccuracyCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "CURVE_LEVEL",
    "accuracy_drawing",
    "observed_band",
    "observed_ends",
    "outlook_drawing",
]

CURVE_LEVEL = 0.9

_MOST_LABELS = 6
_LONGEST_NAME = 14
_WIDEST_MARGIN = 90.0


def observed_band(curve: AccuracyCurve, level: float) -> tuple[FloatArray, FloatArray]:
    """Make a normal interval around an observed curve from its standard errors.

    Parameters
    ----------
    curve : AccuracyCurve
        The curve; where it has no standard error, that of the next smaller size.
    level : float
        Level of the interval.

    Returns
    -------
    tuple of ndarray
        Lower and upper ends, NaN where there is no standard error at all.
    """
    errors = np.array(
        [curve.nearest_standard_error(i).value for i in range(curve.classes.size)]
    )
    half = float(ndtri(0.5 + level / 2)) * errors
    low, high = curve.accuracy - half, curve.accuracy + half
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def accuracy_drawing(curve: AccuracyCurve, description: str) -> Drawing:
    """Draw an observed accuracy curve.

    Parameters
    ----------
    curve : AccuracyCurve
        The curve.
    description : str
        What it says, for who cannot see it.

    Returns
    -------
    Drawing
        Ready to be drawn at any width.
    """
    low, high = observed_band(curve, CURVE_LEVEL)
    trace = _trace(curve.classes, curve.accuracy, low, high)

    def draw(axes: Axes) -> None:
        _frame(axes, float(trace.x[0]), float(trace.x[-1]))
        draw_trace(axes, trace, INK, INK_SOFT)
        ends = [trace.x.size - 1, 0] if trace.x.size > 1 else [0]
        marks = [_mark_of(trace, i) for i in ends]
        draw_marks(axes, marks, envelope_of(axes, [trace]))

    return Drawing(
        title="Accuracy against the number of classes",
        description=description,
        draw=draw,
        right=24.0,
        top=14.0,
    )


def outlook_drawing(result: Extrapolation) -> Drawing:
    """Draw what was observed, what is forecast, and what each method says.

    Parameters
    ----------
    result : Extrapolation
        The forecast.

    Returns
    -------
    Drawing
        Ready to be drawn at any width.
    """
    observed, forecast = _observed(result), _forecast(result)
    marks = _marks(result)
    names = [name for name, _, _ in _method_curves(result)] + ["forecast"]
    # Room for the names of the curves, and for the label of the last target.
    right = max(text_width(name) for name in names) + 16
    right = max([right, *(text_width(m.text, bold=True) for m in marks[-1:])])

    def draw(axes: Axes) -> None:
        ends = [trace.x for trace in (observed, forecast)] + [
            np.array([mark.x for mark in marks])
        ]
        x = np.concatenate(ends)
        _frame(axes, float(x.min()), float(x.max()))
        lines = _draw_methods(axes, result)
        draw_trace(axes, observed, INK, INK_SOFT)
        draw_trace(axes, forecast, ACCENT, ACCENT_SOFT)
        _draw_boundary(axes, result.n_classes)
        taken = _draw_ends(axes, forecast, lines)
        drawn = envelope_of(axes, [observed, forecast], marks)
        draw_marks(axes, marks, drawn, taken)

    return Drawing(
        title="Accuracy against the number of classes: observed, then forecast",
        description=result.sentence(),
        draw=draw,
        right=min(right, _WIDEST_MARGIN),
        top=24.0,
    )


def observed_ends(result: Extrapolation) -> tuple[FloatArray, FloatArray]:
    """Make the interval around the observed curve of a forecast.

    Parameters
    ----------
    result : Extrapolation
        The forecast; with all observed classes its own interval is used.

    Returns
    -------
    tuple of ndarray
        Lower and upper ends.
    """
    low, high = observed_band(result.observed, result.level)
    last = int(np.argmax(result.observed.classes))
    if is_known(result.observed_low) and is_known(result.observed_high):
        low[last], high[last] = result.observed_low, result.observed_high
    return low, high


def _observed(result: Extrapolation) -> Trace:
    curve = result.observed
    return _trace(curve.classes, curve.accuracy, *observed_ends(result))


def _forecast(result: Extrapolation) -> Trace:
    curve = result.curve
    beyond = curve.classes >= result.n_classes
    return _trace(
        curve.classes[beyond],
        curve.accuracy[beyond],
        curve.low[beyond],
        curve.high[beyond],
    )


def _trace(x: ArrayLike, y: ArrayLike, low: ArrayLike, high: ArrayLike) -> Trace:
    columns = [np.asarray(part, dtype=np.float64) for part in (x, y, low, high)]
    known = np.isfinite(columns[0]) & np.isfinite(columns[1])
    order = np.argsort(columns[0][known], kind="stable")
    kept = [column[known][order] for column in columns]
    return Trace(x=kept[0], y=kept[1], low=kept[2], high=kept[3])


def _method_curves(result: Extrapolation) -> list[tuple[str, bool, FloatArray]]:
    if len(result.methods) < 2:
        return []
    return [
        (one_line(m.name, _LONGEST_NAME), m.weight > 0, np.asarray(m.curve))
        for m in result.methods
        if m.curve.size == result.curve.classes.size and np.isfinite(m.curve).any()
    ]


def _marks(result: Extrapolation) -> list[Mark]:
    trace = _observed(result)
    marks = [_mark_of(trace, -1)] if trace.x.size else []
    ordered = sorted(result.predictions, key=lambda p: p.classes)
    for p in thinned(ordered, _MOST_LABELS):
        if p.classes == result.n_classes or not is_known(p.accuracy):
            continue
        text = f"{count(p.classes)}: {percent(p.accuracy)}"
        known = is_known(p.low) and is_known(p.high)
        marks.append(
            Mark(
                x=p.classes,
                y=p.accuracy,
                low=p.low if known else p.accuracy,
                high=p.high if known else p.accuracy,
                text=text,
                colour=ACCENT if p.classes > result.n_classes else INK,
            )
        )
    return marks


def _mark_of(trace: Trace, index: int) -> Mark:
    x, y = float(trace.x[index]), float(trace.y[index])
    low, high = float(trace.low[index]), float(trace.high[index])
    known = np.isfinite(low) and np.isfinite(high)
    return Mark(
        x=x,
        y=y,
        low=low if known else y,
        high=high if known else y,
        text=f"{count(x)}: {percent(y)}",
        colour=INK,
    )


def _frame(axes: Axes, low: float, high: float) -> None:
    plain_axes(axes, xlabel="number of classes")
    percent_axis(axes)
    room = max(high / low, 2) ** 0.02
    count_axis(axes, low / room, high * room)


def _draw_methods(
    axes: Axes, result: Extrapolation
) -> list[tuple[str, FloatArray, FloatArray]]:
    lines = []
    x = result.curve.classes.astype(np.float64)
    for name, used, y in _method_curves(result):
        known = np.isfinite(y)
        style = "solid" if used else (0, (1.2, 2.4))
        axes.plot(
            x[known], y[known], color=MUTED, linewidth=0.7, linestyle=style, zorder=4
        )
        lines.append((name, x[known], y[known]))
    return lines


def _draw_boundary(axes: Axes, n_classes: int) -> None:
    axes.axvline(n_classes, color=MUTED, linewidth=0.6, dashes=(3, 3), zorder=3)
    width, _ = axes_size(axes)
    at, _ = in_points(axes, np.array([float(n_classes)]), np.array([0.0]))
    whole = f"{count(n_classes)} classes observed"
    for before in (whole, "observed"):
        if text_width(before) < at[0] + 12:
            break
    else:
        before = ""
    for text, shift, side in ((before, -6, "right"), ("forecast", 6, "left")):
        if side == "right" or text_width(text) < width - at[0]:
            axes.annotate(
                text,
                (n_classes, 1),
                (shift, 9),
                textcoords="offset points",
                ha=side,
                color=MUTED,
                fontsize=FONT_SIZE,
                annotation_clip=False,
            )


def _draw_ends(
    axes: Axes,
    forecast: Trace,
    lines: list[tuple[str, FloatArray, FloatArray]],
) -> list[Box]:
    """Name every curve at its right end, moving names apart where they would touch."""
    ends = [(name, x[-1], y[-1], MUTED) for name, x, y in lines]
    if forecast.x.size:
        ends.append(("forecast", forecast.x[-1], forecast.y[-1], ACCENT))
    if not lines:
        return []
    _, height = axes_size(axes)
    x, y = (np.array([end[i] for end in ends], dtype=np.float64) for i in (1, 2))
    at_x, at_y = in_points(axes, x, y)
    places = spread(at_y, LINE, 3.0, height - 3.0)
    right, _ = axes_size(axes)
    for (name, _, value, colour), x0, y0, place in zip(
        ends, at_x, at_y, places, strict=True
    ):
        axes.annotate(
            name,
            (x.max(), value),
            (right - x0 + 10, place - y0),
            textcoords="offset points",
            va="center_baseline",
            color=colour,
            fontsize=FONT_SIZE,
            fontweight="bold" if colour == ACCENT else "normal",
            parse_math=False,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.5,
                "shrinkA": 0,
                "shrinkB": 3,
                "relpos": (0, 0.5),
            },
        )
    half = LINE / 2
    names = [(right + 8, place - half, np.inf, place + half) for place in places]
    # From the end of every curve a line leads to its name.
    leaders = [
        (x0 + 3, min(y0, place), right + 8, max(y0, place))
        for x0, y0, place in zip(at_x, at_y, places, strict=True)
    ]
    return [*names, *leaders]
