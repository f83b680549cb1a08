"""What can be promised from estimates alone, as data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

from scorecast._core.amounts import amount
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.guarantees.feasibility import (
    NullTest,
    Verdict,
    null_test_from,
    null_test_parts,
)
from scorecast.guarantees.model_assessment import (
    LossAssessment,
    loss_from,
    loss_parts,
)
from scorecast.guarantees.model_comparison import ModelComparison

__all__ = ["EstimateAssessment", "EstimatedModel", "estimate_said"]

_FEW = 10  # below, three digits after the point are what people read


def estimate_said(value: float) -> str:
    """Write an estimate of any loss.

    Examples
    --------
    >>> [estimate_said(x) for x in (0.07621, 1e-5, 1234.5, math.inf)]
    ['0.076', '0.000', '1,230', 'no limit']
    """
    if math.isinf(value):
        return "no limit"
    return f"{value:.3f}" if abs(value) < _FEW else amount(value)


@dataclass(frozen=True, kw_only=True)
class EstimatedModel:
    """One model.

    Attributes
    ----------
    name : str
        What the caller calls it.
    losses : tuple of LossAssessment
        The first is the one that tests look at; `folds` are the repeats.
    tests : tuple of NullTest
        Against every null setting that was given.
    verdict : Verdict or None
        What they amount to; None without null settings.
    """

    name: str
    losses: tuple[LossAssessment, ...]
    tests: tuple[NullTest, ...] = ()
    verdict: Verdict | None = None

    def loss(self, name: str) -> LossAssessment:
        """Return one of the losses by its name."""
        return next(loss for loss in self.losses if loss.loss == name)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EstimateAssessment(Result):
    """Bounds, feasibility and comparison of models, from estimates of any kind.

    Attributes
    ----------
    models : tuple of EstimatedModel
        One per model.
    comparisons : tuple of ModelComparison
        Every pair of models on the same repeats, through the first loss.
    n_repeats : int
        Number of repeats.
    unit : str
        What a repeat is.
    overlap : float
        Variance of the mean beyond 1/k, by that of one estimate.
    level : float
        Level of intervals.
    alpha, relaxed_alpha : float
        Levels of the verdict.
    seed : int or None
        The random state, where it was a number.
    warnings : tuple of str
        What the reader must know.
    """

    kind: ClassVar[str] = "estimate-assessment"

    models: tuple[EstimatedModel, ...]
    comparisons: tuple[ModelComparison, ...]
    n_repeats: int
    unit: str
    overlap: float
    level: float
    alpha: float
    relaxed_alpha: float
    seed: int | None
    warnings: tuple[str, ...] = field(default=())

    def model(self, name: str) -> EstimatedModel:
        """Return one of the models by its name."""
        return next(model for model in self.models if model.name == name)

    @property
    def best(self) -> EstimatedModel:
        """The model with the best mean of the first loss."""
        sign = -1.0 if self.models[0].losses[0].greater_is_better else 1.0
        return min(self.models, key=lambda m: sign * m.losses[0].estimate)

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        best = self.best
        first = best.losses[0]
        n = len(self.models)
        lead = best.name if n == 1 else f"Best of {n}, {best.name}"
        said = (
            f"{lead}: {first.loss} {estimate_said(first.estimate)} "
            f"({100 * self.level:g} %: {estimate_said(first.low)} to "
            f"{estimate_said(first.high)}) over "
            f"{self.n_repeats} {self.unit}."
        )
        return said if best.verdict is None else f"{said} {best.verdict.said()}"

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
        inputs = {"n_repeats": self.n_repeats, "unit": self.unit}
        options = {
            "overlap": self.overlap,
            "level": self.level,
            "alpha": self.alpha,
            "relaxed_alpha": self.relaxed_alpha,
            "seed": self.seed,
        }
        result = {
            "models": {model.name: _model_parts(model) for model in self.models},
            "comparisons": [row.to_json() for row in self.comparisons],
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        return cls(
            models=tuple(_model_from(n, x) for n, x in result["models"].items()),
            comparisons=tuple(
                ModelComparison(**_numbers(row, {"a", "b", "loss"}))
                for row in result["comparisons"]
            ),
            warnings=tuple(result["warnings"]),
            **inputs,
            **options,
        )


def _model_parts(model: EstimatedModel) -> Json:
    return {
        "losses": {loss.loss: loss_parts(loss) for loss in model.losses},
        "tests": [null_test_parts(test) for test in model.tests],
        "verdict": None if model.verdict is None else asdict(model.verdict),
    }


def _model_from(name: str, data: Json) -> EstimatedModel:
    verdict = data["verdict"]
    return EstimatedModel(
        name=name,
        losses=tuple(loss_from(loss, x) for loss, x in data["losses"].items()),
        tests=tuple(map(null_test_from, data["tests"])),
        verdict=None if verdict is None else Verdict(**verdict),
    )


def _numbers(row: Json, words: set[str]) -> Json:
    return {
        k: v if k in words else math.nan if v is None else float(v)
        for k, v in row.items()
    }
