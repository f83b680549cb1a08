"""Arrays in ``.npy``, ``.npz`` and ``.safetensors`` files, read without trusting them.

Every claim of a header is checked against our limits and the size of the file before a
byte is allocated; nothing in a file is ever executed.
"""

from __future__ import annotations

import io
import math
import os
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TypeAlias, cast

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from scorecast._core.near_names import near_name
from scorecast._core.types import BoolArray
from scorecast.exceptions import (
    InvalidInputError,
    Location,
    MissingExtraError,
    listed,
    printable,
    quoted,
)
from scorecast.io.files import (
    FileLayout,
    FilePath,
    InputFile,
    check_size,
    in_bytes,
    opened,
    sniff,
)

SCORE_NAMES = ("scores", "logits", "probs", "log_probs", "values", "S", "X")
LABEL_NAMES = ("labels", "y", "y_true", "targets")

_MAGIC = b"\x93NUMPY"
_LENGTHS = {b"\x01\x00": "<H", b"\x02\x00": "<I", b"\x03\x00": "<I"}  # by version
_MAX_HEADER = 10_000  # real headers of plain arrays have about a hundred bytes
_MAX_DIMENSIONS = 32
# Smaller files are copied: when a mapped file shrinks, the process dies of SIGBUS
# and no message can be given.
_MAP_FROM = 256 * 2**20
_CHUNK = 2**20
_REFUSED = {
    "O": (
        "it holds Python objects, which are not read because they can run code",
        "save numbers with x.astype(float) and labels with y.astype(str)",
    ),
    "V": (
        "it holds records (a structured array)",
        "save one plain array per field",
    ),
    "c": ("it holds complex numbers", "save x.real or abs(x)"),
    "M": ("it holds dates", "save numbers or text, x.astype(str)"),
    "m": ("it holds time differences", "save numbers, x.astype(float)"),
}
# NumPy writes no other; LZMA could ask for gigabytes to unpack a few bytes.
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# Scores are noise to a compressor: what shrinks a hundredfold and more is a bomb
# or has nothing in it. Small archives cannot hurt.
_MAX_RATIO = 200
_RATIO_FROM = 64 * 2**20
_ENCRYPTED = 0x1
_TENSORS = {"F64", "F32", "F16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8"}
_CELLS_AT_ONCE = 2**22
NOTED_PER_ROW = 3072  # bytes that ranks, tails and resampling keep of a sample
_FIXED_WIDTH_LIMIT = 256 * 2**20
_LAST_CHARACTER = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)
_EXACT_FLOAT = 2.0**53


class ArrayFile:
    """A file of arrays, whose headers have been read.

    Parameters
    ----------
    file : InputFile
        The file, with the key the user gave if any.
    layout : FileLayout
        Of which the limit of memory matters.

    Attributes
    ----------
    contents : dict
        Type and shape by key; empty for ``.npy``, whose one array has no name.
    """

    def __init__(self, file: InputFile, layout: FileLayout) -> None:
        self.file = file
        self.max_bytes = layout.max_bytes
        self.contents: dict[str, str] = {}
        if file.ending == ".npz":
            self.contents = _npz_contents(file, self.max_bytes)
        elif file.ending == ".safetensors":
            self.contents = _tensor_contents(file, self.max_bytes)

    def read(self, key: str | None, *, by_rows: bool = False) -> NDArray[Any]:
        """Return one array: numbers or text, not empty, native byte order.

        What is only ever looked at by rows may be larger than memory, in a ``.npy``
        file: it is mapped, and what counts is what is noted of every row.
        """
        if key is None:
            return _read_npy(self.file, self.max_bytes, by_rows=by_rows)
        if self.file.ending == ".npz":
            return _read_npz(self.file, key, self.max_bytes)
        return _read_tensor(self.file, key, self.max_bytes)

    def labels(self, key: str | None) -> NDArray[Any]:
        """Return one array of labels, as int64 or text."""
        return label_array(self.read(key), self.location(key))

    def location(self, key: str | None) -> Location:
        """Return an array as a place."""
        return Location(file=self.file.source(key))

    def choose(
        self, names: Collection[str], what: str, apart: Collection[str | None] = ()
    ) -> str | None:
        """Decide which array is meant.

        Parameters
        ----------
        names : collection of str
            Names understood without a key.
        what : str
            What is looked for, for the message.
        apart : collection of str, optional
            Arrays that are known to hold something else.

        Returns
        -------
        str or None
            The key; None for ``.npy``.

        Raises
        ------
        InvalidInputError
            If the key does not exist, or none or several arrays qualify.
        """
        key = self.file.key
        if key is not None:
            self.check_key(key, option="key")
            return key
        if self.file.ending == ".npy":
            return None
        if not self.contents:
            raise self.file.refusal("it holds no arrays", remedy="save some")
        others = [name for name in self.contents if name not in apart]
        known = [name for name in others if name in names]
        if len(known) == 1:
            return known[0]
        if not known and len(others) == 1:
            return others[0]
        found = "several arrays" if known else "no array"
        raise self.file.refusal(
            f"it has {found} named like {what} ({', '.join(names)}) but "
            f"{self.described()}",
            remedy=_pick(self.file),
            option="key",
        )

    def check_key(self, key: str, *, option: str | None = None) -> None:
        """Refuse a key that the file does not have."""
        if key in self.contents:
            return
        if not self.contents:
            problem = "it holds one array without a name"
            raise self.file.refusal(problem, remedy="leave out the key", option=option)
        near = near_name(key, self.contents)
        raise self.file.refusal(
            f"it has no array {quoted(key)} but {self.described()}",
            remedy=f"did you mean {quoted(near)}?" if near else _pick(self.file),
            option=option,
        )

    def first_of(self, names: Collection[str], taken: str | None) -> str | None:
        """Return the one array of these names, if there is one and but one."""
        found = [name for name in names if name in self.contents and name != taken]
        return found[0] if len(found) == 1 else None

    def described(self) -> str:
        """List the arrays with type and shape."""
        items = [f"{printable(key)}: {text}" for key, text in self.contents.items()]
        return listed(items, most=8)


