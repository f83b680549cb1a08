"""Results of models on data sets, splits or samples, from whatever holds them.

A frame, a mapping of columns, an array, a long table, assessments; predictions beside
what is true. What looks wrong with a table is refused, or asked about in a note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_one_of
from scorecast._core.result import Note
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.comparison.paired_tests import PairData, RowKind
from scorecast.comparison.pairs import NoteCode, measured, missing_in
from scorecast.evaluation import METRICS, Metric
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
    listed,
    quoted,
)

_MOST_NAMED = 3
_LEAST_COUNTED = 3  # rows: 0 and 1 are results as well
_LEAST_CODED = 8  # rows: fewer results may follow one another by chance
_MANY_CODES = 10  # more than the counts of faults that stand beside 0 and 1
_FAR = 100.0  # times: results of models on the same data differ by less
_LEAST_PERCENT = 2.0  # what stands among shares and is larger is no share
_ROW_WORDS = frozenset(  # as the whole name
    {"id", "ids", "idx", "index", "item", "row", "case", "sample", "instance"}
    | {"question", "prompt", "epoch", "step", "iteration", "iter", "seed", "fold"}
    | {"split", "repeat", "repetition", "run", "trial", "subject", "patient"}
    | {"participant", "group", "cluster", "batch", "document"}
)
_ID_WORDS = {"id", "ids", "idx", "index", "nr", "number"}  # as its last word
_BESIDE_MARKS = "not 0 or 1, beside columns that are"
_TRUTHS = {"true", "false", "yes", "no", "right", "wrong", "t", "f", "y", "n"}


@dataclass(frozen=True, kw_only=True, eq=False)
class ResultsTable:
    """Results: a row per data set (or split, or sample), a column per model.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_models)
        Results, none missing.
    models : tuple of str
        Names of the columns.
    rows : tuple of str
        Names of the rows.
    metric : str or None
        What the results are, if it is known.
    greater_is_better : bool or None
        Which way is better, if the source says so.
    row_kind : RowKind or None
        What the rows are, if the source says so.
    test_ratio : float or None
        Samples tested per sample trained on, for splits of one data set.
    groups : tuple of str or None
        Group of every row, where rows are samples that belong together.
    dropped_rows : tuple of str
        Rows that lacked a result and were left out.
    n_rows_given : int
        Rows before that.
    worst_model : str or None
        The model that lacked most.
    notes : tuple of Note
        What was done on the way.
    """

    values: FloatArray
    models: tuple[str, ...]
    rows: tuple[str, ...]
    metric: str | None = None
    greater_is_better: bool | None = None
    row_kind: RowKind | None = None
    test_ratio: float | None = None
    groups: tuple[str, ...] | None = None
    dropped_rows: tuple[str, ...] = ()
    n_rows_given: int = 0
    worst_model: str | None = None
    notes: tuple[Note, ...] = ()

    @property
    def unit(self) -> IntArray:
        """Number of the group of every row, or of the row itself."""
        if self.groups is None:
            return np.arange(len(self.rows))
        return np.unique(self.groups, return_inverse=True)[1].astype(np.int64)

    @property
    def n_groups(self) -> int | None:
        """Number of groups, where there are any."""
        return None if self.groups is None else len(set(self.groups))

    @property
    def is_right_or_wrong(self) -> bool:
        """Whether all results are 0 or 1."""
        return bool(np.isin(self.values, (0, 1)).all())

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
        note = Note(
            code=NoteCode.REPEATED_NAMES_AVERAGED,
            names=(names[most],),
            count=len(names),
            total=len(self.rows),
            value=float(times[most]),
        )
        values = total / times[:, None]
        return replace(self, values=values, rows=names, notes=(*self.notes, note))

    def in_groups(self, groups: Any) -> ResultsTable:
        """Say which rows belong together.

        Parameters
        ----------
        groups : iterable
            One entry for each row.

        Returns
        -------
        ResultsTable
            The same table, in groups.

        Raises
        ------
        InvalidInputError
            If there is not one group for each row.
        """
        names = _group_names(groups, len(self.rows))
        return replace(self, groups=names)


def results_table(
    source: Any,
    *,
    models: Sequence[str] | None = None,
    long: tuple[str, str, str] | None = None,
    y_true: ArrayLike | str | None = None,
    scoring: str | None = None,
    groups: Any = None,
    row_names: str | None = None,
    nan_policy: str = "omit",
) -> ResultsTable:
    """Read results from a frame, a mapping, an array or assessments.

    Parameters
    ----------
    source : DataFrame, mapping, array-like, Assessment, or several of these last
        The results: rows are data sets, columns are models; one column of text may
        name the rows. One assessment is compared split by split, several (a list, or a
        mapping by name) data set by data set.
    models : sequence of str, optional
        Columns to compare, or names of the columns of an array.
    long : tuple of str, optional
        Columns that hold data set, model and result, where every row is one result.
        Repeats are averaged.
    y_true : str or array-like of shape (n,), optional
        What is true: columns are then predictions, a row for every sample.
    scoring : str, optional
        With `y_true` a metric that is a mean of samples, one of `METRICS`; right or
        wrong by default. Which metric of assessments; the first by default.
    groups : str or array-like, optional
        Samples that belong together, such as questions about one text or images of one
        patient: a column, or one entry for each row.
    row_names : str, optional
        Column that names the rows; the one that holds text by default.
    nan_policy : {"omit", "raise"}, default="omit"
        Whether rows that lack a result are left out or refused.

    Returns
    -------
    ResultsTable
        Wide, with numbers, none missing.

    Raises
    ------
    InvalidInputError
        If there is no table of numbers in it.
    UsageError
        If something is given that the source has no use for.

    Examples
    --------
    >>> table = results_table({"data": ["iris", "wine"], "svm": [0.9, 0.8],
    ...                        "tree": [0.7, float("nan")]})
    >>> table.rows, table.dropped_rows
    (('iris',), ('wine',))
    """
    check_one_of(nan_policy, "nan_policy", ("omit", "raise"))
    if isinstance(source, ResultsTable):
        return source if groups is None else source.in_groups(groups)
    several = _assessments(source)
    if several:
        for name, value in (("groups", groups), ("y_true", y_true), ("long", long)):
            if value is not None:
                problem = "is for tables; an assessment has its own"
                raise UsageError(problem, parameter=name)
        is_one = not isinstance(source, Mapping | list | tuple)
        read = _of_splits if is_one else _of_assessments
        return _complete(read(several, models, scoring), nan_policy)
    columns = _columns(source)
    if long is not None:
        if y_true is not None or scoring is not None:
            raise UsageError(
                "predictions beside what is true need a wide table: a row for every "
                "sample, a column of predictions for every model",
                parameter="long",
                remedy="give the value of every sample as its result, such as 1 for "
                "right and 0 for wrong, or a wide table",
            )
        if columns is None:
            raise UsageError("an array has no named columns", parameter="long")
        return _complete(_of_long(columns, long, models, groups), nan_policy)
    if scoring is not None and y_true is None:
        problem = "is needed: a metric compares predictions with what is true"
        raise UsageError(problem, parameter="y_true")
    if y_true is not None:
        named = columns if columns is not None else _named_array(source, models)
        return _of_predictions(
            named, y_true, scoring, models, groups, row_names, nan_policy
        )
    if columns is None:
        if isinstance(groups, str):
            problem = "an array has no columns: give one group for each row"
            raise InvalidInputError(problem, parameter="groups")
        table = _of_array(source, models)
        table = table if groups is None else table.in_groups(groups)
        return _complete(table, nan_policy)
    own = groups
    if isinstance(groups, str):
        _find(columns, groups, "groups")
        own = columns[groups]
        columns = {name: x for name, x in columns.items() if name != groups}
    index = _index_names(source)
    table = _of_wide(columns, models, row_names, index, is_grouped=own is not None)
    table = table if own is None else table.in_groups(own)
    return _complete(table, nan_policy)


def _complete(table: ResultsTable, nan_policy: str) -> ResultsTable:
    """Leave out rows with missing results, or refuse them."""
    missing: BoolArray = np.isnan(table.values)
    n = len(table.rows)
    if not missing.any():
        return replace(table, n_rows_given=n)
    for name, column in zip(table.models, missing.T, strict=True):
        if column.all():
            raise InvalidInputError(
                "the model has no result at all",
                parameter="results",
                location=Location(column=name),
                remedy="leave the model out",
            )
    kept: BoolArray = np.asarray(~missing.any(axis=1))
    worst = table.models[int(missing.sum(axis=0).argmax())]
    dropped = tuple(r for r, keep in zip(table.rows, kept, strict=True) if not keep)
    lack = "lacks" if len(dropped) == 1 else "lack"
    if not kept.any():
        raise InvalidInputError(
            f"each of {n:,} rows lacks a result of some model; {quoted(worst)} lacks "
            "most",
            parameter="results",
            remedy="leave that model out",
        )
    if nan_policy == "raise":
        raise InvalidInputError(
            f"{len(dropped):,} of {n:,} rows {lack} a result "
            f"({listed(dropped, _MOST_NAMED)}); {quoted(worst)} lacks most",
            parameter="results",
            remedy="fill them, or leave those rows out",
        )
    note = Note(
        code=NoteCode.ROWS_LEFT_OUT,
        model=worst,
        names=dropped[:_MOST_NAMED],
        count=len(dropped),
        total=n,
    )
    groups = table.groups
    if groups is not None:
        groups = tuple(g for g, keep in zip(groups, kept, strict=True) if keep)
    return replace(
        table,
        values=table.values[kept],
        rows=tuple(r for r, keep in zip(table.rows, kept, strict=True) if keep),
        groups=groups,
        dropped_rows=dropped,
        n_rows_given=n,
        worst_model=worst,
        notes=(*table.notes, note),
    )


def _group_names(groups: Any, n: int) -> tuple[str, ...]:
    """Return groups as texts; refuse what is missing."""
    found = list(groups)
    if len(found) != n:
        problem = f"must hold one entry for each of {n:,} rows; got {len(found):,}"
        raise InvalidInputError(problem, parameter="groups")
    for place, group in enumerate(found):
        if group is None or group != group or group == "":
            raise InvalidInputError(
                "the group is missing",
                parameter="groups",
                location=Location(row=place + 1),
            )
    return tuple(str(group) for group in found)


def _find(columns: Mapping[str, Any], name: str, parameter: str) -> None:
    """Refuse a column that is not there."""
    if name not in columns:
        raise InvalidInputError(
            "there is no such column",
            parameter=parameter,
            location=Location(column=name),
            remedy=f"choose from {listed(columns, 12)}",
        )


# Assessments -------------------------------------------------------------------------


def _assessments(source: Any) -> dict[str, Any]:
    """Return assessments by name, if the source is one or several."""
    if _is_assessment(source):
        return {"": source}
    if isinstance(source, Mapping):
        items = {str(k): v for k, v in source.items()}
    elif isinstance(source, list | tuple):
        items = {f"data set {i + 1}": v for i, v in enumerate(source)}
    else:
        return {}
    return items if items and all(map(_is_assessment, items.values())) else {}


def _is_assessment(value: Any) -> bool:
    return getattr(value, "kind", None) == "assessment"


def _of_splits(
    several: Mapping[str, Any], models: Sequence[str] | None, scoring: str | None
) -> ResultsTable:
    """Read one assessment split by split."""
    (found,) = several.values()
    names = _assessed(found, models)
    metrics = [_metric_of(found, name, scoring) for name in names]
    values = np.array([x.folds for x in metrics], dtype=np.float64).T
    return ResultsTable(
        values=values,
        models=names,
        rows=tuple(f"split {i + 1}" for i in range(len(values))),
        metric=metrics[0].metric,
        greater_is_better=metrics[0].greater_is_better,
        row_kind=RowKind.SPLITS,
        test_ratio=found.n_test / found.n_train,
    )


def _of_assessments(
    several: Mapping[str, Any], models: Sequence[str] | None, scoring: str | None
) -> ResultsTable:
    """Read several assessments data set by data set."""
    first = next(iter(several.values()))
    names = _assessed(first, models)
    values = np.full((len(several), len(names)), np.nan)
    for row, found in enumerate(several.values()):
        for column, name in enumerate(names):
            if name in found.assessed:
                values[row, column] = _metric_of(found, name, scoring).estimate
    one = _metric_of(first, names[0], scoring)
    return ResultsTable(
        values=values,
        models=names,
        rows=tuple(several),
        metric=one.metric,
        greater_is_better=one.greater_is_better,
    )


def _assessed(found: Any, models: Sequence[str] | None) -> tuple[str, ...]:
    known = tuple(found.assessed)
    for name in models or ():
        if name not in known:
            raise InvalidInputError(
                f"the assessment has no model {quoted(name)}",
                parameter="models",
                remedy=f"choose from {listed(known, 12)}",
            )
    return tuple(models) if models else known


def _metric_of(found: Any, name: str, scoring: str | None) -> Any:
    known = found.models[name].metrics
    if scoring is None:
        return found.models[name].main
    by_alias = {alias: m.name for m in METRICS.values() for alias in m.aliases}
    asked = by_alias.get(scoring, scoring)
    if asked in known:
        return known[asked]
    raise InvalidInputError(
        f"{quoted(name)} was not assessed by {scoring!r}",
        parameter="scoring",
        remedy=f"choose from {listed(known, 12)}",
    )


# Tables ------------------------------------------------------------------------------


def _columns(source: Any) -> dict[str, Sequence[Any]] | None:
    """Return named columns of a mapping or of any frame, else None."""
    if isinstance(source, Mapping):
        return {str(name): list(column) for name, column in source.items()}
    names = getattr(source, "columns", None)
    if names is None or not hasattr(source, "__getitem__"):
        return None
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise InvalidInputError(
            "the table repeats a column name",
            parameter="results",
            remedy="rename one of them",
        )
    return {str(name): list(source[name]) for name in names}


def _index_names(source: Any) -> tuple[str, ...] | None:
    """Return the index of a pandas frame, if somebody made one."""
    index = getattr(source, "index", None)
    if index is None or callable(index):
        return None
    names = [str(name) for name in index]
    return None if names == [str(i) for i in range(len(names))] else tuple(names)


def _matrix(source: Any) -> FloatArray:
    try:
        values = np.asarray(source, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            "must be a table of numbers",
            parameter="results",
            remedy="give a frame, a dictionary of columns, an array (data sets x "
            "models) or assessments",
        ) from error
    if values.ndim != 2:
        problem = f"must have rows and columns; got shape {values.shape}"
        raise InvalidInputError(problem, parameter="results")
    return values


def _array_names(n_columns: int, models: Sequence[str] | None) -> tuple[str, ...]:
    names = models or [f"model {i + 1}" for i in range(n_columns)]
    if len(names) != n_columns:
        problem = f"{len(names)} names for {n_columns} columns of results"
        raise UsageError(problem, parameter="models")
    return tuple(map(str, names))


def _of_array(source: Any, models: Sequence[str] | None) -> ResultsTable:
    values = _matrix(source)
    table = _checked(values, _array_names(values.shape[1], models), None)
    return table if models else _doubted(table)


def _named_array(source: Any, models: Sequence[str] | None) -> dict[str, Sequence[Any]]:
    """Return the columns of an array of predictions by name."""
    values = np.asarray(source)
    if values.ndim != 2:
        problem = f"must have rows and columns; got shape {values.shape}"
        raise InvalidInputError(problem, parameter="results")
    names = _array_names(values.shape[1], models)
    return dict(zip(names, values.T.tolist(), strict=True))


def _of_wide(
    columns: Mapping[str, Sequence[Any]],
    models: Sequence[str] | None,
    row_names: str | None,
    index: tuple[str, ...] | None,
    *,
    is_grouped: bool,
) -> ResultsTable:
    for name in models or ():
        _find(columns, name, "models")
    if row_names is not None:
        _find(columns, row_names, "row_names")
    texts = [x for x, column in columns.items() if _is_text(column) or x == row_names]
    chosen = tuple(models) if models else tuple(c for c in columns if c not in texts)
    spare = [x for x in texts if x != row_names and (models is None or x in models)]
    refuse_texts(columns, spare, len(chosen), is_one_allowed=row_names is None)
    names = [name for name in texts if name not in chosen]
    names = names if row_names is None else [row_names]
    rows = index
    notes: tuple[Note, ...] = ()
    if len(names) == 1 and rows is None:
        rows = tuple(map(str, columns[names[0]]))
        notes = doubtful_row_names(columns[names[0]], names[0])
    if len({len(columns[name]) for name in chosen}) != 1:
        problem = "the columns differ in length, or there are none"
        raise InvalidInputError(problem, parameter="results")
    values = np.column_stack([_floats(columns[name], name) for name in chosen])
    table = replace(_checked(values, chosen, rows), notes=notes)
    if len(names) == 1 and row_names is None and not is_grouped:
        _refuse_repeated_names(table, columns[names[0]], names[0])
    return table if models else _doubted(table)


def _of_long(
    columns: Mapping[str, Sequence[Any]],
    long: tuple[str, str, str],
    models: Sequence[str] | None,
    groups: Any,
) -> ResultsTable:
    for name in long:
        _find(columns, name, "long")
    sets = np.array([str(x) for x in columns[long[0]]])
    group_of: dict[str, str] = {}
    notes: tuple[Note, ...] = ()
    if groups is not None:
        if isinstance(groups, str):
            _find(columns, groups, "groups")
            groups = columns[groups]
        sets, group_of, notes = _rows_in_groups(sets, groups)
    of = np.array([str(x) for x in columns[long[1]]])
    results = _floats(columns[long[2]], long[2])
    # Plain text, not NumPy's, which would be quoted as such.
    rows, names = tuple(dict.fromkeys(sets.tolist())), tuple(dict.fromkeys(of.tolist()))
    if models is not None:
        unknown = [name for name in models if name not in names]
        if unknown:
            raise InvalidInputError(
                f"there is no model {quoted(unknown[0])}",
                parameter="models",
                remedy=f"choose from {listed(names, 12)}",
            )
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
    if len(names) > 1 and not (times > 0).all(axis=1).any():
        raise InvalidInputError(
            f"none of {len(times):,} data sets (column {quoted(long[0])}) has a result "
            f"of each of {len(names)} models (column {quoted(long[1])}, such as "
            f"{quoted(names[0])})",
            parameter="long",
            remedy="say which columns hold data set, model and result, or list fewer "
            "models",
        )
    table = replace(_checked(values, names, rows), notes=notes)
    if groups is not None:
        table = replace(table, groups=tuple(group_of[row] for row in rows))
    if times.max() <= 1:
        return table
    note = Note(code=NoteCode.REPEATS_AVERAGED, count=int(times.max()))
    return replace(table, notes=(*table.notes, note))


def _rows_in_groups(
    sets: Any, groups: Any
) -> tuple[Any, dict[str, str], tuple[Note, ...]]:
    """Return names of rows, unlike in different groups, and the group of each."""
    of = _group_names(groups, len(sets))
    pairs = list(zip(sets.tolist(), of, strict=True))
    by_name: dict[str, set[str]] = {}
    for name, group in pairs:
        by_name.setdefault(name, set()).add(group)
    shared = [name for name, found in by_name.items() if len(found) > 1]
    if not shared:
        return sets, dict(pairs), ()
    note = Note(
        code=NoteCode.SHARED_ROW_NAMES,
        names=(shared[0],),
        count=len(by_name[shared[0]]),
    )
    joined = [f"{group}: {name}" for name, group in pairs]
    return np.array(joined), dict(zip(joined, of, strict=True)), (note,)


def _checked(
    values: FloatArray, models: tuple[str, ...], rows: tuple[str, ...] | None
) -> ResultsTable:
    if values.size == 0 or len(models) < 2:
        problem = f"a comparison needs two models at least; got {len(models)}"
        raise InvalidInputError(problem, parameter="results")
    if len(set(models)) < len(models):
        raise InvalidInputError(
            "two models have the same name",
            parameter="results",
            remedy="rename one of them",
        )
    names = rows or tuple(str(i + 1) for i in range(len(values)))
    infinite = np.isinf(values)
    if infinite.any():
        row, column = (int(i) for i in np.argwhere(infinite)[0])
        raise InvalidInputError(
            f"the result on row {quoted(names[row])} is infinite",
            parameter="results",
            location=Location(column=models[column]),
            remedy="repair it, or leave it empty",
        )
    return ResultsTable(values=values, models=models, rows=names)


def _floats(column: Sequence[Any], name: str) -> FloatArray:
    try:
        return np.array(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            "holds something that is no number",
            parameter="results",
            location=Location(column=name),
        ) from error


# Predictions beside what is true -----------------------------------------------------


def model_columns(
    columns: Mapping[str, Sequence[Any]],
    *,
    models: Sequence[str] | None = None,
    y_true: str | None = None,
    groups: str | None = None,
    row_names: str | None = None,
) -> list[str]:
    """Return the columns that are models: those named, or all that are nothing else.

    Parameters
    ----------
    columns : mapping of str to sequence
        A table.
    models : sequence of str, optional
        Columns that were named.
    y_true, groups, row_names : str, optional
        Columns that are no models.

    Returns
    -------
    list of str
        Of many columns, one of text that is no prediction names the rows.

    Raises
    ------
    InvalidInputError
        If a column is not there.
    """
    others = {"y_true": y_true, "groups": groups, "row_names": row_names}
    for parameter, name in others.items():
        if name is not None:
            _find(columns, name, parameter)
    for name in models or ():
        _find(columns, name, "models")
    if models:
        return list(models)
    names = [x for x in columns if x not in others.values()]
    if len(names) > 2:
        truth = set(columns[y_true]) if y_true is not None else set()
        names = [
            x
            for x in names
            if not isinstance(columns[x][0], str) or set(columns[x]) <= truth
        ]
    return names


def row_name_column(
    columns: Mapping[str, Sequence[Any]],
    *,
    models: Sequence[str],
    y_true: str | None = None,
) -> str | None:
    """Return the one column of text that must name the rows, if there is one."""
    taken = {*models, y_true}
    truth = set(columns[y_true]) if y_true is not None else set()
    texts = [
        name
        for name, column in columns.items()
        # Labels are predictions of a third model, not names.
        if name not in taken and _is_text(column) and not set(column) <= truth
    ]
    return texts[0] if len(texts) == 1 else None


def _of_predictions(
    columns: Mapping[str, Sequence[Any]],
    y_true: Any,
    scoring: str | None,
    models: Sequence[str] | None,
    groups: Any,
    row_names: str | None,
    nan_policy: str,
) -> ResultsTable:
    """Measure every model on every sample."""
    metric = None if scoring is None else METRICS.choose(scoring, parameter="scoring")
    if metric is not None and not metric.is_mean_of_samples:
        raise UsageError(
            f"{metric.name} is no mean of samples, and compares two models",
            parameter="scoring",
            remedy="name two models",
        )
    names = model_columns(
        columns,
        models=models,
        y_true=y_true if isinstance(y_true, str) else None,
        groups=groups if isinstance(groups, str) else None,
        row_names=row_names,
    )
    truth_given = columns[y_true] if isinstance(y_true, str) else list(y_true)
    if models is None:
        refuse_no_predictions(columns, names, truth_given)
    used: dict[str, Sequence[Any]] = {f"m{i}": columns[x] for i, x in enumerate(names)}
    used["truth"] = truth_given
    if groups is not None:
        used["groups"] = columns[groups] if isinstance(groups, str) else list(groups)
    elif row_names is not None:
        used["rows"] = columns[row_names]
    kept, n_rows, lost = _complete_rows(used, nan_policy)
    truth = np.asarray(kept["truth"])
    values = [_sample_values(np.asarray(kept[f"m{i}"]), truth, name, metric)
              for i, name in enumerate(names)]  # fmt: skip
    rows = tuple(map(str, kept["rows"])) if "rows" in kept else None
    table = _checked(np.column_stack(values), tuple(names), rows)
    notes: tuple[Note, ...] = ()
    if lost:
        notes = (Note(code=NoteCode.SAMPLES_LEFT_OUT, count=lost, total=n_rows),)
    table = replace(
        table,
        metric=None if metric is None else metric.name,
        greater_is_better=metric is None or metric.greater_is_better,
        row_kind=RowKind.SAMPLES,
        n_rows_given=n_rows,
        notes=notes,
    )
    return table.in_groups(kept["groups"]) if "groups" in kept else table


def _complete_rows(
    columns: Mapping[str, Sequence[Any]], nan_policy: str
) -> tuple[dict[str, list[Any]], int, int]:
    """Leave out rows that lack anything; return the others, all rows and those lost."""
    if len({len(column) for column in columns.values()}) != 1:
        problem = "the columns differ in length"
        raise InvalidInputError(problem, parameter="results")
    missing = np.any([missing_in(np.array(list(x), dtype=object))
                      for x in columns.values()], axis=0)  # fmt: skip
    lost = int(missing.sum())
    if lost == missing.size:
        problem = "no row has all that is compared"
        raise InsufficientDataError(problem, parameter="results")
    if lost and nan_policy == "raise":
        raise InvalidInputError(
            f"{lost:,} of {missing.size:,} rows lack something",
            parameter="results",
            location=Location(row=int(np.argmax(missing)) + 1),
            remedy="fill or remove them",
        )
    kept = {
        name: [x for x, gone in zip(column, missing, strict=True) if not gone]
        for name, column in columns.items()
    }
    return kept, missing.size, lost


def _sample_values(
    said: Any, truth: Any, name: str, metric: Metric | None
) -> FloatArray:
    """Return the value of every sample of one model."""
    data = PairData(first=said, second=said, truth=truth)
    if metric is None:
        if not data.are_labels:
            raise UsageError(
                f"{quoted(name)} predicts numbers, which need a metric that is a mean "
                "of samples to be compared with what is true",
                parameter="scoring",
                remedy="name one, such as brier_score or mean_squared_error; if it is "
                "no model, name those that are",
            )
        return data.right()[0].astype(np.float64)
    return measured(data, metric).numbers[0]


# What looks wrong --------------------------------------------------------------------


def _doubted(table: ResultsTable) -> ResultsTable:
    """Doubt columns that nobody called models."""
    refuse_no_models(table.values, table.models)
    found = odd_scales(table.values, table.models)
    return replace(table, notes=(*table.notes, *found))


def refuse_no_models(values: FloatArray, names: Sequence[str]) -> None:
    """Refuse columns that number rows or groups: they would win or lose as models.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Results, or what was taken for them; NaN where missing.
    names : sequence of str
        Names of the columns.

    Raises
    ------
    InvalidInputError
        If a column has the name of a number of rows, counts them, repeats numbers as
        codes do, or stands beside columns of right and wrong and is none.
    """
    _refuse_as_no_models(_no_models(values, names))


def refuse_no_predictions(
    columns: Mapping[str, Sequence[Any]], names: Sequence[str], truth: Sequence[Any]
) -> None:
    """Refuse columns that number rows or groups beside predictions of what is true.

    Parameters
    ----------
    columns : mapping of str to sequence
        A table.
    names : sequence of str
        Its columns that were taken for models.
    truth : sequence
        What is true; what says nothing else predicts labels.

    Raises
    ------
    InvalidInputError
        If a column has the name of a number of rows or counts them.
    """
    numbers = {name: x for name in names if (x := _numbers_of(columns[name])).size}
    labels = set(truth)
    found = {}
    for name, column in numbers.items():
        beside = [x for other, x in numbers.items() if other != name]
        why = _why_numbers(name, column, beside, is_full=len(truth) == column.size)
        says_labels = {x for x in columns[name] if x == x} <= labels
        if why and (not says_labels or _is_number_name(name)):
            found[name] = why
    _refuse_as_no_models(found)


def _numbers_of(column: Sequence[Any]) -> FloatArray:
    """Return the numbers of a column, without holes; none of a column of text."""
    if _is_text(column):
        return np.zeros(0)
    try:
        values = np.array(column, dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros(0)
    known: FloatArray = values[~np.isnan(values)]
    return known


def _refuse_as_no_models(found: Mapping[str, str]) -> None:
    """Refuse columns that look like no models, each with the reason."""
    if not found:
        return
    is_one = len(found) == 1
    reasons = {why: [x for x in found if found[x] == why] for why in found.values()}
    why = "; ".join(
        reason if len(reasons) == 1 else f"{listed(own, 12)}: {reason}"
        for reason, own in reasons.items()
    )
    what = "looks like no model" if is_one else "look like no models"
    named = "" if is_one else f"columns {', '.join(map(quoted, found))} "
    raise InvalidInputError(
        f"{named}{what} ({why})",
        parameter="results",
        location=Location(column=next(iter(found)) if is_one else None),
        remedy="name the models, or say what names the rows, what groups them and what "
        "to leave out",
        option=("models", "row_names", "groups", "drop"),
    )


def _no_models(values: FloatArray, names: Sequence[str]) -> dict[str, str]:
    """Return the columns that look like no models, each with the reason."""
    columns = {
        name: column[~np.isnan(column)]
        for name, column in zip(names, values.T, strict=True)
    }
    marks = [x for x, column in columns.items() if np.isin(column, (0, 1)).all()]
    varied = sum(len(set(columns[x].tolist())) == 2 for x in marks)
    found = {}
    for name, column in columns.items():
        beside = [x for other, x in columns.items() if other != name]
        is_mark = name in marks
        if not _are_whole(column):
            n_marks = int(np.isin(column, (0, 1)).sum())
            is_graded = _are_shares(column) and 2 * n_marks >= column.size
            is_odd = varied >= 2 and column.size >= _LEAST_CODED and not is_graded
            why = _BESIDE_MARKS if is_odd else ""
        elif reason := _why_numbers(
            name, column, beside, is_full=column.size == len(values)
        ):
            why = reason
        elif is_mark or column.size < _LEAST_CODED:
            why = ""
        elif varied >= 2:
            why = _BESIDE_MARKS
        else:
            why = "repeats numbers as codes do" if _are_codes(column, beside) else ""
        if why:
            found[name] = why
    return found


def _why_numbers(
    name: str, column: FloatArray, beside: Sequence[FloatArray], *, is_full: bool
) -> str:
    """Say why a column numbers rows or groups; nothing if it need not."""
    if not _are_whole(column):
        return ""
    if _is_number_name(name):
        return "named like a number of rows or groups"
    if is_full and _counts_rows(column, beside):
        return f"counts the rows, {column.min():g} to {column.max():g}"
    if column.size and (column > 1).all() and _are_fractions(beside):
        return "whole numbers beside shares"
    return ""


def _is_number_name(name: str) -> bool:
    """Tell whether a column is called after what numbers rows or groups."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()
    words = re.findall(r"[a-z0-9]+", spaced)
    known = _ROW_WORDS if len(words) == 1 else _ID_WORDS
    return bool(words) and words[-1] in known


