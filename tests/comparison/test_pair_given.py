"""What is given to a test of two models is used, or refused with a way out."""

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.comparison import NoteCode
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
    assert found.p_value == alone.p_value
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
    assert found.p_value == pytest.approx(alone.p_value, rel=1e-12)
    assert found.effect.wins + found.effect.losses == 12
    assert found.posterior == alone.posterior
    assert (found.n_rows, found.n_groups) == (60, 12)


def test_labels_by_group_are_shares_of_right_cases():
    found = sc.compare_pair(A, B, y_true=LABELS, groups=GROUPS, test="paired-t")
    shares = [(x == LABELS).reshape(12, 5).mean(axis=1) for x in (A, B)]
    assert found.p_value == pytest.approx(stats.ttest_rel(*shares).pvalue, rel=1e-9)


def test_copies_of_a_case_are_not_cases():
    gaps = np.repeat(np.arange(5) + 1.0, 12)
    five = np.repeat(np.arange(5), 12)
    with pytest.raises(InsufficientDataError, match=r"5 groups .* at least 6"):
        sc.compare_pair(gaps, 0 * gaps, groups=five, test="wilcoxon")


@pytest.mark.parametrize("test", VALUE_TESTS)
def test_numbers_are_not_called_better_for_being_larger(test):
    with pytest.raises(UsageError) as caught:
        sc.compare_pair(TRUTH + 5, TRUTH + 0.1, y_true=TRUTH, test=test)
    assert caught.value.parameter == "scoring"


@pytest.mark.parametrize(
    "test", [*VALUE_TESTS, "mcnemar-mid-p", "delong", "corrected-t"]
)
def test_a_metric_that_a_test_cannot_take_is_refused(test):
    with pytest.raises(UsageError, match="takes no metric") as caught:
        sc.compare_pair(A, B, y_true=LABELS, scoring=mean_square, test=test)
    assert caught.value.parameter == "scoring"


@pytest.mark.parametrize("test", ["mcnemar-mid-p", "mcnemar-exact", "delong"])
def test_groups_that_a_test_cannot_allow_for_are_refused(test):
    two = LABELS > 0
    with pytest.raises(UsageError) as caught:
        sc.compare_pair(A > 0, B > 0, y_true=two, groups=GROUPS, test=test)
    assert caught.value.parameter == "groups"
    assert "permutation" in caught.value.remedy


@pytest.mark.parametrize("test", ["corrected-t", "5x2cv-t", "5x2cv-f"])
@pytest.mark.parametrize("name", ["y_true", "groups"])
def test_folds_take_no_cases(test, name):
    values = RNG.normal(size=(2, 5, 2))
    with pytest.raises(UsageError, match="has no use") as caught:
        sc.compare_pair(
            *values, test=test, test_ratio=1 / 9, **{name: np.arange(10) % 2}
        )
    assert caught.value.parameter == name


# Labels or scores


@pytest.mark.parametrize("kind", [int, float, str])
def test_a_class_that_was_never_true_is_a_wrong_answer(kind):
    truth = (np.arange(60) % 2).astype(kind)
    a, b = truth.copy(), truth.copy()
    a[:4], b[:20] = kind(2), kind(2)
    found = sc.compare_pair(a, b, y_true=truth)
    assert found.test == "mcnemar-mid-p"
    assert found.p_value == sc.compare_pair(a == truth, b == truth).p_value
    assert found.better == "a"
    (note,) = found.notes
    assert (note.code, note.names) == (NoteCode.UNSEEN_LABELS, (str(kind(2)),))
    for test in ("permutation", "wilcoxon"):
        assert sc.compare_pair(a, b, y_true=truth, test=test).better == "a"
    assert not sc.compare_pair(truth, truth, y_true=truth).notes


def test_whole_numbers_that_are_hardly_ever_classes_are_scores():
    truth = np.arange(60) % 2
    points = truth * 3 + RNG.integers(0, 8, (2, 60))
    found = sc.compare_pair(*points, y_true=truth)
    assert found.test == "delong"
    assert not found.notes


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
    with pytest.raises(InvalidInputError) as caught:
        sc.compare_pair(**given)
    assert (caught.value.parameter, caught.value.location.row) == (where, 7)
    found = sc.compare_pair(**given, nan_policy="omit")
    kept = np.delete(np.arange(60), 6)
    wanted = sc.compare_pair(A[kept], B[kept], LABELS[kept], groups=GROUPS[kept])
    assert (found.p_value, found.n_rows) == (wanted.p_value, 59)
    (note,) = found.notes
    assert (note.code, note.count) == (NoteCode.SAMPLES_LEFT_OUT, 1)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_metric_without_a_value_is_refused(test):
    options = {"y_true": TRUTH, "test": test, "n_resamples": 99}
    with pytest.raises(InvalidInputError, match="gives nan for the first"):
        sc.compare_pair(TRUTH, TRUTH, scoring=lambda t, s: np.nan, **options)
    with pytest.raises(InvalidInputError, match="must give a number; got ndarray"):
        sc.compare_pair(TRUTH, TRUTH, scoring=lambda t, s: t - s, **options)


def test_exchanges_without_a_value_count_against_the_models():
    # Known only where the models are as they were given: luck cannot be ruled out.
    a, b = TRUTH[:20] + 0.1, TRUTH[:20] + 3.0

    def picky(truth, said):
        far = np.abs(said - truth)
        return float(far.mean()) if np.ptp(far) < 1e-9 else np.nan

    found = sc.compare_pair(
        a, b, y_true=TRUTH[:20], scoring=picky, test="permutation", random_state=0
    )
    assert found.p_value == 1.0
    assert found.better is None


@pytest.mark.parametrize("names", [("x",), ("x", "x"), "xy", ("x", "y", "z"), ("", 1)])
def test_two_models_need_two_names(names):
    with pytest.raises(UsageError, match="two different names"):
        sc.compare_pair(A, B, y_true=LABELS, names=names)


def test_repeats_of_one_item_are_a_group():
    names = [f"item {i}" for i in GROUPS]
    found = sc.compare_pair(A, B, LABELS, row_names=names)
    wanted = sc.compare_pair(A, B, LABELS, groups=GROUPS)
    assert (found.p_value, found.n_groups) == (wanted.p_value, 12)
    assert [note.code for note in found.notes] == [NoteCode.REPEATED_NAMES_GROUPED]
    alone = sc.compare_pair(A, B, LABELS, row_names=np.arange(60))
    assert (alone.n_groups, alone.notes) == (None, ())
    splits = sc.compare_pair(A, B, row_names=names, test_ratio=0.1)
    assert splits.n_groups is None


def test_accuracies_stand_beside_the_difference():
    found = sc.compare_pair(A, B, LABELS)
    first, second = found.accuracies
    assert first.estimate - second.estimate == pytest.approx(found.difference)
    assert (found.counts.only_first, found.counts.only_second) == (25, 0)
    assert first.low < first.estimate < first.high
    exact = sc.compare_pair(A, B, LABELS, interval="exact").accuracies[0]
    assert exact.high - exact.low > first.high - first.low
    wide = sc.compare_pair(A, B, LABELS, groups=GROUPS).accuracies[0]
    assert wide.high - wide.low > first.high - first.low
    assert sc.compare_pair(A * 1.5, B * 1.5).accuracies is None
