"""Selected features: adjusted p-values, luck, and the bias of selecting first."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.naive_bayes import GaussianNB

from scorecast import assess, selected_features, selection_bias
from scorecast._core.results import result_from_dict
from scorecast.evaluation import wilson
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.loss_values import span_said
from scorecast.report import render_html, render_text
from scorecast.report.html import Report


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
    found = selected_features(X, y, 80, n_permutations=9, random_state=0)
    assert found.statistic == pytest.approx(f[found.features], rel=1e-9)
    assert found.p_value == pytest.approx(p[found.features], rel=1e-9)
    assert found.false_discovery == pytest.approx(
        false_discovery_control(p)[found.features], rel=1e-9
    )
    ordered = np.sort(p)
    holm = np.minimum(np.maximum.accumulate(ordered * np.arange(80, 0, -1)), 1)
    assert found.holm == pytest.approx(holm, rel=1e-9)


def test_true_features_are_beyond_luck_and_noise_is_not():
    X, y = three_classes(seed=1)
    found = selected_features(X, y, 6, n_permutations=199, random_state=0)
    assert set(found.features[:3]) == {0, 1, 2}
    assert (found.max_statistic[:3] <= 0.02).all()
    assert (found.max_statistic[3:] > 0.05).all()
    assert (np.diff(found.max_statistic) >= 0).all()
    assert (found.luck <= found.max_statistic).all()
    assert "3 would hardly" in found.summary()


def test_constant_features_come_last_and_workers_do_not_matter():
    X, y = three_classes()
    X[:, 5] = 0.1
    answers = [
        selected_features(X, y, 80, n_permutations=150, random_state=1, n_jobs=j)
        for j in (1, 2)
    ]
    assert answers[0].to_dict() == answers[1].to_dict()
    assert answers[0].features[-1] == 5
    assert answers[0].p_value[-1] == 1


def test_selecting_first_finds_structure_in_noise():
    X = np.random.default_rng(0).standard_normal((40, 1000))
    y = np.arange(40) % 2
    found = selection_bias(SelectKBest(k=10), GaussianNB(), X, y, random_state=0)
    assert found.bias > 0.2
    low, high = found.adjusted(0.8, 1.0)
    assert (low + high) / 2 == pytest.approx(0.9 - found.bias)
    own = found.bias_interval[1] - found.bias_interval[0]
    assert high - low == pytest.approx(np.hypot(0.2, own))  # the bias has an error too
    inside = span_said("accuracy", *found.inside_interval)
    outside = span_said("accuracy", *found.outside_interval)
    assert found.summary().index(inside) < found.summary().index(outside)
    again = result_from_dict(found.to_dict())
    assert again.adjusted(0.8, 1.0) == (low, high)
    with pytest.raises(UsageError, match="exceed"):
        found.adjusted(0.9, 0.1)


def test_json_there_and_back():
    X, y = three_classes()
    found = selected_features(X, y, 4, n_permutations=9, random_state=0)
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
def test_bad_input_is_refused_in_words(change, error, words):
    X, y = three_classes()
    with pytest.raises(error, match=words):
        selected_features(**({"X": X, "y": y} | change))


def test_a_model_that_fails_is_refused():
    X, y = three_classes()
    with pytest.raises(InsufficientDataError, match="failed"):
        selection_bias(SelectKBest(k=2), GaussianNB(priors=[0.5, 0.5]), X, y, 3)


@pytest.mark.statistical
def test_noise_is_seldom_selected_and_often_without_adjustment():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    runs, kept, broken = 300, 0, 0
    for _ in range(runs):
        X = rng.standard_normal((20, 1)) + rng.standard_normal((20, 40))
        found = selected_features(X, y, 1, n_permutations=99, random_state=rng)
        kept += found.max_statistic[0] <= 0.05
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
        found = selected_features(X, y, 1, groups=groups.tolist(), **options)
        kept += found.max_statistic[0] <= 0.05
        alone += found.p_value[0] <= 0.05 / 30
        assert found.p_value[0] <= found.max_statistic[0]
        # The broken variant takes cases for independent.
        broken += selected_features(X, y, 1, **options).max_statistic[0] <= 0.05
    assert alone == 0  # 99 permutations cannot show less than 1 %
    assert kept <= 4  # of 20 at 5 %: more has a chance of 0.3 %
    assert broken == runs


def test_groups_that_cannot_change_places_are_refused():
    X, y, _ = patients(0)
    with pytest.raises(InsufficientDataError, match="nothing can be permuted"):
        selected_features(X[:55], y[:55], 1, groups=y[:55].tolist())
    with pytest.raises(InsufficientDataError, match="nothing can be permuted"):
        assess("naive-bayes", X[:55], y[:55], groups=y[:55], selection=1)
    with pytest.raises(InvalidInputError, match="got 3"):
        selected_features(X, y, 1, groups=[1, 2, 3])


def test_an_assessment_passes_its_groups_on():
    X, y, groups = patients(1)
    found = assess(
        "naive-bayes", X, y, groups=groups, selection=2, n_permutations=0,
        sampling="group4", with_bias_variance=False, regularities=False,
    )  # fmt: skip
    assert found.selected.max_statistic[0] > 0.05
    assert "nan" not in render_text(found, ascii_only=True)
    assert ">nan" not in render_html(Report(results=(found,)))
    assert result_from_dict(found.to_dict()).to_dict() == found.to_dict()


@pytest.mark.statistical
def test_adjusted_bounds_hold_and_those_of_a_selection_outside_do_not():
    rng, y, truth = np.random.default_rng(0), np.arange(40) % 2, 0.5
    runs, held, outside = 60, 0, 0
    for _ in range(runs):
        X = rng.standard_normal((40, 200))
        found = selection_bias(SelectKBest(k=5), GaussianNB(), X, y, 5, random_state=0)
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
    text = render_text(found)
    assert "-0.0" not in text
    assert "+0.0 to" not in text
