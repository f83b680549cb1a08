"""Trees and forests on permuted data: grown here, case for case those of the model."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB
from sklearn.tree import DecisionTreeClassifier
from tests.evaluation.test_permutation_test import (
    assert_same_as_sklearn,
    few_cases,
    folds,
)

from scorecast import permutation_test
from scorecast.evaluation.permutation import kernels as growing
from scorecast.exceptions import InsufficientDataError

MODELS = [
    DecisionTreeClassifier(random_state=2**32 - 1),
    DecisionTreeClassifier(random_state=0, min_samples_leaf=3, max_depth=3),
    DecisionTreeClassifier(random_state=0, splitter="random", max_features="log2"),
    DecisionTreeClassifier(random_state=0, min_impurity_decrease=0.05),
    RandomForestClassifier(7, random_state=0),
    RandomForestClassifier(8, random_state=1, bootstrap=False, min_samples_split=6),
    RandomForestClassifier(5, random_state=2, max_features=None, min_samples_leaf=2),
    ExtraTreesClassifier(6, random_state=0),
    ExtraTreesClassifier(6, random_state=4, bootstrap=True, max_features=3),
]


@pytest.mark.parametrize("model", MODELS, ids=range(9))
def test_scores_equal_those_of_scikit_learn(model):
    X, y = few_cases(m=60)
    found = assert_same_as_sklearn(model, X, y, folds(X, y), 30)
    assert (found.method, found.n_refitted) == ("trees", 0)


@pytest.mark.parametrize("model", MODELS[::3], ids=lambda model: type(model).__name__)
def test_tied_values_constant_features_and_several_classes(model):
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c", "d"], (14, 12, 20, 9))
    X = rng.integers(0, 3, (55, 12)).astype(float)
    X[:, :3] = 1.0
    X[:, 5] *= 1e-8  # less than what trees take for a difference
    X[y == "c", 7] += 1
    found = assert_same_as_sklearn(model, X, y, folds(X, y, 3), 20)
    assert found.method == "trees"


def test_cases_that_are_learned_from_more_than_once():
    X, y = few_cases(m=30)
    rng = np.random.default_rng(1)
    draws = [rng.integers(0, 40, 40) for _ in range(4)]
    splits = [(train, np.setdiff1d(np.arange(40), train)) for train in draws]
    for model in (MODELS[1], MODELS[4], MODELS[6]):
        assert assert_same_as_sklearn(model, X, y, splits, 10).method == "trees"


def test_without_a_seed_the_answer_depends_on_ours_alone():
    X, y = few_cases(m=30)
    model = RandomForestClassifier(5)
    options = {"n_permutations": 12, "random_state": 4}
    once = permutation_test(model, X, y, cv=3, n_jobs=1, **options)
    again = permutation_test(model, X, y, cv=3, n_jobs=2, **options)
    assert once.method == "trees"
    assert np.array_equal(once.permuted, again.permuted)
    other = permutation_test(model, X, y, cv=3, n_permutations=12, random_state=5)
    assert not np.array_equal(once.permuted, other.permuted)


def test_what_does_not_agree_with_the_model_is_left_to_it(monkeypatch):
    X, y = few_cases(m=60)
    model = DecisionTreeClassifier(random_state=0, max_features=2)
    assert permutation_test(model, X, y, cv=3, n_permutations=2).method == "trees"
    kernel = growing.forest_shares
    monkeypatch.setattr(
        growing,
        "forest_shares",
        lambda *known: kernel(*known[:-1], known[-1] + np.uint32(9)),
    )
    assert assert_same_as_sklearn(model, X, y, folds(X, y), 10).method == "loop"


def test_a_model_that_cannot_be_fitted_is_told_by_the_loop():
    X, y = few_cases(m=5)
    for model in (
        DecisionTreeClassifier(min_samples_leaf="many"),
        DecisionTreeClassifier(random_state=-1),
        DecisionTreeClassifier(random_state=2**32),
    ):
        with pytest.raises(InsufficientDataError, match="failed on every split"):
            permutation_test(model, X, y, cv=3, n_permutations=2)
    # What only the check of parameters objects to is not checked in the loop either.
    odd = RandomForestClassifier(3, min_samples_split=1, random_state=0)
    assert permutation_test(odd, X, y, cv=3, n_permutations=2).method == "loop"


def test_without_a_seed_the_score_of_the_data_varies_with_ours():
    X, y = few_cases(m=30)
    model = DecisionTreeClassifier(max_features=1)
    runs = [
        permutation_test(model, X, y, cv=3, n_permutations=1, random_state=seed)
        for seed in range(6)
    ]
    assert all(run.method == "trees" and run.n_refitted == 0 for run in runs)
    assert len({run.score for run in runs}) > 1


def test_many_cases_are_left_to_the_model():
    X, y = few_cases(n=1010, m=4)
    model = DecisionTreeClassifier(random_state=0, max_depth=2)
    assert permutation_test(model, X, y, cv=2, n_permutations=2).method == "loop"


@pytest.mark.parametrize(
    "model",
    [
        DummyClassifier(strategy="stratified", random_state=0),
        BernoulliNB(),
        Perceptron(random_state=0),
    ],
)
def test_copies_in_the_loop_are_as_good_as_clones(model):
    X, y = few_cases(m=20)
    assert assert_same_as_sklearn(model, X, y, folds(X, y), 8).method == "loop"


def test_a_generator_in_the_model_is_copied_for_every_fit():
    X, y = few_cases(m=20)
    model = Perceptron(random_state=np.random.RandomState(0))
    options = {"n_permutations": 8, "random_state": 1}
    once = permutation_test(model, X, y, cv=3, **options)
    again = permutation_test(model, X, y, cv=3, **options)
    assert np.array_equal(once.permuted, again.permuted)


def test_the_model_itself_is_never_fitted():
    X, y = few_cases(m=10)
    model = BernoulliNB()
    permutation_test(model, X, y, cv=StratifiedKFold(3), n_permutations=3)
    assert not hasattr(model, "classes_")
