"""Moments that turn a distribution of favourability into accuracy at k classes.

Write U for the chance that a random wrong class scores below the true one. Accuracy at
k classes is E[U^(k-1)], so each element of a basis for the distribution of U needs one
number per k. Everything here is stable to k = 10^9 and beyond.
"""

from __future__ import annotations

import functools

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from scorecast._core.types import FloatArray

__all__ = [
    "legendre_moments",
    "probit_moments_by_quantiles",
    "spline_moments",
]

_QUANTILES = 10_000


def probit_moments_by_quantiles(
    ks: FloatArray, means: FloatArray, sds: FloatArray
) -> FloatArray:
    """Compute the same moments by the rule of the authors' R code.

    It averages over 10,000 equally likely values of V and is off by up to 1e-5,
    where `scores.probit_moments` is exact; kept for comparison with published numbers.

    Parameters
    ----------
    ks : ndarray of shape (n,)
        Numbers of classes.
    means, sds : ndarray of shape (m,)
        Means and standard deviations of V.

    Returns
    -------
    ndarray of shape (n, m)
        Accuracy at each k for each element.
    """
    given = (np.asarray(v, dtype=np.float64).tobytes() for v in (ks, means, sds))
    return _by_quantiles(*given).copy()


@functools.lru_cache(maxsize=64)
def _by_quantiles(ks_bytes: bytes, means_bytes: bytes, sds_bytes: bytes) -> FloatArray:
    """Compute a table once: fits without some classes ask for the same again."""
    ks, means, sds = (np.frombuffer(b) for b in (ks_bytes, means_bytes, sds_bytes))
    quantiles = ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    out = np.empty((ks.size, means.size))
    if ks.size * means.size > 2_000:
        from scorecast.classes.moment_kernels import mean_powers

        # The kernel goes from one number of classes to the next larger one.
        order = np.argsort(ks, kind="stable")
        for j, (mean, sd) in enumerate(zip(means, sds, strict=True)):
            out[order, j] = mean_powers(ndtr(mean + sd * quantiles), ks[order])
        return out
    for j, (mean, sd) in enumerate(zip(means, sds, strict=True)):
        logs = log_ndtr(mean + sd * quantiles)
        out[:, j] = [np.exp((k - 1) * logs).mean() for k in ks]
    return out


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
