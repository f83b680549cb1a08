"""Compiled moves between mixtures of different sizes: split and merge.

Labels and scales are integrated out, so a move is judged by the likelihood of the
mixture. A split keeps the parameters of one component, gives part of its weight to a
new one near it, and is undone by the merge that drops the new one again.

Each part of a new component is proposed by a mixture of a cautious and a bold proposal,
so that a split can copy its parent, or find a narrow or a wide lump anywhere in what
the parent covers:

- location: normal around the parent's, or a draw from the parent's own density;
- precision: Wishart with the parent's as its mean, or six times less or more;
- skew: normal around the parent's, or from the prior given the new precision;
- shape of the tails: from its prior, which then cancels;
- share of the parent's weight: Beta(2, 2), or Beta(1, 9), mostly small.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.density import (
    add_row,
    log_densities,
    move_density,
    rate_of,
)
from scorecast.mixtures.kernels.matrix import (
    LOG_2PI,
    cholesky,
    combine,
    compiled,
    draw_gamma,
    draw_normal,
    draw_wishart,
    invert,
    log_determinant,
    log_normal,
    log_wishart,
    merged,
    multiply,
)
from scorecast.mixtures.kernels.special import LOG_2, draw_pro_gamma, log_integral
from scorecast.mixtures.kernels.state import (
    Components,
    Constants,
    Densities,
    Population,
)

# Proposals ---------------------------------------------------------------------------

LOCATION_SPREAD = 0.5  # covariances of the cautious proposals, in the parent's units
SKEW_SPREAD = 0.25
PRECISION_SHAPE = 4.0  # the larger, the closer to its mean
PRECISION_STEP = 6.0
LOG_HALF = math.log(0.5)
SMALL_SHARE = 9.0


@compiled
def draw_share(rng: np.random.Generator) -> float:
    """Draw the share of the parent's weight that the new component gets."""
    if rng.random() < 0.5:
        one, other = rng.standard_gamma(2.0), rng.standard_gamma(2.0)
        return one / (one + other)
    return -math.expm1(-rng.standard_exponential() / SMALL_SHARE)


@compiled
def log_share(share: float) -> float:
    """Log density of what `draw_share` draws."""
    small = SMALL_SHARE * (1.0 - share) ** (SMALL_SHARE - 1.0)
    return math.log(max(0.5 * (6.0 * share * (1.0 - share) + small), 1e-300))


@compiled
def _log_either(one: float, other: float) -> float:
    """Log density of the even mixture of two densities."""
    top = max(one, other)
    return LOG_HALF + top + math.log(math.exp(one - top) + math.exp(other - top))


@compiled
def log_skew_student(x: FloatArray, c: int, components: Components, kind: int) -> float:
    """Log density of one component at one place."""
    n_dims = x.size
    precision, skew = components.precision[c], components.skew[c]
    location, m = components.location[c], components.shape[c]
    r = rate_of(m, kind)
    square, cross, tilt = 0.0, 0.0, 0.0
    for i in range(n_dims):
        for j in range(n_dims):
            own = precision[i, j] * (x[j] - location[j])
            square += (x[i] - location[i]) * own
            cross += skew[i] * own
            tilt += skew[i] * precision[i, j] * skew[j]
    factor = np.empty((n_dims, n_dims))
    cholesky(precision, factor)
    half = log_determinant(factor) - n_dims * LOG_2PI - tilt
    total = m * math.log(r) - math.lgamma(m) + 0.5 * half + LOG_2
    return total + log_integral(2.0 * m + n_dims - 1.0, r + 0.5 * square, cross)


@compiled
def _draw_near(
    rng: np.random.Generator,
    centre: FloatArray,
    precision: FloatArray,
    narrow: float,
    out: FloatArray,
) -> None:
    """Draw a normal vector around `centre` with precision `narrow * precision`."""
    n_dims = centre.size
    matrix, linear = np.empty((n_dims, n_dims)), np.empty(n_dims)
    combine(narrow, precision, 0.0, precision, matrix)
    multiply(matrix, centre, linear)
    draw_normal(rng, matrix, linear, out)


@merged
def _draw_location(
    rng: np.random.Generator, parent: int, new: int, components: Components, kind: int
) -> None:
    centre, precision = components.location[parent], components.precision[parent]
    out = components.location[new]
    if rng.random() < 0.5:
        _draw_near(rng, centre, precision, 1.0 / LOCATION_SPREAD, out)
        return
    m = components.shape[parent]
    scale = draw_gamma(rng, m) / rate_of(m, kind)
    _draw_near(rng, centre, precision, scale, out)
    for i in range(out.size):
        out[i] += components.skew[parent, i] / math.sqrt(scale)


@compiled
def _fill_rate(precision: FloatArray, step: float, rate: FloatArray) -> None:
    """Rate with which the proposed precision has `step * precision` as its mean."""
    invert(precision, rate)
    shape = PRECISION_SHAPE + 0.5 * (precision.shape[0] - 1)
    combine(shape / step, rate, 0.0, rate, rate)


