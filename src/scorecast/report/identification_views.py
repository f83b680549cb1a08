"""How identification is written and laid out on a page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from scorecast.information import (
    DecoderComparison,
    Identification,
    ImpliedInformation,
    InformationBound,
    amount,
    amount_span,
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
from scorecast.report.identification_plots import (
    amounts_drawing,
    bound_drawing,
    decoders_drawing,
    identification_drawing,
    implied_drawing,
)
from scorecast.report.names import short_names
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, column_table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

__all__ = ["decoders_text", "identification_text"]

_RANGE = re.compile(r"(?<=\d)-(?=\d)")
_DASH = "\N{WORD JOINER}\N{EN DASH}\N{WORD JOINER}"
_LONGEST_NAME = 28
_REFERENCES = (
    "C. Zheng (2017). Information, prediction, and supervised learning. Thesis, "
    "Stanford University.",
    "C. Zheng and Y. Benjamini (2016). Estimating mutual information in high "
    "dimensions via classification error.",
    "V. Erokhin (1958). The epsilon-entropy of a discrete random variable. Theory of "
    "Probability and its Applications 3.",
    "S. Boucheron, G. Lugosi and P. Massart (2000). A sharp concentration inequality "
    "with applications. Random Structures and Algorithms 16.",
    "E. L. Korn and B. I. Graubard (1998). Confidence intervals for proportions with "
    "small expected number of positive counts. Survey Methodology 24.",
)


@render_text.register
def identification_text(result: Identification, *, ascii_only: bool = False) -> str:
    """Write the answer as text: the sentence first, then what it rests on.

    Parameters
    ----------
    result : Identification
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*text_lines(result.sentence()), ""]
    level = f"{level_name(result.level)} interval"
    lines += [*table_lines((result.units, "", level), _amounts(result), left={0}), ""]
    if result.forecasts:
        rows = _forecast_rows(result)
        lines += [*table_lines(("candidates", "expect", level), rows), ""]
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    for label, text in _facts(result):
        lines += entry_lines(label, text)
    return joined_lines(lines, ascii_only=ascii_only)


@render_text.register
def decoders_text(result: DecoderComparison, *, ascii_only: bool = False) -> str:
    """Write a comparison of decoders as text, one line each.

    Parameters
    ----------
    result : DecoderComparison
        The table.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines without a line break at the end.
    """
    heading, rows = _decoder_rows(result)
    lines = [*text_lines(result.summary()), ""]
    lines += [*table_lines(heading, rows, left={0}), ""]
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    lines += entry_lines(
        "Read", f"implied, proved and difference in {result.units}; intervals "
        "of each decoder by itself, what is proved holds for all at once",
    )  # fmt: skip
    if result.assumptions:
        lines += entry_lines("Assumes", "; ".join(result.assumptions))
    return joined_lines(lines, ascii_only=ascii_only)


def _amounts(result: Identification) -> list[tuple[str, str, str]]:
    implied, bound = result.implied, result.bound
    digits = implied.decimals if math.isfinite(implied.high) else 2
    value = "infinite" if math.isinf(implied.value) else amount(implied.value, digits)
    ends = amount_span(implied.low, implied.high, digits)
    if math.isinf(implied.high):
        ends = f"from {amount(implied.low, digits)}"
    last = int(bound.classes.argmax())
    rows = [
        ("implied by the whole curve", value, ends),
        ("proved, at least", amount(bound.value, max(digits, 2)), ""),
        (
            f"Fano's bound for {count(bound.classes[last])} given classes",
            amount(float(bound.fano[last]), max(digits, 2)),
            "",
        ),
    ]
    if bound.value == 0 and bound.for_these > 0:
        rows.append(
            (
                f"proved of these {count(bound.n_classes)} alone, if fixed",
                amount(bound.for_these, max(digits, 2)),
                "",
            )
        )
    if is_known(bound.confusion):
        rows.append(
            (
                "in the confusion matrix, bias taken off",
                amount(bound.confusion, max(digits, 2)),
                "",
            )
        )
    return rows