def _pick(file: InputFile) -> str:
    return f"pick one, also as {printable(file.path, 200)}::NAME"


# .npy ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Header:
    """What a file claims about its array."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    offset: int

    @property
    def n_bytes(self) -> int:
        """The size of the array; a Python int, so that it cannot overflow."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def is_as_it_is(self) -> bool:
        """Whether rows can be looked at where they lie, without being converted."""
        is_native = self.dtype.isnative and self.dtype in (np.float32, np.float64)
        return is_native and len(self.shape) == 2 and not self.is_fortran

    def __str__(self) -> str:
        return f"{self.dtype} {self.shape}"


def _read_npy(
    file: InputFile, max_bytes: int, *, by_rows: bool = False
) -> NDArray[Any]:
    """Return the array of a ``.npy`` file; a large one is mapped, not copied."""
    with opened(file) as stream:
        header = _read_header(stream, file, None)
        found = os.fstat(stream.fileno()).st_size - header.offset
        _check_length(file, None, header, found)
        needed = header.n_bytes
        if by_rows and header.is_as_it_is:
            needed = min(needed, NOTED_PER_ROW * header.shape[0])
        check_size(file, needed, max_bytes)
        if header.n_bytes < _MAP_FROM:
            return _read_body(stream, header, file, None)
        mapped: NDArray[Any] = np.memmap(
            stream,
            dtype=header.dtype,
            mode="r",
            offset=header.offset,
            shape=header.shape,
            order="F" if header.is_fortran else "C",
        )
        return _native(mapped)


