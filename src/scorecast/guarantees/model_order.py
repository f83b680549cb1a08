"""One model of an assessment: everything that is asked of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scorecast._core.progress import stage
from scorecast.exceptions import InsufficientDataError
from scorecast.guarantees.bias_variance import BiasVariance, bias_variance
from scorecast.guarantees.bounds import Bound, all_bounds, unpromised
from scorecast.guarantees.capacity_bounds import capacity_bounds
from scorecast.guarantees.class_sensitivity import (
    ClassSensitivity,
    across_classes,
    class_sensitivities,
)
from scorecast.guarantees.estimates import Estimates, collect_estimates
from scorecast.guarantees.feasibility import Feasibility, NullSettings, examine
from scorecast.guarantees.feasibility.permutations import permutation_work
from scorecast.guarantees.grids import edges_of
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.model_assessment import LossAssessment, ModelAssessment
from scorecast.guarantees.outlook import OutlookOrder, model_outlook
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan, Sampling, draw_plan
from scorecast.guarantees.tied_scores import ties_said

__all__ = [
    "MODEL_STAGES",
    "FoldedModel",
    "Order",
    "assess_model",
    "fold_model",
    "model_stages",
]

MODEL_STAGES = ("permuted data", "null data", "bias and variance", "outlook")

_ABOUT_RIGHT = (
    "accuracy", "error", "balanced-accuracy", "sensitivity", "specificity", "f1", "mcc",
)  # fmt: skip
_BIAS_FITS = 50


@dataclass(frozen=True, kw_only=True)
class Order:
    """What was asked for.

    Attributes
    ----------
    losses : tuple of Loss
        Views on performance; the first is tested.
    level : float
        Level of intervals.
    settings : NullSettings
        How feasibility is tested.
    n_resamples : int
        Bootstrap resamples for intervals.
    with_bias_variance : bool
        Whether to decompose the error.
    capacity : float, str or None
        VC dimension of the models, or how to have it.
    run : Run
        How tasks are run.
    outlook : OutlookOrder
        Learning curves and selection.
    with_regularities : bool
        Whether to describe the space.
    names : tuple of str
        Names of the features.
    seed : int or None
        What the caller gave.
    positive : str
        Class that was named as positive; empty if none was.
    quick : bool
        Whether scores and intervals are all that is wanted.
    """

    losses: tuple[Loss, ...]
    level: float
    settings: NullSettings
    n_resamples: int
    with_bias_variance: bool
    capacity: float | str | None
    run: Run
    outlook: OutlookOrder
    with_regularities: bool
    names: tuple[str, ...]
    seed: int | None
    positive: str = ""
    quick: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldedModel:
    """One model after its folds: what can be said before anything else is asked.

    Attributes
    ----------
    name : str
        What the caller calls it.
    model : estimator
        As scikit-learn's.
    estimates : Estimates
        Its tests.
    losses : tuple of LossAssessment
        Their values with intervals; empty if every fit failed.
    unbound : tuple of str
        What is to be said of bounds by capacity.
    streams : tuple of Generator
        For tests, bias and the outlook.
    seconds : float
        That the folds took.
    """

    name: str
    model: Any
    estimates: Estimates
    losses: tuple[LossAssessment, ...]
    unbound: tuple[str, ...]
    streams: tuple[np.random.Generator, ...]
    seconds: float


def fold_model(
    name: str,
    model: Any,
    problem: Problem,
    plan: Plan,
    order: Order,
    rng: np.random.Generator,
) -> FoldedModel:
    """Split, test and bound one model.

    Parameters
    ----------
    name : str
        What the caller calls it.
    model : estimator
        As scikit-learn's.
    problem : Problem
        The cases.
    plan : Plan
        The splits.
    order : Order
        What was asked for.
    rng : numpy.random.Generator
        Parent of all streams.

    Returns
    -------
    FoldedModel
        Without losses if every fit failed.
    """
    # One stream per part: leaving one out does not change the others.
    for_folds, for_bounds, for_tests, for_bias, for_capacity, for_more = rng.spawn(6)
    start = time.monotonic()
    estimates = collect_estimates(
        model, problem, plan, rng=for_folds, run=order.run, part=f"{name}/folds",
        what=f"testing {name}",
    )  # fmt: skip
    seconds = time.monotonic() - start
    losses: tuple[LossAssessment, ...] = ()
    unbound: tuple[str, ...] = ()
    if not estimates.is_empty:
        wanted = [loss for loss in order.losses if estimates.can_measure(loss)]
        promised, unbound = capacity_bounds(
            model, problem, wanted, order.capacity, level=order.level,
            rng=for_capacity, time_limit=order.run.time_limit,
        )  # fmt: skip
        losses = tuple(
            _one_loss(estimates, loss, order, for_bounds, promised) for loss in wanted
        )
    return FoldedModel(
        name=name, model=model, estimates=estimates, losses=losses,
        unbound=tuple(unbound), streams=(for_tests, for_bias, for_more),
        seconds=seconds,
    )  # fmt: skip


def model_stages(tested: FoldedModel, order: Order) -> dict[str, float]:
    """Say what is still to be done for a model, and for about how many seconds.

    Parameters
    ----------
    tested : FoldedModel
        The model after its folds.
    order : Order
        What was asked for.

    Returns
    -------
    dict of str to float
        Names of stages with seconds; rough, as they hang on one another.
    """
    estimates = tested.estimates
    if estimates.is_empty:
        return {}
    problem, n_splits = estimates.problem, len(estimates.plan.splits)
    each, name = tested.seconds / n_splits, tested.name
    found: dict[str, float] = {}
    if order.settings.n_permutations != 0:
        usual, share = permutation_work(tested.model, problem, n_splits)
        count = order.settings.n_permutations
        count = usual if count is None else count
        found[f"{name}: permuted data"] = max(count * tested.seconds * share, 0.05)
        if problem.is_classification and problem.groups is None:
            size = problem.n * problem.m
            drawing = 1e-7 * size + 2e-10 * size * min(problem.n, problem.m)
            drawn = order.settings.n_null_data * (tested.seconds + drawing)
            found[f"{name}: null data"] = drawn
    if order.with_bias_variance:
        found[f"{name}: bias and variance"] = _BIAS_FITS * each
    fits = sum(20 * len(curve.sizes) for curve in order.outlook.curves)
    fits += 0 if order.outlook.n_selected is None else 20 * n_splits
    if fits:
        found[f"{name}: outlook"] = fits * each
    return found


def assess_model(tested: FoldedModel, order: Order) -> ModelAssessment:
    """Examine one model after its folds.

    Parameters
    ----------
    tested : FoldedModel
        The model after its folds.
    order : Order
        What was asked for.

    Returns
    -------
    ModelAssessment
        Without losses, but with reasons, if every fit failed.
    """
    name, model, estimates = tested.name, tested.model, tested.estimates
    problem, plan = estimates.problem, estimates.plan
    for_tests, for_bias, for_more = tested.streams
    if estimates.is_empty:
        return ModelAssessment(name=name, losses=(), failures=estimates.failures)
    undefined, missing = _unsaid(estimates, order.losses)
    found, untested = _examined(name, model, estimates, order, for_tests)
    with stage(f"{name}: bias and variance"):
        parts, unparted = _decomposed(name, model, estimates, order, for_bias)
    with stage(f"{name}: outlook"):
        more = model_outlook(
            name, model, problem, plan, order.losses[0], order.outlook,
            level=order.level, rng=for_more, run=order.run, seed=order.seed,
        )  # fmt: skip
    notes = (*tested.unbound, *(() if found is None else found.notes()))
    cases, times = np.unique(estimates.tested(), return_counts=True)
    return ModelAssessment(
        name=name,
        losses=tested.losses,
        feasibility=found,
        bias_variance=parts,
        learning_curves=more.curves,
        selection_bias=more.bias,
        failures=estimates.failures,
        n_tested=int(cases.size),
        cases=tuple(cases.tolist()), times_tested=tuple(times.tolist()),
        tested=tuple(estimates.tested().tolist()),
        tested_in=tuple(estimates.tested_in().tolist()), chosen=estimates.chosen,
        edges=edges_of(model, estimates.chosen),
        warnings=(*undefined, *estimates.warnings, *unparted, *missing, *notes,
                  *more.warnings),
        untested=untested,
    )  # fmt: skip


def _unsaid(
    estimates: Estimates, losses: Sequence[Loss]
) -> tuple[list[str], list[str]]:
    """Say which losses mean little, and which the model does not give."""
    undefined: list[str] = []
    missing: list[str] = []
    for loss in losses:
        if not estimates.can_measure(loss):
            missing.append(
                f"{loss.name} needs {loss.needs}, which the model does not give"
            )
            continue
        said = (estimates.not_finite_said(loss), ties_said(estimates, loss))
        undefined += filter(None, said)
    return undefined, missing


def _examined(
    name: str,
    model: Any,
    estimates: Estimates,
    order: Order,
    rng: np.random.Generator,
) -> tuple[Feasibility | None, str]:
    """Test through the first loss, if that was asked for; or say why it cannot be."""
    loss = order.losses[0]
    if not estimates.can_measure(loss):
        return None, ""
    untested = estimates.not_finite_said(loss)
    if untested or order.settings.n_permutations == 0:
        return None, untested
    tested = examine(
        model, estimates, loss, order.settings, rng=rng, run=order.run, part=name
    )
    return tested, ""


def _one_loss(
    estimates: Estimates,
    loss: Loss,
    order: Order,
    rng: np.random.Generator,
    promised: Mapping[str, Bound],
) -> LossAssessment:
    sample = estimates.measure(loss)
    bounds = all_bounds(
        estimates, sample, level=order.level, rng=rng, n_resamples=order.n_resamples
    )
    per_class: tuple[ClassSensitivity, ...] = ()
    if loss.name in _ABOUT_RIGHT:
        per_class = class_sensitivities(estimates, order.level)
    if loss.name in promised:
        bounds = (*bounds, promised[loss.name])
    if loss.name == "balanced-accuracy" and per_class:
        bounds = (*bounds, across_classes(per_class, order.level))
    return LossAssessment(
        loss=loss.name,
        greater_is_better=loss.greater_is_better,
        estimate=sample.estimate,
        folds=tuple(sample.folds.tolist()),
        bounds=bounds,
        per_class=per_class,
        cases=() if sample.cases is None else tuple(sample.cases.tolist()),
        tests=() if sample.tests is None else tuple(sample.tests.tolist()),
        of_class=loss.class_of(estimates.problem.classes),
        no_interval=unpromised(estimates, sample),
    )


def _decomposed(
    name: str,
    model: Any,
    estimates: Estimates,
    order: Order,
    rng: np.random.Generator,
) -> tuple[tuple[BiasVariance, ...], tuple[str, ...]]:
    """Decompose the error, or say why not; on more fits if no case was tested twice."""
    if not order.with_bias_variance:
        return (), ()
    problem, n_extra = estimates.problem, 0
    rows = estimates.tested()
    try:
        if rows.size < 2 * np.unique(rows).size:
            n_extra = _BIAS_FITS
            plan = draw_plan(Sampling(kind="boot", n_folds=n_extra), problem, rng)
            estimates = collect_estimates(
                model, problem, plan, rng=rng, run=order.run, part=f"{name}/bias",
                what="bias and variance",
            )  # fmt: skip
        if estimates.is_empty:
            return (), ()
        pooled = estimates.pooled()
        found = bias_variance(
            pooled.truth, pooled.predicted, estimates.tested(), pooled.n_classes
        )
    except InsufficientDataError as error:
        return (), (f"no bias and variance: {str(error).removesuffix('.')}",)
    return tuple(replace(part, n_extra=n_extra) for part in found), ()
