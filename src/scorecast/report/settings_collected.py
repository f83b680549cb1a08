"""How what is collected over settings is laid out: chance, bias, classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from scorecast.evaluation import (
    BIAS_VARIANCE,
    NULL_MODELS,
    SettingEstimate,
    SettingsAssessment,
    SettingTest,
)
from scorecast.report import formats
from scorecast.report.document import Section, Table
from scorecast.report.figures import Drawing
from scorecast.report.forest import Group, Row, groups_drawing

_MOST_ROWS = 40
_LONGEST_CLASS = 20
_VIEWS = {
    "permuted": "permuted data",
    "null-model": "null model",
    "null-data": "null data",
    "density": "density of permutations",
}
Names = Mapping[str, str]
Labels = Mapping[int, str]


def collected_sections(
    found: SettingsAssessment, names: Names, labels: Mapping[str, Labels]
) -> Iterator[Section]:
    """Lay out what was collected beside estimates.

    Parameters
    ----------
    found : SettingsAssessment
        The answer.
    names : mapping of str to str
        How models are called.
    labels : mapping of str to mapping of int to str
        How the settings of every metric are called.

    Yields
    ------
    Section
        One for each metric held against chance, each way of dividing the error, and
        classes.
    """
    for scoring in found.scorings:
        rows = [row for row in found.estimates if row.scoring == scoring]
        yield from _chance(found, [r for r in rows if r.null_tests], names, labels)
    # Neither depends on the metric: settings that differ in it alone are shown once.
    first = [row for row in found.estimates if row.scoring == found.scorings[0]]
    yield from _parts(found, [r for r in first if r.bias_variance], names, labels)
    yield from _classes(found, [r for r in first if r.per_class], names, labels)


def _grouped(
    found: SettingsAssessment, rows: list[SettingEstimate]
) -> Iterator[tuple[str, list[SettingEstimate]]]:
    """Yield the rows of every model."""
    for model in found.models:
        own = [row for row in rows if row.model == model]
        if own:
            yield model, own


def _label(row: SettingEstimate, labels: Mapping[str, Labels]) -> str:
    return labels[row.scoring][row.setting]


# Chance ----------------------------------------------------------------------------


def _chance(
    found: SettingsAssessment,
    rows: list[SettingEstimate],
    names: Names,
    labels: Mapping[str, Labels],
) -> Iterator[Section]:
    """Lay out the p-values of one metric."""
    if not rows:
        return
    title = formats.metric_title(rows[0].scoring)
    title = title[:1].upper() + title[1:]
    lead = [
        "Chances of doing as well where nothing can be learned, setting by setting: on "
        "permuted data, as a model that knows next to nothing (the hardest to beat), "
        "on null data, which look like the real ones feature by feature, and among "
        "single folds of permuted data. The larger of t-test and rank, where both are "
        "known. Not corrected for the number of settings.",
    ]
    if found.n_datasets > 1:
        lead.append(
            "Dots: means over the data sets of a setting; bars: from the least to the "
            "greatest. A mean of p-values is no p-value itself, but twice it is one."
        )
    table = Table(
        columns=("p against", "", "permuted", "null model", "null data", "density"),
        rows=tuple(
            (
                names[model] if place == 0 else "",
                _label(row, labels),
                *(formats.p_cell(_p_value(_views(row), view)) for view in _VIEWS),
            )
            for model, own in _grouped(found, rows)
            for place, row in enumerate(own)
        ),
        n_words=2,
    )
    yield Section(
        heading=f"{title}: better than chance?",
        lead=tuple(lead),
        figure=_chance_figure(found, rows, names, labels),
        tables=(table, _every_test(found, rows, names, labels)),
        is_terminal=True,
    )


def _views(row: SettingEstimate) -> dict[str, SettingTest]:
    """Return the tests of a setting; of null models the one that is hardest to beat."""
    tests = row.null_tests
    models = [tests[name] for name in tests if name in NULL_MODELS]
    known = [test for test in models if formats.is_known(test.p_value)]
    found = {name: tests[name] for name in tests if name in _VIEWS}
    if known:
        found["null-model"] = max(known, key=lambda test: test.p_value)
    return found


def _p_value(tests: Mapping[str, SettingTest], view: str) -> float:
    return tests[view].p_value if view in tests else math.nan


def _chance_figure(
    found: SettingsAssessment,
    rows: list[SettingEstimate],
    names: Names,
    labels: Mapping[str, Labels],
) -> Drawing:
    """Draw p-values, by model and kind of chance, setting by setting."""
    groups = []
    for model, own in _grouped(found, rows):
        for view, title in _VIEWS.items():
            each = [(row, _views(row)[view]) for row in own if view in _views(row)]
            drawn = tuple(
                Row(
                    name=_label(row, labels),
                    dot=test.p_value,
                    low=test.least,
                    high=test.greatest,
                    text=formats.p_cell(test.p_value),
                )
                for row, test in each[:_MOST_ROWS]
                if formats.is_known(test.p_value)
            )
            if drawn:
                groups.append(Group(heading=f"{names[model]}, {title}", rows=drawn))
    return groups_drawing(groups, "p-value", "p-values against chance", zero=True)


def _every_test(
    found: SettingsAssessment,
    rows: list[SettingEstimate],
    names: Names,
    labels: Mapping[str, Labels],
) -> Table:
    cells = tuple(
        (
            names[model],
            _label(row, labels),
            NULL_MODELS[name].title if name in NULL_MODELS else _VIEWS.get(name, name),
            formats.p_cell(test.p_value),
            formats.p_cell(test.least),
            formats.p_cell(test.greatest),
            formats.p_cell(test.p_t),
            formats.count(test.n_datasets),
        )
        for model, own in _grouped(found, rows)
        for row in own
        for name, test in row.null_tests.items()
    )
    return Table(
        caption="Every test, one-tailed",
        columns=(
            "",
            "setting",
            "against",
            "p",
            "least",
            "greatest",
            "by t-test",
            "data sets",
        ),
        rows=cells,
        n_words=3,
        is_folded=True,
    )


# Bias and variance -----------------------------------------------------------------


def _parts(
    found: SettingsAssessment,
    rows: list[SettingEstimate],
    names: Names,
    labels: Mapping[str, Labels],
) -> Iterator[Section]:
    """Lay out how the error divides, one section for each way of dividing it."""
    methods = dict.fromkeys(name for row in rows for name in row.bias_variance)
    for place, method in enumerate(methods):
        title = BIAS_VARIANCE[method].title
        lead = [
            "Bias is what most fits get wrong alike, variance what changes with the "
            "samples learned from; both add up to the error of these fits. Where bias "
            "leads, more samples help little."
            if place == 0
            else "Another way of dividing the same error, not a further part of it."
        ]
        n_extra = max(r.bias_variance[method].n_extra for r in rows)
        if place == 0 and n_extra:
            lead.append(
                f"{n_extra} more fits, to bootstrap samples, were made for this alone "
                "on every data set, as no sample is tested twice; their error tends to "
                "be larger than that of the setting."
            )
        yield Section(
            heading=f"Bias and variance, by {title}"
            if method != "squared"
            else "Bias and variance of the squared error",
            lead=tuple(lead),
            figure=_parts_figure(found, rows, method, names, labels),
            tables=(_parts_table(found, rows, method, names, labels),),
            is_terminal=place == 0,
        )


def _parts_figure(
    found: SettingsAssessment,
    rows: list[SettingEstimate],
    method: str,
    names: Names,
    labels: Mapping[str, Labels],
) -> Drawing:
    """Draw bias and variance, setting by setting, on one scale."""
    groups = []
    for model, own in _grouped(found, rows):
        for part in ("bias", "variance"):
            drawn = []
            for row in own[:_MOST_ROWS]:
                if method in row.bias_variance:
                    value = float(getattr(row.bias_variance[method], part))
                    drawn.append(
                        Row(
                            name=_label(row, labels),
                            dot=value,
                            low=min(0.0, value),
                            high=max(0.0, value),
                            text=_amount(value, method),
                            strong=part == "bias",
                        )
                    )
            groups.append(Group(heading=f"{names[model]}, {part}", rows=tuple(drawn)))
    squared = "squared " if method == "squared" else ""
    axis = f"part of the {squared}error"
    return groups_drawing(groups, axis, "Bias and variance by setting", zero=True)


def _parts_table(
    found: SettingsAssessment,
    rows: list[SettingEstimate],
    method: str,
    names: Names,
    labels: Mapping[str, Labels],
) -> Table:
    repeated = any(
        formats.is_known(row.bias_variance[method].bias_stderr) for row in rows
    )
    cells = []
    for model, own in _grouped(found, rows):
        for place, row in enumerate(own):
            one = row.bias_variance[method]
            stderrs = (one.bias_stderr, one.variance_stderr)
            errors = [_amount(x, method) for x in stderrs]
            cells.append(
                (
                    names[model] if place == 0 else "",
                    _label(row, labels),
                    _amount(one.error, method),
                    _amount(one.bias, method),
                    *([errors[0]] if repeated else []),
                    _amount(one.variance, method),
                    *([errors[1]] if repeated else []),
                )
            )
    error = ["s.e."] if repeated else []
    head = "bias and variance"
    return Table(
        columns=(head, "", "error of fits", "bias", *error, "variance", *error),
        rows=tuple(cells),
        n_words=2,
    )


def _amount(value: float, method: str) -> str:
    """Write part of an error: a share of samples, or in squared units of the target."""
    if not formats.is_known(value):
        return ""
    return formats.amount(value) if method == "squared" else f"{value:.3f}"


# Classes ---------------------------------------------------------------------------


def _classes(
    found: SettingsAssessment,
    rows: list[SettingEstimate],
    names: Names,
    labels: Mapping[str, Labels],
) -> Iterator[Section]:
    """Lay out how well each class is recognised."""
    if not rows:
        return
    level = formats.level(found.confidence_level)
    classes = list(dict.fromkeys(label for row in rows for label in row.per_class))
    groups = []
    cells: list[tuple[str, ...]] = []
    bars: list[tuple[float, float, float] | None] = []
    for model, own in _grouped(found, rows):
        for label in classes:
            drawn: list[Row] = []
            short = formats.one_line(label, _LONGEST_CLASS)
            for row in own:
                if label not in row.per_class:
                    continue
                one = row.per_class[label]
                cells.append(
                    (
                        f"{names[model]}, class {short}" if not drawn else "",
                        _label(row, labels),
                        formats.count(round(one.n_samples)),
                        formats.percent(one.estimate, 1),
                        formats.percent_span(one.low, one.high, 1),
                    )
                )
                bars.append((one.low, one.estimate, one.high))
                drawn.append(
                    Row(
                        name=_label(row, labels),
                        dot=one.estimate,
                        low=one.low,
                        high=one.high,
                        text=formats.percent(one.estimate, 1, bare=True),
                    )
                )
            heading = f"{names[model]}, class {short}"
            groups.append(Group(heading=heading, rows=tuple(drawn[:_MOST_ROWS])))
    label = "share of the class recognised"
    yield Section(
        heading="Class by class",
        lead=(
            "A good average can hide a class that is never recognised. Dots: share of "
            f"each class that is recognised; bars: {level} intervals, each by itself.",
        ),
        figure=groups_drawing(groups, label, "Sensitivity by setting", in_percent=True),
        tables=(
            Table(
                columns=(
                    "class by class",
                    "",
                    "samples",
                    "recall",
                    f"{level} interval",
                ),
                rows=tuple(cells),
                n_words=2,
                bars=tuple(bars),
            ),
        ),
        is_terminal=True,
    )
