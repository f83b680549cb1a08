"""Intervals of auto hold as often as they say, family by family."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import ncx2

from scorecast.extrapolation import Auto, ObservedClasses, pooling
from scorecast.extrapolation.intervals import prediction_interval
from scorecast.scores import Scores

# Classes observed and asked for, share of lost samples, noise.
FAMILIES = {
    "many": (200, 4000, 0.0, (0.05, 0.1, 0.2, 0.4)),
    "some": (50, 1000, 0.0, (0.05, 0.1, 0.2, 0.4)),
    "flat": (100, 340, 0.15, (0.05, 0.1)),
    "few": (25, 500, 0.0, (0.1, 0.3)),
}


def drawn(n_classes, noise, lost, rng):
    centre = rng.standard_normal((n_classes, 10))
    gallery, probes = centre + np.sqrt(noise) * rng.standard_normal((2, n_classes, 10))
    others = np.sqrt(1 + noise) * rng.standard_normal((n_classes, 10))
    probes = np.where(rng.random((n_classes, 1)) < lost, others, probes)
    distance = np.linalg.norm(probes[:, None] - gallery, axis=2)
    return ObservedClasses.of(Scores(-distance, range(n_classes)))


def truth(k, noise, lost):
    rng = np.random.default_rng(0)
    centre = rng.standard_normal((20_000, 10))
    gallery, probe = centre + np.sqrt(noise) * rng.standard_normal((2, *centre.shape))
    apart = ((gallery - probe) ** 2).sum(axis=1) / (1 + noise)
    log_u = ncx2.logsf(apart, 10, (probe**2).sum(axis=1) / (1 + noise))
    return (1 - lost) * float(np.exp((k - 1) * log_u).mean()) + lost / k


def share_held(family, n_repeats):
    n_classes, k, lost, noises = FAMILIES[family]
    held = []
    for i, noise in enumerate(noises):
        expected = truth(k, noise, lost)
        for seed in range(n_repeats // len(noises)):
            rng = np.random.default_rng([n_classes, i, seed])
            data = drawn(n_classes, noise, lost, rng)
            fit = Auto().fit(data, rng)
            found = prediction_interval(fit, data, np.array([k]), 0.9)
            held.append(found.low[0] <= expected <= found.high[0])
    return np.mean(held)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_intervals_hold_as_often_as_they_say(family, monkeypatch):
    least = 0.83  # of 160 at .9 the standard error is .024
    assert least <= share_held(family, 160) <= 0.98
    narrow = dataclasses.replace(pooling.CONSTANTS, enough=0.4, sampling=0.4)
    monkeypatch.setattr(pooling, "CONSTANTS", narrow)
    assert share_held(family, 160) < least
