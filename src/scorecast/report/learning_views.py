"""How a learning curve is drawn, written and laid out on a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.guarantees import (
    LearningCurveFit,
    rough_size,
    span_said,
    value_said,
)
from scorecast.report.curves import Mark, Trace, draw_marks, draw_trace, envelope_of
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
    count_axis,
    plain_axes,
    round_ticks,
)
from scorecast.report.formats import count, dashed, is_known, level_name
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

__all__ = ["learning_drawing", "learning_table", "split_said"]

_ROOM = 0.04  # above and below, of what is drawn
_AHEAD = 4.0  # how many times the largest size is drawn
_FARTHEST = 20.0
_POINTS = 60
_REFERENCES = (
    "S. Mukherjee and others (2003). Estimating dataset size requirements for "
    "classifying DNA microarray data. Journal of Computational Biology 10.",
    "S. J. Raudys and A. K. Jain (1991). Small sample size effects in statistical "
    "pattern recognition. IEEE Transactions on Pattern Analysis and Machine "
    "Intelligence 13.",
)


def learning_drawing(fit: LearningCurveFit) -> Drawing:
    """Draw a learning curve: tested sizes, the fit with its band, and the aim.

    Parameters
    ----------
    fit : LearningCurveFit
        The curve.

    Returns
    -------
    Drawing
        Ready to be drawn at any width.
    """
    first, last = float(fit.sizes.min()), float(fit.sizes.max())
    end = _end(fit)
    seen = _trace(fit, first, last)
    # A law that does not fit, or rise, says nothing of what was not tried.
    traces = [seen, _trace(fit, last, end)] if fit.extrapolates else [seen]
    low, high = _limits(fit, *traces)
    # Dots, and the line of the aim, would lie half below the frame, or on the axis.
    room = _ROOM * (high - low)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=f"{fit.over} learned from")
        axes.set_ylim(low - room, high + room)
        _value_axis(axes, fit, low, high)
        count_axis(axes, first / 1.08, end * 1.04, also=[last])
        _draw_aim(axes, fit)
        draw_trace(axes, seen, INK, INK_SOFT)
        for ahead in traces[1:]:
            draw_trace(axes, ahead, ACCENT, ACCENT_SOFT)
        axes.plot(
            fit.sizes, fit.means, linestyle="none", marker="o", markersize=5.0,
            color=INK, markeredgecolor=PAPER, markeredgewidth=1.0, zorder=7,
        )  # fmt: skip
        draw_marks(axes, _marks(fit, end), envelope_of(axes, traces))

    return Drawing(
        title=f"Learning curve: {fit.loss} against {fit.over}",
        description=fit.summary(),
        draw=draw,
        left=40.0,
        right=46.0,
        top=18.0,
        height=240.0,
    )


def _end(fit: LearningCurveFit) -> float:
    """Choose how far to draw: to where the aim is reached, if that is not too far."""
    last = float(fit.sizes.max())
    if not fit.extrapolates:
        return last
    end = _AHEAD * last
    if fit.target is not None:
        needed = fit.needed_for(fit.target)
        if is_known(needed) and needed <= _FARTHEST * last:
            end = max(end, 1.5 * needed)
    return end


def _trace(fit: LearningCurveFit, first: float, last: float) -> Trace:
    x = np.geomspace(first, last, _POINTS)
    spans = np.array([fit.interval_at(float(size)) for size in x])
    y = np.array([fit.score_at(float(size)) for size in x])
    low, high = (np.where(np.isnan(end), y, end) for end in spans.T)
    return Trace(x=x, y=y, low=low, high=high)


def _limits(fit: LearningCurveFit, *traces: Trace) -> tuple[float, float]:
    values = [fit.means, *(edge for t in traces for edge in (t.y, t.low, t.high))]
    if fit.target is not None:
        values.append(np.array([fit.target]))
    whole: FloatArray = np.concatenate(values)
    low, high = float(whole.min()), float(whole.max())
    step = 0.1 if high <= 1 and low >= 0 else (high - low) / 8 or 1.0
    low, high = np.floor(low / step) * step, np.ceil(high / step) * step
    # Nothing lies beyond the best there can be.
    if fit.greater_is_better:
        return float(low), float(min(high, max(fit.best, whole.max())))
    return float(max(low, min(fit.best, whole.min()))), float(high)


def _value_axis(axes: Axes, fit: LearningCurveFit, low: float, high: float) -> None:
    _, height = axes_size(axes)
    ticks = round_ticks(low, high, max(2.0, height / 32))
    names = [value_said(fit.loss, tick).replace(".0 %", " %") for tick in ticks]
    axes.set_yticks(ticks, labels=names)
    axes.grid(axis="y", color=RULE, linewidth=0.6)


def _draw_aim(axes: Axes, fit: LearningCurveFit) -> None:
    if fit.target is None:
        return
    axes.axhline(fit.target, color=MUTED, linewidth=0.6, dashes=(3, 3), zorder=3)
    axes.annotate(
        "aim", (1, fit.target), (6, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", va="center_baseline", color=MUTED,
        fontsize=FONT_SIZE, annotation_clip=False,
    )  # fmt: skip


def _marks(fit: LearningCurveFit, end: float) -> list[Mark]:
    last = float(fit.sizes.max())
    low, high = fit.interval_at(last)
    value = float(fit.means[fit.sizes.argmax()])
    text = f"{count(last)}: {value_said(fit.loss, value)}"
    low, high = (np.fmin(low, value), np.fmax(high, value))
    found = [
        Mark(x=last, y=value, low=float(low), high=float(high), text=text, colour=INK)
    ]
    needed = np.inf if fit.target is None else fit.needed_for(fit.target)
    if fit.target is not None and needed <= end:
        text = f"{rough_size(needed)}: {value_said(fit.loss, fit.target)}"
        found.append(
            Mark(
                x=needed, y=fit.target, low=fit.target, high=fit.target, text=text,
                colour=ACCENT,
            )
        )  # fmt: skip
    return found


def split_said(fit: LearningCurveFit) -> str:
    """Say how to divide the cases once, in the manner of Raudys and Jain."""
    if fit.has_groups and replace(fit, has_groups=False).splits_cases:
        return (
            "no advice on one split: the rule counts independent cases, and these come "
            "in groups"
        )
    if not fit.splits_cases:
        return ""
    train, test = fit.best_split(fit.n_cases)
    return (
        f"for one split of the {count(fit.n_cases)}, learn from about {count(train)} "
        f"and test on {count(test)}: fewer to learn from make the error look worse, "
        "fewer to test make it uncertain"
    )


def learning_table(fit: LearningCurveFit) -> Table:
    """Set out tested sizes, and what the fit says of them."""
    columns = fit.to_columns()
    rows = tuple(
        (
            count(size),
            value_said(fit.loss, score),
            value_said(fit.loss, fitted),
            span_said(fit.loss, low, high),
        )
        for size, score, fitted, low, high in zip(
            *(columns[k] for k in ("size", "score", "fitted", "low", "high")),
            strict=True,
        )
    )
    heading = (fit.over, "measured", "fitted", f"{level_name(fit.level)} interval")
    law = (
        ""
        if fit.is_flat
        else f" by {fit.law.limit:.3g} + {fit.law.scale:.3g} n^\N{MINUS SIGN}"
        f"{fit.law.exponent:.3g} from the best"
    )
    caption = f"Sizes tried, and the fit{law}"
    if not fit.fits:
        caption = f"Sizes tried, and a fit that is refused{law}"
    return Table(caption=caption, columns=heading, rows=rows, folded=True)


@render_text.register
def _(result: LearningCurveFit, *, ascii_only: bool = False) -> str:
    table = learning_table(result)
    lines = [*text_lines(result.summary()), ""]
    lines += [*table_lines(table.columns, table.rows), ""]
    if split_said(result):
        lines += entry_lines("Split", split_said(result))
    for note in result.notes:
        lines += entry_lines("Sizes", note)
    lines += entry_lines("Assumes", "errors fall as a power of the size, to a limit")
    return joined_lines(lines, ascii_only=ascii_only)


@main_drawing.register
def _(result: LearningCurveFit) -> Drawing:
    return learning_drawing(result)


@report_sections.register
def _(result: LearningCurveFit) -> tuple[Section, ...]:
    said = split_said(result)
    facts = [("Split", said)] if said else []
    facts += [("Sizes", note) for note in result.notes]
    return (
        Section(
            heading=dashed(result.summary()),
            figure=learning_drawing(result),
            tables=(learning_table(result),),
            facts=tuple(facts),
        ),
        Section(heading="References", items=_REFERENCES),
    )
