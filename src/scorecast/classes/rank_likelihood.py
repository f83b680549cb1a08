"""How likely it is to be beaten by so many competitors, for any density of Phi^-1(U).

Given its favourability u, an example of K classes is beaten by a binomial number of
the K - 1 others. Integrals over u are taken on nodes placed where the likelihood of
each count lives, so that one table serves every density that is tried.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, log_ndtr

from scorecast._core.types import FloatArray

__all__ = ["RankLikelihood"]

_NODES = 64
_SINGLE_COUNTS = 48  # counts kept apart
_SPACED_COUNTS = 64  # representatives of the larger ones
_NEGLIGIBLE = 40.0  # log-likelihood below the peak that no longer matters
_TINY = 1e-300


class RankLikelihood:
    """Chances of the number of beating competitors among K classes.

    Parameters
    ----------
    n_classes : int
        Number of classes K.

    Attributes
    ----------
    counts : ndarray of shape (m,)
        Numbers of beating competitors represented; the first is 0.
    nodes, table : ndarray of shape (m - 1, q)
        Nodes v and likelihood times integration weight, for counts from 1 on.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_others = n_classes - 1
        spaced = np.geomspace(_SINGLE_COUNTS, max(self.n_others, 1), _SPACED_COUNTS)
        counts = np.append(np.arange(min(_SINGLE_COUNTS, n_classes)), np.round(spaced))
        kept = np.unique(counts[counts <= self.n_others])
        self.counts = np.asarray(kept, dtype=np.float64)
        positive = self.counts[1:]
        log_choose = (
            gammaln(self.n_others + 1.0)
            - gammaln(positive + 1.0)
            - gammaln(self.n_others - positive + 1.0)
        )
        low, high = self._support(positive)
        x, w = np.polynomial.legendre.leggauss(_NODES)
        half = (high - low)[:, None] / 2
        self.nodes = low[:, None] + half * (x + 1)
        log_likelihood = log_choose[:, None] + self._log_kernel(positive, self.nodes)
        self.table = np.exp(log_likelihood) * half * w

    def bin(self, histogram: FloatArray) -> FloatArray:
        """Share the weight of every count between the two nearest representatives.

        Parameters
        ----------
        histogram : ndarray of shape (n_classes,)
            Weight of the examples beaten by 0, 1, ... competitors.

        Returns
        -------
        ndarray of shape (m,)
            Weights of `counts`; the same total.
        """
        if histogram.size == self.counts.size:
            return histogram
        at = np.flatnonzero(histogram)
        right = np.clip(np.searchsorted(self.counts, at), 1, self.counts.size - 1)
        gap = self.counts[right] - self.counts[right - 1]
        share = (at - self.counts[right - 1]) / gap
        size = self.counts.size
        binned = np.zeros(size)
        binned += np.bincount(right, histogram[at] * share, size)
        binned += np.bincount(right - 1, histogram[at] * (1 - share), size)
        return binned

    def normal(self, mean: float, log_sd: float) -> tuple[FloatArray, FloatArray]:
        """Return the log-chance of every count if V is normal, and its slopes.

        Parameters
        ----------
        mean, log_sd : float
            Parameters of V = Phi^-1(U).

        Returns
        -------
        logs : ndarray of shape (m,)
            Log-chances of `counts`.
        slopes : ndarray of shape (m, 2)
            Their derivatives with respect to the parameters.
        """
        sd = float(np.exp(log_sd))
        logs = np.empty(self.counts.size)
        slopes = np.empty((self.counts.size, 2))
        z = (self.nodes - mean) / sd
        joint = self.table * np.exp(-0.5 * z**2) / (sd * np.sqrt(2 * np.pi))
        chance = np.maximum(joint.sum(axis=1), _TINY)
        logs[1:] = np.log(chance)
        slopes[1:, 0] = (joint * z).sum(axis=1) / sd / chance
        slopes[1:, 1] = (joint * (z**2 - 1)).sum(axis=1) / chance
        logs[0], slopes[0] = self._normal_unbeaten(mean, sd)
        return logs, slopes

    def _normal_unbeaten(self, mean: float, sd: float) -> tuple[float, FloatArray]:
        # Being beaten by nobody stays likely however large V is, so its integral runs
        # over the density instead of the likelihood.
        z = np.linspace(-9, 9, 361)
        mass = np.exp(-0.5 * z**2)
        mass /= mass.sum()
        v = mean + sd * z
        log_u = log_ndtr(v)
        power = np.exp(self.n_others * log_u) * mass
        chance = max(float(power.sum()), _TINY)
        hazard = self.n_others * np.exp(-0.5 * v**2 - 0.5 * np.log(2 * np.pi) - log_u)
        slopes = np.array([power @ hazard, power @ (hazard * sd * z)])
        return float(np.log(chance)), slopes / chance

    def _log_kernel(self, counts: FloatArray, v: FloatArray) -> FloatArray:
        kernel: FloatArray = (self.n_others - counts[:, None]) * log_ndtr(v) + counts[
            :, None
        ] * log_ndtr(-v)
        return kernel

    def _support(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bracket the values of V that can explain each count."""
        grid = np.linspace(-9.5, 9.5, 381)
        log_kernel = self._log_kernel(counts, grid)
        likely = log_kernel > log_kernel.max(axis=1, keepdims=True) - _NEGLIGIBLE
        step = grid[1] - grid[0]
        low = grid[likely.argmax(axis=1)] - step
        high = grid[grid.size - 1 - likely[:, ::-1].argmax(axis=1)] + step
        return low, high
