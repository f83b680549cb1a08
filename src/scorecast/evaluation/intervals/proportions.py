"""Intervals of a proportion, such as the accuracy of a fixed model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_count, check_share
from scorecast._core.registry import Method, Registry
from scorecast._core.result import INPUT, OPTION, SHARE, Result
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
)


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

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical
    inference. Journal of the American Statistical Association 22, 209-212.

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

    References
    ----------
    C. J. Clopper and E. S. Pearson (1934). The use of confidence or fiducial limits
    illustrated in the case of the binomial. Biometrika 26, 404-413.

    Examples
    --------
    >>> [round(x, 6) for x in clopper_pearson(18, 20, 0.95)]
    [0.683017, 0.987651]
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


CLUSTERED_WILSON = Method(
    name="clustered-wilson-t",
    title="Wilson's interval of samples in groups",
    summary="with the samples that groups are worth, by their correlation within "
    "groups, and t with a degree of freedom for every group but one",
    reference="K. K. Saha, D. Miller and S. Wang (2016). A comparison of some "
    "approximate confidence intervals for a single proportion for clustered binary "
    "outcome data. International Journal of Biostatistics 12.",
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

    References
    ----------
    J. N. K. Rao and A. J. Scott (1992). A simple method for the analysis of clustered
    binary data. Biometrics 48, 577-585.

    Examples
    --------
    >>> right, tested = np.array([9.0, 4.0, 10.0, 5.0]), np.full(4, 10)
    >>> [round(x, 3) for x in clustered_wilson(right, tested, 0.95)]
    [0.269, 0.937, 3.741]
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


def clustered_width(
    share: float, n_effective: float, n_groups: int, level: float
) -> float:
    """Return the width of Wilson's interval of groups that are worth so many samples.

    Parameters
    ----------
    share : float
        Expected proportion.
    n_effective : float
        Independent samples that the groups are worth.
    n_groups : int
        Groups, two at least.
    level : float
        Confidence level.

    Returns
    -------
    float
        Upper end less lower end.
    """
    quantile = float(scipy.special.stdtrit(n_groups - 1, 0.5 + level / 2))
    low, high = _score_interval(share * n_effective, n_effective, quantile)
    return high - low


@dataclass(frozen=True, kw_only=True, repr=False)
class ProportionInterval(Result):
    """A share of successes, such as right answers.

    Attributes
    ----------
    n_samples, n_successes : int
        Samples, and how many of them succeed.
    n_groups : int or None
        Groups of samples that belong together; None where each is by itself.
    method : str
        Of `PROPORTION_INTERVALS`, or ``"clustered-wilson-t"`` with groups.
    confidence_level : float
        Level of the interval.
    estimate, low, high : float
        The share with its interval.
    design_effect : float
        How many samples of groups say as much as one independent sample.
    """

    kind: ClassVar[str] = "proportion-interval"

    n_samples: int = field(metadata=INPUT)
    n_successes: int = field(metadata=INPUT)
    n_groups: int | None = field(metadata=INPUT)
    method: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    estimate: float = field(metadata=SHARE)
    low: float = field(metadata=SHARE)
    high: float = field(metadata=SHARE)
    design_effect: float


def proportion_interval(
    successes: ArrayLike,
    n_samples: int | None = None,
    *,
    groups: ArrayLike | None = None,
    method: str = "wilson",
    confidence_level: float = 0.95,
) -> ProportionInterval:
    r"""Return the share of successes, such as right answers, with its interval.

    Samples of groups of sizes :math:`m_g`, :math:`n` in all, whose successes correlate
    by :math:`r` within groups (from the analysis of variance), are worth

    .. math:: \frac{n^2}{\sum_g m_g (1 + (m_g - 1) r)}

    independent ones; Wilson's interval is taken with these and the quantile of t with
    C - 1 degrees of freedom for C groups.

    Parameters
    ----------
    successes : array-like of shape (n,), or int
        Success (1, True) or failure (0, False), sample by sample; or the number of
        successes among `n_samples`.
    n_samples : int, optional
        Samples, where `successes` is a number.
    groups : array-like of shape (n,), optional
        Samples that belong together, such as questions about one text, or repeats of
        one item.
    method : str, default="wilson"
        Of `PROPORTION_INTERVALS`; groups have Wilson's with t alone,
        ``"clustered-wilson-t"``.
    confidence_level : float, default=0.95
        Level of the interval.

    Returns
    -------
    ProportionInterval
        The share and its interval, of samples or of groups.

    Raises
    ------
    InvalidInputError
        If a sample neither succeeds nor fails, or a group is missing.
    InsufficientDataError
        If there is no sample, or one group only.

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical
    inference. Journal of the American Statistical Association 22.

    K. K. Saha, D. Miller and S. Wang (2016). A comparison of some approximate
    confidence intervals for a single proportion for clustered binary outcome data.
    International Journal of Biostatistics 12.

    Examples
    --------
    >>> right = [1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1]
    >>> alone = proportion_interval(right)
    >>> whole = proportion_interval(right, groups=[0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5])
    >>> [round(x, 2) for x in (alone.low, alone.high, whole.low, whole.high)]
    [0.47, 0.91, 0.31, 0.95]
    >>> proportion_interval(9, 12) == alone
    True
    """
    level = check_share(confidence_level, "confidence_level", is_open=True)
    if groups is not None and method == CLUSTERED_WILSON.name:
        method = "wilson"
    chosen = PROPORTION_INTERVALS.choose(method, parameter="method")
    if n_samples is not None:
        if groups is not None:
            problem = "have no say where successes are a number: whose each is, is open"
            raise UsageError(problem, parameter="groups")
        n = check_count(n_samples, "n_samples")
        count = check_count(successes, "successes", least=0, most=n)
        return _of_samples(count, n, chosen, level)
    values = _check_successes(successes)
    count = int(values.sum())
    if groups is None:
        return _of_samples(count, values.size, chosen, level)
    if chosen.name != "wilson":
        problem = f"groups have {CLUSTERED_WILSON.name} alone; got {chosen.name!r}"
        raise UsageError(problem, parameter="method")
    unit = _check_groups(groups, values.size)
    sizes = np.bincount(unit)
    if sizes.size < 2:
        problem = "one group shows no spread between groups: it takes at least two"
        raise InsufficientDataError(problem, parameter="groups")
    counts = np.bincount(unit, weights=values).astype(np.float64)
    low, high, effect = clustered_wilson(counts, sizes, level)
    return ProportionInterval(
        n_samples=values.size,
        n_successes=count,
        n_groups=sizes.size,
        method=CLUSTERED_WILSON.name,
        confidence_level=level,
        estimate=count / values.size,
        low=low,
        high=high,
        design_effect=effect,
    )


def _of_samples(
    count: int, n: int, method: ProportionMethod, level: float
) -> ProportionInterval:
    """Return the interval of independent samples."""
    low, high = method.bounds(count, n, level)
    return ProportionInterval(
        n_samples=n,
        n_successes=count,
        n_groups=None,
        method=method.name,
        confidence_level=level,
        estimate=count / n,
        low=low,
        high=high,
        design_effect=1.0,
    )


def _check_successes(successes: ArrayLike) -> FloatArray:
    """Return a vector of 1 and 0."""
    values = np.asarray(successes)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        problem = "must be a vector of 1 (right) and 0 (wrong)"
        raise InvalidInputError(problem, parameter="successes")
    if values.size == 0:
        raise InsufficientDataError("there is no sample", parameter="successes")
    is_bad = ~np.isin(values, (0, 1))
    if is_bad.any():
        place = int(np.argmax(is_bad))
        raise InvalidInputError(
            f"must be 1 (right) or 0 (wrong); got {values[place]:g}",
            parameter="successes",
            location=Location(row=place + 1),
        )
    found: FloatArray = values.astype(np.float64)
    return found


def _check_groups(groups: ArrayLike, n: int) -> IntArray:
    """Return the number of the group of every sample."""
    given = np.asarray(groups)
    if given.shape != (n,):
        problem = f"must hold one entry for each of {n} samples; got {given.shape}"
        raise InvalidInputError(problem, parameter="groups")
    for i, value in enumerate(given.tolist()):
        if _is_missing(value):
            place = Location(row=i + 1)
            problem = "the group is missing"
            raise InvalidInputError(problem, parameter="groups", location=place)
    found: IntArray = np.unique(given, return_inverse=True)[1]
    return found


def _is_missing(value: Any) -> bool:
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or value == "" or is_nan
