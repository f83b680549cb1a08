"""What is known of all samples alike, before anything is known of one of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import scipy

from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import (
    FitFailedError,
    InsufficientDataError,
    InvalidInputError,
)
from scorecast.survival.metrics import kaplan_meier

_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


class PopulationTimes(Protocol):
    """A distribution of times."""

    def log_density(self, time: FloatArray) -> FloatArray:
        """Return log densities of times."""

    def log_survival(self, time: FloatArray) -> FloatArray:
        """Return log probabilities of more than these times."""


@dataclass(frozen=True, kw_only=True)
class PopulationPrior(Method):
    """A prior of the time.

    Attributes
    ----------
    fit : callable or None
        Takes times and events of training samples, returns a `PopulationTimes`; None
        where a simulation is needed, as of the model without covariates.
    is_proper : bool
        Whether survival falls to 0 and the density integrates to 1.
    """

    fit: Callable[[FloatArray, BoolArray], PopulationTimes] | None
    is_proper: bool = True


def fit_population(name: str, time: FloatArray, event: BoolArray) -> PopulationTimes:
    """Fit a prior of the time to training samples."""
    chosen = POPULATION_PRIORS.choose(name, parameter="prior")
    if not event.any():
        problem = "no event was seen among the training samples: no prior can be fitted"
        raise InsufficientDataError(problem, parameter="event")
    fit: Any = chosen.fit  # that of the model is fitted by itself
    found: PopulationTimes = fit(time, event)
    return found


def curve_of_all(
    time: FloatArray, event: BoolArray, folds: IntArray, at: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Predict every sample by the smoothed Kaplan-Meier curve of the other folds.

    Exponential attrition is easily beaten by anything that knows how risk changes with
    time, covariates or not. This curve knows that, too, and nothing of the sample.
    Returned are log density (or survival) of what was seen, survival then, and survival
    at the times `at`; means over repeats.
    """
    n, repeats = len(time), len(folds)
    known, then, curves = np.zeros(n), np.zeros(n), np.zeros((n, len(at)))
    for row in folds:
        for fold in np.unique(row):
            out = row == fold
            found = fit_population("kaplan-meier", time[~out], event[~out])
            tail = found.log_survival(time[out])
            known[out] += np.where(event[out], found.log_density(time[out]), tail)
            then[out] += np.exp(tail)
            curves[out] += np.exp(found.log_survival(at))
    return known / repeats, then / repeats, curves / repeats


# --- the same risk at every moment ---------------------------------------------------


@dataclass(frozen=True)
class ExponentialTimes:
    """Exponential attrition, with so many events per unit of time at risk."""

    rate: float

    def log_density(self, time: FloatArray) -> FloatArray:
        """Return log densities of times."""
        return np.asarray(math.log(self.rate) - self.rate * time)

    def log_survival(self, time: FloatArray) -> FloatArray:
        """Return log probabilities of more than these times."""
        return np.asarray(-self.rate * time)


def _fit_exponential(time: FloatArray, event: BoolArray) -> ExponentialTimes:
    largest = float(time.max())  # the sum of huge times would overflow
    with np.errstate(over="ignore"):
        rate = float(event.sum() / np.float64((time / largest).sum()) / largest)
    if not 0.0 < rate < np.inf:
        raise InvalidInputError(
            f"times up to {largest:g} are too small or too large for a rate to be held",
            parameter="time",
            remedy="give them in another unit",
        )
    return ExponentialTimes(rate)


# --- the curve of Kaplan and Meier, smoothed -----------------------------------------


@dataclass(frozen=True, eq=False)
class SmoothedTimes:
    """Kaplan-Meier steps, each spread by a normal kernel of log time.

    What Kaplan and Meier leave beyond the last time, an exponential tail takes up from
    there on, with the events per unit of time at risk as its rate. Exponential
    attrition with that rate has a share of the whole: the kernel alone all but rules
    out a sample much earlier than any before, and would credit what is judged with it.

    Attributes
    ----------
    log_times, weights : ndarray of shape (steps,)
        The steps.
    bandwidth : float
        Deviation of the kernel.
    last, rate, rest : float
        Where the tail begins, its rate, its share.
    attrition : float
        Share of exponential attrition: that of one sample more than there were.
    """

    log_times: FloatArray
    weights: FloatArray
    bandwidth: float
    last: float
    rate: float
    rest: float
    attrition: float

    def log_density(self, time: FloatArray) -> FloatArray:
        """Return log densities of times."""
        z = (np.log(time)[:, None] - self.log_times) / self.bandwidth
        level = math.log(self.bandwidth * math.sqrt(2.0 * math.pi))
        steps = scipy.special.logsumexp(-0.5 * z * z, b=self.weights, axis=1)
        steps = steps - level - np.log(time)
        with np.errstate(divide="ignore"):
            share = np.where(time > self.last, np.log(self.rest), -np.inf)
        beyond = np.maximum(time - self.last, 0.0)
        tail = share + math.log(self.rate) - self.rate * beyond
        always = ExponentialTimes(self.rate).log_density(time)
        return self._mixed(np.logaddexp(steps, tail), always)

    def log_survival(self, time: FloatArray) -> FloatArray:
        """Return log probabilities of more than these times."""
        z = (np.log(time)[:, None] - self.log_times) / self.bandwidth
        beyond = np.maximum(time - self.last, 0.0)
        tail = self.rest * np.exp(-self.rate * beyond)
        with np.errstate(divide="ignore"):
            above = np.log(scipy.special.ndtr(-z) @ self.weights + tail)
        always = ExponentialTimes(self.rate).log_survival(time)
        return np.asarray(np.minimum(self._mixed(above, always), 0.0))

    def _mixed(self, own: FloatArray, always: FloatArray) -> FloatArray:
        share = self.attrition
        return np.logaddexp(math.log1p(-share) + own, math.log(share) + always)


