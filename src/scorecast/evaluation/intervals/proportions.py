"""Intervals of a proportion, such as the accuracy of a fixed model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import NDArray

from scorecast._core.registry import Method, Registry


@dataclass(frozen=True, kw_only=True)
class ProportionMethod(Method):
    """A way to bound a proportion from independent samples.

    Attributes
    ----------
    bounds : callable
        From successes, samples and confidence level to low and high. Successes may be
        a fraction, where samples were tested repeatedly or are only expected.
    is_conservative : bool
        Whether it covers at least as often as it says, whatever the truth.
    is_bayesian : bool
        Whether it is an interval of equal tails of a posterior.
    reaches_ends : bool
        Whether it ends at 0 where there is no success, and at 1 where all are.
    stays_inside : bool
        Whether it never leaves 0 to 1.
    """

    bounds: Callable[[float, float, float], tuple[float, float]]
    is_conservative: bool = False
    is_bayesian: bool = False
    reaches_ends: bool = True
    stays_inside: bool = True

    def expected_width(self, n: float, share: float, level: float) -> float:
        """Return the width with n samples of which just the expected share succeeds.

        Parameters
        ----------
        n : float
            Samples.
        share : float
            Expected proportion.
        level : float
            Confidence level.

        Returns
        -------
        float
            Upper end less lower end.

        Examples
        --------
        >>> wilsons = PROPORTION_INTERVALS["wilson"]
        >>> [round(wilsons.expected_width(n, 0.9, 0.95), 3) for n in (75, 100, 141)]
        [0.138, 0.119, 0.1]
        """
        low, high = self.bounds(n * share, n, level)
        return high - low


PROPORTION_INTERVALS: Registry[ProportionMethod] = Registry()


def wilson(count: float, n: float, level: float) -> tuple[float, float]:
    r"""Return Wilson's score interval: every proportion that a score test keeps.

    With :math:`\hat p = k / n` and :math:`z` the normal quantile of the level, its ends
    are

    .. math:: \frac{\hat p + z^2 / 2n}{1 + z^2 / n} \pm \frac{z}{1 + z^2 / n}
              \sqrt{\frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4 n^2}}.

    Parameters
    ----------
    count : float
        Samples with the property.
    n : float
        Samples.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; never of width zero.

    Examples
    --------
    >>> [round(x, 6) for x in wilson(18, 20, 0.95)]
    [0.698966, 0.972134]
    """
    return _score_interval(count, n, float(scipy.special.ndtri(0.5 + level / 2)))


def _score_interval(count: float, n: float, z: float) -> tuple[float, float]:
    """Invert the score test, for any quantile."""
    share = count / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    inside = share * (1 - share) / n + z**2 / (4 * n**2)
    half = z / (1 + z**2 / n) * math.sqrt(max(inside, 0.0))
    low = 0.0 if count <= 0 else max(middle - half, 0.0)
    high = 1.0 if count >= n else min(middle + half, 1.0)
    return low, high


PROPORTION_INTERVALS.add(
    ProportionMethod(
        name="wilson",
        title="Wilson's interval",
        summary="near its level on average, the usual choice",
        reference="E. B. Wilson (1927). Probable inference, the law of succession, and "
        "statistical inference. Journal of the American Statistical Association 22.",
        bounds=wilson,
    )
)


def clopper_pearson(count: float, n: float, level: float) -> tuple[float, float]:
    """Return the exact interval: the two one-sided binomial tests, inverted.

    Parameters
    ----------
    count : float
        Samples with the property.
    n : float
        Samples.
    level : float
        Confidence level; never undershot.

    Returns
    -------
    tuple of float
        Low and high.
    """
    return _beta_ends(count, n - count + 1, count + 1, n - count, level)


def _beta_ends(
    a_low: float, b_low: float, a_high: float, b_high: float, level: float
) -> tuple[float, float]:
    """Return quantiles of two beta distributions; 0 and 1 where one has no room."""
    tail = 0.5 - level / 2
    inverse = scipy.special.betaincinv
    low = 0.0 if a_low <= 0 else float(inverse(a_low, b_low, tail))
    high = 1.0 if b_high <= 0 else float(inverse(a_high, b_high, 1 - tail))
    return low, high


PROPORTION_INTERVALS.add(
    ProportionMethod(
        name="exact",
        title="the exact interval",
        summary="never below its level, and wide for it",
        reference="C. J. Clopper and E. S. Pearson (1934). The use of confidence or "
        "fiducial limits illustrated in the case of the binomial. Biometrika 26.",
        aliases=("clopper-pearson",),
        bounds=clopper_pearson,
        is_conservative=True,
    )
)


def _jeffreys(count: float, n: float, level: float) -> tuple[float, float]:
    """Take equal tails under Jeffreys' prior; the edges where all are of one kind."""
    low, high = _beta_ends(count + 0.5, n - count + 0.5, count + 0.5,
                           n - count + 0.5, level)  # fmt: skip
    return (0.0 if count <= 0 else low), (1.0 if count >= n else high)


