"""Ridge classification: one smoothing matrix per split, whatever the labels."""

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

__all__ = ["RidgeRule"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RidgeRule:
    """Predictions are linear in the targets, which are +1 and -1.

    Attributes
    ----------
    smoother : ndarray of shape (n_test, n_train)
        Turns targets of training cases into decisions on test cases.
    n_classes : int
        How many classes there are.
    band : float
        Differences that rounding explains.
    """

    smoother: FloatArray
    n_classes: int
    band: float

    @classmethod
    def of(cls, fold: FoldFeatures, model: Any, n_classes: int) -> Self:
        """Prepare a split for a `RidgeClassifier`."""
        features = fold.features
        gram = features.centred_gram if model.fit_intercept else features.gram
        within, across = fold.blocks(gram)
        n = within.shape[0]
        if model.fit_intercept:
            # Centre by the training cases; the intercept is not penalised.
            means = within.mean(axis=0)
            across = across - across.mean(axis=1, keepdims=True) - means + means.mean()
            within = within - means - means[:, None] + means.mean()
        penalised = within + model.alpha * np.eye(n)
        smoother = np.linalg.solve(penalised, across.T).T
        if model.fit_intercept:
            # Targets are centred, too, and their mean is given back.
            smoother = smoother + (1 - smoother.sum(axis=1, keepdims=True)) / n
        condition = 1 + n * features.largest_square / model.alpha
        return cls(
            smoother=smoother, n_classes=n_classes, band=ROUNDING * float(condition)
        )

    def predict(self, labels: IntArray) -> Predicted:
        """Predict the test cases for every labelling of the training cases."""
        targets = 2 * indicators(labels, self.n_classes) - 1
        return from_scores(targets @ self.smoother.T, self.band)
