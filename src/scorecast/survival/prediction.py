"""Curves of some samples, and times of new ones, by fits that did not learn from them.

Long pieces of work are done once and noted in the file of the run; see `noted`.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.codec import decode, encode
from scorecast._core.identity import identity_of
from scorecast._core.progress import stage, stages
from scorecast._core.records import Record
from scorecast._core.result import SHARE
from scorecast._core.types import FloatArray
from scorecast._version import __version__
from scorecast.exceptions import ScorecastWarning, UsageError
from scorecast.survival.data import SurvivalData, narrowed, usable_columns

if TYPE_CHECKING:
    from scorecast.survival.model import SurvivalModel

T = TypeVar("T")

_POINTS = 160
_THINNING = 4  # of the draws, where quantiles of all samples are asked for
_ENDS = (0.001, 0.99)  # between these quantiles densities are drawn
_N_NAMED = 5  # rows that are named


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleCurves:
    """What was predicted for one sample.

    Attributes
    ----------
    row : int
        Of the data, from 1.
    time : float
        What was then recorded.
    event : bool
        Whether it was the event.
    median, low, high : float
        Predicted time and its interval.
    times, density, survival, survival_low, survival_high : ndarray of float64
        Curves, with the band of the survival curve.
    """

    row: int
    time: float
    event: bool
    median: float
    low: float
    high: float
    times: NDArray[np.float64]
    density: NDArray[np.float64]
    survival: NDArray[np.float64] = field(metadata=SHARE)
    survival_low: NDArray[np.float64] = field(metadata=SHARE)
    survival_high: NDArray[np.float64] = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False)
class ShownSamples:
    """Curves of some samples, and intervals of all, by one fit to the others.

    Attributes
    ----------
    curves : tuple of SampleCurves
        In the order asked for.
    ends : ndarray of shape (n, 2)
        Interval of the time of every sample.
    reasons : tuple of str
        Why the chains of the fit may not be trusted; empty where they may.
    """

    curves: tuple[SampleCurves, ...]
    ends: NDArray[np.float64]
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class SurvivalPredictions:
    """What was predicted for samples of which no outcome is known.

    Attributes
    ----------
    median, low, high : ndarray of shape (n,)
        Predicted time of each and its interval; infinite where no number holds it.
    confidence_level : float
        Level of the interval.
    at : tuple of float
        Times at which survival was asked for.
    survival : ndarray of shape (n, len(at))
        Of each sample, the chance that the event comes after each of these times.
    n_learned : int
        Samples that the model learned from: all there were.
    reasons : tuple of str
        Why the chains of its fit may not be trusted; empty where they may.
    n_far : int
        Samples that lie beyond all that were learned from.
    far_rows : tuple of int
        The first of them, from 1.
    far_covariates : tuple of str
        Covariates in which they do.
    """

    median: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    confidence_level: float = field(metadata=SHARE)
    at: tuple[float, ...]
    survival: NDArray[np.float64]
    n_learned: int
    reasons: tuple[str, ...] = ()
    n_far: int = 0
    far_rows: tuple[int, ...] = ()
    far_covariates: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of new samples."""
        return len(self.median)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a table with one row per sample, numbered from 1."""
        chances = {
            f"survival_{time:.15g}": self.survival[:, i].tolist()
            for i, time in enumerate(self.at)
        }
        return {
            "row": list(range(1, self.n + 1)),
            "median": self.median.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            **chances,
        }


def check_shown(data: SurvivalData, rows: Sequence[int]) -> list[int]:
    """Return places of the rows to show, if enough others are left to learn from.

    Raises
    ------
    UsageError
        If a row (from 1) does not exist, more than half of the samples are named, or no
        event is left.
    """
    places, n = [int(row) - 1 for row in dict.fromkeys(rows)], data.n
    if any(place >= n or place < 0 for place in places):
        problem = f"names a row that there is not; there are rows from 1 to {n}"
        raise UsageError(problem, parameter="show")
    if places and (2 * len(places) > n or not np.delete(data.event, places).any()):
        problem = (
            f"names {len(places)} of {n}: they are predicted by a model that learns "
            "from all others, so at least half, and an event, must remain"
        )
        raise UsageError(problem, parameter="show")
    return places


def show_samples(
    model: SurvivalModel,
    data: SurvivalData,
    places: Sequence[int],
    *,
    confidence_level: float,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ShownSamples:
    """Predict some samples by a model that learns from all others."""
    half = confidence_level / 2
    shares = (0.5 - half, 0.5 + half)

    def work() -> ShownSamples:
        with stages({"fit": 3.0, "prediction": 1.0}):
            with stage("fit"):
                others = np.setdiff1d(np.arange(data.n), list(places))
                kept = usable_columns(data.X[others]).kept
                fitted = narrowed(model, kept, data.X.shape[1])
                _fit_quietly(fitted, data.rows(others).columns(kept))
            with stage("prediction"):
                shown = data.rows(list(places)).columns(kept)
                curves = _curves(fitted, shown, places, confidence_level)
                # Of all samples, so from some of the draws: good enough to see which
                # are wide.
                rough = fitted.thinned(_THINNING)
                ends = rough.predict_quantile(data.X[:, kept], shares)
        reasons = tuple(fitted.diagnostics_.reasons)
        return ShownSamples(curves=curves, ends=np.asarray(ends), reasons=reasons)

    asked = (_alone(model), data.X, data.time, data.event, list(places), list(shares))
    return noted(checkpoint, "shown", asked, work, ShownSamples)


def predict_new(
    model: SurvivalModel,
    data: SurvivalData,
    X_new: FloatArray,
    *,
    confidence_level: float,
    at: Sequence[float] = (),
    checkpoint: str | os.PathLike[str] | None = None,
) -> SurvivalPredictions:
    """Fit a model to all samples, and predict new ones."""

    def work() -> SurvivalPredictions:
        from sklearn.base import clone  # which importing this folder does without

        fitted = clone(model)
        _fit_quietly(fitted, data)
        half = confidence_level / 2
        times = fitted.predict_quantile(X_new, [0.5, 0.5 - half, 0.5 + half])
        chances = np.empty((len(X_new), 0))
        if at:
            chances = fitted.predict_survival_function(X_new, list(at))
        return SurvivalPredictions(
            median=times[:, 0],
            low=times[:, 1],
            high=times[:, 2],
            confidence_level=confidence_level,
            at=tuple(at),
            survival=chances,
            n_learned=data.n,
            reasons=tuple(fitted.diagnostics_.reasons),
            **_beyond(X_new, data),
        )

    asked = (
        *(_alone(model), data.X, data.time, data.event),
        *(X_new, confidence_level, list(at)),
    )
    return noted(checkpoint, "new samples", asked, work, SurvivalPredictions)


def noted(
    checkpoint: str | os.PathLike[str] | None,
    part: str,
    asked: Any,
    work: Callable[[], T],
    kind: Any,
) -> T:
    """Return what the file says came of some work, or do it and append that.

    Parameters
    ----------
    checkpoint : str or path-like or None
        The file; None does the work.
    part : str
        Name of the work.
    asked : object
        Everything that decides what comes of it. What was noted of anything else is
        left alone, and never taken for it.
    work : callable
        Gives a dataclass.
    kind : type
        Its class, which the file is read as.

    Returns
    -------
    object
        What came of it.
    """
    if checkpoint is None:
        return work()
    record = Record.shared(checkpoint)
    own = hashlib.sha256(identity_of((__version__, asked)).encode()).hexdigest()
    name = f"{part} {own}"
    found: T | None = record.finished(name, 0, lambda noted: decode(noted, kind))
    if found is not None:
        return found
    made = work()
    record.add(name, 0, encode(made))
    return made


def _alone(model: SurvivalModel) -> Any:
    """Return the model as far as it decides what comes of a fit."""
    from sklearn.base import clone

    return clone(model).set_params(n_jobs=None)


def _fit_quietly(model: Any, data: SurvivalData) -> None:
    """Fit; what holds of all samples the evaluation says, and chains are noted."""
    model.set_params(allow_unconverged=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScorecastWarning)
        model.fit(data.X, data.time, data.event)


def _curves(
    fitted: Any, shown: SurvivalData, places: Sequence[int], confidence_level: float
) -> tuple[SampleCurves, ...]:
    half = confidence_level / 2
    X = shown.X
    quantiles = fitted.predict_quantile(X, [0.5, 0.5 - half, 0.5 + half])
    at = _grid(fitted.predict_quantile(X, _ENDS), shown.time)
    density = fitted.predict_density(X, at)
    survival = fitted.predict_survival_function(X, at)
    low, high = fitted.predict_survival_interval(
        X, at, confidence_level=confidence_level
    )
    return tuple(
        SampleCurves(
            row=int(place) + 1,
            time=float(shown.time[i]),
            event=bool(shown.event[i]),
            median=float(quantiles[i, 0]),
            low=float(quantiles[i, 1]),
            high=float(quantiles[i, 2]),
            times=at,
            density=density[i],
            survival=survival[i],
            survival_low=low[i],
            survival_high=high[i],
        )
        for i, place in enumerate(places)
    )


def _grid(ends: FloatArray, recorded: FloatArray) -> FloatArray:
    """Return times that cover what is predicted of each sample and what was recorded.

    Even in log time: a sample that waits a hundredth of what another does is drawn as
    finely.
    """
    low = min(float(ends[:, 0].min()), float(recorded.min()))
    high = max(float(ends[:, 1].max()), float(recorded.max()))
    even = np.exp(np.linspace(np.log(low), np.log(high), _POINTS))
    return np.unique(np.concatenate([even[1:-1], [low, high], recorded]))


def _beyond(X: FloatArray, learned: SurvivalData) -> dict[str, Any]:
    """Find new samples unlike any that was learned from."""
    if not X.shape[1]:
        return {}
    with np.errstate(invalid="ignore"):
        low, high = np.nanmin(learned.X, axis=0), np.nanmax(learned.X, axis=0)
        is_far = (low > X) | (high < X)
    rows = np.flatnonzero(is_far.any(axis=1))
    pairs = zip(learned.names, is_far.any(axis=0), strict=True)
    return {
        "n_far": int(rows.size),
        "far_rows": tuple(int(row) + 1 for row in rows[:_N_NAMED]),
        "far_covariates": tuple(name for name, far in pairs if far),
    }
