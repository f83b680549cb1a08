"""The answer about costs, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.amounts import amount
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.scores import RiskCurve

__all__ = ["RiskExtrapolation", "RiskPrediction"]


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
    note : str
        A caveat for this number, or empty.
    """

    classes: int
    risk: float
    low: float
    high: float
    note: str = ""


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
    method : str
        How the chance of a mistake was forecast, or "moments".
    interval : str
        How intervals were made.
    assumptions : tuple of str
        What must hold for the forecast to hold.
    details : dict
        What the method chose for itself; the chance of a mistake and its cost, each
        with its interval.
    warnings : tuple of str
        What the reader must know.
    options : dict
        Further options of the method.
    """

    kind: ClassVar[str] = "risk-extrapolation"

    predictions: tuple[RiskPrediction, ...]
    observed: RiskCurve
    level: float
    seed: int | None
    method: str
    interval: str
    assumptions: tuple[str, ...]
    details: Json = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    options: Json = field(default_factory=dict)

    def summary(self) -> str:
        """Say the answer in one sentence."""
        last = max(self.predictions, key=lambda p: p.classes)
        now = float(self.observed.risk[np.argmax(self.observed.classes)])
        span = (
            "no interval: too few classes"
            if np.isnan(last.high)
            else f"{100 * self.level:g} % interval {amount(last.low)} to "
            f"{amount(last.high)}"
        )
        expect = f"expect about {amount(last.risk)} ({span})"
        return (
            f"With {self.observed.n_classes:,} classes a decision costs {amount(now)} "
            f"on average; with {last.classes:,} classes {expect}."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the predictions, one row per number of classes."""
        rows = [asdict(p) for p in self.predictions]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        _, options, observed = self.observed._parts()
        return (
            {
                "n_examples": self.observed.n_samples,
                "n_classes": self.observed.n_classes,
            },
            {
                **options,
                "method": self.method,
                "level": self.level,
                "seed": self.seed,
                **self.options,
            },
            {
                "observed": observed,
                "predictions": [asdict(p) for p in self.predictions],
                "interval": self.interval,
                "assumptions": list(self.assumptions),
                "details": self.details,
                "warnings": list(self.warnings),
            },
        )

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        rules = {name: options[name] for name in ("ties", "average")}
        known = (*rules, "method", "level", "seed")
        # Files of earlier versions know the moment method only.
        early = {"penalty": result["penalty"]} if "penalty" in result else {}
        return cls(
            predictions=tuple(
                RiskPrediction(**{**p, **_numbers(p, ("low", "high"))})
                for p in result["predictions"]
            ),
            observed=_read_observed(inputs, rules, result["observed"]),
            level=options["level"],
            seed=options["seed"],
            method=options.get("method", "moments"),
            interval=result.get("interval", "leaving out classes in turn"),
            assumptions=tuple(result.get("assumptions", ())),
            details=result.get("details", early),
            warnings=tuple(result["warnings"]),
            options={k: v for k, v in options.items() if k not in known},
        )


def _numbers(data: Json, names: tuple[str, ...]) -> Json:
    # JSON has no NaN; what is not finite travels as null.
    return {n: float("nan") if data[n] is None else float(data[n]) for n in names}


def _read_observed(inputs: Json, rules: Json, saved: Json) -> RiskCurve:
    names = ("risk", "stderr", "covariance")
    columns: dict[str, Any] = {
        name: np.array(saved[name], dtype=np.float64) for name in names
    }
    return RiskCurve(
        classes=np.array(saved["classes"], dtype=np.int64),
        **columns,
        n_samples=int(inputs["n_examples"]),
        n_classes=int(inputs["n_classes"]),
        n_groups=int(saved["n_groups"]),
        **rules,
    )
