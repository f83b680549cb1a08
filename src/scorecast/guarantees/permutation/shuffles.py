"""Random orders of the labels, a block at a time so that memory stays flat."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from scorecast._core.types import IntArray
from scorecast.exceptions import InvalidInputError

__all__ = ["BLOCK", "block_sizes", "draw_orders", "group_members"]

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


def group_members(groups: Sequence[Hashable] | None, n: int) -> list[IntArray]:
    """List the cases of every group; all of them where there are no groups.

    Parameters
    ----------
    groups : sequence of hashable or None
        Group of every case.
    n : int
        Number of cases.

    Returns
    -------
    list of ndarray of int64
        Within these labels may change places.

    Raises
    ------
    InvalidInputError
        If there is not one group per case.
    """
    if groups is None:
        return [np.arange(n)]
    names = list(groups)
    if len(names) != n:
        msg = f"{len(names)} groups for {n} cases."
        raise InvalidInputError(msg)
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    of_case = np.array([numbers[name] for name in names])
    return [np.flatnonzero(of_case == i) for i in range(len(numbers))]


def draw_orders(
    size: int, members: Sequence[IntArray], n: int, rng: np.random.Generator
) -> IntArray:
    """Draw random orders that keep every label within its group.

    Parameters
    ----------
    size : int
        How many.
    members : sequence of ndarray of int64
        Cases of every group.
    n : int
        Number of cases.
    rng : numpy.random.Generator
        The stream of this block.

    Returns
    -------
    ndarray of shape (size, n)
        ``y[orders[i]]`` are the labels of permutation i.
    """
    orders = np.tile(np.arange(n), (size, 1))
    for cases in members:
        orders[:, cases] = rng.permuted(orders[:, cases], axis=1)
    return orders
