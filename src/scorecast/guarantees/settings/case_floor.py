"""The error that the number of cases leaves, however well data sets agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from scorecast.evaluation import wilson
from scorecast.guarantees.bounds.areas import fold_areas
from scorecast.guarantees.bounds.spread import case_error
from scorecast.guarantees.estimates import Estimates, LossSample

if TYPE_CHECKING:
    from scorecast.guarantees.settings.estimate import SetScores

__all__ = ["CaseFloor", "case_floor", "error_of_cases"]

_LEVEL = 0.95  # of an interval that is only turned back into an error


class CaseFloor(NamedTuple):
    """Interval of several data sets, from their cases alone."""

    low: float
    high: float
    error: float
    df: float


def error_of_cases(estimates: Estimates, sample: LossSample) -> float:
    """Return the standard error of one data set, from its cases alone.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    sample : LossSample
        Their values.

    Returns
    -------
    float
        0 where all cases are alike; NaN for a share of cases, whose error follows
        from their number.
    """
    loss = sample.loss
    if loss.is_binary or loss.name == "posterior-error":
        return math.nan
    if loss.task == "classification":
        if loss.name == "auc":
            low, high = fold_areas(estimates, _LEVEL)
            if math.isfinite(high - low):
                return (high - low) / 2 / float(ndtri(0.5 + _LEVEL / 2))
        found = case_error(estimates, sample)
        if found is not None:
            return found
    values = sample.known_folds if sample.cases is None else sample.cases
    if values.size < 2 or np.ptp(values) == 0:
        return 0.0
    return float(np.std(values, ddof=1)) / math.sqrt(values.size)


def case_floor(
    sets: Sequence[SetScores], limits: tuple[float, float], level: float
) -> CaseFloor:
    """Bound the mean of data sets by the number of their cases.

    A few data sets may score alike by luck; their spread then says nothing.

    Parameters
    ----------
    sets : sequence of SetScores
        Independent data sets.
    limits : tuple of float
        Least and greatest value of the loss.
    level : float
        Level of the interval.

    Returns
    -------
    CaseFloor
        Wilson's for shares, and where all cases are alike; else Student's of what
        each case adds. Without an end for losses that have none.
    """
    middle = float(np.mean([one.estimate for one in sets]))
    errors = np.array([one.case_error for one in sets])
    units = sum(one.units for one in sets)
    if errors.any() and np.isfinite(errors).all():
        df = max(units - len(sets), 1.0)
        error = float(np.sqrt((errors**2).sum())) / len(sets)
        half = float(stdtrit(df, 0.5 + level / 2)) * error
        return CaseFloor(middle - half, middle + half, error, df)
    low, high = limits
    df = max(units - 1, 1.0)
    if not math.isfinite(high - low):
        return CaseFloor(low, high, math.inf, df)
    share = float(np.clip((middle - low) / (high - low), 0, 1))
    ends = [low + (high - low) * end for end in wilson(share * units, units, level)]
    # An interval at the end of the scale has one side only: the longer counts.
    half = max(ends[1] - middle, middle - ends[0])
    error = half / float(stdtrit(df, 0.5 + level / 2))
    return CaseFloor(ends[0], ends[1], error, df)
