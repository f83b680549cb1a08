"""How good a set of biclusters is, as data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Self

from scorecast._core.percent import is_known
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.biclusters.agreement import Agreement
from scorecast.biclusters.heat_map import HeatMap

__all__ = ["BiclusterRow", "BiclusterScores"]

_WORDS = {"name", "match", "pattern", "n_rows", "n_columns", "measure"}


@dataclass(frozen=True, kw_only=True)
class BiclusterRow:
    """One found bicluster.

    Attributes
    ----------
    name : str
        What it is called.
    n_rows, n_columns : int
        Its size.
    match : str
        Name of the hidden bicluster that is most similar; empty without a truth.
    match_score : float
        Jaccard index of their cells.
    msr, variance, row_variance : float
        Mean squared residue, variance of cells, mean variance within rows.
    row_correlation, column_correlation : float
        Mean Pearson correlation over pairs of rows, and of columns.
    virtual_error : float
        Transposed virtual error.
    pattern : str
        What was most surprising about it; empty if it was not tested.
    log10_p, log10_p_adjusted : float
        Logarithm to base 10 of the p-value, before and after adjustment.
    """

    name: str
    n_rows: int
    n_columns: int
    match: str = ""
    match_score: float = math.nan
    msr: float = math.nan
    variance: float = math.nan
    row_variance: float = math.nan
    row_correlation: float = math.nan
    column_correlation: float = math.nan
    virtual_error: float = math.nan
    pattern: str = ""
    log10_p: float = math.nan
    log10_p_adjusted: float = math.nan

    @property
    def p_adjusted(self) -> float:
        """p-value after adjustment; 0 where it is too small for a number."""
        return float(10.0**self.log10_p_adjusted)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BiclusterScores(Result):
    """How good a set of biclusters is.

    Attributes
    ----------
    biclusters : tuple of BiclusterRow
        One per found bicluster.
    agreement : tuple of Agreement
        Measures of agreement with the hidden ones; empty without a truth.
    n_hidden : int or None
        Number of hidden biclusters; None without a truth.
    n_rows, n_columns : int
        Size of the matrix.
    has_data : bool
        Whether the matrix itself was given.
    alpha : float
        Level below which a bicluster is called significant.
    seed : int or None
        The random state, where it was a number.
    picture : HeatMap or None
        Part of the matrix, for a figure.
    options : dict
        How it was scored.
    assumptions : tuple of str
        What must hold for the answer to hold.
    warnings : tuple of str
        What the reader must know.
    """

    kind: ClassVar[str] = "bicluster-scores"

    biclusters: tuple[BiclusterRow, ...]
    agreement: tuple[Agreement, ...]
    n_hidden: int | None
    n_rows: int
    n_columns: int
    has_data: bool
    alpha: float
    seed: int | None
    picture: HeatMap | None = None
    options: Json = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def value(self, measure: str) -> float:
        """Return the value of one measure of agreement."""
        return next(x.value for x in self.agreement if x.measure == measure)

    @property
    def is_tested(self) -> bool:
        """Whether biclusters were tested for significance."""
        return any(is_known(row.log10_p_adjusted) for row in self.biclusters)

    @property
    def n_significant(self) -> int:
        """How many are significant after adjustment."""
        return sum(
            row.log10_p_adjusted <= math.log10(self.alpha) for row in self.biclusters
        )

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        k = len(self.biclusters)
        if not k:
            return f"No biclusters were found; {self.n_hidden} are hidden."
        found = "1 bicluster" if k == 1 else f"{k:,} biclusters"
        said = f"{found} in {self.n_rows:,} rows x {self.n_columns:,} columns"
        if self.n_hidden is not None:
            said += (
                f" against {self.n_hidden:,} hidden: recovery "
                f"{self._said('recovery')}, relevance {self._said('relevance')}, "
                f"consensus {self._said('consensus')}"
            )
        if self.is_tested:
            said += (
                f". {self.n_significant:,} of {k:,} significant at {self.alpha:g} "
                "after adjustment"
            )
        return f"{said}."

    def _said(self, measure: str) -> str:
        row = next(x for x in self.agreement if x.measure == measure)
        chance = f" (chance {row.chance:.2f})" if is_known(row.chance) else ""
        return f"{row.value:.2f}{chance}"

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per found bicluster."""
        names = [f.name for f in fields(BiclusterRow)]
        return {name: [getattr(b, name) for b in self.biclusters] for name in names}

    def agreement_columns(self) -> dict[str, list[Any]]:
        """Return one row per measure of agreement."""
        names = [f.name for f in fields(Agreement)]
        return {name: [getattr(x, name) for x in self.agreement] for name in names}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
            "n_found": len(self.biclusters),
            "n_hidden": self.n_hidden,
            "has_data": self.has_data,
        }
        options = {"alpha": self.alpha, "seed": self.seed, **self.options}
        result = {
            "agreement": {x.measure: asdict(x) for x in self.agreement},
            "biclusters": [asdict(row) for row in self.biclusters],
            "n_significant": self.n_significant if self.is_tested else None,
            "picture": None if self.picture is None else self.picture.to_json(),
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        known = ("alpha", "seed")
        drawn = result["picture"]
        return cls(
            biclusters=tuple(BiclusterRow(**_read(r)) for r in result["biclusters"]),
            agreement=tuple(
                Agreement(**_read(r)) for r in result["agreement"].values()
            ),
            n_hidden=inputs["n_hidden"],
            n_rows=int(inputs["n_rows"]),
            n_columns=int(inputs["n_columns"]),
            has_data=bool(inputs["has_data"]),
            **{name: options[name] for name in known},
            picture=None if drawn is None else HeatMap.from_json(drawn),
            options={k: v for k, v in options.items() if k not in known},
            assumptions=tuple(result["assumptions"]),
            warnings=tuple(result["warnings"]),
        )


def _read(row: Json) -> Json:
    return {
        k: v if k in _WORDS or isinstance(v, bool) else _float(v)
        for k, v in row.items()
    }


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)
