"""Ranks of models on data sets, and tests of whether any model differs from any other.

Ranks within a row, over aligned rows, weighed by Quade; Friedman's test with its kin,
Cochran's Q; and how far the mean ranks of two models lie apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.registry import Method, Registry
from scorecast._core.result import SHARE
from scorecast._core.rounding import DIGITS, steady
from scorecast._core.types import FloatArray
from scorecast.comparison.bayesian import SIGNED_RANK
from scorecast.comparison.paired_tests import PAIR_TESTS, Estimand, PairTest, RowKind
from scorecast.evaluation import midranks

RANK_DIGIT = 1e-9  # mean ranks that are nearer differ by rounding only
DEMSAR = (
    "J. Demsar (2006). Statistical comparisons of classifiers over multiple data sets. "
    "Journal of Machine Learning Research 7."
)


def row_ranks(values: FloatArray, *, greater_is_better: bool) -> FloatArray:
    """Rank the models on every data set; the best has rank 1, ties share.

    Examples
    --------
    >>> row_ranks(np.array([[0.9, 0.8, 0.9]]), greater_is_better=True)
    array([[1.5, 3. , 1.5]])
    """
    scale = np.abs(values).max(axis=1, keepdims=True)
    turned = -values if greater_is_better else values
    return midranks(steady(turned, scale), axis=1)


def has_ties(values: FloatArray) -> bool:
    """Tell whether two models have the same result on any data set."""
    ordered = np.sort(row_ranks(values, greater_is_better=True), axis=1)
    return bool((np.diff(ordered, axis=1) == 0).any())


def standing(
    ranks: Sequence[float], means: Sequence[float], *, greater_is_better: bool
) -> list[int]:
    """Return the places of models from the best mean rank to the worst.

    Models that share a mean rank stand in the order of their means.

    Examples
    --------
    >>> standing([1.5, 3.0, 1.5], [0.7, 0.6, 0.8], greater_is_better=True)
    [2, 0, 1]
    """
    sign = -1 if greater_is_better else 1
    return sorted(
        range(len(ranks)), key=lambda i: (round(ranks[i] / RANK_DIGIT), sign * means[i])
    )


def aligned_ranks(
    values: FloatArray, *, greater_is_better: bool, digits: int | None = DIGITS
) -> FloatArray:
    """Rank all results together after taking off the mean of their data set.

    Distances from the mean are the same to so many digits; None compares the floats,
    so that rounding breaks ties as it happens.
    """
    scale = np.abs(values).max(axis=1, keepdims=True)
    means = values.astype(np.longdouble).mean(axis=1, keepdims=True)
    aligned = values - means.astype(np.float64)
    turned = -aligned if greater_is_better else aligned
    return midranks(steady(turned, scale, digits).ravel()).reshape(values.shape)


def quade_scores(values: FloatArray, *, greater_is_better: bool) -> FloatArray:
    """Weigh the centred ranks of every data set by the rank of its range.

    Negative for the better half.
    """
    ranks = row_ranks(values, greater_is_better=greater_is_better)
    scale = np.abs(values).max(axis=1)
    weights = midranks(steady(np.ptp(values, axis=1), scale))
    scores: FloatArray = weights[:, None] * (ranks - (values.shape[1] + 1) / 2)
    return scores


# All models at once ----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OmnibusOutcome:
    """What a test of all models at once says.

    Attributes
    ----------
    test : str
        One of `OMNIBUS_TESTS`.
    statistic : float
        Its value; infinite where all data sets agree.
    df : tuple of float
        Degrees of freedom: one for chi-squared, two for F.
    p_value : float
        Chance of as much where no model differs.
    """

    test: str
    statistic: float
    df: tuple[float, ...]
    p_value: float = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True)
class OmnibusTest(Method):
    """A test of all models at once.

    Attributes
    ----------
    compute : callable
        From results (rows x models) and which way is better to statistic, degrees of
        freedom and p-value.
    rows : RowKind
        What rows it is for.
    needs_comparable : bool
        Whether results must be comparable between rows; else no monotone change of a
        row changes anything.
    corrects_ties : bool
        Whether it allows for results that tie.
    further : tuple of str
        More works to cite.
    """

    compute: Callable[[FloatArray, bool], tuple[float, tuple[float, ...], float]]
    rows: RowKind = RowKind.DATASETS
    needs_comparable: bool = False
    corrects_ties: bool = False
    further: tuple[str, ...] = ()

    @property
    def works(self) -> tuple[str, ...]:
        """Works to cite."""
        return tuple(work for work in (self.reference, *self.further) if work)

    def evaluate(
        self, values: FloatArray, *, greater_is_better: bool = True
    ) -> OmnibusOutcome:
        """Test whether any model differs.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_models)
            Results.
        greater_is_better : bool, default=True
            Which way is better.

        Returns
        -------
        OmnibusOutcome
            Statistic 0 and p = 1 where every row ties all models.
        """
        statistic, df, p = self.compute(values, greater_is_better)
        return OmnibusOutcome(test=self.name, statistic=statistic, df=df, p_value=p)


OMNIBUS_TESTS: Registry[OmnibusTest] = Registry()


def smallest_omnibus_p(n_datasets: int, n_models: int) -> float:
    """Return the chance that all data sets agree on one order by luck alone.

    No test of ranks can honestly give less: k! orders, each by chance k!^-n.
    """
    orders = float(scipy.special.gammaln(n_models + 1))
    return math.exp((1 - n_datasets) * orders)


def _smallest_with_ties(ranks: FloatArray) -> float:
    """Return the chance that luck gives this table, or the same with models renamed.

    A data set has as many orders as there are ways to deal out its ranks: fewer with
    ties, so that luck agrees more often than `smallest_omnibus_p` says.
    """
    log_factorial = scipy.special.gammaln
    whole = log_factorial(ranks.shape[1] + 1)
    orders = [
        float(whole - log_factorial(np.unique(row, return_counts=True)[1] + 1).sum())
        for row in ranks
    ]
    return min(math.exp(max(orders) - math.fsum(orders)), 1.0)


def _f_tail(value: float, df: tuple[float, float], least: float) -> float:
    if math.isinf(value) or df[1] <= 0:
        return least
    return max(float(scipy.special.fdtrc(df[0], df[1], value)), least)


def friedman_statistic(mean_ranks: FloatArray, n_datasets: int) -> float:
    """Return Friedman's statistic from mean ranks, as Demsar (2006) writes it.

    Examples
    --------
    >>> ranks = np.array([3.143, 2.0, 2.893, 1.964])
    >>> found = friedman_statistic(ranks, 14)
    >>> round(found, 2), round(iman_davenport_statistic(found, 14, 4), 2)
    (9.28, 3.69)
    """
    k = mean_ranks.size
    spread = float((mean_ranks**2).sum() - k * (k + 1) ** 2 / 4)
    return max(12 * n_datasets / (k * (k + 1)) * spread, 0.0)


def iman_davenport_statistic(statistic: float, n_datasets: int, n_models: int) -> float:
    """Turn Friedman's statistic into the F of Iman and Davenport.

    Infinite where all data sets agree; but luck may do so too.
    """
    most = n_datasets * (n_models - 1)
    left = most - statistic
    if left <= 1e-9 * most:
        return math.inf
    return (n_datasets - 1) * statistic / left


def _friedman(
    values: FloatArray, greater_is_better: bool, *, corrects_ties: bool
) -> tuple[float, tuple[float, ...], float]:
    """Return Friedman's statistic, divided by what ties take from the spread."""
    ranks = row_ranks(values, greater_is_better=greater_is_better)
    n, k = ranks.shape
    value = friedman_statistic(ranks.mean(axis=0), n)
    least = smallest_omnibus_p(n, k)
    if corrects_ties:
        most = n * k * (k * k - 1) / 12
        share = float(((ranks - (k + 1) / 2) ** 2).sum()) / most
        value = value / share if share > 0 else 0.0
        least = _smallest_with_ties(ranks)
    p = max(float(scipy.special.chdtrc(k - 1, value)), least)
    return value, (k - 1.0,), p


