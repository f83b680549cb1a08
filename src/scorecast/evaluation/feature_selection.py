"""Honesty about selected features: what luck would have found, and where to select."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Self

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import (
    check_count,
    check_matrix,
    check_n_jobs,
    check_share,
    check_times,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import Run, map_tasks
from scorecast._core.result import INPUT, OPTION, SHARE, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.evaluation.data import EvaluationData, check_data, columns_of
from scorecast.evaluation.estimates import Estimates, MetricSample, collect_estimates
from scorecast.evaluation.fitting import Refitting
from scorecast.evaluation.intervals import (
    NoInterval,
    nadeau_bengio,
    recommended,
    score_intervals,
    why_no_interval,
    wilson,
)
from scorecast.evaluation.metrics import Metric
from scorecast.evaluation.models import task_of
from scorecast.evaluation.multiple_testing import adjust_p_values
from scorecast.evaluation.permutation import (
    block_sizes,
    choose_scorer,
    draw_orders,
    movable,
    n_arrangements,
)
from scorecast.evaluation.splits import Split, SplitPlan, draw_splits
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

# Permuted statistics that differ from the observed one by rounding are as large.
_SAME_STATISTIC = 1e-9
_ROUNDED = 64 * float(np.finfo(np.float64).eps)  # a mean may be off by this share
_SEEDS = 2**31 - 1
_SAME = 1e-12  # differences that only rounding made
_RESAMPLES = 200


# What luck would have found --------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FeatureSelectionTest(Result):
    """The features that tell classes apart best, and what luck would have found.

    Attributes
    ----------
    n_samples, n_features : int
        Sizes.
    n_permutations : int
        Permutations of the classes.
    seed : int or None
        The seed, where it was a number.
    names : tuple of str
        Names of the selected features; empty if they have none.
    features : ndarray of int64
        Numbers of the selected features, from zero, best first.
    statistic : ndarray of float64
        F of the analysis of variance, for each.
    p_value : ndarray of float64
        Of F alone, as if there were no other feature.
    p_holm : ndarray of float64
        Adjusted so that a single false discovery among all is unlikely (Holm).
    q_value : ndarray of float64
        Adjusted for the share of false discoveries (Benjamini and Hochberg).
    p_max_statistic : ndarray of float64
        Share of permutations whose best feature does as well: any correlation between
        features is allowed for (Westfall and Young), with the +1 rule.
    p_same_rank : ndarray of float64
        For the i-th best: share of permutations whose own i-th best does as well.
    """

    kind: ClassVar[str] = "feature-selection-test"

    n_samples: int = field(metadata=INPUT)
    n_features: int = field(metadata=INPUT)
    n_permutations: int = field(metadata=OPTION)
    seed: int | None = field(metadata=OPTION)
    names: tuple[str, ...]
    features: IntArray
    statistic: FloatArray
    p_value: FloatArray = field(metadata=SHARE)
    p_holm: FloatArray = field(metadata=SHARE)
    q_value: FloatArray = field(metadata=SHARE)
    p_max_statistic: FloatArray = field(metadata=SHARE)
    p_same_rank: FloatArray = field(metadata=SHARE)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per selected feature."""
        columns = {name: getattr(self, name).tolist() for name in _COLUMNS}
        return {"name": list(self.names), **columns} if self.names else columns


_COLUMNS = (
    "features",
    "statistic",
    "p_value",
    "p_holm",
    "q_value",
    "p_max_statistic",
    "p_same_rank",
)


