"""The posterior of J: views of the tails that hold where normal intervals fail."""

import numpy as np
import pytest
from scipy import integrate, stats

import scorecast as sc
from scorecast.exceptions import ResultWarning
from scorecast.information import TAIL_VIEWS, InformationNote, PosteriorSettings
from scorecast.information.posterior import (
    _grid,
    _mean_excess,
    count_shared,
    has_lone_case,
    merge_ties,
    pareto_means,
    posterior_of,
    spread_ties,
)
from scorecast.mixtures import Sampling, SkewStudent

SHORT = Sampling(n_chains=2, n_warmup=300, n_draws=500, n_extensions=0)
UNJUDGED = PosteriorSettings(sampling=SHORT, allow_unconverged=True)


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
    monkeypatch.setattr("scorecast.information.posterior._BETA", (2.0, 12.0))
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
    found = posterior_of(mixture, 0.9, others=others, is_lone=True)
    narrow, wide, usual = found.views
    assert [v.tails for v in found.views] == ["mixture", "pareto", "normal"]
    assert found.low == wide.low < narrow.low
    assert found.high == usual.high > narrow.high
    assert (found.centre, found.median) == ("mixture", pytest.approx(0.2))
    assert found.probability_positive == wide.probability_positive < 0.6
    assert found.quantile(0.05) == pytest.approx(found.low)
    assert found.quantile(0.95) == pytest.approx(found.high)
    for view, drawn in zip(found.views, [mixture, *others.values()], strict=True):
        assert view.mean == pytest.approx(drawn.mean())
        assert view.sd == pytest.approx(drawn.std(ddof=1))
    assert (found.mean, found.sd) == (narrow.mean, narrow.sd)
    # Where far cases are not alone, those learned from them give the centre.
    assert posterior_of(mixture, 0.9, others=others).median == wide.median


def test_a_mixture_that_misses_the_plain_mean_does_not_give_the_centre():
    others = {
        "pareto": np.linspace(-0.2, 0.2, 99),
        "normal": np.linspace(-0.1, 0.1, 99),
    }
    found = posterior_of(np.linspace(0.1, 0.3, 99), 0.9, others=others, is_lone=True)
    assert (found.centre, found.median) == ("pareto", pytest.approx(0.0))
    assert found.high == pytest.approx(0.29)


def test_views_that_disagree_leave_the_sign_open():
    pareto = np.linspace(-1, -0.1, 99)
    found = posterior_of(np.linspace(0.1, 1, 99), 0.9, others={"pareto": pareto})
    assert found.probability_positive == 0.5
    assert found.views_disagree


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


@pytest.mark.parametrize("name", TAIL_VIEWS)
def test_views_of_the_tails_are_what_they_claim(name, monkeypatch):
    claims = TAIL_VIEWS[name]

    def views(n, is_quick):
        j = np.random.default_rng(0).normal(0.1, 0.3, n)
        forecasts = sc.Forecasts.from_log_ratios(j)
        found = sc.apparent_information(
            forecasts, quick=is_quick, settings=PosteriorSettings(influence=False)
        )
        return [view.tails for view in found.posterior.views]

    least = max(claims.min_samples, 2)
    if claims.is_quick:
        # Nothing is simulated for it.
        for sample in ("sample_short_chains", "sample_posterior"):
            monkeypatch.setattr(f"scorecast.information.apparent.{sample}", None)
        assert not claims.uses_chains
    assert name in views(least, claims.is_quick)
    if claims.min_samples > 2:
        assert name not in views(claims.min_samples - 1, claims.is_quick)
    if not claims.is_quick:
        assert name not in views(least, is_quick=True)


def test_a_lone_case_is_one_that_nothing_comes_near():
    x = np.random.default_rng(0).normal(0.1, 0.1, 420)
    assert not has_lone_case(x)
    assert has_lone_case(np.append(x, -6.58))
    assert not has_lone_case(np.append(x, [-6.58, -5.0]))


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
        sc.Forecasts.from_log_ratios(j), settings=UNJUDGED, units="nats", n_jobs=1
    )
    assert result.posterior.low < j.mean() < result.posterior.high
    width = result.posterior.high - result.posterior.low
    assert width == pytest.approx(result.normal.high - result.normal.low, rel=0.4)
    assert InformationNote.TIED in [note.code for note in result.notes]


@pytest.mark.parametrize("n", [1, 2, 50])
def test_equal_cases_and_one_case_are_not_sure_of_anything(n):
    with pytest.warns(ResultWarning):
        result = sc.apparent_information(
            sc.Forecasts.from_log_ratios(np.full(n, 0.3)), settings=UNJUDGED, n_jobs=1
        )
    assert result.posterior.low < 0 < result.posterior.high
    assert not result.verdict.is_better


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
