"""Compiled proposals of a new component next to an existing one, with their density.

Each part is a mixture of a cautious and a bold proposal, so that a split can copy its
parent, or find a narrow or a wide lump anywhere in what the parent covers:

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
from scorecast.mixtures.kernels.density import LOG_2, log_densities, rate_of
from scorecast.mixtures.kernels.half_normal import log_integral
from scorecast.mixtures.kernels.layout import Components, Constants, Densities
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
from scorecast.mixtures.kernels.pro_gamma import draw_pro_gamma

__all__ = [
    "draw_share",
    "log_proposal",
    "log_share",
    "log_skew_student",
    "propose",
]

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
