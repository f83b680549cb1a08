"""The share of cases still waiting, from times of which some are censored."""

from __future__ import annotations

import numpy as np

from scorecast._core.types import BoolArray, FloatArray

__all__ = ["followed_up", "kaplan_meier", "median_time", "survival_at"]


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


def median_time(time: FloatArray, event: BoolArray) -> float | None:
    """Return the time by which half of the cases have had their event.

    Parameters
    ----------
    time, event : array of shape (n,)
        Times, and whether the event was seen.

    Returns
    -------
    float or None
        By the product-limit estimate; None where more than half still wait at its end.
    """
    at, survival = kaplan_meier(time, event)
    below = at[survival <= 0.5]
    return float(below[0]) if below.size else None


def followed_up(time: FloatArray, event: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the product-limit estimate of the share that is not yet censored.

    Parameters
    ----------
    time, event : array of shape (n,)
        Times, and whether the event was seen. At equal times events still come first,
        so that who had one then was no longer there to be censored.

    Returns
    -------
    tuple of arrays of shape (steps,)
        Times of censoring, and the share that is followed beyond each.
    """
    at, n_censored = np.unique(time[~event], return_counts=True)
    n_there = len(time) - np.searchsorted(np.sort(time), at, side="left")
    seen = np.sort(time[event])
    n_seen = np.searchsorted(seen, at, side="right") - np.searchsorted(seen, at)
    share = np.cumprod(1.0 - n_censored / (n_there - n_seen))
    return at, np.asarray(share, dtype=np.float64)


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
