"""Times, events and covariates of cases, from one table."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.words import EVENT_WORDS
from scorecast.exceptions import InvalidInputError
from scorecast.io.columns import Table, TableOptions, find_column
from scorecast.io.formats import Kind, kind_of
from scorecast.io.paths import DEFAULT_MAX_BYTES, FilePath, locate, unchanged
from scorecast.io.tables import open_table
from scorecast.io.wording import listed, quoted

__all__ = ["CellReader", "CohortFile", "Covariate", "is_missing", "read_cohort"]

_MISSING = {"", "na", "nan", "n/a", "null", "none", "?", "."}
_OPTION = "--covariates"
_UNKNOWN_TIME = (
    "the time is missing; give how long the case was followed, with event 0 where the "
    "event was not seen, or remove the row"
)
_MANY_VALUES = 10  # more of them, and a text is a name or a date rather than a kind
_SHOWN_VALUES = 4
_TYPOS = 0.1  # share of cells up to which words among numbers are slips


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
    covariates : tuple of Covariate
        How each was asked for.
    categories : mapping of str to tuple of str
        What every column that was taken apart as ``COL=VALUE`` holds.
    """

    X: NDArray[Any]
    time: NDArray[Any]
    event: NDArray[Any]
    names: tuple[str, ...]
    folds: NDArray[Any] | None
    source: str
    notes: tuple[str, ...] = ()
    covariates: tuple[Covariate, ...] = ()
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Covariate:
    """One covariate as it was asked for: a column, its log, or one of its values."""

    name: str
    column: str
    value: str | None = None
    log: str = ""

    @classmethod
    def of(cls, text: str, columns: Sequence[str]) -> Covariate:
        """Read what was asked for; a column may itself be called so."""
        if text in columns:
            return cls(text, text)
        log, mark, column = text.partition(":")
        if mark and log in ("log", "log1p"):
            return cls(text, column, log=log)
        if mark and column in columns:
            msg = (
                f"{_OPTION} {text}: there is no {log}:, only log:{column} (logarithm) "
                f"and log1p:{column} (that of 1 plus it); write others into the file"
            )
            raise InvalidInputError(msg)
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
        Columns of numbers; ``log:COL`` takes the logarithm, ``log1p:COL`` that of one
        plus the number, ``COL=VALUE`` is 1 where the column holds this value and 0
        elsewhere. By default all other columns.
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
        unwanted="write every time as a number, all in one unit",
        allows_missing=True,  # to say what a missing time asks for
    )
    with unchanged(location.path):
        table = open_table(location, options)
        wanted = _wanted(
            table, covariates, (time, event, *drop, *filter(None, [folds])), folds
        )
        places = [find_column(table, c.column, _OPTION) for c in wanted]
        numbers = [find_column(table, time, "--time")]
        texts = [find_column(table, event, "--event")]
        texts += [] if folds is None else [find_column(table, folds, "--folds")]
        as_text = not str(location.path).lower().endswith(".parquet")
        exact = [p for c, p in zip(wanted, places, strict=True)
                 if as_text or c.value is not None]  # fmt: skip
        plain = [p for p in dict.fromkeys(places) if p not in exact]
        exact = list(dict.fromkeys(exact))
        content = table.read([*numbers, *plain], [*texts, *exact])
    held: dict[int, NDArray[Any]] = dict(
        zip(exact, content.texts[len(texts) :], strict=True)
    )
    held |= {p: content.values[:, 1 + i] for i, p in enumerate(plain)}
    say = CellReader(location.name, content.place, decimal)
    say.check_times(time, content.values[:, 0])
    seen = say.events(event, content.texts[0])
    columns = [say.numbers(c, held[p]) for c, p in zip(wanted, places, strict=True)]
    return CohortFile(
        X=np.column_stack(columns) if columns else np.empty((len(content.values), 0)),
        time=content.values[:, 0],
        event=seen,
        names=tuple(c.name for c in wanted),
        folds=None if folds is None else content.texts[1],
        source=location.source(None),
        notes=table.notes,
        covariates=tuple(wanted),
        categories={
            c.column: tuple(_values(held[p]))
            for c, p in zip(wanted, places, strict=True)
            if c.value is not None
        },
    )


