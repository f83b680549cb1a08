"""Estimates by case and fold: what is kept, and how it is weighed."""

import json

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.exceptions import UsageError
from scorecast.guarantees import LOSSES, TunedModel, estimate_capacity
from scorecast.guarantees.bootstrap_errors import (
    no_information_value,
    point_632,
    point_632_plus,
)
from scorecast.guarantees.bounds import expected_deviation
from scorecast.guarantees.class_sensitivity import class_sensitivities
from scorecast.guarantees.estimates import collect_estimates
from scorecast.guarantees.problem import check_problem
from scorecast.guarantees.sampling import draw_plan

RNG = np.random.default_rng
QUICK = {"n_permutations": 0, "n_resamples": 100, "with_bias_variance": False}


def collected(data, sampling, model=None):
    problem = check_problem(*data)
    plan = draw_plan(sampling, problem, RNG(0))
    return collect_estimates(model or GaussianNB(), problem, plan, rng=RNG(1))


def test_weighed_errors_are_those_of_the_formula_book():
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
    value = no_information_value(LOSSES["error"], found.training, RNG(0))
    assert value == pytest.approx(expected)


@pytest.mark.parametrize("loss", ["error", "accuracy", "auc"])
def test_a_weighed_estimate_lies_between_and_keeps_its_direction(noise, loss):
    # The nearest neighbour knows every case it learned from.
    model = KNeighborsClassifier(n_neighbors=1)
    out, plain, plus = (
        collected(noise, s, model).measure(LOSSES[loss]).estimate
        for s in ("boot40", ".632-40", ".632+-40")
    )
    best = 0.0 if loss == "error" else 1.0
    assert abs(plain - best) < abs(plus - best) <= abs(out - best) + 1e-12


def test_weighed_estimates_have_bounds_around_them(easy):
    found = sc.assess("naive-bayes", *easy, sampling=".632+-30", **QUICK)
    assert found.sampling == ".632+-30"
    loss = found.models[0].losses[0]
    assert loss.low < loss.estimate < loss.high


def test_cases_tested_repeatedly_count_once(easy):
    found = collected(easy, "cv5x3")
    sample = found.measure(LOSSES["accuracy"])
    assert sample.cases.size == sample.n_tested == 40
    assert sample.folds.size == 15
    assert sample.estimate == pytest.approx(np.mean(sample.folds))


@pytest.mark.parametrize(
    ("sampling", "others"),
    [("loo", ["accuracy", "mcc"]), ("lpo", ["sensitivity", "balanced-accuracy"])],
)
def test_what_single_cases_cannot_say_all_together_do(easy, sampling, others):
    losses = ["auc", *others]
    found = sc.assess("naive-bayes", *easy, sampling=sampling, losses=losses, **QUICK)
    for loss in found.models[0].losses:
        assert np.isfinite(loss.estimate), loss.loss
        # But for ranks of different models: no interval of those holds.
        ranked = sampling == "loo" and loss.loss == "auc"
        assert (loss.low < loss.high) != ranked, loss.loss


def test_scores_stand_under_their_class_when_a_class_was_not_learned():
    y = np.array([0] * 10 + [1] * 10 + [2] * 10)
    X = RNG(0).normal(size=(30, 2)) + y[:, None]
    pairs = [(np.r_[0:5, 20:25], np.r_[5:20, 25:30])]
    found = collected((X, y), pairs)
    outcome = found.outcomes()[0]
    assert (outcome.scores[:, 1] == 0).all()
    assert set(outcome.predicted.tolist()) <= {0, 2}


def test_choosing_parameters_inside_the_split_is_honest(noise):
    X = RNG(5).normal(size=(40, 300))
    grid = {"C": [0.001, 0.1, 10.0], "gamma": [1e-4, 1e-2, 1.0]}
    tuned = TunedModel(SVC(), grid, sampling="cv3")
    found = sc.assess(tuned, X, noise[1], sampling="cv4", **QUICK)
    assert found.models[0].losses[0].estimate < 0.75
    fitted = tuned.fit(X, noise[1])
    assert fitted.best_params_["C"] in grid["C"]


def test_random_labels_measure_the_capacity_of_a_line():
    # Vapnik, Levin and LeCun: a linear classifier has its parameters as capacity.
    from sklearn.linear_model import LinearRegression

    class Line(LinearRegression):
        def fit(self, X, y):
            return super().fit(X, 2 * np.asarray(y) - 1)

        def predict(self, X):
            return (super().predict(X) > 0).astype(int)

    X = RNG(0).normal(size=(300, 9))
    small = estimate_capacity(Line(), X, n_repeats=10)
    large = estimate_capacity(Line(), RNG(0).normal(size=(300, 39)), n_repeats=10)
    assert 5 < small < 20
    assert 2 * small < large < 80


