"""Linear discriminants with a shrunk covariance, in the span of the cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.ridge import chunks, square_blocks
from scorecast.guarantees.permutation.rule import ROUNDING, Predicted, from_scores

__all__ = ["DiscriminantRule"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DiscriminantRule:
    """Scores u'inv(S)x - u'inv(S)u/2 + log prior, with u the mean of a class.

    S is a multiple of the identity plus inner products of training cases about their
    class means, so that its inverse needs a matrix of their size only (Woodbury).

    Attributes
    ----------
    fold : Fold
        The split.
    gram : ndarray of shape (n, n)
        Inner products of centred features.
    n_features : int
        How many there are.
    shrinkage : float
        Weight of the identity.
    log_priors : ndarray of shape (n_classes,)
        Given, or the shares of the training cases.
    scale : float
        Largest inner product.
    """

    fold: Fold
    gram: FloatArray
    n_features: int
    shrinkage: float
    priors: FloatArray
    scale: float

    @classmethod
    def of(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `LinearDiscriminantAnalysis` by least squares."""
        shares = fold.counts / fold.counts.sum()
        return cls(
            fold=fold,
            gram=features.centred_gram,
            n_features=features.values.shape[1],
            shrinkage=float(model.shrinkage),
            priors=shares if model.priors is None else np.asarray(model.priors),
            scale=features.largest_square,
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        fold = self.fold
        scores = np.empty((fold.n_classes, orders.shape[0], fold.split.test.size))
        band = np.empty(orders.shape[0])
        for part in chunks(orders.shape[0], fold.split.train.size):
            scores[:, part], band[part] = self._scored(orders[part])
        return from_scores(scores, band)

    def _scored(self, orders: IntArray) -> tuple[FloatArray, FloatArray]:
        fold, n = self.fold, self.fold.split.train.size
        known, asked = orders[:, fold.split.train], orders[:, fold.split.test]
        own = (fold.labels[:, None] == np.arange(fold.n_classes)).astype(np.float64)
        # Rows of `away` take the mean of its class off a case, and weigh it.
        weight = np.sqrt(self.priors / fold.counts)[fold.labels]
        away = weight[:, None] * (np.eye(n) - own @ (own / fold.counts).T)
        mean = own / fold.counts
        within = square_blocks(self.gram, known)
        across = self.gram[asked[:, :, None], known[:, None, :]]
        spread = away @ within @ away.T
        trace = np.trace(spread, axis1=1, axis2=2)
        ridge = self.shrinkage * trace / self.n_features
        kept = 1 - self.shrinkage
        inner = kept * spread + ridge[:, None, None] * np.eye(n)
        from_means = away @ within @ mean  # (b, n, n_classes)
        solved = kept * np.linalg.solve(inner, from_means)
        at_means = np.einsum("ic,bij,jc->bc", mean, within, mean)
        at_means -= np.einsum("bic,bic->bc", from_means, solved)
        at_tests = across @ mean - (across @ away.T) @ solved
        found = at_tests - 0.5 * at_means[:, None, :]
        found = found / ridge[:, None, None] + np.log(self.priors)
        # What was subtracted from one another is as large as the largest product.
        band = ROUNDING * (1 + self.scale / ridge) * (1 + n)
        return np.moveaxis(found, 2, 0), band
