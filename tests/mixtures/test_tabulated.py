"""Predictions at many places are those at few, at the price of few."""

import numpy as np
import pytest
from scipy import stats

from scorecast.mixtures import ConditionalMixture, KeptMixture, Noise, conditional
from scorecast.mixtures.conditional import _MANY as MANY, _Tabulated as Tabulated


def mixture(weights=(0.7, 0.3), precision=3.0, shape=2.5):
    kept = KeptMixture(
        weight=np.array(weights),
        location=np.array([[0.1, -0.2], [6.0, 1.0]]),
        skew=np.array([[0.5, -0.3], [-0.1, 0.4]]),
        precision=np.array([[[2.0, 0.6], [0.6, 1.0]], precision * np.eye(2)]),
        shape=np.array([shape, shape + 20.0]),
    )
    return ConditionalMixture([kept] * 2, 2, Noise(np.array([100.0, 100.0]), 5.0))


@pytest.fixture
def n_exact(monkeypatch):
    """Count the places at which all normals are added up."""
    places = []

    def counted(normals, n_heavy, at, exact=conditional._exact):
        places.append(at.size)
        return exact(normals, n_heavy, at)

    monkeypatch.setattr(conditional, "_exact", counted)
    return places


@pytest.mark.parametrize("weights", [(0.7, 0.3), (1 - 1e-6, 1e-6)])
@pytest.mark.parametrize("ends", [(-4.0, 9.0), (-60.0, 90.0), (0.3, 0.3 + 1e-9)])
def test_many_places_are_read_as_if_each_were_computed(weights, ends):
    found, others = mixture(weights), np.array([[0.4], [np.nan]])
    at = np.random.default_rng(0).uniform(*ends, size=(2, 2 * MANY))
    few = np.array([found.density_and_tail(others, at[:, k : k + 50])
                    for k in range(0, 2 * MANY, 50)])  # fmt: skip
    exact = np.concatenate(few, axis=2)
    many = np.array(found.density_and_tail(others, at))
    np.testing.assert_allclose(many, exact, rtol=1e-5, atol=0)
    np.testing.assert_allclose(many, exact, rtol=0, atol=1e-7)


def test_more_places_cost_next_to_nothing(n_exact):
    found, others = mixture(), np.array([[0.4]])
    found.density_and_tail(others, np.linspace(-4, 9, 500)[None])
    once = sum(n_exact)
    n_exact.clear()
    found.density_and_tail(others, np.linspace(-4, 9, 40_001)[None])
    assert sum(n_exact) == once < 1000


def test_many_quantiles_and_bands_agree_with_few():
    found, others = mixture(), np.array([[0.4]])
    shares = np.append(np.linspace(0.002, 0.998, MANY), [1e-6, 1 - 1e-6])
    some = [0, 17, 150, MANY - 1, MANY, MANY + 1]
    many = found.quantiles(others, shares)[0]
    few = found.quantiles(others, shares[some])[0]
    np.testing.assert_allclose(many[some], few, atol=1e-6)
    at = np.linspace(-4, 9, 2 * MANY)
    tails = found.tails_by_draw(others[0], at)
    np.testing.assert_allclose(
        tails[:, ::100], found.tails_by_draw(others[0], at[::100]), atol=1e-7
    )


def test_what_is_too_small_for_a_logarithm_is_nothing():
    def normal(at):
        return stats.norm.pdf(at), stats.norm.sf(at)

    at = np.linspace(-60.0, 60.0, 1001)
    density, tail = Tabulated(normal, -60.0, 60.0, np.zeros(1))(at)
    np.testing.assert_allclose(density, stats.norm.pdf(at), rtol=1e-5)
    np.testing.assert_allclose(tail, stats.norm.sf(at), rtol=1e-5)
    assert density[0] == tail[-1] == 0.0


def test_polynomials_that_are_not_close_are_found_out():
    def spike(at):
        return stats.norm.pdf(at, scale=1e-2) + 1e-9, stats.norm.sf(at, scale=1e-2)

    at = np.linspace(-0.05, 0.05, 301)
    found = Tabulated(spike, -0.05, 0.05, np.array([0.0]))
    np.testing.assert_allclose(found(at)[0], spike(at)[0], rtol=1e-5)
    assert len(found._edges) > 3  # two panels to begin with
