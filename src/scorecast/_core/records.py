"""What is done already, in a file, so that a long run can go on."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scorecast._version import __version__
from scorecast.exceptions import DataWarning, InvalidInputError

__all__ = ["Record"]


class Record:
    """A file to which everything finished is appended, one line each.

    Parameters
    ----------
    path : str or path-like
        The file; made if it does not exist.
    run : str
        Fingerprint of the run; the file of another one is refused.

    Attributes
    ----------
    n_torn : int
        Lines that were cut off or garbled, and are done again.
    """

    def __init__(self, path: str | os.PathLike[str], run: str) -> None:
        self.path = os.fspath(path)
        self.n_torn = 0
        self._done: dict[tuple[str, int], Any] = {}
        if os.path.exists(self.path):
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
            with open(path, encoding="utf-8", errors="replace") as file:
                run = str(_row(file.readline()).get("run", run))
        return cls(path, run)

    def __len__(self) -> int:
        return len(self._done)

    def finished(self, part: str, number: int) -> Any:
        """Return what was noted of one task of a part; None if it is to be done."""
        return self._done.get((part, number))

    def count(self, part: str) -> int:
        """Return how many tasks of a part are finished."""
        return sum(name == part for name, _ in self._done)

    def add(self, part: str, number: int, value: Any) -> None:
        """Append what came of one task."""
        self._append({"part": part, "number": number, "value": value})

    def _append(self, row: Mapping[str, Any]) -> None:
        line = (json.dumps(row, default=_plain) + "\n").encode()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        try:
            target = os.open(self.path, flags, 0o644)
            try:
                # One call per line: workers do not cut into one another.
                os.write(target, line)
            finally:
                os.close(target)
        except OSError as error:
            msg = f"{self.path}: the checkpoint cannot be written ({error.strerror})"
            raise InvalidInputError(msg) from error

    def _load(self, run: str) -> None:
        with open(self.path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
        head = _row(lines[0])
        if "run" not in head:
            msg = f"{self.path}: not a checkpoint of scorecast, or a damaged one"
            raise InvalidInputError(msg)
        if head["run"] != run:
            msg = (
                f"{self.path}: the checkpoint of another run (data, models, sampling, "
                "options, seed or version differ); remove it or name another file"
            )
            raise InvalidInputError(msg)
        self._keep([line for line in lines[1:] if line])
        if lines[-1]:
            # The run was stopped while writing: what follows needs a new line.
            with open(self.path, "a", encoding="utf-8") as file:
                file.write("\n")

    def _keep(self, lines: Sequence[str]) -> None:
        for line in lines:
            row = _row(line)
            if {"part", "number", "value"} <= set(row):
                self._done[row["part"], int(row["number"])] = row["value"]
            else:
                self.n_torn += 1
        if self.n_torn:
            lines_said = "line was" if self.n_torn == 1 else "lines were"
            msg = (
                f"{self.path}: {self.n_torn} {lines_said} cut off or garbled; what "
                "stood there is done again"
            )
            warnings.warn(msg, DataWarning, stacklevel=5)


def _row(line: str) -> dict[str, Any]:
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
