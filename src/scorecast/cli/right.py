"""``scorecast assess --right``: the accuracy of one model from its answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.unused import OF_PREDICTORS, refuse_given
from scorecast.exceptions import InvalidInputError, Location, listed

if TYPE_CHECKING:
    from scorecast.cli.outputs import Gate, Loaded
    from scorecast.evaluation import ProportionInterval

__all__ = ["assess_right", "right_option"]

_UNUSED = (
    *(name for name in OF_PREDICTORS if name != "group"), "relaxed_alpha", "alpha",
    "n_permutations", "test_size", "n_jobs", "no_header", "key",
)  # fmt: skip

right_option = click.option(
    "--right",
    metavar="COL",
    help="Column of 1 (right) and 0 (wrong): the accuracy of one model, whose samples "
    "may belong to groups (--group).",
)


def assess_right(options: dict[str, Any]) -> None:
    """Read one column of right and wrong, and deliver its share with an interval."""
    from scorecast.cli.outputs import run

    refuse_given(_UNUSED, "has no part in --right")
    run(options, _load, _answer, gates=_gates)


def _load(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import file_layout
    from scorecast.cli.outputs import Loaded
    from scorecast.io import read_results

    right, group = options["right"], options["group"]
    data = read_results(
        options["data"],
        texts=[group] if group else [],
        layout=file_layout(options, key=None, header=True),
    )
    place = Location(file=options["data"], column=right)
    if right not in data.columns:
        problem = f"there is no such column but {listed(data.columns, 8)}"
        raise InvalidInputError(problem, location=place)
    groups = data.columns[group] if group else None
    return Loaded(
        arguments={"successes": data.columns[right], "groups": groups},
        files=(data.source,),
        places={
            "successes": place,
            "groups": Location(file=options["data"], column=group),
        },
        notes=data.notes,
    )


def _answer(options: dict[str, Any], loaded: Loaded) -> ProportionInterval:
    from scorecast.evaluation import proportion_interval

    return proportion_interval(**loaded.arguments, confidence_level=options["level"])


def _gates(result: ProportionInterval, options: dict[str, Any]) -> Iterator[Gate]:
    from scorecast.cli.outputs import Gate

    yield Gate(
        option="--fail-below",
        least=options["fail_below"],
        value=result.low,
        subject="the lower end of the accuracy",
    )
