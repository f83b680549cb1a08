"""Choose the test of two models that fits what is known of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from scorecast._core.checks import check_choice, check_from_zero, check_level
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.comparison.bayesian import (
    RopeChances,
    correlated_t,
    mean_posterior,
    share_posterior,
    signed_rank_posterior,
)
from scorecast.comparison.effect_sizes import effect_size, steady_gaps
from scorecast.comparison.mcnemar import least_cases, mcnemar
from scorecast.comparison.pair_comparison import PairComparison
from scorecast.comparison.pair_fitting import fitted
from scorecast.comparison.pair_inputs import PairInputs, check_names, check_pair
from scorecast.comparison.pair_test import PairTest, sign_of
from scorecast.comparison.resampling import (
    PairedCases,
    bootstrap_test,
    permutation_test,
)
from scorecast.comparison.signed_ranks import ZEROS, sign_test, wilcoxon
from scorecast.comparison.t_tests import (
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    paired_t,
)
from scorecast.comparison.tied_differences import mean_beside_nought
from scorecast.comparison.titles import ASSUMES
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees import areas_under_curves

__all__ = ["PAIR_TESTS", "compare_pair", "least_replicates"]

PAIR_TESTS = (
    "auto", "wilcoxon", "sign", "paired-t", "corrected-t", "5x2cv-t", "5x2cv-f",
    "mcnemar", "mcnemar-exact", "mcnemar-corrected", "mcnemar-plain", "delong",
    "bootstrap", "permutation",
)  # fmt: skip
_OF_MEDIANS = ("wilcoxon", "sign")
_LEAST_BOOTSTRAP = 10  # units: of fewer, resamples say too little of what was not seen


def compare_pair(
    a: ArrayLike,
    b: ArrayLike,
    *,
    test: str = "auto",
    y_true: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    test_ratio: float | None = None,
    metric: Callable[[Any, Any], float] | None = None,
    names: tuple[str, str] = ("a", "b"),
    greater_is_better: bool = True,
    level: float = 0.95,
    rope: float | None = None,
    zeros: str = "pratt",
    n_resamples: int = 4999,
    random_state: RandomState = None,
) -> PairComparison:
    """Compare two models.

    What the values are decides which tests fit:

    - one result per data set (independent): ``wilcoxon``, ``sign``, ``paired-t``;
    - one result per split of one data set: ``corrected-t`` with `test_ratio`;
    - five times two folds, shape (5, 2): ``5x2cv-f``, ``5x2cv-t``;
    - right or wrong on the same cases: ``mcnemar`` (mid-p) and its kin; give
      booleans or 0 and 1, or predictions with `y_true`;
    - scores of the positive class with a `y_true` of two classes: ``delong``;
    - a value per case, or predictions with `y_true` and any `metric`: ``bootstrap``,
      ``permutation``, by `groups` too.

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
        them as a whole; ``wilcoxon``, ``sign`` and ``paired-t`` compare means of
        groups; other tests refuse them.
    test_ratio : float, optional
        Cases tested per case learned from, such as 1/9 for ten folds.
    metric : callable, optional
        From `y_true` and predictions to a number, for ``bootstrap`` and
        ``permutation``.
    names : tuple of str, default=("a", "b")
        What to call the models.
    greater_is_better : bool, default=True
        Which way is better.
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
    given = check_pair(a, b, y_true=y_true, groups=groups, metric=metric)
    called = check_names(names)
    _check_numbers(test_ratio, rope, n_resamples)
    setting = _Setting(
        level=check_level(level), test_ratio=test_ratio, zeros=zeros,
        n_resamples=n_resamples, rng=as_generator(random_state),
    )  # fmt: skip
    chosen, reason = _choose(test, given, test_ratio)
    _refuse_direction(chosen, given, greater_is_better)
    _refuse_rope(chosen, given, rope)
    taken = fitted(given, chosen)
    _refuse_few(chosen, taken, 1 - setting.level, grouped=given.groups is not None)
    found = _TESTS[chosen](taken, setting)
    ends = (found.difference, found.low, found.high)
    answer = PairComparison(
        a=called[0],
        b=called[1],
        found=found,
        effect=effect_size(
            taken.values(chosen), ends, greater_is_better=greater_is_better
        ),
        chances=_chances(taken, chosen, rope, setting),
        rope=rope,
        test_ratio=test_ratio if chosen == "corrected-t" else None,
        reason=reason,
        n=given.n,
        n_units=given.n_units,
        greater_is_better=bool(greater_is_better),
        level=setting.level,
        seed=seed_number(random_state),
        assumptions=ASSUMES[found.test],
        warnings=_warned(given, found, chosen),
    )
    hidden = mean_beside_nought(answer, _gaps(taken)) if chosen in _OF_MEDIANS else ()
    return replace(answer, warnings=(*answer.warnings, *hidden)) if hidden else answer


@dataclass(frozen=True, kw_only=True)
class _Setting:
    """How a test is done."""

    level: float
    test_ratio: float | None
    zeros: str
    n_resamples: int
    rng: np.random.Generator


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


