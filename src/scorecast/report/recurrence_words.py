"""Times and how long cases were followed, as people read them."""

from __future__ import annotations

import math

from scorecast.recurrence import CaseCurves, Recurrence
from scorecast.report.wording import UNKNOWN, is_known

__all__ = ["median_said", "span_said", "time_label", "time_said", "with_unit"]


def time_said(value: float | None) -> str:
    """Write a time with three digits, or as a whole number with commas.

    Parameters
    ----------
    value : float or None
        The time.

    Returns
    -------
    str
        Without its unit.

    Examples
    --------
    >>> time_said(2740.2), time_said(17.66), time_said(0.0312), time_said(None)
    ('2,740', '17.7', '0.0312', 'n/a')
    """
    if value is None or math.isnan(value):
        return UNKNOWN
    if not is_known(value):
        return "unbounded"
    return f"{value:,.0f}" if 100 <= abs(value) < 1e9 else f"{value:.3g}"


def with_unit(value: float | None, result: Recurrence) -> str:
    """Write a time with its unit, if that is known."""
    unit = result.follow_up.unit
    return f"{time_said(value)} {unit}" if unit else time_said(value)


def time_label(result: Recurrence) -> str:
    """Name the axis of time."""
    unit = result.follow_up.unit
    return f"time ({unit})" if unit else "time"


def span_said(low: float, high: float, dash: str) -> str:
    """Write an interval of times."""
    return f"{time_said(low)}{dash}{time_said(high)}"


def median_said(one: CaseCurves, result: Recurrence) -> str:
    """Write a median, unless nobody was followed for so long."""
    if one.median <= result.follow_up.longest:
        return time_said(one.median)
    return f"beyond the longest follow-up ({time_said(result.follow_up.longest)})"
