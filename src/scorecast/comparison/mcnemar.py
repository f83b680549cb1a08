"""McNemar's test: samples that one model alone gets right, first or second.

The other samples say nothing about which model is better.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import scipy  # its parts load when first used

from scorecast.comparison.bayesian import DIRICHLET
from scorecast.comparison.paired_tests import (
    PAIR_TESTS,
    Estimand,
    PairData,
    PairOutcome,
    PairTest,
    TestSettings,
    sign_of,
)
from scorecast.evaluation import wilson

NEWCOMBE = (
    "R. G. Newcombe (1998). Improved confidence intervals for the difference between "
    "binomial proportions based on paired data. Statistics in Medicine 17."
)
_MCNEMAR = (
    "Q. McNemar (1947). Note on the sampling error of the difference between "
    "correlated proportions or percentages. Psychometrika 12."
)
_INDEPENDENT = "samples are independent, and resemble those to come"


@dataclass(frozen=True, kw_only=True)
class PairedCounts:
    """Samples that both, one or neither of two models gets right."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def n(self) -> int:
        """All samples."""
        return self.both + self.only_first + self.only_second + self.neither

    @classmethod
    def of(cls, data: PairData) -> PairedCounts:
        """Count the samples of two models."""
        first, second = data.right()
        return cls(
            both=int((first & second).sum()),
            only_first=int((first & ~second).sum()),
            only_second=int((~first & second).sum()),
            neither=int((~first & ~second).sum()),
        )


# From samples that only the first and only the second gets right to statistic and p.
Variant = Callable[[int, int], tuple[float, float]]


def mid_p(only_first: int, only_second: int) -> tuple[float, float]:
    """Return the binomial test with half the weight of what was seen.

    Examples
    --------
    >>> mid_p(7, 1) == (1.0, 10 / 256)
    True
    """
    fewer, n = min(only_first, only_second), only_first + only_second
    if only_first == only_second:
        return float(fewer), 1.0
    less = float(scipy.special.bdtr(fewer - 1, n, 0.5)) if fewer else 0.0
    return float(fewer), min(float(scipy.special.bdtr(fewer, n, 0.5)) + less, 1.0)


def exact(only_first: int, only_second: int) -> tuple[float, float]:
    """Return the binomial test with the whole of what was seen."""
    fewer, n = min(only_first, only_second), only_first + only_second
    if only_first == only_second:
        return float(fewer), 1.0
    return float(fewer), min(2 * float(scipy.special.bdtr(fewer, n, 0.5)), 1.0)


def chi_squared(
    only_first: int, only_second: int, *, correction: float
) -> tuple[float, float]:
    """Compare with chi-squared, with or without Edwards' correction."""
    n = only_first + only_second
    gap = max(abs(only_first - only_second) - correction, 0.0)
    statistic = gap**2 / n if n else 0.0
    p = 1.0 if only_first == only_second else float(scipy.special.chdtrc(1, statistic))
    return statistic, p


def paired_difference(counts: PairedCounts, level: float) -> tuple[float, float]:
    r"""Return Newcombe's interval (1998, method 10) of a difference of paired shares.

    The ends of Wilson's intervals of both shares are put together as if their distances
    from the shares were correlated like the models, :math:`\phi`:

    .. math:: d \pm \sqrt{x^2 - 2 \phi x y + y^2}.

    Parameters
    ----------
    counts : PairedCounts
        Samples by which model gets them right.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; of some width even where the models agree on every sample.

    Examples
    --------
    >>> counts = PairedCounts(both=36, only_first=12, only_second=2, neither=0)
    >>> [round(x, 4) for x in paired_difference(counts, 0.95)]
    [0.0569, 0.3404]
    """
    n = counts.n
    k_a, k_b = counts.both + counts.only_first, counts.both + counts.only_second
    share_a, share_b = k_a / n, k_b / n
    low_a, high_a = wilson(k_a, n, level)
    low_b, high_b = wilson(k_b, n, level)
    margins = k_a * (n - k_a) * k_b * (n - k_b)
    excess = float(
        counts.both * counts.neither - counts.only_first * counts.only_second
    )
    if excess > 0:
        excess = max(excess - n / 2, 0.0)
    phi = excess / math.sqrt(margins) if margins else 0.0
    gap = share_a - share_b

    def reach(x: float, y: float) -> float:
        return math.sqrt(max(x**2 - 2 * phi * x * y + y**2, 0.0))

    low = gap - reach(share_a - low_a, high_b - share_b)
    high = gap + reach(share_b - low_b, high_a - share_a)
    return max(low, -1.0), min(high, 1.0)


