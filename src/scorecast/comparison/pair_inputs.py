"""Values of two models, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.evaluation import placements
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = ["PairInputs", "check_names", "check_pair"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PairInputs:
    """Values of two models, in the same order.

    Attributes
    ----------
    first, second : ndarray of shape (n,)
        Values, predictions or scores.
    shape : tuple of int
        As they were given.
    truth, groups : ndarray of shape (n,) or None
        What is true; what belongs together.
    metric : callable or None
        From truth and predictions to a number.
    """

    first: NDArray[Any]
    second: NDArray[Any]
    shape: tuple[int, ...]
    truth: NDArray[Any] | None
    groups: NDArray[Any] | None
    metric: Callable[[Any, Any], float] | None

    @property
    def n(self) -> int:
        """Number of pairs of values."""
        return int(self.first.size)

    @property
    def units(self) -> IntArray:
        """Unit of every case."""
        if self.groups is None:
            return np.arange(self.n)
        return np.unique(self.groups, return_inverse=True)[1].astype(np.int64)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.units.max()) + 1

    @property
    def is_five_by_two(self) -> bool:
        """Whether they are five repetitions of two folds."""
        return self.shape == (5, 2)

    @property
    def are_labels(self) -> bool:
        """Whether values are right or wrong, or names of classes."""
        both = (self.first, self.second)
        if self.truth is None:
            return all(
                x.dtype.kind in "fiub" and np.isin(x, (0, 1)).all() for x in both
            )
        if any(x.dtype.kind not in "fiub" for x in both):
            return True
        return all(_are_classes(x, self.truth) for x in both)

    @property
    def strange(self) -> list[str]:
        """Labels that were predicted and that the truth lacks."""
        if self.truth is None or not self.are_labels:
            return []
        said = np.concatenate([self.first, self.second])
        return [str(x) for x in np.unique(said[~np.isin(said, self.truth)])]

    @property
    def first_numbers(self) -> FloatArray:
        """The first model's values as numbers."""
        return _numbers(self.first, "a")

    @property
    def second_numbers(self) -> FloatArray:
        """The second model's values as numbers."""
        return _numbers(self.second, "b")

    def right(self) -> tuple[BoolArray, BoolArray]:
        """Return whether each model is right on each case."""
        if self.truth is not None:
            if not _comparable(self.truth, self.first, self.second):
                msg = "`y_true` and the predictions hold labels of different types."
                raise InvalidInputError(msg)
            if any(
                _has_fractions(x) and not np.isin(x, self.truth).all()
                for x in (self.first, self.second)
            ):
                msg = (
                    "McNemar's test needs labels; predictions that are numbers need a "
                    "`metric`."
                )
                raise UsageError(msg)
            return self.truth == self.first, self.truth == self.second
        both = (self.first_numbers, self.second_numbers)
        if not all(np.isin(x, (0, 1)).all() for x in both):
            msg = "McNemar's test needs right or wrong (0 and 1), or `y_true`."
            raise InvalidInputError(msg)
        return both[0] == 1, both[1] == 1

    def positive(self) -> BoolArray:
        """Return which cases are of the second of two classes.

        Returns
        -------
        ndarray of bool
            True for the class that sorts last.

        Raises
        ------
        UsageError
            If there is no truth.
        InvalidInputError
            If there are not two classes.
        InsufficientDataError
            If a class has fewer than two cases.
        """
        if self.truth is None:
            msg = "DeLong's test needs `y_true`, and scores of the positive class."
            raise UsageError(msg)
        classes, codes = np.unique(self.truth, return_inverse=True)
        if classes.size > 2:
            msg = f"DeLong's test is for two classes; `y_true` has {classes.size}."
            raise InvalidInputError(msg)
        counts = np.bincount(codes, minlength=2)
        if classes.size < 2 or counts.min() < 2:
            msg = (
                "DeLong's test needs at least 2 cases of each of two classes; the "
                f"smaller has {int(counts.min())}."
            )
            raise InsufficientDataError(msg)
        positive: BoolArray = codes == 1
        return positive

    def values(self, test: str) -> tuple[FloatArray, FloatArray] | None:
        """Return the values that effect sizes are about.

        Parameters
        ----------
        test : str
            The test.

        Returns
        -------
        tuple of ndarray or None
            Right and wrong as 1 and 0; for areas, the share of the other class that
            each case is rightly ordered with; the values themselves otherwise. None
            with a metric, which says nothing of single cases.
        """
        if test == "delong":
            positive = self.positive()
            both = (self.first_numbers, self.second_numbers)
            first, second = (placements(positive, scores) for scores in both)
            return first, second
        if self.metric is not None:
            return None
        labels = test.startswith("mcnemar") or (
            self.truth is not None and self.are_labels
        )
        if labels:
            right_a, right_b = self.right()
            return right_a.astype(np.float64), right_b.astype(np.float64)
        return self.first_numbers, self.second_numbers


