"""Many short chains: densities, draws, every move by itself, and whole posteriors."""

import io
import math

import numpy as np
import pytest
from scipy import stats

from scorecast._core import progress
from scorecast.information.posterior import spread_ties
from scorecast.mixtures import (
    Prior,
    ProGamma,
    SkewStudent,
    can_sample,
    log_half_normal_integral,
    sample_short_chains,
)
from scorecast.mixtures.distributions import (
    log_densities,
    log_scale_integral,
    mixture_log_densities,
)
from scorecast.mixtures.univariate import Ensemble, draw_pro_gamma

PRIOR = Prior.information()


def test_the_scale_integral_is_that_of_quadrature():
    rng = np.random.default_rng(0)
    q = 3 + 2 * np.exp(rng.uniform(-7, 8, 400))
    z = rng.normal(0, 3, 400)
    exact = log_half_normal_integral(q - 1, 0.5, z)
    assert np.abs(log_scale_integral(q, z) - exact).max() < 1e-5


@pytest.mark.parametrize("tilt", [0.0, 0.6, -1.2, 2.5, -5.0, 9.0])
def test_densities_are_those_of_the_component(tilt):
    x = np.linspace(-30, 30, 301)
    for tail in (0.02, 0.7, 8.0, 400.0):
        precision = 2.5
        skew = tilt / math.sqrt(precision)
        one = SkewStudent(0.3, skew, precision, 1 + tail, tail)
        rows = [np.array([v]) for v in (0.3, skew, precision, tail)]
        found = log_densities(x, *rows)[0]
        assert np.abs(found - one.log_density(x)).max() < 3e-5
        few = log_densities(x[:10], *rows)[0]
        assert np.abs(few - found[:10]).max() < 3e-5


def test_pro_gamma_draws_have_its_moments():
    for a, b in ((1.0, 3.0), (0.02, 5.0), (40.0, 60.0)):
        drawn = draw_pro_gamma(np.random.default_rng(1), np.full(40_000, a), b)
        known = ProGamma(a, b)
        error = known.std() / math.sqrt(drawn.size)
        assert abs(1 + drawn.mean() - known.mean()) < 4.5 * error


def prior_and_data(rng, n_chains, n, prior=PRIOR):
    """Chains from the prior, each with values of its own drawn from its mixture."""
    ensembles = []
    for _ in range(n_chains):
        one = Ensemble(np.zeros(n), prior, rng)
        one.start_from_prior(1)
        weight = one.weight[0]
        label = rng.choice(weight.size, n, p=weight / weight.sum())
        tail = one.tail[0, label]
        alpha = rng.standard_gamma(1 + tail) / tail
        spread = rng.standard_normal(n) / np.sqrt(alpha * one.precision[0, label])
        lean = one.skew[0, label] / np.sqrt(alpha)
        one.x = np.sort(one.location[0, label] + lean + spread)
        ensembles.append(one)
    return ensembles


def statistics_of(one):
    """Numbers with moments, of a chain's state and of its data."""
    number = int(one.n_components[0])
    some = (0, slice(0, number))
    weight, location = one.weight[some], one.location[some]
    return [
        math.log(number),
        np.tanh(weight @ location),
        float(np.tanh(weight @ (one.skew[some] * np.sqrt(one.precision[some])))),
        float(weight @ np.arctan(np.log(one.precision[some]) - 4)),
        float(weight @ np.arctan(np.log(one.tail[some]))),
        float((weight**2).sum()),
        math.atan(math.log(one.scale_rate[0]) + 4),
        math.atan(math.log(one.spread[0])),
        math.tanh(float(one.location_centre[0])),
        math.atan(math.log(one.location_precision[0])),
    ]


MOVES = (
    "split_or_merge",
    "divide_or_unite",
    "bear_or_die",
    "move_along_ridge",
    "gibbs",
)


def moved(one, move, times):
    for _ in range(times):
        one._pool = None
        one._windows = None
        one._fill()
        if move == "gibbs":
            one.gibbs(one.draw_labels())
        else:
            getattr(one, move)()


