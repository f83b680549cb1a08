"""Write numbers as people read them, and strangers' text so that it does no harm."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

from scorecast._core.percent import (
    UNKNOWN,
    is_known,
    percent,
    percent_number,
    percent_span,
)

__all__ = [
    "UNKNOWN",
    "clipped",
    "count",
    "dashed",
    "display_width",
    "is_known",
    "level_name",
    "like_digits",
    "model_name",
    "one_line",
    "p_cell",
    "page_name",
    "percent",
    "percent_number",
    "percent_span",
    "points",
    "printable",
    "signed_number",
    "signed_size",
    "weight_name",
]

# Embeddings, overrides and isolates reorder what stands around them.
_REORDERING = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
_RANGE = re.compile(r"(?<=\d)-(?=\d)")
_DASH = "\N{WORD JOINER}\N{EN DASH}\N{WORD JOINER}"
# Where a long name may break: after marks, and before capitals inside words.
_SEAM = re.compile(r"(?<=[(=_,.])(?=\w)|(?<=[a-z])(?=[A-Z])")
_HARMFUL = {"Cc", "Cn", "Cs", "Zl", "Zp"}


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


def dashed(text: str) -> str:
    """Set a dash between the ends of an interval, where no line may break."""
    return _RANGE.sub(_DASH, text)


def level_name(level: float) -> str:
    """Write the level of an interval, such as ``90 %``."""
    return f"{100 * level:.6g} %"


def signed_number(value: float) -> str:
    """Write a difference with its sign and three digits, ending zeros among them.

    Examples
    --------
    >>> signed_number(-0.09), signed_number(0.0), signed_number(250.0)
    ('-0.0900', '0', '+250')
    """
    return f"{value:+#.3g}".rstrip(".") if value else "0"


def signed_size(value: float) -> str:
    """Write an effect size with its sign and two decimals."""
    return f"{value:+.2f}" if is_known(value) else UNKNOWN


def p_cell(p: float) -> str:
    """Write a p-value for a cell of a table."""
    if not is_known(p):
        return UNKNOWN
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def display_width(text: str) -> int:
    r"""Count the columns that a text takes in a terminal.

    Examples
    --------
    >>> display_width("tree"), display_width("\u6728\u6797")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def like_digits(values: Sequence[float], digits: int = 4) -> list[str]:
    """Write numbers of one column with as many decimals each.

    Parameters
    ----------
    values : sequence of float
        The numbers.
    digits : int, default=4
        Significant digits of the largest.

    Returns
    -------
    list of str
        Each for itself where they are of very different size.

    Examples
    --------
    >>> like_digits([0.835, 0.82184]), like_digits([83.5, 9.125])
    (['0.8350', '0.8218'], ['83.50', '9.12'])
    >>> like_digits([1200.0, 0.02]), like_digits([13, 7])
    (['1200', '0.02'], ['13', '7'])
    """
    sizes = [abs(x) for x in values if math.isfinite(x) and x]
    if not sizes or max(sizes) > 1e3 * min(sizes) or max(sizes) >= 10**digits:
        return [f"{x:.{digits}g}" if math.isfinite(x) else UNKNOWN for x in values]
    if all(float(x).is_integer() for x in values if math.isfinite(x)):
        return [f"{x:.0f}" if math.isfinite(x) else UNKNOWN for x in values]
    decimals = max(digits - 1 - math.floor(math.log10(max(sizes))), 0)
    return [f"{x:.{decimals}f}" if math.isfinite(x) else UNKNOWN for x in values]


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


def model_name(name: str, limit: int = 24) -> str:
    """Write the name of a model without the module it comes from.

    Examples
    --------
    >>> model_name("sklearn.svm:SVC(kernel='linear')"), model_name("my: model")
    ("SVC(kernel='linear')", 'my: model')
    >>> model_name("sklearn.neighbors:KNeighborsClassifier(n_neighbors=7)")
    'KNeigh...(n_neighbors=7)'
    """
    short = name.partition(":")[2] if name.startswith("sklearn.") else name
    short = short or name
    kind, mark, parameters = short.partition("(")
    room = limit - len(mark + parameters) - 3
    if len(short) > limit and mark and room >= 3:
        # Parameters tell two of a class apart: the class is cut, not they.
        short = f"{kind[:room]}...({parameters}"
    elif len(short) > limit and mark:
        start = limit // 3
        short = f"{short[:start]}...{short[start + 3 - limit :]}"
    return one_line(short, limit)


def page_name(name: str) -> str:
    r"""Write the name of a model on a page, where narrow columns may break a long one.

    Examples
    --------
    >>> page_name("sklearn.svm:SVC(kernel='linear')")
    "SVC(kernel='linear')"
    >>> page_name("sklearn.svm:LinearSVC(max_iter=50000)").split("\u200b")
    ['Linear', 'SVC(', 'max_', 'iter=', '50000)']
    """
    shown = model_name(name, 60)
    return shown if len(shown) <= 24 else _SEAM.sub("\N{ZERO WIDTH SPACE}", shown)
