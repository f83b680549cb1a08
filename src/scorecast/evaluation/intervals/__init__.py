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
    PROPORTION_INTERVALS,
    ProportionMethod,
    clopper_pearson,
    clustered_wilson,
    wilson,
)

__all__ = [
    "PROPORTION_INTERVALS",
    "ProportionMethod",
    "bca",
    "clopper_pearson",
    "clustered_wilson",
    "corrected_t",
    "empirical_bernstein",
    "hoeffding",
    "nadeau_bengio",
    "normal",
    "percentile",
    "resampled_units",
    "student",
    "wilson",
]
