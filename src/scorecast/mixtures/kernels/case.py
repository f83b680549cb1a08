"""Compiled pass over the cases: the component and scale of each, and their sums."""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kernels.half_normal import draw_around, draw_root, mode_of
from scorecast.mixtures.kernels.layout import Cases, Components, Densities, Sums
from scorecast.mixtures.kernels.matrix import (
    LOG_2PI,
    compiled,
    log_determinant,
    merged,
)

__all__ = ["assign_cases"]

BLOCK = 256  # cases looked at in one go


@merged
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


@merged
def _draw_labels(
    rng: np.random.Generator,
    n_components: int,
    weight: FloatArray,
    densities: Densities,
    label: IntArray,
) -> None:
    """Draw the component of every case, its scale integrated out.

    Counts the partial sums that a uniform draw exceeds. Stopping at the right one would
    be less work and take six times as long: the processor cannot guess where.
    """
    row, total = densities.row, densities.total
    rest = np.empty(BLOCK)
    for start in range(0, label.size, BLOCK):
        n = min(BLOCK, label.size - start)
        for i in range(n):
            label[start + i] = 0
            rest[i] = rng.random() * total[start + i] if n_components > 1 else 0.0
        for c in range(n_components - 1):
            for i in range(n):
                rest[i] -= weight[c] * row[c, start + i]
                label[start + i] += 1 if rest[i] >= 0.0 else 0


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


@merged
def _draw_block(
    rng: np.random.Generator,
    label: IntArray,
    densities: Densities,
    beta: float,
    block: FloatArray,
    root: FloatArray,
) -> None:
    """Draw the scales of a few cases; rows of the block: distance, v and v'tilt.

    First what has no branches, so that it is done for several cases at once.
    """
    rate, exponent = densities.rate, densities.exponent
    for i in range(label.size):
        v, c = block[1, i], label[i]
        a, b = rate[c] + 0.5 * beta * v * v, beta * block[2, i]
        mode = mode_of(exponent[c], a, b)
        block[3, i], block[4, i], block[5, i] = a, b, mode
        block[6, i] = math.sqrt(0.5 / a) / mode
    for i in range(label.size):
        root[i] = draw_around(
            rng, exponent[label[i]], block[3, i], block[4, i], block[5, i], block[6, i]
        )


@merged
def _add_block(
    label: IntArray, block: FloatArray, root: FloatArray, added: FloatArray
) -> float:
    """Add a few cases to the sums of their components; return their likelihood.

    The sum of log sqrt(alpha) is kept as a product while doubles can hold it.
    """
    likelihood = 0.0
    for i in range(label.size):
        c, y, v, one = label[i], block[0, i], block[1, i], root[i]
        scale = one * one
        added[c, 0] += 1.0
        added[c, 1] += scale
        added[c, 2] += one
        added[c, 3] += scale * y
        added[c, 4] += one * y
        added[c, 5] += scale * y * y
        added[c, 6] *= one
        if added[c, 6] < 1e-200 or added[c, 6] > 1e200:
            added[c, 7] += math.log(added[c, 6])
            added[c, 6] = 1.0
        likelihood += one * block[2, i] - 0.5 * scale * v * v
    return likelihood


@merged
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
    """`assign_cases` in one dimension, labels drawn, block by block."""
    location, factor, tilt = components.location, densities.factor, densities.tilt
    added = np.zeros((n_components, 8))
    added[:, 6] = 1.0
    block = np.empty((7, BLOCK))
    likelihood = 0.0
    for start in range(0, x.shape[0], BLOCK):
        stop = min(start + BLOCK, x.shape[0])
        label, root = cases.label[start:stop], cases.root[start:stop]
        for i in range(label.size):
            c = label[i]
            block[0, i] = x[start + i, 0] - location[c, 0]
            block[1, i] = factor[c, 0, 0] * block[0, i]
            block[2, i] = block[1, i] * tilt[c, 0]
        _draw_block(rng, label, densities, beta, block, root)
        likelihood += _add_block(label, block, root, added)
    return likelihood + _keep_sums(n_components, added, densities, sums)


@merged
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


@merged
def _fill_distance(
    x: FloatArray,
    c: int,
    components: Components,
    densities: Densities,
    y: FloatArray,
) -> tuple[float, float]:
    """Fill y = x - mu of component c; return y'Sy and y'S nu."""
    location, factor, tilt = components.location, densities.factor, densities.tilt
    for i in range(y.size):
        y[i] = x[i] - location[c, i]
    square, cross = 0.0, 0.0
    for i in range(y.size):
        v = 0.0
        for j in range(i, y.size):
            v += factor[c, j, i] * y[j]
        square += v * v
        cross += v * tilt[c, i]
    return square, cross


@merged
def _add_case(c: int, y: FloatArray, root: float, log_root: float, sums: Sums) -> None:
    """Add a case to the sums of its component."""
    scale = root * root
    sums.cases[c] += 1.0
    sums.scale[c] += scale
    sums.root[c] += root
    sums.tail[c] += scale - 1.0 - 2.0 * log_root
    for i in range(y.size):
        sums.scale_y[c, i] += scale * y[i]
        sums.root_y[c, i] += root * y[i]
        for j in range(i + 1):
            sums.scale_yy[c, i, j] += scale * y[i] * y[j]


@merged
def _assign_vectors(
    rng: np.random.Generator,
    x: FloatArray,
    n_components: int,
    beta: float,
    components: Components,
    densities: Densities,
    cases: Cases,
    sums: Sums,
) -> float:
    """`assign_cases` in several dimensions, labels drawn, case by case."""
    n_cases, n_dims = x.shape
    _clear(n_components, sums)
    normaliser = np.empty(n_components)
    _log_normalisers(n_components, n_dims, densities, normaliser)
    y = np.empty(n_dims)
    likelihood = 0.0
    for k in range(n_cases):
        c = cases.label[k]
        square, cross = _fill_distance(x[k], c, components, densities, y)
        p, rate = densities.exponent[c], densities.rate[c]
        root = draw_root(rng, p, rate + 0.5 * beta * square, beta * cross)
        cases.root[k] = root
        log_root = math.log(root)
        _add_case(c, y, root, log_root, sums)
        likelihood += normaliser[c] + n_dims * log_root
        likelihood += root * cross - 0.5 * root * root * square
    return likelihood


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
    _draw_labels(rng, n_components, components.weight, densities, cases.label)
    if x.shape[1] == 1:
        return _assign_numbers(
            rng, x, n_components, beta, components, densities, cases, sums
        )
    return _assign_vectors(
        rng, x, n_components, beta, components, densities, cases, sums
    )
