"""Features, targets and groups, checked once, as every part of an evaluation sees them.

Features are a matrix of numbers, or a data frame, which reaches models as it came.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import check_matrix
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.metrics import Task
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    printable,
)

_MIN_SAMPLES = 4
_GREATEST = 1e150  # of a feature, whose square is still a number
_REGRESSORS = "take a regressor for numbers, such as ridge, lasso or forest-regressor"


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluationData:
    """What a model is to learn.

    Attributes
    ----------
    X : ndarray or data frame of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Targets as the estimator sees them: labels, or numbers.
    codes : ndarray of shape (n_samples,)
        For classification, the number of the class of every sample; else empty.
    task : Task
        What is predicted.
    classes : tuple
        The labels, sorted; empty for regression.
    groups : ndarray of int or None
        Group of every sample, such as a patient.
    """

    X: Any
    y: NDArray[Any]
    codes: IntArray
    task: Task
    classes: tuple[Hashable, ...] = ()
    groups: IntArray | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for numbers."""
        return len(self.classes)

    @property
    def is_classification(self) -> bool:
        """Whether targets are classes."""
        return self.task is Task.CLASSIFICATION

    @property
    def truth(self) -> FloatArray | IntArray:
        """Targets as metrics see them: codes of classes, or numbers."""
        return self.codes if self.is_classification else self.y

    @property
    def class_counts(self) -> IntArray:
        """Samples of every class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    @property
    def units(self) -> IntArray:
        """What is independent: the number of every sample, or of its group."""
        return np.arange(self.n_samples) if self.groups is None else self.groups

    def features(self, rows: IntArray) -> Any:
        """Return the features of some samples, in the form they came in."""
        return rows_of(self.X, rows)

    def matrix(self) -> NDArray[Any] | None:
        """Return the features as numbers; None if some are missing or are none."""
        if not is_table(self.X):
            return None if np.isnan(self.X).any() else np.asarray(self.X)
        # Models keep single precision where all columns have it; numbers here do not.
        is_single = all(str(kind) == "float32" for kind in self.X.dtypes)
        numbers = numbers_of(self.X)
        is_whole = numbers.shape == self.X.shape and np.isfinite(numbers).all()
        return numbers if is_whole and not is_single else None

    def n_repeated(self) -> int:
        """Count samples whose features are those of another."""
        if is_table(self.X):
            return int(self.X.duplicated().sum())
        counts = np.unique(self.X, axis=0, return_counts=True)[1]
        return int((counts - 1).sum())

    def n_independent(self, rows: IntArray) -> float:
        """Count independent units among some samples, each given once."""
        groups = None if self.groups is None else self.groups[rows]
        return n_independent(groups, rows.size)

    def with_features(self, X: Any) -> Self:
        """Return the same targets with other features."""
        return replace(self, X=X)


def check_data(
    X: Any,
    y: Iterable[Any],
    *,
    task: Task = Task.CLASSIFICATION,
    groups: Iterable[Hashable] | None = None,
    feature_names: Sequence[str] = (),
) -> EvaluationData:
    """Turn features and targets into what can be split, or say what is wrong.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_features)
        Features: finite numbers, or missing; in a frame, anything the model takes.
    y : iterable of length n_samples
        Labels of classes, or numbers.
    task : Task, default=Task.CLASSIFICATION
        What `y` holds.
    groups : iterable of hashable, optional
        Group of every sample.
    feature_names : sequence of str, optional
        What the columns of a matrix are called, where one of them is refused.

    Returns
    -------
    EvaluationData
        Ready to be split.

    Raises
    ------
    InvalidInputError
        If lengths differ or targets cannot be used.
    InsufficientDataError
        If there is one class only, or fewer than four samples.

    Examples
    --------
    >>> check_data([[1], [2], [3], [4]], ["b", "a", "b", "a"]).classes
    ('a', 'b')
    """
    features = check_features(X, feature_names)
    n = int(features.shape[0])
    if y is None or isinstance(y, str) or not hasattr(y, "__iter__"):
        problem = f"must hold one target for every row of the features; got {y!r}"
        raise InvalidInputError(problem, parameter="y")
    target = np.asarray(y if isinstance(y, np.ndarray) else list(y))
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.ndim != 1 or target.shape[0] != n:
        is_transposed = target.shape[:1] == features.shape[1:]
        raise InvalidInputError(
            f"must hold one target for each of {n:,} rows of the features; got shape "
            f"{target.shape}",
            parameter="y",
            remedy="transpose the features" if is_transposed else None,
        )
    if n < _MIN_SAMPLES:
        problem = f"too few samples to learn and to test: {n}"
        remedy = f"give {_MIN_SAMPLES} at least"
        raise InsufficientDataError(problem, parameter="X", remedy=remedy)
    codes: IntArray = np.empty(0, dtype=np.int64)
    classes: tuple[Hashable, ...] = ()
    if task is Task.CLASSIFICATION:
        target, codes, classes = _check_labels(target)
    else:
        target = _check_numbers(target)
    return EvaluationData(
        X=features,
        y=target,
        codes=codes,
        task=Task(task),
        classes=classes,
        groups=_check_groups(groups, n),
    )


def _check_labels(
    target: NDArray[Any],
) -> tuple[NDArray[Any], IntArray, tuple[Hashable, ...]]:
    """Return labels, their codes and the classes."""
    if target.dtype.kind == "f":
        if not np.isfinite(target).all() or (target != np.floor(target)).any():
            raise InvalidInputError(
                "holds numbers that are not whole or not finite",
                parameter="y",
                remedy=f"give labels for classes, or {_REGRESSORS}",
            )
        target = target.astype(np.int64)
    if target.dtype == object:
        # As text, what is missing would be a class of its own.
        lost = [i for i, x in enumerate(target) if x is None or x != x]
        if lost:
            raise InvalidInputError(
                f"the label is missing ({len(lost):,} such)",
                parameter="y",
                location=Location(row=lost[0] + 1),
                remedy="fill it in, or leave the sample out",
            )
        target = target.astype(str)
    if target.dtype == bool:
        target = target.astype(np.int64)
    values, codes = np.unique(target, return_inverse=True)
    if values.size < 2:
        only = printable(values[0])
        problem = f"holds one class only ({only}): there is nothing to tell apart"
        raise InsufficientDataError(problem, parameter="y")
    if values.size > target.size / 2:
        raise InvalidInputError(
            f"holds {values.size:,} different values for {target.size:,} samples: most "
            "have one sample",
            parameter="y",
            remedy=f"give classes, or {_REGRESSORS}",
        )
    return target, codes.astype(np.int64), tuple(values.tolist())


def _check_numbers(target: NDArray[Any]) -> FloatArray:
    """Return targets of a regressor."""
    if target.dtype.kind not in "fiub":
        problem = f"must hold numbers for a regressor; got dtype {target.dtype}"
        raise InvalidInputError(problem, parameter="y")
    numbers = target.astype(np.float64)
    if not np.isfinite(numbers).all():
        first = int(np.argmin(np.isfinite(numbers)))
        problem, place = (
            f"must be finite; got {numbers[first]}",
            Location(row=first + 1),
        )
        raise InvalidInputError(problem, parameter="y", location=place)
    if np.ptp(numbers) == 0:
        problem = f"is {numbers[0]:g} in every row: there is nothing to learn"
        raise InsufficientDataError(problem, parameter="y")
    return numbers


def _check_groups(groups: Iterable[Hashable] | None, n: int) -> IntArray | None:
    """Return the number of the group of every sample, by first appearance."""
    if groups is None:
        return None
    given = list(groups) if hasattr(groups, "__iter__") else []
    if len(given) != n:
        problem = f"must hold one group for each of {n:,} rows; got {len(given):,}"
        raise InvalidInputError(problem, parameter="groups")
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(group, len(numbers)) for group in given]
    if len(numbers) < 2:
        problem = "all samples belong to one group: there is no way to split them"
        raise InsufficientDataError(problem, parameter="groups")
    return np.array(codes, dtype=np.int64)


# Features as they came ------------------------------------------------------------


def is_table(features: Any) -> bool:
    """Tell whether features are a data frame, whose columns the model may want."""
    return hasattr(features, "iloc") and hasattr(features, "columns")


def check_features(X: Any, names: Sequence[str] = ()) -> Any:
    """Return features that a model may learn from, or say what is wrong.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_features)
        Missing values are left for the model to deal with; infinite ones are refused.
    names : sequence of str, optional
        Names of the columns of a matrix.

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
            raise InvalidInputError(f"is empty: shape {X.shape}", parameter="X")
        _refuse_huge(numbers_of(X), [str(name) for name in _number_columns(X).columns])
        return X
    array = np.asarray(X)
    if array.ndim != 2 or array.dtype.kind != "f" or not np.isnan(array).any():
        array = np.asarray(check_matrix(array, parameter="X"), dtype=np.float64)
    else:
        # Everything but what is missing is checked as it always is.
        check_matrix(np.where(np.isnan(array), 0.0, array), parameter="X")
        array = array.astype(np.float64)
    _refuse_huge(array, names)
    return array


