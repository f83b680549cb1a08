"""Compiled loops behind bandwidths, kernel favourability and mean powers.

Importing this module imports numba; callers do so only for large inputs. The arithmetic
of bandwidths is explained in `bandwidths`, which has the same steps in NumPy. Every
kernel takes a block of rows and fills the arrays it is given.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from scorecast._core.types import FloatArray, IntArray

GOLDEN = (3.0 - math.sqrt(5.0)) * 0.5
ROOT_EPSILON = math.sqrt(2.220446049250313e-16)
ROOT_HALF = math.sqrt(0.5)
ROOT_8 = math.sqrt(8.0)
ROOT_PI = math.sqrt(math.pi)
INT_MAX = 2147483647.0
TIE = 1e-6

# The python error model would test every division for a zero divisor, which stops
# the compiler from using vector instructions.
compiled = njit(nogil=True, cache=True, error_model="numpy")
# Extremes in any order; -inf stays legal, NaN was refused before.
compiled_any_order = njit(
    nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "nnan", "nsz"}
)


@compiled_any_order
def _extremes(x: FloatArray, n: int) -> tuple[float, float]:
    low, high = x[0], x[0]
    for i in range(1, n):
        low = x[i] if x[i] < low else low
        high = x[i] if x[i] > high else high
    return low, high


@compiled
def _deviation(x: FloatArray, n: int) -> float:
    # Four sums side by side, in an order that is written down: one that the compiler
    # chooses is another one when the kernel is loaded from its cache.
    s0 = s1 = s2 = s3 = 0.0
    last = n - n % 4
    for i in range(0, last, 4):
        s0 += x[i]
        s1 += x[i + 1]
        s2 += x[i + 2]
        s3 += x[i + 3]
    for i in range(last, n):
        s0 += x[i]
    mean = ((s0 + s1) + (s2 + s3)) / n
    s0 = s1 = s2 = s3 = 0.0
    for i in range(0, last, 4):
        s0 += (x[i] - mean) * (x[i] - mean)
        s1 += (x[i + 1] - mean) * (x[i + 1] - mean)
        s2 += (x[i + 2] - mean) * (x[i + 2] - mean)
        s3 += (x[i + 3] - mean) * (x[i + 3] - mean)
    for i in range(last, n):
        s0 += (x[i] - mean) * (x[i] - mean)
    return math.sqrt(((s0 + s1) + (s2 + s3)) / (n - 1))


@compiled
def _gather(row: Any, own: int, x: FloatArray) -> tuple[int, float, float]:
    """Copy the finite wrong-class scores to `x`; return how many, least, greatest."""
    n = row.size - 1
    for j in range(own):
        x[j] = row[j]
    for j in range(own, n):
        x[j] = row[j + 1]
    if n < 1:
        return 0, 0.0, 0.0
    low, high = _extremes(x, n)
    if low > -np.inf:
        return n, low, high
    kept = 0
    for j in range(n):
        if x[j] > -np.inf:
            x[kept] = x[j]
            kept += 1
    if kept == 0:
        return 0, 0.0, 0.0
    low, high = _extremes(x, kept)
    return kept, low, high


@compiled
def _bin(
    row: Any, own: int, n_bins: int, x: FloatArray, bins: IntArray
) -> tuple[int, float, float]:
    """Bin one row; return its size, bin width and hmax in bins (0 if constant)."""
    n, low, high = _gather(row, own, x)
    if n < 2 or not low < high:
        return n, 0.0, 0.0
    exponent = 0
    peak = max(abs(low), abs(high))
    if peak > 1e100 or peak < 1e-100:
        exponent = math.frexp(peak)[1]
        for i in range(n):
            x[i] = math.ldexp(x[i], -exponent)
        low, high = math.ldexp(low, -exponent), math.ldexp(high, -exponent)
    width = (high - low) * 1.01 / n_bins
    ratio = 1.144 * _deviation(x, n) * n**-0.2 / width
    # R counts pairs in C ints up to n_bins / 2 values; see bandwidths._bin_numbers.
    far = low / width < -INT_MAX or high / width > INT_MAX
    origin = low if far and n <= n_bins // 2 else 0.0
    first = np.trunc((low - origin) / width)
    for i in range(n):
        bins[i] = int(np.trunc((x[i] - origin) / width) - first)
    return n, math.ldexp(width, exponent), ratio


@compiled
def bin_rows(
    scores: Any,
    own: IntArray,
    histogram: FloatArray,
    size: FloatArray,
    width: FloatArray,
    ratio: FloatArray,
) -> None:
    """Fill the histogram, sample size, bin width and hmax / width of every row."""
    n_rows, n_classes = scores.shape
    n_bins = histogram.shape[1]
    x = np.empty(n_classes)
    bins = np.empty(n_classes, np.int64)
    for r in range(n_rows):
        n, width[r], ratio[r] = _bin(scores[r], own[r], n_bins, x, bins)
        size[r] = n
        counts = histogram[r]
        counts[:] = 0.0
        if ratio[r] > 0.0:
            for i in range(n):
                # As in R's tabulate, what rounding threw out of range is dropped.
                if 0 <= bins[i] < n_bins:
                    counts[bins[i]] += 1.0


@compiled
def _lag_objective(
    is_ucv: bool,
    n: float,
    lags: FloatArray,
    weights: FloatArray,
    n_terms: int,
    ratio: float,
) -> float:
    total = 0.0
    for i in range(n_terms):
        delta = lags[i] / ratio
        delta *= delta
        # R stops at 1000; from 240 on the terms are below any rounding.
        if delta < 240.0:
            tail = math.exp(-0.25 * delta)
            if is_ucv:
                total += weights[i] * (tail - ROOT_8 * tail * tail)
            else:
                total += weights[i] * tail * ((delta - 12.0) * delta + 12.0)
    if is_ucv:
        return float((0.5 + total / n) / ratio)
    return float((1.0 + total / (32.0 * n)) / ratio)


@compiled
def _spectral_objective(
    is_ucv: bool, n: float, power: FloatArray, length: int, ratio: float
) -> float:
    step = 2.0 * math.pi / length * ratio
    a = 0.5 * step * step
    n_terms = min(int(math.sqrt(40.0 / a)) + 1, power.size)
    # exp(-a f^2) by recurrence: two products a term instead of a call.
    gauss, factor, shrink = math.exp(-a), math.exp(-3.0 * a), math.exp(-2.0 * a)
    scale = ROOT_PI * ratio / length
    total, kept = 0.0, math.sqrt(power[0])
    if is_ucv:
        for f in range(1, n_terms):
            total += power[f] * gauss * (gauss - 2.0)
            gauss *= factor
            factor *= shrink
        total = scale * (4.0 * total - 2.0 * power[0])
        pairs = 0.5 * (total - kept * (1.0 - ROOT_8))
        return float((0.5 + pairs / n) / ratio)
    for f in range(1, n_terms):
        square = 2.0 * a * f * f
        total += power[f] * (gauss * square) * (gauss * square)
        gauss *= factor
        factor *= shrink
    pairs = 0.5 * (64.0 * scale * total - 12.0 * kept)
    return float((1.0 + pairs / (32.0 * n)) / ratio)


@compiled
def _propose(
    a: float,
    b: float,
    x: float,
    w: float,
    v: float,
    fits: FloatArray,
    steps: FloatArray,
) -> float:
    """Return the next point; `steps` holds the last two, the tolerance, a tie flag."""
    fx, fw, fv = fits
    step, before, tol = float(steps[0]), float(steps[1]), float(steps[2])
    p, q, r = 0.0, 0.0, 0.0
    if abs(before) > tol:
        r = (x - w) * (fx - fv)
        q = (x - v) * (fx - fw)
        p = (x - v) * q - (x - w) * r
        q = 2.0 * (q - r)
        p, q = (-p, q) if q > 0.0 else (p, -q)
        r, before = before, step
    is_long = abs(p) >= abs(0.5 * q * r)
    # See bandwidths._propose: rounding alone decides, so the row is done again.
    gap = min(abs(p - q * (a - x)), abs(p - q * (b - x)))
    if not is_long and gap <= TIE * q * (b - a):
        steps[3] = 1.0
    left = x < 0.5 * (a + b)
    if is_long or p <= q * (a - x) or p >= q * (b - x):
        before = b - x if left else a - x
        step = GOLDEN * before
    else:
        step = p / q
        if x + step - a < 2.0 * tol or b - (x + step) < 2.0 * tol:
            step = tol if left else -tol
    steps[0], steps[1] = step, before
    if abs(step) >= tol:
        return x + step
    return x + tol if step > 0.0 else x - tol


@compiled
def _minimise(
    is_ucv: bool,
    n: float,
    lags: FloatArray,
    table: FloatArray,
    n_terms: int,
    length: int,
    upper: float,
) -> float:
    """R's optimize on [upper / 10, upper]; `length` 0 means a table of lags.

    A path that hung on the last digit of a comparison gives the negated answer.
    """
    a, b = 0.1 * upper, upper
    third = 0.1 * a / 3.0
    x = a + GOLDEN * (b - a)
    w = v = x
    fits, steps = np.empty(3), np.zeros(4)
    fits[:] = _objective(is_ucv, n, lags, table, n_terms, length, x)
    while True:
        steps[2] = ROOT_EPSILON * abs(x) + third
        if abs(x - 0.5 * (a + b)) <= 2.0 * steps[2] - 0.5 * (b - a):
            return -x if steps[3] > 0.0 else x
        u = _propose(a, b, x, w, v, fits, steps)
        fu = _objective(is_ucv, n, lags, table, n_terms, length, u)
        if fu <= fits[0]:
            a, b = (a, x) if u < x else (x, b)
            v, w, x = w, x, u
            fits[2], fits[1], fits[0] = fits[1], fits[0], fu
            continue
        a, b = (u, b) if u < x else (a, u)
        if fu <= fits[1] or w == x:
            v, w = w, u
            fits[2], fits[1] = fits[1], fu
        elif fu <= fits[2] or v in (x, w):
            v, fits[2] = u, fu


@compiled
def _objective(
    is_ucv: bool,
    n: float,
    lags: FloatArray,
    table: FloatArray,
    n_terms: int,
    length: int,
    ratio: float,
) -> float:
    if length > 0:
        return _spectral_objective(is_ucv, n, table, length, ratio)
    return _lag_objective(is_ucv, n, lags, table, n_terms, ratio)


@compiled
def spectral_bandwidths(
    is_ucv: bool,
    spectrum: Any,
    length: int,
    size: FloatArray,
    ratio: FloatArray,
    out: FloatArray,
) -> None:
    """Minimise from the transform of each histogram; `out` is in bin widths."""
    n_frequencies = spectrum.shape[1]
    power = np.empty(length)
    lags = np.empty(0)
    for r in range(spectrum.shape[0]):
        for f in range(n_frequencies):
            power[f] = spectrum[r, f].real ** 2 + spectrum[r, f].imag ** 2
        # Past the middle the spectrum repeats: a narrow kernel reaches that far.
        for f in range(n_frequencies, length):
            power[f] = power[length - f]
        out[r] = _minimise(is_ucv, size[r], lags, power, 0, length, ratio[r])


@compiled
def lag_bandwidths(
    is_ucv: bool,
    counts: FloatArray,
    size: FloatArray,
    ratio: FloatArray,
    out: FloatArray,
) -> None:
    """Minimise from the number of pairs at each lag; `out` is in bin widths."""
    n_rows, n_lags = counts.shape
    lags, weights = np.empty(n_lags), np.empty(n_lags)
    for r in range(n_rows):
        n_terms = 0
        reach = 15.5 * ratio[r]
        for m in range(n_lags):
            if counts[r, m] > 0.0 and m <= reach:
                lags[n_terms] = m
                weights[n_terms] = counts[r, m]
                n_terms += 1
        out[r] = _minimise(is_ucv, size[r], lags, weights, n_terms, 0, ratio[r])


@compiled
def pair_bandwidths(
    is_ucv: bool, scores: Any, own: IntArray, n_bins: int, out: FloatArray
) -> None:
    """Minimise from every pair of few scores; `out` is the bandwidth itself."""
    n_rows, n_classes = scores.shape
    x = np.empty(n_classes)
    bins = np.empty(n_classes, np.int64)
    lags = np.empty(n_classes * n_classes // 2)
    weights = np.ones(lags.size)
    for r in range(n_rows):
        n, width, ratio = _bin(scores[r], own[r], n_bins, x, bins)
        if not ratio > 0.0:
            out[r] = 0.0
            continue
        n_terms = 0
        for i in range(1, n):
            for j in range(i):
                lags[n_terms] = abs(bins[i] - bins[j])
                n_terms += 1
        out[r] = width * _minimise(is_ucv, float(n), lags, weights, n_terms, 0, ratio)


@compiled
def _sum_below(row: Any, start: int, stop: int, score: float, h: float) -> float:
    """Sum Phi((score - row[j]) / h) over a stretch of columns, `score` finite."""
    # Phi is 1 in double precision from 8.3 up and 0 from -38.6 down.
    sure, hopeless = score - 8.3 * h, score + 38.6 * h
    n_sure = 0
    total = 0.0
    for j in range(start, stop):
        value = row[j]
        if value < sure:
            n_sure += 1
        elif value < hopeless or value == score:
            total += _chance(value, score, h)
    return n_sure + total


@compiled
def _chance(value: float, score: float, h: float) -> float:
    # h may be 0 here only if the two are equal.
    if value == score:
        return 0.5
    return 0.5 * math.erfc(ROOT_HALF * ((value - score) / h))


@compiled
def favourability_rows(
    scores: Any, own: IntArray, bandwidths: FloatArray, out: FloatArray
) -> None:
    """Fill the mean of Phi((s_own - s_j) / h) over the wrong classes of each row."""
    n_rows, n_classes = scores.shape
    for r in range(n_rows):
        row, z, h = scores[r], own[r], bandwidths[r]
        score = np.float64(row[z])
        if score == -np.inf:
            n_equal = 0
            for j in range(n_classes):
                n_equal += row[j] == score
            total = 0.5 * (n_equal - 1)
        else:
            total = _sum_below(row, 0, z, score, h)
            total += _sum_below(row, z + 1, n_classes, score, h)
        out[r] = total / (n_classes - 1)


@compiled
def group_rows(
    scores: Any,
    own: IntArray,
    bandwidths: FloatArray,
    group: IntArray,
    out: FloatArray,
) -> None:
    """Fill the sum of Phi((s_own - s_j) / h) over the wrong classes of each group."""
    n_rows, n_classes = scores.shape
    out[:] = 0.0
    for r in range(n_rows):
        row, z, h = scores[r], own[r], bandwidths[r]
        score = np.float64(row[z])
        sums = out[r]
        # Minus infinity is below nothing: only the ties count.
        sure = score - 8.3 * h
        hopeless = score + 38.6 * h
        for j in range(n_classes):
            if row[j] < sure:
                sums[group[j]] += 1.0
            elif j != z and (row[j] < hopeless or row[j] == score):
                sums[group[j]] += _chance(row[j], score, h)


def mean_powers(values: FloatArray, ks: FloatArray) -> FloatArray:
    """Average ``values ** (k - 1)`` for many k.

    Parameters
    ----------
    values : ndarray
        Numbers in [0, 1], ascending.
    ks : ndarray of shape (n,)
        Numbers of classes, ascending.

    Returns
    -------
    ndarray of shape (n,)
        Means.
    """
    out = np.empty(ks.size)
    _mean_powers(values, ks, out)
    return out


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc", "nsz"})
def _mean_powers(
    values: FloatArray, ks: FloatArray, out: FloatArray
) -> None:  # pragma: no cover - compiled
    power = np.ones(values.size)
    reached = 1.0
    first = 0
    for i in range(ks.size):
        gap = ks[i] - reached
        # One more class is one more product; a longer way is one power.
        if gap == 1.0:
            for j in range(first, values.size):
                power[j] *= values[j]
        elif gap != 0.0:
            for j in range(first, values.size):
                power[j] *= values[j] ** gap
        reached = ks[i]
        # Ascending values: what has vanished is a prefix, and stays vanished.
        while first < values.size and power[first] < 1e-22:
            first += 1
        total = 0.0
        for j in range(first, values.size):
            total += power[j]
        out[i] = total / values.size
