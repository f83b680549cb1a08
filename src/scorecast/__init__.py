"""From the score on the test set to the score where the model will be used.

>>> import scorecast as sc
>>> answer = sc.extrapolate(scores, y_true, to=[400, 10_000])  # doctest: +SKIP
>>> print(answer.summary())  # doctest: +SKIP

Names are loaded when first used, so that importing scorecast costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from scorecast._core.display import register_display
from scorecast._version import __version__

if TYPE_CHECKING:
    from scorecast import synthetic as simulate
    from scorecast.biclusters import (
        BiclusterEstimates,
        BiclusterScores,
        BiclusterSet,
        DensityTest,
        bicluster_estimates,
        biclusters_from,
        density_test,
        score_biclusters,
    )
    from scorecast.classes import (
        AutoExtrapolator,
        Backtest,
        BayesianExtrapolator,
        Extrapolation,
        GaussianExtrapolator,
        KdeExtrapolator,
        PolynomialExtrapolator,
        RegressionExtrapolator,
        RiskExtrapolation,
        SplineExtrapolator,
        backtest,
        extrapolate,
        extrapolate_risk,
    )
    from scorecast.comparison import (
        Comparison,
        PairComparison,
        compare,
        compare_pair,
    )
    from scorecast.guarantees import (
        Assessment,
        EstimateAssessment,
        LearningCurveFit,
        PermutationScores,
        Regularities,
        RequiredTestSize,
        SelectedFeatures,
        SelectionBias,
        SettingsAssessment,
        assess,
        assess_estimates,
        assess_settings,
        data_regularities,
        learning_curve_fit,
        learning_curve_scores,
        permutation_scores,
        required_test_size,
        selected_features,
        selection_bias,
    )
    from scorecast.information import (
        ApparentInformation,
        CaseInformation,
        DecoderComparison,
        EncodingModel,
        Identification,
        ImpliedInformation,
        InformationBound,
        apparent_information,
        cases_from_classes,
        cases_from_densities,
        cases_from_j,
        cases_from_logs,
        cases_from_probabilities,
        cases_from_regressor,
        cases_from_times,
        compare_decoders,
        compare_information,
        identify,
        identify_from_scores,
        implied_information,
        mutual_information_bound,
    )
    from scorecast.mixtures import Sampling
    from scorecast.recurrence import (
        HyperparameterChoice,
        Recurrence,
        RecurrenceModel,
        choose_hyperparameters,
        evaluate_recurrence,
        recurrence_of,
    )
    from scorecast.report import plot, report
    from scorecast.scores import (
        AccuracyCurve,
        Embeddings,
        RiskCurve,
        Scores,
        accuracy_curve,
        risk_curve,
        scores_from,
    )

_HOME = {
    "BiclusterEstimates": "biclusters",
    "BiclusterScores": "biclusters",
    "BiclusterSet": "biclusters",
    "DensityTest": "biclusters",
    "bicluster_estimates": "biclusters",
    "biclusters_from": "biclusters",
    "density_test": "biclusters",
    "score_biclusters": "biclusters",
    "EstimateAssessment": "guarantees",
    "assess_estimates": "guarantees",
    "Assessment": "guarantees",
    "assess": "guarantees",
    "SettingsAssessment": "guarantees",
    "assess_settings": "guarantees",
    "AutoExtrapolator": "classes",
    "BayesianExtrapolator": "classes",
    "GaussianExtrapolator": "classes",
    "KdeExtrapolator": "classes",
    "PolynomialExtrapolator": "classes",
    "RegressionExtrapolator": "classes",
    "SplineExtrapolator": "classes",
    "RiskExtrapolation": "classes",
    "AccuracyCurve": "scores",
    "ApparentInformation": "information",
    "CaseInformation": "information",
    "apparent_information": "information",
    "cases_from_classes": "information",
    "cases_from_densities": "information",
    "cases_from_j": "information",
    "cases_from_logs": "information",
    "cases_from_probabilities": "information",
    "cases_from_regressor": "information",
    "cases_from_times": "information",
    "compare_information": "information",
    "Comparison": "comparison",
    "PairComparison": "comparison",
    "compare": "comparison",
    "compare_pair": "comparison",
    "DecoderComparison": "information",
    "Identification": "information",
    "ImpliedInformation": "information",
    "InformationBound": "information",
    "compare_decoders": "information",
    "identify": "information",
    "identify_from_scores": "information",
    "implied_information": "information",
    "mutual_information_bound": "information",
    "Backtest": "classes",
    "EncodingModel": "information",
    "Embeddings": "scores",
    "Extrapolation": "classes",
    "RiskCurve": "scores",
    "Sampling": "mixtures",
    "Scores": "scores",
    "accuracy_curve": "scores",
    "backtest": "classes",
    "extrapolate": "classes",
    "extrapolate_risk": "classes",
    "LearningCurveFit": "guarantees",
    "PermutationScores": "guarantees",
    "Regularities": "guarantees",
    "data_regularities": "guarantees",
    "RequiredTestSize": "guarantees",
    "SelectedFeatures": "guarantees",
    "SelectionBias": "guarantees",
    "selected_features": "guarantees",
    "selection_bias": "guarantees",
    "learning_curve_fit": "guarantees",
    "learning_curve_scores": "guarantees",
    "permutation_scores": "guarantees",
    "required_test_size": "guarantees",
    "HyperparameterChoice": "recurrence",
    "Recurrence": "recurrence",
    "choose_hyperparameters": "recurrence",
    "RecurrenceModel": "recurrence",
    "recurrence_of": "recurrence",
    "evaluate_recurrence": "recurrence",
    "plot": "report",
    "report": "report",
    "risk_curve": "scores",
    "scores_from": "scores",
}

__all__ = [
    "AccuracyCurve",
    "ApparentInformation",
    "Assessment",
    "AutoExtrapolator",
    "Backtest",
    "BayesianExtrapolator",
    "BiclusterEstimates",
    "BiclusterScores",
    "BiclusterSet",
    "CaseInformation",
    "Comparison",
    "DecoderComparison",
    "DensityTest",
    "Embeddings",
    "EncodingModel",
    "EstimateAssessment",
    "Extrapolation",
    "GaussianExtrapolator",
    "HyperparameterChoice",
    "Identification",
    "ImpliedInformation",
    "InformationBound",
    "KdeExtrapolator",
    "LearningCurveFit",
    "PairComparison",
    "PermutationScores",
    "PolynomialExtrapolator",
    "Recurrence",
    "RecurrenceModel",
    "RegressionExtrapolator",
    "Regularities",
    "RequiredTestSize",
    "RiskCurve",
    "RiskExtrapolation",
    "Sampling",
    "Scores",
    "SelectedFeatures",
    "SelectionBias",
    "SettingsAssessment",
    "SplineExtrapolator",
    "__version__",
    "accuracy_curve",
    "apparent_information",
    "assess",
    "assess_estimates",
    "assess_settings",
    "backtest",
    "bicluster_estimates",
    "biclusters_from",
    "cases_from_classes",
    "cases_from_densities",
    "cases_from_j",
    "cases_from_logs",
    "cases_from_probabilities",
    "cases_from_regressor",
    "cases_from_times",
    "choose_hyperparameters",
    "compare",
    "compare_decoders",
    "compare_information",
    "compare_pair",
    "data_regularities",
    "density_test",
    "evaluate_recurrence",
    "extrapolate",
    "extrapolate_risk",
    "identify",
    "identify_from_scores",
    "implied_information",
    "learning_curve_fit",
    "learning_curve_scores",
    "mutual_information_bound",
    "permutation_scores",
    "plot",
    "recurrence_of",
    "report",
    "required_test_size",
    "risk_curve",
    "score_biclusters",
    "scores_from",
    "selected_features",
    "selection_bias",
    "simulate",
]

_MODULES = {"exceptions": "exceptions", "simulate": "synthetic"}


register_display(lambda: importlib.import_module("scorecast.report"))


def __getattr__(name: str) -> Any:
    if name in _HOME:
        home = importlib.import_module(f"scorecast.{_HOME[name]}")
        return getattr(home, name)
    if name in _MODULES:
        return importlib.import_module(f"scorecast.{_MODULES[name]}")
    msg = f"module 'scorecast' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
