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
    ScaledFoldRule,
    chunks,
    picked,
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
        return _voted(
            self.fold,
            self.n_neighbors,
            orders,
            (self.ranked, self.distances, orders[:, self.fold.test]),
            np.full(orders.shape[0], self.band),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class ScaledNeighborRule:
    """Distances from tested samples only, with one weight for each feature."""

    fold: Fold
    features: Features
    n_neighbors: int  # how many vote

    @classmethod
    def prepare(
        cls, features: Features, fold: Fold, model: Any, scaler: Any
    ) -> ScaledFoldRule:
        """Prepare a split; `scaler` has nothing to add."""
        del scaler
        return cls(fold=fold, features=features, n_neighbors=int(model.n_neighbors))

    def predict_scaled(
        self, orders: IntArray, offset: FloatArray, scale: FloatArray
    ) -> Predicted:
        """Predict where features are scaled; what is taken off moves no distance."""
        values, share = self.features.centred, 1 / (scale * scale)
        tested = orders[:, self.fold.test]
        squares = share @ self.features.squared.T
        squared = np.empty((*tested.shape, len(values)))
        for part in chunks(len(orders), tested.shape[1] * values.shape[1]):
            weighed = values[tested[part]]
            weighed *= share[part, None]
            products = weighed.reshape(-1, values.shape[1]) @ values.T
            squared[part] = products.reshape(squared[part].shape)
        squared *= -2
        squared += squares[:, None] + picked(squares, tested)[:, :, None]
        squared = squared.reshape(-1, len(values))
        ranked = np.argsort(squared, axis=1)
        # As the model sees samples, or about their mean, whichever is farther.
        largest = squares.max(axis=1)
        largest += np.einsum("ij,ij,ij->i", offset, offset, share)
        return _voted(
            self.fold,
            self.n_neighbors,
            orders,
            (
                ranked,
                np.take_along_axis(squared, ranked, axis=1),
                np.arange(tested.size).reshape(tested.shape),
            ),
            2 * ROUNDING * largest,
        )


def _voted(
    fold: Fold,
    n_neighbors: int,
    orders: IntArray,
    neighbors: tuple[IntArray, FloatArray, IntArray],
    bands: FloatArray,
) -> Predicted:
    """Let neighbours vote: in order, their distances, and rows of tested samples."""
    from scorecast.evaluation.permutation.kernels import vote

    times = fold.times.sum(axis=0).astype(np.int64)
    classes, doubtful = vote(
        *neighbors, orders, times, fold.codes, n_neighbors, fold.n_classes, bands
    )
    if times.sum() < n_neighbors:
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
        prepare_scaled=ScaledNeighborRule.prepare,
        work=lambda n, _: n * n,
    )
)
