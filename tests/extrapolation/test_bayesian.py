"""Method bayesian: its family, and a posterior as fine as the data, few or many."""

import numpy as np
import pytest
from scipy.special import expit, log_ndtr, logit, ndtr
from scipy.stats import norm

from scorecast.extrapolation import (
    Bayesian,
    ObservedClasses,
    RankHistogram,
    bayesian as kernel,
)
from scorecast.extrapolation.bayesian import RankFamily, posterior_of_ranks
from scorecast.scores import Scores

Z = np.linspace(-9, 9, 4001)
MASS = norm.pdf(Z) / norm.pdf(Z).sum()


def drawn(n_samples, n_classes, mean, sd, lost, rng):
    """Draw ranks by the family itself."""
    u = ndtr(mean + sd * rng.standard_normal(n_samples))
    is_lost = rng.random(n_samples) < lost
    u = np.where(is_lost, rng.random(n_samples), u)
    beaten = rng.binomial(n_classes - 1, 1 - u)
    histogram = np.bincount(beaten, minlength=n_classes) / n_samples
    return RankHistogram(histogram=histogram)


def accuracy(k, mean, sd, lost):
    return (1 - lost) * (MASS @ np.exp((k - 1) * log_ndtr(mean + sd * Z))) + lost / k


def test_accuracy_by_the_family_is_the_integral_of_the_normal_law():
    family = RankFamily(
        np.array([2.0, 4.0]),
        np.log([0.7, 1.3]),
        np.array([logit(0.1)]),
        np.zeros(2),
    )
    ks = np.array([2, 50, 10_000])
    found = family.accuracies(ks)
    for column, (mean, sd) in enumerate([(2.0, 0.7), (4.0, 1.3)]):
        expected = [accuracy(k, mean, sd, 0.0) for k in ks]
        np.testing.assert_allclose(found[:, column], expected, rtol=1e-6)


@pytest.mark.parametrize("n_samples", [10, 300, 3000, 10**6])
def test_parameters_are_found_to_what_so_many_samples_can_tell(n_samples):
    rng = np.random.default_rng(n_samples)
    truth = accuracy(20_000, 3.0, 0.8, 0.05)
    ranks = drawn(n_samples, 1000, 3.0, 0.8, 0.05, rng)
    posterior = posterior_of_ranks(ranks, n_samples)
    below, above = posterior.logit_spread(np.array([20_000]))
    away = logit(posterior.own_accuracy(np.array([20_000]))[0]) - logit(truth)
    assert -3 * above[0] < away < 3 * below[0]
    # No narrower than a fifth of what the share of right samples alone can tell.
    at_hand = 1 / np.sqrt(n_samples * truth * (1 - truth))
    assert below[0] > 0.2 * at_hand
    if n_samples >= 3000:
        assert posterior.parameters["mean"] == pytest.approx(3.0, abs=0.15)
        assert posterior.parameters["lost"] == pytest.approx(0.05, abs=0.03)


def test_a_finer_grid_changes_nothing(monkeypatch):
    ranks = drawn(400, 200, 3.0, 1.0, 0.02, np.random.default_rng(5))
    ks = np.array([200, 4000])
    usual = posterior_of_ranks(ranks, 400)
    finer = tuple(np.linspace(-3.5, 3.5, n) for n in (21, 17, 13))
    monkeypatch.setattr(kernel, "_GRID", finer)
    fine = posterior_of_ranks(ranks, 400)
    np.testing.assert_allclose(usual.own_accuracy(ks), fine.own_accuracy(ks), atol=3e-4)
    np.testing.assert_allclose(usual.logit_spread(ks), fine.logit_spread(ks), rtol=0.02)


def test_the_usual_grid_and_one_of_its_own_agree_where_both_serve(monkeypatch):
    ranks = drawn(60, 60, 2.5, 1.0, 0.02, np.random.default_rng(6))
    ks = np.array([60, 600, 6000])
    usual = posterior_of_ranks(ranks, 60)
    assert usual.family is kernel._usual_family()
    monkeypatch.setattr(kernel, "_FINE_ENOUGH", 100.0)
    own = posterior_of_ranks(ranks, 60)
    assert own.family is not usual.family
    np.testing.assert_allclose(usual.own_accuracy(ks), own.own_accuracy(ks), atol=0.01)


def test_lost_samples_make_a_flat_curve(monkeypatch):
    rng = np.random.default_rng(7)
    scores = rng.standard_normal((100, 100)) + 8 * np.eye(100)
    lost = rng.permutation(100)[:20]
    scores[lost, lost] -= 8
    data = ObservedClasses.of(Scores(scores, range(100)))
    law = Bayesian().fit(data, rng).law
    assert law.mean_lost == pytest.approx(0.2, abs=0.07)
    at = np.array([1000])
    found = law.accuracy(at)[0]
    assert found == pytest.approx(0.8, abs=0.1)
    # Were nobody ever lost, the same ranks would promise a fall.
    monkeypatch.setattr(kernel, "_PRIOR_LOST_ODDS", (-20.0, 0.5))
    monkeypatch.setattr(kernel, "_LOST_ODDS", np.array([-21.5, -20.0, -18.5]))
    for kept in (kernel._usual_family, kernel._log_chances):
        kept.cache_clear()
    assert Bayesian().fit(data, rng).law.accuracy(at)[0] < found - 0.05
    for kept in (kernel._usual_family, kernel._log_chances):
        kept.cache_clear()


@pytest.mark.statistical
@pytest.mark.parametrize("n_samples", [30, 3000, 100_000])
def test_intervals_hold_over_draws_from_the_prior(n_samples):
    rng = np.random.default_rng(8)
    n_classes = min(max(n_samples, 10), 3000)
    ks = np.array([20 * n_classes])
    held = []
    for _ in range(150):
        mean, sd = rng.uniform(2, 5), np.exp(rng.normal(np.log(0.95), 0.3))
        lost = expit(rng.normal(-4, 1.5))
        ranks = drawn(n_samples, n_classes, mean, sd, lost, rng)
        low, high = posterior_of_ranks(ranks, n_samples).ends(ks, 1.645)
        held.append(low[0] <= accuracy(ks[0], mean, sd, lost) <= high[0])
    assert 0.83 <= np.mean(held) <= 0.98
