"""Metrics by name, against scikit-learn and against what they are defined as."""

from dataclasses import asdict

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison import Estimand
from scorecast.evaluation import METRICS, Needs
from scorecast.exceptions import InvalidInputError, UsageError

RNG = np.random.default_rng(0)
N = 90
TRUTH = np.array(["ill", "well"])[np.arange(N) % 2]
SICK = np.arange(N) % 2  # the class that sorts last is "well"
CHANCES = np.clip(0.3 + 0.4 * SICK + RNG.normal(0, 0.3, (2, N)), 0.02, 0.98).round(2)
SAID = np.where(CHANCES > 0.5, "well", "ill")
NUMBERS = SICK + RNG.normal(0, 1, (2, N))
GROUPS = np.repeat(np.arange(30), 3)


# Metrics that scikit-learn has under the same definition, of the class sorted last.
KNOWN = [name for name, metric in METRICS.items() if metric.sklearn_name]


def oracle(name, said):
    metrics = pytest.importorskip("sklearn.metrics")
    metric = METRICS[name]
    function = getattr(metrics, metric.sklearn_name)
    truth = SICK
    if metric.needs is Needs.LABELS:
        said = (said == "well") * 1
    elif metric.needs is Needs.NUMBERS and "percentage" in name:
        truth = SICK + 1.0
    return function(truth, said)


def given(name):
    """Return predictions and truth that a metric takes."""
    needs = METRICS[name].needs
    said = {Needs.LABELS: SAID, Needs.NUMBERS: NUMBERS}.get(needs, CHANCES)
    if needs is not Needs.NUMBERS:
        return said, TRUTH
    return said, SICK + (1.0 if "percentage" in name else 0.0)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_compares_two_models(name):
    said, truth = given(name)
    options = {"scoring": name, "n_resamples": 99}
    found = sc.compare_pair(*said, truth, **options)
    is_area = name == "roc_auc"
    assert found.test == ("delong" if is_area else "permutation")
    wanted = Estimand.AUC if is_area else Estimand.METRIC
    assert (found.metric, found.estimand) == (name, wanted)
    assert found.greater_is_better == METRICS[name].greater_is_better
    if name in KNOWN:
        wanted = oracle(name, said[0]) - oracle(name, said[1])
        assert found.difference == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_name_gives_what_the_function_does_by_group(test):
    metrics = pytest.importorskip("sklearn.metrics")
    options = {"groups": GROUPS, "test": test, "random_state": 0, "n_resamples": 199}
    named = sc.compare_pair(*CHANCES, y_true=SICK, scoring="roc_auc", **options)
    own = sc.compare_pair(*CHANCES, y_true=SICK, scoring=metrics.roc_auc_score,
                          **options)  # fmt: skip
    assert named.n_groups == 30
    ours, theirs = named.effect, own.effect
    assert (named.p_value, ours.low, ours.high) == pytest.approx(
        (own.p_value, theirs.low, theirs.high), rel=1e-9
    )


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "paired-t", "bootstrap"])
def test_means_of_cases_are_compared_as_losses_of_cases(test):
    losses = (CHANCES - SICK) ** 2
    options = {"test": test, "random_state": 0, "n_resamples": 199}
    named = sc.compare_pair(*CHANCES, y_true=TRUTH, scoring="brier_score", **options)
    own = sc.compare_pair(*losses, greater_is_better=False, **options)
    assert named.p_value == own.p_value
    assert asdict(named.effect) == pytest.approx(asdict(own.effect), rel=1e-9)


@pytest.mark.parametrize("test", ["auto", "delong"])
def test_areas_by_name_are_those_of_delong(test):
    found = sc.compare_pair(*CHANCES, TRUTH, scoring="roc_auc", test=test)
    wanted = sc.compare_pair(*CHANCES, TRUTH)
    assert found.test == wanted.test == "delong"
    assert (found.p_value, found.effect) == (wanted.p_value, wanted.effect)
    assert (found.metric, found.choices[0].name) == ("roc_auc", "delong")


