"""Every way of splitting keeps its promises."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold
from tests.assessing import assess_bare, only

from scorecast.evaluation import (
    SPLITTERS,
    check_cv,
    check_data,
    cost_metric,
    draw_splits,
)
from scorecast.exceptions import InsufficientDataError, UsageError

RNG = np.random.default_rng
KINDS = ("cv5", "5x3", "kfold4", "loo", "lpo", "mc7", "boot9", ".632+-9")


def samples(n=30, groups=None, n_classes=3):
    return check_data(np.zeros((n, 2)), np.arange(n) % n_classes, groups=groups)


@pytest.mark.parametrize("cv", KINDS)
def test_no_sample_stands_on_both_sides_and_draws_repeat(cv):
    plan, again = (draw_splits(cv, samples(), RNG(1)) for _ in range(2))
    for split, other in zip(plan.splits, again.splits, strict=True):
        assert split.train.size
        assert split.test.size
        assert not np.intersect1d(split.train, split.test).size
        assert np.array_equal(split.test, other.test)


@pytest.mark.parametrize("name", SPLITTERS)
def test_ways_of_splitting_do_what_they_claim(name):
    method = SPLITTERS[name]
    data = samples(30, groups=np.arange(30) if name == "group" else None, n_classes=2)
    plan = draw_splits(name, data, RNG(0))
    tested = np.concatenate([split.test for split in plan.splits])
    times = np.bincount(tested, minlength=30)
    assert (set(times) == {1}) == method.covers_once
    shares = [np.bincount(data.codes[s.test], minlength=2) for s in plan.splits]
    is_even = all(abs(a - b) <= 1 for a, b in shares)
    if method.keeps_class_shares:
        assert is_even
    assert plan.splitter.is_weighted == method.is_weighted
    unequal = check_data(np.zeros((30, 2)), np.arange(30) < 6)
    if name != "group":
        drawn = draw_splits(name, unequal, RNG(0))
        often = [np.bincount(unequal.codes[s.test], minlength=2) for s in drawn.splits]
        is_distorted = bool(np.ptp(np.sum(often, axis=0)) == 0)
        assert is_distorted == method.distorts_frequencies
    numbered = f"{name}-7" if method.is_weighted else f"{name}7"
    if method.takes_number:
        assert check_cv(numbered).n_splits == 7
    else:
        with pytest.raises(UsageError, match="takes no number"):
            check_cv(numbered)


@pytest.mark.parametrize("name", SPLITTERS)
def test_groups_are_never_torn(name):
    groups = np.repeat(np.arange(10), 3)
    data = check_data(np.zeros((30, 2)), np.arange(30) % 2, groups=groups)
    if not SPLITTERS[name].respects_groups:
        with pytest.raises(UsageError, match="tears groups"):
            draw_splits(name, data, RNG(0))
        return
    for split in draw_splits(name, data, RNG(0)).splits:
        assert not set(groups[split.train]) & set(groups[split.test])


@given(st.integers(6, 60), st.integers(2, 6), st.integers(0, 99))
def test_folds_test_every_sample_once_and_keep_classes(n, n_folds, seed):
    data = samples(n, n_classes=2)
    if data.class_counts.min() < n_folds:
        return
    plan = draw_splits(n_folds, data, RNG(seed))
    tested = np.concatenate([split.test for split in plan.splits])
    assert sorted(tested) == list(range(n))
    shares = [np.bincount(data.codes[s.test], minlength=2) for s in plan.splits]
    assert (np.ptp(shares, axis=0) <= 1).all()
    assert np.ptp([s.test.size for s in plan.splits]) <= 1
    assert plan.test_ratio == pytest.approx(1 / (n_folds - 1))


def test_pairs_are_of_different_classes():
    data = samples(12, n_classes=2)
    plan = draw_splits("lpo", data, RNG(0))
    assert len(plan.splits) == 36
    assert all(np.ptp(data.codes[split.test]) for split in plan.splits)


def test_splits_of_scikit_learn_and_given_ones_are_taken():
    assert len(draw_splits(KFold(3), samples(), RNG(0)).splits) == 3
    pairs = [(np.arange(20), np.arange(20, 30))]
    plan = draw_splits(pairs, samples(), RNG(0))
    assert (plan.test_ratio, plan.splitter.name) == (0.5, "given")


@pytest.mark.parametrize(
    "pairs", [[], [([0, 1], [1, 2])], [([0], [99])], [([], [1])], [1, 2]]
)
def test_false_splits_are_refused(pairs):
    with pytest.raises(UsageError) as caught:
        draw_splits(pairs, samples(), RNG(0))
    assert caught.value.parameter == "cv"


@pytest.mark.parametrize(
    "name", ["cv1", "loox3", "loo5", "mc5x2", "cross", 1, None, "cv-3", 2.5, "", "x5"]
)
def test_names_that_mean_nothing_are_refused(name):
    with pytest.raises(UsageError) as caught:
        draw_splits(name, samples(), RNG(0))
    assert caught.value.parameter == "cv"


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (5, "cv5"),
        ("5", "cv5"),
        ("10x5", "cv10x5"),
        ("cv", "cv10"),
        ("0.632", ".632-200"),
        ("632plus-9", ".632+-9"),
        ("loo", "loo"),
        ("mc", "mc100"),
    ],
)
def test_names_are_understood(asked, name):
    assert check_cv(asked).name == name
    assert check_cv(name) == check_cv(asked)


def test_too_many_folds_say_how_many_are_possible():
    with pytest.raises(InsufficientDataError) as caught:
        draw_splits(31, samples(), RNG(0))
    assert caught.value.remedy == "take cv30"
    with pytest.raises(InsufficientDataError) as caught:
        draw_splits("group5", samples(groups=np.arange(30) % 3), RNG(0))
    assert caught.value.remedy == "take group3"


@pytest.mark.parametrize("counts", [(30, 6, 2), (9, 3, 3, 2, 2), (4, 2), (40, 12, 1)])
@pytest.mark.parametrize("cv", [5, "6x3"])
def test_folds_by_class_keep_every_class_that_can_be_learned(counts, cv):
    y = np.repeat(np.arange(len(counts)), counts)
    plan = draw_splits(cv, check_data(RNG(0).normal(size=(y.size, 2)), y), RNG(1))
    learned = [set(y[split.train].tolist()) for split in plan.splits]
    several = {k for k, count in enumerate(counts) if count > 1}
    assert all(several <= known for known in learned)
    tested = np.bincount(np.concatenate([split.test for split in plan.splits]))
    assert set(tested) == {plan.splitter.n_repeats}
    sizes = [split.test.size for split in plan.splits]
    assert max(sizes) - min(sizes) <= 1


def test_folds_at_random_lose_a_class_of_two():
    """What folds by class prevent: both samples tested at once, so never learned."""
    y = np.repeat([0, 1], [10, 2])
    data = check_data(RNG(0).normal(size=(12, 2)), y)
    lost = [
        1 not in y[split.train]
        for seed in range(20)
        for split in draw_splits("kfold3", data, RNG(seed)).splits
    ]
    assert any(lost)


def test_one_sample_of_one_of_two_classes_is_not_enough():
    data = check_data(RNG(0).normal(size=(12, 2)), np.arange(12) == 3)
    with pytest.raises(InsufficientDataError, match="single sample of class '1'"):
        draw_splits(3, data, RNG(0))


def test_given_splits_that_tear_groups_are_refused():
    data = samples(30, groups=np.repeat(np.arange(10), 3))
    rows = np.arange(30)
    with pytest.raises(InsufficientDataError, match=r"1 groups on both.*most 10"):
        draw_splits([(rows[10:], rows[:10])], data, RNG(0))
    assert len(draw_splits([(rows[9:], rows[:9])], data, RNG(0)).splits) == 1


def test_samples_drawn_twice_were_learned_from_once():
    plan = draw_splits("boot50", samples(60), RNG(0))
    different = [np.unique(split.train).size for split in plan.splits]
    tested = [60 - count for count in different]
    assert plan.n_train == pytest.approx(np.mean(different))
    assert plan.n_train < 45  # 63 % of them, not all 60
    assert plan.test_ratio == pytest.approx(sum(tested) / sum(different))


class Fixed(ClassifierMixin, BaseEstimator):
    """Names a class by the feature, whatever it was taught."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0].astype(int) % 3


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "sensitivity"])
def test_pairs_of_unequal_classes_give_what_leaving_single_ones_out_would(scoring):
    """A model that does not learn: only how often samples are tested can differ."""
    y = np.repeat([0, 1, 2], [4, 6, 12])
    X = np.arange(22.0)[:, None] % 5
    found = [
        only(assess_bare(Fixed(), X, y, cv=cv, scoring=scoring)).main.estimate
        for cv in ("lpo", "loo")
    ]
    assert found[0] == pytest.approx(found[1])


