"""What a mistake costs when one happens, carried on to more classes.

The risk is the chance of a mistake times what a mistake costs on average. The second
factor can be read off the observed curves, risk over errors, at every number of
classes. With more classes it drifts, mostly downwards where near classes are cheap to
mistake, and slower the more classes there are: half of the slope in log(k) seen from a
quarter of the classes on is carried on beyond the data, and the half that is left out
counts as doubt. Where all mistakes cost the same the factor is that cost, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.risk_problem import RiskProblem
from scorecast.scores import jackknife_stderr

__all__ = ["MistakeCost", "forecast_mistake_cost"]

_CARRIED_ON = 0.5  # share of the observed slope in log(k)
_SEEN_FROM = 4  # the slope is that from one in so many classes on
_WORTH = 0.5  # mistakes that the cost of a random mistake is worth
_LEAST_FREEDOM = 3  # classes with examples, less one


@dataclass(frozen=True, kw_only=True, eq=False)
class MistakeCost:
    """Average cost of a mistake, beyond that of being right, at numbers of classes.

    Attributes
    ----------
    expected, low, high : ndarray of shape (n,)
        The cost and the ends of its interval; NaN ends with too few classes.
    slope : float
        Change per factor e in the number of classes, as observed: of the logarithm
        if no mistake can be a gain, else of the cost itself.
    is_factor : bool
        Whether the cost varies by factors.
    """

    expected: FloatArray
    low: FloatArray
    high: FloatArray
    slope: float
    is_factor: bool


def forecast_mistake_cost(
    problem: RiskProblem, targets: IntArray, *, size: float, level: float
) -> MistakeCost:
    """Carry the cost of a mistake on to numbers of classes.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs, with at least one mistake among them.
    targets : ndarray of int64
        Numbers of classes.
    size : float
        Number of independent examples behind the curves.
    level : float
        Level of the interval.

    Returns
    -------
    MistakeCost
        The cost with its interval.
    """
    cheapest, dearest = float(problem.mistakes.min()), float(problem.mistakes.max())
    is_factor = cheapest >= 0
    if cheapest == dearest:
        same = np.full(targets.size, cheapest)
        return MistakeCost(
            expected=same, low=same, high=same, slope=0.0, is_factor=is_factor
        )
    carrier = _Carrier(problem.mistakes, targets, size, is_factor)
    risks, risks_left = problem.added().curves
    errors, errors_left = problem.counted().curves
    centre = carrier.carry(risks.classes, risks.risk, errors.risk)
    found = [
        carrier.carry(risks.classes, *rows).values
        for rows in zip(risks_left, errors_left, strict=True)
        if np.isfinite(rows[0]).any()  # else all examples were left out
    ]
    freedom = min(len(found), problem.tested.size) - 1
    half = _half_width(np.array(found), carrier.doubt(centre), freedom, level)
    # No mistake is cheaper or dearer than the cheapest and the dearest known.
    low, expected, high = (
        np.clip(carrier.back(values), cheapest, dearest)
        for values in (centre.values - half, centre.values, centre.values + half)
    )
    return MistakeCost(
        expected=expected,
        low=low,
        high=high,
        slope=centre.slope,
        is_factor=is_factor,
    )


class _Carried(NamedTuple):
    """A forecast on the scale on which costs vary, and what it rests on."""

    values: FloatArray
    slope: float
    beyond: FloatArray  # log of the ratio to the classes it started from
    leaning: float  # share of the cost of a random mistake in it


@dataclass(frozen=True, eq=False)
class _Carrier:
    """Straight lines in log(k), on the scale on which costs vary."""

    mistakes: FloatArray
    targets: IntArray
    size: float
    is_factor: bool

    def carry(self, sizes: IntArray, risks: FloatArray, errors: FloatArray) -> _Carried:
        """Forecast from one pair of curves; sizes that are NaN do not exist."""
        exist = np.isfinite(risks)
        sizes, risks, errors = sizes[exist], risks[exist], errors[exist]
        leaning = _WORTH / (_WORTH + self.size * errors[-1])
        # Few mistakes say little of their cost: lean on that of a random one.
        with np.errstate(invalid="ignore", divide="ignore"):
            each = np.where(errors > 0, risks / errors, self.mistakes.mean())
        each = (1 - leaning) * each + leaning * self.mistakes.mean()
        values = self.turn(each)
        beyond = np.log(self.targets / sizes[-1])
        late = sizes >= sizes[-1] / _SEEN_FROM
        slope = _slope(np.log(sizes[late]), values[late])
        carried = values[-1] + _CARRIED_ON * slope * beyond
        return _Carried(carried, slope, beyond, float(leaning))

    def doubt(self, centre: _Carried) -> FloatArray:
        """Return the variance that leaving classes out does not show."""
        left_out = (1 - _CARRIED_ON) * centre.slope * centre.beyond
        scale = self.mistakes.mean() if self.is_factor else 1.0
        leant = centre.leaning * self.mistakes.std() / scale
        variance: FloatArray = left_out**2 + leant**2
        return variance

    def turn(self, costs: FloatArray) -> FloatArray:
        """Go to the scale on which costs vary."""
        return np.log(costs) if self.is_factor else costs

    def back(self, values: FloatArray) -> FloatArray:
        """Go back to costs."""
        return np.exp(values) if self.is_factor else values


def _slope(x: FloatArray, y: FloatArray) -> float:
    away = x - x.mean()
    squares = float(away @ away)
    return float(away @ y) / squares if squares > 0 else 0.0


def _half_width(
    found: FloatArray, doubt: FloatArray, freedom: int, level: float
) -> FloatArray:
    if freedom < _LEAST_FREEDOM:
        return np.full(doubt.size, np.nan)
    variance = jackknife_stderr(found) ** 2 + doubt
    half: FloatArray = stdtrit(freedom, 0.5 + level / 2) * np.sqrt(variance)
    return half
