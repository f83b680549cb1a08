"""The answer to question three, as data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

from scorecast._core.amounts import amount
from scorecast._core.percent import percent, percent_span
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.guarantees.bias_variance import BiasVariance
from scorecast.guarantees.bounds import Bound
from scorecast.guarantees.class_sensitivity import ClassSensitivity
from scorecast.guarantees.feasibility import Feasibility
from scorecast.guarantees.model_comparison import ModelComparison

__all__ = [
    "Assessment",
    "LossAssessment",
    "ModelAssessment",
    "loss_from",
    "loss_parts",
]

_SHARES = {
    "accuracy", "error", "balanced-accuracy", "sensitivity", "specificity",
    "smoothed-error", "posterior-error",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LossAssessment:
    """One model through one loss.

    Attributes
    ----------
    loss : str
        The loss.
    greater_is_better : bool
        Which way is better.
    estimate : float
        The value.
    folds : tuple of float
        Value of every split; NaN where it failed or is undefined.
    bounds : tuple of Bound
        Intervals; one is recommended.
    per_class : tuple of ClassSensitivity
        Sensitivity of every class, where the loss is about right and wrong.
    """

    loss: str
    greater_is_better: bool
    estimate: float
    folds: tuple[float, ...]
    bounds: tuple[Bound, ...]
    per_class: tuple[ClassSensitivity, ...] = ()

    @property
    def recommended(self) -> Bound | None:
        """The bound to quote, if there is any."""
        return next((b for b in self.bounds if b.is_recommended), None)

    @property
    def low(self) -> float:
        """Lower end of the recommended interval."""
        return math.nan if self.recommended is None else self.recommended.low

    @property
    def high(self) -> float:
        """Upper end of the recommended interval."""
        return math.nan if self.recommended is None else self.recommended.high

    @property
    def is_share(self) -> bool:
        """Whether people read it in percent."""
        return self.loss in _SHARES

    def value_said(self, value: float) -> str:
        """Write a value as this loss is read."""
        if math.isinf(value):
            return "no limit"
        return percent(value, 1) if self.is_share else amount(value)

    def span_said(self, low: float, high: float) -> str:
        """Write an interval as this loss is read."""
        if self.is_share:
            return percent_span(low, high, 1)
        return f"{self.value_said(low)} to {self.value_said(high)}"

    def said(self) -> str:
        """Write the estimate with its interval."""
        span = self.span_said(self.low, self.high)
        return f"{self.value_said(self.estimate)} ({span})"


@dataclass(frozen=True, kw_only=True)
class ModelAssessment:
    """One model.

    Attributes
    ----------
    name : str
        What the caller calls it.
    losses : tuple of LossAssessment
        The first is the one that tests look at; empty if every fit failed.
    feasibility : Feasibility or None
        Tests against null settings; None if they were not asked for or fits failed.
    bias_variance : tuple of BiasVariance
        Decompositions; empty if they were not asked for.
    failures : tuple of str
        Reason of every split that failed.
    warnings : tuple of str
        What the estimator warned of.
    """

    name: str
    losses: tuple[LossAssessment, ...]
    feasibility: Feasibility | None = None
    bias_variance: tuple[BiasVariance, ...] = ()
    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """What may be promised, in a sentence."""
        if not self.losses:
            return self.failures[0] if self.failures else "failed: no fit"
        if self.feasibility is None:
            return "not tested against chance"
        return self.feasibility.verdict.said()

    def loss(self, name: str) -> LossAssessment:
        """Return one of the losses by its name."""
        return next(loss for loss in self.losses if loss.loss == name)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Assessment(Result):
    """What can be promised about models learned from these data.

    Attributes
    ----------
    models : tuple of ModelAssessment
        One per model.
    comparisons : tuple of ModelComparison
        Every pair of models on the same folds, through the first loss.
    n, m : int
        Cases and features.
    classes : dict of str to int
        Cases of every class; empty for numbers.
    n_groups : int
        Groups of cases; 0 without.
    task : str
        ``"classification"`` or ``"regression"``.
    sampling : str
        How cases were split.
    n_splits : int
        Number of splits.
    n_train, n_test : float
        Mean sizes of both sides of a split.
    level : float
        Level of intervals.
    seed : int or None
        The random state, where it was a number.
    options : dict
        How feasibility was tested.
    assumptions : tuple of str
        What must hold for the answer to hold.
    warnings : tuple of str
        What the reader must know.
    """

    kind: ClassVar[str] = "assessment"

    models: tuple[ModelAssessment, ...]
    comparisons: tuple[ModelComparison, ...]
    n: int
    m: int
    classes: dict[str, int]
    n_groups: int
    task: str
    sampling: str
    n_splits: int
    n_train: float
    n_test: float
    level: float
    seed: int | None
    options: Json = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def model(self, name: str) -> ModelAssessment:
        """Return one of the models by its name."""
        return next(model for model in self.models if model.name == name)

    @property
    def assessed(self) -> tuple[ModelAssessment, ...]:
        """The models that could be fitted."""
        return tuple(model for model in self.models if model.losses)

    @property
    def best(self) -> ModelAssessment:
        """The model with the best estimate of the first loss."""
        sign = -1.0 if self.assessed[0].losses[0].greater_is_better else 1.0
        return min(self.assessed, key=lambda m: _last_if_nan(sign, m))

    def sentence(self) -> str:
        """Say what holds of the best model."""
        best = self.best
        first = best.losses[0]
        lead = (
            best.name
            if len(self.models) == 1
            else f"Best of {len(self.models)}, {best.name}"
        )
        return (
            f"{lead}: {first.loss} {first.value_said(first.estimate)} "
            f"({100 * self.level:g} %: {first.span_said(first.low, first.high)}) on "
            f"{self.n:,} cases with {self.m:,} features. {best.verdict}"
        )

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        return self.sentence()

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per model, loss and interval."""
        rows = [
            (m.name, x.loss, x.estimate, b.method, b.low, b.high, b.is_recommended)
            for m in self.models
            for x in m.losses
            for b in x.bounds
        ]
        names = ("model", "loss", "estimate", "bound", "low", "high", "recommended")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {
            "n_examples": self.n,
            "n_features": self.m,
            "classes": self.classes,
            "n_groups": self.n_groups,
        }
        options = {
            "task": self.task,
            "sampling": self.sampling,
            "n_splits": self.n_splits,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "level": self.level,
            "seed": self.seed,
            **self.options,
        }
        result = {
            "models": {model.name: _model_parts(model) for model in self.models},
            "comparisons": [row.to_json() for row in self.comparisons],
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        known = (
            "task", "sampling", "n_splits", "n_train", "n_test", "level", "seed"
        )  # fmt: skip
        return cls(
            models=tuple(_model_from(n, x) for n, x in result["models"].items()),
            comparisons=tuple(
                ModelComparison(**_numbers(row, {"a", "b", "loss"}))
                for row in result["comparisons"]
            ),
            n=int(inputs["n_examples"]),
            m=int(inputs["n_features"]),
            classes=dict(inputs["classes"]),
            n_groups=int(inputs["n_groups"]),
            **{name: options[name] for name in known},
            options={k: v for k, v in options.items() if k not in known},
            assumptions=tuple(result["assumptions"]),
            warnings=tuple(result["warnings"]),
        )


def _last_if_nan(sign: float, model: ModelAssessment) -> float:
    value = sign * model.losses[0].estimate
    return math.inf if math.isnan(value) else value


def _model_parts(model: ModelAssessment) -> Json:
    return {
        "losses": {loss.loss: loss_parts(loss) for loss in model.losses},
        "feasibility": None
        if model.feasibility is None
        else model.feasibility.to_json(),
        "bias_variance": {x.method: x.to_json() for x in model.bias_variance},
        "verdict": model.verdict,
        "failures": list(model.failures),
        "warnings": list(model.warnings),
    }


def loss_parts(loss: LossAssessment) -> Json:
    """Return one loss as plain values."""
    return {
        "estimate": loss.estimate,
        "low": loss.low,
        "high": loss.high,
        "per_class": {row.label: asdict(row) for row in loss.per_class},
        "greater_is_better": loss.greater_is_better,
        "bounds": [_bound_parts(bound) for bound in loss.bounds],
        "folds": list(loss.folds),
    }


def _bound_parts(bound: Bound) -> Json:
    return {**asdict(bound), "is_open": math.isinf(bound.high)}


def _model_from(name: str, data: Json) -> ModelAssessment:
    tested = data["feasibility"]
    return ModelAssessment(
        name=name,
        losses=tuple(loss_from(loss, x) for loss, x in data["losses"].items()),
        feasibility=None if tested is None else Feasibility.from_json(tested),
        bias_variance=tuple(
            BiasVariance(**_numbers(x, {"method", "n_cases"}))
            for x in data["bias_variance"].values()
        ),
        failures=tuple(data["failures"]),
        warnings=tuple(data["warnings"]),
    )


def loss_from(name: str, data: Json) -> LossAssessment:
    """Rebuild one loss from `loss_parts`."""
    return LossAssessment(
        loss=name,
        greater_is_better=bool(data["greater_is_better"]),
        estimate=_float(data["estimate"]),
        folds=tuple(_float(x) for x in data["folds"]),
        bounds=tuple(_bound_from(row) for row in data["bounds"]),
        per_class=tuple(
            ClassSensitivity(**_numbers(row, {"label", "n"}))
            for row in data["per_class"].values()
        ),
    )


def _bound_from(row: Json) -> Bound:
    facts = {k: v for k, v in row.items() if k not in ("is_open", "low", "high")}
    high = math.inf if row["is_open"] else _float(row["high"])
    return Bound(low=_float(row["low"]), high=high, **facts)


def _numbers(row: Json, words: set[str]) -> Json:
    return {k: v if k in words else _float(v) for k, v in row.items()}


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)
