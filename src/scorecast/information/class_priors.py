"""How likely each class is before any forecast, and where that is known from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.amounts import counted
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    InvalidPriorError,
    UsageError,
)
from scorecast.information.columns import check_column, refuse_outside
from scorecast.scores import label_list

__all__ = ["LEAVE_ONE_OUT", "ClassPrior", "class_prior"]

LEAVE_ONE_OUT = "leave-one-out"
_WAYS = (
    "Say what the forecasts are held against; it is never taken from the cases "
    "themselves unasked: `prior` (one probability per class), `y_train` (labels of the "
    "training cases), or `prior='leave-one-out'`."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassPrior:
    """Prior chance of the class that each case turned out to be.

    Attributes
    ----------
    own : ndarray of float64
        One per case.
    name : str
        Where it comes from, in words.
    """

    own: FloatArray
    name: str


def class_prior(
    own: IntArray,
    classes: Sequence[Hashable],
    *,
    prior: ArrayLike | Mapping[Hashable, float] | str | None = None,
    y_train: Iterable[Hashable] | None = None,
) -> ClassPrior:
    """Work out the prior chance of what each case turned out to be.

    Parameters
    ----------
    own : ndarray of int64
        Class of each case, as a number.
    classes : sequence of hashable
        Labels of the classes.
    prior : array-like, mapping or "leave-one-out", optional
        As for `cases_from_classes`.
    y_train : iterable of hashable, optional
        Labels of the training cases.

    Returns
    -------
    ClassPrior
        Chances and their origin.

    Raises
    ------
    UsageError
        If no prior is stated, or two are.
    InvalidPriorError
        If it is no distribution, or lacks a class.
    InsufficientDataError
        If a class occurs once and its case is to be left out.

    Examples
    --------
    >>> class_prior(np.array([0, 0, 1, 1]), "ab", prior="leave-one-out").own.round(3)
    array([0.333, 0.333, 0.333, 0.333])
    """
    if (prior is None) == (y_train is None):
        raise UsageError(_WAYS)
    if isinstance(prior, str):
        if prior != LEAVE_ONE_OUT:
            raise UsageError(_WAYS)
        return _leave_one_out(own, classes)
    try:
        if y_train is not None:
            return _from_training(own, classes, y_train)
        return _stated(own, classes, prior)
    except InvalidInputError as error:
        # Whoever knows the files can then name that of the prior.
        raise InvalidPriorError(str(error)) from None


def _stated(
    own: IntArray,
    classes: Sequence[Hashable],
    prior: ArrayLike | Mapping[Hashable, float] | None,
) -> ClassPrior:
    if isinstance(prior, Mapping):
        prior = _in_order(prior, classes)
    if np.ndim(np.asarray(prior)) == 0:
        msg = (
            f"The prior must hold the probability of every class ({_named(classes)}), "
            f"in this order or by name; got the one number {prior!r}."
        )
        raise InvalidInputError(msg)
    chance = check_column(np.asarray(prior), "The prior")
    refuse_outside(chance, "The prior")
    if chance.size != len(classes) or abs(chance.sum() - 1) > 1e-6 * chance.size:
        msg = (
            f"The prior must hold {len(classes)} probabilities that add up to one; got "
            f"{chance.size} that add up to {chance.sum():.6g}."
        )
        raise InvalidInputError(msg)
    return ClassPrior(own=chance[own], name="the stated class prior")


def _named(classes: Sequence[Hashable]) -> str:
    return ", ".join(map(str, classes[:5])) + (", ..." if len(classes) > 5 else "")


def _in_order(
    prior: Mapping[Hashable, float], classes: Sequence[Hashable]
) -> list[float]:
    by_text = {str(label): value for label, value in prior.items()}
    missing = [str(c) for c in classes if str(c) not in by_text]
    if missing or len(by_text) != len(classes):
        msg = (
            f"The prior must name every class once: {_named(classes)}; got "
            f"{', '.join(by_text)}."
        )
        raise InvalidInputError(msg)
    return [by_text[str(c)] for c in classes]


def _from_training(
    own: IntArray, classes: Sequence[Hashable], y_train: Iterable[Hashable]
) -> ClassPrior:
    known = {str(c) for c in classes}
    counts = Counter(
        # False and True are the classes 0 and 1, unless classes are called so.
        str(int(x)) if isinstance(x, bool) and str(x) not in known else str(x)
        for x in label_list(y_train)
    )
    total = sum(counts.values())
    if not total:
        msg = "There are no training labels."
        raise InvalidInputError(msg)
    chance = np.array([counts[str(c)] / total for c in classes])
    unseen = np.unique(own[chance[own] == 0])
    if unseen.size:
        msg = (
            f"Class {classes[unseen[0]]!r} occurs among the cases but not among the "
            f"{total:,} training labels, so its prior chance would be zero. State a "
            "prior instead."
        )
        raise InvalidInputError(msg)
    return ClassPrior(own=chance[own], name="class frequencies of the training cases")


def _leave_one_out(own: IntArray, classes: Sequence[Hashable]) -> ClassPrior:
    counts = np.bincount(own, minlength=len(classes))
    alone = np.flatnonzero(counts == 1)
    if alone.size:
        cases, needed = counted(own.size, "cases"), 2 * int((counts > 0).sum())
        fewest = f", {needed} in all" if own.size < needed else ""
        msg = (
            f"Class {classes[alone[0]]!r} occurs once among {cases}, so with its case "
            "left out it would have no chance. Leave-one-out needs at least 2 cases of "
            f"every class that occurs{fewest}; or state a prior, or give training "
            "labels."
        )
        raise InsufficientDataError(msg)
    chance = (counts[own] - 1) / (own.size - 1)
    return ClassPrior(own=chance, name="class frequencies of the other cases")
