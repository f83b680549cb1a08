"""How long and how to sample."""

from __future__ import annotations

import dataclasses
import numbers

import numpy as np

from scorecast.exceptions import UsageError

__all__ = ["Sampling"]

_JUMP_WORK = 3500  # cases looked at by split and merge attempts of one sweep


@dataclasses.dataclass(frozen=True)
class Sampling:
    """How long and how to sample: ``scorecast.Sampling``.

    The defaults below are those of the posterior of J. `RecurrenceModel`, which is
    fitted once per fold, takes 500 sweeps to warm up, 1,000 draws, 4 extensions and 200
    draws kept unless it is given a ``Sampling``; of one that is given, all holds.

    Parameters
    ----------
    n_chains : int, default=4
        Chains, each with its own stream and its own start.
    n_warmup : int, default=1000
        Sweeps before the first draw.
    n_draws : int, default=2000
        Draws per chain.
    n_jumps : int, optional
        Split or merge attempts per sweep; by default as many as look at some 3,500
        cases, between 1 and 20.
    starts : tuple of int, default=(1, 8, 2, 4)
        Components to begin with, chain by chain, over and over. Far apart on purpose:
        chains that agree in spite of it are worth more.
    max_seconds : float, default=60
        How long to go on beyond those draws while the chains cannot be trusted: for
        half as many sweeps again each time, of which the first third is left out. What
        was planned is not bounded by it. Zero: not at all.
    n_extensions : int, optional
        How often to go on at most; by default as often as the seconds allow.
    n_kept : int, default=400
        Draws kept in full, over all chains.
    """

    n_chains: int = 4
    n_warmup: int = 1000
    n_draws: int = 2000
    n_jumps: int | None = None
    starts: tuple[int, ...] = (1, 8, 2, 4)
    max_seconds: float = 60.0
    n_extensions: int | None = None
    n_kept: int = 400

    def __post_init__(self) -> None:
        least = {"n_chains": 1, "n_warmup": 0, "n_draws": 4, "n_kept": 1}
        for name in ("n_jumps", "n_extensions"):
            if getattr(self, name) is not None:
                least[name] = 0
        for name, smallest in least.items():
            if not _is_count(getattr(self, name), smallest):
                msg = (
                    f"`{name}` must be a whole number of at least {smallest}; got "
                    f"{getattr(self, name)!r}."
                )
                raise UsageError(msg)
        if not (isinstance(self.max_seconds, numbers.Real) and self.max_seconds >= 0):
            msg = (
                "`max_seconds` must be a number of seconds from 0; got "
                f"{self.max_seconds!r}."
            )
            raise UsageError(msg)
        if not self.starts or not all(_is_count(n, 1) for n in self.starts):
            msg = f"`starts` must be numbers of components from 1; got {self.starts!r}."
            raise UsageError(msg)

    def jumps_for(self, n_cases: int) -> int:
        """Return the number of split or merge attempts per sweep.

        Parameters
        ----------
        n_cases : int
            Number of values.

        Returns
        -------
        int
            As stated, or what suits so many values.
        """
        if self.n_jumps is not None:
            return self.n_jumps
        return int(np.clip(_JUMP_WORK // max(n_cases, 1), 1, 20))


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, numbers.Integral) and int(value) >= least
