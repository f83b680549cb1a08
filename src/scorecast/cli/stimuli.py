"""From the options of ``identify`` to scores of decoders, or stimuli and responses."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from scorecast.cli.inputs import file_prints
from scorecast.exceptions import InvalidInputError
from scorecast.io import read_labels, read_matrix, read_scores
from scorecast.scores import Scores

__all__ = ["LoadedDecoders", "LoadedResponses", "load_identification"]


@dataclass(frozen=True, kw_only=True)
class LoadedDecoders:
    """Score matrices by name, and where they came from.

    Attributes
    ----------
    decoders : dict of str to Scores
        In the order given.
    files : tuple of str
        Paths that were read.
    notes : tuple of str
        What was done on the way.
    """

    decoders: dict[str, Scores]
    files: tuple[str, ...]
    notes: tuple[str, ...]

    def fingerprints(self) -> list[dict[str, Any]]:
        """Return path, hash and size of every file read, for the record."""
        return file_prints(self.files)


@dataclass(frozen=True, kw_only=True)
class LoadedResponses:
    """Stimuli and responses, and where they came from.

    Attributes
    ----------
    stimuli, responses : ndarray
        Row by row they belong together.
    groups : list or None
        Group of every row.
    files : tuple of str
        Paths that were read.
    notes : tuple of str
        What was done on the way.
    """

    stimuli: NDArray[Any]
    responses: NDArray[Any]
    groups: list[Any] | None
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def fingerprints(self) -> list[dict[str, Any]]:
        """Return path, hash and size of every file read, for the record."""
        return file_prints(self.files)


def load_identification(options: dict[str, Any]) -> LoadedDecoders | LoadedResponses:
    """Read what the options name.

    Parameters
    ----------
    options : dict
        Values of the options of ``identify``.

    Returns
    -------
    LoadedDecoders or LoadedResponses
        Scores, or stimuli and responses.

    Raises
    ------
    click.UsageError
        If the options name neither, or both, or one without the other.
    """
    given = bool(options["stimuli"]), bool(options["responses"])
    if bool(options["scores"]) == any(given) or any(given) != all(given):
        msg = "Give either --scores or both --stimuli and --responses."
        raise click.UsageError(msg)
    for name, belongs in (("labels", False), ("groups", True), ("repeats", True)):
        if options[name] and belongs != all(given):
            needed = "--stimuli and --responses" if belongs else "--scores"
            msg = f"--{name} goes with {needed}."
            raise click.UsageError(msg)
    return _load_responses(options) if all(given) else _load_decoders(options)


def _table_options(options: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": options["key"],
        "decimal": options["decimal"],
        "delimiter": options["delimiter"],
        "header": not options["no_header"],
        "max_bytes": int(options["max_memory"] * 2**30),
    }


def _load_responses(options: dict[str, Any]) -> LoadedResponses:
    table = _table_options(options)
    stimuli = read_matrix(options["stimuli"], **table)
    responses = read_matrix(options["responses"], **table)
    files, groups = [stimuli.source, responses.source], None
    if options["groups"]:
        read = read_labels(options["groups"], header=not options["no_header"])
        groups = read.values.tolist()
        files.append(read.source)
    return LoadedResponses(
        stimuli=stimuli.values,
        responses=responses.values,
        groups=groups,
        files=tuple(dict.fromkeys(files)),
    )


def _load_decoders(options: dict[str, Any]) -> LoadedDecoders:
    decoders: dict[str, Scores] = {}
    files: list[str] = []
    notes: list[str] = []
    for given in options["scores"]:
        name, path = _named(given)
        if name in decoders:
            msg = f"Two decoders are called {name!r}: name them as NAME=FILE."
            raise click.UsageError(msg)
        decoders[name], read, said = _load_scores(path, options)
        files += read
        notes += said
    return LoadedDecoders(
        decoders=decoders,
        files=tuple(dict.fromkeys(files)),
        notes=tuple(dict.fromkeys(notes)),
    )


def _named(given: str) -> tuple[str, str]:
    """Split NAME=FILE; a file whose name has the sign is taken as it is."""
    name, sign, path = given.partition("=")
    if sign and name and not os.path.exists(given.partition("::")[0]):
        return name, path
    file, _, key = given.partition("::")
    return key or os.path.basename(file), given


def _load_scores(
    path: str, options: dict[str, Any]
) -> tuple[Scores, list[str], list[str]]:
    table = _table_options(options)
    turned = not options["smaller_is_better"]
    try:
        found = read_scores(
            path,
            labels=options["labels"],
            label_column=options["label_column"],
            **table,
        )
    except InvalidInputError as error:
        if options["labels"] or options["label_column"]:
            raise
        return _load_square(path, table, turned, error)
    scores = Scores(
        found.values, found.y_true, classes=found.classes, greater_is_better=turned
    )
    return scores, list(found.sources), list(found.notes)


def _load_square(
    path: str, table: dict[str, Any], turned: bool, error: InvalidInputError
) -> tuple[Scores, list[str], list[str]]:
    """Read a matrix without labels: if it is square, the truth is its diagonal."""
    matrix = read_matrix(path, allow_negative_infinity=True, **table)
    rows, columns = matrix.values.shape
    if rows != columns:
        raise error
    scores = Scores(matrix.values, np.arange(rows).tolist(), greater_is_better=turned)
    said = f"{path}: no labels, so row and column of the same number belong together"
    return scores, [matrix.source], [said]
