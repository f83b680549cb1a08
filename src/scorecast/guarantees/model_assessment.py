"""One model of an assessment: its losses, tests, parts of the error, and curves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from scorecast._core.types import Json
from scorecast.guarantees.bias_variance import BiasVariance
from scorecast.guarantees.bounds import Bound
from scorecast.guarantees.class_sensitivity import ClassSensitivity
from scorecast.guarantees.feasibility import Feasibility
from scorecast.guarantees.learning_curve import LearningCurveFit
from scorecast.guarantees.loss_values import is_share, span_said, value_said
from scorecast.guarantees.selection_bias import SelectionBias

__all__ = [
    "LossAssessment",
    "ModelAssessment",
    "loss_from",
    "loss_parts",
    "model_from_parts",
    "model_parts",
]

# In a file: 10,000 numbers with all their digits are some 250 kB a loss, and more would
# make it one of cases only. Not rounded: a rank counted again would count other ties.
_MOST_CASES = 10_000
_MOST_CHOICES = 5  # in words, beside the most frequent one


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
    cases : tuple of float
        Mean value of every case that was tested, in the order of the model's
        `cases`; empty where the loss is no mean of cases.
    tests : tuple of float
        Value of every test of a case in a split, in the order of the model's `tested`
        and `tested_in`; empty likewise.
    of_class : str
        The class it is about, where it is about one: the last in sorted order.
    no_interval : str
        Why no interval can be promised, where the value is known; often empty.
    """

    loss: str
    greater_is_better: bool
    estimate: float
    folds: tuple[float, ...]
    bounds: tuple[Bound, ...]
    per_class: tuple[ClassSensitivity, ...] = ()
    cases: tuple[float, ...] = ()
    tests: tuple[float, ...] = ()
    of_class: str = ""
    no_interval: str = ""

    @property
    def name(self) -> str:
        """The loss, and the class where it is about one."""
        return f"{self.loss} of class {self.of_class}" if self.of_class else self.loss

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
        return is_share(self.loss)

    def value_said(self, value: float) -> str:
        """Write a value as this loss is read."""
        return value_said(self.loss, value)

    def span_said(self, low: float, high: float) -> str:
        """Write an interval as this loss is read."""
        return span_said(self.loss, low, high)

    def interval_said(self) -> str:
        """Write the interval to quote; say so if there is none to promise."""
        if self.no_interval:
            return "none to promise"
        return self.span_said(self.low, self.high)

    def said(self) -> str:
        """Write the estimate with its interval."""
        span = self.interval_said().replace("none", "no interval")
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
    learning_curves : tuple of LearningCurveFit
        Over cases, over features, as far as they were asked for.
    selection_bias : SelectionBias or None
        What selecting features before the split would add.
    failures : tuple of str
        Reason of every split that failed.
    n_tested : int
        Different cases that were tested; 0 in files that do not say.
    warnings : tuple of str
        What the estimator warned of.
    untested : str
        Why there is no verdict, where the first loss has no finite value.
    cases : tuple of int
        Numbers, from 0, of the cases that were tested; empty in files that leave
        them out.
    times_tested : tuple of int
        How often each of them was.
    tested, tested_in : tuple of int
        Of every test, split by split, the numbers of the case and of the split, from
        0; those of one repeat are together. Empty in files that leave them out.
    chosen : tuple of dict
        Parameters that the model chose itself in every split, as text; empty for one
        that chooses none.
    edges : tuple of str
        Parameters whose choice was the least or the largest value tried in most splits.
    """

    name: str
    losses: tuple[LossAssessment, ...]
    feasibility: Feasibility | None = None
    bias_variance: tuple[BiasVariance, ...] = ()
    learning_curves: tuple[LearningCurveFit, ...] = ()
    selection_bias: SelectionBias | None = None
    failures: tuple[str, ...] = ()
    n_tested: int = 0
    warnings: tuple[str, ...] = ()
    untested: str = ""
    cases: tuple[int, ...] = ()
    times_tested: tuple[int, ...] = ()
    tested: tuple[int, ...] = ()
    tested_in: tuple[int, ...] = ()
    chosen: tuple[Mapping[str, str], ...] = ()
    edges: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """What may be promised, in a sentence."""
        if not self.losses:
            return self.failures[0] if self.failures else "failed: no fit"
        if self.untested:
            return f"No verdict: {self.untested}."
        if self.feasibility is None:
            return "Not tested against chance."
        return self.feasibility.verdict.said()

    def chosen_said(self) -> str:
        """Say how often what was chosen; empty for a model that chooses nothing."""
        known = [
            ", ".join(f"{name} = {value}" for name, value in choice.items())
            for choice in self.chosen
            if choice
        ]
        if not known:
            return ""
        (first, times), *others = Counter(known).most_common()
        said = [f"{first} in {times:,} of {len(known):,} splits"]
        said += [f"{text} in {n:,}" for text, n in others[:_MOST_CHOICES]]
        left = others[_MOST_CHOICES:]
        if left:
            said.append(f"{len(left):,} more in {sum(n for _, n in left):,}")
        return "; ".join([*said, *self.edges])

    def loss(self, name: str) -> LossAssessment:
        """Return one of the losses by its name."""
        return next(loss for loss in self.losses if loss.loss == name)


def model_parts(model: ModelAssessment) -> Json:
    """Return plain values."""
    bias = model.selection_bias
    return {
        "losses": {loss.loss: _short(loss_parts(loss)) for loss in model.losses},
        "cases": _few(model.cases),
        "times_tested": _few(model.times_tested),
        "tested": _few(model.tested),
        "tested_in": _few(model.tested_in),
        "chosen": [dict(choice) for choice in model.chosen],
        "edges": list(model.edges),
        "feasibility": None
        if model.feasibility is None
        else model.feasibility.to_json(),
        "bias_variance": {x.method: x.to_json() for x in model.bias_variance},
        "learning_curves": {x.over: x.to_dict() for x in model.learning_curves},
        "selection_bias": None if bias is None else bias.to_dict(),
        "verdict": model.verdict,
        "untested": model.untested,
        "failures": list(model.failures),
        "n_tested": model.n_tested,
        "warnings": list(model.warnings),
    }


def _few(cases: Sequence[float]) -> list[float]:
    """Leave out cases that would make the file one of cases only."""
    return list(cases) if len(cases) <= _MOST_CASES else []


def _short(loss: Json) -> Json:
    return {**loss, "cases": _few(loss["cases"]), "tests": _few(loss["tests"])}


def loss_parts(loss: LossAssessment) -> Json:
    """Return one loss as plain values."""
    return {
        "estimate": loss.estimate,
        "is_infinite": math.isinf(loss.estimate),
        "low": loss.low,
        "high": loss.high,
        "per_class": {row.label: asdict(row) for row in loss.per_class},
        "greater_is_better": loss.greater_is_better,
        "bounds": [_bound_parts(bound) for bound in loss.bounds],
        "folds": list(loss.folds),
        "cases": list(loss.cases),
        "tests": list(loss.tests),
        "of_class": loss.of_class,
        "no_interval": loss.no_interval,
    }


def _bound_parts(bound: Bound) -> Json:
    return {**asdict(bound), "is_open": math.isinf(bound.high)}


def model_from_parts(name: str, data: Json) -> ModelAssessment:
    """Rebuild a model from `model_parts`; files of old may lack what came later."""
    tested, bias = data["feasibility"], data.get("selection_bias")
    curves = data.get("learning_curves") or {}
    return ModelAssessment(
        name=name,
        losses=tuple(loss_from(loss, x) for loss, x in data["losses"].items()),
        feasibility=None if tested is None else Feasibility.from_json(tested),
        bias_variance=tuple(
            BiasVariance(**_numbers(x, {"method", "n_cases", "n_extra"}))
            for x in data["bias_variance"].values()
        ),
        learning_curves=tuple(map(LearningCurveFit.from_dict, curves.values())),
        selection_bias=None if bias is None else SelectionBias.from_dict(bias),
        failures=tuple(data["failures"]),
        n_tested=int(data.get("n_tested", 0)),
        warnings=tuple(data["warnings"]),
        untested=data.get("untested", ""),
        cases=tuple(data.get("cases", ())),
        times_tested=tuple(data.get("times_tested", ())),
        tested=tuple(data.get("tested", ())),
        tested_in=tuple(data.get("tested_in", ())),
        chosen=tuple(data.get("chosen", ())),
        edges=tuple(data.get("edges", ())),
    )


def loss_from(name: str, data: Json) -> LossAssessment:
    """Rebuild one loss from `loss_parts`."""
    return LossAssessment(
        loss=name,
        greater_is_better=bool(data["greater_is_better"]),
        estimate=math.inf if data.get("is_infinite") else _float(data["estimate"]),
        folds=tuple(_float(x) for x in data["folds"]),
        bounds=tuple(_bound_from(row) for row in data["bounds"]),
        per_class=tuple(
            ClassSensitivity.from_json(row) for row in data["per_class"].values()
        ),
        cases=tuple(_float(x) for x in data.get("cases", ())),
        tests=tuple(_float(x) for x in data.get("tests", ())),
        of_class=data.get("of_class", ""),
        no_interval=data.get("no_interval", ""),
    )


def _bound_from(row: Json) -> Bound:
    facts = {k: v for k, v in row.items() if k not in ("is_open", "low", "high")}
    high = math.inf if row["is_open"] else _float(row["high"])
    return Bound(low=_float(row["low"]), high=high, **facts)


def _numbers(row: Json, words: set[str]) -> Json:
    return {k: v if k in words else _float(v) for k, v in row.items()}


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)
