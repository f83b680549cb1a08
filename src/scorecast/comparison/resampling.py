"""Differences between two models unit by unit: bootstrap, permutation, clustered t.

A unit is a sample, or a group of samples that belong together (a patient, a speaker):
units are drawn, or the models exchanged within them, as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import NDArray

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.comparison.bayesian import BAYESIAN_BOOTSTRAP
from scorecast.comparison.paired_tests import (
    PAIR_TESTS,
    Grouping,
    PairData,
    PairOutcome,
    PairTest,
    TestSettings,
    sign_of,
)
from scorecast.evaluation import bca
from scorecast.exceptions import InvalidInputError

_MOST_ENUMERATED = 14  # units: 16,384 ways to exchange the models
_MOST_FOR_ENDS = 2_000  # resamples for the interval beside a permutation test
_BLOCK = 1_000_000
MANY_UNITS = 50  # from which p of a metric by the bootstrap is near its level


class _Units:
    """Data by unit, ready to be drawn and exchanged thousands of times."""

    def __init__(self, data: PairData) -> None:
        self.first: NDArray[Any] = data.first
        self.second: NDArray[Any] = data.second
        self.truth = data.truth
        self.metric = data.metric
        self.unit = data.unit
        self.n_units = data.n_units
        self.is_grouped = data.n_units < data.n
        self.gaps: FloatArray = np.empty(0)
        if self.metric is None:
            first, second = data.numbers
            self.first, self.second, self.gaps = first, second, first - second
        self.sizes: FloatArray = np.bincount(self.unit).astype(np.float64)

    @property
    def totals(self) -> FloatArray:
        """Sum of differences of every unit."""
        return np.bincount(self.unit, weights=self.gaps).astype(np.float64)

    def difference(self, rows: IntArray | BoolArray | None = None) -> float:
        """Return the difference on all samples, or on some of them."""
        chosen = slice(None) if rows is None else rows
        if self.metric is None or self.truth is None:
            return float(self.gaps[chosen].mean())
        truth = self.truth[chosen]
        first = _value(self.metric, truth, self.first[chosen])
        return first - _value(self.metric, truth, self.second[chosen])

    def observed(self) -> float:
        """Return the difference on all samples, or refuse a metric that gives none."""
        found = self.difference()
        if not math.isfinite(found) and self.metric is not None:
            first, second = (
                _value(self.metric, self.truth, x) for x in (self.first, self.second)
            )
            raise InvalidInputError(
                f"gives {first:g} for the first model and {second:g} for the second: "
                "it must be a finite number for both",
                parameter="scoring",
            )
        return found

    def exchanged(self, flip: BoolArray) -> float:
        """Return the difference in a metric after exchanging the models somewhere."""
        turned = flip[self.unit]
        first = np.where(turned, self.second, self.first)
        second = np.where(turned, self.first, self.second)
        if self.metric is None:
            return float((first - second).mean())
        value = _value(self.metric, self.truth, first)
        return value - _value(self.metric, self.truth, second)

    def by_unit(self) -> Callable[[IntArray], float]:
        """Say how a choice of units gives the difference."""
        if self.metric is None:
            totals, sizes = self.totals, self.sizes
            return lambda u: float(totals[u].sum() / sizes[u].sum())
        order = np.argsort(self.unit, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(self.unit))[:-1])
        return lambda u: self.difference(np.concatenate([members[i] for i in u]))

    def moves(self) -> tuple[float, FloatArray, FloatArray]:
        """Return a difference, how each unit moves it, and the share others hold."""
        seen = self.difference()
        without = [self.difference(self.unit != u) for u in range(self.n_units)]
        return seen, seen - np.array(without), 1 - self.sizes / self.sizes.sum()


def _value(
    metric: Callable[[Any, Any], float], truth: Any, said: NDArray[np.generic]
) -> float:
    """Return what a metric gives, if it is a number."""
    found: Any = metric(truth, said)
    try:
        return float(found)
    except (TypeError, ValueError) as error:
        problem = f"must give a number; got {type(found).__name__}"
        raise InvalidInputError(problem, parameter="scoring") from error


# The bootstrap ---------------------------------------------------------------------


def bootstrap(data: PairData, how: TestSettings) -> PairOutcome:
    """Return the bootstrap interval of a difference, and how often luck does as much.

    p is the share of resamples farther from the difference than that is from nought,
    with one added above and below. Of means, and of metrics by groups (by what each
    group does to them), distances are in standard errors, and so is the interval; of a
    metric of single samples they are not, and the interval is BCa.
    """
    units = _Units(data.as_values())
    observed = units.observed()
    ends_rng, p_rng = how.rng.spawn(2)
    level, n_resamples = how.confidence_level, how.n_resamples
    found = None
    values: tuple[FloatArray, FloatArray] | None = None
    if units.metric is None:
        values = units.totals, units.sizes
    elif units.is_grouped:
        values = _linearized(units, observed)
    if values is not None:
        found = _studentized(values, observed, level, n_resamples, p_rng)
    if found is None:
        found = _plain(units, observed, level, n_resamples, (ends_rng, p_rng))
    p, low, high = found
    return PairOutcome(
        statistic=observed,
        p_value=1.0 if observed == 0 else p,
        difference=observed,
        low=low,
        high=high,
        direction=sign_of(observed),
        is_approximation_good=values is not None or units.n_units >= MANY_UNITS,
    )


def _linearized(units: _Units, observed: float) -> tuple[FloatArray, FloatArray] | None:
    """Return a value for each unit, of which the mean is the difference in a metric."""
    _, moves, left = units.moves()
    shares = moves * left
    if not np.isfinite(shares).all():
        return None
    values = observed + units.n_units * (shares - shares.mean())
    return values, np.ones(units.n_units)


def _plain(
    units: _Units,
    observed: float,
    level: float,
    n_resamples: int,
    streams: tuple[np.random.Generator, np.random.Generator],
) -> tuple[float, float, float]:
    """Return p and the BCa interval of any difference."""
    statistic = units.by_unit()
    every = np.arange(units.n_units)
    strata = np.zeros(units.n_units, dtype=np.int64)
    low, high = bca(
        statistic, strata, level=level, rng=streams[0], n_resamples=n_resamples
    )
    drawn = np.array([
        statistic(every[streams[1].integers(0, every.size, every.size)])
        for _ in range(n_resamples)
    ])  # fmt: skip
    drawn = drawn[np.isfinite(drawn)]
    # Rounding must not make a difference of nought smaller than itself.
    far = np.abs(drawn - observed) >= abs(observed) * (1 - 1e-12)
    return (1 + int(far.sum())) / (1 + drawn.size), low, high


def _studentized(
    values: tuple[FloatArray, FloatArray],
    observed: float,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float, float] | None:
    """Return p and the symmetric interval of a mean; None where nothing varies.

    Without standard errors of their own, resamples of few units lie too close
    together: a test at 5 % would err in 8 to 9 % (Efron and Tibshirani 1993, ch. 12).
    """
    totals, sizes = values
    moments = np.column_stack([totals, sizes, totals**2, totals * sizes, sizes**2])
    error = float(_errors(moments.sum(axis=0)[None, :], observed)[0])
    if error == 0:
        return None
    n = totals.size
    step = max(_BLOCK // n, 1)
    t = []
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        times = rng.multinomial(n, np.full(n, 1 / n), size).astype(np.float64)
        summed = times @ moments
        means = summed[:, 0] / summed[:, 1]
        away, errors = np.abs(means - observed), _errors(summed, means)
        # Units all alike show no error of their own: as far off as can be.
        far = np.where(away > 1e-12 * np.abs(totals).max(), np.inf, 0.0)
        t.append(np.divide(away, errors, out=far, where=errors > 0))
    drawn = np.concatenate(t)
    as_far = int((drawn >= abs(observed) / error * (1 - 1e-12)).sum())
    half = float(np.quantile(drawn, level, method="higher")) * error
    if not math.isfinite(half):
        half = math.nan
    return (1 + as_far) / (1 + drawn.size), observed - half, observed + half


def _errors(summed: FloatArray, means: FloatArray | float) -> FloatArray:
    """Return standard errors of ratios of sums; nought where only rounding varies."""
    _, sizes, squares, crossed, square_sizes = summed.T
    spread = squares - 2 * means * crossed + means**2 * square_sizes
    spread = np.where(spread > 1e-12 * squares, spread, 0.0)
    errors: FloatArray = np.sqrt(spread) / sizes
    return errors


_EFRON = (
    "B. Efron and R. J. Tibshirani (1993). An Introduction to the Bootstrap. Chapman "
    "and Hall."
)
PAIR_TESTS.add(
    PairTest(
        name="bootstrap",
        title="bootstrap test",
        summary="means or any metric, by groups too; ten units at least",
        reference=_EFRON,
        assumes=("units are independent, and resemble those to come",),
        evaluate=bootstrap,
        grouping=Grouping.UNITS,
        takes_metric=True,
        least_samples=10,  # of fewer, resamples say too little of what was not seen
        is_drawn=True,
        posterior=BAYESIAN_BOOTSTRAP,
    )
)


# Permutation -----------------------------------------------------------------------


def permutation(data: PairData, how: TestSettings) -> PairOutcome:
    """Exchange the models within units, and see how often the difference is as large.

    p counts the exchanges that give as much, the one that was seen among them. The
    interval of means is a t by units, that of a metric by groups a t of what each group
    does to it, else BCa.
    """
    units = _Units(data.as_values())
    observed = units.observed()
    n_units = units.n_units
    flip_rng, ends_rng = how.rng.spawn(2)
    is_whole = n_units <= _MOST_ENUMERATED
    if is_whole:
        numbers = np.arange(2**n_units)[:, None]
        flips: BoolArray = (numbers >> np.arange(n_units)) & 1 == 1
    else:
        flips = flip_rng.random((how.n_resamples, n_units)) < 0.5
    if units.metric is None:
        found = _exchanged_means(units, flips)
    else:
        found = np.array([units.exchanged(flip) for flip in flips])
    # Exchanges without a value might have given as much: they count against.
    is_nearer = np.abs(found) < abs(observed) * (1 - 1e-12)
    as_far = int((~is_nearer).sum())
    p = as_far / len(flips) if is_whole else (1 + as_far) / (1 + len(flips))
    df: tuple[float, ...] = ()
    level = how.confidence_level
    if units.metric is None or units.is_grouped:
        by_unit = _clustered_mean if units.metric is None else _clustered_metric
        low, high, freedom = by_unit(units, level)
        df = (freedom,)
    else:
        low, high = bca(
            units.by_unit(),
            np.zeros(n_units, dtype=np.int64),
            level=level,
            rng=ends_rng,
            n_resamples=min(how.n_resamples, _MOST_FOR_ENDS),
        )
    return PairOutcome(
        statistic=observed,
        p_value=1.0 if observed == 0 else p,
        difference=observed,
        low=low,
        high=high,
        direction=sign_of(observed),
        df=df,
        smallest_p=2.0 ** (1 - n_units) if is_whole else 1 / (1 + len(flips)),
        n_exchanges=None if is_whole else len(flips),
    )


def _exchanged_means(units: _Units, flips: BoolArray) -> FloatArray:
    totals = units.totals / units.unit.size
    step = max(_BLOCK // totals.size, 1)
    blocks = [
        (1 - 2.0 * flips[start : start + step]) @ totals
        for start in range(0, len(flips), step)
    ]
    return np.concatenate(blocks)


PAIR_TESTS.add(
    PairTest(
        name="permutation",
        title="permutation test",
        summary="means or any metric, by groups too; exact up to 14 units",
        reference="E. J. G. Pitman (1937). Significance tests which may be applied to "
        "samples from any populations. Journal of the Royal Statistical Society, "
        "Supplement 4.",
        further=(_EFRON,),
        assumes=(
            "units are independent; without a difference, models can be swapped",
            "sums of units are about normal, for the interval of a mean",
        ),
        evaluate=permutation,
        grouping=Grouping.UNITS,
        takes_metric=True,
        smallest_p=lambda n, _models: 2.0 ** (1 - n),
        is_exact=True,
        is_drawn=True,
        posterior=BAYESIAN_BOOTSTRAP,
    )
)


# Student's t by units --------------------------------------------------------------


def _clustered_mean(units: _Units, level: float) -> tuple[float, float, float]:
    """Return the t interval of a mean difference of samples in units.

    The standard error is that of a ratio of sums over units, robust to what samples of
    a unit share, each sum divided by what its own unit takes from it (Bell and
    McCaffrey 2002). Of C units of one size that is C / (C - 1) in the variance, and t
    has C - 1 degrees of freedom; of unlike sizes it has fewer. Ends are NaN where all
    units differ alike, so that no spread is seen.
    """
    if units.n_units < 2:
        return math.nan, math.nan, 0.0
    mean, error, df = _clustered_error(units)
    if error == 0:
        end = 0.0 if mean == 0 else math.nan
        return end, end, df
    half = float(scipy.special.stdtrit(df, 0.5 + level / 2)) * error
    low, high = mean - half, mean + half
    if all(np.isin(x, (0, 1)).all() for x in (units.first, units.second)):
        low, high = max(low, -1.0), min(high, 1.0)
    return low, high, df


def _clustered_metric(units: _Units, level: float) -> tuple[float, float, float]:
    """Return the t interval of a difference in a metric of samples in units.

    Each unit is left out in turn. Of a mean the squared moves, each times what its unit
    leaves of the samples, add up to the variance of `_clustered_mean`; of any smooth
    metric they do so nearly. Degrees of freedom are those of a mean of units of these
    sizes. Ends are NaN where the metric has no value without some unit, as an area
    without the only unit of a class.
    """
    if units.n_units < 2:
        return math.nan, math.nan, 0.0
    seen, moves, left = units.moves()
    df = _freedom(units.sizes)
    error = math.sqrt(float((left * moves**2).sum()))
    if math.isnan(error) or error == 0:
        end = 0.0 if error == 0 and seen == 0 else math.nan
        return end, end, df
    half = float(scipy.special.stdtrit(df, 0.5 + level / 2)) * error
    return seen - half, seen + half, df


def _clustered_error(units: _Units) -> tuple[float, float, float]:
    """Return a mean difference, its standard error by units, and degrees of freedom."""
    totals, sizes = units.totals, units.sizes
    n = sizes.sum()
    mean = float(totals.sum() / n)
    rest = totals - mean * sizes
    rest = np.where(np.abs(rest) > 1e-12 * np.abs(totals).max(), rest, 0.0)
    error = math.sqrt(float((rest**2 / (1 - sizes / n)).sum())) / n
    return mean, error, _freedom(sizes)


def _freedom(sizes: FloatArray) -> float:
    """Return the degrees of freedom of the variance of a mean of samples in units."""
    n = sizes.sum()
    shares = sizes**2 / (n * (1 - sizes / n))
    among = (sizes**2).sum() + shares.sum() ** 2 - (shares**2).sum()
    return float(n**2 / among)


def clustered_t(data: PairData, how: TestSettings) -> PairOutcome:
    """Return the t-test of a mean difference of samples in units.

    p is NaN where all units differ alike, so that no spread is seen.
    """
    units = _Units(data)
    mean, error, df = _clustered_error(units)
    low, high, _ = _clustered_mean(units, how.confidence_level)
    t = 0.0 if mean == 0 else mean / error if error > 0 else math.nan
    p = min(2 * float(scipy.special.stdtr(df, -abs(t))), 1.0)
    is_known = not math.isnan(t)
    return PairOutcome(
        statistic=t,
        p_value=p if is_known else math.nan,
        difference=mean,
        low=low,
        high=high,
        direction=sign_of(mean),
        df=(df,),
        is_spread_known=is_known,
    )


PAIR_TESTS.add(
    PairTest(
        name="clustered-t",
        title="clustered t-test",
        summary="means of samples in groups",
        reference="R. M. Bell and D. F. McCaffrey (2002). Bias reduction in standard "
        "errors for linear regression with multi-stage samples. Survey Methodology 28.",
        assumes=(
            "groups are independent, and resemble those to come",
            "sums of groups are about normal",
        ),
        evaluate=clustered_t,
        takes_many=True,
        grouping=Grouping.REQUIRED,
        least_samples=2,
        posterior=BAYESIAN_BOOTSTRAP,
    )
)
