"""Models in which the information is known, and golden values."""

import json
from pathlib import Path

import numpy as np
import pytest

GOLDEN = Path(__file__).parents[1] / "golden" / "identification.json"


def gaussian_pair(rng, n, d, information):
    """Stimuli and responses in d dimensions that share so many nats."""
    x = rng.normal(size=(n, d)) * np.sqrt(np.expm1(2 * information / d))
    return x, x + rng.normal(size=(n, d))


def bayes_scores(x, y):
    return y @ x.T - (x**2).sum(axis=1) / 2


def circle_pair(rng, n, k, c):
    """Stimuli and responses of the model that reaches the capacity for k classes."""
    x = rng.random(n)
    grid = np.linspace(0, 1, 20_001)
    mass = np.cumsum(np.exp(c * (grid ** (k - 1) - 1)))
    return x, (x + np.interp(rng.random(n), mass / mass[-1], grid)) % 1


def circle_scores(rng, n, k, c):
    """The same as scores and true stimuli."""
    x, y = circle_pair(rng, n, k, c)
    return (y[:, None] - x) % 1, np.arange(n)


def circle_information(k, c):
    t = (np.arange(200_000) + 0.5) / 200_000
    q = np.exp(c * (t ** (k - 1) - 1))
    q /= q.mean()
    return float((q * np.log(q)).mean())


class LinearEncoder:
    """The smallest model with the interface of an encoding model."""

    def fit(self, stimuli, responses):
        self.coef_ = np.linalg.lstsq(stimuli, responses, rcond=None)[0]
        self.seen_ = {tuple(row) for row in stimuli}
        return self

    def predict(self, stimuli):
        return stimuli @ self.coef_

    def log_posterior(self, responses, candidates):
        # No candidate of the test was there in training.
        assert not self.seen_ & {tuple(row) for row in candidates}
        centre = self.predict(candidates)
        return responses @ centre.T - (centre**2).sum(axis=1) / 2


@pytest.fixture(scope="session")
def golden():
    return json.loads(GOLDEN.read_text())


@pytest.fixture(scope="session")
def models():
    """The functions above, for tests that are not imported as a package."""
    from types import SimpleNamespace

    return SimpleNamespace(
        gaussian_pair=gaussian_pair,
        bayes_scores=bayes_scores,
        circle_pair=circle_pair,
        circle_scores=circle_scores,
        circle_information=circle_information,
        LinearEncoder=LinearEncoder,
    )


@pytest.fixture
def dense():
    """The whole matrix of a residual covariance, from its parts."""

    def whole(covariance):
        if covariance.standard is None:
            unit = covariance.factor @ covariance.factor.T
        else:
            unit = covariance.standard.T @ covariance.standard
            unit *= 1 - covariance.weight
            unit[np.diag_indices_from(unit)] += covariance.weight
        return unit * np.outer(covariance.spread, covariance.spread)

    return whole
