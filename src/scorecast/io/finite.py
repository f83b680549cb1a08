"""Numbers fit for computing: real, in a matrix, finite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import BoolArray
from scorecast.exceptions import InvalidInputError
from scorecast.io.paths import check_size

__all__ = ["Flaws", "find_flaws", "real_matrix"]

_CELLS_AT_ONCE = 2**22


def real_matrix(values: NDArray[Any], name: str, max_bytes: int) -> NDArray[Any]:
    """Return a matrix of float32 or float64, copied only if it must be converted.

    Parameters
    ----------
    values : ndarray
        As read.
    name : str
        For messages.
    max_bytes : int
        Largest array that may be made.

    Returns
    -------
    ndarray of shape (n, m)
        The same numbers.

    Raises
    ------
    InvalidInputError
        If it is not a matrix of numbers.
    """
    if values.dtype.kind not in "fiub":
        msg = f"{name} holds {values.dtype} values where numbers are expected"
        raise InvalidInputError(msg)
    if values.ndim != 2:
        hints = {0: "a single number", 1: "save x[:, None] if it is one column"}
        hint = hints.get(values.ndim, "save x.reshape(len(x), -1) if that is meant")
        msg = (
            f"{name} must be a matrix (one row per example), but its shape is "
            f"{values.shape}: {hint}"
        )
        raise InvalidInputError(msg)
    if values.dtype in (np.float32, np.float64):
        return values
    # Small types wrap and overflow in later arithmetic.
    check_size(name, 8 * values.size, max_bytes)
    with np.errstate(over="ignore"):
        return values.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Flaws:
    """Cells of a matrix that are not finite."""

    rows: BoolArray  # of shape (n,): rows to drop
    n_cells: int
    first: tuple[int, int] | None  # a cell that is not finite
    first_impossible: int | None  # a row that is minus infinity throughout


def find_flaws(
    values: NDArray[Any],
    *,
    allow_negative_infinity: bool = False,
    allow_missing: bool = False,
) -> Flaws | None:
    """Look for NaN and infinities.

    Parameters
    ----------
    values : ndarray of shape (n, m)
        Floating-point numbers.
    allow_negative_infinity : bool, default=False
        Whether minus infinity is legal, unless it fills a whole row.
    allow_missing : bool, default=False
        Whether NaN is legal.

    Returns
    -------
    Flaws or None
        None if there is nothing to complain about.
    """
    # The sum of finite numbers is finite unless it overflows: one pass, no memory.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return None
    rows = np.zeros(len(values), dtype=np.bool_)
    n_cells, first, first_impossible = 0, None, None
    for start, block in _blocks(values):
        bad = np.isinf(block) if allow_missing else ~np.isfinite(block)
        impossible = np.zeros(len(block), dtype=np.bool_)
        if allow_negative_infinity:
            bad &= block != -np.inf
            impossible = (block == -np.inf).all(axis=1)
        rows[start : start + len(block)] = bad.any(axis=1) | impossible
        n_cells += int(bad.sum())
        if first is None and bad.any():
            row, column = np.argwhere(bad)[0]
            first = (start + int(row), int(column))
        if first_impossible is None and impossible.any():
            first_impossible = start + int(np.argmax(impossible))
    if not rows.any():
        return None
    return Flaws(
        rows=rows, n_cells=n_cells, first=first, first_impossible=first_impossible
    )


def _blocks(values: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    step = max(1, _CELLS_AT_ONCE // values.shape[1])
    for start in range(0, len(values), step):
        yield start, values[start : start + step]
