"""What the observed classes tell an extrapolator: ranks, weights, and fewer of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.scores import (
    Ranking,
    Recogniser,
    Scores,
    beating_histogram,
    chances_right,
    kish_size,
    leave_out_histograms,
    mean_chances,
    rank_true_classes,
    snap_to_certainty,
)

_MOST_CACHED = 500_000  # cells of a table worth keeping for the next hiding of classes
_USUAL_CORRELATION = 0.2  # within a class; leaned on where few classes have a mistake
_CLASSES_WORTH = 10  # number of classes with a mistake that this guess is worth


@dataclass(frozen=True, kw_only=True, eq=False)
class RankHistogram:
    """How often the truth is beaten by 0, 1, 2, ... of its competitors.

    Attributes
    ----------
    histogram : ndarray of shape (n_classes,)
        Weight of the samples beaten by so many competitors; adds up to one.
    n_each : float
        Mean number of samples of a class that has any.
    """

    histogram: FloatArray
    n_each: float = 1.0

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return int(self.histogram.size)

    def curve(self, ks: IntArray) -> FloatArray:
        """Return the average accuracy in random subsets of k classes."""
        if ks.size * self.n_classes <= _MOST_CACHED:
            table = _chances(self.n_classes, ks.tobytes())
            return snap_to_certainty(table @ self.histogram)
        return mean_chances(self.histogram, self.n_classes, ks)

    def accuracy(self, top: int = 1) -> float:
        """Return the accuracy with all observed classes, within `top` guesses."""
        right = self.histogram[:top].sum(keepdims=True)
        return float(snap_to_certainty(right)[0])

    def is_faultless(self, top: int = 1) -> bool:
        """Tell whether all samples are right by as many guesses: nothing to fit."""
        are_alike = bool(snap_to_certainty(self.histogram).max() >= 1)
        return are_alike and self.accuracy(top) >= 1


@lru_cache(maxsize=8)
def _chances(n_classes: int, sizes: bytes) -> FloatArray:
    return chances_right(n_classes, np.frombuffer(sizes, dtype=np.int64))


def refuse_one_class(data: Recogniser) -> None:
    """Refuse samples of one class: nobody sees how well others are told from it."""
    if np.unique(data.own).size < 2:
        raise InsufficientDataError(
            "all samples belong to one class: how well classes are told apart cannot "
            "be seen from one of them",
            parameter="y_true",
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class ObservedClasses:
    """Scores and ranks of the observed classes, with the rules for averaging.

    Attributes
    ----------
    data : Scores or Embeddings
        Scores of all classes ever observed.
    ranking : Ranking
        Competitors of each sample, by group of classes.
    ties, average : str
        Rules.
    chosen : ndarray of int64 or None
        Which classes of `data` are observed here; None for all.
    """

    data: Recogniser
    ranking: Ranking
    ties: str = "random"
    average: str = "macro"
    chosen: IntArray | None = None

    @classmethod
    def of(
        cls,
        data: Recogniser,
        *,
        ties: str = "random",
        average: str = "macro",
        class_weights: FloatArray | None = None,
        n_jobs: int | None = None,
    ) -> ObservedClasses:
        """Rank the true classes.

        Parameters
        ----------
        data : Scores or Embeddings
            The scores.
        ties : {"random", "optimistic", "pessimistic"}, default="random"
            Rule for ties.
        average : {"macro", "micro"}, default="macro"
            Weighting of samples.
        class_weights : ndarray of float64, optional
            How much each class counts as the true one; all the same by default.
        n_jobs : int, optional
            Number of threads.

        Returns
        -------
        ObservedClasses
            Ready for extrapolators.

        Raises
        ------
        InsufficientDataError
            If every class has the same score as all others, sample by sample.
        """
        ranking = rank_true_classes(data, n_jobs=n_jobs)
        ranking = replace(ranking, class_weights=class_weights)
        if ranking.is_all_tied:
            raise InsufficientDataError(
                "every sample has the same score for all classes: nothing is told "
                "apart, so there is nothing to forecast (guessing is right 1 / k of "
                "the time among k classes)",
                parameter="scores",
            )
        return cls(data=data, ranking=ranking, ties=ties, average=average)

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return self.ranking.n_classes

    @property
    def n_cells(self) -> int:
        """Number of scores."""
        return self.ranking.n_samples * self.n_classes

    @cached_property
    def n_tested(self) -> int:
        """Number of classes that have samples."""
        return int(np.unique(self.ranking.own).size)

    @property
    def n_alike(self) -> float:
        """Number of classes of equal weight that tell as much as those with samples."""
        weights = self.ranking.class_weights
        if weights is None:
            return float(self.n_tested)
        return kish_size(weights[np.unique(self.ranking.own)])

    def n_telling(self, n_groups: int) -> float:
        """Count the groups left out that tell of the spread between classes.

        Where few classes carry most of the weight, as many as those.
        """
        if self.ranking.class_weights is None:
            return n_groups
        return min(float(n_groups), self.n_alike)

    @cached_property
    def scores(self) -> Recogniser:
        """The scores, cut out only for methods that look beyond ranks."""
        return self.data if self.chosen is None else self.data.subset(self.chosen)

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of each sample; they add up to one."""
        return self.ranking.weights(self.average)

    @cached_property
    def ranks(self) -> RankHistogram:
        """The histogram of beating competitors."""
        return self._histogram(self.ranking.n_above, self.ranking.n_tied)

    def ranks_if_right(self, right: BoolArray) -> RankHistogram:
        """Return the same histogram if some samples were beaten by nobody."""
        return self._histogram(
            np.where(right, 0, self.ranking.n_above),
            np.where(right, 0, self.ranking.n_tied),
        )

    def _histogram(self, above: IntArray, tied: IntArray) -> RankHistogram:
        histogram = beating_histogram(
            above, tied, self.weights, self.n_classes, self.ties
        )
        return RankHistogram(histogram=histogram, n_each=self._n_each)

    @cached_property
    def _n_each(self) -> float:
        return self.ranking.n_samples / self.n_tested

    def scores_if_right(self, right: BoolArray) -> ObservedClasses:
        """Exchange the true score of some samples with their best wrong one."""
        scores = self.scores
        values = np.array(scores.rows(0, scores.n_samples))
        rows, own = np.flatnonzero(right), scores.own[right]
        truth = values[rows, own]
        values[rows, own] = -np.inf
        best = values[rows].argmax(axis=1)
        best_wrong = values[rows, best]
        # One that only ties is as right as it can be.
        values[rows, own] = np.maximum(truth, best_wrong)
        values[rows, best] = np.minimum(truth, best_wrong)
        lost = np.where(right, 0, 1).astype(self.ranking.above.dtype)[:, None]
        ranking = replace(
            self.ranking,
            above=self.ranking.above * lost,
            tied=self.ranking.tied * lost,
        )
        return replace(self.with_values(values), ranking=ranking)

    def with_values(self, values: FloatArray) -> ObservedClasses:
        """Put other values of the same order in the place of the scores."""
        scores = self.scores
        changed = Scores.unchecked(values, scores.own, tuple(scores.classes))
        return replace(self, data=changed, chosen=None)

    @cached_property
    def ranks_left_out(self) -> list[RankHistogram]:
        """The histogram of ranks with each group of classes left out in turn."""
        histograms, sizes = leave_out_histograms(
            self.ranking, ties=self.ties, average=self.average
        )
        return [
            RankHistogram(histogram=row[:size], n_each=self._n_each)
            for row, size in zip(histograms, sizes, strict=True)
        ]

    def regroup(self, n_groups: int, rng: np.random.Generator) -> ObservedClasses:
        """Leave classes out in fewer, larger groups."""
        return replace(self, ranking=self.ranking.regroup(n_groups, rng))

    def restrict(self, kept: BoolArray) -> ObservedClasses:
        """Forget the classes of all groups but some."""
        stays = np.flatnonzero(kept[self.ranking.group])
        chosen = stays if self.chosen is None else self.chosen[stays]
        return replace(self, ranking=self.ranking.restrict(kept), chosen=chosen)


