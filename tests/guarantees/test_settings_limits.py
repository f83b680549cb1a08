"""Bounds over settings stay within what a loss can be."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.guarantees.losses import LOSSES, cost_loss, losses_for
from scorecast.guarantees.settings.design import design_settings
from scorecast.guarantees.settings.estimate import SetScores, setting_estimate


def make(gap=1.0, n=24, random_state=0):
    rng = np.random.default_rng(random_state)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2))
    X[:, 0] += gap * y
    return X, y


def ends_of(answer):
    rows = (*answer.rows, *answer.bounds, *answer.groups, *answer.views)
    return [(r.low, r.high) for r in rows] + [
        (g.lowest, g.highest) for g in answer.groups
    ]


@pytest.mark.parametrize("name", ["auc", "mcc", "f1", "brier", "log-loss", "cost"])
def test_bounds_lie_in_the_range_of_the_loss(name):
    loss = cost_loss([[0, 2], [1, 0]]) if name == "cost" else LOSSES[name]
    loss = losses_for([loss], 2)[0]
    answer = sc.assess_settings(
        {"nb": "naive-bayes"}, make, settings={"gap": [0.0, 2.0, 9.0]}, loss=loss,
        sampling="cv3", n_sets=2, random_state=0,
    )  # fmt: skip
    ends = ends_of(answer)
    assert min(low for low, _ in ends) >= loss.low
    assert max(high for _, high in ends) <= loss.high
    assert all(low <= high for low, high in ends)
    # Two data sets of so few cases: an interval that is not cut would leave the range.
    assert any(low == loss.low or high == loss.high for low, high in ends)
    saved = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    again = sc.SettingsAssessment.from_dict(saved)
    assert again.to_dict() == saved
    assert again.rows[0].limits == (loss.low, loss.high)


def test_the_brier_score_reaches_as_far_as_there_are_classes():
    def thirds(gap, random_state):
        X, y = make(gap, random_state=random_state)
        return X, y + (np.arange(y.size) % 3 == 0)

    for source, most in ((make, 1.0), (thirds, 2.0)):
        answer = sc.assess_settings(
            {"nb": "naive-bayes"}, source, settings={"gap": [0.0, 2.0]}, loss="brier",
            sampling="cv3", n_sets=2,
        )  # fmt: skip
        assert {row.limits for row in answer.rows} == {(0.0, most)}


def test_one_data_set_is_cut_as_several_are():
    scores = SetScores(
        estimate=0.98, low=0.9, high=1.06, df=9.0, folds=(0.98,) * 3, test_ratio=0.5,
        n=30, m=2, greater_is_better=True,
    )  # fmt: skip
    facts = {"setting": "s", "values": {}, "data": "d", "model": "a", "loss": "auc",
             "limits": (0.0, 1.0)}  # fmt: skip
    for sets in ([scores], [scores, replace(scores, estimate=0.8)]):
        found = setting_estimate(sets, facts, level=0.95)
        assert found.high == 1.0
    free = setting_estimate([scores], {**facts, "limits": (0, math.inf)}, level=0.95)
    assert free.high == 1.06


# Each setting once


@pytest.mark.parametrize("design", ["grid", "one-at-a-time"])
@pytest.mark.parametrize("values", [[0, 0.0, 0.3], [0.3, 0, 0.3, np.float64(0.3)]])
def test_values_that_are_repeated_are_one_setting(design, values):
    listed = design_settings(
        {"noise": values, "n": [10, 20, 10]}, design=design, defaults={}, models=()
    )
    names = [setting.name for setting in listed]
    assert len(set(names)) == len(names) == (4 if design == "grid" else 3)


def test_weights_count_the_settings_that_are_left():
    asked = {"gap": [0, 0.0, 2.0]}
    same = {"sampling": "cv3", "random_state": 0, "weights": [1.0, 3.0]}
    answer = sc.assess_settings({"nb": "naive-bayes"}, make, settings=asked, **same)
    alone = sc.assess_settings(
        {"nb": "naive-bayes"}, make, settings={"gap": [0, 2.0]}, **same
    )
    assert answer.n_settings == 2
    assert answer.bounds == alone.bounds


def test_numbers_and_texts_that_are_written_alike_are_refused():
    with pytest.raises(UsageError, match="written alike"):
        design_settings({"a": [1, "1"]}, design="grid", defaults={}, models=())
