"""Priors of times, measures of survival curves, and predictions out of sample."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate

from scorecast.survival import (
    BASELINES,
    POPULATION_PRIORS,
    concordance_index,
    d_calibration,
    integrated_brier_score,
    kaplan_meier,
)
from scorecast.survival.baselines import fit_baseline
from scorecast.survival.data import check_survival
from scorecast.survival.metrics import _by_tenth, survival_at
from scorecast.survival.population import fit_population

pytestmark = pytest.mark.filterwarnings("ignore:In .* fits the chains disagree")


@pytest.mark.parametrize("kind", POPULATION_PRIORS)
def test_priors_of_the_time_are_proper(cohort, kind):
    _, time, event = cohort()
    if POPULATION_PRIORS[kind].fit is None:
        pytest.skip("simulated")
    assert POPULATION_PRIORS[kind].is_proper
    found = fit_population(kind, time, event)

    def density(u):  # over log time, so that all of it is in reach
        return float(np.exp(found.log_density(np.exp([u]))[0] + u))

    ends = [-12.0, 0.0, float(np.log(time.max())), 12.0]
    pairs = itertools.pairwise(ends)
    parts = [integrate.quad(density, a, b, limit=400)[0] for a, b in pairs]
    assert sum(parts) == pytest.approx(1.0, abs=1e-5)
    middle = np.exp(found.log_survival(np.ones(1)))[0]
    assert sum(parts[1:]) == pytest.approx(middle, abs=1e-5)


def test_a_smoothed_prior_gives_no_information_away_for_one_early_case():
    rng = np.random.default_rng(0)
    time, event = rng.exponential(size=500), np.ones(500, bool)
    found = fit_population("kaplan-meier", time, event)
    early = time.min() * 10.0 ** -np.arange(1, 8, 2)
    lost = -early - found.log_density(early)  # nats, to who knows the truth
    assert (lost < math.log(501.0) + 0.2).all()
    assert (np.exp(found.log_survival(early)) > 1.0 - 1e-3).all()


@pytest.mark.parametrize("kind", ["exponential", "weibull", "lognormal"])
def test_priors_are_those_of_lifelines(cohort, kind):
    lifelines = pytest.importorskip("lifelines")
    _, time, event = cohort()
    fitter = {
        "exponential": lifelines.ExponentialFitter,
        "weibull": lifelines.WeibullFitter,
        "lognormal": lifelines.LogNormalFitter,
    }[kind]().fit(time, event)
    at = np.array([0.5, 2.0, 6.0])
    survival = np.exp(fit_population(kind, time, event).log_survival(at))
    exact = fitter.survival_function_at_times(at).to_numpy()
    np.testing.assert_allclose(survival, exact, atol=2e-5)


def test_kaplan_meier_by_hand():
    time = np.array([1.0, 2.0, 2.0, 3.0, 4.0])
    event = np.array([True, True, False, True, False])
    at, share = kaplan_meier(time, event)
    assert at.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_allclose(share, [0.8, 0.6, 0.3])
    np.testing.assert_allclose(survival_at((at, share), [0.5, 2.0, 9.0]), [1, 0.6, 0.3])
    before = survival_at((at, share), [2.0], before=True)
    np.testing.assert_allclose(before, [0.8])


def test_concordance_by_hand_and_by_lifelines(cohort):
    time, event = np.array([1.0, 2.0, 3.0]), np.array([True, False, True])
    assert concordance_index(time, event, time).value == 1.0
    assert concordance_index(time, event, -time).value == 0.0
    assert concordance_index(time, event, np.ones(3)).value == 0.5
    nobody = concordance_index(time, np.zeros(3, bool), time)
    assert nobody.n_pairs == 0
    assert math.isnan(nobody.value)
    lifelines = pytest.importorskip("lifelines.utils")
    X, time, event = cohort()
    found = concordance_index(time, event, -X[:, 0])
    exact = lifelines.concordance_index(time, -X[:, 0], event)
    assert found.value == pytest.approx(exact, abs=1e-12)
    assert 0.005 < found.stderr < 0.1


def test_even_survival_is_calibrated_and_uneven_is_not():
    rng = np.random.default_rng(0)
    n = 2000
    time, limit = rng.exponential(size=n), rng.exponential(2.0, size=n)
    seen, event = np.minimum(time, limit), time <= limit
    good = d_calibration(np.exp(-seen), event)
    assert sum(good.shares) == pytest.approx(1.0)
    assert good.p_value > 0.01
    assert d_calibration(np.exp(-1.5 * seen), event).p_value < 1e-6


def test_calibration_of_a_true_model_is_not_too_good_where_many_are_censored():
    # Spread cases vary less than seen ones: the plain test had a median p of 0.95.
    rng = np.random.default_rng(0)
    found = []
    for _ in range(60):
        time, limit = rng.exponential(size=146), rng.exponential(0.5, size=146)
        seen = np.exp(-np.minimum(time, limit))
        found.append(d_calibration(seen, time <= limit).p_value)
    assert 0.3 < np.median(found) < 0.7


def test_calibration_in_all_tenths_is_the_sum_of_its_martingales():
    rng = np.random.default_rng(1)
    n = 60
    survival, event = rng.random(n), rng.random(n) < 0.6
    shares = np.full(10, 0.1)
    surplus, _, _ = _by_tenth(survival, event)
    for j, own in enumerate(surplus / n):
        shares[9 - j] += own
        shares[: 9 - j] -= own / (9 - j)
    np.testing.assert_allclose(d_calibration(survival, event).shares, shares)


def test_who_is_not_followed_far_cannot_be_tested_far():
    survival, event = np.linspace(0.82, 1.0, 200), np.arange(200) % 6 == 0
    assert d_calibration(survival, event).n_free == 2
    nothing = d_calibration(np.full(3, 0.99), np.zeros(3, bool))
    assert (nothing.n_free, nothing.p_value) == (0, 1.0)


@pytest.mark.statistical
@pytest.mark.parametrize("follow_up", [np.inf, 1.0, 0.25])  # 0, 50, 80 % censored
def test_calibration_of_a_true_model_has_an_even_p(follow_up):
    rng = np.random.default_rng(2)
    true, wrong = [], []
    for _ in range(1000):
        time = rng.exponential(size=300)
        limit = rng.exponential(size=300) * follow_up
        seen, event = np.minimum(time, limit), time <= limit
        true.append(d_calibration(np.exp(-seen), event).p_value)
        wrong.append(d_calibration(np.exp(-2.0 * seen), event).p_value)
    assert 0.03 <= np.mean(np.array(true) < 0.05) <= 0.08
    assert 0.44 <= np.median(true) <= 0.56
    assert np.mean(np.array(wrong) < 0.05) > 0.8


def test_brier_scores_reward_the_truth():
    rng = np.random.default_rng(0)
    n, at = 3000, np.linspace(0.05, 2.0, 40)
    time, limit = rng.exponential(size=n), rng.exponential(3.0, size=n)
    seen, event = np.minimum(time, limit), time <= limit
    true = np.tile(np.exp(-at), (n, 1))
    found = integrated_brier_score(seen, event, at, true)
    exact = np.trapezoid(np.exp(-at) * (1 - np.exp(-at)), at) / (at[-1] - at[0])
    assert found == pytest.approx(exact, abs=0.006)
    assert integrated_brier_score(seen, event, at, true**2) > found
    assert math.isnan(integrated_brier_score(seen, event, at[:1], true[:, :1]))


def test_brier_scores_with_equal_times_by_brute_force():
    rng = np.random.default_rng(0)
    n = 80
    time = np.round(rng.exponential(size=n) * 4) / 2 + 0.5
    event = rng.random(n) < 0.6
    at = np.unique(time[event])
    survival = np.exp(-np.outer(rng.gamma(4.0, 0.1, size=n), at))

    def followed(before):  # case by case; an event leaves before a censoring does
        share = 1.0
        for t in sorted(set(time[~event])):
            if before(t):
                there = sum(
                    u > t or (u == t and not e)
                    for u, e in zip(time, event, strict=True)
                )
                share *= 1.0 - sum((time == t) & ~event) / there
        return share

    scores, used = [], []
    for k, t in enumerate(at):
        rest = followed(lambda u, t=t: u <= t)
        if rest < 0.05:
            continue
        total = 0.0
        for i in range(n):
            if time[i] <= t and event[i]:
                own = followed(lambda u, i=i: u < time[i])
                total += survival[i, k] ** 2 / own
            elif time[i] > t:
                total += (1.0 - survival[i, k]) ** 2 / rest
        scores.append(total / n)
        used.append(t)
    exact = np.trapezoid(scores, used) / (used[-1] - used[0])
    found = integrated_brier_score(time, event, at, survival)
    assert found == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("kind", BASELINES)
def test_rivals_are_proper_and_know_something(cohort, kind):
    X, time, event = cohort()
    X[::5, 1] = np.nan
    found = fit_baseline(kind, check_survival(X, time, event))
    row = X[:1]

    def density(t):
        return float(np.exp(found.predict_log(row, np.array([[t]]))[0][0, 0]))

    inner = np.unique(np.concatenate([[1e-9], np.quantile(time, [0.2, 0.5, 0.8, 1])]))
    ends = np.append(inner, 300.0)
    pairs = itertools.pairwise(ends)
    parts = [integrate.quad(density, a, b, limit=300)[0] for a, b in pairs]
    assert sum(parts) == pytest.approx(1.0, abs=2e-3)
    tail = np.exp(found.predict_log(row, ends[None, 2:3])[1][0, 0])
    assert sum(parts[2:]) == pytest.approx(tail, abs=2e-3)


@pytest.mark.parametrize("kind", ["weibull", "lognormal"])
def test_accelerated_rivals_are_those_of_lifelines(cohort, kind):
    lifelines = pytest.importorskip("lifelines")
    pd = pytest.importorskip("pandas")
    X, time, event = cohort()
    frame = pd.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "t": time, "e": event * 1})
    fitters = {"weibull": lifelines.WeibullAFTFitter,
               "lognormal": lifelines.LogNormalAFTFitter}  # fmt: skip
    fitter = fitters[kind](penalizer=0.01)
    # As it comes it stops early: a few millionths from the best.
    fitter._scipy_fit_method = "SLSQP"
    fitter.fit(frame, "t", "e", fit_options={"ftol": 1e-16})
    at = np.array([0.5, 2.0, 6.0])
    exact = fitter.predict_survival_function(frame[:4], times=at).to_numpy().T
    found = fit_baseline(kind, check_survival(X, time, event))
    tail = found.predict_log(X[:4], np.tile(at, (4, 1)))[1]
    np.testing.assert_allclose(np.exp(tail), exact, atol=1e-6)


def test_hazards_of_cox_are_those_of_lifelines(cohort):
    lifelines = pytest.importorskip("lifelines")
    pd = pytest.importorskip("pandas")
    X, time, event = cohort()
    frame = pd.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "t": time, "e": event * 1})
    fitter = lifelines.CoxPHFitter(penalizer=0.01).fit(frame, "t", "e")
    exact = fitter.predict_log_partial_hazard(frame[:6]).to_numpy()
    found = fit_baseline("cox", check_survival(X, time, event))
    at = np.tile([0.5, 2.0, 4.0], (6, 1))  # the last event is at 4.9
    hazards = np.log(-found.predict_log(X[:6], at)[1])
    for column in hazards.T:
        np.testing.assert_allclose(np.diff(column), np.diff(exact), atol=1e-6)
    # Breslow's baseline, but for the steps that are smoothed.
    survival = fitter.predict_survival_function(frame[:6], times=at[0]).to_numpy().T
    np.testing.assert_allclose(np.exp(-np.exp(hazards)), survival, atol=0.06)
