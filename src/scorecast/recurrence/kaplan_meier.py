"""The share of cases still waiting, from times of which some are censored."""

from __future__ import annotations

import numpy as np

from scorecast._core.types import BoolArray, FloatArray

__all__ = ["kaplan_meier", "survival_at"]


def kaplan_meier(time: FloatArray, event: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the product-limit estimate.

    Parameters
    ----------
    time, event : array of shape (n,)
        Times, and whether the event was seen; at equal times events come first.

    Returns
    -------
    tuple of arrays of shape (steps,)
        Times of events, and the share that waits beyond each.
    """
    at, n_events = np.unique(time[event], return_counts=True)
    n_waiting = len(time) - np.searchsorted(np.sort(time), at, side="left")
    return at, np.asarray(np.cumprod(1.0 - n_events / n_waiting), dtype=np.float64)


def survival_at(
    steps: tuple[FloatArray, FloatArray], time: FloatArray, *, before: bool = False
) -> FloatArray:
    """Read the estimate at any times.

    Parameters
    ----------
    steps : tuple of arrays
        As `kaplan_meier` returns them.
    time : array
        Times.
    before : bool, default=False
        Whether to read it just before each time.

    Returns
    -------
    array
        Shares that wait.
    """
    at, survival = steps
    side = "left" if before else "right"
    whole = np.concatenate([[1.0], survival])
    return np.asarray(whole[np.searchsorted(at, time, side=side)])  # type: ignore[call-overload]
