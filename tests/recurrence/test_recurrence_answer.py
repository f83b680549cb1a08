"""What an answer says of predictions, without a simulation of times."""

import dataclasses
import json

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.information import PosteriorSettings
from scorecast.mixtures import Sampling
from scorecast.recurrence import Evaluation, Predictions, fit_population
from scorecast.recurrence.baseline import curve_of_all
from scorecast.report import render_text, report as write_page

TINY = {
    "settings": PosteriorSettings(
        sampling=Sampling(n_chains=2, n_warmup=150, n_draws=150, n_extensions=0),
        allow_unconverged=True,
    )
}


def made_up(kind, n=150, censored=False):
    """Say lognormal times by their true law: with ``kind="noise"``, the same to all."""
    rng = np.random.default_rng(3)
    marker = rng.normal(size=n) if kind == "signal" else np.zeros(n)
    z = rng.normal(size=n)
    time = np.exp(2.0 + marker + 0.3 * z)
    event = rng.random(n) < 0.6 if censored else np.ones(n, dtype=bool)
    folds = (np.arange(n) % 5)[None]
    at = np.quantile(time, np.linspace(0.02, 0.98, 20))

    def law(t, m):
        from scipy.stats import norm

        u = (np.log(t) - 2.0 - m) / 0.3
        return norm.logpdf(u) - np.log(0.3 * t), norm.logsf(u)

    density, tail = law(time, marker)
    curves = np.exp(law(at[None], marker[:, None])[1])
    model = Predictions(np.where(event, density, tail), np.exp(tail), curves)
    rate = fit_population("exponential", time, event)
    alike = rate.log_survival(time)
    prior = Predictions(
        np.where(event, rate.log_density(time), alike),
        np.exp(alike),
        np.tile(np.exp(rate.log_survival(at)), (n, 1)),
    )
    return Evaluation(
        time=time,
        event=event,
        times=at,
        predictions={
            "model": model,
            "prior": prior,
            "curve": Predictions(*curve_of_all(time, event, folds, at)),
            "cox": model,
        },
        prior="exponential",
        folds=folds,
        diagnostics={"n_fits": 5, "n_unconverged": 0, "passed": True, "rhat": 1.0,
                     "ess": 500.0, "n_chains": 2, "n_draws": 100},
        failures={},
        seed=0,
    )  # fmt: skip


def worth_of(found, **more):
    information = sc.apparent_information(found.log_q, found.log_p, **TINY)
    relatives = {
        name: sc.compare_information(found.log_q, found.log_q_of(name), **TINY)
        for name in ("curve",)
    }
    return sc.recurrence_of(found, information, relatives, **more)


@pytest.fixture(scope="module")
def noise():
    """An answer where the covariates are noise: the model gives all the same."""
    return worth_of(made_up("noise"), covariates=["a", "b"])


@pytest.fixture(scope="module")
def signal():
    """An answer where a marker tells much."""
    return worth_of(made_up("signal"), covariates=["marker"])


def test_knowing_the_shape_of_the_risk_alone_is_no_knowledge_of_cases(noise):
    # Beyond exponential attrition there is much, and it is all in the common curve.
    assert noise.information.posterior.probability_positive > 0.999
    said = noise.summary()
    assert "surely better than the prior" not in said
    assert "Beyond the curve of all cases alike: " in said
    row = noise.beyond_curve
    assert row.low < 0.1
    assert abs(row.beyond) < 0.15 < noise.information.posterior.median
    assert row.verdict in said
    assert row.verdict.split()[0] != "surely"
    assert noise.to_dict()["result"]["beyond_curve"]["median"] == row.beyond
    for shown in (render_text(noise), write_page(noise)):
        assert "Beyond the curve of all cases alike" in shown.replace("\n", " ")
        assert "curve of all cases  " in shown or "<td" in shown


def test_where_both_agree_both_verdicts_stand(signal):
    said = signal.summary()
    assert "; surely better than the prior. Beyond the curve" in said
    assert said.endswith("; surely better than the curve of all cases alike.")


def test_the_curve_is_that_of_the_training_folds():
    found = made_up("noise", censored=True)
    out = found.folds[0] == 2
    curve = fit_population("kaplan-meier", found.time[~out], found.event[~out])
    expected = np.where(
        found.event[out],
        curve.log_density(found.time[out]),
        curve.log_survival(found.time[out]),
    )
    np.testing.assert_allclose(found.log_curve[out], expected)
    twice = np.concatenate([found.folds, found.folds])
    again = curve_of_all(found.time, found.event, twice, found.times)
    np.testing.assert_allclose(again[0], found.log_curve)
    assert found.rivals == ("cox",)


def test_with_that_curve_as_prior_it_is_the_same_figure(noise):
    found = made_up("noise")
    found = dataclasses.replace(
        found,
        prior="kaplan-meier",
        predictions={**found.predictions, "prior": found.predictions["curve"]},
    )
    told = noise.information
    answer = sc.recurrence_of(found, told)
    assert answer.beyond_curve.beyond == told.posterior.median
    assert answer.sentence().endswith("The prior is the curve of all cases alike.")


def test_without_a_posterior_the_plain_mean_is_named(noise):
    found = made_up("noise")
    answer = sc.recurrence_of(found, noise.information)
    assert "(plain mean)." in answer.summary()


def test_an_answer_survives_json(signal):
    data = json.loads(json.dumps(signal.to_dict()))
    again = result_from_dict(data)
    assert again.to_dict()["result"] == data["result"]
    assert again.summary() == signal.summary()


def test_warnings_of_the_caller_are_in_the_answer_once(noise):
    answer = sc.recurrence_of(
        made_up("noise"), noise.information, notes=["Mind this.", "Mind this."]
    )
    assert answer.warnings.count("Mind this.") == 1
    assert "Mind this." in render_text(answer)


def test_an_evaluation_prints_in_a_line(noise):
    found = made_up("noise")
    assert len(repr(found)) < 400
    assert repr(found).startswith("<Evaluation: 150 cases with 150 events")
    assert "0.000" not in found.summary().split("prior")[1].split("nats")[0]
    assert len(repr(noise)) < 600
    assert "array(" not in repr(found.predictions)
