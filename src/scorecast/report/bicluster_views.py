"""How scores of biclusters are written and laid out on a page."""

from __future__ import annotations

from dataclasses import replace

from scorecast.biclusters import BiclusterRow, BiclusterScores
from scorecast.report.bicluster_plots import agreement_drawing, heat_map_drawing
from scorecast.report.drawing import Drawing
from scorecast.report.formats import (
    UNKNOWN,
    clipped,
    count,
    is_known,
    printable,
)
from scorecast.report.phrases import sentence
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, column_table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

__all__ = ["bicluster_text"]

_MOST_ROWS = 12
_LONGEST_NAME = 10
_ROUNDING = 1e-12
_SHOWN = (
    "recovery", "relevance", "recovery-rows", "relevance-rows", "consensus", "rnia",
    "clustering-error", "f-rows", "entropy-rows", "f-columns", "entropy-columns",
)  # fmt: skip
_MEANING = {
    "recovery": "MS(H, B), rows and columns",
    "relevance": "MS(B, H), rows and columns",
    "recovery-rows": "MS(H, B), rows",
    "relevance-rows": "MS(B, H), rows",
    "consensus": "best one-to-one pairs",
    "rnia": "cells not in common; 0 is best",
    "clustering-error": "the same, one to one; 0 is best",
    "f-rows": "F-measure of rows",
    "entropy-rows": "how mixed rows are; 0 is best",
    "f-columns": "F-measure of columns",
    "entropy-columns": "how mixed columns are; 0 is best",
}
_REFERENCES = (
    "A. Prelic and others (2006). A systematic comparison and evaluation of "
    "biclustering methods for gene expression data. Bioinformatics 22.",
    "S. Hochreiter and others (2010). FABIA: factor analysis for bicluster "
    "acquisition. Bioinformatics 26.",
    "A. Patrikainen and M. Meila (2006). Comparing subspace clusterings. IEEE "
    "Transactions on Knowledge and Data Engineering 18.",
    "Y. Cheng and G. M. Church (2000). Biclustering of expression data. ISMB.",
    "B. Pontes, R. Giraldez and J. S. Aguilar-Ruiz (2010). Measuring the quality of "
    "shifting and scaling patterns in biclusters. PRIB.",
    "A. Shabalin and others (2009). Finding large average submatrices in high "
    "dimensional data. Annals of Applied Statistics 3.",
    "A. Ben-Dor and others (2003). Discovering local structure in gene expression "
    "data: the order-preserving submatrix problem. Journal of Computational Biology "
    "10.",
)


@render_text.register
def bicluster_text(result: BiclusterScores, *, ascii_only: bool = False) -> str:
    """Write the answer as text: the sentence first, then measures, then biclusters.

    Parameters
    ----------
    result : BiclusterScores
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*text_lines(result.summary()), ""]
    if result.agreement:
        lines += [*table_lines(_AGREEMENT, _agreement_rows(result), left={0, 4}), ""]
    if result.biclusters and (result.has_data or result.agreement):
        heading, rows = _bicluster_table(result)
        lines += table_lines(heading, rows[:_MOST_ROWS], left={0})
        if len(rows) > _MOST_ROWS:
            lines.append(f"  and {count(len(rows) - _MOST_ROWS)} more")
        lines.append("")
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    for text in result.assumptions:
        lines += entry_lines("Assumes", text)
    while lines and not lines[-1]:
        lines.pop()
    return joined_lines(lines, ascii_only=ascii_only)


_AGREEMENT = ("", "value", "chance", "p", "")


def _agreement_rows(result: BiclusterScores) -> list[tuple[str, ...]]:
    known = {x.measure: x for x in result.agreement}
    return [
        (
            name,
            _number(known[name].value),
            _number(known[name].chance),
            _number(known[name].p),
            _MEANING[name],
        )
        for name in _SHOWN
        if name in known
    ]


def _bicluster_table(
    result: BiclusterScores,
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return headings and rows, the most significant bicluster first."""
    heading = ["bicluster", "size"]
    heading += ["match", "overlap"] if result.agreement else []
    heading += ["residue", "correlation"] if result.has_data else []
    heading += ["pattern", "p"] if result.is_tested else []
    order = sorted(
        result.biclusters,
        key=lambda b: b.log10_p_adjusted if is_known(b.log10_p_adjusted) else 0.0,
    )
    return tuple(heading), [_bicluster_row(result, row) for row in order]


