"""Expected accuracy of choosing the nearest of k random centres.

A population of centres without a preferred direction is described by the distribution
of their distance from the middle (`Radius`); every coordinate has variance one. An
example at distance `rho` from the middle and `s` from its own centre is recognised if
no other centre lies within `s` of it. The chance that one does is an integral over
spherical caps; accuracy is the average of its complement to the power k - 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import FloatArray

_NODES = (20, 10)  # and so many more per root of the dimension: radii grow, spread not
_ANGLES = 16
_STEP = 0.3
_STEP_ON_A_LINE = 0.02  # where being very near decides, and a node costs little
_REACH = 6.6
_ROWS = 4096


@dataclass(frozen=True)
class Radius(ABC):
    """Distribution of a distance in `d` dimensions."""

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
    """Of normal vectors; `scale` is the standard deviation of a coordinate."""

    scale: float = 1.0

    def at(self, t: FloatArray) -> FloatArray:
        """Return the quantile that standard normal numbers stand for."""
        special, half = scipy.special, self.d / 2
        lower = special.gammaincinv(half, special.ndtr(np.minimum(t, 0)))
        upper = special.gammainccinv(half, special.ndtr(-np.maximum(t, 0)))
        radius: FloatArray = self.scale * np.sqrt(2 * np.where(t < 0, lower, upper))
        return radius

    def cdf(self, r: FloatArray) -> FloatArray:
        """Return the chance of a distance up to r."""
        square = (r / self.scale) ** 2 / 2
        below: FloatArray = scipy.special.gammainc(self.d / 2, square)
        return below

    def pdf(self, r: FloatArray) -> FloatArray:
        """Return the density at positive r."""
        x = r / self.scale
        log = (1 - self.d / 2) * np.log(2) - scipy.special.gammaln(self.d / 2)
        density: FloatArray = np.exp(log + (self.d - 1) * np.log(x) - x**2 / 2)
        return density / self.scale


@dataclass(frozen=True)
class BallRadius(Radius):
    """Of points spread evenly in a ball."""

    @property
    def farthest(self) -> float:
        """Radius of the ball."""
        return float(np.sqrt(self.d + 2))

    def at(self, t: FloatArray) -> FloatArray:
        """Return the quantile that standard normal numbers stand for."""
        radius: FloatArray = self.farthest * scipy.special.ndtr(t) ** (1 / self.d)
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
    """Of Student vectors, `df` above 2: most near the middle, some far out."""

    df: float = 3.0

    @property
    def scale(self) -> float:
        """What makes the variance of a coordinate one."""
        return float(np.sqrt((self.df - 2) / self.df))

    def at(self, t: FloatArray) -> FloatArray:
        """Return the quantile that standard normal numbers stand for."""
        special = scipy.special
        lower = special.fdtri(self.d, self.df, special.ndtr(np.minimum(t, 0)))
        upper = 1 / special.fdtri(self.df, self.d, special.ndtr(-np.maximum(t, 0)))
        square = self.d * np.where(t < 0, lower, upper)
        radius: FloatArray = self.scale * np.sqrt(square)
        return radius

    def cdf(self, r: FloatArray) -> FloatArray:
        """Return the chance of a distance up to r."""
        square = (r / self.scale) ** 2 / self.d
        below: FloatArray = scipy.special.fdtr(self.d, self.df, square)
        return below

    def pdf(self, r: FloatArray) -> FloatArray:
        """Return the density at positive r."""
        x = (r / self.scale) ** 2 / self.df
        log = (self.d / 2) * np.log(x) - (self.d + self.df) / 2 * np.log1p(x)
        log -= scipy.special.betaln(self.d / 2, self.df / 2)
        density: FloatArray = np.exp(log) * 2 / r
        return density


def nearest_accuracy(
    ks: FloatArray, radius: Radius, *, shift: float, noise: float, others: Radius
) -> FloatArray:
    """Return the expected accuracy with k classes, to about 5e-6.

    The deviation of an example from its own template is `shift` times a vector whose
    length follows `radius`, plus normal noise. With a shift the vector is the example
    itself; without one it is the centre, which is the template. `others` are the
    distances of the templates of other classes from the middle.
    """
    base, size, cosine, mass = _example_nodes(radius, noise)
    if shift:
        # Built on the example: the deviation leans towards it.
        rho = base
        own = np.sqrt((shift * base) ** 2 + size**2 + 2 * shift * base * size * cosine)
    else:
        # Built on the centre: the example is the centre and noise.
        rho = np.sqrt(base**2 + size**2 + 2 * base * size * cosine)
        own = size
    taken = np.concatenate(
        [
            nearer_chance(rho[i : i + _ROWS], own[i : i + _ROWS], others)
            for i in range(0, rho.size, _ROWS)
        ]
    )
    logs = np.log1p(-np.minimum(taken, 1 - 1e-16))
    return np.array([mass @ np.exp((k - 1) * logs) for k in ks])


def nearer_chance(rho: FloatArray, s: FloatArray, others: Radius) -> FloatArray:
    """Return the chance that a random template lies within s of an example at rho."""
    whole = others.cdf(np.maximum(s - rho, 0))
    low, high = np.abs(rho - s), np.minimum(rho + s, others.farthest)
    if others.d == 1:
        either: FloatArray = whole + (others.cdf(high) - others.cdf(low)) / 2
        return either
    n_nodes = int(_NODES[0] + _NODES[1] * np.sqrt(others.d))
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    # Caps open and close as square roots do; in an angle they are smooth.
    angle = np.pi * (1 + nodes) / 2
    weights = weights * np.sin(angle) * np.pi / 2
    half = np.maximum(high - low, 0)[:, None] / 2
    r = low[:, None] + half * (1 - np.cos(angle))
    inside = others.pdf(r) * _cap(
        (rho[:, None] ** 2 + r**2 - s[:, None] ** 2) / (2 * rho[:, None] * r), others.d
    )
    chance: FloatArray = whole + (inside * half) @ weights
    return chance


def _cap(cosine: FloatArray, d: int) -> FloatArray:
    """Return the share of a sphere with a cosine above the given one."""
    t = np.clip(cosine, -1, 1)
    tail = scipy.special.betainc((d - 1) / 2, 0.5, 1 - t**2) / 2
    share: FloatArray = np.where(t >= 0, tail, 1 - tail)
    return share


def _example_nodes(
    radius: Radius, noise: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Lay nodes over the radius, the length of the noise and the angle between them.

    Both lengths are quantiles of normal numbers, over which sums with even steps
    converge faster than any power of the step.
    """
    d = radius.d
    step = _STEP_ON_A_LINE if d == 1 else _STEP
    t = np.arange(-_REACH, _REACH + step / 2, step)
    mass_t = np.exp(-(t**2) / 2)
    mass_t /= mass_t.sum()
    if d == 1:
        cosine, mass_c = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    else:
        power = (d - 3) / 2
        cosine, mass_c = scipy.special.roots_jacobi(_ANGLES, power, power)
        mass_c /= mass_c.sum()
    grid = np.meshgrid(
        radius.at(t), NormalRadius(d, noise).at(t), cosine, indexing="ij"
    )
    mass = (mass_t[:, None, None] * mass_t[:, None] * mass_c).ravel()
    is_heavy = mass > 1e-14
    base, size, cosines = (part.ravel()[is_heavy] for part in grid)
    return base, size, cosines, mass[is_heavy]
