"""How every number, level, p-value and name is written; the only place that rounds.

Views build sentences and cells from these and nothing else, so that the same number
reads the same in terminal, page, Markdown and LaTeX.
"""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from scorecast import exceptions
from scorecast.exceptions import listed, sentence

__all__ = [
    "UNKNOWN",
    "about",
    "amount",
    "chance",
    "cite",
    "classes",
    "clipped",
    "count",
    "counted",
    "dashed",
    "decimals_for",
    "display_width",
    "fixed",
    "fixed_end",
    "fixed_span",
    "guessing",
    "is_known",
    "is_proportion",
    "level",
    "level_name",
    "like_digits",
    "listed",
    "log10_p_cell",
    "metric_difference",
    "metric_span",
    "metric_title",
    "metric_value",
    "model_name",
    "one_line",
    "p_cell",
    "p_value",
    "page_name",
    "percent",
    "percent_number",
    "percent_span",
    "points",
    "printable",
    "rough_size",
    "sentence",
    "signed_number",
    "signed_size",
    "span",
    "time",
    "weight_name",
]

UNKNOWN = "n/a"

_MOST_DIGITS = 2
_HUNDRED_MILLION, _COUNTLESS = 1e8, 1e15
_THOUSAND, _MOST_COUNTED = 1e3, 1e15  # beyond the last nobody counts the noughts

_RANGE = re.compile(r"(?<=\d)-(?=\d)")
_DASH = "\N{WORD JOINER}\N{EN DASH}\N{WORD JOINER}"
_MOST_DECIMALS = 6
_MANY = 10**6  # samples: hardly anybody collects more
_NARROWEST, _WIDEST = 1e-6, 1e7  # intervals that are written with decimals
_ROUNDING = 1e-12  # below which a number is zero but for rounding
_THREE_DECIMALS = 0.01  # from here to 1 a metric has three, so that columns line up
# Where a long name may break: after marks, and before capitals inside words.
_SEAM = re.compile(r"(?<=[(=_,.])(?=\w)|(?<=[a-z])(?=[A-Z])")


def is_known(value: float | None) -> bool:
    """Tell whether a number is there; JSON sends what is not finite as null."""
    return value is not None and math.isfinite(value)


def percent(share: float | None, least: int = 0, *, bare: bool = False) -> str:
    """Write a share with as many digits as distinguish it from 0 and 1.

    Parameters
    ----------
    share : float or None
        Between 0 and 1.
    least : int, default=0
        Digits after the point where fewer would do.
    bare : bool, default=False
        Whether to leave the sign of percent out, where an axis has it.

    Returns
    -------
    str
        Such as ``67 %``; ``100 %`` is said of 1 only.

    Examples
    --------
    >>> percent(0.67), percent(0.9987), percent(1.0), percent(0.999999999)
    ('67 %', '99.87 %', '100 %', '> 99.99 %')
    >>> percent(0.67, bare=True)
    '67'
    """
    if share is None or not math.isfinite(share):
        return UNKNOWN
    edge, unit = min(abs(share), abs(1 - share)), "" if bare else " %"
    if edge == 0:
        return f"{100 * share:.0f}{unit}"
    if edge < 10 ** -(_MOST_DIGITS + 2):
        nine = f"{100 - 10**-_MOST_DIGITS:.{_MOST_DIGITS}f}"
        tiny = f"{10**-_MOST_DIGITS:.{_MOST_DIGITS}f}"
        return f"> {nine}{unit}" if share > 0.5 else f"< {tiny}{unit}"
    return f"{100 * share:.{max(_digits(edge), least)}f}{unit}"


def _digits(edge: float) -> int:
    """Choose the digits that tell a share from 0 or 1, as far as anybody cares."""
    near = (d for d in range(_MOST_DIGITS) if edge >= 0.02 / 10**d)
    return next(near, _MOST_DIGITS)


def guessing(share: float) -> str:
    """Write what guessing reaches, to two digits where it is small.

    Examples
    --------
    >>> [guessing(1 / n) for n in (2, 3, 40, 50, 242)]
    ['50 %', '33 %', '2.5 %', '2 %', '0.41 %']
    """
    digits = sum(share < limit for limit in (0.1, 0.01))
    number, sign, unit = percent(share, digits).partition(" %")
    plain = number.rstrip("0").rstrip(".") if "." in number else number
    return f"{plain}{sign}{unit}"


