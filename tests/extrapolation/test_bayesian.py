import numpy as np

from scorecast.extrapolation.bayesian import _family


def test_the_family_is_the_sinh_arcsinh_normal_written_out():
    family = _family()
    nodes, masses, parameters = family.nodes, family.masses, family.parameters
    mean, log_sd, skew = parameters.T
    z = (nodes[:, None] - mean) / np.exp(log_sd)
    turned = np.arcsinh(z) - skew
    density = np.exp(-0.5 * np.sinh(turned) ** 2) * np.cosh(turned) / np.hypot(1, z)
    direct = density / density.sum(axis=0)
    np.testing.assert_allclose(masses, direct, rtol=0, atol=1e-15)
    # Relative to the mass itself far into the tails, where many classes look.
    seen = direct > 1e-100
    np.testing.assert_allclose(masses[seen], direct[seen], rtol=1e-11)
