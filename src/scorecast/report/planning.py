"""How plans are laid out: how many test samples are enough."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from scorecast.evaluation import (
    CLUSTERED_WILSON,
    POWER_DESIGNS,
    PROPORTION_INTERVALS,
    Goal,
    RequiredTestSize,
)
from scorecast.report import formats
from scorecast.report.curves import Mark, Trace, draw_marks, envelope_of
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import (
    ACCENT,
    INK,
    MUTED,
    RULE,
    Drawing,
    axes_size,
    count_axis,
    plain_axes,
    round_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST_WIDTH = 0.005  # below, a tenth of a point hides the difference
_STEPS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
_CURVE = (
    "The curve says what is reached with fewer or more samples; the dashed line is "
    "what was asked for."
)
_WORKS = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems.",
    "C. Beleites, U. Neugebauer, T. Bocklitz, C. Krafft and J. Popp (2013). Sample "
    "size planning for classification models. Analytica Chimica Acta 760.",
)
_CLUSTERS = (
    "S. M. Eldridge, D. Ashby and S. Kerry (2006). Sample size for cluster randomized "
    "trials: effect of coefficient of variation of cluster size and analysis method. "
    "International Journal of Epidemiology 35."
)


def size_document(found: RequiredTestSize) -> Document:
    """Lay out how many test samples are enough."""
    headline = _headline(found)
    return Document(
        headline=headline,
        sections=(
            Section(lead=(_CURVE,), figure=_size_figure(found, headline)),
            Section(
                heading="With fewer or more",
                tables=(_size_table(found),),
                is_terminal=True,
            ),
        ),
        facts=(("Assumes", "; ".join(_assumed(found))),),
        references=_references(found),
    )


def _headline(found: RequiredTestSize) -> str:
    sure = formats.level(found.confidence_level)
    accuracy = formats.percent(found.accuracy)
    if found.goal is Goal.WIDTH:
        give = "gives" if found.n_samples == 1 else "give"
        comma = "," if found.n_repeats > 1 else ""
        return (
            f"{_samples(found)}{comma} {give} a {sure} interval ({found.interval}) of "
            f"width {found.width:g} around an accuracy of {accuracy}."
        )
    own = "the same" if _n_test_sets(found) == 1 else "each model's own"
    return (
        f"{_samples(found)}, {own}, tell {accuracy} from "
        f"{formats.percent(found.versus)} with a chance of "
        f"{formats.percent(found.power)} at {sure} confidence."
    )


def _samples(found: RequiredTestSize) -> str:
    """Count samples, and the groups and repeats they come in."""
    is_one = found.n_samples == 1
    said = f"{formats.count(found.n_samples)} test sample{'' if is_one else 's'}"
    if found.n_groups is not None:
        groups = formats.count(found.n_groups)
        said += f" in {groups} groups of {found.group_size:g}"
        said += " on average" if found.size_spread else ""
    if found.n_repeats > 1:
        said += f", each answered {formats.count(found.n_repeats)} times"
    return said


def _assumed(found: RequiredTestSize) -> list[str]:
    """Say what the number rests on, and how many samples it means in all."""
    if found.is_clustered:
        return _assumed_of_groups(found)
    if found.design is None:
        return ["samples are independent, and the accuracy is as expected"]
    n, design = formats.count(found.n_samples), POWER_DESIGNS[found.design]
    if design.n_test_sets > 1:
        in_all = formats.count(design.n_test_sets * found.n_samples)
        return [
            f"each model has {n} samples of its own, {in_all} in all",
            f"{design.title}, which asks for fewer samples than an exact one",
        ]
    return [
        f"both models have the same {n} samples",
        f"{design.title}, which asks for more than an approximation",
        *_disagreement(found),
    ]


def _assumed_of_groups(found: RequiredTestSize) -> list[str]:
    """Say what samples in groups, or repeats, rest on."""
    is_paired = found.design is not None and _n_test_sets(found) == 1
    of = "differences between models" if is_paired else "right answers"
    said = []
    if found.correlation is not None:
        said.append(
            f"groups are independent, and {of} of one group correlate by "
            f"{found.correlation:g}"
        )
    if found.repeat_correlation is not None:
        said.append(
            f"{of} to one sample correlate by {found.repeat_correlation:g} when it is "
            "repeated"
        )
    effect = formats.amount(found.design_effect, 3)
    said.append(f"{effect} answers are worth one independent sample")
    test = "the t-test" if found.interval is None else found.interval
    df = formats.count(found.degrees_of_freedom or 0)
    said.append(f"{test} has {df} degrees of freedom")
    if _n_test_sets(found) > 1:
        n = formats.count(found.n_samples)
        said.append(f"each model has {n} samples of its own")
    return [*said, *_disagreement(found)]


def _disagreement(found: RequiredTestSize) -> list[str]:
    """Say how often exactly one of two models is taken to be right."""
    if found.disagreement is None or found.versus is None:
        return []
    both = (found.accuracy, found.versus)
    share = formats.percent(found.disagreement)
    said = f"exactly one model is right in {share} of samples"
    usual = both[0] * (1 - both[1]) + both[1] * (1 - both[0])
    if not math.isclose(usual, found.disagreement):
        return [said]
    if {*both} & {0.0, 1.0}:
        which = "right" if 1.0 in both else "wrong"
        return [f"{said}, neither more nor less, as one model is always {which}"]
    said += ", as if they were right independently of each other"
    return [said, "models that agree more often need fewer"]


def _n_test_sets(found: RequiredTestSize) -> int:
    return 1 if found.design is None else POWER_DESIGNS[found.design].n_test_sets


def _references(found: RequiredTestSize) -> tuple[str, ...]:
    if found.is_clustered:
        own = (_CLUSTERS,) if found.design else (CLUSTERED_WILSON.reference, _CLUSTERS)
    elif found.design is not None:
        own = (POWER_DESIGNS[found.design].reference,)
    else:
        own = (PROPORTION_INTERVALS[found.interval or "wilson"].reference,)
    return (*_WORKS, *own)


def _size_table(found: RequiredTestSize) -> Table:
    """Set out what fewer and more test samples would reach, and the answer itself."""
    sizes = {_whole(found, step * found.n_samples) for step in _STEPS}
    is_width = found.goal is Goal.WIDTH
    what = "width of the interval" if is_width else "chance to find the difference"
    columns: tuple[str, ...] = ("test samples", what)
    rows = []
    for n in sorted(sizes | {found.n_samples}):
        value = found.reached_with(n)
        cell = _width(value) if is_width else formats.percent(value)
        groups = found.groups_of(n)
        first = () if groups is None else (formats.count(groups),)
        rows.append((*first, formats.count(n), cell))
    if found.group_size is not None:
        columns = ("groups", *columns)
    return Table(columns=columns, rows=tuple(rows), n_words=0)


def _whole(found: RequiredTestSize, n: float) -> int:
    """Round to samples, or to whole groups of them."""
    if found.group_size is None:
        return max(2, round(n))
    groups = max(2, round(n / found.group_size))
    return math.ceil(groups * found.group_size - 1e-9)


def _width(width: float) -> str:
    """Write a width in points; one too small for a digit after the point, to two."""
    is_small = width < _LEAST_WIDTH
    size = formats.amount(100 * width, 2) if is_small else formats.points(width)
    return f"{size} points"


def _size_figure(found: RequiredTestSize, headline: str) -> Drawing:
    """Draw what is reached against the number of test samples, the answer marked."""
    is_width = found.goal is Goal.WIDTH
    first, last = max(2.0, found.n_samples / 5), 5.0 * found.n_samples
    sizes = np.unique([_whole(found, n) for n in np.geomspace(first, last, 60)])
    y = np.array([found.reached_with(int(n)) for n in sizes])
    goal = (found.width if is_width else found.power) or 0.0
    high = float(y.max()) if is_width else 1.0
    unknown = np.full(y.size, np.nan)
    trace = Trace(x=sizes.astype(np.float64), y=y, low=unknown, high=unknown)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="test samples")
        axes.set_ylim(0.0, 1.05 * high)
        _, height = axes_size(axes)
        ticks = round_ticks(0.0, high, max(2.0, height / 32))
        names = [f"{100 * tick:g}" for tick in ticks]
        unit = "points" if is_width else "%"
        axes.set_yticks(ticks, labels=[*names[:-1], f"{names[-1]} {unit}"])
        axes.grid(axis="y", color=RULE, linewidth=0.6)
        count_axis(axes, first, last, also=[found.n_samples])
        axes.axhline(goal, color=MUTED, linewidth=0.6, dashes=(3, 3), zorder=3)
        axes.plot(trace.x, trace.y, color=INK, linewidth=1.8, zorder=5)
        mark = Mark(
            x=found.n_samples,
            y=found.reached,
            low=found.reached,
            high=found.reached,
            text=f"{formats.count(found.n_samples)} samples",
            colour=ACCENT,
        )
        draw_marks(axes, [mark], envelope_of(axes, [trace]))

    return Drawing(
        title="What so many test samples reach",
        description=headline,
        draw=draw,
        left=54.0,
        height=220.0,
        top=14.0,
    )


VIEWS = {"required-test-size": size_document}
