"""Ridge classification: one smoothing matrix for all splits and permutations."""

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

__all__ = ["RidgeRule", "chunks", "square_blocks"]

_ENTRIES = 2**19  # of a stack of matrices, so that it stays near the processor


@dataclass(frozen=True, kw_only=True, eq=False)
class RidgeRule:
    """Predictions are linear in the targets, which are +1 and -1.

    Where a split tests all cases that it does not learn from, what it would predict
    follows from the residuals of a fit to all cases: residuals left out are
    ``inv(R_tt) R_t y`` with R the matrix that gives residuals. Only a small system per
    permutation is left to be solved.

    Attributes
    ----------
    fold : Fold
        The split.
    matrix : ndarray of shape (n, n)
        R if the split tests all others; else inner products.
    penalty : float
        Of the squared weights.
    has_intercept : bool
        Whether there is one; it is not penalised.
    band : float
        Differences that rounding explains.
    """

    fold: Fold
    matrix: FloatArray
    penalty: float
    has_intercept: bool
    band: float

    @classmethod
    def of(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `RidgeClassifier`."""
        gram = features.centred_gram if model.fit_intercept else features.gram
        n, alpha = gram.shape[0], float(model.alpha)
        matrix: FloatArray = gram
        if fold.is_complement:
            # Divided by alpha, which leaves the solution as it is.
            inverse = np.linalg.inv(gram + alpha * np.eye(n))
            matrix = np.asarray((inverse + inverse.T) / 2, dtype=np.float64)
            if model.fit_intercept:
                matrix -= 1 / (alpha * n)
        condition = 1 + n * features.largest_square / alpha
        return cls(
            fold=fold,
            matrix=matrix,
            penalty=alpha,
            has_intercept=bool(model.fit_intercept),
            band=ROUNDING * float(condition),
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        kinds = np.arange(self.fold.n_classes)[:, None]
        targets = np.where(self.fold.codes == kinds, 1.0, -1.0)
        solve = self._left_out if self.fold.is_complement else self._fitted
        return from_scores(solve(orders, targets), self.band)

    def _left_out(self, orders: IntArray, targets: FloatArray) -> FloatArray:
        test = self.fold.split.test
        tested = orders[:, test]
        residuals = np.stack(
            [picked(placed(row, orders) @ self.matrix, tested) for row in targets],
            axis=2,
        )
        away = np.empty_like(residuals)
        for part in chunks(orders.shape[0], test.size):
            within = square_blocks(self.matrix, tested[part])
            away[part] = np.linalg.solve(within, residuals[part])
        found: FloatArray = targets[:, None, test] - np.moveaxis(away, 2, 0)
        return found

    def _fitted(self, orders: IntArray, targets: FloatArray) -> FloatArray:
        train, test = self.fold.split.train, self.fold.split.test
        wanted = targets[:, train].T
        middle = wanted.mean(axis=0) if self.has_intercept else np.zeros(len(targets))
        scores = np.empty((len(targets), orders.shape[0], test.size))
        for part in chunks(orders.shape[0], train.size):
            known, asked = orders[part][:, train], orders[part][:, test]
            within = square_blocks(self.matrix, known)
            across = self.matrix[asked[:, :, None], known[:, None, :]]
            if self.has_intercept:
                # Centre by the training cases.
                means = within.mean(axis=1, keepdims=True)
                whole = means.mean(axis=2, keepdims=True)
                across = across - across.mean(axis=2, keepdims=True) - means + whole
                within = within - means - means.transpose(0, 2, 1) + whole
            within += self.penalty * np.eye(train.size)
            weights = np.linalg.solve(
                within, np.tile(wanted - middle, (len(known), 1, 1))
            )
            scores[:, part] = np.moveaxis(across @ weights + middle, 2, 0)
        return scores


def square_blocks(matrix: FloatArray, cases: IntArray) -> FloatArray:
    """Cut the rows and columns of some cases out of a matrix, (b, k, k)."""
    found: FloatArray = matrix[cases[:, :, None], cases[:, None, :]]
    return found


def chunks(count: int, side: int) -> list[slice]:
    """Divide permutations so that a stack of square matrices stays small."""
    step = max(1, _ENTRIES // side**2)
    return [slice(start, start + step) for start in range(0, count, step)]
