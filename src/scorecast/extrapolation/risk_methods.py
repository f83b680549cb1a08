"""How costs are forecast: the chance of a mistake times what a mistake costs.

The chance of a mistake is forecast as accuracy is. What a mistake costs can be read off
the observed curves, risk over errors, at every number of classes. With more classes it
drifts, mostly downwards where near classes are cheap to mistake, and slower the more
classes there are: half of the slope in log(k) seen from a quarter of the classes on is
carried on beyond the data, and the half that is left out counts as doubt. Where all
mistakes cost the same the factor is that cost, exactly. Rare dear mistakes may not be
among those seen, and then leaving classes out shows nothing of them. So an average over
few mistakes is never taken to be surer than that of as many random ones would be.

The moment method carries on the risk curve itself and is kept for comparison
(``docs/decisions/0009-costs.md``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray
from scorecast.scores import (
    MOST_GROUPS,
    Recogniser,
    RiskCurve,
    jackknife_stderr,
    kish_size,
    probit_moments,
    risk_curve_and_replicates,
)

_CARRIED_ON = 0.5  # share of the observed slope in log(k)
_SEEN_FROM = 4  # the slope is that from one in so many classes on
_WORTH = 0.5  # mistakes that the cost of a random mistake is worth
_LEAST_FREEDOM = 3  # classes with samples, less one
_WIDTH = 0.5  # of the bumps of the moment method, in deviations of Phi^-1(U)
_PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3)
_HIDINGS = 8
_FEWEST_GROUPS = 4
_TINY = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskProblem:
    """Scores, costs and the rules for averaging.

    Attributes
    ----------
    data : Scores or Embeddings
        The scores.
    costs : ndarray of shape (n_classes, n_classes)
        Costs by decision and truth.
    ties, average : str
        Rules.
    class_weights : ndarray of shape (n_classes,) or None
        How much each class counts as the true one; None for all the same.
    """

    data: Recogniser
    costs: FloatArray
    ties: str
    average: str
    class_weights: FloatArray | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return self.data.n_classes

    @cached_property
    def tested(self) -> IntArray:
        """Classes that have samples."""
        return np.unique(self.data.own)

    @property
    def own_cost(self) -> float:
        """Cost of being right: a constant, to which mistakes add."""
        own = np.diag(self.costs)
        counted = self.data.own if self.average == "micro" else self.tested
        if self.class_weights is not None:
            return float(np.average(own[counted], weights=self.class_weights[counted]))
        return float(own[counted].mean())

    @property
    def own_cost_stderr(self) -> float:
        """Standard error of that constant, over classes; zero if it is the same."""
        own = np.diag(self.costs)[self.tested]
        if self.class_weights is not None:
            shares = self.class_weights[self.tested]
            shares = shares / shares.sum()
            n = self.n_alike
            spread = np.sqrt(shares**2 @ (own - shares @ own) ** 2)
            return float(spread * np.sqrt(n / max(n - 1, 1)))
        return float(own.std(ddof=1) / np.sqrt(own.size))

    @property
    def n_alike(self) -> float:
        """Number of classes of equal weight that tell as much as those with samples."""
        if self.class_weights is None:
            return float(self.tested.size)
        return kish_size(self.class_weights[self.tested])

    @cached_property
    def mistakes(self) -> FloatArray:
        """What each possible mistake adds to the cost of being right."""
        added = self.costs - np.diag(self.costs)
        off: FloatArray = added[~np.eye(self.n_classes, dtype=bool)]
        return off

    @cached_property
    def chances(self) -> FloatArray | None:
        """How often each possible mistake comes, if all of a class come alike.

        None where classes do, too.
        """
        if self.class_weights is None:
            return None
        by_truth = np.broadcast_to(self.class_weights, self.costs.shape)
        found = by_truth[~np.eye(self.n_classes, dtype=bool)]
        return np.asarray(found / found.sum(), dtype=np.float64)

    @property
    def random_mistake(self) -> float:
        """What a mistake adds on average, if all of a class come alike."""
        return float(np.average(self.mistakes, weights=self.chances))

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and most that a decision can add to the cost of being right."""
        return min(0.0, float(self.mistakes.min())), max(
            0.0, float(self.mistakes.max())
        )

    def curve(self, sizes: list[int] | None = None) -> RiskCurve:
        """Compute the observed risk curve, without errors."""
        return risk_curve_and_replicates(
            self.data,
            self.costs,
            sizes,
            ties=self.ties,
            average=self.average,
            class_weights=self.class_weights,
            standard_errors=False,
        )[0]

    @cached_property
    def curves(self) -> tuple[RiskCurve, FloatArray]:
        """The observed risk curve with errors, and again with classes left out."""
        return self.curves_at(None)

    def curves_at(self, sizes: list[int] | None) -> tuple[RiskCurve, FloatArray]:
        """Compute both at some sizes only."""
        return risk_curve_and_replicates(
            self.data,
            self.costs,
            sizes,
            ties=self.ties,
            average=self.average,
            class_weights=self.class_weights,
        )

    def with_smaller(self, k: int) -> list[int]:
        """Add the largest size that exists with classes left out, for its error."""
        n_left = self.n_classes - -(-self.n_classes // MOST_GROUPS)
        return sorted({max(1, min(k, n_left)), k})

    def added(self) -> RiskProblem:
        """Leave out the cost of being right."""
        own = np.diag(self.costs)
        return replace(self, costs=self.costs - own) if own.any() else self

    def counted(self) -> RiskProblem:
        """Let every mistake cost one: the risk is then the share of mistakes."""
        return replace(self, costs=1 - np.eye(self.n_classes))

    def subset(self, chosen: IntArray) -> RiskProblem:
        """Forget all classes but some."""
        return replace(
            self,
            data=self.data.subset(chosen),
            costs=self.costs[np.ix_(chosen, chosen)],
            class_weights=None
            if self.class_weights is None
            else self.class_weights[chosen],
        )


# --- what a mistake costs ------------------------------------------------------------


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
    problem: RiskProblem, targets: IntArray, *, size: float, confidence_level: float
) -> MistakeCost:
    """Carry the cost of a mistake on to numbers of classes.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs, with at least one mistake among them.
    targets : ndarray of int64
        Numbers of classes.
    size : float
        Number of independent samples behind the curves.
    confidence_level : float
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
        if np.isfinite(rows[0]).any()  # else all samples were left out
    ]
    freedom = min(len(found), problem.n_alike) - 1
    enough = freedom >= _LEAST_FREEDOM
    quantile = float("nan")
    if enough:
        quantile = float(scipy.special.stdtrit(freedom, 0.5 + confidence_level / 2))
    return carrier.bracket(centre, jackknife_stderr(np.array(found)), quantile)


def observed_mistake_cost(
    problem: RiskProblem, k: int, *, size: float, confidence_level: float
) -> MistakeCost:
    """Return the cost of a mistake at a number of classes that was observed.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs, with at least one mistake among k classes.
    k : int
        Number of classes, not above those observed.
    size : float
        Number of independent samples behind the curves.
    confidence_level : float
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
    n_telling = float(len(wrong))
    if problem.class_weights is not None:
        n_telling = min(n_telling, problem.n_alike)
    quantile = scipy.special.stdtrit(max(n_telling - 1, 1), 0.5 + confidence_level / 2)
    return carrier.bracket(centre, jackknife_stderr(each), float(quantile))


