"""Entries: one small function each, registered with what is known of it.

A function takes a `Work` (how large, with which randomness, from which folder) and
returns what it `Found`: numbers by the cells of ``published.json``, and figures::

    @reproduces("001-sec-2.4", "accuracy of four labels", ...)
    def four_labels(work: Work) -> Found:
        ...
        return Found(numbers={"accuracy": Measured(0.5022887)})
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import numpy as np

from scorecast._core.parallel import Run
from scorecast._core.registry import Method, Registry
from scorecast.exceptions import InvalidInputError, Location
from scorecast.reproduction.result import DataSource, Picture

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Paper(Method):
    """A paper whose numbers are reproduced."""


PAPERS: Registry[Paper] = Registry()
for _name, _title, _summary, _reference in (
    (
        "001",
        "Extrapolating expected accuracies for large multi-class problems",
        "accuracy with more classes: simulation, faces, Telugu characters",
        "C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected "
        "accuracies for large multi-class problems. Journal of Machine Learning "
        "Research 19.",
    ),
    (
        "004",
        "Extrapolating expected accuracies for recognition tasks",
        "the draft of 2017, with splines and risks",
        "C. Zheng, R. Achanta and Y. Benjamini (2017). Extrapolating expected "
        "accuracies for recognition tasks. Draft.",
    ),
    (
        "000",
        "Information, prediction, and supervised learning",
        "risk by ranks, bounds of information, identification of stimuli",
        "C. Zheng (2017). Information, prediction, and supervised learning. Thesis, "
        "Stanford University.",
    ),
    (
        "002",
        "Assessment of the quality of a prediction",
        "apparent information and its posterior",
        "R. Sewell (2024). Assessment of the quality of a prediction.",
    ),
    (
        "003",
        "Towards robust performance guarantees for models learned from "
        "high-dimensional data",
        "bounds, null settings and generated data where features outnumber samples",
        "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees "
        "for models learned from high-dimensional data. In: Big Data in Complex "
        "Systems.",
    ),
):
    PAPERS.add(Paper(name=_name, title=_title, summary=_summary, reference=_reference))


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A number, and its standard error if it is from a simulation.

    Attributes
    ----------
    value : float or None
        The number; None where it could not be measured.
    error : float or None
        Its standard error.
    """

    value: float | None
    error: float | None = None


@dataclass(frozen=True, kw_only=True)
class Found:
    """What the function of an entry returns.

    Attributes
    ----------
    numbers : mapping of str to Measured
        By cell.
    pictures : tuple of Picture
        Figures.
    """

    numbers: dict[str, Measured] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Work:
    """How an entry is to be done.

    Attributes
    ----------
    name : str
        The entry.
    seed : int
        Seed of all entries; each has streams of its own, whichever others are done.
    is_full : bool
        Whether at the size of the paper.
    n_repeats : int or None
        Repeats that the caller asked for.
    folder : str or None
        Where data are that may not be shipped.
    run : Run
        Workers and checkpoint.
    part : str
        What the checkpoint calls this entry.
    """

    name: str
    seed: int
    is_full: bool = False
    n_repeats: int | None = None
    folder: str | None = None
    run: Run = field(default_factory=Run)
    part: str = ""

    def rng(self, what: str = "") -> np.random.Generator:
        """Return a stream of this entry, another one for every purpose."""
        words = zlib.crc32(f"{self.name} {what}".encode())
        return np.random.default_rng([self.seed, words])

    def size(self, quick: int, full: int) -> int:
        """Choose between the size of a quick look and that of the paper."""
        return full if self.is_full else quick

    def repeats(self, quick: int, full: int) -> int:
        """Choose the repeats of a simulation; the caller's word comes first."""
        return self.n_repeats or self.size(quick, full)

    def map(
        self,
        function: Callable[[T, np.random.Generator], R],
        tasks: Sequence[T],
        *,
        what: str,
        sizes: Sequence[float] | None = None,
    ) -> list[R]:
        """Apply a function to tasks by workers; finished ones are kept.

        Parameters
        ----------
        function : callable
            Called as ``function(task, rng)``; returns what JSON can hold.
        tasks : sequence
            The tasks.
        what : str
            Words for the progress line, different for every call of an entry.
        sizes : sequence of float, optional
            What the seconds of a task grow with.

        Returns
        -------
        list
            Results in the order of the tasks.
        """
        return self.run.map(
            function,
            tasks,
            part=f"{self.part} {what}",
            rng=self.rng(what),
            what=what,
            sizes=sizes,
        )

    def path(self, file: str) -> str:
        """Return where a file of the folder is."""
        return os.path.join(self.folder or "", file)

    def arrays(self, file: str, names: Sequence[str]) -> dict[str, Any]:
        """Read arrays of an .npz file of the folder.

        Parameters
        ----------
        file : str
            Its name.
        names : sequence of str
            Arrays that must be in it.

        Returns
        -------
        dict of str to ndarray
            The arrays.

        Raises
        ------
        InvalidInputError
            If it is no such file, or lacks an array.
        """
        path = self.path(file)
        place = Location(file=path)
        try:
            with np.load(path, allow_pickle=False) as archive:
                found = {name: archive[name] for name in names if name in archive}
        except (OSError, ValueError, EOFError, AttributeError, TypeError) as error:
            problem = "cannot be read as the arrays of an .npz file"
            raise InvalidInputError(problem, location=place) from error
        for name in names:
            if name not in found:
                problem = f"holds no array {name!r}, which {self.name} needs"
                raise InvalidInputError(problem, location=place)
        return found


