"""Many models: choose tests that fit, do them on all pairs, say why."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from scorecast._core.checks import (
    check_flag,
    check_from_zero,
    check_one_of,
    check_share,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import track
from scorecast._core.result import INPUT, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.comparison.bayesian import (
    BAYESIAN_BOOTSTRAP,
    Posterior,
    RopePosterior,
)
from scorecast.comparison.effect_sizes import EffectSize, differences, effect_size
from scorecast.comparison.paired_tests import (
    PAIR_TESTS,
    Estimand,
    Grouping,
    PairData,
    PairTest,
    RowKind,
    TestSettings,
)
from scorecast.comparison.pairs import (
    Choice,
    MeanDifference,
    NoteCode,
    Reason,
    few_groups,
    look_like_samples,
    mean_beside,
)
from scorecast.comparison.post_hoc import (
    POST_HOC,
    PostHoc,
    cliques,
    critical_difference,
    least_rows,
)
from scorecast.comparison.rank_tests import (
    OMNIBUS_TESTS,
    RANK_DIGIT,
    OmnibusOutcome,
    has_ties,
    normal_p,
    plain_z,
    row_ranks,
    smallest_omnibus_p,
    standing,
)
from scorecast.comparison.results_table import ResultsTable, results_table
from scorecast.comparison.signed_ranks import pseudo_median
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    UsageError,
    listed,
    quoted,
)

_FEW_DATASETS = 10  # below which p-values of mean ranks are approximate
_MOST_MODELS = 200  # whose pairs are all gone through: learners are compared by tens


@dataclass(frozen=True, kw_only=True)
class ModelPair:
    """Two of the models.

    Attributes
    ----------
    a, b : str
        The models; differences are `a` less `b`.
    p_value : float
        Two-sided p-value of this pair alone; NaN where no test was possible.
    p_adjusted : float
        The same for all pairs together: the family-wise level at which it is rejected.
    direction : int
        Which way the test points: 1 where `a` is higher, -1 where `b` is, 0 where it
        does not say. A difference of 0 need not mean the last.
    effect : EffectSize
        How large the difference is; its interval is for this pair alone.
    posterior : RopePosterior or None
        Around the region of practical equivalence, if one was given.
    mean : MeanDifference or None
        Where the pseudo-median of differences is 0 although they differ.
    """

    a: str
    b: str
    p_value: float = field(metadata=SHARE)
    p_adjusted: float = field(metadata=SHARE)
    direction: int
    effect: EffectSize
    posterior: RopePosterior | None = None
    mean: MeanDifference | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(Result):
    """Which models differ, with the chance of any false claim controlled.

    Attributes
    ----------
    models : tuple of str
        The models, in the order of the table.
    rows : RowKind
        What the rows are.
    n_rows : int
        Data sets, splits or samples.
    n_groups : int or None
        Groups of samples that belong together; None where rows are by themselves.
    metric : str or None
        What was measured, if it is known.
    test, post_hoc : str
        How pairs were tested, and how their p-values were adjusted.
    control : str or None
        The model that all others are compared with.
    greater_is_better : bool
        Which way is better.
    confidence_level : float
        1 minus the family-wise error rate; level of intervals.
    test_ratio : float or None
        Samples tested per sample trained on, of splits.
    rope : float or None
        Half the width of the region of practical equivalence.
    seed : int or None
        The random state, where it was a number.
    ranks : dict of str to float
        Mean rank of each model; 1 is best.
    means, medians : dict of str to float
        Mean and median result of each.
    omnibus : tuple of OmnibusOutcome
        Tests of all models at once, the quoted one first; empty where none fits.
    pairs : tuple of ModelPair
        All pairs, or all models against the control.
    cliques : tuple of tuple of str
        Models that nothing tells apart, for the bars of the diagram; empty with a
        control.
    critical_difference : float or None
        Of mean ranks, by Nemenyi, or by Bonferroni and Dunn with a control.
    choices : tuple of Choice
        Why these tests.
    notes : tuple of Note
        What the reader must know; codes are those of `NoteCode`.
    """

    kind: ClassVar[str] = "comparison"

    models: tuple[str, ...] = field(metadata=INPUT)
    rows: RowKind = field(metadata=INPUT)
    n_rows: int = field(metadata=INPUT)
    n_groups: int | None = field(metadata=INPUT)
    metric: str | None = field(metadata=OPTION)
    test: str = field(metadata=OPTION)
    post_hoc: str = field(metadata=OPTION)
    control: str | None = field(metadata=OPTION)
    greater_is_better: bool = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    test_ratio: float | None = field(metadata=OPTION)
    rope: float | None = field(metadata=OPTION)
    seed: int | None = field(metadata=OPTION)
    ranks: dict[str, float]
    means: dict[str, float]
    medians: dict[str, float]
    omnibus: tuple[OmnibusOutcome, ...]
    pairs: tuple[ModelPair, ...]
    cliques: tuple[tuple[str, ...], ...]
    critical_difference: float | None
    choices: tuple[Choice, ...]
    notes: tuple[Note, ...]

    @property
    def alpha(self) -> float:
        """The family-wise error."""
        return 1 - self.confidence_level

    @property
    def is_of_means(self) -> bool:
        """Whether models stand by their means: values of samples, not 0 and 1."""
        is_mean = PAIR_TESTS[self.test].estimand is Estimand.MEAN
        return self.rows is RowKind.SAMPLES and is_mean

    @property
    def stands_by_means(self) -> bool:
        """Whether the mean is what is told of a model: of samples, 0 and 1 too.

        Right or wrong, mean ranks put models in the order of their means.
        """
        is_counted = PAIR_TESTS[self.test].estimand is Estimand.PROPORTION
        return self.is_of_means or (self.rows is RowKind.SAMPLES and is_counted)

    @property
    def order(self) -> tuple[str, ...]:
        """The models from the best mean rank to the worst; shared ones by the mean.

        Values of samples: from the best mean to the worst.
        """
        ranks, means = [*self.ranks.values()], [*self.means.values()]
        if self.is_of_means:
            ranks = [0.0] * len(ranks)
        is_greater = self.greater_is_better
        places = standing(ranks, means, greater_is_better=is_greater)
        return tuple(self.models[i] for i in places)

    @property
    def best(self) -> str:
        """The first in `order`."""
        return self.order[0]

    @property
    def bests(self) -> tuple[str, ...]:
        """All models that share the best mean rank, or the best mean of samples."""
        if self.is_of_means:
            top = self.means[self.best]
            return tuple(name for name in self.order if self.means[name] == top)
        least = min(self.ranks.values()) + RANK_DIGIT
        return tuple(name for name in self.order if self.ranks[name] <= least)

    @cached_property
    def _pair_of(self) -> dict[frozenset[str], ModelPair]:
        return {frozenset((x.a, x.b)): x for x in self.pairs}

    def pair(self, a: str, b: str) -> ModelPair:
        """Return the pair of two models, in whichever order they were compared.

        Parameters
        ----------
        a, b : str
            The models.

        Returns
        -------
        ModelPair
            As it was compared.

        Raises
        ------
        UsageError
            If they were not compared.
        """
        found = self._pair_of.get(frozenset((a, b)))
        if found is not None:
            return found
        unknown = [name for name in (a, b) if name not in self.models]
        why = f"there is no model {unknown[0]!r}" if unknown else "they are one model"
        if not unknown and a != b:
            why = f"all were compared with the control, {self.control!r}"
        raise UsageError(f"{a!r} and {b!r} were not compared: {why}")

    def differ(self, a: str, b: str) -> bool:
        """Tell whether two models are told apart; never for pairs not compared."""
        found = self._pair_of.get(frozenset((a, b)))
        return found is not None and found.p_adjusted <= self.alpha + 1e-12

    def beats(self, a: str, b: str) -> bool:
        """Tell whether a model is told apart from another, as the better of the two."""
        if not self.differ(a, b):
            return False
        pair = self.pair(a, b)
        higher = pair.direction if pair.a == a else -pair.direction
        return higher == (1 if self.greater_is_better else -1)

    def better_first(self, pair: ModelPair) -> tuple[str, str, EffectSize]:
        """Return a pair with the better model first, if the two are told apart.

        Parameters
        ----------
        pair : ModelPair
            One of the pairs.

        Returns
        -------
        tuple of str, str and EffectSize
            First, second, and sizes of the difference, first less second.
        """
        if self.beats(pair.b, pair.a):
            return pair.b, pair.a, pair.effect.turned()
        return pair.a, pair.b, pair.effect

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per pair."""
        rows = []
        for pair in self.pairs:
            row: dict[str, Any] = {"a": pair.a, "b": pair.b}
            row |= {"p_value": pair.p_value, "p_adjusted": pair.p_adjusted}
            row |= asdict(pair.effect)
            if pair.posterior is not None:
                row |= asdict(pair.posterior)
            rows.append(row)
        return {name: [row[name] for row in rows] for name in rows[0]}


