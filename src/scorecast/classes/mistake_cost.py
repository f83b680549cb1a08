"""What a mistake costs when one happens, carried on to more classes.

The risk is the chance of a mistake times what a mistake costs on average. The second
factor can be read off the observed curves, risk over errors, at every number of
classes. With more classes it drifts, mostly downwards where near classes are cheap to
mistake, and slower the more classes there are: half of the slope in log(k) seen from a
quarter of the classes on is carried on beyond the data, and the half that is left out
counts as doubt. Where all mistakes cost the same the factor is that cost, exactly.

Rare dear mistakes may not be among those seen, and then leaving classes out shows
nothing of them. So an average over few mistakes is never taken to be surer than that
of as many random ones would be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.special import stdtrit

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.risk_problem import RiskProblem
from scorecast.scores import jackknife_stderr

__all__ = ["MistakeCost", "forecast_mistake_cost", "observed_mistake_cost"]

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
    unleant : ndarray of shape (n,)
        The cost as seen, without leaning on that of a random mistake.
    slope : float
        Change per factor e in the number of classes, as observed: of the logarithm
        if no mistake can be a gain, else of the cost itself.
    is_factor : bool
        Whether the cost varies by factors.
    """

    expected: FloatArray
    low: FloatArray
    high: FloatArray
    unleant: FloatArray
    slope: float
    is_factor: bool

    @classmethod
    def all_the_same(cls, cost: float, n: int) -> Self:
        """Give the cost of every mistake, known for sure."""
        same = np.full(n, cost)
        return cls(
            expected=same,
            low=same,
            high=same,
            unleant=same,
            slope=0.0,
            is_factor=cost >= 0,
        )


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
    if problem.mistakes.min() == problem.mistakes.max():
        return MistakeCost.all_the_same(float(problem.mistakes[0]), targets.size)
    carrier = _Carrier.of(problem, targets, size)
    risks, risks_left = problem.added().curves
    errors, errors_left = problem.counted().curves
    centre = carrier.carry(risks.classes, risks.risk / carrier.unit, errors.risk)
    found = [
        carrier.carry(risks.classes, *rows).costs
        for rows in zip(risks_left / carrier.unit, errors_left, strict=True)
        if np.isfinite(rows[0]).any()  # else all examples were left out
    ]
    freedom = min(len(found), problem.tested.size) - 1
    enough = freedom >= _LEAST_FREEDOM
    quantile = float(stdtrit(freedom, 0.5 + level / 2)) if enough else np.nan
    return carrier.bracket(centre, jackknife_stderr(np.array(found)), quantile)


def observed_mistake_cost(
    problem: RiskProblem, k: int, *, size: float, level: float
) -> MistakeCost:
    """Return the cost of a mistake at a number of classes that was observed.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs, with at least one mistake among k classes.
    k : int
        Number of classes, not above those observed.
    size : float
        Number of independent examples behind the curves.
    level : float
        Level of the interval.

    Returns
    -------
    MistakeCost
        The cost as it is, with its interval: nothing is carried on.
    """
    if problem.mistakes.min() == problem.mistakes.max():
        return MistakeCost.all_the_same(float(problem.mistakes[0]), 1)
    carrier = _Carrier.of(problem, np.array([k]), size)
    sizes = problem.with_smaller(k)
    risks, risks_left = problem.added().curves_at(sizes)
    errors, errors_left = problem.counted().curves_at(sizes)
    seen = risks.risk[-1:] / carrier.unit / errors.risk[-1:]
    # The largest number of classes that remains when some are left out.
    column = np.flatnonzero(np.isfinite(errors_left).all(axis=0))[-1:]
    wrong = errors_left[:, column]
    each = np.repeat(seen[None], len(wrong), axis=0)
    np.divide(risks_left[:, column] / carrier.unit, wrong, out=each, where=wrong > 0)
    centre = _Carried(
        costs=seen,
        unleant=seen,
        slope=0.0,
        left_out=np.zeros(1),
        n_mistakes=size * float(errors.risk[-1]),
    )
    quantile = stdtrit(max(len(wrong) - 1, 1), 0.5 + level / 2)
    return carrier.bracket(centre, jackknife_stderr(each), float(quantile))


