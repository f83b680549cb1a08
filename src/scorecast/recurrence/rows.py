"""One forecaster beside the model, as a row of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from scorecast._core.types import Json
from scorecast.recurrence.baseline import CURVE
from scorecast.recurrence.evaluation import Evaluation
from scorecast.recurrence.told import verdict

__all__ = [
    "CURVE_WORDS",
    "FORECASTERS",
    "Judged",
    "RivalRow",
    "known",
    "row_of",
    "unconverged_lines",
]

CURVE_WORDS = "the curve of all cases alike"
FORECASTERS = {
    "model": "this model",
    "curve": "curve of all cases",
    "cox": "Cox's model",
    "weibull": "Weibull AFT",
    "lognormal": "lognormal AFT",
    "prior": "prior",
}
_UNKNOWN = float("nan")


@dataclass(frozen=True, kw_only=True)
class RivalRow:
    """One forecaster beside the model, on the same folds.

    Attributes
    ----------
    name : str
        Which; "curve" is the smoothed Kaplan-Meier curve of the training cases.
    information : float
        Plain mean of the information beyond the prior.
    beyond, low, high, probability : float
        What the model knows beyond it: median, interval, chance that it is positive;
        NaN where that could not be said.
    concordance, concordance_stderr, brier, calibration_p : float
        What readers expect beside it.
    worth, worth_low, worth_high : float
        What it knows beyond the prior: median and interval; NaN where that was not
        computed.
    beyond_mean : float
        Plain mean of what the model knows beyond it.
    verdict : str
        Whether the model knows more, in words; empty where that could not be said.
    reason : str
        Why something could not be said.
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
    beyond_mean: float = _UNKNOWN
    verdict: str = ""
    worth: float = _UNKNOWN
    worth_low: float = _UNKNOWN
    worth_high: float = _UNKNOWN
    reason: str = ""

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Rebuild from plain values."""
        fields: Json = {k: known(v) for k, v in data.items()}
        return cls(**fields)

    def to_dict(self) -> Json:
        """Return plain values."""
        return asdict(self)


def known(value: Any) -> Any:
    """Return a number that JSON could not hold."""
    return _UNKNOWN if value is None else value


@dataclass(frozen=True)
class Judged:
    """What was made of one forecaster.

    Attributes
    ----------
    relative : ApparentInformation or None
        What the model knows beyond it.
    worth : ApparentInformation or None
        What it knows beyond the prior.
    reason : str
        Why one of them is missing.
    """

    relative: Any = None
    worth: Any = None
    reason: str = ""


def row_of(found: Evaluation, name: str, judged: Judged, unit: float) -> RivalRow:
    """Set a forecaster beside the model.

    Parameters
    ----------
    found : Evaluation
        The predictions.
    name : str
        Which forecaster.
    judged : Judged
        What was made of it.
    unit : float
        Nats of one unit.

    Returns
    -------
    RivalRow
        Its numbers.
    """
    order, said = found.concordance(name), found.log_q_of(name)
    median, low, high, chance = _figures(judged.relative)
    worth, worth_low, worth_high, _ = _figures(judged.worth)
    words = ""
    if judged.relative is not None:
        reference = CURVE_WORDS if name == CURVE else FORECASTERS[name]
        words = verdict(judged.relative, reference)
    return RivalRow(
        name=name,
        information=float((said - found.log_p).mean()) / unit,
        beyond=median,
        low=low,
        high=high,
        probability=chance,
        concordance=order.value,
        concordance_stderr=order.stderr,
        brier=found.brier(name),
        calibration_p=found.calibration(name).p,
        beyond_mean=float((found.log_q - said).mean()) / unit,
        verdict=words,
        worth=worth,
        worth_low=worth_low,
        worth_high=worth_high,
        reason=judged.reason,
    )


def _figures(told: Any) -> tuple[float, float, float, float]:
    if told is None:
        return _UNKNOWN, _UNKNOWN, _UNKNOWN, _UNKNOWN
    found = told.posterior
    median = -math.inf if told.n_impossible else found.median
    return median, found.low, found.high, found.probability_positive


def unconverged_lines(
    information: Any, relatives: Mapping[str, Any], worths: Mapping[str, Any]
) -> list[str]:
    """Name every posterior of J whose simulation did not converge.

    Parameters
    ----------
    information : ApparentInformation
        What the model knows beyond the prior.
    relatives, worths : mapping of str to ApparentInformation
        What it knows beyond others, and they beyond the prior.

    Returns
    -------
    list of str
        One sentence, or none.
    """
    asked = [("the model beyond the prior", information)]
    asked += [(f"the model beyond {_who(k)}", told) for k, told in relatives.items()]
    asked += [(f"{_who(k)} beyond the prior", told) for k, told in worths.items()]
    failed = [name for name, told in asked if not told.is_converged]
    if not failed:
        return []
    checks = [told.diagnostics for _, told in asked if not told.is_converged]
    rhat = max(_or(one.rhat, math.inf) for one in checks)
    ess = min(_or(one.ess, 0.0) for one in checks)
    worst = f"R-hat {rhat:.3f}" if math.isfinite(rhat) else "R-hat not known"
    return [
        "The simulation of the posterior of J did not converge for "
        f"{', '.join(failed)} (worst {worst}, fewest effective draws {ess:,.0f}): do "
        "not rely on these figures."
    ]


def _or(value: float | None, other: float) -> float:
    return other if value is None or math.isnan(value) else value


def _who(name: str) -> str:
    return CURVE_WORDS if name == CURVE else FORECASTERS[name]
