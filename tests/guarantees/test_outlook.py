"""Curves, selections and regularities as parts of one assessment."""

import json

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.report import render_text

BARE = {
    "n_permutations": 0, "with_bias_variance": False, "n_resamples": 0,
    "sampling": "cv5",
}  # fmt: skip
ALL = {"learning_curve": True, "feature_curve": [1, 3, 6], "selection": 2}
FEW = {"learning_curve": [8, 15, 30], "selection": 2}


@pytest.fixture(scope="module")
def whole(easy):
    """An assessment with everything that can be asked for."""
    names = [f"gene {i}" for i in range(6)]
    return sc.assess("naive-bayes", *easy, feature_names=names, **BARE, **ALL)


def test_everything_is_in_one_answer(whole):
    model = whole.models[0]
    cases, features = model.learning_curves
    assert (cases.over, features.over) == ("cases", "features")
    assert cases.sizes[-1] == 30  # three quarters of forty
    assert features.sizes.tolist() == [1, 3, 6]
    assert cases.loss == "accuracy"
    assert cases.target == 0.9
    assert cases.n_cases == 40
    assert cases.test_ratio == pytest.approx(1 / 3)
    assert model.selection_bias.n_selected == 2
    assert model.selection_bias.inside.size == 5
    assert whole.selected.names[0] == "gene 0"
    assert whole.regularities.class_counts == {"0": 20, "1": 20}


def test_the_json_of_all_parts_goes_there_and_back(whole):
    data = json.loads(json.dumps(whole.to_dict(), allow_nan=False))
    model = data["result"]["models"]["naive-bayes"]
    assert set(model["learning_curves"]) == {"cases", "features"}
    curve = model["learning_curves"]["cases"]
    assert curve["kind"] == "learning-curve-fit"
    assert {"limit", "limit_interval", "needed", "needed_interval"} <= set(
        curve["result"]
    )
    bias = model["selection_bias"]["result"]
    assert {"bias", "bias_interval", "adjusted_interval", "inside_interval"} <= set(
        bias
    )
    assert data["result"]["regularities"]["kind"] == "regularities"
    assert data["result"]["selected_features"]["kind"] == "selected-features"
    assert json.loads(json.dumps(result_from_dict(data).to_dict())) == data
    # A part is a result by itself.
    assert (
        result_from_dict(curve).summary()
        == whole.models[0].learning_curves[0].summary()
    )


def test_files_of_old_are_still_read(whole):
    data = json.loads(json.dumps(whole.to_dict()))
    for name in ("regularities", "selected_features"):
        del data["result"][name]
    for name in ("learning_curves", "selection_bias"):
        del data["result"]["models"]["naive-bayes"][name]
    again = result_from_dict(data)
    assert again.regularities is None
    assert again.models[0].learning_curves == ()


def test_parts_change_nothing_else_and_workers_do_not_matter(whole, easy):
    bare = sc.assess("naive-bayes", *easy, **BARE, regularities=False)
    assert bare.regularities is None
    assert bare.models[0].losses == whole.models[0].losses
    # Threads: processes of their own would take longer to start than the work.
    with joblib.parallel_config("threading"):
        one, two = (
            sc.assess("naive-bayes", *easy, n_jobs=n, **BARE, **FEW).to_dict()
            for n in (1, 2)
        )
    assert one == two


def test_one_model_more_does_not_change_the_permutations_of_features(whole, easy):
    models = ["naive-bayes", "nearest-centroid"]
    both = sc.assess(models, *easy, selection=2, **BARE)
    assert both.selected.luck.tolist() == whole.selected.luck.tolist()


