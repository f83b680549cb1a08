"""``scorecast report``: one HTML page from saved results."""

from __future__ import annotations

import importlib
from typing import Any

import click

__all__ = ["command"]

_QUESTIONS = (
    "biclusters", "classes", "comparison", "guarantees", "information", "recurrence",
    "scores", "synthetic",
)  # fmt: skip


@click.command(name="report")
@click.argument("results", nargs=-1, required=True, metavar="RESULT.json...")
@click.option(
    "-o", "--out", required=True, metavar="FILE.html", help="Where to write the page."
)
@click.option("--title", help="Title of the page.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def command(results: tuple[str, ...], out: str, **options: Any) -> None:
    """Write one self-contained HTML page from results that --json saved."""
    import shlex
    import sys

    from scorecast._core.results import result_from_dict
    from scorecast.io import check_writable, fingerprint, read_json, write_text
    from scorecast.report import report

    check_writable(out, force=options["force"], inputs=results)
    for name in _QUESTIONS:  # each knows the kinds of its own results
        module = importlib.import_module(f"scorecast.{name}")
        for public in dir(module):  # loaded when first asked for
            getattr(module, public)
    loaded = [result_from_dict(read_json(path)) for path in results]
    prints = [fingerprint(path) for path in results]
    inputs = [{"path": p.path, "sha256": p.sha256, "bytes": p.bytes} for p in prints]
    command_line = shlex.join(["scorecast", *sys.argv[1:]])
    page = report(
        loaded,
        title=options["title"],
        provenance={"command": command_line, "inputs": inputs},
    )
    write_text(out, page, force=options["force"], inputs=results)
    click.echo(f"{'Report':<10}{out}")
