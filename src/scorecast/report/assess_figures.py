"""Figures of assessments: intervals, chance, classes, bias and variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.evaluation import (
    Assessment,
    EstimateAssessment,
    MetricAssessment,
    NullTestSummary,
    Task,
)
from scorecast.report import formats
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
from scorecast.report.forest import Group, Row, groups_drawing, margin_text
from scorecast.report.names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_MODELS = 6
_HEADING = 60  # characters, and no more than the figure is wide
_MOST_CLASSES = 12
_HEADER = 24.0
_BARS = 40.0  # height of the highest bar
_UNDER = 10.0  # room for marks of null data
_BINS = 24
_MOST_VALUES = 40  # different ones that get a bar each


def interval_figure(found: Assessment | EstimateAssessment, metric: str) -> Drawing:
    """Draw every interval of one metric, model by model; the quoted one is stressed."""
    groups = [
        Group(
            heading=formats.model_name(name, _HEADING),
            rows=_interval_rows(model.metrics[metric]),
        )
        for name, model in found.assessed.items()
        if metric in model.metrics
    ]
    title = formats.metric_title(metric)
    is_share = formats.is_proportion(metric)
    return groups_drawing(
        groups[:_MOST_MODELS], title, f"Intervals of {title}", in_percent=is_share
    )


def _interval_rows(x: MetricAssessment) -> tuple[Row, ...]:
    rows = []
    for interval in x.intervals:
        text = formats.metric_span(x.metric, interval.low, interval.high)
        rows.append(
            Row(
                name=interval.method,
                dot=x.estimate,
                low=interval.low if math.isfinite(interval.low) else math.nan,
                high=interval.high if math.isfinite(interval.high) else math.nan,
                text=text.removesuffix(" %"),
                strong=interval.is_recommended,
            )
        )
    return tuple(rows)


def class_figure(found: Assessment) -> Drawing:
    """Draw how well each class is recognised, model by model."""
    groups = []
    for name, model in list(found.assessed.items())[:_MOST_MODELS]:
        every = (x.per_class for x in model.metrics.values() if x.per_class)
        recalls = next(every, {})
        rows = tuple(
            Row(
                name=f"{formats.one_line(label, 14)} ({x.n_samples})",
                dot=x.estimate,
                low=x.low,
                high=x.high,
                text=formats.percent(x.estimate, 1),
            )
            for label, x in list(recalls.items())[:_MOST_CLASSES]
        )
        if rows:
            groups.append(Group(heading=formats.model_name(name, _HEADING), rows=rows))
    label = "share of the class recognised"
    return groups_drawing(groups, label, "Sensitivity by class", in_percent=True)


def bias_figure(found: Assessment, method: str) -> Drawing:
    """Draw bias and variance by one method side by side, model by model."""
    groups = []
    for name, model in list(found.assessed.items())[:_MOST_MODELS]:
        part = model.bias_variance.get(method)
        if part is None:
            continue
        rows = tuple(
            Row(
                name=label,
                dot=value,
                low=0.0,
                high=value,
                text=f"{value:.3f}",
                strong=label == "bias",
            )
            for label, value in (("bias", part.bias), ("variance", part.variance))
        )
        groups.append(Group(heading=formats.model_name(name, _HEADING), rows=rows))
    squared = "squared " if found.task is Task.REGRESSION else ""
    axis = f"part of the {squared}error"
    return groups_drawing(groups, axis, "Bias and variance", zero=True)


# What permuted data gave, draw by draw --------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _Panel:
    """The null distribution of one model, and where the model itself stands."""

    name: str
    text: str
    observed: float
    permuted: FloatArray
    null_data: FloatArray


def chance_figure(found: Assessment) -> Drawing | None:
    """Draw the null distribution of every model, with its own value marked.

    One small histogram per model, on one axis; None where no draws are known.
    """
    panels = []
    for name, model in found.assessed.items():
        panel = None if model.null_tests is None else _panel(name, model.null_tests)
        if panel is not None:
            panels.append(panel)
    panels = panels[:_MOST_MODELS]
    if not panels:
        return None
    metric = next(iter(found.assessed.values())).main.metric
    title, is_share = formats.metric_title(metric), formats.is_proportion(metric)
    ends = np.concatenate([[*p.permuted, *p.null_data, p.observed] for p in panels])
    low, high = float(ends.min()), float(ends.max())
    room = 0.04 * ((high - low) or 1.0)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=f"{title}, %" if is_share else title)
        axes.set_yticks([])
        # A little is left for letters wider than an x.
        most = int(0.95 * figure_width(axes) / text_width("x", bold=True))
        names = short_names([panel.name for panel in panels], most)
        for place, (panel, name) in enumerate(zip(panels, names, strict=True)):
            base = (place + 1) * (_HEADER + _BARS) + place * _UNDER
            _draw_panel(axes, panel, name, base, (high - low) or 1.0)
        axes.set_ylim(len(panels) * (_HEADER + _BARS + _UNDER), 0)
        axes.set_xlim(low - room, high + room)
        mark_numbers(axes, low, high, in_percent=is_share)

    bottom = 36.0
    return Drawing(
        title=f"{title} on permuted data",
        description="; ".join(map(_described, panels)),
        draw=draw,
        height=len(panels) * (_HEADER + _BARS + _UNDER) + bottom,
        left=14.0,
        right=max(text_width(p.text, bold=True) for p in panels) + 12,
        top=0.0,
        bottom=bottom,
    )


def _panel(name: str, tests: NullTestSummary) -> _Panel | None:
    permuted = tests.permuted
    if permuted is None or not formats.is_known(permuted.observed):
        return None
    drawn = _finite(permuted.draws)
    if not drawn.size:
        return None
    null = () if tests.null_data is None else tests.null_data.draws
    return _Panel(
        name=formats.model_name(name, _HEADING),
        text=formats.metric_value(tests.metric, permuted.observed),
        observed=permuted.observed,
        permuted=drawn,
        null_data=_finite(null),
    )


def _finite(values: Sequence[float]) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    return array[np.isfinite(array)]


def _draw_panel(axes: Axes, panel: _Panel, name: str, base: float, span: float) -> None:
    top = base - _BARS
    margin_text(axes, 0.0, top - _HEADER / 2 + 2, name, INK, bold=True)
    middles, heights, width = _histogram(panel.permuted, span)
    axes.bar(
        middles,
        -_BARS * heights / heights.max(),
        width,
        bottom=base,
        color=INK_SOFT,
        edgecolor=MUTED,
        linewidth=0.4,
        zorder=2,
    )
    axes.axhline(base, color=MUTED, linewidth=0.6, zorder=3)
    if panel.null_data.size:
        axes.plot(
            panel.null_data,
            np.full(panel.null_data.size, base + 5),
            "|",
            color=MUTED,
            markersize=6,
            markeredgewidth=0.8,
            zorder=3,
        )
    axes.vlines(panel.observed, top - 2, base, color=ACCENT, linewidth=2, zorder=4)
    margin_text(axes, 1.0, base - 6, panel.text, ACCENT, bold=True, shift=8.0)


def _histogram(values: FloatArray, span: float) -> tuple[FloatArray, FloatArray, float]:
    """Return middles and heights of bars, and their width.

    Means of few samples take few values: bars between them would show gaps that are
    none of the data's.
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
        f"{panel.name} {panel.text}, {formats.count(panel.permuted.size)} permutations "
        f"{low:.3g} to {high:.3g}"
    )
