"""Curves, selections and the profile of the data as parts of one assessment."""

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
from tests.assessing import assess_bare, only

from scorecast.evaluation import Assessment, AssessmentNote
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

RNG = np.random.default_rng
FEW = {"samples": [8, 15, 30], "n_selected": 2, "cv": 5}


def codes(found):
    return [note.code for note in found.notes]


@pytest.fixture(scope="module")
def whole(easy):
    """An assessment with everything that can be asked for."""
    return assess_bare(
        "naive-bayes",
        *easy,
        cv=5,
        samples=True,
        features=[1, 3, 6],
        n_selected=2,
        data_profile=True,
        feature_names=[f"gene {i}" for i in range(6)],
    )


def test_everything_is_in_one_answer(whole):
    model = only(whole)
    samples, features = model.curves["samples"], model.curves["features"]
    assert (samples.over, features.over) == ("samples", "features")
    assert samples.sizes[-1] == 30  # three quarters of forty
    assert features.sizes.tolist() == [1, 3, 6]
    assert samples.scoring == "accuracy"
    assert samples.target == 0.9
    assert samples.n_samples == 40
    assert samples.test_ratio == pytest.approx(1 / 3)
    assert model.selection_bias.n_selected == 2
    assert model.selection_bias.inside.size == 5
    assert whole.feature_selection.names[0] == "gene 0"
    assert whole.data_profile.class_counts == {"0": 20, "1": 20}


def test_the_json_of_all_parts_goes_there_and_back(whole):
    data = json.loads(json.dumps(whole.to_dict(), allow_nan=False))
    model = data["result"]["models"]["naive-bayes"]
    assert set(model["curves"]) == {"samples", "features"}
    curve = model["curves"]["samples"]
    assert {"limit", "limit_interval", "needed", "needed_interval"} <= set(curve)
    assert {"bias", "bias_interval", "adjusted_interval"} <= set(
        model["selection_bias"]
    )
    again = Assessment.from_dict(data)
    assert json.loads(json.dumps(again.to_dict())) == data


def test_parts_change_nothing_else_and_workers_do_not_matter(whole, easy):
    bare = assess_bare("naive-bayes", *easy, cv=5)
    assert bare.data_profile is None
    assert only(bare).metrics == only(whole).metrics
    # Threads: processes of their own would take longer to start than the work.
    with joblib.parallel_config("threading"):
        one, two = (
            assess_bare("naive-bayes", *easy, n_jobs=n, **FEW).to_dict() for n in (1, 2)
        )
    assert one == two


def test_one_model_more_does_not_change_the_permutations_of_features(whole, easy):
    models = ["naive-bayes", "nearest-centroid"]
    both = assess_bare(models, *easy, n_selected=2, cv=5).feature_selection
    same = whole.feature_selection.p_same_rank
    assert both.p_same_rank.tolist() == same.tolist()


