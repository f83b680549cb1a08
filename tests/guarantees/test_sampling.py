"""Every way of splitting keeps its promises."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.losses import cost_loss
from scorecast.guarantees.problem import check_problem
from scorecast.guarantees.sampling import check_sampling, draw_plan

RNG = np.random.default_rng
KINDS = ("cv5", "cv5x3", "kfold4", "loo", "lpo", "mc7", "boot9")


def problem(n=30, groups=None, n_classes=3):
    return check_problem(np.zeros((n, 2)), np.arange(n) % n_classes, groups=groups)


@pytest.mark.parametrize("kind", KINDS)
def test_no_case_stands_on_both_sides_and_draws_repeat(kind):
    plan, again = (draw_plan(kind, problem(), RNG(1)) for _ in range(2))
    for split, other in zip(plan.splits, again.splits, strict=True):
        assert split.train.size
        assert split.test.size
        assert not np.intersect1d(split.train, split.test).size
        assert np.array_equal(split.test, other.test)


@pytest.mark.parametrize("kind", ["group3", "cv3", "mc5", "boot5"])
def test_groups_are_never_torn(kind):
    groups = np.repeat(np.arange(10), 3)
    data = check_problem(np.zeros((30, 2)), np.arange(30) % 2, groups=groups)
    for split in draw_plan(kind, data, RNG(0)).splits:
        assert not set(groups[split.train]) & set(groups[split.test])


@given(st.integers(6, 60), st.integers(2, 6), st.integers(0, 99))
def test_folds_test_every_case_once_and_keep_classes(n, n_folds, seed):
    data = problem(n, n_classes=2)
    if data.class_counts.min() < n_folds:
        return
    plan = draw_plan(f"cv{n_folds}", data, RNG(seed))
    tested = np.concatenate([split.test for split in plan.splits])
    assert sorted(tested) == list(range(n))
    shares = [np.bincount(data.codes[s.test], minlength=2) for s in plan.splits]
    assert (np.ptp(shares, axis=0) <= 1).all()
    assert np.ptp([s.test.size for s in plan.splits]) <= 1
    assert plan.test_ratio == pytest.approx(1 / (n_folds - 1))


def test_pairs_are_of_different_classes():
    data = problem(12, n_classes=2)
    plan = draw_plan("lpo", data, RNG(0))
    assert len(plan.splits) == 36
    assert all(np.ptp(data.codes[split.test]) for split in plan.splits)


def test_splits_of_scikit_learn_and_given_ones_are_taken():
    from sklearn.model_selection import KFold

    assert len(draw_plan(KFold(3), problem(), RNG(0)).splits) == 3
    pairs = [(np.arange(20), np.arange(20, 30))]
    assert draw_plan(pairs, problem(), RNG(0)).test_ratio == 0.5


@pytest.mark.parametrize("pairs", [[], [([0, 1], [1, 2])], [([0], [99])], [([], [1])]])
def test_false_splits_are_refused(pairs):
    with pytest.raises(UsageError):
        draw_plan(pairs, problem(), RNG(0))


@pytest.mark.parametrize("name", ["cv1", "cv", "loox3", "cross", 1, None, "cv-3", 2.5])
def test_names_that_mean_nothing_are_refused(name):
    if name == "cv":
        assert check_sampling(name).n_folds == 10
        return
    with pytest.raises(UsageError, match="sampling"):
        draw_plan(name, problem(), RNG(0))


def test_too_many_folds_say_how_many_are_possible():
    with pytest.raises(
        InsufficientDataError, match="there are 30; take `sampling` cv30"
    ):
        draw_plan("cv31", problem(), RNG(0))
    with pytest.raises(InsufficientDataError, match="are 3; take `sampling` group3"):
        draw_plan("group5", problem(groups=np.arange(30) % 3), RNG(0))


@pytest.mark.parametrize("counts", [(30, 6, 2), (9, 3, 3, 2, 2), (4, 2), (40, 12, 1)])
@pytest.mark.parametrize("sampling", ["cv5", "cv6x3"])
def test_folds_by_class_keep_every_class_that_can_be_learned(counts, sampling):
    y = np.repeat(np.arange(len(counts)), counts)
    task = check_problem(RNG(0).normal(size=(y.size, 2)), y)
    plan = draw_plan(sampling, task, RNG(1))
    learned = [set(y[split.train].tolist()) for split in plan.splits]
    several = {k for k, count in enumerate(counts) if count > 1}
    assert all(several <= known for known in learned)
    tested = np.bincount(np.concatenate([split.test for split in plan.splits]))
    assert set(tested) == {plan.sampling.n_repeats}
    sizes = [split.test.size for split in plan.splits]
    assert max(sizes) - min(sizes) <= 1


def test_folds_at_random_lose_a_class_of_two():
    """What folds by class prevent: both cases tested at once, so never learned."""
    y = np.repeat([0, 1], [10, 2])
    task = check_problem(RNG(0).normal(size=(12, 2)), y)
    lost = [
        1 not in y[split.train]
        for seed in range(20)
        for split in draw_plan("kfold3", task, RNG(seed)).splits
    ]
    assert any(lost)


def test_one_case_of_one_of_two_classes_is_not_enough():
    task = check_problem(RNG(0).normal(size=(12, 2)), np.arange(12) == 3)
    with pytest.raises(InsufficientDataError, match="single case of class '1'"):
        draw_plan("cv3", task, RNG(0))


def test_given_splits_that_tear_groups_are_refused():
    task = problem(30, groups=np.repeat(np.arange(10), 3))
    rows = np.arange(30)
    pairs = [(rows[10:], rows[:10])]
    with pytest.raises(InsufficientDataError, match=r"1 groups on both.*most 10"):
        draw_plan(pairs, task, np.random.default_rng(0))
    whole = draw_plan([(rows[9:], rows[:9])], task, np.random.default_rng(0))
    assert len(whole.splits) == 1


def test_cases_drawn_twice_were_learned_from_once():
    plan = draw_plan("boot50", problem(60), np.random.default_rng(0))
    different = [np.unique(split.train).size for split in plan.splits]
    tested = [60 - count for count in different]
    assert plan.n_train == pytest.approx(np.mean(different))
    assert plan.n_train < 45  # 63 % of them, not all 60
    assert plan.test_ratio == pytest.approx(sum(tested) / sum(different))


@pytest.mark.parametrize("loss", ["balanced-accuracy", "sensitivity"])
def test_pairs_of_unequal_classes_give_what_leaving_single_cases_out_would(loss):
    """A model that does not learn: only how often cases are tested can differ."""
    y = np.repeat([0, 1, 2], [4, 6, 12])
    X = np.arange(22.0)[:, None] % 5
    found = [
        sc.assess(
            Fixed(), X, y, sampling=sampling, losses=loss, n_permutations=0,
            with_bias_variance=False, regularities=False, n_resamples=0,
        ).models[0].losses[0].estimate
        for sampling in ("lpo", "loo")
    ]  # fmt: skip
    assert found[0] == pytest.approx(found[1])


class Fixed(ClassifierMixin, BaseEstimator):
    """Names a class by the feature, whatever it was taught."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0].astype(int) % 3


