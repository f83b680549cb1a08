"""What can be promised about a model learned from few samples and many features.

Kernels (losses, bounds, tests, decompositions) take arrays and give numbers; only
`fitting` knows estimators, and only `assess` knows all parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.guarantees.assess import assess
from scorecast.guarantees.assessing_estimates import assess_estimates
from scorecast.guarantees.assessment import Assessment
from scorecast.guarantees.bias_variance import BiasVariance
from scorecast.guarantees.bounds import Bound, estimate_capacity
from scorecast.guarantees.class_sensitivity import ClassSensitivity
from scorecast.guarantees.curve_fit import learning_curve_fit
from scorecast.guarantees.curve_limit import NO_GAIN
from scorecast.guarantees.curve_scores import learning_curve_scores
from scorecast.guarantees.estimate_assessment import (
    EstimateAssessment,
    EstimatedModel,
    estimate_said,
)
from scorecast.guarantees.feasibility import (
    NULL_DATA,
    SCHEMES,
    Feasibility,
    NullTest,
    Verdict,
)
from scorecast.guarantees.grids import grids_for
from scorecast.guarantees.learning_curve import LearningCurveFit
from scorecast.guarantees.loss_values import (
    difference_said,
    is_share,
    rough_size,
    span_said,
    value_said,
)
from scorecast.guarantees.losses import LOSSES, Loss, cost_loss, smoothed_loss
from scorecast.guarantees.model_assessment import LossAssessment, ModelAssessment
from scorecast.guarantees.model_comparison import ModelComparison
from scorecast.guarantees.models import MODELS, check_models, model_from, task_of
from scorecast.guarantees.sampling import Sampling, check_sampling
from scorecast.guarantees.selection import SelectedFeatures, selected_features
from scorecast.guarantees.selection_bias import SelectionBias, selection_bias

if TYPE_CHECKING:
    from scorecast.guarantees.tuning import TunedModel

__all__ = [
    "LOSSES",
    "MODELS",
    "NO_GAIN",
    "NULL_DATA",
    "SCHEMES",
    "Assessment",
    "BiasVariance",
    "Bound",
    "ClassSensitivity",
    "EstimateAssessment",
    "EstimatedModel",
    "Feasibility",
    "LearningCurveFit",
    "Loss",
    "LossAssessment",
    "ModelAssessment",
    "ModelComparison",
    "NullTest",
    "Sampling",
    "SelectedFeatures",
    "SelectionBias",
    "TunedModel",
    "Verdict",
    "assess",
    "assess_estimates",
    "check_models",
    "check_sampling",
    "cost_loss",
    "difference_said",
    "estimate_capacity",
    "estimate_said",
    "grids_for",
    "is_share",
    "learning_curve_fit",
    "learning_curve_scores",
    "model_from",
    "rough_size",
    "selected_features",
    "selection_bias",
    "smoothed_loss",
    "span_said",
    "task_of",
    "value_said",
]


def __getattr__(name: str) -> Any:
    # The estimator brings scikit-learn along, which the rest does without.
    if name == "TunedModel":
        from scorecast.guarantees import tuning

        return tuning.TunedModel
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
