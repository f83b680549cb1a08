"""Labelled data are what was asked for, and the Bayes error is what no rule beats."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import norm, skew

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.simulate import (
    SIMULATORS,
    BayesErrorKind,
    Correlation,
    Mixing,
    Normal,
    Poisson,
    Skew,
    Uniform,
    class_shares,
)
from scorecast.simulate.bayes_error import _monte_carlo, line_error
from scorecast.simulate.classification import make_population
from scorecast.simulate.distributions import _Tailed

PLAIN = {"with_bayes_error": False}


def made(n_samples=200, n_features=500, **factors):
    """Make data by the flat names of factors."""
    return SIMULATORS["classification"].make(
        n_samples=n_samples, n_features=n_features, **factors
    )


def largest_z(values, mean, sd):
    """Return how far column means lie from a mean, in standard errors."""
    return np.abs((values.mean(axis=0) - mean) * np.sqrt(len(values)) / sd).max()


@pytest.mark.parametrize(
    ("options", "means", "sds"),
    [
        ({}, [1, 0, -1], [3, 3, 3]),
        ({"n_classes": 2, "std": 5}, [1, -1], [5, 5]),
        ({"n_classes": 5}, [2, 1, 0, -1, -2], [3] * 5),
        (
            {"distribution": "gaussian-mixture", "mixing": "value"},
            [0.5, 0, -0.5],
            [np.hypot(3, 1.5), 3, np.hypot(3, 1.5)],
        ),
        (
            {"distribution": "gaussian-poisson", "mixing": "value"},
            [2.5, 2.5, 2.5],
            [np.sqrt((9 + 1 + p + p**2) / 2 - 6.25) for p in (4,)]
            + [np.sqrt((9 + 5 + 25) / 2 - 6.25), np.sqrt((10 + 6 + 36) / 2 - 6.25)],
        ),
        (
            {"distribution": [Normal(0, 1), [Uniform(0, 2), Poisson(3)]],
             "n_classes": 2, "mixing": "value"},
            [0, 2],
            [1, np.sqrt((1 / 3 + 1 + 3 + 9) / 2 - 4)],
        ),
    ],
)  # fmt: skip
def test_values_of_a_class_have_its_moments(options, means, sds):
    data = made(6000, 12, random_state=2, **PLAIN, **options)
    for label, (mean, sd) in enumerate(zip(means, sds, strict=True)):
        own = data.X[data.y == label]
        assert largest_z(own, mean, sd) < 4.5
        assert own.std(axis=0) == pytest.approx(np.full(12, sd), rel=0.06)
        # The same check notices a class whose mean is off by a tenth of a deviation.
        assert largest_z(own + 0.2 * sd, mean, sd) > 4.5


def test_a_case_belongs_to_one_component_or_every_value_to_its_own():
    options = {"distribution": "bimodal", "n_classes": 2, "std": 0.1, **PLAIN}
    case = made(400, 30, **options)
    second = np.sign(case.X[case.y == 1])
    assert (np.abs(second.mean(axis=1)) == 1).all()
    assert 0.4 < (second[:, 0] > 0).mean() < 0.6
    value = made(400, 30, mixing="value", **options)
    second = np.sign(value.X[value.y == 1])
    assert np.abs(second.mean(axis=1)).max() < 0.8


@given(
    n=st.integers(10, 400),
    n_classes=st.integers(2, 5),
    imbalance=st.floats(0, 0.8),
)
@settings(max_examples=40, deadline=None)
def test_classes_are_as_unequal_as_asked(n, n_classes, imbalance):
    data = made(n, 2, n_classes=n_classes, imbalance=imbalance, **PLAIN)
    sizes = np.bincount(data.y, minlength=n_classes)
    assert tuple(sizes) == data.truth.class_sizes
    assert sizes.sum() == n
    weights = 1 - imbalance * np.arange(n_classes) / (n_classes - 1)
    assert np.abs(sizes - n * weights / weights.sum()).max() <= 1


def noise_share(noisy, clean):
    """Return how far noise moved values, as a share of their range."""
    ends = np.quantile(clean.X, [0.001, 0.999])
    return np.abs(noisy.X - clean.X).max() / (ends[1] - ends[0])


@pytest.mark.parametrize("noise", [0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize("distribution", ["gaussian", "gaussian-poisson"])
def test_noise_is_the_share_of_the_range_that_was_asked_for(noise, distribution):
    options = {"distribution": distribution, **PLAIN}
    clean = made(2000, 50, **options)
    noisy = made(2000, 50, noise=noise, **options)
    assert noise_share(noisy, clean) == pytest.approx(noise, rel=0.04)
    added = noisy.X - clean.X
    width = noisy.truth.noise_width
    assert np.abs(added).max() <= width * (1 + 1e-12)
    assert added.std() == pytest.approx(width / np.sqrt(3), rel=0.01)
    # Noise of half the width is noticed.
    halved = made(2000, 50, noise=noise / 2, **options)
    assert noise_share(halved, clean) != pytest.approx(noise, rel=0.04)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_so_many_features_have_a_tail_and_the_others_stay(share):
    plain = made(3000, 40, **PLAIN)
    data = made(3000, 40, skew_share=share, skew_tail_share=0.25, **PLAIN)
    assert data.truth.skewed.size == round(40 * share)
    same = np.ones(40, dtype=bool)
    same[data.truth.skewed] = False
    assert (data.X[:, same] == plain.X[:, same]).all()
    moved = (data.X != plain.X)[:, ~same].mean()
    assert moved == pytest.approx(0.25, abs=0.01)
    assert skew(data.X[:, ~same], axis=0).min() > 0.6
    assert np.abs(skew(data.X[:, same], axis=0)).max() < 0.3
    pooled = np.sqrt(9 + 2 / 3)
    far = data.X[:, ~same][(data.X != plain.X)[:, ~same]]
    assert 3 * pooled <= far.min() < far.max() <= 6.7 * pooled


@pytest.mark.parametrize("skewness", [1.0, 2.0])
def test_gamma_features_keep_mean_and_spread(skewness):
    data = made(
        40_000, 4, skew_share=1.0, skew_kind="gamma", skew_skewness=skewness, **PLAIN
    )
    own = data.X[data.y == 0]
    assert largest_z(own, 1, 3) < 4.5
    assert own.std(axis=0) == pytest.approx(np.full(4, 3), rel=0.04)
    assert skew(own, axis=0) == pytest.approx(np.full(4, skewness), rel=0.15)


@pytest.mark.parametrize("rho", [0.125, 0.25, 0.5])
@pytest.mark.parametrize("block_size", [5, 10, 30])
def test_features_of_a_block_are_correlated_and_no_others(block_size, rho):
    n = 6000
    data = made(n, 60, correlation_block_size=block_size, correlation_rho=rho, **PLAIN)
    within = data.X - np.array([1, 0, -1])[data.y][:, None]
    found = np.corrcoef(within.T)
    block = np.arange(60) // block_size
    together = (block[:, None] == block) & ~np.eye(60, dtype=bool)
    error = 5 / np.sqrt(n)
    assert np.abs(found[together] - rho).max() < error
    assert np.abs(found[block[:, None] != block]).max() < error
    # Half the correlation is noticed.
    assert np.abs(found[together] - rho / 2).max() > error


@pytest.mark.parametrize("rho", [0.125, 0.5])
@pytest.mark.parametrize(
    "options",
    [
        {"n_classes": 2, "std": 0.5},
        {"n_classes": 3, "std": 3},
        {"n_classes": 5, "std": 1, "imbalance": 0.4},
        {"n_classes": 2, "std": 1, "distribution": "bimodal"},
    ],
)
def test_blocks_that_tell_nothing_are_as_correlated(options, rho):
    n = 6000
    asked = {
        "correlation_block_size": 6,
        "correlation_rho": rho,
        "informative": 0.5,
        **options,
        **PLAIN,
    }
    data = made(n, 60, **asked)
    told = np.isin(np.arange(60), data.truth.informative)
    block = np.arange(60) // 6
    silent = ~told[:, None] & ~told
    together = (block[:, None] == block) & ~np.eye(60, dtype=bool) & silent
    found = np.corrcoef(data.X.T)
    assert found[together].mean() == pytest.approx(rho, abs=0.03)
    assert np.abs(found[together] - rho).max() < 5 / np.sqrt(n)
    assert np.abs(found[(block[:, None] != block) & silent]).max() < 5 / np.sqrt(n)
    # They still tell nothing: no class has another mean there.
    means = np.array([data.X[data.y == k].mean(axis=0) for k in np.unique(data.y)])
    spread = data.X.std(axis=0) / np.sqrt(data.truth.class_sizes)[:, None]
    far = np.abs(means - data.X.mean(axis=0)) / spread
    assert far[:, ~told].max() < 4.5


def test_only_some_features_tell_the_classes_apart():
    data = made(
        4000,
        100,
        informative=0.2,
        correlation_block_size=5,
        std=1,
        random_state=3,
        **PLAIN,
    )
    telling = data.truth.informative
    assert telling.size == 20
    assert (np.bincount(telling // 5) % 5 == 0).all()  # by whole blocks
    gaps = data.X[data.y == 0].mean(axis=0) - data.X[data.y == 2].mean(axis=0)
    error = np.sqrt(2 * (1 + 2 / 3) / (4000 / 3))
    others = np.setdiff1d(np.arange(100), telling)
    assert np.abs(gaps[others]).max() < 4.5 * error
    assert np.abs(gaps[telling] - 2).max() < 4.5 * error
    # Over all cases their values are alike.
    assert data.X[:, others].std() == pytest.approx(data.X[:, telling].std(), rel=0.02)


def test_local_dependencies_are_where_the_truth_says():
    plain = made(100, 80, **PLAIN)
    data = made(100, 80, patterns_n=3, **PLAIN)
    changed = np.zeros((100, 80), dtype=bool)
    for one in data.truth.patterns:
        cells = np.ix_(one.rows, one.columns)
        assert (data.X[cells] == one.values).all()
        block = data.X[cells]
        left = block - block.mean(0) - block.mean(1)[:, None] + block.mean()
        assert np.abs(left).max() < 1e-12
        changed[cells] = True
    assert changed.sum() == 3 * 20 * 10
    assert (data.X[~changed] == plain.X[~changed]).all()


def test_noise_moves_planted_values_too():
    clean = made(100, 80, patterns_n=3, **PLAIN)
    noisy = made(100, 80, patterns_n=3, noise=0.1, **PLAIN)
    added = noisy.X - clean.X
    width = noisy.truth.noise_width
    assert (added != 0).all()
    assert np.abs(added).max() <= width * (1 + 1e-12)
    for one, same in zip(noisy.truth.patterns, clean.truth.patterns, strict=True):
        assert (one.values == same.values).all()
        own = added[np.ix_(one.rows, one.columns)]
        assert own.std() == pytest.approx(width / np.sqrt(3), rel=0.15)


def test_the_bayes_error_of_two_equal_classes_is_the_textbook_one():
    data = made(10, 9, n_classes=2, std=3)
    assert data.truth.bayes_error.method is BayesErrorKind.EXACT
    assert data.truth.bayes_error.value == pytest.approx(norm.cdf(-1), abs=1e-12)
    # Correlation raises it (Hua and others, 2005).
    tied = made(
        10, 9, n_classes=2, std=3, correlation_block_size=9, correlation_rho=0.5
    )
    strength = np.sqrt(9 / (1 + 8 * 0.5)) * 2 / 3
    assert tied.truth.bayes_error.value == pytest.approx(norm.cdf(-strength / 2))
    assert tied.truth.bayes_error.value > data.truth.bayes_error.value


def test_the_error_on_a_line_is_that_of_a_fine_grid():
    centres, shares = np.array([1.5, 0, -1, -1]), np.array([0.1, 0.4, 0.3, 0.2])
    t = np.linspace(-12, 12, 200_001)
    joint = shares[:, None] * norm.pdf(t - centres[:, None])
    expected = 1 - joint.max(axis=0).sum() * (t[1] - t[0])
    assert line_error(centres, shares) == pytest.approx(expected, abs=1e-6)


def population_of(**factors):
    """Return the population that a call draws from."""
    data = made(20, **PLAIN, **factors)
    asked = data.options
    return make_population(
        data.truth.mixtures,
        class_shares(asked["n_classes"], asked["imbalance"]),
        asked["n_features"],
        asked["informative"],
        asked["noise"],
        Mixing(asked["mixing"]),
        Correlation(
            block_size=asked["correlation_block_size"], rho=asked["correlation_rho"]
        ),
        Skew(
            share=asked["skew_share"],
            kind=asked["skew_kind"],
            skewness=asked["skew_skewness"],
        ),
        np.random.default_rng(0),
    )


@pytest.mark.parametrize(
    "options",
    [
        {"n_features": 8, "imbalance": 0.6},
        {
            "n_features": 20,
            "correlation_block_size": 10,
            "correlation_rho": 0.25,
            "imbalance": 0.4,
        },
        {"n_features": 12, "n_classes": 5, "informative": 0.5},
    ],
)
def test_monte_carlo_with_true_densities_finds_the_exact_error(options):
    exact = made(20, **options).truth.bayes_error
    assert exact.method is BayesErrorKind.EXACT
    found = _monte_carlo(population_of(**options), np.random.default_rng(1), 20_000)
    error = (found.high - found.low) / (2 * 1.96)
    assert abs(found.value - exact.value) < 4.5 * error


@pytest.mark.parametrize(
    "options",
    [
        {"noise": 0.2},
        {"skew_share": 0.6},
        {"skew_share": 0.6, "skew_kind": "gamma", "skew_skewness": 1.0},
        {"skew_share": 0.6, "noise": 0.1},
        {"distribution": "gaussian-mixture"},
        {"distribution": "gaussian-poisson"},
        {"distribution": "gaussian-poisson", "mixing": "value", "noise": 0.1},
        {"distribution": "gaussian-poisson", "skew_share": 0.6},
        {"distribution": "gaussian-poisson", "mixing": "value", "skew_share": 0.6},
        {"distribution": "gaussian-uniform", "mixing": "value"},
        {
            "distribution": "bimodal",
            "n_classes": 2,
            "correlation_block_size": 5,
            "correlation_rho": 0.5,
        },
    ],
)
def test_the_true_posterior_is_calibrated(options):
    # If densities are true, the best rule errs as often as it says it does.
    population = population_of(n_features=10, std=2, **options)
    rng = np.random.default_rng(4)
    y = rng.choice(population.shares.size, size=20_000, p=population.shares)
    logs = population.log_densities(population.draw(y, rng))
    chances = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
    said = 1 - chances.max(axis=1)
    wrong = logs.argmax(axis=1) != y
    off = (wrong - said).mean() / ((wrong - said).std() / np.sqrt(y.size))
    assert abs(off) < 4.5
    # A rule that is twice as sure as it may be is noticed.
    sure = np.exp(2 * logs - np.logaddexp.reduce(2 * logs, axis=1)[:, None])
    said = 1 - sure.max(axis=1)
    assert (wrong - said).mean() / ((wrong - said).std() / np.sqrt(y.size)) > 4.5


def test_a_monte_carlo_error_is_a_plain_number():
    known = made(
        20, 12, distribution="gaussian-poisson", skew_share=0.3
    ).truth.bayes_error
    assert known.method is BayesErrorKind.MONTE_CARLO
    assert 0 <= known.low < known.value < known.high < 2 / 3
    assert {type(x) for x in (known.value, known.low, known.high)} == {float}


def test_densities_that_miss_what_is_drawn_are_refused(monkeypatch):
    # Broken on purpose: counts without the tail that skew gives them.
    monkeypatch.setattr(
        _Tailed, "log_density", lambda self, x: self.part.log_density(x)
    )
    with pytest.raises(InsufficientDataError):
        made(20, 12, distribution=[Poisson(3), Poisson(5)], n_classes=2, skew_share=0.5)


@pytest.mark.parametrize(
    "options",
    [
        {"correlation_block_size": 5, "correlation_rho": 0.5, "noise": 0.2},
        {"patterns_n": 4, "patterns_n_rows": 20, "patterns_n_columns": 5},
        {
            "correlation_block_size": 5,
            "correlation_rho": 0.5,
            "distribution": "gaussian-poisson",
        },
    ],
)
def test_where_densities_are_unknown_there_are_bounds(options):
    known = made(200, 20, **options).truth.bayes_error
    assert known.method is BayesErrorKind.BOUNDS
    assert np.isnan(known.value)
    assert 0 <= known.low < known.high <= 2 / 3


def test_noise_and_tails_raise_the_bayes_error():
    errors = [
        made(20, 20, noise=noise).truth.bayes_error.value
        for noise in (0, 0.1, 0.2, 0.4)
    ]
    assert (np.diff(errors) > 0.005).all()
    errors = [
        made(20, 20, skew_share=share).truth.bayes_error.value
        for share in (0, 0.3, 0.6, 0.9)
    ]
    assert (np.diff(errors) > 0.002).all()


def test_the_seed_makes_the_data():
    options = {"noise": 0.1, "skew_share": 0.3, "n_samples": 50, "n_features": 30}
    one, same = (made(**options, random_state=7) for _ in range(2))
    assert (one.X == same.X).all()
    assert (one.y == same.y).all()
    assert one.to_dict() == same.to_dict()
    assert one.seed == 7
    other = made(**options, random_state=8)
    assert (one.X != other.X).mean() > 0.9


@pytest.mark.parametrize(
    ("factors", "parameter"),
    [
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 2}, "n_samples"),
        ({"n_classes": 1}, "n_classes"),
        ({"noise": 20}, "noise"),
        ({"imbalance": 1}, "imbalance"),
        ({"std": 0}, "std"),
        ({"mixing": "case"}, "mixing"),
        ({"correlation_rho": 0.5}, "correlation.rho"),
        ({"skew_share": 20}, "skew.share"),
        ({"skew_kind": "beta"}, "skew.kind"),
        ({"patterns_kind": "aditive"}, "patterns.kind"),
        ({"patterns_n": 1, "n_features": 5}, "patterns.n_rows"),
        ({"distribution": "gausian"}, "distribution"),
        ({"distribution": "bimodal"}, "distribution"),
        ({"distribution": [Normal(0, 1)]}, "distribution"),
        ({"distribution": [1, 2, 3]}, "distribution"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_by_the_name_of_the_parameter(factors, parameter):
    with pytest.raises(UsageError) as caught:
        made(**{"n_samples": 20, "n_features": 10, **factors})
    assert caught.value.parameter == parameter


def test_who_gives_a_percentage_or_misspells_is_told_what_was_meant():
    with pytest.raises(UsageError) as caught:
        made(20, 10, skew_share=20)
    assert caught.value.remedy == "try 0.2"
    with pytest.raises(UsageError) as caught:
        made(20, 10, distribution="gausian")
    assert caught.value.remedy == "try 'gaussian'"
    with pytest.raises(UsageError) as caught:
        sc.simulate.classification(20, 10, skew=0.3)
    assert caught.value.parameter == "skew"
