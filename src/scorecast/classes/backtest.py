"""Hide classes, predict them back, and see how far off each method was."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.results import Result
from scorecast._core.types import Json

__all__ = ["Backtest", "BacktestRow"]


@dataclass(frozen=True, kw_only=True)
class BacktestRow:
    """How one method did in predicting all observed classes from some of them.

    Attributes
    ----------
    method : str
        Name of the method.
    from_classes, to_classes : int
        Classes shown to it, and classes it had to predict.
    n_repeats : int
        How many random choices of the shown classes.
    truth : float
        Accuracy with `to_classes` classes.
    prediction : float
        Mean prediction.
    bias, rmse : float
        Mean and root mean square of prediction minus truth.
    coverage : float or None
        Share of intervals that held the truth; None where none was made.
    """

    method: str
    from_classes: int
    to_classes: int
    n_repeats: int
    truth: float
    prediction: float
    bias: float
    rmse: float
    coverage: float | None = None


@dataclass(frozen=True, kw_only=True)
class Backtest(Result):
    """How each method did when classes were hidden from it.

    Attributes
    ----------
    rows : tuple of BacktestRow
        One per method and number of classes shown.
    n_examples, n_classes : int
        Size of the data.
    level : float
        Level of the intervals.
    seed : int or None
        The random state, where it was a number.
    ties, average : str
        Rules used.
    """

    kind: ClassVar[str] = "backtest"

    rows: tuple[BacktestRow, ...]
    n_examples: int
    n_classes: int
    level: float
    seed: int | None
    ties: str
    average: str

    def summary(self) -> str:
        """Name the method that came closest, and how close."""
        best = min(self.rows, key=lambda row: row.rmse)
        return (
            f"Hiding classes ({best.from_classes} shown, {best.to_classes} predicted), "
            f"{best.method} came closest: off by {100 * best.rmse:.1f} points over "
            f"{best.n_repeats} repeats."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per method and number of classes shown."""
        rows = [asdict(row) for row in self.rows]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        return (
            {"n_examples": self.n_examples, "n_classes": self.n_classes},
            {
                "level": self.level,
                "seed": self.seed,
                "ties": self.ties,
                "average": self.average,
            },
            {"rows": [asdict(row) for row in self.rows]},
        )

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        rows = tuple(BacktestRow(**row) for row in result["rows"])
        return cls(rows=rows, **inputs, **options)
