"""``scorecast report``: one HTML page from saved results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from scorecast.exceptions import ScorecastError, UsageError

if TYPE_CHECKING:
    from scorecast._core.result import Result

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
    from scorecast.cli.outputs import say_saved
    from scorecast.io import check_writable
    from scorecast.report import load, write_report
    from scorecast.report.views import UNFIT

    check_writable(out, force=options["force"], inputs=results)
    origin = {
        "command": shlex.join(["scorecast", *sys.argv[1:]]),
        "inputs": file_prints(results),
    }
    loaded = [load(path) for path in results]
    try:
        write_report(
            loaded,
            out,
            title=options["title"],
            provenance=origin,
            force=options["force"],
        )
    except UsageError as error:  # nobody but the results said what was refused
        raise _blamed(results, loaded, error) from error
    except ScorecastError:
        raise
    except UNFIT as error:
        raise _blamed(results, loaded, error) from error
    say_saved("Report", out)


def _blamed(
    paths: Sequence[str], loaded: Sequence[Result], error: Exception
) -> Exception:
    """Find the file whose result cannot be shown."""
    from scorecast.report import render
    from scorecast.report.views import UNFIT, unfit

    for path, result in zip(paths, loaded, strict=True):
        try:
            render(result, "html")
        except UNFIT as own:
            return unfit(path, own)
    return error
