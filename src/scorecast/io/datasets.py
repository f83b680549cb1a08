"""Features and targets of a data set, from one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.near_names import near_name
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.io.arrays import (
    SCORE_NAMES,
    array_contents,
    choose_key,
    describe_contents,
    read_array,
)
from scorecast.io.columns import TableOptions, find_column
from scorecast.io.finite import find_flaws, real_matrix
from scorecast.io.formats import Kind, kind_of
from scorecast.io.label_values import label_array
from scorecast.io.matrices import check_names
from scorecast.io.paths import (
    DEFAULT_MAX_BYTES,
    FilePath,
    Location,
    locate,
    unchanged,
)
from scorecast.io.rows import MISSING
from scorecast.io.tables import open_table
from scorecast.io.wording import listed, quoted

__all__ = ["Dataset", "read_dataset"]

_FEATURE_NAMES = ("X", "features", "data", *SCORE_NAMES)
_CLASS_NAMES = (
    "class_names", "classes", "target_names", "label_names", "labels", "names",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """A data set read from a file.

    Attributes
    ----------
    X : ndarray of shape (n, m)
        Features, finite; NaN where one is missing and that was allowed.
    y : ndarray of shape (n,)
        Targets: numbers if they were asked for, else labels.
    groups : ndarray of shape (n,) or None
        Groups, if a column was named.
    columns : tuple of str or None
        Names of the features, if the file has names.
    source : str
        The file.
    missing : str
        Place of the first missing feature and how many there are; empty if none is.
    notes : tuple of str
        What was assumed about it.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    groups: NDArray[Any] | None
    columns: tuple[str, ...] | None
    source: str
    missing: str = ""
    notes: tuple[str, ...] = ()


