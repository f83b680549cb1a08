"""From data to an answer: what is kept, what is refused, what never changes."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from tests.assessing import assess_bare, only

import scorecast as sc
from scorecast.evaluation import (
    MODELS,
    Assessment,
    AssessmentNote,
    Choice,
    Diagnostics,
    NoInterval,
    NullTests,
    assess,
    make_estimator,
    task_of,
    wilson,
)
from scorecast.exceptions import (
    FitFailedError,
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)
from scorecast.report import render

RNG = np.random.default_rng
TESTED = {"n_permutations": 40, "n_null_data": 5, "n_resamples": 200, "cv": 5}
WHOLE = TESTED | {"bias_variance": True, "data_profile": True}


class Odd(ClassifierMixin, BaseEstimator):
    """Misbehaves as it is told."""

    def __init__(self, how="raise", first=0.0):
        self.how = how
        self.first = first

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.how == "raise" or (self.how == "some" and X[0, 0] != self.first):
            msg = "out of\norder"
            raise ValueError(msg)
        if self.how == "print":
            print("hello")  # noqa: T201
        X[:] = 0
        return self

    def predict(self, X):
        if self.how == "shape":
            return np.zeros((len(X), 2))
        if self.how == "stranger":
            return np.full(len(X), 99)
        return np.full(len(X), self.classes_[0])


def test_an_easy_problem_is_feasible_and_noise_is_not(easy, noise):
    model = only(assess_bare("naive-bayes", *easy, **TESTED))
    assert model.null_tests.verdict == "feasible"
    assert model.main.low < model.main.estimate < model.main.high
    empty = only(assess_bare("naive-bayes", *noise, **TESTED))
    assert empty.null_tests.verdict == "not-supported"


def test_what_is_asked_for_by_default_is_all_but_curves_and_selection(easy):
    found = sc.assess("nearest-centroid", *easy, cv=4)
    model = only(found)
    assert model.null_tests.permuted.n_draws == 1000
    assert model.null_tests.null_data.n_draws == 20
    assert set(model.bias_variance) == {"kohavi-wolpert", "domingos"}
    assert found.data_profile is not None
    assert (model.curves, model.selection_bias) == ({}, None)
    assert (found.tests, found.diagnostics.n_resamples) == (NullTests(), 1000)
    quick = assess_bare("nearest-centroid", *easy)
    assert quick.is_quick
    assert not found.is_quick


def test_the_json_is_a_contract(easy):
    found = assess_bare({"a": GaussianNB(), "b": NearestCentroid()}, *easy, **WHOLE)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (data["kind"], data["schema"]) == ("assessment", 2)
    assert data["inputs"] == {
        "n_samples": 40,
        "n_features": 6,
        "class_counts": {"0": 20, "1": 20},
        "n_groups": None,
        "task": "classification",
        "are_costs_by_name": None,
    }
    result = data["result"]
    assert set(result) == {
        "models",
        "comparisons",
        "data_profile",
        "feature_selection",
        "notes",
    }
    model = result["models"]["a"]
    accuracy = model["metrics"]["accuracy"]
    assert {"estimate", "low", "high", "per_class"} <= set(accuracy)
    assert set(accuracy["per_class"]) == {"0", "1"}
    assert {"permuted", "null_models", "null_data", "density", "verdict"} <= set(
        model["null_tests"]
    )
    assert set(model["bias_variance"]) == {"kohavi-wolpert", "domingos"}
    assert sum(x["is_recommended"] for x in accuracy["intervals"]) == 1
    assert [(row["a"], row["b"]) for row in result["comparisons"]] == [("a", "b")]
    again = Assessment.from_dict(data)
    assert json.loads(json.dumps(again.to_dict())) == data


def test_the_answer_does_not_depend_on_the_number_of_workers(easy):
    one, two = (assess_bare("tree", *easy, n_jobs=n, **WHOLE).to_dict() for n in (1, 2))
    assert one == two


def test_a_model_more_does_not_change_the_others(easy):
    alone = assess_bare(["tree"], *easy, **WHOLE)
    both = assess_bare(["tree", "naive-bayes"], *easy, **WHOLE)
    assert both.models["tree"] == alone.models["tree"]


@pytest.mark.parametrize("name", MODELS)
def test_models_are_what_they_claim(name, easy, line):
    model = MODELS[name]
    assert task_of({name: make_estimator(name)}) is model.task
    data = easy if model.task == "classification" else line
    assert not only(assess_bare(name, *data, cv=2)).failures
    if model.classifier_twin is not None:
        assert MODELS[model.classifier_twin].task == "classification"


@pytest.mark.parametrize(
    "name",
    [
        "sklearn.svm:SVC(C=__import__('os').getcwd())",
        "sklearn.svm:SVC(1)",
        "sklearn.svm:SVC(D=1)",
        "os:system",
        "sklearn.svm._base:BaseSVC",
        "sklearn.svm:NoSuch",
        "sklearn.metrics:accuracy_score",
        "naive-bays",
        "",
    ],
)
def test_names_of_nothing_are_refused_and_nothing_is_evaluated(name):
    with pytest.raises(UsageError) as caught:
        make_estimator(name)
    assert caught.value.parameter == "estimator"


class Flip(ClassifierMixin, BaseEstimator):
    """Always says the other class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.inner_ = GaussianNB().fit(X, y)
        return self

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)[:, ::-1]

    def predict(self, X):
        return 1 - self.inner_.predict(X)


