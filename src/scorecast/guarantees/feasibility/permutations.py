"""The model on data whose targets no longer belong to their features."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.fitting import fit_and_test
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan

__all__ = ["SCHEMES", "permuted_values", "shuffled_rows"]

SCHEMES = ("all", "train")


def permuted_values(
    estimator: Any,
    problem: Problem,
    plan: Plan,
    loss: Loss,
    *,
    n_permutations: int,
    rng: np.random.Generator,
    run: Run | None = None,
    part: str = "permuted",
    scheme: str = "all",
) -> FloatArray:
    """Fit and test on permuted data, again and again.

    Features are shuffled against targets and splits, which is the same as shuffling
    targets, except that splits drawn by class stay so: what was observed is then one of
    the equally likely outcomes if there is nothing to learn.

    Parameters
    ----------
    estimator : estimator
        The model.
    problem : Problem
        The cases.
    plan : Plan
        The splits.
    loss : Loss
        What to measure.
    n_permutations : int
        How often.
    rng : numpy.random.Generator
        Parent of one stream per permutation.
    run : Run, optional
        How tasks are run.
    part : str
        Name of these permutations in a record.
    scheme : {"all", "train"}, default="all"
        Whether tests are shuffled too, or only what is learned from.

    Returns
    -------
    ndarray of shape (n_permutations, n_splits)
        Values of the loss; NaN where a fit failed or the loss is undefined.
    """
    check_choice(scheme, "scheme", SCHEMES)
    run = Run() if run is None else run
    limit = run.time_limit
    rows = run.map(
        partial(_one_permutation, estimator, problem, plan, loss, scheme, limit),
        range(n_permutations),
        part=part,
        rng=rng,
        what="permuting",
    )
    return np.array(rows).reshape(n_permutations, len(plan.splits))


def _one_permutation(
    estimator: Any,
    problem: Problem,
    plan: Plan,
    loss: Loss,
    scheme: str,
    time_limit: float | None,
    number: int,
    rng: np.random.Generator,
) -> list[float]:
    del number
    targets, data = None, problem
    if scheme == "all":
        data = problem.with_features(problem.X[shuffled_rows(problem, rng)])
    values = []
    for split in plan.splits:
        if scheme == "train":
            targets = problem.y.copy()
            targets[split.train] = problem.y[rng.permutation(split.train)]
        fold = fit_and_test(
            estimator, data, split, rng, targets=targets, time_limit=time_limit,
            with_scores=loss.needs != "labels",
        )  # fmt: skip
        told = fold.outcome is not None and loss.can_measure(fold.outcome)
        values.append(loss.measure(fold.outcome) if told and fold.outcome else np.nan)
    return values


def shuffled_rows(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Shuffle cases; with groups, as groups allow.

    Parameters
    ----------
    problem : Problem
        The cases.
    rng : numpy.random.Generator
        Where randomness comes from.

    Returns
    -------
    ndarray of int
        A row for every case. With groups of one target each, whole groups of the same
        size change places; otherwise cases do within their group.
    """
    if problem.groups is None:
        return rng.permutation(problem.n)
    members = [
        np.flatnonzero(problem.groups == group) for group in np.unique(problem.groups)
    ]
    rows = np.arange(problem.n)
    if any(np.unique(problem.y[own]).size > 1 for own in members):
        for own in members:
            rows[own] = rng.permutation(own)
        return rows
    for size in {own.size for own in members}:
        alike = [own for own in members if own.size == size]
        for own, other in zip(alike, rng.permutation(len(alike)), strict=True):
            rows[own] = alike[other]
    return rows
