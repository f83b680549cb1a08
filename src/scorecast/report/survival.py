"""How predictions of times are laid out: what they are worth, beside others."""

from __future__ import annotations

import math
from collections.abc import Iterator

from scorecast.information import (
    InformationNote,
    note_text as information_note_text,
    without_impossible,
)
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.information import (
    chance_text,
    decimals,
    posterior_lead,
    spread_lead,
    verdict_text,
    worst_section,
    worst_text,
)
from scorecast.report.information_figures import posterior_drawing, spread_drawing
from scorecast.report.survival_figures import (
    MOST_SAMPLES,
    baselines_drawing,
    calibration_drawing,
    densities_drawing,
    forecaster_name,
    is_wide,
    median_text,
    survival_drawing,
    together_drawing,
)
from scorecast.survival import (
    AS_PRINTED,
    CURVE,
    POPULATION_PRIORS,
    Candidate,
    Concordance,
    FitDiagnostics,
    Gain,
    GainStatus,
    HyperparameterChoice,
    SurvivalEvaluation,
    SurvivalNote,
    SurvivalPredictions,
    SurvivalPreview,
    WideIntervals,
    note_text,
)
from scorecast.survival.data import FEW_EVENTS
from scorecast.survival.notes import rhat_text

_DASH = "\N{EN DASH}"
_PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
_CURVE_WORDS = "the curve of all cases alike"
_OF_PAPER = "the paper's hyperparameters"
_PLAIN_MEAN = "(plain mean)"
_LONGEST_LIST = 160
_MOST_NEW = 10  # rows of new samples that are shown
_REFERENCES = (
    "R. Sewell (2024). Assessment of the quality of a prediction: appendices B.2 and "
    "B.8 describe the model.",
    "H. Haider, B. Hoehn, S. Davis and R. Greiner (2020). Effective ways to build and "
    "evaluate individual survival distributions. Journal of Machine Learning Research "
    "21.",
    "F. Harrell, K. Lee and D. Mark (1996). Multivariable prognostic models. "
    "Statistics in Medicine 15, 361\N{EN DASH}387.",
    "E. Graf, C. Schmoor, W. Sauerbrei and M. Schumacher (1999). Assessment and "
    "comparison of prognostic classification schemes for survival data. Statistics in "
    "Medicine 18, 2529\N{EN DASH}2545.",
)
_ASSUMES = (
    "cases are independent, and new ones will be like them",
    "whether a case was lost from sight has nothing to do with when its event comes, "
    "once its covariates are known",
    "every covariate was known at the moment from which time is counted",
)
_QUICK = "A quick look, by a lognormal regression in the place of the model."


def survival_document(result: SurvivalEvaluation) -> Document:
    """Lay out what predictions of times are worth."""
    headline = _headline(result)
    sections = [
        Section(tables=(_forecasters_table(result),), is_terminal=True),
        *_new_sections(result),
        _worth_section(result, headline),
        _spread_section(result),
        worst_section(result.information),
        *_sample_sections(result),
        *_baselines_sections(result),
        _together_section(result),
        _even_section(result),
        *_evidence_sections(result),
        Section(
            heading="What this assumes", items=tuple(map(formats.sentence, _ASSUMES))
        ),
    ]
    return Document(
        headline=headline,
        notes=tuple(_notes(result)),
        sections=tuple(sections),
        facts=tuple(_facts(result)),
        references=_REFERENCES,
    )


# --- the answer in words -------------------------------------------------------------


def _headline(result: SurvivalEvaluation) -> str:
    """Say the answer in a few sentences, with what spoils it at the end.

    Anything that knows how risk changes with time beats exponential attrition, so the
    curve of all cases alike is held against it as well, each with its own verdict.
    Models that do better are named.
    """
    parts = [_QUICK] if result.is_quick else []
    parts += [*_worth_sentences(result), *_bettered(result)]
    if not result.information.is_converged:
        parts.append(
            "The simulation of the posterior of J did not converge: do not rely on "
            "this."
        )
    return " ".join(parts)


