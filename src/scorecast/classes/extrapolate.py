"""Forecast accuracy with more classes than were observed."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_choice,
    check_class_counts,
    check_level,
    check_n_jobs,
)
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.classes.assumptions import describe_assumptions, describe_cautions
from scorecast.classes.backtest import backtest_methods
from scorecast.classes.backtest_row import BacktestRow
from scorecast.classes.distributions import FavourabilityDistribution
from scorecast.classes.evidence import Evidence
from scorecast.classes.extrapolation import (
    FAR,
    Extrapolation,
    ForecastCurve,
    MethodForecast,
    Prediction,
)
from scorecast.classes.intervals import (
    Interval,
    expected_accuracy,
    observed_interval,
    prediction_interval,
)
from scorecast.classes.method import Fit, Method
from scorecast.classes.methods import make_method, with_jobs
from scorecast.exceptions import ExtrapolationWarning, InsufficientDataError
from scorecast.scores import (
    AVERAGES,
    TIES,
    Embeddings,
    LabelledEmbeddings,
    Scores,
    as_class_scores,
    curve_of_ranking,
    curve_sizes,
)

__all__ = ["extrapolate"]

_CURVE_POINTS = 48
_COMPARED = ("regression", "gaussian", "kde-ucv", "kde-bcv", "spline")
_FEWEST_TO_HIDE = 8
_MOST_SCORES = 50_000_000  # smoothed only where that is the method asked for
_FAVOURABILITY = 1 - np.concatenate([np.geomspace(1, 1e-6, 97), [0.0]])


def extrapolate(
    scores: ArrayLike | Scores | Embeddings | LabelledEmbeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    to: int | Sequence[int],
    method: str | Method = "auto",
    ties: str = "random",
    average: str = "macro",
    level: float = 0.9,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    compare: bool = True,
    backtest_repeats: int = 4,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    **options: Any,
) -> Extrapolation:
    """Forecast accuracy with many more classes than were tested.

    Valid if the new classes come from the same population as the observed ones, and
    if each class is scored on its own; where that fails the forecast is approximate.

    Parameters
    ----------
    scores : array-like of shape (n_examples, n_classes), Scores or Embeddings
        What the recogniser gave for the observed classes.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    to : int or sequence of int
        Numbers of classes to forecast. At or below the observed number the exact
        average over subsets is given instead of a forecast.
    method : str or Method, default="auto"
        One of "auto", "bayesian", "regression", "gaussian", "kde-ucv", "kde-bcv",
        "kde-fixed", "spline", "polynomial".
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Equal scores count as their expectation under random breaking, as won, or
        as lost.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every example.
    level : float, default=0.9
        Level of the intervals.
    classes : sequence of hashable, optional
        Labels of the columns of a plain matrix.
    greater_is_better : bool, default=True
        False for distances.
    compare : bool, default=True
        Whether "auto" also shows what other methods say, and how they do in the
        back-test.
    backtest_repeats : int, default=4
        How often half of the classes are hidden to see how methods do; 0 for never.
        `backtest` does the same more thoroughly.
    random_state : int, Generator or None, default=0
        For all random choices; the same answer for any `n_jobs`.
    n_jobs : int, optional
        Number of threads or workers; all cores for ranks by default.
    **options
        Options of the method, such as ``bandwidth=0.5`` or ``form="simplex"``.

    Returns
    -------
    Extrapolation
        The forecast, what it rests on, and how far to trust it.

    Examples
    --------
    >>> from scorecast.io import load_characters
    >>> known = load_characters()
    >>> first_60 = known.labels < 60
    >>> answer = extrapolate(
    ...     Embeddings(known.gallery[:60], known.probes[first_60], metric="cosine"),
    ...     known.labels[first_60],
    ...     to=242,
    ...     method="gaussian",
    ... )
    >>> 0.4 < answer.predictions[0].accuracy < 0.7  # 0.57 with all 242
    True
    """
    check_level(level)
    check_n_jobs(n_jobs)
    check_choice(ties, "ties", TIES)
    check_choice(average, "average", AVERAGES)
    targets = check_class_counts(to, "to")
    chosen = with_jobs(make_method(method, **options), n_jobs)
    data = as_class_scores(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    if np.unique(data.own).size < 2:
        msg = (
            "All examples belong to one class: how well classes are told apart cannot "
            "be seen from one of them."
        )
        raise InsufficientDataError(msg)
    rng_fit, rng_others, rng_test = as_generator(random_state).spawn(3)
    evidence = Evidence.of(data, ties=ties, average=average, n_jobs=n_jobs)
    fit = chosen.fit(evidence, rng_fit)
    others = _others(chosen, fit, evidence, rng_others, n_jobs) if compare else {}
    rows = _backtest(evidence, fit, others, backtest_repeats, rng_test, n_jobs)
    forecast = _Forecast(
        evidence=evidence, fit=fit, others=others, level=level, targets=targets
    )
    cautions = describe_cautions(evidence, targets)
    for caution in cautions:
        warnings.warn(caution, ExtrapolationWarning, stacklevel=2)
    return forecast.result(
        method=chosen.name,
        options=options,
        seed=seed_number(random_state),
        backtest=rows,
        warnings=tuple(cautions),
    )


def _others(
    chosen: Method,
    fit: Fit,
    evidence: Evidence,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> dict[str, Fit]:
    """Fit what "auto" is compared with; a method chosen by name stands alone."""
    if chosen.name != "auto":
        return {}
    parts = fit.details.get("components", {})
    many = evidence.ranking.n_examples * evidence.n_classes > _MOST_SCORES
    names = [
        name
        for name in _COMPARED
        if name not in parts and not (many and name.startswith("kde"))
    ]
    streams = rng.spawn(len(names))
    return {
        name: with_jobs(make_method(name), n_jobs).fit(evidence, stream)
        for name, stream in zip(names, streams, strict=True)
    }


def _backtest(
    evidence: Evidence,
    fit: Fit,
    others: dict[str, Fit],
    n_repeats: int,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> tuple[BacktestRow, ...]:
    if n_repeats < 1 or evidence.n_classes < _FEWEST_TO_HIDE:
        return ()
    # Bandwidths chosen on all classes are held, or every hiding would hide again.
    methods = [fit.tuned, *(other.tuned for other in others.values())]
    n_kept = evidence.n_classes // 2
    return tuple(
        backtest_methods(evidence, methods, n_kept, n_repeats, rng, n_jobs=n_jobs)
    )


@dataclass(kw_only=True)
class _Forecast:
    """A fit, asked for everything that the result shows."""

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
        evidence = self.evidence
        n_classes = evidence.n_classes
        observed = curve_of_ranking(
            evidence.ranking,
            curve_sizes(n_classes),
            ties=evidence.ties,
            average=evidence.average,
        )
        sizes = self._curve_sizes()
        asked = np.concatenate([sizes, self.targets])
        accuracy = expected_accuracy(self.fit.distribution, evidence, asked, self.level)
        interval = prediction_interval(self.fit, evidence, asked, self.level)
        low, high = observed_interval(evidence, observed, self.level)
        n = sizes.size
        return Extrapolation(
            predictions=self._predictions(accuracy[n:], interval, n),
            observed=observed,
            observed_low=low,
            observed_high=high,
            curve=ForecastCurve(
                classes=sizes,
                accuracy=accuracy[:n],
                low=interval.low[:n],
                high=interval.high[:n],
            ),
            methods=self._methods(sizes),
            backtest=backtest,
            favourability=_FAVOURABILITY,
            discriminability=self.fit.distribution.discriminability(_FAVOURABILITY),
            method=method,
            ties=evidence.ties,
            average=evidence.average,
            level=self.level,
            seed=seed,
            interval=interval.how,
            assumptions=describe_assumptions(evidence),
            details=self._details(),
            warnings=warnings,
            options=options,
        )

    def _curve_sizes(self) -> IntArray:
        first = self.evidence.n_classes
        last = max(int(self.targets.max()), 2 * first)
        return np.unique(np.geomspace(first, last, _CURVE_POINTS).round().astype(int))

    def _predictions(
        self, accuracy: FloatArray, interval: Interval, n: int
    ) -> tuple[Prediction, ...]:
        found = []
        for i, k in enumerate(self.targets):
            if k <= self.evidence.n_classes:
                found.append(self._interpolated(int(k)))
                continue
            found.append(
                Prediction(
                    classes=int(k),
                    accuracy=float(accuracy[i]),
                    low=float(interval.low[n + i]),
                    high=float(interval.high[n + i]),
                    note=self._note(int(k)),
                )
            )
        return tuple(found)

    def _note(self, k: int) -> str:
        ratio = k / self.evidence.n_classes
        if self.evidence.ranks.accuracy >= 1:
            return "a bound, not a forecast: every observed example is right"
        far = f"{ratio:,.0f}x beyond the data: a rough guide at best"
        return far if ratio > FAR else ""

    def _interpolated(self, k: int) -> Prediction:
        """Answer for a number of classes that was observed: no model is needed."""
        evidence = self.evidence
        exact = curve_of_ranking(
            evidence.ranking,
            np.unique([k, max(1, min(k, self._largest_left()))]),
            ties=evidence.ties,
            average=evidence.average,
        )
        low, high = observed_interval(evidence, exact, self.level)
        return Prediction(
            classes=k,
            accuracy=float(exact.accuracy[-1]),
            low=low,
            high=high,
            note="observed: the average over all subsets of so many classes",
        )

    def _largest_left(self) -> int:
        """Count the classes that remain when a group of them is left out."""
        largest_group = int(np.bincount(self.evidence.ranking.group).max())
        return self.evidence.n_classes - largest_group

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
                targets=self._expected(part, self.targets),
                curve=self._expected(part, sizes),
                note=notes.get(name, ""),
            )
            for name, part in parts.items()
        )

    def _expected(self, part: FavourabilityDistribution, ks: IntArray) -> FloatArray:
        return expected_accuracy(part, self.evidence, ks, self.level)

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
