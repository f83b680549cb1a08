"""Features and targets, checked once, as every part of an assessment needs them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError
from scorecast.guarantees.tables import (
    check_features,
    first_missing,
    is_table,
    numbers_of,
    rows_of,
)

__all__ = ["TASKS", "Problem", "check_problem"]

TASKS = ("classification", "regression")


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """What a model is to learn.

    Attributes
    ----------
    X : ndarray or data frame of shape (n, m)
        Features.
    y : ndarray of shape (n,)
        Targets as the estimator sees them: labels, or numbers.
    codes : ndarray of shape (n,)
        For classification, the number of the class of every case; else empty.
    task : str
        ``"classification"`` or ``"regression"``.
    classes : tuple
        The labels, sorted; empty for regression.
    groups : ndarray of int or None
        Group of every case, such as a patient.
    """

    X: Any
    y: NDArray[Any]
    codes: IntArray
    task: str
    classes: tuple[Hashable, ...] = ()
    groups: IntArray | None = None

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.X.shape[0])

    @property
    def m(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def is_classification(self) -> bool:
        """Whether targets are classes."""
        return self.task == "classification"

    @property
    def truth(self) -> FloatArray | IntArray:
        """Targets as losses see them: codes of classes, or numbers."""
        return self.codes if self.is_classification else self.y

    @property
    def class_counts(self) -> IntArray:
        """Cases of every class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def features(self, rows: IntArray) -> Any:
        """Return the features of some cases, in the form they came in."""
        return rows_of(self.X, rows)

    def matrix(self) -> NDArray[Any] | None:
        """Return the features as numbers; None if some are missing or are none."""
        if not is_table(self.X):
            return None if first_missing(self.X) else np.asarray(self.X)
        # Models keep single precision where all columns have it; numbers here do not.
        single = all(str(kind) == "float32" for kind in self.X.dtypes)
        numbers = numbers_of(self.X)
        whole = numbers.shape == self.X.shape and np.isfinite(numbers).all()
        return numbers if whole and not single else None

    def n_repeated(self) -> int:
        """Count cases whose features are those of another."""
        if is_table(self.X):
            return int(self.X.duplicated().sum())
        counts = np.unique(self.X, axis=0, return_counts=True)[1]
        return int((counts - 1).sum())

    def with_features(self, X: Any) -> Self:
        """Return the same targets with other features."""
        return replace(self, X=X)


def check_problem(
    X: Any,
    y: Iterable[Any],
    *,
    task: str = "classification",
    groups: Iterable[Hashable] | None = None,
) -> Problem:
    """Turn features and targets into a problem, or say what is wrong.

    Parameters
    ----------
    X : data frame or array-like of shape (n, m)
        Features: finite numbers, or missing; in a frame, anything the model takes.
    y : iterable of length n
        Labels of classes, or numbers.
    task : {"classification", "regression"}, default="classification"
        What `y` holds.
    groups : iterable of hashable, optional
        Group of every case.

    Returns
    -------
    Problem
        Ready to be split.

    Raises
    ------
    InvalidInputError
        If lengths differ or targets cannot be used.
    InsufficientDataError
        If there is one class only, or fewer than four cases.

    Examples
    --------
    >>> check_problem([[1], [2], [3], [4]], ["b", "a", "b", "a"]).classes
    ('a', 'b')
    """
    check_choice(task, "task", TASKS)
    features = check_features(X)
    if y is None or isinstance(y, str) or not hasattr(y, "__iter__"):
        msg = f"y must hold one target per row of X; got {y!r}."
        raise InvalidInputError(msg)
    target = np.asarray(y if isinstance(y, np.ndarray) else list(y))
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.ndim != 1 or target.shape[0] != features.shape[0]:
        hint = " X looks transposed." if target.shape[:1] == features.shape[1:] else ""
        msg = (
            f"y must hold one target per row of X: {features.shape[0]} rows, but y "
            f"has shape {target.shape}.{hint}"
        )
        raise InvalidInputError(msg)
    if features.shape[0] < 4:
        msg = f"{features.shape[0]} cases are too few to learn and to test; 4 at least."
        raise InsufficientDataError(msg)
    codes = np.empty(0, dtype=np.int64)
    classes: tuple[Hashable, ...] = ()
    if task == "classification":
        target, codes, classes = _check_labels(target)
    else:
        target = _check_numbers(target)
    return Problem(
        X=features,
        y=target,
        codes=codes,
        task=task,
        classes=classes,
        groups=_check_groups(groups, features.shape[0]),
    )


def _check_labels(
    target: NDArray[Any],
) -> tuple[NDArray[Any], IntArray, tuple[Hashable, ...]]:
    if target.dtype.kind == "f":
        if not np.isfinite(target).all() or (target != np.floor(target)).any():
            msg = (
                "y holds numbers that are not whole or not finite: for classes give "
                "labels, for numbers a regressor, such as ridge, lasso or "
                "forest-regressor."
            )
            raise InvalidInputError(msg)
        target = target.astype(np.int64)
    if target.dtype == object:
        # As text, what is missing would be a class of its own.
        lost = [i for i, x in enumerate(target) if x is None or x != x]
        if lost:
            msg = (
                f"y lacks {len(lost)} labels, the first at row {lost[0] + 1}: fill "
                "them in or leave those cases out."
            )
            raise InvalidInputError(msg)
        target = target.astype(str)
    if target.dtype == bool:
        target = target.astype(np.int64)
    values, codes = np.unique(target, return_inverse=True)
    if values.size < 2:
        msg = f"y holds one class only ({values[0]!s}): there is nothing to tell apart."
        raise InsufficientDataError(msg)
    if values.size > target.size / 2:
        msg = (
            f"y holds {values.size} different values for {target.size} cases: most "
            "have one case. Give classes, or use a regressor, such as ridge, lasso or "
            "forest-regressor."
        )
        raise InvalidInputError(msg)
    return target, codes.astype(np.int64), tuple(values.tolist())


def _check_numbers(target: NDArray[Any]) -> FloatArray:
    if target.dtype.kind not in "fiub":
        msg = f"y must hold numbers for a regressor; got dtype {target.dtype}."
        raise InvalidInputError(msg)
    numbers = target.astype(np.float64)
    if not np.isfinite(numbers).all():
        first = int(np.argmin(np.isfinite(numbers)))
        msg = f"y must be finite; row {first + 1} is {numbers[first]}."
        raise InvalidInputError(msg)
    if np.ptp(numbers) == 0:
        msg = f"y is {numbers[0]:g} in every row: there is nothing to learn."
        raise InsufficientDataError(msg)
    return numbers


def _check_groups(groups: Iterable[Hashable] | None, n: int) -> IntArray | None:
    if groups is None:
        return None
    given = list(groups) if hasattr(groups, "__iter__") else []
    if len(given) != n:
        msg = f"{len(given)} groups for {n} rows of X: give one per row."
        raise InvalidInputError(msg)
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(group, len(numbers)) for group in given]
    if len(numbers) < 2:
        msg = "All cases belong to one group: there is no way to split them."
        raise InsufficientDataError(msg)
    return np.array(codes, dtype=np.int64)