def _worth_sentences(result: SurvivalEvaluation) -> list[str]:
    told = result.information
    own = verdict_text(told.verdict, "the prior")
    beyond = result.beyond_curve
    has_own_curve = result.prior == "kaplan-meier"
    level, n_lost = formats.level(result.confidence_level), told.n_impossible
    found, digits = told.posterior, decimals(told)
    amount = (
        f"{formats.fixed(found.median, digits)} {result.units} per case beyond the "
        f"prior ({level}: {_ends(found.low, found.high, digits)})"
    )
    if n_lost:
        others = formats.sentence(without_impossible(n_lost))[:-1]
        said = [
            f"In {formats.count(n_lost)} of {formats.count(told.n)} cases the forecast "
            "gave probability 0 to what happened, so the information is minus "
            f"infinity. {others} it would be {amount}."
        ]
    else:
        said = [f"The predicted times carry {amount}; {own}."]
    if has_own_curve:
        return [*said, f"The prior is {_CURVE_WORDS}."]
    figure = f"Beyond {_CURVE_WORDS}: {_beyond_text(beyond, result)}"
    if beyond.verdict is not None:
        figure += f"; {verdict_text(beyond.verdict, _CURVE_WORDS)}"
    return [*said, f"{figure}."]


def _bettered(result: SurvivalEvaluation) -> Iterator[str]:
    """Name the models that do better, where that can be told."""
    for row in result.baselines:
        verdict = row.beyond.verdict
        if row.name != CURVE and verdict is not None and verdict.is_worse:
            name = forecaster_name(row.name)
            yield (
                f"Beyond {name}: {_beyond_text(row.beyond, result)}; this model is "
                f"{verdict_text(verdict, name)}."
            )


def _beyond_text(gain: Gain, result: SurvivalEvaluation) -> str:
    digits = decimals(result.information)
    if gain.verdict is None:
        return f"{formats.fixed(gain.mean, digits)} {result.units} {_PLAIN_MEAN}"
    return (
        f"{formats.fixed(gain.median, digits)} {result.units} "
        f"({formats.level(result.confidence_level)}: "
        f"{_ends(gain.low, gain.high, digits)})"
    )


def _ends(low: float, high: float, digits: int) -> str:
    """Write an interval in one way whether or not ends are negative."""
    return formats.span(lambda x: formats.fixed_end(x, digits), low, high)


def preview_text(
    found: SurvivalPreview, *, units: str, confidence_level: float, time_unit: str = ""
) -> str:
    """Say first figures, before any simulation."""
    unit = f" {time_unit}" if time_unit else ""
    when = "more than half still waiting at the end"
    if found.median_time is not None:
        when = f"half of them by {found.median_time:,.4g}{unit}"
    lines = [
        f"First figures: {formats.count(found.n)} cases, "
        f"{formats.counted(found.n_events, 'events')}, {when} (Kaplan and Meier)."
    ]
    if formats.is_known(found.mean):
        digits = formats.decimals_for(found.high - found.low)
        lines.append(
            f"A lognormal regression knows {formats.fixed(found.mean, digits)} {units} "
            f"per case beyond the prior ({formats.level(confidence_level)} by t "
            f"{_ends(found.low, found.high, digits)}), on cases it did not learn from; "
            "now the model."
        )
    return "\n".join(lines)


# --- what must be known --------------------------------------------------------------


def _notes(result: SurvivalEvaluation) -> Iterator[str]:
    yield from map(note_text, result.notes)
    if result.wide is not None:
        yield _wide_text(result.wide, result)
    if result.predictions is not None and result.predictions.n_far:
        yield _far_text(result.predictions)
    for row in result.baselines:
        withheld = _withheld_text(row.name, row.gained, row.beyond)
        if withheld:
            yield withheld
    yield from _unconverged_texts(result)
    for note in result.information.notes:
        # Chains that disagree are named with the others.
        if note.code != InformationNote.NOT_CONVERGED:
            yield information_note_text(note, result.units)


