"""``scorecast settings``: what holds of models over many settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.factors import (
    check_factors,
    design_option,
    fixed_option,
    read_factors,
    refuse_fixed,
    varied_option,
)
from scorecast.cli.options import (
    Share,
    Whole,
    drop_option,
    level_option,
    output_options,
    table_options,
)
from scorecast.cli.verb import MethodName, Verb, option, refuse_unused
from scorecast.evaluation import COLLECTIONS, METRICS, MODELS, Task
from scorecast.exceptions import Location, UsageError
from scorecast.simulate import SIMULATORS, Simulator

if TYPE_CHECKING:
    from scorecast.cli.outputs import Loaded
    from scorecast.evaluation import SettingsAssessment
    from scorecast.io import Dataset

_CLASSIFIERS = ", ".join(MODELS.select(task=Task.CLASSIFICATION))
_REGRESSORS = ", ".join(MODELS.select(task=Task.REGRESSION))
# Data to be made, by what models predict.
_SIMULATORS = {
    Task.CLASSIFICATION: SIMULATORS["classification"],
    Task.REGRESSION: SIMULATORS["regression"],
}
_SLOW = "with_bayes_error"  # nobody waits for it


@click.command(
    name="settings",
    cls=Verb,
    usual=(
        "--target",
        "--model",
        "--vary",
        "--simulate",
        "--fix",
        "--scoring",
        "--cv",
        "--quick",
        "--json",
        "--report",
    ),
    aliases={
        **{
            factor.parameter: factor.name
            for simulator in _SIMULATORS.values()
            for factor in simulator.factors.values()
        },
        "estimator": "--model",
        "factors": "--vary",
        "data": "DATA",
        "y": "--target",
    },
)
@click.argument("data", nargs=-1, metavar="[DATA]...")
@option(
    "Input",
    "--simulate",
    is_flag=True,
    help="Make data instead, as `scorecast simulate classification` does, or, for "
    "models of numbers, `scorecast simulate regression`.",
)
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
    required=True,
    metavar="MODEL",
    help=f"For classes {_CLASSIFIERS}; for numbers {_REGRESSORS}; or a class of "
    "scikit-learn with literal parameters, as "
    "\"sklearn.svm:SVC(kernel='linear')\"; may be repeated.",
)
@drop_option
@option("File layout", "--key", help="Name of the array of features in an .npz.")
@table_options
@varied_option(
    "Factor with its values, such as n_samples=20,40 or noise=0,0.1 or cv=5,loo or "
    "scoring=accuracy,mcc or svm__C=0.1,1; may be repeated."
)
@fixed_option("n-features=100 or n-classes=2")
@design_option(" [default: grid; one-at-a-time with --quick]")
@option(
    "Question",
    "--scoring",
    type=MethodName(METRICS),
    metavar="NAME",
    help=f"One of {', '.join(METRICS)}. [default: accuracy, or "
    "root_mean_squared_error; of lpo balanced_accuracy]",
)
@level_option()
@option(
    "Question",
    "--alpha",
    type=Share(is_open=True),
    default=0.1,
    help="Level of the tests of single settings; 0.1 as in the paper, since a model "
    "must win in many of them.",
)
@option(
    "Question",
    "--share",
    type=Share(),
    default=0.8,
    help="Share of settings that a model must win, losing none, to be called better.",
)
@option(
    "Question",
    "--max-groups",
    type=Whole(min=1),
    default=6,
    help="Most groups that settings are sorted into, from easy to hard.",
)
@option(
    "Question",
    "--collect",
    type=MethodName(COLLECTIONS),
    multiple=True,
    metavar="NAME",
    help="What else to look at in every setting: null (p-values against chance), "
    "bias_variance, recall (of every class); may be repeated.",
    methods=[(one.name, one.summary) for one in COLLECTIONS.values()],
)
@option(
    "Method",
    "--permutations",
    "n_permutations",
    type=Whole(min=1),
    help="For --collect null, permutations of every data set. [default: 1,000 for "
    "quick models on small data, else 100]",
)
@option(
    "Method",
    "--null-sets",
    "n_null_data",
    type=Whole(min=0),
    default=20,
    help="For --collect null, null data sets to draw.",
)
@option(
    "Method",
    "--cv",
    help="10, 10x5, kfold5, loo, lpo, mc100 or boot200. [default: 10; 5 with --quick]",
)
@option(
    "Method",
    "--datasets",
    "n_datasets",
    type=Whole(min=1),
    default=1,
    help="Data sets to make, or draw, in every setting.",
)
@option(
    "Method",
    "--quick",
    is_flag=True,
    help="A quick look, in seconds: five folds, one factor changed at a time, and one "
    "data set for each setting.",
)
@option(
    "Method",
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop a fit that takes longer; its fold has then failed.",
)
@option(
    "Output",
    "--checkpoint",
    metavar="FILE",
    help="Append finished settings here; the same command goes on from it.",
)
@output_options
def command(**options: Any) -> None:
    """Say what holds of models over many settings.

    Each DATA has one row per sample, as for `assess`; several are a factor. Data at
    hand can be varied in n_samples and n_features (how many to draw), noise (share of
    the range of a feature) and imbalance (by how much the rarest class falls short of
    the most frequent). With --simulate every option of `simulate classification` (for
    models of numbers, `simulate regression`) is a factor, by the name it has there
    (n-samples, skew-share) or in Python (n_samples, skew_share).
    """
    from scorecast.cli.outputs import interrupted, run

    _check_source(options)
    try:
        run(options, _load, _answer)
    except KeyboardInterrupt as stop:
        raise interrupted(options["checkpoint"]) from stop


def _check_source(options: dict[str, Any]) -> None:
    """Refuse what does not go together, before anything is read."""
    if bool(options["data"]) == options["simulate"]:
        msg = "Give either DATA, or --simulate to make data."
        raise click.UsageError(msg)
    if not options["simulate"] and not options["target"]:
        msg = "Missing option '--target'."
        raise click.UsageError(msg)
    refuse_fixed(options)
    if "null" not in options["collect"]:
        context = click.get_current_context()
        unused = ("n_permutations", "n_null_data")
        refuse_unused(context, unused, "without --collect null")
    if options["simulate"] and not options["varied"]:
        problem = "needs a factor to vary, such as noise=0,0.1,0.4"
        raise UsageError(problem, parameter="simulate")


def _load(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.datasets import read_cases
    from scorecast.cli.outputs import Loaded
    from scorecast.evaluation import check_estimators
    from scorecast.evaluation.models import task_of

    models = check_estimators(list(options["models"]))
    task = task_of(models)
    simulator = _SIMULATORS[task] if options["simulate"] else None
    known = () if simulator is None else simulator.factors
    factors = read_factors(options["varied"], "varied", known)
    if simulator is not None:
        make = _making(simulator, options, factors, list(models))
        return Loaded(arguments={"estimator": models, "data": make, "factors": factors})
    read: dict[str, Dataset] = {}
    for path in options["data"]:
        name = _name_of(path, options["data"])
        if name in read:
            raise UsageError(f"{path} is given twice", parameter="data")
        read[name] = read_cases(path, options, task)
    return Loaded(
        arguments={"estimator": models, "data": read, "factors": factors or None},
        files=[one.source for one in read.values()],
        places={"y": Location(column=options["target"])},
        notes=[note for one in read.values() for note in one.notes],
    )


def _answer(options: dict[str, Any], loaded: Loaded) -> SettingsAssessment:
    from scorecast.evaluation import NullTests, SettingsPooling, assess_settings

    tests = None
    if "null" in options["collect"]:
        tests = NullTests(
            n_permutations=options["n_permutations"],
            n_null_data=options["n_null_data"],
        )
    names = (
        "design",
        "n_datasets",
        "cv",
        "scoring",
        "confidence_level",
        "quick",
        "n_jobs",
        "time_limit",
        "checkpoint",
        "collect",
    )
    return assess_settings(
        **loaded.arguments,
        **{name: options[name] for name in names},
        pooling=SettingsPooling(
            alpha=options["alpha"],
            share=options["share"],
            max_groups=options["max_groups"],
        ),
        tests=tests,
        random_state=options["seed"],
    )


def _name_of(path: str, paths: Sequence[str]) -> str:
    """Return the shortest name that tells a file from the others."""
    name = PurePath(path).name.split(".")[0]
    same = [one for one in paths if PurePath(one).name.split(".")[0] == name]
    return path if len(same) > 1 else name


def _making(
    simulator: Simulator,
    options: dict[str, Any],
    varied: dict[str, list[Any]],
    models: Sequence[str],
) -> Callable[..., Any]:
    """Return what makes data with the factors that stay."""
    known = [name for name in simulator.factors if name != _SLOW]
    fixed = read_factors(options["fixed"], "fixed", known)
    check_factors(
        varied,
        fixed,
        known,
        is_tested=lambda name: (
            name in ("cv", "scoring") or name.partition("__")[0] in models
        ),
    )
    own = {name: values[0] for name, values in fixed.items()}
    usual = {_SLOW: False} if _SLOW in simulator.factors else {}
    return partial(simulator.make, **{**usual, **own})
