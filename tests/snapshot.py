"""Texts that people read, kept in files: one per verb and one per page."""

from __future__ import annotations

import html
import os
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"
_DRAWN = re.compile(r"<(svg|style)\b.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def assert_snapshot(name: str, text: str) -> None:
    """Compare a text with the one that is kept; see `tests/snapshots/README.md`."""
    path = FOLDER / f"{name}.txt"
    shown = "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
    if os.environ.get("SCORECAST_SNAPSHOTS") == "write":
        path.write_text(shown, encoding="utf-8")
    assert path.exists(), f"no {path}; SCORECAST_SNAPSHOTS=write makes it"
    assert shown == path.read_text(encoding="utf-8")


def page_text(page: str) -> str:
    """Return the words of a page, a line for each part, without its figures."""
    plain = html.unescape(_TAG.sub("\n", _DRAWN.sub("", page)))
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return "\n".join(line for line in lines if line)
