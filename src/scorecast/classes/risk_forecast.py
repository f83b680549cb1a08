"""The chance of a mistake and its cost, put together with their intervals."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import stdtrit

from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.classes.bayesian import Bayesian
from scorecast.classes.effective_size import effective_size
from scorecast.classes.evidence import Evidence
from scorecast.classes.intervals import bracket_share, prediction_interval
from scorecast.classes.method import Fit
from scorecast.classes.mistake_cost import (
    MistakeCost,
    forecast_mistake_cost,
    observed_mistake_cost,
)
from scorecast.classes.risk_moments import forecast_by_moments
from scorecast.classes.risk_problem import RiskProblem

__all__ = [
    "MOMENTS",
    "NOTHING_BEYOND",
    "RiskForecast",
    "forecast_risk",
    "forecast_risk_by_moments",
    "observed_risk",
]

MOMENTS = "moments"
_LEFT_OUT = "leaving out classes in turn"
_MISTAKES, _COST = "the chance of a mistake", "what a mistake costs"


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskForecast:
    """Expected cost at numbers of classes.

    Attributes
    ----------
    risk, low, high : ndarray of shape (n,)
        The cost and the ends of its interval.
    how : str
        How the interval was made.
    details : dict
        What it was put together from.
    """

    risk: FloatArray
    low: FloatArray
    high: FloatArray
    how: str
    details: Json = field(default_factory=dict)


NOTHING_BEYOND = RiskForecast(
    risk=np.empty(0), low=np.empty(0), high=np.empty(0), how=_LEFT_OUT
)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Errors:
    """The chance of a mistake at numbers of classes."""

    expected: FloatArray
    low: FloatArray
    high: FloatArray
    how: str


def forecast_risk(
    problem: RiskProblem, evidence: Evidence, fit: Fit, targets: IntArray, level: float
) -> RiskForecast:
    """Multiply the chance of a mistake by what a mistake costs.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs.
    evidence : Evidence
        Ranks of the same scores.
    fit : Fit
        A method that forecasts accuracy, fitted to them.
    targets : ndarray of int64
        Numbers of classes, beyond those observed.
    level : float
        Level of the interval.

    Returns
    -------
    RiskForecast
        The forecast.
    """
    errors = _forecast_errors(fit, evidence, targets, level)
    details = {
        "classes": targets.tolist(),
        "mistakes": _columns(errors),
        "weights": fit.details.get("weights", {fit.tuned.name: 1.0}),
    }
    if evidence.ranks.accuracy >= 1:
        return _unseen(problem, errors, details)
    size = effective_size(evidence)
    cost = forecast_mistake_cost(problem, targets, size=size, level=level)
    details["cost_of_a_mistake"] = {**_columns(cost), "slope": cost.slope}
    made = _put_together(problem, errors, cost, level)
    return replace(made, details=details)


def observed_risk(
    problem: RiskProblem, evidence: Evidence, k: int, level: float
) -> tuple[float, ...]:
    """Return the risk at a number of classes that was observed: no model is needed.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs.
    evidence : Evidence
        Ranks of the same scores.
    k : int
        Number of classes, not above those observed.
    level : float
        Level of the interval.

    Returns
    -------
    risk, low, high : float
        The average cost over all subsets of k classes, and its interval.
    """
    errors = _observed_errors(problem, k, level)
    if errors.expected[0] <= 0:
        made = _unseen(problem, errors, {})
    else:
        size = effective_size(evidence)
        cost = observed_mistake_cost(problem, k, size=size, level=level)
        made = _put_together(problem, errors, cost, level)
    return float(made.risk[0]), float(made.low[0]), float(made.high[0])


def forecast_risk_by_moments(
    problem: RiskProblem,
    evidence: Evidence,
    targets: IntArray,
    level: float,
    rng: np.random.Generator,
) -> RiskForecast:
    """Carry on the risk curve itself.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs.
    evidence : Evidence
        Ranks of the same scores.
    targets : ndarray of int64
        Numbers of classes, beyond those observed.
    level : float
        Level of the interval.
    rng : numpy.random.Generator
        For the choice of hidden classes.

    Returns
    -------
    RiskForecast
        The forecast.
    """
    if evidence.ranks.accuracy >= 1:
        fit = Bayesian().fit(evidence, rng)
        return _unseen(problem, _forecast_errors(fit, evidence, targets, level), {})
    added, low, high, penalty = forecast_by_moments(problem, targets, level, rng)
    own = problem.own_cost
    return RiskForecast(
        risk=added + own,
        low=low + own,
        high=high + own,
        how=_LEFT_OUT,
        details={"classes": targets.tolist(), "penalty": penalty},
    )


def _forecast_errors(
    fit: Fit, evidence: Evidence, targets: IntArray, level: float
) -> _Errors:
    """Forecast one minus the accuracy, as `extrapolate` does beyond the data."""
    interval = prediction_interval(fit, evidence, targets, level)
    return _Errors(
        expected=1 - np.clip(fit.distribution.accuracy(targets), 0, 1),
        low=1 - interval.high,
        high=1 - interval.low,
        how=interval.how,
    )


def _unseen(problem: RiskProblem, errors: _Errors, details: Json) -> RiskForecast:
    """Let mistakes that were never seen cost what any of them may, on average.

    The interval reaches as far as the cheapest and the dearest of them.
    """
    own, (least, most) = problem.own_cost, problem.bounds
    return RiskForecast(
        risk=own + errors.expected * float(problem.mistakes.mean()),
        low=own + np.minimum(errors.high * least, 0.0),
        high=own + errors.high * most,
        how=f"{_MISTAKES}: {errors.how}; {_COST}: from the least to the most it can",
        details=details,
    )


def _observed_errors(problem: RiskProblem, k: int, level: float) -> _Errors:
    """Bracket the share of mistakes as `extrapolate` does up to the data."""
    curve, replicates = problem.counted().curves_at(problem.with_smaller(k))
    share, stderr = curve.risk[-1:], curve.stderr[np.isfinite(curve.stderr)]
    low, high = bracket_share(
        float(np.clip(share[0], 0, 1)),
        float(stderr[-1] if stderr.size else np.nan),
        n_groups=replicates.shape[0],
        n_tested=problem.tested.size,
        level=level,
    )
    return _Errors(
        expected=share, low=np.array([low]), high=np.array([high]), how=_LEFT_OUT
    )


def _put_together(
    problem: RiskProblem, errors: _Errors, cost: MistakeCost, level: float
) -> RiskForecast:
    """Multiply, and add the cost of being right."""
    own, added = problem.own_cost, errors.expected * cost.expected
    low, high = _ends(errors, cost)
    doubt = _own_cost_doubt(problem, level)
    # Without such doubt the ends stay as they are, to the last digit.
    further_down = np.hypot(added - low, doubt) - (added - low)
    further_up = np.hypot(high - added, doubt) - (high - added)
    return RiskForecast(
        risk=own + added,
        low=own + low - further_down,
        high=own + high + further_up,
        how=f"{_MISTAKES}: {errors.how}; {_COST}: {_said(cost)}",
    )


def _ends(errors: _Errors, cost: MistakeCost) -> tuple[FloatArray, FloatArray]:
    """Bracket the product of the chance of a mistake and its cost.

    The two are taken as independent: distances from the centre, each on its own side,
    add up by their squares. With a cost that is known the ends are those of the
    chance of a mistake, times that cost. Where costs are factors the centre is the
    cost with or without leaning, whichever is nearer to the end: leaning is no doubt
    that could hide the doubt about mistakes.
    """
    added = errors.expected * cost.expected
    last = np.maximum(cost.expected, cost.unleant)
    if cost.is_factor and (last > 0).all():
        first = np.minimum(cost.expected, cost.unleant)
        fewer = _log_ratio(errors.low, errors.expected)
        more = _log_ratio(errors.high, errors.expected)
        down = np.hypot(fewer, _log_ratio(cost.low, first))
        up = np.hypot(more, _log_ratio(cost.high, last))
        low, high = errors.expected * first, errors.expected * last
        return low * np.exp(-down), high * np.exp(up)
    # Where a mistake may be a gain, by differences, and fewer of them may be worse.
    is_gain = cost.expected < 0
    fewer = np.where(is_gain, errors.high, errors.low) - errors.expected
    more = np.where(is_gain, errors.low, errors.high) - errors.expected
    below, above = cost.low - cost.expected, cost.high - cost.expected
    down = np.hypot(fewer * cost.expected, errors.expected * below)
    up = np.hypot(more * cost.expected, errors.expected * above)
    return added - down, added + up


def _log_ratio(end: FloatArray, centre: FloatArray) -> FloatArray:
    """Return log(end / centre); zero where the centre is, as nothing stays nothing."""
    ratio = np.divide(end, centre, out=np.ones_like(end), where=centre > 0)
    with np.errstate(divide="ignore"):
        return np.log(ratio)


def _own_cost_doubt(problem: RiskProblem, level: float) -> float:
    """Return how far off the cost of being right may be; mostly it is known."""
    stderr = problem.own_cost_stderr
    if stderr == 0:
        return 0.0
    return float(stdtrit(problem.tested.size - 1, 0.5 + level / 2)) * stderr


def _said(cost: MistakeCost) -> str:
    if (cost.low == cost.high).all():
        return "all mistakes cost the same"
    return (
        "leaving out classes in turn, half of the change that is expected beyond the "
        "data, and how few mistakes there are to go by"
    )


def _columns(forecast: _Errors | MistakeCost) -> dict[str, list[float]]:
    return {
        "expected": forecast.expected.tolist(),
        "low": forecast.low.tolist(),
        "high": forecast.high.tolist(),
    }
