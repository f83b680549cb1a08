"""How large a difference is, whatever its p-value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scorecast._core.rounding import steady
from scorecast._core.types import FloatArray


@dataclass(frozen=True, kw_only=True)
class EffectSize:
    """Sizes of a difference, first less second, in the units of the values.

    Attributes
    ----------
    difference, low, high : float
        The difference with its interval.
    cliffs_delta : float
        Chance that a value of the first is above one of the second, less the reverse;
        NaN where single samples have no values.
    cohens_d : float
        Difference of means in mean standard deviations; NaN without any.
    wins, ties, losses : int or None
        How often the first is better, as good, worse on the same row; None where
        single samples have no values.
    """

    difference: float
    low: float
    high: float
    cliffs_delta: float
    cohens_d: float
    wins: int | None
    ties: int | None
    losses: int | None

    def turned(self) -> EffectSize:
        """Return the same of the second less the first."""
        return EffectSize(
            difference=0.0 - self.difference,
            low=0.0 - self.high,
            high=0.0 - self.low,
            cliffs_delta=0.0 - self.cliffs_delta,
            cohens_d=0.0 - self.cohens_d,
            wins=self.losses,
            ties=self.ties,
            losses=self.wins,
        )


def cliffs_delta(first: FloatArray, second: FloatArray) -> float:
    """Return Cliff's delta of two samples, pairs ignored; from -1 to 1.

    Examples
    --------
    >>> cliffs_delta(np.array([1.0, 2, 3]), np.array([2.0, 3, 4]))
    -0.5555555555555556
    """
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, side="left").sum()
    upto = np.searchsorted(ordered, first, side="right").sum()
    pairs = first.size * second.size
    return float((below - (pairs - upto)) / pairs)


def cohens_d(first: FloatArray, second: FloatArray) -> float:
    """Return the difference of means in units of the mean standard deviation.

    0 where the means are equal, NaN where nothing varies but they are not.
    """
    gap = float(first.mean() - second.mean())
    if gap == 0 or first.size < 2:
        return 0.0 if gap == 0 else math.nan
    spread = math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    return gap / spread if spread > 1e-12 * abs(gap) else math.nan


def differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return first less second, without what only rounding made."""
    return steady(first - second, np.maximum(np.abs(first), np.abs(second)))


def effect_size(
    values: tuple[FloatArray, FloatArray] | None,
    ends: tuple[float, float, float],
    *,
    greater_is_better: bool,
) -> EffectSize:
    """Measure a difference in every usual way.

    Parameters
    ----------
    values : tuple of ndarray of shape (n,), or None
        Values of both on the same rows, where single rows have any.
    ends : tuple of float
        Difference, low and high.
    greater_is_better : bool
        Which way is better, for wins and losses.

    Returns
    -------
    EffectSize
        All of them.
    """
    delta, d = math.nan, math.nan
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    if values is not None:
        first, second = values
        gaps = differences(first, second)
        above, below = int((gaps > 0).sum()), int((gaps < 0).sum())
        is_same = above == below == 0
        delta = 0.0 if is_same else cliffs_delta(first, second)
        d = 0.0 if is_same else cohens_d(first, second)
        wins, losses = (above, below) if greater_is_better else (below, above)
        ties = gaps.size - above - below
    return EffectSize(
        difference=ends[0],
        low=ends[1],
        high=ends[2],
        cliffs_delta=delta,
        cohens_d=d,
        wins=wins,
        ties=ties,
        losses=losses,
    )