def _withheld_text(name: str, gained: Gain, beyond: Gain) -> str:
    """Name the questions that have no answer, and why."""
    who = _CURVE_WORDS if name == CURVE else forecaster_name(name)
    unsaid = [g for g in (beyond, gained) if g.status is not GainStatus.KNOWN]
    if not unsaid:
        return ""
    what = f"What {who} knows beyond the prior"
    if beyond.status is not GainStatus.KNOWN:
        what = f"What the model knows beyond {who}"
        if gained.status is not GainStatus.KNOWN:
            what += f", or {who} beyond the prior,"
    reasons = "; ".join(unsaid[-1].reasons)
    if unsaid[-1].status is GainStatus.NOT_CONVERGED:
        return (
            f"{what} cannot be said: the simulation of its posterior of J did not "
            f"converge ({reasons}). Let it run on for longer, or allow chains that "
            "disagree to see it all the same."
        )
    return f"{what} cannot be said: {reasons}."


def _unconverged_texts(result: SurvivalEvaluation) -> Iterator[str]:
    """Name every posterior of J whose simulation did not converge."""
    own = Gain.of(result.information, result.information.mean)
    asked = [("the model beyond the prior", own)]
    for row in result.baselines:
        who = _CURVE_WORDS if row.name == CURVE else forecaster_name(row.name)
        asked += [
            (f"the model beyond {who}", row.beyond),
            (f"{who} beyond the prior", row.gained),
        ]
    failed = [(name, gain) for name, gain in asked if not gain.is_converged]
    if not failed:
        return
    rhats = [math.inf if math.isnan(g.rhat) else g.rhat for _, g in failed]
    n_draws = min(0.0 if math.isnan(g.ess) else g.ess for _, g in failed)
    yield (
        "The simulation of the posterior of J did not converge for "
        f"{', '.join(name for name, _ in failed)} (worst R-hat "
        f"{rhat_text(max(rhats), 3)}, fewest effective draws "
        f"{formats.count(n_draws)}): do not rely on these figures."
    )


def _wide_text(found: WideIntervals, result: SurvivalEvaluation) -> str:
    n = found.n_wide
    rows = ", ".join(map(str, found.rows)) + (", ..." if n > len(found.rows) else "")
    return (
        f"{formats.count(n)} of {formats.count(result.n)} cases (row"
        f"{'' if n == 1 else 's'} {rows}) {'gets' if n == 1 else 'get'} a "
        f"{formats.level(result.confidence_level)} interval of the time that spans "
        "more than 1,000-fold, which says next to nothing: "
        f"{'; '.join(_wide_reasons(found))}."
    )


def _wide_reasons(found: WideIntervals) -> Iterator[str]:
    """Say why intervals are wide, until every case is accounted for."""
    n, n_rare, n_unseen = found.n_wide, found.n_rare, found.n_unseen
    if n_rare:
        who = f"{formats.count(n_rare)} of them {'has' if n_rare == 1 else 'have'}"
        if n_rare == n:
            who = "it has" if n == 1 else "all of them have"
        held = ", ".join(f"'{formats.one_line(x)}'" for x in found.rare_covariates)
        yield (
            f"{who} a value that few cases have, of {held} (leave such columns out, or "
            "read no time off those cases)"
        )
    if n_unseen:
        ends = "ends" if n_unseen == 1 else "end"
        who = f"{formats.count(n_unseen)}"
        if n_rare:
            who = "the others" if n_unseen == n - n_rare else f"{who} of the others"
        if n_unseen == n:
            who = "it" if n == 1 else "all of them"
        yield (
            f"{who} {ends} beyond the longest follow-up, where nothing was seen and "
            "the tail of the model decides"
        )
    rest = n - n_rare - n_unseen
    if rest:
        who = "these" if rest == n else f"the other {formats.count(rest)}"
        yield f"too little is known of cases like {who}"


def _far_text(found: SurvivalPredictions) -> str:
    n = found.n_far
    rows = ", ".join(map(str, found.far_rows))
    rows += ", ..." if n > len(found.far_rows) else ""
    columns = ", ".join(f"'{formats.one_line(x)}'" for x in found.far_covariates)
    return (
        f"{formats.count(n)} of {formats.count(found.n)} new cases (row {rows}) "
        f"{'lies' if n == 1 else 'lie'} beyond all cases that were learned from in "
        f"{columns}: there the model only goes on as before."
    )


