"""Turn what the caller gave into clean values, or say in one line what is wrong."""

from __future__ import annotations

import math
import numbers
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.near_names import near_name
from scorecast._core.types import IntArray
from scorecast.exceptions import (
    InvalidInputError,
    Location,
    ScorecastWarning,
    UsageError,
)

__all__ = [
    "MOST_TIMES",
    "NATS_PER",
    "check_choice",
    "check_class_counts",
    "check_count",
    "check_flag",
    "check_from_zero",
    "check_level",
    "check_matrix",
    "check_n_jobs",
    "check_not_negative",
    "check_numbers",
    "check_one_of",
    "check_positive",
    "check_share",
    "check_times",
    "check_units",
    "describe_place",
    "warn",
]

MOST_TIMES = 1_000_000  # repeats, permutations, draws: nobody waits for more
NATS_PER = {"bits": math.log(2), "nats": 1.0}

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def check_matrix(
    values: ArrayLike,
    name: str | None = None,
    *,
    parameter: str = "",
    allow_negative_infinity: bool = False,
) -> NDArray[np.floating[Any]]:
    """Return a two-dimensional float32 or float64 array without holes.

    Whole numbers, booleans and half precision become float64, so that no later
    arithmetic wraps or overflows; float32 and float64 are kept, uncopied.

    Parameters
    ----------
    values : array-like of shape (n, m)
        What the caller passed.
    name : str, optional
        Its name at the head of the message; rebuilt rooms give `parameter` instead.
    parameter : str, optional
        The argument it was, a part of the error.
    allow_negative_infinity : bool, default=False
        Whether minus infinity (a log-probability of zero) is a legal value.

    Returns
    -------
    ndarray of shape (n, m)
        The same numbers, native byte order, float32 or float64.

    Raises
    ------
    InvalidInputError
        If the array is not a non-empty numeric matrix or holds NaN or infinities.
    """
    array = np.asarray(values)
    problem = ""
    if array.dtype == object or array.dtype.kind not in "fiub":
        problem = f"must hold numbers; got dtype {array.dtype}"
    elif array.ndim != 2:
        problem = f"must have two dimensions (rows x columns); got {array.shape}"
    elif array.size == 0:
        problem = f"is empty: shape {array.shape}"
    if problem and name is not None:
        raise InvalidInputError(f"{name} {problem}.")
    if problem:
        raise InvalidInputError(problem, parameter=parameter)
    keep = array.dtype.newbyteorder("=") if array.dtype.itemsize in (4, 8) else None
    kind = array.dtype.kind
    dtype = keep if kind == "f" and keep is not None else np.dtype(np.float64)
    matrix: NDArray[np.floating[Any]] = np.asarray(array, dtype=dtype)
    _refuse_nonfinite(matrix, name, parameter, allow_negative_infinity)
    return matrix


def _refuse_nonfinite(
    matrix: NDArray[np.floating[Any]],
    name: str | None,
    parameter: str,
    allow_negative_infinity: bool,
) -> None:
    # The sum is finite exactly when nothing is off, unless it overflows; so the
    # usual case costs one pass and no memory.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(matrix.sum(dtype=np.float64)):
            return
    bad = ~np.isfinite(matrix)
    if allow_negative_infinity:
        bad &= matrix != -np.inf
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    problem = (
        f"{int(bad.sum())} value(s) that are not finite; the first is "
        f"{matrix[row, column]}"
    )
    if name is None:
        raise InvalidInputError(
            f"has {problem}",
            parameter=parameter,
            location=Location(row=row + 1, column=str(column + 1)),
            remedy="remove or repair those rows",
        )
    msg = (
        f"{name} has {problem} at {describe_place(row, column)}. "
        "Remove or repair those rows."
    )
    raise InvalidInputError(msg)


def describe_place(row: int, column: int) -> str:
    """Name a cell as people count: from one."""
    return f"row {row + 1}, column {column + 1}"


def check_flag(value: object, name: str) -> bool:
    """Return a truth value; "no" and 0 are refused, since the first would be true.

    Parameters
    ----------
    value : object
        What the caller passed.
    name : str
        Name of the argument.

    Returns
    -------
    bool
        The value.

    Raises
    ------
    UsageError
        If it is neither True nor False.
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    problem = f"must be True or False; got {value!r}"
    raise UsageError(problem, parameter=name)


def check_choice(value: object, name: str, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`, else suggest the nearest.

    Parameters
    ----------
    value : object
        What the caller passed.
    name : str
        Name of the argument.
    choices : sequence of str
        What is understood.

    Returns
    -------
    str
        The value.

    Raises
    ------
    UsageError
        If it is not among the choices.
    """
    if isinstance(value, str) and value in choices:
        return value
    near = near_name(value, choices)
    hint = f" Did you mean {near!r}?" if near else ""
    msg = f"`{name}` must be one of {', '.join(choices)}; got {value!r}.{hint}"
    raise UsageError(msg)


def check_level(level: float, name: str = "level") -> float:
    """Return a confidence level strictly between 0 and 1.

    Parameters
    ----------
    level : float
        What the caller passed.
    name : str, default="level"
        What the argument is called.

    Returns
    -------
    float
        The level.

    Raises
    ------
    UsageError
        If it lies outside (0, 1).
    """
    if isinstance(level, numbers.Real) and 0 < float(level) < 1:
        return float(level)
    such = 0.05 if name == "alpha" else 0.9
    msg = f"`{name}` must lie strictly between 0 and 1, such as {such}; got {level!r}."
    raise UsageError(msg)


