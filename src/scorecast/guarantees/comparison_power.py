"""The chance that a comparison of two models finds the difference there is."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

__all__ = ["DESIGNS", "comparison_power"]

DESIGNS = ("paired", "independent")
_NEGLIGIBLE = 1e-12  # chance of numbers of disagreements that are not looked at


def comparison_power(
    n: int,
    first: float,
    second: float,
    *,
    design: str,
    alpha: float,
    disagreement: float,
) -> float:
    """Return the power of a two-sided comparison of two accuracies.

    Parameters
    ----------
    n : int
        Test cases; of each model where they are tested on different ones.
    first, second : float
        The accuracies.
    design : {"paired", "independent"}
        Both models on the same cases (McNemar's exact test), or each on its own (the
        test of two proportions with the pooled variance).
    alpha : float
        Level of the test.
    disagreement : float
        Share of cases on which exactly one of the models is right; for paired cases.

    Returns
    -------
    float
        Chance of a significant difference, whichever its sign.

    Examples
    --------
    >>> round(comparison_power(388, 0.6, 0.5, design="independent", alpha=0.05,
    ...     disagreement=0.5), 3)
    0.801
    """
    if design == "paired":
        return _mcnemar(n, first - second, disagreement, alpha)
    return _two_proportions(n, first, second, alpha)


def _two_proportions(n: int, first: float, second: float, alpha: float) -> float:
    mean = (first + second) / 2
    pooled = math.sqrt(2 * mean * (1 - mean) / n)
    spread = math.sqrt((first * (1 - first) + second * (1 - second)) / n)
    z = -float(ndtri(alpha / 2))
    gap = abs(first - second)
    if spread == 0:
        return float(gap > z * pooled)
    high = ndtr((gap - z * pooled) / spread)
    return float(high + ndtr((-gap - z * pooled) / spread))


def _mcnemar(n: int, gap: float, disagreement: float, alpha: float) -> float:
    """Sum over the number of disagreements, of which a sign test is made."""
    from scipy.stats import binom  # slow to load, and not always needed

    ends = binom.ppf([_NEGLIGIBLE, 1 - _NEGLIGIBLE], n, disagreement)
    counts = np.arange(int(ends[0]), int(ends[1]) + 1)
    # The largest count in a tail of at most alpha/2; -1 where there is none.
    edge = binom.ppf(alpha / 2, counts, 0.5)
    edge = np.where(binom.cdf(edge, counts, 0.5) > alpha / 2, edge - 1, edge)
    share = (1 + gap / disagreement) / 2
    found = binom.cdf(edge, counts, share) + binom.sf(counts - edge - 1, counts, share)
    return float(np.sum(binom.pmf(counts, n, disagreement) * found))
