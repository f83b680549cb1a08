"""``scorecast simulate``: data with a known truth, and the truth beside them."""

from __future__ import annotations

import json
import os
import shlex
from typing import Any

import click

from scorecast._core.registry import Registry
from scorecast.cli.options import Whole
from scorecast.cli.outputs import line_width, say_saved
from scorecast.cli.verb import Verb, option
from scorecast.exceptions import UsageError
from scorecast.io import check_writable
from scorecast.simulate import SIMULATORS, Factor, Simulator, truth_path

__all__ = ["command"]

_ENDINGS = (".csv", ".npz", ".parquet")
_OUTPUT = [
    option(
        "Output",
        "--out",
        required=True,
        metavar="FILE",
        help="Data: .csv, .npz or .parquet. The truth goes beside them, as "
        ".truth.json.",
    ),
    option(
        "Output",
        "--json",
        metavar="-",
        help="'-' prints the truth as JSON, and only it.",
    ),
    option("Output", "--force", is_flag=True, help="Overwrite existing files."),
    option(
        "Output",
        "--seed",
        type=Whole(min=0),
        default=0,
        help="Seed of all random choices.",
    ),
    option("Output", "--quiet", is_flag=True, help="Print nothing."),
    option("Output", "--debug", is_flag=True, help="Show tracebacks."),
]


@click.group(name="simulate")
def command() -> None:
    """Make data with a known truth, and say what to run on them next."""


def _verb(simulator: Simulator) -> Verb:
    """Make the verb of a simulator: its factors are the options."""

    def make(**options: Any) -> None:
        _make(simulator, options)

    for add in reversed(_OUTPUT):
        make = add(make)
    for factor in reversed(simulator.factors.values()):
        make = _factor_option(factor, simulator)(make)
    names = {f.parameter: _option_name(f) for f in simulator.factors.values()}
    return click.command(
        simulator.name,
        cls=Verb,
        help=f"Make {simulator.summary}.",
        short_help=f"Make {simulator.title}.",
        aliases=names,
    )(make)


def _factor_option(factor: Factor, simulator: Simulator) -> Any:
    """Make the option that sets a factor."""
    facts: dict[str, Any] = {"default": factor.default, "help": factor.summary}
    if bool in factor.types:
        name = factor.name.removeprefix("with_").replace("_", "-")
        return option(factor.group, f"--{name}/--no-{name}", factor.name, **facts)
    if factor.choices:
        facts["type"] = click.Choice(factor.choices)
        if isinstance(simulator.choices[factor.name], Registry):  # help has the names
            facts["metavar"] = "NAME"
    elif float in factor.types:
        facts["type"] = float
    else:
        facts["type"] = Whole(min=0)
    if factor.is_repeated:
        facts |= {"multiple": True, "default": (factor.default,)}
    elif len(factor.types) > 1 and int in factor.types:  # one number, or two ends
        facts |= {"nargs": 2, "metavar": "LEAST MOST"}
    return option(factor.group, _option_name(factor), factor.name, **facts)


def _option_name(factor: Factor) -> str:
    return f"--{factor.name.replace('_', '-')}"


def _make(simulator: Simulator, options: dict[str, Any]) -> None:
    """Make data, save them, and say what was made."""
    own = ("out", "json", "force", "seed", "quiet", "debug")
    path, to, force, seed, quiet, _ = (options.pop(name) for name in own)
    if to not in (None, "-"):
        problem = "takes '-': the truth is written beside the data anyway"
        raise UsageError(problem, parameter="json")
    if not path.lower().endswith(_ENDINGS):
        raise UsageError(
            f"must end in {', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}; got {path!r}",
            parameter="out",
        )
    if options.get("form") == "embeddings" and not path.lower().endswith(".npz"):
        problem = "embeddings are three arrays"
        raise UsageError(problem, parameter="form", remedy="name the file .npz")
    for target in (path, truth_path(path)):
        check_writable(target, force=force)
    made = simulator.make(**options, random_state=seed)
    beside = made.save(path, force=force)
    if to == "-":
        text = json.dumps(made.to_dict(), indent=2, allow_nan=False, ensure_ascii=False)
        click.echo(text)
    elif not quiet:
        from scorecast.report import render

        click.echo(f"{render(made, width=line_width())}\n")
        say_saved("Data", path)
        say_saved("Truth", os.fspath(beside))
        following = simulator.next_command(made, os.fspath(path))
        if following:
            say_saved("Next", f"scorecast {shlex.join(following)}")


for _simulator in SIMULATORS.values():
    command.add_command(_verb(_simulator))
