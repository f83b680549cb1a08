"""The model on data whose features no longer belong to their targets.

One meaning for the whole package: features change places among cases; targets and
splits stay. Models that are known are worked out for many permutations at once, all
others are fitted; both give the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.permutation import (
    PermutationLoop,
    PreparedEngine,
    exchangeable,
    permutation_effort,
    prepare_engine,
    usual_count,
)
from scorecast.guarantees.feasibility.pooled import Draws, draws_of, row_of
from scorecast.guarantees.fitting import fit_and_test
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.outcomes import Outcome
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan

__all__ = [
    "SCHEMES",
    "exchange_pools",
    "permutation_work",
    "permuted_draws",
    "permuted_values",
]

SCHEMES = ("all", "train")


def permuted_draws(
    estimator: Any,
    problem: Problem,
    plan: Plan,
    loss: Loss,
    *,
    n_permutations: int | None = None,
    rng: np.random.Generator,
    run: Run | None = None,
    part: str = "permuted",
    scheme: str = "all",
    is_quick: bool = True,
    needed: Sequence[bool] | None = None,
) -> Draws:
    """Fit and test on permuted data, again and again.

    Splits drawn by class stay so: what was observed is one of the equally likely
    outcomes if there is nothing to learn.

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
    n_permutations : int, optional
        How often; by default as `usual_count` has it.
    rng : numpy.random.Generator
        Parent of one stream per block of permutations.
    run : Run, optional
        How tasks are run.
    part : str
        Name of these permutations in a record.
    scheme : {"all", "train"}, default="all"
        Whether tests are shuffled too, or only what is learned from.
    is_quick : bool, default=True
        Whether known models may be worked out at once; the values are the same.
    needed : sequence of bool, optional
        Splits whose tests are put together; all by default.

    Returns
    -------
    Draws
        Values of the loss, by split and of all tests together.
    """
    check_choice(scheme, "scheme", SCHEMES)
    run = Run() if run is None else run
    engine = _engine(estimator, problem, plan, loss) if is_quick else None
    count = n_permutations
    if count is None:
        count = usual_count(engine, exchange_pools(problem, plan, "all")[0], problem.n)
    work = _Work(
        n=problem.n,
        n_splits=len(plan.splits),
        pools=tuple(exchange_pools(problem, plan, scheme)),
        engine=engine,
        estimator=estimator,
        problem=problem,
        plan=plan,
        loss=loss,
        time_limit=run.time_limit,
        needed=(True,) * len(plan.splits) if needed is None else tuple(needed),
    )
    rows = run.map(work, work.tasks(count, rng), part=part, rng=rng, what="permuting")
    return draws_of([row for block in rows for row in block], len(plan.splits))


def permuted_values(*arguments: Any, **options: Any) -> FloatArray:
    """Return the values of splits alone, (n_permutations, n_splits).

    Parameters
    ----------
    *arguments, **options
        As of `permuted_draws`.

    Returns
    -------
    ndarray of shape (n_permutations, n_splits)
        Values of the loss; NaN where a fit failed or the loss is undefined.
    """
    return permuted_draws(*arguments, **options).folds


def permutation_work(
    estimator: Any, problem: Problem, n_splits: int
) -> tuple[int, float]:
    """Say how many permutations are usual, and roughly how long one takes."""
    n_classes = len(problem.classes) if problem.is_classification else 0
    return permutation_effort(estimator, (problem.n, problem.m), n_classes, n_splits)


def exchange_pools(problem: Problem, plan: Plan, scheme: str) -> list[list[IntArray]]:
    """List whose features may change places: for all splits at once, or for each.

    Parameters
    ----------
    problem : Problem
        The cases.
    plan : Plan
        The splits.
    scheme : str
        Whether tests are shuffled too.

    Returns
    -------
    list of list of ndarray
        One entry, or one per split; each as of `exchangeable`.
    """
    if scheme == "all":
        return [exchangeable(problem.groups, problem.y)]
    found = []
    for split in plan.splits:
        known = np.unique(split.train)
        groups = None if problem.groups is None else problem.groups[known]
        found.append([known[p] for p in exchangeable(groups, problem.y[known])])
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class _Work(PermutationLoop):
    """Everything a worker needs for any permutations."""

    estimator: Any
    problem: Problem
    plan: Plan
    loss: Loss
    time_limit: float | None
    needed: tuple[bool, ...]

    def of_classes(self, split: int, classes: IntArray) -> list[Outcome]:
        """Return what every row of predictions means."""
        truth = self.problem.codes[self.plan.splits[split].test]
        n_classes = len(self.problem.classes)
        return [
            Outcome(truth=truth, predicted=row, n_classes=n_classes) for row in classes
        ]

    def of_fit(
        self, split: int, order: IntArray, seed: int | None, rng: np.random.Generator
    ) -> Outcome | None:
        """Fit the model itself."""
        del seed
        return fit_and_test(
            self.estimator,
            self.problem,
            self.plan.splits[split],
            rng,
            order=order,
            time_limit=self.time_limit,
            with_scores=self.loss.needs != "labels",
        ).outcome

    def row(self, values: Sequence[Outcome | None]) -> list[float]:
        """Return the values of every split and of all."""
        return row_of(self.loss, values, self.needed)


def _engine(
    estimator: Any, problem: Problem, plan: Plan, loss: Loss
) -> PreparedEngine | None:
    """Prepare the engine, for losses that need nothing but predicted labels."""
    if not problem.is_classification or loss.needs != "labels":
        return None
    features = problem.matrix()
    if features is None:
        return None  # only the model knows what to make of them
    splits = [(split.train, split.test) for split in plan.splits]
    return prepare_engine(estimator, features, problem.codes, splits)
