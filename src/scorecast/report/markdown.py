"""Write any document as Markdown, for notebooks and reference pages."""

from __future__ import annotations

from scorecast.exceptions import printable
from scorecast.report.document import Document, Table

_LONGEST = 2_000


def write(document: Document) -> str:
    """Write a document as Markdown; names from outside cannot become markup."""
    parts = [f"**{_text(document.headline)}**"]
    parts += [f"> {_text(note)}" for note in document.notes]
    for section in document.sections:
        if section.heading:
            parts.append(f"### {_text(section.heading)}")
        parts += [_text(line) for line in section.lead]
        parts += [_table(table) for table in section.tables]
        if section.items:
            parts.append("\n".join(f"* {_text(item)}" for item in section.items))
    facts = [f"* {_text(name)}: {_text(text)}" for name, text in document.facts if text]
    parts.append("\n".join(facts))
    if document.references:
        parts.append("\n".join(f"* {_text(work)}" for work in document.references))
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(table: Table) -> str:
    rules = [":--" if i < table.n_words else "--:" for i in range(len(table.columns))]
    rows = [table.columns, rules, *table.rows]
    lines = ["| " + " | ".join(map(_text, row)) + " |" for row in rows]
    return "\n".join(
        [*([f"*{_text(table.caption)}*", ""] if table.caption else []), *lines]
    )


def _text(text: str) -> str:
    shown = printable(text, _LONGEST)
    for mark in "\\`*_{}[]<>|#":
        shown = shown.replace(mark, f"\\{mark}")
    return shown
