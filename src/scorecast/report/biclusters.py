"""How scores of biclusters are laid out: the answer, where they lie, each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast._core.result import Note
from scorecast._core.types import BoolArray
from scorecast.biclusters import (
    AGREEMENT_MEASURES,
    COHERENCE_MEASURES,
    PATTERNS,
    BiclusterRow,
    BiclusterScores,
    Enrichment,
    Enrichments,
    HeatMap,
    ScoringNote,
)
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import (
    ACCENT,
    FONT_SIZE,
    INK,
    MUTED,
    PAPER,
    Drawing,
    plain_axes,
)
from scorecast.report.forest import Group, Row, draw_groups, rows_drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 12
_LONGEST_NAME = 10
_LONGEST_TERM = 40
_ROUNDING = 1e-12
_SHOWN = (
    "recovery",
    "relevance",
    "recovery-rows",
    "relevance-rows",
    "consensus",
    "rnia",
    "clustering-error",
    "f-rows",
    "entropy-rows",
    "f-columns",
    "entropy-columns",
)
_NOTES = {
    ScoringNote.NOTHING_FOUND: "Nothing was found: every match counts as 0.",
    ScoringNote.REPEATED_FOUND: "{count} of the found biclusters repeat another one "
    "and count again.",
    ScoringNote.REPEATED_HIDDEN: "{count} of the hidden biclusters repeat another one "
    "and count again.",
}
_CHANCE = "chance: biclusters of the same sizes, rows and columns drawn at random"
_SEARCHED = (
    "p-values are adjusted for every bicluster that a search could have picked, so "
    "they hold for found ones"
)
_TIED = (
    "equal values are told apart at random before the test; a pattern that only ties "
    "would show is not seen"
)
_NAMED = (
    "p-values are of biclusters that were not chosen by looking at these data: values, "
    "freed of the level and the spread of their row and column, are shuffled within "
    "columns; adjusted by Holm"
)


def scores_document(found: BiclusterScores) -> Document:
    """Lay out scores of biclusters."""
    sections = []
    if found.heat_map is not None:
        sections.append(_map_section(found, found.heat_map))
    if found.agreement:
        sections.append(_agreement_section(found))
    if found.biclusters and (found.has_data or found.agreement):
        sections.append(_bicluster_section(found))
    if found.enrichments is not None:
        sections.append(_enrichment_section(found, found.enrichments))
    rows, columns = formats.count(found.n_rows), formats.count(found.n_columns)
    return Document(
        headline=_headline(found),
        notes=tuple(_note_sentence(note, found) for note in found.notes),
        sections=tuple(sections),
        facts=(
            ("Matrix", f"{rows} rows, {columns} columns"),
            *(("Assumes", text) for text in _assumptions(found)),
        ),
        references=_references(found),
        figure=None if found.heat_map is not None else agreement_drawing(found),
    )


def _headline(found: BiclusterScores) -> str:
    if not found.n_found:
        return f"No biclusters were found; {found.n_hidden} are hidden."
    said = formats.counted(found.n_found, "biclusters")
    said += (
        f" in {formats.count(found.n_rows)} rows x "
        f"{formats.count(found.n_columns)} columns"
    )
    if found.n_hidden is not None:
        each = [
            f"{name} {_beside_chance(found, name)}"
            for name in ("recovery", "relevance", "consensus")
        ]
        said += f" against {formats.count(found.n_hidden)} hidden: {', '.join(each)}"
    if found.n_significant is not None:
        said += (
            f". {formats.count(found.n_significant)} of {formats.count(found.n_found)} "
            f"significant at {found.alpha:g} after adjustment"
        )
    if found.enrichments is not None:
        said += (
            f". {formats.count(found.enrichments.n_enriched)} of "
            f"{formats.count(found.n_found)} hold rows that share a term more often "
            f"than by chance (at {found.alpha:g} after adjustment)"
        )
    return f"{said}."


def _beside_chance(found: BiclusterScores, measure: str) -> str:
    score = found.agreement[measure]
    known = formats.is_known(score.chance)
    chance = f" (chance {score.chance:.2f})" if known else ""
    return f"{score.value:.2f}{chance}"


def _note_sentence(note: Note, found: BiclusterScores) -> str:
    if note.code != ScoringNote.MISSING_LEFT_OUT:
        return _NOTES[ScoringNote(note.code)].format(count=note.count)
    are = "is" if note.count == 1 else "are"
    said = (
        f"{formats.count(note.count or 0)} of {formats.count(note.total or 0)} values "
        f"{are} missing (NaN) and left out of means"
    )
    if found.is_found_in_data:
        # Drawn, a cell of a bicluster is noise: it can only hide a pattern.
        said += "; tests take noise in their place"
    return f"{said}."


def _assumptions(found: BiclusterScores) -> tuple[str, ...]:
    assumes = [_CHANCE] if found.agreement and found.n_random else []
    if found.has_data and found.n_found:
        if found.is_found_in_data:
            chosen = PATTERNS.get(found.pattern, next(iter(PATTERNS.values())))
            assumes += [
                *chosen.assumes,
                _SEARCHED,
                *([_TIED] if found.has_ties else []),
            ]
        else:
            assumes.append(_NAMED)
    return tuple(assumes)


def _references(found: BiclusterScores) -> tuple[str, ...]:
    works = [AGREEMENT_MEASURES[name].reference for name in found.agreement]
    if found.has_data:
        works += [measure.reference for measure in COHERENCE_MEASURES.values()]
    if found.n_significant is not None and found.is_found_in_data:
        works += [pattern.reference for pattern in PATTERNS.values()]
    return tuple(dict.fromkeys(work for work in works if work))


# Sections --------------------------------------------------------------------------


def _map_section(found: BiclusterScores, picture: HeatMap) -> Section:
    n, m = len(picture.rows), len(picture.columns)
    is_part = n < found.n_rows or m < found.n_columns
    why = ", as many as can be told apart" if is_part else ""
    shown = (
        f"{formats.count(n)} of {formats.count(found.n_rows)} rows and "
        f"{formats.count(m)} of {formats.count(found.n_columns)} columns{why}, in an "
        "order in which biclusters lie together. Blue cells are above the median of "
        "their column, grey ones below; the deeper, the farther. A bicluster in "
        "several pieces shares rows or columns with others."
    )
    return Section(
        heading="Where they lie", lead=(shown,), figure=heat_map_drawing(picture)
    )


def _agreement_section(found: BiclusterScores) -> Section:
    lead = (
        "Dots: agreement with the hidden biclusters. Bars: where random biclusters of "
        "the same sizes would lie, two standard deviations around their mean. A dot "
        "inside its bar is no better than chance."
    )
    columns = ("", "value", "chance", "p")
    return Section(
        heading="Against the hidden biclusters",
        lead=(lead,),
        figure=agreement_drawing(found),
        tables=(
            Table(
                columns=columns,
                rows=tuple(_agreement_row(found, name) for name in _SHOWN),
                notes=tuple(AGREEMENT_MEASURES[name].summary for name in _SHOWN),
            ),
            Table(
                caption="All measures of agreement",
                columns=("", "value", "better", "chance", "deviation", "p"),
                rows=tuple(
                    (
                        name,
                        _number(score.value),
                        "greater" if score.greater_is_better else "smaller",
                        _number(score.chance),
                        _number(score.chance_std),
                        _number(score.p_value),
                    )
                    for name, score in found.agreement.items()
                ),
                is_folded=True,
            ),
        ),
        is_terminal=True,
    )


def _agreement_row(found: BiclusterScores, name: str) -> tuple[str, ...]:
    score = found.agreement[name]
    return name, *map(_number, (score.value, score.chance, score.p_value))


def _bicluster_section(found: BiclusterScores) -> Section:
    is_tested = found.n_significant is not None
    lead = []
    if found.has_data:
        lead.append(
            "Residue: mean squared residue, 0 where rows differ by a constant only. "
            "Correlation: mean over all pairs of rows."
        )
    if is_tested:
        lead.append(
            "p: chance of anything as surprising in a matrix without biclusters, "
            "after adjustment. Below the name: what is most surprising about it."
        )
    columns = ["bicluster", "size"]
    columns += ["match", "overlap"] if found.agreement else []
    columns += ["residue", "correlation"] if found.has_data else []
    columns += ["p"] if is_tested else []
    order = sorted(found.biclusters, key=_sort_key)
    shown = order[:_MOST_ROWS]
    n_more = len(order) - len(shown)
    rows = [_bicluster_row(found, row) for row in shown]
    notes = [row.significance.pattern if row.significance else "" for row in shown]
    if n_more:
        rows.append((f"and {formats.count(n_more)} more", *[""] * (len(columns) - 1)))
        notes.append("")
    every = found.to_columns()
    return Section(
        heading="Bicluster by bicluster",
        lead=tuple(lead),
        tables=(
            Table(
                columns=tuple(columns),
                rows=tuple(rows),
                notes=tuple(notes) if is_tested else (),
            ),
            Table(
                caption="All numbers",
                columns=tuple(name.replace("_", " ") for name in every),
                rows=tuple(
                    tuple(map(_any_cell, row))
                    for row in zip(*every.values(), strict=True)
                ),
                is_folded=True,
            ),
        ),
        is_terminal=True,
    )


def _enrichment_section(found: BiclusterScores, shared: Enrichments) -> Section:
    lead = (
        f"{formats.counted(shared.n_terms, 'terms')} of two rows or more were tried "
        f"with every bicluster; {formats.count(shared.n_annotated_rows)} of "
        f"{formats.count(found.n_rows)} rows have one. p: chance of as many such "
        "rows among rows drawn at random, adjusted for all terms and biclusters (the "
        f"expected share of false finds is at most {found.alpha:g}). Of each "
        "bicluster: every term below that level, or its nearest."
    )
    shown = sorted(shared.rows, key=lambda row: row.p_value)[:_MOST_ROWS]
    columns = ("bicluster", "term", "with it", "expected", "fold", "p", "adjusted")
    tables = [
        Table(
            columns=columns,
            rows=tuple(_enrichment_row(found, row) for row in shown),
            n_words=2,
        )
    ]
    if len(shared.rows) > len(shown):
        tables.append(
            Table(
                caption="All terms",
                columns=columns,
                rows=tuple(_enrichment_row(found, row) for row in shared.rows),
                n_words=2,
                is_folded=True,
            )
        )
    return Section(
        heading="What their rows share",
        lead=(lead,),
        tables=tuple(tables),
        is_terminal=True,
    )


def _enrichment_row(found: BiclusterScores, row: Enrichment) -> tuple[str, ...]:
    expected = row.n_rows * row.n_annotated / found.n_rows
    return (
        _name(row.bicluster),
        formats.one_line(row.term, _LONGEST_TERM),
        f"{formats.count(row.n_shared)} of {formats.count(row.n_rows)}",
        f"{expected:.1f}",
        f"{row.fold:.1f}",
        formats.p_cell(row.p_value),
        formats.p_cell(row.p_adjusted),
    )


def _sort_key(row: BiclusterRow) -> float:
    """Order the most significant first, and untested ones as they are."""
    tested = row.significance
    if tested is None or not formats.is_known(tested.log10_p_adjusted):
        return 0.0
    return tested.log10_p_adjusted


def _bicluster_row(found: BiclusterScores, row: BiclusterRow) -> tuple[str, ...]:
    size = f"{formats.count(row.n_rows)} x {formats.count(row.n_columns)}"
    cells = [_name(row.name), size]
    if found.agreement:
        cells += [_name(row.match) or "none", _number(row.match_score)]
    if found.has_data:
        residue = row.coherence["msr"]
        cells.append(
            formats.UNKNOWN
            if not formats.is_known(residue)
            else f"{residue:.4g}"
            if abs(residue) > _ROUNDING
            else "0"
        )
        cells.append(_number(row.coherence["row-correlation"]))
    if found.n_significant is not None:
        tested = row.significance
        log10_p = math.nan if tested is None else tested.log10_p_adjusted
        cells.append(formats.log10_p_cell(log10_p))
    return tuple(cells)


def _name(text: str) -> str:
    return formats.clipped(formats.printable(text), _LONGEST_NAME)


def _number(value: float) -> str:
    return f"{value:.3f}" if formats.is_known(value) else formats.UNKNOWN


def _any_cell(value: Any) -> str:
    if isinstance(value, str):
        return formats.one_line(value, 40)
    if isinstance(value, int):
        return formats.count(value)
    return f"{value:.4g}" if formats.is_known(value) else formats.UNKNOWN


# Figures ---------------------------------------------------------------------------

_ROW = 4.6
_STRENGTH = (0.22, 0.5, 0.85)
Rectangle = tuple[float, float, float, float]


def heat_map_drawing(picture: HeatMap) -> Drawing:
    """Draw part of the matrix in shades, biclusters outlined and named."""
    names = ", ".join(
        f"{formats.one_line(name, 20)}: {len(rows)} rows x {len(columns)} columns"
        for name, rows, columns in picture.biclusters
    )
    return Drawing(
        title="Biclusters in the matrix",
        description=f"Shown of each bicluster, {names}",
        draw=lambda axes: _draw_cells(axes, picture),
        height=len(picture.rows) * _ROW + 50,
        left=16.0,
        right=8.0,
        top=14.0,
        bottom=36.0,
    )


def _draw_cells(axes: Axes, picture: HeatMap) -> None:
    plain_axes(axes, xlabel="columns, those of the first biclusters first")
    axes.spines["bottom"].set_visible(False)
    axes.set_ylabel("rows", color=MUTED, fontsize=FONT_SIZE, labelpad=4)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlim(0, len(picture.columns))
    axes.set_ylim(len(picture.rows), 0)
    steps = np.rint(np.nan_to_num(np.array(picture.values))).astype(int)
    for sign, colour in ((1, ACCENT), (-1, INK)):
        for depth, strength in enumerate(_STRENGTH, start=1):
            _fill(axes, _runs(steps == sign * depth), colour, strength)
    taken: set[tuple[int, int]] = set()
    for name, rows, columns in picture.biclusters:
        if rows and columns:
            _outline(axes, formats.one_line(name, 8), rows, columns, taken)


def _runs(cells: BoolArray) -> list[Rectangle]:
    """Join equal neighbours of a row into one rectangle."""
    return [
        (float(first), float(i), float(last), float(i + 1))
        for i, line in enumerate(cells)
        for first, last in _spans(np.flatnonzero(line).tolist())
    ]


def _spans(places: Sequence[int]) -> list[tuple[int, int]]:
    """Return begin and end of every stretch of consecutive numbers."""
    spans: list[tuple[int, int]] = []
    for place in places:
        if spans and spans[-1][1] == place:
            spans[-1] = (spans[-1][0], place + 1)
        else:
            spans.append((place, place + 1))
    return spans


def _fill(axes: Axes, parts: Iterable[Rectangle], colour: str, strength: float) -> None:
    from matplotlib.patches import PathPatch

    path = _path(parts)
    if path is not None:
        axes.add_patch(
            PathPatch(path, facecolor=colour, alpha=strength, linewidth=0, zorder=2)
        )


def _path(parts: Iterable[Rectangle]) -> Any:
    """Make one path of many rectangles: a page has room for one, not for hundreds."""
    from matplotlib.path import Path

    corners, codes = [], []
    for left, top, right, bottom in parts:
        corners += [(left, top), (right, top), (right, bottom), (left, bottom)]
        corners.append((left, top))
        codes += [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(corners, codes) if corners else None


def _outline(
    axes: Axes,
    name: str,
    rows: Sequence[int],
    columns: Sequence[int],
    taken: set[tuple[int, int]],
) -> None:
    from matplotlib.patches import PathPatch

    parts = [
        (float(left), float(top), float(right), float(bottom))
        for top, bottom in _spans(rows)
        for left, right in _spans(columns)
    ]
    axes.add_patch(
        PathPatch(_path(parts), fill=False, edgecolor=INK, linewidth=1.1, zorder=4)
    )
    corner = (int(parts[0][0]), int(parts[0][1]))
    while corner in taken:  # two that begin at the same cell
        corner = (corner[0] + 1, corner[1])
    taken.add(corner)
    axes.annotate(
        name,
        corner,
        (2, -2),
        textcoords="offset points",
        ha="left",
        va="top",
        color=INK,
        fontsize=FONT_SIZE,
        fontweight="bold",
        parse_math=False,
        zorder=5,
        bbox={"boxstyle": "square,pad=0.1", "facecolor": PAPER, "edgecolor": "none"},
    )


def agreement_drawing(found: BiclusterScores) -> Drawing:
    """Draw dots for values; bars reach two standard deviations around chance."""
    groups = [
        Group(
            heading=heading,
            rows=tuple(
                Row(
                    name=name,
                    dot=score.value,
                    low=_chance_end(score.chance, score.chance_std, -1),
                    high=_chance_end(score.chance, score.chance_std, 1),
                    text=_number(score.value),
                    strong=name == "consensus",
                )
                for name, score in found.agreement.items()
                if score.greater_is_better == is_greater
            ),
        )
        for is_greater, heading in (
            (True, "greater is better"),
            (False, "smaller is better"),
        )
    ]

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel="value; bars: chance", zero=False)
        axes.set_xlim(-0.02, 1.02)
        ticks = [0, 0.25, 0.5, 0.75, 1]
        axes.set_xticks(ticks, labels=[f"{t:g}" for t in ticks])

    return rows_drawing(
        groups,
        draw,
        title="Agreement with the hidden biclusters",
        description=", ".join(
            f"{row.name} {row.text}" for group in groups for row in group.rows
        ),
    )


def _chance_end(chance: float, spread: float, side: int) -> float:
    if not formats.is_known(chance) or not formats.is_known(spread):
        return math.nan
    return min(1.0, max(0.0, chance + 2 * side * spread))


VIEWS = {"bicluster-scores": scores_document}
