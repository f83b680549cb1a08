"""Permutations of linear discriminants by singular values, next to scikit-learn."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.evaluation.test_permutation_test import (
    assert_same_as_sklearn,
    badly_scaled,
    few_cases,
    folds,
)

from scorecast.evaluation.permutation import linear as whitening, recognise

PLAIN = LinearDiscriminantAnalysis()


@pytest.mark.parametrize("m", [300, 60, 31])
@pytest.mark.parametrize("share", [0.35, 0.5, 0.15])
def test_scores_are_those_of_scikit_learn(m, share):
    X, y = few_cases(m=m, share=share)
    found = assert_same_as_sklearn(PLAIN, X, y, folds(X, y))
    assert found.method == "whitened"
    assert found.n_refitted <= 4


def test_the_model_itself_is_fitted_where_features_are_few():
    X, y = few_cases(m=12)
    assert assert_same_as_sklearn(PLAIN, X, y, folds(X, y), 8).method == "loop"


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_three_unbalanced_classes(scoring):
    X, _ = few_cases(seed=2, n=60, m=120)
    y = np.repeat([0, 1, 2], [30, 18, 12])
    X[y == 2, 10:30] += 0.7
    found = assert_same_as_sklearn(PLAIN, X, y, folds(X, y), 15, scoring)
    assert found.method == "whitened"
    assert found.n_refitted <= 4


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(priors=[0.3, 0.7]),
        LinearDiscriminantAnalysis(n_components=1),
        LinearDiscriminantAnalysis(store_covariance=True, tol=1e-3),
        make_pipeline(StandardScaler(), PLAIN),
    ],
)
def test_parameters_are_respected(model):
    X, y = few_cases(seed=4)
    found = assert_same_as_sklearn(model, X, y, folds(X, y), 10)
    assert found.method == "whitened"
    assert found.n_refitted <= 4


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(tol=1e-9),
        LinearDiscriminantAnalysis(tol=0.5),
        LinearDiscriminantAnalysis(priors=[1.0, 0.0]),
        LinearDiscriminantAnalysis(priors=[0.5, 0.6]),
        LinearDiscriminantAnalysis(solver="eigen"),
        LinearDiscriminantAnalysis(n_components=2),
    ],
)
def test_what_would_be_guessed_goes_through_the_loop(model):
    assert recognise(model, 2) is None


@pytest.mark.parametrize("kind", ["one", "all", "shifted"])
def test_features_of_any_scale(kind):
    X, y = badly_scaled(kind)
    assert_same_as_sklearn(PLAIN, X, y, folds(X, y), 12)


def test_cases_learned_from_twice_and_equal_cases_are_left_to_the_model():
    X, y = few_cases(m=60)
    drawn_twice = [(np.r_[0:30, 5:15], np.r_[30:40])]
    found = assert_same_as_sklearn(PLAIN, X, y, drawn_twice, 6)
    assert found.n_refitted == 7
    X[5] = X[3]
    assert_same_as_sklearn(PLAIN, X, y, folds(X, y), 12)


def test_a_feature_that_hardly_varies_is_left_to_the_model():
    X, y = few_cases(m=60)
    X[:, 0] = 7.3
    found = assert_same_as_sklearn(PLAIN, X, y, folds(X, y), 6)
    assert found.n_refitted == 28
    X[:, 0] = 0
    X[0, 0] = 1  # constant wherever the first case is tested
    found = assert_same_as_sklearn(PLAIN, X, y, folds(X, y), 6)
    assert 0 < found.n_refitted < 28


def test_another_divisor_would_be_noticed(monkeypatch):
    """Broken on purpose: the covariance of versions that divide otherwise."""
    X, y = few_cases(m=40, share=0.15)
    X *= 0.3
    right = assert_same_as_sklearn(PLAIN, X, y, folds(X, y), 40)
    known = whitening._taken_off()
    monkeypatch.setattr(whitening, "_taken_off", lambda: 1 - known)
    with pytest.raises(AssertionError):
        assert_same_as_sklearn(PLAIN, X, y, folds(X, y), 40)
    monkeypatch.setattr(whitening, "_taken_off", lambda: -1)
    assert recognise(PLAIN, 2) is None
    assert right.method == "whitened"


def test_raw_intensities_of_genes(shared_data):
    data = np.load(shared_data / "microarray_colon.npz")
    X, y = data["X"].astype(np.float64), data["y"]
    found = assert_same_as_sklearn(PLAIN, X, y, folds(X, y, 5), 10)
    assert found.method == "whitened"
    assert found.n_refitted <= 2
