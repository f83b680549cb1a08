"""Tests of whether any model differs from any other, over all data sets."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc, gammaln

from scorecast._core.rounding import DIGITS
from scorecast._core.types import FloatArray, Json
from scorecast.comparison.rank_tables import aligned_ranks, quade_scores, row_ranks

__all__ = [
    "OMNIBUS",
    "OmnibusTest",
    "aligned_friedman",
    "cochran_q",
    "friedman",
    "friedman_of_ranks",
    "iman_davenport",
    "iman_davenport_of",
    "p_said",
    "quade",
    "smallest_p",
]


@dataclass(frozen=True, kw_only=True)
class OmnibusTest:
    """A test of all models at once.

    Attributes
    ----------
    test : str
        Its name.
    statistic : float
        Its value; infinite where all data sets agree.
    df : tuple of float
        Degrees of freedom: one for chi-squared, two for F.
    p : float
        Chance of as much where no model differs.
    """

    test: str
    statistic: float
    df: tuple[float, ...]
    p: float

    def to_json(self) -> Json:
        """Return plain values."""
        return {**asdict(self), "df": list(self.df)}

    def said(self) -> str:
        """Write statistic, degrees of freedom and p as papers do."""
        letter = "F" if len(self.df) == 2 else "chi2"
        freedom = ", ".join(f"{x:g}" for x in self.df)
        value = f"{self.statistic:.2f}" if math.isfinite(self.statistic) else "infinite"
        return f"{letter}({freedom}) = {value}, {p_said(self.p)}"


def p_said(p: float) -> str:
    """Write a p-value with the sign that belongs to it."""
    if math.isnan(p):
        return "p unknown"
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"


def smallest_p(n_datasets: int, n_models: int) -> float:
    """Return the chance that all data sets agree on one order by luck alone.

    Parameters
    ----------
    n_datasets, n_models : int
        Size of the table.

    Returns
    -------
    float
        No test of ranks can honestly give less: k! orders, each by chance k!^-n.
    """
    return math.exp((1 - n_datasets) * float(gammaln(n_models + 1)))


def friedman_of_ranks(mean_ranks: FloatArray, n_datasets: int) -> OmnibusTest:
    """Return Friedman's test from mean ranks, without correction for ties.

    Parameters
    ----------
    mean_ranks : ndarray of shape (k,)
        Mean rank of every model.
    n_datasets : int
        Over how many data sets.

    Returns
    -------
    OmnibusTest
        As Demsar (2006) writes it.

    Examples
    --------
    >>> import numpy as np
    >>> found = friedman_of_ranks(np.array([3.143, 2.0, 2.893, 1.964]), 14)
    >>> round(found.statistic, 2), round(iman_davenport_of(found, 14).statistic, 2)
    (9.28, 3.69)
    """
    k = mean_ranks.size
    spread = float((mean_ranks**2).sum() - k * (k + 1) ** 2 / 4)
    value = max(12 * n_datasets / (k * (k + 1)) * spread, 0.0)
    p = max(float(chdtrc(k - 1, value)), smallest_p(n_datasets, k))
    return OmnibusTest(test="friedman", statistic=value, df=(k - 1.0,), p=p)


def friedman(
    values: FloatArray, *, greater_is_better: bool = True, tie_corrected: bool = False
) -> OmnibusTest:
    """Return Friedman's test.

    Parameters
    ----------
    values : ndarray of shape (n_datasets, n_models)
        Results.
    greater_is_better : bool, default=True
        Which way is better.
    tie_corrected : bool, default=False
        Whether to divide by what ties take from the spread of ranks, as SciPy does;
        papers mostly do not.

    Returns
    -------
    OmnibusTest
        Statistic 0 and p = 1 where every data set ties all models.
    """
    ranks = row_ranks(values, greater_is_better=greater_is_better)
    n, k = ranks.shape
    plain = friedman_of_ranks(ranks.mean(axis=0), n)
    if not tie_corrected:
        return plain
    most = n * k * (k * k - 1) / 12
    share = float(((ranks - (k + 1) / 2) ** 2).sum()) / most
    value = plain.statistic / share if share > 0 else 0.0
    p = max(float(chdtrc(k - 1, value)), _smallest_with_ties(ranks))
    name = "friedman-tie-corrected"
    return OmnibusTest(test=name, statistic=value, df=plain.df, p=p)


def _smallest_with_ties(ranks: FloatArray) -> float:
    """Return the chance that luck gives this table, or the same with models renamed.

    A data set has as many orders as there are ways to deal out its ranks: fewer with
    ties, so that luck agrees more often than `smallest_p` says.
    """
    k = ranks.shape[1]
    orders = [
        float(gammaln(k + 1) - gammaln(np.unique(row, return_counts=True)[1] + 1).sum())
        for row in ranks
    ]
    return min(math.exp(max(orders) - math.fsum(orders)), 1.0)


def iman_davenport_of(
    found: OmnibusTest, n_datasets: int, least: float | None = None
) -> OmnibusTest:
    """Turn Friedman's statistic into the F of Iman and Davenport.

    Parameters
    ----------
    found : OmnibusTest
        Friedman's test.
    n_datasets : int
        Number of data sets.
    least : float, optional
        The least that p may be; the chance that all data sets agree on one order by
        luck, by default.

    Returns
    -------
    OmnibusTest
        Less conservative than chi-squared; named after ties if Friedman's test is
        corrected for them.
    """
    free = found.df[0]
    most = n_datasets * free
    df = (free, free * (n_datasets - 1))
    left = most - found.statistic
    # All data sets agree: the F is infinite, but luck may do so too.
    perfect = left <= 1e-9 * most
    value = math.inf if perfect else (n_datasets - 1) * found.statistic / left
    if least is None:
        least = smallest_p(n_datasets, int(free) + 1)
    p = _f_tail(value, df, least)
    name = found.test.replace("friedman", "iman-davenport")
    return OmnibusTest(test=name, statistic=value, df=df, p=p)


def iman_davenport(
    values: FloatArray, *, greater_is_better: bool = True, tie_corrected: bool = False
) -> OmnibusTest:
    """Return the F of Iman and Davenport (1980), of Friedman's statistic.

    Parameters
    ----------
    values : ndarray of shape (n_datasets, n_models)
        Results.
    greater_is_better : bool, default=True
        Which way is better.
    tie_corrected : bool, default=False
        Whether Friedman's statistic is corrected for ties first; papers mostly do not,
        and then find too little where many results tie.

    Returns
    -------
    OmnibusTest
        Its F.
    """
    found = friedman(
        values, greater_is_better=greater_is_better, tie_corrected=tie_corrected
    )
    least = None
    if tie_corrected:
        ranks = row_ranks(values, greater_is_better=greater_is_better)
        least = _smallest_with_ties(ranks)
    return iman_davenport_of(found, values.shape[0], least)


def aligned_friedman(
    values: FloatArray,
    *,
    greater_is_better: bool = True,
    tie_corrected: bool = False,
    digits: int | None = DIGITS,
) -> OmnibusTest:
    """Return Friedman's test of aligned ranks (Hodges and Lehmann 1962).

    Parameters
    ----------
    values : ndarray of shape (n_datasets, n_models)
        Results, which must be comparable between data sets.
    greater_is_better : bool, default=True
        Which way is better.
    tie_corrected : bool, default=False
        Whether to take the spread that ranks have, ties and all, instead of that of
        ranks without ties.
    digits : int or None, default=12
        Digits to which distances from the mean of a data set are the same.

    Returns
    -------
    OmnibusTest
        Chi-squared.
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
    p = max(float(chdtrc(k - 1, value)), smallest_p(n, k))
    return OmnibusTest(test="aligned-ranks", statistic=value, df=(k - 1.0,), p=p)


