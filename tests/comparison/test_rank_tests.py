"""Tests of all models at once, against published values, R, SciPy and mlxtend."""

import numpy as np
import pytest
from scipy import stats

from scorecast.comparison import (
    OMNIBUS_TESTS,
    OmnibusOutcome,
    RowKind,
    critical_difference,
    rank_tests as kernels,
)
from scorecast.comparison.post_hoc import nemenyi_p
from scorecast.evaluation import adjust_p_values

Z = {
    "ranks": kernels.plain_z,
    "aligned": kernels.aligned_z,
    "quade": kernels.quade_z,
}


def by_name(name):
    def test(values, *, greater_is_better=True, tie_corrected=False):
        full = f"{name}-tie-corrected" if tie_corrected else name
        chosen = OMNIBUS_TESTS[full]
        return chosen.evaluate(values, greater_is_better=greater_is_better)

    return test


def by_kernel(kernel):
    def test(values, *, greater_is_better=True, **knobs):
        statistic, df, p = kernel(values, greater_is_better, **knobs)
        return OmnibusOutcome(test="", statistic=statistic, df=df, p_value=p)

    return test


friedman, iman_davenport = by_name("friedman"), by_name("iman-davenport")
cochran_q = by_name("cochran-q")
quade, aligned_friedman = map(by_kernel, (kernels.quade, kernels.aligned_friedman))

# Kuncheva (2004), as mlxtend tests it: which of three classifiers are right, how often.
KUNCHEVA = {
    (1, 1, 1): 80, (1, 1, 0): 2, (1, 0, 0): 2, (0, 1, 1): 9, (0, 1, 0): 1,
    (0, 0, 1): 3, (0, 0, 0): 3,
}  # fmt: skip
# Demsar (2006), Table 5: quantiles of the two-sided Nemenyi test, k = 2..10.
NEMENYI = {
    0.95: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.90: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}


def ranking(seed, n=15, k=4, digits=1):
    """A table with many ties."""
    return np.round(np.random.default_rng(seed).normal(size=(n, k)), digits)


def test_the_published_table_gives_the_published_values(published_table):
    table = np.array(published_table["data"])
    found = {
        "friedman": friedman(table),
        "iman_davenport": iman_davenport(table),
        "quade": quade(table),
        # R compares floats, so that rounding breaks some ties of aligned results.
        "aligned": aligned_friedman(table, digits=None),
    }
    for name, test in found.items():
        assert test.statistic == pytest.approx(published_table[name]["stat"], rel=1e-12)
        assert test.p_value == pytest.approx(published_table[name]["p"], rel=1e-7)
    # As printed.
    assert round(found["friedman"].statistic, 4) == 39.6467
    assert round(found["iman_davenport"].statistic, 4) == 14.3087
    assert friedman(table, tie_corrected=True).statistic == pytest.approx(
        39.9127516778523, rel=1e-12
    )


def test_equal_aligned_results_are_ties_unless_floats_are_compared(published_table):
    table = np.array(published_table["data"])
    exact = np.rint(1000 * table)  # whole numbers leave no rounding
    wanted = aligned_friedman(5 * exact).statistic
    assert aligned_friedman(table).statistic == pytest.approx(wanted, rel=1e-12)
    assert wanted == pytest.approx(41.7283778581607, rel=1e-12)


def test_demsars_ranks_give_demsars_values(reference):
    ranks = np.array([3.143, 2.000, 2.893, 1.964])
    chi2 = kernels.friedman_statistic(ranks, 14)
    f = kernels.iman_davenport_statistic(chi2, 14, 4)
    assert (round(chi2, 2), round(f, 2)) == (9.28, 3.69)
    assert chi2 == pytest.approx(9.2836296, abs=5e-8)
    assert f == pytest.approx(3.6888928, abs=5e-8)


def test_critical_differences_are_demsars():
    assert critical_difference(4, 14) == pytest.approx(1.2535591, abs=5e-8)
    assert round(critical_difference(4, 14, confidence_level=0.9), 2) == 1.12
    dunn = "bonferroni-dunn"
    assert round(critical_difference(4, 14, test=dunn), 2) == 1.17
    assert (
        round(critical_difference(4, 14, confidence_level=0.9, test=dunn), 3) == 1.038
    )


@pytest.mark.parametrize("level", sorted(NEMENYI))
def test_quantiles_are_those_of_the_table(level):
    for k, quantile in enumerate(NEMENYI[level], start=2):
        per_rank = np.sqrt(k * (k + 1) / 60)
        found = critical_difference(k, 10, confidence_level=level) / per_rank
        assert found == pytest.approx(quantile, abs=1.1e-3)


