"""One number per case, clean and in double precision; or what is wrong with it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, Location

_ABOUT = 5.0  # percent by which the rounded percentages of a row may miss a hundred


def check_column(
    values: ArrayLike, parameter: str, *, allow_negative_infinity: bool = False
) -> FloatArray:
    """Return one finite number per case; minus infinity where it is allowed."""
    array = np.asarray(values)
    problem = ""
    if array.dtype.kind not in "fiub":
        problem = f"must hold numbers; got dtype {array.dtype}"
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if not problem and (array.ndim != 1 or array.size == 0):
        problem = f"must hold one number per case; got shape {array.shape}"
    if problem:
        raise InvalidInputError(problem, parameter=parameter)
    column = array.astype(np.float64)
    is_bad = ~np.isfinite(column)
    if allow_negative_infinity:
        is_bad &= column != -np.inf
    if is_bad.any():
        first = int(np.argmax(is_bad))
        raise InvalidInputError(
            f"has {int(is_bad.sum())} value(s) that are not finite; the first is "
            f"{column[first]}",
            parameter=parameter,
            location=Location(row=first + 1),
            remedy="repair or remove those rows",
        )
    return column


def check_same_length(**columns: FloatArray) -> None:
    """Refuse columns of different lengths."""
    sizes = {name: column.size for name, column in columns.items()}
    first = next(iter(sizes.values()))
    for name, size in sizes.items():
        if size != first:
            problem = (
                f"must have one number per case; it has {size:,}, {next(iter(sizes))} "
                f"has {first:,}"
            )
            raise InvalidInputError(problem, parameter=name)


def check_chances(chances: NDArray[Any], parameter: str) -> None:
    """Refuse probabilities outside [0, 1], and say what they may be instead."""
    is_bad = (chances < 0) | (chances > 1)
    if not is_bad.any():
        return
    first = np.argwhere(is_bad)[0]
    remedy, option = None, None
    if (chances <= 0).all():
        remedy, option = _of_logs(chances, parameter)
    elif _look_like_percent(chances):
        remedy = "are they percentages? Divide by 100"
    elif chances.ndim > 1:
        remedy = "they look like scores or logits: turn them into probabilities first"
    raise InvalidInputError(
        f"has {int(is_bad.sum())} value(s) outside [0, 1]; the first is "
        f"{chances[tuple(first)]:g}",
        parameter=parameter,
        location=Location(
            row=int(first[0]) + 1,
            column=str(first[1] + 1) if chances.ndim > 1 else None,
        ),
        remedy=remedy,
        option=option,
    )


def _of_logs(chances: FloatArray, parameter: str) -> tuple[str, str | None]:
    """Say what to do with logarithms; of all classes their base can be told."""
    if chances.ndim == 1:
        return "they look like logarithms: give them as such", f"log_{parameter}"
    for base, name in ((math.e, "e"), (2.0, "2"), (10.0, "10")):
        if np.allclose(np.power(base, chances).sum(axis=1), 1, atol=1e-3):
            return f"they are logarithms to base {name}: raise {name} to them", None
    return "they look like logarithms: turn them into probabilities first", None


def _look_like_percent(chances: FloatArray) -> bool:
    """Tell whether numbers may be percentages: of all classes they make a hundred."""
    if chances.min() < 0 or chances.max() > 100:
        return False
    if chances.ndim == 1:  # a lone value above one is a slip, not a scale
        return bool((chances > 1).mean() > 0.5)
    return bool((abs(chances.sum(axis=1) - 100) < _ABOUT).all())
