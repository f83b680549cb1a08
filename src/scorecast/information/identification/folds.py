"""Rows that are left out together, so that every row is left out once."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = ["make_folds", "number_groups"]


def number_groups(groups: Iterable[Hashable] | None, n_samples: int) -> IntArray | None:
    """Give every group of samples a number.

    Parameters
    ----------
    groups : iterable of hashable or None
        Group of each sample.
    n_samples : int
        Number of samples.

    Returns
    -------
    ndarray of int64 or None
        Numbers from 0, in order of first appearance.

    Raises
    ------
    InvalidInputError
        If there is not one group per sample.
    InsufficientDataError
        If all samples are of one group.
    """
    if groups is None:
        return None
    known: dict[Hashable, int] = {}
    numbered = np.array([known.setdefault(g, len(known)) for g in groups], np.int64)
    if numbered.size != n_samples:
        msg = f"There are {numbered.size:,} groups for {n_samples:,} samples."
        raise InvalidInputError(msg)
    if len(known) < 2:
        msg = "All samples are of one group: none can be left out."
        raise InsufficientDataError(msg)
    return numbered


def make_folds(
    cv: Any,
    stimuli: FloatArray,
    groups: IntArray | None,
    random_state: RandomState,
) -> list[IntArray]:
    """Divide the samples into folds.

    Parameters
    ----------
    cv : int, splitter or iterable
        Number of folds, or whatever scikit-learn takes as `cv`.
    stimuli : ndarray of shape (n_samples, n_features)
        Features, for splitters that look at them.
    groups : ndarray of int64 or None
        Group of each sample, never divided if `cv` is a number.
    random_state : int, Generator or None
        Shuffles the samples or groups if `cv` is a number; None leaves neighbours
        together.

    Returns
    -------
    list of ndarray of int64
        Rows of every fold.

    Raises
    ------
    UsageError
        If the folds of a splitter do not cover every row once.
    """
    if isinstance(cv, numbers.Integral):
        return _numbered_folds(int(cv), stimuli.shape[0], groups, random_state)
    from sklearn.model_selection import check_cv

    n = stimuli.shape[0]
    folds, whole = [], True
    for train, test in check_cv(cv).split(stimuli, groups=groups):
        folds.append(np.asarray(test, dtype=np.int64))
        whole &= np.unique(np.concatenate([train, test])).size == n
    seen = np.sort(np.concatenate(folds)) if folds else np.empty(0)
    if not whole or not np.array_equal(seen, np.arange(n)):
        msg = "`cv` must leave out every sample exactly once and train on all others."
        raise UsageError(msg)
    return folds


def _numbered_folds(
    n_folds: int, n_samples: int, groups: IntArray | None, random_state: RandomState
) -> list[IntArray]:
    units = np.arange(n_samples) if groups is None else groups
    n_units = int(units.max()) + 1
    if n_folds < 2:
        msg = f"`cv` must be at least 2 folds; got {n_folds}."
        raise UsageError(msg)
    if n_units < n_folds:
        what = "samples" if groups is None else "groups"
        msg = f"{n_units:,} {what} cannot be divided into {n_folds:,} folds."
        raise InsufficientDataError(msg)
    order = np.arange(n_units)
    if random_state is not None:
        order = as_generator(random_state).permutation(n_units)
    fold_of = np.empty(n_units, dtype=np.int64)
    for fold, members in enumerate(np.array_split(order, n_folds)):
        fold_of[members] = fold
    return [np.flatnonzero(fold_of[units] == fold) for fold in range(n_folds)]
