"""Figures of comparisons: critical-difference diagram, wins, differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorecast.comparison import POST_HOC, Comparison, PairComparison
from scorecast.report.figures import (
    ACCENT,
    ACCENT_SOFT,
    FONT_SIZE,
    INK,
    INK_SOFT,
    MUTED,
    PAPER,
    WIDE,
    Drawing,
    axes_size,
    text_width,
)
from scorecast.report.forest import Group, Row, groups_drawing
from scorecast.report.formats import one_line, signed_number
from scorecast.report.names import short_by_name, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE = 15.0
_BAR = 8.0
_AXIS = 40.0  # of the axis, from the top
_MOST_TICKS = 12
_MOST_ROWS = 24
_LONGEST_NAME = 40
_SHORTEST_NAME = 6
_MARGIN = 6.0


def critical_difference_drawing(result: Comparison) -> Drawing:
    """Draw the critical-difference diagram: mean ranks, and bars that join the alike.

    Parameters
    ----------
    result : Comparison
        The answer.

    Returns
    -------
    Drawing
        The best rank is on the left, whichever way results are better.
    """
    layers = _layers(result)
    ranks = ", ".join(f"{name} {result.ranks[name]:.2f}" for name in result.order)

    def draw(axes: Axes) -> None:
        _draw_ranks(axes, result, layers)

    def height_at(width: float) -> float:
        return _Layout.of(result, layers, width - 2 * _MARGIN).height

    return Drawing(
        title="Mean ranks",
        description=f"Mean ranks: {ranks}. {_alike_said(result)}",
        draw=draw,
        height=height_at(WIDE),
        height_at=height_at,
        left=_MARGIN,
        right=_MARGIN,
        top=0.0,
        bottom=0.0,
    )


def _alike_said(result: Comparison) -> str:
    """Say which models are not told apart: of all, or from the control."""
    if result.control is None:
        joined = "; ".join(" = ".join(group) for group in result.cliques)
        return f"Not told apart: {joined or 'none'}."
    alike = [
        name
        for name in result.order
        if name != result.control and not result.differ(name, result.control)
    ]
    return f"Not told apart from {result.control}: {', '.join(alike) or 'none'}."


def alike_without_bar(result: Comparison) -> list[tuple[str, str]]:
    """Return pairs that nothing tells apart and yet no bar joins.

    A bar covers a run of ranks. Where a model between two others differs from one of
    them, no bar can join the two without joining it as well.
    """
    if result.control is not None:
        return []
    return [
        (pair.a, pair.b)
        for pair in result.pairs
        if not result.differ(pair.a, pair.b)
        and not any({pair.a, pair.b} <= set(group) for group in result.cliques)
    ]


def _layers(result: Comparison) -> list[tuple[int, float, float]]:
    """Stack the bars so that none covers another: layer, first and last rank."""
    ends: list[float] = []
    placed = []
    for group in result.cliques:
        low, high = result.ranks[group[0]], result.ranks[group[-1]]
        room = 0.04 * len(result.models)
        layer = next((i for i, end in enumerate(ends) if end + room < low), len(ends))
        if layer == len(ends):
            ends.append(high)
        ends[layer] = high
        placed.append((layer, low, high))
    return placed


@dataclass(frozen=True, kw_only=True)
class _Scale:
    """From mean ranks to points; no farther than the ranks and the ruler reach."""

    left: float
    right: float
    first: int
    last: int

    def at(self, rank: float) -> float:
        share = (rank - self.first) / (self.last - self.first)
        return self.left + share * (self.right - self.left)


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """Where names stand: on both sides, or all on the left where these are long."""

    left: float
    right: float
    sides: dict[str, Sequence[str]]
    first: float
    height: float

    @classmethod
    def of(
        cls,
        result: Comparison,
        layers: Sequence[tuple[int, float, float]],
        width: float,
    ) -> _Layout:
        """Lay out a diagram so that its axis keeps half of the width."""
        order = result.order
        half = math.ceil(len(order) / 2)
        left, right = _side(result, order[:half]), _side(result, order[half:])
        sides: dict[str, Sequence[str]]
        sides = {"left": order[:half], "right": order[half:][::-1]}
        if left + right > width / 2:
            # From the best down, no line crosses another on its way to the left.
            sides, right = {"left": order}, _MARGIN
            left = min(_side(result, order), width / 2 - right - _MARGIN)
        deepest = max((layer for layer, *_ in layers), default=-1) + 1
        first = _AXIS + 14 + _BAR * deepest
        height = first + _LINE * max(map(len, sides.values())) + 8
        return cls(left=left, right=right, sides=sides, first=first, height=height)


def _draw_ranks(
    axes: Axes, result: Comparison, layers: Sequence[tuple[int, float, float]]
) -> None:
    width, _ = axes_size(axes)
    layout = _Layout.of(result, layers, width)
    first_rank = math.floor(min(result.ranks.values()))
    ruler, highest = _ruler(result), max(result.ranks.values())
    scale = _Scale(
        left=layout.left,
        right=width - layout.right,
        first=first_rank,
        last=max(math.ceil(max(highest, first_rank + ruler)), first_rank + 1),
    )
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(layout.height, 0)
    _draw_axis(axes, result, scale)
    for layer, low, high in layers:
        y = _AXIS + 9 + _BAR * layer
        axes.plot(
            [scale.at(low) - 3, scale.at(high) + 3], [y, y],
            color=INK, linewidth=3.2, solid_capstyle="butt", zorder=4,
        )  # fmt: skip
    rooms = {"left": layout.left - 8, "right": layout.right - 8}
    names = _fitting(result, [(layout.sides[x], rooms[x]) for x in layout.sides])
    for side, shown in layout.sides.items():
        for place, name in enumerate(shown):
            text = f"{names[name]} {result.ranks[name]:.2f}"
            y = layout.first + _LINE * place
            _draw_model(axes, result, name, text, scale, y, side)


def _draw_axis(axes: Axes, result: Comparison, scale: _Scale) -> None:
    reach = scale.last - scale.first + 1
    axes.plot([scale.left, scale.right], [_AXIS, _AXIS], color=MUTED, linewidth=0.8)
    step = math.ceil(reach / min(_MOST_TICKS, max(2, (scale.right - scale.left) / 22)))
    for rank in range(scale.first, scale.last + 1):
        x = scale.at(rank)
        axes.plot([x, x], [_AXIS - 4, _AXIS], color=MUTED, linewidth=0.8)
        if (rank - scale.first) % step == 0:
            _text(axes, x, _AXIS - 11, str(rank), MUTED, side="center")
    if _ruler(result) > 0:
        _draw_ruler(axes, _ruler(result), scale)


def _ruler(result: Comparison) -> float:
    """Return the critical difference where the bars come from it, else 0."""
    if not POST_HOC[result.post_hoc].is_of_ranks_alone:
        return 0.0
    return result.critical_difference or 0.0


def _draw_ruler(axes: Axes, distance: float, scale: _Scale) -> None:
    low, y = scale.left, 18.0
    high = scale.at(scale.first + distance)
    axes.plot([low, high], [y, y], color=ACCENT, linewidth=1.2)
    for x in (low, high):
        axes.plot([x, x], [y - 3, y + 3], color=ACCENT, linewidth=1.2)
    text = f"critical difference {distance:.2f}"
    _text(axes, low, 8.0, text, ACCENT, side="left")


def _side(result: Comparison, names: Sequence[str]) -> float:
    """Return the room that labels need."""
    short = short_by_name(result.models, _LONGEST_NAME)
    return _widest(result, names, short) + 8


def _widest(
    result: Comparison, names: Sequence[str], short: Mapping[str, str]
) -> float:
    strong = result.control or result.best
    widths = (
        text_width(f"{short[name]} {result.ranks[name]:.2f}", bold=name == strong)
        for name in names
    )
    return max(widths, default=0.0)


def _fitting(
    result: Comparison, sides: Sequence[tuple[Sequence[str], float]]
) -> dict[str, str]:
    """Shorten all names together, so that those on both sides differ as well."""
    for limit in range(_LONGEST_NAME, _SHORTEST_NAME - 1, -1):
        names = short_by_name(result.models, limit)
        # Rounding must not cost the longest label, which the room was made for, a
        # letter.
        if all(_widest(result, x, names) <= room + 0.01 for x, room in sides):
            break
    return names


def _draw_model(
    axes: Axes,
    result: Comparison,
    name: str,
    text: str,
    scale: _Scale,
    y: float,
    side: str,
) -> None:
    x = scale.at(result.ranks[name])
    strong = name == (result.control or result.best)
    alike = result.control is not None and not result.differ(name, result.control)
    colour = ACCENT if strong else MUTED if alike else INK
    edge = scale.left - 5 if side == "left" else scale.right + 5
    axes.plot([x, x, edge], [_AXIS, y, y], color=colour, linewidth=0.8, zorder=2)
    axes.plot(
        [x], [_AXIS], marker="o", markersize=4.5, zorder=5,
        color=PAPER if alike and not strong else colour, markeredgecolor=colour,
        markeredgewidth=1.0,
    )  # fmt: skip
    outer = edge - 3 if side == "left" else edge + 3
    turned = "right" if side == "left" else "left"
    _text(axes, outer, y, text, colour, side=turned, bold=strong)


def _text(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    colour: str,
    *,
    side: str,
    bold: bool = False,
) -> None:
    axes.text(
        x, y, text, color=colour, fontsize=FONT_SIZE, ha=side, va="center_baseline",
        fontweight="bold" if bold else "normal", parse_math=False,
    )  # fmt: skip


def wins_drawing(result: Comparison) -> Drawing:
    """Draw how often the model of the row beats that of the column.

    Parameters
    ----------
    result : Comparison
        The answer, of all pairs.

    Returns
    -------
    Drawing
        Blue cells: told apart, the row is better; grey: it is worse.
    """
    order = result.order
    size = 18.0
    height = size * (len(order) + 1) + 6
    short = short_by_name(order, 18)
    names = [f"{place}  {short[name]}" for place, name in enumerate(order, 1)]
    said = "; ".join(
        f"{pair.a} against {pair.b}: {pair.effect.wins} won, {pair.effect.ties} tied, "
        f"{pair.effect.losses} lost"
        for pair in result.pairs
    )

    def draw(axes: Axes) -> None:
        _draw_wins(axes, result, names, size, height)

    return Drawing(
        title="Wins",
        description=said,
        draw=draw,
        height=height,
        left=6.0,
        right=6.0,
        top=0.0,
        bottom=0.0,
    )


def _draw_wins(
    axes: Axes, result: Comparison, names: Sequence[str], size: float, height: float
) -> None:
    width, _ = axes_size(axes)
    order = result.order
    left = min(max(map(text_width, names)) + 8, 0.5 * width)
    cell = min((width - left) / len(order), 46.0)
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    room = int(left / text_width("x"))
    for row in range(len(order)):
        y = size * (row + 1)
        _text(axes, 0.0, y + size / 2, one_line(names[row], room), INK, side="left")
        if cell >= text_width("00"):
            x = left + cell * (row + 0.5)
            _text(axes, x, size / 2, str(row + 1), MUTED, side="center")
    _draw_cells(axes, result, left, cell, size)


def _draw_cells(
    axes: Axes, result: Comparison, left: float, width: float, height: float
) -> None:
    order = result.order
    wins = _wins_by_pair(result)
    cells: dict[str, list[tuple[float, float]]] = {}
    for row, name in enumerate(order):
        for column, other in enumerate(order):
            if name == other:
                continue  # a shade here would look like a result
            x, y = left + width * column, height * (row + 1.5)
            cells.setdefault(_shade(result, name, other), []).append((x, y))
            text = f"{wins[name, other]:,}"
            if width >= text_width(text) + 2:
                _text(axes, x + width / 2, y, text, INK, side="center")
    for colour, places in cells.items():
        xs, ys = zip(*places, strict=True)
        # All of one colour at once: single ones take matplotlib seconds.
        axes.barh(ys, width - 1.5, height - 1.5, xs, color=colour, zorder=2)


def _wins_by_pair(result: Comparison) -> dict[tuple[str, str], int]:
    found = {}
    for pair in result.pairs:
        found[pair.a, pair.b] = pair.effect.wins or 0
        found[pair.b, pair.a] = pair.effect.losses or 0
    return found


def _shade(result: Comparison, name: str, other: str) -> str:
    if not result.differ(name, other):
        return PAPER
    return ACCENT_SOFT if result.beats(name, other) else INK_SOFT


def difference_drawing(result: Comparison) -> Drawing:
    """Draw the difference of every model from the best, or from the control.

    Parameters
    ----------
    result : Comparison
        The answer.

    Returns
    -------
    Drawing
        Rows in the order of ranks; blue where told apart.
    """
    centre = result.control or result.best
    others = [name for name in result.order if name != centre][:_MOST_ROWS]
    rows = tuple(_difference_row(result, name, centre) for name in others)
    group = Group(heading=f"less {one_line(centre, 60)}", rows=rows)
    metric = f" in {one_line(result.metric, 30)}" if result.metric else ""
    return groups_drawing(
        [group], f"difference{metric}", f"Differences from {centre}", zero=True
    )


def _difference_row(result: Comparison, name: str, centre: str) -> Row:
    pair = result.pair(name, centre)
    effect = pair.effect
    low, high, middle = effect.low, effect.high, effect.difference
    if pair.a != name:
        low, high, middle = -high, -low, -middle
    return Row(
        name=name,
        dot=middle,
        low=low,
        high=high,
        text=signed_number(middle),
        strong=result.differ(name, centre),
    )


def pair_drawing(result: PairComparison, of: str) -> Drawing:
    """Draw the difference of two models with its interval."""
    first, second, effect = result.better_first()
    a, b = short_names([first, second], 40)
    row = Row(
        name=one_line(of, 24),
        dot=effect.difference,
        low=effect.low,
        high=effect.high,
        text=signed_number(effect.difference),
        strong=result.is_significant,
    )
    heading = f"{a} less {b}"
    group = Group(heading=heading, rows=(row,))
    return groups_drawing([group], "difference", heading, zero=True)
