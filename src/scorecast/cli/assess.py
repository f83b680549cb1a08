"""``scorecast assess``: what can be promised about models of few samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import (
    CLASS_LOSSES,
    NUMBER_LOSSES,
    Share,
    Whole,
    dataset_options,
    output_options,
    table_options,
)
from scorecast.cli.right import assess_right, right_option
from scorecast.cli.unused import refuse_given

if TYPE_CHECKING:
    from scorecast.guarantees import Assessment, Sampling
    from scorecast.io import Dataset

__all__ = ["command"]

_SHOWN = 8  # classes in a message


@click.command(name="assess")
@click.argument("data", metavar="DATA")
@dataset_options
@click.option(
    "--loss",
    "losses",
    multiple=True,
    metavar="NAME",
    help=f"For classes {CLASS_LOSSES}; for numbers {NUMBER_LOSSES}. May be repeated; "
    "the first is tested. [default: accuracy and balanced-accuracy, or rmse; of lpo "
    "balanced-accuracy]",
)
@click.option(
    "--sampling",
    default="cv10",
    show_default=True,
    help="cv10, cv10x5, kfold5, loo, lpo, mc100, group5, boot200 or .632+.",
)
@click.option(
    "--tune",
    "grids",
    multiple=True,
    metavar="NAME=V,V,...",
    help="Choose a parameter anew inside every split, among these literal values, such "
    "as C=0.1,1,10; may be repeated. For all models that have it, or svm__C for one.",
)
@click.option(
    "--tune-sampling",
    default="cv5",
    show_default=True,
    help="Inner splits by which --tune chooses.",
)
@click.option(
    "--cost",
    metavar="FILE",
    help="Cost of deciding for one class (row) where another (column) is true, with "
    "class names or, without, in sorted order of the classes: the mean cost is then "
    "the first loss.",
)
@click.option(
    "--positive",
    metavar="CLASS",
    help="Class that sensitivity, specificity and (of two classes) f1 are about. "
    "[default: the last in sorted order]",
)
@click.option(
    "--group",
    metavar="COL",
    help="Column of groups, never split; with --right, cases that belong together.",
)
@table_options
@click.option(
    "--level",
    type=Share(is_open=True),
    default=0.95,
    show_default=True,
    help="Level of intervals.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="Scores and their intervals only, in seconds: no test against chance, no "
    "null data, no bias and variance.",
)
@click.option(
    "--permutations",
    "n_permutations",
    type=Whole(min=0),
    help="Permutations; 0 leaves out tests against chance. By default 1,000 for quick "
    "models (naive-bayes, nearest-centroid, neighbours, ridge-classifier, logistic of "
    "two classes, discriminant) on small data, else 100 (svm, tree, forest, ...).",
)
@click.option(
    "--permute",
    type=click.Choice(["all", "train"]),
    default="all",
    show_default=True,
    help="Whether tested cases are permuted too.",
)
@click.option(
    "--null-data",
    type=click.Choice(["shrunk", "normal", "shuffle", "covariance"]),
    default="shrunk",
    show_default=True,
    help="Kind of null data.",
)
@click.option(
    "--null-sets",
    "n_null_data",
    type=Whole(min=0),
    default=20,
    show_default=True,
    help="Null data sets to draw.",
)
@click.option(
    "--alpha",
    type=Share(is_open=True),
    default=0.05,
    show_default=True,
    help="Level below which a result is feasible.",
)
@click.option(
    "--relaxed-alpha",
    type=Share(is_open=True),
    default=0.2,
    show_default=True,
    help="Level below which a result is exploratory.",
)
@click.option(
    "--capacity",
    metavar="VC",
    help="VC dimension of the models, or 'estimate', for a conservative bound.",
)
@click.option(
    "--learning-curve",
    is_flag=True,
    help="Learn from fewer cases as well, and say how many are needed for the aim.",
)
@click.option(
    "--feature-curve",
    is_flag=True,
    help="The same with fewer features, drawn at random.",
)
@click.option(
    "--aim",
    type=float,
    metavar="VALUE",
    help="Value of the first loss that is aimed at. [default: 0.9 of a share]",
)
@click.option(
    "--selection",
    type=Whole(min=1),
    metavar="K",
    help="Look into the choice of the best K features: luck, and what choosing before "
    "the split would add.",
)
@click.option(
    "--test-size",
    type=Share(is_open=True),
    help="Share of the cases that mc tests. [default: 0.2]",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop a fit that takes longer; its fold has then failed. Fits run in another "
    "process, one per worker, which takes a few seconds to start.",
)
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Append finished fits here; the same command goes on from it.",
)
@click.option(
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if no model is as good as this at the worse end of its interval "
    "of the first loss; where less is better, if none stays as low.",
)
@right_option
@output_options
def command(**options: Any) -> None:
    """Say what can be promised about models learned from few cases.

    DATA has one row per case (.csv, .csv.gz, .parquet): one column is the target, all
    others are features. Or an .npz with the features (X) and the target as arrays.

    With --right it is a table of answers, right or wrong.
    """
    if options["right"]:
        assess_right(options)
        return
    for name in ("target", "models"):
        if not options[name]:
            msg = f"Missing option '--{name.removesuffix('s')}'."
            raise click.UsageError(msg)
    from scorecast._core.progress import computing
    from scorecast.cli.datasets import read_cases
    from scorecast.cli.faults import blamed_on_column, interrupted
    from scorecast.cli.inputs import collected_warnings, file_prints
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.guarantees import check_models, task_of

    check_outputs(options)
    models = check_models(list(options["models"]))
    _check_losses(options["losses"], task_of(models))
    _check_draws(task_of(models), options)
    grids = _grids(models, options)
    with collected_warnings() as lines:
        data = read_cases(options["data"], options, task_of(models))
        check_outputs(options, [data.source])
        losses, assumed = _losses(data, options)
        _check_threshold(losses, task_of(models), options["fail_below"])
        with computing():
            try:
                with blamed_on_column(
                    data.source, options["target"], data.first_missing, data.n_missing
                ):
                    result = _answer(models, data, grids, losses, options)
            except KeyboardInterrupt as stop:
                raise interrupted(options["checkpoint"]) from stop
        files = file_prints([data.source, *filter(None, [options["cost"]])])
    result = replace(result, assumptions=(*result.assumptions, *assumed))
    notes = [*data.notes, *assumed, *(x for x in lines if x not in result.warnings)]
    deliver(result, options, files=files, notes=notes)
    _check_gate(result, options["fail_below"])


def _check_losses(names: Sequence[str], task: str) -> None:
    """Refuse losses of the other task by saying so; the library lists what there is."""
    from scorecast.exceptions import UsageError
    from scorecast.guarantees.losses import LOSSES

    for name in names:
        if name in LOSSES and LOSSES[name].task != task:
            msg = f"--loss {name} is for {LOSSES[name].task}, the models for {task}."
            raise UsageError(msg)


def _check_draws(task: str, options: dict[str, Any]) -> None:
    """Refuse null data where none are drawn, and draws that show nothing."""
    names = ("null_data",)
    if task == "regression":
        refuse_given(names, "keeps what each class looks like, and numbers have none")
    if options["n_permutations"] == 0:
        refuse_given(names, "is not used without tests against chance")
    if options["quick"]:
        unused = ("null_data", "n_null_data", "permute", "n_permutations")
        refuse_given(unused, "is left out by --quick")
    for name, option in (
        ("n_permutations", "--permutations"),
        ("n_null_data", "--null-sets"),
    ):
        if options[name] == 1:
            least = math.ceil(1 / options["alpha"] - 1e-9) - 1
            msg = (
                f"{option} 1 shows no spread: give 0, for none, or at least 2. A "
                f"p-value of {options['alpha']:g} takes {least:,} at least."
            )
            raise click.UsageError(msg)


def _grids(models: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Read what to tune, before anything takes time."""
    from click.core import ParameterSource

    from scorecast.exceptions import UsageError
    from scorecast.guarantees import check_sampling, grids_for

    source = click.get_current_context().get_parameter_source("tune_sampling")
    if not options["grids"] and source is not ParameterSource.DEFAULT:
        msg = "--tune-sampling goes with --tune."
        raise UsageError(msg)
    check_sampling(options["tune_sampling"], "tune_sampling")
    try:
        return grids_for(models, options["grids"])
    except UsageError as error:
        msg = f"--tune: {error}"
        raise UsageError(msg) from error