@pytest.mark.parametrize("model", [GaussianNB(), make_pipeline(Flip())])
def test_perfect_and_hopeless_models_have_proper_intervals(model):
    y = np.arange(40) % 2
    X = np.where(y == 1, 5.0, -5.0)[:, None] + np.linspace(0, 0.1, 40)[:, None]
    scoring = ["accuracy", "balanced_accuracy", "auc", "mcc", "f1", "error"]
    found = assess_bare(model, X, y, scoring=scoring, n_resamples=200, cv=5)
    for x in only(found).metrics.values():
        for interval in x.intervals:
            assert interval.low < interval.high, (x.metric, interval)
            assert np.isfinite([interval.low, interval.high]).all()


def test_a_fold_that_fails_says_why_and_the_rest_goes_on(easy):
    # The first sample is left out once, and the model insists on it.
    found = assess_bare(Odd("some", first=easy[0][0, 0]), *easy, **TESTED)
    model = only(found)
    (failure,) = model.failures
    assert str(failure) == "ValueError: out of order"
    note = found.notes[0]
    assert (note.code, note.count, note.total) == (AssessmentNote.SPLITS_FAILED, 1, 5)
    assert np.isnan(model.main.folds).sum() == 1


@pytest.mark.parametrize(
    ("how", "said"),
    [("raise", "out of order"), ("shape", "shape"), ("stranger", "no class")],
)
def test_if_every_fit_fails_nothing_is_made_up(easy, how, said):
    with pytest.raises(FitFailedError, match=said):
        assess_bare(Odd(how), *easy)
    both = assess_bare({"odd": Odd(how), "good": GaussianNB()}, *easy, **TESTED)
    assert both.models["odd"].metrics == {}
    assert both.best == "good"


def test_a_parameter_that_cannot_be_is_a_slip_of_the_call(easy):
    with pytest.raises(UsageError, match="n_neighbors") as caught:
        assess_bare(KNeighborsClassifier(n_neighbors=-1), *easy)
    assert caught.value.parameter == "estimator"


def test_metrics_that_need_scores_are_not_made_up(easy):
    models = {"mute": Odd("mute"), "nb": GaussianNB()}
    found = assess_bare(models, *easy, scoring=["auc", "accuracy"])
    assert list(found.models["mute"].metrics) == ["accuracy"]
    assert list(found.models["nb"].metrics) == ["roc_auc", "accuracy"]
    note = found.notes[0]
    assert note.code == AssessmentNote.METRIC_NOT_GIVEN
    assert (note.model, note.names) == ("mute", ("roc_auc", "scores"))
    # An accuracy is not compared with an AUC.
    assert found.comparisons == ()
    with pytest.raises(InvalidInputError, match="roc_auc needs scores"):
        assess_bare(Odd("mute"), *easy, scoring="auc")