@merged
def _log_precision(new: FloatArray, parent: FloatArray) -> float:
    """Log density of the proposed precision: an even mixture of three Wisharts."""
    rate = np.empty_like(parent)
    logs = np.empty(3)
    top = -np.inf
    for i in range(3):
        _fill_rate(parent, PRECISION_STEP ** (i - 1.0), rate)
        logs[i] = log_wishart(new, PRECISION_SHAPE, rate)
        top = max(top, logs[i])
    total = 0.0
    for i in range(3):
        total += math.exp(logs[i] - top)
    return top + math.log(total / 3.0)


@merged
def propose(
    rng: np.random.Generator,
    parent: int,
    new: int,
    components: Components,
    constants: Constants,
) -> None:
    """Fill the parameters of a new component near its parent."""
    inner, precision = components.precision[parent], components.precision[new]
    skew, kind = components.skew, constants.tail_kind
    _draw_location(rng, parent, new, components, kind)
    rate = np.empty_like(inner)
    _fill_rate(inner, PRECISION_STEP ** (math.floor(3.0 * rng.random()) - 1.0), rate)
    draw_wishart(rng, PRECISION_SHAPE, rate, precision)
    if rng.random() < 0.5:
        _draw_near(rng, skew[parent], inner, 1.0 / SKEW_SPREAD, skew[new])
    else:
        none = np.zeros(skew.shape[1])
        _draw_near(rng, none, precision, 1.0 / constants.skew_spread, skew[new])
    d = draw_pro_gamma(rng, constants.tail_a, constants.tail_b, 1, kind)
    components.shape[new] = 1.0 + d if kind == 1 else d


@merged
def _log_under_parent(
    parent: int,
    new: int,
    components: Components,
    constants: Constants,
    densities: Densities,
) -> float:
    """Log density of the new location under the parent.

    Read off the parent's table, a hundred times as fast as the integral, unless that
    is of the likelihood raised to another power than one.
    """
    location, kind = components.location, constants.tail_kind
    if constants.power != 1.0:
        return log_skew_student(location[new], parent, components, kind)
    found = np.empty(1)
    place = location[new : new + 1]
    log_densities(place, location[parent], parent, 1.0, densities, found)
    return found[0]


@merged
def log_proposal(
    parent: int,
    new: int,
    components: Components,
    constants: Constants,
    densities: Densities,
) -> float:
    """Log density of what `propose` fills, without the shape of the tails."""
    inner, precision = components.precision[parent], components.precision[new]
    location, skew = components.location, components.skew
    none = np.zeros(skew.shape[1])
    total = _log_either(
        log_normal(location[new], location[parent], inner, 1.0 / LOCATION_SPREAD),
        _log_under_parent(parent, new, components, constants, densities),
    )
    total += _log_precision(precision, inner)
    return total + _log_either(
        log_normal(skew[new], skew[parent], inner, 1.0 / SKEW_SPREAD),
        log_normal(skew[new], none, precision, 1.0 / constants.skew_spread),
    )


# Moves -------------------------------------------------------------------------------

TINY = 1e-300
FAR = 1e100
CANCELLED = 1e-10  # what a difference may leave of a sum without being summed afresh


@compiled
def _log_dirichlet(
    weight: FloatArray, n_components: int, concentration: float
) -> float:
    """Log density of the weights under the symmetric Dirichlet of the prior."""
    share = concentration / n_components
    total = math.lgamma(concentration) - n_components * math.lgamma(share)
    for c in range(n_components):
        total += (share - 1.0) * math.log(max(weight[c], TINY))
    return total


@compiled
def log_split_ratio(
    parent: int,
    new: int,
    n_before: int,
    weight_before: FloatArray,
    weight_after: FloatArray,
    components: Components,
    population: Population,
    constants: Constants,
    densities: Densities,
) -> float:
    """Log odds of a split, without the likelihood.

    Prior of the number, of the weights and of the new parameters, over the proposal of
    these parameters and of the share that the new component gets; the parent's former
    weight is the Jacobian. The ways to choose the pair cancel, and so does the prior
    of the shape of the tails, from which it is proposed.
    """
    location, skew = components.location[new], components.skew[new]
    precision, covariance = components.precision[new], population.covariance
    whole = max(weight_after[parent] + weight_after[new], TINY)
    m_s = population.precision_shape[0]
    rate = np.empty_like(precision)
    combine(m_s - 1.0, covariance, 0.0, covariance, rate)
    total = math.log(constants.growth)
    total += _log_dirichlet(weight_after, n_before + 1, constants.concentration)
    total -= _log_dirichlet(weight_before, n_before, constants.concentration)
    total += log_normal(
        location, population.location_mean, population.location_precision, 1.0
    )
    total += log_wishart(precision, m_s, rate)
    none = np.zeros(skew.size)
    total += log_normal(skew, none, precision, 1.0 / constants.skew_spread)
    total -= log_proposal(parent, new, components, constants, densities)
    return total + math.log(whole) - log_share(weight_after[new] / whole)


