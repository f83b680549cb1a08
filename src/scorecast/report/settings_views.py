"""How an assessment over many settings is written, drawn and laid out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scorecast.guarantees import (
    DifficultyGroup,
    SettingBound,
    SettingEstimate,
    SettingsAssessment,
    Superiority,
    is_share,
    span_said,
    value_said,
)
from scorecast.report.figures import Drawing
from scorecast.report.forest import Group, Row, groups_drawing
from scorecast.report.formats import (
    count,
    dashed,
    level_name,
    one_line,
    percent,
    sentence,
)
from scorecast.report.names import own_parts, short_by_name, short_names
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, column_table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

__all__ = ["settings_drawing", "settings_text"]

_WIDTH = 88
_LONGEST_MODEL = 20
_LONGEST_ON_PAGE = 40
_MOST_ROWS = 40
_PLAIN = ("data", "sampling")  # factors whose values need no name before them
_REFERENCES = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems.",
    "C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine "
    "Learning 52.",
)


@render_text.register
def settings_text(result: SettingsAssessment, *, ascii_only: bool = False) -> str:
    """Write the answer as text: the bounds, then settings by difficulty.

    Parameters
    ----------
    result : SettingsAssessment
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*text_lines(result.summary()), ""]
    heading = ("over all settings", "", "estimate", f"{level_name(result.level)}", "")
    names = _names(result, _LONGEST_MODEL)
    rows = [(names[b.model], b.method, *_cells(b), b.loss) for b in result.bounds]
    lines += [*table_lines(heading, rows, left={0, 1, 4}), ""]
    for loss in result.losses:
        lines += [*_hierarchy_lines(result, loss), ""]
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    for relation in result.relations:
        lines += entry_lines("Relation", _relation_said(result, relation))
    if result.pairs_said:
        lines += entry_lines("", result.pairs_said)
    sizes = sorted({(row.n, row.m) for row in result.rows})
    span = f"{count(sizes[0][0])} x {count(sizes[0][1])}"
    if len(sizes) > 1:
        span += f" to {count(sizes[-1][0])} x {count(sizes[-1][1])}"
    lines += entry_lines("Data", f"{result.settings_said()}; cases x features {span}")
    if result.quick:
        lines += entry_lines("Quick", _quick_said(result))
    return joined_lines(lines, ascii_only=ascii_only)


def _quick_said(result: SettingsAssessment) -> str:
    """Say what a quick look leaves out."""
    options = result.options
    return (
        f"a quick look: {options.get('sampling', 'few folds')}, settings "
        f"{str(options.get('design', '')).replace('-', ' ')}, one data set for each; "
        "the whole answer has ten folds and all combinations unless told otherwise"
    )


def _names(result: SettingsAssessment, limit: int) -> dict[str, str]:
    """Shorten the names of all models, of those that only have bounds too."""
    models = dict.fromkeys([*result.models, *(b.model for b in result.bounds)])
    return short_by_name(list(models), limit)


def _cells(row: SettingBound | SettingEstimate) -> tuple[str, str]:
    if isinstance(row, SettingEstimate) and not row.is_known:
        return "unknown", ""
    return value_said(row.loss, row.estimate), span_said(row.loss, row.low, row.high)


def _group_cells(group: DifficultyGroup) -> tuple[str, str, str]:
    """Write the mean of a group, what holds for each member, and for the mean."""
    return (
        value_said(group.loss, group.estimate),
        span_said(group.loss, group.lowest, group.highest),
        span_said(group.loss, group.low, group.high),
    )


def _relation_said(result: SettingsAssessment, relation: Superiority) -> str:
    """Say a relation, and of which loss where there are several."""
    return f"{_of_loss(result, relation.loss)}{relation.said()}"


def _of_loss(result: SettingsAssessment, loss: str) -> str:
    return f"{loss}: " if len(result.losses) > 1 else ""