def test_what_a_model_does_to_its_data_or_prints_stays_with_it(easy, capsys):
    X, y = easy[0].copy(), easy[1]
    assess_bare(Odd("print"), X, y, **TESTED)
    assert np.array_equal(X, easy[0])
    assert capsys.readouterr().out == ""


def test_selection_inside_the_split_is_honest(noise):
    X, y = RNG(0).normal(size=(40, 2000)), noise[1]
    inside = assess_bare(make_pipeline(SelectKBest(k=10), GaussianNB()), X, y, cv=5)
    chosen = SelectKBest(k=10).fit_transform(X, y)
    assert only(assess_bare(GaussianNB(), chosen, y, cv=5)).main.estimate > 0.8
    assert only(inside).main.estimate < 0.7


def test_numbers_are_assessed_too(line):
    scoring = ["rmse", "mae", "smape"]
    found = assess_bare(Ridge(), *line, scoring=scoring, bias_variance=True, **TESTED)
    model = only(found)
    assert model.null_tests.verdict == "feasible"
    assert list(model.null_tests.null_models) == ["mean"]
    assert list(model.bias_variance) == ["squared"]
    assert not model.main.greater_is_better
    assert Assessment.from_dict(found.to_dict()).to_dict() == found.to_dict()


def test_three_classes_with_names_and_groups():
    y = np.array(["ant", "bee", "cow"])[np.arange(60) % 3]
    apart = 2 * (y == "bee")[:, None] - 2 * (y == "cow")[:, None]
    X = RNG(0).normal(size=(60, 4)) + apart
    groups = [f"patient {i // 3}" for i in range(60)]
    found = assess_bare(
        "naive-bayes", X, y, groups=groups, scoring=["accuracy", "auc"], cv=5
    )
    assert found.splitter.name == "group5"
    assert found.n_groups == 20
    assert list(only(found).main.per_class) == ["ant", "bee", "cow"]


def test_identical_models_show_no_difference(easy):
    found = assess_bare({"a": GaussianNB(), "b": GaussianNB()}, *easy)
    (row,) = found.comparisons
    assert row.is_same
    assert row.difference == 0
    # Nothing is claimed: neither certainty by width nor a p-value.
    assert np.isnan([row.low, row.high, row.p_value, row.p_adjusted]).all()
    assert "nan" not in render(found).lower()


@pytest.mark.parametrize(
    ("X", "y", "error", "parameter"),
    [
        (np.zeros((10, 2)), np.zeros(10), InsufficientDataError, "y"),
        (np.zeros((10, 2)), np.arange(9), InvalidInputError, "y"),
        (np.zeros((9, 10)), np.arange(10) % 2, InvalidInputError, "y"),
        (np.zeros((10, 2)), np.arange(10), InvalidInputError, "y"),
        (np.zeros((10, 2)), None, InvalidInputError, "y"),
        (np.zeros((10, 2)), "kind", InvalidInputError, "y"),
        (np.zeros((3, 2)), [0, 1, 0], InsufficientDataError, "X"),
        (np.full((10, 2), np.nan), np.arange(10) % 2, InvalidInputError, "X"),
        (np.zeros((10, 2)), np.linspace(0, 1, 10), InvalidInputError, "y"),
        (np.zeros((10, 2)), np.arange(10) % 2, InsufficientDataError, "X"),
    ],
)
def test_bad_data_are_refused_in_one_line(X, y, error, parameter):
    with pytest.raises(error) as caught:
        assess_bare("naive-bayes", X, y, cv=2)
    assert caught.value.parameter == parameter
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("lost", [None, float("nan")])
def test_a_missing_label_is_no_class(lost):
    y = np.array(["a"] * 6 + ["b"] * 4 + [lost] * 2, dtype=object)
    with pytest.raises(InvalidInputError, match="2 such") as caught:
        assess_bare("naive-bayes", RNG(0).normal(size=(12, 2)), y)
    assert caught.value.location.row == 11


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"confidence_level": 95}, "confidence_level"),
        ({"n_permutations": -1}, "n_permutations"),
        ({"n_permutations": 9, "null_data": "none"}, "null_data"),
        ({"n_permutations": 9, "permute": "test"}, "permute"),
        ({"vc_dimension": 0}, "vc_dimension"),
        ({"vc_dimension": "large"}, "vc_dimension"),
        ({"n_resamples": -1}, "n_resamples"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"scoring": "rmse"}, "scoring"),
        ({"scoring": []}, "scoring"),
        ({"scoring": 3}, "scoring"),
        ({"scoring": ["accuracy", "accuracy"]}, "scoring"),
        ({"cv": [1, 2]}, "cv"),
        ({"pos_label": "other"}, "pos_label"),
    ],
)
def test_bad_options_are_refused(easy, options, parameter):
    with pytest.raises(UsageError) as caught:
        assess_bare("naive-bayes", *easy, **options)
    assert caught.value.parameter == parameter
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [("tests", 100), ("curves", True), ("diagnostics", None)],
)
def test_settings_are_objects(easy, option, value):
    with pytest.raises(UsageError) as caught:
        assess("naive-bayes", *easy, **{option: value})
    assert caught.value.parameter == option