@checked_keywords
def compare(
    results: Any,
    *,
    rows: str = "auto",
    groups: Any = None,
    test: str = "auto",
    post_hoc: str = "auto",
    omnibus: str = "auto",
    control: str | None = None,
    test_ratio: float | None = None,
    greater_is_better: bool | None = None,
    confidence_level: float = 0.95,
    rope: float | None = None,
    random_state: RandomState = 0,
) -> Comparison:
    r"""Compare models over data sets, splits or samples; family-wise error controlled.

    By default, with results on many data sets: Friedman's test as Iman and Davenport
    [1]_ have it for all models at once,

    .. math:: F = \frac{(n - 1) \chi^2}{n (k - 1) - \chi^2}, \quad
              \chi^2 = \frac{12 n}{k (k + 1)} \sum_j (\bar R_j - (k + 1) / 2)^2,

    and Wilcoxon's signed-rank test with Holm's correction for pairs, since what it says
    of two models does not hang on the others [2]_. With so few data sets that it could
    never find anything, mean ranks with the correction of Bergmann and Hommel (or
    Shaffer, beyond eleven models) [3]_. Two models: Wilcoxon alone. Samples that are
    right or wrong: Cochran's Q and McNemar with Holm. Other values of samples: mean
    differences by the paired t-test with Holm; samples in groups: by the clustered
    t-test with Holm. Splits of one data set: the corrected resampled t-test with Holm.

    Parameters
    ----------
    results : ResultsTable, DataFrame, mapping, array-like, or assessments
        Anything that `results_table` reads. Rows are data sets, columns are models; one
        column of text may name the rows, and rows of one name are averaged, but for
        splits; beside right and wrong they may be groups, and `results_table` must say.
    rows : {"auto", "datasets", "splits", "samples"}, default="auto"
        What the rows are; found out, and said, by default. Rows of which there are 200
        or more, or 20 or more with a quarter of the differences nought, are taken as
        samples: of those the mean difference is given, not a median.
    groups : str or array-like, optional
        Samples that belong together, such as questions about one text or images of one
        patient: a column of the table, or one entry for each of its rows.
    test : str, default="auto"
        How pairs are tested: one of `PAIR_TESTS` that takes many models.
    post_hoc : str, default="auto"
        How p-values are corrected for the number of pairs: one of `POST_HOC`.
    omnibus : str, default="auto"
        Which test of all models to quote: one of `OMNIBUS_TESTS`. All are done; by
        default ``"iman-davenport"`` is quoted, corrected where results tie.
    control : str, optional
        Compare all others with this one only.
    test_ratio : float, optional
        Samples tested per sample trained on, for splits, such as 1/9 for ten folds.
    greater_is_better : bool, optional
        Which way is better; as the metric says for assessments, else greater.
    confidence_level : float, default=0.95
        1 minus the family-wise error rate; also the level of the interval of each
        difference.
    rope : float, optional
        Half the width of a region of practical equivalence: adds Bayesian chances.
    random_state : int, Generator or None, default=0
        Seed of the draws for `rope`; nothing else is random.

    Returns
    -------
    Comparison
        Ranks, tests, pairs with effect sizes.

    Raises
    ------
    InsufficientDataError
        If there are too few rows for any test to find anything; says how many it
        needs.
    InvalidInputError
        If the control is no model of the table, samples are not right or wrong, or all
        pairs of more than 200 models were to be compared.
    UsageError
        If tests do not go with the rows or with one another.

    References
    ----------
    .. [1] R. L. Iman and J. M. Davenport (1980). Approximations of the critical region
       of the Friedman statistic. Communications in Statistics, Theory and Methods 9.
    .. [2] A. Benavoli, G. Corani and F. Mangili (2016). Should we really use post-hoc
       tests based on mean-ranks? Journal of Machine Learning Research 17.
    .. [3] S. Garcia and F. Herrera (2008). An extension on 'Statistical comparisons of
       classifiers over multiple data sets' for all pairwise comparisons. Journal of
       Machine Learning Research 9.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> hard = rng.uniform(0.6, 0.9, 12)
    >>> found = compare({
    ...     "tree": hard + rng.normal(0, 0.01, 12),
    ...     "forest": hard + 0.05 + rng.normal(0, 0.01, 12),
    ...     "boosting": hard + 0.05 + rng.normal(0, 0.01, 12),
    ... })
    >>> found.best, found.cliques
    ('boosting', (('boosting', 'forest'),))
    """
    asked_test = None if test == "auto" else PAIR_TESTS.choose(test, parameter="test")
    asked_post = (
        None if post_hoc == "auto" else POST_HOC.choose(post_hoc, parameter="post_hoc")
    )
    if omnibus != "auto":
        omnibus = OMNIBUS_TESTS.choose(omnibus, parameter="omnibus").name
    check_one_of(rows, "rows", ("auto", *RowKind))
    level = check_share(confidence_level, "confidence_level", is_open=True)
    if rope is not None:
        check_from_zero(rope, "rope")
    if test_ratio is not None:
        check_from_zero(test_ratio, "test_ratio", "1/9")
    table = results_table(results, groups=groups)
    _refuse_many(table, control)
    if table.groups is None and rows != "splits" and test_ratio is None:
        table = table if table.test_ratio is not None else table.averaged()
    is_greater = _direction(greater_is_better, table)
    ranked = (
        omnibus != "auto"
        or (asked_test is not None and RowKind.DATASETS in asked_test.takes)
        or (asked_post is not None and asked_post.of_mean_ranks)
    )
    kind, choices = _kind_of_rows(table, rows, test_ratio, ranked=ranked)
    if control is not None and control not in table.models:
        raise InvalidInputError(
            f"{quoted(control)} is no model of the table",
            parameter="control",
            remedy=f"choose from {listed(table.models, 12)}",
        )
    if control is not None and len(table.models) == 2:
        why = Reason.ONE_COMPARISON
        choices += (Choice(what="control", name=control, reason=why),)
    _refuse_few(table, kind, 1 - level)
    chosen, correction, more = _choose(
        table, kind, control, asked_test, asked_post, 1 - level
    )
    _check_fit(table, chosen, correction, kind, control)
    _refuse_omnibus(omnibus, kind, len(table.models))
    plan = _Plan(
        table=table,
        rows=kind,
        test=chosen,
        post_hoc=correction,
        control=control,
        level=level,
        test_ratio=(table.test_ratio if test_ratio is None else test_ratio) or 0.0,
        is_greater=is_greater,
        rope=rope,
    )
    pairs = _compare_pairs(plan, as_generator(random_state))
    return _wrap(plan, pairs, omnibus, (*choices, *more), seed_number(random_state))


