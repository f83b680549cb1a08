"""P-values of all pairs together: corrections, critical differences, cliques.

What a comparison could find at best, before a single result is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.checks import check_count, check_one_of, check_share
from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray
from scorecast.comparison.paired_tests import PairTest
from scorecast.comparison.rank_tests import DEMSAR, most_plain_z
from scorecast.evaluation import ADJUSTMENTS, Dependence, adjust_p_values

_MOST_ROWS = 10_000
_N_NODES = 240
_REACH = 9.0  # beyond nine standard deviations nothing is left to integrate


@dataclass(frozen=True, kw_only=True)
class PostHoc(Method):
    """A way to correct the p-values of all pairs.

    Attributes
    ----------
    adjustment : str or None
        One of `ADJUSTMENTS`; None where p-values stay as they are.
    range_p : callable or None
        From differences of mean ranks in standard errors and models to p-values that
        are for all pairs from the start.
    of_mean_ranks : bool
        Whether it is defined for mean ranks.
    is_of_ranks_alone : bool
        Whether it goes with no other test of pairs.
    needs_control : bool
        Whether it compares all models with one.
    all_pairs_only : bool
        Whether it compares all pairs.
    max_models : int or None
        The most models that it can do.
    requires : Dependence
        What it asks of the p-values.
    controls_familywise : bool
        Whether the chance of any false claim is kept.
    steps_up : bool
        Whether a large p-value may be rejected along with larger ones.
    further : tuple of str
        More works to cite.
    """

    adjustment: str | None = None
    range_p: Callable[[FloatArray, int], FloatArray] | None = None
    of_mean_ranks: bool = False
    is_of_ranks_alone: bool = False
    needs_control: bool = False
    all_pairs_only: bool = False
    max_models: int | None = None
    requires: Dependence = Dependence.ANY
    controls_familywise: bool = True
    steps_up: bool = False
    further: tuple[str, ...] = ()

    @property
    def works(self) -> tuple[str, ...]:
        """Works to cite."""
        return tuple(work for work in (self.reference, *self.further) if work)

    def adjust(self, p_values: FloatArray, n_models: int) -> FloatArray:
        """Adjust the p-values of all pairs; those unknown count, and stay unknown."""
        if self.adjustment is None or p_values.size == 1:
            return p_values
        return adjust_p_values(p_values, self.adjustment, n_models=n_models)


POST_HOC: Registry[PostHoc] = Registry()


def nemenyi_p(z: FloatArray, n_models: int) -> FloatArray:
    """Return Nemenyi's p-values: those of the studentized range of all models.

    Examples
    --------
    >>> nemenyi_p(np.array([2.569]), 4).round(4)
    array([0.05])
    """
    return _range_tail(np.sqrt(2) * np.abs(z), n_models)


@cache
def _legendre() -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of Gauss and Legendre, by Newton's method.

    NumPy's are eigenvalues, and keep all cores busy for a third of a second.
    """
    n = _N_NODES
    x = np.cos(math.pi * (np.arange(n, 0, -1) - 0.25) / (n + 0.5))
    for _ in range(6):
        before, value = np.ones(n), x
        for k in range(2, n + 1):
            before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
        slope = n * (x * value - before) / (x * x - 1)
        x = x - value / slope
    return x, 2 / ((1 - x * x) * slope**2)


def _range_tail(width: FloatArray, k: int) -> FloatArray:
    """Return the chance that k normals spread over more than a width."""
    log_cdf = scipy.special.log_ndtr
    nodes, weights = _legendre()
    flat = np.atleast_1d(width).ravel()
    # The largest of the k lies at x; all terms are positive, so small tails are exact.
    # Where the range is wide the integrand sits between 0 and the width.
    middle, half = flat[:, None] / 2, flat[:, None] / 2 + _REACH
    x = middle + half * nodes
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    below = np.exp(np.minimum(log_cdf(x - flat[:, None]) - log_cdf(x), 0.0))
    with np.errstate(divide="ignore"):
        missed = -np.expm1((k - 1) * np.log1p(-np.minimum(below, 1.0)))
    value = density * np.exp((k - 1) * log_cdf(x)) * missed
    tail = k * (half * value * weights).sum(axis=1)
    chances: FloatArray = np.clip(tail, 0.0, 1.0).reshape(np.shape(width))
    return chances


def studentized_range_quantile(level: float, n_models: int) -> float:
    """Return the quantile of the studentized range with infinite freedom."""
    low, high = 0.0, 60.0
    while high - low > 1e-12:
        width = (low + high) / 2
        if float(_range_tail(np.array([width]), n_models)[0]) > 1 - level:
            low = width
        else:
            high = width
    return (low + high) / 2


def critical_difference(
    n_models: int,
    n_datasets: int,
    *,
    test: str = "nemenyi",
    confidence_level: float = 0.95,
) -> float:
    r"""Return how far apart mean ranks must lie to be told apart.

    .. math:: CD = q \sqrt{\frac{k (k + 1)}{6 n}}

    for k models on n data sets [1]_, with q of the studentized range, divided by the
    root of 2 (all pairs), or of the normal distribution after Bonferroni's correction
    (all against one control).

    Parameters
    ----------
    n_models, n_datasets : int
        Size of the table.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        All pairs, or all against one control.
    confidence_level : float, default=0.95
        One less the family-wise error.

    Returns
    -------
    float
        In ranks.

    References
    ----------
    .. [1] J. Demsar (2006). Statistical comparisons of classifiers over multiple data
       sets. Journal of Machine Learning Research 7.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    >>> round(critical_difference(4, 14, test="bonferroni-dunn"), 2)
    1.17
    """
    k = check_count(n_models, "n_models", least=2)
    n = check_count(n_datasets, "n_datasets")
    level = check_share(confidence_level, "confidence_level", is_open=True)
    if check_one_of(test, "test", ("nemenyi", "bonferroni-dunn")) == "nemenyi":
        quantile = studentized_range_quantile(level, k) / math.sqrt(2)
    else:
        quantile = -float(scipy.special.ndtri((1 - level) / (2 * (k - 1))))
    return quantile * math.sqrt(k * (k + 1) / (6 * n))