def test_one_group_per_sample_is_needed(easy):
    for groups in (3, [1, 2]):
        with pytest.raises(InvalidInputError) as caught:
            assess_bare("naive-bayes", *easy, groups=groups)
        assert caught.value.parameter == "groups"


@pytest.mark.statistical
def test_the_interval_to_quote_holds_and_the_plain_one_does_not():
    """Repeated folds of 62 samples, against the expected accuracy of such fits."""
    rng, runs = RNG(0), 80
    ends, truths, quoted = {"quoted": [], "nadeau-bengio": [], "t": []}, [], set()
    for seed in range(runs):
        X, y = two_normals(rng, 62)
        call = {"cv": "10x3", "scoring": "accuracy", "random_state": seed}
        main = only(assess_bare(NearestCentroid(), X, y, **call)).main
        quoted.add(main.recommended.method)
        ends["quoted"].append((main.low, main.high))
        for interval in main.intervals:
            if interval.method in ends:
                ends[interval.method].append((interval.low, interval.high))
        fresh, truth = two_normals(rng, 2000)
        fitted = NearestCentroid().fit(X[:56], y[:56])
        truths.append((fitted.predict(fresh) == truth).mean())
    expected = np.mean(truths)
    rate = {
        name: np.mean([low <= expected <= high for low, high in rows])
        for name, rows in ends.items()
    }
    # The share of samples is quoted where folds happen to agree too well.
    assert quoted <= {"nadeau-bengio", "wilson"}
    allowed = 0.95 - 2 * np.sqrt(0.95 * 0.05 / runs)
    assert rate["nadeau-bengio"] >= allowed
    assert rate["quoted"] >= allowed
    assert rate["t"] < 0.85


def two_normals(rng, n):
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 20))
    X[:, :3] += 0.8 * y[:, None]
    return X, y


@pytest.mark.parametrize("scoring", ["log_loss", "mean_absolute_percentage_error"])
def test_a_value_that_is_not_finite_has_no_verdict(scoring):
    X, y = RNG(0).normal(size=(60, 5)), np.arange(60) % 2
    X[:, 0] += 1.2 * y
    models = {"knn": KNeighborsClassifier(3), "other": KNeighborsClassifier(1)}
    target, why = y, NoInterval.INFINITE
    if scoring != "log_loss":
        models, target, why = {"ridge": Ridge()}, 2 * X[:, 0] + 1, NoInterval.UNDEFINED
        target[3] = 0.0
    found = assess_bare(models, X, target, scoring=scoring, **TESTED)
    model = only(found)
    assert model.null_tests is None
    assert model.main.intervals == ()
    assert model.main.no_interval is why
    assert model.main.n_infinite or model.main.n_undefined
    assert not found.comparisons
    assert any(note.total == 60 for note in found.notes)
    assert "no verdict" in found.summary().lower()
    assert "nan" not in render(found, ascii_only=True).lower()
    assert ">nan" not in render(found, "html").lower()
    again = Assessment.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.summary() == found.summary()


