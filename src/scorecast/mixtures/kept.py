"""One draw of a mixture, kept in full."""

from __future__ import annotations

import dataclasses

from scorecast._core.types import FloatArray

__all__ = ["KeptMixture"]


@dataclasses.dataclass(frozen=True, eq=False)
class KeptMixture:
    """One draw of the mixture as arrays, one row per component."""

    weight: FloatArray
    location: FloatArray
    skew: FloatArray
    precision: FloatArray
    shape: FloatArray
