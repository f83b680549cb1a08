"""Identification: how much information an accuracy proves, and a curve implies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.information.identification.accuracy_bounds import (
    AVERAGE_METHODS,
    GENERALISATION_METHODS,
    average_bayes_bound,
    generalisation_bound,
)
from scorecast.information.identification.capacity import (
    best_accuracy,
    least_information,
)
from scorecast.information.identification.class_information import (
    confusion_information,
    fano_information,
    information_range,
)
from scorecast.information.identification.decoders import (
    DecoderComparison,
    DecoderRow,
    compare_decoders,
    comparison_of,
)
from scorecast.information.identification.ideal_curve import (
    ideal_accuracy,
    ideal_information,
)
from scorecast.information.identification.identify import (
    identify,
    identify_from_scores,
)
from scorecast.information.identification.implied import (
    IdentificationForecast,
    ImpliedInformation,
    implied_information,
)
from scorecast.information.identification.mutual_information import (
    InformationBound,
    mutual_information_bound,
)
from scorecast.information.identification.result import Identification
from scorecast.information.identification.trials import Trials

if TYPE_CHECKING:
    from scorecast.information.identification.encoding import EncodingModel

__all__ = [
    "AVERAGE_METHODS",
    "GENERALISATION_METHODS",
    "DecoderComparison",
    "DecoderRow",
    "EncodingModel",
    "Identification",
    "IdentificationForecast",
    "ImpliedInformation",
    "InformationBound",
    "Trials",
    "average_bayes_bound",
    "best_accuracy",
    "compare_decoders",
    "comparison_of",
    "confusion_information",
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
]


def __getattr__(name: str) -> Any:
    # The estimator brings scikit-learn along, which the rest does without.
    if name == "EncodingModel":
        from scorecast.information.identification import encoding

        return encoding.EncodingModel
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
