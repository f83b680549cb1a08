"""Up to how many classes an accuracy is held."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.extrapolation import EXTRAPOLATORS

pytestmark = pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")

OWN = np.arange(120) % 30
SCORES = np.random.default_rng(0).normal(size=(120, 30)) + 2.5 * np.eye(30)[OWN]


def reach(until, **rules):
    return sc.extrapolate(SCORES, OWN, until=until, backtest=0, **rules)


@pytest.mark.parametrize("method", ["auto", "bayesian", "gaussian"])
def test_the_accuracy_asked_for_is_expected_there_and_not_beyond(method):
    answer = reach(0.5, method=method)
    found = answer.reach
    (p,) = answer.predictions
    assert p.classes == found.classes
    assert p.accuracy == pytest.approx(0.5, abs=0.005)
    ends = sc.extrapolate(
        SCORES, OWN, to=[found.low, found.high], method=method, backtest=0
    ).predictions
    assert ends[0].low == pytest.approx(0.5, abs=0.01)
    assert ends[1].high == pytest.approx(0.5, abs=0.01)


def test_more_accuracy_is_held_for_fewer_classes_and_among_observed_ones_too():
    found = [reach(until).reach.classes for until in (0.3, 0.5, 0.65)]
    assert found == sorted(found, reverse=True)
    observed = sc.accuracy_curve(SCORES, OWN)
    at = dict(zip(observed.classes.tolist(), observed.accuracy, strict=True))
    inside = reach(float(at[30])).reach
    assert inside.classes >= 30
    assert 1 <= inside.low < 30


def test_what_is_never_lost_is_held_beyond_the_limit():
    sure = SCORES + 60 * np.eye(30)[OWN]
    found = sc.extrapolate(sure, OWN, until=0.01, method="gaussian", backtest=0).reach
    assert found.classes is None
    assert found.limit == 10**9


def test_it_is_kept_beside_numbers_of_classes_and_in_json():
    answer = sc.extrapolate(SCORES, OWN, to=100, until=0.5, backtest=0)
    assert [p.classes for p in answer.predictions] == [100]
    again = type(answer).from_dict(answer.to_dict())
    assert again.reach == answer.reach
    assert f"{answer.reach.classes:,}" in answer.summary()
    assert sc.extrapolate(SCORES, OWN, to=100, backtest=0).reach is None


@pytest.mark.parametrize(
    ("rules", "parameter"),
    [
        ({}, "to"),
        ({"until": 0.99}, "until"),
        ({"until": 50}, "until"),
        ({"until": 0}, "until"),
        ({"until": 0.5, "to": 100, "cost": 1 - np.eye(30)}, "until"),
    ],
)
def test_what_cannot_be_held_is_refused(rules, parameter):
    with pytest.raises(UsageError) as caught:
        sc.extrapolate(SCORES, OWN, **rules)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("method", list(EXTRAPOLATORS))
def test_every_method_can_be_asked(method):
    if method == "kde-fixed":
        method = EXTRAPOLATORS[method].with_settings(bandwidth=0.3)
    found = reach(0.5, method=method).reach
    assert found.classes is None or found.classes >= 1
