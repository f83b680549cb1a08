"""One small result of every kind that `report` shows, for tests that go over all."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import scipy.stats
from sklearn.cluster import SpectralCoclustering
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB

import scorecast as sc
from scorecast import evaluation, simulate
from scorecast.biclusters import assess_biclustering_settings, simulated_matrix
from scorecast.reproduction import catalogue

_RNG = np.random.default_rng(0)
_OWN = np.arange(40) % 8
_SCORES = _RNG.normal(size=(40, 8)) + 2 * np.eye(8)[_OWN]
_X = _RNG.normal(size=(30, 3))
_Y = (_X[:, 0] + _RNG.normal(size=30) > 0).astype(int)
_COST = 2.0 * (1 - np.eye(8))
_TABLE = {name: _RNG.normal(size=12) for name in "abc"}
_HIDDEN = [(np.arange(6), np.arange(4))]
_P = _RNG.uniform(0.1, 0.9, 30)
_HAPPENED = (_RNG.uniform(size=30) < _P).astype(int)


def _information() -> Any:
    log_q = np.log(np.where(_HAPPENED, _P, 1 - _P))
    return sc.apparent_information(log_q, np.full(30, np.log(0.5)))


def _survival() -> Any:
    time = _RNG.exponential(9, 30)
    return sc.evaluate_survival(
        sc.SurvivalModel(random_state=0), _X[:, :1], time, _Y, cv=2, quick=True
    )


# From kinds to what makes one; classes of results are found by what they return.
MAKERS: Mapping[str, Callable[[], Any]] = {
    "extrapolation": lambda: sc.extrapolate(
        _SCORES, _OWN, to=[50], method="bayesian", backtest=0
    ),
    "recogniser-comparison": lambda: sc.extrapolate(
        {"a": _SCORES, "b": _SCORES[:, ::-1][:, ::-1] + _RNG.normal(size=(40, 8))},
        _OWN,
        to=[50],
        method="bayesian",
        backtest=0,
    ),
    "risk-extrapolation": lambda: sc.extrapolate(
        _SCORES, _OWN, to=[50], cost=_COST, backtest=0
    ),
    "accuracy-curve": lambda: sc.accuracy_curve(_SCORES, _OWN, sizes=4),
    "risk-curve": lambda: sc.risk_curve(_SCORES, _OWN, cost=_COST, sizes=4),
    "backtest": lambda: sc.backtest(
        _SCORES, _OWN, methods=["bayesian"], ratios=[2], n_repeats=2
    ),
    "curve-extrapolation": lambda: sc.extrapolate_curve(
        [2, 4, 8], [0.9, 0.8, 0.7], to=50
    ),
    "required-classes": lambda: sc.required_classes(0.9, to=100, n_repeats=2),
    "required-test-size": lambda: sc.required_test_size(0.9, width=0.1),
    "required-training-size": lambda: evaluation.required_training_size(
        "centroid", n_features=5, distance=2.0
    ),
    "comparison": lambda: sc.compare(_TABLE),
    "pair-comparison": lambda: sc.compare_pair(_TABLE["a"], _TABLE["b"]),
    "information-bound": lambda: sc.mutual_information_bound(
        0.8, n_classes=20, n_tests=100
    ),
    "identification": lambda: sc.identify_from_scores(_SCORES[:8], _OWN[:8]),
    "implied-information": lambda: sc.implied_information(
        _SCORES, _OWN, n_subsamples=20
    ),
    "decoder-comparison": lambda: sc.compare_decoders(
        {"a": _SCORES[:8], "b": _SCORES[8:16]}, _OWN[:8]
    ),
    "information": _information,
    "survival": _survival,
    "assessment": lambda: sc.assess(
        "naive-bayes",
        _X,
        _Y,
        cv=3,
        tests=evaluation.NullTests(n_permutations=9, n_null_data=2),
    ),
    "estimate-assessment": lambda: evaluation.assess_estimates(
        {"a": [0.5, 0.7, 0.6], "b": [0.6, 0.9, 0.8]}, greater_is_better=True
    ),
    "settings-assessment": lambda: sc.assess_settings(
        "naive-bayes",
        simulate.classification,
        {"n_samples": [20, 30], "n_features": [2]},
        cv=3,
        quick=True,
    ),
    "permutation-test": lambda: sc.permutation_test(
        "naive-bayes", _X, _Y, cv=3, n_permutations=9
    ),
    "learning-curve": lambda: sc.learning_curve(
        "naive-bayes", _X, _Y, sizes=[8, 12, 16], n_repeats=3
    ),
    "data-profile": lambda: evaluation.data_profile(_X, _Y),
    "feature-selection-test": lambda: evaluation.feature_selection_test(
        _X, _Y, 1, n_permutations=9
    ),
    "selection-bias": lambda: evaluation.selection_bias(
        SelectKBest(k=1), GaussianNB(), _X, _Y, cv=3, random_state=0
    ),
    "proportion-interval": lambda: evaluation.proportion_interval(30, 40),
    "density-test": lambda: sc.density_test(
        lambda n, rng: rng.normal(size=(n, 2)), _X[:, :2], n_permutations=39
    ),
    "density-comparison": lambda: evaluation.compare_densities(
        {"right": scipy.stats.norm(), "wrong": scipy.stats.norm(3)}, _X[:, :1]
    ),
    "bicluster-scores": lambda: sc.score_biclusters(
        _HIDDEN,
        truth=_HIDDEN,
        data=_RNG.normal(size=(12, 8)),
        n_random=3,
        n_permutations=9,
    ),
    "bicluster-settings": lambda: assess_biclustering_settings(
        SpectralCoclustering(n_clusters=2, random_state=0),
        {"signal": [1.0, 9.0], "size": ["12x8"]},
        simulator=partial(simulated_matrix, n_biclusters=1, rows=4, columns=3),
        n_repeats=3,
    ),
    "simulated-biclusters": lambda: simulate.biclusters(
        8, 6, n_biclusters=1, rows=3, columns=2
    ),
    "simulated-classification": lambda: simulate.classification(
        9, 2, with_bayes_error=False
    ),
    "simulated-regression": lambda: simulate.regression(12, 3, n_informative=2),
    "simulated-forecasts": lambda: simulate.forecasts(9),
    "simulated-survival": lambda: simulate.survival(9),
    "simulated-recognition": lambda: simulate.recognition(5, 2, sizes=[2, 5]),
    "reproduction": lambda: sc.reproduce(["000-eq-2.7"]),
    "reproduction-catalogue": catalogue,
}


def every_result() -> dict[str, Any]:
    """Return by kind what `json.dump` would write of one result of each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {kind: make() for kind, make in MAKERS.items()}
    return {kind: json.loads(json.dumps(x.to_dict())) for kind, x in found.items()}
