"""What one value of a class may be drawn from: normal, Poisson, uniform.

Every component makes its values from a standard normal number, so that values can be
correlated whatever their distribution, and knows its distribution function, from which
its density after noise follows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtr, pdtr

from scorecast._core.types import FloatArray
from scorecast.exceptions import UsageError

__all__ = ["Component", "Normal", "Poisson", "Uniform"]


@dataclass(frozen=True)
class Component(ABC):
    """A distribution of single values."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Expected value."""

    @property
    @abstractmethod
    def sd(self) -> float:
        """Standard deviation."""

    @property
    def is_discrete(self) -> bool:
        """Whether values are whole numbers."""
        return False

    @abstractmethod
    def from_normal(self, z: FloatArray) -> FloatArray:
        """Turn standard normal numbers into values, in the same order."""

    @abstractmethod
    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""

    @abstractmethod
    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-density; of whole numbers the log-probability."""


@dataclass(frozen=True)
class Normal(Component):
    """Normal values.

    Attributes
    ----------
    location, scale : float
        Mean and standard deviation.
    """

    location: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        _check_finite(self.location, "location")
        _check_scale(self.scale, "scale")

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.location)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(self.scale)

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Turn standard normal numbers into values, in the same order."""
        return self.location + self.scale * z

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""
        below: FloatArray = ndtr((x - self.location) / self.scale)
        return below

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-density."""
        z = (x - self.location) / self.scale
        density: FloatArray = -0.5 * z**2 - math.log(self.scale * math.sqrt(2 * np.pi))
        return density


@dataclass(frozen=True)
class Poisson(Component):
    """Counts.

    Attributes
    ----------
    rate : float
        Expected count, up to 10,000.
    """

    rate: float

    def __post_init__(self) -> None:
        _check_scale(self.rate, "rate")
        if self.rate > 10_000:
            msg = f"`rate` of a Poisson component must be up to 10,000; got {self.rate}"
            raise UsageError(msg)

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.rate)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.rate)

    @property
    def is_discrete(self) -> bool:
        """Whether values are whole numbers."""
        return True

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Turn standard normal numbers into values, in the same order."""
        # Ordered by the far tail, which a share below one cannot resolve.
        most = int(self.rate + 40 * math.sqrt(self.rate) + 40)
        edges = pdtr(np.arange(most), self.rate)
        counts: FloatArray = np.searchsorted(edges, ndtr(z)).astype(np.float64)
        return counts

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""
        below: FloatArray = np.where(x < 0, 0.0, pdtr(np.maximum(x, 0), self.rate))
        return below

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-probability; minus infinity off the whole numbers."""
        count = np.maximum(x, 0)
        chance = count * math.log(self.rate) - self.rate - gammaln(count + 1)
        found: FloatArray = np.where((x >= 0) & (x == np.floor(x)), chance, -np.inf)
        return found


@dataclass(frozen=True)
class Uniform(Component):
    """Values anywhere between two ends alike.

    Attributes
    ----------
    low, high : float
        The ends.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _check_finite(self.low, "low")
        _check_finite(self.high, "high")
        if not self.low < self.high:
            msg = f"`low` must be below `high`; got {self.low} and {self.high}."
            raise UsageError(msg)

    @property
    def mean(self) -> float:
        """Expected value."""
        return (self.low + self.high) / 2

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return (self.high - self.low) / math.sqrt(12)

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Turn standard normal numbers into values, in the same order."""
        values: FloatArray = self.low + (self.high - self.low) * ndtr(z)
        return values

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""
        return np.clip((x - self.low) / (self.high - self.low), 0, 1)

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-density."""
        inside = (x >= self.low) & (x <= self.high)
        return np.where(inside, -math.log(self.high - self.low), -np.inf)


def _check_finite(value: float, name: str) -> None:
    if not isinstance(value, int | float | np.number) or not math.isfinite(value):
        msg = f"`{name}` must be a finite number; got {value!r}."
        raise UsageError(msg)


def _check_scale(value: float, name: str) -> None:
    _check_finite(value, name)
    if value <= 0:
        msg = f"`{name}` must be positive; got {value!r}."
        raise UsageError(msg)
