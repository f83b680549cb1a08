"""Intervals, tests and comparisons from estimates alone, wherever they come from.

Predictors are split and tested by `assess`; what only describes (biclusters) cannot be,
so that its estimates come from repeats, and are passed in here by whoever made them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from scorecast._core.checks import check_share, check_times
from scorecast._core.keywords import checked_keywords
from scorecast._core.result import INPUT, OPTION, SHARE
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.evaluation.assessment import (
    MetricAssessment,
    ModelAssessment,
    _OfModels,
    compare_models,
)
from scorecast.evaluation.intervals import vector_intervals
from scorecast.evaluation.metrics import METRICS, Metric
from scorecast.evaluation.null_tests import (
    NullTest,
    NullTestSummary,
    in_units,
    judge,
    paired_test,
)
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

Limits = tuple[float, float]
_EVERYTHING: Limits = (-math.inf, math.inf)


class RepeatKind(StrEnum):
    """What a repeat is."""

    REPEATS = "repeats"
    SUBSAMPLES = "subsamples"
    SIMULATED = "simulated"


@dataclass(frozen=True, kw_only=True, repr=False)
class EstimateAssessment(_OfModels):
    """Intervals, tests and comparison of models, from estimates of any kind.

    Attributes
    ----------
    models : dict of str to ModelAssessment
        By name; the folds of a metric are the repeats.
    comparisons : tuple of ModelComparison
        Every pair of models on the same repeats, through the first metric.
    notes : tuple of Note
        What the reader must know; codes of `AssessmentNote`.
    n_repeats : int
        Number of repeats.
    repeats : RepeatKind
        What a repeat is.
    n_rows, n_columns : int or None
        Size of one matrix, of biclusters.
    subsample : float or None
        Share of rows in a subsample.
    has_truth : bool or None
        Whether hidden biclusters were known; if not, what is found in a subsample is
        compared with what the same algorithm finds in all rows.
    overlap : float
        Variance of the mean beyond 1/k, by that of one estimate.
    confidence_level : float
        Level of intervals.
    alpha, relaxed_alpha : float
        Levels of the verdict.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "estimate-assessment"

    n_repeats: int = field(metadata=INPUT)
    repeats: RepeatKind = field(default=RepeatKind.REPEATS, metadata=INPUT)
    n_rows: int | None = field(default=None, metadata=INPUT)
    n_columns: int | None = field(default=None, metadata=INPUT)
    subsample: float | None = field(default=None, metadata=INPUT)
    has_truth: bool | None = field(default=None, metadata=INPUT)
    overlap: float = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    alpha: float = field(metadata=OPTION | SHARE)
    relaxed_alpha: float = field(metadata=OPTION | SHARE)
    seed: int | None = field(metadata=OPTION)


@checked_keywords
def assess_estimates(
    estimates: Mapping[str, Any],
    *,
    greater_is_better: bool | Mapping[str, bool] | None = None,
    overlap: float = 0.0,
    nulls: Mapping[str, Mapping[str, Any]] | None = None,
    limits: Limits | Mapping[str, Limits] | None = None,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    relaxed_alpha: float = 0.2,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
) -> EstimateAssessment:
    r"""Bound, test and compare models from their estimates.

    The mean of k repeats has Student's interval if these are drawn anew. Subsamples of
    b of n samples overlap, and their mean varies as

    .. math:: s^2 \left(\frac{1}{k} + \frac{b}{n - b}\right)

    (the delete-d jackknife [1]_), which `overlap` = b / (n - b) says.

    Parameters
    ----------
    estimates : mapping
        By model, a vector of values or a mapping of metrics to vectors. Repeats are the
        same for all models; NaN where one failed.
    greater_is_better : bool or mapping of str to bool, optional
        Which way is better; needed for what is none of `METRICS`.
    overlap : float, default=0
        0 for independent repeats; b / (n - b) for subsamples of b of n samples.
    nulls : mapping of str to mapping, optional
        By null setting, estimates of the same models where there is nothing to find.
    limits : tuple of float, or mapping of str to tuple, optional
        Least and greatest possible value, for what is none of `METRICS`.
    confidence_level : float, default=0.95
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
        Intervals by model and metric, tests against null settings, comparisons.

    Raises
    ------
    InsufficientDataError
        If a model has fewer than two values.

    References
    ----------
    .. [1] J. Shao and C. F. J. Wu (1989). A general theory for jackknife variance
       estimation. Annals of Statistics 17.

    Examples
    --------
    >>> found = assess_estimates({"a": [0.8, 0.7, 0.9], "b": [0.5, 0.4, 0.7]},
    ...                          greater_is_better=True)
    >>> found.best
    'a'
    >>> round(found.comparisons[0].difference, 3)
    0.267
    """
    level = check_share(confidence_level, "confidence_level", is_open=True)
    alpha = check_share(alpha, "alpha", is_open=True)
    relaxed_alpha = check_share(relaxed_alpha, "relaxed_alpha", is_open=True)
    n_resamples = check_times(n_resamples, "n_resamples", least=0)
    if not overlap >= 0:
        raise UsageError(f"must be 0 or more; got {overlap!r}", parameter="overlap")
    table = _check_table(estimates, "estimates")
    beside = {
        str(setting): _check_table(values, "nulls")
        for setting, values in (nulls or {}).items()
    }
    names, first_rows = list(table), next(iter(table.values()))
    metrics = {x: _metric(x, greater_is_better, limits) for x in first_rows}
    rng = as_generator(random_state)
    models = {}
    for name, stream in zip(names, rng.spawn(len(names)), strict=True):
        measured = {
            metric: _one_metric(
                name,
                metrics[metric],
                values,
                level=level,
                overlap=overlap,
                rng=stream,
                n_resamples=n_resamples,
            )
            for metric, values in table[name].items()
        }
        tests = _null_tests(
            next(iter(measured.values())),
            {setting: rows[name] for setting, rows in beside.items()},
            overlap,
            (alpha, relaxed_alpha),
        )
        models[name] = ModelAssessment(metrics=measured, null_tests=tests)
    first = next(iter(first_rows))
    folds = {name: table[name][first] for name in names}
    return EstimateAssessment(
        models=models,
        comparisons=compare_models(folds, first, overlap, level),
        n_repeats=int(folds[names[0]].size),
        overlap=float(overlap),
        confidence_level=level,
        alpha=alpha,
        relaxed_alpha=relaxed_alpha,
        seed=seed_number(random_state),
    )


