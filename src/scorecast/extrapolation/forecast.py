"""The forecast of one recogniser: what it holds, and how it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from scorecast._core.progress import stage, stages
from scorecast._core.result import INPUT, NEW, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import UsageError
from scorecast.extrapolation.auto import PooledFit, Pooling
from scorecast.extrapolation.backtest import (
    BacktestRow,
    backtest_methods,
    n_hidings,
)
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Extrapolator,
    Fit,
    Law,
)
from scorecast.extrapolation.intervals import (
    IntervalKind,
    least_accuracy,
    observed_interval,
    prediction_interval,
)
from scorecast.extrapolation.measures import (
    MatchCurve,
    MeasureCurve,
    MeasurePrediction,
    RankMeasure,
    ReciprocalRank,
    TopMeasure,
)
from scorecast.extrapolation.notes import FAR, forecast_notes, warn_of
from scorecast.extrapolation.observed import ObservedClasses
from scorecast.scores import (
    AccuracyCurve,
    ClassWeighting,
    Marginality,
    curve_of_ranking,
    curve_sizes,
    marginality,
)

_CURVE_POINTS = 48
_REACH = 10**9  # classes beyond which nobody looks
_REACH_POINTS = 240
_TIDIED = 10**6
_NOWHERE = np.array([1])
_FEWEST_TO_HIDE = 8
_MOST_GUESSES = 24  # numbers of guesses that a cumulative match curve is asked for
_FAVOURABILITY = 1 - np.concatenate([np.geomspace(1, 1e-6, 97), [0.0]])
_NO_COVARIANCE = np.empty((0, 0))


class MethodRole(StrEnum):
    """What a method has to do with the forecast."""

    FORECAST = "forecast"
    PART = "part"
    COMPARED = "compared"


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Expected accuracy at one number of classes.

    Attributes
    ----------
    classes : int
        Number of classes.
    accuracy : float
        Expected accuracy.
    low, high : float
        Ends of the interval; NaN where classes are too few for one.
    chance : float
        Accuracy of guessing among so many classes.
    is_observed : bool
        Whether it is no forecast: the average over all subsets of so many classes.
    is_far : bool
        Whether it is so far beyond the data that it is a rough guide at best.
    bound : float or None
        What accuracy is at least where every sample was right, with confidence
        `confidence_level` and whatever the recogniser is like; None where some were
        wrong.
    """

    classes: int
    accuracy: float = field(metadata=SHARE)
    low: float = field(metadata=SHARE)
    high: float = field(metadata=SHARE)
    chance: float = field(metadata=SHARE)
    is_observed: bool = False
    is_far: bool = False
    bound: float | None = field(default=None, metadata=SHARE)


@dataclass(frozen=True, kw_only=True)
class Reach:
    """Up to how many classes an accuracy is held.

    Attributes
    ----------
    accuracy : float
        What is to be held.
    classes : int or None
        Largest number of classes at which as much is expected; None beyond `limit`.
    low, high : int or None
        The same of the lower and the upper end of the interval: up to `low` classes one
        may be sure of it, beyond `high` of the contrary. None beyond `limit`; 1 where
        not even the fewest classes are sure.
    limit : int
        Beyond which nobody looked.
    """

    accuracy: float = field(metadata=SHARE)
    classes: int | None
    low: int | None
    high: int | None
    limit: int


@dataclass(frozen=True, kw_only=True, eq=False)
class ForecastCurve:
    """Expected accuracy over a range of numbers of classes, for drawing.

    Attributes
    ----------
    classes : ndarray of int64
        Numbers of classes.
    accuracy, low, high : ndarray of float64
        Expected accuracy and the ends of its interval.
    """

    classes: NDArray[np.int64]
    accuracy: NDArray[np.float64] = field(metadata=SHARE)
    low: NDArray[np.float64] = field(metadata=SHARE)
    high: NDArray[np.float64] = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodForecast:
    """What one method says.

    Attributes
    ----------
    name : str
        Name of the method.
    role : MethodRole
        Whether it makes the forecast, is a part of it, or is shown for comparison.
    weight : float
        Its share in the forecast.
    targets : ndarray of float64
        Its accuracies at the predicted numbers of classes.
    curve : ndarray of float64
        Its accuracies at the classes of the forecast curve.
    """

    name: str
    role: MethodRole
    weight: float = field(metadata=SHARE)
    targets: NDArray[np.float64] = field(metadata=SHARE)
    curve: NDArray[np.float64] = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False)