def test_areas_of_marks_and_of_a_class_of_one():
    marks = (CHANCES > 0.5).astype(int)
    found = sc.compare_pair(*marks, SICK, scoring="roc_auc")
    assert (found.test, found.accuracies) == ("delong", None)
    alone = np.arange(N) == 3
    found = sc.compare_pair(*CHANCES, alone, scoring="roc_auc", n_resamples=99)
    assert found.test == "permutation"


def test_areas_in_groups_are_not_those_of_delong():
    options = {"scoring": "roc_auc", "groups": GROUPS, "n_resamples": 99}
    assert sc.compare_pair(*CHANCES, TRUTH, **options).test == "permutation"
    with pytest.raises(UsageError) as caught:
        sc.compare_pair(*CHANCES, TRUTH, test="delong", **options)
    assert caught.value.parameter == "groups"


def test_a_resample_of_one_class_is_no_fault():
    truth = np.r_[np.zeros(18), np.ones(2)].astype(int)
    scores = RNG.random((2, 20))
    found = sc.compare_pair(*scores, y_true=truth, scoring="roc_auc", test="bootstrap",
                            random_state=0, n_resamples=199)  # fmt: skip
    assert 0 < found.p_value <= 1
    assert np.isfinite([found.effect.low, found.effect.high]).all()


def test_the_better_model_has_the_smaller_loss():
    good, bad = np.where(SICK, 0.9, 0.1), np.where(SICK, 0.6, 0.4)
    found = sc.compare_pair(bad, good, y_true=TRUTH, scoring="log_loss",
                            names=("bad", "good"), random_state=0)  # fmt: skip
    assert found.better == "good"
    assert found.difference == pytest.approx(0.405, abs=5e-4)
    assert type(found).from_dict(found.to_dict()).metric == "log_loss"


@pytest.mark.parametrize(
    ("options", "error", "parameter"),
    [
        ({"scoring": "AUC"}, UsageError, "scoring"),
        ({"scoring": "auc", "y_true": None}, UsageError, "y_true"),
        ({"scoring": "brier", "test": "delong"}, UsageError, "test"),
        ({"scoring": "auc", "test": "wilcoxon"}, UsageError, "test"),
        ({"scoring": "brier", "test": "mcnemar-mid-p"}, UsageError, "test"),
        ({"scoring": "brier", "greater_is_better": True}, UsageError,
         "greater_is_better"),
        ({"scoring": "mse"}, InvalidInputError, "y_true"),
        ({"scoring": "auc", "y_true": np.arange(N) % 3}, InvalidInputError, "y_true"),
    ],
)  # fmt: skip
def test_what_a_metric_cannot_measure_is_refused(options, error, parameter):
    with pytest.raises(error) as caught:
        sc.compare_pair(*CHANCES, **({"y_true": TRUTH} | options))
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("value", "scoring", "parameter"),
    [(1.2, "brier", "a"), (0.0, "log_loss", "scoring")],
)
def test_chances_that_are_none_are_refused(value, scoring, parameter):
    chances = CHANCES.copy()
    chances[0, 1] = value
    with pytest.raises(InvalidInputError) as caught:
        sc.compare_pair(*chances, y_true=TRUTH, scoring=scoring)
    assert caught.value.parameter == parameter


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
    with pytest.raises(UsageError, match="`greater_is_better`: must be True or False"):
        run()


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy"])
def test_a_model_does_not_differ_from_itself_by_group(scoring):
    said = (CHANCES if scoring == "roc_auc" else SAID)[0]
    found = sc.compare_pair(
        said, said, TRUTH, scoring=scoring, groups=GROUPS, n_resamples=99
    )
    assert (found.effect.low, found.effect.high) == (0, 0)
    assert found.p_value == 1
