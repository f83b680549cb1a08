"""A better recogniser is never forecast lower; noise is not taken for knowledge."""

from dataclasses import replace

import numpy as np
import pytest

from scorecast.exceptions import ExtrapolationWarning
from scorecast.extrapolation import Auto, Bayesian, ObservedClasses, extrapolate
from scorecast.extrapolation.auto import _DRIFT_FEW_VALUED
from scorecast.extrapolation.intervals import (
    looks_like_chance,
    observed_interval,
    prediction_interval,
)
from scorecast.extrapolation.observed import improvements
from scorecast.scores import Scores, curve_of_ranking

QUIET = pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")


def recogniser(rng):
    """Draw classes, examples and one of three scales of scores."""
    n_classes = int(rng.choice([8, 12, 16, 25, 40, 60]))
    own = np.repeat(np.arange(n_classes), int(rng.choice([1, 1, 2, 5])))
    width = int(rng.choice([3, 5, 10, 20]))
    noise, kind = rng.uniform(0.15, 0.6), rng.integers(3)
    centres = rng.normal(size=(n_classes, width))
    examples = centres[own] + noise * rng.normal(size=(own.size, width))
    squares = ((examples[:, None] - centres) ** 2).sum(axis=2)
    scores = (-squares, -np.sqrt(squares), np.exp(-squares / width))[kind]
    return scores, own


def made_right_one_by_one(scores, own, rng, most=40):
    """Exchange true and best wrong scores of wrong examples, one after another."""
    scores, rows = scores.copy(), np.arange(own.size)
    wrong = scores.copy()
    wrong[rows, own] = -np.inf
    mistakes = rng.permutation(np.flatnonzero(wrong.max(axis=1) >= scores[rows, own]))
    chain = [ObservedClasses.of(Scores(scores.copy(), own))]
    for i in mistakes:
        best = wrong[i].argmax()
        scores[i, [own[i], best]] = scores[i, [best, own[i]]]
        chain.append(ObservedClasses.of(Scores(scores.copy(), own)))
    return chain[-most:]


def falls(method, seeds, times=(2, 10, 25), *, alone=False):
    """Return the largest fall of forecast and lower end in every step of chains."""
    found = []
    for seed in seeds:
        rng = np.random.default_rng([1, seed])
        chain = made_right_one_by_one(*recogniser(rng), rng)
        ks = chain[0].n_classes * np.array(times)
        answers = []
        for evidence in chain:
            fit = method.fit(evidence, np.random.default_rng(0))
            accuracy = fit.law.accuracy(ks)
            if alone:
                accuracy = fit.law.own_accuracy(ks)
            low = prediction_interval(fit, evidence, ks, 0.9).low
            answers.append([accuracy, low])
        steps = np.diff(answers, axis=0).min(axis=2)
        for i, (forecast, low) in enumerate(steps):
            found.append([i == len(steps) - 1, -forecast, -low])
    return np.array(found)


