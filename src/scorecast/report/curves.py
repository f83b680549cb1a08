"""Curves with bands, labels that do not collide, a key above the axes, small panels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.report.figures import (
    FONT_SIZE,
    INK,
    NARROW,
    PAPER,
    axes_size,
    figure_width,
    in_points,
    margin_left,
    margin_right,
    text_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 11.0  # height of a line of text
TITLE = 36.0  # points above a panel, for its name and a note

Box: TypeAlias = tuple[float, float, float, float]  # left, bottom, right, top
Entry: TypeAlias = tuple[str, str, Any]  # name, colour and style of a line

_LABEL_PAD = 4.0
_LABEL_STEPS = 4  # lines by which a label may move away before it is dropped

_KEY_ROW = 13.0
_KEY_PIECE = 18.0  # length of the piece of line
_KEY_GAP = 5.0  # from it to its name
_KEY_APART = 14.0  # from one entry to the next
_KEY_EDGE = 14.0  # of the figure, left free

_PANEL = 112.0  # height of a panel
_BETWEEN = 32.0 + TITLE  # from one row of panels to the next, with numbers and a label
_PANEL_APART = 16.0  # from one panel to the next
_ROOMY = 400.0  # width of a figure from which three panels stand in a row


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A point worth a label."""

    x: float
    y: float
    low: float
    high: float
    text: str
    colour: str


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A curve with its band, cleared of what is not finite."""

    x: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray


def draw_trace(axes: Axes, trace: Trace, colour: str, soft: str) -> None:
    """Draw a curve over its band."""
    axes.fill_between(trace.x, trace.low, trace.high, color=soft, linewidth=0, zorder=2)
    axes.plot(trace.x, trace.y, color=colour, linewidth=1.8, zorder=5)


def envelope_of(
    axes: Axes,
    traces: Sequence[Trace],
    marks: Sequence[Mark] = (),
) -> Envelope:
    """Trace the upper and lower edge of all that is drawn.

    Parameters
    ----------
    axes : matplotlib axes
        Axes whose limits are set.
    traces : sequence of Trace
        Curves with bands.
    marks : sequence of Mark, optional
        Points with bars.

    Returns
    -------
    Envelope
        In points, for every point of the width.
    """
    width, height = axes_size(axes)
    grid = np.arange(0.0, width + 1)
    low, high = np.full(grid.size, height), np.zeros(grid.size)
    curves = [(t.x, edge) for t in traces for edge in (t.y, t.low, t.high)]
    curves += [
        (np.array([m.x]), np.array([end])) for m in marks for end in (m.low, m.high)
    ]
    for x, y in curves:
        known = np.isfinite(y)
        if not known.any():
            continue
        px, py = in_points(axes, x[known], y[known])
        inside = (grid >= px.min() - 3) & (grid <= px.max() + 3)
        edge = np.interp(grid, px, py)
        low[inside] = np.minimum(low, edge)[inside]
        high[inside] = np.maximum(high, edge)[inside]
    return Envelope(x=grid, low=low, high=high)


def draw_marks(
    axes: Axes, marks: Sequence[Mark], drawn: Envelope, taken: Sequence[Box] = ()
) -> None:
    """Draw points with bars and put their labels where there is room.

    Parameters
    ----------
    axes : matplotlib axes
        Where.
    marks : sequence of Mark
        The points.
    drawn : Envelope
        What labels must not cover.
    taken : sequence of Box, optional
        Where other labels are already.
    """
    anchors = []
    for mark in marks:
        axes.vlines(mark.x, mark.low, mark.high, color=mark.colour, lw=1.0, zorder=6)
        axes.plot(
            [mark.x],
            [mark.y],
            marker="o",
            markersize=5.5,
            color=mark.colour,
            markeredgecolor=PAPER,
            markeredgewidth=1.0,
            clip_on=False,
            zorder=7,
        )
        x, y = in_points(axes, np.full(2, mark.x), np.array([mark.low, mark.high]))
        width = text_width(mark.text, bold=True)
        first = mark.colour == INK
        anchors.append(Anchor(x=x[0], low=y[0], high=y[1], width=width, first=first))
    width, height = axes_size(axes)
    limits = (width + margin_right(axes) - 2, height)
    places = place_labels(anchors, drawn, limits, LINE, taken)
    for mark, anchor, place in zip(marks, anchors, places, strict=True):
        if place is not None:
            _draw_label(axes, mark, anchor, place)


def _draw_label(axes: Axes, mark: Mark, anchor: Anchor, place: Place) -> None:
    end, edge = (anchor.high, mark.high) if place.above else (anchor.low, mark.low)
    # Anchored by the side nearest to the bar, so that another font does no harm.
    left = place.left - anchor.x
    side = "left" if left > -10 else "right" if left < 10 - anchor.width else "center"
    shift = {"left": left, "right": left + anchor.width, "center": 0.0}[side]
    axes.annotate(
        mark.text,
        (mark.x, edge),
        (shift, place.bottom - end + 2),
        textcoords="offset points",
        ha=side,
        color=mark.colour,
        fontsize=FONT_SIZE,
        fontweight="bold",
        annotation_clip=False,
        zorder=8,
    )
    gap = place.bottom - end if place.above else end - place.bottom - LINE
    if gap > LINE:
        direction = 1 if place.above else -1
        axes.annotate(
            "",
            (mark.x, edge),
            (0, direction * (gap - 1)),
            textcoords="offset points",
            arrowprops={
                "arrowstyle": "-",
                "color": mark.colour,
                "linewidth": 0.5,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )


@dataclass(frozen=True, kw_only=True)
class Anchor:
    """What a label belongs to: a vertical bar, and the width of the label.

    Attributes
    ----------
    x, low, high : float
        Place of the bar, and its ends.
    width : float
        Width of the label.
    first : bool
        Whether it is placed before others, and rather below than above.
    """

    x: float
    low: float
    high: float
    width: float
    first: bool = False


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a label goes: its left end and the bottom of its line, in points."""

    left: float
    bottom: float
    above: bool


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """Highest and lowest thing drawn at every x.

    Attributes
    ----------
    x, low, high : ndarray of float64
        Increasing places, and what is drawn there lies between `low` and `high`.
    """

    x: FloatArray
    low: FloatArray
    high: FloatArray

    def within(self, left: float, right: float) -> tuple[float, float]:
        """Return the lowest and highest thing between two places."""
        ends = np.array([left, right])
        inside = (self.x > left) & (self.x < right)
        lows = np.append(np.interp(ends, self.x, self.low), self.low[inside])
        highs = np.append(np.interp(ends, self.x, self.high), self.high[inside])
        return float(lows.min()), float(highs.max())