def _hierarchy_lines(result: SettingsAssessment, loss: str) -> list[str]:
    """Set the groups of one loss, names as long as the width allows."""
    level = level_name(result.level)
    heading = (f"{_of_loss(result, loss)}by difficulty", "", "estimate", level)
    rows = _hierarchy(result, loss, _WIDTH)
    widths = [max(len(row[i]) for row in (heading, *rows)) for i in (0, 2, 3)]
    room = _WIDTH - sum(widths) - 2 * len(heading)
    return table_lines(heading, _hierarchy(result, loss, room), left={0, 1})


def _hierarchy(
    result: SettingsAssessment, loss: str, room: int
) -> list[tuple[str, ...]]:
    """List models, under them groups, under these their settings."""
    rows: list[tuple[str, ...]] = []
    names = _names(result, _LONGEST_MODEL)
    labels = _labels(result, loss)
    labels = dict(
        zip(labels, short_names(list(labels.values()), room - 2), strict=True)
    )
    for model in result.models:
        label = names[model]
        for group in result.groups_of(model, loss):
            said = f"group {group.rank}: {_character(result, group)}"
            mean, of_each, of_mean = _group_cells(group)
            rows.append((label, one_line(said, room), "", of_each))
            if len(group.members) > 1:
                rows.append(("", "  mean", mean, of_mean))
            label = ""
            rows += [
                ("", f"  {labels[row.setting]}", *_cells(row))
                for row in _members(result, group)
            ]
    return rows


def _labels(result: SettingsAssessment, loss: str) -> dict[str, str]:
    """Name the settings of a loss by what is not the same in all of them."""
    found = {row.setting: _parts(row.setting, list(row.values)) for row in result.rows}
    own = [r.setting for r in result.rows if r.loss == loss]
    in_all, in_loss = _varied(list(found.values())), _varied([found[x] for x in own])
    # What is alone in its loss is named by how it differs from those of others.
    chosen = in_loss or [factor for factor in in_all if factor != "loss"]
    return {
        name: ", ".join(
            _value_named(result, factor, found[name][factor])
            for factor in chosen
            if factor in found[name]
        )
        or name
        for name in own
    }


def _varied(parts: Sequence[dict[str, str]]) -> list[str]:
    """Return the factors that are not the same in all settings."""
    seen: dict[str, set[str]] = {}
    for found in parts:
        for factor, said in found.items():
            seen.setdefault(factor, set()).add(said)
    return [factor for factor, values in seen.items() if len(values) > 1]


def _value_named(result: SettingsAssessment, factor: str, value: str) -> str:
    """Write a value with its factor, unless it says itself what it is."""
    said = _data_names(result).get(value, value) if factor == "data" else value
    return said if factor in _PLAIN else f"{factor} {said}"


def _data_names(result: SettingsAssessment) -> dict[str, str]:
    """Shorten the names of data sets by what all begin with."""
    values = (row.values.get("data") for row in result.rows)
    names = list(dict.fromkeys(str(x) for x in values if x is not None))
    return dict(zip(names, own_parts(names), strict=True))


def _parts(name: str, factors: Sequence[str]) -> dict[str, str]:
    """Take the name of a setting apart: what it says of every factor."""
    pattern = ", ".join(f"{re.escape(factor)} (.*)" for factor in factors)
    found = re.fullmatch(pattern, name, re.DOTALL)
    return dict(zip(factors, found.groups(), strict=True)) if found else {}


def _character(result: SettingsAssessment, group: DifficultyGroup) -> str:
    """Say what a group has that no other has, else how many settings are in it."""
    parts = []
    for factor, values in group.factors.items():
        # The factor is named once: "n 20 or 40".
        first, *rest = [_value_named(result, factor, value) for value in values]
        parts.append(
            " or ".join([first, *(x.removeprefix(f"{factor} ") for x in rest)])
        )
    n = len(group.members)
    counted = "1 setting" if n == 1 else f"{count(n)} settings"
    is_only = len(result.groups_of(group.model, group.loss)) == 1
    return "; ".join(parts) or (counted if is_only else f"mixed, {counted}")


