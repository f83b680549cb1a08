"""``scorecast demo``: the main job on data that ship with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import output_options

if TYPE_CHECKING:
    from scorecast.information import ApparentInformation

__all__ = ["command"]

_KNOWN = 60
_TARGETS = (242, 1623)


@click.command(name="demo")
@output_options
@click.option("--out", metavar="FILE.html", help="The same as --report.")
def command(out: str | None, **options: Any) -> None:
    """Forecast the recognition of handwritten characters, and check the forecast.

    The package ships drawings of 242 characters (Omniglot). 60 of them, chosen at
    random, are shown; accuracy with all 242 is forecast and compared with the truth,
    then forecast for the 1,623 characters of the whole collection. A second part says
    how much forecasts of football matches knew. Writes scorecast-demo.html.
    """
    from scorecast._core.progress import computing
    from scorecast.cli.inputs import collected_warnings
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.extrapolation import extrapolate
    from scorecast.io import CharacterExample, MatchExample
    from scorecast.scores import accuracy_curve

    if out and options["report_path"]:
        msg = "--out and --report mean the same: give one of them."
        raise click.UsageError(msg)
    options["report_path"] = out or options["report_path"]
    if not options["report_path"]:
        # Its own file it may replace; whatever else was named it may not.
        options["report_path"], options["force"] = "scorecast-demo.html", True
    check_outputs(options)
    everything, shown = _characters(options["seed"])
    with collected_warnings(), computing():
        truth = accuracy_curve(everything, sizes=_TARGETS[0], standard_errors=False)
        result = extrapolate(shown, to=_TARGETS, random_state=options["seed"])
        known = _matches(options)
    talk = not options["quiet"] and options["json_path"] != "-"
    if talk:
        click.echo(
            "Handwritten characters (Omniglot), recognised by the nearest mean drawing."
            f"\n{_KNOWN} of 242 characters are shown; the others are forecast.\n"
        )
    source = (
        f"{CharacterExample.source}. {MatchExample.source}"
        if known
        else CharacterExample.source
    )
    deliver(result, options, files=[], source=source, further=known)
    if talk:
        forecast = result.predictions[0]
        inside = forecast.low <= truth.accuracy[0] <= forecast.high
        click.echo(
            "\nTruth     with all 242 characters it is right "
            f"{100 * truth.accuracy[0]:.0f} % of the time: "
            f"{'inside' if inside else 'outside'} the interval"
        )
        _say_matches(known)


def _characters(seed: int) -> tuple[Any, Any]:
    """Return all characters, and a random choice of those to be shown."""
    import numpy as np

    from scorecast.io import load_characters
    from scorecast.scores import Embeddings

    known = load_characters()
    embeddings = Embeddings(
        known.gallery, known.probes, metric="cosine", gallery_labels=known.names
    )
    everything = embeddings.labelled([known.names[i] for i in known.labels])
    chosen = np.random.default_rng(seed).permutation(everything.n_classes)[:_KNOWN]
    return everything, everything.subset(np.sort(chosen))


def _matches(options: dict[str, Any]) -> list[ApparentInformation]:
    """Judge the forecasts of football matches."""
    from scorecast.information import Forecasts, PosteriorSettings, apparent_information
    from scorecast.io import load_matches

    known = load_matches()
    forecasts = Forecasts.from_class_probabilities(
        known.probabilities,
        known.outcome,
        classes=known.classes,
        prior="leave-one-out",
        ids=known.matches,
    )
    answer = apparent_information(
        forecasts,
        settings=PosteriorSettings(allow_unconverged=True),
        random_state=options["seed"],
        n_jobs=options["n_jobs"],
    )
    return [answer]


def _say_matches(known: list[ApparentInformation]) -> None:
    from scorecast.cli.outputs import line_width

    click.echo(
        "\nForecasts of 279 World Cup matches (FiveThirtyEight): how much did they "
        "know\nbeyond how often the first team wins, draws or loses?\n"
    )
    click.echo(click.wrap_text(known[0].summary(), width=line_width()))
