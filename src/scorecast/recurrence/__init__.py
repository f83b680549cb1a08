"""Predicting when: densities of times of which some are censored, and their worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.recurrence.accuracy import Calibration, Concordance
from scorecast.recurrence.case_curves import (
    ROUGH_CURVES,
    CaseCurves,
    check_shown,
    curves_of,
    fit_without,
    shown_cases,
)
from scorecast.recurrence.cautions import cohort_cautions, wide_intervals
from scorecast.recurrence.choice import (
    Candidate,
    HyperparameterChoice,
    check_candidates,
    choose_hyperparameters,
)
from scorecast.recurrence.cohort import FEW_EVENTS, Cohort, check_cohort
from scorecast.recurrence.evaluation import (
    Evaluation,
    Predictions,
    evaluate_recurrence,
)
from scorecast.recurrence.evidence import hyperparameter_evidence
from scorecast.recurrence.kaplan_meier import median_time
from scorecast.recurrence.new_cases import NewCases, predict_new
from scorecast.recurrence.noted import noted
from scorecast.recurrence.population import POPULATIONS, fit_population
from scorecast.recurrence.result import PRIOR_WORDS, Recurrence, recurrence_of
from scorecast.recurrence.rivals import RIVALS
from scorecast.recurrence.rows import FORECASTERS, RivalRow

if TYPE_CHECKING:
    from scorecast.recurrence.model import (
        FOLD_SAMPLING,
        SAMPLING,
        RecurrenceModel,
    )

__all__ = [
    "FEW_EVENTS",
    "FOLD_SAMPLING",
    "FORECASTERS",
    "POPULATIONS",
    "PRIOR_WORDS",
    "RIVALS",
    "ROUGH_CURVES",
    "SAMPLING",
    "Calibration",
    "Candidate",
    "CaseCurves",
    "Cohort",
    "Concordance",
    "Evaluation",
    "HyperparameterChoice",
    "NewCases",
    "Predictions",
    "Recurrence",
    "RecurrenceModel",
    "RivalRow",
    "check_candidates",
    "check_cohort",
    "check_shown",
    "choose_hyperparameters",
    "cohort_cautions",
    "curves_of",
    "evaluate_recurrence",
    "fit_population",
    "fit_without",
    "hyperparameter_evidence",
    "median_time",
    "noted",
    "predict_new",
    "recurrence_of",
    "shown_cases",
    "wide_intervals",
]


def __getattr__(name: str) -> Any:
    # The estimator brings scikit-learn along, which the rest does without.
    if name in {"RecurrenceModel", "SAMPLING", "FOLD_SAMPLING"}:
        from scorecast.recurrence import model

        return getattr(model, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
