"""The answer to an identification task, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.percent import percent
from scorecast._core.results import Result
from scorecast._core.types import FloatArray, Json
from scorecast.information.identification.implied import (
    IdentificationForecast,
    ImpliedInformation,
)
from scorecast.information.identification.mutual_information import InformationBound
from scorecast.information.identification.tested import TestedStimuli
from scorecast.information.identification.trials import Trials
from scorecast.information.wording import amount
from scorecast.scores import AccuracyCurve

__all__ = ["Identification"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Identification(Result):
    """How well stimuli are identified from responses, and what that implies.

    Attributes
    ----------
    curve : AccuracyCurve
        Accuracy against the number of candidates.
    implied : ImpliedInformation
        The information that the whole curve implies.
    bound : InformationBound
        The information that it proves.
    forecasts : tuple of IdentificationForecast
        Accuracy among more candidates, where asked for.
    trials : Trials
        What was tested.
    n_stimuli : int
        Distinct stimuli, training included.
    n_responses : int
        Responses tested, per split.
    units : str
        ``"nats"`` or ``"bits"``.
    level : float
        Level of the interval, and of the bound.
    model : str
        What gave the scores.
    test_size : float
        Share of the stimuli that a split tests; NaN for given scores.
    seed : int or None
        The random state, where it was a number.
    assumptions : tuple of str
        What must hold for the answer to hold.
    warnings : tuple of str
        What the reader must know.
    scores : ndarray of shape (n_responses, n_candidates) or None
        Scores of the first split; not saved.
    tested : TestedStimuli or None
        Fingerprints of what was tested; equal for decoders that can be compared
        stimulus by stimulus.
    """

    kind: ClassVar[str] = "identification"

    curve: AccuracyCurve
    implied: ImpliedInformation
    bound: InformationBound
    trials: Trials
    n_stimuli: int
    n_responses: int
    units: str
    level: float
    model: str
    test_size: float
    seed: int | None
    forecasts: tuple[IdentificationForecast, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    scores: FloatArray | None = field(default=None)
    tested: TestedStimuli | None = None

    @property
    def n(self) -> int:
        """Number of candidates tested."""
        return self.curve.n_classes

    @property
    def accuracy(self) -> float:
        """Accuracy among all candidates."""
        return float(self.curve.accuracy[np.argmax(self.curve.classes)])

    def sentence(self) -> str:
        """Say the answer in one plain sentence."""
        proved = f"none of it is proved at {100 * self.level:g} % confidence"
        if self.bound.value > 0:
            floor = amount(self.bound.value, 2)
            if float(floor) == 0:
                floor = f"{self.bound.value:.1g}"
            proved = (
                f"at least {floor} {self.units} are proved at "
                f"{100 * self.level:g} % confidence"
            )
        return (
            f"The right stimulus among {self.n:,} is found "
            f"{percent(self.accuracy, 1)} of the time (chance {percent(1 / self.n)}), "
            f"as if responses carried {self.implied.said()}; {proved}."
        )

    def summary(self) -> str:
        """Say the answer in one sentence."""
        return self.sentence()

    def forecast(self, to: int | Iterable[int]) -> tuple[IdentificationForecast, ...]:
        """Extrapolate to more candidates, as `ImpliedInformation.forecast`."""
        return self.implied.forecast(to)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the curve: sizes, accuracies, errors, ideal accuracies."""
        return {
            **self.curve.to_columns(),
            "fitted": self.implied.fitted.tolist(),
        }

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {
            "n_stimuli": self.n_stimuli,
            "n_responses": self.n_responses,
            "tests": asdict(self.trials),
            "tested": None if self.tested is None else asdict(self.tested),
        }
        options = {
            "units": self.units,
            "level": self.level,
            "model": self.model,
            "test_size": self.test_size,
            "seed": self.seed,
        }
        result = {
            "n": self.n,
            "units": self.units,
            "curve": {
                **self.to_columns(),
                "n_groups": self.curve.n_groups,
                "largest_stderr": self.curve.largest_stderr,
            },
            "implied_information": self.implied.amounts(),
            "mutual_information_bound": self._bound_parts(),
            "forecasts": [asdict(row) for row in self.forecasts],
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    def _bound_parts(self) -> Json:
        """Return the bound: the value, its level, the sizes, and what each says."""
        _, options, result = self.bound._parts()
        return {
            "value": self.bound.value,
            "level": self.level,
            "classes": result["classes"],
            "best": result["best"],
            "method": options["method"],
            "n_classifiers": options["n_classifiers"],
            "population": options["population"],
            **{
                name: result[name]
                for name in (
                    "accuracy",
                    "accuracy_low",
                    "information",
                    "uncorrected",
                    "fano",
                    "confusion",
                    "for_these",
                )
            },
        }

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        size, tested = options["test_size"], inputs.get("tested")
        return cls(
            **_curve_parts(inputs, options, result),
            bound=_bound_from(inputs, options, result),
            trials=Trials(**inputs["tests"]),
            forecasts=tuple(_forecast_from(row) for row in result["forecasts"]),
            assumptions=tuple(result["assumptions"]),
            warnings=tuple(result["warnings"]),
            n_stimuli=int(inputs["n_stimuli"]),
            n_responses=int(inputs["n_responses"]),
            units=options["units"],
            level=float(options["level"]),
            model=options["model"],
            test_size=float("nan") if size is None else float(size),
            seed=options["seed"],
            tested=None if tested is None else TestedStimuli(**tested),
        )


def _curve_parts(inputs: Json, options: Json, result: Json) -> dict[str, Any]:
    """Rebuild the curve and the implied information, which share their points."""
    sizes = {"n_classes": int(result["n"]), "n_examples": int(inputs["n_responses"])}
    points = result["curve"]
    asked = {name: options[name] for name in ("level", "units", "seed")}
    found = {**result["implied_information"], "curve": points, "warnings": []}
    return {
        "curve": _read_curve(points, sizes["n_classes"], sizes["n_examples"]),
        "implied": ImpliedInformation._from_parts(sizes, asked, found),
    }


def _read_curve(points: Json, n_classes: int, n_samples: int) -> AccuracyCurve:
    largest = points.get("largest_stderr")  # files of earlier versions lack it
    return AccuracyCurve(
        classes=np.array(points["classes"], dtype=np.int64),
        accuracy=np.array(points["accuracy"], dtype=np.float64),
        stderr=np.array(points["stderr"], dtype=np.float64),
        covariance=np.empty(0),
        n_samples=n_samples,
        n_classes=n_classes,
        n_groups=int(points["n_groups"]),
        largest_stderr=float("nan") if largest is None else float(largest),
        ties="random",
        average="macro",
        top=1,
    )


def _bound_from(inputs: Json, options: Json, result: Json) -> InformationBound:
    proved = result["mutual_information_bound"]
    n_splits = int(inputs["tests"]["n_splits"])
    return InformationBound._from_parts(
        {"n_classes": int(result["n"]), "n_splits": n_splits},
        {
            "level": options["level"],
            "units": options["units"],
            "method": proved["method"],
            "n_classifiers": proved["n_classifiers"],
            "population": proved.get("population"),
        },
        proved,
    )


def _forecast_from(row: Json) -> IdentificationForecast:
    numbers = {
        name: float("nan") if row[name] is None else float(row[name])
        for name in ("accuracy", "low", "high")
    }
    return IdentificationForecast(classes=int(row["classes"]), **numbers)
