"""How apparent information is laid out: the amount, how sure it is, case by case."""

from __future__ import annotations

from scorecast.information import (
    TAIL_VIEWS,
    ApparentInformation,
    GroupInformation,
    GroupStatus,
    InfluenceMethod,
    InformationPosterior,
    PopulationInformation,
    PriorOfJ,
    PriorSource,
    Verdict,
    note_text,
    without_impossible,
)
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.information_figures import (
    IN_USE,
    betting_drawing,
    cumulative_drawing,
    events,
    groups_drawing,
    posterior_drawing,
    prior_drawing,
    reference,
    reliability_drawing,
    spread_drawing,
)
from scorecast.report.names import short_by_name

_DASH = "\N{EN DASH}"
_LONGEST_NAME = 40
_LONGEST_GROUP = 24
_MOST_WORST = 3
_MOST_GROUP_NOTES = 5
_CURVES = {
    "mixture": "a mixture fitted to all of them",
    "pareto": "tails learned from the far ones alone",
    "normal": "the normal approximation",
    "t": "Student's t for their mean (a quick look, no posterior)",
}
_PRIORS = {
    PriorSource.GIVEN: "as given",
    PriorSource.STATED: "the stated class prior",
    PriorSource.TRAINING: "class frequencies of the training cases",
    PriorSource.LEAVE_ONE_OUT: "class frequencies of the other cases",
    PriorSource.FITTED_DENSITY: "a density fitted to the training values",
}
_OF_ALL_CASES = (
    PriorSource.STATED,
    PriorSource.TRAINING,
    PriorSource.LEAVE_ONE_OUT,
)
_VERDICTS = {
    Verdict.SURELY_BETTER: "surely better than {0}",
    Verdict.VERY_PROBABLY_BETTER: "very probably better than {0}",
    Verdict.PROBABLY_BETTER: "probably better than {0}",
    Verdict.PERHAPS_BETTER: "perhaps better than {0} (but see the plain mean)",
    Verdict.UNDECIDED: "not told apart from {0} by these cases",
    Verdict.PERHAPS_WORSE: "perhaps worse than {0} (but see the plain mean)",
    Verdict.PROBABLY_WORSE: "probably worse than {0}",
    Verdict.VERY_PROBABLY_WORSE: "very probably worse than {0}",
    Verdict.SURELY_WORSE: "surely worse than {0}",
    Verdict.SINGLE: "one case says next to nothing",
    Verdict.FLAT: "all cases agree, so nothing shows how others would spread",
}
_GROUPS = {
    GroupStatus.OK: "",
    GroupStatus.TOO_MANY_GROUPS: "too many groups",
    GroupStatus.NOT_CONVERGED: "not converged: withheld",
    GroupStatus.ALL_IMPOSSIBLE: "no case was given a chance",
}
_NOT_LEFT_OUT = {
    InfluenceMethod.TOO_MANY_CASES: "weights too uneven, too many cases to run again",
    InfluenceMethod.NOT_CONVERGED: "a run without the case did not converge",
}
_REFERENCES = (
    TAIL_VIEWS["mixture"].reference,
    "J. L. Kelly (1956). A new interpretation of information rate. Bell System "
    "Technical Journal 35, 917\N{EN DASH}926.",
    TAIL_VIEWS["pareto"].reference,
    "S. Richardson and P. J. Green (1997). On Bayesian analysis of mixtures with an "
    "unknown number of components. Journal of the Royal Statistical Society B 59.",
)