def _choose(test: str, given: PairInputs, test_ratio: float | None) -> tuple[str, str]:
    """Return the test, and why."""
    if test != "auto":
        return test, "asked for"
    if given.metric is not None or given.groups is not None:
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
    return "wilcoxon", "independent values; no distribution is assumed but symmetry"


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
    counted = given.n_units if test in ("bootstrap", "permutation") else given.n
    least = {
        "wilcoxon": least_replicates(alpha),
        "sign": least_replicates(alpha),
        "permutation": least_replicates(alpha),
        "bootstrap": _LEAST_BOOTSTRAP,
        "paired-t": 2,
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


def _gaps(given: PairInputs) -> FloatArray:
    return steady_gaps(given.first_numbers, given.second_numbers)


def _wilcoxon(given: PairInputs, setting: _Setting) -> PairTest:
    return wilcoxon(_gaps(given), zeros=setting.zeros, level=setting.level)


def _sign(given: PairInputs, setting: _Setting) -> PairTest:
    return sign_test(_gaps(given), level=setting.level)


def _paired_t(given: PairInputs, setting: _Setting) -> PairTest:
    return paired_t(_gaps(given), level=setting.level)


def _corrected_t(given: PairInputs, setting: _Setting) -> PairTest:
    if setting.test_ratio is None:
        msg = "The corrected t-test needs `test_ratio`: cases tested per case learned."
        raise UsageError(msg)
    return corrected_t(_gaps(given), setting.test_ratio, level=setting.level)


def _five_by_two(which: str) -> Callable[[PairInputs, _Setting], PairTest]:
    def run(given: PairInputs, setting: _Setting) -> PairTest:
        if not given.is_five_by_two:
            msg = (
                f"5x2cv needs values of shape (5, 2): five repetitions of two folds; "
                f"got {given.shape}."
            )
            raise InsufficientDataError(msg)
        test = five_by_two_t if which == "t" else five_by_two_f
        return test(_gaps(given).reshape(5, 2), level=setting.level)

    return run


def _mcnemar(method: str) -> Callable[[PairInputs, _Setting], PairTest]:
    def run(given: PairInputs, setting: _Setting) -> PairTest:
        first, second = given.right()
        return mcnemar(first, second, method=method, level=setting.level)

    return run


def _delong(given: PairInputs, setting: _Setting) -> PairTest:
    positive = given.positive()
    scores = np.column_stack([given.first_numbers, given.second_numbers])
    areas = areas_under_curves(positive, scores)
    gap = float(areas.values[0] - areas.values[1])
    error = areas.error_of_difference()
    if abs(gap) < 1e-12:
        gap = 0.0
    known = error > 0 or gap == 0
    z = 0.0 if gap == 0 else gap / error if known else math.nan
    half = float(ndtri(0.5 + setting.level / 2)) * error if known else math.nan
    return PairTest(
        test="delong",
        statistic=z,
        p=min(2 * float(ndtr(-abs(z))), 1.0) if known else math.nan,
        difference=gap,
        low=max(gap - half, -1.0),
        high=min(gap + half, 1.0),
        direction=sign_of(gap),
        of="AUC",
        note=""
        if known
        else "both areas are without error, so that p is unknown: "
        "use the permutation test",
    )


def _cases(given: PairInputs) -> PairedCases:
    if given.truth is not None and given.metric is None:
        if not given.are_labels:
            msg = (
                "`y_true` and predictions that are numbers need a `metric` to be "
                "compared by, such as sklearn.metrics.mean_squared_error."
            )
            raise UsageError(msg)
        right = [x.astype(np.float64) for x in given.right()]
        return PairedCases(first=right[0], second=right[1], unit=given.units)
    if given.metric is None:
        first, second = given.first_numbers, given.second_numbers
        return PairedCases(first=first, second=second, unit=given.units)
    return PairedCases(
        first=given.first, second=given.second, unit=given.units,
        truth=given.truth, metric=given.metric,
    )  # fmt: skip


def _bootstrap(given: PairInputs, setting: _Setting) -> PairTest:
    return bootstrap_test(
        _cases(given), level=setting.level, n_resamples=setting.n_resamples,
        rng=setting.rng,
    )  # fmt: skip


def _permutation(given: PairInputs, setting: _Setting) -> PairTest:
    return permutation_test(
        _cases(given), level=setting.level, n_resamples=setting.n_resamples,
        rng=setting.rng,
    )  # fmt: skip


def _chances(
    given: PairInputs, test: str, rope: float | None, setting: _Setting
) -> RopeChances | None:
    if rope is None:
        return None
    if test.startswith("mcnemar"):
        first, second = given.right()
        apart = int((first & ~second).sum()), int((second & ~first).sum())
        return share_posterior(*apart, given.n, rope, rng=setting.rng)
    if test in ("bootstrap", "permutation"):
        cases = _cases(given)
        return mean_posterior(cases.gaps, cases.unit, rope, rng=setting.rng)
    # Two folds of one repetition test as many cases as they learn from.
    ratios = {"paired-t": 0.0, "corrected-t": setting.test_ratio or 0.0}
    ratios |= {"5x2cv-t": 1.0, "5x2cv-f": 1.0}
    if test in ratios:
        return correlated_t(_gaps(given), ratios[test], rope)
    return signed_rank_posterior(_gaps(given), rope, rng=setting.rng)


_TESTS: dict[str, Callable[[PairInputs, _Setting], PairTest]] = {
    "wilcoxon": _wilcoxon,
    "sign": _sign,
    "paired-t": _paired_t,
    "corrected-t": _corrected_t,
    "5x2cv-t": _five_by_two("t"),
    "5x2cv-f": _five_by_two("f"),
    "mcnemar": _mcnemar("mid-p"),
    "mcnemar-exact": _mcnemar("exact"),
    "mcnemar-corrected": _mcnemar("corrected"),
    "mcnemar-plain": _mcnemar("plain"),
    "delong": _delong,
    "bootstrap": _bootstrap,
    "permutation": _permutation,
}
