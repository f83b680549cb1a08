"""Compiled moves of components together with the true values that belong to them.

Where the likelihood of measurements is raised to a small power, true values are known
by their component and the component by its true values: each holds the other in place,
and drawing them in turn takes hundreds of sweeps to get anywhere. Here both move at
once. Coordinate i of a component's location and of the true values of its cases is
shifted; or their distance from the location is scaled by s, the skew with them, and
the precision S by 1 / s in row and column i. The density of true values given the
component does not change, so that only the prior and the noise decide; how far to go
is drawn from the density along the move (Liu and Sabatti 2000) by slice sampling.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.latent import log_tail
from scorecast.mixtures.kernels.layout import (
    Cases,
    Components,
    Constants,
    Measured,
    Population,
)
from scorecast.mixtures.kernels.matrix import compiled

__all__ = ["move_together"]

ALL = -1  # components
MOST_STEPS = 24  # of the slice, in all
MOST_TRIES = 100
WIDTH = 0.5  # of the first slice of log s


@compiled
def _log_along(
    t: float,
    sign: float,
    prior: FloatArray,
    noise: FloatArray,
    n_far: int,
    gap: FloatArray,
    step: FloatArray,
    beta: float,
) -> float:
    """Log density along a move: a shift by t (sign 0), or a scale exp(t).

    `prior` holds the coefficients of t, of exp(sign t) and of exp(2 sign t), or of t
    and t^2 of a shift; `noise` the linear and the quadratic coefficient of what the
    true values move by. `gap` and `step` say how far censored cases are from their
    limits in units of the noise, and how fast that changes.
    """
    if sign == 0.0:
        moved = t
        total = prior[0] * t - prior[1] * t * t
    else:
        moved = math.expm1(t)
        grown = math.exp(sign * t)
        total = prior[0] * t - prior[1] * grown - prior[2] * grown * grown
    total += noise[0] * moved - noise[1] * moved * moved
    for k in range(n_far):
        total += beta * log_tail(gap[k] - moved * step[k])
    return total


@compiled
def _draw_along(
    rng: np.random.Generator,
    width: float,
    sign: float,
    prior: FloatArray,
    noise: FloatArray,
    n_far: int,
    gap: FloatArray,
    step: FloatArray,
    beta: float,
) -> float:
    """Draw from the density along a move by slices (Neal 2003), beginning at 0."""
    start = _log_along(0.0, sign, prior, noise, n_far, gap, step, beta)
    height = start - rng.standard_exponential()
    low = -width * rng.random()
    high = low + width
    left = int(MOST_STEPS * rng.random())
    for _ in range(left):
        if not _log_along(low, sign, prior, noise, n_far, gap, step, beta) > height:
            break
        low -= width
    for _ in range(MOST_STEPS - 1 - left):
        if not _log_along(high, sign, prior, noise, n_far, gap, step, beta) > height:
            break
        high += width
    for _ in range(MOST_TRIES):
        t = low + (high - low) * rng.random()
        if _log_along(t, sign, prior, noise, n_far, gap, step, beta) > height:
            return t
        if t < 0.0:
            low = t
        else:
            high = t
    return 0.0


@compiled
def _gather(
    c: int,
    i: int,
    scales: bool,
    beta: float,
    x: FloatArray,
    components: Components,
    cases: Cases,
    measured: Measured,
    noise: FloatArray,
    gap: FloatArray,
    step: FloatArray,
) -> int:
    """Fill what `_log_along` needs of the cases of a component, or of all."""
    noise[0], noise[1] = 0.0, 0.0
    n_far = 0
    for k in range(x.shape[0]):
        own = cases.label[k]
        value = measured.value[k, i]
        if (c != ALL and own != c) or value != value:
            continue
        pace = x[k, i] - components.location[own, i] if scales else 1.0
        precision = measured.noise_scale[k] * measured.noise[i]
        if i == 0 and measured.is_censored[k]:
            root = math.sqrt(precision)
            gap[n_far] = (measured.limit[k] - x[k, i]) * root
            step[n_far] = pace * root
            n_far += 1
        else:
            noise[0] += beta * precision * pace * (value - x[k, i])
            noise[1] += 0.5 * beta * precision * pace * pace
    return n_far


@compiled
def _scale_row(i: int, s: float, matrix: FloatArray) -> None:
    """Multiply row and column i of a matrix."""
    for j in range(matrix.shape[0]):
        matrix[i, j] *= s
        matrix[j, i] *= s


@compiled
def _shift(
    rng: np.random.Generator,
    c: int,
    i: int,
    beta: float,
    x: FloatArray,
    components: Components,
    population: Population,
    cases: Cases,
    measured: Measured,
    work: FloatArray,
) -> None:
    """Shift a component and its true values."""
    prior, noise, gap, step = work[0], work[1], work[2], work[3]
    n_far = _gather(c, i, False, beta, x, components, cases, measured, noise, gap, step)
    around = population.location_precision
    prior[0], prior[1] = 0.0, 0.5 * around[i, i]
    for j in range(x.shape[1]):
        away = components.location[c, j] - population.location_mean[j]
        prior[0] -= around[i, j] * away
    width = 2.0 / math.sqrt(2.0 * (prior[1] + noise[1]))
    t = _draw_along(rng, width, 0.0, prior, noise, n_far, gap, step, beta)
    components.location[c, i] += t
    for k in range(x.shape[0]):
        if cases.label[k] == c:
            x[k, i] += t


@compiled
def _scale(
    rng: np.random.Generator,
    c: int,
    i: int,
    beta: float,
    x: FloatArray,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
    cases: Cases,
    measured: Measured,
    work: FloatArray,
) -> None:
    """Scale a component and its true values; or all, and their typical covariance."""
    prior, noise, gap, step = work[0], work[1], work[2], work[3]
    n_far = _gather(c, i, True, beta, x, components, cases, measured, noise, gap, step)
    typical, n = population.covariance, x.shape[1]
    if c == ALL:
        sign, factor, power = 1.0, 1.0, constants.scale_shape - 1.0
        pair = constants.scale_rate
    else:
        power = population.precision_shape[0] - 1.0
        sign, factor, pair = -1.0, power, components.precision[c]
    prior[0] = sign * (2.0 * power + n + 1.0)
    prior[1], prior[2] = 0.0, factor * pair[i, i] * typical[i, i]
    for j in range(n):
        if j != i:
            prior[1] += 2.0 * factor * pair[i, j] * typical[i, j]
    t = _draw_along(rng, WIDTH, sign, prior, noise, n_far, gap, step, beta)
    s = math.exp(t)
    for k in range(x.shape[0]):
        own = cases.label[k]
        if c in (ALL, own):
            x[k, i] += math.expm1(t) * (x[k, i] - components.location[own, i])
    for own in range(n_components):
        if c in (ALL, own):
            components.skew[own, i] *= s
            _scale_row(i, 1.0 / s, components.precision[own])
    if c == ALL:
        _scale_row(i, s, typical)


@compiled
def move_together(
    rng: np.random.Generator,
    beta: float,
    x: FloatArray,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
    cases: Cases,
    measured: Measured,
) -> None:
    """Shift and scale every component with its true values, then scale all of them."""
    work = np.empty((4, max(3, x.shape[0])))
    for i in range(x.shape[1]):
        for c in range(n_components):
            _shift(
                rng, c, i, beta, x, components, population, cases, measured, work
            )  # fmt: skip
            _scale(
                rng, c, i, beta, x, n_components, components, population, constants,
                cases, measured, work,
            )  # fmt: skip
        _scale(
            rng, ALL, i, beta, x, n_components, components, population, constants,
            cases, measured, work,
        )  # fmt: skip
