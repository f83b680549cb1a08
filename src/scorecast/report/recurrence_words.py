"""Times and how long cases were followed, as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from scorecast.recurrence import FEW_EVENTS, CaseCurves, Recurrence
from scorecast.report.formats import UNKNOWN, count, fixed_end, is_known

__all__ = [
    "PLAIN_MEAN",
    "amounts_said",
    "even_said",
    "few_said",
    "legend_said",
    "median_said",
    "p_said",
    "span_said",
    "time_label",
    "time_said",
    "with_unit",
]

PLAIN_MEAN = "(plain mean)"


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


def amounts_said(low: float, high: float, decimals: int) -> str:
    """Write an interval of amounts, in one way whether or not ends are negative.

    Parameters
    ----------
    low, high : float
        Its ends.
    decimals : int
        Digits after the point.

    Returns
    -------
    str
        Such as ``-0.02 to 0.11``.

    Examples
    --------
    >>> amounts_said(-0.021, 0.11, 2), amounts_said(0.1, 0.3, 2)
    ('-0.02 to 0.11', '0.10 to 0.30')
    """
    if not (is_known(low) and is_known(high)):
        return UNKNOWN
    return f"{fixed_end(low, decimals)} to {fixed_end(high, decimals)}"


def p_said(p: float) -> str:
    """Write a p-value; none is zero.

    Parameters
    ----------
    p : float
        The p-value.

    Returns
    -------
    str
        Such as ``p = 0.13``.

    Examples
    --------
    >>> p_said(0.134), p_said(0.004), p_said(math.nan)
    ('p = 0.13', 'p < 0.01', 'p not known')
    """
    if not is_known(p):
        return "p not known"
    return "p < 0.01" if p < 0.01 else f"p = {p:.2f}"


def few_said(result: Recurrence) -> str:
    """Say that there are too few events to judge order and calibration by."""
    plural = "" if result.n_events == 1 else "s"
    return (
        f"too few events to judge ({count(result.n_events)} event{plural}; at least "
        f"{FEW_EVENTS} are needed)"
    )


def even_said(result: Recurrence) -> str:
    """Say whether predicted survival is even, if enough was seen to tell.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    str
        What "D-calibration" or a test is to be followed by.
    """
    degrees = result.calibration.degrees
    if not result.has_enough_events:
        return few_said(result)
    if not degrees:
        return "too few events in any tenth of it to judge"
    plural = "" if degrees == 1 else "s"
    even = "as even as chance would have it" if result.is_even else "NOT even"
    return (
        f"{even} (D-calibration, {p_said(result.calibration.p)}, {degrees} "
        f"degree{plural} of freedom)"
    )


def legend_said(cells: Iterable[str], result: Recurrence) -> str:
    """Explain what stands in the cells of the table of forecasters, and no more.

    Parameters
    ----------
    cells : iterable of str
        All its cells.
    result : Recurrence
        The answer.

    Returns
    -------
    str
        Nothing, or remarks that follow a semicolon.
    """
    shown = list(cells)
    why = ", see the warnings" if any(row.reason for row in result.comparison) else ""
    said = ""
    if result.comparison and not result.quick:
        said += "; medians of separate posteriors need not subtract"
    if any(cell.endswith(PLAIN_MEAN) for cell in shown):
        said += f"; plain mean: without a posterior{why}"
    if UNKNOWN in shown:
        said += f"; {UNKNOWN}: could not be said{why}"
    return said


def median_said(one: CaseCurves, result: Recurrence) -> str:
    """Write a median, unless nobody was followed for so long."""
    if one.median <= result.follow_up.longest:
        return time_said(one.median)
    return f"beyond the longest follow-up ({time_said(result.follow_up.longest)})"
