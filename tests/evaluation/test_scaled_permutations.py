"""Permutations of models behind a scaler, and of naive Bayes in two precisions."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.evaluation.test_permutation_test import (
    assert_same_as_sklearn,
    few_cases,
    folds,
)

from scorecast import permutation_test
from scorecast.evaluation.permutation import engines, linear, naive_bayes, neighbors
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


def uneven_kind(kind, m):
    """Features that are hard on steps: rare values, very wide ones, or hardly any."""
    X, y = uneven_cases(m)
    rng = np.random.default_rng(2)
    if kind == "rare":  # the variance hangs on who is learned from
        X[:, :40] = 0.01 * rng.standard_normal((y.size, 40))
        X[rng.permutation(y.size)[:40], np.arange(40)] = 1.0
    if kind == "heavy":
        X = X * np.exp(rng.normal(size=X.shape))
    if kind == "three classes":
        y = np.arange(y.size) % 3
    return X, y


def ridge_by_solving(X, y, fold, order, scaler, alpha):
    """Scores of tested cases (t, n_test), by one system in as many unknowns."""
    seen = clone(scaler).fit(X[order[fold.train]])
    known, asked = (seen.transform(X[order[z]]) for z in (fold.train, fold.test))
    middle = known.mean(axis=0)
    known, asked = known - middle, asked - middle
    targets = np.where(y == np.arange(y.max() == 1, y.max() + 1)[:, None], 1.0, -1.0)
    wanted = targets[:, fold.train].T
    system = known @ known.T + alpha * np.eye(len(known))
    weights = np.linalg.solve(system, wanted - wanted.mean(axis=0))
    return (asked @ known.T @ weights + wanted.mean(axis=0)).T, system


@pytest.mark.parametrize(
    ("m", "alpha"), [(20, 10.0), (20, 1e3), (600, 1e-2), (600, 1e3)]
)
@pytest.mark.parametrize("scaler", [StandardScaler(), StandardScaler(with_std=False)])
@pytest.mark.parametrize("kind", ["plain", "rare", "heavy", "three classes"])
def test_steps_of_ridge_stay_within_their_bound(kind, scaler, alpha, m):
    X, y = uneven_kind(kind, max(m, 40))
    X = X[:, -m:] if kind != "rare" else X
    train, test = folds(X, y)[0]
    fold = Fold(train=train, test=test, codes=y, n_classes=int(y.max()) + 1)
    model = RidgeClassifier(alpha=alpha)
    features = Features(X)
    rule = linear.ScaledRidgeRule.prepare(features, fold, model, scaler)
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(y.size) for _ in range(12)])
    share = np.array([1 / X[order[train]].var(axis=0) for order in orders])
    if not scaler.with_std:
        share = np.ones_like(share)
    exact, systems = zip(
        *(ridge_by_solving(X, y, fold, o, scaler, alpha) for o in orders), strict=True
    )
    for system in systems:  # along their mean, which is taken off, there is alpha
        assert np.linalg.eigvalsh(system)[1] >= rule.least * (1 - 1e-9)
    state = rule._begun(orders, share, share @ features.squared.T)
    errors, bounds = [], []
    for _ in range(8):
        state = rule._stepped(state)
        found = rule._scores(state)
        errors.append(np.abs(found - np.stack(exact, axis=1)).max(axis=(0, 2)))
        bounds.append(rule._error(state))
    # But for the digits that the exact solution lost.
    assert (np.array(errors) <= np.array(bounds) + 1e-14).all()
    if scaler.with_std:
        assert errors[0].max() > 1e-6  # there is something to bound
    assert errors[-1].max() < 0.1 * errors[0].max() + 1e-9  # and steps lead there


@pytest.mark.parametrize("kind", ["plain", "rare", "heavy", "three classes"])
@pytest.mark.parametrize("scaler", [StandardScaler(), StandardScaler(with_mean=False)])
@pytest.mark.parametrize("alpha", [1e-2, 30.0])
def test_ridge_behind_a_scaler_has_the_scores_of_scikit_learn(kind, scaler, alpha):
    X, y = uneven_kind(kind, 300)
    model = make_pipeline(scaler, RidgeClassifier(alpha=alpha))
    found = assert_same_as_sklearn(model, X, y, folds(X, y), 12)
    assert found.method == "ridge"
    assert found.n_refitted <= 2


def test_without_the_bound_steps_of_ridge_would_end_too_soon(monkeypatch):
    X, y = uneven_kind("rare", 300)
    model = make_pipeline(StandardScaler(), RidgeClassifier())
    assert_same_as_sklearn(model, X, y, folds(X, y), 60)
    monkeypatch.setattr(
        linear.ScaledRidgeRule, "_error", lambda _, state: np.zeros(len(state.rest))
    )
    with pytest.raises(AssertionError):
        assert_same_as_sklearn(model, X, y, folds(X, y), 60)


def test_steps_of_ridge_that_lead_nowhere_leave_it_to_the_model(monkeypatch):
    X, y = uneven_cases(300)
    model = make_pipeline(StandardScaler(), RidgeClassifier())
    monkeypatch.setattr(linear, "_MOST_STEPS", 1)
    found = assert_same_as_sklearn(model, X, y, folds(X, y), 10)
    assert found.n_refitted > 20


def test_ridge_that_scaled_steps_do_not_fit_is_solved_one_by_one():
    X, y = uneven_cases(300)
    split = folds(X, y)[0]
    fold = Fold(train=split[0], test=split[1], codes=y, n_classes=2)
    part = Fold(train=split[0], test=split[1][:5], codes=y, n_classes=2)
    prepare, scaler = linear.ScaledRidgeRule.prepare, StandardScaler()
    assert prepare(Features(X), fold, RidgeClassifier(), scaler) is not None
    assert prepare(Features(X), part, RidgeClassifier(), scaler) is None
    free = RidgeClassifier(fit_intercept=False)
    assert prepare(Features(X), fold, free, scaler) is None
    hardly = RidgeClassifier(alpha=1e-6)
    assert prepare(Features(X), fold, hardly, scaler) is not None
    assert prepare(Features(X[:, :20]), fold, hardly, scaler) is None
    model = make_pipeline(scaler, free)
    assert assert_same_as_sklearn(model, X, y, folds(X, y), 5).method == "ridge"


@pytest.mark.parametrize("kind", ["plain", "rare", "heavy", "three classes"])
@pytest.mark.parametrize(
    "scaler",
    [
        StandardScaler(),
        StandardScaler(with_mean=False),
        StandardScaler(with_std=False),
    ],
)
def test_neighbors_behind_a_scaler_have_the_scores_of_scikit_learn(kind, scaler):
    X, y = uneven_kind(kind, 300)
    model = make_pipeline(scaler, KNeighborsClassifier(4))
    found = assert_same_as_sklearn(model, X, y, folds(X, y), 12)
    assert found.method == "neighbors"
    assert found.n_refitted <= 2


def test_distances_that_tie_behind_a_scaler_are_left_to_the_model(monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (30, 4)).astype(float)
    y = np.repeat([0, 1], 15)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    careful = assert_same_as_sklearn(model, X, y, folds(X, y, 5), 15)
    assert careful.n_refitted > 0
    monkeypatch.setattr(neighbors, "ROUNDING", -1.0)
    with pytest.raises(AssertionError):
        assert_same_as_sklearn(model, X, y, folds(X, y, 5), 15)


def test_neighbors_are_found_in_parts_that_fit_in_memory(monkeypatch):
    X, y = uneven_cases(300)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    call = {"cv": folds(X, y), "n_permutations": 30, "random_state": 0}
    whole = permutation_test(model, X, y, **call)
    monkeypatch.setattr(engines, "_ENTRIES", 7_000)
    parts = permutation_test(model, X, y, **call)
    assert np.array_equal(whole.permuted, parts.permuted)
