"""How wide an interval for a proportion is, before any case is seen."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import betaincinv, ndtri

__all__ = ["INTERVALS", "interval_width"]


def interval_width(n: int, share: float, level: float, method: str) -> float:
    """Return the width expected with n cases.

    The number of right answers is taken as n times the share, whole or not.

    Parameters
    ----------
    n : int
        Test cases.
    share : float
        Expected share of right answers.
    level : float
        Confidence.
    method : str
        One of `INTERVALS`.

    Returns
    -------
    float
        Upper end less lower end.

    Examples
    --------
    >>> [round(interval_width(n, 0.9, 0.95, "wilson"), 3) for n in (75, 100, 141)]
    [0.138, 0.119, 0.1]
    """
    return _WIDTHS[method](n, share, (1 - level) / 2)


def _wald(n: int, share: float, tail: float) -> float:
    return -2 * float(ndtri(tail)) * math.sqrt(share * (1 - share) / n)


def _wilson(n: int, share: float, tail: float) -> float:
    z = -float(ndtri(tail))
    inside = share * (1 - share) / n + z * z / (4 * n * n)
    return 2 * z / (1 + z * z / n) * math.sqrt(inside)


def _clopper_pearson(n: int, share: float, tail: float) -> float:
    right = share * n
    low = betaincinv(right, n - right + 1, tail) if right > 0 else 0.0
    high = betaincinv(right + 1, n - right, 1 - tail) if right < n else 1.0
    return float(high - low)


def _jeffreys(n: int, share: float, tail: float) -> float:
    right, wrong = share * n + 0.5, (1 - share) * n + 0.5
    # By convention the interval reaches the edge where all are right, or all wrong.
    low = betaincinv(right, wrong, tail) if share > 0 else 0.0
    high = betaincinv(right, wrong, 1 - tail) if share < 1 else 1.0
    return float(high - low)


def _uniform(n: int, share: float, tail: float) -> float:
    right, wrong = share * n + 1, (1 - share) * n + 1
    ends = betaincinv(right, wrong, tail), betaincinv(right, wrong, 1 - tail)
    return float(ends[1] - ends[0])


_WIDTHS: dict[str, Callable[[int, float, float], float]] = {
    "wilson": _wilson,
    "clopper-pearson": _clopper_pearson,
    "jeffreys": _jeffreys,
    "uniform": _uniform,
    "wald": _wald,
}
INTERVALS = tuple(_WIDTHS)
