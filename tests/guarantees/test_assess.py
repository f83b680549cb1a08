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

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.evaluation import wilson
from scorecast.exceptions import (
    FitFailedError,
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)
from scorecast.guarantees import ClassSensitivity
from scorecast.report import render_html, render_text
from scorecast.report.html import Report

QUICK = {"n_permutations": 40, "n_null_data": 5, "n_resamples": 200, "sampling": "cv5"}


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
    found = sc.assess("naive-bayes", *easy, **QUICK)
    model = found.models[0]
    assert model.feasibility.verdict.word == "feasible"
    assert model.losses[0].low < model.losses[0].estimate < model.losses[0].high
    empty = sc.assess("naive-bayes", *noise, **QUICK).models[0]
    assert empty.feasibility.verdict.word == "not supported"


def test_the_json_is_a_contract(easy):
    found = sc.assess({"a": GaussianNB(), "b": NearestCentroid()}, *easy, **QUICK)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["kind"] == "assessment"
    assert data["schema"] == 1
    assert data["inputs"] == {
        "n_examples": 40, "n_features": 6, "classes": {"0": 20, "1": 20}, "n_groups": 0,
    }  # fmt: skip
    result = data["result"]
    assert set(result) == {
        "models", "comparisons", "regularities", "selected_features", "assumptions",
        "warnings",
    }  # fmt: skip
    model = result["models"]["a"]
    assert {"losses", "feasibility", "bias_variance", "verdict"} <= set(model)
    loss = model["losses"]["accuracy"]
    assert {"estimate", "low", "high", "per_class"} <= set(loss)
    assert set(loss["per_class"]) == {"0", "1"}
    assert {"permuted", "null_model", "null_data", "permutation_density"} <= set(
        model["feasibility"]
    )
    assert set(model["bias_variance"]) == {"kohavi-wolpert", "domingos"}
    assert sum(bound["is_recommended"] for bound in loss["bounds"]) == 1
    assert [(row["a"], row["b"]) for row in result["comparisons"]] == [("a", "b")]
    again = result_from_dict(data)
    assert json.loads(json.dumps(again.to_dict())) == data


def test_the_answer_does_not_depend_on_the_number_of_workers(easy):
    one, two = (sc.assess("tree", *easy, n_jobs=n, **QUICK).to_dict() for n in (1, 2))
    assert one == two


def test_a_model_more_does_not_change_the_others(easy):
    alone = sc.assess(["tree"], *easy, **QUICK).to_dict()["result"]["models"]
    both = sc.assess(["tree", "naive-bayes"], *easy, **QUICK)
    assert both.to_dict()["result"]["models"]["tree"] == alone["tree"]


@pytest.mark.parametrize("share", [1.0, 0.0])
def test_perfect_and_hopeless_models_have_proper_bounds(share):
    y = np.arange(40) % 2
    X = np.where(y == 1, 5.0, -5.0)[:, None] + np.linspace(0, 0.1, 40)[:, None]
    losses = ["accuracy", "balanced-accuracy", "auc", "mcc", "f1", "error"]
    model = GaussianNB()
    if share == 0:
        model = make_pipeline(Flip())
    found = sc.assess(model, X, y, losses=losses, **QUICK).models[0]
    for loss in found.losses:
        for bound in loss.bounds:
            assert bound.low < bound.high, (loss.loss, bound)
            assert np.isfinite([bound.low, bound.high]).all()


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


def test_a_fold_that_fails_says_why_and_the_rest_goes_on(easy):
    # The first case is left out once, and the model insists on it.
    found = sc.assess(Odd("some", first=easy[0][0, 0]), *easy, **QUICK)
    model = found.models[0]
    assert len(model.failures) == 1
    assert model.failures[0] == "failed: ValueError: out of order"
    assert "splits failed: ValueError" in found.warnings[0]
    assert np.isnan(model.losses[0].folds).sum() == len(model.failures)


