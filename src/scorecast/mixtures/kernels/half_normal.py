"""Compiled half-normal densities: exact draws and a fast table of their integral.

The integral I(p, A, B) of s^p exp(-A s^2 + B s) over s > 0 makes a skew-Student density
out of elementary functions. With t = s sqrt(2A) it is

    I(p, A, B) = (2A)^(-(p + 1)/2) h_p(z),   z = B / sqrt(2A),
    h_p(z) = integral of t^p exp(-t^2/2 + z t) over t > 0,

so for one component (one p) it is a function of z alone, and z is bounded because B
and A come from the same vector. `fill_table` computes log h_p on knots: it starts from
gamma functions at z = 0 (or, where errors would grow too much on the way to the left,
by quadrature at the left end) and goes on along the differential equation
h'' = z h' + (p + 1) h, of which h is the growing solution to the right. Around each
knot log h is a polynomial; its coefficients follow from the Riccati equation of
r = h'/h, which is r' = p + 1 + z r - r^2.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.matrix import compiled, draw_gamma, entry

__all__ = [
    "MOST_KNOTS",
    "N_COEFFICIENTS",
    "draw_around",
    "draw_root",
    "draw_roots",
    "fill_table",
    "log_integral",
    "log_integrals",
    "mode_of",
    "read_table",
]

STEP = 0.125
PER_STEP = 1.0 / STEP
MOST_NARROW = 2.0  # a gamma costs about twice as much as a normal
MOST_TRIES = 10_000  # half or more are accepted: beyond this a number was no number
LEAST_ROOT = 1e-100  # products of such roots are formed; two of them are still above 0
MOST_KNOTS = 161  # beyond z = -10 .. 10 the integral is computed anew each time
MOST_GROWTH = 12.0  # log of how much a rounding error may grow from 0 to the left end
N_COEFFICIENTS = 7
N_NODES = 241
LOG_2 = math.log(2.0)
ROOT_2 = math.sqrt(2.0)
MOST_TERMS = 200
INVERSE = np.append(0.0, 1.0 / np.arange(1.0, MOST_TERMS + 2))  # of 1, 2, ...
LARGE_POWER = 1e4  # from here on high coefficients are rounding errors, and negligible


@compiled
def _left_end(q: float, a1: float) -> float:
    """Where the integrand has fallen to exp(-40) on the left, or a little before."""
    far, near = -40.0 / q - 1.0, 0.0
    for _ in range(10):
        middle = 0.5 * (far + near)
        growth = math.expm1(middle)
        if q * (middle - growth) - a1 * growth * growth < -40.0:
            far = middle
        else:
            near = middle
    return far


@compiled
def _log_moment_ratio(p: float, a: float, b: float) -> tuple[float, float]:
    """Return log I(p, a, b) and I(p + 1, a, b) / I(p, a, b), for p > -1.

    Below p = 0 the integrand has a long left shoulder in log s, and the rule would be
    coarse; by parts, (p + 1) I(p) = 2a I(p + 2) - b I(p + 1).
    """
    if p >= 0.0:
        return _by_trapezoids(p, a, b)
    level, ratio = _by_trapezoids(p + 1.0, a, b)
    growth = (p + 1.0) / (2.0 * a * ratio - b)
    return level - math.log(growth), growth


@compiled
def _by_trapezoids(p: float, a: float, b: float) -> tuple[float, float]:
    """`_log_moment_ratio` for p >= 0 by the trapezoid rule.

    With s = s0 exp(t), s0 the mode in t, the integrand is exp(g(t)) with g <= 0.
    """
    q = p + 1.0
    root = math.sqrt(b * b + 8.0 * a * q)
    s0 = 2.0 * q / (root - b) if b < 0.0 else (b + root) / (4.0 * a)
    a1 = a * s0 * s0
    right = math.sqrt(80.0 / (q + 2.0 * a1))
    left = _left_end(q, a1)
    step = (right - left) / (N_NODES - 1)
    total = 0.0
    moment = 0.0
    for i in range(N_NODES):
        t = left + i * step
        growth = math.expm1(t)
        value = math.exp(q * (t - growth) - a1 * growth * growth)
        if i in (0, N_NODES - 1):
            value *= 0.5
        total += value
        moment += value * (1.0 + growth)
    log_value = q * math.log(s0) - a1 + b * s0 + math.log(total * step)
    return log_value, s0 * moment / total


@compiled
def log_integral(p: float, a: float, b: float) -> float:
    """Log of the integral of s^p exp(-a s^2 + b s) over s > 0."""
    return _log_moment_ratio(p, a, b)[0]


@entry
def log_integrals(p: FloatArray, a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    """`log_integral` for every entry."""
    for i in range(p.size):
        out[i] = log_integral(p[i], a[i], b[i])


@compiled
def _fill_coefficients(
    p: float, z: float, level: float, r: float, out: FloatArray
) -> None:
    """Taylor coefficients of log h_p around z, where log h = level and h'/h = r."""
    r1 = p + 1.0 + z * r - r * r
    r2 = r + (z - 2.0 * r) * r1
    r3 = 2.0 * r1 * (1.0 - r1) + (z - 2.0 * r) * r2
    r4 = 3.0 * r2 - 6.0 * r1 * r2 + (z - 2.0 * r) * r3
    r5 = 4.0 * r3 - 6.0 * r2 * r2 - 8.0 * r1 * r3 + (z - 2.0 * r) * r4
    out[0] = level
    out[1] = r
    out[2] = r1 / 2.0
    out[3] = r2 / 6.0
    out[4] = r3 / 24.0
    out[5] = 0.0 if p > LARGE_POWER else r4 / 120.0
    out[6] = 0.0 if p > LARGE_POWER else r5 / 720.0