def _tuned(
    models: dict[str, Any], grids: dict[str, Any], loss: Any, options: dict[str, Any]
) -> dict[str, Any]:
    """Let models choose inside every split; their names say among what."""
    from scorecast.guarantees import TunedModel

    found = {}
    for name, model in models.items():
        if name not in grids:
            found[name] = model
            continue
        tried = ", ".join(
            f"{parameter}={','.join(map(str, values))}"
            for parameter, values in grids[name].items()
        )
        own = TunedModel(
            model,
            grids[name],
            sampling=options["tune_sampling"],
            loss=loss,
            positive=options["positive"],
        )
        found[f"{name}, tuned {tried}"] = own
    return found


def _answer(
    models: dict[str, Any],
    data: Dataset,
    grids: dict[str, Any],
    losses: list[Any] | None,
    options: dict[str, Any],
) -> Assessment:
    from scorecast.guarantees import assess

    names = (
        "level", "n_permutations", "permute", "null_data", "n_null_data", "alpha",
        "relaxed_alpha",
        "learning_curve", "feature_curve", "aim", "selection", "n_jobs", "time_limit",
        "checkpoint", "positive", "quick",
    )  # fmt: skip
    return assess(
        _tuned(models, grids, losses[0] if losses else None, options),
        data.X,
        data.y,
        groups=None if data.groups is None else data.groups.tolist(),
        sampling=_sampling(options["sampling"], options["test_size"]),
        losses=losses,
        feature_names=data.columns,
        capacity=_number_or_word(options["capacity"]),
        random_state=options["seed"],
        **{name: options[name] for name in names},
    )


