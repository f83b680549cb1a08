"""Forecasts whose information about what happens is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import NDArray

from scorecast._core.checks import (
    NATS_PER,
    check_count,
    check_one_of,
    check_positive,
    check_share,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.registry import Method, Registry
from scorecast._core.result import DATA
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.simulate.simulation import (
    MOST,
    SIMULATORS,
    Simulation,
    Simulator,
    flat_options,
)

_POINTS = 13  # as a power of two: points of one scrambling
_SCRAMBLINGS = 8


@dataclass(frozen=True, kw_only=True)
class ForecastTruth:
    """How much forecasts know, per sample.

    Attributes
    ----------
    information : float
        The expected log-ratio of what forecast and prior give to what happens.
    best : float
        The same of a forecaster that sees as much and draws the right conclusions; the
        mutual information. NaN where there is none.
    error : float
        Bound on the numerical error of both; 0 for closed forms.
    n_points : int
        Points that were averaged over; 0 for closed forms.
    units : str
        ``"bits"`` or ``"nats"``.
    """

    information: float
    best: float
    error: float
    n_points: int
    units: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ForecastData(Simulation):
    """Forecasts and what happened.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_classes) or (n_samples, 2)
        Class probabilities; of densities the forecast mean and standard deviation; of
        disasters the chances given to what happened and to the other.
    y : ndarray of shape (n_samples,)
        What happened.
    log_q, log_p : ndarray of shape (n_samples,)
        Natural logarithm of the probability (or density) that forecast and prior gave
        to it.
    truth : ForecastTruth
        The information.
    options : dict
        What was asked for, by the names of factors.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "simulated-forecasts"

    X: FloatArray = field(metadata=DATA)
    y: NDArray[Any] = field(metadata=DATA)
    log_q: FloatArray = field(metadata=DATA)
    log_p: FloatArray = field(metadata=DATA)
    truth: ForecastTruth

    def to_columns(self) -> dict[str, Any]:
        """Return ``log_q``, ``log_p``, the outcome and what was forecast."""
        names = FORECASTERS[self.options["forecaster"]].columns
        if not names:
            names = tuple(f"class{j}" for j in range(self.X.shape[1]))
        forecast = {name: self.X[:, j] for j, name in enumerate(names)}
        given = {"log_q": self.log_q, "log_p": self.log_p, "outcome": self.y}
        return {**given, **forecast}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return one array per column."""
        return self.to_columns()


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What the settings of a forecaster are; see `forecasts`."""

    information: float  # in nats
    sharpness: float
    n_classes: int
    strength: float
    hit: float
    disaster: float
    disaster_share: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawn:
    """Forecasts as they were drawn, and what they know in nats."""

    X: FloatArray
    y: NDArray[Any]
    log_q: FloatArray
    log_p: FloatArray
    information: float
    best: float = math.nan
    error: float = 0.0
    n_points: int = 0


@dataclass(frozen=True, kw_only=True)
class Forecaster(Method):
    """A way to forecast.

    Attributes
    ----------
    draw : callable
        From the number of samples, the settings and a generator to forecasts.
    columns : tuple of str
        What columns of forecasts are called; empty if they are classes.
    has_best : bool
        Whether it is known how much the best forecaster would know.
    """

    draw: Callable[[int, Knowledge, np.random.Generator], Drawn]
    columns: tuple[str, ...] = ()
    has_best: bool = True


FORECASTERS: Registry[Forecaster] = Registry()


def _gaussian(n: int, known: Knowledge, rng: np.random.Generator) -> Drawn:
    """Forecast x, standard normal, from x seen through noise."""
    left = math.exp(-2 * known.information)  # variance of x that stays unknown
    noise = left / (1 - left)
    x = rng.normal(size=n)
    seen = x + math.sqrt(noise) * rng.normal(size=n)
    mean = (1 - left) * seen
    variance = left / known.sharpness
    std = np.full_like(x, math.sqrt(variance))
    return Drawn(
        X=np.stack([mean, std], axis=1),
        y=x,
        log_q=_log_normal(x - mean, variance),
        log_p=_log_normal(x, 1.0),
        # The error has variance `left`, whatever the forecast says of it.
        information=0.5 * (1 - known.sharpness) - 0.5 * math.log(variance),
        best=known.information,
    )


FORECASTERS.add(
    Forecaster(
        name="gaussian",
        title="normal densities",
        summary="normal densities of a number seen through normal noise",
        draw=_gaussian,
        columns=("mean", "sd"),
    )
)


def _classes(n: int, known: Knowledge, rng: np.random.Generator) -> Drawn:
    """Forecast classes from log-odds that are normal over samples."""
    c = known.n_classes
    logits = known.strength * rng.normal(size=(n, c))
    chances = scipy.special.softmax(logits, axis=1)
    y = (rng.random(n)[:, None] > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1)
    stated = scipy.special.log_softmax(known.sharpness * logits, axis=1)
    information, best, error = _class_information(known)
    return Drawn(
        X=np.exp(stated),
        y=y,
        log_q=stated[np.arange(n), y],
        log_p=np.full(n, -math.log(c)),
        information=information,
        best=best,
        error=error,
        n_points=_SCRAMBLINGS * 2**_POINTS,
    )


