"""From the options of ``identify`` to scores of decoders, or stimuli and responses."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from scorecast.cli.inputs import LoadedScores, file_layout, file_prints, load_scores
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    Location,
    MissingLabelsError,
)
from scorecast.io import FileLayout, Matrix, read_labels, read_matrix
from scorecast.scores import Embeddings, Scores

__all__ = ["LoadedDecoders", "LoadedResponses", "load_identification"]

_FAR_MORE = 2  # columns per label beyond which X is no matrix of scores

# What must be given together, and which options belong to what.
_ROUTES = {
    "scores": ("scores",),
    "data": ("stimuli", "responses"),
    "embeddings": ("gallery", "probes"),
}
_BELONGS = {
    "labels": ("scores", "embeddings"),
    "label_column": ("scores", "embeddings"),
    "class_file": ("scores",),
    "prefix": ("scores",),
    "drop": ("scores", "embeddings"),
    "drop_nonfinite": ("scores",),
    "lower_is_better": ("scores",),
    "gallery_labels": ("embeddings",),
    "groups": ("data",),
    "repeats": ("data",),
}


@dataclass(frozen=True, kw_only=True)
class LoadedDecoders:
    """Score matrices by name, and where they came from.

    Attributes
    ----------
    decoders : dict of str to Scores or Embeddings
        In the order given.
    files : tuple of str
        Paths that were read.
    notes : tuple of DataWarning
        What was done on the way.
    """

    decoders: dict[str, Scores | Embeddings]
    files: tuple[str, ...]
    notes: tuple[DataWarning, ...]

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
    notes : tuple of DataWarning
        What was done on the way.
    """

    stimuli: NDArray[Any]
    responses: NDArray[Any]
    groups: list[Any] | None
    files: tuple[str, ...]
    notes: tuple[DataWarning, ...] = ()

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
    given = [
        route for route, parts in _ROUTES.items() if any(options[p] for p in parts)
    ]
    if len(given) != 1 or not all(options[part] for part in _ROUTES[given[0]]):
        msg = (
            "Give either --scores, or both --stimuli and --responses, or both "
            "--gallery and --probes."
        )
        raise click.UsageError(msg)
    for name, routes in _BELONGS.items():
        if options[name] and given[0] not in routes:
            needed = " or ".join(" and ".join(map(_flag, _ROUTES[r])) for r in routes)
            msg = f"{_flag(name)} goes with {needed}."
            raise click.UsageError(msg)
    if given[0] == "data":
        return _load_responses(options)
    return _load_decoders(options)


def _flag(name: str) -> str:
    return "--classes" if name == "class_file" else "--" + name.replace("_", "-")


def _load_responses(options: dict[str, Any]) -> LoadedResponses:
    layout = file_layout(options, drop=())
    stimuli = read_matrix(options["stimuli"], layout=layout)
    responses = read_matrix(options["responses"], layout=layout)
    _check_as_long(responses.source, len(responses.values), stimuli, "rows")
    files, groups = [stimuli.source, responses.source], None
    notes: tuple[DataWarning, ...] = ()
    if options["groups"]:
        plain = FileLayout(header=not options["no_header"])
        read = read_labels(options["groups"], layout=plain)
        _check_as_long(read.source, len(read.values), stimuli, "groups")
        groups, notes = read.values.tolist(), read.notes
        files.append(read.source)
    return LoadedResponses(
        stimuli=stimuli.values,
        responses=responses.values,
        groups=groups,
        files=tuple(dict.fromkeys(files)),
        notes=notes,
    )


def _check_as_long(source: str, length: int, stimuli: Matrix, what: str) -> None:
    """Name both files where they do not have one line per response."""
    rows = len(stimuli.values)
    if length == rows:
        return
    hint = ""
    if abs(length - rows) == 1:
        hint = (
            "; if a header was taken for data or data for a header, mind --no-header "
            "(a .txt file has no header)"
        )
    msg = (
        f"{stimuli.source} has {rows} rows but {source} has {length} {what}: row by "
        f"row they belong together{hint}"
    )
    raise InvalidInputError(msg)


