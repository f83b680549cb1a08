"""A convex, piecewise linear D(u): the linear spline of the papers' first draft."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.distributions import (
    FavourabilityDistribution,
    SplineFavourability,
)
from scorecast.classes.evidence import RankEvidence
from scorecast.classes.least_squares import Design
from scorecast.classes.method import RankMethod
from scorecast.classes.moments import spline_moments
from scorecast.exceptions import UsageError
from scorecast.scores import curve_sizes

__all__ = ["Spline"]

_FIRST_COLUMNS = 40
_NEW_COLUMNS = 20
_ROUNDS = 30
_TOLERANCE = 1e-3  # of the squared residual


@dataclass(frozen=True, kw_only=True)
class Spline(RankMethod):
    """Non-negative regression on [u - c]_+ at evenly spaced c.

    D(u) is kept at or below one, without which accuracy turns negative for many
    classes. Of ten thousand columns a handful ends up in use; they are found by
    adding those the current solution violates most.

    Attributes
    ----------
    n_knots : int
        Number of knots.
    """

    name: ClassVar[str] = "spline"

    n_knots: int = 10_000

    def __post_init__(self) -> None:
        if self.n_knots < 2:
            msg = f"`n_knots` must be at least 2; got {self.n_knots!r}."
            raise UsageError(msg)

    def fit_ranks(
        self,
        ranks: RankEvidence,
        start: FavourabilityDistribution | None = None,
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


@lru_cache(maxsize=4)
def _reduced_columns(
    n_classes: int, n_knots: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Tabulate all columns, in the few directions in which they differ at all."""
    sizes = curve_sizes(n_classes)
    knots = np.arange(n_knots) / n_knots
    # Columns scaled to the share of examples they stand for, D(1) of each.
    columns = spline_moments(sizes.astype(np.float64), knots) / (1 - knots)
    left, values, _ = np.linalg.svd(columns[:, :: max(1, n_knots // 500)])
    rank = int((values > 1e-14 * values[0]).sum())
    rotation = left[:, : min(rank + 2, left.shape[1])]
    return sizes, rotation, rotation.T @ columns


def _first_columns(n_knots: int, start: FavourabilityDistribution | None) -> IntArray:
    # Most of what matters happens near u = 1: space the first guess in 1 - u.
    spaced = n_knots - np.geomspace(1, n_knots, _FIRST_COLUMNS)
    columns = np.round(spaced).astype(np.int64)
    if isinstance(start, SplineFavourability):
        columns = np.append(columns, np.round(start.knots * n_knots).astype(np.int64))
    return np.unique(np.clip(columns, 0, n_knots - 1))


def _solve(columns: FloatArray, errors: FloatArray) -> FloatArray:
    """Find shares; what they lack of one belongs to examples never confused."""
    with_slack = np.column_stack([columns, np.zeros(errors.size)])
    return Design(with_slack).simplex(errors)[:-1]
