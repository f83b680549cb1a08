"""The encoding model as a whole."""

import pickle
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.utils.estimator_checks import check_estimator

from scorecast import EncodingModel
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)
from scorecast.identification.encoding import make_folds

# Messages are ours, and so are the names of the arguments; the solver of ridge has no
# number of passes.
EXPECTED = {
    "check_fit_score_takes_y": "the second argument is called responses",
    "check_complex_data": "wording",
    "check_dtype_object": "wording",
    "check_estimators_empty_data_messages": "wording",
    "check_estimators_nan_inf": "wording",
    "check_non_transformer_estimators_n_iter": "max_iter is for elastic nets",
    "check_fit2d_predict1d": "wording",
    "check_requires_y_none": "wording",
}


def sample(n=60, p=5, q=12, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    stimuli = rng.normal(size=(n, p))
    common = rng.normal(size=(n, 1)) @ rng.normal(size=(1, q))
    weights = np.random.default_rng(1).normal(size=(p, q))
    return stimuli, stimuli @ weights + noise * (common + rng.normal(size=(n, q))) + 7


# Example


def test_it_finds_the_stimulus():
    stimuli, responses = sample(n=90, noise=0.5)
    model = EncodingModel().fit(stimuli[:60], responses[:60])
    scores = model.log_posterior(responses[60:], stimuli[60:])
    assert scores.shape == (30, 30)
    assert (scores <= 0).all()
    assert (scores.argmax(axis=1) == np.arange(30)).mean() > 0.8
    assert model.score(stimuli[60:], responses[60:]) > 0.4


@pytest.mark.parametrize("q", [12, 100])
def test_the_density_is_that_of_scipy(dense, q):
    stimuli, responses = sample(q=q)
    model = EncodingModel().fit(stimuli, responses)
    new, seen = sample(n=9, q=q, seed=3)
    means, sigma = model.predict(new), dense(model.covariance_)
    expected = [
        multivariate_normal(m, sigma).logpdf(y)
        for m, y in zip(means, seen, strict=True)
    ]
    np.testing.assert_allclose(model.log_density(seen, new), expected, rtol=1e-9)


@pytest.mark.parametrize("n_candidates", [3, 40])
@pytest.mark.parametrize("q", [12, 100])
def test_scores_are_minus_half_the_squared_distance(dense, q, n_candidates):
    stimuli, responses = sample(q=q)
    model = EncodingModel(shrinkage=0.3).fit(stimuli, responses)
    candidates, _ = sample(n=n_candidates, seed=4)
    scores = model.log_posterior(responses[:8], candidates)
    inverse = np.linalg.inv(dense(model.covariance_))
    away = responses[:8, None] - model.predict(candidates)
    distances = np.einsum("ijk,kl,ijl->ij", away, inverse, away)
    np.testing.assert_allclose(scores, -distances / 2, rtol=1e-9)


def test_no_distance_is_negative_where_a_prediction_is_perfect():
    # Far from zero squares round by more than the distance is.
    stimuli, responses = sample()
    model = EncodingModel().fit(stimuli, responses)
    candidates = 1e6 * stimuli
    scores = model.log_posterior(model.predict(candidates), candidates)
    assert scores.max() <= 0
    assert np.diag(scores).min() > -1e-6 * np.abs(scores).max()


def test_scores_differ_from_densities_by_a_constant():
    stimuli, responses = sample()
    model = EncodingModel().fit(stimuli, responses)
    scores = np.diag(model.log_posterior(responses, stimuli))
    difference = model.log_density(responses, stimuli) - scores
    assert np.ptp(difference) < 1e-9


# Property


def test_held_out_residuals_measure_the_error_of_predictions():
    # 90 features, 100 samples: the fit follows its own samples far too closely.
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(90, 40))
    stimuli = rng.normal(size=(600, 90))
    responses = stimuli @ weights + rng.normal(size=(600, 40))
    train, test = slice(100), slice(100, None)
    means = {}
    for kind in ("held-out", "in-sample"):
        model = EncodingModel(residuals=kind).fit(stimuli[train], responses[train])
        density = model.log_density(responses[test], stimuli[test])
        error = ((responses[test] - model.predict(stimuli[test])) ** 2).mean()
        claimed = (model.covariance_.spread**2).mean()
        means[kind] = claimed / error, density.mean()
    assert 0.8 < means["held-out"][0] < 1.25
    assert means["in-sample"][0] < 0.3
    assert means["held-out"][1] > means["in-sample"][1] + 10


