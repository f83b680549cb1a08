"""How forecasts of question one are laid out: accuracy, cost, back-tests, curves."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scorecast._core.codec import encode
from scorecast._core.types import FloatArray
from scorecast.exceptions import listed
from scorecast.extrapolation import (
    CURVE_METHODS,
    FAR,
    RISK_METHODS,
    Backtest,
    BacktestRow,
    CostInterval,
    CurveExtrapolation,
    CurveNote,
    Extrapolation,
    ForecastNote,
    IntervalKind,
    MeasureForecast,
    MeasurePrediction,
    MethodRole,
    PointDesign,
    PoolPart,
    Prediction,
    PublishedCurve,
    Reach,
    RecogniserComparison,
    RecogniserDifference,
    RiskExtrapolation,
    curve_note_text,
    note_text,
    objection_text,
    observed_band,
)
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.extrapolation_figures import (
    CURVE_LEVEL,
    MOST_CURVES,
    accuracy_drawing,
    agreement_drawing,
    backtest_drawing,
    discriminability_drawing,
    forecast_drawing,
    match_drawing,
    measure_name,
    measures_drawing,
    observed_ends,
    points_drawing,
    recognisers_drawing,
    risk_drawing,
)
from scorecast.scores import (
    AVERAGES,
    TIE_RULES,
    AccuracyCurve,
    ClassWeighting,
    Marginality,
    RiskCurve,
)

_DASH = "\N{EN DASH}"
_ARROW = "\N{RIGHTWARDS ARROW}"
_MOST_ROWS = 8  # of a curve, in a terminal
_MOST_SAID = 3  # forecasts in a headline; the nearest are the ones to trust
_MOST_ABREAST = 36  # letters that narrow screens show side by side
_BOUND_WORTH_SAYING = 0.01
_CLASSEX = (
    "C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies "
    "for large multi-class problems. Journal of Machine Learning Research 19."
)
_REFERENCES = (
    _CLASSEX,
    "C. Y. Zheng and Y. Benjamini (2016). Estimating mutual information in high "
    "dimensions via classification error. arXiv:1606.05229.",
    "K. N. Kay, T. Naselaris, R. J. Prenger and J. L. Gallant (2008). Identifying "
    "natural images from human brain activity. Nature 452, 352\N{EN DASH}355.",
)
_POSTERIOR = (
    "what the observed classes leave open (a posterior that counts classes, not "
    "examples)"
)
_INTERVALS = {
    IntervalKind.POSTERIOR: _POSTERIOR,
    IntervalKind.POOLED: (
        f"{_POSTERIOR}, how far ranks and scores disagree, and how far the decline "
        "beyond the data may be misjudged"
    ),
    IntervalKind.JACKKNIFE: "leaving out classes in turn",
    IntervalKind.FAULTLESS: (
        "its lower end is that of the method bayesian, a posterior that counts "
        "classes, not examples: every example was right, so leaving classes out in "
        "turn shows no spread; the methods bayesian and auto forecast by it, too"
    ),
    IntervalKind.ALL_WRONG: "a bound: every example was wrong",
    IntervalKind.TOO_FEW_CLASSES: (
        "none: too few classes with examples to tell how they vary; the methods "
        "bayesian and auto need two"
    ),
}
_COST_INTERVALS = {
    CostInterval.CONSTANT: "all mistakes cost the same",
    CostInterval.JACKKNIFE: (
        "leaving out classes in turn, half of the change that is expected beyond the "
        "data, and how few mistakes there are to go by"
    ),
    CostInterval.FULL_RANGE: "from the least to the most it can",
}
_SAME_POPULATION = (
    "new classes resemble these: they are drawn from the same population (cannot be "
    "checked from the data)"
)
_LIKE_COSTS = (
    "the costs of new classes are like those given; beyond the data the cost of a "
    "mistake goes on changing half as fast as it did"
)
_SCORED_ALONE = {
    Marginality.EMBEDDINGS: (
        "each class is scored on its own: true of embeddings that were fixed before "
        "these classes were seen"
    ),
    Marginality.MARGINAL: "each class is scored on its own: true of this classifier",
    Marginality.COUPLED: (
        "each class is scored on its own; these scores come from a model trained with "
        "all classes at once, so the forecast is approximate"
    ),
    Marginality.UNKNOWN: (
        "each class is scored on its own (not so for logistic regression, trees, "
        "networks trained on these classes: there it is approximate)"
    ),
}
_HOW_ALONE = {  # of some of several recognisers
    Marginality.EMBEDDINGS: "true if its embeddings were fixed before",
    Marginality.MARGINAL: "true",
    Marginality.COUPLED: (
        "not so (trained with all classes at once), so its forecast is approximate"
    ),
    Marginality.UNKNOWN: (
        "not known (not so for logistic regression, trees, networks trained on these "
        "classes: there it is approximate)"
    ),
}
_TIES = {
    "random": "counted as their expectation under random breaking",
    "optimistic": "counted as won",
    "pessimistic": "counted as lost",
}
_ASSUMED = "What this assumes, and what was checked"
_BACKTEST_LEAD = (
    "Some of the classes were hidden and then predicted from the others, again and "
    "again. A dot is the mean error, the bar how much it varies, the number on the "
    "right its typical size: the best method has its dot at zero and a short bar. The "
    "table gives the standard errors of both."
)
_OBSERVED_AND_FORECAST = (
    "Observed rows are what these classes gave, forecasts what as many others would "
    "give: the one need not lead on to the other."
)
_BORDER = (
    "A forecast need not meet the line before it: that line is what these classes "
    "gave, the forecast what as many others would give, which the whole curve tells "
    "better than its last point."
)
_COST_LEAD = (
    "Each point of the dark line is the exact average cost over all choices of that "
    f"many of the observed classes; the band is a {formats.level(CURVE_LEVEL)} "
    "interval, from leaving classes out. Points beyond are forecasts with their "
    "intervals; the broken line only joins them."
)


# --- a forecast of accuracy ----------------------------------------------------------


def extrapolation_document(result: Extrapolation) -> Document:
    """Lay out a forecast of accuracy."""
    sections = [
        Section(tables=(_prediction_table(result),), is_terminal=True),
        *_measures_sections(result),
        _curve_section(result),
        _methods_section(result),
        *_backtest_sections(result),
        *_difficulty_sections(result),
        Section(heading=_ASSUMED, items=tuple(map(formats.sentence, _assumed(result)))),
        _interval_section(result),
        _numbers_section(result),
    ]
    return Document(
        headline=_headline(result),
        notes=_notes(result.notes, result.predictions),
        sections=tuple(sections),
        facts=(
            ("Observed", _observed_text(result)),
            ("Method", f"{_methods_text(result)}; {_backtest_text(result)}"),
            ("Weights", _weights_text(result.class_weighting)),
            ("Assumes", "; ".join(_assumed(result)[:2])),
        ),
        references=_REFERENCES,
    )


def _headline(result: Extrapolation) -> str:
    known = (
        f"On {formats.count(result.n_classes)} classes it is right "
        f"{formats.percent(result.observed_accuracy)} of the time{_guesses(result.top)}"
        f"{_also_observed(result)}"
    )
    beyond = {p.classes: p for p in result.predictions if not p.is_observed}
    if result.reach is not None:
        text = _reach_text(result.reach, result.n_classes, result.confidence_level)
        known = f"{known}, and {text}"
    if not beyond and result.predictions and result.reach is None:
        fewer = ", with ".join(
            f"{formats.classes(p.classes)} classes {formats.percent(p.accuracy)}"
            for p in result.predictions[:_MOST_SAID]
            if p.classes < result.n_classes
        )
        return f"{known}; with {fewer}." if fewer else f"{known}."
    if not beyond or (result.reach is not None and len(result.predictions) == 1):
        return f"{known}."
    level = formats.level(result.confidence_level)
    most = 1 if result.further else _MOST_SAID
    nearest = [beyond[k] for k in sorted(beyond)[:most]]
    forecasts = ", with ".join(_expected(p, level) for p in nearest)
    others = "".join(
        f", {_measure_text(one.measure)} {_measured(one.measure, p)}"
        for one in result.further
        for p in one.predictions
        if p.classes == nearest[0].classes
    )
    return f"{known}; with {forecasts}{others}."


def _also_observed(result: Extrapolation) -> str:
    """Say what else was observed: within more guesses, the mean reciprocal rank."""
    if not result.further:
        return ""
    said = [
        f"{_measure_text(one.measure)} "
        f"{_measure_value(one.measure, float(one.observed.value[-1]))}"
        for one in result.further
    ]
    return f" ({', '.join(said)})"


def _measure_text(measure: str) -> str:
    """Name a measure within a sentence."""
    if measure == "mrr":
        return "mean reciprocal rank"
    return f"within {measure.removeprefix('top-')} guesses"


def _measure_value(measure: str, value: float) -> str:
    """Write a mean reciprocal rank as a number, shares in percent."""
    return formats.fixed(value, 2) if measure == "mrr" else formats.percent(value)


def _measure_span(measure: str, low: float, high: float, dash: str = "-") -> str:
    if measure == "mrr":
        return formats.fixed_span(low, high, 2, dash)
    return formats.percent_span(low, high, dash=dash)


def _measured(measure: str, p: MeasurePrediction) -> str:
    span = _measure_span(measure, p.low, p.high)
    return f"{_measure_value(measure, p.value)} ({span})"


def _reach_text(reach: Reach, n_classes: int, confidence_level: float) -> str:
    """Say up to how many classes an accuracy is held."""
    wanted = _held_share(reach.accuracy)
    most = f"more than {formats.classes(reach.limit)}"

    def said(classes: int | None) -> str:
        return most if classes is None else formats.about(classes)

    level = formats.level(confidence_level)
    ends = f"{level} interval {said(reach.low)} to {said(reach.high)}"
    if reach.low is None and reach.high is None:
        ends = f"{level} sure"
    held = most if reach.classes is None else f"about {said(reach.classes)}"
    text = f"{wanted} or more up to {held} classes ({ends})"
    if reach.classes is None or reach.classes > FAR * n_classes:
        return f"{text}, which is far beyond the data: a rough guide at best"
    return text


def _expected(p: Prediction, level: str) -> str:
    ends = "no interval: too few classes"
    if formats.is_known(p.low) and formats.is_known(p.high):
        ends = f"{level} interval {formats.percent_span(p.low, p.high)}"
    right = formats.percent(p.accuracy)
    return f"{formats.classes(p.classes)} classes expect about {right} ({ends})"


def _guesses(top: int) -> str:
    return "" if top == 1 else f" within {top} guesses"


def _notes(notes: Iterable[Any], predictions: Sequence[Any]) -> tuple[str, ...]:
    # A caveat that stands beside its number need not stand below it again.
    is_said = any(p.is_far for p in predictions)
    told = [
        note_text(note)
        for note in notes
        if not (is_said and note.code == ForecastNote.FAR)
    ]
    if len({p.is_observed for p in predictions}) > 1:
        told.append(_OBSERVED_AND_FORECAST)
    return tuple(told)


def _prediction_table(result: Extrapolation) -> Table:
    level = formats.level(result.confidence_level)
    if result.further:
        return _measures_table(result)
    return Table(
        columns=("classes", "expect", f"{level} interval", "chance"),
        rows=tuple(
            (
                formats.classes(p.classes),
                formats.percent(p.accuracy),
                formats.percent_span(p.low, p.high, dash=_DASH),
                _chance_text(p.chance),
            )
            for p in result.predictions
        ),
        notes=tuple(_caveat(p, result) for p in result.predictions),
        n_words=0,
        bars=tuple((p.low, p.accuracy, p.high) for p in result.predictions),
    )


def _measures_table(result: Extrapolation) -> Table:
    """List every measure at every number of classes."""
    level = formats.level(result.confidence_level)
    rows = [(name, p) for name, m in result.measures.items() for p in m.predictions]
    return Table(
        columns=("measure", "classes", "expect", f"{level} interval"),
        rows=tuple(
            (
                measure_name(name),
                formats.classes(p.classes),
                _measure_value(name, p.value),
                _measure_span(name, p.low, p.high, _DASH),
            )
            for name, p in rows
        ),
        notes=_measure_caveats(result),
        n_words=1,
        answer=2,
        bars=tuple((p.low, p.value, p.high) for _, p in rows),
    )


def _measure_caveats(result: Extrapolation) -> tuple[str, ...]:
    """Say what is to be known of every number, measure by measure.

    What is said of the first measure at length is said of the others in a word.
    """
    caveats = [_caveat(p, result) for p in result.predictions]
    others = [
        "observed" if p.is_observed else "a rough guide" if p.is_far else ""
        for p in result.predictions
    ]
    return (*caveats, *others * len(result.further))


def _measures_sections(result: Extrapolation) -> list[Section]:
    """Draw all measures in one figure, and accuracy against the number of guesses."""
    if not result.further:
        return []
    level = formats.level(result.confidence_level)
    sections = [
        Section(
            heading="All measures against the number of classes",
            lead=(
                f"All come from one fit. Bands and bars are {level} intervals; up to "
                f"{formats.count(result.n_classes)} classes the lines are exact "
                "averages over subsets. The mean reciprocal rank (MRR) averages one "
                "over the rank of the true class: 1 if it is always first.",
                _BORDER,
            ),
            figure=measures_drawing(result, _headline(result)),
            tables=_measure_backtests(result),
        )
    ]
    if result.match_curves:
        most = int(result.match_curves[0].guesses[-1])
        table = _match_table(result)
        sections.append(
            Section(
                heading="Accuracy against the number of guesses",
                lead=(
                    "The cumulative match characteristic (CMC): how often the true "
                    f"class is among the best 1, 2, ... {formats.count(most)}, with "
                    f"the {formats.count(result.n_classes)} classes observed and as "
                    "forecast for more.",
                ),
                figure=match_drawing(result, _match_text(result)),
                tables=(table,),
            )
        )
    return sections


def _match_text(result: Extrapolation) -> str:
    return "; ".join(
        f"{formats.count(c.classes)} classes: "
        f"{formats.percent(float(c.accuracy[0]))} within 1 guess, "
        f"{formats.percent(float(c.accuracy[-1]))} within {int(c.guesses[-1])}"
        for c in result.match_curves
    )


def _match_table(result: Extrapolation) -> Table:
    curves = result.match_curves
    rows = tuple(
        (
            formats.count(int(guesses)),
            *(
                f"{formats.percent(float(c.accuracy[i]), 1)} "
                f"({formats.percent_span(float(c.low[i]), float(c.high[i]), 0, _DASH)})"
                for c in curves
            ),
        )
        for i, guesses in enumerate(curves[0].guesses)
    )
    return Table(
        caption="Right within so many guesses, with intervals, by number of classes",
        columns=("guesses", *(formats.count(c.classes) for c in curves)),
        rows=rows,
        n_words=0,
        is_folded=True,
        is_stacked=True,
    )


def _measure_backtests(result: Extrapolation) -> tuple[Table, ...]:
    """Say of every measure how far off the method was when classes were hidden."""
    tested = [(name, _own_row(m, result)) for name, m in result.measures.items()]
    known = [(name, row) for name, row in tested if row is not None]
    if not known:
        return ()
    one = known[0][1]
    return (
        Table(
            caption=(
                f"{formats.count(one.from_classes)} classes shown, "
                f"{formats.count(one.to_classes)} predicted by {result.method}, in "
                "percentage points"
            ),
            columns=("measure", "off by", "bias", "truth", "predicted"),
            rows=tuple(
                (
                    measure_name(name),
                    formats.points(row.rmse) + _in_brackets(row.rmse_stderr),
                    formats.points(row.bias, signed=True) + _in_brackets(row.stderr),
                    _measure_value(name, row.truth),
                    _measure_value(name, row.prediction),
                )
                for name, row in known
            ),
        ),
    )


def _in_brackets(error: float | None, name: str = "") -> str:
    return "" if error is None else f" ({name}{formats.points(error)})"


def _own_row(measure: MeasureForecast, result: Extrapolation) -> BacktestRow | None:
    return next((row for row in measure.backtest if row.method == result.method), None)


def _caveat(p: Prediction, result: Extrapolation) -> str:
    """Say what is to be known of one number."""
    if p.is_observed:
        return "observed: the average over all subsets of so many classes"
    parts = [_far_text(p.classes, result.n_classes)] if p.is_far else []
    if p.bound is not None and p.bound >= _BOUND_WORTH_SAYING:
        least = formats.percent(p.bound)
        parts.append(f"at least {least} by counting alone, without any model")
    elif result.is_faultless:
        parts.append("no mistake was observed")
    return "; ".join(parts)


def _far_text(k: int, n_classes: int) -> str:
    times = formats.about(k / n_classes)
    times += "x" if times[-1].isdigit() else " times"  # 50x, but 2 million times
    return f"{times} beyond the data: a rough guide at best"


def _chance_text(chance: float) -> str:
    """Say what guessing reaches, to two digits where it is small."""
    small = [limit for limit in (0.1, 0.01) if chance < limit]
    return formats.percent(chance, len(small))


def _observed_text(result: Extrapolation) -> str:
    right = formats.percent(result.observed_accuracy, 1)
    seen = (
        f"{formats.count(result.n_classes)} classes, "
        f"{formats.count(result.n_samples)} examples: right {right} of the time"
        f"{_guesses(result.top)}"
    )
    low, high = result.observed_low, result.observed_high
    if not (formats.is_known(low) and formats.is_known(high)):
        return seen
    level = formats.level(result.confidence_level)
    return f"{seen} ({level} interval {formats.percent_span(low, high, 1)})"


def _methods_text(result: Extrapolation) -> str:
    return _shares_text(result.method, {m.name: m.weight for m in result.methods})


def _shares_text(method: str, weights: Mapping[str, float]) -> str:
    """Name a method, and what it is a mixture of, such as auto: bayesian .6, ..."""
    used = sorted((n for n in weights if weights[n] > 0), key=lambda n: -weights[n])
    if used in ([], [method]):
        return formats.one_line(method)
    shares = (f"{formats.one_line(n)} {formats.weight_name(weights[n])}" for n in used)
    return f"{formats.one_line(method)}: {', '.join(shares)}"


def _backtest_text(result: Extrapolation) -> str:
    """Say how far off the method was when classes were hidden from it."""
    for shown in sorted({row.from_classes for row in result.backtest}):
        rows = [row for row in result.backtest if row.from_classes == shown]
        own = next((row for row in rows if row.method == result.method), None)
        if own is not None and formats.is_known(own.rmse):
            task = f"{formats.count(shown)} {_ARROW} {formats.count(own.to_classes)}"
            text = f"back-test {task} classes: off by {formats.points(own.rmse)} points"
            others = [(m.measure, _own_row(m, result)) for m in result.further]
            told = ", ".join(
                f"{measure_name(name)} {formats.points(row.rmse)}"
                for name, row in others
                if row is not None
            )
            text += f" ({told})" if told else ""
            if not formats.is_known(own.stderr):
                return text
            bias = formats.points(own.bias, signed=True)
            return f"{text}, bias {bias} (standard error {formats.points(own.stderr)})"
    if 1 < result.top >= result.n_classes // 2:
        few = "half of the classes are too few"
        return f"not back-tested{_guesses(result.top)}: {few}"
    return "not back-tested"


def _assumed(result: Extrapolation | RiskExtrapolation) -> tuple[str, ...]:
    costs = (_LIKE_COSTS,) if isinstance(result, RiskExtrapolation) else ()
    return (
        _SAME_POPULATION,
        *costs,
        _SCORED_ALONE[result.marginality],
        "classes, not examples, are the sampling unit: examples of one class do not "
        "count as independent",
        f"{_counted(result)}; ties are {_TIES[result.ties]}",
    )


def _counted(result: Extrapolation | RiskExtrapolation) -> str:
    """Say what counts the same."""
    if result.class_weighting is not None:
        return (
            "the true class is drawn by weight, wrong classes are met alike: every "
            "class is on the list once; further classes have weights like these"
        )
    unit = "class" if result.average == "macro" else "example"
    return f"every {unit} counts the same ({result.average} average)"


def _weights_text(weighting: ClassWeighting | None) -> str:
    """Say what weights of classes mean, and how unequal they are."""
    if weighting is None:
        return ""
    return (
        "the true class is drawn by weight, wrong classes are met alike; "
        f"{_average_text('', weighting)}"
    )


def _average_text(
    average: str, weighting: ClassWeighting | None, *, has_share: bool = True
) -> str:
    """Name an average, or say how unequal weights of classes are."""
    if weighting is None:
        return f"{average} average"
    text = (
        f"classes weighted, as much as {formats.fixed(weighting.n_effective, 1)} alike"
    )
    if has_share:
        span = f"{formats.percent(weighting.least, 2)} to "
        text += f" ({span}{formats.percent(weighting.most, 1)} each)"
    if weighting.n_weightless:
        text += f", {formats.count(weighting.n_weightless)} without weight"
    return text


def _curve_section(result: Extrapolation) -> Section:
    lead = (
        f"Measured up to {formats.count(result.n_classes)} classes, forecast beyond. "
        f"Read off the accuracy{_guesses(result.top)} at the number of classes you "
        f"will face: the wider the shaded {formats.level(result.confidence_level)} "
        "band there, the less is known."
    )
    if len(result.methods) > 1:
        lead += " The thin lines are the single methods"
        dotted = "; dotted ones have no share in the forecast."
        lead += dotted if _has_idle(result) else "."
    return Section(
        heading="Accuracy against the number of classes",
        lead=(lead, _BORDER),
        figure=forecast_drawing(result, _headline(result)),
    )


def _has_idle(result: Extrapolation) -> bool:
    return any(m.weight <= 0 for m in result.methods)


def _methods_section(result: Extrapolation) -> Section:
    columns = (
        "method",
        "share",
        *(formats.classes(p.classes) for p in result.predictions),
    )
    rows = tuple(
        (
            m.name,
            formats.weight_name(m.weight),
            *(formats.percent(x, 1) for x in m.targets.tolist()),
        )
        for m in result.methods
    )
    parts = {p.method: p for p in result.pooling.parts} if result.pooling else {}
    table = Table(
        caption="Share of each method, and its accuracy at each number of classes",
        columns=columns,
        rows=rows,
        notes=tuple(_method_note(m.name, m.role, parts) for m in result.methods),
        is_stacked=_is_wide(columns, rows),
    )
    heading = "What each method says"
    is_beyond = any(not p.is_observed for p in result.predictions)
    if len(result.methods) < 2 or not is_beyond:
        return Section(heading=heading, tables=(table,))
    lead = (
        "Dots close together mean that the forecast does not hang on the choice of "
        "method; a dot outside the shaded interval is a reason for doubt."
    )
    if _has_idle(result):
        lead += " Hollow dots have no share in the forecast."
    figure = agreement_drawing(result)
    return Section(heading=heading, lead=(lead,), figure=figure, tables=(table,))


def _method_note(name: str, role: MethodRole, parts: Mapping[str, PoolPart]) -> str:
    """Say in a sentence or two what is to be known of a method."""
    if name not in parts:
        return "shown for comparison" if role is MethodRole.COMPARED else ""
    objection = parts[name].objection
    return "" if objection is None else objection_text(objection)


def _is_wide(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """Tell whether a narrow screen would cut a table off."""
    cells = zip(columns, *rows, strict=True)
    return sum(max(map(len, column)) for column in cells) > _MOST_ABREAST


def _backtest_sections(result: Extrapolation) -> list[Section]:
    if not result.backtest:
        return []
    return [
        Section(
            heading="Would it have been right?",
            lead=(_BACKTEST_LEAD,),
            figure=backtest_drawing(result.backtest, {result.method}),
            tables=(
                _backtest_table(
                    result.backtest, result.confidence_level, is_folded=True
                ),
            ),
        )
    ]


def _difficulty_sections(result: Extrapolation) -> list[Section]:
    if not np.isfinite(result.discriminability.d).any():
        return []
    # The curve is of single competitors, however many guesses are allowed.
    mistakes = "mistakes" if result.top == 1 else "wrong first guesses"
    lead = (
        "An example at 1,000 is beaten by one class in a thousand: safe among a "
        "hundred classes, mostly lost among ten thousand. The height of the curve at "
        f"a number of classes is roughly the share of {mistakes} with that many. Up to "
        f"{formats.count(result.n_classes)} the data speak; beyond, the curve is what "
        "the method infers."
    )
    return [
        Section(
            heading="How many classes it takes to beat an example",
            lead=(lead,),
            figure=discriminability_drawing(result),
        )
    ]


def _interval_section(result: Extrapolation) -> Section:
    rules = [
        f"level {formats.level(result.confidence_level)}",
        _average_text(result.average, result.class_weighting),
        f"ties {result.ties}",
        f"seed {'none' if result.random_state is None else result.random_state}",
        *(f"{name} {_plain(value)}" for name, value in result.settings.items()),
    ]
    return Section(
        heading="How the interval was made",
        lead=(
            formats.sentence(_INTERVALS[result.interval_kind]),
            formats.sentence(", ".join(rules)),
        ),
    )


def _numbers_section(result: Extrapolation) -> Section:
    level, curve = result.confidence_level, result.curve
    observed = (result.observed.classes, result.observed.accuracy)
    tables = [
        _curve_table("Observed curve", *observed, *observed_ends(result), level=level)
    ]
    if curve.classes.size:
        columns = (curve.classes, curve.accuracy, curve.low, curve.high)
        tables.append(_curve_table("Forecast curve", *columns, level=level))
    chosen: dict[str, Any] = {
        "bandwidth": result.bandwidth,
        "number of independent examples": result.n_effective,
        **result.parameters,
        "bandwidths tried": [
            {"bandwidth": one.bandwidth, "rmse": one.rmse, "accuracy": one.accuracy}
            for one in result.by_bandwidth
        ],
    }
    if result.n_effective is not None:
        size = formats.count(round(result.n_effective))
        chosen["number of independent examples"] = size
    for part in result.pooling.parts if result.pooling else ():
        chosen[f"weight of {part.method}"] = formats.fixed(part.weight, 2)
    rows = tuple(
        (name, _plain(value))
        for name, value in chosen.items()
        if value not in (None, [])
    )
    if rows:
        tables.append(
            Table(
                caption="What the method chose for itself",
                columns=("name", "value"),
                rows=rows,
                n_words=2,
                is_folded=True,
            )
        )
    return Section(heading="All numbers", tables=tuple(tables))


def _curve_table(
    caption: str,
    classes: Any,
    accuracy: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    level: float,
) -> Table:
    columns = (x.tolist() for x in (classes, accuracy, low, high))
    return Table(
        caption=caption,
        columns=("classes", "accuracy", f"{formats.level(level)} interval"),
        rows=tuple(
            (
                formats.count(k),
                formats.percent(y, 2),
                formats.percent_span(a, b, 2, _DASH),
            )
            for k, y, a, b in zip(*columns, strict=True)
        ),
        n_words=0,
        is_folded=True,
    )


def _plain(value: object) -> str:
    plain = encode(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


# --- a back-test ---------------------------------------------------------------------


def backtest_document(result: Backtest) -> Document:
    """Lay out a back-test."""
    best = min(result.rows, key=lambda row: row.rmse)
    off = formats.points(best.rmse)
    alike = [
        row
        for row in result.rows
        if row.from_classes == best.from_classes and formats.points(row.rmse) == off
    ]
    others = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
    headline = (
        f"Hiding classes ({formats.count(best.from_classes)} shown, "
        f"{formats.count(best.to_classes)} predicted), {best.method}{others} came "
        f"closest{_guesses(result.top)}: off by {off} points"
        f"{_in_brackets(best.rmse_stderr, 'standard error ')} over "
        f"{formats.counted(best.n_repeats, 'repeats')}{_nearly(result.rows, alike)}."
    )
    seen = (
        f"{formats.count(result.n_classes)} classes, "
        f"{formats.count(result.n_samples)} examples; "
        f"{_average_text(result.average, result.class_weighting)}, ties "
        f"{result.ties}; errors in percentage "
        "points, standard errors over the choices in brackets; coverage of "
        f"{formats.level(result.confidence_level)} intervals"
    )
    for name, settings in result.settings.items():
        told = ", ".join(f"{key} {_plain(value)}" for key, value in settings.items())
        seen += f"; {name} with {told}"
    facts = [("Data", seen)]
    if any(row.coverage is None for row in result.rows):
        why = "some choices showed too few classes with examples for an interval"
        facts.append(("Coverage", f"{_DASH} where {why}"))
    return Document(
        headline=headline,
        sections=(
            Section(
                tables=(
                    _backtest_table(
                        result.rows, result.confidence_level, is_folded=False
                    ),
                ),
                is_terminal=True,
            ),
            Section(
                heading="Classes hidden, then predicted",
                lead=(_BACKTEST_LEAD,),
                figure=backtest_drawing(result.rows),
            ),
        ),
        facts=tuple(facts),
        references=_REFERENCES,
    )


def _nearly(rows: Sequence[BacktestRow], best: Sequence[BacktestRow]) -> str:
    """Say who is no further off than the best one, up to two standard errors."""
    first = best[0]
    near = [
        row.method
        for row in rows
        if row.from_classes == first.from_classes
        and row not in best
        and row.rmse - first.rmse
        <= 2 * math.hypot(row.rmse_stderr or 0.0, first.rmse_stderr or 0.0)
    ]
    if not near:
        return ""
    who = near[0] if len(near) == 1 else f"{len(near)} others"
    return f"; {who} within two standard errors of that"


def _backtest_table(
    rows: Sequence[BacktestRow], confidence_level: float, *, is_folded: bool
) -> Table:
    def known(
        value: float | None, write: Callable[[float], str], otherwise: str = _DASH
    ) -> str:
        return write(value) if value is not None else otherwise

    return Table(
        caption="Back-test in percentage points, with standard errors in brackets; "
        f"coverage of {formats.level(confidence_level)} intervals",
        columns=(
            "method",
            "classes",
            "off by",
            "bias",
            "truth",
            "predicted",
            "coverage",
            "times",
        ),
        rows=tuple(
            (
                row.method,
                f"{formats.count(row.from_classes)} {_ARROW} "
                f"{formats.count(row.to_classes)}",
                formats.points(row.rmse) + _in_brackets(row.rmse_stderr),
                formats.points(row.bias, signed=True) + _in_brackets(row.stderr),
                formats.percent(row.truth, 1),
                formats.percent(row.prediction, 1),
                known(row.coverage, formats.percent),
                formats.count(row.n_repeats),
            )
            for row in rows
        ),
        n_words=2,
        is_folded=is_folded,
        is_stacked=True,
    )


# --- several recognisers -------------------------------------------------------------


_SURELY, _HARDLY = 0.95, 0.05
_PAIRED_LEAD = (
    "What the choice of classes leaves open is shared, as far as leaving the same "
    "classes out changes all forecasts alike; what the law may misjudge beyond the "
    "data is taken as each recogniser's own."
)


def recognisers_document(result: RecogniserComparison) -> Document:
    """Lay out forecasts of several recognisers, and which will be ahead."""
    assumed = _assumed_of_all(result)
    headline = _recognisers_headline(result)
    tables = (_each_table(result), *_reach_tables(result), _apart_table(result))
    return Document(
        headline=headline,
        notes=tuple(
            dict.fromkeys(
                text
                if text == _OBSERVED_AND_FORECAST
                else f"{formats.printable(name)}: {text}"
                for name, one in result.recognisers.items()
                for text in _notes(one.notes, one.predictions)
            )
        ),
        sections=(
            Section(tables=tables, is_terminal=True),
            Section(
                heading="Accuracy against the number of classes",
                lead=(_apart_lead(result), _BORDER),
                figure=recognisers_drawing(result, headline),
            ),
            *_trials_sections(result),
            Section(heading=_ASSUMED, items=tuple(map(formats.sentence, assumed))),
            Section(
                heading="How differences were made",
                lead=(_PAIRED_LEAD, *_interval_leads(result)),
            ),
        ),
        facts=(
            ("Observed", _all_observed_text(result)),
            ("Method", _all_methods_text(result)),
            ("Crossing", _crossing_text(result)),
            (
                "Weights",
                _weights_text(next(iter(result.recognisers.values())).class_weighting),
            ),
            ("Assumes", "; ".join(assumed)),
        ),
        references=_REFERENCES[:1],
    )


def _assumed_of_all(result: RecogniserComparison) -> tuple[str, ...]:
    """Say what is assumed of all, and of whom what is assumed of some."""
    alone: dict[Marginality, list[str]] = {}
    for name, one in result.recognisers.items():
        alone.setdefault(one.marginality, []).append(formats.printable(name))
    if len(alone) == 1:
        return (_SAME_POPULATION, _SCORED_ALONE[next(iter(alone))])
    each = "; ".join(
        f"of {listed(names, 4)} {_HOW_ALONE[kind]}" for kind, names in alone.items()
    )
    return (_SAME_POPULATION, f"each class is scored on its own: {each}")


def _each_table(result: RecogniserComparison) -> Table:
    """List the forecast of each recogniser; of several measures, each of these."""
    level = formats.level(result.confidence_level)
    has_more = _has_measures(result)
    rows, bars = [], []
    notes: list[str] = []
    for name, one in result.recognisers.items():
        notes += _measure_caveats(one)
        for measure, found in one.measures.items():
            for p in found.predictions:
                cells = (
                    formats.classes(p.classes),
                    _measure_value(measure, p.value),
                    _measure_span(measure, p.low, p.high, _DASH),
                )
                what = (measure_name(measure),) if has_more else ()
                rows.append((formats.printable(name), *what, *cells))
                bars.append((p.low, p.value, p.high))
    what = ("measure",) if has_more else ()
    return Table(
        columns=("recogniser", *what, "classes", "expect", f"{level} interval"),
        rows=tuple(rows),
        notes=tuple(notes),
        n_words=2 if has_more else 1,
        answer=len(what) + 2,
        bars=tuple(bars),
        is_stacked=has_more,
    )


def _reach_tables(result: RecogniserComparison) -> tuple[Table, ...]:
    """Say up to how many classes each holds an accuracy, where that was asked."""
    reaches = {n: one.reach for n, one in result.recognisers.items() if one.reach}
    if not reaches:
        return ()
    level = formats.level(result.confidence_level)
    first = next(iter(reaches.values()))
    return (
        Table(
            columns=(
                "recogniser",
                f"{_held_share(first.accuracy)} up to",
                f"{level} interval",
            ),
            rows=tuple(
                (
                    formats.printable(name),
                    _reached_text(reach.classes, reach.limit),
                    f"{_reached_text(reach.low, reach.limit)} to "
                    f"{_reached_text(reach.high, reach.limit)}",
                )
                for name, reach in reaches.items()
            ),
        ),
    )


def _reached_text(classes: int | None, limit: int) -> str:
    return f"> {formats.classes(limit)}" if classes is None else formats.about(classes)


def _held_share(accuracy: float) -> str:
    return formats.percent(accuracy, 1 if accuracy > 0.99 else 0)


def _has_measures(result: RecogniserComparison) -> bool:
    return any(one.further for one in result.recognisers.values())


def _first_measure(result: RecogniserComparison) -> list[RecogniserDifference]:
    """Return the differences in the measure that the headline is about."""
    own = result.differences[0].measure
    return [d for d in result.differences if d.measure == own]


def _ranked(result: RecogniserComparison) -> list[str]:
    """Return the names of recognisers, the best at the farthest target first."""
    farthest = max(d.classes for d in result.differences)
    return sorted(
        result.recognisers,
        key=lambda name: (
            -next(
                p.accuracy
                for p in result.recognisers[name].predictions
                if p.classes == farthest
            )
        ),
    )


def _apart_table(result: RecogniserComparison) -> Table:
    """List differences, in the sense of the headline: the better less the other."""
    level = formats.level(result.confidence_level)
    order = _ranked(result)
    turned = [_turned(d, order) for d in result.differences]
    has_more = _has_measures(result)
    what = ("measure",) if has_more else ()
    return Table(
        columns=(
            "difference",
            *what,
            "classes",
            "points",
            f"{level} interval",
            "ahead",
        ),
        rows=tuple(_apart_row(d, has_measure=has_more) for d in turned),
        n_words=2 if has_more else 1,
        answer=len(what) + 2,
        bars=tuple((d.low, d.value, d.high) for d in turned),
        mark=0.0,
        is_stacked=True,
    )


def _turned(d: RecogniserDifference, order: Sequence[str]) -> RecogniserDifference:
    """Turn a difference round if the first of the two is the better one."""
    if order.index(d.second) < order.index(d.first):
        return d
    return replace(
        d,
        first=d.second,
        second=d.first,
        value=-d.value,
        low=-d.high,
        high=-d.low,
        chance_ahead=1 - d.chance_ahead,
    )


def _apart_lead(result: RecogniserComparison) -> str:
    left_out = len(result.recognisers) - MOST_CURVES
    rest = f" {left_out} others are in the table." if left_out > 0 else ""
    level = formats.level(result.confidence_level)
    return (
        f"Lines are forecasts; bands, and bars at the numbers asked for, are {level} "
        "intervals of each alone. Easy classes are easy for all of them: a difference "
        f"is surer than its parts.{rest}"
    )


def _trials_sections(result: RecogniserComparison) -> list[Section]:
    """Show how the back-test judged each recogniser's forecast."""
    rows = [
        (name, row)
        for name, one in result.recognisers.items()
        for row in one.backtest
        if row.method == one.method
    ]
    if not rows:
        return []
    table = Table(
        caption="Back-test in percentage points, with standard errors in brackets",
        columns=(
            "recogniser",
            "classes",
            "off by",
            "bias",
            "truth",
            "predicted",
        ),
        rows=tuple(
            (
                formats.printable(name),
                f"{formats.count(row.from_classes)} {_ARROW} "
                f"{formats.count(row.to_classes)}",
                formats.points(row.rmse) + _in_brackets(row.rmse_stderr),
                formats.points(row.bias, signed=True) + _in_brackets(row.stderr),
                formats.percent(row.truth, 1),
                formats.percent(row.prediction, 1),
            )
            for name, row in rows
        ),
        n_words=1,
        is_stacked=True,
    )
    lead = (
        "Half of the classes were hidden and then predicted from the others, again and "
        "again, for each recogniser by itself."
    )
    heading = "Would it have been right?"
    return [Section(heading=heading, lead=(lead,), tables=(table,))]


