"""DeLong's interval of an area that is the mean of folds."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from scorecast._core.types import FloatArray
from scorecast.guarantees.delong import area_influence
from scorecast.guarantees.estimates import Estimates
from scorecast.guarantees.outcomes import Outcome

__all__ = ["fold_areas"]


def fold_areas(estimates: Estimates, level: float) -> tuple[float, float]:
    """Return DeLong's interval of the mean area of all folds.

    A case (or group) tested several times counts once: what it adds to the error is
    summed over the folds first.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; NaN where a fold has fewer than two cases of a class, or no
        scores.
    """
    problem = estimates.problem
    parts: FloatArray = np.zeros(problem.n)
    areas = []
    tested = [fold for fold in estimates.folds if fold.outcome is not None]
    for fold in tested:
        found = None if fold.outcome is None else _mean_area(fold.outcome)
        if found is None:
            return math.nan, math.nan
        areas.append(found[0])
        np.add.at(parts, fold.test, found[1] / len(tested))
    if not areas:
        return math.nan, math.nan
    if problem.groups is not None:
        _, unit = np.unique(problem.groups, return_inverse=True)
        parts = np.bincount(unit, weights=parts).astype(np.float64)
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(float((parts**2).sum()))
    return float(np.mean(areas)) - half, float(np.mean(areas)) + half


def _mean_area(outcome: Outcome) -> tuple[float, FloatArray] | None:
    """Average the areas of every class against the rest; of two, one is enough."""
    scores = outcome.scores
    if scores is None:
        return None
    two = outcome.n_classes == 2
    found = []
    for code in (1,) if two else range(outcome.n_classes):
        own = outcome.truth == code
        if min(int(own.sum()), int((~own).sum())) < 2:
            return None
        column = scores[:, 1] - scores[:, 0] if two else scores[:, code]
        found.append(area_influence(own, column))
    return (
        float(np.mean([area for area, _ in found])),
        np.mean([part for _, part in found], axis=0),
    )
