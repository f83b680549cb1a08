"""Arrays in the safetensors format."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError, MissingExtraError
from scorecast.io.paths import Location, check_size, opened
from scorecast.io.wording import one_line

__all__ = ["read_tensor", "tensor_contents"]

_DTYPES = {"F64", "F32", "F16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8"}


@contextmanager
def _tensors(location: Location, max_bytes: int) -> Iterator[Any]:
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        what = "reading .safetensors files"
        raise MissingExtraError(what, "io") from error
    # Opened here too, so that faults of the system read as for other files; the
    # format cannot claim more than the size of the file.
    with opened(location.path) as stream:
        size = stream.seek(0, 2)
        if size == 0:
            msg = f"{location.name} is empty (0 bytes); save the tensors again"
            raise InvalidInputError(msg)
        check_size(location.name, size, max_bytes)
        try:
            with safe_open(str(location.path), framework="np") as tensors:
                yield tensors
        except SafetensorError as error:
            msg = (
                f"{location.name} is damaged: {one_line(error, 120)}; save it again "
                "with safetensors"
            )
            raise InvalidInputError(msg) from error


def tensor_contents(location: Location, max_bytes: int) -> dict[str, str]:
    """Describe the tensors of a file from its header alone.

    Parameters
    ----------
    location : Location
        The file.
    max_bytes : int
        Largest file accepted.

    Returns
    -------
    dict
        Type and shape by key.
    """
    contents: dict[str, str] = {}
    with _tensors(location, max_bytes) as tensors:
        for key in tensors.keys():  # noqa: SIM118 (not a dict: no iteration)
            view = tensors.get_slice(key)
            contents[key] = f"{view.get_dtype()} {tuple(view.get_shape())}"
    return contents


def read_tensor(location: Location, key: str, max_bytes: int) -> NDArray[Any]:
    """Return one tensor of a file.

    Parameters
    ----------
    location : Location
        The file.
    key : str
        A key that `tensor_contents` gave.
    max_bytes : int
        Largest file accepted.

    Returns
    -------
    ndarray
        The numbers.

    Raises
    ------
    InvalidInputError
        If NumPy has no such type, as for bfloat16, or the tensor is empty.
    """
    with _tensors(location, max_bytes) as tensors:
        view = tensors.get_slice(key)
        dtype, shape = str(view.get_dtype()), tuple(view.get_shape())
        if dtype not in _DTYPES:
            msg = (
                f"{location.at(key)} holds {one_line(dtype)} values, which NumPy has "
                "not; save tensor.float() instead"
            )
            raise InvalidInputError(msg)
        if 0 in shape:
            msg = f"{location.at(key)} is empty: its array has shape {shape}"
            raise InvalidInputError(msg)
        return np.asarray(tensors.get_tensor(key))
