"""The compiled pass over the cases: scales are drawn right, sums are sums."""

import numpy as np
import pytest
from scipy import stats
from tests.mixtures.draws import draw_roots, fill_all_rows

from scorecast.mixtures import Prior, SkewStudent
from scorecast.mixtures.chain import Chain, empty_trace
from scorecast.mixtures.kernels.gibbs import BLOCK


@pytest.mark.parametrize("n_dims", [1, 2])
def test_sums_over_several_blocks_are_those_of_labels_and_scales(n_dims):
    n = 2 * BLOCK + 77
    rng = np.random.default_rng(4)
    values = rng.standard_t(3, (n, n_dims)) + 4 * rng.integers(0, 2, (n, 1))
    prior = Prior.information() if n_dims == 1 else Prior.survival(np.eye(2), [0, 0])
    chain = Chain(values, prior.constants(), rng, n_jumps=1, n_start=3)
    chain.run(5, empty_trace(5, n_dims))
    label, root = chain.state.cases.label, chain.state.cases.root
    occupied = np.unique(label)
    assert occupied.size > 1
    for c in occupied:
        mine = root[label == c]
        assert chain.state.sums.cases[c] == mine.size
        assert chain.state.sums.root[c] == pytest.approx(mine.sum(), rel=1e-12)
        assert chain.state.sums.scale[c] == pytest.approx((mine**2).sum(), rel=1e-12)
        tail = (mine**2 - 1 - 2 * np.log(mine)).sum()
        assert chain.state.sums.tail[c] == pytest.approx(tail, rel=1e-9)


@pytest.mark.parametrize("n_dims", [1, 2])
def test_densities_of_all_cases_are_those_of_the_components(n_dims):
    rng = np.random.default_rng(4)
    values = rng.standard_t(3, (60, n_dims))
    prior = Prior.information() if n_dims == 1 else Prior.survival(np.eye(2), [0, 0])
    chain = Chain(values, prior.constants(), rng, n_jumps=1, n_start=3)
    chain.run(5, empty_trace(5, n_dims))
    parts, densities = chain.state.components, chain.state.densities
    fill_all_rows(values, chain.n_components, parts, chain.constants, densities)
    for c in range(chain.n_components):
        m = parts.shape[c]
        r = m - 1 if prior.tail_kind == 1 else m
        one = SkewStudent(parts.location[c], parts.skew[c], parts.precision[c], m, r)
        wanted = np.ravel(one.log_density(values if n_dims > 1 else values[:, 0]))
        found = densities.level + np.log(densities.row[c])
        assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("p", [1.5, 6.0, 60.0])
@pytest.mark.parametrize("z", [-8.0, -1.5, 0.0, 2.0, 9.0])
def test_roots_are_drawn_from_their_density(p, z):
    a, n = 0.7, 20_000
    b = z * np.sqrt(2 * a)
    found = np.empty(n)
    every = [np.full(n, value) for value in (p, a, b)]
    draw_roots(np.random.default_rng(8), *every, found)
    s = np.linspace(0, 1.5 * found.max(), 20_001)
    with np.errstate(divide="ignore"):
        log_density = p * np.log(s) - a * s**2 + b * s
    density = np.exp(log_density - log_density.max())
    below = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    cdf = below / below[-1]
    assert stats.kstest(found, lambda x: np.interp(x, s, cdf)).pvalue > 1e-3
    assert stats.kstest(1.02 * found, lambda x: np.interp(x, s, cdf)).pvalue < 0.05
