"""``scorecast extrapolate``: accuracy, or cost, with many more classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.method_options import (
    SETTING_NAMES,
    configured,
    method_settings_option,
)
from scorecast.cli.options import (
    Listed,
    Share,
    Whole,
    averaging_options,
    class_weights_option,
    output_options,
    score_options,
)
from scorecast.cli.verb import Verb, method_option, option, refuse_unused
from scorecast.exceptions import InvalidInputError, Location, UsageError, listed
from scorecast.extrapolation import (
    CURVE_METHODS,
    EXTRAPOLATORS,
    RISK_METHODS,
    PointDesign,
)

if TYPE_CHECKING:
    from scorecast.cli.outputs import Gate, Loaded
    from scorecast.extrapolation import (
        CurveExtrapolation,
        Extrapolation,
        Extrapolator,
        PublishedCurve,
        RecogniserComparison,
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
_OF_ACCURACY = ("until", "fail_below", "fail_below_low")
_OF_SCORES = (
    "scores",
    "labels",
    "label_column",
    "gallery",
    "probes",
    "gallery_labels",
    "class_file",
    "prefix",
    "drop",
    "drop_nonfinite",
    "lower_is_better",
    "metric",
    "cost",
    "ties",
    "average",
    "class_weights",
    "settings",
    "compare",
    "backtest",
    "mrr",
    "key",
)
# What columns of published points are called elsewhere.
_MEANT = {
    "classes": (
        *("n", "k", "nclasses", "numclasses", "class", "numberofclasses", "size"),
        *("gallery", "gallerysize", "enrolled", "identities", "people", "documents"),
        *("corpus", "candidates", "ways", "ids"),
    ),
    "accuracy": (
        *("acc", "accuracies", "top1", "rank1", "rank1accuracy", "hitrate", "recall"),
        *("recall1", "tpir", "correct", "right", "score", "precision1", "p1"),
    ),
    "miss": ("missrate", "misses", "error", "errorrate", "err", "fnir", "wrong"),
    "samples": ("nsamples", "tests", "ntests", "probes", "searches", "queries"),
    "model": ("algorithm", "algo", "method", "name", "system", "recogniser"),
}
_OF_POINTS = ("design", "n_samples")
_OF_ONE = ("cost", "curve")


@click.command(name="extrapolate", cls=Verb, usual=_USUAL, aliases=SETTING_NAMES)
@score_options
@click.argument("others", nargs=-1, metavar="[OTHERS]...")
@option(
    "Question",
    "--to",
    type=Listed(Whole(min=2)),
    multiple=True,
    metavar="N",
    help="Number of classes to forecast, such as 1e5; several as 400,1000, or "
    "repeated. Needed without --until.",
)
@option(
    "Question",
    "--until",
    type=Share(is_open=True),
    metavar="ACCURACY",
    help="Say up to how many classes this accuracy is held; no higher than observed.",
)
@option(
    "Question",
    "--top",
    type=Listed(Whole(min=1)),
    default="1",
    metavar="M",
    help="Guesses allowed: right if the true class is among the best M (recall at M). "
    "Several, such as 1,5,10, are forecast together.",
)
@option(
    "Question",
    "--mrr",
    is_flag=True,
    help="Forecast the mean reciprocal rank, too.",
)
@averaging_options
@class_weights_option
@option(
    "Input",
    "--curve",
    metavar="FILE",
    help="Published points instead of scores: a table with the columns classes and "
    "accuracy (or miss), and perhaps samples and model.",
)
@option(
    "Input",
    "--design",
    type=click.Choice([design.value for design in PointDesign]),
    default=PointDesign.NESTED.value,
    help="How points of --curve came about: the same tests in growing galleries, "
    "averages over subsets of one set of classes, or other tests each time.",
)
@option(
    "Input",
    "--samples",
    "n_samples",
    type=Whole(min=1),
    metavar="N",
    help="Tests behind every point of --curve, where no column says so.",
)
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
    others=(
        *RISK_METHODS.values(),
        *(m for name, m in CURVE_METHODS.items() if name not in EXTRAPOLATORS),
    ),
    says=f"How to extrapolate; costs also by {', '.join(RISK_METHODS)}, points of "
    f"--curve by {', '.join(CURVE_METHODS)}.",
)
@method_settings_option
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
    .parquet, .safetensors). Instead of it, --gallery and --probes give embeddings, or
    --curve published accuracies at a few numbers of classes.

    OTHERS are scores of other recognisers for the same examples: all are forecast, and
    which will be ahead. Names are those of the files, or NAME=FILE.
    """
    from scorecast.cli.outputs import run

    options["to"] = tuple(n for several in options["to"] for n in several)
    if not options["to"] and options["until"] is None:
        given = ("scores", "curve", "gallery", "probes")
        first = ""
        if not any(options[name] for name in given):
            first = "SCORES (or --gallery and --probes, or --curve) are needed, and "
        raise UsageError(
            f"{first}how many classes there will be{'' if first else ' is needed'} "
            "(--to), or an accuracy to hold (--until)"
        )
    if options["curve"]:
        refuse_unused(context, _OF_SCORES, "where points are given: leave it out")
        run(options, _load_points, _answer_points, gates=_point_gates)
        return
    refuse_unused(context, _OF_POINTS, "without points (--curve)")
    if options["cost"]:
        refuse_unused(context, _OF_ACCURACY, "where costs are forecast: leave it out")
    if options["others"]:
        refuse_unused(context, _OF_ONE, "where several recognisers are compared")
        run(options, _load_several, _answer, gates=_several_gates)
        return
    run(options, _load, _answer, gates=None if options["cost"] else _gates)


