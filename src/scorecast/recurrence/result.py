"""The answer to the question of when, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from scorecast._core.results import Result, result_from_dict
from scorecast._core.types import BoolArray, FloatArray, Json
from scorecast.exceptions import UsageError
from scorecast.recurrence.accuracy import Calibration, Concordance
from scorecast.recurrence.choice import HyperparameterChoice
from scorecast.recurrence.columns import narrowed, usable_columns
from scorecast.recurrence.evaluation import Evaluation

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = [
    "PRIOR_WORDS",
    "CaseCurves",
    "Recurrence",
    "RivalRow",
    "check_shown",
    "curves_of",
    "recurrence_of",
]

PRIOR_WORDS = {
    "exponential": "exponential attrition, the same risk at every moment",
    "weibull": "a Weibull distribution for all cases alike",
    "lognormal": "a lognormal distribution for all cases alike",
    "kaplan-meier": "the Kaplan-Meier curve of all cases, smoothed",
    "model": "the same model without covariates",
}
_POINTS = 160
_ENDS = (0.001, 0.99)  # between these quantiles densities are drawn
_EVEN = 0.05  # p-value below which survival is not even


@dataclass(frozen=True, kw_only=True)
class CaseCurves:
    """What was predicted for one case.

    Attributes
    ----------
    name : str
        The case.
    time : float
        What was then recorded.
    event : bool
        Whether it was the event.
    median, low, high : float
        Predicted time and its interval.
    times, density, survival, survival_low, survival_high : tuple of float
        Curves, with the band of the survival curve.
    """

    name: str
    time: float
    event: bool
    median: float
    low: float
    high: float
    times: tuple[float, ...]
    density: tuple[float, ...]
    survival: tuple[float, ...]
    survival_low: tuple[float, ...]
    survival_high: tuple[float, ...]

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Rebuild from plain values."""
        fields: Json = {
            k: tuple(v) if isinstance(v, list) else v for k, v in data.items()
        }
        return cls(**fields)