# --- the table of forecasters --------------------------------------------------------


def _forecasters_table(result: SurvivalEvaluation) -> Table:
    digits, told = decimals(result.information), result.information
    own = Gain.of(told, told.mean)
    rows = [
        (
            forecaster_name("lognormal" if result.is_quick else "model"),
            _figure(own, digits),
            "",
            _concordance_text(result, result.concordance),
            _score(result.brier),
        )
    ]
    rows += [
        (
            forecaster_name(row.name),
            _figure(row.gained, digits) or _plain_mean(row.gained, digits),
            _figure(row.beyond, digits) or formats.UNKNOWN,
            # One curve for all puts nobody in order.
            "" if row.name == CURVE else _concordance_text(result, row.concordance),
            _score(row.brier),
        )
        for row in result.baselines
    ]
    nothing = formats.fixed(0.0, digits)
    rows.append(("prior", nothing, "", "", _score(result.prior_brier)))
    return Table(
        columns=(
            "",
            f"{result.units} beyond prior",
            "regression beyond it" if result.is_quick else "model beyond it",
            "concordance",
            "Brier",
        ),
        rows=tuple(rows),
        is_stacked=True,
    )


def _figure(gain: Gain, digits: int) -> str:
    if gain.median == -math.inf:
        return formats.fixed(gain.median)
    if math.isnan(gain.median):
        return ""
    return (
        f"{formats.fixed(gain.median, digits)} ({_ends(gain.low, gain.high, digits)})"
    )


def _plain_mean(gain: Gain, digits: int) -> str:
    return f"{formats.fixed(gain.mean, digits)} {_PLAIN_MEAN}"


def _concordance_text(result: SurvivalEvaluation, found: Concordance) -> str:
    if not result.has_enough_events:
        return "too few"
    if not formats.is_known(found.value):
        return formats.UNKNOWN
    error = f" {_PLUS_MINUS} {found.stderr:.2f}"
    return f"{found.value:.2f}{error if formats.is_known(found.stderr) else ''}"


def _score(value: float) -> str:
    return f"{value:.3f}" if formats.is_known(value) else formats.UNKNOWN


def _columns_text(result: SurvivalEvaluation) -> str:
    """Say what the columns of the table hold."""
    end = result.follow_up.horizon
    word = "" if result.time_unit else "time "
    horizon = "" if end is None else f" up to {word}{_with_unit(end, result)}"
    pairs = f"{formats.count(result.concordance.n_pairs)} pairs of cases"
    order = f"{_PLUS_MINUS} its standard error, of {pairs}"
    if not result.has_enough_events:
        order = f"(of {pairs}): {_few_text(result)}"
    level = formats.level(result.confidence_level)
    figures = (
        "plain means, with intervals that hold those of the normal approximation and "
        f"of Pareto tails ({level})"
        if result.is_quick
        else f"medians of the posterior, with {level} intervals, as in the answer"
    )
    said = (
        f"{figures}; concordance {order}; integrated Brier score{horizon}, less is "
        "better"
    )
    gains = [g for row in result.baselines for g in (row.gained, row.beyond)]
    is_withheld = any(g.status is not GainStatus.KNOWN for g in gains)
    why = ", see the notes" if is_withheld else ""
    if not result.is_quick:
        said += "; medians of separate posteriors need not subtract"
    if any(math.isnan(row.gained.median) for row in result.baselines):
        said += f"; plain mean: without a posterior{why}"
    if any(math.isnan(row.beyond.median) for row in result.baselines):
        said += f"; {formats.UNKNOWN}: could not be said{why}"
    return said


# --- what it rests on ----------------------------------------------------------------


