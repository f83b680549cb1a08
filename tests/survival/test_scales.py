"""Numbers that are huge, tiny or none at all."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import (
    FitFailedError,
    InvalidInputError,
    ResultWarning,
    UsageError,
)
from scorecast.survival.baselines import fit_baseline
from scorecast.survival.data import check_survival
from scorecast.survival.model import make_prior, scale_data
from scorecast.survival.population import fit_population


@pytest.mark.parametrize("kind", ["exponential", "kaplan-meier"])
@pytest.mark.parametrize("largest", [1e-290, 1.7e308])
def test_priors_hold_for_any_unit_of_time(cohort, kind, largest):
    _, time, event = cohort()
    time = time / time.max()
    plain = fit_population(kind, time, event)
    found = fit_population(kind, time * largest, event)
    np.testing.assert_allclose(
        found.log_survival(time * largest), plain.log_survival(time), rtol=1e-6
    )
    np.testing.assert_allclose(
        found.log_density(time * largest) + np.log(largest),
        plain.log_density(time),
        atol=1e-6,
    )


def test_times_without_a_rate_are_refused(cohort):
    _, time, event = cohort()
    with pytest.raises(InvalidInputError, match="another unit"):
        fit_population("exponential", time * 1e-318, event)


@pytest.mark.parametrize(
    ("time", "match"),
    [
        (1.7e308, r"row 3: the time is 1\.7e\+308: .*another unit"),
        (1e-306, r"row 3: the time is 1e-306: .*another unit"),
        (np.inf, "row 3: times must be above zero and finite; got inf"),
        (np.nan, "row 3: the time is missing"),
    ],
)
def test_times_at_the_end_of_numbers_are_refused_for_what_they_are(cohort, time, match):
    X, times, event = cohort()
    times[2] = time
    with pytest.raises(InvalidInputError, match=match):
        check_survival(X, times, event)


def test_predicted_times_beyond_numbers_are_told_as_such(cohort, short):
    X, time, event = cohort(n=30)
    model = sc.SurvivalModel(sampling=short, allow_unconverged=True)
    with pytest.warns(ResultWarning):
        model.fit(X, time, event)
    with pytest.raises(InvalidInputError, match=r"finite.*another unit"):
        model.predict_survival_function(X[:1], [np.inf])
    with pytest.raises(InvalidInputError, match="not be below zero"):
        model.predict_survival_function(X[:1], [-1.0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_rival_without_numbers_has_failed(cohort):
    X, time, event = cohort()
    X[:, 0] *= 1.7e308 / np.abs(X[:, 0]).max()
    with pytest.raises(FitFailedError):
        fit_baseline("cox", check_survival(X, time, event))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"centre": "abc"}, "must hold numbers"),
        ({"growth": "a"}, "`growth`: must be a share"),
        ({"groth": 0.5}, "no 'groth'.*Try 'growth'"),
    ],
)
def test_hyperparameters_that_are_none_are_refused_in_one_line(cohort, changes, match):
    scaling = scale_data(check_survival(*cohort()), "censored")
    with pytest.raises(UsageError, match=match):
        make_prior(scaling, changes)


def test_noise_and_sampling_that_are_none_are_refused_in_one_line(cohort):
    given = cohort()
    with pytest.raises(UsageError, match="`noise_sd`: must"):
        sc.SurvivalModel(noise_sd="a").fit(*given)
    with pytest.raises(UsageError, match="`noise_shape`: must"):
        sc.SurvivalModel(noise_shape="a").fit(*given)
    with pytest.raises(UsageError, match="`sampling`: must be a `Sampling`; got dict"):
        sc.SurvivalModel(sampling={}).fit(*given)
