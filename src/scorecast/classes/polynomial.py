"""A polynomial D(u): simple, smooth, and not to be trusted far out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scorecast.classes.distributions import (
    FavourabilityDistribution,
    PolynomialFavourability,
)
from scorecast.classes.evidence import RankEvidence
from scorecast.classes.least_squares import Design
from scorecast.classes.method import RankMethod
from scorecast.classes.moments import legendre_moments
from scorecast.exceptions import UsageError
from scorecast.scores import curve_sizes

__all__ = ["Polynomial"]


@dataclass(frozen=True, kw_only=True)
class Polynomial(RankMethod):
    """Least squares on shifted Legendre polynomials; predictions cut at 0 and 1.

    Attributes
    ----------
    degree : int
        Degree of D(u); lowered where there are fewer sizes than coefficients.
    """

    name: ClassVar[str] = "polynomial"

    degree: int = 3

    def __post_init__(self) -> None:
        if not 0 <= self.degree <= 30:
            msg = f"`degree` must lie in 0..30; got {self.degree!r}."
            raise UsageError(msg)

    def fit_ranks(
        self,
        ranks: RankEvidence,
        start: FavourabilityDistribution | None = None,  # noqa: ARG002 - linear
    ) -> PolynomialFavourability:
        """Fit a histogram of beating competitors."""
        sizes = curve_sizes(ranks.n_classes)
        degree = min(self.degree, sizes.size - 1)
        moments = legendre_moments(sizes.astype(np.float64), degree)
        coefficients = Design(moments).unconstrained(1 - ranks.curve(sizes))
        return PolynomialFavourability(coefficients=coefficients)
