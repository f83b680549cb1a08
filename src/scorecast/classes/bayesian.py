"""The probit family with a prior: what ranks say, and no more than they say.

Phi^-1(U) is normal or mildly skewed, as in the two-parameter family, but its
parameters are averaged over their posterior instead of being maximised. With few
errors the likelihood hardly tells a small spread from a large one, and the maximum
jumps from "never wrong" to "collapses"; the prior knows that real recognisers have a
standard deviation near one (0.5 to 1.6 in every problem we measured).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.classes.effective_size import effective_size
from scorecast.classes.evidence import Evidence, RankEvidence
from scorecast.classes.method import Fit, Method
from scorecast.classes.monotone import (
    MonotoneForecast,
    clipped_logit,
    improvements,
    semideviations,
)
from scorecast.classes.rank_likelihood import RankLikelihood

__all__ = ["Bayesian", "GridFavourability", "rank_posterior"]

_STEP = 0.05
_MEANS = np.arange(-1.5, 8.01, 0.15)
_LOG_SDS = np.arange(-8, 7) * 0.15  # 0.3 to 2.5, and 1: there noise is
_SKEWS = np.array([-0.6, -0.3, 0.0, 0.3, 0.6])
_PRIOR_MEAN = (3.0, 2.0)  # centre and standard deviation
_PRIOR_LOG_SD = (float(np.log(0.95)), 0.35)
_PRIOR_SKEW = (0.0, 0.3)
_NEGLIGIBLE = 1e-4  # posterior weight relative to the largest
_TINY = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class GridFavourability(MonotoneForecast):
    """A posterior over a family of distributions of Phi^-1(U), all on one grid.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        Posterior weights of the family; they add up to one.
    improved : tuple of GridFavourability
        The same if ever more of the worst mistakes were right.
    """

    weights: FloatArray
    improved: tuple[GridFavourability, ...] = ()

    @property
    def nodes(self) -> FloatArray:
        """Values of Phi^-1(U), of shape (g,)."""
        return _family().nodes

    @property
    def masses(self) -> FloatArray:
        """The family on these nodes, one distribution per column."""
        return _family().masses

    def own_accuracy(self, ks: IntArray) -> FloatArray:
        """Return the posterior mean of the accuracy at numbers of classes."""
        return np.minimum(_powers(ks) @ self.mean_masses, 1.0)

    def logit_spread(self, ks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return how far the log-odds of being right may lie below and above."""
        odds = clipped_logit(_accuracies(ks)[:, self.likely])
        weights = self.weights[self.likely]
        return semideviations(odds, clipped_logit(self.own_accuracy(ks)), weights)

    def accuracy_sd(self, ks: IntArray) -> FloatArray:
        """Return the posterior standard deviation of the accuracy itself."""
        each = _accuracies(ks)[:, self.likely]
        away = each - self.own_accuracy(ks)[:, None]
        sd: FloatArray = np.sqrt((away**2) @ self.weights[self.likely])
        return sd

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the posterior mean of D(u)."""
        below = np.cumsum(self.mean_masses)
        with np.errstate(divide="ignore"):
            at = np.clip(ndtri(u), self.nodes[0], self.nodes[-1])
        share = np.interp(at, self.nodes + _STEP / 2, below, left=0.0)
        return np.where(u >= 1, 1.0, share)

    @cached_property
    def mean_masses(self) -> FloatArray:
        """Posterior mean of the masses, of shape (g,)."""
        mean: FloatArray = self.masses @ self.weights
        return mean

    @cached_property
    def likely(self) -> IntArray:
        """Which distributions of the family remain plausible."""
        return np.flatnonzero(self.weights)


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
        improved = tuple(
            rank_posterior(evidence, right, n_effective=self.n_effective)[0]
            for right in improvements(evidence)
        )
        fitted = replace(fitted, improved=improved)
        details = {
            "n_effective": size,
            "mean": float(means[0]),
            "sd": float(np.exp(means[1])),
            "skew": float(means[2]),
        }
        return Fit(
            distribution=fitted, tuned=Bayesian(n_effective=size), details=details
        )


def rank_posterior(
    evidence: Evidence,
    right: BoolArray | None = None,
    *,
    n_effective: float | None = None,
) -> tuple[GridFavourability, float]:
    """Return the posterior given the ranks alone, as they are or with some right.

    Parameters
    ----------
    evidence : Evidence
        The observed classes.
    right : ndarray of bool, optional
        Examples to take as right.
    n_effective : float, optional
        Number of independent examples; estimated by default.

    Returns
    -------
    fitted : GridFavourability
        The posterior.
    size : float
        Number of independent examples behind it.
    """
    ranks = evidence.ranks if right is None else evidence.ranks_if_right(right)
    size = n_effective or effective_size(evidence, right)
    return _posterior(ranks, size)[0], size


def _posterior(
    ranks: RankEvidence, size: float
) -> tuple[GridFavourability, FloatArray]:
    family = _family()
    likelihood, log_chances = _log_chances(ranks.n_classes)
    binned = likelihood.bin(ranks.histogram)
    log_weight = family.log_prior + size * (binned @ log_chances)
    weight = np.exp(log_weight - log_weight.max())
    weight[weight <= _NEGLIGIBLE] = 0.0
    weight /= weight.sum()
    return GridFavourability(weights=weight), weight @ family.parameters


class _Family(NamedTuple):
    """All distributions that are weighed: nodes, masses, parameters, log-prior."""

    nodes: FloatArray
    log_u: FloatArray
    masses: FloatArray
    parameters: FloatArray
    log_prior: FloatArray


@lru_cache(maxsize=1)
def _family() -> _Family:
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
    return _Family(nodes, log_ndtr(nodes), masses, parameters, log_prior)


def _accuracies(ks: IntArray) -> FloatArray:
    """Return the accuracy of the whole family, a row for every number of classes."""
    return _tabulated(np.asarray(ks, dtype=np.float64).tobytes())


@lru_cache(maxsize=16)
def _tabulated(ks: bytes) -> FloatArray:
    accuracies: FloatArray = _powers(np.frombuffer(ks)) @ _family().masses
    return accuracies


def _powers(ks: IntArray | FloatArray) -> FloatArray:
    """Return the chance of being right at every node, for numbers of classes."""
    others = np.asarray(ks, dtype=np.float64)[:, None] - 1
    powers: FloatArray = np.exp(others * _family().log_u)
    return powers


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
    nodes, log_u, masses, *_ = _family()
    table = np.empty((likelihood.counts.size, nodes.size))
    table[0] = np.exp((n_classes - 1) * log_u)
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
