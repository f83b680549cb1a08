"""The true class of every sample; labels are whole numbers or text, and 007 stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from scorecast.exceptions import (
    InvalidInputError,
    Location,
    listed,
    printable,
    quoted,
)
from scorecast.io.arrays import LABEL_NAMES, ArrayFile, text_array
from scorecast.io.delimited import LABEL_COLUMNS, is_number, opened_lines
from scorecast.io.files import (
    FileData,
    FileLayout,
    FilePath,
    Holds,
    InputFile,
    find_file,
    unchanged,
)
from scorecast.io.tables import (
    Table,
    find_column,
    label_candidates,
    open_source,
    table_only,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels(FileData):
    """Labels read from a file.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Whole numbers (int64) or text. Text is exactly what the file holds: ``NA``,
        the empty text, ``7`` and ``007`` are four classes.
    """

    values: NDArray[Any]

    @property
    def locations(self) -> dict[str, Location]:
        """The file as the place of the labels."""
        return {"y_true": self.location}


def refuse_empty(
    labels: NDArray[Any],
    place: Callable[[int], Location],
    classes: Iterable[object] = (),
) -> None:
    """Refuse labels without a single sign, unless a class is called so.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        The labels.
    place : callable
        From a row, counted from zero, to where it stands.
    classes : iterable, optional
        What classes are called, where that is known.

    Raises
    ------
    InvalidInputError
        If a label is missing.
    """
    if labels.dtype.kind in "iu":
        return
    rows = [i for i, label in enumerate(labels.tolist()) if not str(label).strip()]
    if rows and all(str(name).strip() for name in classes):
        raise InvalidInputError(
            f"the label is missing ({len(rows):,} such)",
            location=place(rows[0]),
            remedy="fill it or remove the row",
        )


def read_labels(
    path: FilePath,
    *,
    column: str | None = None,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> Labels:
    r"""Read one label per sample.

    Text tables and ``.txt`` files (one label per line, no header) give text, always;
    arrays and binary tables give whole numbers where they hold them.

    Parameters
    ----------
    path : str or path-like
        The file; ``file.npz::key`` picks an array, ``file.csv::name`` a column.
    column : str, optional
        Column of a table; not needed if there is one, or one is named label, y,
        y_true, target, class, true or truth. Without header, the position from 1.
    layout : FileLayout, optional
        How the file is laid out. With a header, the first line of a table of one
        column is still a label if it looks like one: a number among numbers, or a
        text that comes again. A note then says so.

    Returns
    -------
    Labels
        Values and source.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged, of another kind, or holds no labels.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.txt"
    >>> _ = path.write_text("NA\n7\n007\n")
    >>> read_labels(path).values.tolist()
    ['NA', '7', '007']
    """
    file = find_file(path, layout.key)
    with unchanged(file):
        if file.format().holds is Holds.LINES:
            return _from_lines(file, layout.max_bytes)
        if file.format().holds is Holds.TABLE:
            return _from_table(file, column, layout)
        source = ArrayFile(file, layout)
        key = source.choose(LABEL_NAMES, "labels")
        return Labels(values=source.labels(key), source=file.source(key))


def _from_lines(file: InputFile, max_bytes: int) -> Labels:
    with opened_lines(file, max_bytes) as lines:
        labels = [line.rstrip("\r\n") for line in lines]
    while labels and not labels[-1]:
        labels.pop()
    if not labels:
        raise file.refusal("it holds no labels, only empty lines")
    return Labels(
        values=text_array(labels),
        source=file.source(),
        lines=range(1, len(labels) + 1),
    )


def _from_table(file: InputFile, column: str | None, layout: FileLayout) -> Labels:
    if None not in (column, file.key) and column != file.key:
        problem = f"{quoted(file.key)} and {quoted(column)} are two columns"
        raise file.refusal(problem, remedy="name one of them", option="label_column")
    wanted = file.key if column is None else column
    if layout.header:
        plain = _plain_list(file, wanted, layout)
        if plain is not None:
            return plain
    table = table_only(open_source(file, layout))
    index = _choose(table, wanted)
    content = table.read([], [index])
    picked = table.columns[index] if table.columns and table.n_columns > 1 else None
    return Labels(
        values=content.texts[0], source=file.source(picked), lines=content.lines
    )


def _plain_list(
    file: InputFile, wanted: str | None, layout: FileLayout
) -> Labels | None:
    """Read a list of labels; None if the file is a table with a common header."""
    table = table_only(open_source(file, replace(layout, header=False)))
    if table.columns is not None or table.n_columns > 1:
        return None
    content = table.read([], [0])
    values, lines = content.texts[0], content.lines
    if wanted is not None:
        # pandas heads a column without name by 0: so called, it is a name.
        if wanted != values[0] or len(values) < 2:
            return None
        rest = None if lines is None else lines[1:]
        return Labels(values=values[1:], source=file.source(), lines=rest)
    first, others = values[0], set(values[1:].tolist())
    comes_again = first in others
    if comes_again and first.strip().lower() in LABEL_COLUMNS:
        raise file.refusal(
            f"{quoted(first)} may be the column name but is also a label",
            line=1,
            remedy="say that the first line is data, or name this column as that of "
            "the labels",
            option="header",
        )
    is_among_numbers = bool(others) and all(map(is_number, {first, *others}))
    if not (comes_again or is_among_numbers):
        return None
    said = (
        f"the first line, {quoted(first)}, was taken as a label, not as a column name"
    )
    return Labels(
        values=values, source=file.source(), notes=(file.note(said),), lines=lines
    )


def _choose(table: Table, wanted: str | None) -> int:
    if wanted is not None:
        return find_column(table, wanted, "label_column")
    if table.n_columns == 1:
        return 0
    found = label_candidates(table)
    if len(found) == 1:
        return found[0]
    names = table.columns or tuple(str(i + 1) for i in range(table.n_columns))
    raise table.file.refusal(
        f"it has several columns ({listed(names, 8)})",
        remedy="say which one holds the labels, also as "
        f"{printable(table.file.path, 200)}::NAME",
        option="label_column",
    )
