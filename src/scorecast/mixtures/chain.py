"""One Markov chain: its state, how it starts, how it moves on, and what it notes."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast._core.engine import active_client, map_on_cluster
from scorecast._core.parallel import map_threads
from scorecast._core.types import FloatArray
from scorecast.mixtures.distributions import KeptMixture
from scorecast.mixtures.kernels.special import MOST_KNOTS, N_COEFFICIENTS
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
from scorecast.mixtures.kernels.sweep import (
    draw_mixture,
    fill_log_density,
    run_noisy_sweeps,
    run_sweeps,
    run_tempered_sweeps,
)
from scorecast.mixtures.observations import Observations

if TYPE_CHECKING:
    from scorecast.mixtures.sampler import Sampling

_NEGLIGIBLE = 1e-16  # prior probability of components beyond what there is room for
_LONGER = 1.5  # times as many sweeps, from one judgement to the next


def empty_trace(n_sweeps: int, n_dims: int) -> Trace:
    """Return room for what is noted at so many sweeps."""
    return Trace(
        means=np.empty((n_sweeps, n_dims)),
        centres=np.empty((n_sweeps, n_dims)),
        numbers=np.empty(n_sweeps, dtype=np.int64),
        likelihoods=np.empty(n_sweeps),
        given_cases=np.empty(n_sweeps),
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

    Attributes
    ----------
    state : State
        All that changes. Replaced where components need more room, so that nobody else
        may hold it.
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
        self.constants = constants
        self.rng = rng
        self.n_jumps = n_jumps
        x = np.ascontiguousarray(values, dtype=np.float64)
        n_cases, n_dims = x.shape
        self.state = State(
            x=x,
            number=np.array([n_start], dtype=np.int64),
            components=empty_components(0, n_dims),
            population=empty_population(n_dims),
            densities=_empty_densities(0, 0, n_cases, n_dims),
            cases=Cases(np.zeros(n_cases, dtype=np.int64), np.ones(n_cases)),
            sums=_empty_sums(0, n_dims),
        )
        self.make_room(n_start + n_jumps)
        self._start(n_start)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what every sweep works out anew: it is larger than all else."""
        state = self.state._asdict()
        n_rows = len(state.pop("densities").row)
        del state["sums"]
        return self.__dict__ | {"state": (state, n_rows)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Make room for it again, as much as there was."""
        state, n_rows = kept["state"]
        capacity, n_dims = state["components"].location.shape
        densities = _empty_densities(capacity, n_rows, *state["x"].shape)
        sums = _empty_sums(capacity, n_dims)
        self.__dict__.update(kept)
        self.state = State(densities=densities, sums=sums, **state)

    @property
    def n_components(self) -> int:
        """Number of components now."""
        return int(self.state.number[0])

    def make_room(self, n_rows: int) -> None:
        """Give the arrays room for so many components, keeping what they hold."""
        n_cases, n_dims = self.state.x.shape
        reach = math.ceil(math.log(_NEGLIGIBLE) / math.log(self.constants.growth))
        capacity = n_rows + max(reach, 8)
        components = empty_components(capacity, n_dims)
        for new, old in zip(components, self.state.components, strict=True):
            new[: len(old)] = old
        self.state = self.state._replace(
            components=components,
            densities=_empty_densities(capacity, n_rows, n_cases, n_dims),
            sums=_empty_sums(capacity, n_dims),
        )

    def _start(self, n_start: int) -> None:
        """Spread components of the size of the data over the data."""
        state = self.state
        x, components, population = state.x, state.components, state.population
        n_dims = x.shape[1]
        draw_mixture(
            self.rng,
            n_start,
            components,
            population,
            self.constants,
            np.empty(n_dims),
        )
        centres = self.rng.integers(0, len(x), size=n_start)
        spread = _robust_variance(x, population.covariance)
        components.location[:n_start] = x[centres]
        components.skew[:n_start] = 0.0
        components.precision[:n_start] = np.linalg.inv(spread)
        components.weight[:n_start] = 1.0 / n_start
        if n_start == 1:
            components.location[0] = np.median(x, axis=0)
        components.shape[:n_start] = 3.0
        population.location_mean[:] = self.constants.centre
        population.covariance[:] = spread.reshape(n_dims, n_dims)

    def run(self, n_sweeps: int, trace: Trace, offset: int = 0) -> None:
        """Run sweeps, noting them in the trace from `offset` on."""
        done = 0
        while True:  # none at all is how kernels are compiled
            first, last = offset + done, offset + n_sweeps
            part = Trace._make(array[first:last] for array in trace)
            done += self._sweep(n_sweeps - done, part)
            if done >= n_sweeps:
                return
            self.make_room(2 * (self.n_components + self.n_jumps))

    def _sweep(self, n_sweeps: int, trace: Trace) -> int:
        """Run as many sweeps as there is room for; return how many."""
        return int(
            run_sweeps(
                self.rng, n_sweeps, self.n_jumps, self.constants, self.state, trace
            )
        )

    def keep(self) -> KeptMixture:
        """Return a copy of the mixture as it is now."""
        n = self.n_components
        return KeptMixture(*(array[:n].copy() for array in self.state.components))

    def snapshot(self) -> dict[str, Any]:
        """Return everything needed to go on later: arrays, and the stream's state."""
        n = self.n_components
        arrays = {
            f"component_{name}": array[:n].copy()
            for name, array in self.state.components._asdict().items()
        }
        arrays |= {
            f"population_{name}": array.copy()
            for name, array in self.state.population._asdict().items()
        }
        return {"arrays": arrays, "stream": self.rng.bit_generator.state}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go back to a state that `snapshot` returned."""
        arrays = saved["arrays"]
        n = len(arrays["component_weight"])
        self.state.number[0] = n
        if n + self.n_jumps > len(self.state.densities.row):
            self.make_room(n + self.n_jumps)
        for name, array in self.state.components._asdict().items():
            array[:n] = arrays[f"component_{name}"]
        for name, array in self.state.population._asdict().items():
            array[...] = arrays[f"population_{name}"]
        self.rng.bit_generator.state = saved["stream"]


class NoisyChain(Chain):
    """A chain whose values are unknown themselves, drawn anew at every sweep.

    Parameters
    ----------
    observations : Observations
        The data.
    constants, rng, n_jumps, n_start
        As for `Chain`.
    noise_power : float, optional
        Power of the likelihood of the measurements, for thermodynamic integration; the
        trace then holds that likelihood as `given_cases`. By default one, with true
        values of censored cases drawn exactly.
    """

    def __init__(
        self,
        observations: Observations,
        constants: Constants,
        rng: np.random.Generator,
        *,
        n_jumps: int,
        n_start: int = 1,
        noise_power: float | None = None,
    ) -> None:
        super().__init__(
            observations.filled(), constants, rng, n_jumps=n_jumps, n_start=n_start
        )
        self.measured = Measured(
            value=observations.values.copy(),  # every chain fills in its own
            is_censored=observations.is_censored.copy(),
            limit=observations.values[:, 0].copy(),
            noise=observations.noise.precision,
            noise_shape=float(observations.noise.shape),
            noise_scale=np.ones(len(observations)),
        )
        self.noise_power = noise_power
        n_cases = len(observations)
        self.state.cases.label[:] = rng.integers(0, n_start, size=n_cases)

    def _sweep(self, n_sweeps: int, trace: Trace) -> int:
        lengths = n_sweeps, self.n_jumps, self.constants
        given = self.state, self.measured, trace
        if self.noise_power is None:
            return int(run_noisy_sweeps(self.rng, *lengths, *given))
        return int(run_tempered_sweeps(self.rng, self.noise_power, *lengths, *given))

    def _latent(self) -> dict[str, Any]:
        return {
            "latent_true": self.state.x,
            "latent_measured": self.measured.value,
            "latent_noise_scale": self.measured.noise_scale,
            "latent_label": self.state.cases.label,
            "latent_root": self.state.cases.root,
        }

    def snapshot(self) -> dict[str, Any]:
        """Return everything needed to go on later."""
        saved = super().snapshot()
        saved["arrays"] |= {name: v.copy() for name, v in self._latent().items()}
        return saved

    def restore(self, saved: dict[str, Any]) -> None:
        """Go back to a state that `snapshot` returned."""
        super().restore(saved)
        for name, array in self._latent().items():
            array[...] = saved["arrays"][name]


class Run:
    """A chain with its trace: sweeps to warm up, then draws, then more if need be.

    Parameters
    ----------
    chain : Chain
        The chain.
    n_warmup, n_draws : int
        Sweeps that are planned.
    n_kept : int
        Draws to keep in full.

    Attributes
    ----------
    n_warmup : int
        Sweeps that are not used, from the first.
    n_sweeps : int
        Sweeps to be done in all.
    done : int
        Sweeps done.
    trace : Trace
        What was noted at every sweep.
    """

    def __init__(
        self, chain: Chain, *, n_warmup: int, n_draws: int, n_kept: int
    ) -> None:
        self.chain = chain
        self.n_warmup = n_warmup
        self.n_sweeps = n_warmup + n_draws
        self.n_kept = n_kept
        self.every = max(1, n_draws // n_kept)
        self.done = 0
        self.trace = empty_trace(self.n_sweeps, chain.state.x.shape[1])
        self.states: dict[int, KeptMixture] = {}  # by the sweep after which they were
        self._planned = n_warmup

    @property
    def n_draws(self) -> int:
        """Sweeps that are used, once all are done."""
        return self.n_sweeps - self.n_warmup

    @property
    def next_sweeps(self) -> int:
        """Sweeps that `extend` would add."""
        return math.ceil((_LONGER - 1.0) * self.n_sweeps)

    @property
    def kept(self) -> list[KeptMixture]:
        """Draws kept in full, evenly spread over those that are used."""
        used = [state for sweep, state in self.states.items() if sweep > self.n_warmup]
        if len(used) <= self.n_kept:
            return used
        places = np.linspace(0, len(used) - 1, self.n_kept).round().astype(int)
        return [used[i] for i in places]

    def compile(self) -> None:
        """Have the kernels ready before threads ask for them."""
        self.chain.run(0, self.trace)

    def advance(self, goal: int) -> None:
        """Run until `goal` sweeps are done, counted from the beginning."""
        while self.done < goal:
            drawn = self.done - self._planned
            step = -drawn if drawn < 0 else self.every - drawn % self.every
            step = min(step, goal - self.done)
            self.chain.run(step, self.trace, self.done)
            self.done += step
            drawn = self.done - self._planned
            if drawn > 0 and drawn % self.every == 0:
                self.states[self.done] = self.chain.keep()

    def extend(self) -> None:
        """Go on for half as many sweeps again, and leave out the first third of all.

        What was noted and lies behind that third is used: the draws are those of one
        longer run.
        """
        self._make_longer(self.n_sweeps + self.next_sweeps)
        self.n_warmup = max(self.n_warmup, self.n_sweeps // 3)
        used = {k: v for k, v in self.states.items() if k > self.n_warmup}
        if len(used) >= 2 * self.n_kept:
            self.every *= 2
            used = {
                k: v for k, v in used.items() if (k - self._planned) % self.every == 0
            }
        self.states = used

    def go_on(self) -> None:
        """Make the run twice as long, warm-up included, keeping what was noted."""
        self._make_longer(2 * self.n_sweeps)
        self.n_warmup *= 2

    def _make_longer(self, n_sweeps: int) -> None:
        before = self.trace
        self.n_sweeps = n_sweeps
        self.trace = empty_trace(n_sweeps, before.means.shape[1])
        for new, known in zip(self.trace, before, strict=True):
            new[: len(known)] = known


def start_runs(
    values: FloatArray | Observations,
    constants: Constants,
    sampling: Sampling,
    streams: Sequence[np.random.Generator],
    *,
    noise_power: float | None = None,
) -> list[Run]:
    """Start one chain per stream, from different numbers of components.

    `noise_power` is the power of the likelihood of noisy observations.
    """
    n_jumps = sampling.jumps_for(len(values))
    n_kept = max(1, sampling.n_kept // len(streams))
    runs = []
    for i, stream in enumerate(streams):
        n_start = sampling.starts[i % len(sampling.starts)]
        chain = _chain(values, constants, stream, n_jumps, n_start, noise_power)
        run = Run(
            chain,
            n_warmup=sampling.n_warmup,
            n_draws=sampling.n_draws,
            n_kept=n_kept,
        )
        runs.append(run)
    return runs


def advance_runs(
    runs: Sequence[Run],
    goal: int | None = None,
    *,
    n_jobs: int | None = None,
    what: str | None = None,
) -> None:
    """Take all runs to a goal, or to their ends, in threads or on a cluster.

    Of a run that is lost with its worker the state is still here, and sent again.
    """
    goals = [run.n_sweeps if goal is None else goal for run in runs]
    client = active_client()
    if client is None:
        pairs = list(zip(runs, goals, strict=True))
        map_threads(lambda p: p[0].advance(p[1]), pairs, n_jobs=n_jobs, what=what)
        return

    def parts(number: int) -> list[tuple[object, Callable[[], Any]]]:
        return [
            (("run", number), lambda: runs[number]),
            (("goal", goals[number]), lambda: goals[number]),
        ]

    numbers = [i for i, run in enumerate(runs) if run.done < goals[i]]
    found = map_on_cluster(client, _advanced, numbers, parts, what=what)
    for number, run in found:
        runs[number].__dict__.update(run.__dict__)


def _advanced(run: Run, goal: int) -> Run:
    """Return a run that went on; what a worker was given may have to serve again."""
    further = copy.deepcopy(run)
    further.advance(goal)
    return further


def _chain(
    values: FloatArray | Observations,
    constants: Constants,
    stream: np.random.Generator,
    n_jumps: int,
    n_start: int,
    noise_power: float | None,
) -> Chain:
    if not isinstance(values, Observations):
        return Chain(values, constants, stream, n_jumps=n_jumps, n_start=n_start)
    return NoisyChain(
        values,
        constants,
        stream,
        n_jumps=n_jumps,
        n_start=n_start,
        noise_power=noise_power,
    )


def mixture_log_density(
    x: FloatArray, kept: KeptMixture, constants: Constants
) -> FloatArray:
    """Return the log density of one draw."""
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
    """Return room for so many components."""
    return Components(
        weight=np.zeros(capacity),
        location=np.zeros((capacity, n_dims)),
        skew=np.zeros((capacity, n_dims)),
        precision=np.zeros((capacity, n_dims, n_dims)),
        shape=np.zeros(capacity),
    )


def empty_population(n_dims: int) -> Population:
    """Return room for a population."""
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
