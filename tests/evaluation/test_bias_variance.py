"""Decompositions add up, and are what simulation says they are."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from scorecast.evaluation import bias_variance
from scorecast.evaluation.bias_variance import domingos, kohavi_wolpert

RNG = np.random.default_rng


@given(st.integers(2, 5), st.integers(2, 9), st.integers(0, 999))
def test_both_ways_add_up_to_the_error(n_classes, n_fits, seed):
    rng = RNG(seed)
    truth = rng.integers(0, n_classes, 12)
    said = rng.integers(0, n_classes, (n_fits, 12))
    rows = np.tile(np.arange(12), n_fits)
    parts = bias_variance(truth[rows], said.ravel(), rows, n_classes)
    assert [part.method for part in parts] == ["kohavi-wolpert", "domingos"]
    for part in parts:
        assert part.error == pytest.approx((said != truth).mean())
        assert part.error == pytest.approx(part.bias + part.variance + part.noise)


@given(st.integers(2, 9), st.integers(0, 999))
def test_squared_loss_adds_up_too(n_fits, seed):
    rng = RNG(seed)
    truth, said = rng.normal(size=12), rng.normal(size=(n_fits, 12))
    rows = np.tile(np.arange(12), n_fits)
    part = bias_variance(truth[rows], said.ravel(), rows, 0)[0]
    assert part.error == pytest.approx(((said - truth) ** 2).mean())


def test_few_fits_do_not_inflate_the_bias():
    # Chances of the fits (.7, .3) against a target that is (.2, .8): .25 whatever M.
    rng, target = RNG(0), np.tile([0.2, 0.8], (4000, 1))
    true_bias = 0.5 * (0.5**2 + 0.5**2)
    said = (rng.random((3, 4000)) < 0.3).mean(axis=0)
    shares = np.column_stack([1 - said, said])
    bias, _ = kohavi_wolpert(target, shares, np.full(4000, 3.0))
    raw = 0.5 * ((target - shares) ** 2).sum(axis=1)
    assert bias.mean() == pytest.approx(true_bias, abs=0.01)
    assert raw.mean() > true_bias + 0.05


def test_variance_mends_where_most_fits_are_wrong():
    bias, net = domingos(np.array([0, 0]), np.array([[0.8, 0.2], [0.4, 0.6]]))
    assert bias.tolist() == [0, 1]
    assert net == pytest.approx([0.2, -0.4])


def test_samples_tested_once_say_nothing():
    once = np.arange(5)
    assert bias_variance(once % 2, once % 2, once, 2) == ()
