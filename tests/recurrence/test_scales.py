"""Numbers that are huge, tiny or none at all."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import (
    DataWarning,
    FitFailedError,
    InvalidInputError,
    UsageError,
)
from scorecast.recurrence import fit_population
from scorecast.recurrence.cohort import check_cohort
from scorecast.recurrence.rivals import fit_rival
from scorecast.recurrence.scaling import make_prior, scale_cohort


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
        (1.7e308, r"time is 1\.7e\+308 in row 3: .*another unit"),
        (1e-306, r"time is 1e-306 in row 3: .*another unit"),
        (np.inf, "above zero and finite; row 3 holds inf"),
        (np.nan, "time is missing in row 3"),
    ],
)
def test_times_at_the_end_of_numbers_are_refused_for_what_they_are(cohort, time, match):
    X, times, event = cohort()
    times[2] = time
    with pytest.raises(InvalidInputError, match=match):
        check_cohort(X, times, event)


def test_predicted_times_beyond_numbers_are_told_as_such(cohort, short):
    X, time, event = cohort(n=30)
    model = sc.RecurrenceModel(sampling=short, allow_unconverged=True)
    with pytest.warns(DataWarning):
        model.fit(X, time, event)
    with pytest.raises(InvalidInputError, match=r"finite.*another unit"):
        model.predict_survival(X[:1], [np.inf])
    with pytest.raises(InvalidInputError, match="not be below zero"):
        model.predict_survival(X[:1], [-1.0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_rival_without_numbers_has_failed(cohort):
    pytest.importorskip("lifelines")
    X, time, event = cohort()
    X[:, 0] *= 1.7e308 / np.abs(X[:, 0]).max()
    with pytest.raises(FitFailedError):
        fit_rival("cox", check_cohort(X, time, event))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"centre": "abc"}, "must hold numbers"),
        ({"growth": "a"}, "must hold numbers"),
        ({"groth": 0.5}, "no 'groth'.*mean 'growth'"),
    ],
)
def test_hyperparameters_that_are_none_are_refused_in_one_line(cohort, changes, match):
    scaling = scale_cohort(check_cohort(*cohort()), "censored")
    with pytest.raises(UsageError, match=match):
        make_prior(scaling, changes)


def test_noise_and_sampling_that_are_none_are_refused_in_one_line(cohort):
    given = cohort()
    with pytest.raises(UsageError, match="`noise_sd` must"):
        sc.RecurrenceModel(noise_sd="a").fit(*given)
    with pytest.raises(UsageError, match="`noise_shape` must"):
        sc.RecurrenceModel(noise_shape="a").fit(*given)
    with pytest.raises(UsageError, match="`sampling` must be a `Sampling`; got dict"):
        sc.RecurrenceModel(sampling={}).fit(*given)