def percent_span(
    low: float | None,
    high: float | None,
    least: int = 0,
    dash: str = "-",
    *,
    bare: bool = False,
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
    bare : bool, default=False
        Whether to leave the sign of percent out, where an axis has it.

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
    return f"{ends[0]}{dash}{ends[1]}{'' if bare else ' %'}"


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
    if not math.isfinite(rounded) or not _THOUSAND <= abs(rounded) < _MOST_COUNTED:
        return text
    whole = rounded == int(rounded)
    return f"{rounded:,.0f}" if whole else f"{rounded:,}"


def sizes(tables: Sequence[tuple[int, int]]) -> str:
    """Write between which numbers of rows and of columns tables are.

    Examples
    --------
    >>> sizes([(40, 10)]), sizes([(40, 5), (1200, 10)])
    ('40 x 10', '40 x 5 to 1,200 x 10')
    >>> sizes([(40, 5), (40, 10), (1200, 5)])
    '40-1,200 x 5-10'
    """
    every = sorted(set(tables))
    sides = list(zip(*every, strict=True))
    each = [f"{n:,} x {m:,}" for n, m in every]
    if list(sides[1]) == sorted(sides[1]):
        return each[0] if len(each) == 1 else f"{each[0]} to {each[-1]}"
    ends = [(f"{min(side):,}", f"{max(side):,}") for side in sides]
    return " x ".join(a if a == b else f"{a}-{b}" for a, b in ends)


def counted(number: int, things: str) -> str:
    """Write how many of something there are, in the singular for one.

    Examples
    --------
    >>> counted(1, "data sets"), counted(1200, "cases")
    ('1 data set', '1,200 cases')
    """
    return f"{number:,} {things.removesuffix('s') if number == 1 else things}"


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


def classes(number: float) -> str:
    """Write a number of classes: one of nine digits or more in words, if it is round.

    Examples
    --------
    >>> classes(12_000_000), classes(2.5e9), classes(987_654_321)
    ('12,000,000', '2.5 billion', '987,654,321')
    """
    unit, name = (1e9, "billion") if number >= 1e9 else (1e6, "million")
    is_round = float(f"{number:.3g}") == number
    if number >= _HUNDRED_MILLION and is_round:
        return f"{number / unit:,.10g} {name}"
    return count(number)


def about(number: float) -> str:
    """Write a large number that is not known so exactly: its first three digits.

    Examples
    --------
    >>> about(1546), about(147_382_911), about(9_999_999)
    ('1,546', '147 million', '9.99 million')
    """
    if math.isnan(number):
        return UNKNOWN
    if not 1e6 <= number < _COUNTLESS:
        return count(number)
    step = 10 ** (len(str(int(number))) - 3)
    rounded = int(number) // step * step
    unit, name = (1e9, "billion") if rounded >= 1e9 else (1e6, "million")
    return f"{rounded / unit:,.10g} {name}"


def dashed(text: str) -> str:
    """Set a dash between the ends of an interval, where no line may break."""
    return _RANGE.sub(_DASH, text)


def level(confidence_level: float) -> str:
    """Write the level of an interval with the digits it has: 95 %, 99.9 %."""
    return f"{100 * confidence_level:.6g} %"


level_name = level  # as older views call it, which have a variable of that name


def span(write: Callable[[float], str], low: float, high: float) -> str:
    """Write an interval, each end by `write`.

    Examples
    --------
    >>> span(signed_number, -0.09, 0.25), span(signed_number, math.nan, 1.0)
    ('-0.0900 to +0.250', 'n/a')
    """
    if not (is_known(low) and is_known(high)):
        return UNKNOWN
    return f"{write(low)} to {write(high)}"


def signed_number(value: float) -> str:
    """Write a difference with its sign and three digits, ending zeros among them.

    Examples
    --------
    >>> signed_number(-0.09), signed_number(0.0), signed_number(250.0)
    ('-0.0900', '0', '+250')
    """
    return f"{value:+#.3g}".rstrip(".") if value else "0"


def with_interval(
    value: float, low: float, high: float, *, signed: bool = False
) -> tuple[str, str]:
    """Write a number and its interval with as many decimals, by the width of that.

    Parameters
    ----------
    value, low, high : float
        The number and the ends of its interval.
    signed : bool, default=False
        Whether a number above zero has its sign.

    Returns
    -------
    tuple of str
        The number, and the interval; each by itself where no width is known, or where
        it is too large or too small for decimals.

    Examples
    --------
    >>> with_interval(-0.024, -0.046, -0.0015)
    ('-0.0240', '-0.0460 to -0.0015')
    >>> with_interval(0.0505, -0.0229, 0.123, signed=True)
    ('+0.051', '-0.023 to +0.123')
    >>> with_interval(0.25, math.nan, math.nan)
    ('0.25', 'n/a')
    """
    width = high - low
    if not (is_known(width) and _NARROWEST <= width < _WIDEST):
        each = signed_number if signed else amount
        return each(value), span(each, low, high)
    decimals = max(2 - math.floor(math.log10(width)), 0)
    sign = "+" if signed else ""

    def write(x: float) -> str:
        own = decimals
        if abs(x) > _ROUNDING:
            own = max(own, _first_digit(x))
        text = f"{x:{sign},.{own}f}"
        return text if float(text.replace(",", "")) else text.lstrip("+-")

    return write(value), span(write, low, high)


def signed_size(value: float) -> str:
    """Write an effect size with its sign and two decimals."""
    return f"{value:+.2f}" if is_known(value) else UNKNOWN


def decimals_for(width: float) -> int:
    """Choose the digits after the point that an interval of some width deserves.

    Examples
    --------
    >>> decimals_for(0.015), decimals_for(0.4), decimals_for(0.0)
    (3, 2, 3)
    """
    if not (is_known(width) and width > 0):
        return 3
    return int(min(max(1 - math.floor(math.log10(width)), 1), _MOST_DECIMALS))


def fixed(value: float, decimals: int = 3) -> str:
    """Write a number, such as one of bits, with so many digits after the point.

    Examples
    --------
    >>> fixed(0.1), fixed(-0.00001), fixed(-math.inf)
    ('0.100', '0.000', 'minus infinity')
    """
    if value == -math.inf:
        return "minus infinity"
    if not is_known(value):
        return UNKNOWN
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def fixed_end(value: float, decimals: int = 3) -> str:
    """Write an end of an interval, with digits enough to see on which side of 0 it is.

    Examples
    --------
    >>> fixed_end(-0.0031, 2), fixed_end(0.0031, 2), fixed_end(-0.0, 2)
    ('-0.003', '0.003', '0.00')
    """
    if is_known(value) and abs(value) > _ROUNDING:
        decimals = max(decimals, _first_digit(value))
    return fixed(value, decimals)


def _first_digit(value: float) -> int:
    """Return the decimals at which a number other than zero stops looking like it."""
    places = max(0, -math.floor(math.log10(abs(value))))
    # A number that is rounded up shows one digit earlier: 0.0096 is 0.01.
    return places - 1 if places and float(f"{value:.{places - 1}f}") else places


def fixed_span(low: float, high: float, decimals: int = 3, dash: str = "-") -> str:
    """Write an interval; an end gets more digits where its sign would not be seen.

    Examples
    --------
    >>> fixed_span(-0.0031, 0.37, 2), fixed_span(0.0031, 0.37, 2)
    ('-0.003 to 0.37', '0.003-0.37')
    """
    if not (is_known(low) and is_known(high)):
        return UNKNOWN
    ends = [fixed_end(x, decimals) for x in (low, high)]
    return (" to " if ends[0].startswith("-") else dash).join(ends)


def chance(share: float, decimals: int = 1) -> str:
    """Write a share of draws as a probability; no number of draws proves certainty.

    Examples
    --------
    >>> chance(1.0), chance(0.972), chance(0.0)
    ('> 99.9 %', '97.2 %', '< 0.1 %')
    >>> chance(0.972, 0), chance(0.996, 0), chance(0.9996, 0)
    ('97 %', '99.6 %', '> 99.9 %')
    """
    if share >= 0.9995:
        return "> 99.9 %"
    if share < 0.0005:
        return "< 0.1 %"
    if not 0.005 < share < 0.995:
        decimals = 1
    return f"{100 * share:.{decimals}f} %"


def time(value: float | None) -> str:
    """Write a time with three digits, or as a whole number with commas.

    Examples
    --------
    >>> time(2740.2), time(17.66), time(0.0312), time(None), time(math.inf)
    ('2,740', '17.7', '0.0312', 'n/a', 'unbounded')
    """
    if value is None or math.isnan(value):
        return UNKNOWN
    if not is_known(value):
        return "unbounded"
    return f"{value:,.0f}" if 100 <= abs(value) < 1e9 else f"{value:.3g}"


def p_value(p: float, *, bare: bool = False) -> str:
    """Write a p-value in a sentence, with the sign that belongs to it, or `bare`.

    Examples
    --------
    >>> p_value(0.0312), p_value(2e-9), p_value(math.nan)
    ('p = 0.031', 'p < 0.001', 'p unknown')
    >>> p_value(0.0312, bare=True)
    '0.031'
    """
    if not is_known(p):
        return "p unknown"
    if p < 0.001:
        return "p < 0.001"
    return f"{'' if bare else 'p = '}{p:.3f}"


def p_cell(p: float) -> str:
    """Write a p-value for a cell of a table.

    Examples
    --------
    >>> p_cell(0.0312), p_cell(2e-9), p_cell(math.nan)
    ('0.031', '<0.001', 'n/a')
    """
    if not is_known(p):
        return UNKNOWN
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def log10_p_cell(log10_p: float) -> str:
    """Write a p-value that may be too small for a number, from its logarithm.

    Examples
    --------
    >>> log10_p_cell(-1.0), log10_p_cell(-12.3), log10_p_cell(-5000.0)
    ('0.100', '1e-12', '<1e-1000')
    """
    if not is_known(log10_p):
        return UNKNOWN
    if log10_p >= -3:
        return f"{10**log10_p:.3f}"
    return f"1e{log10_p:.0f}" if log10_p > -1000 else "<1e-1000"


def cite(works: Iterable[str]) -> str:
    """Cite works by their authors and years.

    Examples
    --------
    >>> cite(["S. Holm (1979). A test.", "A. Bo, C. Di and E. Fo (2001). More."])
    'Holm 1979; Bo et al. 2001'
    >>> cite(["J. L. Hodges and E. L. Lehmann (1962). Ranks."])
    'Hodges and Lehmann 1962'
    """
    return "; ".join(map(_cited, works))


def _cited(work: str) -> str:
    authors, _, rest = work.partition(" (")
    names = [
        " ".join(part for part in name.split() if not part.endswith("."))
        for name in re.split(r", | and ", authors)
    ]
    named = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{named} {rest.partition(')')[0]}"


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


def metric_title(scoring: str) -> str:
    """Return what a metric is called in a sentence; others are called as they are.

    Examples
    --------
    >>> metric_title("roc_auc"), metric_title("my_score")
    ('AUC', 'my_score')
    """
    from scorecast.evaluation import METRICS

    return METRICS[scoring].title if scoring in METRICS else one_line(scoring)


def is_proportion(scoring: str) -> bool:
    """Tell whether people read a metric in percent."""
    from scorecast.evaluation import METRICS

    return scoring in METRICS and METRICS[scoring].is_proportion


def metric_value(scoring: str, value: float, *, bare: bool = False) -> str:
    """Write a value as its metric is read: shares in percent, others as numbers.

    Examples
    --------
    >>> metric_value("accuracy", 0.79), metric_value("rmse", 3e9)
    ('79.0 %', '3,000,000,000')
    >>> metric_value("roc_auc", 0.5), metric_value("rmse", 0.0012)
    ('0.500', '0.0012')
    >>> metric_value("accuracy", 0.79, bare=True)  # where an axis has the unit
    '79.0'
    """
    if math.isinf(value):
        return "no limit"
    if math.isnan(value):
        return "undefined"
    if is_proportion(scoring):
        return percent(value, 1, bare=bare)
    return f"{value:.3f}" if _THREE_DECIMALS <= abs(value) < 1 else amount(value)


def metric_span(scoring: str, low: float, high: float, *, bare: bool = False) -> str:
    """Write an interval as its metric is read; say so if there is none."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    if is_proportion(scoring):
        return percent_span(low, high, 1, bare=bare)
    return f"{metric_value(scoring, low)} to {metric_value(scoring, high)}"


def metric_difference(scoring: str, difference: float, *, bare: bool = False) -> str:
    """Write a difference of two values, with its sign; of shares in points.

    Examples
    --------
    >>> metric_difference("accuracy", 0.06), metric_difference("rmse", -0.1234)
    ('+6.0 points', '-0.123')
    >>> metric_difference("accuracy", -0.0)
    '+0.0 points'
    >>> metric_difference("accuracy", 0.06, bare=True)
    '+6.0'
    """
    is_share = is_proportion(scoring)
    if is_share:
        said = f"{100 * difference:+.1f}"
    elif _THREE_DECIMALS <= abs(difference) < 1:
        said = f"{difference:+.3f}"
    else:
        said = f"{difference:+.3g}"
    # There is no such thing as minus nothing.
    said = said.replace("-", "+") if float(said) == 0 else said
    return f"{said} points" if is_share and not bare else said


def rough_size(size: float) -> str:
    """Write a size with as many digits as a fit knows, two, rounded up.

    Examples
    --------
    >>> rough_size(46), rough_size(771_598), rough_size(4_132_818)
    ('46', '780,000', 'more than a million')
    """
    if size > _MANY:
        return "more than a million"
    step = 10 ** max(len(str(math.ceil(size))) - 2, 0)
    return f"{step * math.ceil(size / step - 1e-9):,}"


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
    """Escape what would not be seen, or would change what stands around it."""
    return exceptions.printable(text, sys.maxsize)


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
