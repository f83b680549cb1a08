"""What each line is, above the axes: there it covers no line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from scorecast.report.drawing import (
    FONT_SIZE,
    INK,
    NARROW,
    axes_size,
    margin_left,
    text_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Entry", "draw_key", "key_height"]

Entry: TypeAlias = tuple[str, str, Any]  # name, colour and style of a line

_ROW = 13.0
_PIECE = 18.0  # length of the piece of line
_GAP = 5.0  # from it to its name
_APART = 14.0  # from one entry to the next
_EDGE = 14.0  # of the figure, left free


def _rows(entries: Sequence[Entry], width: float) -> list[list[tuple[float, Entry]]]:
    """Set entries in rows, each with its place from the left."""
    rows: list[list[tuple[float, Entry]]] = [[]]
    x = 0.0
    for entry in entries:
        size = _PIECE + _GAP + text_width(entry[0])
        if rows[-1] and x + size > width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, entry))
        x += size + _APART
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
    return _ROW * len(_rows(entries, NARROW - 2 * _EDGE))


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
    indent = min(left, _EDGE)  # in line with the edge of the figure, not with the axes
    rows = _rows(entries, axes_size(axes)[0] + left - indent)
    top = float(axes.bbox.y1) * 72 / axes.figure.dpi
    points = Affine2D().scale(1 / 72) + axes.figure.dpi_scale_trans
    for k, row in enumerate(reversed(rows)):
        y = top + above + _ROW * (k + 0.5)
        for place, (name, colour, style) in row:
            x = place + indent
            axes.add_artist(
                Line2D([x, x + _PIECE], [y, y], color=colour, linestyle=style,
                       linewidth=1.6, transform=points, clip_on=False)
            )  # fmt: skip
            axes.annotate(
                name, (x + _PIECE + _GAP, y), xycoords="figure points",
                va="center_baseline", color=INK, fontsize=FONT_SIZE, parse_math=False,
                annotation_clip=False,
            )  # fmt: skip
