"""Faults that the library found, in the words of the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import click

from scorecast.exceptions import (
    CheckpointError,
    InsufficientDataError,
    InvalidInputError,
    Location,
)

__all__ = ["blamed_on_column", "in_options", "interrupted", "numbers_wanted"]

_PARAMETER = re.compile(r"`(\w+)(?:=([^`]+))?`|\b(\w+)=(True|False)\b")
_LENGTH = re.compile(r"sampling=Sampling\(n_draws=(\d+)\)")
_SECONDS = re.compile(r"max_seconds=(\d+)")
# Where the option of the command is not called as the parameter of the function.
_ALIASES = {
    "y_true": "truth", "groups": "group", "successes": "right",
    "y_train": "train_labels", "n_refits": "n_permutations", "to": "targets",
    "greater_is_better": "lower_is_better",
}  # fmt: skip
# Where it is an option of its own that a parameter has some value.
_VALUES = {
    ("prior", "leave-one-out"): ("leave_one_out",),
    ("greater_is_better", "False"): ("lower_is_better",),
    ("force", "True"): ("force",),
}
_TWICE = re.compile(r"(--[\w-]+) \(\1\)")
# A message may name the parameter and, in brackets, the option, which is enough.
_BOTH = re.compile(r"\b\w+=(?:[^\s()]|\([^()]*\))* \((--[^()]+)\)")
_BOTH_INSIDE = re.compile(r"\(\w+(?:=[^\s(),]*)?, (--[^()]+)\)")
_NO_NUMBER = " is not a number"
_CANNOT = re.compile(r"and (.*?) cannot learn from them")
_FILL = (
    "fill it, remove the row, or use a model that takes missing values, such as "
    "sklearn.ensemble:HistGradientBoostingClassifier"
)
# What is the same method for classes.
_CLASSIFIERS = {"ridge": "ridge-classifier", "forest-regressor": "forest"}


def in_options(message: str, command: click.Command | None) -> str:
    """Name options where the library names parameters.

    Parameters
    ----------
    message : str
        As raised, with parameters between backquotes.
    command : click.Command or None
        The verb that was run.

    Returns
    -------
    str
        The same with ``--name`` for every parameter that is an option of the verb.

    Examples
    --------
    >>> verb = click.Command("x", params=[click.Option(["--loss", "losses"])])
    >>> in_options("`losses` must differ; `y` too.", verb)
    '--loss must differ; `y` too.'
    >>> all_sums = click.Command("x", params=[click.Option(["--renormalise"])])
    >>> in_options("Divide: `renormalise=True`.", all_sums)
    'Divide: --renormalise.'
    >>> long = click.Command("x", params=[click.Option(["--draws"])])
    >>> in_options("Run longer chains (sampling=Sampling(n_draws=80)).", long)
    'Run longer chains (--draws 80).'
    >>> in_options("Name them: classes= (--classes FILE).", long)
    'Name them: --classes FILE.'
    >>> in_options("Test more (test_size=0.5, --test-size 0.5).", long)
    'Test more (--test-size 0.5).'
    """
    if command is None:
        return message
    known = {p.name: p.opts[0] for p in command.params if isinstance(p, click.Option)}

    def said(found: re.Match[str]) -> str:
        name, value = found[1] or found[3], (found[2] or found[4] or "").strip("'\"")
        for other in _VALUES.get((name, value), ()):
            if other in known:
                return known[other]
        option = known.get(name) or known.get(_ALIASES.get(name, ""))
        if option is None or value == "False":
            return found[0]
        return option if value in ("", "True") else f"{option} {value}"

    if "draws" in known:
        message = _LENGTH.sub(rf"{known['draws']} \1", message)
    if "max_seconds" in known:
        message = _SECONDS.sub(rf"{known['max_seconds']} \1", message)
    message = _TWICE.sub(r"\1", _PARAMETER.sub(said, message))
    return _BOTH_INSIDE.sub(r"(\1)", _BOTH.sub(r"\1", message))


@contextmanager
def blamed_on_column(
    path: str, target: str, missing: Location | None = None, n_missing: int = 0
) -> Iterator[None]:
    """Name the file and the column of targets, which the library cannot know.

    Parameters
    ----------
    path : str
        The file.
    target : str
        The column that the library knows as y.
    missing : Location, optional
        Place of the first missing feature.
    n_missing : int, default=0
        How many are missing.

    Raises
    ------
    InvalidInputError, InsufficientDataError
        Again, with the place in front.
    """
    try:
        yield
    except CheckpointError:  # of another file, which it names
        raise
    except (InvalidInputError, InsufficientDataError) as error:
        said = str(error)
        # Not all that is wrong is so with the array of features.
        place = Location(file=path if said.startswith("X ") else path.split("::")[0])
        if missing is not None and said.startswith("X holds"):
            found = _CANNOT.search(said)
            who = found[1] if found else "a model"
            raise InvalidInputError(
                f"the value is missing ({n_missing:,} such), and {who} cannot learn "
                "from that",
                location=missing,
                remedy=_FILL,
            ) from error
        if said.startswith("y "):
            place = replace(place, column=target)
            said = said.removeprefix("y ")
        kind = (
            InvalidInputError
            if isinstance(error, InvalidInputError)
            else InsufficientDataError
        )
        raise kind(said, location=place) from error


@contextmanager
def numbers_wanted(target: str, model: str | None) -> Iterator[None]:
    """Say who wants the targets to be numbers.

    Parameters
    ----------
    target : str
        The column of targets.
    model : str or None
        A model that predicts numbers; None if labels are wanted.

    Raises
    ------
    InvalidInputError
        Again, with the way out.
    """
    try:
        yield
    except InvalidInputError as error:
        is_number = not error.problem.endswith(_NO_NUMBER)
        if model is None or is_number or error.location.column != target:
            raise
        twin = _CLASSIFIERS.get(model)
        raise InvalidInputError(
            f"{error.problem}, and {model} predicts numbers",
            location=error.location,
            remedy=f"use a classifier{f', such as {twin}' if twin else ''}",
        ) from error


def interrupted(
    checkpoint: str | None, *, n_folds: int | None = None
) -> KeyboardInterrupt:
    """Say whether the work so far is kept, and how to go on.

    Parameters
    ----------
    checkpoint : str or None
        File of finished work, if one was asked for.
    n_folds : int, optional
        Folds of the whole run, if the file is one of folds.

    Returns
    -------
    KeyboardInterrupt
        To be raised in place of the one that came.
    """
    said = "nothing half-written was left behind"
    if not checkpoint:
        said += "; with --checkpoint FILE a run can go on where it stopped"
    elif os.path.exists(checkpoint):
        kept = None if n_folds is None else _n_kept(checkpoint)
        if kept == 0:
            said += f"; 0 of {n_folds} folds kept, so the same command starts anew"
        else:
            said += f"; run the same command to go on from {checkpoint}"
            said += "" if kept is None else f" ({kept} of {n_folds} folds kept)"
    return KeyboardInterrupt(said)


def _n_kept(checkpoint: str) -> int:
    """Count the finished folds in the file of a run."""
    from scorecast._core.records import Record

    return Record.shared(checkpoint).count("folds")
