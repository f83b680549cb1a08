"""Real forecasts: plain means are known, and the posterior must make sense of tails."""

import csv
import gzip
from collections import defaultdict

import numpy as np
import pytest

import scorecast as sc
from scorecast.information import PosteriorSettings
from scorecast.mixtures import Sampling

GAMES = {
    "mlb_games": (15748, 0.0262, 0.0020),
    "nba_games": (8886, 0.0920, 0.0063),
    "nfl_games": (1889, 0.0814, 0.0118),
    "nhl_games": (1401, 0.0505, 0.0078),
    "wnba_games": (450, 0.0942, 0.024),
    "world_cup_matches_men": (176, 0.174, 0.056),
    "world_cup_matches_women": (103, 0.411, 0.066),
}
SURVIVAL = {
    ("stagec_prostate", "weibull"): (0.128, 0.094, -5.99),
    ("stagec_prostate", "lognormal"): (0.182, 0.071, -2.67),
    ("colon_recurrence", "weibull"): (0.097, 0.020, -2.79),
    ("colon_recurrence", "lognormal"): (0.102, 0.019, -2.71),
    ("rotterdam", "weibull"): (0.115, 0.011, -8.59),
    ("rotterdam", "lognormal"): (0.126, 0.010, -3.59),
}


def rows_of(path, *keys):
    found = defaultdict(list)
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            found[tuple(row[k] for k in keys)].append(row)
    return found


def bits(values):
    return np.asarray(values) / np.log(2)


@pytest.mark.parametrize("sport", GAMES)
def test_games_have_the_known_information_over_the_base_rate(shared_data, sport):
    games = rows_of(shared_data / "forecast_538_games.csv.gz", "project")[(sport,)]
    n, mean, stderr = GAMES[sport]
    outcome = [game["outcome"] for game in games]
    kept = [c for c in ("1", "0", "2") if c in outcome]
    column = {"1": "prob1", "0": "probtie", "2": "prob2"}
    q = np.array([[float(game[column[c]]) for c in kept] for game in games])
    rate = [outcome.count(c) / len(outcome) for c in kept]
    cases = sc.Forecasts.from_class_probabilities(
        q, outcome, classes=kept, prior=rate, normalize=True
    )
    assert cases.n == n
    assert bits(cases.j).mean() == pytest.approx(mean, abs=6e-4)
    assert bits(cases.j).std(ddof=1) / np.sqrt(n) == pytest.approx(stderr, abs=6e-4)
    left = sc.Forecasts.from_class_probabilities(
        q, outcome, classes=kept, prior="leave-one-out", normalize=True
    )
    # With its own case left out the base rate knows a little less.
    assert cases.j.mean() < left.j.mean() < cases.j.mean() + 3 / n


@pytest.mark.parametrize("which", SURVIVAL, ids="-".join)
def test_survival_models_have_the_known_information(shared_data, which):
    rows = rows_of(shared_data / "asi_survival_oof.csv.gz", "set", "model")[which]
    mean, stderr, least = SURVIVAL[which]
    event = np.array([int(row["event"]) for row in rows])
    log_q, log_p = (np.array([float(r[k]) for r in rows]) for k in ("logQ", "logP"))
    cases = sc.Forecasts.from_survival(
        event,
        log_density=log_q,
        log_survival=np.where(event, 0.0, log_q),
        prior_log_density=log_p,
        prior_log_survival=np.where(event, 0.0, log_p),
    )
    assert bits(cases.j).mean() == pytest.approx(mean, abs=6e-4)
    assert bits(cases.j).std(ddof=1) / np.sqrt(cases.n) == pytest.approx(
        stderr, abs=6e-4
    )
    assert cases.j.min() == pytest.approx(least, abs=6e-3)


def paper_like(seed=0, n=418):
    """Make values shaped like the paper's: a narrow main mass, and one at -6.58.

    With shoulders twice as wide as these the disaster is hardly one, and moves the
    median by half of what it moves the mean.
    """
    rng = np.random.default_rng(seed)
    narrow, wide = rng.normal(0.15, 0.15, n - 1), rng.normal(0.0, 0.5, n - 1)
    main = np.where(rng.random(n - 1) < 0.7, narrow, wide)
    main += 0.112 - main.mean()
    return np.append(main, -6.58)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_lone_disaster_moves_the_posterior_less_than_the_mean(seed):
    j = paper_like(seed)
    assert j.mean() == pytest.approx(0.096, abs=2e-3)
    result = sc.apparent_information(
        sc.Forecasts.from_log_ratios(j),
        settings=PosteriorSettings(sampling=Sampling(n_chains=4)),
        units="nats",
        n_jobs=1,
    )
    assert result.posterior.low < j.mean() < result.posterior.high
    without = result.influence
    assert without.index == j.size - 1
    moved_mean = without.mean_without - result.normal.mean
    moved = without.posterior_median_without - result.posterior.median
    assert moved_mean == pytest.approx(0.016, abs=2e-3)
    assert abs(moved) < 0.35 * moved_mean


@pytest.mark.parametrize("clip", [0.0, 0.05, 0.3])
def test_binary_forecasts_get_an_answer_clipped_or_not(shared_data, clip):
    """The commonest input there is: atoms at both ends of j, which is bounded above."""
    games = rows_of(shared_data / "forecast_538_games.csv.gz", "project")
    played = [g for g in games["nfl_games",] if g["outcome"] in "12"][:300]
    chance = np.clip([float(g["prob1"]) for g in played], clip, 1 - clip)
    won = [g["outcome"] == "1" for g in played]
    cases = sc.Forecasts.from_class_probabilities(chance, won, prior="leave-one-out")
    result = sc.apparent_information(cases, settings=PosteriorSettings(influence=False))
    assert result.is_converged
    views = {view.tails: view for view in result.posterior.views}
    mean, error = bits(cases.j).mean(), bits(cases.j).std(ddof=1) / np.sqrt(300)
    assert abs(views["mixture"].median - mean) < 0.3 * error
    assert result.posterior.median == pytest.approx(mean)
