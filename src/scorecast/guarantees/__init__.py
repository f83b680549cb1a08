"""Question three: what can be promised about a model learnt from few cases."""

from __future__ import annotations

from scorecast.guarantees.permutation import PermutationScores, permutation_scores

__all__ = ["PermutationScores", "permutation_scores"]
