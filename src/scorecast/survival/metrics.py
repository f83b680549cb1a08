"""How good predicted survival curves are, by the measures that readers expect."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.result import SHARE
from scorecast._core.types import BoolArray, FloatArray

_N_BINS = 10
_LEAST_EXPECTED = 2.0  # events in a tenth of survival: below, chance is not normal
LEAST_FOLLOWED = 0.05  # share of samples not yet censored, below which weights explode


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """D-calibration: survival at the observed times should be even.

    Attributes
    ----------
    shares : tuple of float
        Share of the samples whose event fell where their survival was 0-10 %, ...,
        90-100 %; each would be 10 %.
    statistic, p_value : float
        Chi-squared, and its p-value; 1 where there is nothing to test.
    n_free : int
        Its degrees of freedom: 9, less where too few were followed for so long.
    """

    shares: tuple[float, ...]
    statistic: float
    p_value: float = field(metadata=SHARE)
    n_free: int = _N_BINS - 1


@dataclass(frozen=True, kw_only=True)
class Concordance:
    """Harrell's C: how often the one predicted to wait longer does.

    Attributes
    ----------
    value, stderr : float
        The share of comparable pairs, and its error by the jackknife over samples.
    n_pairs : int
        Comparable pairs.
    """

    value: float = field(metadata=SHARE)
    stderr: float
    n_pairs: int


def d_calibration(survival: ArrayLike, event: ArrayLike) -> Calibration:
    """Check that predicted survival at the observed times is even.

    A sample that was still waiting at survival s would be seen at any lower one, so it
    is spread evenly over them. What is spread varies less than what was seen, so the
    statistic of the plain test would be too small; here every tenth is held against the
    events expected of those who came to it, and by how much these vary.

    Parameters
    ----------
    survival : array-like of shape (n,)
        Predicted probability of waiting beyond the observed time.
    event : array-like of bool of shape (n,)
        Whether the event was seen.

    Returns
    -------
    Calibration
        Shares and test.

    References
    ----------
    H. Haider, B. Hoehn, S. Davis and R. Greiner (2020). Effective ways to build and
    evaluate individual survival distributions. Journal of Machine Learning Research 21.

    Examples
    --------
    >>> even = (np.arange(100) + 0.5) / 100
    >>> d_calibration(even, np.ones(100)).p_value > 0.9
    True
    """
    s, seen = np.asarray(survival, dtype=np.float64), np.asarray(event, dtype=np.bool_)
    place = np.minimum((s * _N_BINS).astype(int), _N_BINS - 1)
    counts = np.bincount(place[seen], minlength=_N_BINS).astype(np.float64)
    waiting = np.maximum(s[~seen, None], np.finfo(float).tiny)
    remains = np.clip(waiting - np.arange(_N_BINS) / _N_BINS, 0.0, 1.0 / _N_BINS)
    counts += (remains / waiting).sum(axis=0)
    surplus, variance, expected = _by_tenth(s, seen)
    use = expected >= _LEAST_EXPECTED
    n_free = int(use.sum())
    statistic = float((surplus[use] ** 2 / variance[use]).sum())
    return Calibration(
        shares=tuple(float(c) / len(s) for c in counts),
        statistic=statistic,
        p_value=float(scipy.special.chdtrc(n_free, statistic)) if n_free else 1.0,
        n_free=n_free,
    )


def _by_tenth(
    survival: FloatArray, event: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return surplus, its variance and expected events of all tenths but the last.

    As survival s falls, the risk of a sample that still waits is ds / s. An event moves
    a sample from all tenths that remain to the one it fell in; less what was expected,
    the moves of different tenths are martingales without covariance, and the shares are
    their sum. Within a tenth that ends at b a move has the size b / s.
    """
    ends = np.arange(_N_BINS - 1, 0, -1) / _N_BINS
    starts = ends + 1.0 / _N_BINS
    # Where each sample left each tenth; its start if it never came there.
    left = np.clip(survival[:, None], ends, starts)
    fell = event[:, None] & (survival[:, None] < starts) & (survival[:, None] >= ends)
    fell[:, 0] |= event & (survival >= starts[0])
    surplus = np.where(fell, ends / left, 0.0) - ends * (1.0 / left - 1.0 / starts)
    variance = 0.5 * ends**2 * (left**-2.0 - starts**-2.0)
    expected = np.log(starts / left)
    return surplus.sum(axis=0), variance.sum(axis=0), expected.sum(axis=0)


def concordance_index(
    time: ArrayLike, event: ArrayLike, predicted: ArrayLike
) -> Concordance:
    """Compare pairs of samples whose order is known.

    Parameters
    ----------
    time, event : array-like of shape (n,)
        What was seen.
    predicted : array-like of shape (n,)
        Predicted times, or anything that rises with them.

    Returns
    -------
    Concordance
        NaN where no pair can be compared.

    References
    ----------
    F. Harrell, K. Lee and D. Mark (1996). Multivariable prognostic models. Statistics
    in Medicine 15.

    Examples
    --------
    >>> concordance_index([1.0, 2.0, 3.0], [1, 0, 1], [0.5, 2.5, 2.0]).value
    1.0
    """
    t, seen = np.asarray(time, dtype=np.float64), np.asarray(event, dtype=np.bool_)
    said = np.asarray(predicted, dtype=np.float64)
    n = len(t)
    right, pairs = np.zeros(n), np.zeros(n)
    for i in np.flatnonzero(seen):
        later = (t > t[i]) | ((t == t[i]) & ~seen)
        later[i] = False
        own = (said[later] > said[i]) + 0.5 * (said[later] == said[i])
        right[i] += own.sum()
        pairs[i] += later.sum()
        right[later] += own
        pairs[later] += 1.0
    total, all_right = pairs.sum() / 2, right.sum() / 2
    if total == 0.0:
        return Concordance(value=math.nan, stderr=math.nan, n_pairs=0)
    value, stderr, rest = float(all_right / total), math.nan, total - pairs
    if (rest > 0.0).all():
        without = (all_right - right) / rest
        squares = float(((without - without.mean()) ** 2).sum())
        stderr = math.sqrt((n - 1) / n * squares)
    return Concordance(value=value, stderr=stderr, n_pairs=int(total))


