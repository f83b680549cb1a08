"""Figures of question one: curves of accuracy and cost, methods, back-tests, D(u)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.types import FloatArray
from scorecast.extrapolation import (
    BacktestRow,
    CurveExtrapolation,
    Extrapolation,
    PublishedCurve,
    RecogniserComparison,
    RiskExtrapolation,
    observed_band,
)
from scorecast.report.curves import (
    LINE,
    Box,
    Mark,
    Trace,
    draw_marks,
    draw_trace,
    envelope_of,
    spread,
)
from scorecast.report.figures import (
    ACCENT,
    ACCENT_SOFT,
    CURVE_STYLES,
    FONT_SIZE,
    INK,
    INK_SOFT,
    MUTED,
    PAPER,
    RULE,
    Drawing,
    axes_size,
    count_axis,
    in_points,
    percent_axis,
    plain_axes,
    round_ticks,
    text_width,
    thinned,
)
from scorecast.report.forest import Group, Row, draw_groups, rows_drawing
from scorecast.report.formats import (
    amount,
    classes,
    count,
    is_known,
    one_line,
    percent,
    points,
)
from scorecast.report.names import short_by_name
from scorecast.scores import AccuracyCurve, RiskCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVE_LEVEL = 0.95
MOST_CURVES = 8  # models in one figure

_MOST_LABELS = 6
_LONGEST_NAME = 14
_WIDEST_MARGIN = 90.0
_MOST_GROUPS = 4
_MOST_ROWS = 9
_SHIFTS = (
    0.0,
    -0.03,
    0.03,
    -0.06,
    0.06,
    -0.09,
    0.09,
)  # of bars at one number of classes


# --- accuracy ------------------------------------------------------------------------


def accuracy_drawing(curve: AccuracyCurve, description: str) -> Drawing:
    """Draw an observed accuracy curve."""
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


def forecast_drawing(result: Extrapolation, description: str) -> Drawing:
    """Draw what was observed, what is forecast, and what each method says."""
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
        description=description,
        draw=draw,
        right=min(right, _WIDEST_MARGIN),
        top=24.0,
    )


def observed_ends(result: Extrapolation) -> tuple[FloatArray, FloatArray]:
    """Make the interval around the observed curve of a forecast."""
    low, high = observed_band(result.observed, result.confidence_level)
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
        text = f"{classes(p.classes)}: {percent(p.accuracy)}"
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


class _Line(NamedTuple):
    """A curve that is named at its right end."""

    name: str
    x: FloatArray
    y: FloatArray
    colour: str = MUTED


def _draw_methods(axes: Axes, result: Extrapolation) -> list[_Line]:
    lines = []
    x = result.curve.classes.astype(np.float64)
    for name, used, y in _method_curves(result):
        known = np.isfinite(y)
        style = "solid" if used else (0, (1.2, 2.4))
        axes.plot(
            x[known], y[known], color=MUTED, linewidth=0.7, linestyle=style, zorder=4
        )
        lines.append(_Line(name, x[known], y[known]))
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
    lines: list[_Line],
    own_name: str = "forecast",
) -> list[Box]:
    """Name every curve at its right end, moving names apart where they would touch."""
    ends = [(one.name, one.x[-1], one.y[-1], one.colour) for one in lines]
    if forecast.x.size:
        ends.append((own_name, forecast.x[-1], forecast.y[-1], ACCENT))
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


# --- several measures, several recognisers -------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Member:
    """One of several forecasts in one figure."""

    name: str
    observed: Trace
    forecast: Trace
    marks: Sequence[Mark]


def measures_drawing(result: Extrapolation, description: str) -> Drawing:
    """Draw all measures of one recogniser, with their bands."""
    members = [
        _Member(
            name=measure_name(one.measure),
            observed=_trace(
                one.observed.classes,
                one.observed.value,
                one.observed.low,
                one.observed.high,
            ),
            forecast=_trace(
                one.curve.classes, one.curve.value, one.curve.low, one.curve.high
            ),
            marks=[
                _mark(p.classes, p.value, p.low, p.high)
                for p in one.predictions
                if p.classes > result.n_classes
            ],
        )
        for one in result.measures.values()
    ]
    return _family_drawing(
        members,
        result.n_classes,
        title="Measures against the number of classes: observed, then forecast",
        description=description,
    )


def measure_name(measure: str) -> str:
    """Name a measure as it is read: MRR, top 5."""
    return "MRR" if measure == "mrr" else measure.replace("-", " ")


def recognisers_drawing(result: RecogniserComparison, description: str) -> Drawing:
    """Draw the forecasts of several recognisers, with their bands."""
    order = sorted(
        result.recognisers,
        key=lambda name: -float(result.recognisers[name].curve.accuracy[-1]),
    )[:MOST_CURVES]
    names = short_by_name(order, _LONGEST_NAME)
    members = [
        _Member(
            name=names[name],
            observed=_observed(result.recognisers[name]),
            forecast=_forecast(result.recognisers[name]),
            marks=[
                _mark(p.classes, p.accuracy, p.low, p.high)
                for p in result.recognisers[name].predictions
                if p.classes > result.n_classes
            ],
        )
        for name in order
    ]
    return _family_drawing(
        members,
        result.n_classes,
        title="Accuracy of several recognisers against the number of classes",
        description=description,
    )


def _family_drawing(
    members: Sequence[_Member], n_classes: int, *, title: str, description: str
) -> Drawing:
    """Draw several forecasts, each in a colour and dashes of its own, with bands."""
    right = max(text_width(member.name, bold=True) for member in members) + 16

    def draw(axes: Axes) -> None:
        x = np.concatenate(
            [trace.x for one in members for trace in (one.observed, one.forecast)]
        )
        _frame(axes, float(x.min()), float(x.max()))
        for i, one in reversed(list(enumerate(members))):
            colour, style = CURVE_STYLES[i % len(CURVE_STYLES)]
            soft = INK_SOFT if i else ACCENT_SOFT
            zorder = 2 if i else 2.5
            _draw_edges(axes, one.forecast, colour, soft, zorder, style)
            axes.plot(
                one.observed.x,
                one.observed.y,
                color=colour,
                linewidth=1.4,
                linestyle=style,
                zorder=5,
            )
            shift = _SHIFTS[i % len(_SHIFTS)]
            for mark in one.marks:
                _draw_bar(axes, mark, colour, shift)
        _draw_boundary(axes, n_classes)
        lines = [
            _Line(one.name, one.forecast.x, one.forecast.y, colour)
            for one, (colour, _) in zip(
                members[1:], cycle(CURVE_STYLES[1:]), strict=False
            )
        ]
        _draw_ends(axes, members[0].forecast, lines, members[0].name)

    return Drawing(
        title=title,
        description=description,
        draw=draw,
        right=min(right, _WIDEST_MARGIN),
        top=24.0,
        height=300.0,
    )


def _mark(x: float, y: float, low: float, high: float) -> Mark:
    known = is_known(low) and is_known(high)
    return Mark(
        x=float(x),
        y=float(y),
        low=float(low) if known else float(y),
        high=float(high) if known else float(y),
        text="",
        colour=INK,
    )


def _draw_edges(
    axes: Axes,
    trace: Trace,
    colour: str,
    soft: str,
    zorder: float,
    style: Any = "solid",
) -> None:
    """Draw a curve over a band that is seen where others cover it, too."""
    known = np.isfinite(trace.low) & np.isfinite(trace.high)
    axes.fill_between(
        trace.x[known],
        trace.low[known],
        trace.high[known],
        color=soft,
        linewidth=0,
        zorder=zorder,
    )
    for edge in (trace.low, trace.high):
        axes.plot(
            trace.x[known],
            edge[known],
            color=colour,
            linewidth=0.5,
            linestyle=(0, (1, 2)),
            zorder=4,
        )
    axes.plot(trace.x, trace.y, color=colour, linewidth=1.8, linestyle=style, zorder=5)


def _draw_bar(axes: Axes, mark: Mark, colour: str, shift: float) -> None:
    """Draw an interval beside its number of classes, so that several do not cover."""
    low, high = axes.get_xlim()
    x = mark.x * (high / low) ** (shift / 5)
    axes.vlines(x, mark.low, mark.high, color=colour, lw=1.0, zorder=6)
    axes.plot(
        [mark.x],
        [mark.y],
        marker="o",
        markersize=4.5,
        color=colour,
        markeredgecolor=PAPER,
        markeredgewidth=0.8,
        clip_on=False,
        zorder=7,
    )


def match_drawing(result: Extrapolation, description: str) -> Drawing:
    """Draw accuracy against the number of guesses (CMC), observed and forecast."""
    curves = result.match_curves
    shown = [curves[0], *thinned(sorted(curves[1:], key=lambda c: c.classes), 5)]
    names = [
        f"{count(c.classes)} observed" if c.is_observed else count(c.classes)
        for c in shown
    ]
    right = max(text_width(name, bold=True) for name in names) + 16

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="guesses allowed")
        percent_axis(axes)
        guesses = shown[0].guesses
        last = float(guesses[-1])
        count_axis(axes, 1 / 1.02, last * 1.02, also=[1.0, last])
        lines = []
        styles = [(INK, "solid"), *CURVE_STYLES]
        for name, one, (colour, style) in reversed(
            list(zip(names, shown, styles, strict=False))
        ):
            trace = _trace(one.guesses, one.accuracy, one.low, one.high)
            soft = ACCENT_SOFT if colour == ACCENT else INK_SOFT
            _draw_edges(axes, trace, colour, soft, 2, style)
            axes.plot(trace.x, trace.y, "o", color=colour, markersize=3, zorder=6)
            lines.append(_Line(name, trace.x, trace.y, colour))
        nothing = Trace(x=np.empty(0), y=np.empty(0), low=np.empty(0), high=np.empty(0))
        _draw_ends(axes, nothing, lines)

    return Drawing(
        title="Accuracy against the number of guesses",
        description=description,
        draw=draw,
        right=min(right, _WIDEST_MARGIN),
        top=14.0,
    )


# --- published points ----------------------------------------------------------------


def points_drawing(result: CurveExtrapolation, description: str) -> Drawing:
    """Draw points, and what is expected beyond them, for the best models."""
    farthest = max(int(c.curve.classes[-1]) for c in result.curves)
    order = sorted(result.curves, key=lambda c: -float(c.curve.accuracy[-1]))
    drawn = order[:MOST_CURVES]
    names = short_by_name([c.model or "forecast" for c in drawn], _LONGEST_NAME)
    best = drawn[0]
    marks = _point_marks(best)
    right = max(text_width(name, bold=True) for name in names.values()) + 16

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="number of classes")
        _share_axis(axes, drawn)
        first = min(float(c.classes[0]) for c in drawn)
        room = max(farthest / first, 2) ** 0.02
        count_axis(axes, first / room, farthest * room)
        lines = []
        for i, (curve, (colour, style)) in enumerate(
            zip(drawn[1:], cycle(CURVE_STYLES[1:]), strict=False)
        ):
            x, y = curve.curve.classes.astype(np.float64), curve.curve.accuracy
            axes.plot(x, y, color=colour, linewidth=1.2, linestyle=style, zorder=4)
            axes.plot(
                curve.classes, curve.accuracy, "o", color=colour, markersize=3, zorder=5
            )
            for p in curve.predictions:
                mark = _mark(p.classes, p.accuracy, p.low, p.high)
                _draw_bar(axes, mark, colour, _SHIFTS[(i + 1) % len(_SHIFTS)])
            lines.append(_Line(names[curve.model or "forecast"], x, y, colour))
        own = best.curve
        trace = _trace(own.classes, own.accuracy, own.low, own.high)
        draw_trace(axes, trace, ACCENT, ACCENT_SOFT)
        axes.plot(best.classes, best.accuracy, "o", color=INK, markersize=4, zorder=7)
        name = names[best.model or "forecast"]
        taken = _draw_ends(axes, trace, lines, name) if lines else []
        draw_marks(axes, marks, envelope_of(axes, [trace], marks), taken)

    return Drawing(
        title="Accuracy against the number of classes: points given, and expected",
        description=description,
        draw=draw,
        right=min(right, _WIDEST_MARGIN) if len(drawn) > 1 else 40.0,
        left=44.0,
        top=14.0,
    )


def _point_marks(curve: PublishedCurve) -> list[Mark]:
    ordered = sorted(curve.predictions, key=lambda p: p.classes)
    marks = []
    for p in thinned(ordered, _MOST_LABELS):
        right = percent(p.accuracy, _digits(p.high - p.low))
        text = f"{classes(p.classes)}: {right}"
        mark = Mark(
            x=p.classes, y=p.accuracy, low=p.low, high=p.high, text=text, colour=ACCENT
        )
        marks.append(mark)
    return marks


def _digits(width: float) -> int:
    return 0 if width > 0.05 else 1 if width > 0.005 else 2


def _share_axis(axes: Axes, curves: Sequence[PublishedCurve]) -> None:
    """Let y run over the accuracies there are: those near 1 differ by little."""
    values = np.concatenate(
        [np.concatenate([c.accuracy, c.curve.accuracy]) for c in curves]
        + [curves[0].curve.low, curves[0].curve.high]
        + [np.array([(p.low, p.high) for c in curves for p in c.predictions]).ravel()]
    )
    low, high = float(values.min()), float(values.max())
    room = 0.08 * max(high - low, 0.002)
    low, high = max(low - room, 0.0), min(high + room, 1.0)
    axes.set_ylim(low, high)
    ticks = round_ticks(low, high, 6)
    names = [f"{100 * tick:g}" for tick in ticks]
    axes.set_yticks(ticks, labels=[*names[:-1], f"{names[-1]} %"])
    axes.grid(axis="y", color=RULE, linewidth=0.6)


# --- methods and back-tests ----------------------------------------------------------


def agreement_drawing(result: Extrapolation) -> Drawing:
    """Draw what each method says at each target."""
    beyond = [
        (i, p) for i, p in enumerate(result.predictions) if p.classes > result.n_classes
    ]
    beyond.sort(key=lambda pair: pair[1].classes)
    groups = [
        Group(heading=f"{classes(p.classes)} classes", rows=_opinions(result, i))
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
    """Draw the errors made when classes were hidden."""
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


# --- discriminability ----------------------------------------------------------------


def discriminability_drawing(result: Extrapolation) -> Drawing:
    """Draw the share of samples against how easily they are beaten.

    A sample of favourability u is beaten by one random class in 1 / (1 - u). On a
    logarithmic axis of that number the part near u = 1, which decides the forecast, is
    wide, and the axis is at once one of numbers of classes.
    """
    targets = sorted({p.classes for p in result.predictions})
    rivals, shares = _rivals(result)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="beaten by one class in \N{HORIZONTAL ELLIPSIS}")
        percent_axis(axes)
        count_axis(axes, 1.0, 3.0 * max(result.n_classes, *targets))
        seen = rivals <= result.n_classes
        # The two parts share a point, or there would be a gap between them.
        split = int(seen.sum())
        axes.plot(rivals[: split + 1], shares[: split + 1], color=INK, linewidth=1.8)
        axes.plot(rivals[split:], shares[split:], color=ACCENT, linewidth=1.8)
        _draw_counts(axes, result.n_classes, targets)

    worst = np.interp(result.n_classes, rivals, shares) if rivals.size else np.nan
    return Drawing(
        title="How many classes it takes to beat a sample",
        description=(
            f"{percent(float(worst))} of the samples are beaten by at least one "
            f"class in {count(result.n_classes)}."
        ),
        draw=draw,
        height=220.0,
        top=24.0,
    )


def _rivals(result: Extrapolation) -> tuple[FloatArray, FloatArray]:
    u = np.asarray(result.discriminability.u, dtype=np.float64)
    d = np.asarray(result.discriminability.d, dtype=np.float64)
    known = np.isfinite(u) & np.isfinite(d) & (u >= 0) & (u < 1)
    order = np.argsort(u[known], kind="stable")
    return 1 / (1 - u[known][order]), d[known][order]


def _draw_counts(axes: Axes, n_classes: int, targets: list[int]) -> None:
    """Mark the observed number of classes and the targets; drop names that collide."""
    marks = [(n_classes, f"{count(n_classes)} observed", INK)]
    marks += [(k, count(k), ACCENT) for k in reversed(targets) if k > n_classes]
    taken: list[tuple[float, float]] = []
    for k, text, colour in marks:
        dashes = (3, 3) if colour == INK else (1.2, 2.4)
        axes.axvline(k, color=MUTED, linewidth=0.6, dashes=dashes, zorder=1)
        at, _ = in_points(axes, np.array([float(k)]), np.zeros(1))
        half = text_width(text) / 2 + 3
        if any(at[0] - half < b and a < at[0] + half for a, b in taken):
            continue
        taken.append((at[0] - half, at[0] + half))
        axes.annotate(
            text,
            (k, 1),
            (0, 9),
            textcoords="offset points",
            ha="center",
            color=colour,
            fontsize=FONT_SIZE,
            annotation_clip=False,
        )


# --- cost ----------------------------------------------------------------------------


def risk_drawing(
    curve: RiskCurve, description: str, forecast: RiskExtrapolation | None = None
) -> Drawing:
    """Draw the cost of a decision against the number of classes."""
    trace = _risk_trace(curve)
    marks = [_risk_mark(trace.x[-1], trace.y[-1], trace.low[-1], trace.high[-1], INK)]
    if forecast is not None:
        marks += [
            _risk_mark(p.classes, p.risk, p.low, p.high, ACCENT)
            for p in forecast.predictions
            if p.classes > curve.n_classes
        ]

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="number of classes")
        farthest = max(mark.x for mark in marks)
        low = float(trace.x[0]) / 1.05
        count_axis(axes, low, farthest * 1.05, sorted(mark.x for mark in marks))
        ends = [
            *trace.high,
            *(m.high for m in marks),
            *trace.low,
            *(m.low for m in marks),
        ]
        axes.set_ylim(min(0.0, np.nanmin(ends)), 1.1 * np.nanmax(ends))
        axes.grid(axis="y", color=RULE, linewidth=0.6)
        draw_trace(axes, trace, INK, INK_SOFT)
        joined = _joined(marks)
        axes.plot(joined.x, joined.y, "--", color=ACCENT, linewidth=1.2, zorder=4)
        draw_marks(axes, marks, envelope_of(axes, [trace, joined], marks))

    return Drawing(
        title="Average cost of a decision against the number of classes",
        description=description,
        draw=draw,
        right=max(24.0, text_width(marks[-1].text)),
        top=14.0,
    )


def _risk_trace(curve: RiskCurve) -> Trace:
    order = np.argsort(curve.classes, kind="stable")
    known = np.maximum.accumulate(
        np.where(np.isfinite(curve.stderr[order]), np.arange(order.size), -1)
    )
    # At all classes there is no standard error: that of the next smaller size.
    error = np.where(known >= 0, curve.stderr[order][known], np.nan)
    half = float(scipy.special.ndtri(0.5 + CURVE_LEVEL / 2)) * error
    risk = curve.risk[order]
    return Trace(
        x=curve.classes[order].astype(np.float64),
        y=risk,
        low=risk - half,
        high=risk + half,
    )


def _joined(marks: Sequence[Mark]) -> Trace:
    """Return the line from what was observed through the forecasts."""
    ordered = sorted(marks, key=lambda mark: mark.x)
    x, y = (np.array([getattr(mark, name) for mark in ordered]) for name in "xy")
    return Trace(x=x, y=y, low=y, high=y)


def _risk_mark(x: float, y: float, low: float, high: float, colour: str) -> Mark:
    known = is_known(low) and is_known(high)
    return Mark(
        x=float(x),
        y=float(y),
        low=float(low) if known else float(y),
        high=float(high) if known else float(y),
        text=f"{count(x)}: {amount(y)}",
        colour=colour,
    )