def _iman_davenport(
    values: FloatArray, greater_is_better: bool, *, corrects_ties: bool
) -> tuple[float, tuple[float, ...], float]:
    """Return the F of Friedman's statistic, less conservative than chi-squared."""
    n, k = values.shape
    plain, _, _ = _friedman(values, greater_is_better, corrects_ties=corrects_ties)
    value = iman_davenport_statistic(plain, n, k)
    least = smallest_omnibus_p(n, k)
    if corrects_ties:
        ranks = row_ranks(values, greater_is_better=greater_is_better)
        least = _smallest_with_ties(ranks)
    df = (k - 1.0, (k - 1.0) * (n - 1))
    return value, df, _f_tail(value, df, least)


_FRIEDMAN = (
    "M. Friedman (1937). The use of ranks to avoid the assumption of normality "
    "implicit in the analysis of variance. Journal of the American Statistical "
    "Association 32."
)
_IMAN_DAVENPORT = (
    "R. L. Iman and J. M. Davenport (1980). Approximations of the critical region of "
    "the Friedman statistic. Communications in Statistics, Theory and Methods 9."
)
_CONOVER = (
    "W. J. Conover (1999). Practical Nonparametric Statistics, third edition. Wiley."
)
OMNIBUS_TESTS.add(
    OmnibusTest(
        name="iman-davenport",
        title="Friedman's test in the version of Iman and Davenport",
        summary="ranks of data sets, the usual choice without ties",
        reference=_IMAN_DAVENPORT,
        compute=lambda x, greater: _iman_davenport(x, greater, corrects_ties=False),
    )
)
OMNIBUS_TESTS.add(
    OmnibusTest(
        name="iman-davenport-tie-corrected",
        title="Friedman's test in the version of Iman and Davenport, corrected for "
        "ties",
        summary="the same where results tie",
        reference=_IMAN_DAVENPORT,
        further=(_CONOVER,),
        compute=lambda x, greater: _iman_davenport(x, greater, corrects_ties=True),
        corrects_ties=True,
    )
)
OMNIBUS_TESTS.add(
    OmnibusTest(
        name="friedman",
        title="Friedman's test",
        summary="chi-squared of ranks; conservative",
        reference=_FRIEDMAN,
        compute=lambda x, greater: _friedman(x, greater, corrects_ties=False),
    )
)
OMNIBUS_TESTS.add(
    OmnibusTest(
        name="friedman-tie-corrected",
        title="Friedman's test corrected for ties",
        summary="the same where results tie",
        reference=_FRIEDMAN,
        further=(_CONOVER,),
        compute=lambda x, greater: _friedman(x, greater, corrects_ties=True),
        corrects_ties=True,
    )
)