def read_dataset(
    path: FilePath,
    target: str,
    *,
    numeric: bool = False,
    group: str | None = None,
    key: str | None = None,
    drop: Sequence[str] = (),
    allow_missing: bool = False,
    decimal: str = ".",
    delimiter: str | None = None,
    header: bool = True,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Dataset:
    r"""Read features and targets.

    Parameters
    ----------
    path : str or path-like
        A table with one row per case, or an ``.npz`` file with arrays.
    target : str
        Column, or array, that holds the targets.
    numeric : bool, default=False
        Whether targets are numbers to be predicted, not labels.
    group : str, optional
        Column, or array, that holds groups.
    key : str, optional
        Array of the features in an ``.npz`` file; X, features or data otherwise.
    drop : sequence of str, default=()
        Columns that are no features.
    allow_missing : bool, default=False
        Whether features may be missing, for models that can deal with it.
    decimal, delimiter, header, max_bytes : optional
        As for `read_matrix`.

    Returns
    -------
    Dataset
        Features, targets and groups.

    Raises
    ------
    InvalidInputError
        If the file or a column is missing or damaged, or a feature is not finite.
    UsageError
        If the target is to be dropped.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.csv"
    >>> _ = path.write_text("gene1,gene2,tumour\n1.5,2,yes\n0,1,no\n")
    >>> read_dataset(path, "tumour").X.tolist()
    [[1.5, 2.0], [0.0, 1.0]]
    """
    location = locate(path, key)
    kind = kind_of(location.path)
    with unchanged(location.path):
        if kind is Kind.ARRAYS:
            if drop:
                msg = f"{location.name} has no column names, so none can be dropped"
                raise InvalidInputError(msg)
            return _from_arrays(
                location, target, group, numeric, allow_missing, max_bytes
            )
        if kind is Kind.TABLE:
            options = TableOptions(
                decimal=decimal,
                delimiter=delimiter,
                header=header,
                max_bytes=max_bytes,
                allows_missing=allow_missing,
            )
            return _from_table(location, target, group, numeric, drop, options)
    msg = f"{location.name}: a .txt file has no columns; name a table .csv"
    raise InvalidInputError(msg)


def _from_table(
    location: Location,
    target: str,
    group: str | None,
    numeric: bool,
    drop: Sequence[str],
    options: TableOptions,
) -> Dataset:
    table = open_table(location, options)
    own = find_column(table, target, "--target")
    together = None if group is None else find_column(table, group, "--group")
    dropped = {find_column(table, name, "--drop") for name in drop}
    if own in dropped:
        msg = (
            f"--drop {target} is the target, which is no feature anyway: name another."
        )
        raise UsageError(msg)
    apart = {own, *dropped}
    if together is not None:
        apart.add(together)
    features = [i for i in range(table.n_columns) if i not in apart]
    if not features:
        msg = f"{location.name}: no column is left for features"
        raise InvalidInputError(msg)
    check_names(table, features)
    numbers = [*features, own] if numeric else features
    texts = [] if numeric else [own]
    texts += [] if together is None else [together]
    content = table.read(numbers, texts)
    names = table.columns
    columns = None if names is None else tuple(names[i] for i in numbers)
    n_features = len(features)
    X = content.values[:, :n_features]
    missing = _check_features(
        X,
        columns,
        location.name,
        content.place,
        options.allows_missing,
        content.missing,
    )
    if numeric:
        own_values = content.values[:, n_features:]
        written = content.missing and content.missing[n_features:]
        lacking = _first_missing(
            own_values, (target,), location.name, content.place, written
        )
        if lacking and options.allows_missing:
            msg = f"{lacking}; fill it or remove the row"
            raise InvalidInputError(msg)
        _refuse_flaws(own_values, (target,), location.name, content.place)
    if not numeric:
        _refuse_missing(content.texts[0], target, location.name, content.place)
    if group is not None:
        _refuse_missing(content.texts[-1], group, location.name, content.place)
    return Dataset(
        X=X,
        y=content.values[:, n_features] if numeric else content.texts[0],
        groups=None if together is None else content.texts[-1],
        columns=None if columns is None else columns[:n_features],
        source=location.source(None),
        missing=missing,
        notes=table.notes,
    )


def _from_arrays(
    location: Location,
    target: str,
    group: str | None,
    numeric: bool,
    allow_missing: bool,
    max_bytes: int,
) -> Dataset:
    contents = array_contents(location, max_bytes)
    for name, option in ((target, "--target"), (group, "--group")):
        if name is not None and name not in contents:
            known = describe_contents(contents) if contents else "one without a name"
            near = near_name(name, contents)
            fix = (
                f"did you mean {quoted(near)}?"
                if near
                else f"pick one with {option} NAME"
            )
            msg = f"{location.name} has no array {quoted(name)} but {known}; {fix}"
            raise InvalidInputError(msg)
    rest = {k: v for k, v in contents.items() if k not in (target, group)}
    key = choose_key(location, rest, _FEATURE_NAMES, "features")
    array = read_array(location, key, max_bytes)
    values = real_matrix(array, location.at(key), max_bytes)
    missing = _check_features(values, None, location.at(key), _row, allow_missing, None)
    own = read_array(location, target, max_bytes)
    y = (
        _numbers(own, location.at(target))
        if numeric
        else _labels(own, location, target)
    )
    named, notes = (y, ()) if numeric else _named(y, location, target, rest, max_bytes)
    groups = None
    if group is not None:
        groups = _labels(read_array(location, group, max_bytes), location, group)
    for name, column in ((target, y), (group, groups)):
        if column is not None and len(column) != len(values):
            hint = ""
            if len(column) == values.shape[1]:
                hint = "; cases are rows: transpose the features, as np.transpose does"
            msg = (
                f"{location.name}: {len(values)} rows of features but {len(column)} in "
                f"{quoted(name or '')}{hint}"
            )
            raise InvalidInputError(msg)
    return Dataset(
        X=values,
        y=named,
        groups=groups,
        columns=None,
        source=location.source(key),
        missing=missing,
        notes=notes,
    )


def _named(
    codes: NDArray[Any],
    location: Location,
    target: str,
    contents: Mapping[str, str],
    max_bytes: int,
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Call classes that are numbers from 0 by the names that lie beside them."""
    if codes.dtype.kind not in "iu" or not codes.size:
        return codes, ()
    for key in _CLASS_NAMES:
        if key not in contents:
            continue
        found = read_array(location, key, max_bytes)
        fits = found.ndim == 1 and found.dtype.kind == "U"
        # As many names as classes, or the array is about something else.
        if not fits or not np.array_equal(np.unique(codes), np.arange(found.size)):
            continue
        if np.unique(found).size < found.size:
            continue
        return found[codes], (
            f"classes {quoted(target)} are called by {quoted(key)}: "
            f"{listed(found.tolist())}",
        )
    return codes, ()


def _row(row: int) -> str:
    return f"row {row + 1}"


def _labels(values: NDArray[Any], location: Location, name: str) -> NDArray[Any]:
    labels = label_array(values, location.at(name))
    _refuse_missing(labels, name, location.name, _row)
    return labels


def _refuse_missing(
    labels: NDArray[Any], column: str, name: str, place: Callable[[int], str]
) -> None:
    """Refuse labels that are missing: together they would be a class, or a group."""
    if labels.dtype.kind in "iu":
        return
    rows = [i for i, x in enumerate(labels) if str(x).strip().lower() in MISSING]
    if not rows:
        return
    said = str(labels[rows[0]]).strip()
    what = f"{quoted(said)} is no label" if said else "the field is empty"
    msg = (
        f"{name}, {place(rows[0])}, column {quoted(column)}: {what} "
        f"({len(rows)} such); fill it or remove the row"
    )
    raise InvalidInputError(msg)


def _numbers(values: NDArray[Any], name: str) -> NDArray[Any]:
    if values.ndim != 1 or values.dtype.kind not in "fiub":
        msg = f"{name} must hold one number per case"
        raise InvalidInputError(msg)
    return values.astype(np.float64)


def _check_features(
    values: NDArray[Any],
    columns: Sequence[str] | None,
    name: str,
    place: Callable[[int], str],
    allow_missing: bool,
    written: Sequence[str | None] | None,
) -> str:
    """Refuse what is not finite; say where the first missing value is, if it may be."""
    missing = ""
    if allow_missing:
        missing = _first_missing(values, columns, name, place, written)
    known = np.where(np.isnan(values), 0.0, values) if missing else values
    _refuse_flaws(known, columns, name, place)
    return missing


def _first_missing(
    values: NDArray[Any],
    columns: Sequence[str] | None,
    name: str,
    place: Callable[[int], str],
    written: Sequence[str | None] | None,
) -> str:
    """Say where the first missing value stands, what is there, and how many are."""
    flaws = np.argwhere(np.isnan(values))
    if not len(flaws):
        return ""
    row, column = flaws[0].tolist()
    # No earlier row lacks anything: what comes first in the column stands here.
    word = "NaN" if written is None else written[column]
    what = f"{quoted(word)} is a missing value" if word else "the field is empty"
    where = _column_place(column, columns)
    return f"{name}, {place(row)}, {where}: {what} ({len(flaws)} such)"


def _column_place(column: int, columns: Sequence[str] | None) -> str:
    """Name a column; without names by its place, as rows counted from one."""
    if columns is None:
        return f"column {column + 1} (both counted from 1)"
    return f"column {quoted(columns[column])}"


def _refuse_flaws(
    values: NDArray[Any], columns: Sequence[str] | None, name: str, place: Any
) -> None:
    flaws = find_flaws(values)
    if flaws is None or flaws.first is None:
        return
    row, column = flaws.first
    where = _column_place(column, columns)
    msg = (
        f"{name}, {place(row)}, {where}: {values[row, column]} is not finite "
        f"({flaws.n_cells} such); repair or remove those rows"
    )
    raise InvalidInputError(msg)
