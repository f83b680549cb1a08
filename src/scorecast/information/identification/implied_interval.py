"""The interval of implied information, and what it is made from.

It is made for c, on whose scale the fit is nearly linear, and then squared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from scorecast._core.types import FloatArray, IntArray
from scorecast.information.identification.curve_sample import CurveSample
from scorecast.information.identification.few_errors import (
    errors_are_few,
    interval_from_answers,
)
from scorecast.information.identification.separation import SeparationFit

__all__ = ["FROM_ANSWERS", "ImpliedInterval", "implied_interval", "nats_of"]

FROM_ANSWERS = "from the number of answers, hardly one wrong"
_FEWEST = 2  # stimuli: of two no interval is given, whatever it is made from
_LARGE_SHARE = 0.5  # of the squared moves; of 200 calm sets of 30 two had as much
_ENOUGH = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class ImpliedInterval:
    """An interval in nats, and where it comes from.

    Attributes
    ----------
    low, high : float
        Its ends; NaN where there is none.
    stderr : float
        Standard error of c; NaN where none was used.
    how : str
        How it was made.
    replicates : ndarray of float64
        c without each stimulus, where that was used.
    warnings : tuple of str
        What the reader must know.
    """

    low: float
    high: float
    stderr: float
    how: str
    replicates: FloatArray
    warnings: tuple[str, ...] = ()


def implied_interval(
    sample: CurveSample,
    order: IntArray,
    fit: SeparationFit,
    stderr: float | None,
    level: float,
) -> ImpliedInterval:
    """Make the interval of a fitted curve.

    Parameters
    ----------
    sample : CurveSample
        The curve.
    order : ndarray of int64
        Places of its sizes, ascending.
    fit : SeparationFit
        What was fitted.
    stderr : float or None
        Standard error of c, where it is known; that of the jackknife by default.
    level : float
        Level of the interval.

    Returns
    -------
    ImpliedInterval
        The interval. Where hardly an answer was wrong it is made from their number.
    """
    if errors_are_few(sample, order) and sample.curve.n_classes > _FEWEST:
        low, high = interval_from_answers(sample, order, level)
        middle = nats_of(fit.value)
        return ImpliedInterval(
            low=min(low, middle),
            high=max(high, middle),
            stderr=math.nan,
            how=FROM_ANSWERS,
            replicates=np.empty(0),
        )
    how = "random halves of the stimuli"
    if stderr is None:
        stderr, how = _jackknife(fit)
    low, high = _ends(fit.value, stderr, level)
    return ImpliedInterval(
        low=low,
        high=high,
        stderr=stderr,
        how=how if math.isfinite(stderr) else "none: too few stimuli",
        replicates=fit.replicates,
        warnings=_influence(fit.replicates),
    )


def nats_of(separation: float) -> float:
    """Return the information of c, none where it is negative."""
    return max(separation, 0.0) ** 2 / 2


def _jackknife(fit: SeparationFit) -> tuple[float, str]:
    n = fit.replicates.size
    if n > _FEWEST:
        off = fit.replicates - fit.replicates.mean()
        return math.sqrt((n - 1) / n * float(off @ off)), "leaving out stimuli in turn"
    return fit.linear_stderr, "covariance of the curve"


def _ends(separation: float, stderr: float, level: float) -> tuple[float, float]:
    if not math.isfinite(stderr):
        return math.nan, math.nan
    # Normal quantiles: with few stimuli the jackknife errs on the wide side already.
    half = float(ndtri(0.5 + level / 2)) * stderr
    return nats_of(separation - half), nats_of(separation + half)


def _influence(replicates: FloatArray) -> tuple[str, ...]:
    """Warn where a single stimulus makes the interval."""
    off = replicates - replicates.mean() if replicates.size else replicates
    total = float(off @ off)
    if replicates.size < _ENOUGH or total <= 0:
        return ()
    share = float((off**2).max()) / total
    if share < _LARGE_SHARE:
        return ()
    return (
        f"One stimulus makes {100 * share:.0f} % of the error that leaving out stimuli "
        "finds, perhaps a candidate that attracts many answers: such intervals hold "
        "less often than they say.",
    )
