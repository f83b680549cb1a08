"""How often each class comes: a table of class and weight, or one number per class."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import Location, listed, quoted
from scorecast.io.arrays import ArrayFile, real_vector
from scorecast.io.delimited import LABEL_COLUMNS
from scorecast.io.files import FileData, FileLayout, FilePath
from scorecast.io.tables import Table, find_column, opened_source

_WEIGHT = "weight"
_ARRAY_NAMES = ("class_weights", "weights", "weight", "priors", "prior")


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassWeights(FileData):
    """Weights in the order of the classes.

    Attributes
    ----------
    values : ndarray of shape (n_classes,)
        Weight of every class, from zero up, not all of them zero.
    """

    values: NDArray[Any]


def read_class_weights(
    path: FilePath,
    classes: Sequence[Hashable],
    *,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> ClassWeights:
    r"""Read how often each class comes, relative to the others.

    Parameters
    ----------
    path : str or path-like
        A table with the columns class and weight, in any order of the classes, or an
        array of one number per class, in their order.
    classes : sequence of hashable
        The classes in their order, compared as text.
    layout : FileLayout, optional
        How the file is laid out. A table without header has the class first.

    Returns
    -------
    ClassWeights
        One weight per class.

    Raises
    ------
    InvalidInputError
        If a class is missing, repeated or unknown, or a weight is no number from zero
        up, or all are zero.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights.csv"
    >>> _ = path.write_text("class,weight\ndog,3\ncat,0.5\n")
    >>> read_class_weights(path, ["cat", "dog"]).values.tolist()
    [0.5, 3.0]
    """
    with opened_source(path, layout) as source:
        if isinstance(source, ArrayFile):
            return _from_array(source, len(classes))
        return _from_table(source, [str(c) for c in classes])


def _from_array(source: ArrayFile, n_classes: int) -> ClassWeights:
    key = source.choose(_ARRAY_NAMES, "weights")
    values = real_vector(source.read(key), source.file, key or "")
    values = np.asarray(values, dtype=np.float64)
    if values.size != n_classes:
        raise source.file.refusal(
            f"it holds {values.size:,} weights but there are {n_classes:,} classes",
            key=key,
            remedy="give one per class, in the order of the classes",
        )
    for row, value in enumerate(values.tolist()):
        problem = _fault(value)
        if problem:
            raise source.file.refusal(problem, key=key, row=row + 1)
    _refuse_zero(values, source.file, key)
    return ClassWeights(values=values, source=source.file.source(key))


def _from_table(table: Table, classes: list[str]) -> ClassWeights:
    class_at, weight_at = _columns(table)
    content = table.read([weight_at], [class_at], unwanted="write weights as numbers")
    weights = content.values[:, 0]
    names = [str(name).strip() for name in content.texts[0].tolist()]
    heads = table.columns or tuple(str(i + 1) for i in range(table.n_columns))
    known = {name: i for i, name in enumerate(classes)}
    values = np.full(len(classes), np.nan)

    def place(row: int, column: int) -> dict[str, Any]:
        at: Location = content.place(row, heads[column])
        return {"line": at.line, "row": at.row, "column": at.column}

    for row, (name, value) in enumerate(zip(names, weights.tolist(), strict=True)):
        if name not in known:
            raise table.file.refusal(
                f"{quoted(name)} is no class",
                remedy=f"the classes are {listed(map(quoted, classes))}",
                **place(row, class_at),
            )
        if not np.isnan(values[known[name]]):
            raise table.file.refusal(
                f"{quoted(name)} has a weight already",
                remedy="give each class one",
                **place(row, class_at),
            )
        problem = _fault(value)
        if problem:
            raise table.file.refusal(problem, **place(row, weight_at))
        values[known[name]] = value
    missing = [quoted(c) for c in classes if np.isnan(values[known[c]])]
    if missing:
        what = "class" if len(missing) == 1 else "classes"
        last: dict[str, Any] = (
            {} if content.lines is None else {"line": content.lines[-1]}
        )
        raise table.file.refusal(
            f"it ends without a weight for {what} {listed(missing)}",
            remedy="give every class one; 0 for what never comes",
            **last,
        )
    _refuse_zero(values, table.file, None)
    return ClassWeights(values=values, source=table.file.source(), notes=table.notes)


def _columns(table: Table) -> tuple[int, int]:
    """Return where the class and its weight stand."""
    names = table.columns
    if names is None:
        return 0, find_column(table, "2")
    plain = [name.strip().lower() for name in names]
    weight_at = (
        plain.index(_WEIGHT) if _WEIGHT in plain else find_column(table, _WEIGHT)
    )
    named = [i for i, name in enumerate(plain) if name in LABEL_COLUMNS]
    others = [i for i in range(len(names)) if i != weight_at]
    if "class" in plain:
        return plain.index("class"), weight_at
    if len(named) == 1 or len(others) == 1:
        return (named or others)[0], weight_at
    return find_column(table, "class"), weight_at


def _fault(value: float) -> str:
    if not np.isfinite(value):
        return f"{value} is no weight: it is not finite"
    return f"{value:g} is no weight: it is negative" if value < 0 else ""


def _refuse_zero(values: NDArray[Any], file: Any, key: str | None) -> None:
    if not (values > 0).any():
        problem = "all weights are zero: no class would ever come"
        raise file.refusal(problem, key=key)
