"""Where data and golden values are found, and what is done before the first test."""

# ruff: noqa: E402
import json
import os
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

# Before NumPy is loaded. Workers that share the cores, and threads of BLAS that wait
# for one another at full speed, take many times as long together.
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np
import pytest
from scipy.stats import norm

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden"
SHARED_DATA = Path(os.environ.get("SCORECAST_DATA", ROOT.parent / "shared" / "data"))


def pytest_configure(config):
    """Drop compiled kernels older than their sources; compile before a whole suite."""
    if hasattr(config, "workerinput"):
        return  # what started this worker has done it
    _drop_stale_kernels()
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if is_whole and not config.option.collectonly:
        from tests.kernels import compile_all

        compile_all(ROOT)


def _drop_stale_kernels():
    # Numba looks only at the file of the function it kept, not at those it calls.
    kernels = ROOT / "src" / "scorecast" / "mixtures" / "kernels"
    changed = max(source.stat().st_mtime for source in kernels.glob("*.py"))
    for kept in (kernels / "__pycache__").glob("*.nb[ci]"):
        if kept.stat().st_mtime < changed:
            kept.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def reference():
    """Values proved by independent scripts, by name."""
    data = json.loads((GOLDEN / "reference_values.json").read_text())
    return {entry["name"]: entry for entry in data["values"]}


@pytest.fixture(scope="session")
def published_table():
    """The 30 x 5 table of Garcia and Herrera (2008), with R's answers (scmamp)."""
    return json.loads((GOLDEN / "garcia_herrera_2008.json").read_text())


@pytest.fixture(scope="session")
def shared_data():
    """Real data that may be measured but not shipped."""
    if not SHARED_DATA.is_dir():
        pytest.skip("SCORECAST_DATA names no folder: real data that cannot be shipped")
    return SHARED_DATA


@pytest.fixture(scope="session")
def shared_golden(shared_data):
    """Outputs of the authors' own R code on those data."""
    golden = shared_data.parent / "golden"
    if not golden.is_dir():
        pytest.skip("no golden outputs beside SCORECAST_DATA")
    return golden


@dataclass(frozen=True)
class FakeMixture:
    """A normal distribution that answers like a mixture."""

    middle: float
    width: float

    def mean(self):
        return np.array([self.middle])


class FakePosterior:
    """What the sampler would return, from the normal approximation."""

    def __init__(self, values, sampling, random_state, failed=()):
        from scorecast.mixtures import Diagnostics

        rng = np.random.default_rng(random_state)
        spread = max(float(np.std(values)), 0.05)
        shape = (sampling.n_chains, sampling.n_draws)
        error = spread / np.sqrt(np.size(values))
        self.means = rng.normal(np.mean(values), error, (*shape, 1))
        self.n_components = rng.integers(1, 4, shape)
        self.log_likelihood = np.zeros(shape)
        self.n_cases = np.size(values)
        self.mixtures = tuple(FakeMixture(m, spread) for m in self.means.ravel()[:200])
        self.diagnostics = Diagnostics(
            rhat=1.5 if failed else 1.001,
            ess_bulk=4000.0,
            ess_tail=3000.0,
            mcse=0.001,
            rhat_components=1.0,
            ess_components=900.0,
            n_chains=sampling.n_chains,
            n_draws=sampling.n_draws,
            failed=tuple(failed),
        )
        self.n_groups = None

    def log_densities(self, x):
        return np.array([norm.logpdf(x, m.middle, m.width) for m in self.mixtures])

    def predictive_density(self, x):
        return np.exp(self.log_densities(x)).mean(axis=0)


@pytest.fixture
def quick_posterior(monkeypatch):
    """Replace the sampler; returns what it was asked, and what its chains fail."""
    from scorecast.mixtures import Sampling

    asked = SimpleNamespace(runs=[], failed=())

    def sample(values, *, prior, sampling=None, random_state=None, **_):
        asked.runs.append(np.array(values))
        length = sampling or Sampling()
        return FakePosterior(values, length, random_state, asked.failed)

    for name in ("sample_posterior", "sample_short_chains"):
        monkeypatch.setattr(f"scorecast.information.apparent.{name}", sample)
    return asked
