"""One chain on its way: what it has noted so far and what remains to be done."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.mixtures.chain import Chain, Record
from scorecast.mixtures.kept import KeptMixture
from scorecast.mixtures.kernels.layout import Constants
from scorecast.mixtures.observations import Observations

if TYPE_CHECKING:
    from scorecast.mixtures.sampling import Sampling

__all__ = ["Run", "start_runs"]

_LONGER = 1.5  # times as many sweeps, from one judgement to the next


class Run:
    """A chain with its record: sweeps to warm up, then draws, then more if need be.

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
    record : Record
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
        self.record = Record.empty(self.n_sweeps, chain.values.shape[1])
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
        self.chain.run(0, self.record)

    def advance(self, goal: int) -> None:
        """Run until `goal` sweeps are done.

        Parameters
        ----------
        goal : int
            Sweeps since the beginning.
        """
        while self.done < goal:
            drawn = self.done - self._planned
            step = -drawn if drawn < 0 else self.every - drawn % self.every
            step = min(step, goal - self.done)
            self.chain.run(step, self.record, self.done)
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
        before = self.record
        self.n_sweeps = n_sweeps
        self.record = Record.empty(n_sweeps, before.means.shape[1])
        for field in dataclasses.fields(before):
            known = getattr(before, field.name)
            getattr(self.record, field.name)[: len(known)] = known


def start_runs(
    values: FloatArray | Observations,
    constants: Constants,
    sampling: Sampling,
    streams: Sequence[np.random.Generator],
    *,
    noise_power: float | None = None,
) -> list[Run]:
    """Start one chain per stream, from different numbers of components.

    Parameters
    ----------
    values : array of shape (n, N) or Observations
        The data.
    constants : Constants
        Prior and power of the likelihood.
    sampling : Sampling
        How long and how.
    streams : sequence of Generator
        One per chain.
    noise_power : float, optional
        Power of the likelihood of noisy observations.

    Returns
    -------
    list of Run
        Ready to advance.
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
    # Its kernels are loaded only when they are used.
    from scorecast.mixtures.noisy_chain import NoisyChain

    return NoisyChain(
        values,
        constants,
        stream,
        n_jumps=n_jumps,
        n_start=n_start,
        noise_power=noise_power,
    )
