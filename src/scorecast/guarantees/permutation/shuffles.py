"""Which case gets the features of which other, a block at a time.

One meaning for the whole package: features change places among cases, while targets and
splits stay. See docs/decisions/0012-permutations.md.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from scorecast._core.types import IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError

__all__ = [
    "BLOCK",
    "NOTHING_MOVES",
    "block_sizes",
    "draw_orders",
    "exchangeable",
    "movable",
    "moved",
    "n_arrangements",
]

# Fixed, so that the same seed gives the same orders for any number of workers. Arrays
# of this many permutations by thousands of features stay near the processor.
BLOCK = 128
NOTHING_MOVES = (
    "No two groups of the same size differ in class, nor cases of a group: nothing can "
    "be permuted"
)
_MANY = 30.0  # logarithm: beyond, no number of permutations will exhaust them


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

    If features say nothing about targets, groups of the same size are alike, and so are
    the cases of a group. Both kinds of exchange are made, whatever the targets: to keep
    groups where they are would leave in the null what tells them apart.

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
        whole groups of the same size and then the cases of every group, unless all
        groups of its size have one target each: nothing is to exchange there.

    Raises
    ------
    InvalidInputError
        If there is not one group per case.
    """
    n = targets.shape[0]
    if groups is None:
        return [np.arange(n).reshape(n, 1)]
    members = _members(groups, n)
    sizes = sorted({own.size for own in members})
    whole = [np.stack([own for own in members if own.size == s]) for s in sizes]
    # By size, so that the exchanges undo one another: a group of one target may get
    # what was in a mixed one, and must then forget its order.
    mixed = {own.size for own in members if np.unique(targets[own]).size > 1}
    return [*whole, *(own.reshape(-1, 1) for own in members if own.size in mixed)]


def _members(groups: Sequence[Hashable] | IntArray, n: int) -> list[IntArray]:
    names = list(groups)
    if len(names) != n:
        msg = f"{len(names)} groups for {n} cases."
        raise InvalidInputError(msg)
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    of_case = np.array([numbers[name] for name in names])
    return [np.flatnonzero(of_case == i) for i in range(len(numbers))]


def n_arrangements(pools: Sequence[IntArray], targets: NDArray[Any]) -> float:
    """Count the ways in which features can be dealt out to targets.

    Parameters
    ----------
    pools : sequence of ndarray of int64
        As of `exchangeable`.
    targets : ndarray of shape (n,)
        Targets of all cases.

    Returns
    -------
    float
        1 where nothing can be told from how it is; infinite for very many. Exchanges
        between equal targets do not count: they are other splits of the same data.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1, 0, 0])
    >>> n_arrangements(exchangeable(None, y), y)
    15.0
    >>> n_arrangements(exchangeable([1, 1, 2, 2, 3, 3], y), y)
    3.0
    """
    codes = np.unique(targets, return_inverse=True)[1]
    log_count = 0.0
    for pool in pools:
        blocks = np.sort(codes[pool.reshape(pool.shape[0], -1)], axis=1)
        alike = np.unique(blocks, axis=0, return_counts=True)[1]
        log_count += float(gammaln(pool.shape[0] + 1) - gammaln(alike + 1).sum())
    return float(np.round(np.exp(log_count))) if log_count < _MANY else math.inf


def movable(
    groups: Sequence[Hashable] | IntArray | None, targets: NDArray[Any]
) -> list[IntArray]:
    """List who may change places with whom, or refuse if that leaves all as it is.

    Parameters
    ----------
    groups : sequence of hashable or None
        Group of every case.
    targets : ndarray of shape (n,)
        Their targets.

    Returns
    -------
    list of ndarray of int64
        As of `exchangeable`.

    Raises
    ------
    InsufficientDataError
        If every permutation would leave all targets where they are.
    """
    pools = exchangeable(groups, targets)
    if n_arrangements(pools, targets) < 2:
        msg = f"{NOTHING_MOVES}, so that luck cannot be told."
        raise InsufficientDataError(msg)
    return pools


def moved(pools: Sequence[IntArray]) -> IntArray:
    """List the cases that some exchange reaches.

    Parameters
    ----------
    pools : sequence of ndarray of int64
        As of `exchangeable`.

    Returns
    -------
    ndarray of int64
        All but those of groups of one target whose size no other group has.
    """
    reached = [pool.ravel() for pool in pools if pool.shape[0] > 1]
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *reached]))


def draw_orders(
    size: int, pools: Sequence[IntArray], n: int, rng: np.random.Generator
) -> IntArray:
    """Draw random orders in which only rows of the same pool change places.

    Parameters
    ----------
    size : int
        How many.
    pools : sequence of ndarray of int64
        As of `exchangeable`, one after the other; cases in none of them stay. One
        dimension means single cases.
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
        # Of what earlier pools have put there: groups first, then cases within.
        held = np.take_along_axis(orders[:, blocks], places[:, :, None], axis=1)
        orders[:, blocks.ravel()] = held.reshape(size, -1)
    return orders