def _direction(asked: bool | None, table: ResultsTable) -> bool:
    """Return which way is better, as the caller or the source has it."""
    known = table.greater_is_better
    if asked is None:
        return True if known is None else known
    is_greater = check_flag(asked, "greater_is_better")
    if table.row_kind is RowKind.SAMPLES and known is not None and known != is_greater:
        way = "greater" if known else "less"
        raise UsageError(
            f"of {table.metric}, {way} is better"
            if table.metric
            else "less cannot be better of labels: to be right is better",
            parameter="greater_is_better",
            remedy="leave the direction out",
        )
    return is_greater


# Which tests fit ---------------------------------------------------------------------


def _kind_of_rows(
    table: ResultsTable, rows: str, given: float | None, *, ranked: bool
) -> tuple[RowKind, tuple[Choice, ...]]:
    """Return what the rows are, and why."""
    ratio = table.test_ratio if given is None else given

    def chosen(kind: RowKind, reason: Reason) -> tuple[RowKind, tuple[Choice, ...]]:
        return kind, (Choice(what="rows", name=kind.value, reason=reason),)

    if table.groups is not None:
        if ratio is not None or rows not in ("auto", RowKind.SAMPLES):
            raise UsageError(
                "groups are of rows that are samples, not of splits or data sets",
                parameter="groups",
                remedy="say nothing else of the rows",
            )
        if ranked:
            raise UsageError(
                "samples in groups are compared by their mean (clustered-t, with a "
                "correction such as holm), not by ranks",
                parameter="groups",
                remedy="leave out tests and corrections of ranks",
            )
        return chosen(RowKind.SAMPLES, Reason.IN_GROUPS)
    if rows == RowKind.SPLITS and ratio is None:
        problem = "is needed for splits: samples tested per sample trained on"
        raise UsageError(problem, parameter="test_ratio")
    if given is not None and rows in (RowKind.DATASETS, RowKind.SAMPLES):
        problem = f"is for splits of one data set; rows are said to be {rows}"
        raise UsageError(problem, parameter="test_ratio")
    if rows == "auto" and table.row_kind is RowKind.SAMPLES:
        rows = RowKind.SAMPLES
    if rows != "auto":
        return RowKind(rows), ()
    if ratio is not None:
        return chosen(RowKind.SPLITS, Reason.SPLITS_OVERLAP)
    if table.is_right_or_wrong:
        return chosen(RowKind.SAMPLES, Reason.RIGHT_OR_WRONG)
    first, second = np.triu_indices(len(table.models), 1)
    gaps = differences(table.values[:, first], table.values[:, second])
    if not ranked and look_like_samples(gaps):
        return chosen(RowKind.SAMPLES, Reason.LOOK_LIKE_SAMPLES)
    return chosen(RowKind.DATASETS, Reason.DATASETS)


