"""Scores out of one file, before labels and classes are compared with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError, MissingLabelsError
from scorecast.io.arrays import (
    CLASS_NAMES,
    LABEL_NAMES,
    SCORE_NAMES,
    VAGUE_CLASS_NAMES,
    array_contents,
    choose_key,
    describe_contents,
    read_array,
)
from scorecast.io.columns import LABEL_COLUMNS, Table, TableOptions, find_column
from scorecast.io.finite import real_matrix
from scorecast.io.formats import Kind, kind_of
from scorecast.io.label_values import label_array
from scorecast.io.labels import Labels, label_candidates
from scorecast.io.matrices import check_names
from scorecast.io.paths import Location
from scorecast.io.tables import open_table
from scorecast.io.wording import listed, one_line, quoted

__all__ = ["ClassName", "Layout", "ScoreSource", "read_source"]

ClassName: TypeAlias = str | int

_PREFIXES = ("logit_", "prob_", "log_prob_", "logprob_", "score_")
_TOP_K = re.compile(r"(index|label|class)_\d+")
_TOP_K_VALUE = re.compile(r"(prob|logit|score|output)s?(_\d+)?")
_VAGUE_NAMES = frozenset({"values", "S", "X"})  # of arrays that may be anything
_ROW_NAMES = frozenset(
    {"id", "index", "idx", "row", "rowid", "filename", "file", "path", "image", "name"}
)
# Such as image_id, sampleId, Image ID, row-index, uuid.
_ROW_NAME = re.compile(
    r"(.*[ _.-])?(?i:id|idx|index|uuid|filename|path)|.*[a-z](Id|ID|Index)"
)


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
    notes: tuple[str, ...] = ()
    if labels is None:
        label_key = _label_key(location, contents, key)
        names = read_array(location, label_key, max_bytes)
        labels = Labels(
            values=label_array(names, location.at(label_key)),
            source=location.source(label_key),
        )
        if location.key is None and key in _VAGUE_NAMES:
            notes = (f"{location.name}: scores from {key}, labels from {label_key}",)
    classes = _array_classes(location, contents, key, values.shape[1], max_bytes)
    if classes is not None:
        labels, named = _named_labels(labels, classes)
        notes += named
    return ScoreSource(
        values=values,
        labels=labels,
        classes=classes,
        source=location.source(key),
        name=location.at(key),
        notes=notes,
        place=lambda row: f"row {row + 1}",
    )


def _label_key(location: Location, contents: Mapping[str, str], key: str | None) -> str:
    label_key = _named(contents, LABEL_NAMES, key)
    if label_key is None:
        has = "one array without labels"
        fix = "pass --labels FILE"
        if contents:
            has = f"no array named like labels ({', '.join(LABEL_NAMES)}) but "
            has += describe_contents(contents)
            fix += f" or --labels {location.name}::NAME"
        msg = f"{location.name} has {has}; {fix}"
        raise MissingLabelsError(msg)
    return label_key


def _array_classes(
    location: Location,
    contents: Mapping[str, str],
    key: str | None,
    n_columns: int,
    max_bytes: int,
) -> tuple[ClassName, ...] | None:
    """Return the names of the columns, if another array of the file holds them."""
    class_key = _named(contents, CLASS_NAMES, key)
    if class_key is not None:
        names = read_array(location, class_key, max_bytes)
        return tuple(label_array(names, location.at(class_key)).tolist())
    class_key = _named(contents, VAGUE_CLASS_NAMES, key)
    if class_key is None:
        return None
    names = read_array(location, class_key, max_bytes)
    if names.shape != (n_columns,) or names.dtype.kind not in "UST":
        return None
    return tuple(label_array(names, location.at(class_key)).tolist())


def _named_labels(
    labels: Labels, classes: tuple[ClassName, ...]
) -> tuple[Labels, tuple[str, ...]]:
    """Give labels that are numbers of columns the names of these, and say so."""
    values = labels.values
    if values.dtype.kind not in "iu" or not all(isinstance(x, str) for x in classes):
        return labels, ()
    known = {str(x) for x in values.tolist()} <= set(classes)
    if known or values.min() < 0 or values.max() >= len(classes):
        return labels, ()
    renamed = np.array([classes[i] for i in values.tolist()])
    note = "labels that are whole numbers were taken as numbers of columns, from 0"
    return replace(labels, values=renamed), (note,)


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
    chosen = _choose_columns(
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


# Which columns of a table are scores, and which one is the label.


@dataclass(frozen=True, kw_only=True)
class _ScoreColumns:
    """The part each column of a table plays."""

    scores: tuple[int, ...]
    classes: tuple[str, ...] | None  # names of the scores, prefix removed
    label: int | None
    notes: tuple[str, ...]


def _choose_columns(
    table: Table,
    *,
    has_labels: bool,
    label_column: str | None,
    prefix: str | None,
    drop: Sequence[str],
) -> _ScoreColumns:
    """Assign the columns of a table.

    Parameters
    ----------
    table : Table
        The table.
    has_labels : bool
        Whether the labels come from another file.
    label_column : str or None
        The column of the labels, if the user named it.
    prefix : str or None
        How the names of score columns begin; ``""`` makes every column a score.
    drop : sequence of str
        Columns to leave out.

    Returns
    -------
    _ScoreColumns
        Positions and names.

    Raises
    ------
    InvalidInputError
        If the table holds only the best few classes, or a column cannot be placed.
    """
    _refuse_top_k(table)
    dropped = {find_column(table, name, "--drop") for name in drop}
    label = None if has_labels else _label(table, label_column, dropped, prefix)
    rest = [i for i in range(table.n_columns) if i not in dropped and i != label]
    if table.columns is None:
        return _ScoreColumns(scores=tuple(rest), classes=None, label=label, notes=())
    names = {i: table.columns[i] for i in rest}
    chosen_prefix = _prefix(table, names) if prefix is None else prefix
    if chosen_prefix is None:
        _refuse_strangers(table, names)
        chosen_prefix = ""
    scores = [i for i, name in names.items() if name.startswith(chosen_prefix)]
    if not scores:
        msg = (
            f"{table.name} has no column of scores beginning with "
            f"{quoted(chosen_prefix)} but {listed(table.columns)}"
        )
        raise InvalidInputError(msg)
    check_names(table, scores)
    ignored = [quoted(name) for i, name in names.items() if i not in set(scores)]
    notes = (f"{table.name}: columns not used: {listed(ignored)}",) if ignored else ()
    classes = tuple(names[i].removeprefix(chosen_prefix) for i in scores)
    return _ScoreColumns(
        scores=tuple(scores), classes=classes, label=label, notes=notes
    )


def _refuse_top_k(table: Table) -> None:
    """Refuse the output of timm's inference.py unless it has every class."""
    names = [name.strip().lower() for name in table.columns or ()]
    values = [name for name in names if _TOP_K_VALUE.fullmatch(name)]
    ranked = [name for name in names if _TOP_K.fullmatch(name)]
    if values and (ranked or "index" in names):
        msg = (
            f"{table.name} holds only the best classes of each row (columns "
            f"{listed(names, 4)}); the scores of all classes are needed: run "
            "inference.py with --topk 0 --results-separate-col --output-type logit"
        )
        raise InvalidInputError(msg)


