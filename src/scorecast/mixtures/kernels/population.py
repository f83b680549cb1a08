"""Compiled updates of the population that the components come from."""

from __future__ import annotations

import numpy as np

from scorecast.mixtures.kernels.layout import Components, Constants, Population
from scorecast.mixtures.kernels.matrix import (
    cholesky,
    combine,
    draw_normal,
    draw_wishart,
    log_determinant,
    merged,
    multiply,
    trace_of_product,
)
from scorecast.mixtures.kernels.pro_gamma import draw_pro_gamma

__all__ = ["draw_population", "update_population"]


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
