"""What a test of two models gives."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["PairTest", "sign_of"]


@dataclass(frozen=True, kw_only=True)
class PairTest:
    """One test of two models.

    Attributes
    ----------
    test : str
        Its name.
    statistic : float
        Its value; NaN where it has none.
    p : float
        Two-sided p-value; 1 where the models are the same, NaN where the spread that it
        needs cannot be seen.
    difference : float
        First less second.
    low, high : float
        Its interval.
    direction : int
        Which way the test itself points: 1 where the first is higher, -1 where it is
        lower, 0 where it does not say. A difference of 0 need not mean the last.
    of : str
        What the difference is one of, such as ``"mean"`` or ``"pseudo-median"``.
    df : tuple of float
        Degrees of freedom, where there are any.
    note : str
        What else the reader must know.
    """

    test: str
    statistic: float
    p: float
    difference: float
    low: float
    high: float
    direction: int
    of: str = "mean"
    df: tuple[float, ...] = ()
    note: str = ""

    @property
    def is_known(self) -> bool:
        """Whether there is a p-value."""
        return not math.isnan(self.p)

    @property
    def is_told(self) -> bool:
        """Whether p, if small, says which model is better."""
        return self.is_known and (self.direction != 0 or self.p == 1)


def sign_of(value: float) -> int:
    """Return 1, 0 or -1; 0 for what is not known."""
    return int(value > 0) - int(value < 0)
