"""Forecast the cost of decisions among more classes than were observed.

Risk is the chance of a mistake times what a mistake costs on average. The first is
forecast as accuracy is, by the same methods with the same interval, the second is
carried on from the observed curves (`mistake_cost`). If every mistake costs one, the
answer is one minus the accuracy that `extrapolate` forecasts, ends of the interval and
all. Up to the observed classes nothing is carried on: risk is that of the risk curve.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_choice,
    check_class_counts,
    check_level,
    check_matrix,
    check_n_jobs,
)
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import IntArray, RandomState
from scorecast.classes.assumptions import describe_assumptions, describe_cautions
from scorecast.classes.evidence import Evidence, given_scores
from scorecast.classes.extrapolation import OBSERVED_NOTE, far_note
from scorecast.classes.methods import METHODS, make_method, with_jobs
from scorecast.classes.risk_extrapolation import RiskExtrapolation, RiskPrediction
from scorecast.classes.risk_forecast import (
    MOMENTS,
    NOTHING_BEYOND,
    RiskForecast,
    forecast_risk,
    forecast_risk_by_moments,
    observed_risk,
)
from scorecast.classes.risk_problem import RiskProblem
from scorecast.exceptions import (
    ExtrapolationWarning,
    InsufficientDataError,
    UsageError,
)
from scorecast.scores import (
    AVERAGES,
    TIE_RULES,
    Embeddings,
    Recogniser,
    Scores,
)

__all__ = ["RISK_METHODS", "extrapolate_risk"]

RISK_METHODS = (*METHODS, MOMENTS)
_LIKE_COSTS = (
    "the costs of new classes are like those given; beyond the data the cost of a "
    "mistake goes on changing half as fast as it did"
)
_NO_INTERVAL = (
    "No interval: what a mistake costs is known from leaving classes out, and there "
    "are too few."
)
_FAULTLESS = (
    "No mistake was seen: one is taken to cost what all possible ones cost on average, "
    "and in the interval anything from the least to the most."
)


def extrapolate_risk(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    cost: ArrayLike,
    to: int | Sequence[int],
    method: str = "auto",
    ties: str = "random",
    average: str = "macro",
    level: float = 0.9,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    **options: Any,
) -> RiskExtrapolation:
    """Forecast the average cost of a decision among more classes.

    Parameters
    ----------
    scores : array-like of shape (n_examples, n_classes), Scores or Embeddings
        What the recogniser gave for the observed classes.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    cost : array-like of shape (n_classes, n_classes)
        ``cost[l, i]`` of deciding for class l where class i is true.
    to : int or sequence of int
        Numbers of classes to forecast. At or below the observed number the exact
        average over subsets is given instead of a forecast.
    method : str, default="auto"
        How the chance of a mistake is forecast: any method of `extrapolate`. Or
        "moments", which carries on the risk curve itself and is too low far out.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Rule for ties of the true class.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every example.
    level : float, default=0.9
        Level of the intervals.
    classes : sequence of hashable, optional
        Labels of the columns.
    greater_is_better : bool, default=True
        False for distances.
    random_state : int, Generator or None, default=0
        For all random choices; the same answer for any `n_jobs`.
    n_jobs : int, optional
        Number of threads.
    **options
        Options of the method, such as ``bandwidth=0.5``.

    Returns
    -------
    RiskExtrapolation
        The forecast, and how its interval was made.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(60, 12)) + 2 * np.eye(12)[np.arange(60) % 12]
    >>> cost = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    >>> answer = extrapolate_risk(scores, np.arange(60) % 12, cost=cost, to=48)
    >>> bool(answer.predictions[0].risk > answer.observed.risk[-1])
    True
    """
    check_level(level)
    check_n_jobs(n_jobs)
    check_choice(method, "method", RISK_METHODS)
    check_choice(ties, "ties", tuple(TIE_RULES))
    check_choice(average, "average", tuple(AVERAGES))
    targets = check_class_counts(to, "to")
    data = given_scores(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    _check_enough(data)
    costs = np.asarray(check_matrix(cost, "The cost matrix"), dtype=np.float64)
    problem = RiskProblem(data=data, costs=costs, ties=ties, average=average)
    observed = problem.curves[0]  # first of all: it checks the costs
    evidence = Evidence.of(data, ties=ties, average=average, n_jobs=n_jobs)
    evidence.check_told_apart()
    choice = _Choice(method, options, n_jobs, as_generator(random_state))
    beyond = targets[targets > data.n_classes]
    made = _forecast(problem, evidence, beyond, level, choice)
    cautions = _cautions(made, evidence, targets)
    for caution in cautions:
        warnings.warn(caution, ExtrapolationWarning, stacklevel=2)
    return RiskExtrapolation(
        predictions=_predictions(made, problem, evidence, targets, level),
        observed=observed,
        level=level,
        seed=seed_number(random_state),
        method=method,
        interval=made.how,
        assumptions=_assumptions(evidence),
        details=made.details,
        warnings=cautions,
        options=options,
    )


class _Choice(NamedTuple):
    """The method asked for, and what it needs."""

    method: str
    options: dict[str, Any]
    n_jobs: int | None
    rng: np.random.Generator


def _forecast(
    problem: RiskProblem,
    evidence: Evidence,
    targets: IntArray,
    level: float,
    choice: _Choice,
) -> RiskForecast:
    if not targets.size:
        return NOTHING_BEYOND
    if choice.method == MOMENTS:
        if choice.options:
            msg = f"Method {MOMENTS!r} has no options; got {sorted(choice.options)}."
            raise UsageError(msg)
        return forecast_risk_by_moments(problem, evidence, targets, level, choice.rng)
    method = with_jobs(make_method(choice.method, **choice.options), choice.n_jobs)
    # The stream that `extrapolate` gives to its method, so that both agree.
    fit = method.fit(evidence, choice.rng.spawn(3)[0])
    return forecast_risk(problem, evidence, fit, targets, level)


def _check_enough(data: Recogniser) -> None:
    if data.n_classes < 3:
        msg = "A risk curve of two classes is one number: nothing to extrapolate from."
        raise InsufficientDataError(msg)
    if np.unique(data.own).size < 2:
        msg = "All examples belong to one class: what others cost cannot be seen."
        raise InsufficientDataError(msg)


def _assumptions(evidence: Evidence) -> tuple[str, ...]:
    first, *others = describe_assumptions(evidence)
    return (first, _LIKE_COSTS, *others)


def _cautions(
    made: RiskForecast, evidence: Evidence, targets: IntArray
) -> tuple[str, ...]:
    found = describe_cautions(evidence, targets)
    if evidence.ranks.is_only_bound:
        found = [_FAULTLESS, *found]
    elif np.isnan(made.low).any():
        found = [_NO_INTERVAL, *found]
    return tuple(found)


def _predictions(
    made: RiskForecast,
    problem: RiskProblem,
    evidence: Evidence,
    targets: IntArray,
    level: float,
) -> tuple[RiskPrediction, ...]:
    rows = iter(zip(made.risk, made.low, made.high, strict=True))
    found = []
    for k in targets.tolist():
        if k <= problem.n_classes:
            ends, note = observed_risk(problem, evidence, k, level), OBSERVED_NOTE
        else:
            ends, note = next(rows), far_note(k, problem.n_classes)
        risk, low, high = map(float, ends)
        found.append(
            RiskPrediction(classes=k, risk=risk, low=low, high=high, note=note)
        )
    return tuple(found)