@pytest.mark.parametrize(
    ("how", "said"),
    [("raise", "out of order"), ("shape", "shape"), ("stranger", "no class")],
)
def test_if_every_fit_fails_nothing_is_made_up(easy, how, said):
    with pytest.raises(FitFailedError, match=said):
        sc.assess(Odd(how), *easy, **QUICK)
    both = sc.assess({"odd": Odd(how), "good": GaussianNB()}, *easy, **QUICK)
    assert both.model("odd").verdict.startswith("failed: ")
    assert both.best.name == "good"


def test_losses_that_need_scores_are_not_made_up(easy):
    options = {**QUICK, "n_permutations": 0, "with_bias_variance": False}
    found = sc.assess(
        {"mute": Odd("mute"), "nb": GaussianNB()}, *easy, losses=["auc", "accuracy"],
        **options,
    )  # fmt: skip
    mute, other = found.models
    assert [loss.loss for loss in mute.losses] == ["accuracy"]
    assert [loss.loss for loss in other.losses] == ["auc", "accuracy"]
    assert any("auc needs scores" in line for line in found.warnings)
    # An accuracy is not compared with an AUC.
    assert found.comparisons == ()
    with pytest.raises(InvalidInputError, match="auc needs scores") as caught:
        sc.assess(Odd("mute"), *easy, losses="auc", **options)
    assert "\n" not in str(caught.value)


def test_what_a_model_does_to_its_data_or_prints_stays_with_it(easy, capsys):
    X, y = easy[0].copy(), easy[1]
    sc.assess(Odd("print"), X, y, **QUICK)
    assert np.array_equal(X, easy[0])
    assert capsys.readouterr().out == ""


def test_selection_inside_the_split_is_honest(noise):
    X, y = np.random.default_rng(0).normal(size=(40, 2000)), noise[1]
    quick = {**QUICK, "n_permutations": 0, "with_bias_variance": False}
    inside = sc.assess(make_pipeline(SelectKBest(k=10), GaussianNB()), X, y, **quick)
    chosen = SelectKBest(k=10).fit_transform(X, y)
    outside = sc.assess(GaussianNB(), chosen, y, **quick)
    assert outside.models[0].losses[0].estimate > 0.8
    assert inside.models[0].losses[0].estimate < 0.7
    assert inside.models[0].verdict == "Not tested against chance."


def test_numbers_are_assessed_too(line):
    found = sc.assess(Ridge(), *line, losses=["rmse", "mae", "smape"], **QUICK)
    model = found.models[0]
    assert model.feasibility.verdict.word == "feasible"
    assert [part.method for part in model.bias_variance] == ["squared"]
    assert not model.losses[0].greater_is_better
    assert result_from_dict(found.to_dict()).to_dict() == found.to_dict()


def test_three_classes_with_names_and_groups():
    rng = np.random.default_rng(0)
    y = np.array(["ant", "bee", "cow"])[np.arange(60) % 3]
    X = rng.normal(size=(60, 4)) + 2 * (y == "bee")[:, None] - 2 * (y == "cow")[:, None]
    groups = [f"patient {i // 3}" for i in range(60)]
    found = sc.assess(
        "naive-bayes", X, y, groups=groups, losses=["accuracy", "auc"], **QUICK
    )
    assert found.sampling == "group5"
    assert found.n_groups == 20
    labels = [row.label for row in found.models[0].losses[0].per_class]
    assert labels == ["ant", "bee", "cow"]


def test_identical_models_show_no_difference(easy):
    found = sc.assess({"a": GaussianNB(), "b": GaussianNB()}, *easy, **QUICK)
    row = found.comparisons[0]
    assert row.is_same
    assert row.difference == 0
    # Nothing is claimed: neither certainty by width nor a p-value.
    assert np.isnan([row.low, row.high, row.p, row.p_adjusted]).all()
    page = render_html(Report(results=(found,)))
    assert "no difference observable" in page


