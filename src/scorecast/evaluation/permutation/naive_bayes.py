"""Gaussian naive Bayes: sums of x and of its square by class, as matrix products."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.permutation.engines import (
    PERMUTATION_ENGINES,
    ROUNDING,
    ROUNDING_SINGLE,
    Features,
    Fold,
    PermutationEngine,
    Predicted,
    from_scores,
    near_chunks,
    picked,
    placed,
)

_TOGETHER = 8  # variances multiplied before one logarithm is taken
_MANY = 500  # features from which on single precision saves more than calls cost
_TRIED, _OFTEN = 4, 0.5  # permutations to try it on, and the share that may stay open
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
    rounding: float  # share of a score that rounding explains

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> _Screened:
        """Prepare a split for a `GaussianNB`: in single precision, then in double."""
        variance = features.values.var(axis=0)
        middle = features.values.mean(axis=0)
        # A feature without spread, but for rounding, has only the smoothing to go by.
        varies = variance > (ROUNDING * middle) ** 2
        scale = np.sqrt(np.where(varies, variance, 1.0))
        shares = fold.counts / fold.counts.sum()
        priors = shares if model.priors is None else np.asarray(model.priors)
        values = features.centred / scale
        # Largest distance of a mean from zero, in spreads: digits that were lost before
        offset = 1 + float(np.max(np.abs(middle) / scale, where=varies, initial=0))
        exact = cls(
            fold=fold,
            values=values,
            squares=values**2,
            scales=scale**2,
            smoothing=float(model.var_smoothing),
            log_priors=np.log(priors),
            rounding=ROUNDING * offset,
        )
        if scale.size < _MANY:
            return _Screened(quick=None, exact=exact)
        quick = replace(
            exact,
            values=values.astype(np.float32),
            squares=exact.squares.astype(np.float32),
            rounding=ROUNDING_SINGLE + exact.rounding,
        )
        return _Screened(quick=quick, exact=exact)

    def predict(self, orders: IntArray, scale: FloatArray | None = None) -> Predicted:
        """Predict the test samples, where features may be divided by scales (b, m)."""
        scores = np.empty((self.fold.n_classes, orders.shape[0], self.fold.test.size))
        band = np.empty(orders.shape[0])
        for part in near_chunks(orders.shape[0], self.scales.size):
            own = None if scale is None else scale[part]
            scores[:, part], band[part] = self._scored(orders[part], own)
        return from_scores(scores, band)

    def _scored(
        self, orders: IntArray, scale: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        """Return scores (n_classes, b, n_test), and what rounding explains (b)."""
        tested = orders[:, self.fold.test]
        scores = np.empty((self.fold.n_classes, *tested.shape))
        doubt = np.ones(orders.shape[0])
        # Without smoothing a variance may be zero: NaN, and so left to the model.
        with np.errstate(all="ignore"):
            means, variances = self._moments(orders, scale)
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
            return scores, self.rounding * doubt * size

    def _moments(
        self, orders: IntArray, scale: FloatArray | None
    ) -> tuple[list[FloatArray], list[FloatArray]]:
        """Return mean and smoothed variance of every class, (b, m) each."""
        means, variances = [], []
        for number, times in enumerate(self.fold.times):
            members = placed(times / self.fold.counts[number], orders)
            members = members.astype(self.values.dtype, copy=False)
            mean = members @ self.values
            variance = members @ self.squares
            variance -= mean * mean
            means.append(mean)
            variances.append(variance)
        kind = self.values.dtype
        units = (1 / self.scales).astype(kind)
        if scale is None:
            largest = self._largest(means, variances)
        else:
            # Scaling moves all classes by the same, but for what is added to variances.
            units = units * scale.astype(kind) ** 2
            largest = (self._whole(means, variances) / units).max(axis=1)
        added = (self.smoothing * largest).astype(kind)[:, None] * units
        for variance in variances:
            variance += added
        return means, variances

    def _largest(
        self, means: list[FloatArray], variances: list[FloatArray]
    ) -> FloatArray:
        """Return the largest variance of a feature among all training samples."""
        n_train, n = self.fold.counts.sum(), self.fold.codes.size
        wide = np.argsort(-self.scales)[: _WIDE + 1]
        first = wide[:_WIDE]
        some = self._whole(
            [x[:, first] for x in means], [x[:, first] for x in variances]
        )
        found: FloatArray = (some * self.scales[first]).max(axis=1)
        # No variance of a part exceeds that of all by more than their numbers do.
        most = self.fold.times.max() * n / n_train
        if wide.size > _WIDE and (found < most * self.scales[wide[-1]]).any():
            found = (self._whole(means, variances) * self.scales).max(axis=1)
        return found

    def _whole(
        self, means: list[FloatArray], variances: list[FloatArray]
    ) -> FloatArray:
        """Return the variance of all training samples, from those of classes."""
        shares = (self.fold.counts / self.fold.counts.sum()).tolist()
        total: Any = 0.0
        square: Any = 0.0
        for share, mean, variance in zip(shares, means, variances, strict=True):
            total = total + share * mean
            square = square + share * (variance + mean * mean)
        found: FloatArray = square - total * total
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class _Screened:
    """In single precision first; what that leaves open, in double."""

    quick: NaiveBayesRule | None  # None where it saves nothing
    exact: NaiveBayesRule

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        return self._predict(orders)

    def predict_scaled(
        self, orders: IntArray, offset: FloatArray, scale: FloatArray
    ) -> Predicted:
        """Predict where features are scaled; what is taken off changes nothing."""
        del offset
        return self._predict(orders, scale)

    def _predict(self, orders: IntArray, *scale: FloatArray) -> Predicted:
        if self.quick is None:
            return self.exact.predict(orders, *scale)
        few = self.quick.predict(orders[:_TRIED], *(x[:_TRIED] for x in scale))
        if few.is_doubtful.mean() > _OFTEN:
            return self.exact.predict(orders, *scale)
        found = self.quick.predict(orders, *scale)
        left = np.flatnonzero(found.is_doubtful)
        if left.size:
            again = self.exact.predict(orders[left], *(x[left] for x in scale))
            found.classes[left] = again.classes
            found.is_doubtful[left] = again.is_doubtful
        return found


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
        prepare_scaled=lambda features, fold, model, _: NaiveBayesRule.prepare(
            features, fold, model
        ),
    )
)
