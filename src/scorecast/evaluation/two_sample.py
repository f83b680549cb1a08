"""Do two samples come from one distribution? Energy distance and MMD, by permutation.

Both statistics are quadratic forms w' M w of a matrix of pairs, where w is 1/n on the
first sample and -1/m on the second: a permutation only changes w, so that all of them
are one matrix product.
"""

from __future__ import annotations

import numpy as np

from scorecast._core.types import BoolArray, FloatArray

__all__ = ["STATISTICS", "distances", "two_sample_p", "two_sample_values"]

STATISTICS = ("energy", "mmd")
_AT_ONCE = 64  # permutations per product


def distances(points: FloatArray) -> FloatArray:
    """Return Euclidean distances of all pairs of rows."""
    squares = (points**2).sum(axis=1)
    between = squares[:, None] + squares[None, :] - 2 * (points @ points.T)
    np.fill_diagonal(between, 0.0)
    result: FloatArray = np.sqrt(np.maximum(between, 0.0))
    return result


def _form(between: FloatArray, statistic: str) -> FloatArray:
    """Return the matrix whose quadratic form is the statistic."""
    if statistic == "energy":
        return -between
    # The median of pooled distances: the same for every permutation.
    upper = between[np.triu_indices(between.shape[0], 1)]
    positive = upper[upper > 0]
    width = float(np.median(positive)) if positive.size else 1.0
    kernel: FloatArray = np.exp(-(between**2) / (2 * width**2))
    return kernel


def _weights(first: BoolArray) -> FloatArray:
    """Return 1/n on the first sample and -1/m on the second, row by row."""
    n = first.sum(axis=1, keepdims=True)
    m = first.shape[1] - n
    weights: FloatArray = np.where(first, 1.0 / n, -1.0 / m)
    return weights


def _values(form: FloatArray, first: BoolArray) -> FloatArray:
    w = _weights(first)
    values: FloatArray = np.einsum("ij,ij->i", w @ form, w)
    return values


def two_sample_values(between: FloatArray, n_first: int) -> FloatArray:
    """Return all statistics of two samples, without a test.

    Parameters
    ----------
    between : ndarray of shape (n + m, n + m)
        Distances of all pairs, the first sample first.
    n_first : int
        Size of the first sample.

    Returns
    -------
    ndarray
        One value for each of `STATISTICS`.
    """
    first = (np.arange(between.shape[0]) < n_first)[None, :]
    values = [float(_values(_form(between, name), first)[0]) for name in STATISTICS]
    return np.array(values)


def two_sample_p(
    between: FloatArray,
    n_first: int,
    statistic: str,
    *,
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Test whether two samples come from one distribution.

    Parameters
    ----------
    between : ndarray of shape (n + m, n + m)
        Distances of all pairs, the first sample first.
    n_first : int
        Size of the first sample.
    statistic : {"energy", "mmd"}
        Energy distance (Szekely and Rizzo), or maximum mean discrepancy with a
        Gaussian kernel of the median distance (Gretton and others).
    n_permutations : int
        How often cases are assigned to samples anew.
    rng : numpy.random.Generator
        Where that comes from.

    Returns
    -------
    tuple of float
        The statistic, and the share of assignments for which it is as large, the real
        one counted.
    """
    total = between.shape[0]
    form = _form(between, statistic)
    labels = np.arange(total) < n_first
    observed = float(_values(form, labels[None, :])[0])
    as_large, left = 1, n_permutations
    slack = 1e-10 * float(np.abs(form).max())
    while left > 0:
        batch = np.tile(labels, (min(left, _AT_ONCE), 1))
        drawn = _values(form, rng.permuted(batch, axis=1))
        as_large += int((drawn >= observed - slack).sum())
        left -= batch.shape[0]
    return observed, as_large / (1 + n_permutations)
