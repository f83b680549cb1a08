"""The interval that is quoted where folds say too little, or agree too well."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import InvalidInputError
from scorecast.guarantees import cost_loss
from scorecast.guarantees.bounds.proportions import wilson

QUICK = {"n_permutations": 0, "n_null_data": 0, "with_bias_variance": False}


def classes(counts, seed=0, m=12, gap=0.5):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(counts)), counts)
    X = rng.normal(size=(y.size, m))
    X[:, 0] += gap * y
    return X, y


def lacking(counts):
    """Return a loss of fifty bootstrap samples, of which few lack a class in tests."""
    for seed in range(40):
        X, y = classes(counts, seed)
        found = sc.assess(
            "naive-bayes", X, y, sampling="boot50", losses="balanced-accuracy",
            random_state=seed, **QUICK,
        )  # fmt: skip
        loss = found.models[0].losses[0]
        known = np.isfinite(loss.folds).sum()
        if 45 <= known < 50:
            return loss, known
    pytest.fail("no such data")


def test_a_split_without_a_class_does_not_turn_the_choice():
    loss, _ = lacking((20, 15, 7))
    assert loss.recommended.method == "nadeau-bengio"
    assert loss.estimate == pytest.approx(np.nanmean(loss.folds))
    by = {bound.method: bound for bound in loss.bounds}
    assert by["nadeau-bengio"].width > by["case-spread"].width
    assert "splits: the others hold too few" in loss.recommended.note
    assert "all tests together" not in loss.recommended.note


def test_a_sensitivity_of_all_is_bounded_by_the_class_it_is_about():
    X, y = classes((5, 45), gap=0.0)
    found = sc.assess(
        "sklearn.dummy:DummyClassifier(strategy='constant', constant=1)", X, y,
        sampling="cv5", losses=["sensitivity", "specificity"], n_resamples=0, **QUICK,
    )  # fmt: skip
    for loss, n in zip(found.models[0].losses, (45, 5), strict=True):
        share = loss.estimate
        low, high = wilson(share * n, n, 0.95)
        assert (loss.recommended.low, loss.recommended.high) == pytest.approx(
            (low, high)
        )


def test_costs_that_all_folds_share_vary_as_those_of_cases_do():
    X, y = classes((5, 45), gap=0.0)
    found = sc.assess(
        "sklearn.dummy:DummyClassifier(strategy='constant', constant=1)", X, y,
        sampling="cv5", losses=[cost_loss([[0, 1], [10, 0]])], n_resamples=0,
        **QUICK,
    )  # fmt: skip
    loss = found.models[0].losses[0]
    assert loss.estimate == pytest.approx(0.1)
    # A tenth of the cases cost 1: 0.1 and 2 standard errors of 50 cases.
    error = np.sqrt(0.1 * 0.9 / 49)
    assert loss.recommended.high == pytest.approx(0.1 + 2.01 * error, abs=0.002)


def test_areas_of_single_cases_come_with_a_caution():
    X, y = classes((12, 12))
    loo = sc.assess("naive-bayes", X, y, sampling="loo", losses="auc", **QUICK)
    assert any("Leave pairs out instead" in text for text in loo.warnings)
    folds = sc.assess("naive-bayes", X, y, sampling="cv4", losses="auc", **QUICK)
    assert not any("Leave pairs out" in text for text in folds.warnings)


@pytest.mark.parametrize("lost", [None, float("nan")])
def test_a_missing_label_is_no_class(lost):
    X, _ = classes((6, 6))
    y = np.array(["a"] * 6 + ["b"] * 4 + [lost] * 2, dtype=object)
    with pytest.raises(InvalidInputError, match="lacks 2 labels, the first at row 11"):
        sc.assess("naive-bayes", X, y, **QUICK)
