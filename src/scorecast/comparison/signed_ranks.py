"""Tests of differences that ask only for their signs and ranks.

Wilcoxon's signed-rank test with three treatments of zeros, the sign test, and the
pseudo-median: the median of the means of all pairs of values, in n log n.
"""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import FloatArray, IntArray
from scorecast.comparison.bayesian import SIGNED_RANK
from scorecast.comparison.paired_tests import (
    PAIR_TESTS,
    Estimand,
    Grouping,
    PairOutcome,
    PairTest,
    RowKind,
    sign_of,
)
from scorecast.evaluation import midranks

HODGES_LEHMANN = (
    "J. L. Hodges and E. L. Lehmann (1963). Estimates of location based on rank tests. "
    "Annals of Mathematical Statistics 34."
)
NOT_MEAN_RANKS = (
    "A. Benavoli, G. Corani and F. Mangili (2016). Should we really use post-hoc tests "
    "based on mean-ranks? Journal of Machine Learning Research 17."
)
_MOST_EXACT = 50  # differences; beyond, the normal approximation is good to 1e-3


class Zeros(StrEnum):
    """What becomes of differences of nought.

    RANKED: ranked, then left out (Pratt 1959). SPLIT: ranked, and half of their ranks
    given to each side (Demsar 2006). DROPPED: left out before ranking (Wilcoxon 1945).
    """

    RANKED = "ranked"
    SPLIT = "split"
    DROPPED = "dropped"


def signed_rank_p(
    gaps: FloatArray, zeros: Zeros = Zeros.RANKED
) -> tuple[float, float, int]:
    """Return p, the smaller sum of ranks, and the direction of the signed-rank test.

    For up to 50 differences p is exact given the ranks, ties included, and zeros too
    unless they are split: their halved ranks stay in the middle, while the count of
    signs has them move, so that p is approximate, and too small far out.
    """
    size = np.abs(gaps)
    ranks = midranks(size)
    if zeros is Zeros.DROPPED:
        ranks = ranks - (size == 0).sum()
    moving = np.where(size == 0, ranks if zeros is Zeros.SPLIT else 0.0, ranks)
    above, below = float(moving[gaps > 0].sum()), float(moving[gaps < 0].sum())
    smaller = min(above, below) + float(moving[size == 0].sum()) / 2
    if gaps.size <= _MOST_EXACT:
        p = _exact_p(moving, smaller)
    else:
        spread = math.sqrt(float((moving**2).sum())) / 2
        away = float(moving.sum()) / 2 - smaller
        z = away / spread if spread > 0 else 0.0
        p = min(2 * float(scipy.special.ndtr(-z)), 1.0)
    return p, smaller, sign_of(above - below)


def _exact_p(ranks: FloatArray, smaller: float) -> float:
    """Count the signs of the ranks that give as small a sum, or as large a one."""
    # Shared ranks are halves, so that twice the ranks are whole.
    doubled: IntArray = np.rint(2 * ranks[ranks > 0]).astype(np.int64)
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    reached = 0
    for weight in doubled:  # each in or out by a coin
        reached += int(weight)
        moved = chances[: reached + 1].copy()
        moved[weight:] += chances[: reached + 1 - weight]
        chances[: reached + 1] = moved / 2
    return min(2 * float(chances[: math.floor(2 * smaller) + 1].sum()), 1.0)


def wilcoxon(
    gaps: FloatArray, level: float, zeros: Zeros = Zeros.RANKED
) -> PairOutcome:
    """Return Wilcoxon's signed-rank test; the statistic is the smaller sum of ranks."""
    p, statistic, direction = signed_rank_p(gaps, zeros)
    middle, low, high = pseudo_median(gaps, level)
    return PairOutcome(
        statistic=statistic,
        p_value=p,
        difference=middle,
        low=low,
        high=high,
        direction=direction,
    )


