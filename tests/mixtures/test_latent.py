"""True values behind noisy, censored and missing measurements."""

import numpy as np
import pytest
from numba import njit
from scipy import stats
from tests.mixtures.draws import draw_aboves

from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.mixtures import (
    ConditionalMixture,
    KeptMixture,
    Noise,
    Observations,
    Prior,
    Sampling,
    ladder,
    log_evidence,
    sample_posterior,
    sample_prior,
)
from scorecast.mixtures.chain import NoisyChain, empty_trace
from scorecast.mixtures.kernels.special import invert_above
from scorecast.mixtures.kernels.sweep import update_latent
from scorecast.mixtures.sampler import Checkpoint

COVARIANCE = np.array([[1.0, 0.3, 0.2], [0.3, 0.5, -0.1], [0.2, -0.1, 0.8]])
NO_MORE = 4.3  # standard errors; thirty statistics, so 1 in 2,000 by chance
SURELY = 6.0
SHORT = Sampling(n_chains=2, n_warmup=50, n_draws=60, n_extensions=0, n_kept=20)


def space(n_dims):
    """A prior under which everything varies."""
    cov = COVARIANCE[:n_dims, :n_dims]
    return Prior.survival(
        cov, np.linspace(0.2, -0.1, n_dims), growth=0.5, scale_shape=5.0,
        scale_rate=5.0 * np.linalg.inv(cov), spread_b=2.0, skew_spread=0.5, tail_b=4.0,
    )  # fmt: skip