def _interval_leads(result: RecogniserComparison) -> tuple[str, ...]:
    kinds = dict.fromkeys(one.interval_kind for one in result.recognisers.values())
    return tuple(
        formats.sentence(f"the interval of each alone: {_INTERVALS[kind]}")
        for kind in kinds
    )


def _all_methods_text(result: RecogniserComparison) -> str:
    """Name the method, and how far off it was with each recogniser."""
    method = next(iter(result.recognisers.values())).method
    told = []
    for name, one in result.recognisers.items():
        rows = [row for row in one.backtest if row.method == one.method]
        if rows and formats.is_known(rows[0].rmse):
            told.append((name, rows[0]))
    if not told:
        return f"{method}; not back-tested"
    row = told[0][1]
    task = f"{formats.count(row.from_classes)} {_ARROW} {formats.count(row.to_classes)}"
    off = ", ".join(
        f"{formats.points(row.rmse)} points ({formats.printable(name)})"
        for name, row in told
    )
    return f"{method}; back-test {task} classes: off by {off}"


def _all_observed_text(result: RecogniserComparison) -> str:
    right = ", ".join(
        f"{formats.printable(name)} {formats.percent(one.observed_accuracy, 1)}"
        for name, one in result.recognisers.items()
    )
    return (
        f"{formats.count(result.n_classes)} classes, "
        f"{formats.count(result.n_samples)} examples, the same for all: {right} right"
    )


