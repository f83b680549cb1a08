"""How an assessment over many settings is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorecast._core.result import Note
from scorecast.evaluation import (
    COLLECTIONS,
    DESIGNS,
    POOLING,
    DifficultyGroup,
    Dominance,
    PooledInterval,
    Relation,
    SettingEstimate,
    SettingsAssessment,
    SettingsNote,
)
from scorecast.evaluation.settings.design import as_text, describe
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import Drawing
from scorecast.report.forest import Group, Row, groups_drawing
from scorecast.report.names import own_parts, short_by_name, short_names
from scorecast.report.settings_collected import collected_sections

_LONGEST_MODEL = 20
_LONGEST_ON_PAGE = 40
_LONGEST_SETTING = 44
_MOST_ROWS = 40
_PLAIN = ("data", "cv")  # factors whose values need no name before them
_CHOSEN = (
    "Groups are chosen by looking at the estimates: intervals of their means hold "
    "somewhat less often than they say. For a single setting look at the lowest and "
    "highest end of its group."
)
_WORKS = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems.",
    "C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine "
    "Learning 52.",
)


def settings_document(found: SettingsAssessment) -> Document:
    """Lay out what holds of models over many settings."""
    level = formats.level(found.confidence_level)
    lead = (
        "Settings of like difficulty stand together, the easiest first. Dots: "
        f"estimates; bars: {level} intervals; blue: the mean of the group. One bound "
        "over all settings would be true and of little use."
    )
    sections = [Section(tables=(_groups_table(found),))]
    for place, scoring in enumerate(found.scorings):
        title = formats.metric_title(scoring)
        sections.append(
            Section(
                heading=_capital(f"{title} by difficulty"),
                lead=(lead,) if place == 0 else (),
                figure=_settings_figure(found, scoring),
                tables=(_hierarchy_table(found, scoring),),
                is_terminal=True,
            )
        )
        if any(effect.scoring == scoring for effect in found.effects):
            sections.append(
                Section(
                    heading=_capital(f"{title}, one factor at a time"),
                    lead=(_held(found),) if place == 0 else (),
                    figure=_effects_figure(found, scoring),
                )
            )
    sections += [_over_all(found), *_wins(found)]
    sections += collected_sections(
        found, _models(found, _LONGEST_MODEL), _short_labels(found)
    )
    tables = (_every_setting(found), _every_effect(found))
    sections.append(Section(heading="All numbers", tables=tables))
    return Document(
        headline=_headline(found),
        notes=(*(_note(found, note) for note in found.notes), *_uncorrected(found)),
        sections=tuple(sections),
        facts=_facts(found),
        references=(*_WORKS, *_of_collected(found)),
    )


# In words --------------------------------------------------------------------------


def _headline(found: SettingsAssessment) -> str:
    """Say what holds over all settings; the groups come below."""
    scoring = found.scorings[0]
    n = found.n_settings_of(scoring)
    said = []
    for model in found.models:
        groups = found.groups_of(model)
        if not groups:
            said.append(f"{model}: no estimate")
            continue
        whole = found.interval(model, "pooled")
        span = formats.metric_span(scoring, whole.low, whole.high)
        if n == 1:
            said.append(f"{model} {span}")
            continue
        of = "one group" if len(groups) == 1 else f"{len(groups)} groups"
        said.append(f"{model} {span} on average, {of} of like difficulty")
    look = "Quick look: " if found.is_quick else ""
    title = formats.metric_title(scoring)
    return _capital(f"{look}{title} {_over(n)}: {'; '.join(said)}.")


def _over(n: int) -> str:
    return f"over {_settings(n)}" if n > 1 else "in one setting"


def _settings(n: int) -> str:
    return formats.counted(n, "settings")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _note(found: SettingsAssessment, note: Note) -> str:
    """Say what some combinations do not have, and why the first does not."""
    first = next(
        row
        for row in found.estimates
        if row.model == note.model and row.setting == note.value
    )
    if note.code == SettingsNote.NOT_COLLECTED:
        name, why = note.names
        because = f": {formats.one_line(why, 200)}" if why else ""
        return (
            f"No {COLLECTIONS[name].title} in {note.count} of {note.total} "
            f"combinations of setting and model; first {note.model}, "
            f"{describe(first.factors)}{because}"
        )
    title = formats.metric_title(first.scoring)
    if first.failure is not None:
        why = str(first.failure)
    elif first.needs is not None:
        why = f"{title} needs {first.needs}"
    else:
        why = f"{title} has no interval that would hold"
    return (
        f"In {note.count} of {note.total} combinations of setting and model a fit "
        f"failed or a metric could not be measured; first {note.model}, "
        f"{describe(first.factors)}: {formats.one_line(why, 200)}"
    )


def _relation(found: SettingsAssessment, pair: Dominance) -> str:
    """Say whether one of two models wins, and of which metric where there are more."""
    first, second, won, lost = pair.a, pair.b, pair.won, pair.lost
    if pair.relation is Relation.INFERIOR:
        first, second, won, lost = second, first, lost, won
    counts = f"wins {formats.percent(won)} and loses {formats.percent(lost)}"
    of = f"of {_settings(pair.n_settings)} at a level of {formats.level(pair.alpha)}"
    of_metric = _of_metric(found, pair.scoring)
    if pair.relation is None:
        return f"{of_metric}{first} {counts} {of} against {second}: no relation holds"
    where = "all" if won == 1 else f"{formats.level(pair.share)} or more"
    return f"{of_metric}{first} beats {second} in {where}: {counts} {of}"


def _uncorrected(found: SettingsAssessment) -> tuple[str, ...]:
    """Warn where several pairs of models were compared."""
    n = sum(pair.scoring == found.scorings[0] for pair in found.dominance)
    if n < 2:
        return ()
    return (
        f"Levels are those of single pairs: not corrected for {n} pairs of models.",
    )


def _of_metric(found: SettingsAssessment, scoring: str) -> str:
    if len(found.scorings) == 1:
        return ""
    return f"{formats.metric_title(scoring)}: "


def _of_collected(found: SettingsAssessment) -> tuple[str, ...]:
    works = (COLLECTIONS[name].reference for name in found.collect)
    return tuple(work for work in works if work)


def _facts(found: SettingsAssessment) -> tuple[tuple[str, str], ...]:
    sizes = sorted({(row.n_samples, row.n_features) for row in found.estimates})
    span = formats.sizes(sizes)
    said = _settings(found.n_settings)
    if len(found.scorings) > 1:
        counts = ", ".join(
            f"{found.n_settings_of(x)} of {formats.metric_title(x)}"
            for x in found.scorings
        )
        said = f"{said} ({counts})"
    facts = [("Relation", _relation(found, pair)) for pair in found.dominance]
    facts.append(("Data", f"{said}; samples x features {span}"))
    if found.tests is not None:
        drawn = found.tests.n_permutations
        usual = "as many permutations as are usual for the model"
        said = usual if drawn is None else f"{formats.count(drawn)} permutations"
        null = f"{formats.count(found.tests.n_null_data)} null data sets"
        facts.append(("Chance", f"{said}, {null} for every data set"))
    if found.is_quick:
        title = DESIGNS[found.design].title
        facts.append(
            (
                "Quick",
                f"a quick look: {found.cv} folds, {title}, one data set for each; the "
                "whole answer has ten folds and all combinations unless told otherwise",
            )
        )
    return tuple(facts)


# Names -----------------------------------------------------------------------------


def _models(found: SettingsAssessment, limit: int) -> dict[str, str]:
    return short_by_name(list(found.models), limit)


def _labels(found: SettingsAssessment, scoring: str) -> dict[int, str]:
    """Name the settings of a metric by what is not the same in all of them."""
    every = {row.setting: row.factors for row in found.estimates}
    own = {row.setting for row in found.estimates if row.scoring == scoring}
    in_metric = _varied([factors for x, factors in every.items() if x in own])
    # What is alone in its metric is named by how it differs from those of others.
    chosen = in_metric or [x for x in _varied(list(every.values())) if x != "scoring"]
    return {
        number: ", ".join(_named(found, name, every[number][name]) for name in chosen)
        or describe(every[number])
        for number in sorted(own)
    }


def _short_labels(found: SettingsAssessment) -> dict[str, dict[int, str]]:
    """Return names of settings that fit into a terminal, metric by metric."""
    short = {}
    for scoring in found.scorings:
        labels = _labels(found, scoring)
        names = short_names(list(labels.values()), _LONGEST_SETTING - 2)
        short[scoring] = dict(zip(labels, names, strict=True))
    return short


def _varied(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the factors that are not the same in all settings."""
    seen: dict[str, set[str]] = {}
    for factors in rows:
        for name, value in factors.items():
            seen.setdefault(name, set()).add(as_text(value))
    return [name for name, values in seen.items() if len(values) > 1]


