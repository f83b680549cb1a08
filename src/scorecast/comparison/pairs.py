"""Two models: which test fits what is known of them, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import (
    check_flag,
    check_from_zero,
    check_one_of,
    check_share,
    check_times,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.result import INPUT, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, RandomState
from scorecast.comparison.bayesian import RopePosterior
from scorecast.comparison.effect_sizes import EffectSize, effect_size
from scorecast.comparison.mcnemar import PairedCounts
from scorecast.comparison.paired_tests import (
    PAIR_TESTS,
    Estimand,
    Grouping,
    PairData,
    PairOutcome,
    PairTest,
    TestSettings,
    t_outcome,
)
from scorecast.evaluation import (
    METRICS,
    PROPORTION_INTERVALS,
    Metric,
    Needs,
    Predictions,
    ProportionMethod,
    clustered_wilson,
)
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
)

_FEW_GROUPS = 5  # below which the interval leans on sums of groups being normal
_LEAST_SAMPLES = 20  # rows: fewer that tie may well be data sets
_MANY_ROWS = 200  # more are hardly data sets
_MANY_TIES = 0.25  # share of differences of nought from which they are single items


class Verdict(StrEnum):
    """What a comparison of two models comes to."""

    FIRST_BETTER = "first-better"
    SECOND_BETTER = "second-better"
    UNDECIDED = "undecided"
    SAME = "same"


class Reason(StrEnum):
    """Why something was chosen; the view has the sentence."""

    ASKED = "asked"
    ONE_COMPARISON = "one-comparison"
    DATASETS = "datasets"
    SPLITS_OVERLAP = "splits-overlap"
    RIGHT_OR_WRONG = "right-or-wrong"
    LOOK_LIKE_SAMPLES = "look-like-samples"
    IN_GROUPS = "in-groups"
    BY_UNITS = "by-units"
    FIVE_BY_TWO = "five-by-two"
    SCORES = "scores"
    INDEPENDENT_VALUES = "independent-values"
    TWO_MODELS = "two-models"
    OTHERS_DO_NOT_MATTER = "others-do-not-matter"
    TOO_FEW_FOR_SIGNED_RANKS = "too-few-for-signed-ranks"
    DEFINED_FOR_RANKS = "defined-for-ranks"
    MOST_POWERFUL = "most-powerful"
    TOO_MANY_MODELS = "too-many-models"
    VALID_ALWAYS = "valid-always"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Something that was chosen, and why.

    Attributes
    ----------
    what : {"rows", "control", "test", "post_hoc"}
        What was to be chosen.
    name : str
        What it came to.
    reason : Reason
        Why.
    n_needed : int or None
        How many rows another choice would have taken.
    """

    what: Literal["rows", "control", "test", "post_hoc"]
    name: str
    reason: Reason
    n_needed: int | None = None


class NoteCode(StrEnum):
    """What the reader of a comparison must know; the view has the sentences."""

    ROWS_LEFT_OUT = "rows-left-out"
    SAMPLES_LEFT_OUT = "samples-left-out"
    REPEATS_AVERAGED = "repeats-averaged"
    REPEATED_NAMES_AVERAGED = "repeated-names-averaged"
    REPEATED_NAMES_GROUPED = "repeated-names-grouped"
    SHARED_ROW_NAMES = "shared-row-names"
    DOUBTFUL_ROW_NAMES = "doubtful-row-names"
    ODD_SCALE = "odd-scale"
    PERCENT_AMONG_SHARES = "percent-among-shares"
    UNCORRECTED = "uncorrected"
    CANNOT_REACH = "cannot-reach"
    FEW_DATASETS = "few-datasets"
    FEW_GROUPS = "few-groups"
    ALL_EQUAL = "all-equal"
    UNKNOWN_P = "unknown-p"
    UNSEEN_LABELS = "unseen-labels"


@dataclass(frozen=True, kw_only=True)
class MeanDifference:
    """A mean, where the median of differences is 0 and so hides what p found.

    Attributes
    ----------
    mean, low, high : float
        First less second, with Student's interval.
    n_zero, n : int
        Differences that are 0, and all.
    """

    mean: float
    low: float
    high: float
    n_zero: int
    n: int

    def turned(self) -> MeanDifference:
        """Return the same of the second less the first."""
        low, high = 0.0 - self.high, 0.0 - self.low
        return replace(self, mean=0.0 - self.mean, low=low, high=high)


