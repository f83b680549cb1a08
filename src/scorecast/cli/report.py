"""``scorecast report``: one HTML page from saved results."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["command"]


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

    from scorecast.cli.inputs import file_prints
    from scorecast.io import check_writable
    from scorecast.report import load, write_report

    check_writable(out, force=options["force"], inputs=results)
    origin = {
        "command": shlex.join(["scorecast", *sys.argv[1:]]),
        "inputs": file_prints(results),
    }
    loaded = [load(path) for path in results]
    write_report(
        loaded, out, title=options["title"], provenance=origin, force=options["force"]
    )
    click.echo(f"{'Report':<10}{out}")