@pytest.mark.parametrize("q", [12, 100])
def test_units_and_order_of_responses_do_not_matter(q):
    stimuli, responses = sample(q=q)
    rng = np.random.default_rng(2)
    order, units = rng.permutation(q), 10.0 ** rng.uniform(-3, 3, q)
    changed = (responses * units)[:, order] - 5
    base = EncodingModel().fit(stimuli, responses)
    other = EncodingModel().fit(stimuli, changed)
    np.testing.assert_allclose(
        other.log_posterior(changed, stimuli),
        base.log_posterior(responses, stimuli),
        rtol=1e-7,
    )


def test_without_shrinkage_any_mixture_of_responses_will_do():
    stimuli, responses = sample()
    mixing = np.random.default_rng(3).normal(size=(12, 12))
    given = {"alphas": [1.0], "shrinkage": 0.0}
    base = EncodingModel(**given).fit(stimuli, responses)
    mixed = EncodingModel(**given).fit(stimuli, responses @ mixing)
    np.testing.assert_allclose(
        mixed.log_posterior(responses @ mixing, stimuli),
        base.log_posterior(responses, stimuli),
        rtol=1e-7,
    )


@pytest.mark.parametrize("q", [12, 100])
def test_candidates_with_the_same_features_tie_exactly(q):
    stimuli, responses = sample(n=200, q=q)
    model = EncodingModel().fit(stimuli[:60], responses[:60])
    candidates = np.vstack([stimuli, stimuli[::-1], stimuli[5:6]])
    scores = model.log_posterior(responses, candidates)
    np.testing.assert_array_equal(scores[:, :200], scores[:, 399:199:-1])
    np.testing.assert_array_equal(scores[:, 5], scores[:, 400])
    assert np.unique(scores[0]).size == 200
    zeros = model.log_posterior(responses, np.array([[0.0] * 5, [-0.0] * 5]))
    np.testing.assert_array_equal(zeros[:, 0], zeros[:, 1])


def test_blocks_of_rows_do_not_matter(monkeypatch):
    from scorecast.identification import encoding

    stimuli, responses = sample(q=100)
    model = EncodingModel().fit(stimuli, responses)
    whole = model.log_posterior(responses, stimuli)
    density = model.log_density(responses, stimuli)
    monkeypatch.setattr(encoding, "_BLOCK", 700)
    np.testing.assert_allclose(model.log_posterior(responses, stimuli), whole)
    np.testing.assert_allclose(model.log_density(responses, stimuli), density)


def test_scores_need_no_matrix_of_all_responses_and_candidates_at_once():
    stimuli, responses = sample(n=30, q=3_000)
    model = EncodingModel().fit(stimuli, responses)
    many = np.tile(responses, (40, 1))
    tracemalloc.start()
    model.log_posterior(many, stimuli)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # 1,200 x 30 pairs of 3,000 differences would be 864 MB.
    assert peak < 150e6


def test_repeats_of_a_stimulus_are_left_out_together():
    stimuli, responses = sample(n=20, p=15)
    repeats = np.repeat(np.arange(20), 3)
    rng = np.random.default_rng(0)
    noisy = responses[repeats] + 0.1 * rng.normal(size=(60, 12))
    apart = EncodingModel().fit(stimuli[repeats], noisy)
    together = EncodingModel().fit(stimuli[repeats], noisy, groups=repeats)
    splitter = EncodingModel(cv=GroupKFold(20))
    splitter.fit(stimuli[repeats], noisy, groups=repeats)
    np.testing.assert_allclose(together.alpha_, splitter.alpha_)
    np.testing.assert_allclose(together.covariance_.spread, splitter.covariance_.spread)
    # A repeat left behind gives the answer away.
    assert together.covariance_.spread.mean() > 2 * apart.covariance_.spread.mean()


def test_folds_keep_neighbours_and_groups_together():
    stimuli, _ = sample(n=20)
    plain = make_folds(4, stimuli, None, None)
    for fold, (_, test) in zip(plain, KFold(4).split(stimuli), strict=True):
        np.testing.assert_array_equal(fold, test)
    shuffled = make_folds(4, stimuli, None, 3)
    assert sorted(np.concatenate(shuffled)) == list(range(20))
    assert not np.array_equal(shuffled[0], plain[0])
    groups = np.arange(20) % 7
    for fold in make_folds(3, stimuli, groups, 0):
        assert not set(groups[fold]) & set(np.delete(groups, fold))


