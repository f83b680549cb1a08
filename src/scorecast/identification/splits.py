"""Random test sets of whole stimuli or groups; one split fitted and tested."""

from __future__ import annotations

import copy
import hashlib
import inspect
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from scorecast._core.checks import check_share, check_times
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError
from scorecast.identification.regression import Matrix
from scorecast.scores import Ranking, Recogniser, Scores

_FEWEST = 2  # stimuli in training and in test
_HEX_DIGITS = 16  # of a fingerprint: 64 bits


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
        problem = f"{len(names)} groups for {stimuli.shape[0]} rows of stimuli"
        raise InvalidInputError(problem, parameter="groups")
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    of_row = np.array([numbers[name] for name in names])
    return StimulusSets(
        first=first,
        stimulus=stimulus,
        group=_joined(stimulus, of_row, first.size),
        is_grouped=True,
    )


def _joined(stimulus: IntArray, of_row: IntArray, n_stimuli: int) -> IntArray:
    """Return the group of every stimulus; one that is in two joins them."""
    n_nodes = n_stimuli + int(of_row.max()) + 1
    links = (np.ones(stimulus.size), (stimulus, n_stimuli + of_row))
    graph = scipy.sparse.coo_array(links, shape=(n_nodes, n_nodes))
    components = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    group = np.unique(components[:n_stimuli], return_inverse=True)[1]
    return np.asarray(group, dtype=np.int64)


def draw_splits(
    sets: StimulusSets, test_size: float, n_splits: int, rng: np.random.Generator
) -> list[Split]:
    """Draw test sets at random, groups whole; each draws anew from all stimuli.

    Raises
    ------
    InsufficientDataError
        If training or test would be left with fewer than two stimuli.
    """
    share = check_share(test_size, "test_size", is_open=True)
    return [_draw(sets, share, rng) for _ in range(check_times(n_splits, "n_splits"))]


def _draw(sets: StimulusSets, test_size: float, rng: np.random.Generator) -> Split:
    wanted = max(_FEWEST, round(test_size * sets.n_stimuli))
    sizes = np.bincount(sets.group)
    order = rng.permutation(sizes.size)
    upto = int(np.searchsorted(np.cumsum(sizes[order]), wanted)) + 1
    is_test = np.isin(sets.group, order[:upto])
    n_test = int(is_test.sum())
    if n_test < _FEWEST or sets.n_stimuli - n_test < _FEWEST:
        raise _cannot_split(sets, sizes.size)
    return Split(is_test=is_test)


def _cannot_split(sets: StimulusSets, n_groups: int) -> InsufficientDataError:
    where = whole = ""
    if sets.is_grouped:
        where = f" in {n_groups} groups" if n_groups > 1 else " in one group"
        whole = ", groups whole"
    problem = (
        f"{sets.n_stimuli} distinct stimuli{where} cannot be split into training and "
        f"test with at least {_FEWEST} in each{whole}"
    )
    if sets.n_stimuli < 2 * _FEWEST:
        remedy = "give more stimuli"
        return InsufficientDataError(problem, parameter="stimuli", remedy=remedy)
    what = "groups" if sets.is_grouped else "stimuli"
    remedy = f"give more {what}, or test another share"
    return InsufficientDataError(
        problem, parameter="stimuli", remedy=remedy, option="test_size"
    )


def constant_columns(values: Matrix) -> BoolArray:
    """Find columns that never change, but for rounding."""
    low, high = values.min(axis=0), values.max(axis=0)
    size = np.maximum(np.abs(low), np.abs(high))
    flat: BoolArray = high - low <= 4 * np.finfo(np.float64).eps * size
    return flat


# --- one split -----------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitTest:
    """What testing one split needs.

    Attributes
    ----------
    model : object with ``fit`` and ``log_posterior``
        Copied before it is fitted.
    stimuli, responses : ndarray
        All rows, which belong together.
    drops_constant : bool
        Whether columns that are constant in the training part are left out.
    sets : StimulusSets
        Which rows show the same stimulus, and which stimuli belong together.
    split : Split
        What is tested.
    """

    model: Any
    stimuli: FloatArray
    responses: Matrix
    drops_constant: bool
    sets: StimulusSets
    split: Split


