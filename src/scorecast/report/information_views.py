"""How apparent information is written and laid out on a page."""

from __future__ import annotations

import re

from scorecast.information import (
    ApparentInformation,
    GroupInformation,
    amount,
    amount_span,
    chance_of,
    chance_said,
    interval_end,
    without_zeros,
)
from scorecast.report.figures import Drawing
from scorecast.report.formats import (
    UNKNOWN,
    count,
    is_known,
    level_name,
    one_line,
    percent,
    percent_span,
)
from scorecast.report.information_facts import (
    LONGEST_NAME,
    against,
    chains_said,
    facts_of,
    influence_said,
    stake_said,
)
from scorecast.report.information_plots import (
    betting_drawing,
    components_drawing,
    cumulative_drawing,
    groups_drawing,
    posterior_drawing,
    reliability_drawing,
    spread_drawing,
)
from scorecast.report.names import short_by_name
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

__all__ = ["information_text", "posterior_lead", "worst_section"]

# An interval must not be broken in a heading.
_RANGE = re.compile(r"(?<=\d)-(?=\d)")
_DASH = "\N{WORD JOINER}\N{EN DASH}\N{WORD JOINER}"
_LONGEST_GROUP = 24
_MOST_NOTES = 5
_CURVES = {
    "mixture": "a mixture fitted to all of them",
    "pareto": "tails learned from the far ones alone",
    "normal": "the normal approximation",
    "t": "Student's t for their mean (a quick look, no posterior)",
}
_VIEWS = {
    "mixture": "mixture alone",
    "pareto": "Pareto tails alone",
    "t": "plain mean, t interval",
}
_REFERENCES = (
    "R. Sewell (2024). Assessment of the quality of a prediction.",
    "J. L. Kelly (1956). A new interpretation of information rate. Bell System "
    "Technical Journal 35, 917\N{EN DASH}926.",
    "J. Pickands (1975). Statistical inference using extreme order statistics. Annals "
    "of Statistics 3, 119\N{EN DASH}131.",
    "S. Richardson and P. J. Green (1997). On Bayesian analysis of mixtures with an "
    "unknown number of components. Journal of the Royal Statistical Society B 59.",
)


