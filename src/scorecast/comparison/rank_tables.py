"""Ranks of models on data sets: within a row, over aligned rows, weighed by Quade."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from scorecast._core.rounding import DIGITS, steady
from scorecast._core.types import FloatArray

__all__ = [
    "RANK_DIGIT",
    "aligned_ranks",
    "has_ties",
    "quade_scores",
    "row_ranks",
    "standing",
]

RANK_DIGIT = 1e-9  # mean ranks that are nearer differ by rounding only


def row_ranks(values: FloatArray, *, greater_is_better: bool) -> FloatArray:
    """Rank the models on every data set; the best has rank 1, ties share.

    Parameters
    ----------
    values : ndarray of shape (n_datasets, n_models)
        Their results.
    greater_is_better : bool
        Which way is better.

    Returns
    -------
    ndarray of shape (n_datasets, n_models)
        Ranks.

    Examples
    --------
    >>> row_ranks(np.array([[0.9, 0.8, 0.9]]), greater_is_better=True)
    array([[1.5, 3. , 1.5]])
    """
    scale = np.abs(values).max(axis=1, keepdims=True)
    turned = -values if greater_is_better else values
    ranks: FloatArray = rankdata(steady(turned, scale), axis=1)
    return ranks


def has_ties(values: FloatArray) -> bool:
    """Tell whether two models have the same result on any data set."""
    ordered = np.sort(row_ranks(values, greater_is_better=True), axis=1)
    return bool((np.diff(ordered, axis=1) == 0).any())


def standing(
    ranks: Sequence[float], means: Sequence[float], greater_is_better: bool
) -> list[int]:
    """Return the places of models from the best mean rank to the worst.

    Parameters
    ----------
    ranks, means : sequence of float
        Mean rank and mean result of every model.
    greater_is_better : bool
        Which way is better.

    Returns
    -------
    list of int
        Models that share a mean rank stand in the order of their means.

    Examples
    --------
    >>> standing([1.5, 3.0, 1.5], [0.7, 0.6, 0.8], True)
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

    Parameters
    ----------
    values : ndarray of shape (n_datasets, n_models)
        Results.
    greater_is_better : bool
        Which way is better.
    digits : int or None, default=12
        Digits to which distances from the mean are the same; None compares the floats,
        so that rounding breaks ties as it happens.

    Returns
    -------
    ndarray of shape (n_datasets, n_models)
        Ranks from 1, the best, to the number of results.
    """
    scale = np.abs(values).max(axis=1, keepdims=True)
    means = values.astype(np.longdouble).mean(axis=1, keepdims=True)
    aligned = values - means.astype(np.float64)
    turned = -aligned if greater_is_better else aligned
    ranks: FloatArray = rankdata(steady(turned, scale, digits)).reshape(values.shape)
    return ranks


def quade_scores(values: FloatArray, *, greater_is_better: bool) -> FloatArray:
    """Weigh the centred ranks of every data set by the rank of its range.

    Parameters
    ----------
    values : ndarray of shape (n_datasets, n_models)
        Results.
    greater_is_better : bool
        Which way is better.

    Returns
    -------
    ndarray of shape (n_datasets, n_models)
        Scores; negative for the better half.
    """
    ranks = row_ranks(values, greater_is_better=greater_is_better)
    scale = np.abs(values).max(axis=1)
    weights = rankdata(steady(np.ptp(values, axis=1), scale))
    scores: FloatArray = weights[:, None] * (ranks - (values.shape[1] + 1) / 2)
    return scores
