"""The density of Cox's model: the hazard that all cases share."""

import itertools

import numpy as np
import pytest
from scipy import integrate

from scorecast.survival.baselines import fit_baseline, fit_shared_hazard
from scorecast.survival.data import check_survival
from scorecast.survival.held_out import _deal


def held_out(kind, cohort, n_folds):
    """Return the mean log density (or survival) of cases held out."""
    folds = _deal(cohort.event, n_folds, 1, np.random.default_rng(0))[0]
    total = 0.0
    for k in range(n_folds):
        out = folds == k
        fitted = fit_baseline(kind, cohort.rows(~out))
        said = fitted.predict_log(cohort.X[out], cohort.time[out, None])
        total += np.where(cohort.event[out], said[0][:, 0], said[1][:, 0]).sum()
    return total / cohort.n


def test_one_piece_is_the_weibull_fit():
    # One event leaves no room for a knot.
    time, event = np.array([0.5, 1.0, 4.0]), np.array([False, True, False])
    found = fit_shared_hazard(time, event, np.ones(3))
    assert len(found.powers) == 1
    power = float(found.powers[0] / found.spread)
    weight = time**power
    # The equations of maximum likelihood of a Weibull distribution; log 1 is 0.
    assert 1 / power == pytest.approx(weight @ np.log(time) / weight.sum(), rel=1e-4)
    assert np.exp(found.logs(time)[1]).sum() == pytest.approx(1.0, rel=1e-5)


def test_it_finds_a_hazard_that_falls_and_rises():
    rng = np.random.default_rng(1)
    is_early = rng.random(4000) < 0.5
    time = np.exp(np.where(is_early, 0.0, 2.0) + 0.2 * rng.normal(size=4000))
    found = fit_shared_hazard(time, np.ones(4000, dtype=bool), np.ones(4000))
    at = np.quantile(time, np.linspace(0.05, 0.95, 19))
    survival = np.exp(-np.exp(found.logs(at)[1]))
    np.testing.assert_allclose(survival, np.linspace(0.95, 0.05, 19), atol=0.02)
    early, between, late = found.logs(np.exp([0.0, 1.0, 2.0]))[0]
    assert between < min(early, late) - 1.0


@pytest.mark.parametrize("risk", [1e-3, 1.0, 1e3])
def test_it_integrates_to_one_whatever_the_risk(cohort, risk):
    _, time, event = cohort()
    found = fit_shared_hazard(time, event, np.ones(len(time)))
    ends = found.centre + found.spread * np.concatenate(
        [[-400.0], [-20.0], found.knots, [20.0], [400.0]]
    )

    def density(log_time):
        hazard, total = found.logs(np.exp([log_time]))
        return float(np.exp(hazard + log_time - risk * np.exp(total))[0] * risk)

    parts = [
        integrate.quad(density, *pair, limit=400, epsabs=1e-11)[0]
        for pair in itertools.pairwise(ends)
    ]
    assert sum(parts) == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize(
    ("time", "event"),
    [
        (np.ones(12), np.ones(12, dtype=bool)),
        (np.repeat([0.5, 1.0], 6), np.repeat([False, True], 6)),
        (np.geomspace(1e-300, 1e300, 12), np.arange(12) % 3 == 0),
        (np.append(np.full(11, 1e-5), 3.0), np.arange(12) == 11),
    ],
)
def test_odd_times_still_give_a_curve(time, event):
    found = fit_shared_hazard(time, event, np.ones(12))
    at = np.append(time, [time.min() / 2, 2 * time.max()])
    hazard, total = found.logs(np.sort(at))
    assert np.isfinite(hazard).all()
    assert (np.diff(total[np.diff(np.sort(at), prepend=0.0) > 0]) > 0).all()


@pytest.mark.slow
def test_cox_is_no_worse_where_its_rival_is_right():
    behind = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(60, 1))
        time = np.exp(1.0 - x[:, 0]) * rng.weibull(2.0, size=60)
        limit = np.quantile(time, 0.75)
        cohort = check_survival(x, np.minimum(time, limit), time < limit)
        behind.append(held_out("weibull", cohort, 3) - held_out("cox", cohort, 3))
    # Hazards that are constant between deciles lag by .09 nats, this one by .01.
    assert np.mean(behind) < 0.05
