"""What is known of all cases alike: the smoothed curve of the training cases."""

from __future__ import annotations

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.recurrence.population import fit_population

__all__ = ["CURVE", "curve_of_all"]

CURVE = "curve"


def curve_of_all(
    time: FloatArray, event: BoolArray, folds: IntArray, at: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Predict every case by the smoothed Kaplan-Meier curve of the other folds.

    Exponential attrition is easily beaten by anything that knows how risk changes with
    time, covariates or not. This curve knows that, too, and nothing of the case.

    Parameters
    ----------
    time, event : array of shape (n,)
        What was seen.
    folds : array of shape (repeats, n)
        Fold of every case.
    at : array of shape (T,)
        Times at which survival is read.

    Returns
    -------
    tuple of arrays of shape (n,), (n,) and (n, T)
        Log density (or survival) of what was seen, survival then, and survival at the
        times; means over repeats.
    """
    n, repeats = len(time), len(folds)
    known, then, curves = np.zeros(n), np.zeros(n), np.zeros((n, len(at)))
    for row in folds:
        for fold in np.unique(row):
            out = row == fold
            found = fit_population("kaplan-meier", time[~out], event[~out])
            tail = found.log_survival(time[out])
            known[out] += np.where(event[out], found.log_density(time[out]), tail)
            then[out] += np.exp(tail)
            curves[out] += np.exp(found.log_survival(at))
    return known / repeats, then / repeats, curves / repeats
