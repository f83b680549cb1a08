"""Compiled draws of true values with the likelihood of measurements raised to a power.

The likelihood of a case given its true values is that of its noise; for a censored
coordinate 0 it is the probability of noise beyond the limit. Raised to beta, the normal
part keeps its form with beta lambda D for lambda D. The probability does not, so true
values (and lambda) of a censored case are proposed without it and accepted with its
ratio.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kernels.latent import (
    draw_behind,
    factor_behind,
    log_tail,
    solve_behind,
)
from scorecast.mixtures.kernels.layout import (
    Cases,
    Components,
    Constants,
    Densities,
    Measured,
    Population,
    Sums,
)
from scorecast.mixtures.kernels.matrix import LOG_2PI, compiled, entry
from scorecast.mixtures.kernels.orbit import move_together
from scorecast.mixtures.kernels.sweep import sweep_once

__all__ = ["run_tempered_sweeps"]


@compiled
def _log_beyond(k: int, at: float, noise_scale: float, measured: Measured) -> float:
    """Log probability that the measurement of coordinate 0 exceeds its limit."""
    spread = 1.0 / math.sqrt(noise_scale * measured.noise[0])
    return log_tail((measured.limit[k] - at) / spread)


@compiled
def _noise_of(k: int, x: FloatArray, measured: Measured) -> tuple[float, float]:
    """Return how many coordinates have noise that is known, and n'Dn of them."""
    n_measured, square = 0.0, 0.0
    for i in range(x.shape[1]):
        value = measured.value[k, i]
        if value == value and not (i == 0 and measured.is_censored[k]):
            away = value - x[k, i]
            n_measured += 1.0
            square += measured.noise[i] * away * away
    return n_measured, square


@compiled
def _draw_case(
    rng: np.random.Generator,
    k: int,
    beta: float,
    x: FloatArray,
    centre: FloatArray,
    precision: FloatArray,
    scale: float,
    measured: Measured,
    factor: FloatArray,
    solved: FloatArray,
    proposed: FloatArray,
) -> None:
    """Draw the true values of one case."""
    noise, value = measured.noise, measured.value[k]
    weak = beta * measured.noise_scale[k]
    factor_behind(precision, scale, noise, weak, value, factor)
    solve_behind(centre, noise, weak, value, factor, solved)
    pull = 0.0 if measured.is_censored[k] else weak * noise[0]
    draw_behind(rng, centre, pull, value[0], factor, solved, proposed)
    if measured.is_censored[k]:
        lam = measured.noise_scale[k]
        gain = _log_beyond(k, proposed[0], lam, measured)
        gain -= _log_beyond(k, x[k, 0], lam, measured)
        if -beta * gain > rng.standard_exponential():
            return
    for i in range(x.shape[1]):
        x[k, i] = proposed[i]


@compiled
def _draw_noise_scale(
    rng: np.random.Generator, k: int, beta: float, x: FloatArray, measured: Measured
) -> float:
    """Draw lambda of one case; return its log likelihood."""
    n_measured, square = _noise_of(k, x, measured)
    shape = measured.noise_shape + 0.5 * beta * n_measured
    rate = measured.noise_shape + 0.5 * beta * square
    drawn = rng.standard_gamma(shape) / rate
    likelihood = 0.0
    if measured.is_censored[k]:
        old = _log_beyond(k, x[k, 0], measured.noise_scale[k], measured)
        new = _log_beyond(k, x[k, 0], drawn, measured)
        if -beta * (new - old) > rng.standard_exponential():
            drawn, new = measured.noise_scale[k], old
        likelihood += new
    measured.noise_scale[k] = drawn
    for i in range(x.shape[1]):
        known = measured.value[k, i] == measured.value[k, i]
        if known and not (i == 0 and measured.is_censored[k]):
            likelihood += 0.5 * (math.log(drawn * measured.noise[i]) - LOG_2PI)
    return likelihood - 0.5 * drawn * square


@compiled
def _update_tempered(
    rng: np.random.Generator,
    beta: float,
    x: FloatArray,
    components: Components,
    cases: Cases,
    measured: Measured,
) -> float:
    """Draw true values and noise scales of all cases; return their log likelihood."""
    n = x.shape[1]
    factor, solved = np.zeros((n, n)), np.empty(n)
    centre, proposed = np.empty(n), np.empty(n)
    likelihood = 0.0
    for k in range(x.shape[0]):
        c, root = cases.label[k], cases.root[k]
        for i in range(n):
            centre[i] = components.location[c, i] + components.skew[c, i] / root
        _draw_case(
            rng, k, beta, x, centre, components.precision[c], root * root, measured,
            factor, solved, proposed,
        )  # fmt: skip
        likelihood += _draw_noise_scale(rng, k, beta, x, measured)
    return likelihood


@entry
def run_tempered_sweeps(
    rng: np.random.Generator,
    beta: float,
    x: FloatArray,
    measured: Measured,
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
    """`run_noisy_sweeps` with a tempered likelihood, noted in `given_cases`."""
    for i in range(n_sweeps):
        if number[0] + n_jumps > densities.row.shape[0]:
            return i
        move_together(
            rng, beta, x, number[0], components, population, constants, cases, measured
        )
        likelihood = _update_tempered(rng, beta, x, components, cases, measured)
        sweep_once(
            i, rng, x, n_jumps, number, components, population, constants, densities,
            cases, sums, means, centres, numbers, likelihoods, given_cases,
        )  # fmt: skip
        given_cases[i] = likelihood
    return n_sweeps
