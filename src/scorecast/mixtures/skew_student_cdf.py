"""The cumulative distribution of a skew-Student variable in one dimension.

With s = sqrt(alpha), the chance of at most y is the mean of Phi(slope s - lean). The
normal distribution function is flat but for a window of some 18 units; where it is flat
the Gamma distribution of alpha gives the rest exactly. So only the part of the window
that s can reach is integrated, by the tanh-sinh rule, which does not mind a density
that is singular at zero. Steep windows (large lean) and long tails (small shape) then
need no more nodes than others.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray

__all__ = ["skew_student_cdf"]

_STEP = 1 / 32
_N_STEPS = 112  # to either side; the weights beyond are below rounding
_FLAT = 9.0  # standard deviations beyond which the normal distribution function is flat
_NO_MASS = 1e-18
_FAR = 1e150  # as good as infinity, without its arithmetic
_SERIES_FROM = 20.0


def skew_student_cdf(
    y: FloatArray, lean: float, root: float, shape: float, rate: float
) -> FloatArray:
    """Return the chance that (lean + noise) / (root * s) is at most y.

    Parameters
    ----------
    y : ndarray of float64
        Distances from the location, of any shape.
    lean : float
        Skew in units of the noise.
    root : float
        Square root of the precision.
    shape, rate : float
        Of the Gamma distribution of s squared.

    Returns
    -------
    ndarray of float64
        Probabilities, exact to about 1e-13.
    """
    from scipy.special import gammaincc, gammainccinv, gammaincinv, ndtr

    flat = np.clip(np.ravel(y), -_FAR, _FAR)
    is_left = flat < 0  # mirrored, so that the window lies at positive s
    centre = np.where(is_left, -lean, lean)
    slope = root * np.abs(flat)
    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.nan_to_num(np.maximum(centre - _FLAT, 0.0) / slope, nan=0.0)
        end = np.maximum(centre + _FLAT, 0.0) / slope
    end = np.where(np.isnan(end), 0.0, end)
    least = math.sqrt(gammaincinv(shape, _NO_MASS) / rate)
    most = math.sqrt(gammainccinv(shape, _NO_MASS) / rate)
    low, high = np.clip(start, least, most), np.clip(end, least, most)
    s = low[:, None] + (high - low)[:, None] * _PLACES
    at_zero = ndtr(-centre)
    rise = ndtr(slope[:, None] * s - centre[:, None]) - at_zero[:, None]
    window = (high - low) * ((_density(s, shape, rate) * rise) @ _WEIGHTS)
    found = at_zero + (1 - at_zero) * gammaincc(shape, rate * end * end) + window
    found = np.clip(np.where(is_left, 1 - found, found), 0.0, 1.0)
    found = np.where(np.isinf(np.ravel(y)), ~is_left, found)
    return np.where(np.isnan(flat), np.nan, found).reshape(np.shape(y))


def _tanh_sinh() -> tuple[FloatArray, FloatArray]:
    """Return places in (0, 1) and weights."""
    t = _STEP * np.arange(-_N_STEPS, _N_STEPS + 1)
    twice = math.pi * np.sinh(t)
    left, right = 1 / (1 + np.exp(-twice)), 1 / (1 + np.exp(twice))
    return left, _STEP * math.pi * np.cosh(t) * left * right


_PLACES, _WEIGHTS = _tanh_sinh()


def _density(s: FloatArray, shape: float, rate: float) -> FloatArray:
    """Return the density of s, written so that large shapes do not cancel."""
    ratio = rate * s * s / shape
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = shape * (np.log(ratio) - (ratio - 1))
        density = 2 / s * np.exp(logs)
    constant = math.sqrt(shape / (2 * math.pi)) * math.exp(-_stirling_rest(shape))
    return np.where(s > 0, density * constant, 0.0)


def _stirling_rest(shape: float) -> float:
    """Return log Gamma less Stirling's formula."""
    if shape < _SERIES_FROM:
        stirling = (shape - 0.5) * math.log(shape) - shape + 0.5 * math.log(2 * math.pi)
        return math.lgamma(shape) - stirling
    r = 1 / shape
    return r / 12 - r**3 / 360 + r**5 / 1260 - r**7 / 1680
