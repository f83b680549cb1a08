"""How many components the mixture had, along the chains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorecast._core.types import FloatArray, IntArray, Json

__all__ = ["Components", "components_of"]

_MOST_POINTS = 120


@dataclass(frozen=True, kw_only=True, eq=False)
class Components:
    """Number of mixture components, C.

    Attributes
    ----------
    numbers : ndarray of int64
        Numbers that occurred.
    shares : ndarray of float64
        Share of draws with each.
    traces : ndarray of int64 of shape (n_chains, n_points)
        Thinned chains.
    """

    numbers: IntArray
    shares: FloatArray
    traces: IntArray

    def to_dict(self) -> Json:
        """Return plain values."""
        return {"number": self.numbers, "share": self.shares, "traces": self.traces}

    @classmethod
    def from_dict(cls, data: Json) -> Components:
        """Rebuild from `to_dict`."""
        return cls(
            numbers=np.array(data["number"], np.int64),
            shares=np.array(data["share"], np.float64),
            traces=np.array(data["traces"], np.int64),
        )


def components_of(n_components: IntArray) -> Components:
    """Summarise the numbers of components.

    Parameters
    ----------
    n_components : ndarray of int64 of shape (n_chains, n_draws)
        As drawn.

    Returns
    -------
    Components
        Shares and thinned traces.
    """
    numbers, counts = np.unique(n_components, return_counts=True)
    n_draws = n_components.shape[1]
    some = np.unique(np.linspace(0, n_draws - 1, _MOST_POINTS).round().astype(int))
    return Components(
        numbers=numbers.astype(np.int64),
        shares=counts / n_components.size,
        traces=n_components[:, some].astype(np.int64),
    )
