"""Nearest centroids, from inner products alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.rule import (
    ROUNDING,
    Predicted,
    from_scores,
    picked,
    placed,
)

__all__ = ["CentroidRule"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CentroidRule:
    """Distances to centroids: x'c - c'c/2 with c a mean of training cases.

    Attributes
    ----------
    fold : Fold
        The split.
    values : ndarray of shape (n, m)
        Centred features.
    gram : ndarray of shape (n, n) or None
        Their inner products, where cases are fewer than features.
    band : float
        Differences that rounding explains.
    """

    fold: Fold
    values: FloatArray
    gram: FloatArray | None
    band: float

    @classmethod
    def of(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split; `model` has nothing to add."""
        del model
        n, m = features.values.shape
        # The model refuses cases that are all the same; let it.
        refuses = features.most_alike >= np.unique(fold.split.train).size
        band = np.inf if refuses else ROUNDING * features.largest_square
        gram = features.centred_gram if n <= m else None
        return cls(fold=fold, values=features.centred, gram=gram, band=band)

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        tested = orders[:, self.fold.split.test]
        scores = np.empty((self.fold.n_classes, *tested.shape))
        for number, times in enumerate(self.fold.times):
            weights = placed(times / self.fold.counts[number], orders)
            if self.gram is not None:
                near = weights @ self.gram
                length = np.einsum("ij,ij->i", weights, near)
            else:
                centroid = weights @ self.values
                near = centroid @ self.values.T
                length = np.einsum("ij,ij->i", centroid, centroid)
            scores[number] = picked(near, tested) - 0.5 * length[:, None]
        return from_scores(scores, self.band)
