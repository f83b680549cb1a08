"""From the options of a verb to scores, with the files they came from."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.verb import refuse_unused
from scorecast.exceptions import (
    DataWarning,
    Location,
    ScorecastWarning,
    locating,
)
from scorecast.io import (
    FileLayout,
    column_names,
    find_file,
    hash_file,
    read_class_weights,
    read_labels,
    read_matrix,
    read_scores,
    read_vector_columns,
    refuse_empty,
)

if TYPE_CHECKING:
    from scorecast.scores import Embeddings, Scores

__all__ = [
    "Loaded",
    "LoadedScores",
    "collected_warnings",
    "file_layout",
    "file_prints",
    "load_class_weights",
    "load_scores",
    "named_file",
    "named_files",
]

_OF_VECTORS = ("gallery_labels", "metric")
_OF_SCORES = ("class_file", "prefix", "drop_nonfinite", "lower_is_better")


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What a verb read.

    Attributes
    ----------
    arguments : mapping
        For the library, by the names of its parameters.
    files : sequence of str
        Paths that were read; outputs may not replace them.
    places : mapping
        Where parameters came from, for messages.
    notes : sequence of DataWarning or str
        What was done on the way.
    source : str
        Whose data they are and under which licence, for the page.
    """

    arguments: Mapping[str, Any]
    files: Sequence[str] = ()
    places: Mapping[str, Location] = field(default_factory=dict)
    notes: Sequence[ScorecastWarning | str] = ()
    source: str = ""


def load_class_weights(
    options: dict[str, Any], classes: Sequence[Any]
) -> tuple[dict[str, Any], list[str]]:
    """Read weights of classes as an argument of the library, and from which file."""
    path = options["class_weights"]
    if path is None:
        return {}, []
    layout = file_layout(options, key=None, drop=())
    weights = read_class_weights(path, classes, layout=layout)
    return {"class_weights": weights.values}, [path]


@dataclass(frozen=True, kw_only=True)
class LoadedScores:
    """Scores, and what the reader should know of where they came from.

    Attributes
    ----------
    scores : Scores or Embeddings
        Ready to rank.
    files : tuple of str
        Paths that were read.
    notes : tuple of DataWarning
        What was done on the way.
    places : mapping
        Where they came from, for messages.
    """

    scores: Scores | Embeddings
    files: tuple[str, ...]
    notes: tuple[DataWarning, ...]
    places: Mapping[str, Location] = field(default_factory=dict)

    def of_verb(
        self, arguments: dict[str, Any], files: Sequence[str] | None = None
    ) -> Loaded:
        """Return what a verb read: these scores, and more arguments."""
        return Loaded(
            arguments={"scores": self.scores, **arguments},
            files=self.files if files is None else files,
            places=self.places,
            notes=self.notes,
        )


def file_prints(files: Iterable[str]) -> list[dict[str, Any]]:
    """Return path, hash and size of files.

    Parameters
    ----------
    files : iterable of str
        Paths, perhaps with ``::key``.

    Returns
    -------
    list of dict
        One per file.
    """
    paths = [path.split("::")[0] for path in files]
    prints = [hash_file(path) for path in dict.fromkeys(paths)]
    return [{"path": p.path, "sha256": p.sha256, "bytes": p.bytes} for p in prints]


def file_layout(options: dict[str, Any], **changes: Any) -> FileLayout:
    """Return how files are laid out, as far as options of the verb say so."""
    given = {
        "key": options.get("key"),
        "delimiter": options.get("delimiter"),
        "decimal": options.get("decimal") or ".",
        "header": not options.get("no_header"),
        "drop": tuple(options.get("drop") or ()),
    }
    if options.get("max_memory") is not None:
        given["max_bytes"] = int(min(options["max_memory"], 2**30) * 2**30)
    return FileLayout(**{**given, **changes})


