"""The interval that is quoted where folds say too little, or agree too well."""

import numpy as np
import pytest
from scipy.special import stdtrit
from tests.assessing import assess_bare, only

from scorecast.evaluation import (
    SCORE_INTERVALS,
    Assessment,
    AssessmentNote,
    Choice,
    NoInterval,
    RestsOn,
    check_data,
    clopper_pearson,
    cost_metric,
    draw_splits,
    wilson,
)

RNG = np.random.default_rng
CONSTANT = "sklearn.dummy:DummyClassifier(strategy='constant', constant=1)"


def classes(counts, seed=0, m=12, gap=0.5):
    y = np.repeat(np.arange(len(counts)), counts)
    X = RNG(seed).normal(size=(y.size, m))
    X[:, 0] += gap * y
    return X, y


def lacking(counts):
    """Return a metric of fifty bootstrap samples, of which few lack a tested class."""
    for seed in range(40):
        call = {"cv": "boot50", "scoring": "balanced_accuracy", "random_state": seed}
        main = only(assess_bare("naive-bayes", *classes(counts, seed), **call)).main
        if 45 <= np.isfinite(main.folds).sum() < 50:
            return main
    pytest.fail("no such data")
    return None


def test_a_split_without_a_class_does_not_turn_the_choice():
    main = lacking((20, 15, 7))
    best = main.recommended
    assert (best.method, best.choice) == ("nadeau-bengio", Choice.OVERLAP)
    assert main.estimate == pytest.approx(np.nanmean(main.folds))
    by = {x.method: x for x in main.intervals}
    assert by["nadeau-bengio"].width > by["jackknife"].width
    assert best.n_values == np.isfinite(main.folds).sum()
    assert not main.is_pooled


def test_a_sensitivity_of_all_is_bounded_by_the_class_it_is_about():
    X, y = classes((5, 45), gap=0.0)
    found = assess_bare(CONSTANT, X, y, cv=5, scoring=["sensitivity", "specificity"])
    for x, n in zip(only(found).metrics.values(), (45, 5), strict=True):
        assert (x.low, x.high) == pytest.approx(wilson(x.estimate * n, n, 0.95))


def test_costs_that_all_folds_share_vary_as_those_of_samples_do():
    X, y = classes((5, 45), gap=0.0)
    cost = cost_metric([[0, 10], [1, 0]])
    main = only(assess_bare(CONSTANT, X, y, cv=5, scoring=cost)).main
    assert main.estimate == pytest.approx(0.1)
    # A tenth of the samples cost 1: 0.1 and 2 standard errors of 50 samples.
    error = np.sqrt(0.1 * 0.9 / 49)
    assert main.high == pytest.approx(0.1 + 2.01 * error, abs=0.002)


def test_no_interval_of_the_area_of_single_samples_is_promised():
    X, y = classes((12, 12))
    call = {"scoring": "auc", "n_resamples": 100}
    loo = assess_bare("naive-bayes", X, y, cv="loo", **call)
    main = only(loo).main
    assert main.recommended is None
    assert main.no_interval is NoInterval.RANKS_ACROSS_MODELS
    assert np.isnan([main.low, main.high]).all()
    codes = [note.code for note in loo.notes]
    assert AssessmentNote.RANKS_ACROSS_MODELS in codes
    assert "no interval to promise" in loo.summary()
    again = only(Assessment.from_dict(loo.to_dict())).main
    assert again.no_interval is main.no_interval
    folds = assess_bare("naive-bayes", X, y, cv=4, **call)
    assert only(folds).main.no_interval is None


def test_an_interval_of_pairs_knows_that_samples_teach():
    X, y = classes((6, 9))
    main = only(assess_bare("naive-bayes", X, y, cv="lpo", scoring="auc")).main
    best = main.recommended
    assert (best.method, best.choice) == ("delong-pairs", Choice.TESTS_AND_TEACHES)
    table = np.empty((6, 9))
    plan = draw_splits("lpo", check_data(X, y), RNG(0))
    for split, value in zip(plan.splits, main.folds, strict=True):
        table[split.test.min(), split.test.max() - 6] = value
    error = table.mean(1).var(ddof=1) / 6 + table.mean(0).var(ddof=1) / 9
    half = stdtrit(5, 0.975) * np.sqrt(2 * error)
    assert main.low == pytest.approx(max(main.estimate - half, 0))
    assert main.high == pytest.approx(min(main.estimate + half, 1))


@pytest.mark.statistical
def test_the_interval_of_pairs_holds_on_noise_and_that_of_tests_alone_does_not():
    runs, held = 150, {"delong-pairs": 0, "bca": 0}
    for seed in range(runs):
        call = {"cv": "lpo", "scoring": "auc", "random_state": seed}
        X, y = classes((10, 10), seed, m=5, gap=0.0)
        main = only(assess_bare("naive-bayes", X, y, n_resamples=200, **call)).main
        for x in main.intervals:
            if x.method in held:
                held[x.method] += x.low <= 0.5 <= x.high
    assert held["delong-pairs"] / runs > 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / runs)
    assert held["bca"] / runs < 0.9


def test_one_split_is_bounded_by_its_samples():
    order = RNG(1).permutation(62)
    splits = [(order[:50], order[50:])]
    main = only(assess_bare("naive-bayes", *classes((31, 31), gap=1.0), cv=splits)).main
    best = main.recommended
    assert (best.method, best.choice) == ("exact", Choice.ONE_SPLIT)
    right = round(12 * main.estimate)
    assert (main.low, main.high) == pytest.approx(clopper_pearson(right, 12, 0.95))


