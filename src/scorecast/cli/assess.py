"""``scorecast assess``: what can be promised about models of few samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import (
    Share,
    Whole,
    drop_option,
    level_option,
    output_options,
    table_options,
)
from scorecast.cli.right import assess_right
from scorecast.cli.verb import MethodName, Verb, method_option, option, refuse_unused
from scorecast.evaluation import METRICS, MODELS, NULL_DATA, Permute, Task
from scorecast.exceptions import DataWarning, UsageError, listed

if TYPE_CHECKING:
    from scorecast.cli.outputs import Gate, Loaded
    from scorecast.evaluation import Assessment, Metric, Splitter
    from scorecast.io import Dataset

_CLASSIFIERS = ", ".join(MODELS.select(task=Task.CLASSIFICATION))
_REGRESSORS = ", ".join(MODELS.select(task=Task.REGRESSION))
_OF_TESTS = ("n_permutations", "permute", "null_data", "n_null_data")
_OF_WHOLE = (
    *_OF_TESTS,
    "learning_curve",
    "feature_curve",
    "target_score",
    "n_selected",
    "vc_dimension",
    "hypotheses",
)


@click.command(
    name="assess",
    cls=Verb,
    usual=(
        "--target",
        "--model",
        "--groups",
        "--scoring",
        "--cv",
        "--tune",
        "--confidence-level",
        "--quick",
        "--json",
        "--report",
    ),
    aliases={
        "estimator": "--model",
        "X": "DATA",
        "y": "--target",
        "param_grid": "--tune",
        "target": "--target-score",
        "successes": "--right",
    },
)
@click.argument("data", metavar="DATA")
@option(
    "Input",
    "--target",
    metavar="COL",
    help="Column (or array of an .npz) with what is to be predicted.",
)
@option(
    "Input",
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help=f"For classes {_CLASSIFIERS}; for numbers {_REGRESSORS}; or a class of "
    "scikit-learn with literal parameters, as \"sklearn.svm:SVC(kernel='linear')\"; "
    "may be repeated.",
)
@option(
    "Input",
    "--groups",
    metavar="COL",
    help="Column of groups, never split; with --right, samples that belong together.",
)
@drop_option
@option(
    "Input",
    "--cost",
    metavar="FILE",
    help="Cost of answering one class (row) where another (column) is true, with class "
    "names or, without, in sorted order of the classes: the mean cost is then the "
    "first metric.",
)
@option(
    "Input",
    "--right",
    metavar="COL",
    help="Column of 1 (right) and 0 (wrong): the accuracy of one model, whose samples "
    "may belong to --groups.",
)
@option("File layout", "--key", help="Name of the array of features in an .npz file.")
@table_options
@option(
    "Question",
    "--scoring",
    multiple=True,
    type=MethodName(METRICS),
    metavar="NAME",
    help="Metric; may be repeated, and the first is tested. [default: accuracy and "
    "balanced_accuracy, or root_mean_squared_error; of lpo balanced_accuracy]",
    methods=[(m.name, m.summary) for m in METRICS.values()],
)
@option(
    "Question",
    "--pos-label",
    metavar="CLASS",
    help="Class that sensitivity, specificity and (of two classes) f1 are about. "
    "[default: the last in sorted order]",
)
@level_option()
@option(
    "Question",
    "--learning-curve",
    is_flag=True,
    help="Learn from fewer samples as well, and say how many are needed for the "
    "target score.",
)
@option(
    "Question",
    "--feature-curve",
    is_flag=True,
    help="The same with fewer features, drawn at random.",
)
@option(
    "Question",
    "--target-score",
    type=float,
    metavar="VALUE",
    help="Score of the first metric that is aimed at. [default: 0.9 of a share]",
)
@option(
    "Question",
    "--select",
    "n_selected",
    type=Whole(min=1),
    metavar="K",
    help="Look into the choice of the best K features: luck, and what choosing before "
    "the split would add.",
)
@option(
    "Question",
    "--vc-dimension",
    metavar="VC",
    help="VC dimension of the models (of more classes that of Natarajan), or "
    "'measure', for a conservative bound.",
)
@option(
    "Question",
    "--hypotheses",
    metavar="KIND:SIZE",
    help="What the models learn, counted for a conservative bound: tree:LEAVES or "
    'decision-list:LENGTH. They must keep to it, as "sklearn.tree:'
    'DecisionTreeClassifier(max_leaf_nodes=8)" does to tree:8.',
)
@option(
    "Question",
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if no model is as good as this at the worse end of its interval "
    "of the first metric; where less is better, if none stays as low.",
)
@option(
    "Method",
    "--cv",
    default="10",
    help="Folds, as 10 or 10x5; or kfold5, loo, lpo, mc100, group5, boot200, .632+.",
)
@option(
    "Method",
    "--tune",
    "grids",
    multiple=True,
    metavar="NAME=V,V,...",
    help="Choose a parameter anew inside every split, among these literal values, such "
    "as C=0.1,1,10; may be repeated. For all models that have it, or svm__C for one.",
)
@option(
    "Method", "--tune-cv", default="5", help="Inner splits by which --tune chooses."
)
@option(
    "Method",
    "--test-size",
    type=Share(is_open=True),
    help="Share of the samples that mc tests. [default: 0.2]",
)
@option(
    "Method",
    "--quick",
    is_flag=True,
    help="Scores and their intervals only, in seconds: no test against chance, no null "
    "data, no bias and variance.",
)
@option(
    "Method",
    "--permutations",
    "n_permutations",
    type=Whole(min=0),
    help="Permutations; 0 leaves out tests against chance. By default 1,000 for quick "
    "models (naive-bayes, nearest-centroid, neighbors, ridge-classifier, logistic of "
    "two classes, discriminant) on small data, else 100 (svm, tree, forest, ...).",
)
@option(
    "Method",
    "--permute",
    type=click.Choice([x.value for x in Permute]),
    default=Permute.ALL.value,
    help="Whether tested samples are permuted too.",
)
@method_option("--null-data", NULL_DATA, default="shrunk", says="Kind of null data.")
@option(
    "Method",
    "--null-sets",
    "n_null_data",
    type=Whole(min=0),
    default=20,
    help="Null data sets to draw.",
)
@option(
    "Method",
    "--alpha",
    type=Share(is_open=True),
    default=0.05,
    help="Level below which a result is feasible.",
)
@option(
    "Method",
    "--relaxed-alpha",
    type=Share(is_open=True),
    default=0.2,
    help="Level below which a result is exploratory.",
)
@option(
    "Method",
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop a fit that takes longer; its fold has then failed. Fits run in another "
    "process, one per worker, which takes a few seconds to start.",
)
@option(
    "Output",
    "--checkpoint",
    metavar="FILE",
    help="Append finished fits here; the same command goes on from it.",
)
@output_options
def command(**options: Any) -> None:
    """Say what can be promised about models learned from few samples.

    DATA has one row per sample (.csv, .csv.gz, .parquet): one column is the target, all
    others are features. Or an .npz with the features (X) and the target as arrays.

    With --right it is a table of answers, right or wrong, of one model.
    """
    from scorecast.cli.outputs import run

    if options["right"]:
        assess_right(options)
        return
    for name in ("target", "models"):
        if not options[name]:
            msg = f"Missing option '--{name.removesuffix('s')}'."
            raise click.UsageError(msg)
    run(options, _load, _answer, gates=_gates)


# Reading --------------------------------------------------------------------------


def _load(options: dict[str, Any]) -> Loaded:
    """Check what was asked for, then read the data."""
    from scorecast.cli.datasets import read_cases
    from scorecast.cli.outputs import Loaded
    from scorecast.evaluation import check_estimators, task_of

    models = check_estimators(list(options["models"]))
    task = task_of(models)
    _refuse_unused(options, task)
    splitter = _splitter(options)
    grids = _grids(models, options)
    if not options["cost"]:
        _check_gate(_metrics([], options, splitter, task)[0], options["fail_below"])
    data = read_cases(options["data"], options, task, options["groups"])
    costs, notes = _costs(data, options)
    metrics = _metrics([] if costs is None else [costs[0]], options, splitter, task)
    _check_gate(metrics[0], options["fail_below"])
    return Loaded(
        arguments={
            "estimator": _tuned(models, grids, metrics[0], options),
            "X": data.X,
            "y": data.y,
            "groups": None if data.groups is None else data.groups.tolist(),
            "cv": splitter,
            "scoring": metrics,
            "feature_names": data.columns or (),
            "are_costs_by_name": None if costs is None else costs[1],
        },
        files=(data.source, *filter(None, [options["cost"]])),
        places=data.locations,
        notes=(*data.notes, *notes),
    )


def _refuse_unused(options: dict[str, Any], task: Task) -> None:
    """Refuse options that have no say beside others."""
    context = click.get_current_context()
    if options["quick"]:
        refuse_unused(context, _OF_WHOLE, "with --quick: a quick look leaves it out")
    if options["n_permutations"] == 0:
        unused = ("permute", "null_data")
        refuse_unused(context, unused, "without tests against chance")
    if task is Task.REGRESSION:
        refuse_unused(context, ("cost",), "for numbers: it is of answering a class")
    if not options["grids"]:
        refuse_unused(context, ("tune_cv",), "without --tune")


def _splitter(options: dict[str, Any]) -> Splitter:
    from scorecast.evaluation import check_cv

    check_cv(options["tune_cv"], "tune_cv")
    chosen = check_cv(options["cv"])
    if options["test_size"] is None:
        return chosen
    if chosen.kind != "mc":
        problem = f"goes with --cv mc, not with {options['cv']}"
        raise UsageError(problem, parameter="test_size")
    return replace(chosen, test_size=options["test_size"])


def _grids(models: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    from scorecast.evaluation import grids_for

    return grids_for(models, options["grids"])


def _costs(
    data: Dataset, options: dict[str, Any]
) -> tuple[tuple[Metric, bool] | None, list[DataWarning]]:
    """Read costs as a metric; say what is assumed where they have no names."""
    if not options["cost"]:
        return None, []
    import numpy as np

    from scorecast.evaluation import cost_metric
    from scorecast.io import read_costs

    classes = np.unique(np.asarray(data.y)).tolist()
    costs = read_costs(options["cost"], classes)
    notes = []
    if not costs.is_by_name:
        problem = (
            "the costs have no names: rows (answers) and columns (true classes) are "
            f"taken to be {listed(classes, 8)}, in this order"
        )
        notes.append(DataWarning(problem))
    return (cost_metric(costs.values), costs.is_by_name), notes


def _metrics(
    first: list[Metric], options: dict[str, Any], splitter: Splitter, task: Task
) -> tuple[Metric, ...]:
    """Put the cost, if there is one, before the metrics; or name the usual ones."""
    from scorecast.evaluation import check_scoring, usual_scoring

    asked: Any = [*first, *options["scoring"]]
    return check_scoring(asked or usual_scoring(task, [splitter]), task)


def _tuned(
    models: dict[str, Any],
    grids: dict[str, Any],
    metric: Metric,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Let models choose inside every split; their names say among what."""
    from scorecast.evaluation import TunedEstimator

    found = {}
    for name, model in models.items():
        if name not in grids:
            found[name] = model
            continue
        tried = ", ".join(
            f"{parameter}={','.join(map(str, values))}"
            for parameter, values in grids[name].items()
        )
        found[f"{name}, tuned {tried}"] = TunedEstimator(
            model,
            grids[name],
            cv=options["tune_cv"],
            scoring=metric,
            pos_label=options["pos_label"],
        )
    return found


