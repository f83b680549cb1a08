"""Fingerprints that tell which files an answer rests on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from scorecast.exceptions import InvalidInputError
from scorecast.io.paths import FilePath, locate, opened, unchanged
from scorecast.io.wording import one_line

__all__ = ["Fingerprint", "check_unchanged", "fingerprint", "sha256"]


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


def sha256(path: FilePath) -> str:
    """Return the SHA-256 of a file in 64 hexadecimal digits.

    Parameters
    ----------
    path : str or path-like
        The file; ``::key`` is ignored.

    Returns
    -------
    str
        The digest.
    """
    return fingerprint(path).sha256


def check_unchanged(before: Fingerprint) -> None:
    """Refuse an answer if its file is no longer what it was.

    A large array stays in its file while it is used, so that a file rewritten during
    a long computation would spoil the answer unseen.

    Parameters
    ----------
    before : Fingerprint
        Taken before the file was read.

    Raises
    ------
    InvalidInputError
        If the contents differ or the file is gone.
    """
    if fingerprint(before.path) != before:
        msg = (
            f"{one_line(before.path, 300)} changed during the computation; run again "
            "when it is complete"
        )
        raise InvalidInputError(msg)
