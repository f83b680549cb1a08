"""Selected features: adjusted p-values, luck, and the bias of selecting first."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast._core.result import result_from_dict
from scorecast.evaluation import (
    NoSpread,
    feature_selection_test,
    selection_bias,
    wilson,
)
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError


def three_classes(n=36, m=80, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(list("abc"), n // 3)
    X = rng.standard_normal((n, m)) + 100
    X[y == "c", :3] += 2.5
    return X, y


def test_statistics_are_those_of_the_analysis_of_variance():
    X, y = three_classes()
    # The peer sums squares as they are and loses digits far from zero.
    f, p = f_classif(X - X.mean(axis=0), y)
    found = feature_selection_test(X, y, 80, n_permutations=9, random_state=0)
    assert found.statistic == pytest.approx(f[found.features], rel=1e-9)
    assert found.p_value == pytest.approx(p[found.features], rel=1e-9)
    assert found.q_value == pytest.approx(
        false_discovery_control(p)[found.features], rel=1e-9
    )
    ordered = np.sort(p)
    holm = np.minimum(np.maximum.accumulate(ordered * np.arange(80, 0, -1)), 1)
    assert found.p_holm == pytest.approx(holm, rel=1e-9)


def test_true_features_are_beyond_luck_and_noise_is_not():
    X, y = three_classes(seed=1)
    found = feature_selection_test(X, y, 6, n_permutations=199, random_state=0)
    assert set(found.features[:3]) == {0, 1, 2}
    assert (found.p_max_statistic[:3] <= 0.02).all()
    assert (found.p_max_statistic[3:] > 0.05).all()
    assert (np.diff(found.p_max_statistic) >= 0).all()
    assert (found.p_same_rank <= found.p_max_statistic).all()


def test_constant_features_come_last_and_workers_do_not_matter():
    X, y = three_classes()
    X[:, 5] = 0.1
    answers = [
        feature_selection_test(X, y, 80, n_permutations=150, random_state=1, n_jobs=j)
        for j in (1, 2)
    ]
    assert answers[0].to_dict() == answers[1].to_dict()
    assert answers[0].features[-1] == 5
    assert answers[0].p_value[-1] == 1


def test_selecting_first_finds_structure_in_noise():
    X = np.random.default_rng(0).standard_normal((40, 1000))
    y = np.arange(40) % 2
    folds = StratifiedKFold(5)
    found = selection_bias(SelectKBest(k=10), GaussianNB(), X, y, cv=folds)
    assert found.bias > 0.2
    low, high = found.adjusted(0.8, 1.0)
    assert (low + high) / 2 == pytest.approx(0.9 - found.bias)
    own = found.bias_interval[1] - found.bias_interval[0]
    assert high - low == pytest.approx(np.hypot(0.2, own))  # the bias has an error too
    again = result_from_dict(found.to_dict())
    assert again.adjusted(0.8, 1.0) == (low, high)
    with pytest.raises(UsageError, match="exceed"):
        found.adjusted(0.9, 0.1)


def test_json_there_and_back():
    X, y = three_classes()
    found = feature_selection_test(X, y, 4, n_permutations=9, random_state=0)
    assert result_from_dict(found.to_dict()).to_dict() == found.to_dict()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"y": np.zeros(36)}, InsufficientDataError, "1 classes"),
        ({"y": np.arange(36)}, InsufficientDataError, "36 classes"),
        ({"y": [0, 1]}, InvalidInputError, "36 rows"),
        ({"X": np.full((36, 2), np.inf)}, InvalidInputError, "not finite"),
        ({"n_selected": 81}, UsageError, "from 1 to 80"),
        ({"n_selected": 0}, UsageError, "n_selected"),
        ({"n_permutations": 0}, UsageError, "n_permutations"),
    ],
)
def test_bad_input_is_refused(change, error, words):
    X, y = three_classes()
    with pytest.raises(error, match=words):
        feature_selection_test(**({"X": X, "y": y} | change))


def test_a_model_that_fails_is_refused():
    X, y = three_classes()
    with pytest.raises(InsufficientDataError, match="failed"):
        selection_bias(SelectKBest(k=2), GaussianNB(priors=[0.5, 0.5]), X, y, cv=3)


@pytest.mark.statistical
def test_noise_is_seldom_selected_and_often_without_adjustment():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    runs, kept, broken = 300, 0, 0
    for _ in range(runs):
        X = rng.standard_normal((20, 1)) + rng.standard_normal((20, 40))
        found = feature_selection_test(X, y, 1, n_permutations=99, random_state=rng)
        kept += found.p_max_statistic[0] <= 0.05
        broken += found.p_value[0] <= 0.05  # the broken variant: as if alone
    error = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert kept / runs <= 0.05 + error
    assert broken / runs > 0.05 + error


def patients(seed, size=5, n_groups=16, m=30):
    """Noise that is shared by the cases of a patient, who has one class."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    X = rng.standard_normal((n_groups, m))[groups]
    X += 0.3 * rng.standard_normal(X.shape)
    return X, groups % 2, groups