def _read_header(
    stream: BinaryIO, file: InputFile, key: str | None, *, allow_empty: bool = False
) -> _Header:
    """Read the start of an array by NumPy's own parser, within our limits."""
    start = stream.read(8)
    if not start:
        problem = "it is empty (0 bytes)"
        raise file.refusal(problem, key=key, remedy="save the array again")
    if not start.startswith(_MAGIC):
        problem = f"this is not a .npy array but {sniff(start)}"
        raise file.refusal(problem, key=key, remedy="give it its true ending")
    if start[6:] not in _LENGTHS:
        raise _damaged(file, key, "its version is unknown")
    width = struct.calcsize(_LENGTHS[start[6:]])
    prefix = stream.read(width)
    if len(prefix) < width:
        raise _damaged(file, key, "it ends inside the header")
    (length,) = struct.unpack(_LENGTHS[start[6:]], prefix)
    if length > _MAX_HEADER:
        raise _damaged(file, key, f"its header claims {in_bytes(length)}")
    text = stream.read(length)
    if len(text) < length:
        raise _damaged(file, key, "it ends inside the header")
    parse = (
        npy_format.read_array_header_1_0
        if width == 2
        # The third version differs in the encoding of names of fields, refused below.
        else npy_format.read_array_header_2_0
    )
    try:
        with warnings.catch_warnings():
            # Stray backslashes and the like make the parser warn.
            warnings.simplefilter("ignore")
            shape, is_fortran, dtype = parse(
                io.BytesIO(prefix + text), max_header_size=_MAX_HEADER
            )
    except Exception as error:
        raise _damaged(file, key, "its header cannot be understood") from error
    if not _is_shape(shape):
        raise _damaged(file, key, f"its shape {printable(shape)} is impossible")
    if 0 in shape and not allow_empty:
        problem = f"it is empty: its array has shape {printable(shape)}"
        raise file.refusal(problem, key=key)
    if dtype.kind in _REFUSED or dtype.hasobject:
        problem, remedy = _REFUSED["O" if dtype.hasobject else dtype.kind]
        raise file.refusal(problem, key=key, remedy=remedy)
    if dtype.itemsize == 0:
        raise _damaged(file, key, "its items have no size")
    return _Header(
        dtype=dtype,
        shape=shape,
        is_fortran=is_fortran,
        offset=8 + width + length,
    )


def _is_shape(shape: tuple[int, ...]) -> bool:
    return len(shape) <= _MAX_DIMENSIONS and all(
        type(length) is int and length >= 0 for length in shape
    )


def _check_length(
    file: InputFile, key: str | None, header: _Header, found: int
) -> None:
    """Refuse more or fewer bytes than claimed; nothing has been allocated yet."""
    if found == header.n_bytes:
        return
    what = "is cut short" if found < header.n_bytes else "holds more than one array"
    raise file.refusal(
        f"it {what}: its header ({header}) asks for {header.n_bytes} bytes and "
        f"{found} follow",
        key=key,
        remedy="save it again with np.save",
    )


def _read_body(
    stream: BinaryIO, header: _Header, file: InputFile, key: str | None
) -> NDArray[Any]:
    """Read the values that follow a header, in pieces."""
    try:
        buffer = np.empty(header.n_bytes, dtype=np.uint8)
    except ValueError as error:  # beyond the address space
        raise _damaged(file, key, f"its header claims {header}") from error
    done = 0
    while done < header.n_bytes:
        piece = stream.read(min(_CHUNK, header.n_bytes - done))
        if not piece:
            reason = f"it ends after {done} of {header.n_bytes} bytes"
            raise _damaged(file, key, reason)
        buffer[done : done + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
        done += len(piece)
    array: NDArray[Any] = buffer.view(header.dtype)
    return _native(array.reshape(header.shape, order="F" if header.is_fortran else "C"))


def _native(array: NDArray[Any]) -> NDArray[Any]:
    native = array.dtype.newbyteorder("=")
    return array if array.dtype == native else array.astype(native)


def _damaged(file: InputFile, key: str | None, reason: str) -> InvalidInputError:
    remedy = "save it again with np.save"
    return file.refusal(f"it is damaged: {reason}", key=key, remedy=remedy)


# .npz ------------------------------------------------------------------------------


@contextmanager
def _archive(
    file: InputFile, max_bytes: int
) -> Iterator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]]:
    with opened(file) as stream:
        head = stream.read(16)
        if not head:
            remedy = "save the arrays again"
            raise file.refusal("it is empty (0 bytes)", remedy=remedy)
        if not head.startswith(b"PK"):
            raise file.refusal(f"this is not an .npz archive but {sniff(head)}")
        try:
            with zipfile.ZipFile(stream) as archive:
                yield archive, _members(archive, file, max_bytes)
        except InvalidInputError:
            raise
        except (
            OSError,  # a jump to before the start of the file
            zipfile.BadZipFile,
            zlib.error,
            struct.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            ValueError,
            OverflowError,
        ) as error:
            raise file.refusal(
                f"it is damaged: {printable(error, 120)}",
                remedy="save it again with np.savez",
            ) from error


