"""What the chains say about themselves, where they hardly move."""

import math

import numpy as np
import pytest

from scorecast.mixtures.diagnostics import (
    diagnose,
    diagnose_short_chains,
    rhat_of,
)


def test_a_chain_of_one_step_is_judged_in_silence():
    step = np.repeat([0.0, 1.0], 10)[None]
    assert math.isnan(rhat_of(step))
    found = diagnose(step[:, :, None], np.ones((1, 20), dtype=np.int64))
    assert not found.passed


def autoregressive(rng, n_chains, n, correlation):
    draws = np.zeros((n_chains, n))
    noise = rng.standard_normal((n_chains, n))
    for t in range(1, n):
        draws[:, t] = correlation * draws[:, t - 1] + noise[:, t]
    return draws


@pytest.mark.parametrize("correlation", [-0.4, 0.0, 0.5, 0.95])
def test_figures_are_those_of_arviz(correlation):
    array_stats = pytest.importorskip("arviz_stats.base").array_stats
    draws = autoregressive(np.random.default_rng(1), 4, 1000, correlation)
    axes = {"chain_axis": 0, "draw_axis": 1}
    found = diagnose(draws[:, :, None], np.ones((4, 1000), dtype=np.int64))
    assert found.rhat == pytest.approx(array_stats.rhat(draws, **axes), abs=1e-9)
    bulk = array_stats.ess(draws, method="bulk", **axes)
    tail = array_stats.ess(draws, method="tail", prob=(0.05, 0.95), **axes)
    assert found.ess_bulk == pytest.approx(bulk, rel=1e-6)
    assert found.ess_tail == pytest.approx(tail, rel=1e-6)
    error = array_stats.mcse(draws, method="mean", **axes)
    assert found.mcse == pytest.approx(error, rel=1e-6)


def test_short_chains_are_judged_by_groups():
    rng = np.random.default_rng(2)
    numbers = rng.integers(1, 9, (16, 60))
    agree = rng.standard_normal((16, 480))
    found = diagnose_short_chains(agree, numbers, 4)
    assert found.passed
    assert found.rhat < 1.01
    assert found.mcse == pytest.approx(1 / math.sqrt(16 * 480), rel=0.6)
    apart = agree.copy()
    apart[:4] += 0.5  # a group of its own mind
    found = diagnose_short_chains(apart, numbers, 4)
    assert not found.passed
    assert "R-hat" in found.reasons[0]
    stuck = agree + np.repeat(rng.standard_normal(16), 1)[:, None]
    assert any(
        "effective" in x for x in diagnose_short_chains(stuck, numbers, 4).reasons
    )
