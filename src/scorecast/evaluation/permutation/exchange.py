"""Who may change places with whom, and in how many ways.

One meaning for the whole package: features change places among samples, while targets
and splits stay. Block for block, so that memory stays small and any number of workers
gives the same permutations.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import NDArray

from scorecast._core.types import IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError

# Arrays of this many permutations by thousands of features stay near the processor.
BLOCK = 128
_MANY = 30.0  # logarithm: beyond, no number of permutations will exhaust them


def block_sizes(n_permutations: int) -> list[int]:
    """Divide permutations into blocks, each drawn from a stream of its own."""
    full, rest = divmod(n_permutations, BLOCK)
    return [BLOCK] * full + ([rest] if rest else [])


def exchangeable(
    groups: Sequence[Hashable] | IntArray | None, targets: NDArray[Any]
) -> list[IntArray]:
    """List who may change places with whom.

    If features say nothing about targets, groups of the same size are alike, and so are
    the samples of a group. Both kinds of exchange are made, whatever the targets: to
    keep groups where they are would leave in the null what tells them apart.

    Parameters
    ----------
    groups : sequence of hashable or None
        Group of every sample.
    targets : ndarray of shape (n,)
        Their targets.

    Returns
    -------
    list of ndarray of int64 of shape (k, size)
        Pools; in each the rows may change places, as wholes: single samples; with
        groups, whole groups of the same size and then the samples of every group,
        unless all groups of its size have one target each: nothing is to exchange
        there.

    Raises
    ------
    InvalidInputError
        If there is not one group per sample.
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
    """List the samples of every group, groups in order of first appearance."""
    names = list(groups)
    if len(names) != n:
        problem = f"must name one group for each of {n} samples; got {len(names)}"
        raise InvalidInputError(problem, parameter="groups")
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    of_sample = np.array([numbers[name] for name in names])
    return [np.flatnonzero(of_sample == i) for i in range(len(numbers))]


def n_arrangements(pools: Sequence[IntArray], targets: NDArray[Any]) -> float:
    """Count the ways in which features can be dealt out to targets.

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
    log_factorial = scipy.special.gammaln
    log_count = 0.0
    for pool in pools:
        blocks = np.sort(codes[pool.reshape(pool.shape[0], -1)], axis=1)
        alike = np.unique(blocks, axis=0, return_counts=True)[1]
        ways = log_factorial(pool.shape[0] + 1) - log_factorial(alike + 1).sum()
        log_count += float(ways)
    return float(np.round(np.exp(log_count))) if log_count < _MANY else math.inf


def movable(
    groups: Sequence[Hashable] | IntArray | None, targets: NDArray[Any]
) -> list[IntArray]:
    """List who may change places with whom, or refuse if that leaves all as it is."""
    pools = exchangeable(groups, targets)
    if n_arrangements(pools, targets) < 2:
        raise InsufficientDataError(
            "nothing can be permuted: no two groups of the same size differ in class, "
            "nor samples of a group",
            parameter="groups",
        )
    return pools


def moved(pools: Sequence[IntArray]) -> IntArray:
    """List the samples that some exchange reaches.

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
        As of `exchangeable`, one after the other; samples in none of them stay. One
        dimension means single samples.
    n : int
        Number of samples.
    rng : numpy.random.Generator
        The stream of this block.

    Returns
    -------
    ndarray of shape (size, n)
        Sample j of permutation i gets the features of sample ``orders[i, j]``.
    """
    orders = np.tile(np.arange(n), (size, 1))
    for pool in pools:
        blocks = pool.reshape(pool.shape[0], -1)
        places = np.tile(np.arange(blocks.shape[0]), (size, 1))
        places = rng.permuted(places, axis=1)
        # Of what earlier pools have put there: groups first, then samples within.
        held = np.take_along_axis(orders[:, blocks], places[:, :, None], axis=1)
        orders[:, blocks.ravel()] = held.reshape(size, -1)
    return orders
