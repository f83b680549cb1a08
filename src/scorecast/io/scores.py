"""Scores of every class for every sample, with the true labels."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    Location,
    MissingLabelsError,
    listed,
    quoted,
)
from scorecast.io.arrays import (
    LABEL_NAMES,
    SCORE_NAMES,
    ArrayFile,
    Flaws,
    find_flaws,
    real_matrix,
)
from scorecast.io.delimited import LABEL_COLUMNS
from scorecast.io.files import FileData, FileLayout, FilePath, InputFile
from scorecast.io.labels import Labels, read_labels, refuse_empty
from scorecast.io.tables import (
    Table,
    check_names,
    dropped_columns,
    find_column,
    label_candidates,
    opened_source,
)

ClassName: TypeAlias = str | int

_CLASS_NAMES = ("classes", "class_names", "target_names", "label_names")
_VAGUE_CLASS_NAMES = ("names", "columns")  # of columns, if there are as many
_VAGUE_NAMES = frozenset({"values", "S", "X"})  # of arrays that may be anything
_PREFIXES = ("logit_", "prob_", "log_prob_", "logprob_", "score_")
_TOP_K = re.compile(r"(index|label|class)_\d+")
_TOP_K_VALUE = re.compile(r"(prob|logit|score|output)s?(_\d+)?")
_POINT_SHARES = ("accuracy", "miss")  # beside the column classes
_ROW_NAMES = frozenset(
    {"id", "index", "idx", "row", "rowid", "filename", "file", "path", "image", "name"}
)
# Such as image_id, sampleId, Image ID, row-index, uuid.
_ROW_NAME = re.compile(
    r"(.*[ _.-])?(?i:id|idx|index|uuid|filename|path)|.*[a-z](Id|ID|Index)"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreFile(FileData):
    """Scores and labels read from one file or two.

    Attributes
    ----------
    values : ndarray of shape (n, K)
        Float32 or float64. Minus infinity may occur, though not in a whole row;
        NaN and plus infinity do not.
    y_true : ndarray of shape (n,)
        The label of each row: whole numbers or text, not yet matched to columns.
    classes : tuple or None
        The class of each column, if the file or the caller names it.
    n_dropped : int
        Rows left out because they were not finite.
    sources : tuple of str
        The files, scores first.
    label_lines : sequence of int or None
        Line of each label, if their file has lines.
    """

    values: NDArray[Any]
    y_true: NDArray[Any]
    classes: tuple[ClassName, ...] | None
    n_dropped: int
    sources: tuple[str, ...]
    label_lines: Sequence[int] | None = None

    @property
    def locations(self) -> dict[str, Location]:
        """Where scores and labels came from."""
        last = self.sources[-1]
        labels = Location(file=last, lines=self.label_lines)
        return {"scores": self.location, "y_true": labels}


def read_scores(
    path: FilePath,
    *,
    labels: FilePath | None = None,
    label_column: str | None = None,
    classes: FilePath | Sequence[ClassName] | None = None,
    prefix: str | None = None,
    drop_nonfinite: bool = False,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> ScoreFile:
    r"""Read the scores of a classifier on a test set.

    One row per sample, one column per class. The labels come from a file of their
    own or from the same file: an array named labels, y, y_true or targets, or a column
    named label, y, y_true, target, class, true or truth.

    Parameters
    ----------
    path : str or path-like
        The scores; ``file.npz::key`` picks one array. Without key, the array is named
        scores, logits, probs, log_probs, values, S or X.
    labels : str or path-like, optional
        A file of labels, as for `read_labels`.
    label_column : str, optional
        The column of the labels, in that file or else in the table of scores.
    classes : sequence or path, optional
        The class of each column, in their order, or a file of them. Names that the
        header also has select columns instead.
    prefix : str, optional
        How the names of score columns begin; it is removed from the class names.
        ``""`` takes every column. Usual ones (``logit_``, ``prob_``) are recognised.
    drop_nonfinite : bool, default=False
        Leave out rows with an empty score, NaN or plus infinity, or minus infinity
        throughout, instead of refusing the file. Minus infinity (the logarithm of zero)
        is a legal score.
    layout : FileLayout, optional
        How the file is laid out.

    Returns
    -------
    ScoreFile
        Scores and labels.

    Raises
    ------
    InvalidInputError
        If a file is missing, damaged, incomplete or of another kind, or numbers of
        rows differ.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = path.write_text("label,logit_cat,logit_dog\ncat,2.5,-1\n")
    >>> scores = read_scores(path)
    >>> scores.classes, scores.y_true.tolist(), scores.values.tolist()
    (('cat', 'dog'), ['cat'], [[2.5, -1.0]])
    """
    # The delimiter is that of the scores; other files may have another.
    plain = FileLayout(header=layout.header, max_bytes=layout.max_bytes)
    other = None
    if labels is not None:
        other = read_labels(labels, column=label_column, layout=plain)
    names: tuple[ClassName, ...] | None = None
    if isinstance(classes, str | os.PathLike):
        names = tuple(read_labels(classes, layout=plain).values.tolist())
    elif classes is not None:
        names = tuple(classes)
    with opened_source(path, layout) as source:
        if isinstance(source, ArrayFile):
            found = _from_arrays(source, other, prefix, layout)
        else:
            found = _from_table(
                source,
                other,
                label_column,
                prefix,
                layout,
                may_lack=drop_nonfinite,
            )
        if names is not None:
            found = _with_classes(found, names)
        _check_shape(found)
        refuse_empty(found.labels.values, found.labels.place, found.classes or ())
        return _finished(found, drop_nonfinite=drop_nonfinite)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Found(FileData):
    """What one file gave, before labels and classes are compared with it."""

    file: InputFile
    values: NDArray[Any]
    labels: Labels
    classes: tuple[ClassName, ...] | None

    def refusal(self, problem: str, **parts: Any) -> InvalidInputError:
        return InvalidInputError(problem, **{"location": self.location, **parts})


# Arrays ----------------------------------------------------------------------------


def _from_arrays(
    source: ArrayFile, labels: Labels | None, prefix: str | None, layout: FileLayout
) -> _Found:
    file = source.file
    if prefix:
        problem = "it has no column names, so none can begin so"
        raise file.refusal(problem, remedy="leave the prefix out", option="prefix")
    dropped_columns(source, layout.drop)
    key = source.choose(SCORE_NAMES, "scores")
    array = source.read(key, by_rows=True)
    values = real_matrix(array, file, key, layout.max_bytes)
    notes: tuple[DataWarning, ...] = ()
    if labels is None:
        label_key = _label_key(source, key)
        labels = Labels(values=source.labels(label_key), source=file.source(label_key))
        if file.key is None and key in _VAGUE_NAMES:
            notes = (file.note(f"scores from {key}, labels from {label_key}"),)
    classes = _array_classes(source, key, values.shape[1])
    if classes is not None:
        labels, named = _named_labels(labels, classes)
        notes += named
    return _Found(
        file=file,
        values=values,
        labels=labels,
        classes=classes,
        source=file.source(key),
        notes=notes,
    )


def _label_key(source: ArrayFile, key: str | None) -> str:
    label_key = source.first_of(LABEL_NAMES, key)
    if label_key is not None:
        return label_key
    problem = "it has one array without labels"
    if source.contents:
        names = ", ".join(LABEL_NAMES)
        problem = f"no array is named like labels ({names}) but {source.described()}"
    raise MissingLabelsError(
        problem,
        parameter="y_true",
        location=source.file.location,
        remedy="name the file of the labels, or FILE::NAME of an array of one",
        option="labels",
    )


def _array_classes(
    source: ArrayFile, key: str | None, n_columns: int
) -> tuple[ClassName, ...] | None:
    """Return the names of the columns, if another array of the file holds them."""
    class_key = source.first_of(_CLASS_NAMES, key)
    if class_key is not None:
        return tuple(source.labels(class_key).tolist())
    class_key = source.first_of(_VAGUE_CLASS_NAMES, key)
    if class_key is None:
        return None
    names = source.read(class_key)
    if names.shape != (n_columns,) or names.dtype.kind not in "UST":
        return None
    return tuple(source.labels(class_key).tolist())


def _named_labels(
    labels: Labels, classes: tuple[ClassName, ...]
) -> tuple[Labels, tuple[DataWarning, ...]]:
    """Give labels that are numbers of columns the names of these, and say so."""
    values = labels.values
    if values.dtype.kind not in "iu" or not all(isinstance(x, str) for x in classes):
        return labels, ()
    is_known = {str(x) for x in values.tolist()} <= set(classes)
    if is_known or values.min() < 0 or values.max() >= len(classes):
        return labels, ()
    renamed = np.array([classes[i] for i in values.tolist()])
    said = "labels that are whole numbers were taken as numbers of columns, from 0"
    return replace(labels, values=renamed), (
        DataWarning(said, location=labels.location),
    )


# Tables: which columns are scores, and which one is the label ----------------------


def _from_table(
    table: Table,
    labels: Labels | None,
    label_column: str | None,
    prefix: str | None,
    layout: FileLayout,
    *,
    may_lack: bool,
) -> _Found:
    file = table.file
    if file.key is not None:
        raise file.refusal(
            "a table has no arrays to pick",
            key=file.key,
            remedy="leave out the key; a prefix picks columns of scores",
            option="prefix",
        )
    _refuse_top_k(table)
    dropped = dropped_columns(table, layout.drop)
    label = None
    if labels is None:
        label = _label(table, label_column, dropped, prefix)
    rest = [i for i in range(table.n_columns) if i not in dropped and i != label]
    chosen, classes, notes = rest, None, table.notes
    if table.columns is not None:
        names = {i: table.columns[i] for i in rest}
        chosen, classes, ignored = _score_columns(
            table, names, prefix, lambda: _label_words(table, labels, label)
        )
        if ignored:
            said = f"columns not used: {listed(map(quoted, ignored), 8)}"
            notes = (*notes, file.note(said))
    content = table.read(
        chosen,
        [] if label is None else [label],
        allow_missing=may_lack,
        leaving_out="drop_nonfinite",
    )
    if labels is None:
        name = table.columns[label] if table.columns and label is not None else None
        labels = Labels(
            values=content.texts[0], source=file.source(name), lines=content.lines
        )
    return _Found(
        file=file,
        values=content.values,
        labels=labels,
        classes=classes,
        source=file.source(),
        notes=notes,
        lines=content.lines,
    )


def _label_words(
    table: Table, labels: Labels | None, column: int | None
) -> frozenset[str]:
    """Return every label as text, from a file of its own or a column."""
    if labels is not None:
        return frozenset(map(str, labels.values.tolist()))
    if column is None:
        return frozenset()
    return frozenset(map(str, table.read([], [column]).texts[0].tolist()))


def _score_columns(
    table: Table,
    names: dict[int, str],
    prefix: str | None,
    labels: Callable[[], frozenset[str]],
) -> tuple[list[int], tuple[str, ...], list[str]]:
    """Return which columns are scores, their classes, and what is not used."""
    if prefix is None:
        prefix = _usual_prefix(table, names)
    if prefix is None:
        _refuse_strangers(table, names, labels)
        prefix = ""
    scores = [i for i, name in names.items() if name.startswith(prefix)]
    if not scores:
        raise table.file.refusal(
            f"no column of scores begins with {quoted(prefix)} but there are "
            f"{listed(table.columns or (), 8)}",
            remedy="name another prefix",
            option="prefix",
        )
    check_names(table, scores)
    ignored = [name for i, name in names.items() if i not in set(scores)]
    return scores, tuple(names[i].removeprefix(prefix) for i in scores), ignored


def _refuse_top_k(table: Table) -> None:
    """Refuse the output of timm's inference.py unless it has every class."""
    names = [name.strip().lower() for name in table.columns or ()]
    values = [name for name in names if _TOP_K_VALUE.fullmatch(name)]
    ranked = [name for name in names if _TOP_K.fullmatch(name)]
    if values and (ranked or "index" in names):
        raise table.file.refusal(
            f"it holds only the best classes of each row (columns {listed(names, 4)}); "
            "the scores of all classes are needed",
            remedy="run inference.py with --topk 0 --results-separate-col "
            "--output-type logit",
        )