def _apart_row(d: RecogniserDifference, *, has_measure: bool) -> tuple[str, ...]:
    def written(difference: float) -> str:
        if d.measure == "mrr":  # a number, as it stands beside its forecasts
            return f"{difference:+.3f}"
        return formats.points(difference, signed=True)

    value, low, high = map(written, (d.value, d.low, d.high))
    return (
        f"{formats.printable(d.second)} - {formats.printable(d.first)}",
        *((measure_name(d.measure),) if has_measure else ()),
        formats.classes(d.classes),
        value,
        f"{low} to {high}",
        formats.percent(d.chance_ahead, 1),
    )


def _recognisers_headline(result: RecogniserComparison) -> str:
    farthest = max(d.classes for d in result.differences)
    best, second = _ranked(result)[:2]
    d = next(
        d
        for d in _first_measure(result)
        if d.classes == farthest and {d.first, d.second} == {best, second}
    )
    sign = 1 if d.second == best else -1
    chance = d.chance_ahead if sign > 0 else 1 - d.chance_ahead
    low, high = sorted((sign * d.low, sign * d.high))
    by = (
        f"{formats.points(sign * d.value)} points "
        f"({formats.level(result.confidence_level)} interval {formats.points(low)} to "
        f"{formats.points(high)})"
    )
    names = formats.printable(best), formats.printable(second)
    where = f"With {formats.classes(farthest)} classes"
    if farthest > FAR * result.n_classes:
        where += f" ({_far_text(farthest, result.n_classes)})"
    sure = f"{formats.percent(chance, 1)} sure"
    held = _held_text(result)
    if chance >= _SURELY:
        return f"{held}{where} {names[0]} will be ahead of {names[1]} by {by}: {sure}."
    return (
        f"{held}{where} {names[0]} is expected ahead of {names[1]} by {by}, but only "
        f"{sure}: they are not told apart."
    )


