"""The interval that is reported, with real chains, in worlds whose J is known."""

import warnings

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.exceptions import DataWarning
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
        cases = sc.cases_from_j(draw(np.random.default_rng([seed, 2])))
        with warnings.catch_warnings():  # such short chains may not have converged
            warnings.simplefilter("ignore", DataWarning)
            found = sc.apparent_information(
                cases, sampling=SHORT, allow_unconverged=True, random_state=seed,
                n_jobs=1, units="nats",
            )  # fmt: skip
        reported.append(found.posterior.low <= truth <= found.posterior.high)
        half = (found.normal.high - found.normal.low) / 4
        halved.append(abs(found.normal.mean - truth) <= half)
    assert chance_of_so_few(reported) > 0.01, np.mean(reported)
    # The same samples find out intervals half as wide as the usual ones.
    assert chance_of_so_few(halved) < 0.01, np.mean(halved)
