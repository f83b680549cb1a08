"""Tails judged by themselves: intervals that hold where normal ones fail."""

import numpy as np
import pytest
from scipy import integrate, stats

from scorecast.information.pareto_tails import _grid, _mean_excess, pareto_means
from scorecast.information.posterior import posterior_of
from scorecast.mixtures import SkewStudent


def draws(values, seed=0, n_draws=4000):
    rng = np.random.default_rng(seed)
    return pareto_means(np.asarray(values, float), n_draws=n_draws, rng=rng)


def long_left_tail(n, seed, freedom=3.0):
    """Squared Student noise; the mean is -freedom / (freedom - 2) / 2."""
    rng = np.random.default_rng([seed, 11])
    return -0.5 * rng.standard_t(freedom, n) ** 2


def share_held(truth, intervals):
    return np.mean([low <= truth <= high for low, high in intervals])


def test_the_intervals_hold_where_those_of_the_mean_do_not():
    repeats, truth = 200, -1.5
    samples = [long_left_tail(200, seed) for seed in range(repeats)]
    ours = [np.quantile(draws(v, n_draws=1000), [0.025, 0.975]) for v in samples]
    usual = [v.mean() + np.array([-1, 1]) * 1.96 * stats.sem(v) for v in samples]
    assert share_held(truth, ours) > 0.88
    assert share_held(truth, usual) < 0.82


def test_a_prior_without_long_tails_would_be_found_out(monkeypatch):
    from scorecast.information import pareto_tails

    monkeypatch.setattr(pareto_tails, "_BETA", (2.0, 12.0))
    samples = [long_left_tail(200, seed) for seed in range(200)]
    held = [np.quantile(draws(v, n_draws=1000), [0.025, 0.975]) for v in samples]
    assert share_held(-1.5, held) < 0.85


def test_short_tails_cost_little():
    rng = np.random.default_rng(5)
    values = rng.uniform(-1, 1, 2000)
    low, high = np.quantile(draws(values), [0.025, 0.975])
    half = 1.96 * stats.sem(values)
    assert high - low == pytest.approx(2 * half, rel=0.06)
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=0.1 * half)


def test_units_and_direction_do_not_matter():
    values = long_left_tail(150, 3)
    one = np.quantile(draws(values), [0.1, 0.5, 0.9])
    scaled = np.quantile(draws(3.0 * values + 7.0), [0.1, 0.5, 0.9])
    np.testing.assert_allclose(scaled, 3.0 * one + 7.0, rtol=1e-9)
    mirrored = np.quantile(draws(-values, seed=1, n_draws=40_000), [0.1, 0.5, 0.9])
    plain = np.quantile(draws(values, seed=2, n_draws=40_000), [0.1, 0.5, 0.9])
    np.testing.assert_allclose(-mirrored[::-1], plain, rtol=0.02)


def test_the_tail_posterior_is_that_of_a_direct_integral():
    excess = np.array([0.3, 0.1, 1.4, 0.7])
    shape, scale = np.linspace(-0.5, 1, 801)[1:-1], np.linspace(-7, 9, 901)
    xi, log_scale = np.meshgrid(shape, scale, indexing="ij")
    place = (xi + 0.5) / 1.5
    log_density = stats.beta.logpdf(place, 2.0, 2.5)
    for x in excess:
        log_density += stats.genpareto.logpdf(x, xi, scale=np.exp(log_scale))
    density = np.exp(log_density)

    def mean_of(f):
        parts = [
            integrate.trapezoid(f * density, scale),
            integrate.trapezoid(density, scale),
        ]
        top, bottom = (integrate.trapezoid(part, shape) for part in parts)
        return top / bottom

    drawn = _mean_excess(excess, 200_000, np.random.default_rng(0))
    excesses = np.exp(log_scale) / (1 - xi)
    for bound in (0.4, 0.8, 2.0, 5.0):
        expected = mean_of(excesses < bound)
        assert (drawn < bound).mean() == pytest.approx(expected, abs=0.01)


def test_the_grid_holds_nothing_impossible():
    shape, _, log_density = _grid(np.array([0.5, 2.0]), (-0.5, 1.0), (-4.0, 3.0))
    assert np.isneginf(log_density[shape < -0.4][:, 0]).all()
    assert np.isfinite(log_density[shape > 0]).all()


@pytest.mark.parametrize("values", [np.arange(9.0), [0.3] * 50, []])
def test_too_little_gives_no_second_view(values):
    assert draws(values).size == 0


