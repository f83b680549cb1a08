"""Score a model on permuted data, doing once what does not depend on the permutation.

One meaning for the whole package: features change places among samples; targets and
splits stay. Models that an engine knows are worked out for many permutations at once,
all others are fitted; both give the same values.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from scorecast._core.checks import check_n_jobs, check_times
from scorecast._core.keywords import checked_keywords
from scorecast._core.near_names import near_name
from scorecast._core.parallel import map_tasks
from scorecast._core.result import INPUT, OPTION, SHARE, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.evaluation.data import EvaluationData, check_data, first_missing
from scorecast.evaluation.fitting import Refitting, predict_samples, unchecked
from scorecast.evaluation.intervals import clopper_pearson
from scorecast.evaluation.metrics import METRICS, Metric, Needs, Predictions
from scorecast.evaluation.models import check_estimators, task_of
from scorecast.evaluation.permutation.engines import (
    SEEDS,
    PreparedEngine,
    prepare_engine,
    recognise,
)
from scorecast.evaluation.permutation.exchange import (
    block_sizes,
    draw_orders,
    movable,
    n_arrangements,
)
from scorecast.evaluation.splits import Split, Splitter, draw_splits
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

FEW, MANY = 100, 1000
LOOP = "loop"  # how permutations are worked out where no engine knows the model
OWN_SCORE = "score"  # what is measured where nothing is asked for
_TRIED, _OFTEN = 16, 0.2  # permutations to try, and the share that may need a fit
# Of the time of a fit, where permutations are worked out together: between a thirtieth
# and a six-hundredth for quick models, a tenth for others. Only how long it will take
# is told from it.
_QUICK_SHARE, _ENGINE_SHARE = 0.02, 0.1
# Means of the same fold scores in another order differ in the last digits.
_SAME = 1e-12


# The one loop over permutations ----------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """Some permutations: how many to draw, or those drawn already.

    Attributes
    ----------
    size : int
        How many; zero stands for the data as they are.
    orders : ndarray of shape (p, b, n) or None
        Whose features every sample gets: for all splits at once (p = 1), or for each.
    seeds : ndarray of shape (b,) or None
        One for every permutation, where the loop draws them.
    """

    size: int
    orders: IntArray | None = None
    seeds: IntArray | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class PermutationLoop(ABC):
    """Everything a worker needs to work out any block of permutations.

    What is made of predictions is up to those who derive from it: `of_classes` where
    the engine is sure, `of_fit` where the model itself must be fitted, and `row` from
    the values of all splits to what is kept of a permutation.

    Attributes
    ----------
    n, n_splits : int
        Samples, and splits.
    pools : tuple of list of ndarray
        As of `exchangeable`: one entry for all splits at once, or one for each.
    engine : PreparedEngine or None
        None where the model is fitted every time.
    """

    n: int
    n_splits: int
    pools: tuple[list[IntArray], ...]
    engine: PreparedEngine | None = None

    has_seeds: ClassVar[bool] = False  # whether a seed is drawn for each permutation
    together: ClassVar[int] = 1  # permutations per task, where each takes its time

    @abstractmethod
    def of_classes(self, split: int, classes: IntArray) -> Sequence[Any]:
        """Return a value for every row of predicted classes, (b, n_test)."""

    @abstractmethod
    def of_fit(
        self, split: int, order: IntArray, seed: int | None, rng: np.random.Generator
    ) -> Any:
        """Fit the model to one permutation and return its value."""

    @abstractmethod
    def row(self, values: Sequence[Any]) -> Any:
        """Return what is kept of one permutation, from the values of its splits."""

    def engine_for(self, block: Block) -> PreparedEngine | None:
        """Return the engine that may work out a block."""
        del block
        return self.engine

    def fitting(self, block: Block) -> contextlib.AbstractContextManager[None]:
        """Return what surrounds the fits of a block."""
        del block
        return contextlib.nullcontext()

    def tasks(
        self, count: int, rng: np.random.Generator, *, with_observed: bool = False
    ) -> list[Block]:
        """Divide the work: blocks are drawn where they are worked out, if quickly so.

        Else they are drawn here, from the same streams, so that permutations do not
        depend on the way; and in small tasks, so that all workers have something to do.
        """
        sizes = [*([0] if with_observed else []), *block_sizes(count)]
        if self.engine is not None and self.engine.is_quick:
            return [Block(size=size) for size in sizes]
        blocks = []
        for size, stream in zip(sizes, rng.spawn(len(sizes)), strict=True):
            orders, seeds = self._draw(size, stream)
            step = max(self.together, self.engine.together if self.engine else 1)
            for start in range(0, orders.shape[1], step):
                part = slice(start, start + step)
                own = None if seeds is None else seeds[part]
                blocks.append(Block(size=size, orders=orders[:, part], seeds=own))
        return blocks

    def _draw(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray | None]:
        """Draw the orders of one block, and where asked for a seed for each."""
        if size == 0:
            orders: IntArray = np.arange(self.n, dtype=np.int64).reshape(1, 1, self.n)
        else:
            drawn = [draw_orders(size, pools, self.n, rng) for pools in self.pools]
            orders = np.stack(drawn)
        if not self.has_seeds:
            return orders, None
        return orders, rng.integers(SEEDS, size=(orders.shape[1],))

    def __call__(self, block: Block, rng: np.random.Generator) -> list[Any]:
        """Return one row for every permutation of a block."""
        orders, seeds = block.orders, block.seeds
        if orders is None:
            orders, seeds = self._draw(block.size, rng)
        columns = []
        with self.fitting(block):
            for split in range(self.n_splits):
                own = orders[split if orders.shape[0] > 1 else 0]
                columns.append(self._values(block, split, own, seeds, rng))
        return [self.row(values) for values in zip(*columns, strict=True)]

    def _values(
        self,
        block: Block,
        split: int,
        orders: IntArray,
        seeds: IntArray | None,
        rng: np.random.Generator,
    ) -> list[Any]:
        """Return the values of one split, for every permutation."""
        found: list[Any] = [None] * orders.shape[0]
        left = np.arange(orders.shape[0])
        engine = self.engine_for(block)
        if engine is not None:
            with unchecked(is_quiet=block.size > 0):
                said = engine.predict(split, orders)
            sure = np.flatnonzero(~said.is_doubtful)
            values = self.of_classes(split, said.classes[sure])
            for row, value in zip(sure.tolist(), values, strict=True):
                found[row] = value
            left = np.flatnonzero(said.is_doubtful)
        for row in left.tolist():
            seed = None if seeds is None else int(seeds[row])
            found[row] = self.of_fit(split, orders[row], seed, rng)
        return found


# How many permutations -------------------------------------------------------------


def usual_count(
    engine: PreparedEngine | None, pools: Sequence[IntArray], n: int
) -> int:
    """Return how many permutations are usual: more where they cost next to nothing.

    Few, too, where many predictions are left to the model itself, as rounding decides:
    on features of very different scale those of ridge and logistic regression are.

    Parameters
    ----------
    engine : PreparedEngine or None
        How permutations are worked out.
    pools : sequence of ndarray
        As of `exchangeable`, for all splits at once.
    n : int
        Number of samples.

    Returns
    -------
    int
        `MANY` or `FEW`.
    """
    if engine is None or not engine.is_quick:
        return FEW
    # A stream of its own, so that the permutations that count stay the same.
    orders = draw_orders(_TRIED, pools, n, np.random.default_rng(0))
    with unchecked(is_quiet=True):
        said = engine.predict(0, orders)
    return FEW if said.is_doubtful.mean() > _OFTEN else MANY


def permutation_effort(
    estimator: Any, shape: tuple[int, int], n_classes: int, n_splits: int
) -> tuple[int, float]:
    """Say how many permutations are usual, and roughly how long one takes.

    Parameters
    ----------
    estimator : scikit-learn estimator
        The model.
    shape : tuple of int
        Samples and features.
    n_classes : int
        Number of classes; 0 for a regression.
    n_splits : int
        Number of splits.

    Returns
    -------
    tuple of int and float
        The number, and the time of one beside fitting and testing anew: 1 where that is
        what is done.
    """
    known = recognise(estimator, n_classes) if n_classes else None
    if known is None:
        return FEW, 1.0
    is_quick = known.is_quick(shape, n_splits)
    return (MANY, _QUICK_SHARE) if is_quick else (FEW, _ENGINE_SHARE)


# The test --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PermutationTest(Result):
    """Scores by split, observed and for permutations.

    Attributes
    ----------
    n_samples, n_features : int
        Sizes of the data.
    estimator : str
        The model.
    scoring : str
        What was measured.
    greater_is_better : bool
        Which way is better.
    splitter : Splitter
        How samples were split.
    n_permutations : int
        Number of permutations.
    seed : int or None
        The seed, where it was a number.
    score : float
        Observed score: the mean over the splits that worked.
    p_value : float
        Chance to do as well by luck: (1 + as good) / (1 + all), never zero.
    smallest_p : float
        The smallest p-value that so many permutations, or arrangements, can give.
    method : str
        How the permutations were worked out: the name of an engine, or ``"loop"``.
    n_refitted : int
        Pairs of permutation and split that were left to the model itself, since
        rounding could have decided them.
    n_arrangements : float
        Ways in which features can be dealt out to labels; infinite for very many.
    failures : dict of str to int
        Reasons why the model failed, in its own words, and how often.
    fold_scores : ndarray of shape (n_splits,)
        Observed score of every split; NaN where the model failed.
    permuted : ndarray of shape (n_permutations, n_splits)
        The same for every permutation.
    """

    kind: ClassVar[str] = "permutation-test"

    n_samples: int = field(metadata=INPUT)
    n_features: int = field(metadata=INPUT)
    estimator: str = field(metadata=OPTION)
    scoring: str = field(metadata=OPTION)
    greater_is_better: bool = field(metadata=OPTION)
    splitter: Splitter = field(metadata=OPTION)
    n_permutations: int = field(metadata=OPTION)
    seed: int | None = field(metadata=OPTION)
    score: float
    p_value: float = field(metadata=SHARE)
    smallest_p: float = field(metadata=SHARE)
    method: str
    n_refitted: int
    n_arrangements: float
    failures: dict[str, int]
    fold_scores: FloatArray
    permuted: FloatArray

    @property
    def null_scores(self) -> FloatArray:
        """Mean score of every permutation; NaN where all splits failed."""
        return _row_means(self.permuted)

    @property
    def n_as_good(self) -> int:
        """Permutations that score as well or better; failed ones count as such."""
        return _count_as_good(self.permuted, self.score, self.greater_is_better)

    @property
    def n_failed(self) -> int:
        """Fits that failed."""
        return sum(self.failures.values())

    def p_interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Bound the p-value that endless permutations would give.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Confidence (Clopper and Pearson).

        Returns
        -------
        tuple of float
            Lower and upper end.
        """
        return clopper_pearson(self.n_as_good, self.n_permutations, confidence_level)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per split."""
        return {
            "split": list(range(1, self.fold_scores.size + 1)),
            "score": self.fold_scores.tolist(),
            "permuted_mean": _row_means(self.permuted.T).tolist(),
        }


def _row_means(scores: FloatArray) -> FloatArray:
    """Return the mean of what is known in every row; NaN where nothing is."""
    counts = np.isfinite(scores).sum(axis=1)
    totals = np.nansum(scores, axis=1)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)


def _count_as_good(permuted: FloatArray, score: float, greater: bool) -> int:
    sign = 1 if greater else -1
    # Written so that NaN, a permutation that failed, counts.
    return int(np.sum(~(sign * _row_means(permuted) < sign * score - _SAME)))


@checked_keywords
def permutation_test(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    scoring: Any = None,
    groups: Iterable[Hashable] | None = None,
    n_permutations: int = 1000,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> PermutationTest:
    r"""Compare the score of a model with those on permuted data.

    Features change places among samples; labels and splits stay, so that folds drawn by
    class stay so. If there is nothing to learn, the observed score is one of equally
    likely ones [1]_, and with :math:`b` of :math:`m` permutations that score as well

    .. math:: p = \frac{1 + b}{1 + m}

    is at most :math:`\alpha` with a chance of at most :math:`\alpha` [2]_. The scores
    are those of scikit-learn's ``permutation_test_score`` where its splits move along
    with the labels.

    Nearest centroids and neighbours, ridge classification, linear discriminants (with a
    given shrinkage, or by singular values where features are no fewer than samples),
    Gaussian naive Bayes, logistic regression with two classes and support vector
    machines (linear, radial) are worked out for many permutations at once; where
    rounding could decide a prediction, the model itself is fitted. Trees, random
    forests and extra trees (Gini index, up to a thousand samples) grow on features that
    are sorted once. All other models are fitted in a loop.

    Parameters
    ----------
    estimator : scikit-learn estimator or str
        A pipeline will do, with feature selection inside; or a name that `assess`
        knows. It is cloned, never changed.
    X : array-like of shape (n, m)
        Features: numbers, none missing; or a data frame.
    y : array-like of shape (n,)
        Labels, or numbers for a regressor.
    cv : int, str, splitter or iterable of (train, test), default=10
        Folds that keep the share of every class; or any other way of splitting.
    scoring : str, Metric or callable, optional
        One of `METRICS`, or any scorer: a name of scikit-learn's, or
        ``scorer(estimator, X, y)``, of which more is better. By default the score of
        the model itself.
    groups : iterable of hashable, optional
        Whole groups of the same size change places, and samples within groups; groups
        are never split.
    n_permutations : int, default=1000
        The smallest p-value is one over this number plus one.
    random_state : int, Generator or None, default=0
        Seed of splits and permutations.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    PermutationTest
        All scores by split, and the p-value.

    Raises
    ------
    InsufficientDataError
        If there is one class only, the model fails on every split, or groups leave
        nothing to permute.

    References
    ----------
    .. [1] M. Ojala and G. C. Garriga (2010). Permutation tests for studying classifier
       performance. Journal of Machine Learning Research 11.
    .. [2] B. Phipson and G. K. Smyth (2010). Permutation p-values should never be zero:
       calculating exact p-values when permutations are randomly drawn. Statistical
       Applications in Genetics and Molecular Biology 9.

    Examples
    --------
    >>> from sklearn.neighbors import NearestCentroid
    >>> X = [[0.0], [0.2], [0.1], [0.3], [5.0], [5.1], [5.4], [5.2]]
    >>> found = permutation_test(
    ...     NearestCentroid(), X, list("aaaabbbb"), cv=2, n_permutations=99
    ... )
    >>> found.score, round(found.p_value, 2), found.method
    (1.0, 0.01, 'nearest-centroid')
    """
    ((_, model),) = check_estimators([estimator]).items()
    data = check_data(X, y, task=task_of({"": model}), groups=groups)
    missing = first_missing(data.X)
    if missing is not None:
        count, place = missing
        problem = f"the value is missing ({count:,} such)"
        raise InvalidInputError(problem, parameter="X", location=place)
    n_permutations = check_times(n_permutations, "n_permutations")
    check_n_jobs(n_jobs)
    rng = as_generator(random_state)
    pools = movable(data.groups, data.y)
    plan = draw_splits(cv, data, rng)
    chosen = choose_scorer(scoring, model, data)
    metric = chosen.metric
    is_labels = metric is not None and metric.needs is Needs.LABELS
    engine, features = None, data.matrix()
    if data.is_classification and features is not None and is_labels:
        pairs = [(split.train, split.test) for split in plan.splits]
        engine = prepare_engine(model, features, data.codes, pairs)
    loop = _ScoreLoop(
        n=data.n_samples,
        n_splits=len(plan.splits),
        pools=(pools,),
        engine=engine,
        data=data,
        splits=plan.splits,
        metric=metric,
        refitting=chosen.refitting(model, data),
    )
    tasks = loop.tasks(n_permutations, rng, with_observed=True)
    found = map_tasks(loop, tasks, rng=rng, n_jobs=n_jobs, what="permuting")
    rows: list[Sequence[_Scored]] = [row for block in found for row in block]
    scores = np.array([[one.score for one in row] for row in rows])
    failures = Counter(one.failure for row in rows for one in row if one.failure)
    if not np.isfinite(scores[0]).any():
        reason = next((one.failure for one in rows[0] if one.failure), "no reason")
        problem = f"the model failed on every split: {reason}"
        raise InsufficientDataError(problem, parameter="estimator")
    score = float(np.nanmean(scores[0]))
    n_as_good = _count_as_good(scores[1:], score, chosen.greater_is_better)
    ways = n_arrangements(pools, data.truth)
    told = rows[loop.first_told :]
    smallest_p = max(1 / (1 + n_permutations), 1 / ways)
    return PermutationTest(
        n_samples=data.n_samples,
        n_features=data.n_features,
        estimator=" ".join(repr(model).split()),
        scoring=chosen.name,
        greater_is_better=chosen.greater_is_better,
        splitter=plan.splitter,
        n_permutations=n_permutations,
        seed=seed_number(random_state),
        score=score,
        p_value=max((1 + n_as_good) / (1 + n_permutations), smallest_p),
        smallest_p=smallest_p,
        method=LOOP if engine is None else engine.engine.name,
        n_refitted=sum(one.is_refitted for row in told for one in row),
        n_arrangements=ways,
        failures=dict(failures),
        fold_scores=scores[0],
        permuted=scores[1:],
    )


class _Scored(NamedTuple):
    """The score of one split of one permutation."""

    score: float
    is_refitted: bool = False
    failure: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class _ScoreLoop(PermutationLoop):
    """Scores of every split, by a metric or any scorer."""

    data: EvaluationData
    splits: tuple[Split, ...]
    metric: Metric | None
    refitting: Refitting

    has_seeds: ClassVar[bool] = True
    together: ClassVar[int] = 4

    def engine_for(self, block: Block) -> PreparedEngine | None:
        """Leave a model without a seed of its own, on the data as they are, to itself.

        It then draws from our stream.
        """
        is_open = block.size == 0 and self.refitting.has_open_seed
        if self.engine is not None and self.engine.engine.draws and is_open:
            return None
        return self.engine

    @property
    def first_told(self) -> int:
        """The first row of which refits are told: those that an engine was asked of."""
        return 1 if self.engine_for(Block(size=0)) is None else 0

    def fitting(self, block: Block) -> contextlib.AbstractContextManager[None]:
        """Keep quiet what is said of noise; of the data as they are it matters."""
        return unchecked(is_quiet=block.size > 0)

    def of_classes(self, split: int, classes: IntArray) -> list[_Scored]:
        """Score every row of predictions."""
        truth = self.data.codes[self.splits[split].test]
        if self.metric is None or self.metric.name == "accuracy":
            return [_Scored(x) for x in (classes == truth).mean(axis=1).tolist()]
        n_classes = self.data.n_classes
        said = [
            Predictions(truth=truth, predicted=x, n_classes=n_classes) for x in classes
        ]
        return [_Scored(self.metric.measure(x, absent="ignore")) for x in said]

    def of_fit(
        self, split: int, order: IntArray, seed: int | None, rng: np.random.Generator
    ) -> _Scored:
        """Fit the model itself; without an engine, that is nothing to be told."""
        del rng
        failures: Counter[str] = Counter()
        score = self.refitting.score(
            self.refitting.y, self.splits[split], failures, seed or 0, order
        )
        return _Scored(score, self.engine is not None, next(iter(failures), ""))

    def row(self, values: Sequence[_Scored]) -> Sequence[_Scored]:
        """Keep them as they are."""
        return values


# Metrics and scorers ---------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Scorer:
    """What is measured: a metric, or whatever a scorer gives.

    Attributes
    ----------
    name : str
        What it is called.
    metric : Metric or None
        The metric, where it is one.
    scorer : callable
        Called as ``scorer(fitted, X, y)``.
    greater_is_better : bool
        Which way is better.
    """

    name: str
    metric: Metric | None
    scorer: Any
    greater_is_better: bool = True

    def refitting(self, estimator: Any, data: EvaluationData) -> Refitting:
        """Return what fits and scores a model."""
        is_accuracy = self.metric is not None and self.metric.name == "accuracy"
        return Refitting(
            estimator=estimator,
            scorer=self.scorer,
            X=data.X,
            y=data.y,
            is_accuracy=is_accuracy,
        )


def choose_scorer(scoring: Any, estimator: Any, data: EvaluationData) -> Scorer:
    """Understand what is to be measured.

    Parameters
    ----------
    scoring : str, Metric, callable or None
        One of `METRICS`, also as ``neg_...`` of scikit-learn; any other name of its
        scorers, or a scorer; None for the score of the model itself.
    estimator : estimator
        The model.
    data : EvaluationData
        The samples.

    Returns
    -------
    Scorer
        Ready to score fitted models.

    Raises
    ------
    UsageError
        If it is neither, or a metric of another task.
    """
    from sklearn.metrics import check_scoring

    if scoring is None and _counts_right(estimator, data):
        scoring = METRICS["accuracy"]
    metric = _metric(scoring)
    if metric is not None and metric.task is not data.task:
        problem = f"{metric.name} is for {metric.task}, the model for {data.task}"
        raise UsageError(problem, parameter="scoring")
    if metric is not None:
        metric = replace(metric, high=metric.high_for(data.n_classes))
        return Scorer(
            name=metric.name,
            metric=metric,
            scorer=_MetricScorer(metric=metric, data=data),
            greater_is_better=metric.greater_is_better,
        )
    try:
        scorer = check_scoring(estimator, scoring=scoring)
    except (TypeError, ValueError) as error:
        raise _unknown_scoring(scoring, error) from error
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "")
    return Scorer(name=name or OWN_SCORE, metric=None, scorer=scorer)


@dataclass(frozen=True, kw_only=True, eq=False)
class _MetricScorer:
    """A metric in the form of a scorer."""

    metric: Metric
    data: EvaluationData

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        """Measure what a fitted model says of samples."""
        codes = self.data.codes
        if self.data.is_classification:
            codes = np.searchsorted(np.array(self.data.classes), y)
        part = replace(self.data, X=X, y=y, codes=codes, groups=None)
        rows = np.arange(part.n_samples)
        with_scores = self.metric.needs in (Needs.SCORES, Needs.PROBABILITIES)
        said = predict_samples(model, X, part, rows, with_scores=with_scores)
        if not self.metric.can_measure(said):
            needs = self.metric.needs
            raise InvalidInputError(f"{self.metric.name} needs {needs} of classes")
        if not self.data.is_classification:
            said = replace(said, scale=float(np.ptp(self.data.y)))
        return self.metric.measure(said, absent="ignore")


def _metric(scoring: Any) -> Metric | None:
    """Return the metric that is meant; None if it is none of ours."""
    if isinstance(scoring, Metric) or not isinstance(scoring, str):
        return scoring if isinstance(scoring, Metric) else None
    name = scoring.removeprefix("neg_")
    for metric in METRICS.values():
        is_named = name in (metric.name, *metric.aliases)
        if is_named and (name == scoring or not metric.greater_is_better):
            return metric
    return None


def _counts_right(estimator: Any, data: EvaluationData) -> bool:
    """Tell whether the score of a model counts right predictions and nothing else."""
    from sklearn.base import ClassifierMixin, is_classifier
    from sklearn.dummy import DummyClassifier
    from sklearn.pipeline import Pipeline

    if not data.is_classification or not is_classifier(estimator):
        return False
    last = estimator.steps[-1][1] if type(estimator) is Pipeline else estimator
    score = getattr(type(last), "score", None)
    usual = score in (ClassifierMixin.score, DummyClassifier.score)
    # Of those that are known here some have a method of their own that does the same.
    return usual or recognise(estimator, 2) is not None


def _unknown_scoring(scoring: Any, error: Exception) -> UsageError:
    """Say which name was probably meant, or what scikit-learn says."""
    from sklearn.metrics import get_scorer_names

    known = [*METRICS, *get_scorer_names()]
    if not isinstance(scoring, str) or scoring in known:
        return UsageError(" ".join(str(error).split()), parameter="scoring")
    near = near_name(scoring, known)
    return UsageError(
        f"must be a metric, or a scorer of scikit-learn; got {scoring!r}",
        parameter="scoring",
        remedy=f"try {near!r}" if near else "such as 'accuracy' or 'roc_auc'",
    )
