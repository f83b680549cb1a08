"""Every sample predicted by models that did not learn from it, fold by fold."""

from __future__ import annotations

import hashlib
import math
import os
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.codec import decode, encode
from scorecast._core.identity import identity_of
from scorecast._core.progress import announced, stage, stages, track
from scorecast._core.records import Record
from scorecast._core.result import Note
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast._version import __version__
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    ScorecastWarning,
    UsageError,
)
from scorecast.survival.baselines import FittedTimes, fit_baseline
from scorecast.survival.data import (
    FEW_EVENTS,
    LeftOut,
    SurvivalData,
    narrowed,
    usable_columns,
)
from scorecast.survival.metrics import (
    Concordance,
    concordance_index,
    integrated_brier_score,
)
from scorecast.survival.notes import SurvivalNote
from scorecast.survival.population import curve_of_all, fit_accelerated, fit_population
from scorecast.survival.result import CURVE, FitDiagnostics, SampleTable

if TYPE_CHECKING:
    pass

MODEL, PRIOR = "model", "prior"
_LEAST_SAMPLES = 10  # fewer say nothing of how well they are predicted
_N_TIMES = 60  # at which survival curves are read
_MOST_FOLDS_NAMED = 6
_REPEATED = re.compile(r"(\d+)x(\d+)")


# --- folds ---------------------------------------------------------------------------


def make_folds(
    data: SurvivalData, cv: int | str | ArrayLike, rng: np.random.Generator
) -> IntArray:
    """Return the fold of every sample, from 0, of shape (repeats, n)."""
    text = _REPEATED.fullmatch(cv.strip()) if isinstance(cv, str) else None
    if text:
        folds = _deal(data.event, int(text[1]), int(text[2]), rng)
    elif np.ndim(cv) == 0:
        try:
            n_folds = int(cv)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            n_folds = 0
        is_whole = isinstance(cv, str) or cv == n_folds
        if n_folds < 2 or not is_whole:
            problem = f"must be folds, from 2 on, or 10x3 for repeats; got {cv!r}"
            raise UsageError(problem, parameter="cv")
        folds = _deal(data.event, n_folds, 1, rng)
    else:
        folds = _read_folds(cv, data.n)
    _check_folds(data, folds)
    return folds


def _deal(
    event: BoolArray, n_folds: int, n_repeats: int, rng: np.random.Generator
) -> IntArray:
    """Deal the samples into folds, events and others evenly.

    Two events are dealt to different folds, so that one is always left to learn from.
    """
    if n_folds < 2 or n_repeats < 1:
        problem = f"must be at least 2 folds, once; got {n_folds}x{n_repeats}"
        raise UsageError(problem, parameter="cv")
    n, n_events = len(event), int(event.sum())
    if n_events < 2 or n < 2 * n_folds:
        plural = "" if n_events == 1 else "s"
        most = n // 2
        raise InsufficientDataError(
            f"{n} samples with {n_events} event{plural} are too few to hold out "
            f"{n_folds} folds: at least two events in all, and two samples per fold, "
            "are needed",
            parameter="cv",
            remedy=f"at most {most} folds" if n_events >= 2 <= most else None,
        )
    out = np.empty((n_repeats, n), dtype=np.int64)
    for row in out:
        order = np.concatenate(
            [rng.permutation(np.flatnonzero(part)) for part in (event, ~event)]
        )
        row[order] = np.arange(n) % n_folds
    return out


def _read_folds(folds: ArrayLike, n: int) -> IntArray:
    """Return folds that the caller named by any labels."""
    given = np.atleast_2d(np.asarray(folds))
    if given.ndim != 2 or given.shape[1] != n:
        problem = f"must have one label for each of {n} samples; got {given.shape}"
        raise InvalidInputError(problem, parameter="cv")
    rows = [np.unique(row, return_inverse=True)[1] for row in given]
    if min(int(row.max()) for row in rows) < 1:
        problem = "must hold at least two different labels"
        raise InvalidInputError(problem, parameter="cv")
    most = max(int(row.max()) for row in rows) + 1
    if 2 * most > n:
        raise InvalidInputError(
            f"{most:,} different labels for {n:,} samples: at least two samples per "
            "fold are needed",
            parameter="cv",
            remedy="is it a measurement rather than a fold?",
        )
    return np.array(rows, dtype=np.int64)


