"""Compiled proGamma densities and exact draws from them.

The three kinds are the conjugate priors of the shape m of Gamma and Wishart variables
(FORMULAS in :mod:`scorecast.mixtures.pro_gamma`). All are log-concave, so rejection
from an envelope of two tangents and a flat top is exact; it accepts about nine of ten.
Everything is written in d = m - low, the distance from the end of the support, since
m itself loses all its digits near 1.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.matrix import compiled, entry

__all__ = ["draw_pro_gamma", "draw_pro_gammas", "log_pro_gamma"]

MOST_TRIES = 10_000  # nine of ten are accepted: beyond this a number was no number
LEAST = -600.0  # of log d: below it a double has nothing left


@compiled
def _polygamma(x: float) -> tuple[float, float]:
    """Digamma and trigamma: recurrence up to 12, then the asymptotic series."""
    first, second = 0.0, 0.0
    while x < 12.0:
        first -= 1.0 / x
        second += 1.0 / (x * x)
        x += 1.0
    u = 1.0 / (x * x)
    series = u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u * (1 / 240 - u / 132))))
    first += math.log(x) - 0.5 / x - series
    tail = u * (1 / 6 - u * (1 / 30 - u * (1 / 42 - u * (1 / 30 - u * 5 / 66))))
    second += (1.0 + 0.5 / x + tail) / x
    return first, second


@compiled
def log_pro_gamma(d: float, a: float, b: float, n: int, kind: int) -> float:
    """Log density at m = d (kinds 0, 2) or m = 1 + d (kind 1), not normalised."""
    q = 0.5 * (n - 1)
    m = 1.0 + d if kind == 1 else d
    total = -(a + n * b) * m
    if kind == 1:
        total += n * b * (m + q) * math.log(d)
    elif kind == 2:
        total += n * b * (m + q) * math.log(m + q)
    for j in range(n):
        total -= b * math.lgamma(m + 0.5 * j)
    return total


@compiled
def _derivatives(
    d: float, a: float, b: float, n: int, kind: int
) -> tuple[float, float]:
    """First and second derivative of `log_pro_gamma`."""
    q = 0.5 * (n - 1)
    m = 1.0 + d if kind == 1 else d
    first, second = -(a + n * b), 0.0
    if kind == 1:
        first += n * b * (math.log(d) + (m + q) / d)
        second += n * b * (1.0 / d - (1.0 + q) / (d * d))
    elif kind == 2:
        first += n * b * (math.log(m + q) + 1.0)
        second += n * b / (m + q)
    for j in range(n):
        digamma, trigamma = _polygamma(m + 0.5 * j)
        first -= b * digamma
        second -= b * trigamma
    return first, second


@compiled
def _mode(a: float, b: float, n: int, kind: int) -> float:
    """Where the density is highest: Newton in log d, kept inside a bracket."""
    low, high, v = LEAST, 600.0, 0.0
    for _ in range(100):
        d = math.exp(v)
        first, second = _derivatives(d, a, b, n, kind)
        if first > 0.0:
            low = v
        else:
            high = v
        curvature = second * d + first  # of the slope in log d, over d
        step = -first / curvature if curvature < 0.0 else math.copysign(1.0, first)
        # A Newton step is only trusted so far; the slope is nearly linear in 1/d.
        after = v + min(max(step, -3.0), 3.0)
        if after <= low or after >= high:
            after = 0.5 * (low + high)
        if abs(after - v) < 1e-6:
            return math.exp(after)
        v = after
    return math.exp(v)


@compiled
def draw_pro_gamma(
    rng: np.random.Generator, a: float, b: float, n: int, kind: int
) -> float:
    """Draw d = m - low exactly.

    The tangent points lie about where the log density has fallen by one. Left of the
    mode the tangent is kept inside the support.
    """
    mode = _mode(a, b, n, kind)
    top = log_pro_gamma(mode, a, b, n, kind)
    deviation = math.sqrt(-2.0 / _derivatives(mode, a, b, n, kind)[1])
    left = max(mode - deviation, 0.3 * mode)
    right = mode + deviation
    rise = _derivatives(left, a, b, n, kind)[0]
    fall = -_derivatives(right, a, b, n, kind)[0]
    start = left + (top - log_pro_gamma(left, a, b, n, kind)) / rise
    stop = right - (top - log_pro_gamma(right, a, b, n, kind)) / fall
    left_mass = -math.expm1(-rise * start) / rise
    flat_mass = stop - start
    total = left_mass + flat_mass + 1.0 / fall
    for _ in range(MOST_TRIES):
        u = rng.random() * total
        if u < left_mass:
            d = start + math.log1p(rng.random() * math.expm1(-rise * start)) / rise
            height = rise * (d - start)
        elif u < left_mass + flat_mass:
            d = start + (u - left_mass)
            height = 0.0
        else:
            d = stop + rng.standard_exponential() / fall
            height = -fall * (d - stop)
        if d <= 0.0:
            continue
        if top + height - log_pro_gamma(d, a, b, n, kind) < rng.standard_exponential():
            return d
    return np.nan


@entry
def draw_pro_gammas(
    rng: np.random.Generator, a: float, b: float, n: int, kind: int, out: FloatArray
) -> None:
    """`draw_pro_gamma` for every entry."""
    for i in range(out.size):
        out[i] = draw_pro_gamma(rng, a, b, n, kind)
