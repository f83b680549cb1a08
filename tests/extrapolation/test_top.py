import json

import numpy as np
import pytest
from scipy.special import betaincc, ndtr
from scipy.stats import binom

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.extrapolation import (
    Backtest,
    Extrapolation,
    ObservedClasses,
    perfect_bound,
)
from scorecast.extrapolation.bayesian import _NODES, RankPosterior, rank_posterior
from scorecast.extrapolation.extrapolator import EmpiricalFavourability, ProbitMixture
from scorecast.extrapolation.spline import SplineFavourability
from scorecast.scores import Scores

ABLE = ["bayesian", "gaussian", "regression", "kde-ucv", "kde-bcv", "spline"]
FITTED = [
    ProbitMixture(
        means=np.array([0.5, 2.0]),
        sds=np.array([0.7, 1.1]),
        weights=np.array([0.5, 0.3]),
        always_right=0.1,
    ),
    EmpiricalFavourability(
        values=np.array([0.0, 0.3, 0.9, 0.999, 1.0]), weights=np.full(5, 0.2)
    ),
    SplineFavourability(
        knots=np.array([0.0, 0.5, 0.99]), slopes=np.array([0.2, 0.6, 10.0])
    ),
    rank_posterior(
        ObservedClasses.of(Scores(2 * np.eye(30) - np.eye(30)[::-1], range(30)))
    )[0],
]


