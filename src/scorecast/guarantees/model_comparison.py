"""Models side by side on the same folds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
from scipy.special import stdtr

from scorecast._core.rounding import steady
from scorecast._core.types import FloatArray, Json
from scorecast.guarantees.bounds import nadeau_bengio

__all__ = ["ModelComparison", "compare_models", "corrected_t"]


@dataclass(frozen=True, kw_only=True)
class ModelComparison:
    """Two models on the same folds.

    Attributes
    ----------
    a, b : str
        The models.
    loss : str
        The loss.
    difference : float
        Value of `a` less that of `b`.
    low, high : float
        Its interval, corrected for overlap; NaN where p is.
    p : float
        Two-sided p-value of the corrected resampled t-test; NaN where all differences
        are the same, 0 among them: their spread cannot be seen, and nothing is claimed.
    p_adjusted : float
        The same after Holm, for all pairs.
    """

    a: str
    b: str
    loss: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float

    @property
    def is_same(self) -> bool:
        """Whether no fold tells the two apart: no difference is observable."""
        return self.difference == 0 and math.isnan(self.p)

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)


def corrected_t(values: FloatArray, test_ratio: float) -> tuple[float, float]:
    """Return the corrected resampled t of Nadeau and Bengio, and its two-sided p.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Differences of folds.
    test_ratio : float
        Cases tested per case learned from.

    Returns
    -------
    tuple of float
        0 and 1 where there is no difference; NaN where all differences are the same
        but not 0.
    """
    if values.size < 2 or np.ptp(values) == 0:
        same = values.size >= 2 and not values.any()
        return (0.0, 1.0) if same else (math.nan, math.nan)
    error = np.std(values, ddof=1) * math.sqrt(1 / values.size + test_ratio)
    t = float(values.mean() / error)
    return t, 2 * float(stdtr(values.size - 1, -abs(t)))


def compare_models(
    folds: Mapping[str, FloatArray], loss: str, test_ratio: float, level: float
) -> tuple[ModelComparison, ...]:
    """Compare every pair of models.

    Parameters
    ----------
    folds : mapping of str to ndarray
        Values of the folds of every model, the same folds for all.
    loss : str
        The loss.
    test_ratio : float
        Cases tested per case learned from.
    level : float
        Level of the intervals.

    Returns
    -------
    tuple of ModelComparison
        One per pair.
    """
    rows = []
    for a, b in combinations(folds, 2):
        if np.isinf(folds[a]).any() or np.isinf(folds[b]).any():
            continue  # without these folds the worst would be left out
        gaps = _gaps(folds[a], folds[b])
        if gaps.size >= 2:
            # Without a spread nothing is claimed: no interval of no width, no p of 1.
            p = corrected_t(gaps, test_ratio)[1] if gaps.any() else math.nan
            ends = (math.nan, math.nan)
            if not math.isnan(p):
                ends = nadeau_bengio(gaps, level, test_ratio)
            rows.append((a, b, float(gaps.mean()), *ends, p))
    adjusted = _holm([row[5] for row in rows])
    return tuple(
        ModelComparison(
            a=a, b=b, loss=loss, difference=gap, low=low, high=high, p=p, p_adjusted=q
        )
        for (a, b, gap, low, high, p), q in zip(rows, adjusted, strict=True)
    )


def _gaps(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the known differences, without what only rounding made."""
    known = np.isfinite(first) & np.isfinite(second)
    first, second = first[known], second[known]
    return steady(first - second, np.maximum(np.abs(first), np.abs(second)))


def _holm(p_values: list[float]) -> list[float]:
    """Adjust p-values; those unknown stay so, but count as comparisons."""
    order = sorted(
        range(len(p_values)), key=lambda i: (math.isnan(p_values[i]), p_values[i])
    )
    adjusted, largest = [math.nan] * len(p_values), 0.0
    for place, i in enumerate(order):
        if not math.isnan(p_values[i]):
            largest = max(largest, min((len(p_values) - place) * p_values[i], 1.0))
            adjusted[i] = largest
    return adjusted