def _held_text(result: RecogniserComparison) -> str:
    """Say up to how many classes each holds an accuracy, the longest first."""
    reaches = {n: one.reach for n, one in result.recognisers.items() if one.reach}
    if not reaches:
        return ""
    order = sorted(reaches, key=lambda name: -_reached(reaches[name]))
    wanted = _held_share(reaches[order[0]].accuracy)
    said = ", ".join(
        f"{formats.printable(name)} up to "
        f"{_reached_text(reaches[name].classes, reaches[name].limit)} classes"
        for name in order[:_MOST_SAID]
    )
    return f"{wanted} or more is held by {said}. "


def _crossing_text(result: RecogniserComparison) -> str:
    if not result.crossings:
        return "none between the classes observed and the farthest asked for"
    has_more = _has_measures(result)
    return "; ".join(
        f"{formats.printable(c.ahead)} passes {formats.printable(c.behind)} at about "
        f"{formats.about(c.classes)} classes"
        + (f" ({measure_name(c.measure)})" if has_more else "")
        for c in result.crossings
    )


# --- a forecast from published points ------------------------------------------------


_DESIGNS = {
    PointDesign.NESTED: "taken for the same tests in ever larger galleries (design)",
    PointDesign.AVERAGES: "averages over subsets of one set of classes",
    PointDesign.SEPARATE: "other tests and classes for each point",
}
_POINTS_ASSUMED = (
    "new classes resemble those of the points, and nothing else changes with their "
    "number; each class is scored on its own"
)


