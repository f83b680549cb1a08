"""The probit family with a prior: what ranks say, and no more than they say.

Phi^-1(U) is normal or mildly skewed, as in the two-parameter family, but its
parameters are averaged over their posterior instead of being maximised. With few
errors the likelihood hardly tells a small spread from a large one, and the maximum
jumps from "never wrong" to "collapses"; the prior knows that real recognisers have a
standard deviation near one (0.5 to 1.6 in every problem we measured).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import log_ndtr, logit, ndtri

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.distributions import FavourabilityDistribution
from scorecast.classes.effective_size import effective_size
from scorecast.classes.evidence import Evidence, RankEvidence
from scorecast.classes.method import Fit, Method
from scorecast.classes.rank_likelihood import RankLikelihood

__all__ = ["Bayesian", "GridFavourability"]

_STEP = 0.05
_MEANS = np.arange(-1.5, 8.01, 0.15)
_LOG_SDS = np.linspace(np.log(0.3), np.log(2.5), 14)
_SKEWS = np.array([-0.6, -0.3, 0.0, 0.3, 0.6])
_PRIOR_MEAN = (3.0, 2.0)  # centre and standard deviation
_PRIOR_LOG_SD = (float(np.log(0.95)), 0.35)
_PRIOR_SKEW = (0.0, 0.3)
_NEGLIGIBLE = 1e-4  # posterior weight relative to the largest
_TINY = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class GridFavourability:
    """A posterior over distributions of Phi^-1(U), all on one grid.

    Attributes
    ----------
    nodes : ndarray of shape (g,)
        Values of Phi^-1(U).
    masses : ndarray of shape (g, m)
        Distributions that remain plausible, one per column.
    weights : ndarray of shape (m,)
        Their posterior weights; they add up to one.
    """

    nodes: FloatArray
    masses: FloatArray
    weights: FloatArray

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the posterior mean of the accuracy at numbers of classes."""
        expected: FloatArray = self._powers(ks) @ (self.masses @ self.weights)
        return np.minimum(expected, 1.0)

    def logit_sd(self, ks: IntArray) -> FloatArray:
        """Return the posterior standard deviation of the log-odds of being right."""
        each = self._powers(ks) @ self.masses
        odds = logit(np.clip(each, 1e-12, 1 - 1e-12))
        centre = odds @ self.weights
        sd: FloatArray = np.sqrt(((odds - centre[:, None]) ** 2) @ self.weights)
        return sd

    def accuracy_sd(self, ks: IntArray) -> FloatArray:
        """Return the posterior standard deviation of the accuracy itself."""
        each = self._powers(ks) @ self.masses
        away = each - (each @ self.weights)[:, None]
        sd: FloatArray = np.sqrt((away**2) @ self.weights)
        return sd

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the posterior mean of D(u)."""
        below = np.cumsum(self.masses @ self.weights)
        with np.errstate(divide="ignore"):
            at = np.clip(ndtri(u), self.nodes[0], self.nodes[-1])
        share = np.interp(at, self.nodes + _STEP / 2, below, left=0.0)
        return np.where(u >= 1, 1.0, share)

    def _powers(self, ks: IntArray) -> FloatArray:
        others = np.asarray(ks, dtype=np.float64)[:, None] - 1
        powers: FloatArray = np.exp(others * log_ndtr(self.nodes))
        return powers


@dataclass(frozen=True, kw_only=True)
class Bayesian(Method):
    """Average a skewed probit family over its posterior given the ranks.

    Sees nothing but ranks, like `Gaussian`, whose maximum-likelihood answer it
    approaches as errors become plentiful.

    Attributes
    ----------
    n_effective : float or None
        Number of independent examples the likelihood stands for; None estimates it
        from how alike the examples of a class are.
    """

    name: ClassVar[str] = "bayesian"

    n_effective: float | None = None

    def fit(
        self,
        evidence: Evidence,
        rng: np.random.Generator,  # noqa: ARG002 - nothing to choose at random
    ) -> Fit:
        """Weigh the family by the likelihood of the ranks.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        rng : numpy.random.Generator
            Not used.

        Returns
        -------
        Fit
            The posterior; its details hold the effective number of examples and the
            posterior means of the parameters.
        """
        size = self.n_effective or effective_size(evidence)
        fitted, means = _posterior(evidence.ranks, size)
        details = {
            "n_effective": size,
            "mean": float(means[0]),
            "sd": float(np.exp(means[1])),
            "skew": float(means[2]),
        }
        return Fit(
            distribution=fitted, tuned=Bayesian(n_effective=size), details=details
        )

    def fit_left_out(
        self, evidence: Evidence, fit: Fit
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out."""
        size = float(fit.details["n_effective"])
        return [_posterior(ranks, size)[0] for ranks in evidence.ranks_left_out]


