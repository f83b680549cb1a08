"""Selection outside and inside the loop of an assessment."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from scorecast.exceptions import InsufficientDataError
from scorecast.guarantees.bounds import all_bounds, recommended, unpromised
from scorecast.guarantees.estimates import Estimates, LossSample, collect_estimates
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan
from scorecast.guarantees.selection_bias import SelectionBias
from scorecast.guarantees.tables import columns_of

__all__ = ["loop_bias"]


def loop_bias(
    model: Any,
    problem: Problem,
    plan: Plan,
    loss: Loss,
    *,
    n_selected: int,
    level: float,
    rng: np.random.Generator,
    run: Run,
    part: str,
    seed: int | None,
) -> SelectionBias:
    """Test a model on selected features, chosen on all cases and in every split.

    Parameters
    ----------
    model : estimator
        As scikit-learn's.
    problem : Problem
        The cases.
    plan : Plan
        The splits, the same for both.
    loss : Loss
        What is measured.
    n_selected : int
        Features to select, those with the largest F.
    level : float
        Confidence of intervals.
    rng : numpy.random.Generator
        Parent of all streams; the same ones for both.
    run : Run
        How tasks are run.
    part : str
        Name in a record.
    seed : int or None
        What the caller gave.

    Returns
    -------
    SelectionBias
        Both values with intervals.

    Raises
    ------
    InsufficientDataError
        If the model fails in every split.
    """
    from sklearn.feature_selection import SelectKBest, f_classif, f_regression
    from sklearn.pipeline import make_pipeline

    statistic = f_classif if problem.is_classification else f_regression
    selector = SelectKBest(statistic, k=n_selected)
    with warnings.catch_warnings():
        # A constant feature makes it complain; it is never among the best.
        warnings.simplefilter("ignore")
        picked = selector.fit(problem.X, problem.y).get_support()
    fit_seed, bound_seed = (int(x) for x in rng.integers(2**31, size=2))
    found = []
    for name, estimator, task in (
        ("outside", model, problem.with_features(columns_of(problem.X, picked))),
        ("inside", make_pipeline(selector, model), problem),
    ):
        estimates = collect_estimates(
            estimator, task, plan, rng=np.random.default_rng(fit_seed), run=run,
            part=f"{part}/{name}", what=f"selecting {name}",
        )  # fmt: skip
        found.append(_measured(estimates, loss, level, bound_seed))
    (outside, out_span), (inside, in_span) = found
    return SelectionBias(
        outside=outside.folds,
        inside=inside.folds,
        outside_estimate=outside.estimate,
        inside_estimate=inside.estimate,
        outside_interval=out_span,
        inside_interval=in_span,
        n_cases=problem.n,
        n_features=problem.m,
        n_selected=n_selected,
        estimator=f"largest F, then {' '.join(repr(model).split())}",
        loss=loss.name,
        greater_is_better=loss.greater_is_better,
        worst=loss.low if loss.greater_is_better else loss.high,
        test_ratio=plan.test_ratio,
        level=level,
        seed=seed,
    )


def _measured(
    estimates: Estimates, loss: Loss, level: float, seed: int
) -> tuple[LossSample, tuple[float, float]]:
    if estimates.is_empty or not estimates.can_measure(loss):
        reason = estimates.failures[0] if estimates.failures else f"no {loss.needs}"
        msg = f"with selected features every split failed ({reason})"
        raise InsufficientDataError(msg)
    sample = estimates.measure(loss)
    bounds = all_bounds(
        estimates, sample, level=level, rng=np.random.default_rng(seed), n_resamples=200
    )
    if unpromised(estimates, sample):
        return sample, (math.nan, math.nan)
    bound = recommended(bounds)
    return sample, (bound.low, bound.high)
