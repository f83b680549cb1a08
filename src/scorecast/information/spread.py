"""How j is spread over the cases: histogram, and the density that was fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray, IntArray, Json

if TYPE_CHECKING:
    from scorecast.mixtures import MixturePosterior

__all__ = ["Spread", "spread_of"]

_MOST_BINS = 60
_GRID = 241
_REACH = 12.0  # half widths of the middle half, beyond which a case is a straggler


@dataclass(frozen=True, kw_only=True, eq=False)
class Spread:
    """Histogram of j with the posterior predictive density over it.

    Attributes
    ----------
    edges : ndarray of float64
        Edges of the bins; stragglers lie outside.
    counts : ndarray of int64
        Cases per bin.
    below, above : int
        Finite cases outside the edges.
    least, greatest : float
        Smallest and largest finite j.
    x, density : ndarray of float64
        Posterior predictive density of one more case; empty where nothing was
        simulated.
    """

    edges: FloatArray
    counts: IntArray
    below: int
    above: int
    least: float
    greatest: float
    x: FloatArray
    density: FloatArray

    def to_dict(self) -> Json:
        """Return plain values."""
        return {
            "edges": self.edges,
            "counts": self.counts,
            "below": self.below,
            "above": self.above,
            "least": self.least,
            "greatest": self.greatest,
            "predictive": {"x": self.x, "density": self.density},
        }

    @classmethod
    def from_dict(cls, data: Json) -> Spread:
        """Rebuild from `to_dict`."""
        return cls(
            edges=np.array(data["edges"], np.float64),
            counts=np.array(data["counts"], np.int64),
            below=int(data["below"]),
            above=int(data["above"]),
            least=float(data["least"]),
            greatest=float(data["greatest"]),
            x=np.array(data["predictive"]["x"], np.float64),
            density=np.array(data["predictive"]["density"], np.float64),
        )


def spread_of(j: FloatArray, found: MixturePosterior | None, unit: float) -> Spread:
    """Count cases by their information.

    Parameters
    ----------
    j : ndarray of float64
        Finite information of the cases in nats.
    found : MixturePosterior or None
        Draws of their distribution; without them there is no density.
    unit : float
        Nats per unit of the answer.

    Returns
    -------
    Spread
        In the units of the answer.
    """
    values = j / unit
    low, high = _main_range(values)
    inside = (values >= low) & (values <= high)
    edges = np.linspace(low, high, _n_bins(values[inside], high - low) + 1)
    x = np.linspace(low, high, _GRID if found is not None else 0)
    counts = np.histogram(values[inside], edges)[0]
    return Spread(
        edges=edges,
        counts=counts.astype(np.int64),
        below=int((values < low).sum()),
        above=int((values > high).sum()),
        least=float(values.min()),
        greatest=float(values.max()),
        x=x,
        density=np.empty(0)
        if found is None
        else np.ravel(found.predictive_density(x * unit)) * unit,
    )


def _main_range(values: FloatArray) -> tuple[float, float]:
    """Return a range that holds all but stragglers, at least a little wide."""
    quarter, middle, three = np.quantile(values, [0.25, 0.5, 0.75])
    reach = _REACH * (three - quarter) / 2
    if reach == 0:
        reach = np.inf
    low = float(values[values >= middle - reach].min())
    high = float(values[values <= middle + reach].max())
    if high - low < 1e-9 * max(1.0, abs(middle)):
        return low - 0.5, high + 0.5
    margin = 0.02 * (high - low)
    return low - margin, high + margin


def _n_bins(values: FloatArray, width: float) -> int:
    """Choose bins as Freedman and Diaconis advise, within reason."""
    quarter = float(np.subtract(*np.quantile(values, [0.75, 0.25])))
    if quarter == 0:
        return 20
    wanted = width / (2 * quarter / np.cbrt(values.size))
    return int(np.clip(np.ceil(wanted), 8, _MOST_BINS))
