"""Covariates of new cases, by the rules under which others were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.near_names import near_name
from scorecast.exceptions import InsufficientDataError, InvalidInputError
from scorecast.io.cohorts import CellReader, Covariate, is_missing
from scorecast.io.columns import Table, TableOptions, find_column
from scorecast.io.formats import Kind, kind_of
from scorecast.io.paths import DEFAULT_MAX_BYTES, FilePath, locate, unchanged
from scorecast.io.tables import open_table
from scorecast.io.wording import listed, quoted

__all__ = ["NewCohortFile", "read_new_cohort"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NewCohortFile:
    """New cases read from a file.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Covariates; NaN where missing.
    source : str
        The file.
    notes : tuple of str
        What was assumed about it.
    """

    X: NDArray[Any]
    source: str
    notes: tuple[str, ...] = ()


def read_new_cohort(
    path: FilePath,
    covariates: Sequence[Covariate],
    categories: Mapping[str, Sequence[str]],
    *,
    decimal: str = ".",
    delimiter: str | None = None,
    header: bool = True,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> NewCohortFile:
    r"""Read the covariates of new cases; other columns are left alone.

    Parameters
    ----------
    path : str or path-like
        A table with one row per case.
    covariates : sequence of Covariate
        Those of `read_cohort`.
    categories : mapping of str to sequence of str
        The same: what columns taken apart as ``COL=VALUE`` may hold.
    decimal, delimiter, header, max_bytes : optional
        As for `read_cohort`.

    Returns
    -------
    NewCohortFile
        The cases.

    Raises
    ------
    InvalidInputError
        If the file or a column is missing or damaged, or a column holds a value that
        the first file does not.
    InsufficientDataError
        If there is no case.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "new.csv"
    >>> _ = path.write_text("kind,name\nb,Ann\na,Bo\n")
    >>> kind = Covariate("kind=b", "kind", "b")
    >>> read_new_cohort(path, [kind], {"kind": ("a", "b")}).X.tolist()
    [[1.0], [0.0]]
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
        allows_missing=True,
    )
    with unchanged(location.path):
        table = open_table(location, options)
        places = [_place(table, c.column) for c in covariates]
        as_text = not str(location.path).lower().endswith(".parquet")
        exact = {p for c, p in zip(covariates, places, strict=True)
                 if as_text or c.value is not None}  # fmt: skip
        texts, plain = sorted(exact), sorted(set(places) - exact)
        content = table.read(plain, texts)
    held: dict[int, NDArray[Any]] = dict(zip(texts, content.texts, strict=True))
    held |= {p: content.values[:, i] for i, p in enumerate(plain)}
    if not len(held[places[0]]):
        msg = f"{location.name}: there is no case below the names of the columns"
        raise InsufficientDataError(msg)
    cells = CellReader(location.name, content.place, decimal)
    columns = []
    for one, place in zip(covariates, places, strict=True):
        if one.value is not None:
            _check_known(cells, one.column, held[place], categories[one.column])
        columns.append(cells.numbers(one, held[place], fresh=True))
    return NewCohortFile(
        X=np.column_stack(columns), source=location.source(None), notes=table.notes
    )


def _place(table: Table, column: str) -> int:
    """Return the place of a column; one that is missing is asked for."""
    if table.columns is None or column in table.columns:
        return find_column(table, column, "--covariates")
    near = near_name(column, table.columns)
    fix = "add it, with empty cells where it is not known"
    if near:
        fix = f"is it {quoted(near)}? Give it the same name"
    msg = (
        f"{table.name} has no column {quoted(column)}, a covariate of the model, but "
        f"{listed(table.columns)}; {fix}"
    )
    raise InvalidInputError(msg)


def _check_known(
    cells: CellReader, column: str, texts: NDArray[Any], known: Sequence[str]
) -> None:
    """Refuse a value that nothing was learned of: it is not simply "another"."""
    for row, text in enumerate(texts):
        word = str(text).strip()
        if not is_missing(word) and word not in known:
            msg = (
                f"{cells.at(row, column)}: {quoted(word)} is a value that no case to "
                f"learn from has; they have {listed(known)}; repair the cell or empty "
                "it"
            )
            raise InvalidInputError(msg)