def _counts_rows(column: FloatArray, beside: Sequence[FloatArray]) -> bool:
    """Tell whether whole numbers count the rows, in any order.

    From 0 or 1 on, or far from all other columns.
    """
    first, last = column.min(initial=np.inf), column.max(initial=-np.inf)
    is_apart = all((x < first).all() or (x > last).all() for x in beside)
    if first not in (0, 1) and (column.size < _LEAST_CODED or not is_apart):
        return False
    return column.size >= _LEAST_COUNTED and np.array_equal(
        np.sort(column) - first, np.arange(column.size)
    )


def _are_codes(column: FloatArray, beside: Sequence[FloatArray]) -> bool:
    """Tell whether whole numbers are codes: all from the first on, and repeated.

    They come in blocks or in cycles, or stand beside shares. Where all columns hold
    whole numbers beyond 1, these may be counts or grades.
    """
    if not any(_are_shares(x) or not _are_whole(x) for x in beside):
        return False
    codes, times = np.unique(column, return_counts=True)
    k = codes.size
    if k < _LEAST_COUNTED or times.min() < 2 or codes[-1] - codes[0] != k - 1:
        return False
    is_even = bool((times == times[0]).all())
    if is_even or codes[0] in (0, 1):
        steps = np.diff(column)
        in_cycles = is_even and np.array_equal(column[k:], column[:-k])
        if (steps >= 0).all() or (in_cycles and (steps[: k - 1] > 0).all()):
            return True
    others = np.concatenate([*beside, np.zeros(0)])
    is_apart = k >= _MANY_CODES or not _are_whole(others)
    return codes[0] in (0, 1) and _are_shares(others) and is_apart


