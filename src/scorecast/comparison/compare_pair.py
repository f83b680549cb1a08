"""Choose the test of two models that fits what is known of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_choice,
    check_flag,
    check_from_zero,
    check_level,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.comparison.effect_sizes import effect_size
from scorecast.comparison.mcnemar import least_cases
from scorecast.comparison.metrics import NamedMetric, measured
from scorecast.comparison.pair_comparison import PairComparison
from scorecast.comparison.pair_fitting import fitted
from scorecast.comparison.pair_inputs import PairInputs, check_names, check_pair
from scorecast.comparison.pair_running import Setting, chances_of, gaps_of, run_test
from scorecast.comparison.pair_test import PairTest
from scorecast.comparison.signed_ranks import ZEROS
from scorecast.comparison.tied_differences import mean_beside_nought
from scorecast.comparison.titles import ASSUMES
from scorecast.exceptions import InsufficientDataError, UsageError

__all__ = ["PAIR_TESTS", "compare_pair", "least_replicates", "look_like_cases"]

PAIR_TESTS = (
    "auto", "wilcoxon", "sign", "paired-t", "clustered-t", "corrected-t", "5x2cv-t",
    "5x2cv-f", "mcnemar", "mcnemar-exact", "mcnemar-corrected", "mcnemar-plain",
    "delong", "bootstrap", "permutation",
)  # fmt: skip
_OF_MEDIANS = ("wilcoxon", "sign")
_LEAST_CASES = 20  # rows: fewer that tie may well be data sets
_MANY_ROWS = 200  # more are hardly data sets
_MANY_TIES = 0.25  # share of differences of nought from which they are single items
_LEAST_BOOTSTRAP = 10  # units: of fewer, resamples say too little of what was not seen


@checked_keywords
def compare_pair(
    a: ArrayLike,
    b: ArrayLike,
    *,
    test: str = "auto",
    y_true: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    test_ratio: float | None = None,
    metric: Callable[[Any, Any], float] | str | None = None,
    names: tuple[str, str] = ("a", "b"),
    greater_is_better: bool | None = None,
    level: float = 0.95,
    rope: float | None = None,
    zeros: str = "pratt",
    n_resamples: int = 4999,
    random_state: RandomState = None,
) -> PairComparison:
    """Compare two models.

    What the values are decides which tests fit:

    - one result per data set (independent): ``wilcoxon``, ``sign``, ``paired-t``;
      200 or more, or many that tie, are taken as cases, whose mean is what counts;
    - one result per split of one data set: ``corrected-t`` with `test_ratio`;
    - five times two folds, shape (5, 2): ``5x2cv-f``, ``5x2cv-t``;
    - right or wrong on the same cases: ``mcnemar`` (mid-p) and its kin; give
      booleans or 0 and 1, or predictions with `y_true`;
    - scores of the positive class with a `y_true` of two classes: ``delong``;
    - a value per case, or predictions with `y_true` and any `metric`: ``bootstrap``,
      ``permutation``, by `groups` too; ``clustered-t`` of means, by `groups`.

    Parameters
    ----------
    a, b : array-like
        Values of both models, in the same order.
    test : str, default="auto"
        One of the above; ``"auto"`` takes the first that fits, and says why.
    y_true : array-like of shape (n,), optional
        What is true, where `a` and `b` are predictions or scores. Labels are compared
        as right or wrong by ``wilcoxon``, ``sign`` and ``paired-t``, too; predictions
        that are numbers need a `metric`.
    groups : array-like of shape (n,), optional
        Cases that belong together: ``bootstrap`` and ``permutation`` draw or exchange
        them as a whole, ``clustered-t`` allows for what they share; ``wilcoxon``,
        ``sign`` and ``paired-t`` compare means of groups; other tests refuse them.
    test_ratio : float, optional
        Cases tested per case learned from, such as 1/9 for ten folds.
    metric : callable or str, optional
        From `y_true` and predictions to a number, for ``bootstrap`` and
        ``permutation``; or one of ``"accuracy"``, ``"balanced-accuracy"``, ``"auc"``,
        ``"brier"``, ``"log-loss"`` (scores or probabilities of the class that sorts
        last), ``"mse"``, ``"mae"``, ``"rmse"``. Those that are means of cases go with
        ``wilcoxon``, ``sign`` and ``paired-t``, too.
    names : tuple of str, default=("a", "b")
        What to call the models.
    greater_is_better : bool, optional
        Which way is better; as a metric by its name has it, else greater.
    level : float, default=0.95
        Level of the interval; one less it is the level of the test.
    rope : float, optional
        Half the width of a region of practical equivalence; adds the chances of a
        Bayesian test of the same question: signed rank for ``wilcoxon`` and ``sign``,
        correlated t for the t-tests and 5x2cv, the shares of right cases for
        ``mcnemar``, the Bayesian bootstrap for means of cases. Not for ``delong``, nor
        with a `metric`.
    zeros : {"pratt", "split", "drop"}, default="pratt"
        What the signed-rank test does with differences of nought.
    n_resamples : int, default=4999
        Resamples or exchanges.
    random_state : int, Generator or None, optional
        Seed of them, and of the draws for `rope`.

    Returns
    -------
    PairComparison
        Difference with its interval, p, effect sizes.

    Raises
    ------
    InsufficientDataError
        If there are too few values for the test ever to tell models apart; says how
        many it needs.
    UsageError
        If the test could not use a truth, a metric or groups that are given.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> easy = rng.uniform(0.6, 0.9, 12)
    >>> found = compare_pair(easy + 0.03, easy, names=("new", "old"))
    >>> found.better, round(found.p, 4)
    ('new', 0.0005)
    """
    check_choice(test, "test", PAIR_TESTS)
    check_choice(zeros, "zeros", ZEROS)
    called = check_names(names)
    _check_numbers(test_ratio, rope, n_resamples)
    own, name = (None, metric) if isinstance(metric, str) else (metric, None)
    given = check_pair(a, b, y_true=y_true, groups=groups, metric=own)
    given, by = (given, None) if name is None else measured(given, name)
    better = _direction(greater_is_better, by)
    setting = Setting(
        level=check_level(level), test_ratio=test_ratio, zeros=zeros,
        n_resamples=n_resamples, rng=as_generator(random_state),
    )  # fmt: skip
    chosen, reason = _choose(test, given, test_ratio, by)
    _refuse_direction(chosen, given, better)
    _refuse_rope(chosen, given, rope)
    taken = fitted(given, chosen)
    _refuse_few(chosen, taken, 1 - setting.level, grouped=given.groups is not None)
    found = _titled(run_test(chosen, taken, setting), by)
    ends = (found.difference, found.low, found.high)
    answer = PairComparison(
        a=called[0],
        b=called[1],
        found=found,
        effect=effect_size(taken.values(chosen), ends, greater_is_better=better),
        chances=chances_of(taken, chosen, rope, setting),
        rope=rope,
        test_ratio=test_ratio if chosen == "corrected-t" else None,
        reason=reason,
        n=given.n,
        n_units=given.n_units,
        greater_is_better=better,
        level=setting.level,
        seed=seed_number(random_state),
        metric=None if by is None else by.name,
        assumptions=ASSUMES[found.test],
        warnings=_warned(given, found, chosen),
    )
    hidden = mean_beside_nought(answer, gaps_of(taken)) if chosen in _OF_MEDIANS else ()
    return replace(answer, warnings=(*answer.warnings, *hidden)) if hidden else answer


def _check_numbers(
    test_ratio: float | None, rope: float | None, n_resamples: int
) -> None:
    if test_ratio is not None:
        check_from_zero(test_ratio, "test_ratio", "1/9")
    if rope is not None:
        check_from_zero(rope, "rope")
    if not isinstance(n_resamples, int | np.integer) or n_resamples < 99:
        msg = f"`n_resamples` must be a whole number from 99; got {n_resamples!r}."
        raise UsageError(msg)


def _direction(asked: bool | None, metric: NamedMetric | None) -> bool:
    """Return which way is better, as the caller or the metric has it."""
    if asked is not None:
        check_flag(asked, "greater_is_better")
    if metric is None:
        return asked is None or bool(asked)
    if asked is not None and bool(asked) != metric.greater_is_better:
        way = "greater" if metric.greater_is_better else "less"
        msg = f"Of the metric {metric.name}, {way} is better: leave the direction out."
        raise UsageError(msg)
    return metric.greater_is_better


def _titled(found: PairTest, metric: NamedMetric | None) -> PairTest:
    """Say what a difference is one of, where it is one of a metric."""
    if metric is None or found.of not in ("mean", "metric"):
        return found
    found = replace(found, of=metric.title)
    if not metric.is_share:
        return found
    # Two shares cannot lie farther apart than one.
    return replace(found, low=max(found.low, -1.0), high=min(found.high, 1.0))


def _choose(
    test: str, given: PairInputs, test_ratio: float | None, metric: NamedMetric | None
) -> tuple[str, str]:
    """Return the test, and why."""
    if metric is not None and test not in ("auto", *metric.tests):
        msg = (
            f"The {test} test does not go with `metric` {metric.name}: use "
            f"{', '.join(metric.tests[:-1])} or {metric.tests[-1]}."
        )
        raise UsageError(msg)
    if test != "auto":
        return test, "asked for"
    if metric is not None or given.metric is not None or given.groups is not None:
        return (
            "permutation",
            "values of cases, by group or metric: models are exchanged",
        )
    if given.is_five_by_two:
        return "5x2cv-f", "five times two folds; F does not hang on the first fold"
    if test_ratio is not None and given.truth is None:
        return (
            "corrected-t",
            "splits share training cases, which the plain t-test forgets",
        )
    if given.are_labels:
        return (
            "mcnemar",
            "right or wrong on the same cases; mid-p is neither timid nor bold",
        )
    if given.truth is not None:
        return "delong", "scores of the same cases of two classes: areas are compared"
    if given.metric is None and look_like_cases(gaps_of(given)):
        return (
            "permutation",
            "many values, or many that tie: they are taken as cases, and their mean is "
            "what counts; for data sets ask for wilcoxon",
        )
    return "wilcoxon", "independent values; no distribution is assumed but symmetry"


def look_like_cases(gaps: FloatArray) -> bool:
    """Tell whether values are of single cases, whose mean is what counts.

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
    return n >= _MANY_ROWS or (n >= _LEAST_CASES and _MANY_TIES <= ties < 1)


