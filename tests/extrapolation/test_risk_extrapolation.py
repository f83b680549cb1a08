import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import (
    ExtrapolationWarning,
    InsufficientDataError,
    UsageError,
)
from scorecast.extrapolation import CostInterval, RiskExtrapolation, extrapolate
from scorecast.report import render
from scorecast.simulate import BivariateNormal

WARNING = "scorecast.exceptions.ExtrapolationWarning"
CHANCE = f"ignore:The true class wins:{WARNING}"
GUESSING = f"ignore:Guessing could have given:{WARNING}"
FEW = f"ignore:Only 3 classes:{WARNING}"


def toy(n_classes, n_each, seed):
    scores, y, labels = BivariateNormal(0.7).sample(
        n_classes, n_each, random_state=seed
    )
    return scores, y, np.minimum(np.subtract.outer(labels, labels) ** 2, 4)


def noisy(n_classes, n_each, seed):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_classes, 5))
    y = np.repeat(np.arange(n_classes), n_each)
    examples = centres[y] + 0.6 * rng.normal(size=(y.size, 5))
    return -((examples[:, None] - centres) ** 2).sum(axis=2), y


@pytest.mark.slow
@pytest.mark.filterwarnings(CHANCE)
def test_squared_costs_of_the_toy_are_forecast():
    # With k = 2, 5, 15 the exact risks are .2835, .5348, .7043; beyond, simulated.
    forecasts = []
    for seed in range(12):
        scores, y, cost = toy(40, 3, seed)
        answer = extrapolate(scores, y, cost=cost, to=[15, 300])
        forecasts.append([p.risk for p in answer.predictions])
    means = np.mean(forecasts, axis=0)
    assert means[0] == pytest.approx(0.704, abs=0.08)
    truth = []
    for seed in range(6):
        scores, y, cost = toy(300, 1, 100 + seed)
        decided = scores.argmax(axis=1)
        truth.append(cost[decided, y].mean())
    assert means[1] == pytest.approx(np.mean(truth), abs=0.12)