def _forecast_rows(result: Identification) -> list[tuple[str, ...]]:
    return [
        (
            count(row.classes),
            percent(row.accuracy, 1),
            percent_span(row.low, row.high, 1),
        )
        for row in result.forecasts
    ]


def _facts(result: Identification) -> list[tuple[str, str]]:
    tested = f"{count(result.n)} stimuli, {count(result.n_responses)} responses"
    if result.trials.n_groups:
        tested = f"{count(result.trials.n_groups)} groups of stimuli: {tested}"
    if result.trials.n_splits > 1:
        tested += f" in each of {result.trials.n_splits} random splits"
    facts = [("Tested", tested), ("Scores", one_line(result.model))]
    bound = result.bound
    sizes = ", ".join(count(k) for k in bound.classes)
    most = f"{count(bound.best)} prove most" if bound.value > 0 else "none prove any"
    looked = f"looked at {sizes} candidates; {most}"
    facts.append(("Bound", looked))
    fit = f"interval: {result.implied.interval}"
    if result.implied.value > 0:
        off = f"{100 * result.implied.misfit:.1f} points"
        fit = f"ideal curve off by at most {off}; {fit}"
    facts.append(("Fit", fit))
    facts.append(("Assumes", "; ".join(result.assumptions)))
    return facts


