"""The class that losses of one class are about."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, recall_score
from sklearn.naive_bayes import GaussianNB

from scorecast._core.results import result_from_dict
from scorecast.exceptions import UsageError
from scorecast.guarantees import TunedModel, assess
from scorecast.guarantees.losses import LOSSES, losses_for, positive_code
from scorecast.guarantees.outcomes import Outcome

BARE = {"sampling": "cv4", "n_permutations": 0, "n_null_data": 0}
ONE_CLASS = ["sensitivity", "specificity", "f1"]


def outcome(n_classes, seed=0):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, n_classes, size=(2, 60))
    scores = rng.normal(size=(60, n_classes))
    return Outcome(
        truth=truth, predicted=predicted, scores=scores, is_probability=False,
        n_classes=n_classes,
    )  # fmt: skip


@pytest.mark.parametrize("n_classes", [2, 3])
def test_losses_of_a_class_are_those_of_scikit_learn(n_classes):
    found = outcome(n_classes)
    for code in range(n_classes):
        asked = losses_for([LOSSES[x] for x in ONE_CLASS], n_classes, code)
        recalled, spared, f1 = (loss.measure(found) for loss in asked)
        own, said = found.truth == code, found.predicted == code
        assert recalled == recall_score(own, said)
        assert spared == recall_score(~own, ~said)
        whole = f1_score(found.truth, found.predicted, average="macro")
        wanted = f1_score(own, said) if n_classes == 2 else whole
        assert f1 == pytest.approx(wanted, rel=1e-12)


def test_the_area_of_two_classes_is_the_same_for_both():
    values = {losses_for([LOSSES["auc"]], 2, k)[0].measure(outcome(2)) for k in (0, 1)}
    assert len(values) == 1


@pytest.fixture
def cases():
    rng = np.random.default_rng(1)
    y = np.where(np.arange(48) % 4 == 0, "sick", "well")
    return rng.normal(size=(48, 3)) + 1.5 * (y == "sick")[:, None], y


def test_the_other_class_turns_sensitivity_into_specificity(cases):
    well = assess("naive-bayes", *cases, losses=ONE_CLASS[:2], **BARE)
    sick = assess("naive-bayes", *cases, losses=ONE_CLASS[:2], positive="sick", **BARE)
    first, second = well.models[0].losses
    for mine, yours in zip(sick.models[0].losses, (second, first), strict=True):
        assert mine.of_class == "sick"
        assert (mine.estimate, mine.folds) == (yours.estimate, yours.folds)
        assert (mine.low, mine.high) == pytest.approx((yours.low, yours.high), abs=0.02)
    assert (well.positive, sick.positive) == ("", "sick")
    assert result_from_dict(sick.to_dict()).positive == "sick"
    assert not any("changes nothing" in text for text in sick.warnings)


def test_naming_a_class_that_no_loss_is_about_is_said(cases):
    answer = assess("naive-bayes", *cases, positive="sick", **BARE)
    assert any("changes nothing" in text for text in answer.warnings)


def test_a_tuned_model_chooses_by_the_same_class(cases):
    # All but blind, nearly every case is called sick, or well: each suits one class.
    grid = {"priors": [[0.999, 0.001], [0.001, 0.999]]}
    for positive, best in (("sick", 0.999), ("well", 0.001)):
        model = TunedModel(GaussianNB(), grid, loss="sensitivity", positive=positive)
        assert model.fit(*cases).best_estimator_.priors[0] == best


def test_a_class_is_found_by_value_or_name():
    assert positive_code(True, (0, 1)) == 1
    assert positive_code("0", (0, 1)) == 0
    with pytest.raises(UsageError, match="one of a, b; got 'c'"):
        positive_code("c", ("a", "b"))
    with pytest.raises(UsageError, match="models are for numbers"):
        positive_code("c", ())


@pytest.mark.parametrize("sampling", ["cv5", "cv5x3", "boot20", "loo"])
def test_the_share_of_a_class_is_that_of_its_cases(cases, sampling):
    """12 sick cases in 5 folds: some hold two, some three, and cases count alike."""
    X, y = cases
    found = assess(
        "naive-bayes", X + np.random.default_rng(0).normal(size=X.shape), y,
        losses=["accuracy", "sensitivity", "specificity"], positive="sick",
        **{**BARE, "sampling": sampling},
    ).models[0]  # fmt: skip
    right, recalled, spared = found.losses
    tested = np.array(found.cases)
    own = y[tested] == "sick"
    each = np.array(right.cases)
    assert recalled.estimate == pytest.approx(each[own].mean())
    assert spared.estimate == pytest.approx(each[~own].mean())
    assert recalled.low <= recalled.estimate <= recalled.high
    by_class = {row.label: row for row in recalled.per_class}
    assert by_class["sick"].estimate == pytest.approx(recalled.estimate)
    assert by_class["sick"].specificity == pytest.approx(spared.estimate)
