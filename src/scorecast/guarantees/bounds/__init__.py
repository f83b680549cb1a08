"""Intervals for the expected performance, each named with what it assumes."""

from __future__ import annotations

from scorecast.guarantees.bounds.bound import Bound
from scorecast.guarantees.bounds.capacity import (
    ehkv_lower,
    occam_upper,
    seed_order,
    vapnik_upper,
)
from scorecast.guarantees.bounds.capacity_estimate import (
    estimate_capacity,
    expected_deviation,
    measured_capacity,
)
from scorecast.guarantees.bounds.concentration import empirical_bernstein, hoeffding
from scorecast.guarantees.bounds.folds import (
    nadeau_bengio,
    normal,
    percentiles,
    student,
)
from scorecast.guarantees.bounds.menu import all_bounds, recommended, unpromised
from scorecast.guarantees.bounds.proportions import clopper_pearson, jeffreys, wilson
from scorecast.guarantees.bounds.resampling import bca, resampled_units
from scorecast.guarantees.bounds.vectors import vector_bounds

__all__ = [
    "Bound",
    "all_bounds",
    "bca",
    "clopper_pearson",
    "ehkv_lower",
    "empirical_bernstein",
    "estimate_capacity",
    "expected_deviation",
    "hoeffding",
    "jeffreys",
    "measured_capacity",
    "nadeau_bengio",
    "normal",
    "occam_upper",
    "percentiles",
    "recommended",
    "resampled_units",
    "seed_order",
    "student",
    "unpromised",
    "vapnik_upper",
    "vector_bounds",
    "wilson",
]
