"""How an assessment of estimates is written and laid out on a page."""

from __future__ import annotations

import math

from scorecast.guarantees import EstimateAssessment, ModelComparison, estimate_said
from scorecast.report.figures import Drawing
from scorecast.report.forest import Group, Row, draw_groups, rows_drawing
from scorecast.report.formats import UNKNOWN, is_known, level_name, sentence
from scorecast.report.names import short_by_name
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, column_table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

__all__ = ["estimate_text"]

_LONGEST_NAME = 34
_MOST_MODELS = 6


@render_text.register
def estimate_text(result: EstimateAssessment, *, ascii_only: bool = False) -> str:
    """Write the answer as text: the sentence first, then what it rests on.

    Parameters
    ----------
    result : EstimateAssessment
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*text_lines(result.summary()), ""]
    heading = ("", "", "mean", f"{level_name(result.level)} interval", "by")
    lines += [*table_lines(heading, _loss_rows(result), left={0, 1, 4}), ""]
    tests = _test_rows(result)
    if tests:
        head = ("", "against", "value there", "p")
        lines += [*table_lines(head, tests, left={0, 1}), ""]
    compared = _comparison_rows(result)
    if compared:
        head = ("", "difference", f"{level_name(result.level)} interval", "p")
        lines += [*table_lines(head, compared, left={0}), ""]
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    names = _names(result, 60)
    for model in result.models:
        if model.verdict is not None:
            said = f"{names[model.name]}: {model.verdict.said()}"
            lines += entry_lines("Verdict", said)
    for text in _assumed(result)[:1]:
        lines += entry_lines("Assumes", text)
    return joined_lines(lines, ascii_only=ascii_only)


def _names(result: EstimateAssessment, limit: int = _LONGEST_NAME) -> dict[str, str]:
    return short_by_name([model.name for model in result.models], limit)


def _loss_rows(result: EstimateAssessment) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    names = _names(result)
    for model in result.models:
        name = names[model.name]
        for loss in model.losses:
            by = "" if loss.recommended is None else loss.recommended.method
            span = f"{estimate_said(loss.low)} to {estimate_said(loss.high)}"
            rows.append((name, loss.loss, estimate_said(loss.estimate), span, by))
            name = ""
    return rows


def _head_rows(result: EstimateAssessment) -> list[tuple[str, ...]]:
    """Return the rows of a page, which is narrower than a terminal."""
    several = len(result.models) > 1
    names = _names(result, 40)
    return [
        (
            f"{names[m.name]}, {x.loss}" if several else x.loss,
            estimate_said(x.estimate),
            f"{estimate_said(x.low)} to {estimate_said(x.high)}",
        )
        for m in result.models
        for x in m.losses
    ]


def _test_rows(result: EstimateAssessment) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    names = _names(result)
    for model in result.models:
        name = names[model.name]
        for test in model.tests:
            value = estimate_said(test.null_value)
            rows.append((name, test.setting, value, _p_said(test.worst_p)))
            name = ""
    return rows


def _comparison_rows(result: EstimateAssessment) -> list[tuple[str, ...]]:
    names = _names(result, 20)
    return [
        (
            f"{names[row.a]} less {names[row.b]}",
            f"{row.difference:+.3f}",
            _gap_said(row),
            _p_said(row.p_adjusted),
        )
        for row in result.comparisons
    ]


def _gap_said(row: ModelComparison) -> str:
    """Write the interval of a difference, or why there is none."""
    if row.is_same:
        return "no difference observable"
    if not is_known(row.low):
        return UNKNOWN
    return f"{row.low:+.3f} to {row.high:+.3f}"


def _p_said(p: float) -> str:
    if not is_known(p):
        return UNKNOWN
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def _assumed(result: EstimateAssessment) -> list[str]:
    methods: dict[str, str] = {}
    for model in result.models:
        for loss in model.losses:
            for bound in sorted(loss.bounds, key=lambda b: not b.is_recommended):
                methods.setdefault(bound.method, bound.assumption)
    return [f"{name}: {text}" for name, text in methods.items()]


@main_drawing.register
def _(result: EstimateAssessment) -> Drawing:
    return _bounds(result, result.models[0].losses[0].loss)


def _bounds(result: EstimateAssessment, loss: str) -> Drawing:
    names = _names(result, 60)
    groups = [
        Group(
            heading=names[model.name],
            rows=tuple(
                Row(
                    name=bound.method,
                    dot=found.estimate,
                    low=bound.low if math.isfinite(bound.low) else math.nan,
                    high=bound.high if math.isfinite(bound.high) else math.nan,
                    text=f"{estimate_said(bound.low)} to {estimate_said(bound.high)}",
                    strong=bound.is_recommended,
                )
                for bound in found.bounds
            ),
        )
        for model in result.models[:_MOST_MODELS]
        for found in [model.loss(loss)]
    ]
    return rows_drawing(
        groups,
        lambda axes: draw_groups(axes, groups, xlabel=loss, zero=False),
        title=f"Intervals of {loss}",
        description="; ".join(
            f"{g.heading}: " + ", ".join(f"{r.name} {r.text}" for r in g.rows)
            for g in groups
        ),
    )


@report_sections.register
def _(result: EstimateAssessment) -> tuple[Section, ...]:
    head = Section(
        heading=result.summary(),
        tables=(
            Table(
                caption="",
                columns=("", "mean", f"{level_name(result.level)} interval"),
                rows=tuple(_head_rows(result)),
                words=1,
            ),
        ),
        warnings=result.warnings,
        facts=(("Repeats", f"{result.n_repeats} {result.unit}"),),
    )
    first = result.models[0].losses[0]
    lead = (
        "Every way of putting an interval around the same repeats. The blue one is "
        "recommended."
    )
    reason = "" if first.recommended is None else first.recommended.reason
    said = [lead, sentence(f"recommended because {reason}")] if reason else [lead]
    sections = [
        head,
        Section(
            heading=f"Bounds of {first.loss}",
            lead=tuple(said),
            figure=_bounds(result, first.loss),
            tables=(column_table("All intervals", result.to_columns()),),
        ),
        *_test_sections(result),
    ]
    items = tuple(f"{text}." for text in _assumed(result))
    sections.append(Section(heading="What this assumes", items=items))
    return tuple(sections)


def _test_sections(result: EstimateAssessment) -> list[Section]:
    sections = []
    tests = _test_rows(result)
    if tests:
        table = Table(
            caption="p-values, one-tailed, repeat by repeat",
            columns=("", "against", "value there", "p"),
            rows=tuple(tests),
            words=2,
        )
        names = _names(result, 60)
        verdicts = tuple(
            f"{names[m.name]}: {m.verdict.said()}"
            for m in result.models
            if m.verdict is not None
        )
        heading = "Is it better than chance?"
        sections.append(Section(heading=heading, tables=(table,), items=verdicts))
    compared = _comparison_rows(result)
    if compared:
        table = Table(
            caption="p-values after Holm",
            columns=(
                result.comparisons[0].loss,
                "difference",
                f"{level_name(result.level)} interval",
                "p",
            ),
            rows=tuple(compared),
            words=1,
        )
        sections.append(Section(heading="Model against model", tables=(table,)))
    return sections