def _facts(result: SurvivalEvaluation) -> Iterator[tuple[str, str]]:
    told = result.information
    yield "Columns", _columns_text(result)
    if result.predictions is not None:
        yield "New", _new_text(result.predictions, result)
    n_waiting = formats.count(result.n - result.n_events)
    yield (
        "Cases",
        f"{formats.count(result.n)}: {formats.count(result.n_events)} events, "
        f"{n_waiting} still waiting when last seen",
    )
    yield "Followed", _followed_text(result)
    names = formats.one_line(", ".join(result.covariates), _LONGEST_LIST)
    if names:
        n_covariates = formats.counted(len(result.covariates), "covariates")
        yield "From", f"{n_covariates}: {names}"
    if result.n_missing:
        yield "Missing", _missing_text(result)
    yield "Prior", POPULATION_PRIORS[result.prior].title
    yield (
        "P(J > 0)",
        f"{chance_text(told.posterior)}; how sure the predictions know more than the "
        "prior, J being the mean information per case",
    )
    if told.worst:
        yield "Worst", worst_text(told)
    repeats = ""
    if result.n_repeats > 1:
        repeats = f", {formats.count(result.n_repeats)} times"
    yield (
        "Tested",
        f"{formats.count(result.n_folds)} folds{repeats}; no case was predicted by a "
        "model that learned from it",
    )
    yield "Survival", f"predicted probabilities: {_even_text(result)}"
    if result.diagnostics is None:
        yield (
            "Quick",
            "a lognormal regression (accelerated failure times) in the place of the "
            "model, and no simulation",
        )
    else:
        yield "Chains", _chains_text(result.diagnostics, result.units)
    if result.choice is not None:
        yield "Evidence", _choice_text(result.choice)
    yield "Assumes", "; ".join(_ASSUMES[:2])


def _chains_text(checks: FitDiagnostics, units: str) -> str:
    state = "do not all agree" if checks.n_unconverged else "agree"
    draws = formats.count(checks.n_draws)
    if checks.most_draws > checks.n_draws:
        draws += f" to {formats.count(checks.most_draws)}"
    n_effective = "not computable"
    if formats.is_known(checks.ess):
        n_effective = formats.count(checks.ess)
    told = (
        f"{state} over {formats.count(checks.n_fits)} fits of "
        f"{formats.counted(checks.n_chains, 'chains')}, {draws} draws each: worst "
        f"R-hat {rhat_text(checks.rhat, 3)}, fewest effective draws {n_effective}"
    )
    if not formats.is_known(checks.mcse):
        return told
    error, spread = (formats.amount(x, 1) for x in (checks.mcse, checks.spread))
    return (
        f"{told}; what predictions are worth moves by some {error} {units} with "
        f"another seed, by {spread} with other cases"
    )


def _with_unit(value: float | None, result: SurvivalEvaluation) -> str:
    return f"{formats.time(value)} {result.time_unit}".rstrip()


def _followed_text(result: SurvivalEvaluation) -> str:
    seen = result.follow_up
    longest = f"at most {_with_unit(seen.longest, result)}"
    if seen.median is None:
        share = "all" if result.n == result.n_events else "most"
        return f"{longest}; {share} cases until their event"
    return (
        f"{longest}; median {_with_unit(seen.median, result)} (by Kaplan and Meier, "
        "an event hiding how long the case would have been followed)"
    )


def _missing_text(result: SurvivalEvaluation) -> str:
    every = ", ".join(
        f"{name} in {formats.count(n)}" for name, n in result.n_missing.items()
    )
    shown = formats.one_line(every, _LONGEST_LIST)
    if result.is_quick:
        return f"{shown}; the mean of the training cases instead"
    said = f"{shown}; the model takes gaps as they are"
    if len(result.baselines) > 1:
        said += ", the other models got the mean of the training cases instead"
    return said


def _few_text(result: SurvivalEvaluation) -> str:
    return (
        f"too few events to judge ({formats.counted(result.n_events, 'events')}; at "
        f"least {FEW_EVENTS} are needed)"
    )


def _even_text(result: SurvivalEvaluation) -> str:
    """Say whether predicted survival is even, if enough was seen to tell."""
    n_free = result.calibration.n_free
    if not result.has_enough_events:
        return _few_text(result)
    if not n_free:
        return "too few events in any tenth of it to judge"
    even = "as even as chance would have it" if result.is_even else "NOT even"
    return (
        f"{even} (D-calibration, {formats.p_value(result.calibration.p_value)}, "
        f"{n_free} degree{'' if n_free == 1 else 's'} of freedom)"
    )


# --- new samples ---------------------------------------------------------------------


