"""Forecasts whose information about what happens is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, ndtri, softmax

from scorecast._core.checks import check_choice
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.exceptions import UsageError
from scorecast.synthetic.arguments import check_positive, check_share, check_whole
from scorecast.synthetic.simulated import Simulated

__all__ = ["FORECASTERS", "ForecastData", "ForecastTruth", "forecasts"]

FORECASTERS = ("gaussian", "classes", "disaster")
_POINTS = 16  # as a power of two: points at which class forecasts are averaged


@dataclass(frozen=True, kw_only=True)
class ForecastTruth:
    """How much forecasts know, in nats per case.

    Attributes
    ----------
    information : float
        J: the expected log-ratio of what forecast and prior give to what happens.
    best : float
        J of a forecaster that sees the same and draws the right conclusions; the
        mutual information. NaN where there is none.
    error : float
        Bound on the numerical error of both; 0 for closed forms.
    method : str
        How they were computed.
    """

    information: float
    best: float
    error: float
    method: str

    @property
    def bits(self) -> float:
        """The information in bits per case."""
        return self.information / math.log(2)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ForecastData(Simulated):
    """Forecasts and what happened.

    Attributes
    ----------
    X : ndarray of shape (n, c) or (n, 2)
        Class probabilities; of densities the forecast mean and standard deviation; of
        disasters the chances given to what happened and to the other.
    y : ndarray of shape (n,)
        What happened.
    log_q, log_p : ndarray of shape (n,)
        Log-probability (or log-density) that forecast and prior gave to it.
    truth : ForecastTruth
        The information.
    options : dict
        What was asked for.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "forecasts"

    X: FloatArray
    y: NDArray[Any]
    log_q: FloatArray
    log_p: FloatArray
    truth: ForecastTruth

    def summary(self) -> str:
        """Say in a sentence or two what was made."""
        best = ""
        if not math.isnan(self.truth.best):
            best = f"; the best forecaster who sees as much has {self._bits():.4g}"
        return (
            f"{self.y.size:,} forecasts ({self.options['forecaster']}). They truly "
            f"carry {self.truth.bits:.4g} bits per case beyond the prior{best}."
        )

    def _bits(self) -> float:
        return self.truth.best / math.log(2)

    def truth_dict(self) -> Json:
        """Return the truth as plain values; nats unless they say bits."""
        return {
            "information": self.truth.information,
            "information_bits": self.truth.bits,
            "best": self.truth.best,
            "error": self.truth.error,
            "method": self.truth.method,
            "units": "nats",
        }

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return ``log_q``, ``log_p``, the outcome and what was forecast."""
        if self.options["forecaster"] == "gaussian":
            names = ["mean", "sd"]
        elif self.options["forecaster"] == "classes":
            names = [f"class{j}" for j in range(self.X.shape[1])]
        else:
            names = ["given", "other"]
        forecast = {name: self.X[:, j] for j, name in enumerate(names)}
        return {
            "log_q": self.log_q, "log_p": self.log_p, "outcome": self.y, **forecast
        }  # fmt: skip

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return one array per column."""
        return self.to_columns()


@checked_keywords
def forecasts(
    n: int = 1000,
    *,
    forecaster: str = "gaussian",
    information: float = 0.5,
    sharpness: float = 1.0,
    n_classes: int = 2,
    strength: float = 1.5,
    hit: float = 0.9,
    disaster: float = 0.001,
    disaster_share: float = 0.01,
    random_state: RandomState = 0,
) -> ForecastData:
    """Make forecasts that know a stated amount.

    Parameters
    ----------
    n : int, default=1000
        Number of cases.
    forecaster : {"gaussian", "classes", "disaster"}, default="gaussian"
        Normal densities of a number seen through normal noise; probabilities of
        classes; or mostly good chances, and rarely next to none for what happens.
    information : float, default=0.5
        Of a Gaussian forecaster that draws the right conclusions, in nats per case.
    sharpness : float, default=1
        1 for the right conclusions. Gaussian: the forecast variance is divided by it.
        Classes: the log-probabilities are multiplied by it. Above 1 forecasts are too
        sure, below too shy.
    n_classes : int, default=2
        Number of classes, equally frequent.
    strength : float, default=1.5
        Classes: spread of the log-odds; 0 would know nothing.
    hit : float, default=0.9
        Disaster: the chance usually given to what happens; the prior is one half.
    disaster : float, default=0.001
        The chance given to it in a disaster.
    disaster_share : float, default=0.01
        Share of disasters.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    ForecastData
        Forecasts, outcomes and the true information.

    Examples
    --------
    >>> data = forecasts(500, information=0.5, sharpness=2)
    >>> round(data.truth.information, 4)
    0.3466
    """
    kind = check_choice(forecaster, "forecaster", FORECASTERS)
    options: Json = {
        "n": check_whole(n, "n"), "forecaster": kind,
        "information": check_positive(information, "information"),
        "sharpness": check_positive(sharpness, "sharpness"),
        "n_classes": check_whole(n_classes, "n_classes", least=2, most=50),
        "strength": check_positive(strength, "strength"),
        "hit": _check_chance(hit, "hit"),
        "disaster": _check_chance(disaster, "disaster"),
        "disaster_share": check_share(disaster_share, "disaster_share"),
    }  # fmt: skip
    make = {"gaussian": _gaussian, "classes": _classes, "disaster": _disaster}[kind]
    X, y, log_q, log_p, truth = make(options, as_generator(random_state))
    return ForecastData(
        X=X,
        y=y,
        log_q=log_q,
        log_p=log_p,
        truth=truth,
        options=options,
        seed=seed_number(random_state),
    )


