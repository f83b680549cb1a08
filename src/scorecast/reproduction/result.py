"""What a reproduction found: a row per published number, and the figures redrawn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from scorecast._core.result import INPUT, OPTION, Result


class Verdict(StrEnum):
    """How a number that was measured stands to the one that was published."""

    SAME = "same"
    WITHIN_ERROR = "within error"
    DIFFERS = "differs"
    NOT_COMPARABLE = "not comparable"


class DataSource(StrEnum):
    """Where the data of an entry come from."""

    SIMULATION = "none needed"
    FOLDER = "your folder"
    NOWHERE = "not to be had"


class LineStyle(StrEnum):
    """How numbers are drawn."""

    LINE = "line"
    POINTS = "points"
    STEPS = "steps"


@dataclass(frozen=True, kw_only=True)
class Line:
    """Numbers of one name in a panel.

    Attributes
    ----------
    name : str
        What they are of; lines of one name in several panels look the same.
    x, y : tuple of float
        Where, and how high.
    low, high : tuple of float
        Ends of their intervals, if they have any.
    style : LineStyle
        How they are drawn.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    style: LineStyle = LineStyle.LINE


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A part of a figure.

    Attributes
    ----------
    title : str
        What sets it apart from the others; empty if it is alone.
    lines : tuple of Line
        What is drawn.
    """

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A figure of a paper, drawn from what was measured and from nothing else.

    Attributes
    ----------
    title : str
        What it shows.
    xlabel, ylabel : str
        What the axes are.
    panels : tuple of Panel
        Its parts, with the same axes.
    ticks : tuple of str
        Names of the places 0, 1, 2 ... on the axis across, where it counts things.
    is_log : bool
        Whether the axis across is logarithmic.
    begins_with_name : bool
        Whether the title keeps its capital within a sentence.
    """

    title: str
    xlabel: str
    ylabel: str
    panels: tuple[Panel, ...]
    ticks: tuple[str, ...] = ()
    is_log: bool = False
    begins_with_name: bool = False


@dataclass(frozen=True, kw_only=True)
class ReproducedNumber:
    """One published number beside what was measured.

    Attributes
    ----------
    cell : str
        Which number of the entry.
    where : str
        Table, figure or section that it was read from.
    published : float or None
        As printed, or as the printed formula gives it; None where nothing is.
    is_formula : bool
        Whether no number is printed, but a formula that gives it.
    published_error : float or None
        Its standard error, where the paper has one.
    corrected : float or None
        What is right where print is wrong or silent, from an independent calculation.
    measured : float or None
        What scorecast finds; None where it was not measured.
    measured_error : float or None
        Its standard error, where it is from a simulation.
    tolerance : float
        Up to which difference two numbers are the same: the last digit of print, or
        what the calculation guarantees.
    is_claim : bool
        Whether it is a statement of the text: 1 if it holds, 0 if not.
    verdict : Verdict
        How they stand to one another.
    why : str
        What explains a correction, a difference, or that nothing can be compared.
    """

    cell: str
    where: str
    published: float | None
    is_formula: bool
    published_error: float | None
    corrected: float | None
    measured: float | None
    measured_error: float | None
    tolerance: float
    is_claim: bool
    verdict: Verdict
    why: str

    @property
    def target(self) -> float | None:
        """What is compared with: the correction, else what was published."""
        return self.published if self.corrected is None else self.corrected

    @property
    def is_misprint(self) -> bool:
        """Whether what is printed is not what is right."""
        if self.corrected is None or self.published is None:
            return False
        return abs(self.corrected - self.published) > self.tolerance


