"""Forecast the cost of decisions among more classes than were observed.

Risk is the chance of a mistake times what a mistake costs on average. The first is
forecast as accuracy is, by the same methods with the same interval, the second is
carried on from the observed curves (`risk_methods`). If every mistake costs one, the
answer is one minus the accuracy that is forecast, ends of the interval and all. Up to
the observed classes nothing is carried on: risk is that of the risk curve.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix
from scorecast._core.parallel import one_blas_thread
from scorecast._core.registry import Method, Registry
from scorecast._core.result import INPUT, NEW, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import InsufficientDataError
from scorecast.extrapolation.auto import PooledFit
from scorecast.extrapolation.backtest import BacktestRow, summarise_hidings
from scorecast.extrapolation.bayesian import Bayesian
from scorecast.extrapolation.extrapolator import (
    Extrapolator,
    Fit,
    choose_extrapolator,
)
from scorecast.extrapolation.forecast import Extrapolation
from scorecast.extrapolation.intervals import (
    IntervalKind,
    bracket_share,
    prediction_interval,
)
from scorecast.extrapolation.notes import FAR, ForecastNote, forecast_notes, warn_of
from scorecast.extrapolation.observed import (
    ObservedClasses,
    effective_size,
    hide_classes,
)
from scorecast.extrapolation.risk_methods import (
    MistakeCost,
    RiskProblem,
    forecast_by_moments,
    forecast_mistake_cost,
    observed_mistake_cost,
)
from scorecast.scores import (
    ClassWeighting,
    Marginality,
    Recogniser,
    RiskCurve,
    check_scores,
    marginality,
    weigh_classes,
)

_FEWEST_TO_HIDE = 8  # classes
_FEWEST_REPEATS, _MOST_REPEATS = 6, 12  # hidings where their number is not given
_SETTLED = 0.02  # of the dearest mistake


class CostInterval(StrEnum):
    """How the interval of what a mistake costs was made."""

    CONSTANT = "constant"  # all mistakes cost the same
    JACKKNIFE = "jackknife"  # classes left out, drift not carried on, few mistakes
    FULL_RANGE = "full-range"  # no mistake was seen: from the least to the most
    NONE = "none"  # no forecast was asked for, or costs were not looked at


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
        Ends of the interval; NaN where classes are too few for one.
    is_observed : bool
        Whether it is no forecast: the average over all subsets of so many classes.
    is_far : bool
        Whether it is so far beyond the data that it is a rough guide at best.
    """

    classes: int
    risk: float
    low: float
    high: float
    is_observed: bool = False
    is_far: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskFactor:
    """One factor of the risk, beyond the observed classes.

    Attributes
    ----------
    expected, low, high : ndarray of float64
        The chance of a mistake, or its cost beyond that of being right, and the ends of
        its interval.
    slope : float or None
        Of the cost: change per factor e in the number of classes, as observed; of its
        logarithm if no mistake can be a gain.
    """

    expected: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    slope: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RiskExtrapolation(Result):
    """Risk forecast for more classes than were observed.

    Attributes
    ----------
    predictions : tuple of RiskPrediction
        The numbers asked for.
    observed : RiskCurve
        Risk against the number of classes, from the classes at hand.
    classes : ndarray of int64
        Numbers of classes of the factors: the targets beyond the observed ones.
    mistakes, cost_of_a_mistake : RiskFactor or None
        The chance of a mistake, and its cost; None for "moments", which knows neither.
    weights : dict of str to float
        Shares of the methods that forecast the chance of a mistake.
    penalty : float or None
        Weight of smoothness that "moments" chose.
    interval_kind : IntervalKind
        How the interval of the chance of a mistake was made.
    cost_interval : CostInterval
        How that of the cost of a mistake was made.
    backtest : tuple of BacktestRow
        How the method did in forecasting the cost with all observed classes from half
        of them, in units of cost; may be empty.
    accuracy : Extrapolation or None
        Other measures of the same recogniser, where they were asked for.
    notes : tuple of Note
        What the reader must know.
    n_samples, n_classes : int
        Size of the data.
    marginality : Marginality
        Whether each class is scored on its own, as the forecast assumes.
    are_costs_by_name : bool or None
        Whether costs were matched to classes by their names; None if not said.
    class_weighting : ClassWeighting or None
        How unequally classes count; None where they were not weighed.
    method : str
        How the chance of a mistake was forecast, or "moments".
    settings : dict
        Settings of the method that are not the usual ones.
    ties, average : str
        Rules used.
    confidence_level : float
        Level of the intervals.
    random_state : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "risk-extrapolation"

    predictions: tuple[RiskPrediction, ...]
    observed: RiskCurve
    classes: NDArray[np.int64]
    mistakes: RiskFactor | None
    cost_of_a_mistake: RiskFactor | None
    weights: dict[str, float]
    penalty: float | None
    interval_kind: IntervalKind
    cost_interval: CostInterval
    backtest: tuple[BacktestRow, ...] = ()
    accuracy: Extrapolation | None = None
    notes: tuple[Note, ...] = ()
    n_samples: int = field(metadata=INPUT)
    n_classes: int = field(metadata=INPUT)
    marginality: Marginality = field(metadata=INPUT)
    are_costs_by_name: bool | None = field(default=None, metadata=INPUT)
    class_weighting: ClassWeighting | None = field(default=None, metadata=INPUT | NEW)
    method: str = field(metadata=OPTION)
    settings: dict[str, Any] = field(metadata=OPTION)
    ties: str = field(metadata=OPTION)
    average: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    random_state: int | None = field(metadata=OPTION)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the predictions, one row per number of classes."""
        rows = [asdict(p) for p in self.predictions]
        return {name: [row[name] for row in rows] for name in rows[0]}


