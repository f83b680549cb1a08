"""Times predicted for new cases, by a model that learned from all the others."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from scorecast._core.types import FloatArray, Json
from scorecast.exceptions import DataWarning
from scorecast.recurrence.cohort import Cohort
from scorecast.recurrence.noted import noted

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = ["NewCases", "predict_new"]

_NAMED = 5  # rows named in a warning


@dataclass(frozen=True, kw_only=True)
class NewCases:
    """What was predicted for cases of which no outcome is known.

    Attributes
    ----------
    median, low, high : tuple of float
        Predicted time of each and its interval; infinite where no number holds it.
    level : float
        Level of the interval.
    at : tuple of float
        Times at which survival was asked for.
    survival : tuple of tuple of float
        Of each case, the chance that the event comes after each of these times.
    n_learned : int
        Cases that the model learned from: all there were.
    reasons : tuple of str
        Why the chains of its fit may not be trusted; empty where they may.
    """

    median: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    level: float
    at: tuple[float, ...]
    survival: tuple[tuple[float, ...], ...]
    n_learned: int
    reasons: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of new cases."""
        return len(self.median)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a table with one row per case, numbered from 1."""
        chances = {
            f"survival_{time:.15g}": [row[i] for row in self.survival]
            for i, time in enumerate(self.at)
        }
        return {
            "row": list(range(1, self.n + 1)),
            "median": list(self.median),
            "low": list(self.low),
            "high": list(self.high),
            **chances,
        }

    def to_dict(self) -> Json:
        """Return plain values."""
        rows = zip(self.median, self.low, self.high, self.survival, strict=True)
        return {
            "n": self.n,
            "n_learned": self.n_learned,
            "level": self.level,
            "at": list(self.at),
            "reasons": list(self.reasons),
            "cases": [
                {"row": i, "median": m, "low": a, "high": z, "survival": list(s)}
                for i, (m, a, z, s) in enumerate(rows, start=1)
            ],
        }

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Rebuild from plain values."""

        def times(name: str) -> tuple[float, ...]:
            # JSON has no infinity: null is a time that no number holds.
            given = [row[name] for row in data["cases"]]
            return tuple(math.inf if x is None else float(x) for x in given)

        return cls(
            median=times("median"),
            low=times("low"),
            high=times("high"),
            level=float(data["level"]),
            at=tuple(data["at"]),
            survival=tuple(tuple(row["survival"]) for row in data["cases"]),
            n_learned=int(data["n_learned"]),
            reasons=tuple(data["reasons"]),
        )

    def cautions(
        self, X: FloatArray, learned: Cohort, names: Sequence[str]
    ) -> list[str]:
        """Say what to watch: a poor fit, and cases unlike any that was learned from.

        Parameters
        ----------
        X : array of shape (n, p)
            Covariates of the new cases.
        learned : Cohort
            The cases that the model learned from.
        names : sequence of str
            Names of the covariates.

        Returns
        -------
        list of str
            Sentences, perhaps none.
        """
        found = []
        if self.reasons:
            found.append(
                "The fit that predicts new cases did not converge "
                f"({'; '.join(self.reasons)}): their times are rough."
            )
        with np.errstate(invalid="ignore"):
            low, high = np.nanmin(learned.X, axis=0), np.nanmax(learned.X, axis=0)
            beyond = (low > X) | (high < X)
        if beyond.any():
            rows = np.flatnonzero(beyond.any(axis=1)) + 1
            columns = [
                x for x, far in zip(names, beyond.any(axis=0), strict=True) if far
            ]
            found.append(_far_said(rows.tolist(), columns, self.n))
        return found


def _far_said(rows: list[int], columns: list[str], n: int) -> str:
    named = ", ".join(map(str, rows[:_NAMED])) + (", ..." if rows[_NAMED:] else "")
    verb = "lies" if len(rows) == 1 else "lie"
    return (
        f"{len(rows):,} of {n:,} new cases (row {named}) {verb} beyond all cases that "
        f"were learned from in {', '.join(map(repr, columns))}: there the model only "
        "goes on as before."
    )


def predict_new(
    model: RecurrenceModel,
    cohort: Cohort,
    X: FloatArray,
    *,
    level: float = 0.9,
    at: Sequence[float] = (),
    checkpoint: str | os.PathLike[str] | None = None,
) -> NewCases:
    """Fit a model to all cases, and predict new ones.

    What such predictions are worth is measured on cases that were held out; see
    `evaluate_recurrence`.

    Parameters
    ----------
    model : RecurrenceModel
        Its parameters hold for the fit.
    cohort : Cohort
        The cases to learn from.
    X : array of shape (n, p)
        Covariates of the new cases; NaN where one is missing.
    level : float, default=0.9
        Level of intervals.
    at : sequence of float, default=()
        Times at which survival is asked for.
    checkpoint : str or path-like, optional
        File to which the predictions are appended; the same call takes them from there.
        It may be that of `evaluate_recurrence`.

    Returns
    -------
    NewCases
        Row by row.
    """
    from sklearn.base import clone  # which importing this folder does without

    alone = clone(model).set_params(n_jobs=None, checkpoint=None)
    asked = (alone, cohort.X, cohort.time, cohort.event, X, level, list(at))
    found = noted(
        checkpoint, "new cases", asked, lambda: _work(model, cohort, X, level, at)
    )
    return NewCases.from_dict(found)


def _work(
    model: RecurrenceModel,
    cohort: Cohort,
    X: FloatArray,
    level: float,
    at: Sequence[float],
) -> Json:
    from sklearn.base import clone

    fitted = clone(model).set_params(allow_unconverged=True, checkpoint=None)
    with warnings.catch_warnings():
        # What holds of all cases the evaluation says; the chains are judged below.
        warnings.simplefilter("ignore", DataWarning)
        fitted.fit(cohort.X, cohort.time, cohort.event)
    times = fitted.predict_quantile(X, [0.5, 0.5 - level / 2, 0.5 + level / 2])
    chances = fitted.predict_survival(X, list(at)) if at else np.empty((len(X), 0))
    median, low, high = (tuple(column.tolist()) for column in times.T)
    return NewCases(
        median=median,
        low=low,
        high=high,
        level=level,
        at=tuple(at),
        survival=tuple(tuple(row) for row in chances.tolist()),
        n_learned=cohort.n,
        reasons=tuple(fitted.diagnostics_.reasons),
    ).to_dict()
