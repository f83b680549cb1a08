"""Figures of an assessment: every interval, every class, bias and variance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scorecast.guarantees import (
    Assessment,
    LossAssessment,
    ModelAssessment,
    is_share,
)
from scorecast.report.figures import Drawing
from scorecast.report.forest import Group, Row, groups_drawing
from scorecast.report.formats import model_name, one_line

if TYPE_CHECKING:
    pass

__all__ = [
    "bias_drawing",
    "bounds_drawing",
    "classes_drawing",
]

_LONGEST_NAME = 20
_MOST_MODELS = 6
_HEADING = 60  # and no more than the figure is wide
_MOST_CLASSES = 12


def bounds_drawing(result: Assessment, loss: str) -> Drawing:
    """Draw every interval of one loss, model by model.

    Parameters
    ----------
    result : Assessment
        The answer.
    loss : str
        The loss.

    Returns
    -------
    Drawing
        One row per interval; the recommended one is stressed.
    """
    groups = [
        Group(heading=model_name(model.name, _HEADING), rows=_bound_rows(found))
        for model, found in _with_loss(result, loss)[:_MOST_MODELS]
    ]
    return groups_drawing(
        groups, loss, f"Intervals of {loss}", in_percent=is_share(loss)
    )


def classes_drawing(result: Assessment) -> Drawing:
    """Draw how well each class is recognised, model by model."""
    groups = []
    for model in result.assessed[:_MOST_MODELS]:
        found = next((x for x in model.losses if x.per_class), None)
        if found is not None:
            rows = tuple(
                Row(
                    name=f"{one_line(c.label, 14)} ({c.n})",
                    dot=c.estimate,
                    low=c.low,
                    high=c.high,
                    text=found.value_said(c.estimate),
                )
                for c in found.per_class[:_MOST_CLASSES]
            )
            groups.append(Group(heading=model_name(model.name, _HEADING), rows=rows))
    return groups_drawing(
        groups,
        "share of the class recognised",
        "Sensitivity by class",
        in_percent=True,
    )


def bias_drawing(result: Assessment, method: str) -> Drawing:
    """Draw bias and variance by one method side by side, model by model."""
    groups = [
        Group(
            heading=model_name(model.name, _HEADING),
            rows=tuple(
                Row(name=name, dot=value, low=0.0, high=value, text=f"{value:.3f}",
                    strong=name == "bias")
                for name, value in (("bias", part.bias), ("variance", part.variance))
            ),
        )
        for model in result.assessed[:_MOST_MODELS]
        for part in model.bias_variance
        if part.method == method
    ]  # fmt: skip
    squared = "squared " if result.task == "regression" else ""
    axis = f"part of the {squared}error"
    return groups_drawing(groups, axis, "Bias and variance", zero=True)


def _with_loss(
    result: Assessment, loss: str
) -> list[tuple[ModelAssessment, LossAssessment]]:
    return [(m, x) for m in result.assessed for x in m.losses if x.loss == loss]


def _bound_rows(loss: LossAssessment) -> tuple[Row, ...]:
    return tuple(
        Row(
            name=one_line(bound.method, _LONGEST_NAME),
            dot=loss.estimate,
            low=bound.low,
            high=bound.high if math.isfinite(bound.high) else math.nan,
            text=loss.span_said(bound.low, bound.high).removesuffix(" %"),
            strong=bound.is_recommended,
        )
        for bound in loss.bounds
    )
