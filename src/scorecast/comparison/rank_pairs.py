"""Pairs of models by their mean ranks: z-values, Nemenyi, critical differences."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from scorecast._core.types import FloatArray
from scorecast.comparison.rank_tables import aligned_ranks, quade_scores, row_ranks
from scorecast.exceptions import UsageError

__all__ = [
    "critical_difference",
    "nemenyi_p",
    "normal_p",
    "rank_z",
    "studentized_range_quantile",
]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(240)
_REACH = 9.0  # beyond nine standard deviations nothing is left to integrate


def rank_z(
    values: FloatArray, kind: str, *, greater_is_better: bool = True
) -> FloatArray:
    """Return how many standard errors the mean ranks of models lie apart.

    Parameters
    ----------
    values : ndarray of shape (n_datasets, n_models)
        Results.
    kind : {"ranks", "aligned", "quade"}
        Which ranks.
    greater_is_better : bool, default=True
        Which way is better.

    Returns
    -------
    ndarray of shape (n_models, n_models)
        Negative where the model of the row is better than that of the column.

    Notes
    -----
    For plain ranks the standard error is that of the literature,
    ``sqrt(k (k + 1) / (6 n))``, which leaves out ties and is then on the safe side. For
    the other two it is that of all permutations within data sets: the printed formulas
    of Garcia et al. (2010) do not agree with it (theirs for aligned ranks lacks a
    factor k inside, theirs for Quade one of 2 / (k - 1)).
    """
    n, k = values.shape
    if kind == "ranks":
        scores = row_ranks(values, greater_is_better=greater_is_better)
        variance = k * (k + 1) / (6 * n)
    else:
        weigh = aligned_ranks if kind == "aligned" else quade_scores
        scores = weigh(values, greater_is_better=greater_is_better)
        away = scores - scores.mean(axis=1, keepdims=True)
        variance = 2 * float((away**2).sum()) / ((k - 1) * n**2)
    means = scores.mean(axis=0)
    apart: FloatArray = means[:, None] - means[None, :]
    if variance == 0:
        return np.zeros_like(apart)
    return apart / math.sqrt(variance)


def normal_p(z: FloatArray) -> FloatArray:
    """Return two-sided p-values of normal scores."""
    p: FloatArray = np.minimum(2 * ndtr(-np.abs(z)), 1.0)
    return p


def nemenyi_p(z: FloatArray, n_models: int) -> FloatArray:
    """Return Nemenyi's p-values: those of the studentized range of all models.

    Parameters
    ----------
    z : ndarray
        Differences of mean ranks in standard errors.
    n_models : int
        Number of models.

    Returns
    -------
    ndarray
        Adjusted for all pairs.

    Examples
    --------
    >>> nemenyi_p(np.array([2.569]), 4).round(4)
    array([0.05])
    """
    return _range_tail(np.sqrt(2) * np.abs(z), n_models)


def _range_tail(width: FloatArray, k: int) -> FloatArray:
    """Return the chance that k normals spread over more than a width."""
    flat = np.atleast_1d(width).ravel()
    # The largest of the k lies at x; all terms are positive, so small tails are exact.
    # Where the range is wide the integrand sits between 0 and the width.
    middle, half = flat[:, None] / 2, flat[:, None] / 2 + _REACH
    x = middle + half * _NODES
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    below = np.exp(np.minimum(log_ndtr(x - flat[:, None]) - log_ndtr(x), 0.0))
    with np.errstate(divide="ignore"):
        missed = -np.expm1((k - 1) * np.log1p(-np.minimum(below, 1.0)))
    value = density * np.exp((k - 1) * log_ndtr(x)) * missed
    tail = k * (half * value * _WEIGHTS).sum(axis=1)
    chances: FloatArray = np.clip(tail, 0.0, 1.0).reshape(np.shape(width))
    return chances


def studentized_range_quantile(level: float, n_models: int) -> float:
    """Return the quantile of the studentized range with infinite freedom.

    Parameters
    ----------
    level : float
        Between 0 and 1.
    n_models : int
        Number of means.

    Returns
    -------
    float
        The quantile.
    """
    from scipy.optimize import brentq

    def excess(width: float) -> float:
        return float(_range_tail(np.array([width]), n_models)[0]) - (1 - level)

    return float(brentq(excess, 1e-6, 60.0, xtol=1e-12))


def critical_difference(
    n_models: int, n_datasets: int, *, level: float = 0.95, test: str = "nemenyi"
) -> float:
    """Return how far apart mean ranks must lie to be told apart.

    Parameters
    ----------
    n_models, n_datasets : int
        Size of the table.
    level : float, default=0.95
        One less the family-wise error.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        All pairs, or all against one control.

    Returns
    -------
    float
        In ranks, as Demsar (2006) defines it.

    Raises
    ------
    UsageError
        If the test is neither of the two.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    >>> round(critical_difference(4, 14, test="bonferroni-dunn"), 2)
    1.17
    """
    if test == "nemenyi":
        quantile = studentized_range_quantile(level, n_models) / math.sqrt(2)
    elif test == "bonferroni-dunn":
        quantile = -float(ndtri((1 - level) / (2 * (n_models - 1))))
    else:
        msg = f"A critical difference is for nemenyi or bonferroni-dunn; got {test!r}."
        raise UsageError(msg)
    return quantile * math.sqrt(n_models * (n_models + 1) / (6 * n_datasets))
