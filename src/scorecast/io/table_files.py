"""Tables written whole or not at all: CSV, NumPy archives, Parquet."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError, MissingExtraError
from scorecast.io.paths import FilePath
from scorecast.io.writing import check_writable, write_bytes

__all__ = ["TABLE_ENDINGS", "write_table"]

TABLE_ENDINGS = (".csv", ".npz", ".parquet")
_ROWS = 256


def write_table(
    path: FilePath, columns: Mapping[str, NDArray[Any]], *, force: bool = False
) -> None:
    r"""Write named columns (or, to an ``.npz``, arrays of any shape).

    Numbers are written with as many digits as bring them back.

    Parameters
    ----------
    path : str or path-like
        A name that ends in ``.csv``, ``.npz`` or ``.parquet``.
    columns : mapping of str to ndarray
        Columns of equal length; names must not need quotes in a CSV file.
    force : bool, default=False
        Whether an existing file may be replaced.

    Raises
    ------
    InvalidInputError
        If the ending is another, or the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.csv"
    >>> write_table(path, {"x": np.array([0.1, 2]), "y": np.array(["a", "b"])})
    >>> path.read_text()
    'x,y\n0.1,a\n2.0,b\n'
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in TABLE_ENDINGS:
        msg = f"{os.fspath(path)}: name it .csv, .npz or .parquet"
        raise InvalidInputError(msg)
    check_writable(path, force=force)
    if ending == ".npz":
        data = _archive(columns)
    elif ending == ".csv":
        data = _delimited(columns)
    else:
        data = _parquet(columns)
    write_bytes(path, data, force=force)


def _archive(columns: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **dict(columns))  # type: ignore[arg-type]
    return buffer.getvalue()


def _delimited(columns: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    buffer.write((",".join(columns) + "\n").encode())
    n = len(next(iter(columns.values()), ()))
    # Some rows at a time: Python's numbers take far more room than an array's.
    for start in range(0, n, _ROWS):
        lists = [_texts(values[start : start + _ROWS]) for values in columns.values()]
        lines = [",".join(row) for row in zip(*lists, strict=True)]
        buffer.write(("\n".join(lines) + "\n").encode())
    return buffer.getvalue()


def _texts(values: NDArray[Any]) -> list[str]:
    plain = values.tolist()
    return plain if values.dtype.kind == "U" else [repr(value) for value in plain]


def _parquet(columns: Mapping[str, NDArray[Any]]) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        what = "Writing Parquet"
        raise MissingExtraError(what, "io") from error
    buffer = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), buffer)
    return buffer.getvalue()
