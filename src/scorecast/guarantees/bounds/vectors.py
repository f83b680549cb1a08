"""Intervals for the mean of any vector of estimates, independent or overlapping."""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation import (
    bca,
    empirical_bernstein,
    hoeffding,
    nadeau_bengio,
    normal,
    percentile as percentiles,
    student,
    wilson,
)
from scorecast.guarantees.bounds.bound import Bound

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
    "wilson": "as if it were the share of right ones among as many independent cases",
    "range": "the value lies where values of this kind can lie",
}
_REASONS = {
    "t": "repeats are drawn anew, so that they are independent",
    "delete-d": "subsamples overlap, which the plain interval forgets",
}


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
    known_ends = {name: span for name, span in ends.items() if span[0] == span[0]}
    note = ""
    if np.ptp(known) == 0:
        best, known_ends, note = _agreed(known, level, limits, known_ends)
    return tuple(
        Bound(
            method=name,
            low=max(low, limits[0]),
            high=min(high, limits[1]),
            assumption=_ASSUMES[name],
            is_recommended=name == best,
            reason=_REASONS.get(name, "") if name == best else "",
            note=note if name == best else "",
        )
        for name, (low, high) in known_ends.items()
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


def _agreed(
    values: FloatArray,
    level: float,
    limits: tuple[float, float],
    ends: dict[str, tuple[float, float]],
) -> tuple[str, dict[str, tuple[float, float]], str]:
    """Return the interval to quote where repeats agree, those left, and a note."""
    any_values = ("hoeffding", "empirical-bernstein")
    lost = [name for name in ends if name not in any_values]
    note = f"all repeats agree, so that {', '.join(lost)} have no width; this one "
    span, n = limits[1] - limits[0], values.size
    if not math.isfinite(span):
        return "range", {"range": limits}, f"{note}is all that can be"
    share = (float(values[0]) - limits[0]) / span
    low, high = wilson(share * n, n, level)
    kept = {name: ends[name] for name in any_values if name in ends}
    kept["wilson"] = (limits[0] + span * low, limits[0] + span * high)
    return "wilson", kept, f"{note}rests on their number, {n}"
