"""Files written whole or not at all, and never over an input; JSON that comes back."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import (
    InvalidInputError,
    Location,
    MissingExtraError,
    printable,
)
from scorecast.io.delimited import is_number
from scorecast.io.files import (
    FILE_FORMATS,
    FilePath,
    InputFile,
    check_size,
    ending_of,
    find_file,
    opened,
    unchanged,
)

_ROWS = 256  # of a CSV file written at once
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_MAX_DEPTH = 100  # of JSON
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity', re.DOTALL)
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
    if not given or "\0" in given:
        raise _refusal(given, "this is not a path for an output")
    # A link is followed, so that it stays a link.
    target = Path(os.path.realpath(given))
    try:
        _check_place(target, given, force=force)
        _check_inputs(target, given, inputs)
    except OSError as error:
        raise _cannot_write(target, error) from error
    return target


def _check_place(target: Path, name: str, *, force: bool) -> None:
    if not target.parent.is_dir():
        problem = f"the directory {printable(target.parent, 200)} does not exist"
        raise _refusal(name, problem, remedy="make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        remedy = "give the name of a file inside it"
        raise _refusal(name, "it is a directory", remedy=remedy)
    if not stat.S_ISREG(mode):
        remedy = "give a file, or - for standard output"
        raise _refusal(name, "it is a pipe or device", remedy=remedy)
    if not force:
        raise _exists(name)


def _exists(name: str) -> InvalidInputError:
    return _refusal(
        name,
        "it exists already",
        remedy="choose another name, or have it replaced",
        option="force",
    )


def _check_inputs(target: Path, name: str, inputs: Iterable[FilePath]) -> None:
    for given in inputs:
        whole = os.fspath(given)
        for candidate in dict.fromkeys((whole, whole.partition("::")[0])):
            if _is_same(target, candidate):
                remedy = "choose another name for the output"
                raise _refusal(name, "it is one of the inputs", remedy=remedy)


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
        raise _exists(str(target)) from error
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if target.exists():
            raise _exists(str(target)) from error
        os.replace(temporary, target)


def _cannot_write(target: Path, error: OSError) -> InvalidInputError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        remedy = "free some space or write elsewhere"
        return _refusal(target, "the disk is full", remedy=remedy)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        remedy = "choose another directory"
        return _refusal(target, "there is no permission to write there", remedy=remedy)
    if error.errno == errno.ENAMETOOLONG:
        return _refusal(target, "the name is too long for a file")
    reason = printable(error.strerror or error)
    return _refusal(target, f"the system could not write it: {reason}")


def _refusal(
    target: object, problem: str, remedy: str | None = None, option: str | None = None
) -> InvalidInputError:
    place = Location(file=str(target))
    return InvalidInputError(problem, location=place, remedy=remedy, option=option)


# Tables ----------------------------------------------------------------------------


def write_table(
    path: FilePath,
    columns: Mapping[str, NDArray[Any]],
    *,
    force: bool = False,
    inputs: Iterable[FilePath] = (),
) -> None:
    r"""Write named columns (or, to an ``.npz``, arrays of any shape).

    Numbers are written with as many digits as bring them back.

    Parameters
    ----------
    path : str or path-like
        A name that ends in ``.csv``, ``.npz`` or ``.parquet``.
    columns : mapping of str to ndarray
        Columns of equal length. In a CSV file, text that a spreadsheet would run as a
        formula (``=1+1``, ``@x``) begins with an apostrophe.
    force : bool, default=False
        Whether an existing file may be replaced.
    inputs : iterable of str or path-like, default=()
        Files that must not be replaced even so.

    Raises
    ------
    InvalidInputError
        If the ending is another, or the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.csv"
    >>> write_table(path, {"x": np.array([0.1, 2]), "y": np.array(["a", "b"])})
    >>> path.read_text()
    'x,y\n0.1,a\n2.0,b\n'
    """
    ending = ending_of(Path(path))
    known = FILE_FORMATS.select(is_writable=True)
    if ending not in known:
        problem = "tables are not written to files of this kind"
        raise _refusal(path, problem, remedy=f"name it {', '.join(known)}")
    check_writable(path, force=force, inputs=inputs)
    if ending == ".npz":
        data = _archive(columns)
    elif ending == ".csv":
        data = _delimited(columns)
    else:
        data = _parquet(columns)
    write_bytes(path, data, force=force, inputs=inputs)


def _archive(columns: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **dict(columns))  # type: ignore[arg-type]
    return buffer.getvalue()


def _delimited(columns: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    buffer.write((",".join(map(_cell, columns)) + "\n").encode())
    n = len(next(iter(columns.values()), ()))
    # Some rows at a time: Python's numbers take far more room than an array's.
    for start in range(0, n, _ROWS):
        lists = [_texts(values[start : start + _ROWS]) for values in columns.values()]
        lines = [",".join(row) for row in zip(*lists, strict=True)]
        buffer.write(("\n".join(lines) + "\n").encode())
    return buffer.getvalue()


def _texts(values: NDArray[Any]) -> list[str]:
    plain = values.tolist()
    if values.dtype.kind == "U":
        return [_cell(text) for text in plain]
    return [repr(value) for value in plain]


def _cell(text: str) -> str:
    """Write text so that it stays one cell, which no spreadsheet runs as a formula."""
    if text.startswith(_FORMULAS) and not is_number(text):
        text = f"'{text}"
    if any(mark in text for mark in ',"\n\r'):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _parquet(columns: Mapping[str, NDArray[Any]]) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("writing Parquet", "io") from error
    buffer = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), buffer)
    return buffer.getvalue()


# JSON ------------------------------------------------------------------------------


def read_json(path: FilePath, *, max_bytes: int = 64 * 2**20) -> Any:
    """Read a JSON file.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8.
    max_bytes : int, default=64 MiB
        Largest file accepted.

    Returns
    -------
    object
        Dictionaries, lists, texts, finite numbers, None.

    Raises
    ------
    InvalidInputError
        If the file is missing, too large, nested too deeply, or not JSON; NaN and
        Infinity are not JSON.
    """
    file = find_file(path)
    with unchanged(file), opened(file) as stream:
        check_size(file, stream.seek(0, 2), max_bytes)
        stream.seek(0)
        data = stream.read(max_bytes + 1)
    if not data.strip():
        raise file.refusal("it is empty")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        remedy = "save the file as UTF-8"
        raise file.refusal("this is not UTF-8", line=line, remedy=remedy) from error
    found = _parsed(text, file)
    # Cheap first: few brackets cannot nest deeply.
    if text.count("[") + text.count("{") > _MAX_DEPTH and _is_deep(found):
        raise _too_deep(file)
    return found


def _parsed(text: str, file: InputFile) -> Any:
    def refuse(constant: str) -> NoReturn:
        line, character = _place_of_constant(text)
        problem = f"{constant} is not JSON (at character {character})"
        raise file.refusal(problem, line=line, remedy="write null instead")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise file.refusal(
            f"this is not JSON ({printable(error.msg)}, at character {error.colno})",
            line=error.lineno,
            remedy="repair the file",
        ) from error
    except RecursionError as error:
        raise _too_deep(file) from error
    except InvalidInputError:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise file.refusal(printable(error, 120)) from error


def _place_of_constant(text: str) -> tuple[int, int]:
    """Return line and character of the first NaN or infinity outside of texts."""
    for match in _STRING_OR_CONSTANT.finditer(text):
        if not match[0].startswith('"'):
            line = text.count("\n", 0, match.start()) + 1
            return line, match.start() - text.rfind("\n", 0, match.start())
    return 1, 1


def _is_deep(data: Any) -> bool:
    level = [data]
    for _ in range(_MAX_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _too_deep(file: InputFile) -> InvalidInputError:
    problem = f"it is nested more than {_MAX_DEPTH} levels deep"
    return file.refusal(problem, remedy="flatten it")
