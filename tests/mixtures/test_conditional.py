"""Coordinate 0 given noisy measurements of the others."""

import numpy as np
import pytest
from scipy import integrate, stats

from scorecast.mixtures import ConditionalMixture, Noise, SkewStudent
from scorecast.mixtures.kept import KeptMixture

PRECISION = np.array([[2.0, 0.6, -0.2], [0.6, 1.0, 0.1], [-0.2, 0.1, 1.5]])
ALMOST_NONE = Noise(np.full(3, 1e8), 50.0)


def draw(weights=(1.0,), shape=2.5):
    n = len(weights)
    return KeptMixture(
        weight=np.array(weights),
        location=np.array([[0.1, -0.2, 0.3], [1.0, 1.0, -1.0]])[:n],
        skew=np.array([[0.5, -0.3, 0.2], [-0.6, 0.4, 0.0]])[:n],
        precision=np.array([PRECISION, 3 * np.eye(3)])[:n],
        shape=np.array([shape, shape + 2.0])[:n],
    )


def joint_ratio(kept, others, at):
    """Density of coordinate 0 given exact others: joint over marginal (C4)."""
    top, bottom = 0.0, 0.0
    for w, mu, nu, s, m in zip(*vars(kept).values(), strict=True):
        rest = np.linalg.inv(np.linalg.inv(s)[1:, 1:])
        joint = SkewStudent(mu, nu, s, m, m)
        marginal = SkewStudent(mu[1:], nu[1:], rest, m, m)
        places = np.column_stack([at, np.tile(others, (at.size, 1))])
        top = top + w * np.exp(joint.log_density(places))
        bottom = bottom + w * np.exp(marginal.log_density(others[None]))
    return top / bottom


@pytest.mark.parametrize("weights", [(1.0,), (0.7, 0.3)])
@pytest.mark.parametrize("others", [(0.2, 0.1), (4.0, -3.0)])
def test_without_noise_it_is_joint_over_marginal(weights, others):
    kept, others = draw(weights), np.array(others)
    at = np.linspace(-4, 5, 19)
    found = ConditionalMixture([kept], 2, ALMOST_NONE)
    density, _ = found.density_and_tail(others[None], at[None])
    np.testing.assert_allclose(density[0], joint_ratio(kept, others, at), rtol=2e-3)


def test_with_noise_it_is_what_simulated_measurements_show():
    # Importance weights of exact joint draws, given the noisy measurements.
    kept, noise = draw((0.7, 0.3)), Noise(np.array([4.0, 9.0, 2.0]), 3.0)
    others, n = np.array([0.9, -0.4]), 400_000
    rng = np.random.default_rng(0)
    label = (rng.random(n) < 0.3).astype(int)
    alpha = rng.gamma(kept.shape[label], 1 / kept.shape[label])[:, None]
    factor = np.linalg.cholesky(np.linalg.inv(kept.precision))[label]
    e = np.einsum("nij,nj->ni", factor, rng.standard_normal((n, 3)))
    x = kept.location[label] + (kept.skew[label] + e) / np.sqrt(alpha)
    scale = rng.gamma(noise.shape, 1 / noise.shape, size=n)[:, None]
    spread = 1 / np.sqrt(scale * noise.precision)
    weight = stats.norm.pdf(others, x[:, 1:], spread[:, 1:]).prod(axis=1)
    y = x[:, 0] + spread[:, 0] * rng.standard_normal(n)
    at = np.array([-1.0, 0.0, 0.5, 1.5])
    found = ConditionalMixture([kept], 2, noise)
    _, tail = found.density_and_tail(others[None], at[None])
    share = weight / weight.sum()
    simulated = np.array([share @ (y > t) for t in at])
    pairs = zip(at, simulated, strict=True)
    error = np.sqrt([share**2 @ ((y > t) - s) ** 2 for t, s in pairs])
    assert (np.abs(tail[0] - simulated) < 4 * error).all()
    _, level = found.normals(others)
    assert np.exp(level[0]) == pytest.approx(weight.mean(), rel=0.01)


def test_it_integrates_to_one_and_the_tail_is_its_integral():
    found = ConditionalMixture([draw((0.7, 0.3)), draw()], 2, Noise(np.full(3, 50.0)))
    others = np.array([[0.5, np.nan], [np.nan, np.nan]])

    def value(t, k):
        return found.density_and_tail(others[k : k + 1], np.array([[t]]))[0][0, 0]

    for k in range(2):
        whole = integrate.quad(value, -60, 60, args=(k,), limit=300, points=[0.0])[0]
        assert whole == pytest.approx(1.0, abs=1e-6)
        above = integrate.quad(value, 0.4, 60, args=(k,), limit=300)[0]
        tail = found.density_and_tail(others[k : k + 1], np.array([[0.4]]))[1][0, 0]
        assert tail == pytest.approx(above, abs=1e-6)


def test_quantiles_and_draws_agree_with_the_tail():
    found = ConditionalMixture([draw((0.7, 0.3)), draw()], 2, Noise(np.full(3, 50.0)))
    others = np.array([[0.5, 0.2], [2.0, np.nan]])
    shares = np.array([0.05, 0.5, 0.95])
    at = found.quantiles(others, shares)
    _, tail = found.density_and_tail(others, at)
    np.testing.assert_allclose(1 - tail, np.tile(shares, (2, 1)), atol=1e-7)
    drawn = found.sample(others, 20_000, np.random.default_rng(0))
    share = (drawn[:, :, None] <= at[:, None]).mean(axis=1)
    np.testing.assert_allclose(share, np.tile(shares, (2, 1)), atol=0.012)
    by_draw = found.tails_by_draw(others[0], at[0])
    np.testing.assert_allclose(by_draw.mean(axis=0), tail[0], atol=1e-12)


def test_the_answer_does_not_depend_on_threads():
    found = ConditionalMixture([draw()] * 3, 2, Noise(np.full(3, 50.0)))
    others = np.random.default_rng(0).normal(size=(50, 2))
    at = np.zeros((50, 1))
    one, two = (found.density_and_tail(others, at, n_jobs=n)[0] for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_noise_has_the_density_of_the_paper(reference):
    given = reference["student_noise"]
    noise = Noise(np.full(2, 100.0), given["inputs"]["m_n"])
    found = noise.log_density(given["inputs"]["n"])
    assert found == pytest.approx(given["expected"], abs=given["tolerance"])


def test_a_prior_of_one_coordinate_needs_no_others():
    kept = KeptMixture(np.ones(1), np.zeros((1, 1)), np.zeros((1, 1)),
                       np.ones((1, 1, 1)), np.array([400.0]))  # fmt: skip
    found = ConditionalMixture([kept], 2, Noise([100.0], 400.0))
    density, _ = found.density_and_tail(np.empty((1, 0)), np.array([[0.0, 1.0]]))
    exact = stats.norm(0, np.sqrt(1.01)).pdf([0.0, 1.0])
    np.testing.assert_allclose(density[0], exact, rtol=5e-3)
