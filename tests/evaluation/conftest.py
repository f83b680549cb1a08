"""Small problems to assess."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def easy():
    """Forty cases, two classes, one feature that tells them apart."""
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 6))
    X[:, 0] += 2.5 * y
    return X, y


@pytest.fixture(scope="session")
def noise():
    """Forty cases, two classes, nothing to learn."""
    rng = np.random.default_rng(2)
    return rng.normal(size=(40, 30)), np.arange(40) % 2


@pytest.fixture(scope="session")
def line():
    """Numbers that depend on one feature."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 4))
    return X, X[:, 0] + 0.3 * rng.normal(size=40)
