"""Coordinate 0 given noisy measurements of the others."""

import numpy as np
import pytest
from numba import njit
from scipy import integrate, stats

from scorecast.mixtures import ConditionalMixture, KeptMixture, Noise, SkewStudent
from scorecast.mixtures.kernels.special import normal_values

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


def by_dense_quadrature(kept, noise, others, at):
    """Density and tail of coordinate 0 over a dense grid of both scales."""
    log_scale = np.linspace(-10.0, 3.5, 180)
    scale = np.exp(log_scale)
    of_noise = stats.gamma.logpdf(scale, noise.shape, scale=1 / noise.shape) + log_scale
    total, density, tail = 0.0, np.zeros(at.size), np.zeros(at.size)
    for w, mu, nu, s, m in zip(*vars(kept).values(), strict=True):
        covariance, eye = np.linalg.inv(s), np.diag(1 / noise.precision)
        of_alpha = stats.gamma.logpdf(scale, m, scale=1 / m) + log_scale
        for alpha, own in zip(scale, of_alpha, strict=True):
            spread = covariance / alpha + eye / scale[:, None, None]
            away = others - mu[1:] - nu[1:] / np.sqrt(alpha)
            cross = covariance[0, 1:] / alpha
            both = np.stack([np.broadcast_to(v, (scale.size, v.size)) for v in
                             (away, cross)], axis=2)  # fmt: skip
            solved = np.linalg.solve(spread[:, 1:, 1:], both)
            level = -0.5 * (solved[:, :, 0] @ away)
            level -= 0.5 * np.linalg.slogdet(spread[:, 1:, 1:])[1]
            weight = w * np.exp(level + own + of_noise)
            middle = mu[0] + nu[0] / np.sqrt(alpha) + solved[:, :, 0] @ cross
            z = stats.norm(middle, np.sqrt(spread[:, 0, 0] - solved[:, :, 1] @ cross))
            total += weight.sum()
            density += z.pdf(at[:, None]) @ weight
            tail += z.sf(at[:, None]) @ weight
    return density / total, tail / total


def alike(n_dims, correlation, shape=11.0, skew=0.0):
    """One component whose coordinates nearly agree."""
    covariance = np.full((n_dims, n_dims), correlation)
    np.fill_diagonal(covariance, 1.0)
    return KeptMixture(np.ones(1), np.zeros((1, n_dims)), np.full((1, n_dims), skew),
                       np.linalg.inv(covariance)[None], np.array([shape]))  # fmt: skip


@pytest.mark.parametrize("second", [0.0, 2.0, 5.0, 8.0])
def test_a_gross_error_of_measurement_is_taken_for_what_it_may_be(second):
    # Two covariates that should agree do not: is the noise large, or the case odd?
    kept, noise = alike(3, 0.95), Noise(np.full(3, 100.0), 5.0)
    others, at = np.array([0.0, second]), np.array([0.0, 0.5, 1.0, 2.0, 3.0])
    found = ConditionalMixture([kept], 2, noise)
    density, tail = found.density_and_tail(others[None], at[None])
    exact = by_dense_quadrature(kept, noise, others, at)
    np.testing.assert_allclose(density[0], exact[0], rtol=1e-3)
    np.testing.assert_allclose(tail[0], exact[1], rtol=1e-3)


@pytest.mark.parametrize("sd", [0.1, 0.7])
@pytest.mark.parametrize("shape", [1.5, 5.0])
def test_any_noise_agrees_with_dense_quadrature(sd, shape):
    kept, noise = draw((0.7, 0.3)), Noise(np.full(3, sd**-2), shape)
    others, at = np.array([4.0, -3.0]), np.array([-3.0, 0.0, 1.0, 4.0])
    found = ConditionalMixture([kept], 2, noise)
    density, tail = found.density_and_tail(others[None], at[None])
    exact = by_dense_quadrature(kept, noise, others, at)
    np.testing.assert_allclose(density[0], exact[0], rtol=2e-3)
    np.testing.assert_allclose(tail[0], exact[1], rtol=2e-3)


def test_many_covariates_that_nearly_agree():
    rng = np.random.default_rng(3)
    kept, noise = alike(14, 0.99, skew=0.1), Noise(np.full(14, 100.0), 5.0)
    others = rng.normal() + 0.15 * rng.standard_normal(13)
    at = others.mean() + np.array([-0.3, 0.0, 0.2])
    found = ConditionalMixture([kept], 2, noise)
    _, tail = found.density_and_tail(others[None], at[None])
    _, exact = by_dense_quadrature(kept, noise, others, at)
    np.testing.assert_allclose(tail[0], exact, atol=2e-4)


def test_far_tails_are_those_of_student():
    kept, noise = alike(3, 0.5, skew=0.2), Noise(np.full(3, 100.0), 5.0)
    others, at = np.zeros(2), np.array([-20.0, -12.0, 12.0, 20.0])
    found = ConditionalMixture([kept], 2, noise)
    density, _ = found.density_and_tail(others[None], at[None])
    exact, _ = by_dense_quadrature(kept, noise, others, at)
    np.testing.assert_allclose(np.log(density[0]), np.log(exact), atol=0.02)


@pytest.mark.parametrize("sd", [1e-6, 1e-8, 1e-12])
def test_hardly_any_noise_loses_no_digits(sd):
    kept, others, at = draw((0.7, 0.3)), np.array([4.0, -3.0]), np.linspace(-2, 3, 6)
    found = ConditionalMixture([kept], 2, Noise(np.full(3, sd**-2.0), 5.0))
    density, _ = found.density_and_tail(others[None], at[None])
    np.testing.assert_allclose(density[0], joint_ratio(kept, others, at), rtol=1e-4)


@pytest.mark.parametrize("far", [1e3, 1e10, 1e100])
def test_however_far_a_covariate_lies_the_prediction_is_proper(far):
    found = ConditionalMixture([draw((0.7, 0.3))], 2, Noise(np.full(3, 100.0)))
    others = np.array([[far, 0.0]])
    at = found.quantiles(others, np.array([0.1, 0.5, 0.9]))
    assert np.isfinite(at).all()
    density, tail = found.density_and_tail(others, at)
    np.testing.assert_allclose(tail[0], [0.9, 0.5, 0.1], atol=1e-6)
    assert (density > 0).all()


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


def test_the_table_of_the_normal_is_as_good_as_the_functions():
    @njit
    def fill(z, out):
        for i in range(z.size):
            out[i] = normal_values(z[i])

    z = np.append(np.random.default_rng(0).uniform(-12, 12, 5000), [-8, 8, 0, 30])
    out = np.empty((z.size, 2))
    fill(z, out)
    np.testing.assert_allclose(out[:, 0], np.exp(-0.5 * z * z), rtol=1e-6)
    np.testing.assert_allclose(out[:, 1], 2.0 * stats.norm.sf(z), rtol=1e-6)
    middle = np.abs(z) < 3.0
    np.testing.assert_allclose(out[middle, 1], 2 * stats.norm.sf(z[middle]), rtol=5e-8)
