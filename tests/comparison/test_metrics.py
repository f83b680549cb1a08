"""Metrics by name, against scikit-learn and against what they are defined as."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison.metrics import METRICS
from scorecast.exceptions import InvalidInputError, UsageError

RNG = np.random.default_rng(0)
N = 90
TRUTH = np.array(["ill", "well"])[np.arange(N) % 2]
SICK = np.arange(N) % 2  # the class that sorts last is "well"
CHANCES = np.clip(0.3 + 0.4 * SICK + RNG.normal(0, 0.3, (2, N)), 0.02, 0.98).round(2)
SAID = np.where(CHANCES > 0.5, "well", "ill")
NUMBERS = SICK + RNG.normal(0, 1, (2, N))
GROUPS = np.repeat(np.arange(30), 3)


def oracle(name, said):
    metrics = pytest.importorskip("sklearn.metrics")
    if name in ("accuracy", "balanced-accuracy"):
        return getattr(metrics, f"{name.replace('-', '_')}_score")(TRUTH, said)
    function = {
        "auc": metrics.roc_auc_score,
        "brier": metrics.brier_score_loss,
        "log-loss": metrics.log_loss,
        "mse": metrics.mean_squared_error,
        "mae": metrics.mean_absolute_error,
        "rmse": lambda *x: metrics.mean_squared_error(*x) ** 0.5,
    }[name]
    return function(SICK, said)


def given(name):
    """Return predictions and truth that a metric takes."""
    takes = METRICS[name].takes
    said = {"labels": SAID, "numbers": NUMBERS}.get(takes, CHANCES)
    return said, SICK.astype(float) if takes == "numbers" else TRUTH


@pytest.mark.parametrize("name", sorted(METRICS))
def test_differences_are_scikit_learns(name):
    said, truth = given(name)
    found = sc.compare_pair(*said, y_true=truth, metric=name, random_state=0,
                            n_resamples=99)  # fmt: skip
    wanted = oracle(name, said[0]) - oracle(name, said[1])
    assert found.found.difference == pytest.approx(wanted, rel=1e-10)
    assert found.found.test == "permutation"
    assert f"difference in {METRICS[name].title} " in found.summary()
    assert found.greater_is_better == (name in ("accuracy", "balanced-accuracy", "auc"))


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_name_gives_what_the_function_does_by_group(test):
    metrics = pytest.importorskip("sklearn.metrics")
    options = {"groups": GROUPS, "test": test, "random_state": 0, "n_resamples": 199}
    named = sc.compare_pair(*CHANCES, y_true=SICK, metric="auc", **options)
    own = sc.compare_pair(*CHANCES, y_true=SICK, metric=metrics.roc_auc_score,
                          **options)  # fmt: skip
    assert named.n_units == 30
    ours, theirs = named.found, own.found
    assert (ours.p, ours.low, ours.high) == pytest.approx(
        (theirs.p, theirs.low, theirs.high), rel=1e-9
    )


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "paired-t", "bootstrap"])
def test_means_of_cases_are_compared_as_losses_of_cases(test):
    losses = (CHANCES - SICK) ** 2
    options = {"test": test, "random_state": 0, "n_resamples": 199}
    named = sc.compare_pair(*CHANCES, y_true=TRUTH, metric="brier", **options)
    own = sc.compare_pair(*losses, greater_is_better=False, **options)
    assert named.p == own.p
    assert named.effect == own.effect


def test_a_resample_of_one_class_is_no_fault():
    truth = np.r_[np.zeros(18), np.ones(2)].astype(int)
    scores = RNG.random((2, 20))
    found = sc.compare_pair(*scores, y_true=truth, metric="auc", test="bootstrap",
                            random_state=0, n_resamples=199)  # fmt: skip
    assert 0 < found.p <= 1
    assert np.isfinite([found.found.low, found.found.high]).all()


def test_the_better_model_has_the_smaller_loss():
    good, bad = np.where(SICK, 0.9, 0.1), np.where(SICK, 0.6, 0.4)
    found = sc.compare_pair(bad, good, y_true=TRUTH, metric="log-loss",
                            names=("bad", "good"), random_state=0)  # fmt: skip
    assert found.better == "good"
    assert "difference in log-loss -0.405 (good less bad;" in found.summary()
    saved = type(found).from_dict(found.to_dict())
    assert saved.metric == "log-loss"


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"metric": "AUC"}, UsageError, "auc"),
        ({"metric": "auc", "y_true": None}, UsageError, "`y_true`, which is missing"),
        ({"metric": "auc", "test": "delong"}, UsageError, "does not go with `metric`"),
        ({"metric": "auc", "test": "wilcoxon"}, UsageError, "bootstrap or permutation"),
        ({"metric": "brier", "test": "mcnemar"}, UsageError, "does not go with"),
        ({"metric": "brier", "greater_is_better": True}, UsageError, "less is better"),
        ({"metric": "mse"}, InvalidInputError, "needs numbers in `y_true`"),
        ({"metric": "auc", "y_true": np.arange(N) % 3}, InvalidInputError, "has 3"),
    ],
)
def test_what_a_metric_cannot_measure_is_refused(options, error, said):
    with pytest.raises(error, match=said.replace("(", r"\(")):
        sc.compare_pair(*CHANCES, **({"y_true": TRUTH} | options))


@pytest.mark.parametrize(
    ("value", "metric", "said"),
    [
        (1.2, "brier", "needs probabilities of 'well', from 0 to 1"),
        (0.0, "log-loss", "infinite: what came true was given a chance of 0"),
    ],
)
def test_chances_that_are_none_are_refused(value, metric, said):
    chances = CHANCES.copy()
    chances[0, 1] = value
    with pytest.raises(InvalidInputError, match=said):
        sc.compare_pair(*chances, y_true=TRUTH, metric=metric)


@pytest.mark.parametrize("value", ["no", 0, 1, None])
@pytest.mark.parametrize("way", ["compare", "pair"])
def test_a_direction_is_true_or_false(value, way):
    def run():
        if way == "pair":
            return sc.compare_pair(*NUMBERS, greater_is_better=value)
        return sc.compare(NUMBERS.T, greater_is_better=value)

    if value is None:
        assert run().greater_is_better is True
        return
    with pytest.raises(UsageError, match="`greater_is_better` must be True or False"):
        run()