@dataclass(frozen=True, kw_only=True)
class Entry(Method):
    """A table, a figure or a number of a paper.

    Attributes
    ----------
    compute : callable or None
        Finds its numbers; None where it cannot be done.
    files : tuple of str
        Files of the folder that it needs.
    seconds : float
        How long it takes, on two cores.
    full_minutes : float
        How long at the size of the paper; as quick where there is no other size.
    reason : str
        Why it cannot be done, if it cannot.
    """

    compute: Callable[[Work], Found] | None = None
    files: tuple[str, ...] = ()
    seconds: float = 1.0
    full_minutes: float = 0.1
    reason: str = ""

    @property
    def paper(self) -> str:
        """Number of its paper."""
        return self.name.partition("-")[0]

    @property
    def source(self) -> DataSource:
        """Where its data come from."""
        if self.compute is None:
            return DataSource.NOWHERE
        return DataSource.FOLDER if self.files else DataSource.SIMULATION

    def lacking(self, folder: str | None) -> tuple[str, ...]:
        """Return the files that it needs and that are not in the folder."""
        if folder is None:
            return self.files
        return tuple(
            file
            for file in self.files
            if not os.path.isfile(os.path.join(folder, file))
        )


ENTRIES: Registry[Entry] = Registry()


def reproduces(
    name: str, title: str, summary: str, **facts: Any
) -> Callable[[Callable[[Work], Found]], Callable[[Work], Found]]:
    """Register a function as an entry.

    Parameters
    ----------
    name, title, summary : str
        The entry, what it is, and what it computes.
    **facts : object
        Further fields of `Entry`.

    Returns
    -------
    callable
        Leaves the function as it is.
    """

    def register(compute: Callable[[Work], Found]) -> Callable[[Work], Found]:
        _add(name, title, summary, compute=compute, **facts)
        return compute

    return register


def cannot_be_had(name: str, title: str, summary: str, reason: str) -> None:
    """Register an entry that cannot be done, with the reason."""
    _add(name, title, summary, reason=reason)


def _add(name: str, title: str, summary: str, **facts: Any) -> None:
    paper = PAPERS[name.partition("-")[0]]
    facts.setdefault("full_minutes", facts.get("seconds", 1.0) / 60)
    ENTRIES.add(
        Entry(
            name=name,
            title=title,
            summary=summary,
            reference=paper.reference,
            **facts,
        )
    )


@dataclass(frozen=True, kw_only=True)
class PublishedNumber:
    """A number of a paper, as ``published.json`` has it.

    Attributes
    ----------
    cell, where : str
        Which number of the entry, and the table, figure or section it was read from.
    published, error : float or None
        As printed, and its standard error.
    is_formula : bool
        Whether a formula is printed, and not its value.
    corrected : float or None
        What is right where print is wrong or silent.
    tolerance : float
        Up to which difference two numbers are the same.
    is_claim : bool
        Whether it is a statement: 1 where it is said to hold.
    is_comparable : bool
        Whether what is measured is of the same thing.
    is_lacking : bool
        Whether the data that it is of are not to be had: nobody can measure it.
    why : str
        Explains a correction, a difference, or why nothing can be compared.
    """

    cell: str
    where: str
    published: float | None = None
    error: float | None = None
    is_formula: bool = False
    corrected: float | None = None
    tolerance: float
    is_claim: bool = False
    is_comparable: bool = True
    is_lacking: bool = False
    why: str = ""


@cache
def published_numbers() -> Mapping[str, tuple[PublishedNumber, ...]]:
    """Read the numbers of all papers, by entry.

    Returns
    -------
    mapping of str to tuple of PublishedNumber
        Fields of a whole entry hold for each of its numbers that has no other.
    """
    text = (files("scorecast.reproduction") / "published.json").read_text("utf-8")
    found = {}
    for name, entry in json.loads(text).items():
        usual = {key: value for key, value in entry.items() if key != "numbers"}
        found[name] = tuple(
            PublishedNumber(**_floats({**usual, **number}))
            for number in entry["numbers"]
        )
    return found


def _floats(facts: dict[str, Any]) -> dict[str, Any]:
    """Read words for what JSON has no number for."""
    return {
        key: float(value)
        if key in ("published", "corrected") and value is not None
        else value
        for key, value in facts.items()
    }
