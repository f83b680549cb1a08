"""What the values of a planted bicluster have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray, IntArray

__all__ = ["PATTERNS", "PlantedBicluster", "draw_bicluster"]

PATTERNS = (
    "constant",
    "constant-rows",
    "constant-columns",
    "additive",
    "multiplicative",
    "order-preserving",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlantedBicluster:
    """Rows and columns that follow a pattern together.

    Attributes
    ----------
    rows, columns : ndarray of int64
        Where it lies, sorted, counted from 0.
    pattern : str
        One of `PATTERNS`.
    base : float
        The value that all share; 0 for order-preserving ones.
    row_effects, column_effects : ndarray of float64
        What each row and column adds to the base, or multiplies it by. For
        order-preserving ones, the column effects are ranks: every row rises along
        them.
    values : ndarray of shape (rows, columns)
        What was planted, before noise and missing values.
    """

    rows: IntArray
    columns: IntArray
    pattern: str
    base: float
    row_effects: FloatArray
    column_effects: FloatArray
    values: FloatArray

    @property
    def area(self) -> int:
        """Number of cells."""
        return int(self.rows.size * self.columns.size)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the values as plain values."""
        return {
            "rows": self.rows.tolist(),
            "columns": self.columns.tolist(),
            "pattern": self.pattern,
            "base": self.base,
            "row_effects": self.row_effects.tolist(),
            "column_effects": self.column_effects.tolist(),
        }


def draw_bicluster(
    rows: IntArray,
    columns: IntArray,
    pattern: str,
    *,
    mean: float,
    sd: float,
    signal: float,
    rng: np.random.Generator,
) -> PlantedBicluster:
    """Draw the values of a bicluster.

    Parameters
    ----------
    rows, columns : ndarray of int64
        Where it lies.
    pattern : str
        One of `PATTERNS`.
    mean, sd : float
        Mean and standard deviation of the values around it.
    signal : float
        How far, in those standard deviations, its base lies from their mean: up to so
        far for sums, and at least half as far for products.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    PlantedBicluster
        With its values.
    """
    n, m = rows.size, columns.size
    by_row: FloatArray = np.zeros(n)
    by_column: FloatArray = np.zeros(m)
    if pattern == "order-preserving":
        order = rng.permutation(m)
        drawn = np.sort(mean + sd * rng.normal(size=(n, m)), axis=1)
        values: FloatArray = drawn[:, order]
        base, by_column = 0.0, order.astype(np.float64)
    elif pattern == "multiplicative":
        base = float(sd * signal * rng.uniform(0.5, 1) * rng.choice([-1, 1]))
        by_row, by_column = np.exp(rng.normal(0, 0.5, n)), np.exp(rng.normal(0, 0.5, m))
        values = base * by_row[:, None] * by_column
    else:
        base = float(mean + sd * rng.uniform(-signal, signal))
        if pattern in ("constant-rows", "additive"):
            by_row = sd * rng.normal(size=n)
        if pattern in ("constant-columns", "additive"):
            by_column = sd * rng.normal(size=m)
        values = base + by_row[:, None] + by_column
    return PlantedBicluster(
        rows=rows,
        columns=columns,
        pattern=pattern,
        base=base,
        row_effects=by_row,
        column_effects=by_column,
        values=values,
    )