def _label(
    table: Table, wanted: str | None, dropped: set[int], prefix: str | None
) -> int:
    if wanted is not None:
        return find_column(table, wanted, "label_column")
    found = [i for i in label_candidates(table) if i not in dropped]
    if prefix and table.columns is not None:
        found = [i for i in found if not table.columns[i].startswith(prefix)]
    if len(found) > 1:
        found = _naming_others(table, found) or found
    if len(found) == 1:
        return found[0]
    if not found:
        _refuse_points(table)
    if table.columns is None:
        problem = f"it has no header, and {table.n_columns} columns"
        remedy = "say which one holds the labels by its position, such as 1"
    else:
        has = "several columns are" if found else "no column is"
        usual = ", ".join(sorted(LABEL_COLUMNS))
        problem = f"{has} named like labels ({usual}) but {listed(table.columns, 8)}"
        remedy = "say which one holds the labels, or name a file of them"
    raise MissingLabelsError(
        problem,
        parameter="y_true",
        location=table.file.location,
        remedy=remedy,
        option="label_column",
    )


def _refuse_points(table: Table) -> None:
    """Refuse published accuracies at numbers of classes: they are no scores."""
    names = {name.strip().lower(): name for name in table.columns or ()}
    shares = [names[x] for x in _POINT_SHARES if x in names]
    if "classes" not in names or not shares:
        return
    raise table.file.refusal(
        f"these are published points (columns {quoted(names['classes'])} and "
        f"{quoted(shares[0])}), and no scores of samples",
        remedy="use extrapolate --curve FILE, which back-tests them, too; in Python "
        "extrapolate_curve",
    )


