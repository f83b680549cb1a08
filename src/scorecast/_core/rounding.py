"""Values that are equal but for rounding are equal.

Scores come out of divisions and means: 0.3 and 0.1 + 0.2 are one score, and a rank test
that takes them for two sees a difference where there is none.
"""

from __future__ import annotations

import numpy as np

from scorecast._core.types import FloatArray

__all__ = ["DIGITS", "steady", "told_apart"]

DIGITS = 12  # significant; float64 has nearly 16, and means lose some of them


def steady(
    values: FloatArray, scale: FloatArray, digits: int | None = DIGITS
) -> FloatArray:
    """Round values to some digits of a scale.

    Parameters
    ----------
    values : ndarray
        Any values, or differences of them.
    scale : ndarray
        Largest absolute value of what they came from; broadcast against `values`.
    digits : int or None, default=12
        Significant digits of the scale to keep; None takes the floats as they are.

    Returns
    -------
    ndarray
        Equal numbers where only rounding told them apart.

    Examples
    --------
    >>> steady(np.array([0.1 + 0.2, 0.3]), np.array([1.0]))
    array([0.3, 0.3])
    """
    if digits is None:
        return values
    size = np.where((scale > 0) & np.isfinite(scale), scale, 1.0)
    places = digits - np.ceil(np.log10(size))
    # Dividing whole numbers by powers of ten rounds correctly, so that one decimal
    # number is one float, whatever the scale of its row.
    up, down = 10.0 ** np.clip(places, 0, 300), 10.0 ** np.clip(-places, 0, 300)
    rounded: FloatArray = np.rint(values * up / down) * down / up
    return rounded


def told_apart(value: float, limit: float, decimals: int) -> str:
    """Write a number with as many decimals as it takes to see that it misses a limit.

    Parameters
    ----------
    value : float
        What was found, other than the limit.
    limit : float
        What it was held against.
    decimals : int
        Least number of decimals.

    Returns
    -------
    str
        The number.

    Examples
    --------
    >>> told_apart(1.0104, 1.01, 3), told_apart(1.034, 1.01, 3)
    ('1.0104', '1.034')
    >>> told_apart(399.7, 400, 0), told_apart(-0.26016, -0.260159, 3)
    ('399.7', '-0.2602')
    """
    for places in range(decimals, 17):
        text = f"{value:.{places}f}"
        shown = float(text)
        if shown != limit and (shown < limit) == (value < limit):
            return text
    return repr(float(value))
