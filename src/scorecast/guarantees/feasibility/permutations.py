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
from scorecast.guarantees.feasibility.pooled import Draws, draws_of, row_of
from scorecast.guarantees.fitting import fit_and_test
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.outcomes import Outcome
from scorecast.guarantees.permutation import FastPredictor, fast_predictor
from scorecast.guarantees.permutation.predictor import is_quick as quick_for
from scorecast.guarantees.permutation.recognition import recognise
from scorecast.guarantees.permutation.refits import unchecked
from scorecast.guarantees.permutation.shuffles import (
    block_sizes,
    draw_orders,
    exchangeable,
)
from scorecast.guarantees.permutation.splits import CaseSplit
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan

__all__ = [
    "FEW",
    "MANY",
    "SCHEMES",
    "exchange_pools",
    "permutation_work",
    "permuted_draws",
    "permuted_values",
    "usual_count",
]

SCHEMES = ("all", "train")
FEW, MANY = 100, 1000
# Of the time of a fit, where permutations are worked out together: between a thirtieth
# and a six-hundredth for quick models, a tenth for others. Only how long it will take
# is said by it.
_QUICK_SHARE, _FAST_SHARE = 0.02, 0.1
_TRIED, _OFTEN = 16, 0.2  # permutations to try, and the share that may need a fit


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
    fast = _fast(estimator, problem, plan, loss) if is_quick else None
    count = n_permutations
    if count is None:
        count = FEW if _is_doubtful(fast, problem, plan) else usual_count(fast)
    work = _Work(
        estimator=estimator, problem=problem, plan=plan, loss=loss, scheme=scheme,
        time_limit=run.time_limit, fast=fast,
        needed=(True,) * len(plan.splits) if needed is None else tuple(needed),
    )  # fmt: skip
    blocks: Sequence[Any] = block_sizes(count)
    if fast is None or not fast.is_quick:
        # One task each, so that all workers have something to do. The same streams as
        # above, so that permutations do not depend on the method.
        drawn = zip(blocks, rng.spawn(len(blocks)), strict=True)
        orders = [work.draw(size, stream) for size, stream in drawn]
        blocks = [some[:, i : i + 1] for some in orders for i in range(some.shape[1])]
    rows = run.map(work, blocks, part=part, rng=rng, what="permuting")
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


def usual_count(fast: FastPredictor | None) -> int:
    """Return how many permutations are usual: more where they cost next to nothing."""
    return MANY if fast is not None and fast.is_quick else FEW


def permutation_work(
    estimator: Any, problem: Problem, n_splits: int
) -> tuple[int, float]:
    """Say how many permutations are usual, and roughly how long one takes.

    Parameters
    ----------
    estimator : estimator
        The model.
    problem : Problem
        The cases.
    n_splits : int
        Number of splits.

    Returns
    -------
    tuple of int and float
        The number, and the time of one beside fitting and testing anew: 1 where that is
        what is done.
    """
    known = None
    if problem.is_classification:
        known = recognise(estimator, len(problem.classes))
    if known is None:
        return FEW, 1.0
    quick = quick_for(known, (problem.n, problem.m), n_splits)
    return (MANY, _QUICK_SHARE) if quick else (FEW, _FAST_SHARE)


def _is_doubtful(fast: FastPredictor | None, problem: Problem, plan: Plan) -> bool:
    """Tell whether many predictions are left to the model itself, as rounding decides.

    On features of very different scale ridge and logistic regression are: a thousand
    permutations would then be as many fits.
    """
    if fast is None or not fast.is_quick:
        return False
    # A stream of its own, so that the permutations that count stay the same.
    pools = exchange_pools(problem, plan, "all")[0]
    orders = draw_orders(_TRIED, pools, problem.n, np.random.default_rng(0))
    with unchecked(is_quiet=True):
        said = fast.predict(0, orders)
    return bool(said.is_doubtful.mean() > _OFTEN)


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
class _Work:
    """Everything a worker needs for any permutations."""

    estimator: Any
    problem: Problem
    plan: Plan
    loss: Loss
    scheme: str
    time_limit: float | None
    fast: FastPredictor | None
    needed: tuple[bool, ...]

    def draw(self, size: int, rng: np.random.Generator) -> IntArray:
        """Draw whose features every case gets: for all splits at once, or for each."""
        pools = exchange_pools(self.problem, self.plan, self.scheme)
        return np.stack([draw_orders(size, p, self.problem.n, rng) for p in pools])

    def __call__(self, block: Any, rng: np.random.Generator) -> list[list[float]]:
        """Return the values of every split and of all, one row per permutation."""
        orders = self.draw(block, rng) if np.ndim(block) == 0 else block
        columns = [
            self._tested(column, orders[column if self.scheme == "train" else 0], rng)
            for column in range(len(self.plan.splits))
        ]
        rows = zip(*columns, strict=True)
        return [row_of(self.loss, row, self.needed) for row in rows]

    def _tested(
        self, column: int, orders: IntArray, rng: np.random.Generator
    ) -> list[Outcome | None]:
        found: list[Outcome | None] = [None] * orders.shape[0]
        left = list(range(orders.shape[0]))
        if self.fast is not None:
            with unchecked(is_quiet=True):
                said = self.fast.predict(column, orders)
            for row in np.flatnonzero(~said.is_doubtful).tolist():
                found[row] = self._outcome(column, said.classes[row])
            left = np.flatnonzero(said.is_doubtful).tolist()
        for row in left:
            found[row] = fit_and_test(
                self.estimator, self.problem, self.plan.splits[column], rng,
                order=orders[row], time_limit=self.time_limit,
                with_scores=self.loss.needs != "labels",
            ).outcome  # fmt: skip
        return found

    def _outcome(self, column: int, predicted: IntArray) -> Outcome:
        return Outcome(
            truth=self.problem.codes[self.plan.splits[column].test],
            predicted=predicted,
            scores=None,
            is_probability=False,
            n_classes=len(self.problem.classes),
        )


def _fast(
    estimator: Any, problem: Problem, plan: Plan, loss: Loss
) -> FastPredictor | None:
    """Prepare the fast way, for losses that need nothing but predicted labels."""
    if not problem.is_classification or loss.needs != "labels":
        return None
    features = problem.matrix()
    if features is None:
        return None  # only the model knows what to make of them
    splits = [CaseSplit(train=split.train, test=split.test) for split in plan.splits]
    return fast_predictor(estimator, features, problem.codes, splits)