def mean_beside(
    effect: EffectSize, gaps: FloatArray, level: float, *, is_told: bool
) -> MeanDifference | None:
    """Return the mean difference, if models differ and yet their median is 0."""
    differ = bool(effect.wins or effect.losses)
    has_no_width = effect.low == effect.high == 0
    if not (differ and effect.difference == 0 and (is_told or has_no_width)):
        return None
    found = t_outcome(gaps, 0.0, level)
    return MeanDifference(
        mean=found.difference,
        low=found.low,
        high=found.high,
        n_zero=int((gaps == 0).sum()),
        n=gaps.size,
    )


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """Share of right samples of one model, with its interval; in groups a wider one."""

    estimate: float = field(metadata=SHARE)
    low: float = field(metadata=SHARE)
    high: float = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairComparison(Result):
    """What a test says of two models.

    Attributes
    ----------
    names : tuple of str
        The models; differences are the first less the second.
    n_rows : int
        Pairs of values: data sets, splits or samples.
    n_groups : int or None
        Groups of samples that belong together; None where each is by itself.
    counts : PairedCounts or None
        Samples by which model gets them right, where they are right or wrong.
    test : str
        One of `PAIR_TESTS`.
    metric : str or None
        The metric, where it was asked for by its name.
    interval : str
        One of `PROPORTION_INTERVALS`: of the accuracies.
    confidence_level : float
        Level of all intervals; one less it is the level of the test.
    greater_is_better : bool
        Which way is better.
    test_ratio : float or None
        Samples tested per sample trained on, for the corrected t-test.
    rope : float or None
        Half the width of the region of practical equivalence.
    seed : int or None
        The random state, where it was a number.
    accuracies : tuple of Accuracy or None
        Of each model, where samples are right or wrong.
    effect : EffectSize
        The difference with its interval, and how large it is.
    estimand : Estimand
        What the difference is one of.
    statistic, p_value : float
        Of the test; two-sided. NaN where they are unknown.
    df : tuple of float
        Degrees of freedom, where there are any.
    direction : int
        Which way the test points: 1 where the first is higher, -1 where it is lower,
        0 where it does not say. A difference of 0 need not mean the last.
    verdict : Verdict
        Which model is better, if that can be told.
    posterior : RopePosterior or None
        Chances around the region of practical equivalence, if one was given.
    mean : MeanDifference or None
        Where the median of differences is 0 although they differ.
    choices : tuple of Choice
        Why this test.
    smallest_p : float or None
        The least that p can be, where models are exchanged.
    n_exchanges : int or None
        How many exchanges were drawn; None where all of them were gone through.
    is_spread_known : bool
        Whether differences vary, so that p can be known.
    is_first_fold_contrary : bool
        Whether the fold that p is about and the mean of all point opposite ways.
    is_approximation_good : bool
        Whether there are as many samples as the p-value of this test asks for.
    notes : tuple of Note
        What else the reader must know; codes are those of `NoteCode`.
    """

    kind: ClassVar[str] = "pair-comparison"

    names: tuple[str, str] = field(metadata=INPUT)
    n_rows: int = field(metadata=INPUT)
    n_groups: int | None = field(metadata=INPUT)
    counts: PairedCounts | None = field(metadata=INPUT)
    test: str = field(metadata=OPTION)
    metric: str | None = field(metadata=OPTION)
    interval: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    greater_is_better: bool = field(metadata=OPTION)
    test_ratio: float | None = field(metadata=OPTION)
    rope: float | None = field(metadata=OPTION)
    seed: int | None = field(metadata=OPTION)
    accuracies: tuple[Accuracy, Accuracy] | None
    effect: EffectSize
    estimand: Estimand
    statistic: float
    p_value: float = field(metadata=SHARE)
    df: tuple[float, ...]
    direction: int
    verdict: Verdict
    posterior: RopePosterior | None
    mean: MeanDifference | None
    choices: tuple[Choice, ...]
    smallest_p: float | None = field(metadata=SHARE)
    n_exchanges: int | None
    is_spread_known: bool
    is_first_fold_contrary: bool
    is_approximation_good: bool
    notes: tuple[Note, ...]

    @property
    def difference(self) -> float:
        """First less second."""
        return self.effect.difference

    @property
    def is_significant(self) -> bool:
        """Whether the models are told apart at the level."""
        return self.better is not None

    @property
    def better(self) -> str | None:
        """The better model, if they are told apart."""
        first, second = self.names
        winners = {Verdict.FIRST_BETTER: first, Verdict.SECOND_BETTER: second}
        return winners.get(self.verdict)

    def better_first(self) -> tuple[str, str, EffectSize]:
        """Return the models, the better first if told apart, with their difference."""
        first, second = self.names
        if self.verdict is Verdict.SECOND_BETTER:
            return second, first, self.effect.turned()
        return first, second, self.effect

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row: the test and every effect size."""
        row = {
            "a": self.names[0],
            "b": self.names[1],
            "test": self.test,
            "statistic": self.statistic,
            "p_value": self.p_value,
            **asdict(self.effect),
        }
        if self.posterior is not None:
            row |= asdict(self.posterior)
        return {name: [value] for name, value in row.items()}


@checked_keywords
def compare_pair(
    a: ArrayLike,
    b: ArrayLike,
    y_true: ArrayLike | None = None,
    *,
    scoring: Callable[[Any, Any], float] | str | None = None,
    groups: ArrayLike | None = None,
    row_names: ArrayLike | None = None,
    test: str = "auto",
    test_ratio: float | None = None,
    names: tuple[str, str] = ("a", "b"),
    greater_is_better: bool | None = None,
    interval: str = "wilson",
    confidence_level: float = 0.95,
    rope: float | None = None,
    n_resamples: int = 4999,
    nan_policy: str = "raise",
    random_state: RandomState = 0,
) -> PairComparison:
    r"""Compare two models.

    What the values are decides which tests fit:

    - one result per data set (independent): ``wilcoxon`` [1]_, ``sign``, ``paired-t``;
      200 or more, or many that tie, are taken as samples, whose mean is what counts;
    - one result per split of one data set: ``corrected-t`` [2]_ with `test_ratio`;
    - five times two folds, shape (5, 2): ``5x2cv-f``, ``5x2cv-t``;
    - right or wrong on the same samples: ``mcnemar-mid-p`` [3]_ and its kin; give
      booleans or 0 and 1, or predictions with `y_true`;
    - scores of the positive class with a `y_true` of two classes, and no `scoring` but
      ``roc_auc``: ``delong`` [4]_;
    - a value per sample, or predictions with `y_true` and any `scoring`:
      ``permutation``, ``bootstrap``, by `groups` too; of means by `groups` first
      ``clustered-t``, as for many models.

    With :math:`n_{10}` samples that only the first model gets right and :math:`n_{01}`
    that only the second does, the mid-p value is

    .. math:: p = P(X \le m) + P(X \le m - 1),
              \quad X \sim B(n_{10} + n_{01}, 1/2), \quad m = \min(n_{10}, n_{01}).

    Parameters
    ----------
    a, b : array-like
        Values of both models, in the same order.
    y_true : array-like of shape (n,), optional
        What is true, where `a` and `b` are predictions or scores. Labels are compared
        as right or wrong; predictions that are numbers need a `scoring`.
    scoring : callable or str, optional
        One of `METRICS`, or any function of `y_true` and predictions that gives a
        number. Scores and probabilities are those of the class that sorts last.
        Metrics that are means of samples go with tests of values; the others with
        ``permutation`` and ``bootstrap``, and ``roc_auc`` with ``delong``, too.
    groups : array-like of shape (n,), optional
        Samples that belong together: ``bootstrap`` and ``permutation`` draw or exchange
        them as a whole, ``clustered-t`` allows for what they share; ``wilcoxon``,
        ``sign`` and ``paired-t`` compare means of groups; other tests refuse them.
    row_names : array-like of shape (n,), optional
        Names of the items: rows of one name are repeats of one item, and taken as a
        group, but for splits.
    test : str, default="auto"
        One of `PAIR_TESTS`; ``"auto"`` takes the first that fits, and says why.
    test_ratio : float, optional
        Samples tested per sample trained on, such as 1/9 for ten folds.
    names : tuple of str, default=("a", "b")
        What to call the models.
    greater_is_better : bool, optional
        Which way is better; as a metric by its name has it, else greater.
    interval : str, default="wilson"
        Of the accuracy of each model; one of `PROPORTION_INTERVALS`.
    confidence_level : float, default=0.95
        Level of all intervals; one less it is the level of the test.
    rope : float, optional
        Half the width of a region of practical equivalence; adds the chances of a
        Bayesian test of the same question. Not for ``delong``, nor with metrics that
        are no means of samples.
    n_resamples : int, default=4999
        Resamples or exchanges.
    nan_policy : {"raise", "omit"}, default="raise"
        Whether rows that lack something are refused or left out.
    random_state : int, Generator or None, default=0
        Seed of resamples, and of the draws for `rope`.

    Returns
    -------
    PairComparison
        Difference with its interval, p-value, effect sizes, verdict.

    Raises
    ------
    InsufficientDataError
        If there are too few values for the test ever to tell models apart; says how
        many it needs.
    UsageError
        If the test could not use a truth, a metric or groups that are given.

    References
    ----------
    .. [1] F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics
       Bulletin 1.
    .. [2] C. Nadeau and Y. Bengio (2003). Inference for the generalization error.
       Machine Learning 52.
    .. [3] M. W. Fagerland, S. Lydersen and P. Laake (2013). The McNemar test for binary
       matched-pairs data: mid-p and asymptotic are better than exact conditional. BMC
       Medical Research Methodology 13.
    .. [4] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988). Comparing the
       areas under two or more correlated receiver operating characteristic curves.
       Biometrics 44.

    Examples
    --------
    >>> y_true = ["cat"] * 20
    >>> new, old = ["cat"] * 19 + ["dog"], ["cat"] * 11 + ["dog"] * 9
    >>> found = compare_pair(new, old, y_true, names=("new", "old"))
    >>> found.better, round(found.difference, 6), round(found.p_value, 4)
    ('new', 0.4, 0.0039)
    """
    called = _check_names(names)
    asked = None if test == "auto" else PAIR_TESTS.choose(test, parameter="test")
    bounds = PROPORTION_INTERVALS.choose(interval, parameter="interval")
    level = check_share(confidence_level, "confidence_level", is_open=True)
    if test_ratio is not None:
        check_from_zero(test_ratio, "test_ratio", "1/9")
    if rope is not None:
        check_from_zero(rope, "rope")
    check_times(n_resamples, "n_resamples", least=99)
    check_one_of(nan_policy, "nan_policy", ("raise", "omit"))
    metric = None
    if isinstance(scoring, str):
        metric = METRICS.choose(scoring, parameter="scoring")
    if scoring is not None and y_true is None:
        problem = "is needed: a metric compares predictions with what is true"
        raise UsageError(problem, parameter="y_true")
    repeats: tuple[Note, ...] = ()
    is_of_splits = test_ratio is not None or (asked is not None and asked.is_of_folds)
    if row_names is not None and groups is None and not is_of_splits:
        n_names = len(set(np.asarray(row_names).tolist()))
        if n_names < np.size(row_names):
            groups = row_names
            repeats = (Note(code=NoteCode.REPEATED_NAMES_GROUPED, count=n_names),)
    given, notes = _check_pair(a, b, y_true, groups, omit=nan_policy == "omit")
    data = replace(given, metric=scoring) if callable(scoring) else given
    if metric is not None:
        data = measured(data, metric)
    is_greater = _direction(greater_is_better, metric)
    is_five_by_two = np.shape(a) == (5, 2)
    chosen, reason = _choose(asked, data, metric, test_ratio, is_five_by_two)
    if metric is not None and chosen.own_metric == metric.name:
        data = replace(data, metric=None)  # the test has it at its heart
    _refuse_direction(chosen, data, is_greater=is_greater)
    _refuse_rope(chosen, data, rope)
    taken = chosen.fit(data)
    _refuse_few(chosen, taken, 1 - level, is_grouped=data.groups is not None)
    how = TestSettings(
        confidence_level=level,
        test_ratio=test_ratio,
        n_resamples=n_resamples,
        rng=as_generator(random_state),
    )
    outcome = chosen.run(taken, how)
    is_of_metric = metric is not None or data.metric is not None
    estimand = chosen.estimand
    if is_of_metric and estimand is Estimand.MEAN:
        estimand = Estimand.METRIC
    if metric is not None and estimand is Estimand.METRIC:
        span = metric.high_for(2) - metric.low  # no two values lie farther apart
        low, high = max(outcome.low, -span), min(outcome.high, span)
        outcome = replace(outcome, low=low, high=high)
    effect = effect_size(
        chosen.values_of(taken),
        (outcome.difference, outcome.low, outcome.high),
        greater_is_better=is_greater,
    )
    verdict = _verdict(outcome, effect, 1 - level, is_greater=is_greater)
    mean = None
    if estimand in (Estimand.MEDIAN, Estimand.PSEUDO_MEDIAN):
        is_told = verdict in (Verdict.FIRST_BETTER, Verdict.SECOND_BETTER)
        mean = mean_beside(effect, taken.gaps, level, is_told=is_told)
    counts, accuracies = _accuracies(chosen, data, bounds, level)
    unseen = _unseen_labels(chosen, data)
    return PairComparison(
        names=called,
        n_rows=data.n,
        n_groups=None if data.groups is None else data.n_units,
        counts=counts,
        test=chosen.name,
        metric=None if metric is None else metric.name,
        interval=bounds.name,
        confidence_level=level,
        greater_is_better=is_greater,
        test_ratio=test_ratio if chosen.name == "corrected-t" else None,
        rope=rope,
        seed=seed_number(random_state),
        accuracies=accuracies,
        effect=effect,
        estimand=estimand,
        statistic=outcome.statistic,
        p_value=outcome.p_value,
        df=outcome.df,
        direction=outcome.direction,
        verdict=verdict,
        posterior=None if rope is None else posterior_of(chosen, taken, rope, how),
        mean=mean,
        choices=(Choice(what="test", name=chosen.name, reason=reason),),
        smallest_p=outcome.smallest_p,
        n_exchanges=outcome.n_exchanges,
        is_spread_known=outcome.is_spread_known,
        is_first_fold_contrary=outcome.is_first_fold_contrary,
        is_approximation_good=outcome.is_approximation_good,
        notes=(*notes, *repeats, *few_groups(chosen, data.groups), *unseen),
    )


def few_groups(test: PairTest, groups: Collection[Any] | None) -> tuple[Note, ...]:
    """Say so where sums of so few groups may not be normal, as the test has it."""
    n = len(set(groups)) if groups is not None else _FEW_GROUPS
    if n >= _FEW_GROUPS or test.grouping is not Grouping.REQUIRED:
        return ()
    return (Note(code=NoteCode.FEW_GROUPS, count=n),)


# What is given ---------------------------------------------------------------------


def _check_names(names: object) -> tuple[str, str]:
    """Return the names of two models, if there are two different ones."""
    texts = [str(x) for x in names] if isinstance(names, list | tuple) else []
    if len(texts) != 2 or texts[0] == texts[1] or not all(texts):
        problem = f"must be two different names, such as ('a', 'b'); got {names!r}"
        raise UsageError(problem, parameter="names")
    return texts[0], texts[1]


def _check_pair(
    a: ArrayLike,
    b: ArrayLike,
    y_true: ArrayLike | None,
    groups: ArrayLike | None,
    *,
    omit: bool,
) -> tuple[PairData, tuple[Note, ...]]:
    """Return what is given of two models as vectors without holes."""
    first, second = np.asarray(a), np.asarray(b)
    if first.shape != second.shape or first.size == 0 or first.ndim > 2:
        raise InvalidInputError(
            "must hold as many values as the other model, in the same order; got "
            f"shapes {first.shape} and {second.shape}",
            parameter="a",
        )
    columns: dict[str, NDArray[Any]] = {"a": first.ravel(), "b": second.ravel()}
    for name, values in (("y_true", y_true), ("groups", groups)):
        if values is not None:
            columns[name] = np.asarray(values)
            if columns[name].shape != (first.size,):
                raise InvalidInputError(
                    f"must hold one entry for each of {first.size:,} values; got "
                    f"shape {columns[name].shape}",
                    parameter=name,
                )
    missing = {name: missing_in(values) for name, values in columns.items()}
    notes: tuple[Note, ...] = ()
    for name, where in missing.items():
        if where.any() and not omit:
            raise InvalidInputError(
                f"lacks {int(where.sum()):,} value(s)",
                parameter=name,
                location=Location(row=int(np.argmax(where)) + 1),
                remedy="fill them, or remove those rows from all that is given",
            )
    kept = ~np.any(list(missing.values()), axis=0)
    if not kept.all():
        if not kept.any():
            problem = "no row has all that is compared"
            raise InsufficientDataError(problem, parameter="a")
        columns = {name: _plain_kind(x[kept]) for name, x in columns.items()}
        lost = int((~kept).sum())
        code = NoteCode.SAMPLES_LEFT_OUT
        notes = (Note(code=code, count=lost, total=first.size),)
    data = PairData(
        first=columns["a"],
        second=columns["b"],
        truth=columns.get("y_true"),
        groups=columns.get("groups"),
    )
    return data, notes


def missing_in(values: NDArray[Any]) -> BoolArray:
    """Tell which values are missing: NaN, None, or empty text."""
    if values.dtype.kind == "f":
        is_nan: BoolArray = np.isnan(values)
        return is_nan
    if values.dtype.kind in "US":
        found: BoolArray = values == ("" if values.dtype.kind == "U" else b"")
        return found
    if values.dtype.kind == "O":
        return np.array([x is None or x != x or x == "" for x in values], dtype=bool)
    return np.zeros(values.shape, dtype=bool)


def _plain_kind(values: NDArray[Any]) -> NDArray[Any]:
    """Let numbers be numbers again, once what was missing among them is gone."""
    return np.array(values.tolist()) if values.dtype.kind == "O" else values


# A metric ----------------------------------------------------------------------------


def measured(data: PairData, metric: Metric) -> PairData:
    """Measure two models by a metric.

    Parameters
    ----------
    data : PairData
        Predictions of both, with what is true.
    metric : Metric
        Any of `METRICS`.

    Returns
    -------
    PairData
        Values of samples where the metric is their mean; else predictions, coded, with
        the metric as a function of them.

    Raises
    ------
    InvalidInputError
        If the models do not say what the metric takes.
    UsageError
        If there is no truth.
    """
    if data.truth is None:
        problem = "is needed: a metric compares predictions with what is true"
        raise UsageError(problem, parameter="y_true")
    truth, said, n_classes = _coded(data, data.truth, metric)

    def predictions(y: NDArray[Any], x: NDArray[Any]) -> Predictions:
        scores = None
        if metric.needs is Needs.SCORES:
            scores = np.column_stack([np.zeros(x.size), x])
        elif metric.needs is Needs.PROBABILITIES:
            scores = np.column_stack([1 - x, x])
        return Predictions(
            truth=y,
            predicted=x,
            scores=scores,
            is_probability=metric.needs is Needs.PROBABILITIES,
            n_classes=n_classes,
            scale=float(np.ptp(truth)) if n_classes == 0 else np.nan,
        )

    if metric.per_sample is None:
        return replace(
            data,
            first=said[0],
            second=said[1],
            truth=truth,
            metric=lambda y, x: metric.measure(predictions(y, x), absent="ignore"),
        )
    values = [metric.per_sample(predictions(truth, x)) + 0.0 for x in said]
    if not all(np.isfinite(x).all() for x in values):
        raise InvalidInputError(
            f"the {metric.title} is infinite or undefined for some samples: what came "
            "true was given a chance of 0"
            if metric.needs is Needs.PROBABILITIES
            else f"the {metric.title} is undefined for some samples",
            parameter="scoring",
            remedy="keep probabilities off 0 and 1, or take brier_score"
            if metric.needs is Needs.PROBABILITIES
            else "take another metric",
        )
    return replace(data, first=values[0], second=values[1], truth=None)


def _coded(
    data: PairData, truth: NDArray[Any], metric: Metric
) -> tuple[NDArray[Any], list[NDArray[Any]], int]:
    """Return truth and predictions as the metric takes them, and the classes."""
    if metric.needs is Needs.LABELS:
        data.right()  # refuses numbers that are no labels
        joined = np.concatenate([truth, data.first, data.second])
        classes, codes = np.unique(joined, return_inverse=True)
        y, first, second = np.split(codes, 3)
        return y, [first, second], classes.size
    said = list(data.numbers)
    if metric.needs is Needs.NUMBERS:
        if truth.dtype.kind not in "fiub":
            problem = f"must hold numbers for {metric.name}; it holds text"
            raise InvalidInputError(problem, parameter="y_true")
        return truth.astype(np.float64), [*said], 0
    classes = np.unique(truth)
    if classes.size != 2:
        problem = f"has {classes.size} classes; {metric.name} is for two"
        raise InvalidInputError(problem, parameter="y_true")
    if metric.needs is Needs.PROBABILITIES:
        for name, values in zip(("a", "b"), said, strict=True):
            bad = (values < 0) | (values > 1)
            if bad.any():
                raise InvalidInputError(
                    f"must hold probabilities of {str(classes[1])!r}, from 0 to 1, "
                    f"for {metric.name}; got {values[bad][0]:g}",
                    parameter=name,
                    location=Location(row=int(np.argmax(bad)) + 1),
                )
    return (truth == classes[1]).astype(np.int64), [*said], 2


def _direction(asked: bool | None, metric: Metric | None) -> bool:
    """Return which way is better, as the caller or the metric has it."""
    if asked is not None:
        check_flag(asked, "greater_is_better")
    if metric is None:
        return asked is None or bool(asked)
    if asked is not None and bool(asked) != metric.greater_is_better:
        way = "greater" if metric.greater_is_better else "less"
        raise UsageError(
            f"of {metric.name}, {way} is better",
            parameter="greater_is_better",
            remedy="leave the direction out",
        )
    return metric.greater_is_better


# Which test ------------------------------------------------------------------------


def _choose(
    asked: PairTest | None,
    data: PairData,
    metric: Metric | None,
    test_ratio: float | None,
    is_five_by_two: bool,
) -> tuple[PairTest, Reason]:
    """Return the test, and why."""
    if asked is not None:
        if metric is not None and not _goes_with(asked, metric):
            fitting = [x.name for x in PAIR_TESTS.values() if _goes_with(x, metric)]
            raise UsageError(
                f"the {asked.name} test does not go with {metric.name}",
                parameter="test",
                remedy=f"use {', '.join(fitting[:-1])} or {fitting[-1]}",
            )
        return asked, Reason.ASKED
    name, reason = "wilcoxon", Reason.INDEPENDENT_VALUES
    if data.groups is not None and data.metric is None:
        name, reason = "clustered-t", Reason.IN_GROUPS
    elif data.groups is None and _are_areas(data, metric):
        name, reason = "delong", Reason.SCORES
    elif metric is not None or data.metric is not None:
        name, reason = "permutation", Reason.BY_UNITS
    elif is_five_by_two:
        name, reason = "5x2cv-f", Reason.FIVE_BY_TWO
    elif test_ratio is not None and data.truth is None:
        name, reason = "corrected-t", Reason.SPLITS_OVERLAP
    elif data.are_labels:
        name, reason = "mcnemar-mid-p", Reason.RIGHT_OR_WRONG
    elif data.truth is not None:
        name, reason = "delong", Reason.SCORES
    elif look_like_samples(data.gaps):
        name, reason = "permutation", Reason.LOOK_LIKE_SAMPLES
    return PAIR_TESTS[name], reason


def _goes_with(test: PairTest, metric: Metric) -> bool:
    """Tell whether a test can compare models by a metric."""
    takes_values = test.grouping in (Grouping.MEANS, Grouping.REQUIRED)
    takes_it = test.takes_metric or test.own_metric == metric.name
    return takes_it or (metric.is_mean_of_samples and takes_values)


def _are_areas(data: PairData, metric: Metric | None) -> bool:
    """Tell whether areas are asked for by name, of classes DeLong's test takes."""
    own = PAIR_TESTS["delong"].own_metric
    if metric is None or metric.name != own or data.truth is None:
        return False
    return int(np.unique(data.truth, return_counts=True)[1].min()) > 1


