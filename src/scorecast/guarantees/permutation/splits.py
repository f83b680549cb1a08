"""Which cases train and which are tested, the same for every permutation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = ["CaseSplit", "read_splits"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseSplit:
    """One division of the cases.

    Attributes
    ----------
    train, test : ndarray of int64
        Their numbers, from zero.
    """

    train: IntArray
    test: IntArray


def read_splits(
    splits: Any,
    X: FloatArray,
    y: NDArray[Any],
    groups: Sequence[Hashable] | None,
    *,
    is_classifier: bool,
) -> list[CaseSplit]:
    """Turn a number of folds, a splitter or pairs of index arrays into splits.

    Parameters
    ----------
    splits : int, splitter or iterable of (train, test)
        What the caller passed.
    X : ndarray of shape (n, m)
        The features.
    y : ndarray of shape (n,)
        The labels.
    groups : sequence, optional
        Group of every case, for splitters that keep groups together.
    is_classifier : bool
        Whether a number of folds means stratified ones.

    Returns
    -------
    list of CaseSplit
        At least one.

    Raises
    ------
    UsageError
        If `splits` is none of these.
    InsufficientDataError
        If there are too few cases for so many folds.
    """
    from sklearn.model_selection import check_cv

    try:
        splitter = check_cv(splits, y, classifier=is_classifier)
    except (TypeError, AttributeError, ValueError) as error:
        msg = (
            "`splits` must be a number of folds, a splitter of scikit-learn, or pairs "
            f"of index arrays; got {type(splits).__name__}."
        )
        raise UsageError(msg) from error
    try:
        pairs = list(splitter.split(X, y, groups))
    except (TypeError, ValueError) as error:
        msg = f"These cases cannot be split so: {error}"
        raise InsufficientDataError(msg) from error
    if not pairs:
        msg = "`splits` is empty; give at least one pair of training and test cases."
        raise UsageError(msg)
    return [_checked(i, pair, X.shape[0]) for i, pair in enumerate(pairs, start=1)]


def _checked(number: int, pair: Iterable[Any], n: int) -> CaseSplit:
    train, test = (_indices(part, n, number) for part in pair)
    if np.intersect1d(train, test).size:
        msg = f"Split {number} tests cases that it was trained on."
        raise InvalidInputError(msg)
    return CaseSplit(train=train, test=test)


def _indices(part: Any, n: int, number: int) -> IntArray:
    array = np.asarray(part)
    if array.dtype == np.bool_ and array.shape == (n,):
        array = np.flatnonzero(array)
    whole = array.ndim == 1 and array.size > 0 and array.dtype.kind in "iu"
    if not whole or array.min() < 0 or array.max() >= n:
        msg = (
            f"Split {number} must hold numbers of cases between 0 and {n - 1}, "
            "at least one to train and one to test."
        )
        raise InvalidInputError(msg)
    return array.astype(np.int64)
