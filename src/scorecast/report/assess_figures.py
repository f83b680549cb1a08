"""Figures of assessments: intervals, chance, classes, bias and variance."""

from __future__ import annotations

import math
from collections.abc import Sequence

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
from scorecast.report.figures import Drawing
from scorecast.report.forest import Group, Row, groups_drawing
from scorecast.report.permutation import NullPanel, null_figure

_MOST_MODELS = 6
_HEADING = 60  # characters, and no more than the figure is wide
_MOST_CLASSES = 12


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
    return tuple(
        Row(
            name=interval.method,
            dot=x.estimate,
            low=interval.low if math.isfinite(interval.low) else math.nan,
            high=interval.high if math.isfinite(interval.high) else math.nan,
            text=formats.metric_span(x.metric, interval.low, interval.high, bare=True),
            strong=interval.is_recommended,
        )
        for interval in x.intervals
    )


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


def ranges_figure(found: Assessment) -> Drawing:
    """Draw the bias of every range of the target, model by model."""
    groups = []
    for name, model in list(found.assessed.items())[:_MOST_MODELS]:
        rows = tuple(
            Row(
                name=f"{formats.amount(x.low)} to {formats.amount(x.high)}",
                dot=x.bias,
                low=x.bias_low,
                high=x.bias_high,
                text=formats.amount(x.bias),
            )
            for x in model.target_ranges
        )
        if rows:
            groups.append(Group(heading=formats.model_name(name, _HEADING), rows=rows))
    axis = "prediction less target"
    return groups_drawing(groups, axis, "Bias by range of the target", zero=True)


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
    return null_figure(panels, metric)


def _panel(name: str, tests: NullTestSummary) -> NullPanel | None:
    permuted = tests.permuted
    if permuted is None or not formats.is_known(permuted.observed):
        return None
    drawn = _finite(permuted.draws)
    if not drawn.size:
        return None
    null = () if tests.null_data is None else tests.null_data.draws
    return NullPanel(
        name=formats.model_name(name, _HEADING),
        text=formats.metric_value(tests.metric, permuted.observed),
        observed=permuted.observed,
        permuted=drawn,
        null_data=_finite(null),
    )


def _finite(values: Sequence[float]) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    return array[np.isfinite(array)]
