"""Right within several guesses: any distribution of favourability tells.

Given the favourability U of an example, the number of wrong classes that beat it among
k - 1 is binomial with chance 1 - U. It is right within m guesses if fewer than m do:
top-m accuracy at k classes is the mean of P(Binomial(k-1, 1-U) <= m-1) over U. Fits do
not change; only the question does.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from scipy.special import betainc, betaincc, betaincinv, log_ndtr, logit, ndtr

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes import intervals
from scorecast.classes.bayesian import GridFavourability
from scorecast.classes.distributions import (
    EmpiricalFavourability,
    FavourabilityDistribution,
    ProbitMixture,
    SplineFavourability,
)
from scorecast.classes.evidence import Evidence
from scorecast.classes.intervals import Interval
from scorecast.classes.method import Fit, Method
from scorecast.exceptions import UsageError
from scorecast.scores import probit_grid

__all__ = [
    "TopMethod",
    "check_top",
    "expected_accuracy",
    "perfect_top_bound",
    "prediction_interval",
    "top_method",
]

_ABLE = (
    "bayesian",
    "regression",
    "gaussian",
    "kde-ucv",
    "kde-bcv",
    "kde-fixed",
    "spline",
)
_MOST_TERMS = 100  # guesses up to which the binomial is summed term by term
_TINY = 1e-200
_ROUNDING = 1e-13


def check_top(top: int, n_classes: int | None = None) -> int:
    """Check a number of guesses.

    Parameters
    ----------
    top : int
        Guesses allowed.
    n_classes : int, optional
        Classes observed; so many guesses would always be right.

    Returns
    -------
    int
        The same.

    Raises
    ------
    UsageError
        If it is not a whole number from one up, or as large as the classes.
    """
    if isinstance(top, bool) or not isinstance(top, numbers.Real) or top < 1 or top % 1:
        msg = f"`top` must be a whole number from 1 up; got {top!r}."
        raise UsageError(msg)
    if n_classes is not None and 1 < top >= n_classes:
        msg = (
            f"Within {top} guesses everything is right among {n_classes} observed "
            "classes: choose a smaller `top`."
        )
        raise UsageError(msg)
    return int(top)


def top_method(method: Method, top: int) -> Method:
    """Ask a method for accuracy within several guesses.

    Parameters
    ----------
    method : Method
        Any method.
    top : int
        Guesses allowed.

    Returns
    -------
    Method
        The method itself for one guess.

    Raises
    ------
    UsageError
        If the method has no distribution of favourability to answer from.
    """
    if top == 1:
        return method
    if method.name not in _ABLE:
        msg = (
            f"Method {method.name!r} cannot forecast several guesses (top={top}); "
            f"these can: {', '.join(_ABLE)}."
        )
        raise UsageError(msg)
    return TopMethod(method=method, top=top)


@dataclass(frozen=True, kw_only=True)
class TopMethod(Method):
    """A method whose fits are asked for accuracy within several guesses.

    Attributes
    ----------
    method : Method
        What is fitted.
    top : int
        Guesses allowed.
    """

    method: Method
    top: int

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the method that is fitted."""
        return self.method.name

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Fit:
        """Fit the method as ever.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        rng : numpy.random.Generator
            For methods that subsample classes.

        Returns
        -------
        Fit
            The same fit, asked for several guesses.
        """
        fit = self.method.fit(replace(evidence, top=1), rng)
        details = dict(fit.details)
        if "by_bandwidth" in details:
            details["by_bandwidth"] = {
                h: _asked(part, self.top) for h, part in details["by_bandwidth"].items()
            }
        return Fit(
            distribution=_asked(fit.distribution, self.top),
            tuned=replace(self, method=fit.tuned),
            details=details,
        )

    def fit_left_out(
        self, evidence: Evidence, fit: Fit
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out, choices held fixed."""
        asked = cast("_TopFavourability", fit.distribution)
        plain = replace(fit, distribution=asked.fitted, tuned=self.method)
        fits = self.method.fit_left_out(replace(evidence, top=1), plain)
        return [_asked(part, self.top) for part in fits]


def expected_accuracy(
    distribution: FavourabilityDistribution,
    evidence: Evidence,
    ks: IntArray,
    level: float,
) -> FloatArray:
    """Return the accuracy to expect within the guesses that the evidence allows.

    Parameters
    ----------
    distribution : FavourabilityDistribution
        What a method fitted.
    evidence : Evidence
        What it was fitted to.
    ks : ndarray of int64
        Numbers of classes.
    level : float
        Confidence of the bound given where every example was right.

    Returns
    -------
    ndarray of float64
        Between 0 and 1.
    """
    if evidence.top == 1:
        return intervals.expected_accuracy(distribution, evidence, ks, level)
    if evidence.ranks.is_only_bound:
        return _bound(evidence, ks, level)
    return np.clip(distribution.accuracy(ks), 0, 1)


def prediction_interval(
    fit: Fit, evidence: Evidence, ks: IntArray, level: float
) -> Interval:
    """Bracket the accuracy within the guesses that the evidence allows.

    Parameters
    ----------
    fit : Fit
        A fitted method.
    evidence : Evidence
        What it was fitted to.
    ks : ndarray of int64
        Numbers of classes.
    level : float
        Level of the interval.

    Returns
    -------
    Interval
        The interval, NaN with the reason where there is none.
    """
    if evidence.top > 1 and evidence.ranks.is_only_bound:
        return Interval(
            low=_bound(evidence, ks, level),
            high=np.ones(np.shape(ks)),
            sd_logit=np.full(np.shape(ks), np.nan),
            how="a bound: every example was right",
        )
    if evidence.top > 1 and evidence.ranks.accuracy >= 1:
        # Not all at the first guess that is right for some: the ranks tell more than
        # a bound does.
        evidence = replace(evidence, top=_first_guess(evidence))
    return intervals.prediction_interval(fit, evidence, ks, level)


def perfect_top_bound(
    n_classes: int, ks: IntArray, level: float, *, top: int, n_tested: int
) -> FloatArray:
    """Bound top-m accuracy from below where every example was right within m guesses.

    As for one guess: with confidence `level` the accuracy at K observed classes is at
    least ``(1 - level) ** (1 / n)``. Accuracy at k > K classes is a convex function of
    that at K for every single U, so by Jensen's inequality it is at least that of the
    one U which has this accuracy at K.

    Parameters
    ----------
    n_classes : int
        Number of classes observed, K; more than `top`.
    ks : ndarray of int64
        Numbers of classes.
    level : float
        Confidence of the bound.
    top : int
        Guesses allowed.
    n_tested : int
        Number of classes with examples.

    Returns
    -------
    ndarray of float64
        Lower bounds.
    """
    at_observed = (1 - level) ** (1 / n_tested)
    # The chance of being beaten that has this accuracy at K.
    p = betaincinv(top, n_classes - top, 1 - at_observed)
    more = np.maximum(np.asarray(ks, dtype=np.float64), n_classes)
    bound: FloatArray = betaincc(top, more - top, p)
    return bound


def _bound(evidence: Evidence, ks: IntArray, level: float) -> FloatArray:
    # As many guesses as all needed; more would only weaken the bound.
    n_tested = int(np.unique(evidence.ranking.own).size)
    bound = perfect_top_bound(
        evidence.n_classes, ks, level, top=_first_guess(evidence), n_tested=n_tested
    )
    return np.where(np.asarray(ks) > evidence.top, bound, 1.0)


def _first_guess(evidence: Evidence) -> int:
    """Count the guesses within which the first examples are right."""
    return int(np.flatnonzero(evidence.ranks.histogram > _ROUNDING)[0]) + 1


def _asked(fitted: FavourabilityDistribution, top: int) -> _TopFavourability:
    kind = _TopPosterior if isinstance(fitted, GridFavourability) else _TopFavourability
    return kind(fitted=fitted, top=top)


@dataclass(frozen=True, kw_only=True, eq=False)
class _TopFavourability:
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


class _TopPosterior(_TopFavourability):
    """The same of a posterior, which knows its own spread."""

    def logit_sd(self, ks: IntArray) -> FloatArray:
        """Return the posterior standard deviation of the log-odds of being right."""
        fitted = cast("GridFavourability", self.fitted)
        each = replace(self.points, masses=fitted.masses)
        found = np.clip(each.mean_chances(ks, self.top), 1e-12, 1 - 1e-12)
        odds = logit(found)
        centre = odds @ fitted.weights
        sd: FloatArray = np.sqrt(((odds - centre[:, None]) ** 2) @ fitted.weights)
        return sd


@dataclass(frozen=True, kw_only=True, eq=False)
class _Points:
    """Values of U with their masses; `p` is 1 - U to full precision."""

    log_u: FloatArray
    p: FloatArray
    masses: FloatArray
    always_right: float = 0.0

    def mean_chances(self, ks: IntArray, top: int) -> FloatArray:
        """Return the mean chance of being right within `top` guesses."""
        odds = self.p / np.maximum(1 - self.p, _TINY)
        chances = [self._chances(int(k) - 1, top, odds) @ self.masses for k in ks]
        return np.array(chances) + self.always_right

    def _chances(self, n: int, top: int, odds: FloatArray) -> FloatArray:
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
        masses = fitted.masses @ fitted.weights
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