def _unseen_spread(
    possible: FloatArray,
    seen: FloatArray,
    n_mistakes: float,
    chances: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return standard errors, below and above, of an average over few random mistakes.

    The variance is split as squared distances from the average seen are: where all
    that was seen is cheap, and rare mistakes are dear, the truth may be far above but
    not below.
    """
    away = np.subtract.outer(seen, possible)
    weights = np.ones(possible.size) if chances is None else chances
    above = (np.minimum(away, 0) ** 2 * weights).sum(axis=-1)
    total = (away**2 * weights).sum(axis=-1)
    share = np.divide(above, total, out=np.full(total.shape, 0.5), where=total > 0)
    centre = np.average(possible, weights=chances)
    variance = np.average((possible - centre) ** 2, weights=chances)
    variance /= _WORTH + n_mistakes
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
    chances: FloatArray | None
    random: float

    @classmethod
    def of(cls, problem: RiskProblem, targets: IntArray, size: float) -> Self:
        """Take the largest cost as the unit, so that squares do not overflow."""
        unit = float(np.abs(problem.mistakes).max())
        is_factor = bool(problem.mistakes.min() >= 0)
        return cls(
            problem.mistakes / unit,
            targets,
            size,
            is_factor,
            unit,
            problem.chances,
            problem.random_mistake / unit,
        )

    def carry(self, sizes: IntArray, risks: FloatArray, errors: FloatArray) -> _Carried:
        """Forecast from one pair of curves; sizes that are NaN do not exist."""
        exist = np.isfinite(risks)
        sizes, risks, errors = sizes[exist], risks[exist], errors[exist]
        random = self.random
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
        below, above = _unseen_spread(
            self.mistakes, centre.unleant, centre.n_mistakes, self.chances
        )
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


# --- the moment method ---------------------------------------------------------------


class MomentForecast(NamedTuple):
    """What mistakes add to the cost of being right, at numbers of classes."""

    added: FloatArray
    low: FloatArray
    high: FloatArray
    penalty: float  # weight of smoothness, chosen by hiding half of the classes


def forecast_by_moments(
    problem: RiskProblem,
    targets: IntArray,
    confidence_level: float,
    rng: np.random.Generator,
) -> MomentForecast:
    r"""Carry the risk curve on by bounded least squares on bumps.

    The average risk at k classes is :math:`(k-1) \int E(u) u^{k-2} du`, where E(u) is
    the expected cost when the best wrong class has favourability u. Unlike D(u) this
    function need not increase; it only stays between the smallest and the largest
    cost. It is written as a sum of bumps, whose heights are found by bounded least
    squares with a penalty on the difference of neighbours: where the data are silent,
    beyond the observed classes, the cost of a decision stays as it was last seen. That
    is too low far out, and its interval, from leaving classes out, does not know of it.

    Parameters
    ----------
    problem : RiskProblem
        Scores and costs.
    targets : ndarray of int64
        Numbers of classes.
    confidence_level : float
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
    low, high = _interval(replicates, observed, predict, added, confidence_level)
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
        values = np.append(risks - self.own_cost, np.zeros(self.n_smooth))
        heights = scipy.optimize.lsq_linear(
            self.design, values, self.bounds, method="bvls"
        ).x
        forecast: FloatArray = self.reach @ heights
        return forecast


def _bumps(ks: IntArray, n_classes: int) -> FloatArray:
    """Tabulate what each bump of E(u) adds to the risk at each k."""
    farthest = float(-scipy.special.ndtri(1 / n_classes**2))
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
    confidence_level: float,
) -> tuple[FloatArray, FloatArray]:
    # Without the samples of all tested classes there is nothing to see.
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
    quantile = scipy.special.stdtrit(n_groups - 1, 0.5 + confidence_level / 2)
    half = quantile * jackknife_stderr(turn(forecasts))
    centre = turn(np.maximum(added, _TINY) if is_positive else added)
    low, high = back(centre - half), back(centre + half)
    return np.maximum(low, predict.bounds[0]), np.minimum(high, predict.bounds[1])
