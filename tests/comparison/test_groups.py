"""Cases that belong together: intervals of mean differences hold what they say."""

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.comparison import (
    PAIR_TESTS,
    Comparison,
    Estimand,
    NoteCode,
    PairData,
    TestSettings,
    results_table,
)
from scorecast.comparison.pairs import measured
from scorecast.comparison.resampling import (
    _clustered_mean,
    _clustered_metric,
    _Units,
)
from scorecast.evaluation import METRICS, bca
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError


def grouped(rng, n_groups, sizes=None):
    """Differences of cases in groups of unlike sizes that share an effect."""
    if sizes is None:
        sizes = rng.choice([1, 2, 3, 14], n_groups)
    unit = np.repeat(np.arange(n_groups), sizes)
    gaps = rng.normal(0, 0.3, n_groups)[unit] + rng.normal(0, 0.5, unit.size)
    return PairData(first=gaps, second=np.zeros(unit.size), groups=unit)


def held(n_groups, repeats, resamples):
    """How often nought, which is true, lies in our interval and in the plain BCa."""
    rng = np.random.default_rng(n_groups)
    ours = plain = 0
    for _ in range(repeats):
        cases = grouped(rng, n_groups)
        low, high, _ = _clustered_mean(_Units(cases), 0.95)
        ours += low <= 0 <= high
        strata = np.zeros(n_groups, dtype=np.int64)
        low, high = bca(
            _Units(cases).by_unit(),
            strata,
            level=0.95,
            rng=rng,
            n_resamples=resamples,
        )
        plain += low <= 0 <= high
    return ours / repeats, plain / repeats


def test_the_interval_by_groups_is_a_t_of_groups():
    rng = np.random.default_rng(3)
    cases = grouped(rng, 6, np.full(6, 9))
    given = {"groups": cases.unit, "random_state": 0}
    found = sc.compare_pair(cases.first, cases.second, test="permutation", **given)
    totals = np.bincount(cases.unit, weights=cases.gaps)
    sizes = np.bincount(cases.unit)
    mean = totals.sum() / sizes.sum()
    error = np.sqrt(6 / 5 * ((totals - mean * sizes) ** 2).sum()) / sizes.sum()
    half = 2.5705818366147 * error  # t, 5 degrees of freedom
    assert found.test == "permutation"
    assert found.df == pytest.approx((5.0,))
    assert (found.effect.low, found.effect.high) == pytest.approx(
        (mean - half, mean + half), rel=1e-7
    )
    usual = sc.compare_pair(cases.first, cases.second, **given)
    assert usual.test == "clustered-t"
    assert usual.effect.low == pytest.approx(found.effect.low)
    assert usual.p_value == pytest.approx(2 * stats.t.sf(abs(mean) / error, 5))


def test_the_interval_of_six_groups_holds_quick():
    ours, plain = held(6, 400, 200)
    assert ours >= 0.92
    assert plain < 0.91  # resampling six groups forgets that they are six


@pytest.mark.statistical
@pytest.mark.parametrize("n_groups", [6, 20])
def test_the_interval_of_groups_holds(n_groups):
    ours, plain = held(n_groups, 2000, 600)
    # Over 20,000 sets .956 and .940, of which 2,000 are off by .005.
    assert 0.925 <= ours <= 0.97
    assert plain < {6: 0.90, 20: 0.94}[n_groups]


def test_right_and_wrong_differ_by_one_at_most():
    first = np.array([1, 1, 1, 1, 1, 1, 1, 0.0])
    second = np.zeros(8)
    groups = np.repeat(np.arange(6), [1, 1, 1, 1, 2, 2])
    found = sc.compare_pair(first, second, groups=groups, random_state=0)
    assert found.effect.high == 1
    assert found.effect.low < found.effect.difference


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
    assert found.rows == "samples"
    assert found.test == "paired-t"
    effect = found.pairs[0].effect
    assert effect.difference == pytest.approx(gaps.mean())
    assert effect.high - effect.low == pytest.approx(2 * 1.9801 * error, rel=1e-4)
    pair = sc.compare_pair(first, second, random_state=0)
    assert pair.estimand is Estimand.MEAN
    assert pair.effect.difference == pytest.approx(gaps.mean())


