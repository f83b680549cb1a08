"""Forecast chances beside what came of them: whether 70 % means seven in ten."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import scipy

from scorecast._core.result import SHARE
from scorecast._core.types import BoolArray, FloatArray

_MOST_BINS = 10
_LEAST_IN_BIN = 10


class CalibrationEvents(StrEnum):
    """What the events are whose chances were stated.

    Of two classes the events are those of the second; the first is its mirror image.
    """

    TWO_CLASSES = "two-classes"
    CLASSES = "classes"
    QUANTILES = "quantiles"


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationPairs:
    """Chances that were stated, and whether the thing happened.

    Attributes
    ----------
    predicted : ndarray of float64
        Stated chance of each event.
    happened : ndarray of bool
        Whether it happened.
    events : CalibrationEvents
        What the events are.
    names : tuple of str
        Of two classes, their labels.
    """

    predicted: FloatArray
    happened: BoolArray
    events: CalibrationEvents
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ReliabilityBin:
    """Events with similar stated chances.

    Attributes
    ----------
    n : int
        Events in the bin.
    predicted : float
        Mean stated chance.
    observed : float
        Share that happened.
    low, high : float
        Interval of that share (Wilson's).
    """

    n: int
    predicted: float = field(metadata=SHARE)
    observed: float = field(metadata=SHARE)
    low: float = field(metadata=SHARE)
    high: float = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """Stated chances against observed shares.

    Attributes
    ----------
    events : CalibrationEvents
        What the events are.
    names : tuple of str
        Of two classes, their labels.
    bins : tuple of ReliabilityBin
        From the least likely to the most likely.
    """

    events: CalibrationEvents
    names: tuple[str, ...]
    bins: tuple[ReliabilityBin, ...]


def reliability_of(pairs: CalibrationPairs, confidence_level: float) -> Reliability:
    """Group events by stated chance, at most ten bins, and count how many happened."""
    order = np.argsort(pairs.predicted, kind="stable")
    chance = pairs.predicted[order]
    n_bins = int(np.clip(chance.size // _LEAST_IN_BIN, 1, _MOST_BINS))
    cuts = np.linspace(0, chance.size, n_bins + 1).round().astype(int)
    # Equal chances stay together.
    starts = np.unique(np.searchsorted(chance, chance[cuts[:-1]], side="left"))
    ends = np.append(starts[1:], chance.size)
    happened = pairs.happened[order]
    bins = tuple(
        _bin(chance[a:b], happened[a:b], confidence_level)
        for a, b in zip(starts, ends, strict=True)
    )
    return Reliability(events=pairs.events, names=pairs.names, bins=bins)


def _bin(chance: FloatArray, happened: BoolArray, level: float) -> ReliabilityBin:
    n, share = chance.size, float(happened.mean())
    z = float(scipy.special.ndtri(0.5 + level / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return ReliabilityBin(
        n=n,
        predicted=float(chance.mean()),
        observed=share,
        low=max(0.0, float(middle - half)),
        high=min(1.0, float(middle + half)),
    )