def test_a_run_with_curves_goes_on_and_another_one_is_refused(easy, tmp_path):
    call = FEW | {"checkpoint": tmp_path / "run.jsonl"}
    first = assess_bare("naive-bayes", *easy, **call).to_dict()
    lines = (tmp_path / "run.jsonl").read_text().splitlines()
    assert any("curve over samples" in line for line in lines)
    assert any("selection/inside" in line for line in lines)
    (tmp_path / "run.jsonl").write_text("\n".join(lines[: len(lines) // 2]) + "\n")
    assert assess_bare("naive-bayes", *easy, **call).to_dict() == first
    with pytest.raises(InvalidInputError, match="another run"):
        assess_bare("naive-bayes", *easy, **(call | {"n_selected": 3}))


def test_noise_selected_first_looks_like_a_discovery():
    X, y = RNG(0).standard_normal((40, 800)), np.arange(40) % 2
    bias = only(assess_bare("naive-bayes", X, y, n_selected=10, cv=5)).selection_bias
    assert bias.bias > 0.2
    assert bias.bias_interval[0] > 0
    assert bias.inside_interval[0] < 0.5 < bias.inside_interval[1]
    assert bias.outside_interval[0] > 0.5  # what a careless paper would say
    low, high = bias.adjusted_interval
    assert low < bias.inside_estimate < high


def test_lower_is_better_turns_everything_round():
    X, y = RNG(0).standard_normal((40, 300)), np.arange(40) % 2
    call = {"n_selected": 5, "samples": [8, 15, 30], "cv": 5}
    right = only(assess_bare("naive-bayes", X, y, scoring="accuracy", **call))
    wrong = only(assess_bare("naive-bayes", X, y, scoring="error", **call))
    a, b = right.selection_bias, wrong.selection_bias
    assert b.bias == pytest.approx(a.bias)
    low, high = a.adjusted_interval
    assert b.adjusted_interval == pytest.approx((1 - high, 1 - low))
    first, second = right.curves["samples"], wrong.curves["samples"]
    assert second.target == pytest.approx(0.1)
    assert second.score_at(np.inf) == pytest.approx(1 - first.score_at(np.inf))
    assert second.gain_p == pytest.approx(first.gain_p)
    needed = first.size_for(0.6)
    assert second.size_for(0.4) == pytest.approx(needed, nan_ok=True)
    low, high = first.interval_at(100)
    assert second.interval_at(100) == pytest.approx((1 - high, 1 - low))


def test_numbers_have_curves_selection_and_a_profile(line):
    found = assess_bare(
        "ridge", *line, samples=True, n_selected=2, data_profile=True, cv=5
    )
    model = only(found)
    curve = model.curves["samples"]
    assert curve.target is None
    assert not curve.greater_is_better
    assert curve.score_at(10) > curve.score_at(30) > 0
    assert found.feature_selection is None
    assert model.selection_bias.scoring == "root_mean_squared_error"
    most = max(abs(np.corrcoef(column, line[1])[0, 1]) for column in line[0].T)
    assert found.data_profile.separation == pytest.approx(most)


class Greedy(ClassifierMixin, BaseEstimator):
    """Wants more samples than small ones have."""

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


def test_a_model_that_fails_on_few_samples_loses_its_curve_only(easy):
    found = assess_bare(Greedy(20), *easy, samples=True, cv=5)
    assert only(found).curves == {}
    (note,) = found.notes
    assert (note.code, note.names[0]) == (AssessmentNote.NO_CURVE, "samples")
    assert only(found).metrics


def test_groups_are_never_split_by_a_curve():
    class Spy(GaussianNB):
        seen = None

        def fit(self, X, y):
            self.seen_ = set(X[:, -1])
            return super().fit(X, y)

        def predict(self, X):
            assert not self.seen_ & set(X[:, -1])
            return super().predict(X)

    rng, group = RNG(0), np.repeat(np.arange(20), 3)
    X = np.column_stack([rng.normal(size=(60, 2)), group])
    found = assess_bare(
        Spy(), X, rng.integers(0, 2, 60), groups=group, samples=[8, 20, 40], cv=5
    )
    assert only(found).curves


@pytest.mark.parametrize(
    ("change", "error", "parameter"),
    [
        ({"samples": [30, 20, 10]}, UsageError, "samples"),
        ({"samples": [10, 20, 31]}, InsufficientDataError, "samples"),
        ({"samples": [10, 20]}, UsageError, "samples"),
        ({"samples": 5}, UsageError, "samples"),
        ({"features": [1, 2, 9]}, InsufficientDataError, "features"),
        ({"target": 90, "samples": True}, UsageError, "target"),
        ({"target": "high", "samples": True}, UsageError, "target"),
        ({"target": 0.9}, UsageError, "target"),
        ({"n_selected": 7}, UsageError, "n_selected"),
        ({"n_selected": True}, UsageError, "n_selected"),
    ],
)
def test_bad_questions_are_refused_before_anything_is_fitted(
    easy, change, error, parameter
):
    with pytest.raises(error) as caught:
        assess_bare(Greedy(10**6), *easy, **change)
    assert caught.value.parameter == parameter


def test_too_few_samples_for_a_profile_are_no_obstacle():
    X, y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1]
    found = assess_bare("nearest-centroid", X, y, cv=2, data_profile=True)
    assert found.data_profile is None
    assert AssessmentNote.NO_PROFILE in codes(found)


def test_gaps_leave_features_out_of_the_profile_and_that_is_noted(easy):
    X, y = easy
    gaps = X.copy()
    gaps[0, 1] = np.nan
    model = {"nb": make_pipeline(SimpleImputer(), GaussianNB())}
    found = assess_bare(model, gaps, y, data_profile=True)
    assert found.data_profile.n_features == 5
    (note,) = found.notes
    assert note.code == AssessmentNote.PROFILE_OF_SOME
    assert (note.count, note.total) == (5, 6)
    gaps[0] = np.nan
    none = assess_bare(model, gaps, y, data_profile=True)
    assert none.data_profile is None
    assert codes(none) == [AssessmentNote.NO_PROFILE]
    assert not assess_bare(model, X, y, data_profile=True).notes


def test_the_names_of_a_table_are_kept(easy):
    pandas = pytest.importorskip("pandas")
    # Single precision is as good as any for this.
    table = pandas.DataFrame(easy[0].astype("float32"), columns=list("abcdef"))
    found = assess_bare("naive-bayes", table, easy[1], n_selected=1, data_profile=True)
    assert found.feature_selection.names == ("a",)
    assert found.data_profile.n_features == 6
    gap = table.copy()
    gap.iloc[3, 0] = np.nan
    imputed = make_pipeline(SimpleImputer(), GaussianNB())
    with pytest.raises(UsageError, match="none of them missing"):
        assess_bare(imputed, gap, easy[1], n_selected=1)


@pytest.mark.parametrize("scoring", ["log_loss", "mean_absolute_percentage_error"])
def test_selection_says_so_where_a_metric_is_infinite(scoring):
    X, y = RNG(0).normal(size=(60, 5)), np.arange(60) % 2
    X[:, 0] += 1.2 * y
    model, target = KNeighborsClassifier(3), y
    if scoring != "log_loss":
        model, target = Ridge(), X[:, 0] * 2 + 1
        target[3] = 0.0
    found = assess_bare(model, X, target, scoring=scoring, n_selected=3)
    assert only(found).selection_bias is None
    assert AssessmentNote.NO_SELECTION in codes(found)


def test_sizes_that_groups_did_not_reach_are_kept(easy):
    groups = np.repeat(np.arange(10), [2, 2, 2, 2, 2, 2, 4, 6, 8, 10])
    call = {"samples": [8, 15, 30], "groups": groups, "cv": "group5"}
    found = assess_bare("naive-bayes", *easy, **call)
    curve = only(found).curves["samples"]
    assert curve.sizes[-1] < 30  # some divisions had fewer
    assert curve.sizes_asked[-1] == 30 > curve.sizes_least[-1]
    assert "Sizes" in str(found)
    alone = assess_bare("naive-bayes", *easy, samples=[8, 15, 30])
    assert "Sizes" not in str(alone)


def test_a_curve_that_gains_nothing_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.repeat([0, 1], 20)
    found = assess_bare(GaussianNB(), X, y, samples=True)
    curve = only(found).curves["samples"]
    assert curve.fits
    assert not curve.rises
    said = " ".join(str(found).split())
    assert "Curve GaussianNB: no gain from more samples is shown" in said
    assert f"nothing said of more than {curve.sizes.max()}" in said