def _bicluster_row(result: BiclusterScores, row: BiclusterRow) -> tuple[str, ...]:
    cells = [_name(row.name), f"{count(row.n_rows)} x {count(row.n_columns)}"]
    if result.agreement:
        cells += [
            _name(row.match) or "none",
            _number(row.match_score),
        ]
    if result.has_data:
        cells += [_short(row.msr), _number(row.row_correlation)]
    if result.is_tested:
        cells += [row.pattern, _p_said(row.log10_p_adjusted)]
    return tuple(cells)


def _name(text: str) -> str:
    return clipped(printable(text), _LONGEST_NAME)


def _number(value: float) -> str:
    return f"{value:.3f}" if is_known(value) else UNKNOWN


def _short(value: float) -> str:
    if not is_known(value):
        return UNKNOWN
    return f"{value:.4g}" if abs(value) > _ROUNDING else "0"


def _p_said(log10_p: float) -> str:
    if not is_known(log10_p):
        return UNKNOWN
    if log10_p >= -3:
        return f"{10**log10_p:.3f}"
    return f"1e{log10_p:.0f}" if log10_p > -1000 else "<1e-1000"


@main_drawing.register
def _(result: BiclusterScores) -> Drawing:
    if result.picture is not None:
        return heat_map_drawing(result.picture)
    return agreement_drawing(result)


@report_sections.register
def _(result: BiclusterScores) -> tuple[Section, ...]:
    facts = [
        ("Matrix", f"{count(result.n_rows)} rows, {count(result.n_columns)} columns")
    ]
    sections = [
        Section(heading=result.summary(), warnings=result.warnings, facts=tuple(facts))
    ]
    if result.picture is not None:
        sections.append(_map_section(result))
    if result.agreement:
        sections.append(_agreement_section(result))
    if result.biclusters:
        sections.append(_bicluster_section(result))
    if result.assumptions:
        items = tuple(sentence(text) for text in result.assumptions)
        sections.append(Section(heading="What this assumes", items=items))
    sections.append(Section(heading="References", items=_REFERENCES))
    return tuple(sections)


def _map_section(result: BiclusterScores) -> Section:
    picture = result.picture
    if picture is None:
        return Section(heading="")
    n, m = len(picture.rows), len(picture.columns)
    why = ""
    if n < result.n_rows or m < result.n_columns:
        why = ", as many as can be told apart"
    shown = (
        f"{count(n)} of {count(result.n_rows)} rows and {count(m)} of "
        f"{count(result.n_columns)} columns{why}, in an order in which biclusters lie "
        "together. Blue cells are above the median of their column, grey ones below; "
        "the deeper, the farther. A bicluster in several pieces shares rows or columns "
        "with others."
    )
    return Section(
        heading="Where they lie", lead=(shown,), figure=heat_map_drawing(picture)
    )


def _agreement_section(result: BiclusterScores) -> Section:
    lead = (
        "Dots: agreement with the hidden biclusters. Bars: where random biclusters of "
        "the same sizes would lie, two standard deviations around their mean. A dot "
        "inside its bar is no better than chance."
    )
    table = column_table("All measures of agreement", result.agreement_columns())
    return Section(
        heading="Against the hidden biclusters",
        lead=(lead,),
        figure=agreement_drawing(result),
        tables=(table,),
    )


def _bicluster_section(result: BiclusterScores) -> Section:
    heading, rows = _bicluster_table(result)
    lead = []
    if result.has_data:
        lead.append(
            "Residue: mean squared residue, 0 where rows differ by a constant only. "
            "Correlation: mean over all pairs of rows."
        )
    if result.is_tested:
        lead.append(
            "p: chance of anything as surprising in a matrix without biclusters, "
            "after adjustment. Below the name: what is most surprising about it."
        )
    notes: tuple[str, ...] = ()
    if result.is_tested:
        # A page is narrower than a terminal: the pattern goes below the name.
        place = heading.index("pattern")
        notes = tuple(row[place] for row in rows[:_MOST_ROWS])
        heading = (*heading[:place], "p")
        rows = [(*row[:place], row[-1]) for row in rows]
    table = Table(
        caption="",
        columns=heading,
        rows=tuple(rows[:_MOST_ROWS]),
        notes=notes,
        words=1,
    )
    everything = replace(column_table("All numbers", result.to_columns()), folded=True)
    return Section(
        heading="Bicluster by bicluster", lead=tuple(lead), tables=(table, everything)
    )
