"""One split of an identification task: fit on one part, test on the other."""

from __future__ import annotations

import copy
import inspect
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError
from scorecast.information.identification.samples import Matrix, constant_columns
from scorecast.information.identification.splits import Split, StimulusSets
from scorecast.scores import Ranking, Scores

__all__ = ["Encoder", "SplitTest", "run_split"]


class Encoder(Protocol):
    """What a model of responses given stimuli must be able to do."""

    def fit(self, stimuli: FloatArray, responses: Matrix) -> Self:
        """Learn from training stimuli and responses."""

    def log_posterior(self, responses: Matrix, candidates: FloatArray) -> FloatArray:
        """Score candidates (columns) for responses (rows), greater is better."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitTest:
    """What testing one split needs.

    Attributes
    ----------
    model : Encoder
        Copied before it is fitted.
    stimuli, responses : ndarray
        All rows, which belong together.
    varying_only : bool
        Whether columns that are constant in the training part are left out.
    sets : StimulusSets
        Which rows show the same stimulus, and which stimuli belong together.
    split : Split
        What is tested.
    """

    model: Encoder
    stimuli: FloatArray
    responses: Matrix
    varying_only: bool
    sets: StimulusSets
    split: Split


def run_split(task: SplitTest, rng: np.random.Generator) -> tuple[Ranking, FloatArray]:
    """Fit on the training part and rank the tested stimuli for each tested response.

    Parameters
    ----------
    task : SplitTest
        The split.
    rng : Generator
        Not used: a model brings its own random state.

    Returns
    -------
    tuple of Ranking and ndarray of float64
        Ranks of the right stimuli, and the scores of all tested ones.
    """
    del rng
    sets, split = task.sets, task.split
    is_test = split.is_test[sets.stimulus]
    model = copy.deepcopy(task.model)
    kept = _kept_columns(task, ~is_test)
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


def _kept_columns(task: SplitTest, chosen: BoolArray) -> BoolArray:
    """Drop columns that only the test would see change: nothing is learned of them."""
    if not task.varying_only:
        return np.ones(task.responses.shape[1], dtype=np.bool_)
    return ~constant_columns(task.responses[chosen])


def _fit(model: Encoder, task: SplitTest, chosen: BoolArray, kept: BoolArray) -> None:
    """Fit a model; one that tunes itself by groups is told which rows are together."""
    together = {}
    is_plain = task.sets.n_groups == task.stimuli.shape[0]
    if not is_plain and "groups" in inspect.signature(model.fit).parameters:
        together["groups"] = task.sets.group[task.sets.stimulus[chosen]]
        _refuse_one_group(together["groups"], task.sets)
    responses = task.responses[chosen][:, kept]
    model.fit(task.stimuli[chosen], responses, **together)


def _refuse_one_group(groups: IntArray, sets: StimulusSets) -> None:
    """Stop where a model that is tuned by leaving out groups gets a single one."""
    if not sets.is_grouped or np.unique(groups).size > 1:
        return
    tested = sets.n_groups - 1
    msg = (
        f"Of {sets.n_groups} groups {tested} {'is' if tested == 1 else 'are'} tested, "
        "and one is left to train on; the model tunes itself by leaving out groups and "
        "needs two. Give more groups, or test a smaller share (test_size, --test-size)."
    )
    raise InsufficientDataError(msg)
