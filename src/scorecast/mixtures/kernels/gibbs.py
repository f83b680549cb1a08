"""Compiled conditional draws: labels and scales of cases, components, population.

Their order within a sweep is that of `kernels.sweep`.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kernels.matrix import (
    LOG_2PI,
    cholesky,
    combine,
    compiled,
    draw_normal,
    draw_wishart,
    log_determinant,
    merged,
    multiply,
    trace_of_product,
)
from scorecast.mixtures.kernels.special import (
    draw_around,
    draw_pro_gamma,
    draw_root,
    mode_of,
)
from scorecast.mixtures.kernels.split_merge import move_component
from scorecast.mixtures.kernels.state import (
    Cases,
    Components,
    Constants,
    Densities,
    Population,
    Sums,
)

# Cases: the component and scale of each, and their sums ------------------------------

BLOCK = 256  # cases looked at in one go


@merged
def _clear(n_components: int, sums: Sums) -> None:
    cases, scale, root, scale_y, root_y, scale_yy, tail = sums
    n_dims = scale_y.shape[1]
    for c in range(n_components):
        cases[c] = 0.0
        scale[c] = 0.0
        root[c] = 0.0
        tail[c] = 0.0
        for i in range(n_dims):
            scale_y[c, i] = 0.0
            root_y[c, i] = 0.0
            for j in range(n_dims):
                scale_yy[c, i, j] = 0.0


@merged
def _draw_labels(
    rng: np.random.Generator,
    n_components: int,
    weight: FloatArray,
    row: FloatArray,
    total: FloatArray,
    label: IntArray,
) -> None:
    """Draw the component of every case, its scale integrated out.

    Counts the partial sums that a uniform draw exceeds. Stopping at the right one would
    be less work and take six times as long: the processor cannot guess where.
    """
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
    n_components: int, factor: FloatArray, tilt: FloatArray, out: FloatArray
) -> None:
    """Fill what the log likelihood of a case has beside its distance."""
    n_dims = tilt.shape[1]
    for c in range(n_components):
        square = 0.0
        for i in range(n_dims):
            square += tilt[c, i] ** 2
        half = log_determinant(factor[c]) - n_dims * LOG_2PI
        out[c] = 0.5 * (half - square)


@merged
def _draw_block(
    rng: np.random.Generator,
    label: IntArray,
    exponent: FloatArray,
    rate: FloatArray,
    beta: float,
    block: FloatArray,
    root: FloatArray,
) -> None:
    """Draw the scales of a few cases; rows of the block: distance, v and v'tilt.

    First what has no branches, so that it is done for several cases at once.
    """
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
    n_components: int,
    beta: float,
    x: FloatArray,
    location: FloatArray,
    densities: Densities,
    cases: Cases,
    sums: Sums,
) -> float:
    """`assign_cases` in one dimension, labels drawn, block by block."""
    factor, tilt = densities.factor, densities.tilt
    exponent, rate = densities.exponent, densities.rate
    labels, roots = cases
    added = np.zeros((n_components, 8))
    added[:, 6] = 1.0
    block = np.empty((7, BLOCK))
    likelihood = 0.0
    for start in range(0, x.shape[0], BLOCK):
        stop = min(start + BLOCK, x.shape[0])
        label, root = labels[start:stop], roots[start:stop]
        for i in range(label.size):
            c = label[i]
            block[0, i] = x[start + i, 0] - location[c, 0]
            block[1, i] = factor[c, 0, 0] * block[0, i]
            block[2, i] = block[1, i] * tilt[c, 0]
        _draw_block(rng, label, exponent, rate, beta, block, root)
        likelihood += _add_block(label, block, root, added)
    return likelihood + _keep_sums(n_components, added, factor, tilt, sums)


@merged
def _keep_sums(
    n_components: int,
    added: FloatArray,
    factor: FloatArray,
    tilt: FloatArray,
    sums: Sums,
) -> float:
    """Put the sums where they belong; return what the likelihood still lacks."""
    normaliser = np.empty(n_components)
    _log_normalisers(n_components, factor, tilt, normaliser)
    cases, scale, root, scale_y, root_y, scale_yy, tail = sums
    lacking = 0.0
    for c in range(n_components):
        log_roots = added[c, 7] + math.log(added[c, 6])
        cases[c] = added[c, 0]
        scale[c] = added[c, 1]
        root[c] = added[c, 2]
        scale_y[c, 0] = added[c, 3]
        root_y[c, 0] = added[c, 4]
        scale_yy[c, 0, 0] = added[c, 5]
        # Each term alpha - 1 - log alpha is positive; rounding must not deny it.
        tail[c] = max(added[c, 1] - added[c, 0] - 2.0 * log_roots, 0.0)
        lacking += added[c, 0] * normaliser[c] + log_roots
    return lacking


@merged
def _fill_distance(
    x: FloatArray,
    c: int,
    location: FloatArray,
    factor: FloatArray,
    tilt: FloatArray,
    y: FloatArray,
) -> tuple[float, float]:
    """Fill y = x - mu of component c; return y'Sy and y'S nu."""
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
def _assign_vectors(
    rng: np.random.Generator,
    n_components: int,
    beta: float,
    x: FloatArray,
    location: FloatArray,
    densities: Densities,
    cases: Cases,
    sums: Sums,
) -> float:
    """`assign_cases` in several dimensions, labels drawn, case by case."""
    factor, tilt = densities.factor, densities.tilt
    exponent, rate = densities.exponent, densities.rate
    labels, roots = cases
    _clear(n_components, sums)
    n_of, scale_of, root_of, scale_y, root_y, scale_yy, tail = sums
    n_cases, n_dims = x.shape
    normaliser = np.empty(n_components)
    _log_normalisers(n_components, factor, tilt, normaliser)
    y = np.empty(n_dims)
    likelihood = 0.0
    for k in range(n_cases):
        c = labels[k]
        square, cross = _fill_distance(x[k], c, location, factor, tilt, y)
        root = draw_root(rng, exponent[c], rate[c] + 0.5 * beta * square, beta * cross)
        roots[k] = root
        log_root, scale = math.log(root), root * root
        n_of[c] += 1.0
        scale_of[c] += scale
        root_of[c] += root
        tail[c] += scale - 1.0 - 2.0 * log_root
        for i in range(n_dims):
            scale_y[c, i] += scale * y[i]
            root_y[c, i] += root * y[i]
            for j in range(i + 1):
                scale_yy[c, i, j] += scale * y[i] * y[j]
        likelihood += normaliser[c] + n_dims * log_root
        likelihood += root * cross - 0.5 * root * root * square
    return likelihood


@compiled
def assign_cases(
    rng: np.random.Generator,
    n_components: int,
    beta: float,
    x: FloatArray,
    weight: FloatArray,
    location: FloatArray,
    densities: Densities,
    cases: Cases,
    sums: Sums,
) -> float:
    """Draw label and scale of every case; return the log likelihood given them."""
    _draw_labels(rng, n_components, weight, densities.row, densities.total, cases.label)
    if x.shape[1] == 1:
        return _assign_numbers(
            rng, n_components, beta, x, location, densities, cases, sums
        )
    return _assign_vectors(rng, n_components, beta, x, location, densities, cases, sums)


# Components, given which cases are theirs --------------------------------------------

LEAST_LOG = -40.0  # of a probability relative to the largest, below which it is zero


@merged
def occupied_first(
    n_components: int, components: Components, sums: Sums, cases: Cases
) -> int:
    """Move components with cases to the front; return how many there are."""
    place = np.empty(n_components, np.int64)
    occupied = 0
    for c in range(n_components):
        if sums.cases[c] == 0.0:
            continue
        place[c] = occupied
        if occupied != c:
            move_component(c, occupied, components)
            _move_sums(c, occupied, sums)
        occupied += 1
    if occupied < n_components:
        for k in range(cases.label.size):
            cases.label[k] = place[cases.label[k]]
    return occupied


@merged
def _move_sums(source: int, target: int, sums: Sums) -> None:
    sums.cases[target] = sums.cases[source]
    sums.scale[target] = sums.scale[source]
    sums.root[target] = sums.root[source]
    sums.tail[target] = sums.tail[source]
    n_dims = sums.scale_y.shape[1]
    for i in range(n_dims):
        sums.scale_y[target, i] = sums.scale_y[source, i]
        sums.root_y[target, i] = sums.root_y[source, i]
        for j in range(n_dims):
            sums.scale_yy[target, i, j] = sums.scale_yy[source, i, j]


@compiled
def log_number(
    number: int, occupied: int, count: FloatArray, constants: Constants
) -> float:
    """Log probability, up to a constant, of `number` components given the partition."""
    share = constants.concentration / number
    total = (number - 1) * math.log(constants.growth)
    total += math.lgamma(number + 1.0) - math.lgamma(number - occupied + 1.0)
    for c in range(occupied):
        total += math.lgamma(count[c] + share) - math.lgamma(share)
    return total


@merged
def draw_number(
    rng: np.random.Generator,
    occupied: int,
    most: int,
    count: FloatArray,
    constants: Constants,
) -> int:
    """Draw the number of components given the partition (telescoping)."""
    logs = np.empty(most - occupied + 1)
    largest = -np.inf
    used = 0
    falling = 0
    for i in range(logs.size):
        logs[i] = log_number(occupied + i, occupied, count, constants)
        used = i + 1
        falling = falling + 1 if i > 0 and logs[i] < logs[i - 1] else 0
        largest = max(largest, logs[i])
        if falling > 3 and logs[i] < largest + LEAST_LOG:
            break
    total = 0.0
    for i in range(used):
        total += math.exp(logs[i] - largest)
    rest = rng.random() * total
    for i in range(used):
        rest -= math.exp(logs[i] - largest)
        if rest < 0.0:
            return occupied + i
    return occupied


@compiled
def draw_component(
    rng: np.random.Generator,
    c: int,
    components: Components,
    population: Population,
    constants: Constants,
) -> None:
    """Draw a component from the prior given the population."""
    m_s = population.precision_shape[0]
    precision = components.precision[c]
    n_dims = precision.shape[0]
    matrix, linear = np.empty((n_dims, n_dims)), np.empty(n_dims)
    combine(m_s - 1.0, population.covariance, 0.0, population.covariance, matrix)
    draw_wishart(rng, m_s, matrix, precision)
    around = population.location_precision
    multiply(around, population.location_mean, linear)
    draw_normal(rng, around, linear, components.location[c])
    combine(1.0 / constants.skew_spread, precision, 0.0, precision, matrix)
    draw_normal(rng, matrix, np.zeros(n_dims), components.skew[c])
    kind = constants.tail_kind
    d = draw_pro_gamma(rng, constants.tail_a, constants.tail_b, 1, kind)
    components.shape[c] = 1.0 + d if kind == 1 else d


@merged
def _update_location_and_skew(
    rng: np.random.Generator,
    c: int,
    components: Components,
    population: Population,
    constants: Constants,
    sums: Sums,
    moved: FloatArray,
) -> None:
    """Draw location and skew jointly; fill by how much the location moved."""
    n = components.location.shape[1]
    beta = constants.power
    s, s_mu = components.precision[c], population.location_precision
    precision = np.empty((2 * n, 2 * n))
    linear = np.zeros(2 * n)
    scale, root = beta * sums.scale[c], beta * sums.root[c]
    count = beta * sums.cases[c] + 1.0 / constants.skew_spread
    for i in range(n):
        for j in range(n):
            precision[i, j] = scale * s[i, j] + s_mu[i, j]
            precision[i, n + j] = root * s[i, j]
            precision[n + i, j] = root * s[i, j]
            precision[n + i, n + j] = count * s[i, j]
            away = population.location_mean[j] - components.location[c, j]
            linear[i] += beta * s[i, j] * sums.scale_y[c, j] + s_mu[i, j] * away
            linear[n + i] += beta * s[i, j] * sums.root_y[c, j]
    drawn = np.empty(2 * n)
    draw_normal(rng, precision, linear, drawn)
    for i in range(n):
        moved[i] = drawn[i]
        components.location[c, i] += drawn[i]
        components.skew[c, i] = drawn[n + i]


@merged
def _scatter(
    c: int, moved: FloatArray, skew: FloatArray, sums: Sums, out: FloatArray
) -> None:
    """Fill the sum of alpha e e', with e = y - moved - skew / sqrt(alpha)."""
    n = moved.size
    for i in range(n):
        for j in range(i + 1):
            cross = sums.scale_y[c, i] * moved[j] + moved[i] * sums.scale_y[c, j]
            tilt = (sums.root_y[c, i] - sums.root[c] * moved[i]) * skew[j]
            tilt += skew[i] * (sums.root_y[c, j] - sums.root[c] * moved[j])
            value = sums.scale_yy[c, i, j] - cross - tilt
            value += sums.scale[c] * moved[i] * moved[j]
            value += sums.cases[c] * skew[i] * skew[j]
            out[i, j] = value
            out[j, i] = value


