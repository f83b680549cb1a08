"""Local dependencies: groups of cases that follow a pattern on some features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.synthetic.patterns import PlantedBicluster, draw_bicluster
from scorecast.synthetic.placement import place_biclusters

__all__ = ["LocalDependencies", "plant_dependencies"]


@dataclass(frozen=True, kw_only=True)
class LocalDependencies:
    """What to plant among labelled cases.

    Attributes
    ----------
    count : int
        How many.
    rows, columns : int
        Cases and features of each.
    pattern : str
        One of `PATTERNS`.
    mean, sd : float
        Mean and standard deviation of the features.
    """

    count: int
    rows: int
    columns: int
    pattern: str
    mean: float
    sd: float

    def __call__(self, X: FloatArray, rng: np.random.Generator) -> None:
        """Overwrite values of fresh cases, as many as among those made."""
        plant_dependencies(X, self, rng)


def plant_dependencies(
    X: FloatArray, wanted: LocalDependencies, rng: np.random.Generator
) -> tuple[PlantedBicluster, ...]:
    """Overwrite values in place.

    Parameters
    ----------
    X : ndarray of shape (n, m)
        Cases, whose classes are not looked at.
    wanted : LocalDependencies
        What to plant.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    tuple of PlantedBicluster
        What was planted.
    """
    sizes = [(wanted.rows, wanted.columns)] * wanted.count
    planted = []
    shape = (X.shape[0], X.shape[1])
    for rows, columns in place_biclusters(shape, sizes, 0.0, rng):
        one = draw_bicluster(
            rows, columns, wanted.pattern, mean=wanted.mean, sd=wanted.sd, signal=1.0,
            rng=rng,
        )  # fmt: skip
        X[np.ix_(rows, columns)] = one.values
        planted.append(one)
    return tuple(planted)
