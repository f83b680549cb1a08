"""Pool what ranks say with what scores say, on the log-odds scale.

Kernel smoothing spreads the wrong-class scores, so its accuracy is too low where it can
be checked, at the K classes observed; the miss, on the log-odds scale, carries over to
more classes almost unchanged and shrinks slowly as their number grows. Taking it off
(`Anchor`) leaves the strength of smoothed scores, that they see margins and not only
ranks, without most of their bias.

Ranks and scores are then two opinions, each with a variance, that are averaged by their
precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray
from scorecast.extrapolation.bayesian import RankPosterior
from scorecast.extrapolation.extrapolator import (
    EmpiricalFavourability,
    UncertainLaw,
    clipped_logit,
    semideviations,
)

_Number = TypeVar("_Number", float, FloatArray)

_CERTAIN = 1e-13  # one minus a favourability that the kernel cannot tell from one
_LEAST_SLOPE = 1e-12  # of the accuracy in its log-odds, to divide by


@dataclass(frozen=True, kw_only=True)
class PoolingConstants:
    """What was learnt once about how far opinions may be wrong, in log-odds.

    Chosen on the families of ``benchmarks/auto_families.py`` and judged on others
    (``docs/decisions/0003-auto.md``).

    Attributes
    ----------
    rank_misfit : float
        By how much the family of the ranks may be wrong.
    score_misfit : tuple of float
        The same of scores: ever, and over the root of the classes.
    score_drift : float
        By how much scores go astray per factor e in classes.
    misjudged : float
        Share of the decline, over the root of the classes, that may be wrong.
    alike : float
        Share of the opinions' errors that is common to them.
    reference : int
        Times the observed classes, where weights are set.
    farthest : float
        Ratio beyond which scores have nothing to add.
    miss_drift : float
        By how much the miss of smoothed scores shrinks per factor e in classes.
    usual_miss, usual_miss_normal : tuple of float
        Usual miss as given and on the normal scale: level, and slope in log-odds.
    spread_of_miss : float
        Standard deviation of a miss around the usual one.
    extra_spread : tuple of float
        More of it per unit of log-odds beyond a limit: few errors to go by.
    guesses_drift : float
        By how much several guesses go astray per factor e in classes, over the root of
        the classes observed.
    """

    rank_misfit: float = 0.1
    score_misfit: tuple[float, float] = (0.1, 1.0)
    score_drift: float = 0.12
    misjudged: float = 1.0
    alike: float = 0.1
    reference: int = 10
    farthest: float = 30.0
    miss_drift: float = 0.15
    usual_miss: tuple[float, float] = (-0.25, -0.15)
    usual_miss_normal: tuple[float, float] = (-0.2, -0.2)
    spread_of_miss: float = 0.3
    extra_spread: tuple[float, float] = (0.3, 3.5)
    guesses_drift: float = 0.9


CONSTANTS = PoolingConstants()


# --- scores, anchored at the accuracy that was observed ------------------------------


@dataclass(frozen=True, kw_only=True)
class Anchor:
    """How far smoothed scores miss the observed accuracy, on the log-odds scale.

    Attributes
    ----------
    smoothed, observed : float
        Accuracy with the observed classes, by smoothed scores and as counted.
    miss : float
        Log-odds to take off: what was seen, shrunk towards what is usual.
    variance : float
        Variance of `miss`.
    surprise : float
        Squared distance of the miss from the usual, in its own standard deviations.
    saturated : float
        Share of samples whose favourability cannot be told from one.
    """

    smoothed: float
    observed: float
    miss: float
    variance: float
    surprise: float
    saturated: float


@dataclass(frozen=True, kw_only=True, eq=False)
class AnchoredSmoothing:
    """Scores smoothed on one scale, with their miss taken off."""

    scores: EmpiricalFavourability
    anchor: Anchor
    n_classes: int

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""
        smoothed = clipped_logit(self.scores.accuracy(ks))
        beyond = CONSTANTS.miss_drift * _log_ratio(ks, self.n_classes)
        return smoothed - self.anchor.miss - beyond


@dataclass(frozen=True, kw_only=True, eq=False)
class AnchoredScores:
    """Scores smoothed as given and on the normal scale, as far as each is heeded.

    Attributes
    ----------
    given : AnchoredSmoothing
        Smoothed as given.
    normal : AnchoredSmoothing or None
        Smoothed on the normal scale; None if that is not needed.
    share : float
        How far the normal scale is heeded, from 0 to 1.
    """

    given: AnchoredSmoothing
    normal: AnchoredSmoothing | None = None
    share: float = 0.0

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return self.given.n_classes

    @property
    def anchor(self) -> Anchor:
        """The miss of the mean of both."""
        if self.normal is None:
            return self.given.anchor
        ours, theirs = asdict(self.given.anchor), asdict(self.normal.anchor)
        return Anchor(**{name: self._mean(ours[name], theirs[name]) for name in ours})

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""
        if self.normal is None:
            return self.given.log_odds(ks)
        return self._mean(self.given.log_odds(ks), self.normal.log_odds(ks))

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u) of the smoothed scores as they are."""
        ours = self.given.scores.discriminability(u)
        if self.normal is None:
            return ours
        return self._mean(ours, self.normal.scores.discriminability(u))

    def _mean(self, ours: _Number, theirs: _Number) -> _Number:
        if self.share in (0.0, 1.0):  # a part that is not heeded may be infinite
            return theirs if self.share else ours
        return (1 - self.share) * ours + self.share * theirs


