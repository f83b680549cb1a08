"""DeLong's bound of an area, as `assess` gives it."""

import numpy as np
import pytest

import scorecast as sc


@pytest.mark.parametrize("sampling", ["kfold4", "cv4x2"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_assess_has_delongs_bound_of_the_area(sampling, n_classes):
    y = np.arange(72) % n_classes
    X = np.random.default_rng(0).normal(size=(72, 3)) + y[:, None]
    answer = sc.assess(
        "naive-bayes", X, y, sampling=sampling, losses=["auc"], random_state=0,
        n_permutations=0, n_null_data=0, n_resamples=200,
    )  # fmt: skip
    loss = answer.models[0].losses[0]
    bound = next(b for b in loss.bounds if b.method == "delong")
    assert bound.low < loss.estimate < bound.high
    assert (bound.low + bound.high) / 2 == pytest.approx(loss.estimate, abs=0.03)
    other = next(b for b in loss.bounds if b.method == "bca")
    assert 0.4 < bound.width / other.width < 2.5
    again = sc.Assessment.from_dict(answer.to_dict())
    assert again.to_dict() == answer.to_dict()


@pytest.mark.parametrize(("n_rare", "has_bound"), [(4, True), (3, False)])
def test_folds_with_one_case_of_a_class_have_such_a_bound_without_any_not(
    n_rare, has_bound
):
    y = (np.arange(30) >= 30 - n_rare).astype(int)
    X = np.random.default_rng(0).normal(size=(30, 2)) + y[:, None]
    answer = sc.assess(
        "naive-bayes", X, y, sampling="cv4", losses=["auc"], n_permutations=0,
        n_null_data=0, n_resamples=0, random_state=0,
    )  # fmt: skip
    methods = {b.method for b in answer.models[0].losses[0].bounds}
    assert ("delong" in methods) == has_bound