def least_replicates(alpha: float) -> int:
    """Return how many pairs signs need to be able to reach a level.

    Parameters
    ----------
    alpha : float
        Level of a two-sided test.

    Returns
    -------
    int
        The least n with 2^(1 - n) <= alpha.

    Examples
    --------
    >>> least_replicates(0.05), least_replicates(0.01)
    (6, 8)
    """
    return math.ceil(1 - math.log2(alpha) - 1e-12)


def _refuse_few(test: str, given: PairInputs, alpha: float, *, grouped: bool) -> None:
    by_unit = test in ("bootstrap", "permutation", "clustered-t")
    counted = given.n_units if by_unit else given.n
    least = {
        "wilcoxon": least_replicates(alpha),
        "sign": least_replicates(alpha),
        "permutation": least_replicates(alpha),
        "bootstrap": _LEAST_BOOTSTRAP,
        "paired-t": 2,
        "clustered-t": 2,
        "corrected-t": 2,
        "mcnemar": least_cases(alpha),
    }
    least |= {
        f"mcnemar-{method}": least_cases(alpha, method)
        for method in ("exact", "corrected", "plain")
    }
    needed = least.get(test, 1)
    if counted < needed:
        what = "groups" if grouped else "pairs of values"
        if counted == 1:
            what = "group" if grouped else "pair of values"
        msg = (
            f"{counted} {what} cannot tell two models apart: the {test} test needs at "
            f"least {needed} at level {1 - alpha:g}."
        )
        raise InsufficientDataError(msg)


