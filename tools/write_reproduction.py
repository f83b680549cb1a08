"""Run everything that can be reproduced, at quick sizes, and write it as a page.

    SCORECAST_DATA=FOLDER python tools/write_reproduction.py [CHECKPOINT]

writes docs/reproduction.md, and docs/_static/reproduction.html with the figures; `make
reproduction` does the same. Finished entries are taken from the checkpoint, if one is named.
"""

from __future__ import annotations

import sys
from pathlib import Path

import scorecast as sc
from scorecast._core.progress import progress_shown

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "_static" / "reproduction.html"
LEAD = """# What came out

Everything that `scorecast reproduce` can do, at quick sizes and with seed 0, as `make reproduction`
wrote it. <a href="_static/reproduction.html">The same page with all figures</a> is what
`scorecast reproduce all --report FILE.html` gives. [How to read it](guide/reproduction.md).
"""


def main() -> None:
    checkpoint = sys.argv[1] if len(sys.argv) > 1 else None
    with progress_shown():
        found = sc.reproduce("all", n_jobs=2, checkpoint=checkpoint)
    lines = sc.render(found, "markdown").replace("\n### ", "\n## ")
    (DOCS / "reproduction.md").write_text(f"{LEAD}\n{lines}", encoding="utf-8")
    sc.write_report(found, PAGE, title="Published numbers again", force=True)
    print(found.summary())


if __name__ == "__main__":
    main()
