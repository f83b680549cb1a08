"""Type aliases used by every folder."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoolArray", "FloatArray", "IntArray", "Json", "RandomState"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
Json: TypeAlias = dict[str, Any]
RandomState: TypeAlias = (
    int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None
)