def spread(wanted: FloatArray, gap: float, low: float, high: float) -> FloatArray:
    """Move places apart as little as possible.

    Parameters
    ----------
    wanted : ndarray of float64
        Where each label would like to be.
    gap : float
        Least distance between two labels.
    low, high : float
        Limits for all of them, kept where there is room.

    Returns
    -------
    ndarray of float64
        Places in the same order, nearest to those wanted in least squares.

    Examples
    --------
    >>> spread(np.array([10.0, 10.0, 50.0]), 8.0, 0.0, 100.0).tolist()
    [6.0, 14.0, 50.0]
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(wanted.size)
    from scipy.optimize import isotonic_regression  # slow to load, only to draw

    base = isotonic_regression(wanted[order] - steps).x
    top = max(low, high - (steps[-1] if wanted.size else 0.0))
    places = np.empty_like(wanted)
    places[order] = np.clip(base, low, top) + steps
    return places


def place_labels(
    anchors: Sequence[Anchor],
    drawn: Envelope,
    size: tuple[float, float],
    line: float,
    taken: Sequence[Box] = (),
) -> list[Place | None]:
    """Put each label above or below its bar, clear of curves and other labels.

    Parameters
    ----------
    anchors : sequence of Anchor
        What is to be labelled.
    drawn : Envelope
        What labels must not cover.
    size : tuple of float
        Right and upper limit of labels; their left and lower limit is zero.
    line : float
        Height of one line of text.
    taken : sequence of Box, optional
        Where other labels are already.

    Returns
    -------
    list of Place or None
        In the order given; None where there is no room.
    """
    boxes = list(taken)
    places: list[Place | None] = [None] * len(anchors)
    # From the right: there the curves are lowest and labels have most room above.
    order = sorted(
        range(len(anchors)), key=lambda i: (not anchors[i].first, -anchors[i].x)
    )
    for index in order:
        for place in _candidates(anchors[index], drawn, size, line):
            needs = _label_boxes(anchors[index], place, line)
            if not any(_overlap(box, other) for box in needs for other in boxes):
                boxes.extend(needs)
                places[index] = place
                break
    return places


def _label_boxes(anchor: Anchor, place: Place, line: float) -> list[Box]:
    """Return what a label covers, and the way from it to its bar."""
    left, right = place.left - _LABEL_PAD, place.left + anchor.width + _LABEL_PAD
    label = (left, place.bottom, right, place.bottom + line)
    if place.above:
        return [label, (anchor.x - 1, anchor.high, anchor.x + 1, place.bottom)]
    return [label, (anchor.x - 1, place.bottom + line, anchor.x + 1, anchor.low)]


def _candidates(
    anchor: Anchor, drawn: Envelope, size: tuple[float, float], line: float
) -> list[Place]:
    """Return places for a label, those nearest to its bar first."""
    start, middle = anchor.x - 5, anchor.x - anchor.width / 2
    end, before = anchor.x - anchor.width + 5, anchor.x - anchor.width - 5
    # A falling curve leaves room above on the right and below on the left.
    sides = [(True, left) for left in (start, middle, end, before)]
    below = [(False, left) for left in (before, middle, anchor.x + 5)]
    found: list[tuple[float, Place]] = []
    for above, left in below + sides if anchor.first else sides + below:
        if left < 0 or left + anchor.width > size[0]:
            continue
        low, high = drawn.within(left, left + anchor.width)
        nearest = max(high - anchor.high, 0) if above else max(anchor.low - low, 0)
        for step in range(_LABEL_STEPS):
            away = nearest + _LABEL_PAD + step * line
            bottom = anchor.high + away if above else anchor.low - away - line
            if bottom >= 0 and bottom + line <= size[1] + 1:
                # Lines of distance, not points: among the near ones the first is best.
                found.append(
                    (away // line, Place(left=left, bottom=bottom, above=above))
                )
    return [place for _, place in sorted(found, key=lambda pair: pair[0])]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _key_rows(
    entries: Sequence[Entry], width: float
) -> list[list[tuple[float, Entry]]]:
    """Set entries in rows, each with its place from the left."""
    rows: list[list[tuple[float, Entry]]] = [[]]
    x = 0.0
    for entry in entries:
        size = _KEY_PIECE + _KEY_GAP + text_width(entry[0])
        if rows[-1] and x + size > width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, entry))
        x += size + _KEY_APART
    return rows


def key_height(entries: Sequence[Entry]) -> float:
    """Return the height of a key in points, where the figure is narrowest.

    Parameters
    ----------
    entries : sequence of tuple
        Names, colours and styles of lines.

    Returns
    -------
    float
        What to add to the margin above the axes.
    """
    return _KEY_ROW * len(_key_rows(entries, NARROW - 2 * _KEY_EDGE))


def draw_key(axes: Axes, entries: Sequence[Entry], *, above: float) -> None:
    """Write the names of lines over the axes, each behind a piece of its line.

    Parameters
    ----------
    axes : matplotlib axes
        Below the key.
    entries : sequence of tuple
        Names, colours and styles of lines.
    above : float
        Points between the axes and the lowest row.
    """
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Affine2D

    left = margin_left(axes)
    indent = min(
        left, _KEY_EDGE
    )  # in line with the edge of the figure, not with the axes
    rows = _key_rows(entries, axes_size(axes)[0] + left - indent)
    top = float(axes.bbox.y1) * 72 / axes.figure.dpi
    points = Affine2D().scale(1 / 72) + axes.figure.dpi_scale_trans
    for k, row in enumerate(reversed(rows)):
        y = top + above + _KEY_ROW * (k + 0.5)
        for place, (name, colour, style) in row:
            x = place + indent
            axes.add_artist(
                Line2D([x, x + _KEY_PIECE], [y, y], color=colour, linestyle=style,
                       linewidth=1.6, transform=points, clip_on=False)
            )  # fmt: skip
            axes.annotate(
                name, (x + _KEY_PIECE + _KEY_GAP, y), xycoords="figure points",
                va="center_baseline", color=INK, fontsize=FONT_SIZE, parse_math=False,
                annotation_clip=False,
            )  # fmt: skip


def _panel_columns(n: int, width: float) -> int:
    return min(n, 3 if width >= _ROOMY else 2)


def panels_height(n: int, width: float) -> float:
    """Return the height of the axes that so many panels need.

    Parameters
    ----------
    n : int
        Number of panels.
    width : float
        Width of the figure, in points.

    Returns
    -------
    float
        Without the margins of the figure.
    """
    rows = math.ceil(n / _panel_columns(n, width))
    return rows * _PANEL + (rows - 1) * _BETWEEN


def panels(axes: Axes, n: int) -> list[Axes]:
    """Part axes into panels, row by row.

    Parameters
    ----------
    axes : matplotlib axes
        Are themselves no longer seen.
    n : int
        Number of panels.

    Returns
    -------
    list of matplotlib axes
        Empty ones.
    """
    columns = _panel_columns(n, figure_width(axes))
    rows = math.ceil(n / columns)
    width, height = axes_size(axes)
    wide = (width - (columns - 1) * _PANEL_APART) / columns
    tall = (height - (rows - 1) * _BETWEEN) / rows
    axes.set_axis_off()
    found = []
    for i in range(n):
        row, column = divmod(i, columns)
        x, y = column * (wide + _PANEL_APART), height - tall - row * (tall + _BETWEEN)
        found.append(
            axes.inset_axes((x / width, y / height, wide / width, tall / height))
        )
    return found


def is_first(axes: Axes, which: int) -> bool:
    """Return whether a panel stands at the left, where heights are named."""
    return which % _panel_columns(len(axes.child_axes), figure_width(axes)) == 0


def name_panel(panel: Axes, name: str) -> None:
    """Write the name of a panel above it."""
    panel.annotate(
        name, (0.0, 1.0), (0, 18), xycoords="axes fraction",
        textcoords="offset points", ha="left", color=INK, fontsize=FONT_SIZE,
        fontweight="bold", parse_math=False, annotation_clip=False,
    )  # fmt: skip
