"""Intervals for the mean of any vector of estimates, independent or overlapping."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.bounds.bound import Bound
from scorecast.guarantees.bounds.concentration import empirical_bernstein, hoeffding
from scorecast.guarantees.bounds.folds import (
    nadeau_bengio,
    normal,
    percentiles,
    student,
)
from scorecast.guarantees.bounds.proportions import wilson
from scorecast.guarantees.bounds.resampling import bca

__all__ = ["vector_bounds"]

_ASSUMES = {
    "normal": "repeats are independent, normal, and of known spread",
    "t": "repeats are independent and roughly normal",
    "delete-d": (
        "the mean varies from one data set to the next as subsamples suggest, their "
        "overlap allowed for"
    ),
    "percentile": "repeats show how results vary; it is not about their mean",
    "bca": "repeats are independent",
    "hoeffding": "repeats are independent; any distribution",
    "empirical-bernstein": "repeats are independent; any distribution",
}
_REASONS = {
    "t": "repeats are drawn anew, so that they are independent",
    "delete-d": "subsamples overlap, which the plain interval forgets",
}
_AGREE = "all repeats agree, so that their spread is unknown: a share of as many"


def vector_bounds(
    values: FloatArray,
    *,
    level: float,
    overlap: float = 0.0,
    limits: tuple[float, float] = (-math.inf, math.inf),
    rng: np.random.Generator,
    n_resamples: int = 1000,
) -> tuple[Bound, ...]:
    """Bound the mean of estimates in every way that fits them.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Estimates; those that are not finite are left out.
    level : float
        Confidence level.
    overlap : float, default=0
        What the variance of the mean has beyond 1/k, by that of one estimate: 0 for
        independent ones, b / (n - b) for subsamples of b of n (the delete-d
        jackknife).
    limits : tuple of float
        Least and greatest possible value.
    rng : numpy.random.Generator
        For the bootstrap.
    n_resamples : int, default=1000
        Bootstrap resamples; 0 leaves it out.

    Returns
    -------
    tuple of Bound
        One is recommended; none if there are fewer than two values.
    """
    known = values[np.isfinite(values)]
    if known.size < 2:
        return ()
    best = "delete-d" if overlap else "t"
    ends = {
        "normal": normal(known, level),
        "t": student(known, level),
        "percentile": percentiles(known, level),
    }
    if overlap:
        ends["delete-d"] = nadeau_bengio(known, level, overlap)
    else:
        ends |= _independent(known, level, limits, rng, n_resamples)
    return tuple(
        _proper(
            Bound(
                method=name,
                low=low,
                high=high,
                assumption=_ASSUMES[name],
                is_recommended=name == best,
                reason=_REASONS[name] if name == best else "",
            ),
            known,
            level,
            limits,
        )
        for name, (low, high) in ends.items()
        if not math.isnan(low)
    )


def _independent(
    values: FloatArray,
    level: float,
    limits: tuple[float, float],
    rng: np.random.Generator,
    n_resamples: int,
) -> dict[str, tuple[float, float]]:
    found = {}
    span = limits[1] - limits[0]
    if math.isfinite(span):
        mean = float(values.mean())
        found["hoeffding"] = hoeffding(mean, values.size, level, span)
        found["empirical-bernstein"] = empirical_bernstein(values, level, span)
    if n_resamples:

        def statistic(units: IntArray) -> float:
            return float(values[units].mean())

        one = np.zeros(values.size, dtype=np.int64)
        found["bca"] = bca(
            statistic, one, level=level, rng=rng, n_resamples=n_resamples
        )
    return found


def _proper(
    bound: Bound, values: FloatArray, level: float, limits: tuple[float, float]
) -> Bound:
    """Cut at the range; where repeats all agree, take a share of as many."""
    low, high = max(bound.low, limits[0]), min(bound.high, limits[1])
    if np.ptp(values) > 0:
        return replace(bound, low=low, high=high)
    span = limits[1] - limits[0]
    if not math.isfinite(span):
        return replace(bound, low=limits[0], high=limits[1], note=_AGREE)
    if bound.method in {"hoeffding", "empirical-bernstein"}:
        return replace(bound, low=low, high=high)
    share = (float(values[0]) - limits[0]) / span
    ends = wilson(share * values.size, values.size, level)
    return replace(
        bound,
        low=limits[0] + span * ends[0],
        high=limits[0] + span * ends[1],
        note=_AGREE,
    )