def mcnemar_outcome(
    counts: PairedCounts,
    variant: Variant,
    level: float,
    *,
    df: tuple[float, ...] = (),
    min_discordant: int = 0,
) -> PairOutcome:
    """Return what a variant of the test says of counts."""
    only_first, only_second = counts.only_first, counts.only_second
    statistic, p = variant(only_first, only_second)
    low, high = paired_difference(counts, level)
    return PairOutcome(
        statistic=statistic,
        p_value=p,
        difference=(only_first - only_second) / counts.n,
        low=low,
        high=high,
        direction=sign_of(only_first - only_second),
        df=df,
        is_approximation_good=only_first + only_second >= min_discordant,
    )


@dataclass(frozen=True, kw_only=True)
class McNemarTest(PairTest):
    """A variant of McNemar's test.

    Attributes
    ----------
    evaluate_counts : callable
        From samples that only the first and only the second model gets right to the
        statistic and the two-sided p-value.
    """

    evaluate_counts: Variant


def _add(
    name: str,
    title: str,
    summary: str,
    variant: Variant,
    *,
    aliases: tuple[str, ...] = (),
    further: tuple[str, ...] = (),
    takes_many: bool = False,
    is_exact: bool = False,
    df: tuple[float, ...] = (),
    min_discordant: int = 0,
) -> None:
    """Register a variant."""
    second = "the models are fixed: luck of training is not counted"
    if min_discordant:
        second = f"there are at least {min_discordant} samples on which they differ"

    def evaluate(data: PairData, how: TestSettings) -> PairOutcome:
        return mcnemar_outcome(
            PairedCounts.of(data),
            variant,
            how.confidence_level,
            df=df,
            min_discordant=min_discordant,
        )

    PAIR_TESTS.add(
        McNemarTest(
            name=name,
            title=title,
            begins_with_name=True,
            summary=summary,
            aliases=aliases,
            reference=_MCNEMAR,
            further=further,
            assumes=(_INDEPENDENT, second),
            evaluate=evaluate,
            evaluate_counts=variant,
            takes_many=takes_many,
            needs_labels=True,
            estimand=Estimand.PROPORTION,
            smallest_p=lambda n, _models: variant(n, 0)[1],
            min_discordant=min_discordant,
            is_exact=is_exact,
            posterior=DIRICHLET,
        )
    )


_add(
    "mcnemar-mid-p",
    "McNemar's test with mid-p",
    "right or wrong on the same samples, the usual choice",
    mid_p,
    aliases=("mcnemar",),
    further=(
        "M. W. Fagerland, S. Lydersen and P. Laake (2013). The McNemar test for binary "
        "matched-pairs data: mid-p and asymptotic are better than exact conditional. "
        "BMC Medical Research Methodology 13.",
    ),
    takes_many=True,
)
_add(
    "mcnemar-exact",
    "McNemar's exact test",
    "right or wrong; never above its level, and conservative for it",
    exact,
    is_exact=True,
)
_add(
    "mcnemar-corrected",
    "McNemar's test with Edwards' correction",
    "right or wrong; chi-squared, as many papers report it",
    partial(chi_squared, correction=1.0),
    further=(
        "A. L. Edwards (1948). Note on the correction for continuity in testing the "
        "significance of the difference between correlated proportions. Psychometrika "
        "13.",
    ),
    df=(1.0,),
    min_discordant=25,
)
_add(
    "mcnemar-plain",
    "McNemar's test",
    "right or wrong; chi-squared without correction",
    partial(chi_squared, correction=0.0),
    df=(1.0,),
    min_discordant=25,
)
