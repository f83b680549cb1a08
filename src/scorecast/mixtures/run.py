"""One chain on its way: what it has noted so far and what remains to be done."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.chain import Chain, Record
from scorecast.mixtures.kept import KeptMixture
from scorecast.mixtures.kernels.layout import Constants
from scorecast.mixtures.observations import Observations

if TYPE_CHECKING:
    from scorecast.mixtures.sampling import Sampling

__all__ = ["Run", "start_runs"]


class Run:
    """A chain with its record; a stage is warm-up (the first time) and draws.

    Parameters
    ----------
    chain : Chain
        The chain.
    n_warmup, n_draws : int
        Sweeps of the first stage.
    n_kept : int
        Draws to keep in full.
    """

    def __init__(
        self, chain: Chain, *, n_warmup: int, n_draws: int, n_kept: int
    ) -> None:
        self.chain = chain
        self.n_warmup = n_warmup
        self.n_draws = n_draws
        self.n_kept = n_kept
        self.n_discarded = n_warmup
        self.done = 0
        self.record = Record.empty(self.n_sweeps, chain.values.shape[1])
        self.early: IntArray = np.empty(0, dtype=np.int64)
        self.kept: list[KeptMixture] = []

    @property
    def n_sweeps(self) -> int:
        """Sweeps of this stage."""
        return self.n_warmup + self.n_draws

    @property
    def every(self) -> int:
        """Sweeps from one kept draw to the next."""
        return max(1, self.n_draws // self.n_kept)

    @property
    def early_numbers(self) -> IntArray:
        """Number of components in all sweeps that were not kept."""
        return np.concatenate([self.early, self.record.n_components[: self.n_warmup]])

    def compile(self) -> None:
        """Have the kernels ready before threads ask for them."""
        self.chain.run(0, self.record)

    def advance(self, goal: int) -> None:
        """Run until `goal` sweeps of this stage are done.

        Parameters
        ----------
        goal : int
            Sweeps since the stage began.
        """
        while self.done < goal:
            drawn = self.done - self.n_warmup
            if drawn < 0:
                step = min(goal - self.done, -drawn)
            else:
                step = min(goal - self.done, self.every - drawn % self.every)
            self.chain.run(step, self.record, self.done)
            self.done += step
            drawn = self.done - self.n_warmup
            if drawn > 0 and drawn % self.every == 0 and len(self.kept) < self.n_kept:
                self.kept.append(self.chain.keep())

    def extend(self) -> None:
        """Begin a stage twice as long; everything before it becomes warm-up."""
        self.early = np.concatenate([self.early, self.record.n_components])
        self.n_discarded = len(self.early)
        self.n_warmup = 0
        self.n_draws *= 2
        self.done = 0
        self.kept = []
        self.record = Record.empty(self.n_sweeps, self.record.means.shape[1])

    def go_on(self) -> None:
        """Make the stage twice as long, warm-up included, keeping what was noted."""
        before = self.record
        self.n_discarded += self.n_warmup
        self.n_warmup *= 2
        self.n_draws *= 2
        self.record = Record.empty(self.n_sweeps, before.means.shape[1])
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