def check_pair(
    a: ArrayLike,
    b: ArrayLike,
    *,
    y_true: ArrayLike | None,
    groups: ArrayLike | None,
    metric: Callable[[Any, Any], float] | None,
) -> PairInputs:
    """Check what is given of two models.

    Parameters
    ----------
    a, b : array-like
        Values of both.
    y_true, groups : array-like of shape (n,), optional
        What is true; what belongs together.
    metric : callable, optional
        From truth and predictions to a number.

    Returns
    -------
    PairInputs
        As vectors.

    Raises
    ------
    InvalidInputError
        If they differ in shape, are empty or hold NaN.
    UsageError
        If there is a metric but no truth.
    """
    first, second = np.asarray(a), np.asarray(b)
    if first.shape != second.shape or first.size == 0 or first.ndim > 2:
        msg = (
            f"`a` and `b` must hold as many values, in the same order; got shapes "
            f"{first.shape} and {second.shape}."
        )
        raise InvalidInputError(msg)
    if metric is not None and y_true is None:
        msg = "A `metric` compares predictions with `y_true`, which is missing."
        raise UsageError(msg)
    n, shape = first.size, first.shape
    first, second = first.ravel(), second.ravel()
    for values, name in ((first, "a"), (second, "b")):
        _refuse_missing(values, name)
    return PairInputs(
        first=first,
        second=second,
        shape=shape,
        truth=_vector(y_true, "y_true", n),
        groups=_vector(groups, "groups", n),
        metric=metric,
    )


def _vector(values: ArrayLike | None, name: str, n: int) -> NDArray[Any] | None:
    if values is None:
        return None
    vector = np.asarray(values)
    if vector.shape != (n,):
        msg = (
            f"`{name}` must hold one entry for each of {n} values; got {vector.shape}."
        )
        raise InvalidInputError(msg)
    _refuse_missing(vector, name)
    return vector


def _refuse_missing(values: NDArray[Any], name: str) -> None:
    """Refuse NaN and None: what is unknown is neither right nor wrong."""
    if values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype.kind == "O":
        missing = np.array([x is None or x != x for x in values], dtype=bool)
    else:
        return
    if missing.any():
        msg = (
            f"`{name}` lacks {int(missing.sum())} value(s); the first is value "
            f"{int(np.argmax(missing)) + 1}. Remove those cases from all that is given."
        )
        raise InvalidInputError(msg)


def check_names(names: object) -> tuple[str, str]:
    """Return the names of two models.

    Parameters
    ----------
    names : sequence of str
        What the caller passed.

    Returns
    -------
    tuple of str
        Both.

    Raises
    ------
    UsageError
        If there are not two different ones.
    """
    several = isinstance(names, list | tuple)
    texts = [str(x) for x in names] if isinstance(names, list | tuple) else []
    if not several or len(texts) != 2 or texts[0] == texts[1] or not all(texts):
        msg = f"`names` must be two different names, such as ('a', 'b'); got {names!r}."
        raise UsageError(msg)
    return texts[0], texts[1]


def _numbers(values: NDArray[Any], name: str) -> FloatArray:
    if values.dtype.kind not in "fiub":
        msg = f"`{name}` must hold numbers for this test; got dtype {values.dtype}."
        raise InvalidInputError(msg)
    numbers: FloatArray = values.astype(np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        place = int(np.argmax(bad)) + 1
        msg = (
            f"`{name}` has {int(bad.sum())} value(s) that are not finite; the first is "
            f"value {place}. Remove those pairs."
        )
        raise InvalidInputError(msg)
    return numbers


def _are_classes(values: NDArray[Any], truth: NDArray[Any]) -> bool:
    """Tell labels from scores: a class may be absent from the truth, but not most."""
    known = np.isin(values, truth)
    if known.all():
        return True
    whole = not _has_fractions(values) and not _has_fractions(truth)
    return whole and float(known.mean()) > 0.5


def _has_fractions(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "f" and bool((values != np.rint(values)).any())


def _comparable(*columns: NDArray[Any]) -> bool:
    kinds = {"text" if c.dtype.kind in "US" else "number" for c in columns}
    return len(kinds) == 1 or any(c.dtype.kind == "O" for c in columns)
