"""Compiled draws of true values behind noisy, censored or missing measurements.

A measurement is the true value plus noise, y = x + n, with normal noise of precision
lambda D given its scale lambda, and lambda ~ Gamma(m_n, rate m_n), so that the noise is
Student (appendix B.2). Coordinate 0 may be censored: then only y_0 > limit is known.
A coordinate that was not measured has no noise term at all: what is not observed drops
out of every conditional because D is diagonal.

With label, scale and lambda given, the true vector is normal with precision
P = alpha S + lambda D. Its factor is built with coordinate 0 last, so that its last
pivot is the precision of x_0 given all other measurements: a censored y_0 is drawn from
there with x integrated out, and the same factor then gives x.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kernels.layout import (
    Cases,
    Components,
    Constants,
    Densities,
    Measured,
    Population,
    Sums,
)
from scorecast.mixtures.kernels.matrix import LOG_2PI, compiled, entry, merged
from scorecast.mixtures.kernels.sweep import sweep_once

__all__ = [
    "draw_above",
    "draw_aboves",
    "draw_behind",
    "factor_behind",
    "invert_above",
    "log_tail",
    "run_noisy_sweeps",
    "solve_behind",
    "update_latent",
]

ROOT_HALF = math.sqrt(0.5)
FAR = 30.0  # standard deviations from which the tail is known by its series
NEAR = 0.45  # from which the exponential proposal accepts more than the normal
FARTHEST = 1e6  # from which the tail is exponential but for one part in 1e12
MOST_TRIES = 200  # a third or more are accepted, so these do but once in 1e34 draws


@compiled
def log_tail(a: float) -> float:
    """Log probability that a standard normal exceeds a."""
    if a < FAR:
        return math.log(0.5 * math.erfc(a * ROOT_HALF))
    square = 1.0 / (a * a)
    series = math.log1p(-square * (1.0 - 3.0 * square * (1.0 - 5.0 * square)))
    return -0.5 * a * a - math.log(a) - 0.5 * LOG_2PI + series


@compiled
def draw_above(rng: np.random.Generator, a: float) -> float:
    """Draw a standard normal given that it exceeds a (Robert 1995).

    Where a is no number, neither is the draw.
    """
    if not a < FARTHEST:
        return a + rng.standard_exponential() / a
    if a < NEAR:
        for _ in range(MOST_TRIES):
            z = rng.standard_normal()
            if z > a:
                return z
    else:
        rate = 0.5 * (a + math.sqrt(a * a + 4.0))
        for _ in range(MOST_TRIES):
            z = a + rng.standard_exponential() / rate
            d = z - rate
            if 0.5 * d * d < rng.standard_exponential():
                return z
    return invert_above(rng.standard_exponential(), a)


@compiled
def invert_above(fall: float, a: float) -> float:
    """Return where the log tail of a standard normal is lower by `fall` than at a.

    With a standard exponential for `fall` this is `draw_above` without rejection.
    """
    start, step = log_tail(a), 1.0
    while start - log_tail(a + step) < fall:
        step *= 2.0
    low, high = a, a + step
    for _ in range(80):
        middle = 0.5 * (low + high)
        if start - log_tail(middle) < fall:
            low = middle
        else:
            high = middle
    return high


@entry
def draw_aboves(rng: np.random.Generator, a: float, out: FloatArray) -> None:
    """`draw_above` for every entry."""
    for i in range(out.size):
        out[i] = draw_above(rng, a)


@compiled
def factor_behind(
    precision: FloatArray,
    scale: float,
    noise: FloatArray,
    noise_scale: float,
    value: FloatArray,
    factor: FloatArray,
) -> None:
    """Fill the factor of P, coordinates in reverse order, coordinate 0 noise-free.

    A coordinate whose value is NaN was not measured.
    """
    n = noise.size
    for i in range(n):
        at = n - 1 - i
        for j in range(i + 1):
            rest = scale * precision[at, n - 1 - j]
            if i == j and at > 0 and value[at] == value[at]:
                rest += noise_scale * noise[at]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = math.sqrt(max(rest, 1e-300))
            else:
                factor[i, j] = rest / factor[j, j]


@compiled
def solve_behind(
    centre: FloatArray,
    noise: FloatArray,
    noise_scale: float,
    value: FloatArray,
    factor: FloatArray,
    solved: FloatArray,
) -> float:
    """Fill w = L^-1 b with b the pull of the measurements; return the sum of pulls.

    What is returned is y'(lambda D)y of the measured coordinates but 0, from the
    centre; less w'w it is their squared distance, noise included.
    """
    n = noise.size
    square = 0.0
    for i in range(n):
        at = n - 1 - i
        pull = 0.0
        if at > 0 and value[at] == value[at]:
            away = value[at] - centre[at]
            pull = noise_scale * noise[at] * away
            square += pull * away
        for k in range(i):
            pull -= factor[i, k] * solved[k]
        solved[i] = pull / factor[i, i]
    return square


@compiled
def draw_behind(
    rng: np.random.Generator,
    centre: FloatArray,
    pull: float,
    value: float,
    factor: FloatArray,
    solved: FloatArray,
    out: FloatArray,
) -> None:
    """Draw x given all measurements; `pull` is the precision of that of coordinate 0.

    L'u = w + e from the last row up; only the last pivot knows of coordinate 0.
    """
    n = centre.size
    for i in range(n - 1, -1, -1):
        at = n - 1 - i
        if at == 0:
            own = factor[i, i] * factor[i, i]
            rest = factor[i, i] * solved[i] + pull * (value - centre[0])
            total = own + pull
            away = rest / total + rng.standard_normal() / math.sqrt(total)
        else:
            rest = solved[i] + rng.standard_normal()
            for k in range(i + 1, n):
                rest -= factor[k, i] * (out[n - 1 - k] - centre[n - 1 - k])
            away = rest / factor[i, i]
        out[at] = centre[at] + away


@merged
def _draw_noise_scale(
    rng: np.random.Generator,
    k: int,
    x: FloatArray,
    measured: Measured,
) -> None:
    """Draw lambda given the noise of what was measured."""
    n_measured, square = 0.0, 0.0
    for i in range(x.shape[1]):
        value = measured.value[k, i]
        if value == value:
            away = value - x[k, i]
            n_measured += 1.0
            square += measured.noise[i] * away * away
    shape = measured.noise_shape + 0.5 * n_measured
    rate = measured.noise_shape + 0.5 * square
    measured.noise_scale[k] = rng.standard_gamma(shape) / rate


@compiled
def update_latent(
    rng: np.random.Generator,
    x: FloatArray,
    components: Components,
    cases: Cases,
    measured: Measured,
) -> None:
    """Draw censored measurements, true values and the scale of the noise."""
    n = x.shape[1]
    factor, solved, centre = np.zeros((n, n)), np.empty(n), np.empty(n)
    precisions, location, skew = (
        components.precision,
        components.location,
        components.skew,
    )
    noise, value = measured.noise, measured.value
    for k in range(x.shape[0]):
        c, root, noise_scale = cases.label[k], cases.root[k], measured.noise_scale[k]
        for i in range(n):
            centre[i] = location[c, i] + skew[c, i] / root
        factor_behind(precisions[c], root * root, noise, noise_scale, value[k], factor)
        solve_behind(centre, noise, noise_scale, value[k], factor, solved)
        pull = noise_scale * noise[0]
        if measured.is_censored[k]:
            last = factor[n - 1, n - 1]
            middle = centre[0] + solved[n - 1] / last
            spread = math.sqrt(1.0 / (last * last) + 1.0 / pull)
            a = (measured.limit[k] - middle) / spread
            value[k, 0] = middle + spread * draw_above(rng, a)
        draw_behind(rng, centre, pull, value[k, 0], factor, solved, x[k])
        _draw_noise_scale(rng, k, x, measured)


@entry
def run_noisy_sweeps(
    rng: np.random.Generator,
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
    """Run sweeps, each with the true values drawn first; return how many fitted.

    Labels and scales are those of the last sweep, so they belong to the state.
    """
    for i in range(n_sweeps):
        if number[0] + n_jumps > densities.row.shape[0]:
            return i
        update_latent(rng, x, components, cases, measured)
        sweep_once(
            i, rng, x, n_jumps, number, components, population, constants, densities,
            cases, sums, means, centres, numbers, likelihoods, given_cases,
        )  # fmt: skip
    return n_sweeps
