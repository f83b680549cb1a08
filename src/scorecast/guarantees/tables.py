"""Features as they came: a matrix of numbers, or a table with named columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import check_matrix
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError

__all__ = [
    "check_features",
    "columns_of",
    "first_missing",
    "is_table",
    "number_names",
    "numbers_of",
    "rows_of",
    "shuffled_columns",
]


def is_table(features: Any) -> bool:
    """Tell whether features are a data frame, whose columns the model may want."""
    return hasattr(features, "iloc") and hasattr(features, "columns")


def check_features(X: Any) -> Any:
    """Return features that a model may learn from, or say what is wrong.

    Parameters
    ----------
    X : data frame or array-like of shape (n, m)
        Missing values are left for the model to deal with; infinite ones are refused.

    Returns
    -------
    data frame or ndarray
        A frame as it came; anything else as float64, in which all models compute.

    Raises
    ------
    InvalidInputError
        If there are no features, or some are infinite, or no numbers in an array.
    """
    if is_table(X):
        if 0 in X.shape:
            msg = f"X is empty: shape {X.shape}."
            raise InvalidInputError(msg)
        numbers = numbers_of(X)
        if np.isinf(numbers).any():
            row, column = np.argwhere(np.isinf(numbers))[0]
            name = _number_columns(X).columns[column]
            msg = f"X must be finite; row {row + 1} of column {name!s} is infinite."
            raise InvalidInputError(msg)
        return X
    array = np.asarray(X)
    if array.ndim != 2 or array.dtype.kind != "f" or not np.isnan(array).any():
        return np.asarray(check_matrix(array, "X"), dtype=np.float64)
    # Everything but what is missing is checked as it always is.
    check_matrix(np.where(np.isnan(array), 0.0, array), "X")
    return array.astype(np.float64)


def rows_of(features: Any, rows: IntArray) -> Any:
    """Take some rows, in the form they came in."""
    return features.iloc[rows] if is_table(features) else features[rows]


def columns_of(features: Any, columns: NDArray[Any]) -> Any:
    """Take some columns, by number or marked, in the form they came in."""
    return features.iloc[:, columns] if is_table(features) else features[:, columns]


def numbers_of(features: Any) -> FloatArray:
    """Return what is a number, with NaN where it is missing; columns of text are not.

    Parameters
    ----------
    features : data frame or ndarray
        Features.

    Returns
    -------
    ndarray of float64 of shape (n, at most m)
        One column per column of numbers.
    """
    if not is_table(features):
        return np.asarray(features, dtype=np.float64)
    columns = _number_columns(features)
    found: FloatArray = columns.to_numpy(dtype=np.float64, na_value=np.nan)
    return found


def number_names(features: Any) -> list[str]:
    """Return the names of the columns of `numbers_of`; none for a matrix."""
    if not is_table(features):
        return []
    return [str(name) for name in _number_columns(features).columns]


def _number_columns(table: Any) -> Any:
    return table.select_dtypes(include=["number", "bool"])


def first_missing(features: Any) -> tuple[int, str] | None:
    """Count missing values, and name the place of the first.

    Parameters
    ----------
    features : data frame or ndarray
        Features.

    Returns
    -------
    tuple of int and str, or None
        None if nothing is missing.
    """
    missing = features.isna().to_numpy() if is_table(features) else np.isnan(features)
    if not missing.any():
        return None
    row, column = np.argwhere(missing)[0]
    name = features.columns[column] if is_table(features) else column + 1
    return int(missing.sum()), f"row {row + 1}, column {name!s}"


def shuffled_columns(features: Any, orders: NDArray[np.int64]) -> Any:
    """Give every column an order of its own.

    Parameters
    ----------
    features : data frame or ndarray of shape (n, m)
        Features.
    orders : ndarray of int of shape (n, m)
        Row to take, for every column.

    Returns
    -------
    data frame or ndarray
        In the form they came in.
    """
    if not is_table(features):
        return np.take_along_axis(features, orders, axis=0)
    shuffled = features.copy()
    for place, name in enumerate(features.columns):
        taken = features.iloc[orders[:, place], place]
        shuffled[name] = taken.set_axis(features.index)
    return shuffled
