"""Where the true class stands among its competitors, for every sample.

All that rank-based methods need of the data. Competitors are counted by *group* of
classes, so that leaving classes out (jackknife, back-test) is a sum over groups and
never goes back to the scores. Small problems have one class per group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.registry import Method, Registry
from scorecast._core.result import SHARE
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, UsageError, listed, quoted
from scorecast.scores.embeddings import Embeddings
from scorecast.scores.matrix import ClassLabels, CountArray, Scores, cells

_MOST_CELLS = 100_000_000  # of counts by single class: two arrays, 200 MB
_MOST_SHOWN = 8_000_000  # scores of a large gallery that are only looked at
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


def first_rows(data: Recogniser, most: int) -> NDArray[np.floating[Any]]:
    """Return the scores of the first samples: fewer of a gallery that is large.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores.
    most : int
        How many samples.

    Returns
    -------
    ndarray of shape (n, n_classes)
        Scores.
    """
    n = min(data.n_samples, most)
    if isinstance(data, Embeddings) and data.is_large:
        n = min(n, max(1, _MOST_SHOWN // data.gallery.shape[0]))
    return data.rows(0, n)


@dataclass(frozen=True, kw_only=True)
class TieRule(Method):
    """How a tie of the true class with others counts.

    Attributes
    ----------
    sign : {1, 0, -1}
        For the truth, by chance, against it.
    """

    sign: int


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


def sample_weights(
    own: IntArray, average: str, class_weights: FloatArray | None = None
) -> FloatArray:
    """Weigh samples for an average over classes or over samples.

    Parameters
    ----------
    own : ndarray of int64
        True class of each sample.
    average : {"macro", "micro"}
        Every class that has samples counts the same, or every sample.
    class_weights : ndarray of float64, optional
        How often each class comes, relative to the others: an average over classes in
        which they count by that, shared among their samples.

    Returns
    -------
    ndarray of float64
        Weights, which add up to one.

    Examples
    --------
    >>> own = np.array([0, 0, 3])
    >>> sample_weights(own, "macro").tolist()
    [0.25, 0.25, 0.5]
    >>> sample_weights(own, "macro", np.array([3.0, 1.0, 1.0, 1.0])).tolist()
    [0.375, 0.375, 0.25]
    """
    if class_weights is None:
        return AVERAGES.choose(average, parameter="average").weigh(own)
    counts = np.bincount(own, minlength=class_weights.size)
    total = class_weights[counts > 0].sum()
    return np.asarray(class_weights[own] / (counts[own] * total), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class ClassWeighting:
    """How unequally classes count.

    Attributes
    ----------
    n_effective : float
        Number of classes of equal weight that would tell as much (Kish): the square of
        the sum of weights over the sum of their squares, of classes with samples.
    least, most : float
        Smallest and largest share of a class with samples.
    n_weightless : int
        Classes with samples whose weight is zero: they compete, and are never true.

    References
    ----------
    L. Kish (1965). Survey Sampling. Wiley.
    """

    n_effective: float
    least: float = field(metadata=SHARE)
    most: float = field(metadata=SHARE)
    n_weightless: int = 0


def check_class_weights(
    class_weights: Mapping[Hashable, float] | ArrayLike, classes: ClassLabels
) -> FloatArray:
    """Return one weight for every class, in the order of the columns.

    Parameters
    ----------
    class_weights : mapping, Series or array-like of shape (n_classes,)
        Weight by class label, or in the order of the classes.
    classes : sequence of hashable
        Label of each class.

    Returns
    -------
    ndarray of float64
        The weights, the largest of which is one.

    Raises
    ------
    InvalidInputError
        If a class has no weight, a weight no class, or one is no number from zero up,
        or all are zero.

    Examples
    --------
    >>> check_class_weights({"cat": 1, "dog": 4}, ["dog", "cat"]).tolist()
    [1.0, 0.25]
    """
    name, labels = "class_weights", list(classes)
    given: list[Any]
    by_name: Any = class_weights
    if hasattr(by_name, "index") and hasattr(by_name, "to_dict"):
        by_name = by_name.to_dict()  # a pandas Series: its index names the classes
    if isinstance(by_name, Mapping):
        missing = [quoted(str(c)) for c in labels if c not in by_name]
        if missing:
            raise InvalidInputError(
                f"there is none for {_classes(missing)}",
                parameter=name,
                remedy="give every class one; 0 for what never comes",
            )
        known = set(labels)
        extra = [quoted(str(c)) for c in by_name if c not in known]
        if extra:
            problem = f"{listed(extra)} {'is' if len(extra) == 1 else 'are'} no class"
            raise InvalidInputError(problem, parameter=name)
        given = [by_name[c] for c in labels]
    else:
        array = np.asarray(class_weights)
        if array.shape != (len(labels),):
            problem = f"must be {len(labels):,} numbers, one per class"
            problem += f"; got an array of shape {array.shape}"
            raise InvalidInputError(problem, parameter=name)
        given = array.tolist()
    weights = np.empty(len(labels))
    for i, (label, value) in enumerate(zip(labels, given, strict=True)):
        problem = ""
        try:
            weights[i] = float(value)
        except (TypeError, ValueError):
            problem = f"{value!r} is no number"
        if not problem and not np.isfinite(weights[i]):
            problem = f"{value!r} is no finite number"
        elif not problem and weights[i] < 0:
            problem = f"{value!r} is negative"
        if problem:
            where = f"of class {quoted(str(label))}"
            raise InvalidInputError(f"{problem}, {where}", parameter=name)
    most = float(weights.max(initial=0))
    if most <= 0:
        problem = "all of them are zero: no class would ever come"
        raise InvalidInputError(problem, parameter=name)
    # The largest becomes one, so equal weights are ones whatever they were.
    return weights / most


def _classes(names: list[str]) -> str:
    return f"class {names[0]}" if len(names) == 1 else f"classes {listed(names)}"


def weigh_classes(
    data: Recogniser,
    class_weights: Mapping[Hashable, float] | ArrayLike | None,
    average: str = "macro",
) -> tuple[Any, FloatArray | None, ClassWeighting | None]:
    """Prepare scores for weights of classes.

    Samples of classes without weight are left out, as if never tested; the classes
    remain as competitors. Equal weights weigh nothing: the average over classes is
    what it is without any, to the last digit.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores, with their truth.
    class_weights : mapping, array-like or None
        As for `check_class_weights`; None for no weights.
    average : {"macro", "micro"}, default="macro"
        Weights are of classes; over samples there are none.

    Returns
    -------
    data : Scores or Embeddings
        The scores without samples that have no weight.
    class_weights : ndarray of float64 or None
        One for every class; None where they are equal.
    weighting : ClassWeighting or None
        How unequal they are; None without weights.
    """
    if class_weights is None:
        return data, None, None
    if average != "macro":
        raise UsageError(
            f"weights of classes say how these count; with {average!r} samples do",
            parameter="average",
            remedy="leave one of the two out",
        )
    weights = check_class_weights(class_weights, data.classes)
    rows = np.flatnonzero(weights[data.own] > 0)
    n_weightless = np.unique(data.own).size
    if not rows.size:
        problem = "no class with samples has any weight"
        raise InvalidInputError(problem, parameter="class_weights")
    if rows.size < data.n_samples:
        data = data.some(rows)
    tested = np.unique(data.own)
    shares = weights[tested] / weights[tested].sum()
    weighting = ClassWeighting(
        n_effective=kish_size(weights[tested]),
        least=float(shares.min()),
        most=float(shares.max()),
        n_weightless=int(n_weightless - tested.size),
    )
    is_equal = weights[tested].min() == weights[tested].max()
    return data, None if is_equal else weights, weighting


def kish_size(weights: FloatArray) -> float:
    """Return how many equal weights tell as much as these (Kish).

    Examples
    --------
    >>> kish_size(np.array([1.0, 1.0, 1.0, 0.0]))
    3.0
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


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
    class_weights : ndarray of float64 or None
        How much each class counts as the true one; None for all the same.
    """

    above: CountArray
    tied: CountArray
    own: IntArray
    group: IntArray
    class_weights: FloatArray | None = None

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
        return sample_weights(self.own, average, self.class_weights)

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
            above=cells(self.above, rows, columns),
            tied=cells(self.tied, rows, columns),
            own=position[self.own[rows]],
            group=new_group[self.group[stays]],
            class_weights=None
            if self.class_weights is None
            else self.class_weights[stays],
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
            class_weights=self.class_weights,
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
