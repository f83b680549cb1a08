"""How well each class is recognised, and what follows for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorecast._core.types import IntArray, Json
from scorecast.evaluation import wilson
from scorecast.guarantees.bounds import Bound
from scorecast.guarantees.estimates import Estimates
from scorecast.guarantees.group_units import n_independent
from scorecast.guarantees.problem import Problem

__all__ = ["ClassSensitivity", "across_classes", "class_sensitivities"]


@dataclass(frozen=True, kw_only=True)
class ClassSensitivity:
    """The share of one class that is recognised.

    Attributes
    ----------
    label : str
        The class.
    n : int
        Cases of it that were tested.
    estimate, low, high : float
        Share and its interval (Wilson).
    n_units : int
        Independent units: groups where cases come in groups, else cases.
    n_effective : float
        How many units the interval counts: fewer than there are where groups differ
        in size.
    specificity : float
        Share of the cases of all other classes that are not taken for this one.
    specificity_low, specificity_high : float
        Its interval (Wilson).
    """

    label: str
    n: int
    estimate: float
    low: float
    high: float
    n_units: int
    n_effective: float
    specificity: float = math.nan
    specificity_low: float = math.nan
    specificity_high: float = math.nan

    def interval(self, level: float) -> tuple[float, float]:
        """Return Wilson's interval, of groups where there are any."""
        n = self.n_effective
        return wilson(self.estimate * n, n, level)

    @classmethod
    def from_json(cls, row: Json) -> ClassSensitivity:
        """Rebuild from JSON, where what is not finite is null."""
        facts: Json = {k: math.nan if v is None else v for k, v in row.items()}
        if "n_effective" not in facts:
            # Files of earlier versions kept one number for both, 0 without groups.
            facts["n_effective"] = float(facts.get("n_units") or facts["n"])
            facts["n_units"] = round(facts["n_effective"])
        return cls(**facts)


def class_sensitivities(
    estimates: Estimates, level: float
) -> tuple[ClassSensitivity, ...]:
    """Measure the sensitivity of every class over all tests.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    level : float
        Level of every interval by itself.

    Returns
    -------
    tuple of ClassSensitivity
        In the order of the classes; empty for numbers, and without classes that were
        never tested.
    """
    problem = estimates.problem
    if not problem.is_classification:
        return ()
    pooled, rows = estimates.pooled(), estimates.tested()
    right = pooled.truth == pooled.predicted
    found = []
    for code, label in enumerate(problem.classes):
        own = pooled.truth == code
        if not own.any():
            continue
        n, units, effective = _counted(problem, rows[own])
        row = ClassSensitivity(
            label=str(label),
            n=n,
            estimate=_mean_of_cases(right[own], rows[own]),
            low=0.0,
            high=1.0,
            n_units=units,
            n_effective=effective,
        )
        low, high = row.interval(level)
        spared = _spared(problem, pooled.predicted != code, ~own, rows, level)
        found.append(replace(row, low=low, high=high, **spared))
    return tuple(found)


def _spared(
    problem: Problem,
    spared: np.ndarray,
    others: np.ndarray,
    rows: IntArray,
    level: float,
) -> Json:
    """Measure the specificity, with its interval."""
    if not others.any():
        return {}
    n = _counted(problem, rows[others])[2]
    share = _mean_of_cases(spared[others], rows[others])
    low, high = wilson(share * n, n, level)
    return {"specificity": share, "specificity_low": low, "specificity_high": high}


def _counted(problem: Problem, rows: IntArray) -> tuple[int, int, float]:
    """Count cases, independent units among them, and what these count in the mean."""
    cases = np.unique(rows)
    if problem.groups is None:
        return cases.size, cases.size, float(cases.size)
    groups = problem.groups[cases]
    return cases.size, np.unique(groups).size, n_independent(groups, cases.size)


def _mean_of_cases(right: np.ndarray, rows: IntArray) -> float:
    """Average over tests of a case, then over cases."""
    case = np.unique(rows, return_inverse=True)[1]
    times = np.bincount(case)
    return float((np.bincount(case, weights=right) / times).mean())


def across_classes(sensitivities: Sequence[ClassSensitivity], level: float) -> Bound:
    """Bound the mean sensitivity by those of all classes at once.

    Parameters
    ----------
    sensitivities : sequence of ClassSensitivity
        Of every class.
    level : float
        Level of the bound; every class gets an equal part of what may go wrong.

    Returns
    -------
    Bound
        For the balanced accuracy.
    """
    each = 1 - (1 - level) / len(sensitivities)
    ends = [row.interval(each) for row in sensitivities]
    grouped = any(row.n_units < row.n for row in sensitivities)
    low, high = np.mean(ends, axis=0)
    return Bound(
        method="across-classes",
        low=float(low),
        high=float(high),
        assumption=f"{'groups' if grouped else 'cases'} are independent; holds for "
        "every class at once",
    )
