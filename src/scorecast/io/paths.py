"""Find, open, watch and identify the files given by the user."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from scorecast.exceptions import InvalidInputError
from scorecast.io.wording import in_bytes, one_line, quoted

__all__ = [
    "DEFAULT_MAX_BYTES",
    "FilePath",
    "Fingerprint",
    "Location",
    "check_size",
    "fingerprint",
    "locate",
    "opened",
    "unchanged",
]

FilePath: TypeAlias = str | os.PathLike[str]

DEFAULT_MAX_BYTES = 8 * 2**30


@dataclass(frozen=True, kw_only=True)
class Location:
    """A file that exists, and which array or column of it is meant."""

    path: Path
    key: str | None

    @property
    def name(self) -> str:
        """The path on one line, for messages."""
        return one_line(self.path, 300)

    def source(self, key: str | None) -> str:
        """Return what `locate` would understand again, whatever the names hold."""
        return str(self.path) if key is None else f"{self.path}::{key}"

    def at(self, key: str | None) -> str:
        """Name an array inside the file on one line, for messages."""
        return self.name if key is None else f"{self.name}::{one_line(key)}"


def locate(path: FilePath, key: str | None = None) -> Location:
    """Split ``file::key`` and make sure that the file can be opened.

    Parameters
    ----------
    path : str or path-like
        ``file`` or ``file::key``; a file whose own name holds ``::`` wins.
    key : str, optional
        The key, given apart.

    Returns
    -------
    Location
        File and key.

    Raises
    ------
    InvalidInputError
        If there is no such file, it is a directory or device, or there are two keys.
    """
    text = os.fspath(path)
    file, inner = _split(text)
    if inner is not None and key is not None and inner != key:
        msg = (
            f"{one_line(text, 300)} names the key {quoted(inner)} and --key names "
            f"{quoted(key)}; give one of them"
        )
        raise InvalidInputError(msg)
    _check_regular(Path(file), _status(file))
    return Location(path=Path(file), key=inner if key is None else key)


def _split(text: str) -> tuple[str, str | None]:
    if "::" not in text or _is_file(text):
        return text, None
    start = text.find("::")
    while start >= 0:
        if _is_file(text[:start]):
            return text[:start], text[start + 2 :]
        start = text.find("::", start + 1)
    file, _, key = text.partition("::")
    return file, key


def _is_file(text: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(text).st_mode)
    except (OSError, ValueError):
        return False


def _status(file: str) -> os.stat_result:
    if not file:
        msg = "the path of a file is empty"
        raise InvalidInputError(msg)
    try:
        return os.stat(file)
    except OSError as error:
        raise _unreadable(file, error) from error
    except ValueError as error:  # a null character in the path
        msg = f"{one_line(file, 300)} is not a path"
        raise InvalidInputError(msg) from error


def _check_regular(path: Path, status: os.stat_result) -> None:
    name = one_line(path, 300)
    if stat.S_ISDIR(status.st_mode):
        msg = f"{name} is a directory; give a file inside it"
        raise InvalidInputError(msg)
    # Opening a pipe would wait for ever, and no reader could go back in it.
    if not stat.S_ISREG(status.st_mode):
        msg = f"{name} is a pipe or device; save it as a file first"
        raise InvalidInputError(msg)


def _unreadable(file: object, error: OSError) -> InvalidInputError:
    name = one_line(file, 300)
    if isinstance(error, FileNotFoundError):
        return InvalidInputError(f"{name} does not exist; check the path")
    if isinstance(error, PermissionError):
        return InvalidInputError(
            f"{name}: no permission to read it; check its mode (ls -l)"
        )
    if error.errno == errno.ENAMETOOLONG:
        return InvalidInputError(f"{name}: the name is too long for a file")
    reason = one_line(error.strerror or error)
    return InvalidInputError(f"{name}: the system could not read it: {reason}")


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading; faults of the system become one line.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    BufferedReader
        The open file, at its start.

    Raises
    ------
    InvalidInputError
        If it cannot be opened or read, or the memory does not suffice.
    """
    try:
        with open(path, "rb") as stream:
            yield stream
    except OSError as error:
        # Not only from `open`: a bad sector or a lost network drive shows later.
        raise _unreadable(path, error) from error
    except MemoryError as error:
        msg = f"{one_line(path, 300)} does not fit into the memory of this machine"
        raise InvalidInputError(msg) from error


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Refuse what was read if the file changed in the meantime.

    Parameters
    ----------
    path : Path
        The file read in the block.

    Yields
    ------
    None
        Nothing.

    Raises
    ------
    InvalidInputError
        If size, time of change or identity of the file differ at the end.
    """
    before = _stamp(path)
    try:
        yield
    except InvalidInputError as error:
        # A file being written looks damaged: the change is the better message.
        if _stamp(path) != before:
            raise _changed(path) from error
        raise
    if _stamp(path) != before:
        raise _changed(path)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _changed(path: Path) -> InvalidInputError:
    name = one_line(path, 300)
    return InvalidInputError(
        f"{name} changed while it was read; run again when it is complete"
    )


def check_size(name: str, count: int, max_bytes: int) -> None:
    """Refuse data that would take more memory than allowed.

    Parameters
    ----------
    name : str
        The file, for the message.
    count : int
        Bytes the data will take.
    max_bytes : int
        The limit.

    Raises
    ------
    InvalidInputError
        If there are more.
    """
    if count > max_bytes:
        msg = (
            f"{name} needs {in_bytes(count)} of memory, more than the limit of "
            f"{in_bytes(max_bytes)}; raise the limit with --max-memory"
        )
        raise InvalidInputError(msg)


@dataclass(frozen=True, kw_only=True)
class Fingerprint:
    """A file as it was when it was read.

    Attributes
    ----------
    path : str
        The path, without ``::key``.
    sha256 : str
        Its contents, in 64 hexadecimal digits.
    bytes : int
        Its size.
    """

    path: str
    sha256: str
    bytes: int


def fingerprint(path: FilePath) -> Fingerprint:
    """Return path, hash and size of a file.

    Parameters
    ----------
    path : str or path-like
        The file; ``::key`` is ignored.

    Returns
    -------
    Fingerprint
        What to record with a result.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or changes meanwhile.
    """
    location = locate(path)
    with unchanged(location.path), opened(location.path) as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        size = stream.tell()
    return Fingerprint(path=str(location.path), sha256=digest, bytes=size)
