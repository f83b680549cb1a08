"""Losses against reference values and scikit-learn."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import metrics

import scorecast as sc
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.guarantees import LOSSES, cost_loss, smoothed_loss
from scorecast.guarantees import classification_losses as of_classes
from scorecast.guarantees import regression_losses as of_numbers
from scorecast.guarantees.losses import check_losses
from scorecast.guarantees.outcomes import Outcome


def outcome(n_classes, n=60, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    raw = rng.normal(size=(n, n_classes)) + np.eye(n_classes)[truth]
    scores = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    return Outcome(
        truth=truth,
        predicted=scores.argmax(axis=1),
        scores=scores,
        is_probability=True,
        n_classes=n_classes,
    )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_losses_agree_with_scikit_learn(n_classes):
    o = outcome(n_classes)
    y, f, p = o.truth, o.predicted, o.scores
    several = {} if n_classes == 2 else {"multi_class": "ovr"}
    expected = {
        "accuracy": metrics.accuracy_score(y, f),
        "error": 1 - metrics.accuracy_score(y, f),
        "balanced-accuracy": metrics.balanced_accuracy_score(y, f),
        "auc": metrics.roc_auc_score(y, p[:, 1] if n_classes == 2 else p, **several),
        "f1": metrics.f1_score(y, f, average="binary" if n_classes == 2 else "macro"),
        "mcc": metrics.matthews_corrcoef(y, f),
        "log-loss": metrics.log_loss(y, p),
        "sensitivity": metrics.recall_score(y, f, average=None)[-1],
    }
    if n_classes == 2:
        expected["brier"] = metrics.brier_score_loss(y, p[:, 1])
        expected["specificity"] = metrics.recall_score(y, f, pos_label=0)
    for name, value in expected.items():
        assert LOSSES[name].measure(o) == pytest.approx(value), name


def test_numbers_are_those_of_the_formula_book():
    y, f = np.array([1.0, 2, 4, 0]), np.array([1.5, 1.5, 5, 0])
    assert of_numbers.rmse(y, f) == pytest.approx(0.6123724357)
    assert of_numbers.nrmse(y, f) == pytest.approx(0.1530931089)
    assert of_numbers.nrmse(y, f, "sd") == pytest.approx(0.3585685828)
    assert of_numbers.nrmse(y, f, "mean") == pytest.approx(0.3499271061)
    assert of_numbers.smape_cases(y, f).mean() == pytest.approx(0.2269841270)
    assert np.isnan(of_numbers.relative_error_cases(y, f)[3])


def test_smoothed_error_is_that_of_the_population():
    # Margins N(1, 1), ramp of width .3: the formula book has .1690751812.
    quantiles = norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    scores = np.column_stack([np.zeros(200_000), 1 + quantiles])
    found = of_classes.smoothed_error_cases(np.ones(200_000, int), scores, 0.3)
    assert found.mean() == pytest.approx(0.1690751812, abs=1e-5)


def test_without_a_ramp_the_smoothed_error_counts_errors():
    o = outcome(3)
    assert smoothed_loss(1e-9).measure(o) == pytest.approx(LOSSES["error"].measure(o))


def test_stated_error_of_two_normals_is_near_the_bayes_error():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100_000) + 2 * rng.integers(0, 2, 100_000)
    p = 1 / (1 + np.exp(-2 * (x - 1)))
    found = of_classes.posterior_error_cases(np.column_stack([1 - p, p])).mean()
    assert found == pytest.approx(norm.cdf(-1), abs=0.002)


def test_costs_of_one_are_the_error_and_a_wrong_matrix_is_refused():
    o = outcome(3)
    equal = cost_loss(1 - np.eye(3))
    assert equal.measure(o) == pytest.approx(LOSSES["error"].measure(o))
    with pytest.raises(InvalidInputError, match="for 2 classes"):
        cost_loss([[0, 1], [1, 0]]).measure(o)
    with pytest.raises(InvalidInputError, match="square"):
        cost_loss([[0, 1, 2], [1, 0, 2]])


def test_what_needs_an_absent_class_is_undefined():
    o = outcome(3).chosen(np.array([0, 3, 6]))
    for name in ("auc", "balanced-accuracy", "mcc"):
        assert np.isnan(LOSSES[name].measure(o)), name


def test_constant_scores_give_half_the_area():
    assert of_classes.auc(np.array([0, 1, 1]), np.zeros((3, 2))) == 0.5


def test_area_is_that_of_proc(shared_golden):
    import json

    data = json.loads((shared_golden / "proc_asah_delong.json").read_text())
    y, s = np.array(data["y"]), np.array(data["s100b"])
    scores = np.column_stack([-s, s])
    assert of_classes.auc(y, scores) == pytest.approx(0.7313685637)


def test_losses_of_another_task_or_unknown_ones_are_refused():
    with pytest.raises(UsageError, match="Did you mean 'accuracy'"):
        check_losses("acuracy", "classification")
    with pytest.raises(UsageError, match="must be one of"):
        check_losses("rmse", "classification")
    with pytest.raises(UsageError, match="different"):
        check_losses(["error", "error"], "classification")


def test_the_brier_score_ends_where_it_can():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + 3 * y[:, None]
    call = {"n_permutations": 0, "n_resamples": 0, "with_bias_variance": False}
    width = {}
    for labels in (y, np.arange(40) % 4):
        found = sc.assess("naive-bayes", X, labels, losses="brier", **call)
        bounds = {b.method: b for b in found.models[0].losses[0].bounds}
        width[int(labels.max()) + 1] = bounds["hoeffding"].width
    # Hoeffding's half-width is a multiple of the range: 1 for two classes, else 2.
    half = np.sqrt(np.log(2 / 0.05) / (2 * 40))
    assert width[2] <= 2 * half + 1e-12
    assert width[4] > 2 * half
    wrong = of_classes.brier_cases(np.array([1]), np.array([[1.0, 0.0]]))
    assert wrong == 1