def integrated_brier_score(
    time: ArrayLike, event: ArrayLike, at: ArrayLike, survival: ArrayLike
) -> float:
    r"""Average squared error of survival curves, weighted for censoring.

    .. math:: BS(t) = \frac{1}{n} \sum_i \frac{S_i(t)^2 [t_i \le t, \delta_i]}{G(t_i-)}
              + \frac{(1 - S_i(t))^2 [t_i > t]}{G(t)}

    with G the share that is not yet censored.

    Parameters
    ----------
    time, event : array-like of shape (n,)
        What was seen.
    at : array-like of shape (T,)
        Times, rising.
    survival : array-like of shape (n, T)
        Predicted survival there.

    Returns
    -------
    float
        Mean over the time from the first of `at` to the last one at which the curve of
        censoring is at least 5 %; NaN where there are not two such times.

    References
    ----------
    E. Graf, C. Schmoor, W. Sauerbrei and M. Schumacher (1999). Assessment and
    comparison of prognostic classification schemes for survival data. Statistics in
    Medicine 18.

    Examples
    --------
    >>> integrated_brier_score([1.0, 3.0], [1, 1], [1.0, 2.0], [[0, 0], [1, 1]])
    0.0
    """
    t, seen = np.asarray(time, dtype=np.float64), np.asarray(event, dtype=np.bool_)
    grid = np.asarray(at, dtype=np.float64)
    curves = np.asarray(survival, dtype=np.float64)
    followed = followed_up(t, seen)
    of_time = survival_at(followed, grid)
    use = of_time >= LEAST_FOLLOWED
    if use.sum() < 2:
        return math.nan
    own = np.maximum(survival_at(followed, t, before=True), 1e-12)
    scores = []
    for end, g, s in zip(grid[use], of_time[use], curves[:, use].T, strict=True):
        happened = (t <= end) & seen
        waiting = t > end
        error = np.where(happened, s**2 / own, 0.0) + np.where(
            waiting, (1.0 - s) ** 2 / g, 0.0
        )
        scores.append(error.mean())
    span = grid[use]
    area = np.diff(span) @ (np.array(scores)[1:] + np.array(scores)[:-1]) / 2.0
    return float(area / (span[-1] - span[0]))


# --- the share still waiting ---------------------------------------------------------


def kaplan_meier(time: ArrayLike, event: ArrayLike) -> tuple[FloatArray, FloatArray]:
    r"""Return the product-limit estimate of the share still waiting.

    .. math:: S(t) = \prod_{t_i \le t} (1 - d_i / n_i)

    Parameters
    ----------
    time, event : array-like of shape (n,)
        Times, and whether the event was seen; at equal times events come first.

    Returns
    -------
    tuple of ndarray of shape (steps,)
        Times of events, and the share that waits beyond each.

    References
    ----------
    E. L. Kaplan and P. Meier (1958). Nonparametric estimation from incomplete
    observations. Journal of the American Statistical Association 53.

    Examples
    --------
    >>> at, share = kaplan_meier([1.0, 2.0, 2.0, 4.0], [1, 1, 0, 1])
    >>> at.tolist(), share.tolist()
    ([1.0, 2.0, 4.0], [0.75, 0.5, 0.0])
    """
    t, seen = np.asarray(time, dtype=np.float64), np.asarray(event, dtype=np.bool_)
    at, n_events = np.unique(t[seen], return_counts=True)
    n_waiting = len(t) - np.searchsorted(np.sort(t), at, side="left")
    return at, np.asarray(np.cumprod(1.0 - n_events / n_waiting), dtype=np.float64)


def median_time(time: FloatArray, event: BoolArray) -> float | None:
    """Return the time by which half have had their event; None where fewer have."""
    at, survival = kaplan_meier(time, event)
    below = at[survival <= 0.5]
    return float(below[0]) if below.size else None


def followed_up(time: FloatArray, event: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the product-limit estimate of the share that is not yet censored.

    At equal times events still come first, so that who had one then was no longer there
    to be censored.
    """
    at, n_censored = np.unique(time[~event], return_counts=True)
    n_there = len(time) - np.searchsorted(np.sort(time), at, side="left")
    seen = np.sort(time[event])
    n_seen = np.searchsorted(seen, at, side="right") - np.searchsorted(seen, at)
    share = np.cumprod(1.0 - n_censored / (n_there - n_seen))
    return at, np.asarray(share, dtype=np.float64)


def survival_at(
    steps: tuple[FloatArray, FloatArray], time: FloatArray, *, before: bool = False
) -> FloatArray:
    """Read such an estimate at any times, or just before each of them."""
    at, survival = steps
    whole = np.concatenate([[1.0], survival])
    places = np.searchsorted(at, time, side="left" if before else "right")
    return np.asarray(whole[places])
