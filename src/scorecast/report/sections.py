"""The parts a page is made of, and how a result says which ones it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorecast.report.document import (
    Document,
    Section as DocumentSection,
    Table as DocumentTable,
)
from scorecast.report.figures import Drawing
from scorecast.report.formats import UNKNOWN, count, is_known
from scorecast.report.views import ViewFunction, document, has_document

__all__ = [
    "Section",
    "Table",
    "column_table",
    "page_section",
    "page_sections",
    "report_sections",
]

_MOST_OPEN_ROWS = 12


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of finished text.

    Attributes
    ----------
    caption : str
        What it holds.
    columns : tuple of str
        Headings.
    rows : tuple of tuple of str
        Cells.
    notes : tuple of str
        A remark under the first cell of each row; empty, or one per row.
    words : int
        How many columns, from the left, hold words; the others hold numbers.
    folded : bool
        Whether the reader has to open it.
    stacked : bool
        Whether a narrow screen shows each row as a block of names and values.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    words: int = 0
    folded: bool = False
    stacked: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page; what is empty is not shown.

    Attributes
    ----------
    heading : str
        In a first section, the answer itself.
    lead : tuple of str
        Paragraphs; of a figure, what to see in it.
    whole : tuple of str
        Paragraphs that are shown in full, however long.
    figure : Drawing or None
        A figure.
    tables : tuple of Table
        Tables, open ones first.
    warnings : tuple of str
        What the reader must know before using the numbers.
    facts : tuple of tuple of str
        Names with what they stand for.
    items : tuple of str
        A list.
    """

    heading: str
    lead: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    figure: Drawing | None = None
    tables: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    items: tuple[str, ...] = ()


@ViewFunction
def report_sections(result: Any) -> tuple[Section, ...]:
    """Say what a page about a result holds; the first section is its head.

    Register a function for every kind of result; others get their summary and table.

    Parameters
    ----------
    result : Result
        Any result.

    Returns
    -------
    tuple of Section
        In reading order.
    """
    if has_document(result):
        return page_sections(document(result))
    head = Section(
        heading=result.summary(),
        warnings=tuple(getattr(result, "warnings", ())),
        tables=(column_table("The numbers", result.to_columns()),),
    )
    return (head,)


def page_sections(laid_out: Document) -> tuple[Section, ...]:
    """Return the sections of a page from a document; the first is its head."""
    first, *rest = laid_out.sections or (DocumentSection(),)
    if first.heading:
        first, rest = DocumentSection(), [first, *rest]
    head = Section(
        heading=laid_out.headline,
        lead=first.lead,
        figure=first.figure,
        tables=tuple(map(_page_table, first.tables)),
        warnings=laid_out.notes,
        facts=tuple((name, text) for name, text in laid_out.facts if text),
        items=first.items,
    )
    found = [
        head,
        *map(page_section, rest),
    ]
    if laid_out.paragraph:
        found.append(Section(heading="For a paper", whole=(laid_out.paragraph,)))
    if laid_out.references:
        found.append(Section(heading="References", items=laid_out.references))
    return tuple(found)


def page_section(part: DocumentSection) -> Section:
    """Return a section of a page from one of a document."""
    return Section(
        heading=part.heading,
        lead=part.lead,
        figure=part.figure,
        tables=tuple(map(_page_table, part.tables)),
        items=part.items,
    )


def _page_table(table: DocumentTable) -> Table:
    return Table(
        caption=table.caption,
        columns=table.columns,
        rows=table.rows,
        notes=table.notes,
        # A remark stands under the first cell: both begin at the left.
        words=max(table.n_words, int(any(table.notes))),
        folded=table.is_folded,
        stacked=table.is_stacked,
    )


def column_table(caption: str, columns: Mapping[str, Sequence[Any]]) -> Table:
    """Make a table of columns of any values.

    Parameters
    ----------
    caption : str
        What it holds.
    columns : mapping
        Name of a column to its values.

    Returns
    -------
    Table
        Folded if it is long.
    """
    rows = tuple(
        tuple(map(_written, row)) for row in zip(*columns.values(), strict=True)
    )
    first = next(iter(columns.values()), ())
    return Table(
        caption=caption,
        columns=tuple(columns),
        rows=rows,
        words=int(any(isinstance(value, str) for value in first)),
        folded=len(rows) > _MOST_OPEN_ROWS,
    )


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}" if is_known(value) else UNKNOWN
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return UNKNOWN if value is None else str(value)