def _n_pairs(n_models: int, control: str | None) -> int:
    return n_models - 1 if control is not None else n_models * (n_models - 1) // 2


def _choose(
    table: ResultsTable,
    kind: RowKind,
    control: str | None,
    asked: PairTest | None,
    asked_post: PostHoc | None,
    alpha: float,
) -> tuple[PairTest, PostHoc, tuple[Choice, ...]]:
    """Return the test of pairs and the correction, and why."""
    n, k = table.values.shape
    test = asked
    choices: tuple[Choice, ...] = ()
    if test is None and kind is RowKind.SPLITS:
        test = PAIR_TESTS["corrected-t"]
    elif test is None and kind is RowKind.SAMPLES:
        name = "mcnemar-mid-p" if table.is_right_or_wrong else "paired-t"
        test = PAIR_TESTS[name if table.groups is None else "clustered-t"]
    elif test is None:
        test, choice = _default_test(n, k, control, asked_post, alpha)
        choices = (choice,)
    if asked_post is not None:
        return test, asked_post, choices
    is_stepwise = (
        kind is not RowKind.DATASETS or k == 2 or control is not None
    ) or test.table_z is None
    name, reason = "bergmann-hommel", Reason.MOST_POWERFUL
    if is_stepwise:
        name, reason = "holm", Reason.VALID_ALWAYS
    elif k > (POST_HOC[name].max_models or k):
        name, reason = "shaffer", Reason.TOO_MANY_MODELS
    if k > 2:
        choices += (Choice(what="post_hoc", name=name, reason=reason),)
    return test, POST_HOC[name], choices


