"""Method: a convex, piecewise linear D(u), the spline of the papers' first draft."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy

from scorecast._core.checks import check_count
from scorecast._core.types import FloatArray, IntArray
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Law,
    RankExtrapolator,
)
from scorecast.extrapolation.least_squares import Design
from scorecast.extrapolation.observed import RankHistogram
from scorecast.scores import curve_sizes

_FIRST_COLUMNS = 40
_NEW_COLUMNS = 20
_ROUNDS = 30
_TOLERANCE = 1e-3  # of the squared residual


@dataclass(frozen=True, kw_only=True)
class Spline(RankExtrapolator):
    r"""Non-negative regression of the accuracy curve on convex hinges.

    The discriminability function is a sum of hinges,

    .. math:: D(u) = \sum_j b_j [u - c_j]_+, \qquad b_j \ge 0,

    at evenly spaced :math:`c_j`, kept at or below one, without which accuracy turns
    negative for many classes. Of ten thousand columns a handful ends up in use; they
    are found by adding those the current solution violates most.

    Attributes
    ----------
    n_knots : int
        Number of knots.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.
    """

    is_compared: ClassVar[bool] = True

    name: str = "spline"
    title: str = "a convex linear spline"
    summary: str = (
        "distribution of how hard examples are, piecewise linear and convex; simple "
        "and steady"
    )
    reference: str = "Zheng, Achanta and Benjamini (2018)"
    n_knots: int = 10_000

    def __post_init__(self) -> None:
        check_count(self.n_knots, "n_knots", least=2)

    def fit_ranks(
        self, ranks: RankHistogram, start: Law | None = None
    ) -> SplineFavourability:
        """Fit a histogram of beating competitors."""
        sizes, rotation, columns = _reduced_columns(ranks.n_classes, self.n_knots)
        errors = rotation.T @ (1 - ranks.curve(sizes))
        used = _first_columns(self.n_knots, start)
        for _ in range(_ROUNDS):
            shares = _solve(columns[:, used], errors)
            in_use = shares > 0
            used, shares = used[in_use], shares[in_use]
            residual = errors - columns[:, used] @ shares
            gain = columns.T @ residual
            # On the simplex a column helps if it gains more than those in use do, and
            # the excess bounds what is left to win.
            enough = shares @ gain[used] + _TOLERANCE * (residual @ residual) + 1e-15
            most = min(_NEW_COLUMNS, self.n_knots - 1)
            best = np.argpartition(-gain, most)[:most]
            best = best[gain[best] > enough]
            if np.isin(best, used).all():
                break
            used = np.union1d(used, best)
        else:
            shares = _solve(columns[:, used], errors)
        knots = used / self.n_knots
        return SplineFavourability(knots=knots, slopes=shares / (1 - knots))


@dataclass(frozen=True, kw_only=True, eq=False)
class SplineFavourability:
    """A convex piecewise linear D(u) that starts at zero.

    Attributes
    ----------
    knots, slopes : ndarray of shape (m,)
        D(u) is the sum of ``slopes * max(u - knots, 0)``.
    """

    knots: FloatArray
    slopes: FloatArray

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        floats = np.asarray(ks, dtype=np.float64)
        if top == 1:
            accuracy: FloatArray = 1 - spline_moments(floats, self.knots) @ self.slopes
            return accuracy
        # One minus the mean of D at the u where the m-th best of k - 1 wrong classes
        # stands: 1 - u is Beta(m, k - m), and E[(d - (1 - u))_+] has a closed form.
        betainc = scipy.special.betainc
        b = np.maximum(floats[:, None] - top, 1.0)
        d = 1 - self.knots
        hinges = d * betainc(top, b, d) - top / (top + b) * betainc(top + 1, b, d)
        found = 1 - hinges @ self.slopes
        return np.where(floats > top, np.minimum(found, 1.0), 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u)."""
        below: FloatArray = np.maximum(u[:, None] - self.knots, 0) @ self.slopes
        return np.where(u >= 1, 1.0, below)


def spline_moments(ks: FloatArray, knots: FloatArray) -> FloatArray:
    """Compute (k-1) times the integral of [u - c]_+ u^(k-2) over the unit interval.

    Parameters
    ----------
    ks : ndarray of shape (n,)
        Numbers of classes.
    knots : ndarray of shape (m,)
        Knots c in [0, 1).

    Returns
    -------
    ndarray of shape (n, m)
        Error at each k for each element.

    Examples
    --------
    >>> float(spline_moments(np.array([10.0]), np.array([0.3]))[0, 0].round(11))
    0.60000059049
    """
    k, d = np.broadcast_arrays(ks[:, None], 1 - knots)
    near_zero = k * d < 1e-2
    with np.errstate(divide="ignore"):
        closed = d + np.expm1(k * np.log1p(-np.minimum(d, 1.0))) / k
    # d + expm1(..)/k cancels to nothing when k*d is small: sum the series instead.
    term = (k - 1) * d**2 / 2
    series = term.copy()
    for j in range(2, 8):
        term = -term * d * (k - j) / (j + 1)
        series += term
    moments: FloatArray = np.where(near_zero, series, closed)
    return moments


@lru_cache(maxsize=4)
def _reduced_columns(
    n_classes: int, n_knots: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Tabulate all columns, in the few directions in which they differ at all."""
    sizes = curve_sizes(n_classes)
    knots = np.arange(n_knots) / n_knots
    # Columns scaled to the share of samples they stand for, D(1) of each.
    columns = spline_moments(sizes.astype(np.float64), knots) / (1 - knots)
    left, values, _ = np.linalg.svd(columns[:, :: max(1, n_knots // 500)])
    rank = int((values > 1e-14 * values[0]).sum())
    rotation = left[:, : min(rank + 2, left.shape[1])]
    return sizes, rotation, rotation.T @ columns


def _first_columns(n_knots: int, start: Law | None) -> IntArray:
    # Most of what matters happens near u = 1: space the first guess in 1 - u.
    spaced = n_knots - np.geomspace(1, n_knots, _FIRST_COLUMNS)
    columns = np.round(spaced).astype(np.int64)
    if isinstance(start, SplineFavourability):
        columns = np.append(columns, np.round(start.knots * n_knots).astype(np.int64))
    return np.unique(np.clip(columns, 0, n_knots - 1))


def _solve(columns: FloatArray, errors: FloatArray) -> FloatArray:
    """Find shares; what they lack of one belongs to samples never confused."""
    with_slack = np.column_stack([columns, np.zeros(errors.size)])
    return Design(with_slack).simplex(errors)[:-1]


EXTRAPOLATORS.add(Spline())
