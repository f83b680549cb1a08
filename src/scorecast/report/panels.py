"""Small panels side by side on one figure, all with the same axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scorecast.report.drawing import FONT_SIZE, INK, axes_size, figure_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TITLE", "is_first", "name_panel", "panels", "panels_height"]

TITLE = 36.0  # points above a panel, for its name and a note
_PANEL = 112.0  # height of a panel
_BETWEEN = 32.0 + TITLE  # from one row of panels to the next, with numbers and a label
_APART = 16.0  # from one panel to the next
_ROOMY = 400.0  # width of a figure from which three panels stand in a row


def _columns(n: int, width: float) -> int:
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
    rows = math.ceil(n / _columns(n, width))
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
    columns = _columns(n, figure_width(axes))
    rows = math.ceil(n / columns)
    width, height = axes_size(axes)
    wide = (width - (columns - 1) * _APART) / columns
    tall = (height - (rows - 1) * _BETWEEN) / rows
    axes.set_axis_off()
    found = []
    for i in range(n):
        row, column = divmod(i, columns)
        x, y = column * (wide + _APART), height - tall - row * (tall + _BETWEEN)
        found.append(
            axes.inset_axes((x / width, y / height, wide / width, tall / height))
        )
    return found


def is_first(axes: Axes, which: int) -> bool:
    """Return whether a panel stands at the left, where heights are named."""
    return which % _columns(len(axes.child_axes), figure_width(axes)) == 0


def name_panel(panel: Axes, name: str) -> None:
    """Write the name of a panel above it."""
    panel.annotate(
        name, (0.0, 1.0), (0, 18), xycoords="axes fraction",
        textcoords="offset points", ha="left", color=INK, fontsize=FONT_SIZE,
        fontweight="bold", parse_math=False, annotation_clip=False,
    )  # fmt: skip
