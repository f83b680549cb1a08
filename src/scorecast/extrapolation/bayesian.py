"""Method: the probit family with a prior, what ranks say and no more than they say.

Phi^-1(U) is normal, as in the two-parameter family, but for a share of samples that are
lost: of those any rank is as likely as any other, and no number of classes makes them
better or worse than guessing. Parameters are averaged over their posterior instead of
being maximised. With few errors the likelihood hardly tells a small spread from a large
one, and the maximum jumps from "never wrong" to "collapses"; the prior knows that real
recognisers have a standard deviation near one (0.5 to 1.6 in every problem we measured)
and lose few samples.

The posterior is summed on a grid. While it is wide, one grid for all serves; where it
is narrower than that, a grid of its own is laid around it and made finer until the
posterior fills it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

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
    allowance,
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
_NODES = np.arange(-7.0, 13.0 + _STEP / 2, _STEP)
_MEANS = np.arange(-1.5, 8.01, 0.15)
_LOG_SDS = np.arange(-8, 7) * 0.15  # 0.3 to 2.5, and 1: there noise is
_LOST_ODDS = np.arange(-8.5, 1.0, 1.5)  # log-odds of being lost
_STEPS = (0.15, 0.15, 1.5)  # of these three
_PRIOR_MEAN = (3.0, 2.0)  # centre and standard deviation
_PRIOR_LOG_SD = (float(np.log(0.95)), 0.35)
_PRIOR_LOST_ODDS = (-4.0, 1.5)
_NEGLIGIBLE = 1e-4  # posterior weight relative to the largest
_TINY = 1e-300
_MOST_IMPROVEMENTS = 64
_N_NODES = 64
_SINGLE_COUNTS = 48  # counts of beating competitors kept apart
_SPACED_COUNTS = 64  # representatives of the larger ones
_FAR_BELOW = 40.0  # log-likelihood below the peak that no longer matters
_FINE_ENOUGH = 0.8  # standard deviations of the posterior per step of the grid
_GRID = (np.linspace(-3.2, 3.2, 11), np.linspace(-3.2, 3.2, 9), np.linspace(-3, 3, 7))
_FITTING = (0.5, 2.0)  # variance of the posterior on a grid that it fills
_MOST_REFINEMENTS = 16
_FIRST_SAMPLES, _MORE_SAMPLES = 100.0, 4.0


@dataclass(frozen=True, kw_only=True)
class Bayesian(Extrapolator):
    r"""Average a probit family over its posterior given the ranks.

    Given U, the number of competitors that beat a sample is binomial with chance
    1 - U. A share of the samples is lost, of which U is uniform; of the others
    :math:`\Phi^{-1}(U)` is normal. Share, mean and standard deviation are weighed by
    prior and likelihood. Sees nothing but ranks, like `Gaussian`.

    Attributes
    ----------
    n_effective : float or None
        Number of independent samples the likelihood stands for; None estimates it
        from how alike the samples of a class are.
    """

    has_own_spread: ClassVar[bool] = True

    name: str = "bayesian"
    title: str = "the probit family with a prior"
    summary: str = "a posterior from ranks alone; holds on any scale of scores"
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
        improved = improved_posteriors(observed, n_effective=self.n_effective)
        return Fit(
            law=replace(law, improved=improved),
            tuned=replace(self, n_effective=size),
            n_effective=size,
            parameters=law.parameters,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class RankPosterior(UncertainLaw):
    """A posterior over a family of laws of U.

    Attributes
    ----------
    family : RankFamily
        The laws.
    weights : ndarray of shape (n_normals, n_shares)
        Posterior weights of the family; they add up to one.
    improved : tuple of RankPosterior
        The same if ever more of the worst mistakes were right.
    allowance : float
        What is allowed for the mistakes taken as right here.
    """

    family: RankFamily
    weights: FloatArray
    improved: tuple[RankPosterior, ...] = ()
    allowance: float = 0.0

    def better(self, top: int) -> Sequence[RankPosterior]:  # noqa: ARG002
        """Return the same of better recognisers."""
        return self.improved

    def own_accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the posterior mean of the accuracy at numbers of classes."""
        atoms = self.family.atoms(self.mean_masses)
        by_chance = self.mean_lost * _guessed(ks, top)
        return np.minimum(atoms.accuracy(ks, top) + by_chance, 1.0)

    def logit_spread(self, ks: IntArray, top: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return how far the log-odds of being right may lie below and above."""
        centre = clipped_logit(self.own_accuracy(ks, top))
        return semideviations(self.log_odds_each(ks, top), centre, self.likely_weights)

    def log_odds_each(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the log-odds by every law that remains plausible, one column each."""
        return clipped_logit(self._accuracy_each(ks, top))

    def _accuracy_each(self, ks: IntArray, top: int) -> FloatArray:
        normals, shares = self._likely
        used, place = np.unique(normals, return_inverse=True)
        if top == 1:
            each = self.family.accuracies(ks)[:, used]
        else:
            each = self.family.atoms(self.family.masses[:, used]).accuracy(ks, top)
        lost = self.family.lost[shares]
        return each[:, place] * (1 - lost) + _guessed(ks, top)[:, None] * lost

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the posterior mean of D(u)."""
        below = np.cumsum(self.mean_masses)
        with np.errstate(divide="ignore"):
            at = np.clip(scipy.special.ndtri(u), _NODES[0], _NODES[-1])
        share = np.interp(at, _NODES + _STEP / 2, below, left=0.0)
        return np.where(u >= 1, 1.0, share + self.mean_lost * np.asarray(u))

    @property
    def parameters(self) -> dict[str, float]:
        """Posterior mean of the parameters, that of the spread by its logarithm."""
        of_normals = self.weights.sum(axis=1)
        return {
            "mean": float(of_normals @ self.family.means),
            "sd": float(np.exp(of_normals @ self.family.log_sds)),
            "lost": self.mean_lost,
        }

    @cached_property
    def mean_lost(self) -> float:
        """Posterior mean of the share of samples that are lost."""
        return float(self.weights.sum(axis=0) @ self.family.lost)

    @cached_property
    def mean_masses(self) -> FloatArray:
        """Posterior mean of the masses of those that are not, of shape (g,)."""
        mean: FloatArray = self.family.masses @ (self.weights @ (1 - self.family.lost))
        return mean

    @cached_property
    def likely_weights(self) -> FloatArray:
        """Weights of the laws that remain plausible."""
        return self.weights[self._likely]

    @cached_property
    def _likely(self) -> tuple[IntArray, IntArray]:
        normals, shares = np.nonzero(self.weights)
        return normals, shares


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


def improved_posteriors(
    observed: ObservedClasses, *, n_effective: float | None = None
) -> tuple[RankPosterior, ...]:
    """Return the posteriors if ever more of the worst mistakes were right."""
    masks = improvements(observed, _MOST_IMPROVEMENTS)
    return tuple(
        replace(
            rank_posterior(observed, right, n_effective=n_effective)[0],
            allowance=allowance(int(right.sum()), int(masks[-1].sum())),
        )
        for right in masks
    )


def posterior_of_ranks(ranks: RankHistogram, size: float) -> RankPosterior:
    """Return the posterior given a histogram that counts as so many samples."""
    likelihood = likelihood_of_ranks(ranks.n_classes)
    counted = size * likelihood.bin(ranks.histogram)
    family = _usual_family()
    usual = _log_chances(ranks.n_classes)
    weights = _weigh(family.log_prior + np.tensordot(counted, usual, 1))
    if _is_narrow(family, weights):
        # Few samples first: all of them could lead to the wrong node of a coarse grid.
        share = min(1.0, _FIRST_SAMPLES / size)
        weights = _weigh(family.log_prior + np.tensordot(share * counted, usual, 1))
        family, weights = _refine(family, weights, likelihood, counted, share)
    weights[weights <= _NEGLIGIBLE * weights.max()] = 0.0
    return RankPosterior(family=family, weights=weights / weights.sum())


def _weigh(log_weights: FloatArray) -> FloatArray:
    likely = np.exp(log_weights - log_weights.max())
    weights: FloatArray = likely / likely.sum()
    return weights


# --- the family, and grids of it -----------------------------------------------------


class RankFamily:
    """Laws that are weighed together: normal ones, each with shares of lost samples.

    Parameters
    ----------
    means, log_sds : ndarray of shape (n_normals,)
        Laws of Phi^-1(U).
    lost_odds : ndarray of shape (n_shares,)
        Log-odds of a sample being lost.
    log_volume : ndarray of shape (n_normals,)
        What the cells of the grid cover, by its logarithm.
    """

    def __init__(
        self,
        means: FloatArray,
        log_sds: FloatArray,
        lost_odds: FloatArray,
        log_volume: FloatArray,
    ) -> None:
        self.means, self.log_sds, self.lost_odds = means, log_sds, lost_odds
        self.lost: FloatArray = scipy.special.expit(lost_odds)
        z = (_NODES[:, None] - means) * np.exp(-log_sds)
        masses = np.exp(-0.5 * z * z)
        self.masses: FloatArray = masses / masses.sum(axis=0)
        self.log_prior: FloatArray = (
            log_volume
            - 0.5 * ((means - _PRIOR_MEAN[0]) / _PRIOR_MEAN[1]) ** 2
            - 0.5 * ((log_sds - _PRIOR_LOG_SD[0]) / _PRIOR_LOG_SD[1]) ** 2
        )[:, None] - 0.5 * (
            (lost_odds - _PRIOR_LOST_ODDS[0]) / _PRIOR_LOST_ODDS[1]
        ) ** 2
        self._known: dict[bytes, FloatArray] = {}

    def atoms(self, masses: FloatArray) -> Atoms:
        """Put masses on the nodes."""
        return Atoms(log_u=_log_u(), p=scipy.special.ndtr(-_NODES), masses=masses)

    def accuracies(self, ks: IntArray) -> FloatArray:
        """Return the accuracy by every normal law, a row for every number."""
        asked = np.asarray(ks, dtype=np.float64)
        key = asked.tobytes()
        if key not in self._known:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known[key] = np.exp((asked[:, None] - 1) * _log_u()) @ self.masses
        return self._known[key]

    def log_chances(self, likelihood: RankLikelihood, at: IntArray) -> FloatArray:
        """Return how likely some counts are: counts x normals x shares."""
        normal = likelihood.on_nodes[at] @ self.masses
        lost = self.lost / (likelihood.n_others + 1)
        chances = normal[:, :, None] * (1 - self.lost) + lost
        logs: FloatArray = np.log(np.maximum(chances, _TINY))
        return logs


_MOST_KNOWN = 16  # tables of accuracies kept


@lru_cache(maxsize=1)
def _log_u() -> FloatArray:
    logs: FloatArray = scipy.special.log_ndtr(_NODES)
    return logs


@lru_cache(maxsize=1)
def _usual_family() -> RankFamily:
    means, log_sds = (
        axis.ravel() for axis in np.meshgrid(_MEANS, _LOG_SDS, indexing="ij")
    )
    return RankFamily(means, log_sds, _LOST_ODDS, np.zeros(means.size))


@lru_cache(maxsize=8)
def likelihood_of_ranks(n_classes: int) -> RankLikelihood:
    """Return the chances of numbers of beating competitors, made once."""
    return RankLikelihood(n_classes)


@lru_cache(maxsize=8)
def _log_chances(n_classes: int) -> FloatArray:
    """Tabulate how likely each number of beating competitors is, for all the family."""
    likelihood = likelihood_of_ranks(n_classes)
    every = np.arange(likelihood.counts.size)
    return _usual_family().log_chances(likelihood, every)


def _is_narrow(family: RankFamily, weights: FloatArray) -> bool:
    """Tell whether a posterior is narrower than the steps of the usual grid."""
    of_normals = weights.sum(axis=1)
    places = np.array([family.means / _STEPS[0], family.log_sds / _STEPS[1]])
    narrowest = np.linalg.eigvalsh(_covariance(places, of_normals))[0]
    return bool(narrowest < _FINE_ENOUGH**2)


def _refine(
    family: RankFamily,
    weights: FloatArray,
    likelihood: RankLikelihood,
    counted: FloatArray,
    share: float,
) -> tuple[RankFamily, FloatArray]:
    """Lay a grid around a posterior, and again as ever more samples are counted.

    One axis is how far the mean lies above the hurdle that the observed classes are, in
    standard deviations: the accuracy tells that, whatever the spread.
    """
    hurdle = float(scipy.special.ndtri(1 - 1 / (likelihood.n_others + 1.5)))
    of_normals, of_shares = weights.sum(axis=1), weights.sum(axis=0)
    heights = (family.means - hurdle) * np.exp(-family.log_sds)
    places = np.array([heights, family.log_sds])
    centre = places @ of_normals
    steps = np.diag(np.square(_STEPS[:2])) / 12
    axes = np.linalg.cholesky(_covariance(places, of_normals) + steps)
    lost = float(of_shares @ family.lost_odds)
    lost_var = float(of_shares @ (family.lost_odds - lost) ** 2)
    lost_sd = np.sqrt(lost_var + _STEPS[2] ** 2 / 12)
    first, second, third = _GRID
    grid = np.array([a.ravel() for a in np.meshgrid(first, second, indexing="ij")])
    cells = np.diag([np.diff(first)[0] ** 2, np.diff(second)[0] ** 2]) / 12
    at = np.flatnonzero(counted)
    for _ in range(_MOST_REFINEMENTS):
        share = min(1.0, share * _MORE_SAMPLES)
        height, log_sd = centre[:, None] + axes @ grid
        family = RankFamily(
            hurdle + height * np.exp(log_sd), log_sd, lost + lost_sd * third, log_sd
        )
        logs = np.tensordot(counted[at], family.log_chances(likelihood, at), 1)
        weights = _weigh(family.log_prior + share * logs)
        of_normals, of_shares = weights.sum(axis=1), weights.sum(axis=0)
        spread = _covariance(grid, of_normals)
        lost_mean = float(of_shares @ third)
        lost_var = float(of_shares @ (third - lost_mean) ** 2)
        filled = [*np.linalg.eigvalsh(spread), lost_var]
        if share == 1 and _FITTING[0] < min(filled) and max(filled) < _FITTING[1]:
            break
        centre = centre + axes @ (grid @ of_normals)
        axes = axes @ np.linalg.cholesky(spread + cells)
        lost += lost_sd * lost_mean
        lost_sd *= np.sqrt(lost_var + np.diff(third)[0] ** 2 / 12)
    return family, weights


def _covariance(places: FloatArray, weights: FloatArray) -> FloatArray:
    away = places - (places @ weights)[:, None]
    covariance: FloatArray = (away * weights) @ away.T
    return covariance


def _guessed(ks: IntArray, top: int) -> FloatArray:
    """Return the accuracy of guessing."""
    asked = np.asarray(ks, dtype=np.float64)
    return np.minimum(top / np.maximum(asked, 1.0), 1.0)


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
        first, last = self._probit(np.array([_SINGLE_COUNTS - 1, self.n_others]))
        shares = scipy.special.ndtr(np.linspace(first, last, _SPACED_COUNTS))
        spaced = shares * n_classes - 0.5
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

    @cached_property
    def on_nodes(self) -> FloatArray:
        """Likelihood of every count at fixed nodes of V, of shape (m, g).

        That of a large count is narrower than their grid: its integral is shared
        between the two nearest nodes, not evaluated there.
        """
        size = _NODES.size
        table = np.empty((self.counts.size, size))
        table[0] = np.exp(self.n_others * _log_u())
        position = np.clip((self.nodes - _NODES[0]) / _STEP, 0, size - 1.001)
        left = position.astype(np.int64)
        share = position - left
        for row, at, right, weight in zip(
            table[1:], left, share, self.table / _STEP, strict=True
        ):
            row[:] = np.bincount(at, weight * (1 - right), size)
            row += np.bincount(at + 1, weight * right, size)
        return table

    def bin(self, histogram: FloatArray) -> FloatArray:
        """Share the weight of every count between the three nearest representatives.

        Log-chances are all but quadratic in the probit of a count, and a quadratic is
        kept as it is.

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
        places, wanted = self._probit(self.counts), self._probit(at)
        middle = np.clip(np.searchsorted(self.counts, at), 1, self.counts.size - 2)
        near = middle + np.array([[-1], [0], [1]])
        binned = np.zeros(self.counts.size)
        for i in range(3):
            others = np.delete(near, i, axis=0)
            factors = (wanted - places[others]) / (places[near[i]] - places[others])
            share = histogram[at] * factors.prod(axis=0)
            binned += np.bincount(near[i], share, self.counts.size)
        return binned

    def spread(self, histogram: FloatArray) -> FloatArray:
        """Share the weight of every count between the two nearest representatives.

        Rougher than `bin`, and never negative.
        """
        if histogram.size == self.counts.size:
            return histogram
        at = np.flatnonzero(histogram)
        right = np.clip(np.searchsorted(self.counts, at), 1, self.counts.size - 1)
        places, wanted = self._probit(self.counts), self._probit(at)
        gap = places[right] - places[right - 1]
        share = np.clip((wanted - places[right - 1]) / gap, 0, 1)
        weights, left = histogram[at], right - 1
        spread = np.bincount(right, weights * share, self.counts.size)
        spread += np.bincount(left, weights * (1 - share), self.counts.size)
        return np.asarray(spread, dtype=np.float64)

    def _probit(self, counts: FloatArray | IntArray) -> FloatArray:
        """Return the probit of the share of competitors that a count is."""
        probit: FloatArray = scipy.special.ndtri((counts + 0.5) / (self.n_others + 1))
        return probit

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