def _members(
    archive: zipfile.ZipFile, file: InputFile, max_bytes: int
) -> dict[str, zipfile.ZipInfo]:
    """Return the members by key, within the limits of size and of compression."""
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        key = info.filename.removesuffix(".npy")
        if key in members:
            problem = f"it has two arrays named {quoted(key)}"
            raise file.refusal(problem, remedy="rename one")
        members[key] = info
    if not members:
        remedy = "save some with np.savez"
        raise file.refusal("it holds no arrays", remedy=remedy)
    claimed = sum(info.file_size for info in members.values())
    check_size(file, claimed, max_bytes)
    packed = max(1, sum(info.compress_size for info in members.values()))
    if claimed > _RATIO_FROM and claimed > _MAX_RATIO * packed:
        raise file.refusal(
            f"it would unpack from {in_bytes(packed)} to {in_bytes(claimed)}, which "
            "scores do not",
            remedy="save it uncompressed with np.savez if it is sound",
        )
    return members


@contextmanager
def _member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, file: InputFile, key: str
) -> Iterator[IO[bytes]]:
    if info.flag_bits & _ENCRYPTED:
        remedy = "save it without a password"
        raise file.refusal("it is encrypted", key=key, remedy=remedy)
    if info.compress_type not in _COMPRESSIONS:
        raise file.refusal(
            f"it is packed by method {info.compress_type}, which NumPy does not write",
            key=key,
            remedy="save it again with np.savez_compressed",
        )
    with archive.open(info) as stream:
        yield stream


def _npz_contents(file: InputFile, max_bytes: int) -> dict[str, str]:
    """Describe the arrays of an archive from their headers alone."""
    contents: dict[str, str] = {}
    with _archive(file, max_bytes) as (archive, members):
        for key, info in members.items():
            try:
                with _member(archive, info, file, key) as stream:
                    header = _read_header(cast(BinaryIO, stream), file, key)
                contents[key] = str(header)
            except InvalidInputError:
                contents[key] = "not a plain array"
    return contents


def _read_npz(file: InputFile, key: str, max_bytes: int) -> NDArray[Any]:
    """Return one array of an archive; its key is only a label, never a path."""
    with _archive(file, max_bytes) as (archive, members):
        return _read_member(archive, members[key], file, key)


def read_archive(path: FilePath) -> dict[str, NDArray[Any]]:
    """Return every array of an archive, empty ones too, with the checks of an input.

    Parameters
    ----------
    path : str or path-like
        The file, whatever its ending.

    Returns
    -------
    dict
        Arrays by key.

    Raises
    ------
    InvalidInputError
        If it is missing, damaged, too large, or holds more than plain arrays.
    """
    file = InputFile(path=Path(path))
    with _archive(file, FileLayout().max_bytes) as (archive, members):
        return {
            key: _read_member(archive, info, file, key, allow_empty=True)
            for key, info in members.items()
        }


def _read_member(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    file: InputFile,
    key: str,
    *,
    allow_empty: bool = False,
) -> NDArray[Any]:
    with _member(archive, info, file, key) as member:
        stream = cast(BinaryIO, member)
        header = _read_header(stream, file, key, allow_empty=allow_empty)
        _check_length(file, key, header, info.file_size - header.offset)
        array = _read_body(stream, header, file, key)
        # The checksum is compared only when the end is read.
        stream.read(1)
        return array


# .safetensors ----------------------------------------------------------------------


@contextmanager
def _tensors(file: InputFile, max_bytes: int) -> Iterator[Any]:
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        what = "reading .safetensors files"
        raise MissingExtraError(what, "io") from error
    # Opened here too, so that faults of the system read as for other files; the
    # format cannot claim more than the size of the file.
    with opened(file) as stream:
        size = stream.seek(0, 2)
        if size == 0:
            remedy = "save the tensors again"
            raise file.refusal("it is empty (0 bytes)", remedy=remedy)
        check_size(file, size, max_bytes)
        try:
            with safe_open(str(file.path), framework="np") as tensors:
                yield tensors
        except SafetensorError as error:
            raise file.refusal(
                f"it is damaged: {printable(error, 120)}",
                remedy="save it again with safetensors",
            ) from error


def _tensor_contents(file: InputFile, max_bytes: int) -> dict[str, str]:
    """Describe the tensors of a file from its header alone."""
    contents: dict[str, str] = {}
    with _tensors(file, max_bytes) as tensors:
        for key in tensors.keys():  # noqa: SIM118 (not a dict: no iteration)
            view = tensors.get_slice(key)
            contents[key] = f"{view.get_dtype()} {tuple(view.get_shape())}"
    return contents


