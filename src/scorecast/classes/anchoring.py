"""Anchor smoothed scores at the accuracy that was observed.

Kernel smoothing spreads the wrong-class scores, so its accuracy is too low where it
can be checked, at the K classes observed; the miss, on the log-odds scale, carries
over to more classes almost unchanged and shrinks slowly as their number grows. Taking
it off leaves the strength of smoothed scores, that they see margins and not only
ranks, without most of their bias.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TypeVar

import numpy as np
from scipy.special import expit, logit

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.distributions import EmpiricalFavourability
from scorecast.classes.monotone import clipped_logit

__all__ = [
    "Anchor",
    "AnchoredScores",
    "AnchoredSmoothing",
    "anchor_scores",
    "counted_share",
]

_Number = TypeVar("_Number", float, FloatArray)

_DRIFT = 0.15  # by which the miss shrinks per factor e in the number of classes
# Of smoothed scores as given, and on the normal scale: level, and slope in log-odds.
_USUAL_MISS = {False: (-0.25, -0.15), True: (-0.2, -0.2)}
_SPREAD_OF_MISS = 0.3
_EXTRA_SPREAD = (0.3, 3.5)  # per unit of log-odds, beyond this: few errors to go by
_CERTAIN = 1e-13  # one minus a favourability that the kernel cannot tell from one


def counted_share(observed: float, size: float) -> float:
    """Return an accuracy with half a success and half a failure added.

    Parameters
    ----------
    observed : float
        Accuracy as counted.
    size : float
        Number of independent examples behind it.

    Returns
    -------
    float
        The accuracy, moved off 0 and 1.
    """
    return (observed * size + 0.5) / (size + 1)


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
        Share of examples whose favourability cannot be told from one.
    """

    smoothed: float
    observed: float
    miss: float
    variance: float
    surprise: float
    saturated: float


@dataclass(frozen=True, kw_only=True, eq=False)
class AnchoredSmoothing:
    """Scores smoothed on one scale, with their miss taken off.

    Attributes
    ----------
    scores : EmpiricalFavourability
        Favourabilities by smoothed scores.
    anchor : Anchor
        The miss.
    n_classes : int
        Number of classes observed.
    """

    scores: EmpiricalFavourability
    anchor: Anchor
    n_classes: int

    def log_odds(self, ks: IntArray) -> FloatArray:
        """Return the log-odds of being right at numbers of classes."""
        beyond = np.log(np.maximum(np.asarray(ks) / self.n_classes, 1.0))
        smoothed = clipped_logit(self.scores.accuracy(ks))
        return smoothed - self.anchor.miss - _DRIFT * beyond

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u) of the smoothed scores as they are."""
        return self.scores.discriminability(u)


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

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        accuracy: FloatArray = expit(self.log_odds(ks))
        return np.where(np.asarray(ks) > 1, accuracy, 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u) of the smoothed scores as they are."""
        ours = self.given.discriminability(u)
        if self.normal is None:
            return ours
        return self._mean(ours, self.normal.discriminability(u))

    def _mean(self, ours: _Number, theirs: _Number) -> _Number:
        if self.share in (0.0, 1.0):  # a part that is not heeded may be infinite
            return theirs if self.share else ours
        return (1 - self.share) * ours + self.share * theirs


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
        Number of independent examples behind it.
    is_rescaled : bool
        Whether scores were brought to the normal scale, where they miss less.

    Returns
    -------
    Anchor
        The miss, shrunk by how little `observed` is known.
    """
    counted = counted_share(observed, size)
    odds = float(logit(counted))
    noise = 1 / (size * counted * (1 - counted))
    smoothed = float(scores.accuracy(np.array([n_classes]))[0])
    miss = float(clipped_logit(np.array(smoothed))) - odds
    level, slope = _USUAL_MISS[is_rescaled]
    usual = level + slope * max(odds, 0.0)
    spread = _SPREAD_OF_MISS + _EXTRA_SPREAD[0] * max(odds - _EXTRA_SPREAD[1], 0.0)
    variance = 1 / (1 / noise + 1 / spread**2)
    return Anchor(
        smoothed=smoothed,
        observed=observed,
        miss=variance * (miss / noise + usual / spread**2),
        variance=variance,
        surprise=(miss - usual) ** 2 / (noise + spread**2),
        saturated=float(scores.weights @ (scores.values > 1 - _CERTAIN)),
    )
