"""Fitted distributions of favourability: what every method ends with.

The favourability U of an example is the chance that a random wrong class scores below
its true class. Its distribution function D(u), the *discriminability function*, holds
all there is to know about accuracy at any number of classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.moments import (
    legendre_moments,
    probit_moments_by_quantiles,
    spline_moments,
)
from scorecast.scores import probit_grid

__all__ = [
    "EmpiricalFavourability",
    "FavourabilityDistribution",
    "PolynomialFavourability",
    "ProbitMixture",
    "SplineFavourability",
]


class FavourabilityDistribution(Protocol):
    """What a fitted extrapolator can be asked."""

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u), the chance that an example's favourability is at most u."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ProbitMixture:
    """Normal components for Phi^-1(U), and an atom of examples that are always right.

    Attributes
    ----------
    means, sds, weights : ndarray of shape (m,)
        The components.
    always_right : float
        Weight of U = 1.
    by_quantiles : bool
        Whether moments follow the coarser rule of the authors' R code.
    """

    means: FloatArray
    sds: FloatArray
    weights: FloatArray
    always_right: float = 0.0
    by_quantiles: bool = False
    _grid: list[tuple[FloatArray, FloatArray]] = field(default_factory=list, repr=False)

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        if self.by_quantiles:
            floats = np.asarray(ks, dtype=np.float64)
            moments = probit_moments_by_quantiles(floats, self.means, self.sds)
            return moments @ self.weights + self.always_right
        if not self._grid:
            used = self.weights != 0
            if not used.any():
                return np.full(np.shape(ks), self.always_right)
            nodes, masses = probit_grid(self.means[used], self.sds[used])
            self._grid.append((log_ndtr(nodes), masses @ self.weights[used]))
        log_u, mass = self._grid[0]
        powers = np.exp((np.asarray(ks, dtype=np.float64)[:, None] - 1) * log_u)
        accuracy: FloatArray = powers @ mass + self.always_right
        return accuracy

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u); weights that do not add up to one leave the rest at u = 0."""
        z = (ndtri(u)[:, None] - self.means) / self.sds
        never_right = 1 - self.always_right - self.weights.sum()
        below: FloatArray = ndtr(z) @ self.weights + never_right
        return np.where(u >= 1, 1.0, below)


@dataclass(frozen=True, kw_only=True, eq=False)
class EmpiricalFavourability:
    """One value of favourability per example.

    Attributes
    ----------
    values, weights : ndarray of shape (n,)
        Estimated favourabilities and the weights of the examples.
    """

    values: FloatArray
    weights: FloatArray

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.values)
        powers = [
            # U = 0 is right only where there is nothing to be confused with.
            self.weights @ (np.exp((k - 1) * logs) if k > 1 else np.ones_like(logs))
            for k in np.asarray(ks, dtype=np.float64)
        ]
        return np.array(powers)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the weighted share of examples with favourability at most u."""
        order = np.argsort(self.values)
        below = np.concatenate([[0.0], np.cumsum(self.weights[order])])
        at = np.searchsorted(self.values[order], u, side="right")
        share: FloatArray = np.minimum(below[at], 1.0)
        return share


@dataclass(frozen=True, kw_only=True, eq=False)
class SplineFavourability:
    """A convex piecewise linear D(u) that starts at zero.

    Attributes
    ----------
    knots, slopes : ndarray of shape (m,)
        D(u) is the sum of ``slopes * max(u - knots, 0)``.
    """

    knots: FloatArray
    slopes: FloatArray

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        moments = spline_moments(np.asarray(ks, dtype=np.float64), self.knots)
        accuracy: FloatArray = 1 - moments @ self.slopes
        return accuracy

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u)."""
        below: FloatArray = np.maximum(u[:, None] - self.knots, 0) @ self.slopes
        return np.where(u >= 1, 1.0, below)


@dataclass(frozen=True, kw_only=True, eq=False)
class PolynomialFavourability:
    """A polynomial D(u) in the shifted Legendre basis; nothing keeps it monotone.

    Attributes
    ----------
    coefficients : ndarray of shape (degree + 1,)
        Coefficients of the shifted Legendre polynomials.
    """

    coefficients: FloatArray

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy, cut off at 0 and 1."""
        floats = np.asarray(ks, dtype=np.float64)
        moments = legendre_moments(floats, self.coefficients.size - 1)
        raw = 1 - moments @ self.coefficients
        return np.where(floats > 1, np.clip(raw, 0, 1), 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u), cut off at 0 and 1."""
        raw = np.polynomial.legendre.legval(2 * u - 1, self.coefficients)
        return np.where(u >= 1, 1.0, np.clip(raw, 0, 1))