# Asking ---------------------------------------------------------------------------


def _answer(options: dict[str, Any], loaded: Loaded) -> Assessment:
    from scorecast.cli.outputs import interrupted
    from scorecast.evaluation import Diagnostics, LearningCurves, NullTests, assess

    given = dict(loaded.arguments)
    by_name, names = given.pop("are_costs_by_name"), given.pop("feature_names")
    is_quick = options["quick"]
    tests = curves = None
    if not is_quick and options["n_permutations"] != 0:
        levels = ("alpha", "relaxed_alpha")
        asked = {name: options[name] for name in (*_OF_TESTS, *levels)}
        tests = NullTests(**{**asked, "permute": Permute(asked["permute"])})
    is_curved = options["learning_curve"] or options["feature_curve"]
    if is_curved or options["target_score"] is not None:
        curves = LearningCurves(
            samples=options["learning_curve"],
            features=options["feature_curve"],
            target=options["target_score"],
        )
    diagnostics = Diagnostics(
        bias_variance=not is_quick,
        data_profile=not is_quick,
        n_selected=options["n_selected"],
        vc_dimension=_number_or_word(options["vc_dimension"]),
        hypotheses=options["hypotheses"],
        n_resamples=0 if is_quick else Diagnostics.n_resamples,
        feature_names=names,
    )
    shared = ("pos_label", "confidence_level", "n_jobs", "time_limit", "checkpoint")
    try:
        found = assess(
            **given,
            tests=tests,
            curves=curves,
            diagnostics=diagnostics,
            random_state=options["seed"],
            **{name: options[name] for name in shared},
        )
    except KeyboardInterrupt as stop:
        raise interrupted(options["checkpoint"]) from stop
    return replace(found, are_costs_by_name=by_name)


def _number_or_word(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


# Judging --------------------------------------------------------------------------


def _check_gate(metric: Metric, threshold: float | None) -> None:
    """Refuse a gate that every result, or none, would pass, before the work begins."""
    if threshold is None or metric.low <= threshold <= metric.high:
        return
    ends = f"from {metric.low:g}"
    if metric.is_bounded:
        ends = f"{metric.low:g} to {metric.high:g}"
    least = 50 if metric.greater_is_better else 1
    is_percentage = metric.high == 1 and least < threshold < 100
    raise UsageError(
        f"must be a value of {metric.name}, {ends}; got {threshold:g}",
        parameter="fail_below",
        remedy=f"try {threshold / 100:g}" if is_percentage else None,
    )


def _gates(result: Assessment, options: dict[str, Any]) -> Iterator[Gate]:
    from scorecast.cli.outputs import Gate

    name, end = result.gate()
    first = result.models[result.best].main
    yield Gate(
        option="--fail-below",
        least=options["fail_below"],
        value=end,
        subject=f"the worse end of {first.metric} of {name}",
        greater_is_better=first.greater_is_better,
    )
