"""What permuted data gave, draw by draw, and where the model itself stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.guarantees import Assessment, Feasibility, ModelAssessment, is_share
from scorecast.report.figures import (
    ACCENT,
    INK,
    INK_SOFT,
    MUTED,
    Drawing,
    figure_width,
    mark_numbers,
    plain_axes,
    text_width,
)
from scorecast.report.forest import margin_text
from scorecast.report.formats import count, is_known, model_name
from scorecast.report.names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["chance_drawing"]

_MOST_MODELS = 6
_HEADER = 24.0
_BARS = 40.0  # height of the highest bar
_UNDER = 10.0  # room for marks of null data
_BINS = 24
_MOST_VALUES = 40  # different ones that get a bar each


@dataclass(frozen=True, kw_only=True, eq=False)
class _Panel:
    name: str
    said: str
    observed: float
    permuted: FloatArray
    null_data: FloatArray


def chance_drawing(result: Assessment) -> Drawing | None:
    """Draw the null distribution of every model, with its own value marked.

    Parameters
    ----------
    result : Assessment
        The answer.

    Returns
    -------
    Drawing or None
        One small histogram per model, on one axis; None where no draws are known.
    """
    found = [(m, m.feasibility) for m in result.assessed if m.feasibility is not None]
    panels = [_panel(model, tested) for model, tested in found if _is_drawn(tested)]
    panels = panels[:_MOST_MODELS]
    if not panels:
        return None
    loss = result.assessed[0].losses[0].loss
    ends = np.concatenate([[*p.permuted, *p.null_data, p.observed] for p in panels])
    low, high = float(ends.min()), float(ends.max())
    room = 0.04 * ((high - low) or 1.0)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=f"{loss}, %" if is_share(loss) else loss)
        axes.set_yticks([])
        # A little is left for letters wider than an x.
        most = int(0.95 * figure_width(axes) / text_width("x", bold=True))
        names = short_names([panel.name for panel in panels], most)
        for place, (panel, name) in enumerate(zip(panels, names, strict=True)):
            base = (place + 1) * (_HEADER + _BARS) + place * _UNDER
            _draw_panel(axes, panel, name, base, (high - low) or 1.0)
        axes.set_ylim(len(panels) * (_HEADER + _BARS + _UNDER), 0)
        axes.set_xlim(low - room, high + room)
        mark_numbers(axes, low, high, in_percent=is_share(loss))

    bottom = 36.0
    return Drawing(
        title=f"{loss} on permuted data",
        description="; ".join(map(_described, panels)),
        draw=draw,
        height=len(panels) * (_HEADER + _BARS + _UNDER) + bottom,
        left=14.0,
        right=max(text_width(p.said, bold=True) for p in panels) + 12,
        top=0.0,
        bottom=bottom,
    )


def _is_drawn(found: Feasibility) -> bool:
    values = found.permuted.draws
    return is_known(found.permuted.observed) and bool(np.isfinite(values).any())


def _panel(model: ModelAssessment, found: Feasibility) -> _Panel:
    null = () if found.null_data is None else found.null_data.draws
    return _Panel(
        name=model_name(model.name, 60),
        said=model.losses[0].value_said(found.permuted.observed),
        observed=found.permuted.observed,
        permuted=_finite(found.permuted.draws),
        null_data=_finite(null),
    )


def _finite(values: Sequence[float]) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    return array[np.isfinite(array)]


def _draw_panel(axes: Axes, panel: _Panel, name: str, base: float, span: float) -> None:
    top = base - _BARS
    margin_text(axes, 0.0, top - _HEADER / 2 + 2, name, INK, bold=True)
    middles, heights, width = _bars(panel.permuted, span)
    axes.bar(
        middles, -_BARS * heights / heights.max(), width, bottom=base, color=INK_SOFT,
        edgecolor=MUTED, linewidth=0.4, zorder=2,
    )  # fmt: skip
    axes.axhline(base, color=MUTED, linewidth=0.6, zorder=3)
    if panel.null_data.size:
        axes.plot(
            panel.null_data, np.full(panel.null_data.size, base + 5), "|",
            color=MUTED, markersize=6, markeredgewidth=0.8, zorder=3,
        )  # fmt: skip
    axes.vlines(panel.observed, top - 2, base, color=ACCENT, linewidth=2, zorder=4)
    margin_text(axes, 1.0, base - 6, panel.said, ACCENT, bold=True, shift=8.0)


def _bars(values: FloatArray, span: float) -> tuple[FloatArray, FloatArray, float]:
    """Return middles and heights of bars, and their width.

    Means of few cases take few values: bars between them would show gaps that are none
    of the data's.
    """
    single, counts = np.unique(values.round(9), return_counts=True)
    if single.size <= _MOST_VALUES:
        step = float(np.diff(single).min()) if single.size > 1 else span / _BINS
        return single, counts.astype(np.float64), 0.8 * max(step, span / 200)
    heights, edges = np.histogram(values, bins=_BINS)
    width = float(edges[1] - edges[0])
    return (edges[:-1] + edges[1:]) / 2, heights.astype(np.float64), width


def _described(panel: _Panel) -> str:
    low, high = panel.permuted.min(), panel.permuted.max()
    return (
        f"{panel.name} {panel.said}, {count(panel.permuted.size)} permutations "
        f"{low:.3g} to {high:.3g}"
    )
