"""Scores with the costs of mistakes: what a forecast of costs starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.scores import (
    MOST_GROUPS,
    Recogniser,
    RiskCurve,
    risk_curve,
    risk_curve_and_replicates,
)

__all__ = ["RiskProblem"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskProblem:
    """Scores, costs and the rules for averaging.

    Attributes
    ----------
    data : Scores or Embeddings
        The scores.
    costs : ndarray of shape (n_classes, n_classes)
        Costs by decision and truth.
    ties, average : str
        Rules.
    """

    data: Recogniser
    costs: FloatArray
    ties: str
    average: str

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return self.data.n_classes

    @cached_property
    def tested(self) -> IntArray:
        """Classes that have examples."""
        return np.unique(self.data.own)

    @property
    def own_cost(self) -> float:
        """Cost of being right: a constant, to which mistakes add."""
        own = np.diag(self.costs)
        counted = self.data.own if self.average == "micro" else self.tested
        return float(own[counted].mean())

    @property
    def own_cost_stderr(self) -> float:
        """Standard error of that constant, over classes; zero if it is the same."""
        own = np.diag(self.costs)[self.tested]
        return float(own.std(ddof=1) / np.sqrt(own.size))

    @cached_property
    def mistakes(self) -> FloatArray:
        """What each possible mistake adds to the cost of being right."""
        added = self.costs - np.diag(self.costs)
        off: FloatArray = added[~np.eye(self.n_classes, dtype=bool)]
        return off

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and most that a decision can add to the cost of being right."""
        return min(0.0, float(self.mistakes.min())), max(
            0.0, float(self.mistakes.max())
        )

    def curve(self, sizes: list[int] | None = None) -> RiskCurve:
        """Compute the observed risk curve, without errors."""
        return risk_curve(
            self.data,
            cost=self.costs,
            sizes=sizes,
            ties=self.ties,
            average=self.average,
            standard_errors=False,
        )

    @cached_property
    def curves(self) -> tuple[RiskCurve, FloatArray]:
        """The observed risk curve with errors, and again with classes left out."""
        return self.curves_at(None)

    def curves_at(self, sizes: list[int] | None) -> tuple[RiskCurve, FloatArray]:
        """Compute both at some sizes only."""
        return risk_curve_and_replicates(
            self.data, self.costs, sizes, ties=self.ties, average=self.average
        )

    def with_smaller(self, k: int) -> list[int]:
        """Add the largest size that exists with classes left out, for its error."""
        n_left = self.n_classes - -(-self.n_classes // MOST_GROUPS)
        return sorted({max(1, min(k, n_left)), k})

    def added(self) -> RiskProblem:
        """Leave out the cost of being right."""
        own = np.diag(self.costs)
        return replace(self, costs=self.costs - own) if own.any() else self

    def counted(self) -> RiskProblem:
        """Let every mistake cost one: the risk is then the share of mistakes."""
        return replace(self, costs=1 - np.eye(self.n_classes))

    def subset(self, chosen: IntArray) -> RiskProblem:
        """Forget all classes but some."""
        return replace(
            self,
            data=self.data.subset(chosen),
            costs=self.costs[np.ix_(chosen, chosen)],
        )