def information_document(result: ApparentInformation) -> Document:
    """Lay out apparent information."""
    said = headline(result)
    return Document(
        headline=said,
        notes=tuple(note_text(note, result.units) for note in result.notes),
        sections=(
            Section(tables=(_estimates(result),), is_terminal=True),
            _posterior_section(result, said),
            _cumulative_section(result),
            _spread_section(result),
            *_prior_sections(result),
            worst_section(result),
            *_group_sections(result),
            _betting_section(result),
            *_reliability_sections(result),
            _chains_section(result),
            Section(
                heading="What this assumes",
                items=tuple(map(formats.sentence, _assumptions(result))),
                lead=(
                    f"{_against(result)}: {_prior(result)}. Nothing in the cases shows "
                    "whether these hold; a forecast that has seen its outcome looks "
                    "splendid.",
                ),
            ),
        ),
        facts=_facts(result),
        references=_REFERENCES,
    )


# The answer in words -----------------------------------------------------------------


def decimals(result: ApparentInformation) -> int:
    """Return the digits after the point that the interval deserves."""
    return formats.decimals_for(result.posterior.high - result.posterior.low)


def headline(result: ApparentInformation) -> str:
    """Say the answer in a sentence or two, with what spoils it at the end."""
    said = sentence(result)
    if result.is_quick:
        said = f"Quick look: {said}"
    if not result.is_converged:
        said += " The simulation did not converge: do not rely on this."
    return said


def sentence(result: ApparentInformation) -> str:
    """Say amount, interval and verdict; a forecast of zero that came true first."""
    found, digits = result.posterior, decimals(result)
    level = formats.level(result.confidence_level)
    said = (
        f"{formats.fixed(found.median, digits)} {result.units} per case beyond "
        f"{reference(result)} ({level}: "
        f"{formats.fixed_span(found.low, found.high, digits, _DASH)})"
    )
    if result.n_impossible:
        others = without_impossible(result.n_impossible)
        return (
            f"In {formats.count(result.n_impossible)} of {formats.count(result.n)} "
            "cases the forecast gave probability 0 to what happened, so the "
            f"information is minus infinity. {others[0].upper()}{others[1:]} it would "
            f"be {said}."
        )
    carry = "The forecasts carry"
    if result.is_relative:
        named = result.names and f"Forecast '{result.names[0]}'"
        carry = f"{named or 'The first forecast'} carries"
    return f"{carry} {said}; {verdict_text(result.verdict, reference(result))}."


def verdict_text(verdict: Verdict, against: str) -> str:
    """Say a verdict in half a sentence."""
    return _VERDICTS[verdict].format(against)


def chance_text(posterior: InformationPosterior) -> str:
    """Write the probability that J is positive, or that it cannot be told."""
    if not posterior.views_disagree:
        return formats.chance(posterior.probability_positive)
    chances = [view.probability_positive for view in posterior.views]
    low, high = (formats.chance(share, 0) for share in (min(chances), max(chances)))
    return f"cannot be told: the views of the tails disagree ({low} to {high})"


def worst_text(result: ApparentInformation) -> str:
    """Name the cases that cost most, with their share of all losses."""
    return ", ".join(
        f"{formats.one_line(w.id, _LONGEST_NAME)} ({formats.fixed(w.j, 2)} "
        f"{result.units}, {formats.percent(w.share)} of all losses)"
        for w in result.worst[:_MOST_WORST]
    )


def _against(result: ApparentInformation) -> str:
    return "Against" if result.is_relative else "Prior"


def _prior(result: ApparentInformation) -> str:
    if not result.is_relative:
        own = _PRIORS[result.prior_source]
        if result.groups and result.prior_source in _OF_ALL_CASES:
            own += (
                "; one for all groups, so that a group of which the outcomes are "
                "unlike the rest gains by that alone"
            )
        return own
    return "the second forecast" if result.names is None else reference(result)


def _assumptions(result: ApparentInformation) -> tuple[str, ...]:
    return (
        "the cases are independent of one another, and new ones will be like them",
        "every forecast was made without knowing what then happened",
        f"forecasts and {reference(result)} are probabilities (or densities) of the "
        "same thing",
    )


# Facts -------------------------------------------------------------------------------


