"""``scorecast extrapolate``: accuracy, or cost, with many more classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import (
    Share,
    Whole,
    averaging_options,
    output_options,
    score_options,
)
from scorecast.cli.verb import Verb, method_option, option, refuse_unused
from scorecast.exceptions import UsageError
from scorecast.extrapolation import EXTRAPOLATORS, RISK_METHODS

if TYPE_CHECKING:
    from scorecast.cli.outputs import Gate, Loaded
    from scorecast.extrapolation import (
        Extrapolation,
        Extrapolator,
        RiskExtrapolation,
    )

_USUAL = (
    "--labels",
    "--label-column",
    "--gallery",
    "--probes",
    "--to",
    "--method",
    "--top",
    "--confidence-level",
    "--report",
    "--json",
)
# Settings of methods are no options of their own; an error says how they are given.
_SETTINGS = {
    name: f"--method-option {name}"
    for method in EXTRAPOLATORS.values()
    for name in method.setting_names()
}
_OF_ACCURACY = ("top", "compare", "backtest", "fail_below", "fail_below_low")


@click.command(name="extrapolate", cls=Verb, usual=_USUAL, aliases=_SETTINGS)
@score_options
@option(
    "Question",
    "--to",
    type=Whole(min=1),
    multiple=True,
    required=True,
    metavar="N",
    help="Number of classes to forecast, such as 1e5; may be repeated.",
)
@averaging_options
@option(
    "Question",
    "--cost",
    metavar="FILE",
    help="Costs, a row for every answer and a column for every true class, with or "
    "without class names: forecast the average cost instead of the accuracy.",
)
@option(
    "Question",
    "--fail-below",
    type=Share(),
    metavar="ACCURACY",
    help="Exit with 5 if a forecast is lower.",
)
@option(
    "Question",
    "--fail-below-low",
    type=Share(),
    metavar="ACCURACY",
    help="Exit with 5 if the lower end of an interval is lower.",
)
@method_option(
    "--method",
    EXTRAPOLATORS,
    others=tuple(RISK_METHODS),
    says=f"How to extrapolate; costs also by {', '.join(RISK_METHODS)}.",
)
@option(
    "Method",
    "--method-option",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Setting of the method, such as bandwidth=0.3 for regression or kde-fixed, "
    "form=simplex or knots=r for regression; may be repeated.",
)
@option(
    "Method",
    "--compare/--no-compare",
    default=None,
    help="Save what other methods say beside 'auto'. "
    "[default: with --json or --report]",
)
@option(
    "Method",
    "--backtest",
    type=Whole(min=0),
    metavar="N",
    help="How often to hide half of the classes; 0 for never. [default: as often as "
    "makes the mean error known to a point, 6 to 48]",
)
@output_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Forecast accuracy (or cost) with many more classes than were tested.

    SCORES holds one row per example and one column per class (.npy, .npz, .csv,
    .parquet, .safetensors). Instead of it, --gallery and --probes give embeddings.
    """
    from scorecast.cli.outputs import run

    if options["cost"]:
        refuse_unused(context, _OF_ACCURACY, "where costs are forecast: leave it out")
    run(options, _load, _answer, gates=None if options["cost"] else _gates)


def _load(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import load_scores
    from scorecast.io import read_costs

    method = _method(options)  # refused before anything is read
    loaded = load_scores(options)
    arguments: dict[str, Any] = {"method": method}
    files = list(loaded.files)
    if options["cost"]:
        arguments["cost"] = read_costs(options["cost"], loaded.scores.classes)
        files.append(options["cost"])
    return loaded.of_verb(arguments, files)


def _answer(
    options: dict[str, Any], loaded: Loaded
) -> Extrapolation | RiskExtrapolation:
    from scorecast.extrapolation import extrapolate

    names = ("to", "ties", "average", "confidence_level", "n_jobs")
    asked = {name: options[name] for name in names}
    asked["random_state"] = options["seed"]
    arguments = dict(loaded.arguments)
    costs = arguments.pop("cost", None)
    if costs is not None:
        risk: RiskExtrapolation
        risk = extrapolate(**arguments, **asked, cost=costs.values)
        return replace(risk, are_costs_by_name=costs.is_by_name)
    # The terminal shows one forecast; what others say is only seen in a file.
    is_saved = bool(options["json_path"] or options["report_path"])
    is_compared = options["compare"]
    found: Extrapolation = extrapolate(
        **arguments,
        **asked,
        top=options["top"],
        compare=is_saved if is_compared is None else is_compared,
        backtest="auto" if options["backtest"] is None else options["backtest"],
    )
    return found


def _method(options: dict[str, Any]) -> str | Extrapolator:
    """Choose the method, with the settings that were given."""
    name = options["method"]
    if name in RISK_METHODS:
        if not options["cost"]:
            problem = f"{name} is for costs"
            remedy = "give costs, or choose another method"
            raise UsageError(problem, parameter="method", remedy=remedy)
        if options["settings"]:
            raise UsageError(f"{name} has no settings", parameter="settings")
        return str(name)
    return EXTRAPOLATORS[name].with_settings(**dict(_settings(options["settings"])))


def _settings(given: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Read NAME=VALUE; values are Python literals, and anything else is text."""
    for text in given:
        name, mark, value = text.partition("=")
        if not (name and mark):
            problem = f"{text!r} is no NAME=VALUE"
            raise UsageError(problem, parameter="settings")
        try:
            yield name.replace("-", "_"), ast.literal_eval(value)
        except (ValueError, SyntaxError):
            yield name.replace("-", "_"), value


def _gates(result: Extrapolation, options: dict[str, Any]) -> Iterator[Gate]:
    from scorecast.cli.outputs import Gate

    for p in result.predictions:
        of = f"for {p.classes:,} classes"
        yield Gate(
            option="--fail-below",
            least=options["fail_below"],
            value=p.accuracy,
            subject=f"the forecast {of}",
        )
        yield Gate(
            option="--fail-below-low",
            least=options["fail_below_low"],
            value=p.low,
            subject=f"the lower end of the interval {of}",
        )
