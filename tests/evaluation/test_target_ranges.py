"""Errors over the range of the target: against counting by hand, and planted ones."""

import json
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast._core.result import result_from_dict
from scorecast.evaluation import (
    Diagnostics,
    Task,
    assess,
    check_data,
    collect_estimates,
    draw_splits,
    make_estimator,
)
from scorecast.evaluation.target_ranges import _range, target_ranges

QUICK = Diagnostics(bias_variance=False, data_profile=False, n_resamples=0)
BARE = {"tests": None, "diagnostics": QUICK}


def sample(n=100, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + 0.3 * rng.normal(size=n)


def run_tests(X, y, cv=5, groups=None, model="ridge"):
    data = check_data(X, y, task=Task.REGRESSION, groups=groups)
    rng = np.random.default_rng(0)
    plan = draw_splits(cv, data, rng)
    return collect_estimates(make_estimator(model), data, plan, rng=rng)


@pytest.mark.parametrize("cv", [5, "5x3"])
def test_every_range_is_what_counting_by_hand_says(cv):
    X, y = sample()
    estimates = run_tests(X, y, cv)
    found = target_ranges(estimates, 0.9)
    assert [x.n_samples for x in found] == [20] * 5
    pooled, rows = estimates.pooled(), estimates.tested()
    error = np.array(
        [(pooled.predicted - pooled.truth)[rows == i].mean() for i in range(100)]
    )
    square = np.array(
        [((pooled.predicted - pooled.truth)[rows == i] ** 2).mean() for i in range(100)]
    )
    order = np.argsort(y)
    for k, one in enumerate(found):
        own = order[20 * k : 20 * (k + 1)]
        assert (one.low, one.high) == (y[own].min(), y[own].max())
        assert one.bias == pytest.approx(error[own].mean())
        low, high = stats.t.interval(0.9, 19, error[own].mean(), stats.sem(error[own]))
        assert (one.bias_low, one.bias_high) == pytest.approx((low, high))
        assert one.rmse == pytest.approx(np.sqrt(square[own].mean()))
    # All ranges together are the whole.
    total = np.mean([x.rmse**2 for x in found])
    assert np.sqrt(total) == pytest.approx(np.sqrt(square.mean()))


def test_a_planted_error_is_found_where_it_is():
    """A line cannot follow targets that bend: there it is off, and elsewhere less."""
    rng = np.random.default_rng(0)
    x = np.linspace(-1, 1, 200)
    y = x + 15 * np.maximum(x - 0.6, 0) ** 2 + 0.01 * rng.normal(size=200)
    found = target_ranges(run_tests(x[:, None], y), 0.95)
    assert found[-1].rmse > 1.5 * max(one.rmse for one in found[1:-1])
    assert found[1].bias_low > 0 or found[2].bias_low > 0


def test_a_model_that_knows_nothing_stays_in_the_middle():
    X, y = sample()
    found = target_ranges(run_tests(X, y, model="sklearn.dummy:DummyRegressor()"), 0.95)
    assert found[0].bias_low > 0 > found[-1].bias_high


def test_the_interval_of_a_bias_holds_and_one_of_no_groups_does_not():
    """Samples of a group err together; counted one by one they look surer."""
    held, naive = 0, 0
    groups, alone = np.repeat(np.arange(30), 5), np.arange(150)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        error = 0.5 + rng.normal(size=30)[groups] + 0.3 * rng.normal(size=150)
        both = (_range(error, error, error**2, units, 0.9) for units in (groups, alone))
        right, wrong = ((x.bias_low <= 0.5 <= x.bias_high) for x in both)
        held += right
        naive += wrong
    assert 168 <= held <= 192
    assert naive < 140


def test_equal_targets_are_in_one_range():
    X, _ = sample()
    y = np.r_[np.zeros(70), np.arange(1.0, 31.0)]
    found = target_ranges(run_tests(X, y), 0.95)
    assert found[0].low == found[0].high == 0
    assert sum(x.n_samples for x in found) == 100
    assert all(a.high < b.low for a, b in pairwise(found))


def test_few_samples_and_classes_have_none():
    X, y = sample(18)
    assert target_ranges(run_tests(X, y), 0.95) == ()
    rng = np.random.default_rng(0)
    data = check_data(X, np.arange(18) % 2)
    estimates = collect_estimates(
        make_estimator("naive-bayes"), data, draw_splits(3, data, rng), rng=rng
    )
    assert target_ranges(estimates, 0.95) == ()


def test_they_are_part_of_the_answer():
    X, y = sample()
    found = assess(["ridge", "lasso"], X, y, **BARE)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    again = result_from_dict(data)
    assert again.models["ridge"].target_ranges == found.models["ridge"].target_ranges
    text, page = sc.render(found), sc.render(found, "html")
    assert "samples  bias of ridge" in text
    assert "Range by range" in page
    assert "Bias by range of the target" in page
    assert "lasso: errors by range of the target" in page
    grouped = assess("ridge", X, y, groups=np.arange(100) // 4, cv=5, **BARE)
    assert "groups" in sc.render(grouped)
