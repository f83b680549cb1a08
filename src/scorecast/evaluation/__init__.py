"""What can be said of models from their test samples: metrics, intervals, errors.

So far the kernels that other rooms stand on.
"""

from scorecast.evaluation.intervals import (
    PROPORTION_INTERVALS,
    ProportionMethod,
    bca,
    clopper_pearson,
    clustered_wilson,
    corrected_t,
    empirical_bernstein,
    hoeffding,
    nadeau_bengio,
    normal,
    percentile,
    resampled_units,
    student,
    wilson,
)
from scorecast.evaluation.metrics import (
    METRICS,
    Metric,
    Needs,
    PosLabel,
    Predictions,
    Task,
    cost_metric,
    smoothed_error,
)
from scorecast.evaluation.multiple_testing import (
    ADJUSTMENTS,
    AdjustmentMethod,
    Dependence,
    ErrorRate,
    adjust_p_values,
)
from scorecast.evaluation.roc import (
    Areas,
    area_influence,
    area_under_curve,
    areas_under_curves,
    delong_interval,
    midranks,
    placements,
)

__all__ = [
    "ADJUSTMENTS",
    "METRICS",
    "PROPORTION_INTERVALS",
    "AdjustmentMethod",
    "Areas",
    "Dependence",
    "ErrorRate",
    "Metric",
    "Needs",
    "PosLabel",
    "Predictions",
    "ProportionMethod",
    "Task",
    "adjust_p_values",
    "area_influence",
    "area_under_curve",
    "areas_under_curves",
    "bca",
    "clopper_pearson",
    "clustered_wilson",
    "corrected_t",
    "cost_metric",
    "delong_interval",
    "empirical_bernstein",
    "hoeffding",
    "midranks",
    "nadeau_bengio",
    "normal",
    "percentile",
    "placements",
    "resampled_units",
    "smoothed_error",
    "student",
    "wilson",
]