def load_scores(
    options: dict[str, Any], *, may_pair_rows: bool = False
) -> LoadedScores:
    """Read what the options name.

    Parameters
    ----------
    options : dict
        Values of `score_options`.
    may_pair_rows : bool, default=False
        Whether embeddings without labels belong together row by row.

    Returns
    -------
    LoadedScores
        The scores.

    Raises
    ------
    click.UsageError
        If the options name neither scores nor embeddings, or both.
    """
    given_vectors = options["gallery"] or options["probes"]
    if bool(options["scores"]) == bool(given_vectors):
        msg = "Give either SCORES or both --gallery and --probes."
        raise click.UsageError(msg)
    if not given_vectors:
        _refuse_unused(_OF_VECTORS, "where scores are given: leave it out")
        return _load_matrix(options)
    _refuse_unused(_OF_SCORES, "where vectors are compared: leave it out")
    _check_parts(options, may_pair_rows=may_pair_rows)
    return _load_embeddings(options)


def _refuse_unused(names: tuple[str, ...], reason: str) -> None:
    context = click.get_current_context(silent=True)
    if context is not None:
        refuse_unused(context, names, reason)


def _load_matrix(options: dict[str, Any]) -> LoadedScores:
    from scorecast.scores import Scores, match_labels

    classes = None
    notes: tuple[DataWarning, ...] = ()
    if options["class_file"]:
        header = not options["no_header"]
        named = read_labels(options["class_file"], layout=FileLayout(header=header))
        classes, notes = named.values.tolist(), named.notes
    table = read_scores(
        options["scores"],
        labels=options["labels"],
        label_column=options["label_column"],
        prefix=options["prefix"],
        drop_nonfinite=options["drop_nonfinite"],
        layout=file_layout(options),
    )
    known = classes if classes is not None else table.classes
    n_columns = table.values.shape[1]
    if classes is not None:
        with locating(_everywhere(options["class_file"])):
            match_labels(classes, n_columns, classes)
    of_labels = replace(
        table.locations["y_true"], file=options["labels"] or options["scores"]
    )
    with locating({"y_true": of_labels, "classes": of_labels}):
        match_labels(table.y_true, n_columns, known)
    scores = Scores(
        table.values,
        table.y_true,
        classes=known,
        greater_is_better=not options["lower_is_better"],
    )
    more = (options["class_file"],) if options["class_file"] else ()
    places = {
        "scores": replace(table.location, file=options["scores"]),
        "y_true": of_labels,
    }
    return LoadedScores(
        scores=scores,
        files=(*table.sources, *more),
        notes=(*table.notes, *notes),
        places=places,
    )


def _check_parts(options: dict[str, Any], *, may_pair_rows: bool) -> None:
    """Refuse embeddings of which something is missing."""
    # A label column is in a file of labels; named classes are met by named probes.
    named = options["gallery_labels"] or options["label_column"]
    needed = ["gallery", "probes"]
    needed += [] if may_pair_rows and not named else ["labels"]
    for name in needed:
        if not options[name]:
            rows = (
                ": the class of every probe, by the name that --gallery-labels has, or "
                "by the number of its gallery row (the first is 0)"
            )
            msg = (
                "Embeddings need --gallery, --probes and --labels; "
                f"--{name} is missing{rows if name == 'labels' else ''}."
            )
            raise click.UsageError(msg)


def _load_embeddings(options: dict[str, Any]) -> LoadedScores:
    from scorecast.scores import Embeddings

    gallery, probes = (_vectors(options, name) for name in ("gallery", "probes"))
    if not options["labels"]:
        return _paired_rows(gallery, probes, options)
    labels = read_labels(options["labels"], column=options["label_column"])
    gallery_labels = None
    files = [gallery.source, probes.source, labels.source]
    notes = labels.notes
    if options["gallery_labels"]:
        known = read_labels(options["gallery_labels"])
        gallery_labels = known.values.tolist()
        files.append(known.source)
        notes += known.notes
    refuse_empty(labels.values, labels.place, gallery_labels or ())
    places = {
        "y_true": replace(labels.location, file=options["labels"]),
        "scores": Location(file=options["probes"]),
        "gallery": Location(file=options["gallery"]),
        "probes": Location(file=options["probes"]),
    }
    with locating(places):
        scores = Embeddings(
            gallery.values,
            probes.values,
            labels.values,
            metric=options["metric"],
            gallery_labels=gallery_labels,
        )
    return LoadedScores(
        scores=scores, files=tuple(dict.fromkeys(files)), notes=notes, places=places
    )


