"""Support vector machines, fitted by scikit-learn on far fewer numbers.

They see the features through a kernel only: worked out once for all pairs of samples,
it serves every permutation. Linear ones without a kernel do with coordinates in the
span of the samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.permutation.engines import (
    PERMUTATION_ENGINES,
    Features,
    Fold,
    PermutationEngine,
    Predicted,
    is_positive,
)

_NEAR = 1e-6  # of decisions, whose scale is one: the margin


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelRule:
    """A support vector machine with a kernel matrix that is known beforehand."""

    fold: Fold
    model: Any  # with a precomputed kernel
    products: FloatArray  # (n, n), inner products, or squared distances
    gamma: Any  # for the radial kernel, its parameter; None for the linear one
    sums: FloatArray  # (n,), mean of the features of every sample, and of their squares
    squares: FloatArray  # (n,)
    n_features: int  # how many there are

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for an `SVC` with a linear or radial kernel."""
        from sklearn.base import clone

        changed = {"kernel": "precomputed", "decision_function_shape": "ovo"}
        is_linear = model.kernel == "linear"
        n_features = features.shape[1]
        gamma = 1 / n_features if model.gamma == "auto" else model.gamma
        none = np.empty(0)
        return cls(
            fold=fold,
            model=clone(model).set_params(**changed),
            products=features.gram if is_linear else features.squared_distances,
            gamma=None if is_linear else gamma,
            sums=none if is_linear else features.values.mean(axis=1),
            squares=none if is_linear else (features.values**2).mean(axis=1),
            n_features=n_features,
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""

        def pair(order: IntArray) -> tuple[FloatArray, FloatArray]:
            known, asked = order[self.fold.train], order[self.fold.test]
            within = self.products[np.ix_(known, known)]
            across = self.products[np.ix_(asked, known)]
            if self.gamma is None:
                return within, across
            gamma = self._gamma(known)
            return np.exp(-gamma * within), np.exp(-gamma * across)

        return _one_by_one(self.model, pair, orders, self.fold)

    def _gamma(self, known: IntArray) -> float:
        if self.gamma != "scale":
            return float(self.gamma)
        variance = self.squares[known].mean() - self.sums[known].mean() ** 2
        return 1 / (self.n_features * variance) if variance > 0 else 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class RotatedRule:
    """A linear machine on coordinates in the span of the samples."""

    fold: Fold
    model: Any  # with the form of its problem fixed as the features would have it
    coordinates: FloatArray  # (n, r), of all samples

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `LinearSVC`."""
        from sklearn.base import clone

        fitted = clone(model)
        if fitted.dual == "auto":
            # The choice hangs on the number of features: make it before they are cut.
            few = fold.train.size < features.shape[1]
            fitted.set_params(dual=few or fitted.loss == "hinge")
        if fitted.random_state is None:
            # Any seed will do, but the answer must not depend on who runs what.
            fitted.set_params(random_state=0)
        return cls(fold=fold, model=fitted, coordinates=features.coordinates)

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""

        def pair(order: IntArray) -> tuple[FloatArray, FloatArray]:
            known, asked = order[self.fold.train], order[self.fold.test]
            return self.coordinates[known], self.coordinates[asked]

        return _one_by_one(self.model, pair, orders, self.fold)


def _one_by_one(model: Any, pair: Any, orders: IntArray, fold: Fold) -> Predicted:
    classes = np.zeros((orders.shape[0], fold.test.size), dtype=np.int64)
    doubtful = np.zeros(orders.shape[0], dtype=np.bool_)
    for row, order in enumerate(orders):
        train, test = pair(order)
        model.fit(train, fold.labels)
        decisions = np.asarray(model.decision_function(test))
        if decisions.ndim == 1:
            classes[row] = model.classes_[(decisions > 0).astype(np.int64)]
            doubtful[row] = not np.abs(decisions).min() > _NEAR
        else:
            classes[row] = model.predict(test)
            doubtful[row] = not _gap(decisions, model) > _NEAR
    return Predicted(classes=classes, is_doubtful=doubtful)


def _gap(decisions: FloatArray, model: Any) -> float:
    """Return how near several classes came to a tie."""
    if getattr(model, "decision_function_shape", None) == "ovo":
        return float(np.abs(decisions).min())
    two = np.sort(decisions, axis=1)[:, -2:]
    return float((two[:, 1] - two[:, 0]).min())


def _knows_kernel(model: Any, n_classes: int) -> bool:
    del n_classes
    # Probabilities are drawn anew for every fit; newer versions call them deprecated.
    plain = model.get_params().get("probability", False) in (False, "deprecated")
    gamma = model.gamma in ("scale", "auto") or is_positive(model.gamma)
    # Weights by label would miss: what is fitted here are numbers of classes.
    plain = plain and model.class_weight in (None, "balanced") and not model.break_ties
    return bool(model.kernel in ("linear", "rbf") and gamma and plain)


def _knows_linear(model: Any, n_classes: int) -> bool:
    del n_classes
    return bool(model.penalty == "l2" and model.class_weight in (None, "balanced"))


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="precomputed-kernel",
        title="support vector machines",
        summary="fitted one by one on kernels worked out once",
        estimators=("sklearn.svm.SVC",),
        accepts=_knows_kernel,
        prepare=KernelRule.prepare,
    )
)
PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="rotation",
        title="linear support vector machines",
        summary="fitted one by one on coordinates in the span of the samples",
        estimators=("sklearn.svm.LinearSVC",),
        accepts=_knows_linear,
        prepare=RotatedRule.prepare,
    )
)