def _facts(result: ApparentInformation) -> tuple[tuple[str, str], ...]:
    chance = chance_text(result.posterior)
    if result.n_impossible:
        chance = f"{without_impossible(result.n_impossible)}: {chance}"
    groups = [("Group", note) for note in _group_notes(result)[:_MOST_GROUP_NOTES]]
    return (
        *groups,
        *([("In use", in_use)] if (in_use := _use_text(result)) else []),
        ("Cases", _cases_text(result)),
        ("P(J > 0)", f"{chance}; how sure it is that J, the mean per case, is a gain"),
        ("Stake", _stake_text(result)),
        ("Worst", worst_text(result)),
        ("One case", _influence_text(result)),
        (_against(result), _prior(result)),
        *([("Prior of J", width)] if (width := _prior_text(result)) else []),
        ("Chains", _chains_text(result)),
        ("Assumes", "; ".join(_assumptions(result)[:2])),
    )


def _use_text(result: ApparentInformation) -> str:
    """Say what forecasts are worth in the population of use."""
    use, digits = result.population, decimals(result)
    if use is None:
        return ""
    if use.posterior is None:
        without = ", ".join(
            formats.one_line(name, _LONGEST_GROUP)
            for name in use.lacking[:_MOST_GROUP_NOTES]
        )
        said = "minus infinity" if use.mean == float("-inf") else "no posterior"
        return f"{said}: none of {without}"
    found = use.posterior
    span = formats.fixed_span(found.low, found.high, digits, _DASH)
    said = (
        f"{formats.fixed(found.median, digits)} {result.units} per case "
        f"({formats.level(result.confidence_level)}: {span}) where groups are as "
        f"frequent as was said; above zero {chance_text(found)}"
    )
    if use.mean == float("-inf"):
        others = without_impossible(result.n_impossible)
        return f"minus infinity; {others}, {said}"
    return said


def _cases_text(result: ApparentInformation) -> str:
    n_possible = result.n - result.n_impossible
    parts = [formats.count(result.n)]
    if result.n_impossible:
        n = formats.count(result.n_impossible)
        parts.append(f"{n} without any chance (minus infinity)")
    if result.n_censored:
        parts.append(f"{formats.count(result.n_censored)} censored")
    if result.floor is not None:
        n = formats.count(result.n_floored)
        parts.append(f"floor {result.floor:g}, {n} raised to it")
    if result.n_posterior < n_possible:
        parts.append(f"posterior from {formats.count(result.n_posterior)} of them")
    return "; ".join(parts)


def _stake_text(result: ApparentInformation) -> str:
    """Say what became of a stake."""
    bets = result.betting
    if bets.ruined_at is not None:
        return f"lost whole in case {formats.count(bets.ruined_at)}"
    unit = "doublings" if result.units == "bits" else "powers of e"
    grown = formats.fixed(float(bets.log_wealth[-1]), 1)
    cases = formats.counted(result.n, "cases")
    return f"times {bets.factor:.4g} per case; {grown} {unit} after {cases}"


def _influence_text(result: ApparentInformation) -> str:
    """Say what leaving out the most influential case would change."""
    without, digits = result.influence, decimals(result)
    if without is None:
        return ""
    name = formats.one_line(without.id, _LONGEST_NAME)
    shift = without.mean_without - result.normal.mean
    # With digits enough, or it would not seem to move.
    seen = max(digits, formats.decimals_for(10 * abs(shift)))
    means = (result.normal.mean, without.mean_without)
    old, new = (formats.fixed(x, seen) for x in means)
    said = f"without {name} the mean moves from {old} to {new}"
    if result.n_impossible:
        said = f"of the others, {said}"
    if result.n_posterior < result.n - result.n_impossible:
        # A case that was not simulated may have more influence still.
        said = f"of those simulated the most influential: {said}"
    if not formats.is_known(without.posterior_median_without):
        why = _NOT_LEFT_OUT.get(without.method)
        return f"{said}; posterior: {why}" if why else said
    # The case was left out of the mixture, whichever view gives the centre.
    mixture = result.posterior.views[0].median
    moved = without.posterior_median_without - mixture
    digits = max(digits, formats.decimals_for(10 * abs(without.median_error)))
    old, new = (formats.fixed(x, digits) for x in (mixture, mixture + moved))
    said += f", the mixture's median from {old} to {new}"
    if not formats.is_known(without.median_error):
        return said
    error = formats.fixed(without.median_error, digits)
    if abs(moved) < 2 * without.median_error:
        return f"{said}, no more than chance in the simulation (error {error})"
    return f"{said} (error by simulation {error})"


