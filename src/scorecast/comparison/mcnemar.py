"""Two models that are right or wrong on the same cases."""

from __future__ import annotations

import math

from scipy.special import chdtrc
from scipy.stats import binom

from scorecast._core.types import BoolArray
from scorecast.comparison.pair_test import PairTest, sign_of
from scorecast.evaluation import wilson
from scorecast.exceptions import UsageError

__all__ = ["least_cases", "mcnemar", "mcnemar_of_counts", "paired_share_interval"]

_METHODS = ("mid-p", "exact", "corrected", "plain")


def mcnemar(
    right_a: BoolArray, right_b: BoolArray, *, method: str = "mid-p", level: float
) -> PairTest:
    """Return McNemar's test of two models on the same cases.

    Parameters
    ----------
    right_a, right_b : ndarray of bool of shape (n,)
        Whether each model is right.
    method : {"mid-p", "exact", "corrected", "plain"}, default="mid-p"
        The binomial test with half the weight of what was seen, the whole of it, or
        chi-squared with and without Edwards' correction.
    level : float
        Level of the interval of the difference.

    Returns
    -------
    PairTest
        Of the shares of right cases.
    """
    counts = (
        int((right_a & right_b).sum()),
        int((right_a & ~right_b).sum()),
        int((~right_a & right_b).sum()),
        int((~right_a & ~right_b).sum()),
    )
    return mcnemar_of_counts(counts, method=method, level=level)


def mcnemar_of_counts(
    counts: tuple[int, int, int, int], *, method: str = "mid-p", level: float = 0.95
) -> PairTest:
    """Return McNemar's test of a table of counts.

    Parameters
    ----------
    counts : tuple of int
        Cases on which both are right, only the first, only the second, none.
    method : {"mid-p", "exact", "corrected", "plain"}, default="mid-p"
        How p is found.
    level : float, default=0.95
        Level of the interval of the difference.

    Returns
    -------
    PairTest
        Of the shares of right cases.

    Raises
    ------
    UsageError
        If the method is not one of the four.

    Examples
    --------
    >>> round(mcnemar_of_counts((101, 121, 59, 33), method="corrected").statistic, 4)
    20.6722
    """
    if method not in _METHODS:
        msg = f"McNemar's test is {', '.join(_METHODS)}; got {method!r}."
        raise UsageError(msg)
    _, only_a, only_b, _ = counts
    n, apart = sum(counts), only_a + only_b
    low, high = paired_share_interval(counts, level)
    statistic, p = float(min(only_a, only_b)), 1.0
    df: tuple[float, ...] = ()
    if method in ("corrected", "plain"):
        less = 1.0 if method == "corrected" else 0.0
        df = (1.0,)
        gap = max(abs(only_a - only_b) - less, 0.0)
        statistic = gap**2 / apart if apart else 0.0
        p = float(chdtrc(1, statistic))
    elif apart:
        p = 2 * float(binom.cdf(statistic, apart, 0.5))
        if method == "mid-p":
            p -= float(binom.pmf(statistic, apart, 0.5))
    return PairTest(
        test=f"mcnemar-{method}",
        statistic=statistic,
        p=1.0 if only_a == only_b else min(p, 1.0),
        difference=(only_a - only_b) / n,
        low=low,
        high=high,
        direction=sign_of(only_a - only_b),
        of="share of right cases",
        df=df,
    )


def least_cases(alpha: float, method: str = "mid-p") -> int:
    """Return how many cases McNemar's test needs to be able to reach a level.

    Parameters
    ----------
    alpha : float
        Level of a two-sided test.
    method : {"mid-p", "exact", "corrected", "plain"}, default="mid-p"
        How p is found.

    Returns
    -------
    int
        The least n whose p is small enough where one model alone is right on all.

    Examples
    --------
    >>> least_cases(0.05), least_cases(0.05, "exact"), least_cases(0.01)
    (5, 6, 7)
    """
    level = 1 - alpha
    n = 1
    while mcnemar_of_counts((0, n, 0, 0), method=method, level=level).p > alpha + 1e-12:
        n += 1
    return n


def paired_share_interval(
    counts: tuple[int, int, int, int], level: float
) -> tuple[float, float]:
    """Return Newcombe's interval (1998, method 10) of a difference of paired shares.

    Parameters
    ----------
    counts : tuple of int
        Cases on which both are right, only the first, only the second, none.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; of some width even where the models agree on every case.

    Examples
    --------
    >>> [round(x, 4) for x in paired_share_interval((36, 12, 2, 0), 0.95)]
    [0.0569, 0.3404]
    """
    both, only_a, only_b, none = counts
    n = sum(counts)
    share_a, share_b = (both + only_a) / n, (both + only_b) / n
    low_a, high_a = wilson(both + only_a, n, level)
    low_b, high_b = wilson(both + only_b, n, level)
    margins = (both + only_a) * (only_b + none) * (both + only_b) * (only_a + none)
    excess = float(both * none - only_a * only_b)
    if excess > 0:
        excess = max(excess - n / 2, 0.0)
    phi = excess / math.sqrt(margins) if margins else 0.0
    gap = share_a - share_b

    def reach(first: float, second: float) -> float:
        return math.sqrt(max(first**2 - 2 * phi * first * second + second**2, 0.0))

    low = gap - reach(share_a - low_a, high_b - share_b)
    high = gap + reach(share_b - low_b, high_a - share_a)
    return max(low, -1.0), min(high, 1.0)