def hide_classes(
    observed: ObservedClasses, n_kept: int, rng: np.random.Generator
) -> ObservedClasses:
    """Keep some classes at random, as if the others had never been seen.

    Classes are drawn without replacement: one drawn twice would tie with itself. Their
    number is met as nearly as whole groups of classes allow.
    """
    if not 2 <= n_kept <= observed.n_classes:
        problem = f"must lie in 2..{observed.n_classes}; got {n_kept!r}"
        raise UsageError(problem, parameter="n_kept")
    ranking = observed.ranking
    n_groups = ranking.n_groups
    wanted = max(1, round(n_kept * n_groups / observed.n_classes))
    kept = np.zeros(n_groups, dtype=bool)
    kept[rng.permutation(n_groups)[:wanted]] = True
    if not kept[ranking.group[ranking.own]].any():
        msg = f"none of the {n_kept} classes kept has a sample"
        raise InsufficientDataError(msg)
    return observed.restrict(kept)


def effective_size(observed: ObservedClasses, right: BoolArray | None = None) -> float:
    r"""Count the independent samples that would tell as much as those at hand.

    Samples of one class share its difficulty, so fifty of them tell less than fifty
    classes would. The number of samples is divided by their design effect
    :math:`1 + (m - 1)\rho`, with m the samples per class and :math:`\rho` the
    correlation within a class of the chance to be right among half of the classes.
    Only classes that were mistaken tell anything about it; without any it is the
    usual one. `right` marks samples to take as right, whatever they were.

    Where classes count by weights w the variance of their weighted mean decides: with
    c samples a class adds :math:`w^2 (\rho + (1 - \rho) / c)` to it.
    """
    ranking = observed.ranking
    own = ranking.own
    counts = np.bincount(own, minlength=observed.n_classes)
    per_class = float((counts.astype(np.float64) ** 2).sum() / own.size)
    if per_class <= 1:
        return float(own.size) * _weighing(ranking.class_weights, counts, 0.0)
    beaten = ranking.n_above + ranking.n_tied // 2
    if right is not None:
        beaten = np.where(right, 0, beaten)
    n_mistaken = np.unique(own[beaten > 0]).size
    half = np.array([max(2, (observed.n_classes + 1) // 2)])
    chances = chances_right(observed.n_classes, half)[0][beaten]
    share = n_mistaken / (n_mistaken + _CLASSES_WORTH)
    measured = _intraclass_correlation(chances, own)
    rho = share * measured + (1 - share) * _USUAL_CORRELATION
    size = own.size / (1 + (per_class - 1) * rho)
    return size * _weighing(ranking.class_weights, counts, rho)


def _weighing(weights: FloatArray | None, counts: IntArray, rho: float) -> float:
    """Return what is left of a size where classes count by weights (Kish)."""
    if weights is None:
        return 1.0
    each = rho + (1 - rho) / np.maximum(counts, 1)
    alike = (counts > 0) / np.count_nonzero(counts)
    shares = np.where(counts > 0, weights, 0.0) / weights[counts > 0].sum()
    return float((alike**2 @ each) / (shares**2 @ each))


def _intraclass_correlation(values: FloatArray, own: IntArray) -> float:
    """Estimate the correlation within classes by a one-way analysis of variance."""
    counts = np.bincount(own)
    means = np.bincount(own, values) / np.maximum(counts, 1)
    counts, n = counts[counts > 0], values.size
    n_tested = counts.size
    within = float(((values - means[own]) ** 2).sum())
    total = float(((values - values.mean()) ** 2).sum())
    if n == n_tested or n_tested < 2 or total <= 0:
        return _USUAL_CORRELATION
    mean_within = within / (n - n_tested)
    mean_between = (total - within) / (n_tested - 1)
    typical = (n - float((counts.astype(np.float64) ** 2).sum()) / n) / (n_tested - 1)
    rho = (mean_between - mean_within) / (mean_between + (typical - 1) * mean_within)
    return float(np.clip(rho, 0, 1))


def improvements(observed: ObservedClasses, most: int) -> list[BoolArray]:
    """Mark samples to take as right: the worst mistakes, ever more of them.

    One mask per improvement, `most` of them at most, the last with every sample right;
    none if all of them are. Where these are not enough for all numbers, they are the
    denser the fewer mistakes are made right.
    """
    ranking = observed.ranking
    beaten = ranking.n_above + ranking.n_tied / 2
    order = np.argsort(-beaten, kind="stable")
    n_wrong = int(np.count_nonzero(beaten))
    numbers = np.arange(1, n_wrong + 1)
    if n_wrong > most:
        numbers = np.unique(np.geomspace(1, n_wrong, most).round().astype(np.int64))
    found = []
    for n_right in numbers:
        right = np.zeros(beaten.size, dtype=np.bool_)
        right[order[:n_right]] = True
        found.append(right)
    return found
