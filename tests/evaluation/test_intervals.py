"""Intervals against reference values, golden files and their own promises."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from scorecast import evaluation as bounds
from scorecast.evaluation import PROPORTION_INTERVALS

ERRORS = np.array([0.2, 0.25, 0.1, 0.3, 0.15, 0.22, 0.18, 0.27, 0.21, 0.12])


def test_fold_intervals_are_those_of_the_formula_book():
    assert bounds.normal(ERRORS, 0.95) == pytest.approx((0.160152754, 0.239847246))
    assert bounds.student(ERRORS, 0.95) == pytest.approx((0.154008986, 0.245991014))
    low, high = bounds.nadeau_bengio(ERRORS, 0.95, 1 / 9)
    assert (high - low) / 2 == pytest.approx(0.066823395, abs=1e-9)


def test_shares_agree_with_statsmodels_and_r(shared_golden):
    text = (shared_golden / "proportion_ci_statsmodels.json").read_text()
    cases = json.loads(text)["proportion_confint"]
    assert cases
    makers = {"wilson": "wilson", "beta": "exact", "jeffreys": "jeffreys"}
    for name, methods in cases.items():
        count, n = map(int, name.split("/"))
        for theirs, ours in makers.items():
            method = PROPORTION_INTERVALS[ours]
            low, high = methods[theirs]
            if ours == "jeffreys":  # theirs does not go to the edges
                low, high = (low if count else 0.0), (high if count < n else 1.0)
            found = method.bounds(count, n, 0.95)
            assert found == pytest.approx((low, high), abs=1e-9), name


@pytest.mark.parametrize(
    ("method", "name"),
    [("wilson", "wilson"), ("beta", "exact"), ("jeffreys", "jeffreys")],
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_shares_are_those_of_statsmodels(method, name, level):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for n in (1, 7, 62, 1000):
        for count in sorted({0, 1, n // 3, n - 1, n}):
            if name == "jeffreys" and count in (0, n):
                continue  # theirs does not go to the edges
            theirs = proportion.proportion_confint(
                count, n, alpha=1 - level, method=method
            )
            # A share of nothing, or of all, has no other side: theirs is NaN there.
            ends = list(
                zip(
                    PROPORTION_INTERVALS[name].bounds(count, n, level),
                    theirs,
                    strict=True,
                )
            )
            for ours, other in ends:
                if np.isfinite(other):
                    assert ours == pytest.approx(other, abs=1e-9), (count, n)


@given(st.integers(1, 400), st.data(), st.floats(0.5, 0.99))
def test_shares_have_proper_intervals(n, data, level):
    count = data.draw(st.integers(0, n))
    for method in PROPORTION_INTERVALS.values():
        low, high = method.bounds(count, n, level)
        assert low <= high
        if method.is_bayesian and not method.reaches_ends:
            assert 0 < low < high < 1
        else:
            assert low <= count / n + 1e-12
            assert high >= count / n - 1e-12
        if method.stays_inside:
            assert 0 <= low < high <= 1


@pytest.mark.parametrize("name", PROPORTION_INTERVALS)
@pytest.mark.parametrize("n", [1, 7, 40])
def test_claims_about_ends_are_true(name, n):
    method = PROPORTION_INTERVALS[name]
    assert (method.bounds(0, n, 0.9)[0] == 0) == method.reaches_ends
    assert (method.bounds(n, n, 0.9)[1] == 1) == method.reaches_ends


@pytest.mark.parametrize("name", PROPORTION_INTERVALS)
def test_claims_of_being_conservative_are_true_and_the_others_too(name):
    from scipy.stats import binom

    n, counts = 15, np.arange(16)
    method = PROPORTION_INTERVALS[name]
    ends = np.array([method.bounds(int(k), n, 0.9) for k in counts])
    least = min(
        binom.pmf(counts, n, p)[(ends[:, 0] <= p) & (p <= ends[:, 1])].sum()
        for p in np.linspace(0.01, 0.99, 99)
    )
    assert (least >= 0.9) == method.is_conservative


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_intervals_for_any_distribution_hold_the_mean(share):
    values = (np.arange(50) < share * 50).astype(float)
    for low, high in (
        bounds.hoeffding(values.mean(), 50, 0.95, 1.0),
        bounds.empirical_bernstein(values, 0.95, 1.0),
    ):
        assert low < share < high


def test_bca_agrees_with_scipy_on_a_skewed_mean():
    from scipy.stats import bootstrap

    values = np.random.default_rng(0).exponential(size=60)
    ours = bounds.bca(
        lambda u: float(values[u].mean()),
        np.zeros(60, dtype=int),
        level=0.9,
        rng=np.random.default_rng(1),
        n_resamples=20_000,
    )
    theirs = bootstrap(
        (values,), np.mean, confidence_level=0.9, n_resamples=20_000, method="BCa",
        rng=np.random.default_rng(2),
    ).confidence_interval  # fmt: skip
    assert ours == pytest.approx(tuple(theirs), abs=0.01)


def test_bca_keeps_the_size_of_strata():
    strata = np.repeat([0, 1], [30, 10])
    for units in bounds.resampled_units(strata, 20, np.random.default_rng(0)):
        assert np.bincount(strata[units]).tolist() == [30, 10]


@pytest.mark.statistical
def test_student_covers_and_the_normal_interval_does_not():
    rng = np.random.default_rng(4)
    hits = {"t": 0, "z": 0}
    for _ in range(4000):
        values = rng.normal(size=5)
        for name, make in (("t", bounds.student), ("z", bounds.normal)):
            low, high = make(values, 0.95)
            hits[name] += low <= 0 <= high
    # The formula book: .9464 and .8725 for five values.
    assert hits["t"] / 4000 == pytest.approx(0.95, abs=0.012)
    assert hits["z"] / 4000 < 0.90


@pytest.mark.statistical
@pytest.mark.parametrize("p", [0.02, 0.2, 0.5])
def test_exact_and_distribution_free_intervals_never_undercover(p):
    rng, n, hits = np.random.default_rng(5), 40, np.zeros(4)
    for _ in range(3000):
        values = (rng.random(n) < p).astype(float)
        ends = (
            bounds.clopper_pearson(values.sum(), n, 0.9),
            bounds.hoeffding(values.mean(), n, 0.9, 1.0),
            bounds.empirical_bernstein(values, 0.9, 1.0),
            bounds.normal(values, 0.9),
        )
        hits += [low <= p <= high for low, high in ends]
    rates = hits / 3000
    assert (rates[:3] > 0.885).all()
    if p == 0.02:
        assert rates[3] < 0.75  # the plain interval, as a wrong one
