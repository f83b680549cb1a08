"""Arrays in a zip archive, as `numpy.savez` writes them."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO, cast

from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.formats import sniff
from scorecast.io.npy import check_length, read_body, read_header
from scorecast.io.paths import Location, check_size, opened
from scorecast.io.wording import in_bytes, one_line, quoted

__all__ = ["npz_contents", "read_npz"]

# NumPy writes no other; LZMA could ask for gigabytes to unpack a few bytes.
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# Scores are noise to a compressor: what shrinks a hundredfold and more is a bomb
# or has nothing in it. Small archives cannot hurt.
_MAX_RATIO = 200
_RATIO_FROM = 64 * 2**20
_ENCRYPTED = 0x1


@contextmanager
def _archive(
    location: Location, max_bytes: int
) -> Iterator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]]:
    name = location.name
    with opened(location.path) as stream:
        head = stream.read(16)
        if not head:
            msg = f"{name} is empty (0 bytes); save the arrays again"
            raise InvalidInputError(msg)
        if not head.startswith(b"PK"):
            msg = f"{name} is not an .npz archive but {sniff(head)}"
            raise InvalidInputError(msg)
        try:
            with zipfile.ZipFile(stream) as archive:
                yield archive, _members(archive, location, max_bytes)
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
            msg = (
                f"{name} is damaged: {one_line(error, 120)}; save it again with "
                "np.savez"
            )
            raise InvalidInputError(msg) from error


def _members(
    archive: zipfile.ZipFile, location: Location, max_bytes: int
) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        key = info.filename.removesuffix(".npy")
        if key in members:
            msg = f"{location.name} has two arrays named {quoted(key)}; rename one"
            raise InvalidInputError(msg)
        members[key] = info
    if not members:
        msg = f"{location.name} holds no arrays; save some with np.savez"
        raise InvalidInputError(msg)
    claimed = sum(info.file_size for info in members.values())
    check_size(location.name, claimed, max_bytes)
    packed = max(1, sum(info.compress_size for info in members.values()))
    if claimed > _RATIO_FROM and claimed > _MAX_RATIO * packed:
        msg = (
            f"{location.name} would unpack from {in_bytes(packed)} to "
            f"{in_bytes(claimed)}, which scores do not; if it is sound, save it "
            "uncompressed with np.savez"
        )
        raise InvalidInputError(msg)
    return members


@contextmanager
def _member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str
) -> Iterator[IO[bytes]]:
    if info.flag_bits & _ENCRYPTED:
        msg = f"{name} is encrypted; save it without a password"
        raise InvalidInputError(msg)
    if info.compress_type not in _COMPRESSIONS:
        msg = (
            f"{name} is packed by method {info.compress_type}, which NumPy does not "
            "write; save it again with np.savez_compressed"
        )
        raise InvalidInputError(msg)
    with archive.open(info) as stream:
        yield stream


def npz_contents(location: Location, max_bytes: int) -> dict[str, str]:
    """Describe the arrays of an archive from their headers alone.

    Parameters
    ----------
    location : Location
        The archive.
    max_bytes : int
        Largest total size accepted.

    Returns
    -------
    dict
        Type and shape, or why there is none, by key.
    """
    contents: dict[str, str] = {}
    with _archive(location, max_bytes) as (archive, members):
        for key, info in members.items():
            try:
                with _member(archive, info, location.at(key)) as stream:
                    header = read_header(cast(BinaryIO, stream), location.at(key))
                contents[key] = str(header)
            except InvalidInputError:
                contents[key] = "not a plain array"
    return contents


def read_npz(location: Location, key: str, max_bytes: int) -> NDArray[Any]:
    """Return one array of an archive.

    Parameters
    ----------
    location : Location
        The archive.
    key : str
        A key that `npz_contents` gave; only a label, never a path.
    max_bytes : int
        Largest total size accepted.

    Returns
    -------
    ndarray
        Numbers or text, native byte order.
    """
    name = location.at(key)
    with (
        _archive(location, max_bytes) as (archive, members),
        _member(archive, members[key], name) as member,
    ):
        stream = cast(BinaryIO, member)
        header = read_header(stream, name)
        check_length(name, header, members[key].file_size - header.offset)
        array = read_body(stream, header, name)
        # The checksum is compared only when the end is read.
        stream.read(1)
        return array
