"""What one factor does, the others being what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from scorecast._core.types import Json
from scorecast.guarantees.settings.estimate import SettingEstimate
from scorecast.guarantees.settings.pooling import weighted_bound

__all__ = ["FactorView", "factor_views"]


@dataclass(frozen=True, kw_only=True)
class FactorView:
    """One value of one factor.

    Attributes
    ----------
    model, loss, factor, value : str
        Whose, through which loss, and where.
    estimate, low, high : float
        Pooled over the settings with this value.
    spread : float
        Mean standard deviation of the folds of such a setting.
    n_settings : int
        How many there are.
    """

    model: str
    loss: str
    factor: str
    value: str
    estimate: float
    low: float
    high: float
    spread: float
    n_settings: int

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)


def factor_views(
    rows: Sequence[SettingEstimate], *, usual: dict[str, str], level: float
) -> tuple[FactorView, ...]:
    """Look at every factor with two values or more.

    Parameters
    ----------
    rows : sequence of SettingEstimate
        Known ones, of one model and loss.
    usual : dict of str to str
        Defaults of a design of one factor at a time: other factors are held there.
        Empty for a grid, in which they are averaged over.
    level : float
        Level of the intervals.

    Returns
    -------
    tuple of FactorView
        Factor by factor, value by value.
    """
    found = []
    for factor in rows[0].values if rows else ():
        values = list(dict.fromkeys(str(row.values[factor]) for row in rows))
        if len(values) < 2:
            continue
        for value in values:
            own = [
                row
                for row in rows
                if str(row.values[factor]) == value and _held(row, usual, factor)
            ]
            if own:
                found.append(_view(own, factor, value, level))
    return tuple(found)


def _held(row: SettingEstimate, usual: dict[str, str], factor: str) -> bool:
    return all(
        str(row.values[other]) == value
        for other, value in usual.items()
        if other != factor
    )


def _view(
    rows: Sequence[SettingEstimate], factor: str, value: str, level: float
) -> FactorView:
    pooled = weighted_bound(rows, np.ones(len(rows)), level, "pooled")
    spreads = [row.folds.std(ddof=1) for row in rows if row.folds.size > 1]
    return FactorView(
        model=pooled.model,
        loss=pooled.loss,
        factor=factor,
        value=value,
        estimate=pooled.estimate,
        low=pooled.low,
        high=pooled.high,
        spread=float(np.mean(spreads)) if spreads else float("nan"),
        n_settings=len(rows),
    )
