"""Bounds by capacity: what fails is noted, and the rest goes on."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from tests.assessing import assess_bare, only

from scorecast.evaluation import METRICS, AssessmentNote, Task, check_data
from scorecast.evaluation.intervals import can_be_bounded, capacity_intervals
from scorecast.evaluation.intervals.capacity import vapnik_upper

RNG = np.random.default_rng


def bound(model, X, y, vc_dimension=3.0, groups=None):
    (found,) = capacity_intervals(
        model,
        check_data(X, y, groups=groups),
        [METRICS["accuracy"]],
        vc_dimension,
        level=0.95,
        rng=RNG(0),
    ).values()
    return found


def test_a_measurement_that_fails_is_noted_and_the_rest_goes_on(easy):
    """Fifteen neighbours cannot be found among eight samples."""
    models = {"knn": KNeighborsClassifier(15), "nb": "naive-bayes"}
    found = assess_bare(models, *easy, cv=4, vc_dimension="measure")
    methods = {
        name: [x.method for x in model.main.intervals]
        for name, model in found.models.items()
    }
    assert "vapnik" not in methods["knn"]
    assert "vapnik" in methods["nb"]
    (note,) = (n for n in found.notes if n.code == AssessmentNote.CAPACITY_FAILED)
    assert note.model == "knn"
    assert "ValueError" in note.names[0]


def test_capacity_is_measured_with_missing_values_by_models_that_take_them(easy):
    X = easy[0].copy()
    X[1, 2] = np.nan
    model = HistGradientBoostingClassifier(max_iter=2, random_state=0)
    assert bound(model, X, easy[1], "measure").is_measured


def test_groups_are_counted_and_not_their_samples():
    X = RNG(0).normal(size=(400, 2))
    y = (X[:, 0] > 0).astype(int)
    alone = bound(KNeighborsClassifier(1), X, y)
    whole = bound(KNeighborsClassifier(1), X, y, groups=np.arange(400) // 2)
    half = bound(KNeighborsClassifier(1), X[::2], y[::2])
    assert whole.low == half.low < alone.low
    assert (alone.of_groups, whole.of_groups) == (False, True)


def test_what_has_no_such_bound_is_named(easy):
    two, three = check_data(*easy), check_data(easy[0], np.arange(40) % 3)
    numbers = check_data(easy[0], easy[0][:, 0], task=Task.REGRESSION)
    assert can_be_bounded(METRICS["accuracy"], two)
    assert not can_be_bounded(METRICS["roc_auc"], two)
    assert can_be_bounded(METRICS["accuracy"], three, 7.0)
    assert not can_be_bounded(METRICS["accuracy"], three, "measure")
    assert not can_be_bounded(METRICS["root_mean_squared_error"], numbers)
    found = assess_bare("naive-bayes", *easy, scoring=["auc", "error"], vc_dimension=7)
    (note,) = (n for n in found.notes if n.code == AssessmentNote.NO_CAPACITY)
    assert note.names == ("roc_auc",)


@pytest.mark.parametrize("vc_dimension", [3, "measure"])
def test_capacity_bounds_are_conservative(easy, vc_dimension):
    found = assess_bare(
        "nearest-centroid",
        *easy,
        scoring=["accuracy", "error", "auc"],
        vc_dimension=vc_dimension,
    )
    accuracy, error, _ = only(found).metrics.values()
    by = {x.method: x for x in accuracy.intervals}
    assert by["vapnik"].high == 1
    assert by["vapnik"].low < by["hoeffding"].low
    assert by["vapnik"].vc_dimension is not None
    assert error.intervals[-1].high == pytest.approx(1 - by["vapnik"].low)
    assert not by["vapnik"].is_recommended


def test_the_bound_is_that_of_the_formula_book():
    assert vapnik_upper(0.1, 51, 200, 0.05) == pytest.approx(0.9956104378)
    assert vapnik_upper(0.0, 500, 200, 0.05) == 1.0
