"""How predictions of times are written and laid out on a page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from scorecast._core.rounding import told_apart
from scorecast._core.types import Json
from scorecast.mixtures import MOST_RHAT
from scorecast.recurrence import (
    FORECASTERS,
    PRIOR_WORDS,
    ROUGH_CURVES,
    HyperparameterChoice,
    Recurrence,
)
from scorecast.report.figures import Drawing
from scorecast.report.formats import (
    UNKNOWN,
    count,
    fixed,
    is_known,
    level_name,
    one_line,
)
from scorecast.report.information import (
    chance_text,
    decimals,
    headline,
    posterior_lead,
    worst_section,
    worst_text,
)
from scorecast.report.information_figures import posterior_drawing, spread_drawing
from scorecast.report.new_case_views import new_cases_lines, new_cases_section
from scorecast.report.plots import main_drawing
from scorecast.report.recurrence_plots import (
    MOST_CASES,
    calibration_drawing,
    densities_drawing,
    is_wide,
    rivals_drawing,
    survival_drawing,
    together_drawing,
)
from scorecast.report.recurrence_words import (
    PLAIN_MEAN,
    amounts_said,
    even_said,
    few_said,
    legend_said,
    median_said,
    span_said,
    time_said,
    with_unit,
)
from scorecast.report.sections import Section, Table, page_section, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

__all__ = ["recurrence_text"]

_MINUS = re.compile(r"(?<![\w-])-(?=\d)")
_TO = re.compile(r"(?<=\d) to (?=\W?\d)")
_DASH = "\N{WORD JOINER}\N{EN DASH}\N{WORD JOINER}"
_REFERENCES = (
    "R. Sewell (2010). Assessment of the quality of a prediction: appendices B.2 and "
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


@render_text.register
def recurrence_text(result: Recurrence, *, ascii_only: bool = False) -> str:
    """Write the answer as text: the sentence first, then what it rests on.

    Parameters
    ----------
    result : Recurrence
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*text_lines(result.summary()), ""]
    lines += [*table_lines(_heading(result), _rows(result), left={0}), ""]
    lines += entry_lines("Columns", _table_said(result))
    lines += new_cases_lines(result)
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    for label, text in _facts(result):
        lines += entry_lines(label, text)
    return joined_lines(lines, ascii_only=ascii_only)


def _heading(result: Recurrence) -> tuple[str, ...]:
    return (
        "",
        f"{result.units} beyond prior",
        "regression beyond it" if result.quick else "model beyond it",
        "concordance",
        "Brier",
    )


def _rows(result: Recurrence) -> list[tuple[str, ...]]:
    digits, order = decimals(result.information), result.concordance
    found = result.information.posterior
    own = -math.inf if result.information.n_impossible else found.median
    rows: list[tuple[str, ...]] = [
        (
            FORECASTERS["lognormal" if result.quick else "model"],
            _figure(own, found.low, found.high, digits),
            "",
            _with_error(order.value, order.stderr, result),
            _score(result.brier),
        )
    ]
    for row in result.comparison:
        worth = _figure(row.worth, row.worth_low, row.worth_high, digits)
        plain = f"{fixed(row.information, digits)} {PLAIN_MEAN}"
        rows.append(
            (
                FORECASTERS[row.name],
                plain if worth == UNKNOWN else worth,
                _figure(row.beyond, row.low, row.high, digits),
                # One curve for all puts nobody in order.
                ""
                if row.name == "curve"
                else _with_error(row.concordance, row.concordance_stderr, result),
                _score(row.brier),
            )
        )
    rows.append(("prior", fixed(0.0, digits), "", "", _score(result.prior_brier)))
    return rows


def _figure(median: float, low: float, high: float, digits: int) -> str:
    if median == -math.inf:
        return fixed(median)
    if not is_known(median):
        return UNKNOWN
    return f"{fixed(median, digits)} ({amounts_said(low, high, digits)})"


def _table_said(result: Recurrence) -> str:
    """Say what the columns of the table hold."""
    end = result.follow_up.horizon
    word = "" if result.follow_up.unit else "time "
    horizon = "" if end is None else f" up to {word}{with_unit(end, result)}"
    pairs = f"{count(result.concordance.n_pairs)} pairs of cases"
    order = f"\N{PLUS-MINUS SIGN} its standard error, of {pairs}"
    if not result.has_enough_events:
        order = f"(of {pairs}): {few_said(result)}"
    figures = (
        "plain means, with intervals that hold those of the normal approximation and "
        f"of Pareto tails ({level_name(result.level)})"
        if result.quick
        else f"medians of the posterior, with {level_name(result.level)} intervals, as "
        "in the answer"
    )
    said = (
        f"{figures}; concordance {order}; integrated Brier score{horizon}, less is "
        "better"
    )
    return said + legend_said((c for row in _rows(result) for c in row), result)


