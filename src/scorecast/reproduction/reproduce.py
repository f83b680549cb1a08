"""`reproduce`: do entries, and hold what they find against what was published."""

from __future__ import annotations

import hashlib
import math
import numbers
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from scorecast._core.checks import check_times
from scorecast._core.codec import decode, encode
from scorecast._core.keywords import checked_keywords
from scorecast._core.near_names import near_name
from scorecast._core.parallel import Run
from scorecast._core.progress import stage, stages, without_first_figures
from scorecast._core.records import Record
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import RandomState
from scorecast._version import __version__
from scorecast.exceptions import (
    InsufficientDataError,
    UsageError,
    listed,
)
from scorecast.reproduction.entry import (
    ENTRIES,
    PAPERS,
    Entry,
    Found,
    Measured,
    PublishedNumber,
    Work,
    published_numbers,
)
from scorecast.reproduction.result import (
    Catalogue,
    CatalogueRow,
    ReproducedEntry,
    ReproducedNumber,
    Reproduction,
    verdict_of,
)

_FOLDER = "SCORECAST_DATA"
_EVERYTHING = "all"
_WORDS = ("cli", "report")  # rooms that no number comes from
_KEPT_APART = re.compile(r"[,\s]+")


def catalogue(*, data: str | os.PathLike[str] | None = None) -> Catalogue:
    """List what can be reproduced, and whether it is at hand.

    Parameters
    ----------
    data : str or path-like, optional
        Folder of data that may not be shipped; by default what the environment
        variable ``SCORECAST_DATA`` names.

    Returns
    -------
    Catalogue
        A row for every table, figure or number of the papers.

    Examples
    --------
    >>> from scorecast.reproduction import catalogue
    >>> next(row.title for row in catalogue().rows if row.name == "003-fn-4")
    'test cases for an interval of width .1'
    """
    folder = _check_folder(data)
    rows = [
        CatalogueRow(
            name=entry.name,
            title=entry.title,
            paper=entry.paper,
            source=entry.source,
            files=entry.files,
            lacking=entry.lacking(folder),
            seconds=entry.seconds,
            full_minutes=entry.full_minutes,
            reason=entry.reason,
        )
        for entry in ENTRIES.values()
    ]
    return Catalogue(folder=folder, rows=tuple(rows))


