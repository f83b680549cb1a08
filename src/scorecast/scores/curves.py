"""Accuracy and risk against the number of classes, from the classes at hand.

Both are exact: the average, over *all* subsets of k of the K observed classes, of the
test accuracy (ATA_k), or of the cost of decisions, within the subset. They are unbiased
for what k classes drawn from the same population would have.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_class_counts, check_count, check_matrix
from scorecast._core.result import INPUT, NEW, OPTION, SHARE, Result
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.scores.jackknife import (
    jackknife_covariance,
    jackknife_stderr,
    leave_out_curves,
)
from scorecast.scores.ranks import (
    AVERAGES,
    TIE_RULES,
    ClassWeighting,
    Ranking,
    Recogniser,
    check_scores,
    rank_true_classes,
    sample_weights,
    weigh_classes,
)
from scorecast.scores.subsets import beating_histogram, chances_right, mean_chances

_ALL_SIZES_UP_TO = 400
_MOST_SIZES = 200
_MOST_COVARIANCES = 2000  # sizes: beyond, the matrix is larger than anybody wants
_MOST_COUNTS_SAVED = 10_000
_MOST_RISK_SIZES = 40
_BLOCK = 2_000_000  # cells of scores whose costs are added up at a time
_ROUNDING = 1e-12
MOST_GROUPS = 30  # groups of classes left out for the errors of a risk curve


class StandardError(NamedTuple):
    """A standard error, and the number of classes that it is of.

    Parameters
    ----------
    classes : int
        Number of classes; 0 where there is no error.
    value : float
        The error, or NaN.
    """

    classes: int
    value: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AccuracyCurve(Result):
    r"""Average test accuracy in random subsets of the observed classes.

    A sample that `a` of its K - 1 competitors beat is right among k classes with chance

    .. math:: \binom{K - 1 - a}{k - 1} / \binom{K - 1}{k - 1},

    and the curve is the weighted mean of these chances.

    Attributes
    ----------
    classes : ndarray of int64
        Numbers of classes k.
    accuracy : ndarray of float64
        Average accuracy over all subsets of k classes.
    stderr : ndarray of float64
        Standard error from leaving classes out; NaN where it does not exist (at
        k = K there is no smaller sample of K classes to compare with).
    covariance : ndarray of shape (len(classes), len(classes))
        Covariance of the accuracies, same rule; empty without errors and for more
        than 2,000 sizes.
    n_samples, n_classes : int
        Size of the data.
    n_groups : int
        Groups of classes left out in turn; equal to `n_classes` for the
        delete-one-class jackknife, 0 where errors were not asked for.
    largest_stderr : float
        Standard error at the largest number of classes that remain when some are left
        out, K - 1 or a few less, whether it is among `classes` or not; NaN without
        errors.
    largest_stderr_classes : int
        That number of classes; 0 without errors.
    counts : ndarray of int64
        Samples of every class; empty where they are not known. Files have no more than
        10,000.
    ties, average : str
        Rules used.
    top : int
        Guesses allowed.
    class_weighting : ClassWeighting or None
        How unequally classes count; None where they were not weighed.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.
    """

    kind: ClassVar[str] = "accuracy-curve"

    classes: NDArray[np.int64]
    accuracy: NDArray[np.float64] = field(metadata=SHARE)
    stderr: NDArray[np.float64]
    covariance: NDArray[np.float64]
    n_samples: int = field(metadata=INPUT)
    n_classes: int = field(metadata=INPUT)
    n_groups: int
    largest_stderr: float = float("nan")
    largest_stderr_classes: int = 0
    counts: NDArray[np.int64] = field(
        default_factory=lambda: np.empty(0, dtype=np.int64),
        metadata={"max_items": _MOST_COUNTS_SAVED},
    )
    ties: str = field(metadata=OPTION)
    average: str = field(metadata=OPTION)
    top: int = field(metadata=OPTION)
    class_weighting: ClassWeighting | None = field(default=None, metadata=INPUT | NEW)

    def nearest_standard_error(self, index: int) -> StandardError:
        """Return the standard error of a point, or of the largest size which has one.

        Parameters
        ----------
        index : int
            Position in `classes`.

        Returns
        -------
        StandardError
            The error and the number of classes that it is of.
        """
        if np.isfinite(self.stderr[index]):
            return StandardError(int(self.classes[index]), float(self.stderr[index]))
        return StandardError(self.largest_stderr_classes, self.largest_stderr)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return numbers of classes, accuracies and standard errors."""
        names = ("classes", "accuracy", "stderr")
        return {name: getattr(self, name).tolist() for name in names}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RiskCurve(Result):
    """Average cost of a decision in random subsets of the observed classes.

    Attributes
    ----------
    classes : ndarray of int64
        Numbers of classes k.
    risk : ndarray of float64
        Average cost over all subsets of k classes.
    stderr : ndarray of float64
        Standard error from leaving classes out; NaN where it does not exist.
    covariance : ndarray of shape (len(classes), len(classes))
        Covariance of the risks, same rule.
    n_samples, n_classes : int
        Size of the data.
    n_groups : int
        Groups of classes left out in turn.
    ties, average : str
        Rules used.
    class_weighting : ClassWeighting or None
        How unequally classes count; None where they were not weighed.
    """

    kind: ClassVar[str] = "risk-curve"

    classes: NDArray[np.int64]
    risk: NDArray[np.float64]
    stderr: NDArray[np.float64]
    covariance: NDArray[np.float64]
    n_samples: int = field(metadata=INPUT)
    n_classes: int = field(metadata=INPUT)
    n_groups: int
    ties: str = field(metadata=OPTION)
    average: str = field(metadata=OPTION)
    class_weighting: ClassWeighting | None = field(default=None, metadata=INPUT | NEW)

    def nearest_standard_error(self, index: int) -> StandardError:
        """Return the standard error of a point, or of the next smaller size with one.

        Parameters
        ----------
        index : int
            Position in `classes`.

        Returns
        -------
        StandardError
            The error and the number of classes that it is of.
        """
        has_error = np.isfinite(self.stderr) & (self.classes <= self.classes[index])
        if not has_error.any():
            return StandardError(0, float("nan"))
        nearest = int(np.argmax(np.where(has_error, self.classes, -1)))
        return StandardError(int(self.classes[nearest]), float(self.stderr[nearest]))

    def to_columns(self) -> dict[str, list[Any]]:
        """Return numbers of classes, risks and standard errors."""
        names = ("classes", "risk", "stderr")
        return {name: getattr(self, name).tolist() for name in names}


