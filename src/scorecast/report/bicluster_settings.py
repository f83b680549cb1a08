"""How algorithms that find biclusters are laid out over settings."""

from __future__ import annotations

from scorecast.biclusters import (
    AGREEMENT_MEASURES,
    COHERENCE_MEASURES,
    BiclusterSetting,
    BiclusterSettings,
)
from scorecast.evaluation import DESIGNS, MetricAssessment
from scorecast.evaluation.settings.design import as_text, describe
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import Drawing
from scorecast.report.forest import Group, Row, groups_drawing
from scorecast.report.names import short_by_name, short_names

_LONGEST_MODEL = 24
_LONGEST_SETTING = 40
_MOST_ROWS = 40
_WORKS = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems.",
)


def settings_document(found: BiclusterSettings) -> Document:
    """Lay out how well biclusters are found over settings."""
    level = formats.level(found.confidence_level)
    lead = (
        f"Dots: means over {formats.count(found.n_repeats)} matrices, each with "
        f"biclusters of its own; bars: {level} intervals of the mean (Student's)."
    )
    sections = [
        Section(
            heading=f"{_title(measure)} by setting",
            lead=(*((lead,) if place == 0 else ()), _summary(measure)),
            figure=_figure(found, measure),
            tables=(_table(found, measure),),
            is_terminal=True,
        )
        for place, measure in enumerate(found.measures)
    ]
    return Document(
        headline=_headline(found),
        notes=tuple(_failures(found)),
        sections=(*sections, *_chance(found)),
        facts=_facts(found),
        references=_WORKS,
    )


# In words --------------------------------------------------------------------------


def _headline(found: BiclusterSettings) -> str:
    """Say how far the first measure reaches, from the least to the greatest."""
    measure = found.measures[0]
    said = []
    for model, name in _models(found).items():
        every = [one.models[model].metrics[measure] for one in found.settings]
        low = min(every, key=lambda x: x.estimate)
        high = max(every, key=lambda x: x.estimate)
        least, most = formats.fixed(low.estimate), formats.fixed(high.estimate)
        said.append(f"{name} {least}" + (f" to {most}" if len(every) > 1 else ""))
    over = formats.counted(found.n_settings, "settings")
    return f"{_title(measure)} over {over}: {'; '.join(said)}."


def _failures(found: BiclusterSettings) -> list[str]:
    """Say where algorithms failed on some matrices, and why on the first."""
    notes = []
    for model, name in _models(found).items():
        failed = [one for one in found.settings if one.models[model].failures]
        if failed:
            count = sum(len(one.models[model].failures) for one in failed)
            total = found.n_settings * found.n_repeats
            why = formats.one_line(str(failed[0].models[model].failures[0]), 200)
            notes.append(
                f"{name} failed on {count} of {total} matrices; first "
                f"{describe(failed[0].factors)}: {why}"
            )
    return notes


def _facts(found: BiclusterSettings) -> tuple[tuple[str, str], ...]:
    sizes = sorted({(one.n_rows, one.n_columns) for one in found.settings})
    span = formats.sizes(sizes)
    return (
        (
            "Data",
            f"{formats.counted(found.n_settings, 'settings')} "
            f"({DESIGNS[found.design].title}), {formats.count(found.n_repeats)} "
            f"matrices made in each; rows x columns {span}",
        ),
        ("Assumes", "matrices are independent, and their values roughly normal"),
    )


def _title(measure: str) -> str:
    return measure[:1].upper() + measure[1:]


def _summary(measure: str) -> str:
    known = AGREEMENT_MEASURES.get(measure) or COHERENCE_MEASURES[measure]
    which = "higher" if known.greater_is_better else "lower"
    return formats.sentence(f"{_title(known.title)}; {which} is better")


def _models(found: BiclusterSettings) -> dict[str, str]:
    return short_by_name(list(found.models), _LONGEST_MODEL)


def _labels(found: BiclusterSettings) -> list[str]:
    """Name settings by what is not the same in all of them."""
    varied = [
        name
        for name in found.settings[0].factors
        if len({as_text(one.factors[name]) for one in found.settings}) > 1
    ]
    names = [
        describe({name: one.factors[name] for name in varied or one.factors})
        for one in found.settings
    ]
    return short_names(names, _LONGEST_SETTING)


# Tables and figures ----------------------------------------------------------------


def _of(one: BiclusterSetting, model: str, measure: str) -> MetricAssessment:
    return one.models[model].metrics[measure]


def _table(found: BiclusterSettings, measure: str) -> Table:
    """Set out one measure, algorithm by algorithm and setting by setting."""
    names, labels = _models(found), _labels(found)
    rows, bars = [], []
    for model in found.models:
        for place, (one, label) in enumerate(zip(found.settings, labels, strict=True)):
            x = _of(one, model, measure)
            span = formats.metric_span(measure, x.low, x.high)
            estimate = formats.metric_value(measure, x.estimate)
            rows.append((names[model] if place == 0 else "", label, estimate, span))
            bars.append((x.low, x.estimate, x.high))
    level = formats.level(found.confidence_level)
    return Table(
        columns=(measure, "", "mean", f"{level} interval"),
        rows=tuple(rows),
        n_words=2,
        bars=tuple(bars),
    )


def _chance(found: BiclusterSettings) -> list[Section]:
    """Set out what the first measure reaches where there is nothing to find."""
    names, labels = _models(found), _labels(found)
    first = found.settings[0].models[found.models[0]].null_tests
    if first is None:
        return []
    nulls = list(first.null_models)
    p_values, values = [], []
    for model in found.models:
        for place, (one, label) in enumerate(zip(found.settings, labels, strict=True)):
            tests = one.models[model].null_tests
            known = {} if tests is None else tests.null_models
            head = (names[model] if place == 0 else "", label)
            cells = [
                formats.p_cell(known[null].p_value) if null in known else ""
                for null in nulls
            ]
            p_values.append((*head, *cells))
            reached = [
                formats.fixed(known[null].null_value) if null in known else ""
                for null in nulls
            ]
            values.append((*head, *reached))
    return [
        Section(
            heading="Better than chance?",
            lead=(
                f"Chances of as much {_title(found.measures[0]).lower()} on data whose "
                "columns are shuffled, each by itself, and of biclusters of the same "
                "sizes drawn at random; setting by setting, not corrected for their "
                "number.",
            ),
            tables=(
                Table(
                    columns=("p against", "", *nulls), rows=tuple(p_values), n_words=2
                ),
                Table(
                    caption="What chance reaches",
                    columns=("", "setting", *nulls),
                    rows=tuple(values),
                    n_words=2,
                    is_folded=True,
                ),
            ),
            is_terminal=True,
        )
    ]


def _figure(found: BiclusterSettings, measure: str) -> Drawing:
    """Draw one measure, algorithm by algorithm and setting by setting."""
    labels = _labels(found)
    groups = []
    for model, name in _models(found).items():
        rows = []
        for one, label in list(zip(found.settings, labels, strict=True))[:_MOST_ROWS]:
            x = _of(one, model, measure)
            text = formats.metric_value(measure, x.estimate)
            rows.append(
                Row(name=label, dot=x.estimate, low=x.low, high=x.high, text=text)
            )
        groups.append(Group(heading=name, rows=tuple(rows)))
    return groups_drawing(groups, measure, f"{_title(measure)} by setting")


VIEWS = {"bicluster-settings": settings_document}