def run_split(task: SplitTest, rng: np.random.Generator) -> tuple[Ranking, FloatArray]:
    """Fit on the training part and rank the tested stimuli for each tested response.

    Returns the ranks of the right stimuli, and the scores of all tested ones. A model
    brings its own random state: `rng` is not used.
    """
    del rng
    sets, split = task.sets, task.split
    is_test = split.is_test[sets.stimulus]
    model = copy.deepcopy(task.model)
    kept = np.ones(task.responses.shape[1], dtype=np.bool_)
    if task.drops_constant:
        # Of columns that only the test would see change nothing is learned.
        kept = ~constant_columns(task.responses[~is_test])
    _fit(model, task, ~is_test, kept)
    # Equal candidates are scored once: computed apart they would not tie exactly.
    candidates, which = np.unique(
        task.stimuli[sets.first[split.tested]], axis=0, return_inverse=True
    )
    scores = np.asarray(
        model.log_posterior(task.responses[is_test][:, kept], candidates)
    )
    scores = scores[:, which.ravel()]
    place = np.full(sets.n_stimuli, -1)
    place[split.tested] = np.arange(split.tested.size)
    own: IntArray = place[sets.stimulus[is_test]]
    data = Scores(scores, own.tolist(), classes=range(split.tested.size))
    # Stimuli that belong together are left out together.
    group = np.unique(sets.group[split.is_test], return_inverse=True)[1]
    above, tied = data.competitor_counts(group, int(group.max()) + 1)
    return Ranking(above=above, tied=tied, own=data.own, group=group), scores


def _fit(model: Any, task: SplitTest, chosen: BoolArray, kept: BoolArray) -> None:
    """Fit a model; one that tunes itself by groups is told which rows are together."""
    together = {}
    is_plain = task.sets.n_groups == task.stimuli.shape[0]
    if not is_plain and "groups" in inspect.signature(model.fit).parameters:
        together["groups"] = task.sets.group[task.sets.stimulus[chosen]]
        _refuse_one_group(together["groups"], task.sets)
    model.fit(task.stimuli[chosen], task.responses[chosen][:, kept], **together)


def _refuse_one_group(groups: IntArray, sets: StimulusSets) -> None:
    """Stop where a model that is tuned by leaving out groups gets a single one."""
    if not sets.is_grouped or np.unique(groups).size > 1:
        return
    n_tested = sets.n_groups - 1
    raise InsufficientDataError(
        f"of {sets.n_groups} groups {n_tested} {'is' if n_tested == 1 else 'are'} "
        "tested, and one is left to train on; the model tunes itself by leaving out "
        "groups and needs two",
        parameter="groups",
        remedy="give more groups, or test a smaller share",
        option="test_size",
    )


# --- what was tested -----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TestedStimuli:
    """Fingerprints of the stimuli that were tested.

    Decoders are compared stimulus by stimulus only if these are the same: replicates
    say nothing of which stimulus was left out, and two answers with as many of them may
    be of different stimuli, or of the same in other splits or in another order.

    Attributes
    ----------
    units : str
        Of which rows or names were tested in each split, in order, and which belong
        together.
    features : str
        Of the features of the stimuli; empty for given scores.
    """

    __test__ = False  # no test of pytest

    units: str
    features: str = ""

    @classmethod
    def in_splits(
        cls, sets: StimulusSets, splits: Sequence[Split], stimuli: FloatArray
    ) -> TestedStimuli:
        """Describe random splits of rows."""
        parts = [sets.stimulus, sets.group, *(split.tested for split in splits)]
        whole = [np.ascontiguousarray(part, dtype="<i8").tobytes() for part in parts]
        return cls(
            units=_fingerprint(whole),
            features=_fingerprint([np.ascontiguousarray(stimuli + 0.0).tobytes()]),
        )

    @classmethod
    def of_scores(cls, data: Recogniser) -> TestedStimuli:
        """Describe the stimuli that given scores have responses of, by their names."""
        names = [str(data.classes[i]).encode() for i in np.unique(data.own)]
        return cls(units=_fingerprint(names))


def _fingerprint(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        # With its length: "a", "bc" is not "ab", "c".
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:_HEX_DIGITS]
