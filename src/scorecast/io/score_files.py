"""Scores of every class for every example, with the true labels."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.columns import TableOptions
from scorecast.io.finite import Flaws, find_flaws
from scorecast.io.labels import read_labels
from scorecast.io.paths import DEFAULT_MAX_BYTES, FilePath, locate, unchanged
from scorecast.io.score_sources import ClassName, Layout, ScoreSource, read_source
from scorecast.io.wording import listed, one_line, quoted

__all__ = ["ScoreFile", "read_scores"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreFile:
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
    notes : tuple of str
        What was assumed or left out, in sentences.
    """

    values: NDArray[Any]
    y_true: NDArray[Any]
    classes: tuple[ClassName, ...] | None
    n_dropped: int
    sources: tuple[str, ...]
    notes: tuple[str, ...]


def read_scores(
    path: FilePath,
    *,
    labels: FilePath | None = None,
    label_column: str | None = None,
    prefix: str | None = None,
    classes: FilePath | Sequence[ClassName] | None = None,
    key: str | None = None,
    decimal: str = ".",
    delimiter: str | None = None,
    header: bool = True,
    drop: Sequence[str] = (),
    drop_nonfinite: bool = False,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> ScoreFile:
    r"""Read the scores of a classifier on a test set.

    One row per example, one column per class. The labels come from a file of their
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
    prefix : str, optional
        How the names of score columns begin; it is removed from the class names.
        ``""`` takes every column. Usual ones (``logit_``, ``prob_``) are recognised.
    classes : sequence or path, optional
        The class of each column, in their order, or a file of them. Names that the
        header also has select columns instead.
    key : str, optional
        Array of an ``.npz`` or ``.safetensors`` file.
    decimal : {".", ","}, default="."
        Decimal mark of a text table.
    delimiter : str, optional
        Delimiter of a text table; found out if not given.
    header : bool, default=True
        Whether the first line of a text table names the columns.
    drop : sequence of str, default=()
        Columns to leave out.
    drop_nonfinite : bool, default=False
        Leave out rows with NaN or plus infinity, or minus infinity throughout, instead
        of refusing the file. Minus infinity (the logarithm of zero) is a legal score.
    max_bytes : int, default=8 GiB
        Largest size of the data, in the file and in memory.

    Returns
    -------
    ScoreFile
        Scores and labels.

    Raises
    ------
    InvalidInputError
        If a file is missing, damaged, incomplete or of another kind, or numbers of
        rows differ.
    UsageError
        If `delimiter` or `decimal` is not one that can be.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = path.write_text("label,logit_cat,logit_dog\ncat,2.5,-1\n")
    >>> scores = read_scores(path)
    >>> scores.classes, scores.y_true.tolist(), scores.values.tolist()
    (('cat', 'dog'), ['cat'], [[2.5, -1.0]])
    """
    location = locate(path, key)
    options = TableOptions(
        decimal=decimal, delimiter=delimiter, header=header, max_bytes=max_bytes
    )
    layout = Layout(label_column=label_column, prefix=prefix, drop=drop)
    other = None
    if labels is not None:
        # The delimiter is that of the scores; this file may have another.
        other = read_labels(
            labels, column=label_column, header=header, max_bytes=max_bytes
        )
    with unchanged(location.path):
        found = read_source(location, other, layout, options)
        if classes is not None:
            found = _with_classes(found, _class_names(classes, options))
        _check_shape(found)
        return _finished(found, drop_nonfinite=drop_nonfinite)


def _class_names(
    classes: FilePath | Sequence[ClassName], options: TableOptions
) -> tuple[ClassName, ...]:
    if not isinstance(classes, str | os.PathLike):
        return tuple(classes)
    labels = read_labels(classes, header=options.header, max_bytes=options.max_bytes)
    return tuple(labels.values.tolist())


def _with_classes(found: ScoreSource, classes: tuple[ClassName, ...]) -> ScoreSource:
    """Name the columns, or pick those that already bear the names."""
    columns = [str(name) for name in found.classes or ()]
    unknown = [quoted(name) for name in classes if str(name) not in set(columns)]
    if not unknown:
        order = [columns.index(str(name)) for name in classes]
        return replace(found, values=found.values[:, order], classes=classes)
    if len(unknown) < len(classes):
        msg = (
            f"{found.name} has columns for some of the classes given but not for "
            f"{listed(unknown)}; it has {listed(columns)}"
        )
        raise InvalidInputError(msg)
    return replace(found, classes=classes)


def _check_shape(found: ScoreSource) -> None:
    n_rows, n_columns = found.values.shape
    n_labels = len(found.labels.values)
    if n_labels != n_rows:
        other = one_line(found.labels.source, 300)
        msg = (
            f"{found.name} has {n_rows} rows but {other} has "
            f"{n_labels} labels{_mismatch_hint(n_rows, n_columns, n_labels)}"
        )
        raise InvalidInputError(msg)
    if n_columns < 2:
        msg = (
            f"{found.name} has one column of scores; one per class is needed, so at "
            "least two (for two classes, save 1 - p beside p, or -s beside s)"
        )
        raise InvalidInputError(msg)
    if found.classes is None:
        return
    if len(found.classes) != n_columns:
        msg = (
            f"{found.name} has {n_columns} columns of scores but "
            f"{len(found.classes)} class names are given; give one per column"
        )
        raise InvalidInputError(msg)
    repeated = [quoted(c) for c, k in Counter(found.classes).items() if k > 1]
    if repeated:
        msg = f"{found.name}: repeated class names {listed(repeated)}; rename them"
        raise InvalidInputError(msg)


def _mismatch_hint(n_rows: int, n_columns: int, n_labels: int) -> str:
    hints = []
    if n_labels == n_columns:
        hints.append(
            "the matrix looks transposed (one row per example is expected): save "
            "scores.T"
        )
    if abs(n_labels - n_rows) == 1:
        hints.append(
            "if a header was taken for data or data for a header, mind --no-header "
            "(a .txt file has no header) and --label-column NAME (which has one)"
        )
    return "; ".join(["", *hints]) or "; give one label per row, in the same order"


def _finished(found: ScoreSource, *, drop_nonfinite: bool) -> ScoreFile:
    values, y_true = found.values, found.labels.values
    notes = found.notes + found.labels.notes + _unnamed(found)
    n_dropped = 0
    flaws = find_flaws(values, allow_negative_infinity=True)
    if flaws is not None:
        n_dropped = int(flaws.rows.sum())
        if not drop_nonfinite or n_dropped == len(values):
            raise _not_finite(found, flaws)
        values, y_true = values[~flaws.rows], y_true[~flaws.rows]
        notes += (
            f"{found.name}: {n_dropped} of {len(found.values)} rows were dropped "
            "because their scores are not finite",
        )
    sources = tuple(dict.fromkeys((found.source, found.labels.source)))
    return ScoreFile(
        values=values,
        y_true=y_true,
        classes=found.classes,
        n_dropped=n_dropped,
        sources=sources,
        notes=notes,
    )


def _unnamed(found: ScoreSource) -> tuple[str, ...]:
    """Name columns that no label names: they may be no classes at all."""
    known = {str(label) for label in found.labels.values}
    names = [str(name) for name in found.classes or ()]
    rest = [name for name in names if name not in known]
    if not rest or len(rest) == len(names):  # the labels are no names of columns
        return ()
    column = "column" if len(rest) == 1 else "columns"
    return (
        f"{found.name}: no label names {column} {listed(map(quoted, rest))}, taken for "
        f"{'a class' if len(rest) == 1 else 'classes'} without examples; --drop NAME "
        "leaves out what is no class",
    )


def _not_finite(found: ScoreSource, flaws: Flaws) -> InvalidInputError:
    n_rows = int(flaws.rows.sum())
    fix = "repair them or pass --drop-nonfinite"
    if n_rows == len(found.values):
        fix = "no row is left without one; repair them"
    if flaws.first is None:
        row = flaws.first_impossible or 0
        return InvalidInputError(
            f"{found.name}, {found.place(row)}: every score is -inf, so that no "
            f"class is possible ({n_rows} such rows); {fix}"
        )
    row, column = flaws.first
    name = column + 1 if found.classes is None else quoted(found.classes[column])
    return InvalidInputError(
        f"{found.name}, {found.place(row)}, column {name}: "
        f"{found.values[row, column]} is not finite ({flaws.n_cells} such values in "
        f"{n_rows} rows); {fix}"
    )
