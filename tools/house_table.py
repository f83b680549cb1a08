"""Count files, lines, lines with code and of docstrings of every room, as a table.

    python tools/house_table.py [FOLDER]

counts src/scorecast, or another edition of it. Lines with code are without blanks,
comments and docstrings.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "scorecast"
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def counted_lines(source: str) -> tuple[int, int]:
    """Count lines with code, and of docstrings.

    Examples
    --------
    >>> counted_lines('"Docstring."\\n\\n# comment\\nx = [\\n    1,  # one\\n]\\n')
    (3, 1)
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    documented: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            said = node.body[0]
            documented |= {*range(said.lineno, (said.end_lineno or said.lineno) + 1)}
    return len(lines - documented), len(documented)


def row(name: str, files: list[Path]) -> str:
    """Write files, lines, lines with code and of docstrings of one room."""
    sources = [path.read_text(encoding="utf-8") for path in files]
    n_lines = sum(len(source.splitlines()) for source in sources)
    n_code, n_said = map(sum, zip(*map(counted_lines, sources), strict=True))
    return f"| {name} | {len(files)} | {n_lines:,} | {n_code:,} | {n_said:,} |"


def main(package: Path = PACKAGE) -> None:
    """Print a row for every room, and one for the whole package."""
    print("| | files | lines | with code | docstrings |\n|---|---|---|---|---|")
    for room in sorted(path.parent for path in package.glob("*/__init__.py")):
        print(row(room.name, sorted(room.rglob("*.py"))))
    print(row("whole package", sorted(package.rglob("*.py"))))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