def measured(n=40, n_dims=2, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.multivariate_normal(np.zeros(n_dims), COVARIANCE[:n_dims, :n_dims], n)
    values[::7, 1] = np.nan
    return Observations(values, rng.random(n) < 0.4, Noise(np.full(n_dims, 50.0)))


@pytest.mark.parametrize("limit", [-3.0, 0.0, 0.44, 0.46, 2.0, 8.0])
def test_draws_above_a_limit_are_those_of_a_truncated_normal(limit):
    out = np.empty(4000)
    draw_aboves(np.random.default_rng(0), limit, out)
    assert out.min() > limit
    assert stats.kstest(out, stats.truncnorm(limit, np.inf).cdf).pvalue > 1e-4


@pytest.mark.parametrize("limit", [-30.0, -3.0, 0.0, 0.46, 8.0, 1e3, 9e5])
def test_draws_that_were_never_accepted_come_from_the_inverse(limit):
    @njit
    def fill(rng, a, out):
        for i in range(out.size):
            out[i] = invert_above(rng.standard_exponential(), a)

    out = np.empty(4000)
    fill(np.random.default_rng(0), limit, out)
    assert out.min() >= limit
    # The tail from the limit on, which has no name of its own so far out.
    share = np.exp(stats.norm.logsf(out) - stats.norm.logsf(limit))
    assert stats.kstest(share, "uniform").pvalue > 1e-4


@pytest.mark.timeout(60)
def test_no_limit_keeps_the_draws_from_ending():
    """Squares of such limits overflow, so that no proposal was ever accepted."""
    out = np.empty(100)
    for limit in (2e6, 1e160, np.inf, -np.inf):
        draw_aboves(np.random.default_rng(0), limit, out)
        assert (out >= limit).all()
    draw_aboves(np.random.default_rng(0), np.nan, out)
    assert np.isnan(out).all()


def test_a_chain_whose_limit_is_out_of_reach_ends():
    """Component and limit are so far apart that the distance has no square."""
    given = Observations([[0.0], [0.3], [-0.2], [1e90]], [0, 0, 0, 1], Noise([1e200]))
    prior = Prior.survival([[1.0]], [0.0])
    chain = NoisyChain(given, prior.constants(), np.random.default_rng(1), n_jumps=2)
    chain.state.components.precision[0] = 1e200
    chain.run(50, empty_trace(50, 1))


@pytest.mark.parametrize("limit", [1.0, 40.0, 3e4])
def test_tiny_noise_leaves_a_truncated_normal(limit):
    # x ~ N(0.5, 1/2), seen with an error of a millionth and known to exceed the limit.
    n, m, p = 4000, 0.5, 2.0
    given = Observations(np.full((n, 1), limit), np.ones(n), Noise([1e12], 5.0))
    prior = Prior.survival([[1.0]], [0.0])
    chain = NoisyChain(given, prior.constants(), np.random.default_rng(1), n_jumps=0)
    chain.state.components.location[0] = m
    chain.state.components.skew[0] = 0.0
    chain.state.components.precision[0] = p
    update_once(chain)
    z = (chain.state.x[:, 0] - m) * np.sqrt(p)
    a = (limit - m) * np.sqrt(p)
    if limit < 1e3:  # beyond, x exceeds the limit by no more than its error
        share = np.exp(stats.norm.logsf(z) - stats.norm.logsf(a))
        assert stats.kstest(share, "uniform").pvalue > 1e-4
    assert np.abs(chain.state.x.mean() - limit) < 1.0
    assert np.isfinite(chain.measured.noise_scale).all()


def update_once(chain):
    """Draw the true values and nothing else."""

    @njit
    def update(rng, state, measured):
        update_latent(rng, state, measured)

    update(chain.rng, chain.state, chain.measured)


def test_tiny_noise_is_as_good_as_none():
    rng = np.random.default_rng(2)
    values = rng.multivariate_normal([0, 0], COVARIANCE[:2, :2], 60)
    sampling = Sampling(n_chains=2, n_warmup=300, n_draws=4000, n_extensions=0)
    exact = sample_posterior(values, prior=space(2), sampling=sampling, random_state=0)
    noisy = sample_posterior(
        Observations(values, np.zeros(60), Noise([1e12, 1e12])),
        prior=space(2), sampling=sampling, random_state=1,
    )  # fmt: skip
    places = np.array([[0.0, 0.0], [1.0, 1.0], [-1.5, 0.5]])
    one, two = (found.log_densities(places) for found in (exact, noisy))
    error = np.hypot(one.std(axis=0), two.std(axis=0)) / np.sqrt(len(one))
    assert (np.abs(one.mean(axis=0) - two.mean(axis=0)) < 4 * error).all()
    assert (error < 0.05).all()


@pytest.mark.parametrize("n_dims", [2, 3])
def test_sweeps_leave_the_joint_distribution_alone(noisy_joint_draws, n_dims):
    z = noisy_joint_draws(space(n_dims), 6).z_scores(1500)
    assert np.abs(z).max() < NO_MORE, z.round(1)


@pytest.mark.slow  # it compiles a sampler of its own
def test_a_wrong_conditional_is_found_out(noisy_joint_draws, censored_without_noise):
    draws = noisy_joint_draws(space(2), 8, kernel=censored_without_noise)
    z = draws.z_scores(1500, n_sweeps=3)
    assert np.abs(z).max() > SURELY, z.round(1)


@pytest.mark.statistical
def test_ignored_censoring_is_found_out(noisy_joint_draws, censoring_ignored):
    draws = noisy_joint_draws(space(3), 8, kernel=censoring_ignored)
    z = draws.z_scores(1500, n_sweeps=3)
    assert np.abs(z).max() > SURELY, z.round(1)


@pytest.mark.statistical
@pytest.mark.parametrize("n_dims", [2, 3])
def test_many_sweeps_leave_the_joint_distribution_alone(noisy_joint_draws, n_dims):
    z = noisy_joint_draws(space(n_dims), 8).z_scores(15_000)
    assert np.abs(z).max() < NO_MORE, z.round(1)


def test_one_censored_number_has_the_exact_mean():
    # x ~ N(0.5, 1/2), n ~ N(0, 1/4), known: x + n > 1. Wide noise shape: lambda = 1.
    m, p, noise, limit = 0.5, 2.0, 4.0, 1.0
    spread = np.sqrt(1 / p + 1 / noise)
    a = (limit - m) / spread
    exact = m + (1 / p) / spread * stats.norm.pdf(a) / stats.norm.sf(a)
    n = 20_000
    given = Observations(np.full((n, 1), limit), np.ones(n), Noise([noise], 1e8))
    prior = Prior.survival([[1.0]], [0.0])
    chain = NoisyChain(given, prior.constants(), np.random.default_rng(1), n_jumps=0)
    chain.state.components.location[0] = m
    chain.state.components.skew[0] = 0.0
    chain.state.components.precision[0] = p
    chain.run(1, empty_trace(1, 1))
    error = chain.state.x.std() / np.sqrt(n)
    assert abs(chain.state.x.mean() - exact) < 4 * error


def test_the_same_draws_for_any_number_of_workers():
    one, two = (
        sample_posterior(
            measured(), prior=space(2), sampling=SHORT, random_state=3, n_jobs=n
        )
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.means, two.means)


def test_chains_do_not_share_what_they_draw():
    given = measured()
    before = given.values.copy()
    sample_posterior(given, prior=space(2), sampling=SHORT, random_state=3, n_jobs=1)
    np.testing.assert_array_equal(given.values, before)


def test_an_interrupted_run_goes_on_with_the_same_draws(tmp_path, monkeypatch):
    path = tmp_path / "state"
    settings = {"prior": space(2), "sampling": SHORT, "n_jobs": 1}
    whole = sample_posterior(measured(), random_state=3, **settings)
    rounds = []
    note = Checkpoint.note

    def stop_midway(self, runs, stage):
        note(self, runs, stage)
        rounds.append(stage)
        if len(rounds) == 25:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "note", stop_midway)
    with pytest.raises(KeyboardInterrupt):
        sample_posterior(measured(), random_state=3, checkpoint=path, **settings)
    monkeypatch.setattr(Checkpoint, "note", note)
    later = sample_posterior(measured(), random_state=3, checkpoint=path, **settings)
    np.testing.assert_array_equal(whole.means, later.means)
    with pytest.raises(InvalidInputError, match="another run"):
        sample_posterior(measured(seed=1), random_state=3, checkpoint=path, **settings)


