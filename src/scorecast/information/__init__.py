"""Question two: how much forecasts really know, and what identification proves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.information.apparent import apparent_information
from scorecast.information.betting import Betting
from scorecast.information.cases import CaseInformation
from scorecast.information.columns import refuse_outside
from scorecast.information.compare import compare_information, relative_cases
from scorecast.information.components import Components
from scorecast.information.densities import (
    DENSITIES,
    cases_from_densities,
    cases_from_regressor,
)
from scorecast.information.forecasts import Forecasts, Reliability, ReliabilityBin
from scorecast.information.identification import (
    AVERAGE_METHODS,
    GENERALISATION_METHODS,
    DecoderComparison,
    DecoderRow,
    Identification,
    IdentificationForecast,
    ImpliedInformation,
    InformationBound,
    Trials,
    average_bayes_bound,
    best_accuracy,
    compare_decoders,
    comparison_of,
    confusion_information,
    fano_information,
    generalisation_bound,
    ideal_accuracy,
    ideal_information,
    identify,
    identify_from_scores,
    implied_information,
    information_range,
    least_information,
    mutual_information_bound,
)
from scorecast.information.influence import Influence, WorstCase
from scorecast.information.logs import BASES, cases_from_j, cases_from_logs
from scorecast.information.posterior import InformationPosterior, TailView
from scorecast.information.probabilities import (
    cases_from_classes,
    cases_from_probabilities,
)
from scorecast.information.result import ApparentInformation, NormalInterval
from scorecast.information.spread import Spread
from scorecast.information.subgroups import MOST_GROUP_RUNS, GroupInformation
from scorecast.information.times import cases_from_times
from scorecast.information.units import UNITS
from scorecast.information.wording import (
    amount,
    amount_span,
    chance_of,
    chance_said,
    decimals_for,
    verdict,
)

if TYPE_CHECKING:
    from scorecast.information.identification import EncodingModel

__all__ = [
    "AVERAGE_METHODS",
    "BASES",
    "DENSITIES",
    "GENERALISATION_METHODS",
    "MOST_GROUP_RUNS",
    "UNITS",
    "ApparentInformation",
    "Betting",
    "CaseInformation",
    "Components",
    "DecoderComparison",
    "DecoderRow",
    "EncodingModel",
    "Forecasts",
    "GroupInformation",
    "Identification",
    "IdentificationForecast",
    "ImpliedInformation",
    "Influence",
    "InformationBound",
    "InformationPosterior",
    "NormalInterval",
    "Reliability",
    "ReliabilityBin",
    "Spread",
    "TailView",
    "Trials",
    "WorstCase",
    "amount",
    "amount_span",
    "apparent_information",
    "average_bayes_bound",
    "best_accuracy",
    "cases_from_classes",
    "cases_from_densities",
    "cases_from_j",
    "cases_from_logs",
    "cases_from_probabilities",
    "cases_from_regressor",
    "cases_from_times",
    "chance_of",
    "chance_said",
    "compare_decoders",
    "compare_information",
    "comparison_of",
    "confusion_information",
    "decimals_for",
    "fano_information",
    "generalisation_bound",
    "ideal_accuracy",
    "ideal_information",
    "identify",
    "identify_from_scores",
    "implied_information",
    "information_range",
    "least_information",
    "mutual_information_bound",
    "refuse_outside",
    "relative_cases",
    "verdict",
]


def __getattr__(name: str) -> Any:
    # The estimator brings scikit-learn along, which the rest does without.
    if name == "EncodingModel":
        from scorecast.information import identification

        return identification.EncodingModel
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
