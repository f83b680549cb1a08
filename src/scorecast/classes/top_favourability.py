"""Right within several guesses: any distribution of favourability tells.

Given the favourability U of an example, the number of wrong classes that beat it among
k - 1 is binomial with chance 1 - U. It is right within m guesses if fewer than m do:
top-m accuracy at k classes is the mean of P(Binomial(k-1, 1-U) <= m-1) over U. Fits do
not change; only the question does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from scipy.special import betainc, betaincc, log_ndtr, ndtr

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.bayesian import GridFavourability
from scorecast.classes.distributions import (
    EmpiricalFavourability,
    FavourabilityDistribution,
    ProbitMixture,
    SplineFavourability,
)
from scorecast.classes.monotone import (
    MonotoneForecast,
    clipped_logit,
    semideviations,
)
from scorecast.classes.pooling import PooledFavourability
from scorecast.scores import probit_grid

__all__ = [
    "EquivalentGuesses",
    "PooledGuesses",
    "TopFavourability",
    "TopPosterior",
    "within_guesses",
]

_MOST_TERMS = 100  # guesses up to which the binomial is summed term by term
_HALVINGS = 50
# Log-odds by which several guesses go astray per factor e in classes, over the root of
# the classes observed.
_DRIFT = 0.9
_MOST_LOG = 300.0  # where U is zero its powers are, too


def within_guesses(fitted: FavourabilityDistribution, top: int) -> TopFavourability:
    """Ask a distribution of favourability for accuracy within several guesses.

    Parameters
    ----------
    fitted : FavourabilityDistribution
        What a method fitted.
    top : int
        Guesses allowed.

    Returns
    -------
    TopFavourability
        A posterior still knows its own spread.
    """
    if isinstance(fitted, GridFavourability):
        return TopPosterior(fitted=fitted, top=top)
    return TopFavourability(fitted=fitted, top=top)


@dataclass(frozen=True, kw_only=True, eq=False)
class TopFavourability:
    """A distribution of favourability, asked for accuracy within several guesses."""

    fitted: FavourabilityDistribution
    top: int

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        ks = np.asarray(ks)
        if isinstance(self.fitted, SplineFavourability):
            found = _spline_accuracy(self.fitted, ks, self.top)
        else:
            found = self.points.mean_chances(ks, self.top)
        return np.where(ks > self.top, np.minimum(found, 1.0), 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u), which knows nothing of guesses."""
        return self.fitted.discriminability(u)

    @cached_property
    def points(self) -> _Points:
        """The distribution as points with masses."""
        return _points_of(self.fitted)