@merged
def update_component(
    rng: np.random.Generator,
    c: int,
    components: Components,
    population: Population,
    constants: Constants,
    sums: Sums,
) -> None:
    """Draw location, skew, precision and shape of a component given its cases."""
    n = components.location.shape[1]
    moved = np.empty(n)
    _update_location_and_skew(rng, c, components, population, constants, sums, moved)
    skew = components.skew[c]
    m_s = population.precision_shape[0]
    rate = np.empty((n, n))
    _scatter(c, moved, skew, sums, rate)
    for i in range(n):
        for j in range(n):
            own = max(rate[i, i], 0.0) if i == j else rate[i, j]
            prior = (m_s - 1.0) * population.covariance[i, j]
            tilt = skew[i] * skew[j] / constants.skew_spread
            rate[i, j] = prior + 0.5 * (constants.power * own + tilt)
    shape = m_s + 0.5 * (constants.power * sums.cases[c] + 1.0)
    draw_wishart(rng, shape, rate, components.precision[c])
    kind = constants.tail_kind
    a, b = constants.tail_a + sums.tail[c], constants.tail_b + sums.cases[c]
    d = draw_pro_gamma(rng, a, b, 1, kind)
    components.shape[c] = 1.0 + d if kind == 1 else d


@compiled
def draw_weights(
    rng: np.random.Generator,
    n_components: int,
    occupied: int,
    count: FloatArray,
    concentration: float,
    weight: FloatArray,
) -> None:
    """Draw the weights: Dirichlet, each with its cases and its share of the prior."""
    share = concentration / n_components
    total = 0.0
    for c in range(n_components):
        own = count[c] if c < occupied else 0.0
        weight[c] = rng.standard_gamma(share + own)
        total += weight[c]
    for c in range(n_components):
        weight[c] /= total