def _are_fractions(columns: Sequence[FloatArray]) -> bool:
    """Tell whether all columns hold shares, and not only 0 and 1."""
    fit = [_are_shares(x) and not _are_whole(x) for x in columns]
    return bool(fit) and all(fit)


def _are_whole(values: FloatArray) -> bool:
    return bool(np.array_equal(values, np.round(values)))


def _are_shares(values: FloatArray) -> bool:
    return bool(((values >= 0) & (values <= 1)).all())


def odd_scales(values: FloatArray, names: Sequence[str]) -> tuple[Note, ...]:
    """Ask whether a column is a model, if it lies far from all others."""
    known = ~np.isnan(values)
    sums = np.where(known, np.abs(values), 0.0).sum(axis=0)
    sizes = sums / np.maximum(known.sum(axis=0), 1)
    order = np.argsort(sizes)
    found = []
    # Of two columns only the larger one is asked about.
    for place, beside in ((-1, -2), (0, 1))[: 1 if len(names) == 2 else 2]:
        own, other = int(order[place]), int(order[beside])
        low, high = sorted((float(sizes[own]), float(sizes[other])))
        if low > 0 and high >= _FAR * low:
            found.append(
                Note(
                    code=NoteCode.ODD_SCALE,
                    model=names[own],
                    names=(names[other],),
                    value=float(sizes[own] / sizes[other]),
                )
            )
    return (*found, *_percentages(values, names))