# Accuracy ---------------------------------------------------------------------------


def accuracy_curve(
    scores: ArrayLike | Recogniser,
    y_true: Iterable[Hashable] | None = None,
    *,
    sizes: int | Sequence[int] | None = None,
    top: int = 1,
    ties: str = "random",
    average: str = "macro",
    class_weights: Mapping[Hashable, float] | ArrayLike | None = None,
    standard_errors: bool = True,
    n_jobs: int | None = None,
) -> AccuracyCurve:
    """Average the test accuracy over all subsets of k of the observed classes.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes), Scores or Embeddings
        What the recogniser gave. `Scores` says what a plain matrix cannot: names of
        columns, and that lower is better.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    sizes : int or sequence of int, optional
        Numbers of classes k; by default 2..K, thinned out beyond 400 classes.
    top : int, default=1
        Count a sample as right if the truth is among the best `top`.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Equal scores count as their expectation under random breaking, as won, or
        as lost.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every sample.
    class_weights : mapping or array-like of shape (n_classes,), optional
        How often each class comes, relative to the others, by its label or in the
        order of the classes; by default all alike.
    standard_errors : bool, default=True
        Whether to leave classes out for standard errors and covariance.
    n_jobs : int, optional
        Number of threads for embeddings; all cores by default.

    Returns
    -------
    AccuracyCurve
        The curve with its errors.

    Raises
    ------
    UsageError
        If a size exceeds the observed classes, or a rule has no such name.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.

    Examples
    --------
    >>> curve = accuracy_curve([[3, 1, 2], [1, 2, 3], [0, 1, 2]], [0, 1, 2])
    >>> curve.classes.tolist(), curve.accuracy.round(4).tolist()
    ([2, 3], [0.8333, 0.6667])
    """
    data = check_scores(scores, y_true)
    average = AVERAGES.choose(average, parameter="average").name
    data, weights, weighting = weigh_classes(data, class_weights, average)
    ks = curve_sizes(data.n_classes)
    if sizes is not None:
        ks = _check_sizes(sizes, data.n_classes)
    n_groups = None if standard_errors else 1
    ranking = rank_true_classes(data, n_groups=n_groups, n_jobs=n_jobs)
    found = curve_of_ranking(
        replace(ranking, class_weights=weights),
        ks,
        top=top,
        ties=ties,
        average=average,
        standard_errors=standard_errors,
    )
    return replace(found, class_weighting=weighting)