def _load_decoders(options: dict[str, Any]) -> LoadedDecoders:
    decoders: dict[str, Scores | Embeddings] = {}
    files: list[str] = []
    notes: list[DataWarning] = []
    # Embeddings are one decoder without a file of scores.
    named = [_named(given) for given in options["scores"]] or [("embeddings", "")]
    for name, path in named:
        if name in decoders:
            msg = f"Two decoders are called {name!r}: name them as NAME=FILE."
            raise click.UsageError(msg)
        loaded = _load_scores({**options, "scores": path})
        decoders[name] = loaded.scores
        files += loaded.files
        notes += loaded.notes
    return LoadedDecoders(
        decoders=decoders,
        files=tuple(dict.fromkeys(files)),
        notes=tuple({str(note): note for note in notes}.values()),
    )


def _named(given: str) -> tuple[str, str]:
    """Split NAME=FILE; a file whose name has the sign is taken as it is."""
    name, sign, path = given.partition("=")
    if sign and name and not os.path.exists(given.partition("::")[0]):
        return name, path
    file, _, key = given.partition("::")
    return key or os.path.basename(file), given


def _load_scores(options: dict[str, Any]) -> LoadedScores:
    try:
        loaded = load_scores(options, may_pair_rows=True)
    except MissingLabelsError as error:
        # Names for columns are of use only to labels that name them.
        if any(options[name] for name in ("labels", "label_column", "class_file")):
            raise
        return _load_square(options, error)
    _refuse_features(loaded, options)
    return loaded


def _refuse_features(loaded: LoadedScores, options: dict[str, Any]) -> None:
    """Stop where an array that is usually features passes for scores."""
    path = options["scores"]
    is_guess = loaded.files[0].endswith("::X") and "::" not in path
    n_named = np.unique(loaded.scores.own).size
    n_columns = loaded.scores.n_classes
    if is_guess and not options["key"] and n_columns > _FAR_MORE * n_named:
        msg = (
            f"{path}: X has {n_columns} columns for {n_named} distinct labels and "
            "looks like embeddings, not scores: compare them with --gallery, --probes "
            f"and --labels. If they are scores, pass --scores {path}::X"
        )
        raise InvalidInputError(msg)


def _load_square(options: dict[str, Any], error: InvalidInputError) -> LoadedScores:
    """Read a matrix without labels: if it is square, the truth is its diagonal."""
    path = options["scores"]
    matrix = read_matrix(
        path,
        nonfinite="allow" if options["drop_nonfinite"] else "negative-infinity",
        layout=file_layout(options),
    )
    rows, columns = matrix.values.shape
    if rows != columns:
        raise error
    if rows < 2:
        msg = f"{path}: one stimulus only: identification needs others to choose from"
        raise InsufficientDataError(msg)
    usable = _usable_rows(matrix, path)
    scores = Scores(
        matrix.values[usable],
        np.arange(rows)[usable].tolist(),
        greater_is_better=not options["lower_is_better"],
    )
    said = ["no labels, so row and column of the same number belong together"]
    if not usable.all():
        said.append(
            f"{rows - int(usable.sum())} of {rows} rows were dropped because their "
            "scores are not finite"
        )
    notes = tuple(DataWarning(text, location=Location(file=path)) for text in said)
    return LoadedScores(scores=scores, files=(matrix.source,), notes=notes)


def _usable_rows(matrix: Matrix, path: str) -> NDArray[np.bool_]:
    """Find rows without NaN and plus infinity in which something is possible."""
    values = matrix.values
    usable: NDArray[np.bool_] = (np.isfinite(values) | np.isneginf(values)).all(axis=1)
    usable &= ~np.isneginf(values).all(axis=1)
    if not usable.any():
        msg = f"{path}: no row is left without NaN or infinities; repair them"
        raise InvalidInputError(msg)
    return usable