def aligned_friedman(
    values: FloatArray,
    greater_is_better: bool = True,
    *,
    tie_corrected: bool = False,
    digits: int | None = DIGITS,
) -> tuple[float, tuple[float, ...], float]:
    """Return Friedman's test of aligned ranks (Hodges and Lehmann 1962).

    Corrected for ties it takes the spread that ranks have, instead of that of ranks
    without ties.
    """
    ranks = aligned_ranks(values, greater_is_better=greater_is_better, digits=digits)
    n, k = ranks.shape
    total = n * k
    between = float(((ranks.sum(axis=0) - n * (total + 1) / 2) ** 2).sum())
    squares = float((ranks**2).sum())
    if not tie_corrected:
        squares = total * (total + 1) * (2 * total + 1) / 6
    within = squares - float((ranks.sum(axis=1) ** 2).sum()) / k
    value = (k - 1) * between / within if between > 0 else 0.0
    tail = float(scipy.special.chdtrc(k - 1, value))
    return value, (k - 1.0,), max(tail, smallest_omnibus_p(n, k))


_HODGES_LEHMANN = (
    "J. L. Hodges and E. L. Lehmann (1962). Rank methods for combination of "
    "independent experiments in analysis of variance. Annals of Mathematical "
    "Statistics 33."
)
OMNIBUS_TESTS.add(
    OmnibusTest(
        name="aligned-ranks",
        title="Friedman's test of aligned ranks",
        summary="also counts by how much models differ; results must be comparable",
        reference=_HODGES_LEHMANN,
        compute=aligned_friedman,
        needs_comparable=True,
    )
)


def quade(
    values: FloatArray, greater_is_better: bool = True, *, tie_corrected: bool = False
) -> tuple[float, tuple[float, ...], float]:
    """Return Quade's test (1979), which weighs data sets by how much models differ.

    Corrected for ties it takes the spread that scores have, as R does, instead of that
    of scores without ties, as in the literature on comparing models.
    """
    scores = quade_scores(values, greater_is_better=greater_is_better)
    n, k = scores.shape
    between = float((scores.sum(axis=0) ** 2).sum()) / n
    total = n * (n + 1) * (2 * n + 1) * k * (k + 1) * (k - 1) / 72
    if tie_corrected:
        total = float((scores**2).sum())
    df = (k - 1.0, (k - 1.0) * (n - 1))
    if between == 0:
        return 0.0, df, 1.0
    is_perfect = total - between <= 1e-9 * total
    value = math.inf if is_perfect else (n - 1) * between / (total - between)
    return value, df, _f_tail(value, df, smallest_omnibus_p(n, k))


_QUADE = (
    "D. Quade (1979). Using weighted rankings in the analysis of complete blocks with "
    "additive block effects. Journal of the American Statistical Association 74."
)
OMNIBUS_TESTS.add(
    OmnibusTest(
        name="quade",
        title="Quade's test",
        summary="weighs data sets by how much models differ there",
        reference=_QUADE,
        compute=quade,
        needs_comparable=True,
    )
)


def _cochran_q(
    right: FloatArray, greater_is_better: bool
) -> tuple[float, tuple[float, ...], float]:
    """Return Cochran's Q of models that are right (1) or wrong (0) on each sample."""
    del greater_is_better
    k = right.shape[1]
    by_model, by_sample = right.sum(axis=0), right.sum(axis=1)
    spread = float((k * by_sample - by_sample**2).sum())
    away = float(((by_model - by_model.mean()) ** 2).sum())
    value = k * (k - 1) * away / spread if spread > 0 else 0.0
    return value, (k - 1.0,), float(scipy.special.chdtrc(k - 1, value))


