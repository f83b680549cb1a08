"""Errors of a model on cases it had not seen: every case, every fold, kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.bootstrap_errors import (
    no_information_value,
    point_632,
    point_632_plus,
)
from scorecast.guarantees.fitting import FoldResult, fit_and_test
from scorecast.guarantees.fold_parts import fold_from, fold_parts
from scorecast.guarantees.group_units import n_independent
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.outcomes import Outcome, pooled_outcome
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan, Split

__all__ = ["Estimates", "LossSample", "collect_estimates"]

# Splits that have to have a value, and their least share, to speak for the others.
_MANY, _MOST = 10, 0.9


@dataclass(frozen=True, kw_only=True, eq=False)
class LossSample:
    """Values of one loss.

    Attributes
    ----------
    loss : Loss
        The loss.
    folds : ndarray of shape (n_splits,)
        Value of every split; NaN where it failed or is undefined.
    cases : ndarray of shape (n_tested,) or None
        Mean value of every case that was tested, if the loss is a mean of cases.
    tests : ndarray of shape (n_tests,) or None
        Value of every test, in the order of `Estimates.tested`, likewise.
    estimate : float
        The value of all.
    shift : float
        What weighing by the error of cases learned from adds to it; mostly 0.
    test_ratio : float
        Cases tested per case learned from.
    n_tested : int
        Different cases that were tested.
    n_units : float
        Independent ones among them: cases, or groups by their weight.
    n_smallest : float
        The same of the class that the loss is about, or of that with the fewest; of
        all for numbers.
    by_folds : bool
        Whether the estimate of what is no mean of cases is the mean of splits: nearly
        all of them have a value.
    groups : ndarray of shape (n_tested,) or None
        Group of every case that was tested, if there are groups.
    """

    loss: Loss
    folds: FloatArray
    cases: FloatArray | None
    tests: FloatArray | None
    estimate: float
    test_ratio: float
    n_tested: int
    n_units: float
    n_smallest: float
    by_folds: bool = True
    groups: IntArray | None = None
    shift: float = 0.0

    @property
    def known_folds(self) -> FloatArray:
        """The values that are numbers."""
        return self.folds[np.isfinite(self.folds)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimates:
    """What came of all splits.

    Attributes
    ----------
    problem : Problem
        The cases.
    plan : Plan
        The splits.
    folds : tuple of FoldResult
        One per split.
    training : Outcome or None
        What a fit to all cases says of them, where the estimate needs it.
    """

    problem: Problem
    plan: Plan
    folds: tuple[FoldResult, ...]
    training: Outcome | None = None

    @property
    def failures(self) -> tuple[str, ...]:
        """Reasons of the splits that failed."""
        return tuple(fold.failure for fold in self.folds if fold.outcome is None)

    @property
    def is_empty(self) -> bool:
        """Whether every split failed."""
        return len(self.failures) == len(self.folds)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the estimator warned of, each once."""
        return tuple(dict.fromkeys(w for fold in self.folds for w in fold.warnings))

    @property
    def chosen(self) -> tuple[Mapping[str, str], ...]:
        """Parameters that the model chose in every split; empty if it chooses none."""
        found = tuple(fold.chosen for fold in self.folds)
        return found if any(found) else ()

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes of the splits that did not fail."""
        return [fold.outcome for fold in self.folds if fold.outcome is not None]

    def can_measure(self, loss: Loss) -> bool:
        """Tell whether the model gives what a loss needs."""
        found = self.outcomes()
        return bool(found) and all(loss.can_measure(outcome) for outcome in found)

    def pooled(self) -> Outcome:
        """Return all tests of all splits together, in the order of the splits."""
        return pooled_outcome(self.outcomes())

    def tested(self) -> Any:
        """Return the row of every test, in the order of `pooled`."""
        return np.concatenate([f.test for f in self.folds if f.outcome is not None])

    def tested_in(self) -> IntArray:
        """Return the number of the split of every test, in the order of `pooled`."""
        known = [i for i, f in enumerate(self.folds) if f.outcome is not None]
        return np.repeat(known, [self.folds[i].test.size for i in known])

    def units(self) -> tuple[list[IntArray], IntArray]:
        """Return the tests of every independent unit, and what units to draw among.

        Returns
        -------
        tuple of list of ndarray and ndarray
            For every case (or group) the numbers of its tests in `pooled`; and its
            stratum: its class, where there are classes and no groups.
        """
        rows, problem = self.tested(), self.problem
        whole = np.arange(problem.n) if problem.groups is None else problem.groups
        names, unit = np.unique(whole[rows], return_inverse=True)
        order = np.argsort(unit, kind="stable")
        tests = np.split(order, np.cumsum(np.bincount(unit))[:-1])
        strata = np.zeros(names.size, dtype=np.int64)
        if problem.is_classification and problem.groups is None:
            strata = problem.codes[names]
        return tests, strata

    def measure(self, loss: Loss) -> LossSample:
        """Look at the tests through one loss.

        Parameters
        ----------
        loss : Loss
            The loss.

        Returns
        -------
        LossSample
            Its values by case and by split.
        """
        folds = np.array(
            [
                np.nan if f.outcome is None else loss.measure(f.outcome)
                for f in self.folds
            ]
        )
        rows, pooled = self.tested(), self.pooled()
        values = loss.samples(pooled)
        cases = None if values is None else _case_means(values, rows, self.problem.n)
        known = folds[np.isfinite(folds)]
        by_folds = _nearly_all(known.size, len(self.outcomes()))
        if cases is not None:
            estimate = float(cases.mean())
        elif loss.is_class_share:
            estimate = _class_share(self.problem, loss, pooled, rows)
        elif by_folds:
            estimate = float(known.mean())
        else:
            # Some splits hold too few cases to say; all tests together may.
            estimate = loss.measure(pooled)
        distinct = np.unique(rows)
        weighed = self._weighed(loss, estimate)
        return LossSample(
            loss=loss,
            folds=folds,
            cases=cases,
            tests=values,
            estimate=weighed,
            # An infinite value stays one, however it is weighed.
            shift=weighed - estimate if np.isfinite([weighed, estimate]).all() else 0.0,
            test_ratio=self.plan.test_ratio,
            n_tested=distinct.size,
            n_units=_units(self.problem, distinct),
            n_smallest=_units_judged(self.problem, distinct, loss),
            by_folds=by_folds,
            groups=None
            if self.problem.groups is None
            else self.problem.groups[distinct],
        )

    def not_finite_said(self, loss: Loss) -> str:
        """Say why a loss has no finite value.

        Parameters
        ----------
        loss : Loss
            The loss.

        Returns
        -------
        str
            Without a full stop; empty if it has one.
        """
        sample = self.measure(loss)
        if np.isfinite(sample.estimate):
            return ""
        end = "so that it has no interval"
        if sample.cases is None or np.isfinite(sample.cases).all():
            return f"{loss.name} is not defined for these tests, {end}"
        infinite = int(np.isinf(sample.cases).sum())
        count = infinite or int(np.isnan(sample.cases).sum())
        word = "infinite" if infinite else "not defined"
        return f"{loss.name} is {word} for {count} of {sample.cases.size} cases, {end}"

    def _weighed(self, loss: Loss, left_out: float) -> float:
        """Weigh the value of cases left out against that of cases learned from."""
        if self.training is None:
            return left_out
        sign = -1.0 if loss.greater_is_better else 1.0
        learned = sign * loss.measure(self.training)
        if self.plan.sampling.kind == ".632":
            return sign * point_632(learned, sign * left_out)
        # The stream chooses among pairs only where there are millions.
        unrelated = no_information_value(loss, self.training, np.random.default_rng(0))
        return sign * point_632_plus(learned, sign * left_out, sign * unrelated)


def _case_means(values: FloatArray, rows: Any, n: int) -> FloatArray:
    """Average the tests of every case; leave out cases that were never tested."""
    times = np.bincount(rows, minlength=n)
    with np.errstate(invalid="ignore"):
        total = np.bincount(rows, weights=values, minlength=n)
    means: FloatArray = total[times > 0] / times[times > 0]
    return means


def _class_share(problem: Problem, loss: Loss, pooled: Outcome, rows: Any) -> float:
    """Return the share of the cases a loss is about, where the model is right.

    Folds hold two or three cases of a small class: the mean of their shares would
    count cases of folds with fewer for more.
    """
    own = len(problem.classes) - 1 if loss.pos_code is None else loss.pos_code
    about = (pooled.truth == own) == (loss.name == "sensitivity")
    right = ((pooled.predicted == own) == (pooled.truth == own)).astype(np.float64)
    if not about.any():
        return np.nan
    return float(_case_means(right[about], rows[about], problem.n).mean())


def _units(problem: Problem, rows: Any) -> float:
    groups = None if problem.groups is None else problem.groups[rows]
    return n_independent(groups, rows.size)


def _nearly_all(n_known: int, n_splits: int) -> bool:
    """Tell whether splits with a value may speak for those that hold too few cases."""
    return n_known == n_splits or (n_known >= _MANY and n_known >= _MOST * n_splits)


def _units_judged(problem: Problem, rows: Any, loss: Loss) -> float:
    """Count the independent cases on which a loss of one class, or of each, hangs."""
    if not problem.is_classification:
        return _units(problem, rows)
    codes, last = problem.codes[rows], len(problem.classes) - 1
    own = last if loss.pos_code is None else loss.pos_code
    if loss.name == "sensitivity":
        return _units(problem, rows[codes == own])
    if loss.name == "specificity":
        return _units(problem, rows[codes != own])
    return min(_units(problem, rows[codes == k]) for k in range(last + 1))


def collect_estimates(
    estimator: Any,
    problem: Problem,
    plan: Plan,
    *,
    rng: np.random.Generator,
    run: Run | None = None,
    part: str = "folds",
    what: str = "fitting and testing",
) -> Estimates:
    """Fit and test on every split.

    Parameters
    ----------
    estimator : estimator
        As scikit-learn's; a pipeline does everything inside the splits.
    problem : Problem
        The cases.
    plan : Plan
        The splits.
    rng : numpy.random.Generator
        Parent of one stream per split.
    run : Run, optional
        How tasks are run; the numbers do not depend on it, but for fits that take
        longer than its limit.
    part : str
        Name of these splits in a record.
    what : str
        Words for the progress line.

    Returns
    -------
    Estimates
        With the reason where a split failed.
    """
    run = Run() if run is None else run
    folds = run.map(
        partial(_one_split, estimator, problem, run.time_limit),
        plan.splits,
        part=part,
        rng=rng,
        what=what,
        noted=fold_parts,
        restored=fold_from,
    )
    training = None
    if plan.sampling.is_weighed:
        everyone = np.arange(problem.n)
        whole = Split(train=everyone, test=everyone)
        one = run.map(
            partial(_one_split, estimator, problem, run.time_limit),
            [whole],
            part=f"{part}/all",
            rng=rng,
            what=what,
            noted=fold_parts,
            restored=fold_from,
        )[0]
        training = one.outcome
    return Estimates(problem=problem, plan=plan, folds=tuple(folds), training=training)


def _one_split(
    estimator: Any,
    problem: Problem,
    time_limit: float | None,
    split: Split,
    rng: np.random.Generator,
) -> FoldResult:
    return fit_and_test(estimator, problem, split, rng, time_limit=time_limit)
