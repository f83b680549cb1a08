import json

import numpy as np
import pytest
from scipy.integrate import quad

from scorecast.extrapolation.polynomial import legendre_moments
from scorecast.extrapolation.regression import probit_moments_by_quantiles
from scorecast.extrapolation.spline import spline_moments
from scorecast.scores import probit_moments


def one(value):
    return np.array([float(value)])


def entries(reference, start):
    found = [e for name, e in reference.items() if name.startswith(start)]
    assert found
    return found


def test_radial_moments_to_a_thousand_million_classes(reference):
    for entry in entries(reference, "radial_G"):
        k, t, h = (one(entry["inputs"][name]) for name in ("k", "t", "h"))
        found = probit_moments(k, t, h)[0, 0]
        assert found == pytest.approx(entry["expected"], abs=1e-12)


def test_spline_moments_near_one_and_far_out(reference):
    for entry in entries(reference, "spline_H"):
        k, c = one(entry["inputs"]["k"]), one(entry["inputs"]["c"])
        found = spline_moments(k, c)[0, 0]
        assert found == pytest.approx(entry["expected"], rel=entry["tolerance"])


def test_legendre_moments(reference):
    entry = reference["sh_legendre_H"]
    found = legendre_moments(one(entry["inputs"]["k"]), 4)[0]
    assert found == pytest.approx(entry["expected"], abs=1e-12)


def test_moments_are_the_integrals_they_claim_to_be():
    def legendre(u):
        return np.polynomial.legendre.legval(2 * u - 1, [0, 0, 0, 1])

    k = 6
    integral = (k - 1) * quad(lambda u: legendre(u) * u ** (k - 2), 0, 1)[0]
    assert legendre_moments(one(k), 3)[0, 3] == pytest.approx(integral, abs=1e-12)
    ramp = (k - 1) * quad(lambda u: max(u - 0.4, 0) * u ** (k - 2), 0, 1)[0]
    assert spline_moments(one(k), one(0.4))[0, 0] == pytest.approx(ramp, abs=1e-10)


def test_the_quantile_rule_reproduces_the_authors_basis(shared_golden):
    golden = json.loads((shared_golden / "classex_basis_sets.json").read_text())
    ks = np.array(golden["Ktrain"], dtype=float)
    for h, basis in zip(golden["bandwidths"], golden["sets"], strict=True):
        expected = np.array(basis["Xmat"])
        n_half = int(np.ceil(golden["max_mu"] / h))
        half = np.linspace(0, golden["max_mu"], n_half)
        knots = np.concatenate([-half[:0:-1], half])
        found = probit_moments_by_quantiles(ks, knots, np.full(knots.size, h))
        np.testing.assert_allclose(found, expected[:, :-1], atol=1e-13)


@pytest.mark.parametrize("rule", [probit_moments, probit_moments_by_quantiles])
def test_the_order_of_the_sizes_does_not_matter(rule):
    ks = np.append(np.arange(300.0, 400), [10.0**7, 2, 400])
    t, h = np.linspace(-1, 4, 30), np.full(30, 0.1)
    order = np.random.default_rng(0).permutation(ks.size)
    np.testing.assert_allclose(rule(ks[order], t, h), rule(ks, t, h)[order], rtol=1e-9)
    alone = rule(np.array([400.0]), t, h)
    np.testing.assert_allclose(rule(ks, t, h)[-1:], alone, rtol=1e-9, atol=1e-15)


def test_both_rules_agree_to_what_the_coarser_one_can():
    ks, t, h = np.array([2.0, 30, 500]), np.array([-1.0, 0.5, 3]), np.full(3, 0.4)
    np.testing.assert_allclose(
        probit_moments(ks, t, h), probit_moments_by_quantiles(ks, t, h), atol=2e-5
    )


def test_compiled_quantile_rule_equals_the_plain_one():
    ks = np.arange(1.0, 60)
    t, h = np.linspace(-2, 3, 40), np.full(40, 0.3)
    compiled = probit_moments_by_quantiles(ks, t, h)
    plain = np.column_stack(
        [probit_moments_by_quantiles(ks, t[i : i + 1], h[:1])[:, 0] for i in range(40)]
    )
    np.testing.assert_allclose(compiled, plain, rtol=1e-11, atol=1e-14)
