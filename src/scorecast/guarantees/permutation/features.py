"""What permutations share: features, their Gram matrix, their rotation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.guarantees.permutation.splits import CaseSplit

__all__ = ["Features", "FoldFeatures", "fold_features"]


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix of features and what is worked out from it once.

    Attributes
    ----------
    values : ndarray of shape (n, m)
        One row per case.
    """

    values: FloatArray

    @cached_property
    def gram(self) -> FloatArray:
        """Inner products of all cases, as they are."""
        return self.values @ self.values.T

    @cached_property
    def centred_gram(self) -> FloatArray:
        """Inner products after the mean is taken off, which loses fewer digits."""
        centred = self.values - self.values.mean(axis=0)
        products: FloatArray = centred @ centred.T
        return products

    @cached_property
    def rotation(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates in the span of the cases (n x r) and its basis (m x r)."""
        n, m = self.values.shape
        if m <= n:
            return self.values, np.eye(m)
        basis, triangle = np.linalg.qr(self.values.T)
        return np.ascontiguousarray(triangle.T), basis

    @cached_property
    def largest_square(self) -> float:
        """Largest squared length of a case: the scale of rounding errors."""
        return float(np.einsum("ij,ij->i", self.values, self.values).max())


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldFeatures:
    """The features as one split sees them.

    Attributes
    ----------
    split : CaseSplit
        Who trains, who is tested.
    features : Features
        Of all cases; scaled by the training cases where the model does so.
    """

    split: CaseSplit
    features: Features

    @property
    def train(self) -> FloatArray:
        """Features of the training cases."""
        return self.features.values[self.split.train]

    @property
    def test(self) -> FloatArray:
        """Features of the test cases."""
        return self.features.values[self.split.test]

    def blocks(self, gram: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Cut (train x train) and (test x train) out of a Gram matrix.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
            Of all cases.

        Returns
        -------
        tuple of ndarray
            The two blocks.
        """
        train, test = self.split.train, self.split.test
        return gram[np.ix_(train, train)], gram[np.ix_(test, train)]


def fold_features(
    X: FloatArray, splits: list[CaseSplit], scaler: Any
) -> list[FoldFeatures]:
    """Prepare the features for every split.

    Parameters
    ----------
    X : ndarray of shape (n, m)
        As they came.
    splits : list of CaseSplit
        The divisions.
    scaler : transformer or None
        Learns from training cases, never from labels; so once per split is enough.

    Returns
    -------
    list of FoldFeatures
        They share one `Features` where nothing is scaled.
    """
    if scaler is None:
        shared = Features(X)
        return [FoldFeatures(split=split, features=shared) for split in splits]
    from sklearn.base import clone

    found = []
    for split in splits:
        fitted = clone(scaler).fit(X[split.train])
        scaled = np.asarray(fitted.transform(X), dtype=np.float64)
        found.append(FoldFeatures(split=split, features=Features(scaled)))
    return found