def _losses(
    data: Dataset, options: dict[str, Any]
) -> tuple[list[Any] | None, list[str]]:
    """Put the cost, if there is one, before the losses; say what that assumes."""
    if not options["cost"]:
        return list(options["losses"]) or _usual(options), []
    import numpy as np

    from scorecast.exceptions import UsageError, printable
    from scorecast.guarantees import check_models, cost_loss, task_of
    from scorecast.io import read_costs

    if task_of(check_models(list(options["models"]))) != "classification":
        msg = "--cost is of deciding for a class, the models are for numbers."
        raise UsageError(msg)
    classes = np.unique(np.asarray(data.y)).tolist()
    costs = read_costs(options["cost"], classes)
    shown = [printable(name) for name in classes[:_SHOWN]]
    more = f" and {len(classes) - _SHOWN} more" if len(classes) > _SHOWN else ""
    assumed = (
        "the costs have no names: rows (answers) and columns (true classes) are taken "
        f"to be {', '.join(shown)}{more}, in this order"
    )
    found = [cost_loss(costs.values), *options["losses"]]
    return found, [] if costs.is_by_name else [assumed]


def _usual(options: dict[str, Any]) -> list[Any] | None:
    """Name the loss that tuning goes by, too, where it is not that of the task."""
    from scorecast.guarantees import check_models, task_of
    from scorecast.guarantees.leaving_pairs import usual_loss

    task = task_of(check_models(list(options["models"])))
    usual = usual_loss(task, [options["sampling"]])
    return None if usual is None else [usual]


def _check_threshold(
    losses: list[Any] | None, task: str, threshold: float | None
) -> None:
    """Refuse a gate that every result, or none, would pass, before the work begins."""
    from scorecast.exceptions import UsageError
    from scorecast.guarantees.losses import check_losses

    if threshold is None:
        return
    loss = check_losses(losses, task)[0]
    if loss.low <= threshold <= loss.high:
        return
    ends = f"{loss.low:g} to {loss.high:g}" if loss.is_bounded else f"from {loss.low:g}"
    msg = f"--fail-below must be a value of {loss.name}, {ends}; got {threshold:g}."
    least = 50 if loss.greater_is_better else 1
    if loss.high == 1 and least < threshold < 100:
        msg += f" Did you mean {threshold / 100:g}?"
    raise UsageError(msg)


def _sampling(name: str, test_size: float | None) -> Sampling:
    from scorecast.exceptions import UsageError
    from scorecast.guarantees import check_sampling

    chosen = check_sampling(name)
    if test_size is None:
        return chosen
    if chosen.kind != "mc":
        msg = f"--test-size goes with --sampling mc, not with {name}."
        raise UsageError(msg)
    return replace(chosen, test_size=test_size)


def _number_or_word(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _check_gate(result: Assessment, threshold: float | None) -> None:
    from scorecast._core.rounding import told_apart
    from scorecast.exceptions import GateFailedError

    if threshold is None:
        return
    loss = result.best.losses[0]
    greater = loss.greater_is_better
    ends = {
        model.name: model.losses[0].low if greater else model.losses[0].high
        for model in result.assessed
        if model.losses[0].loss == loss.loss
    }
    known = {name: end for name, end in ends.items() if not math.isnan(end)}
    if not known:
        msg = f"{loss.loss} has no interval; --fail-below {threshold:g} needs one"
        raise GateFailedError(msg)
    name = (max if greater else min)(known, key=lambda x: known[x])
    end = known[name]
    if not (end >= threshold if greater else end <= threshold):
        side = "reaches down to" if greater else "reaches up to"
        msg = (
            f"{loss.loss} of {name} {side} {told_apart(end, threshold, 3)}; "
            f"--fail-below {threshold:g} asks for better"
        )
        raise GateFailedError(msg)