@dataclass(frozen=True, kw_only=True)
class _Vectors:
    """Vectors in memory, or read by rows as they are needed, and their file."""

    values: Any
    source: str


def _vectors(options: dict[str, Any], name: str) -> _Vectors:
    """Read vectors; those of Parquet and Zarr stay where they lie."""
    from scorecast.scores.stored_rows import ParquetSource, StoredRows, ZarrSource

    path, layout = options[name], _layout_of_one(options, name)
    file = find_file(path, layout.key, may_be_folder=True)
    if file.ending == ".parquet":
        columns = read_vector_columns(path, layout=layout)
        values = StoredRows(ParquetSource(file.path, columns))
        return _Vectors(values=values, source=file.source())
    if file.ending == ".zarr":
        for option, given in (("key", file.key), ("drop", layout.drop)):
            if given:
                problem = "an array of Zarr has no names in it"
                raise file.refusal(problem, remedy="leave it out", option=option)
        return _Vectors(values=StoredRows(ZarrSource(file.path)), source=file.source())
    matrix = read_matrix(path, by_rows=True, layout=layout)
    return _Vectors(values=matrix.values, source=matrix.source)


def _layout_of_one(options: dict[str, Any], name: str) -> FileLayout:
    """Drop columns from the file that has them; from both where none or both do."""
    layout = file_layout(options)
    if not layout.drop:
        return layout
    plain = file_layout(options, drop=())
    columns = {
        one: set(column_names(options[one], plain)) for one in ("gallery", "probes")
    }
    elsewhere = columns["probes" if name == "gallery" else "gallery"]
    kept = [x for x in layout.drop if x in columns[name] or x not in elsewhere]
    return file_layout(options, drop=kept)


def _paired_rows(
    gallery: _Vectors, probes: _Vectors, options: dict[str, Any]
) -> LoadedScores:
    """Take the gallery vector of the same number for the class of each probe."""
    from scorecast.scores import Embeddings

    n_gallery, n_probes = len(gallery.values), len(probes.values)
    if n_gallery != n_probes:
        msg = (
            f"{gallery.source} has {n_gallery} rows and {probes.source} {n_probes}: "
            "they do not pair row by row, so say with --labels whose each probe is."
        )
        raise click.UsageError(msg)
    with locating(_everywhere(f"{gallery.source} with {probes.source}")):
        scores = Embeddings(
            gallery.values, probes.values, range(n_probes), metric=options["metric"]
        )
    said = "no labels, so probe and gallery vector of the same number belong together"
    note = DataWarning(said, location=Location(file=probes.source))
    files = tuple(dict.fromkeys([gallery.source, probes.source]))
    return LoadedScores(scores=scores, files=files, notes=(note,))


def _everywhere(file: str) -> dict[str, Location]:
    """Return the place of labels, classes and vectors that come from one file."""
    at = Location(file=file)
    return dict.fromkeys(("y_true", "classes", "gallery", "probes"), at)


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect our own warnings as lines of text; let others pass.

    Yields
    ------
    list of str
        Filled when the block ends.
    """
    lines: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lines
    for warning in caught:
        if issubclass(warning.category, ScorecastWarning):
            lines.append(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def named_file(given: str) -> tuple[str, str]:
    """Split NAME=FILE; a file whose name has the sign is taken as it is."""
    name, sign, path = given.partition("=")
    if sign and name and not os.path.exists(given.partition("::")[0]):
        return name, path
    file, _, key = given.partition("::")
    return key or os.path.basename(file), given


def named_files(given: Sequence[str]) -> list[tuple[str, str]]:
    """Split NAME=FILE of each; names of files lose their ending if they stay apart."""
    found = [named_file(one) for one in given]
    own = [name for name, _ in found]
    short = [
        os.path.splitext(name)[0] if name == os.path.basename(path) else name
        for name, path in found
    ]
    names = short if len(set(short)) == len(set(own)) else own
    return [(name, path) for name, (_, path) in zip(names, found, strict=True)]
