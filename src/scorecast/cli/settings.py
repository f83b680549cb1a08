"""``scorecast settings``: what holds of models over many settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import PurePath
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
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    UsageError,
    quoted,
)
from scorecast.simulate import SIMULATORS

if TYPE_CHECKING:
    from scorecast.io import Dataset

__all__ = ["command"]

_VARIED = re.compile(r"`settings\['(.*?)'\]`")
_WORDS = {"none": None, "true": True, "false": False}


@click.command(name="settings")
@click.argument("data", nargs=-1, metavar="[DATA]...")
@click.option(
    "--simulate",
    is_flag=True,
    help="Make data instead, as `scorecast simulate classification` does.",
)
@dataset_options
@click.option(
    "--vary",
    "varied",
    multiple=True,
    metavar="FACTOR=V,V,...",
    help="Factor with its values, such as n=20,40 or noise=0,0.1 or sampling=cv5,loo "
    "or loss=accuracy,mcc or svm__C=0.1,1; may be repeated.",
)
@click.option(
    "--fix",
    "fixed",
    multiple=True,
    metavar="FACTOR=V",
    help="For --simulate, an option of it that stays, such as n-features=100 or "
    "n-classes=2; may be repeated.",
)
@click.option(
    "--design",
    type=click.Choice(["grid", "one-at-a-time"]),
    help="All combinations; or the first value of every factor, and one changed. "
    "[default: grid; one-at-a-time with --quick]",
)
@click.option(
    "--sets",
    "n_sets",
    type=Whole(min=1),
    default=1,
    show_default=True,
    help="Data sets to make, or draw, in every setting.",
)
@click.option(
    "--loss",
    metavar="NAME",
    help=f"For classes {CLASS_LOSSES}; for numbers {NUMBER_LOSSES}.",
)
@click.option(
    "--sampling",
    help="cv10, cv10x5, kfold5, loo, lpo, mc100 or boot200. [default: cv10; cv5 with "
    "--quick]",
)
@click.option(
    "--quick",
    is_flag=True,
    help="A quick look, in seconds: five folds, one factor changed at a time, and one "
    "data set for each setting.",
)
@click.option(
    "--level",
    type=Share(is_open=True),
    default=0.95,
    show_default=True,
    help="Level of intervals.",
)
@click.option(
    "--alpha",
    type=Share(is_open=True),
    default=0.1,
    show_default=True,
    help="Level of the tests of single settings.",
)
@click.option(
    "--share",
    type=Share(),
    default=0.8,
    show_default=True,
    help="Share of settings that a model must win, losing none, to be called better.",
)
@click.option(
    "--groups",
    "most_groups",
    type=Whole(min=1),
    default=6,
    show_default=True,
    help="Most groups of like difficulty.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop a fit that takes longer; its fold has then failed.",
)
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Append finished settings here; the same command goes on from it.",
)
@table_options
@output_options
def command(**options: Any) -> None:
    """Say what holds of models over many settings.

    Each DATA has one row per case, as for `assess`; several are a factor. Data at hand
    can be varied in n and m (cases and features to draw), noise (share of the range of
    a feature) and imbalance (by how much the rarest class falls short of the most
    frequent). With --simulate every option of `simulate classification` is a factor, by
    the name it has there (n-samples, skew-share) or in Python (n_samples, skew_share).
    """
    from scorecast._core.progress import computing
    from scorecast.cli.faults import interrupted
    from scorecast.cli.inputs import collected_warnings, file_prints
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.guarantees import assess_settings, check_models

    check_outputs(options)
    _check_source(options)
    models = check_models(list(options["models"]))
    with collected_warnings() as lines:
        sources, data = _data(options, models)
        files = [one.source for one in sources]
        check_outputs(options, files)
        names = (
            "design", "n_sets", "loss", "sampling", "level", "alpha", "share",
            "most_groups", "n_jobs", "time_limit", "checkpoint", "quick",
        )  # fmt: skip
        with computing(), _in_factors(options):
            try:
                result = assess_settings(
                    models,
                    data,
                    settings=_factors("--vary", options) or None,
                    random_state=options["seed"],
                    **{name: options[name] for name in names},
                )
            except KeyboardInterrupt as stop:
                raise interrupted(options["checkpoint"]) from stop
        prints = file_prints(files)
    said = [note for one in sources for note in one.notes]
    notes = [*said, *(x for x in lines if x not in result.warnings)]
    deliver(result, options, files=prints, notes=notes)


def _check_source(options: dict[str, Any]) -> None:
    if bool(options["data"]) == options["simulate"]:
        msg = "Give either DATA, or --simulate to make data."
        raise click.UsageError(msg)
    wanted = ("models",) if options["simulate"] else ("target", "models")
    for name in wanted:
        if not options[name]:
            msg = f"Missing option '--{name.removesuffix('s')}'."
            raise click.UsageError(msg)
    if options["fixed"] and not options["simulate"]:
        msg = "--fix goes with --simulate; give data at hand one value with --vary."
        raise click.UsageError(msg)
    if options["simulate"] and not options["varied"]:
        msg = "--simulate needs a factor to vary, such as --vary noise=0,0.1,0.4."
        raise click.UsageError(msg)


def _data(options: dict[str, Any], models: dict[str, Any]) -> tuple[list[Dataset], Any]:
    """Return the files read, and what makes the data of a setting."""
    from scorecast.cli.datasets import read_cases
    from scorecast.guarantees import task_of

    if options["simulate"]:
        return [], _simulator(options, list(models))
    task = task_of(models)
    read = {}
    for path in options["data"]:
        name = _name_of(path, options["data"])
        if name in read:
            msg = f"{path} is given twice."
            raise UsageError(msg)
        read[name] = read_cases(path, options, task)
    return list(read.values()), read


def _name_of(path: str, paths: Sequence[str]) -> str:
    """Return the shortest name that tells a file from the others."""
    name = PurePath(path).name.split(".")[0]
    same = [one for one in paths if PurePath(one).name.split(".")[0] == name]
    return path if len(same) > 1 else name


def _simulator(options: dict[str, Any], models: Sequence[str]) -> Callable[..., Any]:
    known = _simulated_factors()
    fixed = {name: own[0] for name, own in _factors("--fix", options).items()}
    varied = _factors("--vary", options)
    for option, names in (("--fix", fixed), ("--vary", varied)):
        for name in names:
            is_tested = (
                name in ("sampling", "loss") or name.partition("__")[0] in models
            )
            if name in known or (is_tested and option == "--vary"):
                continue
            problem = f"{option} {name}: data are made with {', '.join(known)}"
            raise UsageError(problem)
    twice = [name for name in fixed if name in varied]
    if twice:
        msg = f"--fix {twice[0]} and --vary {twice[0]}: give one of them."
        raise UsageError(msg)
    make = SIMULATORS["classification"].make
    return partial(make, **{"with_bayes_error": False, **fixed})


def _simulated_factors() -> list[str]:
    """Return what data to be made can be varied in; nobody waits for a Bayes error."""
    factors = SIMULATORS["classification"].factors
    return [name for name in factors if name != "with_bayes_error"]


def _factors(option: str, options: dict[str, Any]) -> dict[str, list[Any]]:
    """Read factors and their values; of data to be made by the names of parameters."""
    known = _simulated_factors() if options["simulate"] else []
    found: dict[str, list[Any]] = {}
    for text in options["varied" if option == "--vary" else "fixed"]:
        said, sign, values = text.partition("=")
        if not (said and sign and values):
            msg = f"{option} {text!r} must read FACTOR=VALUE, as n=20,40."
            raise UsageError(msg)
        flat = said.replace("-", "_")
        name = flat if flat in known else said
        if name in found:
            msg = f"{option} {said} is given twice."
            raise UsageError(msg)
        found[name] = [
            _value(word.strip(), f"{option} {text}") for word in values.split(",")
        ]
    return found


@contextmanager
def _in_factors(options: dict[str, Any]) -> Iterator[None]:
    """Say --vary where the library speaks of settings, and name factors as asked."""
    try:
        yield
    except UsageError as error:
        if options["simulate"] and error.parameter is not None:
            factors = SIMULATORS["classification"].factors.values()
            names = {factor.parameter: factor.name for factor in factors}
            raise UsageError(error.message(names)) from error
        raise UsageError(_VARIED.sub(r"--vary \1", str(error))) from error
    except (InvalidInputError, InsufficientDataError) as error:
        # The library knows the column of targets as y.
        before, target, after = str(error).partition(": y ")
        if not target or not options["target"]:
            raise
        msg = f"{before}: column {quoted(options['target'])} {after}"
        raise type(error)(msg) from error


def _value(text: str, place: str) -> Any:
    """Return a number, a word such as none, or the text."""
    if not text:
        msg = f"{place} has an empty value."
        raise UsageError(msg)
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
