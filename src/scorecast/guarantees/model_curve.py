"""The learning curve of a model inside an assessment: its loss, groups and failures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.curve_fit import learning_curve_fit
from scorecast.guarantees.curve_scores import mixed_order
from scorecast.guarantees.fitting import fit_and_test
from scorecast.guarantees.group_units import n_independent
from scorecast.guarantees.learning_curve import LearningCurveFit
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Sampling, Split, draw_plan
from scorecast.guarantees.tables import columns_of

__all__ = ["CurveOrder", "curve_order", "default_aim", "model_curve"]

_TEST_SHARE = 0.25
_REPEATS = 20
_SIZES = 6
_FEWEST = 3


@dataclass(frozen=True, kw_only=True)
class CurveOrder:
    """A curve that was asked for.

    Attributes
    ----------
    over : str
        ``"cases"`` or ``"features"``.
    sizes : tuple of int
        Sizes to learn from, growing.
    """

    over: str
    sizes: tuple[int, ...]


def curve_order(
    asked: bool | Sequence[int], over: str, problem: Problem
) -> CurveOrder | None:
    """Understand what was asked for, before anything takes time.

    Parameters
    ----------
    asked : bool or sequence of int
        Whether to make a curve, or its sizes.
    over : {"cases", "features"}
        What sizes count.
    problem : Problem
        The cases.

    Returns
    -------
    CurveOrder or None
        None if no curve was asked for.

    Raises
    ------
    UsageError
        If sizes are no growing whole numbers.
    InsufficientDataError
        If there are too few cases, or features.
    """
    if isinstance(asked, bool):
        return None if not asked else _ordered(_usual(over, problem), over, problem)
    name = "learning_curve" if over == "cases" else "feature_curve"
    sizes = list(asked) if hasattr(asked, "__iter__") else []
    whole = all(isinstance(s, int | np.integer) and s >= 1 for s in sizes)
    if len(sizes) < _FEWEST or not whole or sorted(set(sizes)) != sizes:
        msg = (
            f"`{name}` must be True, False or {_FEWEST} growing whole numbers of "
            f"{over} at least; got {asked!r}."
        )
        raise UsageError(msg)
    return _ordered([int(s) for s in sizes], over, problem)


def _ordered(sizes: list[int], over: str, problem: Problem) -> CurveOrder:
    most = _most(over, problem)
    if len(sizes) < _FEWEST:
        msg = (
            f"A learning curve over {over} needs {_FEWEST} different sizes; "
            f"{most:,} {over} to learn from leave room for {len(sizes)}."
        )
        raise InsufficientDataError(msg)
    if sizes[-1] > most:
        msg = f"Size {sizes[-1]:,} exceeds the {most:,} {over} there are to learn from."
        raise InsufficientDataError(msg)
    return CurveOrder(over=over, sizes=tuple(sizes))


def _most(over: str, problem: Problem) -> int:
    if over == "features":
        return problem.m
    return problem.n - min(max(round(_TEST_SHARE * problem.n), 1), problem.n - 1)


def _usual(over: str, problem: Problem) -> list[int]:
    """Choose sizes that grow by a factor, the smallest with some of every class."""
    most = _most(over, problem)
    least = min(2.0, most)
    if over == "features":
        least = max(least, most ** (1 / 3))
    elif problem.is_classification:
        least = max(6, 2.5 * problem.n / problem.class_counts.min(), most / 10)
    else:
        least = max(6, most / 10)
    if least >= most:
        return [most]
    sizes = np.geomspace(least, most, _SIZES).round().astype(int)
    return sorted({int(size) for size in sizes})


def default_aim(loss: Loss) -> float | None:
    """Return nine tenths of the way to the best value, where there is such a thing."""
    if loss.low != 0 or loss.high != 1:
        return None
    return 0.9 if loss.greater_is_better else 0.1


def model_curve(
    model: Any,
    problem: Problem,
    loss: Loss,
    order: CurveOrder,
    *,
    aim: float | None,
    level: float,
    rng: np.random.Generator,
    run: Run,
    part: str,
) -> LearningCurveFit:
    """Learn from more and more, and fit a curve.

    Cases are divided at random again and again, groups kept whole, a quarter of them
    tested. Smaller samples are parts of larger ones and keep the shares of classes.

    Parameters
    ----------
    model : estimator
        As scikit-learn's.
    problem : Problem
        The cases.
    loss : Loss
        What is measured.
    order : CurveOrder
        The sizes.
    aim : float or None
        Value whose size is looked for.
    level : float
        Confidence of intervals.
    rng : numpy.random.Generator
        Parent of all streams.
    run : Run
        How tasks are run.
    part : str
        Name in a record.

    Returns
    -------
    LearningCurveFit
        The curve.

    Raises
    ------
    InsufficientDataError
        If the model fails in nearly every division.
    """
    for_plan, for_fits, for_band = rng.spawn(3)
    sampling = Sampling(kind="mc", n_folds=_REPEATS, test_size=_TEST_SHARE)
    plan = draw_plan(sampling, problem, for_plan)
    rows = run.map(
        partial(_one_division, model, problem, loss, order, run.time_limit),
        plan.splits,
        part=part,
        rng=for_fits,
        what=f"learning from more {order.over}",
    )
    best = loss.high if loss.greater_is_better else loss.low
    worst = loss.low if loss.greater_is_better else loss.high
    table = np.array(rows, dtype=float)
    learned = _learned(order, plan.splits, np.isfinite(table).all(axis=1))
    return learning_curve_fit(
        learned.mean(axis=0).round().astype(int),
        _complete(table),
        target=aim,
        best=best,
        worst=worst if math.isfinite(worst) else None,
        greater_is_better=loss.greater_is_better,
        loss=loss.name,
        over=order.over,
        test_ratio=plan.test_ratio,
        # A group is one draw, however large.
        n_cases=math.floor(n_independent(problem.groups, problem.n)),
        level=level,
        random_state=for_band,
        notes=_shortfall(order, learned),
        has_groups=problem.groups is not None,
    )


def _one_division(
    model: Any,
    problem: Problem,
    loss: Loss,
    order: CurveOrder,
    time_limit: float | None,
    split: Split,
    rng: np.random.Generator,
) -> list[float]:
    """Return the loss at every size; NaN where the model failed."""
    # Perhaps fewer than stated sizes ask for, where groups are large: `_learned`.
    train = split.train[mixed_order(_strata(problem)[split.train], rng)]
    columns = rng.permutation(problem.m)
    values = []
    for size, stream in zip(order.sizes, rng.spawn(len(order.sizes)), strict=True):
        known, task = train[:size], problem
        if order.over == "features":
            known = train
            task = problem.with_features(columns_of(problem.X, np.sort(columns[:size])))
        found = fit_and_test(
            model, task, Split(train=known, test=split.test), stream,
            time_limit=time_limit, with_scores=loss.needs != "labels",
        )  # fmt: skip
        outcome = found.outcome
        can = outcome is not None and loss.can_measure(outcome)
        values.append(loss.measure(outcome) if can and outcome else math.nan)
    return values


def _learned(
    order: CurveOrder, splits: Sequence[Split], kept: NDArray[np.bool_]
) -> IntArray:
    """Count what every division did learn from, (divisions, sizes)."""
    sizes = np.array(order.sizes)
    if order.over == "features" or not kept.any():
        return sizes[None]
    there = np.array([split.train.size for split in splits])[kept]
    found: IntArray = np.minimum(sizes, there[:, None])
    return found


def _shortfall(order: CurveOrder, learned: IntArray) -> tuple[str, ...]:
    """Say which sizes were not reached, as where groups are kept whole."""
    short = [
        f"{size:,} asked for, {learned[:, place].mean():,.0f} learned from "
        f"({learned[:, place].min():,} to {learned[:, place].max():,})"
        for place, size in enumerate(order.sizes)
        if learned[:, place].min() < size
    ]
    if not short:
        return ()
    return (
        "groups kept whole leave fewer cases to learn from in some divisions; the "
        f"mean counts: {'; '.join(short)}",
    )


def _strata(problem: Problem) -> IntArray:
    if problem.is_classification:
        return problem.codes
    return np.zeros(problem.n, dtype=np.int64)


def _complete(rows: FloatArray) -> FloatArray:
    """Keep divisions with a value at every size, (sizes, divisions)."""
    kept = rows[np.isfinite(rows).all(axis=1)]
    if kept.shape[0] < 2:
        msg = (
            f"{kept.shape[0]} of {rows.shape[0]} divisions have a value at every size; "
            "the smallest may be too small"
        )
        raise InsufficientDataError(msg)
    return np.ascontiguousarray(kept.T)
