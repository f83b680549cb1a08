"""How learning curves are laid out: what was measured, the law, sizes for scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.evaluation import CurveOver, LearningCurve, LimitDoubt
from scorecast.report import formats
from scorecast.report.curves import Mark, Trace, draw_marks, draw_trace, envelope_of
from scorecast.report.document import Document, Section, Table
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
from scorecast.report.names import model_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAR = 10  # times the largest size: beyond, a fit is a rough guide
_ROOM = 0.04  # above and below, of what is drawn
_AHEAD = 4.0  # how many times the largest size is drawn
_FARTHEST = 20.0
_POINTS = 60
_MOST_CURVES = 6
_ASSUMES = "errors fall as a power of the size, to a limit"
_WORKS = (
    "S. Mukherjee and others (2003). Estimating dataset size requirements for "
    "classifying DNA microarray data. Journal of Computational Biology 10.",
    "S. J. Raudys and A. K. Jain (1991). Small sample size effects in statistical "
    "pattern recognition. IEEE Transactions on Pattern Analysis and Machine "
    "Intelligence 13.",
)


def curve_document(found: LearningCurve) -> Document:
    """Lay out a learning curve."""
    split = split_sentence(found)
    facts = [("Split", split)] if split else []
    facts += [("Sizes", note) for note in size_notes(found)]
    return Document(
        headline=curve_headline(found),
        sections=(
            Section(figure=curve_figure(found)),
            Section(tables=(curve_table(found),), is_terminal=True),
        ),
        facts=(*facts, ("Assumes", _ASSUMES)),
        references=_WORKS,
    )


# In words --------------------------------------------------------------------------


def curve_headline(curve: LearningCurve) -> str:
    """Say the answer in a sentence or two."""
    over, most = curve.over, int(curve.sizes.max())
    last = f"{formats.count(most)} {over}"
    first_value, last_value = (_value(curve, x) for x in _measured(curve))
    name = _name(curve)
    if not curve.fits:
        return (
            f"From {last} {name} was {last_value}. {_misfit(curve)} Nothing is said of "
            "sizes that were not tried."
        )
    said = "" if curve.target is None else needed_sentence(curve, curve.target)
    if not curve.rises:
        return (
            f"From {formats.count(curve.sizes.min())} {over} {name} was {first_value}, "
            f"from {formats.count(most)} it was {last_value}: "
            f"{no_gain_phrase(curve)}, so that nothing is said of more. {said}"
        ).rstrip()
    fitted = _value(curve, curve.score_at(float(most)))
    start = f"From {last} {name} is {last_value} measured, {fitted} fitted; "
    return f"{start}{_limit_phrase(curve)} {said}".rstrip()


def _value(curve: LearningCurve, value: float) -> str:
    return formats.metric_value(curve.scoring, value)


def _round_value(curve: LearningCurve, value: float) -> str:
    """Write a value that somebody chose without a digit that says nothing."""
    return _value(curve, value).replace(".0 %", " %")


def _name(curve: LearningCurve) -> str:
    title = formats.metric_title(curve.scoring)
    return "the score" if title == "score" else title


def _measured(curve: LearningCurve) -> tuple[float, float]:
    """Return what was measured at the smallest and at the largest size."""
    ends = (curve.sizes.argmin(), curve.sizes.argmax())
    return float(curve.measured[ends[0]]), float(curve.measured[ends[1]])


def _limit_phrase(curve: LearningCurve) -> str:
    """Say where endless data would lead, with the interval."""
    ends = formats.metric_span(curve.scoring, *curve.limit_interval)
    span = f"{formats.level(curve.confidence_level)}: {ends}"
    if curve.limit_doubt is LimitDoubt.CANNOT_TELL:
        return f"it cannot tell what endless {curve.over} would give ({span})."
    if curve.limit_doubt is LimitDoubt.NO_GAIN:
        return f"the fit shows no gain beyond that with endless {curve.over} ({span})."
    value = _value(curve, curve.limit)
    return f"the fit tends to {value} ({span}) with endless {curve.over}."


def _misfit(curve: LearningCurve) -> str:
    return f"A power law does not fit ({formats.p_value(curve.misfit_p)})."


def no_gain_phrase(curve: LearningCurve) -> str:
    """Say that nothing tells the curve from a flat one; without a full stop."""
    p = formats.p_value(curve.gain_p)
    return f"no gain from more {curve.over} is shown ({p})"


def needed_sentence(curve: LearningCurve, target: float) -> str:
    """Say at what size a score is reached, with the interval of the size."""
    if not curve.fits:
        return _misfit(curve)
    what, over = _round_value(curve, target), curve.over
    needed = curve.size_for(target)
    low, high = curve.size_interval(target)
    least, sure = float(curve.sizes.min()), formats.level(curve.confidence_level)
    if low <= least and math.isinf(high):
        return (
            f"These sizes cannot tell how many {over} {what} needs: anything from "
            f"{formats.count(least)} or fewer to no end."
        )
    if math.isnan(needed):
        return f"Nothing shows that more {over} would reach {what}."
    if math.isinf(needed):
        never = "never reaches"
        if not curve.is_out_of_reach(target):
            never = f"needs more than a million {over} for"
        start = f"The curve {never} {what}"
        if not low < math.inf:
            return f"{start}."
        return (
            f"{start}; at the better end of its interval about "
            f"{formats.rough_size(low)} {over} would."
        )
    if high <= least:
        return (
            f"For {what} {formats.count(needed)} {over} or fewer will do ({sure} sure)."
        )
    far = needed / float(curve.sizes.max())
    rough = ""
    if far > _FAR:
        rough = f"; {formats.count(far)} times what was tried, a rough guide"
    about = f"about {formats.rough_size(needed)}"
    if needed <= least:
        about = f"{formats.count(needed)} or fewer"
    span = "no interval"
    if not math.isnan(low):
        end = formats.rough_size(high) if math.isfinite(high) else "no end"
        start = formats.rough_size(low)
        if not low > least:
            start = f"{formats.count(low)} or fewer"
        span = f"{sure}: {start} to {end}"
    return f"For {what} {about} {over} are needed ({span}{rough})."


def split_sentence(curve: LearningCurve) -> str:
    """Say how to divide the samples once, in the manner of Raudys and Jain."""
    if curve.has_groups and curve.can_split:
        return (
            "no advice on one split: the rule counts independent samples, and these "
            "come in groups"
        )
    if curve.recommended_split is None or curve.n_samples is None:
        return ""
    train, test = map(formats.count, curve.recommended_split)
    return (
        f"for one split of the {formats.count(curve.n_samples)}, learn from about "
        f"{train} and test on {test}: fewer to learn from make the error look worse, "
        "fewer to test make it uncertain"
    )


def size_notes(curve: LearningCurve) -> tuple[str, ...]:
    """Say which sizes were not reached, as where groups are kept whole."""
    told = zip(
        curve.sizes_asked,
        curve.sizes,
        curve.sizes_least,
        curve.sizes_most,
        strict=bool(curve.sizes_asked.size),
    )
    short = [
        f"{formats.count(asked)} asked for, {formats.count(mean)} learned from "
        f"({formats.count(least)} to {formats.count(most)})"
        for asked, mean, least, most in told
        if least < asked
    ]
    if not short:
        return ()
    return (
        f"groups kept whole leave fewer {curve.over} to learn from in some divisions; "
        f"the mean counts: {'; '.join(short)}",
    )


# Tables ----------------------------------------------------------------------------


def curve_table(curve: LearningCurve) -> Table:
    """Set out tested sizes, and what the fit says of them."""
    columns = curve.to_columns()
    names = ("size", "score", "fitted", "low", "high")
    rows = tuple(
        (
            formats.count(size),
            _value(curve, score),
            _value(curve, fitted),
            formats.metric_span(curve.scoring, low, high),
        )
        for size, score, fitted, low, high in zip(
            *(columns[name] for name in names), strict=True
        )
    )
    law = ""
    if not curve.is_flat:
        law = (
            f" by {curve.law.limit:.3g} + {curve.law.scale:.3g} n^\N{MINUS SIGN}"
            f"{curve.law.exponent:.3g} from the best"
        )
    what = "the fit" if curve.fits else "a fit that is refused"
    level = formats.level(curve.confidence_level)
    return Table(
        caption=f"Sizes tried, and {what}{law}",
        columns=(str(curve.over), "measured", "fitted", f"{level} interval"),
        rows=rows,
        n_words=0,
    )


def needs_table(curves: Sequence[tuple[str, LearningCurve]]) -> Table:
    """Set side by side what models reach, and what they need, by their names."""
    first = curves[0][1]
    names = model_names([name for name, _ in curves])
    rows = tuple(
        (
            names[name],
            *(_value(x, value) for value in _measured(x)),
            _endless_cell(x),
            *(() if x.target is None else (_needed_cell(x, x.target),)),
        )
        for name, x in curves
    )
    ends = (first.sizes.min(), first.sizes.max())
    title = formats.metric_title(first.scoring)
    heads = [f"{title} from", *map(formats.count, ends), "endless, by the fit"]
    if first.target is not None:
        heads.append(f"{first.over} for {_round_value(first, first.target)}")
    return Table(columns=tuple(heads), rows=rows, is_stacked=True)


def _needed_cell(curve: LearningCurve, target: float) -> str:
    if not curve.fits:
        return "no power law fits"
    size, (low, high) = curve.size_for(target), curve.size_interval(target)
    least = float(curve.sizes.min())
    if low == high == least:
        return f"{formats.count(least)} or fewer"
    if low <= least and math.isinf(high):
        return "cannot tell"
    if math.isnan(size):
        return "none shown"
    if math.isinf(size):
        if low < math.inf:
            return f"{formats.rough_size(low)} or more, if ever"
        return "never" if curve.is_out_of_reach(target) else "more than a million"
    needed = f"about {formats.rough_size(size)}"
    if size <= least:
        needed = f"{formats.count(size)} or fewer"
    if math.isnan(low):
        return needed
    start = formats.rough_size(low)
    if low <= least:
        start = f"{formats.count(low)} or fewer"
    if math.isinf(high):
        return f"{needed} ({start} at least)"
    return f"{needed} ({start} to {formats.rough_size(high)})"


def _endless_cell(curve: LearningCurve) -> str:
    """Write what endless data would give, with its interval; or why nothing is said."""
    if not curve.fits:
        return formats.UNKNOWN
    if not curve.rises:
        return "no gain shown"
    span = formats.metric_span(curve.scoring, *curve.limit_interval)
    if curve.limit_doubt is LimitDoubt.NO_GAIN:
        return f"no gain beyond {formats.count(curve.sizes.max())} ({span})"
    if curve.limit_doubt is LimitDoubt.CANNOT_TELL:
        return f"cannot tell ({span})"
    return f"{_value(curve, curve.limit)} ({span})"


# Sections of many models -----------------------------------------------------------


def curve_sections(
    curves: Sequence[tuple[str, LearningCurve]], over: CurveOver
) -> list[Section]:
    """Lay out the curves of an assessment, by the names of the models."""
    if not curves:
        return []
    level = formats.level(curves[0][1].confidence_level)
    lead = (
        f"The model learned from fewer {over} again and again (dots, and the numbers "
        "of single sizes: means as measured), a power law through it, and its "
        f"{level} band; blue beyond what was tried. The band allows for tests that "
        "share samples, so that it is wide."
    )
    head = Section(
        heading=f"What would more {over} bring?",
        lead=(lead,),
        tables=(needs_table(curves),),
        is_terminal=True,
    )
    each = [
        Section(
            heading=f"{formats.model_name(name, 60)}: learning curve over {over}",
            lead=(
                formats.dashed(curve_headline(curve)),
                *map(formats.sentence, size_notes(curve)),
            ),
            figure=curve_figure(curve),
            tables=(replace(curve_table(curve), is_folded=True),),
        )
        for name, curve in curves[:_MOST_CURVES]
    ]
    return [head, *each]


# The figure ------------------------------------------------------------------------


def curve_figure(curve: LearningCurve) -> Drawing:
    """Draw a learning curve: tested sizes, the fit with its band, and the target."""
    first, last = float(curve.sizes.min()), float(curve.sizes.max())
    end = _end(curve)
    seen = _trace(curve, first, last)
    # A law that does not fit, or rise, says nothing of what was not tried.
    traces = [seen, _trace(curve, last, end)] if curve.extrapolates else [seen]
    low, high = _limits(curve, *traces)
    # Dots, and the line of the target, would lie half below the frame, or on the axis.
    room = _ROOM * (high - low)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=f"{curve.over} learned from")
        axes.set_ylim(low - room, high + room)
        _value_axis(axes, curve, low, high)
        count_axis(axes, first / 1.08, end * 1.04, also=[last])
        _draw_target(axes, curve)
        draw_trace(axes, seen, INK, INK_SOFT)
        for ahead in traces[1:]:
            draw_trace(axes, ahead, ACCENT, ACCENT_SOFT)
        axes.plot(
            curve.sizes,
            curve.measured,
            linestyle="none",
            marker="o",
            markersize=5.0,
            color=INK,
            markeredgecolor=PAPER,
            markeredgewidth=1.0,
            zorder=7,
        )
        draw_marks(axes, _marks(curve, end), envelope_of(axes, traces))

    title = formats.metric_title(curve.scoring)
    return Drawing(
        title=f"Learning curve: {title} against {curve.over}",
        description=curve_headline(curve),
        draw=draw,
        left=40.0,
        right=46.0,
        top=18.0,
        height=240.0,
    )


def _end(curve: LearningCurve) -> float:
    """Choose how far to draw: to where the target is reached, if not too far."""
    last = float(curve.sizes.max())
    if not curve.extrapolates:
        return last
    end = _AHEAD * last
    needed = curve.needed
    if needed is not None and formats.is_known(needed) and needed <= _FARTHEST * last:
        end = max(end, 1.5 * needed)
    return end


def _trace(curve: LearningCurve, first: float, last: float) -> Trace:
    x = np.geomspace(first, last, _POINTS)
    spans = np.array([curve.interval_at(float(size)) for size in x])
    y = np.array([curve.score_at(float(size)) for size in x])
    low, high = (np.where(np.isnan(end), y, end) for end in spans.T)
    return Trace(x=x, y=y, low=low, high=high)


def _limits(curve: LearningCurve, *traces: Trace) -> tuple[float, float]:
    values = [curve.measured, *(edge for t in traces for edge in (t.y, t.low, t.high))]
    if curve.target is not None:
        values.append(np.array([curve.target]))
    whole: FloatArray = np.concatenate(values)
    low, high = float(whole.min()), float(whole.max())
    step = 0.1 if high <= 1 and low >= 0 else (high - low) / 8 or 1.0
    low, high = np.floor(low / step) * step, np.ceil(high / step) * step
    # Nothing lies beyond the best there can be.
    if curve.greater_is_better:
        return float(low), float(min(high, max(curve.best, whole.max())))
    return float(max(low, min(curve.best, whole.min()))), float(high)


def _value_axis(axes: Axes, curve: LearningCurve, low: float, high: float) -> None:
    _, height = axes_size(axes)
    ticks = round_ticks(low, high, max(2.0, height / 32))
    axes.set_yticks(ticks, labels=[_round_value(curve, tick) for tick in ticks])
    axes.grid(axis="y", color=RULE, linewidth=0.6)


def _draw_target(axes: Axes, curve: LearningCurve) -> None:
    if curve.target is None:
        return
    axes.axhline(curve.target, color=MUTED, linewidth=0.6, dashes=(3, 3), zorder=3)
    axes.annotate(
        "target",
        (1, curve.target),
        (6, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center_baseline",
        color=MUTED,
        fontsize=FONT_SIZE,
        annotation_clip=False,
    )


def _marks(curve: LearningCurve, end: float) -> list[Mark]:
    last = float(curve.sizes.max())
    low, high = curve.interval_at(last)
    value = _measured(curve)[1]
    found = [
        Mark(
            x=last,
            y=value,
            low=float(np.fmin(low, value)),
            high=float(np.fmax(high, value)),
            text=f"{formats.count(last)}: {_value(curve, value)}",
            colour=INK,
        )
    ]
    if curve.target is not None and curve.needed is not None and curve.needed <= end:
        size, target = formats.rough_size(curve.needed), curve.target
        found.append(
            Mark(
                x=curve.needed,
                y=target,
                low=target,
                high=target,
                text=f"{size}: {_value(curve, target)}",
                colour=ACCENT,
            )
        )
    return found


VIEWS = {"learning-curve": curve_document}