def _refuse_huge(values: FloatArray, names: Sequence[str] = ()) -> None:
    """Refuse features that are infinite, or whose squares would be."""
    is_huge = np.abs(values) > _GREATEST
    if not is_huge.any():
        return
    row, column = (int(i) for i in np.argwhere(is_huge)[0])
    value = values[row, column]
    is_infinite = np.isinf(value)
    raise InvalidInputError(
        "must be finite, and this value is infinite"
        if is_infinite
        else f"{value:g} is too large: its square is beyond what numbers hold",
        parameter="X",
        location=Location(
            row=row + 1,
            column=names[column] if column < len(names) else str(column + 1),
        ),
        remedy=None if is_infinite else "correct it, or use another unit",
    )


def rows_of(features: Any, rows: IntArray) -> Any:
    """Take some rows, in the form they came in."""
    return features.iloc[rows] if is_table(features) else features[rows]


def columns_of(features: Any, columns: NDArray[Any]) -> Any:
    """Take some columns, by number or marked, in the form they came in."""
    return features.iloc[:, columns] if is_table(features) else features[:, columns]


def numbers_of(features: Any) -> FloatArray:
    """Return the columns of numbers, with NaN where they are missing; not of text."""
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


def first_missing(
    features: Any, names: Sequence[str] = ()
) -> tuple[int, Location] | None:
    """Count missing values, and name the place of the first; None without any."""
    missing = features.isna().to_numpy() if is_table(features) else np.isnan(features)
    if not missing.any():
        return None
    row, column = np.argwhere(missing)[0]
    known = features.columns if is_table(features) else names
    name = known[column] if len(known) else column + 1
    return int(missing.sum()), Location(row=int(row) + 1, column=str(name))


