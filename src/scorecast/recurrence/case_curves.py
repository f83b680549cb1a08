"""Curves of some cases, by a model that did not learn from them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from scorecast._core.progress import stage, stages
from scorecast._core.types import BoolArray, FloatArray, IntArray, Json
from scorecast.exceptions import DataWarning, UsageError
from scorecast.recurrence.columns import narrowed, usable_columns
from scorecast.recurrence.noted import noted

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = [
    "ROUGH_CURVES",
    "CaseCurves",
    "FittedToOthers",
    "check_shown",
    "curves_of",
    "fit_without",
    "shown_cases",
]

ROUGH_CURVES = "The fit that predicts the cases shown did not converge"
_POINTS = 160
_THINNING = 4  # of the draws, where quantiles of all cases are asked for
_ENDS = (0.001, 0.99)  # between these quantiles densities are drawn


@dataclass(frozen=True, kw_only=True)
class CaseCurves:
    """What was predicted for one case.

    Attributes
    ----------
    name : str
        The case.
    time : float
        What was then recorded.
    event : bool
        Whether it was the event.
    median, low, high : float
        Predicted time and its interval.
    times, density, survival, survival_low, survival_high : tuple of float
        Curves, with the band of the survival curve.
    level : float
        Level of the interval and of the band.
    """

    name: str
    time: float
    event: bool
    median: float
    low: float
    high: float
    times: tuple[float, ...]
    density: tuple[float, ...]
    survival: tuple[float, ...]
    survival_low: tuple[float, ...]
    survival_high: tuple[float, ...]
    level: float = 0.9

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Rebuild from plain values."""
        fields: Json = {
            k: tuple(v) if isinstance(v, list) else v for k, v in data.items()
        }
        return cls(**fields)


def check_shown(event: BoolArray, which: Sequence[int]) -> list[int]:
    """Return the cases to show, if enough others are left to learn from.

    Parameters
    ----------
    event : array of bool of shape (n,)
        Of all cases, whether the event was seen.
    which : sequence of int
        Rows to show, from 0.

    Returns
    -------
    list of int
        Each of them once.

    Raises
    ------
    UsageError
        If a row does not exist, more than half of the cases are named, or no event is
        left.
    """
    rows, n = list(dict.fromkeys(which)), len(event)
    if any(row >= n or row < 0 for row in rows):
        msg = f"`cases` names a row beyond the {n} there are; give rows from 1 to {n}."
        raise UsageError(msg)
    if rows and (2 * len(rows) > n or not np.delete(event, rows).any()):
        msg = (
            f"`cases` names {len(rows)} of {n}: they are predicted by a model that "
            "learns from all others, so at least half, and an event, must remain."
        )
        raise UsageError(msg)
    return rows


@dataclass(frozen=True, eq=False)
class FittedToOthers:
    """A model that learned from all cases but some.

    Attributes
    ----------
    model : RecurrenceModel
        Fitted.
    kept : array of int
        Covariates that it learned from.
    """

    model: Any
    kept: IntArray

    def quantiles(self, X: FloatArray, shares: Sequence[float]) -> FloatArray:
        """Return times before which the event comes with given probabilities.

        Of all cases, so from some of the draws: good enough to see which are wide.
        """
        rough = self.model.thinned(_THINNING)
        return np.asarray(rough.predict_quantile(X[:, self.kept], shares))


def fit_without(
    model: RecurrenceModel,
    X: FloatArray,
    time: FloatArray,
    event: BoolArray,
    which: Sequence[int],
) -> FittedToOthers:
    """Fit a model to all cases but some, for `curves_of`.

    Parameters
    ----------
    model : RecurrenceModel
        Its parameters hold for the fit.
    X, time, event : array
        All cases.
    which : sequence of int
        Rows to leave out, from 0.

    Returns
    -------
    FittedToOthers
        The fitted model.

    Warns
    -----
    DataWarning
        If its chains disagree.
    """
    others = np.setdiff1d(np.arange(len(time)), list(which))
    kept = usable_columns(X[others]).kept
    fitted = narrowed(model, kept, X.shape[1])
    fitted.set_params(allow_unconverged=True, checkpoint=None)
    with warnings.catch_warnings():
        # What holds of all cases the evaluation says; here it would name fewer.
        warnings.simplefilter("ignore", DataWarning)
        fitted.fit(X[np.ix_(others, kept)], time[others], event[others])
    reasons = "; ".join(fitted.diagnostics_.reasons)
    if reasons:
        msg = (
            f"{ROUGH_CURVES} ({reasons}): "
            "their curves are rough. The folds, and what predictions are worth, are "
            "other fits."
        )
        warnings.warn(msg, DataWarning, stacklevel=3)
    return FittedToOthers(fitted, kept)


