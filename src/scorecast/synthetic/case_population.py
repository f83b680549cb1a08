"""The population from which labelled cases are drawn, with its densities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from scipy.special import logsumexp

from scorecast._core.types import FloatArray, IntArray
from scorecast.synthetic.class_distributions import ClassMixture
from scorecast.synthetic.components import Component, Normal
from scorecast.synthetic.skew import Skew

__all__ = ["MIXINGS", "CasePopulation"]

MIXINGS = ("case", "value")
Array = TypeVar("Array", FloatArray, IntArray)
_CHUNK = 256  # features at a time, so that memory stays near that of the data


@dataclass(frozen=True, kw_only=True, eq=False)
class CasePopulation:
    """Cases of several classes.

    Attributes
    ----------
    mixtures : tuple of tuple of Component
        Equally likely components of every class.
    shares : ndarray of shape (c,)
        Share of every class.
    mixing : str
        ``"case"``: all values of a case come from one component; ``"value"``: each
        value from its own.
    informative, skewed : ndarray of bool, shape (m,)
        Which features tell the classes apart, and which are skewed.
    skew : Skew
        How skewed features differ.
    block_size : int
        Neighbouring features that are correlated.
    rho : float
        Correlation within a block, of cases of one class.
    noise_width : float
        Noise moves a value by up to so much, up or down.
    """

    mixtures: tuple[ClassMixture, ...]
    shares: FloatArray
    mixing: str
    informative: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    skewed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    skew: Skew
    block_size: int = 1
    rho: float = 0.0
    noise_width: float = 0.0

    @property
    def m(self) -> int:
        """Number of features."""
        return int(self.informative.size)

    @property
    def is_correlated(self) -> bool:
        """Whether features depend on one another within a class."""
        return self.rho > 0 and self.block_size > 1

    @property
    def is_normal(self) -> bool:
        """Whether all that informs is normal and undisturbed."""
        parts = [part for mixture in self.mixtures for part in mixture]
        return (
            all(isinstance(part, Normal) for part in parts)
            and not self.noise_width
            and not (self.skewed & self.informative).any()
        )

    @property
    def has_exact_density(self) -> bool:
        """Whether `log_densities` is the density of the cases, not a stand-in."""
        one_each = all(len(mixture) == 1 for mixture in self.mixtures)
        return not self.is_correlated or (
            self.is_normal and (self.mixing == "case" or one_each)
        )

    def undisturbed(self) -> CasePopulation:
        """Return the same without noise and skew."""
        nothing = np.zeros_like(self.skewed)
        return replace(self, noise_width=0.0, skewed=nothing)

    def draw(
        self,
        y: IntArray,
        rng: np.random.Generator,
        planted: Callable[[FloatArray], object] | None = None,
    ) -> FloatArray:
        """Draw one case per label.

        Parameters
        ----------
        y : ndarray of int64
            Classes.
        rng : numpy.random.Generator
            One stream is spawned per ingredient: the same cases come with noise or
            without, skewed or not.
        planted : callable, optional
            Overwrites some values in place, before noise moves all of them.

        Returns
        -------
        ndarray of shape (n, m)
            Values.
        """
        for_values, for_parts, for_tails, for_noise = rng.spawn(4)
        sizes = np.array([len(mixture) for mixture in self.mixtures])
        own = (for_parts.random(y.size) * sizes[y]).astype(np.int64)
        X = np.empty((y.size, self.m))
        for chunk in self._chunks():
            z = self._latent(y.size, chunk, for_values)
            which = self._which(y, own, chunk, sizes, for_parts)
            X[:, chunk] = self._values(z, which, self.skewed[chunk], for_tails)
        if planted is not None:
            planted(X)
        if self.noise_width:
            for chunk in self._chunks():
                shape = (y.size, chunk.stop - chunk.start)
                X[:, chunk] += self.noise_width * for_noise.uniform(-1, 1, size=shape)
        return X

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Return the log-density of every case under every class, up to a constant.

        Parameters
        ----------
        X : ndarray of shape (n, m)
            Cases.

        Returns
        -------
        ndarray of shape (n, c)
            Exact if `has_exact_density`; else as if features were independent.
        """
        if self.is_correlated and self.has_exact_density:
            columns = [self._normal_density(X, parts) for parts in self.mixtures]
            return np.stack(columns, axis=1)
        totals = [np.zeros((X.shape[0], len(parts))) for parts in self.mixtures]
        for chunk in self._chunks():
            for skewed in (False, True):
                here = np.flatnonzero(
                    self.informative[chunk] & (self.skewed[chunk] == skewed)
                )
                if here.size:
                    x = X[:, chunk.start + here]
                    for total, parts in zip(totals, self.mixtures, strict=True):
                        total += self._independent(x, parts, skewed)
        return np.stack([_average(total) for total in totals], axis=1)

    def _independent(
        self, x: FloatArray, parts: ClassMixture, skewed: bool
    ) -> FloatArray:
        logs = np.stack([self._log_density(part, x, skewed) for part in parts])
        if self.mixing == "value":
            logs = np.broadcast_to(_average(logs, axis=0), logs.shape)
        sums: FloatArray = logs.sum(axis=2).T
        return sums

    def _log_density(self, part: Component, x: FloatArray, skewed: bool) -> FloatArray:
        width = self.noise_width
        if width:
            both = (x + width, x - width)
            high, low = (
                self.skew.cdf(part, edge) if skewed else part.cdf(edge) for edge in both
            )
            # Far out both are one; a floor keeps such a value from deciding alone.
            return np.log(np.maximum(high - low, 1e-300) / (2 * width))
        found = self.skew.log_density(part, x) if skewed else part.log_density(x)
        atoms = any(p.is_discrete for parts in self.mixtures for p in parts)
        if (
            atoms
            and not part.is_discrete
            and not (skewed and self.skew.kind == "gamma")
        ):
            # A whole number has a probability under counts and none elsewhere.
            found = np.where(x == np.floor(x), -np.inf, found)
        return found

    def _normal_density(self, X: FloatArray, parts: ClassMixture) -> FloatArray:
        """Return the log-density of equally correlated blocks of normal features."""
        logs = np.zeros((X.shape[0], len(parts)))
        for start in range(0, self.m, self.block_size):
            block = slice(start, min(start + self.block_size, self.m))
            if not self.informative[block].any():
                continue
            size = block.stop - block.start
            for k, part in enumerate(parts):
                d = (X[:, block] - part.mean) / part.sd
                pull = self.rho / (1 + (size - 1) * self.rho)
                square = (d**2).sum(axis=1) - pull * d.sum(axis=1) ** 2
                logs[:, k] -= 0.5 * square / (1 - self.rho) + size * np.log(part.sd)
        return _average(logs)

    def _chunks(self) -> Iterator[slice]:
        step = self.block_size * max(1, -(-_CHUNK // self.block_size))
        for start in range(0, self.m, step):
            yield slice(start, min(start + step, self.m))

    def _latent(self, n: int, chunk: slice, rng: np.random.Generator) -> FloatArray:
        width = chunk.stop - chunk.start
        z: FloatArray = rng.normal(size=(n, width))
        if self.is_correlated:
            shared = self._spread(rng.normal(size=(n, self._n_blocks(width))), width)
            z = np.sqrt(self.rho) * shared + np.sqrt(1 - self.rho) * z
        return z

    def _n_blocks(self, width: int) -> int:
        return -(-width // self.block_size)

    def _spread(self, values: Array, width: int) -> Array:
        """Give every feature what its block has."""
        return np.repeat(values, self.block_size, axis=1)[:, :width]

    def _which(
        self,
        y: IntArray,
        own: IntArray,
        chunk: slice,
        sizes: IntArray,
        rng: np.random.Generator,
    ) -> IntArray:
        """Choose the component of every value, counted through all classes."""
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        width = chunk.stop - chunk.start
        informative = self.informative[chunk]
        classes = np.broadcast_to(y[:, None], (y.size, width))
        tied = None
        if not informative.all():
            # A class drawn for every value: distributed as the others over all cases,
            # but telling nothing of the case's own class.
            drawn = rng.choice(sizes.size, size=(y.size, width), p=self.shares)
            if self.is_correlated:
                # Two values share the draw of their block as often as their block is
                # correlated: what lies between classes then correlates as the rest.
                tied = rng.random((y.size, width)) < np.sqrt(self.rho)
                blocks = (y.size, self._n_blocks(width))
                shared = rng.choice(sizes.size, size=blocks, p=self.shares)
                drawn = np.where(tied, self._spread(shared, width), drawn)
            classes = np.where(informative, classes, drawn)
        if (sizes == 1).all():
            return first[classes]
        place = rng.random((y.size, width))
        if tied is not None:
            shares = rng.random((y.size, self._n_blocks(width)))
            place = np.where(tied & ~informative, self._spread(shares, width), place)
        part = (place * sizes[classes]).astype(np.int64)
        if self.mixing == "case":
            part = np.where(informative, own[:, None], part)
        which: IntArray = first[classes] + part
        return which

    def _values(
        self,
        z: FloatArray,
        which: IntArray,
        skewed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
        rng: np.random.Generator,
    ) -> FloatArray:
        parts = [part for mixture in self.mixtures for part in mixture]
        values = np.empty_like(z)
        for number, part in enumerate(parts):
            here = (which == number) & ~skewed
            values[here] = part.from_normal(z[here])
            if skewed.any():
                here = (which == number) & skewed
                values[here] = self.skew.draw(part, z[here], rng)
        return values


def _average(logs: FloatArray, axis: int = 1) -> FloatArray:
    average: FloatArray = logsumexp(logs, axis=axis) - np.log(logs.shape[axis])
    return average
