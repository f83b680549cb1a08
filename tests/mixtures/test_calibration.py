"""Simulation-based calibration: true means have uniform ranks among their draws.

A mixture is drawn from the prior, values from the mixture, and the posterior from the
values with chains that start elsewhere. The rank of the true mean among draws far apart
must be uniform. A sampler with one wrong conditional must be found out.
"""

import numpy as np
import pytest
from scipy import stats

from scorecast.mixtures import Prior
from scorecast.mixtures.chain import Chain, empty_trace

# Mostly skewed and long-tailed, one or two components: where mistakes would show.
PRIOR = Prior.information(growth=0.3, skew_spread=4.0, tail_b=1.0)
N_BINS = 8


def ranks(joint_draws, n_repeats, *, n_cases=15, kernel=None, thin=25, shift=0.0):
    """Ranks of the true mean among 31 draws each."""
    joint = joint_draws(PRIOR, n_cases, n_jumps=6, kernel=kernel)
    found = []
    for seed in range(n_repeats):
        joint.draw()
        truth = float(joint.mean[0])
        chain = Chain(
            joint.chain.state.x + shift,
            PRIOR.constants(),
            np.random.default_rng([99, seed]),
            n_jumps=6,
            n_start=1 + seed % 4,
        )
        joint.chain = chain
        warm, n_sweeps = 200, 31 * thin
        record = empty_trace(warm + n_sweeps, 1)
        joint.run_into(record)
        found.append(np.sum(record.means[warm::thin, 0] < truth))
    return np.array(found)


def evenness(found):
    """Chance of ranks so uneven."""
    counts = np.bincount(found * N_BINS // 32, minlength=N_BINS)
    return stats.chisquare(counts).pvalue


def test_true_means_have_even_ranks(joint_draws):
    assert evenness(ranks(joint_draws, 64)) > 1e-3


def test_a_sampler_that_misreads_its_values_makes_ranks_uneven(joint_draws):
    # Quick enough for every run; the slow lane finds out subtler faults.
    assert evenness(ranks(joint_draws, 24, thin=8, shift=0.3)) < 1e-5


@pytest.mark.statistical
def test_true_means_have_even_ranks_in_many_repeats(joint_draws):
    assert evenness(ranks(joint_draws, 2500)) > 1e-3


@pytest.mark.statistical
def test_a_wrong_conditional_makes_ranks_uneven(joint_draws, precision_forgets_scatter):
    found = ranks(joint_draws, 400, kernel=precision_forgets_scatter)
    assert evenness(found) < 1e-5
