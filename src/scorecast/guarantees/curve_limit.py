"""Whether a fitted curve may name the score of endless data."""

from __future__ import annotations

__all__ = ["CANNOT_TELL", "NO_GAIN", "limit_doubt"]

CANNOT_TELL, NO_GAIN = "cannot tell", "no gain beyond what was tried"
_SAME = 1e-9  # scores that differ by rounding only


def limit_doubt(
    limit: float,
    interval: tuple[float, float],
    *,
    last: float,
    best: float,
    greater: bool,
) -> str:
    """Say why a limit is not to be named.

    Parameters
    ----------
    limit : float
        The score to which the fit tends.
    interval : tuple of float
        Its interval; NaN where there is none.
    last : float
        Mean score that was measured at the largest size.
    best : float
        The best score there can be.
    greater : bool
        Whether scores grow as the model gets better.

    Returns
    -------
    str
        ``"no gain beyond what was tried"`` where more data would make it worse, which
        no law of this kind can mean. ``"cannot tell"`` where the interval reaches from
        the best there can be past what was measured: the limit within says nothing.
        Else empty.

    Examples
    --------
    >>> limit_doubt(0.0, (0.0, 1.33), last=1.2, best=0, greater=False)
    'cannot tell'
    >>> limit_doubt(0.994, (0.98, 0.998), last=0.997, best=1, greater=True)
    'no gain beyond what was tried'
    """
    sign = 1 if greater else -1
    worse, better = sorted(sign * end for end in interval)
    slack = _SAME * max(1.0, abs(best), abs(last))
    if sign * limit < sign * last - slack:
        return NO_GAIN
    reaches_past = better >= sign * best - slack and worse < sign * last - slack
    return CANNOT_TELL if reaches_past else ""
