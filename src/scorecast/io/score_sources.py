"""Scores out of one file, before labels and classes are compared with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.arrays import (
    CLASS_NAMES,
    LABEL_NAMES,
    SCORE_NAMES,
    array_contents,
    choose_key,
    describe_contents,
    read_array,
)
from scorecast.io.columns import TableOptions
from scorecast.io.finite import real_matrix
from scorecast.io.formats import Kind, kind_of
from scorecast.io.label_values import label_array
from scorecast.io.labels import Labels
from scorecast.io.paths import Location
from scorecast.io.score_columns import choose_columns
from scorecast.io.tables import open_table

__all__ = ["ClassName", "Layout", "ScoreSource", "read_source"]

ClassName: TypeAlias = str | int


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How the user says the columns of a table are laid out."""

    label_column: str | None
    prefix: str | None
    drop: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class ScoreSource:
    """What one file gave."""

    values: NDArray[Any]
    labels: Labels
    classes: tuple[ClassName, ...] | None
    source: str
    name: str  # the source on one line, for messages
    notes: tuple[str, ...]
    place: Callable[[int], str]  # where a row, counted from zero, stands in the file


def read_source(
    location: Location, labels: Labels | None, layout: Layout, options: TableOptions
) -> ScoreSource:
    """Read scores, and the labels as well unless they are given.

    Parameters
    ----------
    location : Location
        The file of scores.
    labels : Labels or None
        Labels from another file.
    layout : Layout
        Which columns are which, if it is a table.
    options : TableOptions
        How to read it.

    Returns
    -------
    ScoreSource
        Values, labels and class names, not yet compared.

    Raises
    ------
    InvalidInputError
        If something needed is not in the file.
    """
    kind = kind_of(location.path)
    if kind is Kind.ARRAYS:
        return _from_arrays(location, labels, layout, options.max_bytes)
    if kind is Kind.TABLE:
        return _from_table(location, labels, layout, options)
    msg = f"{location.name}: a .txt file is read as labels; name a table .csv"
    raise InvalidInputError(msg)


def _from_arrays(
    location: Location, labels: Labels | None, layout: Layout, max_bytes: int
) -> ScoreSource:
    if layout.prefix or layout.drop:
        msg = f"{location.name} has no column names: leave out --prefix and --drop"
        raise InvalidInputError(msg)
    contents = array_contents(location, max_bytes)
    key = choose_key(location, contents, SCORE_NAMES, "scores")
    array = read_array(location, key, max_bytes)
    values = real_matrix(array, location.at(key), max_bytes)
    if labels is None:
        labels = _labels_beside(location, contents, key, max_bytes)
    classes = None
    class_key = _named(contents, CLASS_NAMES, key)
    if class_key is not None:
        names = read_array(location, class_key, max_bytes)
        classes = tuple(label_array(names, location.at(class_key)).tolist())
    return ScoreSource(
        values=values,
        labels=labels,
        classes=classes,
        source=location.source(key),
        name=location.at(key),
        notes=(),
        place=lambda row: f"row {row + 1}",
    )


def _labels_beside(
    location: Location, contents: Mapping[str, str], key: str | None, max_bytes: int
) -> Labels:
    label_key = _named(contents, LABEL_NAMES, key)
    if label_key is None:
        has = "one array without labels"
        fix = "pass --labels FILE"
        if contents:
            has = f"no array named like labels ({', '.join(LABEL_NAMES)}) but "
            has += describe_contents(contents)
            fix += f" or --labels {location.name}::NAME"
        msg = f"{location.name} has {has}; {fix}"
        raise InvalidInputError(msg)
    array = read_array(location, label_key, max_bytes)
    values = label_array(array, location.at(label_key))
    return Labels(values=values, source=location.source(label_key))


def _named(
    contents: Mapping[str, str], names: Collection[str], taken: str | None
) -> str | None:
    found = [name for name in names if name in contents and name != taken]
    return found[0] if len(found) == 1 else None


def _from_table(
    location: Location, labels: Labels | None, layout: Layout, options: TableOptions
) -> ScoreSource:
    if location.key is not None:
        msg = (
            f"{location.at(location.key)}: a table has no arrays to pick; leave out "
            "the key (--prefix picks columns of scores, --label-column the labels)"
        )
        raise InvalidInputError(msg)
    table = open_table(location, options)
    chosen = choose_columns(
        table,
        has_labels=labels is not None,
        label_column=layout.label_column,
        prefix=layout.prefix,
        drop=layout.drop,
    )
    texts = [] if chosen.label is None else [chosen.label]
    content = table.read(chosen.scores, texts)
    if labels is None:
        names = table.columns
        name = None if names is None else names[texts[0]]
        labels = Labels(values=content.texts[0], source=location.source(name))
    return ScoreSource(
        values=content.values,
        labels=labels,
        classes=chosen.classes,
        source=location.source(None),
        name=location.name,
        notes=table.notes + chosen.notes,
        place=content.place,
    )
