"""Losses against reference values and scikit-learn."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import metrics
from tests.assessing import assess_bare, only

from scorecast.evaluation import (
    METRICS,
    Needs,
    PosLabel,
    Predictions,
    Task,
    check_scoring,
    cost_metric,
    metrics as kernels,
    smoothed_error,
)
from scorecast.evaluation.metrics import ByFrequency
from scorecast.exceptions import InvalidInputError, UsageError


def predictions(n_classes, n=60, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    raw = rng.normal(size=(n, n_classes)) + np.eye(n_classes)[truth]
    scores = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    return Predictions(
        truth=truth,
        predicted=scores.argmax(axis=1),
        scores=scores,
        is_probability=True,
        n_classes=n_classes,
    )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_losses_agree_with_scikit_learn(n_classes):
    o = predictions(n_classes)
    y, f, p = o.truth, o.predicted, o.scores
    several = {} if n_classes == 2 else {"multi_class": "ovr"}
    expected = {
        "accuracy": metrics.accuracy_score(y, f),
        "error_rate": 1 - metrics.accuracy_score(y, f),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, f),
        "roc_auc": metrics.roc_auc_score(
            y, p[:, 1] if n_classes == 2 else p, **several
        ),
        "f1": metrics.f1_score(y, f, average="binary" if n_classes == 2 else "macro"),
        "matthews_corrcoef": metrics.matthews_corrcoef(y, f),
        "log_loss": metrics.log_loss(y, p),
        "sensitivity": metrics.recall_score(y, f, average=None)[-1],
    }
    if n_classes == 2:
        expected["brier_score"] = metrics.brier_score_loss(y, p[:, 1])
        expected["specificity"] = metrics.recall_score(y, f, pos_label=0)
    for name, value in expected.items():
        assert METRICS[name].measure(o) == pytest.approx(value), name


def test_numbers_are_those_of_the_formula_book():
    y, f = np.array([1.0, 2, 4, 0]), np.array([1.5, 1.5, 5, 0])
    assert kernels.root_mean_squared_error(y, f) == pytest.approx(0.6123724357)
    assert kernels.symmetric_errors(y, f).mean() == pytest.approx(0.2269841270)
    assert np.isnan(kernels.relative_errors(y, f)[3])


def test_smoothed_error_is_that_of_the_population():
    # Margins N(1, 1), ramp of width .3: the formula book has .1690751812.
    quantiles = norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    scores = np.column_stack([np.zeros(200_000), 1 + quantiles])
    found = kernels.smoothed_error_samples(np.ones(200_000, int), scores, 0.3)
    assert found.mean() == pytest.approx(0.1690751812, abs=1e-5)


def test_without_a_ramp_the_smoothed_error_counts_errors():
    o = predictions(3)
    assert smoothed_error(1e-9).measure(o) == pytest.approx(
        METRICS["error_rate"].measure(o)
    )


def test_stated_error_of_two_normals_is_near_the_bayes_error():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100_000) + 2 * rng.integers(0, 2, 100_000)
    p = 1 / (1 + np.exp(-2 * (x - 1)))
    found = kernels.posterior_error_samples(np.column_stack([1 - p, p])).mean()
    assert found == pytest.approx(norm.cdf(-1), abs=0.002)


def test_costs_of_one_are_the_error_and_a_wrong_matrix_is_refused():
    o = predictions(3)
    equal = cost_metric(1 - np.eye(3))
    assert equal.measure(o) == pytest.approx(METRICS["error_rate"].measure(o))
    with pytest.raises(InvalidInputError, match="for 2 classes"):
        cost_metric([[0, 1], [1, 0]]).measure(o)
    with pytest.raises(InvalidInputError, match="square"):
        cost_metric([[0, 1, 2], [1, 0, 2]])


def test_what_needs_an_absent_class_is_undefined():
    o = predictions(3).take(np.array([0, 3, 6]))
    for name in ("roc_auc", "balanced_accuracy", "matthews_corrcoef"):
        assert np.isnan(METRICS[name].measure(o)), name


def test_constant_scores_give_half_the_area():
    assert kernels.roc_auc(np.array([0, 1, 1]), np.zeros((3, 2))) == 0.5


def test_area_is_that_of_proc(shared_golden):
    import json

    data = json.loads((shared_golden / "proc_asah_delong.json").read_text())
    y, s = np.array(data["y"]), np.array(data["s100b"])
    scores = np.column_stack([-s, s])
    assert kernels.roc_auc(y, scores) == pytest.approx(0.7313685637)


@pytest.mark.parametrize("scoring", ["acuracy", "rmse", ["error", "error"], []])
def test_metrics_of_another_task_or_unknown_ones_are_refused(scoring):
    with pytest.raises(UsageError) as caught:
        check_scoring(scoring, Task.CLASSIFICATION)
    assert caught.value.parameter == "scoring"


def test_the_brier_score_ends_where_it_can():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + 3 * y[:, None]
    width = {}
    for labels in (y, np.arange(40) % 4):
        main = only(assess_bare("naive-bayes", X, labels, scoring="brier")).main
        by = {x.method: x.width for x in main.intervals}
        width[int(labels.max()) + 1] = by["hoeffding"]
    # Hoeffding's half-width is a multiple of the range: 1 for two classes, else 2.
    half = np.sqrt(np.log(2 / 0.05) / (2 * 40))
    assert width[2] <= 2 * half + 1e-12
    assert width[4] > 2 * half
    wrong = kernels.brier_samples(np.array([1]), np.array([[1.0, 0.0]]))
    assert wrong == 1


def any_predictions(metric, n=40, seed=0):
    if metric.task is Task.CLASSIFICATION:
        return predictions(3 if seed % 2 else 2, n, seed)
    rng = np.random.default_rng(seed)
    return Predictions(
        truth=rng.normal(size=n), predicted=rng.normal(size=n), scale=4.0
    )


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("seed", range(4))
def test_claims_of_a_metric_are_true(name, seed):
    metric = METRICS[name]
    given = any_predictions(metric, seed=seed)
    value = metric.measure(given)
    assert metric.low <= value <= metric.high
    each = metric.samples(given)
    assert (each is not None) == metric.is_mean_of_samples
    if each is not None:
        assert value == pytest.approx(each.mean())
        assert np.isin(each, (0, 1)).all() == metric.is_binary
    assert metric.can_measure(given)
    if metric.needs in (Needs.SCORES, Needs.PROBABILITIES):
        bare = Predictions(
            truth=given.truth, predicted=given.predicted, n_classes=given.n_classes
        )
        assert not metric.can_measure(bare)
        with pytest.raises(UsageError):
            metric.measure(bare)
    assert metric.is_proportion <= (metric.high == 1)
    assert bool(metric.class_of(["a", "b"])) == (metric.pos_label is not PosLabel.NO)


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.sklearn_name])
def test_a_metric_is_the_function_of_scikit_learn_that_it_names(name):
    metric = METRICS[name]
    given = any_predictions(metric)
    said = given.predicted
    if metric.needs in (Needs.SCORES, Needs.PROBABILITIES):
        said = given.scores[:, 1]
    theirs = getattr(metrics, metric.sklearn_name)
    assert metric.measure(given) == pytest.approx(theirs(given.truth, said))


def test_a_resample_may_lack_a_class():
    given = predictions(3).take(np.array([0, 1, 3, 4, 6]))
    metric = METRICS["balanced_accuracy"]
    assert np.isnan(metric.measure(given))
    right = given.truth == given.predicted
    recalls = [right[given.truth == c].mean() for c in (0, 1)]
    assert metric.measure(given, absent="ignore") == pytest.approx(np.mean(recalls))


def test_short_names_are_understood():
    assert METRICS.choose("auc", parameter="scoring").name == "roc_auc"
    assert METRICS.choose("rmse", parameter="scoring").task is Task.REGRESSION


# Of a mean over samples those of a large class count for more, by definition.
OF_CLASSES = [
    name
    for name in METRICS.select(task=Task.CLASSIFICATION, needs=Needs.LABELS)
    if not METRICS[name].is_mean_of_samples
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_how_often_classes_are_tested_matters_where_a_metric_says_so(name, n_classes):
    metric = METRICS[name]
    found = predictions(n_classes)
    rows = np.arange(found.n)
    more = np.concatenate([rows, np.repeat(rows[found.truth == 0], 3)])
    matters = metric.measure(found.take(more)) != pytest.approx(metric.measure(found))
    expected = {ByFrequency.ALWAYS}
    if n_classes > 2:
        expected.add(ByFrequency.MANY_CLASSES)
    assert matters == (metric.by_frequency in expected)