def _read_tensor(file: InputFile, key: str, max_bytes: int) -> NDArray[Any]:
    """Return one tensor; refuse types that NumPy has not, and empty ones."""
    with _tensors(file, max_bytes) as tensors:
        view = tensors.get_slice(key)
        dtype, shape = str(view.get_dtype()), tuple(view.get_shape())
        if dtype not in _TENSORS:
            problem = f"it holds {printable(dtype)} values, which NumPy has not"
            raise file.refusal(problem, key=key, remedy="save tensor.float() instead")
        if 0 in shape:
            raise file.refusal(f"it is empty: its array has shape {shape}", key=key)
        return np.asarray(tensors.get_tensor(key))


# Numbers fit for computing: real, in a matrix, finite ------------------------------


def _kind(values: NDArray[Any]) -> str:
    """Say what an array holds that is no real number."""
    named = {"U": "text", "S": "text", "c": "complex numbers", "M": "dates"}
    return named.get(values.dtype.kind, f"{values.dtype} values")


def real_matrix(
    values: NDArray[Any], file: InputFile, key: str | None, max_bytes: int
) -> NDArray[Any]:
    """Return a matrix of float32 or float64, copied only if it must be converted."""
    if values.dtype.kind not in "fiub":
        problem = f"it holds {_kind(values)} where numbers are expected"
        raise file.refusal(problem, key=key)
    if values.ndim != 2:
        remedies = {0: None, 1: "save x[:, None] if it is one column"}
        raise file.refusal(
            f"it must be a matrix, a row for every sample; its shape is {values.shape}",
            key=key,
            remedy=remedies.get(values.ndim, "save x.reshape(len(x), -1) if so meant"),
        )
    if values.dtype in (np.float32, np.float64):
        return values
    # Small types wrap and overflow in later arithmetic.
    check_size(file, 8 * values.size, max_bytes)
    with np.errstate(over="ignore"):
        return values.astype(np.float64)


def real_vector(values: NDArray[Any], file: InputFile, key: str) -> NDArray[Any]:
    """Return one number for every sample; a matrix of one column will do."""
    if values.dtype.kind not in "fiub":
        problem = f"it holds {_kind(values)} where numbers are expected"
        raise file.refusal(problem, key=key)
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    if values.ndim != 1:
        problem = f"it must hold one number per sample; its shape is {values.shape}"
        raise file.refusal(problem, key=key)
    return values


Nonfinite: TypeAlias = Literal["refuse", "allow", "missing", "negative-infinity"]


@dataclass(frozen=True, kw_only=True)
class Flaws:
    """Cells of a matrix that are not finite."""

    rows: BoolArray  # of shape (n,): rows to drop
    n_cells: int
    first: tuple[int, int] | None  # a cell that is not finite
    first_impossible: int | None  # a row that is minus infinity throughout


