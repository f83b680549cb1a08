"""``scorecast reproduce``: every table and figure of the papers again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import Whole, output_options
from scorecast.cli.verb import Verb, option, refuse_unused

if TYPE_CHECKING:
    from scorecast.reproduction import Catalogue, Reproduction

_OF_RUNS = ("full", "n_repeats", "checkpoint", "seed", "n_jobs")


@click.command(
    name="reproduce",
    cls=Verb,
    usual=(
        "--full",
        "--data",
        "--repeats",
        "--checkpoint",
        "--jobs",
        "--seed",
        "--report",
        "--json",
    ),
    aliases={"n_repeats": "--repeats", "entries": "ENTRY"},
)
@click.argument("entries", nargs=-1, metavar="[ENTRY]...")
@option(
    "Question",
    "--full",
    is_flag=True,
    help="Sizes of the papers, which may take hours, instead of quick ones.",
)
@option(
    "Input",
    "--data",
    metavar="FOLDER",
    help="Data that may not be shipped. [default: what SCORECAST_DATA names]",
)
@option(
    "Question",
    "--repeats",
    "n_repeats",
    type=Whole(min=2),
    help="Repeats of every simulation. [default: those of its size]",
)
@option(
    "Output",
    "--checkpoint",
    metavar="FILE",
    help="Append finished work to FILE; the same command goes on from it.",
)
@output_options
def command(**options: Any) -> None:
    """Compute published numbers again, and say which come out.

    ENTRY is a table or figure such as 001-table-1, a paper such as 003, or all. Without
    one, all are listed with what they need and how long they take.
    """
    from scorecast.cli.outputs import Loaded, interrupted, run

    try:
        run(options, lambda given: Loaded(arguments={}, files=_files(given)), _answer)
    except KeyboardInterrupt as stop:
        raise interrupted(options["checkpoint"]) from stop


def _answer(options: dict[str, Any], _: Any) -> Reproduction | Catalogue:
    from scorecast.reproduction import catalogue, reproduce

    if not options["entries"]:
        reason = "without an ENTRY, such as 'all'"
        refuse_unused(click.get_current_context(), _OF_RUNS, reason)
        return catalogue(data=options["data"])
    return reproduce(
        options["entries"],
        full=options["full"],
        data=options["data"],
        n_repeats=options["n_repeats"],
        random_state=options["seed"],
        n_jobs=options["n_jobs"],
        checkpoint=options["checkpoint"],
    )


def _files(options: dict[str, Any]) -> tuple[str, ...]:
    """Return the files of the folder that the entries read."""
    folder = options["data"] or os.environ.get("SCORECAST_DATA")
    if not folder or not options["entries"]:
        return ()
    from scorecast.reproduction import ENTRIES

    asked = set(options["entries"])
    paths = [
        os.path.join(folder, file)
        for entry in ENTRIES.values()
        if asked & {"all", entry.paper, entry.name, *entry.aliases}
        for file in entry.files
    ]
    return tuple(path for path in dict.fromkeys(paths) if os.path.isfile(path))