def points_document(result: CurveExtrapolation) -> Document:
    """Lay out a forecast from published points."""
    level = formats.level(result.confidence_level)
    is_named = any(curve.model for curve in result.curves)
    rows, bars, notes = [], [], []
    for curve in result.curves:
        for p in curve.predictions:
            cells = (
                formats.classes(p.classes),
                formats.percent(p.accuracy, _points_digits(p)),
                formats.percent_span(p.low, p.high, _points_digits(p), dash=_DASH),
            )
            rows.append((formats.printable(curve.model), *cells) if is_named else cells)
            bars.append((p.low, p.accuracy, p.high))
            largest = int(curve.classes.max())
            far = _far_text(p.classes, largest) if p.is_far else ""
            notes.append("a point that was given" if p.is_observed else far)
    columns = ("classes", "expect", f"{level} interval")
    table = Table(
        columns=("model", *columns) if is_named else columns,
        rows=tuple(rows),
        notes=tuple(notes),
        n_words=2 if is_named else 0,
        answer=2 if is_named else 1,
        bars=tuple(bars),
    )
    is_far_said = any(p.is_far for curve in result.curves for p in curve.predictions)
    return Document(
        headline=_points_headline(result),
        notes=tuple(
            curve_note_text(note)
            for note in result.notes
            if not (is_far_said and note.code == CurveNote.FAR)
        ),
        sections=(
            Section(tables=(table,), is_terminal=True),
            Section(
                heading="Accuracy against the number of classes",
                lead=(_points_lead(result),),
                figure=points_drawing(result, _points_headline(result)),
                tables=(_given_table(result),),
            ),
        ),
        facts=(
            ("Points", _points_text(result)),
            ("Method", CURVE_METHODS[result.method].title),
            ("Back-test", _points_backtest_text(result)),
            ("Assumes", _POINTS_ASSUMED),
        ),
        references=_REFERENCES[:1],
    )