def _chains_text(result: ApparentInformation) -> str:
    """Say whether the chains agree, and on what."""
    checks = result.diagnostics
    if checks is None:
        if result.is_quick:
            return "none: a quick look, an interval without a posterior"
        return "none: no mixture was fitted, as there are so many cases"
    state = "agree" if result.is_converged else "DO NOT AGREE"
    return f"{state} on J: R-hat {checks.rhat:.3f}, {checks.ess:,.0f} effective draws"


# Sections ----------------------------------------------------------------------------


def _estimates(result: ApparentInformation) -> Table:
    """Tabulate the amount in every view, the reported one first."""
    digits, found, usual = decimals(result), result.posterior, result.normal
    is_several = len(found.views) > 1
    name = "posterior, all views of the tails" if is_several else "posterior"
    if result.is_quick:
        by = "t and Pareto tails" if is_several else "t interval"
        name = f"quick look, {by}"
    rows = [(name, found.low, found.median, found.high)]
    if is_several:
        rows += [
            (TAIL_VIEWS[view.tails].title, view.low, view.median, view.high)
            for view in found.views
            if view.tails != "normal"
        ]
    if found.view("t") is None:
        title = TAIL_VIEWS["normal"].title
        rows.append((title, usual.low, usual.mean, usual.high))
    of = without_impossible(result.n_impossible) if result.n_impossible else ""
    return Table(
        columns=(
            "of the other cases" if of else "",
            f"{result.units} per case",
            f"{formats.level(result.confidence_level)} interval",
        ),
        rows=tuple(
            (
                name,
                formats.fixed(middle, digits),
                formats.fixed_span(low, high, digits, _DASH),
            )
            for name, low, middle, high in rows
        ),
        bars=tuple((low, middle, high) for _, low, middle, high in rows),
        mark=0.0,
        caption=f"All {formats.count(result.n)} cases: minus infinity. "
        f"{formats.sentence(of)[:-1]}:"
        if of
        else "",
    )


def posterior_lead(result: ApparentInformation) -> tuple[str, ...]:
    """Say what the curves and bars of the posterior of J are."""
    found = result.posterior
    lead = (
        "The curve says how plausible each amount of information is, given these cases "
        f"and {_CURVES[found.centre]}"
    )
    beside = [
        _CURVES[view.tails]
        for view in found.views
        if view.tails not in (found.centre, "normal", "t")
    ]
    if beside:
        dashed = "the dashed one" if len(beside) == 1 else "the dashed ones"
        lead += f"; {dashed}, given {' or '.join(beside)}"
    if len(found.views) > 1:
        lead += (
            ". The first bar is the interval reported, the smallest that holds those "
            "of the curves and the usual one from mean and standard error, the second"
        )
    lead += f" ({formats.level(result.confidence_level)})."
    if not result.n_impossible:
        return (lead,)
    others = formats.sentence(without_impossible(result.n_impossible))[:-1]
    return lead, f"{others}: the mean of all is minus infinity."


