"""Files written whole or not at all, and never over an input."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scorecast.exceptions import InvalidInputError
from scorecast.io.paths import FilePath
from scorecast.io.wording import one_line

__all__ = ["check_writable", "write_bytes", "write_json", "write_text"]

# File systems without hard links answer with one of these.
_NO_LINKS = {
    errno.EPERM,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EMLINK,
    errno.EXDEV,
    errno.EACCES,
}


def check_writable(
    path: FilePath, *, force: bool = False, inputs: Iterable[FilePath] = ()
) -> None:
    """Refuse a bad output path before a long computation starts.

    Parameters
    ----------
    path : str or path-like
        Where the output will go.
    force : bool, default=False
        Whether an existing file may be replaced.
    inputs : iterable of str or path-like, default=()
        Files that must not be replaced even so; ``::key`` is ignored.

    Raises
    ------
    InvalidInputError
        If the directory is missing or closed to us, or the path is a directory, a
        device, an existing file without `force`, or one of the inputs.
    """
    _checked_target(path, force=force, inputs=inputs)


def write_text(
    path: FilePath, text: str, *, force: bool = False, inputs: Iterable[FilePath] = ()
) -> None:
    """Write text in UTF-8, whole or not at all.

    The text goes to a file of its own beside the target, which then takes the target's
    name in one step; readers see the old file or the new one, nothing else.

    Parameters
    ----------
    path : str or path-like
        The target.
    text : str
        What to write. What UTF-8 cannot hold is written as an escape.
    force : bool, default=False
        Whether an existing file may be replaced.
    inputs : iterable of str or path-like, default=()
        Files that must not be replaced even so.

    Raises
    ------
    InvalidInputError
        If `check_writable` refuses, or the disk is full or read-only.
    """
    data = text.encode("utf-8", errors="backslashreplace")
    write_bytes(path, data, force=force, inputs=inputs)


def write_bytes(
    path: FilePath, data: bytes, *, force: bool = False, inputs: Iterable[FilePath] = ()
) -> None:
    """Write bytes, whole or not at all; as `write_text` otherwise.

    Parameters
    ----------
    path : str or path-like
        The target.
    data : bytes
        What to write.
    force : bool, default=False
        Whether an existing file may be replaced.
    inputs : iterable of str or path-like, default=()
        Files that must not be replaced even so.

    Raises
    ------
    InvalidInputError
        As `write_text`.
    """
    target = _checked_target(path, force=force, inputs=inputs)
    try:
        _write_whole(target, data, force=force)
    except OSError as error:
        raise _cannot_write(target, error) from error


def write_json(
    path: FilePath, data: Any, *, force: bool = False, inputs: Iterable[FilePath] = ()
) -> None:
    """Write data as JSON, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        The target.
    data : object
        Dictionaries (whose order is kept), lists, texts, finite numbers, None.
    force : bool, default=False
        Whether an existing file may be replaced.
    inputs : iterable of str or path-like, default=()
        Files that must not be replaced even so.

    Raises
    ------
    InvalidInputError
        As `write_text`.
    ValueError
        If a number is not finite: a fault of the program, not of the user.
    """
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    write_text(path, text + "\n", force=force, inputs=inputs)


def _checked_target(path: FilePath, *, force: bool, inputs: Iterable[FilePath]) -> Path:
    given = os.fspath(path)
    name = one_line(given, 300)
    if not given or "\0" in given:
        msg = f"the output path {name!r} is not a path"
        raise InvalidInputError(msg)
    # A link is followed, so that it stays a link.
    target = Path(os.path.realpath(given))
    try:
        _check_place(target, name, force=force)
        _check_inputs(target, name, inputs)
    except OSError as error:
        raise _cannot_write(target, error) from error
    return target


def _check_place(target: Path, name: str, *, force: bool) -> None:
    if not target.parent.is_dir():
        msg = (
            f"{name}: the directory {one_line(target.parent, 300)} does not exist; "
            "make it first"
        )
        raise InvalidInputError(msg)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        msg = f"{name} is a directory; give the name of a file inside it"
        raise InvalidInputError(msg)
    if not stat.S_ISREG(mode):
        msg = f"{name} is a pipe or device; give a file, or - for standard output"
        raise InvalidInputError(msg)
    if not force:
        raise _exists(name)


def _exists(name: str) -> InvalidInputError:
    return InvalidInputError(
        f"{name} exists already; pass `force=True` to replace it or choose another name"
    )


def _check_inputs(target: Path, name: str, inputs: Iterable[FilePath]) -> None:
    for given in inputs:
        whole = os.fspath(given)
        for candidate in dict.fromkeys((whole, whole.partition("::")[0])):
            if _is_same(target, candidate):
                msg = f"{name} is one of the inputs; choose another name for the output"
                raise InvalidInputError(msg)


def _is_same(target: Path, candidate: str) -> bool:
    if os.path.realpath(candidate) == str(target):
        return True
    try:
        return os.path.samefile(target, candidate)
    except (OSError, ValueError):  # one of them does not exist
        return False


def _write_whole(target: Path, data: bytes, *, force: bool) -> None:
    temporary = target.parent / f".scorecast-{secrets.token_hex(8)}.tmp"
    try:
        with open(temporary, "xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if force:
            _keep_mode(temporary, target)
            os.replace(temporary, target)
        else:
            _put_new(temporary, target)
    finally:
        # Also after an interrupt; gone already if all went well.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _keep_mode(temporary: Path, target: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))


def _put_new(temporary: Path, target: Path) -> None:
    """Give the file its name unless another run has just taken that name."""
    try:
        os.link(temporary, target)
    except FileExistsError as error:
        raise _exists(one_line(target, 300)) from error
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if target.exists():
            raise _exists(one_line(target, 300)) from error
        os.replace(temporary, target)


def _cannot_write(target: Path, error: OSError) -> InvalidInputError:
    name = one_line(target, 300)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        reason = "the disk is full; free some space or write elsewhere"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        reason = "no permission to write there; choose another directory"
    elif error.errno == errno.ENAMETOOLONG:
        reason = "the name is too long for a file"
    else:
        reason = f"the system could not write it: {one_line(error.strerror or error)}"
    return InvalidInputError(f"{name}: {reason}")
