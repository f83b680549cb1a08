"""Nearest neighbours: who is near whom does not depend on labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.rule import ROUNDING, Predicted

__all__ = ["NeighbourRule"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NeighbourRule:
    """All cases in order of their distance from each.

    Attributes
    ----------
    fold : Fold
        The split.
    ranked : ndarray of shape (n, n)
        Cases by distance from that of the row.
    distances : ndarray of shape (n, n)
        Squared, in that order.
    n_neighbours : int
        How many vote.
    band : float
        Differences that rounding explains.
    """

    fold: Fold
    ranked: IntArray
    distances: FloatArray
    n_neighbours: int
    band: float

    @classmethod
    def of(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `KNeighborsClassifier` with equal votes."""
        squared = features.squared_distances
        ranked = np.argsort(squared, axis=1, kind="stable")
        return cls(
            fold=fold,
            ranked=ranked,
            distances=np.take_along_axis(squared, ranked, axis=1),
            n_neighbours=int(model.n_neighbors),
            band=ROUNDING * features.largest_square,
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        from scorecast.guarantees.permutation.voting import vote

        fold = self.fold
        times = fold.times.sum(axis=0).astype(np.int64)
        classes, doubtful = vote(
            self.ranked, self.distances, orders, times, fold.codes,
            fold.split.test, self.n_neighbours, fold.n_classes, self.band,
        )  # fmt: skip
        if times.sum() < self.n_neighbours:
            doubtful[:] = True  # the model will say what it thinks of that
        return Predicted(classes=classes, is_doubtful=doubtful)
