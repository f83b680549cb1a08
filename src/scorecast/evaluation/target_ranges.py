"""How far predictions are off over the range of the target, as recalls are of classes.

A single error hides where it is made. Samples are put into ranges of equally many by
their true value, and in each the mean error (bias) and its size (RMSE) are looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.estimates import Estimates

_MOST_RANGES = 5
_FEWEST_SAMPLES = 10  # in a range: below, its interval is of no use


@dataclass(frozen=True, kw_only=True)
class TargetRange:
    """Errors of the samples whose target lies in a range.

    Attributes
    ----------
    low, high : float
        Least and greatest true value in it.
    n_samples : int
        Samples that were tested.
    n_units : int
        Independent units: groups where samples come in groups, else samples.
    bias : float
        Mean of prediction less truth: above zero where predictions are too high.
    bias_low, bias_high : float
        Its interval (Student's over units); NaN for a single unit.
    rmse : float
        Root of the mean squared error.
    """

    low: float
    high: float
    n_samples: int
    n_units: int
    bias: float
    bias_low: float
    bias_high: float
    rmse: float


def target_ranges(estimates: Estimates, level: float) -> tuple[TargetRange, ...]:
    """Measure errors range by range, over all tests.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    level : float
        Level of every interval by itself.

    Returns
    -------
    tuple of TargetRange
        From the lowest targets to the highest: up to five ranges of about equally many
        samples, ten at least in each. Equal targets are in one range. Empty for
        classes, and where there would be only one.
    """
    data = estimates.data
    if data.is_classification or estimates.is_empty:
        return ()
    pooled, rows = estimates.pooled(), estimates.tested()
    samples, first, sample = np.unique(rows, return_index=True, return_inverse=True)
    truth = np.asarray(pooled.truth, dtype=np.float64)
    error = np.asarray(pooled.predicted, dtype=np.float64) - truth
    times = np.bincount(sample)
    # A sample that was tested more often counts once.
    mean = np.bincount(sample, weights=error) / times
    square = np.bincount(sample, weights=error**2) / times
    target = truth[first]
    place = _places(target)
    if place.max() == 0:
        return ()
    units = data.units[samples]
    return tuple(
        _range(target[own], mean[own], square[own], units[own], level)
        for own in (place == k for k in range(int(place.max()) + 1))
    )


def _places(target: FloatArray) -> IntArray:
    """Return the number of the range of every sample, equal targets together."""
    n = min(_MOST_RANGES, target.size // _FEWEST_SAMPLES)
    if n < 2:
        return np.zeros(target.size, dtype=np.int64)
    edges = np.quantile(target, np.arange(1, n) / n)
    place = np.searchsorted(edges, target, side="left")
    # Where many targets are equal, ranges between edges may be empty.
    return np.unique(place, return_inverse=True)[1].astype(np.int64)


def _range(
    target: FloatArray,
    error: FloatArray,
    square: FloatArray,
    units: IntArray,
    level: float,
) -> TargetRange:
    names, unit = np.unique(units, return_inverse=True)
    bias, half = float(error.mean()), math.nan
    if names.size > 1:
        # What a group has in common errs together: its errors are summed up first.
        sums = np.bincount(unit, weights=error - bias)
        variance = float((sums**2).sum()) * names.size / (names.size - 1)
        stderr = math.sqrt(variance) / error.size
        half = float(scipy.special.stdtrit(names.size - 1, 0.5 + level / 2)) * stderr
    return TargetRange(
        low=float(target.min()),
        high=float(target.max()),
        n_samples=int(target.size),
        n_units=int(names.size),
        bias=bias,
        bias_low=bias - half,
        bias_high=bias + half,
        rmse=math.sqrt(float(square.mean())),
    )
