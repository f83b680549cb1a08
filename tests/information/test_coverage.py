"""The interval that is reported, with real chains, in worlds whose J is known."""

import math

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.information import PosteriorSettings
from scorecast.mixtures import Sampling, SkewStudent

SHORT = Sampling(n_chains=2, n_warmup=300, n_draws=700, n_extensions=0, n_kept=100)
N_CASES, N_REPEATS = 200, 50
TAIL = SkewStudent(0.25, -0.15, 100.0, 1.5, 0.5)


def long_left_tail(rng):
    return TAIL.sample(N_CASES, random_state=rng)[:, 0]


def overconfident_forecaster(rng):
    """x ~ N(0, 1) seen with noise; the forecast has the wrong slope and a third of
    the variance it should have."""
    x = rng.normal(size=N_CASES)
    y = x + np.sqrt(0.5) * rng.normal(size=N_CASES)
    said = stats.norm.logpdf(x, 0.6 * y, np.sqrt(0.12))
    return said - stats.norm.logpdf(x)


WORLDS = {
    "skew-Student": (long_left_tail, float(TAIL.mean()[0])),
    "Gaussian forecaster": (
        overconfident_forecaster,
        0.5 - 0.5 * np.log(0.12) - 0.5 * (0.4**2 + 0.5 * 0.6**2) / 0.12,
    ),
}


def chance_of_so_few(held):
    """If nine of ten intervals held, how often would so few?"""
    n = len(held)
    return stats.binomtest(int(np.sum(held)), n, 0.9, alternative="less").pvalue


@pytest.mark.statistical
@pytest.mark.parametrize("world", WORLDS)
def test_reported_intervals_hold_nine_times_of_ten(world):
    draw, truth = WORLDS[world]
    reported, halved = [], []
    for seed in range(N_REPEATS):
        j = draw(np.random.default_rng([seed, 2]))
        found = sc.apparent_information(
            sc.Forecasts.from_log_ratios(j),
            settings=PosteriorSettings(sampling=SHORT, allow_unconverged=True),
            random_state=seed,
            n_jobs=1,
            units="nats",
        )
        reported.append(found.posterior.low <= truth <= found.posterior.high)
        half = (found.normal.high - found.normal.low) / 4
        halved.append(abs(found.normal.mean - truth) <= half)
    assert chance_of_so_few(reported) > 0.01, np.mean(reported)
    # The same samples find out intervals half as wide as the usual ones.
    assert chance_of_so_few(halved) < 0.01, np.mean(halved)


def overconfident(n, rng):
    """Naive Bayes with ten copies of three features: J is near -1.9 bits."""
    sep, copies = 0.26, 10
    y = rng.random(n) < 0.5
    z = rng.normal(np.where(y, sep, -sep)[:, None], 1, (n, 3))
    odds = copies * 2 * sep * z.sum(axis=1)
    return np.log(2) - np.logaddexp(0, np.where(y, -odds, odds))


@pytest.mark.statistical
def test_the_headline_of_overconfident_forecasters_is_no_worse_than_the_mean():
    truth = overconfident(10**6, np.random.default_rng(99)).mean()
    errors = []
    for seed in range(75):
        j = overconfident(200, np.random.default_rng([seed, 4]))
        found = sc.apparent_information(
            j, np.zeros(200), random_state=seed, units="nats"
        )
        mixture = found.posterior.view("mixture")
        errors.append([found.posterior.median, j.mean(), mixture.median])
    squared = (np.array(errors) - truth) ** 2
    worse = squared[:, [0, 2]] - squared[:, [1]]
    stderr = worse.std(axis=0, ddof=1) / math.sqrt(len(worse))
    for sets in (slice(15), slice(75)):  # the first fifteen by themselves
        assert squared[sets, 0].mean() <= 1.0001 * squared[sets, 1].mean()
    assert worse[:, 1].mean() > 2 * stderr[1]  # the centre of before
