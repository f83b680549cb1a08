"""Everything that a fitted method is asked for the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scorecast._core.percent import percent
from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.assumptions import describe_assumptions
from scorecast.classes.backtest_row import BacktestRow
from scorecast.classes.distributions import FavourabilityDistribution
from scorecast.classes.evidence import Evidence
from scorecast.classes.extrapolation import (
    OBSERVED_NOTE,
    Extrapolation,
    ForecastCurve,
    MethodForecast,
    Prediction,
    chance,
    far_note,
)
from scorecast.classes.intervals import (
    Interval,
    least_accuracy,
    observed_interval,
    prediction_interval,
)
from scorecast.classes.method import Fit
from scorecast.scores import AccuracyCurve, curve_of_ranking, curve_sizes

__all__ = ["Forecast"]

_CURVE_POINTS = 48
_WORTH_SAYING = 0.01  # a bound
_FAVOURABILITY = 1 - np.concatenate([np.geomspace(1, 1e-6, 97), [0.0]])


@dataclass(kw_only=True)
class Forecast:
    """A fit, asked for everything that the result shows.

    Attributes
    ----------
    evidence : Evidence
        The observed classes.
    fit : Fit
        The method fitted to them.
    others : dict
        Fits of other methods, for comparison.
    level : float
        Level of the intervals.
    targets : ndarray of int64
        Numbers of classes asked for.
    """

    evidence: Evidence
    fit: Fit
    others: dict[str, Fit]
    level: float
    targets: IntArray

    def result(
        self,
        *,
        method: str,
        options: dict[str, Any],
        seed: int | None,
        backtest: tuple[BacktestRow, ...],
        warnings: tuple[str, ...],
    ) -> Extrapolation:
        """Put the result together."""
        evidence, fitted = self.evidence, self.fit.distribution
        observed = self._observed_curve(curve_sizes(evidence.n_classes))
        curve, predictions, how = self._forecasts()
        low, high = observed_interval(evidence, observed, self.level)
        low = self._raised(low, float(observed.accuracy.min()), curve)
        return Extrapolation(
            predictions=predictions,
            observed=observed,
            observed_low=low,
            observed_high=high,
            curve=curve,
            methods=self._methods(curve.classes),
            backtest=backtest,
            favourability=_FAVOURABILITY,
            discriminability=fitted.discriminability(_FAVOURABILITY),
            method=method,
            ties=evidence.ties,
            average=evidence.average,
            top=evidence.top,
            level=self.level,
            seed=seed,
            interval=how,
            assumptions=describe_assumptions(evidence),
            details=self._details(),
            warnings=warnings,
            options=options,
        )

    def _observed_curve(self, sizes: IntArray) -> AccuracyCurve:
        evidence = self.evidence
        return curve_of_ranking(
            evidence.ranking,
            sizes,
            top=evidence.top,
            ties=evidence.ties,
            average=evidence.average,
        )

    def _forecasts(self) -> tuple[ForecastCurve, tuple[Prediction, ...], str]:
        """Ask for the curve and the targets together, and how the intervals came."""
        sizes = self._curve_sizes()
        n, asked = sizes.size, np.concatenate([sizes, self.targets])
        accuracy = _expected(self.fit.distribution, asked)
        interval = prediction_interval(self.fit, self.evidence, asked, self.level)
        curve = ForecastCurve(
            classes=sizes,
            accuracy=accuracy[:n],
            low=interval.low[:n],
            high=interval.high[:n],
        )
        return curve, self._predictions(accuracy[n:], interval, n, curve), interval.how

    def _curve_sizes(self) -> IntArray:
        first = self.evidence.n_classes
        last = max(int(self.targets.max()), 2 * first)
        return np.unique(np.geomspace(first, last, _CURVE_POINTS).round().astype(int))

    def _predictions(
        self,
        accuracy: FloatArray,
        interval: Interval,
        n: int,
        curve: ForecastCurve,
    ) -> tuple[Prediction, ...]:
        found = []
        for i, k in enumerate(self.targets):
            if k <= self.evidence.n_classes:
                found.append(self._interpolated(int(k), curve))
                continue
            found.append(
                Prediction(
                    classes=int(k),
                    accuracy=float(accuracy[i]),
                    low=float(interval.low[n + i]),
                    high=float(interval.high[n + i]),
                    note=self._note(int(k)),
                    bound=self._bound(int(k)),
                    chance=chance(int(k), self.evidence.top),
                )
            )
        return tuple(found)

    def _note(self, k: int) -> str:
        said = [far_note(k, self.evidence.n_classes)]
        bound = self._bound(k)
        if bound is not None and bound >= _WORTH_SAYING:
            said.append(f"at least {percent(bound)} whatever the recogniser is like")
        elif self.evidence.ranks.accuracy >= 1:
            said.append("no mistake was observed")
        return "; ".join(filter(None, said))

    def _bound(self, k: int) -> float | None:
        if not self.evidence.ranks.is_only_bound:
            return None
        return float(least_accuracy(self.evidence, np.array([k]), self.level)[0])

    @staticmethod
    def _raised(low: float, accuracy: float, curve: ForecastCurve) -> float:
        """Raise a lower end up to the data to that of the forecast from there on.

        Accuracy only decreases, so what it is at least with more classes it is, too.
        """
        return min(float(np.fmax(low, curve.low[0])), accuracy)

    def _interpolated(self, k: int, curve: ForecastCurve) -> Prediction:
        """Answer for a number of classes that was observed: no model is needed."""
        exact = self._observed_curve(np.array([k]))
        low, high = observed_interval(self.evidence, exact, self.level)
        return Prediction(
            classes=k,
            accuracy=float(exact.accuracy[-1]),
            low=self._raised(low, float(exact.accuracy[-1]), curve),
            high=high,
            note=OBSERVED_NOTE,
            chance=chance(k, self.evidence.top),
        )

    def _methods(self, sizes: IntArray) -> tuple[MethodForecast, ...]:
        weights = self.fit.details.get("weights", {self.fit.tuned.name: 1.0})
        parts = self.fit.details.get(
            "components", {self.fit.tuned.name: self.fit.distribution}
        )
        parts = {**parts, **{name: f.distribution for name, f in self.others.items()}}
        notes = {
            **dict.fromkeys(self.others, "shown for comparison"),
            **self.fit.details.get("notes", {}),
        }
        return tuple(
            MethodForecast(
                name=name,
                weight=float(weights.get(name, 0.0)),
                targets=_expected(part, self.targets),
                curve=_expected(part, sizes),
                note=notes.get(name, ""),
            )
            for name, part in parts.items()
        )

    def _details(self) -> dict[str, Any]:
        """Keep what the method chose, as far as it can be written down."""
        details: dict[str, Any] = {"bandwidth": None}
        for name, value in self.fit.details.items():
            if name == "by_bandwidth":
                details["predictions_by_bandwidth"] = [
                    {"bandwidth": h, "accuracy": d.accuracy(self.targets).tolist()}
                    for h, d in value.items()
                ]
            elif isinstance(value, int | float | str | list | dict | None) and (
                name not in ("components", "masses")
            ):
                details[name] = value
        return details


def _expected(part: FavourabilityDistribution, ks: IntArray) -> FloatArray:
    return np.clip(part.accuracy(ks), 0, 1)
