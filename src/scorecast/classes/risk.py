"""Risk under any cost of mistakes, extrapolated to more classes.

The average risk at k classes is (k-1) times the integral of E(u) u^(k-2), where E(u)
is the expected cost when the best wrong class has favourability u. Unlike D(u) this
function need not increase; it only stays between the smallest and the largest cost.
It is written as a sum of bumps, whose heights are found by bounded least squares with
a penalty on the difference of neighbours: where the data are silent, beyond the
observed classes, the cost of a mistake stays as it was last seen.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from scorecast._core.checks import check_class_counts, check_level, check_matrix
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, Json, RandomState
from scorecast.classes.intervals import perfect_bound
from scorecast.exceptions import ExtrapolationWarning, InsufficientDataError
from scorecast.scores import (
    ClassScores,
    Embeddings,
    LabelledEmbeddings,
    RiskCurve,
    Scores,
    as_class_scores,
    probit_moments,
    risk_curve,
    risk_curve_and_replicates,
)

__all__ = ["RiskExtrapolation", "RiskPrediction", "extrapolate_risk"]

_WIDTH = 0.5  # of the bumps, in standard deviations of Phi^-1(U)
_PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3)
_HIDINGS = 8
_FAULTLESS = (
    "No mistake was seen: the upper end bounds the cost, at the largest cost a mistake "
    "can have; nothing more can be said."
)
_NO_INTERVAL = "No interval: it comes from leaving classes out, and there are too few."


@dataclass(frozen=True, kw_only=True)
class RiskPrediction:
    """Expected cost per decision at one number of classes.

    Attributes
    ----------
    classes : int
        Number of classes.
    risk : float
        Expected cost.
    low, high : float
        Ends of the interval; NaN with fewer than four classes.
    """

    classes: int
    risk: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RiskExtrapolation(Result):
    """Risk forecast for more classes than were observed.

    Attributes
    ----------
    predictions : tuple of RiskPrediction
        The numbers asked for.
    observed : RiskCurve
        Risk against the number of classes, from the classes at hand.
    level : float
        Level of the intervals.
    seed : int or None
        The random state, where it was a number.
    penalty : float
        Weight of smoothness, chosen by hiding half of the classes.
    warnings : tuple of str
        What the reader must know.
    """

    kind: ClassVar[str] = "risk-extrapolation"

    predictions: tuple[RiskPrediction, ...]
    observed: RiskCurve
    level: float
    seed: int | None
    penalty: float
    warnings: tuple[str, ...] = ()

    def summary(self) -> str:
        """Say the answer in one sentence."""
        last = max(self.predictions, key=lambda p: p.classes)
        now = float(self.observed.risk[np.argmax(self.observed.classes)])
        span = (
            "no interval: too few classes"
            if np.isnan(last.high)
            else f"{100 * self.level:g} % interval {last.low:.3g} to {last.high:.3g}"
        )
        return (
            f"With {self.observed.n_classes:,} classes a decision costs {now:.3g} on "
            f"average; with {last.classes:,} classes expect about {last.risk:.3g} "
            f"({span})."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the predictions, one row per number of classes."""
        rows = [asdict(p) for p in self.predictions]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs, options, observed = self.observed._parts()
        return (
            inputs,
            {**options, "level": self.level, "seed": self.seed},
            {
                "observed": observed,
                "predictions": [asdict(p) for p in self.predictions],
                "penalty": self.penalty,
                "warnings": list(self.warnings),
            },
        )

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        rules = {name: options[name] for name in ("ties", "average")}
        return cls(
            predictions=tuple(
                RiskPrediction(**{**p, **_numbers(p, ("low", "high"))})
                for p in result["predictions"]
            ),
            observed=RiskCurve._from_parts(inputs, rules, result["observed"]),
            level=options["level"],
            seed=options["seed"],
            penalty=result["penalty"],
            warnings=tuple(result["warnings"]),
        )


def _numbers(data: Json, names: tuple[str, ...]) -> Json:
    # JSON has no NaN; what is not finite travels as null.
    return {n: float("nan") if data[n] is None else float(data[n]) for n in names}


