"""The answer to question three, as data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from scorecast._core.amounts import counted
from scorecast._core.results import Result, frame_of
from scorecast._core.types import Json
from scorecast.guarantees.model_assessment import (
    ModelAssessment,
    model_from_parts,
    model_parts,
)
from scorecast.guarantees.model_comparison import ModelComparison
from scorecast.guarantees.regularities import Regularities
from scorecast.guarantees.selection import SelectedFeatures

__all__ = ["Assessment"]


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
    positive : str
        Class that was named as positive; empty if none was.
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
    quick : bool
        Whether it is a quick look: scores and their intervals only.
    regularities : Regularities or None
        In what kind of space the promise holds.
    selected : SelectedFeatures or None
        The features that tell classes apart best, and what luck would have found.
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
    positive: str = ""
    options: Json = field(default_factory=dict)
    quick: bool = False
    regularities: Regularities | None = None
    selected: SelectedFeatures | None = None
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
        said = f"{self.headline()} {self.best.verdict} {self.choice_said()}".rstrip()
        return f"Quick look: {said}" if self.quick else said

    def choice_said(self) -> str:
        """Say that the best was chosen; empty where there is one model only."""
        if len(self.assessed) < 2:
            return ""
        return (
            f"The best of {len(self.assessed)} looks better than it is: neither "
            "interval nor p-values allow for the choice."
        )

    def headline(self) -> str:
        """Say how well the best model does, without the verdict."""
        best = self.best
        first = best.losses[0]
        span = f"{100 * self.level:g} %: {first.span_said(first.low, first.high)}"
        if first.no_interval:
            span = "no interval to promise"
        return (
            f"{self._lead()}: {first.name} {first.value_said(first.estimate)} ({span}) "
            f"on {self.cases_said(best)} with {counted(self.m, 'features')}."
        )

    def cases_said(self, model: ModelAssessment) -> str:
        """Say on how many cases a model was tested, and why not on all."""
        is_part = 0 < model.n_tested < self.n
        tested = f"{model.n_tested:,} of {self.n:,}" if is_part else f"{self.n:,}"
        if not model.failures:
            return f"{tested} cases"
        return f"{tested} cases ({self.failures_said(model)})"

    def failures_said(self, model: ModelAssessment) -> str:
        """Say how many splits failed."""
        return f"{len(model.failures):,} of {self.n_splits:,} splits failed"

    def _lead(self) -> str:
        """Name the best model, and say how many there are to be best of."""
        given, known = len(self.models), len(self.assessed)
        lost = f" ({given - known} of {given} models failed)" if known < given else ""
        name = self.best.name
        # Where a class comes from would break the line and tells the reader nothing.
        short = name.partition(":")[2] if name.startswith("sklearn.") else name
        if known == 1:
            return f"{short or name}{lost}"
        return f"Best of {known}{lost}, {short or name}"

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

    def case_columns(self) -> dict[str, list[Any]]:
        """Return one row per model and tested case: how often, and its mean losses.

        Cases are numbered from 0. A loss that is no mean of cases, such as AUC, has no
        column; one that a model does not give is NaN.
        """
        facts = {"case": "cases", "times_tested": "times_tested"}
        return _long_columns(self.models, facts, "cases")

    def case_frame(self) -> Any:
        """Return `case_columns` as a pandas DataFrame."""
        return frame_of(self.case_columns())

    def test_columns(self) -> dict[str, list[Any]]:
        """Return one row per model, split and case tested in it: its losses.

        Splits and cases are numbered from 0, and splits of one repeat are together.
        Columns are as of `case_columns`, whose values are means of these.
        """
        return _long_columns(
            self.models, {"split": "tested_in", "case": "tested"}, "tests"
        )

    def test_frame(self) -> Any:
        """Return `test_columns` as a pandas DataFrame."""
        return frame_of(self.test_columns())

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
            "positive": self.positive or None,
            "quick": self.quick,
            **self.options,
        }
        result = {
            "models": {model.name: model_parts(model) for model in self.models},
            "comparisons": [row.to_json() for row in self.comparisons],
            "regularities": _dict_of(self.regularities),
            "selected_features": _dict_of(self.selected),
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        known = (
            "task", "sampling", "n_splits", "n_train", "n_test", "level", "seed"
        )  # fmt: skip
        space, chosen = result.get("regularities"), result.get("selected_features")
        return cls(
            models=tuple(model_from_parts(n, x) for n, x in result["models"].items()),
            comparisons=tuple(map(_comparison_from, result["comparisons"])),
            regularities=None if space is None else Regularities.from_dict(space),
            selected=None if chosen is None else SelectedFeatures.from_dict(chosen),
            n=int(inputs["n_examples"]),
            m=int(inputs["n_features"]),
            classes=dict(inputs["classes"]),
            n_groups=int(inputs["n_groups"]),
            **{name: options[name] for name in known},
            positive=options.get("positive") or "",
            quick=bool(options.get("quick", False)),
            options={
                k: v
                for k, v in options.items()
                if k not in (*known, "positive", "quick")
            },
            assumptions=tuple(result["assumptions"]),
            warnings=tuple(result["warnings"]),
        )


def _long_columns(
    models: Sequence[ModelAssessment], facts: Mapping[str, str], values: str
) -> dict[str, list[Any]]:
    """Put facts of models, by their columns, beside values of their losses."""
    losses = dict.fromkeys(
        x.loss for m in models for x in m.losses if getattr(x, values)
    )
    found: dict[str, list[Any]] = {"model": []}
    found |= {name: [] for name in (*facts, *losses)}
    for model in models:
        count = len(getattr(model, next(iter(facts.values()))))
        found["model"] += [model.name] * count
        for column, fact in facts.items():
            found[column] += getattr(model, fact)
        given = {x.loss: getattr(x, values) for x in model.losses}
        for name in losses:
            found[name] += given.get(name) or (math.nan,) * count
    return found


def _last_if_nan(sign: float, model: ModelAssessment) -> float:
    value = sign * model.losses[0].estimate
    return math.inf if math.isnan(value) else value


def _dict_of(part: Result | None) -> Json | None:
    return None if part is None else part.to_dict()


def _comparison_from(row: Json) -> ModelComparison:
    words = {"a", "b", "loss"}
    known: Json = {
        name: value if name in words else math.nan if value is None else float(value)
        for name, value in row.items()
    }
    return ModelComparison(**known)