def _percentages(values: FloatArray, names: Sequence[str]) -> tuple[Note, ...]:
    """Ask whether a few numbers are percentages, where all others are shares."""
    known = values[~np.isnan(values)]
    is_odd = (values > 1) & (values <= 100)
    count = int(is_odd.sum())
    are_shares = bool(((known >= 0) & (known <= 100)).all())
    if not are_shares or not 0 < count <= max(1, known.size // 10):
        return ()
    row, column = (int(i) for i in np.argwhere(is_odd)[0])
    value = float(values[row, column])
    if value < _LEAST_PERCENT:
        return ()
    return (
        Note(
            code=NoteCode.PERCENT_AMONG_SHARES,
            model=names[column],
            count=count,
            total=row + 1,
            value=value,
        ),
    )


def _is_text(column: Sequence[Any]) -> bool:
    return any(isinstance(value, str) for value in column)


def _refuse_repeated_names(
    table: ResultsTable, column: Sequence[Any], name: str
) -> None:
    """Refuse to guess whether texts beside right and wrong name items or groups."""
    n = len(set(column))
    known = table.values[~np.isnan(table.values)]
    if n == len(column) or not np.isin(known, (0, 1)).all():
        return
    raise InvalidInputError(
        f"repeats {n:,} names on {len(column):,} rows of right and wrong: they may be "
        "groups of samples, or items that were tried again",
        parameter="results",
        location=Location(column=name),
        remedy="say that it groups the rows, or that it names them and repeats are to "
        "be averaged, or leave it out",
        option=("groups", "row_names", "drop"),
    )


def refuse_texts(
    columns: Mapping[str, Sequence[Any]],
    texts: Sequence[str],
    n_models: int,
    *,
    is_one_allowed: bool = True,
) -> None:
    """Refuse texts where results should be, and say what would make numbers of them.

    Parameters
    ----------
    columns : mapping of str to sequence
        The table.
    texts : sequence of str
        Its columns of text that were not said to be anything.
    n_models : int
        How many columns are left as models.
    is_one_allowed : bool, default=True
        Whether one of them may name the rows.

    Raises
    ------
    InvalidInputError
        If there are several, if one seems to hold results, or if it leaves fewer than
        two models.
    """
    if not texts:
        return
    ways = [way for name in texts if (way := _way_out(columns[name]))]
    if not is_one_allowed and len(texts) == 1:
        raise InvalidInputError(
            "holds text",
            parameter="results",
            location=Location(column=texts[0]),
            remedy=ways[0]
            if ways
            else "name the models, or say that it groups the rows or is to be left out",
            option=None if ways else ("models", "groups", "drop"),
        )
    if len(texts) > 1:
        rest = ("row_names",) if is_one_allowed else ()
        other = (
            "a wide table has one column per model: name those, or say what names the "
            "rows, groups them or is to be left out; for one result per row name its "
            "three columns"
        )
        raise InvalidInputError(
            f"columns {', '.join(map(quoted, texts))} hold text",
            parameter="results",
            remedy=ways[0] if ways else other,
            option=None if ways else ("models", *rest, "groups", "drop", "long"),
        )
    name = texts[0]
    if ways and name != next(iter(columns)):
        raise InvalidInputError(
            "holds text",
            parameter="results",
            location=Location(column=name),
            remedy=ways[0],
        )
    if n_models < 2:
        cell = next((x for x in columns[name] if isinstance(x, str)), "")
        raise InvalidInputError(
            f"a comparison needs two models at least; got {n_models}, since column "
            f"{quoted(name)} holds text ({quoted(cell)}) and was taken for names of "
            "the rows",
            parameter="results",
            remedy=ways[0] if ways else None,
        )


def _way_out(column: Sequence[Any]) -> str:
    """Say what would make numbers of texts, if they are a known kind of results."""
    words = [str(x).strip().lower() for x in column]
    known = [word for word in words if word]
    if known and all(word in _TRUTHS for word in known):
        return "write 1 for right and 0 for wrong"
    if any(word.endswith("%") and _is_number(word[:-1]) for word in known):
        return "leave out the % signs"
    return ""


def doubtful_row_names(column: Sequence[Any], name: str) -> tuple[Note, ...]:
    """Say so where a column taken for names of rows is mostly numbers."""
    numbers = [_is_number(x) for x in column]
    if all(numbers) or 2 * sum(numbers) < len(numbers):
        return ()
    cell = str(column[numbers.index(False)])
    return (
        Note(
            code=NoteCode.DOUBTFUL_ROW_NAMES,
            names=(name, cell),
            count=sum(numbers),
            total=len(numbers),
        ),
    )


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True
