"""What is done already, in a file, so that a long run can go on.

One JSON object per line, each with a checksum of itself and of the line before: a line
that was altered, taken out, put in or moved is found, and so is a hole in the middle.
Only the end may be missing, as after a run that was stopped; that much is done again.
One process at a time writes to a file; another one is told so. Where the system has no
such locks (Windows), nobody is.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import IO, Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np

from scorecast._version import __version__
from scorecast.exceptions import (
    CheckpointError,
    DataWarning,
    Location,
    printable,
)

__all__ = ["FileLock", "Record"]

_LINE = re.compile(rb'(\{.*), "check": "([0-9a-f]{16})"\}', re.DOTALL)
_TAIL = len('0123456789abcdef"}\n')


class FileLock:
    """A checkpoint that this process alone may write to, while anybody holds this.

    Parameters
    ----------
    name : str
        The file, links followed.
    """

    held: ClassVar[WeakValueDictionary[str, FileLock]] = WeakValueDictionary()

    def __init__(self, name: str) -> None:
        self.name = name
        self._file: IO[bytes] | None = None

    @classmethod
    def of(cls, path: str) -> FileLock:
        """Lock a file, made if it does not exist; once for all of this process.

        Raises
        ------
        CheckpointError
            If another process holds it, or it cannot be written.
        """
        name = os.path.realpath(path)
        lock = cls.held.get(name) or cls(name)
        if lock._file is None and sys.platform != "win32":
            try:
                lock._file = _locked(name)
            except BlockingIOError as error:
                msg = (
                    f"{path}: another run is writing to this checkpoint; wait for its "
                    "end or name another file"
                )
                raise CheckpointError(msg) from error
            except OSError as error:
                raise unwritable(path, error) from error
            cls.held[name] = lock
        return lock

    def replace(self, data: bytes) -> None:
        """Put other contents in the file's place, whole or not at all, and locked.

        Its name is fixed, so that what a killed process left is written over.
        """
        part = f"{self.name}.part"
        file = open(part, "wb")  # noqa: SIM115 - closed with the lock
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            with contextlib.suppress(FileNotFoundError):
                os.chmod(part, os.stat(self.name).st_mode & 0o7777)
            if sys.platform == "win32":
                file.close()
            else:
                _lock(file)  # before it has the name by which others find it
            os.replace(part, self.name)
        except BaseException:
            with contextlib.suppress(OSError):  # what is left to write, for instance
                file.close()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part)
            raise
        before, self._file = self._file, None if file.closed else file
        if before is not None:
            before.close()

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


def _locked(name: str) -> IO[bytes]:
    """Open and lock the file that has this name once it is locked."""
    while True:
        file = open(name, "ab")  # noqa: SIM115 - closed with the lock
        try:
            _lock(file)
            if os.path.samestat(os.fstat(file.fileno()), os.stat(name)):
                return file
        except FileNotFoundError:
            pass
        except BaseException:
            file.close()
            raise
        file.close()  # another process has just put another file in its place


def _lock(file: IO[bytes]) -> None:
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def unwritable(path: str, error: OSError) -> CheckpointError:
    """Return an error that says why a checkpoint is not written, and what is kept."""
    reason = printable(error.strerror or error)
    return CheckpointError(
        f"the checkpoint cannot be written ({reason[:1].lower()}{reason[1:]})",
        location=Location(file=path),
        remedy="free some space or name another file; what was written before is "
        "kept, and the same command goes on from there",
    )


class Record:
    """A file to which everything finished is appended, one line each.

    By one process only: workers give their results back, and do not write.

    Parameters
    ----------
    path : str or path-like
        The file; begun if it does not exist or is empty.
    run : str
        Fingerprint of the run; the file of another one is refused.
    """

    def __init__(self, path: str | os.PathLike[str], run: str) -> None:
        self.path = os.fspath(path)
        self._done: dict[tuple[str, int], Any] = {}
        self._lock = FileLock.of(self.path)
        if os.path.exists(self.path) and os.path.getsize(self.path):
            self._load(run)
        else:
            self._append({"scorecast": __version__, "run": run})

    @classmethod
    def shared(cls, path: str | os.PathLike[str]) -> Record:
        """Go on with a file whichever run it is of; names of parts tell them apart.

        Parameters
        ----------
        path : str or path-like
            The file; made if it does not exist.

        Returns
        -------
        Record
            For parts whose names hold their own fingerprint.
        """
        run = "parts"
        if os.path.exists(path):
            with open(path, "rb") as file:
                run = str(_row(file.readline()).get("run", run))
        return cls(path, run)

    def __len__(self) -> int:
        return len(self._done)

    def finished(
        self, part: str, number: int, decode: Callable[[Any], Any] = lambda value: value
    ) -> Any:
        """Return what was noted of one task of a part; None if it is to be done."""
        value = self._done.get((part, number))
        if value is None:
            return None
        try:
            return decode(value)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            msg = f"{self.path}: what it notes of {part} {number + 1} cannot be read"
            raise CheckpointError(f"{msg}; remove it to start anew") from None

    def count(self, part: str) -> int:
        """Return how many tasks of a part are finished."""
        return sum(name == part for name, _ in self._done)

    def add(self, part: str, number: int, value: Any) -> None:
        """Append what came of one task."""
        self._append({"part": part, "number": number, "value": value})

    def _append(self, row: Mapping[str, Any]) -> None:
        body = json.dumps(row, default=_plain)[:-1].encode()
        try:
            with open(self.path, "a+b", buffering=0) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _TAIL))
                # Another record of the same file may have written since.
                check = _check(file.read()[:16], body)
                line = memoryview(body + b', "check": "' + check + b'"}\n')
                try:
                    while line:
                        line = line[file.write(line) :]
                except OSError:
                    os.truncate(self.path, size)  # half a line is of no use
                    raise
        except OSError as error:
            raise unwritable(self.path, error) from error

    def _load(self, run: str) -> None:
        try:
            with open(self.path, "rb") as file:
                lines = file.read().split(b"\n")
        except OSError as error:
            msg = f"{self.path}: the checkpoint cannot be read ({error.strerror})"
            raise CheckpointError(msg) from error
        head = _row(lines[0])
        if "run" not in head or "scorecast" not in head:
            msg = (
                f"{self.path}: not a checkpoint of scorecast, or a damaged one; remove "
                "it or name another file"
            )
            raise CheckpointError(msg)
        if head["run"] != run:
            msg = (
                f"{self.path}: the checkpoint of another run (data, models, sampling, "
                "options, seed or version differ); remove it or name another file"
            )
            raise CheckpointError(msg)
        last, size = b"", 0
        for number, line in enumerate(lines, start=1):
            if not line and number == len(lines):
                return
            found = _LINE.fullmatch(line)
            if found is None or _check(last, found[1]) != found[2]:
                if number == len(lines) > 1:
                    self._cut(size)
                    return
                msg = (
                    f"{self.path}, line {number}: damaged or edited, so nothing in "
                    "this checkpoint can be believed; remove it to start anew"
                )
                raise CheckpointError(msg)
            last, size = found[2], size + len(line) + 1
            if number > 1:
                self._note(_row(line), number)
        with open(self.path, "ab") as file:
            file.write(b"\n")  # all but the end of the last line was written

    def _note(self, row: Mapping[str, Any], line: int) -> None:
        part, number = row.get("part"), row.get("number")
        if not isinstance(part, str) or type(number) is not int or "value" not in row:
            msg = f"{self.path}, line {line}: it notes nothing; remove it to start anew"
            raise CheckpointError(msg)
        self._done[part, number] = row["value"]

    def _cut(self, size: int) -> None:
        """Take away a line that was being written when the run was stopped."""
        os.truncate(self.path, size)
        msg = f"{self.path}: the last line was cut off; what stood there is done again"
        warnings.warn(msg, DataWarning, stacklevel=5)


def _check(last: bytes, body: bytes) -> bytes:
    return hashlib.sha256(last + body).hexdigest()[:16].encode()


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    msg = f"cannot note {type(value).__name__}"
    raise TypeError(msg)