# Contract


@pytest.mark.parametrize(
    "given", [{}, {"penalty": "elastic-net", "alphas": [0.1], "cv": 2}], ids=str
)
def test_the_contract_of_scikit_learn(given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = check_estimator(
            EncodingModel(**given),
            on_skip=None,
            expected_failed_checks=EXPECTED,
        )
    failed = {c["check_name"] for c in done if c["status"] in ("failed", "xfail")}
    assert failed <= set(EXPECTED)


def test_parameters_survive_and_models_travel():
    stimuli, responses = sample()
    model = EncodingModel(alphas=[1.0, 10.0], shrinkage=0.25, cv=4, random_state=3)
    copy = clone(model).set_params(cv=None).fit(stimuli, responses)
    assert model.get_params()["cv"] == 4
    assert copy.get_params() == {**model.get_params(), "cv": None}
    assert copy.shrinkage_ == 0.25
    assert set(copy.alpha_) <= {1.0, 10.0}
    again = pickle.loads(pickle.dumps(copy))
    np.testing.assert_array_equal(
        again.log_posterior(responses, stimuli), copy.log_posterior(responses, stimuli)
    )
    with pytest.raises(NotFittedError):
        model.log_posterior(responses, stimuli)


def test_coefficients_and_intercepts():
    stimuli, responses = sample(n=20, p=30)
    for kind in ({}, {"penalty": "lasso"}, {"fit_intercept": False}):
        model = EncodingModel(**kind, max_iter=10_000).fit(stimuli, responses)
        assert model.coef_.shape == (12, 30)
        np.testing.assert_allclose(
            stimuli @ model.coef_.T + model.intercept_, model.predict(stimuli)
        )


def test_one_response_may_be_a_vector():
    stimuli, responses = sample(q=1)
    flat = EncodingModel().fit(stimuli, responses[:, 0])
    tall = EncodingModel().fit(stimuli, responses)
    np.testing.assert_array_equal(flat.predict(stimuli), tall.predict(stimuli)[:, 0])
    np.testing.assert_array_equal(
        flat.log_posterior(responses[:, 0], stimuli),
        tall.log_posterior(responses, stimuli),
    )


# Edge and error


def with_value(matrix, value):
    changed = matrix.copy()
    changed[4, 2] = value
    return changed


X, Y = sample()
FLAT = Y.copy()
FLAT[:, [3, 7]] = 0.1


@pytest.mark.parametrize(
    ("stimuli", "responses", "error", "words"),
    [
        (with_value(X, np.nan), Y, InvalidInputError, "stimuli.*column '3', row 5"),
        (X, with_value(Y, np.inf), InvalidInputError, "responses.*column '3', row 5"),
        (X, with_value(Y, 1e300), InvalidInputError, "column '3'.*too large"),
        (X, FLAT, InvalidInputError, "column '4': 2 columns.*never change"),
        (X[:50], Y, InvalidInputError, "60 rows for 50 rows"),
        (X[:1], Y[:1], InsufficientDataError, "3 samples; got 1"),
        (X[:, 0], Y, InvalidInputError, "two dimensions"),
        (csr_array(X), Y, InvalidInputError, "sparse"),
        (np.tile(X[:1], (60, 1)), Y, InsufficientDataError, "told apart"),
        (X.astype(str), Y, InvalidInputError, "numbers"),
        (X, None, InvalidInputError, "responses"),
    ],
)
def test_bad_samples_are_refused_in_one_line(stimuli, responses, error, words):
    with pytest.raises(error, match=words) as caught:
        EncodingModel().fit(stimuli, responses)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code in {3, 4}


@pytest.mark.parametrize("given", [{"fit_intercept": False}, {"penalty": "lasso"}])
def test_one_stimulus_shown_all_the_time_is_refused(given):
    with pytest.raises(InsufficientDataError, match="told apart"):
        EncodingModel(**given).fit(np.tile(X[:1], (60, 1)), Y)


def test_a_response_that_is_a_stimulus_is_refused():
    responses = np.column_stack([Y, X[:, 0]])
    with pytest.raises(InvalidInputError, match=r"column '13'.*without any error"):
        EncodingModel(alphas=[1e-16]).fit(X, responses)


def test_more_responses_than_samples_need_shrinkage():
    stimuli, responses = sample(n=30, q=50)
    with pytest.raises(InsufficientDataError, match="singular"):
        EncodingModel(shrinkage=0).fit(stimuli, responses)
    assert 0 < EncodingModel().fit(stimuli, responses).shrinkage_ < 1


def test_a_response_measured_twice():
    stimuli, responses = sample()
    twice = np.column_stack([responses, responses[:, 0]])
    with pytest.raises(InsufficientDataError, match="singular"):
        EncodingModel(shrinkage=0).fit(stimuli, twice)
    model = EncodingModel().fit(stimuli, twice)
    assert np.isfinite(model.log_posterior(twice, stimuli)).all()


def test_the_same_stimulus_shown_again_is_welcome():
    stimuli, responses = sample()
    stimuli[30:] = stimuli[:30]
    model = EncodingModel().fit(stimuli, responses)
    scores = model.log_posterior(responses, stimuli)
    np.testing.assert_array_equal(scores[:, :30], scores[:, 30:])


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"penalty": "ridg"}, UsageError, "Try 'ridge'"),
        ({"shrinkage": 1.5}, UsageError, "shrinkage"),
        ({"shrinkage": "oas"}, UsageError, "shrinkage"),
        ({"residuals": "loo"}, UsageError, "residuals"),
        ({"alphas": [0.0, 1.0]}, UsageError, "alphas"),
        ({"alphas": []}, UsageError, "alphas"),
        ({"alphas": "auto"}, UsageError, "alphas"),
        ({"penalty": "elastic-net", "l1_ratio": 0.0}, UsageError, "l1_ratio"),
        ({"penalty": "lasso", "n_jobs": 0}, UsageError, "n_jobs"),
        ({"cv": 1}, UsageError, "2 folds"),
        ({"cv": 61}, InsufficientDataError, "60 samples.*61 folds"),
        ({"cv": ShuffleSplit(3)}, UsageError, "exactly once"),
    ],
)
def test_options_are_checked_in_fit(given, error, words):
    with pytest.raises(error, match=words):
        EncodingModel(**given).fit(X, Y)


