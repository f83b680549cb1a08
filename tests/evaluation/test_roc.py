"""Areas under ROC curves: DeLong's errors, against the definition and against R."""

import json

import numpy as np
import pytest

from scorecast.evaluation import (
    area_influence,
    areas_under_curves,
    midranks,
)

PM = np.array([-1, 1])


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
    half = 1.959963984540054 * np.sqrt(areas.covariance[0, 0])
    assert (low, high) == pytest.approx(data["auc_s100b"] + half * PM, rel=1e-9)


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
    positive = np.arange(8) > 3
    area, parts = area_influence(positive, np.arange(8.0))
    assert area == 1
    assert not parts.any()
    area, parts = area_influence(positive, np.zeros(8))
    assert area == 0.5
    assert not parts.any()


@pytest.mark.parametrize("axis", [0, 1])
def test_midranks_are_those_of_scipy(axis):
    from scipy.stats import rankdata

    values = np.random.default_rng(0).integers(0, 6, (9, 7)).astype(float)
    np.testing.assert_array_equal(midranks(values, axis), rankdata(values, axis=axis))
    values[2, 3] = np.nan
    np.testing.assert_array_equal(midranks(values, axis), rankdata(values, axis=axis))


@pytest.mark.statistical
def test_the_interval_of_one_area_holds():
    rng = np.random.default_rng(0)
    from scipy.stats import norm

    truth = norm.cdf(1 / np.sqrt(2))
    held = 0
    for _ in range(2000):
        positive = np.arange(80) < 30
        area, parts = area_influence(positive, positive + rng.normal(size=80))
        held += abs(area - truth) <= 1.96 * np.sqrt((parts**2).sum())
    assert 0.93 < held / 2000 < 0.965
