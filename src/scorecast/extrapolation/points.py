"""Forecast from published points: accuracies at a few numbers of classes, no scores.

Most people hold no scores, only a table: accuracy, or a miss rate, at some sizes of the
gallery. The law of favourability that `Bayesian` weighs by ranks is weighed by these
points instead. What points leave open is of four kinds: the tests were samples, and
how the points came about says how their errors go together (`PointDesign`); figures are
rounded, or read from a drawing; no law fits exactly, which shows as an offset and a
slow drift that go on beyond the last point; and far out any law may go astray.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import (
    check_class_counts,
    check_count,
    check_level,
    check_share,
    warn,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import stage, stages, track
from scorecast._core.registry import Method, Registry
from scorecast._core.result import OPTION, SHARE, Note, Result
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import (
    ExtrapolationWarning,
    InvalidInputError,
    Location,
    UsageError,
)
from scorecast.extrapolation.extrapolator import clipped_logit
from scorecast.extrapolation.forecast import (
    ForecastCurve,
    Prediction,
    Reach,
    last_held,
    refuse_lost,
    tidy,
)
from scorecast.extrapolation.notes import FAR

_CURVE_POINTS = 48
_OFFSET = 0.1  # log-odds by which a law may lie beside all points
_WALK = 0.015  # and by which it may drift per square root of a factor e in classes
_READING = 0.009  # and by which a published figure is off by itself
_DRIFT = 0.05  # and by which the decline beyond the last point may be misjudged
_FLOOR = 1e-12
_NODES = np.arange(-7.0, 7.01, 0.07)
_NODE_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.exp(-0.5 * _NODES**2).sum()
_MORE_LOST = 2.0
_SMOOTHED, _HALVINGS = 0.5, 40
_STEPS = 7  # of Gauss-Hermite's rule for every parameter
_TIMES_WEIGHED = 3  # errors of averages depend on the law, and it on them
_COUNTED = 2000  # terms of Pitman and Yor's sum that are added one by one
_MOST_CLASSES = 1e12
_REACH, _REACH_POINTS = 1e9, 400  # classes beyond which nobody looks
_FEWEST_TO_HIDE = 3  # points, the last of which is then forecast
_SURPRISING = 2.5  # standard deviations that a rise may have by chance


class PointDesign(StrEnum):
    """How points came about.

    ``nested``: the same tests in ever larger galleries. ``averages``: over many or all
    subsets of one set of classes. ``separate``: other tests and classes for each point.
    """

    NESTED = "nested"
    AVERAGES = "averages"
    SEPARATE = "separate"


class CurveNote(StrEnum):
    """Codes of what is to be known of a forecast from points.

    Of points that rise ``value`` is by how much, ``count`` and ``total`` from and to
    how many classes; ``rises-beyond-chance`` if neither the number of tests nor
    rounding explains it. Of repeated sizes ``count`` is how many, far out the number of
    classes, and ``total`` the largest observed.
    """

    FAR = "far"
    ONE_POINT = "one-point"
    RISES = "rises"
    RISES_BEYOND_CHANCE = "rises-beyond-chance"
    REPEATED = "repeated"
    SAMPLES_UNKNOWN = "samples-unknown"
    MISFIT = "misfit"


class Points(NamedTuple):
    """Accuracies at increasing numbers of classes, and what their errors are like."""

    classes: FloatArray
    accuracy: FloatArray
    n_samples: FloatArray | None
    design: PointDesign
    top: int

    @property
    def log_odds(self) -> FloatArray:
        """What is fitted: log-odds of being right, moved off 0 and 1."""
        n = self.counts
        shrunk = (n * self.accuracy + 0.5) / (n + 1)
        return clipped_logit(np.where(self.is_end, shrunk, self.accuracy), _FLOOR)

    def off(self, log_odds: FloatArray) -> FloatArray:
        """Return by how much a law is above the points, in log-odds.

        As far as sampling is what points are off by, a law that is far off counts by
        how unlikely it makes what was seen: that all tests were right speaks against
        no law by which even more would be.
        """
        seen = self.accuracy
        away = log_odds - self.log_odds
        right, wrong = -np.logaddexp(0, -log_odds), -np.logaddexp(0, log_odds)
        unlikely = scipy.special.xlogy(seen, seen) - seen * right
        unlikely += scipy.special.xlogy(1 - seen, 1 - seen) - (1 - seen) * wrong
        share = scipy.special.expit(self.log_odds)
        spread = share * (1 - share)
        sampled = np.sqrt(2 * np.maximum(unlikely, 0) / spread)
        is_up = np.where(self.is_end, seen <= 0, away > 0)
        sampled = np.where(is_up, sampled, -sampled)
        exact = self.n_samples is None and ~self.is_end
        error = np.where(exact, 0.0, 1 / (self.counts * spread))
        off: FloatArray = away + (sampled - away) * error / (error + _OFFSET**2)
        return off

    @property
    def is_end(self) -> BoolArray:
        """Where all tests were right, or none."""
        return (self.accuracy <= 0) | (self.accuracy >= 1)

    @property
    def counts(self) -> FloatArray:
        """Tests behind each point; one per class where nobody says."""
        return self.classes if self.n_samples is None else self.n_samples


# --- laws by name --------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CurveMethod(Method, ABC):
    """A family of curves with few parameters, and what is expected of these.

    Attributes
    ----------
    handles_top : bool
        Whether it answers for several guesses.
    parameters : tuple of str
        What its parameters are called.
    """

    handles_top: ClassVar[bool] = True
    parameters: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def log_odds(self, theta: FloatArray, ks: FloatArray, top: int) -> FloatArray:
        """Return log-odds at numbers of classes, a row for every row of parameters."""

    @abstractmethod
    def surprise(self, theta: FloatArray, points: Points) -> FloatArray:
        """Return how far parameters are from what is usual, in standard deviations."""

    @abstractmethod
    def limits(self) -> tuple[list[float], list[float]]:
        """Return the least and the largest parameters."""

    @abstractmethod
    def starts(self, points: Points) -> list[list[float]]:
        """Return parameters to begin the search from."""


@dataclass(frozen=True, kw_only=True)
class BayesianCurve(CurveMethod):
    r"""A skewed probit family with a prior, given points instead of ranks.

    With M the best of k - 1 standard normal impostors and :math:`V = \Phi^{-1}(U)` of
    Jones and Pewsey's law, accuracy is :math:`P(V > M)`.
    """

    parameters: ClassVar[tuple[str, ...]] = ("mean", "log_sd", "skew")

    name: str = "bayesian"
    title: str = "the probit family with a prior"
    summary: str = "the law of ranks weighed by the points; for few points and far out"
    reference: str = "Jones and Pewsey (2009)"

    def log_odds(self, theta: FloatArray, ks: FloatArray, top: int) -> FloatArray:
        """Integrate over the best of the impostors."""
        hurdles = _hurdles(np.asarray(ks, dtype=np.float64).tobytes(), top)
        mean, log_sd, skew = (
            part[..., None, None] for part in np.moveaxis(theta, -1, 0)
        )
        z = (hurdles - mean) / np.exp(log_sd)
        above = scipy.special.ndtr(-np.sinh(np.arcsinh(z) - skew))
        return clipped_logit(above @ _NODE_WEIGHTS, _FLOOR)

    def surprise(self, theta: FloatArray, points: Points) -> FloatArray:
        """Recognisers differ in spread by a factor of two, now and then by far more."""
        mean, log_sd, skew = np.moveaxis(theta, -1, 0)
        far = (log_sd - np.log(0.95)) / 0.4
        heavy = np.sign(far) * np.sqrt(5 * np.log1p(far**2 / 4))  # Student's t
        level = (mean - self._first_hurdle(points) - 1) / 4
        return np.stack([level, heavy, skew / 0.3], axis=-1)

    def limits(self) -> tuple[list[float], list[float]]:
        """All tests alike, at the least; some never right, at the most."""
        return [-15.0, -1.6, -1.5], [40.0, 3.5, 1.5]

    def starts(self, points: Points) -> list[list[float]]:
        """Begin with a usual spread and with a large one."""
        at = scipy.special.ndtri(np.clip(points.accuracy[0], 0.01, 0.99))
        hurdle = self._first_hurdle(points)
        return [
            [hurdle + at * np.hypot(0.2, sd), np.log(sd), 0.0] for sd in (0.95, 3.0)
        ]

    def _first_hurdle(self, points: Points) -> float:
        return float(np.median(_hurdles(points.classes[:1].tobytes(), points.top)))


@dataclass(frozen=True, kw_only=True)
class PitmanYorCurve(CurveMethod):
    r"""The mean of Pitman and Yor's chances of meeting a new kind.

    :math:`A(n) = (u_1 + \ldots + u_n) / n` with :math:`u_1 = 1` and
    :math:`u_{i+1} = u_i (\alpha + d + i - 1) / (\alpha + i)`.
    """

    handles_top: ClassVar[bool] = False
    parameters: ClassVar[tuple[str, ...]] = ("log_strength", "logit_discount")

    name: str = "pitman-yor"
    title: str = "Pitman and Yor's curve"
    summary: str = "two parameters of uniqueness in a population; too low far out"
    reference: str = "Rocher, Hendrickx and de Montjoye (2025)"

    def log_odds(self, theta: FloatArray, ks: FloatArray, top: int) -> FloatArray:  # noqa: ARG002
        """Add up the chances; smooth from some thousands on."""
        flat = theta.reshape(-1, 2)
        found = [
            _pitman_yor(float(np.exp(a)), float(scipy.special.expit(d)), ks)
            for a, d in flat
        ]
        shape = (*theta.shape[:-1], np.size(ks))
        return clipped_logit(np.reshape(found, shape), _FLOOR)

    def surprise(self, theta: FloatArray, points: Points) -> FloatArray:
        """Anything goes, within reason."""
        wide = np.log(points.classes[-1]) + 4
        return np.stack([theta[..., 0] / wide, theta[..., 1] / 4], axis=-1)

    def limits(self) -> tuple[list[float], list[float]]:
        """Concentration above zero, discount below one."""
        return [-12.0, -14.0], [40.0, 14.0]

    def starts(self, points: Points) -> list[list[float]]:
        """Begin around the sizes observed."""
        size = float(np.log(points.classes[-1]))
        return [[size, -2.0], [size, 2.0], [0.0, 2.0]]


@dataclass(frozen=True, kw_only=True)
class ProbitLine(CurveMethod):
    """A line of the normal quantile of accuracy over the log of the classes."""

    parameters: ClassVar[tuple[str, ...]] = ("intercept", "slope")

    name: str = "probit-line"
    title: str = "a line in probit over the log of the number of classes"
    summary: str = (
        "a line through probits of the points; hard to beat from three exact ones"
    )

    def log_odds(self, theta: FloatArray, ks: FloatArray, top: int) -> FloatArray:  # noqa: ARG002
        """Follow the line."""
        at = theta[..., :1] + theta[..., 1:] * np.log(np.asarray(ks, dtype=np.float64))
        down, up = scipy.special.log_ndtr(-at), scipy.special.log_ndtr(at)
        odds: FloatArray = up - down
        return odds

    def surprise(self, theta: FloatArray, points: Points) -> FloatArray:  # noqa: ARG002
        """Accuracy falls by some tenths for every factor e, at the most."""
        return np.stack([theta[..., 0] / 10, theta[..., 1] / 0.5], axis=-1)

    def limits(self) -> tuple[list[float], list[float]]:
        """No line rises."""
        return [-40.0, -8.0], [40.0, 0.0]

    def starts(self, points: Points) -> list[list[float]]:
        """Begin with a gentle fall."""
        at = float(scipy.special.ndtri(np.clip(points.accuracy[0], 1e-6, 1 - 1e-6)))
        return [[at + 0.1 * float(np.log(points.classes[0])), -0.1]]


CURVE_METHODS: Registry[CurveMethod] = Registry()
CURVE_METHODS.add(BayesianCurve())
CURVE_METHODS.add(ProbitLine())
CURVE_METHODS.add(PitmanYorCurve())


@lru_cache(maxsize=256)
def _hurdles(ks: bytes, top: int) -> FloatArray:
    """Return what the best of the impostors scores, in normal quantiles, on nodes.

    Of several guesses it is the best but so many that must be beaten.
    """
    others = np.frombuffer(ks)[:, None] - 1
    if top == 1:
        beaten = -np.expm1(scipy.special.log_ndtr(_NODES) / others)
    else:
        last = np.maximum(others + 1 - top, 1e-9)
        beaten = scipy.special.betaincinv(top, last, scipy.special.ndtr(-_NODES))[
            :, ::-1
        ]
    hurdles: FloatArray = -scipy.special.ndtri(beaten)
    return hurdles


def _pitman_yor(strength: float, discount: float, ks: FloatArray) -> FloatArray:
    """Return Pitman and Yor's curve; its closed form would cancel.

    `strength` is concentration plus discount, which must be above zero.
    """
    start = strength
    ks = np.asarray(ks, dtype=np.float64)
    i = np.arange(1, _COUNTED)
    steps = np.log((start + i - 1) / (start - discount + i))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    sums = np.cumsum(np.exp(logs))
    whole = np.minimum(ks, _COUNTED)
    found = np.interp(whole, np.arange(1, _COUNTED + 1), sums)
    most = float(ks.max())
    if most > _COUNTED:
        # Beyond, terms change so slowly that their sum is an integral.
        grid = np.geomspace(_COUNTED + 0.5, most + 0.5, 400)
        shift = start - discount
        log_terms = (
            logs[-1]
            + _log_gamma_ratio(grid + shift, discount - 1)
            - _log_gamma_ratio(_COUNTED + shift, discount - 1)
        )
        terms = np.exp(log_terms)
        pieces = np.diff(grid) * (terms[1:] + terms[:-1]) / 2
        beyond = np.concatenate([[0.0], np.cumsum(pieces)])
        found = found + np.interp(ks + 0.5, grid, beyond, left=0.0)
    curve: FloatArray = found / ks
    return curve


def _log_gamma_ratio(x: ArrayLike, shift: float) -> FloatArray:
    """Return log Gamma(x + shift) - log Gamma(x) for large x, without cancelling."""
    middle = np.asarray(x, dtype=np.float64) + (shift - 1) / 2
    ratio: FloatArray = shift * np.log(middle) - shift * (shift**2 - 1) / (
        24 * middle**2
    )
    return ratio


# --- fitting -------------------------------------------------------------------------


class CurveFit(NamedTuple):
    """Parameters that remain plausible, and how misfit goes on from the points."""

    method: CurveMethod
    points: Points
    best: FloatArray
    thetas: FloatArray  # one row for every node of the posterior
    weights: FloatArray
    covariance: FloatArray  # of what points are off
    misfit: float  # of the best parameters, in standard deviations of the points

    def log_odds(self, ks: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log-odds at numbers of classes, a row per curve, and what is theirs.

        The second are the standard deviations by which a curve itself may be off.
        """
        points = self.points
        ks = np.asarray(ks, dtype=np.float64)
        x, x2 = np.log(points.classes), np.log(ks)
        both = _misfit_covariance(x, x2)
        gain = np.linalg.solve(self.covariance, both)
        at_points = self.method.log_odds(self.thetas, points.classes, points.top)
        each = self.method.log_odds(self.thetas, ks, points.top)
        each = each - points.off(at_points) @ gain
        own = _OFFSET**2 + _WALK**2 * np.maximum(x2 - x[0], 0)
        own = np.maximum(own - (both * gain).sum(axis=0), 0)
        beyond = np.maximum(x2 - x[-1], 0)
        return each, np.sqrt(own + (_DRIFT * beyond) ** 2)

    def accuracy(
        self, ks: FloatArray, confidence_level: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the expected accuracy at numbers of classes, and its interval."""
        each, own = self.log_odds(ks)
        centre = self.weights @ each
        variance = self.weights @ (each - centre) ** 2
        # Curves are few: each stands for those around it, half as far as they spread.
        near = centre + np.sqrt(1 - _SMOOTHED**2) * (each - centre)
        sd = np.sqrt(own**2 + _SMOOTHED**2 * variance)
        z, w = np.polynomial.hermite_e.hermegauss(_STEPS)
        shares = scipy.special.expit(near + sd * z[:, None, None])
        expected = w / w.sum() @ (self.weights @ shares)
        tail = (1 - confidence_level) / 2
        ends = np.transpose(
            [
                _quantiles(column, self.weights, s, np.array([tail, 1 - tail]))
                for column, s in zip(near.T, sd, strict=True)
            ]
        )
        # Points that are off by more than they should be may be off elsewhere, too.
        middle = clipped_logit(expected, _FLOOR)
        low, high = middle + max(1.0, self.misfit) * (ends - middle)
        return expected, scipy.special.expit(low), scipy.special.expit(high)


def _quantiles(
    means: FloatArray, weights: FloatArray, sd: float, shares: FloatArray
) -> FloatArray:
    """Return quantiles of a mixture of normal laws of one spread."""
    low = np.full(shares.size, means.min() - 9 * sd)
    high = np.full(shares.size, means.max() + 9 * sd)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = scipy.special.ndtr((middle[:, None] - means) / sd) @ weights < shares
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    quantiles: FloatArray = (low + high) / 2
    return quantiles


def fit_points(method: CurveMethod, points: Points) -> CurveFit:
    """Weigh the curves of a family by points, by prior and likelihood."""
    misfit = _misfit_covariance(np.log(points.classes), np.log(points.classes))
    misfit = misfit + _READING**2 * np.eye(points.classes.size)
    covariance = misfit + _sampling_covariance(points)
    best = _best(method, points, covariance)
    if points.design is PointDesign.AVERAGES and points.n_samples is not None:
        for _ in range(_TIMES_WEIGHED - 1):
            law = points._replace(accuracy=_shares(method, best, points))
            overlap = _overlapping(method, best, points)
            covariance = misfit + _sampling_covariance(law, overlap)
            best = _best(method, points, covariance)
    root = np.linalg.cholesky(covariance)

    def residuals(theta: FloatArray) -> FloatArray:
        away = points.off(method.log_odds(theta, points.classes, points.top))
        solved = np.linalg.solve(root, np.moveaxis(np.atleast_2d(away), -1, 0)).T
        own = np.atleast_2d(method.surprise(theta, points))
        return np.concatenate([solved, own], axis=-1)

    slopes = scipy.optimize.approx_fprime(best, lambda t: residuals(t)[0], 1e-5)
    spread = np.linalg.cholesky(
        np.linalg.inv(slopes.T @ slopes + 1e-9 * np.eye(best.size))
    )
    x, w = np.polynomial.hermite_e.hermegauss(_STEPS)
    z = np.stack(np.meshgrid(*[x] * best.size, indexing="ij"), axis=-1)
    z = z.reshape(-1, best.size)
    rule = np.prod(np.meshgrid(*[w] * best.size, indexing="ij"), axis=0).ravel()
    low, high = method.limits()
    thetas = np.clip(best + z @ spread.T, low, high)
    logs = -0.5 * (residuals(thetas) ** 2).sum(axis=-1) + 0.5 * (z**2).sum(axis=-1)
    weights = rule * np.exp(logs - logs.max())
    off = residuals(best)[0, : points.classes.size]
    return CurveFit(
        method=method,
        points=points,
        best=best,
        thetas=thetas,
        weights=weights / weights.sum(),
        covariance=covariance,
        misfit=float(np.sqrt((off**2).mean())),
    )


def _best(method: CurveMethod, points: Points, covariance: FloatArray) -> FloatArray:
    root = np.linalg.cholesky(covariance)

    def residuals(theta: FloatArray) -> FloatArray:
        away = points.off(method.log_odds(theta, points.classes, points.top))
        return np.concatenate(
            [np.linalg.solve(root, away), method.surprise(theta, points)]
        )

    bounds = method.limits()
    found = [
        scipy.optimize.least_squares(
            residuals, np.clip(start, *bounds), bounds=bounds, x_scale=0.3
        )
        for start in method.starts(points)
    ]
    best: FloatArray = min(found, key=lambda one: one.cost).x
    return best


def _misfit_covariance(x: FloatArray, x2: FloatArray) -> FloatArray:
    """Return how misfit at some sizes goes together with that at others."""
    steps: FloatArray = np.minimum.outer(x, x2) - x[0]
    return _OFFSET**2 + _WALK**2 * np.maximum(steps, 0)


def _sampling_covariance(
    points: Points, overlap: FloatArray | None = None
) -> FloatArray:
    """Return the covariance of log-odds that comes from testing so many samples.

    `overlap` is the chance that one test is right in two galleries.
    """
    share = scipy.special.expit(points.log_odds)
    if points.n_samples is None:
        # Points are taken as exact, but for those that cannot be.
        own = points.is_end / (points.counts * share * (1 - share))
        return np.diag(own)
    if overlap is None:
        # Who is right among more classes was right among fewer of them.
        overlap = np.minimum.outer(share, share)
    together = overlap - np.outer(share, share)
    if points.design is PointDesign.NESTED:
        # Where no test was lost from one point to the next, one or two might have been.
        lost = np.append(0.0, np.cumsum(_MORE_LOST / points.counts[1:]))
        together = together + np.minimum.outer(lost, lost)
    if points.design is PointDesign.SEPARATE:
        together = np.diag(np.diag(together))
    slope = 1 / (share * (1 - share))
    slope /= np.sqrt(points.counts)
    # Overlaps are those expected, so rounding may leave a variance below zero.
    values, vectors = np.linalg.eigh(together)
    sound = (vectors * np.maximum(values, 0)) @ vectors.T
    covariance: FloatArray = np.outer(slope, slope) * sound
    return covariance


def _shares(method: CurveMethod, theta: FloatArray, points: Points) -> FloatArray:
    odds = method.log_odds(theta, points.classes, points.top)
    shares: FloatArray = scipy.special.expit(odds)
    return shares


def _overlapping(method: CurveMethod, theta: FloatArray, points: Points) -> FloatArray:
    """Return the chance of being right in two random galleries out of one set.

    These share (s - 1)(t - 1) / (K - 1) of the other K - 1 classes on average; right in
    both is right among all that are in either.
    """
    others = points.classes - 1
    shared = np.outer(others, others) / max(others[-1], 1.0)
    either = np.add.outer(others, others) - shared + 1
    odds = method.log_odds(theta, either.ravel(), points.top)
    chance: FloatArray = scipy.special.expit(odds).reshape(either.shape)
    return chance


# --- the forecast --------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedCurve:
    """Published points of one model, and what they forecast.

    Attributes
    ----------
    model : str
        Its name; empty where there is one without.
    classes : ndarray of int64
        Numbers of classes of the points, increasing.
    accuracy : ndarray of float64
        Accuracies there.
    n_samples : ndarray of float64 or None
        Tests behind each, where that is known.
    predictions : tuple of Prediction
        The numbers asked for.
    curve : ForecastCurve
        From the first point to the largest target.
    parameters : dict of str to float
        Most plausible parameters of the curve.
    misfit : float
        How far the points are from it, in standard deviations.
    reach : Reach or None
        Up to how many classes an accuracy is held, where that was asked.
    backtest : Prediction or None
        What the points before the last would have forecast for it; None of fewer than
        three points.
    """

    model: str
    classes: NDArray[np.int64]
    accuracy: NDArray[np.float64] = field(metadata=SHARE)
    n_samples: NDArray[np.float64] | None
    predictions: tuple[Prediction, ...]
    curve: ForecastCurve
    parameters: dict[str, float]
    misfit: float
    reach: Reach | None = None
    backtest: Prediction | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurveExtrapolation(Result):
    """Accuracy forecast for more classes than those of published points.

    Attributes
    ----------
    curves : tuple of PublishedCurve
        One for every model, in the order given.
    notes : tuple of Note
        What the reader must know; codes of `CurveNote`.
    method : str
        The family of curves.
    design : PointDesign
        How the points came about.
    top : int
        Guesses allowed for a test to count as right.
    confidence_level : float
        Level of all intervals.
    """

    kind: ClassVar[str] = "curve-extrapolation"

    curves: tuple[PublishedCurve, ...]
    notes: tuple[Note, ...] = ()
    method: str = field(metadata=OPTION)
    design: PointDesign = field(metadata=OPTION)
    top: int = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the predictions, a row per model and number of classes."""
        rows = [(c.model, p) for c in self.curves for p in c.predictions]
        names = ("classes", "accuracy", "low", "high", "chance", "is_far")
        return {
            "model": [model for model, _ in rows],
            **{name: [getattr(p, name) for _, p in rows] for name in names},
        }


@checked_keywords
def extrapolate_curve(
    classes: Sequence[int] | ArrayLike,
    accuracy: Sequence[float] | ArrayLike,
    *,
    to: int | Sequence[int] | None = None,
    until: float | None = None,
    n_samples: int | Sequence[int] | ArrayLike | None = None,
    model: Iterable[Hashable] | None = None,
    design: str = "nested",
    top: int = 1,
    method: str | CurveMethod = "bayesian",
    confidence_level: float = 0.95,
) -> CurveExtrapolation:
    r"""Forecast accuracy with many more classes from published points alone.

    With U the chance that a random wrong class scores below the true one, accuracy
    among k classes is :math:`E\,U^{k-1}`. A law of U with few parameters is averaged
    over its posterior given the points; points are Gaussian in log-odds, with errors of
    sampling (see `design`), of reading, and of a law that does not quite fit.

    Parameters
    ----------
    classes : sequence of int
        Number of classes (size of the gallery, of the corpus) of every point.
    accuracy : sequence of float
        Share of the tests that were right there; of a miss rate one minus it.
    to : int or sequence of int, optional
        Numbers of classes to forecast. At a number that is among the points the point
        is given back. Needed unless `until` is given.
    until : float, optional
        Accuracy to hold, no higher than that of the best model at its last point:
        `PublishedCurve.reach` says up to how many classes, not beyond a thousand
        million.
    n_samples : int or sequence of int, optional
        Number of tests behind every point; without it intervals allow for no error of
        sampling.
    model : iterable of hashable, optional
        Model of every point, where there are several.
    design : {"nested", "averages", "separate"}, default="nested"
        How points came about: the same tests in growing galleries, averages over
        subsets of one set of classes, or other tests and classes each time.
    top : int, default=1
        A test is right if the truth is among the best `top`.
    method : str or CurveMethod, default="bayesian"
        Family of curves (`CURVE_METHODS`).
    confidence_level : float, default=0.95
        Level of the intervals.

    Returns
    -------
    CurveExtrapolation
        A forecast with intervals for every model.

    Raises
    ------
    InvalidInputError
        If shares are not between 0 and 1, or sizes are no numbers of classes.
    UsageError
        If a method or design is not one of those understood.

    References
    ----------
    M. C. Jones and A. Pewsey (2009). Sinh-arcsinh distributions. Biometrika 96.
    L. Rocher, J. Hendrickx and Y.-A. de Montjoye (2025). A scaling law to model the
    effectiveness of identification techniques. Nature Communications 16.

    Examples
    --------
    >>> answer = extrapolate_curve(
    ...     [100, 1000, 10_000], [0.95, 0.9, 0.83], to=100_000, n_samples=2000
    ... )
    >>> (p,) = answer.curves[0].predictions
    >>> p.low < p.accuracy < 0.83
    True
    """
    check_level(confidence_level, "confidence_level")
    check_count(top, "top", least=1)
    chosen = method
    if not isinstance(chosen, CurveMethod):
        chosen = CURVE_METHODS.choose(method, parameter="method")  # type: ignore[arg-type]
    if top > 1 and not chosen.handles_top:
        problem = f"{chosen.name} has no answer for several guesses"
        raise UsageError(problem, parameter="top")
    if design not in tuple(PointDesign):
        known = ", ".join(PointDesign)
        raise UsageError(f"must be one of {known}; got {design!r}", parameter="design")
    if to is None and until is None:
        problem = "how many classes there will be is needed, or an accuracy to hold"
        raise UsageError(problem, parameter="to")
    targets = np.empty(0, dtype=np.int64)
    if to is not None:
        targets = check_class_counts(to, "to")
        if targets.min() < 2:
            problem = "among fewer than 2 classes there is nothing to tell apart"
            raise UsageError(problem, parameter="to")
    rows = _checked_rows(classes, accuracy, n_samples, model)
    given = {
        name: _points_of(rows, name, PointDesign(design), top)
        for name in dict.fromkeys(rows.model)
    }
    every = list(given.items())
    curves, notes = [], []
    reaches: dict[str, Reach] = {}
    with stages({"fit": 1.0, "forecast": 2.0}):
        with stage("fit"):
            fits = {
                name: fit_points(chosen, points)
                for name, (points, _) in track(every, what="fit to points")
            }
        if until is not None:
            check_share(until, "until", is_open=True)
            lasts = {n: points for n, (points, _) in given.items()}
            refuse_lost(
                until,
                [
                    (n, int(p.classes[-1]), float(p.accuracy[-1]))
                    for n, p in lasts.items()
                ],
            )
            reaches = {
                n: _reach(fit, until, confidence_level) for n, fit in fits.items()
            }
        if to is None:
            # An accuracy that is never lost is shown at the limit, one that was lost
            # before the first point at that.
            firsts = [int(points.classes[0]) for points, _ in given.values()]
            ends = [tidy(reach.classes or reach.limit) for reach in reaches.values()]
            targets = np.unique(np.maximum(ends, firsts))
        with stage("forecast"):
            for name, (points, own) in track(every, what="forecast of points"):
                rises = _rises(fits[name])
                own = (*rises, *own)
                found = _forecast(fits[name], targets, confidence_level)
                tested = _hide_last(chosen, points, confidence_level)
                curves.append(
                    replace(found, model=name, reach=reaches.get(name), backtest=tested)
                )
                last = int(points.classes[-1])
                most = int(targets.max())
                if most > FAR * last:
                    far = Note(
                        code=CurveNote.FAR, count=most, total=last, value=most / last
                    )
                    own = (*own, far)
                is_told = any(n.code == CurveNote.RISES_BEYOND_CHANCE for n in rises)
                if found.misfit > 3 and not is_told:
                    own = (*own, Note(code=CurveNote.MISFIT, value=found.misfit))
                notes += [replace(note, model=name or None) for note in own]
    if rows.n_samples is None:
        notes.append(Note(code=CurveNote.SAMPLES_UNKNOWN))
    for note in notes:
        warn(ExtrapolationWarning(curve_note_text(note)))
    return CurveExtrapolation(
        curves=tuple(curves),
        notes=tuple(notes),
        method=chosen.name,
        design=PointDesign(design),
        top=top,
        confidence_level=confidence_level,
    )


class _Rows(NamedTuple):
    classes: FloatArray
    accuracy: FloatArray
    n_samples: FloatArray | None
    model: list[str]


def _checked_rows(
    classes: ArrayLike,
    accuracy: ArrayLike,
    n_samples: ArrayLike | None,
    model: Iterable[Hashable] | None,
) -> _Rows:
    """Check what was given, row by row."""
    sizes = _column(classes, "classes")
    shares = _column(accuracy, "accuracy")
    if sizes.size != shares.size:
        problem = f"{shares.size:,} accuracies for {sizes.size:,} numbers of classes"
        raise InvalidInputError(problem, parameter="accuracy")
    if not sizes.size:
        raise InvalidInputError("there are no points", parameter="classes")
    wrong = np.flatnonzero(
        (sizes < 2) | (sizes != np.round(sizes)) | (sizes > _MOST_CLASSES)
    )
    if wrong.size:
        problem = f"{sizes[wrong[0]]:g} is no number of classes from 2 on"
        raise InvalidInputError(
            problem, parameter="classes", location=Location(row=int(wrong[0]) + 1)
        )
    wrong = np.flatnonzero((shares < 0) | (shares > 1))
    if wrong.size:
        problem = f"{shares[wrong[0]]:g} is no share from 0 to 1"
        is_percent = shares.max() <= 100 and shares.min() >= 0
        raise InvalidInputError(
            problem,
            parameter="accuracy",
            location=Location(row=int(wrong[0]) + 1),
            remedy="divide percentages by 100" if is_percent else None,
        )
    counts = None
    if n_samples is not None:
        counts = np.broadcast_to(_column(n_samples, "n_samples"), sizes.shape).astype(
            float
        )
        wrong = np.flatnonzero(counts < 1)
        if wrong.size:
            problem = f"{counts[wrong[0]]:g} is no number of tests"
            raise InvalidInputError(
                problem, parameter="n_samples", location=Location(row=int(wrong[0]) + 1)
            )
    names = [""] * sizes.size if model is None else [str(name) for name in model]
    if len(names) != sizes.size:
        problem = f"{len(names):,} models for {sizes.size:,} points"
        raise InvalidInputError(problem, parameter="model")
    return _Rows(sizes, shares, counts, names)


def _column(values: ArrayLike, name: str) -> FloatArray:
    """Return numbers; what is none is named with its row."""
    given = np.atleast_1d(np.asarray(values, dtype=object))
    if given.ndim != 1:
        raise InvalidInputError("must be a list of numbers", parameter=name)
    found = np.empty(given.size)
    for i, value in enumerate(given):
        try:
            found[i] = float(value)
        except (TypeError, ValueError):
            found[i] = np.nan
        if not np.isfinite(found[i]):
            is_empty = value is None or str(value).strip().lower() in ("", "nan")
            is_percent = str(value).strip().endswith("%")
            raise InvalidInputError(
                "the value is missing" if is_empty else f"{value!r} is not a number",
                parameter=name,
                location=Location(row=i + 1),
                remedy="write a share, such as 0.95" if is_percent else None,
            )
    return found


def _points_of(
    rows: _Rows, name: str, design: PointDesign, top: int
) -> tuple[Points, tuple[Note, ...]]:
    """Gather the points of one model, in order of size, one for each."""
    own = np.array([model == name for model in rows.model])
    sizes, inverse = np.unique(rows.classes[own], return_inverse=True)
    weights = np.ones(inverse.size) if rows.n_samples is None else rows.n_samples[own]
    total = np.bincount(inverse, weights)
    accuracy = np.bincount(inverse, weights * rows.accuracy[own]) / total
    notes = []
    if inverse.size > sizes.size:
        repeated = inverse.size - sizes.size
        notes.append(Note(code=CurveNote.REPEATED, count=int(repeated)))
    if sizes.size == 1:
        notes.append(Note(code=CurveNote.ONE_POINT))
    if top >= sizes[0]:
        problem = f"among {sizes[0]:,.0f} classes {top} guesses are always right"
        raise UsageError(problem, parameter="top")
    counts = None if rows.n_samples is None else total.astype(np.float64)
    return Points(sizes, accuracy, counts, design, top), tuple(notes)


def _hide_last(
    method: CurveMethod, points: Points, confidence_level: float
) -> Prediction | None:
    """Forecast the last point from those before it."""
    if points.classes.size < _FEWEST_TO_HIDE:
        return None
    n_samples = None if points.n_samples is None else points.n_samples[:-1]
    before = points._replace(
        classes=points.classes[:-1],
        accuracy=points.accuracy[:-1],
        n_samples=n_samples,
    )
    last = points.classes[-1:].astype(np.int64)
    (found,) = _forecast(fit_points(method, before), last, confidence_level).predictions
    return found


def _rises(fit: CurveFit) -> tuple[Note, ...]:
    """Note the largest rise from one point to the next, and whether chance explains it.

    What a point may be off by is sampling, reading and a law that drifts.
    """
    points = fit.points
    rises = np.diff(points.accuracy)
    if not rises.size or rises.max() <= 0:
        return ()
    i = int(rises.argmax())
    own = fit.covariance[i : i + 2, i : i + 2]
    sd = float(np.sqrt(own[0, 0] + own[1, 1] - 2 * own[0, 1]))
    is_chance = float(np.diff(points.log_odds)[i]) <= _SURPRISING * sd
    return (
        Note(
            code=CurveNote.RISES if is_chance else CurveNote.RISES_BEYOND_CHANCE,
            value=float(rises[i]),
            count=int(points.classes[i]),
            total=int(points.classes[i + 1]),
        ),
    )


def _reach(fit: CurveFit, until: float, confidence_level: float) -> Reach:
    """Find up to how many classes an accuracy is held, surely and perhaps."""
    first, last = float(fit.points.classes[0]), float(fit.points.classes[-1])
    limit = max(_REACH, 10 * last)
    sizes = np.unique(np.geomspace(first, limit, _REACH_POINTS).round())
    centre, low, high = _shares_of(fit, sizes, confidence_level)
    return Reach(
        accuracy=float(until),
        classes=last_held(sizes, centre, until),
        low=last_held(sizes, low, until),
        high=last_held(sizes, high, until),
        limit=int(limit),
    )


def _shares_of(
    fit: CurveFit, ks: FloatArray, confidence_level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the expected accuracy and the ends of its interval."""
    accuracy, low, high = fit.accuracy(ks, confidence_level)
    # Accuracy only decreases, so does what it is at most.
    order = np.argsort(ks, kind="stable")
    high[order] = np.minimum.accumulate(high[order])
    low[order] = np.minimum.accumulate(low[order])
    return accuracy, low, high


def _forecast(
    fit: CurveFit, targets: IntArray, confidence_level: float
) -> PublishedCurve:
    method, points = fit.method, fit.points
    first, last = points.classes[0], max(points.classes[-1], float(targets.max()))
    sizes = np.unique(np.geomspace(first, last, _CURVE_POINTS).round())
    asked = np.concatenate([sizes, targets.astype(np.float64)])
    accuracy, low, high = _shares_of(fit, asked, confidence_level)
    n = sizes.size
    known = dict(zip(points.classes.tolist(), points.accuracy.tolist(), strict=True))
    accuracy[n:] = [
        known.get(float(k), a) for k, a in zip(targets, accuracy[n:], strict=True)
    ]
    predictions = tuple(
        Prediction(
            classes=int(k),
            accuracy=float(a),
            low=float(min(b, a)),
            high=float(max(c, a)),
            chance=min(points.top / int(k), 1.0),
            is_observed=float(k) in known,
            is_far=bool(k > FAR * points.classes[-1]),
        )
        for k, a, b, c in zip(targets, accuracy[n:], low[n:], high[n:], strict=True)
    )
    return PublishedCurve(
        model="",
        classes=points.classes.astype(np.int64),
        accuracy=points.accuracy,
        n_samples=points.n_samples,
        predictions=predictions,
        curve=ForecastCurve(
            classes=sizes.astype(np.int64),
            accuracy=accuracy[:n],
            low=np.minimum(low[:n], accuracy[:n]),
            high=np.maximum(high[:n], accuracy[:n]),
        ),
        parameters=dict(zip(method.parameters, map(float, fit.best), strict=True)),
        misfit=fit.misfit,
    )


def _rise_text(note: Note) -> str:
    by = f"{100 * (note.value or 0):.2g}"
    by += " point" if by == "1" else " points"
    return (
        f"accuracy rises by {by} from {note.count:,} to {note.total:,} classes, which "
        "more classes cannot bring about"
    )


def curve_note_text(note: Note) -> str:
    """Say a note of a forecast from points in a sentence."""
    of = f"{note.model}: " if note.model else ""
    match note.code:
        case CurveNote.FAR:
            return (
                f"{of}{note.count:,} classes are {note.value:,.0f} times the largest "
                f"number of the points, {note.total:,}: a rough guide at best."
            )
        case CurveNote.ONE_POINT:
            return (
                f"{of}there is one point: how fast accuracy falls is known from other "
                "recognisers alone."
            )
        case CurveNote.RISES:
            return f"{of}{_rise_text(note)}: it is taken as chance."
        case CurveNote.RISES_BEYOND_CHANCE:
            return (
                f"{of}{_rise_text(note)}, nor chance: something else changed, and the "
                "forecast cannot know what that does next. Give points of one kind, or "
                "say that tests differed (design 'separate')."
            )
        case CurveNote.REPEATED:
            rows = "a row repeats" if note.count == 1 else f"{note.count:,} rows repeat"
            return f"{of}{rows} a number of classes: averaged."
        case CurveNote.MISFIT:
            return (
                f"{of}the points are {note.value:.1f} standard deviations off any "
                "curve of this family: did something else change with the number of "
                "classes?"
            )
        case CurveNote.SAMPLES_UNKNOWN:
            return (
                "How many tests are behind the points is not known: intervals allow "
                "for no error of sampling."
            )
    return str(note.code)
