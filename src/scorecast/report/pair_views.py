"""How an answer about two models is written and laid out on a page."""

from __future__ import annotations

from scorecast.comparison import (
    PAIR_PAPERS,
    PairComparison,
    works_cited,
)
from scorecast.report.comparison_plots import pair_drawing
from scorecast.report.drawing import Drawing
from scorecast.report.formats import (
    UNKNOWN,
    count,
    is_known,
    level_name,
    p_cell,
    signed_number,
    signed_size,
)
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, column_table, report_sections
from scorecast.report.short_names import short_names
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    paragraph_lines,
    render_text,
)

__all__ = ["pair_text"]


@render_text.register
def pair_text(result: PairComparison, *, ascii_only: bool = False) -> str:
    """Write the answer about two models as text.

    Parameters
    ----------
    result : PairComparison
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*paragraph_lines(result.summary()), ""]
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    for label, text in _pair_facts(result):
        lines += entry_lines(label, text)
    return joined_lines(lines, ascii_only=ascii_only)


def _pair_facts(result: PairComparison) -> list[tuple[str, str]]:
    note = "" if result.found.note in result.warnings else result.found.note
    facts = [
        ("Effect", _effect_said(result)), ("Why", result.reason), ("Note", note),
        ("Assumes", "; ".join(result.assumptions)),
    ]  # fmt: skip
    return [(name, text) for name, text in facts if text]


def _effect_said(result: PairComparison) -> str:
    first, second, effect = result.better_first()
    if effect.wins is None or effect.ties is None or effect.losses is None:
        return "a metric says nothing of single cases: only the difference is known"
    sizes = (
        f"Cliff's delta {signed_size(effect.cliffs_delta)}, Cohen's d "
        f"{signed_size(effect.cohens_d)} ({first} less {second})"
    )
    if result.found.test == "delong":
        # Wins would count cases by how much of the other class they are ordered with.
        return f"{sizes}, of the share of the other class rightly ordered with a case"
    wins, ties, losses = map(count, (effect.wins, effect.ties, effect.losses))
    return f"{sizes}; {first} won {wins}, tied {ties}, lost {losses}"


@main_drawing.register
def _(result: PairComparison) -> Drawing:
    return pair_drawing(result)


@report_sections.register
def _(result: PairComparison) -> tuple[Section, ...]:
    first, second, effect = result.better_first()
    a, b = short_names([first, second], 40)
    span = UNKNOWN
    if is_known(effect.low) and is_known(effect.high):
        span = f"{signed_number(effect.low)} to {signed_number(effect.high)}"
    difference = signed_number(effect.difference)
    head = Section(
        heading=result.summary(),
        figure=pair_drawing(result),
        warnings=result.warnings,
        facts=tuple(_pair_facts(result)),
        tables=(
            Table(
                caption="",
                columns=("", "difference", f"{level_name(result.level)} interval", "p"),
                rows=((f"{a} less {b}", difference, span, p_cell(result.p)),),
                words=1,
            ),
        ),
    )
    # One number under the other: in a row they are wider than any page.
    numbers = column_table("", result.to_columns())
    table = Table(
        caption="", columns=("", "value"), words=1,
        rows=tuple(zip(numbers.columns, numbers.rows[0], strict=True)),
    )  # fmt: skip
    sections = [head, Section(heading="All numbers", tables=(table,))]
    works = works_cited([PAIR_PAPERS.get(result.found.test, "")])
    if works:
        sections.append(Section(heading="References", items=works))
    return tuple(sections)
