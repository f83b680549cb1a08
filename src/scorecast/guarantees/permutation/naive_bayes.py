"""Gaussian naive Bayes: sums of x and of its square by class, as matrix products."""

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

__all__ = ["NaiveBayesRule"]

_TOGETHER = 8  # variances multiplied before one logarithm is taken


@dataclass(frozen=True, kw_only=True, eq=False)
class NaiveBayesRule:
    """Means and variances of every class for all permutations at once.

    Features are brought to unit variance first. That moves every score by the same
    amount, saves digits, and keeps products of variances in range.

    Attributes
    ----------
    train, test : ndarray of shape (n_train, m), (n_test, m)
        Features, centred and scaled by the training cases.
    smoothing : ndarray of shape (m,)
        Added to every variance, on the new scale.
    log_priors : ndarray of shape (n_classes,) or None
        Where the model fixes them.
    n_classes : int
        How many classes there are.
    offset : float
        Largest distance of a mean from zero, in spreads: digits that were lost before.
    """

    train: FloatArray
    test: FloatArray
    smoothing: FloatArray
    log_priors: FloatArray | None
    n_classes: int
    offset: float

    @classmethod
    def of(cls, fold: FoldFeatures, model: Any, n_classes: int) -> Self:
        """Prepare a split for a `GaussianNB`."""
        train, test = fold.train, fold.test
        variance = train.var(axis=0)
        smoothing = model.var_smoothing * variance.max()
        middle = train.mean(axis=0)
        # A feature without spread, but for rounding, has only the smoothing to go by.
        varies = variance > (ROUNDING * middle) ** 2
        scale = np.sqrt(np.where(varies, variance, 1.0))
        priors = None if model.priors is None else np.log(np.asarray(model.priors))
        return cls(
            train=(train - middle) / scale,
            test=(test - middle) / scale,
            smoothing=smoothing / scale**2,
            log_priors=priors,
            n_classes=n_classes,
            offset=1 + float(np.max(np.abs(middle) / scale, where=varies, initial=0)),
        )

    def predict(self, labels: IntArray) -> Predicted:
        """Predict the test cases for every labelling of the training cases."""
        shape = (self.n_classes, labels.shape[0], self.test.shape[0])
        scores, doubt = np.empty(shape), np.ones(labels.shape[0])
        squares, test_squares = self.train**2, self.test**2
        # Without smoothing a variance may be zero: NaN, and so left to the model.
        with np.errstate(all="ignore"):
            for number, members in enumerate(indicators(labels, self.n_classes)):
                count = np.maximum(members.sum(axis=1, keepdims=True), 1)
                mean = (members @ self.train) / count
                variance = (members @ squares) / count
                variance -= mean * mean
                variance += self.smoothing
                constant = self._log_prior(number, count[:, 0])
                constant -= 0.5 * _log_product(variance)
                inverse = np.reciprocal(variance, out=variance)
                # Mean squares are about one: the digits lost are those of a variance.
                doubt = np.maximum(doubt, inverse.max(axis=1))
                part = inverse @ test_squares.T
                part *= -0.5
                inverse *= mean
                constant -= 0.5 * np.einsum("ij,ij->i", mean, inverse)
                part += inverse @ self.test.T
                scores[number] = part + constant[:, None]
            size = 1 + np.abs(scores).max(axis=(0, 2))
            return from_scores(scores, ROUNDING * self.offset * doubt * size)

    def _log_prior(self, number: int, count: FloatArray) -> FloatArray:
        if self.log_priors is None:
            shares: FloatArray = np.log(count / self.train.shape[0])
            return shares
        return np.full(count.shape, self.log_priors[number])


def _log_product(values: FloatArray) -> FloatArray:
    """Return the logarithm of the product of every row, with few logarithms."""
    width = values.shape[1] // _TOGETHER
    product = values[:, :width].copy()
    for place in range(1, _TOGETHER):
        product *= values[:, place * width : (place + 1) * width]
    total: FloatArray = np.log(product).sum(axis=1)
    total += np.log(values[:, _TOGETHER * width :]).sum(axis=1)
    return total
