"""How results about risk are drawn, written, and laid out on a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from scorecast._core.amounts import amount
from scorecast.classes import RiskExtrapolation
from scorecast.report.drawing import (
    ACCENT,
    INK,
    INK_SOFT,
    RULE,
    Drawing,
    count_axis,
    plain_axes,
    text_width,
)
from scorecast.report.formats import count, is_known, level_name
from scorecast.report.marks import Mark, Trace, draw_marks, draw_trace, envelope_of
from scorecast.report.phrases import assumptions_said, sentence, shares_said
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, column_table, report_sections
from scorecast.report.text import entry_lines, joined_lines, render_text, table_lines
from scorecast.scores import RiskCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["risk_drawing", "risk_text"]

_LEVEL = 0.9
_LEAD = (
    "Each point of the dark line is the exact average cost over all choices of that "
    "many of the observed classes; the band is a 90 % interval, from leaving classes "
    "out. Points beyond are forecasts with their intervals; the broken line only joins "
    "them."
)
_NO_BACKTEST = "none for costs; 'scorecast backtest' tries the chance of a mistake"
_AXES = "a row for every answer, a column for every true class"
_OBSERVED_INTERVALS = (
    "Up to the observed classes they come from the risk curve, by leaving out classes "
    "in turn."
)


def risk_drawing(
    curve: RiskCurve,
    forecast: RiskExtrapolation | None = None,
    description: str = "",
) -> Drawing:
    """Draw the cost of a decision against the number of classes.

    Parameters
    ----------
    curve : RiskCurve
        What was observed.
    forecast : RiskExtrapolation, optional
        What is expected beyond.
    description : str, optional
        What a curve alone says, for who cannot see it.

    Returns
    -------
    Drawing
        Ready to be drawn at any width.
    """
    trace = _trace(curve)
    marks = [_mark(trace.x[-1], trace.y[-1], trace.low[-1], trace.high[-1], INK)]
    if forecast is not None:
        marks += [
            _mark(p.classes, p.risk, p.low, p.high, ACCENT)
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
        description=forecast.summary() if forecast else description,
        draw=draw,
        right=max(24.0, text_width(marks[-1].text)),
        top=14.0,
    )


@render_text.register
def risk_text(result: RiskExtrapolation, *, ascii_only: bool = False) -> str:
    """Write a risk forecast as text.

    Parameters
    ----------
    result : RiskExtrapolation
        The forecast.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    heading = ("", "expect", f"{level_name(result.level)} interval", "")
    notes = (p.note for p in result.predictions)
    rows = [(*row, note) for row, note in zip(_rows(result), notes, strict=True)]
    observed, *facts = _forecast_facts(result)
    lines = entry_lines(*observed)
    lines += ["", *table_lines(heading, rows, left={3}), ""]
    # A caveat that stands beside its number need not stand below it again.
    noted = any("rough guide" in p.note for p in result.predictions)
    for warning in result.warnings:
        if not (noted and "rough guide" in warning):
            lines += entry_lines("Warning", warning)
    for label, text in facts:
        lines += entry_lines(label, text)
    return joined_lines(lines, ascii_only=ascii_only)


@main_drawing.register
def _(result: RiskExtrapolation) -> Drawing:
    return risk_drawing(result.observed, result)


@report_sections.register
def _(result: RiskExtrapolation) -> tuple[Section, ...]:
    columns = ("", "expect", f"{level_name(result.level)} interval")
    table = Table(
        caption="Average cost of a decision",
        columns=columns,
        rows=_rows(result),
        notes=tuple(p.note for p in result.predictions),
        words=1,
    )
    head = Section(
        heading=result.summary(),
        tables=(table,),
        warnings=result.warnings,
        facts=_forecast_facts(result),
    )
    sections = [
        head,
        _figure_section(risk_drawing(result.observed, result), result.observed),
    ]
    if result.assumptions:
        heading = "What this assumes, and what was checked"
        items = tuple(map(sentence, result.assumptions))
        sections.append(Section(heading=heading, items=items))
    how = sentence(f"beyond the data the intervals come from {result.interval}")
    lead = (how, _OBSERVED_INTERVALS)
    sections.append(Section(heading="How the intervals were made", lead=lead))
    return tuple(sections)


def _rows(result: RiskExtrapolation) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (
            f"{count(p.classes)} classes",
            _number(p.risk),
            _span(p.low, p.high),
        )
        for p in result.predictions
    )


def _forecast_facts(result: RiskExtrapolation) -> tuple[tuple[str, str], ...]:
    observed, rules = _facts(result.observed)
    facts = [observed, ("Method", _method_said(result))]
    matched = result.details.get("costs_matched")
    if matched:
        facts.append(("Costs", f"matched {matched}; {_AXES}"))
    facts.append(("Back-test", _NO_BACKTEST))
    if result.assumptions:
        facts.append(("Assumes", assumptions_said(result.assumptions[:2])))
    return (*facts, rules)


def _method_said(result: RiskExtrapolation) -> str:
    if result.method == "moments":
        return "moments: the risk curve itself is carried on; too low far out"
    name = shares_said(result.method, result.details.get("weights", {}))
    return f"{name}; the chance of a mistake times what a mistake costs"


def _facts(curve: RiskCurve) -> tuple[tuple[str, str], tuple[str, str]]:
    now = curve.risk[np.argmax(curve.classes)]
    seen = f"{count(curve.n_classes)} classes, {count(curve.n_samples)} examples"
    return (
        ("Observed", f"{seen}: a decision costs {_number(now)}"),
        ("Rules", f"{curve.average} average, ties {curve.ties}"),
    )


def _figure_section(figure: Drawing, curve: RiskCurve) -> Section:
    return Section(
        heading="Cost against the number of classes",
        lead=(_LEAD,),
        figure=figure,
        tables=(column_table("Observed curve", curve.to_columns()),),
    )


def _trace(curve: RiskCurve) -> Trace:
    order = np.argsort(curve.classes, kind="stable")
    known = np.maximum.accumulate(
        np.where(np.isfinite(curve.stderr[order]), np.arange(order.size), -1)
    )
    # At all classes there is no standard error: that of the next smaller size.
    error = np.where(known >= 0, curve.stderr[order][known], np.nan)
    half = float(ndtri(0.5 + _LEVEL / 2)) * error
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


def _mark(x: float, y: float, low: float, high: float, colour: str) -> Mark:
    known = is_known(low) and is_known(high)
    return Mark(
        x=float(x),
        y=float(y),
        low=float(low) if known else float(y),
        high=float(high) if known else float(y),
        text=f"{count(x)}: {_number(y)}",
        colour=colour,
    )


def _number(value: float) -> str:
    return amount(value) if is_known(value) else "unknown"


def _span(low: float, high: float) -> str:
    both = is_known(low) and is_known(high)
    return f"{amount(low)} to {amount(high)}" if both else "none"
