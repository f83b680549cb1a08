"""One array out of a ``.npy``, ``.npz`` or ``.safetensors`` file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.formats import suffix_of
from scorecast.io.npy import read_npy
from scorecast.io.npz import npz_contents, read_npz
from scorecast.io.paths import Location
from scorecast.io.tensors import read_tensor, tensor_contents
from scorecast.io.wording import listed, one_line, quoted

__all__ = [
    "CLASS_NAMES",
    "LABEL_NAMES",
    "SCORE_NAMES",
    "VAGUE_CLASS_NAMES",
    "array_contents",
    "choose_key",
    "describe_contents",
    "read_array",
]

SCORE_NAMES = ("scores", "logits", "probs", "log_probs", "values", "S", "X")
LABEL_NAMES = ("labels", "y", "y_true", "targets")
CLASS_NAMES = ("classes", "class_names", "target_names", "label_names")
VAGUE_CLASS_NAMES = ("names", "columns")  # of columns, if there are as many


def array_contents(location: Location, max_bytes: int) -> dict[str, str]:
    """Describe the named arrays of a file.

    Parameters
    ----------
    location : Location
        The file.
    max_bytes : int
        Largest size accepted.

    Returns
    -------
    dict
        Type and shape by key; empty for ``.npy``, whose one array has no name.
    """
    suffix = suffix_of(location.path)
    if suffix == ".npz":
        return npz_contents(location, max_bytes)
    if suffix == ".safetensors":
        return tensor_contents(location, max_bytes)
    return {}


def read_array(location: Location, key: str | None, max_bytes: int) -> NDArray[Any]:
    """Return one array.

    Parameters
    ----------
    location : Location
        The file.
    key : str or None
        A key that `choose_key` gave.
    max_bytes : int
        Largest size accepted.

    Returns
    -------
    ndarray
        Numbers or text, not empty, native byte order.
    """
    if key is None:
        return read_npy(location, max_bytes)
    if suffix_of(location.path) == ".npz":
        return read_npz(location, key, max_bytes)
    return read_tensor(location, key, max_bytes)


def choose_key(
    location: Location, contents: Mapping[str, str], names: Collection[str], what: str
) -> str | None:
    """Decide which array of a file is meant.

    Parameters
    ----------
    location : Location
        The file, with the key the user gave if any.
    contents : mapping
        What `array_contents` gave.
    names : collection of str
        Names understood without a key.
    what : str
        What is looked for, for the message.

    Returns
    -------
    str or None
        The key; None for ``.npy``.

    Raises
    ------
    InvalidInputError
        If the key does not exist, or none or several arrays qualify.
    """
    if location.key is not None:
        _check_key(location, contents)
        return location.key
    if not contents:
        return _unnamed(location)
    known = [name for name in contents if name in names]
    if len(known) == 1:
        return known[0]
    if not known and len(contents) == 1:
        return next(iter(contents))
    found = "several arrays named like" if known else "no array named like"
    msg = (
        f"{location.name} has {found} {what} ({', '.join(names)}) but "
        f"{describe_contents(contents)}; pick one with --key NAME or "
        f"{location.name}::NAME"
    )
    raise InvalidInputError(msg)


def _unnamed(location: Location) -> str | None:
    if suffix_of(location.path) == ".npy":
        return None
    msg = f"{location.name} holds no arrays; save some"
    raise InvalidInputError(msg)


def _check_key(location: Location, contents: Mapping[str, str]) -> None:
    if location.key in contents:
        return
    if not contents:
        msg = (
            f"{location.name} holds one array without a name; leave out the key "
            f"{quoted(location.key)}"
        )
        raise InvalidInputError(msg)
    msg = (
        f"{location.name} has no array {quoted(location.key)} but "
        f"{describe_contents(contents)}; pick one with --key NAME or "
        f"{location.name}::NAME"
    )
    raise InvalidInputError(msg)


def describe_contents(contents: Mapping[str, str]) -> str:
    """List the arrays of a file with type and shape."""
    return listed(f"{one_line(key)}: {text}" for key, text in contents.items())
