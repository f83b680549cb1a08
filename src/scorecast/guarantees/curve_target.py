"""The score that a learning curve is asked to reach, and the size that does."""

from __future__ import annotations

import math
import numbers

from scorecast.exceptions import UsageError

__all__ = ["check_target", "whole_size"]


def check_target(target: float, best: float, *, greater: bool) -> None:
    """Refuse to look for a score that is none, or better than the best."""
    known = isinstance(target, numbers.Real) and math.isfinite(target)
    if known and (target <= best if greater else target >= best):
        return
    side = "at most" if greater else "at least"
    msg = f"`target` must be a score of {side} {best:g}; got {target!r}."
    raise UsageError(msg)


def whole_size(size: float) -> float:
    """Round a size up to a whole one; what is infinite stays so."""
    return size if math.isinf(size) else float(math.ceil(size - 1e-9))
