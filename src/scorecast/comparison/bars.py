"""Which models a critical-difference diagram joins by a bar."""

from __future__ import annotations

from collections.abc import Sequence

from scorecast._core.types import BoolArray

__all__ = ["joined_groups"]


def joined_groups(
    order: Sequence[int], different: BoolArray
) -> tuple[tuple[int, ...], ...]:
    """Return the largest runs of models, in order of rank, that nothing tells apart.

    Parameters
    ----------
    order : sequence of int
        Models from the best to the worst.
    different : ndarray of bool of shape (k, k)
        Pairs that are told apart.

    Returns
    -------
    tuple of tuple of int
        Models of every bar, best first; bars of one model are left out.

    Examples
    --------
    >>> import numpy as np
    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> joined_groups([0, 1, 2], apart)
    ((0, 1), (1, 2))
    """
    found: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and _agrees(order[stop], order[start:stop], different):
            stop += 1
        if stop - start > 1 and stop > reached:
            found.append(tuple(order[start:stop]))
        reached = max(reached, stop)
    return tuple(found)


def _agrees(model: int, others: Sequence[int], different: BoolArray) -> bool:
    return not any(different[model, other] for other in others)
