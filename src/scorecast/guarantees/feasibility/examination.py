"""Hold a model against every null setting."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from scorecast._core.progress import stage
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.permutation import moved, n_arrangements
from scorecast.guarantees.estimates import Estimates, collect_estimates
from scorecast.guarantees.feasibility.null_data import draw_null_data
from scorecast.guarantees.feasibility.permutations import (
    exchange_pools,
    permuted_draws,
)
from scorecast.guarantees.feasibility.pooled import (
    Draws,
    PooledView,
    draws_of,
    row_of,
)
from scorecast.guarantees.feasibility.result import Feasibility
from scorecast.guarantees.feasibility.significance import (
    NullTest,
    density_p,
    drawn_test,
    in_units,
    paired_test,
    unknown,
)
from scorecast.guarantees.feasibility.verdict import judge
from scorecast.guarantees.fitting import fit_and_test
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.outcomes import pooled_outcome
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan

__all__ = ["NullSettings", "counted_test", "examine"]

_NOTHING_MOVES = (
    "no two groups of the same size differ in class, nor cases of a group: nothing can "
    "be permuted"
)


@dataclass(frozen=True, kw_only=True)
class NullSettings:
    """How feasibility is tested.

    Attributes
    ----------
    n_permutations : int or None
        Permutations; None means as many as are usual for the model.
    n_null_data : int
        Null data sets; 0 leaves them out.
    scheme : str
        Whether tests are permuted too (``"all"``) or not (``"train"``).
    null_data : str
        Kind of null data.
    alpha, relaxed_alpha : float
        Levels of the verdict.
    """

    n_permutations: int | None = None
    n_null_data: int = 20
    scheme: str = "all"
    null_data: str = "shrunk"
    alpha: float = 0.05
    relaxed_alpha: float = 0.2


_MAJORITY = "the most frequent class"
# Cases drawn one by one would lack what the cases of a group have in common, and what
# groups differ by would pass for a difference of classes.
_NO_NULL_DATA = NullTest(
    setting="null data", p=math.nan, p_rank=math.nan, smallest_p=math.nan,
    null_value=math.nan, gap=math.nan, stderr=math.nan, n_draws=0,
    note="not drawn, as cases of a group are not independent of one another",
)  # fmt: skip


def examine(
    estimator: Any,
    estimates: Estimates,
    loss: Loss,
    settings: NullSettings,
    *,
    rng: np.random.Generator,
    run: Run | None = None,
    part: str = "model",
) -> Feasibility:
    """Test whether an estimate beats chance, null models and null data.

    Parameters
    ----------
    estimator : estimator
        The model.
    estimates : Estimates
        Its tests on the real data.
    loss : Loss
        What to compare.
    settings : NullSettings
        How.
    rng : numpy.random.Generator
        Where randomness comes from.
    run : Run, optional
        How tasks are run.
    part : str
        Name of the model in a record.

    Returns
    -------
    Feasibility
        All tests and the verdict.
    """
    problem, plan, run = estimates.problem, estimates.plan, run or Run()
    needed = tuple(fold.outcome is not None for fold in estimates.folds)
    with stage(f"{part}: permuted data"):
        drawn = permuted_draws(
            estimator, problem, plan, loss, n_permutations=settings.n_permutations,
            rng=rng, run=run, part=f"{part}/permuted", scheme=settings.scheme,
            needed=needed,
        )  # fmt: skip
    others = _null_models(problem, plan, rng)
    with stage(f"{part}: null data"):
        null = _null_data_draws(
            estimator, problem, plan, loss, settings, needed, rng=rng, run=run,
            part=part,
        )  # fmt: skip
    view = None
    if PooledView.is_needed(estimates, loss, (drawn, null)):
        view = PooledView(estimates=estimates, loss=loss, rng=rng)
    permuted = _of_few(
        _drawn_test("permuted data", estimates, loss, drawn, view),
        exchange_pools(problem, plan, settings.scheme),
        problem,
    )
    models = _null_model_tests(estimates, others, loss, view)
    data = _null_data_test(estimates, loss, null, view, settings)
    undefined = _no_density(plan, permuted, view)
    density = least = math.nan
    if not undefined:
        density, least = _density(estimates, loss, drawn)
    verdict = judge(
        permuted, models, data, n=problem.n, alpha=settings.alpha,
        relaxed_alpha=settings.relaxed_alpha,
    )  # fmt: skip
    return Feasibility(
        loss=loss.name,
        permuted=_turned(permuted, loss),
        null_model=_turned(max(models, key=lambda t: t.p), loss),
        null_models=tuple(_turned(test, loss) for test in models),
        null_data=None if data is None else _turned(data, loss),
        permutation_density=density,
        smallest_density=least,
        density_note=undefined,
        verdict=verdict,
    )


def _null_data_test(
    estimates: Estimates,
    loss: Loss,
    draws: Draws,
    view: PooledView | None,
    settings: NullSettings,
) -> NullTest | None:
    """Test against null data, or say why there are none."""
    problem = estimates.problem
    if problem.groups is not None and problem.is_classification:
        return _NO_NULL_DATA if settings.n_null_data else None
    if not draws.pooled.size:
        return None
    return _drawn_test("null data", estimates, loss, draws, view)


def _of_few(test: NullTest, pools: list[list[IntArray]], problem: Problem) -> NullTest:
    """Allow for the number of ways in which features can be dealt out to targets."""
    number = math.prod(n_arrangements(own, problem.y) for own in pools)
    if number < 2:
        return unknown(test.setting, _NOTHING_MOVES)
    stay = problem.n - np.unique(np.concatenate([moved(own) for own in pools])).size
    note = (
        f"{stay} of {problem.n} cases cannot change places: no other group is as large"
    )
    return replace(
        test,
        # Of few arrangements the observed one is a fair share, met again or not.
        p_rank=max(test.p_rank, 1 / number),
        smallest_p=max(test.smallest_p, 1 / number),
        note="; ".join(part for part in (test.note, note if stay else "") if part),
    )


def _drawn_test(
    setting: str,
    estimates: Estimates,
    loss: Loss,
    draws: Draws,
    view: PooledView | None,
) -> NullTest:
    ratio = estimates.plan.test_ratio
    if view is None:
        observed = loss.as_error(estimates.measure(loss).folds)
        return counted_test(setting, observed, loss.as_error(draws.folds), ratio)
    test = counted_test(setting, view.observed, view.errors(draws), ratio, view.own)
    return replace(test, note="; ".join(x for x in (view.note, test.note) if x))


def _no_density(plan: Plan, permuted: NullTest, view: PooledView | None) -> str:
    """Say why values of single splits cannot be counted; empty where they can."""
    if math.isnan(permuted.worst_p):
        return permuted.note or "there is no test against permuted data"
    if view is not None:
        return view.note
    if plan.tests_few:
        # Of single cases even a perfect model is matched by every lucky one.
        return (
            f"not counted, as splits test {plan.n_test:.2g} case"
            f"{'' if plan.n_test == 1 else 's'} each: many are right by luck"
        )
    return ""


def _density(estimates: Estimates, loss: Loss, draws: Draws) -> tuple[float, float]:
    observed = loss.as_error(estimates.measure(loss).folds)
    known = ~np.isnan(observed)
    if not known.any():
        return math.nan, math.nan
    mean = float(observed[known].mean())
    return density_p(mean, loss.as_error(draws.folds)[:, known])


def counted_test(
    setting: str,
    observed: FloatArray,
    errors: FloatArray,
    test_ratio: float,
    own: tuple[float, int] | None = None,
) -> NullTest:
    """Test against draws of which some may have failed; those count as as good.

    Parameters
    ----------
    setting : str
        The null setting.
    observed : ndarray of shape (n_splits,)
        Errors of the model; NaN where undefined.
    errors : ndarray of shape (n_draws, n_splits)
        Errors in the null setting; NaN where a fit failed.
    test_ratio : float
        Cases tested per case learned from.
    own : tuple of float and int, optional
        As of `drawn_test`.

    Returns
    -------
    NullTest
        With a note of how many draws failed.
    """
    # A split that failed for the model itself is left out of the draws as well.
    failed = np.isnan(errors[:, ~np.isnan(observed)]).any(axis=1)
    test = drawn_test(setting, observed, errors[~failed], test_ratio, own)
    lost, total = int(failed.sum()), failed.size
    if not lost:
        return test
    note = f"{lost} of {total} draws failed and count against the model"
    rank = (test.p_rank * (1 + test.n_draws) + lost) / (1 + test.n_draws + lost)
    return replace(
        test,
        p_rank=rank,
        smallest_p=test.smallest_p * (1 + test.n_draws) / (1 + test.n_draws + lost),
        note="; ".join(part for part in (test.note, note) if part),
    )


def _turned(test: NullTest, loss: Loss) -> NullTest:
    return in_units(test, -1.0 if loss.greater_is_better else 1.0)


def _null_models(
    problem: Problem, plan: Plan, rng: np.random.Generator
) -> dict[str, Estimates]:
    # They bring scikit-learn along, which reading a result does without.
    from scorecast.guarantees.feasibility.null_models import (
        FeatureModeClassifier,
        MajorityClassifier,
        MeanRegressor,
    )

    models: dict[str, Any] = {"the mean": MeanRegressor()}
    if problem.is_classification:
        models = {
            "the feature-mode classifier": FeatureModeClassifier(),
            _MAJORITY: MajorityClassifier(),
        }
    return {
        name: collect_estimates(model, problem, plan, rng=rng, run=Run(n_jobs=1))
        for name, model in models.items()
    }


def _null_model_tests(
    estimates: Estimates,
    others: dict[str, Estimates],
    loss: Loss,
    view: PooledView | None,
) -> tuple[NullTest, ...]:
    observed, tests = loss.as_error(estimates.measure(loss).folds), []
    for name, found in others.items():
        if view is None:
            values = loss.as_error(found.measure(loss).folds)
            ratio = estimates.plan.test_ratio
            tests.append(paired_test(name, observed, values, ratio))
            continue
        pairs = zip(found.folds, estimates.folds, strict=True)
        same = [fold.outcome for fold, own in pairs if own.outcome is not None]
        said = [outcome for outcome in same if outcome is not None]
        if len(said) < len(same):
            tests.append(unknown(name, "it failed in some splits"))
            continue
        other = view.constant() if name == _MAJORITY else pooled_outcome(said)
        tests.append(view.compared(name, other))
    return tuple(tests)


def _null_data_draws(
    estimator: Any,
    problem: Problem,
    plan: Plan,
    loss: Loss,
    settings: NullSettings,
    needed: tuple[bool, ...],
    *,
    rng: np.random.Generator,
    run: Run,
    part: str,
) -> Draws:
    # There may be no classes to be conditional on; nor are cases of a group drawn one
    # by one.
    if not problem.is_classification or problem.groups is not None:
        return draws_of([], len(plan.splits))
    kind, limit = settings.null_data, run.time_limit
    rows = run.map(
        partial(
            _one_null_data_set, estimator, problem, plan, loss, kind, limit, needed
        ),
        range(settings.n_null_data),
        part=f"{part}/null data",
        rng=rng,
        what="null data",
    )
    return draws_of(rows, len(plan.splits))


def _one_null_data_set(
    estimator: Any,
    problem: Problem,
    plan: Plan,
    loss: Loss,
    kind: str,
    time_limit: float | None,
    needed: tuple[bool, ...],
    number: int,
    rng: np.random.Generator,
) -> list[float]:
    del number
    data = problem.with_features(draw_null_data(problem, kind, rng))
    outcomes = [
        fit_and_test(
            estimator, data, split, rng, time_limit=time_limit,
            with_scores=loss.needs != "labels",
        ).outcome
        for split in plan.splits
    ]  # fmt: skip
    return row_of(loss, outcomes, needed)
