"""Cases that belong together: intervals of mean differences hold what they say."""

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.comparison.resampling import PairedCases, clustered_t
from scorecast.guarantees import bca
from scorecast.report import render_html
from scorecast.report.html import Report


def grouped(rng, n_groups, sizes=None):
    """Differences of cases in groups of unlike sizes that share an effect."""
    if sizes is None:
        sizes = rng.choice([1, 2, 3, 14], n_groups)
    unit = np.repeat(np.arange(n_groups), sizes)
    gaps = rng.normal(0, 0.3, n_groups)[unit] + rng.normal(0, 0.5, unit.size)
    return PairedCases(first=gaps, second=np.zeros(unit.size), unit=unit)


def held(n_groups, repeats, resamples):
    """How often nought, which is true, lies in our interval and in the plain BCa."""
    rng = np.random.default_rng(n_groups)
    ours = plain = 0
    for _ in range(repeats):
        cases = grouped(rng, n_groups)
        low, high, _ = clustered_t(cases, level=0.95)
        ours += low <= 0 <= high
        strata = np.zeros(n_groups, dtype=np.int64)
        low, high = bca(
            cases.by_unit()[0], strata, level=0.95, rng=rng, n_resamples=resamples
        )
        plain += low <= 0 <= high
    return ours / repeats, plain / repeats


def test_the_interval_by_groups_is_a_t_of_groups():
    rng = np.random.default_rng(3)
    cases = grouped(rng, 6, np.full(6, 9))
    found = sc.compare_pair(
        cases.first, cases.second, groups=cases.unit, random_state=0
    )
    totals = np.bincount(cases.unit, weights=cases.gaps)
    sizes = np.bincount(cases.unit)
    mean = totals.sum() / sizes.sum()
    error = np.sqrt(6 / 5 * ((totals - mean * sizes) ** 2).sum()) / sizes.sum()
    half = 2.5705818366147 * error  # t, 5 degrees of freedom
    assert found.found.test == "permutation"
    assert found.found.df == pytest.approx((5.0,))
    assert (found.found.low, found.found.high) == pytest.approx(
        (mean - half, mean + half), rel=1e-7
    )


def test_the_interval_of_six_groups_holds_quick():
    ours, plain = held(6, 400, 200)
    assert ours >= 0.92
    assert plain < 0.91  # resampling six groups forgets that they are six


@pytest.mark.statistical
@pytest.mark.parametrize("n_groups", [6, 20])
def test_the_interval_of_groups_holds(n_groups):
    ours, plain = held(n_groups, 2000, 600)
    assert 0.935 <= ours <= 0.97
    assert plain < {6: 0.90, 20: 0.94}[n_groups]


def test_right_and_wrong_differ_by_one_at_most():
    first = np.array([1, 1, 1, 1, 1, 1, 1, 0.0])
    second = np.zeros(8)
    groups = np.repeat(np.arange(6), [1, 1, 1, 1, 2, 2])
    found = sc.compare_pair(first, second, groups=groups, random_state=0)
    assert found.found.high == 1
    assert found.found.low < found.found.difference


# Values of single cases: the mean is what counts


def items(n=120, seed=0, gap=-0.05):
    """Graded items on which two models mostly agree."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 5, n) / 4
    apart = rng.random(n) < 0.3
    step = np.where(rng.random(n) < 0.5 + gap * 4, 0.25, -0.25)
    return base, base + np.where(apart, step, 0.0)


def test_the_mean_is_the_difference_of_cases():
    first, second = items()
    gaps = first - second
    error = gaps.std(ddof=1) / np.sqrt(gaps.size)
    found = sc.compare({"a": first, "b": second})
    assert found.rows == "cases"
    assert found.pair_test == "paired-t"
    effect = found.pairs[0].effect
    assert effect.difference == pytest.approx(gaps.mean())
    assert effect.high - effect.low == pytest.approx(2 * 1.9801 * error, rel=1e-4)
    assert "mean difference 0.0" in found.summary()
    pair = sc.compare_pair(first, second, random_state=0)
    assert pair.found.of == "mean"
    assert pair.found.difference == pytest.approx(gaps.mean())


def test_rows_called_cases_may_hold_any_numbers():
    rng = np.random.default_rng(2)
    hard = rng.gamma(1.0, size=30)
    table = {"a": hard, "b": hard + rng.gamma(1.0, size=30), "c": hard + 0.01}
    found = sc.compare(table, rows="cases", greater_is_better=False, rope=0.1,
                       random_state=0)  # fmt: skip
    assert found.order == ("a", "c", "b")
    assert found.best == "a"
    assert "a has the best mean of 3 models on 30 cases" in found.summary()
    for pair in found.pairs:
        gap = table[pair.a].mean() - table[pair.b].mean()
        assert pair.effect.difference == pytest.approx(gap)
    assert "Bayesian bootstrap" in found.paragraph()
    assert "Mean ranks" not in render_html(Report(results=(found,)))
    sets = sc.compare(table, rows="data sets", greater_is_better=False)
    assert "Mean ranks" in render_html(Report(results=(sets,)))


def test_the_first_by_mean_need_not_be_the_first_by_rank():
    rng = np.random.default_rng(4)
    usual = rng.normal(size=60)
    often = usual + 0.01  # nearly always a little better, and sometimes much worse
    often[:6] -= 5
    found = sc.compare({"often": often, "usual": usual}, rows="cases")
    assert found.rank("often") < found.rank("usual")
    assert found.best == "usual"
    as_sets = sc.compare({"often": often, "usual": usual}, rows="data sets")
    assert as_sets.best == "often"


def test_few_data_sets_stay_data_sets():
    rng = np.random.default_rng(1)
    values = rng.uniform(size=(30, 2))
    assert sc.compare(values).rows == "data sets"
    values[:3, 1] = values[:3, 0]
    assert sc.compare(values).rows == "data sets"


def test_rows_of_one_name_are_averaged():
    rng = np.random.default_rng(5)
    item = rng.random(40) < 0.6
    names = np.tile([f"item{i}" for i in range(40)], 4)
    a = (np.tile(item, 4) ^ (rng.random(160) < 0.1)).astype(int)
    b = (np.tile(item ^ (rng.random(40) < 0.3), 4) ^ (rng.random(160) < 0.1)).astype(
        int
    )
    found = sc.compare({"item": list(names), "a": a, "b": b})
    means = (a - b).reshape(4, 40).mean(axis=0)
    assert found.n == 40
    assert found.pairs[0].p == pytest.approx(stats.ttest_1samp(means, 0).pvalue)
    assert any("is there 4 times): rows of one name were averaged" in x
               for x in found.warnings)  # fmt: skip
    alone = sc.compare({"a": a, "b": b})
    assert alone.pairs[0].p < found.pairs[0].p / 2
