"""One fold: fit to all others, and note what is said of those held out."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from scorecast._core.progress import announced, stage, stages
from scorecast._core.types import BoolArray, FloatArray, Json
from scorecast.exceptions import DataWarning
from scorecast.recurrence.cohort import Cohort
from scorecast.recurrence.columns import narrowed, usable_columns
from scorecast.recurrence.location_scale import fit_accelerated
from scorecast.recurrence.population import fit_population
from scorecast.recurrence.rivals import Rival, fit_rival

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = ["MODEL", "PRIOR", "FoldResult", "FoldWork", "Said"]

MODEL = "model"
PRIOR = "prior"


@dataclass(frozen=True, eq=False)
class Said:
    """What one forecaster said of the cases held out, as natural logarithms.

    Attributes
    ----------
    density, tail : array of shape (m,)
        At the observed times.
    curve : array of shape (m, T)
        Log survival at the times of the grid.
    """

    density: FloatArray
    tail: FloatArray
    curve: FloatArray


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What came of one fold.

    Attributes
    ----------
    said : mapping of str to Said
        By forecaster.
    fits : tuple of dict
        Of every fit of the model, what it says of itself.
    failures : mapping of str to str
        Rivals that could not be fitted, and why.
    left_out : mapping of int to str
        Covariates that could not be used, and why.
    """

    said: Mapping[str, Said]
    fits: tuple[Json, ...]
    failures: Mapping[str, str]
    left_out: Mapping[int, str]

    def to_dict(self) -> Json:
        """Return what JSON can hold."""
        return {
            "said": {
                name: {k: np.asarray(v).tolist() for k, v in vars(one).items()}
                for name, one in self.said.items()
            },
            "fits": list(self.fits),
            "failures": dict(self.failures),
            "left_out": {str(i): why for i, why in self.left_out.items()},
        }

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Rebuild from what `to_dict` gave."""

        def said(one: Json) -> Said:
            density = np.array(one["density"], dtype=np.float64)
            curve = np.array(one["curve"], dtype=np.float64)
            tail = np.array(one["tail"], dtype=np.float64)
            return Said(density, tail, curve.reshape(len(tail), -1))

        return cls(
            said={name: said(one) for name, one in data["said"].items()},
            fits=tuple(data["fits"]),
            failures=data["failures"],
            left_out={int(i): why for i, why in data["left_out"].items()},
        )


@dataclass(frozen=True, eq=False)
class FoldWork:
    """Everything that is the same in all folds.

    Attributes
    ----------
    cohort : Cohort
        All cases.
    model : RecurrenceModel
        Unfitted.
    prior : str
        Kind of the prior.
    rivals : tuple of str
        Models to compare with.
    times : array of shape (T,)
        Times at which survival curves are read.
    quick : bool
        Whether a lognormal regression takes the place of the model.
    """

    cohort: Cohort
    model: RecurrenceModel
    prior: str
    rivals: tuple[str, ...]
    times: FloatArray
    quick: bool = False

    def run(
        self,
        held_out: BoolArray,
        stream: np.random.Generator,
        failed: Collection[str] = (),
    ) -> FoldResult:
        """Fit to all other cases and predict those held out.

        Parameters
        ----------
        held_out : array of bool of shape (n,)
            The cases to predict.
        stream : numpy.random.Generator
            Seeds the chains.
        failed : collection of str, default=()
            Rivals that failed before and are not tried again.

        Returns
        -------
        FoldResult
            What was said of them.
        """
        train = self.cohort.rows(~held_out)
        usable = usable_columns(train.X)
        test = self.cohort.rows(held_out).columns(usable.kept)
        train = train.columns(usable.kept)
        said, fits = {}, []
        if self.quick:
            fitted = fit_accelerated(train.time, train.event, train.X, "lognormal")
            said[MODEL] = self._said_by(fitted, test)
        else:
            model = narrowed(self.model, usable.kept, self.cohort.X.shape[1])
            with stages({"fit": 3.0, "prediction": 1.0}):
                said[MODEL], told = self._by_model(model, train, test, stream)
            fits.append(told)
        if self.prior == "model":
            alone = narrowed(model, [], train.X.shape[1])
            none = np.array([], dtype=np.int64)
            said[PRIOR], told = self._by_model(
                alone, train.columns(none), test.columns(none), stream
            )
            fits.append(told)
        else:
            said[PRIOR] = self._by_population(train, test)
        failures = {}
        for name in [k for k in self.rivals if k not in failed]:
            try:
                said[name] = self._by_rival(name, train, test)
            except (RuntimeError, ArithmeticError) as error:
                failures[name] = str(error)
        return FoldResult(said, tuple(fits), failures, usable.left_out)

    def _by_model(
        self, model: Any, train: Cohort, test: Cohort, stream: np.random.Generator
    ) -> tuple[Said, Json]:
        fitted = model.set_params(
            random_state=stream, allow_unconverged=True, checkpoint=None
        )
        with warnings.catch_warnings():
            # Said once for all folds instead.
            warnings.simplefilter("ignore", DataWarning)
            with stage("fit"):
                fitted.fit(train.X, train.time, train.event)
        at = np.column_stack([test.time, np.tile(self.times, (test.n, 1))])
        with announced("compiling the predictions (the first time only)"):
            fitted.predict_log(test.X[:1], at[:1, :1])
        with stage("prediction"):
            density, tail = fitted.predict_log(test.X, at)
        told = fitted.diagnostics_.to_dict() | {
            "ridge": float(fitted.scaling_.ridge),
            "thinning": int(fitted.thinning_),
            "n_events": int(fitted.n_events_),
        }
        return Said(density[:, 0], tail[:, 0], tail[:, 1:]), told

    def _by_population(self, train: Cohort, test: Cohort) -> Said:
        found = fit_population(self.prior, train.time, train.event)
        curve = np.tile(found.log_survival(self.times), (test.n, 1))
        density, tail = found.log_density(test.time), found.log_survival(test.time)
        return Said(density, tail, curve)

    def _by_rival(self, name: str, train: Cohort, test: Cohort) -> Said:
        return self._said_by(fit_rival(name, train), test)

    def _said_by(self, rival: Rival, test: Cohort) -> Said:
        density, tail = rival.predict_log(test.X, test.time[:, None])
        _, curve = rival.predict_log(test.X, np.tile(self.times, (test.n, 1)))
        return Said(density[:, 0], tail[:, 0], curve)