def _refuse_direction(chosen: str, given: PairInputs, greater_is_better: bool) -> None:
    """Right is better than wrong: only values and metrics can have it otherwise."""
    if greater_is_better or given.truth is None or given.metric is not None:
        return
    if chosen == "delong" or given.are_labels:
        msg = (
            "`greater_is_better=False` does not go with labels or scores and `y_true`: "
            "to be right is better; for a loss, give `metric` or its values."
        )
        raise UsageError(msg)


def _refuse_rope(test: str, given: PairInputs, rope: float | None) -> None:
    if rope is None or (test != "delong" and given.metric is None):
        return
    what = "areas under curves" if test == "delong" else "a metric"
    msg = (
        f"There is no Bayesian test of {what}: leave out `rope`, or read the interval."
    )
    raise UsageError(msg)


def _warned(given: PairInputs, found: PairTest, chosen: str) -> tuple[str, ...]:
    said = [found.note] if found.note and not found.is_told else []
    strange = given.strange if given.metric is None and chosen != "delong" else []
    if strange:
        said.append(
            f"Predictions hold what `y_true` lacks ({', '.join(strange[:3])}"
            f"{', ...' if len(strange) > 3 else ''}), and were counted as wrong there; "
            "scores of whole numbers go with test='delong'."
        )
    return tuple(said)
