"""Ridge classification: one smoothing matrix for all splits and permutations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.rule import (
    ROUNDING,
    Predicted,
    all_doubtful,
    from_scores,
    picked,
    placed,
)

__all__ = ["RidgeRule", "chunks", "square_blocks"]

_ENTRIES = 2**19  # of a stack of matrices, so that it stays near the processor
_MOST_BAND = 0.1  # targets are +1 and -1: with more, rounding decides too often


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
        Differences that rounding explains, for scores of the size of the targets.
    """

    fold: Fold
    matrix: FloatArray
    penalty: float
    has_intercept: bool
    band: float

    @classmethod
    def of(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `RidgeClassifier`."""
        has_free, alpha = bool(model.fit_intercept), float(model.alpha)
        sizes, vectors = features.centred_spectrum if has_free else features.spectrum
        matrix = features.centred_gram if has_free else features.gram
        if fold.is_complement:
            # Divided by alpha, which leaves the solution as it is.
            matrix = (vectors / (sizes + alpha)) @ vectors.T
        # Cases that are drawn twice leave nothing but the penalty to divide by.
        least = float(sizes.min()) if fold.is_complement else 0.0
        return cls(
            fold=fold,
            matrix=matrix,
            penalty=alpha,
            has_intercept=has_free,
            band=ROUNDING * _sensitivity(features, sizes, least + alpha),
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        if not self.band < _MOST_BAND:
            return all_doubtful(orders.shape[0], self.fold.split.test.size)
        kinds = np.arange(self.fold.n_classes)[:, None]
        targets = np.where(self.fold.codes == kinds, 1.0, -1.0)
        solve = self._left_out if self.fold.is_complement else self._fitted
        scores = solve(orders, targets)
        # Predictions far beyond the targets have errors of their own size.
        return from_scores(scores, self.band * (1 + np.abs(scores).max(axis=(0, 2))))

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


def _sensitivity(features: Features, sizes: FloatArray, least: float) -> float:
    """Say how many times larger errors of scores are than those of rounding.

    No training set is worse conditioned than all cases together, as eigenvalues
    interlace; and taking the mean off costs digits where it is large.
    """
    shift = features.values.shape[0] * features.largest_square / least
    return 1 + float(sizes.max()) / least + math.sqrt(shift)


def square_blocks(matrix: FloatArray, cases: IntArray) -> FloatArray:
    """Cut the rows and columns of some cases out of a matrix, (b, k, k)."""
    found: FloatArray = matrix[cases[:, :, None], cases[:, None, :]]
    return found


def chunks(count: int, side: int) -> list[slice]:
    """Divide permutations so that a stack of square matrices stays small."""
    step = max(1, _ENTRIES // side**2)
    return [slice(start, start + step) for start in range(0, count, step)]
