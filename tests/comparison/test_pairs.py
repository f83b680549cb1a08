"""Two models: against SciPy, statsmodels, mlxtend, baycomp, R, and brute force."""

import json
from itertools import product

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.comparison import (
    PAIR_TESTS,
    PairComparison,
    PairData,
    PairedCounts,
    TestSettings,
    Verdict,
)
from scorecast.comparison.bayesian import correlated_t, signed_rank_posterior
from scorecast.comparison.effect_sizes import cliffs_delta, cohens_d
from scorecast.comparison.mcnemar import paired_difference
from scorecast.comparison.pairs import look_like_samples
from scorecast.comparison.rank_tests import normal_p, quade_scores, quade_z
from scorecast.comparison.signed_ranks import pseudo_median, walsh_order_statistic
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

VALUES = np.round(np.random.default_rng(0).normal(0.7, 0.1, 20), 2)
OTHERS = np.round(VALUES + np.random.default_rng(1).normal(0.02, 0.04, 20), 2)
ZEROS = {
    "wilcoxon": "pratt",
    "wilcoxon-zsplit": "zsplit",
    "wilcoxon-drop": "wilcox",
}


def mcnemar_p(only_a, only_b, variant="mid-p"):
    return PAIR_TESTS[f"mcnemar-{variant}"].evaluate_counts(only_a, only_b)


def share_interval(both, only_a, only_b, none):
    counts = PairedCounts(
        both=both, only_first=only_a, only_second=only_b, neither=none
    )
    return paired_difference(counts, 0.95)


