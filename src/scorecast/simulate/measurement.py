"""How samples are measured: pooled, repeatedly, with error and with effects of dyes.

Of a sample, or a pool of samples, one measurement or several are made. Each has an
error of its own and carries what its dye adds to every feature. Unless dyes are
swapped, every class keeps its dye, and what dyes add passes for a difference of
classes; with a swap every other measurement has the other dye, so that it averages out
(Dobbin and Simon, 2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from scorecast._core.checks import check_count, check_flag, check_not_negative
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import UsageError
from scorecast.simulate.distributions import Normal
from scorecast.simulate.population import Population

_MOST = 1000


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """How samples are measured.

    Attributes
    ----------
    pool_size : int
        Samples of a class that are pooled into one, whose values are their averages.
    n_replicates : int
        Technical replicates: rows of the data for every sample.
    technical_std : float
        Standard deviation of the error of a measurement.
    dye_bias : float
        Standard deviation over features of what a dye adds; the other dye takes away as
        much.
    dye_swap : bool
        Whether every other measurement of a class has its dyes swapped; else the dye
        goes with the class.
    """

    pool_size: int = 1
    n_replicates: int = 1
    technical_std: float = 0.0
    dye_bias: float = 0.0
    dye_swap: bool = False

    def __post_init__(self) -> None:
        check_count(self.pool_size, "pool_size", most=_MOST)
        check_count(self.n_replicates, "n_replicates", most=_MOST)
        for name in ("technical_std", "dye_bias"):
            check_not_negative(getattr(self, name), name)
        if check_flag(self.dye_swap, "dye_swap") and not self.dye_bias:
            raise UsageError(
                "changes nothing where dyes add nothing",
                parameter="dye_swap",
                remedy="give a dye_bias as well",
            )

    @property
    def is_plain(self) -> bool:
        """Whether samples are seen as they are."""
        return self == Measurement()


def dyes(y: IntArray, how: Measurement) -> IntArray:
    """Return the dye of every measurement, 1 or -1: rows are replicates of samples."""
    own = 1 - 2 * (np.repeat(y, how.n_replicates) % 2)
    if not how.dye_swap:
        return own
    # Samples of a class take turns, so that a single replicate is balanced, too.
    turn = np.empty(y.size, dtype=np.int64)
    for label in np.unique(y):
        here = np.flatnonzero(y == label)
        turn[here] = np.arange(here.size)
    rows = np.repeat(turn, how.n_replicates)
    rows = rows + np.tile(np.arange(how.n_replicates), y.size)
    swapped: IntArray = own * (1 - 2 * (rows % 2))
    return swapped


def measured(
    X: FloatArray,
    dye: IntArray,
    effects: FloatArray,
    how: Measurement,
    is_boolean: BoolArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the measurements of samples; features that are yes or no have no error."""
    rows: FloatArray = np.repeat(X, how.n_replicates, axis=0)
    open_to = np.flatnonzero(~is_boolean)
    if how.dye_bias:
        rows[:, open_to] += dye[:, None] * effects[open_to]
    if how.technical_std:
        shape = (rows.shape[0], open_to.size)
        rows[:, open_to] += how.technical_std * rng.normal(size=shape)
    return rows


def measured_population(population: Population, how: Measurement) -> Population | None:
    """Return the population of single measurements without dyes, if it is normal.

    None where averages and errors leave no distribution that is known.
    """
    if how.pool_size == 1 and not how.technical_std:
        return population
    is_plain = (
        population.is_normal
        and population.has_single_components
        and not (how.technical_std and population.is_correlated)
    )
    if not is_plain:
        return None
    mixtures = tuple(
        tuple(
            Normal(
                part.mean,
                math.hypot(part.std / math.sqrt(how.pool_size), how.technical_std),
            )
            for part in parts
        )
        for parts in population.mixtures
    )
    return replace(population, mixtures=mixtures)
