"""``scorecast extrapolate``: accuracy with many more classes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import (
    Share,
    Whole,
    averaging_options,
    guesses_option,
    output_options,
    score_options,
)

if TYPE_CHECKING:
    from scorecast.classes import Extrapolation, RiskExtrapolation
    from scorecast.scores import Embeddings, Scores

__all__ = ["command"]

_METHODS = (
    "auto",
    "bayesian",
    "regression",
    "gaussian",
    "kde-ucv",
    "kde-bcv",
    "kde-fixed",
    "spline",
    "polynomial",
    "moments",
)


@click.command(name="extrapolate")
@score_options
@click.option(
    "--to",
    "targets",
    type=Whole(min=1),
    multiple=True,
    required=True,
    metavar="N",
    help="Number of classes to forecast; may be repeated.",
)
@click.option(
    "--method",
    type=click.Choice(_METHODS),
    default="auto",
    show_default=True,
    help="How to extrapolate; 'moments' goes with --cost only.",
)
@guesses_option
@click.option("--bandwidth", type=float, help="For regression and kde-fixed.")
@click.option(
    "--form",
    type=click.Choice(["accuracy", "risk", "simplex"]),
    help="What regression regresses.",
)
@click.option(
    "--knots",
    type=click.Choice(["paper", "r"]),
    help="Spacing of the regression basis.",
)
@click.option(
    "--cost",
    metavar="FILE",
    help="Costs, a row for every answer and a column for every true class, with or "
    "without class names: forecast the average cost instead of the accuracy.",
)
@click.option(
    "--compare/--no-compare",
    default=None,
    help="Save what other methods say beside 'auto'. "
    "[default: with --json or --report]",
)
@click.option(
    "--backtest",
    "backtest_repeats",
    type=Whole(min=0),
    metavar="N",
    help="How often to hide half of the classes; 0 for never. [default: as often as "
    "makes the mean error known to a point, 6 to 48]",
)
@click.option(
    "--fail-below",
    type=Share(),
    metavar="ACCURACY",
    help="Exit with 5 if a forecast is lower.",
)
@click.option(
    "--fail-below-low",
    type=Share(),
    metavar="ACCURACY",
    help="Exit with 5 if the lower end of an interval is lower.",
)
@averaging_options
@output_options
def command(**options: Any) -> None:
    """Forecast accuracy (or cost) with many more classes than were tested.

    SCORES holds one row per example and one column per class (.npy, .npz, .csv,
    .parquet, .safetensors). Instead of it, --gallery and --probes give embeddings.
    """
    from scorecast._core.progress import computing
    from scorecast.cli.inputs import collected_warnings, load_scores
    from scorecast.cli.outputs import check_outputs, deliver

    check_outputs(options)
    with collected_warnings() as lines:
        loaded = load_scores(options)
        check_outputs(options, loaded.files)
        with computing():
            forecast = _forecast_risk if options["cost"] else _forecast_accuracy
            result = forecast(loaded.scores, options)
        files = loaded.fingerprints(options["cost"])
    notes = [*loaded.notes, *(x for x in lines if x not in result.warnings)]
    deliver(result, options, files=files, notes=notes)
    _check_gates(result, options["fail_below"], options["fail_below_low"])


def _forecast_accuracy(
    scores: Scores | Embeddings, options: dict[str, Any]
) -> Extrapolation:
    from scorecast.classes import extrapolate

    if options["method"] == "moments":
        msg = "--method moments is for costs: add --cost, or choose another method."
        raise click.UsageError(msg)
    return extrapolate(
        scores,
        to=options["targets"],
        method=options["method"],
        top=options["top"],
        ties=options["ties"],
        average=options["average"],
        level=options["level"],
        compare=_wants_comparison(options),
        backtest_repeats=options["backtest_repeats"],
        random_state=options["seed"],
        n_jobs=options["n_jobs"],
        **_method_options(options),
    )


def _forecast_risk(
    scores: Scores | Embeddings, options: dict[str, Any]
) -> RiskExtrapolation:
    from scorecast.classes import extrapolate_risk
    from scorecast.io import read_costs

    for name in ("fail_below", "fail_below_low", "compare"):
        if options[name] is not None:
            msg = f"--cost does not go with --{name.replace('_', '-')}: leave one out."
            raise click.UsageError(msg)
    if options["top"] > 1:
        msg = "--cost is of one decision: leave out --top."
        raise click.UsageError(msg)
    costs = read_costs(options["cost"], scores.classes)
    result = extrapolate_risk(
        scores,
        cost=costs.values,
        to=options["targets"],
        method=options["method"],
        ties=options["ties"],
        average=options["average"],
        level=options["level"],
        random_state=options["seed"],
        n_jobs=options["n_jobs"],
        **_method_options(options),
    )
    matched = "by name" if costs.is_by_name else "by column order"
    return replace(result, details={**result.details, "costs_matched": matched})


def _wants_comparison(options: dict[str, Any]) -> bool:
    # The terminal shows one forecast; what others say is only seen in a file.
    saved = bool(options["json_path"] or options["report_path"])
    return saved if options["compare"] is None else bool(options["compare"])


def _method_options(options: dict[str, Any]) -> dict[str, Any]:
    names = ("bandwidth", "form", "knots")
    return {name: options[name] for name in names if options[name] is not None}


def _check_gates(result: Any, threshold: float | None, low: float | None) -> None:
    import math

    from scorecast.exceptions import GateFailedError

    for p in result.predictions:
        if threshold is not None and p.accuracy < threshold:
            msg = (
                f"the forecast for {p.classes:,} classes is {p.accuracy:.3f}, below "
                f"--fail-below {threshold}"
            )
            raise GateFailedError(msg)
        if low is not None and not p.low >= low:
            end = "unknown" if math.isnan(p.low) else f"{p.low:.3f}"
            msg = (
                f"the lower end of the interval for {p.classes:,} classes is {end}, "
                f"below --fail-below-low {low}"
            )
            raise GateFailedError(msg)
