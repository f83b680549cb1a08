"""Permutation significance: how often luck would do as well.

The label-free half of the work is done once for all permutations; models that are known
get closed forms, all others a loop. What rounding could decide is left to the model.
"""

from __future__ import annotations

from scorecast.guarantees.permutation.result import PermutationScores
from scorecast.guarantees.permutation.significance import permutation_scores

__all__ = [
    "PermutationScores",
    "permutation_scores",
]