# The population that components come from --------------------------------------------


@merged
def draw_population(
    rng: np.random.Generator, population: Population, constants: Constants
) -> None:
    """Draw the population from its prior."""
    n = population.location_mean.size
    d = draw_pro_gamma(rng, constants.spread_a, constants.spread_b, n, 1)
    population.precision_shape[0] = 1.0 + d
    draw_wishart(
        rng, constants.scale_shape, constants.scale_rate, population.covariance
    )
    draw_wishart(
        rng, constants.rate_shape, constants.rate_rate, population.location_rate
    )
    rate, linear = np.empty((n, n)), np.empty(n)
    given = population.location_rate
    combine(constants.location_factor, given, 0.0, given, rate)
    draw_wishart(rng, constants.location_shape, rate, population.location_precision)
    multiply(constants.centre_precision, constants.centre, linear)
    draw_normal(rng, constants.centre_precision, linear, population.location_mean)


@merged
def update_population(
    rng: np.random.Generator,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
) -> None:
    """Draw the population given all components, occupied or not."""
    _update_precisions(rng, n_components, components, population, constants)
    _update_locations(rng, n_components, components, population, constants)


@merged
def _update_precisions(
    rng: np.random.Generator,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
) -> None:
    """Draw m_S, then R_S."""
    n = population.location_mean.size
    factor = np.empty((n, n))
    cholesky(population.covariance, factor)
    log_covariance = log_determinant(factor)
    total = np.zeros((n, n))
    a = constants.spread_a
    for c in range(n_components):
        precision = components.precision[c]
        combine(1.0, total, 1.0, precision, total)
        cholesky(precision, factor)
        a += trace_of_product(population.covariance, precision) - n
        a -= log_covariance + log_determinant(factor)
    d = draw_pro_gamma(rng, a, constants.spread_b + n_components, n, 1)
    population.precision_shape[0] = 1.0 + d
    shape = constants.scale_shape + n_components * (1.0 + d + 0.5 * (n - 1))
    combine(1.0, constants.scale_rate, d, total, total)
    draw_wishart(rng, shape, total, population.covariance)


