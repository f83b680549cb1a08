"""Biclusters that were planted, by hand and at random."""

import numpy as np
import pytest

FOUND = [([0, 1, 2, 3], [0, 1, 2]), ([4, 5], [3, 4]), ([0, 6, 7], [1, 5])]
HIDDEN = [([0, 1, 2], [0, 1, 2, 3]), ([4, 5, 6], [3, 4, 5])]


def planted_matrix(rng, kind="mean", shape=(60, 24)):
    """Return noise with two biclusters, and where they are."""
    X = rng.normal(size=shape)
    hidden = [(np.arange(15), np.arange(6)), (np.arange(20, 34), np.arange(8, 15))]
    for rows, columns in hidden:
        cells = np.ix_(rows, columns)
        if kind == "mean":
            X[cells] += 4
        else:
            X[cells] = (
                rng.normal(size=(rows.size, 1))
                + 2 * rng.normal(size=(1, columns.size))
                + 0.05 * rng.normal(size=(rows.size, columns.size))
            )
    return X, hidden


def random_sets(rng, shape, most=4):
    """Return a few random biclusters as pairs."""
    return [
        tuple(
            np.sort(rng.choice(n, rng.integers(1, n + 1), replace=False)) for n in shape
        )
        for _ in range(rng.integers(1, most + 1))
    ]


@pytest.fixture
def by_hand():
    """Two small sets of one 10 x 8 matrix."""
    return FOUND, HIDDEN


@pytest.fixture(scope="session")
def planted():
    """Noise with two biclusters of a higher mean."""
    return planted_matrix(np.random.default_rng(0))
