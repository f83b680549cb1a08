"""Intervals of proportions and means, each a kernel on plain numbers and arrays."""

from scorecast.evaluation.intervals.bootstrap import bca, resampled_units
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

__all__ = [
    "CLUSTERED_WILSON",
    "PROPORTION_INTERVALS",
    "ProportionInterval",
    "ProportionMethod",
    "bca",
    "clopper_pearson",
    "clustered_width",
    "clustered_wilson",
    "corrected_t",
    "empirical_bernstein",
    "hoeffding",
    "nadeau_bengio",
    "normal",
    "percentile",
    "proportion_interval",
    "resampled_units",
    "student",
    "wilson",
]