def sign_test(gaps: FloatArray, level: float) -> PairOutcome:
    """Return the sign test: whether one model wins more often than a coin.

    Differences of nought are left out; the interval is that of the median, and the
    statistic the smaller number of wins.
    """
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    fewer, n = min(wins, losses), gaps.size
    tail = scipy.special.bdtr
    p = 2 * float(tail(fewer, wins + losses, 0.5)) if wins + losses else 1.0
    # As many of the ordered values on each side as together miss often enough.
    k = np.arange(n + 1)
    left_out = int(np.argmax(tail(k, n, 0.5) >= (1 - level) / 2 * (1 - 1e-12))) - 1
    ordered = np.sort(gaps)
    is_known = left_out >= 0
    return PairOutcome(
        statistic=float(fewer),
        p_value=min(p, 1.0),
        difference=float(np.median(ordered)),
        low=float(ordered[left_out]) if is_known else math.nan,
        high=float(ordered[n - 1 - left_out]) if is_known else math.nan,
        direction=sign_of(wins - losses),
    )


def _all_of_one_sign(n_rows: int, n_models: int) -> float:
    """Return the chance that all differences have one sign by luck."""
    del n_models
    return 2.0 ** (1 - n_rows)


_WILCOXON = (
    "F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics "
    "Bulletin 1."
)
_INDEPENDENT = "data sets are independent, and resemble those to come"
_SYMMETRIC = "differences are comparable, and symmetric around one value"


def _add_wilcoxon(
    name: str,
    title: str,
    summary: str,
    zeros: Zeros,
    *,
    is_exact: bool = True,
    aliases: tuple[str, ...] = (),
    further: tuple[str, ...] = (),
    assumes: tuple[str, ...] = (),
) -> None:
    """Register the signed-rank test with one treatment of zeros."""
    PAIR_TESTS.add(
        PairTest(
            name=name,
            title=title,
            summary=summary,
            aliases=aliases,
            reference=_WILCOXON,
            further=further,
            assumes=(_INDEPENDENT, _SYMMETRIC, *assumes),
            evaluate=lambda data, how: wilcoxon(data.gaps, how.confidence_level, zeros),
            takes=frozenset({RowKind.DATASETS}),
            takes_many=True,
            grouping=Grouping.MEANS,
            estimand=Estimand.PSEUDO_MEDIAN,
            smallest_p=_all_of_one_sign,
            is_exact=is_exact,
            posterior=SIGNED_RANK,
        )
    )


_add_wilcoxon(
    "wilcoxon",
    "Wilcoxon signed-rank test, zeros by Pratt",
    "independent values, such as results on data sets",
    Zeros.RANKED,
    aliases=("wilcoxon-pratt",),
    further=(
        "J. W. Pratt (1959). Remarks on zeros and ties in the Wilcoxon signed rank "
        "procedures. Journal of the American Statistical Association 54.",
    ),
)
_add_wilcoxon(
    "wilcoxon-zsplit",
    "Wilcoxon signed-rank test, ranks of zeros split",
    "the same, each side given half of the ranks of zeros",
    Zeros.SPLIT,
    aliases=("wilcoxon-split",),
    is_exact=False,
    further=(
        "J. Demsar (2006). Statistical comparisons of classifiers over multiple data "
        "sets. Journal of Machine Learning Research 7.",
    ),
    assumes=(
        "p is exact without zeros, and approximate with them: they are counted as if a "
        "coin gave their signs",
    ),
)
_add_wilcoxon(
    "wilcoxon-drop",
    "Wilcoxon signed-rank test, zeros dropped",
    "the same, zeros left out before ranking",
    Zeros.DROPPED,
)
PAIR_TESTS.add(
    PairTest(
        name="sign",
        title="sign test",
        summary="who wins more often, whatever by how much",
        reference="J. Arbuthnott (1710). An argument for divine providence, taken from "
        "the constant regularity observed in the births of both sexes. Philosophical "
        "Transactions 27.",
        assumes=(_INDEPENDENT,),
        evaluate=lambda data, how: sign_test(data.gaps, how.confidence_level),
        takes=frozenset({RowKind.DATASETS}),
        takes_many=True,
        grouping=Grouping.MEANS,
        estimand=Estimand.MEDIAN,
        smallest_p=_all_of_one_sign,
        is_exact=True,
        posterior=SIGNED_RANK,
    )
)


# The pseudo-median -----------------------------------------------------------------

