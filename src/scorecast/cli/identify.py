"""``scorecast identify``: what identification proves and implies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import (
    Whole,
    amount_options,
    identification_options,
    output_options,
)

if TYPE_CHECKING:
    from scorecast.cli.stimuli import LoadedDecoders, LoadedResponses
    from scorecast.information import DecoderComparison, Identification

__all__ = ["command"]


@click.command(name="identify", context_settings={"allow_extra_args": True})
@identification_options
@click.option(
    "--to",
    "targets",
    type=Whole(min=2),
    multiple=True,
    metavar="N",
    help="Number of candidates to extrapolate to; may be repeated.",
)
@click.option(
    "--weights",
    type=click.Choice(["equal", "variance", "covariance"]),
    default="equal",
    show_default=True,
    help="How sizes are weighed for implied information.",
)
@click.option(
    "--bound-size",
    "bound_sizes",
    type=Whole(min=2),
    multiple=True,
    metavar="K",
    help="Number of candidates for the bound; may be repeated. "
    "[default: up to four from 3 to all]",
)
@amount_options("the interval and of the bound")
@click.option(
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the implied information is lower, in --units.",
)
@click.option(
    "--fail-below-low",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the lower end of the interval is lower, in --units.",
)
@output_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Say how much information identification proves, and how much it implies.

    Either --scores: a matrix with one row per response and one column per stimulus
    (square with the truth on the diagonal, or with --labels); repeat it, as FILE or
    NAME=FILE, to compare decoders. Or --gallery and --probes, vectors to be compared.
    Or --stimuli and --responses, one row each: an encoding model is then fitted to
    some stimuli and tested on the others.
    """
    from scorecast._core.progress import computing
    from scorecast.cli.inputs import collected_warnings
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.cli.stimuli import load_identification

    if context.args:
        msg = f"Files are named by options here: use --scores {context.args[0]}."
        raise click.UsageError(msg)
    check_outputs(options)
    with collected_warnings() as lines:
        loaded = load_identification(options)
        check_outputs(options, loaded.files)
        with computing():
            result = _answer(loaded, options)
        files = loaded.fingerprints()
    known = " ".join(result.warnings)
    notes = [*loaded.notes, *(x for x in lines if x not in known)]
    deliver(result, options, files=files, notes=notes)
    _check_gates(result, options)


def _answer(
    loaded: LoadedDecoders | LoadedResponses, options: dict[str, Any]
) -> Identification | DecoderComparison:
    from scorecast.cli.inputs import blamed_on
    from scorecast.cli.stimuli import LoadedDecoders
    from scorecast.information import comparison_of, identify, identify_from_scores

    settings: dict[str, Any] = {
        "to": options["targets"],
        "weights": options["weights"],
        "bound_sizes": options["bound_sizes"] or None,
        "population": options["population"],
        "level": options["level"],
        "units": options["units"],
        "n_jobs": options["n_jobs"],
    }
    files = " with ".join(loaded.files)
    if not isinstance(loaded, LoadedDecoders):
        with blamed_on(files):
            return identify(
                loaded.stimuli,
                loaded.responses,
                groups=loaded.groups,
                test_size=options["test_size"],
                n_splits=options["n_splits"],
                repeats=options["repeats"] or "design",
                random_state=options["seed"],
                **settings,
            )
    if len(loaded.decoders) > 1 and options["targets"]:
        msg = "--to goes with one --scores: a comparison has no forecasts."
        raise click.UsageError(msg)
    answers = {}
    for name, scores in loaded.decoders.items():
        with blamed_on(name if len(loaded.decoders) > 1 else files):
            answers[name] = identify_from_scores(scores, **settings)
    if len(answers) == 1:
        return next(iter(answers.values()))
    return comparison_of(answers, level=options["level"], units=options["units"])


def _check_gates(
    result: Identification | DecoderComparison, options: dict[str, Any]
) -> None:
    from scorecast.cli.outputs import Gate
    from scorecast.information import Identification

    if isinstance(result, Identification):
        found, low = result.implied.value, result.implied.low
    else:
        found, low = result.best.implied, result.best.low
    asked = (("--fail-below", found, "the implied information"),
             ("--fail-below-low", low, "the lower end of its interval"))  # fmt: skip
    for option, value, subject in asked:
        least = options[option[2:].replace("-", "_")]
        Gate(
            option=option, least=least, value=value, subject=subject, unit=result.units
        ).check()
