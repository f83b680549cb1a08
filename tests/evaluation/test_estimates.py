"""Estimates by sample and fold: what is kept, how it is weighted, what is chosen."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from tests.assessing import assess_bare, only

from scorecast.evaluation import (
    METRICS,
    Assessment,
    GridEdge,
    TunedEstimator,
    check_data,
    collect_estimates,
    draw_splits,
)
from scorecast.evaluation.assessment import class_recalls
from scorecast.evaluation.estimates import (
    no_information_value,
    point_632,
    point_632_plus,
)
from scorecast.evaluation.intervals.capacity import (
    expected_deviation,
    measured_capacity,
)
from scorecast.exceptions import UsageError

RNG = np.random.default_rng


def collected(data, cv, model=None):
    checked = check_data(*data)
    plan = draw_splits(cv, checked, RNG(0))
    return collect_estimates(model or GaussianNB(), checked, plan, rng=RNG(1))


def test_weighted_errors_are_those_of_the_formula_book():
    assert point_632(0.05, 0.3) == pytest.approx(0.208)
    overfit = (0.3 - 0.05) / (0.5 - 0.05)
    weight = 0.632 / (1 - 0.368 * overfit)
    expected = (1 - weight) * 0.05 + weight * 0.3
    assert point_632_plus(0.05, 0.3, 0.5) == pytest.approx(expected)
    assert point_632_plus(0.0, 0.6, 0.5) == pytest.approx(0.5)
    assert point_632_plus(0.3, 0.2, 0.5) == pytest.approx(point_632(0.3, 0.2))


def test_without_information_errors_are_those_of_the_margins(easy):
    found = collected(easy, ".632+-20")
    y, f = found.training.truth, found.training.predicted
    p, q = np.bincount(y) / y.size, np.bincount(f, minlength=2) / f.size
    expected = float(p @ (1 - q))
    value = no_information_value(METRICS["error_rate"], found.training, RNG(0))
    assert value == pytest.approx(expected)


@pytest.mark.parametrize("name", ["error_rate", "accuracy", "roc_auc"])
def test_a_weighted_estimate_lies_between_and_keeps_its_direction(noise, name):
    # The nearest neighbour knows every sample it learned from.
    model = KNeighborsClassifier(n_neighbors=1)
    out, plain, plus = (
        collected(noise, cv, model).measure(METRICS[name]).estimate
        for cv in ("boot40", ".632-40", ".632+-40")
    )
    best = 0.0 if name == "error_rate" else 1.0
    assert abs(plain - best) < abs(plus - best) <= abs(out - best) + 1e-12


def test_weighted_estimates_have_intervals_around_them(easy):
    found = assess_bare("naive-bayes", *easy, cv=".632+-30", n_resamples=100)
    assert found.splitter.name == ".632+-30"
    main = only(found).main
    assert main.low < main.estimate < main.high
    assert main.left_out == pytest.approx(np.mean(main.samples))


def test_samples_tested_repeatedly_count_once(easy):
    sample = collected(easy, "5x3").measure(METRICS["accuracy"])
    assert sample.samples.size == sample.n_tested == 40
    assert sample.folds.size == 15
    assert sample.estimate == pytest.approx(np.mean(sample.folds))


@pytest.mark.parametrize(
    ("cv", "others"),
    [("loo", ["accuracy", "mcc"]), ("lpo", ["sensitivity", "balanced_accuracy"])],
)
def test_what_single_samples_cannot_say_all_together_do(easy, cv, others):
    found = assess_bare(
        "naive-bayes", *easy, cv=cv, scoring=["roc_auc", *others], n_resamples=100
    )
    for name, x in only(found).metrics.items():
        assert np.isfinite(x.estimate), name
        # But for ranks of different models: no interval of those holds.
        is_ranked = cv == "loo" and name == "roc_auc"
        assert (x.low < x.high) != is_ranked, name


def test_scores_stand_under_their_class_when_a_class_was_not_learned():
    y = np.array([0] * 10 + [1] * 10 + [2] * 10)
    X = RNG(0).normal(size=(30, 2)) + y[:, None]
    pairs = [(np.r_[0:5, 20:25], np.r_[5:20, 25:30])]
    predictions = collected((X, y), pairs).predictions()[0]
    assert (predictions.scores[:, 1] == 0).all()
    assert set(predictions.predicted.tolist()) <= {0, 2}


def test_every_class_has_its_specificity():
    proportion_confint = pytest.importorskip(
        "statsmodels.stats.proportion"
    ).proportion_confint
    y = np.arange(60) % 3
    X = RNG(3).normal(size=(60, 2)) + y[:, None]
    found = collected((X, y), 5)
    pooled = found.pooled()
    for code, row in enumerate(class_recalls(found, 0.95).values()):
        others = pooled.truth != code
        spared = pooled.predicted[others] != code
        assert row.specificity == pytest.approx(spared.mean())
        ends = proportion_confint(int(spared.sum()), 40, method="wilson")
        assert (row.specificity_low, row.specificity_high) == pytest.approx(ends)
    assert row.specificity == pytest.approx(METRICS["specificity"].measure(pooled))


# Capacity -------------------------------------------------------------------------


def test_random_labels_measure_the_capacity_of_a_line():
    """Vapnik, Levin and LeCun: a linear classifier has its parameters as capacity."""

    def capacity(X):
        def predict(rows, taught):
            line = LinearRegression().fit(X[rows], 2 * taught - 1)
            return (line.predict(X[rows]) > 0).astype(int)

        return measured_capacity(predict, len(X), n_repeats=10, rng=RNG(0))

    small = capacity(RNG(0).normal(size=(300, 9)))
    large = capacity(RNG(0).normal(size=(300, 39)))
    assert 5 < small < 20
    assert 2 * small < large < 80


def test_the_deviation_curve_falls_from_one():
    values = expected_deviation(np.array([0.1, 0.5, 1, 5, 50, 1e4]))
    assert values[0] == pytest.approx(1, abs=1e-3)
    assert (np.diff(values) <= 0).all()
    assert values[-1] < 0.05


# Parameters chosen inside the split -----------------------------------------------


def test_choosing_parameters_inside_the_split_is_honest(noise):
    X = RNG(5).normal(size=(40, 300))
    grid = {"C": [0.001, 0.1, 10.0], "gamma": [1e-4, 1e-2, 1.0]}
    tuned = TunedEstimator(SVC(), grid, cv=3)
    found = assess_bare(tuned, X, noise[1], cv=4)
    assert only(found).main.estimate < 0.75
    assert tuned.fit(X, noise[1]).best_params_["C"] in grid["C"]


def test_a_tuned_model_has_the_scores_of_what_it_chose(easy):
    X, y = easy
    for model, name in ((GaussianNB(), "predict_proba"), (SVC(), "decision_function")):
        grid = {"var_smoothing": [1e-9]} if name == "predict_proba" else {"C": [1.0]}
        tuned = TunedEstimator(model, grid, cv=3, random_state=0)
        assert hasattr(tuned, name)
        asked = getattr(tuned.fit(X, y), name)(X)
        assert np.array_equal(asked, getattr(model.fit(X, y), name)(X))
    found = assess_bare(tuned, X, y, cv=4, scoring="auc")
    assert only(found).main.estimate > 0.8
    assert not hasattr(tuned, "predict_proba")


def test_inner_splits_keep_groups_whole():
    groups = np.repeat(np.arange(20), 4)
    X, y = RNG(0).normal(size=(20, 3))[groups], np.arange(20)[groups] % 2
    seen = []

    class Watched(TunedEstimator):
        def fit(self, X, y, groups=None):
            seen.append(groups)
            return super().fit(X, y, groups)

    tuned = Watched(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=5)
    assess_bare(tuned, X, y, groups=groups, cv="group4")
    assert all(given is not None and len(given) == 60 for given in seen[:4])
    tuned.set_params(cv="loo")
    tuned.fit(X, y)
    with pytest.raises(UsageError, match="tears groups"):
        tuned.fit(X, y, groups)


@pytest.mark.parametrize("limit", [None, 60])
def test_what_was_chosen_is_kept_split_by_split(easy, tmp_path, limit):
    models = {
        "tuned": TunedEstimator(SVC(), {"C": [0.001, 1.0]}, cv=3),
        "search": GridSearchCV(SVC(), {"C": [0.001, 1.0]}, cv=3),
        "plain": GaussianNB(),
    }
    call = {"cv": 4, "time_limit": limit, "checkpoint": tmp_path / "kept.jsonl"}
    found = assess_bare(models, *easy, **call)
    again = Assessment.from_dict(json.loads(json.dumps(found.to_dict())))
    resumed = assess_bare(models, *easy, **call)
    for name in ("tuned", "search"):
        model = found.models[name]
        assert [set(choice) for choice in model.chosen] == [{"C"}] * 4
        assert again.models[name].chosen == model.chosen
        assert resumed.models[name].chosen == model.chosen
    assert found.models["plain"].chosen == ()


def test_choices_at_the_end_of_a_grid_are_named(easy):
    tuned = TunedEstimator(SVC(kernel="linear"), {"C": [0.001, 1.0]}, cv=3)
    model = only(assess_bare(tuned, *easy, cv=4))
    most = max({c["C"] for c in model.chosen}, key=[c["C"] for c in model.chosen].count)
    edge = GridEdge(parameter="C", value=float(most), is_lowest=most == "0.001")
    assert model.edges == (edge,)
