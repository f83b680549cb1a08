"""What predictions are worth, on cases that were not learned from."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice
from scorecast._core.identity import identity_of
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import in_parts
from scorecast._core.records import Record
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.rounding import told_apart
from scorecast._core.types import BoolArray, FloatArray, IntArray, Json, RandomState
from scorecast._version import __version__
from scorecast.exceptions import DataWarning, UsageError
from scorecast.mixtures import MOST_RHAT
from scorecast.recurrence.accuracy import (
    Calibration,
    Concordance,
    concordance,
    d_calibration,
    integrated_brier,
)
from scorecast.recurrence.baseline import CURVE, curve_of_all
from scorecast.recurrence.cohort import (
    Cohort,
    check_cohort,
    check_learnable,
    check_pairing,
    covariate_names,
)
from scorecast.recurrence.columns import left_out_lines
from scorecast.recurrence.folds import check_parts, make_folds, read_folds
from scorecast.recurrence.held_out import MODEL, PRIOR, FoldResult, FoldWork
from scorecast.recurrence.population import POPULATIONS
from scorecast.recurrence.rivals import check_rivals
from scorecast.recurrence.settings import (
    OF_MODEL,
    fit_lines,
    folds_said,
    is_unsure,
    seed_of,
    settings_of,
    summed,
)

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = ["Evaluation", "Predictions", "evaluate_recurrence"]

_GRID = 60  # times at which survival curves are read


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """What one forecaster said of cases it had not seen.

    Attributes
    ----------
    log_known : array of shape (n,)
        Log density of the time where the event was seen, log survival where not; mean
        over repeats.
    survival_then : array of shape (n,)
        Predicted survival at the observed time.
    survival : array of shape (n, T)
        Predicted survival on the grid of times.
    """

    log_known: FloatArray
    survival_then: FloatArray
    survival: FloatArray

    def restricted_mean(self, at: FloatArray) -> FloatArray:
        """Return the mean time waited up to the end of the grid: who waits longer."""
        widths = np.diff(np.concatenate([[0.0], at]))
        return np.asarray(self.survival @ widths)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Out-of-sample predictions of the model, the prior and the rivals.

    ``sc.apparent_information(found.log_q, found.log_p)`` says what the model knows
    beyond the prior; ``sc.compare_information(found.log_q, found.log_q_of("cox"))``
    what it knows beyond a rival; ``found.log_curve`` in its place, what it knows beyond
    the curve of all cases alike.

    Attributes
    ----------
    time, event : array of shape (n,)
        What was seen.
    times : array of shape (T,)
        Times at which survival curves were read.
    predictions : mapping of str to Predictions
        Of "model", "prior", "curve" (the smoothed Kaplan-Meier curve of the training
        cases) and every rival that could be fitted.
    prior : str
        Kind of the prior.
    folds : array of shape (repeats, n)
        Fold of every case.
    diagnostics : dict
        Of the chains, over all folds.
    failures : mapping of str to str
        Rivals that could not be fitted, and why.
    seed : int or None
        Seed.
    notes : tuple of str
        What was done otherwise than asked in some folds.
    settings : dict
        What decided the fits.
    quick : bool
        Whether "model" is a lognormal regression in the place of the model.
    """

    time: FloatArray
    event: BoolArray
    times: FloatArray
    predictions: Mapping[str, Predictions]
    prior: str
    folds: IntArray
    diagnostics: Json
    failures: Mapping[str, str]
    seed: int | None
    notes: tuple[str, ...] = ()
    settings: Json = field(default_factory=dict)
    quick: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know of the folds and the chains."""
        n_failed = self.diagnostics["n_unconverged"]
        if not n_failed:
            return self.notes
        return (
            *self.notes,
            f"In {n_failed} of {self.diagnostics['n_fits']} fits the chains disagree "
            f"or are short ({self._where()}{_worst(self.diagnostics['rhat'])}): "
            "predictions of those folds are rough. Their worth is measured as they "
            "are, on cases they did not learn from; longer chains may predict better.",
        )

    def _where(self) -> str:
        numbers = self.diagnostics.get("unconverged_folds")
        if not numbers:
            return ""
        n_folds = [int(row.max()) + 1 for row in self.folds]
        return f"{folds_said(numbers, n_folds)}; "

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.time)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def summary(self) -> str:
        """Say in a sentence what was predicted; `recurrence_of` says its worth."""
        names = ", ".join(self.predictions)
        return (
            f"{self.n:,} cases with {int(self.event.sum()):,} events, each predicted "
            f"without learning from it by {names}; plain mean beyond the prior "
            f"{self.j.mean():.3f} nats, beyond the curve of all cases alike "
            f"{(self.log_q - self.log_curve).mean():.3f} nats per case."
        )

    @property
    def log_q(self) -> FloatArray:
        """Log density (or survival) that the model gave to what was seen."""
        return self.predictions[MODEL].log_known

    @property
    def log_p(self) -> FloatArray:
        """The same of the prior."""
        return self.predictions[PRIOR].log_known

    @property
    def log_curve(self) -> FloatArray:
        """The same of the smoothed Kaplan-Meier curve, which knows no covariates."""
        return self.predictions[CURVE].log_known

    @property
    def j(self) -> FloatArray:
        """Apparent information of each case, in nats."""
        return np.asarray(self.log_q - self.log_p)

    @property
    def rivals(self) -> tuple[str, ...]:
        """Names of the rivals that were fitted."""
        return tuple(k for k in self.predictions if k not in (MODEL, PRIOR, CURVE))

    def log_q_of(self, name: str) -> FloatArray:
        """Return what a rival gave to what was seen.

        Parameters
        ----------
        name : str
            One of `rivals`, "model", "prior" or "curve".

        Returns
        -------
        array of shape (n,)
            Logarithms.
        """
        check_choice(name, "name", tuple(self.predictions))
        return self.predictions[name].log_known

    def typical_cases(self) -> list[int]:
        """Return a case predicted to wait short, middling and long.

        Where they hold all events, those that wait: events are to be learned from.
        """
        order = np.argsort(self.predictions[MODEL].restricted_mean(self.times))
        places = np.round(np.array([0.1, 0.5, 0.9]) * (self.n - 1)).astype(int)
        rows = list(dict.fromkeys(int(order[i]) for i in places))
        if np.delete(self.event, rows).any():
            return rows
        return [row for row in rows if not self.event[row]]

    def calibration(self, name: str = MODEL) -> Calibration:
        """Return the D-calibration of a forecaster."""
        return d_calibration(self.predictions[name].survival_then, self.event)

    def concordance(self, name: str = MODEL) -> Concordance:
        """Return the concordance of a forecaster."""
        said = self.predictions[name].restricted_mean(self.times)
        return concordance(self.time, self.event, said)

    def brier(self, name: str = MODEL) -> float:
        """Return the integrated Brier score of a forecaster."""
        curves = self.predictions[name].survival
        return integrated_brier(self.time, self.event, self.times, curves)


@checked_keywords
def evaluate_recurrence(
    model: RecurrenceModel,
    X: ArrayLike,
    time: ArrayLike,
    event: ArrayLike,
    *,
    cv: int = 10,
    repeats: int = 1,
    folds: ArrayLike | None = None,
    prior: str = "exponential",
    rivals: str | Sequence[str] = (),
    random_state: RandomState | Literal["model"] = OF_MODEL,
    checkpoint: str | os.PathLike[str] | None = None,
    quick: bool = False,
) -> Evaluation:
    """Predict every case from a model that did not learn from it.

    Parameters
    ----------
    model : RecurrenceModel
        Unfitted; its parameters hold for every fold. Without a `sampling` of its own,
        chains that disagree go on once, for half as many sweeps again.
    X, time, event : array-like
        As for `RecurrenceModel.fit`.
    cv, repeats : int, default=10, 1
        Folds, and how often the cases are dealt anew; what a case got is averaged.
    folds : array-like of shape (n,) or (repeats, n), optional
        Folds of one's own, instead: `cv` and `repeats` then have no say. At least two
        cases per label.
    prior : {"exponential", "weibull", "lognormal", "kaplan-meier", "model"}
        Prior of the time, fitted to the training cases of each fold; "model" is the
        same model without covariates.
    rivals : sequence of {"cox", "weibull", "lognormal"}, or one of them, default=()
        Models to compare with, on the same folds; they need the extra ``survival``.
    random_state : int, Generator, None or "model", default="model"
        Deals the folds and seeds the chains; "model" takes that of the model,
        anything else takes its place.
    checkpoint : str or path-like, optional
        File to which every finished fold is appended; the same call goes on from it,
        another one is refused.
    quick : bool, default=False
        Whether to predict by a lognormal regression (accelerated failure times) in the
        place of the model, of which the seed alone is then used: at once, and marked.

    Returns
    -------
    Evaluation
        Predictions out of sample.

    Raises
    ------
    InsufficientDataError
        If there are too few cases or events to hold any out, or all times are equal.
    InvalidInputError
        If the checkpoint is that of another run, or indexes of pandas differ.
    MissingExtraError
        If there are rivals but not the extra ``survival``.

    Warns
    -----
    DataWarning
        If the chains of a fold disagree, or a covariate says nothing of the cases of a
        fold and is left out there.
    """
    check_pairing(X=X, time=time, event=event, folds=folds)
    cohort = check_cohort(X, time, event)
    check_choice(prior, "prior", POPULATIONS)
    if quick and prior == "model":
        msg = "A quick look fits no model that could be the prior: name another."
        raise UsageError(msg)
    chosen = check_rivals(rivals)
    check_learnable(cohort)
    seed = seed_of(model, random_state)
    rng = as_generator(seed)
    dealt = (
        make_folds(cohort.event, cv, repeats, rng)
        if folds is None
        else read_folds(folds, cohort.n)
    )
    parts = [row == k for row in dealt for k in range(int(row.max()) + 1)]
    check_parts(cohort, parts)
    own = model if quick else _for_folds(model)
    work = FoldWork(cohort, own, prior, chosen, _grid(cohort), quick)
    run = None if checkpoint is None else _fingerprint(work, dealt, rng)
    record = None if checkpoint is None else Record(checkpoint, str(run))
    table = _Table(work, covariate_names(X, cohort.X.shape[1]))
    tasks = list(enumerate(zip(parts, rng.spawn(len(parts)), strict=True)))
    for number, (held_out, stream) in in_parts(tasks, what="fold"):
        noted = None if record is None else record.finished("folds", number)
        if noted is not None:
            table.add(held_out, FoldResult.from_dict(noted))
            continue
        result = work.run(held_out, stream, table.failures)
        table.add(held_out, result)
        if record is not None:
            record.add("folds", number, result.to_dict())
    return table.evaluation(dealt, seed_number(seed))


def _for_folds(model: RecurrenceModel) -> RecurrenceModel:
    """Return the model with the chains of folds, unless it was given its own."""
    if model.sampling is not None:
        return model
    from sklearn.base import clone  # which importing this folder does without

    from scorecast.recurrence.model import FOLD_SAMPLING

    found: RecurrenceModel = clone(model).set_params(sampling=FOLD_SAMPLING)
    return found


def _fingerprint(work: FoldWork, dealt: IntArray, rng: np.random.Generator) -> str:
    """Return what tells this run from another; the number of threads does not."""
    from sklearn.base import clone

    # Its seed is in `rng`, if it has one.
    model = clone(work.model).set_params(
        n_jobs=None, checkpoint=None, random_state=None
    )
    asked = (work.cohort, work.prior, work.rivals, work.quick)
    parts = (__version__, model, *asked, dealt, rng)
    return hashlib.sha256(identity_of(parts).encode()).hexdigest()


def _grid(cohort: Cohort) -> FloatArray:
    """Return times at which survival curves are read: where events were seen."""
    seen = cohort.time[cohort.event]
    return np.unique(np.quantile(seen, np.linspace(0, 1, _GRID)) if seen.size else seen)


class _Table:
    """Gathers what every forecaster says, fold by fold."""

    def __init__(self, work: FoldWork, covariates: Sequence[str]) -> None:
        self.work, self.covariates = work, covariates
        self.names = [MODEL, PRIOR, *work.rivals]
        self.failures: dict[str, str] = {}
        self.results: list[FoldResult] = []
        n, n_times = work.cohort.n, len(work.times)
        self.log_known = {k: np.zeros(n) for k in self.names}
        self.then = {k: np.zeros(n) for k in self.names}
        self.curves = {k: np.zeros((n, n_times)) for k in self.names}

    def add(self, held_out: BoolArray, result: FoldResult) -> None:
        """Take in what came of one fold."""
        self.results.append(result)
        self.failures |= result.failures
        seen = self.work.cohort.event[held_out]
        for name, one in result.said.items():
            known = np.where(seen, one.density, one.tail)
            self.log_known[name][held_out] += known
            self.then[name][held_out] += np.exp(one.tail)
            self.curves[name][held_out] += np.exp(one.curve)

    def _alike(self, folds: IntArray) -> Predictions:
        cohort = self.work.cohort
        said = curve_of_all(cohort.time, cohort.event, folds, self.work.times)
        return Predictions(*said)

    def evaluation(self, folds: IntArray, seed: int | None) -> Evaluation:
        """Return what was gathered."""
        repeats = len(folds)
        for name, reason in self.failures.items():
            warnings.warn(f"{name}: {reason}", DataWarning, stacklevel=4)
        left_out = [one.left_out for one in self.results]
        checks = summed([fit for one in self.results for fit in one.fits])
        places = [[r, k] for r, row in enumerate(folds) for k in range(row.max() + 1)]
        checks["unconverged_folds"] = [
            place
            for place, one in zip(places, self.results, strict=True)
            if any(map(is_unsure, one.fits))
        ]
        n_events = int(self.work.cohort.event.sum())
        lines = left_out_lines(left_out, self.covariates)
        if not self.work.quick:
            lines = [*lines, *fit_lines(checks, n_events)]
        found = Evaluation(
            time=self.work.cohort.time,
            event=self.work.cohort.event,
            times=self.work.times,
            predictions={
                k: Predictions(
                    self.log_known[k] / repeats,
                    np.clip(self.then[k] / repeats, 0.0, 1.0),
                    np.clip(self.curves[k] / repeats, 0.0, 1.0),
                )
                for k in self.names
                if k not in self.failures
            }
            | {CURVE: self._alike(folds)},
            prior=self.work.prior,
            folds=folds,
            diagnostics=checks,
            failures=self.failures,
            seed=seed,
            notes=tuple(lines),
            settings={} if self.work.quick else settings_of(self.work.model),
            quick=self.work.quick,
        )
        for line in found.warnings:
            warnings.warn(line, DataWarning, stacklevel=4)
        return found


def _worst(rhat: float) -> str:
    if not np.isfinite(rhat):
        return "worst R-hat not known"
    said = told_apart(rhat, MOST_RHAT, 2) if rhat > MOST_RHAT else f"{rhat:.2f}"
    return f"worst R-hat {said}"
