"""What is said of a forecast, on a terminal and on a page alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scorecast.classes import BacktestRow, Extrapolation, Prediction
from scorecast.report.formats import (
    count,
    is_known,
    level_name,
    one_line,
    percent,
    percent_span,
    points,
    weight_name,
)

__all__ = [
    "assumptions_said",
    "backtest_said",
    "chance_said",
    "methods_said",
    "observed_said",
    "sentence",
    "shares_said",
    "span",
]


def observed_said(result: Extrapolation) -> str:
    """Say what was measured.

    Parameters
    ----------
    result : Extrapolation
        The forecast.

    Returns
    -------
    str
        Classes, examples, accuracy and its interval.
    """
    said = (
        f"{count(result.n_classes)} classes, {count(result.n_examples)} examples: "
        f"right {percent(result.observed_accuracy, 1)} of the time{result.guesses}"
    )
    low, high = result.observed_low, result.observed_high
    if not (is_known(low) and is_known(high)):
        return said
    ends = percent_span(low, high, 1).removesuffix(" %")
    return f"{said} ({level_name(result.level)}: {ends})"


def span(prediction: Prediction, dash: str = "-") -> str:
    """Say the interval of a prediction."""
    return percent_span(prediction.low, prediction.high, dash=dash)


def chance_said(prediction: Prediction) -> str:
    """Say what guessing reaches, to two digits where it is small."""
    small = [limit for limit in (0.1, 0.01) if prediction.chance < limit]
    return percent(prediction.chance, len(small))


def methods_said(result: Extrapolation) -> str:
    """Name the method, and what it is a mixture of.

    Parameters
    ----------
    result : Extrapolation
        The forecast.

    Returns
    -------
    str
        Such as ``auto: gaussian .5, regression .5``.
    """
    return shares_said(result.method, {m.name: m.weight for m in result.methods})


def shares_said(method: str, weights: Mapping[str, float]) -> str:
    """Name a method, and what it is a mixture of.

    Parameters
    ----------
    method : str
        Its name.
    weights : mapping of str to float
        Shares of the methods in it.

    Returns
    -------
    str
        Only the name if nothing else has a share.
    """
    used = sorted((n for n in weights if weights[n] > 0), key=lambda n: -weights[n])
    if used in ([], [method]):
        return one_line(method)
    shares = (f"{one_line(name)} {weight_name(weights[name])}" for name in used)
    return f"{one_line(method)}: {', '.join(shares)}"


def sentence(text: str) -> str:
    """Begin with a capital letter and end with a full stop."""
    whole = text[:1].upper() + text[1:].rstrip()
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."


def backtest_said(result: Extrapolation, arrow: str = "->") -> str:
    """Say how far off the method was when classes were hidden from it.

    Parameters
    ----------
    result : Extrapolation
        The forecast.
    arrow : str, default="->"
        What stands between the classes shown and those predicted.

    Returns
    -------
    str
        The hardest task that was tried.
    """
    for shown in sorted({row.from_classes for row in result.backtest}):
        rows = [row for row in result.backtest if row.from_classes == shown]
        error = _error_of(result, rows)
        if error is not None:
            task = f"{count(shown)} {arrow} {count(rows[0].to_classes)} classes"
            said = f"back-test {task}: off by {points(error)} points"
            return said + _bias_of(result, rows)
    if 1 < result.top >= result.n_classes // 2:
        return f"not back-tested{result.guesses}: half of the classes are too few"
    return "not back-tested"


def _bias_of(result: Extrapolation, rows: Iterable[BacktestRow]) -> str:
    """Say the mean error of the method, with its standard error, where it is known."""
    own = next((row for row in rows if row.method == result.method), None)
    if own is None or not is_known(own.stderr):
        return ""
    bias = points(own.bias, signed=True)
    return f", bias {bias} (standard error {points(own.stderr)})"


def _error_of(result: Extrapolation, rows: Iterable[BacktestRow]) -> float | None:
    errors = {row.method: row.rmse for row in rows if is_known(row.rmse)}
    if result.method in errors:
        return errors[result.method]
    used = [m for m in result.methods if m.weight > 0]
    if not used or any(m.name not in errors for m in used):
        return None
    # By the triangle inequality a mixture is off by no more than this.
    return sum(m.weight * errors[m.name] for m in used) / sum(m.weight for m in used)


def assumptions_said(assumptions: Sequence[str], limit: int = 400) -> str:
    """Join assumptions into one line."""
    return "; ".join(one_line(text.rstrip(". \n"), limit) for text in assumptions)
