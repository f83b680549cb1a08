"""Densities of skew-Student components and mixtures of numbers, in NumPy.

For one dimension and scales of rate m - 1 (tail kind 1); nothing is compiled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from scorecast._core.types import FloatArray
from scorecast.mixtures.kept import KeptMixture

__all__ = [
    "LOG_2PI",
    "log_densities",
    "log_scale_integral",
    "mean_root",
    "mixture_log_densities",
]

LOG_2PI = math.log(2 * math.pi)
_TINY = 1e-300

# Correction of Laplace's method in `log_scale_integral`: least squares to the trapezoid
# rule in log u for q from 3 to 1e5 and q/k from .001 to .999; the error is below 4e-6.
_CORRECTION = np.array(
    [
        [9.9999784273e-01, -1.7502170991e00, 8.3543946317e-01, -6.7089301552e-03,
         9.4441470153e-03, -6.0120992223e-03, 1.3884683976e-03],
        [2.5070315735e00, -1.2380858321e01, 2.0937350319e01, -1.1770690249e01,
         -4.2544505908e00, 6.9305935762e00, -1.9687410935e00],
        [1.0024330375e01, -1.0294564590e02, 4.5310501408e02, -1.0745145712e03,
         1.4107089537e03, -9.5754536522e02, 2.6117763038e02],
        [2.6603806630e02, -2.8009326003e03, 1.0480784043e04, -1.8411431454e04,
         1.5997585011e04, -6.2455359375e03, 7.1322972243e02],
        [-3.0845020829e03, 3.5910229120e04, -1.4968830227e05, 3.0151962301e05,
         -3.1757134861e05, 1.6812044754e05, -3.5204484131e04],
        [4.8024769938e03, -9.4586918348e04, 4.8488908424e05, -1.1072768866e06,
         1.2838105185e06, -7.4081958257e05, 1.6917697262e05],
        [1.2554957255e04, -1.2332643699e04, -2.4647841470e05, 8.9429531470e05,
         -1.2688946064e06, 8.2681917009e05, -2.0595975409e05],
    ]
)  # fmt: skip


def log_scale_integral(q: FloatArray, z: FloatArray) -> FloatArray:
    """Return the log of the integral of u^(q-1) exp(-u^2/2 + z u) over u > 0, q >= 3.

    Laplace's method in log u around its mode u0, with curvature k = q + u0^2, and a
    fitted polynomial in 1/k and q/k for what it leaves out.
    """
    root = np.sqrt(z * z + 4 * q)
    mode = np.where(z < 0, 2 * q / (root - z), 0.5 * (root + z))
    inverse = 1 / (q + mode * mode)
    share = q * inverse
    powers = np.empty((_CORRECTION.shape[1], *z.shape))
    powers[0] = 1
    for j in range(1, len(powers)):
        np.multiply(powers[j - 1], share, out=powers[j])
    rows = (_CORRECTION @ powers.reshape(len(powers), -1)).reshape(-1, *z.shape)
    correction = rows[-1]
    for row in rows[-2::-1]:
        correction *= inverse
        correction += row
    laplace = q * np.log(mode) - 0.5 * mode * mode + z * mode
    return np.asarray(
        laplace + 0.5 * (LOG_2PI + np.log(inverse)) + correction * inverse
    )


class _Interpolant:
    """Polynomials through Chebyshev's nodes on [-1, 1], as sums of powers."""

    def __init__(self, n_nodes: int) -> None:
        self.n_nodes = n_nodes
        self.nodes = np.cos(np.pi * (np.arange(n_nodes) + 0.5) / n_nodes)
        powers = np.vander(self.nodes, n_nodes, increasing=True)
        self.to_powers = np.linalg.inv(powers).T.copy()


# Nodes that keep the error below 1e-5 up to a tilt of so much.
_MOST_TILT = np.array([0.7, 1.5, 3.0, 6.0])
_INTERPOLANTS = tuple(map(_Interpolant, (5, 7, 11, 17)))


