"""Do one test of two models, and draw the chances that go with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from scorecast._core.types import FloatArray
from scorecast.comparison.bayesian import (
    RopeChances,
    correlated_t,
    mean_posterior,
    share_posterior,
    signed_rank_posterior,
)
from scorecast.comparison.effect_sizes import steady_gaps
from scorecast.comparison.mcnemar import mcnemar
from scorecast.comparison.pair_inputs import PairInputs
from scorecast.comparison.pair_test import PairTest, sign_of
from scorecast.comparison.resampling import (
    PairedCases,
    bootstrap_test,
    clustered_t_test,
    permutation_test,
)
from scorecast.comparison.signed_ranks import sign_test, wilcoxon
from scorecast.comparison.t_tests import (
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    paired_t,
)
from scorecast.evaluation import areas_under_curves
from scorecast.exceptions import InsufficientDataError, UsageError

__all__ = ["Setting", "chances_of", "gaps_of", "run_test"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How a test is done.

    Attributes
    ----------
    level : float
        Level of the interval.
    test_ratio : float or None
        Cases tested per case learned from.
    zeros : str
        What signed ranks do with differences of nought.
    n_resamples : int
        Resamples or exchanges.
    rng : numpy.random.Generator
        Where they come from.
    """

    level: float
    test_ratio: float | None
    zeros: str
    n_resamples: int
    rng: np.random.Generator


def run_test(test: str, given: PairInputs, setting: Setting) -> PairTest:
    """Do a test.

    Parameters
    ----------
    test : str
        Its name, none of which is ``"auto"``.
    given : PairInputs
        As the test takes them.
    setting : Setting
        How.

    Returns
    -------
    PairTest
        What it says.
    """
    return _TESTS[test](given, setting)


def gaps_of(given: PairInputs) -> FloatArray:
    """Return differences, first less second."""
    return steady_gaps(given.first_numbers, given.second_numbers)


def _wilcoxon(given: PairInputs, setting: Setting) -> PairTest:
    return wilcoxon(gaps_of(given), zeros=setting.zeros, level=setting.level)


def _sign(given: PairInputs, setting: Setting) -> PairTest:
    return sign_test(gaps_of(given), level=setting.level)


def _paired_t(given: PairInputs, setting: Setting) -> PairTest:
    return paired_t(gaps_of(given), level=setting.level)


def _corrected_t(given: PairInputs, setting: Setting) -> PairTest:
    if setting.test_ratio is None:
        msg = "The corrected t-test needs `test_ratio`: cases tested per case learned."
        raise UsageError(msg)
    return corrected_t(gaps_of(given), setting.test_ratio, level=setting.level)


def _five_by_two(which: str) -> Callable[[PairInputs, Setting], PairTest]:
    def run(given: PairInputs, setting: Setting) -> PairTest:
        if not given.is_five_by_two:
            msg = (
                f"5x2cv needs values of shape (5, 2): five repetitions of two folds; "
                f"got {given.shape}."
            )
            raise InsufficientDataError(msg)
        test = five_by_two_t if which == "t" else five_by_two_f
        return test(gaps_of(given).reshape(5, 2), level=setting.level)

    return run


def _mcnemar(method: str) -> Callable[[PairInputs, Setting], PairTest]:
    def run(given: PairInputs, setting: Setting) -> PairTest:
        first, second = given.right()
        return mcnemar(first, second, method=method, level=setting.level)

    return run


def _delong(given: PairInputs, setting: Setting) -> PairTest:
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
                "compared by, such as 'auc' or 'mse'."
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


def _bootstrap(given: PairInputs, setting: Setting) -> PairTest:
    return bootstrap_test(
        _cases(given), level=setting.level, n_resamples=setting.n_resamples,
        rng=setting.rng,
    )  # fmt: skip


def _permutation(given: PairInputs, setting: Setting) -> PairTest:
    return permutation_test(
        _cases(given), level=setting.level, n_resamples=setting.n_resamples,
        rng=setting.rng,
    )  # fmt: skip


def _clustered_t(given: PairInputs, setting: Setting) -> PairTest:
    if given.groups is None:
        msg = "The clustered-t test needs `groups`: cases that belong together."
        raise UsageError(msg)
    return clustered_t_test(_cases(given), level=setting.level)


def chances_of(
    given: PairInputs, test: str, rope: float | None, setting: Setting
) -> RopeChances | None:
    """Return the chances around a region of practical equivalence.

    Parameters
    ----------
    given : PairInputs
        As the test takes them.
    test : str
        The test whose question they are about.
    rope : float or None
        Half the width of the region.
    setting : Setting
        Where draws come from.

    Returns
    -------
    RopeChances or None
        None without a region.
    """
    if rope is None:
        return None
    if test.startswith("mcnemar"):
        first, second = given.right()
        apart = int((first & ~second).sum()), int((second & ~first).sum())
        return share_posterior(*apart, given.n, rope, rng=setting.rng)
    if test in ("bootstrap", "permutation", "clustered-t"):
        cases = _cases(given)
        return mean_posterior(cases.gaps, cases.unit, rope, rng=setting.rng)
    # Two folds of one repetition test as many cases as they learn from.
    ratios = {"paired-t": 0.0, "corrected-t": setting.test_ratio or 0.0}
    ratios |= {"5x2cv-t": 1.0, "5x2cv-f": 1.0}
    if test in ratios:
        return correlated_t(gaps_of(given), ratios[test], rope)
    return signed_rank_posterior(gaps_of(given), rope, rng=setting.rng)


_TESTS: dict[str, Callable[[PairInputs, Setting], PairTest]] = {
    "wilcoxon": _wilcoxon,
    "sign": _sign,
    "paired-t": _paired_t,
    "clustered-t": _clustered_t,
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
