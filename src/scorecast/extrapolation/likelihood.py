"""Methods: the most likely law of U, of any shape or with an increasing density.

Given U, the number of wrong classes that beat a sample is binomial with chance 1 - U,
so ranks have a likelihood for every law of U. Samples share the classes they are ranked
among, hence a pseudolikelihood. It is maximised over all laws on a fine grid, or over
those whose density increases with U. Either is a mixture of known parts, and so a
convex problem, solved by Wang's constrained Newton steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from scorecast._core.checks import check_flag
from scorecast._core.types import FloatArray, IntArray
from scorecast.extrapolation.bayesian import likelihood_of_ranks
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Atoms,
    Law,
    RankExtrapolator,
)
from scorecast.extrapolation.least_squares import Design
from scorecast.extrapolation.observed import RankHistogram

_STEPS_PER_FACTOR = 24  # steps of the widths of uniform laws, per factor of ten
_STEPS_PER_DEVIATION = 10  # of single values, per standard deviation of a count
_RAREST = 1e-3  # chance of being beaten by any, other than by none
_CERTAIN = 1e-9  # chance of not being beaten, at the least
_MOST_ROUNDS = 100
_SETTLED = 1e-7  # of the log-likelihood of a sample, that may still be gained
_ARMIJO, _SMALLEST_STEP = 0.1, 1e-6
_EQUAL_START = 1e-3  # of the mass goes everywhere, wherever one starts


@dataclass(frozen=True, kw_only=True)
class PseudoLikelihood(RankExtrapolator):
    r"""Maximise the likelihood of the ranks over laws of favourability.

    A sample that `a` of n wrong classes beat has the likelihood

    .. math:: \binom{n}{a} \int u^{n-a} (1-u)^a \, dF(u).

    Any law F is allowed (the nonparametric maximum likelihood estimate), or any whose
    density increases with u: D(u) is then convex, as the first draft of the papers has
    it.

    Attributes
    ----------
    monotone : bool
        Whether the density must increase.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2016). Extrapolating expected accuracies for
    large multi-class problems (first version). arXiv:1606.05228.

    Y. Wang (2007). On fast computation of the non-parametric maximum likelihood
    estimate of a mixing distribution. Journal of the Royal Statistical Society B 69.
    """

    name: str = "npmle"
    title: str = "the most likely law"
    summary: str = (
        "maximum likelihood of how hard examples are, whatever the distribution; wild "
        "far out"
    )
    reference: str = "Wang (2007)"
    monotone: bool = False

    def __post_init__(self) -> None:
        check_flag(self.monotone, "monotone")
        # One method with one setting, under two names.
        name = "npmle-mono" if self.monotone else "npmle"
        object.__setattr__(self, "name", name)

    def fit_ranks(self, ranks: RankHistogram, start: Law | None = None) -> MixtureLaw:
        """Fit a histogram of beating competitors."""
        likelihood = likelihood_of_ranks(ranks.n_classes)
        counts = likelihood.spread(ranks.histogram)
        law = MonotoneLaw if self.monotone else FreeLaw
        table, places = _table(ranks.n_classes, law)
        first = start.masses if isinstance(start, law) else None
        if first is not None and first.size != places.size:
            first = None  # another number of classes, another grid
        return law(places=places, masses=most_likely(table, counts, first))


@dataclass(frozen=True, kw_only=True, eq=False)
class MixtureLaw(ABC):
    """Parts of a law of U, and their masses.

    Attributes
    ----------
    places : ndarray of shape (m,)
        What tells the parts apart.
    masses : ndarray of shape (m,)
        Masses of the parts; they add up to one.
    """

    places: FloatArray
    masses: FloatArray

    @abstractmethod
    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""

    @abstractmethod
    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FreeLaw(MixtureLaw):
    """Masses at values of 1 - U."""

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        atoms = Atoms(log_u=np.log1p(-self.places), p=self.places, masses=self.masses)
        return np.minimum(atoms.accuracy(ks, top), 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u)."""
        # Places decrease, as U increases.
        below = np.append(0.0, np.cumsum(self.masses))
        at = np.searchsorted(1 - self.places, u, side="right")
        return np.where(u >= 1, 1.0, np.minimum(below[at], 1.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class MonotoneLaw(MixtureLaw):
    """Uniform laws on the uppermost stretch of U, of widths `places`; 0 is U = 1."""

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        floats = np.asarray(ks, dtype=np.float64)[:, None]
        right = np.zeros((floats.size, self.places.size))
        for beaten in range(top):
            # As many others as that among k - 1; none where there are no such many.
            exists = floats - 1 >= beaten
            right += np.where(
                exists,
                _uniform_chances(np.maximum(floats - 1, beaten), beaten, self.places),
                0.0,
            )
        return np.minimum(right @ self.masses, 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u), which is convex."""
        below = 1 - np.asarray(u)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(self.places > below, 1 - below / self.places, 0.0)
        return np.where(u >= 1, 1.0, share @ self.masses)


def _uniform_chances(
    n: FloatArray, beaten: FloatArray | float, widths: FloatArray
) -> FloatArray:
    """Return P(so many of n others beat a sample) where U is uniform up to one."""
    shape = np.broadcast_shapes(np.shape(n), np.shape(beaten), widths.shape)
    n, beaten, widths = (np.broadcast_to(x, shape) for x in (n, beaten, widths))
    chances = scipy.special.betainc(beaten + 1, n - beaten + 1, widths)
    with np.errstate(divide="ignore", invalid="ignore"):
        chances = chances / ((n + 1) * widths)
    found: FloatArray = np.where(widths > 0, chances, beaten == 0)
    return found


@lru_cache(maxsize=8)
def _table(n_classes: int, law: type[MixtureLaw]) -> tuple[FloatArray, FloatArray]:
    """Tabulate how likely each number of beating classes is, by every part of a law."""
    likelihood = likelihood_of_ranks(n_classes)
    n = float(likelihood.n_others)
    if law is FreeLaw:
        # Evenly spaced where the spread of a count is the same everywhere.
        step = 0.5 / np.sqrt(n) / _STEPS_PER_DEVIATION
        angles = np.arange(np.pi / 2, np.arcsin(np.sqrt(_RAREST / n)), -step)
        p = np.append(np.minimum(np.sin(angles) ** 2, 1 - _CERTAIN), 0.0)
        a = likelihood.counts[:, None]
        gammaln, xlogy = scipy.special.gammaln, scipy.special.xlogy
        logs = gammaln(n + 1) - gammaln(a + 1) - gammaln(n - a + 1)
        logs = logs + xlogy(a, p) + scipy.special.xlog1py(n - a, -p)
        return np.exp(logs), p
    # Nothing tells a width apart that is far below one over the samples and classes.
    n_steps = round(_STEPS_PER_FACTOR * np.log10(100.0 * n_classes**2))
    widths = np.append(np.geomspace(1, 0.01 / n_classes**2, n_steps), 0.0)
    counts = likelihood.counts[:, None]
    return _uniform_chances(np.full((1, 1), n), counts, widths), widths


def most_likely(
    table: FloatArray, counts: FloatArray, start: FloatArray | None = None
) -> FloatArray:
    """Return the mixture of columns that makes counts most likely.

    Wang's constrained Newton: the quadratic approximation of the log-likelihood on the
    columns in use and those that promise most is solved over the simplex, followed by a
    line search, and by one step of EM, which never loses.

    Parameters
    ----------
    table : ndarray of shape (m, n)
        Likelihood of every outcome by every part.
    counts : ndarray of shape (m,)
        How often every outcome came, from zero up.
    start : ndarray of shape (n,), optional
        Masses to begin with.

    Returns
    -------
    ndarray of shape (n,)
        Masses, which add up to one.

    Examples
    --------
    >>> table = np.array([[0.9, 0.5, 0.1], [0.1, 0.5, 0.9]])
    >>> most_likely(table, np.array([9.0, 1.0])).round(3).tolist()
    [1.0, 0.0, 0.0]
    """
    came = counts > 0
    table, shares = table[came], counts[came] / counts[came].sum()
    masses = np.full(table.shape[1], 1 / table.shape[1])
    if start is not None:
        masses = _EQUAL_START * masses + (1 - _EQUAL_START) * start
    roots = np.sqrt(shares)
    for _ in range(_MOST_ROUNDS):
        chances = table @ masses
        ratios = table / chances[:, None]
        promise = shares @ ratios  # what a column would gain; one for those in use
        if promise.max() <= 1 + _SETTLED:
            break
        higher = np.append(promise, 0.0)
        is_peak = (promise >= higher[1:]) & (promise >= np.append(0.0, promise[:-1]))
        used = np.flatnonzero((masses > _SETTLED) | (is_peak & (promise > 1)))
        design = Design(roots[:, None] * ratios[:, used])
        aim = np.zeros(masses.size)
        aim[used] = design.simplex(2 * roots)
        masses = _line_search(table, shares, masses, aim)
        chances = table @ masses
        masses = masses * (shares @ (table / chances[:, None]))
        masses /= masses.sum()
    return masses


def _line_search(
    table: FloatArray, shares: FloatArray, masses: FloatArray, aim: FloatArray
) -> FloatArray:
    """Go towards the aim as far as the likelihood grows enough."""
    here, there = table @ masses, table @ aim
    now = shares @ np.log(here)
    slope = shares @ (there / here) - 1
    step = 1.0
    while step > _SMALLEST_STEP:
        mixed = (1 - step) * here + step * there
        if mixed.min() > 0 and shares @ np.log(mixed) >= now + _ARMIJO * step * slope:
            return (1 - step) * masses + step * aim
        step /= 2
    return masses


EXTRAPOLATORS.add(PseudoLikelihood())
EXTRAPOLATORS.add(
    PseudoLikelihood(
        monotone=True,
        title="the most likely law of increasing density",
        summary="the same among distributions with more easy than hard examples",
        reference="Zheng, Achanta and Benjamini (2016)",
    )
)
