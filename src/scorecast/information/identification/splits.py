"""Random test sets of whole stimuli, or of whole groups of stimuli."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = ["Split", "StimulusSets", "draw_splits", "stimulus_sets"]

_FEWEST = 2  # stimuli in training and in test


@dataclass(frozen=True, kw_only=True, eq=False)
class StimulusSets:
    """Which responses belong to the same stimulus, and which stimuli together.

    Attributes
    ----------
    first : ndarray of int64
        Row of the first occurrence of every distinct stimulus.
    stimulus : ndarray of int64
        Distinct stimulus of every row.
    group : ndarray of int64
        Group of every distinct stimulus; one each where there are no groups.
    is_grouped : bool
        Whether groups were given.
    """

    first: IntArray
    stimulus: IntArray
    group: IntArray
    is_grouped: bool

    @property
    def n_stimuli(self) -> int:
        """Number of distinct stimuli."""
        return int(self.first.size)

    @property
    def n_groups(self) -> int:
        """Number of groups of stimuli."""
        return int(self.group.max()) + 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """One division into training and test.

    Attributes
    ----------
    is_test : ndarray of bool
        Which distinct stimuli are tested.
    """

    is_test: BoolArray

    @property
    def tested(self) -> IntArray:
        """The distinct stimuli that are tested."""
        return np.flatnonzero(self.is_test)


def stimulus_sets(
    stimuli: FloatArray, groups: Iterable[Hashable] | None, *, merge: bool = True
) -> StimulusSets:
    """Find rows with the same stimulus, and stimuli that must stay together.

    Parameters
    ----------
    stimuli : ndarray of shape (n, p)
        One row per response. Rows that are equal are one stimulus shown repeatedly:
        one candidate with several responses.
    groups : iterable of hashable, optional
        Group of every row. A stimulus that occurs in several joins them.
    merge : bool, default=True
        False if every row is a stimulus by itself, equal or not.

    Returns
    -------
    StimulusSets
        The sets.

    Raises
    ------
    InvalidInputError
        If there is not one group per row.
    """
    rows = stimuli if merge else np.arange(stimuli.shape[0])[:, None]
    _, first, stimulus = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    # In order of appearance, so that results do not depend on the values.
    order = np.argsort(first)
    place = np.argsort(order)
    stimulus = place[stimulus.ravel()]
    first = first[order]
    if groups is None:
        alone = np.arange(first.size)
        return StimulusSets(
            first=first, stimulus=stimulus, group=alone, is_grouped=False
        )
    names = list(groups)
    if len(names) != stimuli.shape[0]:
        msg = f"{len(names)} groups for {stimuli.shape[0]} rows of stimuli."
        raise InvalidInputError(msg)
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    of_row = np.array([numbers[name] for name in names])
    return StimulusSets(
        first=first,
        stimulus=stimulus,
        group=_joined(stimulus, of_row, first.size),
        is_grouped=True,
    )


def _joined(stimulus: IntArray, of_row: IntArray, n_stimuli: int) -> IntArray:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_nodes = n_stimuli + int(of_row.max()) + 1
    links = (np.ones(stimulus.size), (stimulus, n_stimuli + of_row))
    graph = coo_array(links, shape=(n_nodes, n_nodes))
    component = connected_components(graph, directed=False)[1][:n_stimuli]
    group: IntArray = np.unique(component, return_inverse=True)[1].astype(np.int64)
    return group


def draw_splits(
    sets: StimulusSets, test_size: float, n_splits: int, rng: np.random.Generator
) -> list[Split]:
    """Draw test sets at random, groups whole.

    Parameters
    ----------
    sets : StimulusSets
        What belongs together.
    test_size : float
        Share of the stimuli to test, strictly between 0 and 1.
    n_splits : int
        Number of test sets.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    list of Split
        The test sets; each draws anew from all stimuli.

    Raises
    ------
    UsageError
        If an argument is out of range.
    InsufficientDataError
        If training or test would be left with fewer than two stimuli.
    """
    if not 0 < test_size < 1:
        msg = f"`test_size` must lie strictly between 0 and 1; got {test_size!r}."
        raise UsageError(msg)
    if n_splits < 1 or int(n_splits) != n_splits:
        msg = f"`n_splits` must be a whole number from 1; got {n_splits!r}."
        raise UsageError(msg)
    return [_draw(sets, test_size, rng) for _ in range(n_splits)]


def _draw(sets: StimulusSets, test_size: float, rng: np.random.Generator) -> Split:
    wanted = max(_FEWEST, round(test_size * sets.n_stimuli))
    sizes = np.bincount(sets.group)
    order = rng.permutation(sizes.size)
    upto = int(np.searchsorted(np.cumsum(sizes[order]), wanted)) + 1
    is_test = np.isin(sets.group, order[:upto])
    n_test = int(is_test.sum())
    if n_test < _FEWEST or sets.n_stimuli - n_test < _FEWEST:
        where = ""
        if sets.is_grouped:
            where = f" in {sizes.size} groups" if sizes.size > 1 else " in one group"
        msg = (
            f"{sets.n_stimuli} distinct stimuli{where} cannot be "
            f"split into training and test with at least {_FEWEST} in each"
            f"{', groups whole' if sets.is_grouped else ''}. {_way_out(sets)}"
        )
        raise InsufficientDataError(msg)
    return Split(is_test=is_test)


def _way_out(sets: StimulusSets) -> str:
    """Say what would leave enough on both sides."""
    if sets.n_stimuli < 2 * _FEWEST:
        return "Give more stimuli."
    what = "groups" if sets.is_grouped else "stimuli"
    return f"Give more {what}, or test another share (test_size, --test-size)."
