"""The answer to the question of when, as data."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.results import Result, result_from_dict
from scorecast._core.types import FloatArray, Json
from scorecast.recurrence.accuracy import Calibration, Concordance
from scorecast.recurrence.baseline import CURVE
from scorecast.recurrence.case_curves import CaseCurves
from scorecast.recurrence.choice import HyperparameterChoice
from scorecast.recurrence.cohort import FEW_EVENTS
from scorecast.recurrence.evaluation import Evaluation
from scorecast.recurrence.follow_up import FollowUp, follow_up_of
from scorecast.recurrence.new_cases import NewCases
from scorecast.recurrence.rows import (
    CURVE_WORDS,
    FORECASTERS,
    Judged,
    RivalRow,
    known,
    row_of,
    unconverged_lines,
)
from scorecast.recurrence.told import (
    cautions,
    decimals,
    sentence,
    verdict as verdict_text,
)

__all__ = [
    "PRIOR_WORDS",
    "Recurrence",
    "recurrence_of",
]

PRIOR_WORDS = {
    "exponential": "exponential attrition, the same risk at every moment",
    "weibull": "a Weibull distribution for all cases alike",
    "lognormal": "a lognormal distribution for all cases alike",
    "kaplan-meier": "the Kaplan-Meier curve of all cases, smoothed",
    "model": "the same model without covariates",
}
QUICK = "A quick look, by a lognormal regression in the place of the model."
_RANGE = re.compile("(?<=\\d)\N{EN DASH}(?=\\d)")
_EVEN = 0.05  # p-value below which survival is not even


@dataclass(frozen=True, kw_only=True, repr=False)
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
        The curve of all cases alike, and other models, on the same folds.
    curves : tuple of CaseCurves
        Some cases, predicted by a model that did not learn from them.
    diagnostics : dict
        Of the chains of all folds.
    covariates : tuple of str
        Their names.
    missing : mapping of str to int
        How many cases lack each covariate, where some do.
    follow_up : FollowUp
        How long cases were followed.
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
        Case by case: ``time``, ``event``, ``fold`` (of every repeat), and in ``units``
        (logarithms to base 2 for bits) ``log_q``, ``log_p``, ``j``, their difference,
        ``log_curve`` and ``log_q_of`` every rival.
    predicted : NewCases or None
        New cases, predicted by a fit to all cases, if some were given.
    quick : bool
        Whether this is a quick look: a lognormal regression in the place of the model,
        and plain intervals.
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
    follow_up: FollowUp
    prior: str
    n_folds: int
    n_repeats: int
    level: float
    seed: int | None
    missing: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    options: Json = field(default_factory=dict)
    choice: HyperparameterChoice | None = None
    cases: Json = field(default_factory=dict)
    predicted: NewCases | None = None
    quick: bool = False

    @property
    def units(self) -> str:
        """Units of information."""
        return str(self.information.units)

    @property
    def has_enough_events(self) -> bool:
        """Whether there are events enough to judge order and calibration by."""
        return self.n_events >= FEW_EVENTS

    @property
    def is_even(self) -> bool:
        """Whether nothing speaks against the calibration."""
        return self.calibration.p >= _EVEN

    @property
    def beyond_curve(self) -> RivalRow | None:
        """What the predictions know beyond the curve of all cases alike."""
        return next((row for row in self.comparison if row.name == CURVE), None)

    def sentence(self) -> str:
        """Say the answer in plain words.

        Anything that knows how risk changes with time beats exponential attrition.
        Where the verdict against the curve of all cases alike is another one, that
        verdict stands in its place. Models that do better are named.
        """
        said = sentence(self.information)
        said = said.replace("The forecasts carry", "The predicted times carry", 1)
        said = _RANGE.sub(" to ", said)  # as all intervals here: ends may be negative
        return f"{self._with_curve(said)}{self._bettered()}"

    def _with_curve(self, said: str) -> str:
        """Add what is known beyond the curve, and which verdict holds."""
        row = self.beyond_curve
        if row is None:
            return said
        if self.prior == "kaplan-meier":
            return f"{said} The prior is {CURVE_WORDS}."
        own = verdict_text(self.information)
        figure = f"Beyond {CURVE_WORDS}: {self._beyond_said(row)}"
        if not row.verdict or own.replace("the prior", CURVE_WORDS) == row.verdict:
            verdict = f"; {row.verdict}" if row.verdict else ""
            return f"{said} {figure}{verdict}."
        told = said.replace(f"; {own}.", f"; {row.verdict}.")
        # Where the answer is minus infinity there is no verdict to take the place of.
        return f"{told} {figure}{f'; {row.verdict}' if told == said else ''}."

    def _beyond_said(self, row: RivalRow) -> str:
        digits = decimals(self.information)
        if not row.verdict:
            return f"{amount_of(row.beyond_mean, digits)} {self.units} (plain mean)"
        ends = f"{amount_of(row.low, digits)} to {amount_of(row.high, digits)}"
        return (
            f"{amount_of(row.beyond, digits)} {self.units} ({100 * self.level:g} %: "
            f"{ends})"
        )

    def _bettered(self) -> str:
        """Name the models that do better, where that can be told."""
        ahead = [
            row
            for row in self.comparison
            if row.name != CURVE and " worse than " in row.verdict
        ]
        return "".join(
            f" Beyond {FORECASTERS[row.name]}: {self._beyond_said(row)}; this model is "
            f"{row.verdict}."
            for row in ahead
        )

    def summary(self) -> str:
        """Say the answer in a sentence or two, with what spoils it at the end."""
        said = self.sentence()
        if self.quick:
            said = f"{QUICK} {said}"
        if not self.information.is_converged:
            said += (
                " The simulation of the posterior of J did not converge: do not rely "
                "on this."
            )
        return said

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table of forecasters, the model first."""
        model = RivalRow(
            name="model",
            information=self.information.mean,
            worth=self.information.posterior.median,
            worth_low=self.information.posterior.low,
            worth_high=self.information.posterior.high,
            beyond_mean=0.0,
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
            "missing": dict(self.missing),
            "prior": self.prior,
            "information": told["inputs"],
        }
        options = {
            "n_folds": self.n_folds,
            "n_repeats": self.n_repeats,
            "level": self.level,
            "units": self.units,
            "quick": self.quick,
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
            "beyond_curve": _curve_parts(self.beyond_curve),
            "comparison": [row.to_dict() for row in self.comparison],
            "curves": [asdict(one) for one in self.curves],
            "follow_up": self.follow_up.to_dict(),
            "diagnostics": self.diagnostics,
            "evidence": None if self.choice is None else self.choice.to_dict(),
            "cases": self.cases,
            "predicted": None if self.predicted is None else self.predicted.to_dict(),
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        told = {
            "kind": "information",
            "schema": 2,
            "inputs": inputs["information"],
            "options": options["information"],
            "result": result["information"],
        }
        even, chosen = result["calibration"], result.get("evidence")
        new = result.get("predicted")
        order: Json = {k: known(v) for k, v in result["concordance"].items()}
        return cls(
            n=int(result["n"]),
            n_events=int(result["n_events"]),
            information=result_from_dict(told),
            calibration=Calibration(**(even | {"shares": tuple(even["shares"])})),
            concordance=Concordance(**order),
            brier=known(result["brier"]["model"]),
            prior_brier=known(result["brier"]["prior"]),
            comparison=tuple(map(RivalRow.from_dict, result["comparison"])),
            curves=tuple(map(CaseCurves.from_dict, result["curves"])),
            diagnostics=_known_checks(result["diagnostics"]),
            covariates=tuple(inputs["covariates"]),
            missing=dict(inputs["missing"]),
            follow_up=FollowUp.from_dict(result["follow_up"]),
            prior=str(inputs["prior"]),
            n_folds=int(options["n_folds"]),
            n_repeats=int(options["n_repeats"]),
            level=float(options["level"]),
            seed=options["seed"],
            warnings=tuple(result["warnings"]),
            options=options["model"],
            choice=HyperparameterChoice.from_dict(chosen) if chosen else None,
            cases=result.get("cases") or {},
            predicted=NewCases.from_dict(new) if new else None,
            quick=bool(options.get("quick", False)),
        )


def _known_checks(checks: Json) -> Json:
    """Return diagnostics with the number that JSON could not hold."""
    return checks | {"rhat": known(checks["rhat"])} if "rhat" in checks else checks


def amount_of(value: float, decimals: int) -> str:
    """Write an amount of information, without a minus before nothing."""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def _curve_parts(row: RivalRow | None) -> Json | None:
    if row is None:
        return None
    return {
        "mean": row.beyond_mean,
        "median": row.beyond,
        "low": row.low,
        "high": row.high,
        "probability_positive": row.probability,
        "verdict": row.verdict,
    }


def recurrence_of(
    found: Evaluation,
    information: Any,
    relatives: Mapping[str, Any] | None = None,
    *,
    worths: Mapping[str, Any] | None = None,
    reasons: Mapping[str, str] | None = None,
    curves: Sequence[CaseCurves] = (),
    covariates: Sequence[str] = (),
    options: Json | None = None,
    notes: Sequence[str] = (),
    missing: Mapping[str, int] | None = None,
    time_unit: str = "",
    choice: HyperparameterChoice | None = None,
    predicted: NewCases | None = None,
) -> Recurrence:
    """Join predictions out of sample with what they are worth.

    Parameters
    ----------
    found : Evaluation
        The predictions.
    information : ApparentInformation
        ``sc.apparent_information(found.log_q, found.log_p)``, or of the same cases.
    relatives : mapping of str to ApparentInformation, optional
        What the model knows beyond each rival, from ``sc.compare_information``, and
        under "curve" beyond the curve of all cases alike (``found.log_curve``).
    worths : mapping of str to ApparentInformation, optional
        What each of them knows beyond the prior, from ``sc.apparent_information``.
    reasons : mapping of str to str, optional
        Why one of these is missing.
    curves : sequence of CaseCurves, default=()
        Some cases to show.
    covariates : sequence of str, default=()
        Names of the covariates.
    options : dict, optional
        How the model was fitted, for the record.
    notes : sequence of str, default=()
        What else the reader must know.
    missing : mapping of str to int, optional
        How many cases lack each covariate.
    time_unit : str, default=""
        Unit of time, for tables and figures.
    choice : HyperparameterChoice, optional
        From ``sc.choose_hyperparameters``.
    predicted : NewCases, optional
        From `predict_new`.

    Returns
    -------
    Recurrence
        The answer.
    """
    unit = float(np.log(2.0)) if information.units == "bits" else 1.0
    beyond = dict(relatives or {})
    if found.prior == "kaplan-meier":
        beyond[CURVE] = information  # the prior is that curve
    rows = _rows_of(found, beyond, worths or {}, reasons or {}, unit)
    unsaid = [f"{name} was left out: {why}" for name, why in found.failures.items()]
    unsaid += [f"{_unsaid(row)} cannot be said: {row.reason}" for row in rows
               if row.reason]  # fmt: skip
    doubts = unconverged_lines(information, relatives or {}, worths or {})
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
        missing={k: int(v) for k, v in (missing or {}).items() if v},
        follow_up=follow_up_of(found, time_unit),
        prior=found.prior,
        n_folds=int(found.folds[0].max()) + 1,
        n_repeats=len(found.folds),
        level=information.confidence_level,
        seed=found.seed,
        warnings=tuple(
            dict.fromkeys(
                (*notes, *found.warnings, *unsaid, *doubts, *cautions(information))
            )
        ),
        options=found.settings | (options or {}),
        choice=choice,
        cases=_cases_of(found, information.units, unit),
        predicted=predicted,
        quick=found.quick,
    )