class _Forecast(NamedTuple):
    """Expected cost at numbers of classes, and what it was put together from."""

    risk: FloatArray
    low: FloatArray
    high: FloatArray
    interval_kind: IntervalKind = IntervalKind.JACKKNIFE
    cost_interval: CostInterval = CostInterval.NONE
    mistakes: RiskFactor | None = None
    cost: RiskFactor | None = None
    penalty: float | None = None


@dataclass(frozen=True, kw_only=True)
class RiskMethod(Method):
    """A way to forecast costs that is no forecast of accuracy.

    Attributes
    ----------
    forecast : callable
        Of the problem, the observed classes, targets, level and a random stream.
    """

    forecast: Callable[..., _Forecast]


RISK_METHODS: Registry[RiskMethod] = Registry()


def extrapolate_risk(
    scores: ArrayLike | Recogniser,
    y_true: Iterable[Hashable] | None,
    *,
    cost: ArrayLike,
    targets: IntArray,
    method: str | Extrapolator,
    ties: str,
    average: str,
    class_weights: Mapping[Hashable, float] | ArrayLike | None,
    confidence_level: float,
    backtest: int | Literal["auto"],
    random_state: RandomState,
    n_jobs: int | None,
) -> RiskExtrapolation:
    """Forecast the average cost of a decision; `extrapolate` checked the arguments."""
    by_risk = RISK_METHODS.get(method) if isinstance(method, str) else None
    chosen = None if by_risk else choose_extrapolator(method)
    data, class_weights, weighting = weigh_classes(
        check_scores(scores, y_true), class_weights, average
    )
    _check_enough(data)
    costs = np.asarray(check_matrix(cost, "cost"), dtype=np.float64)
    problem = RiskProblem(
        data=data,
        costs=costs,
        ties=ties,
        average=average,
        class_weights=class_weights,
    )
    curve = problem.curves[0]  # first of all: it checks the costs
    observed = ObservedClasses.of(
        data, ties=ties, average=average, class_weights=class_weights, n_jobs=n_jobs
    )
    rng = as_generator(random_state)
    rng_fit, _, rng_test = rng.spawn(3)
    tuned = chosen
    beyond = targets[targets > data.n_classes]
    weights: dict[str, float] = {}
    made = _Forecast(np.empty(0), np.empty(0), np.empty(0))
    if beyond.size and by_risk is not None:
        made = by_risk.forecast(problem, observed, beyond, confidence_level, rng)
    elif beyond.size and chosen is not None:
        # The stream that accuracy is forecast with, so that both agree.
        fit = chosen.fit(observed, rng_fit, n_jobs=n_jobs)
        tuned = fit.tuned
        weights = {chosen.name: 1.0}
        if isinstance(fit, PooledFit):
            weights = {p.method: p.weight for p in fit.pooling.parts if p.weight}
        made = _forecast(problem, observed, fit, beyond, confidence_level, n_jobs)
    notes = forecast_notes(observed, targets)
    if observed.ranks.is_faultless():
        notes = (Note(code=ForecastNote.NO_MISTAKE_SEEN), *notes)
    elif np.isnan(made.low).any():
        notes = (Note(code=ForecastNote.NO_COST_INTERVAL), *notes)
    warn_of(notes)
    with one_blas_thread():
        tests = _backtest(
            problem, observed, by_risk or tuned, confidence_level, backtest, rng_test
        )
    return RiskExtrapolation(
        predictions=_predictions(made, problem, observed, targets, confidence_level),
        observed=replace(curve, class_weighting=weighting),
        classes=beyond,
        mistakes=made.mistakes,
        cost_of_a_mistake=made.cost,
        weights=weights,
        penalty=made.penalty,
        interval_kind=made.interval_kind,
        cost_interval=made.cost_interval,
        backtest=tests,
        notes=notes,
        n_samples=data.n_samples,
        n_classes=data.n_classes,
        marginality=marginality(data),
        class_weighting=weighting,
        method=chosen.name if chosen else str(method),
        settings=chosen.settings() if chosen else {},
        ties=ties,
        average=average,
        confidence_level=confidence_level,
        random_state=seed_number(random_state),
    )


