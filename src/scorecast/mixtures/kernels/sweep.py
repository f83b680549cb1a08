"""Compiled sweeps: every unknown drawn once given all the others.

`sweep` is the body of all three entries: `run_sweeps` for values that are known,
`run_noisy_sweeps` with true values behind measurements drawn first, and
`run_tempered_sweeps` with the likelihood of measurements raised to a power.
The draws are those of `kernels.gibbs`.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.density import fill_rows, log_likelihood, rate_of
from scorecast.mixtures.kernels.gibbs import (
    assign_cases,
    draw_component,
    draw_number,
    draw_population,
    draw_weights,
    occupied_first,
    update_component,
    update_population,
)
from scorecast.mixtures.kernels.matrix import LOG_2PI, compiled, entry, merged
from scorecast.mixtures.kernels.special import draw_above, log_tail
from scorecast.mixtures.kernels.split_merge import jump
from scorecast.mixtures.kernels.state import (
    Cases,
    Components,
    Constants,
    Densities,
    Measured,
    Population,
    State,
    Sums,
    Trace,
)


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
def _give_up(i: int, trace: Trace) -> None:
    """Note no numbers at a sweep: the diagnostics then refuse the chain."""
    for j in range(trace.means.shape[1]):
        trace.means[i, j] = np.nan
        trace.centres[i, j] = np.nan
    trace.likelihoods[i] = np.nan
    trace.given_cases[i] = np.nan


@merged
def sweep(
    rng: np.random.Generator,
    i: int,
    n_jumps: int,
    constants: Constants,
    state: State,
    trace: Trace,
) -> None:
    """Run one sweep and note it at place i, there being rows enough.

    A chain that has met what is no number does not go on.
    """
    # Names once for all: reading a part of a tuple counts every array in it.
    x, number, components, population, densities, cases, sums = state
    if math.isnan(components.shape[0]):
        trace.numbers[i] = number[0]
        _give_up(i, trace)
    else:
        kind = constants.tail_kind
        n_components = number[0]
        fill_rows(x, n_components, components, constants, densities)
        for _ in range(n_jumps):
            n_components = jump(
                rng, x, n_components, components, population, constants, densities
            )
        trace.likelihoods[i] = log_likelihood(densities)
        trace.given_cases[i] = assign_cases(
            rng,
            n_components,
            constants.power,
            x,
            components.weight,
            components.location,
            densities,
            cases,
            sums,
        )
        n_components = _update_mixture(
            rng, n_components, components, population, constants, cases, sums
        )
        number[0] = n_components
        if math.isnan(trace.given_cases[i]):
            components.shape[0] = np.nan
        trace.numbers[i] = n_components
        mixture_mean(n_components, components, kind, trace.means[i])
        mixture_centre(n_components, components, kind, trace.centres[i])


@merged
def _has_room(n_jumps: int, state: State) -> bool:
    """Whether there are rows enough for the components of one sweep more."""
    return state.number[0] + n_jumps <= state.densities.row.shape[0]


@entry
def run_sweeps(
    rng: np.random.Generator,
    n_sweeps: int,
    n_jumps: int,
    constants: Constants,
    state: State,
    trace: Trace,
) -> int:
    """Run sweeps and note each; return how many fitted into the rows given.

    A return below `n_sweeps` asks for more rows; the chain is then between two sweeps.
    """
    for i in range(n_sweeps):
        if not _has_room(n_jumps, state):
            return i
        sweep(rng, i, n_jumps, constants, state, trace)
    return n_sweeps


# True values behind noisy, censored or missing measurements --------------------------

# A measurement is the true value plus noise, y = x + n, with normal noise of precision
# lambda D given its scale lambda, and lambda ~ Gamma(m_n, rate m_n), so that the noise
# is Student (appendix B.2). Coordinate 0 may be censored: then only y_0 > limit is
# known. A coordinate that was not measured has no noise term at all: what is not
# observed drops out of every conditional because D is diagonal.
#
# With label, scale and lambda given, the true vector is normal with precision P = alpha
# S + lambda D. Its factor is built with coordinate 0 last, so that its last pivot is
# the precision of x_0 given all other measurements: a censored y_0 is drawn from there
# with x integrated out, and the same factor then gives x.


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
def update_latent(rng: np.random.Generator, state: State, measured: Measured) -> None:
    """Draw censored measurements, true values and the scale of the noise."""
    x, components, cases = state.x, state.components, state.cases
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
    n_sweeps: int,
    n_jumps: int,
    constants: Constants,
    state: State,
    measured: Measured,
    trace: Trace,
) -> int:
    """Run sweeps, each with the true values drawn first; return how many fitted.

    Labels and scales are those of the last sweep, so they belong to the state.
    """
    for i in range(n_sweeps):
        if not _has_room(n_jumps, state):
            return i
        update_latent(rng, state, measured)
        sweep(rng, i, n_jumps, constants, state, trace)
    return n_sweeps


# Components that move together with the true values that belong to them --------------

# Where the likelihood of measurements is raised to a small power, true values are known
# by their component and the component by its true values: each holds the other in
# place, and drawing them in turn takes hundreds of sweeps to get anywhere. Here both
# move at once. Coordinate i of a component's location and of the true values of its
# cases is shifted; or their distance from the location is scaled by s, the skew with
# them, and the precision S by 1 / s in row and column i. The density of true values
# given the component does not change, so that only the prior and the noise decide; how
# far to go is drawn from the density along the move (Liu and Sabatti 2000) by slice
# sampling.

ALL = -1  # components
MOST_STEPS = 24  # of the slice, in all
MOST_SLICES = 100
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
    for _ in range(MOST_SLICES):
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
    state: State,
    measured: Measured,
    noise: FloatArray,
    gap: FloatArray,
    step: FloatArray,
) -> int:
    """Fill what `_log_along` needs of the cases of a component, or of all."""
    x, components, cases = state.x, state.components, state.cases
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
    state: State,
    measured: Measured,
    work: FloatArray,
) -> None:
    """Shift a component and its true values."""
    x, components, population = state.x, state.components, state.population
    prior, noise, gap, step = work[0], work[1], work[2], work[3]
    n_far = _gather(c, i, False, beta, state, measured, noise, gap, step)
    around = population.location_precision
    prior[0], prior[1] = 0.0, 0.5 * around[i, i]
    for j in range(x.shape[1]):
        away = components.location[c, j] - population.location_mean[j]
        prior[0] -= around[i, j] * away
    width = 2.0 / math.sqrt(2.0 * (prior[1] + noise[1]))
    t = _draw_along(rng, width, 0.0, prior, noise, n_far, gap, step, beta)
    components.location[c, i] += t
    for k in range(x.shape[0]):
        if state.cases.label[k] == c:
            x[k, i] += t


@compiled
def _scale(
    rng: np.random.Generator,
    c: int,
    i: int,
    beta: float,
    constants: Constants,
    state: State,
    measured: Measured,
    work: FloatArray,
) -> None:
    """Scale a component and its true values; or all, and their typical covariance."""
    x, components, population = state.x, state.components, state.population
    prior, noise, gap, step = work[0], work[1], work[2], work[3]
    n_far = _gather(c, i, True, beta, state, measured, noise, gap, step)
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
        own = state.cases.label[k]
        if c in (ALL, own):
            x[k, i] += math.expm1(t) * (x[k, i] - components.location[own, i])
    for own in range(state.number[0]):
        if c in (ALL, own):
            components.skew[own, i] *= s
            _scale_row(i, 1.0 / s, components.precision[own])
    if c == ALL:
        _scale_row(i, s, typical)


@compiled
def move_together(
    rng: np.random.Generator,
    beta: float,
    constants: Constants,
    state: State,
    measured: Measured,
) -> None:
    """Shift and scale every component with its true values, then scale all of them."""
    work = np.empty((4, max(3, state.x.shape[0])))
    for i in range(state.x.shape[1]):
        for c in range(state.number[0]):
            _shift(rng, c, i, beta, state, measured, work)
            _scale(rng, c, i, beta, constants, state, measured, work)
        _scale(rng, ALL, i, beta, constants, state, measured, work)


# The likelihood of measurements raised to a power ------------------------------------

# The likelihood of a case given its true values is that of its noise; for a censored
# coordinate 0 it is the probability of noise beyond the limit. Raised to beta, the
# normal part keeps its form with beta lambda D for lambda D. The probability does not,
# so true values (and lambda) of a censored case are proposed without it and accepted
# with its ratio.


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
def _draw_tempered(
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
def _draw_tempered_scale(
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
    rng: np.random.Generator, beta: float, state: State, measured: Measured
) -> float:
    """Draw true values and noise scales of all cases; return their log likelihood."""
    x, components, cases = state.x, state.components, state.cases
    n = x.shape[1]
    factor, solved = np.zeros((n, n)), np.empty(n)
    centre, proposed = np.empty(n), np.empty(n)
    likelihood = 0.0
    for k in range(x.shape[0]):
        c, root = cases.label[k], cases.root[k]
        for i in range(n):
            centre[i] = components.location[c, i] + components.skew[c, i] / root
        _draw_tempered(
            rng,
            k,
            beta,
            x,
            centre,
            components.precision[c],
            root * root,
            measured,
            factor,
            solved,
            proposed,
        )
        likelihood += _draw_tempered_scale(rng, k, beta, x, measured)
    return likelihood


@entry
def run_tempered_sweeps(
    rng: np.random.Generator,
    beta: float,
    n_sweeps: int,
    n_jumps: int,
    constants: Constants,
    state: State,
    measured: Measured,
    trace: Trace,
) -> int:
    """`run_noisy_sweeps` with a tempered likelihood, noted as `given_cases`."""
    for i in range(n_sweeps):
        if not _has_room(n_jumps, state):
            return i
        move_together(rng, beta, constants, state, measured)
        likelihood = _update_tempered(rng, beta, state, measured)
        sweep(rng, i, n_jumps, constants, state, trace)
        trace.given_cases[i] = likelihood
    return n_sweeps
