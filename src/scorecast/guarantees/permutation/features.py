"""What permutations share: features, their Gram matrix, their rotation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.splits import CaseSplit

__all__ = ["Features", "Fold", "Sorted"]


class Sorted(NamedTuple):
    """Features, one row each, and their cases in order.

    Attributes
    ----------
    values : ndarray of shape (m, n), float32
        As they are.
    ranked : ndarray of shape (m, n)
        Cases by value.
    """

    values: Any
    ranked: Any


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
    def centred(self) -> FloatArray:
        """The features after their mean is taken off, which loses fewer digits."""
        centred: FloatArray = self.values - self.values.mean(axis=0)
        return centred

    @cached_property
    def gram(self) -> FloatArray:
        """Inner products of all cases, as they are."""
        return self.values @ self.values.T

    @cached_property
    def centred_gram(self) -> FloatArray:
        """Inner products after the mean is taken off."""
        products: FloatArray = self.centred @ self.centred.T
        return products

    @cached_property
    def spectrum(self) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues and eigenvectors of the inner products."""
        return _spectrum(self.gram)

    @cached_property
    def centred_spectrum(self) -> tuple[FloatArray, FloatArray]:
        """The same of centred ones: n - 1 of them, without the vector of ones.

        That vector has the eigenvalue zero. Left in, its share of an inverse would
        drown all others where features are large.
        """
        n = self.values.shape[0]
        mirror = np.full(n, 1 / np.sqrt(n))
        mirror[0] += 1
        mirror /= np.linalg.norm(mirror)
        basis = (np.eye(n) - 2 * np.outer(mirror, mirror))[:, 1:]
        values, vectors = _spectrum(basis.T @ self.centred_gram @ basis)
        return values, basis @ vectors

    @cached_property
    def squared_distances(self) -> FloatArray:
        """Squared distances between all cases."""
        gram = self.centred_gram
        squares = np.diag(gram)
        found: FloatArray = squares[:, None] + squares - 2 * gram
        return found

    @cached_property
    def rotation(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates in the span of the cases (n x r) and its basis (m x r)."""
        n, m = self.values.shape
        if m <= n:
            return self.values, np.eye(m)
        basis, triangle = np.linalg.qr(self.values.T)
        return np.ascontiguousarray(triangle.T), basis

    @cached_property
    def in_order(self) -> Sorted:
        """Cases in order of every feature, in single precision as trees see them."""
        values = np.ascontiguousarray(self.values.T, dtype=np.float32)
        ranked = np.argsort(values, axis=1, kind="stable")
        return Sorted(values, ranked.astype(np.int32))

    @cached_property
    def most_alike(self) -> int:
        """How many cases have the very same features, at most."""
        widest = self.values[:, int(np.ptp(self.values, axis=0).argmax())]
        most = np.unique(widest, return_counts=True)[1].max()
        if 2 * most > self.values.shape[0]:
            # One feature does not settle it; all of them do.
            most = np.unique(self.values, axis=0, return_counts=True)[1].max()
        return int(most)

    @cached_property
    def spreads(self) -> FloatArray:
        """Standard deviation of every feature that varies."""
        found: FloatArray = self.centred.std(axis=0)
        return found[found > 0]

    @cached_property
    def largest_square(self) -> float:
        """Largest squared length of a case: the scale of rounding errors."""
        return float(np.einsum("ij,ij->i", self.values, self.values).max())


def _spectrum(products: FloatArray) -> tuple[FloatArray, FloatArray]:
    values, vectors = np.linalg.eigh((products + products.T) / 2)
    return np.maximum(values, 0.0), vectors  # below zero by rounding only


@dataclass(frozen=True, kw_only=True, eq=False)
class Fold:
    """One split of labelled cases; what features they have is another matter.

    Attributes
    ----------
    split : CaseSplit
        Who trains, who is tested.
    codes : ndarray of shape (n,)
        Class of every case, by number.
    n_classes : int
        How many classes there are.
    """

    split: CaseSplit
    codes: IntArray
    n_classes: int

    @cached_property
    def labels(self) -> IntArray:
        """Classes of the training cases."""
        return self.codes[self.split.train]

    @cached_property
    def times(self) -> FloatArray:
        """How often every case is learned from, by class: (n_classes, n)."""
        n = self.codes.size
        drawn = np.bincount(self.split.train, minlength=n).astype(np.float64)
        kinds = np.arange(self.n_classes)[:, None]
        found: FloatArray = np.where(self.codes == kinds, drawn, 0.0)
        return found

    @cached_property
    def counts(self) -> FloatArray:
        """Training cases of every class."""
        found: FloatArray = self.times.sum(axis=1)
        return found

    @cached_property
    def is_complement(self) -> bool:
        """Whether every case is either learned from, once, or tested."""
        both = np.concatenate([self.split.train, self.split.test])
        return bool(np.array_equal(np.sort(both), np.arange(self.codes.size)))