def _check_enough(data: Recogniser) -> None:
    if data.n_classes < 3:
        raise InsufficientDataError(
            "a risk curve of two classes is one number: nothing to extrapolate from",
            parameter="scores",
        )
    if np.unique(data.own).size < 2:
        raise InsufficientDataError(
            "all samples belong to one class: what others cost cannot be seen",
            parameter="y_true",
        )


def _predictions(
    made: _Forecast,
    problem: RiskProblem,
    observed: ObservedClasses,
    targets: IntArray,
    confidence_level: float,
) -> tuple[RiskPrediction, ...]:
    rows = iter(zip(made.risk, made.low, made.high, strict=True))
    found = []
    for k in targets.tolist():
        is_observed = k <= problem.n_classes
        if is_observed:
            ends = _observed_risk(problem, observed, k, confidence_level)
        else:
            ends = next(rows)
        risk, low, high = map(float, ends)
        found.append(
            RiskPrediction(
                classes=k,
                risk=risk,
                low=low,
                high=high,
                is_observed=is_observed,
                is_far=k > FAR * problem.n_classes,
            )
        )
    return tuple(found)


# --- hiding classes ------------------------------------------------------------------


def _backtest(
    problem: RiskProblem,
    observed: ObservedClasses,
    method: RiskMethod | Extrapolator | None,
    confidence_level: float,
    n_repeats: int | Literal["auto"],
    rng: np.random.Generator,
) -> tuple[BacktestRow, ...]:
    """Forecast the cost with all classes from half of them, again and again."""
    n_kept = problem.n_classes // 2
    if n_repeats == 0 or problem.n_classes < _FEWEST_TO_HIDE or method is None:
        return ()
    most = _MOST_REPEATS if n_repeats == "auto" else int(n_repeats)
    truth = _observed_risk(problem, observed, problem.n_classes, confidence_level)[0]
    # In units of the dearest mistake: squares of costs may overflow.
    unit = float(np.abs(problem.costs).max()) or 1.0
    found: list[FloatArray] = []
    for stream in rng.spawn(most):
        ends = _hidden(problem, observed, method, n_kept, confidence_level, stream)
        if ends is not None:
            found.append(ends / unit)
        is_enough = n_repeats == "auto" and len(found) >= _FEWEST_REPEATS
        if is_enough and np.std([f[0] for f in found]) / len(found) ** 0.5 <= _SETTLED:
            break
    if not found:
        return ()
    row = summarise_hidings(
        method.name, truth / unit, np.array(found), problem.n_classes, n_kept
    )
    return (
        replace(
            row,
            truth=truth,
            prediction=unit * row.prediction,
            bias=unit * row.bias,
            rmse=unit * row.rmse,
            stderr=None if row.stderr is None else unit * row.stderr,
            rmse_stderr=None if row.rmse_stderr is None else unit * row.rmse_stderr,
        ),
    )