def _label(
    table: Table, wanted: str | None, dropped: set[int], prefix: str | None
) -> int:
    if wanted is not None:
        return find_column(table, wanted, "--label-column")
    found = [i for i in label_candidates(table) if i not in dropped]
    if prefix and table.columns is not None:
        found = [i for i in found if not table.columns[i].startswith(prefix)]
    if len(found) == 1:
        return found[0]
    if table.columns is None:
        msg = (
            f"{table.name} has no header: say which column holds the labels by its "
            f"position, --label-column 1, or pass --labels FILE ({table.n_columns} "
            "columns)"
        )
        raise MissingLabelsError(msg)
    has = "several columns" if found else "no column"
    usual = ", ".join(sorted(LABEL_COLUMNS))
    msg = (
        f"{table.name} has {has} named like labels ({usual}) "
        f"but {listed(table.columns)}; pass --label-column NAME or --labels FILE"
    )
    raise MissingLabelsError(msg)


def _prefix(table: Table, names: dict[int, str]) -> str | None:
    """Return the usual prefix that score columns carry here, if there is one."""
    counts = {
        prefix: sum(name.startswith(prefix) for name in names.values())
        for prefix in _PREFIXES
    }
    found = [prefix for prefix, count in counts.items() if count >= 2]
    if len(found) > 1:
        msg = (
            f"{table.name} has scores of several kinds ({', '.join(found)}); pick one "
            f"with --prefix {found[0]}"
        )
        raise InvalidInputError(msg)
    return found[0] if found else None


def _refuse_strangers(table: Table, names: dict[int, str]) -> None:
    """Stop where a row number or a second label column would pass for a class."""
    strangers = _ROW_NAMES | LABEL_COLUMNS
    for name in names.values():
        is_stranger = name.strip().lower() in strangers
        if is_stranger or _ROW_NAME.fullmatch(name.strip()):
            msg = (
                f"{table.name}: column {quoted(name)} does not look like the scores of "
                f"a class; leave it out with --drop {one_line(name)}, or pass "
                "--prefix '' if it is one"
            )
            raise InvalidInputError(msg)
