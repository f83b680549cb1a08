"""What a fast way of permuting must offer for one split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray

__all__ = [
    "ROUNDING",
    "FoldRule",
    "Predicted",
    "all_doubtful",
    "from_scores",
    "indicators",
    "picked",
    "placed",
]

# Sums of some hundred terms lose some of the sixteen digits: what is closer than this
# many units in the last place, on the scale of the sum, is left to the model itself.
ROUNDING = 2**10 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, kw_only=True, eq=False)
class Predicted:
    """Predictions of one split for a block of permutations.

    Attributes
    ----------
    classes : ndarray of shape (b, n_test)
        Predicted class of every test case, by number.
    is_doubtful : ndarray of shape (b,)
        Where rounding could have decided one of them.
    """

    classes: IntArray
    is_doubtful: BoolArray


class FoldRule(Protocol):
    """Predicts the test cases of one split for many permutations at once."""

    def predict(self, orders: IntArray) -> Predicted:
        """Predict.

        Parameters
        ----------
        orders : ndarray of shape (b, n)
            Whose features every case gets, one row per permutation.

        Returns
        -------
        Predicted
            What the model would predict.
        """


def indicators(labels: IntArray, n_classes: int) -> FloatArray:
    """Mark the members of every class.

    Parameters
    ----------
    labels : ndarray of shape (b, n)
        Class numbers.
    n_classes : int
        How many classes there are.

    Returns
    -------
    ndarray of shape (n_classes, b, n)
        One where the case is of the class, zero elsewhere.
    """
    kinds = np.arange(n_classes)[:, None, None]
    marks: FloatArray = (labels[None] == kinds).astype(np.float64)
    return marks


def placed(values: FloatArray, orders: IntArray) -> FloatArray:
    """Give every value to the case whose features are meant.

    Parameters
    ----------
    values : ndarray of shape (n,)
        By case.
    orders : ndarray of shape (b, n)
        Whose features every case gets.

    Returns
    -------
    ndarray of shape (b, n)
        By the owner of the features, so that a matrix product with them will do.
    """
    found = np.empty(orders.shape)
    np.put_along_axis(found, orders, np.broadcast_to(values, orders.shape), axis=1)
    return found


def picked(values: FloatArray, cases: IntArray) -> FloatArray:
    """Take the values of some cases, row by row."""
    found: FloatArray = np.take_along_axis(values, cases, axis=1)
    return found


def all_doubtful(n_permutations: int, n_test: int) -> Predicted:
    """Leave every permutation of a split to the model itself."""
    return Predicted(
        classes=np.zeros((n_permutations, n_test), dtype=np.int64),
        is_doubtful=np.ones(n_permutations, dtype=np.bool_),
    )


def from_scores(scores: FloatArray, band: FloatArray | float) -> Predicted:
    """Choose the class with the highest score, and doubt what is close.

    Parameters
    ----------
    scores : ndarray of shape (n_classes, b, n_test)
        One score per class.
    band : float or ndarray of shape (b,)
        Differences no larger than this may be due to rounding.

    Returns
    -------
    Predicted
        The choice.
    """
    classes = scores.argmax(axis=0)
    two = np.partition(scores, scores.shape[0] - 2, axis=0)[-2:]
    gap = (two[1] - two[0]).min(axis=1)
    # Written so that a NaN is doubtful as well.
    return Predicted(classes=classes, is_doubtful=~(gap > band))
