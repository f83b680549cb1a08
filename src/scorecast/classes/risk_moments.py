"""The moment method on the risk curve: costs without a forecast of accuracy.

The average risk at k classes is (k-1) times the integral of E(u) u^(k-2), where E(u)
is the expected cost when the best wrong class has favourability u. Unlike D(u) this
function need not increase; it only stays between the smallest and the largest cost.
It is written as a sum of bumps, whose heights are found by bounded least squares with
a penalty on the difference of neighbours: where the data are silent, beyond the
observed classes, the cost of a decision stays as it was last seen. That is too low far
out, and its interval, from leaving classes out, does not know of it: it is kept for
comparison (``docs/decisions/0009-costs.md``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.risk_problem import RiskProblem
from scorecast.scores import RiskCurve, jackknife_stderr, probit_moments

__all__ = ["MomentForecast", "forecast_by_moments"]

_WIDTH = 0.5  # of the bumps, in standard deviations of Phi^-1(U)
_PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3)
_HIDINGS = 8
_FEWEST_GROUPS = 4
_TINY = 1e-300


class MomentForecast(NamedTuple):
    """What mistakes add to the cost of being right, at numbers of classes."""

    added: FloatArray
    low: FloatArray
    high: FloatArray
    penalty: float  # weight of smoothness, chosen by hiding half of the classes


def forecast_by_moments(
    problem: RiskProblem, targets: IntArray, level: float, rng: np.random.Generator
) -> MomentForecast:
    """Carry the risk curve on by bounded least squares on bumps.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs.
    targets : ndarray of int64
        Numbers of classes.
    level : float
        Level of the interval, from leaving classes out.
    rng : numpy.random.Generator
        For the choice of hidden classes.

    Returns
    -------
    MomentForecast
        The forecast; NaN ends with fewer than four classes.
    """
    observed, replicates = problem.curves
    penalty = _choose_penalty(problem, rng)
    predict = _Forecaster(problem, observed.classes, targets, penalty)
    added = predict(observed.risk)
    low, high = _interval(replicates, observed, predict, added, level)
    return MomentForecast(added, low, high, penalty)


class _Forecaster:
    """Bounded least squares on bumps, from one set of sizes to another."""

    def __init__(
        self, problem: RiskProblem, sizes: IntArray, targets: IntArray, penalty: float
    ) -> None:
        self.own_cost = problem.own_cost
        bumps = _bumps(sizes, problem.n_classes)
        # Scaled so that the penalty means the same for any unit of cost and any
        # number of sizes.
        smooth = penalty * np.sqrt(sizes.size) * np.diff(np.eye(bumps.shape[1]), axis=0)
        self.design = np.vstack([bumps, smooth])
        self.n_smooth = smooth.shape[0]
        self.reach = _bumps(targets, problem.n_classes)
        least, most = problem.bounds
        self.bounds = (least, max(1e-12, most))

    def __call__(self, risks: FloatArray) -> FloatArray:
        """Forecast what mistakes add to the cost of being right."""
        from scipy.optimize import lsq_linear

        values = np.append(risks - self.own_cost, np.zeros(self.n_smooth))
        heights = lsq_linear(self.design, values, self.bounds, method="bvls").x
        forecast: FloatArray = self.reach @ heights
        return forecast


def _bumps(ks: IntArray, n_classes: int) -> FloatArray:
    """Tabulate what each bump of E(u) adds to the risk at each k."""
    farthest = float(-ndtri(1 / n_classes**2))
    n_knots = max(3, int(np.ceil(2 * farthest / _WIDTH)))
    knots = np.linspace(-farthest, farthest, n_knots)
    floats = np.asarray(ks, dtype=np.float64)
    below = 1 - probit_moments(floats, knots, np.full(n_knots, _WIDTH))
    everywhere = np.where(floats > 1, 1.0, 0.0)[:, None]
    steps = np.hstack([everywhere, below, np.zeros_like(everywhere)])
    return -np.diff(steps, axis=1)


def _choose_penalty(problem: RiskProblem, rng: np.random.Generator) -> float:
    """Hide half of the classes and see which penalty predicts them back best."""
    n_classes, n_half = problem.n_classes, problem.n_classes // 2
    if n_half < 3:
        return _PENALTIES[-1]
    truth = problem.curve([n_classes]).risk[0]
    squares = np.zeros(len(_PENALTIES))
    for _ in range(_HIDINGS):
        chosen = np.sort(rng.permutation(n_classes)[:n_half])
        if not np.isin(problem.data.own, chosen).any():
            continue
        shown = problem.subset(chosen)
        curve = shown.curve()
        for i, penalty in enumerate(_PENALTIES):
            predict = _Forecaster(shown, curve.classes, np.array([n_classes]), penalty)
            found = predict(curve.risk)[0] + predict.own_cost
            squares[i] += (found - truth) ** 2
    return _PENALTIES[int(np.argmin(squares))]


def _interval(
    replicates: FloatArray,
    observed: RiskCurve,
    predict: _Forecaster,
    added: FloatArray,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    # Without the examples of all tested classes there is nothing to see.
    replicates = replicates[np.isfinite(replicates).any(axis=1)]
    n_groups = replicates.shape[0]
    if n_groups < _FEWEST_GROUPS:
        return np.full(added.size, np.nan), np.full(added.size, np.nan)
    # The largest sizes do not exist once classes are left out: keep their distance
    # to the full curve as it is at the largest size that does.
    shift = replicates - observed.risk
    last = np.isfinite(replicates).sum(axis=1) - 1
    carried = observed.risk + shift[np.arange(n_groups), last][:, None]
    filled = np.where(np.isnan(replicates), carried, replicates)
    forecasts = np.array([predict(row) for row in filled])
    # Costs of mistakes that are never negative vary by factors, not by differences.
    is_positive = predict.bounds[0] >= 0 and bool((forecasts > 0).all())
    turn, back = (np.log, np.exp) if is_positive else (np.asarray, np.asarray)
    half = stdtrit(n_groups - 1, 0.5 + level / 2) * jackknife_stderr(turn(forecasts))
    centre = turn(np.maximum(added, _TINY) if is_positive else added)
    low, high = back(centre - half), back(centre + half)
    return np.maximum(low, predict.bounds[0]), np.minimum(high, predict.bounds[1])