def test_rows_called_cases_may_hold_any_numbers():
    rng = np.random.default_rng(2)
    hard = rng.gamma(1.0, size=30)
    table = {"a": hard, "b": hard + rng.gamma(1.0, size=30), "c": hard + 0.01}
    found = sc.compare(table, rows="samples", greater_is_better=False, rope=0.1,
                       random_state=0)  # fmt: skip
    assert found.order == ("a", "c", "b")
    assert found.best == "a"
    for pair in found.pairs:
        gap = table[pair.a].mean() - table[pair.b].mean()
        assert pair.effect.difference == pytest.approx(gap)
    assert found.is_of_means
    assert "Mean ranks" not in sc.render(found, "html")
    sets = sc.compare(table, rows="datasets", greater_is_better=False)
    assert "Mean ranks" in sc.render(sets, "html")


def test_the_first_by_mean_need_not_be_the_first_by_rank():
    rng = np.random.default_rng(4)
    usual = rng.normal(size=60)
    often = usual + 0.01  # nearly always a little better, and sometimes much worse
    often[:6] -= 5
    found = sc.compare({"often": often, "usual": usual}, rows="samples")
    assert found.ranks["often"] < found.ranks["usual"]
    assert found.best == "usual"
    as_sets = sc.compare({"often": often, "usual": usual}, rows="datasets")
    assert as_sets.best == "often"


def test_few_data_sets_stay_data_sets():
    rng = np.random.default_rng(1)
    values = rng.uniform(size=(30, 2))
    assert sc.compare(values).rows == "datasets"
    values[:3, 1] = values[:3, 0]
    assert sc.compare(values).rows == "datasets"


def test_rows_of_one_name_are_averaged():
    rng = np.random.default_rng(5)
    item = rng.random(40) < 0.6
    names = np.tile([f"item{i}" for i in range(40)], 4)
    a = (np.tile(item, 4) ^ (rng.random(160) < 0.1)).astype(int)
    b = (np.tile(item ^ (rng.random(40) < 0.3), 4) ^ (rng.random(160) < 0.1)).astype(
        int
    )
    table = {"item": list(names), "a": a, "b": b}
    with pytest.raises(InvalidInputError, match="'item': repeats 40 names"):
        sc.compare(table)  # they may as well be groups
    found = sc.compare(results_table(table, row_names="item"))
    means = (a - b).reshape(4, 40).mean(axis=0)
    assert found.n_rows == 40
    assert found.pairs[0].p_value == pytest.approx(stats.ttest_1samp(means, 0).pvalue)
    (note,) = found.notes
    assert note.code == NoteCode.REPEATED_NAMES_AVERAGED
    assert (note.count, note.total, note.value) == (40, 160, 4)
    alone = sc.compare({"a": a, "b": b})
    assert alone.pairs[0].p_value < found.pairs[0].p_value / 2


# Metrics of cases in groups


def scored(rng, n_groups, metric="roc_auc"):
    """Scores of cases in groups that share an effect; sizes are unlike."""
    unit = np.repeat(np.arange(n_groups), rng.integers(2, 20, n_groups))
    truth = (rng.random(unit.size) < 0.5).astype(float)
    shared = rng.normal(0, 0.7, (2, n_groups))[:, unit]
    said = truth + shared + rng.normal(size=(2, unit.size))
    data = PairData(first=said[0], second=said[1], truth=truth, groups=unit)
    return measured(data, METRICS[metric])


def metric_held(n_groups, repeats, resamples, metric="roc_auc"):
    """How often nought, which is true, lies in our interval and in the plain BCa."""
    rng = np.random.default_rng(n_groups)
    ours = plain = 0
    for _ in range(repeats):
        cases = scored(rng, n_groups, metric)
        low, high, _ = _clustered_metric(_Units(cases), 0.95)
        ours += low <= 0 <= high
        strata = np.zeros(n_groups, dtype=np.int64)
        low, high = bca(
            _Units(cases).by_unit(),
            strata,
            level=0.95,
            rng=rng,
            n_resamples=resamples,
        )
        plain += low <= 0 <= high
    return ours / repeats, plain / repeats


