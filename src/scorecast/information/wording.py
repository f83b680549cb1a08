"""Say an amount of information in words."""

from __future__ import annotations

import math

from scorecast._core.percent import UNKNOWN, is_known
from scorecast.information.posterior import InformationPosterior

__all__ = [
    "amount",
    "amount_span",
    "chance_of",
    "chance_said",
    "decimals_for",
    "interval_end",
    "verdict",
    "without_zeros",
]

_MOST_DECIMALS = 6
_ROUNDING = 1e-12  # below which a number is zero but for rounding


def decimals_for(width: float) -> int:
    """Choose the digits after the point that an interval of some width deserves.

    Parameters
    ----------
    width : float
        Width of the interval.

    Returns
    -------
    int
        Between 1 and 6.

    Examples
    --------
    >>> decimals_for(0.015), decimals_for(0.4), decimals_for(0.0)
    (3, 2, 3)
    """
    if not (is_known(width) and width > 0):
        return 3
    return int(min(max(1 - math.floor(math.log10(width)), 1), _MOST_DECIMALS))


def amount(value: float, decimals: int = 3) -> str:
    """Write a number of bits or nats.

    Parameters
    ----------
    value : float
        The number.
    decimals : int, default=3
        Digits after the point.

    Returns
    -------
    str
        Such as ``0.100``; minus infinity is said in words.

    Examples
    --------
    >>> amount(0.1), amount(-0.00001), amount(-math.inf)
    ('0.100', '0.000', 'minus infinity')
    """
    if value == -math.inf:
        return "minus infinity"
    if not is_known(value):
        return UNKNOWN
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def interval_end(value: float, decimals: int = 3) -> str:
    """Write an end of an interval, with digits enough to see on which side of 0 it is.

    Parameters
    ----------
    value : float
        The end.
    decimals : int, default=3
        Digits after the point where they show the sign.

    Returns
    -------
    str
        Such as ``-0.003`` where two digits would leave nothing.

    Examples
    --------
    >>> interval_end(-0.0031, 2), interval_end(0.0031, 2), interval_end(0.37, 2)
    ('-0.003', '0.003', '0.37')
    >>> interval_end(0.0, 2), interval_end(-0.0, 2)
    ('0.00', '0.00')
    """
    if is_known(value) and abs(value) > _ROUNDING:
        decimals = max(decimals, _first_digit(value))
    return amount(value, decimals)


def _first_digit(value: float) -> int:
    """Return the decimals at which a number other than zero stops looking like it."""
    places = max(0, -math.floor(math.log10(abs(value))))
    # A number that is rounded up shows one digit earlier: 0.0096 is 0.01.
    return places - 1 if places and float(f"{value:.{places - 1}f}") else places


def amount_span(low: float, high: float, decimals: int = 3, dash: str = "-") -> str:
    """Write an interval of amounts.

    Parameters
    ----------
    low, high : float
        Its ends.
    decimals : int, default=3
        Digits after the point; an end gets more where its sign would not be seen.
    dash : str, default="-"
        What stands between ends that have no minus.

    Returns
    -------
    str
        Such as ``0.093-0.108``, or ``-0.02 to 0.11``.

    Examples
    --------
    >>> amount_span(-0.0031, 0.37, 2), amount_span(0.0031, 0.37, 2)
    ('-0.003 to 0.37', '0.003-0.37')
    """
    if not (is_known(low) and is_known(high)):
        return UNKNOWN
    ends = [interval_end(x, decimals) for x in (low, high)]
    return (" to " if ends[0].startswith("-") else dash).join(ends)


def without_zeros(n: int) -> str:
    """Say which cases are left out where a forecast of zero came true.

    Parameters
    ----------
    n : int
        How many there are.

    Returns
    -------
    str
        What every figure of the others is to be labelled with.

    Examples
    --------
    >>> without_zeros(1200)
    'without the 1,200 cases that were given probability 0'
    """
    some = "case that was" if n == 1 else f"{n:,} cases that were"
    return f"without the {some} given probability 0"


def chance_said(share: float, decimals: int = 1) -> str:
    """Write a share of draws as a probability; no number of draws proves certainty.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    decimals : {0, 1}, default=1
        Digits after the point; one where none would make it certain.

    Returns
    -------
    str
        Such as ``97.2 %``.

    Examples
    --------
    >>> chance_said(1.0), chance_said(0.972), chance_said(0.0)
    ('> 99.9 %', '97.2 %', '< 0.1 %')
    >>> chance_said(0.972, 0), chance_said(0.996, 0), chance_said(0.9996, 0)
    ('97 %', '99.6 %', '> 99.9 %')
    """
    if share >= 0.9995:
        return "> 99.9 %"
    if share < 0.0005:
        return "< 0.1 %"
    if not 0.005 < share < 0.995:
        decimals = 1
    return f"{100 * share:.{decimals}f} %"


def chance_of(posterior: InformationPosterior) -> str:
    """Write the probability that J is positive, or that it cannot be told.

    Parameters
    ----------
    posterior : InformationPosterior
        Posterior of J. Where its views of the tails point in different directions its
        probability is one half, which is no finding of any of them.

    Returns
    -------
    str
        Such as ``97.2 %``.
    """
    chances = [view.probability_positive for view in posterior.views]
    if not chances or not min(chances) < 0.5 < max(chances):
        return chance_said(posterior.probability_positive)
    low, high = (chance_said(share, 0) for share in (min(chances), max(chances)))
    return f"cannot be told: the views of the tails disagree ({low} to {high})"


def verdict(
    posterior: InformationPosterior, reference: str, *, doubted: bool = False
) -> str:
    """Say whether the forecasts beat what they are held against.

    Parameters
    ----------
    posterior : InformationPosterior
        Posterior of J.
    reference : str
        What they are held against.
    doubted : bool, default=False
        Whether the plain mean says otherwise. Posteriors of long tails on one side are
        too sure of themselves, so the verdict is held back then.

    Returns
    -------
    str
        Half a sentence.
    """
    up = posterior.probability_positive
    sure = max(up, 1 - up)
    side = "better" if up > 0.5 else "worse"
    if doubted and sure > 0.9:
        return f"perhaps {side} than {reference} (but see the plain mean)"
    if sure > 0.999:
        return f"surely {side} than {reference}"
    if sure > 0.975:
        return f"very probably {side} than {reference}"
    if sure > 0.9:
        return f"probably {side} than {reference}"
    return f"not told apart from {reference} by these cases"
