"""One Markov chain: its state, how it starts, and how it moves on."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kept import KeptMixture
from scorecast.mixtures.kernels.half_normal import MOST_KNOTS, N_COEFFICIENTS
from scorecast.mixtures.kernels.layout import (
    Cases,
    Components,
    Constants,
    Densities,
    Population,
    Sums,
)
from scorecast.mixtures.kernels.sweep import (
    draw_mixture,
    fill_log_density,
    run_sweeps,
)

__all__ = [
    "Chain",
    "Record",
    "empty_components",
    "empty_population",
    "mixture_log_density",
]

_NEGLIGIBLE = 1e-16  # prior probability of components beyond what there is room for


@dataclasses.dataclass(frozen=True)
class Record:
    """What was noted at each sweep."""

    means: FloatArray  # (sweeps, N)
    centres: FloatArray  # (sweeps, N): finite even where the mean is not
    n_components: IntArray  # (sweeps,)
    log_likelihood: FloatArray  # (sweeps,)
    given_cases: FloatArray  # log likelihood given labels and scales (sweeps,)

    @classmethod
    def empty(cls, n_sweeps: int, n_dims: int) -> Record:
        """Return a record with room for so many sweeps."""
        return cls(
            np.empty((n_sweeps, n_dims)),
            np.empty((n_sweeps, n_dims)),
            np.empty(n_sweeps, dtype=np.int64),
            np.empty(n_sweeps),
            np.empty(n_sweeps),
        )


class Chain:
    """A chain over mixtures for given values.

    Parameters
    ----------
    values : array of shape (n, N)
        The data.
    constants : Constants
        Prior and power of the likelihood.
    rng : numpy.random.Generator
        The chain's own stream.
    n_jumps : int
        Split or merge attempts per sweep.
    n_start : int
        Number of components to begin with.
    """

    def __init__(
        self,
        values: FloatArray,
        constants: Constants,
        rng: np.random.Generator,
        *,
        n_jumps: int,
        n_start: int = 1,
    ) -> None:
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        self.constants = constants
        self.rng = rng
        self.n_jumps = n_jumps
        n_cases, n_dims = self.values.shape
        self.number = np.array([n_start], dtype=np.int64)
        self.cases = Cases(np.zeros(n_cases, dtype=np.int64), np.ones(n_cases))
        self.population = empty_population(n_dims)
        self.components = empty_components(0, n_dims)
        self._make_room(n_start + n_jumps)
        self._start(n_start)

    def _make_room(self, n_rows: int) -> None:
        """Give the arrays room for so many components, keeping what they hold."""
        n_cases, n_dims = self.values.shape
        reach = math.ceil(math.log(_NEGLIGIBLE) / math.log(self.constants.growth))
        capacity = n_rows + max(reach, 8)
        components = empty_components(capacity, n_dims)
        for new, old in zip(components, self.components, strict=True):
            new[: len(old)] = old
        self.components = components
        self.densities = _empty_densities(capacity, n_rows, n_cases, n_dims)
        self.sums = _empty_sums(capacity, n_dims)

    def _start(self, n_start: int) -> None:
        """Spread components of the size of the data over the data."""
        n_dims = self.values.shape[1]
        draw_mixture(
            self.rng,
            n_start,
            self.components,
            self.population,
            self.constants,
            np.empty(n_dims),
        )
        centres = self.rng.integers(0, len(self.values), size=n_start)
        spread = _robust_variance(self.values, self.population.covariance)
        self.components.location[:n_start] = self.values[centres]
        self.components.skew[:n_start] = 0.0
        self.components.precision[:n_start] = np.linalg.inv(spread)
        self.components.weight[:n_start] = 1.0 / n_start
        if n_start == 1:
            self.components.location[0] = np.median(self.values, axis=0)
        self.components.shape[:n_start] = 3.0
        self.population.location_mean[:] = self.constants.centre
        self.population.covariance[:] = spread.reshape(n_dims, n_dims)

    def run(self, n_sweeps: int, record: Record, offset: int = 0) -> None:
        """Run sweeps, noting them in the record from `offset` on.

        Parameters
        ----------
        n_sweeps : int
            How many.
        record : Record
            Where they are noted.
        offset : int, default=0
            Place of the first.
        """
        done = 0
        while True:  # none at all is how kernels are compiled
            first, last = offset + done, offset + n_sweeps
            done += run_sweeps(
                self.rng,
                self.values,
                n_sweeps - done,
                self.n_jumps,
                self.number,
                self.components,
                self.population,
                self.constants,
                self.densities,
                self.cases,
                self.sums,
                record.means[first:last],
                record.centres[first:last],
                record.n_components[first:last],
                record.log_likelihood[first:last],
                record.given_cases[first:last],
            )
            if done >= n_sweeps:
                return
            self._make_room(2 * (int(self.number[0]) + self.n_jumps))

    def keep(self) -> KeptMixture:
        """Return a copy of the mixture as it is now."""
        n = int(self.number[0])
        return KeptMixture(*(array[:n].copy() for array in self.components))

    def state(self) -> dict[str, Any]:
        """Return everything needed to go on later: arrays, and the stream's state."""
        n = int(self.number[0])
        arrays = {f"component_{k}": getattr(self.components, k)[:n].copy()
                  for k in Components._fields}  # fmt: skip
        arrays |= {f"population_{k}": v.copy()
                   for k, v in self.population._asdict().items()}  # fmt: skip
        return {"arrays": arrays, "stream": self.rng.bit_generator.state}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state that `state` returned.

        Parameters
        ----------
        state : dict
            The state.
        """
        arrays = state["arrays"]
        n = len(arrays["component_weight"])
        self.number[0] = n
        if n + self.n_jumps > len(self.densities.row):
            self._make_room(n + self.n_jumps)
        for name in Components._fields:
            getattr(self.components, name)[:n] = arrays[f"component_{name}"]
        for name in Population._fields:
            getattr(self.population, name)[...] = arrays[f"population_{name}"]
        self.rng.bit_generator.state = state["stream"]


def mixture_log_density(
    x: FloatArray, kept: KeptMixture, constants: Constants
) -> FloatArray:
    """Return the log density of one draw.

    Parameters
    ----------
    x : array of shape (n, N)
        Places.
    kept : KeptMixture
        The draw.
    constants : Constants
        Of the prior it was drawn under.

    Returns
    -------
    array of shape (n,)
        Log densities.
    """
    number, n_dims = kept.location.shape
    components = Components(
        kept.weight, kept.location, kept.skew, kept.precision, kept.shape
    )
    densities = _empty_densities(number, number, len(x), n_dims)
    out = np.empty(len(x))
    fill_log_density(x, number, components, constants, densities, out)
    return out


def _robust_variance(values: FloatArray, fallback: FloatArray) -> FloatArray:
    """Diagonal covariance from quartiles, or the prior's where they coincide."""
    low, high = np.quantile(values, [0.25, 0.75], axis=0)
    variance = ((high - low) / 1.349) ** 2
    variance = np.where(variance > 0.0, variance, np.diag(fallback))
    return np.diag(variance)