def check_from_zero(value: float, name: str, such: str = "") -> float:
    """Return a finite number from 0 on.

    Parameters
    ----------
    value : float
        What the caller passed.
    name : str
        What the argument is called.
    such : str, default=""
        An example of one, for the error.

    Returns
    -------
    float
        The number.

    Raises
    ------
    UsageError
        If it is no number, negative or not finite.
    """
    if isinstance(value, numbers.Real) and 0 <= float(value) < math.inf:
        return float(value)
    example = f", such as {such}" if such else ""
    msg = f"`{name}` must be a number from 0{example}; got {value!r}."
    raise UsageError(msg)


def check_class_counts(counts: int | Iterable[int], name: str) -> IntArray:
    """Return numbers of classes as a vector of whole numbers from one up.

    Parameters
    ----------
    counts : int or iterable of int
        Numbers of classes; 1000.0 is accepted as 1000, 1.5 is not.
    name : str
        Name of the argument.

    Returns
    -------
    ndarray of int64
        The numbers, in the order given.

    Raises
    ------
    UsageError
        If one is not a whole number between 1 and 10**12, or there is none.
    """
    several = isinstance(counts, Iterable) and not isinstance(counts, str)
    given: list[Any] = list(counts) if several else [counts]  # type: ignore[arg-type]
    if not given:
        problem = "is empty: at least one number of classes is needed"
        raise UsageError(problem, parameter=name)
    for value in given:
        whole = isinstance(value, numbers.Real) and float(value).is_integer()
        if not whole or not 1 <= float(value) <= 1e12:
            problem = (
                "must hold whole numbers of classes between 1 and 10**12; got "
                f"{value!r}"
            )
            raise UsageError(problem, parameter=name)
    return np.array([int(value) for value in given], dtype=np.int64)


def check_n_jobs(n_jobs: int | None) -> int | None:
    """Return a usable number of workers (None leaves the choice to joblib).

    Parameters
    ----------
    n_jobs : int or None
        What the caller passed.

    Returns
    -------
    int or None
        The same.

    Raises
    ------
    UsageError
        If it is zero or not a whole number.
    """
    if n_jobs is None or (isinstance(n_jobs, numbers.Integral) and n_jobs != 0):
        return n_jobs
    problem = f"must be a whole number other than 0; got {n_jobs!r}"
    raise UsageError(problem, parameter="n_jobs")


def check_count(
    value: Any, parameter: str, *, least: int = 1, most: int | None = None
) -> int:
    """Return a whole number within limits; 200.0 is accepted as 200."""
    is_whole = (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool)
        and float(value).is_integer()
    )
    if is_whole and least <= value and (most is None or value <= most):
        return int(value)
    limits = f"from {least:,}" if most is None else f"from {least:,} to {most:,}"
    problem = f"must be a whole number {limits}; got {value!r}"
    raise UsageError(problem, parameter=parameter)


def check_times(value: Any, parameter: str, *, least: int = 1) -> int:
    """Return how often something is to be done, within what anybody waits for."""
    return check_count(value, parameter, least=least, most=MOST_TIMES)


def check_share(
    value: Any, parameter: str, *, most: float = 1.0, is_open: bool = False
) -> float:
    """Return a share from 0 to `most`; who gives a percentage is told the share.

    An open range leaves both ends out.
    """
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if is_number and (0 < value < most if is_open else 0 <= value <= most):
        return float(value)
    limits = f"strictly between 0 and {most:g}" if is_open else f"from 0 to {most:g}"
    raise UsageError(
        f"must be a share {limits}; got {value!r}",
        parameter=parameter,
        remedy=f"try {value / 100:g}"
        if is_number and 1 < value <= 100 * most
        else None,
    )


def check_positive(value: Any, parameter: str) -> float:
    """Return a positive number that is no misprint."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if is_number and 0 < value < 1e12:
        return float(value)
    raise UsageError(f"must be a positive number; got {value!r}", parameter=parameter)


def check_not_negative(value: Any, parameter: str) -> float:
    """Return a number from 0 that is no misprint."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if is_number and 0 <= value < 1e12:
        return float(value)
    raise UsageError(f"must be a number from 0; got {value!r}", parameter=parameter)


def check_numbers(values: Any, parameter: str) -> tuple[float, ...]:
    """Return several positive numbers; none at all will do."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        problem = f"must be several numbers, such as (1, 2); got {values!r}"
        raise UsageError(problem, parameter=parameter)
    return tuple(check_positive(value, parameter) for value in values)


def check_one_of(value: object, parameter: str, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`, else suggest the nearest."""
    if isinstance(value, str) and value in choices:
        return value
    near = near_name(value, choices)
    raise UsageError(
        f"must be one of {', '.join(choices)}; got {value!r}",
        parameter=parameter,
        remedy=f"try {near!r}" if near else None,
    )


def check_units(units: object) -> float:
    """Return how many nats a unit of information has."""
    return NATS_PER[check_one_of(units, "units", tuple(NATS_PER))]


def warn(warning: ScorecastWarning) -> None:
    """Warn at the line outside scorecast that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)
