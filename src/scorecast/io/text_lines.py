"""Lines of a text file, plain or gzipped, with everything odd refused by line."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from scorecast.exceptions import InvalidInputError
from scorecast.io.formats import sniff, suffix_of
from scorecast.io.paths import Location, check_size, opened

__all__ = ["Lines", "opened_lines"]

_LONGEST_LINE = 64 * 2**20
_BINARY = ("gzip data", "a zip archive", "text in UTF-16", "a .npy array", "an HDF5")


class Lines(Iterator[str]):
    """Lines with their ends, counted from one as they are read."""

    def __init__(self, stream: io.TextIOBase, name: str, longest: int) -> None:
        self.number = 0
        self.name = name
        self._stream = stream
        self._longest = longest

    def __next__(self) -> str:
        line = self._stream.readline(self._longest)
        if not line:
            raise StopIteration
        self.number += 1
        if "\0" in line:
            msg = (
                f"{self.name}, line {self.number}: a null byte, so this is not plain "
                "text; save it as text in UTF-8"
            )
            raise InvalidInputError(msg)
        if len(line) >= self._longest:
            msg = f"{self.name}, line {self.number} is too long for a table"
            raise InvalidInputError(msg)
        return line


class _Limited(io.RawIOBase):
    """Unpacked bytes, up to a limit: a small file may unpack to terabytes."""

    def __init__(self, source: gzip.GzipFile, name: str, max_bytes: int) -> None:
        self._source = source
        self._name = name
        self._max_bytes = max_bytes
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        data = self._source.read(len(view))
        self._count += len(data)
        check_size(self._name, self._count, self._max_bytes)
        view[: len(data)] = data
        return len(data)


@contextmanager
def opened_lines(location: Location, max_bytes: int) -> Iterator[Lines]:
    r"""Open a text file in UTF-8, with or without byte order mark.

    Parameters
    ----------
    location : Location
        The file; a name ending in ``.gz`` is unpacked.
    max_bytes : int
        Largest text accepted, unpacked.

    Yields
    ------
    Lines
        The lines, ends kept (``\n``, ``\r\n`` or ``\r``).

    Raises
    ------
    InvalidInputError
        If the file is empty, no text, not UTF-8, or damaged.
    """
    name = location.name
    is_packed = suffix_of(location.path).endswith(".gz")
    with opened(location.path) as stream:
        _check_head(stream, name, is_packed)
        check_size(name, stream.seek(0, 2), max_bytes)
        stream.seek(0)
        source = _unpacked(stream, name, max_bytes) if is_packed else stream
        text = io.TextIOWrapper(source, encoding="utf-8-sig", newline="")
        try:
            yield Lines(text, name, min(_LONGEST_LINE, max_bytes))
        except UnicodeDecodeError as error:
            raise _not_utf8(location, max_bytes) from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            msg = f"{name} is damaged: the gzip data end early or are wrong; pack again"
            raise InvalidInputError(msg) from error
        finally:
            text.detach()


def _unpacked(stream: BinaryIO, name: str, max_bytes: int) -> BinaryIO:
    limited = _Limited(gzip.GzipFile(fileobj=stream), name, max_bytes)
    return cast(BinaryIO, io.BufferedReader(limited))


def _check_head(stream: BinaryIO, name: str, is_packed: bool) -> None:
    head = stream.read(64)
    if not head:
        msg = f"{name} is empty (0 bytes)"
        raise InvalidInputError(msg)
    found = sniff(head)
    if is_packed and found == "gzip data":
        return
    if is_packed:
        msg = f"{name} is not gzip data but {found}; give it its true ending"
        raise InvalidInputError(msg)
    if found.startswith(_BINARY):
        msg = f"{name} is not plain text but {found}; save it as text in UTF-8"
        raise InvalidInputError(msg)


def _not_utf8(location: Location, max_bytes: int) -> InvalidInputError:
    """Find the first line that is not UTF-8; the decoder only knows its block."""
    number = 1
    with opened(location.path) as stream:
        is_packed = suffix_of(location.path).endswith(".gz")
        source = _unpacked(stream, location.name, max_bytes) if is_packed else stream
        for line in source:
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                break
            number += 1
    return InvalidInputError(
        f"{location.name}, line {number}: not UTF-8; save the file as UTF-8, or "
        f"convert it: iconv -f LATIN1 -t UTF-8 {location.name} > new.csv"
    )
