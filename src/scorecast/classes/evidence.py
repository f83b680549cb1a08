"""What the observed classes tell an extrapolator."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError
from scorecast.scores import (
    Embeddings,
    Ranking,
    Recogniser,
    Scores,
    beating_histogram,
    chances_right,
    check_scores,
    leave_out_histograms,
    mean_chances,
    rank_true_classes,
    snap_to_certainty,
)

__all__ = ["Evidence", "RankEvidence", "given_scores", "with_values"]

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
    data : Scores or Embeddings
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

    data: Recogniser
    ranking: Ranking
    ties: str = "random"
    average: str = "macro"
    chosen: IntArray | None = None
    top: int = 1

    @classmethod
    def of(
        cls,
        data: Recogniser,
        *,
        ties: str = "random",
        average: str = "macro",
        top: int = 1,
        n_jobs: int | None = None,
    ) -> Evidence:
        """Rank the true classes and keep the result.

        Parameters
        ----------
        data : Scores or Embeddings
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

    def check_told_apart(self) -> None:
        """Refuse scores that say nothing of any example.

        Raises
        ------
        InsufficientDataError
            If every class has the same score as all others, example by example.
        """
        if (self.ranking.n_tied == self.n_classes - 1).all():
            msg = (
                "Every example has the same score for all classes: nothing is told "
                "apart, so there is nothing to forecast (guessing is right 1 / k of "
                "the time among k classes)."
            )
            raise InsufficientDataError(msg)

    @cached_property
    def scores(self) -> Recogniser:
        """The scores in evidence, cut out only for methods that look beyond ranks."""
        return self.data if self.chosen is None else self.data.subset(self.chosen)

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of each example; they add up to one."""
        return self.ranking.weights(self.average)

    @cached_property
    def _n_each(self) -> float:
        return self.ranking.n_samples / np.unique(self.ranking.own).size

    @cached_property
    def ranks(self) -> RankEvidence:
        """The histogram of beating competitors."""
        histogram = beating_histogram(
            self.ranking.n_above,
            self.ranking.n_tied,
            self.weights,
            self.n_classes,
            self.ties,
        )
        return RankEvidence(histogram=histogram, n_each=self._n_each, top=self.top)

    def ranks_if_right(self, right: BoolArray) -> RankEvidence:
        """Return the same histogram if some examples were beaten by nobody.

        Parameters
        ----------
        right : ndarray of bool
            Which examples to take as right.

        Returns
        -------
        RankEvidence
            A better recogniser's ranks.
        """
        histogram = beating_histogram(
            np.where(right, 0, self.ranking.n_above),
            np.where(right, 0, self.ranking.n_tied),
            self.weights,
            self.n_classes,
            self.ties,
        )
        return RankEvidence(histogram=histogram, n_each=self._n_each, top=self.top)

    def scores_if_right(self, right: BoolArray) -> Evidence:
        """Exchange the true score of some examples with their best wrong one.

        Parameters
        ----------
        right : ndarray of bool
            Which examples to make right; the others stay as they are.

        Returns
        -------
        Evidence
            A better recogniser's scores and ranks.
        """
        scores = self.scores
        values = np.array(scores.rows(0, scores.n_samples))
        rows, own = np.flatnonzero(right), scores.own[right]
        truth = values[rows, own]
        values[rows, own] = -np.inf
        best = values[rows].argmax(axis=1)
        top_wrong = values[rows, best]
        # One that only ties is as right as it can be.
        values[rows, own] = np.maximum(truth, top_wrong)
        values[rows, best] = np.minimum(truth, top_wrong)
        lost = np.where(right, 0, 1).astype(self.ranking.above.dtype)[:, None]
        ranking = replace(
            self.ranking,
            above=self.ranking.above * lost,
            tied=self.ranking.tied * lost,
        )
        better = with_values(scores, values)
        return replace(self, data=better, ranking=ranking, chosen=None)

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


def with_values(data: Recogniser, values: FloatArray) -> Scores:
    """Put other values in the place of scores.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores as they were.
    values : ndarray of shape (n_samples, n_classes)
        The new ones, greater is better.

    Returns
    -------
    Scores
        The same examples and classes.
    """
    return Scores.unchecked(values, data.own, data.classes)


def given_scores(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None,
    *,
    classes: Sequence[Hashable] | None,
    greater_is_better: bool,
) -> Scores | Embeddings:
    """Accept scores together with what is known of a plain matrix."""
    if isinstance(scores, Scores | Embeddings) or y_true is None:
        return check_scores(scores, y_true)
    return Scores(scores, y_true, classes=classes, greater_is_better=greater_is_better)
