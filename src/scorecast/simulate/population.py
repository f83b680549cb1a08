"""The population from which labelled samples are drawn, with its densities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.simulate.distributions import (
    ClassMixture,
    Cut,
    Mixtures,
    Normal,
    Values,
)

Array = TypeVar("Array", FloatArray, IntArray)
_CHUNK = 256  # features at a time, so that memory stays near that of the data


class Mixing(StrEnum):
    """What belongs to one component of its class."""

    SAMPLE = "sample"
    VALUE = "value"


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """Samples of several classes.

    Attributes
    ----------
    mixtures : tuple of tuple of Component
        Equally likely components of every class.
    skewed_mixtures : tuple of tuple of Values
        What skew makes of them.
    shares : ndarray of shape (c,)
        Share of every class.
    mixing : Mixing
        Whether all values of a sample come from one component, or each from its own.
    is_informative, is_skewed : ndarray of bool, shape (m,)
        Which features tell the classes apart, and which are skewed.
    skew_only_hides : bool
        Whether skewed values come from the others without a look at the class.
    block_size : int
        Neighbouring features that are correlated.
    rho : float
        Correlation within a block, of samples of one class.
    noise_width : float
        Noise moves a value by up to so much, up or down.
    cut_mixtures : tuple of tuple of Values
        What is left of the components in features that are yes or no.
    is_boolean : ndarray of bool, shape (m,)
        Which features are yes or no; noise leaves them alone.
    is_tied : ndarray of bool, shape (n_blocks,)
        Which blocks are correlated.
    """

    mixtures: Mixtures
    skewed_mixtures: tuple[tuple[Values, ...], ...]
    shares: FloatArray
    mixing: Mixing
    is_informative: BoolArray
    is_skewed: BoolArray
    skew_only_hides: bool
    cut_mixtures: tuple[tuple[Values, ...], ...]
    is_boolean: BoolArray
    is_tied: BoolArray
    block_size: int = 1
    rho: float = 0.0
    noise_width: float = 0.0

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.is_informative.size)

    @property
    def is_correlated(self) -> bool:
        """Whether features depend on one another within a class."""
        return self.rho > 0 and self.block_size > 1 and bool(self.is_tied.any())

    @property
    def has_single_components(self) -> bool:
        """Whether every class has one component."""
        return all(len(mixture) == 1 for mixture in self.mixtures)

    @property
    def is_normal(self) -> bool:
        """Whether all that informs is normal and undisturbed."""
        parts = [part for mixture in self.mixtures for part in mixture]
        return (
            all(isinstance(part, Normal) for part in parts)
            and not self.noise_width
            and not ((self.is_skewed | self.is_boolean) & self.is_informative).any()
        )

    @property
    def has_exact_density(self) -> bool:
        """Whether `log_densities` is the density of the samples, not a stand-in."""
        is_one_part = self.mixing is Mixing.SAMPLE or self.has_single_components
        return not self.is_correlated or (self.is_normal and is_one_part)

    def undisturbed(self) -> Population:
        """Return the same without noise, skew and cuts."""
        none = np.zeros_like(self.is_skewed)
        return replace(self, noise_width=0.0, is_skewed=none, is_boolean=none)

    def draw(
        self,
        y: IntArray,
        rng: np.random.Generator,
        plant: Callable[[FloatArray], object] | None = None,
    ) -> FloatArray:
        """Draw one sample per label.

        `plant` overwrites some values in place, before noise moves all of them.
        """
        # One stream per ingredient: the same samples with noise or without, say.
        for_values, for_parts, for_tails, for_noise = rng.spawn(4)
        sizes = np.array([len(mixture) for mixture in self.mixtures])
        own = (for_parts.random(y.size) * sizes[y]).astype(np.int64)
        X = np.empty((y.size, self.n_features))
        for chunk in self._chunks():
            z = self._latent(y.size, chunk, for_values)
            which = self._which(y, own, chunk, sizes, for_parts)
            X[:, chunk] = self._values(z, which, chunk, for_tails)
        if plant is not None:
            plant(X)
        if self.noise_width:
            for chunk in self._chunks():
                shape = (y.size, chunk.stop - chunk.start)
                moved = self.noise_width * for_noise.uniform(-1, 1, size=shape)
                X[:, chunk] += np.where(self.is_boolean[chunk], 0.0, moved)
        return X

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Return the log-density of every sample under every class, up to a constant.

        Exact if `has_exact_density`; else as if features were independent.
        """
        if self.is_correlated and self.has_exact_density:
            columns = [self._normal_density(X, parts) for parts in self.mixtures]
            return np.stack(columns, axis=1)
        totals = [np.zeros((X.shape[0], len(parts))) for parts in self.mixtures]
        for chunk in self._chunks():
            kinds = self._kinds(chunk)
            for kind, mixtures in enumerate(self._mixtures_of_kinds):
                here = np.flatnonzero(self.is_informative[chunk] & (kinds == kind))
                if here.size:
                    x = X[:, chunk.start + here]
                    self._add_independent(totals, x, mixtures)
        return np.stack([_average(total) for total in totals], axis=1)

    @property
    def _mixtures_of_kinds(self) -> tuple[Sequence[Sequence[Values]], ...]:
        return self.mixtures, self.skewed_mixtures, self.cut_mixtures

    def _kinds(self, chunk: slice) -> IntArray:
        """Return of which kind features are: plain, skewed, or yes and no."""
        kinds = self.is_skewed[chunk].astype(np.int64)
        kinds[self.is_boolean[chunk]] = 2
        return kinds

    def _add_independent(
        self,
        totals: list[FloatArray],
        x: FloatArray,
        mixtures: Sequence[Sequence[Values]],
    ) -> None:
        """Add the log-densities of independent features, component by component."""
        has_atoms = any(part.is_discrete for parts in mixtures for part in parts)
        for total, parts in zip(totals, mixtures, strict=True):
            logs = np.stack([self._log_density(part, x, has_atoms) for part in parts])
            if self.mixing is Mixing.VALUE:
                logs = np.broadcast_to(_average(logs, axis=0), logs.shape)
            total += logs.sum(axis=2).T

    def _log_density(self, part: Values, x: FloatArray, has_atoms: bool) -> FloatArray:
        width = self.noise_width
        if width and not isinstance(part, Cut):
            high, low = part.cdf(x + width), part.cdf(x - width)
            # Far out both are one; a floor keeps such a value from deciding alone.
            return np.log(np.maximum(high - low, 1e-300) / (2 * width))
        found = part.log_density(x)
        if has_atoms and not part.is_discrete:
            # A whole number has a probability under counts and none elsewhere.
            found = np.where(x == np.floor(x), -np.inf, found)
        return found

    def _normal_density(self, X: FloatArray, parts: ClassMixture) -> FloatArray:
        """Return the log-density of equally correlated blocks of normal features."""
        logs = np.zeros((X.shape[0], len(parts)))
        for number, start in enumerate(range(0, self.n_features, self.block_size)):
            block = slice(start, min(start + self.block_size, self.n_features))
            if not self.is_informative[block].any():
                continue
            size = block.stop - block.start
            rho = self.rho if self.is_tied[number] else 0.0
            for k, part in enumerate(parts):
                d = (X[:, block] - part.mean) / part.std
                pull = rho / (1 + (size - 1) * rho)
                square = (d**2).sum(axis=1) - pull * d.sum(axis=1) ** 2
                logs[:, k] -= 0.5 * square / (1 - rho) + size * np.log(part.std)
        return _average(logs)

    def _chunks(self) -> Iterator[slice]:
        step = self.block_size * max(1, -(-_CHUNK // self.block_size))
        for start in range(0, self.n_features, step):
            yield slice(start, min(start + step, self.n_features))

    def _latent(self, n: int, chunk: slice, rng: np.random.Generator) -> FloatArray:
        """Draw the standard normal numbers that values are made of."""
        width = chunk.stop - chunk.start
        z: FloatArray = rng.normal(size=(n, width))
        if self.is_correlated:
            shared = self._spread(rng.normal(size=(n, self._n_blocks(width))), width)
            rho = self._rho(chunk)
            z = np.sqrt(rho) * shared + np.sqrt(1 - rho) * z
        return z

    def _rho(self, chunk: slice) -> FloatArray:
        """Return the correlation of every feature with those of its block."""
        blocks = np.arange(chunk.start, chunk.stop) // self.block_size
        return np.where(self.is_tied[blocks], self.rho, 0.0)

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
        is_informative = self.is_informative[chunk]
        classes = np.broadcast_to(y[:, None], (y.size, width))
        is_tied = None
        if not is_informative.all():
            # A class drawn for every value: distributed as the others over all samples,
            # but telling nothing of the sample's own class.
            drawn = rng.choice(sizes.size, size=(y.size, width), p=self.shares)
            if self.is_correlated:
                # Two values share the draw of their block as often as their block is
                # correlated: what lies between classes then correlates as the rest.
                is_tied = rng.random((y.size, width)) < np.sqrt(self._rho(chunk))
                blocks = (y.size, self._n_blocks(width))
                shared = rng.choice(sizes.size, size=blocks, p=self.shares)
                drawn = np.where(is_tied, self._spread(shared, width), drawn)
            classes = np.where(is_informative, classes, drawn)
        if self.has_single_components:
            return first[classes]
        place = rng.random((y.size, width))
        if is_tied is not None:
            shares = rng.random((y.size, self._n_blocks(width)))
            is_shared = is_tied & ~is_informative
            place = np.where(is_shared, self._spread(shares, width), place)
        part = (place * sizes[classes]).astype(np.int64)
        if self.mixing is Mixing.SAMPLE:
            part = np.where(is_informative, own[:, None], part)
        which: IntArray = first[classes] + part
        return which

    def _values(
        self,
        z: FloatArray,
        which: IntArray,
        chunk: slice,
        rng: np.random.Generator,
    ) -> FloatArray:
        kinds, values = self._kinds(chunk), np.empty_like(z)
        several = [
            [part for mixture in mixtures for part in mixture]
            for mixtures in self._mixtures_of_kinds
        ]
        for number in range(len(several[0])):
            for kind in np.unique(kinds):
                here = (which == number) & (kinds == kind)
                values[here] = several[kind][number].draw(z[here], rng)
        return values


def _average(logs: FloatArray, axis: int = 1) -> FloatArray:
    """Average over equally likely components, in logarithms."""
    total: FloatArray = scipy.special.logsumexp(logs, axis=axis)
    total -= np.log(logs.shape[axis])
    return total
