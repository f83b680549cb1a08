"""Figures about information: its spread over cases, its posterior, a growing stake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.information import (
    ApparentInformation,
    CalibrationEvents,
    InformationPosterior,
    PriorOfJ,
    Reliability,
    TailView,
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
    number_ticks,
    percent_axis,
    plain_axes,
    text_width,
)
from scorecast.report.formats import count, fixed, fixed_span, level_name, one_line
from scorecast.report.names import short_by_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE = 12.0
_ROW = 17.0
_LONGEST_NAME = 20
_MOST_GROUPS = 25
# The second view of the tails, beside the one that gives the centre.
_SECOND: dict[str, Any] = {
    "color": MUTED,
    "linewidth": 1.4,
    "linestyle": (0, (4, 2)),
}
_DASH = "\N{EN DASH}"
IN_USE = "in use"
# What is drawn without a simulation, and with one.
_CURVE = {False: "Posterior", True: "Plausible values"}
_PLAIN = {False: "normal", True: "by t"}


_EVENTS = {
    CalibrationEvents.TWO_CLASSES: "class {1}; class {0} is its mirror image",
    CalibrationEvents.CLASSES: "every class of every case",
    CalibrationEvents.QUANTILES: "falling below a stated quantile",
}


def reference(result: ApparentInformation) -> str:
    """Name what the forecasts are held against."""
    if not result.is_relative:
        return "the prior"
    return "the second" if result.names is None else f"forecast '{result.names[1]}'"


def events(reliability: Reliability) -> str:
    """Say what the events are whose chances were stated."""
    return _EVENTS[reliability.events].format(*map(one_line, reliability.names))


def _bare(axes: Axes, xlabel: str) -> None:
    plain_axes(axes, xlabel=xlabel)
    axes.set_yticks([])


def _zero_line(axes: Axes, name: str) -> None:
    """Mark zero, where the forecasts know as much as what they are held against."""
    low, high = axes.get_xlim()
    if not low <= 0 <= high:
        return
    axes.axvline(0, color=MUTED, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    top = axes.get_ylim()[1]
    room = axes_size(axes)[0] * (high - 0) / (high - low)
    side = "left" if room > text_width(name) + 8 else "right"
    axes.annotate(
        name,
        (0, top),
        (4 if side == "left" else -4, 3),
        textcoords="offset points",
        ha=side,
        color=MUTED,
        fontsize=FONT_SIZE,
        annotation_clip=False,
    )


def posterior_drawing(result: ApparentInformation, headline: str) -> Drawing:
    """Draw the posterior of J, with the normal interval below it."""
    found, usual = result.posterior, result.normal
    centre = found.central_view
    plain = next(
        ((v.low, v.high, v.median) for v in found.views if v.tails == "t"),
        (usual.low, usual.high, usual.mean),
    )

    def draw(axes: Axes) -> None:
        _bare(axes, f"information, {result.units} per case")
        ends = [*found.x[[0, -1]], *plain]
        low, high = _with_zero(float(np.nanmin(ends)), float(np.nanmax(ends)))
        number_axis(axes, low, high)
        curves = [centre.density, *(view.density for view in _beside(found))]
        top = max(float(density.max()) for density in curves)
        axes.set_ylim(-0.34 * top, 1.12 * top)
        inside = (found.x >= found.low) & (found.x <= found.high)
        axes.fill_between(
            found.x[inside], 0, centre.density[inside], color=ACCENT_SOFT, linewidth=0
        )
        for view in _beside(found):
            axes.plot(found.x, view.density, **_SECOND)
        axes.plot(found.x, centre.density, color=ACCENT, linewidth=1.8)
        axes.hlines(0, low, high, color=RULE, linewidth=0.6)
        bars = ((-0.11, found.low, found.high, found.median, ACCENT, "reported"),
                (-0.25, *plain, INK, _PLAIN[result.is_quick]))  # fmt: skip
        for height, left, right, middle, colour, name in bars:
            _bar(axes, height * top, (left, right, middle), colour, name)
        _zero_line(axes, f"as {reference(result)}")

    return Drawing(
        title=f"{_CURVE[result.is_quick]} of the mean information",
        description=headline,
        draw=draw,
        height=230.0,
        left=14.0,
    )


def _beside(found: InformationPosterior) -> list[TailView]:
    """Return the views that are drawn dashed, beside the one of the centre."""
    return [v for v in found.views if v.tails not in (found.centre, "normal", "t")]


def _with_zero(low: float, high: float) -> tuple[float, float]:
    """Widen a range to hold zero, unless that would squeeze what matters."""
    if low > 0 and high < 4 * (high - low):
        low = 0.0
    if high < 0 and -low < 4 * (high - low):
        high = 0.0
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _bar(
    axes: Axes, y: float, ends: tuple[float, float, float], colour: str, name: str
) -> None:
    left, right, middle = ends
    if np.isfinite([left, right]).all():
        axes.hlines(y, left, right, color=colour, linewidth=1.6)
    axes.plot([middle], [y], "o", color=colour, markersize=4.5, markeredgecolor=PAPER)
    low, high = axes.get_xlim()
    edge = right if np.isfinite(right) else middle
    room = axes_size(axes)[0] * (high - edge) / (high - low)
    fits = room > text_width(name) + 6
    start = left if np.isfinite(left) else middle
    axes.annotate(
        name,
        (edge if fits else start, y),
        (6 if fits else -6, 0),
        textcoords="offset points",
        ha="left" if fits else "right",
        va="center",
        color=colour,
        fontsize=FONT_SIZE,
        annotation_clip=False,
    )


def cumulative_drawing(result: ApparentInformation) -> Drawing:
    """Draw how probable it is that J lies below each amount."""
    found = result.posterior

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=f"information, {result.units} per case")
        percent_axis(axes)
        low, high = _with_zero(float(found.x[0]), float(found.x[-1]))
        number_axis(axes, low, high)
        x = np.concatenate([[low], found.x, [high]])
        for view in _beside(found):
            y = np.concatenate([view.cumulative[:1], view.cumulative, [1.0]])
            axes.plot(x, y, **_SECOND)
        y = np.concatenate([[0.0], found.central_view.cumulative, [1.0]])
        axes.plot(x, y, color=ACCENT, linewidth=1.8)
        _zero_line(axes, f"as {reference(result)}")

    return Drawing(
        title="Probability that the information is lower",
        description=f"{_CURVE[result.is_quick]} of the mean information, added up.",
        draw=draw,
        height=190.0,
    )


def prior_drawing(result: ApparentInformation, prior: PriorOfJ) -> Drawing:
    """Draw J before any case, with some draws, and the posterior on its own height."""
    found = result.posterior
    centre = found.central_view

    def draw(axes: Axes) -> None:
        _bare(axes, f"information, {result.units} per case")
        ends = [*prior.x[[0, -1]], found.low, found.high]
        low, high = _with_zero(min(ends), max(ends))
        number_axis(axes, low, high)
        axes.set_ylim(-0.18, 1.12)
        before = _as_high_as_one(prior.density)
        axes.fill_between(prior.x, 0, before, color=RULE, linewidth=0)
        axes.plot(prior.x, before, color=MUTED, linewidth=1.4)
        shown = prior.draws[(prior.draws >= low) & (prior.draws <= high)]
        axes.vlines(shown, -0.13, -0.04, color=MUTED, linewidth=0.7)
        after = _as_high_as_one(centre.density)
        axes.plot(found.x, after, color=ACCENT, linewidth=1.8)
        axes.hlines(0, low, high, color=RULE, linewidth=0.6)
        _zero_line(axes, f"as {reference(result)}")

    level = level_name(result.confidence_level)
    return Drawing(
        title="The mean information before any case, and after these",
        description=(
            f"Before any case {level} of J lies between {fixed(prior.low)} and "
            f"{fixed(prior.high)} {result.units}; after these the interval is "
            f"{fixed_span(found.low, found.high, dash=_DASH)}."
        ),
        draw=draw,
        height=200.0,
        left=14.0,
    )


def _as_high_as_one(density: FloatArray) -> FloatArray:
    """Scale a curve to its own height; one too thin for its places stays at nought."""
    return np.asarray(density / (float(density.max()) or 1.0))


def spread_drawing(result: ApparentInformation) -> Drawing:
    """Draw the histogram of j and the posterior predictive density over it."""
    spread = result.spread
    width = np.diff(spread.edges)
    n = result.n - result.n_impossible
    height = spread.counts / (n * width)

    def draw(axes: Axes) -> None:
        _bare(axes, f"j of a case, {result.units}")
        number_axis(axes, float(spread.edges[0]), float(spread.edges[-1]))
        # A density may be a spike; the bars are what was seen.
        top = 1.15 * float(height.max())
        highest = float(spread.density.max(initial=0.0))
        top = max(top, min(1.05 * highest, 1.6 * top))
        axes.set_ylim(0, top)
        axes.bar(spread.edges[:-1], height, width, align="edge", color=INK_SOFT,
                 edgecolor=PAPER, linewidth=0.4)  # fmt: skip
        for density in spread.draws:
            axes.plot(spread.x, density, color=ACCENT, linewidth=0.6, alpha=0.7)
        axes.plot(spread.x, spread.density, color=ACCENT, linewidth=1.6)
        _stragglers(axes, result)
        _zero_line(axes, f"as {reference(result)}")

    return Drawing(
        title="Information of the cases",
        description=(
            f"Histogram of j for {count(n)} cases, from {fixed(spread.least)} to "
            f"{fixed(spread.greatest)} {result.units}."
        ),
        draw=draw,
        height=210.0,
        left=14.0,
    )


def _stragglers(axes: Axes, result: ApparentInformation) -> None:
    """Name the cases that lie off the figure."""
    spread = result.spread
    sides = (
        (spread.below, spread.least, 0.0, "left", "\N{LEFTWARDS ARROW} {}"),
        (spread.above, spread.greatest, 1.0, "right", "{} \N{RIGHTWARDS ARROW}"),
    )
    for n, farthest, x, side, form in sides:
        if not n:
            continue
        cases = "1 case" if n == 1 else f"{count(n)} cases"
        reach = fixed(farthest, 2).replace("-", "\N{MINUS SIGN}")
        text = f"{cases} at {reach}" if n == 1 else f"{cases} to {reach}"
        axes.annotate(
            form.format(text),
            (x, 0.86),
            (2 if side == "left" else -2, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=side,
            color=INK,
            fontsize=FONT_SIZE,
        )


def betting_drawing(result: ApparentInformation) -> Drawing:
    """Draw what becomes of a stake laid on the forecasts."""
    bets = result.betting
    unit = "doublings" if result.units == "bits" else "powers of e"

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="cases")
        last = max(1, int(bets.cases[-1]))
        axes.set_xlim(0, last)
        places, _ = number_ticks(0, last, axes_size(axes)[0] * 0.8)
        whole = [p for p in places if float(p).is_integer()]
        axes.set_xticks(whole, labels=[count(p) for p in whole])
        wealth = bets.log_wealth
        low, high = min(0.0, float(wealth.min())), max(0.0, float(wealth.max()))
        margin = 0.06 * (high - low) + 1e-9
        axes.set_ylim(low - margin, high + margin)
        _height_ticks(axes)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.plot(bets.cases, wealth, color=ACCENT, linewidth=1.6)
        axes.annotate(
            f"stake, {unit}", (0, 1), (0, 8), xycoords="axes fraction",
            textcoords="offset points", color=MUTED, fontsize=FONT_SIZE,
            annotation_clip=False,
        )  # fmt: skip

    return Drawing(
        title="A stake laid on the forecasts",
        description=(
            f"After {count(bets.cases[-1])} cases the stake has grown by "
            f"{fixed(float(bets.log_wealth[-1]), 1)} {unit}."
        ),
        draw=draw,
        height=200.0,
        left=50.0,
        top=24.0,
    )


def _height_ticks(axes: Axes) -> None:
    low, high = axes.get_ylim()
    places, names = number_ticks(low, high, 4 * axes_size(axes)[1])
    some = slice(None, None, max(1, len(places) // 5))
    axes.set_yticks(places[some], labels=names[some])
    axes.grid(axis="y", color=RULE, linewidth=0.6)


def reliability_drawing(reliability: Reliability, level: float) -> Drawing:
    """Draw stated chances against observed shares."""
    bins = reliability.bins

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="stated chance")
        percent_axis(axes)
        axes.set_xlim(0, 1)
        names = ["0", "20", "40", "60", "80", "100 %"]
        axes.set_xticks(np.linspace(0, 1, 6), labels=names)
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8)
        for b in bins:
            axes.vlines(b.predicted, b.low, b.high, color=ACCENT, linewidth=1.2)
        axes.plot([b.predicted for b in bins], [b.observed for b in bins], "o",
                  color=ACCENT, markersize=5, markeredgecolor=PAPER)  # fmt: skip
        axes.annotate(
            "happened", (0, 1), (0, 8), xycoords="axes fraction",
            textcoords="offset points", color=MUTED, fontsize=FONT_SIZE,
            annotation_clip=False,
        )  # fmt: skip

    return Drawing(
        title="Stated chances against what happened",
        description=(
            f"{len(bins)} groups of {events(reliability)}, with {level_name(level)} "
            "intervals."
        ),
        draw=draw,
        height=240.0,
        right=26.0,
    )


def groups_drawing(result: ApparentInformation) -> Drawing:
    """Draw the posterior of every group as a row."""
    rows: list[tuple[str, float, float, float]] = [
        ("all", result.posterior.low, result.posterior.median, result.posterior.high)
    ]
    names = short_by_name([g.name for g in result.groups], _LONGEST_NAME)
    rows += [
        (names[g.name], g.posterior.low, g.posterior.median,
         g.posterior.high)
        for g in result.groups[:_MOST_GROUPS]
        if g.posterior is not None
    ]  # fmt: skip
    use = None if result.population is None else result.population.posterior
    if use is not None:
        rows.insert(1, (IN_USE, use.low, use.median, use.high))
    labels = [row[0] for row in rows]

    def draw(axes: Axes) -> None:
        _bare(axes, f"information, {result.units} per case")
        ends = [x for row in rows for x in row[1:]]
        number_axis(axes, *_with_zero(min(ends), max(ends)))
        axes.set_ylim(len(rows) - 0.4, -0.8)
        axes.axvline(0, color=MUTED, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
        for y, (_, low, middle, high) in enumerate(rows):
            colour = INK if y <= (use is not None) else ACCENT
            axes.hlines(y, low, high, color=colour, linewidth=1.6)
            axes.plot([middle], [y], "o", color=colour, markersize=5,
                      markeredgecolor=PAPER)  # fmt: skip
        axes.set_yticks(range(len(rows)), labels=labels)

    return Drawing(
        title="Information by group",
        description="; ".join(
            f"{name}: {fixed(m)} ({fixed_span(a, b, dash=_DASH)})"
            for name, a, m, b in rows
        ),
        draw=draw,
        height=_ROW * len(rows) + 60,
        left=max(map(text_width, labels)) + 18,
        top=10.0,
    )
