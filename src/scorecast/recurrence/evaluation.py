"""What predictions are worth, on cases that were not learned from."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice
from scorecast._core.progress import track
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, IntArray, Json, RandomState
from scorecast.exceptions import DataWarning, InsufficientDataError
from scorecast.recurrence.accuracy import (
    Calibration,
    Concordance,
    concordance,
    d_calibration,
    integrated_brier,
)
from scorecast.recurrence.cohort import Cohort, check_cohort
from scorecast.recurrence.folds import make_folds, read_folds
from scorecast.recurrence.population import POPULATIONS, fit_population
from scorecast.recurrence.rivals import RIVALS, fit_rival
from scorecast.recurrence.scaling import of_time_alone

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = ["Evaluation", "Predictions", "evaluate_recurrence"]

_GRID = 60  # times at which survival curves are read
MODEL = "model"
PRIOR = "prior"


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Out-of-sample predictions of the model, the prior and the rivals.

    ``sc.apparent_information(found.log_q, found.log_p)`` says what the model knows
    beyond the prior; ``sc.compare_information(found.log_q, found.log_q_of("cox"))``
    what it knows beyond a rival.

    Attributes
    ----------
    time, event : array of shape (n,)
        What was seen.
    times : array of shape (T,)
        Times at which survival curves were read.
    predictions : mapping of str to Predictions
        Of "model", "prior" and every rival that could be fitted.
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

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know of the chains."""
        n_failed = self.diagnostics["n_unconverged"]
        if not n_failed:
            return ()
        return (
            f"In {n_failed} of {self.diagnostics['n_fits']} fits the chains disagree "
            f"or are short (worst R-hat {self.diagnostics['rhat']:.2f}): predictions "
            "of those folds are rough, their worth is still measured honestly.",
        )

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.time)

    @property
    def log_q(self) -> FloatArray:
        """Log density (or survival) that the model gave to what was seen."""
        return self.predictions[MODEL].log_known

    @property
    def log_p(self) -> FloatArray:
        """The same of the prior."""
        return self.predictions[PRIOR].log_known

    @property
    def j(self) -> FloatArray:
        """Apparent information of each case, in nats."""
        return np.asarray(self.log_q - self.log_p)

    @property
    def rivals(self) -> tuple[str, ...]:
        """Names of the rivals that were fitted."""
        return tuple(k for k in self.predictions if k not in (MODEL, PRIOR))

    def log_q_of(self, name: str) -> FloatArray:
        """Return what a rival gave to what was seen.

        Parameters
        ----------
        name : str
            One of `rivals`, "model" or "prior".

        Returns
        -------
        array of shape (n,)
            Logarithms.
        """
        check_choice(name, "name", tuple(self.predictions))
        return self.predictions[name].log_known

    def typical_cases(self) -> list[int]:
        """Return a case predicted to wait short, middling and long."""
        order = np.argsort(self.predictions[MODEL].restricted_mean(self.times))
        places = np.round(np.array([0.1, 0.5, 0.9]) * (self.n - 1)).astype(int)
        return list(dict.fromkeys(int(order[i]) for i in places))

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
    rivals: Sequence[str] = (),
    random_state: RandomState = 0,
) -> Evaluation:
    """Predict every case from a model that did not learn from it.

    Parameters
    ----------
    model : RecurrenceModel
        Unfitted; its parameters hold for every fold.
    X, time, event : array-like
        As for `RecurrenceModel.fit`.
    cv, repeats : int, default=10, 1
        Folds, and how often the cases are dealt anew; what a case got is averaged.
    folds : array-like of shape (n,) or (repeats, n), optional
        Folds of one's own, instead.
    prior : {"exponential", "weibull", "lognormal", "kaplan-meier", "model"}
        Prior of the time, fitted to the training cases of each fold; "model" is the
        same model without covariates.
    rivals : sequence of {"cox", "weibull", "lognormal"}, default=()
        Models to compare with, on the same folds; they need the extra ``survival``.
    random_state : int, Generator or None, default=0
        Deals the folds and seeds the chains.

    Returns
    -------
    Evaluation
        Predictions out of sample.

    Raises
    ------
    InsufficientDataError
        If there are too few events to hold any out.

    Warns
    -----
    DataWarning
        If the chains of a fold disagree.
    """
    cohort = check_cohort(X, time, event)
    check_choice(prior, "prior", POPULATIONS)
    for name in rivals:
        check_choice(name, "rivals", RIVALS)
    rng = as_generator(random_state)
    dealt = (
        make_folds(cohort.event, cv, repeats, rng)
        if folds is None
        else read_folds(folds, cohort.n)
    )
    table = _Table(cohort, model, prior, tuple(dict.fromkeys(rivals)))
    parts = [(row, fold) for row in dealt for fold in range(int(row.max()) + 1)]
    streams = rng.spawn(len(parts))
    work = zip(parts, streams, strict=True)
    for (row, fold), stream in track(work, total=len(parts), what="folds"):
        table.add(row == fold, stream)
    return table.evaluation(dealt, len(dealt), seed_number(random_state))


