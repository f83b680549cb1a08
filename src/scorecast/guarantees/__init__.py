"""Question three: what can be promised about a model learnt from few cases."""

from __future__ import annotations

from scorecast.guarantees.permutation import PermutationScores, permutation_scores
from scorecast.guarantees.test_size import RequiredTestSize, required_test_size

__all__ = [
    "PermutationScores",
    "RequiredTestSize",
    "permutation_scores",
    "required_test_size",
]
