"""Models of survival that readers know, fitted by lifelines, as proper densities."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray
from scorecast.exceptions import FitFailedError, MissingExtraError
from scorecast.recurrence.cohort import Cohort
from scorecast.recurrence.location_scale import log_parts
from scorecast.recurrence.shared_hazard import SharedHazard, fit_shared_hazard

__all__ = ["RIVALS", "Rival", "check_rivals", "fit_rival"]

RIVALS = ("cox", "weibull", "lognormal")
PENALTY = 0.01  # of lifelines, against coefficients that run away


class Rival(Protocol):
    """A fitted model of times."""

    def predict_log(
        self, X: FloatArray, times: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival of cases x times."""


@dataclass(frozen=True, eq=False)
class _Filled:
    """Training means take the place of missing covariates, as lifelines needs."""

    means: FloatArray

    def __call__(self, X: FloatArray) -> FloatArray:
        return np.where(np.isnan(X), self.means, X)


@dataclass(frozen=True, eq=False)
class _AcceleratedTimes:
    """Log time is linear in the covariates, plus noise of one shape."""

    fill: _Filled
    shape: str
    intercept: float
    slopes: FloatArray
    scale: float

    def predict_log(
        self, X: FloatArray, times: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival of cases x times."""
        middle = self.intercept + self.fill(X) @ self.slopes
        z = (np.log(times) - middle[:, None]) / self.scale
        density, tail = log_parts(z, self.shape)
        return density - np.log(self.scale) - np.log(times), tail


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
        """Return log density and log survival of cases x times."""
        log_risk = ((self.fill(X) - self.centre) @ self.slopes)[:, None]
        hazard, total = self.shared.logs(times)
        with np.errstate(over="ignore"):
            tail = -np.exp(log_risk + total)
        return np.asarray(log_risk + hazard + tail), tail


def check_rivals(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return the models asked for, if they can be fitted here.

    Parameters
    ----------
    names : str or sequence of str
        What the caller gave; one name stands for itself.

    Returns
    -------
    tuple of str
        Each of them once.

    Raises
    ------
    UsageError
        If one is unknown.
    MissingExtraError
        If there is one, but not the extra ``survival``: before anything takes time.
    """
    names = [names] if isinstance(names, str) else names
    for name in names:
        check_choice(name, "rivals", RIVALS)
    if names:
        _lifelines()
    return tuple(dict.fromkeys(names))


def fit_rival(kind: str, cohort: Cohort) -> Rival:
    """Fit one of the models that readers know.

    Parameters
    ----------
    kind : {"cox", "weibull", "lognormal"}
        Cox's proportional hazards, or accelerated failure times.
    cohort : Cohort
        Training cases.

    Returns
    -------
    Rival
        The fitted model.

    Raises
    ------
    FitFailedError
        If lifelines cannot fit it, or what it fitted gives no numbers.
    """
    check_choice(kind, "rivals", RIVALS)
    lifelines = _lifelines()
    with np.errstate(over="ignore", invalid="ignore"):
        fill = _Filled(np.nanmean(cohort.X, axis=0))
    frame = _frame(cohort, fill)
    fitters = {
        "cox": lifelines.CoxPHFitter,
        "weibull": lifelines.WeibullAFTFitter,
        "lognormal": lifelines.LogNormalAFTFitter,
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fitters[kind](penalizer=PENALTY)
            found.fit(frame, duration_col="time", event_col="event")
    except Exception as error:  # lifelines raises many kinds
        msg = f"lifelines could not fit the {kind} model: {error}"
        raise FitFailedError(" ".join(msg.split())) from error
    with np.errstate(all="ignore"):
        rival: Rival = (
            _of_cox(found, cohort, fill)
            if kind == "cox"
            else _of_accelerated(found, kind, cohort.X.shape[1], fill)
        )
        said = rival.predict_log(cohort.X, cohort.time[:, None])
    if np.isnan(said).any():
        msg = (
            f"The {kind} model gives no numbers for its own training cases: times or "
            "covariates are too large or too small for it."
        )
        raise FitFailedError(msg)
    return rival


def _lifelines() -> Any:
    try:
        import lifelines  # optional, and slow to load
    except ImportError as error:
        msg = "Comparing with other models"
        raise MissingExtraError(msg, "survival") from error
    return lifelines


def _frame(cohort: Cohort, fill: _Filled) -> Any:
    import pandas as pd  # comes with lifelines

    columns = {f"x{i}": column for i, column in enumerate(fill(cohort.X).T)}
    return pd.DataFrame(columns | {"time": cohort.time, "event": cohort.event * 1})


def _of_accelerated(
    found: Any, kind: str, n_columns: int, fill: _Filled
) -> _AcceleratedTimes:
    main, other = ("lambda_", "rho_") if kind == "weibull" else ("mu_", "sigma_")
    table = found.params_
    slopes = np.array([table[(main, f"x{i}")] for i in range(n_columns)])
    size = float(np.exp(table[(other, "Intercept")]))
    return _AcceleratedTimes(
        fill=fill,
        shape=kind,
        intercept=float(table[(main, "Intercept")]),
        slopes=slopes,
        scale=1.0 / size if kind == "weibull" else size,
    )


def _of_cox(found: Any, cohort: Cohort, fill: _Filled) -> _ProportionalHazards:
    slopes = np.array([found.params_[f"x{i}"] for i in range(cohort.X.shape[1])])
    centre = fill(cohort.X).mean(axis=0)
    risk = np.exp((fill(cohort.X) - centre) @ slopes)
    shared = fit_shared_hazard(cohort.time, cohort.event, risk)
    return _ProportionalHazards(fill, slopes, centre, shared)
