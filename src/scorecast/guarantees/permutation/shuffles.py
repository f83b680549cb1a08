"""Which case gets the features of which other, a block at a time.

One meaning for the whole package: features change places among cases, while targets and
splits stay. See docs/decisions/0012-permutations.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import IntArray
from scorecast.exceptions import InvalidInputError

__all__ = ["BLOCK", "block_sizes", "draw_orders", "exchangeable"]

# Fixed, so that the same seed gives the same orders for any number of workers. Arrays
# of this many permutations by thousands of features stay near the processor.
BLOCK = 128


def block_sizes(n_permutations: int) -> list[int]:
    """Divide permutations into blocks, each drawn from a stream of its own.

    Parameters
    ----------
    n_permutations : int
        All of them.

    Returns
    -------
    list of int
        Sizes that add up to it.

    Examples
    --------
    >>> block_sizes(300)
    [128, 128, 44]
    """
    full, rest = divmod(n_permutations, BLOCK)
    return [BLOCK] * full + ([rest] if rest else [])


def exchangeable(
    groups: Sequence[Hashable] | IntArray | None, targets: NDArray[Any]
) -> list[IntArray]:
    """List who may change places with whom.

    Parameters
    ----------
    groups : sequence of hashable or None
        Group of every case.
    targets : ndarray of shape (n,)
        Their targets.

    Returns
    -------
    list of ndarray of int64 of shape (k, size)
        In each the rows may change places, as wholes: single cases; with groups,
        cases of the same group; and where every group has one target only, whole
        groups of the same size.

    Raises
    ------
    InvalidInputError
        If there is not one group per case.
    """
    n = targets.shape[0]
    if groups is None:
        return [np.arange(n).reshape(n, 1)]
    names = list(groups)
    if len(names) != n:
        msg = f"{len(names)} groups for {n} cases."
        raise InvalidInputError(msg)
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    of_case = np.array([numbers[name] for name in names])
    members = [np.flatnonzero(of_case == i) for i in range(len(numbers))]
    if any(np.unique(targets[own]).size > 1 for own in members):
        return [own.reshape(-1, 1) for own in members]
    sizes = sorted({own.size for own in members})
    return [np.stack([own for own in members if own.size == size]) for size in sizes]


def draw_orders(
    size: int, pools: Sequence[IntArray], n: int, rng: np.random.Generator
) -> IntArray:
    """Draw random orders in which only rows of the same pool change places.

    Parameters
    ----------
    size : int
        How many.
    pools : sequence of ndarray of int64
        As of `exchangeable`; cases in none of them stay. One dimension means
        single cases.
    n : int
        Number of cases.
    rng : numpy.random.Generator
        The stream of this block.

    Returns
    -------
    ndarray of shape (size, n)
        Case j of permutation i gets the features of case ``orders[i, j]``.
    """
    orders = np.tile(np.arange(n), (size, 1))
    for pool in pools:
        blocks = pool.reshape(pool.shape[0], -1)
        places = np.tile(np.arange(blocks.shape[0]), (size, 1))
        places = rng.permuted(places, axis=1)
        orders[:, blocks.ravel()] = blocks[places].reshape(size, -1)
    return orders
