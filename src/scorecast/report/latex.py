r"""Write the tables of any document for LaTeX (package booktabs)."""

from __future__ import annotations

import re

from scorecast.report.document import Document, Table

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "−": "$-$", "–": "--", "\u00a0": "~",
}  # fmt: skip

_MINUS = re.compile(r"(?<![\w-])-(?=\d)")  # of a number, not between two of them


def write(document: Document) -> str:
    """Write every open table, one after the other, each under what it holds.

    What the tables rest on stands above them as comments.
    """
    tables = [
        table
        for section in document.sections
        for table in section.tables
        if not table.is_folded
    ]
    facts = [("Needs", "the package booktabs"), *document.facts]
    lines = [f"% {name}: {' '.join(text.split())}" for name, text in facts if text]
    return "\n".join([*lines, *map(_tabular, tables)])


def _tabular(table: Table) -> str:
    layout = "l" * table.n_words + "r" * (len(table.columns) - table.n_words)
    return "\n".join([
        *([f"% {' '.join(table.caption.split())}"] if table.caption else []),
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        _row(table, table.columns),
        r"\midrule",
        *(
            _row(table, cells, is_strong=number in table.strong)
            for number, cells in enumerate(table.rows)
        ),
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ])  # fmt: skip


def _row(table: Table, cells: tuple[str, ...], *, is_strong: bool = False) -> str:
    written = [
        escaped(cell) if place < table.n_words else _MINUS.sub("$-$", escaped(cell))
        for place, cell in enumerate(cells)
    ]
    if is_strong:
        written[0] = rf"\textbf{{{written[0]}}}"
    return " & ".join(written) + r" \\"


def escaped(text: str) -> str:
    r"""Write any name so that LaTeX sets it as it is.

    Examples
    --------
    >>> print(escaped("a_b & 5 %"))
    a\_b \& 5 \%
    """
    return "".join(_SPECIAL.get(char, char) for char in " ".join(text.split()))