OMNIBUS_TESTS.add(
    OmnibusTest(
        name="cochran-q",
        title="Cochran's Q test",
        summary="right or wrong on the same samples",
        reference="W. G. Cochran (1950). The comparison of percentages in matched "
        "samples. Biometrika 37.",
        compute=_cochran_q,
        rows=RowKind.SAMPLES,
        corrects_ties=True,
    )
)


# Pairs of models by their mean ranks -----------------------------------------------


def plain_z(values: FloatArray, greater_is_better: bool = True) -> FloatArray:
    """Return how many standard errors mean ranks lie apart.

    Negative where the model of the row is better than that of the column. The standard
    error is that of the literature, sqrt(k (k + 1) / (6 n)), which leaves out ties and
    is then on the safe side.
    """
    n, k = values.shape
    means = row_ranks(values, greater_is_better=greater_is_better).mean(axis=0)
    z: FloatArray = (means[:, None] - means) / math.sqrt(k * (k + 1) / (6 * n))
    return z


def _permutation_z(scores: FloatArray) -> FloatArray:
    """Return differences of mean scores in standard errors of all permutations.

    Within data sets, that is: the printed formulas of Garcia et al. (2010) do not agree
    with it (theirs for aligned ranks lacks a factor k inside, theirs for Quade one of
    2 / (k - 1)).
    """
    n, k = scores.shape
    away = scores - scores.mean(axis=1, keepdims=True)
    variance = 2 * float((away**2).sum()) / ((k - 1) * n**2)
    means = scores.mean(axis=0)
    apart: FloatArray = means[:, None] - means
    return apart / math.sqrt(variance) if variance > 0 else np.zeros_like(apart)


def aligned_z(values: FloatArray, greater_is_better: bool = True) -> FloatArray:
    """Return how many standard errors mean aligned ranks lie apart."""
    return _permutation_z(aligned_ranks(values, greater_is_better=greater_is_better))


def quade_z(values: FloatArray, greater_is_better: bool = True) -> FloatArray:
    """Return how many standard errors mean scores of Quade lie apart."""
    return _permutation_z(quade_scores(values, greater_is_better=greater_is_better))


def normal_p(z: FloatArray) -> FloatArray:
    """Return two-sided p-values of normal scores."""
    p: FloatArray = np.minimum(2 * scipy.special.ndtr(-np.abs(z)), 1.0)
    return p


def most_plain_z(n_rows: int, n_models: int) -> float:
    """Return the largest z of mean ranks: they lie k - 1 apart at most."""
    return (n_models - 1) / math.sqrt(n_models * (n_models + 1) / (6 * n_rows))


def _most_other_z(n_rows: int, n_models: int) -> float:
    """Return the largest z of scores with the spread that was seen.

    By Cauchy and Schwarz, where all other models tie in the middle.
    """
    return math.sqrt(n_rows * (n_models - 1))


def _add_rank_test(
    name: str,
    ranks: str,
    summary: str,
    table_z: Callable[[FloatArray, bool], FloatArray],
    most_z: Callable[[int, int], float],
    works: tuple[str, ...],
    assumes: str,
) -> None:
    """Register a z-test of mean ranks of a whole table."""
    PAIR_TESTS.add(
        PairTest(
            name=name,
            title=f"z-test of {ranks}",
            ranks=ranks,
            summary=summary,
            reference=works[0],
            further=works[1:],
            assumes=("data sets are independent, and resemble those to come", assumes),
            table_z=table_z,
            takes=frozenset({RowKind.DATASETS}),
            takes_many=True,
            estimand=Estimand.PSEUDO_MEDIAN,
            smallest_p=lambda n, k: float(normal_p(np.array([most_z(n, k)]))[0]),
            posterior=SIGNED_RANK,
        )
    )


_GARCIA_2010 = (
    "S. Garcia, A. Fernandez, J. Luengo and F. Herrera (2010). Advanced nonparametric "
    "tests for multiple comparisons in the design of experiments in computational "
    "intelligence and data mining. Information Sciences 180."
)
_COMPARABLE = "results are comparable between data sets"
_add_rank_test(
    "ranks",
    "mean ranks",
    "tables with few data sets; ranks depend on the other models",
    plain_z,
    most_plain_z,
    (DEMSAR,),
    "what tells two models apart may depend on the others: their ranks do",
)
_add_rank_test(
    "aligned",
    "aligned ranks",
    "tables of results that are comparable between data sets",
    aligned_z,
    _most_other_z,
    (_HODGES_LEHMANN, _GARCIA_2010),
    _COMPARABLE,
)
_add_rank_test(
    "quade",
    "Quade's ranks",
    "the same, data sets weighed by how much models differ",
    quade_z,
    _most_other_z,
    (_QUADE, _GARCIA_2010),
    _COMPARABLE,
)