def quade(
    values: FloatArray, *, greater_is_better: bool = True, tie_corrected: bool = False
) -> OmnibusTest:
    """Return Quade's test (1979), which weighs data sets by how much models differ.

    Parameters
    ----------
    values : ndarray of shape (n_datasets, n_models)
        Results, which must be comparable between data sets.
    greater_is_better : bool, default=True
        Which way is better.
    tie_corrected : bool, default=False
        Whether to take the spread that scores have, ties and all, as R does, instead
        of that of scores without ties, as in the literature on comparing models.

    Returns
    -------
    OmnibusTest
        F.
    """
    scores = quade_scores(values, greater_is_better=greater_is_better)
    n, k = scores.shape
    between = float((scores.sum(axis=0) ** 2).sum()) / n
    total = n * (n + 1) * (2 * n + 1) * k * (k + 1) * (k - 1) / 72
    if tie_corrected:
        total = float((scores**2).sum())
    df = (k - 1.0, (k - 1.0) * (n - 1))
    if between == 0:
        return OmnibusTest(test="quade", statistic=0.0, df=df, p=1.0)
    perfect = total - between <= 1e-9 * total
    value = math.inf if perfect else (n - 1) * between / (total - between)
    p = _f_tail(value, df, smallest_p(n, k))
    return OmnibusTest(test="quade", statistic=value, df=df, p=p)


def cochran_q(right: FloatArray) -> OmnibusTest:
    """Return Cochran's Q (1950) of models that are right or wrong on each case.

    Parameters
    ----------
    right : ndarray of shape (n_cases, n_models)
        1 where right, 0 where wrong.

    Returns
    -------
    OmnibusTest
        Chi-squared; 0 and p = 1 where all models agree on every case.
    """
    k = right.shape[1]
    by_model, by_case = right.sum(axis=0), right.sum(axis=1)
    spread = float((k * by_case - by_case**2).sum())
    away = float(((by_model - by_model.mean()) ** 2).sum())
    value = k * (k - 1) * away / spread if spread > 0 else 0.0
    p = float(chdtrc(k - 1, value))
    return OmnibusTest(test="cochran-q", statistic=value, df=(k - 1.0,), p=p)


def _f_tail(value: float, df: tuple[float, float], least: float) -> float:
    if math.isinf(value) or df[1] <= 0:
        return least
    return max(float(fdtrc(df[0], df[1], value)), least)


OMNIBUS = {
    "friedman": friedman,
    "iman-davenport": iman_davenport,
    "aligned-ranks": aligned_friedman,
    "quade": quade,
}