_FEW = 4  # candidates per value that are cheaper to list than to divide again
_SOME = 40
_ROWS, _COLUMNS = np.triu_indices(_SOME)


def pseudo_median(values: FloatArray, level: float) -> tuple[float, float, float]:
    """Return the estimate of Hodges and Lehmann with the interval of the signed ranks.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Differences.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Pseudo-median, low and high; the ends are NaN where so few values cannot reach
        the level.

    Examples
    --------
    >>> pseudo_median(np.array([1.0, 2, 3, 4, 5, 6, 10]), 0.95)
    (4.0, 2.0, 7.5)
    """
    ordered = np.sort(values)
    n = ordered.size
    pairs = n * (n + 1) // 2
    middle = walsh_order_statistic(ordered, pairs // 2)
    if pairs % 2 == 0:
        middle = (walsh_order_statistic(ordered, pairs // 2 - 1) + middle) / 2
    dropped = _dropped(n, level)
    if dropped < 0:
        return middle, math.nan, math.nan
    return (
        middle,
        walsh_order_statistic(ordered, dropped),
        walsh_order_statistic(ordered, pairs - 1 - dropped),
    )


def _dropped(n: int, level: float) -> int:
    """Return how many averages lie outside the interval on each side; -1 for none."""
    tail = (1 - level) / 2
    if n > _MOST_EXACT:
        error = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        quantile = float(scipy.special.ndtri(tail))
        return max(math.floor(n * (n + 1) / 4 + quantile * error), 0)
    chances = np.ones(1)
    for rank in range(1, n + 1):
        longer = np.zeros(chances.size + rank)
        longer[: chances.size] += chances / 2
        longer[rank:] += chances / 2
        chances = longer
    # Leaving out c on a side misses there with the chance of a sum of ranks up to c.
    return int((np.cumsum(chances) <= tail).sum()) - 1


def walsh_order_statistic(ordered: FloatArray, rank: int) -> float:
    """Return one of the sorted means of all pairs of values, each with itself too.

    No list of all n (n + 1) / 2 is made, but of the few that are left when guesses
    have closed in on it.
    """
    n = ordered.size
    if ordered[0] == ordered[-1]:
        return float(ordered[0])
    first = np.arange(n)
    low, high = first, np.full(n, n)  # candidates j of every i: low <= j < high
    n_low, n_high = 0, n * (n + 1) // 2
    ends = [float(ordered[0]), float(ordered[-1])]
    guess = _first_guess(ordered, (rank + 0.5) / n_high)
    side = 1.0
    while n_high - n_low > _FEW * n and ends[0] < guess < ends[1]:
        cut = np.searchsorted(ordered, 2 * guess - ordered, side="right")
        cut = np.maximum(cut, first)
        n_cut = int((cut - first).sum())
        if n_cut > rank:
            high, n_high, ends[1], side = cut, n_cut, guess, -1.0
        else:
            low, n_low, ends[0], side = cut, n_cut, guess, 1.0
        # A little beyond the likely place, so that the other end moves next.
        share = (rank + 0.5 - n_low + side * n) / max(n_high - n_low, 1)
        guess = ends[0] + min(max(share, 0.05), 0.95) * (ends[1] - ends[0])
    return _among(ordered, low, high, rank - n_low)


def _first_guess(ordered: FloatArray, share: float) -> float:
    """Guess from the means of pairs of a few values."""
    few = ordered[np.linspace(0, ordered.size - 1, _SOME).round().astype(int)]
    means = few[_ROWS] + few[_COLUMNS]
    place = min(int(share * means.size), means.size - 1)
    return float(np.partition(means, place)[place]) / 2


def _among(ordered: FloatArray, low: IntArray, high: IntArray, rank: int) -> float:
    """List the candidates and take the one that stands at the place."""
    sizes = high - low
    rows = np.repeat(np.arange(ordered.size), sizes)
    starts = np.cumsum(sizes) - sizes
    columns = np.arange(rows.size) - np.repeat(starts - low, sizes)
    means = (ordered[rows] + ordered[columns]) / 2
    return float(np.partition(means, rank)[rank])
