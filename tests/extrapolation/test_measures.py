"""Several measures of one fit: guesses, mean reciprocal rank, cost; brute force."""

import json
from itertools import combinations

import numpy as np
import pytest
from scipy.special import ndtr

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.extrapolation import (
    EXTRAPOLATORS,
    Extrapolation,
    ObservedClasses,
    RiskExtrapolation,
)
from scorecast.extrapolation.extrapolator import EmpiricalFavourability
from scorecast.extrapolation.measures import ReciprocalRank, TopMeasure, _sums

pytestmark = pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")

RNG = np.random.default_rng(5)
OWN = np.arange(90) % 30
SCORES = RNG.normal(size=(90, 30)) + 2.2 * np.eye(30)[OWN]
QUICK = {"backtest": 0, "compare": False}


def brute_force(scores, own, k, measure):
    """Average over all subsets of k classes, samples of the subset alone."""
    n_classes = scores.shape[1]
    totals, counts = np.zeros(n_classes), np.zeros(n_classes)
    for chosen in combinations(range(n_classes), k):
        for row, label in zip(scores, own, strict=True):
            if label in chosen:
                others = [c for c in chosen if c != label]
                above = int((row[others] > row[label]).sum())
                tied = int((row[others] == row[label]).sum())
                ranks = above + 1 + np.arange(tied + 1)  # ties broken at random
                totals[label] += measure(ranks).mean()
                counts[label] += 1
    tested = counts > 0
    return float((totals[tested] / counts[tested]).mean())


@pytest.mark.parametrize("is_tied", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5, 7])
def test_measures_of_observed_classes_are_averages_over_all_subsets(k, is_tied):
    rng = np.random.default_rng(k)
    own = np.array([0, 0, 1, 2, 3, 4, 5, 6, 6])
    scores = rng.normal(size=(9, 7)) + np.eye(7)[own]
    scores = scores.round(0) if is_tied else scores
    answer = sc.extrapolate(scores, own, to=[k, 20], top=[1, 2, 3], mrr=True, **QUICK)
    found = {name: m.predictions[0] for name, m in answer.measures.items()}
    assert all(p.is_observed for p in found.values())
    for top in (1, 2, 3):
        exact = brute_force(scores, own, k, lambda rank, top=top: rank <= top)
        assert found[f"top-{top}"].value == pytest.approx(exact, abs=1e-12)
    exact = brute_force(scores, own, k, lambda rank: 1 / rank)
    assert found["mrr"].value == pytest.approx(exact, abs=1e-12)
    (all_classes, *_) = answer.match_curves
    if k == 7:
        np.testing.assert_allclose(
            all_classes.accuracy, [found[f"top-{m}"].value for m in (1, 2, 3)]
        )


def test_beyond_the_data_the_mean_reciprocal_rank_is_that_of_the_law():
    """E 1 / (1 + B), B binomial: all of it, if the data agree with the law."""
    p = np.array([0.0, 0.001, 0.02, 0.3, 0.9])
    weights = np.array([0.3, 0.3, 0.2, 0.15, 0.05])
    law = EmpiricalFavourability(values=1 - p, weights=weights)
    for k in (40, 300, 100_000):
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(p > 0, (1 - (1 - p) ** k) / (k * p), 1.0)
        # The mean of accuracies among 1, 2, ..., k classes.
        accuracies = law.accuracy(np.arange(1, min(k, 30) + 1)).sum()
        (beyond,) = _sums([law.accuracy], min(k, 30), np.array([k]))
        assert (accuracies + beyond[0]) / k == pytest.approx(each @ weights, rel=1e-6)


def test_gaussian_classes_are_forecast_with_all_measures():
    rng = np.random.default_rng(3)
    own = np.arange(1000) % 200
    scores = rng.normal(size=(1000, 200)) + 2.5 * np.eye(200)[own]
    rank = 1 + rng.binomial(1599, ndtr(-rng.normal(2.5, 1, 400_000)))
    answer = sc.extrapolate(
        scores, own, to=1600, top=[1, 5, 20], mrr=True, method="gaussian", **QUICK
    )
    truth = {f"top-{m}": (rank <= m).mean() for m in (1, 5, 20)}
    truth["mrr"] = (1 / rank).mean()
    for name, value in truth.items():
        (p,) = answer.measures[name].predictions
        assert p.value == pytest.approx(value, abs=0.03)
        assert p.low < p.value < p.high
        assert p.chance < p.value