def _with_error(value: float, stderr: float, result: Recurrence) -> str:
    if not result.has_enough_events:
        return "too few"
    if not is_known(value):
        return UNKNOWN
    error = f" \N{PLUS-MINUS SIGN} {stderr:.2f}" if is_known(stderr) else ""
    return f"{value:.2f}{error}"


def _score(value: float) -> str:
    return f"{value:.3f}" if is_known(value) else UNKNOWN


def _facts(result: Recurrence) -> list[tuple[str, str]]:
    waiting = result.n - result.n_events
    repeats = f", {count(result.n_repeats)} times" if result.n_repeats > 1 else ""
    checks = result.diagnostics
    state = "agree" if checks["passed"] else "do not all agree"
    names = one_line(", ".join(result.covariates), 160)
    p = len(result.covariates)
    known = f"{count(p)} covariate{'' if p == 1 else 's'}: {names}"
    told = result.information
    chance = chance_text(told.posterior)
    return [
        (
            "Cases",
            f"{count(result.n)}: {count(result.n_events)} events, {count(waiting)} "
            "still waiting when last seen",
        ),
        ("Followed", _followed(result)),
        *([("From", known)] if names else []),
        *([("Missing", _missing(result))] if result.missing else []),
        ("Prior", PRIOR_WORDS[result.prior]),
        ("P(J > 0)", f"{chance}; how sure the predictions know more than the prior, "
                     "J being the mean information per case"),
        *([("Worst", worst_text(told))] if told.worst else []),
        (
            "Tested",
            f"{count(result.n_folds)} folds{repeats}; no case was predicted by a model "
            "that learned from it",
        ),
        ("Survival", f"predicted probabilities: {even_said(result)}"),
        _quick_said() if result.quick else (
            "Chains",
            f"{state} over {count(checks['n_fits'])} fits{_lengths(checks)}: worst "
            f"R-hat {_rhat_said(checks)}, fewest effective draws "
            f"{_checked(checks['ess'], 0)}",
        ),
        *([] if result.choice is None else [("Evidence", result.choice.sentence())]),
        ("Assumes", "; ".join(_ASSUMES[:2])),
    ]  # fmt: skip


def _lengths(checks: Json) -> str:
    """Say how many chains and draws were used; some fits needed more than others."""
    n, fewest = checks["n_chains"], checks["n_draws"]
    most = checks.get("most_draws") or fewest
    span = f"{count(fewest)} to {count(most)}" if most > fewest else count(fewest)
    return f" of {count(n)} chain{'' if n == 1 else 's'}, {span} draws each"


def _quick_said() -> tuple[str, str]:
    return (
        "Quick",
        "a lognormal regression (accelerated failure times) in the place of the model, "
        "and no simulation; without --quick the model itself answers",
    )


def _rhat_said(checks: Json) -> str:
    rhat = checks["rhat"]
    if not is_known(rhat):
        return _checked(rhat, 3)
    return told_apart(rhat, MOST_RHAT, 3) if rhat > MOST_RHAT else f"{rhat:.3f}"


def _checked(value: float | None, digits: int) -> str:
    return f"{value:,.{digits}f}" if is_known(value) else "not computable"


def _followed(result: Recurrence) -> str:
    seen = result.follow_up
    longest = f"at most {with_unit(seen.longest, result)}"
    if seen.median is None:
        share = "all" if result.n == result.n_events else "most"
        return f"{longest}; {share} cases until their event"
    return (
        f"{longest}; median {with_unit(seen.median, result)} (by Kaplan and Meier, "
        "an event hiding how long the case would have been followed)"
    )


def _missing(result: Recurrence) -> str:
    shown = ", ".join(f"{name} in {count(n)}" for name, n in result.missing.items())
    said = f"{one_line(shown, 160)}; the model takes gaps as they are"
    if result.quick:
        return f"{one_line(shown, 160)}; the mean of the training cases instead"
    if len(result.comparison) > 1:
        said += ", the other models got the mean of the training cases instead"
    return said


@main_drawing.register
def _(result: Recurrence) -> Drawing:
    return posterior_drawing(result.information, headline(result.information))


@report_sections.register
def _(result: Recurrence) -> tuple[Section, ...]:
    sections = [_head(result), *new_cases_section(result), _worth(result)]
    sections += [_spread(result), page_section(worst_section(result.information))]
    if result.curves:
        sections += _cases(result)
    if any(is_known(row.beyond) for row in result.comparison):
        sections.append(_rivals(result))
    sections += [_together(result), _even(result)]
    if result.choice is not None:
        sections.append(_evidence(result.choice))
    items = tuple(f"{text[0].upper()}{text[1:]}." for text in _ASSUMES)
    sections += [
        Section(heading="What this assumes", items=items),
        Section(heading="References", items=_REFERENCES),
    ]
    return tuple(sections)


def _head(result: Recurrence) -> Section:
    said = _table_said(result)
    table = Table(
        caption=f"{said[0].upper()}{said[1:]}.",
        columns=_heading(result),
        rows=tuple(_with_minus(_rows(result))),
        words=1,
        stacked=True,
    )
    return Section(
        heading=_unbroken(result.summary()),
        tables=(table,),
        warnings=result.warnings,
        facts=tuple(_facts(result)),
    )


