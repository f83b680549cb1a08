"""Nearest centroids, from inner products alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.features import FoldFeatures
from scorecast.guarantees.permutation.rule import (
    ROUNDING,
    Predicted,
    from_scores,
    indicators,
)

__all__ = ["CentroidRule"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CentroidRule:
    """Distances to centroids: x'c - c'c/2 with c a mean of training cases.

    Attributes
    ----------
    within : ndarray of shape (n_train, n_train)
        Inner products of training cases.
    across : ndarray of shape (n_test, n_train)
        Inner products of test and training cases.
    n_classes : int
        How many classes there are.
    band : float
        Differences that rounding explains.
    """

    within: FloatArray
    across: FloatArray
    n_classes: int
    band: float

    @classmethod
    def of(cls, fold: FoldFeatures, model: Any, n_classes: int) -> Self:
        """Prepare a split; `model` has nothing to add."""
        del model
        within, across = fold.blocks(fold.features.centred_gram)
        # The model refuses cases that are all the same; let it.
        same = bool(np.all(np.ptp(fold.train, axis=0) == 0))
        band = np.inf if same else ROUNDING * fold.features.largest_square
        return cls(within=within, across=across, n_classes=n_classes, band=band)

    def predict(self, labels: IntArray) -> Predicted:
        """Predict the test cases for every labelling of the training cases."""
        scores = np.empty((self.n_classes, labels.shape[0], self.across.shape[0]))
        for number, members in enumerate(indicators(labels, self.n_classes)):
            weights = members / np.maximum(members.sum(axis=1, keepdims=True), 1)
            length = np.einsum("ij,ij->i", weights, weights @ self.within)
            scores[number] = weights @ self.across.T - 0.5 * length[:, None]
        return from_scores(scores, self.band)