class _Table:
    """Gathers what every forecaster says, fold by fold."""

    def __init__(
        self,
        cohort: Cohort,
        model: RecurrenceModel,
        prior: str,
        rivals: tuple[str, ...],
    ) -> None:
        self.cohort, self.model, self.prior = cohort, model, prior

        seen = cohort.time[cohort.event]
        self.times = np.quantile(seen, np.linspace(0, 1, _GRID)) if seen.size else seen
        self.times = np.unique(self.times)
        self.names = [MODEL, PRIOR, *rivals]
        self.failures: dict[str, str] = {}
        self.found: list[Any] = []
        n = cohort.n
        self.log_known = {k: np.zeros(n) for k in self.names}
        self.then = {k: np.zeros(n) for k in self.names}
        self.curves = {k: np.zeros((n, len(self.times))) for k in self.names}

    def add(self, held_out: BoolArray, stream: np.random.Generator) -> None:
        """Fit to all others and note what is said of those held out."""
        train, test = self.cohort.rows(~held_out), self.cohort.rows(held_out)
        if not train.event.any():
            msg = "A fold leaves no event to learn from; use fewer folds."
            raise InsufficientDataError(msg)
        self._note(MODEL, held_out, *self._by_model(train, test, stream))
        self._note(PRIOR, held_out, *self._by_prior(train, test, stream))
        for name in [k for k in self.names[2:] if k not in self.failures]:
            try:
                rival = fit_rival(name, train)
            except (RuntimeError, ArithmeticError) as error:
                self.failures[name] = str(error)
                continue
            self._note(
                name,
                held_out,
                *rival.predict_log(test.X, test.time[:, None]),
                rival.predict_log(test.X, np.tile(self.times, (test.n, 1)))[1],
            )

    def _by_model(
        self,
        train: Cohort,
        test: Cohort,
        stream: np.random.Generator,
        *,
        alone: bool = False,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        from sklearn.base import clone

        fitted = clone(self.model).set_params(
            random_state=stream, allow_unconverged=True, checkpoint=None
        )
        if alone:
            fitted.set_params(
                noise_sd=np.atleast_1d(fitted.noise_sd)[:1],
                hyperparameters=of_time_alone(fitted.hyperparameters),
            )
        with warnings.catch_warnings():
            # Said once for all folds instead.
            warnings.simplefilter("ignore", DataWarning)
            fitted.fit(None if alone else train.X, train.time, train.event)
        self.found.append(fitted.diagnostics_)
        at = np.column_stack([test.time, np.tile(self.times, (test.n, 1))])
        density, tail = fitted.predict_log(test.X, at)
        return density[:, :1], tail[:, :1], tail[:, 1:]

    def _by_prior(
        self, train: Cohort, test: Cohort, stream: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        if self.prior == "model":
            return self._by_model(train, test, stream, alone=True)
        found = fit_population(self.prior, train.time, train.event)
        curve = np.tile(found.log_survival(self.times), (test.n, 1))
        density, tail = found.log_density(test.time), found.log_survival(test.time)
        return density[:, None], tail[:, None], curve

    def _note(
        self,
        name: str,
        held_out: BoolArray,
        density: FloatArray,
        tail: FloatArray,
        curve: FloatArray,
    ) -> None:
        seen = self.cohort.event[held_out]
        known = np.where(seen, density[:, 0], tail[:, 0])
        self.log_known[name][held_out] += known
        self.then[name][held_out] += np.exp(tail[:, 0])
        self.curves[name][held_out] += np.exp(curve)

    def evaluation(self, folds: IntArray, repeats: int, seed: int | None) -> Evaluation:
        """Return what was gathered."""
        kept = [k for k in self.names if k not in self.failures]
        for name, reason in self.failures.items():
            warnings.warn(f"{name}: {reason}", DataWarning, stacklevel=3)
        found = Evaluation(
            time=self.cohort.time,
            event=self.cohort.event,
            times=self.times,
            predictions={
                k: Predictions(
                    self.log_known[k] / repeats,
                    np.clip(self.then[k] / repeats, 0.0, 1.0),
                    np.clip(self.curves[k] / repeats, 0.0, 1.0),
                )
                for k in kept
            },
            prior=self.prior,
            folds=folds,
            diagnostics=_summed(self.found),
            failures=self.failures,
            seed=seed,
        )
        for line in found.warnings:
            warnings.warn(line, DataWarning, stacklevel=3)
        return found


def _summed(found: Sequence[Any]) -> Json:
    """Sum up the chains of all folds."""
    failed = [d for d in found if not d.passed]
    return {
        "n_fits": len(found),
        "n_unconverged": len(failed),
        "passed": not failed,
        "rhat": float(max(d.rhat for d in found)),
        "ess": float(min(d.ess_bulk for d in found)),
        "n_chains": found[0].n_chains,
        "n_draws": found[0].n_draws,
    }
