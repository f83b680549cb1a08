"""Compiled arithmetic of small matrices, and draws that need it.

For matrices of one to some twenty rows a call of LAPACK costs more than the work.
Every function fills the arrays it is given.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from scorecast._core.types import FloatArray

LOG_PI = math.log(math.pi)
LOG_2PI = math.log(2 * math.pi)
ROOT_HALF = math.sqrt(0.5)

# Entry points are compiled once and kept on disk. Everything below them is compiled
# as part of them: without a door to Python it takes a third of the time. The python
# error model would test every division for a zero divisor.
# What is called at one place only is merged into its caller before that is compiled:
# numba would optimise it and everything below it once for every level in between, and
# make machine code of it that nobody calls.
entry = njit(nogil=True, cache=True, error_model="numpy")
compiled = njit(  # type: ignore[call-overload]
    nogil=True,
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)
merged = njit(nogil=True, error_model="numpy", inline="always")


@compiled
def cholesky(matrix: FloatArray, factor: FloatArray) -> None:
    """Fill the lower triangle L of ``matrix = L L'``; the rest becomes zero."""
    n = matrix.shape[0]
    for i in range(n):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            if i == j:
                # A rounding error must not turn a tiny variance into NaN.
                factor[i, i] = math.sqrt(max(rest, 1e-300))
            else:
                factor[i, j] = rest / factor[j, j]
        for j in range(i + 1, n):
            factor[i, j] = 0.0


@compiled
def log_determinant(factor: FloatArray) -> float:
    """Log determinant of ``L L'`` from its factor L."""
    total = 0.0
    for i in range(factor.shape[0]):
        total += math.log(factor[i, i])
    return 2.0 * total


@compiled
def trace_of_product(a: FloatArray, b: FloatArray) -> float:
    """Trace of the product of two symmetric matrices."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[0]):
            total += a[i, j] * b[i, j]
    return total


@compiled
def log_normal(
    x: FloatArray, mean: FloatArray, precision: FloatArray, narrow: float
) -> float:
    """Log density of a normal vector whose precision matrix is `narrow * precision`."""
    n = x.size
    factor = np.empty((n, n))
    cholesky(precision, factor)
    square = 0.0
    for i in range(n):
        for j in range(n):
            square += (x[i] - mean[i]) * precision[i, j] * (x[j] - mean[j])
    level = log_determinant(factor) + n * (math.log(narrow) - LOG_2PI)
    return 0.5 * (level - narrow * square)


@compiled
def multiply(matrix: FloatArray, vector: FloatArray, out: FloatArray) -> None:
    """Fill ``M v``."""
    for i in range(vector.size):
        out[i] = 0.0
        for j in range(vector.size):
            out[i] += matrix[i, j] * vector[j]


@compiled
def combine(
    a: float, first: FloatArray, b: float, second: FloatArray, out: FloatArray
) -> None:
    """Fill ``a * first + b * second`` for matrices."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a * first[i, j] + b * second[i, j]


@compiled
def invert(matrix: FloatArray, out: FloatArray) -> None:
    """Fill the inverse of a positive definite matrix."""
    n = matrix.shape[0]
    factor = np.empty((n, n))
    cholesky(matrix, factor)
    for column in range(n):
        for i in range(n):
            rest = 1.0 if i == column else 0.0
            for k in range(i):
                rest -= factor[i, k] * out[k, column]
            out[i, column] = rest / factor[i, i]
        for i in range(n - 1, -1, -1):
            rest = out[i, column]
            for k in range(i + 1, n):
                rest -= factor[k, i] * out[k, column]
            out[i, column] = rest / factor[i, i]


@compiled
def draw_normal(
    rng: np.random.Generator,
    precision: FloatArray,
    linear: FloatArray,
    out: FloatArray,
) -> None:
    """Draw from the normal density proportional to exp(-x'Px/2 + b'x)."""
    n = linear.size
    factor = np.empty((n, n))
    cholesky(precision, factor)
    for i in range(n):  # L t = b, then add the noise: L' x = t + e
        rest = linear[i]
        for k in range(i):
            rest -= factor[i, k] * out[k]
        out[i] = rest / factor[i, i]
    for i in range(n):
        out[i] += rng.standard_normal()
    for i in range(n - 1, -1, -1):
        rest = out[i]
        for k in range(i + 1, n):
            rest -= factor[k, i] * out[k]
        out[i] = rest / factor[i, i]


@compiled
def draw_gamma(rng: np.random.Generator, shape: float) -> float:
    """Draw from the gamma distribution; the library's would not end for no number."""
    return rng.standard_gamma(shape) if shape > 0.0 else np.nan


@compiled
def draw_wishart(
    rng: np.random.Generator, shape: float, rate: FloatArray, out: FloatArray
) -> None:
    """Draw S with density proportional to det(S)^(shape - 1) exp(-tr(rate S)).

    Bartlett's decomposition with rate = L L': S = Y Y' where L'Y is triangular.
    """
    n = rate.shape[0]
    if n == 1:
        out[0, 0] = draw_gamma(rng, shape) / rate[0, 0]
        return
    factor = np.empty((n, n))
    cholesky(rate, factor)
    root = np.zeros((n, n))
    for i in range(n):
        root[i, i] = math.sqrt(draw_gamma(rng, shape + 0.5 * (n - 1 - i)))
        for j in range(i):
            root[i, j] = ROOT_HALF * rng.standard_normal()
    for column in range(n):
        for i in range(n - 1, -1, -1):
            rest = root[i, column]
            for k in range(i + 1, n):
                rest -= factor[k, i] * root[k, column]
            root[i, column] = rest / factor[i, i]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += root[i, k] * root[j, k]
            out[i, j] = total


@compiled
def log_wishart(value: FloatArray, shape: float, rate: FloatArray) -> float:
    """Log density of what `draw_wishart` draws."""
    n = value.shape[0]
    factor = np.empty((n, n))
    cholesky(rate, factor)
    total = (shape + 0.5 * (n - 1)) * log_determinant(factor)
    cholesky(value, factor)
    total += (shape - 1.0) * log_determinant(factor)
    total -= 0.25 * n * (n - 1) * LOG_PI
    for j in range(n):
        total -= math.lgamma(shape + 0.5 * j)
    return total - trace_of_product(rate, value)
