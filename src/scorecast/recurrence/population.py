"""Priors of the time: what is known of a case before anything is known of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import logsumexp, ndtr

from scorecast._core.checks import check_choice
from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError
from scorecast.recurrence.kaplan_meier import kaplan_meier
from scorecast.recurrence.location_scale import SHAPES, fit_location_scale

__all__ = [
    "POPULATIONS",
    "ExponentialTimes",
    "PopulationTimes",
    "SmoothedTimes",
    "fit_population",
]

# "model" needs a simulation and is fitted by the model itself.
POPULATIONS = ("exponential", "weibull", "lognormal", "kaplan-meier", "model")


class PopulationTimes(Protocol):
    """A distribution of times."""

    def log_density(self, time: FloatArray) -> FloatArray:
        """Return log densities of times."""

    def log_survival(self, time: FloatArray) -> FloatArray:
        """Return log probabilities of more than these times."""


@dataclass(frozen=True)
class ExponentialTimes:
    """Exponential attrition: the same risk at every moment.

    Attributes
    ----------
    rate : float
        Events per unit of time at risk.
    """

    rate: float

    def log_density(self, time: FloatArray) -> FloatArray:
        """Return log densities of times."""
        return np.asarray(math.log(self.rate) - self.rate * time)

    def log_survival(self, time: FloatArray) -> FloatArray:
        """Return log probabilities of more than these times."""
        return np.asarray(-self.rate * time)


@dataclass(frozen=True, eq=False)
class SmoothedTimes:
    """Kaplan-Meier steps, each spread by a normal kernel of log time.

    What Kaplan and Meier leave beyond the last time, an exponential tail takes up from
    there on, with the events per unit of time at risk as its rate. Exponential
    attrition with that rate has a share of the whole: the kernel alone all but rules
    out a case much earlier than any before, and would credit what is judged with it.

    Attributes
    ----------
    log_times, weights : array of shape (steps,)
        The steps.
    bandwidth : float
        Deviation of the kernel.
    last, rate, rest : float
        Where the tail begins, its rate, its share.
    attrition : float
        Share of exponential attrition: that of one case more than there were.
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
        steps = logsumexp(-0.5 * z * z, b=self.weights, axis=1) - level - np.log(time)
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
            above = np.log(ndtr(-z) @ self.weights + tail)
        always = ExponentialTimes(self.rate).log_survival(time)
        return np.asarray(np.minimum(self._mixed(above, always), 0.0))

    def _mixed(self, own: FloatArray, always: FloatArray) -> FloatArray:
        share = self.attrition
        return np.logaddexp(math.log1p(-share) + own, math.log(share) + always)


def fit_population(kind: str, time: FloatArray, event: BoolArray) -> PopulationTimes:
    """Fit a prior of the time to training cases.

    Parameters
    ----------
    kind : {"exponential", "weibull", "lognormal", "kaplan-meier"}
        Which.
    time, event : array of shape (n,)
        Times, and whether the event was seen.

    Returns
    -------
    PopulationTimes
        The prior.

    Raises
    ------
    InsufficientDataError
        If no event was seen.
    InvalidInputError
        If times are so small or large that their rate is no number.
    """
    check_choice(kind, "prior", POPULATIONS[:-1])
    if not event.any():
        msg = (
            "No event was seen among the training cases: no prior of the time can be "
            "fitted, and nothing can be said of predictions."
        )
        raise InsufficientDataError(msg)
    if kind in SHAPES:
        return fit_location_scale(time, event, kind)
    rate = _rate(time, event)
    if kind == "exponential":
        return ExponentialTimes(rate)
    return _smoothed(time, event, rate)


def _rate(time: FloatArray, event: BoolArray) -> float:
    """Return events per unit of time at risk."""
    largest = float(time.max())  # the sum of huge times would overflow
    with np.errstate(over="ignore"):
        rate = float(event.sum() / np.float64((time / largest).sum()) / largest)
    if not 0.0 < rate < np.inf:
        msg = (
            f"Times up to {largest:g} are too small or too large for a rate to be "
            "held: give them in another unit."
        )
        raise InvalidInputError(msg)
    return rate


def _smoothed(time: FloatArray, event: BoolArray, rate: float) -> SmoothedTimes:
    at, survival = kaplan_meier(time, event)
    weights = -np.diff(survival, prepend=1.0)
    places = np.log(at)
    share = weights / weights.sum()
    middle = float(share @ places)
    spread = math.sqrt(float(share @ (places - middle) ** 2))
    effective = 1.0 / float(share @ share)
    # Silverman's rule; a single step gets a kernel of a factor e^0.5.
    bandwidth = 1.06 * spread * effective**-0.2 if spread > 0.0 else 0.5
    return SmoothedTimes(
        places, weights, bandwidth, float(time.max()), rate, float(survival[-1]),
        1.0 / (len(time) + 1.0),
    )  # fmt: skip
