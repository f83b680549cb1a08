"""The shrunk covariance, next to dense algebra, SciPy and its own definition."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from scorecast.exceptions import InsufficientDataError, InvalidInputError
from scorecast.identification import SHRINKAGES, ResidualCovariance

SHAPES = [(50, 8), (20, 20), (15, 40), (4, 30)]


def correlated(n, q, seed=0):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 2)) @ rng.normal(size=(2, q))
    return (common + rng.normal(size=(n, q))) * 10.0 ** rng.uniform(-2, 2, q)


def defined(residuals, weight):
    second = residuals.T @ residuals
    return ((1 - weight) * second + weight * np.diag(np.diag(second))) / len(residuals)


def weight_by_definition(residuals):
    z = residuals / np.sqrt((residuals**2).mean(axis=0))
    products = z[:, :, None] * z[:, None, :]
    apart = ~np.eye(z.shape[1], dtype=bool)
    variance = products.var(axis=0, ddof=1) / len(z)
    ratio = variance[apart].sum() / (products.mean(axis=0)[apart] ** 2).sum()
    return min(1.0, ratio)


@pytest.mark.parametrize("weight", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_either_form_is_the_stated_matrix(dense, shape, weight):
    residuals = correlated(*shape)
    found = ResidualCovariance.of(residuals, shrinkage=weight)
    assert (found.standard is None) == (shape[1] <= shape[0])
    sigma = defined(residuals, weight)
    np.testing.assert_allclose(dense(found), sigma, rtol=1e-10)
    rows = correlated(7, shape[1], seed=1)
    inverse = np.linalg.inv(sigma)
    np.testing.assert_allclose(found.solve(rows), rows @ inverse, rtol=1e-7, atol=1e-12)
    lengths = np.einsum("ij,jk,ik->i", rows, inverse, rows)
    np.testing.assert_allclose(found.squared_norms(rows), lengths, rtol=1e-9)
    sign, log_determinant = np.linalg.slogdet(sigma)
    assert sign == 1
    assert found.log_determinant() == pytest.approx(log_determinant, rel=1e-10)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_low_rank_form_and_the_dense_form_agree(shape):
    residuals = correlated(*shape)
    found = ResidualCovariance.of(residuals, shrinkage=0.2)
    n, q = shape
    # The same covariance from more (zero) samples: their number picks the form.
    padded = np.vstack([residuals, np.zeros((q, q))]) * np.sqrt((n + q) / n)
    other = ResidualCovariance.of(padded, shrinkage=0.2)
    rows = correlated(6, q, seed=2)
    np.testing.assert_allclose(
        found.squared_norms(rows), other.squared_norms(rows), rtol=1e-10
    )
    np.testing.assert_allclose(found.solve(rows), other.solve(rows), rtol=1e-8)
    assert found.log_determinant() == pytest.approx(other.log_determinant(), rel=1e-10)


def test_the_density_of_the_formula_book():
    rng = np.random.default_rng(4)
    root = rng.normal(size=(3, 3))
    sigma, y = root @ root.T + np.eye(3), rng.normal(size=3)
    residuals = np.sqrt(3) * np.linalg.cholesky(sigma).T
    found = ResidualCovariance.of(residuals, shrinkage=0.0)
    length = found.squared_norms(y[None])[0]
    density = -(3 * np.log(2 * np.pi) + found.log_determinant() + length) / 2
    assert density == pytest.approx(-5.265704, abs=1e-6)
    assert density == pytest.approx(multivariate_normal(np.zeros(3), sigma).logpdf(y))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_weight_is_its_definition_without_a_large_matrix(shape):
    residuals = correlated(*shape)
    found = ResidualCovariance.of(residuals)
    assert found.weight == pytest.approx(weight_by_definition(residuals), rel=1e-9)


def test_units_and_order_of_responses_do_not_matter_to_the_weight():
    residuals = correlated(30, 12)
    rng = np.random.default_rng(1)
    changed = (residuals * 10.0 ** rng.uniform(-3, 3, 12))[:, rng.permutation(12)]
    one, two = (ResidualCovariance.of(r).weight for r in (residuals, changed))
    assert one == pytest.approx(two, rel=1e-10)


def test_the_weight_is_near_the_best_one():
    rng = np.random.default_rng(0)
    root = np.linalg.cholesky(0.3 * np.ones((12, 12)) + 0.7 * np.eye(12))
    truth = root @ root.T
    weights = np.linspace(0, 1, 101)
    losses, chosen = np.zeros(101), []
    for _ in range(200):
        z = rng.normal(size=(25, 12)) @ root.T
        losses += [((defined(z, w) - truth) ** 2).sum() for w in weights]
        chosen.append(ResidualCovariance.of(z).weight)
    reached = np.interp(np.mean(chosen), weights, losses)
    assert reached < 1.05 * losses.min()
    assert np.interp(np.mean(chosen) / 4, weights, losses) > 1.05 * losses.min()


def test_no_matrix_of_responses_by_responses_is_formed():
    n, q = 30, 4_000
    residuals = correlated(n, q)
    rows = correlated(20, q, seed=1)
    tracemalloc.start()
    found = ResidualCovariance.of(residuals)
    found.solve(rows)
    found.squared_norms(rows)
    found.log_determinant()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < q * q * 8 / 20


def test_uncorrelated_responses_and_one_response(dense):
    one = np.array([[1.0], [2.0], [-2.0]])
    found = ResidualCovariance.of(one)
    assert found.weight == 1.0
    np.testing.assert_allclose(dense(found), [[3.0]])
    crossed = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    assert ResidualCovariance.of(crossed).weight == 1.0


def test_residuals_are_left_alone_unless_they_may_be_used_up():
    residuals = correlated(10, 30)
    before = residuals.copy()
    ResidualCovariance.of(residuals)
    np.testing.assert_array_equal(residuals, before)
    kept = ResidualCovariance.of(residuals, overwrite=True).standard
    assert kept is residuals


@pytest.mark.parametrize("shape", [(10, 30), (30, 10)], ids=str)
def test_a_singular_covariance_is_refused(shape):
    residuals = correlated(*shape)
    residuals[:, 1] = -2 * residuals[:, 0]
    with pytest.raises(InsufficientDataError, match="singular") as caught:
        ResidualCovariance.of(residuals, shrinkage=0.0)
    assert caught.value.exit_code == 4
    mended = ResidualCovariance.of(residuals, shrinkage=0.01)
    assert np.isfinite(mended.log_determinant())


@pytest.mark.parametrize(("value", "words"), [(0.0, "no residual"), (1e200, "large")])
def test_residuals_that_have_no_spread_or_no_square(value, words):
    residuals = correlated(10, 4)
    residuals[:, 2] = value
    with pytest.raises(InvalidInputError, match=rf"column '3'.*{words}"):
        ResidualCovariance.of(residuals)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", SHRINKAGES)
def test_every_rule_gives_a_weight(name, shape):
    residuals = correlated(*shape)
    standard = residuals / np.sqrt((residuals**2).sum(axis=0))
    whole = float(((standard.T @ standard) ** 2).sum())
    weight = SHRINKAGES[name].weight(standard, whole)
    assert 0 <= weight <= 1
    found = ResidualCovariance.of(residuals, shrinkage=name).weight
    assert found == pytest.approx(weight, rel=1e-9)