def _named(found: SettingsAssessment, factor: str, value: Any) -> str:
    """Write a value with its factor, unless it says itself what it is."""
    text = _value(found, factor, value)
    return text if factor in _PLAIN and not text.isdigit() else f"{factor} {text}"


def _value(found: SettingsAssessment, factor: str, value: Any) -> str:
    text = as_text(value)
    return _data_names(found).get(text, text) if factor == "data" else text


def _data_names(found: SettingsAssessment) -> dict[str, str]:
    """Shorten the names of data sets by what all begin with."""
    values = (row.factors.get("data") for row in found.estimates)
    names = list(dict.fromkeys(str(x) for x in values if x is not None))
    return dict(zip(names, own_parts(names), strict=True))


def _character(found: SettingsAssessment, group: DifficultyGroup) -> str:
    """Say what a group has that no other has, else how many settings are in it."""
    parts = []
    for factor, values in group.factors.items():
        # The factor is named once: "n_samples 20 or 40".
        first, *rest = values
        texts = [
            _named(found, factor, first),
            *(_value(found, factor, x) for x in rest),
        ]
        parts.append(" or ".join(texts))
    counted = _settings(len(group.members))
    is_only = len(found.groups_of(group.model, group.scoring)) == 1
    return "; ".join(parts) or (counted if is_only else f"mixed, {counted}")