def largest_shift(move, n_chains, n, seed, times=3):
    """Largest z of how far a move takes statistics away from the prior.

    Chain and data together come from the prior of both; a right move, made given the
    data, leaves every statistic of the chain where it was (Geweke 2004).
    """
    rng = np.random.default_rng(seed)
    before, after = [], []
    for one in prior_and_data(rng, n_chains, n):
        before.append(statistics_of(one))
        moved(one, move, times)
        after.append(statistics_of(one))
    shift = np.array(after) - np.array(before)
    error = shift.std(axis=0, ddof=1) / math.sqrt(n_chains)
    active = error > 0
    return float(np.abs(shift.mean(axis=0)[active] / error[active]).max())


@pytest.mark.parametrize("move", MOVES)
def test_every_move_leaves_the_posterior_where_it_is(move):
    assert largest_shift(move, 400, 5, seed=7) < 4.0


@pytest.mark.slow
@pytest.mark.parametrize("move", MOVES)
def test_every_move_leaves_the_posterior_where_it_is_in_many_runs(move):
    assert largest_shift(move, 6_000, 8, seed=3) < 4.0


@pytest.mark.slow
def test_births_and_deaths_in_turn_leave_the_posterior_where_it_is():
    # Whoever always let the eldest die would be right once, and not again and again.
    assert largest_shift("bear_or_die", 1_000, 5, seed=7, times=20) < 4.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("move", "name", "wrong"),
    [
        ("split_or_merge", "_log_share", lambda x: x + 1),
        ("divide_or_unite", "_log_united", lambda x: x + 2),
        ("move_along_ridge", "_log_pro_gamma", lambda x: 0 * x),
    ],
)
def test_a_wrong_move_is_found_out(monkeypatch, move, name, wrong):
    import scorecast.mixtures.univariate as ensemble

    right = getattr(ensemble, name)
    monkeypatch.setattr(ensemble, name, lambda *a: wrong(right(*a)))
    assert largest_shift(move, 6_000, 8, seed=3) > 5.0


def test_short_chains_agree_with_an_exact_posterior():
    # Few values: weighted draws from the prior are as good as exact.
    x = np.array([0.2, 0.35, -0.1])
    rng = np.random.default_rng(5)
    many = Ensemble(x, PRIOR, rng)
    many.start_from_prior(60_000)
    weight = np.exp(mixture_log_densities(x, many.mixtures()).sum(axis=1))
    means = many.means()
    exact = float(weight @ means / weight.sum())
    spread = math.sqrt(float(weight @ (means - exact) ** 2 / weight.sum()))
    found = sample_short_chains(x, prior=PRIOR, random_state=0)
    assert found.diagnostics.passed
    assert abs(float(found.means.mean()) - exact) < 0.2 * spread
    assert float(found.means.std()) == pytest.approx(spread, rel=0.25)


def test_short_chains_find_the_mean_of_plain_values_and_say_how_sure():
    x = np.random.default_rng(3).normal(0.2, 0.5, 120)
    found = sample_short_chains(x, prior=PRIOR, random_state=1)
    error = x.std(ddof=1) / math.sqrt(x.size)
    assert found.diagnostics.passed
    assert found.n_groups == 4
    assert abs(float(found.means.mean()) - x.mean()) < 0.4 * error
    assert float(found.means.std()) == pytest.approx(error, rel=0.25)
    again = sample_short_chains(x, prior=PRIOR, random_state=1)
    np.testing.assert_array_equal(found.means, again.means)
    places = np.linspace(-2, 2, 9)
    density = found.predictive_density(places)
    slow = np.mean([m.density(places) for m in found.mixtures], axis=0)
    np.testing.assert_allclose(density, slow, rtol=1e-4)


def test_a_far_case_does_not_hold_chains_for_ever():
    x = np.random.default_rng(2).normal(0.3, 0.4, 200)
    x[0] = -20.0
    found = sample_short_chains(np.sort(x), prior=PRIOR, random_state=2)
    assert found.diagnostics.passed
    assert 0.1 < float(np.median(found.means)) < 0.35