@pytest.mark.parametrize(
    ("X", "y", "error", "said"),
    [
        (np.zeros((10, 2)), np.zeros(10), InsufficientDataError, "one class only"),
        (np.zeros((10, 2)), np.arange(9), InvalidInputError, "one target per row"),
        (np.zeros((9, 10)), np.arange(10) % 2, InvalidInputError, "transposed"),
        (np.zeros((10, 2)), np.arange(10), InvalidInputError, "regressor"),
        (np.zeros((3, 2)), [0, 1, 0], InsufficientDataError, "too few"),
        (np.full((10, 2), np.nan), np.arange(10) % 2, InvalidInputError, "finite"),
        (np.zeros((10, 2)), np.linspace(0, 1, 10), InvalidInputError, "whole"),
    ],
)  # fmt: skip
def test_bad_data_are_refused_in_one_line(X, y, error, said):
    with pytest.raises(error, match=said) as caught:
        sc.assess("naive-bayes", X, y, **QUICK)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("capacity", [3, "estimate"])
def test_capacity_bounds_are_conservative(easy, capacity):
    options = {**QUICK, "n_permutations": 0, "with_bias_variance": False}
    options["losses"] = ["accuracy", "error", "auc"]
    found = sc.assess("nearest-centroid", *easy, capacity=capacity, **options)
    accuracy, error = found.models[0].losses[:2]
    by = {bound.method: bound for bound in accuracy.bounds}
    assert by["vapnik"].high == 1
    assert by["vapnik"].low < by["hoeffding"].low
    assert "VC dimension" in by["vapnik"].assumption
    assert error.bounds[-1].high == pytest.approx(1 - by["vapnik"].low)
    assert not by["vapnik"].is_recommended


@pytest.mark.parametrize(
    "options",
    [
        {"level": 95}, {"n_permutations": -1}, {"null_data": "none"},
        {"permute": "test"}, {"capacity": 0}, {"capacity": "large"}, {"n_jobs": 0},
        {"random_state": -1}, {"losses": "rmse"},
    ],
)  # fmt: skip
def test_bad_options_are_refused(easy, options):
    with pytest.raises(UsageError):
        sc.assess("naive-bayes", *easy, **{**QUICK, **options})


@pytest.mark.statistical
def test_the_interval_to_quote_holds_and_the_plain_one_does_not():
    """Repeated folds of 62 cases, against the expected accuracy of such fits."""
    rng, runs = np.random.default_rng(0), 80
    ends, truths, quoted = {"quoted": [], "nadeau-bengio": [], "t": []}, [], set()
    for seed in range(runs):
        X, y = two_normals(rng, 62)
        found = sc.assess(
            NearestCentroid(), X, y, sampling="cv10x3", losses="accuracy",
            n_permutations=0, n_resamples=0, with_bias_variance=False,
            random_state=seed,
        )  # fmt: skip
        loss = found.models[0].losses[0]
        quoted.add(loss.recommended.method)
        ends["quoted"].append((loss.recommended.low, loss.recommended.high))
        for bound in loss.bounds:
            if bound.method in ends:
                ends[bound.method].append((bound.low, bound.high))
        fresh, truth = two_normals(rng, 2000)
        fitted = NearestCentroid().fit(X[:56], y[:56])
        truths.append((fitted.predict(fresh) == truth).mean())
    expected = np.mean(truths)
    rate = {
        name: np.mean([low <= expected <= high for low, high in rows])
        for name, rows in ends.items()
    }
    # The share of cases is quoted where folds happen to agree too well.
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