def _default_test(
    n: int, k: int, control: str | None, post_hoc: PostHoc | None, alpha: float
) -> tuple[PairTest, Choice]:
    """Return the test of pairs on data sets, and why."""
    signed, ranks = PAIR_TESTS["wilcoxon"], PAIR_TESTS["ranks"]
    if post_hoc is not None and post_hoc.of_mean_ranks and k > 2:
        return ranks, Choice(
            what="test", name=ranks.name, reason=Reason.DEFINED_FOR_RANKS
        )
    if k == 2:
        return signed, Choice(what="test", name=signed.name, reason=Reason.TWO_MODELS)
    needed = signed.min_samples(alpha / _n_pairs(k, control))
    if n >= needed:
        reason = Reason.OTHERS_DO_NOT_MATTER
        return signed, Choice(what="test", name=signed.name, reason=reason)
    return ranks, Choice(
        what="test",
        name=ranks.name,
        reason=Reason.TOO_FEW_FOR_SIGNED_RANKS,
        n_needed=needed,
    )


def _refuse_many(table: ResultsTable, control: str | None) -> None:
    """Refuse so many columns that they can hardly be models, before work begins."""
    k = len(table.models)
    if _n_pairs(k, control) <= _n_pairs(_MOST_MODELS, None):
        return
    raise InvalidInputError(
        f"{k:,} columns were taken for models, which makes {_n_pairs(k, control):,} "
        f"pairs; all pairs of up to {_MOST_MODELS} models are compared",
        parameter="results",
        remedy="if rows are samples and columns are features, let assess train models "
        "on them; else name the models to compare",
        option="models",
    )