def test_a_metric_that_is_a_mean_has_the_interval_of_a_mean():
    rng = np.random.default_rng(0)
    cases = grouped(rng, 8)

    def mean(truth, said):
        return float(said.mean())

    same = PairData(
        first=cases.first,
        second=cases.second,
        groups=cases.groups,
        truth=cases.first,
        metric=mean,
    )
    expected = _clustered_mean(_Units(cases), 0.9)
    assert _clustered_metric(_Units(same), 0.9) == pytest.approx(expected)


def test_the_interval_of_an_area_by_groups_holds_quick():
    ours, plain = metric_held(6, 150, 100)
    assert ours >= 0.92
    assert plain < 0.90


@pytest.mark.statistical
@pytest.mark.parametrize("metric", ["roc_auc", "root_mean_squared_error"])
@pytest.mark.parametrize("n_groups", [6, 20])
def test_the_interval_of_a_metric_by_groups_holds(n_groups, metric):
    ours, plain = metric_held(n_groups, 600, 400, metric)
    assert 0.925 <= ours <= 0.985
    assert plain < {6: 0.90, 20: 0.94}[n_groups]


def test_compare_pair_gives_metrics_by_groups_that_interval():
    cases = scored(np.random.default_rng(1), 9)
    for test in ("permutation", "bootstrap"):
        groups = cases.unit
        if test == "bootstrap":  # which asks for ten
            groups = np.where(cases.unit == 8, np.arange(cases.unit.size) + 8, groups)
        found = sc.compare_pair(
            cases.first, cases.second, cases.truth, groups=groups, scoring="roc_auc",
            test=test, random_state=0,
        )  # fmt: skip
        assert found.effect.low < found.effect.difference < found.effect.high
        # p and interval are made the same way, and no longer contradict each other.
        assert found.is_approximation_good
        if test == "permutation":
            low, high, df = _clustered_metric(_Units(cases), 0.95)
            assert (found.effect.low, found.effect.high) == pytest.approx((low, high))
            assert found.df == pytest.approx((df,))


def test_an_area_that_hangs_on_one_group_has_no_interval():
    unit = np.repeat(np.arange(6), 4)
    truth = (unit == 0).astype(float)
    scores = np.random.default_rng(0).normal(size=(2, 24))
    found = sc.compare_pair(
        *scores, y_true=truth, groups=unit, scoring="roc_auc", random_state=0
    )
    assert np.isnan(found.effect.low)


# Many models


def right_or_wrong(seed=0, n_groups=12, size=10):
    rng = np.random.default_rng(seed)
    group = np.repeat([f"p{i}" for i in range(n_groups)], size)
    easy = np.repeat(rng.uniform(0.3, 0.9, n_groups), size)
    models = {
        name: (rng.random(easy.size) < easy + gain).astype(int)
        for name, gain in (("a", 0.0), ("b", 0.05), ("c", -0.25))
    }
    return group, models


def test_many_models_by_groups():
    group, models = right_or_wrong()
    found = sc.compare({"patient": list(group), **models}, groups="patient")
    assert found.test == "clustered-t"
    assert found.post_hoc == "holm"
    assert found.n_groups == 12
    assert found.omnibus == ()
    for pair in found.pairs:
        one = sc.compare_pair(
            models[pair.a], models[pair.b], groups=group, test="clustered-t"
        )
        assert (pair.p_value, pair.effect.low, pair.effect.high) == pytest.approx(
            (one.p_value, one.effect.low, one.effect.high)
        )
    worst = max(found.pairs, key=lambda x: x.p_value)
    assert worst.p_adjusted == pytest.approx(worst.p_value)
    again = Comparison.from_dict(found.to_dict())
    assert again.to_dict() == found.to_dict()
    arrays = sc.compare(np.column_stack(list(models.values())), groups=group)
    assert [x.p_value for x in arrays.pairs] == pytest.approx(
        [x.p_value for x in found.pairs]
    )


def test_long_tables_by_groups():
    group, models = right_or_wrong(1)
    wide = sc.compare({"patient": list(group), **models}, groups="patient")
    items = np.tile(np.arange(10), 12)  # numbered within each patient
    rows = {
        "item": np.tile(items, 3),
        "patient": np.tile(group, 3),
        "model": np.repeat(list(models), 120),
        "right": np.concatenate(list(models.values())),
    }
    long = ("item", "model", "right")
    found = sc.compare(results_table(rows, long=long, groups="patient"))
    assert [x.p_value for x in found.pairs] == pytest.approx(
        [x.p_value for x in wide.pairs]
    )
    assert [note.code for note in found.notes] == [NoteCode.SHARED_ROW_NAMES]
    rows["item"] = np.tile(np.arange(120), 3)
    plain = sc.compare(results_table(rows, long=long, groups="patient"))
    assert plain.notes == ()
    assert [x.p_value for x in plain.pairs] == pytest.approx(
        [x.p_value for x in wide.pairs]
    )