def shuffled_columns(features: Any, orders: IntArray) -> Any:
    """Give every column an order of rows of its own, in the form they came in."""
    if not is_table(features):
        return np.take_along_axis(features, orders, axis=0)
    shuffled = features.copy()
    for place, name in enumerate(features.columns):
        taken = features.iloc[orders[:, place], place]
        shuffled[name] = taken.set_axis(features.index)
    return shuffled


# Groups: however large, each is one draw ------------------------------------------


def n_independent(groups: IntArray | None, n: int) -> float:
    """Count independent units among samples.

    Parameters
    ----------
    groups : ndarray of int of shape (n,) or None
        Group of every sample; None means that each stands alone.
    n : int
        Number of samples.

    Returns
    -------
    float
        Samples; or groups, counted by their weight in the mean of samples: as many as
        there are if all have the same size, fewer otherwise. So counted, Hoeffding's
        inequality holds for the mean.

    Examples
    --------
    >>> n_independent(np.array([0, 0, 1, 1]), 4), n_independent(np.array([0, 1, 1]), 3)
    (2.0, 1.8)
    """
    if groups is None or n == 0:
        return float(n)
    sizes = np.bincount(groups).astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def group_totals(
    values: FloatArray, groups: IntArray, low: float, span: float
) -> tuple[FloatArray, float]:
    """Turn values of samples into one value per group, with the same mean.

    Parameters
    ----------
    values : ndarray of shape (n,)
        From `low` to `low` + `span`.
    groups : ndarray of int of shape (n,)
        Group of every sample.
    low, span : float
        Range of a value.

    Returns
    -------
    tuple of ndarray and float
        Values of groups, less `low`, and the range of these: larger where some
        groups weigh more than others.
    """
    number = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(number)
    scale = float(sizes.size) / values.size
    totals = np.bincount(number, weights=values - low).astype(np.float64) * scale
    return totals, span * scale * float(sizes.max())
