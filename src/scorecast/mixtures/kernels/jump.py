"""Compiled moves between mixtures of different sizes: split and merge.

Labels and scales are integrated out, so a move is judged by the likelihood of the
mixture. A split keeps the parameters of one component, gives part of its weight to a
new one near it, and is undone by the merge that drops the new one again.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.kernels.density import add_row, move_density
from scorecast.mixtures.kernels.layout import (
    Components,
    Constants,
    Densities,
    Population,
)
from scorecast.mixtures.kernels.matrix import (
    combine,
    compiled,
    log_normal,
    log_wishart,
    merged,
)
from scorecast.mixtures.kernels.proposal import (
    draw_share,
    log_proposal,
    log_share,
    propose,
)

__all__ = ["jump", "log_split_ratio", "move_component"]

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
        parent, new, n_components, before, after, components, population, constants,
        densities,
    )  # fmt: skip
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
        kept, dropped, last, before, after, components, population, constants,
        densities,
    )  # fmt: skip
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
    """Try one split or merge; return the number of components afterwards."""
    if rng.random() < 0.5:
        return _split(
            rng, x, n_components, components, population, constants, densities
        )
    if n_components == 1:
        return 1
    return _merge(rng, n_components, components, population, constants, densities)
