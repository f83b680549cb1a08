"""Models that know next to nothing, to be beaten."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from scorecast._core.types import FloatArray
from scorecast.guarantees.tables import numbers_of

__all__ = ["FeatureModeClassifier", "MajorityClassifier", "MeanRegressor"]


class FeatureModeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Let every feature name the class whose mean is nearest, and take a vote.

    The null classifier of Henriques and Madeira: means of every feature in every class
    are learned, and a case gets the class that most of its features name. Features
    whose means agree, missing ones and text do not vote; ties go to the most frequent
    class.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the mean of every feature in every class.

        Parameters
        ----------
        X : array-like of shape (n, m)
            Features.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        FeatureModeClassifier
            Itself.
        """
        values = numbers_of(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes)
        self.n_features_in_ = X.shape[1]
        self.means_ = np.stack(
            [_means(values[codes == code]) for code in range(self.classes_.size)]
        )
        self.prior_ = counts / counts.sum()
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the share of features that name each class."""
        values = numbers_of(X)
        votes = np.zeros((values.shape[0], self.classes_.size))
        useful = np.ptp(self.means_, axis=0) > 0
        distance = np.abs(values[:, None, useful] - self.means_[None, :, useful])
        # A missing value names no class.
        named = np.where(np.isnan(distance).any(axis=1), -1, distance.argmin(axis=1))
        for code in range(self.classes_.size):
            votes[:, code] = (named == code).sum(axis=1)
        total = np.maximum(votes.sum(axis=1, keepdims=True), 1)
        # Less than one vote, so that it decides ties and nothing else.
        shares: FloatArray = (votes + self.prior_ / 2) / (total + 0.5)
        whole: FloatArray = shares / shares.sum(axis=1, keepdims=True)
        return whole

    def predict(self, X: Any) -> Any:
        """Return the class that most features name."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _means(values: FloatArray) -> FloatArray:
    """Average what is there; NaN where nothing is."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        means: FloatArray = np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
    return means


class MajorityClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Always name the most frequent class."""

    def fit(self, X: Any, y: Any) -> Self:
        """Count the classes.

        Parameters
        ----------
        X : array-like of shape (n, m)
            Not used.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        MajorityClassifier
            Itself.
        """
        self.classes_, counts = np.unique(y, return_counts=True)
        self.prior_ = counts / counts.sum()
        self.n_features_in_ = X.shape[1]
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the frequency of every class, for every case."""
        return np.tile(self.prior_, (X.shape[0], 1))

    def predict(self, X: Any) -> Any:
        """Return the most frequent class, for every case."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class MeanRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Always say the mean."""

    def fit(self, X: Any, y: Any) -> Self:
        """Average the targets.

        Parameters
        ----------
        X : array-like of shape (n, m)
            Not used.
        y : array-like of shape (n,)
            Targets.

        Returns
        -------
        MeanRegressor
            Itself.
        """
        self.mean_ = float(np.mean(y))
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the mean, for every case."""
        return np.full(X.shape[0], self.mean_)
