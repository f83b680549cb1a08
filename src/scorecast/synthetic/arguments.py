"""Sizes and shares as the caller gave them, checked."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from scorecast.exceptions import UsageError

__all__ = ["check_positive", "check_range", "check_share", "check_whole"]


def check_whole(value: Any, name: str, *, least: int = 1, most: int = 10**7) -> int:
    """Return a whole number within limits.

    Parameters
    ----------
    value : object
        What the caller passed; 200.0 is accepted as 200.
    name : str
        Name of the argument.
    least, most : int
        Limits.

    Returns
    -------
    int
        The number.

    Raises
    ------
    UsageError
        If it is no whole number, or outside.
    """
    whole = (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool)
        and float(value).is_integer()
    )
    if whole and least <= int(value) <= most:
        return int(value)
    msg = f"`{name}` must be a whole number from {least} to {most:,}; got {value!r}."
    raise UsageError(msg)


def check_share(value: Any, name: str, *, most: float = 1.0) -> float:
    """Return a share from 0 to `most`.

    Parameters
    ----------
    value : object
        What the caller passed.
    name : str
        Name of the argument.
    most : float, default=1
        Upper limit.

    Returns
    -------
    float
        The share.

    Raises
    ------
    UsageError
        If it lies outside; a percentage is told how to be written.
    """
    if isinstance(value, numbers.Real) and 0 <= float(value) <= most:
        return float(value)
    hint = ""
    if isinstance(value, numbers.Real) and 1 < float(value) <= 100 * most:
        hint = f" Did you mean {float(value) / 100:g}?"
    msg = f"`{name}` must be a share from 0 to {most:g}; got {value!r}.{hint}"
    raise UsageError(msg)


def check_positive(value: Any, name: str) -> float:
    """Return a positive finite number.

    Parameters
    ----------
    value : object
        What the caller passed.
    name : str
        Name of the argument.

    Returns
    -------
    float
        The number.

    Raises
    ------
    UsageError
        If it is not a positive number below 1e12.
    """
    if isinstance(value, numbers.Real) and 0 < float(value) < 1e12:
        return float(value)
    msg = f"`{name}` must be a positive number; got {value!r}."
    raise UsageError(msg)


def check_range(value: Any, name: str, most: int) -> tuple[int, int]:
    """Return the fewest and the most of something.

    Parameters
    ----------
    value : int or pair of int
        What the caller passed; one number stands for both ends.
    name : str
        Name of the argument.
    most : int
        How many there are.

    Returns
    -------
    tuple of int
        Both ends, included.

    Raises
    ------
    UsageError
        If it is no such pair, or reaches beyond what there is.
    """
    pair = tuple(value) if isinstance(value, Sequence) else (value, value)
    if len(pair) == 2:
        low = check_whole(pair[0], name, most=most)
        high = check_whole(pair[1], name, most=most)
        if low <= high:
            return low, high
    msg = f"`{name}` must be a number or a pair (fewest, most); got {value!r}."
    raise UsageError(msg)
