"""Write shares as percentages, with the digits that somebody cares about."""

from __future__ import annotations

import math

__all__ = ["UNKNOWN", "is_known", "percent", "percent_number", "percent_span"]

UNKNOWN = "n/a"

_MOST_DIGITS = 2


def is_known(value: float | None) -> bool:
    """Tell whether a number is there; JSON sends what is not finite as null."""
    return value is not None and math.isfinite(value)


def percent(share: float | None, least: int = 0) -> str:
    """Write a share with as many digits as distinguish it from 0 and 1.

    Parameters
    ----------
    share : float or None
        Between 0 and 1.
    least : int, default=0
        Digits after the point where fewer would do.

    Returns
    -------
    str
        Such as ``67 %``; ``100 %`` is said of 1 only.

    Examples
    --------
    >>> percent(0.67), percent(0.9987), percent(1.0), percent(0.999999999)
    ('67 %', '99.87 %', '100 %', '> 99.99 %')
    """
    if share is None or not math.isfinite(share):
        return UNKNOWN
    edge = min(abs(share), abs(1 - share))
    if edge == 0:
        return f"{100 * share:.0f} %"
    if edge < 10 ** -(_MOST_DIGITS + 2):
        nine = f"{100 - 10**-_MOST_DIGITS:.{_MOST_DIGITS}f}"
        tiny = f"{10**-_MOST_DIGITS:.{_MOST_DIGITS}f}"
        return f"> {nine} %" if share > 0.5 else f"< {tiny} %"
    return f"{100 * share:.{max(_digits(edge), least)}f} %"


def _digits(edge: float) -> int:
    """Choose the digits that tell a share from 0 or 1, as far as anybody cares."""
    near = (d for d in range(_MOST_DIGITS) if edge >= 0.02 / 10**d)
    return next(near, _MOST_DIGITS)


def percent_span(
    low: float | None, high: float | None, least: int = 0, dash: str = "-"
) -> str:
    """Write an interval of shares.

    Parameters
    ----------
    low, high : float or None
        Its ends.
    least : int, default=0
        Digits after the point where fewer would do.
    dash : str, default="-"
        What stands between the ends.

    Returns
    -------
    str
        Such as ``58-75 %``.
    """
    if low is None or high is None or not (is_known(low) and is_known(high)):
        return UNKNOWN
    edges = [min(abs(x), abs(1 - x)) for x in (low, high)]
    # Both ends get the digits of the coarser one: 46-99 %, not 46-98.7 %.
    least = max(least, min((_digits(e) for e in edges if e > 0), default=0))
    ends = [percent_number(x, least) for x in (low, high)]
    return f"{ends[0]}{dash}{ends[1]} %"


def percent_number(share: float, digits: int = 0) -> str:
    """Write a share in percent with so many digits, without the sign.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    digits : int, default=0
        Digits after the point.

    Returns
    -------
    str
        Such as ``67``; ``100`` and ``0`` are said of 1 and 0 only.

    Examples
    --------
    >>> [percent_number(share) for share in (1.0, 0.9996, 0.67, 0.002, 0.0)]
    ['100', '>99', '67', '<1', '0']
    """
    rounded = f"{100 * share:.{digits}f}"
    if share not in (0, 1) and float(rounded) in (0, 100):
        # Nothing but certainty is written as 0 or 100.
        unit = 10**-digits
        return f"<{unit:.{digits}f}" if share < 0.5 else f">{100 - unit:.{digits}f}"
    return f"{100 * share:.0f}" if share in (0, 1) else rounded
