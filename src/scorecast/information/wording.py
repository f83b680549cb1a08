"""Say an amount of information in words."""

from __future__ import annotations

import math

from scorecast._core.percent import UNKNOWN, is_known, percent
from scorecast.information.posterior import InformationPosterior

__all__ = ["amount", "amount_span", "chance_of", "chance_said", "decimals_for",
           "verdict"]  # fmt: skip

_MOST_DECIMALS = 6


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


def amount_span(low: float, high: float, decimals: int = 3, dash: str = "-") -> str:
    """Write an interval of amounts.

    Parameters
    ----------
    low, high : float
        Its ends.
    decimals : int, default=3
        Digits after the point.
    dash : str, default="-"
        What stands between ends that have no minus.

    Returns
    -------
    str
        Such as ``0.093-0.108``, or ``-0.02 to 0.11``.
    """
    if not (is_known(low) and is_known(high)):
        return UNKNOWN
    between = dash if low >= 0 else " to "
    return f"{amount(low, decimals)}{between}{amount(high, decimals)}"


def chance_said(share: float) -> str:
    """Write a share of draws as a probability; no number of draws proves certainty.

    Parameters
    ----------
    share : float
        Between 0 and 1.

    Returns
    -------
    str
        Such as ``97.2 %``.

    Examples
    --------
    >>> chance_said(1.0), chance_said(0.972), chance_said(0.0)
    ('> 99.9 %', '97.2 %', '< 0.1 %')
    """
    if share >= 0.9995:
        return "> 99.9 %"
    if share < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.1f} %"


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
    low, high = (percent(share) for share in (min(chances), max(chances)))
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