def _load(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import load_class_weights, load_scores
    from scorecast.io import read_costs

    method = _method(options)  # refused before anything is read
    loaded = load_scores(options)
    weights, more = load_class_weights(options, loaded.scores.classes)
    arguments: dict[str, Any] = {"method": method, **weights}
    files = [*loaded.files, *more]
    if options["cost"]:
        arguments["cost"] = read_costs(options["cost"], loaded.scores.classes)
        files.append(options["cost"])
    return loaded.of_verb(arguments, files)


def _load_several(options: dict[str, Any]) -> Loaded:
    """Read the scores of several recognisers."""
    from scorecast.cli.inputs import load_class_weights, load_scores, named_files
    from scorecast.cli.outputs import Loaded

    method = _method(options)
    found: dict[str, Any] = {}
    files: list[str] = []
    notes: list[Any] = []
    for name, path in named_files([options["scores"], *options["others"]]):
        if name in found:
            problem = f"two recognisers are called {name!r}"
            remedy = "name them, as NAME=FILE"
            raise UsageError(problem, parameter="scores", remedy=remedy)
        loaded = load_scores({**options, "scores": path})
        found[name] = loaded.scores
        files += [file for file in loaded.files if file not in files]
        notes += loaded.notes
    first = next(iter(found.values()))
    weights, more = load_class_weights(options, first.classes)
    return Loaded(
        arguments={"scores": found, "method": method, **weights},
        files=[*files, *more],
        notes=notes,
    )


def _several_gates(
    result: RecogniserComparison, options: dict[str, Any]
) -> Iterator[Gate]:
    for name, one in result.recognisers.items():
        yield from _gates(one, options, of=name)


def _answer(
    options: dict[str, Any], loaded: Loaded
) -> Extrapolation | RiskExtrapolation | RecogniserComparison:
    from scorecast.extrapolation import extrapolate

    names = ("to", "ties", "average", "confidence_level", "n_jobs")
    asked = {name: options[name] for name in names}
    asked["to"] = options["to"] or None
    asked["random_state"] = options["seed"]
    arguments = dict(loaded.arguments)
    costs = arguments.pop("cost", None)
    # The terminal shows one forecast; what others say is only seen in a file.
    is_saved = bool(options["json_path"] or options["report_path"])
    is_compared = options["compare"]
    asked.update(
        top=options["top"],
        mrr=options["mrr"],
        compare=is_saved if is_compared is None else is_compared,
        backtest="auto" if options["backtest"] is None else options["backtest"],
    )
    if costs is not None:
        risk: RiskExtrapolation
        risk = extrapolate(**arguments, **asked, cost=costs.values)
        return replace(risk, are_costs_by_name=costs.is_by_name)
    found: Extrapolation | RecogniserComparison = extrapolate(
        **arguments, **asked, until=options["until"]
    )
    return found


def _load_points(options: dict[str, Any]) -> Loaded:
    """Read published points: columns by their names, misses as well as accuracies."""
    from scorecast.cli.inputs import file_layout
    from scorecast.cli.outputs import Loaded
    from scorecast.io import read_results

    path = options["curve"]
    table = read_results(path, layout=file_layout(options, key=None, drop=()))
    columns = {name.strip().lower(): values for name, values in table.columns.items()}
    places = {name: Location(file=path, column=name) for name in columns}
    if "classes" not in columns or not {"accuracy", "miss"} & set(columns):
        raise InvalidInputError(
            f"needs the columns classes and accuracy (or miss); there are "
            f"{listed(table.columns, 8)}",
            location=Location(file=path),
            remedy=_how_to_name(list(table.columns)),
        )
    is_miss = "accuracy" not in columns
    shares = columns["miss"] if is_miss else columns["accuracy"]
    if is_miss and max(shares) > 1:
        raise InvalidInputError(
            f"{max(shares):g} is no share from 0 to 1",
            location=places["miss"],
            remedy="divide percentages by 100",
        )
    n_samples = columns.get("samples", options["n_samples"])
    return Loaded(
        arguments={
            "classes": columns["classes"],
            "accuracy": [1 - share for share in shares] if is_miss else shares,
            "n_samples": n_samples,
            "model": columns.get("model"),
        },
        files=(table.source,),
        places={
            "classes": places["classes"],
            "accuracy": places["miss" if is_miss else "accuracy"],
            **({"n_samples": places["samples"]} if "samples" in columns else {}),
        },
        notes=table.notes,
    )


def _how_to_name(columns: list[str]) -> str:
    """Say which columns are meant, or how to turn a wide table into rows."""
    sizes = [name for name in columns if re.search(r"\d{2,}", name)]
    if len(sizes) > 1 and len(sizes) >= len(columns) - 2:
        size = re.findall(r"\d+", sizes[0])[-1]
        return (
            f"turn the table round: a row for every point, such as model,classes,"
            f"accuracy and below it A,{size},0.95"
        )
    plain = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in columns}
    meant = {
        right: next((plain[other] for other in others if other in plain), None)
        for right, others in _MEANT.items()
        if right not in plain
        and not (right in ("accuracy", "miss") and {"accuracy", "miss"} & plain.keys())
    }
    renamed = [f"{old} to {new}" for new, old in meant.items() if old]
    if renamed:
        return f"rename {listed(renamed, 3)}"
    return "a row for every point, such as 1000,0.95"


