"""Nearest neighbours: who is near whom does not depend on labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.permutation.engines import (
    PERMUTATION_ENGINES,
    ROUNDING,
    Features,
    Fold,
    PermutationEngine,
    Predicted,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class NeighborRule:
    """All samples in order of their distance from each."""

    fold: Fold
    ranked: IntArray  # (n, n), cases by distance from that of the row
    distances: FloatArray  # (n, n), squared, in that order
    n_neighbors: int  # how many vote
    band: float  # differences that rounding explains

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `KNeighborsClassifier` with equal votes."""
        squared = features.squared_distances
        ranked = np.argsort(squared, axis=1, kind="stable")
        return cls(
            fold=fold,
            ranked=ranked,
            distances=np.take_along_axis(squared, ranked, axis=1),
            n_neighbors=int(model.n_neighbors),
            band=ROUNDING * features.largest_square,
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        from scorecast.evaluation.permutation.kernels import vote

        fold = self.fold
        times = fold.times.sum(axis=0).astype(np.int64)
        classes, doubtful = vote(
            self.ranked,
            self.distances,
            orders,
            times,
            fold.codes,
            fold.test,
            self.n_neighbors,
            fold.n_classes,
            self.band,
        )
        if times.sum() < self.n_neighbors:
            doubtful[:] = True  # the model will say what it thinks of that
        return Predicted(classes=classes, is_doubtful=doubtful)


def _knows(model: Any, n_classes: int) -> bool:
    del n_classes
    euclidean = model.metric == "euclidean" or (
        model.metric == "minkowski" and model.p == 2
    )
    plain = model.weights == "uniform" and not model.metric_params
    few = isinstance(model.n_neighbors, int) and model.n_neighbors >= 1
    return bool(euclidean and plain and few)


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="neighbors",
        title="nearest neighbours",
        summary="votes of samples that were put in order of their distance once",
        estimators=("sklearn.neighbors.KNeighborsClassifier",),
        accepts=_knows,
        prepare=NeighborRule.prepare,
        work=lambda n, _: n * n,
    )
)
