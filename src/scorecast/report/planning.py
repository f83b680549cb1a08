"""How plans are laid out: how many test samples, or classes, are enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.evaluation import (
    CLUSTERED_WILSON,
    LEARNING_RULES,
    POWER_DESIGNS,
    PROPORTION_INTERVALS,
    Goal,
    RequiredTestSize,
    RequiredTrainingSize,
)
from scorecast.extrapolation import RequiredClasses
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
    return _plan_drawing(
        sizes,
        y,
        title="What so many test samples reach",
        description=headline,
        xlabel="test samples",
        unit="points" if is_width else "%",
        goal=(found.width if is_width else found.power) or 0.0,
        answer=(
            found.n_samples,
            found.reached,
            f"{formats.count(found.n_samples)} samples",
        ),
        high=float(y.max()) if is_width else 1.0,
        ends=(first, last),
    )


def _plan_drawing(
    x: FloatArray,
    y: FloatArray,
    *,
    title: str,
    description: str,
    xlabel: str,
    unit: str,
    goal: float,
    answer: tuple[int, float, str],
    high: float,
    ends: tuple[float, float],
    tried: tuple[FloatArray, FloatArray, FloatArray] | None = None,
) -> Drawing:
    """Draw what is reached against how much is had, the goal dashed, the answer marked.

    What was tried stands beside the curve, with its standard errors.
    """
    unknown = np.full(y.size, np.nan)
    trace = Trace(x=x.astype(np.float64), y=y, low=unknown, high=unknown)
    n, reached, said = answer

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=xlabel)
        axes.set_ylim(0.0, 1.05 * high)
        _, height = axes_size(axes)
        ticks = round_ticks(0.0, high, max(2.0, height / 32))
        names = [f"{100 * tick:g}" for tick in ticks]
        axes.set_yticks(ticks, labels=[*names[:-1], f"{names[-1]} {unit}"])
        axes.grid(axis="y", color=RULE, linewidth=0.6)
        count_axis(axes, *ends, also=[n])
        axes.axhline(goal, color=MUTED, linewidth=0.6, dashes=(3, 3), zorder=3)
        axes.plot(trace.x, trace.y, color=INK, linewidth=1.8, zorder=5)
        if tried is not None:
            at, value, error = tried
            axes.vlines(at, value - error, value + error, color=MUTED, lw=1.0, zorder=4)
            axes.plot(at, value, "o", color=MUTED, markersize=3.5)
        mark = Mark(x=n, y=reached, low=reached, high=reached, text=said, colour=ACCENT)
        draw_marks(axes, [mark], envelope_of(axes, [trace]))

    return Drawing(
        title=title,
        description=description,
        draw=draw,
        left=54.0,
        height=220.0,
        top=14.0,
    )


# --- training ------------------------------------------------------------------------


_LEARNED = (
    "The curve says what the rule is expected to err after learning from fewer or more "
    "samples; the dashed line is the error of the best rule and what may be added."
)


def training_document(found: RequiredTrainingSize) -> Document:
    """Lay out how many samples are enough to learn from."""
    headline = _training_headline(found)
    return Document(
        headline=headline,
        sections=(
            Section(lead=(_LEARNED,), figure=_training_figure(found, headline)),
            Section(
                heading="With fewer or more",
                tables=(_training_table(found),),
                is_terminal=True,
            ),
        ),
        facts=tuple(_training_facts(found)),
        references=(_WORKS[0], LEARNING_RULES[found.rule].reference),
    )


def _training_headline(found: RequiredTrainingSize) -> str:
    rule = LEARNING_RULES[found.rule].title
    features = formats.counted(found.n_features, "features")
    if 0.5 - found.bayes_error <= found.max_excess:
        return (
            f"Classes {found.distance:g} standard deviations apart are too alike: even "
            f"the best rule errs in {formats.percent(found.bayes_error, 1)}, and "
            f"guessing is within {formats.points(found.max_excess)} points of it."
        )
    return (
        f"{formats.count(found.n_samples)} samples, half of each class, are enough for "
        f"{rule} of {features} to err in {formats.percent(found.error, 1)} of new "
        f"samples: within {formats.points(found.max_excess)} points of the best rule, "
        f"which errs in {formats.percent(found.bayes_error, 1)}."
    )


def _training_facts(found: RequiredTrainingSize) -> Iterator[tuple[str, str]]:
    if not math.isnan(found.alpha):
        level = formats.amount(found.alpha, 2)
        yield (
            "Selected",
            f"features with p below {level}, of {found.n_informative:,} that tell "
            f"{formats.percent(found.power)}",
        )
    if not math.isnan(found.asymptotic):
        yield (
            "Formula",
            f"{formats.percent(found.asymptotic, 1)} by the published approximation",
        )
    yield (
        "Assumes",
        "two normal classes, equally frequent, of the same covariance, "
        f"{found.distance:g} standard deviations apart; the rule is told nothing else",
    )


def _training_sizes(found: RequiredTrainingSize, steps: Iterable[float]) -> list[int]:
    """Return even numbers of samples from which the rule can be learned."""
    whole = {2 * max(1, round(step * found.n_samples / 2)) for step in steps}
    return sorted({max(n, found.least) for n in whole} | {found.n_samples})


def _training_table(found: RequiredTrainingSize) -> Table:
    """Set out what fewer and more samples would reach."""
    rows = []
    for n in _training_sizes(found, _STEPS):
        error = found.error_with(n)
        excess = formats.points(max(error - found.bayes_error, 0.0))
        rows.append((formats.count(n), formats.percent(error, 1), f"{excess} points"))
    columns = ("samples to learn from", "expected error", "above the best")
    return Table(columns=columns, rows=tuple(rows), n_words=0)


def _training_figure(found: RequiredTrainingSize, headline: str) -> Drawing:
    """Draw the expected error against the number of samples."""
    steps = np.geomspace(1 / 5, 5, 13)
    sizes = np.array(_training_sizes(found, steps))
    y = np.array([found.error_with(int(n)) for n in sizes])
    return _plan_drawing(
        sizes,
        y,
        title="What so many samples to learn from reach",
        description=headline,
        xlabel="samples to learn from",
        unit="%",
        goal=found.bayes_error + found.max_excess,
        answer=(
            found.n_samples,
            found.error,
            f"{formats.count(found.n_samples)} samples",
        ),
        high=float(y.max()),
        ends=(sizes[0], sizes[-1]),
    )


# --- classes -------------------------------------------------------------------------


_TRIED = (
    "The curve says how far off a forecast may be with fewer or more classes tested; "
    "dots were tried out, with their standard errors, and the dashed line is what was "
    "asked for."
)


def classes_document(found: RequiredClasses) -> Document:
    """Lay out how many classes to test for a forecast."""
    headline = _classes_headline(found)
    return Document(
        headline=headline,
        sections=(
            Section(lead=(_TRIED,), figure=_classes_figure(found, headline)),
            Section(
                heading="With fewer or more",
                tables=(_classes_table(found),),
                is_terminal=True,
            ),
            Section(heading="What was tried out", tables=(_tried_table(found),)),
        ),
        facts=(
            ("Tried", _tried_text(found)),
            ("Assumes", "; ".join(_classes_assumed(found))),
        ),
        references=_WORKS[1:],
    )


def _classes_headline(found: RequiredClasses) -> str:
    in_use = formats.count(found.to)
    about = formats.percent(found.accuracy)
    sure = formats.level(found.confidence_level)
    margin = formats.points(found.margin)
    if found.is_all:
        return (
            f"No forecast from fewer classes gives the accuracy with {in_use} classes "
            f"(about {about}) within {margin} points ({sure} interval): test all of "
            "them, with more examples of each, or allow for more."
        )
    each = (
        "one example"
        if found.samples_per_class == 1
        else (f"{formats.count(found.samples_per_class)} examples")
    )
    rough = "" if found.is_tried else "about "
    return (
        f"Test {rough}{formats.count(found.n_classes)} classes, {each} of each, to "
        f"forecast the accuracy with {in_use} classes (about {about}) within {margin} "
        f"points ({sure} interval)."
    )


def _classes_table(found: RequiredClasses) -> Table:
    sizes = sorted(
        {
            max(2, round(step * found.n_classes))
            for step in _STEPS
            if step * found.n_classes < found.to or step == 1
        }
    )
    return Table(
        columns=("classes", "examples", "half of the interval"),
        rows=tuple(
            (
                formats.count(k),
                formats.count(k * found.samples_per_class),
                _width(found.reached_with(k)),
            )
            for k in sizes
        ),
        n_words=0,
    )


def _tried_table(found: RequiredClasses) -> Table:
    rows = zip(found.sizes, found.half_widths, found.stderr, found.rmse, strict=True)
    return Table(
        columns=("classes", "half of the interval (error)", "off by"),
        rows=tuple(
            (
                formats.count(int(k)),
                f"{formats.points(float(w))} ({formats.points(float(e))})",
                formats.points(float(off)),
            )
            for k, w, e, off in rows
        ),
        caption="Forecasts from data that were drawn, in percentage points",
        n_words=0,
    )


def _tried_text(found: RequiredClasses) -> str:
    sizes = (
        f"{formats.count(int(found.sizes[0]))} to {formats.count(int(found.sizes[-1]))}"
    )
    held = formats.percent(found.coverage)
    text = f"{sizes} classes, with {found.method}; {held} of the intervals held"
    return text if found.is_tried else f"{text}; beyond, widths are carried on"


def _classes_assumed(found: RequiredClasses) -> list[str]:
    how = "as in the pilot" if found.has_pilot else "as is usual"
    spread = formats.fixed(found.spread, 2)
    said = [
        "wrong classes score alike, in a bell shape",
        f"examples are as unequally hard {how} (spread {spread})",
        "new classes resemble those tested",
    ]
    if found.samples_per_class > 1:
        said.append(
            f"examples of one class are alike by {found.correlation:g} (correlation)"
        )
    return said


def _classes_figure(found: RequiredClasses, headline: str) -> Drawing:
    """Draw half of the interval against the classes tested."""
    first = float(min(found.sizes[0], found.n_classes / 2))
    last = float(min(max(found.sizes[-1], 2 * found.n_classes), found.to))
    last = max(last, 2 * first)
    x = np.geomspace(first, last, 60)
    y = np.array([found.reached_with(float(k)) for k in x])
    return _plan_drawing(
        x,
        y,
        title="How far off a forecast may be, against the classes tested",
        description=headline,
        xlabel="classes tested",
        unit="points",
        goal=found.margin,
        answer=(
            found.n_classes,
            found.reached,
            f"{formats.count(found.n_classes)} classes",
        ),
        high=float(max(y.max(), (found.half_widths + found.stderr).max())),
        ends=(first / 1.03, last * 1.03),
        tried=(found.sizes.astype(np.float64), found.half_widths, found.stderr),
    )


VIEWS: dict[str, Callable[[Any], Document]] = {
    RequiredClasses.kind: classes_document,
    RequiredTestSize.kind: size_document,
    RequiredTrainingSize.kind: training_document,
}