def _unseen_spread(
    possible: FloatArray, seen: FloatArray, n_mistakes: float
) -> tuple[FloatArray, FloatArray]:
    """Return standard errors, below and above, of an average over few random mistakes.

    The variance is split as squared distances from the average seen are: where all
    that was seen is cheap, and rare mistakes are dear, the truth may be far above but
    not below.
    """
    away = np.subtract.outer(seen, possible)
    above = (np.minimum(away, 0) ** 2).sum(axis=-1)
    total = (away**2).sum(axis=-1)
    share = np.divide(above, total, out=np.full(total.shape, 0.5), where=total > 0)
    variance = possible.var() / (_WORTH + n_mistakes)
    return np.sqrt(variance * (1 - share)), np.sqrt(variance * share)


class _Carried(NamedTuple):
    """Costs at the numbers of classes asked for, and what they rest on."""

    costs: FloatArray
    unleant: FloatArray  # the same without the cost of a random mistake in it
    slope: float
    left_out: FloatArray  # change, on the scale on which costs vary, not carried on
    n_mistakes: float


@dataclass(frozen=True, eq=False)
class _Carrier:
    """Straight lines in log(k), on the scale on which costs vary."""

    mistakes: FloatArray
    targets: IntArray
    size: float
    is_factor: bool
    unit: float

    @classmethod
    def of(cls, problem: RiskProblem, targets: IntArray, size: float) -> Self:
        """Take the largest cost as the unit, so that squares do not overflow."""
        unit = float(np.abs(problem.mistakes).max())
        is_factor = bool(problem.mistakes.min() >= 0)
        return cls(problem.mistakes / unit, targets, size, is_factor, unit)

    def carry(self, sizes: IntArray, risks: FloatArray, errors: FloatArray) -> _Carried:
        """Forecast from one pair of curves; sizes that are NaN do not exist."""
        exist = np.isfinite(risks)
        sizes, risks, errors = sizes[exist], risks[exist], errors[exist]
        random = self.mistakes.mean()
        with np.errstate(invalid="ignore", divide="ignore"):
            seen = np.where(errors > 0, risks / errors, random)
        # Few mistakes say little of their cost: lean on that of a random one.
        n_mistakes = float(self.size * errors[-1])
        leaning = _WORTH / (_WORTH + n_mistakes)
        leant = (1 - leaning) * seen + leaning * random
        values = np.log(leant) if self.is_factor else leant
        late = sizes >= sizes[-1] / _SEEN_FROM
        slope = _slope(np.log(sizes[late]), values[late])
        change = slope * np.log(self.targets / sizes[-1])
        return _Carried(
            costs=self.move(leant[-1], _CARRIED_ON * change),
            unleant=self.move(seen[-1], _CARRIED_ON * change),
            slope=slope,
            left_out=(1 - _CARRIED_ON) * np.abs(change),
            n_mistakes=n_mistakes,
        )

    def bracket(
        self, centre: _Carried, stderr: FloatArray, quantile: float
    ) -> MistakeCost:
        """Put an interval around costs, and go back to the unit they came in.

        It starts from the costs with and without leaning: what was not seen makes no
        end surer. Downwards doubt is a factor, so costs stay above zero. Upwards it
        is an amount, as that of an average in which few are dear.
        """
        below, above = _unseen_spread(self.mistakes, centre.unleant, centre.n_mistakes)
        down = quantile * np.maximum(stderr, below)
        up = quantile * np.maximum(stderr, above)
        left_out = quantile * centre.left_out
        low = np.minimum(centre.costs, centre.unleant)
        high = np.maximum(centre.costs, centre.unleant)
        if self.is_factor:
            # Of nothing there is no share; it is the low end itself.
            share = np.divide(
                down, centre.costs, out=np.zeros_like(down), where=centre.costs > 0
            )
            low = low * np.exp(-np.hypot(share, left_out))
            high = high + np.hypot(up, centre.costs * np.expm1(left_out))
        else:
            low = low - np.hypot(down, left_out)
            high = high + np.hypot(up, left_out)
        # No mistake is cheaper or dearer than the cheapest and the dearest known.
        least, most = self.mistakes.min(), self.mistakes.max()
        expected, unleant, low, high = (
            self.unit * np.clip(costs, least, most)
            for costs in (centre.costs, centre.unleant, low, high)
        )
        return MistakeCost(
            expected=expected,
            low=low,
            high=high,
            unleant=unleant,
            slope=centre.slope * (1.0 if self.is_factor else self.unit),
            is_factor=self.is_factor,
        )

    def move(self, cost: float, change: FloatArray) -> FloatArray:
        """Change a cost on the scale on which costs vary."""
        moved: FloatArray = cost * np.exp(change) if self.is_factor else cost + change
        return moved


def _slope(x: FloatArray, y: FloatArray) -> float:
    away = x - x.mean()
    squares = float(away @ away)
    return float(away @ y) / squares if squares > 0 else 0.0