def _wanted(
    table: Table,
    covariates: Sequence[str],
    apart: Sequence[str],
    folds: str | None,
) -> list[Covariate]:
    names = table.columns or tuple(str(i + 1) for i in range(table.n_columns))
    for name in apart:
        find_column(table, name, "--time, --event, --drop or --folds")
    if apart[0] == apart[1]:
        msg = f"--time and --event both name {quoted(apart[0])}; they are two columns"
        raise InvalidInputError(msg)
    given = covariates or [name for name in names if name not in apart]
    if not given:
        msg = f"{table.name}: no column is left for covariates"
        raise InvalidInputError(msg)
    twice = [name for i, name in enumerate(given) if name in given[:i]]
    if twice:
        msg = f"{_OPTION} names {quoted(twice[0])} twice"
        raise InvalidInputError(msg)
    found = [Covariate.of(name, names) for name in given]
    if folds is not None and folds in [c.column for c in found]:
        msg = f"--folds names {quoted(folds)}, which is a covariate, too; leave one out"
        raise InvalidInputError(msg)
    used = [c.column for c in found if c.column in apart[:2]]
    if used:
        msg = f"{_OPTION} names {quoted(used[0])}, which is the time or the event"
        raise InvalidInputError(msg)
    return found


@dataclass(frozen=True)
class CellReader:
    """Says where in a file something stands, and reads cells that may be missing."""

    file: str
    place: Callable[[int], str]
    decimal: str

    def at(self, row: int, name: str) -> str:
        """Name file, line and column."""
        return f"{self.file}, {self.place(row)}, column {quoted(name)}"

    def check_times(self, name: str, values: NDArray[Any]) -> None:
        """Refuse times that are unknown, infinite or not above zero."""
        bad = ~(np.isfinite(values) & (values > 0))
        if not bad.any():
            return
        row = int(np.argmax(bad))
        if np.isnan(values[row]):
            msg = f"{self.at(row, name)}: {_UNKNOWN_TIME}"
            raise InvalidInputError(msg)
        such = f" ({int(bad.sum()):,} such rows)" if bad.sum() > 1 else ""
        msg = (
            f"{self.at(row, name)}: a time must be above zero and finite; got "
            f"{values[row]:g}{such}; measure from an earlier moment, or remove the row"
        )
        if np.isinf(values[row]):
            msg = (
                f"{self.at(row, name)}: {values[row]:g} is no time; where the event "
                "never came, give how long it did not, with event 0"
            )
        raise InvalidInputError(msg)

    def events(self, name: str, cells: NDArray[Any]) -> NDArray[Any]:
        """Return 1 where the event was seen; yes and true mean that, too."""
        words = [_whole(str(cell).strip().lower()) for cell in cells]
        for row, word in enumerate(words):
            if word in EVENT_WORDS:
                continue
            if word in _MISSING:
                msg = (
                    f"{self.at(row, name)}: the event is missing; give 1 where it was "
                    "seen, 0 where not yet, or remove the row"
                )
                raise InvalidInputError(msg)
            fix = "code the event 1 and 0, or yes and no"
            if set(words) <= {"1", "2"}:
                fix = "where 1 and 2 mean no and yes, subtract one"
            elif word.isdigit():
                fix = "where it is another kind of event (a competing risk), code it 0"
            msg = (
                f"{self.at(row, name)}: the event must be 1 (seen) or 0 (not yet seen "
                f"when last looked at); got {quoted(str(cells[row]))}; {fix}"
            )
            raise InvalidInputError(msg)
        return np.array([EVENT_WORDS[word] for word in words])

    def numbers(
        self, covariate: Covariate, cells: NDArray[Any], *, fresh: bool = False
    ) -> NDArray[Any]:
        """Return a covariate; NaN where missing. Fresh cases need not hold a value."""
        if covariate.value is not None:
            if not fresh:
                self._check_held(covariate, cells)
            return _indicator(covariate, cells)
        if cells.dtype.kind == "f":
            values = np.array(cells, dtype=np.float64)
        else:
            values = self._parsed(covariate.column, cells)
        if np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            msg = (
                f"{self.at(row, covariate.column)}: {values[row]:g} is infinite; leave "
                "the cell empty where the number is missing"
            )
            raise InvalidInputError(msg)
        if not covariate.log:
            return values
        return self._logarithm(covariate, values)

    def _logarithm(self, covariate: Covariate, values: NDArray[Any]) -> NDArray[Any]:
        bad = values <= (0.0 if covariate.log == "log" else -1.0)
        if bad.any():
            row = int(np.argmax(bad))
            msg = f"{self.at(row, covariate.column)}: {values[row]:g} has no logarithm"
            if covariate.log == "log" and values[row] == 0.0:
                msg += f"; take {_OPTION} log1p:{covariate.column}, that of 1 plus it"
            else:
                msg += f"; take {_OPTION} {covariate.column}, the number itself"
            raise InvalidInputError(msg)
        taken = np.log(values) if covariate.log == "log" else np.log1p(values)
        return np.asarray(taken)

    def _parsed(self, name: str, cells: NDArray[Any]) -> NDArray[Any]:
        found = [self._number(cell) for cell in cells]
        odd = [row for row, value in enumerate(found) if value is None]
        if odd:
            raise self._no_number(name, cells, odd)
        return np.array(found, dtype=np.float64)

    def _no_number(
        self, name: str, cells: NDArray[Any], odd: Sequence[int]
    ) -> InvalidInputError:
        text = str(cells[odd[0]]).strip()
        place = f"{self.at(odd[0], name)}: {quoted(text)} is not a number"
        if len(odd) <= max(1, _TYPOS * len(cells)) and len(odd) < len(cells) - 1:
            others = "nearly all others in the column are; repair the cell or empty it"
            return InvalidInputError(f"{place}, and {others}")
        return InvalidInputError(f"{place}; {_encoding(name, cells)}")

    def _check_held(self, covariate: Covariate, cells: NDArray[Any]) -> None:
        known = _values(cells)
        if covariate.value in known:
            return
        msg = (
            f"{self.file}: column {quoted(covariate.column)} never holds "
            f"{quoted(str(covariate.value))} but {listed(known)}"
        )
        near = difflib.get_close_matches(
            str(covariate.value).lower(), [k.lower() for k in known], n=1
        )
        if near:
            meant = next(k for k in known if k.lower() == near[0])
            msg += f"; did you mean {_OPTION} '{covariate.column}={meant}'?"
        raise InvalidInputError(msg)

    def _number(self, cell: Any) -> float | None:
        text = str(cell).strip()
        if text.lower() in _MISSING:
            return float("nan")
        try:
            return float(text.replace(self.decimal, "."))
        except ValueError:
            return None