def classified(seed=0, n=120):
    """A truth of two classes and the scores of two models."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.round(y + rng.normal(size=n), 1), np.round(y + rng.normal(size=n), 1)


# Examples


def test_mcnemar_has_mlxtends_published_values():
    assert mcnemar_p(121, 59, "corrected") == pytest.approx(
        (20.672222, 5.4501e-06), rel=1e-5
    )
    assert mcnemar_p(121, 59, "corrected")[0] == pytest.approx(20.672222, abs=5e-7)
    assert mcnemar_p(121, 59, "plain")[0] == pytest.approx(21.355556, abs=5e-7)
    assert mcnemar_p(121, 59, "plain")[1] == pytest.approx(3.8151e-06, rel=1e-4)
    assert mcnemar_p(121, 59, "exact")[1] == pytest.approx(4.43445e-06, rel=1e-5)
    assert mcnemar_p(11, 1, "exact")[1] == pytest.approx(0.00634765625, rel=1e-14)


@pytest.mark.parametrize(("exact", "correction"), [(True, 0), (False, 1), (False, 0)])
def test_mcnemar_is_statsmodels(exact, correction):
    from statsmodels.stats.contingency_tables import mcnemar

    table = np.reshape((40, 13, 5, 22), (2, 2))
    wanted = mcnemar(table, exact=exact, correction=bool(correction))
    variant = "exact" if exact else "corrected" if correction else "plain"
    assert mcnemar_p(13, 5, variant)[1] == pytest.approx(wanted.pvalue, rel=1e-10)


def test_mid_p_is_exact_less_half_of_what_was_seen():
    seen = stats.binom.pmf(3, 12, 0.5)
    exact = mcnemar_p(9, 3, "exact")[1]
    assert mcnemar_p(9, 3)[1] == pytest.approx(exact - seen, rel=1e-12)


@pytest.mark.parametrize("cells", [(0.7, 0.1, 0.1, 0.1), (0.9, 0.08, 0.01, 0.01)])
def test_the_interval_of_paired_shares_holds(cells):
    rng = np.random.default_rng(0)
    truth = cells[1] - cells[2]
    held = 0
    for counts in rng.multinomial(40, cells, 1500):
        low, high = share_interval(*map(int, counts))
        held += low <= truth <= high
    assert held / 1500 > 0.935
    # As Newcombe (1998) prints for his method 10.
    assert share_interval(36, 14, 0, 0) == pytest.approx((0.1528, 0.4167), abs=5e-5)
    # The plain normal interval would not do: without a difference it has no width.
    assert share_interval(40, 0, 0, 0)[1] > 0.05


def test_the_corrected_t_is_that_of_the_gallery(shared_golden):
    name = "corrected_resampled_t_sklearn_example.json"
    data = json.loads((shared_golden / name).read_text())
    gaps = np.array(data["diff"])
    found = sc.compare_pair(gaps, 0 * gaps, test_ratio=10 / 90, rope=0.01)
    assert found.test == "corrected-t"
    assert found.statistic == pytest.approx(data["t"], rel=1e-9)
    assert found.p_value == pytest.approx(2 * data["p_one_sided"], rel=1e-9)
    assert (found.effect.low, found.effect.high) == pytest.approx(
        data["ci95"], rel=1e-9
    )
    assert found.posterior.equal == pytest.approx(data["p_rope_0.01"], rel=1e-9)
    plain = sc.compare_pair(gaps, 0 * gaps, test="paired-t")
    assert plain.statistic == pytest.approx(data["t_unc"], rel=1e-9)
    at_all = correlated_t(gaps, 10 / 90, 0.0)
    assert at_all.first_higher == pytest.approx(data["p_better"], rel=1e-9)


def test_delong_is_that_of_r(shared_golden):
    data = json.loads((shared_golden / "proc_asah_delong.json").read_text())
    for other in ("ndka", "wfns"):
        wanted = data[f"delong_s100b_{other}"]
        found = sc.compare_pair(
            data["s100b"], data[other], y_true=data["y"], test="delong"
        )
        assert found.statistic == pytest.approx(wanted["Z"], rel=1e-9)
        assert found.p_value == pytest.approx(wanted["p"], rel=1e-9)


def test_five_by_two_is_mlxtends():
    from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    X, y = make_classification(n_samples=120, random_state=0)
    models = LogisticRegression(), DecisionTreeClassifier(max_depth=1, random_state=0)
    same = {"random_seed": 3, "scoring": "accuracy"}
    t, p_t = paired_ttest_5x2cv(*models, X, y, **same)
    f, p_f = combined_ftest_5x2cv(*models, X, y, **same)
    rng = np.random.RandomState(3)
    scores = np.empty((2, 5, 2))
    for i in range(5):
        half = train_test_split(
            X, y, test_size=0.5, random_state=rng.randint(low=0, high=32767)
        )
        for j, (a, b) in enumerate(((0, 1), (1, 0))):
            for m, model in enumerate(models):
                model.fit(half[a], half[2 + a])
                scores[m, i, j] = model.score(half[b], half[2 + b])
    found = sc.compare_pair(*scores, test="5x2cv-t")
    assert abs(found.statistic) == pytest.approx(abs(t), rel=1e-9)
    assert found.p_value == pytest.approx(p_t, rel=1e-9)
    found = sc.compare_pair(*scores)
    assert found.test == "5x2cv-f"
    assert (found.statistic, found.p_value) == pytest.approx((f, p_f), rel=1e-9)


def test_the_paired_t_is_scipys():
    found = sc.compare_pair(VALUES, OTHERS, test="paired-t")
    wanted = stats.ttest_rel(VALUES, OTHERS)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-9)
    ends = wanted.confidence_interval(0.95)
    assert (found.effect.low, found.effect.high) == pytest.approx(ends, rel=1e-9)


@pytest.mark.parametrize("test", ZEROS)
def test_signed_ranks_of_many_values_are_scipys(test):
    rng = np.random.default_rng(4)
    gaps = np.round(rng.normal(0.05, 1, 90), 1)
    found = sc.compare_pair(gaps, 0 * gaps, test=test)
    wanted = stats.wilcoxon(gaps, zero_method=ZEROS[test], method="asymptotic")
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-9)


def test_signed_ranks_of_few_values_are_scipys_exact():
    gaps = np.random.default_rng(5).normal(0.3, 1, 15)
    found = sc.compare_pair(gaps, 0 * gaps, test="wilcoxon")
    wanted = stats.wilcoxon(gaps, method="exact")
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-12)


@pytest.mark.parametrize("test", ZEROS)
def test_with_ties_and_zeros_all_signs_are_counted(test):
    for seed in range(8):
        gaps = np.random.default_rng(seed).integers(-3, 5, 9) / 2
        kept = gaps if test != "wilcoxon-drop" else gaps[gaps != 0]
        ranks = stats.rankdata(np.abs(kept))
        moving = ranks if test == "wilcoxon-zsplit" else ranks[kept != 0]
        smaller = min(ranks[kept > 0].sum(), ranks[kept < 0].sum())
        if test == "wilcoxon-zsplit":
            smaller += ranks[kept == 0].sum() / 2
        signs = product((0, 1), repeat=moving.size)
        sums = np.array([np.dot(moving, s) for s in signs])
        p = min(2 * np.mean(sums <= smaller + 1e-9), 1)
        found = sc.compare_pair(gaps, 0 * gaps, test=test)
        assert found.p_value == pytest.approx(p, rel=1e-12)


def test_the_sign_test_is_scipys():
    found = sc.compare_pair(VALUES, OTHERS, test="sign")
    above, below = (VALUES > OTHERS).sum(), (VALUES < OTHERS).sum()
    wanted = stats.binomtest(above, above + below)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7, 41, 300])
def test_walsh_averages_are_found_without_a_list(n):
    values = np.sort(np.round(np.random.default_rng(n).normal(size=n), 2))
    rows, columns = np.triu_indices(n)
    every = np.sort((values[rows] + values[columns]) / 2)
    places = np.unique(np.linspace(0, every.size - 1, 40).astype(int))
    for place in places:
        found = walsh_order_statistic(values, int(place))
        assert found == pytest.approx(every[place], abs=1e-12)
    assert pseudo_median(values, 0.95)[0] == pytest.approx(np.median(every), abs=1e-12)


def test_the_permutation_test_counts_all_exchanges():
    a, b = VALUES[:9], OTHERS[:9]
    gaps = np.round(a - b, 12)
    signs = np.array(list(product((-1, 1), repeat=9)))
    p = np.mean(np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-12)
    found = sc.compare_pair(a, b, test="permutation", random_state=0)
    assert found.p_value == pytest.approx(p, rel=1e-12)


def test_permutation_and_bootstrap_go_by_group():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 10)
    a = 0.1 + np.repeat(rng.normal(0, 0.2, 12), 10) + rng.normal(0, 0.01, 120)
    b = np.zeros(120)
    for test in ("permutation", "bootstrap"):
        alone = sc.compare_pair(a, b, test=test, random_state=0)
        whole = sc.compare_pair(a, b, test=test, groups=groups, random_state=0)
        assert whole.n_groups == 12
        # Ten copies of a case are not ten cases.
        assert whole.p_value > 10 * alone.p_value
        assert whole.effect.high - whole.effect.low > 2 * (
            alone.effect.high - alone.effect.low
        )


@pytest.mark.parametrize("n", [10, 20])
def test_the_bootstrap_test_keeps_its_level(n):
    rng = np.random.default_rng(n)
    repeats, ours, plain = 1200, 0, 0
    for _ in range(repeats):
        gaps = rng.normal(size=n)
        data = PairData(first=gaps, second=0 * gaps)
        how = TestSettings(confidence_level=0.95, n_resamples=299, rng=rng)
        found = PAIR_TESTS["bootstrap"].evaluate(data, how)
        ours += found.p_value <= 0.05
        assert (found.p_value <= 0.05) == (not found.low <= 0 <= found.high)
        # Without standard errors of the resamples the level is not kept.
        away = np.abs(rng.choice(gaps, (299, n)).mean(axis=1) - gaps.mean())
        plain += (1 + (away >= abs(gaps.mean())).sum()) / 300 <= 0.05
    assert ours / repeats < 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert ours / repeats > 0.02
    assert plain / repeats > 0.07


def test_the_bootstrap_of_a_metric_says_what_it_is_worth():
    y, a, b = classified(n=30)
    options = {"y_true": y, "test": "bootstrap", "n_resamples": 99, "random_state": 0}

    def share(truth, score):
        return float(np.mean((score > 0.5) == truth))

    found = sc.compare_pair(a, b, scoring=share, **options)
    assert not found.is_approximation_good


def test_any_metric_is_permuted():
    def area(truth, score):
        above = stats.rankdata(score)[truth == 1].sum()
        m = int(truth.sum())
        return (above - m * (m + 1) / 2) / (m * (truth.size - m))

    y, a, b = classified()
    found = sc.compare_pair(a, b, y, scoring=area, n_resamples=499, random_state=0)
    assert found.test == "permutation"
    gap = area(y, a) - area(y, b)
    assert found.effect.difference == pytest.approx(gap, rel=1e-12)
    delong = sc.compare_pair(a, b, y_true=y)
    assert delong.effect.difference == pytest.approx(gap, abs=1e-12)
    assert abs(found.p_value - delong.p_value) < 0.12


# At 0.01 itself means of two rounded differences lie on the edge: baycomp gives it
# by halves to either side.
@pytest.mark.parametrize("rope", [0.0, 0.0099, 0.0101])
def test_the_bayesian_signed_rank_is_baycomps(rope):
    import baycomp

    np.random.seed(0)  # noqa: NPY002 - baycomp takes no generator
    gaps = VALUES - OTHERS
    wanted = baycomp.SignedRankTest.probs(VALUES, OTHERS, rope=rope, nsamples=20000)
    found = signed_rank_posterior(
        gaps, rope, rng=np.random.default_rng(0), prior_strength=1.0
    )
    # baycomp speaks of the probability that the first is higher first.
    chances = (found.first_higher, found.equal, found.first_lower)
    if rope == 0:
        wanted = (wanted[0], 0.0, wanted[-1])
    assert chances == pytest.approx(wanted, abs=0.02)


def test_the_correlated_t_is_baycomps():
    import baycomp

    wanted = baycomp.two_on_single(VALUES, OTHERS, rope=0.01, runs=2)
    found = correlated_t(VALUES - OTHERS, 1 / 9, 0.01)
    chances = (found.first_higher, found.equal, found.first_lower)
    assert chances == pytest.approx(wanted, abs=1e-9)


def test_effect_sizes_follow_their_definitions():
    a, b = VALUES, OTHERS
    grid = np.sign(a[:, None] - b[None, :])
    assert cliffs_delta(a, b) == pytest.approx(grid.mean(), rel=1e-12)
    pooled = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    assert cohens_d(a, b) == pytest.approx((a.mean() - b.mean()) / pooled, rel=1e-12)


# Properties


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "paired-t", "permutation"])
def test_exchanging_the_models_turns_the_difference(test):
    one = sc.compare_pair(VALUES, OTHERS, test=test, random_state=0)
    two = sc.compare_pair(OTHERS, VALUES, test=test, random_state=0)
    assert one.p_value == pytest.approx(
        two.p_value, abs=0.02 if test == "permutation" else 1e-12
    )
    assert one.effect.difference == pytest.approx(-two.effect.difference, abs=1e-12)
    assert (one.effect.wins, one.effect.losses) == (two.effect.losses, two.effect.wins)
    assert one.effect.cliffs_delta == pytest.approx(-two.effect.cliffs_delta)


def test_interval_and_test_of_signed_ranks_agree():
    rng = np.random.default_rng(6)
    for n in (9, 30, 70):
        for _ in range(40):
            gaps = rng.normal(0.4, 1, n)
            found = sc.compare_pair(gaps, 0 * gaps, test="wilcoxon")
            outside = not found.effect.low <= 0 <= found.effect.high
            assert outside == (found.p_value <= 0.05)


def test_minimising_names_the_other_model():
    found = sc.compare_pair(VALUES + 0.1, VALUES, greater_is_better=False)
    assert found.better == "b"
    assert sc.compare_pair(VALUES + 0.1, VALUES).better == "a"
    assert found.effect.wins == 0


def test_the_answer_survives_json():
    found = sc.compare_pair(VALUES, OTHERS, rope=0.01, random_state=0)
    saved = json.loads(json.dumps(found.to_dict()))
    again = PairComparison.from_dict(saved)
    assert again.to_dict() == saved
    assert again.summary() == found.summary()
    assert len(found.to_columns()["p_value"]) == 1


def test_same_seed_same_answer():
    calls = [
        sc.compare_pair(VALUES, OTHERS, test="bootstrap", rope=0.01, random_state=3)
        for _ in range(2)
    ]
    assert calls[0].to_dict() == calls[1].to_dict()


# Edges


@pytest.mark.parametrize("test", [n for n, t in PAIR_TESTS.items() if t.evaluate])
def test_identical_models_have_no_difference_and_p_one(test):
    options = {"test": test, "random_state": 0, "n_resamples": 199}
    a = VALUES
    if test.startswith("5x2cv"):
        a = VALUES[:10].reshape(5, 2)
    elif test.startswith("mcnemar"):
        a = VALUES > 0.7
    elif test == "delong":
        options["y_true"] = np.arange(20) % 2
    elif test == "corrected-t":
        options["test_ratio"] = 0.1
    elif test == "clustered-t":
        options["groups"] = np.arange(20) // 4
    found = sc.compare_pair(a, a.copy(), **options)
    assert found.p_value == 1
    assert found.effect.difference == 0
    assert not found.is_significant
    assert found.better is None
    assert found.verdict is Verdict.SAME
    assert found.effect.ties == np.size(a)


def test_a_constant_difference_has_no_known_p_by_t():
    found = sc.compare_pair(VALUES + 0.1, VALUES, test="paired-t")
    assert np.isnan(found.p_value)
    assert found.effect.difference == pytest.approx(0.1)
    assert not found.is_spread_known
    assert not found.is_significant
    # Signs still tell.
    assert sc.compare_pair(VALUES + 0.1, VALUES).p_value < 1e-4


def test_rounding_is_no_difference():
    a = np.array([0.1 + 0.2] * 8)
    assert sc.compare_pair(a, np.full(8, 0.3)).p_value == 1


def test_two_perfect_models_by_delong():
    y = np.arange(10) % 2
    found = sc.compare_pair(y * 1.5, y + 0.1, y_true=y, test="delong")
    assert (found.p_value, found.effect.difference) == (1, 0)


def test_labels_of_text_are_compared():
    y = np.array(["cat", "dog"] * 20)
    a = np.where(np.arange(40) < 30, y, "cow")
    b = np.where(np.arange(40) < 10, y, "cow")
    found = sc.compare_pair(a, b, y_true=y)
    assert found.test == "mcnemar-mid-p"
    assert found.better == "a"
    assert found.effect.difference == pytest.approx(0.5)


# Errors


@pytest.mark.parametrize(
    ("test", "n", "needed"),
    [("wilcoxon", 5, 6), ("sign", 3, 6), ("permutation", 5, 6), ("bootstrap", 9, 10),
     ("paired-t", 1, 2)],
)  # fmt: skip
def test_too_few_are_refused_with_the_number_needed(test, n, needed):
    with pytest.raises(
        InsufficientDataError, match=f"at least {needed} for confidence 0.95"
    ):
        sc.compare_pair(VALUES[:n], OTHERS[:n], test=test)


@pytest.mark.parametrize(
    ("test", "needed"),
    [("mcnemar-mid-p", 5), ("mcnemar-exact", 6), ("mcnemar-plain", 4),
     ("mcnemar-corrected", 6)],
)  # fmt: skip
def test_too_few_cases_are_refused_with_the_number_needed(test, needed):
    right = np.ones(needed, dtype=bool)
    assert sc.compare_pair(right, ~right, test=test).better == "a"
    few = right[1:]
    with pytest.raises(InsufficientDataError, match=f"at least {needed} "):
        sc.compare_pair(few, ~few, test=test)


def test_both_ways_to_compare_two_models_need_as_many_cases():
    right = np.ones(5)
    assert sc.compare({"a": right, "b": 0 * right}).best == "a"
    with pytest.raises(InsufficientDataError, match="at least 5"):
        sc.compare({"a": right[1:], "b": 0 * right[1:]})


def test_more_is_needed_at_a_higher_level():
    with pytest.raises(InsufficientDataError, match="at least 8"):
        sc.compare_pair(VALUES[:7], OTHERS[:7], confidence_level=0.99)


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((VALUES, OTHERS[:5]), {}, InvalidInputError),
        ((VALUES, np.where(OTHERS > 0.7, np.nan, 1)), {}, InvalidInputError),
        ((VALUES, OTHERS), {"test": "wilcoxen"}, UsageError),
        ((VALUES, OTHERS), {"test": "corrected-t"}, UsageError),
        ((VALUES, OTHERS), {"test": "5x2cv-f"}, InsufficientDataError),
        ((VALUES, OTHERS), {"test": "delong"}, UsageError),
        ((VALUES, OTHERS), {"test": "mcnemar"}, InvalidInputError),
        ((VALUES, OTHERS), {"scoring": max}, UsageError),
        ((VALUES, OTHERS), {"rope": -1}, UsageError),
        ((VALUES, OTHERS), {"test_ratio": -1}, UsageError),
        ((VALUES, OTHERS), {"n_resamples": 5}, UsageError),
        ((VALUES, OTHERS), {"confidence_level": 95}, UsageError),
        ((VALUES, OTHERS), {"groups": [1, 2]}, InvalidInputError),
        ((VALUES, OTHERS), {"y_true": np.arange(20), "test": "delong"},
         InvalidInputError),
        ((VALUES, OTHERS), {"y_true": np.arange(20) < 1, "test": "delong"},
         InsufficientDataError),
        ((["a"] * 9, ["b"] * 9), {}, InvalidInputError),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(arguments, options, error):
    with pytest.raises(error) as caught:
        sc.compare_pair(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_the_edge_of_the_rope_does_not_hang_on_rounding():
    whole = np.random.default_rng(0).integers(-3, 6, 15).astype(float)
    wanted, found = (
        signed_rank_posterior(gaps, rope, rng=np.random.default_rng(1), n_draws=4000)
        for gaps, rope in ((whole, 1.0), (whole / 100, 0.01))
    )
    assert found == wanted
    # The edge itself is equal: a little narrower, and there is less that is.
    inner = signed_rank_posterior(
        whole, 0.99, rng=np.random.default_rng(1), n_draws=4000
    )
    assert inner.equal < wanted.equal - 0.1


def test_quades_pairs_keep_their_level_where_a_third_model_is_far_off():
    rng = np.random.default_rng(0)
    repeats, ours, others = 1500, 0, 0
    for _ in range(repeats):
        values = rng.normal(size=(6, 3))
        values[:, 2] += 3
        ours += normal_p(quade_z(values))[0, 1] <= 0.05
        # Conover's t: the spread that is left after the differences of models.
        scores = quade_scores(values, greater_is_better=True)
        sums = scores.sum(axis=0)
        left = (scores**2).sum() - (sums**2).sum() / 6
        t = abs(sums[0] - sums[1]) / np.sqrt(2 * 6 * left / (5 * 2))
        others += 2 * stats.t.sf(t, 10) <= 0.05
    assert ours / repeats <= 0.05
    assert others / repeats > 0.065


def test_twenty_rows_of_which_a_quarter_tie_are_single_samples():
    def gaps(n, n_ties):
        return np.where(np.arange(n) < n_ties, 0.0, 1.0)

    assert look_like_samples(gaps(20, 5))
    assert not look_like_samples(gaps(20, 4))
    assert not look_like_samples(gaps(19, 5))
    assert not look_like_samples(gaps(20, 20))  # the same model twice
    assert look_like_samples(gaps(200, 0))
    assert not look_like_samples(gaps(199, 0))