def curve_of_ranking(
    ranking: Ranking,
    ks: IntArray,
    *,
    top: int = 1,
    ties: str = "random",
    average: str = "macro",
    standard_errors: bool = True,
) -> AccuracyCurve:
    """Compute the accuracy curve from ranks alone.

    Parameters
    ----------
    ranking : Ranking
        Competitors by group.
    ks : ndarray of int64
        Numbers of classes, at most those observed.
    top : int, default=1
        How many guesses are allowed.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Rule for ties.
    average : {"macro", "micro"}, default="macro"
        Weighting of samples.
    standard_errors : bool, default=True
        Whether to leave classes out.

    Returns
    -------
    AccuracyCurve
        The curve.

    Raises
    ------
    UsageError
        If `top` is not a whole number from one up.
    """
    ties = TIE_RULES.choose(ties, parameter="ties").name
    average = AVERAGES.choose(average, parameter="average").name
    top = check_count(top, "top")
    histogram = beating_histogram(
        ranking.n_above,
        ranking.n_tied,
        ranking.weights(average),
        ranking.n_classes,
        ties,
    )
    stderr, covariance = np.full(ks.size, np.nan), np.empty((0, 0))
    largest, n_left = float("nan"), 0
    # With two groups or fewer there is no spread between replicates to speak of.
    has_errors = standard_errors and ranking.n_groups > 2
    if has_errors:
        n_left = ranking.n_classes - int(np.bincount(ranking.group).max())
        curves = leave_out_curves(
            ranking, np.append(ks, n_left), ties=ties, average=average, top=top
        )
        *each, largest = jackknife_stderr(curves).tolist()
        stderr, curves = np.array(each), curves[:, :-1]
        if ks.size <= _MOST_COVARIANCES:
            covariance = jackknife_covariance(curves)
    return AccuracyCurve(
        classes=ks,
        accuracy=mean_chances(histogram, ranking.n_classes, ks, top),
        stderr=stderr,
        covariance=covariance,
        n_samples=ranking.n_samples,
        n_classes=ranking.n_classes,
        n_groups=ranking.n_groups if has_errors else 0,
        largest_stderr=largest,
        largest_stderr_classes=n_left,
        counts=np.bincount(ranking.own, minlength=ranking.n_classes),
        ties=ties,
        average=average,
        top=top,
    )


def curve_sizes(n_classes: int) -> IntArray:
    """Choose the numbers of classes at which a curve is worth computing.

    Parameters
    ----------
    n_classes : int
        Number of classes observed.

    Returns
    -------
    ndarray of int64
        All of 2..K for few classes, else about 200 evenly spaced in the logarithm.
    """
    if n_classes <= _ALL_SIZES_UP_TO:
        return np.arange(2, n_classes + 1)
    return _spaced_sizes(n_classes, _MOST_SIZES)


def _spaced_sizes(n_classes: int, most: int) -> IntArray:
    spaced = np.geomspace(2, n_classes, most)
    return np.unique(np.append(np.round(spaced), [n_classes - 1]).astype(np.int64))