@merged
def _update_locations(
    rng: np.random.Generator,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
) -> None:
    """Draw mu_mu, S_mu and R_Smu."""
    n = population.location_mean.size
    total, linear, matrix = np.zeros(n), np.empty(n), np.empty((n, n))
    around = population.location_precision
    for c in range(n_components):
        for i in range(n):
            total[i] += components.location[c, i]
    multiply(constants.centre_precision, constants.centre, linear)
    for i in range(n):
        for j in range(n):
            linear[i] += around[i, j] * total[j]
    combine(1.0, constants.centre_precision, float(n_components), around, matrix)
    draw_normal(rng, matrix, linear, population.location_mean)
    given = population.location_rate
    combine(constants.location_factor, given, 0.0, given, matrix)
    for c in range(n_components):
        for i in range(n):
            away = components.location[c, i] - population.location_mean[i]
            for j in range(n):
                other = components.location[c, j] - population.location_mean[j]
                matrix[i, j] += 0.5 * away * other
    shape = constants.location_shape + 0.5 * n_components
    draw_wishart(rng, shape, matrix, around)
    shape = constants.rate_shape + constants.location_shape + 0.5 * (n - 1)
    combine(1.0, constants.rate_rate, constants.location_factor, around, matrix)
    draw_wishart(rng, shape, matrix, given)