def extrapolate_risk(
    scores: ArrayLike | Scores | Embeddings | LabelledEmbeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    cost: ArrayLike,
    to: int | Sequence[int],
    ties: str = "random",
    average: str = "macro",
    level: float = 0.9,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    random_state: RandomState = 0,
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
        Numbers of classes to forecast.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Rule for ties of the true class.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every example.
    level : float, default=0.9
        Level of the intervals, from leaving classes out.
    classes : sequence of hashable, optional
        Labels of the columns.
    greater_is_better : bool, default=True
        False for distances.
    random_state : int, Generator or None, default=0
        For the choice of hidden classes.

    Returns
    -------
    RiskExtrapolation
        The forecast.

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
    targets = check_class_counts(to, "to")
    data = as_class_scores(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    _check_enough(data)
    costs = np.asarray(check_matrix(cost, "The cost matrix"), dtype=np.float64)
    problem = _Problem(data=data, costs=costs, ties=ties, average=average)
    observed, replicates = problem.curve_and_replicates()
    penalty = _choose_penalty(problem, as_generator(random_state))
    predict = _Forecaster(problem, observed.classes, targets, penalty)
    excess = predict(observed.risk)
    low, high = _interval(replicates, observed, predict, excess, level)
    faultless = bool(np.all(np.abs(observed.risk - predict.own_cost) <= 1e-12))
    if faultless:
        high = _most_excess(problem, targets, level, predict.bounds[1])
    shift = predict.own_cost + _correction(problem, targets, excess + predict.own_cost)
    cautions = _warnings(targets, data.n_classes)
    if faultless:
        cautions = (_FAULTLESS, *cautions)
    elif np.isnan(low).any():
        cautions = (_NO_INTERVAL, *cautions)
    for caution in cautions:
        warnings.warn(caution, ExtrapolationWarning, stacklevel=2)
    return RiskExtrapolation(
        predictions=_predictions(targets, excess + shift, low + shift, high + shift),
        observed=observed,
        level=level,
        seed=seed_number(random_state),
        penalty=penalty,
        warnings=cautions,
    )


def _most_excess(
    problem: _Problem, targets: IntArray, level: float, largest: float
) -> FloatArray:
    """Bound the cost of mistakes from above where none was seen."""
    n_tested = int(np.unique(problem.data.own).size)
    right = perfect_bound(problem.n_classes, targets, level, n_tested)
    most: FloatArray = (1.0 - right) * largest
    return most


def _check_enough(data: ClassScores) -> None:
    if data.n_classes < 3:
        msg = "A risk curve of two classes is one number: nothing to extrapolate from."
        raise InsufficientDataError(msg)
    if np.unique(data.own).size < 2:
        msg = "All examples belong to one class: what others cost cannot be seen."
        raise InsufficientDataError(msg)


def _predictions(
    targets: IntArray, risk: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[RiskPrediction, ...]:
    return tuple(
        RiskPrediction(classes=int(k), risk=float(r), low=float(a), high=float(b))
        for k, r, a, b in zip(targets, risk, low, high, strict=True)
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Problem:
    """Scores, costs and the rules for averaging."""

    data: ClassScores
    costs: FloatArray
    ties: str
    average: str

    @property
    def n_classes(self) -> int:
        return self.data.n_classes

    @property
    def own_cost(self) -> float:
        """Cost of being right: a constant, to which mistakes add."""
        own = np.diag(self.costs)
        counted = self.data.own if self.average == "micro" else np.unique(self.data.own)
        return float(own[counted].mean())

    def curve(self, sizes: list[int] | None = None) -> RiskCurve:
        """Compute the observed risk curve, without errors."""
        return risk_curve(
            self.data,
            cost=self.costs,
            sizes=sizes,
            ties=self.ties,
            average=self.average,
            errors=False,
        )

    def curve_and_replicates(self) -> tuple[RiskCurve, FloatArray]:
        """Compute the observed risk curve with errors, and with classes left out."""
        return risk_curve_and_replicates(
            self.data, self.costs, ties=self.ties, average=self.average
        )

    def subset(self, chosen: IntArray) -> _Problem:
        """Forget all classes but some."""
        return replace(
            self,
            data=self.data.subset(chosen),
            costs=self.costs[np.ix_(chosen, chosen)],
        )


def _correction(problem: _Problem, targets: IntArray, values: FloatArray) -> FloatArray:
    """Return what the model misses where the exact risk is known: up to all classes."""
    missed = np.zeros(targets.size)
    for i in np.flatnonzero(targets <= problem.n_classes):
        exact = problem.curve([int(targets[i])]).risk[0]
        missed[i] = exact - values[i]
    return missed


class _Forecaster:
    """Bounded least squares on bumps, from one set of sizes to another."""

    def __init__(
        self, problem: _Problem, sizes: IntArray, targets: IntArray, penalty: float
    ) -> None:
        self.own_cost = problem.own_cost
        bumps = _bumps(sizes, problem.n_classes)
        # Scaled so that the penalty means the same for any unit of cost and any
        # number of sizes.
        smooth = penalty * np.sqrt(sizes.size) * np.diff(np.eye(bumps.shape[1]), axis=0)
        self.design = np.vstack([bumps, smooth])
        self.n_smooth = smooth.shape[0]
        self.reach = _bumps(targets, problem.n_classes)
        excess = problem.costs - np.diag(problem.costs)
        off = excess[~np.eye(problem.n_classes, dtype=bool)]
        self.bounds = (min(0.0, float(off.min())), max(1e-12, float(off.max())))

    def __call__(self, risks: FloatArray) -> FloatArray:
        """Forecast the excess over the cost of being right."""
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


def _choose_penalty(problem: _Problem, rng: np.random.Generator) -> float:
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
    excess: FloatArray,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    from scipy.special import stdtrit

    n_groups = replicates.shape[0]
    if n_groups < 4:
        return np.full(excess.size, np.nan), np.full(excess.size, np.nan)
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
    turned = turn(forecasts)
    spread = ((turned - turned.mean(axis=0)) ** 2).sum(axis=0)
    stderr = np.sqrt((n_groups - 1) / n_groups * spread)
    half = stdtrit(n_groups - 1, 0.5 + level / 2) * stderr
    centre = turn(np.maximum(excess, 1e-300) if is_positive else excess)
    low, high = back(centre - half), back(centre + half)
    return np.maximum(low, predict.bounds[0]), np.minimum(high, predict.bounds[1])


def _warnings(targets: IntArray, n_classes: int) -> tuple[str, ...]:
    far = int(targets.max()) / n_classes
    if far <= 20:
        return ()
    return (f"{targets.max():,} classes are {far:.0f} times those observed.",)