@compiled
def _summed(k: int, weight: FloatArray, rows: FloatArray) -> float:
    """Density of a case, summed over the components."""
    total = 0.0
    for c in range(weight.size):
        total += weight[c] * rows[c, k]
    return max(total, TINY)


@compiled
def _log_gain(
    densities: Densities, weight: FloatArray, share: float, better: int, worse: int
) -> float:
    """Change of the log likelihood if `share` moves from one component to another.

    The weights are those after the move; they are needed where the component that
    gives was nearly all of a case's density, so that the difference has no digits.
    """
    rows, total = densities.row, densities.total
    gains, gives = rows[better], rows[worse]
    gain = 0.0
    product = 1.0
    for k in range(total.size):
        factor = 1.0 + share * (gains[k] - gives[k]) / total[k]
        if factor < CANCELLED or factor > FAR:  # hardly ever
            if factor < CANCELLED:
                factor = max(_summed(k, weight, rows) / total[k], TINY)
            gain += math.log(factor)
            continue
        product *= factor
        if product < 1e-150 or product > 1e150:
            gain += math.log(product)
            product = 1.0
    return gain + math.log(product)


@compiled
def _shift(
    densities: Densities, weight: FloatArray, share: float, better: int, worse: int
) -> None:
    """Bring the densities of the cases up to date after such a move."""
    rows, total = densities.row, densities.total
    for k in range(total.size):
        value = total[k] + share * (rows[better, k] - rows[worse, k])
        if value < CANCELLED * total[k]:
            value = _summed(k, weight, rows)
        total[k] = max(value, TINY)


@merged
def _split(
    rng: np.random.Generator,
    x: FloatArray,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
    densities: Densities,
) -> int:
    """Try to split a component; return the number of components afterwards."""
    parent = int(rng.random() * n_components)
    new = n_components
    share = draw_share(rng)
    weight = components.weight
    before, after = np.empty(n_components + 1), np.empty(n_components + 1)
    for c in range(n_components + 1):
        before[c] = after[c] = weight[c]
    after[parent] = before[parent] * (1.0 - share)
    after[new] = before[parent] * share
    propose(rng, parent, new, components, constants)
    add_row(x, new, components, constants, densities)
    odds = log_split_ratio(
        parent,
        new,
        n_components,
        before,
        after,
        components,
        population,
        constants,
        densities,
    )
    odds += _log_gain(densities, after, after[new], new, parent)
    if -odds > rng.standard_exponential():
        return n_components
    _shift(densities, after, after[new], new, parent)
    weight[parent], weight[new] = after[parent], after[new]
    return n_components + 1


@merged
def _merge(
    rng: np.random.Generator,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
    densities: Densities,
) -> int:
    """Try to drop a component in favour of another; return the number afterwards."""
    kept = int(rng.random() * n_components)
    dropped = int(rng.random() * (n_components - 1))
    dropped += 1 if dropped >= kept else 0
    last = n_components - 1
    weight = components.weight
    before, after = np.empty(n_components), np.empty(n_components)
    for c in range(n_components):  # the split to be undone leads from before to after
        before[c] = after[c] = weight[c]
    before[kept] += before[dropped]
    before[dropped] = before[last]
    odds = -log_split_ratio(
        kept,
        dropped,
        last,
        before,
        after,
        components,
        population,
        constants,
        densities,
    )
    share = after[dropped]
    after[kept] += share  # and from here on they are those after the merge
    after[dropped] = 0.0
    odds += _log_gain(densities, after, share, kept, dropped)
    if -odds > rng.standard_exponential():
        return n_components
    _shift(densities, after, share, kept, dropped)
    weight[kept] += weight[dropped]
    if dropped != last:
        move_component(last, dropped, components)
        move_density(last, dropped, densities)
    return last


@compiled
def move_component(source: int, target: int, components: Components) -> None:
    """Copy one component over another."""
    n_dims = components.location.shape[1]
    components.weight[target] = components.weight[source]
    components.shape[target] = components.shape[source]
    for i in range(n_dims):
        components.location[target, i] = components.location[source, i]
        components.skew[target, i] = components.skew[source, i]
        for j in range(n_dims):
            components.precision[target, i, j] = components.precision[source, i, j]


@compiled
def jump(
    rng: np.random.Generator,
    x: FloatArray,
    n_components: int,
    components: Components,
    population: Population,
    constants: Constants,
    densities: Densities,
) -> int:
    """Try one split or merge; return the number of components afterwards.

    Called many times per sweep, so that it takes no more than it needs: handing over a
    whole `State` costs a twentieth of a sweep.
    """
    if rng.random() < 0.5:
        return _split(
            rng, x, n_components, components, population, constants, densities
        )
    if n_components == 1:
        return 1
    return _merge(rng, n_components, components, population, constants, densities)