def _fit_smoothed(time: FloatArray, event: BoolArray) -> SmoothedTimes:
    rate = _fit_exponential(time, event).rate
    at, survival = kaplan_meier(time, event)
    weights = -np.diff(survival, prepend=1.0)
    places = np.log(at)
    share = weights / weights.sum()
    middle = float(share @ places)
    spread = math.sqrt(float(share @ (places - middle) ** 2))
    n_effective = 1.0 / float(share @ share)
    # Silverman's rule; a single step gets a kernel of a factor e^0.5.
    bandwidth = 1.06 * spread * n_effective**-0.2 if spread > 0.0 else 0.5
    return SmoothedTimes(
        log_times=places,
        weights=weights,
        bandwidth=bandwidth,
        last=float(time.max()),
        rate=rate,
        rest=float(survival[-1]),
        attrition=1.0 / (len(time) + 1.0),
    )


# --- log times of one shape, shifted and stretched -----------------------------------


@dataclass(frozen=True)
class LocationScale:
    """Times whose logarithm is location + scale * standard.

    Attributes
    ----------
    shape : {"weibull", "lognormal"}
        Smallest extreme value, or normal.
    location, scale : float
        Of the log time.
    """

    shape: str
    location: float
    scale: float

    def log_density(self, time: FloatArray) -> FloatArray:
        """Return log densities of times."""
        z = (np.log(time) - self.location) / self.scale
        density, _ = log_parts(z, self.shape)
        return np.asarray(density - math.log(self.scale) - np.log(time))

    def log_survival(self, time: FloatArray) -> FloatArray:
        """Return log probabilities of more than these times."""
        z = (np.log(time) - self.location) / self.scale
        return log_parts(z, self.shape)[1]


def log_parts(z: FloatArray, shape: str) -> tuple[FloatArray, FloatArray]:
    """Return log density and log upper tail of the standard distribution."""
    if shape == "weibull":
        with np.errstate(over="ignore"):
            tail = -np.exp(z)
        return np.asarray(z + tail), np.asarray(tail)
    log_tail = scipy.special.log_ndtr(-z)
    return np.asarray(-0.5 * z * z - _LOG_ROOT_2PI), np.asarray(log_tail)


def fit_location_scale(time: FloatArray, event: BoolArray, shape: str) -> LocationScale:
    """Fit by maximum likelihood, censored times included."""
    if not event.any():
        problem = "no event was seen, so no distribution of times can be fitted"
        raise InsufficientDataError(problem, parameter="event")
    y = np.log(time)
    middle, spread = float(y.mean()), float(y.std())
    if np.ptp(y[event]) == 0.0 and y.max() <= y[event][0]:
        problem = "all events were seen at the same time: their spread cannot be fitted"
        raise InsufficientDataError(problem, parameter="time")
    unit = (y - middle) / spread

    def loss(at: FloatArray) -> float:
        z = (unit - at[0]) * np.exp(-at[1])
        density, tail = log_parts(z, shape)
        total = density[event].sum() - event.sum() * at[1] + tail[~event].sum()
        return -float(total) if np.isfinite(total) else 1e300

    limits = {"xatol": 1e-9, "fatol": 1e-10, "maxiter": 4000}
    found = scipy.optimize.minimize(
        loss, np.zeros(2), method="Nelder-Mead", options=limits
    )
    location, log_scale = (float(v) for v in found.x)
    return LocationScale(
        shape, middle + spread * location, spread * math.exp(log_scale)
    )


