"""Classes that come more often than others: averages, forecasts, intervals."""

from itertools import combinations

import numpy as np
import pytest
import scipy

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.extrapolation import Bayesian, ObservedClasses, observed as observed_room
from scorecast.extrapolation.observed import effective_size
from scorecast.scores import (
    accuracy_curve,
    check_class_weights,
    kish_size,
    risk_curve,
    sample_weights,
)

WEIGHTS = np.array([3.0, 0.5, 1.0, 0.0, 2.0])
OWN = np.array([0, 0, 0, 1, 1, 2, 3, 4, 4])


def scores_with_ties(n_classes=5, own=OWN, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (own.size, n_classes)).astype(float)


def enumerated(scores, own, weights, cost, k):
    """Average over subsets; each counts by the weight of its classes with samples.

    A tie of the best is broken at random.
    """
    total = of_weights = 0.0
    for subset in combinations(range(scores.shape[1]), k):
        for truth in subset:
            rows = np.flatnonzero(own == truth)
            if not rows.size:
                continue
            paid = []
            for row in rows:
                best = max(scores[row, c] for c in subset)
                said = [c for c in subset if scores[row, c] == best]
                paid.append(np.mean([cost[c, truth] for c in said]))
            total += weights[truth] * np.mean(paid)
            of_weights += weights[truth]
    return total / of_weights


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_curves_are_averages_over_all_subsets(k):
    scores = scores_with_ties()
    cost = np.random.default_rng(1).integers(0, 9, (5, 5)).astype(float)
    given = {"class_weights": WEIGHTS, "sizes": [k]}
    right = accuracy_curve(scores, OWN, **given)
    assert right.accuracy[0] == pytest.approx(
        enumerated(scores, OWN, WEIGHTS, np.eye(5), k), abs=1e-12
    )
    risk = risk_curve(scores, OWN, cost=cost, **given)
    assert risk.risk[0] == pytest.approx(
        enumerated(scores, OWN, WEIGHTS, cost, k), abs=1e-12
    )
    assert right.class_weighting.n_weightless == 1
    assert right.class_weighting.most == pytest.approx(3 / 6.5)


def test_weights_are_costs_that_grow_with_them():
    """The papers' way: risk under unequal priors is that of costs times priors."""
    own = np.repeat(np.arange(5), 2)
    scores, weights = scores_with_ties(own=own), np.array([3.0, 0.5, 1.0, 4.0, 2.0])
    cost = np.random.default_rng(1).integers(0, 9, (5, 5)).astype(float)
    weighed = risk_curve(scores, own, cost=cost, class_weights=weights)
    scaled = risk_curve(scores, own, cost=cost * weights / weights.mean())
    assert weighed.risk == pytest.approx(scaled.risk, abs=1e-12)


def test_as_many_weights_as_samples_is_the_average_over_samples():
    scores, counts = scores_with_ties(), np.bincount(OWN)
    weighed = accuracy_curve(scores, OWN, class_weights=counts)
    plain = accuracy_curve(scores, OWN, average="micro")
    assert weighed.accuracy == pytest.approx(plain.accuracy, abs=1e-13)
    assert weighed.stderr == pytest.approx(plain.stderr, abs=1e-13, nan_ok=True)


@pytest.fixture(scope="module")
def problem():
    own = np.repeat(np.arange(24), 3)
    rng = np.random.default_rng(0)
    return rng.normal(size=(own.size, 24)) + 2.5 * np.eye(24)[own], own


@pytest.mark.parametrize("method", ["auto", "kde-ucv", "regression", "gaussian"])
def test_equal_weights_change_nothing(problem, method):
    asked = {"to": [12, 200], "method": method, "backtest": 2, "compare": False}
    plain = sc.extrapolate(*problem, **asked).to_dict()
    equal = sc.extrapolate(*problem, **asked, class_weights=np.full(24, 0.3)).to_dict()
    assert equal["result"] == plain["result"]
    assert equal["inputs"].pop("class_weighting")["n_effective"] == 24
    assert equal["options"] == plain["options"]


