"""All tests of feasibility of one model, with the verdict."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Self

from scorecast._core.types import Json
from scorecast.guarantees.feasibility.significance import (
    NullTest,
    null_test_from,
    null_test_parts,
)
from scorecast.guarantees.feasibility.verdict import Verdict

__all__ = ["Feasibility"]


@dataclass(frozen=True, kw_only=True)
class Feasibility:
    """Whether an estimate beats chance, null models and null data.

    Attributes
    ----------
    loss : str
        The loss that was compared.
    permuted : NullTest
        Against permuted targets.
    null_model : NullTest
        Against the null model that is hardest to beat.
    null_models : tuple of NullTest
        Against each of them.
    null_data : NullTest or None
        Against null data; None for numbers, or if none were drawn.
    permutation_density : float
        p-value by the permutation density of all folds; NaN where that means nothing.
    smallest_density : float
        Least value it can take.
    verdict : Verdict
        What it amounts to.
    density_note : str
        Why there is no permutation density; empty where there is one.
    """

    loss: str
    permuted: NullTest
    null_model: NullTest
    null_models: tuple[NullTest, ...]
    null_data: NullTest | None
    permutation_density: float
    smallest_density: float
    verdict: Verdict
    density_note: str = ""

    def tests(self) -> tuple[NullTest, ...]:
        """Return all tests, in the order in which they are shown."""
        data = () if self.null_data is None else (self.null_data,)
        return (self.permuted, *self.null_models, *data)

    def notes(self) -> tuple[str, ...]:
        """Return what the reader should know of permuted and null data."""
        drawn = (self.permuted, self.null_data)
        said = tuple(f"{x.setting}: {x.note}" for x in drawn if x and x.note)
        if not self.density_note or self.density_note in self.permuted.note:
            return said
        return (*said, f"density: {self.density_note}")

    def to_json(self) -> Json:
        """Return plain values."""
        return {
            "loss": self.loss,
            "permuted": null_test_parts(self.permuted),
            "null_model": null_test_parts(self.null_model),
            "null_models": [null_test_parts(test) for test in self.null_models],
            "null_data": None
            if self.null_data is None
            else null_test_parts(self.null_data),
            "permutation_density": {
                "p": self.permutation_density,
                "smallest_p": self.smallest_density,
                "note": self.density_note,
            },
            "verdict": asdict(self.verdict),
        }

    @classmethod
    def from_json(cls, data: Json) -> Self:
        """Rebuild from `to_json`."""
        density = data["permutation_density"]
        given = data["null_data"]
        return cls(
            loss=data["loss"],
            permuted=null_test_from(data["permuted"]),
            null_model=null_test_from(data["null_model"]),
            null_models=tuple(null_test_from(row) for row in data["null_models"]),
            null_data=None if given is None else null_test_from(given),
            permutation_density=_float(density["p"]),
            smallest_density=_float(density["smallest_p"]),
            verdict=Verdict(**data["verdict"]),
            density_note=density.get("note", ""),
        )


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)
