"""Intervals of proportions, means and scores, and the one to quote."""

from scorecast.evaluation.intervals.bootstrap import (
    bca,
    jackknife_error,
    jackknife_interval,
    resampled_units,
)
from scorecast.evaluation.intervals.by_class import averages_classes
from scorecast.evaluation.intervals.capacity import (
    can_be_bounded,
    capacity_intervals,
    check_vc_dimension,
)
from scorecast.evaluation.intervals.means import (
    corrected_t,
    empirical_bernstein,
    hoeffding,
    nadeau_bengio,
    normal,
    percentile,
    student,
)
from scorecast.evaluation.intervals.proportions import (
    CLUSTERED_WILSON,
    PROPORTION_INTERVALS,
    ProportionInterval,
    ProportionMethod,
    clopper_pearson,
    clustered_width,
    clustered_wilson,
    proportion_interval,
    wilson,
)
from scorecast.evaluation.intervals.recommend import (
    SCORE_INTERVALS,
    Choice,
    IntervalMethod,
    NoInterval,
    RestsOn,
    ScoreInterval,
    recommended,
    score_intervals,
    vector_intervals,
    why_no_interval,
)

__all__ = [
    "CLUSTERED_WILSON",
    "PROPORTION_INTERVALS",
    "SCORE_INTERVALS",
    "Choice",
    "IntervalMethod",
    "NoInterval",
    "ProportionInterval",
    "ProportionMethod",
    "RestsOn",
    "ScoreInterval",
    "averages_classes",
    "bca",
    "can_be_bounded",
    "capacity_intervals",
    "check_vc_dimension",
    "clopper_pearson",
    "clustered_width",
    "clustered_wilson",
    "corrected_t",
    "empirical_bernstein",
    "hoeffding",
    "jackknife_error",
    "jackknife_interval",
    "nadeau_bengio",
    "normal",
    "percentile",
    "proportion_interval",
    "recommended",
    "resampled_units",
    "score_intervals",
    "student",
    "vector_intervals",
    "why_no_interval",
    "wilson",
]