def test_ties_at_the_threshold_are_no_tail():
    values = np.repeat([np.log(0.6), np.log(1.4)], [40, 60])
    found = draws(values)
    assert found.min() > values[0]
    assert found.std() == pytest.approx(values.std() / 10, rel=0.1)


def test_a_far_case_among_few_widens_downwards():
    values = np.append(np.random.default_rng(1).normal(0.1, 0.1, 60), -5.0)
    low, middle, high = np.quantile(draws(values), [0.025, 0.5, 0.975])
    assert middle - low > 2 * (high - middle)


def test_the_reported_interval_holds_all_views():
    mixture, pareto = np.linspace(0.1, 0.3, 2001), np.linspace(-0.2, 0.25, 2001)
    others = {"pareto": pareto, "normal": np.linspace(0.0, 0.4, 2001)}
    found = posterior_of(mixture, 0.9, others=others, lone=True)
    narrow, wide, usual = found.views
    assert [v.tails for v in found.views] == ["mixture", "pareto", "normal"]
    assert found.low == wide.low < narrow.low
    assert found.high == usual.high > narrow.high
    assert (found.centre, found.median) == ("mixture", pytest.approx(0.2))
    assert found.probability_positive == wide.probability_positive < 0.6
    assert found.quantile(0.05) == pytest.approx(found.low)
    assert found.quantile(0.95) == pytest.approx(found.high)
    again = type(found).from_dict(found.to_dict(), found.probability_positive)
    assert again.views[1].low == wide.low
    for view, draws in zip(again.views, [mixture, *others.values()], strict=True):
        assert view.mean == pytest.approx(draws.mean())
        assert view.sd == pytest.approx(draws.std(ddof=1))
    assert (found.mean, found.sd) == (narrow.mean, narrow.sd)
    # Where far cases are not alone, those learned from them give the centre.
    assert posterior_of(mixture, 0.9, others=others).median == wide.median


def test_a_mixture_that_misses_the_plain_mean_does_not_give_the_centre():
    others = {
        "pareto": np.linspace(-0.2, 0.2, 99),
        "normal": np.linspace(-0.1, 0.1, 99),
    }
    found = posterior_of(np.linspace(0.1, 0.3, 99), 0.9, others=others, lone=True)
    assert (found.centre, found.median) == ("pareto", pytest.approx(0.0))
    assert found.high == pytest.approx(0.29)


def test_views_that_disagree_leave_the_sign_open():
    pareto = np.linspace(-1, -0.1, 99)
    found = posterior_of(np.linspace(0.1, 1, 99), 0.9, others={"pareto": pareto})
    assert found.probability_positive == 0.5


def test_files_of_the_first_versions_are_read():
    found = posterior_of(np.linspace(0.1, 0.3, 99), 0.9)
    data = found.to_dict()
    del data["views"], data["centre"]
    again = type(found).from_dict(data, 1.0)
    assert [v.tails for v in again.views] == ["mixture"]
    assert (again.low, again.high) == (again.views[0].low, again.views[0].high)


def test_repeated_values_are_no_tail_of_a_density():
    """Right 49 times in 50, at 98 %: a tail of copies, whose mean is known."""
    j = np.repeat([np.log(2 * 0.02), np.log(2 * 0.98)], [40, 1960])
    close = j + np.random.default_rng(0).choice([0, 2e-16, -3e-16], j.size)
    for values in (j, close):
        found = draws(values)
        assert np.median(found) == pytest.approx(j.mean(), abs=0.1 * stats.sem(j))
        assert found.std() == pytest.approx(stats.sem(j), rel=0.05)


def misspecified_gaussian(n, rng):
    """A forecast N(0.6 y, 0.12) of x seen as y: a third of the right variance."""
    x = rng.normal(size=n)
    y = x + np.sqrt(0.5) * rng.normal(size=n)
    return stats.norm.logpdf(x, 0.6 * y, np.sqrt(0.12)) - stats.norm.logpdf(x)


def skew_student(n, rng):
    one = SkewStudent(0.25, -0.15, 100.0, 1.5, 0.5)
    return one.sample(n, random_state=rng)[:, 0]


@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (misspecified_gaussian, 0.5 - 0.5 * np.log(0.12) - 0.5 * 0.34 / 0.12),
        (skew_student, float(SkewStudent(0.25, -0.15, 100.0, 1.5, 0.5).mean()[0])),
    ],
)
@pytest.mark.parametrize("n", [40, 200])
def test_intervals_of_information_hold(draw, truth, n):
    samples = [draw(n, np.random.default_rng([seed, n])) for seed in range(100)]
    held = [np.quantile(draws(v, n_draws=1000), [0.025, 0.975]) for v in samples]
    assert share_held(truth, held) >= 0.9
