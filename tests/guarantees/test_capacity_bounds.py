"""Bounds by capacity: what fails says so, and the rest goes on."""

import math
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier

import scorecast as sc
from scorecast.guarantees import bounds
from scorecast.guarantees.capacity_bounds import capacity_bounds
from scorecast.guarantees.losses import LOSSES
from scorecast.guarantees.missing import check_missing
from scorecast.guarantees.problem import check_problem

RNG = np.random.default_rng
QUICK = {
    "n_permutations": 0, "n_resamples": 0, "regularities": False, "sampling": "cv4",
    "with_bias_variance": False,
}  # fmt: skip


def bound(model, X, y, capacity=3.0, losses=("accuracy",), **options):
    groups = options.pop("groups", None)
    task = options.pop("task", "classification")
    return capacity_bounds(
        model, check_problem(X, y, groups=groups, task=task),
        [LOSSES[name] for name in losses], capacity, level=0.95, rng=RNG(0), **options,
    )  # fmt: skip


def test_a_measurement_that_fails_says_why_and_the_rest_goes_on(easy):
    """Fifteen neighbours cannot be found among eight cases."""
    models = {"knn": KNeighborsClassifier(15), "nb": "naive-bayes"}
    found = sc.assess(models, *easy, capacity="estimate", **QUICK)
    first, second = found.models
    assert "vapnik" not in [b.method for b in first.losses[0].bounds]
    assert "vapnik" in [b.method for b in second.losses[0].bounds]
    reason = next(text for text in first.warnings if "no bound by capacity: " in text)
    assert "failed: ValueError" in reason


def test_capacity_is_measured_with_missing_values_by_models_that_take_them(easy):
    X = easy[0].copy()
    X[1, 2] = np.nan
    model = HistGradientBoostingClassifier(max_iter=2, random_state=0)
    found, said = bound(model, X, easy[1], "estimate")
    assert "measured on random labels" in found["accuracy"].assumption
    assert not said


def test_groups_are_counted_and_not_their_cases():
    rng = RNG(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] > 0).astype(int)
    groups = np.arange(400) // 2
    alone = bound(KNeighborsClassifier(1), X, y)[0]["accuracy"]
    whole = bound(KNeighborsClassifier(1), X, y, groups=groups)[0]["accuracy"]
    half = bound(KNeighborsClassifier(1), X[::2], y[::2])[0]["accuracy"]
    assert whole.low == half.low < alone.low
    assert "groups, counted" in whole.assumption
    assert "rule of thumb" in whole.note
    assert "rule of thumb" not in alone.note


def test_what_has_no_such_bound_is_named(easy):
    found, said = bound("unused", *easy, losses=("auc",))
    assert (found, len(said)) == ({}, 1)
    assert "no bound by capacity for auc: it is for accuracy" in said[0]
    three = bound("unused", easy[0], np.arange(40) % 3)
    assert "for accuracy: it is for accuracy and error of two" in three[1][0]
    line = bound("unused", easy[0], easy[0][:, 0], losses=("rmse",), task="regression")
    assert "for rmse" in line[1][0]


class Slow(ClassifierMixin, BaseEstimator):
    """Hangs on all forty cases, and on no fewer."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if len(y) == 40:
            time.sleep(100)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_fits_beside_the_splits_are_limited_in_time(easy):
    start = time.monotonic()
    found, said = bound(Slow(), *easy, time_limit=0.5)
    assert found == {}
    assert "failed: stopped after 0.5 s" in said[0]
    X = easy[0].copy()
    X[1, 2] = np.nan
    # It may still learn from fewer, so that it is not refused.
    check_missing({"slow": Slow()}, check_problem(X, easy[1]), 0.5)
    assert time.monotonic() - start < 90


def test_capacity_bounds_are_those_of_the_formula_book():
    assert bounds.occam_upper(math.log(64), 60, 0.1) == pytest.approx(0.1076911363)
    assert bounds.vapnik_upper(0.1, 51, 200, 0.05) == pytest.approx(0.9956104378)
    assert bounds.vapnik_upper(0.0, 500, 200, 0.05) == 1.0
    assert bounds.ehkv_lower(33, 100) == pytest.approx(0.01)