@pytest.mark.parametrize("method", [m for m in EXTRAPOLATORS if m != "polynomial"])
def test_every_method_is_asked_for_every_measure_and_they_are_in_order(method):
    if method == "kde-fixed":
        method = EXTRAPOLATORS[method].with_settings(bandwidth=0.3)
    answer = sc.extrapolate(
        SCORES,
        OWN,
        to=[10, 30, 90, 900],
        top=[1, 3, 9],
        mrr=True,
        method=method,
        **QUICK,
    )
    one, three, nine, mrr = (
        np.array([p.value for p in answer.measures[name].predictions])
        for name in ("top-1", "top-3", "top-9", "mrr")
    )
    assert (one <= three + 1e-9).all()
    assert (three <= nine + 1e-9).all()
    # A reciprocal rank is 1 if first, and at most 1/2 else.
    assert (one <= mrr + 1e-9).all()
    assert (mrr <= (1 + one) / 2 + 1e-9).all()
    for m in answer.measures.values():
        assert (np.diff([p.value for p in m.predictions]) <= 1e-9).all()
        assert (np.diff([p.low for p in m.predictions]) <= 1e-9).all()
        assert m.curve.value[0] == pytest.approx(m.observed.value[-1], abs=0.12)


def test_the_answer_is_that_of_the_least_guesses_alone():
    several = sc.extrapolate(SCORES, OWN, to=200, top=[10, 2, 5, 2], mrr=True, **QUICK)
    alone = sc.extrapolate(SCORES, OWN, to=200, top=2, **QUICK)
    assert several.top == 2
    assert several.predictions == alone.predictions
    assert list(several.measures) == ["top-2", "top-5", "top-10", "mrr"]
    assert list(alone.measures) == ["top-2"]
    assert not alone.match_curves
    five = sc.extrapolate(SCORES, OWN, to=200, top=5, **QUICK).predictions[0]
    assert several.measures["top-5"].predictions[0].value == five.accuracy


def test_one_more_guess_never_hurts_and_curves_reach_from_one_to_the_most():
    answer = sc.extrapolate(SCORES, OWN, to=[200, 2000], top=[1, 12], **QUICK)
    assert [c.classes for c in answer.match_curves] == [30, 200, 2000]
    assert [c.is_observed for c in answer.match_curves] == [True, False, False]
    for curve in answer.match_curves:
        assert curve.guesses.tolist() == list(range(1, 13))
        for row in (curve.accuracy, curve.low, curve.high):
            assert (np.diff(row) >= 0).all()
        assert (curve.low <= curve.accuracy).all()
        assert (curve.accuracy <= curve.high).all()
    assert answer.match_curves[1].accuracy[0] == pytest.approx(
        answer.predictions[0].accuracy
    )


def test_every_measure_is_back_tested():
    answer = sc.extrapolate(
        SCORES, OWN, to=90, top=[1, 5], mrr=True, method="gaussian", backtest=4
    )
    observed = ObservedClasses.of(sc.Scores(SCORES, OWN))
    at_all = np.array([30])
    for name, measure in answer.measures.items():
        (row,) = measure.backtest
        kind = ReciprocalRank() if name == "mrr" else TopMeasure.of(int(name[4:]))
        assert row.truth == pytest.approx(kind.value(observed.ranks, at_all)[0])
        assert row.n_repeats == 4
        assert 0 < row.rmse < 0.2
    # Within 15 guesses all is right among half of the classes: nothing to test.
    most = sc.extrapolate(
        SCORES, OWN, to=90, top=[1, 15], method="gaussian", backtest=2
    )
    assert most.backtest
    assert not most.measures["top-15"].backtest


