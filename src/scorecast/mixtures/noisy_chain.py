"""One Markov chain over mixtures and the true values behind noisy measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorecast.mixtures.chain import Chain, Record
from scorecast.mixtures.kernels.latent import run_noisy_sweeps
from scorecast.mixtures.kernels.layout import Constants, Measured
from scorecast.mixtures.observations import Observations

__all__ = ["NoisyChain"]


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
        record then holds that likelihood as `given_cases`. By default one, with true
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
        self.cases.label[:] = rng.integers(0, n_start, size=len(observations))

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
            done += self._sweep(
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

    def _sweep(self, *arguments: Any) -> int:
        if self.noise_power is None:
            return run_noisy_sweeps(self.rng, self.values, self.measured, *arguments)
        # Its kernel is loaded only when it is used.
        from scorecast.mixtures.kernels.tempered import run_tempered_sweeps

        return run_tempered_sweeps(
            self.rng, self.noise_power, self.values, self.measured, *arguments
        )

    def state(self) -> dict[str, Any]:
        """Return everything needed to go on later."""
        state = super().state()
        latent = {
            "true": self.values,
            "measured": self.measured.value,
            "noise_scale": self.measured.noise_scale,
            "label": self.cases.label,
            "root": self.cases.root,
        }
        state["arrays"] |= {f"latent_{k}": v.copy() for k, v in latent.items()}
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state that `state` returned.

        Parameters
        ----------
        state : dict
            The state.
        """
        super().restore(state)
        arrays = state["arrays"]
        self.values[:] = arrays["latent_true"]
        self.measured.value[:] = arrays["latent_measured"]
        self.measured.noise_scale[:] = arrays["latent_noise_scale"]
        self.cases.label[:] = arrays["latent_label"]
        self.cases.root[:] = arrays["latent_root"]
