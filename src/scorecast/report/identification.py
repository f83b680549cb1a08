"""How identification is laid out: what it proves and implies, decoders compared."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast._core.result import Note
from scorecast.extrapolation import observed_band
from scorecast.identification import (
    Assumption,
    DecoderComparison,
    DecoderRow,
    EnsembleSize,
    Identification,
    ImpliedInformation,
    InformationBound,
    IntervalKind,
    Side,
    Unpaired,
    note_text,
)
from scorecast.report import formats
from scorecast.report.curves import Mark, Trace, draw_marks, draw_trace, envelope_of
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import (
    ACCENT,
    ACCENT_SOFT,
    FONT_SIZE,
    INK,
    INK_SOFT,
    MUTED,
    PAPER,
    Drawing,
    axes_size,
    count_axis,
    number_axis,
    percent_axis,
    plain_axes,
    text_width,
    thinned,
)
from scorecast.report.names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASH = "\N{EN DASH}"
_INFINITE = "infinite"
_LONGEST_NAME = 28
_LONGEST_DRAWN = 20
_MOST_ROWS = 40  # of a figure
_ROW_HEIGHT = 18.0
_POINTS = 80  # of the ideal curve beyond the data
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
_INTERVALS = {
    IntervalKind.JACKKNIFE: "leaving out stimuli in turn",
    IntervalKind.SUBSAMPLES: "random halves of the stimuli",
    IntervalKind.CURVE_COVARIANCE: "covariance of the curve",
    IntervalKind.ALL_RIGHT: "from the number of answers, all right",
    IntervalKind.NONE: "none: too few stimuli",
}
_ASSUMPTIONS = {
    Assumption.MANY_STIMULI: (
        "the stimuli, both candidates and test, are independent draws from a "
        "population so large that the same one would hardly come twice; repeats are "
        "by design"
    ),
    Assumption.ROWS_DRAWN: (
        "the rows are independent draws, in which a stimulus comes again by chance"
    ),
    Assumption.POPULATION: (
        "the stimuli, both candidates and test, were drawn at random from {} that are "
        "equally likely where the answer is used"
    ),
    Assumption.INDEPENDENT_RESPONSES: (
        "given the stimuli, responses are independent of one another"
    ),
    Assumption.HELD_OUT: (
        "no tested response was used to fit or choose what gave the scores"
    ),
    Assumption.GROUPS_ALIKE: (
        "stimuli of one group are no easier to tell apart than stimuli of different "
        "groups"
    ),
}
_UNPAIRED = {
    Unpaired.ALL_RIGHT: "no answer of one of the two was wrong",
    Unpaired.TOO_FEW: "there are too few stimuli to leave out",
    Unpaired.NO_REPLICATES: (
        "what was read from a file no longer knows its stimuli one by one"
    ),
    Unpaired.OTHER_STIMULI: (
        "they were not tested on the same stimuli, or not in the same splits or order, "
        "so that intervals of each by itself are all there is"
    ),
}
_NO_BOUND = (
    "Implied information is no bound and no estimate of the mutual information in "
    "general: it is the amount at which ideal responses of high dimension would be "
    "identified equally well. A weak decoder implies less than the responses hold."
)
_SCALE_LEAD = (
    "The implied information with its interval; what is proved, at least; and, for "
    "comparison, Fano's bound for given classes, which can never exceed the logarithm "
    "of their number."
)
_DECODERS_LEAD = (
    "Dots: implied information with its interval. Arrows: what is proved, at least, "
    "for all decoders at once. Unlike accuracies these amounts do not run into a "
    "ceiling."
)


# --- one identification --------------------------------------------------------------


def identification_document(result: Identification) -> Document:
    """Lay out an identification."""
    level = formats.level(result.confidence_level)
    tables = [_amounts_table(result)]
    if result.forecasts:
        tables.append(
            Table(
                caption="With more candidates, by the ideal curve",
                columns=("candidates", "expect", f"{level} interval"),
                rows=tuple(
                    (
                        formats.count(row.classes),
                        formats.percent(row.accuracy, 1),
                        formats.percent_span(row.low, row.high, 1, dash=_DASH),
                    )
                    for row in result.forecasts
                ),
                n_words=0,
                bars=tuple((f.low, f.accuracy, f.high) for f in result.forecasts),
            )
        )
    if result.ensembles:
        tables.append(_ensembles_table(result))
    curve_lead = (
        "Black: how often the right stimulus is found among so many candidates, "
        f"exactly, over all choices of them; band: {level} from leaving out stimuli. "
        "Blue: the ideal curve of the implied information. The nearer they are, the "
        "more one number says it all."
    )
    headline = _headline(result)
    return Document(
        headline=headline,
        notes=tuple(map(note_text, result.notes)),
        sections=(
            Section(tables=tuple(tables), is_terminal=True),
            Section(
                heading="Identification against the number of candidates",
                lead=(curve_lead,),
                figure=identification_drawing(result, headline),
                tables=(_curve_table(result),),
            ),
            Section(
                heading="How much information",
                lead=(_SCALE_LEAD,),
                figure=amounts_drawing(result),
            ),
            *_ensembles_sections(result),
            _proof_section(result.bound),
            _assumed_section(result.assumptions),
        ),
        facts=_facts(result),
        references=_REFERENCES,
    )


def _headline(result: Identification) -> str:
    level, units = formats.level(result.confidence_level), result.units
    proved = f"none of it is proved at {level} confidence"
    if result.bound.value > 0:
        floor = formats.fixed_end(result.bound.value, 2)
        proved = f"at least {floor} {units} are proved at {level} confidence"
    n = result.n_candidates
    return (
        f"The right stimulus among {formats.count(n)} is found "
        f"{formats.percent(result.accuracy, 1)} of the time (chance "
        f"{formats.guessing(1 / n)}), as if responses carried "
        f"{_implied_text(result.implied)}; {proved}."
    )


def _implied_text(implied: ImpliedInformation) -> str:
    """Say the amount and its interval."""
    if math.isinf(implied.value):
        return (
            f"more than these {formats.count(implied.n_classes)} stimuli can show (at "
            f"least {formats.fixed(implied.low, 2)} {implied.units})"
        )
    digits = _digits(implied)
    text = f"{formats.fixed(implied.value, digits)} {implied.units}"
    if math.isnan(implied.low):
        return text
    ends = formats.fixed_span(implied.low, implied.high, digits)
    return f"{text} ({formats.level(implied.confidence_level)}: {ends})"


def _digits(implied: ImpliedInformation) -> int:
    """Choose the digits after the point that the interval deserves."""
    width = implied.high - implied.low
    # Without an interval nobody knows which digits count.
    return 1 if math.isnan(width) else formats.decimals_for(width)


def _amounts_table(result: Identification) -> Table:
    implied, bound = result.implied, result.bound
    digits = _digits(implied) if math.isfinite(implied.high) else 2
    fine = max(digits, 2)
    ends = formats.fixed_span(implied.low, implied.high, digits, dash=_DASH)
    if math.isinf(implied.high):
        ends = f"from {formats.fixed(implied.low, digits)}"
    last = int(bound.classes.argmax())
    rows = [
        ("implied by the whole curve", _amount(implied.value, digits), ends),
        ("proved, at least", formats.fixed(bound.value, fine), ""),
        (
            f"Fano's bound for {formats.count(bound.classes[last])} given classes",
            formats.fixed(float(bound.fano[last]), fine),
            "",
        ),
    ]
    if bound.value == 0 and bound.for_these > 0:
        these = f"proved of these {formats.count(bound.n_drawn)} alone, if fixed"
        rows.append((these, formats.fixed(bound.for_these, fine), ""))
    if formats.is_known(bound.confusion):
        confused = "in the confusion matrix, bias taken off"
        rows.append((confused, formats.fixed(bound.confusion, fine), ""))
    level = formats.level(result.confidence_level)
    return Table(columns=("", result.units, f"{level} interval"), rows=tuple(rows))


def _amount(value: float, digits: int) -> str:
    return _INFINITE if math.isinf(value) else formats.fixed(value, digits)


def _facts(result: Identification) -> tuple[tuple[str, str], ...]:
    trials, bound = result.trials, result.bound
    tested = (
        f"{formats.count(result.n_candidates)} stimuli, "
        f"{formats.count(result.n_responses)} responses"
    )
    if trials.n_groups:
        tested = f"{formats.count(trials.n_groups)} groups of stimuli: {tested}"
    if trials.n_splits > 1:
        tested += f" in each of {formats.count(trials.n_splits)} random splits"
    sizes = ", ".join(map(formats.count, bound.classes))
    most = f"{formats.count(bound.best)} prove most"
    if bound.value == 0:
        most = "none prove any"
    fit = f"interval: {_INTERVALS[result.implied.interval_kind]}"
    if result.implied.value > 0:
        off = formats.points(result.implied.misfit)
        fit = f"ideal curve off by at most {off} points; {fit}"
    return (
        ("Tested", tested),
        ("Scores", formats.one_line(result.model or "given scores")),
        ("Bound", f"looked at {sizes} candidates; {most}"),
        ("Fit", fit),
        ("Assumes", "; ".join(map(_assumption_text, result.assumptions))),
    )


def _assumption_text(note: Note) -> str:
    text = _ASSUMPTIONS[Assumption(note.code)]
    return text.format(formats.count(note.count or 0))


def _assumed_section(assumptions: Iterable[Note]) -> Section:
    return Section(
        heading="What this assumes",
        lead=(_NO_BOUND,),
        items=tuple(formats.sentence(_assumption_text(note)) for note in assumptions),
    )


def _curve_table(result: Identification) -> Table:
    columns = result.to_columns().values()
    return Table(
        caption="The curve",
        columns=("candidates", "right", "standard error", "ideal"),
        rows=tuple(
            (
                formats.count(k),
                formats.percent(accuracy, 2),
                formats.points(stderr),
                formats.percent(fitted, 2),
            )
            for k, accuracy, stderr, fitted in zip(*columns, strict=True)
        ),
        n_words=0,
        is_folded=True,
    )


_GROWTH_LEAD = (
    "The model fitted anew to some of the responses, drawn at random. Dots: "
    "implied information, averaged over ensembles; lines: the least and the most "
    "that one of them implies, without end where one made no mistake. Where it no "
    "longer grows, more responses of this kind tell nothing new, or there are too "
    "few stimuli to learn them from."
)


def _ensembles_table(result: Identification) -> Table:
    return Table(
        caption="With fewer responses, drawn at random",
        columns=(
            "responses",
            f"implied, {result.units}",
            "range",
            "right",
            "ensembles",
        ),
        rows=tuple(
            (
                formats.count(row.n_responses),
                _amount(row.implied, 2),
                _ensemble_range(row),
                formats.percent(row.accuracy, 1),
                formats.count(row.n_draws),
            )
            for row in result.ensembles
        ),
        n_words=0,
    )


def _ensemble_range(row: EnsembleSize) -> str:
    if math.isinf(row.high):
        return f"from {formats.fixed(row.low, 2)}"
    if row.n_draws == 1:
        return ""
    return formats.fixed_span(row.low, row.high, 2, dash=_DASH)


def _ensembles_sections(result: Identification) -> tuple[Section, ...]:
    if not result.ensembles:
        return ()
    return (
        Section(
            heading="How it grows with the number of responses",
            lead=(_GROWTH_LEAD,),
            figure=ensembles_drawing(result),
        ),
    )


def _proof_section(bound: InformationBound) -> Section:
    level = formats.percent(1 - bound.confidence_level)
    lead = (
        "No responses with less information could be identified this well, except by "
        f"a chance of {level}: luck with the responses and luck with the stimuli are "
        "both allowed for, and so is the choice among the rows. Bayes: the accuracy "
        "that the best rule has on average, at least. Raw: what the observed accuracy "
        "would need, luck not allowed for; no bound."
    )
    table = _bound_table(bound)
    return Section(heading="What is proved", lead=(lead,), tables=(table,))


def _bound_table(bound: InformationBound) -> Table:
    columns = bound.to_columns()
    names = ("classes", "accuracy", "accuracy_low", "information", "uncorrected")
    return Table(
        caption=f"In {bound.units}",
        columns=("candidates", "right", "Bayes", "proved", "raw"),
        rows=tuple(
            (
                formats.count(k),
                formats.percent(accuracy, 1),
                formats.percent(low, 1),
                formats.fixed(proved, 3),
                _amount(raw, 3),
            )
            for k, accuracy, low, proved, raw in zip(
                *(columns[name] for name in names), strict=True
            )
        ),
        n_words=0,
    )


# --- its parts alone -----------------------------------------------------------------


def implied_document(result: ImpliedInformation) -> Document:
    """Lay out implied information by itself."""
    headline = f"Implied information {_implied_text(result)}"
    if result.chance is Side.ABOVE:  # how far a curve at chance is off says nothing
        off = formats.points(result.misfit)
        headline += f"; the ideal curve is off by at most {off} points of accuracy"
    table = Table(
        caption="The curve",
        columns=("candidates", "right", "ideal"),
        rows=tuple(
            (formats.count(k), formats.percent(a, 2), formats.percent(b, 2))
            for k, a, b in zip(*result.to_columns().values(), strict=True)
        ),
        n_words=0,
        is_folded=True,
    )
    tested = (
        f"{formats.count(result.n_classes)} stimuli, "
        f"{formats.count(result.n_samples)} responses"
    )
    return Document(
        headline=f"{headline}.",
        notes=tuple(map(note_text, result.notes)),
        sections=(
            Section(
                heading="Identification against the number of candidates",
                figure=implied_drawing(result, f"{headline}."),
                tables=(table,),
            ),
        ),
        facts=(
            ("Tested", tested),
            ("Fit", f"{result.weights} weights; interval: "
                    f"{_INTERVALS[result.interval_kind]}"),
        ),
        references=_REFERENCES,
    )  # fmt: skip


def bound_document(result: InformationBound) -> Document:
    """Lay out a bound by itself."""
    sure = formats.level(result.confidence_level)
    at = int(np.argmax(result.information))
    headline = (
        f"At least {formats.amount(result.value)} {result.units} of information at "
        f"{sure} confidence: right {formats.percent(float(result.accuracy[at]), 1)} of "
        f"the time among {formats.count(result.best)}, by chance "
        f"{formats.guessing(1 / result.best)}."
    )
    if result.value == 0:
        headline = (
            f"At {sure} confidence these accuracies prove no information: so few "
            "stimuli leave room for luck."
        )
        if result.for_these > 0:
            headline = (
                f"At {sure} confidence these accuracies prove nothing about stimuli at "
                f"large, of which {formats.count(result.n_drawn)} drawn at random "
                "leave room for luck; about these alone, if they are fixed and equally "
                f"likely, at least {formats.amount(result.for_these)} {result.units} "
                f"of {formats.amount(result.most_of_these)}."
            )
    proof = _proof_section(result)
    return Document(
        headline=headline,
        sections=(
            Section(tables=proof.tables, is_terminal=True),
            Section(
                heading=proof.heading,
                lead=proof.lead,
                figure=bound_drawing(result),
            ),
        ),
        references=_REFERENCES,
    )


# --- decoders side by side -----------------------------------------------------------


def decoders_document(result: DecoderComparison) -> Document:
    """Lay out a comparison of decoders."""
    read = (
        f"implied, proved and difference in {result.units}; intervals of each decoder "
        "by itself, what is proved holds for all at once"
    )
    return Document(
        headline=_decoders_headline(result),
        notes=(*_shared_notes(result.rows), *_pairing_notes(result.rows)),
        sections=(
            Section(tables=(_decoders_table(result),), is_terminal=True),
            Section(
                heading="Decoders side by side",
                lead=(_DECODERS_LEAD,),
                figure=decoders_drawing(result),
            ),
            *_growth_sections(result),
            _assumed_section(result.assumptions),
        ),
        facts=(
            ("Read", read),
            ("Assumes", "; ".join(map(_assumption_text, result.assumptions))),
        ),
        references=_REFERENCES,
    )


def _growth_sections(result: DecoderComparison) -> tuple[Section, ...]:
    """Lay out how every decoder grows with the number of responses."""
    if not any(row.ensembles for row in result.rows):
        return ()
    names = short_names([row.name for row in result.rows], _LONGEST_NAME)
    table = Table(
        caption="With fewer responses, drawn at random",
        columns=("", "responses", f"implied, {result.units}", "range", "right"),
        rows=tuple(
            (
                name,
                formats.count(one.n_responses),
                _amount(one.implied, 2),
                _ensemble_range(one),
                formats.percent(one.accuracy, 1),
            )
            for row, name in zip(result.rows, names, strict=True)
            for one in row.ensembles
        ),
    )
    drawn = [
        _AmountRow(
            name=f"{name}, {formats.count(one.n_responses)}",
            value=one.implied,
            low=one.low,
            high=one.high,
        )
        for row, name in zip(result.rows, names, strict=True)
        for one in row.ensembles
    ]
    return (
        Section(
            heading="How each grows with the number of responses",
            lead=(_GROWTH_LEAD,),
            figure=_rows_drawing(
                thinned(drawn, _MOST_ROWS),
                result.units,
                "Implied information by decoder and responses",
            ),
            tables=(table,),
            is_terminal=True,
        ),
    )


def _decoders_headline(result: DecoderComparison) -> str:
    best, n = result.best, len(result.rows)
    ends = ""
    if math.isfinite(best.low) and math.isfinite(best.high):
        span = formats.fixed_span(best.low, best.high, 2)
        ends = f" ({formats.level(result.confidence_level)}: {span})"
    most = "more than can be shown"
    if math.isfinite(best.implied):
        most = f"{formats.fixed(best.implied, 2)} {result.units}"
    name = formats.one_line(best.name)
    first = f"Of {n} decoders {name!r} implies most"
    if n == 1:
        first = f"Decoder {name!r} implies"
    elif all(row.implied == best.implied for row in result.rows):
        first = f"All {n} decoders imply the same"
    elif alike := _as_much(result):
        who = repr(alike[0]) if len(alike) == 1 else f"{len(alike)} others"
        ends += f", not surely more than {who}"
    proved = formats.fixed(max(row.bound for row in result.rows), 2)
    return (
        f"{first}: {most}{ends}; at least {proved} {result.units} are proved, choice "
        "allowed for."
    )


def _as_much(result: DecoderComparison) -> list[str]:
    """Name those that the intervals of differences do not tell from the best one."""
    first, best = result.rows[0], result.best
    compared = [row for row in result.rows if row is not first]
    if best is not first:
        compared = [best]
    return [
        formats.one_line((row if best is first else first).name)
        for row in compared
        if row.difference_low <= 0 <= row.difference_high
    ]


def _decoders_table(result: DecoderComparison) -> Table:
    level = formats.level(result.confidence_level)
    names = short_names([row.name for row in result.rows], _LONGEST_NAME)
    rows = []
    for row, name in zip(result.rows, names, strict=True):
        ends = formats.fixed_span(row.low, row.high, 2, dash=_DASH)
        if math.isinf(row.implied):
            ends = f"from {formats.fixed(row.low, 2)}"
        beyond = formats.fixed(row.difference, 2)
        beyond_ends = formats.fixed_span(
            row.difference_low, row.difference_high, 2, dash=_DASH
        )
        is_first = row is result.rows[0]
        rows.append(
            (
                name,
                formats.percent(row.accuracy, 1),
                formats.count(row.n_classes),
                _amount(row.implied, 2),
                ends,
                formats.fixed(row.bound, 2),
                "" if is_first else beyond,
                "" if is_first else beyond_ends,
            )
        )
    return Table(
        caption=f"Implied and proved information in {result.units}",
        columns=(
            "decoder",
            "right",
            "among",
            "implied",
            f"{level} interval",
            "proved",
            "difference",
            "interval",
        ),
        rows=tuple(rows),
        is_stacked=True,
    )


def _shared_notes(rows: Iterable[DecoderRow]) -> list[str]:
    """Say every note once, with the decoders it is about."""
    about: dict[Note, list[str]] = {}
    for row in rows:
        for note in row.notes:
            about.setdefault(note, []).append(row.name)
    return [
        f"{', '.join(map(formats.one_line, names))}: {note_text(note)}"
        for note, names in about.items()
    ]


def _pairing_notes(rows: Sequence[DecoderRow]) -> list[str]:
    """Say which differences are missing, and what the others take for granted."""
    first = repr(formats.one_line(rows[0].name))
    apart: dict[Unpaired, list[str]] = {}
    for row in rows:
        if row.unpaired is not None:
            apart.setdefault(row.unpaired, []).append(row.name)
    lines = [
        f"No difference from {first} for {_quoted(names)}: {_UNPAIRED[why]}."
        for why, names in apart.items()
    ]
    unlike = [row.name for row in rows if row.has_other_features]
    if unlike:
        lines.append(
            f"The stimuli of {_quoted(unlike)} have other features than those of "
            f"{first}. Differences are right if row by row they are the same stimuli."
        )
    return lines


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(repr(formats.one_line(name)) for name in names)


# --- figures -------------------------------------------------------------------------


def identification_drawing(result: Identification, description: str) -> Drawing:
    """Draw the observed curve, the ideal one, and chance."""
    curve = result.curve
    low, high = observed_band(curve, result.confidence_level)
    observed = Trace(
        x=curve.classes.astype(np.float64), y=curve.accuracy, low=low, high=high
    )
    n = result.n_candidates
    beyond = sorted(
        (f for f in result.forecasts if f.classes > n), key=lambda f: f.classes
    )
    last, right = float(observed.x[-1]), float(observed.y[-1])
    marks = [
        _mark(last, right, float(low[-1]), float(high[-1]), INK),
        *(_mark(f.classes, f.accuracy, f.low, f.high, ACCENT) for f in beyond),
    ]
    farthest = max([n, *(f.classes for f in result.forecasts)])
    return _curve_drawing(
        observed, _ideal(result.implied, farthest), marks, description
    )


def implied_drawing(result: ImpliedInformation, description: str) -> Drawing:
    """Draw an observed curve without errors, and the ideal one."""
    none = np.full(result.accuracy.size, np.nan)
    sizes = result.classes.astype(np.float64)
    observed = Trace(x=sizes, y=result.accuracy, low=none, high=none)
    last = float(result.accuracy[-1])
    marks = [_mark(float(sizes[-1]), last, math.nan, math.nan, INK)]
    return _curve_drawing(
        observed, _ideal(result, result.n_classes), marks, description
    )


def _curve_drawing(
    observed: Trace, ideal: Trace, marks: Sequence[Mark], description: str
) -> Drawing:
    chance = Trace(x=ideal.x, y=1 / ideal.x, low=1 / ideal.x, high=1 / ideal.x)

    def label(axes: Axes, text: str, start: float, colour: str, weight: str) -> None:
        axes.annotate(
            text,
            (0, 1),
            (start, 9),
            xycoords="axes fraction",
            textcoords="offset points",
            color=colour,
            fontsize=FONT_SIZE,
            fontweight=weight,
            annotation_clip=False,
        )

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="number of candidates")
        percent_axis(axes)
        room = max(ideal.x[-1] / 2, 2) ** 0.02
        count_axis(axes, 2 / room, float(ideal.x[-1]) * room)
        axes.plot(chance.x, chance.y, color=MUTED, lw=0.8, dashes=(3, 3), zorder=3)
        axes.annotate(
            "chance",
            (4.0, 0.25),
            (6, 3),
            textcoords="offset points",
            color=MUTED,
            fontsize=FONT_SIZE,
        )
        axes.fill_between(
            ideal.x, ideal.low, ideal.high, color=ACCENT_SOFT, linewidth=0, zorder=1
        )
        draw_trace(axes, observed, INK, INK_SOFT)
        axes.plot(ideal.x, ideal.y, color=ACCENT, lw=1.4, dashes=(4, 2), zorder=6)
        draw_marks(axes, marks, envelope_of(axes, [observed, ideal, chance], marks))
        label(axes, "observed", 0, INK, "bold")
        start = text_width("observed", bold=True) + 10
        whole = "ideal curve of the implied information"
        is_room = start + text_width(whole) < axes_size(axes)[0]
        label(axes, whole if is_room else "ideal curve", start, ACCENT, "normal")

    return Drawing(
        title="Identification accuracy against the number of candidates",
        description=description,
        draw=draw,
        right=max(24.0, text_width(marks[-1].text, bold=True) / 2),
        top=26.0,
    )


def _ideal(implied: ImpliedInformation, farthest: int) -> Trace:
    ks = np.unique(np.geomspace(2, max(farthest, 3), _POINTS).round().astype(int))
    rows = implied.forecast(ks.tolist())
    y, low, high = (
        np.array([getattr(row, name) for row in rows])
        for name in ("accuracy", "low", "high")
    )
    return Trace(x=ks.astype(np.float64), y=y, low=low, high=high)


def _mark(x: float, y: float, low: float, high: float, colour: str) -> Mark:
    is_known = formats.is_known(low) and formats.is_known(high)
    return Mark(
        x=x,
        y=y,
        low=low if is_known else y,
        high=high if is_known else y,
        text=f"{formats.count(x)}: {formats.percent(y)}",
        colour=colour,
    )


@dataclass(frozen=True, kw_only=True)
class _AmountRow:
    """An amount: a dot with its interval, or the least it can be."""

    name: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    proved: float = math.nan
    is_strong: bool = True

    def __str__(self) -> str:
        parts = []
        if formats.is_known(self.value):
            parts.append(formats.fixed(self.value))
        elif math.isinf(self.value):
            parts.append("beyond what can be shown")
        if formats.is_known(self.low) and formats.is_known(self.high):
            parts.append(f"({formats.fixed_span(self.low, self.high)})")
        if formats.is_known(self.proved):
            parts.append(f"at least {formats.fixed(self.proved)}")
        return f"{self.name}: {' '.join(parts) or 'not known'}"


def amounts_drawing(result: Identification) -> Drawing:
    """Draw implied and proved information, and what others would say, on one scale."""
    implied, bound = result.implied, result.bound
    last = int(np.argmax(bound.classes))
    rows = [
        _AmountRow(
            name="implied", value=implied.value, low=implied.low, high=implied.high
        ),
        _AmountRow(name="proved", proved=bound.value),
        _AmountRow(name="Fano", value=float(bound.fano[last]), is_strong=False),
    ]
    if formats.is_known(bound.confusion):
        rows.append(
            _AmountRow(name="confusion", value=bound.confusion, is_strong=False)
        )
    return _rows_drawing(rows, result.units, "Amounts of information, on one scale")


def ensembles_drawing(result: Identification) -> Drawing:
    """Draw implied information by the number of responses."""
    rows = [
        _AmountRow(
            name=formats.counted(row.n_responses, "responses"),
            value=row.implied,
            low=row.low,
            high=row.high,
        )
        for row in thinned(result.ensembles, _MOST_ROWS)
    ]
    return _rows_drawing(rows, result.units, "Implied information by responses")


def bound_drawing(result: InformationBound) -> Drawing:
    """Draw what each number of classes proves."""
    rows = [
        _AmountRow(name=f"{formats.count(k)} classes", proved=float(v))
        for k, v in zip(result.classes, result.information, strict=True)
    ]
    return _rows_drawing(rows, result.units, "Information proved, by size")


def decoders_drawing(result: DecoderComparison) -> Drawing:
    """Draw the implied information of every decoder; of many, an even choice."""
    names = short_names([row.name for row in result.rows], _LONGEST_DRAWN)
    rows = [
        _AmountRow(
            name=name, value=row.implied, low=row.low, high=row.high, proved=row.bound
        )
        for row, name in thinned(list(zip(result.rows, names, strict=True)), _MOST_ROWS)
    ]
    return _rows_drawing(rows, result.units, "Implied information of every decoder")


def _rows_drawing(rows: Sequence[_AmountRow], units: str, title: str) -> Drawing:
    names = [row.name for row in rows]

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=f"information, {units}")
        ends = [x for r in rows for x in (r.value, r.low, r.high, r.proved)]
        end = 1.08 * (max([x for x in ends if formats.is_known(x)], default=1.0) or 1.0)
        number_axis(axes, 0, end)
        axes.set_ylim(len(rows) - 0.4, -0.7)
        for y, row in enumerate(rows):
            _draw_row(axes, y, row, end)
        axes.set_yticks(range(len(rows)), labels=names)
        for label in axes.get_yticklabels():
            label.set_parse_math(False)

    return Drawing(
        title=title,
        description="; ".join(map(str, rows)),
        draw=draw,
        height=_ROW_HEIGHT * len(rows) + 56,
        left=max(map(text_width, names)) + 18,
        right=18.0,
        top=8.0,
    )


def _draw_row(axes: Axes, y: int, row: _AmountRow, end: float) -> None:
    colour = ACCENT if row.is_strong else MUTED
    if formats.is_known(row.low):
        high = row.high if formats.is_known(row.high) else end
        axes.hlines(y, row.low, high, color=colour, linewidth=1.6)
    mark: dict[str, Any] = {"markeredgecolor": PAPER, "clip_on": False}
    if formats.is_known(row.value):
        axes.plot([row.value], [y], "o", color=colour, markersize=5.5, **mark)
    if formats.is_known(row.proved):
        # An open end: the amount is at least this.
        axes.plot([row.proved], [y], ">", color=INK, markersize=7.5, zorder=6, **mark)


VIEWS = {
    "decoder-comparison": decoders_document,
    "identification": identification_document,
    "implied-information": implied_document,
    "information-bound": bound_document,
}