def test_equal_weights_change_no_cost_and_no_back_test(problem):
    cost = np.random.default_rng(1).random((24, 24))
    asked = {"to": [12, 200], "cost": cost, "method": "bayesian", "backtest": 2}
    plain = sc.extrapolate(*problem, **asked).to_dict()["result"]
    equal = sc.extrapolate(*problem, **asked, class_weights=np.ones(24)).to_dict()
    equal["result"]["observed"].pop("class_weighting")
    plain["observed"].pop("class_weighting")
    assert equal["result"] == plain
    tried = {"methods": ["gaussian"], "n_repeats": 2}
    assert (
        sc.backtest(*problem, **tried).rows
        == sc.backtest(*problem, **tried, class_weights=np.full(24, 7)).rows
    )


@pytest.mark.parametrize("method", ["auto", "kde-ucv", "regression", "spline"])
def test_every_method_heeds_weights(problem, method):
    """Classes of which the first samples are right weigh all: so is the forecast."""
    scores, own = problem
    right = scores.argmax(axis=1) == own
    share = np.bincount(own, right) / np.bincount(own)
    asked = {"to": 200, "method": method, "backtest": 0, "compare": False}
    low, plain, high = (
        sc.extrapolate(scores, own, **asked, class_weights=w).predictions[0].accuracy
        for w in (0.1 + (share < 0.6), None, 0.1 + (share > 0.6))
    )
    assert low < plain < high


def test_names_and_order_are_the_same(problem):
    scores, own = problem
    names = [f"class {i}" for i in range(24)]
    weights = np.random.default_rng(3).random(24)
    named = sc.Scores(scores, [names[i] for i in own], classes=names)
    asked = {"to": 200, "method": "gaussian", "backtest": 0}
    by_name = dict(sorted(zip(names, weights, strict=True)))
    found = [
        sc.extrapolate(named, **asked, class_weights=w).predictions[0]
        for w in (by_name, weights, weights * 1e9)
    ]
    assert found[0] == found[1]
    assert found[2].accuracy == pytest.approx(found[1].accuracy, abs=1e-9)


@pytest.mark.filterwarnings("ignore:2 of 24 classes have no example")
def test_without_weight_a_class_is_only_ever_wrong(problem):
    scores, own = problem
    weights = np.ones(24)
    weights[[3, 7]] = 0
    kept = ~np.isin(own, [3, 7])
    asked = {"to": 200, "method": "bayesian", "backtest": 0}
    weighed = sc.extrapolate(scores, own, **asked, class_weights=weights)
    fewer = sc.extrapolate(
        sc.Scores(scores[kept], own[kept], classes=range(24)), **asked
    )
    assert weighed.predictions == fewer.predictions
    assert weighed.n_samples == fewer.n_samples == 66


def test_fewer_classes_tell_where_few_carry_the_weight(problem):
    data = sc.Scores(*problem)
    weights = np.r_[np.full(4, 1.0), np.full(20, 0.05)]
    plain, weighed = (
        ObservedClasses.of(data, class_weights=w) for w in (None, weights)
    )
    assert weighed.n_alike == pytest.approx(weights.sum() ** 2 / (weights @ weights))
    # By hand: the variance of a weighted mean of class means.
    counts = np.bincount(data.own)
    rho = (72 / effective_size(plain) - 1) / 2
    shares = weights / weights.sum()
    variance = shares**2 @ (rho + (1 - rho) / counts)
    assert effective_size(weighed) == pytest.approx(1 / variance)
    assert effective_size(weighed) < 0.4 * effective_size(plain)
    wide, narrow = (
        sc.extrapolate(data, to=200, method=m, class_weights=w, backtest=0)
        for m in ["bayesian"]
        for w in (weights, None)
    )
    assert wide.n_effective == pytest.approx(effective_size(weighed))
    assert wide.predictions[0].high - wide.predictions[0].low > 1.3 * (
        narrow.predictions[0].high - narrow.predictions[0].low
    )


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")
def test_a_faultless_weighted_test_promises_as_much_as_its_kish_size():
    scores = np.eye(30)
    weights = np.r_[np.full(3, 10.0), np.full(27, 0.1)]
    found = sc.extrapolate(
        scores, range(30), to=30, class_weights=weights, confidence_level=0.9
    )
    n = kish_size(weights)
    assert found.observed_low == pytest.approx(0.1 ** (1 / n), abs=1e-6)
    assert found.observed_low < 0.6


