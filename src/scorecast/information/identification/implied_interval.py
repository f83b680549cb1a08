"""The interval of implied information, and what it is made from.

Leaving out stimuli gives a variance of c. Where errors are many, c is nearly normal.
Where they are few it is not: their number is a count, and c runs away as it falls to
zero. So the variance is turned into the number of answers that an accuracy as certain
would rest on, and the interval is that of a share of so many (Korn and Graubard 1998,
with the ends of Jeffreys). One rule for few and for many errors, few and many stimuli.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from scorecast._core.percent import percent
from scorecast._core.types import FloatArray, IntArray
from scorecast.information.identification.curve_sample import CurveSample
from scorecast.information.identification.ideal_curve import (
    curve_slopes,
    ideal_curve,
    ideal_information,
)
from scorecast.information.identification.separation import SeparationFit

__all__ = [
    "ALL_RIGHT",
    "ImpliedInterval",
    "implied_interval",
    "nats_of",
    "proved_by_right_answers",
]

ALL_RIGHT = "from the number of answers, all right"
_FEWEST = 2  # units left out: of two no interval is given
_LARGE_SHARE = 0.5  # of the squared moves; of 200 calm sets of 30 two had as much
_ENOUGH = 10
_NEARLY_ALL = 1 - 1e-15


@dataclass(frozen=True, kw_only=True, eq=False)
class ImpliedInterval:
    """An interval in nats, and where it comes from.

    Attributes
    ----------
    low, high : float
        Its ends; NaN where there is none.
    stderr : float
        Standard error of c; NaN where none is known.
    how : str
        How it was made.
    warnings : tuple of str
        What the reader must know.
    """

    low: float
    high: float
    stderr: float
    how: str
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
        The interval.
    """
    how = "random halves of the stimuli"
    if stderr is None:
        stderr = fit.linear_stderr
        is_left_out = fit.replicates.size > 0
        how = (
            "leaving out stimuli in turn" if is_left_out else "covariance of the curve"
        )
    n_units = sample.curve.n_groups
    if n_units <= _FEWEST or not math.isfinite(stderr):
        return ImpliedInterval(
            low=math.nan, high=math.nan, stderr=math.nan, how="none: too few stimuli"
        )
    # In the ideal task a score of the truth is normal around c with variance one: no
    # test of so many answers knows c better. Moves that cancel by chance do not either.
    answers = max(sample.curve.n_samples, n_units)
    stderr = max(stderr, 1 / math.sqrt(answers))
    largest = int(sample.curve.classes[order[-1]])
    low, high = _ends(fit.value, stderr, largest, level, n_units - 1)
    middle = nats_of(fit.value)
    return ImpliedInterval(
        low=min(low, middle),
        high=max(high, middle),
        stderr=stderr,
        how=how,
        warnings=_influence(fit.replicates),
    )


def proved_by_right_answers(
    sample: CurveSample, order: IntArray, level: float
) -> float:
    """Return the lower end where no answer was wrong.

    Parameters
    ----------
    sample : CurveSample
        A curve without an error.
    order : ndarray of int64
        Places of its sizes, ascending.
    level : float
        Level of an interval of two ends, of which this is one.

    Returns
    -------
    float
        Nats: Clopper and Pearson's end for the accuracy among all candidates, as many
        answers as the stimulus with fewest has of each; Hoeffding's where stimuli came
        in groups.
    """
    trials, alpha = sample.trials, (1 - level) / 2
    low = alpha ** (1 / (trials.n_classes * trials.fewest))
    if not trials.is_independent:
        low = max(1 - math.sqrt(math.log(1 / alpha) * trials.spread / 2), 0.0)
    return ideal_information(low, int(sample.curve.classes[order[-1]]))


def nats_of(separation: float) -> float:
    """Return the information of c, none where it is negative."""
    return max(separation, 0.0) ** 2 / 2


def _ends(
    separation: float, stderr: float, largest: int, level: float, freedom: int
) -> tuple[float, float]:
    size = _telling_size(separation, largest)
    sizes = np.array([size])
    accuracy = float(ideal_curve(sizes, separation)[0])
    slope = float(curve_slopes(sizes, separation)[0])
    alpha = (1 - level) / 2
    # The variance is itself known from few stimuli only.
    wider = float(stdtrit(freedom, 1 - alpha) / ndtri(1 - alpha))
    answers = accuracy * (1 - accuracy) / (slope * stderr * wider) ** 2
    right, wrong = answers * accuracy + 0.5, answers * (1 - accuracy) + 0.5
    low = float(betaincinv(right, wrong, alpha))
    high = 1 - float(betaincinv(wrong, right, alpha))
    return (
        ideal_information(low, size),
        ideal_information(min(high, _NEARLY_ALL), size),
    )


def _telling_size(separation: float, largest: int) -> float:
    """Return the number of candidates among which half of the answers are right.

    There shares are nearly normal. All candidates where even among them more are right;
    two where not even among two.
    """
    from scipy.optimize import brentq

    def beyond_half(log_size: float) -> float:
        return float(ideal_curve(np.exp([log_size]), separation)[0]) - 0.5

    ends = (math.log(2), math.log(largest))
    if beyond_half(ends[1]) >= 0:
        return float(largest)
    if beyond_half(ends[0]) <= 0:
        return 2.0
    return math.exp(brentq(beyond_half, *ends, xtol=1e-10))


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
        f"One stimulus makes {percent(share)} of the error that leaving out stimuli "
        "finds: the only one that was mistaken, or a candidate that attracts many "
        "answers. With such candidates intervals hold less often than they say.",
    )
