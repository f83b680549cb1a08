"""Elastic net and lasso, next to scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    LassoCV,
    MultiTaskElasticNetCV,
)
from sklearn.model_selection import KFold

from scorecast import EncodingModel
from scorecast.exceptions import DataWarning

# Folds of neighbours, as those of scikit-learn.
TIGHT = {"tol": 1e-10, "max_iter": 100_000, "random_state": None}


def sample(n=60, p=5, q=12, seed=0):
    rng = np.random.default_rng(seed)
    stimuli = rng.normal(size=(n, p))
    common = rng.normal(size=(n, 1)) @ rng.normal(size=(1, q))
    weights = np.random.default_rng(1).normal(size=(p, q))
    return stimuli, stimuli @ weights + common + rng.normal(size=(n, q)) + 7


@pytest.mark.parametrize(
    ("shape", "path"),
    [((60, 6, 4), {}), ((30, 45, 3), {"alphas": np.logspace(-1, 0.5, 8)})],
    ids=str,
)
def test_elastic_net_and_lasso_are_those_of_scikit_learn(shape, path):
    n, p, q = shape
    stimuli, responses = sample(n, p, q)
    ratios, given = [0.3, 0.8], {**path, **TIGHT}
    net = EncodingModel(penalty="elastic-net", l1_ratio=ratios, **given)
    net.fit(stimuli, responses)
    lasso = EncodingModel(penalty="lasso", cv=4, **given).fit(stimuli, responses)
    new, _ = sample(8, p, q, seed=5)
    predicted = net.predict(new), lasso.predict(new)
    for j, y in enumerate(responses.T):
        peers = (
            ElasticNetCV(l1_ratio=ratios, **given).fit(stimuli, y),
            LassoCV(cv=4, **given).fit(stimuli, y),
        )
        assert net.l1_ratio_[j] == peers[0].l1_ratio_
        assert net.alpha_[j] == pytest.approx(peers[0].alpha_, rel=1e-9)
        assert lasso.alpha_[j] == pytest.approx(peers[1].alpha_, rel=1e-9)
        for found, peer in zip(predicted, peers, strict=True):
            np.testing.assert_allclose(found[:, j], peer.predict(new), rtol=1e-6)


def test_one_response_is_fitted_as_by_the_multi_task_elastic_net():
    stimuli, responses = sample(q=1)
    ours = EncodingModel(penalty="elastic-net", **TIGHT).fit(stimuli, responses)
    peer = MultiTaskElasticNetCV(**TIGHT).fit(stimuli, responses)
    assert ours.alpha_[0] == pytest.approx(peer.alpha_, rel=1e-9)
    np.testing.assert_allclose(ours.predict(stimuli), peer.predict(stimuli), rtol=1e-6)


def test_penalties_of_the_paper_in_terms_of_scikit_learn():
    # The solution must be stationary for |y - Xb|^2 + l1 |b|_1 + l2 |b|^2.
    stimuli, responses = sample(q=1)
    y = responses[:, 0] - responses.mean()
    absolute, squared = 60.0, 3.0
    alpha = absolute / (2 * 60) + squared / 60
    ratio = absolute / (2 * 60) / alpha
    b = ElasticNet(alpha=alpha, l1_ratio=ratio, fit_intercept=False, **TIGHT)
    b = b.fit(stimuli, y).coef_
    slope = 2 * stimuli.T @ (y - stimuli @ b) - 2 * squared * b
    inside = b != 0
    assert 0 < inside.sum() < b.size
    np.testing.assert_allclose(slope[inside], absolute * np.sign(b[inside]), rtol=1e-6)
    assert (np.abs(slope[~inside]) <= absolute).all()


def test_held_out_residuals_of_the_elastic_net_come_from_its_folds():
    stimuli, responses = sample(q=2)
    given = {"penalty": "elastic-net", "alphas": [0.1], "cv": 3, "shrinkage": 0.5}
    held, fitted = (
        EncodingModel(**given, residuals=kind, **TIGHT).fit(stimuli, responses)
        for kind in ("held-out", "in-sample")
    )
    squares = np.zeros(2)
    for train, test in KFold(3).split(stimuli):
        model = EncodingModel(**given, **TIGHT).fit(stimuli[train], responses[train])
        squares += ((responses[test] - model.predict(stimuli[test])) ** 2).sum(axis=0)
    np.testing.assert_allclose(held.covariance_.spread**2, squares / 60, rtol=1e-6)
    squares = ((responses - fitted.predict(stimuli)) ** 2).mean(axis=0)
    np.testing.assert_allclose(fitted.covariance_.spread**2, squares, rtol=1e-9)


def test_the_number_of_workers_does_not_matter():
    stimuli, responses = sample(n=30, q=20)
    given = {"penalty": "elastic-net", "alphas": [0.1, 1.0], "cv": 2}
    one, two = (
        EncodingModel(**given, n_jobs=jobs).fit(stimuli, responses) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.covariance_.spread, two.covariance_.spread)


def test_a_solver_that_stops_early_is_reported_once():
    stimuli, responses = sample(p=30)
    model = EncodingModel(penalty="lasso", max_iter=1, tol=1e-12, alphas=[1e-4])
    with pytest.warns(DataWarning, match="12 of 12 responses") as caught:
        model.fit(stimuli, responses)
    assert len(caught) == 1
    assert caught[0].filename == __file__