PROPORTION_INTERVALS.add(
    ProportionMethod(
        name="jeffreys",
        title="Jeffreys' interval",
        summary="of a posterior with half a success and half a failure added",
        reference="L. D. Brown, T. T. Cai and A. DasGupta (2001). Interval estimation "
        "for a binomial proportion. Statistical Science 16.",
        bounds=_jeffreys,
        is_bayesian=True,
    )
)


def _uniform(count: float, n: float, level: float) -> tuple[float, float]:
    """Take equal tails of the posterior of a flat prior."""
    return _beta_ends(count + 1, n - count + 1, count + 1, n - count + 1, level)


PROPORTION_INTERVALS.add(
    ProportionMethod(
        name="uniform",
        title="the interval of a uniform prior",
        summary="of a posterior with one success and one failure added",
        reference="T. Bayes (1763). An essay towards solving a problem in the doctrine "
        "of chances. Philosophical Transactions of the Royal Society 53.",
        bounds=_uniform,
        is_bayesian=True,
        reaches_ends=False,
    )
)


def _wald(count: float, n: float, level: float) -> tuple[float, float]:
    """Take the normal interval with the spread that was seen."""
    share = count / n
    z = float(scipy.special.ndtri(0.5 + level / 2))
    half = z * math.sqrt(max(share * (1 - share), 0.0) / n)
    return share - half, share + half


PROPORTION_INTERVALS.add(
    ProportionMethod(
        name="wald",
        title="Wald's interval",
        summary="of textbooks; too short, and without width at 0 and 1",
        reference="P. S. Laplace (1812). Théorie analytique des probabilités.",
        bounds=_wald,
        stays_inside=False,
    )
)


def clustered_wilson(
    counts: NDArray[np.floating], sizes: NDArray[np.integer], level: float
) -> tuple[float, float, float]:
    """Return Wilson's interval of samples in groups.

    Samples are counted as many as they are worth: n over the design effect, which is
    the mean over samples of 1 + (size of the group - 1) r. The correlation r within
    groups is that of the analysis of variance, from 0 to 1; where all samples are
    right, or all wrong, none can be seen and it is taken as 1. The quantile is that of
    t with C - 1 degrees of freedom for C groups.

    Parameters
    ----------
    counts : ndarray of shape (C,)
        Samples with the property, of every group.
    sizes : ndarray of int of shape (C,)
        Samples of every group.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low, high and the design effect.
    """
    n, c = float(sizes.sum()), sizes.size
    share = float(counts.sum()) / n
    correlation = 1.0
    if 0 < share < 1:
        own = counts / sizes
        between = float((sizes * (own - share) ** 2).sum()) / (c - 1)
        within = float((sizes * own * (1 - own)).sum()) / max(n - c, 1.0)
        usual = (n - float((sizes**2).sum()) / n) / (c - 1)
        total = between + (usual - 1) * within
        correlation = min(max((between - within) / total, 0.0), 1.0) if total else 0.0
    effect = float((sizes * (1 + (sizes - 1) * correlation)).sum()) / n
    worth = n / effect
    quantile = float(scipy.special.stdtrit(c - 1, 0.5 + level / 2))
    low, high = _score_interval(share * worth, worth, quantile)
    return low, high if share < 1 else 1.0, effect