def look_like_samples(gaps: FloatArray) -> bool:
    """Tell whether values are of single samples, whose mean is what counts.

    Parameters
    ----------
    gaps : ndarray of shape (n,) or (n, n_pairs)
        Differences of models on the same rows.

    Returns
    -------
    bool
        Whether there are more rows than anyone has data sets, or a quarter or more of
        the differences on twenty rows or more are nought, as on items that both models
        get right: results on data sets hardly ever tie.
    """
    n = len(gaps)
    ties = float((gaps == 0).mean())
    return n >= _MANY_ROWS or (n >= _LEAST_SAMPLES and _MANY_TIES <= ties < 1)


def _refuse_few(
    test: PairTest, data: PairData, alpha: float, *, is_grouped: bool
) -> None:
    """Refuse so few values that the test could never tell models apart."""
    by_unit = test.grouping in (Grouping.UNITS, Grouping.REQUIRED)
    n = data.n_units if by_unit else data.n
    needed = test.min_samples(alpha)
    if n < needed:
        what = "group" if is_grouped else "pair of values"
        what = what if n == 1 else "groups" if is_grouped else "pairs of values"
        is_less_asked = is_grouped and n > 1 and data.metric is None
        raise InsufficientDataError(
            f"{n:,} {what} cannot tell two models apart: the {test.name} test needs "
            f"at least {needed:,} for confidence {1 - alpha:g}",
            parameter="groups" if is_grouped else "a",
            remedy="use clustered-t, which takes two" if is_less_asked else None,
            option="test" if is_less_asked else None,
        )


