"""Words that stand for numbers, the same in files and in Python."""

from __future__ import annotations

__all__ = ["EVENT_WORDS"]

EVENT_WORDS = {"1": 1.0, "0": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0,
               "y": 1.0, "n": 0.0, "t": 1.0, "f": 0.0}  # fmt: skip
