"""Ridge for all responses at once, next to scikit-learn and to fits made one by one."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import ortho_group
from sklearn.linear_model import Ridge, RidgeCV

from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.identification import PENALTIES
from scorecast.identification.regression import (
    PenaltySearch,
    fit_ridge as fit_by_search,
)

ALPHAS = np.logspace(-3, 4, 20)
SHAPES = [(60, 10, 9), (40, 90, 9), (50, 49, 12), (50, 50, 12), (30, 1, 4)]


def fit_ridge(stimuli, responses, **search):
    return fit_by_search(stimuli, responses, PenaltySearch(**search))


def sample(n, p, q, seed=0):
    rng = np.random.default_rng(seed)
    stimuli = rng.normal(size=(n, p)) * rng.exponential(size=p) + 3
    signal = stimuli @ rng.normal(size=(p, q)) * rng.exponential(size=q) / np.sqrt(p)
    return stimuli, signal + rng.normal(size=(n, q)) - 20


def refitted(stimuli, responses, folds, alpha, fit_intercept):
    """Errors on rows left out, by leaving them out."""
    errors = np.empty_like(responses)
    for rows in folds:
        rest = np.setdiff1d(np.arange(len(stimuli)), rows)
        model = Ridge(alpha=alpha, fit_intercept=fit_intercept, solver="svd")
        model.fit(stimuli[rest], responses[rest])
        errors[rows] = responses[rows] - model.predict(stimuli[rows])
    return errors


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_penalties_and_predictions_are_those_of_ridgecv(shape, fit_intercept):
    stimuli, responses = sample(*shape)
    new = sample(11, *shape[1:], seed=1)[0]
    found = fit_ridge(stimuli, responses, alphas=ALPHAS, fit_intercept=fit_intercept)
    predicted = found.mean.predict(new)
    for j, y in enumerate(responses.T):
        peer = RidgeCV(alphas=ALPHAS, fit_intercept=fit_intercept).fit(stimuli, y)
        assert found.alphas[j] == peer.alpha_
        error = (found.residuals[:, j] ** 2).mean()
        assert error == pytest.approx(-peer.best_score_, rel=1e-8)
        np.testing.assert_allclose(predicted[:, j], peer.predict(new), rtol=1e-8)


def test_the_map_has_the_coefficients_of_ridge():
    stimuli, responses = sample(20, 35, 4)
    found = fit_ridge(stimuli, responses, alphas=np.array([2.0]))
    peer = Ridge(alpha=2.0, solver="svd").fit(stimuli, responses)
    np.testing.assert_allclose(found.mean.coefficients().T, peer.coef_, atol=1e-10)
    np.testing.assert_allclose(found.mean.intercept(), peer.intercept_, rtol=1e-10)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(4, 14),
    p=st.integers(1, 20),
    alpha=st.floats(1e-4, 1e4),
    n_folds=st.integers(2, 4),
    fit_intercept=st.booleans(),
    seed=st.integers(0, 100),
)
def test_rows_left_out_in_closed_form_as_if_refitted(
    n, p, alpha, n_folds, fit_intercept, seed
):
    stimuli, responses = sample(n, p, 3, seed)
    order = np.random.default_rng(seed).permutation(n)
    kind = {"alphas": np.array([alpha]), "fit_intercept": fit_intercept}
    folds = np.array_split(order, n_folds)
    for given_folds, left_out in ((folds, folds), (None, np.arange(n)[:, None])):
        found = fit_ridge(stimuli, responses, folds=given_folds, **kind)
        expected = refitted(stimuli, responses, left_out, alpha, fit_intercept)
        np.testing.assert_allclose(found.residuals, expected, rtol=1e-6, atol=1e-8)


def test_residuals_of_the_fit_if_asked_for():
    stimuli, responses = sample(25, 6, 3)
    found = fit_ridge(stimuli, responses, alphas=ALPHAS, is_held_out=False)
    fitted = found.mean.predict(stimuli)
    np.testing.assert_allclose(found.residuals, responses - fitted, atol=1e-10)


def test_a_tiny_penalty_does_not_cancel_with_more_features_than_samples():
    stimuli, responses = sample(20, 60, 3)
    # Leaving one out barely depends on the penalty here; the residuals of the fit are
    # of the order of the penalty and would lose every digit as a difference.
    tiny, small = (
        fit_ridge(stimuli, responses, alphas=np.array([a])).residuals
        for a in (1e-13, 1e-8)
    )
    np.testing.assert_allclose(tiny, small, rtol=1e-7)


def test_a_sample_that_has_a_feature_of_its_own():
    stimuli, responses = sample(30, 4, 3)
    stimuli = np.column_stack([stimuli, np.eye(30)[0]])
    found = fit_ridge(stimuli, responses, alphas=np.array([1e-9]))
    rest = fit_ridge(stimuli[1:], responses[1:], alphas=np.array([1e-9]))
    expected = responses[0] - rest.mean.predict(stimuli[:1])[0]
    np.testing.assert_allclose(found.residuals[0], expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [(40, 8, 6), (20, 35, 6)], ids=str)
def test_what_must_not_matter(shape):
    stimuli, responses = sample(*shape)
    p, q = shape[1:]
    rng = np.random.default_rng(2)
    turn = ortho_group.rvs(p, random_state=3)
    order = rng.permutation(q)
    base = fit_ridge(stimuli, responses)
    rotated = fit_ridge(stimuli @ turn, responses)
    moved = fit_ridge(stimuli + rng.normal(size=p), responses)
    scaled = fit_ridge(1000 * stimuli, responses)  # the default penalties follow
    permuted = fit_ridge(stimuli, responses[:, order])
    expected = base.mean.predict(stimuli)
    pairs = [
        (rotated.mean.predict(stimuli @ turn), expected),
        (scaled.mean.predict(1000 * stimuli), expected),
        (permuted.mean.predict(stimuli), expected[:, order]),
        (moved.residuals, base.residuals),
    ]
    for found, wanted in pairs:
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(scaled.alphas, 1e6 * base.alphas, rtol=1e-9)


def test_one_column_by_itself_is_fitted_as_among_others():
    stimuli, responses = sample(40, 12, 600)
    every = fit_ridge(stimuli, responses, alphas=ALPHAS)
    alone = fit_ridge(stimuli, responses[:, 517:518], alphas=ALPHAS)
    assert every.alphas[517] == alone.alphas[0]
    np.testing.assert_allclose(every.residuals[:, 517], alone.residuals[:, 0])


def test_single_precision_is_summed_in_double():
    stimuli, responses = sample(40, 12, 5)
    coarse = responses.astype(np.float32)
    one, two = (fit_ridge(stimuli, y) for y in (coarse, coarse.astype(np.float64)))
    np.testing.assert_array_equal(one.residuals, two.residuals)


def test_constant_and_repeated_features_change_nothing():
    stimuli, responses = sample(30, 5, 4)
    expected = fit_ridge(stimuli, responses, alphas=ALPHAS).mean.predict(stimuli)
    padded = np.column_stack([stimuli, np.full(30, 0.1), np.full(30, 1e7)])
    found = fit_ridge(padded, responses, alphas=ALPHAS).mean.predict(padded)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    twice = np.column_stack([stimuli, stimuli]) / np.sqrt(2)
    found = fit_ridge(twice, responses, alphas=ALPHAS).mean.predict(twice)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_stimuli_that_are_all_alike_are_refused():
    _, responses = sample(30, 5, 4)
    with pytest.raises(InsufficientDataError, match="told apart"):
        fit_ridge(np.full((30, 3), 0.1), responses)


def test_a_penalty_too_small_for_groups_with_features_of_their_own():
    stimuli, responses = sample(30, 4, 3)
    groups = np.repeat(np.arange(6), 5)
    own = np.column_stack([stimuli, np.eye(6)[groups]])
    folds = [np.flatnonzero(groups == g) for g in range(6)]
    found = fit_ridge(own, responses, alphas=np.array([0.1]), folds=folds)
    expected = refitted(own, responses, folds, 0.1, True)
    np.testing.assert_allclose(found.residuals, expected, rtol=1e-6, atol=1e-8)
    with pytest.raises(UsageError, match="`alphas`: with a penalty of 1e-18"):
        fit_ridge(own, responses, alphas=np.array([1e-18]), folds=folds)


@pytest.mark.parametrize("name", PENALTIES)
def test_a_penalty_is_linear_in_the_responses_where_it_says_so(name):
    stimuli, responses = sample(40, 4, 2)
    penalty = PENALTIES[name]
    halves = [np.arange(0, 40, 2), np.arange(1, 40, 2)]
    search = PenaltySearch(alphas=np.array([0.7]), folds=halves, tol=1e-12)
    both = responses @ [[1.0], [1.0]]
    found, mixed = (
        penalty.fit(stimuli, y, search).mean.predict(stimuli) for y in (responses, both)
    )
    is_sum = np.allclose(found.sum(axis=1), mixed[:, 0], rtol=1e-9)
    assert is_sum == penalty.is_linear