def _check_folds(data: SurvivalData, folds: IntArray) -> None:
    """Refuse folds that cannot be learned without, before the first is."""
    if data.n < _LEAST_SAMPLES:
        problem = (
            f"{data.n} samples are too few to judge predictions by; at least "
            f"{_LEAST_SAMPLES} are needed"
        )
        raise InsufficientDataError(problem, parameter="time")
    for is_out in _parts(folds):
        time, event = data.time[~is_out], data.event[~is_out]
        if not event.any():
            raise InsufficientDataError(
                "a fold leaves no event to learn from",
                parameter="cv",
                remedy="use fewer folds",
            )
        if time.min() == time.max():
            raise InsufficientDataError(
                "a fold leaves samples of one and the same time",
                parameter="cv",
                remedy="use other folds",
            )


def _parts(folds: IntArray) -> list[BoolArray]:
    """Return the samples that are held out together, fold by fold."""
    return [row == k for row in folds for k in range(int(row.max()) + 1)]


# --- one fold ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _Predicted:
    """What one forecaster gave to samples held out, as natural logarithms.

    Density and tail at the observed times, and survival at the times of the grid.
    """

    density: NDArray[np.float64]
    tail: NDArray[np.float64]
    curve: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class _FitFacts:
    """What one fit of the model says of itself.

    `error` is the Monte Carlo error of what it gave to the samples held out, summed.
    """

    rhat: float
    ess: float
    n_chains: int
    n_draws: int
    is_converged: bool
    ridge: float
    thinning: int
    n_events: int
    error: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _FoldResult:
    """What came of one fold; covariates are left out by their places."""

    predicted: dict[str, _Predicted]
    fits: tuple[_FitFacts, ...]
    failures: dict[str, str]
    left_out: dict[str, LeftOut]


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldWork:
    """Everything that is the same in all folds."""

    data: SurvivalData
    model: Any  # an unfitted `SurvivalModel`; None for a quick look
    prior: str
    baselines: tuple[str, ...]
    times: FloatArray
    is_quick: bool

    def run(
        self,
        is_out: BoolArray,
        stream: np.random.Generator,
        failed: Collection[str] = (),
    ) -> _FoldResult:
        """Fit to all other samples and predict those held out.

        Baselines that failed before are not tried again.
        """
        train = self.data.rows(~is_out)
        usable = usable_columns(train.X)
        test = self.data.rows(is_out).columns(usable.kept)
        train = train.columns(usable.kept)
        said, fits = {}, []
        model: Any = None
        if self.is_quick:
            fitted = fit_accelerated(train.time, train.event, train.X, "lognormal")
            said[MODEL] = self._by_fitted(fitted, test)
        else:
            model = narrowed(self.model, usable.kept, self.data.X.shape[1])
            with stages({"fit": 3.0, "prediction": 1.0}):
                said[MODEL], told = self._by_model(model, train, test, stream)
            fits.append(told)
        if self.prior == "model":
            none = np.array([], dtype=np.int64)
            alone = narrowed(model, [], train.X.shape[1])
            said[PRIOR], told = self._by_model(
                alone, train.columns(none), test.columns(none), stream
            )
            fits.append(told)
        else:
            said[PRIOR] = self._by_population(train, test)
        failures = {}
        for name in [k for k in self.baselines if k not in failed]:
            try:
                said[name] = self._by_fitted(fit_baseline(name, train), test)
            except (RuntimeError, ArithmeticError) as error:
                failures[name] = str(error)
        return _FoldResult(
            predicted=said,
            fits=tuple(fits),
            failures=failures,
            left_out={str(i): why for i, why in usable.left_out.items()},
        )

    def _by_model(
        self,
        model: Any,
        train: SurvivalData,
        test: SurvivalData,
        stream: np.random.Generator,
    ) -> tuple[_Predicted, _FitFacts]:
        fitted = model.set_params(random_state=stream, allow_unconverged=True)
        with warnings.catch_warnings():
            # Said once for all folds instead.
            warnings.simplefilter("ignore", ScorecastWarning)
            with stage("fit"):
                fitted.fit(train.X, train.time, train.event)
        at = np.column_stack([test.time, np.tile(self.times, (test.n, 1))])
        with announced("compiling the predictions (the first time only)"):
            fitted.predict_log(test.X[:1], at[:1, :1])
        with stage("prediction"):
            chains = [one.predict_log(test.X, at) for one in fitted.by_chain()]
        by_chain = np.array(
            chains
        )  # of shape (chains, density and tail, samples, times)
        density, tail = _log_mean(by_chain)
        known = np.where(test.event, by_chain[:, 0, :, 0], by_chain[:, 1, :, 0])
        checks = fitted.diagnostics_
        facts = _FitFacts(
            rhat=float(checks.rhat),
            ess=float(checks.ess_bulk),
            n_chains=int(checks.n_chains),
            n_draws=int(checks.n_draws),
            # Where R-hat is not known, chains are not to be trusted either.
            is_converged=bool(checks.passed) and not math.isnan(checks.rhat),
            ridge=float(fitted.scaling_.ridge),
            thinning=int(fitted.thinning_),
            n_events=int(fitted.n_events_),
            error=_error_of_sum(known),
        )
        given = _Predicted(density=density[:, 0], tail=tail[:, 0], curve=tail[:, 1:])
        return given, facts

    def _by_population(self, train: SurvivalData, test: SurvivalData) -> _Predicted:
        found = fit_population(self.prior, train.time, train.event)
        return _Predicted(
            density=found.log_density(test.time),
            tail=found.log_survival(test.time),
            curve=np.tile(found.log_survival(self.times), (test.n, 1)),
        )

    def _by_fitted(self, fitted: FittedTimes, test: SurvivalData) -> _Predicted:
        density, tail = fitted.predict_log(test.X, test.time[:, None])
        _, curve = fitted.predict_log(test.X, np.tile(self.times, (test.n, 1)))
        return _Predicted(density=density[:, 0], tail=tail[:, 0], curve=curve)


