"""Write values of losses as people read them: shares in percent, others as numbers."""

from __future__ import annotations

import math

from scorecast._core.amounts import amount
from scorecast._core.percent import percent, percent_span

__all__ = [
    "MOST_CASES",
    "difference_said",
    "is_share",
    "rough_size",
    "span_said",
    "value_said",
]

MOST_CASES = 10**6  # hardly anybody collects more: beyond is no end

_SHARES = {
    "accuracy", "error", "balanced-accuracy", "sensitivity", "specificity",
    "smoothed-error", "posterior-error",
}  # fmt: skip


def is_share(loss: str) -> bool:
    """Tell whether people read a loss in percent."""
    return loss in _SHARES


def value_said(loss: str, value: float) -> str:
    """Write a value as the loss is read.

    Parameters
    ----------
    loss : str
        Name of the loss.
    value : float
        Its value.

    Returns
    -------
    str
        In percent for shares of cases.

    Examples
    --------
    >>> value_said("accuracy", 0.79), value_said("rmse", 0.79), value_said("rmse", 3e9)
    ('79.0 %', '0.79', '3,000,000,000')
    """
    if math.isinf(value):
        return "no limit"
    if math.isnan(value):
        return "undefined"
    return percent(value, 1) if is_share(loss) else amount(value)


def span_said(loss: str, low: float, high: float) -> str:
    """Write an interval as the loss is read; say so if there is none."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    if is_share(loss):
        return percent_span(low, high, 1)
    return f"{value_said(loss, low)} to {value_said(loss, high)}"


def difference_said(loss: str, difference: float) -> str:
    """Write a difference of two values, with its sign; of shares in points.

    Examples
    --------
    >>> difference_said("accuracy", 0.06), difference_said("rmse", -0.1234)
    ('+6.0 points', '-0.123')
    >>> difference_said("accuracy", -0.0)
    '+0.0 points'
    """
    said = f"{100 * difference:+.1f}" if is_share(loss) else f"{difference:+.3g}"
    # There is no such thing as minus nothing.
    said = said.replace("-", "+") if float(said) == 0 else said
    return f"{said} points" if is_share(loss) else said


def rough_size(size: float) -> str:
    """Write a size with as many digits as a fit knows: two.

    Parameters
    ----------
    size : float
        A size.

    Returns
    -------
    str
        Rounded up.

    Examples
    --------
    >>> rough_size(46), rough_size(771_598), rough_size(4_132_818)
    ('46', '780,000', 'more than a million')
    """
    if size > MOST_CASES:
        return "more than a million"
    step = 10 ** max(len(str(math.ceil(size))) - 2, 0)
    return f"{step * math.ceil(size / step - 1e-9):,}"