def counted_share(observed: float, size: float) -> float:
    """Return an accuracy with half a success and half a failure added."""
    return (observed * size + 0.5) / (size + 1)


def anchor_scores(
    scores: EmpiricalFavourability,
    observed: float,
    n_classes: int,
    size: float,
    *,
    is_rescaled: bool = False,
) -> Anchor:
    """Compare smoothed scores with the accuracy that was observed.

    Parameters
    ----------
    scores : EmpiricalFavourability
        Favourabilities by smoothed scores.
    observed : float
        Accuracy with all observed classes.
    n_classes : int
        Number of classes observed.
    size : float
        Number of independent samples behind it.
    is_rescaled : bool
        Whether scores were brought to the normal scale, where they miss less.

    Returns
    -------
    Anchor
        The miss, shrunk by how little `observed` is known.
    """
    counted = counted_share(observed, size)
    odds = float(scipy.special.logit(counted))
    noise = 1 / (size * counted * (1 - counted))
    smoothed = float(scores.accuracy(np.array([n_classes]))[0])
    miss = float(clipped_logit(np.array(smoothed))) - odds
    level, slope = CONSTANTS.usual_miss_normal if is_rescaled else CONSTANTS.usual_miss
    usual = level + slope * max(odds, 0.0)
    extra, beyond = CONSTANTS.extra_spread
    spread = CONSTANTS.spread_of_miss + extra * max(odds - beyond, 0.0)
    variance = 1 / (1 / noise + 1 / spread**2)
    return Anchor(
        smoothed=smoothed,
        observed=observed,
        miss=variance * (miss / noise + usual / spread**2),
        variance=variance,
        surprise=(miss - usual) ** 2 / (noise + spread**2),
        saturated=float(scores.weights @ (scores.values > 1 - _CERTAIN)),
    )