def _log_mean(logs: FloatArray) -> FloatArray:
    """Return the logarithm of the mean over the first axis."""
    top = logs.max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = top + np.log(np.exp(logs - top).mean(axis=0))
    return np.asarray(np.where(np.isfinite(top), found, top))


def _error_of_sum(known: FloatArray) -> float:
    """Return the Monte Carlo error of a sum of log predictions (chains, samples).

    Chains are independent, and what is predicted is their mean: the jackknife over
    them. NaN of a single chain.
    """
    n_chains = len(known)
    if n_chains < 2:
        return math.nan
    without = [_log_mean(np.delete(known, c, axis=0)).sum() for c in range(n_chains)]
    return float(np.sqrt((n_chains - 1) * np.var(without)))


def event_times(data: SurvivalData) -> FloatArray:
    """Return times at which survival curves are read: where events were seen."""
    seen = data.time[data.event]
    return np.unique(np.quantile(seen, np.linspace(0, 1, _N_TIMES)))


# --- all folds -----------------------------------------------------------------------


def hold_out(
    work: FoldWork,
    folds: IntArray,
    rng: np.random.Generator,
    checkpoint: str | os.PathLike[str] | None,
) -> HeldOut:
    """Predict every fold from all others; finished ones are taken from the file."""
    parts = _parts(folds)
    record = None
    if checkpoint is not None:
        record = Record(checkpoint, _fingerprint(work, folds, rng))
    found = HeldOut(work, folds)
    tasks = list(enumerate(zip(parts, rng.spawn(len(parts)), strict=True)))
    for number, (is_out, stream) in track(tasks, what="fold"):
        kept = None
        if record is not None:
            kept = record.finished("folds", number, _read_fold)
        if kept is not None:
            found.add(is_out, kept)
            continue
        result = work.run(is_out, stream, found.failures)
        found.add(is_out, result)
        if record is not None:
            record.add("folds", number, encode(result))
    found.finish()
    return found


