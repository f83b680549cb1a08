"""The answer to question one, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.checks import check_level
from scorecast._core.percent import percent, percent_span
from scorecast._core.results import Result
from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.classes.backtest_row import BacktestRow
from scorecast.exceptions import InvalidInputError
from scorecast.scores import AccuracyCurve

__all__ = ["Extrapolation", "ForecastCurve", "MethodForecast", "Prediction"]

_MOST_SAID = 3
_RULES = ("method", "ties", "average", "top", "level", "seed")
FAR = 20  # times the observed classes beyond which a forecast is a rough guide
OBSERVED_NOTE = "observed: the average over all subsets of so many classes"


def far_note(k: int, n_classes: int) -> str:
    """Say that a number of classes is far beyond the data, or nothing."""
    ratio = k / n_classes
    return (
        f"{ratio:,.0f}x beyond the data: a rough guide at best" if ratio > FAR else ""
    )


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
        Ends of the interval.
    note : str
        A caveat for this number, or empty.
    bound : float or None
        What accuracy is at least where every example was right, with confidence
        `level` and whatever the recogniser is like; None where some were wrong.
    chance : float
        Accuracy of guessing among so many classes.
    """

    classes: int
    accuracy: float
    low: float
    high: float
    note: str = ""
    bound: float | None = None
    chance: float = float("nan")


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

    classes: IntArray
    accuracy: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodForecast:
    """What one method says.

    Attributes
    ----------
    name : str
        Name of the method.
    weight : float
        Its share in the forecast.
    targets : ndarray of float64
        Its accuracies at the predicted numbers of classes.
    curve : ndarray of float64
        Its accuracies at the classes of the forecast curve.
    note : str
        Why it was set aside, or empty.
    """

    name: str
    weight: float
    targets: FloatArray
    curve: FloatArray
    note: str = ""


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
    favourability : ndarray of float64
        Grid of u for `discriminability`.
    discriminability : ndarray of float64
        D(u), the share of examples with favourability at most u.
    method, ties, average : str
        What was used.
    level : float
        Level of all intervals.
    seed : int or None
        The random state, where it was a number.
    interval : str
        How intervals were made.
    assumptions : tuple of str
        What must hold for the forecast to hold.
    details : dict
        Whatever the method chose for itself.
    warnings : tuple of str
        What the reader must know before using the numbers.
    options : dict
        Further options of the method.
    top : int
        Guesses allowed for an example to count as right.
    """

    kind: ClassVar[str] = "extrapolation"

    predictions: tuple[Prediction, ...]
    observed: AccuracyCurve
    observed_low: float
    observed_high: float
    curve: ForecastCurve
    methods: tuple[MethodForecast, ...]
    backtest: tuple[BacktestRow, ...]
    favourability: FloatArray
    discriminability: FloatArray
    method: str
    ties: str
    average: str
    level: float
    seed: int | None
    interval: str
    assumptions: tuple[str, ...]
    details: Json = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    options: Json = field(default_factory=dict)
    top: int = 1

    @property
    def n_examples(self) -> int:
        """Number of examples observed."""
        return self.observed.n_samples

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return self.observed.n_classes

    @property
    def observed_accuracy(self) -> float:
        """Accuracy with all observed classes."""
        return float(self.observed.accuracy[np.argmax(self.observed.classes)])

    @property
    def is_faultless(self) -> bool:
        """Whether every observed example is right."""
        return self.observed_accuracy >= 1

    @property
    def guesses(self) -> str:
        """Words that follow "right" where several guesses are allowed, or nothing."""
        return "" if self.top == 1 else f" within {self.top} guesses"

    def sentence(self) -> str:
        """Say the answer in one plain sentence.

        Returns
        -------
        str
            Observed accuracy, then the forecasts for the nearest targets.
        """
        known = (
            f"On {self.n_classes:,} classes it is right "
            f"{percent(self.observed_accuracy)} of the time{self.guesses}"
        )
        beyond = sorted(
            {
                p.classes: p for p in self.predictions if p.classes > self.n_classes
            }.values(),
            key=lambda p: p.classes,
        )
        if not beyond:
            return known + "."
        # The nearest are the ones to trust, and more than three nobody reads.
        said = [self._said(p) for p in beyond[:_MOST_SAID]]
        return f"{known}; with {', with '.join(said)}."

    def _said(self, prediction: Prediction) -> str:
        name, level = f"{prediction.classes:,} classes", f"{100 * self.level:g} %"
        span = f"{level} interval {percent_span(prediction.low, prediction.high)}"
        if not np.isfinite([prediction.low, prediction.high]).all():
            span = "no interval: too few classes"
        return f"{name} expect about {percent(prediction.accuracy)} ({span})"

    def summary(self) -> str:
        """Say the answer in one sentence."""
        return self.sentence()

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the predictions, one row per number of classes."""
        rows = [asdict(p) for p in self.predictions]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"n_examples": self.n_examples, "n_classes": self.n_classes}
        options = {
            "method": self.method,
            "ties": self.ties,
            "average": self.average,
            "top": self.top,
            "level": self.level,
            "seed": self.seed,
            **self.options,
        }
        result = {
            "observed": {
                **self.observed.to_columns(),
                "low": self.observed_low,
                "high": self.observed_high,
                "n_groups": self.observed.n_groups,
                "largest_stderr": self.observed.largest_stderr,
            },
            "predictions": [asdict(p) for p in self.predictions],
            "curve": asdict(self.curve),
            "methods": [asdict(m) for m in self.methods],
            "backtest": [asdict(row) for row in self.backtest],
            "discriminability": {
                "u": self.favourability,
                "d": self.discriminability,
            },
            "interval": self.interval,
            "assumptions": list(self.assumptions),
            "details": self.details,
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        _check_lengths(result)
        # Files of earlier versions know one guess only.
        options = {"top": 1, **options, "level": check_level(options["level"])}
        _refuse_bounds(inputs, options, result)
        grid = result["discriminability"]
        return cls(
            predictions=tuple(
                _read_prediction(p, options["top"]) for p in result["predictions"]
            ),
            observed=_read_observed(inputs, options, result["observed"]),
            observed_low=_float(result["observed"]["low"]),
            observed_high=_float(result["observed"]["high"]),
            curve=ForecastCurve(
                classes=np.array(result["curve"]["classes"], dtype=np.int64),
                **_floats(result["curve"], ("accuracy", "low", "high")),
            ),
            methods=tuple(map(_read_method, result["methods"])),
            backtest=tuple(BacktestRow(**row) for row in result["backtest"]),
            favourability=np.array(grid["u"], dtype=np.float64),
            discriminability=np.array(grid["d"], dtype=np.float64),
            **{name: options[name] for name in _RULES},
            options={k: v for k, v in options.items() if k not in _RULES},
            interval=result["interval"],
            assumptions=tuple(result["assumptions"]),
            details=result["details"],
            warnings=tuple(result["warnings"]),
        )


def chance(classes: int, top: int) -> float:
    """Return the accuracy of guessing so often among so many classes."""
    return min(top / classes, 1.0)


def _read_prediction(data: Json, top: int) -> Prediction:
    return Prediction(
        classes=int(data["classes"]),
        accuracy=float(data["accuracy"]),
        low=_float(data["low"]),
        high=_float(data["high"]),
        note=str(data["note"]),
        bound=data.get("bound"),
        # Files of earlier versions lack it.
        chance=float(data.get("chance") or chance(int(data["classes"]), top)),
    )


def _read_observed(inputs: Json, options: Json, data: Json) -> AccuracyCurve:
    columns = _floats(data, ("accuracy", "stderr"))
    n_sizes = columns["accuracy"].size
    return AccuracyCurve(
        classes=np.array(data["classes"], dtype=np.int64),
        accuracy=columns["accuracy"],
        stderr=columns["stderr"],
        covariance=np.full((n_sizes, n_sizes), np.nan),
        n_samples=inputs["n_examples"],
        n_classes=inputs["n_classes"],
        n_groups=data["n_groups"],
        largest_stderr=_saved_stderr(data),
        ties=options["ties"],
        average=options["average"],
        top=options["top"],
    )


def _saved_stderr(saved: Json) -> float:
    """Return the error of the largest size that has one; older files do not name it."""
    if "largest_stderr" in saved:
        value = saved["largest_stderr"]
        return float("nan") if value is None else float(value)
    known = [
        (k, e)
        for k, e in zip(saved["classes"], saved["stderr"], strict=True)
        if e is not None and np.isfinite(e)
    ]
    return float(max(known)[1]) if known else float("nan")


def _read_method(data: Json) -> MethodForecast:
    return MethodForecast(
        name=data["name"],
        weight=data["weight"],
        note=data["note"],
        **_floats(data, ("targets", "curve")),
    )


def _check_lengths(result: Json) -> None:
    n_targets, n_curve = len(result["predictions"]), len(result["curve"]["classes"])
    curves = [len(result["curve"][name]) for name in ("accuracy", "low", "high")]
    methods = [(len(m["targets"]), len(m["curve"])) for m in result["methods"]]
    observed = {len(result["observed"][n]) for n in ("classes", "accuracy", "stderr")}
    if (
        not n_targets
        or len(observed) != 1
        or set(curves) != {n_curve}
        or set(methods) - {(n_targets, n_curve)}
    ):
        msg = "its parts differ in length"
        raise ValueError(msg)


def _refuse_bounds(inputs: Json, options: Json, result: Json) -> None:
    """Refuse files in which the bound of a faultless recogniser is its forecast."""
    beyond = [p for p in result["predictions"] if p["classes"] > inputs["n_classes"]]
    if not beyond or all("bound" in p for p in beyond):
        return
    observed = result["observed"]
    is_faultless = observed["accuracy"][int(np.argmax(observed["classes"]))] >= 1
    if is_faultless and (
        options["top"] == 1 or result["interval"].startswith("a bound")
    ):
        msg = (
            "This result was saved by an earlier version, which gave a lower bound as "
            "the forecast of a recogniser without mistakes: run `scorecast "
            "extrapolate` on its data again."
        )
        raise InvalidInputError(msg)


def _floats(data: Json, names: tuple[str, ...]) -> dict[str, FloatArray]:
    # JSON has no NaN; what is not finite travels as null.
    return {
        name: np.array([_float(x) for x in data[name]], dtype=np.float64)
        for name in names
    }


def _float(value: float | None) -> float:
    return float("nan") if value is None else float(value)
