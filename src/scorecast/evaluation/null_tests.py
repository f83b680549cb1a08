"""Whether a score beats permuted data, models that know nothing, and null data.

`run_null_tests` holds a model against every null setting; `judge` weighs the tests. All
tests take errors (smaller is better, whatever the metric was) and are one-tailed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.checks import check_one_of, check_share, check_times
from scorecast._core.parallel import Run
from scorecast._core.progress import stage
from scorecast._core.result import SHARE
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.data import EvaluationData
from scorecast.evaluation.estimates import Estimates, collect_estimates
from scorecast.evaluation.fitting import fit_and_test, pool_predictions
from scorecast.evaluation.intervals import resampled_units
from scorecast.evaluation.metrics import Metric, Needs, Predictions
from scorecast.evaluation.null_data import NULL_DATA, NULL_MODELS, draw_null_data
from scorecast.evaluation.permutation import (
    PermutationLoop,
    PreparedEngine,
    exchangeable,
    moved,
    n_arrangements,
    prepare_engine,
    usual_count,
)
from scorecast.evaluation.splits import SplitPlan
from scorecast.exceptions import UsageError

MOST_SAMPLES = 10**6  # hardly anybody collects more: beyond is no end
_MOST_DRAWS = {"max_items": 10_000}  # in a file
_RESAMPLES = 300
_POWER = 0.8
PERMUTED, NULL_DATA_SETS = "permuted", "null-data"  # beside the names of null models


class Permute(StrEnum):
    """What is permuted: all samples, or only those that are learned from."""

    ALL = "all"
    TRAIN = "train"


class TestStatus(StrEnum):
    """Whether a test could be made, and why not."""

    __test__ = False  # not for pytest

    DONE = "done"
    TOO_FEW_VALUES = "too-few-values"
    INFINITE_SPLITS = "infinite-splits"
    NOTHING_MOVES = "nothing-moves"
    GROUPED = "grouped"
    MODEL_FAILED = "model-failed"
    UNDEFINED = "undefined"
    POOLED = "pooled"
    SMALL_SPLITS = "small-splits"


class Verdict(StrEnum):
    """What the tests come to."""

    FEASIBLE = "feasible"
    EXPLORATORY = "exploratory"
    NOT_SUPPORTED = "not-supported"
    NONE = "none"  # what could not be tested is not refuted


class Remedy(StrEnum):
    """What would settle what is not."""

    MORE_DRAWS = "more-draws"
    MORE_SAMPLES = "more-samples"
    MORE_SPLITS = "more-splits"
    OTHER_GROUPS = "other-groups"
    NOTHING = "nothing"


@dataclass(frozen=True, kw_only=True)
class NullTests:
    """How a score is held against chance.

    Attributes
    ----------
    n_permutations : int or None
        Permutations. None means as many as are usual for the model: 1,000 for metrics
        of labels and models that are quick on data of this size (nearest centroid and
        neighbors, ridge classifier, Gaussian naive Bayes, logistic regression of two
        classes, linear discriminants), else 100. The smallest p-value is one over this
        number plus one.
    n_null_data : int
        Null data sets to draw; 0 leaves them out.
    null_data : str
        One of `NULL_DATA`.
    permute : Permute
        Whether tested samples are permuted too.
    alpha, relaxed_alpha : float
        Levels below which a result is feasible, and exploratory.
    """

    n_permutations: int | None = None
    n_null_data: int = 20
    null_data: str = "shrunk"
    permute: Permute = Permute.ALL
    alpha: float = field(default=0.05, metadata=SHARE)
    relaxed_alpha: float = field(default=0.2, metadata=SHARE)

    def checked(self) -> NullTests:
        """Return the same with clean values, or refuse what makes no sense."""
        alpha = check_share(self.alpha, "alpha", is_open=True)
        relaxed = check_share(self.relaxed_alpha, "relaxed_alpha", is_open=True)
        if relaxed < alpha:
            problem = (
                "must not be below the level for what is feasible, which is "
                f"exploratory, too; got {relaxed:g} and {alpha:g}"
            )
            raise UsageError(problem, parameter="relaxed_alpha")
        count = self.n_permutations
        if count is not None:
            count = _check_draws(count, "n_permutations", alpha, least=2)
        kind = check_one_of(self.null_data, "null_data", list(NULL_DATA))
        return NullTests(
            n_permutations=count,
            n_null_data=_check_draws(self.n_null_data, "n_null_data", alpha, least=0),
            null_data=kind,
            permute=Permute(check_one_of(self.permute, "permute", list(Permute))),
            alpha=alpha,
            relaxed_alpha=relaxed,
        )


def _check_draws(value: Any, parameter: str, alpha: float, *, least: int) -> int:
    """Refuse a single draw, which shows no spread."""
    count = check_times(value, parameter, least=min(least, 1))
    if count != 1:
        return count
    needed = math.ceil(1 / alpha - 1e-9) - 1
    raise UsageError(
        "a single draw shows no spread",
        parameter=parameter,
        remedy=f"a p-value of {alpha:g} takes {needed:,} at least",
    )


@dataclass(frozen=True, kw_only=True)
class NullTest:
    """How a model compares with one null setting.

    Attributes
    ----------
    status : TestStatus
        Whether the test could be made.
    p_t : float
        One-tailed p-value of the t-test: small where the model is better.
    p_rank : float
        Share of draws of the null setting that are as good, the observed one counted;
        NaN where nothing was drawn.
    min_p_rank : float
        Least value that `p_rank` can take with so many draws; NaN likewise.
    null_value : float
        Mean value of the metric in the null setting.
    gap : float
        By how much the model is better, in units of the metric.
    stderr : float
        Standard error of the gap.
    n_draws : int
        How often the null setting was drawn.
    observed : float
        Value of the model, as the draws are counted: the mean of its folds, or of all
        tests together.
    draws : tuple of float
        The same of every draw that did not fail: the null distribution. Empty where
        nothing was drawn, and in files that leave it out.
    is_pooled : bool
        Whether values are those of all tests together, as splits have none.
    is_sign_test : bool
        Whether folds all differ alike, so that a sign test is all that is left.
    n_failed_draws : int
        Draws that failed; they count against the model.
    n_infinite_draws : int
        Draws that are infinite; they count in the rank only.
    n_infinite_splits, n_splits : int
        Splits of the model that are infinite, of how many.
    n_immovable : int
        Samples that cannot change places: no other group is as large as theirs.
    """

    status: TestStatus = TestStatus.DONE
    p_t: float = field(default=math.nan, metadata=SHARE)
    p_rank: float = field(default=math.nan, metadata=SHARE)
    min_p_rank: float = field(default=math.nan, metadata=SHARE)
    null_value: float = math.nan
    gap: float = math.nan
    stderr: float = math.nan
    n_draws: int = 0
    observed: float = math.nan
    draws: tuple[float, ...] = field(default=(), metadata=_MOST_DRAWS)
    is_pooled: bool = False
    is_sign_test: bool = False
    n_failed_draws: int = 0
    n_infinite_draws: int = 0
    n_infinite_splits: int = 0
    n_splits: int = 0
    n_immovable: int = 0

    @property
    def p_value(self) -> float:
        """The larger of the p-values that are known."""
        known = [p for p in (self.p_t, self.p_rank) if not math.isnan(p)]
        return max(known, default=math.nan)


@dataclass(frozen=True, kw_only=True)
class PermutationDensity:
    """Where the model stands among single folds of permuted data.

    Attributes
    ----------
    p_value, min_p_value : float
        Share of folds that are as good, the observed one counted, and its least value;
        NaN where that means nothing.
    status : TestStatus
        Why it does.
    """

    p_value: float = field(default=math.nan, metadata=SHARE)
    min_p_value: float = field(default=math.nan, metadata=SHARE)
    status: TestStatus = TestStatus.DONE


@dataclass(frozen=True, kw_only=True)
class VerdictBasis:
    """What a verdict rests on.

    Attributes
    ----------
    against : str
        The null setting that is hardest to beat: ``"permuted"``, or a null model.
    p_value : float
        Against it; NaN where that test could not be made.
    n_needed : int or None
        Samples needed to settle it with a chance of 80 %, if more would help and a
        million are enough.
    remedy : Remedy
        What would settle it.
    beyond_null_data : bool or None
        Whether the model is better on the real data than on null data; None where that
        is not known.
    """

    against: str
    p_value: float = field(metadata=SHARE)
    n_needed: int | None = None
    remedy: Remedy = Remedy.NOTHING
    beyond_null_data: bool | None = None


@dataclass(frozen=True, kw_only=True)
class NullTestSummary:
    """All tests of one model against chance, with the verdict.

    Attributes
    ----------
    metric : str
        What was compared.
    permuted : NullTest or None
        Against permuted data; None for estimates that somebody else made.
    null_models : dict of str to NullTest
        Against models that know next to nothing, or settings that were given.
    null_data : NullTest or None
        Against null data; None if none were drawn.
    density : PermutationDensity or None
        Against single folds of permuted data.
    verdict : Verdict
        What it amounts to.
    basis : VerdictBasis
        Why.
    """

    metric: str
    permuted: NullTest | None
    null_models: dict[str, NullTest]
    null_data: NullTest | None = None
    density: PermutationDensity | None = None
    verdict: Verdict
    basis: VerdictBasis

    @property
    def tests(self) -> dict[str, NullTest]:
        """All tests, in the order in which they are shown."""
        first = {} if self.permuted is None else {PERMUTED: self.permuted}
        last = {} if self.null_data is None else {NULL_DATA_SETS: self.null_data}
        return {**first, **self.null_models, **last}

    @property
    def null_model(self) -> NullTest:
        """Against the null model that is hardest to beat by its t-test."""
        return max(self.null_models.values(), key=lambda test: test.p_t)


# Tests of values of folds ---------------------------------------------------------


def rank_p(observed: float, drawn: FloatArray) -> tuple[float, float]:
    """Return the share of draws as small as the observed, and the least possible.

    The observed value counts as a draw, so that the answer is never zero. A draw that
    is infinite is a draw, and worse; one that failed (NaN) counts as one that is as
    good: what is unknown is held against the model.

    Examples
    --------
    >>> perm = np.array([.5, .4, .3, .6, .45, .52, .38, .2])
    >>> [round(p, 4) for p in rank_p(0.3, perm)]
    [0.3333, 0.1111]
    """
    as_good = int((~(drawn > observed * (1 + 1e-12 * np.sign(observed)))).sum())
    return (1 + as_good) / (1 + drawn.size), 1 / (1 + drawn.size)


def drawn_test(
    observed: FloatArray,
    drawn: FloatArray,
    test_ratio: float,
    own: tuple[float, int] | None = None,
) -> NullTest:
    """Compare values of folds with those of a null setting that was drawn repeatedly.

    The mean of the folds is known only up to its own error, corrected for the training
    samples that folds share, and if there were nothing to learn it would vary as the
    null means do: the larger of both spreads is used. A draw that failed counts as one
    that is as good.

    Parameters
    ----------
    observed : ndarray of shape (n_splits,)
        Errors of the model; NaN where undefined.
    drawn : ndarray of shape (n_draws, n_splits)
        Errors in the null setting; NaN where a fit failed.
    test_ratio : float
        Samples tested per sample learned from.
    own : tuple of float and int, optional
        Variance of the mean and its degrees of freedom, where it does not come from
        the spread of folds.

    Returns
    -------
    NullTest
        p-values and what they rest on.
    """
    # A split that failed for the model itself is left out of the draws as well.
    is_lost = np.isnan(drawn[:, ~np.isnan(observed)]).any(axis=1)
    test = _whole_drawn_test(observed, drawn[~is_lost], test_ratio, own)
    lost, n = int(is_lost.sum()), test.n_draws
    if not lost:
        return test
    return replace(
        test,
        p_rank=(test.p_rank * (1 + n) + lost) / (1 + n + lost),
        min_p_rank=test.min_p_rank * (1 + n) / (1 + n + lost),
        n_failed_draws=lost,
    )


def _whole_drawn_test(
    observed: FloatArray,
    drawn: FloatArray,
    test_ratio: float,
    own: tuple[float, int] | None,
) -> NullTest:
    """Compare with draws of which none failed."""
    if np.isinf(observed).any():
        return _infinite(observed)
    known = observed[np.isfinite(observed)]
    every = _row_means(drawn)
    # An infinite draw has its rank, but neither a mean nor a spread. Without it the
    # null looks better, so that the t-test errs on the safe side.
    means = every[np.isfinite(every)]
    if known.size < 1 or means.size < 2:
        return NullTest(status=TestStatus.TOO_FEW_VALUES)
    mean, null = float(known.mean()), float(means.mean())
    spread = _variance(known) * (1 / known.size + test_ratio)
    variance, free = (spread, known.size - 1) if own is None else own
    between = _variance(means)
    degrees = free if variance >= between else means.size - 1
    stderr = math.sqrt(max(variance, between) + between / means.size)
    share, least = rank_p(mean, every)
    # Without any spread there is no t; the rank has to decide.
    p_t = _one_tailed(null - mean, stderr, max(degrees, 1)) if stderr else math.nan
    return NullTest(
        p_t=p_t,
        p_rank=share,
        min_p_rank=least,
        null_value=null,
        gap=null - mean,
        stderr=stderr,
        n_draws=every.size,
        n_infinite_draws=every.size - means.size,
        observed=mean,
        draws=tuple(every.tolist()),
    )


def paired_test(observed: FloatArray, other: FloatArray, test_ratio: float) -> NullTest:
    """Compare two models on the same folds by the corrected resampled t-test.

    Parameters
    ----------
    observed, other : ndarray of shape (n_splits,)
        Errors of the model and of the other one.
    test_ratio : float
        Samples tested per sample learned from.

    Returns
    -------
    NullTest
        Without a rank: nothing is drawn.
    """
    if np.isinf(observed).any():
        return _infinite(observed)
    both = np.isfinite(observed) & np.isfinite(other)
    if both.sum() < 2:
        return NullTest(status=TestStatus.TOO_FEW_VALUES)
    gaps = other[both] - observed[both]
    gap, spread = float(gaps.mean()), _variance(gaps)
    stderr = math.sqrt(spread * (1 / gaps.size + test_ratio))
    return NullTest(
        p_t=_p_of_gap(gap, stderr, gaps.size - 1, gaps.size),
        null_value=float(other[both].mean()),
        gap=gap,
        stderr=stderr,
        n_draws=1,
        is_sign_test=stderr == 0,
        observed=float(observed[both].mean()),
    )


def _p_of_gap(gap: float, stderr: float, degrees: int, n_signs: int) -> float:
    """Return the p-value of a gap; of a sign test where it has no spread."""
    if stderr > 0:
        return _one_tailed(gap, stderr, degrees)
    # All say the same: a sign test is all that is left.
    return 0.5**n_signs if gap > 0 else 1.0


def _one_tailed(gap: float, stderr: float, degrees: int) -> float:
    return float(scipy.special.stdtr(degrees, -gap / stderr))


def _row_means(drawn: FloatArray) -> FloatArray:
    rows = drawn[~np.isnan(drawn).all(axis=1)]
    means: FloatArray = np.nanmean(rows, axis=1) if rows.size else np.empty(0)
    return means


def _variance(values: FloatArray) -> float:
    if values.size < 2 or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return 0.0
    return float(np.var(values, ddof=1))


def _infinite(observed: FloatArray) -> NullTest:
    return NullTest(
        status=TestStatus.INFINITE_SPLITS,
        n_infinite_splits=int(np.isinf(observed).sum()),
        n_splits=observed.size,
    )


def in_units(test: NullTest, *, greater_is_better: bool) -> NullTest:
    """Turn errors back into values of the metric; gaps stay."""
    if not greater_is_better:
        return test
    return replace(
        test,
        null_value=0.0 - test.null_value,
        observed=0.0 - test.observed,
        # Adding nought turns minus nought into nought.
        draws=tuple(0.0 - x for x in test.draws),
    )


# What the tests come to -----------------------------------------------------------


def judge(
    tests: Mapping[str, NullTest],
    null_data: NullTest | None = None,
    *,
    n_samples: int | None = None,
    alpha: float,
    relaxed_alpha: float,
) -> tuple[Verdict, VerdictBasis]:
    """Weigh the tests: the weakest decides.

    The model must beat permuted data, in rank and in the t-test, and every null model.
    Null data decide nothing: a model that does no better on the real data than on those
    may be right and still have learned nothing but single features.

    Parameters
    ----------
    tests : mapping of str to NullTest
        Against permuted data and null models.
    null_data : NullTest or None
        Against null data, if they were drawn.
    n_samples : int, optional
        Number of samples; without, nothing is said of how many would settle it.
    alpha, relaxed_alpha : float
        Level for what is feasible, and for what is exploratory.

    Returns
    -------
    tuple of Verdict and VerdictBasis
        What they come to, and why.
    """

    def weakness(name: str) -> float:
        p = tests[name].p_value
        return math.inf if math.isnan(p) else p

    against = max(tests, key=weakness)
    worst = tests[against]
    p = worst.p_value
    basis = VerdictBasis(
        against=against, p_value=p, beyond_null_data=_is_beyond(null_data, alpha)
    )
    if math.isnan(p):
        return Verdict.NONE, basis
    if p <= alpha:
        return Verdict.FEASIBLE, basis
    basis = _with_remedy(basis, worst, n_samples, alpha)
    if p <= relaxed_alpha:
        return Verdict.EXPLORATORY, basis
    n_ways = round(1 / worst.min_p_rank) if worst.min_p_rank > 0 else 0
    if worst.min_p_rank > alpha and n_ways <= worst.n_draws:
        other = replace(basis, remedy=Remedy.OTHER_GROUPS, n_needed=None)
        return Verdict.NONE, other
    return Verdict.NOT_SUPPORTED, basis


def _is_beyond(null_data: NullTest | None, alpha: float) -> bool | None:
    if null_data is None or math.isnan(null_data.p_value):
        return None
    return null_data.p_value <= alpha


def _with_remedy(
    basis: VerdictBasis, test: NullTest, n_samples: int | None, alpha: float
) -> VerdictBasis:
    """Say what would settle it."""
    needed = None
    if test.gap > 0 and test.stderr > 0 and n_samples is not None:
        quantiles = float(scipy.special.ndtri(1 - alpha) + scipy.special.ndtri(_POWER))
        reach = quantiles * test.stderr / test.gap
        if math.isfinite(reach**2):
            needed = math.ceil(n_samples * reach**2)
    is_said = needed is not None and (n_samples or 0) < needed <= MOST_SAMPLES
    basis = replace(basis, n_needed=needed if is_said else None)
    if test.min_p_rank > alpha:
        return replace(basis, remedy=Remedy.MORE_DRAWS)
    if needed is None or n_samples is None:
        return basis
    # The spread would allow it; few folds or draws are what stands in the way.
    is_enough = needed <= n_samples
    remedy = Remedy.MORE_SPLITS if is_enough else Remedy.MORE_SAMPLES
    return replace(basis, remedy=remedy)


# Values in null settings ----------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Draws:
    """Values of a metric in a null setting.

    Attributes
    ----------
    folds : ndarray of shape (n_draws, n_splits)
        Of every split; NaN where a fit failed or the metric is undefined.
    pooled : ndarray of shape (n_draws,)
        Of all tests together; NaN where a fit failed, or the metric is a mean of
        samples.
    """

    folds: FloatArray
    pooled: FloatArray


def _draw_row(
    metric: Metric, several: Sequence[Predictions | None], needed: Sequence[bool]
) -> list[float]:
    """Return the value of every split, and last that of all tests, where it differs.

    A split that the model itself failed in is not needed for the value of all.
    """
    known = [p is not None and metric.can_measure(p) for p in several]
    values = [
        math.nan if p is None or not is_known else metric.measure(p)
        for p, is_known in zip(several, known, strict=True)
    ]
    if metric.is_mean_of_samples:
        return values
    whole = [p for p, is_needed in zip(several, needed, strict=True) if is_needed]
    is_complete = all(k for k, is_one in zip(known, needed, strict=True) if is_one)
    if not whole or not is_complete:
        return [*values, math.nan]
    return [
        *values,
        metric.measure(pool_predictions([p for p in whole if p is not None])),
    ]


def _gather(rows: Sequence[Sequence[float]], n_splits: int) -> Draws:
    """Take apart what `_draw_row` gave."""
    values = np.full((len(rows), n_splits + 1), np.nan)
    for i, row in enumerate(rows):
        values[i, : len(row)] = row
    return Draws(folds=values[:, :-1], pooled=values[:, -1])


def permuted_draws(
    estimator: Any,
    data: EvaluationData,
    plan: SplitPlan,
    metric: Metric,
    *,
    n_permutations: int | None = None,
    rng: np.random.Generator,
    run: Run | None = None,
    part: str = "permuted",
    permute: Permute = Permute.ALL,
    with_engine: bool = True,
    needed: Sequence[bool] | None = None,
) -> Draws:
    """Fit and test on permuted data, again and again.

    Splits drawn by class stay so: what was observed is one of the equally likely
    outcomes if there is nothing to learn.

    Parameters
    ----------
    estimator : estimator
        The model.
    data : EvaluationData
        The samples.
    plan : SplitPlan
        The splits.
    metric : Metric
        What to measure.
    n_permutations : int, optional
        How often; by default as `usual_count` has it.
    rng : numpy.random.Generator
        Parent of one stream per block of permutations.
    run : Run, optional
        How tasks are run.
    part : str
        Name of these permutations in a checkpoint.
    permute : Permute, default=Permute.ALL
        Whether tests are shuffled too, or only what is learned from.
    with_engine : bool, default=True
        Whether known models may be worked out at once; the values are the same.
    needed : sequence of bool, optional
        Splits whose tests are put together; all by default.

    Returns
    -------
    Draws
        Values of the metric, by split and of all tests together.
    """
    run = Run() if run is None else run
    engine = _engine(estimator, data, plan, metric) if with_engine else None
    count = n_permutations
    if count is None:
        pools = exchange_pools(data, plan, Permute.ALL)[0]
        count = usual_count(engine, pools, data.n_samples)
    work = _MetricLoop(
        n=data.n_samples,
        n_splits=len(plan.splits),
        pools=tuple(exchange_pools(data, plan, permute)),
        engine=engine,
        estimator=estimator,
        data=data,
        plan=plan,
        metric=metric,
        time_limit=run.time_limit,
        needed=(True,) * len(plan.splits) if needed is None else tuple(needed),
    )
    rows = run.map(work, work.tasks(count, rng), part=part, rng=rng, what="permuting")
    return _gather([row for block in rows for row in block], len(plan.splits))


def exchange_pools(
    data: EvaluationData, plan: SplitPlan, permute: Permute
) -> list[list[IntArray]]:
    """List whose features may change places: for all splits at once, or for each.

    Parameters
    ----------
    data : EvaluationData
        The samples.
    plan : SplitPlan
        The splits.
    permute : Permute
        Whether tests are shuffled too.

    Returns
    -------
    list of list of ndarray
        One entry, or one per split; each as of `exchangeable`.
    """
    if permute is Permute.ALL:
        return [exchangeable(data.groups, data.y)]
    found = []
    for split in plan.splits:
        known = np.unique(split.train)
        groups = None if data.groups is None else data.groups[known]
        found.append([known[p] for p in exchangeable(groups, data.y[known])])
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class _MetricLoop(PermutationLoop):
    """Permutations seen through a metric."""

    estimator: Any
    data: EvaluationData
    plan: SplitPlan
    metric: Metric
    time_limit: float | None
    needed: tuple[bool, ...]

    def of_classes(self, split: int, classes: IntArray) -> list[Predictions]:
        """Return what every row of predictions means."""
        truth = self.data.codes[self.plan.splits[split].test]
        n = self.data.n_classes
        return [Predictions(truth=truth, predicted=row, n_classes=n) for row in classes]

    def of_fit(
        self, split: int, order: IntArray, seed: int | None, rng: np.random.Generator
    ) -> Predictions | None:
        """Fit the model itself."""
        del seed
        return fit_and_test(
            self.estimator,
            self.data,
            self.plan.splits[split],
            rng,
            order=order,
            time_limit=self.time_limit,
            with_scores=self.metric.needs is not Needs.LABELS,
        ).predictions

    def row(self, values: Sequence[Predictions | None]) -> list[float]:
        """Return the values of every split and of all."""
        return _draw_row(self.metric, values, self.needed)


def _engine(
    estimator: Any, data: EvaluationData, plan: SplitPlan, metric: Metric
) -> PreparedEngine | None:
    """Prepare the engine, for metrics that need nothing but predicted labels."""
    if not data.is_classification or metric.needs is not Needs.LABELS:
        return None
    features = data.matrix()
    if features is None:
        return None  # only the model knows what to make of them
    splits = [(split.train, split.test) for split in plan.splits]
    return prepare_engine(estimator, features, data.codes, splits)


def _null_data_draws(
    estimator: Any,
    data: EvaluationData,
    plan: SplitPlan,
    metric: Metric,
    settings: NullTests,
    needed: tuple[bool, ...],
    *,
    rng: np.random.Generator,
    run: Run,
    part: str,
) -> Draws:
    """Fit and test on null data, again and again."""
    # Samples of a group are not drawn one by one.
    if data.groups is not None:
        return _gather([], len(plan.splits))
    draw = partial(
        _one_null_data_set,
        estimator,
        data,
        plan,
        metric,
        settings.null_data,
        run.time_limit,
        needed,
    )
    rows = run.map(
        draw,
        range(settings.n_null_data),
        part=f"{part}/null data",
        rng=rng,
        what="null data",
    )
    return _gather(rows, len(plan.splits))


def _one_null_data_set(
    estimator: Any,
    data: EvaluationData,
    plan: SplitPlan,
    metric: Metric,
    kind: str,
    time_limit: float | None,
    needed: tuple[bool, ...],
    number: int,
    rng: np.random.Generator,
) -> list[float]:
    del number
    drawn = data.with_features(draw_null_data(data, kind, rng))
    several = [
        fit_and_test(
            estimator,
            drawn,
            split,
            rng,
            time_limit=time_limit,
            with_scores=metric.needs is not Needs.LABELS,
        ).predictions
        for split in plan.splits
    ]
    return _draw_row(metric, several, needed)


# Where splits have no value of their own ------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledView:
    """A model seen through the value of all its tests together.

    F1, AUC and the like are no means of samples: a split without a sample of a class,
    or in which that class is never named, has no value. All tests together have one.

    Attributes
    ----------
    estimates : Estimates
        Its tests.
    metric : Metric
        What is compared.
    rng : numpy.random.Generator
        For the bootstrap.
    """

    estimates: Estimates
    metric: Metric
    rng: np.random.Generator

    @staticmethod
    def is_needed(estimates: Estimates, metric: Metric, draws: Sequence[Draws]) -> bool:
        """Tell whether some split has no value, of the model or of a draw.

        Never for means of samples: every test has a value then. A draw that failed
        counts elsewhere.
        """
        if metric.is_mean_of_samples:
            return False
        tested = np.array([x.predictions is not None for x in estimates.results])
        rows = [estimates.measure(metric).folds[None, tested]]
        rows += [d.folds[np.isfinite(d.pooled)][:, tested] for d in draws]
        return any(bool(np.isnan(values).any()) for values in rows)

    @cached_property
    def observed(self) -> FloatArray:
        """Error of the model, as an array of one."""
        return self._error(self.estimates.pooled()).reshape(1)

    @cached_property
    def own(self) -> tuple[float, int]:
        """Variance of that error from sample to sample, and degrees of freedom."""
        mine = self.estimates.pooled()
        values = np.array([self._error(mine.take(rows)) for rows in self._resamples])
        known = values[np.isfinite(values)]
        spread = float(np.var(known, ddof=1)) if known.size > 1 else 0.0
        return spread, len(self._units[0]) - 1

    def errors(self, draws: Draws) -> FloatArray:
        """Return errors of draws, (n_draws, 1)."""
        return self.metric.as_error(draws.pooled)[:, None]

    def compared(self, other: Predictions) -> NullTest:
        """Compare with another model on the same tests, by a bootstrap of samples.

        Parameters
        ----------
        other : Predictions
            What it says of the same tests in the same order.

        Returns
        -------
        NullTest
            Without a rank: nothing is drawn.
        """
        mine, value = self.estimates.pooled(), self._error(other)
        gap = float(value - self.observed[0])
        if not math.isfinite(gap):
            return NullTest(status=TestStatus.UNDEFINED, is_pooled=True)
        gaps = np.array(
            [
                self._error(other.take(rows)) - self._error(mine.take(rows))
                for rows in self._resamples
            ]
        )
        known = gaps[np.isfinite(gaps)]
        stderr = float(np.std(known, ddof=1)) if known.size > 1 else 0.0
        tests, strata = self._units
        # Where no sample makes a difference, those of the smallest class are signs.
        n_signs = int(np.bincount(strata).min())
        return NullTest(
            p_t=_p_of_gap(gap, stderr, len(tests) - 1, n_signs),
            null_value=float(value),
            gap=gap,
            stderr=stderr,
            n_draws=1,
            is_pooled=True,
            observed=float(self.observed[0]),
        )

    def constant(self) -> Predictions:
        """Return what a model says that names the most frequent class of all samples.

        Learned anew without the tested sample, its answer would depend on that sample:
        in leave-one-out it ranks every sample on the wrong side of the others.
        """
        mine, counts = self.estimates.pooled(), self.estimates.data.class_counts
        return replace(
            mine,
            predicted=np.full(mine.n, int(counts.argmax())),
            scores=np.tile(counts / counts.sum(), (mine.n, 1)),
            is_probability=True,
        )

    def _error(self, predictions: Predictions) -> FloatArray:
        return self.metric.as_error(np.asarray(self.metric.measure(predictions)))

    @cached_property
    def _units(self) -> tuple[list[IntArray], IntArray]:
        return self.estimates.units()

    @cached_property
    def _resamples(self) -> list[IntArray]:
        tests, strata = self._units
        drawn = resampled_units(strata, _RESAMPLES, self.rng)
        return [np.concatenate([tests[i] for i in units]) for units in drawn]


# All of it ------------------------------------------------------------------------


def run_null_tests(
    estimator: Any,
    estimates: Estimates,
    metric: Metric,
    settings: NullTests,
    *,
    rng: np.random.Generator,
    run: Run | None = None,
    part: str = "model",
) -> NullTestSummary:
    """Test whether a score beats permuted data, null models and null data.

    Parameters
    ----------
    estimator : estimator
        The model.
    estimates : Estimates
        Its tests on the real data.
    metric : Metric
        What to compare.
    settings : NullTests
        How.
    rng : numpy.random.Generator
        Where randomness comes from.
    run : Run, optional
        How tasks are run.
    part : str
        Name of the model in a checkpoint.

    Returns
    -------
    NullTestSummary
        All tests and the verdict.
    """
    data, plan, run = estimates.data, estimates.plan, run or Run()
    needed = tuple(x.predictions is not None for x in estimates.results)
    with stage(f"{part}: permuted data"):
        drawn = permuted_draws(
            estimator,
            data,
            plan,
            metric,
            n_permutations=settings.n_permutations,
            rng=rng,
            run=run,
            part=f"{part}/permuted",
            permute=settings.permute,
            needed=needed,
        )
    others = {
        name: collect_estimates(model.make(), data, plan, rng=rng, run=Run(n_jobs=1))
        for name, model in NULL_MODELS.items()
        if model.task is data.task
    }
    with stage(f"{part}: null data"):
        null = _null_data_draws(
            estimator,
            data,
            plan,
            metric,
            settings,
            needed,
            rng=rng,
            run=run,
            part=part,
        )
    view = None
    if PooledView.is_needed(estimates, metric, (drawn, null)):
        view = PooledView(estimates=estimates, metric=metric, rng=rng)
    pools = exchange_pools(data, plan, settings.permute)
    permuted = _of_few(_drawn_test(estimates, metric, drawn, view), pools, data)
    models = {
        name: _null_model_test(name, estimates, other, metric, view)
        for name, other in others.items()
    }
    null_data = _null_data_test(estimates, metric, null, view, settings)
    density = _density(estimates, metric, drawn, permuted, view)
    verdict, basis = judge(
        {PERMUTED: permuted, **models},
        null_data,
        n_samples=data.n_samples,
        alpha=settings.alpha,
        relaxed_alpha=settings.relaxed_alpha,
    )
    turned = partial(in_units, greater_is_better=metric.greater_is_better)
    return NullTestSummary(
        metric=metric.name,
        permuted=turned(permuted),
        null_models={name: turned(test) for name, test in models.items()},
        null_data=None if null_data is None else turned(null_data),
        density=density,
        verdict=verdict,
        basis=basis,
    )


def _drawn_test(
    estimates: Estimates, metric: Metric, draws: Draws, view: PooledView | None
) -> NullTest:
    ratio = estimates.plan.test_ratio
    if view is None:
        observed = metric.as_error(estimates.measure(metric).folds)
        return drawn_test(observed, metric.as_error(draws.folds), ratio)
    test = drawn_test(view.observed, view.errors(draws), ratio, view.own)
    return replace(test, is_pooled=True)


def _of_few(
    test: NullTest, pools: list[list[IntArray]], data: EvaluationData
) -> NullTest:
    """Allow for the number of ways in which features can be dealt out to targets."""
    number = math.prod(n_arrangements(own, data.y) for own in pools)
    if number < 2:
        return NullTest(status=TestStatus.NOTHING_MOVES)
    reached = np.unique(np.concatenate([moved(own) for own in pools]))
    return replace(
        test,
        # Of few arrangements the observed one is a fair share, met again or not.
        p_rank=max(test.p_rank, 1 / number),
        min_p_rank=max(test.min_p_rank, 1 / number),
        n_immovable=data.n_samples - reached.size,
    )


def _null_model_test(
    name: str,
    estimates: Estimates,
    other: Estimates,
    metric: Metric,
    view: PooledView | None,
) -> NullTest:
    """Compare with a null model, split by split or with all tests together."""
    if view is None:
        observed = metric.as_error(estimates.measure(metric).folds)
        values = metric.as_error(other.measure(metric).folds)
        return paired_test(observed, values, estimates.plan.test_ratio)
    pairs = zip(other.results, estimates.results, strict=True)
    same = [x.predictions for x, own in pairs if own.predictions is not None]
    known = [predictions for predictions in same if predictions is not None]
    if len(known) < len(same):
        return NullTest(status=TestStatus.MODEL_FAILED)
    is_majority = NULL_MODELS[name].is_constant and estimates.data.is_classification
    return view.compared(view.constant() if is_majority else pool_predictions(known))


def _null_data_test(
    estimates: Estimates,
    metric: Metric,
    draws: Draws,
    view: PooledView | None,
    settings: NullTests,
) -> NullTest | None:
    """Test against null data, or say why there are none."""
    data = estimates.data
    if data.groups is not None:
        # Samples drawn one by one would lack what those of a group have in common, and
        # what groups differ by would pass for a difference of classes.
        none = NullTest(status=TestStatus.GROUPED)
        return none if settings.n_null_data else None
    if not draws.pooled.size:
        return None
    return _drawn_test(estimates, metric, draws, view)


def _density(
    estimates: Estimates,
    metric: Metric,
    draws: Draws,
    permuted: NullTest,
    view: PooledView | None,
) -> PermutationDensity:
    """Count single folds of permuted data that are as good (Eq. 2 of the paper)."""
    if math.isnan(permuted.p_value):
        return PermutationDensity(status=permuted.status)
    if view is not None:
        return PermutationDensity(status=TestStatus.POOLED)
    if estimates.plan.tests_few:
        # Of single samples even a perfect model is matched by every lucky one.
        return PermutationDensity(status=TestStatus.SMALL_SPLITS)
    observed = metric.as_error(estimates.measure(metric).folds)
    known = ~np.isnan(observed)
    if not known.any():
        return PermutationDensity(status=TestStatus.UNDEFINED)
    mean = float(observed[known].mean())
    errors = metric.as_error(draws.folds)[:, known]
    p_value, least = rank_p(mean, errors.ravel())
    return PermutationDensity(p_value=p_value, min_p_value=least)