def _decoder_rows(
    result: DecoderComparison,
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    heading = (
        "decoder",
        "right",
        "among",
        "implied",
        f"{level_name(result.level)} interval",
        "proved",
        "difference",
        "interval",
    )
    rows: list[tuple[str, ...]] = []
    names = short_names([row.name for row in result.rows], _LONGEST_NAME)
    for row, name in zip(result.rows, names, strict=True):
        infinite = math.isinf(row.implied)
        ends = amount_span(row.low, row.high, 2)
        first = row is result.rows[0]
        rows.append(
            (
                name,
                percent(row.accuracy, 1),
                count(row.n_classes),
                "infinite" if infinite else amount(row.implied, 2),
                f"from {amount(row.low, 2)}" if infinite else ends,
                amount(row.bound, 2),
                "" if first else amount(row.difference, 2),
                "" if first else amount_span(
                    row.difference_low, row.difference_high, 2
                ),
            )
        )  # fmt: skip
    return heading, rows


@main_drawing.register
def _(result: Identification) -> Drawing:
    return identification_drawing(result)


@main_drawing.register
def _(result: ImpliedInformation) -> Drawing:
    return implied_drawing(result)


@main_drawing.register
def _(result: InformationBound) -> Drawing:
    return bound_drawing(result)


@main_drawing.register
def _(result: DecoderComparison) -> Drawing:
    return decoders_drawing(result)


@report_sections.register
def _(result: Identification) -> tuple[Section, ...]:
    return (
        _head(result),
        _curve(result),
        _scale(result),
        _proof(result),
        _assumed(result.assumptions),
        Section(heading="References", items=_REFERENCES),
    )


def _assumed(assumptions: Iterable[str]) -> Section:
    return Section(
        heading="What this assumes",
        lead=(
            "Implied information is no bound and no estimate of the mutual "
            "information in general: it is the amount at which ideal responses "
            "of high dimension would be identified equally well. A weak decoder "
            "implies less than the responses hold.",
        ),
        items=tuple(_sentence(text) for text in assumptions),
    )


def _head(result: Identification) -> Section:
    columns = ("", result.units, f"{level_name(result.level)} interval")
    table = Table(caption="", columns=columns, rows=_dashed(_amounts(result)), words=1)
    return Section(
        heading=_RANGE.sub(_DASH, result.sentence()),
        tables=(table,),
        warnings=result.warnings,
        facts=tuple(f for f in _facts(result) if f[0] in {"Tested", "Scores", "Fit"}),
    )


def _dashed(rows: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Write ranges as a page does; on a terminal a hyphen is what one can type."""
    return tuple(tuple(_RANGE.sub(_DASH, cell) for cell in row) for row in rows)


def _curve(result: Identification) -> Section:
    lead = (
        "Black: how often the right stimulus is found among so many candidates, "
        f"exactly, over all choices of them; band: {level_name(result.level)} from "
        "leaving out stimuli. Blue: the ideal curve of the implied information. The "
        "nearer they are, the more one number says it all."
    )
    tables = [column_table("The curve", result.to_columns())]
    if result.forecasts:
        tables.insert(
            0,
            Table(
                caption="With more candidates, by the ideal curve",
                columns=(
                    "candidates",
                    "expect",
                    f"{level_name(result.level)} interval",
                ),
                rows=_dashed(_forecast_rows(result)),
            ),
        )
    return Section(
        heading="Identification against the number of candidates",
        lead=(lead,),
        figure=identification_drawing(result),
        tables=tuple(tables),
    )


def _scale(result: Identification) -> Section:
    lead = (
        "The implied information with its interval; what is proved, at least; and, "
        "for comparison, Fano's bound for given classes, which can never exceed the "
        "logarithm of their number."
    )
    return Section(
        heading="How much information", lead=(lead,), figure=amounts_drawing(result)
    )


def _proof(result: Identification) -> Section:
    bound = result.bound
    rows = tuple(
        (
            count(row[0]),
            percent(row[1], 1),
            percent(row[2], 1),
            amount(row[3], 3),
            "infinite" if math.isinf(row[4]) else amount(row[4], 3),
        )
        for row in zip(*bound.to_columns().values(), strict=True)
    )
    columns = ("candidates", "right", "Bayes", "proved", "raw")
    lead = (
        "No responses with less information could be identified this well, except by "
        f"a chance of {percent(1 - result.level)}: luck with the responses and luck "
        "with the stimuli are both allowed for, and so is the choice among the rows. "
        "Bayes: the accuracy that the best rule has on average, at least. Raw: what "
        "the observed accuracy would need, luck not allowed for; no bound."
    )
    return Section(
        heading="What is proved",
        lead=(lead,),
        tables=(Table(caption=f"In {bound.units}", columns=columns, rows=rows),),
    )


@report_sections.register
def _(result: DecoderComparison) -> tuple[Section, ...]:
    heading, rows = _decoder_rows(result)
    first = rows[0][0]
    # Four columns fit a telephone: numbers of stimuli, intervals and differences go
    # below, as words.
    shown = (0, 1, 3, 5)
    table = Table(
        caption=f"Implied and proved information in {result.units}",
        columns=tuple(heading[i] for i in shown),
        rows=tuple(tuple(row[i] for i in shown) for row in rows),
        notes=tuple(_RANGE.sub(_DASH, _below(row, heading[4], first)) for row in rows),
        words=1,
    )
    lead = (
        "Dots: implied information with its interval. Arrows: what is proved, at "
        "least, for all decoders at once. Unlike accuracies these amounts do not run "
        "into a ceiling."
    )
    return (
        Section(heading=_RANGE.sub(_DASH, result.summary()), warnings=result.warnings),
        Section(
            heading="Decoders side by side",
            lead=(lead,),
            figure=decoders_drawing(result),
            tables=(table,),
        ),
        _assumed(result.assumptions),
        Section(heading="References", items=_REFERENCES),
    )


def _below(row: tuple[str, ...], interval: str, first: str) -> str:
    parts = []
    if row[4] != UNKNOWN:
        parts.append(f"{interval} {row[4]}")
    parts.append(f"among {row[2]} stimuli")
    if row[6] not in ("", UNKNOWN):
        parts.append(f"difference from {first}: {row[6]} ({row[7]})")
    return "; ".join(parts)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else UNKNOWN
