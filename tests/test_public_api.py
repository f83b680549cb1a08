"""The public surface is pinned, documented, and cheap to import."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import scorecast

NAMES = {
    "BiclusterEstimates",
    "BiclusterScores",
    "BiclusterSet",
    "DensityComparison",
    "DensityTest",
    "EstimateAssessment",
    "assess_estimates",
    "bicluster_estimates",
    "biclusters_from",
    "compare_densities",
    "density_test",
    "score_biclusters",
    "Assessment",
    "assess",
    "SettingsAssessment",
    "assess_settings",
    "Comparison",
    "PairComparison",
    "compare",
    "compare_pair",
    "DecoderComparison",
    "Identification",
    "ImpliedInformation",
    "InformationBound",
    "compare_decoders",
    "identify",
    "identify_from_scores",
    "implied_information",
    "mutual_information_bound",
    "AccuracyCurve",
    "ApparentInformation",
    "AutoExtrapolator",
    "Backtest",
    "BayesianExtrapolator",
    "CaseInformation",
    "Embeddings",
    "EncodingModel",
    "Extrapolation",
    "GaussianExtrapolator",
    "KdeExtrapolator",
    "PolynomialExtrapolator",
    "RegressionExtrapolator",
    "RiskCurve",
    "RiskExtrapolation",
    "Sampling",
    "Scores",
    "SplineExtrapolator",
    "__version__",
    "accuracy_curve",
    "apparent_information",
    "backtest",
    "cases_from_classes",
    "cases_from_densities",
    "cases_from_j",
    "cases_from_logs",
    "cases_from_probabilities",
    "cases_from_regressor",
    "cases_from_times",
    "compare_information",
    "extrapolate",
    "extrapolate_risk",
    "PermutationScores",
    "ProportionInterval",
    "RequiredTestSize",
    "LearningCurveFit",
    "learning_curve_fit",
    "learning_curve_scores",
    "SelectedFeatures",
    "SelectionBias",
    "selected_features",
    "selection_bias",
    "Regularities",
    "data_regularities",
    "permutation_scores",
    "HyperparameterChoice",
    "choose_hyperparameters",
    "Recurrence",
    "RecurrenceModel",
    "recurrence_of",
    "evaluate_recurrence",
    "proportion_interval",
    "required_test_size",
    "plot",
    "report",
    "risk_curve",
    "scores_from",
    "simulate",
}
FOLDERS = (
    "scores",
    "classes",
    "information",
    "guarantees",
    "recurrence",
    "comparison",
    "biclusters",
    "io",
    "report",
    "synthetic",
    "cli",
)
MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(scorecast.__path__, "scorecast.")
    if not m.name.endswith("__main__")
)


def test_the_front_door_is_pinned():
    assert set(scorecast.__all__) == NAMES
    assert set(dir(scorecast)) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES - {"__version__", "simulate"}))
def test_every_public_name_loads_and_is_documented(name):
    assert callable(getattr(scorecast, name))
    assert getattr(scorecast, name).__doc__


def test_simulations_have_a_namespace_of_their_own():
    names = ("labelled", "biclusters", "classes", "forecasts")
    assert all(callable(getattr(scorecast.simulate, name)) for name in names)
    assert scorecast.simulate.__doc__


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_offers_what_it_lists(folder):
    module = importlib.import_module(f"scorecast.{folder}")
    assert module.__doc__
    for name in module.__all__:
        assert hasattr(module, name)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    failures, _ = doctest.testmod(
        module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert failures == 0


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="extrapolation_curve"):
        scorecast.extrapolation_curve  # noqa: B018


def test_the_report_can_be_called_whatever_was_imported_first():
    importlib.import_module("scorecast.report")
    assert callable(scorecast.report)
    assert scorecast.report.__doc__


def test_importing_the_package_costs_next_to_nothing():
    code = (
        "import sys, scorecast; print(sorted(m for m in sys.modules if '.' not in m))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "scipy", "sklearn", "numba", "matplotlib", "pandas", "click"}
    assert not heavy & set(eval(done.stdout))
