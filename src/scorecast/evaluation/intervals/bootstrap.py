"""Intervals from resamples (BCa), and from what each sample adds (jackknife)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.estimates import Estimates, MetricSample
from scorecast.evaluation.metrics import Needs, Task

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

    References
    ----------
    B. Efron (1987). Better bootstrap confidence intervals. Journal of the American
    Statistical Association 82, 171-185.

    Examples
    --------
    >>> values = np.random.default_rng(0).exponential(size=30)
    >>> low, high = bca(
    ...     lambda units: values[units].mean(),
    ...     np.zeros(30, dtype=int),
    ...     level=0.95,
    ...     rng=np.random.default_rng(1),
    ... )
    >>> bool(low < values.mean() < high)
    True
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


def jackknife_interval(
    estimates: Estimates, sample: MetricSample, level: float
) -> tuple[float, float] | None:
    """Return Student's interval from what each sample (or group) adds to the value.

    Folds drawn by class hold every class in its share, so that their values agree more
    than those of other samples would. For a mean of samples this is the interval of
    their values. A value of counts (balanced accuracy, F1, MCC) moves by what leaving
    out a sample of its cell of the table changes.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    sample : MetricSample
        Their values.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float or None
        Low and high; None for metrics of numbers or of ranks, and where nothing moves.
    """
    error = jackknife_error(estimates, sample)
    if error is None:
        return None
    n, middle = len(estimates.units()[0]), sample.left_out
    half = float(scipy.special.stdtrit(n - 1, 0.5 + level / 2)) * error
    # What is left of equal values is rounding.
    return None if half <= 1e-12 * (1 + abs(middle)) else (middle - half, middle + half)


def jackknife_error(estimates: Estimates, sample: MetricSample) -> float | None:
    """Return the standard error from what each sample (or group) adds to the value.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    sample : MetricSample
        Their values.

    Returns
    -------
    float or None
        None for metrics of numbers or of ranks, and where it is not known.
    """
    metric = sample.metric
    is_counted = sample.tests is not None or metric.needs is Needs.LABELS
    if metric.task is not Task.CLASSIFICATION or not is_counted:
        return None
    moves = _moves(estimates, sample)
    tests, _ = estimates.units()
    each = np.array([moves[own].sum() for own in tests])
    if each.size < 2 or not np.isfinite(each).all():
        return None
    return float(np.std(each, ddof=1)) * math.sqrt(each.size)


def _moves(estimates: Estimates, sample: MetricSample) -> FloatArray:
    """Return by how much each test moves the value."""
    if sample.tests is not None:
        moved: FloatArray = (sample.tests - sample.tests.mean()) / sample.tests.size
        return moved
    pooled, metric = estimates.pooled(), sample.metric
    value = metric.measure(pooled)
    cells = pooled.truth * pooled.n_classes + pooled.predicted
    # Tests of one cell are alike: one of each is left out.
    _, first, cell = np.unique(cells, return_index=True, return_inverse=True)
    everyone = np.arange(cells.size)
    without = [metric.measure(pooled.take(np.delete(everyone, i))) for i in first]
    # As of the jackknife, so that a mean of samples would get the same.
    changes: FloatArray = (value - np.array(without)) * (1 - 1 / cells.size)
    return changes[cell]