def _points_backtest_text(result: CurveExtrapolation) -> str:
    """Say how the last points would have been forecast from those before."""
    tested = [
        (p, float(curve.accuracy[-1]))
        for curve in result.curves
        if (p := curve.backtest) is not None
    ]
    if not tested:
        return "none: it takes three points to hide the last"
    if len(tested) == 1:
        ((p, true),) = tested
        return (
            f"from the points before, {formats.classes(p.classes)} classes were "
            f"expected to give {_forecast(p, result)}; it was "
            f"{formats.percent(true, 1)}"
        )
    off = np.sqrt(np.mean([(p.accuracy - true) ** 2 for p, true in tested]))
    held = sum(p.low <= true <= p.high for p, true in tested)
    return (
        f"the last point from those before, of {formats.count(len(tested))} models: "
        f"off by {formats.points(float(off))} points, and {formats.count(held)} within "
        "their intervals"
    )


def _points_lead(result: CurveExtrapolation) -> str:
    level = formats.level(result.confidence_level)
    lead = (
        "Dots are the points given, lines what is expected, the band the "
        f"{level} interval"
    )
    if len(result.curves) == 1:
        return f"{lead}."
    drawn = min(len(result.curves), MOST_CURVES)
    left_out = len(result.curves) - drawn
    rest = f" {left_out} others are in the table." if left_out else ""
    return f"{lead} of the best of them, bars those of the others.{rest}"


