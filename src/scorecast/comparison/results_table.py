"""Results of models on data sets, from whatever holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scorecast._core.amounts import counted
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.comparison.table_faults import (
    doubtful_names,
    is_text,
    other_scale,
    refuse_counts,
    refuse_texts,
)
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.guarantees import Assessment

__all__ = ["ResultsTable", "results_table"]

_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class ResultsTable:
    """Results: a row per data set (or split, or case), a column per model.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_models)
        Results; NaN where there is none.
    models : tuple of str
        Names of the columns.
    rows : tuple of str
        Names of the rows.
    measure : str
        What the results are, if it is known.
    greater_is_better : bool or None
        Which way is better, if the source says so.
    test_ratio : float or None
        Cases tested per case learned from, for splits of one data set.
    notes : tuple of str
        What was done on the way.
    groups : tuple of str or None
        Group of every row, where rows are cases that belong together.
    """

    values: FloatArray
    models: tuple[str, ...]
    rows: tuple[str, ...]
    measure: str = ""
    greater_is_better: bool | None = None
    test_ratio: float | None = None
    notes: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None

    @property
    def units(self) -> IntArray:
        """Unit of every row: its group, or the row itself."""
        if self.groups is None:
            return np.arange(len(self.rows))
        return np.unique(self.groups, return_inverse=True)[1].astype(np.int64)

    def averaged(self) -> ResultsTable:
        """Average rows of one name: repeats of an item are no further items.

        Returns
        -------
        ResultsTable
            One row for each name, in the order of the first; a note says so.
        """
        names = tuple(dict.fromkeys(self.rows))
        if len(names) == len(self.rows):
            return self
        place = {name: i for i, name in enumerate(names)}
        at = np.array([place[name] for name in self.rows])
        times = np.bincount(at)
        total = np.zeros((len(names), self.values.shape[1]))
        np.add.at(total, at, self.values)
        most = int(times.argmax())
        note = (
            f"{len(self.rows):,} rows have {counted(len(names), 'names')} "
            f"({names[most]!r} is there {int(times[most])} times): rows of one name "
            "were averaged, since repeats of one item, or folds of one data set, are "
            "not independent. For splits say how many cases one tests per case it "
            "learns from (--test-ratio, `test_ratio`); a column that does not name the "
            "rows is to be left out (--drop)."
        )
        return replace(
            self,
            values=total / times[:, None],
            rows=names,
            notes=(*self.notes, note),
        )

    def complete(self) -> tuple[ResultsTable, str]:
        """Leave out rows with missing results, and say which.

        Returns
        -------
        tuple of ResultsTable and str
            The text is empty if none is missing.

        Raises
        ------
        InvalidInputError
            If a model has no result at all, or no row has all of them.
        """
        missing: BoolArray = np.isnan(self.values)
        if not missing.any():
            return self, ""
        for name, column in zip(self.models, missing.T, strict=True):
            if column.all():
                msg = f"{name!r} has no result at all; leave the model out."
                raise InvalidInputError(msg)
        kept: BoolArray = np.asarray(~missing.any(axis=1))
        left_out = [row for row, keep in zip(self.rows, kept, strict=True) if not keep]
        named = ", ".join(left_out[:_MOST_NAMED])
        named += ", ..." if len(left_out) > _MOST_NAMED else ""
        worst = self.models[int(missing.sum(axis=0).argmax())]
        if not kept.any():
            msg = (
                f"Each of {counted(len(self.rows), 'rows')} lacks a result of some "
                f"model; {worst!r} lacks most: leave it out."
            )
            raise InvalidInputError(msg)
        lack = "lacks" if len(left_out) == 1 else "lack"
        text = (
            f"{len(left_out)} of {counted(len(self.rows), 'rows')} {lack} a result "
            f"({named}); "
            f"{worst!r} lacks most"
        )
        groups = self.groups
        if groups is not None:
            groups = tuple(g for g, keep in zip(groups, kept, strict=True) if keep)
        table = replace(
            self,
            values=self.values[kept],
            rows=tuple(r for r, keep in zip(self.rows, kept, strict=True) if keep),
            groups=groups,
            notes=(*self.notes, f"{text}. What lacks one is left out."),
        )
        return table, text


def results_table(
    given: Any,
    *,
    models: Sequence[str] | None = None,
    long: tuple[str, str, str] | None = None,
    loss: str | None = None,
    groups: Any = None,
) -> ResultsTable:
    """Read results from a frame, a mapping, an array or assessments.

    Parameters
    ----------
    given : DataFrame, mapping, array-like, Assessment, or several of these last
        The results.
    models : sequence of str, optional
        Columns to compare, or names of the columns of an array.
    long : tuple of str, optional
        Columns that hold data set, model and result, one result per row.
    loss : str, optional
        Which loss of assessments; the first by default.
    groups : str or array-like, optional
        Column that holds the group of every row, or one entry for each row.

    Returns
    -------
    ResultsTable
        Wide, with numbers.

    Raises
    ------
    InvalidInputError
        If there is no table of numbers in it.
    """
    several = _assessments(given)
    if groups is not None and (isinstance(given, Assessment) or several):
        msg = "`groups` are for tables of cases; an assessment has groups of its own."
        raise UsageError(msg)
    if isinstance(given, Assessment):
        return _of_splits(given, models, loss)
    if several:
        return _of_assessments(several, models, loss)
    columns = _columns(given)
    if columns is None:
        if isinstance(groups, str):
            msg = f"An array has no column {groups!r}: give one group for each row."
            raise InvalidInputError(msg)
        return _in_groups(_of_array(given, models), groups)
    if long is not None:
        return _of_long(columns, long, models, groups)
    if isinstance(groups, str):
        if groups not in columns:
            msg = f"There is no column {groups!r} but {', '.join(columns)}."
            raise InvalidInputError(msg)
        own = columns[groups]
        columns = {name: x for name, x in columns.items() if name != groups}
        return _in_groups(_of_wide(columns, models, _row_names(given)), own)
    return _in_groups(_of_wide(columns, models, _row_names(given)), groups)


def _in_groups(table: ResultsTable, groups: Any) -> ResultsTable:
    """Say which rows belong together."""
    if groups is None:
        return table
    names = _group_names(groups)
    if len(names) != len(table.rows):
        msg = (
            f"`groups` must hold one entry for each of {len(table.rows):,} rows; got "
            f"{len(names):,}."
        )
        raise InvalidInputError(msg)
    return replace(table, groups=names)


def _group_names(groups: Any) -> tuple[str, ...]:
    """Return groups as texts; refuse what is missing."""
    found = list(groups)
    for place, group in enumerate(found):
        if group is None or group != group or group == "":
            msg = f"`groups` lacks the group of row {place + 1}."
            raise InvalidInputError(msg)
    return tuple(str(group) for group in found)


def _assessments(given: Any) -> dict[str, Assessment]:
    if isinstance(given, Mapping):
        items = {str(k): v for k, v in given.items()}
    elif isinstance(given, list | tuple):
        items = {f"data set {i + 1}": v for i, v in enumerate(given)}
    else:
        return {}
    if items and all(isinstance(v, Assessment) for v in items.values()):
        return items
    return {}


def _of_splits(
    found: Assessment, models: Sequence[str] | None, loss: str | None
) -> ResultsTable:
    names = _names(found, models)
    losses = [_loss(found, name, loss) for name in names]
    values = np.array([x.folds for x in losses], dtype=np.float64).T
    return ResultsTable(
        values=values,
        models=names,
        rows=tuple(f"split {i + 1}" for i in range(len(values))),
        measure=losses[0].loss,
        greater_is_better=losses[0].greater_is_better,
        test_ratio=found.n_test / found.n_train,
    )


def _of_assessments(
    several: Mapping[str, Assessment], models: Sequence[str] | None, loss: str | None
) -> ResultsTable:
    first = next(iter(several.values()))
    names = _names(first, models)
    values = np.full((len(several), len(names)), np.nan)
    for row, found in enumerate(several.values()):
        known = {model.name for model in found.assessed}
        for column, name in enumerate(names):
            if name in known:
                values[row, column] = _loss(found, name, loss).estimate
    one = _loss(first, names[0], loss)
    return ResultsTable(
        values=values,
        models=names,
        rows=tuple(several),
        measure=one.loss,
        greater_is_better=one.greater_is_better,
    )


def _names(found: Assessment, models: Sequence[str] | None) -> tuple[str, ...]:
    known = tuple(model.name for model in found.assessed)
    for name in models or ():
        if name not in known:
            msg = f"The assessment has no model {name!r} but {', '.join(known)}."
            raise InvalidInputError(msg)
    return tuple(models) if models else known


def _loss(found: Assessment, name: str, loss: str | None) -> Any:
    model = found.model(name)
    known = [x.loss for x in model.losses]
    if loss is not None and loss not in known:
        msg = f"{name!r} was not assessed by {loss!r} but by {', '.join(known)}."
        raise InvalidInputError(msg)
    return model.loss(loss or known[0])


def _columns(given: Any) -> dict[str, Sequence[Any]] | None:
    """Return named columns of a mapping or of any frame, else None."""
    if isinstance(given, Mapping):
        return {str(name): list(column) for name, column in given.items()}
    names = getattr(given, "columns", None)
    if names is None or not hasattr(given, "__getitem__"):
        return None
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        msg = "The table repeats a column name; rename one of them."
        raise InvalidInputError(msg)
    return {str(name): list(given[name]) for name in names}


def _row_names(given: Any) -> tuple[str, ...] | None:
    """Return the index of a pandas frame, if somebody made one."""
    index = getattr(given, "index", None)
    if index is None or callable(index):
        return None
    names = [str(name) for name in index]
    return None if names == [str(i) for i in range(len(names))] else tuple(names)


def _of_array(given: Any, models: Sequence[str] | None) -> ResultsTable:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = (
            "The results must be a table of numbers: a DataFrame, a dictionary of "
            "columns, an array (data sets x models) or assessments."
        )
        raise InvalidInputError(msg) from error
    if values.ndim != 2:
        msg = f"The results must have rows and columns; got shape {values.shape}."
        raise InvalidInputError(msg)
    names = models or [f"model {i + 1}" for i in range(values.shape[1])]
    if len(names) != values.shape[1]:
        columns = counted(values.shape[1], "columns")
        msg = f"{counted(len(names), 'names')} for {columns} of results."
        raise UsageError(msg)
    table = _checked(values, tuple(map(str, names)), None)
    return table if models else _doubted(table)


def _of_wide(
    columns: Mapping[str, Sequence[Any]],
    models: Sequence[str] | None,
    rows: tuple[str, ...] | None,
) -> ResultsTable:
    for name in models or ():
        if name not in columns:
            msg = f"There is no column {name!r} but {', '.join(columns)}."
            raise InvalidInputError(msg)
    texts = [name for name, column in columns.items() if is_text(column)]
    chosen = tuple(models) if models else tuple(c for c in columns if c not in texts)
    refuse_texts(columns, _spare(texts, models), len(chosen))
    names = [name for name in texts if name not in chosen]
    notes: tuple[str, ...] = ()
    if len(names) == 1 and rows is None:
        rows = tuple(map(str, columns[names[0]]))
        notes = doubtful_names(columns[names[0]], names[0])
    lengths = {len(columns[name]) for name in chosen}
    if len(lengths) != 1:
        msg = "The columns of the results differ in length, or there are none."
        raise InvalidInputError(msg)
    values = np.column_stack([_floats(columns[name], name) for name in chosen])
    table = replace(_checked(values, chosen, rows), notes=notes)
    return table if models else _doubted(table)


def _spare(texts: Sequence[str], models: Sequence[str] | None) -> list[str]:
    """Return the columns of text that are not what they should be, if any are."""
    if models is None:
        return list(texts)
    return [name for name in texts if name in models]


def _doubted(table: ResultsTable) -> ResultsTable:
    """Doubt columns that nobody called models."""
    refuse_counts(table.values, table.models)
    found = other_scale(table.values, table.models)
    return replace(table, notes=(*table.notes, *found))


def _of_long(
    columns: Mapping[str, Sequence[Any]],
    long: tuple[str, str, str],
    models: Sequence[str] | None,
    groups: Any = None,
) -> ResultsTable:
    for name in (*long, *((groups,) if isinstance(groups, str) else ())):
        if name not in columns:
            msg = f"There is no column {name!r} but {', '.join(columns)}."
            raise InvalidInputError(msg)
    sets = np.array([str(x) for x in columns[long[0]]])
    group_of: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    if groups is not None:
        sets, group_of, notes = _rows_in_groups(sets, columns, groups)
    of = np.array([str(x) for x in columns[long[1]]])
    results = _floats(columns[long[2]], long[2])
    # Plain text, not NumPy's, which would be quoted as such.
    rows, names = tuple(dict.fromkeys(sets.tolist())), tuple(dict.fromkeys(of.tolist()))
    if models is not None:
        unknown = [name for name in models if name not in names]
        if unknown:
            msg = f"There is no model {unknown[0]!r} but {', '.join(names)}."
            raise InvalidInputError(msg)
        names = tuple(models)
    place_row = {name: i for i, name in enumerate(rows)}
    place_column = {name: i for i, name in enumerate(names)}
    kept = np.isin(of, names) & ~np.isnan(results)
    at = (
        np.array([place_row[x] for x in sets[kept]], dtype=np.int64),
        np.array([place_column[x] for x in of[kept]], dtype=np.int64),
    )
    total, times = np.zeros((len(rows), len(names))), np.zeros((len(rows), len(names)))
    np.add.at(total, at, results[kept])
    np.add.at(times, at, 1)
    values = np.divide(total, times, out=np.full_like(total, np.nan), where=times > 0)
    _refuse_sparse(times, long, names)
    table = replace(_checked(values, names, rows), notes=notes)
    if groups is not None:
        table = replace(table, groups=tuple(group_of[row] for row in rows))
    if times.max() <= 1:
        return table
    note = (
        f"up to {int(times.max())} results of one model on one data set were averaged: "
        "repeats of one data set are no further data sets"
    )
    return replace(table, notes=(*table.notes, note))


def _rows_in_groups(
    sets: Any, columns: Mapping[str, Sequence[Any]], groups: Any
) -> tuple[Any, dict[str, str], tuple[str, ...]]:
    """Return names of rows, unlike in different groups, and the group of each."""
    of = _group_names(columns[groups] if isinstance(groups, str) else groups)
    if len(of) != len(sets):
        msg = f"`groups` must hold one entry for each of {len(sets):,} rows."
        raise InvalidInputError(msg)
    pairs = list(zip(sets.tolist(), of, strict=True))
    by_name: dict[str, set[str]] = {}
    for name, group in pairs:
        by_name.setdefault(name, set()).add(group)
    shared = [name for name, found in by_name.items() if len(found) > 1]
    if not shared:
        return sets, dict(pairs), ()
    note = (
        f"{shared[0]!r} is the name of a row in {len(by_name[shared[0]])} groups: rows "
        "of one name in different groups were taken as different."
    )
    joined = [f"{group}: {name}" for name, group in pairs]
    return np.array(joined), dict(zip(joined, of, strict=True)), (note,)


def _refuse_sparse(
    times: FloatArray, long: tuple[str, str, str], names: tuple[str, ...]
) -> None:
    """Refuse columns none of whose data sets has results of all models."""
    if len(names) < 2 or (times > 0).all(axis=1).any():
        return
    msg = (
        f"None of {counted(len(times), 'data sets')} (column {long[0]!r}) has a result "
        f"of each of {len(names)} models (column {long[1]!r}, such as {names[0]!r}): "
        "say which columns hold data set, model and result, or list fewer models."
    )
    raise InvalidInputError(msg)


def _checked(
    values: FloatArray, models: tuple[str, ...], rows: tuple[str, ...] | None
) -> ResultsTable:
    if values.size == 0 or len(models) < 2:
        msg = f"A comparison needs two models at least; got {len(models)}."
        raise InvalidInputError(msg)
    if len(set(models)) < len(models):
        msg = "Two models have the same name; rename one of them."
        raise InvalidInputError(msg)
    names = rows or tuple(str(i + 1) for i in range(len(values)))
    infinite = np.isinf(values)
    if infinite.any():
        row, column = (int(i) for i in np.argwhere(infinite)[0])
        msg = (
            f"The result of {models[column]!r} on row {names[row]!r} is infinite; "
            "repair it, or leave it empty."
        )
        raise InvalidInputError(msg)
    return ResultsTable(values=values, models=models, rows=names)


def _floats(column: Sequence[Any], name: str) -> FloatArray:
    try:
        return np.array(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"Column {name!r} holds something that is no number."
        raise InvalidInputError(msg) from error