@pytest.mark.parametrize("method", ["auto", "bayesian", "regression"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_counting_mistakes_is_one_minus_accuracy_ends_and_all(method, average):
    scores, y = noisy(20, 5, 3)
    rules = {"to": [5, 20, 60, 400], "method": method, "average": average}
    risk = sc.extrapolate(scores, y, cost=1 - np.eye(20), **rules)
    right = sc.extrapolate(scores, y, **rules, compare=False, backtest=0).predictions
    for p, q in zip(risk.predictions, right, strict=True):
        assert p.risk == pytest.approx(1 - q.accuracy, abs=1e-12)
        assert p.low == pytest.approx(1 - q.high, abs=1e-12)
        assert p.high == pytest.approx(1 - q.low, abs=1e-12)
        assert (p.is_observed, p.is_far) == (q.is_observed, q.is_far)


def test_the_unit_of_costs_does_not_matter():
    scores, y, cost = toy(20, 3, 1)
    plain = extrapolate(scores, y, cost=cost, to=[10, 80])
    paid = extrapolate(scores, y, cost=1000 * cost, to=[10, 80])
    for p, q in zip(plain.predictions, paid.predictions, strict=True):
        ends = 1000 * np.array([p.risk, p.low, p.high])
        np.testing.assert_allclose([q.risk, q.low, q.high], ends, rtol=1e-9)


def test_costs_that_vary_widen_the_interval():
    scores, y = noisy(20, 5, 3)
    group = np.arange(20) % 2
    cost = np.where(group[:, None] == group, 0.2, 1.0) * (1 - np.eye(20))
    one = extrapolate(scores, y, cost=1 - np.eye(20), to=400).predictions[0]
    two = extrapolate(scores, y, cost=cost, to=400).predictions[0]
    assert two.high / two.risk > one.high / one.risk
    assert two.low / two.risk < one.low / one.risk
    assert 0.2 * one.low <= two.low < two.high <= one.high


def cell_never_hit(scores, y):
    hit = np.eye(scores.shape[1], dtype=bool)
    hit[scores.argmax(axis=1), y] = True
    return tuple(np.argwhere(~hit)[0])


@pytest.mark.parametrize("dear", [1e9, 1e300])
def test_a_dear_mistake_never_seen_lifts_the_upper_end_alone(dear):
    scores, y = noisy(20, 5, 3)
    one, cost = 1 - np.eye(20), 1 - np.eye(20)
    cost[cell_never_hit(scores, y)] = dear
    rules = {"to": [10, 20, 21, 400], "method": "bayesian"}
    counted = extrapolate(scores, y, cost=one, **rules).predictions
    found = extrapolate(scores, y, cost=cost, **rules).predictions
    for p, q in zip(found, counted, strict=True):
        assert p.low == pytest.approx(q.low, rel=1e-9)
        # What a random mistake costs is within reach: none such was seen.
        assert q.high + q.risk * cost.sum() / one.sum() < p.high < dear
    assert found[1].risk == pytest.approx(counted[1].risk)


def test_mistakes_that_cost_nothing_so_far_may_have_been_luck():
    scores, y = noisy(20, 5, 3)
    cost = np.zeros((20, 20))
    cost[cell_never_hit(scores, y)] = 1
    found = extrapolate(
        scores, y, cost=cost, to=[10, 20, 21, 400], method="bayesian"
    ).predictions
    assert [p.low for p in found] == [0.0] * 4
    assert [p.risk for p in found[:2]] == [0.0] * 2
    assert 0 < found[0].high < found[1].high < found[2].high < found[3].high < 0.1


@pytest.mark.parametrize("is_seen", [True, False])
@pytest.mark.parametrize("dear", [3.0, 1e3, 1e9, 1e300])
def test_the_interval_does_not_shrink_where_the_data_end(dear, is_seen):
    scores, y = noisy(20, 5, 3)
    wrong = np.flatnonzero(scores.argmax(axis=1) != y)[0]
    seen = scores[wrong].argmax(), y[wrong]
    cost = 1 - np.eye(20)
    cost[seen if is_seen else cell_never_hit(scores, y)] = dear
    at, beyond = extrapolate(
        scores, y, cost=cost, to=[20, 21], method="bayesian"
    ).predictions
    assert np.isfinite([at.low, at.high, beyond.low, beyond.high]).all()
    assert beyond.high - beyond.low >= at.high - at.low
    assert beyond.high / at.high < 1.5
    assert 1 / 1.5 < beyond.low / at.low < 1.5


def test_what_was_multiplied_is_told():
    scores, y = noisy(20, 5, 3)
    cost = np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    answer = extrapolate(scores, y, cost=cost, to=[10, 400])
    assert answer.classes.tolist() == [400]
    product = answer.mistakes.expected[0] * answer.cost_of_a_mistake.expected[0]
    assert answer.predictions[1].risk == pytest.approx(product)
    assert answer.cost_interval is CostInterval.JACKKNIFE
    assert sum(answer.weights.values()) == pytest.approx(1)


def test_a_mistake_may_be_a_gain():
    scores, y = noisy(20, 5, 3)
    cost = np.eye(20) - 0.5 + 0.1 * (np.arange(20) % 3)
    gain = extrapolate(scores, y, cost=cost, to=[20, 100]).predictions
    assert gain[1].risk < gain[0].risk
    for p in gain:
        assert p.low < p.risk < p.high


def test_a_cost_of_being_right_that_varies_is_in_doubt():
    scores, y = noisy(20, 5, 3)
    same = 1 - np.eye(20) + 2
    varied = same + np.where(np.arange(20) % 2, 0.5, -0.5)
    known = extrapolate(scores, y, cost=same, to=100).predictions[0]
    unsure = extrapolate(scores, y, cost=varied, to=100).predictions[0]
    assert unsure.risk == pytest.approx(known.risk)
    assert unsure.high - unsure.low > known.high - known.low


@pytest.mark.filterwarnings(GUESSING)
def test_the_moment_method_goes_on_from_the_curve_itself():
    scores, y, cost = toy(30, 4, 0)
    answer = extrapolate(scores, y, cost=cost, to=[30, 60], method="moments")
    assert answer.predictions[0].risk == pytest.approx(answer.observed.risk[-1])
    assert answer.predictions[1].risk > answer.predictions[0].risk
    assert answer.penalty > 0
    assert answer.mistakes is None
    for p in answer.predictions:
        assert p.low <= p.risk <= p.high
    with pytest.raises(UsageError, match="method"):
        extrapolate(scores, y, to=60, method="moments")


@pytest.mark.filterwarnings(GUESSING)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_interval_of_moments_is_as_wide_just_beyond_the_data(seed):
    scores, y, cost = toy(30, 4, seed)
    answer = extrapolate(scores, y, cost=cost, to=[30, 31], method="moments")
    at, beyond = (np.log(p.high / p.low) for p in answer.predictions)
    assert beyond == pytest.approx(at, rel=0.2)


def test_paying_for_being_right_adds_a_constant():
    scores, y, cost = toy(20, 3, 1)
    plain = extrapolate(scores, y, cost=cost, to=80)
    paid = extrapolate(scores, y, cost=cost + 5, to=80)
    assert paid.predictions[0].risk == pytest.approx(plain.predictions[0].risk + 5)


@pytest.mark.filterwarnings(GUESSING)
def test_risks_survive_json():
    scores, y, cost = toy(12, 2, 2)
    answer = extrapolate(scores, y, cost=cost, to=50)
    text = json.dumps(answer.to_dict(), allow_nan=False)
    assert RiskExtrapolation.from_dict(json.loads(text)).to_dict() == answer.to_dict()


@pytest.mark.filterwarnings(f"ignore:1,000 classes are 83 times:{WARNING}")
def test_numbers_are_written_as_people_write_them():
    scores, y, cost = toy(12, 2, 2)
    answer = extrapolate(scores, y, cost=1e4 * cost, to=[6, 50, 1000])
    words = render(answer)
    assert "e+" not in words + answer.summary() + answer.observed.summary()
    assert ",000" in words


def test_far_targets_warn():
    scores, y, cost = toy(10, 2, 3)
    with pytest.warns(ExtrapolationWarning, match="times"):
        extrapolate(scores, y, cost=cost, to=1000)


def test_one_tested_class_is_not_enough():
    scores, y, cost = toy(10, 2, 3)
    with pytest.raises(InsufficientDataError, match="one class"):
        extrapolate(scores[y == 1], y[y == 1], cost=cost, to=20)


def test_two_classes_are_too_few():
    with pytest.raises(InsufficientDataError, match="two classes"):
        extrapolate(np.eye(2), range(2), cost=1 - np.eye(2), to=10)


def test_no_mistake_seen_costs_what_mistakes_may():
    scores = np.eye(20)[np.repeat(np.arange(20), 3)] * 12.0
    y = np.repeat(np.arange(20), 3)
    with pytest.warns(ExtrapolationWarning) as said:
        answer = extrapolate(scores, y, cost=3 * (1 - np.eye(20)), to=[20, 400, 10**6])
    assert any("No mistake was seen" in str(w.message) for w in said)
    highs = [p.high for p in answer.predictions]
    assert 0 < highs[0] < highs[1] < highs[2] <= 3
    with pytest.warns(ExtrapolationWarning):
        accuracy = extrapolate(scores, y, to=[400, 10**6], backtest=0)
    for p, q in zip(answer.predictions[1:], accuracy.predictions, strict=True):
        assert p.risk == pytest.approx(3 * (1 - q.accuracy))
        assert p.high == pytest.approx(3 * (1 - q.low))
        assert p.low == 0
    assert answer.predictions[0].risk == 0


@pytest.mark.filterwarnings(FEW, GUESSING)
def test_too_few_classes_for_an_interval_says_so():
    scores = (
        np.random.default_rng(0).normal(size=(30, 3)) + np.eye(3)[np.arange(30) % 3]
    )
    cost = [[0, 1, 1], [1, 0, 1], [1, 2, 0]]
    with pytest.warns(ExtrapolationWarning, match="No interval"):
        answer = extrapolate(scores, np.arange(30) % 3, cost=cost, to=6)
    assert "no interval" in answer.summary()
    assert "none" in render(answer)


def test_the_method_is_one_that_exists():
    with pytest.raises(UsageError, match="magic"):
        extrapolate(np.eye(5), range(5), cost=1 - np.eye(5), to=9, method="magic")