@render_text.register
def information_text(result: ApparentInformation, *, ascii_only: bool = False) -> str:
    """Write the answer as text: the sentence first, then what it rests on.

    Parameters
    ----------
    result : ApparentInformation
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*text_lines(result.summary()), ""]
    heading = (f"{result.units} per case", "", f"{level_name(result.level)} interval")
    if result.n_infinite:
        lines += [_label(result), ""]
    lines += [*table_lines(heading, _estimates(result, "-"), left={0}), ""]
    if result.groups:
        lines += [*table_lines(*_group_rows(result, "-"), left={0}), ""]
        lines += [*_group_notes(result)]
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    for label, text in facts_of(result):
        lines += entry_lines(label, text)
    return joined_lines(lines, ascii_only=ascii_only)


def _label(result: ApparentInformation) -> str:
    """Say of the figures that follow which cases they leave out."""
    said = without_zeros(result.n_infinite)
    return f"All {count(result.n)} cases: minus infinity. {_sentence(said)[:-1]}:"


def _estimates(result: ApparentInformation, dash: str) -> list[tuple[str, str, str]]:
    digits, found, usual = result.decimals, result.posterior, result.normal
    several = len(found.views) > 1
    name = "posterior, all views of the tails" if several else "posterior"
    if result.quick:
        name = "quick look, t and Pareto tails" if several else "quick look, t interval"
    lines = [(name, found.median, found.low, found.high)]
    if several:
        lines += [
            (_VIEWS[view.tails], view.median, view.low, view.high)
            for view in found.views
            if view.tails in _VIEWS
        ]
    if "t" not in {view.tails for view in found.views}:
        lines.append(("plain mean, normal interval", usual.mean, usual.low, usual.high))
    return [
        (name, amount(middle, digits), amount_span(low, high, digits, dash))
        for name, middle, low, high in lines
    ]


def _group_notes(result: ApparentInformation) -> list[str]:
    """Say of each group what its numbers do not show."""
    noted = [g for g in result.groups if g.note]
    lines: list[str] = []
    for g in noted[:_MOST_NOTES]:
        lines += entry_lines("Group", f"{one_line(g.name, _LONGEST_GROUP)}: {g.note}")
    if len(noted) > _MOST_NOTES:
        more = len(noted) - _MOST_NOTES
        lines += entry_lines("Group", f"notes on {count(more)} more: --json, --report")
    return lines


def _group_rows(
    result: ApparentInformation, dash: str
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    digits = result.decimals
    level = f"{level_name(result.level)} interval"
    heading = ("group", "cases", "mean", "median", level, "P(J > 0)")
    rows: list[tuple[str, ...]] = []
    names = short_by_name([g.name for g in result.groups], _LONGEST_GROUP)
    for g in result.groups:
        found = g.posterior
        numbers = (UNKNOWN, UNKNOWN, UNKNOWN)
        if found is not None:
            numbers = (
                amount(found.median, digits),
                amount_span(found.low, found.high, digits, dash),
                chance_said(found.probability_positive),
            )
        rows.append(
            (
                names[g.name],
                count(g.n),
                amount(g.mean, digits),
                *numbers,
            )
        )
    return heading, rows


@main_drawing.register
def _(result: ApparentInformation) -> Drawing:
    return posterior_drawing(result)


@report_sections.register
def _(result: ApparentInformation) -> tuple[Section, ...]:
    return (
        _head(result),
        _posterior(result),
        _cumulative(result),
        _spread(result),
        worst_section(result),
        *_groups(result),
        _betting(result),
        *_reliability(result),
        _chains(result),
        Section(
            heading="What this assumes",
            items=tuple(map(_sentence, result.assumptions)),
            lead=(
                f"{against(result)}: {result.prior}. Nothing in the cases shows "
                "whether these hold; a forecast that has seen its outcome looks "
                "splendid.",
            ),
        ),
        Section(heading="References", items=_REFERENCES),
    )


def _head(result: ApparentInformation) -> Section:
    table = Table(
        caption=_label(result) if result.n_infinite else "",
        columns=(
            "",
            f"{result.units} per case",
            f"{level_name(result.level)} interval",
        ),
        rows=tuple(_estimates(result, _DASH)),
        words=1,
    )
    kept = {"Cases", "P(J > 0)", against(result), "Chains"}
    facts = tuple(fact for fact in facts_of(result) if fact[0] in kept)
    return Section(
        heading=_RANGE.sub(_DASH, result.summary()),
        tables=(table,),
        warnings=result.warnings,
        facts=facts,
    )


def posterior_lead(result: ApparentInformation) -> str:
    """Say what the curves and bars of the posterior of J are.

    Parameters
    ----------
    result : ApparentInformation
        The answer.

    Returns
    -------
    str
        Sentences for `posterior_drawing`.
    """
    lead = (
        "The curve says how plausible each amount of information is, given these "
        f"cases and {_CURVES[result.posterior.centre]}"
    )
    found = result.posterior
    beside = [
        _CURVES[v.tails]
        for v in found.views
        if v.tails not in (found.centre, "normal", "t")
    ]
    if beside:
        dashed = "the dashed one" if len(beside) == 1 else "the dashed ones"
        lead += f"; {dashed}, given {' or '.join(beside)}"
    if len(found.views) > 1:
        lead += (
            ". The first bar is the interval reported, the smallest that holds those "
            "of the curves and the usual one from mean and standard error, the second"
        )
    lead += f" ({level_name(result.level)})."
    if result.n_infinite:
        said = _sentence(without_zeros(result.n_infinite))
        lead += f" {said[:-1]}: the mean of all is minus infinity."
    return lead


def _posterior(result: ApparentInformation) -> Section:
    levels = result.posterior.levels
    rows = tuple(
        (f"{100 * p:g} %", interval_end(float(v), result.decimals + 1))
        for p, v in zip(levels, result.posterior.quantiles, strict=True)
    )
    table = Table(
        caption="Quantiles, of all views the one farther out",
        columns=("below", result.units),
        rows=rows,
        words=1,
        folded=True,
    )
    return Section(
        heading="How much, and how sure",
        lead=(posterior_lead(result),),
        figure=posterior_drawing(result),
        tables=(table, _view_table(result)),
    )


def _view_table(result: ApparentInformation) -> Table:
    """Tabulate mean and spread of every view, which no single one can stand for."""
    digits = result.decimals + 1
    rows = tuple(
        (view.tails, *(amount(v, digits) for v in (view.mean, view.median, view.sd)))
        for view in result.posterior.views
    )
    return Table(
        caption=f"Mean and standard deviation (sd) of every view, in {result.units}",
        columns=("tails", "mean", "median", "sd"),
        rows=rows,
        words=1,
        folded=True,
    )


def _cumulative(result: ApparentInformation) -> Section:
    lead = (
        "Read off the probability that the information is below any amount you name; "
    )
    chance, several = chance_of(result.posterior), len(result.posterior.views) > 1
    if chance != chance_said(result.posterior.probability_positive):
        lead += f"whether it lies above zero {chance}."
    else:
        lead += f"above zero it lies with probability {chance}"
        lead += ", in the view that is least sure of it." if several else "."
    return Section(
        heading="Below any amount",
        lead=(lead,),
        figure=cumulative_drawing(result),
    )


def _spread(result: ApparentInformation) -> Section:
    lead = (
        "Each case counts with j, the logarithm of what the forecast gave to what "
        f"happened over what {result.reference} gave. Grey: the cases. "
        + ("" if result.quick else "Blue: where one more case is expected to fall. ")
        + "A long tail to the left is what confident mistakes cost."
    )
    return Section(heading="Case by case", lead=(lead,), figure=spread_drawing(result))


def worst_section(result: ApparentInformation) -> Section:
    """Lay out the cases that cost most."""
    rows = tuple(
        (
            one_line(w.id, LONGEST_NAME),
            amount(w.j, 3),
            amount(w.cost, 5) if is_known(w.cost) else "everything",
            percent(w.share),
        )
        for w in result.worst
    )
    lead = [] if result.influence is None else [_sentence(influence_said(result))]
    if not rows:
        lead.append(f"No case was given less than {result.reference} gave it.")
    columns = ("case", f"j, {result.units}", "off the mean", "of all losses")
    tables = (Table(caption="Worst cases", columns=columns, rows=rows, words=1),)
    return Section(
        heading="The cases that cost most",
        lead=tuple(lead),
        tables=tables if rows else (),
    )


def _groups(result: ApparentInformation) -> tuple[Section, ...]:
    if not result.groups:
        return ()
    heading, rows = _group_rows(result, _DASH)
    # Six columns do not fit a telephone: three of them go below, as words.
    table = Table(
        caption="Groups",
        columns=(heading[0], *heading[3:5]),
        rows=tuple((row[0], *row[3:5]) for row in rows),
        notes=tuple(map(_group_said, result.groups, rows)),
        words=1,
    )
    lead = (
        "Each group by itself. The plain means, weighted by the numbers of cases, add "
        "up to the mean of all."
    )
    return (
        Section(
            heading="By group",
            lead=(lead,),
            figure=groups_drawing(result),
            tables=(table,),
        ),
    )


def _group_said(group: GroupInformation, row: tuple[str, ...]) -> str:
    _, cases, mean, _, _, chance = row
    said = f"{cases} case{'' if group.n == 1 else 's'}, plain mean {mean}"
    if group.posterior is not None:
        said += f", P(J > 0): {chance}"
    return "; ".join(filter(None, (said, group.note)))


def _betting(result: ApparentInformation) -> Section:
    lead = (
        "Whoever spreads a stake over what may happen as the forecast says, at odds "
        f"that are fair under {result.reference}, wins or loses the ratio of the two "
        "chances each time: "
        f"{stake_said(result)}. In the order in which the cases were given."
    )
    return Section(
        heading="A stake laid on the forecasts",
        lead=(lead,),
        figure=betting_drawing(result),
    )


def _reliability(result: ApparentInformation) -> tuple[Section, ...]:
    trust = result.reliability
    if trust is None:
        return ()
    rows = tuple(
        (count(b.n), percent(b.predicted, 1), percent(b.observed, 1),
         percent_span(b.low, b.high, 1, _DASH))
        for b in trust.bins
    )  # fmt: skip
    columns = ("events", "stated", "happened", f"{level_name(result.level)} interval")
    lead = (
        f"Of events ({one_line(trust.what)}) that were given about the same chance, "
        "how many happened? On the line, chances mean what they say. Reliable "
        "forecasts may still know little: the prior itself lies on the line."
    )
    return (
        Section(
            heading="Do the chances mean what they say?",
            lead=(lead,),
            figure=reliability_drawing(trust, result.level),
            tables=(Table(caption="Bins", columns=columns, rows=rows, folded=True),),
        ),
    )


def _chains(result: ApparentInformation) -> Section:
    checks, parts = result.diagnostics, result.components
    names = {
        "rhat": "R-hat of J",
        "ess_bulk": "effective draws, middle",
        "ess_tail": "effective draws, tails",
        "mcse": f"simulation error of J, {result.units}",
    }
    facts = tuple(
        (name, f"{float(checks[key]):.4g}")
        for key, name in names.items()
        if is_known(checks.get(key))
    )
    heading = "The simulation" if result.converged else "The simulation FAILED"
    lead = f"Chains {chains_said(result)}."
    if parts is None:
        if result.quick:
            return Section(heading="No simulation", lead=(lead,))
        return Section(heading=heading, lead=(lead,), facts=facts)
    share = ", ".join(
        f"{k}: {percent(float(s))}"
        for k, s in zip(parts.numbers, parts.shares, strict=True)
        if s >= 0.01
    )
    lead += (
        f" Number of components of the mixture, share of draws: {share}. Below, its "
        "course along each chain."
    )
    return Section(
        heading=heading,
        lead=(lead,),
        figure=components_drawing(parts.traces.tolist()),
        facts=facts,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