def _hidden(
    problem: RiskProblem,
    observed: ObservedClasses,
    method: RiskMethod | Extrapolator,
    n_kept: int,
    confidence_level: float,
    rng: np.random.Generator,
) -> FloatArray | None:
    """Hide classes and forecast the cost with all of them, with its interval."""
    try:
        shown = hide_classes(observed, n_kept, rng)
        if shown.n_tested < 2 or shown.n_classes < 3:
            return None
    except InsufficientDataError:
        return None  # an unlucky choice: the other repeats tell
    kept = np.arange(problem.n_classes) if shown.chosen is None else shown.chosen
    part = RiskProblem(
        data=shown.scores,
        costs=problem.costs[np.ix_(kept, kept)],
        ties=problem.ties,
        average=problem.average,
        class_weights=shown.ranking.class_weights,
    )
    target = np.array([problem.n_classes])
    if isinstance(method, RiskMethod):
        made = method.forecast(part, shown, target, confidence_level, rng)
    else:
        fit = method.fit(shown, rng)
        made = _forecast(part, shown, fit, target, confidence_level, None)
    return np.array([made.risk[0], made.low[0], made.high[0]])


# --- the chance of a mistake and its cost, put together ------------------------------


class _Errors(NamedTuple):
    """The chance of a mistake at numbers of classes."""

    expected: FloatArray
    low: FloatArray
    high: FloatArray
    kind: IntervalKind


def _forecast(
    problem: RiskProblem,
    observed: ObservedClasses,
    fit: Fit,
    targets: IntArray,
    confidence_level: float,
    n_jobs: int | None,
) -> _Forecast:
    """Multiply the chance of a mistake by what a mistake costs."""
    errors = _forecast_errors(fit, observed, targets, confidence_level, n_jobs)
    if observed.ranks.accuracy() >= 1:
        return _unseen(problem, errors)
    size = effective_size(observed)
    cost = forecast_mistake_cost(
        problem, targets, size=size, confidence_level=confidence_level
    )
    return _put_together(problem, errors, cost, confidence_level)


def _observed_risk(
    problem: RiskProblem, observed: ObservedClasses, k: int, confidence_level: float
) -> tuple[float, ...]:
    """Return the risk at a number of classes that was observed: no model is needed."""
    errors = _observed_errors(problem, k, confidence_level)
    if errors.expected[0] <= 0:
        made = _unseen(problem, errors)
    else:
        size = effective_size(observed)
        cost = observed_mistake_cost(
            problem, k, size=size, confidence_level=confidence_level
        )
        made = _put_together(problem, errors, cost, confidence_level)
    return float(made.risk[0]), float(made.low[0]), float(made.high[0])


def _by_moments(
    problem: RiskProblem,
    observed: ObservedClasses,
    targets: IntArray,
    confidence_level: float,
    rng: np.random.Generator,
) -> _Forecast:
    """Carry on the risk curve itself."""
    if observed.ranks.accuracy() >= 1:
        fit = Bayesian().fit(observed, rng)
        errors = _forecast_errors(fit, observed, targets, confidence_level, None)
        return _unseen(problem, errors)._replace(mistakes=None)
    added, low, high, penalty = forecast_by_moments(
        problem, targets, confidence_level, rng
    )
    own = problem.own_cost
    return _Forecast(added + own, low + own, high + own, penalty=penalty)


RISK_METHODS.add(
    RiskMethod(
        name="moments",
        title="moments of the risk curve",
        summary="the risk curve itself carried on; too low far out, for comparison",
        forecast=_by_moments,
    )
)


