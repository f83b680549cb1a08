"""How good predicted survival curves are, by the measures that readers expect."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import chdtrc

from scorecast._core.types import BoolArray, FloatArray, Json
from scorecast.recurrence.kaplan_meier import followed_up, survival_at

__all__ = ["Calibration", "Concordance", "concordance", "d_calibration",
           "integrated_brier"]  # fmt: skip

_BINS = 10
_LEAST_EXPECTED = 2.0  # events in a tenth of survival: below, chance is not normal
_LEAST_FOLLOWED = 0.05  # share of cases not yet censored, below which weights explode


@dataclass(frozen=True)
class Calibration:
    """D-calibration (Haider and others 2020): survival then should be even.

    Attributes
    ----------
    shares : tuple of float
        Share of the cases whose event fell where their survival was 0-10 %, ...,
        90-100 %; each would be 10 %.
    statistic, p : float
        Chi-squared, and its p-value; 1 where there is nothing to test.
    degrees : int
        Its degrees of freedom: 9, less where too few were followed for so long.
    """

    shares: tuple[float, ...]
    statistic: float
    p: float
    degrees: int = _BINS - 1

    def to_dict(self) -> Json:
        """Return plain values."""
        return asdict(self) | {"shares": list(self.shares)}


@dataclass(frozen=True)
class Concordance:
    """Harrell's C: how often the one predicted to wait longer does.

    Attributes
    ----------
    value, stderr : float
        The share of comparable pairs, and its error by the jackknife over cases.
    n_pairs : int
        Comparable pairs.
    """

    value: float
    stderr: float
    n_pairs: int

    def to_dict(self) -> Json:
        """Return plain values."""
        return asdict(self)


def d_calibration(survival: FloatArray, event: BoolArray) -> Calibration:
    """Check that predicted survival at the observed times is even.

    A case that was still waiting at survival s would be seen at any lower one, so it is
    spread evenly over them. What is spread varies less than what was seen, so the
    statistic of the plain test would be too small; here every tenth is held against the
    events expected of those who came to it, and by how much these vary.

    Parameters
    ----------
    survival : array of shape (n,)
        Predicted probability of waiting beyond the observed time.
    event : array of bool of shape (n,)
        Whether the event was seen.

    Returns
    -------
    Calibration
        Shares and test.
    """
    n = len(survival)
    place = np.minimum((survival * _BINS).astype(int), _BINS - 1)
    counts = np.bincount(place[event], minlength=_BINS).astype(np.float64)
    waiting = np.maximum(survival[~event, None], np.finfo(float).tiny)
    remains = np.clip(waiting - np.arange(_BINS) / _BINS, 0.0, 1.0 / _BINS)
    counts += (remains / waiting).sum(axis=0)
    surplus, variance, expected = _by_tenth(survival, event)
    use = expected >= _LEAST_EXPECTED
    degrees = int(use.sum())
    statistic = float((surplus[use] ** 2 / variance[use]).sum())
    p = float(chdtrc(degrees, statistic)) if degrees else 1.0
    return Calibration(tuple(float(c) / n for c in counts), statistic, p, degrees)


def _by_tenth(
    survival: FloatArray, event: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return surplus, its variance and expected events of all tenths but the last.

    As survival s falls, the risk of a case that still waits is ds / s. An event moves a
    case from all tenths that remain to the one it fell in; less what was expected, the
    moves of different tenths are martingales without covariance, and the shares are
    their sum. Within a tenth that ends at b a move has the size b / s.
    """
    ends = np.arange(_BINS - 1, 0, -1) / _BINS
    starts = ends + 1.0 / _BINS
    # Where each case left each tenth; its start if it never came there.
    left = np.clip(survival[:, None], ends, starts)
    fell = event[:, None] & (survival[:, None] < starts) & (survival[:, None] >= ends)
    fell[:, 0] |= event & (survival >= starts[0])
    surplus = np.where(fell, ends / left, 0.0) - ends * (1.0 / left - 1.0 / starts)
    variance = 0.5 * ends**2 * (left**-2.0 - starts**-2.0)
    expected = np.log(starts / left)
    return surplus.sum(axis=0), variance.sum(axis=0), expected.sum(axis=0)


def concordance(
    time: FloatArray, event: BoolArray, predicted: FloatArray
) -> Concordance:
    """Compare pairs of cases whose order is known.

    Parameters
    ----------
    time, event : array of shape (n,)
        What was seen.
    predicted : array of shape (n,)
        Predicted times, or anything that rises with them.

    Returns
    -------
    Concordance
        NaN where no pair can be compared.
    """
    n = len(time)
    right, pairs = np.zeros(n), np.zeros(n)
    for i in np.flatnonzero(event):
        later = (time > time[i]) | ((time == time[i]) & ~event)
        later[i] = False
        own = (predicted[later] > predicted[i]) + 0.5 * (
            predicted[later] == predicted[i]
        )
        right[i] += own.sum()
        pairs[i] += later.sum()
        right[later] += own
        pairs[later] += 1.0
    total, all_right = pairs.sum() / 2, right.sum() / 2
    if total == 0.0:
        return Concordance(math.nan, math.nan, 0)
    rest = total - pairs
    if (rest <= 0.0).any():
        return Concordance(float(all_right / total), math.nan, int(total))
    without = (all_right - right) / rest
    spread = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    return Concordance(float(all_right / total), spread, int(total))


def integrated_brier(
    time: FloatArray, event: BoolArray, at: FloatArray, survival: FloatArray
) -> float:
    """Average squared error of survival curves, weighted for censoring (Graf 1999).

    Parameters
    ----------
    time, event : array of shape (n,)
        What was seen.
    at : array of shape (T,)
        Times, rising.
    survival : array of shape (n, T)
        Predicted survival there.

    Returns
    -------
    float
        Mean over the time from the first of `at` to the last one at which the curve of
        censoring is at least 5 %; NaN where there are not two such times.
    """
    followed = followed_up(time, event)
    of_time = survival_at(followed, at)
    use = of_time >= _LEAST_FOLLOWED
    if use.sum() < 2:
        return math.nan
    own = np.maximum(survival_at(followed, time, before=True), 1e-12)
    scores = []
    for t, g, s in zip(at[use], of_time[use], survival[:, use].T, strict=True):
        happened = (time <= t) & event
        waiting = time > t
        error = np.where(happened, s**2 / own, 0.0) + np.where(
            waiting, (1.0 - s) ** 2 / g, 0.0
        )
        scores.append(error.mean())
    span = at[use]
    area = np.diff(span) @ (np.array(scores)[1:] + np.array(scores)[:-1]) / 2.0
    return float(area / (span[-1] - span[0]))
