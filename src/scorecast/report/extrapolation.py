"""How curves of accuracy and cost are laid out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scorecast.report import formats
from scorecast.report.curve_plots import CURVE_LEVEL, accuracy_drawing, observed_band
from scorecast.report.document import Document, Section, Table
from scorecast.report.risk_views import risk_drawing
from scorecast.scores import AVERAGES, TIE_RULES, AccuracyCurve, RiskCurve

_MOST_ROWS = 8  # in a terminal
_ACCURACY_REFERENCE = (
    "C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies "
    "for large multi-class problems. Journal of Machine Learning Research 19."
)


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
        references=(_ACCURACY_REFERENCE,),
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
    table = Table(
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
                figure=risk_drawing(curve, description=risk_headline(curve)),
                tables=(table,),
            ),
        ),
        facts=(("Observed", _size(curve)), ("Rules", _rules(curve))),
        references=(_ACCURACY_REFERENCE,),
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
    return f"{AVERAGES.choose(curve.average, parameter='average').title}, ties {ties}"


def _amount(value: float) -> str:
    return formats.amount(value) if formats.is_known(value) else formats.UNKNOWN


VIEWS: dict[str, Callable[[Any], Document]] = {
    AccuracyCurve.kind: accuracy_curve_document,
    RiskCurve.kind: risk_curve_document,
}