def test_measures_survive_json_and_are_shown():
    answer = sc.extrapolate(SCORES, OWN, to=[20, 200], top=[1, 5], mrr=True, **QUICK)
    saved = json.loads(json.dumps(answer.to_dict()))
    again = Extrapolation.from_dict(saved)
    assert again.to_dict() == answer.to_dict()
    assert again.summary() == answer.summary()
    assert "within 5 guesses" in answer.summary()
    assert "mean reciprocal rank" in answer.summary()
    columns = answer.to_columns()
    assert columns["measure"] == ["top-1"] * 2 + ["top-5"] * 2 + ["mrr"] * 2
    page = sc.render(answer, "html")
    assert "Accuracy against the number of guesses" in page
    assert page.count("<svg") > 2


def test_cost_and_other_measures_come_from_one_run():
    cost = np.where(np.arange(30)[:, None] < 15, 2.0, 1.0) * (1 - np.eye(30))
    both = sc.extrapolate(
        SCORES,
        OWN,
        to=200,
        cost=cost,
        top=[1, 5],
        mrr=True,
        method="bayesian",
        backtest=3,
    )
    alone = sc.extrapolate(
        SCORES, OWN, to=200, top=[1, 5], mrr=True, method="bayesian", backtest=3
    )
    assert both.accuracy.to_columns() == alone.to_columns()
    # The cost is made of the same chance of a mistake.
    assert both.mistakes.expected[0] == pytest.approx(1 - alone.predictions[0].accuracy)
    again = RiskExtrapolation.from_dict(json.loads(json.dumps(both.to_dict())))
    assert again.to_dict() == both.to_dict()
    assert "MRR" in sc.render(both)
    plain = sc.extrapolate(
        SCORES, OWN, to=200, cost=cost, method="bayesian", backtest=3
    )
    assert plain.accuracy is None
    assert plain.predictions == both.predictions


def test_a_cost_of_one_is_back_tested_as_one_minus_accuracy():
    risk = sc.extrapolate(
        SCORES, OWN, to=200, cost=1 - np.eye(30), method="bayesian", backtest=5
    )
    (row,) = risk.backtest
    accuracy = sc.accuracy_curve(SCORES, OWN, sizes=30).accuracy[0]
    assert row.truth == pytest.approx(1 - accuracy)
    assert (row.from_classes, row.to_classes, row.n_repeats) == (15, 30, 5)
    assert row.rmse < 0.15
    assert row.coverage == 1
    assert not sc.extrapolate(
        SCORES, OWN, to=200, cost=1 - np.eye(30), method="bayesian", backtest=0
    ).backtest


@pytest.mark.parametrize(
    ("rules", "parameter"),
    [
        ({"top": []}, "top"),
        ({"top": [1, 0]}, "top"),
        ({"top": [1, 2.5]}, "top"),
        ({"top": "15"}, "top"),
        ({"top": [1, 30]}, "top"),
        ({"top": [1, 5], "method": "polynomial"}, "method"),
        ({"mrr": True, "cost": 1 - np.eye(30), "method": "moments"}, "method"),
    ],
)
def test_measures_that_are_none_are_refused(rules, parameter):
    with pytest.raises(UsageError) as caught:
        sc.extrapolate(SCORES, OWN, to=100, **{**QUICK, **rules})
    assert caught.value.parameter == parameter


@pytest.mark.slow
@pytest.mark.statistical
def test_intervals_of_the_mean_reciprocal_rank_hold_and_half_as_wide_would_not():
    """From 60 to 1,000 Gaussian classes; the truth is an integral."""
    rng = np.random.default_rng(0)
    p = ndtr(-rng.normal(2.0, 1, 400_000))
    truth = ((1 - (1 - p) ** 1000) / (1000 * p)).mean()
    held, narrow = [], []
    for seed in range(150):
        rng = np.random.default_rng((seed, 11))
        scores = rng.normal(size=(60, 60)) + 2.0 * np.eye(60)
        answer = sc.extrapolate(
            scores,
            range(60),
            to=1000,
            mrr=True,
            method="bayesian",
            confidence_level=0.9,
            **QUICK,
        )
        (p90,) = answer.measures["mrr"].predictions
        half = (p90.high - p90.low) / 4
        held.append(p90.low <= truth <= p90.high)
        narrow.append(abs(p90.value - truth) <= half)
    assert 0.84 <= np.mean(held) <= 0.99
    assert np.mean(narrow) < 0.8
