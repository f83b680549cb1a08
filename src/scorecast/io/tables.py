"""Tables whatever their format: columns by name, data sets, tables of results.

Files of text are read by `io.delimited`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import warn
from scorecast._core.near_names import near_name
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    Location,
    UsageError,
    listed,
    quoted,
)
from scorecast.io.arrays import (
    SCORE_NAMES,
    ArrayFile,
    Nonfinite,
    described_lengths,
    real_matrix,
    real_vector,
    refuse_nonfinite,
)
from scorecast.io.arrow import ArrowTable
from scorecast.io.delimited import (
    LABEL_COLUMNS,
    MISSING,
    DelimitedTable,
    TableContent,
    decimal_hint,
    is_number,
)
from scorecast.io.files import (
    FileData,
    FileLayout,
    FilePath,
    Holds,
    InputFile,
    find_file,
    unchanged,
)

_ARROW = (".parquet", ".arrow", ".feather")
_FEATURE_NAMES = ("X", "features", "data", *SCORE_NAMES)
_CLASS_NAMES = (
    "class_names",
    "classes",
    "target_names",
    "label_names",
    "labels",
    "names",
)
_NO_RESULT = {*MISSING, "none", "-", "?"}


class Table(Protocol):
    """A file with columns, of which the header has been read."""

    @property
    def file(self) -> InputFile:
        """The file."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names, all different; None without header."""

    @property
    def n_columns(self) -> int:
        """Number of columns."""

    @property
    def notes(self) -> tuple[DataWarning, ...]:
        """What was assumed about the file and deserves to be said."""

    def read(
        self,
        numbers: Sequence[int],
        texts: Sequence[int],
        *,
        allow_missing: bool = False,
        unwanted: str = "",
        leaving_out: str = "",
    ) -> TableContent:
        """Read columns by position: some as numbers, some as labels.

        `allow_missing` makes NaN of empty numbers; `unwanted` says what to do with a
        column that holds no numbers, if not to leave it out; `leaving_out` is the
        argument that leaves out rows without a number, if there is one.
        """


@contextmanager
def opened_source(
    path: FilePath, layout: FileLayout, *, checks_header: bool = True
) -> Iterator[Table | ArrayFile]:
    """Open a file of arrays or a table, and refuse it if it changes meanwhile.

    Parameters
    ----------
    path : str or path-like
        The file, perhaps with ``::key``.
    layout : FileLayout
        How it is laid out.
    checks_header : bool, default=True
        Whether names of columns must differ and be no numbers.

    Yields
    ------
    Table or ArrayFile
        Its header read, its body not yet.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or holds neither.
    """
    file = find_file(path, layout.key)
    if file.format().holds is Holds.LINES:
        problem = "a .txt file is read as labels, one in a line"
        raise file.refusal(problem, remedy="name a table .csv")
    with unchanged(file):
        yield open_source(file, layout, checks_header=checks_header)


def open_source(
    file: InputFile, layout: FileLayout, *, checks_header: bool = True
) -> Table | ArrayFile:
    """Read the header of a table, or those of all arrays, by the ending of the name."""
    if file.format().holds is Holds.ARRAYS:
        return ArrayFile(file, layout)
    if file.ending in _ARROW:
        return ArrowTable(file, layout)
    return DelimitedTable(file, layout, checks_header=checks_header)


def table_only(source: Table | ArrayFile) -> Table:
    """Refuse a file of arrays where a table is needed."""
    if isinstance(source, ArrayFile):
        problem = "a table is needed (.csv, .tsv, .parquet)"
        raise source.file.refusal(problem)
    return source


def column_names(path: FilePath, layout: FileLayout) -> tuple[str, ...]:
    """Return what the columns of a file are called; nothing where none has a name.

    Parameters
    ----------
    path : str or path-like
        The file.
    layout : FileLayout
        How it is laid out.

    Returns
    -------
    tuple of str
        The names.
    """
    if find_file(path, layout.key, may_be_folder=True).ending == ".zarr":
        return ()
    with opened_source(path, layout) as source:
        return () if isinstance(source, ArrayFile) else source.columns or ()


