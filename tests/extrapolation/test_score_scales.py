"""Scales for tails: they change distances between scores, never their order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from scorecast.extrapolation import ObservedClasses
from scorecast.extrapolation.score_scales import on_log_scale
from scorecast.scores import Embeddings, Scores


def logits(n_classes: int = 30, n_each: int = 4, seed: int = 0) -> ObservedClasses:
    rng = np.random.default_rng(seed)
    own = np.repeat(np.arange(n_classes), n_each)
    values = rng.standard_normal((own.size, n_classes))
    values[np.arange(own.size), own] += 2.5
    return ObservedClasses.of(Scores(values, own))


def test_probabilities_become_their_logarithms():
    given = logits()
    shares = softmax(given.data.values, axis=1)
    scaled = on_log_scale(ObservedClasses.of(Scores(shares, given.data.own)))
    np.testing.assert_allclose(scaled.data.values, np.log(shares))
    some = ObservedClasses.of(Scores(shares, given.data.own)).restrict(
        np.arange(30) < 10
    )
    # Rows of some classes do not add up to one any more, those given still do.
    np.testing.assert_allclose(
        on_log_scale(some).scores.values, np.log(shares[:40, :10])
    )


@pytest.mark.parametrize("kind", ["logits", "votes", "embeddings"])
def test_other_scores_stay_as_they_are(kind):
    evidence = logits()
    if kind == "votes":
        votes = np.zeros((120, 30))
        votes[np.arange(120), evidence.data.own] = 0.8
        votes[np.arange(120), (evidence.data.own + 1) % 30] = 0.2
        evidence = ObservedClasses.of(Scores(votes, evidence.data.own))
    if kind == "embeddings":
        evidence = ObservedClasses.of(pairs())
    assert on_log_scale(evidence) is evidence


def pairs():
    rng = np.random.default_rng(1)
    gallery = rng.standard_normal((20, 5))
    probes = gallery + 0.3 * rng.standard_normal(gallery.shape)
    return Embeddings(gallery, probes, np.arange(20))
