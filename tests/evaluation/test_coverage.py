"""Intervals as promises: how often each holds the truth, next to one that does not."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import binom
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from scorecast import evaluation
from scorecast.evaluation import (
    METRICS,
    Choice,
    ClassRecall,
    check_data,
    collect_estimates,
    cost_metric,
    draw_splits,
)
from scorecast.evaluation.assessment import across_classes
from scorecast.evaluation.data import group_totals, n_independent
from scorecast.evaluation.intervals import (
    jackknife_interval,
    recommended,
    score_intervals,
)
from scorecast.evaluation.intervals.recommend import _bootstrap_units

RNG = np.random.default_rng
SHARES = np.linspace(0.01, 0.99, 99)


def exact_coverage(interval, n, share):
    """Sum the chances of all counts whose interval holds the share."""
    ends = np.array([interval(count, n) for count in range(n + 1)])
    holds = (ends[:, 0] <= share) & (share <= ends[:, 1])
    return float(binom.pmf(np.arange(n + 1), n, share)[holds].sum())


def right_or_wrong(count, n):
    return (np.arange(n) < count).astype(float)


GUARANTEED = {
    "exact": lambda k, n: evaluation.clopper_pearson(k, n, 0.9),
    "hoeffding": lambda k, n: evaluation.hoeffding(k / n, n, 0.9, 1.0),
    "empirical-bernstein": lambda k, n: evaluation.empirical_bernstein(
        right_or_wrong(k, n), 0.9, 1.0
    ),
}


@pytest.mark.parametrize("name", GUARANTEED)
@pytest.mark.parametrize("n", [12, 62])
def test_guaranteed_intervals_never_hold_less_often_than_they_say(name, n):
    worst = min(exact_coverage(GUARANTEED[name], n, share) for share in SHARES)
    assert worst >= 0.9 - 1e-12


def wald(count, n):
    half = 1.645 * math.sqrt(count / n * (1 - count / n) / n)
    return count / n - half, count / n + half


def test_wilson_holds_on_average_and_the_textbook_interval_does_not():
    middle = [share for share in SHARES if 0.05 <= share <= 0.95]

    def wilson(count, n):
        return evaluation.wilson(count, n, 0.9)

    for n in (12, 62):
        ours = np.mean([exact_coverage(wilson, n, share) for share in middle])
        theirs = np.mean([exact_coverage(wald, n, share) for share in middle])
        assert ours == pytest.approx(0.9, abs=0.012)
        assert theirs < 0.885
    assert min(exact_coverage(wald, 62, share) for share in SHARES) < 0.5


def test_hoeffding_needs_the_whole_range_of_the_values():
    """Values from -1 to 1, taken to be one apart: half the width does not do."""

    def of_span(span):
        def interval(count, n):
            low, high = evaluation.hoeffding(2 * count / n - 1, n, 0.9, span)
            return (low + 1) / 2, (high + 1) / 2

        return interval

    right, wrong = (
        min(exact_coverage(of_span(span), 62, share) for share in SHARES)
        for span in (2.0, 1.0)
    )
    assert right >= 0.9
    assert wrong < 0.85


def test_percentiles_of_folds_hold_the_next_fold_not_the_mean():
    rng, k, runs = RNG(0), 60, 3000
    values, later = rng.gamma(2.0, size=(runs, k)), rng.gamma(2.0, size=runs)
    ends = np.array([evaluation.percentile(row, 0.9) for row in values])
    held = np.mean((ends[:, 0] <= later) & (later <= ends[:, 1]))
    # Between such order statistics lies (k - 1) / (k + 1) of the level.
    expected = 0.9 * (k - 1) / (k + 1)
    assert held == pytest.approx(expected, abs=4 * math.sqrt(0.1 * 0.9 / runs))
    wrong = np.array([evaluation.student(row, 0.9) for row in values])
    assert np.mean((wrong[:, 0] <= later) & (later <= wrong[:, 1])) < 0.3


@pytest.mark.statistical
def test_bca_holds_by_group_and_not_by_sample():
    """Five samples per patient that answer alike: patients are what is drawn."""
    runs, n_groups, size = 250, 30, 5
    groups = np.repeat(np.arange(n_groups), size)
    by_group, by_sample = 0, 0
    for seed in range(runs):
        rng = RNG(seed)
        chance = rng.beta(1.2, 0.6, n_groups)
        right = (rng.random(n_groups * size) < chance[groups]).astype(float)
        totals = np.bincount(groups, weights=right)

        def of_groups(units, totals=totals):
            return float(totals[units].sum() / (units.size * size))

        def of_samples(units, right=right):
            return float(right[units].mean())

        truth = 1.2 / 1.8
        for statistic, units in ((of_groups, n_groups), (of_samples, right.size)):
            strata = np.zeros(units, dtype=int)
            low, high = evaluation.bca(
                statistic, strata, level=0.9, rng=rng, n_resamples=400
            )
            if units == n_groups:
                by_group += low <= truth <= high
            else:
                by_sample += low <= truth <= high
    error = math.sqrt(0.1 * 0.9 / runs)
    assert by_group / runs > 0.9 - 0.02 - 2 * error
    assert by_sample / runs < 0.9 - 4 * error


@pytest.mark.statistical
def test_bca_corrects_for_skew_as_far_as_it_says():
    """Upper ends of a skewed mean miss less often than plain percentiles do."""
    runs, n = 400, 30
    missed = {"bca": 0, "percentile": 0}
    for seed in range(runs):
        values = RNG(seed).exponential(size=n)

        def mean(units, values=values):
            return float(values[units].mean())

        strata = np.zeros(n, dtype=int)
        _, high = evaluation.bca(
            mean, strata, level=0.9, rng=RNG(seed), n_resamples=500
        )
        drawn = [
            values[u].mean() for u in evaluation.resampled_units(strata, 500, RNG(seed))
        ]
        missed["bca"] += high < 1
        missed["percentile"] += np.quantile(drawn, 0.95) < 1
    # Five in a hundred are allowed; thirty samples leave both above, one further.
    assert missed["bca"] / runs < 0.05 + 0.03 + 2 * math.sqrt(0.05 * 0.95 / runs)
    assert missed["bca"] < missed["percentile"]


def centroid_accuracy(X, y, train, test):
    means = np.stack([X[train][y[train] == k].mean(axis=0) for k in (0, 1)])
    gaps = ((X[test][:, None] - means) ** 2).sum(axis=2)
    return float(np.mean(gaps.argmin(axis=1) == y[test]))


@pytest.mark.statistical
def test_nadeau_bengio_holds_over_random_splits_and_plain_t_does_not():
    n, n_splits, runs = 60, 25, 300
    y = np.arange(n) % 2

    def drawn(rng):
        X = rng.normal(size=(n, 15))
        X[:, :3] += 0.7 * y[:, None]
        return X

    splits = []
    for seed in range(n_splits):
        order = RNG(seed).permutation(n)
        splits.append((order[12:], order[:12]))
    values = np.array(
        [
            [centroid_accuracy(X, y, *split) for split in splits]
            for X in (drawn(RNG(1000 + seed)) for seed in range(runs))
        ]
    )
    # The truth: what such fits get on average, over all data sets.
    truth = values.mean()
    held = {"nadeau-bengio": 0, "t": 0}
    for row in values:
        for name, ratio in (("nadeau-bengio", 12 / 48), ("t", 0.0)):
            low, high = evaluation.nadeau_bengio(row, 0.95, ratio)
            held[name] += low <= truth <= high
    assert held["nadeau-bengio"] / runs > 0.95 - 0.02 - 2 * math.sqrt(0.0475 / runs)
    assert held["t"] / runs < 0.8


@pytest.mark.statistical
def test_the_bound_across_classes_holds_and_that_of_the_whole_does_not():
    rng, runs = RNG(0), 3000
    counts, shares = np.array([60, 12, 8]), np.array([0.95, 0.6, 0.4])
    truth = shares.mean()
    right = rng.binomial(counts, shares, size=(runs, 3))
    held, wrong = 0, 0
    for row in right:
        recalls = {
            str(i): ClassRecall(
                n_samples=int(n), n_units=int(n), n_effective=float(n), estimate=k / n
            )
            for i, (k, n) in enumerate(zip(row, counts, strict=True))
        }
        bound = across_classes(recalls, 0.95)
        held += bound.low <= truth <= bound.high
        low, high = evaluation.wilson(row.sum(), counts.sum(), 0.95)
        wrong += low <= truth <= high
    assert held / runs >= 0.95
    assert wrong / runs < 0.2


@pytest.mark.statistical
def test_intervals_for_groups_hold_and_those_for_samples_do_not():
    """Patients of different sizes whose samples are all right or all wrong."""
    runs, sizes, share = 2000, np.tile([2, 4, 9], 10), 0.8
    groups = np.repeat(np.arange(sizes.size), sizes)
    n = n_independent(groups, groups.size)
    held = dict.fromkeys(("wilson", "hoeffding", "bernstein", "samples"), 0)
    for right in RNG(0).random((runs, sizes.size)) < share:
        values = right[groups].astype(float)
        mean = values.mean()
        rows, span = group_totals(values, groups, 0.0, 1.0)
        assert rows.mean() == pytest.approx(mean)
        for name, (low, high) in {
            "wilson": evaluation.wilson(mean * n, n, 0.9),
            "hoeffding": evaluation.hoeffding(mean, n, 0.9, 1.0),
            "bernstein": evaluation.empirical_bernstein(rows, 0.9, span),
            "samples": evaluation.wilson(values.sum(), values.size, 0.9),
        }.items():
            held[name] += low <= share <= high
    error = 3 * math.sqrt(0.1 * 0.9 / runs)
    for name in ("wilson", "hoeffding", "bernstein"):
        assert held[name] / runs > 0.9 - error
    assert held["samples"] / runs < 0.75


def collected(model, X, y, cv, seed=0, groups=None):
    data = check_data(X, y, groups=groups)
    plan = draw_splits(cv, data, RNG(seed))
    return collect_estimates(model, data, plan, rng=RNG(seed))


def quoted(model, X, y, cv=10, seed=0, metric=METRICS["accuracy"]):
    found = collected(model, X, y, cv, seed)
    every = score_intervals(
        found, found.measure(metric), level=0.95, rng=RNG(seed), n_resamples=0
    )
    by_folds = (x for x in every if x.method == "nadeau-bengio")
    return recommended(every), next(by_folds, None)


@pytest.mark.parametrize("cv", [10, "10x3"])
def test_one_more_sample_does_not_make_the_majority_certain(cv):
    """Folds by class of 100 samples agree; those of 101 differ by next to nothing."""
    found = []
    for n in (70, 71):
        y = np.repeat([1, 0], [n, 30])
        X = RNG(0).normal(size=(y.size, 2))
        found.append(quoted(DummyClassifier(), X, y, cv)[0])
    assert found[1].width == pytest.approx(found[0].width, abs=0.01)
    assert found[1].low == pytest.approx(0.608, abs=0.001)  # Wilson, 71 of 101
    assert found[1].method == "wilson"
    assert found[1].choice is Choice.WIDER_THAN_FOLDS


def test_classes_kept_in_size_and_pooled_tests_are_said_to_be():
    y = np.arange(40) % 2
    found = collected(GaussianNB(), RNG(0).normal(size=(40, 2)), y, 4)
    for name, is_pooled in (("accuracy", False), ("matthews_corrcoef", True)):
        sample = found.measure(METRICS[name])
        every = score_intervals(found, sample, level=0.9, rng=RNG(0), n_resamples=50)
        bca = next(x for x in every if x.method == "bca")
        assert (bca.is_stratified, bca.is_pooled) == (True, is_pooled)


def test_an_interval_of_pairs_is_that_of_their_mean():
    """Leave-pair-out: scores of different models are never put in one order."""
    y = np.arange(16) % 2
    X = RNG(3).normal(size=(16, 3)) + y[:, None]
    found = collected(GaussianNB(), X, y, "lpo")
    sample = found.measure(METRICS["roc_auc"])
    statistic, strata = _bootstrap_units(found, sample)
    assert statistic(np.arange(16)) == pytest.approx(sample.estimate)
    assert sample.metric.measure(found.pooled()) != pytest.approx(sample.estimate)
    # A sample drawn twice doubles its pairs.
    own = np.array([0 in one.test for one in found.results])
    by_hand = np.average(sample.folds, weights=1 + own)
    assert statistic(np.r_[np.arange(16), 0]) == pytest.approx(by_hand)
    every = score_intervals(found, sample, level=0.9, rng=RNG(0), n_resamples=200)
    assert recommended(every).method == "delong-pairs"
    assert not next(x for x in every if x.method == "bca").is_pooled
    assert strata.tolist() == y.tolist()


@pytest.mark.statistical
def test_the_quoted_interval_holds_where_class_shares_are_drawn_too():
    """A model that leans to the larger class: folds by class hide what varies."""
    runs, held, wrong = 150, 0, 0
    for seed in range(runs):
        rng = RNG(seed)
        y = (rng.random(62) < 0.7).astype(int)
        best, by_folds = quoted(SVC(), rng.normal(size=(62, 50)), y, seed=seed)
        held += best.low <= 0.7 <= best.high
        wrong += by_folds.low <= 0.7 <= by_folds.high
    assert held >= 136  # of 142.5 expected: fewer has a chance of 1 %
    assert wrong < 110


COST = cost_metric([[0, 5], [1, 0]])
# By how often the larger class is met, 0.7: of a model that always names it, and
# states the share that it learned from some 56 samples.
LEANING = {
    "brier_score": 0.7 * 0.3 * (1 + 1 / 62),
    "f1": 1.4 / 1.7,
    "posterior_error": 0.3,
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", [*LEANING, "cost"])
def test_other_metrics_hold_where_class_shares_are_drawn_too(name):
    metric, truth = COST, 0.3
    if name != "cost":
        metric, truth = METRICS[name], LEANING[name]
    runs, held, wrong = 150, 0, 0
    for seed in range(runs):
        rng = RNG(seed)
        y = (rng.random(62) < 0.7).astype(int)
        X = rng.normal(size=(62, 1))
        best, by_folds = quoted(DummyClassifier(), X, y, seed=seed, metric=metric)
        held += best.low <= truth <= best.high
        wrong += by_folds.low <= truth <= by_folds.high
    assert held >= 136  # of 142.5 expected: fewer has a chance of 1 %
    assert wrong < 120


@pytest.mark.parametrize("cv", [10, "10x3"])
def test_nothing_narrower_than_the_spread_of_samples_is_quoted(cv):
    y = np.repeat([1, 0], [71, 30])
    X = RNG(0).normal(size=(101, 2))
    best, by_folds = quoted(DummyClassifier(), X, y, cv, metric=COST)
    assert (best.method, best.choice) == ("jackknife", Choice.WIDER_THAN_FOLDS)
    assert by_folds.width < best.width / 2
    # Each sample of the smaller class costs 1, however often it is tested.
    half = stdtrit(100, 0.975) * math.sqrt(71 * 30 / 101 / 100 / 101)
    assert best.width == pytest.approx(2 * half)
    assert best.low + best.high == pytest.approx(60 / 101)


def test_of_groups_each_group_adds_to_the_value():
    y = np.tile([1, 1, 0, 1, 0], 12)
    groups = np.repeat(np.arange(12), 5)
    X = RNG(0).normal(size=(60, 2))
    found = collected(DummyClassifier(), X, y, "group4", groups=groups)
    # All groups are alike, so that nothing is said of how they differ.
    assert jackknife_interval(found, found.measure(COST), 0.95) is None


@pytest.mark.parametrize("name", ["f1", "matthews_corrcoef", "balanced_accuracy"])
def test_the_spread_of_counts_is_the_jackknife(name):
    y = np.arange(45) % 3 // 2 + np.arange(45) % 2
    found = collected(GaussianNB(), RNG(2).normal(size=(45, 2)) + y[:, None], y, 5)
    metric, pooled = METRICS[name], found.pooled()
    sample = found.measure(metric)
    low, high = jackknife_interval(found, sample, 0.9)
    assert (low + high) / 2 == pytest.approx(sample.estimate)
    rows = np.arange(45)
    left = [metric.measure(pooled.take(rows != i)) for i in rows]
    jackknife = math.sqrt(44 / 45 * np.sum((np.array(left) - np.mean(left)) ** 2))
    assert (high - low) / 2 == pytest.approx(stdtrit(44, 0.95) * jackknife)