# --- opinions ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class RankOpinion:
    """The posterior given the ranks, and how far to trust it."""

    fitted: RankPosterior
    n_classes: int

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""
        return clipped_logit(self.fitted.own_accuracy(ks))

    def variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variances of those log-odds, downwards and upwards."""
        spread: FloatArray = np.array(self.fitted.logit_spread(ks)) ** 2
        return spread + CONSTANTS.rank_misfit**2 + drift**2

    def weighing_variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variances that decide how much the ranks count.

        With hardly an error the log-odds are open upwards without end, while the
        accuracy, which is what errors are measured in, is not: the smaller counts.
        """
        accuracy = self.fitted.own_accuracy(ks)
        slope = np.maximum(accuracy * (1 - accuracy), _LEAST_SLOPE)
        in_accuracy = (self.fitted.accuracy_sd(ks) / slope) ** 2
        spread: FloatArray = np.array(self.fitted.logit_spread(ks)) ** 2
        smaller = np.minimum(spread, in_accuracy)
        return smaller + CONSTANTS.rank_misfit**2 + drift**2

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        return _of_one_guess(self.log_odds, self.fitted, ks, top)

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
        near = np.minimum(ks, CONSTANTS.farthest * n_classes)
        odds = self.fitted.log_odds(near)
        start = self.fitted.log_odds(np.array([n_classes]))[0]
        eased = np.where(near > n_classes, odds + self.eased * (start - odds), odds)
        return eased + self.ranks.log_odds(ks) - self.ranks.log_odds(near)

    def variance(self, ks: IntArray, drift: FloatArray) -> FloatArray:
        """Return the variance of those log-odds, given how far they may drift."""
        anchor = self.fitted.anchor
        # A miss unlike any seen before says that the smoothing is out of its depth.
        distrust = max(1.0, anchor.surprise) ** 2
        ever, over_root = CONSTANTS.score_misfit
        misfit = ever + over_root / np.sqrt(self.fitted.n_classes)
        astray = CONSTANTS.score_drift * _log_ratio(ks, self.fitted.n_classes)
        spread: FloatArray = misfit**2 + anchor.variance + (drift + astray) ** 2
        return distrust * spread

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        return _of_one_guess(self.log_odds, self.ranks.fitted, ks, top)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u) of the smoothed scores as they are."""
        return self.fitted.discriminability(u)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool(UncertainLaw):
    """A weighted mean of opinions on the log-odds scale.

    Weights do not change with the number of classes, so that accuracy decreases as
    all opinions do, and lies between them. Pooling and its corrections are of one
    guess: ranks say among how many classes one guess does as well as several do among
    k, and there the pool is asked.

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
    improved : tuple of Pool
        The same if ever more of the worst mistakes were right.
    """

    ranks: RankOpinion
    scores: tuple[ScoreOpinion, ...]
    weights: FloatArray
    drift: float
    improved: tuple[Pool, ...] = ()

    def better(self, top: int) -> Sequence[Pool]:
        """Return the same of better recognisers; several guesses have none."""
        return self.improved if top == 1 else ()

    def own_accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the accuracy by this pool alone."""
        return _of_one_guess(self._log_odds, self.ranks.fitted, ks, top)

    def _log_odds(self, ks: IntArray) -> FloatArray:
        pooled: FloatArray = self.weights @ self.opinions(ks)
        return pooled

    def opinions(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of every opinion, one row each."""
        return np.array([part.log_odds(ks) for part in self.parts])

    def logit_spread(self, ks: IntArray, top: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return the standard deviations of the pooled log-odds, down and up.

        Opinions rest on the same classes, so a part of their errors is alike; to
        that come their disagreement and what no opinion can know: from few classes
        the decline itself is known to a share of its size only.
        """
        if top > 1:
            return self._spread_of_guesses(ks, top)
        opinions = self.opinions(ks)
        pooled = self.weights @ opinions
        apart = self.weights @ (opinions - pooled) ** 2
        n_classes = self.ranks.n_classes
        start = self.weights @ self.opinions(np.array([n_classes]))
        decline = np.where(np.asarray(ks) > n_classes, start - pooled, 0.0)
        misjudged = CONSTANTS.misjudged**2 / n_classes * decline**2
        # Sides x opinions x numbers of classes.
        variances = self.variances(ks).swapaxes(0, 1)
        alike = (self.weights @ np.sqrt(variances)) ** 2
        unlike = self.weights**2 @ variances
        share = CONSTANTS.alike
        below, above = np.sqrt(share * alike + (1 - share) * unlike + apart + misjudged)
        return below, above

    def _spread_of_guesses(
        self, ks: IntArray, top: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the same within several guesses.

        To the spread of one guess comes how far the laws that remain plausible disagree
        about the number of classes at which it does as well, and how far all of them
        may be wrong about it.
        """
        posterior = self.ranks.fitted
        fewer, weights = posterior.equivalent(ks, top), posterior.likely_weights
        apart = posterior.log_odds_each(ks, top) - posterior.log_odds_each(fewer)
        down, up = semideviations(apart, apart @ weights, weights)
        n_classes = self.ranks.n_classes
        far = np.log(np.maximum(np.asarray(ks) / np.maximum(fewer, n_classes), 1.0))
        astray = CONSTANTS.guesses_drift / np.sqrt(n_classes) * far
        below, above = self.logit_spread(fewer)
        return (
            np.hypot(below, np.hypot(down, astray)),
            np.hypot(above, np.hypot(up, astray)),
        )

    def variances(self, ks: IntArray) -> FloatArray:
        """Return the variances of every opinion: opinions x sides x classes."""
        drift = self.drift * _log_ratio(ks, self.ranks.n_classes)
        return np.array(
            [
                np.broadcast_to(part.variance(ks, drift), (2, np.size(ks)))
                for part in self.parts
            ]
        )

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the weighted mean of the opinions' D(u)."""
        each = np.array([part.discriminability(u) for part in self.parts])
        return np.where(np.asarray(u) >= 1, 1.0, self.weights @ each)

    @property
    def parts(self) -> tuple[RankOpinion | ScoreOpinion, ...]:
        """All opinions."""
        return (self.ranks, *self.scores)


def pool(ranks: RankOpinion, scores: tuple[ScoreOpinion, ...], drift: float) -> Pool:
    """Weigh opinions by their precision at ten times the observed classes.

    Smoothings of the same scores count together as one opinion.
    """
    equal = np.full(1 + len(scores), 1 / (1 + len(scores)))
    unweighted = Pool(ranks=ranks, scores=scores, weights=equal, drift=drift)
    reference = np.array([CONSTANTS.reference * ranks.n_classes])
    # Ranks hold against scores as firmly as they rule out what lies on that side.
    odds = unweighted.opinions(reference)[:, 0]
    is_above = int(odds[1:].mean() > odds[0]) if scores else 0
    variances = unweighted.variances(reference)[:, is_above, 0]
    drifted = drift * _log_ratio(reference, ranks.n_classes)
    variances[0] = ranks.weighing_variance(reference, drifted)[is_above, 0]
    precision = 1 / variances
    precision[1:] /= max(len(scores), 1)
    return replace(unweighted, weights=precision / precision.sum())


def _of_one_guess(
    log_odds: Callable[[IntArray], FloatArray],
    ranks: RankPosterior,
    ks: IntArray,
    top: int,
) -> FloatArray:
    """Ask log-odds of one guess, among as many classes as several guesses are worth."""
    asked = ks if top == 1 else ranks.equivalent(ks, top)
    accuracy: FloatArray = scipy.special.expit(log_odds(asked))
    return np.where(np.asarray(ks) > top, accuracy, 1.0)


def _log_ratio(ks: IntArray, n_classes: int) -> FloatArray:
    """Return how far beyond the observed classes numbers of classes are."""
    ratio: FloatArray = np.log(np.maximum(np.asarray(ks) / n_classes, 1.0))
    return ratio
