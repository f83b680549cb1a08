"""Linear discriminants by singular values, in the span of the cases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.ridge import chunks
from scorecast.guarantees.permutation.rule import (
    ROUNDING,
    Predicted,
    from_scores,
    placed,
)

__all__ = ["WhitenedRule", "divisor_is_known"]


@dataclass(frozen=True, kw_only=True, eq=False)
class WhitenedRule:
    """Scores a'b - a'a/2 + log prior of a class mean and a case, whitened, a and b.

    Features are scaled by their spread within classes, which changes with the
    permutation, and whitened by the singular vectors of what is left of the training
    cases. Both are inner products of cases, weighted by feature; where there are more
    features than cases, their matrix is small.

    Attributes
    ----------
    fold : Fold
        The split.
    values, squares : ndarray of shape (n, m)
        Features, centred and scaled by all cases, and their squares.
    priors : ndarray of shape (n_classes,)
        Given, or the shares of the training cases.
    share : float
        Weight of a training case in the covariance.
    tolerance : float
        Singular values below it are dropped by the model.
    offset : float
        Largest distance of a mean from zero, in spreads: digits that were lost before.
    """

    fold: Fold
    values: FloatArray
    squares: FloatArray
    priors: FloatArray
    share: float
    tolerance: float
    offset: float

    @classmethod
    def of(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `LinearDiscriminantAnalysis` by singular values."""
        spread, middle = features.values.std(axis=0), features.values.mean(axis=0)
        # A feature that does not vary is NaN from here on: left to the model.
        with np.errstate(all="ignore"):
            values = features.centred / spread
            offset = 1 + float(np.max(np.abs(middle) / spread))
        shares = fold.counts / fold.counts.sum()
        n = fold.split.train.size
        return cls(
            fold=fold,
            values=values,
            squares=values**2,
            priors=shares if model.priors is None else np.asarray(model.priors),
            share=1 / (n - _taken_off() * fold.n_classes),
            tolerance=float(model.tol),
            offset=offset,
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        fold = self.fold
        scores = np.empty((fold.n_classes, orders.shape[0], fold.split.test.size))
        band = np.empty(orders.shape[0])
        with np.errstate(all="ignore"):
            for part in chunks(orders.shape[0], fold.codes.size):
                scores[:, part], band[part] = self._scored(orders[part])
        return from_scores(scores, band)

    def _scored(self, orders: IntArray) -> tuple[FloatArray, FloatArray]:
        products, lost = self._products(orders)
        fold, n = self.fold, self.fold.split.train.size
        known, asked = orders[:, fold.split.train], orders[:, fold.split.test]
        own = (fold.labels[:, None] == np.arange(fold.n_classes)).astype(np.float64)
        mean = own / fold.counts
        away = np.eye(n) - own @ mean.T  # takes the mean of its class off a case
        middle = (mean @ self.priors)[:, None]
        rows = np.arange(orders.shape[0])[:, None, None]
        within = products[rows, known[:, :, None], known[:, None, :]]
        across = products[rows, known[:, :, None], asked[:, None, :]]
        means = np.sqrt(self.share) * (away @ within @ (mean - middle))
        cases = np.sqrt(self.share) * (away @ (across - within @ middle))
        inverse, condition = self._inverse(self.share * (away @ within @ away.T), own)
        a, b = inverse @ means, inverse @ cases
        found = np.einsum("bic,bit->cbt", a, b)
        squares = np.einsum("bic,bic->bc", a, a)
        found += (np.log(self.priors) - 0.5 * squares).T[:, :, None]
        size = 1 + squares.max(axis=1) + np.einsum("bit,bit->bt", b, b).max(axis=1)
        band = ROUNDING * self.offset * lost * condition * size
        return found, np.where(self._spans(a), band, np.nan)

    def _products(self, orders: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return inner products of scaled cases (b, n, n), and digits lost (b)."""
        n = self.fold.split.train.size
        total = placed(self.fold.times.sum(axis=0), orders) @ self.squares
        for times, count in zip(self.fold.times, self.fold.counts, strict=True):
            sums = placed(times, orders) @ self.values
            total -= sums**2 / count
        inverse = n / total
        scales = np.sqrt(inverse)
        found = np.empty((orders.shape[0], orders.shape[1], orders.shape[1]))
        for number, scale in enumerate(scales):
            scaled = self.values * scale
            np.matmul(scaled, scaled.T, out=found[number])
        # Spreads are about one over all cases: the digits lost are those within.
        return found, np.where(total.min(axis=1) > 0, inverse.max(axis=1), np.nan)

    def _inverse(
        self, spread: FloatArray, own: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Invert, with classes, along which there is no spread, given some."""
        n, n_classes = own.shape
        typical = np.trace(spread, axis1=1, axis2=2) / max(n - n_classes, 1)
        along = own @ (own / self.fold.counts).T
        filled = spread + typical[:, None, None] * along
        try:
            inverse = np.linalg.inv(filled)
        except np.linalg.LinAlgError:
            # A case that is learned from twice, say: which values are dropped, and
            # which kept, is then for the model to say.
            inverse = np.full(spread.shape, np.nan)
        norms = np.linalg.norm(inverse, axis=(1, 2))
        kept = 1 / norms > 2 * self.tolerance**2
        condition = norms * np.linalg.norm(filled, axis=(1, 2))
        return inverse, np.where(kept, condition, np.nan)

    def _spans(self, means: FloatArray) -> BoolArray:
        """Tell where the means of classes differ in as many ways as they can."""
        weight = np.sqrt(self.priors)
        weighted = means * weight
        squares = np.einsum("bic,bid->bcd", weighted, weighted)
        finite = np.isfinite(squares).all(axis=(1, 2))
        values = np.linalg.eigvalsh(np.where(finite[:, None, None], squares, 0.0))
        least = (10 * self.tolerance) ** 2 * values[:, -1]
        found: BoolArray = finite & (values[:, 1] > least)
        return found


@cache
def _taken_off() -> int:
    """Return how many degrees of freedom a class costs in this scikit-learn.

    Later versions divide the covariance by the number of cases, earlier ones by that
    less the number of classes. One small fit tells; -1 if it is neither.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = np.array([[0.0], [2.0], [3.0], [6.0], [8.0]]), np.array([0, 0, 0, 1, 1])
    model = LinearDiscriminantAnalysis().fit(X, y)
    means = np.array([X[y == 0].mean(), X[y == 1].mean()])
    squares = float(((X[:, 0] - means[y]) ** 2).sum())
    divisor = squares * float(model.coef_[0, 0]) / float(means[1] - means[0])
    return next((k for k in (0, 1) if abs(divisor - (5 - 2 * k)) < 1e-9), -1)


def divisor_is_known() -> bool:
    """Tell whether this scikit-learn scales the covariance in a way known here."""
    return _taken_off() >= 0