def test_the_deviation_curve_falls_from_one():
    values = expected_deviation(np.array([0.1, 0.5, 1, 5, 50, 1e4]))
    assert values[0] == pytest.approx(1, abs=1e-3)
    assert (np.diff(values) <= 0).all()
    assert values[-1] < 0.05


def test_a_tuned_model_has_the_scores_of_what_it_chose(easy):
    X, y = easy
    for model, name in ((GaussianNB(), "predict_proba"), (SVC(), "decision_function")):
        grid = {"var_smoothing": [1e-9]} if name == "predict_proba" else {"C": [1.0]}
        tuned = TunedModel(model, grid, sampling="cv3", random_state=0)
        assert hasattr(tuned, name)
        asked = getattr(tuned.fit(X, y), name)(X)
        assert np.array_equal(asked, getattr(model.fit(X, y), name)(X))
    found = sc.assess(tuned, X, y, sampling="cv4", losses="auc", **QUICK)
    assert found.models[0].losses[0].estimate > 0.8
    assert not hasattr(tuned, "predict_proba")


def test_inner_splits_keep_groups_whole():
    rng = RNG(0)
    groups = np.repeat(np.arange(20), 4)
    X, y = rng.normal(size=(20, 3))[groups], np.arange(20)[groups] % 2
    seen = []

    class Watched(TunedModel):
        def fit(self, X, y, groups=None):
            seen.append(groups)
            return super().fit(X, y, groups)

    tuned = Watched(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, sampling="cv5")
    sc.assess(tuned, X, y, groups=groups, sampling="group4", **QUICK)
    assert all(given is not None and len(given) == 60 for given in seen[:4])
    tuned.set_params(sampling="loo")
    tuned.fit(X, y)
    with pytest.raises(UsageError, match="tears groups"):
        tuned.fit(X, y, groups)


def test_bca_of_what_is_no_mean_of_cases_says_so(easy):
    found = sc.assess(
        "naive-bayes", *easy, sampling="cv4", losses=["accuracy", "mcc"],
        n_permutations=0, with_bias_variance=False, n_resamples=50,
    )  # fmt: skip
    for loss, pooled in zip(found.models[0].losses, (False, True), strict=True):
        bca = next(b for b in loss.bounds if b.method == "bca")
        assert ("all tests together" in bca.assumption) is pooled
    exact = next(b for b in found.models[0].losses[0].bounds if b.method == "exact")
    assert "90 of 100" in exact.assumption
    assert "allow for the choice" not in found.summary()
    two = sc.assess(
        ["naive-bayes", "svm"], *easy, sampling="cv4", n_permutations=0,
        with_bias_variance=False, n_resamples=0,
    )  # fmt: skip
    assert "neither interval nor p-values allow for the choice" in two.summary()


def test_every_class_has_its_specificity():
    proportion_confint = pytest.importorskip(
        "statsmodels.stats.proportion"
    ).proportion_confint
    rng = RNG(3)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 2)) + y[:, None]
    found = collected((X, y), "cv5")
    pooled = found.pooled()
    for code, row in enumerate(class_sensitivities(found, 0.95)):
        others = pooled.truth != code
        assert row.specificity == pytest.approx(
            (pooled.predicted[others] != code).mean()
        )
        ends = proportion_confint(
            int((pooled.predicted[others] != code).sum()), 40, method="wilson"
        )
        assert (row.specificity_low, row.specificity_high) == pytest.approx(ends)
    last = found.measure(LOSSES["specificity"])
    assert row.specificity == pytest.approx(last.loss.measure(pooled))


@pytest.mark.parametrize("limit", [None, 60])
def test_what_was_chosen_is_kept_split_by_split(easy, tmp_path, limit):
    from sklearn.model_selection import GridSearchCV

    models = {
        "tuned": TunedModel(SVC(), {"C": [0.001, 1.0]}, sampling="cv3"),
        "search": GridSearchCV(SVC(), {"C": [0.001, 1.0]}, cv=3),
        "plain": GaussianNB(),
    }
    call = QUICK | {"n_permutations": 0, "sampling": "cv4", "time_limit": limit}
    call["checkpoint"] = tmp_path / "noted.jsonl"
    found = sc.assess(models, *easy, **call)
    for name in ("tuned", "search"):
        model = found.model(name)
        assert [set(choice) for choice in model.chosen] == [{"C"}] * 4
        times = sum(choice["C"] == "1.0" for choice in model.chosen)
        said = model.chosen_said()
        assert f"C = 1.0 in {times}" in said
        assert "of 4 splits" in said
        again = result_from_dict(json.loads(json.dumps(found.to_dict()))).model(name)
        assert again.chosen_said() == said
        # From the checkpoint as well.
        assert sc.assess(models, *easy, **call).model(name).chosen == model.chosen
    assert found.model("plain").chosen == ()
    assert found.model("plain").chosen_said() == ""