def _check_table(estimates: Any, parameter: str) -> dict[str, dict[str, FloatArray]]:
    """Check plain numbers, by model and metric."""
    if not isinstance(estimates, Mapping) or not estimates:
        problem = "must be values by model, as {'name': [values]}"
        raise UsageError(problem, parameter=parameter)
    table = {
        str(name): {
            str(metric): _vector(values, f"{name}, {metric}", parameter)
            for metric, values in _by_metric(rows).items()
        }
        for name, rows in estimates.items()
    }
    metrics = list(next(iter(table.values())))
    sizes = {v.size for rows in table.values() for v in rows.values()}
    if any(list(rows) != metrics for rows in table.values()) or len(sizes) > 1:
        problem = "every model needs the same metrics, with as many values of each"
        raise InvalidInputError(problem, parameter=parameter)
    return table


def _by_metric(rows: Any) -> Mapping[str, Any]:
    return rows if isinstance(rows, Mapping) else {"value": rows}


def _vector(values: Any, where: str, parameter: str) -> FloatArray:
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        problem = f"{where}: values must be numbers"
        raise InvalidInputError(problem, parameter=parameter) from error
    if vector.ndim != 1 or np.isinf(vector).any():
        problem = f"{where}: values must be a list of finite numbers (or NaN)"
        raise InvalidInputError(problem, parameter=parameter)
    return vector


def _metric(
    name: str,
    greater_is_better: bool | Mapping[str, bool] | None,
    limits: Limits | Mapping[str, Limits] | None,
) -> Metric:
    """Return what is known of a metric: from the registry, or from the caller."""
    known = METRICS.get(name)
    given: Any = greater_is_better
    if isinstance(given, Mapping):
        given = given.get(name)
    if given is None and known is None:
        raise UsageError(
            f"say which way {name!r} is better",
            parameter="greater_is_better",
            remedy="True or False",
        )
    is_greater = known.greater_is_better if given is None and known else bool(given)
    ends: Any = limits.get(name) if isinstance(limits, Mapping) else limits
    if ends is None:
        ends = _EVERYTHING if known is None else (known.low, known.high)
    return Metric(
        name=name,
        title=name,
        summary="",
        greater_is_better=is_greater,
        low=float(ends[0]),
        high=float(ends[1]),
    )


def _one_metric(
    name: str,
    metric: Metric,
    values: FloatArray,
    *,
    level: float,
    overlap: float,
    rng: np.random.Generator,
    n_resamples: int,
) -> MetricAssessment:
    known = values[np.isfinite(values)]
    if known.size < 2:
        problem = f"{name}: {metric.name} has {known.size} value(s)"
        remedy = "give 2 at least"
        raise InsufficientDataError(problem, parameter="estimates", remedy=remedy)
    intervals = vector_intervals(
        values,
        level=level,
        overlap=overlap,
        limits=(metric.low, metric.high),
        rng=rng,
        n_resamples=n_resamples,
    )
    quoted = next(x for x in intervals if x.is_recommended)
    return MetricAssessment(
        metric=metric.name,
        greater_is_better=metric.greater_is_better,
        estimate=float(known.mean()),
        low=quoted.low,
        high=quoted.high,
        left_out=float(known.mean()),
        folds=tuple(values.tolist()),
        intervals=intervals,
    )


def _null_tests(
    first: MetricAssessment,
    nulls: Mapping[str, Mapping[str, FloatArray]],
    overlap: float,
    alphas: tuple[float, float],
) -> NullTestSummary | None:
    """Compare with null settings, repeat by repeat, through the first metric."""
    if not nulls:
        return None
    sign = -1.0 if first.greater_is_better else 1.0
    values = sign * np.array(first.folds)
    tests = {
        setting: paired_test(values, sign * rows[first.metric], overlap)
        for setting, rows in nulls.items()
    }
    verdict, basis = judge(tests, alpha=alphas[0], relaxed_alpha=alphas[1])

    def turned(test: NullTest) -> NullTest:
        return in_units(test, greater_is_better=first.greater_is_better)

    return NullTestSummary(
        metric=first.metric,
        permuted=None,
        null_models={setting: turned(test) for setting, test in tests.items()},
        verdict=verdict,
        basis=basis,
    )
