"""The same answers as other libraries, where theirs are right."""

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from scorecast.evaluation import (
    METRICS,
    Predictions,
    bias_variance,
    check_data,
    collect_estimates,
    draw_splits,
)
from scorecast.evaluation.estimates import no_information_value
from scorecast.evaluation.null_tests import paired_test

RNG = np.random.default_rng


def test_the_corrected_t_is_the_posterior_of_baycomp():
    baycomp = pytest.importorskip("baycomp")
    rng = RNG(0)
    mine, other = rng.normal(0.3, 0.1, 50), rng.normal(0.34, 0.1, 50)
    # Five runs of ten folds: n_test / n_train is 1/9.
    posterior = baycomp.CorrelatedTTest(mine, other, rope=0, runs=5)
    worse, better = posterior.probs()
    test = paired_test(mine, other, 1 / 9)
    assert test.p_t == pytest.approx(worse if test.gap > 0 else better, abs=1e-9)
    plain = paired_test(mine, other, 0.0)
    assert plain.p_t < 0.5 * test.p_t  # without the correction they would differ


def test_without_information_errors_are_those_of_mlxtend():
    module = pytest.importorskip("mlxtend.evaluate.bootstrap_point632")
    rng = RNG(1)
    truth, said = rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    theirs = module.no_information_rate(
        truth, said, lambda y, p: float(np.mean(np.asarray(y) != np.asarray(p)))
    )
    predictions = Predictions(truth=truth, predicted=said, n_classes=3)
    ours = no_information_value(METRICS["error_rate"], predictions, rng)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_errors_of_samples_left_out_are_those_of_mlxtend(easy):
    evaluate = pytest.importorskip("mlxtend.evaluate")
    theirs = evaluate.bootstrap_point632_score(
        NearestCentroid(), *easy, n_splits=12, method="oob", random_seed=3
    )
    # Its .632 weights every sample's own training error and its mean is of samples;
    # Efron's, and ours, are of one fit to all. So only these are compared.
    data = check_data(*easy)
    splits = evaluate.BootstrapOutOfBag(n_splits=12, random_seed=3).split(easy[0])
    plan = draw_splits(list(splits), data, RNG(0))
    found = collect_estimates(NearestCentroid(), data, plan, rng=RNG(0))
    assert found.measure(METRICS["accuracy"]).folds == pytest.approx(theirs, abs=1e-12)


class Recorder:
    """Keeps what another estimator says."""

    def __init__(self, model):
        self.model, self.said = model, []

    def fit(self, X, y):
        self.model.fit(X, y)
        return self

    def predict(self, X):
        self.said.append(self.model.predict(X))
        return self.said[-1]


def test_bias_and_variance_of_classes_are_those_of_mlxtend(easy):
    evaluate = pytest.importorskip("mlxtend.evaluate")
    X, y = easy
    model = Recorder(DecisionTreeClassifier(max_depth=2, random_state=0))
    error, bias, unsigned = evaluate.bias_variance_decomp(
        model,
        X[:25],
        y[:25],
        X[25:],
        y[25:],
        loss="0-1_loss",
        num_rounds=15,
        random_seed=1,
    )
    said = np.array(model.said)
    rows = np.tile(np.arange(15), 15)
    found = bias_variance(np.tile(y[25:], 15), said.ravel(), rows, 2)
    both = {part.method: part for part in found}
    assert both["domingos"].error == pytest.approx(error)
    assert both["kohavi-wolpert"].error == pytest.approx(error)
    assert both["domingos"].bias == pytest.approx(bias)
    # Its variance does not know that it mends what most fits get wrong.
    shares = np.mean(said == 1, axis=0)
    assert unsigned == pytest.approx(np.minimum(shares, 1 - shares).mean())
    assert both["domingos"].variance == pytest.approx(error - bias)


def test_bias_and_variance_of_numbers_are_those_of_mlxtend(line):
    evaluate = pytest.importorskip("mlxtend.evaluate")
    X, y = line
    model = Recorder(DecisionTreeRegressor(max_depth=2, random_state=0))
    error, bias, variance = evaluate.bias_variance_decomp(
        model,
        X[:25],
        y[:25],
        X[25:],
        y[25:],
        loss="mse",
        num_rounds=15,
        random_seed=1,
    )
    rows = np.tile(np.arange(15), 15)
    (ours,) = bias_variance(np.tile(y[25:], 15), np.array(model.said).ravel(), rows, 0)
    assert ours.error == pytest.approx(error)
    # Theirs is not corrected for the number of fits.
    assert ours.variance * 14 / 15 == pytest.approx(variance)
    assert ours.bias + ours.variance / 15 == pytest.approx(bias)