@pytest.mark.parametrize(
    ("loss", "n_classes", "refused"),
    [
        ("accuracy", 2, True),
        ("error", 2, True),
        ("brier", 2, True),
        ("log-loss", 2, True),
        ("smoothed-error", 3, True),
        ("posterior-error", 2, True),
        (cost_loss([[0, 1], [2, 0]]), 2, True),
        ("f1", 2, True),
        ("f1", 3, True),
        ("mcc", 3, True),
        ("specificity", 3, True),
        ("auc", 3, True),
        ("specificity", 2, False),
        ("auc", 2, False),
        ("balanced-accuracy", 3, False),
    ],
)
def test_what_pairs_would_distort_is_refused(loss, n_classes, refused):
    y = np.arange(12) % n_classes
    X = np.random.default_rng(0).normal(size=(12, 2))
    call = {"n_permutations": 0, "with_bias_variance": False, "regularities": False}
    if not refused:
        assert sc.assess("naive-bayes", X, y, sampling="lpo", losses=loss, **call)
        return
    with pytest.raises(UsageError, match="Take sampling") as caught:
        sc.assess("naive-bayes", X, y, sampling="lpo", losses=loss, **call)
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="Take sampling"):
        sc.assess_settings(
            "naive-bayes", {"d": (X, y)}, settings={"loss": [loss]}, sampling="lpo"
        )


def test_pairs_have_a_usual_loss_whose_tests_are_of_what_is_printed():
    """The accuracy of pairs is the balanced one: a majority would look like chance."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(24, 3)), np.repeat([0, 1], [8, 16])
    found = sc.assess(
        "naive-bayes", X, y, sampling="lpo", n_permutations=20, n_null_data=0,
        with_bias_variance=False, regularities=False,
    ).models[0]  # fmt: skip
    assert [one.loss for one in found.losses] == ["balanced-accuracy"]
    assert found.feasibility is not None
    for test in (found.feasibility.permuted, *found.feasibility.null_models):
        assert test.observed == pytest.approx(found.losses[0].estimate)
    assert all(
        b.low <= found.losses[0].estimate <= b.high for b in found.losses[0].bounds
    )


def test_settings_with_pairs_among_them_are_all_of_one_usual_loss():
    y = np.arange(12) % 2
    X = np.random.default_rng(0).normal(size=(12, 2))
    found = sc.assess_settings(
        "naive-bayes", {"d": (X, y)}, settings={"sampling": ["cv3", "lpo"]}
    )
    assert found.losses == ("balanced-accuracy",)
