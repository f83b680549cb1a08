"""Intervals hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import ncx2

import scorecast as sc
from scorecast.extrapolation import (
    Auto,
    Gaussian,
    IntervalKind,
    Kde,
    ObservedClasses,
    Spline,
    perfect_bound,
)
from scorecast.extrapolation.extrapolator import semideviations
from scorecast.extrapolation.intervals import (
    bracket_share,
    hopeless_bound,
    prediction_interval,
)
from scorecast.scores import Scores

METHODS = (Auto(), Gaussian(), Spline(), Kde())


def nearest_neighbour(n_classes: int, noise: float, seed: int) -> ObservedClasses:
    rng = np.random.default_rng(seed)
    centre = rng.standard_normal((n_classes, 10))
    gallery, probe = centre + np.sqrt(noise) * rng.standard_normal((2, n_classes, 10))
    distance = np.linalg.norm(probe[:, None] - gallery, axis=2)
    return ObservedClasses.of(Scores(-distance, np.arange(n_classes)))


def true_accuracy(k: int, noise: float) -> float:
    rng = np.random.default_rng(0)
    centre = rng.standard_normal((20_000, 10))
    gallery, probe = centre + np.sqrt(noise) * rng.standard_normal((2, *centre.shape))
    distance = ((gallery - probe) ** 2).sum(axis=1) / (1 + noise)
    log_u = ncx2.logsf(distance, 10, (probe**2).sum(axis=1) / (1 + noise))
    return float(np.exp((k - 1) * log_u).mean())


def perfect(n_classes: int) -> ObservedClasses:
    scores = np.random.default_rng(1).standard_normal((n_classes, n_classes))
    np.fill_diagonal(scores, 9)
    return ObservedClasses.of(Scores(scores, np.arange(n_classes)))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_interval_holds_the_forecast_and_widens_with_the_level(method):
    evidence = nearest_neighbour(40, 0.3, 0)
    fit = method.fit(evidence, np.random.default_rng(0))
    ks = np.array([80, 400])
    centre = fit.law.accuracy(ks)
    narrow = prediction_interval(fit, evidence, ks, 0.5)
    wide = prediction_interval(fit, evidence, ks, 0.95)
    assert (wide.low < narrow.low).all()
    assert (narrow.low <= centre).all()
    assert (centre <= narrow.high).all()
    assert (narrow.high < wide.high).all()
    assert (wide.low >= 0).all()
    assert (wide.high <= 1).all()


def test_more_classes_observed_make_a_narrower_interval():
    widths = []
    for n_classes in (30, 120, 480):
        evidence = nearest_neighbour(n_classes, 0.3, 3)
        fit = Auto().fit(evidence, np.random.default_rng(0))
        found = prediction_interval(fit, evidence, np.array([10 * n_classes]), 0.9)
        widths.append(logit(found.high[0]) - logit(found.low[0]))
    assert widths[0] > widths[1] > widths[2]


def test_farther_out_is_less_sure():
    evidence = nearest_neighbour(100, 0.2, 4)
    fit = Auto().fit(evidence, np.random.default_rng(0))
    ks = np.array([200, 1000, 10_000, 1_000_000])
    below, _ = fit.law.logit_spread(ks)
    assert (np.diff(below) > 0).all()


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_perfect_accuracy_is_never_below_what_needs_no_model(method):
    evidence = perfect(50)
    fit = method.fit(evidence, np.random.default_rng(0))
    ks = np.array([50, 500, 1_000_000])
    found = prediction_interval(fit, evidence, ks, 0.9)
    assert (found.high == 1).all()
    assert (found.low >= perfect_bound(50, ks, 0.9)).all()
    assert found.low[-1] < 0.9


def test_perfect_bound_is_the_exact_binomial_carried_on_by_jensen():
    bound = perfect_bound(20, np.array([20, 400]), 0.9)
    assert bound[0] == pytest.approx(0.1 ** (1 / 20))
    assert bound[1] == pytest.approx(bound[0] ** (399 / 19))
    assert perfect_bound(20, np.array([2]), 0.9)[0] == bound[0]
    # Whatever the distribution of U, E[U^(k-1)] is no less than the bound carried on.
    u = np.random.default_rng(2).beta(30, 1, 10_000)
    assert (u**399).mean() >= (u**19).mean() ** (399 / 19)


def test_bound_grows_with_the_classes_tested():
    ks = np.array([1000])
    bounds = [perfect_bound(100, ks, 0.9, n_tested)[0] for n_tested in (10, 50, 100)]
    assert bounds[0] < bounds[1] < bounds[2]
    assert hopeless_bound(20, ks, 0.9)[0] == pytest.approx(1 - 0.1 ** (1 / 20))


def test_two_tested_classes_are_too_few_to_leave_out():
    scores = np.array([[2.0, 1, 0], [3, 1, 2], [0, 1, 2], [0, 3, 2]])
    evidence = ObservedClasses.of(Scores(scores, [0, 0, 2, 2], classes=[0, 1, 2]))
    fit = Gaussian().fit(evidence, np.random.default_rng(0))
    found = prediction_interval(fit, evidence, np.array([10]), 0.9)
    assert np.isnan(found.low).all()
    assert found.kind is IntervalKind.TOO_FEW_CLASSES


def test_one_tested_class_gives_no_interval_and_says_so():
    scores = np.random.default_rng(0).standard_normal((6, 3))
    evidence = ObservedClasses.of(Scores(scores, [0] * 6, classes=[0, 1, 2]))
    fit = Auto().fit(evidence, np.random.default_rng(0))
    found = prediction_interval(fit, evidence, np.array([10]), 0.9)
    assert np.isnan(found.low).all()
    assert found.kind is IntervalKind.TOO_FEW_CLASSES


def test_upper_end_never_rises_with_the_number_of_classes():
    evidence = nearest_neighbour(8, 0.5, 1)
    fit = Auto().fit(evidence, np.random.default_rng(0))
    ks = np.array([8, 12, 100, 10_000, 10**9])
    found = prediction_interval(fit, evidence, ks, 0.9)
    assert (np.diff(found.high) <= 1e-3).all()
    alone = prediction_interval(fit, evidence, ks[3:4], 0.9)
    assert alone.high[0] == pytest.approx(found.high[3])


@pytest.mark.parametrize("seed", [0, 6, 42])
def test_upper_end_falls_where_fewer_classes_are_asked_about_too(seed):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 3
    centres = rng.normal(size=(20, 5))
    own = np.repeat(np.arange(20), n)
    found = centres[own] + 0.9 * rng.normal(size=(20 * n, 5))
    scores = -((found[:, None] - centres) ** 2).sum(axis=2)
    asked = [30, 12, 16, 20, 18, 19, 21]
    answer = sc.extrapolate(scores, own, to=asked, method="bayesian", backtest=0)
    highs = [p.high for p in sorted(answer.predictions, key=lambda p: p.classes)]
    assert (np.diff(highs) <= 0).all()


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")
def test_an_interval_that_is_not_known_takes_none_from_fewer_classes():
    own = np.arange(8) % 2
    scores = np.random.default_rng(0).normal(size=(8, 3)) + 2 * np.eye(3)[own]
    call = {"method": "gaussian", "backtest": 0}
    both = sc.extrapolate(scores, own, to=[2, 3, 10], **call).predictions
    alone = sc.extrapolate(scores, own, to=[2, 3], **call).predictions
    assert np.isnan(both[2].high)
    assert np.isfinite([p.high for p in alone]).all()
    assert [p.high for p in both[:2]] == [p.high for p in alone]


NOISES = (0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4)


def coverage(shrink: float, n_repeats: int = 20) -> float:
    """Count how often the interval, shrunk, holds the truth at 200 -> 2000."""
    hits = []
    for i, noise in enumerate(NOISES):
        odds = logit(true_accuracy(2000, noise))
        for seed in range(n_repeats):
            # New classes for every level: shared ones would all hit or miss together.
            evidence = nearest_neighbour(200, noise, 1000 * (i + 1) + seed)
            fit = Auto().fit(evidence, np.random.default_rng(0))
            ks = np.array([2000])
            found = prediction_interval(fit, evidence, ks, 0.9)
            centre = logit(fit.law.accuracy(ks)[0])
            low = centre - shrink * (centre - logit(found.low[0]))
            high = centre + shrink * (logit(found.high[0]) - centre)
            hits.append(expit(low) <= expit(odds) <= expit(high))
    return float(np.mean(hits))


@pytest.mark.statistical
def test_nominal_90_percent_covers_84_to_96_percent():
    assert 0.84 <= coverage(1.0) <= 0.96


@pytest.mark.statistical
def test_the_coverage_check_catches_an_interval_of_half_the_width():
    assert not 0.84 <= coverage(0.5) <= 0.96


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
def test_classes_that_are_all_tied_are_not_known_exactly():
    alike = 0.1 ** (1 / 20)
    low, high = bracket_share(
        1 / 20, 0.0, n_groups=20, n_tested=20, confidence_level=0.9
    )
    assert low == pytest.approx(alike / 20)
    assert high == pytest.approx(alike / 20 + 1 - alike)
    pairs = np.arange(20) // 2  # ten pairs of classes that are never told apart
    answer = sc.extrapolate(
        (pairs[:, None] == pairs).astype(float), np.arange(20), to=[10, 20],
        backtest=0,
    )  # fmt: skip
    assert answer.observed_accuracy == pytest.approx(1 / 2)
    for p in answer.predictions:
        assert p.low < p.accuracy < p.high


def test_each_side_has_the_standard_deviation_where_laws_are_spread_evenly():
    laws = np.array([-2.0, -0.5, 0.0, 0.5, 2.0])
    weights = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    below, above = semideviations(3 + laws[None], np.array([3.0]), weights)
    assert below == above == pytest.approx(np.sqrt(weights @ laws**2))
    below, above = semideviations(
        3 + np.maximum(laws, 0)[None], np.array([3.0]), weights
    )
    assert (below, above) == (0, pytest.approx(np.sqrt(weights @ laws**2)))