@pytest.mark.parametrize("kind", ["log-loss", "relative-error"])
def test_a_value_that_is_not_finite_has_no_verdict_and_says_why(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
    X[:, 0] += 1.2 * y
    models, target, word = {"knn": KNeighborsClassifier(3)}, y, "infinite"
    models["other"] = KNeighborsClassifier(1)
    if kind == "relative-error":
        models, target, word = {"ridge": Ridge()}, 2 * X[:, 0] + 1, "not defined"
        target[3] = 0.0
    answer = sc.assess(models, X, target, losses=[kind], **QUICK)
    model = answer.models[0]
    assert model.feasibility is None
    assert model.losses[0].bounds == ()
    assert not answer.comparisons
    assert model.verdict.startswith(f"No verdict: {kind} is {word} for ")
    assert "of 60 cases" in model.verdict
    assert any(f"is {word} for" in text for text in answer.warnings)
    shown = render_text(answer, ascii_only=True)
    for text in (answer.summary(), model.losses[0].said(), shown):
        assert "nan" not in text.lower()
    assert "no interval" in answer.headline()
    again = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert again.summary() == answer.summary()
    page = render_html(Report(results=(answer,)))
    assert "No verdict" in page
    assert ">nan" not in page.lower()


def grouped_answer(size, **options):
    """Twenty patients whose cases are copies, so that only patients count."""
    rng = np.random.default_rng(5)
    y = np.arange(20) % 2
    X = rng.normal(size=(20, 3)) + 1.2 * y[:, None]
    X = np.repeat(X, size, axis=0) + 1e-9 * rng.normal(size=(20 * size, 3))
    return sc.assess(
        "naive-bayes", X, np.repeat(y, size), groups=np.repeat(np.arange(20), size),
        n_permutations=0, with_bias_variance=False, regularities=False,
        n_resamples=200, **options,
    )  # fmt: skip


def test_with_groups_the_groups_count_and_not_their_cases():
    names = ["accuracy", "balanced-accuracy"]
    ends = []
    for size in (2, 6):
        found = grouped_answer(size, sampling="group20", losses=names).models[0]
        whole = {b.method: b for b in found.losses[0].bounds}
        assert "exact" not in whole
        for name in ("wilson", "hoeffding", "empirical-bernstein"):
            assert "groups are independent" in whole[name].assumption
        classes = {b.method: b for b in found.losses[1].bounds}["across-classes"]
        rows = found.losses[0].per_class
        ends.append(
            [
                (b.low, b.high)
                for b in (whole["wilson"], whole["hoeffding"], classes, *rows)
            ]
        )
        assert [row.n_units for row in rows] == [10, 10]
        if size == 2:
            assert found.losses[0].recommended.method == "bca"
    # More copies of the same patients are no more evidence.
    assert np.array(ends[0]) == pytest.approx(np.array(ends[1]))


def test_units_of_a_class_are_a_whole_number_and_what_they_count_is_beside():
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    X = rng.normal(size=(24, 2)) + y[:, None]
    plain = sc.assess("naive-bayes", X, y, quick=True, sampling="cv4")
    rows = plain.to_dict()["result"]["models"]["naive-bayes"]["losses"]["accuracy"]
    for row in rows["per_class"].values():
        assert (row["n"], row["n_units"], row["n_effective"]) == (12, 12, 12)
        assert isinstance(row["n_units"], int)
    # Groups 1, 2, 3 and 6 of each class: 4 of them count as 144 / 50.
    groups = np.repeat(np.repeat(np.arange(4), [1, 2, 3, 6]), 2) + 4 * y
    grouped = sc.assess(
        "naive-bayes", X, y, groups=groups, quick=True, sampling="group3"
    )
    for row in grouped.models[0].losses[0].per_class:
        assert isinstance(row.n_units, int)
        assert (row.n, row.n_units) == (12, 4)
        assert row.n_effective == pytest.approx(144 / 50)


def test_class_rows_of_earlier_files_are_read():
    old = {"label": "a", "n": 8, "estimate": 0.5, "low": 0.2, "high": 0.8,
           "n_units": 0.0, "specificity": None}  # fmt: skip
    row = ClassSensitivity.from_json(old)
    assert (row.n_units, row.n_effective) == (8, 8.0)
    assert np.isnan(row.specificity)
    grouped = ClassSensitivity.from_json({**old, "n_units": 2.88})
    assert (grouped.n_units, grouped.n_effective) == (3, 2.88)


def test_where_all_folds_agree_groups_count():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10) % 2, 6)
    X = rng.normal(size=(60, 2)) + 20 * y[:, None]
    found = sc.assess(
        "naive-bayes", X, y, groups=np.repeat(np.arange(10), 6), sampling="group5",
        n_permutations=0, with_bias_variance=False, regularities=False,
        losses=["accuracy"],
    ).models[0].losses[0]  # fmt: skip
    assert found.estimate == 1
    assert found.low == pytest.approx(wilson(10, 10, 0.95)[0])
    assert "groups" in found.recommended.note


