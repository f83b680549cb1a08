"""Men with prostate cancer: beside values that others computed, case by case."""

import warnings

import numpy as np
import pytest

import scorecast as sc
from scorecast.information import PosteriorSettings
from scorecast.mixtures import Sampling


@pytest.fixture(scope="module")
def prostate(shared_data):
    """Complete cases with ploidy in columns of 0 and 1, and what others computed."""
    pd = pytest.importorskip("pandas")
    men = pd.read_csv(shared_data / "surv_stagec_prostate.csv.gz").dropna()
    known = pd.read_csv(shared_data / "asi_survival_oof.csv.gz")
    known = known[known["set"] == "stagec_prostate"]
    plain = men[["age", "eet", "g2", "grade", "gleason"]]
    ploidy = pd.get_dummies(men["ploidy"], drop_first=True)
    X = pd.concat([plain, ploidy], axis=1).astype(float).to_numpy()
    cohort = X, men["pgtime"].to_numpy(), men["pgstat"].to_numpy()
    return cohort, dict(iter(known.groupby("model")))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "j"), [("weibull", 0.1278), ("lognormal", 0.1819)])
def test_rivals_and_priors_are_those_computed_elsewhere(prostate, stub, kind, j):
    cohort, known = prostate
    table = known[kind]
    np.testing.assert_allclose(cohort[1], table["time"])
    found = sc.evaluate_survival(
        stub(), *cohort, cv=table["fold"].to_numpy(), prior=kind, baselines=[kind],
        units="nats",
    ).samples  # fmt: skip
    np.testing.assert_allclose(found.log_p, table["logP"], atol=1e-4)
    np.testing.assert_allclose(found.log_q_of[kind], table["logQ"], atol=1e-4)
    worth = (found.log_q_of[kind] - found.log_p).mean() / np.log(2)
    assert worth == pytest.approx(j, abs=1e-4)


@pytest.mark.slow
def test_the_model_knows_about_as_much_as_they_do(prostate):
    cohort, known = prostate
    sampling = Sampling(n_chains=2, n_warmup=150, n_draws=150, n_kept=60,
                        n_extensions=0, starts=(1,))  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the chains are short
        found = sc.evaluate_survival(
            sc.SurvivalModel(sampling=sampling), *cohort,
            cv=known["weibull"]["fold"].to_numpy(), prior="weibull", baselines=(),
            settings=PosteriorSettings(allow_unconverged=True),
        )  # fmt: skip
    # One standard error of the mean is .07 bits; the usual models give .13 and .20.
    assert 0.08 < found.samples.j.mean() < 0.28
    assert found.samples.j.min() > -4.0 / np.log(2)
    assert found.calibration.p_value > 0.01