@pytest.mark.parametrize(
    ("groups", "error"),
    [([1, 2], InvalidInputError), ([0] * 60, InsufficientDataError)],
)
def test_groups_are_checked(groups, error):
    with pytest.raises(error, match="group"):
        EncodingModel().fit(X, Y, groups=groups)


def test_later_input_must_match_what_was_learned():
    model = EncodingModel().fit(X, Y)
    for call in (
        lambda: model.predict(X[:, :3]),
        lambda: model.log_posterior(Y[:, :4], X),
        lambda: model.log_posterior(Y, X[:, :3]),
        lambda: model.log_density(Y, X[:10]),
        lambda: model.log_posterior(with_value(Y, np.nan), X),
    ):
        with pytest.raises(InvalidInputError):
            call()


MEMORY = """
import re
import numpy as np
from scorecast import EncodingModel

def resident(name):
    status = open("/proc/self/status").read()
    return int(re.search(name + r":\\s+(\\d+)", status)[1]) / 1024

rng = np.random.default_rng(0)
stimuli = rng.standard_normal((1_000, 500))
responses = rng.standard_normal((1_000, 20_000))
responses[:, :500] += stimuli
EncodingModel().fit(stimuli[:50], responses[:50, :80])
before = resident("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
model = EncodingModel(alphas=[10.0, 1e4]).fit(stimuli, responses)
scores = model.log_posterior(responses, stimuli)
assert (scores.argmax(axis=1) == np.arange(1_000)).mean() > 0.9
print(resident("VmHWM") - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory from /proc")
def test_twenty_thousand_responses_fit_in_memory():
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 2_000  # responses x responses would be 3,052 MB


def test_a_second_fit_forgets_the_first_penalty():
    rng = np.random.default_rng(0)
    stimuli = rng.normal(size=(30, 3))
    responses = stimuli + rng.normal(size=(30, 3))
    model = EncodingModel(penalty="lasso").fit(stimuli, responses)
    assert hasattr(model, "l1_ratio_")
    model.set_params(penalty="ridge").fit(stimuli, responses)
    assert not hasattr(model, "l1_ratio_")
