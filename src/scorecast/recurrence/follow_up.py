"""How long cases were followed, and what came of them all together."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Self

import numpy as np

from scorecast._core.types import FloatArray, Json
from scorecast.recurrence.evaluation import Evaluation
from scorecast.recurrence.kaplan_meier import followed_up, kaplan_meier, survival_at

__all__ = ["FollowUp", "follow_up_of"]

_LEAST_FOLLOWED = 0.05


@dataclass(frozen=True, kw_only=True)
class FollowUp:
    """How long cases were followed, and what was seen and predicted for all of them.

    Attributes
    ----------
    unit : str
        Unit of time, as the reader knows it; may be empty.
    longest : float
        Longest time that a case was followed.
    median : float or None
        Median follow-up: Kaplan and Meier's of the end of follow-up, for which an event
        is what hides it. None where fewer than half were lost from sight.
    horizon : float or None
        Time up to which the Brier score is averaged: the last event (of the times at
        which curves are read) when at least 5 % would still be followed.
    times, observed, predicted : tuple of float
        Share that still waits, by Kaplan and Meier, and mean predicted survival.
    """

    unit: str = ""
    longest: float
    median: float | None
    horizon: float | None
    times: tuple[float, ...] = ()
    observed: tuple[float, ...] = ()
    predicted: tuple[float, ...] = ()

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Rebuild from plain values."""
        fields: Json = {
            k: tuple(v) if isinstance(v, list) else v for k, v in data.items()
        }
        return cls(**fields)

    def to_dict(self) -> Json:
        """Return plain values."""
        return asdict(self)


def follow_up_of(found: Evaluation, unit: str = "") -> FollowUp:
    """Say how long the cases of an evaluation were followed.

    Parameters
    ----------
    found : Evaluation
        The predictions.
    unit : str, default=""
        Unit of time.

    Returns
    -------
    FollowUp
        Times, and both curves.
    """
    at = found.times
    ends = kaplan_meier(found.time, ~found.event)
    below = ends[0][ends[1] <= 0.5]
    # As the score itself has it: at equal times events come before censoring.
    still = survival_at(followed_up(found.time, found.event), at)
    within = at[still >= _LEAST_FOLLOWED]
    observed = survival_at(kaplan_meier(found.time, found.event), at)
    return FollowUp(
        unit=unit,
        longest=float(found.time.max()),
        median=float(below[0]) if below.size else None,
        horizon=float(within[-1]) if within.size else None,
        times=_plain(at),
        observed=_plain(observed),
        predicted=_plain(found.predictions["model"].survival.mean(axis=0)),
    )


def _plain(values: FloatArray) -> tuple[float, ...]:
    return tuple(np.asarray(values, dtype=float).tolist())
