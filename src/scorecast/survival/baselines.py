"""Models of survival that readers know, fitted by lifelines, as proper densities."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
import scipy

from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import FitFailedError, MissingExtraError
from scorecast.survival.data import SurvivalData
from scorecast.survival.population import log_parts

_PENALTY = 0.01  # of lifelines, against coefficients that run away
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
    fitter : str
        Class of lifelines that fits it.
    convert : callable
        Takes what was fitted, the training samples and what fills missing covariates;
        returns a `FittedTimes`.
    extra : str
        Extra that it needs.
    is_proper : bool
        Whether survival falls to 0 and the density integrates to 1.
    """

    fitter: str
    convert: Callable[[Any, SurvivalData, _Filled], FittedTimes]
    extra: str = "survival"
    is_proper: bool = True


def check_baselines(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the models asked for, each once; None for those that can be fitted here.

    Raises
    ------
    UsageError
        If one is unknown.
    MissingExtraError
        If one is asked for, but the extra ``survival`` is not there.
    """
    if names is None:
        return tuple(BASELINES) if has_extra() else ()
    every = [names] if isinstance(names, str) else names
    chosen = [BASELINES.choose(name, parameter="baselines").name for name in every]
    if chosen:
        _lifelines()
    return tuple(dict.fromkeys(chosen))


def has_extra() -> bool:
    """Tell whether lifelines is installed."""
    return find_spec("lifelines") is not None


def fit_baseline(name: str, data: SurvivalData) -> FittedTimes:
    """Fit one of the models that readers know.

    Raises
    ------
    FitFailedError
        If lifelines cannot fit it, or what it fitted gives no numbers.
    """
    chosen = BASELINES[name]
    lifelines = _lifelines()
    with np.errstate(over="ignore", invalid="ignore"):
        fill = _Filled(np.nanmean(data.X, axis=0))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = getattr(lifelines, chosen.fitter)(penalizer=_PENALTY)
            found.fit(_frame(data, fill), duration_col="time", event_col="event")
    except Exception as error:  # lifelines raises many kinds
        msg = f"lifelines could not fit the {name} model: {error}"
        raise FitFailedError(" ".join(msg.split())) from error
    with np.errstate(all="ignore"):
        fitted = chosen.convert(found, data, fill)
        said = fitted.predict_log(data.X, data.time[:, None])
    if np.isnan(said).any():
        raise FitFailedError(
            f"the {name} model gives no numbers for its own training samples: times or "
            "covariates are too large or too small for it"
        )
    return fitted


@dataclass(frozen=True, eq=False)
class _Filled:
    """Training means take the place of missing covariates, as lifelines needs."""

    means: FloatArray

    def __call__(self, X: FloatArray) -> FloatArray:
        return np.where(np.isnan(X), self.means, X)


def _lifelines() -> Any:
    try:
        import lifelines  # optional, and slow to load
    except ImportError as error:
        msg = "Comparing with other models"
        raise MissingExtraError(msg, "survival") from error
    return lifelines


def _frame(data: SurvivalData, fill: _Filled) -> Any:
    import pandas as pd  # comes with lifelines

    columns = {f"x{i}": column for i, column in enumerate(fill(data.X).T)}
    return pd.DataFrame(columns | {"time": data.time, "event": data.event * 1})


# --- accelerated failure times -------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Accelerated:
    """Log time is linear in the covariates, plus noise of one shape."""

    fill: _Filled
    shape: str
    intercept: float
    slopes: FloatArray
    scale: float

    def predict_log(
        self, X: FloatArray, times: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival of samples x times."""
        middle = self.intercept + self.fill(X) @ self.slopes
        z = (np.log(times) - middle[:, None]) / self.scale
        density, tail = log_parts(z, self.shape)
        return density - np.log(self.scale) - np.log(times), tail


def _of_accelerated(
    found: Any, data: SurvivalData, fill: _Filled, *, shape: str
) -> _Accelerated:
    main, other = ("lambda_", "rho_") if shape == "weibull" else ("mu_", "sigma_")
    table = found.params_
    slopes = np.array([table[(main, f"x{i}")] for i in range(data.X.shape[1])])
    size = float(np.exp(table[(other, "Intercept")]))
    return _Accelerated(
        fill=fill,
        shape=shape,
        intercept=float(table[(main, "Intercept")]),
        slopes=slopes,
        scale=1.0 / size if shape == "weibull" else size,
    )


# --- proportional hazards ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _ProportionalHazards:
    """Cox's model with Breslow's baseline, smoothed so that times have a density."""

    fill: _Filled
    slopes: FloatArray
    centre: FloatArray
    shared: SharedHazard

    def predict_log(
        self, X: FloatArray, times: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival of samples x times."""
        log_risk = ((self.fill(X) - self.centre) @ self.slopes)[:, None]
        hazard, total = self.shared.logs(times)
        with np.errstate(over="ignore"):
            tail = -np.exp(log_risk + total)
        return np.asarray(log_risk + hazard + tail), tail


def _of_cox(found: Any, data: SurvivalData, fill: _Filled) -> _ProportionalHazards:
    slopes = np.array([found.params_[f"x{i}"] for i in range(data.X.shape[1])])
    centre = fill(data.X).mean(axis=0)
    risk = np.exp((fill(data.X) - centre) @ slopes)
    shared = fit_shared_hazard(data.time, data.event, risk)
    return _ProportionalHazards(fill, slopes, centre, shared)


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
        fitter="CoxPHFitter",
        convert=_of_cox,
    )
)
BASELINES.add(
    Baseline(
        name="weibull",
        title="Weibull AFT",
        summary="accelerated failure times, Weibull",
        reference="J. D. Kalbfleisch and R. L. Prentice (2002). The statistical "
        "analysis of failure time data. Wiley.",
        fitter="WeibullAFTFitter",
        convert=partial(_of_accelerated, shape="weibull"),
    )
)
BASELINES.add(
    Baseline(
        name="lognormal",
        title="lognormal AFT",
        summary="accelerated failure times, lognormal",
        reference="J. D. Kalbfleisch and R. L. Prentice (2002). The statistical "
        "analysis of failure time data. Wiley.",
        fitter="LogNormalAFTFitter",
        convert=partial(_of_accelerated, shape="lognormal"),
    )
)