def _naming_others(table: Table, found: list[int]) -> list[int]:
    """Return those columns whose labels name all the others, as classes.

    Classes may be called TRUE, or class.
    """
    columns, naming = table.columns or (), []
    for index in found:
        try:
            words = _label_words(table, None, index)
        except InvalidInputError:  # such as scores in a binary table
            continue
        if {columns[i] for i in found if i != index} <= words:
            naming.append(index)
    return naming


def _usual_prefix(table: Table, names: dict[int, str]) -> str | None:
    """Return the usual prefix that score columns carry here, if there is one."""
    counts = {
        prefix: sum(name.startswith(prefix) for name in names.values())
        for prefix in _PREFIXES
    }
    found = [prefix for prefix, count in counts.items() if count >= 2]
    if len(found) > 1:
        problem = f"it has scores of several kinds ({', '.join(found)})"
        raise table.file.refusal(problem, remedy="pick one prefix", option="prefix")
    return found[0] if found else None


def _refuse_strangers(
    table: Table, names: dict[int, str], labels: Callable[[], frozenset[str]]
) -> None:
    """Stop where a row number or a second label column would pass for a class.

    One that is a label is a class, whatever it is called.
    """
    usual = _ROW_NAMES | LABEL_COLUMNS
    strange = [
        name
        for name in names.values()
        if name.strip().lower() in usual or _ROW_NAME.fullmatch(name.strip())
    ]
    known = labels() if strange else frozenset()
    for name in strange:
        if name not in known:
            raise table.file.refusal(
                "this does not look like the scores of a class",
                column=name,
                remedy="say that every column is a class by an empty prefix, or leave "
                "it out",
                option="drop",
            )