def test_recognisers_are_compared_by_weight(problem):
    scores, own = problem
    other = scores + 1.5 * np.eye(24)[own] * (own < 12)[:, None]
    asked = {"to": 200, "method": "gaussian", "backtest": 0}
    early, late = (
        sc.extrapolate({"a": scores, "b": other}, own, **asked, class_weights=w)
        .differences[0]
        .value
        for w in (
            np.r_[np.ones(12), np.full(12, 0.1)],
            np.r_[np.full(12, 0.1), np.ones(12)],
        )
    )
    assert early > late > -0.05


def test_sample_weights_share_the_weight_of_a_class():
    weights = sample_weights(OWN, "macro", WEIGHTS)
    assert np.bincount(OWN, weights) == pytest.approx(WEIGHTS / 6.5)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({"a": 1, "b": 2}, "there is none for class 'c'"),
        ({"a": 1, "b": 2, "c": 1, "x": 1}, "'x' is no class"),
        ([1, 2], "one per class"),
        ([1, -2, 1], "-2 is negative, of class 'b'"),
        ([1, float("nan"), 1], "no finite number"),
        ([1, "many", 1], "is no number"),
        ([0, 0, 0], "all of them are zero"),
    ],
)
def test_bad_weights_are_refused(weights, words):
    with pytest.raises(InvalidInputError, match=words) as caught:
        check_class_weights(weights, ["a", "b", "c"])
    assert caught.value.parameter == "class_weights"


def test_a_series_names_its_classes():
    pandas = pytest.importorskip("pandas")
    weights = pandas.Series([1.0, 4.0], index=["cat", "dog"])
    assert check_class_weights(weights, ["dog", "cat"]).tolist() == [1.0, 0.25]
    with pytest.raises(InvalidInputError, match="none for class"):
        check_class_weights(weights.reset_index(drop=True), ["dog", "cat"])


def test_weights_are_of_classes(problem):
    with pytest.raises(UsageError, match="with 'micro' samples do"):
        sc.extrapolate(*problem, to=200, average="micro", class_weights=np.ones(24))
    alone = np.eye(24)[5]
    with pytest.raises(InsufficientDataError, match="one class"):
        sc.extrapolate(*problem, to=200, class_weights=alone)


# --- intervals -----------------------------------------------------------------------

N_CLASSES, TO = 50, 500
SLOPE, SPREAD = 0.7, 0.7  # log-weights on difficulty, and beside it


def drawn(rng, n_classes=N_CLASSES):
    """Draw classes, rarer the harder they are, with two samples each."""
    ease = rng.normal(size=n_classes)
    weights = np.exp(SLOPE * ease + SPREAD * rng.normal(size=n_classes))
    own = np.repeat(np.arange(n_classes), 2)
    truth = 2.3 + 0.8 * ease[own] + 0.6 * rng.normal(size=own.size)
    return weights, own, truth


def true_accuracy():
    rng = np.random.default_rng(0)
    weights, own, truth = drawn(rng, 200_000)
    each = weights[own] / weights[own].sum()
    return float(each @ np.exp((TO - 1) * scipy.special.log_ndtr(truth)))


def share_held(n_repeats, method, *, is_weighed=True):
    expected, held = true_accuracy(), []
    for seed in range(n_repeats):
        rng = np.random.default_rng([7, seed])
        weights, own, truth = drawn(rng)
        scores = rng.normal(size=(own.size, N_CLASSES))
        scores[np.arange(own.size), own] = truth
        found = sc.extrapolate(
            scores,
            own,
            to=TO,
            method=method,
            confidence_level=0.9,
            class_weights=weights if is_weighed else None,
            backtest=0,
            compare=False,
        ).predictions[0]
        held.append(found.low <= expected <= found.high)
    return np.mean(held)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")
@pytest.mark.parametrize("method", ["auto", "bayesian", "gaussian"])
def test_intervals_of_weighted_forecasts_hold(method):
    # Of 160 at .9 the standard error is .024.
    assert share_held(160, method) >= 0.83


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")
def test_intervals_that_do_not_know_the_weights_fail(monkeypatch):
    assert share_held(100, Bayesian(), is_weighed=False) < 0.75
    # Nor do those that take weighted classes for as many of equal weight.
    monkeypatch.setattr(observed_room, "_weighing", lambda *_: 1.0)
    monkeypatch.setattr(
        ObservedClasses, "n_alike", property(lambda self: float(self.n_tested))
    )
    honest = 0.86
    assert share_held(160, Bayesian()) < honest
