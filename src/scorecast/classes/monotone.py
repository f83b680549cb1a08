"""A recogniser that makes fewer mistakes is never forecast lower.

The parameters of a distribution and the weights of a pool are estimated together, so
making a bad mistake right can lower the forecast: the spread shrinks with it, and far
out a wide distribution does better than a narrow one. Hence a forecast, and the lower
end of its interval, is never above what it would be if the worst mistakes were right,
however many of them.

An interval reaches as far down as distributions below the forecast remain plausible,
and as far up as those above it do. With hardly a mistake the log-odds are open upwards
without end; that says nothing about how low they may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.special import expit, logit

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.classes.evidence import Evidence

__all__ = ["MonotoneForecast", "clipped_logit", "improvements", "semideviations"]

_FLOOR = 1e-12
_MOST_IMPROVEMENTS = 64


class _Alone(Protocol):
    def own_accuracy(self, ks: IntArray) -> FloatArray:
        """Return the accuracy by this fit alone."""

    def logit_spread(self, ks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the standard deviations below and above its log-odds."""


class MonotoneForecast:
    """Base of fits that know their own spread, and what fewer mistakes would give.

    A subclass has `own_accuracy`, `logit_spread` and `improved`: the same fitted to
    the data with ever more of their worst mistakes made right.
    """

    @property
    def improved(self) -> Sequence[_Alone]:
        """The same of better recognisers."""
        return ()

    def own_accuracy(self, ks: IntArray) -> FloatArray:
        """Return the accuracy by this fit alone."""
        raise NotImplementedError

    def logit_spread(self, ks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the standard deviations below and above the log-odds, alone."""
        raise NotImplementedError

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        least = self.own_accuracy(ks)
        for better in self.improved:
            least = np.minimum(least, better.own_accuracy(ks))
        return least

    def ends(self, ks: IntArray, width: float) -> tuple[FloatArray, FloatArray]:
        """Return the accuracy so many standard deviations down and up.

        Parameters
        ----------
        ks : ndarray of int64
            Numbers of classes.
        width : float
            Standard deviations to either side.

        Returns
        -------
        low, high : ndarray of float64
            Around `accuracy`.
        """
        below, above = self.logit_spread(ks)
        odds = clipped_logit(self.own_accuracy(ks))
        low, high = expit(odds - width * below), expit(odds + width * above)
        for better in self.improved:
            odds = clipped_logit(better.own_accuracy(ks))
            low = np.minimum(low, expit(odds - width * better.logit_spread(ks)[0]))
        centre = self.accuracy(ks)
        return np.minimum(low, centre), np.maximum(high, centre)


def clipped_logit(accuracy: FloatArray) -> FloatArray:
    """Return log-odds, kept finite at 0 and 1."""
    odds: FloatArray = logit(np.clip(accuracy, _FLOOR, 1 - _FLOOR))
    return odds


def semideviations(
    odds: FloatArray, centre: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the root mean squares below and above a centre, each as if of both sides.

    Parameters
    ----------
    odds : ndarray of shape (n, m)
        Log-odds, one column per plausible distribution.
    centre : ndarray of shape (n,)
        What they are spread around.
    weights : ndarray of shape (m,)
        Weights of the distributions; they add up to one.

    Returns
    -------
    below, above : ndarray of shape (n,)
        Both are the standard deviation where the odds are spread evenly.
    """
    away = odds - centre[:, None]
    below: FloatArray = np.sqrt(2 * (np.minimum(away, 0) ** 2 @ weights))
    above: FloatArray = np.sqrt(2 * (np.maximum(away, 0) ** 2 @ weights))
    return below, above


def improvements(evidence: Evidence, most: int = _MOST_IMPROVEMENTS) -> list[BoolArray]:
    """Say which examples to take as right: the worst mistakes, ever more of them.

    Parameters
    ----------
    evidence : Evidence
        The observed classes.
    most : int
        Number of improvements at most.

    Returns
    -------
    list of ndarray of bool
        One per improvement, the last with every example right; empty if they are.
    """
    ranking = evidence.ranking
    beaten = ranking.n_above + ranking.n_tied / 2
    order = np.argsort(-beaten, kind="stable")
    n_wrong = int(np.count_nonzero(beaten))
    shares = np.arange(1, most + 1) / most
    numbers = np.unique(np.ceil(shares * n_wrong).astype(np.int64))
    found = []
    for n_right in numbers[numbers > 0]:
        right = np.zeros(beaten.size, dtype=np.bool_)
        right[order[:n_right]] = True
        found.append(right)
    return found
