"""Write amounts, such as costs, as people read them."""

from __future__ import annotations

import math

__all__ = ["amount", "counted"]

_THOUSAND, _MOST = 1e3, 1e15  # beyond the last nobody counts the noughts


def amount(value: float, digits: int = 3) -> str:
    """Write a number with a few significant digits and commas between thousands.

    Parameters
    ----------
    value : float
        Any number.
    digits : int, default=3
        Significant digits.

    Returns
    -------
    str
        Never with an exponent where people would not write one.

    Examples
    --------
    >>> amount(0.12345), amount(1234.5), amount(999.9), amount(-45678)
    ('0.123', '1,230', '1,000', '-45,700')
    """
    text = f"{value:.{digits}g}"
    rounded = float(text)
    if not math.isfinite(rounded) or not _THOUSAND <= abs(rounded) < _MOST:
        return text
    whole = rounded == int(rounded)
    return f"{rounded:,.0f}" if whole else f"{rounded:,}"


def counted(number: int, things: str) -> str:
    """Write how many of something there are, in the singular for one.

    Examples
    --------
    >>> counted(1, "data sets"), counted(1200, "cases")
    ('1 data set', '1,200 cases')
    """
    return f"{number:,} {things.removesuffix('s') if number == 1 else things}"
