"""Components, distributions and skews are what they state: moments, chances, shapes."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, poisson, uniform

from scorecast.exceptions import UsageError
from scorecast.simulate import (
    DISTRIBUTIONS,
    SKEWS,
    Normal,
    Poisson,
    Skew,
    Uniform,
)

ORACLES = {
    Normal(-1.5, 0.7): norm(-1.5, 0.7),
    Poisson(4.3): poisson(4.3),
    Uniform(-2.0, 3.5): uniform(-2.0, 5.5),
    Uniform(10.0, 10.5): uniform(10.0, 0.5),
}
COMPONENTS = list(ORACLES)


@pytest.mark.parametrize("part", COMPONENTS, ids=str)
def test_moments_and_chances_are_those_of_scipy(part):
    oracle = ORACLES[part]
    assert part.mean == pytest.approx(oracle.mean(), rel=1e-12)
    assert part.std == pytest.approx(oracle.std(), rel=1e-12)
    x = oracle.ppf(np.linspace(0.01, 0.99, 23))
    assert part.cdf(x) == pytest.approx(oracle.cdf(x), rel=1e-12)
    log = oracle.logpmf if part.is_discrete else oracle.logpdf
    assert part.log_density(x) == pytest.approx(log(x), rel=1e-12)


@pytest.mark.parametrize("part", COMPONENTS, ids=str)
def test_values_have_the_moments_and_chances_that_are_stated(part):
    # Evenly spaced quantiles stand for a large sample without its error.
    n = 200_000
    z = norm.ppf((np.arange(n) + 0.5) / n)
    values = part.from_normal(z)
    assert (np.diff(values) >= 0).all()
    assert values.mean() == pytest.approx(part.mean, rel=1e-3)
    assert values.std() == pytest.approx(part.std, rel=1e-3)
    at = np.quantile(values, [0.1, 0.5, 0.9])
    share = (values[:, None] <= at).mean(axis=0)
    assert part.cdf(at) == pytest.approx(share, abs=1e-4)
    # A standard deviation that is off by a hundredth is noticed.
    assert values.std() != pytest.approx(1.01 * part.std, rel=1e-3)


def densities_integrate(part, low, high):
    """Return the mass of a density between two points, atoms included."""
    if part.is_discrete:
        whole = np.arange(math.ceil(low), math.floor(high) + 1, dtype=float)
        return np.exp(part.log_density(whole[whole > low])).sum()
    return quad(lambda x: np.exp(part.log_density(np.array([x]))[0]), low, high)[0]


@pytest.mark.parametrize("part", COMPONENTS, ids=str)
def test_density_and_distribution_function_agree(part):
    low, high = part.mean - 1.5 * part.std, part.mean + 0.9 * part.std
    mass = part.cdf(np.array([high]))[0] - part.cdf(np.array([low]))[0]
    assert densities_integrate(part, low, high) == pytest.approx(mass, rel=1e-6)


@pytest.mark.parametrize("name", SKEWS)
@pytest.mark.parametrize("part", COMPONENTS, ids=str)
def test_skewed_values_follow_their_stated_distribution(name, part):
    how = SKEWS[name]
    skewed = how.skewed(part, Skew(kind=name, skewness=1.5), part.mean, part.std)
    rng = np.random.default_rng(7)
    values = skewed.draw(rng.normal(size=60_000), rng)
    at = np.quantile(values, [0.05, 0.3, 0.6, 0.9])
    share = (values[:, None] <= at).mean(axis=0)
    error = np.sqrt(share * (1 - share) / values.size)
    assert np.abs((skewed.cdf(at) - share) / error).max() < 4.5
    third = ((values - values.mean()) ** 3).mean() / values.std() ** 3
    assert third > 0.3
    if how.keeps_moments:
        assert values.mean() == pytest.approx(part.mean, abs=4.5 * part.std / 245)
        assert values.std() == pytest.approx(part.std, rel=0.03)
        assert third == pytest.approx(1.5, rel=0.1)
    else:
        # A tail that is left out is noticed.
        assert np.abs((part.cdf(at) - share) / error).max() > 4.5


@pytest.mark.parametrize("name", SKEWS)
def test_density_of_skewed_values_is_the_slope_of_their_chances(name):
    part = Normal(1.0, 2.0)
    skewed = SKEWS[name].skewed(part, Skew(kind=name), 1.0, 2.0)
    x, h = np.array([-0.4, 1.3, 4.4, 9.0]), 1e-4
    slope = (skewed.cdf(x + h) - skewed.cdf(x - h)) / (2 * h)
    assert np.exp(skewed.log_density(x)) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_setting_describes_as_many_classes_as_asked(name):
    only = DISTRIBUTIONS[name].n_classes
    for n_classes in [only] if only else [2, 3, 6]:
        mixtures = DISTRIBUTIONS[name].mixtures(n_classes, 2.0, 0.5)
        assert len(mixtures) == n_classes
        assert all(mixtures)
        assert len(set(mixtures)) == n_classes  # no two classes are the same


@pytest.mark.parametrize(
    "make",
    [
        lambda: Normal(0, 0),
        lambda: Poisson(-1),
        lambda: Uniform(1, 1),
        lambda: Normal(float("nan"), 1),
        lambda: Poisson(1e6),
    ],
)
def test_components_that_cannot_be_are_refused(make):
    with pytest.raises(UsageError) as caught:
        make()
    assert caught.value.parameter
