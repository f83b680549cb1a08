import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from scorecast.classes import extrapolate
from scorecast.classes.extrapolators import (
    AutoExtrapolator,
    GaussianExtrapolator,
    KdeExtrapolator,
    PolynomialExtrapolator,
    RegressionExtrapolator,
    SplineExtrapolator,
)
from scorecast.exceptions import UsageError

OWN = np.arange(80) % 16
SCORES = np.random.default_rng(0).normal(size=(80, 16)) + 2 * np.eye(16)[OWN]

ESTIMATORS = [
    AutoExtrapolator(),
    GaussianExtrapolator(criterion="least-squares"),
    KdeExtrapolator(rule="bcv"),
    KdeExtrapolator(bandwidth=0.5),
    PolynomialExtrapolator(degree=2),
    RegressionExtrapolator(form="simplex", bandwidth=0.7),
    SplineExtrapolator(n_knots=500),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_every_extrapolator_keeps_the_scikit_learn_contract(estimator):
    before = estimator.get_params()
    copy = clone(estimator)
    assert copy.fit(SCORES, OWN) is copy
    assert estimator.get_params() == before == copy.get_params()
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


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_perfect_accuracy_is_no_promise_for_a_million(estimator):
    fitted = clone(estimator).fit(SCORES + 50 * np.eye(16)[OWN], OWN)
    assert fitted.predict(10**6)[0] < 0.5


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
