"""Labels as arrays of whole numbers or of text, never anything in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.wording import one_line

__all__ = ["label_array", "text_array"]

_FIXED_WIDTH_LIMIT = 256 * 2**20
_LAST_CHARACTER = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)
_EXACT_FLOAT = 2.0**53


def text_array(labels: Sequence[str]) -> NDArray[Any]:
    """Return texts as an array.

    NumPy gives every text of an array the width of the longest and drops null
    characters at the end. Where one long name would so cost gigabytes, or two names
    become one, the array holds Python strings instead.

    Parameters
    ----------
    labels : sequence of str
        The texts.

    Returns
    -------
    ndarray of shape (n,)
        Fixed-width text, or dtype object.
    """
    width = max((len(label) for label in labels), default=1)
    fits = 4 * width * len(labels) <= _FIXED_WIDTH_LIMIT
    if fits and not any(label.endswith("\0") for label in labels):
        return np.array(labels, dtype=np.str_)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def label_array(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return labels read from a binary file as int64 or text.

    Parameters
    ----------
    values : ndarray
        As read.
    name : str
        For messages.

    Returns
    -------
    ndarray of shape (n,)
        One label per example.

    Raises
    ------
    InvalidInputError
        If the array is no vector, or its values cannot be labels.
    """
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        hint = (
            "; if they are one-hot, save y.argmax(axis=1)" if values.ndim == 2 else ""
        )
        msg = f"{name} must hold one label per example but has {values.shape}{hint}"
        raise InvalidInputError(msg)
    kind = values.dtype.kind
    if kind == "U":
        return _checked_text(np.ascontiguousarray(values), name)
    if kind == "S":
        return _decoded(values, name)
    if kind in "iu":
        return _whole(values, name)
    if kind == "f":
        return _from_floats(values, name)
    msg = (
        f"{name} holds {values.dtype} values, which are no labels; save whole numbers, "
        "y.astype(int), or text, y.astype(str)"
    )
    raise InvalidInputError(msg)


def _checked_text(values: NDArray[Any], name: str) -> NDArray[Any]:
    codes = values.view(np.uint32)
    low, high = _SURROGATES
    bad = (codes > _LAST_CHARACTER) | ((codes >= low) & (codes <= high))
    if bad.any():
        row = int(np.argmax(bad)) // max(1, codes.size // values.size) + 1
        msg = f"{name}, row {row}: the text is damaged; save it again"
        raise InvalidInputError(msg)
    return values


def _decoded(values: NDArray[Any], name: str) -> NDArray[Any]:
    try:
        return text_array([bytes(value).decode("utf-8") for value in values])
    except UnicodeDecodeError as error:
        msg = f"{name} holds bytes that are not UTF-8; save text, y.astype(str)"
        raise InvalidInputError(msg) from error


def _whole(values: NDArray[Any], name: str) -> NDArray[Any]:
    largest = int(values.max())
    if largest > np.iinfo(np.int64).max:
        msg = f"{name} holds {largest}, too large for a label; save text, y.astype(str)"
        raise InvalidInputError(msg)
    return values.astype(np.int64, copy=False)


def _from_floats(values: NDArray[Any], name: str) -> NDArray[Any]:
    # "Not good" rather than "bad": comparisons with NaN are all false.
    good = (np.abs(values) <= _EXACT_FLOAT) & (np.floor(values) == values)
    if not good.all():
        row = int(np.argmin(good))
        msg = (
            f"{name}, row {row + 1}: {one_line(values[row])} is no label "
            f"({int((~good).sum())} such); save whole numbers, y.astype(int), or text"
        )
        raise InvalidInputError(msg)
    return values.astype(np.int64)