def _posterior_section(result: ApparentInformation, said: str) -> Section:
    found, digits = result.posterior, decimals(result) + 1
    quantiles = Table(
        caption="Quantiles, of all views the one farther out",
        columns=("below", result.units),
        rows=tuple(
            (f"{100 * level:g} %", formats.fixed_end(float(value), digits))
            for level, value in zip(found.levels, found.quantiles, strict=True)
        ),
        is_folded=True,
    )
    # Mean and spread of every view, which no single one can stand for.
    views = Table(
        caption=f"Mean and standard deviation (sd) of every view, in {result.units}",
        columns=("tails", "mean", "median", "sd"),
        rows=tuple(
            (
                view.tails,
                *(formats.fixed(v, digits) for v in (view.mean, view.median, view.sd)),
            )
            for view in found.views
        ),
        is_folded=True,
    )
    return Section(
        heading="How much, and how sure",
        lead=posterior_lead(result),
        figure=posterior_drawing(result, said),
        tables=(quantiles, views),
    )


def _cumulative_section(result: ApparentInformation) -> Section:
    found = result.posterior
    lead = (
        "Read off the probability that the information is below any amount you name; "
    )
    chance = chance_text(found)
    if found.views_disagree:
        lead += f"whether it lies above zero {chance}."
    else:
        lead += f"above zero it lies with probability {chance}"
        several = ", in the view that is least sure of it."
        lead += several if len(found.views) > 1 else "."
    return Section(
        heading="Below any amount", lead=(lead,), figure=cumulative_drawing(result)
    )


def spread_lead(result: ApparentInformation) -> str:
    """Say what the figure of single cases shows."""
    lead = "Grey: the cases."
    if len(result.spread.x):
        lead += " Blue: where one more case is expected to fall."
    if len(result.spread.x) and len(result.spread.draws):
        n = formats.count(len(result.spread.draws))
        lead += (
            f" Thin: {n} single distributions that these cases leave open, drawn from "
            "the posterior."
        )
    return lead


def _spread_section(result: ApparentInformation) -> Section:
    lead = (
        "Each case counts with j, the logarithm of what the forecast gave to what "
        f"happened over what {reference(result)} gave. {spread_lead(result)} A long "
        "tail to the left is what confident mistakes cost."
    )
    return Section(heading="Case by case", lead=(lead,), figure=spread_drawing(result))


def _prior_sections(result: ApparentInformation) -> tuple[Section, ...]:
    """Lay out what J may be before any case."""
    prior = result.prior
    if prior is None:
        return ()
    level = formats.level(result.confidence_level)
    span = formats.fixed_span(prior.low, prior.high, 1, _DASH)
    lead = [
        f"Grey: what J may be before any case, {_width_text(prior)} ({level}: {span} "
        f"{result.units}). Ticks: {formats.count(len(prior.draws))} "
        "draws of it, for the eye. Blue: the posterior, each on its own height. A "
        "posterior at the edge of the grey is pulled back by it."
    ]
    tables = []
    if prior.candidates:
        best = prior.candidates[0]
        lead.append(formats.sentence(_evidence_text(prior)))
        tables.append(
            Table(
                caption="How well each width foretold these cases",
                columns=("times as wide", "log evidence, nats", "error", "behind"),
                rows=tuple(
                    (
                        f"{one.scale:g}",
                        f"{one.log_evidence:.1f}",
                        f"{one.stderr:.1f}",
                        f"{best.log_evidence - one.log_evidence:.1f}",
                    )
                    for one in prior.candidates
                ),
                notes=tuple(
                    "" if one.is_settled else "chains disagree"
                    for one in prior.candidates
                ),
            )
        )
    return (
        Section(
            heading="Before any case",
            lead=tuple(lead),
            figure=prior_drawing(result, prior),
            tables=tuple(tables),
        ),
    )


def _width_text(prior: PriorOfJ) -> str:
    if prior.scale is None:
        return "as was given"
    if prior.scale == 1:
        return "as wide as in the paper"
    return f"{prior.scale:g} times as wide as in the paper"


