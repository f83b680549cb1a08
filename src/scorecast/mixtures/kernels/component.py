"""Compiled updates of the components, given which cases are theirs."""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.jump import move_component
from scorecast.mixtures.kernels.layout import (
    Cases,
    Components,
    Constants,
    Population,
    Sums,
)
from scorecast.mixtures.kernels.matrix import (
    combine,
    compiled,
    draw_normal,
    draw_wishart,
    merged,
    multiply,
)
from scorecast.mixtures.kernels.pro_gamma import draw_pro_gamma

__all__ = [
    "draw_component",
    "draw_number",
    "draw_weights",
    "occupied_first",
    "update_component",
]

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
