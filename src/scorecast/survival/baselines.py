"""Models of survival that readers know, as proper densities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import scipy

from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import FitFailedError
from scorecast.survival.data import SurvivalData
from scorecast.survival.population import fit_accelerated

_PENALTY = 0.01  # against coefficients that run away, as lifelines has it
_PIECES = 1.5  # times the cube root of the number of events
_CHANGE = 0.5  # typical change of the log power from one piece to the next
_POWERS = 0.01, 1e3  # of the spread of log times; a proper density needs more than 0
_MOST = 60.0  # log of a cumulative hazard that nobody survives


class FittedTimes(Protocol):
    """A fitted model of times."""

    def predict_log(
        self, X: FloatArray, times: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival of samples x times."""


@dataclass(frozen=True, kw_only=True)
class Baseline(Method):
    """A model to compare with.

    Attributes
    ----------
    fit : callable
        Takes the training samples, returns a `FittedTimes`.
    is_proper : bool
        Whether survival falls to 0 and the density integrates to 1.
    """

    fit: Callable[[SurvivalData], FittedTimes]
    is_proper: bool = True


def check_baselines(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the models asked for, each once; all of them for None.

    Raises
    ------
    UsageError
        If one is unknown.
    """
    if names is None:
        return tuple(BASELINES)
    every = [names] if isinstance(names, str) else names
    chosen = [BASELINES.choose(name, parameter="baselines").name for name in every]
    return tuple(dict.fromkeys(chosen))


def fit_baseline(name: str, data: SurvivalData) -> FittedTimes:
    """Fit one of the models that readers know.

    Raises
    ------
    FitFailedError
        If what was fitted gives no numbers.
    """
    with np.errstate(all="ignore"):
        fitted = BASELINES[name].fit(data)
        said = fitted.predict_log(data.X, data.time[:, None])
    if np.isnan(said).any():
        raise FitFailedError(
            f"the {name} model gives no numbers for its own training samples: times or "
            "covariates are too large or too small for it"
        )
    return fitted


def _fit_accelerated(data: SurvivalData, *, shape: str) -> FittedTimes:
    return fit_accelerated(
        data.time,
        data.event,
        data.X,
        shape,
        penalty=_PENALTY,
        scale_penalty=_PENALTY,
    )


# --- proportional hazards ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _ProportionalHazards:
    """Cox's model with Breslow's baseline, smoothed so that times have a density."""

    slopes: FloatArray
    means: FloatArray  # of the training samples, in place of what is missing, too
    shared: SharedHazard

    def predict_log(
        self, X: FloatArray, times: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival of samples x times."""
        away = np.where(np.isnan(X), 0.0, X - self.means)
        log_risk = (away @ self.slopes)[:, None]
        hazard, total = self.shared.logs(times)
        with np.errstate(over="ignore"):
            tail = -np.exp(log_risk + total)
        return np.asarray(log_risk + hazard + tail), tail


def _fit_cox(data: SurvivalData) -> _ProportionalHazards:
    means = np.nanmean(data.X, axis=0)
    away = np.where(np.isnan(data.X), 0.0, data.X - means)
    slopes = _cox_slopes(data.time, data.event, away)
    shared = fit_shared_hazard(data.time, data.event, np.exp(away @ slopes))
    return _ProportionalHazards(slopes, means, shared)


def _cox_slopes(time: FloatArray, event: BoolArray, away: FloatArray) -> FloatArray:
    """Return the slopes of the log risk that are most plausible by order alone.

    Of events at the same time, Efron's approximation: the i-th of d of them, counted
    from 0, has the share i/d of all d less to compete with. Half the penalty times
    every squared slope, per deviation of its covariate, is added to the mean loss.
    """
    deviation = away.std(axis=0, ddof=1)
    unit = away / deviation
    times, place = np.unique(time, return_inverse=True)
    at = place[event]
    order = np.argsort(at, kind="stable")
    n_at = np.bincount(at, minlength=times.size)
    # How many events of the same time stand before each.
    before = np.empty(at.size)
    before[order] = np.arange(at.size) - (np.cumsum(n_at) - n_at)[at[order]]
    share = before / n_at[at]

    def loss(slopes: FloatArray) -> tuple[float, FloatArray]:
        log_risk = unit @ slopes
        top = float(log_risk.max())
        risk = np.exp(log_risk - top)
        waiting = np.cumsum(np.bincount(place, risk, times.size)[::-1])[::-1]
        dying = np.bincount(at, risk[event], times.size)
        among = waiting[at] - share * dying[at]
        value = np.log(among).sum() + event.sum() * top - log_risk[event].sum()
        # What every sample adds to the sums that events were one of.
        weight = np.cumsum(np.bincount(at, 1 / among, times.size))[place]
        weight[event] -= np.bincount(at, share / among, times.size)[at]
        slope = (risk * weight - event) @ unit
        n = time.size
        return (
            float(value / n + 0.5 * _PENALTY * slopes @ slopes),
            slope / n + _PENALTY * slopes,
        )

    found = scipy.optimize.minimize(
        loss,
        np.zeros(unit.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 2000, "ftol": 1e-14, "gtol": 1e-9},
    )
    return np.asarray(found.x / deviation)


@dataclass(frozen=True, eq=False)
class SharedHazard:
    """A cumulative hazard whose logarithm is linear in log time between knots.

    Every piece is that of a Weibull distribution, and so are the first and the last,
    which have no end: the cumulative hazard rises from zero at time zero beyond all
    bounds, and times have a proper density whatever the risk of a sample.

    Attributes
    ----------
    centre, spread : float
        Log time is measured from the one in units of the other.
    knots : ndarray of shape (pieces - 1,)
        Where pieces meet, in these units.
    level : float
        Log cumulative hazard at the centre.
    powers : ndarray of shape (pieces,)
        Slopes of the log cumulative hazard, per unit.
    """

    centre: float
    spread: float
    knots: FloatArray
    level: float
    powers: FloatArray

    def logs(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log hazard and log cumulative hazard at times above zero."""
        log_time = np.log(time)
        at = (log_time - self.centre) / self.spread
        power = self.powers[np.searchsorted(self.knots, at)] / self.spread
        total = self.level + _paths(at, self.knots) @ self.powers
        return np.asarray(np.log(power) + total - log_time), np.asarray(total)


def fit_shared_hazard(
    time: FloatArray, event: BoolArray, risk: FloatArray
) -> SharedHazard:
    """Fit the shared hazard by penalised likelihood, the risks being known.

    Breslow's estimate is a row of jumps. A line through every one of them makes a
    density, but a bad one: who is held out falls into wide gaps more often than into
    narrow ones, and loses digamma(2) nats, 0.6 bits, per event for that alone. So
    there are few pieces, and neighbours like to have about the same power.
    """
    log_time = np.log(time)
    seen = log_time[event]
    centre = float(seen.mean())
    spread = float(seen.std()) or float(log_time.std()) or 1.0
    at = (log_time - centre) / spread
    knots = _knots(at[event])
    paths, log_risk = _paths(at, knots), np.log(risk)
    counts = np.bincount(np.searchsorted(knots, at[event]), minlength=len(knots) + 1)

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        level, log_powers = parameters[0], parameters[1:]
        powers = np.exp(log_powers)
        total = level + paths @ powers + log_risk
        hazards = np.exp(np.minimum(total, _MOST))
        change = np.diff(log_powers) / _CHANGE
        value = hazards.sum() - total[event].sum() - counts @ log_powers
        off = hazards - event
        slope = (paths.T @ off) * powers - counts
        slope += np.diff(np.concatenate([[0.0], -change, [0.0]])) / _CHANGE
        return float(value + 0.5 * change @ change), np.append(off.sum(), slope)

    limits = (math.log(_POWERS[0]), math.log(_POWERS[1]))
    # The log of a Weibull time deviates by 1.28 over its power.
    start = np.append(
        -math.log(np.exp(at + log_risk).mean()), np.full(counts.size, 0.25)
    )
    found = scipy.optimize.minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None), *[limits] * counts.size],
        options={"maxiter": 2000, "maxfun": 4000, "ftol": 1e-13, "gtol": 1e-7},
    )
    return SharedHazard(centre, spread, knots, float(found.x[0]), np.exp(found.x[1:]))


def _knots(seen: FloatArray) -> FloatArray:
    """Return where pieces meet, about as many events in each."""
    n_pieces = max(1, round(_PIECES * float(seen.size) ** (1.0 / 3.0)))
    inner = np.unique(np.quantile(seen, np.arange(1, n_pieces) / n_pieces))
    return np.asarray(inner[(inner > seen.min()) & (inner < seen.max())])


def _paths(at: FloatArray, knots: FloatArray) -> FloatArray:
    """Return how far each piece is walked through from zero to every place."""
    low, high = np.append(-np.inf, knots), np.append(knots, np.inf)
    return np.asarray(np.clip(at[..., None], low, high) - np.clip(0.0, low, high))


BASELINES: Registry[Baseline] = Registry()
BASELINES.add(
    Baseline(
        name="cox",
        title="Cox's model",
        summary="proportional hazards, with a smoothed baseline",
        reference="D. R. Cox (1972). Regression models and life-tables. Journal of the "
        "Royal Statistical Society B 34.",
        fit=_fit_cox,
    )
)
BASELINES.add(
    Baseline(
        name="weibull",
        title="Weibull AFT",
        summary="accelerated failure times, Weibull",
        reference="J. D. Kalbfleisch and R. L. Prentice (2002). The statistical "
        "analysis of failure time data. Wiley.",
        fit=partial(_fit_accelerated, shape="weibull"),
    )
)
BASELINES.add(
    Baseline(
        name="lognormal",
        title="lognormal AFT",
        summary="accelerated failure times, lognormal",
        reference="J. D. Kalbfleisch and R. L. Prentice (2002). The statistical "
        "analysis of failure time data. Wiley.",
        fit=partial(_fit_accelerated, shape="lognormal"),
    )
)