def find_flaws(values: NDArray[Any], nonfinite: Nonfinite = "refuse") -> Flaws | None:
    """Look for NaN and infinities that are not allowed; None if there are none.

    Minus infinity, where it is legal, may not fill a whole row.
    """
    if nonfinite == "allow":
        return None
    # The sum of finite numbers is finite unless it overflows: one pass, no memory.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return None
    rows = np.zeros(len(values), dtype=np.bool_)
    n_cells, first, first_impossible = 0, None, None
    step = max(1, _CELLS_AT_ONCE // values.shape[1])
    for start in range(0, len(values), step):
        block = values[start : start + step]
        is_bad = np.isinf(block) if nonfinite == "missing" else ~np.isfinite(block)
        is_impossible = np.zeros(len(block), dtype=np.bool_)
        if nonfinite == "negative-infinity":
            is_bad &= block != -np.inf
            is_impossible = (block == -np.inf).all(axis=1)
        rows[start : start + len(block)] = is_bad.any(axis=1) | is_impossible
        n_cells += int(is_bad.sum())
        if first is None and is_bad.any():
            row, column = np.argwhere(is_bad)[0]
            first = (start + int(row), int(column))
        if first_impossible is None and is_impossible.any():
            first_impossible = start + int(np.argmax(is_impossible))
    if not rows.any():
        return None
    return Flaws(
        rows=rows, n_cells=n_cells, first=first, first_impossible=first_impossible
    )


def refuse_nonfinite(
    values: NDArray[Any],
    place: Callable[[int, str], Location],
    names: Sequence[str] | None = None,
    *,
    nonfinite: Nonfinite = "refuse",
) -> None:
    """Refuse numbers that are not finite, with the place of the first.

    Parameters
    ----------
    values : ndarray of shape (n, m)
        The numbers.
    place : callable
        Where a row, counted from zero, of a column stands.
    names : sequence of str, optional
        Columns; else they are counted from one.
    nonfinite : {"refuse", "allow", "missing", "negative-infinity"}
        What may occur: nothing, anything, NaN, minus infinity.

    Raises
    ------
    InvalidInputError
        If something else does.
    """
    flaws = find_flaws(values, nonfinite)
    if flaws is None or flaws.first is None:
        return
    row, column = flaws.first
    name = str(column + 1) if names is None else names[column]
    raise InvalidInputError(
        f"{values[row, column]} is not finite ({flaws.n_cells:,} such)",
        location=place(row, name),
        remedy="repair or remove those rows",
    )


# Labels: whole numbers or text, never anything in between --------------------------


def text_array(labels: Sequence[str]) -> NDArray[Any]:
    """Return texts as an array of fixed width, or of objects.

    NumPy gives every text of an array the width of the longest and drops null
    characters at the end. Where one long name would so cost gigabytes, or two names
    become one, the array holds Python strings instead.
    """
    width = max((len(label) for label in labels), default=1)
    fits = 4 * width * len(labels) <= _FIXED_WIDTH_LIMIT
    if fits and not any(label.endswith("\0") for label in labels):
        return np.array(labels, dtype=np.str_)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def label_array(values: NDArray[Any], where: Location) -> NDArray[Any]:
    """Return labels read from a binary file as int64 or text.

    Parameters
    ----------
    values : ndarray
        As read.
    where : Location
        The array or column.

    Returns
    -------
    ndarray of shape (n,)
        One label per sample.

    Raises
    ------
    InvalidInputError
        If the array is no vector, or its values cannot be labels.
    """
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        is_matrix = values.ndim == 2
        raise InvalidInputError(
            f"it must hold one label per sample; its shape is {values.shape}",
            location=where,
            remedy="save y.argmax(axis=1) if they are one-hot" if is_matrix else None,
        )
    kind = values.dtype.kind
    if kind == "U":
        return _checked_text(np.ascontiguousarray(values), where)
    if kind == "S":
        try:
            return text_array([bytes(value).decode("utf-8") for value in values])
        except UnicodeDecodeError as error:
            raise InvalidInputError(
                "it holds bytes that are not UTF-8",
                location=where,
                remedy="save text, y.astype(str)",
            ) from error
    if kind in "iu":
        if int(values.max()) > np.iinfo(np.int64).max:
            raise InvalidInputError(
                f"it holds {int(values.max())}, too large for a label",
                location=where,
                remedy="save text, y.astype(str)",
            )
        return values.astype(np.int64, copy=False)
    if kind == "f":
        return _whole_numbers(values, where)
    raise InvalidInputError(
        f"it holds {values.dtype} values, which are no labels",
        location=where,
        remedy="save whole numbers, y.astype(int), or text, y.astype(str)",
    )


def _checked_text(values: NDArray[Any], where: Location) -> NDArray[Any]:
    codes = values.view(np.uint32)
    low, high = _SURROGATES
    is_bad = (codes > _LAST_CHARACTER) | ((codes >= low) & (codes <= high))
    if is_bad.any():
        row = int(np.argmax(is_bad)) // max(1, codes.size // values.size) + 1
        problem, place = "the text is damaged", replace(where, row=row)
        raise InvalidInputError(problem, location=place, remedy="save it again")
    return values


def _whole_numbers(values: NDArray[Any], where: Location) -> NDArray[Any]:
    # "Not good" rather than "bad": comparisons with NaN are all false.
    is_good = (np.abs(values) <= _EXACT_FLOAT) & (np.floor(values) == values)
    if not is_good.all():
        row = int(np.argmin(is_good))
        raise InvalidInputError(
            f"{printable(values[row])} is no label ({int((~is_good).sum()):,} such)",
            location=replace(where, row=row + 1),
            remedy="save whole numbers, y.astype(int), or text",
        )
    return values.astype(np.int64)


def described_lengths(sizes: Mapping[str, int]) -> str:
    """Write names with their lengths."""
    return listed(f"{printable(name)}: {size:,}" for name, size in sizes.items())
