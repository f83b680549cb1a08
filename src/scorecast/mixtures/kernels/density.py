"""Compiled skew-Student densities of many cases under the components of a mixture.

With the likelihood raised to a power beta (thermodynamic integration; beta = 1 else)
and the scale alpha of a case integrated out, its density under a component is

    r^m / Gamma(m) * [det(S / 2 pi)^(1/2) exp(-nu'S nu / 2)]^beta * 2 I(p, A, B),
    p = 2m + beta N - 1,  A = r + beta y'Sy / 2,  B = beta y'S nu.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.matrix import (
    LOG_2PI,
    cholesky,
    compiled,
    log_determinant,
    merged,
)
from scorecast.mixtures.kernels.special import (
    LOG_2,
    exp_in_place,
    fill_table,
    log_in_place,
    read_table,
)
from scorecast.mixtures.kernels.state import Components, Constants, Densities

FAR = 1e-100


@compiled
def rate_of(shape: float, kind: int) -> float:
    """Return r: m - 1 where proGamma type 1 is the prior of m, m where it is type 2."""
    return shape - 1.0 if kind == 1 else shape


@compiled
def prepare(
    c: int, components: Components, constants: Constants, densities: Densities
) -> None:
    """Work out what the densities of one component need."""
    n_dims = components.location.shape[1]
    beta = constants.power
    m = components.shape[c]
    r = rate_of(m, constants.tail_kind)
    factor = densities.factor[c]
    cholesky(components.precision[c], factor)
    square = 0.0
    for i in range(n_dims):
        tilt = 0.0
        for j in range(i, n_dims):
            tilt += factor[j, i] * components.skew[c, j]
        densities.tilt[c, i] = tilt
        square += tilt * tilt
    half = log_determinant(factor) - n_dims * LOG_2PI - square
    p = 2.0 * m + beta * n_dims - 1.0
    densities.constant[c] = m * math.log(r) - math.lgamma(m) + 0.5 * beta * half + LOG_2
    densities.exponent[c] = p
    densities.rate[c] = r
    densities.n_left[c] = fill_table(p, math.sqrt(beta * square), densities.table[c])


@compiled
def log_densities(
    x: FloatArray,
    location: FloatArray,
    c: int,
    beta: float,
    densities: Densities,
    out: FloatArray,
) -> None:
    """Fill the log density of every case under component c."""
    p, twice_r = densities.exponent[c], 2.0 * densities.rate[c]
    n_left, table = densities.n_left[c], densities.table[c]
    constant, half = densities.constant[c], 0.5 * (p + 1.0)
    n_dims = location.size
    if n_dims == 1:  # the same without inner loops, three times as fast
        factor, tilt, centre = (
            densities.factor[c, 0, 0],
            densities.tilt[c, 0],
            location[0],
        )
        for k in range(x.shape[0]):
            v = factor * (x[k, 0] - centre)
            out[k] = twice_r + beta * v * v
        places = np.empty(out.size)
        for k in range(x.shape[0]):
            v = factor * (x[k, 0] - centre)
            places[k] = beta * v * tilt / math.sqrt(out[k])
        log_in_place(out)
        for k in range(x.shape[0]):
            out[k] = constant - half * out[k] + read_table(p, places[k], n_left, table)
        return
    factors, tilts = densities.factor[c], densities.tilt[c]
    for k in range(x.shape[0]):
        square = 0.0
        cross = 0.0
        for i in range(n_dims):
            v = 0.0
            for j in range(i, n_dims):
                v += factors[j, i] * (x[k, j] - location[j])
            square += v * v
            cross += v * tilts[i]
        twice = twice_r + beta * square
        z = beta * cross / math.sqrt(twice)
        out[k] = constant - half * math.log(twice) + read_table(p, z, n_left, table)


@compiled
def fill_rows(
    x: FloatArray,
    n_components: int,
    components: Components,
    constants: Constants,
    densities: Densities,
) -> None:
    """Fill the densities of all cases under all components."""
    rows, level = densities.row, densities.level
    beta = constants.power
    for c in range(n_components):
        prepare(c, components, constants, densities)
        log_densities(x, components.location[c], c, beta, densities, rows[c])
    total = densities.total
    for k in range(level.size):
        total[k] = 0.0
        level[k] = rows[0, k]
    for c in range(1, n_components):
        for k in range(level.size):
            level[k] = max(level[k], rows[c, k])
    for c in range(n_components):
        weight, row = components.weight[c], rows[c]
        for k in range(level.size):
            row[k] -= level[k]
        exp_in_place(row)
        for k in range(level.size):
            total[k] += weight * row[k]


@merged
def add_row(
    x: FloatArray,
    c: int,
    components: Components,
    constants: Constants,
    densities: Densities,
) -> None:
    """Fill the densities of all cases under one new component."""
    prepare(c, components, constants, densities)
    row, level = densities.row[c], densities.level
    location = components.location[c]
    log_densities(x, location, c, constants.power, densities, row)
    for k in range(level.size):
        row[k] -= level[k]
    exp_in_place(row)


@merged
def move_density(source: int, target: int, densities: Densities) -> None:
    """Copy what `prepare` worked out, and the row."""
    n_dims = densities.tilt.shape[1]
    densities.constant[target] = densities.constant[source]
    densities.exponent[target] = densities.exponent[source]
    densities.rate[target] = densities.rate[source]
    for i in range(n_dims):
        densities.tilt[target, i] = densities.tilt[source, i]
        for j in range(n_dims):
            densities.factor[target, i, j] = densities.factor[source, i, j]
    n_knots = 2 * densities.n_left[source] + 1
    densities.n_left[target] = densities.n_left[source]
    for i in range(n_knots):
        for j in range(densities.table.shape[2]):
            densities.table[target, i, j] = densities.table[source, i, j]
    for k in range(densities.level.size):
        densities.row[target, k] = densities.row[source, k]


@merged
def log_likelihood(densities: Densities) -> float:
    """Log likelihood of the mixture, scales and labels integrated out."""
    total = 0.0
    product = 1.0
    for k in range(densities.level.size):
        total += densities.level[k]
        if densities.total[k] < FAR:  # the product of two such would be zero
            total += math.log(densities.total[k])
            continue
        product *= densities.total[k]
        if product < 1e-200 or product > 1e200:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)
