"""Cases that share their j, with the real sampler: an answer, no false certainty."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import DataWarning
from scorecast.information.ties import count_shared, merge_ties, spread_ties
from scorecast.mixtures import Sampling

SHORT = Sampling(n_chains=2, n_warmup=300, n_draws=500, n_extensions=0)


def test_ties_are_spread_around_their_value():
    values = np.sort(np.repeat([-0.5, 0.1, 0.3], [40, 1, 60]))
    spread = spread_ties(values)
    assert spread.size == values.size
    assert spread.mean() == pytest.approx(values.mean(), abs=1e-12)
    assert np.abs(spread - values).max() < 0.05 * values.std()
    assert np.unique(spread).size == values.size
    assert count_shared(values) == 100
    free = np.sort(np.random.default_rng(0).normal(size=500))
    np.testing.assert_array_equal(spread_ties(free), free)
    assert count_shared(free) == 0


def test_a_forecast_of_two_values_gets_an_answer():
    rng = np.random.default_rng(0)
    j = np.where(rng.random(200) < 0.7, np.log(0.7 / 0.5), np.log(0.3 / 0.5))
    result = sc.apparent_information(
        sc.cases_from_j(j), sampling=SHORT, allow_unconverged=True, n_jobs=1
    )
    assert result.posterior.low < j.mean() < result.posterior.high
    width = result.posterior.high - result.posterior.low
    assert width == pytest.approx(result.normal.high - result.normal.low, rel=0.4)
    assert any("share their j" in w for w in result.warnings)


@pytest.mark.parametrize("n", [1, 2, 50])
def test_equal_cases_and_one_case_are_not_sure_of_anything(n):
    with pytest.warns(DataWarning):
        result = sc.apparent_information(
            sc.cases_from_j(np.full(n, 0.3)), sampling=SHORT, allow_unconverged=True,
            n_jobs=1,
        )  # fmt: skip
    assert result.posterior.low < 0 < result.posterior.high
    assert "surely" not in result.summary()


def test_a_lone_far_case_does_not_make_others_tie():
    values = np.sort(np.append(np.random.default_rng(0).normal(0.1, 0.1, 200), -1e6))
    assert count_shared(values) == 0
    np.testing.assert_array_equal(spread_ties(values), values)


@pytest.mark.parametrize("n", [1_000, 50_000, 1_000_000])
def test_many_cases_lie_close_without_sharing_a_value(n):
    values = np.sort(np.log(np.random.default_rng(0).uniform(0.3, 0.9, n) / 0.5))
    assert np.unique(values).size == n
    assert count_shared(values) < 1e-4 * n
    assert (merge_ties(values) != values).mean() < 2e-3
    # True ties are found among as many, also those that only rounding sets apart.
    tied = np.sort(np.append(values, 0.25 + 1e-16 * np.arange(-400, 400)))
    assert count_shared(tied) >= 800
