"""Bootstrap intervals that are corrected for bias and acceleration (BCa)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import FloatArray, IntArray

Statistic: TypeAlias = Callable[[IntArray], float]


def bca(
    statistic: Statistic,
    strata: IntArray,
    *,
    level: float,
    rng: np.random.Generator,
    n_resamples: int = 1000,
) -> tuple[float, float]:
    """Return the BCa interval of a statistic of units (Efron 1987).

    Parameters
    ----------
    statistic : callable
        From numbers of units, with repetition, to the statistic.
    strata : ndarray of int of shape (n_units,)
        Stratum of every unit; each keeps its size.
    level : float
        Confidence level.
    rng : numpy.random.Generator
        Where resamples come from.
    n_resamples : int, default=1000
        How many.

    Returns
    -------
    tuple of float
        Low and high; NaN if the statistic is mostly undefined.
    """
    everyone = np.arange(strata.size)
    observed = statistic(everyone)
    drawn = np.array([statistic(u) for u in resampled_units(strata, n_resamples, rng)])
    drawn = drawn[np.isfinite(drawn)]
    if not math.isfinite(observed) or drawn.size < n_resamples / 2:
        return math.nan, math.nan
    left = np.array([statistic(np.delete(everyone, i)) for i in everyone])
    shift, acceleration = _bias(drawn, observed), _acceleration(left)
    ends = []
    for tail in (0.5 - level / 2, 0.5 + level / 2):
        moved = shift + float(scipy.special.ndtri(tail))
        ends.append(
            float(scipy.special.ndtr(shift + moved / (1 - acceleration * moved)))
        )
    low, high = np.quantile(drawn, ends)
    return float(low), float(high)


def resampled_units(
    strata: IntArray, n_resamples: int, rng: np.random.Generator
) -> Sequence[IntArray]:
    """Draw units with replacement within every stratum."""
    members = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    return [
        np.concatenate([m[rng.integers(0, m.size, m.size)] for m in members])
        for _ in range(n_resamples)
    ]


def _bias(drawn: FloatArray, observed: float) -> float:
    # Ties count half, or a statistic with few values would look biased.
    below = np.mean(drawn < observed) + np.mean(drawn == observed) / 2
    edge = 1 / (2 * drawn.size)
    return float(scipy.special.ndtri(np.clip(below, edge, 1 - edge)))


def _acceleration(left: FloatArray) -> float:
    """Return the skewness of what leaving out each unit does (jackknife)."""
    known = left[np.isfinite(left)]
    if known.size < 2 or np.ptp(known) == 0:
        return 0.0
    away = known.mean() - known
    return float((away**3).sum() / (6 * (away**2).sum() ** 1.5))