def _refuse_few(table: ResultsTable, kind: RowKind, alpha: float) -> None:
    """Refuse so few rows that no test could find anything."""
    n, k = table.values.shape
    if table.groups is not None:
        if table.n_groups == 1:
            raise InsufficientDataError(
                "one group shows no spread between groups: it takes at least two",
                parameter="groups",
            )
        return
    is_valued = kind is RowKind.SAMPLES and not table.is_right_or_wrong
    if kind is RowKind.SPLITS or is_valued:
        least = 2
    elif kind is RowKind.SAMPLES and k == 2:
        least = PAIR_TESTS["mcnemar-mid-p"].min_samples(alpha)
    elif kind is RowKind.SAMPLES or k == 2:
        least = PAIR_TESTS["sign"].min_samples(alpha)
    else:
        least = next(i for i in range(2, 100) if smallest_omnibus_p(i, k) <= alpha)
    if n >= least:
        return
    what = {"datasets": "data sets"}.get(kind, kind.value)
    lost = ""
    if table.dropped_rows:
        lost = (
            f" ({len(table.dropped_rows):,} of {table.n_rows_given:,} rows lack a "
            f"result; {quoted(table.worst_model)} lacks most)"
        )
    is_alone = n == 1 and kind is RowKind.DATASETS
    raise InsufficientDataError(
        f"{n:,} {what[:-1] if n == 1 else what} cannot tell {k} models apart with "
        f"confidence {1 - alpha:g}: it takes at least {least}{lost}",
        parameter="results",
        remedy="one data set says nothing of others: say how its splits share "
        "samples, or give its samples as 1 and 0"
        if is_alone
        else None,
    )


def _check_fit(
    table: ResultsTable,
    test: PairTest,
    post_hoc: PostHoc,
    kind: RowKind,
    control: str | None,
) -> None:
    """Refuse tests and corrections that do not go together."""
    k = len(table.models)
    if (test.grouping is Grouping.REQUIRED) != (table.groups is not None):
        raise UsageError(
            f"the {test.name} test needs samples that belong together"
            if table.groups is None
            else f"the {test.name} test cannot allow for groups",
            parameter="groups",
            remedy=None if table.groups is None else "use clustered-t",
        )
    fitting = [t.name for t in PAIR_TESTS.values() if t.takes_many and kind in t.takes]
    if test.name not in fitting:
        what = {"datasets": "data sets"}.get(kind, kind.value)
        problem = f"pairs of {what} are tested by {', '.join(fitting)}; got {test.name}"
        raise UsageError(problem, parameter="test")
    if post_hoc.needs_control and control is None:
        raise UsageError(
            f"{post_hoc.name} compares all models with one control",
            parameter="post_hoc",
            remedy="name the control",
        )
    if post_hoc.all_pairs_only and control is not None and k > 2:
        raise UsageError(
            f"{post_hoc.name} is for all pairs, not for a control",
            parameter="post_hoc",
            remedy="with a control use holm",
        )
    if post_hoc.is_of_ranks_alone and test.name != "ranks" and k > 2:
        raise UsageError(
            f"{post_hoc.name} goes with the test of mean ranks, not with {test.name}",
            parameter="post_hoc",
            remedy="use ranks",
        )
    if post_hoc.max_models is not None and k > post_hoc.max_models:
        raise UsageError(
            f"{post_hoc.name} is for up to {post_hoc.max_models} models; there are {k}",
            parameter="post_hoc",
            remedy="use shaffer",
        )
    if test.needs_labels and not table.is_right_or_wrong:
        raise InvalidInputError(
            "McNemar's test needs 1 for right and 0 for wrong in every row",
            parameter="results",
            remedy="compare other values of samples by paired-t",
        )


def _refuse_omnibus(asked: str, kind: RowKind, n_models: int) -> None:
    """Refuse a test of all models that is asked for and would not be done."""
    if asked == "auto":
        return
    if kind is not OMNIBUS_TESTS[asked].rows:
        done = "samples are tested by cochran-q"
        if kind is not RowKind.SAMPLES:
            done = "splits by none" if kind is RowKind.SPLITS else "these are data sets"
        what = {"datasets": "data sets"}.get(OMNIBUS_TESTS[asked].rows, "samples")
        problem = f"{asked} is for {what}; {done}"
        raise UsageError(problem, parameter="omnibus", remedy="leave it out")
    if n_models < 3:
        problem = f"{asked} is for three models or more"
        raise UsageError(problem, parameter="omnibus", remedy="leave it out")


