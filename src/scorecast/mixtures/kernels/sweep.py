"""Compiled sweeps of the sampler: every unknown drawn once given all the others."""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kernels.case import assign_cases
from scorecast.mixtures.kernels.component import (
    draw_component,
    draw_number,
    draw_weights,
    occupied_first,
    update_component,
)
from scorecast.mixtures.kernels.density import fill_rows, log_likelihood, rate_of
from scorecast.mixtures.kernels.jump import jump
from scorecast.mixtures.kernels.layout import (
    Cases,
    Components,
    Constants,
    Densities,
    Population,
    Sums,
)
from scorecast.mixtures.kernels.matrix import compiled, entry, merged
from scorecast.mixtures.kernels.population import draw_population, update_population

__all__ = ["draw_mixture", "fill_log_density", "run_sweeps", "sweep_once"]


@merged
def mixture_mean(
    n_components: int, components: Components, kind: int, out: FloatArray
) -> None:
    """Fill the mean of the mixture; empty components carry their weight too.

    It is infinite, or no number, where a component with tail m <= 1/2 has none.
    """
    for i in range(out.size):
        out[i] = 0.0
    for c in range(n_components):
        m = components.shape[c]
        pull = math.exp(math.lgamma(m - 0.5) - math.lgamma(m)) if m > 0.5 else np.inf
        pull *= math.sqrt(rate_of(m, kind))
        for i in range(out.size):
            own = components.location[c, i] + components.skew[c, i] * pull
            out[i] += components.weight[c] * own


@merged
def mixture_centre(
    n_components: int, components: Components, kind: int, out: FloatArray
) -> None:
    """Fill the mean of the mixture as if every scale were its mean: always finite."""
    for i in range(out.size):
        out[i] = 0.0
    for c in range(n_components):
        m = components.shape[c]
        pull = math.sqrt(rate_of(m, kind) / m)
        for i in range(out.size):
            own = components.location[c, i] + components.skew[c, i] * pull
            out[i] += components.weight[c] * own


@entry
def draw_mixture(
    rng: np.random.Generator,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
    mean: FloatArray,
) -> None:
    """Draw a mixture of so many components from the prior, and fill its mean."""
    draw_population(rng, population, constants)
    for c in range(n_components):
        draw_component(rng, c, components, population, constants)
    none = np.zeros(0)
    draw_weights(rng, n_components, 0, none, constants.concentration, components.weight)
    mixture_mean(n_components, components, constants.tail_kind, mean)


@entry
def fill_log_density(
    x: FloatArray,
    n_components: int,
    components: Components,
    constants: Constants,
    densities: Densities,
    out: FloatArray,
) -> None:
    """Fill the log density of the mixture at every place."""
    fill_rows(x, n_components, components, constants, densities)
    for k in range(out.size):
        out[k] = densities.level[k] + math.log(densities.total[k])


@compiled
def _update_mixture(
    rng: np.random.Generator,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
    cases: Cases,
    sums: Sums,
) -> int:
    """Draw the number of components, their parameters and weights, the population."""
    occupied = occupied_first(n_components, components, sums, cases)
    most = components.weight.size
    number = draw_number(rng, occupied, most, sums.cases, constants)
    for c in range(occupied):
        update_component(rng, c, components, population, constants, sums)
    for c in range(occupied, number):
        draw_component(rng, c, components, population, constants)
    draw_weights(
        rng, number, occupied, sums.cases, constants.concentration, components.weight
    )
    update_population(rng, number, components, population, constants)
    return number


@merged
def _give_up(
    i: int,
    means: FloatArray,
    centres: FloatArray,
    likelihoods: FloatArray,
    given_cases: FloatArray,
) -> None:
    """Record no numbers at a sweep: the diagnostics then refuse the chain."""
    for j in range(means.shape[1]):
        means[i, j] = np.nan
        centres[i, j] = np.nan
    likelihoods[i] = np.nan
    given_cases[i] = np.nan


@merged
def sweep_once(
    i: int,
    rng: np.random.Generator,
    x: FloatArray,
    n_jumps: int,
    number: IntArray,
    components: Components,
    population: Population,
    constants: Constants,
    densities: Densities,
    cases: Cases,
    sums: Sums,
    means: FloatArray,
    centres: FloatArray,
    numbers: IntArray,
    likelihoods: FloatArray,
    given_cases: FloatArray,
) -> None:
    """Run one sweep and record it at place i, there being rows enough.

    A chain that has met what is no number does not go on.
    """
    if math.isnan(components.shape[0]):
        numbers[i] = number[0]
        _give_up(i, means, centres, likelihoods, given_cases)
    else:
        n_components = number[0]
        fill_rows(x, n_components, components, constants, densities)
        for _ in range(n_jumps):
            n_components = jump(
                rng, x, n_components, components, population, constants, densities
            )
        likelihoods[i] = log_likelihood(densities)
        given_cases[i] = assign_cases(
            rng,
            x,
            n_components,
            constants.power,
            components,
            densities,
            cases,
            sums,
        )
        n_components = _update_mixture(
            rng, n_components, components, population, constants, cases, sums
        )
        number[0] = n_components
        if math.isnan(given_cases[i]):
            components.shape[0] = np.nan
        numbers[i] = n_components
        mixture_mean(n_components, components, constants.tail_kind, means[i])
        mixture_centre(n_components, components, constants.tail_kind, centres[i])


@entry
def run_sweeps(
    rng: np.random.Generator,
    x: FloatArray,
    n_sweeps: int,
    n_jumps: int,
    number: IntArray,
    components: Components,
    population: Population,
    constants: Constants,
    densities: Densities,
    cases: Cases,
    sums: Sums,
    means: FloatArray,
    centres: FloatArray,
    numbers: IntArray,
    likelihoods: FloatArray,
    given_cases: FloatArray,
) -> int:
    """Run sweeps and record each; return how many fitted into the rows given.

    A return below `n_sweeps` asks for more rows; the chain is then between two sweeps.
    """
    for i in range(n_sweeps):
        if number[0] + n_jumps > densities.row.shape[0]:
            return i
        sweep_once(
            i, rng, x, n_jumps, number, components, population, constants, densities,
            cases, sums, means, centres, numbers, likelihoods, given_cases,
        )  # fmt: skip
    return n_sweeps