@pytest.mark.slow
def test_one_long_tail_and_two_shorter_ones_are_told_apart_soon():
    """Sure forecasts, most of them clipped: two atoms, and a tail to the left.

    Without divisions one of sixteen chains or more stays with one component for the
    tail: 400 sweeps do not do, and the mean is a third of its spread too high.
    """
    rng = np.random.default_rng(2)
    chance = 1 / (1 + np.exp(-rng.normal(0, 6, 300)))
    won = rng.random(300) < chance
    told = np.clip(np.where(won, chance, 1 - chance), 0.05, 0.95)
    base = (np.where(won, won.sum(), (~won).sum()) - 1) / 299
    values = spread_ties(np.sort(np.log(told / base)))
    found = sample_short_chains(values, prior=PRIOR, random_state=1)
    assert found.diagnostics.passed
    assert found.n_discarded + found.n_components.shape[1] < 400
    assert abs(float(found.means.mean()) - 0.5012) < 0.15 * 0.0218


def test_chains_without_time_are_judged_all_the_same():
    x = 0.2 - 0.3 * np.abs(np.random.default_rng(7).standard_t(2, 300))
    found = sample_short_chains(x, prior=PRIOR, max_seconds=0, random_state=1)
    assert found.means.shape == (16, 480, 1)
    if not found.diagnostics.passed:
        assert found.diagnostics.reasons


def test_what_short_chains_are_for():
    assert can_sample(5_000, PRIOR)
    assert not can_sample(5_001, PRIOR)
    assert not can_sample(100, Prior.survival(np.eye(2), np.zeros(2)))
    assert not can_sample(100, Prior.information(tail_kind=2))


def test_a_scaled_prior_is_that_of_scaled_values():
    rng = np.random.default_rng(4)
    wide, usual = (Ensemble(np.zeros(1), p, rng) for p in (PRIOR.scaled(5), PRIOR))
    wide.start_from_prior(20_000)
    usual.start_from_prior(20_000)
    np.testing.assert_allclose(
        np.quantile(wide.means(), [0.2, 0.5, 0.8]) / 5,
        np.quantile(usual.means(), [0.2, 0.5, 0.8]),
        atol=0.03,
    )
    assert np.abs(np.quantile(usual.means(), [0.025, 0.975])).max() == pytest.approx(
        2.57, abs=0.15
    )


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("n", [12, 100])
def test_ranks_of_the_truth_are_uniform(n):
    """Simulation-based calibration: J of the mixture that made the values."""
    rng = np.random.default_rng([n, 9])
    ranks = []
    for one in prior_and_data(rng, 200, n):
        truth = float(one.means()[0])
        values = spread_ties(np.sort(one.x))
        if values.size < 2:
            continue
        found = sample_short_chains(values, prior=PRIOR, random_state=len(ranks))
        ranks.append(float((found.means < truth).mean()))
    assert stats.kstest(ranks, "uniform").pvalue > 0.01
    assert 0.90 < np.mean([0.025 < r < 0.975 for r in ranks]) < 0.99


def test_sweeps_use_one_blas_thread(monkeypatch):
    """Two threads would double the CPU time of a thousand cases, and gain nothing."""
    from threadpoolctl import threadpool_info, threadpool_limits

    seen = []
    sweep = Ensemble.sweep

    def watched(self, n_means):
        seen.extend(x["num_threads"] for x in threadpool_info())
        return sweep(self, n_means)

    monkeypatch.setattr(Ensemble, "sweep", watched)
    values = np.random.default_rng(0).normal(0.1, 0.2, size=40)
    with threadpool_limits(2):
        sample_short_chains(values, prior=PRIOR, max_seconds=0, random_state=0)
    assert seen
    assert set(seen) == {1}


def test_no_time_left_is_told_while_nobody_knows_whether_chains_agree(monkeypatch):
    told, sweep = [], Ensemble.sweep

    def watched(self, n_means):
        told.append(progress._display.get().left())
        return sweep(self, n_means)

    monkeypatch.setattr(Ensemble, "sweep", watched)
    values = np.random.default_rng(0).normal(0.1, 0.2, size=20)
    monkeypatch.setattr(progress, "_LEAST_TIME", 0.0)
    shown = progress.progress_shown(io.StringIO())
    with shown, progress.stages({"J": 1.0}), progress.stage("J"):
        sample_short_chains(values, prior=PRIOR, random_state=0)
    assert set(told) == {None}
