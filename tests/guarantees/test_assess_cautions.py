"""What an assessment warns of."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import scorecast as sc
from scorecast.guarantees import Sampling
from scorecast.report import render_html
from scorecast.report.html import Report

QUICK = {"n_permutations": 0, "n_resamples": 0, "with_bias_variance": False}


def warned(y, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(len(y), 3))
    found = sc.assess("nearest-centroid", X, y, regularities=False, **QUICK, **options)
    return " ".join(found.warnings)


def test_a_class_of_one_case_is_named():
    said = warned(["a", "b"] * 8 + ["rare"], sampling="loo")
    assert "a class with 1 case (rare) cannot be both learned and tested" in said
    assert "with 1 case" not in warned(["a", "b"] * 8 + ["rare"] * 2, sampling="loo")


def test_splits_of_one_case_are_counted_in_good_english():
    assert "16 splits of 1 case each say little" in warned([0, 1] * 8, sampling="loo")
    assert "3 splits of 5.33 cases each" in warned([0, 1] * 8, sampling="cv3")


@pytest.mark.parametrize(
    "sampling", ["boot1", Sampling(kind="mc", n_folds=2, test_size=0.1)]
)
def test_cases_that_were_never_tested_are_not_counted(easy, sampling):
    found = sc.assess(
        "naive-bayes", *easy, sampling=sampling, n_permutations=0, n_resamples=0,
        with_bias_variance=False,
    )  # fmt: skip
    tested = found.models[0].n_tested
    assert 0 < tested < 40
    assert f"on {tested} of 40 cases" in found.summary()
    assert f"tested on {tested} of 40 cases" in render_html(Report(results=(found,)))


def test_an_error_that_a_model_states_itself_is_said_to_need_calibration(easy):
    call = {"n_permutations": 0, "n_resamples": 0, "with_bias_variance": False}
    losses = ["error", "posterior-error"]
    found = sc.assess("naive-bayes", *easy, losses=losses, **call)
    assert any("calibrated" in text for text in found.warnings)
    assert "calibrated" in render_html(Report(results=(found,)))
    plain = sc.assess("naive-bayes", *easy, losses="error", **call)
    assert not any("calibrated" in text for text in plain.warnings)


class Triple(GaussianNB):
    """States three times what it believes."""

    def predict_proba(self, X):
        return 3 * super().predict_proba(X)


def test_rows_that_do_not_add_up_are_no_probabilities(easy):
    losses = ["accuracy", "auc", "log-loss"]
    found = sc.assess({"three": Triple()}, *easy, losses=losses, **QUICK)
    model = found.models[0]
    assert [x.loss for x in model.losses] == ["accuracy", "auc"]
    said = " ".join(model.warnings)
    assert "a sum of 3" in said
    assert "log-loss needs probabilities" in said
    right = sc.assess({"one": GaussianNB()}, *easy, losses=losses, **QUICK).models[0]
    assert [x.loss for x in right.losses] == losses


def test_luck_of_a_selection_for_numbers_is_said_to_be_unknown(easy):
    X, _ = easy
    found = sc.assess("ridge", X, X[:, 0], selection=2, **QUICK)
    assert any("luck" in text for text in found.warnings)
    assert not any(
        "luck" in text for text in sc.assess("ridge", X, X[:, 0], **QUICK).warnings
    )


def test_bias_and_variance_that_cannot_be_had_do_not_stop_the_rest(easy):
    # A group per class: whatever a bootstrap sample leaves out, it holds one class.
    X, _ = easy
    groups = np.arange(40) // 20
    call = QUICK | {"with_bias_variance": True, "sampling": "group2"}
    found = sc.assess("naive-bayes", X, groups, groups=groups, **call)
    assert found.models[0].bias_variance == ()
    assert any("no bias and variance" in text for text in found.warnings)