def _new_sections(result: SurvivalEvaluation) -> Iterator[Section]:
    found = result.predictions
    if found is None:
        return
    unit = f", {result.time_unit}" if result.time_unit else ""
    longest = result.follow_up.longest
    table = Table(
        columns=(
            "",
            f"median time{unit}",
            f"{formats.level(found.confidence_level)} interval",
            *(f"after {formats.time(time)}" for time in found.at),
        ),
        rows=tuple(
            (
                f"new case {i + 1}",
                f"> {formats.time(longest)}"
                if found.median[i] > longest
                else formats.time(float(found.median[i])),
                _times(float(found.low[i]), float(found.high[i])),
                *(formats.percent(float(share)) for share in found.survival[i]),
            )
            for i in range(min(found.n, _MOST_NEW))
        ),
        is_stacked=True,
    )
    yield Section(
        heading="New cases",
        lead=(formats.sentence(_new_text(found, result)),),
        tables=(table,),
        is_terminal=True,
    )


def _times(low: float, high: float) -> str:
    return formats.span(formats.time, low, high) if low < high else formats.time(low)


def _new_text(found: SurvivalPredictions, result: SurvivalEvaluation) -> str:
    """Say how many there are, and what the figures rest on."""
    said = (
        f"{formats.count(found.n)}, predicted by one fit to all "
        f"{formats.count(found.n_learned)} cases; what such predictions are worth is "
        "what was measured above, on cases that were held out"
    )
    if found.at:
        said += "; 'after': chance of still waiting then"
    longest = result.follow_up.longest
    if (found.median[:_MOST_NEW] > longest).any():
        said += (
            f"; > {formats.time(longest)}: beyond the longest follow-up, where the "
            "model alone decides"
        )
    if found.n > _MOST_NEW:
        said += f"; the first {_MOST_NEW} are shown, all are saved with the answer"
    return said


# --- sections of the page ------------------------------------------------------------


def _worth_section(result: SurvivalEvaluation, headline: str) -> Section:
    lead = (
        "From the cases that were held out. Left of zero, the prior alone would "
        "predict better."
    )
    return Section(
        heading="What the predictions are worth",
        lead=(lead, *posterior_lead(result.information)),
        figure=posterior_drawing(result.information, headline),
    )


def _spread_section(result: SurvivalEvaluation) -> Section:
    lead = (
        "Information j of every case: log density of its time under the prediction "
        "less that under the prior; for a case still waiting, log survival. "
        f"{spread_lead(result.information)} Cases far on the left came much sooner or "
        "later than was predicted."
    )
    figure = spread_drawing(result.information)
    return Section(heading="Case by case", lead=(lead,), figure=figure)


def _sample_sections(result: SurvivalEvaluation) -> Iterator[Section]:
    if not result.curves:
        return
    level = formats.level(result.confidence_level)
    rough = [
        note_text(note)
        for note in result.notes
        if note.code == SurvivalNote.CURVES_UNCONVERGED
    ]
    yield Section(
        heading="Some cases: when",
        lead=(_samples_lead(result), *rough),
        figure=densities_drawing(result),
        tables=(_samples_table(result),),
    )
    band = (
        "Chance of waiting longer, case by case; the band shows how far the curve "
        f"itself is known ({level}, at each time by itself). Thin lines are the other "
        "cases; dot, ring and dotted line as above."
    )
    yield Section(
        heading="Some cases: how long without",
        lead=(band,),
        figure=survival_drawing(result),
    )


def _samples_lead(result: SurvivalEvaluation) -> str:
    lead = (
        "How likely the event is at each time: areas under a curve are probabilities. "
        "Predicted by a model that did not learn from these cases. A dot marks when "
        "the event came, a ring the last look at a case that still waited, the dotted "
        "line how long anybody was followed: beyond it, curves rest on the model alone."
    )
    n_more = len(result.curves) - MOST_SAMPLES
    if n_more > 0:
        lead += (
            f" The first {MOST_SAMPLES} are drawn; {formats.count(n_more)} more stand "
            "in the table."
        )
    if is_wide(result):
        lead += " Time is on a logarithmic scale, on which areas are probabilities."
    return lead


