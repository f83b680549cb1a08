"""Compiled pass over the cases: the component and scale of each, and their sums."""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.half_normal import draw_root
from scorecast.mixtures.kernels.layout import Cases, Components, Densities, Sums
from scorecast.mixtures.kernels.matrix import LOG_2PI, compiled, log_determinant

__all__ = ["assign_cases"]


@compiled
def _clear(n_components: int, sums: Sums) -> None:
    n_dims = sums.scale_y.shape[1]
    for c in range(n_components):
        sums.cases[c] = 0.0
        sums.scale[c] = 0.0
        sums.root[c] = 0.0
        sums.tail[c] = 0.0
        for i in range(n_dims):
            sums.scale_y[c, i] = 0.0
            sums.root_y[c, i] = 0.0
            for j in range(n_dims):
                sums.scale_yy[c, i, j] = 0.0


@compiled
def _draw_label(
    rng: np.random.Generator,
    k: int,
    n_components: int,
    weight: FloatArray,
    row: FloatArray,
    total: FloatArray,
) -> int:
    """Component of case k, its scale integrated out."""
    if n_components == 1:
        return 0
    rest = rng.random() * total[k]
    for c in range(n_components - 1):
        rest -= weight[c] * row[c, k]
        if rest < 0.0:
            return c
    return n_components - 1


@compiled
def _log_normalisers(
    n_components: int, n_dims: int, densities: Densities, out: FloatArray
) -> None:
    """Fill what the log likelihood of a case has beside its distance."""
    for c in range(n_components):
        square = 0.0
        for i in range(n_dims):
            square += densities.tilt[c, i] ** 2
        half = log_determinant(densities.factor[c]) - n_dims * LOG_2PI
        out[c] = 0.5 * (half - square)


@compiled
def _assign_numbers(
    rng: np.random.Generator,
    x: FloatArray,
    n_components: int,
    beta: float,
    components: Components,
    densities: Densities,
    cases: Cases,
    sums: Sums,
) -> float:
    """`assign_cases` in one dimension: no inner loops, and hardly a logarithm.

    The sum of log sqrt(alpha) is kept as a product while doubles can hold it.
    """
    weight, location = components.weight, components.location
    factor, tilt = densities.factor, densities.tilt
    rate, exponent = densities.rate, densities.exponent
    row, total = densities.row, densities.total
    label, roots = cases.label, cases.root
    added = np.zeros((n_components, 8))
    for c in range(n_components):
        added[c, 6] = 1.0
    likelihood = 0.0
    for k in range(x.shape[0]):
        c = _draw_label(rng, k, n_components, weight, row, total)
        y = x[k, 0] - location[c, 0]
        v = factor[c, 0, 0] * y
        cross = v * tilt[c, 0]
        root = draw_root(rng, exponent[c], rate[c] + 0.5 * beta * v * v, beta * cross)
        scale = root * root
        label[k] = c
        roots[k] = root
        added[c, 0] += 1.0
        added[c, 1] += scale
        added[c, 2] += root
        added[c, 3] += scale * y
        added[c, 4] += root * y
        added[c, 5] += scale * y * y
        added[c, 6] *= root
        if added[c, 6] < 1e-200 or added[c, 6] > 1e200:
            added[c, 7] += math.log(added[c, 6])
            added[c, 6] = 1.0
        likelihood += root * cross - 0.5 * scale * v * v
    return likelihood + _keep_sums(n_components, added, densities, sums)


@compiled
def _keep_sums(
    n_components: int, added: FloatArray, densities: Densities, sums: Sums
) -> float:
    """Put the sums where they belong; return what the likelihood still lacks."""
    normaliser = np.empty(n_components)
    _log_normalisers(n_components, 1, densities, normaliser)
    lacking = 0.0
    for c in range(n_components):
        log_roots = added[c, 7] + math.log(added[c, 6])
        sums.cases[c] = added[c, 0]
        sums.scale[c] = added[c, 1]
        sums.root[c] = added[c, 2]
        sums.scale_y[c, 0] = added[c, 3]
        sums.root_y[c, 0] = added[c, 4]
        sums.scale_yy[c, 0, 0] = added[c, 5]
        # Each term alpha - 1 - log alpha is positive; rounding must not deny it.
        sums.tail[c] = max(added[c, 1] - added[c, 0] - 2.0 * log_roots, 0.0)
        lacking += added[c, 0] * normaliser[c] + log_roots
    return lacking


@compiled
def assign_cases(
    rng: np.random.Generator,
    x: FloatArray,
    n_components: int,
    beta: float,
    components: Components,
    densities: Densities,
    cases: Cases,
    sums: Sums,
) -> float:
    """Draw label and scale of every case; return the log likelihood given them."""
    n_cases, n_dims = x.shape
    if n_dims == 1:
        return _assign_numbers(
            rng, x, n_components, beta, components, densities, cases, sums
        )
    # Names for all arrays: looking them up case by case would cost more than the work.
    weight, location = components.weight, components.location
    factor, tilt = densities.factor, densities.tilt
    rate, exponent = densities.rate, densities.exponent
    row, total = densities.row, densities.total
    label, roots = cases.label, cases.root
    count, scales, scale_y, scale_yy = (
        sums.cases, sums.scale, sums.scale_y, sums.scale_yy,
    )  # fmt: skip
    root_sum, root_y, tail = sums.root, sums.root_y, sums.tail
    _clear(n_components, sums)
    normaliser = np.empty(n_components)
    _log_normalisers(n_components, n_dims, densities, normaliser)
    y = np.empty(n_dims)
    likelihood = 0.0
    for k in range(n_cases):
        c = _draw_label(rng, k, n_components, weight, row, total)
        square, cross = 0.0, 0.0
        for i in range(n_dims):
            y[i] = x[k, i] - location[c, i]
        for i in range(n_dims):
            v = 0.0
            for j in range(i, n_dims):
                v += factor[c, j, i] * y[j]
            square += v * v
            cross += v * tilt[c, i]
        root = draw_root(rng, exponent[c], rate[c] + 0.5 * beta * square, beta * cross)
        scale = root * root
        log_root = math.log(root)
        label[k] = c
        roots[k] = root
        count[c] += 1.0
        scales[c] += scale
        root_sum[c] += root
        tail[c] += scale - 1.0 - 2.0 * log_root
        for i in range(n_dims):
            scale_y[c, i] += scale * y[i]
            root_y[c, i] += root * y[i]
            for j in range(i + 1):
                scale_yy[c, i, j] += scale * y[i] * y[j]
        likelihood += normaliser[c] + n_dims * log_root
        likelihood += root * cross - 0.5 * scale * square
    return likelihood