def test_rows_left_out_take_their_groups_with_them():
    group, models = right_or_wrong(2)
    table = {"patient": list(group), **{k: v * 1.0 for k, v in models.items()}}
    table["a"][:10] = np.nan
    found = sc.compare(table, groups="patient")
    assert found.n_rows == 110
    assert found.n_groups == 11


def false_claims(test, repeats, seed=0):
    """How often any of three models that are alike is called better than another."""
    rng = np.random.default_rng(seed)
    wrong = 0
    for _ in range(repeats):
        group = np.repeat(np.arange(8), rng.integers(2, 15, 8))
        values = rng.normal(size=(3, 8))[:, group] + rng.normal(size=(3, group.size))
        groups = group if test == "clustered-t" else None
        found = sc.compare(values.T, groups=groups, rows="samples")
        wrong += any(pair.p_adjusted <= 0.05 for pair in found.pairs)
    return wrong / repeats


def test_the_chance_of_any_false_claim_is_held_by_groups_and_not_without():
    assert false_claims("clustered-t", 300) <= 0.08
    assert false_claims("paired-t", 100) > 0.3


def test_many_models_are_measured_sample_by_sample():
    group, models = right_or_wrong(3)
    truth = np.random.default_rng(0).integers(0, 2, group.size)
    said = {k: np.where(v == 1, truth, 1 - truth) for k, v in models.items()}
    table = {"patient": list(group), "gold": list(truth), **said}
    given = results_table(table, y_true="gold", groups="patient")
    wanted = sc.compare(models, groups=group)
    assert [x.p_value for x in sc.compare(given).pairs] == pytest.approx(
        [x.p_value for x in wanted.pairs]
    )
    chances = {k: np.clip(v * 0.8 + 0.1, 0, 1) for k, v in said.items()}
    losses = results_table(chances, y_true=truth, scoring="brier", groups=group)
    assert (losses.metric, losses.greater_is_better) == ("brier_score", False)
    expected = (chances["a"] - truth) ** 2
    np.testing.assert_allclose(losses.values[:, 0], expected, rtol=1e-12)
    with pytest.raises(UsageError) as caught:
        sc.compare(losses, greater_is_better=True)
    assert caught.value.parameter == "greater_is_better"
    with pytest.raises(UsageError) as caught:
        results_table(chances, y_true=truth, scoring="roc_auc")
    assert caught.value.parameter == "scoring"
    with pytest.raises(UsageError) as caught:
        results_table(chances, y_true=truth)
    assert caught.value.parameter == "scoring"


@pytest.mark.parametrize(
    ("groups", "options", "error"),
    [
        ("ward", {}, InvalidInputError),
        (None, {"test": "clustered-t"}, UsageError),
        ("patient", {"test": "mcnemar-mid-p"}, UsageError),
        ("patient", {"test": "wilcoxon"}, UsageError),
        ("patient", {"rows": "datasets"}, UsageError),
        (["p"] * 120, {}, InsufficientDataError),
        (["p"] * 7, {}, InvalidInputError),
        (["p", "q", None] + ["p"] * 117, {}, InvalidInputError),
    ],
)
def test_groups_that_cannot_be_used_are_refused(groups, options, error):
    group, models = right_or_wrong()
    table = {"patient": list(group), **models} if groups == "patient" else models
    with pytest.raises(error) as caught:
        sc.compare(table, groups=groups, **options)
    assert caught.value.parameter == "groups"


def test_the_clustered_test_is_what_compare_does():
    cases = grouped(np.random.default_rng(0), 7)
    how = TestSettings(confidence_level=0.9, rng=np.random.default_rng(0))
    found = PAIR_TESTS["clustered-t"].evaluate(cases, how)
    low, high, df = _clustered_mean(_Units(cases), 0.9)
    assert (found.low, found.high, found.df) == (low, high, (df,))
