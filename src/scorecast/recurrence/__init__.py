"""Predicting when: densities of times of which some are censored, and their worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.recurrence.accuracy import Calibration, Concordance
from scorecast.recurrence.evaluation import (
    Evaluation,
    Predictions,
    evaluate_recurrence,
)
from scorecast.recurrence.population import POPULATIONS, fit_population
from scorecast.recurrence.rivals import RIVALS

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = [
    "POPULATIONS",
    "RIVALS",
    "Calibration",
    "Concordance",
    "Evaluation",
    "Predictions",
    "RecurrenceModel",
    "evaluate_recurrence",
    "fit_population",
]


def __getattr__(name: str) -> Any:
    # The estimator brings scikit-learn along, which the rest does without.
    if name == "RecurrenceModel":
        from scorecast.recurrence import model

        return model.RecurrenceModel
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
