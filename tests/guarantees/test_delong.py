"""Areas under ROC curves: DeLong's errors, against the definition and against R."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.guarantees import areas_under_curves, delong_interval
from scorecast.guarantees.delong import area_influence


def scored(n=60, k=3, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    return positive, np.round(positive[:, None] + rng.normal(size=(n, k)), 1)


def test_areas_and_errors_are_those_of_r(shared_golden):
    data = json.loads((shared_golden / "proc_asah_delong.json").read_text())
    positive = np.array(data["y"]) == 1
    score = np.array(data["s100b"], dtype=float)
    areas = areas_under_curves(positive, score[:, None])
    assert areas.values[0] == pytest.approx(data["auc_s100b"], rel=1e-12)
    low, _, high = data["ci"]
    assert delong_interval(positive, score, 0.95) == pytest.approx(
        (low, high), rel=1e-9
    )


def test_the_covariance_follows_delongs_definition():
    positive, scores = scored()
    wins = np.array([
        [[1.0 if p > q else 0.5 if p == q else 0.0 for q in s[~positive]]
         for p in s[positive]] for s in scores.T
    ])  # fmt: skip
    m, n = wins.shape[1:]
    wanted = np.cov(wins.mean(axis=2)) / m + np.cov(wins.mean(axis=1)) / n
    found = areas_under_curves(positive, scores)
    np.testing.assert_allclose(found.values, wins.mean(axis=(1, 2)), rtol=1e-12)
    np.testing.assert_allclose(found.covariance, wanted, rtol=1e-10)


def test_equal_scores_have_no_error_of_their_difference():
    positive, scores = scored(k=1)
    found = areas_under_curves(positive, np.column_stack([scores, 2 * scores + 1]))
    assert found.error_of_difference() == 0


def test_edges():
    assert np.isnan(delong_interval(np.array([True, False]), np.arange(2.0), 0.95)[0])
    positive = np.arange(8) > 3
    assert delong_interval(positive, np.arange(8.0), 0.95) == (1, 1)
    area, parts = area_influence(positive, np.zeros(8))
    assert area == 0.5
    assert not parts.any()


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


def test_folds_without_two_cases_of_a_class_have_no_such_bound():
    y = (np.arange(30) > 25).astype(int)
    X = np.random.default_rng(0).normal(size=(30, 2)) + y[:, None]
    answer = sc.assess(
        "naive-bayes", X, y, sampling="cv4", losses=["auc"], n_permutations=0,
        n_null_data=0, n_resamples=0, random_state=0,
    )  # fmt: skip
    methods = {b.method for b in answer.models[0].losses[0].bounds}
    assert "delong" not in methods


@pytest.mark.statistical
def test_the_interval_of_one_area_holds():
    rng = np.random.default_rng(0)
    from scipy.stats import norm

    truth = norm.cdf(1 / np.sqrt(2))
    held = 0
    for _ in range(2000):
        positive = np.arange(80) < 30
        low, high = delong_interval(positive, positive + rng.normal(size=80), 0.95)
        held += low <= truth <= high
    assert 0.93 < held / 2000 < 0.965
