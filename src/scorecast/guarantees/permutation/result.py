"""The scores of a model beside those it gets on permuted data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.results import Result
from scorecast._core.types import FloatArray, Json
from scorecast.evaluation import clopper_pearson

__all__ = ["PermutationScores"]

# Means of the same fold scores in another order differ in the last digits.
_SAME = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PermutationScores(Result):
    """Scores by split, observed and for permutations.

    Attributes
    ----------
    fold_scores : ndarray of shape (n_splits,)
        Observed score of every split; NaN where the model failed.
    permuted : ndarray of shape (n_permutations, n_splits)
        The same for every permutation.
    estimator : str
        The model.
    scoring : str
        What was scored; more is better.
    method : str
        How the permutations were worked out: the name of a closed form, or ``"loop"``.
    n_refitted : int
        Pairs of permutation and split that were left to the model itself, since
        rounding could have decided them.
    failures : dict of str to int
        Reasons why the model failed, and how often.
    n_cases : int
        Number of cases.
    n_features : int
        Number of features.
    seed : int or None
        The seed, where it was a number.
    n_arrangements : float
        Ways in which features can be dealt out to labels; infinite for very many.
    """

    kind: ClassVar[str] = "permutation-scores"

    fold_scores: FloatArray
    permuted: FloatArray
    estimator: str
    scoring: str
    method: str
    n_refitted: int
    failures: dict[str, int]
    n_cases: int
    n_features: int
    seed: int | None
    n_arrangements: float = math.inf

    @property
    def score(self) -> float:
        """Observed score: the mean over the splits that worked."""
        return float(np.nanmean(self.fold_scores))

    @property
    def null_scores(self) -> FloatArray:
        """Mean score of every permutation; NaN where all splits failed."""
        counts = np.isfinite(self.permuted).sum(axis=1)
        totals = np.nansum(self.permuted, axis=1)
        return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)

    @property
    def n_permutations(self) -> int:
        """Number of permutations."""
        return int(self.permuted.shape[0])

    @property
    def n_as_good(self) -> int:
        """Permutations that score as well or better; failed ones count as such."""
        # Written so that NaN, a permutation that failed, counts.
        return int(np.sum(~(self.null_scores < self.score - _SAME)))

    @property
    def p_value(self) -> float:
        """Chance to do as well by luck: (1 + as good) / (1 + all), never zero."""
        return max((1 + self.n_as_good) / (1 + self.n_permutations), self.smallest_p)

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that so many permutations, or arrangements, can give."""
        return max(1 / (1 + self.n_permutations), 1 / self.n_arrangements)

    def p_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Bound the p-value that endless permutations would give.

        Parameters
        ----------
        level : float, default=0.95
            Confidence (Clopper and Pearson).

        Returns
        -------
        tuple of float
            Lower and upper end.
        """
        return clopper_pearson(self.n_as_good, self.n_permutations, level)

    def summary(self) -> str:
        """Say the answer in one sentence."""
        null = self.null_scores
        usual = float(np.nanmean(null)) if np.isfinite(null).any() else np.nan
        least = ", the least there can be" if self.n_as_good == 0 else ""
        failed = sum(self.failures.values())
        note = f" {failed:,} fits failed." if failed else ""
        return (
            f"{self.estimator} scores {self.score:.3f} ({self.scoring}); on "
            f"{self.n_permutations:,} permutations {usual:.3f} on average. "
            f"p = {self.p_value:.2g}{least}.{note}"
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per split."""
        with np.errstate(all="ignore"):
            counts = np.maximum(np.isfinite(self.permuted).sum(axis=0), 1)
            means = np.nansum(self.permuted, axis=0) / counts
        return {
            "split": list(range(1, self.fold_scores.size + 1)),
            "score": self.fold_scores.tolist(),
            "permuted_mean": means.tolist(),
        }

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"n_cases": self.n_cases, "n_features": self.n_features}
        options = {
            "estimator": self.estimator,
            "scoring": self.scoring,
            "n_permutations": self.n_permutations,
            "seed": self.seed,
        }
        result = {
            "score": self.score,
            "p_value": self.p_value,
            "smallest_p": self.smallest_p,
            "method": self.method,
            "n_refitted": self.n_refitted,
            "n_arrangements": _counted(self.n_arrangements),
            "failures": self.failures,
            "fold_scores": self.fold_scores,
            "permuted": self.permuted,
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        return cls(
            fold_scores=np.array(result["fold_scores"], dtype=float),
            permuted=np.array(result["permuted"], dtype=float),
            estimator=options["estimator"],
            scoring=options["scoring"],
            method=result["method"],
            n_refitted=result["n_refitted"],
            failures=dict(result["failures"]),
            n_cases=inputs["n_cases"],
            n_features=inputs["n_features"],
            seed=options["seed"],
            n_arrangements=result.get("n_arrangements") or math.inf,
        )


def _counted(number: float) -> int | None:
    return int(number) if math.isfinite(number) else None