class TopPosterior(MonotoneForecast, TopFavourability):
    """The same of a posterior, which knows its own spread."""

    @property
    def improved(self) -> tuple[TopPosterior, ...]:
        """The same if ever more of the worst mistakes were right."""
        return tuple(
            TopPosterior(fitted=better, top=self.top)
            for better in self.posterior.improved
        )

    def own_accuracy(self, ks: IntArray) -> FloatArray:
        """Return the posterior mean of the accuracy at numbers of classes."""
        return TopFavourability.accuracy(self, ks)

    def logit_spread(self, ks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return how far the log-odds of being right may lie below and above."""
        centre = clipped_logit(self.own_accuracy(ks))
        return semideviations(self.log_odds_each(ks), centre, self.likely_weights)

    def log_odds_each(self, ks: IntArray) -> FloatArray:
        """Return the log-odds by every distribution that remains plausible."""
        likely = self.posterior.masses[:, self.posterior.likely]
        each = replace(self.points, masses=likely)
        return clipped_logit(each.mean_chances(ks, self.top))

    @property
    def likely_weights(self) -> FloatArray:
        """Their posterior weights."""
        return self.posterior.weights[self.posterior.likely]

    @property
    def posterior(self) -> GridFavourability:
        """The posterior itself."""
        return cast("GridFavourability", self.fitted)


@dataclass(frozen=True, kw_only=True, eq=False)
class EquivalentGuesses:
    """One guess among fewer classes, in place of several among more.

    Pooling and its corrections are of one guess. Ranks say among how many classes one
    guess does as well as several do among k; there the pooled forecast is asked.

    Attributes
    ----------
    fitted : FavourabilityDistribution
        What is asked for one guess.
    ranks : TopPosterior
        The posterior given the ranks, asked for several.
    """

    fitted: FavourabilityDistribution
    ranks: TopPosterior

    def accuracy(self, ks: IntArray) -> FloatArray:
        """Return the expected accuracy at numbers of classes."""
        found = self.fitted.accuracy(self.equivalent(ks))
        return np.where(np.asarray(ks) > self.ranks.top, found, 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u), which knows nothing of guesses."""
        return self.fitted.discriminability(u)

    def equivalent(self, ks: IntArray) -> IntArray:
        """Return among how many classes one guess does as well."""
        wanted = self.ranks.accuracy(ks)
        low = np.zeros(np.shape(ks))
        high = np.log(np.maximum(np.asarray(ks, dtype=np.float64), 1.0))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            among = cast("IntArray", np.exp(middle))
            is_easy = self.ranks.fitted.accuracy(among) > wanted
            low, high = np.where(is_easy, middle, low), np.where(is_easy, high, middle)
        # Not whole, but every distribution takes numbers between whole ones, too.
        return cast("IntArray", np.exp((low + high) / 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledGuesses(MonotoneForecast, EquivalentGuesses):
    """The same of a pooled forecast, which knows how far it may be off.

    Attributes
    ----------
    fitted : PooledFavourability
        Ranks and scores, pooled for one guess.
    """

    fitted: PooledFavourability

    def own_accuracy(self, ks: IntArray) -> FloatArray:
        """Return the accuracy by this pool alone."""
        found = self.fitted.own_accuracy(self.equivalent(ks))
        return np.where(np.asarray(ks) > self.ranks.top, found, 1.0)

    def logit_spread(self, ks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the standard deviations of the log-odds of being right, down and up.

        To that of one guess comes how far the distributions that remain plausible
        disagree about the number of classes at which it does as well, and how far all
        of them may be wrong about it.
        """
        fewer = self.equivalent(ks)
        posterior, weights = self.ranks.posterior, self.ranks.likely_weights
        once = TopPosterior(fitted=posterior, top=1).log_odds_each(fewer)
        apart = self.ranks.log_odds_each(ks) - once
        down, up = semideviations(apart, apart @ weights, weights)
        n_classes = self.fitted.ranks.n_classes
        far = np.log(np.maximum(np.asarray(ks) / np.maximum(fewer, n_classes), 1.0))
        astray = _DRIFT / np.sqrt(n_classes) * far
        below, above = self.fitted.logit_spread(fewer)
        return (
            np.hypot(below, np.hypot(down, astray)),
            np.hypot(above, np.hypot(up, astray)),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Points:
    """Values of U with their masses; `p` is 1 - U to full precision."""

    log_u: FloatArray
    p: FloatArray
    masses: FloatArray
    always_right: float = 0.0

    def mean_chances(self, ks: IntArray, top: int) -> FloatArray:
        """Return the mean chance of being right within `top` guesses."""
        # By its logarithm: 1 - p is zero long before U is.
        odds = self.p * np.exp(np.minimum(-self.log_u, _MOST_LOG))
        chances = [self._chances(k - 1, top, odds) @ self.masses for k in ks]
        return np.array(chances) + self.always_right

    def _chances(self, n: float, top: int, odds: FloatArray) -> FloatArray:
        """Return P(Binomial(n, p) <= top - 1) at every point."""
        if n < top:
            return np.ones_like(self.p)
        if top > _MOST_TERMS:
            chances: FloatArray = betaincc(top, n - top + 1, self.p)
            return chances
        term = np.exp(n * self.log_u)
        total = term.copy()
        for j in range(1, top):
            term = term * ((n - j + 1) / j * odds)
            total += term
        return total


def _points_of(fitted: FavourabilityDistribution) -> _Points:
    if isinstance(fitted, EmpiricalFavourability):
        with np.errstate(divide="ignore"):
            logs = np.log(fitted.values)
        return _Points(log_u=logs, p=1 - fitted.values, masses=fitted.weights)
    if isinstance(fitted, GridFavourability):
        masses = fitted.mean_masses
        return _Points(
            log_u=log_ndtr(fitted.nodes), p=ndtr(-fitted.nodes), masses=masses
        )
    mixture = cast("ProbitMixture", fitted)
    used = mixture.weights != 0
    if not used.any():
        nothing = np.empty(0)
        return _Points(
            log_u=nothing, p=nothing, masses=nothing, always_right=mixture.always_right
        )
    nodes, masses = probit_grid(mixture.means[used], mixture.sds[used])
    return _Points(
        log_u=log_ndtr(nodes),
        p=ndtr(-nodes),
        masses=masses @ mixture.weights[used],
        always_right=mixture.always_right,
    )


def _spline_accuracy(spline: SplineFavourability, ks: IntArray, top: int) -> FloatArray:
    # One minus the mean of D at the u where the m-th best of k - 1 wrong classes
    # stands: 1 - u is Beta(m, k - m), and E[(d - (1 - u))_+] has a closed form.
    b = np.maximum(np.asarray(ks, dtype=np.float64)[:, None] - top, 1.0)
    d = 1 - spline.knots
    hinges = d * betainc(top, b, d) - top / (top + b) * betainc(top + 1, b, d)
    accuracy: FloatArray = 1 - hinges @ spline.slopes
    return accuracy