def _check_sizes(sizes: int | Sequence[int], n_classes: int) -> IntArray:
    ks = check_class_counts(sizes, "sizes")
    if ks.max() > n_classes:
        raise UsageError(
            f"reaches {ks.max():,} but only {n_classes:,} classes were observed",
            parameter="sizes",
            remedy="extrapolate to go beyond them",
        )
    return ks


# Risk -------------------------------------------------------------------------------


def risk_curve(
    scores: ArrayLike | Recogniser,
    y_true: Iterable[Hashable] | None = None,
    *,
    cost: ArrayLike,
    sizes: int | Sequence[int] | None = None,
    ties: str = "random",
    average: str = "macro",
    class_weights: Mapping[Hashable, float] | ArrayLike | None = None,
    standard_errors: bool = True,
) -> RiskCurve:
    """Average the cost of decisions over all subsets of k of the observed classes.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes), Scores or Embeddings
        What the recogniser gave; the class of the greatest score is the decision.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    cost : array-like of shape (n_classes, n_classes)
        ``cost[l, i]`` of deciding for class l where class i is true. The diagonal
        need not be zero.
    sizes : int or sequence of int, optional
        Numbers of classes k; by default 2..K, thinned out to 40.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Whether a tie of the true class with others is broken at random, for it, or
        against it. Ties among wrong classes are always broken at random.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every sample.
    class_weights : mapping or array-like of shape (n_classes,), optional
        How often each class comes, relative to the others, by its label or in the
        order of the classes; by default all alike.
    standard_errors : bool, default=True
        Whether to leave classes out for standard errors and covariance.

    Returns
    -------
    RiskCurve
        The curve with its errors.

    Raises
    ------
    InvalidInputError
        If the costs are not one for every pair of classes.
    UsageError
        If a size exceeds the observed classes, or a rule has no such name.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.

    Examples
    --------
    >>> cost = [[0, 1, 1], [1, 0, 1], [9, 1, 0]]
    >>> curve = risk_curve([[1, 2, 3], [1, 3, 2], [1, 2, 3]], [0, 1, 2], cost=cost)
    >>> curve.classes.tolist(), curve.risk.round(4).tolist()
    ([2, 3], [1.6667, 3.0])
    """
    data = check_scores(scores, y_true)
    average = AVERAGES.choose(average, parameter="average").name
    data, weights, weighting = weigh_classes(data, class_weights, average)
    found = risk_curve_and_replicates(
        data,
        cost,
        sizes,
        ties=ties,
        average=average,
        class_weights=weights,
        standard_errors=standard_errors,
    )[0]
    return replace(found, class_weighting=weighting)


def risk_curve_and_replicates(
    data: Recogniser,
    cost: ArrayLike,
    sizes: int | Sequence[int] | None = None,
    *,
    ties: str,
    average: str,
    class_weights: FloatArray | None = None,
    standard_errors: bool = True,
) -> tuple[RiskCurve, FloatArray]:
    """Compute the risk curve, and again with each of some groups of classes left out.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores, with their truth.
    cost : array-like of shape (n_classes, n_classes)
        Costs by decision and truth.
    sizes : int or sequence of int, optional
        Numbers of classes; by default 2..K, thinned out to 40.
    ties, average : str
        Rules.
    class_weights : ndarray of float64, optional
        How much each class counts as the true one.
    standard_errors : bool, default=True
        Whether to leave classes out.

    Returns
    -------
    curve : RiskCurve
        The curve of all classes, with errors.
    replicates : ndarray of shape (n_groups, len(ks))
        The curves without one group each; NaN where a size exceeds the classes that
        remain. No rows without errors.
    """
    rules = _Rules(
        sign=TIE_RULES.choose(ties, parameter="ties").sign,
        average=AVERAGES.choose(average, parameter="average").name,
        class_weights=class_weights,
        n_groups=min(data.n_classes, MOST_GROUPS)
        if standard_errors and data.n_classes > 2
        else 0,
    )
    costs = _check_cost(cost, data.n_classes)
    if sizes is not None:
        ks = _check_sizes(sizes, data.n_classes)
    elif data.n_classes <= _MOST_RISK_SIZES:
        ks = np.arange(2, data.n_classes + 1)
    else:
        ks = _spaced_sizes(data.n_classes, _MOST_RISK_SIZES)
    risks = _risks(data, costs, ks, rules)
    replicates = risks[: rules.n_groups]
    stderr, covariance = np.full(ks.size, np.nan), np.empty((0, 0))
    if rules.n_groups:
        stderr = jackknife_stderr(replicates)
        covariance = jackknife_covariance(replicates)
    curve = RiskCurve(
        classes=ks,
        risk=risks[rules.n_groups],
        stderr=stderr,
        covariance=covariance,
        n_samples=data.n_samples,
        n_classes=data.n_classes,
        n_groups=rules.n_groups,
        ties=ties,
        average=average,
    )
    return curve, replicates


