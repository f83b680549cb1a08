r"""Write the tables of any document for LaTeX (package booktabs)."""

from __future__ import annotations

from scorecast.report.document import Document, Table

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "−": "$-$", "–": "--", "\u00a0": "~",
}  # fmt: skip


def write(document: Document) -> str:
    """Write every open table, one after the other, each under what it holds."""
    tables = [
        table
        for section in document.sections
        for table in section.tables
        if not table.is_folded
    ]
    return "\n".join(map(_tabular, tables))


def _tabular(table: Table) -> str:
    layout = "l" * table.n_words + "r" * (len(table.columns) - table.n_words)
    return "\n".join([
        *([f"% {' '.join(table.caption.split())}"] if table.caption else []),
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        _row(table.columns),
        r"\midrule",
        *map(_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ])  # fmt: skip


def _row(cells: tuple[str, ...]) -> str:
    return " & ".join(map(escaped, cells)) + r" \\"


def escaped(text: str) -> str:
    r"""Write any name so that LaTeX sets it as it is.

    Examples
    --------
    >>> print(escaped("a_b & 5 %"))
    a\_b \& 5 \%
    """
    return "".join(_SPECIAL.get(char, char) for char in " ".join(text.split()))
