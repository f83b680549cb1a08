"""Every update leaves the joint distribution of parameters and values alone.

A chain is started from an exact draw of both and swept a few times; statistics must
not move. A kernel with one wrong conditional must be found out by the same test.
"""

import numpy as np
import pytest

from scorecast.mixtures import Prior

COVARIANCE = np.array([[1.0, 0.3], [0.3, 0.5]])


def plane(**changes):
    """A prior in two dimensions under which everything varies."""
    wide = {
        "growth": 0.5,
        "scale_shape": 5.0,
        "scale_rate": 5.0 * np.linalg.inv(COVARIANCE),
        "spread_b": 2.0,
        "skew_spread": 0.5,
        "tail_b": 4.0,
    }
    return Prior.survival(COVARIANCE, [0.2, -0.1], **(wide | changes))


PRIORS = {
    "one dimension": Prior.information(growth=0.6),
    "one dimension, rate m": Prior.information(growth=0.6, tail_kind=2),
    "one dimension, inverse mean": Prior.information(
        growth=0.6, location_reading="inverse-mean", location_shape=2.0
    ),
    "two dimensions, rate m": plane(),
    "two dimensions": plane(tail_kind=1),
}
NO_MORE = 4.2  # standard errors; twenty statistics, so 1 in 2,000 by chance
SURELY = 6.0


@pytest.mark.parametrize("name", ["one dimension", "two dimensions, rate m"])
def test_sweeps_leave_the_joint_distribution_alone(joint_draws, name):
    z = joint_draws(PRIORS[name], 6).z_scores(1500)
    assert np.abs(z).max() < NO_MORE, z.round(1)


@pytest.mark.slow  # it compiles a sampler of its own
def test_a_wrong_conditional_is_found_out(joint_draws, scale_ignores_skew):
    prior = PRIORS["one dimension"]
    z = joint_draws(prior, 12, kernel=scale_ignores_skew).z_scores(1500, n_sweeps=4)
    assert np.abs(z).max() > SURELY, z.round(1)


@pytest.mark.statistical
@pytest.mark.parametrize("name", PRIORS)
def test_many_sweeps_leave_the_joint_distribution_alone(joint_draws, name):
    z = joint_draws(PRIORS[name], 8).z_scores(15_000)
    assert np.abs(z).max() < NO_MORE, z.round(1)


@pytest.mark.statistical
def test_without_jumps_the_joint_distribution_is_left_alone(joint_draws):
    z = joint_draws(PRIORS["one dimension"], 8, n_jumps=0).z_scores(15_000)
    assert np.abs(z).max() < NO_MORE, z.round(1)


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["one dimension", "two dimensions"])
def test_wrong_conditionals_are_found_out(
    joint_draws, name, scale_ignores_skew, precision_forgets_skew_prior
):
    for kernel in (scale_ignores_skew, precision_forgets_skew_prior):
        z = joint_draws(PRIORS[name], 8, kernel=kernel).z_scores(15_000, n_sweeps=4)
        assert np.abs(z).max() > SURELY, z.round(1)


@pytest.mark.statistical
def test_a_wrong_ratio_of_splits_is_found_out(joint_draws, split_forgets_jacobian):
    # Other updates pull the number of components back: many attempts, little time.
    options = {"n_cases": 6, "n_jumps": 30}
    prior = PRIORS["one dimension"]
    wrong = joint_draws(prior, kernel=split_forgets_jacobian, **options)
    z = wrong.z_scores(4000, n_sweeps=4)
    assert np.abs(z).max() > SURELY, z.round(1)
    z = joint_draws(prior, **options).z_scores(4000, n_sweeps=4)
    assert np.abs(z).max() < NO_MORE, z.round(1)