@dataclass(frozen=True, eq=False)
class AcceleratedTimes:
    """Log time is linear in the covariates, plus noise of one shape.

    Attributes
    ----------
    shape : {"weibull", "lognormal"}
        Smallest extreme value, or normal.
    means : ndarray of shape (p,)
        Of the training samples; they take the place of missing covariates.
    centre, scale : float
        Of the log time of a sample whose covariates are these means.
    slopes : ndarray of shape (p,)
        Per unit of each covariate.
    """

    shape: str
    means: FloatArray
    centre: float
    slopes: FloatArray
    scale: float

    def predict_log(
        self, X: FloatArray, times: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival of samples x times."""
        away = np.where(np.isnan(X), 0.0, X - self.means)
        middle = self.centre + away @ self.slopes
        z = (np.log(times) - middle[:, None]) / self.scale
        density, tail = log_parts(z, self.shape)
        return density - np.log(self.scale) - np.log(times), tail


def fit_accelerated(
    time: FloatArray,
    event: BoolArray,
    X: FloatArray,
    shape: str,
    *,
    penalty: float = 0.01,
    scale_penalty: float = 0.0,
) -> AcceleratedTimes:
    """Regress log times on covariates, censored times included.

    Half the penalty times every squared slope, per deviation of its covariate, is added
    to the mean loss, and half the other penalty times the squared log of the scale;
    lifelines has one for both. Covariates may be missing (NaN), not constant.
    """
    centre, spread = float(np.log(time).mean()), float(np.log(time).std()) or 1.0
    size = np.maximum(np.abs(np.nan_to_num(X)).max(axis=0, initial=0.0), 1e-300)
    middle = np.nanmean(X / size, axis=0)  # covariates of any size
    unit = np.where(np.isnan(X), middle, X / size) - middle
    deviation = unit.std(axis=0, ddof=1)
    unit = unit / deviation
    y = (np.log(time) - centre) / spread
    weight = penalty * spread**2

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        slopes, narrow = at[1:-1], math.exp(min(max(-at[-1], -700.0), 700.0))
        z = (y - at[0] - unit @ slopes) * narrow
        density, tail = log_parts(z, shape)
        total = density[event].sum() - event.sum() * at[-1] + tail[~event].sum()
        pull = np.where(event, *_derivatives(z, density, tail, shape))
        slope = np.concatenate(
            [[narrow * pull.sum()], narrow * (pull @ unit), [pull @ z + event.sum()]]
        )
        slope = slope / y.size
        slope[1:-1] += weight * slopes
        log_scale = at[-1] + math.log(spread)
        slope[-1] += scale_penalty * log_scale
        value = -total / y.size + 0.5 * weight * slopes @ slopes
        value += 0.5 * scale_penalty * log_scale**2
        return (float(value), slope) if np.isfinite(value) else (1e300, slope)

    with np.errstate(all="ignore"):
        found = scipy.optimize.minimize(
            loss,
            np.zeros(X.shape[1] + 2),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9},
        )
        slopes = spread * found.x[1:-1] / deviation / size
        scale = spread * math.exp(min(float(found.x[-1]), 700.0))
        means = middle * size
    numbers = np.concatenate([found.x, slopes, means, [scale]])
    if not (np.isfinite(numbers).all() and found.fun < 1e300 and scale > 0):
        raise FitFailedError(f"the {shape} regression leads to no numbers")
    return AcceleratedTimes(
        shape=shape,
        means=means,
        centre=centre + spread * float(found.x[0]),
        slopes=slopes,
        scale=scale,
    )


def _derivatives(
    z: FloatArray, density: FloatArray, tail: FloatArray, shape: str
) -> tuple[FloatArray, FloatArray]:
    """Return the slopes of log density and log upper tail of the standard one."""
    if shape == "weibull":
        return 1.0 + tail, tail
    return -z, -np.exp(density - tail)


POPULATION_PRIORS: Registry[PopulationPrior] = Registry()
POPULATION_PRIORS.add(
    PopulationPrior(
        name="exponential",
        title="exponential attrition, the same risk at every moment",
        summary="the same risk at every moment",
        fit=_fit_exponential,
    )
)
POPULATION_PRIORS.add(
    PopulationPrior(
        name="weibull",
        title="a Weibull distribution for all cases alike",
        summary="risk rises or falls with a power of time",
        fit=partial(fit_location_scale, shape="weibull"),
    )
)
POPULATION_PRIORS.add(
    PopulationPrior(
        name="lognormal",
        title="a lognormal distribution for all cases alike",
        summary="risk rises and then falls",
        fit=partial(fit_location_scale, shape="lognormal"),
    )
)
POPULATION_PRIORS.add(
    PopulationPrior(
        name="kaplan-meier",
        title="the Kaplan-Meier curve of all cases, smoothed",
        summary="whatever shape the curve of all has",
        reference="E. L. Kaplan and P. Meier (1958). Nonparametric estimation from "
        "incomplete observations. Journal of the American Statistical Association 53.",
        fit=_fit_smoothed,
    )
)
POPULATION_PRIORS.add(
    PopulationPrior(
        name="model",
        title="the same model without covariates",
        summary="what covariates add to the model itself; takes twice as long",
        fit=None,
    )
)
