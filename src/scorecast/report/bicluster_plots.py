"""Figures of biclusters: where they lie in the matrix, and agreement beside chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast._core.types import BoolArray
from scorecast.biclusters import BiclusterScores, HeatMap
from scorecast.report.dot_rows import Group, Row, draw_groups, rows_drawing
from scorecast.report.drawing import (
    ACCENT,
    FONT_SIZE,
    INK,
    MUTED,
    PAPER,
    Drawing,
    plain_axes,
)
from scorecast.report.formats import is_known, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["agreement_drawing", "heat_map_drawing"]

_ROW = 4.6
_STRENGTH = (0.22, 0.5, 0.85)
Rectangle = tuple[float, float, float, float]


def heat_map_drawing(picture: HeatMap) -> Drawing:
    """Draw part of the matrix, ordered so that biclusters lie together.

    Parameters
    ----------
    picture : HeatMap
        What to show.

    Returns
    -------
    Drawing
        Cells in shades, biclusters outlined and named.
    """
    names = ", ".join(
        f"{one_line(name, 20)}: {len(rows)} rows x {len(columns)} columns"
        for name, rows, columns in picture.biclusters
    )

    def draw(axes: Axes) -> None:
        _draw_cells(axes, picture)

    return Drawing(
        title="Biclusters in the matrix",
        description=f"Shown of each bicluster, {names}",
        draw=draw,
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
            _outline(axes, one_line(name, 8), rows, columns, taken)


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


def agreement_drawing(result: BiclusterScores) -> Drawing:
    """Draw every measure of agreement, with what chance would give.

    Parameters
    ----------
    result : BiclusterScores
        With a truth.

    Returns
    -------
    Drawing
        Dots are values; bars reach two standard deviations around chance.
    """
    parts = {True: "greater is better", False: "smaller is better"}
    groups = [
        Group(
            heading=heading,
            rows=tuple(
                Row(
                    name=x.measure,
                    dot=x.value,
                    low=_end(x.chance, x.chance_sd, -1),
                    high=_end(x.chance, x.chance_sd, 1),
                    text=f"{x.value:.3f}" if is_known(x.value) else "n/a",
                    strong=x.measure == "consensus",
                )
                for x in result.agreement
                if x.greater_is_better == better
            ),
        )
        for better, heading in parts.items()
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


def _end(chance: float, spread: float, side: int) -> float:
    if not is_known(chance) or not is_known(spread):
        return math.nan
    return min(1.0, max(0.0, chance + 2 * side * spread))
