"""Measure the capacity of a classifier by how well it learns random labels.

After Vapnik, Levin and LeCun (1994): on relabelled data, the largest difference between
the errors on two halves depends on the VC dimension alone, in a known way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_matrix
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import InsufficientDataError

__all__ = ["estimate_capacity", "expected_deviation", "measured_capacity"]

_A, _B, _SHIFT = 0.16, 1.2, 0.14928  # of the curve, from the paper


def expected_deviation(ratio: ArrayLike) -> FloatArray:
    """Return the largest deviation to expect with so many cases per dimension.

    Parameters
    ----------
    ratio : array-like
        Cases in each half per unit of VC dimension.

    Returns
    -------
    ndarray
        1 below one half, then falling.
    """
    r = np.maximum(np.asarray(ratio, dtype=np.float64), 0.5)
    log_term = np.log(2 * r) + 1
    root = np.sqrt(1 + _B * (r - _SHIFT) / log_term) + 1
    curve: FloatArray = np.minimum(_A * log_term / (r - _SHIFT) * root, 1.0)
    return curve


def estimate_capacity(
    estimator: Any,
    X: ArrayLike,
    *,
    n_sizes: int = 6,
    n_repeats: int = 20,
    random_state: RandomState = 0,
) -> float:
    """Estimate the effective VC dimension of a classifier on these features.

    Parameters
    ----------
    estimator : estimator
        A classifier of two classes.
    X : array-like of shape (n, m)
        Features; targets do not matter.
    n_sizes : int, default=6
        Sizes of halves to try.
    n_repeats : int, default=20
        Random relabellings per size.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    float
        At most twice the cases, beyond which nothing can be told.

    Raises
    ------
    InsufficientDataError
        If there are fewer than 16 cases.
    """
    from sklearn.base import clone

    values = check_matrix(X, "X")

    def said(rows: IntArray, taught: IntArray) -> IntArray:
        found: IntArray = (
            clone(estimator).fit(values[rows], taught).predict(values[rows])
        )
        return found

    return measured_capacity(
        said, values.shape[0], n_sizes=n_sizes, n_repeats=n_repeats,
        rng=as_generator(random_state),
    )  # fmt: skip


def measured_capacity(
    said: Callable[[IntArray, IntArray], IntArray],
    n: int,
    *,
    n_sizes: int = 6,
    n_repeats: int = 20,
    rng: np.random.Generator,
) -> float:
    """Estimate the effective VC dimension of anything that learns two classes.

    Parameters
    ----------
    said : callable
        From numbers of cases and their labels, 0 or 1, to what is said of the same
        cases after learning them.
    n : int
        Number of cases.
    n_sizes, n_repeats : int
        As of `estimate_capacity`.
    rng : numpy.random.Generator
        Where labels come from.

    Returns
    -------
    float
        At most twice the cases.

    Raises
    ------
    InsufficientDataError
        If there are fewer than 16 cases.
    """
    if n < 16:
        msg = f"{n} cases are too few to measure capacity; 16 at least."
        raise InsufficientDataError(msg)
    sizes = np.unique(np.geomspace(4, n // 2, n_sizes).astype(int))
    found = []
    for half in sizes:
        gaps = []
        for _ in range(n_repeats):
            rows = rng.permutation(n)[: 2 * half]
            labels = rng.permutation(np.arange(2 * half) % 2)
            taught = labels.copy()
            # To agree with the first half and disagree with the second is the most
            # that the halves can differ.
            taught[half:] = 1 - taught[half:]
            if np.ptp(taught) == 0:
                continue
            wrong = said(rows, taught) != labels
            gaps.append(abs(wrong[:half].mean() - wrong[half:].mean()))
        found.append(np.mean(gaps))
    grid = np.geomspace(0.5, 2 * n, 400)
    misfit = [
        np.sum((expected_deviation(sizes / h) - np.array(found)) ** 2) for h in grid
    ]
    return float(grid[int(np.argmin(misfit))])