_Made = tuple[FloatArray, NDArray[Any], FloatArray, FloatArray, ForecastTruth]


def _gaussian(options: Json, rng: np.random.Generator) -> _Made:
    """Forecast x, standard normal, from x seen through noise."""
    best = options["information"]
    left = math.exp(-2 * best)  # variance of x that stays unknown
    noise = left / (1 - left)
    n = int(options["n"])
    x = rng.normal(size=n)
    seen = x + math.sqrt(noise) * rng.normal(size=n)
    mean = (1 - left) * seen
    variance = left / options["sharpness"]
    log_q = _log_normal(x - mean, variance)
    sd = np.full_like(x, math.sqrt(variance))
    # The error has variance `left`, whatever the forecast says of it.
    known = 0.5 * (1 - options["sharpness"]) - 0.5 * math.log(variance)
    truth = ForecastTruth(information=known, best=best, error=0.0, method="closed form")
    return np.stack([mean, sd], axis=1), x, log_q, _log_normal(x, 1.0), truth


def _classes(options: Json, rng: np.random.Generator) -> _Made:
    """Forecast classes from log-odds that are normal over cases."""
    n, c = int(options["n"]), options["n_classes"]
    logits = options["strength"] * rng.normal(size=(n, c))
    chances = softmax(logits, axis=1)
    y = (rng.random(n)[:, None] > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1)
    said = log_softmax(options["sharpness"] * logits, axis=1)
    log_q = said[np.arange(n), y]
    log_p = np.full(n, -math.log(c))
    known, best, error = _class_information(options)
    truth = ForecastTruth(
        information=known,
        best=best,
        error=error,
        method=f"average over 8 x 2^{_POINTS - 3} scrambled Sobol points",
    )
    return np.exp(said), y, log_q, log_p, truth


def _class_information(options: Json) -> tuple[float, float, float]:
    """Average over the population, by points that fill it evenly."""
    from scipy.stats import qmc  # slow to load

    c = options["n_classes"]
    found = []
    for scramble in range(8):
        points = qmc.Sobol(c, seed=scramble).random_base2(_POINTS - 3)
        logits = options["strength"] * ndtri(np.clip(points, 1e-12, 1 - 1e-12))
        chances = softmax(logits, axis=1)
        row = [
            float((chances * log_softmax(sharp * logits, axis=1)).sum(axis=1).mean())
            for sharp in (options["sharpness"], 1.0)
        ]
        found.append(row)
    means = np.mean(found, axis=0) + math.log(c)
    # Seven degrees of freedom: 3.5 standard errors hold 99 % of the time.
    error = 3.5 * np.std(found, axis=0, ddof=1).max() / math.sqrt(len(found))
    return float(means[0]), float(means[1]), float(error)


def _disaster(options: Json, rng: np.random.Generator) -> _Made:
    n, share = int(options["n"]), options["disaster_share"]
    struck = rng.random(n) < share
    low, usual_chance = float(options["disaster"]), float(options["hit"])
    given: FloatArray = np.where(struck, low, usual_chance)
    log_p = np.full(n, math.log(0.5))
    usual, rare = math.log(2 * options["hit"]), math.log(2 * options["disaster"])
    truth = ForecastTruth(
        information=(1 - share) * usual + share * rare,
        best=math.nan,
        error=0.0,
        method="closed form",
    )
    y = rng.integers(0, 2, size=n)
    return np.stack([given, 1 - given], axis=1), y, np.log(given), log_p, truth


def _log_normal(deviation: FloatArray, variance: float) -> FloatArray:
    return -0.5 * (deviation**2 / variance + math.log(2 * math.pi * variance))


def _check_chance(value: Any, name: str) -> float:
    chance = check_share(value, name)
    if 0 < chance < 1:
        return chance
    msg = f"`{name}` must lie strictly between 0 and 1; got {value!r}."
    raise UsageError(msg)