def _points_digits(p: Prediction) -> int:
    """Show as many digits as the interval has."""
    width = p.high - p.low
    return 0 if width > 0.05 else 1 if width > 0.005 else 2


def _points_headline(result: CurveExtrapolation) -> str:
    if len(result.curves) == 1:
        (curve,) = result.curves
        most = formats.count(int(curve.classes[-1]))
        right = formats.percent(float(curve.accuracy[-1]), 1)
        known = f"At {most} classes it is right {right} of the time"
        known += _guesses(result.top)
        if curve.reach is not None:
            level = result.confidence_level
            known += f", and {_reach_text(curve.reach, int(curve.classes[-1]), level)}"
            if len(curve.predictions) == 1:
                return f"{_rising(result)}{known}."
        nearest = sorted(curve.predictions, key=lambda p: p.classes)[:_MOST_SAID]
        said = ", with ".join(
            f"{formats.classes(p.classes)} classes "
            + (
                f"it was {formats.percent(p.accuracy, 1)}"
                if p.is_observed
                else f"expect about {_forecast(p, result)}"
            )
            for p in nearest
        )
        return f"{_rising(result)}{known}; with {said}."
    farthest = max(p.classes for curve in result.curves for p in curve.predictions)
    best = max(result.curves, key=lambda curve: _at(curve, farthest).accuracy)
    p = _at(best, farthest)
    close = [
        formats.printable(curve.model)
        for curve in result.curves
        if curve is not best and _at(curve, farthest).high >= p.low
    ]
    told = ""
    if close:
        is_one = len(close) == 1
        own, verb = ("interval", "overlaps") if is_one else ("intervals", "overlap")
        told = f"; the {own} of {listed(close, 4)} {verb} with it"
    held = ""
    longest = max(result.curves, key=lambda curve: _reached(curve.reach))
    if longest.reach is not None:
        last = int(longest.classes[-1])
        text = _reach_text(longest.reach, last, result.confidence_level)
        held = f" {formats.printable(longest.model)} holds {text}."
    return (
        f"{_rising(result)}Of {len(result.curves)} models "
        f"{formats.printable(best.model)} is expected ahead with "
        f"{formats.classes(farthest)} classes: about {_forecast(p, result)}{told}."
        f"{held}"
    )


def _reached(reach: Reach | None) -> float:
    """Return up to how many classes an accuracy is held."""
    if reach is None:
        return 0.0
    return float("inf") if reach.classes is None else reach.classes


def _rising(result: CurveExtrapolation) -> str:
    """Doubt a forecast from points that rise by more than chance."""
    rising = [n for n in result.notes if n.code == CurveNote.RISES_BEYOND_CHANCE]
    if not rising:
        return ""
    who = listed([n.model for n in rising if n.model], 3)
    of = f" of {formats.printable(who)}" if who else ""
    return (
        f"The points{of} rise, which more classes cannot bring about: something else "
        "changed, and this forecast is doubtful. "
    )


def _forecast(p: Prediction, result: CurveExtrapolation) -> str:
    digits = _points_digits(p)
    level = formats.level(result.confidence_level)
    ends = formats.percent_span(p.low, p.high, digits)
    return f"{formats.percent(p.accuracy, digits)} ({level} interval {ends})"


def _at(curve: PublishedCurve, classes: int) -> Prediction:
    return next(p for p in curve.predictions if p.classes == classes)


def _points_text(result: CurveExtrapolation) -> str:
    sizes = np.concatenate([curve.classes for curve in result.curves])
    n = formats.count(sizes.size)
    low, high = formats.count(int(sizes.min())), formats.count(int(sizes.max()))
    where = f"from {low} to {high}" if low != high else f"at {low}"
    return f"{n} {where} classes: {_DESIGNS[result.design]}"


def _given_table(result: CurveExtrapolation) -> Table:
    """List the points that were given."""
    rows = [
        (
            formats.printable(curve.model),
            formats.count(int(k)),
            formats.percent(float(a), 2),
            "" if curve.n_samples is None else formats.count(int(curve.n_samples[i])),
        )
        for curve in result.curves
        for i, (k, a) in enumerate(zip(curve.classes, curve.accuracy, strict=True))
    ]
    return Table(
        caption="Points given",
        columns=("model", "classes", "accuracy", "tests"),
        rows=tuple(rows),
        n_words=1,
        is_folded=True,
    )


def risk_document(result: RiskExtrapolation) -> Document:
    """Lay out a forecast of cost."""
    level = formats.level(result.confidence_level)
    table = Table(
        caption="Average cost of a decision",
        columns=("classes", "expect", f"{level} interval"),
        rows=tuple(
            (formats.classes(p.classes), _amount(p.risk), _amounts(p.low, p.high))
            for p in result.predictions
        ),
        notes=tuple(
            "observed: the average over all subsets of so many classes"
            if p.is_observed
            else _far_text(p.classes, result.n_classes)
            if p.is_far
            else ""
            for p in result.predictions
        ),
        n_words=0,
        bars=tuple((p.low, p.risk, p.high) for p in result.predictions),
    )
    how = "leaving out classes in turn"
    if result.cost_interval is not CostInterval.NONE:
        how = (
            f"the chance of a mistake: {_INTERVALS[result.interval_kind]}; what a "
            f"mistake costs: {_COST_INTERVALS[result.cost_interval]}"
        )
    sections = (
        Section(tables=(table,), is_terminal=True),
        Section(
            heading="Cost against the number of classes",
            lead=(_COST_LEAD,),
            figure=risk_drawing(result.observed, _risk_headline(result), result),
            tables=(_risk_table(result.observed),),
        ),
        *_accuracy_beside(result.accuracy),
        Section(heading=_ASSUMED, items=tuple(map(formats.sentence, _assumed(result)))),
        Section(
            heading="How the intervals were made",
            lead=(
                formats.sentence(f"beyond the data the intervals come from {how}"),
                "Up to the observed classes they come from the risk curve, by leaving "
                "out classes in turn.",
            ),
        ),
    )
    return Document(
        headline=_risk_headline(result),
        notes=_notes(result.notes, result.predictions),
        sections=sections,
        facts=_risk_facts(result),
        references=_REFERENCES,
    )


def _accuracy_beside(accuracy: Extrapolation | None) -> tuple[Section, ...]:
    """Show other measures of the same recogniser beside its cost."""
    if accuracy is None:
        return ()
    table = Section(tables=(_prediction_table(accuracy),), is_terminal=True)
    return (table, *_measures_sections(accuracy))


