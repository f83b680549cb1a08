"""Support vector machines, fitted by scikit-learn on far fewer numbers.

Linear machines see the features through inner products only: a kernel matrix worked out
once, or coordinates in the span of the cases, serve every permutation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.features import FoldFeatures
from scorecast.guarantees.permutation.rule import Predicted

__all__ = ["RotatedRule", "VectorRule"]

_NEAR = 1e-6  # of decisions, whose scale is one: the margin


@dataclass(frozen=True, kw_only=True, eq=False)
class VectorRule:
    """A support vector machine with a kernel matrix that is known beforehand.

    Attributes
    ----------
    model : SVC
        With a precomputed kernel.
    within, across : ndarray of shape (n_train, n_train), (n_test, n_train)
        The kernel matrix.
    """

    model: Any
    within: FloatArray
    across: FloatArray

    @classmethod
    def of(cls, fold: FoldFeatures, model: Any, n_classes: int) -> Self:
        """Prepare a split for an `SVC` with a linear kernel."""
        from sklearn.base import clone

        del n_classes
        within, across = fold.blocks(fold.features.gram)
        changed = {"kernel": "precomputed", "decision_function_shape": "ovo"}
        fitted = clone(model).set_params(**changed)
        return cls(
            model=fitted,
            within=np.ascontiguousarray(within),
            across=np.ascontiguousarray(across),
        )

    def predict(self, labels: IntArray) -> Predicted:
        """Predict the test cases for every labelling of the training cases."""
        return _one_by_one(self.model, self.within, self.across, labels)


@dataclass(frozen=True, kw_only=True, eq=False)
class RotatedRule:
    """A linear machine on coordinates in the span of the cases.

    Attributes
    ----------
    model : LinearSVC
        With the form of its problem fixed as the features would have it.
    train, test : ndarray of shape (n_train, r), (n_test, r)
        The coordinates.
    """

    model: Any
    train: FloatArray
    test: FloatArray

    @classmethod
    def of(cls, fold: FoldFeatures, model: Any, n_classes: int) -> Self:
        """Prepare a split for a `LinearSVC`."""
        from sklearn.base import clone

        del n_classes
        coordinates, _ = fold.features.rotation
        train = np.ascontiguousarray(coordinates[fold.split.train])
        fitted = clone(model)
        if fitted.dual == "auto":
            # The choice hangs on the number of features: make it before they are cut.
            few = train.shape[0] < fold.features.values.shape[1]
            fitted.set_params(dual=few or fitted.loss == "hinge")
        if fitted.random_state is None:
            # Any seed will do, but the answer must not depend on who runs what.
            fitted.set_params(random_state=0)
        test = np.ascontiguousarray(coordinates[fold.split.test])
        return cls(model=fitted, train=train, test=test)

    def predict(self, labels: IntArray) -> Predicted:
        """Predict the test cases for every labelling of the training cases."""
        return _one_by_one(self.model, self.train, self.test, labels)


def _one_by_one(
    model: Any, train: FloatArray, test: FloatArray, labels: IntArray
) -> Predicted:
    classes = np.zeros((labels.shape[0], test.shape[0]), dtype=np.int64)
    doubtful = np.zeros(labels.shape[0], dtype=np.bool_)
    for row, known in enumerate(labels):
        if np.all(known == known[0]):
            doubtful[row] = True
            continue
        model.fit(train, known)
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