# Both together ---------------------------------------------------------------------


def _with_classes(found: _Found, classes: tuple[ClassName, ...]) -> _Found:
    """Name the columns, or pick those that already bear the names."""
    columns = [str(name) for name in found.classes or ()]
    unknown = [quoted(name) for name in classes if str(name) not in set(columns)]
    if not unknown:
        order = [columns.index(str(name)) for name in classes]
        return replace(found, values=found.values[:, order], classes=classes)
    if len(unknown) < len(classes):
        raise found.refusal(
            "there are columns for some of the classes given but not for "
            f"{listed(unknown)}; there are {listed(columns)}",
            parameter="classes",
        )
    return replace(found, classes=classes)


def _check_shape(found: _Found) -> None:
    n_rows, n_columns = found.values.shape
    n_labels = len(found.labels.values)
    if n_labels != n_rows:
        raise _mismatch(found, n_rows, n_columns, n_labels)
    if n_columns < 2:
        raise found.refusal(
            "there is one column of scores; one per class is needed, so at least two",
            remedy="save 1 - p beside p, or -s beside s, if there are two classes",
        )
    if found.classes is None:
        return
    if len(found.classes) != n_columns:
        raise found.refusal(
            f"there are {n_columns} columns of scores but {len(found.classes)} class "
            "names",
            remedy="give one per column",
            option="classes",
        )
    repeated = [quoted(c) for c, k in Counter(found.classes).items() if k > 1]
    if repeated:
        problem = f"repeated class names {listed(repeated)}"
        raise found.refusal(problem, remedy="rename them")


