import json

import numpy as np
import pytest

from scorecast.classes import RiskExtrapolation, extrapolate_risk
from scorecast.exceptions import ExtrapolationWarning, InsufficientDataError
from scorecast.synthetic import BivariateNormal


def toy(n_classes, n_each, seed):
    scores, y, labels = BivariateNormal(0.7).sample(
        n_classes, n_each, random_state=seed
    )
    return scores, y, np.minimum(np.subtract.outer(labels, labels) ** 2, 4)


def test_squared_costs_of_the_toy_are_forecast():
    # With k = 2, 5, 15 the exact risks are .2835, .5348, .7043; beyond, simulated.
    forecasts = []
    for seed in range(12):
        scores, y, cost = toy(40, 3, seed)
        answer = extrapolate_risk(scores, y, cost=cost, to=[15, 300])
        forecasts.append([p.risk for p in answer.predictions])
    means = np.mean(forecasts, axis=0)
    assert means[0] == pytest.approx(0.704, abs=0.08)
    truth = []
    for seed in range(6):
        scores, y, cost = toy(300, 1, 100 + seed)
        decided = scores.argmax(axis=1)
        truth.append(cost[decided, y].mean())
    assert means[1] == pytest.approx(np.mean(truth), abs=0.12)


def test_counting_mistakes_agrees_with_one_minus_accuracy_near_the_data():
    scores, y, _ = toy(30, 4, 0)
    answer = extrapolate_risk(scores, y, cost=1 - np.eye(30), to=[30, 60])
    assert answer.predictions[0].risk == pytest.approx(answer.observed.risk[-1])
    assert answer.predictions[1].risk > answer.predictions[0].risk
    for p in answer.predictions:
        assert p.low <= p.risk <= p.high


def test_paying_for_being_right_adds_a_constant():
    scores, y, cost = toy(20, 3, 1)
    plain = extrapolate_risk(scores, y, cost=cost, to=80)
    paid = extrapolate_risk(scores, y, cost=cost + 5, to=80)
    assert paid.predictions[0].risk == pytest.approx(plain.predictions[0].risk + 5)


def test_risks_survive_json():
    scores, y, cost = toy(12, 2, 2)
    answer = extrapolate_risk(scores, y, cost=cost, to=50)
    text = json.dumps(answer.to_dict(), allow_nan=False)
    assert RiskExtrapolation.from_dict(json.loads(text)).to_dict() == answer.to_dict()
    assert "expect about" in answer.summary()


def test_far_targets_warn():
    scores, y, cost = toy(10, 2, 3)
    with pytest.warns(ExtrapolationWarning, match="times"):
        extrapolate_risk(scores, y, cost=cost, to=1000)


def test_one_tested_class_is_not_enough():
    scores, y, cost = toy(10, 2, 3)
    with pytest.raises(InsufficientDataError, match="one class"):
        extrapolate_risk(scores[y == 1], y[y == 1], cost=cost, to=20)


def test_two_classes_are_too_few():
    with pytest.raises(InsufficientDataError, match="two classes"):
        extrapolate_risk(np.eye(2), range(2), cost=1 - np.eye(2), to=10)


def test_no_mistake_seen_is_a_bound_not_a_promise():
    scores = np.eye(20)[np.repeat(np.arange(20), 3)] * 12.0
    y = np.repeat(np.arange(20), 3)
    with pytest.warns(ExtrapolationWarning) as said:
        answer = extrapolate_risk(
            scores, y, cost=3 * (1 - np.eye(20)), to=[20, 400, 10**6]
        )
    assert any("No mistake was seen" in str(w.message) for w in said)
    highs = [p.high for p in answer.predictions]
    assert 0 < highs[0] < highs[1] < highs[2]
    assert highs[2] == pytest.approx(3.0, abs=0.01)


def test_too_few_classes_for_an_interval_says_so():
    scores = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.warns(ExtrapolationWarning, match="No interval"):
        answer = extrapolate_risk(scores, np.arange(30) % 3, cost=1 - np.eye(3), to=6)
    assert "no interval" in answer.summary()
