"""``scorecast backtest``: hide classes and predict them back."""

from __future__ import annotations

from typing import Any

import click

from scorecast.cli.options import (
    Whole,
    averaging_options,
    guesses_option,
    output_options,
    score_options,
)

__all__ = ["command"]


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


@click.command(name="backtest")
@score_options
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="Method to compare; may be repeated. By default auto, regression, "
    "gaussian, kde-ucv, kde-bcv and spline.",
)
@click.option(
    "--ratio",
    "ratios",
    type=click.FloatRange(min=1, min_open=True),
    multiple=True,
    default=(2, 4),
    show_default=True,
    help="Show one in so many classes; may be repeated.",
)
@click.option(
    "--repeats",
    type=Whole(min=1),
    default=20,
    show_default=True,
    help="Random choices of the shown classes.",
)
@click.option(
    "--cost", hidden=True, expose_value=False, callback=_refuse_costs, metavar="FILE"
)
@guesses_option
@averaging_options
@output_options
def command(**options: Any) -> None:
    """Hide classes and see how well each method predicts them back.

    Takes scores, labels and embeddings as 'scorecast extrapolate' does. Accuracy is
    tried, not costs: there is no --cost.
    """
    from scorecast._core.progress import computing
    from scorecast.classes import DEFAULT_METHODS, backtest
    from scorecast.cli.inputs import collected_warnings, load_scores
    from scorecast.cli.outputs import check_outputs, deliver

    check_outputs(options)
    with collected_warnings() as lines:
        loaded = load_scores(options)
        check_outputs(options, loaded.files)
        with computing():
            result = backtest(
                loaded.scores,
                methods=options["methods"] or DEFAULT_METHODS,
                ratios=options["ratios"],
                n_repeats=options["repeats"],
                top=options["top"],
                ties=options["ties"],
                average=options["average"],
                level=options["level"],
                random_state=options["seed"],
                n_jobs=options["n_jobs"],
            )
        files = loaded.fingerprints()
    deliver(result, options, files=files, notes=[*loaded.notes, *lines])
