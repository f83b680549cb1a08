"""Times, events and covariates of samples, and those of new samples."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.near_names import near_name
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    listed,
    quoted,
)
from scorecast.io.delimited import TableContent
from scorecast.io.files import FileData, FileLayout, FilePath
from scorecast.io.tables import Table, find_column, opened_source, table_only

# Words that stand for events, the same in files and in Python.
EVENT_WORDS = {
    **dict.fromkeys(("1", "yes", "true", "y", "t"), 1.0),
    **dict.fromkeys(("0", "no", "false", "n", "f"), 0.0),
}
_MISSING = {"", "na", "nan", "n/a", "null", "none", "?", "."}
_MANY_VALUES = 10  # more of them, and a text is a name or a date rather than a kind
_SHOWN_VALUES = 4
_TYPOS = 0.1  # share of cells up to which words among numbers are slips


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
            raise InvalidInputError(
                f"{quoted(text)}: there is no {quoted(log)}, only log:{column} "
                f"(logarithm) and log1p:{column} (that of 1 plus it)",
                parameter="covariates",
                remedy="write others into the file",
            )
        column, sign, value = text.partition("=")
        return cls(text, column, value if sign else None)


@dataclass(frozen=True, kw_only=True, eq=False)
class SurvivalFile(FileData):
    """Samples read from a file.

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
    covariates : tuple of Covariate
        How each was asked for.
    categories : mapping of str to tuple of str
        What every column that was taken apart as ``COL=VALUE`` holds.
    locations : mapping of str to Location
        Where X, time, event and folds came from.
    """

    X: NDArray[Any]
    time: NDArray[Any]
    event: NDArray[Any]
    names: tuple[str, ...]
    folds: NDArray[Any] | None
    covariates: tuple[Covariate, ...] = ()
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    locations: Mapping[str, Location] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class NewSamplesFile(FileData):
    """New samples read from a file.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Covariates; NaN where missing.
    """

    X: NDArray[Any]


def read_survival(
    path: FilePath,
    time: str,
    event: str,
    *,
    covariates: Sequence[str] = (),
    folds: str | None = None,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> SurvivalFile:
    r"""Read times, events and covariates.

    Parameters
    ----------
    path : str or path-like
        A table with one row per sample.
    time, event : str
        Columns.
    covariates : sequence of str, default=()
        Columns of numbers; ``log:COL`` takes the logarithm, ``log1p:COL`` that of one
        plus the number, ``COL=VALUE`` is 1 where the column holds this value and 0
        elsewhere. By default all other columns.
    folds : str, optional
        Column of labels of folds.
    layout : FileLayout, optional
        How the file is laid out; `drop` names columns that are no covariates.

    Returns
    -------
    SurvivalFile
        The samples.

    Raises
    ------
    InvalidInputError
        If the file or a column is missing or damaged, or a covariate holds words.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "cases.csv"
    >>> _ = path.write_text("t,seen,psa,kind\n2.5,1,8,a\n4,0,NA,b\n")
    >>> read_survival(path, "t", "seen", covariates=["psa", "kind=b"]).X.tolist()
    [[8.0, 0.0], [nan, 1.0]]
    """
    with opened_source(path, layout) as source:
        table = table_only(source)
        wanted = _wanted(table, time, event, covariates, folds, layout.drop)
        places = [find_column(table, c.column, "covariates") for c in wanted]
        texts = [find_column(table, event, "event")]
        texts += [] if folds is None else [find_column(table, folds, "folds")]
        first = [find_column(table, time, "time")]
        content, held = _read_cells(table, wanted, places, first, texts)
    times = content.values[:, 0]
    _check_times(times, time, content)
    seen = _events(content.texts[0], event, content)
    for one, place in zip(wanted, places, strict=True):
        if one.value is not None:
            _check_held(one, held[place], content)
    columns = [
        _numbers(c, held[p], content, layout.decimal)
        for c, p in zip(wanted, places, strict=True)
    ]
    file = table.file.source()
    named = {"time": time, "event": event, "folds": folds}
    return SurvivalFile(
        X=np.column_stack(columns) if columns else np.empty((len(times), 0)),
        time=times,
        event=seen,
        names=tuple(c.name for c in wanted),
        folds=None if folds is None else content.texts[1],
        source=file,
        notes=table.notes,
        lines=content.lines,
        covariates=tuple(wanted),
        categories={
            c.column: tuple(_values(held[p]))
            for c, p in zip(wanted, places, strict=True)
            if c.value is not None
        },
        locations={
            "X": Location(file=file),
            **{
                parameter: Location(file=file, column=name)
                for parameter, name in named.items()
                if name is not None
            },
        },
    )


def read_new_samples(
    path: FilePath,
    like: SurvivalFile,
    *,
    layout: FileLayout = FileLayout(),  # noqa: B008 - frozen
) -> NewSamplesFile:
    r"""Read the covariates of new samples; other columns are left alone.

    Parameters
    ----------
    path : str or path-like
        A table with one row per sample.
    like : SurvivalFile
        The samples to learn from, whose covariates are read here.
    layout : FileLayout, optional
        How the file is laid out.

    Returns
    -------
    NewSamplesFile
        The samples.

    Raises
    ------
    InvalidInputError
        If the file or a column is missing or damaged, or a column holds a value that
        the first file does not.
    InsufficientDataError
        If there is no sample.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "old.csv").write_text("t,seen,kind\n2,1,a\n4,0,b\n3,1,a\n")
    >>> _ = (folder / "new.csv").write_text("kind,name\nb,Ann\na,Bo\n")
    >>> old = read_survival(folder / "old.csv", "t", "seen", covariates=["kind=b"])
    >>> read_new_samples(folder / "new.csv", old).X.tolist()
    [[1.0], [0.0]]
    """
    with opened_source(path, layout) as source:
        table = table_only(source)
        places = [_place(table, c.column) for c in like.covariates]
        content, held = _read_cells(table, like.covariates, places, [], [])
    if not len(held[places[0]]):
        problem = "there is no sample below the names of the columns"
        raise InsufficientDataError(problem, location=table.file.location)
    columns = []
    for one, place in zip(like.covariates, places, strict=True):
        if one.value is not None:
            _check_known(one.column, held[place], content, like.categories[one.column])
        columns.append(_numbers(one, held[place], content, layout.decimal))
    return NewSamplesFile(
        X=np.column_stack(columns),
        source=table.file.source(),
        notes=table.notes,
        lines=content.lines,
    )


def _read_cells(
    table: Table,
    wanted: Sequence[Covariate],
    places: Sequence[int],
    numbers: Sequence[int],
    texts: Sequence[int],
) -> tuple[TableContent, dict[int, NDArray[Any]]]:
    """Read columns, and covariates by position: as text where that is exact."""
    is_text = table.file.ending != ".parquet"
    exact = [
        place
        for one, place in zip(wanted, places, strict=True)
        if is_text or one.value is not None
    ]
    plain = [place for place in dict.fromkeys(places) if place not in exact]
    exact = list(dict.fromkeys(exact))
    content = table.read(
        [*numbers, *plain],
        [*texts, *exact],
        allow_missing=True,  # to say what a missing time asks for
        unwanted="write every time as a number, all in one unit",
    )
    held: dict[int, NDArray[Any]] = dict(
        zip(exact, content.texts[len(texts) :], strict=True)
    )
    n = len(numbers)
    held |= {place: content.values[:, n + i] for i, place in enumerate(plain)}
    return content, held


def _wanted(
    table: Table,
    time: str,
    event: str,
    covariates: Sequence[str],
    folds: str | None,
    drop: Sequence[str],
) -> list[Covariate]:
    """Return the covariates asked for, or all columns that nothing else is."""
    apart = {"time": [time], "event": [event], "drop": drop}
    apart["folds"] = [] if folds is None else [folds]
    for option, columns in apart.items():
        for name in columns:
            find_column(table, name, option)
    if time == event:
        problem = f"{quoted(time)} is named for time and event; they are two columns"
        raise table.file.refusal(problem)
    names = table.columns or tuple(str(i + 1) for i in range(table.n_columns))
    others = {name for columns in apart.values() for name in columns}
    given = covariates or [name for name in names if name not in others]
    if not given:
        raise table.file.refusal("no column is left for covariates")
    twice = [name for i, name in enumerate(given) if name in given[:i]]
    if twice:
        problem = f"{quoted(twice[0])} is named twice"
        raise InvalidInputError(problem, parameter="covariates")
    found = [Covariate.of(name, names) for name in given]
    columns = [c.column for c in found]
    if folds is not None and folds in columns:
        problem = f"{quoted(folds)} is a covariate, too"
        raise InvalidInputError(problem, parameter="folds", remedy="leave one out")
    used = [name for name in columns if name in (time, event)]
    if used:
        problem = f"{quoted(used[0])} is the time or the event"
        raise InvalidInputError(problem, parameter="covariates")
    return found


def _place(table: Table, column: str) -> int:
    """Return the place of a column; one that is missing is asked for."""
    if table.columns is None or column in table.columns:
        return find_column(table, column, "covariates")
    near = near_name(column, table.columns)
    remedy = "add it, with empty cells where it is not known"
    if near:
        remedy = f"give {quoted(near)} this name if it is the same"
    raise table.file.refusal(
        "there is no such column, a covariate of the model, but "
        f"{listed(table.columns, 8)}",
        column=column,
        remedy=remedy,
    )


def _check_times(values: NDArray[Any], name: str, content: TableContent) -> None:
    """Refuse times that are unknown, infinite or not above zero."""
    is_bad = ~(np.isfinite(values) & (values > 0))
    if not is_bad.any():
        return
    row = int(np.argmax(is_bad))
    if np.isnan(values[row]):
        problem = "the time is missing"
        remedy = (
            "give how long the case was followed, with event 0 where the event was not "
            "seen, or remove the row"
        )
    elif np.isinf(values[row]):
        problem = f"{values[row]:g} is no time"
        remedy = "give how long the event did not come, with event 0"
    else:
        such = f" ({int(is_bad.sum()):,} such rows)" if is_bad.sum() > 1 else ""
        problem = f"a time must be above zero; got {values[row]:g}{such}"
        remedy = "measure from an earlier moment, or remove the row"
    place = content.place(row, name)
    raise InvalidInputError(problem, location=place, remedy=remedy)


def _events(cells: NDArray[Any], name: str, content: TableContent) -> NDArray[Any]:
    """Return 1 where the event was seen; yes and true mean that, too."""
    words = [_whole(str(cell).strip().lower()) for cell in cells]
    for row, word in enumerate(words):
        if word in EVENT_WORDS:
            continue
        problem = (
            "the event must be 1 (seen) or 0 (not yet seen when last looked at); got "
            f"{quoted(cells[row])}"
        )
        remedy = "code the event 1 and 0, or yes and no"
        if word in _MISSING:
            problem = "the event is missing"
            remedy = "give 1 where it was seen, 0 where not yet, or remove the row"
        elif set(words) <= {"1", "2"}:
            remedy = "subtract one where 1 and 2 mean no and yes"
        elif word.isdigit():
            remedy = "code it 0 where it is another kind of event (a competing risk)"
        place = content.place(row, name)
        raise InvalidInputError(problem, location=place, remedy=remedy)
    return np.array([EVENT_WORDS[word] for word in words])


def _numbers(
    covariate: Covariate, cells: NDArray[Any], content: TableContent, decimal: str
) -> NDArray[Any]:
    """Return a covariate; NaN where missing."""
    if covariate.value is not None:
        words = [str(cell).strip() for cell in cells]
        return np.array(
            [np.nan if _is_missing(w) else float(w == covariate.value) for w in words]
        )
    if cells.dtype.kind == "f":
        values = np.array(cells, dtype=np.float64)
    else:
        values = _parsed(covariate.column, cells, content, decimal)
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values)))
        raise InvalidInputError(
            f"{values[row]:g} is infinite",
            location=content.place(row, covariate.column),
            remedy="leave the cell empty where the number is missing",
        )
    if not covariate.log:
        return values
    is_bad = values <= (0.0 if covariate.log == "log" else -1.0)
    if is_bad.any():
        row, column = int(np.argmax(is_bad)), covariate.column
        is_zero = covariate.log == "log" and values[row] == 0.0
        raise InvalidInputError(
            f"{values[row]:g} has no logarithm",
            location=content.place(row, column),
            remedy=f"take log1p:{column}, that of 1 plus it"
            if is_zero
            else f"take {column}, the number itself",
            option="covariates",
        )
    taken = np.log(values) if covariate.log == "log" else np.log1p(values)
    return np.asarray(taken)


def _parsed(
    name: str, cells: NDArray[Any], content: TableContent, decimal: str
) -> NDArray[Any]:
    found = [_number(cell, decimal) for cell in cells]
    odd = [row for row, value in enumerate(found) if value is None]
    if not odd:
        return np.array(found, dtype=np.float64)
    problem = f"{quoted(str(cells[odd[0]]).strip())} is not a number"
    option: str | None = None
    if len(odd) <= max(1, _TYPOS * len(cells)) and len(odd) < len(cells) - 1:
        problem += ", and nearly all others in the column are"
        remedy = "repair the cell or empty it"
    else:
        remedy, option = _encoding(name, cells)
    place = content.place(odd[0], name)
    raise InvalidInputError(problem, location=place, remedy=remedy, option=option)


def _number(cell: Any, decimal: str) -> float | None:
    text = str(cell).strip()
    if _is_missing(text):
        return float("nan")
    try:
        return float(text.replace(decimal, "."))
    except ValueError:
        return None


def _encoding(name: str, cells: NDArray[Any]) -> tuple[str, str]:
    """Say what to do with a column of words, and by which argument."""
    words = [str(cell).strip() for cell in cells]
    known = Counter(word for word in words if not _is_missing(word))
    if len(known) > max(_MANY_VALUES, len(words) // 10):
        return (
            f"leave the column out, as it holds {len(known):,} different words, or "
            "write numbers (for dates, such as days since one that means the same for "
            "every case)"
        ), "drop"
    # The commonest value is what the others are held against.
    others = [word for word, _ in known.most_common()][1:]
    if not others or any("," in word for word in others):
        return "leave the column out, or write numbers", "drop"
    shown = ",".join(f"{name}={word}" for word in others[:_SHOWN_VALUES])
    more = ",..." if len(others) > _SHOWN_VALUES else ""
    return (
        f"leave the column out, or name '{shown}{more}': a category needs a column of "
        "0 and 1 for each value but one"
    ), "covariates"


def _check_held(
    covariate: Covariate, cells: NDArray[Any], content: TableContent
) -> None:
    """Refuse a value that the column never holds."""
    known = _values(cells)
    if covariate.value in known:
        return
    near = difflib.get_close_matches(
        str(covariate.value).lower(), [k.lower() for k in known], n=1
    )
    remedy = None
    if near:
        meant = next(k for k in known if k.lower() == near[0])
        remedy = f"did you mean {quoted(f'{covariate.column}={meant}')}?"
    raise content.file.refusal(
        f"it never holds {quoted(covariate.value)} but {listed(known)}",
        column=covariate.column,
        remedy=remedy,
        option="covariates",
    )


def _check_known(
    column: str, texts: NDArray[Any], content: TableContent, known: Sequence[str]
) -> None:
    """Refuse a value that nothing was learned of: it is not simply "another"."""
    for row, text in enumerate(texts):
        word = str(text).strip()
        if not _is_missing(word) and word not in known:
            raise InvalidInputError(
                f"{quoted(word)} is a value that no case to learn from has; they have "
                f"{listed(known)}",
                location=content.place(row, column),
                remedy="repair the cell or empty it",
            )


def _is_missing(word: str) -> bool:
    return word.lower() in _MISSING


def _values(cells: NDArray[Any]) -> list[str]:
    words = {str(cell).strip() for cell in cells}
    return sorted(word for word in words if not _is_missing(word))


def _whole(word: str) -> str:
    """Write 1.0 as 1."""
    return word.removesuffix(".0").removesuffix(",0")
