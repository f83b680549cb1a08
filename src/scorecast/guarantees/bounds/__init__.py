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
from scorecast.guarantees.bounds.menu import all_bounds, recommended, unpromised
from scorecast.guarantees.bounds.vectors import vector_bounds

__all__ = [
    "Bound",
    "all_bounds",
    "ehkv_lower",
    "estimate_capacity",
    "expected_deviation",
    "measured_capacity",
    "occam_upper",
    "recommended",
    "seed_order",
    "unpromised",
    "vapnik_upper",
    "vector_bounds",
]