@pytest.mark.parametrize("k", [2, 3, 8, 20])
def test_nemenyi_is_the_studentized_range(k):
    z = np.array([0.3, 1.0, 2.0, 3.5, 5.0])
    wanted = stats.studentized_range.sf(np.sqrt(2) * z, k, np.inf)
    np.testing.assert_allclose(nemenyi_p(z, k), wanted, rtol=1e-7, atol=1e-13)
    # Far out, where SciPy gives nought, the largest of k (k - 1) / 2 pairs decides.
    far = nemenyi_p(np.array([12.0]), k)[0]
    bound = k * (k - 1) / 2 * 2 * stats.norm.sf(12.0)
    assert far == pytest.approx(bound, rel=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_tie_corrected_friedman_is_scipys(seed):
    table = ranking(seed)
    wanted = stats.friedmanchisquare(*table.T)
    found = friedman(table, tie_corrected=True)
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-10)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-9)


def test_without_ties_corrections_change_nothing():
    table = np.random.default_rng(0).normal(size=(11, 5))
    for test in (friedman, quade, aligned_friedman, iman_davenport):
        plain, corrected = test(table), test(table, tie_corrected=True)
        assert plain.statistic == pytest.approx(corrected.statistic, rel=1e-10)


@pytest.mark.parametrize("test", [friedman, iman_davenport, quade, aligned_friedman])
def test_minimising_is_maximising_the_negative(test):
    table = ranking(3)
    low = test(table, greater_is_better=False)
    assert low.statistic == pytest.approx(test(-table).statistic, rel=1e-12)


def test_with_ties_the_f_is_that_of_the_corrected_statistic():
    table = np.where(np.random.default_rng(3).random((20, 4)) < 0.5, 0.7, 0.8)
    chi2 = stats.friedmanchisquare(*table.T).statistic
    found = iman_davenport(table, tie_corrected=True)
    assert found.statistic == pytest.approx(19 * chi2 / (60 - chi2), rel=1e-10)
    assert found.p_value == pytest.approx(stats.f.sf(found.statistic, 3, 57), rel=1e-9)
    assert found.test == "iman-davenport-tie-corrected"


def test_ties_leave_fewer_orders_so_that_luck_agrees_more_often():
    # One model wins on each of five data sets, two tie: 3 orders each, not 6.
    table = np.tile([0.9, 0.5, 0.5], (5, 1))
    for test in (friedman, iman_davenport):
        assert test(table, tie_corrected=True).p_value >= 3.0**-4 * (1 - 1e-9)
    assert iman_davenport(table, tie_corrected=True).p_value == pytest.approx(3.0**-4)


@pytest.mark.parametrize("n_values", [2, 3])
def test_only_the_corrected_f_keeps_its_level_where_many_results_tie(n_values):
    rng = np.random.default_rng(0)
    tables = [rng.integers(0, n_values, (20, 4)).astype(float) for _ in range(800)]
    corrected, plain = (
        np.mean([iman_davenport(t, tie_corrected=way).p_value <= 0.05 for t in tables])
        for way in (True, False)
    )
    assert abs(corrected - 0.05) < 3.5 * np.sqrt(0.05 * 0.95 / 800)
    assert plain < 0.025


def test_cochrans_q_is_mlxtends():
    rows = [row for row, times in KUNCHEVA.items() for _ in range(times)]
    found = cochran_q(np.array(rows, dtype=float))
    assert round(found.statistic, 3) == 7.529
    assert round(found.p_value, 3) == 0.023
    from mlxtend.evaluate import cochrans_q

    right = np.array(rows)
    q, p = cochrans_q(np.ones(100), *right.T)
    assert found.statistic == pytest.approx(q, rel=1e-12)
    assert found.p_value == pytest.approx(p, rel=1e-12)


def test_cochrans_q_is_statsmodels():
    from statsmodels.stats.contingency_tables import cochrans_q

    right = (np.random.default_rng(1).random((60, 5)) < 0.7).astype(float)
    wanted = cochrans_q(right)
    found = cochran_q(right)
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-10)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-10)


@pytest.mark.parametrize("test", [friedman, iman_davenport, quade, aligned_friedman])
@pytest.mark.parametrize("corrected", [False, True])
def test_no_difference_at_all_has_p_one(test, corrected):
    table = np.full((8, 3), 0.7)
    found = test(table, tie_corrected=corrected)
    assert found.statistic == 0
    assert found.p_value == 1


