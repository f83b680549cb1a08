"""Intervals over several data sets are as wide as the number of cases asks for."""

from dataclasses import replace

import numpy as np
import pytest

import scorecast as sc
from scorecast.evaluation import wilson
from scorecast.guarantees.settings.difficulty import difficulty_groups
from scorecast.guarantees.settings.estimate import SetScores, setting_estimate
from scorecast.guarantees.settings.pooling import bounds_over_settings

FACTS = {"setting": "s", "values": {}, "data": "d", "model": "a", "loss": "accuracy",
         "limits": (0.0, 1.0)}  # fmt: skip


def scored(estimate, n=50, case_error=float("nan")):
    """One data set, most of which does not matter here."""
    return SetScores(
        estimate=estimate, low=estimate, high=estimate, df=9.0, folds=(estimate,) * 5,
        test_ratio=0.25, n=n, m=2, greater_is_better=True, n_classes=2, units=float(n),
        case_error=case_error,
    )  # fmt: skip


def far_apart(gap, n=30, random_state=0):
    """Two classes that every model tells apart."""
    y = np.arange(n) % 2
    return np.random.default_rng(random_state).normal(size=(n, 2)) + gap * y[:, None], y


def test_data_sets_that_score_alike_get_the_interval_of_all_their_cases():
    for value in (1.0, 0.96):
        found = setting_estimate([scored(value)] * 3, FACTS, level=0.95)
        assert (found.low, found.high) == pytest.approx(wilson(value * 150, 150, 0.95))
        assert found.stderr == found.case_error > 0
    # Other losses rest on what each case adds.
    found = setting_estimate([scored(0.9, case_error=0.03)] * 3, FACTS, level=0.95)
    assert found.stderr == pytest.approx(0.03 / np.sqrt(3))
    assert found.high - 0.9 == pytest.approx(1.9762 * found.stderr, rel=1e-4)


def test_data_sets_that_differ_keep_students_interval():
    sets = [scored(value) for value in (0.7, 0.8, 0.96)]
    found = setting_estimate(sets, FACTS, level=0.95)
    error = np.std([0.7, 0.8, 0.96], ddof=1) / np.sqrt(3)
    assert found.stderr == pytest.approx(error)
    assert found.df == 2
    assert found.low == pytest.approx(0.82 - 4.302653 * error)


@pytest.mark.parametrize("loss", ["accuracy", "balanced-accuracy", "auc", "mcc"])
def test_no_interval_of_perfect_models_has_no_width(loss):
    found = sc.assess_settings(
        "naive-bayes", far_apart, settings={"gap": [40.0, 50.0, 60.0]}, n_sets=2,
        sampling="cv5", loss=loss,
    )  # fmt: skip
    spans = (*found.rows, *found.bounds, *found.groups, *found.views)
    assert {x.estimate for x in spans} == {1.0}
    assert len({b.method for b in found.bounds}) == 4
    assert min(x.high - x.low for x in spans) > 0.004
    # Thrice as many cases say more.
    assert found.bounds[1].low > max(row.low for row in found.rows)


def test_settings_that_one_case_sets_apart_are_one_group():
    rows = [
        setting_estimate([scored(x)] * 2, {**FACTS, "setting": str(x)}, level=0.95)
        for x in (0.98, 1.0)
    ]
    assert len(difficulty_groups(rows, level=0.95, most=6)) == 1
    # As if data sets that score alike had no error.
    sure = [replace(row, stderr=0.0) for row in rows]
    assert len(difficulty_groups(sure, level=0.95, most=6)) == 2


def test_pooled_intervals_are_no_narrower_than_cases_allow():
    rows = [
        setting_estimate(
            [scored(x) for x in (0.8, 0.82)], {**FACTS, "data": str(i)}, level=0.95
        )
        for i in range(12)
    ]
    assert rows[0].stderr < rows[0].case_error  # by luck, twelve times over
    pooled = bounds_over_settings(rows, None, 0.95)[1]
    whole = wilson(0.81 * 1200, 1200, 0.95)
    assert 1 < (pooled.high - pooled.low) / (whole[1] - whole[0]) < 1.2
    luck = bounds_over_settings(
        [replace(row, case_error=0.0) for row in rows], None, 0.95
    )
    assert luck[1].high - luck[1].low < 0.75 * (whole[1] - whole[0])


def held(spoil=lambda row: row, n_runs=1500):
    """Return how often intervals of three settings of two data sets hold the truth."""
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(n_runs):
        sets = [scored(x) for x in rng.binomial(50, 0.97, size=2) / 50]
        row = spoil(setting_estimate(sets, FACTS, level=0.95))
        hits.append(row.low <= 0.97 <= row.high)
    return np.mean(hits)


def test_intervals_of_two_data_sets_hold_as_often_as_they_say():
    def by_spread_alone(row):
        values = [one[0] for one in row.sets]
        half = 12.7062 * np.std(values, ddof=1) / np.sqrt(2)
        return replace(row, low=row.estimate - half, high=row.estimate + half)

    assert held() >= 0.95
    # Data sets that score alike have no spread to go by.
    assert held(by_spread_alone) < 0.85
