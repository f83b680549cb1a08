"""Data with the global regularities of the real ones and no joint structure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray
from scorecast.exceptions import UsageError
from scorecast.guarantees.problem import Problem

__all__ = ["NULL_DATA", "draw_null_data"]

NULL_DATA = ("normal", "shuffle", "covariance")


def draw_null_data(problem: Problem, kind: str, rng: np.random.Generator) -> FloatArray:
    """Draw features that keep what each class looks like, one feature at a time.

    Parameters
    ----------
    problem : Problem
        The real data, with classes.
    kind : {"normal", "shuffle", "covariance"}
        Normal features with the mean and spread of each class; the features
        themselves, each shuffled within each class on its own (Ojala and Garriga's
        second test); or normal ones with the common covariance, shrunk.
    rng : numpy.random.Generator
        Where randomness comes from.

    Returns
    -------
    ndarray of shape (n, m)
        Features for the same targets.

    Raises
    ------
    UsageError
        If there are no classes to be conditional on.
    """
    if not problem.is_classification:
        msg = "Null data keep what each class looks like; these targets are numbers."
        raise UsageError(msg)
    values = np.asarray(problem.X, dtype=np.float64)
    drawn = np.empty_like(values)
    centred = np.empty_like(values)
    for code in range(len(problem.classes)):
        own = problem.codes == code
        centred[own] = values[own] - values[own].mean(axis=0)
        if kind == "shuffle":
            drawn[own] = rng.permuted(values[own], axis=0)
        elif kind == "normal":
            spread = values[own].std(axis=0, ddof=1) if own.sum() > 1 else 0.0
            noise = rng.standard_normal((int(own.sum()), values.shape[1]))
            drawn[own] = values[own].mean(axis=0) + spread * noise
    if kind == "covariance":
        drawn = values - centred + _correlated(centred, len(problem.classes), rng)
    return drawn


def _correlated(
    centred: NDArray[np.float64], n_classes: int, rng: np.random.Generator
) -> FloatArray:
    """Draw from the shrunk common covariance without ever forming it."""
    from sklearn.covariance import ledoit_wolf_shrinkage

    n, m = centred.shape
    scale = centred.std(axis=0)
    scale[scale == 0] = 1.0
    standard = centred / scale
    shrinkage = float(ledoit_wolf_shrinkage(standard, assume_centered=True))
    degrees = max(n - n_classes, 1)
    shared = rng.standard_normal((n, n)) @ standard / np.sqrt(degrees)
    alone = rng.standard_normal((n, m)) * np.sqrt(n / degrees)
    mixed = np.sqrt(1 - shrinkage) * shared + np.sqrt(shrinkage) * alone
    drawn: FloatArray = mixed * scale
    return drawn
