"""Cohorts with a known truth."""

import numpy as np
import pytest
from tests.survival.stub_model import StubModel, take_quick_posteriors

from scorecast.mixtures import Sampling


def make_cohort(n=120, censored=0.4, seed=0, n_columns=2):
    """Log times linear in the covariates with normal noise; censored at random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns))
    log_time = 1.0 - 0.8 * X[:, 0] + 0.5 * rng.normal(size=n)
    limit = np.full(n, np.inf)
    if censored:
        limit = rng.normal(np.quantile(log_time, 1 - censored), 0.4, size=n)
    return X, np.exp(np.minimum(log_time, limit)), log_time <= limit


@pytest.fixture
def cohort():
    """Make a cohort."""
    return make_cohort


@pytest.fixture
def short():
    """Chains too short to trust, long enough to work with."""
    return Sampling(
        n_chains=2, n_warmup=100, n_draws=100, n_kept=20, n_extensions=0, starts=(1,)
    )


@pytest.fixture
def quick_posteriors(monkeypatch):
    """Take plain intervals for posteriors of J, which have tests of their own."""
    take_quick_posteriors(monkeypatch)


@pytest.fixture
def stub(quick_posteriors):
    """Return the model that needs no chains, with no fits noted."""
    StubModel.fits.clear()
    yield StubModel
    StubModel.fits.clear()