def _posterior(
    ranks: RankEvidence, size: float
) -> tuple[GridFavourability, FloatArray]:
    nodes, masses, parameters, log_prior = _family()
    likelihood, log_chances = _log_chances(ranks.n_classes)
    log_weight = log_prior + size * (likelihood.bin(ranks.histogram) @ log_chances)
    weight = np.exp(log_weight - log_weight.max())
    kept = weight > _NEGLIGIBLE
    weights = weight[kept] / weight[kept].sum()
    fitted = GridFavourability(nodes=nodes, masses=masses[:, kept], weights=weights)
    return fitted, weights @ parameters[kept]


@lru_cache(maxsize=1)
def _family() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Lay the whole family out on a grid: nodes, masses, parameters, log-prior."""
    nodes = np.arange(-7.0, 13.0 + _STEP / 2, _STEP)
    grid = np.meshgrid(_MEANS, _LOG_SDS, _SKEWS, indexing="ij")
    parameters = np.column_stack([axis.ravel() for axis in grid])
    mean, log_sd, skew = parameters.T
    z = (nodes[:, None] - mean) / np.exp(log_sd)
    masses = _skewed_normal(z, skew)
    masses /= masses.sum(axis=0)
    priors = (_PRIOR_MEAN, _PRIOR_LOG_SD, _PRIOR_SKEW)
    log_prior = np.zeros(mean.size)
    for value, (centre, spread) in zip(parameters.T, priors, strict=True):
        log_prior -= 0.5 * ((value - centre) / spread) ** 2
    return nodes, masses, parameters, log_prior


def _skewed_normal(z: FloatArray, skew: FloatArray) -> FloatArray:
    """Density of Jones and Pewsey's sinh-arcsinh normal, but for a constant factor."""
    # sinh and cosh of arcsinh(z) - skew by the addition theorems: a root and products
    # are much cheaper than hyperbolic functions of nearly two million cells.
    root = np.sqrt(1 + z * z)
    cosh_skew, sinh_skew = np.cosh(skew), np.sinh(skew)
    sinh = z * cosh_skew - root * sinh_skew
    cosh = root * cosh_skew - z * sinh_skew
    density: FloatArray = np.exp(-0.5 * sinh * sinh) * cosh / root
    return density


@lru_cache(maxsize=8)
def _log_chances(n_classes: int) -> tuple[RankLikelihood, FloatArray]:
    """Tabulate how likely each number of beating competitors is, for all the family."""
    likelihood = RankLikelihood(n_classes)
    nodes, masses, _, _ = _family()
    table = np.empty((likelihood.counts.size, nodes.size))
    table[0] = np.exp((n_classes - 1) * log_ndtr(nodes))
    position = np.clip((likelihood.nodes - nodes[0]) / _STEP, 0, nodes.size - 1.001)
    left = position.astype(np.int64)
    share = position - left
    # The likelihood of a large count is narrower than the grid: its integral is
    # shared between the two nearest nodes, not evaluated there.
    for row, at, right, weight in zip(
        table[1:], left, share, likelihood.table / _STEP, strict=True
    ):
        row[:] = np.bincount(at, weight * (1 - right), nodes.size)
        row += np.bincount(at + 1, weight * right, nodes.size)
    return likelihood, np.log(np.maximum(table @ masses, _TINY))