def _risk_headline(result: RiskExtrapolation) -> str:
    last = max(result.predictions, key=lambda p: p.classes)
    now = float(result.observed.risk[np.argmax(result.observed.classes)])
    ends = "no interval: too few classes"
    if formats.is_known(last.high):
        level = formats.level(result.confidence_level)
        ends = f"{level} interval {_amounts(last.low, last.high)}"
    return (
        f"With {formats.count(result.n_classes)} classes a decision costs "
        f"{_amount(now)} on average; with {formats.classes(last.classes)} classes "
        f"expect about {_amount(last.risk)} ({ends})."
    )


def _risk_facts(result: RiskExtrapolation) -> tuple[tuple[str, str], ...]:
    now = float(result.observed.risk[np.argmax(result.observed.classes)])
    seen = (
        f"{formats.count(result.n_classes)} classes, "
        f"{formats.count(result.n_samples)} examples: a decision costs {_amount(now)}"
    )
    method = (
        f"{_shares_text(result.method, result.weights)}; the chance of a mistake times "
        "what a mistake costs"
    )
    if result.method in RISK_METHODS:
        method = f"{result.method}: {RISK_METHODS[result.method].summary}"
    costs = ""
    if result.are_costs_by_name is not None:
        matched = "by name" if result.are_costs_by_name else "by column order"
        costs = f"matched {matched}; a row for every answer, a column for every truth"
    return (
        ("Observed", seen),
        ("Method", method),
        ("Costs", costs),
        ("Weights", _weights_text(result.class_weighting)),
        ("Back-test", _risk_backtest_text(result)),
        ("Assumes", "; ".join(_assumed(result)[:2])),
        (
            "Rules",
            f"{_average_text(result.average, result.class_weighting)}, ties "
            f"{result.ties}",
        ),
    )


def _risk_backtest_text(result: RiskExtrapolation) -> str:
    """Say how far off the cost was when classes were hidden."""
    if not result.backtest:
        return "none"
    row = result.backtest[0]
    task = f"{formats.count(row.from_classes)} {_ARROW} {formats.count(row.to_classes)}"
    text = (
        f"{task} classes: off by {_amount(row.rmse)}, where a decision costs "
        f"{_amount(row.truth)}"
    )
    if row.stderr is None:
        return text
    bias, error = formats.signed_number(row.bias), _amount(row.stderr)
    return f"{text}; bias {bias} (standard error {error})"


def _amounts(low: float, high: float) -> str:
    is_there = formats.is_known(low) and formats.is_known(high)
    return f"{formats.amount(low)} to {formats.amount(high)}" if is_there else "none"


# --- curves of the observed classes --------------------------------------------------


def accuracy_curve_document(curve: AccuracyCurve) -> Document:
    """Lay out an accuracy curve."""
    level = formats.level(CURVE_LEVEL)
    low, high = observed_band(curve, CURVE_LEVEL)

    def row(i: int, digits: int) -> tuple[str, ...]:
        return (
            formats.count(curve.classes[i]),
            formats.percent(curve.accuracy[i], digits),
            formats.percent_span(low[i], high[i], digits),
        )

    columns = ("classes", "right", f"{level} interval")
    few = Table(
        columns=columns,
        rows=tuple(row(i, 1) for i in _few(curve)),
        bars=tuple((low[i], curve.accuracy[i], high[i]) for i in _few(curve)),
        n_words=0,
    )
    whole = Table(
        caption="Observed curve",
        columns=columns,
        rows=tuple(row(i, 2) for i in range(curve.classes.size)),
        n_words=0,
        is_folded=True,
    )
    lead = (
        "Each point is the exact average over all choices of that many of the "
        f"observed classes. The band is a {level} interval, from leaving classes out "
        "in turn."
    )
    return Document(
        headline=accuracy_headline(curve),
        sections=(
            Section(tables=(few,), is_terminal=True),
            Section(
                heading="Accuracy against the number of classes",
                lead=(lead,),
                figure=accuracy_drawing(curve, accuracy_headline(curve)),
                tables=(whole,),
            ),
        ),
        facts=(("Observed", _size(curve)), ("Rules", _rules(curve))),
        references=(_CLASSEX,),
    )


def accuracy_headline(curve: AccuracyCurve) -> str:
    """Say the accuracy with the most classes, and how sure it is."""
    last = int(np.argmax(curve.classes))
    error = curve.nearest_standard_error(last)
    right = formats.percent(float(curve.accuracy[last]), 1)
    guesses = "" if curve.top == 1 else f" within {curve.top} guesses"
    sure = ""
    if np.isfinite(error.value):
        of = ""
        if error.classes not in (0, curve.classes[last]):
            of = f", that of {formats.count(error.classes)} classes"
        sure = f" (standard error {formats.percent(error.value, 1)}{of})"
    return (
        f"With {formats.count(curve.classes[last])} classes right {right} of the time"
        f"{guesses}{sure}; {_size(curve)}, {_rules(curve)}."
    )


def risk_curve_document(curve: RiskCurve) -> Document:
    """Lay out a risk curve."""
    level = formats.level(CURVE_LEVEL)
    lead = (
        "Each point is the exact average cost over all choices of that many of the "
        f"observed classes; the band is a {level} interval, from leaving classes out."
    )
    return Document(
        headline=risk_headline(curve),
        sections=(
            Section(
                heading="Cost against the number of classes",
                lead=(lead,),
                figure=risk_drawing(curve, risk_headline(curve)),
                tables=(_risk_table(curve),),
            ),
        ),
        facts=(("Observed", _size(curve)), ("Rules", _rules(curve))),
        references=(_CLASSEX,),
    )


def _risk_table(curve: RiskCurve) -> Table:
    return Table(
        caption="Observed curve",
        columns=("classes", "cost", "standard error"),
        rows=tuple(
            (
                formats.count(curve.classes[i]),
                _amount(curve.risk[i]),
                _amount(curve.stderr[i]),
            )
            for i in range(curve.classes.size)
        ),
        n_words=0,
        is_folded=True,
    )


def risk_headline(curve: RiskCurve) -> str:
    """Say the cost with the most classes."""
    last = int(np.argmax(curve.classes))
    return (
        f"With {formats.count(curve.classes[last])} classes a decision costs "
        f"{formats.amount(float(curve.risk[last]), 4)} on average; {_size(curve)}, "
        f"{_rules(curve)}."
    )


def _few(curve: AccuracyCurve) -> list[int]:
    """Choose the points that a terminal shows, evenly in the logarithm."""
    least, most = max(curve.classes.min(), 1), curve.classes.max()
    wanted = np.geomspace(least, most, _MOST_ROWS)
    nearest = [int(np.abs(curve.classes - size).argmin()) for size in wanted]
    return sorted(set(nearest))


def _size(curve: AccuracyCurve | RiskCurve) -> str:
    examples, classes = formats.count(curve.n_samples), formats.count(curve.n_classes)
    return f"{examples} examples of {classes} classes"


def _rules(curve: AccuracyCurve | RiskCurve) -> str:
    ties = TIE_RULES.choose(curve.ties, parameter="ties").title
    average = AVERAGES.choose(curve.average, parameter="average").title
    if curve.class_weighting is not None:
        average = _average_text(average, curve.class_weighting, has_share=False)
    return f"{average}, ties {ties}"


def _amount(value: float) -> str:
    return formats.amount(value) if formats.is_known(value) else formats.UNKNOWN


VIEWS: dict[str, Callable[[Any], Document]] = {
    AccuracyCurve.kind: accuracy_curve_document,
    Backtest.kind: backtest_document,
    Extrapolation.kind: extrapolation_document,
    CurveExtrapolation.kind: points_document,
    RecogniserComparison.kind: recognisers_document,
    RiskCurve.kind: risk_curve_document,
    RiskExtrapolation.kind: risk_document,
}
