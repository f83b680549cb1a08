"""Times, events and covariates of cases, from one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError
from scorecast.io.columns import Table, TableOptions, find_column
from scorecast.io.formats import Kind, kind_of
from scorecast.io.paths import DEFAULT_MAX_BYTES, FilePath, locate, unchanged
from scorecast.io.tables import open_table
from scorecast.io.wording import listed, quoted

__all__ = ["CohortFile", "read_cohort"]

_MISSING = {"", "na", "nan", "n/a", "null", "none", "?", "."}
_OPTION = "--covariates"


@dataclass(frozen=True, kw_only=True, eq=False)
class CohortFile:
    """Cases read from a file.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Covariates; NaN where missing.
    time, event : ndarray of shape (n,)
        Numbers, as they stand there.
    names : tuple of str
        Names of the covariates.
    folds : ndarray of shape (n,) or None
        Labels of folds, if a column was named.
    source : str
        The file.
    notes : tuple of str
        What was assumed about it.
    """

    X: NDArray[Any]
    time: NDArray[Any]
    event: NDArray[Any]
    names: tuple[str, ...]
    folds: NDArray[Any] | None
    source: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Covariate:
    """One covariate as it was asked for: a column, its log, or one of its values."""

    name: str
    column: str
    value: str | None = None
    is_log: bool = False

    @classmethod
    def of(cls, text: str, columns: Sequence[str]) -> _Covariate:
        if text in columns:
            return cls(text, text)
        if text.startswith("log:"):
            return cls(text, text.removeprefix("log:"), is_log=True)
        column, sign, value = text.partition("=")
        return cls(text, column, value if sign else None)


def read_cohort(
    path: FilePath,
    time: str,
    event: str,
    covariates: Sequence[str] = (),
    *,
    drop: Sequence[str] = (),
    folds: str | None = None,
    decimal: str = ".",
    delimiter: str | None = None,
    header: bool = True,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> CohortFile:
    r"""Read times, events and covariates.

    Parameters
    ----------
    path : str or path-like
        A table with one row per case.
    time, event : str
        Columns.
    covariates : sequence of str, default=()
        Columns of numbers; ``log:COL`` takes the logarithm, ``COL=VALUE`` is 1 where
        the column holds this value and 0 elsewhere. By default all other columns.
    drop : sequence of str, default=()
        Columns that are no covariates.
    folds : str, optional
        Column of labels of folds.
    decimal, delimiter, header, max_bytes : optional
        As for `read_matrix`.

    Returns
    -------
    CohortFile
        The cases.

    Raises
    ------
    InvalidInputError
        If the file or a column is missing or damaged, or a covariate holds words.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "cases.csv"
    >>> _ = path.write_text("t,seen,psa,kind\n2.5,1,8,a\n4,0,NA,b\n")
    >>> read_cohort(path, "t", "seen", ["psa", "kind=b"]).X.tolist()
    [[8.0, 0.0], [nan, 1.0]]
    """
    location = locate(path)
    if kind_of(location.path) is not Kind.TABLE:
        msg = f"{location.name}: a table is needed (.csv, .csv.gz, .parquet)"
        raise InvalidInputError(msg)
    options = TableOptions(
        decimal=decimal,
        delimiter=delimiter,
        header=header,
        max_bytes=max_bytes,
        unwanted=f"name other columns with {_OPTION}",
    )
    with unchanged(location.path):
        table = open_table(location, options)
        wanted = _wanted(
            table, covariates, (time, event, *drop, *filter(None, [folds]))
        )
        places = [find_column(table, c.column, _OPTION) for c in wanted]
        numbers = [find_column(table, time, "--time")]
        numbers.append(find_column(table, event, "--event"))
        texts = [] if folds is None else [find_column(table, folds, "--folds")]
        as_text = not str(location.path).lower().endswith(".parquet")
        exact = [p for c, p in zip(wanted, places, strict=True)
                 if as_text or c.value is not None]  # fmt: skip
        plain = [p for p in dict.fromkeys(places) if p not in exact]
        exact = list(dict.fromkeys(exact))
        content = table.read([*numbers, *plain], [*texts, *exact])
    held: dict[int, NDArray[Any]] = dict(
        zip(exact, content.texts[len(texts) :], strict=True)
    )
    held |= {p: content.values[:, 2 + i] for i, p in enumerate(plain)}
    say = _Places(location.name, content.place, decimal)
    columns = [say.numbers(c, held[p]) for c, p in zip(wanted, places, strict=True)]
    _refuse_unknown(content.values[:, :2], (time, event), say)
    return CohortFile(
        X=np.column_stack(columns) if columns else np.empty((len(content.values), 0)),
        time=content.values[:, 0],
        event=content.values[:, 1],
        names=tuple(c.name for c in wanted),
        folds=content.texts[0] if texts else None,
        source=location.source(None),
        notes=table.notes,
    )


def _wanted(
    table: Table, covariates: Sequence[str], apart: Sequence[str]
) -> list[_Covariate]:
    names = table.columns or tuple(str(i + 1) for i in range(table.n_columns))
    for name in apart:
        find_column(table, name, "--time, --event, --drop or --folds")
    given = covariates or [name for name in names if name not in apart]
    if not given:
        msg = f"{table.name}: no column is left for covariates"
        raise InvalidInputError(msg)
    twice = [name for i, name in enumerate(given) if name in given[:i]]
    if twice:
        msg = f"{_OPTION} names {quoted(twice[0])} twice"
        raise InvalidInputError(msg)
    found = [_Covariate.of(name, names) for name in given]
    used = [c.column for c in found if c.column in apart[:2]]
    if used:
        msg = f"{_OPTION} names {quoted(used[0])}, which is the time or the event"
        raise InvalidInputError(msg)
    return found


def _refuse_unknown(values: NDArray[Any], names: Sequence[str], say: _Places) -> None:
    for i, name in enumerate(names):
        bad = ~np.isfinite(values[:, i])
        if bad.any():
            row = int(np.argmax(bad))
            msg = f"{say.at(row, name)}: a time and an event must be known"
            if np.isinf(values[row, i]):
                msg = (
                    f"{say.at(row, name)}: {values[row, i]:g} is no time; where the "
                    "event never came, give how long it did not, with event 0"
                )
            raise InvalidInputError(msg)


@dataclass(frozen=True)
class _Places:
    """Says where in a file something stands, and reads cells that may be missing."""

    file: str
    place: Callable[[int], str]
    decimal: str

    def at(self, row: int, name: str) -> str:
        return f"{self.file}, {self.place(row)}, column {quoted(name)}"

    def numbers(self, covariate: _Covariate, cells: NDArray[Any]) -> NDArray[Any]:
        if covariate.value is not None:
            return self._indicator(covariate, cells)
        if cells.dtype.kind == "f":
            values = np.array(cells, dtype=np.float64)
        else:
            values = np.array(
                [self._number(i, covariate.column, c) for i, c in enumerate(cells)]
            )
        if not covariate.is_log:
            return values
        if (values <= 0).any():
            row = int(np.argmax(values <= 0))
            msg = f"{self.at(row, covariate.column)}: {values[row]:g} has no logarithm"
            raise InvalidInputError(msg)
        return np.log(values)

    def _indicator(self, covariate: _Covariate, cells: NDArray[Any]) -> NDArray[Any]:
        words = [str(cell).strip() for cell in cells]
        known = sorted({w for w in words if w.lower() not in _MISSING})
        if covariate.value not in known:
            msg = (
                f"{self.file}: column {quoted(covariate.column)} never holds "
                f"{quoted(str(covariate.value))} but {listed(known)}"
            )
            raise InvalidInputError(msg)
        return np.array(
            [
                np.nan if w.lower() in _MISSING else float(w == covariate.value)
                for w in words
            ]
        )

    def _number(self, row: int, name: str, cell: Any) -> float:
        text = str(cell).strip()
        if text.lower() in _MISSING:
            return float("nan")
        try:
            return float(text.replace(self.decimal, "."))
        except ValueError as error:
            msg = (
                f"{self.at(row, name)}: {quoted(text)} is not a number; a category "
                f"needs a column of 0 and 1 for each value but one: {_OPTION} "
                f"'{name}={text}'"
            )
            raise InvalidInputError(msg) from error