class _Rules(NamedTuple):
    """How to average, and how many groups of classes to leave out in turn."""

    sign: int
    average: str
    class_weights: FloatArray | None
    n_groups: int


def _risks(
    data: Recogniser, costs: FloatArray, ks: IntArray, rules: _Rules
) -> FloatArray:
    """Return the risks without each group of classes, and those of all classes last."""
    group = np.zeros(data.n_classes, dtype=np.int64)
    if rules.n_groups:
        shuffled = np.random.default_rng(0).permutation(data.n_classes)
        group = shuffled * rules.n_groups // data.n_classes
    weights = sample_weights(data.own, rules.average, rules.class_weights)
    weighed = _weigh_chances(data, costs.T, weights, group, rules)
    left_out = np.bincount(group, minlength=rules.n_groups)[: rules.n_groups]
    sizes = data.n_classes - np.append(left_out, 0)
    whose = np.bincount(group[data.own], weights, rules.n_groups)[: rules.n_groups]
    risks = np.full((rules.n_groups + 1, ks.size), np.nan)
    for size in np.unique(sizes):
        is_possible = ks <= size
        # Chance that none of the better ones is drawn, by the number *below*.
        first = chances_right(int(size), ks[is_possible])[:, ::-1]
        cells = np.ix_(sizes == size, is_possible)
        risks[cells] = weighed[sizes == size, :size] @ first.T
    # Classes leave with all their samples: the weights of the others grow alike.
    remaining = 1 - np.append(whose, 0.0)
    is_empty = (sizes < 2) | (remaining < _ROUNDING)
    risks /= np.where(is_empty, np.nan, remaining)[:, None]
    return risks


def _weigh_chances(
    data: Recogniser,
    paid: FloatArray,
    weights: FloatArray,
    group: IntArray,
    rules: _Rules,
) -> FloatArray:
    """Weigh the chance of being first by the number of classes below, in one pass."""
    from scorecast.scores.kernels import add_costs

    at = np.zeros((rules.n_groups + 1, data.n_classes + 1))
    since = np.zeros_like(at)
    step = max(1, _BLOCK // data.n_classes)
    for start in range(0, data.n_samples, step):
        stop = min(start + step, data.n_samples)
        own = np.array(data.own[start:stop], dtype=np.int64)
        # Copies: numba compiles anew for an array that is read-only or strided.
        rows = np.array(data.rows(start, stop, exact=True), order="C")
        costs = paid[own] * weights[start:stop, None]
        add_costs(rows, own, costs, group, rules.sign, at, since)
    return at + np.cumsum(since, axis=1)


def _check_cost(cost: ArrayLike, n_classes: int) -> FloatArray:
    costs = np.asarray(check_matrix(cost, parameter="cost"), dtype=np.float64)
    if costs.shape != (n_classes, n_classes):
        raise InvalidInputError(
            f"must be {n_classes} x {n_classes}, a row for every answer and a column "
            f"for every true class; got {costs.shape}",
            parameter="cost",
        )
    return costs