def gaussian_classes(n_classes, spread, seed):
    """Draw classes and one example of each, scored by minus the distance."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_classes, 6))
    examples = centres + spread * rng.normal(size=centres.shape)
    return -((examples[:, None] - centres) ** 2).sum(axis=2)


@pytest.mark.parametrize("method", [*ABLE, "auto"])
def test_top_5_of_gaussian_classes_is_forecast(method):
    rng = np.random.default_rng(3)
    # Five examples of 200 classes; every wrong class scores on its own, N(0, 1).
    own = np.arange(1000) % 200
    scores = rng.normal(size=(1000, 200)) + 2.5 * np.eye(200)[own]
    beating = rng.binomial(1599, ndtr(-rng.normal(2.5, 1, 400_000)))
    answer = sc.extrapolate(scores, own, to=1600, method=method, top=5, backtest=1)
    prediction = answer.predictions[0]
    # Smoothing and splines are biased here for one guess, too.
    far = 0.06 if method in ("kde-ucv", "kde-bcv", "spline") else 0.03
    assert prediction.accuracy == pytest.approx((beating < 5).mean(), abs=far)
    assert prediction.low < prediction.accuracy < prediction.high
    once = sc.extrapolate(scores, own, to=1600, method=method, backtest=0)
    assert prediction.accuracy > once.predictions[0].accuracy + 0.1
    # The curve starts at what was counted.
    assert answer.curve.accuracy[0] == pytest.approx(answer.observed_accuracy, abs=far)


@pytest.mark.parametrize("fitted", FITTED, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("top", [2, 5, 120])
def test_top_accuracy_is_a_binomial_averaged_over_favourability(fitted, top):
    ks = np.array([2, 5, 6, 130, 5000, 10**6])
    # Differences of D on a grid fine enough near one, whatever the family.
    edges = 1 - np.concatenate([np.geomspace(1, 1e-9, 400_001), [0.0]])
    below = fitted.discriminability(edges)
    mass = np.append(below[0], np.diff(below))
    middle = np.append(edges[0], (edges[1:] + edges[:-1]) / 2)
    middle[-1] = 1.0
    expected = [mass @ binom.cdf(top - 1, k - 1, 1 - middle) for k in ks]
    if isinstance(fitted, RankPosterior):
        # Its D(u) is drawn as a line between nodes; its accuracy counts the nodes.
        weight, p = fitted.mean_masses, ndtr(-_NODES)
        lost = fitted.mean_lost * np.minimum(top / ks, 1)
        expected = [weight @ binom.cdf(top - 1, k - 1, p) for k in ks] + lost
    if isinstance(fitted, EmpiricalFavourability):
        p = 1 - fitted.values
        expected = [fitted.weights @ binom.cdf(top - 1, k - 1, p) for k in ks]
    np.testing.assert_allclose(fitted.accuracy(ks, top), expected, atol=2e-5)


@pytest.mark.parametrize("fitted", FITTED, ids=lambda f: type(f).__name__)
def test_one_guess_is_plain_accuracy_and_every_guess_helps(fitted):
    ks = np.array([2, 7, 50, 10**4])
    several = np.array([fitted.accuracy(ks, top) for top in range(1, 8)])
    assert (np.diff(several, axis=0) >= -1e-12).all()
    assert (np.diff(several, axis=1) <= 1e-12).all()


def test_up_to_the_observed_classes_the_answer_is_exact():
    rng = np.random.default_rng(2)
    own = np.arange(60) % 12
    scores = rng.normal(size=(60, 12)) + np.eye(12)[own]
    answer = sc.extrapolate(scores, own, to=[2, 5, 12, 30], top=3)
    exact = sc.accuracy_curve(scores, own, sizes=[2, 5, 12], top=3)
    found = [p.accuracy for p in answer.predictions[:3]]
    np.testing.assert_allclose(found, exact.accuracy)
    assert answer.observed.top == answer.top == 3
    assert answer.predictions[3].accuracy < exact.accuracy[-1]


def test_the_words_and_the_file_tell_how_many_guesses():
    scores = gaussian_classes(40, 0.6, 1)
    answer = sc.extrapolate(scores, range(40), to=200, top=2)
    assert "within 2 guesses" in answer.summary()
    data = json.loads(json.dumps(answer.to_dict()))
    assert data["options"]["top"] == 2
    again = Extrapolation.from_dict(data)
    assert (again.top, again.observed.top) == (2, 2)
    assert again.summary() == answer.summary()


def test_a_favourability_next_to_nothing_is_no_trouble():
    tiny = EmpiricalFavourability(
        values=np.array([0.0, 1e-17]), weights=np.full(2, 0.5)
    )
    found = tiny.accuracy(np.array([3, 4, 5]), 3)
    np.testing.assert_allclose(found, [1.0, 1.5e-17, 0.0], atol=1e-30)


def test_scores_have_a_say_in_several_guesses():
    scores = gaussian_classes(60, 0.5, 2)
    answer = sc.extrapolate(scores, range(60), to=600, top=3)
    shares = {m.name: m.weight for m in answer.methods}
    assert shares["bayesian"] > 0
    assert shares["tail"] > 0
    between = [m.targets[0] for m in answer.methods if m.weight > 0]
    assert min(between) <= answer.predictions[0].accuracy <= max(between)


def test_half_of_the_classes_must_exceed_the_guesses_to_be_hidden():
    scores = gaussian_classes(16, 0.9, 2)
    answer = sc.extrapolate(scores, range(16), to=100, top=8)
    assert answer.backtest == ()
    assert sc.extrapolate(scores, range(16), to=100, top=7).backtest


def test_back_tests_by_hand_take_guesses():
    scores = gaussian_classes(40, 0.6, 1)
    rules = {"methods": ["auto", "spline"], "n_repeats": 3}
    result = sc.backtest(scores, range(40), top=12, **rules)
    # Of ten classes everything is right within twelve guesses.
    assert {row.from_classes for row in result.rows} == {20}
    truth = sc.accuracy_curve(scores, range(40), sizes=40, top=12).accuracy[0]
    assert result.rows[0].truth == pytest.approx(truth)
    data = json.loads(json.dumps(result.to_dict()))
    assert data["options"]["top"] == Backtest.from_dict(data).top == 12
    with pytest.raises(InsufficientDataError, match="guesses"):
        sc.backtest(scores, range(40), top=20, **rules)


def test_back_tests_are_of_the_same_number_of_guesses():
    scores = gaussian_classes(60, 0.6, 4)
    answer = sc.extrapolate(scores, range(60), to=200, top=3, method="gaussian")
    row = answer.backtest[0]
    assert row.truth == pytest.approx(answer.observed_accuracy, abs=1e-9)
    assert abs(row.bias) < 0.1


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
def test_where_every_example_is_right_a_bound_holds():
    scores = np.eye(30) + 1
    answer = sc.extrapolate(scores, range(30), to=[60, 300], top=2, method="gaussian")
    low = perfect_bound(30, np.array([60, 300]), 0.95, top=1, n_tested=30)
    assert [p.bound for p in answer.predictions] == pytest.approx(low.tolist())
    assert all(p.bound <= p.low <= p.accuracy for p in answer.predictions)
    assert {p.high for p in answer.predictions} == {1.0}


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
def test_all_examples_second_best_are_bounded_by_two_guesses():
    scores = np.eye(30) + 2 * np.roll(np.eye(30), 1, axis=1)
    answer = sc.extrapolate(scores, range(30), to=300, top=3, method="gaussian")
    low = perfect_bound(30, np.array([300]), 0.95, top=2, n_tested=30)[0]
    (p,) = answer.predictions
    assert p.bound == pytest.approx(low)
    assert p.bound <= p.low <= p.accuracy


@pytest.mark.parametrize("method", ["bayesian", "gaussian"])
def test_ranks_tell_more_than_a_bound_where_all_are_right_within_the_guesses(method):
    own = np.arange(60) % 12
    scores = np.random.default_rng(0).normal(size=(60, 12)) + 2.5 * np.eye(12)[own]
    answer = sc.extrapolate(scores, own, to=100, top=4, method=method)
    once = sc.extrapolate(scores, own, to=100, method=method)
    assert answer.observed_accuracy == 1
    assert answer.predictions[0].accuracy > once.predictions[0].accuracy
    assert answer.predictions[0].low > once.predictions[0].low
    assert answer.is_faultless
    assert not once.is_faultless


def test_forecast_without_a_miss_holds_where_the_bound_would_say_next_to_nothing():
    rng = np.random.default_rng(0)
    own = np.repeat(np.arange(40), 5)
    centres = rng.normal(size=(400, 4))
    examples = centres[np.repeat(np.arange(400), 5)] + 0.5 * rng.normal(size=(2000, 4))
    scores = -((examples[:, None] - centres) ** 2).sum(axis=-1)
    truth = sc.accuracy_curve(scores, np.repeat(np.arange(400), 5), top=39, sizes=400)
    seen = sc.extrapolate(
        scores[:200, :40], own, to=400, top=39, compare=False, backtest=0
    )
    assert seen.observed_accuracy == 1
    assert seen.predictions[0].bound is None
    assert seen.predictions[0].low <= truth.accuracy[0] <= seen.predictions[0].high
    assert perfect_bound(40, np.array([400]), 0.9, top=39)[0] < 0.01


def test_the_bound_of_one_guess_is_the_known_one_and_more_fall_faster():
    ks = np.array([100, 1000, 10_000])
    once = perfect_bound(100, ks, 0.9)
    # The limit of the incomplete beta functions that serve for more guesses.
    p = 1 - 0.1 ** (1 / 100 / 99)
    np.testing.assert_allclose(once, betaincc(1, ks - 1.0, p), rtol=1e-9)
    twice = perfect_bound(100, ks, 0.9, top=2, n_tested=100)
    assert twice[0] == pytest.approx(once[0])
    assert (twice[1:] < once[1:]).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "polynomial", "top": 5}, "these can: regression"),
        ({"top": 0}, "whole number from 1 up"),
        ({"top": 2.5}, "whole number from 1 up"),
        ({"top": 12}, "Choose a smaller"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_line(options, said):
    with pytest.raises(UsageError, match=said) as caught:
        sc.extrapolate(np.eye(12), range(12), to=50, **options)
    assert "\n" not in str(caught.value)