def test_a_run_with_curves_goes_on_and_another_one_is_refused(easy, tmp_path):
    call = BARE | FEW | {"checkpoint": tmp_path / "run.jsonl"}
    first = sc.assess("naive-bayes", *easy, **call).to_dict()
    lines = (tmp_path / "run.jsonl").read_text().splitlines()
    assert any("curve over cases" in line for line in lines)
    assert any("selection/inside" in line for line in lines)
    (tmp_path / "run.jsonl").write_text("\n".join(lines[: len(lines) // 2]) + "\n")
    assert sc.assess("naive-bayes", *easy, **call).to_dict() == first
    with pytest.raises(InvalidInputError, match="another run"):
        sc.assess("naive-bayes", *easy, **(call | {"selection": 3}))


def test_noise_selected_first_looks_like_a_discovery():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 800)), np.arange(40) % 2
    found = sc.assess("naive-bayes", X, y, selection=10, **BARE).models[0]
    bias = found.selection_bias
    assert bias.bias > 0.2
    assert bias.bias_interval[0] > 0
    assert bias.inside_interval[0] < 0.5 < bias.inside_interval[1]
    assert bias.outside_interval[0] > 0.5  # what a careless paper would say
    low, high = bias.adjusted_interval
    assert low < bias.inside_estimate < high
    assert "owed to tested cases" in bias.summary()


def test_lower_is_better_turns_everything_round():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 300)), np.arange(40) % 2
    call = BARE | {"selection": 5, "learning_curve": [8, 15, 30]}
    right = sc.assess("naive-bayes", X, y, losses="accuracy", **call).models[0]
    wrong = sc.assess("naive-bayes", X, y, losses="error", **call).models[0]
    a, b = right.selection_bias, wrong.selection_bias
    assert b.bias == pytest.approx(a.bias)
    low, high = a.adjusted_interval
    assert b.adjusted_interval == pytest.approx((1 - high, 1 - low))
    first, second = right.learning_curves[0], wrong.learning_curves[0]
    assert second.target == pytest.approx(0.1)
    assert second.score_at(np.inf) == pytest.approx(1 - first.score_at(np.inf))
    assert second.gain_p == pytest.approx(first.gain_p)
    needed = first.needed_for(0.6)
    assert second.needed_for(0.4) == pytest.approx(needed, nan_ok=True)
    low, high = first.interval_at(100)
    assert second.interval_at(100) == pytest.approx((1 - high, 1 - low))


def test_numbers_have_curves_selection_and_a_space(line):
    found = sc.assess("ridge", *line, learning_curve=True, selection=2, **BARE)
    curve = found.models[0].learning_curves[0]
    assert curve.target is None
    assert not curve.greater_is_better
    assert curve.score_at(10) > curve.score_at(30) > 0
    assert found.selected is None
    assert found.models[0].selection_bias.loss == "rmse"
    assert found.regularities.separation == pytest.approx(
        max(abs(np.corrcoef(column, line[1])[0, 1]) for column in line[0].T)
    )
    assert "correlates at most" in found.regularities.summary()


class Greedy(ClassifierMixin, BaseEstimator):
    """Wants more cases than small samples have."""

    def __init__(self, least=0):
        self.least = least

    def fit(self, X, y):
        if len(X) < self.least:
            msg = "too few"
            raise ValueError(msg)
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def test_a_model_that_fails_on_few_cases_loses_its_curve_only(easy):
    found = sc.assess(Greedy(20), *easy, learning_curve=True, **BARE)
    assert found.models[0].learning_curves == ()
    assert any("no learning curve over cases" in line for line in found.warnings)
    assert found.models[0].losses


