"""Where the true class stands among its competitors, for every example.

All that rank-based methods need of the data. Competitors are counted by *group* of
classes, so that leaving classes out (jackknife, back-test) is a sum over groups and
never goes back to the scores. Small problems have one class per group.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_choice
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.scores.embeddings import Embeddings, LabelledEmbeddings
from scorecast.scores.matrix import Scores

__all__ = [
    "AVERAGES",
    "TIES",
    "ClassScores",
    "Ranking",
    "as_class_scores",
    "example_weights",
    "rank_true_classes",
]

TIES = ("random", "optimistic", "pessimistic")
AVERAGES = ("macro", "micro")
ClassScores = Scores | LabelledEmbeddings
_MOST_CELLS = 100_000_000  # of counts by single class: two arrays, 200 MB
_GROUPS = 256  # groups of classes beyond that


def as_class_scores(
    scores: ArrayLike | Scores | Embeddings | LabelledEmbeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
) -> ClassScores:
    """Accept scores in every form a user may hold them.

    Parameters
    ----------
    scores : array-like, Scores or Embeddings
        A matrix (examples x classes) or one of our own objects.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` already carries them.
    classes : sequence of hashable, optional
        Labels of the columns of a plain matrix.
    greater_is_better : bool, default=True
        Direction of a plain matrix.

    Returns
    -------
    Scores or LabelledEmbeddings
        Something that ranks can be computed from.

    Raises
    ------
    UsageError
        If the truth is missing.
    """
    if isinstance(scores, Scores | LabelledEmbeddings):
        return scores
    if y_true is None:
        msg = "`y_true` is needed: the true label of every example."
        raise UsageError(msg)
    if isinstance(scores, Embeddings):
        return scores.with_labels(y_true)
    return Scores(scores, y_true, classes=classes, greater_is_better=greater_is_better)


def example_weights(own: IntArray, average: str) -> FloatArray:
    """Weigh examples for an average over classes or over examples.

    Parameters
    ----------
    own : ndarray of int64
        True class of each example.
    average : {"macro", "micro"}
        Every class that has examples counts the same, or every example.

    Returns
    -------
    ndarray of float64
        Weights, which add up to one.

    Examples
    --------
    >>> example_weights(np.array([0, 0, 3]), "macro").tolist()
    [0.25, 0.25, 0.5]
    """
    check_choice(average, "average", AVERAGES)
    if average == "micro":
        return np.full(own.size, 1 / max(own.size, 1))
    counts = np.bincount(own)
    return 1 / (counts[own] * np.count_nonzero(counts))


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """Competitors that beat or tie the true class, by example and group of classes.

    Attributes
    ----------
    above : ndarray of shape (n_examples, n_groups)
        Number of other classes with a better score.
    tied : ndarray of shape (n_examples, n_groups)
        Number of other classes with exactly the same score.
    own : ndarray of int64
        True class of each example.
    group : ndarray of int64
        Group of each class.
    """

    above: NDArray[np.unsignedinteger[Any]]
    tied: NDArray[np.unsignedinteger[Any]]
    own: IntArray
    group: IntArray

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self.own.size)

    @property
    def n_classes(self) -> int:
        """Number of classes, those without examples included."""
        return int(self.group.size)

    @property
    def n_groups(self) -> int:
        """Number of groups of classes."""
        return int(self.above.shape[1])

    @cached_property
    def beaten_totals(self) -> IntArray:
        """Number of classes that beat the truth, per example."""
        totals: IntArray = self.above.sum(axis=1, dtype=np.int64)
        return totals

    @cached_property
    def tied_totals(self) -> IntArray:
        """Number of classes that tie with the truth, per example."""
        totals: IntArray = self.tied.sum(axis=1, dtype=np.int64)
        return totals

    def weights(self, average: str) -> FloatArray:
        """Return the weight of each example in the average; they add up to one.

        Parameters
        ----------
        average : {"macro", "micro"}
            Every class counts the same, or every example.

        Returns
        -------
        ndarray of float64
            Weights.
        """
        return example_weights(self.own, average)

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
    data: ClassScores, *, n_groups: int | None = None, n_jobs: int | None = None
) -> Ranking:
    """Count for every example the classes that beat or tie its true class.

    Parameters
    ----------
    data : Scores or LabelledEmbeddings
        The scores.
    n_groups : int, optional
        Number of groups of classes; by default one class per group where that takes
        less than 200 MB, else 256.
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
        fits = data.n_examples * n_classes <= _MOST_CELLS
        n_groups = n_classes if fits else min(_GROUPS, n_classes)
    if not 1 <= n_groups <= n_classes:
        msg = f"{n_groups} groups were asked of {n_classes} classes."
        raise InvalidInputError(msg)
    group = np.arange(n_classes)
    if n_groups < n_classes:
        # A fixed shuffle: neighbouring classes are often alike, and the answer must
        # not depend on the caller's random state.
        shuffled = np.random.default_rng(0).permutation(n_classes)
        group = shuffled * n_groups // n_classes
    above, tied = data.competitor_counts(group, n_groups, n_jobs)
    return Ranking(above=above, tied=tied, own=data.own, group=group)
