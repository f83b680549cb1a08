"""The surface of evaluation: every name, written here and nowhere else."""

from .assess import (
    assess as assess,
)
from .assess_estimates import (
    EstimateAssessment as EstimateAssessment,
    RepeatKind as RepeatKind,
    assess_estimates as assess_estimates,
)
from .assessment import (
    Assessment as Assessment,
    AssessmentNote as AssessmentNote,
    ClassRecall as ClassRecall,
    Diagnostics as Diagnostics,
    LearningCurves as LearningCurves,
    MetricAssessment as MetricAssessment,
    ModelAssessment as ModelAssessment,
    ModelComparison as ModelComparison,
)
from .bias_variance import (
    BIAS_VARIANCE as BIAS_VARIANCE,
    BiasVariance as BiasVariance,
    Decomposition as Decomposition,
    bias_variance as bias_variance,
)
from .data import (
    EvaluationData as EvaluationData,
    check_data as check_data,
)
from .data_profile import (
    DataProfile as DataProfile,
    data_profile as data_profile,
)
from .density import (
    DENSITY_STATISTICS as DENSITY_STATISTICS,
    DensityComparison as DensityComparison,
    DensityNote as DensityNote,
    DensityPair as DensityPair,
    DensityStatistic as DensityStatistic,
    DensityTest as DensityTest,
    TwoSampleTest as TwoSampleTest,
    compare_densities as compare_densities,
    density_test as density_test,
)
from .estimates import (
    Estimates as Estimates,
    MetricSample as MetricSample,
    collect_estimates as collect_estimates,
)
from .estimators import (
    TunedEstimator as TunedEstimator,
)
from .feature_selection import (
    FeatureSelectionTest as FeatureSelectionTest,
    NoSpread as NoSpread,
    SelectionBias as SelectionBias,
    feature_selection_test as feature_selection_test,
    selection_bias as selection_bias,
)
from .fitting import (
    FailureKind as FailureKind,
    FitFailure as FitFailure,
)
from .intervals import (
    CLUSTERED_WILSON as CLUSTERED_WILSON,
    HYPOTHESES as HYPOTHESES,
    PROPORTION_INTERVALS as PROPORTION_INTERVALS,
    SCORE_INTERVALS as SCORE_INTERVALS,
    Choice as Choice,
    IntervalMethod as IntervalMethod,
    NoInterval as NoInterval,
    ProportionInterval as ProportionInterval,
    ProportionMethod as ProportionMethod,
    RestsOn as RestsOn,
    ScoreInterval as ScoreInterval,
    bca as bca,
    clopper_pearson as clopper_pearson,
    clustered_wilson as clustered_wilson,
    corrected_t as corrected_t,
    empirical_bernstein as empirical_bernstein,
    hoeffding as hoeffding,
    nadeau_bengio as nadeau_bengio,
    normal as normal,
    percentile as percentile,
    proportion_interval as proportion_interval,
    resampled_units as resampled_units,
    student as student,
    wilson as wilson,
)
from .learning_curve import (
    CurveOver as CurveOver,
    LearningCurve as LearningCurve,
    LimitDoubt as LimitDoubt,
    fit_learning_curve as fit_learning_curve,
    learning_curve as learning_curve,
)
from .metrics import (
    METRICS as METRICS,
    Metric as Metric,
    Needs as Needs,
    PosLabel as PosLabel,
    Predictions as Predictions,
    Task as Task,
    check_scoring as check_scoring,
    cost_metric as cost_metric,
    smoothed_error as smoothed_error,
)
from .models import (
    MODELS as MODELS,
    GridEdge as GridEdge,
    Model as Model,
    check_estimators as check_estimators,
    grids_for as grids_for,
    make_estimator as make_estimator,
    task_of as task_of,
)
from .multiple_testing import (
    ADJUSTMENTS as ADJUSTMENTS,
    AdjustmentMethod as AdjustmentMethod,
    Dependence as Dependence,
    ErrorRate as ErrorRate,
    adjust_p_values as adjust_p_values,
)
from .null_data import (
    NULL_DATA as NULL_DATA,
    NULL_MODELS as NULL_MODELS,
    NullDataMethod as NullDataMethod,
    NullModel as NullModel,
)
from .null_tests import (
    NullTest as NullTest,
    NullTests as NullTests,
    NullTestSummary as NullTestSummary,
    PermutationDensity as PermutationDensity,
    Permute as Permute,
    Remedy as Remedy,
    TestStatus as TestStatus,
    Verdict as Verdict,
    VerdictBasis as VerdictBasis,
)
from .permutation import (
    PERMUTATION_ENGINES as PERMUTATION_ENGINES,
    PermutationEngine as PermutationEngine,
    PermutationTest as PermutationTest,
    permutation_test as permutation_test,
)
from .power_law import (
    PowerLaw as PowerLaw,
    fit_power_law as fit_power_law,
)
from .pruned_tree import (
    PrunedTree as PrunedTree,
)
from .roc import (
    Areas as Areas,
    area_influence as area_influence,
    area_under_curve as area_under_curve,
    areas_under_curves as areas_under_curves,
    midranks as midranks,
    placements as placements,
)
from .sample_size import (
    POWER_DESIGNS as POWER_DESIGNS,
    Goal as Goal,
    PowerDesign as PowerDesign,
    RequiredTestSize as RequiredTestSize,
    required_test_size as required_test_size,
)
from .settings import (
    COLLECTIONS as COLLECTIONS,
    DESIGNS as DESIGNS,
    POOLING as POOLING,
    Collection as Collection,
    DifficultyGroup as DifficultyGroup,
    Dominance as Dominance,
    FactorEffect as FactorEffect,
    PooledInterval as PooledInterval,
    Relation as Relation,
    SettingEstimate as SettingEstimate,
    SettingParts as SettingParts,
    SettingRecall as SettingRecall,
    SettingsAssessment as SettingsAssessment,
    SettingsNote as SettingsNote,
    SettingsPooling as SettingsPooling,
    SettingTest as SettingTest,
    assess_settings as assess_settings,
)
from .splits import (
    SPLITTERS as SPLITTERS,
    SplitMethod as SplitMethod,
    SplitPlan as SplitPlan,
    Splitter as Splitter,
    check_cv as check_cv,
    draw_splits as draw_splits,
    usual_scoring as usual_scoring,
)
from .target_ranges import TargetRange as TargetRange
from .training_size import (
    LEARNING_RULES as LEARNING_RULES,
    ExpectedError as ExpectedError,
    LearningRule as LearningRule,
    RequiredTrainingSize as RequiredTrainingSize,
    expected_error as expected_error,
    required_training_size as required_training_size,
)
