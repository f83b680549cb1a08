"""Thermodynamic integration against exact evidence."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from scorecast.exceptions import DataWarning, UsageError
from scorecast.mixtures import (
    Prior,
    Sampling,
    evidence,
    ladder,
    log_evidence,
    thermodynamic_integral,
)
from scorecast.mixtures.chain import mixture_log_density, start_runs
from scorecast.mixtures.evidence import _rung_errors, _summarise, _warn_of
from scorecast.mixtures.prior import _draws


def test_the_rule_has_its_reference_values(reference):
    entry = reference["thermo_conj"]
    given, expected = entry["inputs"], entry["expected"]
    x = np.array(given["x"])
    means, variances = _power_posterior(x, given["prior_sd"], given["noise_sd"])
    betas = ladder(20)
    plain = thermodynamic_integral(betas, means(betas))
    corrected = thermodynamic_integral(betas, means(betas), variances(betas))
    assert_allclose(plain, expected["plain_trapezoid"], atol=entry["tolerance"])
    assert_allclose(corrected, expected["corrected"], atol=entry["tolerance"])


def test_a_steep_ladder_is_climbed_by_even_steps_and_the_error_is_told():
    # Means fall like 1 / beta, as they do with precise measurements and a vague prior.
    x = np.random.default_rng(0).normal(30.0, 1.0, size=40)
    means, variances = _power_posterior(x, 100.0, 1.0)
    exact = stats.multivariate_normal(
        np.zeros(40), np.eye(40) + 100.0**2, allow_singular=True
    ).logpdf(x)
    unit = np.random.default_rng(1).normal(size=(2, 40))
    unit = (unit - unit.mean()) / unit.std()
    for rungs in (12, 20, 40):
        betas = ladder(rungs)
        old = thermodynamic_integral(betas, means(betas), variances(betas))
        draws = [
            m + np.sqrt(v) * unit
            for m, v in zip(means(betas), variances(betas), strict=True)
        ]
        found = _summarise(betas, draws, "steep")
        assert abs(found.value - exact) < 3.0 * found.rule_error
        assert abs(found.value - exact) < 0.1 * abs(old - exact)
        assert found.stderr >= found.rule_error


def test_chains_that_are_apart_add_to_the_error():
    betas = ladder(4)
    noise = np.random.default_rng(0).normal(size=(2, 400))
    together = _summarise(betas, [noise] * 5, "a")
    apart = _summarise(betas, [noise + np.array([[-3.0], [3.0]])] * 5, "a")
    assert apart.stderr > 10 * together.stderr


def steps_at(place, height, betas):
    """Means of a log likelihood that jumps by `height` at a power, and no variance."""
    return np.where(betas < place, -height, 0.0)


@pytest.mark.parametrize("place", [0.5, 0.85, 0.97])
def test_a_jump_between_two_rungs_is_told_and_found(place, monkeypatch):
    noise = 0.01 * np.random.default_rng(0).normal(size=(2, 400))

    def jumping(given, prior, beta, sampling, stream):
        height = float(steps_at(place, 50.0, np.array([beta]))[0])
        trace = SimpleNamespace(given_cases=height + noise[0])
        return [
            SimpleNamespace(
                trace=trace, n_warmup=0, n_sweeps=1, compile=int, advance=lambda n: None
            )
        ] * 2

    monkeypatch.setattr(evidence, "_start", jumping)
    call = {"prior": Prior.information(), "random_state": 0}
    exact = -50.0 * place
    with pytest.warns(DataWarning, match="too coarse"):
        told = log_evidence([0.1, 0.2], betas=ladder(), **call)
    assert abs(told.value - exact) < 2.0 * told.rule_error
    assert told.betas.size == 21
    found = log_evidence([0.1, 0.2], **call)
    assert abs(found.value - exact) < 2.0 * found.rule_error + 0.1
    assert found.rule_error < 0.25 * told.rule_error
    assert 21 < found.betas.size <= 29
    assert (np.diff(found.betas) > 0).all()


def test_draws_that_hang_together_claim_no_more_than_they_know():
    """Slow chains, in nearly the same place by luck: batches of 20 saw nothing."""
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(40):
        chains = np.zeros((2, 400))
        for i in range(1, 400):
            chains[:, i] = 0.95 * chains[:, i - 1] + rng.normal(size=2)
        chains += rng.normal(0.0, 1.0 / np.sqrt(1 - 0.95**2), size=(2, 1)) * 0.95 ** (
            np.arange(400)
        )
        error = _rung_errors([chains])[0]
        hits.append(abs(chains.mean()) < 2.0 * error)
    assert np.mean(hits) >= 0.85


def test_runs_that_go_on_keep_what_they_noted():
    x = np.random.default_rng(1).normal(0.4, 0.5, size=(12, 1))
    prior = Prior.information()
    sampling = Sampling(n_warmup=20, n_draws=40, n_jumps=2)
    given = (x, prior.constants(), sampling)
    (short,) = start_runs(*given, [np.random.default_rng(0)])
    short.advance(short.n_sweeps)
    before = short.trace.given_cases.copy()
    short.go_on()
    short.advance(short.n_sweeps)
    assert (short.n_warmup, short.n_draws, short.done) == (40, 80, 120)
    assert_array_equal(short.trace.given_cases[:60], before)
    assert np.isfinite(short.trace.given_cases).all()


def test_rungs_that_do_not_matter_are_not_warned_of():
    """The lowest rung has no weight at all: chains may disagree there."""
    betas = ladder(4)
    rng = np.random.default_rng(0)
    draws = [rng.normal(size=(2, 400)) * 0.01 for _ in betas]
    draws[0] = draws[0] + 1e5 * np.array([[-1.0], [1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _warn_of(_summarise(betas, draws, "a"))
    draws[-1] = draws[-1] + np.array([[-1.0], [1.0]])
    with pytest.warns(DataWarning, match="disagree at 1 of 5"):
        _warn_of(_summarise(betas, draws, "a"))


def rough_evidence(seed, error=None):
    """Evidence of twelve values by chains that are too short."""
    x = np.random.default_rng(1).normal(0.4, 0.5, size=12)
    short = Sampling(n_warmup=40, n_draws=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return log_evidence(
            x, prior=Prior.information(), betas=ladder(6), sampling=short, error=error,
            random_state=seed,
        )  # fmt: skip


def test_rungs_that_err_by_much_run_on():
    plain, small, large = (rough_evidence(0, error) for error in (None, 0.05, 1e9))
    assert large.value == plain.value
    assert (small.means != plain.means).any()


@pytest.mark.slow
def test_rungs_that_run_on_err_less():
    def chance(one):
        return np.sqrt(one.stderr**2 - one.rule_error**2)

    # The errors are estimates themselves, so several of them.
    seeds = range(1, 5)
    plain = [chance(rough_evidence(seed)) for seed in seeds]
    longer = [chance(rough_evidence(seed, 0.02)) for seed in seeds]
    assert np.mean(longer) < 0.6 * np.mean(plain)


def _power_posterior(x, prior_sd, noise_sd):
    """Mean and variance of the log likelihood of a normal mean, for any power."""
    n, square = len(x), np.sum((x - x.mean()) ** 2)

    def mean_and_variance(beta):
        precision = 1 / prior_sd**2 + beta * n / noise_sd**2
        centre = beta * n * x.mean() / noise_sd**2 / precision
        away, spread = x.mean() - centre, 1 / precision
        base = -0.5 * n * np.log(2 * np.pi * noise_sd**2)
        mean = base - 0.5 * (square + n * (away**2 + spread)) / noise_sd**2
        scale = 0.5 * n / noise_sd**2
        return mean, scale**2 * (2 * spread**2 + 4 * away**2 * spread)

    return (lambda b: mean_and_variance(b)[0]), (lambda b: mean_and_variance(b)[1])


def nearly_normal(variance, location_variance):
    """One component, no skew, no tails, a known variance: a conjugate normal."""
    tight = 1e5
    return Prior.information(
        growth=1e-9, skew_spread=1e-9, tail_a=1e-3, tail_b=1e3,
        spread_a=1e-4, spread_b=1e3, scale_shape=tight, scale_rate=tight / variance,
        centre_precision=1e8, location_shape=tight, rate_shape=tight,
        rate_rate=tight / (tight * location_variance),
    )  # fmt: skip


def test_a_conjugate_case_has_its_exact_evidence():
    variance, location_variance = 0.25, 1.0
    x = np.random.default_rng(1).normal(0.4, 0.5, size=12)
    exact = stats.multivariate_normal(
        np.zeros(12), variance * np.eye(12) + location_variance
    ).logpdf(x)
    found = log_evidence(
        x,
        prior=nearly_normal(variance, location_variance),
        betas=ladder(16),
        sampling=Sampling(n_warmup=300, n_draws=2000, n_jumps=0, starts=(1,)),
        random_state=0,
    )
    assert found.stderr < 0.04
    assert found.rhats.max() < 1.05
    assert abs(found.value - exact) < 4 * found.stderr


def test_tails_so_long_that_scales_pile_up_at_zero_do_not_stop_it():
    """Shapes below one half: at small powers the density of a scale has no mode."""
    found = log_evidence(
        [0.1, 0.2, -0.3],
        prior=Prior.information(tail_kind=2, tail_b=0.2),
        betas=ladder(4),
        sampling=Sampling(n_warmup=50, n_draws=200),
        random_state=0,
    )
    assert np.isfinite(found.means).all()


@pytest.mark.statistical
@pytest.mark.parametrize("tails", [{}, {"tail_kind": 2, "tail_b": 1.0}])
def test_the_evidence_of_a_full_mixture_against_weighted_prior_draws(tails):
    prior = Prior.information(**tails)
    x = np.array([0.15, 0.35, -0.6])
    constants = prior.constants()
    logs = np.array(
        [
            mixture_log_density(x[:, None], kept, constants).sum()
            for _, kept in _draws(prior, 100_000, 1)
        ]
    )
    weights = np.exp(logs - logs.max())
    exact = logs.max() + np.log(weights.mean())
    error = weights.std() / weights.mean() / np.sqrt(len(weights))
    found = log_evidence(
        x,
        prior=prior,
        betas=ladder(24),
        sampling=Sampling(n_warmup=500, n_draws=5000),
        random_state=0,
    )
    assert abs(found.value - exact) < 4 * np.hypot(found.stderr, error) + 0.02


def test_chains_of_a_rung_that_disagree_are_told():
    """Without warm-up the second chain still remembers its hundred components."""
    short = Sampling(n_warmup=0, n_draws=20, n_jumps=0, starts=(1, 100))
    x = np.random.default_rng(1).normal(0.4, 0.5, size=12)
    with pytest.warns(DataWarning, match=r"chains disagree at \d+ of 41 rungs.*more"):
        found = log_evidence(
            x, prior=Prior.information(), betas=ladder(40), sampling=short,
            random_state=0,
        )  # fmt: skip
    assert np.nanmax(found.rhats) > 1.05


def test_a_ladder_must_climb_from_nought_to_one():
    with pytest.raises(UsageError, match="climb"):
        log_evidence([0.1], prior=Prior.information(), betas=[0.0, 0.5])


def test_too_few_draws_and_too_few_rungs_are_told():
    x, prior = np.random.default_rng(1).normal(0.4, 0.5, size=12), Prior.information()
    few = Sampling(n_warmup=0, n_draws=19, starts=(1,))
    with pytest.raises(UsageError, match="at least 20"):
        log_evidence(x, prior=prior, sampling=few)
    short = Sampling(n_warmup=200, n_draws=3000, starts=(1,))
    with pytest.warns(DataWarning, match=r"\(B.7\)': .*coarse.*ladder\(4\)"):
        log_evidence(x, prior=prior, betas=ladder(2), sampling=short, random_state=0)