# Groups ---------------------------------------------------------------------------


def test_with_groups_the_groups_count_and_not_their_samples():
    """Twenty patients whose samples are copies, so that only patients count."""
    ends = []
    for size in (2, 6):
        rng = RNG(5)
        y = np.arange(20) % 2
        X = rng.normal(size=(20, 3)) + 1.2 * y[:, None]
        X = np.repeat(X, size, axis=0) + 1e-9 * rng.normal(size=(20 * size, 3))
        found = assess_bare(
            "naive-bayes",
            X,
            np.repeat(y, size),
            groups=np.repeat(np.arange(20), size),
            cv="group20",
            scoring=["accuracy", "balanced_accuracy"],
            n_resamples=200,
        )
        accuracy, balanced = only(found).metrics.values()
        whole = {x.method: x for x in accuracy.intervals}
        assert "exact" not in whole
        counted = [whole["wilson"], whole["hoeffding"], whole["empirical-bernstein"]]
        across = {x.method: x for x in balanced.intervals}["across-classes"]
        assert all(x.of_groups for x in (*counted, across))
        rows = list(accuracy.per_class.values())
        ends.append([(x.low, x.high) for x in (*counted[:2], across, *rows)])
        assert [row.n_units for row in rows] == [10, 10]
        assert [row.n_samples for row in rows] == [10 * size, 10 * size]
    assert np.array(ends[0]) == pytest.approx(np.array(ends[1]))


def test_groups_of_different_sizes_count_for_fewer():
    y = np.arange(24) % 2
    X = RNG(0).normal(size=(24, 2)) + y[:, None]
    for row in only(assess_bare("naive-bayes", X, y, cv=4)).main.per_class.values():
        assert (row.n_samples, row.n_units, row.n_effective) == (12, 12, 12)
    # Groups of 1, 2, 3 and 6 of each class: 4 of them count as 144 / 50.
    groups = np.repeat(np.repeat(np.arange(4), [1, 2, 3, 6]), 2) + 4 * y
    grouped = assess_bare("naive-bayes", X, y, groups=groups, cv="group3")
    for row in only(grouped).main.per_class.values():
        assert (row.n_samples, row.n_units) == (12, 4)
        assert row.n_effective == pytest.approx(144 / 50)


def test_where_all_folds_agree_groups_count():
    y = np.repeat(np.arange(10) % 2, 6)
    X = RNG(0).normal(size=(60, 2)) + 20 * y[:, None]
    call = {"groups": np.repeat(np.arange(10), 6), "cv": "group5"}
    main = only(assess_bare("naive-bayes", X, y, scoring="accuracy", **call)).main
    assert main.estimate == 1
    assert main.low == pytest.approx(wilson(10, 10, 0.95)[0])
    assert main.recommended.choice is Choice.ALL_AGREE
    assert main.recommended.of_groups


# What is kept ---------------------------------------------------------------------


def test_the_value_of_every_sample_is_kept(easy):
    X, y = easy
    splits = [(np.arange(10, 40), [0, 3, 5]), (np.arange(10, 40), [3, 7])]
    models = {"nb": GaussianNB(), "nc": NearestCentroid()}
    scoring = ["accuracy", "balanced_accuracy", "brier_score"]
    found = assess_bare(models, X, y, scoring=scoring, cv=splits)
    model = found.models["nb"]
    assert model.samples == (0, 3, 5, 7)
    assert model.times_tested == (1, 2, 1, 1)
    right = GaussianNB().fit(X[10:], y[10:]).predict(X[[0, 3, 5, 7]]) == y[[0, 3, 5, 7]]
    assert model.metrics["accuracy"].samples == tuple(right.astype(float))
    assert model.metrics["balanced_accuracy"].samples == ()
    brier = model.metrics["brier_score"]
    assert np.mean(brier.samples) == brier.estimate
    table = found.sample_columns()
    assert list(table) == ["model", "sample", "times_tested", "accuracy", "brier_score"]
    assert table["sample"] == [0, 3, 5, 7, 0, 3, 5, 7]
    # Centroids may have no probabilities; what they lack is unknown.
    assert len(table["brier_score"]) == 8
    pytest.importorskip("pandas")
    assert found.sample_frame().shape == (8, 5)


