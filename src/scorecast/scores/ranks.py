"""Where the true class stands among its competitors, for every sample.

All that rank-based methods need of the data. Competitors are counted by *group* of
classes, so that leaving classes out (jackknife, back-test) is a sum over groups and
never goes back to the scores. Small problems have one class per group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.scores.embeddings import Embeddings
from scorecast.scores.matrix import ClassLabels, CountArray, Scores

_MOST_CELLS = 100_000_000  # of counts by single class: two arrays, 200 MB
_MOST_ALONE = 5_000  # classes left out one by one; curves without each grow as squares
_GROUPS = 256  # groups of classes beyond that


class Recogniser(Protocol):
    """What ranks are computed from: `Scores`, or `Embeddings` with their truth."""

    @property
    def own(self) -> IntArray:
        """Column of each sample's true class."""

    @property
    def classes(self) -> ClassLabels:
        """Label of each class."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    @property
    def n_classes(self) -> int:
        """Number of classes, those without samples included."""

    def rows(
        self, start: int, stop: int, *, exact: bool = False
    ) -> NDArray[np.floating[Any]]:
        """Return the scores of some samples, greater is better."""

    def subset(self, chosen: IntArray) -> Self:
        """Keep some classes, and the samples that belong to them."""

    def some(self, rows: IntArray) -> Self:
        """Keep some samples, and all classes."""

    def competitor_counts(
        self, group: IntArray, n_groups: int, n_jobs: int | None = None
    ) -> tuple[CountArray, CountArray]:
        """Count, per sample and group of classes, who beats and who ties the truth."""


def check_scores(
    scores: ArrayLike | Recogniser, y_true: Iterable[Hashable] | None = None
) -> Scores | Embeddings:
    """Accept scores in every form a user may hold them.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes), Scores or Embeddings
        A plain matrix, whose greatest scores are the best, or one of our own objects.
    y_true : iterable of hashable, optional
        True labels; not needed, and not looked at, where `scores` carries them.

    Returns
    -------
    Scores or Embeddings
        With the truth: something that ranks can be computed from.

    Raises
    ------
    UsageError
        If the truth is missing.
    """
    if isinstance(scores, Scores) or (
        isinstance(scores, Embeddings) and scores.is_labelled
    ):
        return scores
    if y_true is None:
        problem = "the true label of every sample is needed"
        raise UsageError(problem, parameter="y_true")
    if isinstance(scores, Embeddings):
        return scores.labelled(y_true)
    return Scores(scores, y_true)  # type: ignore[arg-type]  # no other Recogniser is given


@dataclass(frozen=True, kw_only=True)
class TieRule(Method):
    """How a tie of the true class with others counts.

    Attributes
    ----------
    sign : {1, 0, -1}
        For the truth, by chance, against it.
    """

    sign: int

    def share_of_tie(self, n: int) -> float:
        """Return how much of a tie with `n` others the truth wins."""
        return {1: 1.0, 0: 1 / (n + 1), -1: 0.0 if n else 1.0}[self.sign]


TIE_RULES: Registry[TieRule] = Registry()
TIE_RULES.add(
    TieRule(
        name="random",
        title="broken at random",
        summary="count as their expectation under random breaking",
        sign=0,
    )
)
TIE_RULES.add(
    TieRule(name="optimistic", title="counted as won", summary="count as won", sign=1),
)
TIE_RULES.add(
    TieRule(
        name="pessimistic", title="counted as lost", summary="count as lost", sign=-1
    ),
)


@dataclass(frozen=True, kw_only=True)
class Average(Method):
    """What counts the same in an average.

    Attributes
    ----------
    weigh : callable
        From the true class of each sample to weights, which add up to one.
    """

    weigh: Callable[[IntArray], FloatArray]


def _weigh_by_class(own: IntArray) -> FloatArray:
    counts = np.bincount(own)
    return 1 / (counts[own] * np.count_nonzero(counts))


def _weigh_by_sample(own: IntArray) -> FloatArray:
    return np.full(own.size, 1 / max(own.size, 1))


AVERAGES: Registry[Average] = Registry()
AVERAGES.add(
    Average(
        name="macro",
        title="macro average",
        summary="every class that has samples counts the same",
        weigh=_weigh_by_class,
    )
)
AVERAGES.add(
    Average(
        name="micro",
        title="micro average",
        summary="every sample counts the same",
        weigh=_weigh_by_sample,
    )
)


def sample_weights(own: IntArray, average: str) -> FloatArray:
    """Weigh samples for an average over classes or over samples.

    Parameters
    ----------
    own : ndarray of int64
        True class of each sample.
    average : {"macro", "micro"}
        Every class that has samples counts the same, or every sample.

    Returns
    -------
    ndarray of float64
        Weights, which add up to one.

    Examples
    --------
    >>> sample_weights(np.array([0, 0, 3]), "macro").tolist()
    [0.25, 0.25, 0.5]
    """
    return AVERAGES.choose(average, parameter="average").weigh(own)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """Competitors that beat or tie the true class, by sample and group of classes.

    Attributes
    ----------
    above : ndarray of shape (n_samples, n_groups)
        Number of other classes with a better score.
    tied : ndarray of shape (n_samples, n_groups)
        Number of other classes with exactly the same score.
    own : ndarray of int64
        True class of each sample.
    group : ndarray of int64
        Group of each class.
    """

    above: CountArray
    tied: CountArray
    own: IntArray
    group: IntArray

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.own.size)

    @property
    def n_classes(self) -> int:
        """Number of classes, those without samples included."""
        return int(self.group.size)

    @property
    def n_groups(self) -> int:
        """Number of groups of classes."""
        return int(self.above.shape[1])

    @cached_property
    def n_above(self) -> IntArray:
        """Number of classes that beat the truth, per sample."""
        totals: IntArray = self.above.sum(axis=1, dtype=np.int64)
        return totals

    @cached_property
    def n_tied(self) -> IntArray:
        """Number of classes that tie with the truth, per sample."""
        totals: IntArray = self.tied.sum(axis=1, dtype=np.int64)
        return totals

    @property
    def is_all_tied(self) -> bool:
        """Whether no sample tells any class from another."""
        return bool((self.n_tied == self.n_classes - 1).all())

    def weights(self, average: str) -> FloatArray:
        """Return the weight of each sample in an average; they add up to one."""
        return sample_weights(self.own, average)

    def restrict(self, kept: BoolArray) -> Ranking:
        """Keep the classes of some groups only, as if the others did not exist.

        Parameters
        ----------
        kept : ndarray of bool
            Which groups stay.

        Returns
        -------
        Ranking
            The smaller problem, whose classes and groups are renumbered.
        """
        stays = kept[self.group]
        position = np.cumsum(stays) - 1
        new_group = np.cumsum(kept) - 1
        rows = np.flatnonzero(stays[self.own])
        columns = np.flatnonzero(kept)
        return Ranking(
            # Rows first, then columns: several times faster than both at once.
            above=self.above[rows][:, columns],
            tied=self.tied[rows][:, columns],
            own=position[self.own[rows]],
            group=new_group[self.group[stays]],
        )

    def regroup(self, n_groups: int, rng: np.random.Generator) -> Ranking:
        """Merge groups at random into fewer of nearly equal size.

        Parameters
        ----------
        n_groups : int
            Wanted number; nothing happens if there are no more than that.
        rng : numpy.random.Generator
            Source of the random order.

        Returns
        -------
        Ranking
            The same counts, more coarsely grouped.
        """
        if n_groups >= self.n_groups:
            return self
        merged = rng.permutation(self.n_groups) * n_groups // self.n_groups
        order = np.argsort(merged, kind="stable")
        starts = np.searchsorted(merged[order], np.arange(n_groups))
        group = merged[self.group]
        dtype = np.min_scalar_type(int(np.bincount(group).max()))
        return Ranking(
            above=np.add.reduceat(self.above[:, order], starts, axis=1, dtype=dtype),
            tied=np.add.reduceat(self.tied[:, order], starts, axis=1, dtype=dtype),
            own=self.own,
            group=group,
        )


def rank_true_classes(
    data: Recogniser, *, n_groups: int | None = None, n_jobs: int | None = None
) -> Ranking:
    """Count for every sample the classes that beat or tie its true class.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores, with their truth.
    n_groups : int, optional
        Number of groups of classes; by default one class per group up to 5,000
        classes where that takes less than 200 MB, else 256.
    n_jobs : int, optional
        Number of threads; all cores by default.

    Returns
    -------
    Ranking
        The counts.

    Raises
    ------
    InvalidInputError
        If there are fewer classes than groups.
    """
    n_classes = data.n_classes
    if n_groups is None:
        fits = data.n_samples * n_classes <= _MOST_CELLS
        is_alone = fits and n_classes <= _MOST_ALONE
        n_groups = n_classes if is_alone else min(_GROUPS, n_classes)
    if not 1 <= n_groups <= n_classes:
        problem = f"{n_groups:,} groups were asked of {n_classes:,} classes"
        raise InvalidInputError(problem, parameter="n_groups")
    group = np.arange(n_classes)
    if n_groups < n_classes:
        # A fixed shuffle: neighbouring classes are often alike, and the answer must
        # not depend on the caller's random state.
        shuffled = np.random.default_rng(0).permutation(n_classes)
        group = shuffled * n_groups // n_classes
    above, tied = data.competitor_counts(group, n_groups, n_jobs)
    return Ranking(above=above, tied=tied, own=data.own, group=group)
