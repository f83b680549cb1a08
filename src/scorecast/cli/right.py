"""``scorecast assess --right``: the accuracy of one model from its answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.verb import refuse_unused
from scorecast.exceptions import InvalidInputError, Location, listed

if TYPE_CHECKING:
    from scorecast.cli.outputs import Gate, Loaded
    from scorecast.evaluation import ProportionInterval

# What the accuracy of answers can use; all else is of models.
_USED = {
    "data",
    "right",
    "groups",
    "confidence_level",
    "fail_below",
    "delimiter",
    "decimal",
    "max_memory",
    "json_path",
    "report_path",
    "force",
    "quiet",
    "debug",
    "seed",
}


def assess_right(options: dict[str, Any]) -> None:
    """Read one column of right and wrong, and deliver its share with an interval."""
    from scorecast.cli.outputs import run

    context = click.get_current_context()
    unused = [name for name in options if name not in _USED]
    refuse_unused(context, unused, "with --right")
    run(options, _load, _answer, gates=_gates)


def _load(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import file_layout
    from scorecast.cli.outputs import Loaded
    from scorecast.io import read_results

    right, groups = options["right"], options["groups"]
    data = read_results(
        options["data"],
        texts=[groups] if groups else [],
        layout=file_layout(options, key=None, header=True),
    )
    place = Location(file=options["data"], column=right)
    if right not in data.columns:
        problem = f"there is no such column but {listed(data.columns, 8)}"
        raise InvalidInputError(problem, location=place)
    return Loaded(
        arguments={
            "successes": data.columns[right],
            "groups": data.columns[groups] if groups else None,
        },
        files=(data.source,),
        places={
            "successes": place,
            "groups": Location(file=options["data"], column=groups),
        },
        notes=data.notes,
    )


def _answer(options: dict[str, Any], loaded: Loaded) -> ProportionInterval:
    from scorecast.evaluation import proportion_interval

    level = options["confidence_level"]
    return proportion_interval(**loaded.arguments, confidence_level=level)


def _gates(result: ProportionInterval, options: dict[str, Any]) -> Iterator[Gate]:
    from scorecast.cli.outputs import Gate

    yield Gate(
        option="--fail-below",
        least=options["fail_below"],
        value=result.low,
        subject="the lower end of the accuracy",
    )