@checked_keywords
def feature_selection_test(
    X: ArrayLike,
    y: ArrayLike,
    n_selected: int = 10,
    *,
    groups: Sequence[Hashable] | None = None,
    n_permutations: int = 1000,
    feature_names: Sequence[str] | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> FeatureSelectionTest:
    r"""Select the features with the largest F, and say what luck would have found.

    With :math:`b` of :math:`m` permutations of the classes whose best feature of all
    has an F as large as a selected one, its p-value is :math:`(1 + b) / (1 + m)`. It
    allows for having searched all features, whatever their correlation [1]_.

    Parameters
    ----------
    X : array-like of shape (n, m)
        Features.
    y : array-like of shape (n,)
        Classes.
    n_selected : int, default=10
        How many are selected.
    groups : sequence of hashable, optional
        Group of every sample, such as a patient. Classes then change places within
        groups and between whole groups of the same size; p-values of single features
        come from these permutations too.
    n_permutations : int, default=1000
        Permutations of the classes.
    feature_names : sequence of str, optional
        Name of every feature; those of a table's columns by default.
    random_state : int, Generator or None, default=0
        Seed of the permutations.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    FeatureSelectionTest
        The features and their p-values, adjusted in several ways.

    Raises
    ------
    UsageError
        If a number makes no sense.
    InsufficientDataError
        If there are too few classes, or groups that could change places.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young (1993). Resampling-based multiple testing.
       Wiley.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((30, 200)), np.repeat([0, 1], 15)
    >>> X[y == 1, 7] += 3
    >>> found = feature_selection_test(X, y, 2, n_permutations=99)
    >>> int(found.features[0]), float(found.p_max_statistic[0])
    (7, 0.01)
    """
    features = np.asarray(check_matrix(X, parameter="X"), dtype=np.float64)
    n, m = features.shape
    names = check_feature_names(feature_names, X, m)
    codes, n_classes = _checked_classes(y, n)
    n_selected = check_count(n_selected, "n_selected", most=m)
    n_permutations = check_times(n_permutations, "n_permutations")
    check_n_jobs(n_jobs)
    pools = movable(groups, codes)
    test = _VarianceTest.of(features, n_classes)
    observed = test.statistics(codes[None])[0]
    chosen = np.argsort(-observed, kind="stable")[:n_selected].astype(np.int64)
    null = _NullRanks(
        test=test, codes=codes, observed=observed, top=observed[chosen], pools=pools
    )
    best, ranked, each = null.chances(
        n_permutations, rng=as_generator(random_state), n_jobs=n_jobs
    )
    # F's own distribution takes samples for independent, which those of groups are not.
    alone = each if groups is not None else test.alone(observed, n)
    return FeatureSelectionTest(
        n_samples=n,
        n_features=m,
        n_permutations=n_permutations,
        seed=seed_number(random_state),
        names=tuple(names[i] for i in chosen) if names else (),
        features=chosen,
        statistic=observed[chosen],
        p_value=alone[chosen],
        p_holm=adjust_p_values(alone, "holm")[chosen],
        q_value=adjust_p_values(alone, "benjamini-hochberg")[chosen],
        p_max_statistic=best,
        p_same_rank=ranked,
    )


def check_feature_names(names: Sequence[str] | None, X: Any, m: int) -> tuple[str, ...]:
    """Return the name of every feature, or none.

    Parameters
    ----------
    names : sequence of str or None
        As given; None takes the columns of `X`, if it is a table whose columns have
        names.
    X : array-like
        The features as they came.
    m : int
        Number of features.

    Returns
    -------
    tuple of str
        Empty if they have no names.

    Raises
    ------
    InvalidInputError
        If there are too many or too few.
    """
    if names is None:
        columns = list(getattr(X, "columns", ()))
        if len(columns) != m or not all(isinstance(name, str) for name in columns):
            return ()
        return tuple(columns)
    if len(names) != m:
        problem = f"are {len(names)} names for {m} features"
        raise InvalidInputError(
            problem, parameter="feature_names", remedy="give one for each"
        )
    return tuple(map(str, names))


def _checked_classes(y: ArrayLike, n: int) -> tuple[IntArray, int]:
    """Return classes by number, and how many there are."""
    labels: NDArray[Any] = np.asarray(y)
    if labels.shape != (n,):
        problem = f"must have one class for each of {n} rows; got shape {labels.shape}"
        raise InvalidInputError(problem, parameter="y")
    classes, codes = np.unique(labels, return_inverse=True)
    if not 2 <= classes.size < n:
        raise InsufficientDataError(
            f"has {classes.size} classes for {n} samples; a test needs 2, and fewer "
            "than samples",
            parameter="y",
        )
    return codes.astype(np.int64), int(classes.size)


@dataclass(frozen=True, kw_only=True, eq=False)
class _VarianceTest:
    """F of every feature for many labellings at once."""

    centred: FloatArray
    total: FloatArray
    n_classes: int

    @classmethod
    def of(cls, X: FloatArray, n_classes: int) -> Self:
        """Take what the labels do not change."""
        centred = X - X.mean(axis=0)
        # A feature without spread, but for rounding, tells nothing.
        level = np.abs(X).max(axis=0)
        total = np.einsum("ij,ij->j", centred, centred)
        flat = total <= X.shape[0] * (_ROUNDED * level) ** 2
        centred[:, flat] = 0.0
        return cls(
            centred=centred, total=np.where(flat, 1.0, total), n_classes=n_classes
        )

    def statistics(self, labels: IntArray) -> FloatArray:
        """Return F, (b, m), for labels (b, n)."""
        n = labels.shape[1]
        between = np.zeros((labels.shape[0], self.total.size))
        for number in range(self.n_classes):
            members = (labels == number).astype(np.float64)
            sums = members @ self.centred
            between += sums**2 / members.sum(axis=1, keepdims=True)
        within = np.maximum(self.total - between, self.total * np.finfo(float).eps)
        freedom = (n - self.n_classes) / (self.n_classes - 1)
        ratio: FloatArray = freedom * between / within
        return ratio

    def alone(self, observed: FloatArray, n: int) -> FloatArray:
        """Return the p-value of every F of n samples, each by itself."""
        k = self.n_classes
        return np.asarray(scipy.special.fdtrc(k - 1, n - k, observed), dtype=float)


@dataclass(frozen=True, kw_only=True, eq=False)
class _NullRanks:
    """Counts permutations that do as well as the observed best ones."""

    test: _VarianceTest
    codes: IntArray
    observed: FloatArray
    top: FloatArray
    pools: Sequence[IntArray]

    def chances(
        self, count: int, *, rng: np.random.Generator, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return p-values of the chosen by the best of all and by rank, and of all."""
        counts = map_tasks(
            self, block_sizes(count), rng=rng, n_jobs=n_jobs, what="permuting"
        )
        # Of few arrangements the observed one is a fair share, met again or not.
        least = 1 / n_arrangements(self.pools, self.codes)
        found = np.maximum((1 + np.sum(counts, axis=0)) / (1 + count), least)
        k = self.top.size
        return found[:k], found[k : 2 * k], found[2 * k :]

    def __call__(self, size: int, rng: np.random.Generator) -> IntArray:
        """Return, (2 k + m,): by the best of all, rank by rank, feature by feature."""
        n, k = self.codes.size, self.top.size
        orders = draw_orders(size, self.pools, n, rng)
        found = self.test.statistics(self.codes[orders])
        largest = np.sort(np.partition(found, -k, axis=1)[:, -k:], axis=1)[:, ::-1]
        bar = self.top * (1 - _SAME_STATISTIC)
        best = (largest[:, :1] >= bar).sum(axis=0)
        each = (found >= self.observed * (1 - _SAME_STATISTIC)).sum(axis=0)
        return np.concatenate([best, (largest >= bar).sum(axis=0), each])


# Selection before the split, and inside it -----------------------------------------


class NoSpread(StrEnum):
    """Why the bias of a selection has no interval.

    FEW_SPLITS: splits have no values of their own. UNCHANGED: no split changed, the
    model made no use of the difference. ALL_ALIKE: all splits differ by as much.
    """

    FEW_SPLITS = "few-splits"
    UNCHANGED = "unchanged"
    ALL_ALIKE = "all-alike"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SelectionBias(Result):
    """Scores with the selection outside and inside the loop.

    Attributes
    ----------
    n_samples, n_features : int
        Sizes.
    test_ratio : float
        Samples tested per sample learned from.
    estimator : str
        Selection and model.
    n_selected : int or None
        Features that were selected, where it is a fixed number.
    scoring : str
        What the scores are.
    greater_is_better : bool
        Whether scores grow as the model gets better.
    worst : float
        The worst score there can be; bounds are not moved beyond it.
    confidence_level : float
        Of intervals.
    seed : int or None
        The seed, where it was a number.
    bias : float
        By how much the selection outside looks too good.
    bias_interval : tuple of float
        Its interval, by the corrected resampled t of the splits. Where all splits
        differ by as much no spread is seen: then as much as a share of so many samples,
        none of which changed, may be off; NaN for metrics that are no shares.
    no_spread : NoSpread or None
        Why it has none.
    adjusted_interval : tuple of float
        The interval of the selection outside, moved by the bias and widened.
    outside_estimate, inside_estimate : float
        The scores of all splits together.
    outside_interval, inside_interval : tuple of float
        Their intervals.
    outside : ndarray of float64
        Score of every split if features are selected on all samples first, test samples
        among them. Too good. NaN where a split failed.
    inside : ndarray of float64
        Score of every split if its training samples alone select.
    """

    kind: ClassVar[str] = "selection-bias"

    n_samples: int = field(metadata=INPUT)
    n_features: int = field(metadata=INPUT)
    test_ratio: float = field(metadata=INPUT)
    estimator: str = field(metadata=OPTION)
    n_selected: int | None = field(metadata=OPTION)
    scoring: str = field(metadata=OPTION)
    greater_is_better: bool = field(metadata=OPTION)
    worst: float = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION)
    seed: int | None = field(metadata=OPTION)
    bias: float = math.nan
    bias_interval: tuple[float, float] = (math.nan, math.nan)
    no_spread: NoSpread | None = None
    adjusted_interval: tuple[float, float] = (math.nan, math.nan)
    outside_estimate: float
    inside_estimate: float
    outside_interval: tuple[float, float]
    inside_interval: tuple[float, float]
    outside: FloatArray
    inside: FloatArray

    def adjusted(self, low: float, high: float) -> tuple[float, float]:
        """Correct bounds that were computed with the selection outside.

        Both ends are moved by the bias, towards worse. It is never taken for a gain:
        where chance made it negative the bounds do not move. The bias is an estimate
        with an error of its own: each end goes out until the squares of both
        half-widths, that of the bounds and that of the bias, are in it.

        Parameters
        ----------
        low, high : float
            Bounds of a score.

        Returns
        -------
        tuple of float
            Bounds that allow for it.
        """
        if not low <= high:
            problem = f"must not exceed the upper end, {high!r}; got {low!r}"
            raise UsageError(problem, parameter="low")
        shift = max(self.bias, 0.0)
        low, high = self._widened(low, high)
        if self.greater_is_better:
            return max(low - shift, self.worst), max(high - shift, self.worst)
        return min(low + shift, self.worst), min(high + shift, self.worst)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per split."""
        return {"outside": self.outside.tolist(), "inside": self.inside.tolist()}

    def _widened(self, low: float, high: float) -> tuple[float, float]:
        least, most = self.bias_interval
        if not (math.isfinite(most - least) and math.isfinite(high - low)):
            return low, high
        middle, half = (low + high) / 2, math.hypot(high - low, most - least) / 2
        return middle - half, middle + half

    def _with_answers(self) -> SelectionBias:
        """Add what follows from both scores: the bias, and an interval less it."""
        sign = 1 if self.greater_is_better else -1
        gaps = sign * (self.outside - self.inside)
        gaps = gaps[np.isfinite(gaps)]
        if gaps.size < 2 or np.ptp(gaps) < _SAME:
            span = self._unseen(float(gaps.mean()) if gaps.size else 0.0)
        else:
            low, high = nadeau_bengio(gaps, self.confidence_level, self.test_ratio)
            span = (low, high)
        why = None
        if math.isnan(sum(span)):
            why = NoSpread.ALL_ALIKE
            if gaps.size < 2:
                why = NoSpread.FEW_SPLITS
            elif np.abs(gaps).max() < _SAME:
                why = NoSpread.UNCHANGED
        bias = sign * (self.outside_estimate - self.inside_estimate)
        told = replace(self, bias=bias, bias_interval=span, no_spread=why)
        if math.isnan(sum(self.outside_interval)):
            return told
        return replace(told, adjusted_interval=told.adjusted(*self.outside_interval))

    def _unseen(self, middle: float) -> tuple[float, float]:
        """Bound a difference of shares that is the same in all splits."""
        known = np.concatenate([self.outside, self.inside])
        known = known[np.isfinite(known)]
        if not known.size or known.min() < 0 or known.max() > 1:
            return math.nan, math.nan
        if not math.isfinite(self.worst):
            return math.nan, math.nan
        half = wilson(0, self.n_samples, self.confidence_level)[1]
        return max(middle - half, -1.0), min(middle + half, 1.0)


@checked_keywords
def selection_bias(
    selector: Any,
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    scoring: Any = None,
    groups: Iterable[Hashable] | None = None,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> SelectionBias:
    """Score a model with features selected outside and inside the loop.

    Features that were selected on all samples have seen the tested ones: noise then
    looks like a discovery [1]_. The bias is the difference between the same splits with
    the selection made first and made again inside each.

    Parameters
    ----------
    selector : scikit-learn transformer
        Selects features by the labels, such as ``SelectKBest``.
    estimator : scikit-learn estimator
        The model that gets them.
    X : array-like of shape (n, m)
        Features.
    y : array-like of shape (n,)
        Labels, or numbers for a regressor.
    cv : int, str, splitter or iterable of (train, test), default=10
        Folds that keep the share of every class; or any other way of splitting.
    scoring : str, Metric or callable, optional
        One of `METRICS`, or any scorer. By default the score of the model itself.
    groups : iterable of hashable, optional
        Group of every sample, never split.
    confidence_level : float, default=0.95
        Confidence of intervals.
    random_state : int, Generator or None, default=0
        Seed of the splits, and for models that draw random numbers and were given none.

    Returns
    -------
    SelectionBias
        Both scores by split, and their difference.

    Raises
    ------
    InvalidInputError
        If X and y do not fit.
    InsufficientDataError
        If the model fails in a split.

    References
    ----------
    .. [1] C. Ambroise and G. J. McLachlan (2002). Selection bias in gene extraction on
       the basis of microarray gene-expression data. PNAS 99.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.random.default_rng(0).standard_normal((40, 1000))
    >>> noise = selection_bias(SelectKBest(k=10), GaussianNB(), X, np.arange(40) % 2)
    >>> bool(noise.outside.mean() > 0.8), bool(noise.inside.mean() < 0.7)
    (True, True)
    """
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline

    level = check_share(confidence_level, "confidence_level", is_open=True)
    data = check_data(X, y, task=task_of({"": estimator}), groups=groups)
    rng = as_generator(random_state)
    plan = draw_splits(cv, data, rng)
    both = make_pipeline(selector, estimator)
    chosen = choose_scorer(scoring, both, data)
    inside = chosen.refitting(both, data)
    picked = np.asarray(clone(selector).fit_transform(data.X, data.y), dtype=float)
    outside = replace(inside, estimator=estimator, X=picked)
    seed = int(rng.integers(_SEEDS))
    scores = [_split_scores(part, plan.splits, seed) for part in (outside, inside)]
    # Samples of a bootstrap are counted as often as they are learned from.
    learned = sum(split.train.size for split in plan.splits)
    ratio = sum(split.test.size for split in plan.splits) / learned
    spans = [_interval(found, level, ratio, data.n_samples) for found in scores]
    worst = 0.0 if min(map(np.min, scores)) >= 0 else -math.inf
    if chosen.metric is not None:
        worst = chosen.metric.worst
    return SelectionBias(
        outside=scores[0],
        inside=scores[1],
        outside_estimate=float(scores[0].mean()),
        inside_estimate=float(scores[1].mean()),
        outside_interval=spans[0],
        inside_interval=spans[1],
        n_samples=data.n_samples,
        n_features=data.n_features,
        n_selected=picked.shape[1],
        estimator=" ".join(repr(both).split()),
        scoring=chosen.name,
        greater_is_better=chosen.greater_is_better,
        worst=worst,
        test_ratio=ratio,
        confidence_level=level,
        seed=seed_number(random_state),
    )._with_answers()


def _interval(
    scores: FloatArray, level: float, ratio: float, n: int
) -> tuple[float, float]:
    """Bound the mean of splits; where they all agree, as a share of so many samples."""
    low, high = nadeau_bengio(scores, level, ratio)
    mean = float(scores.mean())
    if scores.min() >= 0 and scores.max() <= 1:
        if not high > low:
            return wilson(mean * n, n, level)
        return max(low, 0.0), min(high, 1.0)
    return low, high


def _split_scores(fitting: Refitting, splits: Sequence[Split], seed: int) -> FloatArray:
    """Score every split; a model that fails has no bias that could be told."""
    failures: Counter[str] = Counter()
    scores = [fitting.score(fitting.y, split, failures, seed) for split in splits]
    if failures:
        problem = f"the model failed: {failures.most_common(1)[0][0]}"
        raise InsufficientDataError(problem, parameter="estimator")
    return np.array(scores)


def model_selection_bias(
    model: Any,
    data: EvaluationData,
    plan: SplitPlan,
    metric: Metric,
    *,
    n_selected: int,
    level: float,
    rng: np.random.Generator,
    run: Run,
    part: str,
    seed: int | None,
) -> SelectionBias:
    """Test a model on selected features, chosen on all samples and in every split.

    Parameters
    ----------
    model : estimator
        As scikit-learn's.
    data : EvaluationData
        The samples.
    plan : SplitPlan
        The splits, the same for both.
    metric : Metric
        What is measured.
    n_selected : int
        Features to select, those with the largest F.
    level : float
        Confidence of intervals.
    rng : numpy.random.Generator
        Parent of all streams; the same ones for both.
    run : Run
        How tasks are run.
    part : str
        Name in a checkpoint.
    seed : int or None
        What the caller gave.

    Returns
    -------
    SelectionBias
        Both values, with the intervals to quote.

    Raises
    ------
    InsufficientDataError
        If the model fails in every split.
    """
    from sklearn.feature_selection import SelectKBest, f_classif, f_regression
    from sklearn.pipeline import make_pipeline

    statistic = f_classif if data.is_classification else f_regression
    selector = SelectKBest(statistic, k=n_selected)
    with warnings.catch_warnings():
        # A constant feature makes it complain; it is never among the best.
        warnings.simplefilter("ignore")
        picked = selector.fit(data.X, data.y).get_support()
    fit_seed, bound_seed = (int(x) for x in rng.integers(2**31, size=2))
    found = []
    for name, estimator, task in (
        ("outside", model, data.with_features(columns_of(data.X, picked))),
        ("inside", make_pipeline(selector, model), data),
    ):
        estimates = collect_estimates(
            estimator,
            task,
            plan,
            rng=np.random.default_rng(fit_seed),
            run=run,
            part=f"{part}/{name}",
            what=f"selecting {name}",
        )
        found.append(_measured(estimates, metric, level, bound_seed))
    (outside, out_span), (inside, in_span) = found
    return SelectionBias(
        outside=outside.folds,
        inside=inside.folds,
        outside_estimate=outside.estimate,
        inside_estimate=inside.estimate,
        outside_interval=out_span,
        inside_interval=in_span,
        n_samples=data.n_samples,
        n_features=data.n_features,
        n_selected=n_selected,
        estimator=f"largest F, then {' '.join(repr(model).split())}",
        scoring=metric.name,
        greater_is_better=metric.greater_is_better,
        worst=metric.worst,
        test_ratio=plan.test_ratio,
        confidence_level=level,
        seed=seed,
    )._with_answers()


def _measured(
    estimates: Estimates, metric: Metric, level: float, seed: int
) -> tuple[MetricSample, tuple[float, float]]:
    """Return the values of a metric, and the interval to quote or NaN."""
    if not estimates.can_measure(metric):
        reason = str(estimates.failures[0]) if estimates.failures else metric.needs
        problem = f"with selected features every split failed ({reason})"
        raise InsufficientDataError(problem, parameter="estimator")
    sample = estimates.measure(metric)
    found = score_intervals(
        estimates,
        sample,
        level=level,
        rng=np.random.default_rng(seed),
        n_resamples=_RESAMPLES,
    )
    if why_no_interval(sample) is NoInterval.RANKS_ACROSS_MODELS:
        return sample, (math.nan, math.nan)
    quoted = recommended(found)
    return sample, (quoted.low, quoted.high)