def _answer_points(options: dict[str, Any], loaded: Loaded) -> CurveExtrapolation:
    from scorecast.extrapolation import extrapolate_curve

    method = options["method"]
    found: CurveExtrapolation = extrapolate_curve(
        **loaded.arguments,
        to=options["to"] or None,
        design=options["design"],
        top=_one_top(options["top"]),
        until=options["until"],
        method="bayesian" if method == "auto" else method,
        confidence_level=options["confidence_level"],
    )
    return found


def _one_top(top: tuple[int, ...]) -> int:
    """Take one number of guesses: published points are of one."""
    if len(top) > 1:
        problem = "published points are of one number of guesses"
        raise UsageError(problem, parameter="top", remedy="give one number")
    return top[0]


def _point_gates(result: CurveExtrapolation, options: dict[str, Any]) -> Iterator[Gate]:
    for curve in result.curves:
        yield from _gates(curve, options, of=curve.model)


def _method(options: dict[str, Any]) -> str | Extrapolator:
    """Choose the method, with the settings that were given."""
    name = options["method"]
    if name in CURVE_METHODS and name not in EXTRAPOLATORS:
        problem = f"{name} is for published points"
        remedy = "give points (--curve), or choose another method"
        raise UsageError(problem, parameter="method", remedy=remedy)
    if name in RISK_METHODS:
        if not options["cost"]:
            problem = f"{name} is for costs"
            remedy = "give costs, or choose another method"
            raise UsageError(problem, parameter="method", remedy=remedy)
        if options["settings"]:
            raise UsageError(f"{name} has no settings", parameter="settings")
        return str(name)
    return configured(name, options["settings"])


def _gates(
    result: Extrapolation | PublishedCurve, options: dict[str, Any], of: str = ""
) -> Iterator[Gate]:
    from scorecast.cli.outputs import Gate

    who = f"of {of} " if of else ""
    for p in result.predictions:
        of = f"{who}for {p.classes:,} classes"
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