def _read_fold(noted: Any) -> _FoldResult:
    result: _FoldResult = decode(noted, _FoldResult)
    return result


def _fingerprint(work: FoldWork, folds: IntArray, rng: np.random.Generator) -> str:
    """Return what tells this run from another; the number of threads does not."""
    from sklearn.base import clone

    # Its seed is in `rng`, if it has one.
    model = clone(work.model).set_params(n_jobs=None, random_state=None)
    data = work.data
    asked = (data.X, data.time, data.event, work.prior, work.baselines, work.is_quick)
    parts = (__version__, model, *asked, folds, rng)
    return hashlib.sha256(identity_of(parts).encode()).hexdigest()


class HeldOut:
    """What every forecaster gave to every sample, over all folds."""

    def __init__(self, work: FoldWork, folds: IntArray) -> None:
        self.work, self.data, self.folds = work, work.data, folds
        self.failures: dict[str, str] = {}
        self.results: list[_FoldResult] = []
        self.names = [MODEL, PRIOR, *work.baselines]
        n, n_times = work.data.n, len(work.times)
        # Log density (or survival) of what was seen, survival then, survival curves.
        self.log_known = {k: np.zeros(n) for k in self.names}
        self.then = {k: np.zeros(n) for k in self.names}
        self.curves = {k: np.zeros((n, n_times)) for k in self.names}

    def add(self, is_out: BoolArray, result: _FoldResult) -> None:
        """Take in what came of one fold."""
        self.results.append(result)
        self.failures |= result.failures
        seen = self.data.event[is_out]
        for name, one in result.predicted.items():
            self.log_known[name][is_out] += np.where(seen, one.density, one.tail)
            self.then[name][is_out] += np.exp(one.tail)
            self.curves[name][is_out] += np.exp(one.curve)

    def finish(self) -> None:
        """Average over repeats, drop baselines that failed, and add the curve."""
        repeats = len(self.folds)
        self.names = [name for name in self.names if name not in self.failures]
        for name in self.names:
            self.log_known[name] = self.log_known[name] / repeats
            self.then[name] = np.clip(self.then[name] / repeats, 0.0, 1.0)
            self.curves[name] = np.clip(self.curves[name] / repeats, 0.0, 1.0)
        data = self.data
        found = curve_of_all(data.time, data.event, self.folds, self.work.times)
        self.log_known[CURVE], self.then[CURVE], self.curves[CURVE] = found
        self.diagnostics = self._diagnosed()

    @property
    def baselines(self) -> tuple[str, ...]:
        """The curve of all samples, and the models that could be fitted."""
        return CURVE, *(k for k in self.names if k not in (MODEL, PRIOR))

    def restricted_mean(self, name: str) -> FloatArray:
        """Return the mean time waited up to the end of the grid: who waits longer."""
        widths = np.diff(np.concatenate([[0.0], self.work.times]))
        return np.asarray(self.curves[name] @ widths)

    def concordance(self, name: str) -> Concordance:
        """Return the concordance of a forecaster."""
        said = self.restricted_mean(name)
        return concordance_index(self.data.time, self.data.event, said)

    def brier(self, name: str) -> float:
        """Return the integrated Brier score of a forecaster."""
        data, curves = self.data, self.curves[name]
        return integrated_brier_score(data.time, data.event, self.work.times, curves)

    def typical_places(self) -> list[int]:
        """Return a sample predicted to wait short, middling and long.

        Where they hold all events, those that wait: events are to be learned from.
        """
        n, event = self.data.n, self.data.event
        order = np.argsort(self.restricted_mean(MODEL))
        places = np.round(np.array([0.1, 0.5, 0.9]) * (n - 1)).astype(int)
        rows = list(dict.fromkeys(int(order[i]) for i in places))
        if np.delete(event, rows).any():
            return rows
        return [row for row in rows if not event[row]]

    def table(self, unit: float) -> SampleTable:
        """Return what every sample got."""
        return SampleTable(
            time=self.data.time,
            event=self.data.event,
            folds=self.folds,
            log_q=self.log_known[MODEL] / unit,
            log_p=self.log_known[PRIOR] / unit,
            log_q_of={name: self.log_known[name] / unit for name in self.baselines},
        )

    def _diagnosed(self) -> FitDiagnostics | None:
        fits = [fit for one in self.results for fit in one.fits]
        if not fits:
            return None
        places = [(r, k) for r, row in enumerate(self.folds) for k in range(_n_of(row))]
        return FitDiagnostics(
            n_fits=len(fits),
            n_unconverged=sum(not one.is_converged for one in fits),
            unconverged_folds=tuple(
                place
                for place, one in zip(places, self.results, strict=True)
                if not all(fit.is_converged for fit in one.fits)
            ),
            rhat=float(np.max([one.rhat for one in fits])),
            ess=float(np.min([one.ess for one in fits])),
            n_chains=fits[0].n_chains,
            n_draws=min(one.n_draws for one in fits),
            most_draws=max(one.n_draws for one in fits),
            thinning=max(one.thinning for one in fits),
            ridge=max(one.ridge for one in fits),
            n_ridged=sum(one.ridge > 0 for one in fits),
            fewest_events=min(one.n_events for one in fits),
            mcse=float(np.linalg.norm([one.error for one in fits]) / self.folds.size),
            spread=self._spread(),
        )

    def _spread(self) -> float:
        """Return the least standard error, over samples, of what is reported."""
        own = self.log_known[MODEL]
        beside = [own - self.log_known[name] for name in (PRIOR, *self.baselines)]
        return float(min(one.std(ddof=1) for one in beside) / math.sqrt(len(own)))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What must be known of the folds and the chains."""
        return (*self._left_out_notes(), *self._fit_notes(), *self._failure_notes())

    def _left_out_notes(self) -> Iterator[Note]:
        """Say once of each covariate in how many folds it was left out."""
        found = [one.left_out for one in self.results]
        counts = Counter((int(i), why) for one in found for i, why in one.items())
        for (i, why), count in sorted(counts.items()):
            yield Note(
                code=SurvivalNote.LEFT_OUT,
                names=(self.data.names[i], str(why)),
                count=count,
                total=len(found),
            )

    def _fit_notes(self) -> Iterator[Note]:
        """Say once what the fits had to assume."""
        checks, n_events = self.diagnostics, self.data.n_events
        if checks is None:
            return
        if checks.n_ridged:
            yield Note(
                code=SurvivalNote.SINGULAR,
                count=checks.n_ridged,
                total=checks.n_fits,
                value=checks.ridge,
            )
        if n_events < FEW_EVENTS:
            yield Note(code=SurvivalNote.FEW_EVENTS, count=n_events)
        elif checks.fewest_events < FEW_EVENTS:
            yield Note(
                code=SurvivalNote.FEW_EVENTS_IN_FOLD,
                count=checks.fewest_events,
                total=n_events,
            )
        if not checks.passed:
            yield Note(
                code=SurvivalNote.FOLDS_UNCONVERGED,
                names=self._folds_named(checks.unconverged_folds),
                count=checks.n_unconverged,
                total=checks.n_fits,
                value=checks.rhat,
            )

    def _folds_named(self, places: Sequence[tuple[int, int]]) -> tuple[str, ...]:
        """Name a few folds, from 1; all of them in one word, and many not at all."""
        if len(places) == sum(map(_n_of, self.folds)):
            return ("all",)
        if len(places) > _MOST_FOLDS_NAMED:
            return ()
        if len(self.folds) == 1:
            return tuple(f"{fold + 1}" for _, fold in places)
        return tuple(
            f"fold {fold + 1} of repeat {repeat + 1}" for repeat, fold in places
        )

    def _failure_notes(self) -> Iterator[Note]:
        for name, why in self.failures.items():
            yield Note(code=SurvivalNote.BASELINE_FAILED, model=name, names=(why,))


def _n_of(row: IntArray) -> int:
    return int(row.max()) + 1
