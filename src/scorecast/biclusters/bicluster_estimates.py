"""Values of measures, repeat by repeat, of everything that finds biclusters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.results import Result
from scorecast._core.types import FloatArray, Json
from scorecast.biclusters.agreement import AGREEMENT
from scorecast.biclusters.merit import MERIT

__all__ = ["BiclusterEstimates"]

Values = Mapping[str, Mapping[str, FloatArray]]
_STABILITY = (
    "no truth was given: this measures how stable a finder is, by how well what it "
    "finds in a subsample agrees with its own result on all rows, not whether that is "
    "right"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BiclusterEstimates(Result):
    """What finders reached on every repeat, and where there was nothing to find.

    Made to be passed to `scorecast.assess_estimates`.

    Attributes
    ----------
    estimates : mapping of str to mapping of str to ndarray
        By finder and measure, one value per repeat; NaN where a repeat failed.
    nulls : mapping of str to mapping
        The same in null settings: ``"shuffled data"`` and ``"random biclusters"``.
    overlap : float
        How much more the mean varies than that of independent repeats, by the variance
        of one: b / (n - b) for subsamples of b of n rows, 0 for repeats that are drawn
        anew.
    unit : str
        What a repeat is.
    source : str
        ``"synthetic"`` or ``"subsamples"``.
    n_repeats : int
        Number of repeats.
    n_rows, n_columns : int
        Size of one matrix; of the last one if they differ.
    share : float
        Share of rows in a subsample; 1 for synthetic data.
    failures : mapping of str to tuple of str
        By finder, why repeats failed.
    has_truth : bool
        Whether hidden biclusters were known; if not, what is found in a subsample is
        compared with what the same finder finds in all rows.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "bicluster-estimates"

    estimates: Values
    nulls: Mapping[str, Values]
    overlap: float
    unit: str
    source: str
    n_repeats: int
    n_rows: int
    n_columns: int
    share: float
    failures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_truth: bool = True
    seed: int | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, the one to judge by first."""
        return tuple(next(iter(self.estimates.values())))

    @property
    def greater_is_better(self) -> dict[str, bool]:
        """By measure, which way is better."""
        known = AGREEMENT | MERIT
        return {name: known[name] for name in self.measures}

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """By measure, its least and greatest possible value."""
        limits = dict.fromkeys(AGREEMENT, (0.0, 1.0))
        limits |= {"row-correlation": (-1.0, 1.0), "column-correlation": (-1.0, 1.0)}
        return {name: limits.get(name, (0.0, math.inf)) for name in self.measures}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know."""
        failed = tuple(
            f"{name}: {len(reasons)} of {self.n_repeats} repeats failed: {reasons[0]}"
            for name, reasons in self.failures.items()
            if reasons
        )
        if self.has_truth or not set(self.measures) & set(AGREEMENT):
            return failed
        return (*failed, _STABILITY)

    def table(self, measure: str) -> dict[str, list[float]]:
        """Return the values of one measure, a column per finder, for a comparison."""
        return {
            name: np.asarray(rows[measure]).tolist()
            for name, rows in self.estimates.items()
        }

    def summary(self) -> str:
        """Say what was collected."""
        first = self.measures[0]
        each = ", ".join(
            f"{name} {np.nanmean(rows[first]):.3f}"
            for name, rows in self.estimates.items()
        )
        return f"{self.n_repeats} {self.unit}: mean {first} {each}."

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per finder, repeat and measure."""
        rows = [
            (name, repeat + 1, measure, value)
            for name, values in self.estimates.items()
            for measure, column in values.items()
            for repeat, value in enumerate(np.asarray(column).tolist())
        ]
        names = ("finder", "repeat", "measure", "value")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
            "has_truth": self.has_truth,
        }
        options = {
            "source": self.source,
            "n_repeats": self.n_repeats,
            "share": self.share,
            "overlap": self.overlap,
            "unit": self.unit,
            "seed": self.seed,
        }
        result = {
            "estimates": self.estimates,
            "nulls": self.nulls,
            "failures": self.failures,
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        return cls(
            estimates=_values(result["estimates"]),
            nulls={name: _values(rows) for name, rows in result["nulls"].items()},
            failures={k: tuple(v) for k, v in result["failures"].items()},
            n_rows=int(inputs["n_rows"]),
            n_columns=int(inputs["n_columns"]),
            has_truth=bool(inputs.get("has_truth", True)),
            **options,
        )


def _values(rows: Json) -> dict[str, dict[str, FloatArray]]:
    return {
        name: {m: np.array(column, dtype=np.float64) for m, column in values.items()}
        for name, values in rows.items()
    }
