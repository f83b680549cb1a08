"""Compiled special functions, and exact draws that need them.

Exponentials and logarithms of many numbers, half-normal densities, proGamma densities,
tails of normals.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.matrix import (
    LOG_2PI,
    ROOT_HALF,
    compiled,
    draw_gamma,
    entry,
)

# Exponentials and logarithms ---------------------------------------------------------
#
# Compiled exponentials and logarithms of many numbers at once.
#
# The compiler cannot do several calls of the mathematical library in one instruction.
# Written out, without branches, it can, and both take a fifth of the time. Right to a
# few units in the last place, as the library's are to one.

BLOCK = 256
MOST_EXPONENT = 708.0  # exponents of normal doubles reach a little further
LEAST_BITS = int(np.finfo(np.float64).tiny.view(np.int64))  # of normal doubles
GREATEST_BITS = int(np.finfo(np.float64).max.view(np.int64))
PER_LOG_2 = 1.0 / math.log(2.0)
LOG_2_HIGH = 6.93147180369123816490e-01  # 33 bits of log 2, so that multiples are exact
LOG_2_LOW = 1.90821492927058770002e-10
# Added to a small whole number it leaves that number in the last bits.
ROUND = 1.5 * 2.0**52
ROUND_BITS = int(np.float64(ROUND).view(np.int64))
ONE_BITS = 1023
# Coefficients of exp and of artanh, as names because a division takes longer.
E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12 = (
    1.0 / math.factorial(n) for n in range(2, 13)
)
A3, A5, A7, A9, A11, A13, A15, A17, A19, A21 = (1.0 / n for n in range(3, 22, 2))
ROOT_HALF_BITS = int(np.float64(math.sqrt(0.5)).view(np.int64))


@compiled
def exp_in_place(values: FloatArray) -> None:
    """Replace every x by exp(x); beyond 708 it is that of 708, below -708 of -708.

    With x = k log 2 + r, |r| < 0.35, it is 2^k times the Taylor series of exp(r).
    """
    rounded = np.empty(BLOCK)
    bits = rounded.view(np.int64)
    rest = np.empty(BLOCK)
    for start in range(0, values.size, BLOCK):
        chunk = values[start : start + BLOCK]
        n = chunk.size
        for i in range(n):
            x = chunk[i]
            x = MOST_EXPONENT if x > MOST_EXPONENT else x
            x = -MOST_EXPONENT if x < -MOST_EXPONENT else x
            rounded[i] = x * PER_LOG_2 + ROUND
            k = rounded[i] - ROUND
            rest[i] = (x - k * LOG_2_HIGH) - k * LOG_2_LOW
        for i in range(n):
            bits[i] = (bits[i] + ONE_BITS) << 52
        for i in range(n):
            r = rest[i]
            s = r * r
            # Pairs of terms do not wait for one another.
            high = (E10 + r * E11) + s * E12
            middle = (E6 + r * E7) + s * (E8 + r * E9)
            low = (E2 + r * E3) + s * (E4 + r * E5)
            tail = low + s * s * (middle + s * s * high)
            chunk[i] = rounded[i] * (1.0 + (r + s * tail))


@compiled
def log_in_place(values: FloatArray) -> None:
    """Replace every x by log(x).

    With x = 2^k m, m between sqrt(1/2) and sqrt(2), and t = (m - 1) / (m + 1), it is
    k log 2 + 2 artanh(t), |t| < 0.172, by the series of the latter. Where a block holds
    zero, infinity or another number that is not positive and normal, the library is
    asked for the whole block.
    """
    part = np.empty(BLOCK)
    bits = part.view(np.int64)
    power = np.empty(BLOCK)
    power_bits = power.view(np.int64)
    for start in range(0, values.size, BLOCK):
        chunk = values[start : start + BLOCK]
        n = chunk.size
        for i in range(n):
            part[i] = chunk[i]
        odd = 0  # its sign: whether the bits of any are out of order
        for i in range(n):
            odd |= bits[i] | (bits[i] - LEAST_BITS) | (GREATEST_BITS - bits[i])
        if odd < 0:
            for i in range(n):
                chunk[i] = math.log(chunk[i]) if chunk[i] >= 0.0 else np.nan
            continue
        for i in range(n):
            k = (bits[i] - ROOT_HALF_BITS) >> 52
            bits[i] -= k << 52
            power_bits[i] = k + ROUND_BITS
        for i in range(n):
            k = power[i] - ROUND
            t = (part[i] - 1.0) / (part[i] + 1.0)
            s = t * t
            q = s * s
            low = (A3 + s * A5) + q * (A7 + s * A9)
            high = (A11 + s * A13) + q * ((A15 + s * A17) + q * (A19 + s * A21))
            artanh = t + t * (s * (low + q * q * high))
            chunk[i] = k * LOG_2_HIGH + (2.0 * artanh + k * LOG_2_LOW)


# Half-normal densities ---------------------------------------------------------------
#
# Compiled half-normal densities: exact draws and a fast table of their integral.
#
# The integral I(p, A, B) of s^p exp(-A s^2 + B s) over s > 0 makes a skew-Student
# density out of elementary functions. With t = s sqrt(2A) it is
#
#     I(p, A, B) = (2A)^(-(p + 1)/2) h_p(z),   z = B / sqrt(2A),
#     h_p(z) = integral of t^p exp(-t^2/2 + z t) over t > 0,
#
# so for one component (one p) it is a function of z alone, and z is bounded because B
# and A come from the same vector. `fill_table` computes log h_p on knots: it starts
# from gamma functions at z = 0 (or, where errors would grow too much on the way to the
# left, by quadrature at the left end) and goes on along the differential equation h'' =
# z h' + (p + 1) h, of which h is the growing solution to the right. Around each knot
# log h is a polynomial; its coefficients follow from the Riccati equation of r = h'/h,
# which is r' = p + 1 + z r - r^2.

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


# proGamma densities ------------------------------------------------------------------
#
# Compiled proGamma densities and exact draws from them.
#
# The three kinds are the conjugate priors of the shape m of Gamma and Wishart variables
# (formulas in `mixtures.pro_gamma`). All are log-concave, so rejection from an envelope
# of two tangents and a flat top is exact; it accepts about nine of ten. Everything is
# written in d = m - low, the distance from the end of the support, since m itself loses
# all its digits near 1.

LEAST_LOG_D = -600.0  # below it a double has nothing left


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
    low, high, v = LEAST_LOG_D, 600.0, 0.0
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


# Normals -----------------------------------------------------------------------------
#
# Density and upper tail of a standard normal, quickly.
#
# Predictions add up tens of thousands of normals at every place, and nearly all the
# time went into exp and erfc. Within eight deviations both are read from a table
# instead, by the cubic through values and slopes at both ends of a cell: it errs by
# less than one part in a million, and by one in 1e8 where nearly all of the mass is.

REACH = 8.0
PER_UNIT = 64  # cells
CELL = 1.0 / PER_UNIT


def _tabulated() -> FloatArray:
    """Return exp(-z^2 / 2), its slope, erfc(z / sqrt 2) and its slope; per cell."""
    z = np.arange(-REACH, REACH + 1.5 * CELL, CELL)
    density = np.exp(-0.5 * z * z)
    tail = np.array([math.erfc(x * ROOT_HALF) for x in z])
    slope = -2.0 * density / math.sqrt(2.0 * math.pi)
    return np.column_stack([density, -z * density * CELL, tail, slope * CELL])


TABLE = _tabulated()


@compiled
def normal_values(z: float) -> tuple[float, float]:
    """Return exp(-z^2 / 2) and erfc(z / sqrt 2), twice the upper tail."""
    if not -REACH < z < REACH:
        return math.exp(-0.5 * z * z), math.erfc(z * ROOT_HALF)
    place = (z + REACH) * PER_UNIT
    i = int(place)
    u = place - i
    v = 1.0 - u
    # Weights of the values, and of the slopes, at both ends.
    last = u * u * (3.0 - 2.0 * u)
    first, rise, fall = 1.0 - last, u * v * v, u * u * v
    density = first * TABLE[i, 0] + last * TABLE[i + 1, 0]
    density += rise * TABLE[i, 1] - fall * TABLE[i + 1, 1]
    tail = first * TABLE[i, 2] + last * TABLE[i + 1, 2]
    tail += rise * TABLE[i, 3] - fall * TABLE[i + 1, 3]
    return density, tail


FAR = 30.0  # standard deviations from which the tail is known by its series
NEAR = 0.45  # from which the exponential proposal accepts more than the normal
FARTHEST = 1e6  # from which the tail is exponential but for one part in 1e12
MOST_NORMALS = 200  # a third or more are accepted, so these do but once in 1e34 draws


@compiled
def log_tail(a: float) -> float:
    """Log probability that a standard normal exceeds a."""
    if a < FAR:
        return math.log(0.5 * math.erfc(a * ROOT_HALF))
    square = 1.0 / (a * a)
    series = math.log1p(-square * (1.0 - 3.0 * square * (1.0 - 5.0 * square)))
    return -0.5 * a * a - math.log(a) - 0.5 * LOG_2PI + series


@compiled
def draw_above(rng: np.random.Generator, a: float) -> float:
    """Draw a standard normal given that it exceeds a (Robert 1995).

    Where a is no number, neither is the draw.
    """
    if not a < FARTHEST:
        return a + rng.standard_exponential() / a
    if a < NEAR:
        for _ in range(MOST_NORMALS):
            z = rng.standard_normal()
            if z > a:
                return z
    else:
        rate = 0.5 * (a + math.sqrt(a * a + 4.0))
        for _ in range(MOST_NORMALS):
            z = a + rng.standard_exponential() / rate
            d = z - rate
            if 0.5 * d * d < rng.standard_exponential():
                return z
    return invert_above(rng.standard_exponential(), a)


@compiled
def invert_above(fall: float, a: float) -> float:
    """Return where the log tail of a standard normal is lower by `fall` than at a.

    With a standard exponential for `fall` this is `draw_above` without rejection.
    """
    start, step = log_tail(a), 1.0
    while start - log_tail(a + step) < fall:
        step *= 2.0
    low, high = a, a + step
    for _ in range(80):
        middle = 0.5 * (low + high)
        if start - log_tail(middle) < fall:
            low = middle
        else:
            high = middle
    return high