def is_missing(word: str) -> bool:
    """Return whether a cell says that it says nothing."""
    return word.lower() in _MISSING


def _values(cells: NDArray[Any]) -> list[str]:
    words = {str(cell).strip() for cell in cells}
    return sorted(word for word in words if not is_missing(word))


def _indicator(covariate: Covariate, cells: NDArray[Any]) -> NDArray[Any]:
    words = [str(cell).strip() for cell in cells]
    return np.array(
        [np.nan if is_missing(w) else float(w == covariate.value) for w in words]
    )


def _encoding(name: str, cells: NDArray[Any]) -> str:
    """Say what to do with a column of words."""
    words = [str(cell).strip() for cell in cells]
    known = Counter(word for word in words if word.lower() not in _MISSING)
    drop = f"leave the column out with --drop '{name}'"
    if len(known) > max(_MANY_VALUES, len(words) // 10):
        return (
            f"it holds {len(known):,} different words: {drop}, or write numbers (for "
            "dates, such as days since one that means the same for every case)"
        )
    # The commonest value is what the others are held against.
    others = [word for word, _ in known.most_common()][1:]
    if not others or any("," in word for word in others):
        return f"{drop}, or write numbers"
    listed = ",".join(f"{name}={word}" for word in others[:_SHOWN_VALUES])
    more = ",..." if len(others) > _SHOWN_VALUES else ""
    return (
        "a category needs a column of 0 and 1 for each value but one: name "
        f"'{listed}{more}' among the {_OPTION}, or {drop}"
    )


def _whole(word: str) -> str:
    """Write 1.0 as 1."""
    return word.removesuffix(".0").removesuffix(",0")
