"""The figure of D(u), on an axis that people can read.

An example of favourability u is beaten by one random class in 1 / (1 - u). On a
logarithmic axis of that number the part near u = 1, which decides the forecast, is
wide, and the axis is at once one of numbers of classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.classes import Extrapolation
from scorecast.report.drawing import (
    ACCENT,
    FONT_SIZE,
    INK,
    MUTED,
    Drawing,
    count_axis,
    in_points,
    percent_axis,
    plain_axes,
    text_width,
)
from scorecast.report.formats import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["discriminability_drawing"]


def discriminability_drawing(result: Extrapolation) -> Drawing:
    """Draw the share of examples against how easily they are beaten.

    Parameters
    ----------
    result : Extrapolation
        The forecast.

    Returns
    -------
    Drawing
        Ready to be drawn at any width.
    """
    targets = sorted({p.classes for p in result.predictions})
    rivals, shares = _rivals(result)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel="beaten by one class in \N{HORIZONTAL ELLIPSIS}")
        percent_axis(axes)
        count_axis(axes, 1.0, 3.0 * max(result.n_classes, *targets))
        seen = rivals <= result.n_classes
        # The two parts share a point, or there would be a gap between them.
        split = int(seen.sum())
        axes.plot(rivals[: split + 1], shares[: split + 1], color=INK, linewidth=1.8)
        axes.plot(rivals[split:], shares[split:], color=ACCENT, linewidth=1.8)
        _draw_counts(axes, result.n_classes, targets)

    worst = np.interp(result.n_classes, rivals, shares) if rivals.size else np.nan
    return Drawing(
        title="How many classes it takes to beat an example",
        description=(
            f"{percent(float(worst))} of the examples are beaten by at least one "
            f"class in {count(result.n_classes)}."
        ),
        draw=draw,
        height=220.0,
        top=24.0,
    )


def _rivals(result: Extrapolation) -> tuple[FloatArray, FloatArray]:
    u = np.asarray(result.favourability, dtype=np.float64)
    d = np.asarray(result.discriminability, dtype=np.float64)
    known = np.isfinite(u) & np.isfinite(d) & (u >= 0) & (u < 1)
    order = np.argsort(u[known], kind="stable")
    return 1 / (1 - u[known][order]), d[known][order]


def _draw_counts(axes: Axes, n_classes: int, targets: list[int]) -> None:
    """Mark the observed number of classes and the targets; drop names that collide."""
    marks = [(n_classes, f"{count(n_classes)} observed", INK)]
    marks += [(k, count(k), ACCENT) for k in reversed(targets) if k > n_classes]
    taken: list[tuple[float, float]] = []
    for k, text, colour in marks:
        dashes = (3, 3) if colour == INK else (1.2, 2.4)
        axes.axvline(k, color=MUTED, linewidth=0.6, dashes=dashes, zorder=1)
        at, _ = in_points(axes, np.array([float(k)]), np.zeros(1))
        half = text_width(text) / 2 + 3
        if any(at[0] - half < b and a < at[0] + half for a, b in taken):
            continue
        taken.append((at[0] - half, at[0] + half))
        axes.annotate(
            text,
            (k, 1),
            (0, 9),
            textcoords="offset points",
            ha="center",
            color=colour,
            fontsize=FONT_SIZE,
            annotation_clip=False,
        )
