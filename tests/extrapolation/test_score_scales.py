"""Scales for smoothing: they change distances between scores, never their order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import kurtosis, skew

from scorecast.extrapolation.observed import ObservedClasses
from scorecast.extrapolation.score_scales import on_log_scale, on_normal_scale
from scorecast.scores import Embeddings, Scores


def logits(n_classes: int = 30, n_each: int = 4, seed: int = 0) -> ObservedClasses:
    rng = np.random.default_rng(seed)
    own = np.repeat(np.arange(n_classes), n_each)
    values = rng.standard_normal((own.size, n_classes))
    values[np.arange(own.size), own] += 2.5
    return ObservedClasses.of(Scores(values, own))


def wrong_scores(evidence: ObservedClasses) -> np.ndarray:
    data = evidence.scores
    wrong = np.ones(data.values.shape, dtype=bool)
    wrong[np.arange(data.n_samples), data.own] = False
    return data.values[wrong]


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


def test_wrong_scores_look_normal_and_keep_their_order():
    given = logits(60)
    skewed = ObservedClasses.of(Scores(np.exp(given.data.values), given.data.own))
    scaled = on_normal_scale(skewed)
    before, after = wrong_scores(skewed), wrong_scores(scaled)
    assert abs(skew(before)) > 2
    assert abs(skew(after)) < 0.2
    assert abs(kurtosis(after)) < 0.4
    order = np.argsort(given.data.values, axis=1)
    np.testing.assert_array_equal(np.argsort(scaled.data.values, axis=1), order)
    assert scaled.ranking is skewed.ranking


def test_location_and_scale_of_an_example_do_not_matter():
    given = logits()
    rng = np.random.default_rng(2)
    shift, stretch = rng.normal(size=(120, 1)), rng.uniform(0.5, 3, (120, 1))
    moved = ObservedClasses.of(
        Scores(shift + stretch * given.data.values, given.data.own)
    )
    np.testing.assert_allclose(
        on_normal_scale(given).data.values,
        on_normal_scale(moved).data.values,
        atol=1e-6,
    )


def test_embeddings_are_scored_first():
    scaled = on_normal_scale(ObservedClasses.of(pairs())).scores
    assert scaled.values.shape == (20, 20)
    assert np.isfinite(scaled.values).all()


def test_classes_hidden_before_are_not_looked_at():
    evidence = logits()
    kept = np.arange(30) < 12
    some = on_normal_scale(evidence.restrict(kept))
    alone = on_normal_scale(
        ObservedClasses.of(
            Scores(evidence.data.values[:48, :12], evidence.data.own[:48])
        )
    )
    assert some.scores.n_classes == 12
    np.testing.assert_allclose(some.scores.values, alone.scores.values)


def test_scores_of_minus_infinity_and_equal_ones_do_no_harm():
    values = logits().data.values.copy()
    own = logits().data.own
    values[:, 5] = np.where(own == 5, values[:, 5], -np.inf)
    values[3] = 1.0
    scaled = on_normal_scale(ObservedClasses.of(Scores(values, own))).data.values
    assert not np.isnan(scaled).any()
    assert np.isneginf(scaled[own != 5, 5]).sum() == (own != 5).sum() - 1


def test_huge_scores_keep_their_order():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 10)) + 2 * np.eye(10)[np.arange(30) % 10]
    y = np.arange(30) % 10
    plain, huge = (
        on_normal_scale(ObservedClasses.of(Scores(values * size, y))).scores.values
        for size in (1.0, 1e200)
    )
    np.testing.assert_allclose(huge, plain, atol=1e-9)