@pytest.mark.parametrize("test", [friedman, iman_davenport, quade, aligned_friedman])
def test_perfect_agreement_is_no_certainty(test):
    table = np.arange(3.0) + np.arange(4.0)[:, None] ** 2
    found = test(table)
    assert found.p_value >= (1 / 6) ** 3 * (1 - 1e-9)  # luck alone agrees that often
    assert found.p_value < 0.06


@pytest.mark.parametrize("kind", ["ranks", "aligned", "quade"])
def test_standard_errors_are_those_of_all_permutations(kind):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(9, 5))
    z = np.array([
        Z[kind](rng.permuted(table, axis=1))[0, 1] for _ in range(600)
    ])  # fmt: skip
    assert z.std() == pytest.approx(1, abs=0.09)


def test_aligned_pairs_by_the_printed_formula_would_be_far_off():
    # sqrt(k (n + 1) / 6) in place of the spread of permutations: z three times too far.
    rng = np.random.default_rng(0)
    n, k = 30, 5
    ours, printed = [], []
    for _ in range(300):
        table = rng.normal(size=(n, k))  # no difference
        ranks = stats.rankdata(-(table - table.mean(axis=1, keepdims=True)))
        means = ranks.reshape(n, k).mean(axis=0)
        printed.append((means[0] - means[1]) / np.sqrt(k * (n + 1) / 6))
        ours.append(Z["aligned"](table)[0, 1])
    assert np.std(ours) == pytest.approx(1, abs=0.12)
    assert np.std(printed) > 2


def test_scores_equal_but_for_rounding_tie():
    a = np.array([[0.1 + 0.2, 0.3, 0.2], [0.7, 0.1 + 0.6, 0.5]] * 6)
    exact = np.array([[0.3, 0.3, 0.2], [0.7, 0.7, 0.5]] * 6)
    assert friedman(a).statistic == friedman(exact).statistic


def test_the_published_table_gives_the_published_adjusted_p_values(published_table):
    data = published_table
    rows = np.triu_indices(5, 1)

    def golden(name):
        table = [[np.nan if x == "NA" else x for x in row] for row in data[name]]
        return np.array(table, dtype=float)[rows]

    p = kernels.normal_p(Z["ranks"](np.array(data["data"]))[rows])
    np.testing.assert_allclose(p, golden("friedman_post"), rtol=1e-7)
    np.testing.assert_allclose(
        adjust_p_values(p, "shaffer", n_models=5), golden("shaffer"), rtol=1e-7
    )
    np.testing.assert_allclose(
        adjust_p_values(p, "bergmann-hommel", n_models=5), golden("bergmann"), rtol=1e-7
    )


# Claims ---------------------------------------------------------------------------


def rows_for(test, seed, n=12, k=4):
    values = np.random.default_rng(seed).normal(size=(n, k)).round(1)
    return (values > 0) * 1.0 if test.rows is RowKind.SAMPLES else values


@pytest.mark.parametrize("name", OMNIBUS_TESTS)
def test_claims_of_an_omnibus_test_are_true(name):
    test = OMNIBUS_TESTS[name]
    values = rows_for(test, 0)
    found = test.evaluate(values)
    assert found.test == name
    assert len(found.df) in (1, 2)
    if test.rows is RowKind.DATASETS:
        least = kernels.smallest_omnibus_p(3, 4)
        alike = np.arange(4.0) + np.arange(3.0)[:, None]
        assert test.evaluate(alike).p_value >= least * (1 - 1e-9)
        stretched = np.sign(values) * values**2 * np.arange(1, 13)[:, None]
        moved = test.evaluate(stretched)
        is_same = moved.statistic == pytest.approx(found.statistic, rel=1e-9)
        assert is_same != test.needs_comparable
    spread = np.random.default_rng(1).normal(size=(12, 4)) * 1.0
    plain = OMNIBUS_TESTS[name.removesuffix("-tie-corrected")]
    if test.corrects_ties and test.rows is RowKind.DATASETS:
        untied = test.evaluate(spread), plain.evaluate(spread)
        assert untied[0].statistic == pytest.approx(untied[1].statistic, rel=1e-9)
        assert found.statistic != plain.evaluate(values).statistic


@pytest.mark.statistical
@pytest.mark.parametrize("name", OMNIBUS_TESTS)
def test_no_more_false_alarms_than_the_level(name):
    test = OMNIBUS_TESTS[name]
    wrong = [test.evaluate(rows_for(test, s)).p_value <= 0.05 for s in range(1500)]
    assert np.mean(wrong) <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 1500)