_GARCIA_2008 = (
    "S. Garcia and F. Herrera (2008). An extension on 'Statistical comparisons of "
    "classifiers over multiple data sets' for all pairwise comparisons. Journal of "
    "Machine Learning Research 9."
)
POST_HOC.add(
    PostHoc(
        name="nemenyi",
        title="Nemenyi's correction",
        summary="all pairs of mean ranks, with one critical difference",
        reference="P. B. Nemenyi (1963). Distribution-free Multiple Comparisons. PhD "
        "thesis, Princeton University.",
        further=(DEMSAR,),
        range_p=nemenyi_p,
        of_mean_ranks=True,
        is_of_ranks_alone=True,
        all_pairs_only=True,
    )
)
POST_HOC.add(
    PostHoc(
        name="bonferroni-dunn",
        title="the Bonferroni-Dunn correction",
        summary="mean ranks against a control, with one critical difference",
        reference="O. J. Dunn (1961). Multiple comparisons among means. Journal of the "
        "American Statistical Association 56.",
        further=(DEMSAR,),
        adjustment="bonferroni",
        of_mean_ranks=True,
        is_of_ranks_alone=True,
        needs_control=True,
    )
)
for _method in ADJUSTMENTS.values():
    if _method.controls == "familywise":
        POST_HOC.add(
            PostHoc(
                name=_method.name,
                title=_method.title,
                summary=_method.summary,
                reference=_method.reference,
                assumes=_method.assumes,
                adjustment=_method.name,
                of_mean_ranks=_method.needs_all_pairs,
                all_pairs_only=_method.needs_all_pairs,
                max_models=_method.max_models,
                requires=_method.requires,
                steps_up=_method.name in ("hochberg", "hommel"),
                further=(_GARCIA_2008,) if _method.needs_all_pairs else (),
            )
        )
POST_HOC.add(
    PostHoc(
        name="none",
        title="no correction",
        summary="p-values as they are: of many, some are small by luck",
        controls_familywise=False,
        steps_up=True,
    )
)


# What can be reached ---------------------------------------------------------------


def least_adjusted_p(
    test: PairTest, post_hoc: PostHoc, n: int, k: int, n_pairs: int
) -> float:
    """Return the least p-value that any pair could have after correction.

    Parameters
    ----------
    test : PairTest
        How pairs are tested.
    post_hoc : PostHoc
        How their p-values are corrected.
    n, k : int
        Rows and models.
    n_pairs : int
        How many pairs are tested.

    Returns
    -------
    float
        No results whatsoever give less. Where one model beats another on every row,
        step-down corrections reach it; those that step up (Hochberg, Hommel) may not.

    Examples
    --------
    >>> from scorecast.comparison import PAIR_TESTS, POST_HOC
    >>> ranks, mcnemar = PAIR_TESTS["ranks"], PAIR_TESTS["mcnemar-mid-p"]
    >>> round(least_adjusted_p(ranks, POST_HOC["bergmann-hommel"], 2, 4, 6), 3)
    0.121
    >>> round(least_adjusted_p(mcnemar, POST_HOC["holm"], 7, 10, 45), 3)
    0.352
    """
    if post_hoc.range_p is not None and k > 2:
        return float(post_hoc.range_p(np.array([most_plain_z(n, k)]), k)[0])
    p = test.smallest_p(n, k)
    if post_hoc.steps_up:
        return min(p, 1.0)
    if post_hoc.adjustment == "finner":
        return -math.expm1(n_pairs * math.log1p(-p)) if p < 1 else 1.0
    return min(n_pairs * p, 1.0)


def least_rows(
    test: PairTest, post_hoc: PostHoc, k: int, n_pairs: int, alpha: float
) -> int | None:
    """Return how many rows it takes for a pair to be told apart at best.

    None if ten thousand are not enough.

    Examples
    --------
    >>> from scorecast.comparison import PAIR_TESTS, POST_HOC
    >>> found = [
    ...     least_rows(PAIR_TESTS["wilcoxon"], POST_HOC[name], 4, 6, 0.05)
    ...     for name in ("holm", "none")
    ... ]
    >>> found
    [8, 6]
    """
    return next(
        (
            n
            for n in range(2, _MOST_ROWS)
            if least_adjusted_p(test, post_hoc, n, k, n_pairs) <= alpha + 1e-12
        ),
        None,
    )


def cliques(order: Sequence[int], different: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Return the largest runs of models, in order of rank, that nothing tells apart.

    Parameters
    ----------
    order : sequence of int
        Models from the best to the worst.
    different : ndarray of bool of shape (k, k)
        Pairs that are told apart.

    Returns
    -------
    tuple of tuple of int
        Models of every bar of the diagram, best first; bars of one are left out.

    Examples
    --------
    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> cliques([0, 1, 2], apart)
    ((0, 1), (1, 2))
    """
    found: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not different[order[stop], order[start:stop]].any():
            stop += 1
        if stop - start > 1 and stop > reached:
            found.append(tuple(order[start:stop]))
        reached = max(reached, stop)
    return tuple(found)