# All pairs ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _Plan:
    """What will be done."""

    table: ResultsTable
    rows: RowKind
    test: PairTest
    post_hoc: PostHoc
    control: str | None
    level: float
    test_ratio: float
    is_greater: bool
    rope: float | None

    @property
    def n_pairs(self) -> int:
        return _n_pairs(len(self.table.models), self.control)

    @property
    def posterior(self) -> Posterior | None:
        is_mean = self.test.estimand is Estimand.MEAN
        if self.rows is RowKind.SAMPLES and is_mean:
            return BAYESIAN_BOOTSTRAP
        return self.test.posterior


def _compare_pairs(plan: _Plan, rng: np.random.Generator) -> tuple[ModelPair, ...]:
    """Test every pair, and adjust the p-values for all of them together."""
    table, k = plan.table, len(plan.table.models)
    if plan.control is None:
        rows, columns = np.triu_indices(k, 1)
        first, second = rows.tolist(), columns.tolist()
    else:
        own = table.models.index(plan.control)
        first, second = [own] * (k - 1), [i for i in range(k) if i != own]
    values = table.values
    streams = rng.spawn(len(first)) if plan.rope is not None else [rng] * len(first)
    found = []
    for i, j, stream in track([*zip(first, second, streams, strict=True)], what="pair"):
        both = (values[:, i], values[:, j])
        p_value, direction, ends = _test_pair(plan, *both, rng)
        found.append(
            ModelPair(
                a=table.models[i],
                b=table.models[j],
                p_value=float(p_value),
                p_adjusted=math.nan,  # known once all pairs are tested
                direction=int(direction),
                effect=effect_size(both, ends, greater_is_better=plan.is_greater),
                posterior=_posterior(plan, differences(*both), stream),
            )
        )
    if plan.test.table_z is not None:
        # The better of two models has the lower rank.
        sign = -1 if plan.is_greater else 1
        z = sign * plan.test.table_z(values, plan.is_greater)[first, second]
        ways = np.sign(z).astype(int).tolist()
        tested = zip(found, normal_p(z).tolist(), ways, strict=True)
        found = [replace(x, p_value=p, direction=way) for x, p, way in tested]
    p = np.array([x.p_value for x in found])
    if plan.post_hoc.range_p is not None and k > 2:
        z = plain_z(values, plan.is_greater)[first, second]
        adjusted = plan.post_hoc.range_p(z, k)
    else:
        adjusted = plan.post_hoc.adjust(p, k)
    pairs = []
    for pair, i, j, together in zip(found, first, second, adjusted, strict=True):
        is_told = bool(together <= 1 - plan.level + 1e-12)
        mean = None
        if plan.rows is RowKind.DATASETS:
            gaps = differences(values[:, i], values[:, j])
            mean = mean_beside(pair.effect, gaps, plan.level, is_told=is_told)
        pairs.append(replace(pair, p_adjusted=float(together), mean=mean))
    return tuple(pairs)


def _test_pair(
    plan: _Plan, first: FloatArray, second: FloatArray, rng: np.random.Generator
) -> tuple[float, int, tuple[float, float, float]]:
    """Return p, direction, and the difference with its interval, of one pair."""
    groups = plan.table.groups
    data = PairData(
        first=first,
        second=second,
        groups=None if groups is None else np.array(groups),
    )
    p, way, ends = math.nan, 0, (math.nan, math.nan, math.nan)
    if plan.test.evaluate is not None:
        how = TestSettings(
            confidence_level=plan.level, test_ratio=plan.test_ratio, rng=rng
        )
        found = plan.test.evaluate(data, how)
        p, way = found.p_value, found.direction
        ends = (found.difference, found.low, found.high)
    if plan.rows is RowKind.DATASETS and (
        plan.test.evaluate is None or plan.test.estimand is not Estimand.PSEUDO_MEDIAN
    ):
        # Of data sets it is the pseudo-median that is told, whatever the test.
        ends = pseudo_median(data.gaps, plan.level)
    return p, way, ends


def _posterior(
    plan: _Plan, gaps: FloatArray, rng: np.random.Generator
) -> RopePosterior | None:
    if plan.rope is None or plan.posterior is None:
        return None
    unit = plan.table.unit
    return plan.posterior.evaluate(gaps, plan.rope, unit, plan.test_ratio, rng)


# What comes out ----------------------------------------------------------------------


