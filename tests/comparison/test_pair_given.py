"""What is given to a test of two models is used, or refused with a way out."""

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

RNG = np.random.default_rng(7)
TRUTH = RNG.normal(size=60)
LABELS = np.arange(60) % 3
A = np.where(np.arange(60) < 50, LABELS, (LABELS + 1) % 3)
B = np.where(np.arange(60) < 25, LABELS, (LABELS + 2) % 3)
GROUPS = np.repeat(np.arange(12), 5)
VALUE_TESTS = ("wilcoxon", "sign", "paired-t")


def mean_square(truth, said):
    return float(np.mean((truth - said) ** 2))


@pytest.mark.parametrize("test", VALUE_TESTS)
def test_labels_are_compared_as_right_or_wrong(test):
    found = sc.compare_pair(A, B, y_true=LABELS, test=test)
    right = (A == LABELS).astype(float), (B == LABELS).astype(float)
    alone = sc.compare_pair(*right, test=test)
    assert found.better == "a"
    assert found.p == alone.p
    assert found.effect == alone.effect
    # Another name for a class changes nothing.
    other = np.array([7, 3, 5])
    turned = sc.compare_pair(other[A], other[B], y_true=other[LABELS], test=test)
    assert turned.to_dict() == found.to_dict()


@pytest.mark.parametrize("test", VALUE_TESTS)
def test_groups_are_averaged_before_the_test(test):
    a, b = RNG.normal(0.4, 1, 60), RNG.normal(0, 1, 60)
    found = sc.compare_pair(a, b, groups=GROUPS, test=test, rope=0.1, random_state=0)
    means = a.reshape(12, 5).mean(axis=1), b.reshape(12, 5).mean(axis=1)
    alone = sc.compare_pair(*means, test=test, rope=0.1, random_state=0)
    assert found.p == pytest.approx(alone.p, rel=1e-12)
    assert found.effect.wins + found.effect.losses == 12
    assert found.chances == alone.chances
    assert (found.n, found.n_units) == (60, 12)
    assert "60 values each in 12 groups" in found.summary()


def test_labels_by_group_are_shares_of_right_cases():
    found = sc.compare_pair(A, B, y_true=LABELS, groups=GROUPS, test="paired-t")
    shares = [(x == LABELS).reshape(12, 5).mean(axis=1) for x in (A, B)]
    assert found.p == pytest.approx(stats.ttest_rel(*shares).pvalue, rel=1e-9)


def test_copies_of_a_case_are_not_cases():
    gaps = np.repeat(np.arange(5) + 1.0, 12)
    five = np.repeat(np.arange(5), 12)
    with pytest.raises(InsufficientDataError, match=r"5 groups .* at least 6"):
        sc.compare_pair(gaps, 0 * gaps, groups=five, test="wilcoxon")


@pytest.mark.parametrize("test", VALUE_TESTS)
def test_numbers_are_not_called_better_for_being_larger(test):
    with pytest.raises(UsageError, match="losses of single cases"):
        sc.compare_pair(TRUTH + 5, TRUTH + 0.1, y_true=TRUTH, test=test)


@pytest.mark.parametrize("test", [*VALUE_TESTS, "mcnemar", "delong", "corrected-t"])
def test_a_metric_that_a_test_cannot_take_is_refused(test):
    with pytest.raises(UsageError, match="takes no `metric`"):
        sc.compare_pair(A, B, y_true=LABELS, metric=mean_square, test=test)


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar-exact", "delong"])
def test_groups_that_a_test_cannot_allow_for_are_refused(test):
    two = LABELS > 0
    with pytest.raises(UsageError, match="cannot allow for `groups`: use 'perm"):
        sc.compare_pair(A > 0, B > 0, y_true=two, groups=GROUPS, test=test)


@pytest.mark.parametrize("test", ["corrected-t", "5x2cv-t", "5x2cv-f"])
@pytest.mark.parametrize("name", ["y_true", "groups"])
def test_folds_take_no_cases(test, name):
    values = RNG.normal(size=(2, 5, 2))
    with pytest.raises(UsageError, match=f"`{name}` has no use"):
        sc.compare_pair(
            *values, test=test, test_ratio=1 / 9, **{name: np.arange(10) % 2}
        )


# Labels or scores


@pytest.mark.parametrize("kind", [int, float, str])
def test_a_class_that_was_never_true_is_a_wrong_answer(kind):
    truth = (np.arange(60) % 2).astype(kind)
    a, b = truth.copy(), truth.copy()
    a[:4], b[:20] = kind(2), kind(2)
    found = sc.compare_pair(a, b, y_true=truth)
    assert found.found.test == "mcnemar-mid-p"
    assert found.p == sc.compare_pair(a == truth, b == truth).p
    assert found.better == "a"
    assert any(f"lacks ({kind(2)})" in text for text in found.warnings)
    for test in ("permutation", "wilcoxon"):
        assert sc.compare_pair(a, b, y_true=truth, test=test).better == "a"
    assert not sc.compare_pair(truth, truth, y_true=truth).warnings


def test_whole_numbers_that_are_hardly_ever_classes_are_scores():
    truth = np.arange(60) % 2
    points = truth * 3 + RNG.integers(0, 8, (2, 60))
    found = sc.compare_pair(*points, y_true=truth)
    assert found.found.test == "delong"
    assert not found.warnings


# What is missing


@pytest.mark.parametrize("hole", [np.nan, None])
@pytest.mark.parametrize("where", ["a", "b", "y_true", "groups"])
def test_what_is_unknown_is_neither_right_nor_wrong(hole, where):
    dtype = object if hole is None else float
    given = {
        "a": A.astype(dtype), "b": B.astype(dtype), "y_true": LABELS.astype(dtype),
        "groups": GROUPS.astype(dtype),
    }  # fmt: skip
    given[where][6] = hole
    with pytest.raises(InvalidInputError, match=rf"`{where}` lacks 1 .* value 7"):
        sc.compare_pair(**given)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_metric_without_a_value_is_refused(test):
    options = {"y_true": TRUTH, "test": test, "n_resamples": 99}
    with pytest.raises(InvalidInputError, match="gives nan for the first"):
        sc.compare_pair(TRUTH, TRUTH, metric=lambda t, s: np.nan, **options)
    with pytest.raises(InvalidInputError, match="must give a number; got ndarray"):
        sc.compare_pair(TRUTH, TRUTH, metric=lambda t, s: t - s, **options)


def test_exchanges_without_a_value_count_against_the_models():
    # Known only where the models are as they were given: luck cannot be ruled out.
    a, b = TRUTH[:20] + 0.1, TRUTH[:20] + 3.0

    def picky(truth, said):
        far = np.abs(said - truth)
        return float(far.mean()) if np.ptp(far) < 1e-9 else np.nan

    found = sc.compare_pair(
        a, b, y_true=TRUTH[:20], metric=picky, test="permutation", random_state=0
    )
    assert found.p == 1.0
    assert found.better is None


@pytest.mark.parametrize("names", [("x",), ("x", "x"), "xy", ("x", "y", "z"), ("", 1)])
def test_two_models_need_two_names(names):
    with pytest.raises(UsageError, match="two different names"):
        sc.compare_pair(A, B, y_true=LABELS, names=names)
