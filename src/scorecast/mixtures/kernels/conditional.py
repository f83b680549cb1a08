"""Compiled conditional distributions: coordinate 0 given noisy other coordinates.

Given component, scale alpha and noise scale lambda everything is normal, so what is
predicted is a mixture of normals over (component, lambda, alpha), weighted by how well
each foretells the coordinates that were measured. Lambda runs over the nodes of a Gauss
rule of its prior; log sqrt(alpha) over an even grid around its mode given the
measurements, where the trapezoid rule is as exact as the density is smooth.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kernels.density import rate_of
from scorecast.mixtures.kernels.latent import factor_behind, solve_behind
from scorecast.mixtures.kernels.layout import Components
from scorecast.mixtures.kernels.matrix import (
    cholesky,
    compiled,
    entry,
    log_determinant,
)

__all__ = ["N_SCALES", "fill_normals", "mixture_quantiles", "mixture_values"]

N_SCALES = 21  # nodes of the scale
# Deviations of its logarithm to each side: small scales make the tails.
LEFT, RIGHT = 9.5, 4.5
ROOT_HALF = math.sqrt(0.5)
LOG_2PI = math.log(2.0 * math.pi)


@compiled
def _distances(
    centre: FloatArray,
    skew: FloatArray,
    noise: FloatArray,
    noise_scale: float,
    value: FloatArray,
    factor: FloatArray,
    solved: FloatArray,
    other: FloatArray,
) -> tuple[float, float]:
    """Return y'My and y'M nu with M the precision of the measurements, scale one."""
    n = noise.size
    shifted = np.empty(n)
    square = solve_behind(centre, noise, noise_scale, value, factor, solved)
    for i in range(n):
        square -= solved[i] * solved[i]
        shifted[i] = centre[i] - skew[i]
    total = solve_behind(shifted, noise, noise_scale, value, factor, other)
    for i in range(n):
        total -= other[i] * other[i]
        shifted[i] = centre[i] + skew[i]
    less = solve_behind(shifted, noise, noise_scale, value, factor, other)
    for i in range(n):
        less -= other[i] * other[i]
    return max(square, 0.0), 0.25 * (total - less)


@compiled
def _fill_of_scale(
    place: int,
    root: float,
    log_level: float,
    centre: FloatArray,
    precision: FloatArray,
    noise: FloatArray,
    noise_scale: float,
    value: FloatArray,
    factor: FloatArray,
    solved: FloatArray,
    out: FloatArray,
) -> None:
    """Fill log weight, mean and deviation of the measurement of coordinate 0."""
    n = noise.size
    factor_behind(precision, root * root, noise, noise_scale, value, factor)
    square = solve_behind(centre, noise, noise_scale, value, factor, solved)
    log_det = 0.0
    for i in range(n):
        square -= solved[i] * solved[i]
        log_det += 2.0 * math.log(factor[i, i])
    last = factor[n - 1, n - 1]
    out[0, place] = log_level - 0.5 * (log_det + square)
    out[1, place] = centre[0] + solved[n - 1] / last
    out[2, place] = math.sqrt(1.0 / (last * last) + 1.0 / (noise_scale * noise[0]))


@compiled
def _log_noise(noise: FloatArray, scale: float, value: FloatArray) -> float:
    """Half the log determinant of the noise of what was measured."""
    total = 0.0
    for i in range(1, noise.size):
        if value[i] == value[i]:
            total += 0.5 * (math.log(scale * noise[i]) - LOG_2PI)
    return total


@compiled
def _count(value: FloatArray) -> int:
    n = 0
    for i in range(1, value.size):
        n += 1 if value[i] == value[i] else 0
    return n


@compiled
def _fill_of_component(
    first: int,
    c: int,
    components: Components,
    kind: int,
    noise: FloatArray,
    node: FloatArray,
    log_node: FloatArray,
    value: FloatArray,
    out: FloatArray,
) -> None:
    """Fill the normals of one component, from place `first` on."""
    n = noise.size
    precision, skew = components.precision[c], components.skew[c]
    m = components.shape[c]
    r = rate_of(m, kind)
    factor, solved, other = np.zeros((n, n)), np.empty(n), np.empty(n)
    cholesky(precision, factor)
    log_det = log_determinant(factor)
    level = math.log(components.weight[c]) + m * math.log(r) - math.lgamma(m)
    q = 2.0 * m + _count(value)
    centre = np.empty(n)
    for j in range(node.size):
        noise_scale = node[j]
        factor_behind(precision, 1.0, noise, noise_scale, value, factor)
        square, cross = _distances(
            components.location[c],
            skew,
            noise,
            noise_scale,
            value,
            factor,
            solved,
            other,
        )
        a = r + 0.5 * square
        root = math.sqrt(cross * cross + 8.0 * a * q)
        mode = 2.0 * q / (root - cross) if cross < 0.0 else (cross + root) / (4.0 * a)
        spread = 1.0 / math.sqrt(q + 2.0 * a * mode * mode)
        step = (LEFT + RIGHT) * spread / (N_SCALES - 1)
        log_noise = _log_noise(noise, noise_scale, value) + log_node[j]
        for i in range(N_SCALES):
            at = math.log(mode) - LEFT * spread + i * step
            s = math.exp(at)
            for k in range(n):
                centre[k] = components.location[c, k] + skew[k] / s
            # Density of log s: that of alpha times 2 alpha.
            own = level + 2.0 * m * at - r * s * s + math.log(2.0 * step)
            own += log_noise + 0.5 * log_det + n * at
            place = first + j * N_SCALES + i
            _fill_of_scale(
                place, s, own, centre, precision, noise, noise_scale, value,
                factor, solved, out,
            )  # fmt: skip


@entry
def fill_normals(
    value: FloatArray,
    sizes: IntArray,
    components: Components,
    kind: int,
    noise: FloatArray,
    node: FloatArray,
    log_node: FloatArray,
    out: FloatArray,
    level: FloatArray,
) -> None:
    """Fill weights, means and deviations of all draws for one vector of measurements.

    Components of all draws stand one after another; `sizes` says how many each has.
    Weights of a draw sum to one; `level` is the log density it gave the measurements.
    """
    per = node.size * N_SCALES
    c, first = 0, 0
    for draw in range(sizes.size):
        start = first
        for _ in range(sizes[draw]):
            _fill_of_component(
                first, c, components, kind, noise, node, log_node, value, out
            )
            first += per
            c += 1
        top = -np.inf
        for i in range(start, first):
            top = max(top, out[0, i])
        total = 0.0
        for i in range(start, first):
            out[0, i] = math.exp(out[0, i] - top)
            total += out[0, i]
        level[draw] = top + math.log(total)
        for i in range(start, first):
            out[0, i] /= total


@entry
def mixture_values(
    at: FloatArray,
    normals: FloatArray,
    density: FloatArray,
    survival: FloatArray,
) -> None:
    """Fill density and upper tail of a mixture of normals at every place."""
    weight, mean, spread = normals[0], normals[1], normals[2]
    for t in range(at.size):
        total, above = 0.0, 0.0
        for i in range(weight.size):
            z = (at[t] - mean[i]) / spread[i]
            if z < 39.0:
                total += weight[i] * math.exp(-0.5 * z * z) / spread[i]
                above += weight[i] * math.erfc(z * ROOT_HALF)
        density[t] = total / math.sqrt(2.0 * math.pi)
        survival[t] = 0.5 * above


@compiled
def _below(at: float, normals: FloatArray) -> tuple[float, float]:
    """Return lower tail and density of a mixture of normals."""
    weight, mean, spread = normals[0], normals[1], normals[2]
    below, density = 0.0, 0.0
    for i in range(weight.size):
        z = (at - mean[i]) / spread[i]
        below += weight[i] * math.erfc(-z * ROOT_HALF)
        density += weight[i] * math.exp(-0.5 * z * z) / spread[i]
    return 0.5 * below, density / math.sqrt(2.0 * math.pi)


@entry
def mixture_quantiles(share: FloatArray, normals: FloatArray, out: FloatArray) -> None:
    """Fill the quantiles of a mixture of normals: Newton, bisection where it strays."""
    weight, mean, spread = normals[0], normals[1], normals[2]
    lowest, highest, start = np.inf, -np.inf, 0.0
    for i in range(weight.size):
        lowest = min(lowest, mean[i] - 10.0 * spread[i])
        highest = max(highest, mean[i] + 10.0 * spread[i])
        start += weight[i] * mean[i]
    for t in range(share.size):
        low, high, at = lowest, highest, start
        for _ in range(200):
            below, density = _below(at, normals)
            off = below - share[t]
            if off < 0.0:
                low = at
            else:
                high = at
            step = at - off / density if density > 0.0 else low
            after = step if low < step < high else 0.5 * (low + high)
            done = abs(after - at) < 1e-9 * (1.0 + abs(at))
            at = after
            if done:
                break
        out[t] = at
