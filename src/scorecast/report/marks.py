"""Curves with bands, and labelled points on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.report.drawing import (
    FONT_SIZE,
    INK,
    PAPER,
    axes_size,
    in_points,
    margin_right,
    text_width,
)
from scorecast.report.labels import Anchor, Box, Envelope, Place, place_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LINE", "Mark", "Trace", "draw_marks", "draw_trace", "envelope_of"]

LINE = 11.0


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
