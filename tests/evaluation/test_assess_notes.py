"""What an assessment notes before any number."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, recall_score
from sklearn.naive_bayes import GaussianNB
from tests.assessing import assess_bare, only

from scorecast.evaluation import (
    METRICS,
    Assessment,
    AssessmentNote,
    Predictions,
    Splitter,
    TunedEstimator,
)
from scorecast.evaluation.metrics import find_pos_label, metrics_for
from scorecast.exceptions import UsageError

RNG = np.random.default_rng
CODES = AssessmentNote
ONE_CLASS = ["sensitivity", "specificity", "f1"]


def noted(found, code):
    return [note for note in found.notes if note.code == code]


def of_labels(y, **options):
    return assess_bare(
        "nearest-centroid", RNG(0).normal(size=(len(y), 3)), y, **options
    )


def test_classes_of_one_sample_and_of_few_are_named():
    found = of_labels(["a", "b"] * 8 + ["rare"], cv="loo")
    (note,) = noted(found, CODES.SINGLETON_CLASS)
    assert note.names == ("rare",)
    found = of_labels(["a", "b"] * 8 + ["rare"] * 2, cv="loo")
    assert not noted(found, CODES.SINGLETON_CLASS)
    assert noted(found, CODES.SMALL_CLASSES)[0].names == ("rare",)


def test_few_splits_and_splits_of_one_sample_are_noted():
    (note,) = noted(of_labels([0, 1] * 8, cv="loo"), CODES.FEW_SPLITS)
    assert (note.count, note.value) == (16, 1)
    (note,) = noted(of_labels([0, 1] * 8, cv=3), CODES.FEW_SPLITS)
    assert (note.count, note.value) == (3, pytest.approx(16 / 3))
    assert not noted(of_labels([0, 1] * 8, cv=5), CODES.FEW_SPLITS)


@pytest.mark.parametrize(
    "cv", ["boot1", Splitter(kind="mc", n_splits=2, test_size=0.1)]
)
def test_samples_that_were_never_tested_are_not_counted(easy, cv):
    found = assess_bare("naive-bayes", *easy, cv=cv)
    n_tested = only(found).n_tested
    assert 0 < n_tested < 40
    assert f"on {n_tested} of 40 samples" in found.summary()


def test_an_error_that_a_model_states_itself_is_noted(easy):
    found = assess_bare("naive-bayes", *easy, scoring=["error", "posterior-error"])
    assert noted(found, CODES.POSTERIOR_ERROR_IS_CLAIMED)
    plain = assess_bare("naive-bayes", *easy, scoring="error")
    assert not noted(plain, CODES.POSTERIOR_ERROR_IS_CLAIMED)


class Triple(GaussianNB):
    """States three times what it believes."""

    def predict_proba(self, X):
        return 3 * super().predict_proba(X)


def test_rows_that_do_not_add_up_are_no_probabilities(easy):
    scoring = ["accuracy", "roc_auc", "log_loss"]
    found = assess_bare({"three": Triple()}, *easy, scoring=scoring)
    assert list(only(found).metrics) == ["accuracy", "roc_auc"]
    assert any("a sum of 3" in text for text in only(found).estimator_warnings)
    (note,) = noted(found, CODES.METRIC_NOT_GIVEN)
    assert note.names == ("log_loss", "probabilities")
    right = assess_bare({"one": GaussianNB()}, *easy, scoring=scoring)
    assert list(only(right).metrics) == scoring


def test_luck_of_a_selection_for_numbers_is_said_to_be_unknown(easy):
    X, _ = easy
    found = assess_bare("ridge", X, X[:, 0], n_selected=2)
    assert noted(found, CODES.NO_SELECTION_TEST)
    assert not noted(assess_bare("ridge", X, X[:, 0]), CODES.NO_SELECTION_TEST)


def test_bias_and_variance_that_cannot_be_had_do_not_stop_the_rest(easy):
    # A group per class: whatever a bootstrap sample leaves out, it holds one class.
    X, _ = easy
    groups = np.arange(40) // 20
    call = {"bias_variance": True, "cv": "group2", "groups": groups}
    found = assess_bare("naive-bayes", X, groups, **call)
    assert only(found).bias_variance == {}
    assert noted(found, CODES.NO_DECOMPOSITION)


@pytest.mark.parametrize("start", [0, 1])
def test_a_column_that_counts_the_rows_is_named(start):
    pd = pytest.importorskip("pandas")
    y = np.arange(16) % 2
    table = pd.DataFrame(RNG(0).normal(size=(16, 2)), columns=["a", "b"])

    def named(X, code=CODES.ROW_COUNTER):
        notes = noted(assess_bare("naive-bayes", X, y, cv=4), code)
        return [name for note in notes for name in note.names]

    assert named(table) == []
    table.insert(1, "no", np.arange(16) + start)
    assert named(table) == ["no"]
    assert named(table.to_numpy(dtype=float)) == ["feature 2"]
    # What pandas writes where an index had no name, in whatever order.
    table = table.rename(columns={"no": "Unnamed: 0"}).sample(frac=1, random_state=0)
    assert named(table) == ["Unnamed: 0"]
    # A name is different in every sample, whatever the order.
    table = table.rename(columns={"Unnamed: 0": "patient_id"})
    assert named(table) == []
    assert named(table, CODES.ROW_IDENTITY) == ["patient_id"]


def test_a_target_of_two_numbers_is_noted(easy):
    found = assess_bare("ridge", easy[0], easy[1].astype(float))
    assert noted(found, CODES.TWO_VALUED_TARGET)


@pytest.mark.parametrize("name", ["n_permutations", "n_null_data"])
def test_draws_that_show_nothing_are_refused(name):
    X, y = RNG(0).normal(size=(16, 2)), np.arange(16) % 2
    with pytest.raises(UsageError, match="takes 19 at least") as caught:
        assess_bare("naive-bayes", X, y, **{"n_permutations": 9, name: 1})
    assert caught.value.parameter == name


def test_equal_scores_are_noted_where_ranks_count():
    y = np.repeat([0, 1], 12)
    X = RNG(0).normal(size=(24, 12))
    X[:, 0] += 0.5 * y
    X = np.repeat(X, 400, axis=1)  # naive Bayes is as sure as a number can be
    sure = assess_bare("naive-bayes", X, y, scoring="auc", cv=4)
    assert noted(sure, CODES.TIED_SCORES)[0].value > 0.1
    assert noted(sure, CODES.SATURATED)[0].value > 0.1
    for model, scoring in (("naive-bayes", "accuracy"), ("svm", "auc")):
        other = assess_bare(model, X, y, scoring=scoring, cv=4)
        assert not noted(other, CODES.TIED_SCORES)


# The class that metrics of one class are about ------------------------------------


def predictions(n_classes, seed=0):
    rng = RNG(seed)
    truth, predicted = rng.integers(0, n_classes, size=(2, 60))
    scores = rng.normal(size=(60, n_classes))
    return Predictions(
        truth=truth, predicted=predicted, scores=scores, n_classes=n_classes
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_metrics_of_a_class_are_those_of_scikit_learn(n_classes):
    found = predictions(n_classes)
    for code in range(n_classes):
        asked = metrics_for([METRICS[x] for x in ONE_CLASS], n_classes, code)
        recalled, spared, f1 = (metric.measure(found) for metric in asked)
        own, said = found.truth == code, found.predicted == code
        assert recalled == recall_score(own, said)
        assert spared == recall_score(~own, ~said)
        whole = f1_score(found.truth, found.predicted, average="macro")
        wanted = f1_score(own, said) if n_classes == 2 else whole
        assert f1 == pytest.approx(wanted, rel=1e-12)


def test_the_area_of_two_classes_is_the_same_for_both():
    areas = (metrics_for([METRICS["roc_auc"]], 2, code)[0] for code in (0, 1))
    assert len({area.measure(predictions(2)) for area in areas}) == 1


@pytest.fixture
def patients():
    y = np.where(np.arange(48) % 4 == 0, "sick", "well")
    return RNG(1).normal(size=(48, 3)) + 1.5 * (y == "sick")[:, None], y


def test_the_other_class_turns_sensitivity_into_specificity(patients):
    call = {"scoring": ONE_CLASS[:2], "cv": 4, "n_resamples": 1000}
    well = assess_bare("naive-bayes", *patients, **call)
    sick = assess_bare("naive-bayes", *patients, pos_label="sick", **call)
    first, second = only(well).metrics.values()
    for mine, yours in zip(only(sick).metrics.values(), (second, first), strict=True):
        assert mine.pos_label == "sick"
        assert (mine.estimate, mine.folds) == (yours.estimate, yours.folds)
        assert (mine.low, mine.high) == pytest.approx((yours.low, yours.high), abs=0.02)
    assert (well.pos_label, sick.pos_label) == (None, "sick")
    assert Assessment.from_dict(sick.to_dict()).pos_label == "sick"
    assert not noted(sick, CODES.POS_LABEL_UNUSED)


def test_naming_a_class_that_no_metric_is_about_is_noted(patients):
    found = assess_bare("naive-bayes", *patients, pos_label="sick")
    assert noted(found, CODES.POS_LABEL_UNUSED)[0].names == ("sick",)


def test_a_tuned_model_chooses_by_the_same_class(patients):
    # All but blind, nearly every sample is called sick, or well: each suits one class.
    grid = {"priors": [[0.999, 0.001], [0.001, 0.999]]}
    for pos_label, best in (("sick", 0.999), ("well", 0.001)):
        model = TunedEstimator(
            GaussianNB(), grid, scoring="sensitivity", pos_label=pos_label
        )
        assert model.fit(*patients).best_estimator_.priors[0] == best


def test_a_class_is_found_by_value_or_name():
    assert find_pos_label(True, (0, 1)) == 1
    assert find_pos_label("0", (0, 1)) == 0
    for classes in (("a", "b"), ()):
        with pytest.raises(UsageError) as caught:
            find_pos_label("c", classes)
        assert caught.value.parameter == "pos_label"


@pytest.mark.parametrize("cv", [5, "5x3", "boot20", "loo"])
def test_the_share_of_a_class_is_that_of_its_samples(patients, cv):
    """12 sick ones in 5 folds: some hold two, some three, and samples count alike."""
    X, y = patients
    found = only(
        assess_bare(
            "naive-bayes",
            X + RNG(0).normal(size=X.shape),
            y,
            scoring=["accuracy", "sensitivity", "specificity"],
            pos_label="sick",
            cv=cv,
        )
    )
    right, recalled, spared = found.metrics.values()
    own = y[np.array(found.samples)] == "sick"
    each = np.array(right.samples)
    assert recalled.estimate == pytest.approx(each[own].mean())
    assert spared.estimate == pytest.approx(each[~own].mean())
    assert recalled.low <= recalled.estimate <= recalled.high
    assert recalled.per_class["sick"].estimate == pytest.approx(recalled.estimate)
    assert recalled.per_class["sick"].specificity == pytest.approx(spared.estimate)