def _refuse_direction(test: PairTest, data: PairData, *, is_greater: bool) -> None:
    """Right is better than wrong: only values and metrics can have it otherwise."""
    if is_greater or data.truth is None or data.metric is not None:
        return
    if test.estimand is Estimand.AUC or data.are_labels:
        raise UsageError(
            "less cannot be better of labels or scores beside what is true: to be "
            "right is better",
            parameter="greater_is_better",
            remedy="for a loss, name the metric or give its values",
        )


def _refuse_rope(test: PairTest, data: PairData, rope: float | None) -> None:
    """Refuse a region of practical equivalence that there is no Bayesian test for."""
    if rope is None or (test.posterior is not None and data.metric is None):
        return
    what = "areas under curves" if test.estimand is Estimand.AUC else "a metric"
    if data.metric is None and test.estimand is not Estimand.AUC:
        what = f"the {test.name} test"
    raise UsageError(
        f"there is no Bayesian test of {what}",
        parameter="rope",
        remedy="leave it out, and read the interval",
    )


# What comes out --------------------------------------------------------------------


def _verdict(
    outcome: PairOutcome, effect: EffectSize, alpha: float, *, is_greater: bool
) -> Verdict:
    """Say which model is better, if that can be told."""
    if outcome.direction != 0 and outcome.p_value <= alpha + 1e-12:
        is_first = (outcome.direction > 0) == is_greater
        return Verdict.FIRST_BETTER if is_first else Verdict.SECOND_BETTER
    is_same = effect.wins == effect.losses == 0 and effect.difference == 0
    return Verdict.SAME if is_same else Verdict.UNDECIDED


