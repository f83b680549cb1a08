"""What capacity alone promises of a classifier of two classes."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from scorecast.exceptions import UsageError
from scorecast.guarantees.bounds import Bound, estimate_capacity, vapnik_upper
from scorecast.guarantees.fitting import fit_and_test
from scorecast.guarantees.losses import LOSSES, Loss
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.sampling import Split

__all__ = ["capacity_bound", "check_capacity"]

_ASSUMPTION = (
    "cases are independent and the VC dimension is {:.4g}, {}; any distribution"
)


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


def capacity_bound(
    estimator: Any,
    problem: Problem,
    loss: Loss,
    capacity: float | str,
    *,
    level: float,
    rng: np.random.Generator,
) -> Bound | None:
    """Bound the error of a fit to all cases by its capacity.

    Parameters
    ----------
    estimator : estimator
        The model.
    problem : Problem
        The cases, of two classes.
    loss : Loss
        Accuracy or error.
    capacity : float or "estimate"
        VC dimension; or measure it on relabelled data.
    level : float
        Confidence level.
    rng : numpy.random.Generator
        For the measurement.

    Returns
    -------
    Bound or None
        None for more than two classes, other losses, or if the fit fails.
    """
    if not loss.is_binary or len(problem.classes) != 2:
        return None
    everyone = np.arange(problem.n)
    whole = Split(train=everyone, test=everyone)
    fold = fit_and_test(estimator, problem, whole, rng)
    if fold.outcome is None:
        return None
    dimension, source = capacity, "as given"
    if isinstance(dimension, str):
        dimension = estimate_capacity(estimator, problem.X, random_state=rng)
        source = "measured on random labels"
    error = LOSSES["error"].measure(fold.outcome)
    worst = vapnik_upper(error, dimension, problem.n, 1 - level)
    ends = (1 - worst, 1.0) if loss.greater_is_better else (0.0, worst)
    return Bound(
        method="vapnik",
        low=ends[0],
        high=ends[1],
        assumption=_ASSUMPTION.format(dimension, source),
        note="says nothing" if worst >= 1 else "",
    )