def _evidence_text(prior: PriorOfJ) -> str:
    """Say what evidence says of the width of the prior."""
    lead = prior.lead
    if lead is None:
        return ""
    best, ahead, error = lead
    rough = "" if all(x.is_settled for x in prior.candidates) else "; chains disagree"
    by = f"{formats.signed_number(round(ahead, 1))} nats, error {error:.1f}{rough}"
    if prior.scale == best.scale:
        return f"chosen by evidence, ahead of the paper's ({by})"
    return (
        f"left by evidence: {best.scale:g} times as wide is not ahead by more than "
        f"two errors ({by})"
    )


def _prior_text(result: ApparentInformation) -> str:
    """Say how wide the prior of J is, where it is not the usual one."""
    prior = result.prior
    if prior is None or (prior.scale == 1 and not prior.candidates):
        return ""
    level = formats.level(result.confidence_level)
    span = formats.fixed_span(prior.low, prior.high, 1, _DASH)
    said = f"{_width_text(prior)} ({level}: {span} {result.units})"
    return f"{said}; {_evidence_text(prior)}" if prior.candidates else said


def worst_section(result: ApparentInformation) -> Section:
    """Lay out the cases that cost most."""
    rows = tuple(
        (
            formats.one_line(w.id, _LONGEST_NAME),
            formats.fixed(w.j, 3),
            formats.fixed(w.cost, 5) if formats.is_known(w.cost) else "everything",
            formats.percent(w.share),
        )
        for w in result.worst
    )
    influence = _influence_text(result)
    lead = [formats.sentence(influence)] if influence else []
    if not rows:
        lead.append(f"No case was given less than {reference(result)} gave it.")
    columns = ("case", f"j, {result.units}", "off the mean", "of all losses")
    tables = (Table(caption="Worst cases", columns=columns, rows=rows),)
    return Section(
        heading="The cases that cost most",
        lead=tuple(lead),
        tables=tables if rows else (),
    )


def _group_sections(result: ApparentInformation) -> tuple[Section, ...]:
    if not result.groups:
        return ()
    digits, level = decimals(result), formats.level(result.confidence_level)
    names = short_by_name([g.name for g in result.groups], _LONGEST_GROUP)
    found = [group.posterior for group in result.groups]
    use = result.population
    rows = tuple(_group_row(g, names[g.name], digits, use) for g in result.groups)
    if use is not None:
        found.append(use.posterior)
        rows = (*rows, _use_row(result, use, digits))
    table = Table(
        caption="Groups",
        columns=(
            "group",
            "cases",
            *([] if use is None else ["weight"]),
            "mean",
            "median",
            f"{level} interval",
            "P(J > 0)",
        ),
        rows=rows,
        # Beside a mean of minus infinity there is no room for them.
        bars=()
        if result.n_impossible
        else tuple(None if x is None else (x.low, x.median, x.high) for x in found),
        mark=0.0,
        is_stacked=True,
    )
    lead = (
        "Each group by itself. The plain means, weighted by the numbers of cases, add "
        "up to the mean of all."
    )
    if use is not None:
        lead += (
            f" The row '{IN_USE}' is the sum by the weights that were given: what "
            "forecasts are worth where groups are as frequent as that. Every draw of "
            "the posterior of a group is added to draws of the others, which are "
            "independent of it."
        )
    section = Section(
        heading="By group",
        lead=(lead,),
        figure=groups_drawing(result),
        tables=(table,),
        items=tuple(map(formats.sentence, _group_notes(result))),
        is_terminal=True,
    )
    return (section,)


def _group_row(
    group: GroupInformation,
    name: str,
    digits: int,
    use: PopulationInformation | None,
) -> tuple[str, ...]:
    weight = [] if use is None else [formats.percent(use.weights[group.name], 1)]
    plain = (name, formats.count(group.n), *weight, formats.fixed(group.mean, digits))
    return (*plain, *_posterior_cells(group.posterior, digits))


