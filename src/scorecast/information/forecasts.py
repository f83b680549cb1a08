"""Forecast chances beside what came of them: whether 70 % means seven in ten."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, Json

__all__ = ["Forecasts", "Reliability", "ReliabilityBin", "reliability_of"]

_MOST_BINS = 10
_LEAST_IN_BIN = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Forecasts:
    """Chances that were stated, and whether the thing happened.

    Attributes
    ----------
    predicted : ndarray of float64
        Stated chance of each event.
    happened : ndarray of bool
        Whether it happened.
    what : str
        What the events are, in words.
    """

    predicted: FloatArray
    happened: BoolArray
    what: str


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
    predicted: float
    observed: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """Stated chances against observed shares.

    Attributes
    ----------
    what : str
        What the events are, in words.
    bins : tuple of ReliabilityBin
        From the least likely to the most likely.
    """

    what: str
    bins: tuple[ReliabilityBin, ...]

    def to_dict(self) -> Json:
        """Return plain values."""
        return {"what": self.what, "bins": [asdict(b) for b in self.bins]}

    @classmethod
    def from_dict(cls, data: Json) -> Reliability:
        """Rebuild from `to_dict`."""
        bins = tuple(ReliabilityBin(**b) for b in data["bins"])
        return cls(what=data["what"], bins=bins)


def reliability_of(forecasts: Forecasts, level: float) -> Reliability:
    """Group events by stated chance and count how many happened.

    Parameters
    ----------
    forecasts : Forecasts
        Chances and outcomes.
    level : float
        Level of the intervals.

    Returns
    -------
    Reliability
        At most ten bins with about the same number of events.

    Examples
    --------
    >>> said = Forecasts(
    ...     predicted=np.repeat([0.2, 0.8], 50),
    ...     happened=np.arange(100) % 5 < np.repeat([1, 4], 50),
    ...     what="rain",
    ... )
    >>> [round(b.observed, 3) for b in reliability_of(said, 0.95).bins]
    [0.2, 0.8]
    """
    order = np.argsort(forecasts.predicted, kind="stable")
    chance = forecasts.predicted[order]
    n_bins = int(np.clip(chance.size // _LEAST_IN_BIN, 1, _MOST_BINS))
    cuts = np.linspace(0, chance.size, n_bins + 1).round().astype(int)
    # Equal chances stay together.
    starts = np.unique(np.searchsorted(chance, chance[cuts[:-1]], side="left"))
    ends = np.append(starts[1:], chance.size)
    happened = forecasts.happened[order]
    bins = tuple(
        _bin(chance[a:b], happened[a:b], level)
        for a, b in zip(starts, ends, strict=True)
    )
    return Reliability(what=forecasts.what, bins=bins)


def _bin(chance: FloatArray, happened: BoolArray, level: float) -> ReliabilityBin:
    from scipy.special import ndtri  # not before it is needed: it is slow to load

    n, share = chance.size, float(happened.mean())
    z = float(ndtri(0.5 + level / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return ReliabilityBin(
        n=n,
        predicted=float(chance.mean()),
        observed=share,
        low=max(0.0, float(middle - half)),
        high=min(1.0, float(middle + half)),
    )