@compiled
def _advance(p: float, z: float, r: float, step: float) -> tuple[float, float]:
    """Go from z to z + step: log of the growth of h, and the new h'/h."""
    before, term = 1.0, r * step  # Taylor terms of h at z + step
    value = before + term
    slope = term
    turn, square = z * step, step * step
    for n in range(2, MOST_TERMS):
        # Both factors are ready before the terms are: no division to wait for.
        one = turn * INVERSE[n]
        other = square * (n - 1.0 + p) * (INVERSE[n] * INVERSE[n - 1])
        before, term = term, one * term + other * before
        value += term
        slope += n * term
        if abs(term) * n < 1e-17 * value and n > 5:
            break
    return math.log(value), slope / (step * value)


@compiled
def _left_start(p: float, n_left: int) -> tuple[float, float]:
    """Return log h_p and h'/h at the leftmost knot."""
    if 2.0 * n_left * STEP * math.sqrt(p + 1.0) > MOST_GROWTH:
        return _log_moment_ratio(p, 0.5, -n_left * STEP)
    first = math.lgamma(0.5 * (p + 1.0))
    level = 0.5 * (p - 1.0) * LOG_2 + first
    r = ROOT_2 * math.exp(math.lgamma(0.5 * p + 1.0) - first)
    for i in range(n_left):
        growth, r = _advance(p, -i * STEP, r, -STEP)
        level += growth
    return level, r


