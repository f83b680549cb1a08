from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from scorecast.classes import extrapolate
from scorecast.classes.extrapolators import (
    AutoExtrapolator,
    BayesianExtrapolator,
    GaussianExtrapolator,
    KdeExtrapolator,
    PolynomialExtrapolator,
    RegressionExtrapolator,
    SplineExtrapolator,
)
from scorecast.classes.methods import METHODS
from scorecast.classes.regression import Regression
from scorecast.exceptions import UsageError

OWN = np.arange(80) % 16
SCORES = np.random.default_rng(0).normal(size=(80, 16)) + 2 * np.eye(16)[OWN]

ESTIMATORS = [
    AutoExtrapolator(),
    BayesianExtrapolator(),
    GaussianExtrapolator(criterion="least-squares"),
    KdeExtrapolator(rule="bcv"),
    KdeExtrapolator(bandwidth=0.5),
    PolynomialExtrapolator(degree=2),
    RegressionExtrapolator(form="simplex", bandwidth=0.7),
    RegressionExtrapolator(
        sizes=[1, 2, 4, 8, 16],
        size_weights=(1.0, 1.0, 1.0, 2.0, 4.0),
        bandwidths=np.array([0.4, 0.8]),
        n_subsamples=3,
        quadrature="r",
    ),
    SplineExtrapolator(n_knots=500),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_every_extrapolator_keeps_the_scikit_learn_contract(estimator):
    before = estimator.get_params()
    copy = clone(estimator)
    assert copy.fit(SCORES, OWN) is copy
    assert repr(estimator.get_params()) == repr(before) == repr(copy.get_params())
    accuracy = copy.predict([16, 64, 10**6])
    assert ((accuracy >= 0) & (accuracy <= 1)).all()
    low, high = copy.predict_interval([64])
    assert low[0] <= accuracy[1] <= high[0]
    assert copy.discriminability([0.0, 0.5, 1.0])[-1] == pytest.approx(1)
    assert copy.n_classes_ == 16
    with pytest.raises(NotFittedError):
        clone(estimator).predict(3)


def test_the_estimator_and_the_function_agree():
    estimator = RegressionExtrapolator(bandwidth=0.5, form="simplex").fit(SCORES, OWN)
    answer = extrapolate(
        SCORES, OWN, to=64, method="regression", bandwidth=0.5, form="simplex"
    )
    assert estimator.predict(64)[0] == pytest.approx(answer.predictions[0].accuracy)


def test_every_option_of_a_method_is_a_parameter_of_its_estimator():
    for name, kind in METHODS.items():
        if name in ("auto", "kde-ucv", "kde-bcv", "kde-fixed"):
            continue  # threads and rules of smoothing have names of their own
        found = next(e for e in ESTIMATORS if e._method == name)
        assert {f.name for f in fields(kind)} <= set(found.get_params()), name


def test_options_of_regression_arrive():
    options = {"sizes": [2, 8, 16], "size_weights": [1, 1, 5], "quadrature": "exact"}
    estimator = RegressionExtrapolator(bandwidth=0.5, **options).fit(SCORES, OWN)
    method = Regression(
        bandwidth=0.5, sizes=(2, 8, 16), size_weights=(1, 1, 5), quadrature="exact"
    )
    answer = extrapolate(SCORES, OWN, to=64, method=method)
    assert estimator.predict(64)[0] == pytest.approx(answer.predictions[0].accuracy)
    tried = RegressionExtrapolator(bandwidths=[0.3, 0.9], n_subsamples=2)
    assert tried.fit(SCORES, OWN).details_["bandwidths"] == [0.3, 0.9]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_perfect_accuracy_is_no_promise_for_a_million(estimator):
    fitted = clone(estimator).fit(SCORES + 50 * np.eye(16)[OWN], OWN)
    low, high = fitted.predict_interval(10**6)
    assert low[0] < 0.5
    assert high[0] == 1


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (RegressionExtrapolator(form="error"), "form"),
        (KdeExtrapolator(rule="sj"), "rule"),
        (KdeExtrapolator(bandwidth=-1), "bandwidth"),
        (GaussianExtrapolator(ties="coin"), "ties"),
        (SplineExtrapolator(average="mean"), "average"),
    ],
)
def test_parameters_are_checked_in_fit(estimator, words):
    with pytest.raises(UsageError, match=words):
        estimator.fit(SCORES, OWN)
