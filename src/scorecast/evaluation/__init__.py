"""What can be said of models from their test samples: metrics, intervals, errors.

`TunedEstimator` is loaded when it is first used: it brings scikit-learn along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.evaluation.bias_variance import (
    BIAS_VARIANCE,
    BiasVariance,
    Decomposition,
    bias_variance,
)
from scorecast.evaluation.data import EvaluationData, check_data
from scorecast.evaluation.data_profile import DataProfile, data_profile
from scorecast.evaluation.density import (
    DENSITY_STATISTICS,
    DensityComparison,
    DensityNote,
    DensityPair,
    DensityStatistic,
    DensityTest,
    TwoSampleTest,
    compare_densities,
    density_test,
)
from scorecast.evaluation.estimates import Estimates, MetricSample, collect_estimates
from scorecast.evaluation.feature_selection import (
    FeatureSelectionTest,
    NoSpread,
    SelectionBias,
    feature_selection_test,
    selection_bias,
)
from scorecast.evaluation.fitting import FailureKind, FitFailure
from scorecast.evaluation.intervals import (
    CLUSTERED_WILSON,
    PROPORTION_INTERVALS,
    SCORE_INTERVALS,
    Choice,
    IntervalMethod,
    NoInterval,
    ProportionInterval,
    ProportionMethod,
    RestsOn,
    ScoreInterval,
    bca,
    clopper_pearson,
    clustered_wilson,
    corrected_t,
    empirical_bernstein,
    hoeffding,
    nadeau_bengio,
    normal,
    percentile,
    proportion_interval,
    resampled_units,
    student,
    wilson,
)
from scorecast.evaluation.learning_curve import (
    CurveOver,
    LearningCurve,
    LimitDoubt,
    fit_learning_curve,
    learning_curve,
)
from scorecast.evaluation.metrics import (
    METRICS,
    Metric,
    Needs,
    PosLabel,
    Predictions,
    Task,
    check_scoring,
    cost_metric,
    smoothed_error,
)
from scorecast.evaluation.models import (
    MODELS,
    GridEdge,
    Model,
    check_estimators,
    grids_for,
    make_estimator,
    task_of,
)
from scorecast.evaluation.multiple_testing import (
    ADJUSTMENTS,
    AdjustmentMethod,
    Dependence,
    ErrorRate,
    adjust_p_values,
)
from scorecast.evaluation.permutation import (
    PERMUTATION_ENGINES,
    PermutationEngine,
    PermutationTest,
    permutation_test,
)
from scorecast.evaluation.power_law import PowerLaw, fit_power_law
from scorecast.evaluation.roc import (
    Areas,
    area_influence,
    area_under_curve,
    areas_under_curves,
    delong_interval,
    midranks,
    placements,
)
from scorecast.evaluation.sample_size import (
    POWER_DESIGNS,
    Goal,
    PowerDesign,
    RequiredTestSize,
    required_test_size,
)
from scorecast.evaluation.settings import (
    DESIGNS,
    POOLING,
    DifficultyGroup,
    Dominance,
    FactorEffect,
    PooledInterval,
    Pooling,
    Relation,
    SettingEstimate,
    SettingsAssessment,
    SettingsNote,
    assess_settings,
)
from scorecast.evaluation.splits import (
    SPLITTERS,
    SplitMethod,
    SplitPlan,
    Splitter,
    check_cv,
    draw_splits,
    usual_scoring,
)

if TYPE_CHECKING:
    from scorecast.evaluation.estimators import TunedEstimator

__all__ = [
    "ADJUSTMENTS",
    "BIAS_VARIANCE",
    "CLUSTERED_WILSON",
    "DENSITY_STATISTICS",
    "DESIGNS",
    "METRICS",
    "MODELS",
    "PERMUTATION_ENGINES",
    "POOLING",
    "POWER_DESIGNS",
    "PROPORTION_INTERVALS",
    "SCORE_INTERVALS",
    "SPLITTERS",
    "AdjustmentMethod",
    "Areas",
    "BiasVariance",
    "Choice",
    "CurveOver",
    "DataProfile",
    "Decomposition",
    "DensityComparison",
    "DensityNote",
    "DensityPair",
    "DensityStatistic",
    "DensityTest",
    "Dependence",
    "DifficultyGroup",
    "Dominance",
    "ErrorRate",
    "Estimates",
    "EvaluationData",
    "FactorEffect",
    "FailureKind",
    "FeatureSelectionTest",
    "FitFailure",
    "Goal",
    "GridEdge",
    "IntervalMethod",
    "LearningCurve",
    "LimitDoubt",
    "Metric",
    "MetricSample",
    "Model",
    "Needs",
    "NoInterval",
    "NoSpread",
    "PermutationEngine",
    "PermutationTest",
    "PooledInterval",
    "Pooling",
    "PosLabel",
    "PowerDesign",
    "PowerLaw",
    "Predictions",
    "ProportionInterval",
    "ProportionMethod",
    "Relation",
    "RequiredTestSize",
    "RestsOn",
    "ScoreInterval",
    "SelectionBias",
    "SettingEstimate",
    "SettingsAssessment",
    "SettingsNote",
    "SplitMethod",
    "SplitPlan",
    "Splitter",
    "Task",
    "TunedEstimator",
    "TwoSampleTest",
    "adjust_p_values",
    "area_influence",
    "area_under_curve",
    "areas_under_curves",
    "assess_settings",
    "bca",
    "bias_variance",
    "check_cv",
    "check_data",
    "check_estimators",
    "check_scoring",
    "clopper_pearson",
    "clustered_wilson",
    "collect_estimates",
    "compare_densities",
    "corrected_t",
    "cost_metric",
    "data_profile",
    "delong_interval",
    "density_test",
    "draw_splits",
    "empirical_bernstein",
    "feature_selection_test",
    "fit_learning_curve",
    "fit_power_law",
    "grids_for",
    "hoeffding",
    "learning_curve",
    "make_estimator",
    "midranks",
    "nadeau_bengio",
    "normal",
    "percentile",
    "permutation_test",
    "placements",
    "proportion_interval",
    "required_test_size",
    "resampled_units",
    "selection_bias",
    "smoothed_error",
    "student",
    "task_of",
    "usual_scoring",
    "wilson",
]


def __getattr__(name: str) -> Any:
    if name == "TunedEstimator":
        from scorecast.evaluation.estimators import TunedEstimator

        return TunedEstimator
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