def test_every_test_of_a_sample_and_every_draw_is_kept(easy):
    X, y = easy
    call = TESTED | {"cv": "4x2", "scoring": ["accuracy", "mcc", "brier_score"]}
    found = assess_bare("naive-bayes", X, y, **call)
    model = only(found)
    table = found.test_columns()
    assert list(table) == ["model", "split", "sample", "accuracy", "brier_score"]
    assert sorted(table["sample"]) == sorted([*range(40)] * 2)
    sample, split = np.array(table["sample"]), np.array(table["split"])
    for name in ("accuracy", "brier_score"):
        values, x = np.array(table[name]), model.metrics[name]
        for k in range(8):
            assert values[split == k].mean() == pytest.approx(x.folds[k])
        means = [values[sample == i].mean() for i in range(40)]
        assert x.samples == pytest.approx(means)
    drawn = model.null_tests.permuted
    assert len(drawn.draws) == 40
    assert np.mean(drawn.draws) == pytest.approx(drawn.null_value)
    assert drawn.observed == pytest.approx(np.mean(model.main.folds))
    as_good = np.sum(np.array(drawn.draws) >= drawn.observed - 1e-12)
    assert drawn.p_rank == pytest.approx((1 + as_good) / 41)
    assert len(model.null_tests.null_data.draws) == 5
    again = Assessment.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.test_columns() == table
    assert only(again).null_tests.permuted == drawn


def test_of_a_split_that_failed_no_test_is_kept(easy):
    X, y = easy
    splits = [(np.arange(10, 40), [0, 3]), (np.arange(40)[::-1][:30], [5, 7])]
    found = only(assess_bare(Odd("some", first=X[10, 0]), X, y, cv=splits))
    assert len(found.failures) == 1
    assert (found.tested, found.tested_in) == ((0, 3), (0, 0))


def test_a_file_leaves_out_more_tests_than_it_can_hold():
    X = RNG(0).normal(size=(10_001, 1))
    y = np.arange(10_001) % 2
    found = assess_bare("nearest-centroid", X, y, cv=2, scoring="accuracy")
    assert len(only(found).tested) == 10_001
    saved = found.to_dict()["result"]["models"]["nearest-centroid"]
    assert saved["tested"] == saved["tested_in"] == saved["samples"] == []
    assert saved["metrics"]["accuracy"]["tests"] == []
    assert len(saved["metrics"]["accuracy"]["folds"]) == 2


def test_the_gate_is_the_worse_end_of_the_best_promise(easy, noise):
    X = np.hstack([easy[0], noise[0]])
    models = {"good": GaussianNB(), "odd": Odd("mute")}
    found = assess_bare(models, X, easy[1], scoring="accuracy", cv=5)
    assert found.gate() == ("good", found.models["good"].main.low)
    errors = assess_bare(models, X, easy[1], scoring="error", cv=5)
    assert errors.gate() == ("good", errors.models["good"].main.high)
    loo = assess_bare("naive-bayes", *easy, scoring="auc", cv="loo")
    assert np.isnan(loo.gate()[1])


def test_names_of_features_must_be_one_each(easy):
    with pytest.raises(InvalidInputError):
        assess("naive-bayes", *easy, diagnostics=Diagnostics(feature_names=("a",)))


def test_one_sample_is_refused_in_words_that_hold_of_one():
    with pytest.raises(InsufficientDataError) as caught:
        assess("naive-bayes", np.ones((1, 3)), ["a"])
    assert caught.value.problem == "too few samples to learn and to test: 1"