@pytest.mark.parametrize(
    ("scoring", "n_classes", "is_refused"),
    [
        ("accuracy", 2, True),
        ("error", 2, True),
        ("brier", 2, True),
        ("log-loss", 2, True),
        ("smoothed-error", 3, True),
        ("posterior-error", 2, True),
        (cost_metric([[0, 1], [2, 0]]), 2, True),
        ("f1", 2, True),
        ("f1", 3, True),
        ("mcc", 3, True),
        ("specificity", 3, True),
        ("auc", 3, True),
        ("specificity", 2, False),
        ("auc", 2, False),
        ("balanced_accuracy", 3, False),
    ],
)
def test_what_pairs_would_distort_is_refused(scoring, n_classes, is_refused):
    y = np.arange(12) % n_classes
    X = RNG(0).normal(size=(12, 2))
    if not is_refused:
        assert assess_bare("naive-bayes", X, y, cv="lpo", scoring=scoring)
        return
    with pytest.raises(UsageError) as caught:
        assess_bare("naive-bayes", X, y, cv="lpo", scoring=scoring)
    assert caught.value.parameter in ("cv", "scoring")
    assert caught.value.remedy


def test_pairs_have_a_usual_metric_whose_tests_are_of_what_is_printed():
    """The accuracy of pairs is the balanced one: a majority would look like chance."""
    X, y = RNG(3).normal(size=(24, 3)), np.repeat([0, 1], [8, 16])
    found = only(assess_bare("naive-bayes", X, y, cv="lpo", n_permutations=20))
    assert list(found.metrics) == ["balanced_accuracy"]
    for test in found.null_tests.tests.values():
        assert test.observed == pytest.approx(found.main.estimate)
    assert all(x.low <= found.main.estimate <= x.high for x in found.main.intervals)