# Tables ----------------------------------------------------------------------------


def _cells(row: PooledInterval | SettingEstimate) -> tuple[str, str]:
    if isinstance(row, SettingEstimate) and not row.is_known:
        return "unknown", ""
    return (
        formats.metric_value(row.scoring, row.estimate),
        formats.metric_span(row.scoring, row.low, row.high),
    )


def _group_cells(group: DifficultyGroup) -> tuple[str, str, str]:
    """Write the mean of a group, what holds for each member, and for the mean."""
    return (
        formats.metric_value(group.scoring, group.estimate),
        formats.metric_span(group.scoring, group.lowest, group.highest),
        formats.metric_span(group.scoring, group.low, group.high),
    )


def _members(
    found: SettingsAssessment, group: DifficultyGroup
) -> list[SettingEstimate]:
    return [
        row
        for row in found.estimates
        if (row.model, row.scoring) == (group.model, group.scoring)
        and row.setting in group.members
    ]


def _groups_table(found: SettingsAssessment) -> Table:
    """Set out the groups of all models."""
    names = _models(found, _LONGEST_ON_PAGE)
    level = formats.level(found.confidence_level)
    return Table(
        columns=("", "mean", f"{level} interval of each", "of the mean"),
        rows=tuple(
            (
                f"{_of_metric(found, g.scoring)}{names[g.model]}, group {g.rank}",
                *(formats.dashed(cell) for cell in _group_cells(g)),
            )
            for g in found.groups
        ),
        notes=tuple(_character(found, g) for g in found.groups),
    )


def _hierarchy_table(found: SettingsAssessment, scoring: str) -> Table:
    """List models, under them groups, under these their settings."""
    rows: list[tuple[str, ...]] = []
    names = _models(found, _LONGEST_MODEL)
    labels = _short_labels(found)[scoring]
    for model in found.models:
        label = names[model]
        for group in found.groups_of(model, scoring):
            said = f"group {group.rank}: {_character(found, group)}"
            mean, of_each, of_mean = _group_cells(group)
            rows.append((label, formats.one_line(said, _LONGEST_SETTING), "", of_each))
            if len(group.members) > 1:
                rows.append(("", "  mean", mean, of_mean))
            label = ""
            rows += [
                ("", f"  {labels[row.setting]}", *_cells(row))
                for row in _members(found, group)
            ]
    level = formats.level(found.confidence_level)
    is_one = len(found.scorings) == 1
    head = "by difficulty" if is_one else _capital(formats.metric_title(scoring))
    return Table(
        columns=(head, "", "estimate", level),
        rows=tuple(rows),
        n_words=2,
    )


def _over_all(found: SettingsAssessment) -> Section:
    """Set out the intervals over all settings, and what they say."""
    names = _models(found, _LONGEST_MODEL)
    rows = tuple(
        (
            f"{_of_metric(found, x.scoring)}{names[x.model]}",
            POOLING[x.method].title,
            *_cells(x),
        )
        for x in found.intervals
    )
    columns = ("", "", "estimate", f"{formats.level(found.confidence_level)} interval")
    methods = [
        POOLING[name] for name in dict.fromkeys(x.method for x in found.intervals)
    ]
    items = [
        formats.sentence("; ".join((f"{m.title}: {m.summary}", *m.assumes)))
        for m in methods
    ]
    return Section(
        heading="Over all settings",
        tables=(Table(columns=columns, rows=rows, n_words=2),),
        items=(*items, _CHOSEN),
        is_terminal=True,
    )


