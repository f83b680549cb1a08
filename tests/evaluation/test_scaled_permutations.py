"""Permutations of models behind a scaler, and of naive Bayes in two precisions."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.evaluation.test_permutation_test import (
    assert_same_as_sklearn,
    few_cases,
    folds,
)

from scorecast.evaluation.permutation import naive_bayes
from scorecast.evaluation.permutation.engines import (
    Features,
    Fold,
    ScaledFeatures,
    prepare_engine,
)


def uneven_cases(m, seed=0):
    """Features of unequal scale."""
    X, y = few_cases(seed=seed, m=m)
    return X * np.exp(np.random.default_rng(seed).normal(size=m)), y


@pytest.mark.parametrize("m", [40, 600])
@pytest.mark.parametrize("scaler", [StandardScaler(), StandardScaler(with_std=False)])
@pytest.mark.parametrize(
    "model", [NearestCentroid(), GaussianNB(), GaussianNB(var_smoothing=0.1)]
)
def test_scaled_scores_are_those_of_scikit_learn(model, scaler, m):
    X, y = uneven_cases(m)
    found = assert_same_as_sklearn(make_pipeline(scaler, model), X, y, folds(X, y), 25)
    assert found.method in ("nearest-centroid", "naive-bayes")
    assert found.n_refitted <= 2


@pytest.mark.parametrize("model", [NearestCentroid(), GaussianNB(var_smoothing=0.1)])
def test_what_is_scaled_together_is_what_is_scaled_one_by_one(model):
    X, y = uneven_cases(600)
    split = folds(X, y)[0]
    engine = prepare_engine(make_pipeline(StandardScaler(), model), X, y, [split])
    alone = prepare_engine(model, X, y, [split]).rules[0]
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(y.size) for _ in range(20)])
    fold = Fold(train=split[0], test=split[1], codes=y, n_classes=2)
    one_by_one = []
    for order in orders:
        seen = X[order[split[0]]]
        scaled = ScaledFeatures(
            Features(X), seen.mean(axis=0) - X.mean(axis=0), seen.std(axis=0)
        )
        rule = engine.engine.prepare(scaled, fold, model)
        one_by_one.append(rule.predict(order[None]).classes[0])
    together = engine.predict(0, orders)
    assert not together.is_doubtful.any()
    assert np.array_equal(together.classes, one_by_one)
    assert not np.array_equal(alone.predict(orders).classes, one_by_one)


def mirrored_cases():
    """Classes that mirror each other; what is tested lies next to the middle."""
    rng = np.random.default_rng(1)
    half = rng.normal(size=(20, 600))
    X = np.r_[half, -half, 1e-7 * rng.normal(size=(10, 600))]
    y = np.repeat([0, 1, 0], [20, 20, 10])
    return X, Fold(train=np.arange(40), test=np.arange(40, 50), codes=y, n_classes=2)


def test_what_single_precision_cannot_tell_is_left_to_double_precision():
    X, fold = mirrored_cases()
    rule = naive_bayes.NaiveBayesRule.prepare(Features(X), fold, GaussianNB())
    rng = np.random.default_rng(0)
    orders = np.array([*(rng.permutation(50) for _ in range(20)), np.arange(50)])
    quick, exact = rule.quick.predict(orders), rule.exact.predict(orders)
    assert quick.is_doubtful[-1]
    assert quick.is_doubtful.mean() < 0.5
    assert not exact.is_doubtful.any()
    # Taken at its word, it would be wrong, and nowhere else.
    assert (quick.classes != exact.classes).any(axis=1).tolist() == [False] * 20 + [
        True
    ]
    found = rule.predict(orders)
    assert np.array_equal(found.classes, exact.classes)
    assert not found.is_doubtful.any()
    truth = GaussianNB().fit(X[fold.train], fold.labels).predict(X[fold.test])
    assert np.array_equal(found.classes[-1], truth)


@pytest.mark.parametrize("kind", ["plain", "far", "skewed", "three classes", "wide"])
def test_errors_of_single_precision_stay_far_within_what_is_doubted(kind):
    X, y = few_cases(m=2_000 if kind == "wide" else 600)
    X = {"far": X + 1e4, "skewed": np.exp(X / 2)}.get(kind, X)
    if kind == "three classes":
        y = np.arange(y.size) % 3
    train, test = folds(X, y)[0]
    fold = Fold(train=train, test=test, codes=y, n_classes=int(y.max()) + 1)
    rule = naive_bayes.NaiveBayesRule.prepare(Features(X), fold, GaussianNB())
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(y.size) for _ in range(30)])
    quick, band = rule.quick._scored(orders, None)
    exact, _ = rule.exact._scored(orders, None)
    error = np.abs((quick - quick[:1]) - (exact - exact[:1])).max(axis=(0, 2))
    assert error.max() > 0
    assert (error < 0.05 * band).all()