@dataclass(frozen=True, kw_only=True)
class RivalRow:
    """One forecaster beside the model, on the same folds.

    Attributes
    ----------
    name : str
        Which.
    information : float
        Mean information beyond the prior.
    beyond, low, high, probability : float
        What the model knows beyond it: median, interval, chance that it is positive;
        NaN where that could not be said.
    concordance, concordance_stderr, brier, calibration_p : float
        What readers expect beside it.
    """

    name: str
    information: float
    beyond: float
    low: float
    high: float
    probability: float
    concordance: float
    concordance_stderr: float
    brier: float
    calibration_p: float

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Rebuild from plain values."""
        fields: Json = {k: _known(v) for k, v in data.items() if k != "name"}
        return cls(name=str(data["name"]), **fields)


@dataclass(frozen=True, kw_only=True)
class Recurrence(Result):
    """What predictions of times are worth, out of sample.

    Attributes
    ----------
    n, n_events : int
        Cases, and events among them.
    information : Result
        Apparent information of the predictions beyond the prior.
    calibration : Calibration
        Whether predicted survival is even.
    concordance : Concordance
        How often the order is right.
    brier, prior_brier : float
        Integrated Brier scores of model and prior.
    comparison : tuple of RivalRow
        Other models on the same folds.
    curves : tuple of CaseCurves
        Some cases, predicted by a model that did not learn from them.
    diagnostics : dict
        Of the chains of all folds.
    covariates : tuple of str
        Their names.
    prior : str
        Kind of the prior.
    n_folds, n_repeats : int
        How cases were held out.
    level : float
        Level of intervals.
    seed : int or None
        Seed.
    warnings : tuple of str
        What the reader must know.
    options : dict
        How it was computed.
    choice : HyperparameterChoice or None
        Evidence of candidate hyperparameters, if some were asked for.
    cases : dict
        Case by case: ``time``, ``event``, ``fold`` (of every repeat), and in nats
        ``log_q``, ``log_p``, ``j`` and ``log_q_of`` every rival.
    """

    kind: ClassVar[str] = "recurrence"

    n: int
    n_events: int
    information: Any
    calibration: Calibration
    concordance: Concordance
    brier: float
    prior_brier: float
    comparison: tuple[RivalRow, ...]
    curves: tuple[CaseCurves, ...]
    diagnostics: Json
    covariates: tuple[str, ...]
    prior: str
    n_folds: int
    n_repeats: int
    level: float
    seed: int | None
    warnings: tuple[str, ...] = ()
    options: Json = field(default_factory=dict)
    choice: HyperparameterChoice | None = None
    cases: Json = field(default_factory=dict)

    @property
    def units(self) -> str:
        """Units of information."""
        return str(self.information.units)

    @property
    def is_even(self) -> bool:
        """Whether nothing speaks against the calibration."""
        return self.calibration.p >= _EVEN

    def sentence(self) -> str:
        """Say the answer in plain words."""
        said = str(self.information.sentence())
        return said.replace("The forecasts carry", "The predicted times carry", 1)

    def summary(self) -> str:
        """Say the answer in a sentence or two, with what spoils it at the end."""
        said = self.sentence()
        if not self.information.converged:
            said += " The simulation did not converge: do not rely on this."
        return said

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table of forecasters, the model first."""
        model = RivalRow(
            name="model",
            information=self.information.mean,
            beyond=0.0,
            low=0.0,
            high=0.0,
            probability=float("nan"),
            concordance=self.concordance.value,
            concordance_stderr=self.concordance.stderr,
            brier=self.brier,
            calibration_p=self.calibration.p,
        )
        rows = [asdict(row) for row in (model, *self.comparison)]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        told = self.information.to_dict()
        inputs = {
            "n": self.n,
            "n_events": self.n_events,
            "covariates": list(self.covariates),
            "prior": self.prior,
            "information": told["inputs"],
        }
        options = {
            "n_folds": self.n_folds,
            "n_repeats": self.n_repeats,
            "level": self.level,
            "units": self.units,
            "seed": self.seed,
            "information": told["options"],
            "model": self.options,
        }
        result = {
            "n": self.n,
            "n_events": self.n_events,
            "information": told["result"],
            "calibration": self.calibration.to_dict(),
            "concordance": self.concordance.to_dict(),
            "brier": {"model": self.brier, "prior": self.prior_brier},
            "comparison": [asdict(row) for row in self.comparison],
            "curves": [asdict(one) for one in self.curves],
            "diagnostics": self.diagnostics,
            "evidence": None if self.choice is None else self.choice.to_dict(),
            "cases": self.cases,
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        told = {
            "kind": "information",
            "schema": 1,
            "inputs": inputs["information"],
            "options": options["information"],
            "result": result["information"],
        }
        even, chosen = result["calibration"], result.get("evidence")
        order: Json = {k: _known(v) for k, v in result["concordance"].items()}
        return cls(
            n=int(result["n"]),
            n_events=int(result["n_events"]),
            information=result_from_dict(told),
            calibration=Calibration(**(even | {"shares": tuple(even["shares"])})),
            concordance=Concordance(**order),
            brier=_known(result["brier"]["model"]),
            prior_brier=_known(result["brier"]["prior"]),
            comparison=tuple(map(RivalRow.from_dict, result["comparison"])),
            curves=tuple(map(CaseCurves.from_dict, result["curves"])),
            diagnostics=result["diagnostics"]
            | {"rhat": _known(result["diagnostics"]["rhat"])},
            covariates=tuple(inputs["covariates"]),
            prior=str(inputs["prior"]),
            n_folds=int(options["n_folds"]),
            n_repeats=int(options["n_repeats"]),
            level=float(options["level"]),
            seed=options["seed"],
            warnings=tuple(result["warnings"]),
            options=options["model"],
            choice=HyperparameterChoice.from_dict(chosen) if chosen else None,
            cases=result.get("cases") or {},
        )


def _known(value: float | None) -> float:
    return float("nan") if value is None else value


def recurrence_of(
    found: Evaluation,
    information: Any,
    relatives: Mapping[str, Any] | None = None,
    *,
    curves: Sequence[CaseCurves] = (),
    covariates: Sequence[str] = (),
    options: Json | None = None,
    notes: Sequence[str] = (),
    choice: HyperparameterChoice | None = None,
) -> Recurrence:
    """Join predictions out of sample with what they are worth.

    Parameters
    ----------
    found : Evaluation
        The predictions.
    information : ApparentInformation
        ``sc.apparent_information(found.log_q, found.log_p)``, or of the same cases.
    relatives : mapping of str to ApparentInformation, optional
        What the model knows beyond each rival, from ``sc.compare_information``.
    curves : sequence of CaseCurves, default=()
        Some cases to show.
    covariates : sequence of str, default=()
        Names of the covariates.
    options : dict, optional
        How the model was fitted, for the record.
    notes : sequence of str, default=()
        What else the reader must know.
    choice : HyperparameterChoice, optional
        From ``sc.choose_hyperparameters``.

    Returns
    -------
    Recurrence
        The answer.
    """
    unit = float(np.log(2.0)) if information.units == "bits" else 1.0
    rows = tuple(
        _row(found, name, (relatives or {}).get(name), unit) for name in found.rivals
    )
    failed = [f"{name} was left out: {why}" for name, why in found.failures.items()]
    return Recurrence(
        n=found.n,
        n_events=int(found.event.sum()),
        information=information,
        calibration=found.calibration(),
        concordance=found.concordance(),
        brier=found.brier(),
        prior_brier=found.brier("prior"),
        comparison=rows,
        curves=tuple(curves),
        diagnostics=found.diagnostics,
        covariates=tuple(covariates),
        prior=found.prior,
        n_folds=int(found.folds[0].max()) + 1,
        n_repeats=len(found.folds),
        level=information.level,
        seed=found.seed,
        warnings=(*found.warnings, *failed, *notes, *information.warnings),
        options=found.settings | (options or {}),
        choice=choice,
        cases=_cases_of(found),
    )


def _cases_of(found: Evaluation) -> Json:
    """Return what every case got, so that others can compute from it."""
    return {
        "time": found.time.tolist(),
        "event": found.event.tolist(),
        "fold": found.folds.tolist(),
        "log_q": found.log_q.tolist(),
        "log_p": found.log_p.tolist(),
        "j": found.j.tolist(),
        "log_q_of": {name: found.log_q_of(name).tolist() for name in found.rivals},
    }


def _row(found: Evaluation, name: str, relative: Any, unit: float) -> RivalRow:
    order, unknown = found.concordance(name), float("nan")
    beyond = None if relative is None else relative.posterior
    return RivalRow(
        name=name,
        information=float((found.log_q_of(name) - found.log_p).mean()) / unit,
        beyond=unknown if beyond is None else beyond.median,
        low=unknown if beyond is None else beyond.low,
        high=unknown if beyond is None else beyond.high,
        probability=unknown if beyond is None else beyond.probability_positive,
        concordance=order.value,
        concordance_stderr=order.stderr,
        brier=found.brier(name),
        calibration_p=found.calibration(name).p,
    )


def check_shown(event: BoolArray, which: Sequence[int]) -> list[int]:
    """Return the cases to show, if enough others are left to learn from.

    Parameters
    ----------
    event : array of bool of shape (n,)
        Of all cases, whether the event was seen.
    which : sequence of int
        Rows to show, from 0.

    Returns
    -------
    list of int
        Each of them once.

    Raises
    ------
    UsageError
        If a row does not exist, more than half of the cases are named, or no event is
        left.
    """
    rows, n = list(dict.fromkeys(which)), len(event)
    if any(row >= n or row < 0 for row in rows):
        msg = f"`cases` names a row beyond the {n} there are."
        raise UsageError(msg)
    if rows and (2 * len(rows) > n or not np.delete(event, rows).any()):
        msg = (
            f"`cases` names {len(rows)} of {n}: they are predicted by a model that "
            "learns from all others, so at least half, and an event, must remain."
        )
        raise UsageError(msg)
    return rows


def curves_of(
    model: RecurrenceModel,
    X: FloatArray,
    time: FloatArray,
    event: BoolArray,
    which: Sequence[int],
    *,
    level: float = 0.9,
) -> tuple[CaseCurves, ...]:
    """Predict some cases by a model that learns from all others.

    Parameters
    ----------
    model : RecurrenceModel
        Its parameters hold for the fit.
    X, time, event : array
        All cases.
    which : sequence of int
        Rows to predict, from 0.
    level : float, default=0.9
        Level of intervals and bands.

    Returns
    -------
    tuple of CaseCurves
        In the order given.

    Raises
    ------
    UsageError
        If too few other cases are left to learn from.
    """
    rows = check_shown(event, which)
    if not rows:
        return ()
    others = np.setdiff1d(np.arange(len(time)), rows)
    kept = usable_columns(X[others]).kept
    fitted = narrowed(model, kept, X.shape[1])
    fitted.set_params(allow_unconverged=True, checkpoint=None)
    X = X[:, kept]
    fitted.fit(X[others], time[others], event[others])
    shares = [0.5, 0.5 - level / 2, 0.5 + level / 2]
    quantiles = fitted.predict_quantile(X[rows], shares)
    at = _grid(fitted.predict_quantile(X[rows], _ENDS), time[rows])
    density = fitted.predict_density(X[rows], at)
    survival = fitted.predict_survival(X[rows], at)
    low, high = fitted.predict_survival_band(X[rows], at, level=level)
    return tuple(
        CaseCurves(
            name=f"case {row + 1}",
            time=float(time[row]),
            event=bool(event[row]),
            median=float(quantiles[i, 0]),
            low=float(quantiles[i, 1]),
            high=float(quantiles[i, 2]),
            times=tuple(at.tolist()),
            density=tuple(density[i].tolist()),
            survival=tuple(survival[i].tolist()),
            survival_low=tuple(low[i].tolist()),
            survival_high=tuple(high[i].tolist()),
        )
        for i, row in enumerate(rows)
    )


def _grid(ends: FloatArray, recorded: FloatArray) -> FloatArray:
    """Return times that cover what is predicted of each case and what was recorded.

    Even in log time: a case that waits a hundredth of what another does is drawn as
    finely.
    """
    low = min(float(ends[:, 0].min()), float(recorded.min()))
    high = max(float(ends[:, 1].max()), float(recorded.max()))
    even = np.exp(np.linspace(np.log(low), np.log(high), _POINTS))
    return np.unique(np.concatenate([even[1:-1], [low, high], recorded]))