def _wins(found: SettingsAssessment) -> list[Section]:
    """Set out in how many settings models beat one another."""
    if not found.dominance:
        return []
    names = _models(found, _LONGEST_ON_PAGE)
    rows = tuple(
        (
            f"{_of_metric(found, pair.scoring)}{names[pair.a]}",
            names[pair.b],
            formats.percent(pair.won),
            formats.percent(pair.lost),
            formats.percent(pair.better),
            formats.p_cell(pair.p_sign),
            "none" if pair.relation is None else str(pair.relation),
        )
        for pair in found.dominance
    )
    first = found.dominance[0]
    lead = (
        "In how many settings the first model beats the second, at a level of "
        f"{formats.level(first.alpha)} in each; a relation holds if it does in "
        f"{formats.level(first.share)} of them and loses in none. Better: the share of "
        "settings in which the estimate of the first is better, surely or not. The "
        "sign test counts data sets, whatever the size of a difference."
    )
    columns = ("", "against", "won", "lost", "better", "sign test", "relation")
    table = Table(columns=columns, rows=rows, n_words=2)
    said = [f"{_relation(found, pair)}." for pair in found.dominance]
    return [Section(heading="Win and loss", lead=(lead, *said), tables=(table,))]


def _held(found: SettingsAssessment) -> str:
    if not found.usual:
        return "Each value of a factor, pooled over all values of the others."
    held = describe(found.usual)
    return f"Each value of a factor, the others held at {held}."


def _every_setting(found: SettingsAssessment) -> Table:
    """Set out every setting and model."""
    rows = tuple(
        (
            f"{_of_metric(found, row.scoring)}{row.model}",
            describe(row.factors),
            *_cells(row),
            formats.count(row.n_samples),
            formats.count(row.n_features),
        )
        for row in found.estimates
    )
    return Table(
        caption="Every setting",
        columns=("", "setting", "estimate", "interval", "samples", "features"),
        rows=rows,
        n_words=2,
        is_folded=True,
    )


def _every_effect(found: SettingsAssessment) -> Table:
    """Set out every factor with its values."""
    names = _models(found, _LONGEST_ON_PAGE)
    texts = list(dict.fromkeys(as_text(x.value) for x in found.effects))
    short = short_by_name(texts, _LONGEST_ON_PAGE)
    rows = tuple(
        (
            f"{_of_metric(found, x.scoring)}{names[x.model]}",
            x.factor,
            short[as_text(x.value)],
            formats.metric_value(x.scoring, x.estimate),
            formats.metric_span(x.scoring, x.low, x.high),
            f"{x.spread:.3g}",
        )
        for x in found.effects
    )
    return Table(
        caption="Every factor",
        columns=("", "factor", "value", "estimate", "interval", "spread of folds"),
        rows=rows,
        n_words=3,
        is_folded=True,
    )


# Figures ---------------------------------------------------------------------------


def _settings_figure(found: SettingsAssessment, scoring: str) -> Drawing:
    """Draw every setting of one metric, by model and difficulty."""
    groups = []
    names = _models(found, _LONGEST_ON_PAGE)
    labels = _labels(found, scoring)
    for model in found.models:
        for group in found.groups_of(model, scoring):
            pooled = Row(
                name="mean",
                dot=group.estimate,
                low=group.low,
                high=group.high,
                text=formats.metric_span(scoring, group.low, group.high, bare=True),
                strong=True,
            )
            rows = (
                _row(row, labels[row.setting])
                for row in _members(found, group)[:_MOST_ROWS]
            )
            heading = f"{names[model]}, group {group.rank}"
            groups.append(Group(heading=heading, rows=(pooled, *rows)))
    title = formats.metric_title(scoring)
    is_share = formats.is_proportion(scoring)
    return groups_drawing(groups, title, f"{title} by setting", in_percent=is_share)


def _row(row: SettingEstimate, name: str) -> Row:
    return Row(
        name=name,
        dot=row.estimate,
        low=row.low,
        high=row.high,
        text=formats.metric_value(row.scoring, row.estimate, bare=True),
    )


def _effects_figure(found: SettingsAssessment, scoring: str) -> Drawing:
    """Draw every factor of one metric, value by value."""
    groups = []
    names = _models(found, _LONGEST_ON_PAGE)
    for model in found.models:
        own = [x for x in found.effects if (x.model, x.scoring) == (model, scoring)]
        for factor in dict.fromkeys(x.factor for x in own):
            rows = tuple(
                Row(
                    name=_value(found, factor, x.value),
                    dot=x.estimate,
                    low=x.low,
                    high=x.high,
                    text=formats.metric_value(scoring, x.estimate, bare=True),
                )
                for x in own
                if x.factor == factor
            )
            heading = f"{names[model]}: {formats.one_line(factor, 30)}"
            groups.append(Group(heading=heading, rows=rows))
    title = formats.metric_title(scoring)
    is_share = formats.is_proportion(scoring)
    return groups_drawing(groups, title, f"{title} by factor", in_percent=is_share)


VIEWS = {"settings-assessment": settings_document}
