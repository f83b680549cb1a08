"""Times until an event: what is asked for is what is made, and the truth is true."""

import math

import numpy as np
import pytest
import scipy.stats

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.simulate import CENSORINGS, TIME_LAWS

NATS = {"units": "nats"}
LAWS = {
    "lognormal": scipy.stats.norm(),
    "weibull": scipy.stats.gumbel_l(loc=-math.log(math.log(2))),
    "loglogistic": scipy.stats.logistic(),
}


@pytest.mark.parametrize("law", TIME_LAWS)
def test_laws_are_those_of_their_name_with_median_zero(law):
    known, ours = LAWS[law], TIME_LAWS[law]
    z = np.linspace(-6, 4, 41)
    np.testing.assert_allclose(ours.log_density(z), known.logpdf(z), rtol=1e-10)
    np.testing.assert_allclose(ours.log_survival(z), known.logsf(z), rtol=1e-9)
    u = np.linspace(0.01, 0.99, 9)
    np.testing.assert_allclose(ours.quantile(u), known.ppf(u), atol=1e-10)
    assert ours.quantile(np.array([0.5]))[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("told", [0.01, 0.7, 3.0])
def test_lognormal_times_follow_the_closed_form(told):
    cohort = sc.simulate.survival(5, information=told, spread=0.5, **NATS)
    size = float(cohort.truth.coefficients @ cohort.truth.coefficients)
    assert 0.5 * math.log1p(size / 0.25) == pytest.approx(told, rel=1e-6)


def _of_all(law, z, score_sd):
    """Return density and survival of all samples together, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(180)
    weights = weights / weights.sum()
    apart = z[:, None] - score_sd * nodes
    return law.pdf(apart) @ weights, law.sf(apart) @ weights


@pytest.mark.parametrize("censoring", CENSORINGS)
@pytest.mark.parametrize("law", TIME_LAWS)
def test_the_truth_is_what_a_large_cohort_shows(law, censoring):
    cohort = sc.simulate.survival(
        60_000, law=law, censoring=censoring, information=0.6, censored=0.4,
        spread=0.7, median=10.0, random_state=2, **NATS,
    )  # fmt: skip
    truth, event = cohort.truth, cohort.event
    n = event.size
    assert abs(1 - event.mean() - 0.4) < 4 * math.sqrt(0.24 / n)
    score = cohort.X @ truth.coefficients / 0.7
    z = np.log(cohort.time / 10.0) / 0.7
    density, survival = _of_all(
        LAWS[law], z, float(np.linalg.norm(truth.coefficients)) / 0.7
    )
    own = np.where(event, LAWS[law].logpdf(z - score), LAWS[law].logsf(z - score))
    gained = own - np.log(np.where(event, density, survival))
    close = truth.error + 4 * gained.std() / math.sqrt(n)
    assert abs(gained.mean() - truth.information) < close
    # What an end of follow-up hides is no small thing: the check can tell.
    assert truth.complete == pytest.approx(0.6)
    assert truth.complete - truth.information > 4 * close


def test_with_all_followed_up_nothing_is_hidden():
    cohort = sc.simulate.survival(50, censored=0.0, information=0.5)
    assert cohort.event.all()
    truth = cohort.truth
    assert abs(truth.information - truth.complete) < truth.error + 1e-6


def test_units_covariates_and_signs():
    bits = sc.simulate.survival(20, information=1, n_covariates=5, n_informative=3)
    nats = sc.simulate.survival(
        20, information=math.log(2), n_covariates=5, n_informative=3, **NATS
    )
    np.testing.assert_allclose(bits.time, nats.time)
    assert nats.truth.information == pytest.approx(
        bits.truth.information * math.log(2), rel=1e-9
    )
    assert np.sign(bits.truth.coefficients).tolist() == [1, -1, 1, 0, 0]
    assert set(bits.to_columns()) == {"time", "event", "x1", "x2", "x3", "x4", "x5"}


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("information", 0), ("information", 9.0), ("censored", 0.96), ("censored", 40),
        ("n_informative", 5), ("law", "gamma"), ("censoring", "never"), ("median", -1),
        ("spread", 0), ("n_samples", 0), ("units", "dits"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(parameter, value):
    with pytest.raises(UsageError) as caught:
        sc.simulate.survival(**{parameter: value})
    assert caught.value.parameter == parameter
