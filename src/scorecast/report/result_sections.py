"""What a page says of each kind of result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from scorecast._core.results import jsonable
from scorecast._core.types import FloatArray, Json
from scorecast.classes import Backtest, BacktestRow, Extrapolation
from scorecast.report.curve_plots import (
    observed_ends,
    outlook_drawing,
)
from scorecast.report.discriminability_plot import discriminability_drawing
from scorecast.report.formats import (
    UNKNOWN,
    count,
    is_known,
    level_name,
    percent,
    percent_span,
    points,
    weight_name,
)
from scorecast.report.phrases import (
    assumptions_said,
    backtest_said,
    chance_said,
    methods_said,
    observed_said,
    sentence,
    span,
)
from scorecast.report.row_plots import agreement_drawing, backtest_drawing
from scorecast.report.sections import Section, Table, report_sections
from scorecast.scores import AccuracyCurve

__all__: list[str] = []

_DASH = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"
_ARROW = "\N{RIGHTWARDS ARROW}"
_MOST_ABREAST = 36  # letters that narrow screens show side by side

_REFERENCES = (
    "C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies "
    "for large multi-class problems. Journal of Machine Learning Research 19.",
    "C. Y. Zheng and Y. Benjamini (2016). Estimating mutual information in high "
    "dimensions via classification error. arXiv:1606.05229.",
    "K. N. Kay, T. Naselaris, R. J. Prenger and J. L. Gallant (2008). Identifying "
    "natural images from human brain activity. Nature 452, 352\N{EN DASH}355.",
)


@report_sections.register
def _(result: Extrapolation) -> tuple[Section, ...]:
    sections = [_head(result), _outlook(result)]
    sections += [*_agreement(result), *_backtest(result), *_difficulty(result)]
    if any(result.assumptions):
        heading = "What this assumes, and what was checked"
        items = tuple(map(sentence, filter(None, result.assumptions)))
        sections.append(Section(heading=heading, items=items))
    sections += [
        _intervals(result),
        _numbers(result),
        Section(heading="References", items=_REFERENCES),
    ]
    return tuple(sections)


@report_sections.register
def _(result: Backtest) -> tuple[Section, ...]:
    return (
        Section(heading=result.summary()),
        Section(
            heading="Classes hidden, then predicted",
            lead=(_BACKTEST_LEAD,),
            figure=backtest_drawing(result.rows),
            tables=(_backtest_table(result.rows, result.level, folded=False),),
        ),
    )


def _head(result: Extrapolation) -> Section:
    level = level_name(result.level)
    rows = tuple(
        (
            count(p.classes),
            percent(p.accuracy),
            span(p, _DASH),
            chance_said(p),
        )
        for p in result.predictions
    )
    facts = [
        ("Observed", observed_said(result)),
        ("Method", f"{methods_said(result)}; {backtest_said(result, _ARROW)}"),
    ]
    if result.assumptions:
        facts.append(("Assumes", assumptions_said(result.assumptions[:2])))
    return Section(
        heading=result.sentence(),
        tables=(
            Table(
                caption="",
                columns=("classes", "expect", f"{level} interval", "chance"),
                rows=rows,
                notes=tuple(p.note for p in result.predictions),
                words=1,
            ),
        ),
        warnings=tuple(filter(None, result.warnings)),
        facts=tuple(facts),
    )


def _outlook(result: Extrapolation) -> Section:
    lead = (
        f"Measured up to {count(result.n_classes)} classes, forecast beyond. Read off "
        f"the accuracy{result.guesses} at the number of classes you will face: the "
        f"wider the shaded {level_name(result.level)} band there, the less is known."
    )
    if len(result.methods) > 1:
        lead += " The thin lines are the single methods"
        lead += (
            "; dotted ones have no share in the forecast." if _has_idle(result) else "."
        )
    return Section(
        heading="Accuracy against the number of classes",
        lead=(lead,),
        figure=outlook_drawing(result),
    )


def _has_idle(result: Extrapolation) -> bool:
    return any(m.weight <= 0 for m in result.methods)


def _agreement(result: Extrapolation) -> list[Section]:
    if not result.methods:
        return []
    table = _method_table(result)
    heading = "What each method says"
    beyond = any(p.classes > result.n_classes for p in result.predictions)
    if len(result.methods) < 2 or not beyond:
        return [Section(heading=heading, tables=(table,))]
    lead = (
        "Dots close together mean that the forecast does not hang on the choice of "
        "method; a dot outside the shaded interval is a reason for doubt."
    )
    if _has_idle(result):
        lead += " Hollow dots have no share in the forecast."
    figure = agreement_drawing(result)
    return [Section(heading=heading, lead=(lead,), figure=figure, tables=(table,))]


def _method_table(result: Extrapolation) -> Table:
    targets = [count(p.classes) for p in result.predictions]
    rows = tuple(
        (m.name, weight_name(m.weight), *(percent(x, 1) for x in m.targets.tolist()))
        for m in result.methods
    )
    columns = ("method", "share", *targets)
    return Table(
        caption="Share of each method, and its accuracy at each number of classes",
        columns=columns,
        rows=rows,
        notes=tuple(m.note for m in result.methods),
        words=1,
        stacked=_is_wide(columns, rows),
    )


def _is_wide(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """Tell whether a narrow screen would cut a table off."""
    cells = zip(columns, *rows, strict=True)
    return sum(max(map(len, column)) for column in cells) > _MOST_ABREAST


_BACKTEST_LEAD = (
    "Some of the classes were hidden and then predicted from the others, again and "
    "again. A dot is the mean error, the bar how much it varies, the number on the "
    "right its typical size: the best method has its dot at zero and a short bar. The "
    "table gives the standard error of every mean error."
)


def _backtest(result: Extrapolation) -> list[Section]:
    if not result.backtest:
        return []
    table = _backtest_table(result.backtest, result.level, folded=True)
    section = Section(
        heading="Would it have been right?",
        lead=(_BACKTEST_LEAD,),
        figure=backtest_drawing(result.backtest, {result.method}),
        tables=(table,),
    )
    return [section]


def _backtest_table(
    rows: Sequence[BacktestRow], level: float, *, folded: bool
) -> Table:
    return Table(
        caption="Back-test, errors in percentage points",
        columns=(
            "method",
            "classes",
            "off by",
            "bias",
            "its error",
            "truth",
            "predicted",
            f"in {level_name(level)} interval",
            "repeats",
        ),
        rows=tuple(
            (
                row.method,
                f"{count(row.from_classes)} {_ARROW} {count(row.to_classes)}",
                points(row.rmse),
                points(row.bias, signed=True, minus=_MINUS),
                points(row.stderr) if is_known(row.stderr) else _DASH,
                percent(row.truth, 1),
                percent(row.prediction, 1),
                percent(row.coverage) if is_known(row.coverage) else _DASH,
                count(row.n_repeats),
            )
            for row in rows
        ),
        words=1,
        folded=folded,
    )


def _difficulty(result: Extrapolation) -> list[Section]:
    if not np.isfinite(result.discriminability).any():
        return []
    n_classes = count(result.n_classes)
    # The curve is of single competitors, however many guesses are allowed.
    mistakes = "mistakes" if result.top == 1 else "wrong first guesses"
    lead = (
        "An example at 1,000 is beaten by one class in a thousand: safe among a "
        "hundred classes, mostly lost among ten thousand. The height of the curve at "
        f"a number of classes is roughly the share of {mistakes} with that many. Up to "
        f"{n_classes} the data speak; beyond, the curve is what the method infers."
    )
    figure = discriminability_drawing(result)
    heading = "How many classes it takes to beat an example"
    return [Section(heading=heading, lead=(lead,), figure=figure)]


def _intervals(result: Extrapolation) -> Section:
    rules = (
        ("Level", level_name(result.level)),
        ("Average", result.average),
        ("Ties", result.ties),
        ("Seed", "none" if result.seed is None else str(result.seed)),
        *((str(name), _said(value)) for name, value in result.options.items()),
    )
    lead = (sentence(result.interval),) if result.interval else ()
    return Section(heading="How the interval was made", lead=lead, facts=rules)


def _numbers(result: Extrapolation) -> Section:
    tables = [_curve_table(result.observed, result.level, observed_ends(result))]
    forecast = result.curve
    if forecast.classes.size:
        rows = zip(
            forecast.classes.tolist(),
            forecast.accuracy.tolist(),
            forecast.low.tolist(),
            forecast.high.tolist(),
            strict=True,
        )
        tables.append(_wide_table("Forecast curve", rows, result.level))
    if result.details:
        tables.append(_details_table(result.details))
    return Section(heading="All numbers", tables=tuple(tables))


def _curve_table(
    curve: AccuracyCurve, level: float, ends: tuple[FloatArray, FloatArray]
) -> Table:
    columns = (curve.classes, curve.accuracy, *ends)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return _wide_table("Observed curve", rows, level)


def _wide_table(
    caption: str, rows: Iterable[tuple[int, float, float, float]], level: float
) -> Table:
    return Table(
        caption=caption,
        columns=("classes", "accuracy", f"{level_name(level)} interval"),
        rows=tuple(
            (count(k), percent(y, 2), percent_span(low, high, 2, _DASH))
            for k, y, low, high in rows
        ),
        folded=True,
    )


def _details_table(details: Json) -> Table:
    rows = tuple((str(name), _said(value)) for name, value in details.items())
    return Table(
        caption="What the method chose for itself",
        columns=("name", "value"),
        rows=rows,
        words=2,
        folded=True,
    )


def _said(value: object) -> str:
    plain = jsonable(value)
    if isinstance(plain, str):
        return plain
    return UNKNOWN if plain is None else json.dumps(plain, ensure_ascii=False)
