"""Results of models on data sets, from whatever holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scorecast._core.amounts import counted
from scorecast._core.types import BoolArray, FloatArray
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
    """

    values: FloatArray
    models: tuple[str, ...]
    rows: tuple[str, ...]
    measure: str = ""
    greater_is_better: bool | None = None
    test_ratio: float | None = None
    notes: tuple[str, ...] = ()

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
        table = ResultsTable(
            values=self.values[kept],
            models=self.models,
            rows=tuple(r for r, keep in zip(self.rows, kept, strict=True) if keep),
            measure=self.measure,
            greater_is_better=self.greater_is_better,
            test_ratio=self.test_ratio,
            notes=(*self.notes, f"{text}. What lacks one is left out."),
        )
        return table, text


def results_table(
    given: Any,
    *,
    models: Sequence[str] | None = None,
    long: tuple[str, str, str] | None = None,
    loss: str | None = None,
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

    Returns
    -------
    ResultsTable
        Wide, with numbers.

    Raises
    ------
    InvalidInputError
        If there is no table of numbers in it.
    """
    if isinstance(given, Assessment):
        return _of_splits(given, models, loss)
    several = _assessments(given)
    if several:
        return _of_assessments(several, models, loss)
    columns = _columns(given)
    if columns is None:
        return _of_array(given, models)
    if long is not None:
        return _of_long(columns, long, models)
    return _of_wide(columns, models, _row_names(given))


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
) -> ResultsTable:
    for name in long:
        if name not in columns:
            msg = f"There is no column {name!r} but {', '.join(columns)}."
            raise InvalidInputError(msg)
    sets = np.array([str(x) for x in columns[long[0]]])
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
    table = _checked(values, names, rows)
    if times.max() <= 1:
        return table
    note = (
        f"up to {int(times.max())} results of one model on one data set were averaged: "
        "repeats of one data set are no further data sets"
    )
    return ResultsTable(
        values=table.values, models=names, rows=table.rows, notes=(note,)
    )


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
