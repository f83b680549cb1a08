"""One number per case, clean and in double precision."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.types import FloatArray
from scorecast.exceptions import DataWarning, InvalidInputError

__all__ = [
    "check_column",
    "check_same_length",
    "half_zeros_said",
    "refuse_outside",
    "warned",
]

_ABOUT = 5.0  # percent by which the rounded percentages of a row may miss a hundred


def check_column(
    values: ArrayLike, name: str, *, allow_negative_infinity: bool = False
) -> FloatArray:
    """Return one number per case as float64.

    Parameters
    ----------
    values : array-like of shape (n,)
        What the caller passed; a single column of a matrix will do.
    name : str
        Its name in messages.
    allow_negative_infinity : bool, default=False
        Whether minus infinity (the logarithm of zero) may occur.

    Returns
    -------
    ndarray of float64
        The numbers.

    Raises
    ------
    InvalidInputError
        If it is no vector of numbers, is empty, or holds NaN or infinities.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        msg = f"{name} must hold numbers; got dtype {array.dtype}."
        raise InvalidInputError(msg)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or array.size == 0:
        msg = f"{name} must hold one number per case; got shape {array.shape}."
        raise InvalidInputError(msg)
    column = array.astype(np.float64)
    bad = ~np.isfinite(column)
    if allow_negative_infinity:
        bad &= column != -np.inf
    if bad.any():
        first = int(np.argmax(bad))
        msg = (
            f"{name} has {int(bad.sum())} value(s) that are not finite; the first is "
            f"{column[first]} in row {first + 1}. Repair or remove those rows."
        )
        raise InvalidInputError(msg)
    return column


def check_same_length(**columns: FloatArray) -> None:
    """Refuse columns of different lengths.

    Parameters
    ----------
    **columns : ndarray
        Columns by name.

    Raises
    ------
    InvalidInputError
        If they differ.
    """
    sizes = {name: column.size for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        said = ", ".join(f"{name} has {size:,}" for name, size in sizes.items())
        msg = f"All must have one number per case: {said}."
        raise InvalidInputError(msg)


def refuse_outside(
    column: NDArray[Any],
    name: str,
    *,
    place: Callable[[int], str] | None = None,
    names: Sequence[str] = (),
) -> None:
    """Refuse probabilities outside [0, 1].

    Parameters
    ----------
    column : ndarray of float64
        Probabilities, of any shape.
    name : str
        Their name in messages.
    place : callable, optional
        Says where a row, counted from zero, stands in a file.
    names : sequence of str, optional
        Names of the columns of a matrix.

    Raises
    ------
    InvalidInputError
        If one lies outside; says where, and what it may be instead.
    """
    bad = (column < 0) | (column > 1)
    if not bad.any():
        return
    first = np.argwhere(bad)[0]
    where = f"row {first[0] + 1}" if place is None else place(int(first[0]))
    if column.ndim > 1:
        where += f", column {repr(names[first[1]]) if names else first[1] + 1}"
    hint = ""
    if (column <= 0).all():
        hint = _said_of_logs(column)
    elif _look_like_percent(column):
        hint = " Are they percentages? Divide by 100."
    elif column.ndim > 1:
        hint = " They look like scores or logits: turn them into probabilities first."
    msg = (
        f"{name} has {int(bad.sum())} value(s) outside [0, 1]; the first is "
        f"{column[tuple(first)]:g} in {where}.{hint}"
    )
    raise InvalidInputError(msg)


def _said_of_logs(column: FloatArray) -> str:
    """Say what to do with logarithms; of all classes their base can be told."""
    if column.ndim == 1:
        return " They look like logarithms: pass them as such (log_q, --log-q)."
    for base, name in ((math.e, "e"), (2.0, "2"), (10.0, "10")):
        if np.allclose(np.power(base, column).sum(axis=1), 1, atol=1e-3):
            return f" They are logarithms to base {name}: raise {name} to them first."
    return " They look like logarithms: turn them into probabilities first."


def _look_like_percent(column: FloatArray) -> bool:
    """Tell whether numbers may be percentages: of all classes they make a hundred."""
    if column.min() < 0 or column.max() > 100:
        return False
    if column.ndim == 1:  # a lone value above one is a slip, not a scale
        return bool((column > 1).mean() > 0.5)
    return bool((abs(column.sum(axis=1) - 100) < _ABOUT).all())


def half_zeros_said(values: ArrayLike, name: str) -> str:
    """Say where half precision has rounded probabilities to zero.

    Parameters
    ----------
    values : array-like
        Probabilities as they were given.
    name : str
        Their name in the message.

    Returns
    -------
    str
        One sentence; empty where there is nothing to say.
    """
    array = np.asarray(values)
    n_zero = int((array == 0).sum()) if array.dtype == np.float16 else 0
    if not n_zero:
        return ""
    return (
        f"{name} is float16, which rounds chances below 6e-8 to zero: {n_zero:,} "
        "are zero. Save float32 or the logarithms."
    )


def warned(*lines: str) -> tuple[str, ...]:
    """Warn of what looks wrong, and return it for the answer to keep.

    Parameters
    ----------
    *lines : str
        Sentences; empty ones are left out.

    Returns
    -------
    tuple of str
        Those that say something.
    """
    said = tuple(filter(None, lines))
    for line in said:
        warnings.warn(line, DataWarning, stacklevel=3)
    return said