def _forecast_errors(
    fit: Fit,
    observed: ObservedClasses,
    targets: IntArray,
    confidence_level: float,
    n_jobs: int | None,
) -> _Errors:
    """Forecast one minus the accuracy, as it is beyond the data."""
    interval = prediction_interval(
        fit, observed, targets, confidence_level, n_jobs=n_jobs
    )
    return _Errors(
        expected=1 - np.clip(fit.law.accuracy(targets), 0, 1),
        low=1 - interval.high,
        high=1 - interval.low,
        kind=interval.kind,
    )


def _unseen(problem: RiskProblem, errors: _Errors) -> _Forecast:
    """Let mistakes that were never seen cost what any of them may, on average.

    The interval reaches as far as the cheapest and the dearest of them.
    """
    own, (least, most) = problem.own_cost, problem.bounds
    return _Forecast(
        risk=own + errors.expected * problem.random_mistake,
        low=own + np.minimum(errors.high * least, 0.0),
        high=own + errors.high * most,
        interval_kind=errors.kind,
        cost_interval=CostInterval.FULL_RANGE,
        mistakes=RiskFactor(expected=errors.expected, low=errors.low, high=errors.high),
    )


def _observed_errors(problem: RiskProblem, k: int, confidence_level: float) -> _Errors:
    """Bracket the share of mistakes as accuracy is bracketed up to the data."""
    curve, replicates = problem.counted().curves_at(problem.with_smaller(k))
    share, stderr = curve.risk[-1:], curve.stderr[np.isfinite(curve.stderr)]
    low, high = bracket_share(
        float(np.clip(share[0], 0, 1)),
        float(stderr[-1] if stderr.size else np.nan),
        n_groups=min(replicates.shape[0], problem.n_alike)
        if problem.class_weights is not None
        else replicates.shape[0],
        n_tested=problem.n_alike,
        confidence_level=confidence_level,
    )
    return _Errors(share, np.array([low]), np.array([high]), IntervalKind.JACKKNIFE)


def _put_together(
    problem: RiskProblem, errors: _Errors, cost: MistakeCost, confidence_level: float
) -> _Forecast:
    """Multiply, and add the cost of being right."""
    own, added = problem.own_cost, errors.expected * cost.expected
    low, high = _ends(errors, cost)
    doubt = _own_cost_doubt(problem, confidence_level)
    # Without such doubt the ends stay as they are, to the last digit.
    further_down = np.hypot(added - low, doubt) - (added - low)
    further_up = np.hypot(high - added, doubt) - (high - added)
    is_constant = bool((cost.low == cost.high).all())
    return _Forecast(
        risk=own + added,
        low=own + low - further_down,
        high=own + high + further_up,
        interval_kind=errors.kind,
        cost_interval=CostInterval.CONSTANT if is_constant else CostInterval.JACKKNIFE,
        mistakes=RiskFactor(expected=errors.expected, low=errors.low, high=errors.high),
        cost=RiskFactor(
            expected=cost.expected, low=cost.low, high=cost.high, slope=cost.slope
        ),
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
        fewer = _log_of_ratio(errors.low, errors.expected)
        more = _log_of_ratio(errors.high, errors.expected)
        down = np.hypot(fewer, _log_of_ratio(cost.low, first))
        up = np.hypot(more, _log_of_ratio(cost.high, last))
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


def _log_of_ratio(end: FloatArray, centre: FloatArray) -> FloatArray:
    """Return log(end / centre); zero where the centre is, as nothing stays nothing."""
    ratio = np.divide(end, centre, out=np.ones_like(end), where=centre > 0)
    with np.errstate(divide="ignore"):
        return np.log(ratio)


def _own_cost_doubt(problem: RiskProblem, confidence_level: float) -> float:
    """Return how far off the cost of being right may be; mostly it is known."""
    stderr = problem.own_cost_stderr
    if stderr == 0:
        return 0.0
    freedom = max(problem.n_alike - 1, 1)
    return float(scipy.special.stdtrit(freedom, 0.5 + confidence_level / 2)) * stderr