def _class_information(known: Knowledge) -> tuple[float, float, float]:
    """Average over the population, by points that fill it evenly."""
    special, c = scipy.special, known.n_classes
    found = []
    for scrambling in range(_SCRAMBLINGS):
        points = scipy.stats.qmc.Sobol(c, seed=scrambling).random_base2(_POINTS)
        logits = known.strength * special.ndtri(np.clip(points, 1e-12, 1 - 1e-12))
        chances = special.softmax(logits, axis=1)
        found.append(
            [
                float(
                    (chances * special.log_softmax(s * logits, axis=1))
                    .sum(axis=1)
                    .mean()
                )
                for s in (known.sharpness, 1.0)
            ]
        )
    means = np.mean(found, axis=0) + math.log(c)
    # Seven degrees of freedom: 3.5 standard errors hold 99 % of the time.
    error = 3.5 * np.std(found, axis=0, ddof=1).max() / math.sqrt(len(found))
    return float(means[0]), float(means[1]), float(error)


FORECASTERS.add(
    Forecaster(
        name="classes",
        title="probabilities of classes",
        summary="probabilities of classes from normal log-odds",
        draw=_classes,
    )
)


def _disaster(n: int, known: Knowledge, rng: np.random.Generator) -> Drawn:
    """Give good chances mostly, and rarely next to none to what happens."""
    share = known.disaster_share
    is_struck = rng.random(n) < share
    given: FloatArray = np.where(is_struck, known.disaster, known.hit)
    usual, rare = math.log(2 * known.hit), math.log(2 * known.disaster)
    return Drawn(
        X=np.stack([given, 1 - given], axis=1),
        y=rng.integers(0, 2, size=n),
        log_q=np.log(given),
        log_p=np.full(n, math.log(0.5)),
        information=(1 - share) * usual + share * rare,
    )


FORECASTERS.add(
    Forecaster(
        name="disaster",
        title="good chances with rare disasters",
        summary="mostly good chances, and rarely next to none for what happens",
        draw=_disaster,
        columns=("given", "other"),
        has_best=False,
    )
)


@checked_keywords
def forecasts(
    n_samples: int = 1000,
    *,
    forecaster: str = "gaussian",
    information: float = 0.72,
    units: str = "bits",
    sharpness: float = 1.0,
    n_classes: int = 2,
    strength: float = 1.5,
    hit: float = 0.9,
    disaster: float = 0.001,
    disaster_share: float = 0.01,
    random_state: RandomState = 0,
) -> ForecastData:
    r"""Make forecasts that know a stated amount.

    A Gaussian forecaster sees a standard normal number through noise and states a
    normal density, whose variance is that of its error, :math:`e^{-2I}`, divided by the
    sharpness :math:`s`. Beyond the prior it knows

    .. math:: J = I + \tfrac{1}{2} (1 - s + \log s) \text{ nats}.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    forecaster : str, default="gaussian"
        What is forecast, and how, one of `FORECASTERS`.
    information : float, default=0.72
        Of a Gaussian forecaster that draws the right conclusions, per sample.
    units : {"bits", "nats"}, default="bits"
        Units of information.
    sharpness : float, default=1
        1 for the right conclusions; above 1 forecasts are too sure, below too shy.
        Gaussian: the forecast variance is divided by it. Classes: the
        log-probabilities are multiplied by it.
    n_classes : int, default=2
        Number of classes, equally frequent, from 2 to 50.
    strength : float, default=1.5
        Classes: spread of the log-odds; 0 would know nothing.
    hit : float, default=0.9
        Disaster: the chance usually given to what happens, between 0 and 1. The prior
        is one half.
    disaster : float, default=0.001
        The chance given to it in a disaster, between 0 and 1.
    disaster_share : float, default=0.01
        Share of disasters, from 0 to 1.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    ForecastData
        Forecasts, outcomes and the true information.

    Raises
    ------
    UsageError
        If an argument cannot be.

    Examples
    --------
    >>> data = forecasts(500, information=0.5, units="nats", sharpness=2)
    >>> round(data.truth.information, 4)
    0.3466
    """
    chosen = FORECASTERS.choose(forecaster, parameter="forecaster")
    nats = NATS_PER[check_one_of(units, "units", tuple(NATS_PER))]
    n = check_count(n_samples, "n_samples", most=MOST)
    information = check_positive(information, "information")
    known = Knowledge(
        information=information * nats,
        sharpness=check_positive(sharpness, "sharpness"),
        n_classes=check_count(n_classes, "n_classes", least=2, most=50),
        strength=check_positive(strength, "strength"),
        hit=check_share(hit, "hit", is_open=True),
        disaster=check_share(disaster, "disaster", is_open=True),
        disaster_share=check_share(disaster_share, "disaster_share"),
    )
    drawn = chosen.draw(n, known, as_generator(random_state))
    return ForecastData(
        X=drawn.X,
        y=drawn.y,
        log_q=drawn.log_q,
        log_p=drawn.log_p,
        truth=ForecastTruth(
            information=drawn.information / nats,
            best=drawn.best / nats,
            error=drawn.error / nats,
            n_points=drawn.n_points,
            units=units,
        ),
        options=flat_options(
            {
                "n_samples": n,
                "forecaster": chosen.name,
                **vars(known),
                "information": information,
                "units": units,
            }
        ),
        seed=seed_number(random_state),
    )


def _log_normal(deviation: FloatArray, variance: float) -> FloatArray:
    return -0.5 * (deviation**2 / variance + math.log(2 * math.pi * variance))


def _next_command(data: ForecastData, path: str) -> tuple[str, ...]:
    del data
    return ("information", path, "--log-q", "log_q", "--log-p", "log_p")


SIMULATORS.add(
    Simulator(
        name="forecasts",
        title="forecasts and what happened",
        summary="forecasts that know a stated amount",
        function=forecasts,
        choices={"forecaster": FORECASTERS, "units": tuple(NATS_PER)},
        sizes=("n_samples",),
        disturbances=("sharpness", "disaster"),
        next_command=_next_command,
    )
)
