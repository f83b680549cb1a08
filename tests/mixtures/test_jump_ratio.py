"""The odds of a split or merge, against the same written down plainly."""

import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_allclose
from scipy import special, stats

from scorecast.mixtures import Prior, SkewStudent
from scorecast.mixtures.chain import Chain, empty_trace
from scorecast.mixtures.kernels.density import add_row, fill_rows
from scorecast.mixtures.kernels.split_merge import _log_gain, log_split_ratio, propose

COVARIANCE = np.array([[1.0, 0.3], [0.3, 0.5]])
PRIORS = {
    "rate m - 1": Prior.information(),
    "rate m": Prior.information(tail_kind=2, tail_b=5.0, skew_spread=9.0),
    "plane": Prior.survival(COVARIANCE, [0.2, -0.1], growth=0.5, tail_b=4.0),
}


@njit
def split_odds(rng, x, n, parts, population, constants, densities, parent, share):
    """Propose a split; its log odds without and with the likelihood."""
    fill_rows(x, n, parts, constants, densities)
    before = parts.weight[: n + 1].copy()
    after = before.copy()
    after[parent] = before[parent] * (1.0 - share)
    after[n] = before[parent] * share
    propose(rng, parent, n, parts, constants)
    add_row(x, n, parts, constants, densities)
    prior = log_split_ratio(
        parent, n, n, before, after, parts, population, constants, densities
    )
    return prior, _log_gain(densities, after, after[n], n, parent)


def wishart(value, shape, rate):
    degrees = 2 * shape + len(rate) - 1
    return stats.wishart(degrees, np.linalg.inv(2 * rate)).logpdf(value)


def normal(x, mean, precision):
    return stats.multivariate_normal(mean, np.linalg.inv(precision)).logpdf(x)


def student(x, parts, c, kind):
    m = parts.shape[c]
    one = SkewStudent(parts.location[c], parts.skew[c], parts.precision[c], m,
                      m - 1 if kind == 1 else m)  # fmt: skip
    return np.ravel(one.log_density(x if x.shape[1] > 1 else x[:, 0]))


def even(*logs):
    return special.logsumexp(logs) - np.log(len(logs))


def dirichlet(weight, total):
    return stats.dirichlet.logpdf(weight, np.full(len(weight), total / len(weight)))


def plain_prior_odds(prior, parts, population, parent, before, after, share):
    """Log prior of the larger mixture over the smaller, over the proposal."""
    new, n_dims = len(before), prior.n_dims
    mu, nu, s = (getattr(parts, k)[new] for k in ("location", "skew", "precision"))
    mu_p, nu_p, s_p = (
        getattr(parts, k)[parent] for k in ("location", "skew", "precision")
    )
    none, m_s = np.zeros(n_dims), population.precision_shape[0]
    of_skew = normal(nu, none, s / prior.skew_spread)
    odds = np.log(prior.growth)
    odds += dirichlet(after, prior.concentration)
    odds -= dirichlet(before, prior.concentration) if len(before) > 1 else 0.0
    odds += normal(mu, population.location_mean, population.location_precision)
    odds += wishart(s, m_s, (m_s - 1) * population.covariance) + of_skew
    under = student(mu[None, :], parts, parent, prior.tail_kind)[0]
    odds -= even(normal(mu, mu_p, 2 * s_p), under)
    rate = (4 + (n_dims - 1) / 2) * np.linalg.inv(s_p)
    odds -= even(*[wishart(s, 4, rate / step) for step in (1 / 6, 1, 6)])
    odds -= even(normal(nu, nu_p, 4 * s_p), of_skew)
    odds -= even(stats.beta(2, 2).logpdf(share), stats.beta(1, 9).logpdf(share))
    return odds + np.log(before[parent])


def log_likelihood(x, weight, parts, kind):
    rows = [np.log(w) + student(x, parts, c, kind) for c, w in enumerate(weight)]
    return special.logsumexp(rows, axis=0).sum()


@pytest.mark.slow  # compiles a kernel of its own
@pytest.mark.parametrize("name", PRIORS)
def test_odds_of_a_split_are_those_written_down_plainly(name):
    prior = PRIORS[name]
    rng = np.random.default_rng(7)
    x = rng.standard_t(3, (25, prior.n_dims))
    chain = Chain(x, prior.constants(), rng, n_jumps=20, n_start=3)
    chain.make_room(60)
    for _ in range(25):
        chain.run(1, empty_trace(1, prior.n_dims))
        n, parts = int(chain.state.number[0]), chain.state.components
        parent, share = int(rng.integers(n)), float(rng.beta(1, 4))
        before = parts.weight[:n].copy()
        odds, gain = split_odds(
            rng,
            x,
            n,
            parts,
            chain.state.population,
            chain.constants,
            chain.state.densities,
            parent,
            share,
        )
        after = np.append(before, before[parent] * share)
        after[parent] *= 1 - share
        plain = plain_prior_odds(
            prior, parts, chain.state.population, parent, before, after, share
        )
        assert_allclose(odds, plain, atol=1e-7)
        kind = prior.tail_kind
        larger = log_likelihood(x, after, parts, kind)
        smaller = log_likelihood(x, before, parts, kind)
        assert_allclose(gain, larger - smaller, atol=1e-7)


@njit
def merge_gain(x, parts, constants, densities):
    """Change of the log likelihood if component 1 is dropped in favour of 0."""
    fill_rows(x, 3, parts, constants, densities)
    after = parts.weight[:3].copy()
    after[0] += after[1]
    after[1] = 0.0
    return _log_gain(densities, after, parts.weight[1], 0, 1)


@pytest.mark.slow
def test_a_merge_that_leaves_next_to_nothing_of_a_case_keeps_its_digits():
    """A case at 1 that only the narrow component explains: 1 - (1 - 1e-25) is none."""
    prior = Prior.information(tail_b=200.0)
    x = np.array([[1.0], [0.0]])
    chain = Chain(x, prior.constants(), np.random.default_rng(0), n_jumps=5, n_start=3)
    parts = chain.state.components
    parts.weight[:3] = [0.5, 0.4, 0.1]
    parts.location[:3, 0] = [0.0, 1.0, -3.0]
    parts.precision[:3, 0, 0] = [1e3, 1e8, 1.0]
    parts.shape[:3] = [60.0, 5.0, 60.0]
    gain = merge_gain(x, parts, chain.constants, chain.state.densities)
    before = log_likelihood(x, [0.5, 0.4, 0.1], parts, 1)
    rows = [np.log(w) + student(x, parts, c, 1) for c, w in ((0, 0.9), (2, 0.1))]
    plain = special.logsumexp(rows, axis=0).sum() - before
    assert plain < -5.0
    assert_allclose(gain, plain, atol=1e-9)