def test_noise_of_patients_is_no_discovery():
    kept, alone, broken, runs = 0, 0, 0, 20
    for seed in range(runs):
        X, y, groups = patients(seed)
        options = {"n_permutations": 99, "random_state": seed}
        found = feature_selection_test(X, y, 1, groups=groups.tolist(), **options)
        kept += found.p_max_statistic[0] <= 0.05
        alone += found.p_value[0] <= 0.05 / 30
        assert found.p_value[0] <= found.p_max_statistic[0]
        # The broken variant takes cases for independent.
        broken += feature_selection_test(X, y, 1, **options).p_max_statistic[0] <= 0.05
    assert alone == 0  # 99 permutations cannot show less than 1 %
    assert kept <= 4  # of 20 at 5 %: more has a chance of 0.3 %
    assert broken == runs


def test_groups_that_cannot_change_places_are_refused():
    X, y, _ = patients(0)
    with pytest.raises(InsufficientDataError, match="nothing can be permuted"):
        feature_selection_test(X[:55], y[:55], 1, groups=y[:55].tolist())
    with pytest.raises(InvalidInputError, match="got 3"):
        feature_selection_test(X, y, 1, groups=[1, 2, 3])


@pytest.mark.statistical
def test_adjusted_bounds_hold_and_those_of_a_selection_outside_do_not():
    rng, y, truth = np.random.default_rng(0), np.arange(40) % 2, 0.5
    runs, held, outside = 60, 0, 0
    for _ in range(runs):
        X = rng.standard_normal((40, 200))
        found = selection_bias(
            SelectKBest(k=5), GaussianNB(), X, y, cv=5, random_state=0
        )
        low, high = found.adjusted_interval
        held += low <= truth <= high
        low, high = found.outside_interval
        outside += low <= truth <= high
    least = 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)
    assert held / runs >= least
    assert outside / runs < least


def test_a_selection_that_changes_nothing_still_has_an_error():
    # Two classes far apart: right every time, wherever features are chosen.
    y = np.arange(30) % 2
    X = np.random.default_rng(0).standard_normal((30, 6)) + 40 * y[:, None]
    found = selection_bias(SelectKBest(k=2), GaussianNB(), X, y, random_state=0)
    assert found.bias == 0
    low, high = found.bias_interval
    share = wilson(0, 30, 0.95)[1]
    assert (low, high) == pytest.approx((-share, share))
    assert found.adjusted_interval[0] < found.outside_interval[0]
    assert found.no_spread is None
    assert "-0.0" not in sc.render(found)
    assert "+0.0 to" not in sc.render(found)


def test_why_there_is_no_interval_is_told():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
    selector = SelectKBest(f_regression, k=3)
    found = selection_bias(selector, Ridge(), X, y, scoring="rmse", cv=5)
    assert found.no_spread is NoSpread.UNCHANGED
    assert np.isnan(found.bias_interval).all()
    assert not found.greater_is_better


def test_how_they_are_shown():
    X, y = three_classes(seed=1)
    found = feature_selection_test(X, y, 6, n_permutations=199)
    assert_snapshot("feature_selection", sc.render(found))
    assert_snapshot("feature_selection_page", page_text(sc.render(found, "html")))
    many = feature_selection_test(X, y, 30, n_permutations=9)
    assert "feature 30" not in sc.render(many).splitlines()[-1]
    noise = np.random.default_rng(0).standard_normal((40, 1000))
    bias = selection_bias(SelectKBest(k=10), GaussianNB(), noise, np.arange(40) % 2)
    assert_snapshot("selection_bias", sc.render(bias))
    assert_snapshot("selection_bias_page", page_text(sc.render(bias, "html")))


def test_the_names_of_a_table_are_kept():
    pandas = pytest.importorskip("pandas")
    X, y = three_classes(m=4)
    table = pandas.DataFrame(X, columns=list("abcd"))
    found = feature_selection_test(table, y, 1, n_permutations=9)
    assert found.names == ("abcd"[found.features[0]],)
    with pytest.raises(InvalidInputError, match="1 names"):
        feature_selection_test(X, y, 1, feature_names=["a"])


def test_groups_are_never_split():
    X, y, groups = patients(0)
    found = selection_bias(SelectKBest(k=3), GaussianNB(), X, y, groups=groups, cv=4)
    assert found.inside.size == 4


def test_selection_bias_by_itself_has_proper_bounds():
    X = np.random.default_rng(0).standard_normal((40, 20))
    y = np.arange(40) % 2
    X[:, 0] = 0.1 * X[:, 0] + 9 * y
    found = selection_bias(SelectKBest(k=1), NearestCentroid(), X, y, random_state=0)
    assert found.outside_estimate == found.inside_estimate == 1
    assert found.outside_interval[0] < 1
    assert found.bias == 0
    of_numbers = SelectKBest(f_regression, k=2)
    ridge = selection_bias(of_numbers, Ridge(), X, X[:, 1], random_state=0)
    assert ridge.scoring == "score"
