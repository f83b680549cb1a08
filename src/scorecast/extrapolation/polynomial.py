"""Method: a polynomial D(u), simple, smooth, and not to be trusted far out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

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

_HIGHEST = 30  # degree


@dataclass(frozen=True, kw_only=True)
class Polynomial(RankExtrapolator):
    """Least squares on shifted Legendre polynomials; predictions cut at 0 and 1.

    Attributes
    ----------
    degree : int
        Degree of D(u); lowered where there are fewer sizes than coefficients.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.
    """

    handles_top: ClassVar[bool] = False

    name: str = "polynomial"
    title: str = "a polynomial"
    summary: str = (
        "distribution of how hard examples are, a polynomial; for comparison, not to "
        "be trusted far out"
    )
    reference: str = "Zheng, Achanta and Benjamini (2018)"
    degree: int = 3

    def __post_init__(self) -> None:
        check_count(self.degree, "degree", least=0, most=_HIGHEST)

    def fit_ranks(
        self,
        ranks: RankHistogram,
        start: Law | None = None,  # noqa: ARG002 - linear
    ) -> PolynomialFavourability:
        """Fit a histogram of beating competitors."""
        sizes = curve_sizes(ranks.n_classes)
        degree = min(self.degree, sizes.size - 1)
        moments = legendre_moments(sizes.astype(np.float64), degree)
        coefficients = Design(moments).unconstrained(1 - ranks.curve(sizes))
        return PolynomialFavourability(coefficients=coefficients)


@dataclass(frozen=True, kw_only=True, eq=False)
class PolynomialFavourability:
    """A polynomial D(u) in the shifted Legendre basis; nothing keeps it monotone.

    Attributes
    ----------
    coefficients : ndarray of shape (degree + 1,)
        Coefficients of the shifted Legendre polynomials.
    """

    coefficients: FloatArray

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy of one guess, cut off at 0 and 1."""
        if top > 1:
            msg = "a polynomial has no answer within several guesses"
            raise NotImplementedError(msg)
        floats = np.asarray(ks, dtype=np.float64)
        moments = legendre_moments(floats, self.coefficients.size - 1)
        raw = 1 - moments @ self.coefficients
        return np.where(floats > 1, np.clip(raw, 0, 1), 1.0)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u), cut off at 0 and 1."""
        raw = np.polynomial.legendre.legval(2 * u - 1, self.coefficients)
        return np.where(u >= 1, 1.0, np.clip(raw, 0, 1))


def legendre_moments(ks: FloatArray, degree: int) -> FloatArray:
    """Compute (k-1) times the integral of shifted Legendre polynomials u^(k-2).

    Parameters
    ----------
    ks : ndarray of shape (n,)
        Numbers of classes.
    degree : int
        Highest degree.

    Returns
    -------
    ndarray of shape (n, degree + 1)
        Error at each k for each polynomial.
    """
    factors = [(ks - 1 - i) / (ks - 1 + i) for i in range(1, degree + 1)]
    columns = np.column_stack([np.ones_like(ks), *factors])
    return np.asarray(np.cumprod(columns, axis=1), dtype=np.float64)


EXTRAPOLATORS.add(Polynomial())
