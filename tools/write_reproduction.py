"""Run everything that can be reproduced, at quick sizes, and write it as a page.

    python tools/write_reproduction.py [CHECKPOINT]

writes docs/reproduction.md, docs/_static/reproduction.html with the figures, and
tests/reproduction/verdicts.json, which the slow tests hold later runs against; `make reproduction`
does the same. Finished entries are taken from the checkpoint, if one is named. Data that do not
ship are looked for where SCORECAST_DATA says, else in ../shared/data; without them nothing is
written.
"""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path

import scorecast as sc
from scorecast._core.progress import progress_shown
from scorecast.reproduction import Reproduction, catalogue

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("SCORECAST_DATA", ROOT / ".." / "shared" / "data"))
DOCS = ROOT / "docs"
PAGE = DOCS / "_static" / "reproduction.html"
VERDICTS = ROOT / "tests" / "reproduction" / "verdicts.json"
LEAD = """# What came out

Everything that `scorecast reproduce` can do, at quick sizes and with seed 0, as `make reproduction`
wrote it. <a href="_static/reproduction.html">The same page with all figures</a> is what
`scorecast reproduce all --report FILE.html` gives. [How to read it](guide/reproduction.md).
"""


def main(argv: list[str]) -> None:
    checkpoint = argv[0] if argv else None
    refuse_without_data(DATA)
    with progress_shown():
        found = sc.reproduce("all", data=DATA, n_jobs=2, checkpoint=checkpoint)
    (DOCS / "reproduction.md").write_text(page(found), encoding="utf-8")
    sc.write_report(found, PAGE, title="Published numbers again", force=True)
    VERDICTS.write_text(verdicts(found), encoding="utf-8")
    print(found.summary())


def refuse_without_data(folder: Path) -> None:
    """End with one line where entries would be written down as not done."""
    if not folder.is_dir():
        sys.exit(
            f"there is no folder {folder}; name the folder of data by SCORECAST_DATA"
        )
    rows = [row for row in catalogue(data=folder).rows if row.lacking]
    if rows:
        files = ", ".join(sorted({file for row in rows for file in row.lacking}))
        sys.exit(
            f"{folder} lacks {files}: {len(rows)} entries would be written down as not done; "
            "name the folder that has them by SCORECAST_DATA"
        )


def page(found: Reproduction) -> str:
    """Return what docs/reproduction.md is to be."""
    lines = sc.render(found, "markdown").replace("\n### ", "\n## ")
    return f"{LEAD}\n{lines}"


def verdicts(found: Reproduction) -> str:
    """Return verdict, number and standard error of every cell, one cell a line.

    With all digits, so that the page can be put together from them again.
    """
    entries = []
    for entry in found.entries:
        cells = [
            f"    {json.dumps(n.cell)}: "
            + json.dumps([str(n.verdict), _plain(n.measured), _plain(n.measured_error)])
            for n in entry.numbers
        ]
        if cells:
            entries.append(f'  "{entry.name}": {{\n' + ",\n".join(cells) + "\n  }")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _plain(value: float | None) -> float | str | None:
    """Return what JSON can hold: it has no infinity."""
    return value if value is None or math.isfinite(value) else str(value)


if __name__ == "__main__":
    main(sys.argv[1:])
