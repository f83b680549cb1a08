"""The value of all tests together, where splits have none of their own.

F1, AUC and the like are no means of cases: a split without a case of a class, or in
which that class is never named, has no value. All tests together have one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import stdtr

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation import resampled_units
from scorecast.guarantees.estimates import Estimates
from scorecast.guarantees.feasibility.significance import NullTest, unknown
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.outcomes import Outcome, pooled_outcome

__all__ = ["Draws", "PooledView", "draws_of", "row_of"]

_RESAMPLES = 300


@dataclass(frozen=True, kw_only=True, eq=False)
class Draws:
    """Values of a loss in a null setting.

    Attributes
    ----------
    folds : ndarray of shape (n_draws, n_splits)
        Of every split; NaN where a fit failed or the loss is undefined.
    pooled : ndarray of shape (n_draws,)
        Of all tests together; NaN where a fit failed, or the loss is a mean of cases.
    """

    folds: FloatArray
    pooled: FloatArray


def row_of(
    loss: Loss, outcomes: Sequence[Outcome | None], needed: Sequence[bool]
) -> list[float]:
    """Return the value of every split, and last that of all tests, where it differs.

    Parameters
    ----------
    loss : Loss
        What to measure.
    outcomes : sequence of Outcome or None
        One per split; None where a fit failed.
    needed : sequence of bool
        Splits that the model itself was tested in.

    Returns
    -------
    list of float
        One more than there are splits; as many for a mean of cases.
    """
    known = [o is not None and loss.can_measure(o) for o in outcomes]
    values = [
        math.nan if o is None or not is_known else loss.measure(o)
        for o, is_known in zip(outcomes, known, strict=True)
    ]
    whole = [o for o, is_needed in zip(outcomes, needed, strict=True) if is_needed]
    complete = all(k for k, is_needed in zip(known, needed, strict=True) if is_needed)
    if loss.per_sample is not None:
        return values
    if not whole or not complete:
        return [*values, math.nan]
    return [*values, loss.measure(pooled_outcome([o for o in whole if o is not None]))]


def draws_of(rows: Sequence[Sequence[float]], n_splits: int) -> Draws:
    """Take apart what `row_of` gave."""
    values = np.full((len(rows), n_splits + 1), np.nan)
    for i, row in enumerate(rows):
        values[i, : len(row)] = row
    return Draws(folds=values[:, :-1], pooled=values[:, -1])


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledView:
    """A model seen through the value of all its tests together.

    Attributes
    ----------
    estimates : Estimates
        Its tests.
    loss : Loss
        What is compared.
    rng : numpy.random.Generator
        For the bootstrap.
    """

    estimates: Estimates
    loss: Loss
    rng: np.random.Generator

    @staticmethod
    def is_needed(estimates: Estimates, loss: Loss, draws: Sequence[Draws]) -> bool:
        """Tell whether some split has no value, of the model or of a draw.

        Parameters
        ----------
        estimates : Estimates
            The tests of the model.
        loss : Loss
            What is compared.
        draws : sequence of Draws
            Null settings. A draw that failed counts elsewhere.

        Returns
        -------
        bool
            Never for means of cases: every test has a value then.
        """
        if loss.per_sample is not None:
            return False
        tested = np.array([fold.outcome is not None for fold in estimates.folds])
        rows = [estimates.measure(loss).folds[None, tested]]
        rows += [d.folds[np.isfinite(d.pooled)][:, tested] for d in draws]
        return any(bool(np.isnan(values).any()) for values in rows)

    @property
    def note(self) -> str:
        """What is compared, and why."""
        return (
            f"{self.loss.name} of all tests together, as splits without cases (or "
            "predictions) of a class have none of their own"
        )

    @cached_property
    def observed(self) -> FloatArray:
        """Error of the model, as an array of one."""
        return self._error(self.estimates.pooled()).reshape(1)

    @cached_property
    def own(self) -> tuple[float, int]:
        """Variance of that error from sample to sample, and degrees of freedom."""
        mine = self.estimates.pooled()
        values = np.array([self._error(mine.take(rows)) for rows in self._resamples])
        known = values[np.isfinite(values)]
        spread = float(np.var(known, ddof=1)) if known.size > 1 else 0.0
        return spread, len(self._units[0]) - 1

    def errors(self, draws: Draws) -> FloatArray:
        """Return errors of draws, (n_draws, 1)."""
        return self.loss.as_error(draws.pooled)[:, None]

    def compared(self, setting: str, other: Outcome) -> NullTest:
        """Compare with another model on the same tests, by a bootstrap of cases.

        Parameters
        ----------
        setting : str
            The other model.
        other : Outcome
            What it says of the same tests in the same order.

        Returns
        -------
        NullTest
            Without a rank: nothing is drawn.
        """
        mine, value = self.estimates.pooled(), self._error(other)
        gap = float(value - self.observed[0])
        if not math.isfinite(gap):
            return unknown(setting, f"{self.loss.name} is not defined for it")
        gaps = np.array(
            [
                self._error(other.take(rows)) - self._error(mine.take(rows))
                for rows in self._resamples
            ]
        )
        known = gaps[np.isfinite(gaps)]
        stderr = float(np.std(known, ddof=1)) if known.size > 1 else 0.0
        tests, strata = self._units
        if stderr > 0:
            p = float(stdtr(len(tests) - 1, -gap / stderr))
        else:
            # No case makes a difference: a sign test of the smallest class is left.
            p = 0.5 ** int(np.bincount(strata).min()) if gap > 0 else 1.0
        nan = math.nan
        return NullTest(
            setting=setting, p=p, p_rank=nan, smallest_p=nan, null_value=float(value),
            gap=gap, stderr=stderr, n_draws=1, note=self.note,
            observed=float(self.observed[0]),
        )  # fmt: skip

    def constant(self) -> Outcome:
        """Return what a model says that names the most frequent class of all cases.

        Learned anew without the tested case, its answer would depend on that case: in
        leave-one-out it ranks every case on the wrong side of the others.
        """
        mine, counts = self.estimates.pooled(), self.estimates.problem.class_counts
        return replace(
            mine,
            predicted=np.full(mine.n, int(counts.argmax())),
            scores=np.tile(counts / counts.sum(), (mine.n, 1)),
            is_probability=True,
        )

    def _error(self, outcome: Outcome) -> FloatArray:
        return self.loss.as_error(np.asarray(self.loss.measure(outcome)))

    @cached_property
    def _units(self) -> tuple[list[IntArray], IntArray]:
        return self.estimates.units()

    @cached_property
    def _resamples(self) -> list[IntArray]:
        tests, strata = self._units
        drawn = resampled_units(strata, _RESAMPLES, self.rng)
        return [np.concatenate([tests[i] for i in units]) for units in drawn]