def test_the_loss_of_every_case_is_kept(easy):
    X, y = easy
    splits = [(np.arange(10, 40), [0, 3, 5]), (np.arange(10, 40), [3, 7])]
    call = QUICK | {"n_permutations": 0, "sampling": splits}
    losses = ["accuracy", "balanced-accuracy", "brier"]
    models = {"nb": GaussianNB(), "nc": NearestCentroid()}
    found = sc.assess(models, X, y, losses=losses, with_bias_variance=False, **call)
    model = found.models[0]
    assert model.cases == (0, 3, 5, 7)
    assert model.times_tested == (1, 2, 1, 1)
    right = GaussianNB().fit(X[10:], y[10:]).predict(X[[0, 3, 5, 7]]) == y[[0, 3, 5, 7]]
    assert model.loss("accuracy").cases == tuple(right.astype(float))
    assert model.loss("balanced-accuracy").cases == ()
    assert np.mean(model.loss("brier").cases) == model.loss("brier").estimate
    table = found.case_columns()
    assert list(table) == ["model", "case", "times_tested", "accuracy", "brier"]
    assert table["case"] == [0, 3, 5, 7, 0, 3, 5, 7]
    # Centroids may have no probabilities; what they lack is unknown.
    assert len(table["brier"]) == 8
    assert found.case_frame().shape == (8, 5)
    again = result_from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.models[0].cases == model.cases
    assert again.models[0].loss("brier").cases == model.loss("brier").cases


def test_every_test_of_a_case_and_every_draw_is_kept(easy):
    X, y = easy
    call = QUICK | {"sampling": "cv4x2", "losses": ["accuracy", "mcc", "brier"]}
    found = sc.assess("naive-bayes", X, y, with_bias_variance=False, **call)
    model = found.models[0]
    table = found.test_columns()
    assert list(table) == ["model", "split", "case", "accuracy", "brier"]
    assert sorted(table["case"]) == sorted([*range(40)] * 2)
    case, split = np.array(table["case"]), np.array(table["split"])
    for name in ("accuracy", "brier"):
        values = np.array(table[name])
        for k in range(8):
            assert values[split == k].mean() == pytest.approx(model.loss(name).folds[k])
        means = [values[case == i].mean() for i in range(40)]
        assert model.loss(name).cases == pytest.approx(means)
    assert found.test_frame().shape == (80, 5)
    drawn = model.feasibility.permuted
    assert len(drawn.draws) == 40
    assert np.mean(drawn.draws) == pytest.approx(drawn.null_value)
    assert drawn.observed == pytest.approx(np.mean(model.losses[0].folds))
    as_good = np.sum(np.array(drawn.draws) >= drawn.observed - 1e-12)
    assert drawn.p_rank == pytest.approx((1 + as_good) / 41)
    assert len(model.feasibility.null_data.draws) == 5
    again = result_from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.test_columns() == table
    assert again.models[0].feasibility.permuted == drawn


def test_of_a_split_that_failed_no_test_is_kept(easy):
    X, y = easy
    splits = [(np.arange(10, 40), [0, 3]), (np.arange(40)[::-1][:30], [5, 7])]
    model = Odd("some", first=X[10, 0])
    call = QUICK | {"n_permutations": 0, "sampling": splits}
    found = sc.assess(model, X, y, with_bias_variance=False, **call).models[0]
    assert len(found.failures) == 1
    assert (found.tested, found.tested_in) == ((0, 3), (0, 0))


def test_a_file_leaves_out_more_tests_than_it_can_hold(easy, monkeypatch):
    monkeypatch.setattr("scorecast.guarantees.model_assessment._MOST_CASES", 79)
    monkeypatch.setattr("scorecast.guarantees.feasibility.significance._MOST_DRAWS", 39)
    call = QUICK | {"sampling": "cv4x2", "losses": "accuracy"}
    found = sc.assess("naive-bayes", *easy, with_bias_variance=False, **call)
    assert len(found.models[0].tested) == 80
    saved = found.to_dict()["result"]["models"]["naive-bayes"]
    assert saved["tested"] == saved["tested_in"] == []
    assert saved["losses"]["accuracy"]["tests"] == []
    assert len(saved["losses"]["accuracy"]["cases"]) == 40
    assert saved["feasibility"]["permuted"]["draws"] == []
    assert len(saved["feasibility"]["null_data"]["draws"]) == 5
