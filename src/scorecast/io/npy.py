"""Arrays in NumPy's own format, read without trusting their headers."""

from __future__ import annotations

import ast
import math
import os
import re
import struct
import warnings
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.formats import sniff
from scorecast.io.paths import Location, check_size, opened
from scorecast.io.wording import in_bytes, one_line

__all__ = ["Header", "check_length", "read_body", "read_header", "read_npy"]

_MAGIC = b"\x93NUMPY"
_LENGTH_FORMATS = {b"\x01\x00": "<H", b"\x02\x00": "<I", b"\x03\x00": "<I"}
_MAX_HEADER = 10_000  # real headers of plain arrays have about a hundred bytes
_MAX_DIMENSIONS = 32
# Smaller files are copied: when a mapped file shrinks, the process dies of SIGBUS
# and no message can be given.
_MAP_FROM = 256 * 2**20
_CHUNK = 2**20

_DESCRIPTION = re.compile(r"[<>|=]?([biufcSUVOMm?])(\d*)(\[[^\]]*\])?")
_REFUSED = {
    "O": "holds Python objects, which are not read because they can run code; save "
    "numbers with x.astype(float) and labels with y.astype(str)",
    "V": "holds records (a structured array); save one plain array per field",
    "c": "holds complex numbers; save x.real or abs(x)",
    "M": "holds dates; save numbers or text, x.astype(str)",
    "m": "holds time differences; save numbers, x.astype(float)",
}


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a file claims about its array."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    offset: int

    @property
    def n_bytes(self) -> int:
        """The size of the array; a Python int, so that it cannot overflow."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __str__(self) -> str:
        return f"{self.dtype} {self.shape}"


def read_npy(location: Location, max_bytes: int) -> NDArray[Any]:
    """Return the array of a ``.npy`` file; a large one is mapped, not copied.

    Parameters
    ----------
    location : Location
        The file.
    max_bytes : int
        Largest array accepted.

    Returns
    -------
    ndarray
        Numbers or text, native byte order.

    Raises
    ------
    InvalidInputError
        If the file is not a plain array or is damaged.
    """
    name = location.name
    with opened(location.path) as stream:
        header = read_header(stream, name)
        found = os.fstat(stream.fileno()).st_size - header.offset
        check_length(name, header, found)
        check_size(name, header.n_bytes, max_bytes)
        if header.n_bytes < _MAP_FROM:
            return read_body(stream, header, name)
        mapped: NDArray[Any] = np.memmap(
            stream,
            dtype=header.dtype,
            mode="r",
            offset=header.offset,
            shape=header.shape,
            order="F" if header.is_fortran else "C",
        )
        return _native(mapped)


def read_header(stream: BinaryIO, name: str) -> Header:
    """Read and check the start of an array.

    Parameters
    ----------
    stream : BinaryIO
        At the start of the array.
    name : str
        For messages.

    Returns
    -------
    Header
        Claims that are possible, though not yet compared with the size of the file.

    Raises
    ------
    InvalidInputError
        If this is no plain array.
    """
    start = stream.read(8)
    if not start:
        msg = f"{name} is empty (0 bytes); save the array again"
        raise InvalidInputError(msg)
    if not start.startswith(_MAGIC):
        msg = f"{name} is not a .npy array but {sniff(start)}; give it its true ending"
        raise InvalidInputError(msg)
    length_format = _LENGTH_FORMATS.get(start[6:])
    if length_format is None:
        raise _damaged(name, "its version is unknown")
    width = struct.calcsize(length_format)
    length_bytes = stream.read(width)
    if len(length_bytes) < width:
        raise _damaged(name, "it ends inside the header")
    (length,) = struct.unpack(length_format, length_bytes)
    if length > _MAX_HEADER:
        raise _damaged(name, f"its header claims {in_bytes(length)}")
    text = stream.read(length)
    if len(text) < length:
        raise _damaged(name, "it ends inside the header")
    return _parse(text, name, offset=8 + width + length)


def _parse(text: bytes, name: str, *, offset: int) -> Header:
    try:
        with warnings.catch_warnings():
            # Stray backslashes and the like make the parser warn.
            warnings.simplefilter("ignore")
            fields = ast.literal_eval(text.decode("utf-8").strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise _damaged(name, "its header cannot be parsed") from error
    if not isinstance(fields, dict) or set(fields) != {
        "descr",
        "fortran_order",
        "shape",
    }:
        raise _damaged(name, "its header lacks the type or shape")
    shape, order = fields["shape"], fields["fortran_order"]
    if not isinstance(order, bool) or not _is_shape(shape):
        raise _damaged(name, f"its shape {one_line(shape)} is impossible")
    if 0 in shape:
        msg = f"{name} is empty: its array has shape {one_line(shape)}"
        raise InvalidInputError(msg)
    dtype = _dtype(fields["descr"], name)
    return Header(dtype=dtype, shape=shape, is_fortran=order, offset=offset)


def _is_shape(shape: object) -> bool:
    return (
        isinstance(shape, tuple)
        and len(shape) <= _MAX_DIMENSIONS
        and all(type(length) is int and length >= 0 for length in shape)
    )


def _dtype(description: object, name: str) -> np.dtype[Any]:
    if isinstance(description, list | tuple):
        msg = f"{name} {_REFUSED['V']}"
        raise InvalidInputError(msg)
    match = _DESCRIPTION.fullmatch(str(description))
    if match is None:
        raise _damaged(name, f"its type {one_line(description)} is unknown")
    if match[1] in _REFUSED:
        msg = f"{name} {_REFUSED[match[1]]}"
        raise InvalidInputError(msg)
    try:
        dtype = np.dtype(str(description))
    except (TypeError, ValueError, OverflowError) as error:
        raise _damaged(name, f"its type {one_line(description)} is unknown") from error
    if dtype.itemsize == 0:
        raise _damaged(name, "its items have no size")
    return dtype


def check_length(name: str, header: Header, found: int) -> None:
    """Refuse a file that holds more or fewer bytes than its header claims.

    Parameters
    ----------
    name : str
        For messages.
    header : Header
        The claims.
    found : int
        Bytes that follow the header.

    Raises
    ------
    InvalidInputError
        If the numbers differ; nothing has been allocated then.
    """
    if found == header.n_bytes:
        return
    what = "is cut short" if found < header.n_bytes else "holds more than one array"
    msg = (
        f"{name} {what}: its header ({header}) asks for {header.n_bytes} bytes and "
        f"{found} follow; save it again with np.save"
    )
    raise InvalidInputError(msg)


def read_body(stream: BinaryIO, header: Header, name: str) -> NDArray[Any]:
    """Read the values that follow a header, in pieces.

    Parameters
    ----------
    stream : BinaryIO
        Just behind the header.
    header : Header
        Checked against the size of the file by the caller.
    name : str
        For messages.

    Returns
    -------
    ndarray
        Native byte order.

    Raises
    ------
    InvalidInputError
        If the stream ends early.
    """
    try:
        buffer = np.empty(header.n_bytes, dtype=np.uint8)
    except ValueError as error:  # beyond the address space
        raise _damaged(name, f"its header claims {header}") from error
    done = 0
    while done < header.n_bytes:
        piece = stream.read(min(_CHUNK, header.n_bytes - done))
        if not piece:
            raise _damaged(name, f"it ends after {done} of {header.n_bytes} bytes")
        buffer[done : done + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
        done += len(piece)
    array: NDArray[Any] = buffer.view(header.dtype)
    return _native(array.reshape(header.shape, order="F" if header.is_fortran else "C"))


def _native(array: NDArray[Any]) -> NDArray[Any]:
    native = array.dtype.newbyteorder("=")
    return array if array.dtype == native else array.astype(native)


def _damaged(name: str, reason: str) -> InvalidInputError:
    return InvalidInputError(f"{name} is damaged: {reason}; save it again with np.save")
