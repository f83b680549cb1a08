"""``scorecast survival``: when events come, and what knowing it is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.information import information_gates
from scorecast.cli.options import Whole, level_option, output_options, units_option
from scorecast.cli.verb import Verb, method_option, option, refuse_unused
from scorecast.exceptions import Location, MissingExtraError, UsageError
from scorecast.survival import BASELINES, POPULATION_PRIORS

if TYPE_CHECKING:
    from scorecast.cli.inputs import Loaded
    from scorecast.cli.outputs import Gate
    from scorecast.survival import SurvivalEvaluation, SurvivalModel

_USUAL = (
    "--time",
    "--event",
    "--covariates",
    "--drop",
    "--prior",
    "--cv",
    "--baselines",
    "--predict",
    "--report",
    "--json",
)
# What users call the parameters of the library.
_ALIASES = {
    "X": "--covariates",
    "X_new": "--predict",
    "hyperparameters": "--hyperparameter",
    "candidates": "--candidate",
    "noise_sd": "--noise",
    "sampling": "--draws",
    "n_chains": "--chains",
    "n_draws": "--draws",
}
_OF_MODEL = ("show", "predict", "candidates", "hyperparameters", "chains", "draws")
_OF_NEW = ("at", "predictions")
_PRINTED_GROWTH = 0.09  # of the paper
_MOST_GROWTH = 0.9  # beyond, hundreds of components make a run endless


def _parted(texts: Sequence[str]) -> list[str]:
    """Cut at commas."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _numbers(
    read: Callable[[str], float], what: str
) -> Callable[[Any, click.Parameter, Any], list[Any]]:
    """Read numbers with commas between them, each once."""

    def convert(_: Any, option: click.Parameter, given: Any) -> list[Any]:
        texts = _parted([given or ""] if isinstance(given, str | None) else given)
        found = []
        for text in texts:
            try:
                value = read(text)
            except ValueError:
                value = math.nan
            if not (value > 0 and math.isfinite(value)):
                raise click.BadParameter(f"{text!r} is not {what}.", param=option)
            found.append(value)
        return list(dict.fromkeys(found))

    return convert


