"""Long pieces of work that are done once and noted in the file of the run."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable
from typing import Any

from scorecast._core.identity import identity_of
from scorecast._core.records import Record
from scorecast._core.types import Json
from scorecast._version import __version__
from scorecast.exceptions import DataWarning

__all__ = ["noted"]


def noted(
    checkpoint: str | os.PathLike[str] | None,
    part: str,
    asked: Any,
    work: Callable[[], Json],
) -> Json:
    """Return what the file says came of some work, or do it and append that.

    Parameters
    ----------
    checkpoint : str or path-like or None
        The file; None does the work.
    part : str
        Name of the work.
    asked : object
        Everything that decides what comes of it. What was noted of anything else is
        left alone, and never taken for it.
    work : callable
        Gives what JSON can hold.

    Returns
    -------
    dict
        What came of it.

    Warns
    -----
    DataWarning
        Whatever the work warned of, now or when it was done.
    """
    if checkpoint is None:
        return work()
    record = Record.shared(checkpoint)
    own = hashlib.sha256(identity_of((__version__, asked)).encode()).hexdigest()
    name = f"{part} {own}"
    found = record.finished(name, 0)
    if found is None:
        value, lines = _listened(work)
        found = {"value": value, "warnings": lines}
        record.add(name, 0, found)
    for line in found["warnings"]:
        warnings.warn(line, DataWarning, stacklevel=3)
    return found["value"]  # type: ignore[no-any-return]


def _listened(work: Callable[[], Json]) -> tuple[Json, list[str]]:
    """Do the work and gather what it warned of, to be said again from the file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        value = work()
    lines = [str(w.message) for w in caught if issubclass(w.category, DataWarning)]
    for one in caught:
        if not issubclass(one.category, DataWarning):
            warnings.warn_explicit(
                str(one.message), one.category, one.filename, one.lineno
            )
    return value, list(dict.fromkeys(lines))
