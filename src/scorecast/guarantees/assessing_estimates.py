"""Bounds, feasibility and comparison from estimates alone, wherever they come from.

Predictors are split and tested by `assess`; descriptive models (biclusters) cannot be,
so their estimates come from repeats, and are passed in here by whoever collected them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from scorecast._core.checks import check_level
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.bounds import vector_bounds
from scorecast.guarantees.estimate_assessment import (
    EstimateAssessment,
    EstimatedModel,
)
from scorecast.guarantees.feasibility import NullTest, Verdict, in_units, paired_test
from scorecast.guarantees.losses import LOSSES
from scorecast.guarantees.model_assessment import LossAssessment
from scorecast.guarantees.model_comparison import compare_models

__all__ = ["CollectedEstimates", "assess_estimates"]

Values = Mapping[str, Mapping[str, FloatArray]]
_EVERYTHING = (-math.inf, math.inf)


@runtime_checkable
class CollectedEstimates(Protocol):
    """What a collection of estimates must say of itself."""

    @property
    def estimates(self) -> Values:
        """By model and loss, one value per repeat."""

    @property
    def nulls(self) -> Mapping[str, Values]:
        """By null setting, the same values there."""

    @property
    def greater_is_better(self) -> Mapping[str, bool]:
        """By loss, which way is better."""

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """By loss, its least and greatest possible value."""

    @property
    def overlap(self) -> float:
        """Variance of a mean beyond 1/k, by that of one estimate."""

    @property
    def unit(self) -> str:
        """What a repeat is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Table:
    """Estimates that somebody holds as plain numbers."""

    estimates: Values
    nulls: Mapping[str, Values]
    greater_is_better: Mapping[str, bool]
    ranges: Mapping[str, tuple[float, float]]
    overlap: float = 0.0
    unit: str = "repeats"


@checked_keywords
def assess_estimates(
    estimates: Any,
    *,
    greater_is_better: bool | Mapping[str, bool] | None = None,
    overlap: float = 0.0,
    level: float = 0.95,
    alpha: float = 0.05,
    relaxed_alpha: float = 0.2,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
) -> EstimateAssessment:
    """Bound, test and compare models from their estimates.

    Parameters
    ----------
    estimates : BiclusterEstimates, or mapping
        What `scorecast.bicluster_estimates` collected; or, by model, a vector of
        values or a mapping of losses to vectors. Repeats are the same for all models.
    greater_is_better : bool or mapping of str to bool, optional
        Which way is better; needed for losses of a mapping that `assess` does not
        know.
    overlap : float, default=0
        For a mapping: 0 for independent repeats; b / (n - b) for subsamples of b of n
        cases.
    level : float, default=0.95
        Level of intervals.
    alpha, relaxed_alpha : float, default=0.05 and 0.2
        Levels below which a result is feasible, and exploratory.
    n_resamples : int, default=1000
        Bootstrap resamples; 0 leaves that interval out.
    random_state : int, Generator or None, default=0
        Seed of the bootstrap.

    Returns
    -------
    EstimateAssessment
        Bounds by model and loss, tests against null settings, comparisons.

    Raises
    ------
    InsufficientDataError
        If a model has fewer than two values.

    Examples
    --------
    >>> found = assess_estimates({"a": [0.8, 0.7, 0.9], "b": [0.5, 0.4, 0.7]},
    ...                          greater_is_better=True)
    >>> found.best.name
    'a'
    >>> round(found.comparisons[0].difference, 3)
    0.267
    """
    level, alpha = check_level(level), check_level(alpha, "alpha")
    relaxed_alpha = check_level(relaxed_alpha)
    collected: CollectedEstimates
    if isinstance(estimates, CollectedEstimates):
        collected = estimates
    else:
        collected = _tabled(estimates, greater_is_better, overlap)
    rng = as_generator(random_state)
    names = list(collected.estimates)
    first = next(iter(collected.estimates[names[0]]))
    models = tuple(
        _one_model(name, collected, level, (alpha, relaxed_alpha), n_resamples, stream)
        for name, stream in zip(names, rng.spawn(len(names)), strict=True)
    )
    folds = {name: np.asarray(collected.estimates[name][first]) for name in names}
    return EstimateAssessment(
        models=models,
        comparisons=compare_models(folds, first, collected.overlap, level),
        n_repeats=int(folds[names[0]].size),
        unit=collected.unit,
        overlap=collected.overlap,
        level=level,
        alpha=alpha,
        relaxed_alpha=relaxed_alpha,
        seed=seed_number(random_state),
        warnings=tuple(getattr(collected, "warnings", ())),
    )


