"""Units of the training data: moments, noise, missing covariates."""

import numpy as np
import pytest

from scorecast.survival.data import check_survival
from scorecast.survival.model import scale_data
from scorecast.survival.population import fit_location_scale


def test_moments_are_of_what_is_known_or_as_recorded(cohort):
    given = check_survival(*cohort(n=200, censored=0.6))
    recorded = scale_data(given, "recorded")
    log_time = np.log(given.time)
    assert recorded.centre[0] == pytest.approx(log_time.mean())
    assert recorded.spread[0] == pytest.approx(log_time.std())
    censored = scale_data(given, "censored")
    exact = fit_location_scale(given.time, given.event, "lognormal")
    assert censored.centre[0] == pytest.approx(exact.location)
    assert censored.spread[0] == pytest.approx(exact.scale)
    # The truth: mean 1, sd sqrt(.8^2 + .5^2) = .94; times as recorded are cut short.
    assert censored.centre[0] == pytest.approx(1.0, abs=0.2)
    assert recorded.centre[0] < 0.75


def test_noise_is_of_log_time_and_of_covariates_in_their_spread(cohort):
    X, time, event = cohort(censored=0.0)
    scaling = scale_data(check_survival(X * 50, time, event), "recorded")
    noise = scaling.noise([0.2, 0.1, 0.4], 5.0)
    spread = np.asarray(noise.precision) ** -0.5
    assert spread[0] * np.log(time).std() == pytest.approx(0.2)
    np.testing.assert_allclose(spread[1:], [0.1, 0.4])


def test_missing_covariates_stay_missing(cohort):
    X, time, event = cohort()
    scaling = scale_data(check_survival(X, time, event), "censored")
    found = scaling.others(np.array([[np.nan, 0.3], [0.3, np.nan]]))
    assert np.isnan(found).tolist() == [[True, False], [False, True]]
