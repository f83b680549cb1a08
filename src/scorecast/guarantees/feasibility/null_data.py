"""Data with the global regularities of the real ones and no joint structure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import UsageError
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.tables import is_table, shuffled_columns

__all__ = ["NULL_DATA", "draw_null_data", "ledoit_wolf", "real_share"]

NULL_DATA = ("shrunk", "normal", "shuffle", "covariance")


def draw_null_data(problem: Problem, kind: str, rng: np.random.Generator) -> Any:
    """Draw features that keep what each class looks like, one feature at a time.

    Parameters
    ----------
    problem : Problem
        The real data, with classes.
    kind : {"shrunk", "normal", "shuffle", "covariance"}
        Normal features with the means of each class and the common covariance, both
        shrunk by what chance alone would make of them (``"shrunk"``); with means and
        spreads of each class as they are, and nothing in common (``"normal"``); with
        means as they are and the common covariance, shrunk (``"covariance"``); or the
        features themselves, each shuffled within each class on its own
        (``"shuffle"``: Ojala and Garriga's second test). Features of which some are
        missing or no numbers are always shuffled.
    rng : numpy.random.Generator
        Where randomness comes from.

    Returns
    -------
    ndarray or data frame of shape (n, m)
        Features for the same targets.

    Raises
    ------
    UsageError
        If there are no classes to be conditional on.
    """
    if not problem.is_classification:
        msg = "Null data keep what each class looks like; these targets are numbers."
        raise UsageError(msg)
    known = problem.matrix()
    if kind == "shuffle" or known is None:
        return _shuffled(problem, rng)
    values = np.asarray(known, dtype=np.float64)
    codes, n_classes = problem.codes, len(problem.classes)
    means = np.stack([values[codes == c].mean(axis=0) for c in range(n_classes)])
    centred = values - means[codes]
    if kind == "normal":
        squares = np.stack(
            [(centred[codes == c] ** 2).sum(0) for c in range(n_classes)]
        )
        spreads = np.sqrt(squares / np.maximum(problem.class_counts - 1, 1)[:, None])
        noise = rng.standard_normal(values.shape)
        return _as_they_came(problem.X, means[codes] + spreads[codes] * noise)
    if kind == "shrunk":
        middle = values.mean(axis=0)
        share = real_share(means - middle, centred, problem.class_counts)
        # The square root keeps the spread that the true means have.
        means = middle + np.sqrt(share) * (means - middle)
    drawn = means[codes] + _correlated(centred, n_classes, rng)
    return _as_they_came(problem.X, drawn)


def real_share(offsets: FloatArray, centred: FloatArray, counts: IntArray) -> float:
    """Estimate how much of what class means differ by is not chance.

    Parameters
    ----------
    offsets : ndarray of shape (n_classes, m)
        Class means less the mean of all.
    centred : ndarray of shape (n, m)
        Features less the mean of their class.
    counts : ndarray of shape (n_classes,)
        Cases of every class.

    Returns
    -------
    float
        Between 0 and 1: one less the differences expected by chance over those seen,
        in units of the spread within classes, over all features together.
    """
    degrees = centred.shape[0] - counts.size
    if degrees <= 2:
        return 0.0  # chance has no expectation then
    within = (centred**2).sum(axis=0) / degrees
    varies = within > 0
    seen = float((counts[:, None] * offsets[:, varies] ** 2 / within[varies]).sum())
    # The mean of F is above one, as the spread within is estimated too.
    expected = (counts.size - 1) * float(varies.sum()) * degrees / (degrees - 2)
    return max(0.0, 1 - expected / seen) if seen > 0 else 0.0


def _shuffled(problem: Problem, rng: np.random.Generator) -> Any:
    """Shuffle every feature within every class, whatever it is."""
    orders = np.tile(np.arange(problem.n)[:, None], (1, problem.m))
    for code in range(len(problem.classes)):
        own = problem.codes == code
        orders[own] = rng.permuted(orders[own], axis=0)
    return shuffled_columns(problem.X, orders)


def _as_they_came(features: Any, values: FloatArray) -> Any:
    if not is_table(features):
        return values
    return type(features)(values, columns=features.columns, index=features.index)


def ledoit_wolf(centred: NDArray[np.float64]) -> float:
    """Return by how much to shrink a covariance (Ledoit and Wolf, 2004).

    As scikit-learn's for values around zero, but without the covariance of features:
    sums of squares are those of the products of cases, of which there are far fewer.

    Parameters
    ----------
    centred : ndarray of shape (n, m)
        Features around zero.

    Returns
    -------
    float
        Between 0 and 1.
    """
    n, m = centred.shape
    squares = (centred**2).sum(axis=1)
    products = centred @ centred.T if n < m else centred.T @ centred
    seen = float((products**2).sum()) / n**2
    mean = float(squares.sum()) / (n * m)
    spread = (seen - m * mean**2) / m
    chance = (float((squares**2).sum()) / n - seen) / (n * m)
    return min(chance, spread) / spread if chance > 0 and spread > 0 else 0.0


def _correlated(
    centred: NDArray[np.float64], n_classes: int, rng: np.random.Generator
) -> FloatArray:
    """Draw from the shrunk common covariance without ever forming it."""
    n, m = centred.shape
    scale = centred.std(axis=0)
    scale[scale == 0] = 1.0
    standard = centred / scale
    shrinkage = ledoit_wolf(standard)
    degrees = max(n - n_classes, 1)
    shared = rng.standard_normal((n, n)) @ standard / np.sqrt(degrees)
    alone = rng.standard_normal((n, m)) * np.sqrt(n / degrees)
    mixed = np.sqrt(1 - shrinkage) * shared + np.sqrt(shrinkage) * alone
    drawn: FloatArray = mixed * scale
    return drawn
