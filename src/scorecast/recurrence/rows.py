"""One forecaster beside the model, as a row of numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from scorecast._core.types import Json
from scorecast.recurrence.baseline import CURVE
from scorecast.recurrence.evaluation import Evaluation

__all__ = ["CURVE_WORDS", "FORECASTERS", "RivalRow", "known", "row_of"]

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
    beyond_mean : float
        Plain mean of what the model knows beyond it.
    verdict : str
        Whether the model knows more, in words; empty where that could not be said.
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


def row_of(found: Evaluation, name: str, relative: Any, unit: float) -> RivalRow:
    """Set a forecaster beside the model.

    Parameters
    ----------
    found : Evaluation
        The predictions.
    name : str
        Which forecaster.
    relative : ApparentInformation or None
        What the model knows beyond it.
    unit : float
        Nats of one unit.

    Returns
    -------
    RivalRow
        Its numbers.
    """
    order, said = found.concordance(name), found.log_q_of(name)
    beyond = None if relative is None else relative.posterior
    words = ""
    if relative is not None:
        reference = CURVE_WORDS if name == CURVE else relative.reference
        words = replace(relative, reference=reference).verdict()
    return RivalRow(
        name=name,
        information=float((said - found.log_p).mean()) / unit,
        beyond=_UNKNOWN if beyond is None else beyond.median,
        low=_UNKNOWN if beyond is None else beyond.low,
        high=_UNKNOWN if beyond is None else beyond.high,
        probability=_UNKNOWN if beyond is None else beyond.probability_positive,
        concordance=order.value,
        concordance_stderr=order.stderr,
        brier=found.brier(name),
        calibration_p=found.calibration(name).p,
        beyond_mean=float((found.log_q - said).mean()) / unit,
        verdict=words,
    )
