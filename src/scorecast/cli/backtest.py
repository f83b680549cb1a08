"""``scorecast backtest``: hide classes and predict them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.method_options import (
    SETTING_NAMES,
    configured_each,
    method_settings_option,
)
from scorecast.cli.options import (
    Listed,
    Whole,
    averaging_options,
    class_weights_option,
    output_options,
    score_options,
    top_option,
)
from scorecast.cli.verb import MethodName, Verb, described, option
from scorecast.extrapolation import EXTRAPOLATORS

if TYPE_CHECKING:
    from scorecast.cli.outputs import Loaded
    from scorecast.extrapolation import Backtest

_USUAL = (
    "--labels",
    "--label-column",
    "--gallery",
    "--probes",
    "--method",
    "--ratio",
    "--show",
    "--repeats",
    "--report",
    "--json",
)
_COMPARED = ", ".join(EXTRAPOLATORS.select(is_compared=True))


def _refuse_costs(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> None:
    """Tell who knows the option from `extrapolate` that there is nothing behind it."""
    if value is not None:
        msg = (
            "Costs have no back-test: leave out --cost, and the chance of a mistake "
            "is tried."
        )
        raise click.UsageError(msg)


@click.command(
    name="backtest",
    cls=Verb,
    usual=_USUAL,
    aliases={
        **SETTING_NAMES,
        "n_repeats": "--repeats",
        "ratios": "--ratio",
        "n_shown": "--show",
        "methods": "--method",
    },
)
@score_options
@option(
    "Method",
    "--method",
    "methods",
    type=MethodName(EXTRAPOLATORS),
    multiple=True,
    metavar="NAME",
    methods=[described(m) for m in EXTRAPOLATORS.values()],
    help=f"Method to compare; may be repeated. By default auto, {_COMPARED}.",
)
@method_settings_option
@option(
    "Question",
    "--ratio",
    "ratios",
    type=click.FloatRange(min=1, min_open=True),
    multiple=True,
    help="Show one in so many classes; may be repeated. [default: 2 and 4, unless "
    "--show is given]",
)
@option(
    "Question",
    "--show",
    "n_shown",
    type=Listed(Whole(min=2)),
    multiple=True,
    metavar="N",
    help="Show so many classes, fewer than there are; several as 50,100, or repeated.",
)
@option(
    "Question",
    "--repeats",
    "n_repeats",
    type=Whole(min=1),
    default=20,
    help="Random choices of the shown classes.",
)
@top_option
@averaging_options
@class_weights_option
@click.option(
    "--cost", hidden=True, expose_value=False, callback=_refuse_costs, metavar="FILE"
)
@output_options
def command(**options: Any) -> None:
    """Hide classes and see how well each method predicts them back.

    Takes scores, labels and embeddings as 'scorecast extrapolate' does. Accuracy is
    tried, not costs: there is no --cost.
    """
    from scorecast.cli.outputs import run

    run(options, _load, _answer)


def _load(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import load_class_weights, load_scores

    methods = options["methods"] or ("auto", *EXTRAPOLATORS.select(is_compared=True))
    chosen = configured_each(methods, options["settings"])  # before anything is read
    loaded = load_scores(options)
    weights, more = load_class_weights(options, loaded.scores.classes)
    arguments = {"methods": chosen, **weights}
    return loaded.of_verb(arguments, [*loaded.files, *more])


def _answer(options: dict[str, Any], loaded: Loaded) -> Backtest:
    from scorecast.extrapolation import backtest

    names = (
        "n_repeats",
        "top",
        "ties",
        "average",
        "confidence_level",
        "n_jobs",
    )
    return backtest(
        **loaded.arguments,
        ratios=options["ratios"] or None,
        n_shown=[n for several in options["n_shown"] for n in several] or None,
        random_state=options["seed"],
        **{name: options[name] for name in names},
    )