def _tabled(
    estimates: Any, greater_is_better: bool | Mapping[str, bool] | None, overlap: float
) -> _Table:
    """Check plain numbers."""
    if not isinstance(estimates, Mapping) or not estimates:
        msg = "Give estimates by model, as {'name': [values]}."
        raise UsageError(msg)
    if not overlap >= 0:
        msg = f"`overlap` must be 0 or more; got {overlap!r}."
        raise UsageError(msg)
    table = {
        str(name): {
            str(loss): _vector(values, f"{name}, {loss}")
            for loss, values in _by_loss(rows).items()
        }
        for name, rows in estimates.items()
    }
    losses = next(iter(table.values()))
    sizes = {v.size for rows in table.values() for v in rows.values()}
    if any(list(rows) != list(losses) for rows in table.values()) or len(sizes) > 1:
        msg = "Every model needs the same losses, with as many values of each."
        raise InvalidInputError(msg)
    return _Table(
        estimates=table,
        nulls={},
        greater_is_better={x: _direction(x, greater_is_better) for x in losses},
        ranges={
            x: (LOSSES[x].low, LOSSES[x].high) if x in LOSSES else _EVERYTHING
            for x in losses
        },
        overlap=float(overlap),
    )


def _by_loss(rows: Any) -> Mapping[str, Any]:
    return rows if isinstance(rows, Mapping) else {"value": rows}


def _vector(values: Any, where: str) -> FloatArray:
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{where}: values must be numbers."
        raise InvalidInputError(msg) from error
    if vector.ndim != 1 or np.isinf(vector).any():
        msg = f"{where}: values must be a list of finite numbers (or NaN)."
        raise InvalidInputError(msg)
    return vector


def _direction(loss: str, given: bool | Mapping[str, bool] | None) -> bool:
    if isinstance(given, bool):
        return given
    if given is not None and loss in given:
        return bool(given[loss])
    if loss in LOSSES:
        return LOSSES[loss].greater_is_better
    msg = f"Say which way {loss!r} is better: greater_is_better=True or False."
    raise UsageError(msg)


def _one_model(
    name: str,
    collected: CollectedEstimates,
    level: float,
    alphas: tuple[float, float],
    n_resamples: int,
    rng: np.random.Generator,
) -> EstimatedModel:
    rows = collected.estimates[name]
    losses = []
    for loss, values in rows.items():
        known = values[np.isfinite(values)]
        if known.size < 2:
            msg = f"{name}: {loss} has {known.size} value(s); 2 at least are needed."
            raise InsufficientDataError(msg)
        bounds = vector_bounds(
            values,
            level=level,
            overlap=collected.overlap,
            limits=collected.ranges.get(loss, _EVERYTHING),
            rng=rng,
            n_resamples=n_resamples,
        )
        losses.append(
            LossAssessment(
                loss=loss,
                greater_is_better=collected.greater_is_better[loss],
                estimate=float(known.mean()),
                folds=tuple(values.tolist()),
                bounds=bounds,
            )
        )
    first = losses[0]
    tests = tuple(
        _test(setting, first, rows[first.loss], null[name], collected.overlap)
        for setting, null in collected.nulls.items()
    )
    verdict = _judged(tests, *alphas) if tests else None
    return EstimatedModel(name=name, losses=tuple(losses), tests=tests, verdict=verdict)


def _test(
    setting: str,
    loss: LossAssessment,
    values: FloatArray,
    null: Mapping[str, FloatArray],
    overlap: float,
) -> NullTest:
    sign = -1.0 if loss.greater_is_better else 1.0
    test = paired_test(setting, sign * values, sign * null[loss.loss], overlap)
    return in_units(test, sign)


def _judged(tests: tuple[NullTest, ...], alpha: float, relaxed_alpha: float) -> Verdict:
    """Weigh the tests: the weakest decides."""
    worst = max(tests, key=lambda t: math.inf if math.isnan(t.worst_p) else t.worst_p)
    p = worst.worst_p
    if math.isnan(p):
        return Verdict(
            word="not supported",
            reason=f"{worst.setting}: {worst.note}.",
            n_needed=None,
        )
    number = f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
    said = f"against {worst.setting} {number}"
    if p <= alpha:
        others = " and ".join(test.setting for test in tests)
        reason = f"better than {others} ({said} at most)."
        return Verdict(word="feasible", reason=reason, n_needed=None)
    if p <= relaxed_alpha:
        reason = f"{said}, within {relaxed_alpha:g} but not {alpha:g}."
        return Verdict(word="exploratory only", reason=reason, n_needed=None)
    reason = f"{said}: not shown to be any better."
    return Verdict(word="not supported", reason=reason, n_needed=None)