def posterior_of(
    test: PairTest, data: PairData, rope: float, how: TestSettings
) -> RopePosterior | None:
    """Return the chances around a region of practical equivalence."""
    if test.posterior is None:
        return None
    values = data.as_values()
    fixed = test.test_ratio
    ratio = (how.test_ratio or 0.0) if fixed is None else fixed
    return test.posterior.evaluate(values.gaps, rope, values.unit, ratio, how.rng)


def _unseen_labels(test: PairTest, data: PairData) -> tuple[Note, ...]:
    """Say so where labels were predicted that are never true."""
    if data.metric is not None or test.estimand is Estimand.AUC:
        return ()
    names = data.unseen_labels
    if not names:
        return ()
    return (Note(code=NoteCode.UNSEEN_LABELS, names=names[:3], count=len(names)),)


def _accuracies(
    test: PairTest, data: PairData, method: ProportionMethod, level: float
) -> tuple[PairedCounts | None, tuple[Accuracy, Accuracy] | None]:
    """Count right samples and bound the accuracy of each model, where there is one."""
    is_labelled = data.truth is not None and data.metric is None and data.are_labels
    if test.estimand is Estimand.AUC or not (test.needs_labels or is_labelled):
        return None, None
    found = []
    for right in data.right():
        count = int(right.sum())
        low, high = method.bounds(count, data.n, level)
        if data.groups is not None and data.n_units > 1:
            counts = np.bincount(data.unit, weights=right).astype(np.float64)
            low, high, _ = clustered_wilson(counts, np.bincount(data.unit), level)
        found.append(Accuracy(estimate=count / data.n, low=low, high=high))
    return PairedCounts.of(data), (found[0], found[1])
