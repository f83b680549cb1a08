"""Method: the probit family with a prior, what ranks say and no more than they say.

Phi^-1(U) is normal or mildly skewed, as in the two-parameter family, but its parameters
are averaged over their posterior instead of being maximised. With few errors the
likelihood hardly tells a small spread from a large one, and the maximum jumps from
"never wrong" to "collapses"; the prior knows that real recognisers have a standard
deviation near one (0.5 to 1.6 in every problem we measured).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple, cast

import numpy as np
import scipy

from scorecast._core.checks import check_positive
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Atoms,
    Extrapolator,
    Fit,
    UncertainLaw,
    clipped_logit,
    semideviations,
)
from scorecast.extrapolation.observed import (
    ObservedClasses,
    RankHistogram,
    effective_size,
    improvements,
)

_STEP = 0.05
_MEANS = np.arange(-1.5, 8.01, 0.15)
_LOG_SDS = np.arange(-8, 7) * 0.15  # 0.3 to 2.5, and 1: there noise is
_SKEWS = np.array([-0.6, -0.3, 0.0, 0.3, 0.6])
_PRIOR_MEAN = (3.0, 2.0)  # centre and standard deviation
_PRIOR_LOG_SD = (float(np.log(0.95)), 0.35)
_PRIOR_SKEW = (0.0, 0.3)
_NEGLIGIBLE = 1e-4  # posterior weight relative to the largest
_TINY = 1e-300
_MOST_IMPROVEMENTS = 64
_HALVINGS = 50
_N_NODES = 64
_SINGLE_COUNTS = 48  # counts of beating competitors kept apart
_SPACED_COUNTS = 64  # representatives of the larger ones
_FAR_BELOW = 40.0  # log-likelihood below the peak that no longer matters


@dataclass(frozen=True, kw_only=True)
class Bayesian(Extrapolator):
    r"""Average a skewed probit family over its posterior given the ranks.

    Given U, the number of competitors that beat a sample is binomial with chance
    1 - U; :math:`\Phi^{-1}(U)` is Jones and Pewsey's sinh-arcsinh normal with mean,
    standard deviation and skewness on a grid, weighed by prior and likelihood. Sees
    nothing but ranks, like `Gaussian`, whose answer it approaches as errors become
    plentiful.

    Attributes
    ----------
    n_effective : float or None
        Number of independent samples the likelihood stands for; None estimates it
        from how alike the samples of a class are.

    References
    ----------
    M. C. Jones and A. Pewsey (2009). Sinh-arcsinh distributions. Biometrika 96.
    """

    has_own_spread: ClassVar[bool] = True

    name: str = "bayesian"
    title: str = "the probit family with a prior"
    summary: str = "a posterior from ranks alone; holds on any scale of scores"
    reference: str = "Jones and Pewsey (2009)"
    n_effective: float | None = None

    def __post_init__(self) -> None:
        if self.n_effective is not None:
            check_positive(self.n_effective, "n_effective")

    def fit(
        self,
        observed: ObservedClasses,
        rng: np.random.Generator,  # noqa: ARG002 - nothing to choose at random
        *,
        n_jobs: int | None = None,  # noqa: ARG002 - quick
    ) -> Fit:
        """Weigh the family by the likelihood of the ranks."""
        law, size = rank_posterior(observed, n_effective=self.n_effective)
        improved = tuple(
            rank_posterior(observed, right, n_effective=self.n_effective)[0]
            for right in improvements(observed, _MOST_IMPROVEMENTS)
        )
        return Fit(
            law=replace(law, improved=improved),
            tuned=replace(self, n_effective=size),
            n_effective=size,
            parameters=law.parameters,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class RankPosterior(UncertainLaw):
    """A posterior over a family of laws of Phi^-1(U), all on one grid.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        Posterior weights of the family; they add up to one.
    improved : tuple of RankPosterior
        The same if ever more of the worst mistakes were right.
    """

    weights: FloatArray
    improved: tuple[RankPosterior, ...] = ()

    def better(self, top: int) -> Sequence[RankPosterior]:  # noqa: ARG002
        """Return the same of better recognisers."""
        return self.improved

    def own_accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the posterior mean of the accuracy at numbers of classes."""
        atoms = _family().atoms(self.mean_masses)
        return np.minimum(atoms.accuracy(ks, top), 1.0)

    def logit_spread(self, ks: IntArray, top: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return how far the log-odds of being right may lie below and above."""
        centre = clipped_logit(self.own_accuracy(ks, top))
        return semideviations(self.log_odds_each(ks, top), centre, self.likely_weights)

    def log_odds_each(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the log-odds by every law that remains plausible, one column each."""
        if top == 1:
            return clipped_logit(_accuracies(ks)[:, self._likely])
        family = _family()
        each = family.atoms(family.masses[:, self._likely])
        return clipped_logit(each.accuracy(ks, top))

    def accuracy_sd(self, ks: IntArray) -> FloatArray:
        """Return the posterior standard deviation of the accuracy itself."""
        away = _accuracies(ks)[:, self._likely] - self.own_accuracy(ks)[:, None]
        sd: FloatArray = np.sqrt((away**2) @ self.likely_weights)
        return sd

    def equivalent(self, ks: IntArray, top: int) -> IntArray:
        """Return among how many classes one guess does as well as several among k.

        Not whole, but every law takes numbers between whole ones, too.
        """
        wanted = self.accuracy(ks, top)
        low = np.zeros(np.shape(ks))
        high = np.log(np.maximum(np.asarray(ks, dtype=np.float64), 1.0))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_easy = self.accuracy(cast("IntArray", np.exp(middle))) > wanted
            low, high = np.where(is_easy, middle, low), np.where(is_easy, high, middle)
        return cast("IntArray", np.exp((low + high) / 2))

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the posterior mean of D(u)."""
        nodes, below = _family().nodes, np.cumsum(self.mean_masses)
        with np.errstate(divide="ignore"):
            at = np.clip(scipy.special.ndtri(u), nodes[0], nodes[-1])
        share = np.interp(at, nodes + _STEP / 2, below, left=0.0)
        return np.where(u >= 1, 1.0, share)

    @property
    def parameters(self) -> dict[str, float]:
        """Posterior mean of the parameters, that of the spread by its logarithm."""
        mean, log_sd, skew = self.weights @ _family().parameters
        return {"mean": float(mean), "sd": float(np.exp(log_sd)), "skew": float(skew)}

    @cached_property
    def mean_masses(self) -> FloatArray:
        """Posterior mean of the masses, of shape (g,)."""
        mean: FloatArray = _family().masses @ self.weights
        return mean

    @cached_property
    def likely_weights(self) -> FloatArray:
        """Weights of the laws that remain plausible."""
        return self.weights[self._likely]

    @cached_property
    def _likely(self) -> IntArray:
        return np.flatnonzero(self.weights)


def rank_posterior(
    observed: ObservedClasses,
    right: BoolArray | None = None,
    *,
    n_effective: float | None = None,
) -> tuple[RankPosterior, float]:
    """Return the posterior given the ranks, and the size that they count as.

    `right` marks samples to take as right, whatever they were.
    """
    ranks = observed.ranks if right is None else observed.ranks_if_right(right)
    size = n_effective or effective_size(observed, right)
    return posterior_of_ranks(ranks, size), size


def posterior_of_ranks(ranks: RankHistogram, size: float) -> RankPosterior:
    """Return the posterior given a histogram that counts as so many samples."""
    likelihood, log_chances = _log_chances(ranks.n_classes)
    binned = likelihood.bin(ranks.histogram)
    log_weight = _family().log_prior + size * (binned @ log_chances)
    weight = np.exp(log_weight - log_weight.max())
    weight[weight <= _NEGLIGIBLE] = 0.0
    weight /= weight.sum()
    return RankPosterior(weights=weight)


class _Family(NamedTuple):
    """All laws that are weighed, by columns, on nodes of Phi^-1(U)."""

    nodes: FloatArray
    log_u: FloatArray
    p: FloatArray  # 1 - U
    masses: FloatArray
    parameters: FloatArray  # mean, logarithm of the standard deviation, skewness
    log_prior: FloatArray

    def atoms(self, masses: FloatArray) -> Atoms:
        """Put masses on the nodes."""
        return Atoms(log_u=self.log_u, p=self.p, masses=masses)


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
    log_u, p = scipy.special.log_ndtr(nodes), scipy.special.ndtr(-nodes)
    return _Family(nodes, log_u, p, masses, parameters, log_prior)


def _accuracies(ks: IntArray) -> FloatArray:
    """Return the accuracy of the whole family, a row for every number of classes."""
    return _tabulated(np.asarray(ks, dtype=np.float64).tobytes())


@lru_cache(maxsize=16)
def _tabulated(ks: bytes) -> FloatArray:
    family = _family()
    powers = np.exp((np.frombuffer(ks)[:, None] - 1) * family.log_u)
    accuracies: FloatArray = powers @ family.masses
    return accuracies


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
    family = _family()
    nodes = family.nodes
    table = np.empty((likelihood.counts.size, nodes.size))
    table[0] = np.exp((n_classes - 1) * family.log_u)
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
    return likelihood, np.log(np.maximum(table @ family.masses, _TINY))


# --- likelihood of ranks -------------------------------------------------------------


class RankLikelihood:
    """Chances of the number of beating competitors among K classes.

    Given its favourability u, a sample of K classes is beaten by a binomial number of
    the K - 1 others. Integrals over u are taken on nodes placed where the likelihood of
    each count lives, so that one table serves every density that is tried.

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
            scipy.special.gammaln(self.n_others + 1.0)
            - scipy.special.gammaln(positive + 1.0)
            - scipy.special.gammaln(self.n_others - positive + 1.0)
        )
        low, high = self._support(positive)
        x, w = np.polynomial.legendre.leggauss(_N_NODES)
        half = (high - low)[:, None] / 2
        self.nodes = low[:, None] + half * (x + 1)
        log_likelihood = log_choose[:, None] + self._log_kernel(positive, self.nodes)
        self.table = np.exp(log_likelihood) * half * w

    def bin(self, histogram: FloatArray) -> FloatArray:
        """Share the weight of every count between the two nearest representatives.

        Parameters
        ----------
        histogram : ndarray of shape (n_classes,)
            Weight of the samples beaten by 0, 1, ... competitors.

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
        log_u = scipy.special.log_ndtr(v)
        power = np.exp(self.n_others * log_u) * mass
        chance = max(float(power.sum()), _TINY)
        hazard = self.n_others * np.exp(-0.5 * v**2 - 0.5 * np.log(2 * np.pi) - log_u)
        slopes = np.array([power @ hazard, power @ (hazard * sd * z)])
        return float(np.log(chance)), slopes / chance

    def _log_kernel(self, counts: FloatArray, v: FloatArray) -> FloatArray:
        beaten = counts[:, None]
        log_ndtr = scipy.special.log_ndtr
        kernel: FloatArray = (self.n_others - beaten) * log_ndtr(v) + beaten * (
            log_ndtr(-v)
        )
        return kernel

    def _support(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bracket the values of V that can explain each count."""
        grid = np.linspace(-9.5, 9.5, 381)
        log_kernel = self._log_kernel(counts, grid)
        likely = log_kernel > log_kernel.max(axis=1, keepdims=True) - _FAR_BELOW
        step = grid[1] - grid[0]
        low = grid[likely.argmax(axis=1)] - step
        high = grid[grid.size - 1 - likely[:, ::-1].argmax(axis=1)] + step
        return low, high


EXTRAPOLATORS.add(Bayesian())
