"""Pool what ranks say with what scores say, on the log-odds scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.special import expit

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.anchoring import AnchoredScores, clipped_logit
from scorecast.classes.bayesian import GridFavourability

__all__ = ["PooledFavourability", "RankOpinion", "ScoreOpinion", "pool"]

_RANK_INFLATION = 1.5  # the posterior takes competitors as given; they are a sample
_RANK_MISFIT = 0.15  # log-odds by which the family may be wrong
_SCORE_MISFIT = 0.1
_REFERENCE = 10  # times the observed classes, where weights are set
_FARTHEST = 30.0  # ratio beyond which scores have nothing to add


class Opinion(Protocol):
    """What is said about the log-odds of being right, and how surely."""

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""

    def variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variance of those log-odds, given how far they may drift."""

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RankOpinion:
    """The posterior given the ranks, and how far to trust it.

    Attributes
    ----------
    fitted : GridFavourability
        The posterior.
    """

    fitted: GridFavourability

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""
        return clipped_logit(self.fitted.accuracy(ks))

    def variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variance of those log-odds."""
        spread = self.fitted.logit_sd(ks)
        return _RANK_INFLATION * spread**2 + _RANK_MISFIT**2 + drift**2

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u)."""
        return self.fitted.discriminability(u)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreOpinion:
    """Anchored scores, and how far to trust them.

    Attributes
    ----------
    fitted : AnchoredScores
        Smoothed scores with their miss taken off.
    """

    fitted: AnchoredScores

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""
        return self.fitted.log_odds(ks)

    def variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variance of those log-odds."""
        anchor = self.fitted.anchor
        # A miss unlike any seen before says that the smoothing is out of its depth.
        distrust = max(1.0, anchor.surprise) ** 2
        spread = _SCORE_MISFIT**2 + anchor.variance + drift**2
        return distrust * np.broadcast_to(spread, np.shape(ks))

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u)."""
        return self.fitted.discriminability(u)


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledFavourability:
    """A weighted mean of opinions on the log-odds scale.

    Weights do not change with the number of classes, so that accuracy decreases as
    all opinions do. Far out, where smoothed scores mean nothing, the correction they
    make to the ranks is carried on unchanged.

    Attributes
    ----------
    ranks : RankOpinion
        The first opinion.
    scores : tuple of ScoreOpinion
        The others.
    weights : ndarray of shape (1 + len(scores),)
        Weights of the opinions; they add up to one.
    n_classes : int
        Number of classes observed.
    drift : float
        Log-odds by which any opinion may go astray per factor e in classes.
    """

    ranks: RankOpinion
    scores: tuple[ScoreOpinion, ...]
    weights: FloatArray
    n_classes: int
    drift: float

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        ks = np.asarray(ks)
        pooled: FloatArray = expit(self.weights @ self.opinions(ks))
        return np.where(ks > 1, pooled, 1.0)

    def opinions(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of every opinion, one row each."""
        near = np.minimum(ks, _FARTHEST * self.n_classes)
        base, base_near = self.ranks.log_odds(ks), self.ranks.log_odds(near)
        moved = [base + score.log_odds(near) - base_near for score in self.scores]
        return np.array([base, *moved])

    def logit_sd(self, ks: IntArray) -> FloatArray:
        """Return the standard deviation of the pooled log-odds.

        Opinions rest on the same classes, so their errors are taken to be half
        alike; to that comes their disagreement.
        """
        opinions = self.opinions(ks)
        apart = self.weights @ (opinions - self.weights @ opinions) ** 2
        variances = self.variances(ks)
        alike = (self.weights @ np.sqrt(variances)) ** 2
        unlike = self.weights**2 @ variances
        sd: FloatArray = np.sqrt((alike + unlike) / 2 + apart)
        return sd

    def variances(self, ks: IntArray) -> FloatArray:
        """Return the variance of every opinion, one row each."""
        ratio = np.maximum(np.asarray(ks) / self.n_classes, 1.0)
        drift = self.drift * np.log(ratio)
        return np.array([part.variance(ks, drift) for part in self._parts])

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the weighted mean of the opinions' D(u)."""
        each = np.array([part.discriminability(u) for part in self._parts])
        return np.where(np.asarray(u) >= 1, 1.0, self.weights @ each)

    @property
    def _parts(self) -> tuple[Opinion, ...]:
        return (self.ranks, *self.scores)


def pool(
    ranks: RankOpinion,
    scores: tuple[ScoreOpinion, ...],
    n_classes: int,
    drift: float,
) -> PooledFavourability:
    """Weigh opinions by their precision at ten times the observed classes.

    Parameters
    ----------
    ranks : RankOpinion
        The first opinion.
    scores : tuple of ScoreOpinion
        The others; smoothings of the same scores, so together they count as one.
    n_classes : int
        Number of classes observed.
    drift : float
        Log-odds by which any opinion may go astray per factor e in classes.

    Returns
    -------
    PooledFavourability
        The opinions with their weights.
    """
    equal = np.full(1 + len(scores), 1 / (1 + len(scores)))
    unweighted = PooledFavourability(
        ranks=ranks, scores=scores, weights=equal, n_classes=n_classes, drift=drift
    )
    precision = 1 / unweighted.variances(np.array([_REFERENCE * n_classes]))[:, 0]
    precision[1:] /= max(len(scores), 1)
    return replace(unweighted, weights=precision / precision.sum())