def test_groups_are_never_split_by_a_curve():
    class Spy(GaussianNB):
        seen = None

        def fit(self, X, y):
            self.seen_ = set(X[:, -1])
            return super().fit(X, y)

        def predict(self, X):
            assert not self.seen_ & set(X[:, -1])
            return super().predict(X)

    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 3)
    X = np.column_stack([rng.normal(size=(60, 2)), group])
    found = sc.assess(
        Spy(), X, rng.integers(0, 2, 60), groups=group, learning_curve=[8, 20, 40],
        **BARE,
    )  # fmt: skip
    assert found.models[0].learning_curves


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"learning_curve": [30, 20, 10]}, UsageError, "growing"),
        ({"learning_curve": [10, 20, 31]}, InsufficientDataError, "30 cases"),
        ({"learning_curve": [10, 20]}, UsageError, "3 growing whole numbers"),
        ({"feature_curve": [1, 2, 9]}, InsufficientDataError, "6 features"),
        ({"aim": 90, "learning_curve": True}, UsageError, "0 to 1"),
        ({"aim": 0.9}, UsageError, "goes with `learning_curve`"),
        ({"selection": 7}, UsageError, "1 to 6"),
        ({"selection": True}, UsageError, "selection"),
        ({"selection": 2, "feature_names": ["a"]}, InvalidInputError, "1 names"),
    ],
)
def test_bad_questions_are_refused_before_anything_is_fitted(
    easy, change, error, words
):
    with pytest.raises(error, match=words):
        sc.assess(Greedy(10**6), *easy, **(BARE | change))


def test_too_few_cases_for_a_space_are_no_obstacle():
    X, y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1]
    found = sc.assess("nearest-centroid", X, y, **(BARE | {"sampling": "cv2"}))
    assert found.regularities is None
    assert any("no word on the space" in text for text in found.warnings)


def test_gaps_leave_features_out_of_the_space_and_that_is_said(easy):
    X, y = easy
    gaps = X.copy()
    gaps[0, 1] = np.nan
    model = {"nb": make_pipeline(SimpleImputer(), GaussianNB())}
    found = sc.assess(model, gaps, y, **BARE)
    assert found.regularities.n_features == 5
    assert any("5 of 6 features" in text for text in found.warnings)
    gaps[0] = np.nan
    none = sc.assess(model, gaps, y, **BARE)
    assert none.regularities is None
    assert any("every feature has gaps" in text for text in none.warnings)
    assert not any("space" in text for text in sc.assess(model, X, y, **BARE).warnings)


def test_the_names_of_a_table_are_kept(easy):
    pandas = pytest.importorskip("pandas")
    # Single precision is as good as any for this.
    table = pandas.DataFrame(easy[0].astype("float32"), columns=list("abcdef"))
    found = sc.assess("naive-bayes", table, easy[1], selection=1, **BARE)
    assert found.selected.names == ("a",)
    assert found.regularities.n_features == 6
    gap = table.copy()
    gap.iloc[3, 0] = np.nan
    with pytest.raises(UsageError, match="none of them missing"):
        sc.assess(
            make_pipeline(SimpleImputer(), GaussianNB()), gap, easy[1], selection=1,
            **BARE,
        )  # fmt: skip


@pytest.mark.parametrize("kind", ["log-loss", "relative-error"])
def test_selection_says_so_where_a_loss_is_infinite(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
    X[:, 0] += 1.2 * y
    model, target = KNeighborsClassifier(3), y
    if kind == "relative-error":
        model, target = Ridge(), X[:, 0] * 2 + 1
        target[3] = 0.0
    answer = sc.assess(
        model, X, target, losses=[kind], selection=3, n_permutations=0,
        regularities=False, with_bias_variance=False,
    )  # fmt: skip
    assert answer.models[0].selection_bias is None
    assert any("no word on selection" in text for text in answer.warnings)


def test_sizes_that_groups_did_not_reach_are_not_named(easy):
    X, y = easy
    groups = np.repeat(np.arange(10), [2, 2, 2, 2, 2, 2, 4, 6, 8, 10])
    call = BARE | {"sampling": "group5"}
    found = sc.assess(
        "naive-bayes", X, y, groups=groups, learning_curve=[8, 15, 30], **call
    )
    curve = found.models[0].learning_curves[0]
    assert curve.sizes[-1] < 30  # some divisions had fewer
    assert "30 asked for" in curve.notes[0]
    assert "groups kept whole" in render_text(found)
    again = result_from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.models[0].learning_curves[0].notes == curve.notes
    alone = sc.assess("naive-bayes", X, y, learning_curve=[8, 15, 30], **BARE)
    assert alone.models[0].learning_curves[0].notes == ()