class Discriminability:
    """The discriminability function on a grid.

    Attributes
    ----------
    u : ndarray of float64
        Favourabilities.
    d : ndarray of float64
        D(u), the share of samples with favourability at most u, as it was fitted: what
        is not held to be a share may leave 0 to 1 a little.
    """

    u: NDArray[np.float64] = field(metadata=SHARE)
    d: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class BandwidthForecast:
    """What another bandwidth would have said.

    Attributes
    ----------
    bandwidth : float
        The bandwidth.
    rmse : float
        Its error in predicting all classes from half of them.
    accuracy : ndarray of float64
        Its accuracies at the predicted numbers of classes.
    """

    bandwidth: float
    rmse: float
    accuracy: NDArray[np.float64] = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureForecast:
    """What is forecast of one measure.

    Attributes
    ----------
    measure : str
        ``"top-5"`` is accuracy within five guesses (recall at 5), ``"mrr"`` the mean
        reciprocal rank.
    predictions : tuple of MeasurePrediction
        The numbers asked for.
    observed, curve : MeasureCurve
        Against the number of classes: from the classes at hand, and beyond.
    backtest : tuple of BacktestRow
        How methods did when classes were hidden from them; may be empty.
    """

    measure: str
    predictions: tuple[MeasurePrediction, ...]
    observed: MeasureCurve
    curve: MeasureCurve
    backtest: tuple[BacktestRow, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Extrapolation(Result):
    """Accuracy forecast for more classes than were observed.

    Attributes
    ----------
    predictions : tuple of Prediction
        The numbers asked for.
    observed : AccuracyCurve
        Accuracy against the number of classes, from the classes at hand.
    observed_low, observed_high : float
        Interval of the accuracy with all observed classes.
    curve : ForecastCurve
        The forecast between the observed classes and the largest target.
    methods : tuple of MethodForecast
        What each method says, and its share in the forecast.
    backtest : tuple of BacktestRow
        How methods did when classes were hidden from them; may be empty.
    discriminability : Discriminability
        D(u) of the forecast.
    interval_kind : IntervalKind
        How intervals were made.
    reach : Reach or None
        Up to how many classes an accuracy is held, where that was asked.
    pooling : Pooling or None
        How parts were pooled, where they were.
    bandwidth : float or None
        What the method chose, if it is one that chooses a bandwidth.
    by_bandwidth : tuple of BandwidthForecast
        What other bandwidths would have said.
    n_effective : float or None
        Number of independent samples that the data count as, where a method asked.
    parameters : dict of str to float
        Parameters of the law of favourability, where it has a few.
    further : tuple of MeasureForecast
        Other measures that were asked for, of the same fit: more guesses, mean
        reciprocal rank. `measures` has all of them by name.
    match_curves : tuple of MatchCurve
        Accuracy against the number of guesses (CMC), with the classes observed and at
        every target, where several numbers of guesses were asked for.
    notes : tuple of Note
        What the reader must know; codes of `ForecastNote` and `ScoreNote`.
    n_samples, n_classes : int
        Size of the data.
    marginality : Marginality
        Whether each class is scored on its own, as the forecast assumes.
    method : str
        What was used.
    settings : dict
        Settings of the method that are not the usual ones.
    class_weighting : ClassWeighting or None
        How unequally classes count; None where they were not weighed.
    ties, average : str
        Rules used.
    top : int
        Guesses allowed for a sample to count as right; of several numbers the least.
    confidence_level : float
        Level of all intervals.
    random_state : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "extrapolation"

    predictions: tuple[Prediction, ...]
    observed: AccuracyCurve
    observed_low: float = field(metadata=SHARE)
    observed_high: float = field(metadata=SHARE)
    curve: ForecastCurve
    methods: tuple[MethodForecast, ...]
    backtest: tuple[BacktestRow, ...]
    discriminability: Discriminability
    interval_kind: IntervalKind
    reach: Reach | None = None
    pooling: Pooling | None = None
    bandwidth: float | None = None
    by_bandwidth: tuple[BandwidthForecast, ...] = ()
    n_effective: float | None = None
    parameters: dict[str, float] = field(default_factory=dict)
    further: tuple[MeasureForecast, ...] = ()
    match_curves: tuple[MatchCurve, ...] = ()
    notes: tuple[Note, ...] = ()
    n_samples: int = field(metadata=INPUT)
    n_classes: int = field(metadata=INPUT)
    marginality: Marginality = field(metadata=INPUT)
    class_weighting: ClassWeighting | None = field(default=None, metadata=INPUT | NEW)
    method: str = field(metadata=OPTION)
    settings: dict[str, Any] = field(metadata=OPTION)
    ties: str = field(metadata=OPTION)
    average: str = field(metadata=OPTION)
    top: int = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    random_state: int | None = field(metadata=OPTION)

    @property
    def observed_accuracy(self) -> float:
        """Accuracy with all observed classes."""
        return float(self.observed.accuracy[np.argmax(self.observed.classes)])

    @property
    def is_faultless(self) -> bool:
        """Whether every observed sample is right."""
        return self.observed_accuracy >= 1

    @property
    def measures(self) -> dict[str, MeasureForecast]:
        """All measures by name, such as "top-1" and "mrr"; the first is the answer."""
        low, high = observed_band(self.observed, self.confidence_level)
        own = MeasureForecast(
            measure=TopMeasure.of(self.top).name,
            predictions=tuple(
                MeasurePrediction(
                    classes=p.classes,
                    value=p.accuracy,
                    low=p.low,
                    high=p.high,
                    chance=p.chance,
                    is_observed=p.is_observed,
                    is_far=p.is_far,
                )
                for p in self.predictions
            ),
            observed=MeasureCurve(
                classes=self.observed.classes,
                value=self.observed.accuracy,
                low=low,
                high=high,
            ),
            curve=MeasureCurve(
                classes=self.curve.classes,
                value=self.curve.accuracy,
                low=self.curve.low,
                high=self.curve.high,
            ),
            backtest=self.backtest,
        )
        return {one.measure: one for one in (own, *self.further)}

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the predictions, one row per number of classes (and measure)."""
        if self.further:
            rows = [
                {"measure": name, **asdict(p)}
                for name, one in self.measures.items()
                for p in one.predictions
            ]
        else:
            rows = [asdict(p) for p in self.predictions]
        return {name: [row[name] for row in rows] for name in rows[0]}


def forecast_accuracy(
    observed: ObservedClasses,
    chosen: Extrapolator,
    targets: IntArray | None,
    *,
    until: float | None,
    tops: tuple[int, ...],
    has_mrr: bool,
    confidence_level: float,
    is_compared: bool,
    n_repeats: int | None,
    random_state: RandomState,
    n_jobs: int | None,
) -> Extrapolation:
    """Fit, compare, test and ask; the first of `tops` is the answer."""
    data, top = observed.data, tops[0]
    measures: tuple[RankMeasure, ...] = tuple(map(TopMeasure.of, tops))
    if has_mrr:
        measures = (*measures, ReciprocalRank())
    rng_fit, rng_others, rng_test = as_generator(random_state).spawn(3)
    others: dict[str, Fit] = {}
    with stages(
        {"fit": 2.0, "back-test": n_hidings(observed, n_repeats), "curve": 0.3}
    ):
        with stage("fit"):
            fit = chosen.fit(observed, rng_fit, n_jobs=n_jobs)
            reach = None
            if until is not None:
                asked = _Question(
                    observed, fit, {}, confidence_level, _NOWHERE, top, n_jobs
                )
                reach = asked.reach(until)
            if targets is None:
                most = None if reach is None else reach.classes
                targets = np.array([tidy(most or _REACH)])
            if is_compared and isinstance(fit, PooledFit):
                others = _fit_others(fit, observed, rng_others, n_jobs)
        with stage("back-test"):
            rows = _backtest(
                observed, fit, others, n_repeats, rng_test, measures, n_jobs
            )
        with stage("curve"):
            asked = _Question(
                observed, fit, others, confidence_level, targets, top, n_jobs
            )
            curve, predictions, kind = asked.forecasts()
            at_hand = asked.observed_curve(curve_sizes(observed.n_classes))
            low, high = observed_interval(observed, at_hand, confidence_level)
    pooling = fit.pooling if isinstance(fit, PooledFit) else None
    notes = forecast_notes(observed, targets, top=top, pooling=pooling)
    warn_of(notes)
    return Extrapolation(
        predictions=predictions,
        observed=replace(at_hand, covariance=_NO_COVARIANCE),
        observed_low=_raised(low, float(at_hand.accuracy.min()), curve),
        observed_high=high,
        curve=curve,
        methods=asked.methods(curve.classes),
        backtest=rows[0],
        discriminability=Discriminability(
            u=_FAVOURABILITY, d=fit.law.discriminability(_FAVOURABILITY)
        ),
        interval_kind=kind,
        reach=reach,
        pooling=pooling,
        bandwidth=fit.bandwidth,
        by_bandwidth=tuple(
            BandwidthForecast(
                bandwidth=one.bandwidth,
                rmse=one.rmse,
                accuracy=one.law.accuracy(targets, top),
            )
            for one in fit.by_bandwidth
        ),
        n_effective=fit.n_effective,
        parameters=dict(fit.parameters),
        further=tuple(
            asked.measure(measure, curve, tests)
            for measure, tests in zip(measures[1:], rows[1:], strict=True)
        ),
        match_curves=asked.match_curves(max(tops)) if len(tops) > 1 else (),
        notes=notes,
        n_samples=data.n_samples,
        n_classes=data.n_classes,
        marginality=marginality(data),
        method=chosen.name,
        settings=chosen.settings(),
        ties=observed.ties,
        average=observed.average,
        top=top,
        confidence_level=confidence_level,
        random_state=seed_number(random_state),
    )


def _fit_others(
    fit: PooledFit,
    observed: ObservedClasses,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> dict[str, Fit]:
    """Fit what "auto" is compared with, but for its own parts.

    Every method of the registry has a stream of its own, asked or not, so that one more
    changes nothing for the others.
    """
    streams = zip(EXTRAPOLATORS.values(), rng.spawn(len(EXTRAPOLATORS)), strict=True)
    return {
        method.name: method.fit(observed, stream, n_jobs=n_jobs)
        for method, stream in streams
        if method.is_compared
        and method.name not in fit.parts
        and (method.max_cells is None or observed.n_cells <= method.max_cells)
    }


def _backtest(
    observed: ObservedClasses,
    fit: Fit,
    others: dict[str, Fit],
    n_repeats: int | None,
    rng: np.random.Generator,
    measures: tuple[RankMeasure, ...],
    n_jobs: int | None,
) -> list[tuple[BacktestRow, ...]]:
    """Hide half of the classes, unless these are too few, and see of every measure."""
    n_kept = observed.n_classes // 2
    # Within as many guesses as there are classes everything is right.
    able = [m for m in measures if not (isinstance(m, TopMeasure) and n_kept <= m.top)]
    if n_repeats == 0 or observed.n_classes < _FEWEST_TO_HIDE or not able:
        return [() for _ in measures]
    # Bandwidths chosen on all classes are held, or every hiding would hide again.
    methods = [fit.tuned, *(other.tuned for other in others.values())]
    found = backtest_methods(
        observed, methods, n_kept, n_repeats, rng, measures=able, n_jobs=n_jobs
    )
    by_name = {m.name: tuple(rows) for m, rows in zip(able, found, strict=True)}
    return [by_name.get(m.name, ()) for m in measures]


@dataclass(frozen=True)
class _Question:
    """A fit, and what it is asked for."""

    observed: ObservedClasses
    fit: Fit
    others: dict[str, Fit]
    confidence_level: float
    targets: IntArray
    top: int
    n_jobs: int | None

    def observed_curve(self, sizes: IntArray) -> AccuracyCurve:
        """Return the accuracy at numbers of classes that were observed."""
        observed = self.observed
        return curve_of_ranking(
            observed.ranking,
            sizes,
            top=self.top,
            ties=observed.ties,
            average=observed.average,
        )

    def forecasts(self) -> tuple[ForecastCurve, tuple[Prediction, ...], IntervalKind]:
        """Ask for the curve and the targets together."""
        first = self.observed.n_classes
        last = max(int(self.targets.max()), 2 * first)
        points = np.geomspace(first, last, _CURVE_POINTS).round().astype(int)
        sizes = np.unique(points)
        n, asked = sizes.size, np.concatenate([sizes, self.targets])
        accuracy = self._expected(self.fit.law, asked)
        interval = prediction_interval(
            self.fit,
            self.observed,
            asked,
            self.confidence_level,
            top=self.top,
            n_jobs=self.n_jobs,
        )
        low, high = interval.low, interval.high
        curve = ForecastCurve(
            classes=sizes, accuracy=accuracy[:n], low=low[:n], high=high[:n]
        )
        found = [
            self._prediction(int(k), *map(float, values))
            if k > first
            else self._interpolated(int(k), curve)
            for k, *values in zip(
                self.targets, accuracy[n:], low[n:], high[n:], strict=True
            )
        ]
        return curve, _falling(found), interval.kind

    def measure(
        self,
        measure: RankMeasure,
        drawn: ForecastCurve,
        tests: tuple[BacktestRow, ...],
    ) -> MeasureForecast:
        """Ask for another measure where the first was asked."""
        observed, level = self.observed, self.confidence_level
        first, n = observed.n_classes, drawn.classes.size
        beyond = np.concatenate([drawn.classes, self.targets[self.targets > first]])
        values = measure.expected(self.fit.law, observed.ranks, beyond)
        low, high = measure.ends(self.fit, observed, beyond, level, n_jobs=self.n_jobs)
        low, high = np.fmin(low, values), np.fmax(high, values)
        sizes = np.unique(np.geomspace(2, first, _CURVE_POINTS).round()).astype(int)
        at_hand = _observed_measure(measure, observed, sizes, level, float(low[0]))
        forecasts = iter(range(n, beyond.size))
        found = []
        for k in self.targets.tolist():
            if k <= first:
                exact = _observed_measure(
                    measure, observed, np.array([k]), level, float(low[0])
                )
                value, *ends = (
                    float(part[0]) for part in (exact.value, exact.low, exact.high)
                )
            else:
                i = next(forecasts)
                value, *ends = float(values[i]), float(low[i]), float(high[i])
            found.append(
                MeasurePrediction(
                    classes=k,
                    value=value,
                    low=ends[0],
                    high=ends[1],
                    chance=measure.chance(k),
                    is_observed=k <= first,
                    is_far=k > FAR * first,
                )
            )
        return MeasureForecast(
            measure=measure.name,
            predictions=tuple(found),
            observed=at_hand,
            curve=MeasureCurve(
                classes=drawn.classes, value=values[:n], low=low[:n], high=high[:n]
            ),
            backtest=tests,
        )

    def match_curves(self, most: int) -> tuple[MatchCurve, ...]:
        """Ask for accuracy within 1, 2, ... guesses, as observed and at the targets."""
        first = self.observed.n_classes
        spaced = np.geomspace(1, most, _MOST_GUESSES).round().astype(np.int64)
        few = np.arange(1, most + 1)
        guesses = few if most <= _MOST_GUESSES else np.unique(spaced)
        beyond = np.unique(self.targets[self.targets > first])
        rows = []
        for top in guesses.tolist():
            measure = TopMeasure.of(top)
            exact = _observed_measure(
                measure,
                self.observed,
                np.array([first]),
                self.confidence_level,
                float("nan"),
            )
            values = low = high = np.empty(0)
            if beyond.size:
                values = measure.expected(self.fit.law, self.observed.ranks, beyond)
                low, high = measure.ends(
                    self.fit,
                    self.observed,
                    beyond,
                    self.confidence_level,
                    n_jobs=self.n_jobs,
                )
            rows.append(
                [
                    np.append(exact.value, values),
                    np.append(exact.low, np.fmin(low, values)),
                    np.append(exact.high, np.fmax(high, values)),
                ]
            )
        table = np.array(rows)  # guesses x (value, low, high) x numbers of classes
        # One more guess never hurts.
        table = np.maximum.accumulate(table, axis=0)
        return tuple(
            MatchCurve(
                classes=int(k),
                guesses=guesses,
                accuracy=table[:, 0, i],
                low=table[:, 1, i],
                high=table[:, 2, i],
                is_observed=i == 0,
            )
            for i, k in enumerate([first, *beyond])
        )

    def reach(self, accuracy: float) -> Reach:
        """Find up to how many classes an accuracy is held, surely and perhaps."""
        first = self.observed.n_classes
        at_hand = self.observed_curve(curve_sizes(first))
        spaced = np.geomspace(first, _REACH, _REACH_POINTS).round()
        beyond = np.unique(spaced.astype(np.int64))
        expected = self._expected(self.fit.law, beyond)
        interval = prediction_interval(
            self.fit,
            self.observed,
            beyond,
            self.confidence_level,
            top=self.top,
            n_jobs=self.n_jobs,
        )
        order = np.argsort(at_hand.classes)
        sizes = at_hand.classes[order]
        ends = np.array(
            [
                observed_interval(
                    self.observed,
                    self.observed_curve(np.array([k])),
                    self.confidence_level,
                )
                for k in sizes
            ]
        )
        # Accuracy only decreases: at least as much with fewer classes as with all.
        ends[:, 0] = np.fmax(ends[:, 0], interval.low[0])
        classes = np.concatenate([sizes, beyond[1:]]).astype(np.float64)

        def last(within: FloatArray, far: FloatArray) -> int | None:
            return last_held(classes, np.concatenate([within, far[1:]]), accuracy)

        nowhere = not np.isfinite(interval.low).all()
        return Reach(
            accuracy=float(accuracy),
            classes=last(at_hand.accuracy[order], expected),
            low=1 if nowhere else last(ends[:, 0], interval.low),
            high=None if nowhere else last(ends[:, 1], interval.high),
            limit=_REACH,
        )

    def _prediction(
        self, k: int, accuracy: float, low: float, high: float
    ) -> Prediction:
        observed, bound = self.observed, None
        if observed.ranks.is_faultless(self.top):
            at_least = least_accuracy(
                observed, np.array([k]), self.confidence_level, self.top
            )
            bound = float(at_least[0])
        return Prediction(
            classes=k,
            accuracy=accuracy,
            low=low,
            high=high,
            chance=min(self.top / k, 1.0),
            is_far=k > FAR * observed.n_classes,
            bound=bound,
        )

    def _interpolated(self, k: int, curve: ForecastCurve) -> Prediction:
        """Answer for a number of classes that was observed: no model is needed."""
        exact = self.observed_curve(np.array([k]))
        low, high = observed_interval(self.observed, exact, self.confidence_level)
        accuracy = float(exact.accuracy[-1])
        return Prediction(
            classes=k,
            accuracy=accuracy,
            low=_raised(low, accuracy, curve),
            high=high,
            chance=min(self.top / k, 1.0),
            is_observed=True,
        )

    def methods(self, sizes: IntArray) -> tuple[MethodForecast, ...]:
        """Ask every method for the same numbers."""
        name, weights = self.fit.tuned.name, {self.fit.tuned.name: 1.0}
        own: dict[str, Law] = {name: self.fit.law}
        role = MethodRole.FORECAST
        if isinstance(self.fit, PooledFit):
            own, role = dict(self.fit.parts), MethodRole.PART
            weights = {part.method: part.weight for part in self.fit.pooling.parts}
        laws = {
            **{name: (law, role) for name, law in own.items()},
            **{n: (f.law, MethodRole.COMPARED) for n, f in self.others.items()},
        }
        return tuple(
            MethodForecast(
                name=name,
                role=its_role,
                weight=float(weights.get(name, 0.0)),
                targets=self._expected(law, self.targets),
                curve=self._expected(law, sizes),
            )
            for name, (law, its_role) in laws.items()
        )

    def _expected(self, law: Law, ks: IntArray) -> FloatArray:
        return np.clip(law.accuracy(ks, self.top), 0, 1)


def last_held(classes: FloatArray, values: FloatArray, least: float) -> int | None:
    """Return the largest number of classes at which a falling curve is high enough.

    None if it is at the end of the curve, too; 1 if it is nowhere. Between points the
    curve is a line over the logarithm of the classes.
    """
    values = np.minimum.accumulate(values)
    held = np.flatnonzero(values >= least)
    if not held.size:
        return 1
    i = int(held[-1])
    if i == values.size - 1:
        return None
    share = (values[i] - least) / (values[i] - values[i + 1])
    ratio = classes[i + 1] / classes[i]
    return int(classes[i] * ratio**share + 1e-9)


def tidy(classes: int) -> int:
    """Leave a number of classes that was found, not asked for, three digits of many."""
    unit = int(10 ** max(len(str(classes)) - 3, 0))
    return classes if classes < _TIDIED else classes // unit * unit


def _falling(found: Sequence[Prediction]) -> tuple[Prediction, ...]:
    """Let no upper end rise with the number of classes: raise those of fewer."""
    places = sorted(range(len(found)), key=lambda i: found[i].classes)
    highs = np.array([found[i].high for i in places])
    # Where no interval is known there is none, and it says nothing of others.
    raising = np.fmax.accumulate(highs[::-1])[::-1]
    highs = np.where(np.isnan(highs), np.nan, raising)
    raised = dict(zip(places, highs.tolist(), strict=True))
    return tuple(replace(one, high=raised[i]) for i, one in enumerate(found))


def refuse_lost(until: float, known: Sequence[tuple[str, int, float]]) -> None:
    """Refuse to hold an accuracy that everybody has lost already.

    `known` has the name of every recogniser, the most classes it was tested with, and
    its accuracy among them. Beside one who holds it others show where they lost it.
    """
    name, classes, accuracy = max(known, key=lambda one: one[2])
    if accuracy >= until:
        return
    of = f" of {name}" if name else ""
    others = " (others are below it, too)" if len(known) > 1 else ""
    raise UsageError(
        f"with {classes:,} classes the accuracy{of} is {accuracy:.3f} already{others}; "
        f"got {until:g}",
        parameter="until",
        remedy="ask for less",
    )


def observed_band(curve: AccuracyCurve, level: float) -> tuple[FloatArray, FloatArray]:
    """Make a normal interval around an observed curve from its standard errors."""
    errors = np.array(
        [curve.nearest_standard_error(i).value for i in range(curve.classes.size)]
    )
    half = float(scipy.special.ndtri(0.5 + level / 2)) * errors
    low, high = curve.accuracy - half, curve.accuracy + half
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def _observed_measure(
    measure: RankMeasure,
    observed: ObservedClasses,
    sizes: IntArray,
    level: float,
    least: float,
) -> MeasureCurve:
    """Return a measure of the observed classes; it is no lower than beyond them."""
    values = measure.value(observed.ranks, sizes)
    low, high = measure.observed_ends(observed, sizes, level)
    return MeasureCurve(
        classes=sizes,
        value=values,
        low=np.fmin(np.fmax(low, least), values),
        high=np.fmax(high, values),
    )


def _raised(low: float, accuracy: float, curve: ForecastCurve) -> float:
    """Raise a lower end up to the data to that of the forecast from there on.

    Accuracy only decreases, so what it is at least with more classes it is, too.
    """
    return min(float(np.fmax(low, curve.low[0])), accuracy)