@checked_keywords
def reproduce(
    entries: str | Iterable[str] = _EVERYTHING,
    *,
    full: bool = False,
    data: str | os.PathLike[str] | None = None,
    n_repeats: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Reproduction:
    """Compute published numbers again, and say which come out.

    Every number stands beside the one that was measured. Where print is known to be
    wrong the corrected value stands there too, and is what is compared with. The
    verdict is *same* up to the tolerance of the number (the last digit of print, or
    what the calculation guarantees), *within error* up to three combined standard
    errors more, else *differs*; *not comparable* where nothing is printed or the data
    are others.

    Parameters
    ----------
    entries : str or iterable of str, default="all"
        Names of entries such as ``"001-table-1"``, numbers of papers such as ``"003"``,
        or ``"all"``; `scorecast.reproduction.catalogue` lists them.
    full : bool, default=False
        Whether simulations have the size of the papers, which may take hours.
    data : str or path-like, optional
        Folder of data that may not be shipped; by default what the environment
        variable ``SCORECAST_DATA`` names. Entries of a paper, or of all, that lack
        their data are told as such.
    n_repeats : int, optional
        Repeats of every simulation, instead of those of its size.
    random_state : int, Generator or None, default=0
        Seed; every entry has streams of its own, whichever others are done.
    n_jobs : int, optional
        Number of workers; -1 for all cores.
    checkpoint : str or path-like, optional
        File to which finished work is appended; the same call goes on from it.

    Returns
    -------
    Reproduction
        A row for every number, and the figures redrawn.

    Raises
    ------
    UsageError
        If there is no such entry.
    InsufficientDataError
        If an entry that was asked for by name cannot be done here.
    InvalidInputError
        If a file of data is not what it should be.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. R. Sewell (2024). Assessment of the quality of a
    prediction. R. Henriques and S. C. Madeira (2015). Towards robust performance
    guarantees for models learned from high-dimensional data. C. Zheng (2017).
    Information, prediction, and supervised learning.

    Examples
    --------
    >>> import scorecast as sc
    >>> found = sc.reproduce("001-sec-2.4")
    >>> number = found.entries[0].numbers[0]
    >>> number.published, number.corrected, round(number.measured, 7)
    (0.5946, 0.5022887, 0.5022887)
    >>> number.verdict.value
    'same'
    """
    folder = _check_folder(data)
    if n_repeats is not None:
        check_times(n_repeats, "n_repeats", least=2)
    chosen, named = _chosen(entries)
    for entry in chosen:
        if entry.name in named:
            _refuse_absent(entry, folder)
    seed = seed_number(random_state)
    if seed is None or not isinstance(random_state, numbers.Integral):
        seed = int(as_generator(random_state).integers(2**32))
    record = None if checkpoint is None else Record.shared(checkpoint)
    run = Run(n_jobs=n_jobs, record=record)
    done: dict[str, ReproducedEntry] = {}
    waiting = [e for e in chosen if not (e.reason or e.lacking(folder))]
    weights = {e.name: 60 * e.full_minutes if full else e.seconds for e in waiting}
    with stages(weights, in_seconds=True), without_first_figures():
        for entry in waiting:
            work = Work(
                name=entry.name,
                seed=seed,
                is_full=full,
                n_repeats=n_repeats,
                folder=folder,
                run=run,
                part=_part(entry, seed, full, n_repeats, folder),
            )
            with stage(entry.name):
                done[entry.name] = judged(entry, _found(entry, work))
    absent = {e.name: _absent(e, folder) for e in chosen if e.name not in done}
    return Reproduction(
        is_full=full,
        n_repeats=n_repeats,
        random_state=seed_number(random_state),
        entries=tuple({**done, **absent}[entry.name] for entry in chosen),
    )


def judged(entry: Entry, found: Found) -> ReproducedEntry:
    """Hold what was found against what was published, number by number."""
    known = {number.cell: number for number in published_numbers().get(entry.name, ())}
    unknown = [cell for cell in found.numbers if cell not in known]
    if unknown:
        msg = f"{entry.name} found {unknown[0]!r}, of which nothing is published"
        raise KeyError(msg)
    rows = [
        _judged_number(number, found.numbers.get(cell, Measured(value=None)))
        for cell, number in known.items()
    ]
    return ReproducedEntry(
        name=entry.name,
        title=entry.title,
        summary=entry.summary,
        paper=entry.paper,
        numbers=tuple(rows),
        pictures=found.pictures,
    )


def _judged_number(number: PublishedNumber, measured: Measured) -> ReproducedNumber:
    target = number.published if number.corrected is None else number.corrected
    error = math.hypot(number.error or 0.0, measured.error or 0.0)
    return ReproducedNumber(
        cell=number.cell,
        where=number.where,
        published=number.published,
        is_formula=number.is_formula,
        published_error=number.error,
        corrected=number.corrected,
        measured=measured.value,
        measured_error=measured.error,
        tolerance=number.tolerance,
        is_claim=number.is_claim,
        verdict=verdict_of(
            target,
            measured.value,
            tolerance=number.tolerance,
            error=error,
            is_comparable=number.is_comparable,
        ),
        why=number.why,
    )


def _found(entry: Entry, work: Work) -> Found:
    """Do an entry, or take what the checkpoint has of it."""
    record = work.run.record
    known = None if record is None else record.finished(work.part, 0)
    if known is not None:
        found: Found = decode(known, Found)
        return found
    if entry.compute is None:  # those that cannot be done were left out above
        raise AssertionError(entry.name)
    found = entry.compute(work)
    if record is not None:
        record.add(work.part, 0, encode(found))
    return found


def _part(
    entry: Entry, seed: int, full: bool, n_repeats: int | None, folder: str | None
) -> str:
    """Name an entry in the checkpoint, by all that its numbers depend on.

    By the content of code and data: a size or a version stays when numbers change.
    """
    parts = [entry.name, __version__, f"seed {seed}", "full" if full else "quick"]
    if n_repeats is not None:
        parts.append(f"{n_repeats} repeats")
    parts.append(f"code {_code()}")
    for file in entry.files:
        content = _content(os.path.join(folder or "", file))
        parts.append(f"{file} {content}")
    return ", ".join(parts)


def _content(path: str) -> str:
    """Return a short digest of what a file holds."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


@cache
def _code() -> str:
    """Return a short digest of all code that numbers come from.

    What is measured passes through the whole library; only what words are made of, and
    what is typed, changes none.
    """
    digest = hashlib.sha256()
    for name, content in sorted(_sources(files("scorecast"))):
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _sources(folder: Traversable, above: str = "") -> Iterator[tuple[str, bytes]]:
    """Go through the modules of a package, and of those within."""
    for one in folder.iterdir():
        name = f"{above}{one.name}"
        if one.is_dir() and name not in _WORDS:
            yield from _sources(one, f"{name}/")
        elif name.endswith(".py"):
            yield name, one.read_bytes()


def _absent(entry: Entry, folder: str | None) -> ReproducedEntry:
    return ReproducedEntry(
        name=entry.name,
        title=entry.title,
        summary=entry.summary,
        paper=entry.paper,
        reason=entry.reason or _lacks(entry, folder),
    )


def _lacks(entry: Entry, folder: str | None) -> str:
    lacking = entry.lacking(folder)
    return f"needs {listed(lacking)}, which may not be shipped" if lacking else ""


def _refuse_absent(entry: Entry, folder: str | None) -> None:
    """Refuse what was asked for by name and cannot be done."""
    if entry.reason:
        raise InsufficientDataError(f"{entry.name} cannot be done: {entry.reason}")
    lacking = entry.lacking(folder)
    if lacking:
        put = f"put it into {folder}, or name another folder"
        name = f"name the folder that has it, here or by {_FOLDER}"
        raise InsufficientDataError(
            f"{entry.name} {_lacks(entry, folder)}",
            remedy=put if folder else name,
            option="data",
        )


def _chosen(entries: str | Iterable[str]) -> tuple[list[Entry], set[str]]:
    """Return the entries that were asked for, and which of them by their own name."""
    words = _words(entries)
    if not words:
        problem = "names nothing"
        remedy = f"name entries, papers ({', '.join(PAPERS)}) or '{_EVERYTHING}'"
        raise UsageError(problem, parameter="entries", remedy=remedy)
    by_alias = {alias: e.name for e in ENTRIES.values() for alias in e.aliases}
    wanted: set[str] = set()
    for word in words:
        if word == _EVERYTHING:
            wanted.update(ENTRIES)
        elif word in PAPERS:
            wanted.update(name for name, e in ENTRIES.items() if e.paper == word)
        elif word in ENTRIES or word in by_alias:
            wanted.add(by_alias.get(word, word))
        else:
            near = near_name(word, [*ENTRIES, *by_alias, *PAPERS, _EVERYTHING])
            raise UsageError(
                f"there is no entry {word!r}",
                parameter="entries",
                remedy=f"try {near!r}" if near else "list them: scorecast reproduce",
            )
    named = {by_alias.get(word, word) for word in words}
    return [e for name, e in ENTRIES.items() if name in wanted], wanted & named


def _words(entries: str | Iterable[str]) -> Sequence[str]:
    every = [entries] if isinstance(entries, str) else list(entries)
    words = [word for text in every for word in _KEPT_APART.split(str(text)) if word]
    return list(dict.fromkeys(words))


def _check_folder(data: str | os.PathLike[str] | None) -> str | None:
    """Return the folder of data; one that was named must be there."""
    named = os.fspath(data) if data is not None else os.environ.get(_FOLDER)
    if not named:
        return None
    if not os.path.isdir(named):
        problem = f"there is no folder {named!r}"
        remedy = None if data is not None else f"{_FOLDER} names it"
        raise UsageError(problem, parameter="data", remedy=remedy)
    return named
