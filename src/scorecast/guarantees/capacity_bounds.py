"""What capacity alone promises of a classifier of two classes."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scorecast._core.types import IntArray
from scorecast.exceptions import FitFailedError, InsufficientDataError, UsageError
from scorecast.guarantees.bounds import Bound, measured_capacity, vapnik_upper
from scorecast.guarantees.fitting import fit_and_test
from scorecast.guarantees.group_units import n_independent
from scorecast.guarantees.losses import LOSSES, Loss
from scorecast.guarantees.outcomes import Outcome
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.sampling import Split

__all__ = ["capacity_bounds", "check_capacity"]

_ASSUMPTION = "{} are independent and the VC dimension is {:.4g}, {}; any distribution"
_ONLY = "it is for accuracy and error of two classes"


def check_capacity(capacity: Any) -> float | str | None:
    """Return a VC dimension, ``"estimate"``, or None.

    Parameters
    ----------
    capacity : float, "estimate" or None
        What the caller passed.

    Returns
    -------
    float, str or None
        The same.

    Raises
    ------
    UsageError
        If it is anything else.
    """
    if capacity is None or capacity == "estimate":
        return capacity  # type: ignore[no-any-return]
    if isinstance(capacity, numbers.Real) and float(capacity) >= 1:
        return float(capacity)
    msg = f"`capacity` must be a VC dimension from 1, or 'estimate'; got {capacity!r}."
    raise UsageError(msg)


def capacity_bounds(
    estimator: Any,
    problem: Problem,
    losses: Sequence[Loss],
    capacity: float | str | None,
    *,
    level: float,
    rng: np.random.Generator,
    time_limit: float | None = None,
) -> tuple[dict[str, Bound], tuple[str, ...]]:
    """Bound the error of a fit to all cases by its capacity.

    Parameters
    ----------
    estimator : estimator
        The model.
    problem : Problem
        The cases.
    losses : sequence of Loss
        Accuracy and error of two classes have such a bound.
    capacity : float, "estimate" or None
        VC dimension; or measure it on relabelled data; None for no bound.
    level : float
        Confidence level.
    rng : numpy.random.Generator
        For the measurement.
    time_limit : float, optional
        Seconds that one fit may take.

    Returns
    -------
    tuple of dict and tuple of str
        Bounds by the name of the loss, and why others have none.
    """
    if capacity is None:
        return {}, ()
    is_two = problem.is_classification and len(problem.classes) == 2
    wanted = [loss for loss in losses if loss.is_binary and is_two]
    left = [loss.name for loss in losses if loss not in wanted]
    said = [f"no bound by capacity for {', '.join(left)}: {_ONLY}"] if left else []
    if not wanted:
        return {}, tuple(said)
    try:
        made = _upper(estimator, problem, capacity, level, rng, time_limit)
    except (FitFailedError, InsufficientDataError) as error:
        return {}, (*said, f"no bound by capacity: {str(error).rstrip('.')}")
    return {loss.name: _seen(made, loss) for loss in wanted}, tuple(said)


def _upper(
    estimator: Any,
    problem: Problem,
    capacity: float | str,
    level: float,
    rng: np.random.Generator,
    time_limit: float | None,
) -> Bound:
    """Bound the error from above."""

    def tested(data: Problem, rows: IntArray) -> Outcome:
        split = Split(train=rows, test=rows)
        fold = fit_and_test(estimator, data, split, rng, time_limit=time_limit)
        if fold.outcome is None:
            raise FitFailedError(fold.failure)
        return fold.outcome

    def said(rows: IntArray, taught: IntArray) -> IntArray:
        labels = problem.y.copy()
        labels[rows] = np.asarray(problem.classes)[taught]
        codes = problem.codes.copy()
        codes[rows] = taught
        # Relabelled cases belong to no group, and none is kept apart.
        data = replace(problem, y=labels, codes=codes, groups=None)
        answer: IntArray = tested(data, rows).predicted
        return answer

    error = LOSSES["error"].measure(tested(problem, np.arange(problem.n)))
    dimension, source = capacity, "as given"
    if isinstance(dimension, str):
        dimension = measured_capacity(said, problem.n, rng=rng)
        source = "measured on random labels"
    # Of the cases of a group there is one at most that the others do not foretell.
    n = math.floor(n_independent(problem.groups, problem.n))
    whose = (
        "cases" if problem.groups is None else "groups, counted and not their cases,"
    )
    worst = vapnik_upper(error, dimension, n, 1 - level)
    return Bound(
        method="vapnik",
        low=0.0,
        high=worst,
        assumption=_ASSUMPTION.format(whose, dimension, source),
        note="; ".join(_notes(problem, worst)),
    )


def _notes(problem: Problem, worst: float) -> list[str]:
    found = ["says nothing"] if worst >= 1 else []
    if problem.groups is not None:
        found.append("groups counted for cases: a rule of thumb, no theorem")
    return found


def _seen(bound: Bound, loss: Loss) -> Bound:
    if not loss.greater_is_better:
        return bound
    return replace(bound, low=1 - bound.high, high=1.0)