@click.command(name="survival", cls=Verb, usual=_USUAL, aliases=_ALIASES)
@click.argument("data", metavar="DATA")
@option(
    "Input", "--time", required=True, metavar="COL", help="Column of times, above 0."
)
@option(
    "Input",
    "--event",
    required=True,
    metavar="COL",
    help="Column: 1 (or yes, true) where the event was seen, 0 where not yet.",
)
@option(
    "Input",
    "--covariates",
    multiple=True,
    metavar="A,B,...",
    help="Columns to predict from, with commas or repeated; log:COL takes the "
    "logarithm, log1p:COL that of 1 plus it, COL=VALUE is 1 where COL holds VALUE. "
    "[default: all others]",
)
@option(
    "Input",
    "--drop",
    multiple=True,
    metavar="A,B,...",
    help="Columns that are no covariates, with commas or repeated.",
)
@option("Input", "--folds", metavar="COL", help="Column of folds of your own.")
@option(
    "Input",
    "--time-unit",
    default="",
    metavar="TEXT",
    help="Unit of time, such as days: shown in tables and figures.",
)
@option(
    "Input",
    "--predict",
    metavar="NEW",
    help="Table of new cases to predict by a fit to all of DATA; the covariates under "
    "the same names, no time, no event.",
)
@option(
    "Question",
    "--at",
    callback=_numbers(float, "a time, a number above 0"),
    metavar="T,...",
    help="With --predict: times at which to give the chance of still waiting.",
)
@option(
    "Question",
    "--show",
    multiple=True,
    callback=_numbers(int, "the number of a row, from 1"),
    metavar="ROW,...",
    help="Cases to draw, by their rows from 1, with commas or repeated. [default: "
    "three]",
)
@method_option(
    "--prior",
    POPULATION_PRIORS,
    group="Question",
    default="exponential",
    says="What is known of all cases alike.",
)
@units_option("Units of information.")
@level_option()
@option(
    "Question",
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the information beyond the prior, the first figure of the "
    "answer, is lower, in --units.",
)
@option(
    "Question",
    "--fail-below-low",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the lower end of the interval is lower, in --units.",
)
@option(
    "Method",
    "--cv",
    default="10",
    metavar="FOLDS",
    help="Folds to hold out in turn; 10x3 deals cases into ten folds three times.",
)
@option(
    "Method",
    "--baselines",
    multiple=True,
    type=click.Choice([*BASELINES, "none"]),
    help="Models to compare with on the same folds; may be repeated. [default: all]",
)
@option(
    "Method",
    "--quick",
    is_flag=True,
    help="In seconds: a lognormal regression in the place of the model, with plain "
    "intervals; no cases are drawn, and only models named by --baselines stand beside.",
)
@option(
    "Method",
    "--hyperparameter",
    "hyperparameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Of the prior of the model, otherwise than in the paper, such as growth=0.2, "
    "how readily components are added; may be repeated.",
)
@option(
    "Method",
    "--candidate",
    "candidates",
    multiple=True,
    metavar="NAME=VALUE,...",
    help="Hyperparameters whose evidence is computed beside those of the paper; may be "
    "repeated. Its chains have a length of their own, whatever --chains and --draws.",
)
@option(
    "Method",
    "--noise",
    type=click.FloatRange(min=0, min_open=True),
    default=0.1,
    help="Typical error of log time, and of covariates in their standard deviations.",
)
@option(
    "Method", "--chains", type=Whole(min=1), help="Chains of every fit. [default: 4]"
)
@option(
    "Method",
    "--draws",
    type=Whole(min=10),
    help="Draws of every chain of a fit; not of the posteriors of J, nor of the "
    "evidence of --candidate. [default: 1000]",
)
@option(
    "Method",
    "--max-seconds",
    type=click.FloatRange(min=0),
    default=60,
    metavar="SECONDS",
    help="How long the chains of one posterior may go on beyond their planned draws "
    "where they fall short of agreement (those of folds once at most); exit code 4 "
    "after that.",
)
@option(
    "Method",
    "--allow-unconverged",
    is_flag=True,
    help="Answer all the same, marked as not converged, where the chains of the "
    "posterior of the information disagree.",
)
@option(
    "Output",
    "--predictions",
    metavar="FILE.csv",
    help="With --predict: save the predictions, one row per new case.",
)
@option(
    "Output",
    "--checkpoint",
    metavar="FILE",
    help="Append what is finished (folds, posteriors of J, shown cases, predictions, "
    "evidence of candidates) here; the same command goes on from it.",
)
@option("File layout", "--delimiter", help="Between the fields of a CSV file.")
@option("File layout", "--decimal", default=".", help="Decimal mark of a CSV file.")
@option(
    "File layout", "--no-header", is_flag=True, help="The CSV file begins with data."
)
@output_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Predict when events come, and say in bits what the predictions are worth.

    DATA has one row per case (.csv, .csv.gz, .parquet): how long it was followed,
    whether the event was then seen, and numbers to predict from; empty cells and NA are
    missing values. Every case is predicted by a model that did not learn from it.
    """
    from scorecast.cli.outputs import run

    if options["folds"]:
        refuse_unused(context, ("cv",), "where the folds are named: leave out one")
    if options["quick"]:
        refuse_unused(context, _OF_MODEL, "in a quick look, which has no model")
    if options["predict"] is None:
        refuse_unused(context, _OF_NEW, "without new cases to predict")
    _check_predictions(options["predictions"])
    run(options, _load, _answer, gates=_gates)


def _check_predictions(path: str | None) -> None:
    """Refuse a table that cannot be written, before anything takes time."""
    from importlib.util import find_spec

    if path is None:
        return
    if not path.lower().endswith((".csv", ".parquet")):
        problem = f"must end in .csv or .parquet; got {path!r}"
        raise UsageError(problem, parameter="predictions")
    if path.lower().endswith(".parquet") and find_spec("pyarrow") is None:
        what = "Writing Parquet"
        raise MissingExtraError(what, "io")


def _load(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import Loaded, file_layout
    from scorecast.io import check_writable, read_new_samples, read_survival

    baselines = _baselines(options)  # refused before anything is read
    candidates, model = _candidates(options), _model(options)
    data = read_survival(
        options["data"],
        options["time"],
        options["event"],
        covariates=_parted(options["covariates"]),
        folds=options["folds"],
        layout=file_layout(options, drop=_parted(options["drop"])),
    )
    sources, notes = [data.source], [*data.notes]
    places = {**data.locations}
    X_new = None
    if options["predict"] is not None:
        layout = file_layout(options, drop=())
        new = read_new_samples(options["predict"], data, layout=layout)
        X_new = new.X
        sources.append(new.source)
        notes += new.notes
        places["X_new"] = Location(file=new.source)
    if data.folds is not None:
        places["cv"] = places.get("folds", Location(file=data.source))
    if options["checkpoint"]:
        check_writable(options["checkpoint"], force=True, inputs=sources)
    return Loaded(
        arguments={
            "model": model,
            "X": data.X,
            "time": data.time,
            "event": data.event,
            "feature_names": data.names,
            "cv": options["cv"] if data.folds is None else data.folds,
            "baselines": baselines,
            "X_new": X_new,
            "candidates": candidates,
        },
        files=tuple(sources),
        places=places,
        notes=tuple({str(note): note for note in notes}.values()),
    )


def _answer(options: dict[str, Any], loaded: Loaded) -> SurvivalEvaluation:
    from scorecast.cli.outputs import interrupted
    from scorecast.information import PosteriorSettings
    from scorecast.survival import SurvivalExtras, evaluate_survival

    given = dict(loaded.arguments)
    extras = SurvivalExtras(
        show=options["show"],
        X_new=given.pop("X_new"),
        at=options["at"],
        candidates=given.pop("candidates"),
        look_for_leaks=not options["covariates"],
        time_unit=options["time_unit"].strip(),
    )
    names = ("prior", "units", "confidence_level")
    asked = {name: options[name] for name in names}
    asked["random_state"] = options["seed"]
    if not options["quick"]:
        _say_first(given, asked, extras.time_unit)
    settings = PosteriorSettings(
        max_seconds=options["max_seconds"],
        allow_unconverged=options["allow_unconverged"],
    )
    try:
        found = evaluate_survival(
            **given,
            **asked,
            quick=options["quick"],
            settings=settings,
            extras=extras,
            n_jobs=options["n_jobs"],
            checkpoint=options["checkpoint"],
        )
    except KeyboardInterrupt as stop:
        n_folds = _n_folds(given["cv"])
        raise interrupted(options["checkpoint"], n_folds=n_folds) from stop
    _save_predictions(found, options)
    return found


def _say_first(given: dict[str, Any], asked: dict[str, Any], time_unit: str) -> None:
    """Say what needs no simulation, before the work begins."""
    from scorecast._core.progress import say
    from scorecast.cli.outputs import line_width
    from scorecast.report.survival import preview_text
    from scorecast.survival import preview_survival

    names = ("X", "time", "event", "feature_names", "cv")
    found = preview_survival(**{name: given[name] for name in names}, **asked)
    shown = preview_text(
        found,
        units=asked["units"],
        confidence_level=asked["confidence_level"],
        time_unit=time_unit,
    )
    for line in shown.splitlines():
        say(click.wrap_text(line, width=line_width()))


def _n_folds(cv: Any) -> int:
    """Return how many folds are held out in all."""
    if not isinstance(cv, str):
        return len(set(cv.tolist()))
    folds, _, repeats = cv.partition("x")
    return int(folds) * int(repeats or 1)


def _save_predictions(found: SurvivalEvaluation, options: dict[str, Any]) -> None:
    """Write the predictions as a table, if that was asked for."""
    import numpy as np

    from scorecast.io import write_table

    if found.predictions is None or options["predictions"] is None:
        return
    table = found.predictions.to_columns()
    columns = {name: np.array(values) for name, values in table.items()}
    write_table(options["predictions"], columns, force=options["force"])


def _gates(result: SurvivalEvaluation, options: dict[str, Any]) -> Iterator[Gate]:
    yield from information_gates(result.information, options)


# --- what the model is told ----------------------------------------------------------


def _baselines(options: dict[str, Any]) -> list[str] | None:
    """Return the models to compare with; None for the usual ones."""
    given = options["baselines"]
    if "none" in given and len(set(given)) > 1:
        problem = "none is for no comparison: leave it out, or the others"
        raise UsageError(problem, parameter="baselines")
    return [name for name in given if name != "none"] if given else None


def _model(options: dict[str, Any]) -> SurvivalModel:
    from dataclasses import replace

    from scorecast.survival import SAMPLING, SurvivalModel

    lengths = {
        "n_chains": options["chains"],
        "n_draws": options["draws"],
        "max_seconds": options["max_seconds"],
    }
    known = {name: value for name, value in lengths.items() if value is not None}
    return SurvivalModel(
        hyperparameters=_hyperparameters(options) or {"growth": _PRINTED_GROWTH},
        noise_sd=options["noise"],
        sampling=replace(SAMPLING, **known),
        n_jobs=options["n_jobs"],
    )


def _hyperparameters(options: dict[str, Any]) -> dict[str, float]:
    return _settings(",".join(options["hyperparameters"]), "hyperparameters")


def _candidates(options: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Read what candidates set otherwise; what the model uses is one of them."""
    found = {text: _settings(text, "candidates") for text in options["candidates"]}
    used = _hyperparameters(options)
    if found and used:
        name = ",".join(f"{key}={value:g}" for key, value in used.items())
        found.setdefault(name, used)
    return found


def _settings(text: str, parameter: str) -> dict[str, float]:
    """Read NAME=VALUE,... of numbers."""
    from scorecast.survival.model import check_hyperparameter

    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    try:
        found = {name.strip(): float(value) for name, _, value in pairs}
    except ValueError as error:
        problem = f"NAME=VALUE,... with numbers is needed; got {text!r}"
        raise UsageError(problem, parameter=parameter) from error
    for name in found:
        check_hyperparameter(name, parameter)
    if not 0.0 < found.get("growth", _MOST_GROWTH) <= _MOST_GROWTH:
        problem = f"{text}: growth must be above 0 and at most {_MOST_GROWTH:g}"
        raise UsageError(problem, parameter=parameter)
    return found