def _members(
    result: SettingsAssessment, group: DifficultyGroup
) -> list[SettingEstimate]:
    return [
        row
        for row in result.rows
        if (row.model, row.loss) == (group.model, group.loss)
        and row.setting in group.members
    ]


def settings_drawing(result: SettingsAssessment, loss: str) -> Drawing:
    """Draw every setting of one loss, by model and difficulty.

    Parameters
    ----------
    result : SettingsAssessment
        The answer.
    loss : str
        The loss.

    Returns
    -------
    Drawing
        One row per setting under its group; the interval of the mean of a group is
        stressed.
    """
    groups = []
    names = _names(result, _LONGEST_ON_PAGE)
    labels = _labels(result, loss)
    for model in result.models:
        for found in result.groups_of(model, loss):
            pooled = Row(
                name="mean",
                dot=found.estimate,
                low=found.low,
                high=found.high,
                text=span_said(loss, found.low, found.high).removesuffix(" %"),
                strong=True,
            )
            members = _members(result, found)[:_MOST_ROWS]
            rows = (_row(member, labels[member.setting]) for member in members)
            heading = f"{names[model]}, group {found.rank}"
            groups.append(Group(heading=heading, rows=(pooled, *rows)))
    return groups_drawing(groups, loss, f"{loss} by setting", in_percent=is_share(loss))


def _row(row: SettingEstimate, name: str) -> Row:
    return Row(
        name=name,
        dot=row.estimate,
        low=row.low,
        high=row.high,
        text=value_said(row.loss, row.estimate).removesuffix(" %"),
    )


def _factor_drawing(result: SettingsAssessment, loss: str) -> Drawing:
    groups = []
    names, data = _names(result, _LONGEST_ON_PAGE), _data_names(result)
    for model in result.models:
        own = [v for v in result.views if (v.model, v.loss) == (model, loss)]
        for factor in dict.fromkeys(view.factor for view in own):
            rows = tuple(
                Row(
                    name=data.get(view.value, view.value),
                    dot=view.estimate,
                    low=view.low,
                    high=view.high,
                    text=value_said(loss, view.estimate).removesuffix(" %"),
                )
                for view in own
                if view.factor == factor
            )
            heading = f"{names[model]}: {one_line(factor, 30)}"
            groups.append(Group(heading=heading, rows=rows))
    return groups_drawing(groups, loss, f"{loss} by factor", in_percent=is_share(loss))


@main_drawing.register
def _(result: SettingsAssessment) -> Drawing:
    return settings_drawing(result, result.losses[0])


@report_sections.register
def _(result: SettingsAssessment) -> tuple[Section, ...]:
    sections = [_head(result)]
    lead = (
        "Settings of like difficulty stand together, the easiest first. Dots: "
        f"estimates; bars: {level_name(result.level)} intervals; blue: the mean of the "
        "group. One bound over all settings would be true and of little use."
    )
    for place, loss in enumerate(result.losses):
        said = (lead,) if place == 0 else ()
        figure = settings_drawing(result, loss)
        heading = _capital(f"{loss} by difficulty")
        sections.append(Section(heading=heading, lead=said, figure=figure))
        if any(view.loss == loss for view in result.views):
            said = (_held(result),) if place == 0 else ()
            figure = _factor_drawing(result, loss)
            heading = _capital(f"{loss}, one factor at a time")
            sections.append(Section(heading=heading, lead=said, figure=figure))
    sections += [_over_all(result), *_relations(result)]
    tables = (column_table("Every setting", result.to_columns()), _factor_table(result))
    sections.append(Section(heading="All numbers", tables=tables))
    sections.append(Section(heading="References", items=_REFERENCES))
    return tuple(sections)