@pytest.mark.parametrize(
    "n_chains", [30, pytest.param(200, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_ranks_never_forecast_a_better_recogniser_lower(n_chains):
    steps = falls(Bayesian(), range(n_chains))
    assert len(steps) > 3 * n_chains
    # What is allowed, and that the worst mistakes are taken first, not any.
    assert steps[:, 1:].max() < 1.1e-3
    # By its own posterior alone, far out, it would.
    broken = falls(Bayesian(), range(n_chains), (100,), alone=True)
    assert broken[:, 1].max() > 0.01


def test_pooled_forecasts_do_not_fall_and_never_at_the_last_mistake():
    _check_pooled(falls(Auto(), range(16)))


@pytest.mark.slow
def test_pooled_forecasts_do_not_fall_over_200_chains():
    steps = falls(Auto(), range(200))
    assert len(steps) > 800
    _check_pooled(steps)


def _check_pooled(steps):
    last = steps[:, 0] == 1
    assert last.sum() > 5
    assert steps[last, 1:].max() <= 1e-9
    assert steps[:, 1:].max() < 0.005


@pytest.mark.slow
def test_weights_that_hang_on_mistakes_would_let_a_pooled_forecast_fall():
    class Rash(Auto):
        def fit(self, observed, rng, *, n_jobs=None):
            fit = super().fit(observed, rng, n_jobs=n_jobs)
            n_wrong = max(np.count_nonzero(observed.ranking.n_above), 1)
            law = replace(fit.law, n_effective=n_wrong**2, flawless=None)
            return replace(fit, law=law)

    assert falls(Rash(), range(32))[:, 1:].max() > 0.005


@QUIET
def test_sixteen_faultless_people_are_not_punished():
    rng = np.random.default_rng(0)
    own = np.arange(16)
    scores = rng.normal(size=(16, 16)) + 6 * np.eye(16)
    slip = scores.copy()
    slip[3, [3, 4]] = slip[3, [4, 3]]
    rules = {"to": 400, "confidence_level": 0.9}
    better = extrapolate(scores, own, **rules).predictions[0]
    worse = extrapolate(slip, own, **rules).predictions[0]
    assert better.accuracy > 0.8
    assert better.accuracy > worse.accuracy
    assert better.low > worse.low
    assert better.bound == pytest.approx(0.1 ** (399 / 15 / 16))


def test_improvements_make_the_worst_mistakes_right_first():
    scores = np.array([[3.0, 2, 1], [3, 2, 1], [3, 2, 1], [1, 2, 3]])
    evidence = ObservedClasses.of(Scores(scores, [0, 1, 2, 2]))
    chosen = [np.flatnonzero(right).tolist() for right in improvements(evidence, 64)]
    assert chosen == [[2], [1, 2]]
    for right in improvements(evidence, 64):
        better = evidence.scores_if_right(right)
        np.testing.assert_allclose(
            better.ranks.histogram, evidence.ranks_if_right(right).histogram
        )
        again = ObservedClasses.of(Scores(better.data.values, [0, 1, 2, 2]))
        np.testing.assert_allclose(again.ranks.histogram, better.ranks.histogram)
        assert np.sort(better.data.values) == pytest.approx(np.sort(scores))
    assert evidence.ranks_if_right(right).accuracy() == 1


@pytest.mark.parametrize("method", [Auto(), Bayesian()], ids=lambda m: m.name)
def test_intervals_on_noise_reach_to_chance(method, monkeypatch):
    def held():
        inside = []
        for seed in range(24):
            rng = np.random.default_rng([7, seed])
            n_classes, n_each = [(20, 1), (20, 5), (50, 5), (100, 1)][seed % 4]
            own = np.repeat(np.arange(n_classes), n_each)
            noise = rng.normal(size=(own.size, n_classes))
            evidence = ObservedClasses.of(Scores(noise, own))
            ks = n_classes * np.array([2, 10, 100])
            fit = method.fit(evidence, rng)
            found = prediction_interval(fit, evidence, ks, 0.9)
            inside.append((found.low <= 1 / ks).all() and (1 / ks <= found.high).all())
        return np.mean(inside)

    assert held() >= 0.9
    if method.name == "auto":
        module = "scorecast.extrapolation.intervals.looks_like_chance"
        monkeypatch.setattr(module, lambda *_: False)
        assert held() < 0.9


def test_a_recogniser_is_told_from_chance_by_rank_or_by_hits():
    rng = np.random.default_rng(1)
    own = np.repeat(np.arange(50), 4)
    noise = rng.normal(size=(200, 50))
    assert looks_like_chance(ObservedClasses.of(Scores(noise, own)))
    slight = noise + 1.0 * np.eye(50)[own]
    assert not looks_like_chance(ObservedClasses.of(Scores(slight, own)))
    some = noise.copy()
    some[::8, :] += 20 * np.eye(50)[own[::8]]  # one in eight is always right
    assert not looks_like_chance(ObservedClasses.of(Scores(some, own)))


@pytest.mark.parametrize("seed", range(6))
def test_no_interval_reaches_above_that_of_the_accuracy_observed(seed):
    rng = np.random.default_rng([3, seed])
    evidence = ObservedClasses.of(Scores(*recogniser(rng)))
    at_hand = curve_of_ranking(evidence.ranking, np.array([evidence.n_classes]))
    most = observed_interval(evidence, at_hand, 0.9)[1]
    ks = evidence.n_classes * np.array([1, 2, 20])
    for method in (Auto(), Bayesian()):
        fit = method.fit(evidence, rng)
        found = prediction_interval(fit, evidence, ks, 0.9)
        centre = fit.law.accuracy(ks)
        assert (found.high <= np.maximum(most, centre)).all()


def cosines(n_classes, seed):
    """Score cosines of examples, some of them all but equal to their class."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_classes, 64))
    noise = 1.5 * np.exp(0.5 * rng.normal(size=(n_classes, 1)))
    examples = centres + noise * rng.normal(size=centres.shape)
    unit = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in (examples, centres)]
    return unit[0] @ unit[1].T


def test_votes_widen_the_interval_and_it_is_said():
    scores = cosines(200, 0)
    rules = {"to": 4000, "confidence_level": 0.9, "backtest": 0, "compare": False}
    plain = extrapolate(scores, range(200), **rules)
    assert not plain.pooling.is_widened
    with pytest.warns(UserWarning, match="ties with others|interval is wider"):
        votes = extrapolate(np.round(5 * scores), range(200), **rules)
    assert votes.pooling.is_widened
    assert votes.pooling.drift == _DRIFT_FEW_VALUED
    width = [a.predictions[0].high - a.predictions[0].low for a in (plain, votes)]
    assert width[1] > 2 * width[0]


@QUIET
def test_enough_classes_are_hidden_to_know_the_bias_to_a_point():
    rng = np.random.default_rng(5)
    scores, own = recogniser(rng)
    answer = extrapolate(scores, own, to=1000, method="bayesian")
    (row,) = answer.backtest
    assert 6 <= row.n_repeats <= 48
    assert row.n_repeats % 6 == 0
    assert row.stderr <= 0.01 or row.n_repeats == 48
    (few,) = extrapolate(scores, own, to=1000, method="bayesian", backtest=4).backtest
    assert few.n_repeats == 4
    assert few.stderr > 0


@QUIET
def test_lower_ends_do_not_rise_where_the_forecast_begins():
    rng = np.random.default_rng(8)
    own = np.repeat(np.arange(12), 4)
    scores = rng.normal(size=(48, 12)) + 4 * np.eye(12)[own]
    answer = extrapolate(scores, own, to=[6, 12, 13, 30], backtest=0)
    lows = [p.low for p in answer.predictions]
    assert lows == sorted(lows, reverse=True)
    assert answer.observed_low == answer.predictions[1].low
    assert answer.observed_low >= answer.curve.low[0]


def test_names_with_numbers_say_in_which_order_they_were_taken():
    own = [f"cls{i}" for i in range(12)]
    with pytest.warns(ExtrapolationWarning) as said:
        extrapolate(np.eye(12), own, to=20, method="bayesian", backtest=0)
    assert any("'cls10' before 'cls2'" in str(w.message) for w in said)


@QUIET
def test_more_guesses_never_lower_the_lower_end_much():
    rng = np.random.default_rng(0)
    own = np.arange(60) % 20
    scores = rng.normal(size=(60, 20)) + 2 * np.eye(20)[own]
    lows = [
        extrapolate(scores, own, to=100, top=top, compare=False, backtest=0)
        .predictions[0]
        .low
        for top in (1, 5, 10, 19)
    ]
    assert lows == sorted(lows)


def test_three_faultless_classes_keep_the_bound_though_guessing_could_be_it():
    evidence = ObservedClasses.of(Scores(np.eye(3), range(3)))
    assert looks_like_chance(evidence)
    ks = np.array([4, 30])
    fit = Auto().fit(evidence, np.random.default_rng(0))
    found = prediction_interval(fit, evidence, ks, 0.9)
    assert (found.low >= 0.1 ** ((ks - 1) / 2 / 3) - 1e-12).all()
