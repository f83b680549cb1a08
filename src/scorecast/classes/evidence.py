"""What the observed classes tell an extrapolator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.scores import (
    ClassScores,
    Ranking,
    beating_histogram,
    chances_right,
    leave_out_histograms,
    mean_chances,
    rank_true_classes,
    snap_to_certainty,
)

__all__ = ["Evidence", "RankEvidence"]

_MOST_CACHED = 500_000  # cells of a table worth keeping for the next hiding of classes


@lru_cache(maxsize=8)
def _chances(n_classes: int, sizes: bytes) -> FloatArray:
    return chances_right(n_classes, np.frombuffer(sizes, dtype=np.int64))


@dataclass(frozen=True, kw_only=True, eq=False)
class RankEvidence:
    """How often the truth is beaten by 0, 1, 2, ... of its competitors.

    Attributes
    ----------
    histogram : ndarray of shape (n_classes,)
        Weight of the examples beaten by so many competitors; adds up to one.
    n_each : float
        Mean number of examples of a class that has any.
    top : int
        Guesses allowed in `accuracy`; the histogram and the curve are of one guess.
    """

    histogram: FloatArray
    n_each: float = 1.0
    top: int = 1

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return int(self.histogram.size)

    def curve(self, ks: IntArray) -> FloatArray:
        """Return the average test accuracy in subsets of k classes."""
        if ks.size * self.n_classes <= _MOST_CACHED:
            table = _chances(self.n_classes, ks.tobytes())
            return snap_to_certainty(table @ self.histogram)
        return mean_chances(self.histogram, self.n_classes, ks)

    @property
    def accuracy(self) -> float:
        """Accuracy with all observed classes."""
        right = self.histogram[: self.top].sum(keepdims=True)
        return float(snap_to_certainty(right)[0])

    @property
    def is_only_bound(self) -> bool:
        """Whether every example is right, all by as many guesses: nothing to fit."""
        alike = bool(snap_to_certainty(self.histogram).max() >= 1)
        return alike and self.accuracy >= 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Scores and ranks of the observed classes, with the rules for averaging.

    Attributes
    ----------
    data : Scores or LabelledEmbeddings
        Scores of all classes ever observed.
    ranking : Ranking
        Competitors of each example, by group of classes.
    ties, average : str
        Rules.
    chosen : ndarray of int64 or None
        Which classes of `data` are in evidence; None for all.
    top : int
        Guesses allowed for an example to count as right.
    """

    data: ClassScores
    ranking: Ranking
    ties: str = "random"
    average: str = "macro"
    chosen: IntArray | None = None
    top: int = 1

    @classmethod
    def of(
        cls,
        data: ClassScores,
        *,
        ties: str = "random",
        average: str = "macro",
        top: int = 1,
        n_jobs: int | None = None,
    ) -> Evidence:
        """Rank the true classes and keep the result.

        Parameters
        ----------
        data : Scores or LabelledEmbeddings
            The scores.
        ties : {"random", "optimistic", "pessimistic"}, default="random"
            Rule for ties.
        average : {"macro", "micro"}, default="macro"
            Weighting of examples.
        top : int, default=1
            Guesses allowed.
        n_jobs : int, optional
            Number of threads.

        Returns
        -------
        Evidence
            Ready for extrapolators.
        """
        ranking = rank_true_classes(data, n_jobs=n_jobs)
        return cls(data=data, ranking=ranking, ties=ties, average=average, top=top)

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return self.ranking.n_classes

    @cached_property
    def scores(self) -> ClassScores:
        """The scores in evidence, cut out only for methods that look beyond ranks."""
        return self.data if self.chosen is None else self.data.subset(self.chosen)

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of each example; they add up to one."""
        return self.ranking.weights(self.average)

    @cached_property
    def _n_each(self) -> float:
        return self.ranking.n_examples / np.unique(self.ranking.own).size

    @cached_property
    def ranks(self) -> RankEvidence:
        """The histogram of beating competitors."""
        histogram = beating_histogram(
            self.ranking.beaten_totals,
            self.ranking.tied_totals,
            self.weights,
            self.n_classes,
            self.ties,
        )
        return RankEvidence(histogram=histogram, n_each=self._n_each, top=self.top)

    @cached_property
    def ranks_left_out(self) -> list[RankEvidence]:
        """The same histogram with each group of classes left out in turn."""
        histograms, sizes = leave_out_histograms(
            self.ranking, ties=self.ties, average=self.average
        )
        return [
            RankEvidence(histogram=row[:size], n_each=self._n_each, top=self.top)
            for row, size in zip(histograms, sizes, strict=True)
        ]

    def regroup(self, n_groups: int, rng: np.random.Generator) -> Evidence:
        """Leave classes out in fewer, larger groups."""
        return replace(self, ranking=self.ranking.regroup(n_groups, rng))

    def restrict(self, kept: BoolArray) -> Evidence:
        """Forget the classes of all groups but some.

        Parameters
        ----------
        kept : ndarray of bool
            Which groups of classes stay.

        Returns
        -------
        Evidence
            As if the other classes had never been seen.
        """
        stays = np.flatnonzero(kept[self.ranking.group])
        chosen = stays if self.chosen is None else self.chosen[stays]
        return replace(self, ranking=self.ranking.restrict(kept), chosen=chosen)