def test_an_interval_bears_the_name_of_what_it_is():
    X, y = classes((20, 20), gap=60.0)
    found = assess_bare("naive-bayes", X, y, cv=5, n_resamples=1000)
    # Classes of one size that are equally right are one class of all their samples,
    # less half a sample each, as samples of a class teach one another.
    expected = (("wilson", 40), ("by-class", 39))
    for x, (method, n) in zip(only(found).metrics.values(), expected, strict=True):
        assert x.estimate == 1
        assert x.recommended.method == method
        assert x.recommended.choice is Choice.ALL_AGREE
        assert (x.low, x.high) == pytest.approx(wilson(n, n, 0.95))
        names = {interval.method for interval in x.intervals}
        assert not {"nadeau-bengio", "t", "normal", "percentile", "bca"} & names
        assert all(interval.width > 0 for interval in x.intervals)
        lost = {"normal", "t", "nadeau-bengio", "percentile", "bca"}
        assert lost <= set(x.recommended.zero_width)
        others = (i for i in x.intervals if not i.is_recommended)
        assert not any(interval.zero_width for interval in others)


def test_a_class_that_was_never_tested_leaves_the_range():
    """One split that tests the larger class only, and is always right."""
    X, y = classes((20, 4), gap=60.0)
    splits = [(np.arange(5, 24), np.arange(5))]
    call = {"cv": splits, "scoring": ["accuracy", "mcc"]}
    found = only(assess_bare("naive-bayes", X, y, **call))
    assert found.main.recommended.method == "exact"
    assert found.metrics["matthews_corrcoef"].no_interval is NoInterval.UNDEFINED


def area(X, y, cv):
    main = only(assess_bare("nearest-centroid", X, y, cv=cv, scoring="auc")).main
    return main, {x.method: x for x in main.intervals}


def test_an_area_is_never_quoted_narrower_than_samples_as_tests_and_teachers():
    quoted = set()
    for seed in range(8):
        X, y = classes((31, 31), seed, m=50, gap=0.8)
        main, by = area(X, y, "5x5")
        widths = by["nadeau-bengio"].width, by["delong-doubled"].width
        assert main.recommended.width == max(widths)
        quoted.add(main.recommended.method)
        plain, doubled = by["delong"], by["delong-doubled"]
        middle = (plain.low + plain.high) / 2
        ratio = np.sqrt(2) * stdtrit(30, 0.975) / 1.959963984540054
        assert doubled.high - middle == pytest.approx(ratio * (plain.high - middle))
    assert quoted == {"nadeau-bengio", "delong-doubled"}


@pytest.mark.parametrize("cv", ["kfold4", "4x2"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_delongs_interval_of_the_area_of_folds_is_near_the_bootstrap(cv, n_classes):
    y = np.arange(72) % n_classes
    X = RNG(0).normal(size=(72, 3)) + y[:, None]
    call = {"cv": cv, "scoring": "auc", "n_resamples": 200}
    main = only(assess_bare("naive-bayes", X, y, **call)).main
    by = {x.method: x for x in main.intervals}
    delong = by["delong"]
    assert delong.low < main.estimate < delong.high
    assert (delong.low + delong.high) / 2 == pytest.approx(main.estimate, abs=0.03)
    assert 0.4 < delong.width / by["bca"].width < 2.5


@pytest.mark.parametrize(("n_rare", "has_interval"), [(4, True), (3, False)])
def test_folds_with_one_sample_of_a_class_have_delongs_without_any_not(
    n_rare, has_interval
):
    y = (np.arange(30) >= 30 - n_rare).astype(int)
    X = RNG(0).normal(size=(30, 2)) + y[:, None]
    main = only(assess_bare("naive-bayes", X, y, cv=4, scoring="auc")).main
    assert ("delong" in {x.method for x in main.intervals}) == has_interval


@pytest.mark.statistical
def test_areas_of_folds_dealt_anew_are_held_more_often_than_by_nadeau_bengio():
    held, n_sets = {"quoted": 0, "nadeau-bengio": 0}, 250
    for seed in range(n_sets):
        # No feature tells the classes apart.
        main, by = area(*classes((31, 31), seed, m=30, gap=0.0), "5x5")
        for name, x in (("quoted", main.recommended), *by.items()):
            if name in held:
                held[name] += x.low <= 0.5 <= x.high
    assert held["quoted"] / n_sets >= 0.88
    assert held["nadeau-bengio"] < held["quoted"]


# What intervals claim -------------------------------------------------------------


@pytest.mark.parametrize("name", SCORE_INTERVALS)
def test_every_interval_says_what_it_assumes(name):
    method = SCORE_INTERVALS[name]
    assert method.assumes
    assert method.summary
    if method.is_distribution_free and method.rests_on is RestsOn.SAMPLES:
        assert all("any distribution" in text for text in method.assumes)


@pytest.mark.parametrize("n_repeats", [1, 20])
def test_intervals_that_count_overlap_do_not_shrink_with_repeats(n_repeats):
    """Folds dealt again and again say hardly more; only these intervals know it."""
    X, y = classes((30, 30), gap=0.8)
    once, often = (
        {x.method: x.width for x in only(found).main.intervals}
        for found in (
            assess_bare("nearest-centroid", X, y, cv="5x2"),
            assess_bare("nearest-centroid", X, y, cv=f"5x{2 * n_repeats}"),
        )
    )
    if n_repeats == 1:
        assert once == often
        return
    for name in ("normal", "t", "nadeau-bengio"):
        is_kept = often[name] > 0.5 * once[name]
        assert is_kept == SCORE_INTERVALS[name].counts_training_overlap
