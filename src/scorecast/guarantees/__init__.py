"""Question three: what can be promised about a model learnt from few cases."""

from __future__ import annotations

from scorecast.guarantees.curve_scores import learning_curve_scores
from scorecast.guarantees.learning_curve import LearningCurveFit, learning_curve_fit
from scorecast.guarantees.permutation import PermutationScores, permutation_scores
from scorecast.guarantees.regularities import Regularities, data_regularities
from scorecast.guarantees.selection import SelectedFeatures, selected_features
from scorecast.guarantees.selection_bias import SelectionBias, selection_bias
from scorecast.guarantees.test_size import RequiredTestSize, required_test_size

__all__ = [
    "LearningCurveFit",
    "PermutationScores",
    "Regularities",
    "RequiredTestSize",
    "SelectedFeatures",
    "SelectionBias",
    "data_regularities",
    "learning_curve_fit",
    "learning_curve_scores",
    "permutation_scores",
    "required_test_size",
    "selected_features",
    "selection_bias",
]
