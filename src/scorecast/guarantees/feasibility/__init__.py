"""Whether an estimate beats chance, models that know nothing, and null data."""

from __future__ import annotations

from scorecast.guarantees.feasibility.examination import NullSettings, examine
from scorecast.guarantees.feasibility.null_data import NULL_DATA, draw_null_data
from scorecast.guarantees.feasibility.permutations import SCHEMES, permuted_values
from scorecast.guarantees.feasibility.result import Feasibility
from scorecast.guarantees.feasibility.significance import (
    NullTest,
    density_p,
    drawn_test,
    in_units,
    null_test_from,
    null_test_parts,
    paired_test,
    rank_p,
)
from scorecast.guarantees.feasibility.verdict import Verdict, judge

__all__ = [
    "NULL_DATA",
    "SCHEMES",
    "Feasibility",
    "NullSettings",
    "NullTest",
    "Verdict",
    "density_p",
    "draw_null_data",
    "drawn_test",
    "examine",
    "in_units",
    "judge",
    "null_test_from",
    "null_test_parts",
    "paired_test",
    "permuted_values",
    "rank_p",
]