def test_bad_observations_are_refused():
    noise = Noise([1.0, 1.0])
    with pytest.raises(UsageError, match="positive"):
        Noise([1.0, 0.0])
    with pytest.raises(UsageError, match="`shape`: must be positive"):
        Noise([1.0], 0.0)
    with pytest.raises(InvalidInputError, match="shape"):
        Observations(np.zeros((3, 1)), np.zeros(3), noise)
    with pytest.raises(InvalidInputError, match="is_censored"):
        Observations(np.zeros((3, 2)), np.zeros(2), noise)
    with pytest.raises(InvalidInputError, match="first coordinate"):
        Observations(np.full((3, 2), np.nan), np.zeros(3), noise)
    with pytest.raises(InvalidInputError, match="coordinates"):
        sample_posterior(measured(n_dims=2), prior=space(3))


@pytest.mark.slow
def test_the_evidence_of_few_measurements_is_their_mean_density():
    # One coordinate and four cases: the mean over draws of the prior is exact enough.
    prior = Prior.survival([[1.0]], [0.0], growth=0.3)
    noise = Noise([20.0], 5.0)
    values, censored = np.array([[0.3], [-0.8], [0.5], [1.0]]), [0, 0, 1, 1]
    found = log_evidence(
        Observations(values, censored, noise),
        prior=prior,
        betas=ladder(16),
        sampling=Sampling(n_warmup=300, n_draws=1500),
        random_state=0,
    )
    logs = []
    for mixture in sample_prior(prior, 4000, random_state=1):
        parts = mixture.components
        kept = KeptMixture(
            mixture.weights, *(np.array([getattr(c, name) for c in parts])
                               for name in ("location", "skew", "precision", "shape"))
        )  # fmt: skip
        one = ConditionalMixture([kept], prior.tail_kind, noise)
        density, tail = one.density_and_tail(np.empty((4, 0)), values, n_jobs=1)
        logs.append(np.log(np.where(censored, tail[:, 0], density[:, 0])).sum())
    chance = np.exp(logs)
    error = chance.std() / np.sqrt(len(chance)) / chance.mean()
    off = abs(found.value - np.log(chance.mean()))
    assert off < 4 * np.hypot(error, found.stderr) + 0.02, (found, error)