def find_column(table: Table, wanted: str, option: str | None = None) -> int:
    """Return the position of a column, counted from zero.

    Parameters
    ----------
    table : Table
        The table.
    wanted : str
        The name; without header, the position counted from one.
    option : str, optional
        The argument that names it, for the message.

    Returns
    -------
    int
        Counted from zero.

    Raises
    ------
    InvalidInputError
        If there is no such column.
    """
    if table.columns is None:
        if wanted.isascii() and wanted.isdigit() and len(wanted) < 10:
            index = int(wanted) - 1
            if 0 <= index < table.n_columns:
                return index
        raise table.file.refusal(
            "there is no such column, as the table is read without header",
            column=wanted,
            remedy=f"name columns by their position from 1 to {table.n_columns}",
            option=option,
        )
    if wanted in table.columns:
        return table.columns.index(wanted)
    near = near_name(wanted, table.columns)
    mark = _other_delimiter(table.columns)
    if mark:
        raise table.file.refusal(
            f"there is no such column but {listed(table.columns, 8)}, all in one",
            column=wanted,
            remedy=f"is {mark!r} between the fields? Say so",
            option="delimiter",
        )
    raise table.file.refusal(
        f"there is no such column but {listed(table.columns, 8)}",
        column=wanted,
        remedy=f"did you mean {quoted(near)}?" if near else "name one of these",
        option=option,
    )


def _other_delimiter(columns: Sequence[str]) -> str:
    """Return what seems to stand between fields that were read as one."""
    if len(columns) > 1:
        return ""
    return next((mark for mark in "|;\t" if mark in columns[0]), "")


def dropped_columns(source: Table | ArrayFile, drop: Iterable[str]) -> set[int]:
    """Return the positions of columns to leave out; arrays have no names."""
    if isinstance(source, ArrayFile):
        if drop:
            problem = "it has no column names, so none can be left out"
            raise source.file.refusal(problem, option="drop", remedy="drop none")
        return set()
    return {find_column(source, name, "drop") for name in drop}


def check_names(table: Table, chosen: Sequence[int]) -> None:
    """Refuse a column without name: the row numbers that pandas writes, most likely."""
    for index in chosen:
        if table.columns is not None and not table.columns[index].strip():
            raise table.file.refusal(
                f"column {index + 1} has no name",
                line=1,
                remedy="leave out '' if it holds row numbers or names, or write the "
                "file without them (pandas: index=False, R: row.names=FALSE)",
                option="drop",
            )


def label_candidates(table: Table) -> list[int]:
    """Return the positions of columns that are named as labels usually are."""
    names = table.columns or ()
    return [i for i, name in enumerate(names) if name.strip().lower() in LABEL_COLUMNS]


# Columns by name -------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Columns(FileData):
    """Columns read from a file.

    Attributes
    ----------
    numbers : mapping of str to ndarray
        Columns of numbers.
    texts : mapping of str to ndarray
        Columns of labels: whole numbers or text.
    names : tuple of str
        All of them, in the order of the file.
    """

    numbers: Mapping[str, NDArray[Any]]
    texts: Mapping[str, NDArray[Any]]
    names: tuple[str, ...] = field(default=())

    @property
    def columns(self) -> dict[str, list[Any]]:
        """All columns as lists, in the order of the file."""
        every = {**self.numbers, **self.texts}
        return {name: every[name].tolist() for name in self.names or every}

    @property
    def locations(self) -> dict[str, Location]:
        """The place of every column."""
        every = (*self.numbers, *self.texts)
        return {name: replace(self.location, column=name) for name in every}