def _wrap(
    plan: _Plan,
    pairs: tuple[ModelPair, ...],
    omnibus: str,
    choices: tuple[Choice, ...],
    seed: int | None,
) -> Comparison:
    """Put the answer together."""
    table, names = plan.table, plan.table.models
    ranks = row_ranks(table.values, greater_is_better=plan.is_greater).mean(axis=0)
    found = Comparison(
        models=names,
        rows=plan.rows,
        n_rows=len(table.rows),
        n_groups=table.n_groups,
        metric=table.metric,
        test=plan.test.name,
        post_hoc=plan.post_hoc.name,
        control=plan.control,
        greater_is_better=plan.is_greater,
        confidence_level=plan.level,
        test_ratio=plan.test_ratio if plan.rows is RowKind.SPLITS else None,
        rope=plan.rope,
        seed=seed,
        ranks=_by_name(names, ranks),
        means=_by_name(names, table.values.mean(axis=0)),
        medians=_by_name(names, np.median(table.values, axis=0)),
        omnibus=_omnibus_tests(plan, omnibus),
        pairs=pairs,
        cliques=(),
        critical_difference=_critical_difference(plan),
        choices=choices,
        notes=(*table.notes, *_notes(plan, pairs)),
    )
    if plan.control is not None:
        return found
    place = {name: i for i, name in enumerate(names)}
    apart = np.zeros((len(names), len(names)), dtype=bool)
    for pair in pairs:
        i, j = place[pair.a], place[pair.b]
        apart[i, j] = apart[j, i] = found.differ(pair.a, pair.b)
    bars = cliques([place[name] for name in found.order], apart)
    joined = tuple(tuple(names[i] for i in bar) for bar in bars)
    return replace(found, cliques=joined)


def _by_name(names: tuple[str, ...], values: FloatArray) -> dict[str, float]:
    return dict(zip(names, map(float, values), strict=True))


def _omnibus_tests(plan: _Plan, asked: str) -> tuple[OmnibusOutcome, ...]:
    """Do all tests of all models that fit the rows, the quoted one first."""
    values = plan.table.values
    is_of_means = plan.test.estimand is Estimand.MEAN
    if values.shape[1] < 3 or is_of_means:
        return ()
    fitting = [t for t in OMNIBUS_TESTS.values() if t.rows is plan.rows]
    first = asked
    if asked == "auto" and plan.rows is RowKind.DATASETS:
        # Without ties both are the same; with many the plain one hardly ever rejects.
        tied = "-tie-corrected" if has_ties(values) else ""
        first = f"iman-davenport{tied}"
    fitting.sort(key=lambda t: t.name != first)
    return tuple(t.evaluate(values, greater_is_better=plan.is_greater) for t in fitting)


def _critical_difference(plan: _Plan) -> float | None:
    n, k = plan.table.values.shape
    if plan.rows is not RowKind.DATASETS or k < 3:
        return None
    test = "nemenyi" if plan.control is None else "bonferroni-dunn"
    return critical_difference(k, n, test=test, confidence_level=plan.level)


def _notes(plan: _Plan, pairs: tuple[ModelPair, ...]) -> tuple[Note, ...]:
    """Say what the reader must know of these tests."""
    n, k = plan.table.values.shape
    alpha, n_pairs = 1 - plan.level, plan.n_pairs
    found = []
    if not plan.post_hoc.controls_familywise and k > 2:
        wrong = 1 - (1 - alpha) ** n_pairs
        found.append(Note(code=NoteCode.UNCORRECTED, count=n_pairs, value=wrong))
    needed = least_rows(plan.test, plan.post_hoc, k, n_pairs, alpha)
    if needed is None or n < needed:
        found.append(Note(code=NoteCode.CANNOT_REACH, count=needed, total=n))
    if plan.test.table_z is not None and n < _FEW_DATASETS and k > 2:
        found.append(Note(code=NoteCode.FEW_DATASETS, count=n))
    found += few_groups(plan.test, plan.table.groups)
    spread = float(np.ptp(plan.table.values))
    if not math.isfinite(spread) or spread == 0:
        found.append(Note(code=NoteCode.ALL_EQUAL))
    lost = [pair for pair in pairs if math.isnan(pair.p_value)]
    if lost:
        names = tuple(name for pair in lost[:3] for name in (pair.a, pair.b))
        found.append(Note(code=NoteCode.UNKNOWN_P, names=names, count=len(lost)))
    return tuple(found)
