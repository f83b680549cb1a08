"""The only place where seeds become random generators."""

from __future__ import annotations

import numbers

import numpy as np

from scorecast._core.types import RandomState
from scorecast.exceptions import UsageError

__all__ = ["as_generator", "seed_number"]


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Turn what the caller gave as `random_state` into a live generator.

    Parameters
    ----------
    random_state : int, Generator, RandomState, SeedSequence or None
        A generator is used as it is; anything else seeds a new one.

    Returns
    -------
    numpy.random.Generator
        The stream from which child streams are spawned, one per task.

    Raises
    ------
    UsageError
        If `random_state` is of another kind or a negative number.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31, size=4))
    if random_state is None or isinstance(random_state, np.random.SeedSequence):
        return np.random.default_rng(random_state)
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return np.random.default_rng(int(random_state))
    msg = (
        "`random_state` must be a whole number from 0, a numpy Generator, or None; "
        f"got {random_state!r}."
    )
    raise UsageError(msg)


def seed_number(random_state: RandomState) -> int | None:
    """Return the seed where it was a number, to be written beside the result."""
    return int(random_state) if isinstance(random_state, numbers.Integral) else None