def _head(result: SettingsAssessment) -> Section:
    level = level_name(result.level)
    names = _names(result, _LONGEST_ON_PAGE)
    groups = Table(
        caption="",
        columns=("", "mean", f"{level} interval of each", "of the mean"),
        rows=tuple(
            (
                f"{_of_loss(result, g.loss)}{names[g.model]}, group {g.rank}",
                *(dashed(cell) for cell in _group_cells(g)),
            )
            for g in result.groups
        ),
        notes=tuple(_character(result, g) for g in result.groups),
        words=1,
    )
    return Section(
        heading=dashed(
            ("Quick look: " if result.quick else "") + sentence(result.headline())
        ),
        lead=tuple(f"{_relation_said(result, r)}." for r in result.relations),
        tables=(groups,),
        warnings=result.warnings,
    )


def _over_all(result: SettingsAssessment) -> Section:
    names = _names(result, _LONGEST_ON_PAGE)
    rows = tuple(
        (
            f"{_of_loss(result, b.loss)}{names[b.model]}, {b.method}",
            *_dashed_cells(b),
        )
        for b in result.bounds
    )
    columns = ("", "estimate", f"{level_name(result.level)} interval")
    table = Table(caption="", columns=columns, rows=rows, words=1)
    items = dict.fromkeys(f"{b.method}: {b.assumption}." for b in result.bounds)
    chosen = (
        "Groups are chosen by looking at the estimates: intervals of their means hold "
        "somewhat less often than they say. For a single setting look at the lowest "
        "and highest end of its group."
    )
    return Section(heading="Over all settings", tables=(table,), items=(*items, chosen))


def _dashed_cells(row: SettingBound) -> tuple[str, str]:
    estimate, span = _cells(row)
    return estimate, dashed(span)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _held(result: SettingsAssessment) -> str:
    usual = result.options.get("usual") or {}
    if not usual:
        return "Each value of a factor, pooled over all values of the others."
    held = ", ".join(f"{name} {value}" for name, value in usual.items())
    return f"Each value of a factor, the others held at {held}."


def _relations(result: SettingsAssessment) -> list[Section]:
    if not result.relations:
        return []
    names = _names(result, _LONGEST_ON_PAGE)
    rows = tuple(
        (
            f"{_of_loss(result, r.loss)}{names[r.a]}",
            names[r.b],
            percent(r.won),
            percent(r.lost),
            percent(r.better),
            f"{r.p_sign:.3f}",
            r.relation or "none",
        )
        for r in result.relations
    )
    first = result.relations[0]
    lead = (
        f"In how many settings the first model beats the second, at a level of "
        f"{100 * first.alpha:g} % in each; a relation holds if it does in "
        f"{100 * first.share:g} % of them and loses in none. Better: the share of "
        "settings in which the estimate of the first is better, surely or not. The "
        "sign test counts data sets, whatever the size of a difference."
    )
    said = (lead, result.pairs_said) if result.pairs_said else (lead,)
    columns = ("", "against", "won", "lost", "better", "sign test", "relation")
    table = Table(caption="", columns=columns, rows=rows, words=2)
    return [Section(heading="Win and loss", lead=said, tables=(table,))]


def _factor_table(result: SettingsAssessment) -> Table:
    names = _names(result, _LONGEST_ON_PAGE)
    values = list(dict.fromkeys(v.value for v in result.views))
    said = short_by_name(values, _LONGEST_ON_PAGE)
    rows: Sequence[tuple[str, ...]] = [
        (
            f"{_of_loss(result, v.loss)}{names[v.model]}",
            v.factor,
            said[v.value],
            value_said(v.loss, v.estimate),
            span_said(v.loss, v.low, v.high),
            f"{v.spread:.3g}",
        )
        for v in result.views
    ]
    columns = ("", "factor", "value", "estimate", "interval", "spread of folds")
    return Table(
        caption="Every factor", columns=columns, rows=tuple(rows), words=3, folded=True
    )
