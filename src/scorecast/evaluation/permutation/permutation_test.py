"""Score a model on permuted data, doing once what does not depend on the permutation.

One meaning for the whole package: features change places among samples; targets and
splits stay. Models that an engine knows are worked out for many permutations at once,
all others are fitted; both give the same values.
"""

from __future__ import annotations

import contextlib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from scorecast._core.types import IntArray
from scorecast.evaluation.permutation.engines import (
    SEEDS,
    PreparedEngine,
    recognise,
)
from scorecast.evaluation.permutation.exchange import block_sizes, draw_orders

FEW, MANY = 100, 1000
_TRIED, _OFTEN = 16, 0.2  # permutations to try, and the share that may need a fit
# Of the time of a fit, where permutations are worked out together: between a thirtieth
# and a six-hundredth for quick models, a tenth for others. Only how long it will take
# is told from it.
_QUICK_SHARE, _ENGINE_SHARE = 0.02, 0.1


# The one loop over permutations ----------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """Some permutations: how many to draw, or those drawn already.

    Attributes
    ----------
    size : int
        How many; zero stands for the data as they are.
    orders : ndarray of shape (p, b, n) or None
        Whose features every sample gets: for all splits at once (p = 1), or for each.
    seeds : ndarray of shape (b,) or None
        One for every permutation, where the loop draws them.
    """

    size: int
    orders: IntArray | None = None
    seeds: IntArray | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class PermutationLoop(ABC):
    """Everything a worker needs to work out any block of permutations.

    What is made of predictions is up to those who derive from it: `of_classes` where
    the engine is sure, `of_fit` where the model itself must be fitted, and `row` from
    the values of all splits to what is kept of a permutation.

    Attributes
    ----------
    n, n_splits : int
        Samples, and splits.
    pools : tuple of list of ndarray
        As of `exchangeable`: one entry for all splits at once, or one for each.
    engine : PreparedEngine or None
        None where the model is fitted every time.
    """

    n: int
    n_splits: int
    pools: tuple[list[IntArray], ...]
    engine: PreparedEngine | None = None

    has_seeds: ClassVar[bool] = False  # whether a seed is drawn for each permutation
    together: ClassVar[int] = 1  # permutations per task, where each takes its time

    @abstractmethod
    def of_classes(self, split: int, classes: IntArray) -> Sequence[Any]:
        """Return a value for every row of predicted classes, (b, n_test)."""

    @abstractmethod
    def of_fit(
        self, split: int, order: IntArray, seed: int | None, rng: np.random.Generator
    ) -> Any:
        """Fit the model to one permutation and return its value."""

    @abstractmethod
    def row(self, values: Sequence[Any]) -> Any:
        """Return what is kept of one permutation, from the values of its splits."""

    def engine_for(self, block: Block) -> PreparedEngine | None:
        """Return the engine that may work out a block."""
        del block
        return self.engine

    def fitting(self, block: Block) -> contextlib.AbstractContextManager[None]:
        """Return what surrounds the fits of a block."""
        del block
        return contextlib.nullcontext()

    def tasks(
        self, count: int, rng: np.random.Generator, *, with_observed: bool = False
    ) -> list[Block]:
        """Divide the work: blocks are drawn where they are worked out, if quickly so.

        Else they are drawn here, from the same streams, so that permutations do not
        depend on the way; and in small tasks, so that all workers have something to do.
        """
        sizes = [*([0] if with_observed else []), *block_sizes(count)]
        if self.engine is not None and self.engine.is_quick:
            return [Block(size=size) for size in sizes]
        blocks = []
        for size, stream in zip(sizes, rng.spawn(len(sizes)), strict=True):
            orders, seeds = self._draw(size, stream)
            for start in range(0, orders.shape[1], self.together):
                part = slice(start, start + self.together)
                own = None if seeds is None else seeds[part]
                blocks.append(Block(size=size, orders=orders[:, part], seeds=own))
        return blocks

    def _draw(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray | None]:
        """Draw the orders of one block, and where asked for a seed for each."""
        if size == 0:
            orders: IntArray = np.arange(self.n, dtype=np.int64).reshape(1, 1, self.n)
        else:
            drawn = [draw_orders(size, pools, self.n, rng) for pools in self.pools]
            orders = np.stack(drawn)
        if not self.has_seeds:
            return orders, None
        return orders, rng.integers(SEEDS, size=(orders.shape[1],))

    def __call__(self, block: Block, rng: np.random.Generator) -> list[Any]:
        """Return one row for every permutation of a block."""
        orders, seeds = block.orders, block.seeds
        if orders is None:
            orders, seeds = self._draw(block.size, rng)
        columns = []
        with self.fitting(block):
            for split in range(self.n_splits):
                own = orders[split if orders.shape[0] > 1 else 0]
                columns.append(self._values(block, split, own, seeds, rng))
        return [self.row(values) for values in zip(*columns, strict=True)]

    def _values(
        self,
        block: Block,
        split: int,
        orders: IntArray,
        seeds: IntArray | None,
        rng: np.random.Generator,
    ) -> list[Any]:
        """Return the values of one split, for every permutation."""
        found: list[Any] = [None] * orders.shape[0]
        left = np.arange(orders.shape[0])
        engine = self.engine_for(block)
        if engine is not None:
            with unchecked(is_quiet=block.size > 0):
                said = engine.predict(split, orders)
            sure = np.flatnonzero(~said.is_doubtful)
            values = self.of_classes(split, said.classes[sure])
            for row, value in zip(sure.tolist(), values, strict=True):
                found[row] = value
            left = np.flatnonzero(said.is_doubtful)
        for row in left.tolist():
            seed = None if seeds is None else int(seeds[row])
            found[row] = self.of_fit(split, orders[row], seed, rng)
        return found


@contextlib.contextmanager
def unchecked(*, is_quiet: bool) -> Iterator[None]:
    """Spare scikit-learn what was checked already, thousands of times.

    Parameters
    ----------
    is_quiet : bool
        Whether warnings are dropped as well.

    Yields
    ------
    None
        Control, with checks of finiteness and parameters off.
    """
    from sklearn import config_context

    with (
        config_context(assume_finite=True, skip_parameter_validation=True),
        warnings.catch_warnings(),
    ):
        if is_quiet:
            warnings.simplefilter("ignore")
        yield


# How many permutations -------------------------------------------------------------


def usual_count(
    engine: PreparedEngine | None, pools: Sequence[IntArray], n: int
) -> int:
    """Return how many permutations are usual: more where they cost next to nothing.

    Few, too, where many predictions are left to the model itself, as rounding decides:
    on features of very different scale those of ridge and logistic regression are.

    Parameters
    ----------
    engine : PreparedEngine or None
        How permutations are worked out.
    pools : sequence of ndarray
        As of `exchangeable`, for all splits at once.
    n : int
        Number of samples.

    Returns
    -------
    int
        `MANY` or `FEW`.
    """
    if engine is None or not engine.is_quick:
        return FEW
    # A stream of its own, so that the permutations that count stay the same.
    orders = draw_orders(_TRIED, pools, n, np.random.default_rng(0))
    with unchecked(is_quiet=True):
        said = engine.predict(0, orders)
    return FEW if said.is_doubtful.mean() > _OFTEN else MANY


def permutation_effort(
    estimator: Any, shape: tuple[int, int], n_classes: int, n_splits: int
) -> tuple[int, float]:
    """Say how many permutations are usual, and roughly how long one takes.

    Parameters
    ----------
    estimator : scikit-learn estimator
        The model.
    shape : tuple of int
        Samples and features.
    n_classes : int
        Number of classes; 0 for a regression.
    n_splits : int
        Number of splits.

    Returns
    -------
    tuple of int and float
        The number, and the time of one beside fitting and testing anew: 1 where that is
        what is done.
    """
    known = recognise(estimator, n_classes) if n_classes else None
    if known is None:
        return FEW, 1.0
    is_quick = known.is_quick(shape, n_splits)
    return (MANY, _QUICK_SHARE) if is_quick else (FEW, _ENGINE_SHARE)