def _unsaid(row: RivalRow) -> str:
    """Name the question that has no answer; the first of two."""
    who = CURVE_WORDS if row.name == CURVE else FORECASTERS[row.name]
    if not math.isnan(row.beyond):
        return f"What {who} knows beyond the prior"
    both = math.isnan(row.worth) and not math.isnan(row.information)
    more = f", or {who} beyond the prior," if both else ""
    return f"What the model knows beyond {who}{more}"


def _cases_of(found: Evaluation, units: str, unit: float) -> Json:
    """Return what every case got, so that others can compute from it: in one unit."""

    def told(logs: FloatArray) -> list[float]:
        return np.asarray(logs / unit).tolist()  # type: ignore[no-any-return]

    return {
        "units": units,
        "time": found.time.tolist(),
        "event": found.event.tolist(),
        "fold": found.folds.tolist(),
        "log_q": told(found.log_q),
        "log_p": told(found.log_p),
        "j": told(found.j),
        "log_curve": told(found.log_curve) if CURVE in found.predictions else [],
        "log_q_of": {name: told(found.log_q_of(name)) for name in found.rivals},
    }


def _rows_of(
    found: Evaluation,
    relatives: Mapping[str, Any],
    worths: Mapping[str, Any],
    reasons: Mapping[str, str],
    unit: float,
) -> tuple[RivalRow, ...]:
    names = [CURVE] if CURVE in found.predictions else []
    return tuple(
        row_of(
            found,
            name,
            Judged(relatives.get(name), worths.get(name), reasons.get(name, "")),
            unit,
        )
        for name in (*names, *found.rivals)
    )
