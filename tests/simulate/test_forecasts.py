"""Forecasts know what they are said to know."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.simulate import FORECASTERS

NATS = {"units": "nats"}
KINDS = [
    *({"forecaster": name, "information": 0.5} for name in FORECASTERS),
    {"forecaster": "gaussian", "information": 1.2, "sharpness": 1.7},
    {"forecaster": "gaussian", "information": 0.1, "sharpness": 0.5},
    {"forecaster": "classes", "n_classes": 5, "sharpness": 1.8},
    {"forecaster": "disaster", "disaster_share": 0.05},
]


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_the_mean_log_ratio_is_the_truth(options):
    data = sc.simulate.forecasts(60_000, random_state=3, **NATS, **options)
    j = data.log_q - data.log_p
    error = j.std() / np.sqrt(j.size)
    assert abs(j.mean() - data.truth.information) < 4.5 * error + data.truth.error
    # Six hundredths of a nat are noticed.
    assert abs(j.mean() - data.truth.information - 0.06) > 4.5 * error


HAS_BEST = [x for x in KINDS if FORECASTERS[x["forecaster"]].has_best]


@pytest.mark.parametrize("options", HAS_BEST, ids=str)
def test_nobody_knows_more_than_the_best(options):
    truth = sc.simulate.forecasts(10, **NATS, **options).truth
    sharp = options.get("sharpness", 1)
    assert truth.information <= truth.best + truth.error
    assert (truth.information < truth.best - 0.01) == (sharp != 1)


def test_a_gaussian_forecaster_has_closed_forms():
    truth = sc.simulate.forecasts(10, **NATS, information=0.7).truth
    assert truth.information == pytest.approx(0.7, abs=1e-14)
    data = sc.simulate.forecasts(10, **NATS, information=0.7, sharpness=2)
    x, mean, sd = data.y, data.X[:, 0], data.X[:, 1]
    assert data.log_q == pytest.approx(norm.logpdf(x, mean, sd))
    assert data.log_p == pytest.approx(norm.logpdf(x))


@pytest.mark.parametrize("sharpness", [1.0, 2.5])
def test_two_classes_have_the_information_of_an_integral(sharpness):
    def part(d):
        chance, sure = expit(d), sharpness * d
        gain = chance * -np.logaddexp(0, -sure) + (1 - chance) * -np.logaddexp(0, sure)
        return gain * norm.pdf(d, scale=1.5 * np.sqrt(2))

    expected = quad(part, -25, 25, limit=200)[0] + np.log(2)
    truth = sc.simulate.forecasts(
        10, forecaster="classes", sharpness=sharpness, **NATS
    ).truth
    assert truth.information == pytest.approx(expected, abs=max(truth.error, 1e-5))
    assert truth.error < 1e-3


def test_class_probabilities_are_calibrated_if_right_conclusions_are_drawn():
    data = sc.simulate.forecasts(40_000, forecaster="classes", n_classes=3)
    assert data.X.sum(axis=1) == pytest.approx(np.ones(40_000))
    assert data.log_q == pytest.approx(np.log(data.X[np.arange(40_000), data.y]))
    happened = data.y == 0
    off = (happened - data.X[:, 0]).mean() / (
        (happened - data.X[:, 0]).std() / np.sqrt(40_000)
    )
    assert abs(off) < 4.5
    high = data.X[:, 0] > 0.7
    assert happened[high].mean() == pytest.approx(data.X[high, 0].mean(), abs=0.02)


@pytest.mark.parametrize("name", FORECASTERS)
def test_the_best_is_known_where_it_is_claimed(name):
    truth = sc.simulate.forecasts(10, forecaster=name).truth
    assert np.isfinite(truth.best) == FORECASTERS[name].has_best
    assert (truth.n_points > 0) == (truth.error > 0)


def test_bits_are_nats_by_another_name():
    bits = sc.simulate.forecasts(20, information=1, sharpness=2)
    nats = sc.simulate.forecasts(20, information=np.log(2), sharpness=2, **NATS)
    assert bits.log_q == pytest.approx(nats.log_q)
    assert bits.truth.information * np.log(2) == pytest.approx(nats.truth.information)
    assert (bits.truth.units, nats.truth.units) == ("bits", "nats")


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"forecaster": "gauss"}, "forecaster"),
        ({"information": 0}, "information"),
        ({"units": "dits"}, "units"),
        ({"hit": 1}, "hit"),
        ({"disaster_share": 2}, "disaster_share"),
        ({"n_samples": 2.5}, "n_samples"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_by_the_name_of_the_parameter(options, parameter):
    with pytest.raises(UsageError) as caught:
        sc.simulate.forecasts(**options)
    assert caught.value.parameter == parameter
