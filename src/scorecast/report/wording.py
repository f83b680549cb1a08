"""Write numbers as people read them, and strangers' text so that it does no harm."""

from __future__ import annotations

import math
import unicodedata

__all__ = [
    "UNKNOWN",
    "clipped",
    "count",
    "is_known",
    "level_name",
    "one_line",
    "percent",
    "percent_span",
    "points",
    "printable",
    "weight_name",
]

UNKNOWN = "n/a"

_MOST_DIGITS = 2
# Embeddings, overrides and isolates reorder what stands around them.
_REORDERING = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
_HARMFUL = {"Cc", "Cn", "Cs", "Zl", "Zp"}


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
    ends = [_with_digits(x, least) for x in (low, high)]
    return f"{ends[0]}{dash}{ends[1]} %"


def _with_digits(share: float, digits: int) -> str:
    rounded = f"{100 * share:.{digits}f}"
    if share not in (0, 1) and float(rounded) in (0, 100):
        # Nothing but certainty is written as 0 or 100.
        unit = 10**-digits
        return f"<{unit:.{digits}f}" if share < 0.5 else f">{100 - unit:.{digits}f}"
    return f"{100 * share:.0f}" if share in (0, 1) else rounded


def points(share: float | None, *, signed: bool = False, minus: str = "-") -> str:
    """Write a difference of shares in percentage points.

    Parameters
    ----------
    share : float or None
        The difference.
    signed : bool, default=False
        Whether to show the sign of what is positive.
    minus : str, default="-"
        The sign of what is negative.

    Returns
    -------
    str
        With one digit after the point.

    Examples
    --------
    >>> points(0.021), points(0.021, signed=True), points(-0.0001, signed=True)
    ('2.1', '+2.1', '0.0')
    """
    if share is None or not math.isfinite(share):
        return UNKNOWN
    size = f"{abs(100 * share):.1f}"
    if float(size) == 0:
        return size
    return f"{minus if share < 0 else '+' if signed else ''}{size}"


def count(number: float) -> str:
    """Write a count with commas between thousands."""
    return f"{number:,.0f}"


def level_name(level: float) -> str:
    """Write the level of an interval, such as ``90 %``."""
    return f"{100 * level:.6g} %"


def weight_name(weight: float) -> str:
    """Write the share of a method, such as ``.5``.

    Examples
    --------
    >>> weight_name(0.5), weight_name(1.0), weight_name(0.333), weight_name(0.001)
    ('.5', '1', '.33', '<.01')
    """
    if 0 < weight < 0.005:
        return "<.01"
    text = f"{weight:.2f}".rstrip("0").rstrip(".")
    return text.removeprefix("0") or "0"


def printable(text: object) -> str:
    r"""Escape what would not be seen, or would change what stands around it.

    Parameters
    ----------
    text : object
        Any text; never trusted.

    Returns
    -------
    str
        The text without control characters, lone surrogates, line breaks and marks
        that reorder their surroundings.

    Examples
    --------
    >>> printable("red\x1b[31m\ncat \u202egnp")
    'red\\x1b[31m cat \\u202egnp'
    """
    return "".join(map(_shown, str(text)))


def _shown(char: str) -> str:
    if char in "\n\r\t":
        return " "
    if char in _REORDERING or unicodedata.category(char) in _HARMFUL:
        return char.encode("unicode_escape").decode("ascii")
    return char


def clipped(text: object, limit: int) -> str:
    """Cut a text to at most `limit` characters, with dots where it was cut."""
    whole = str(text)
    return whole if len(whole) <= limit else f"{whole[: limit - 3].rstrip()}..."


def one_line(text: object, limit: int = 60) -> str:
    """Make a text fit for one line of a terminal or a label in a figure."""
    return clipped(printable(clipped(text, limit)), 2 * limit)
