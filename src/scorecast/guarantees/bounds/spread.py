"""How far a value moves with the cases that happen to be tested."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from scorecast._core.types import FloatArray
from scorecast.guarantees.estimates import Estimates, LossSample

__all__ = ["case_error", "case_spread"]


def case_spread(
    estimates: Estimates, sample: LossSample, level: float
) -> tuple[float, float] | None:
    """Return Student's interval from what each case (or group) adds to the value.

    Folds drawn by class hold every class in its share, so that their values agree more
    than those of other cases would. For a mean of cases this is the interval of their
    losses. A value of counts (balanced accuracy, F1, MCC) moves by what leaving out a
    case of its cell of the table changes.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    sample : LossSample
        Their values.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float or None
        Low and high; None for losses of numbers or of ranks, and where nothing moves.
    """
    error = case_error(estimates, sample)
    if error is None:
        return None
    n = len(estimates.units()[0])
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    middle = sample.estimate - sample.shift
    # What is left of equal values is rounding.
    return None if half <= 1e-12 * (1 + abs(middle)) else (middle - half, middle + half)


def case_error(estimates: Estimates, sample: LossSample) -> float | None:
    """Return the standard error from what each case (or group) adds to the value.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    sample : LossSample
        Their values.

    Returns
    -------
    float or None
        None for losses of numbers or of ranks, and where it is not known.
    """
    loss = sample.loss
    if loss.task != "classification" or (
        sample.tests is None and loss.needs != "labels"
    ):
        return None
    moves = _moves(estimates, sample)
    tests, _ = estimates.units()
    each = np.array([moves[own].sum() for own in tests])
    if each.size < 2 or not np.isfinite(each).all():
        return None
    return float(np.std(each, ddof=1)) * math.sqrt(each.size)


def _moves(estimates: Estimates, sample: LossSample) -> FloatArray:
    """Return by how much each test moves the value."""
    if sample.tests is not None:
        moved: FloatArray = (sample.tests - sample.tests.mean()) / sample.tests.size
        return moved
    pooled = estimates.pooled()
    value = sample.loss.measure(pooled)
    cells = pooled.truth * pooled.n_classes + pooled.predicted
    # Tests of one cell are alike: one of each is left out.
    _, first, cell = np.unique(cells, return_index=True, return_inverse=True)
    everyone = np.arange(cells.size)
    without = [sample.loss.measure(pooled.take(np.delete(everyone, i))) for i in first]
    # As of the jackknife, so that a mean of cases would get the same.
    changes: FloatArray = (value - np.array(without)) * (1 - 1 / cells.size)
    return changes[cell]
