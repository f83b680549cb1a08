"""What two models gave, in the form that a test takes; nothing given is ignored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.comparison.pair_inputs import PairInputs
from scorecast.exceptions import UsageError

__all__ = ["fitted"]

_OF_CASES = ("bootstrap", "permutation")  # these take a metric and groups themselves
_BY_GROUP = "clustered-t"  # takes groups, of means only
_OF_VALUES = ("wilcoxon", "sign", "paired-t")
_OF_FOLDS = ("corrected-t", "5x2cv-t", "5x2cv-f")


def fitted(given: PairInputs, test: str) -> PairInputs:
    """Turn what is given into the values of a test.

    Parameters
    ----------
    given : PairInputs
        As the caller gave it.
    test : str
        The test.

    Returns
    -------
    PairInputs
        Labels with a truth become right (1) and wrong (0) for tests of values; values
        of a group become their mean.

    Raises
    ------
    UsageError
        If the test could not use a truth, a metric or groups that are given.
    """
    if test in _OF_CASES:
        return given
    if given.metric is not None:
        msg = f"The {test} test takes no `metric`: use 'permutation' or 'bootstrap'."
        raise UsageError(msg)
    if test == _BY_GROUP:
        return _right_or_values(given, test)
    if test in _OF_FOLDS:
        _refuse_for_folds(given, test)
        return given
    if test in _OF_VALUES:
        return _averaged(_right_or_values(given, test))
    if given.groups is not None:
        way = " with `metric` auc"
        msg = (
            f"The {test} test cannot allow for `groups`: use 'permutation' or "
            f"'bootstrap'{way if test == 'delong' else ''}."
        )
        raise UsageError(msg)
    return given


def _refuse_for_folds(given: PairInputs, test: str) -> None:
    for name, value in (("y_true", given.truth), ("groups", given.groups)):
        if value is not None:
            msg = (
                f"The {test} test compares one result per fold, so that `{name}` has "
                "no use: leave it out, or compare cases by 'permutation'."
            )
            raise UsageError(msg)


def _right_or_values(given: PairInputs, test: str) -> PairInputs:
    if given.truth is None:
        return given
    if not given.are_labels:
        msg = (
            f"The {test} test does not know how predictions that are numbers compare "
            "with `y_true`: name a `metric`, such as mse or auc, or give losses of "
            "single cases."
        )
        raise UsageError(msg)
    first, second = (x.astype(np.float64) for x in given.right())
    return replace(given, first=first, second=second, truth=None)


def _averaged(given: PairInputs) -> PairInputs:
    if given.groups is None:
        return given
    unit = given.units
    sizes = np.bincount(unit)

    def means(values: FloatArray) -> FloatArray:
        found: FloatArray = np.bincount(unit, weights=values) / sizes
        return found

    first, second = means(given.first_numbers), means(given.second_numbers)
    return replace(given, first=first, second=second, shape=first.shape, groups=None)