def read_columns(
    path: FilePath,
    numbers: Sequence[str],
    texts: Sequence[str] = (),
    *,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> Columns:
    r"""Read some columns of a table, or some arrays of an ``.npz`` file.

    Parameters
    ----------
    path : str or path-like
        The file.
    numbers : sequence of str
        Columns of numbers. Minus infinity is a number here: the logarithm of zero.
    texts : sequence of str, optional
        Columns of labels.
    layout : FileLayout, optional
        How the file is laid out; without header, columns are named by their position
        from 1.

    Returns
    -------
    Columns
        The columns, by the names given.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged or of another kind, a column is missing, or a
        number is NaN or plus infinity.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("game,q,p\nA,0.7,0.5\nB,0.2,0.5\n")
    >>> read_columns(path, ["q"], ["game"]).numbers["q"].tolist()
    [0.7, 0.2]
    """
    with opened_source(path, layout) as source:
        if isinstance(source, ArrayFile):
            found = _array_columns(source, numbers, texts)
        else:
            places = [find_column(source, name) for name in (*numbers, *texts)]
            n = len(numbers)
            content = source.read(
                places[:n], places[n:], unwanted="name another column"
            )
            found = Columns(
                numbers={name: content.values[:, i] for i, name in enumerate(numbers)},
                texts=dict(zip(texts, content.texts, strict=True)),
                source=source.file.source(),
                notes=source.notes,
                lines=content.lines,
            )
        for name, column in found.numbers.items():
            if column.dtype.kind == "f":
                refuse_nonfinite(
                    column[:, None], found.place, [name], nonfinite="negative-infinity"
                )
    return found


def _array_columns(
    source: ArrayFile, numbers: Sequence[str], texts: Sequence[str]
) -> Columns:
    for name in (*numbers, *texts):
        source.check_key(name)
    file = source.file
    found = {name: real_vector(source.read(name), file, name) for name in numbers}
    labels = {name: source.labels(name) for name in texts}
    sizes = {name: len(column) for name, column in (found | labels).items()}
    if len(set(sizes.values())) > 1:
        said = described_lengths(sizes)
        raise file.refusal(f"the arrays differ in length ({said})")
    return Columns(numbers=found, texts=labels, source=file.source())


# Data sets -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset(FileData):
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
    first_missing : Location or None
        Place of the first missing feature.
    n_missing : int
        How many are missing.
    locations : mapping of str to Location
        Where X, y and groups came from.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    groups: NDArray[Any] | None
    columns: tuple[str, ...] | None
    first_missing: Location | None = None
    n_missing: int = 0
    locations: Mapping[str, Location] = field(default_factory=dict)


def read_dataset(
    path: FilePath,
    target: str,
    *,
    numeric: bool = False,
    groups: str | None = None,
    allow_missing: bool = False,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> Dataset:
    r"""Read features and targets.

    Parameters
    ----------
    path : str or path-like
        A table with one row per sample, or an ``.npz`` file with arrays.
    target : str
        Column, or array, that holds the targets.
    numeric : bool, default=False
        Whether targets are numbers to be predicted, not labels.
    groups : str, optional
        Column, or array, that holds groups.
    allow_missing : bool, default=False
        Whether features may be missing, for models that can deal with it.
    layout : FileLayout, optional
        How the file is laid out; `drop` names columns that are no features, `key` the
        array of features in an ``.npz`` file (X, features or data otherwise).

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
    with opened_source(path, layout) as source:
        if isinstance(source, ArrayFile):
            dropped_columns(source, layout.drop)
            found = _array_dataset(source, target, groups, numeric)
        else:
            found = _table_dataset(
                source, target, groups, numeric, allow_missing, layout
            )
        nonfinite: Nonfinite = "missing" if allow_missing else "refuse"
        refuse_nonfinite(found.X, found.place, found.columns, nonfinite=nonfinite)
        missing = np.argwhere(np.isnan(found.X))
    if not len(missing):
        return found
    row, column = missing[0].tolist()
    name = str(column + 1) if found.columns is None else found.columns[column]
    place = found.place(row, name)
    return replace(found, first_missing=place, n_missing=len(missing))


def _table_dataset(
    table: Table,
    target: str,
    groups: str | None,
    numeric: bool,
    allow_missing: bool,
    layout: FileLayout,
) -> Dataset:
    own = find_column(table, target, "y")
    together = None if groups is None else find_column(table, groups, "groups")
    dropped = dropped_columns(table, layout.drop)
    if own in dropped:
        problem = f"{quoted(target)} is the target, which is no feature anyway"
        raise UsageError(problem, parameter="drop", remedy="name another")
    apart = {own, together, *dropped}
    features = [i for i in range(table.n_columns) if i not in apart]
    if not features:
        raise table.file.refusal("no column is left for features")
    check_names(table, features)
    numbers = [*features, own] if numeric else features
    texts = [] if numeric else [own]
    texts += [] if together is None else [together]
    content = table.read(numbers, texts, allow_missing=allow_missing)
    n_features = len(features)
    y = content.values[:, n_features] if numeric else content.texts[0]
    if numeric:
        _check_targets(y, target, content)
    else:
        _refuse_missing(y, target, content)
    if groups is not None:
        _refuse_missing(content.texts[-1], groups, content)
    names, source = table.columns, table.file.source()
    return Dataset(
        X=content.values[:, :n_features],
        y=y,
        groups=None if groups is None else content.texts[-1],
        columns=None if names is None else tuple(names[i] for i in features),
        source=source,
        notes=table.notes,
        lines=content.lines,
        locations=_dataset_places(source, source, target, groups, content.lines),
    )


def _array_dataset(
    source: ArrayFile, target: str, groups: str | None, numeric: bool
) -> Dataset:
    if not source.contents:
        problem = "it holds one array without a name, and so no target"
        remedy = "put features and target into an .npz, or into a table with a header"
        raise source.file.refusal(problem, remedy=remedy)
    source.check_key(target, option="y")
    if groups is not None:
        source.check_key(groups, option="groups")
    file = source.file
    key = source.choose(_FEATURE_NAMES, "features", apart=(target, groups))
    values = real_matrix(source.read(key), file, key, source.max_bytes)
    notes: tuple[DataWarning, ...] = ()
    if numeric:
        own = source.read(target)
        if own.ndim != 1 or own.dtype.kind not in "fiub":
            problem = "it must hold one number per sample"
            raise file.refusal(problem, key=target)
        y = own.astype(np.float64)
    else:
        codes = source.labels(target)
        _refuse_missing(codes, target, file)
        y, notes = _named_classes(codes, source, (target, groups))
    together = None
    if groups is not None:
        together = source.labels(groups)
        _refuse_missing(together, groups, file)
    for label, column in ((target, y), (groups, together)):
        if column is not None and len(column) != len(values):
            is_transposed = len(column) == values.shape[1]
            raise file.refusal(
                f"{len(values):,} rows of features but {len(column):,} in "
                f"{quoted(label)}",
                remedy="transpose the features: samples are rows"
                if is_transposed
                else None,
            )
    found = file.source(key)
    return Dataset(
        X=values,
        y=y,
        groups=together,
        columns=None,
        source=found,
        notes=notes,
        locations=_dataset_places(found, file.source(), target, groups),
    )


def _dataset_places(
    features: str,
    file: str,
    target: str,
    groups: str | None,
    lines: Sequence[int] | None = None,
) -> dict[str, Location]:
    place = Location(file=file, lines=lines)
    places = {"X": replace(place, file=features), "y": replace(place, column=target)}
    if groups is not None:
        places["groups"] = replace(place, column=groups)
    return places


def _named_classes(
    codes: NDArray[Any], source: ArrayFile, taken: tuple[str, str | None]
) -> tuple[NDArray[Any], tuple[DataWarning, ...]]:
    """Call classes that are numbers from 0 by the names that lie beside them."""
    if codes.dtype.kind not in "iu" or not codes.size:
        return codes, ()
    for key in _CLASS_NAMES:
        if key not in source.contents or key in taken:
            continue
        names = source.read(key)
        fits = names.ndim == 1 and names.dtype.kind == "U"
        # As many names as classes, or the array is about something else.
        if not fits or not np.array_equal(np.unique(codes), np.arange(names.size)):
            continue
        if np.unique(names).size < names.size:
            continue
        said = f"classes {quoted(taken[0])} are called by {quoted(key)}: "
        return names[codes], (source.file.note(said + listed(names.tolist(), 8)),)
    return codes, ()


def _check_targets(values: NDArray[Any], target: str, content: TableContent) -> None:
    """Refuse targets that are missing or not finite."""
    is_missing = np.isnan(values)
    if is_missing.any():
        raise InvalidInputError(
            f"the value is missing ({int(is_missing.sum()):,} such)",
            location=content.place(int(np.argmax(is_missing)), target),
            remedy="fill it or remove the row",
        )
    refuse_nonfinite(values[:, None], content.place, [target])


def _refuse_missing(
    labels: NDArray[Any], column: str, where: TableContent | InputFile
) -> None:
    """Refuse labels that are missing: together they would be a class, or a group.

    Among names, NA and null may be names as well: that is said, and believed; and so it
    is where nothing else occurs, but at least two of them, or in text that a binary
    table tells from what is missing.
    """
    if labels.dtype.kind in "iu":
        return
    words = [str(x).strip() for x in labels]
    rows = [i for i, word in enumerate(words) if word.lower() in MISSING]
    others = [word for word in words if word.lower() not in MISSING]
    is_typed = isinstance(where, TableContent) and where.lines is None
    are_names = is_typed or len({word.lower() for word in words if word}) > 1
    if any(not is_number(word) for word in others) or (not others and are_names):
        named = [words[i] for i in rows if words[i]]
        rows = [i for i in rows if not words[i]]
        if named and not rows:
            said = listed(quoted(name) for name in dict.fromkeys(named))
            warn(
                DataWarning(
                    f"{said} ({len(named):,} such) taken as labels like the others",
                    location=Location(column=column),
                )
            )
    if not rows:
        return
    text = str(labels[rows[0]]).strip()
    what = f"{quoted(text)} is no label" if text else "the label is missing"
    place = Location(column=column, row=rows[0] + 1)
    if isinstance(where, TableContent):
        place = where.place(rows[0], column)
    else:
        place = replace(place, file=str(where.path))
    raise InvalidInputError(
        f"{what} ({len(rows):,} such)",
        location=place,
        remedy="fill it or remove the row",
    )


# Results ---------------------------------------------------------------------------


def read_results(
    path: FilePath,
    *,
    texts: Sequence[str] = (),
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> Columns:
    r"""Read a table of results; empty cells, NA and the like are missing results.

    Parameters
    ----------
    path : str or path-like
        A text table, or one of Arrow's formats.
    texts : sequence of str, default=()
        Columns that hold names, even if these look like numbers. Otherwise a column is
        one of names if its first result is no number.
    layout : FileLayout, optional
        How the file is laid out, and what to drop.

    Returns
    -------
    Columns
        All columns that were not dropped; NaN where a number is missing.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged or of another kind, a column is missing, or a
        cell among numbers is none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("data,svm,tree\niris,0.9,0.8\nwine,,0.7\n")
    >>> read_results(path).columns["svm"]
    [0.9, nan]
    """
    with opened_source(path, layout) as source:
        table = table_only(source)
        dropped = dropped_columns(table, layout.drop)
        named = {find_column(table, name) for name in texts}
        kept = [i for i in range(table.n_columns) if i not in dropped]
        positions = [str(i + 1) for i in range(table.n_columns)]
        names = table.columns or tuple(positions)
        numbers: dict[str, NDArray[Any]] = {}
        words: dict[str, NDArray[Any]] = {}
        for index in kept:
            column, is_text = _results(table, index, index in named, layout.decimal)
            (words if is_text else numbers)[names[index]] = column
    return Columns(
        numbers=numbers,
        texts=words,
        names=tuple(names[i] for i in kept),
        source=table.file.source(),
        notes=table.notes,
    )


def _results(
    table: Table, index: int, is_named: bool, decimal: str
) -> tuple[NDArray[Any], bool]:
    """Return one column, and whether it is text."""
    if isinstance(table, ArrowTable):
        if not is_named:
            try:
                content = table.read([index], [], allow_missing=True)
            except InvalidInputError:
                pass
            else:
                return content.values[:, 0], False
        labels = table.read([], [index]).texts[0]
        return np.array([str(x) for x in labels]), True
    content = table.read([], [index])
    cells = [str(cell).strip() for cell in content.texts[0]]
    known = [cell for cell in cells if cell.lower() not in _NO_RESULT]
    is_text = is_named or bool(known and _number(known[0], decimal) is None)
    if is_text and (is_named or not _are_foreign(known, decimal)):
        return np.array(cells), True
    found = []
    for row, cell in enumerate(cells):
        value = math.nan if cell.lower() in _NO_RESULT else _number(cell, decimal)
        if value is None:
            is_percent = cell.endswith("%") and _number(cell[:-1], decimal) is not None
            way = "leave out the % sign" if is_percent else "repair it"
            hint = decimal_hint(cell, decimal)
            raise InvalidInputError(
                f"{quoted(cell)} is no number",
                location=content.place(row, (table.columns or ())[index]),
                remedy=hint or f"{way}, or leave the cell empty",
                option="decimal" if hint else None,
            )
        found.append(value)
    return np.array(found), False


def _are_foreign(cells: Sequence[str], decimal: str) -> bool:
    """Tell whether all cells would be numbers with another decimal mark."""
    return all(decimal_hint(x, decimal) or is_number(x) for x in cells)


def _number(cell: str, decimal: str) -> float | None:
    if decimal == "," and "." in cell:
        return None  # a point would part thousands: 1.234 is not 1.234
    text = cell.replace(",", ".") if decimal == "," else cell
    return float(text) if is_number(text) else None