def _with_minus(rows: Iterable[tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
    """Write numbers below zero as figures do; a name keeps its hyphens."""
    for name, *cells in rows:
        yield name, *map(_unbroken, cells)


def _unbroken(text: str) -> str:
    """Write minus signs, and keep an interval on one line."""
    return _TO.sub("\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}",
                   _MINUS.sub("\N{MINUS SIGN}", text))  # fmt: skip


def _worth(result: Recurrence) -> Section:
    lead = (
        "From the cases that were held out. Left of zero, the prior alone would "
        "predict better."
    )
    return Section(
        heading="What the predictions are worth",
        lead=(lead, *posterior_lead(result.information)),
        figure=posterior_drawing(result.information, headline(result.information)),
    )


def _spread(result: Recurrence) -> Section:
    lead = (
        "Information j of every case: log density of its time under the prediction "
        "less that under the prior; for a case still waiting, log survival. Cases far "
        "on the left came much sooner or later than was predicted."
    )
    return Section(
        heading="Case by case", lead=(lead,), figure=spread_drawing(result.information)
    )


def _cases(result: Recurrence) -> list[Section]:
    band = (
        "Chance of waiting longer, case by case; the band shows how far the curve "
        f"itself is known ({level_name(result.curves[0].level)}, at each time by "
        "itself). Thin lines are the other cases; dot, ring and dotted line as above."
    )
    return [
        Section(
            heading="Some cases: when",
            lead=(_cases_lead(result),),
            figure=densities_drawing(result),
            tables=(_cases_table(result),),
            warnings=tuple(w for w in result.warnings if w.startswith(ROUGH_CURVES)),
        ),
        Section(
            heading="Some cases: how long without",
            lead=(band,),
            figure=survival_drawing(result),
        ),
    ]


def _cases_lead(result: Recurrence) -> str:
    lead = (
        "How likely the event is at each time: areas under a curve are probabilities. "
        "Predicted by a model that did not learn from these cases. A dot marks when "
        "the event came, a ring the last look at a case that still waited, the dotted "
        "line how long anybody was followed: beyond it, curves rest on the model alone."
    )
    more = len(result.curves) - MOST_CASES
    if more > 0:
        lead += (
            f" The first {MOST_CASES} are drawn; {count(more)} more stand in the table."
        )
    if is_wide(result):
        lead += " Time is on a logarithmic scale, on which areas are probabilities."
    return lead


def _cases_table(result: Recurrence) -> Table:
    rows = tuple(
        (
            one.name,
            median_said(one, result),
            span_said(one.low, one.high, _DASH),
            f"{'event' if one.event else 'waiting'} at {time_said(one.time)}",
        )
        for one in result.curves
    )
    level = level_name(result.curves[0].level)
    unit = f", {result.follow_up.unit}" if result.follow_up.unit else ""
    columns = ("", f"median time{unit}", f"{level} interval{unit}", "seen")
    return Table(caption="", columns=columns, rows=rows, words=1, stacked=True)


def _rivals(result: Recurrence) -> Section:
    lead = (
        "Differences of log densities on the same cases and folds, with "
        f"{level_name(result.level)} intervals. Right of zero this model knows more."
    )
    if any(not is_known(row.beyond) for row in result.comparison):
        lead += f" {UNKNOWN}: could not be said, see the warnings."
    return Section(
        heading="Beside models that readers know",
        lead=(lead,),
        figure=rivals_drawing(result),
    )


def _together(result: Recurrence) -> Section:
    lead = (
        "The share of all cases that still waits, as Kaplan and Meier estimate it, and "
        "the mean of the survival that was predicted for each of them. On few cases at "
        "risk a curve says little."
    )
    return Section(
        heading="All cases together", lead=(lead,), figure=together_drawing(result)
    )


def _evidence(choice: HyperparameterChoice) -> Section:
    lead = (
        "How well each set of hyperparameters foretold the data before seeing them, by "
        "thermodynamic integration, with the error of the simulation. Differences are "
        "log Bayes factors, in nats."
    )
    rows = tuple(
        (
            name,
            f"{value:.1f} \N{PLUS-MINUS SIGN} {error:.1f}",
            f"{behind:.1f}",
        )
        for name, value, error, behind in zip(
            *choice.to_columns().values(), strict=True
        )
    )
    columns = ("", "log evidence", "behind the best")
    return Section(
        heading="Which hyperparameters?",
        lead=(choice.sentence(), lead),
        tables=(Table(caption="", columns=columns, rows=rows, words=1),),
    )


def _even(result: Recurrence) -> Section:
    lead = (
        "If predicted survival is right, a tenth of the events falls into every tenth "
        "of it. Cases still waiting are spread over the tenths that remain to them. "
        f"Here: {even_said(result)}."
    )
    return Section(
        heading="Is predicted survival right?",
        lead=(lead,),
        figure=calibration_drawing(result),
    )