def _use_row(
    result: ApparentInformation, use: PopulationInformation, digits: int
) -> tuple[str, ...]:
    cells = _posterior_cells(use.posterior, digits)
    mean = formats.fixed(use.mean, digits)
    return (IN_USE, formats.count(result.n), formats.percent(1.0), mean, *cells)


def _posterior_cells(
    found: InformationPosterior | None, digits: int
) -> tuple[str, str, str]:
    if found is None:
        return (formats.UNKNOWN, formats.UNKNOWN, formats.UNKNOWN)
    return (
        formats.fixed(found.median, digits),
        formats.fixed_span(found.low, found.high, digits, _DASH),
        formats.chance(found.probability_positive),
    )


def _group_notes(result: ApparentInformation) -> list[str]:
    """Say of each group what its numbers do not show."""
    return [
        f"{formats.one_line(group.name, _LONGEST_GROUP)}: {note}"
        for group in result.groups
        if (note := _group_note(group))
    ]


def _group_note(group: GroupInformation) -> str:
    if group.status is GroupStatus.ALL_IMPOSSIBLE:
        return _GROUPS[group.status]
    parts = []
    if group.n_impossible:
        parts.append(f"interval {without_impossible(group.n_impossible)}")
    if group.is_flat and group.posterior is not None:
        is_single = group.n - group.n_impossible == 1
        flat = "all cases have the same j: the posterior is that of a single case"
        parts.append(_VERDICTS[Verdict.SINGLE] if is_single else flat)
    parts.append(_GROUPS[group.status])
    if group.posterior is not None and not group.is_converged:
        parts.append("the chains do not agree: do not rely on it")
    return "; ".join(filter(None, parts))


def _betting_section(result: ApparentInformation) -> Section:
    lead = (
        "Whoever spreads a stake over what may happen as the forecast says, at odds "
        f"that are fair under {reference(result)}, wins or loses the ratio of the two "
        f"chances each time: {_stake_text(result)}. In the order in which the cases "
        "were given."
    )
    return Section(
        heading="A stake laid on the forecasts",
        lead=(lead,),
        figure=betting_drawing(result),
    )


def _reliability_sections(result: ApparentInformation) -> tuple[Section, ...]:
    found = result.reliability
    if found is None:
        return ()
    level = formats.level(result.confidence_level)
    bins = Table(
        caption="Bins",
        columns=("events", "stated", "happened", f"{level} interval"),
        rows=tuple(
            (
                formats.count(b.n),
                formats.percent(b.predicted, 1),
                formats.percent(b.observed, 1),
                formats.percent_span(b.low, b.high, 1, _DASH),
            )
            for b in found.bins
        ),
        n_words=0,
        is_folded=True,
    )
    lead = (
        f"Of events ({events(found)}) that were given about the same chance, how many "
        "happened? On the line, chances mean what they say. Reliable forecasts may "
        "still know little: the prior itself lies on the line."
    )
    section = Section(
        heading="Do the chances mean what they say?",
        lead=(lead,),
        figure=reliability_drawing(found, result.confidence_level),
        tables=(bins,),
    )
    return (section,)


def _chains_section(result: ApparentInformation) -> Section:
    lead = (f"Chains {_chains_text(result)}.",)
    checks = result.diagnostics
    if checks is None:
        return Section(heading="No simulation", lead=lead)
    figures = {
        "R-hat of J": checks.rhat,
        "effective draws, middle": checks.ess_bulk,
        "effective draws, tails": checks.ess_tail,
        f"simulation error of J, {result.units}": checks.mcse,
    }
    rows = tuple(
        (name, f"{value:.4g}")
        for name, value in figures.items()
        if formats.is_known(value)
    )
    return Section(
        heading="The simulation" if result.is_converged else "The simulation FAILED",
        lead=lead,
        tables=(Table(columns=("", "value"), rows=rows),) if rows else (),
    )


VIEWS = {"information": information_document}
