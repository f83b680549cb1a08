"""Split and merge: quick functions are right, and what is copied stays right."""

import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_allclose

from scorecast.mixtures import Prior
from scorecast.mixtures.chain import Chain, empty_trace
from scorecast.mixtures.kernels.density import fill_rows
from scorecast.mixtures.kernels.special import exp_in_place, log_in_place
from scorecast.mixtures.kernels.split_merge import (
    _log_under_parent,
    jump,
    log_skew_student,
)


def test_exponentials_and_logarithms_of_many_are_those_of_one():
    many = njit(lambda x, y: (exp_in_place(x), log_in_place(y)))
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-708, 708, 3000), rng.normal(size=3000), [0.0]])
    y = np.concatenate([np.exp(x[:3000]), np.exp(0.01 * x[3000:]), [0.5**0.5, 1, 2]])
    exp, log = x.copy(), y.copy()
    many(exp, log)
    assert_allclose(exp, np.exp(x), rtol=5e-16)
    assert_allclose(log, np.log(y), rtol=5e-16)
    odd = np.array([np.nan, -np.inf, np.inf, 1e9])
    many(odd, y)
    assert_allclose(odd, np.exp([np.nan, -708, 708, 708]), rtol=1e-15)
    odd = np.array([0.0, -0.0, 5e-324, 1e-310, np.inf, np.nan, -1.0, -np.inf, 3.0])
    with np.errstate(all="ignore"):
        expected = np.log(odd)
    many(y, odd)
    assert_allclose(odd, expected, rtol=5e-16)


@njit
def _jump_often(rng, x, number, components, population, constants, densities, found):
    """Jump; fill the log density of every location under all, quickly and slowly."""
    fill_rows(x, number, components, constants, densities)
    sizes = [number]
    for _ in range(40):
        number = jump(rng, x, number, components, population, constants, densities)
        sizes.append(number)
    for c in range(number):
        for new in range(number):
            found[0, c, new] = _log_under_parent(
                c, new, components, constants, densities
            )
            found[1, c, new] = log_skew_student(
                components.location[new], c, components, constants.tail_kind
            )
    return sizes


@pytest.mark.slow  # compiles a kernel of its own
def test_tables_move_with_their_components():
    """A merge moves the last component; proposals then read the table it brought."""
    rng = np.random.default_rng(3)
    values = rng.standard_t(3, (12, 1))
    prior = Prior.information(skew_spread=9.0)
    chain = Chain(values, prior.constants(), rng, n_jumps=40, n_start=6)
    chain.make_room(200)
    n_merges = 0
    for _ in range(30):
        chain.run(1, empty_trace(1, 1))
        found = np.full((2, 200, 200), np.nan)
        sizes = _jump_often(
            rng,
            values,
            chain.n_components,
            chain.state.components,
            chain.state.population,
            chain.constants,
            chain.state.densities,
            found,
        )
        n_merges += np.sum(np.diff(sizes) < 0)
        assert_allclose(found[0], found[1], atol=1e-9)
    assert n_merges > 20
