"""How far the centres of classes lie from the middle, in any number of dimensions.

A population of centres without a preferred direction is described by the distribution
of their distance from the middle. Every coordinate has variance one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import (
    betaln,
    fdtr,
    fdtri,
    gammainc,
    gammainccinv,
    gammaincinv,
    gammaln,
    ndtr,
)

from scorecast._core.types import FloatArray

__all__ = ["BallRadius", "NormalRadius", "Radius", "StudentRadius"]


@dataclass(frozen=True)
class Radius(ABC):
    """Distribution of a distance in `d` dimensions.

    Attributes
    ----------
    d : int
        Number of dimensions.
    """

    d: int

    @property
    def farthest(self) -> float:
        """What no distance exceeds."""
        return np.inf

    @abstractmethod
    def at(self, t: FloatArray) -> FloatArray:
        """Return the quantile that standard normal numbers stand for."""

    @abstractmethod
    def cdf(self, r: FloatArray) -> FloatArray:
        """Return the chance of a distance up to r."""

    @abstractmethod
    def pdf(self, r: FloatArray) -> FloatArray:
        """Return the density at positive r."""


@dataclass(frozen=True)
class NormalRadius(Radius):
    """Of normal vectors.

    Attributes
    ----------
    d : int
        Number of dimensions.
    scale : float
        Standard deviation of a coordinate.
    """

    scale: float = 1.0

    def at(self, t: FloatArray) -> FloatArray:
        """Return the quantile that standard normal numbers stand for."""
        half = self.d / 2
        lower = gammaincinv(half, ndtr(np.minimum(t, 0)))
        upper = gammainccinv(half, ndtr(-np.maximum(t, 0)))
        radius: FloatArray = self.scale * np.sqrt(2 * np.where(t < 0, lower, upper))
        return radius

    def cdf(self, r: FloatArray) -> FloatArray:
        """Return the chance of a distance up to r."""
        below: FloatArray = gammainc(self.d / 2, (r / self.scale) ** 2 / 2)
        return below

    def pdf(self, r: FloatArray) -> FloatArray:
        """Return the density at positive r."""
        x = r / self.scale
        log = (1 - self.d / 2) * np.log(2) - gammaln(self.d / 2)
        density: FloatArray = np.exp(log + (self.d - 1) * np.log(x) - x**2 / 2)
        return density / self.scale


@dataclass(frozen=True)
class BallRadius(Radius):
    """Of points spread evenly in a ball.

    Attributes
    ----------
    d : int
        Number of dimensions.
    """

    @property
    def farthest(self) -> float:
        """Radius of the ball."""
        return float(np.sqrt(self.d + 2))

    def at(self, t: FloatArray) -> FloatArray:
        """Return the quantile that standard normal numbers stand for."""
        radius: FloatArray = self.farthest * ndtr(t) ** (1 / self.d)
        return radius

    def cdf(self, r: FloatArray) -> FloatArray:
        """Return the chance of a distance up to r."""
        below: FloatArray = np.minimum(r / self.farthest, 1) ** self.d
        return below

    def pdf(self, r: FloatArray) -> FloatArray:
        """Return the density at positive r."""
        inside = self.d * (r / self.farthest) ** (self.d - 1) / self.farthest
        return np.where(r <= self.farthest, inside, 0.0)


@dataclass(frozen=True)
class StudentRadius(Radius):
    """Of Student vectors: most near the middle, some far out.

    Attributes
    ----------
    d : int
        Number of dimensions.
    df : float
        Degrees of freedom, above 2.
    """

    df: float = 3.0

    @property
    def scale(self) -> float:
        """What makes the variance of a coordinate one."""
        return float(np.sqrt((self.df - 2) / self.df))

    def at(self, t: FloatArray) -> FloatArray:
        """Return the quantile that standard normal numbers stand for."""
        lower = fdtri(self.d, self.df, ndtr(np.minimum(t, 0)))
        upper = 1 / fdtri(self.df, self.d, ndtr(-np.maximum(t, 0)))
        square = self.d * np.where(t < 0, lower, upper)
        radius: FloatArray = self.scale * np.sqrt(square)
        return radius

    def cdf(self, r: FloatArray) -> FloatArray:
        """Return the chance of a distance up to r."""
        below: FloatArray = fdtr(self.d, self.df, (r / self.scale) ** 2 / self.d)
        return below

    def pdf(self, r: FloatArray) -> FloatArray:
        """Return the density at positive r."""
        x = (r / self.scale) ** 2 / self.df
        log = (self.d / 2) * np.log(x) - (self.d + self.df) / 2 * np.log1p(x)
        density: FloatArray = np.exp(log - betaln(self.d / 2, self.df / 2)) * 2 / r
        return density
