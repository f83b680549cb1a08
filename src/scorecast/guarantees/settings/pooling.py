"""Bounds that hold over many settings."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from scorecast._core.types import FloatArray, Json
from scorecast.guarantees.settings.estimate import SettingEstimate

__all__ = ["SettingBound", "bounds_over_settings", "weighted_bound"]

_ASSUMES = {
    "conservative": (
        "from the lowest to the highest end over all settings: no setting of these "
        "lies outside, each at its level"
    ),
    "pooled": "of the mean over these settings, each counting the same",
    "weighted": "of the mean over these settings, each by its weight",
    "new-setting": (
        "of one more setting like these, as if they were drawn at random and normal"
    ),
}


@dataclass(frozen=True, kw_only=True)
class SettingBound:
    """An interval over several settings.

    Attributes
    ----------
    model, loss : str
        Whose, and through which loss.
    method : str
        ``"conservative"``, ``"pooled"``, ``"weighted"`` or ``"new-setting"``.
    estimate, low, high : float
        Value and ends.
    n_settings : int
        Over how many.
    assumption : str
        What it says and rests on.
    """

    model: str
    loss: str
    method: str
    estimate: float
    low: float
    high: float
    n_settings: int
    assumption: str

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)


def bounds_over_settings(
    rows: Sequence[SettingEstimate], weights: FloatArray | None, level: float
) -> tuple[SettingBound, ...]:
    """Bound one loss of one model over settings in every way.

    Parameters
    ----------
    rows : sequence of SettingEstimate
        Known ones, of one model and loss.
    weights : ndarray or None
        One per row; by number of cases if None.
    level : float
        Confidence level.

    Returns
    -------
    tuple of SettingBound
        Empty without rows.
    """
    if not rows:
        return ()
    estimates = np.array([row.estimate for row in rows])
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    found = [_bound(rows, "conservative", float(estimates.mean()), low, high)]
    equal = np.ones(len(rows))
    found.append(weighted_bound(rows, equal, level, "pooled"))
    if weights is None:
        # Known numbers: weights from estimated errors favour settings that look sure
        # by luck, and such intervals of 90 % held 72 % of the time.
        weights = np.array([float(row.n * len(row.sets)) for row in rows])
    found.append(weighted_bound(rows, weights, level, "weighted"))
    if len(rows) > 2:
        spread = float(estimates.std(ddof=1)) * math.sqrt(1 + 1 / len(rows))
        half = float(stdtrit(len(rows) - 1, 0.5 + level / 2)) * spread
        middle = float(estimates.mean())
        of_mean = _half_width(rows, equal, level)
        if len({row.data for row in rows}) < len(rows):
            # Settings of the same data err together, which their spread cannot show.
            half = math.hypot(half, of_mean)
        # Were all settings the same, one more would lie where their mean does.
        half = max(half, of_mean)
        found.append(_bound(rows, "new-setting", middle, middle - half, middle + half))
    return tuple(found)


def weighted_bound(
    rows: Sequence[SettingEstimate], weights: FloatArray, level: float, method: str
) -> SettingBound:
    """Bound a weighted mean over settings.

    Settings with the same data err together, those with other data apart.

    Parameters
    ----------
    rows : sequence of SettingEstimate
        Known ones, of one model and loss.
    weights : ndarray
        One per row.
    level : float
        Confidence level.
    method : str
        Name of the bound.

    Returns
    -------
    SettingBound
        Student's, with the degrees of freedom of Welch and Satterthwaite; of a single
        setting its own, which need not be even on both sides.
    """
    if len(rows) == 1:
        only = rows[0]
        return _bound(rows, method, only.estimate, only.low, only.high)
    middle = float(weights / weights.sum() @ [row.estimate for row in rows])
    half = _half_width(rows, weights, level)
    return _bound(rows, method, middle, middle - half, middle + half)


def _half_width(
    rows: Sequence[SettingEstimate], weights: FloatArray, level: float
) -> float:
    """Return half the width of the interval of a weighted mean."""
    shares = weights / weights.sum()
    errors: dict[str, float] = defaultdict(float)
    least: dict[str, float] = defaultdict(float)
    freedom: dict[str, float] = {}
    for share, row in zip(shares, rows, strict=True):
        errors[row.data] += float(share) * row.stderr
        least[row.data] += float(share) * row.case_error
        freedom[row.data] = min(freedom.get(row.data, math.inf), row.df)
    # Errors that are small by luck in many settings are so together, too.
    floor = float(ndtri(0.5 + level / 2)) * math.hypot(*least.values())
    variance = sum(error**2 for error in errors.values())
    if variance == 0:
        return floor
    df = variance**2 / sum(errors[k] ** 4 / freedom[k] for k in errors)
    return max(floor, float(stdtrit(df, 0.5 + level / 2)) * math.sqrt(variance))


def _bound(
    rows: Sequence[SettingEstimate], method: str, middle: float, low: float, high: float
) -> SettingBound:
    low, high = rows[0].within(low, high)
    return SettingBound(
        model=rows[0].model,
        loss=rows[0].loss,
        method=method,
        estimate=middle,
        low=low,
        high=high,
        n_settings=len(rows),
        assumption=_ASSUMES[method],
    )