@compiled
def fill_table(p: float, width: float, table: FloatArray) -> int:
    """Tabulate log h_p for |z| <= width; return the number of knots left of zero."""
    n_left = min(int(width / STEP + 0.5), MOST_KNOTS // 2)
    level, r = _left_start(p, n_left)
    for i in range(2 * n_left + 1):
        z = (i - n_left) * STEP
        _fill_coefficients(p, z, level, r, table[i])
        growth, r = _advance(p, z, r, STEP)
        level += growth
    return n_left


@compiled
def read_table(p: float, z: float, n_left: int, table: FloatArray) -> float:
    """Return log h_p(z)."""
    knot = math.floor(z * PER_STEP + 0.5) + n_left
    if knot < 0 or knot > 2 * n_left:
        return log_integral(p, 0.5, z)
    d = z - (knot - n_left) * STEP
    square = d * d  # the halves of the polynomial do not wait for one another
    low = (table[knot, 0] + table[knot, 1] * d) + square * (
        table[knot, 2] + table[knot, 3] * d
    )
    high = (table[knot, 4] + table[knot, 5] * d) + square * table[knot, 6]
    return low + square * square * high


@compiled
def mode_of(p: float, a: float, b: float) -> float:
    """Where s^p exp(-a s^2 + b s) is highest."""
    return (b + math.sqrt(b * b + 8.0 * a * p)) / (4.0 * a)


@compiled
def draw_root(rng: np.random.Generator, p: float, a: float, b: float) -> float:
    """Draw s > 0 with density proportional to s^p exp(-a s^2 + b s), exactly."""
    mode = mode_of(p, a, b)
    return draw_around(rng, p, a, b, mode, math.sqrt(0.5 / a) / mode)


@compiled
def draw_around(
    rng: np.random.Generator,
    p: float,
    a: float,
    b: float,
    mode: float,
    deviation: float,
) -> float:
    """`draw_root`, the mode known, and sqrt(1 / 2a) relative to it.

    Rejection from a normal around the mode or, where the density is much narrower than
    that because b is far below zero, from a gamma. More than half are accepted. Where
    p is not above zero there may be no mode; it is then not used.
    """
    if not p > 0.0:
        return _draw_steep(rng, p, a, b)
    if b <= 0.0 and p > MOST_NARROW * 2.0 * a * mode * mode:
        return _draw_narrow(rng, p, a, b)
    for _ in range(MOST_TRIES):
        d = deviation * rng.standard_normal()
        u = 1.0 + d
        if u > 0.0:
            limit = rng.standard_exponential() / p
            # Bounds of d - log(1 + d) spare most of the logarithms.
            square = d * d
            bound = 0.5 - d * (1.0 / 3.0 - 0.25 * d) if d > 0.0 else 0.5 / u
            if square * bound < limit or d - math.log(u) < limit:
                return u * mode
    return np.nan


@compiled
def _draw_narrow(rng: np.random.Generator, p: float, a: float, b: float) -> float:
    """Rejection from a gamma with the same mean slope: right for p > -1 and any b."""
    root = math.sqrt(b * b + 8.0 * a * (p + 1.0))
    centre = 2.0 * (p + 1.0) / (root - b) if b <= 0.0 else (root + b) / (4.0 * a)
    rate = 2.0 * a * centre - b if b <= 0.0 else (p + 1.0) / centre
    for _ in range(MOST_TRIES):
        s = draw_gamma(rng, p + 1.0) / rate
        d = s - centre
        if a * d * d < rng.standard_exponential():
            return s
    return np.nan


@compiled
def _draw_steep(rng: np.random.Generator, p: float, a: float, b: float) -> float:
    """`draw_root` for -1 < p <= 0, where the density is infinite at zero.

    Only a likelihood raised to a power below one leads here. A gamma will do unless
    the normal factor, with its mean at b / 2a, stands far away from zero; then there
    are three pieces, each under its own envelope: a power below 1 / b, an exponential
    up to half the mean, the normal beyond.
    """
    if b <= 2.0 * math.sqrt(2.0 * a):
        s = _draw_narrow(rng, p, a, b)
        return LEAST_ROOT if s < LEAST_ROOT else s  # and no number stays one
    first, half = 1.0 / b, 0.25 * b / a
    quarter = 0.25 * b * half  # by which the exponent falls from the mean to half of it
    reach = -math.expm1(-0.5 * b * (half - first))
    left = math.exp(1.0 - 4.0 * quarter) * first / (p + 1.0)
    middle = math.exp(-quarter) * 2.0 * reach / b
    right = (half / first) ** p * math.sqrt(math.pi / a)
    for _ in range(MOST_TRIES):
        u = rng.random() * (left + middle + right)
        if u < left:
            s = first * rng.random() ** (1.0 / (p + 1.0))
            fall = 1.0 - b * s + a * s * s
        elif u < left + middle:
            s = half + 2.0 * math.log1p(-rng.random() * reach) / b
            fall = a * (s - half) ** 2 - p * math.log(s / first)
        else:
            s = 2.0 * half + rng.standard_normal() * math.sqrt(0.5 / a)
            fall = -p * math.log(s / half) if s > half else np.inf
        if fall < rng.standard_exponential():
            return max(s, LEAST_ROOT)
    return np.nan


@entry
def draw_roots(
    rng: np.random.Generator,
    p: FloatArray,
    a: FloatArray,
    b: FloatArray,
    out: FloatArray,
) -> None:
    """`draw_root` for every entry."""
    for i in range(p.size):
        out[i] = draw_root(rng, p[i], a[i], b[i])
