"""Units of information."""

from __future__ import annotations

import math

__all__ = ["UNITS"]

UNITS = {"nats": 1.0, "bits": math.log(2)}