@dataclass(frozen=True, kw_only=True)
class ReproducedEntry:
    """What came of one entry.

    Attributes
    ----------
    name, title, summary, paper : str
        The entry, what it is, what it computes, and the number of its paper.
    numbers : tuple of ReproducedNumber
        One for each number of the paper.
    pictures : tuple of Picture
        Its figures.
    reason : str
        Why it was not done; empty if it was.
    """

    name: str
    title: str
    summary: str
    paper: str
    numbers: tuple[ReproducedNumber, ...] = ()
    pictures: tuple[Picture, ...] = ()
    reason: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it was at hand and done."""
        return not self.reason


@dataclass(frozen=True, kw_only=True, repr=False)
class Reproduction(Result):
    """What comes out again of what was published.

    Attributes
    ----------
    entries : tuple of ReproducedEntry
        One for each table, figure or number that was asked for.
    is_full : bool
        Whether at the size of the papers.
    n_repeats : int or None
        Repeats of every simulation, where the caller set them.
    random_state : int or None
        The seed.
    """

    kind: ClassVar[str] = "reproduction"

    is_full: bool = field(metadata=OPTION)
    n_repeats: int | None = field(metadata=OPTION)
    random_state: int | None = field(metadata=OPTION)
    entries: tuple[ReproducedEntry, ...]

    def numbers(self) -> Iterator[tuple[ReproducedEntry, ReproducedNumber]]:
        """Go through all numbers, each with its entry."""
        for entry in self.entries:
            for number in entry.numbers:
                yield entry, number

    def count(self, paper: str | None = None) -> dict[Verdict, int]:
        """Count verdicts.

        Parameters
        ----------
        paper : str, optional
            Number of a paper; all of them by default.

        Returns
        -------
        dict of Verdict to int
            Every verdict, also those that nothing has.
        """
        found = Counter(
            number.verdict
            for entry, number in self.numbers()
            if paper is None or entry.paper == paper
        )
        return {verdict: found[verdict] for verdict in Verdict}

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a row for every number, column by column."""
        names = [
            "cell",
            "where",
            "published",
            "published_error",
            "corrected",
            "measured",
            "measured_error",
            "tolerance",
            "verdict",
            "why",
        ]
        rows = list(self.numbers())
        columns: dict[str, list[Any]] = {"entry": [entry.name for entry, _ in rows]}
        columns |= {name: [getattr(n, name) for _, n in rows] for name in names}
        columns["verdict"] = [str(value) for value in columns["verdict"]]
        return columns


@dataclass(frozen=True, kw_only=True)
class CatalogueRow:
    """What is known of an entry before it is done.

    Attributes
    ----------
    name, title, paper : str
        The entry, what it is, and the number of its paper.
    source : DataSource
        Where its data come from.
    files : tuple of str
        Files that it needs.
    lacking : tuple of str
        Those of them that are not there.
    seconds : float
        How long it takes on two cores.
    full_minutes : float
        How long at the size of the paper.
    reason : str
        Why it cannot be done here; empty if it can.
    """

    name: str
    title: str
    paper: str
    source: DataSource
    files: tuple[str, ...]
    lacking: tuple[str, ...]
    seconds: float
    full_minutes: float
    reason: str

    @property
    def is_at_hand(self) -> bool:
        """Whether it can be done here and now."""
        return not (self.reason or self.lacking)


@dataclass(frozen=True, kw_only=True, repr=False)
class Catalogue(Result):
    """Everything that can be reproduced, and what it takes.

    Attributes
    ----------
    folder : str or None
        Where data that may not be shipped are looked for.
    rows : tuple of CatalogueRow
        One for each entry.
    """

    kind: ClassVar[str] = "reproduction-catalogue"

    folder: str | None = field(metadata=INPUT)
    rows: tuple[CatalogueRow, ...]

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a row for every entry, column by column."""
        names = ["name", "title", "paper", "seconds", "full_minutes", "is_at_hand"]
        columns = {name: [getattr(row, name) for row in self.rows] for name in names}
        columns["source"] = [str(row.source) for row in self.rows]
        return columns


def verdict_of(
    target: float | None,
    measured: float | None,
    *,
    tolerance: float,
    error: float,
    is_comparable: bool = True,
) -> Verdict:
    """Judge a measured number.

    Parameters
    ----------
    target : float or None
        What it should be.
    measured : float or None
        What it is.
    tolerance : float
        Up to which difference they are the same.
    error : float
        Combined standard error of both; three of them are within error.
    is_comparable : bool
        Whether both are of the same thing.

    Returns
    -------
    Verdict
        What holds.

    Examples
    --------
    >>> verdict_of(0.032, 0.0318, tolerance=0.0005, error=0.002).value
    'same'
    >>> verdict_of(0.032, 0.036, tolerance=0.0005, error=0.002).value
    'within error'
    >>> verdict_of(0.032, 0.040, tolerance=0.0005, error=0.002).value
    'differs'
    """
    if not is_comparable or target is None or measured is None:
        return Verdict.NOT_COMPARABLE
    if math.isinf(target) or math.isinf(measured):
        return Verdict.SAME if target == measured else Verdict.DIFFERS
    # Digits of print are decimal: half of the last one is not exact in binary.
    distance = abs(target - measured) * (1 - 1e-9)
    if distance <= tolerance:
        return Verdict.SAME
    if distance <= tolerance + 3 * error:
        return Verdict.WITHIN_ERROR
    return Verdict.DIFFERS
