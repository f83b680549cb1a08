"""What more cases, more features, or a choice of features would bring."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.evaluation.permutation import movable
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.learning_curve import LearningCurveFit
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.model_curve import (
    CurveOrder,
    curve_order,
    default_aim,
    model_curve,
)
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.regularities import Regularities, data_regularities
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan
from scorecast.guarantees.selection import SelectedFeatures, selected_features
from scorecast.guarantees.selection_bias import SelectionBias
from scorecast.guarantees.selection_in_loop import loop_bias
from scorecast.guarantees.tables import numbers_of

__all__ = [
    "ModelOutlook",
    "OutlookOrder",
    "best_features",
    "model_outlook",
    "outlook_order",
    "space_of",
]

_PERMUTATIONS = 1000  # of one statistic per feature: quick


@dataclass(frozen=True, kw_only=True)
class OutlookOrder:
    """What was asked for.

    Attributes
    ----------
    curves : tuple of CurveOrder
        Learning curves.
    aim : float or None
        Value whose size is looked for.
    n_selected : int or None
        Features whose selection is looked into.
    """

    curves: tuple[CurveOrder, ...]
    aim: float | None
    n_selected: int | None


@dataclass(frozen=True, kw_only=True)
class ModelOutlook:
    """What came of it for one model.

    Attributes
    ----------
    curves : tuple of LearningCurveFit
        Learning curves.
    bias : SelectionBias or None
        Of selecting features before the split.
    warnings : tuple of str
        What could not be answered, and why.
    """

    curves: tuple[LearningCurveFit, ...] = ()
    bias: SelectionBias | None = None
    warnings: tuple[str, ...] = ()


def outlook_order(
    problem: Problem,
    loss: Loss,
    *,
    learning_curve: bool | Sequence[int],
    feature_curve: bool | Sequence[int],
    aim: float | None,
    selection: int | None,
) -> OutlookOrder:
    """Check what was asked for, before anything takes time.

    Parameters
    ----------
    problem : Problem
        The cases.
    loss : Loss
        What is measured.
    learning_curve, feature_curve : bool or sequence of int
        Whether to make a curve over cases or features, or its sizes.
    aim : float or None
        Value whose size is looked for; None takes 0.9, or 0.1, of shares.
    selection : int or None
        Features whose selection is looked into.

    Returns
    -------
    OutlookOrder
        What can be done.

    Raises
    ------
    UsageError
        If a number makes no sense.
    InsufficientDataError
        If groups leave nothing to permute for a selection.
    """
    if aim is not None and learning_curve is False and feature_curve is False:
        msg = (
            "`aim` is what a curve is to reach: it goes with `learning_curve` or "
            "`feature_curve`."
        )
        raise UsageError(msg)
    known = isinstance(aim, numbers.Real) and loss.low <= aim <= loss.high
    if aim is not None and not known:
        msg = (
            f"`aim` must be a value of {loss.name}, {loss.low:g} to {loss.high:g}; "
            f"got {aim!r}."
        )
        raise UsageError(msg)
    whole = isinstance(selection, int | np.integer) and not isinstance(selection, bool)
    if selection is not None and not (whole and 1 <= selection <= problem.m):
        msg = (
            f"`selection` must be a number of features from 1 to {problem.m}; got "
            f"{selection!r}."
        )
        raise UsageError(msg)
    if selection is not None and _numbers(problem) is None:
        msg = "`selection` needs features that are numbers, none of them missing."
        raise UsageError(msg)
    if selection is not None and problem.is_classification:
        groups = None if problem.groups is None else problem.groups.tolist()
        movable(groups, problem.codes)
    curves = (
        curve_order(learning_curve, "cases", problem),
        curve_order(feature_curve, "features", problem),
    )
    return OutlookOrder(
        curves=tuple(curve for curve in curves if curve is not None),
        aim=default_aim(loss) if aim is None else float(aim),
        n_selected=None if selection is None else int(selection),
    )


def model_outlook(
    name: str,
    model: Any,
    problem: Problem,
    plan: Plan,
    loss: Loss,
    order: OutlookOrder,
    *,
    level: float,
    rng: np.random.Generator,
    run: Run,
    seed: int | None,
) -> ModelOutlook:
    """Answer for one model; what fails is said, and the rest goes on.

    Parameters
    ----------
    name : str
        What the caller calls the model.
    model : estimator
        As scikit-learn's.
    problem : Problem
        The cases.
    plan : Plan
        The splits of the assessment.
    loss : Loss
        What is measured.
    order : OutlookOrder
        What was asked for.
    level : float
        Confidence of intervals.
    rng : numpy.random.Generator
        Parent of all streams.
    run : Run
        How tasks are run.
    seed : int or None
        What the caller gave.

    Returns
    -------
    ModelOutlook
        As far as it could be had.
    """
    curves: list[LearningCurveFit] = []
    bias, said = None, []
    for_cases, for_features, for_selection = rng.spawn(3)
    for asked in order.curves:
        stream = for_cases if asked.over == "cases" else for_features
        try:
            curves.append(
                model_curve(
                    model, problem, loss, asked, aim=order.aim, level=level,
                    rng=stream, run=run, part=f"{name}/curve over {asked.over}",
                )
            )  # fmt: skip
        except InsufficientDataError as error:
            said.append(f"no learning curve over {asked.over}: {error}")
    if order.n_selected is not None:
        try:
            bias = loop_bias(
                model, problem, plan, loss, n_selected=order.n_selected, level=level,
                rng=for_selection, run=run, part=f"{name}/selection", seed=seed,
            )  # fmt: skip
        except InsufficientDataError as error:
            said.append(f"no word on selection: {error}")
    return ModelOutlook(curves=tuple(curves), bias=bias, warnings=tuple(said))


def _numbers(problem: Problem) -> FloatArray | None:
    """Return all features as numbers of any precision; None if there are others."""
    found = numbers_of(problem.X)
    whole = found.shape == (problem.n, problem.m) and np.isfinite(found).all()
    return found if whole else None


def space_of(problem: Problem) -> tuple[Regularities | None, tuple[str, ...]]:
    """Describe the space by the features that are whole, and say what is left out.

    Parameters
    ----------
    problem : Problem
        The cases.

    Returns
    -------
    tuple of Regularities or None, and tuple of str
        None with the reason if no feature is whole, or there are too few cases.
    """
    features = numbers_of(problem.X)
    # Gaps and text have no shape to describe.
    features = features[:, np.isfinite(features).all(axis=0)]
    left = problem.m - features.shape[1]
    if not features.shape[1]:
        return None, ("no word on the space: every feature has gaps, or is text",)
    try:
        found = data_regularities(features, problem.y, task=problem.task)
    except InsufficientDataError as error:
        return None, (f"no word on the space: {str(error).removesuffix('.')}",)
    if not left:
        return found, ()
    return found, (
        f"the space is described by {features.shape[1]:,} of {problem.m:,} features; "
        "the others have gaps, or are text",
    )


def best_features(
    problem: Problem,
    order: OutlookOrder,
    names: Sequence[str],
    rng: np.random.Generator,
    n_jobs: int | None,
) -> SelectedFeatures | None:
    """Say which features tell classes apart, if that was asked for.

    Parameters
    ----------
    problem : Problem
        The cases; numbers have no classes to tell apart.
    order : OutlookOrder
        What was asked for.
    names : sequence of str
        Names of all features; may be empty.
    rng : numpy.random.Generator
        For the permutations.
    n_jobs : int or None
        Number of workers.

    Returns
    -------
    SelectedFeatures or None
        None if not asked for.
    """
    features = _numbers(problem)
    if order.n_selected is None or not problem.is_classification or features is None:
        return None
    return selected_features(
        features, problem.y, order.n_selected, n_permutations=_PERMUTATIONS,
        names=names or None, random_state=rng, n_jobs=n_jobs,
        groups=None if problem.groups is None else problem.groups.tolist(),
    )  # fmt: skip
