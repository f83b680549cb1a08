"""Pool what ranks say with what scores say, on the log-odds scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.anchoring import AnchoredScores
from scorecast.classes.bayesian import GridFavourability
from scorecast.classes.monotone import MonotoneForecast, clipped_logit

__all__ = ["PooledFavourability", "RankOpinion", "ScoreOpinion", "pool"]

_RANK_MISFIT = 0.1  # log-odds by which the family may be wrong
_SCORE_MISFIT = (0.1, 1.0)  # the same of scores: ever, and over the root of classes
_SCORE_DRIFT = 0.12  # log-odds by which scores go astray per factor e in classes
_MISJUDGED = 1.0  # share of the decline, over the root of classes, that may be wrong
_ALIKE = 0.1  # share of the opinions' errors that is common to them
_LEAST_SLOPE = 1e-12  # of the accuracy in its log-odds, to divide by
_REFERENCE = 10  # times the observed classes, where weights are set
_FARTHEST = 30.0  # ratio beyond which scores have nothing to add


@dataclass(frozen=True, kw_only=True, eq=False)
class RankOpinion:
    """The posterior given the ranks, and how far to trust it.

    Attributes
    ----------
    fitted : GridFavourability
        The posterior.
    n_classes : int
        Number of classes observed.
    """

    fitted: GridFavourability
    n_classes: int

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""
        return clipped_logit(self.fitted.own_accuracy(ks))

    def variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variances of those log-odds, given how far they may drift.

        Two rows: downwards and upwards.
        """
        spread: FloatArray = np.array(self.fitted.logit_spread(ks)) ** 2
        return spread + _RANK_MISFIT**2 + drift**2

    def weighing_variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variances that decide how much the ranks count.

        With hardly an error the log-odds are open upwards without end, while the
        accuracy, which is what errors are measured in, is not: the smaller counts.
        """
        accuracy = self.fitted.own_accuracy(ks)
        slope = np.maximum(accuracy * (1 - accuracy), _LEAST_SLOPE)
        in_accuracy = (self.fitted.accuracy_sd(ks) / slope) ** 2
        spread: FloatArray = np.array(self.fitted.logit_spread(ks)) ** 2
        return np.minimum(spread, in_accuracy) + _RANK_MISFIT**2 + drift**2

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        return np.where(np.asarray(ks) > 1, expit(self.log_odds(ks)), 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u) of the posterior as it is."""
        return self.fitted.discriminability(u)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreOpinion:
    """Anchored scores, and how far to trust them.

    Far out, where smoothed scores mean nothing, the correction they make to the
    ranks is carried on unchanged.

    Attributes
    ----------
    fitted : AnchoredScores
        Smoothed scores with their miss taken off.
    ranks : RankOpinion
        What the ranks say, to go on with far out.
    eased : float
        Share taken off its decline beyond the observed classes.
    """

    fitted: AnchoredScores
    ranks: RankOpinion
    eased: float = 0.0

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""
        n_classes = self.fitted.n_classes
        near = np.minimum(ks, _FARTHEST * n_classes)
        beyond = self.ranks.log_odds(ks) - self.ranks.log_odds(near)
        return _ease(self.fitted.log_odds, near, n_classes, self.eased) + beyond

    def variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variance of those log-odds, given how far they may drift."""
        anchor = self.fitted.anchor
        # A miss unlike any seen before says that the smoothing is out of its depth.
        distrust = max(1.0, anchor.surprise) ** 2
        misfit = _SCORE_MISFIT[0] + _SCORE_MISFIT[1] / np.sqrt(self.fitted.n_classes)
        astray = _SCORE_DRIFT * _log_ratio(ks, self.fitted.n_classes)
        spread: FloatArray = misfit**2 + anchor.variance + (drift + astray) ** 2
        return distrust * spread

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        return np.where(np.asarray(ks) > 1, expit(self.log_odds(ks)), 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u) of the smoothed scores as they are."""
        return self.fitted.discriminability(u)


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledFavourability(MonotoneForecast):
    """A weighted mean of opinions on the log-odds scale.

    Weights do not change with the number of classes, so that accuracy decreases as
    all opinions do, and lies between them.

    Attributes
    ----------
    ranks : RankOpinion
        The first opinion.
    scores : tuple of ScoreOpinion
        The others.
    weights : ndarray of shape (1 + len(scores),)
        Weights of the opinions; they add up to one.
    drift : float
        Log-odds by which any opinion may go astray per factor e in classes.
    improved : tuple of PooledFavourability
        The same if ever more of the worst mistakes were right.
    """

    ranks: RankOpinion
    scores: tuple[ScoreOpinion, ...]
    weights: FloatArray
    drift: float
    improved: tuple[PooledFavourability, ...] = ()

    def own_accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        ks = np.asarray(ks)
        pooled: FloatArray = expit(self.weights @ self.opinions(ks))
        return np.where(ks > 1, pooled, 1.0)

    def opinions(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of every opinion, one row each."""
        return np.array([part.log_odds(ks) for part in self._parts])

    def logit_spread(self, ks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the standard deviations of the pooled log-odds, down and up.

        Opinions rest on the same classes, so a part of their errors is alike; to
        that come their disagreement and what no opinion can know: from few classes
        the decline itself is known to a share of its size only.
        """
        opinions = self.opinions(ks)
        pooled = self.weights @ opinions
        apart = self.weights @ (opinions - pooled) ** 2
        n_classes = self.ranks.n_classes
        start = self.weights @ self.opinions(np.array([n_classes]))
        decline = np.where(np.asarray(ks) > n_classes, start - pooled, 0.0)
        misjudged = _MISJUDGED**2 / n_classes * decline**2
        # Sides x opinions x numbers of classes.
        variances = self.variances(ks).swapaxes(0, 1)
        alike = (self.weights @ np.sqrt(variances)) ** 2
        unlike = self.weights**2 @ variances
        below, above = np.sqrt(
            _ALIKE * alike + (1 - _ALIKE) * unlike + apart + misjudged
        )
        return below, above

    def variances(self, ks: IntArray) -> FloatArray:
        """Return the variances of every opinion: opinions x sides x classes."""
        drift = self.drift * _log_ratio(ks, self.ranks.n_classes)
        return np.array(
            [
                np.broadcast_to(part.variance(ks, drift), (2, np.size(ks)))
                for part in self._parts
            ]
        )

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the weighted mean of the opinions' D(u)."""
        each = np.array([part.discriminability(u) for part in self._parts])
        return np.where(np.asarray(u) >= 1, 1.0, self.weights @ each)

    @property
    def _parts(self) -> tuple[RankOpinion | ScoreOpinion, ...]:
        return (self.ranks, *self.scores)


def pool(
    ranks: RankOpinion, scores: tuple[ScoreOpinion, ...], drift: float
) -> PooledFavourability:
    """Weigh opinions by their precision at ten times the observed classes.

    Parameters
    ----------
    ranks : RankOpinion
        The first opinion.
    scores : tuple of ScoreOpinion
        The others; smoothings of the same scores, so together they count as one.
    drift : float
        Log-odds by which any opinion may go astray per factor e in classes.

    Returns
    -------
    PooledFavourability
        The opinions with their weights.
    """
    equal = np.full(1 + len(scores), 1 / (1 + len(scores)))
    unweighted = PooledFavourability(
        ranks=ranks, scores=scores, weights=equal, drift=drift
    )
    reference = np.array([_REFERENCE * ranks.n_classes])
    # Ranks hold against scores as firmly as they rule out what lies on that side.
    odds = unweighted.opinions(reference)[:, 0]
    is_above = int(odds[1:].mean() > odds[0]) if scores else 0
    variances = unweighted.variances(reference)[:, is_above, 0]
    drifted = drift * _log_ratio(reference, ranks.n_classes)
    variances[0] = ranks.weighing_variance(reference, drifted)[is_above, 0]
    precision = 1 / variances
    precision[1:] /= max(len(scores), 1)
    return replace(unweighted, weights=precision / precision.sum())


def _log_ratio(ks: IntArray, n_classes: int) -> FloatArray:
    """Say how far beyond the observed classes numbers of classes are."""
    ratio: FloatArray = np.log(np.maximum(np.asarray(ks) / n_classes, 1.0))
    return ratio


def _ease(
    curve: Callable[[IntArray], FloatArray],
    ks: IntArray,
    n_classes: int,
    share: float,
) -> FloatArray:
    """Take a share off the decline of a curve beyond the observed classes."""
    odds = curve(ks)
    start = curve(np.array([n_classes]))[0]
    return np.where(ks > n_classes, odds + share * (start - odds), odds)