def curves_of(
    model: RecurrenceModel,
    X: FloatArray,
    time: FloatArray,
    event: BoolArray,
    which: Sequence[int],
    *,
    level: float = 0.9,
    fitted: FittedToOthers | None = None,
) -> tuple[CaseCurves, ...]:
    """Predict some cases by a model that learns from all others.

    Parameters
    ----------
    model : RecurrenceModel
        Its parameters hold for the fit.
    X, time, event : array
        All cases.
    which : sequence of int
        Rows to predict, from 0.
    level : float, default=0.9
        Level of intervals and bands.
    fitted : FittedToOthers, optional
        What `fit_without` returned for the same cases, to save the time.

    Returns
    -------
    tuple of CaseCurves
        In the order given.

    Raises
    ------
    UsageError
        If too few other cases are left to learn from.
    """
    rows = check_shown(event, which)
    if not rows:
        return ()
    if fitted is None:
        fitted = fit_without(model, X, time, event, rows)
    said, cases = fitted.model, X[rows][:, fitted.kept]
    shares = [0.5, 0.5 - level / 2, 0.5 + level / 2]
    quantiles = said.predict_quantile(cases, shares)
    at = _grid(said.predict_quantile(cases, _ENDS), time[rows])
    density = said.predict_density(cases, at)
    survival = said.predict_survival(cases, at)
    low, high = said.predict_survival_band(cases, at, level=level)
    return tuple(
        CaseCurves(
            name=f"case {row + 1}",
            time=float(time[row]),
            event=bool(event[row]),
            median=float(quantiles[i, 0]),
            low=float(quantiles[i, 1]),
            high=float(quantiles[i, 2]),
            times=tuple(at.tolist()),
            density=tuple(density[i].tolist()),
            survival=tuple(survival[i].tolist()),
            survival_low=tuple(low[i].tolist()),
            survival_high=tuple(high[i].tolist()),
            level=level,
        )
        for i, row in enumerate(rows)
    )


def shown_cases(
    model: RecurrenceModel,
    X: FloatArray,
    time: FloatArray,
    event: BoolArray,
    which: Sequence[int],
    *,
    level: float = 0.9,
    shares: Sequence[float] = (0.05, 0.95),
    checkpoint: str | os.PathLike[str] | None = None,
) -> tuple[tuple[CaseCurves, ...], FloatArray]:
    """Return curves of some cases, and quantiles of all, by one fit to the others.

    Parameters
    ----------
    model, X, time, event, which, level
        As for `curves_of`.
    shares : sequence of float, default=(0.05, 0.95)
        Probabilities of the quantiles.
    checkpoint : str or path-like, optional
        File to which both are appended; the same call takes them from there. It may be
        that of `evaluate_recurrence`.

    Returns
    -------
    tuple
        CaseCurves in the order given, and times of shape (n, shares).
    """

    def work() -> Json:
        with stages({"fit": 3.0, "prediction": 1.0}):
            with stage("fit"):
                fitted = fit_without(model, X, time, event, which)
            with stage("prediction"):
                curves = curves_of(
                    model, X, time, event, which, level=level, fitted=fitted
                )
                ends = fitted.quantiles(X, shares).tolist()
        return {"curves": [asdict(one) for one in curves], "ends": ends}

    from sklearn.base import clone  # which importing this folder does without

    alone = clone(model).set_params(n_jobs=None, checkpoint=None)
    asked = (alone, X, time, event, list(which), level, list(shares))
    found = noted(checkpoint, "shown", asked, work)
    curves = tuple(CaseCurves.from_dict(one) for one in found["curves"])
    return curves, np.array(found["ends"], dtype=np.float64)


def _grid(ends: FloatArray, recorded: FloatArray) -> FloatArray:
    """Return times that cover what is predicted of each case and what was recorded.

    Even in log time: a case that waits a hundredth of what another does is drawn as
    finely.
    """
    low = min(float(ends[:, 0].min()), float(recorded.min()))
    high = max(float(ends[:, 1].max()), float(recorded.max()))
    even = np.exp(np.linspace(np.log(low), np.log(high), _POINTS))
    return np.unique(np.concatenate([even[1:-1], [low, high], recorded]))
