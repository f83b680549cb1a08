"""Gaussian naive Bayes: sums of x and of its square by class, as matrix products."""

from __future__ import annotations

import numbers
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
    from_scores,
    picked,
    placed,
)

_TOGETHER = 8  # variances multiplied before one logarithm is taken
_WIDE = 64  # features among which the widest is looked for first


@dataclass(frozen=True, kw_only=True, eq=False)
class NaiveBayesRule:
    """Means and variances of every class for all permutations at once.

    Features are brought to unit variance first. That moves every score by the same
    amount, saves digits, and keeps products of variances in range.
    """

    fold: Fold
    # (n, m), features, centred and scaled by all samples, and their squares
    values: FloatArray
    squares: FloatArray  # (n, m)
    scales: FloatArray  # (m,), variances by which they were scaled
    smoothing: float  # share of the largest variance that is added to every one
    log_priors: FloatArray  # (n_classes,), given, or the shares of the training samples
    # Largest distance of a mean from zero, in spreads: digits that were lost before
    offset: float

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `GaussianNB`."""
        variance = features.values.var(axis=0)
        middle = features.values.mean(axis=0)
        # A feature without spread, but for rounding, has only the smoothing to go by.
        varies = variance > (ROUNDING * middle) ** 2
        scale = np.sqrt(np.where(varies, variance, 1.0))
        shares = fold.counts / fold.counts.sum()
        priors = shares if model.priors is None else np.asarray(model.priors)
        values = features.centred / scale
        return cls(
            fold=fold,
            values=values,
            squares=values**2,
            scales=scale**2,
            smoothing=float(model.var_smoothing),
            log_priors=np.log(priors),
            offset=1 + float(np.max(np.abs(middle) / scale, where=varies, initial=0)),
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        tested = orders[:, self.fold.test]
        scores = np.empty((self.fold.n_classes, *tested.shape))
        doubt = np.ones(orders.shape[0])
        # Without smoothing a variance may be zero: NaN, and so left to the model.
        with np.errstate(all="ignore"):
            means, variances = self._moments(orders)
            for number, (mean, variance) in enumerate(
                zip(means, variances, strict=True)
            ):
                constant = self.log_priors[number] - 0.5 * _log_product(variance)
                inverse = np.reciprocal(variance, out=variance)
                # Mean squares are about one: the digits lost are those of a variance.
                doubt = np.maximum(doubt, inverse.max(axis=1))
                part = inverse @ self.squares.T
                part *= -0.5
                inverse *= mean
                constant -= 0.5 * np.einsum("ij,ij->i", mean, inverse)
                part += inverse @ self.values.T
                scores[number] = picked(part, tested) + constant[:, None]
            size = 1 + np.abs(scores).max(axis=(0, 2))
            return from_scores(scores, ROUNDING * self.offset * doubt * size)

    def _moments(self, orders: IntArray) -> tuple[list[FloatArray], list[FloatArray]]:
        """Return mean and smoothed variance of every class, (b, m) each."""
        means, variances = [], []
        for number, times in enumerate(self.fold.times):
            members = placed(times / self.fold.counts[number], orders)
            mean = members @ self.values
            variance = members @ self.squares
            variance -= mean * mean
            means.append(mean)
            variances.append(variance)
        added = self.smoothing * self._largest(means, variances)[:, None] / self.scales
        for variance in variances:
            variance += added
        return means, variances

    def _largest(
        self, means: list[FloatArray], variances: list[FloatArray]
    ) -> FloatArray:
        """Return the largest variance of a feature among all training samples."""
        n_train, n = self.fold.counts.sum(), self.fold.codes.size
        wide = np.argsort(-self.scales)[: _WIDE + 1]
        found = self._whole(means, variances, wide[:_WIDE])
        # No variance of a part exceeds that of all by more than their numbers do.
        most = self.fold.times.max() * n / n_train
        if wide.size > _WIDE and (found < most * self.scales[wide[-1]]).any():
            return self._whole(means, variances, np.arange(self.scales.size))
        return found

    def _whole(
        self, means: list[FloatArray], variances: list[FloatArray], chosen: IntArray
    ) -> FloatArray:
        shares = self.fold.counts / self.fold.counts.sum()
        total, square = np.zeros(1), np.zeros(1)
        for share, mean, variance in zip(shares, means, variances, strict=True):
            some = mean[:, chosen]
            total = total + share * some
            square = square + share * (variance[:, chosen] + some * some)
        spread: FloatArray = ((square - total * total) * self.scales[chosen]).max(
            axis=1
        )
        return spread


def _log_product(values: FloatArray) -> FloatArray:
    """Return the logarithm of the product of every row, with few logarithms."""
    width = values.shape[1] // _TOGETHER
    product = values[:, :width].copy()
    for place in range(1, _TOGETHER):
        product *= values[:, place * width : (place + 1) * width]
    total: FloatArray = np.log(product).sum(axis=1)
    total += np.log(values[:, _TOGETHER * width :]).sum(axis=1)
    return total


def _knows(model: Any, n_classes: int) -> bool:
    fits = model.priors is None or len(model.priors) == n_classes
    smooth = isinstance(model.var_smoothing, numbers.Real)
    return bool(fits and smooth and model.var_smoothing >= 0)


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="naive-bayes",
        title="Gaussian naive Bayes",
        summary="means and variances of every class for all permutations at once",
        estimators=("sklearn.naive_bayes.GaussianNB",),
        accepts=_knows,
        prepare=NaiveBayesRule.prepare,
        pays=None,
        work=lambda n, m: n * m,
    )
)