def _has_no_lines(source: str) -> bool:
    """Tell whether a file is one of arrays, in which no line can be a header."""
    return source.partition("::")[0].endswith((".npz", ".npy", ".safetensors"))


def _mismatch(
    found: _Found, n_rows: int, n_columns: int, n_labels: int
) -> InvalidInputError:
    remedy, option = "give one label per row, in the same order", None
    sources = (found.source, found.labels.source)
    if abs(n_labels - n_rows) == 1 and not all(map(_has_no_lines, sources)):
        remedy = (
            "say whether the first line is data, if a header was taken for data or "
            "data for a header (a .txt file has no header)"
        )
        option = "header"
    elif n_labels == n_columns:
        remedy = "save scores.T if the matrix is transposed: a row for every sample"
    other = found.labels.source
    return found.refusal(
        f"{n_rows:,} rows but {n_labels:,} labels in {quoted(other, 200)}",
        remedy=remedy,
        option=option,
    )


def _finished(found: _Found, *, drop_nonfinite: bool) -> ScoreFile:
    values, y_true = found.values, found.labels.values
    notes = found.notes + found.labels.notes + _unnamed(found)
    n_dropped, lines, label_lines = 0, found.lines, found.labels.lines
    flaws = find_flaws(values, "negative-infinity")
    if flaws is not None:
        n_dropped = int(flaws.rows.sum())
        if not drop_nonfinite or n_dropped == len(values):
            raise _not_finite(found, flaws)
        values, y_true = values[~flaws.rows], y_true[~flaws.rows]
        lines, label_lines = (
            None if one is None else np.asarray(one)[~flaws.rows].tolist()
            for one in (lines, label_lines)
        )
        said = (
            f"{n_dropped:,} of {len(found.values):,} rows were dropped because their "
            "scores are not finite"
        )
        notes += (DataWarning(said, location=found.location),)
    return ScoreFile(
        values=values,
        y_true=y_true,
        classes=found.classes,
        n_dropped=n_dropped,
        sources=tuple(dict.fromkeys((found.source, found.labels.source))),
        source=found.source,
        notes=notes,
        lines=lines,
        label_lines=label_lines,
    )


def _unnamed(found: _Found) -> tuple[DataWarning, ...]:
    """Name columns that no label names: they may be no classes at all."""
    known = {str(label) for label in found.labels.values}
    names = [str(name) for name in found.classes or ()]
    rest = [name for name in names if name not in known]
    if not rest or len(rest) == len(names):  # the labels are no names of columns
        return ()
    is_one = len(rest) == 1
    said = (
        f"no label names {'column' if is_one else 'columns'} "
        f"{listed(map(quoted, rest))}, taken for "
        f"{'a class' if is_one else 'classes'} without examples"
    )
    return (found.file.note(said, remedy="drop what is no class", option="drop"),)


def _not_finite(found: _Found, flaws: Flaws) -> InvalidInputError:
    n_rows = int(flaws.rows.sum())
    remedy, option = "repair them, or leave such rows out", "drop_nonfinite"
    if n_rows == len(found.values):
        remedy, option = "repair them: no row is left without one", ""
    parts = {"remedy": remedy, "option": option or None}
    if flaws.first is None:
        problem = f"every score is -inf: no class is possible ({n_rows:,} such rows)"
        place = found.place(flaws.first_impossible or 0)
        return found.refusal(problem, location=place, **parts)
    row, column = flaws.first
    name = str(column + 1) if found.classes is None else str(found.classes[column])
    return found.refusal(
        f"{found.values[row, column]} is not finite (such values in {n_rows:,} of "
        f"{len(found.values):,} rows)",
        location=found.place(row, name),
        **parts,
    )