def log_densities(
    x: FloatArray,
    location: FloatArray,
    skew: FloatArray,
    precision: FloatArray,
    tail: FloatArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """Return log densities (components, cases), scales of the cases integrated out.

    With v = sqrt(S) (x - mu), t = nu sqrt(S), q = 2 m + 1 and y = v / sqrt(2 d + v^2),
    the log density is m log d - log Gamma(m) + log(S / 2 pi) / 2 - t^2 / 2 + log 2
    - q/2 log(2 d + v^2) + L(t y), where L is `log_scale_integral`. Since |y| < 1, L of
    many cases is read off a polynomial in y.
    """
    shape = 1 + tail
    q = 2 * shape + 1
    root = np.sqrt(precision)
    tilt = skew * root
    constant = shape * np.log(tail) - gammaln(shape) + math.log(2)
    constant += 0.5 * (np.log(precision) - LOG_2PI) - 0.5 * tilt * tilt
    if out is None:
        out = np.empty((location.size, x.size))
    class_of = np.searchsorted(_MOST_TILT, np.abs(tilt))
    if x.size <= 16:
        class_of[:] = len(_MOST_TILT)
    elif location.size <= 64:  # few rows: rather one polynomial for all of them
        class_of[:] = class_of.max(initial=0)
    for number in np.unique(class_of):
        rows = np.flatnonzero(class_of == number)
        if number == len(_MOST_TILT):
            v = root[rows, None] * (x - location[rows, None])
            width = v * v + 2 * tail[rows, None]
            z = v * tilt[rows, None] / np.sqrt(width)
            full = np.broadcast_to(q[rows, None], z.shape)
            logs = log_scale_integral(full, z) - 0.5 * full * np.log(width)
            out[rows] = constant[rows, None] + logs
            continue
        chosen = _INTERPOLANTS[number]
        nodes = np.broadcast_to(q[rows, None], (rows.size, chosen.n_nodes))
        powers = log_scale_integral(nodes, tilt[rows, None] * chosen.nodes)
        powers = powers @ chosen.to_powers
        powers[:, 0] += constant[rows]
        step = max(1, 20_000 // x.size)  # rows that stay in the cache
        for start in range(0, rows.size, step):
            some, power = rows[start : start + step], powers[start : start + step]
            y = np.subtract(x, location[some, None])
            y *= root[some, None]
            width = y * y
            width += 2 * tail[some, None]
            y /= np.sqrt(width)
            total = y * power[:, -1:]
            total += power[:, -2:-1]
            for j in range(chosen.n_nodes - 3, -1, -1):
                total *= y
                total += power[:, j : j + 1]
            np.log(width, out=width)
            width *= (0.5 * q)[some, None]
            np.subtract(total, width, out=total)
            out[some] = total
    return out


def mean_root(tail: FloatArray) -> FloatArray:
    """Return the mean of 1 / sqrt(alpha) for alpha ~ Gamma(1 + d, rate d)."""
    logs = gammaln(tail + 0.5) - gammaln(tail + 1) + 0.5 * np.log(tail)
    return np.asarray(np.exp(logs))


def mixture_log_densities(x: FloatArray, kept: Sequence[KeptMixture]) -> FloatArray:
    """Return the log density of every mixture at every place (mixtures, n)."""
    location, skew = (np.concatenate([getattr(m, name)[:, 0] for m in kept])
                      for name in ("location", "skew"))  # fmt: skip
    precision = np.concatenate([m.precision[:, 0, 0] for m in kept])
    tail = np.concatenate([m.shape for m in kept]) - 1
    weight = np.concatenate([m.weight / m.weight.sum() for m in kept])
    sizes = np.array([m.weight.size for m in kept])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = log_densities(x, location, skew, precision, tail)
    rows += np.log(np.maximum(weight, _TINY))[:, None]
    top = np.maximum.reduceat(rows, first, axis=0)
    rows = np.exp(rows - np.repeat(top, sizes, axis=0))
    return np.asarray(top + np.log(np.add.reduceat(rows, first, axis=0)))
