"""Models side by side on the same folds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np

from scorecast._core.rounding import steady
from scorecast._core.types import FloatArray, Json
from scorecast.evaluation import adjust_p_values, corrected_t, nadeau_bengio

__all__ = ["ModelComparison", "compare_models"]


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
    adjusted = adjust_p_values([row[5] for row in rows]).tolist()
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
