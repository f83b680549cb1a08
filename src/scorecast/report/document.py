"""What an answer says, before it is written for a terminal, a page or a paper.

One `Document` per result. The terminal shows its headline, its notes, the sections
marked for it, and its facts; a page shows all of it, as Markdown does; LaTeX takes the
tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from scorecast._core.registry import Registry
from scorecast.report.figures import Drawing

Figure = Drawing


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of finished text.

    Attributes
    ----------
    columns : tuple of str
        Headings.
    rows : tuple of tuple of str
        Cells.
    caption : str
        What it holds.
    notes : tuple of str
        A remark for each row, or nothing.
    n_words : int
        How many columns, from the left, hold words; the others hold numbers.
    bars : tuple of (low, value, high) or None
        An interval for each row, drawn to one scale beside it in a terminal, so that
        the eye compares before it reads.
    mark : float or None
        Where the scale of the bars has a rule, such as no difference.
    strong : tuple of int
        Rows that print sets in bold, such as the best.
    is_folded : bool
        Whether the reader of a page has to open it.
    is_stacked : bool
        Whether a narrow screen shows each row as a block of names and values.
    has_long_notes : bool
        Whether a terminal says remarks below the table, not beside their rows.
    answer : int or None
        The column, from 0, that a page sets off in the head: what was asked for. By
        default the first of numbers, or the second where no column holds words.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    n_words: int = 1
    bars: tuple[tuple[float, float, float] | None, ...] = ()
    mark: float | None = None
    strong: tuple[int, ...] = ()
    is_folded: bool = False
    is_stacked: bool = False
    has_long_notes: bool = False
    answer: int | None = None

    @property
    def answer_column(self) -> int:
        """The column of the answer, as it is said or by default."""
        return max(self.n_words, 1) if self.answer is None else self.answer


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a document; what is empty is not shown.

    Attributes
    ----------
    heading : str
        Empty in the first section, which stands under the headline.
    lead : tuple of str
        Paragraphs; of a figure, what to see in it.
    figure : Drawing or None
        A figure.
    tables : tuple of Table
        Open ones first.
    items : tuple of str
        A list.
    is_terminal : bool
        Whether its tables are printed in a terminal too.
    """

    heading: str = ""
    lead: tuple[str, ...] = ()
    figure: Drawing | None = None
    tables: tuple[Table, ...] = ()
    items: tuple[str, ...] = ()
    is_terminal: bool = False


@dataclass(frozen=True, kw_only=True)
class Document:
    """An answer, laid out.

    Attributes
    ----------
    headline : str
        The answer in a sentence.
    notes : tuple of str
        What must be known before it is used.
    sections : tuple of Section
        In reading order.
    facts : tuple of (name, text)
        What it rests on: data, test, why, assumptions.
    paragraph : str
        For a paper.
    references : tuple of str
        Works that are used.
    figure : Drawing or None
        The figure that carries the message; by default the first.
    """

    headline: str
    notes: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    paragraph: str = ""
    references: tuple[str, ...] = ()
    figure: Drawing | None = field(default=None)

    @property
    def main_figure(self) -> Drawing | None:
        """The figure that carries the message, if there is one."""
        drawn = (part.figure for part in self.sections if part.figure is not None)
        return self.figure or next(drawn, None)


def methods_document(title: str, registry: Registry[Any]) -> Document:
    """Lay out the methods of a registry, for reference pages."""
    rows = tuple((m.name, m.title, m.summary) for m in registry.values())
    table = Table(columns=("name", "method", "use"), rows=rows, n_words=3)
    works: Iterable[str] = (m.reference for m in registry.values() if m.reference)
    return Document(
        headline=title,
        sections=(Section(tables=(table,), is_terminal=True),),
        references=tuple(dict.fromkeys(works)),
    )