def _samples_table(result: SurvivalEvaluation) -> Table:
    unit = f", {result.time_unit}" if result.time_unit else ""
    level = formats.level(result.confidence_level)
    return Table(
        columns=("", f"median time{unit}", f"{level} interval{unit}", "seen"),
        rows=tuple(
            (
                f"case {one.row}",
                median_text(one, result),
                f"{formats.time(one.low)}{_DASH}{formats.time(one.high)}",
                f"{'event' if one.event else 'waiting'} at {formats.time(one.time)}",
            )
            for one in result.curves
        ),
        is_stacked=True,
    )


def _baselines_sections(result: SurvivalEvaluation) -> Iterator[Section]:
    medians = [row.beyond.median for row in result.baselines]
    if not any(map(formats.is_known, medians)):
        return
    lead = (
        "Differences of log densities on the same cases and folds, with "
        f"{formats.level(result.confidence_level)} intervals. Right of zero this model "
        "knows more."
    )
    if not all(map(formats.is_known, medians)):
        lead += f" {formats.UNKNOWN}: could not be said, see the notes."
    yield Section(
        heading="Beside models that readers know",
        lead=(lead,),
        figure=baselines_drawing(result),
    )


def _together_section(result: SurvivalEvaluation) -> Section:
    lead = (
        "The share of all cases that still waits, as Kaplan and Meier estimate it, and "
        "the mean of the survival that was predicted for each of them. On few cases at "
        "risk a curve says little."
    )
    figure = together_drawing(result)
    return Section(heading="All cases together", lead=(lead,), figure=figure)


def _even_section(result: SurvivalEvaluation) -> Section:
    lead = (
        "If predicted survival is right, a tenth of the events falls into every tenth "
        "of it. Cases still waiting are spread over the tenths that remain to them. "
        f"Here: {_even_text(result)}."
    )
    return Section(
        heading="Is predicted survival right?",
        lead=(lead,),
        figure=calibration_drawing(result),
    )


# --- hyperparameters -----------------------------------------------------------------


def _evidence_sections(result: SurvivalEvaluation) -> Iterator[Section]:
    if result.choice is None:
        return
    lead = (
        "How well each set of hyperparameters foretold the data before seeing them, by "
        "thermodynamic integration, with the error of the simulation. Differences are "
        "log Bayes factors, in nats."
    )
    rows = tuple(
        (
            _candidate_name(one),
            f"{one.log_evidence:.1f} {_PLUS_MINUS} {one.stderr:.1f}",
            f"{result.choice.ahead(one)[0]:.1f}",
        )
        for one in result.choice.candidates
    )
    columns = ("", "log evidence", "behind the best")
    yield Section(
        heading="Which hyperparameters?",
        lead=(_choice_text(result.choice), lead),
        tables=(Table(columns=columns, rows=rows),),
    )


def _candidate_name(one: Candidate) -> str:
    return _OF_PAPER if one.name == AS_PRINTED else formats.one_line(one.name)


def _choice_text(choice: HyperparameterChoice) -> str:
    """Say which candidate foretells the data best."""
    best, n = choice.best, len(choice.candidates)
    is_paper = best.name == AS_PRINTED
    own = f"log evidence {best.log_evidence:.1f} {_PLUS_MINUS} {best.stderr:.1f} nats"
    name = _candidate_name(best)
    if n == 1:
        who = formats.sentence(name)[:-1] if is_paper else f"The hyperparameters {name}"
        return f"{who} have {own}."
    second = choice.candidates[1]
    lead, error = choice.ahead(second)
    ahead = (
        f"{lead:.1f} {_PLUS_MINUS} {error:.1f} nats ahead of {_candidate_name(second)}"
    )
    if choice.is_decided:
        return (
            f"Of {n} sets of hyperparameters, {name} "
            f"{'foretell' if is_paper else 'foretells'} the data best ({own}), {ahead}."
        )
    return (
        f"Of {n} sets of hyperparameters none surely foretells the data best: {name} "
        f"({own}) {'are' if is_paper else 'is'} {ahead}, less than three errors."
    )


VIEWS = {"survival": survival_document}