def empty_components(capacity: int, n_dims: int) -> Components:
    """Return room for so many components.

    Parameters
    ----------
    capacity : int
        How many.
    n_dims : int
        N.

    Returns
    -------
    Components
        All zero.
    """
    return Components(
        weight=np.zeros(capacity),
        location=np.zeros((capacity, n_dims)),
        skew=np.zeros((capacity, n_dims)),
        precision=np.zeros((capacity, n_dims, n_dims)),
        shape=np.zeros(capacity),
    )


def empty_population(n_dims: int) -> Population:
    """Return room for a population.

    Parameters
    ----------
    n_dims : int
        N.

    Returns
    -------
    Population
        Unit matrices, until it is drawn.
    """
    return Population(
        location_mean=np.zeros(n_dims),
        location_precision=np.eye(n_dims),
        location_rate=np.eye(n_dims),
        precision_shape=np.array([2.0]),
        covariance=np.eye(n_dims),
    )


def _empty_densities(
    capacity: int, n_rows: int, n_cases: int, n_dims: int
) -> Densities:
    return Densities(
        factor=np.zeros((capacity, n_dims, n_dims)),
        tilt=np.zeros((capacity, n_dims)),
        constant=np.zeros(capacity),
        exponent=np.zeros(capacity),
        rate=np.zeros(capacity),
        n_left=np.zeros(capacity, dtype=np.int64),
        table=np.empty((n_rows, MOST_KNOTS, N_COEFFICIENTS)),
        row=np.empty((n_rows, n_cases)),
        level=np.zeros(n_cases),
        total=np.zeros(n_cases),
    )


def _empty_sums(capacity: int, n_dims: int) -> Sums:
    return Sums(
        cases=np.zeros(capacity),
        scale=np.zeros(capacity),
        root=np.zeros(capacity),
        scale_y=np.zeros((capacity, n_dims)),
        root_y=np.zeros((capacity, n_dims)),
        scale_yy=np.zeros((capacity, n_dims, n_dims)),
        tail=np.zeros(capacity),
    )
